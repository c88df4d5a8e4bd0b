/* paths.h: how the system writes paths. Everywhere they are UTF-8, and '/' separates. */
#ifndef TN_PLATFORM_PATHS_H
#define TN_PLATFORM_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define TN_PATH 4096 /* room for a whole path, its closing zero included */

#ifdef _WIN32
#define TN_PATH_SEPARATORS "/\\"
#define TN_PATH_LIST ";" /* between the paths of an environment variable */
#else
#define TN_PATH_SEPARATORS "/"
#define TN_PATH_LIST ":"
#endif

static inline bool tn_path_separates(char c) { return c && strchr(TN_PATH_SEPARATORS, c); }

/* Length of what makes a path independent of the present folder: "/", and on Windows "C:", "C:\",
 * "\", "\\server" and "\\?". 0: a path from the present folder on. */
static inline size_t tn_path_root(const char *path)
{
#ifdef _WIN32
    if (tn_path_separates(path[0]) && tn_path_separates(path[1]))
        return 2 + strcspn(path + 2, TN_PATH_SEPARATORS);
    if (((path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z')) &&
        path[1] == ':')
        return tn_path_separates(path[2]) ? 3 : 2;
#endif
    return tn_path_separates(path[0]) ? 1 : 0;
}

/* "\\\\server", "\\\\.\\device": on Windows, to look there already asks another machine or opens a
 * device. */
static inline bool tn_path_is_remote(const char *path)
{
#ifdef _WIN32
    return tn_path_separates(path[0]) && tn_path_separates(path[1]);
#else
    (void)path;
    return false;
#endif
}

/* The name behind the last separator, or behind a drive. */
static inline const char *tn_path_name(const char *path)
{
    const char *name = path + tn_path_root(path);
    for (const char *c = name; *c; c++)
        if (tn_path_separates(*c)) name = c + 1;
    return name;
}

#endif
