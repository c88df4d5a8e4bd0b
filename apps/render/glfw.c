/* glfw.c: finds GLFW; see glfw.h. */
#include "glfw.h"
#include "fail.h"
#include "system.h"

#include <stdlib.h>

Glfw glfw;
static int users; /* between glfw_begin and glfw_end */

#if defined(_WIN32)
static const char *const names[] = {"glfw3.dll"};
#elif defined(__APPLE__)
static const char *const names[] = {"libglfw.3.dylib", "/opt/homebrew/lib/libglfw.3.dylib",
                                    "/usr/local/lib/libglfw.3.dylib"};
#else
static const char *const names[] = {"libglfw.so.3"};
#endif

static void *open_library(char *error, size_t error_size)
{
    const char *path = getenv("TENON_GLFW");
    void *library = NULL;
    if (path && path[0]) {
        char why[256];
        library = system_library(path, why, sizeof why);
        if (!library) fail(error, error_size, "TENON_GLFW: %s", why);
        return library;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !library; i++)
        library = system_library(names[i], error, error_size);
    if (!library)
        fail(error, error_size,
             "no %s on this machine: install libglfw3, or 'pip install glfw' for the Python "
             "package",
             names[0]);
    return library;
}

bool glfw_load(char *error, size_t error_size)
{
    static bool loaded;
    if (loaded) return true;
    void *library = open_library(error, error_size);
    if (!library) return false;
    bool whole = true;
#define GLFW_LOAD(NAME)                                                                            \
    *(void **)&glfw.NAME = system_symbol(library, "glfw" #NAME);                                   \
    whole = whole && glfw.NAME;
    GLFW_FUNCTIONS(GLFW_LOAD)
#undef GLFW_LOAD
    loaded = whole;
    return whole || fail(error, error_size, "GLFW lacks functions of 3.3: install a newer one");
}

bool glfw_begin(char *error, size_t error_size)
{
    if (!glfw_load(error, error_size)) return false;
    if (users == 0 && !glfw.Init()) {
        const char *why = NULL;
        glfw.GetError(&why);
        return fail(error, error_size, "no display%s%s", why ? ": " : "", why ? why : "");
    }
    users++;
    return true;
}

void glfw_end(void)
{
    if (--users == 0) glfw.Terminate();
}

GLFWwindow *glfw_window(int width, int height, const char *title, bool visible, char *error,
                        size_t error_size)
{
    glfw.DefaultWindowHints();
    glfw.WindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfw.WindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfw.WindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfw.WindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfw.WindowHint(GLFW_SAMPLES, 0); /* the renderer smooths by itself */
    glfw.WindowHint(GLFW_DEPTH_BITS, 24);
    glfw.WindowHint(GLFW_VISIBLE, visible);
    GLFWwindow *window = glfw.CreateWindow(width, height, title, NULL, NULL);
    if (!window) {
        const char *why = NULL;
        glfw.GetError(&why);
        fail(error, error_size, "%s", why ? why : "the system gives no reason");
    }
    return window;
}
