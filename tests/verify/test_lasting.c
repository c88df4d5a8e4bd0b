/* What the rows on lasting contacts measure with: motion that is kept, and lag, where both are
 * known. Scenes without contacts are taken, whose rule is the midpoint rule. */
#include "../../apps/common/program.h"
#include "../../apps/verify/lasting.h"
#include "../check.h"

const Program program = {.name = "test_lasting"}; /* for messages */

TEST(the_midpoint_rule_keeps_a_swing_and_lags_by_what_it_must)
{
    Finding f = {0};
    LastingSeries right = lasting_reference(&f, &lasting_block);
    LastingResult r = lasting_run(&f, &lasting_block, 0.01, &right, true);
    double slower = 2 / 0.01 * atan(10 * 0.01 / 2); /* rad/s, instead of 10 */
    CHECK_NEAR(r.kept, 1, 1e-5);                    /* ranges are read every 0.5 ms: (0.0025)²/2 */
    /* the last crossing before 9 s is the 14th, at (14 - 1/4) T */
    CHECK_NEAR(r.phase, 2 * VERIFY_PI * 13.75 * (10 / slower - 1), 1e-5);
    /* at the end 10 s (10 - slower), and nearly at full swing */
    CHECK(r.apart > r.phase && r.apart < 1.2 * r.phase);
    CHECK(r.steps == 1000 && r.open_steps == 1000 && !f.trouble[0]);
    lasting_free(&right);
}

/* From a deflection, or from equilibrium with a push. */
static Sim damped_open(Finding *f, double timestep, bool push)
{
    return sim_open(f, timestep, "0 0 0",
                    "<worldbody><body><joint type='slide' stiffness='100' damping='.2'/><geom "
                    "size='.1' mass='1'/></body></worldbody><keyframe><key name='start' %s/>"
                    "</keyframe>",
                    push ? "qvel='1'" : "qpos='.1'");
}

TEST(lost_motion_is_seen)
{
    Finding f = {0};
    LastingScene scene = lasting_block;
    LastingSeries right = lasting_reference(&f, &scene);
    CHECK(right.count == 20001);
    CHECK_NEAR(right.x[20000], 0.1 * cos(100), 1e-9); /* (ω dt)⁴ ω T / 120, dt 0.25 ms */
    scene.open = damped_open;
    LastingResult r = lasting_run(&f, &scene, 0.001, &right, false);
    CHECK_NEAR(r.kept, exp(-0.1 * 8), 0.02); /* windows hold whole swings up to half a period */
    CHECK(fabs(r.phase) < 0.02);             /* atan(0.1 / 10), and the rate is 10 - 0.0005 */
    scene.by_energy = true;
    r = lasting_run(&f, &scene, 0.001, &right, true);
    CHECK_NEAR(r.kept, exp(-0.1 * 8), 0.002); /* the energy wobbles at twice the rate */
    lasting_free(&right);
}

/* What rocks speeds up and slows down: how much J turns until the end of a step is a matter of v⁺.
 * With v instead it loses 1.2 % here. */
TEST(an_ellipsoid_rocks_and_slides_without_loss)
{
    Finding f = {0};
    Sim sim = sim_open(&f, 0.01, "0 0 -9.81",
                       "<worldbody><geom type='plane' size='0 0 1' friction='0 0 0'/>"
                       "<body pos='0 0 .0428017935' euler='.40142573 0 -2.96705973'><freejoint/>"
                       "<geom type='ellipsoid' size='.0815 .0565 .0396' density='1790' "
                       "friction='0 0 0'/></body></worldbody><keyframe><key name='start' "
                       "qvel='-.184 -.178 0 0 0 0'/></keyframe>");
    REQUIRE(sim.world);
    double start = sim_energy(&sim), most = 0;
    for (int k = 0; k < 200; k++) {
        REQUIRE(sim_step(&sim));
        most = fmax(most, fabs(sim_energy(&sim) - start));
    }
    CHECK(most < 1e-3 * 0.05); /* J: of its kinetic energy; (ωt)² is 0.02 */
    sim_close(&sim);
    finding_free(&f);
}

TEST(steady_rolling_is_a_solution_at_small_steps)
{
    Finding f = {0}, g = {0};
    double lag, apart;
    /* in 0.1 s: of first order at worst, 3e-6 per step of 0.1 ms */
    double width = lasting_coin(&f, 1e-4, UNLESS_SANITIZED(0.1, 0.02), &lag, &apart);
    CHECK(width > 0 && apart < 1e-3 && fabs(lag) < 1e-3);
    CHECK_NEAR(lasting_disk(&g, 1e-4, UNLESS_SANITIZED(0.1, 0.02)), 1, 1e-3);
    CHECK(!f.trouble[0] && !g.trouble[0]);
    finding_free(&f);
    finding_free(&g);
}
