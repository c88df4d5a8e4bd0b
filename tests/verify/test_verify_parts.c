/* What rows of `tenon verify` stand on: when a row holds, orders of convergence, and the
 * mathematics of references. */
#include "../../apps/verify/verify.h"
#include "../check.h"

#include <math.h>
#include <string.h>

TEST(a_row_holds_up_to_its_tolerance_only)
{
    VerifyRow row = {.name = "a.b", .tolerance = 0.5};
    Finding f = {.value = 2.5, .reference = 2};
    CHECK(finding_holds(&row, &f));
    f.value = 2.5001;
    CHECK(!finding_holds(&row, &f));
    row.relative = true; /* 0.25005 of the reference */
    CHECK(finding_holds(&row, &f));
    f.value = NAN;
    CHECK(!finding_holds(&row, &f));
}

TEST(a_row_with_trouble_does_not_hold)
{
    VerifyRow row = {.name = "a.b", .tolerance = 1};
    Finding f = {0};
    Sim sim = sim_open(&f, 0.01, "0 0 0", "<worldbody><no/></worldbody>");
    CHECK(!sim.world && strstr(f.trouble, "no"));
    CHECK(!sim_step(&sim) && sim_qpos(&sim)[0] == 0.0);
    CHECK(!finding_holds(&row, &f));
    sim_close(&sim);
}

TEST(a_time_between_two_steps_is_trouble)
{
    Finding f = {0};
    Sim sim = sim_open(&f, 0.004, "0 0 0",
                       "<worldbody><body><freejoint/><geom size='1'/></body></worldbody>");
    CHECK(sim_run(&sim, 0.1) && !f.trouble[0]);
    sim_run(&sim, 0.15);
    CHECK(strstr(f.trouble, "whole number of steps"));
    sim_close(&sim);
}

TEST(an_order_is_the_slope_of_the_errors)
{
    const double sizes[3] = {0.1, 0.05, 0.025}, errors[3] = {3e-2, 7.5e-3, 1.875e-3};
    Finding f = {0};
    finding_order(&f, "step, s", sizes, errors, 3, 2);
    CHECK_NEAR(f.value, 2, 1e-13); /* rounding of logarithms */
    CHECK(f.reference == 2 && f.curve_count == 2 && f.log_x && f.log_y);
    CHECK(strstr(f.note, "0.0075") && strstr(f.note, "0.05"));
    finding_free(&f);
}

static void circle(const void *system, double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = *(const double *)system * y[1];
    dy[1] = -*(const double *)system * y[0];
}

TEST(integration_of_references_is_fourth_order)
{
    const double rate = 3;
    double errors[2];
    for (int i = 0; i < 2; i++) {
        double y[2] = {0, 1};
        ode_run(circle, &rate, y, 2, 0, 1, 50 << i);
        errors[i] = hypot(y[0] - sin(3), y[1] - cos(3));
    }
    CHECK_NEAR(log2(errors[0] / errors[1]), 4, 0.05); /* the next order */
    CHECK(errors[1] < 1e-6);
}

TEST(elliptic_integral_and_linear_equations_are_right)
{
    double A[9] = {0, 2, 1, 1, 1, 1, 4, 0, 1}, b[3] = {7, 6, 7}; /* 1 2 3, and a pivot of zero */
    CHECK_NEAR(elliptic_k(0), VERIFY_PI / 2, 1e-15);
    CHECK_NEAR(elliptic_k(sqrt(0.5)), 1.8540746773013719, 1e-14); /* Abramowitz and Stegun 17.3 */
    solve_linear(A, b, 3);
    for (int k = 0; k < 3; k++) CHECK_NEAR(b[k], k + 1, 1e-14);
}
