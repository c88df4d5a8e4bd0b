/* color_bar.c: the colours of stress, and a scale of them in a corner of the picture.
 *
 * The colours are those of viridis (public domain): lightness rises evenly from dark violet over
 * blue-green to yellow, so that more is always lighter, to the colour-blind and in grey, too. */
#include "overlay.h"

#include <math.h>
#include <stdio.h>

enum { STOPS = 9, BANDS = 48, TICKS = 4 };

void stress_color(double share, float rgb[3])
{
    static const unsigned char stops[STOPS][3] = {{68, 1, 84},    {71, 44, 122},  {59, 81, 139},
                                                  {44, 113, 142}, {33, 144, 141}, {39, 173, 129},
                                                  {92, 200, 99},  {170, 220, 50}, {253, 231, 37}};
    double place = (STOPS - 1) * (share > 0 ? fmin(share, 1) : 0); /* not a number: 0 */
    int stop = (int)place < STOPS - 2 ? (int)place : STOPS - 2;
    double part = place - stop;
    for (int k = 0; k < 3; k++)
        rgb[k] = (float)(((1 - part) * stops[stop][k] + part * stops[stop + 1][k]) / 255);
}

double stress_top(double largest)
{
    if (!(largest > 1)) return 1; /* less is noise, and not a number nothing */
    double power = pow(10, floor(log10(largest)));
    static const double steps[] = {1, 1.2, 1.6, 2, 2.4, 3.2, 4, 5, 6, 8, 10};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (largest <= steps[i] * power * (1 + 1e-9)) return steps[i] * power;
    return 10 * power;
}

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
