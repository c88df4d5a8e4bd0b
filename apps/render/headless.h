/* headless.h: an OpenGL context without a display, through EGL, which is loaded when it is needed:
 * a tenon without EGL on its machine still simulates. */
#ifndef TENON_RENDER_HEADLESS_H
#define TENON_RENDER_HEADLESS_H

#include "renderer.h"

typedef struct Headless Headless;

/* Makes a context and makes it current: on a graphics card where there is one, else surfaceless
 * where Mesa is, else on any device, else on the default display. NULL and a message that says what
 * to install where there is none. */
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
