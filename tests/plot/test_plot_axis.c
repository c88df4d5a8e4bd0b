/* Axes of apps/plot: ranges, 1-2-5 steps, decades, labels that tell the value. */
#include "../../apps/plot/axis.h"
#include "../check.h"

#include <float.h>
#include <math.h>

static Axis made(PlotScale scale, double least, double most, double length)
{
    Axis axis = {.start = 50, .end = 50 + length};
    PlotAxis def = {.scale = scale};
    double low = 0, high = 0;
    CHECK(axis_value(scale, least, &low) && axis_value(scale, most, &high));
    axis_set_range(&axis, &def, low, high, false);
    axis_set_ticks(&axis, true, 11);
    return axis;
}

static bool is_one_two_five(double step)
{
    double mantissa = step / pow(10, floor(log10(step) + 1e-9));
    return fabs(mantissa - 1) < 1e-6 || fabs(mantissa - 2) < 1e-6 || fabs(mantissa - 5) < 1e-6;
}

/* A label as a number, with its minus sign, and the axis' power of ten. */
static double label_value(const Axis *axis, int i)
{
    char plain[NUMBER_SIZE];
    const char *text = axis->labels[i];
    bool negative = strncmp(text, "\u2212", 3) == 0;
    snprintf(plain, sizeof plain, "%s%s", negative ? "-" : "", negative ? text + 3 : text);
    return strtod(plain, NULL);
}

TEST(linear_ticks_cover_the_range_at_steps_of_1_2_5)
{
    const double ranges[][2] = {{0, 1},          {0, 0.7},   {-3, 11},         {1e-12, 1e6},
                                {-5e-7, -1e-7},  {99, 101},  {123456, 123789}, {-1e300, 1e300},
                                {0.001, 0.0011}, {0, 49999}, {2e-9, 3.5e-9}};
    for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; k++)
        for (double length = 150; length < 2000; length *= 1.9) {
            Axis axis = made(PLOT_LINEAR, ranges[k][0], ranges[k][1], length);
            CHECK(axis.lower <= ranges[k][0] && axis.upper >= ranges[k][1]);
            REQUIRE(axis.tick_count >= 2);
            double step = axis.ticks[1] - axis.ticks[0];
            CHECK(is_one_two_five(step));
            /* nothing is missing at either end; 1e-6 for the rounding of ticks */
            CHECK(axis.ticks[0] - axis.lower < step * (1 + 1e-6));
            CHECK(axis.upper - axis.ticks[axis.tick_count - 1] < step * (1 + 1e-6));
            for (int i = 0; i < axis.tick_count; i++) CHECK(axis_contains(&axis, axis.ticks[i]));
            for (int i = 1; i < axis.tick_count; i++)
                CHECK_NEAR((axis.ticks[i] - axis.ticks[i - 1]) / step, 1, 1e-6);
        }
}

TEST(labels_are_the_values_times_the_power_in_the_note)
{
    Axis axis = made(PLOT_LINEAR, -2.5, 10, 600);
    for (int i = 0; i < axis.tick_count; i++) CHECK(label_value(&axis, i) == axis.ticks[i]);
    CHECK(axis.note[0] == '\0');
    axis = made(PLOT_LINEAR, 0, 4.2e-7, 600);
    CHECK(strcmp(axis.note, "\u00d710\u207b\u2077") == 0);
    for (int i = 0; i < axis.tick_count; i++)
        CHECK_NEAR(1e-7 * label_value(&axis, i), axis.ticks[i], 1e-21);
    /* 1e9 and a little: differences from a round number */
    axis = made(PLOT_LINEAR, 1e9, 1e9 + 0.01, 600);
    CHECK_STR(axis.note, "+ 1000000000");
    CHECK(axis.tick_count >= 3);
    for (int i = 0; i < axis.tick_count; i++) {
        double scale = strstr(axis.note, "10\u207b\u00b3") ? 1e-3 : 1;
        /* doubles near 1e9 are 1.2e-7 apart */
        CHECK_NEAR(1e9 + scale * label_value(&axis, i), axis.ticks[i], 2.4e-7);
    }
}

TEST(labels_never_touch)
{
    for (double length = 60; length < 1500; length *= 1.3)
        for (double most = 1e-9; most < 1e12; most *= 31) {
            Axis axis = made(PLOT_LINEAR, -most, most, length);
            for (int i = 1; i < axis.tick_count; i++) {
                double gap =
                    axis_pixel(&axis, axis.ticks[i]) - axis_pixel(&axis, axis.ticks[i - 1]);
                CHECK(gap >
                      0.5 * (text_width(axis.labels[i], 11) + text_width(axis.labels[i - 1], 11)));
            }
        }
}

