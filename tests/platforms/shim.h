/* shim.h: what tests call of POSIX, on systems that lack it. Tests alone: the library has
 * src/base/platform. */
#ifndef TN_TESTS_PLATFORMS_SHIM_H
#define TN_TESTS_PLATFORMS_SHIM_H

#if defined(_WIN32) || defined(__wasi__)

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The six X at the end of a name become letters until nothing has it. */
static inline int shim_name(char *name, int (*make)(const char *name))
{
    static unsigned seed = 1;
    char *end = name + strlen(name) - 6;
    for (int attempt = 0; attempt < 10000; attempt++) {
        seed = seed * 1103515245u + 12345u;
        unsigned value = seed >> 3 ^ (unsigned)getpid() * 2654435761u;
        for (int k = 0; k < 6; k++, value /= 26) end[k] = (char)('a' + value % 26);
        int result = make(name);
        if (result >= 0 || errno != EEXIST) return result;
    }
    return -1;
}

#ifdef _WIN32

#include <direct.h>
#include <io.h>

#define unsetenv(name) _putenv_s(name, "")
#define setenv(name, value, always) _putenv_s(name, value)
#define realpath(path, out) _fullpath(out, path, PATH_MAX)
#undef mkdir
#define mkdir(path, mode) _mkdir(path)

static inline int shim_make_file(const char *name)
{
    return _open(name, _O_RDWR | _O_CREAT | _O_EXCL | _O_BINARY, _S_IREAD | _S_IWRITE);
}
static inline int shim_make_folder(const char *name) { return _mkdir(name); }

#else

#undef getpid
#define getpid() 1
static inline int shim_make_file(const char *name)
{
    return open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
}
static inline int shim_make_folder(const char *name) { return mkdir(name, 0700); }

#endif

#define mkstemp(name) shim_name(name, shim_make_file)
#define mkdtemp(name) (shim_name(name, shim_make_folder) == 0 ? (name) : NULL)

#endif
#endif
