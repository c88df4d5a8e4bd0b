/* palette.c: a colour for each subsystem.
 *
 * Hues step by the golden angle, so that any few neighbours in number are far apart in hue, and
 * lightness and saturation step in a cycle of three, so that near hues that come round again differ
 * in these.
 *
 * A body shows its own light and dark within its subsystem's colour, so that a robot keeps its form.
 * What is fixed keeps a little of its own colour, too little to be taken for a subsystem. */
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
