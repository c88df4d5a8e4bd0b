/* plan.c: how each subsystem will move over the step: the share w of v⁺ in its displacement
 * (constraint/blend.c).
 *
 * Springs, servos, equalities and wheels are written for a displacement, so w must be known before
 * the step is solved: a tree that moves with v⁺ while its springs are taken half way gains energy
 * for K t²/m > 4. The plan starts from what pushed in the last step, learns from the contacts that
 * the free motion closes, and where the solution still pushes what was not to be pushed, the step
 * is assembled and solved again. w only grows meanwhile. Subsystems without such forces (`minds`
 * false) take whatever w the solution gives them. */
#include "../account/groups.h"
#include "../base/shared.h"
#include "../model/joint_law.h"
#include "../model/thresholds.h"
#include "../subsystem/kind.h"

#include <math.h>
#include <string.h>

static void mark_link(const TnModel *model, int link, bool *marks)
{
    int s = model->links[link].subsystem;
    if (s >= 0) marks[s] = true;
}

static void mark_joint(const TnModel *model, int joint, bool *marks)
{
    if (joint >= 0) mark_link(model, model->joints[joint].link, marks);
}

/* Equalities. iterated: only those that are, not welds of cables' segments to what carries them;
 * NULL: all. */
static void mark_equalities(const TnModel *model, const bool *iterated, bool *marks)
{
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *e = &model->equalities[i];
        if (!e->active || (e->segment && iterated && !iterated[i])) continue;
        if (e->type == TN_EQUALITY_JOINT) {
            mark_joint(model, e->joint1, marks);
            mark_joint(model, e->joint2, marks);
        } else {
            mark_link(model, model->bodies[e->body1].link, marks);
            mark_link(model, model->bodies[e->body2].link, marks);
        }
    }
}

/* What paths are rows of. */
static void mark_paths(const TnModel *model, bool *marks)
{
    for (int i = 0; i < model->path_count; i++)
        for (int k = 0; model->paths[i].acts && k < model->paths[i].link_count; k++)
            mark_link(model, model->paths[i].links[k], marks);
}

/* What equalities, paths, wheels and holds act on. */
static void mark_tied(const TnModel *model, bool *tied)
{
    mark_equalities(model, NULL, tied);
    mark_paths(model, tied);
    for (int i = 0; i < model->wheel_count; i++)
        mark_link(model, model->bodies[model->wheels[i].body].link, tied);
    for (int s = 0; s < model->soft_count; s++)
        for (int h = 0; h < model->softs[s].hold_count; h++)
            mark_link(model, model->softs[s].holds[h].link, tied);
}

void tn_plan_minds(const TnModel *model, const bool *iterated, bool *loops, bool *tied, bool *minds)
{
    mark_equalities(model, iterated, loops);
    mark_paths(model, loops);
    mark_tied(model, tied);
    for (int s = 0; s < model->subsystem_count; s++)
        minds[s] = tied[s] || tn_is_elastic(&model->subsystems[s]);
    for (int j = 0; j < model->joint_count; j++)
        if (tn_joint_has_spring(&model->joints[j])) mark_joint(model, j, minds);
    for (int k = 0; k < model->tendon_count; k++)
        if (model->tendons[k].direct && model->tendons[k].stiffness != 0.0)
            minds[model->tendons[k].subsystem] = true;
    for (int a = 0; a < model->actuator_count; a++)
        if (model->actuators[a].path < 0 && tn_actuator_is_elastic(&model->actuators[a]))
            minds[model->actuators[a].subsystem] = true;
}

static void press_range(void *context, int begin, int end)
{
    const TnStep *step = context;
    const TnModel *model = step->model;
    const int *carrier = step->world->division->carrier;
    for (int i = begin; i < end; i++) {
        const TnWarmContact *c = &step->world->state.contacts[i];
        const int geoms[2] = {c->geom1, c->geom2};
        if (c->lambda[0] == 0.0 && c->lambda[1] == 0.0 && c->lambda[2] == 0.0) continue;
        for (int k = 0; k < 2; k++) {
            int s = tn_geom_subsystem(model, geoms[k]);
            if (s >= 0 && !tn_is_elastic(&model->subsystems[s]))
                s = model->link_subsystem[carrier[model->geom_link[geoms[k]]]];
            if (s >= 0) tn_shared_raise(&step->plan.pressed[s], 1.0);
        }
    }
}

/* Trees whose joints lie at their limits. */
static void press_limits(const TnStep *step)
{
    const TnModel *model = step->model;
    for (int j = 0; j < model->joint_count; j++) {
        int s = model->links[model->joints[j].link].subsystem;
        if (!model->joints[j].limited || s < 0) continue;
        for (int k = 0; k < 2; k++)
            if (*tn_row_lambda(&step->world->state, tn_row_slot_joint(model, j, k)) != 0.0)
                step->plan.pressed[s] = 1.0;
    }
}

void tn_plan_begin(TnStep *step)
{
    tn_pool_run(step->world->team, step->world->state.contact_count, 128, press_range, step);
    press_limits(step);
    for (int s = 0; step->world->at_start && s < step->model->subsystem_count; s++)
        if (step->model->subsystems[s].kind != TN_SUBSYSTEM_SOFT)
            step->plan.blend[s] = fmax(step->plan.blend[s], step->plan.pressed[s]);
    tn_constraint_share_blend(step->model, step->plan.blend);
}

/* Raises the planned w of those that depend on it to `wanted`; true where some changed. */
static bool raise(TnStep *step, const double *wanted)
{
    bool changed = false;
    step->plan.raised = 0.0;
    for (int s = 0; s < step->model->subsystem_count; s++) {
        if (!step->world->minds[s] || !(wanted[s] > step->plan.blend[s])) continue;
        step->plan.raised = fmax(step->plan.raised, wanted[s] - step->plan.blend[s]);
        step->plan.blend[s] = wanted[s];
        step->plan.again[s] = changed = true;
    }
    return changed;
}

