/* system.c: see system.h. */
#include "system.h"
#include "fail.h"

#include <errno.h>
#include <signal.h>
#include <sys/stat.h>

#ifdef _WIN32

#include <direct.h>
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

static int make(const char *path) { return _mkdir(path); }

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

static int make(const char *path) { return mkdir(path, 0777); }

static struct sigaction before;
void system_catch_interrupt(void (*handler)(int number))
{
    struct sigaction action = {.sa_flags = (int)SA_RESETHAND};
    action.sa_handler = handler;
    sigaction(SIGINT, &action, &before);
}
void system_release_interrupt(void) { sigaction(SIGINT, &before, NULL); }

#endif

bool system_make_folder(const char *path) { return make(path) == 0 || errno == EEXIST; }

bool system_is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && (about.st_mode & S_IFMT) == S_IFDIR;
}
