/* overlay.h: text, boxes and lines on top of a picture, in pixels from the upper left corner.
 *
 * Calls between begin and end collect; end draws everything at once. Text is UTF-8; a character
 * that the font has not is drawn as a box. */
#ifndef TENON_RENDER_OVERLAY_H
#define TENON_RENDER_OVERLAY_H

#include "renderer.h"

typedef struct Overlay Overlay;
typedef struct OverlayColor {
    float r, g, b, a;
} OverlayColor;

Overlay *overlay_create(GlLoader loader, char *error, size_t error_size);
void overlay_destroy(Overlay *overlay);
/* `scale` 1 draws text of 14 pixels height; screens of high density take 2. */
void overlay_begin(Overlay *overlay, int width, int height, float scale);
float overlay_line_height(const Overlay *overlay); /* pixels, with scale */
float overlay_text_width(const Overlay *overlay,
                         const char *text); /* pixels, of its longest line */
void overlay_text(Overlay *overlay, float x, float y, OverlayColor color, const char *text);
void overlay_rect(Overlay *overlay, float x, float y, float width, float height,
                  OverlayColor color);
/* `points`: x, y of each. */
void overlay_line(Overlay *overlay, const float *points, int count, float width,
                  OverlayColor color);
/* The scale of the colours of stress, at the right of a picture; `size` as in overlay_begin. */
void color_bar_draw(Overlay *overlay, const StressScale *scale, int width, int height, float size);
/* Draws into the framebuffer object `target`. */
void overlay_end(Overlay *overlay, unsigned target);

#endif