bool tn_plan_share(TnStep *step, bool *changed)
{
    size_t bytes = sizeof(double) * (size_t)step->model->subsystem_count;
    double *wanted = tn_arena_alloc(&step->world->arena, bytes);
    if (!wanted) return false;
    memcpy(wanted, step->plan.blend, bytes);
    tn_constraint_share_blend(step->model, wanted);
    *changed = raise(step, wanted);
    return true;
}

static bool nobody_minds(const TnStep *step)
{
    for (int s = 0; s < step->model->subsystem_count; s++)
        if (step->world->minds[s]) return false;
    return true;
}

bool tn_plan_contacts(TnStep *step, bool *changed)
{
    const TnModel *model = step->model;
    *changed = false;
    if (nobody_minds(step)) return true;
    const TnContactList *contacts = &step->world->contacts;
    const int *carrier = step->world->division->carrier;
    double *wanted = TN_ARENA_ZERO(&step->world->arena, double, model->subsystem_count);
    if (!wanted) return false;
    if (step->plan.outside)
        memcpy(wanted, step->plan.outside, sizeof(double) * (size_t)model->subsystem_count);
    for (int i = 0; i < contacts->count; i++) {
        const TnContactPoint *c = &contacts->points[i];
        const int links[2] = {carrier[model->geom_link[c->geom1]],
                              carrier[model->geom_link[c->geom2]]};
        double closes = -1.0; /* not known yet */
        for (int k = 0; k < 2; k++) {
            int s = model->links[links[k]].subsystem;
            if (s < 0 || !step->world->minds[s] || wanted[s] == 1.0) continue;
            if (closes < 0.0) closes = tn_step_strikes(step, contacts, c);
            if (closes > 0.0) wanted[s] = fmax(wanted[s], 1.0 - c->restitution);
        }
    }
    tn_constraint_share_blend(model, wanted);
    *changed = raise(step, wanted);
    return true;
}

/* What damping asks for. */
static double damped_blend(const TnStep *step, int s)
{
    const TnSubsystem *sub = &step->model->subsystems[s];
    if (sub->kind != TN_SUBSYSTEM_TREE || tn_left_out(&step->dynamics, s)) return 0.0;
    return step->systems->trees[sub->kind_index].damped;
}

/* m/s: how what a row of friction acts on moves at the step's start, a turning joint at its lever.
 * A tendon's length may have any unit: it is fast. */
static double row_motion(const TnStep *step, int row, int *subsystem)
{
    const TnModel *model = step->model;
    const TnPathRow *path = tn_step_path_row(step, row);
    if (path) {
        *subsystem = model->tendons[path->tendon].subsystem;
        bool joints = model->paths[model->tendons[path->tendon].path].kind == TN_PATH_JOINTS;
        return joints && path->shift != 0.0 ? copysign(INFINITY, path->shift) : path->shift;
    }
    int slot = step->world->set.row_slot[row];
    double rate = tn_step_row_rate(step, slot, step->world->state.qvel, subsystem);
    int joint = (slot - tn_row_slot_joint(model, 0, 0)) / 3;
    if (joint >= model->joint_count) return rate != 0.0 ? copysign(INFINITY, rate) : 0.0;
    bool turns = tn_dof_turns(model, model->joints[joint].dof_start);
    return turns ? rate * model->links[model->joints[joint].link].lever : rate;
}

/* What stops within the step by itself, so that dry friction pushes on along the way that v leads
 * to hold it, does not go half of that way: that would be work done by friction. */
static void plan_stops(const TnStep *step, double *wanted)
{
    const TnWorld *world = step->world;
    const TnProblem *p = &world->set.problem;
    double slow = TN_KNOCK * tn_world_velocity_scale(world);
    for (int r = 0; r < p->row_count; r++) {
        const TnRow *row = &p->rows[r];
        int s;
        if (row->set != TN_ROW_BOX || !(row->lambda > row->lower && row->lambda < row->upper))
            continue;
        double motion = row_motion(step, r, &s);
        if (!(fabs(motion) > TN_STOPPED * slow) || !(row->lambda * motion > 0.0) ||
            wanted[s] == 1.0)
            continue;
        double moving = world->energies[s].kinetic;
        double mass = tn_kind_of(step->model, s)->mass(step->model, s);
        if (moving > mass * slow * slow) wanted[s] = 1.0;
    }
}

typedef struct Blending {
    const TnStep *step;
    const double *wanted;
} Blending;

/* Of those that do not depend on it. */
static void blend_range(void *context, int begin, int end)
{
    const Blending *b = context;
    const TnStep *step = b->step;
    for (int s = begin; s < end; s++)
        if (!step->world->minds[s]) step->plan.blend[s] = fmax(b->wanted[s], damped_blend(step, s));
}

bool tn_plan_check(TnStep *step, bool *changed)
{
    double *wanted = TN_ARENA_ZERO(&step->world->arena, double, step->model->subsystem_count);
    if (!wanted) return false;
    if (step->plan.outside)
        memcpy(wanted, step->plan.outside, sizeof(double) * (size_t)step->model->subsystem_count);
    tn_constraint_blend_after(&step->constraint, &step->world->set, wanted);
    plan_stops(step, wanted);
    tn_constraint_share_blend(step->model, wanted);
    *changed = !nobody_minds(step) && raise(step, wanted);
    tn_pool_run(step->world->team, step->model->subsystem_count, 1024, blend_range,
                &(Blending){step, wanted});
    return true;
}
