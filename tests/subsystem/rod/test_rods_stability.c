/* Rods that lose their stability, at the loads of Euler and of Michell.
 *
 * Near the threshold one shape x is about to grow. Under strong damping (time τ on the strains'
 * rates only) it follows τ k_e ẋ + (k_e - load) x = 0, so its rate crosses zero at the threshold,
 * and near it in a straight line. At zero nothing moves, so the step's length has no say in where
 * that is. Two rates, a little below and above, give the threshold; the formulas are those of
 * slender rods, and each tolerance says what the rod's thickness and its segments leave. */
#include "../../check.h"
#include "rod_scene.h"

#define TAU 10.0 /* s, damping time; the steps are of 1 s */

static const double none[3] = {0};

/* Where the rate is zero, from the rates at these shares of the formula's load. */
#define BELOW 0.97
#define ABOVE 1.03
static double crossing(double below, double above)
{
    CHECK(below < 0 && above > 0);
    return BELOW + (ABOVE - BELOW) * below / (below - above);
}

/* Heights of all segments. */
static void heights(const RodScene *scene, double *z)
{
    double pos[3];
    for (int i = 0; i < scene->rod.segment_count; i++) {
        rod_pos(scene, i, pos);
        z[i] = pos[2];
    }
}

/* Rate per τ at which the rod's shape changes: the growth of the heights' change from one stretch
 * of time to the next. Changes, since a twisted ring is not quite level to begin with. */
static double growth_rate(const RodScene *scene, const double force[3])
{
    double z[3][256], change[2] = {0};
    for (int k = 0; k < 3; k++) {
        if (!rod_march(scene, 5 * (int)TAU, scene->rod.segment_count - 1, force, none)) return NAN;
        heights(scene, z[k]);
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < scene->rod.segment_count; i++)
            change[k] += (z[k + 1][i] - z[k][i]) * (z[k + 1][i] - z[k][i]);
    return 0.5 * log(change[1] / change[0]) / 5;
}

/* ---- Euler: one end held, the other pressed and free ---- */

static double column_rate(int joints, double share)
{
    RodScene scene = rod_begin(1, 1, 0);
    TnRodDef *rod = &scene.rod;
    rod->segment_count = joints + 1;
    rod->end[0] = 1 + 0.5 / (joints + 0.5); /* 1 m between the clamp and the last centre */
    rod->radius = 0.005;
    rod->damping_time = TAU;
    rod_add(&scene);
    rod_hold(&scene, 0);
    if (!rod_finish(&scene, NULL)) return NAN;
    double load = share * PI * PI * rod_bend(rod) / 4; /* π² E I / 4 L² */
    const double force[3] = {-load, 0, 0}, aside[3] = {-load, 0, 1e-7 * load};
    rod_march(&scene, 5 * (int)TAU, joints, aside, none);
    rod_march(&scene, 5 * (int)TAU, joints, force, none); /* the shapes that do not buckle go */
    double rate = growth_rate(&scene, force);
    rod_end(&scene);
    return rate;
}

static double column_error(int joints)
{
    return crossing(column_rate(joints, BELOW), column_rate(joints, ABOVE)) - 1;
}

TEST(held_and_pressed_rod_buckles_at_eulers_load_with_second_order)
{
    const int n[3] = {10, 20, 40};
    double error[3];
    for (int i = 0; i < 3; i++) error[i] = column_error(n[i]);
    /* springs in n joints leave about 0.4/n²; the rod's thickness (it gets shorter, and shears)
     * 6e-5 */
    CHECK_NEAR(error[2], 0, 1e-3);
    CHECK_NEAR(error[0], 0, 5e-3);
    for (int i = 0; i < 2; i++) CHECK(log2(error[i] / error[i + 1]) > 1.8);
}

/* ---- Michell: a ring that is twisted ---- */

