/* headless_glfw.c: an OpenGL context of a window that is never shown, where EGL is not: Windows,
 * macOS, or a display of X or Wayland. On macOS windows belong to the main thread. */
#include "fail.h"
#include "glfw.h"
#include "headless_kind.h"

#include <stdlib.h>

typedef struct Hidden {
    GLFWwindow *window, *before; /* before: what was current on this thread */
} Hidden;

static void *create(char *error, size_t error_size)
{
    char why[200] = "";
    Hidden *hidden = calloc(1, sizeof *hidden);
    if (!hidden) {
        fail(error, error_size, "no memory for an OpenGL context");
        return NULL;
    }
    if (!glfw_begin(why, sizeof why)) {
        fail(error, error_size, "no hidden window: %s", why);
        free(hidden);
        return NULL;
    }
    hidden->before = glfw.GetCurrentContext();
    hidden->window = glfw_window(16, 16, "tenon", false, why, sizeof why);
    if (!hidden->window) {
        fail(error, error_size, "no hidden window with OpenGL 3.3: %s", why);
        glfw_end();
        free(hidden);
        return NULL;
    }
    glfw.MakeContextCurrent(hidden->window);
    return hidden;
}

static void leave(void *context) { glfw.MakeContextCurrent(((Hidden *)context)->before); }

static bool enter(void *context)
{
    Hidden *hidden = context;
    hidden->before = glfw.GetCurrentContext();
    glfw.MakeContextCurrent(hidden->window);
    return glfw.GetCurrentContext() == hidden->window;
}

static void destroy(void *context)
{
    Hidden *hidden = context;
    leave(hidden);
    glfw.DestroyWindow(hidden->window);
    glfw_end();
    free(hidden);
}

static GlLoader loader(const void *context)
{
    (void)context;
    return glfw.GetProcAddress;
}

const HeadlessKind headless_glfw = {"glfw", create, destroy, leave, enter, loader};
