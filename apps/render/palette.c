/* palette.c: a colour for each subsystem, and for each stress.
 *
 * Hues step by the golden angle, so that any few neighbours in number are far apart in hue, and
 * lightness and saturation step in a cycle of three, so that near hues that come round again differ
 * in these.
 *
 * A body shows its own light and dark within its subsystem's colour, so that a robot keeps its
 * form. What is fixed keeps a little of its own colour, too little to be taken for a subsystem.
 *
 * The colours of stress are those of viridis (public domain): lightness rises evenly from dark
 * violet over blue-green to yellow, so that more is always lighter, to the colour-blind and in
 * grey, too. */
#include "renderer.h"

#include <math.h>

void subsystem_color(int subsystem, float rgb[3])
{
    static const double values[3] = {0.93, 0.72, 0.85}, saturations[3] = {0.62, 0.72, 0.42};
    if (subsystem <= 0) {
        rgb[0] = rgb[1] = rgb[2] = 0.78f;
        return;
    }
    int index = subsystem - 1;
    double hue = fmod(0.58 + 0.61803398874989485 * index, 1);
    double value = values[index % 3], saturation = saturations[index % 3];
    for (int k = 0; k < 3; k++) {
        double away = fabs(fmod(hue * 6 + 6 - 2 * k, 6) - 3) - 1; /* ≥ 1 at the channel's own hue */
        double share = away < 0 ? 0 : away > 1 ? 1 : away;
        rgb[k] = (float)(value * (1 - saturation * (1 - share)));
    }
}

void part_color(int subsystem, const float own[3], float rgb[3])
{
    float light = 0.3f * own[0] + 0.59f * own[1] + 0.11f * own[2];
    float darker = light < 0.5f ? 0.7f + 0.6f * light : 1;
    float whiter = light > 0.5f ? 0.5f * (light - 0.5f) : 0;
    subsystem_color(subsystem, rgb);
    for (int k = 0; k < 3; k++)
        rgb[k] = subsystem > 0 ? darker * rgb[k] + whiter * (1 - rgb[k])
                               : 0.35f * own[k] + 0.65f * light;
}

enum { STOPS = 9 };

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
