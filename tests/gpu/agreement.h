/* agreement.h: worlds of a device, as loops on the host (src/gpu/parallel.h), and their steps
 * against the CPU's. */
#ifndef TN_TESTS_GPU_AGREEMENT_H
#define TN_TESTS_GPU_AGREEMENT_H

#include "../step/text_scene.h"
#include "world/world.h"

#include <math.h>

#define GROUND "<geom type='plane' size='5 5 1'/>"

static inline TnModel *open_model(const char *text)
{
    TnError err = {0};
    TnModel *model = load_text(text, &err);
    if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
    return model;
}

static inline TnWorld *open_world(TnWorldDef def, const TnModel *model)
{
    TnError err = {0};
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) test_fail(__FILE__, __LINE__, "%s", err.message);
    return world;
}

/* On the CPU, with contacts as a device writes them. */
static inline TnWorld *open_reference(TnWorldDef def, const TnModel *model)
{
    TnWorld *world = open_world(def, model);
    world->at_start = true;
    return world;
}

static inline TnWorldDef definition(TnDevice device, double tolerance, int iterations)
{
    TnWorldDef def = tn_world_def();
    def.device = device;
    def.passes = 1;
    def.halvings = 0; /* a device takes none */
    def.solver.contact_ratio = 0.0;
    def.solver.tolerance = tolerance;
    def.solver.iterations = iterations;
    def.solver.method = TN_METHOD_SUBADMM;
    def.solver.anderson = 0; /* a device has none */
    return def;
}

static inline double largest_difference(const double *a, const double *b, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

typedef struct Agreement {
    int steps, compared, exact, contacts, rows;
    double velocity, speed; /* largest difference, largest number */
    double force, weight;   /* the same of contact forces */
} Agreement;

/* The force at the same contact; false: there is none. */
static inline bool same_contact(const TnWorld *world, const TnContact *c, double *difference)
{
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact x = tn_world_contact(world, i);
        if (x.geom1 != c->geom1 || x.geom2 != c->geom2 ||
            largest_difference(x.pos, c->pos, 3) + largest_difference(x.normal, c->normal, 3) +
                    fabs(x.gap - c->gap) >
                1e-9)
            continue;
        *difference = largest_difference(x.force, c->force, 3);
        return true;
    }
    return false;
}

/* Whether both have the same contacts; then how their forces differ. */
static inline bool compare_forces(const TnWorld *here, const TnWorld *there, double *force,
                                  double *weight)
{
    int count = tn_world_contact_count(here);
    if (count != tn_world_contact_count(there)) return false;
    for (int i = 0; i < count; i++) {
        TnContact c = tn_world_contact(here, i);
        double difference;
        if (!same_contact(there, &c, &difference)) return false;
        *force = fmax(*force, difference);
        for (int k = 0; k < 3; k++) *weight = fmax(*weight, fabs(c.force[k]));
    }
    return true;
}

#define EXACT 1e-10

/* The same steps from the same states, without the last forces. Steps count in which both have the
 * same contacts and get to the tolerance. The CPU puts energies right where contacts push
 * (balance.c), so some velocities differ by that; contact forces do not. */
static inline Agreement compare_within(TnDevice device, TnModel *model, double tolerance,
                                       int iterations, int steps)
{
    static const double ctrl[4] = {.5, .1, .2, .1};
    Agreement a = {0};
    TnError err = {0};
    TnWorldDef def = definition(TN_DEVICE_CPU, tolerance, iterations);
    def.solver.warm_start = 0.0;
    TnWorld *here = open_reference(def, model);
    def.device = device;
    TnWorld *there = open_world(def, model);
    if (!there) return a;
    if (tn_model_info(model).actuator_count)
        for (int k = 0; k < 2; k++) CHECK(tn_world_set_ctrl(k ? here : there, ctrl, &err) == TN_OK);
    TnBodyId hand = tn_model_find_body(model, "hand");
    for (int k = 0; k < steps; k++) {
        double way[3] = {.19 + .001 * k, .15, .1};
        for (int w = 0; hand && w < 2; w++)
            CHECK(tn_world_set_mocap(w ? here : there, hand, way, NULL, &err) == TN_OK);
        TnStateView s1 = tn_world_state(here), s2;
        CHECK(tn_world_set_state(here, s1.qpos, s1.qvel, &err) == TN_OK);
        s1 = tn_world_state(here);
        CHECK(tn_world_set_state(there, s1.qpos, s1.qvel, &err) == TN_OK);
        TnStepReport r1 = tn_world_step(here), r2 = tn_world_step(there);
        s1 = tn_world_state(here);
        s2 = tn_world_state(there);
        CHECK(!r2.diverged);
        CHECK_NEAR(s1.time, s2.time, 1e-12);
        for (int i = 0; i < s1.dof_count; i++) a.speed = fmax(a.speed, fabs(s1.qvel[i]));
        double d = largest_difference(s1.qvel, s2.qvel, s1.dof_count), force = 0.0;
        bool same = compare_forces(here, there, &force, &a.weight);
        a.steps++;
        if (getenv("SHOW"))
            printf("%d: %d %d contacts, %d rows, errors %.1e %.1e, iterations %d %d, diff %.2e of "
                   "%.2e, %d force %.2e of %.2e\n",
                   k, r1.contact_count, r2.contact_count, r1.row_count, r1.error, r2.error,
                   r1.iterations, r2.iterations, d, a.speed, same, force, a.weight);
        if (!same || !r1.converged || !r2.converged) continue;
        CHECK(r1.row_count == r2.row_count);
        a.compared++;
        a.exact += d < EXACT * a.speed;
        a.contacts += r1.contact_count;
        a.rows += r1.row_count;
        a.velocity = fmax(a.velocity, d);
        a.force = fmax(a.force, force);
    }
    tn_world_destroy(here);
    tn_world_destroy(there);
    tn_model_destroy(model);
    return a;
}

static inline Agreement compare(TnDevice device, TnModel *model, double tolerance, int steps)
{
    return compare_within(device, model, tolerance, 3000, steps);
}

static inline void check_agreement(const char *what, Agreement a, int least, double allowed)
{
    if (getenv("SHOW"))
        printf("%s: %d of %d, %d exact, %d contacts, %d rows, %g of %g, %g of %g N\n", what,
               a.compared, a.steps, a.exact, a.contacts, a.rows, a.velocity, a.speed, a.force,
               a.weight);
    if (a.compared < least || (allowed < 1e-6 && a.exact < a.compared / 2))
        test_fail(__FILE__, __LINE__, "%s: %d of %d steps compared, %d agree", what, a.compared,
                  a.steps, a.exact);
    /* what balancing may change */
    if (!(a.velocity < fmax(allowed, 1e-4) * a.speed))
        test_fail(__FILE__, __LINE__, "%s: velocities differ by %g of %g", what, a.velocity,
                  a.speed);
    if (!(a.force <= allowed * a.weight))
        test_fail(__FILE__, __LINE__, "%s: forces differ by %g of %g", what, a.force, a.weight);
}

#endif
