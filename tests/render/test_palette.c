/* Colours of subsystems: within range, grey for what is fixed, well apart for neighbours. */
#include "../../apps/render/renderer.h"
#include "../check.h"

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
