/* io_reach.c: see io_reach.h. Paths are compared part by part, from the root on, without "." and
 * "..". */
#include "io_reach.h"
#include "io_file.h"

#include <errno.h>
#include <string.h>

int64_t tn_load_limit(const TnLoadDef *load, int64_t limit, int64_t most)
{
    double factor = load && load->limit_factor > 1.0 ? load->limit_factor : 1.0;
    return factor * (double)limit < (double)most ? (int64_t)(factor * (double)limit) : most;
}

/* Appends the parts of a path to `out`, which has none or "/a/b"; ".." leaves the first `least`
 * bytes. False: too long. */
static bool add_parts(char *out, size_t *length, size_t least, const char *path)
{
    for (;;) {
        path += strspn(path, TN_PATH_SEPARATORS);
        size_t size = strcspn(path, TN_PATH_SEPARATORS);
        if (size == 0) return true;
        if (size == 2 && memcmp(path, "..", 2) == 0) {
            while (*length > least && out[--*length] != '/') {}
        } else if (size != 1 || path[0] != '.') {
            if (*length + size + 2 > TN_PATH) return false;
            out[(*length)++] = '/';
            memcpy(out + *length, path, size);
            *length += size;
        }
        out[*length] = '\0';
        path += size;
    }
}

/* "" is the root of POSIX; of Windows "/C:" or, of a server, "//server" comes first. */
static bool absolute(const char *path, char out[TN_PATH], size_t *length)
{
    char here[TN_PATH];
    const char *first = path;
    *length = 0;
    out[0] = '\0';
    if (tn_path_root(path) == 0) {
        if (tn_file_here(here)) return false;
        first = here;
    }
    size_t root = tn_path_root(first), named = root - tn_path_separates(first[root ? root - 1 : 0]);
    if (root > 1 && named > 0) { /* more than a separator */
        if (root + 2 > TN_PATH) return false;
        out[(*length)++] = '/';
        if (tn_path_separates(first[0])) out[(*length)++] = '/';
        while (tn_path_separates(*first)) first++, named--;
        memcpy(out + *length, first, named);
        *length += named;
        first += named;
    }
    size_t least = *length;
    return add_parts(out, length, least, first) &&
           (first == path || tn_path_root(path) > 0 || add_parts(out, length, least, path));
}

static bool begins_with(const char *path, const char *folder, size_t length)
{
    return memcmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* A folder ("": the present one) and a path, absolute. */
typedef struct Pair {
    char folder[TN_PATH], path[TN_PATH];
    size_t folder_length, length;
} Pair;

/* As they are written. False: too long. */
static bool read_pair(Pair *p, const char *folder, const char *path)
{
    return absolute(folder, p->folder, &p->folder_length) && absolute(path, p->path, &p->length);
}

static bool leads_nowhere(int code)
{
    return code == ENOENT || code == ENOTDIR || code == EACCES || code == ELOOP;
}

/* Where their symbolic links lead. A path that leads nowhere, which cannot be opened either, is
 * compared as it is written. */
static bool follow_pair(Pair *p, const char *folder, const char *path)
{
    char to[TN_PATH], from[TN_PATH];
    int code = tn_file_real_path(path, to);
    if (leads_nowhere(code)) return read_pair(p, folder, path);
    if (code) return false; /* a device of Windows, too */
    code = tn_file_real_path(folder[0] ? folder : ".", from);
    return read_pair(p, code ? folder : from, to);
}

static bool is_within(const Pair *p)
{
    return p->length >= p->folder_length && begins_with(p->path, p->folder, p->folder_length);
}

static bool is_hidden(const char *path) { return strstr(path, "/.") != NULL; }

static bool is_near(Pair *p, TnFileReach reach)
{
    if (is_within(p)) return true;
    while (p->folder_length > 0 && p->folder[p->folder_length - 1] != '/') p->folder_length--;
    if (p->folder_length > 0) p->folder_length--; /* the folder above */
    return reach == TN_FILES_NEAR && p->folder_length > 0 && is_within(p) &&
           !is_hidden(p->path + p->folder_length);
}

bool tn_io_may_read(const TnLoadDef *load, const char *folder, const char *path)
{
    Pair p;
    TnFileReach reach = load ? load->reach : TN_FILES_NEAR;
    if (reach == TN_FILES_ANY || tn_io_is_given(load, path)) return true;
    if (tn_path_is_remote(path) && !(read_pair(&p, folder, path) && is_near(&p, reach)))
        return false; /* not even looked at */
    return follow_pair(&p, folder, path) && is_near(&p, reach);
}

bool tn_io_leads_out(const TnLoadDef *load, const char *folder, const char *path)
{
    Pair p;
    return !tn_io_may_read(load, folder, path) && read_pair(&p, folder, path) &&
           is_near(&p, load ? load->reach : TN_FILES_NEAR);
}

bool tn_io_is_within(const char *folder, const char *path)
{
    Pair p;
    return read_pair(&p, folder, path) && is_within(&p);
}

bool tn_io_stays_within(const char *folder, const char *path)
{
    Pair p;
    return follow_pair(&p, folder, path) && is_within(&p);
}
