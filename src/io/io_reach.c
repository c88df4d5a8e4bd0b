/* io_reach.c: see io_reach.h. Paths are compared part by part, from the root on, without "." and
 * "..". */
#include "io_reach.h"
#include "io_file.h"

#include <limits.h>
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

bool tn_io_is_within(const char *folder, const char *path)
{
    char root[PATH_MAX], whole[PATH_MAX];
    size_t root_length, length;
    return absolute(folder, root, &root_length) && absolute(path, whole, &length) &&
           length >= root_length && begins_with(whole, root, root_length);
}

static bool is_hidden(const char *path) { return strstr(path, "/.") != NULL; }

bool tn_io_may_read(const TnLoadDef *load, const char *folder, const char *path)
{
    char root[PATH_MAX], whole[PATH_MAX];
    size_t root_length, length;
    TnFileReach reach = load ? load->reach : TN_FILES_NEAR;
    if (reach == TN_FILES_ANY || tn_io_is_given(load, path)) return true;
    if (!absolute(folder, root, &root_length) || !absolute(path, whole, &length)) return false;
    if (length >= root_length && begins_with(whole, root, root_length)) return true;
    while (root_length > 0 && root[root_length - 1] != '/') root_length--;
    if (root_length > 0) root_length--; /* the folder above */
    return reach == TN_FILES_NEAR && root_length > 0 && length >= root_length &&
           begins_with(whole, root, root_length) && !is_hidden(whole + root_length);
}
