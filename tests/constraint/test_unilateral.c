/* The unilateral law: what velocity it leaves, whatever θ is. */
#include "../check.h"

#include "constraint/constraint.h"

static const double T = 0.01, G = 9.81;

/* Of a body of 1 m. */
static TnUnilateralLaw law_of(double gap, double v, double free_end, double restitution,
                              double theta)
{
    return tn_unilateral_law(&(TnUnilateral){.gap = gap,
                                             .v = v,
                                             .approach = v,
                                             .v_free_end = free_end,
                                             .restitution = restitution,
                                             .t = T,
                                             .theta = theta,
                                             .stabilization = 0.2,
                                             .gravity = G,
                                             .slow = 0.1 * G * T,
                                             .size = 1.0});
}

/* J v⁺ when the inequality pushes: J v̂ = -e, and v⁺ = (v̂ - (1-θ) v)/θ. */
static double pushed(double gap, double v, double free_end, double restitution, double theta)
{
    TnUnilateralLaw law = law_of(gap, v, free_end, restitution, theta);
    return (-law.e_normal - (1.0 - theta) * v) / theta;
}

/* Rounding of numbers of order ten. */
static const double TINY = 1e-14;

TEST(an_open_gap_may_close_and_not_more)
{
    for (double theta = 0.5; theta <= 1.0; theta += 0.125)
        for (double v = -3.0; v <= 3.0; v += 0.5)
            CHECK_NEAR(pushed(0.004, v, v, 0.0, theta), -0.004 / T, TINY);
}

TEST(a_small_penetration_is_left_at_a_fifth_of_itself_per_step)
{
    for (double theta = 0.5; theta <= 1.0; theta += 0.125)
        for (double v = -3.0; v <= 3.0; v += 0.5)
            CHECK_NEAR(pushed(-0.0004, v, v, 0.0, theta), 0.2 * 0.0004 / T, TINY);
}

TEST(a_deep_penetration_is_left_as_by_a_twentieth_of_gravity_whatever_the_step)
{
    for (double depth = 0.004; depth < 1.0; depth *= 3.0) {
        double out = sqrt(2.0 * 0.05 * G * depth);
        CHECK_NEAR(pushed(-depth, 0.0, 0.0, 0.0, 0.5), out, TINY);
        for (double t = 1e-4; t < 2.0 * T; t *= 2.0)
            CHECK_NEAR(tn_way_out(depth, G, 1.0, t, 0.2), fmin(0.2 * depth / t, out), TINY);
        /* without gravity a body comes out of one of its own size in half a second: 2 m over (½ s)²
         */
        CHECK_NEAR(tn_way_out(depth, 0.0, 1.0, 1e-4, 0.2), sqrt(2.0 * 8.0 * depth), TINY);
    }
}

TEST(touching_means_no_approach)
{
    for (double theta = 0.5; theta <= 1.0; theta += 0.125)
        for (double v = -3.0; v <= 3.0; v += 0.5)
            CHECK_NEAR(pushed(0.0, v, v, 0.0, theta), 0, TINY);
}

TEST(restitution_turns_the_velocity_when_the_gap_closes)
{
    for (double theta = 0.5; theta <= 1.0; theta += 0.125)
        for (double e = 0.1; e <= 1.0; e += 0.3) {
            CHECK_NEAR(pushed(0.004, -2.0, -2.1, e, theta), 2.0 * e, TINY);
            CHECK_NEAR(pushed(-0.001, -2.0, -2.1, e, theta), 2.0 * e, TINY);
            TnUnilateralLaw law = law_of(0.004, -2.0, -2.1, e, theta);
            CHECK(!law.resting);
            CHECK_NEAR(law.blend, 1.0 - e, TINY);
            /* too far for this step: the whole way t v̂ is left free, no more */
            law = law_of(0.03, -2.0, -2.1, e, theta);
            CHECK_NEAR(law.e_normal, 0.03 / T, TINY);
        }
}

TEST(a_separating_contact_has_no_restitution)
{
    for (double theta = 0.5; theta <= 1.0; theta += 0.25)
        CHECK_NEAR(pushed(0.0, 1.0, 1.0, 0.8, theta), 0.0, TINY);
}

TEST(rest_is_touching_without_approach)
{
    CHECK(law_of(0.0, 0.0, -0.1, 0.0, 0.5).resting);
    CHECK(law_of(-0.001, 0.5, 0.4, 0.0, 0.5).resting);
    CHECK(!law_of(-0.001, -0.5, -0.6, 0.0, 0.5).resting);
    CHECK(!law_of(0.001, 0.0, -0.1, 0.0, 0.5).resting);
}
