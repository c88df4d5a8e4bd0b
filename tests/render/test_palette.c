/* Colours of subsystems: within range, grey for what is fixed, well apart for neighbours. */
#include "../../apps/render/renderer.h"
#include "../check.h"

#include <math.h>
#include <string.h>

static double apart(int a, int b)
{
    float x[3], y[3];
    double sum = 0;
    subsystem_color(a, x);
    subsystem_color(b, y);
    for (int k = 0; k < 3; k++) sum += (double)((x[k] - y[k]) * (x[k] - y[k]));
    return sqrt(sum);
}

TEST(what_is_fixed_is_grey)
{
    float rgb[3];
    subsystem_color(0, rgb);
    CHECK(rgb[0] == rgb[1] && rgb[1] == rgb[2]);
    subsystem_color(-3, rgb);
    CHECK(rgb[0] == rgb[1] && rgb[1] == rgb[2]);
}

TEST(colours_are_within_range_and_not_grey)
{
    for (int i = 1; i < 5000; i++) {
        float rgb[3], low = 1, high = 0;
        subsystem_color(i, rgb);
        for (int k = 0; k < 3; k++) {
            low = fminf(low, rgb[k]);
            high = fmaxf(high, rgb[k]);
        }
        CHECK(low >= 0 && high <= 1);
        CHECK(high - low > 0.3f); /* saturation 0.42 at value 0.85 is 0.36 */
    }
}

TEST(neighbours_in_number_are_far_apart)
{
    /* 0.3 of the cube's edge is a difference that one sees at a glance */
    for (int i = 1; i < 2000; i++) {
        CHECK(apart(i, i + 1) > 0.3);
        CHECK(apart(i, i + 2) > 0.3);
        CHECK(apart(i, i + 3) > 0.15); /* as bright and 53 degrees of hue apart */
    }
}

TEST(the_first_twenty_are_all_different)
{
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < i; j++) CHECK(apart(i, j) > 0.12);
}

TEST(more_stress_is_always_lighter)
{
    double last = -1;
    for (int i = 0; i <= 100; i++) {
        float rgb[3];
        stress_color(i / 100.0, rgb);
        double light = 0.2126 * pow((double)rgb[0], 2.2) + 0.7152 * pow((double)rgb[1], 2.2) +
                       0.0722 * pow((double)rgb[2], 2.2);
        CHECK(light > last);
        last = light;
    }
    float low[3], none[3], high[3], above[3];
    stress_color(0, low);
    stress_color(NAN, none);
    stress_color(1, high);
    stress_color(7, above);
    CHECK(memcmp(low, none, sizeof low) == 0 && memcmp(high, above, sizeof high) == 0);
}

TEST(the_scale_of_stress_ends_at_a_round_number_not_far_above)
{
    for (double largest = 1.5; largest < 1e12; largest *= 1.37) {
        double top = stress_top(largest);
        CHECK(top >= largest * (1 - 1e-12) && top < 1.4 * largest);
    }
    CHECK(stress_top(0) == 1 && stress_top(NAN) == 1 && stress_top(2e5) == 2e5);
}

TEST(a_shape_is_a_shade_of_its_subsystem_and_what_is_fixed_a_greyer_self)
{
    const float black[3] = {0, 0, 0}, grey[3] = {0.5f, 0.5f, 0.5f}, white[3] = {1, 1, 1},
                red[3] = {0.9f, 0.1f, 0.1f};
    float plain[3], rgb[3], dark[3], light[3];
    subsystem_color(5, plain);
    part_color(5, grey, rgb);
    part_color(5, black, dark);
    part_color(5, white, light);
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(rgb[k], plain[k], 1e-6); /* floats */
        CHECK_NEAR(dark[k], 0.7f * plain[k], 1e-6);
        CHECK_NEAR(light[k], 0.75f * plain[k] + 0.25f, 1e-6);
    }
    part_color(0, red, rgb);
    CHECK(rgb[0] > rgb[1] && rgb[0] - rgb[1] < 0.3f); /* a subsystem has more: see above */
}

TEST(a_number_always_has_the_same_colour)
{
    float first[3], second[3];
    subsystem_color(42, first);
    subsystem_color(42, second);
    CHECK(memcmp(first, second, sizeof first) == 0);
    CHECK(apart(42, 43) > 0);
}
