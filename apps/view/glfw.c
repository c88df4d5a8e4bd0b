/* glfw.c: finds GLFW; see glfw.h. */
#include "glfw.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

Glfw glfw;

static void *open_library(char *error, size_t error_size)
{
    const char *path = getenv("TENON_GLFW");
    bool given = path && path[0];
    void *library = dlopen(given ? path : "libglfw.so.3", RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
    if (given)
        snprintf(error, error_size, "TENON_GLFW: %s", dlerror());
    else
        snprintf(error, error_size,
                 "no libglfw.so.3 on this machine: install libglfw3, or 'pip install glfw' for the "
                 "Python package");
    return NULL;
}

bool glfw_load(char *error, size_t error_size)
{
    static bool loaded;
    if (loaded) return true;
    void *library = open_library(error, error_size);
    if (!library) return false;
    bool whole = true;
#define GLFW_LOAD(NAME)                                                                            \
    *(void **)&glfw.NAME = dlsym(library, "glfw" #NAME);                                           \
    whole = whole && glfw.NAME;
    GLFW_FUNCTIONS(GLFW_LOAD)
#undef GLFW_LOAD
    if (whole)
        loaded = true; /* it stays open: its callbacks and drivers must find their code */
    else
        snprintf(error, error_size, "libglfw lacks functions of GLFW 3.3: install a newer one");
    return whole;
}