/* r = a b */
static void quat_times(double r[4], const double a[4], const double b[4])
{
    r[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    r[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    r[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    r[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* Turns each segment of a built ring about itself, from nothing at the first to `turn` at the last;
 * those beyond go with these. */
static bool twist_evenly(const RodScene *scene, double turn)
{
    TnStateView state = tn_world_state(scene->world);
    int n = scene->rod.segment_count;
    double *qpos = malloc(sizeof(double) * (size_t)state.qpos_count);
    double *qvel = calloc((size_t)state.dof_count, sizeof(double));
    if (qpos && qvel) {
        memcpy(qpos, state.qpos, sizeof(double) * (size_t)state.qpos_count);
        for (int i = -1; i <= n; i++) {
            double a = turn * fmin(fmax(i, 0), n - 1) / (n - 1);
            double about[4] = {cos(a / 2), 0, 0, sin(a / 2)};
            double built[4], *quat = qpos + 7 * (i + 1) + 3;
            memcpy(built, quat, sizeof built);
            quat_times(quat, built, about);
        }
    }
    TnError err = {0};
    bool done = qpos && qvel && tn_world_set_state(scene->world, qpos, qvel, &err) == TN_OK;
    free(qpos);
    free(qvel);
    return done;
}

/* A naturally straight rod of 1 m bent to a ring, its ends joined after a relative twist. The
 * chain's last segment lies where its first does and both are held, turned against each other by
 * the twist: what a segment of a closed ring does to its neighbours. That it is held in space as
 * well takes away rigid motions only, which change no energy: the closed ring, which may move
 * freely, is stable when this one is. A segment more at each side, beyond the held ones, makes
 * these clamp at their centres; nothing else speaks of those two. */
static bool ring(RodScene *scene, int joints, double stiffer_twist, double share)
{
    *scene = rod_begin(1, 1, 0);
    TnRodDef *rod = &scene->rod;
    double points[3 * 256], R = 1 / (2 * PI);
    for (int i = 0; i <= joints + 3; i++) {
        double a = 2 * PI * (i - 1.5) / joints; /* the first held segment along y */
        points[3 * i] = R * cos(a);
        points[3 * i + 1] = R * sin(a);
        points[3 * i + 2] = 0;
    }
    rod->segment_count = joints + 3;
    rod->points = points;
    rod->normal[0] = rod->normal[1] = 0;
    rod->normal[2] = 1; /* x of all segments */
    rod->straight_rest = true;
    rod->radius = 0.002;
    rod->damping_time = TAU;
    rod->twist_modulus = stiffer_twist * rod->youngs_modulus / (2 * (1 + rod->poisson_ratio));
    double turn = share * 2 * PI * sqrt(3) * rod_bend(rod) / rod_twist(rod);
    rod_add(scene);
    scene->first++;
    rod->segment_count = joints + 1;
    rod_hold(scene, 0);
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = TN_BODY_WORLD;
    weld.body2 = scene->first + joints;
    weld.has_relpose = true;
    weld.relpos[0] = points[3];
    /* frames as built: z along y and x along z, then by the twist about itself */
    const double along_y[4] = {0.5, -0.5, -0.5, -0.5};
    const double twist[4] = {cos(turn / 2), 0, 0, sin(turn / 2)};
    quat_times(weld.relquat, along_y, twist);
    tn_builder_add_equality(scene->builder, &weld);
    return rod_finish(scene, NULL) && twist_evenly(scene, turn);
}

static double ring_rate(int joints, double stiffer_twist, double share)
{
    RodScene scene;
    if (!ring(&scene, joints, stiffer_twist, share)) return NAN;
    const double aside[3] = {0, 0, 1e-5 * rod_bend(&scene.rod)};
    rod_march(&scene, 5 * (int)TAU, 0, none, none); /* finds its size */
    rod_march(&scene, (int)TAU, joints / 3, aside, none);
    rod_march(&scene, 40 * (int)TAU, 0, none, none); /* the shapes that do not buckle go */
    double rate = growth_rate(&scene, none);
    rod_end(&scene);
    return rate;
}

static double ring_error(int joints, double stiffer_twist)
{
    double below = ring_rate(joints, stiffer_twist, BELOW);
    return crossing(below, ring_rate(joints, stiffer_twist, ABOVE)) - 1;
}

/* J. H. Michell 1889: 2π√3 E I / G J for a rod that is straight by nature. */
TEST(twisted_ring_leaves_its_plane_at_michells_angle_with_second_order)
{
    const double stiffer[2] = {1, 4}; /* critical twists of 14.1 and 3.5 rad */
    const int n[3] = {16, 32, 64};
    for (int k = 0; k < 2; k++) {
        double error[3];
        for (int i = 0; i < 3; i++) error[i] = ring_error(n[i], stiffer[k]);
        CHECK_NEAR(error[1], 0, 1e-2); /* about 7/n² at most; half a per cent too high */
        CHECK_NEAR(error[2], 0, 2.5e-3);
        printf("    %g %g %g\n", error[0], error[1], error[2]);
        for (int i = 0; i < 2; i++) CHECK(log2(error[i] / error[i + 1]) > 1.8);
    }
}
