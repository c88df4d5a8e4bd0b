/* io_reach.c: see io_reach.h. Paths are compared part by part, from the root on, without "." and
 * "..". */
#include "io_reach.h"
#include "io_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int64_t tn_load_limit(const TnLoadDef *load, int64_t limit, int64_t most)
{
    double factor = load && load->limit_factor > 1.0 ? load->limit_factor : 1.0;
    return factor * (double)limit < (double)most ? (int64_t)(factor * (double)limit) : most;
}

/* Appends the parts of a path to `out`, which has none or "/a/b". False: too long. */
static bool add_parts(char *out, size_t *length, const char *path)
{
    for (;;) {
        path += strspn(path, "/");
        size_t size = strcspn(path, "/");
        if (size == 0) return true;
        if (size == 2 && memcmp(path, "..", 2) == 0) {
            while (*length > 0 && out[--*length] != '/') {}
        } else if (size != 1 || path[0] != '.') {
            if (*length + size + 2 > PATH_MAX) return false;
            out[(*length)++] = '/';
            memcpy(out + *length, path, size);
            *length += size;
        }
        out[*length] = '\0';
        path += size;
    }
}

/* "" is the root. */
static bool absolute(const char *path, char out[PATH_MAX], size_t *length)
{
    char here[PATH_MAX];
    *length = 0;
    out[0] = '\0';
    if (path[0] != '/' && (!getcwd(here, sizeof here) || !add_parts(out, length, here)))
        return false;
    return add_parts(out, length, path);
}

static bool begins_with(const char *path, const char *folder, size_t length)
{
    return memcmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* A folder ("": the present one) and a path, absolute. */
typedef struct Pair {
    char folder[PATH_MAX], path[PATH_MAX];
    size_t folder_length, length;
} Pair;

/* As they are written. False: too long. */
static bool read_pair(Pair *p, const char *folder, const char *path)
{
    return absolute(folder, p->folder, &p->folder_length) && absolute(path, p->path, &p->length);
}

/* Where their symbolic links lead. A path that leads nowhere, which cannot be opened either, is
 * compared as it is written. */
static bool follow_pair(Pair *p, const char *folder, const char *path)
{
    char *to = realpath(path, NULL);
    if (!to) return errno != ENAMETOOLONG && errno != ENOMEM && read_pair(p, folder, path);
    char *from = realpath(folder[0] ? folder : ".", NULL);
    bool fine = read_pair(p, from ? from : folder, to);
    free(from);
    free(to);
    return fine;
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