TEST(log_ticks_are_decades_with_minor_ticks_between)
{
    Axis axis = made(PLOT_LOG, 3e-3, 3e2, 600);
    REQUIRE(axis.tick_count == 5);
    for (int i = 0; i < 5; i++) CHECK(axis.ticks[i] == i - 2);
    CHECK(strcmp(axis.labels[0], "10\u207b\u00b2") == 0);
    CHECK(strcmp(axis.labels[4], "10\u00b2") == 0);
    /* 2 ... 9 of each decade that is in sight */
    int between = 0;
    for (int i = 0; i < axis.minor_count; i++) {
        double digit = pow(10, axis.minor[i] - floor(axis.minor[i]));
        CHECK_NEAR(digit, round(digit), 1e-9);
        between += axis.minor[i] > 0 && axis.minor[i] < 1;
    }
    CHECK(between == 8);
}

TEST(very_many_decades_are_labelled_at_steps_of_1_2_5)
{
    Axis axis = made(PLOT_LOG, 1e-300, 1e300, 400);
    REQUIRE(axis.tick_count >= 3);
    CHECK(is_one_two_five(axis.ticks[1] - axis.ticks[0]));
    CHECK(fmod(axis.ticks[0], axis.ticks[1] - axis.ticks[0]) == 0);
    axis = made(PLOT_LOG, 1e-12, 1e6, 300);
    CHECK(axis.ticks[1] - axis.ticks[0] > 1);
    CHECK(axis.minor_count > 0); /* the decades without a label */
}

TEST(less_than_two_decades_get_1_2_5_and_less_still_linear_steps)
{
    Axis axis = made(PLOT_LOG, 3, 60, 600);
    REQUIRE(axis.tick_count == 4); /* 5 10 20 50 */
    const double expected[] = {5, 10, 20, 50};
    for (int i = 0; i < 4; i++) CHECK_NEAR(pow(10, axis.ticks[i]), expected[i], 1e-12);
    axis = made(PLOT_LOG, 3.1, 3.9, 600);
    CHECK(axis.tick_count >= 3);
    for (int i = 0; i < axis.tick_count; i++)
        CHECK_NEAR(label_value(&axis, i), pow(10, axis.ticks[i]), 1e-12);
}

TEST(equal_values_and_the_ends_of_the_doubles_still_give_a_range)
{
    const double values[] = {0, 5, -7e-9, 1e9, DBL_MAX, -DBL_MAX, 5e-324};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        Axis axis = made(PLOT_LINEAR, values[k], values[k], 500);
        CHECK(axis.lower < axis.upper && isfinite(axis.lower) && isfinite(axis.upper));
        CHECK(axis_contains(&axis, values[k]));
        CHECK(isfinite(axis_pixel(&axis, values[k])));
        CHECK(axis.tick_count >= 1);
    }
    Axis axis = made(PLOT_LINEAR, -DBL_MAX, DBL_MAX, 500);
    CHECK_NEAR(axis_pixel(&axis, 0), 300, 1e-9);
    CHECK(axis.tick_count >= 3);
    axis = made(PLOT_LOG, 5e-324, 5e-324, 500);
    CHECK(axis.lower < axis.upper);
    axis = made(PLOT_LOG, 1e-320, 1.1e-320, 500);
    CHECK(axis.lower < axis.upper);
}

TEST(what_is_never_negative_gets_no_negative_room)
{
    CHECK(made(PLOT_LINEAR, 0, 10, 500).lower == 0);
    CHECK(made(PLOT_LINEAR, -10, 0, 500).upper == 0);
    CHECK(made(PLOT_LINEAR, -1, 10, 500).lower < -1);
}

TEST(values_a_scale_cannot_show_are_refused)
{
    double u;
    CHECK(axis_value(PLOT_LINEAR, -3, &u) && u == -3);
    CHECK(axis_value(PLOT_LOG, 1000, &u) && u == 3);
    CHECK(!axis_value(PLOT_LINEAR, NAN, &u) && !axis_value(PLOT_LINEAR, -INFINITY, &u));
    CHECK(!axis_value(PLOT_LOG, 0, &u) && !axis_value(PLOT_LOG, -1, &u));
}
