/* headless_kind.h: a way to an OpenGL context that shows nothing. */
#ifndef TENON_RENDER_HEADLESS_KIND_H
#define TENON_RENDER_HEADLESS_KIND_H

#include "renderer.h"

typedef struct HeadlessKind {
    const char *name; /* in TENON_GL */
    /* Makes a context, which is current then. NULL and a message that says what to install. */
    void *(*create)(char *error, size_t error_size);
    void (*destroy)(void *context); /* the context is current */
    void (*leave)(void *context);   /* what was current before is so again */
    bool (*enter)(void *context);
    GlLoader (*loader)(const void *context);
} HeadlessKind;

extern const HeadlessKind headless_egl;  /* without a display; Linux */
extern const HeadlessKind headless_glfw; /* a window of GLFW that is never shown */

#endif
