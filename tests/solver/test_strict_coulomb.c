/* What slides does not lift off: Signorini's and Coulomb's laws hold together, in the solver alone
 * and in a world. */
#include "../check.h"

#include "../step/scene.h"
#include "methods.h"
#include "public_problem.h"

/* m/s: how far a sliding contact's normal velocity may be from zero. */
static const double exact = 1e-9;

/* Bodies pressed on a plane and sliding at about 1 m/s, some on top of others. */
static void sliding_problem(Problem *p, uint64_t seed)
{
    Random r = {seed + 1};
    problem_clear(p);
    for (int i = 0; i < 4; i++) {
        double frame[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        random_block(p, &r, 6, 1.0);
        int at = p->start[i];
        for (int k = 0; k < 6; k++) p->b[at + k] = 0.3 * uniform(&r);
        p->b[at] = -2.0; /* normal */
        p->b[at + 1] += 3.0;
        Law *law = problem_add_law(p, TN_SET_FRICTION);
        law->mu = 0.2 + 0.1 * uniform(&r);
        random_side(p, &r, law, i, frame);
        for (int k = 0; k < 9; k++) frame[k / 3][k % 3] *= -1.0;
        if (i == 3) random_side(p, &r, law, 2, frame);
    }
}

/* The largest normal velocity of contacts that slide, and how many do. */
static double sliding_lift(const Problem *p, const Answer *a, int *count)
{
    double most = 0.0;
    for (int i = 0; i < p->law_count; i++) {
        const Law *law = &p->laws[i];
        double u[3];
        for (int k = 0; k < 3; k++) u[k] = row_velocity(p, law, k, a->v);
        if (!(a->lambda[law->row] > exact) || hypot(u[1], u[2]) < 0.01) continue;
        most = fmax(most, fabs(u[0]));
        ++*count;
    }
    return most;
}

TEST(what_slides_does_not_lift_off)
{
    static Problem p;
    for (int m = 0; m < METHODS; m++) {
        int count = 0;
        double lift = 0.0;
        for (uint64_t seed = 0; seed < UNLESS_SANITIZED(10, 2); seed++) {
            sliding_problem(&p, seed);
            Answer a = problem_solve(&p, methods[m], 1e-10, 100000);
            CHECK(a.report.converged);
            lift = fmax(lift, sliding_lift(&p, &a, &count));
        }
        CHECK_NEAR(lift, 0.0, exact);
        CHECK(count > 10 || UNLESS_SANITIZED(false, true)); /* or there was nothing to see */
    }
}

/* ---- in a world ---- */

/* A box that slides on a plane at 1 m/s, a smaller one that slides on it the other way, and two
 * spheres beside them, one of which also spins. */
enum { BOX, UPPER, SPHERE, SPINNER, BODIES };
static TnModel *sliders(TnBodyId bodies[BODIES])
{
    const double flat[3] = {0.2, 0.2, 0.05}, small[3] = {0.05, 0.05, 0.02}, ball[3] = {0.1};
    const double at[BODIES][3] = {{0, 0, 0.05}, {0, 0, 0.12}, {0, 1, 0.1}, {0, 2, 0.1}};
    Scene s = scene_begin();
    scene_plane(&s, 0.3);
    bodies[BOX] = scene_free(&s, TN_GEOM_BOX, flat, 2.0, at[BOX], 0.3, 0.0);
    bodies[UPPER] = scene_free(&s, TN_GEOM_BOX, small, 0.2, at[UPPER], 0.3, 0.0);
    bodies[SPHERE] = scene_free(&s, TN_GEOM_SPHERE, ball, 1.0, at[SPHERE], 0.3, 0.0);
    bodies[SPINNER] = scene_free(&s, TN_GEOM_SPHERE, ball, 1.0, at[SPINNER], 0.3, 0.0);
    return scene_compile(&s);
}

/* The largest vertical speed while they slide for 0.1 s. */
static double world_lift(const TnModel *model, const TnBodyId bodies[BODIES],
                         const TnSolverDef *solver)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.solver = *solver;
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) return NAN;
    TnStateView state = tn_world_state(world);
    double qpos[7 * BODIES], qvel[6 * BODIES] = {0}, most = 0.0;
    memcpy(qpos, state.qpos, sizeof qpos);
    for (int i = 0; i < BODIES; i++) qvel[6 * i] = i == UPPER ? -1.0 : 1.0;
    qvel[6 * SPINNER + 5] = 3.0;
    tn_world_set_state(world, qpos, qvel, &err);
    for (int step = 0; step < 10; step++) {
        TnStepReport report = tn_world_step(world);
        if (solver->tolerance > 0.0 && !report.converged) most = INFINITY;
        for (int i = 0; i < BODIES; i++) {
            double v[3], w[3];
            tn_world_body_velocity(world, bodies[i], v, w);
            CHECK(fabs(v[0]) > 0.05); /* it slides */
            most = fmax(most, fabs(v[2]));
        }
    }
    tn_world_destroy(world);
    return most;
}

TEST(what_slides_in_a_world_does_not_lift_off)
{
    TnBodyId bodies[BODIES];
    TnModel *model = sliders(bodies);
    REQUIRE(model);
    for (int m = 0; m < METHODS; m++) {
        TnSolverDef def = tn_solver_def();
        def.method = methods[m].method;
        def.own = methods[m].own;
        def.tolerance = 1e-9;
        def.iterations = 20000;
        CHECK_NEAR(world_lift(model, bodies, &def), 0.0, exact);
    }
    tn_model_destroy(model);
}
