/* shim.c: see shim.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The six X at the end of a name become letters until nothing has it. */
static int find_name(char *name, int (*make)(const char *name))
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

#undef mkdir
#undef realpath
#include <direct.h>
#include <stdio.h>

static int make_folder(const char *name) { return _mkdir(name); }
int shim_mkdir(const char *path) { return _mkdir(path); }
int shim_setenv(const char *name, const char *value) { return _putenv_s(name, value); }
char *shim_realpath(const char *path, char *out) { return _fullpath(out, path, 4096); }

#else

static int make_folder(const char *name) { return mkdir(name, 0700); }
static int make_file(const char *name) { return open(name, O_RDWR | O_CREAT | O_EXCL, 0600); }
int mkstemp(char *name) { return find_name(name, make_file); }

/* WASI has no processes: a number at random, the same each time it is asked. */
int getpid(void)
{
    static unsigned short number;
    while (number == 0)
        if (getentropy(&number, sizeof number) != 0) return 1;
    return number;
}

#endif

char *mkdtemp(char *name) { return find_name(name, make_folder) == 0 ? name : NULL; }
