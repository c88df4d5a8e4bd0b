/* Rods at rest against the formulas of beams. Found by stepping with long implicit steps. */
#include "rod_rig.h"

/* θ = 1 with strong damping is a Newton iteration that the mass makes safe. */
static void settle(Rig *rig, int steps)
{
    for (int k = 0; k < steps; k++) {
        rig_step(rig);
        memset(rig->m.qvel, 0, sizeof(double) * (size_t)rig->model->dof_count);
    }
}

static RodSpec beam(int n)
{
    return (RodSpec){
        .n = n, .length = 1.0, .diameter = 0.02, .density = 1000.0, .E = 1e7, .nu = 0.3};
}

/* First segment held; the free part starts at its centre, half a segment in. */
static bool clamp_start(Rig *rig, RodSpec spec)
{
    if (!rig_start(rig, spec, 1.0)) return false;
    rig->m.theta = 1.0;
    rig_hold(rig, 0);
    return true;
}

static const double *tip(const Rig *rig) { return rig->m.frames[rig->spec.n].com; }

/* Relative error of the tip's deflection under a force at the last centre; lengths between centres.
 */
static double cantilever_error(int n)
{
    Rig rig;
    RodSpec spec = beam(n);
    spec.length = n / (n - 1.0); /* centres 1 m apart */
    if (!clamp_start(&rig, spec)) return NAN;
    double force = 1e-4, k = rod_bend(&spec);
    double shear = force * 1.0 / (rig.rod.joints[0].k[0] * spec.length / n);
    rig.m.wrench[n][2] = force;
    settle(&rig, 30);
    double z = tip(&rig)[2];
    rig_end(&rig);
    return z / (force / (3.0 * k) + shear) - 1.0;
}

TEST(cantilever_under_an_end_force_bends_as_beams_do_with_second_order)
{
    double coarse = cantilever_error(11), fine = cantilever_error(21),
           finest = cantilever_error(41);
    CHECK(fabs(finest) < 1e-3);
    CHECK(fabs(coarse) > 3.5 * fabs(fine)); /* fourfold per halving */
    CHECK(fabs(fine) > 3.5 * fabs(finest));
}

TEST(cantilever_sags_under_its_own_weight)
{
    Rig rig;
    RodSpec spec = beam(80);
    spec.gravity[2] = -0.01; /* small deflection */
    REQUIRE(clamp_start(&rig, spec));
    settle(&rig, 30);
    double L = spec.length * (1.0 - 0.5 / spec.n); /* from the held centre to the end */
    double w = spec.density * rod_area(&spec) * 0.01;
    double l = 0.5 * spec.length / spec.n, slope = w * L * L * L / (6.0 * rod_bend(&spec));
    double expected =
        w * pow(L, 4.0) / (8.0 * rod_bend(&spec)) - slope * l; /* at the last centre */
    CHECK_NEAR(-tip(&rig)[2], expected, 0.01 * expected);      /* discretization, and shear */
    rig_end(&rig);
}

TEST(end_moment_rolls_the_rod_up_to_a_full_circle)
{
    Rig rig;
    int n = 41;
    RodSpec spec = beam(n);
    spec.length = n / (n - 1.0);
    REQUIRE(clamp_start(&rig, spec));
    double M = 2.0 * M_PI * rod_bend(&spec);
    for (int k = 1; k <= 40; k++) {
        rig.m.wrench[n][4] = -M * k / 40.0;
        settle(&rig, 3);
    }
    settle(&rig, 60);
    /* joints of equal bend k θ = M close exactly: 40 of them at 2π/40 */
    CHECK_NEAR(tip(&rig)[0], 0.0, 1e-6);
    CHECK_NEAR(tip(&rig)[2], 0.0, 1e-6);
    double top = 0.0;
    for (int i = 1; i <= n; i++) top = fmax(top, rig.m.frames[i].com[2]);
    CHECK_NEAR(top, 1.0 / M_PI, 5e-3); /* the circle's diameter; polygon of 40 corners */
    rig_end(&rig);
}

