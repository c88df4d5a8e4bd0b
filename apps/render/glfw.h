/* glfw.h: the functions of GLFW that the window and hidden windows call. libglfw is opened when it
 * is needed: the program is one and the same on machines without it. */
#ifndef TENON_RENDER_GLFW_H
#define TENON_RENDER_GLFW_H

#include <stdbool.h>
#include <stddef.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#define GLFW_FUNCTIONS(X)                                                                          \
    X(Init)                                                                                        \
    X(Terminate)                                                                                   \
    X(GetError)                                                                                    \
    X(DefaultWindowHints)                                                                          \
    X(WindowHint)                                                                                  \
    X(CreateWindow)                                                                                \
    X(DestroyWindow)                                                                               \
    X(WindowShouldClose)                                                                           \
    X(GetCurrentContext)                                                                           \
    X(MakeContextCurrent)                                                                          \
    X(SwapInterval)                                                                                \
    X(SwapBuffers)                                                                                 \
    X(GetProcAddress)                                                                              \
    X(PollEvents)                                                                                  \
    X(WaitEventsTimeout)                                                                           \
    X(PostEmptyEvent)                                                                              \
    X(GetTime)                                                                                     \
    X(GetKeyName)                                                                                  \
    X(GetFramebufferSize)                                                                          \
    X(GetWindowSize)                                                                               \
    X(GetWindowPos)                                                                                \
    X(GetWindowContentScale)                                                                       \
    X(GetPrimaryMonitor)                                                                           \
    X(GetVideoMode)                                                                                \
    X(SetWindowMonitor)                                                                            \
    X(GetWindowUserPointer)                                                                        \
    X(SetWindowUserPointer)                                                                        \
    X(SetWindowTitle)                                                                              \
    X(SetKeyCallback)                                                                              \
    X(SetCharCallback)                                                                             \
    X(SetDropCallback)                                                                             \
    X(GetGamepadState)                                                                             \
    X(GetGamepadName)                                                                              \
    X(SetMouseButtonCallback)                                                                      \
    X(SetCursorPosCallback)                                                                        \
    X(SetScrollCallback)                                                                           \
    X(SetWindowRefreshCallback)                                                                    \
    X(SetFramebufferSizeCallback)                                                                  \
    X(SetWindowContentScaleCallback)

typedef struct Glfw {
#define GLFW_MEMBER(NAME) __typeof__(glfw##NAME) *NAME;
    GLFW_FUNCTIONS(GLFW_MEMBER)
#undef GLFW_MEMBER
} Glfw;

extern Glfw glfw;

/* Opens the library, once: that of TENON_GLFW where this variable is set, else the system's. False
 * and a message that says what to install where there is none. */
bool glfw_load(char *error, size_t error_size);
/* Loads and initializes it. False and a message where there is no library or no display. Each
 * glfw_begin that succeeded has its glfw_end; the last one terminates GLFW. Of the main thread. */
bool glfw_begin(char *error, size_t error_size);
void glfw_end(void);
/* A window with a context of OpenGL 3.3 core. NULL and the reason of the system. */
GLFWwindow *glfw_window(int width, int height, const char *title, bool visible, char *error,
                        size_t error_size);

#endif
