/* headless.h: an OpenGL context that shows nothing: through EGL without a display or, where EGL is
 * not, a hidden window of GLFW. Both are loaded when they are needed: a tenon without them on its
 * machine still simulates. The variable TENON_GL (egl, glfw) allows one alone. */
#ifndef TENON_RENDER_HEADLESS_H
#define TENON_RENDER_HEADLESS_H

#include "renderer.h"

typedef struct Headless Headless;

/* Makes a context and makes it current. NULL and a message that says what to install where there
 * is none. */
Headless *headless_create(char *error, size_t error_size);
/* Destroys the context, which is current, and puts back what was so before. */
void headless_destroy(Headless *headless);
/* For a thread with other contexts: leave puts back what was current before create or enter; enter
 * makes the context current again, on this thread. A program that draws nothing else needs neither.
 */
void headless_leave(Headless *headless);
bool headless_enter(Headless *headless);
GlLoader headless_loader(const Headless *headless);

#endif
