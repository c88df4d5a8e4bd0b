/* Fits of apps/plot against lines, powers and a small case worked out by hand. */
#include "../../apps/plot/plot.h"
#include "../check.h"

#include <math.h>

TEST(a_line_is_recovered_to_rounding)
{
    double x[20], y[20];
    for (int i = 0; i < 20; i++) x[i] = 0.5 * i - 3, y[i] = 7 - 2.25 * x[i];
    PlotFitResult fit = plot_fit(PLOT_FIT_LINEAR, x, y, 20);
    /* sums of twenty numbers of size ten: some tens of rounding errors of 1e-15 */
    CHECK_NEAR(fit.b, -2.25, 1e-13);
    CHECK_NEAR(fit.a, 7, 1e-13);
    CHECK_NEAR(fit.r_squared, 1, 1e-13);
    CHECK(fit.count == 20);
    CHECK(fit.x_min == -3 && fit.x_max == 6.5);
    CHECK_NEAR(plot_fit_value(PLOT_FIT_LINEAR, &fit, 100), -218, 1e-11);
}

TEST(a_power_is_recovered_over_eighteen_decades)
{
    double x[19], y[19];
    for (int i = 0; i < 19; i++) x[i] = pow(10, i - 12), y[i] = 3e-5 * pow(x[i], 1.37);
    PlotFitResult fit = plot_fit(PLOT_FIT_POWER, x, y, 19);
    CHECK_NEAR(fit.b, 1.37, 1e-13);
    CHECK_NEAR(fit.a / 3e-5, 1, 1e-12);
    CHECK_NEAR(fit.r_squared, 1, 1e-13);
    CHECK_NEAR(plot_fit_value(PLOT_FIT_POWER, &fit, 100), 3e-5 * pow(100, 1.37), 1e-14);
}

TEST(r_squared_agrees_with_a_case_worked_out_by_hand)
{
    /* means 2.5 and 3; Sxx = 5, Sxy = 4, Syy = 4: b = 0.8, a = 1, R² = 16 / 20 */
    const double x[] = {1, 2, 3, 4}, y[] = {2, 2, 4, 4};
    PlotFitResult fit = plot_fit(PLOT_FIT_LINEAR, x, y, 4);
    CHECK_NEAR(fit.b, 0.8, 1e-15);
    CHECK_NEAR(fit.a, 1, 1e-15);
    CHECK_NEAR(fit.r_squared, 0.8, 1e-15);
}

TEST(huge_and_tiny_numbers_neither_overflow_nor_vanish)
{
    const double x[] = {1e200, 2e200, 3e200}, y[] = {1e-200, 2e-200, 3e-200};
    PlotFitResult fit = plot_fit(PLOT_FIT_LINEAR, x, y, 3);
    CHECK_NEAR(fit.r_squared, 1, 1e-12);
    const double small[] = {1e-200, 2e-200, 3e-200}, plain[] = {4, 5, 6};
    fit = plot_fit(PLOT_FIT_LINEAR, small, plain, 3);
    CHECK_NEAR(fit.b / 1e200, 1, 1e-12);
}

TEST(points_that_are_no_numbers_or_not_positive_do_not_count)
{
    const double x[] = {1, NAN, 2, 3, -1, 0, 4, 3}, y[] = {2, 5, 4, INFINITY, 2, 3, 8, -6};
    PlotFitResult power = plot_fit(PLOT_FIT_POWER, x, y, 8); /* (1, 2), (2, 4), (4, 8) */
    CHECK(power.count == 3);
    CHECK_NEAR(power.b, 1, 1e-14);
    CHECK_NEAR(power.a, 2, 1e-14);
    CHECK(power.x_min == 1 && power.x_max == 4);
    CHECK(plot_fit(PLOT_FIT_LINEAR, x, y, 8).count == 6);
}

TEST(without_two_different_x_there_is_no_fit)
{
    const double x[] = {0.1, 0.1, 0.1}, y[] = {1, 2, 3};
    for (int count = 0; count <= 3; count++) {
        PlotFitResult fit = plot_fit(PLOT_FIT_LINEAR, x, y, count);
        CHECK(isnan(fit.a) && isnan(fit.b) && isnan(fit.r_squared));
    }
    PlotFitResult level = plot_fit(PLOT_FIT_LINEAR, y, x, 3); /* all y agree */
    CHECK_NEAR(level.b, 0, 1e-15);
    CHECK(isnan(level.r_squared));
}