TEST(axial_force_stretches_and_end_torque_twists_by_the_formulas)
{
    Rig rig;
    int n = 21;
    RodSpec spec = beam(n);
    spec.length = n / (n - 1.0);
    REQUIRE(clamp_start(&rig, spec));
    double stretch = 0.01 * spec.E * rod_area(&spec), twist = 0.5 * rod_twist(&spec);
    rig.m.wrench[n][0] = stretch;
    rig.m.wrench[n][3] = twist;
    settle(&rig, 20);
    CHECK_NEAR(tip(&rig)[0], 1.0 + 0.01, 1e-8); /* F L / (E A); linear, so converged */
    double back[4], turn[3];
    const double *q0 = rig.m.frames[1].quat, *q1 = rig.m.frames[n].quat;
    quat_conjugate(back, q0);
    quat_mul(back, back, q1);
    quat_to_rotvec(turn, back);
    CHECK_NEAR(turn[2], 0.5, 1e-6); /* M L / (G J) */
    rig_end(&rig);
}

TEST(soft_rod_hangs_as_a_catenary)
{
    /* Both ends held by their centres at 0.8 of the rod's length, in the catenary's directions;
     * bending is as good as absent. a: sinh(0.4/a) = 0.5/a; sag a (cosh(0.4/a) - 1) */
    double half = 0.4, a = 0.3, y[3] = {0.0, 1.0, 0.0};
    for (int k = 0; k < 50; k++)
        a -= (a * sinh(half / a) - 0.5) / (sinh(half / a) - half / a * cosh(half / a));
    double sag = a * (cosh(half / a) - 1.0);
    Rig rig;
    int n = 81;
    RodSpec spec = beam(n);
    spec.length = n / (n - 1.0);
    spec.gravity[2] = -9.81;
    spec.E = 1e8;
    REQUIRE(rig_start(&rig, spec, 0.02));
    for (int j = 0; j + 1 < n; j++)
        for (int k = 3; k < 6; k++) rig.rod.joints[j].k[k] *= 1e-5;
    rig.m.theta = 1.0;
    /* start on a tent of the right length */
    double drop = sqrt(0.25 - half * half), end = atan(sinh(half / a));
    for (int i = 0; i < n; i++) {
        double s = i / (n - 1.0), *q = rig.m.qpos + 7 * i;
        v3_set(q, 0.8 * s, 0.0, -2.0 * drop * fmin(s, 1.0 - s));
        quat_from_axis_angle(q + 3, y, M_PI / 2.0 + end * (1.0 - 2.0 * s));
    }
    rig.driven[0] = rig.driven[n - 1] = true;
    settle(&rig, 2000);
    /* stretch gives 1e-4, bending that is left -3e-4 */
    CHECK_NEAR(-rig.m.frames[1 + n / 2].com[2], sag, 1e-3 * sag);
    rig_end(&rig);
}

/* Largest lateral speed after a start with a small one, under an end load of `share` of Euler's. */
static double growth(double share, double t)
{
    Rig rig;
    int n = 41;
    RodSpec spec = beam(n);
    spec.length = n / (n - 1.0);
    spec.damping_time = 0.0;
    if (!rig_start(&rig, spec, t)) return NAN;
    rig_hold(&rig, 0);
    double load = share * M_PI * M_PI * rod_bend(&spec) / 4.0; /* one end held, one free */
    rig.m.wrench[n][0] = -load;
    for (int i = 1; i < n; i++) rig.m.qvel[6 * i + 2] = 1e-7 * i;
    double worst = 0.0;
    for (double time = 0.0; time < 20.0; time += t) rig_step(&rig);
    worst = fabs(tip(&rig)[2]);
    rig_end(&rig);
    return worst;
}

TEST(rod_buckles_at_eulers_load)
{
    /* Started at 1e-6 m/s at its end, the rod swings by some 1e-5 m below and has left that far
     * behind after 20 s above */
    CHECK(growth(0.98, 0.01) < 5e-5);
    CHECK(growth(1.02, 0.01) > 5e-4);
}
