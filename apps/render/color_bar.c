/* color_bar.c: the scale of the colours of stress, at the right of a picture. */
#include "overlay.h"

#include <math.h>
#include <stdio.h>

enum { BANDS = 48, TICKS = 4 };

void color_bar_draw(Overlay *overlay, const StressScale *scale, int width, int height, float size)
{
    static const OverlayColor white = {1, 1, 1, 1}, shade = {0.08f, 0.1f, 0.13f, 0.6f};
    static const char *const units[] = {"Pa", "kPa", "MPa", "GPa"};
    const char *title = scale->known ? "von Mises stress" : "no stress is recorded";
    float line = overlay_line_height(overlay), pad = 0.5f * line, margin = 8 * size;
    float box = overlay_text_width(overlay, title) + 2 * pad;
    float bar = scale->known ? fminf(10 * line, 0.4f * (float)height) : 0;
    float tall = bar + line + 2 * pad + (scale->known ? 1.2f * line : 0);
    float x = (float)width - margin - box, y = 0.5f * ((float)height - tall);
    overlay_rect(overlay, x, y, box, tall, shade);
    overlay_text(overlay, x + pad, y + pad, white, title);
    if (!scale->known) return;
    int unit = 0;
    double factor = 1;
    for (; unit < 3 && scale->top >= 1e3 * factor; unit++) factor *= 1e3;
    float top = y + pad + 1.7f * line, wide = 1.2f * line, band = bar / BANDS;
    for (int i = 0; i < BANDS; i++) {
        float rgb[3];
        stress_color(1 - (i + 0.5) / BANDS, rgb);
        overlay_rect(overlay, x + pad, top + band * (float)i, wide, band + 0.5f,
                     (OverlayColor){rgb[0], rgb[1], rgb[2], 1});
    }
    for (int i = 0; i <= TICKS; i++) {
        char text[48];
        float at = top + bar * (float)i / TICKS;
        snprintf(text, sizeof text, "%.4g %s", scale->top * (TICKS - i) / TICKS / factor,
                 units[unit]);
        overlay_rect(overlay, x + pad + wide, at - 0.5f * size, 0.3f * line, size, white);
        overlay_text(overlay, x + pad + wide + 0.6f * line, at - 0.5f * line, white, text);
    }
}
