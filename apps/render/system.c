/* system.c: see system.h. */
#include "system.h"
#include "fail.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef _WIN32

#include <direct.h>
#include <wchar.h>
#include <windows.h>

void *system_library(const char *name, char *error, size_t error_size)
{
    HMODULE library = LoadLibraryA(name);
    if (!library) fail(error, error_size, "%s cannot be loaded: error %lu", name, GetLastError());
    return (void *)library;
}

void *system_symbol(void *library, const char *name)
{
    union {
        FARPROC function;
        void *place;
    } symbol = {GetProcAddress((HMODULE)library, name)};
    return symbol.place;
}

/* A path of at most MAX_PATH, as the system has it. */
typedef struct Wide {
    wchar_t text[MAX_PATH + 1];
} Wide;
static bool wide(const char *path, Wide *out)
{
    errno = ENAMETOOLONG;
    return MultiByteToWideChar(CP_UTF8, 0, path, -1, out->text, MAX_PATH) > 0;
}

FILE *system_open(const char *path, const char *mode)
{
    Wide name, how;
    return wide(path, &name) && wide(mode, &how) ? _wfopen(name.text, how.text) : NULL;
}

bool system_remove(const char *path)
{
    Wide name;
    return wide(path, &name) && _wremove(name.text) == 0;
}

bool system_replace(const char *path, const char *with)
{
    Wide to, from;
    if (!wide(path, &to) || !wide(with, &from)) return false;
    bool fine = MoveFileExW(from.text, to.text, MOVEFILE_REPLACE_EXISTING);
    errno = fine ? 0 : EACCES;
    return fine;
}

static bool make(const char *path)
{
    Wide name;
    return wide(path, &name) && _wmkdir(name.text) == 0;
}

bool system_is_folder(const char *path)
{
    Wide name;
    DWORD about = wide(path, &name) ? GetFileAttributesW(name.text) : INVALID_FILE_ATTRIBUTES;
    return about != INVALID_FILE_ATTRIBUTES && (about & FILE_ATTRIBUTE_DIRECTORY);
}

int64_t system_size(FILE *file)
{
    return _fseeki64(file, 0, SEEK_END) == 0 ? (int64_t)_ftelli64(file) : -1;
}
bool system_seek(FILE *file, int64_t place) { return _fseeki64(file, place, SEEK_SET) == 0; }

static bool separates(char c) { return c == '/' || c == '\\'; }
static size_t root_of(const char *path)
{
    size_t drive = path[0] && path[1] == ':' ? 2 : 0;
    return drive + separates(path[drive]);
}

static void (*before)(int number);
void system_catch_interrupt(void (*handler)(int number)) { before = signal(SIGINT, handler); }
void system_release_interrupt(void) { signal(SIGINT, before); }

#else

#include <dlfcn.h>

void *system_library(const char *name, char *error, size_t error_size)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail(error, error_size, "%s", dlerror());
    return library;
}

void *system_symbol(void *library, const char *name) { return dlsym(library, name); }

FILE *system_open(const char *path, const char *mode) { return fopen(path, mode); }
bool system_remove(const char *path) { return remove(path) == 0; }
bool system_replace(const char *path, const char *with) { return rename(with, path) == 0; }

static bool make(const char *path) { return mkdir(path, 0777) == 0; }

bool system_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && (about.st_mode & S_IFMT) == S_IFDIR;
}

int64_t system_size(FILE *file)
{
    return fseeko(file, 0, SEEK_END) == 0 ? (int64_t)ftello(file) : -1;
}
bool system_seek(FILE *file, int64_t place) { return fseeko(file, (off_t)place, SEEK_SET) == 0; }

static bool separates(char c) { return c == '/'; }
static size_t root_of(const char *path) { return path[0] == '/'; }

static struct sigaction before;
void system_catch_interrupt(void (*handler)(int number))
{
    struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
    action.sa_handler = handler;
    sigaction(SIGINT, &action, &before);
}
void system_release_interrupt(void) { sigaction(SIGINT, &before, NULL); }

#endif

bool system_make_folder(const char *path) { return make(path) || errno == EEXIST; }

bool system_make_parents(const char *path)
{
    char *copy = strdup(path);
    bool fine = copy != NULL;
    for (char *c = fine ? copy + root_of(copy) : NULL; fine && *c; c++) {
        if (!separates(*c)) continue;
        char separator = *c;
        *c = '\0';
        fine = system_make_folder(copy);
        *c = separator;
    }
    free(copy);
    return fine;
}
