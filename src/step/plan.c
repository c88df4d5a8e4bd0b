/* plan.c: how each subsystem will move over the step: the share w of v⁺ in its displacement
 * (constraint/blend.c).
 *
 * Springs, servos, equalities and wheels are written for a displacement, so w must be known before
 * the step is solved: a tree that moves with v⁺ while its springs are taken half way gains energy
 * for K t²/m > 4. The plan starts from what pushed in the last step, learns from the contacts that
 * the free motion closes, and where the solution still pushes what was not to be pushed, the step
 * is assembled and solved again. w only grows meanwhile. Subsystems without such forces (`minds`
 * false) take whatever w the solution gives them. */
#include "../base/shared.h"
#include "../model/joint_law.h"
#include "groups.h"
#include "kind.h"

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

/* Equalities; of cables' segments, which their holders carry, or not. */
static void mark_equalities(const TnModel *model, bool segments, bool *marks)
{
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *e = &model->equalities[i];
        if (!e->active || (e->segment && !segments)) continue;
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

/* Who equalities, paths, wheels and holds act on. */
static void mark_tied(const TnModel *model, bool *tied)
{
    mark_equalities(model, true, tied);
    mark_paths(model, tied);
    for (int i = 0; i < model->wheel_count; i++)
        mark_link(model, model->bodies[model->wheels[i].body].link, tied);
    for (int s = 0; s < model->soft_count; s++)
        for (int h = 0; h < model->softs[s].hold_count; h++)
            mark_link(model, model->softs[s].holds[h].link, tied);
}

void tn_plan_minds(const TnModel *model, bool *loops, bool *tied, bool *minds)
{
    mark_equalities(model, false, loops);
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

/* Rods that are joined to something by iteration will be pushed, unless a robot or the world has
 * the segment. */
static void plan_ties(const TnStep *step)
{
    const TnModel *model = step->model;
    for (int i = 0; model->rod_count && i < model->equality_count; i++) {
        const TnEquality *e = &model->equalities[i];
        bool tied = e->active && e->type != TN_EQUALITY_JOINT &&
                    (!e->segment || step->world->division->iterated[i]);
        const int bodies[2] = {e->body1, e->body2};
        for (int k = 0; tied && k < 2; k++) {
            const TnLink *link =
                &model->links[step->world->division->carrier[model->bodies[bodies[k]].link]];
            int s = link->held ? -1 : link->subsystem;
            if (s >= 0 && model->subsystems[s].kind == TN_SUBSYSTEM_ROD) step->blend[s] = 1.0;
        }
    }
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
            if (s >= 0) tn_shared_raise(&step->pressed[s], 1.0);
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
                step->pressed[s] = 1.0;
    }
}

void tn_plan_begin(TnStep *step)
{
    plan_ties(step);
    tn_pool_run(step->world->team, step->world->state.contact_count, 128, press_range, step);
    press_limits(step);
    for (int s = 0; step->world->at_start && s < step->model->subsystem_count; s++)
        if (step->model->subsystems[s].kind != TN_SUBSYSTEM_SOFT)
            step->blend[s] = fmax(step->blend[s], step->pressed[s]);
    tn_constraint_share_blend(step->model, step->blend);
}

/* Raises the planned w of those who mind to `wanted`; true where some changed. */
static bool raise(TnStep *step, const double *wanted)
{
    bool changed = false;
    for (int s = 0; s < step->model->subsystem_count; s++) {
        if (!step->world->minds[s] || !(wanted[s] > step->blend[s])) continue;
        step->blend[s] = wanted[s];
        step->replanned[s] = changed = true;
    }
    return changed;
}

bool tn_plan_share(TnStep *step, bool *changed)
{
    size_t bytes = sizeof(double) * (size_t)step->model->subsystem_count;
    double *wanted = tn_arena_alloc(&step->world->arena, bytes);
    if (!wanted) return false;
    memcpy(wanted, step->blend, bytes);
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
    if (step->outside)
        memcpy(wanted, step->outside, sizeof(double) * (size_t)model->subsystem_count);
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

/* Of what gravity gives in a step: what comes to rest from less has not far to go. */
#define SLOW 0.01

/* Of that: what is as slow along a row has been stopped before. */
#define STOPPED 1e-3

/* m/s: how fast what a row of friction acts on moves at the step's start, a turning joint at its
 * lever. A tendon's length may have any unit: it is fast. */
static double row_speed(const TnStep *step, int row, int *subsystem)
{
    const TnModel *model = step->model;
    const TnPathRow *path = tn_step_path_row(step, row);
    if (path) {
        *subsystem = model->tendons[path->tendon].subsystem;
        bool joints = model->paths[model->tendons[path->tendon].path].kind == TN_PATH_JOINTS;
        return joints && path->shift != 0.0 ? INFINITY : fabs(path->shift);
    }
    int slot = step->world->set.row_slot[row];
    double rate = fabs(tn_step_row_rate(step, slot, step->world->state.qvel, subsystem));
    int joint = (slot - tn_row_slot_joint(model, 0, 0)) / 3;
    if (joint >= model->joint_count) return rate > 0.0 ? INFINITY : 0.0;
    bool turns = tn_dof_turns(model, model->joints[joint].dof_start);
    return turns ? rate * model->links[model->joints[joint].link].lever : rate;
}

/* Who dry friction stops within the step does not go half of the way that v leads. */
static void plan_stops(const TnStep *step, double *wanted)
{
    const TnWorld *world = step->world;
    const TnProblem *p = &world->set.problem;
    double slow = SLOW * tn_world_solver(world).velocity_scale;
    for (int r = 0; r < p->row_count; r++) {
        const TnRow *row = &p->rows[r];
        int s;
        if (row->set != TN_ROW_BOX || !(row->lambda > row->lower && row->lambda < row->upper))
            continue;
        if (!(row_speed(step, r, &s) > STOPPED * slow) || wanted[s] == 1.0) continue;
        double moving = world->energies[s].kinetic;
        double mass = tn_kind_of(step->model, s)->mass(step->model, s);
        if (moving > mass * slow * slow) wanted[s] = 1.0;
    }
}

typedef struct Blending {
    const TnStep *step;
    const double *wanted;
} Blending;

/* Of those who do not mind. */
static void blend_range(void *context, int begin, int end)
{
    const Blending *b = context;
    const TnStep *step = b->step;
    for (int s = begin; s < end; s++)
        if (!step->world->minds[s]) step->blend[s] = fmax(b->wanted[s], damped_blend(step, s));
}

bool tn_plan_check(TnStep *step, bool *changed)
{
    double *wanted = TN_ARENA_ZERO(&step->world->arena, double, step->model->subsystem_count);
    if (!wanted) return false;
    if (step->outside)
        memcpy(wanted, step->outside, sizeof(double) * (size_t)step->model->subsystem_count);
    tn_constraint_blend_after(&step->constraint, &step->world->set, wanted);
    plan_stops(step, wanted);
    tn_constraint_share_blend(step->model, wanted);
    *changed = !nobody_minds(step) && raise(step, wanted);
    tn_pool_run(step->world->team, step->model->subsystem_count, 1024, blend_range,
                &(Blending){step, wanted});
    return true;
}
