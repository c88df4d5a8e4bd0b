/* What a moving rod keeps: momentum in free flight, and with damping no energy is ever won. */
#include "../../check.h"
#include "rod_scene.h"

static const double none[3] = {0};

/* v = w in the axes of a frame */
static void into_axes(double v[3], const double q[4], const double w[3])
{
    double a[3] = {-q[1], -q[2], -q[3]}, b[3], c[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        b[i] = 2 * (a[j] * w[k] - a[k] * w[j]);
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = a[j] * b[k] - a[k] * b[j];
    }
    for (int i = 0; i < 3; i++) v[i] = w[i] + q[0] * b[i] + c[i];
}

/* A rod that is straight by nature, held in a bow out of any plane, let go while it tumbles at 3.7
 * rad/s. */
static bool let_go(RodScene *scene, double E, double damping_time, double timestep)
{
    enum { N = 24 };
    *scene = rod_begin(timestep, 0.5, 0);
    TnRodDef *rod = &scene->rod;
    double points[3 * (N + 1)], qvel[6 * N];
    for (int i = 0; i <= N; i++) {
        double x = (double)i / N;
        points[3 * i] = 0.3 + 0.8 * x;
        points[3 * i + 1] = -0.2 + 0.1 * sin(PI * x);
        points[3 * i + 2] = 0.1 + 0.05 * sin(2 * PI * x);
    }
    rod->points = points;
    rod->straight_rest = true;
    rod->segment_count = N;
    rod->youngs_modulus = E;
    rod->damping_time = damping_time;
    rod_add(scene);
    if (!rod_finish(scene, NULL)) return false;
    const double w[3] = {1, -2, 3};
    const double *qpos = tn_world_state(scene->world).qpos;
    for (int i = 0; i < N; i++) {
        const double *x = qpos + 7 * i;
        double *v = qvel + 6 * i;
        v[0] = 0.2 + w[1] * x[2] - w[2] * x[1];
        v[1] = -0.1 + w[2] * x[0] - w[0] * x[2];
        v[2] = 0.4 + w[0] * x[1] - w[1] * x[0];
        into_axes(v + 3, x + 3, w);
    }
    TnError err = {0};
    return tn_world_set_state(scene->world, qpos, qvel, &err) == TN_OK;
}

static double energy(const RodScene *scene)
{
    TnEnergy e = tn_world_energy(scene->world);
    return e.kinetic + e.potential;
}

/* Largest part of the energy at the start that one step adds. */
static double largest_gain(const RodScene *scene, int steps, double scale)
{
    double before = energy(scene), most = -INFINITY;
    for (int k = 0; k < steps; k++) {
        if (!rod_march(scene, 1, 0, none, none)) return NAN;
        double after = energy(scene);
        most = fmax(most, after - before);
        before = after;
    }
    return most / scale;
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* Young's modulus, timestep and damping time. 10 ms and 1e6 Pa are seven segments of an elastic
 * wave per step. */
static const double flights[][3] = {{1e4, 0.01, 0},  {1e4, 0.01, 0.01}, {1e5, 0.01, 0.01},
                                    {1e6, 0.01, 0},  {1e4, 0.001, 0},   {1e6, 0.001, 0.01},
                                    {1e7, 0.001, 0}, {1e7, 0.001, 0.01}};

TEST(free_flight_keeps_momentum_while_the_rod_swings)
{
    for (size_t f = 0; f < sizeof flights / sizeof flights[0]; f++) {
        RodScene scene;
        REQUIRE(let_go(&scene, flights[f][0], flights[f][2], flights[f][1]));
        double P0[3], L0[3], P[3], L[3];
        tn_world_momentum(scene.world, P0, L0);
        double elastic = tn_world_energy(scene.world).potential;
        for (int k = 0; k < 500; k++) {
            REQUIRE(rod_march(&scene, 1, 0, none, none));
            tn_world_momentum(scene.world, P, L);
            /* 500 times rounding of forces that are z times the momentum's change */
            CHECK_NEAR(distance(P, P0) / distance(P0, none), 0, 1e-12);
            CHECK_NEAR(distance(L, L0) / distance(L0, none), 0, 1e-12);
        }
        CHECK(tn_world_energy(scene.world).potential != elastic); /* it did swing */
        rod_end(&scene);
    }
}

TEST(damped_rod_in_free_flight_never_gains_energy)
{
    for (size_t f = 0; f < sizeof flights / sizeof flights[0]; f++) {
        if (flights[f][2] == 0) continue;
        RodScene scene;
        REQUIRE(let_go(&scene, flights[f][0], flights[f][2], flights[f][1]));
        double start = energy(&scene);
        CHECK(largest_gain(&scene, 1000, start) < 1e-14); /* rounding */
        CHECK(energy(&scene) < 0.999 * start);            /* and something was there to damp */
        rod_end(&scene);
    }
}

/* Held at one end, from level; all of its weight falls. */
TEST(damped_rod_that_swings_from_its_held_end_never_gains_energy)
{
    const double E[3] = {1e6, 1e7, 1e8};
    for (int i = 0; i < 3; i++) {
        RodScene scene = rod_begin(0.01, 0.5, 9.81);
        TnRodDef *rod = &scene.rod;
        rod->segment_count = 40;
        rod->end[0] = 1;
        rod->radius = 0.005;
        rod->youngs_modulus = E[i];
        rod_add(&scene);
        rod_hold(&scene, 0);
        REQUIRE(rod_finish(&scene, NULL));
        double fall = tn_model_info(scene.model).total_mass * 9.81 * 0.5; /* m g L/2 */
        double start = energy(&scene);
        CHECK(largest_gain(&scene, 600, fall) < 1e-14); /* rounding */
        CHECK(energy(&scene) < start - 0.2 * fall);     /* 0.60, 0.57, 0.24: and much was damped */
        rod_end(&scene);
    }
}
