/* glfw.h: the functions of GLFW that the window calls. libglfw is opened when it is needed: the
 * program is one and the same on machines without it. */
#ifndef TENON_VIEW_GLFW_H
#define TENON_VIEW_GLFW_H

#include <stdbool.h>
#include <stddef.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#define GLFW_FUNCTIONS(X)                                                                          \
    X(Init)                                                                                        \
    X(Terminate)                                                                                   \
    X(GetError)                                                                                    \
    X(WindowHint)                                                                                  \
    X(CreateWindow)                                                                                \
    X(DestroyWindow)                                                                               \
    X(WindowShouldClose)                                                                           \
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
    X(SetKeyCallback)                                                                              \
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

#endif
