/* scenes/gripper.xml: friction alone holds a soft ball. It lies still from 3 s on; what moves after
 * that is creep. */
#include "../../check.h"

#include <tenon/tenon.h>

#define STILL 3.0                    /* s: closed at 0.9 s, lifted by 2.6 s */
#define HELD UNLESS_SANITIZED(10, 1) /* s */

typedef struct Grasp {
    TnModel *model;
    TnWorld *world;
    TnSoftInfo ball;
    int steps_per_second;
} Grasp;

static bool open_grasp(Grasp *g)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    *g = (Grasp){.model = tn_model_load(TENON_SOURCE_DIR "/scenes/gripper.xml", &err)};
    g->world = tn_world_create(&def, g->model, &err);
    if (!g->world) {
        test_fail(__FILE__, __LINE__, "%s", err.message);
        tn_model_destroy(g->model);
        return false;
    }
    g->ball = tn_model_soft_info(g->model, tn_model_find_soft(g->model, "ball"));
    g->steps_per_second = (int)lround(1 / tn_model_info(g->model).option.timestep);
    return true;
}

static void close_grasp(Grasp *g)
{
    tn_world_destroy(g->world);
    tn_model_destroy(g->model);
}

/* Of the centre of mass, m. */
static double height(const Grasp *g, const double *nodes)
{
    double sum = 0;
    for (int i = 0; i < g->ball.node_count; i++) sum += g->ball.node_masses[i] * nodes[3 * i + 2];
    return sum / g->ball.mass;
}

/* Adds the contact forces on the ball, N. */
static void add_forces(const Grasp *g, double sum[3])
{
    for (int i = 0; i < tn_world_contact_count(g->world); i++) {
        TnContact contact = tn_world_contact(g->world, i);
        double sign = contact.geom2 == g->ball.geom ? 1 : -1;
        for (int k = 0; k < 3; k++) sum[k] += sign * contact.force[k];
    }
}

TEST(gripper_holds_a_soft_ball_by_friction_without_creep)
{
    Grasp g;
    if (!open_grasp(&g)) return;
    int count = 3 * g.ball.node_count;
    double *before = malloc((size_t)count * sizeof *before), mean[3] = {0}, creep = 0;
    for (int k = 0; k < STILL * g.steps_per_second; k++) CHECK(!tn_world_step(g.world).diverged);
    const double *nodes = tn_world_state(g.world).qpos + g.ball.qpos_start;
    memcpy(before, nodes, (size_t)count * sizeof *before);
    double lowest = 1;
    for (int i = 0; i < g.ball.node_count; i++) lowest = fmin(lowest, before[3 * i + 2]);
    CHECK(lowest > 0.14); /* lifted by 15 cm, less what the lift's servo gives way under 16 N */

    for (int k = 0; k < HELD * g.steps_per_second; k++) {
        CHECK(!tn_world_step(g.world).diverged);
        if (k >= (HELD - 1) * g.steps_per_second) add_forces(&g, mean);
    }
    nodes = tn_world_state(g.world).qpos + g.ball.qpos_start;
    for (int i = 0; i < count; i++) creep = fmax(creep, fabs(nodes[i] - before[i]));
    /* Single nodes at the rim of a pad, which press little, may yield until friction suits them;
     * the ball as a whole goes down by a few micrometres at most. Without friction's threshold it
     * would sink by as much in a few steps. */
    CHECK_NEAR(creep, 0, 1e-4);
    CHECK_NEAR(height(&g, nodes), height(&g, before), 1e-5);
    /* the mean over a second at rest is the weight; what the fingers press cancels */
    double weight = 9.81 * g.ball.mass;
    CHECK_NEAR(mean[2] / g.steps_per_second, weight, 1e-3 * weight);
    CHECK_NEAR(mean[0] / g.steps_per_second, 0, 1e-3 * weight);
    CHECK_NEAR(mean[1] / g.steps_per_second, 0, 1e-3 * weight);
    free(before);
    close_grasp(&g);
}
