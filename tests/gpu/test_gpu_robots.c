/* Robots, cables and mocap bodies among free bodies on a device, as loops on the host
 * (src/gpu/parallel.h): steps against the CPU's. */
#include "../step/text_scene.h"

#include <math.h>

#include "base/base.h"
#include "gpu/gpu.h"

#define GROUND "<geom type='plane' size='5 5 1'/>"

static TnModel *open_model(const char *text)
{
    TnError err = {0};
    TnModel *model = load_text(text, &err);
    if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
    return model;
}

static TnWorld *open_world(TnWorldDef def, const TnModel *model)
{
    TnError err = {0};
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) test_fail(__FILE__, __LINE__, "%s", err.message);
    return world;
}

static TnWorldDef definition(TnDevice device, double tolerance, int iterations)
{
    TnWorldDef def = tn_world_def();
    def.device = device;
    def.relinearize = 1;
    def.solver.contact_ratio = 0.0;
    def.solver.tolerance = tolerance;
    def.solver.iterations = iterations;
    def.solver.method = TN_METHOD_SUBADMM;
    return def;
}

static double largest_difference(const double *a, const double *b, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static const char *const arm =
    "<mujoco><option timestep='.005'/><default><geom friction='.2'/></default><worldbody>" GROUND
    "<body name='arm' pos='0 0 .3'>"
    "<joint name='a' axis='0 0 1'/><geom type='capsule' fromto='0 0 0 .3 0 0' size='.03'/>"
    "<body pos='.3 0 0'><joint name='b' axis='0 1 0' range='-60 60' limited='true'/>"
    "<geom type='capsule' fromto='0 0 0 .2 0 -.2' size='.03'/></body></body>"
    "%s</worldbody>"
    "<actuator><position joint='a' kp='20'/><motor joint='b'/></actuator></mujoco>";

typedef struct Agreement {
    int steps, compared, contacts, rows;
    double velocity, speed, place;
} Agreement;

/* The same steps from the same states. */
static Agreement compare(TnDevice device, TnModel *model, double tolerance, int settle, int steps,
                         const double *ctrl)
{
    Agreement a = {0};
    TnError err = {0};
    TnWorldDef def = definition(TN_DEVICE_CPU, tolerance, 6000);
    def.solver.warm_start = 0.0;
    TnWorld *here = open_world(def, model), *settled = open_world(tn_world_def(), model);
    def.device = device;
    TnWorld *there = open_world(def, model);
    if (!there) return a;
    for (int k = 0; k < settle; k++) (void)tn_world_step(settled);
    TnStateView s1 = tn_world_state(settled), s2;
    CHECK(tn_world_set_state(here, s1.qpos, s1.qvel, &err) == TN_OK);
    for (int k = 0; ctrl && k < 2; k++)
        CHECK(tn_world_set_ctrl(k ? here : there, ctrl, &err) == TN_OK);
    for (int k = 0; k < steps; k++) {
        s1 = tn_world_state(here);
        CHECK(tn_world_set_state(here, s1.qpos, s1.qvel, &err) == TN_OK);
        s1 = tn_world_state(here);
        CHECK(tn_world_set_state(there, s1.qpos, s1.qvel, &err) == TN_OK);
        TnStepReport r1 = tn_world_step(here), r2 = tn_world_step(there);
        s1 = tn_world_state(here);
        s2 = tn_world_state(there);
        for (int i = 0; i < s1.dof_count; i++) a.speed = fmax(a.speed, fabs(s1.qvel[i]));
        CHECK_NEAR(s1.time, s2.time, 1e-12);
        a.steps++;
        double d = largest_difference(s1.qvel, s2.qvel, s1.dof_count);
        if (getenv("SHOW"))
            printf("%d: %d %d contacts, %d rows, errors %.1e %.1e, iterations %d %d, diff %.2e speed %.2e created %.1e\n", k, r1.contact_count,
                   r2.contact_count, r1.row_count, r1.error, r2.error, r1.iterations, r2.iterations, d, a.speed, r1.energy.created);
        if (r1.contact_count != r2.contact_count || !r1.converged || !r2.converged) continue;
        a.compared++;
        a.contacts += r1.contact_count;
        a.velocity = fmax(a.velocity, d);
        a.place = fmax(a.place, largest_difference(s1.qpos, s2.qpos, s1.qpos_count));
    }
    tn_world_destroy(here);
    tn_world_destroy(there);
    tn_world_destroy(settled);
    tn_model_destroy(model);
    return a;
}

static TnModel *open_arm(int spheres)
{
    static Text text;
    static char whole[1 << 16];
    text.length = 0;
    text_add(&text, " ");
    for (int i = 0; i < spheres; i++)
        text_add(&text, "<body pos='%g %g %g'><freejoint/><geom size='.05'/></body>",
                 .25 + 0.11 * (i % 3) , 0.12 + 0.11 * (i / 3 % 3), 0.05 + 0.11 * (i / 9));
    snprintf(whole, sizeof whole, arm, text.text);
    return open_model(whole);
}

TEST(an_arm_alone)
{
    const double ctrl[2] = {1.0, 0.1};
    Agreement a = compare(TN_DEVICE_CUDA64, open_arm(0), 1e-12, 0, 40, ctrl);
    printf("%d of %d, %d contacts, %g of %g\n", a.compared, a.steps, a.contacts, a.velocity, a.speed);
}

TEST(an_arm_among_spheres)
{
    const double ctrl[2] = {1.0, 0.1};
    Agreement a = compare(TN_DEVICE_CUDA64, open_arm(9), 1e-12, 0, 100, ctrl);
    printf("%d of %d, %d contacts, %g of %g\n", a.compared, a.steps, a.contacts, a.velocity, a.speed);
}
