/* copies.c: worlds that take steps in place of the user's, from its state. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../base/rounding.h"
#include "derive.h"

static void destroy(TnCopy *copy)
{
    tn_world_destroy(copy->world);
    for (int k = 0; k < TN_OWN_COUNT; k++) tn_free(copy->parts[k]);
    tn_free(copy->about);
    tn_free(copy->low);
    tn_free(copy->high);
    tn_free(copy->way);
    tn_free(copy->one);
    tn_free(copy->two);
    tn_free(copy->tangent);
    *copy = (TnCopy){0};
}

void tn_copies_destroy(TnDerivatives *d)
{
    for (int i = 0; i < d->copy_count; i++) destroy(&d->copies[i]);
}

/* With the world's own parameters; forces to rounding, for errors of the solver would be divided by
 * a small step. */
static bool create(const TnDerivatives *d, TnCopy *copy, TnError *err)
{
    const TnWorld *of = d->of;
    TnWorldDef def = of->def;
    size_t place = (size_t)tn_place_size(of->model) + 1, state = (size_t)d->state_count + 1;
    def.thread_count = 1;
    def.key = 0;
    def.log = NULL;
    def.measure_accuracy = false;
    if (tn_solves_to_tolerance(&def.solver))
        def.solver.tolerance = fmin(def.solver.tolerance, TN_ROUND_OFF);
    copy->world = tn_world_create_here(&def, of->model, NULL, err);
    if (!copy->world) return false;
    copy->world->at_start = of->at_start;
    copy->world->untimed = copy->world->settles = true;
    copy->linear = d->linear;
    copy->about = tn_calloc(state, sizeof(double));
    copy->low = tn_calloc(place, sizeof(double));
    copy->high = tn_calloc(place, sizeof(double));
    copy->way = tn_calloc(state + (size_t)d->ctrl_count, sizeof(double));
    copy->one = tn_calloc(state, sizeof(double));
    copy->two = tn_calloc(state, sizeof(double));
    copy->tangent = tn_calloc(state, sizeof(double));
    if (copy->about && copy->low && copy->high && copy->way && copy->one && copy->two &&
        copy->tangent && tn_copy_note_parameters(copy))
        return true;
    tn_error_add(err, TN_ERROR_MEMORY, "derivatives: no memory");
    return false;
}

bool tn_copies_update(TnDerivatives *d, TnError *err)
{
    if (d->copies[0].world && d->version == d->of->version) return true;
    tn_copies_destroy(d);
    for (int i = 0; i < d->copy_count; i++)
        if (!create(d, &d->copies[i], err)) {
            tn_copies_destroy(d);
            return false;
        }
    d->version = d->of->version;
    return true;
}

bool tn_start_note(TnDerivatives *d)
{
    const TnWorld *of = d->of;
    size_t need = tn_state_save_size(&of->state, of->model);
    if (need > d->start_capacity) {
        void *start = tn_malloc(need + need / 2);
        if (!start) return false;
        tn_free(d->start);
        d->start = start;
        d->start_capacity = need + need / 2;
    }
    tn_state_copy_out(&of->state, of->model, d->start);
    return true;
}

/* What the user applies is spent by each step. */
static void apply_again(const TnWorld *of, TnWorld *world)
{
    const TnModel *model = of->model;
    world->wrench_set = of->wrench_set;
    world->node_force_set = of->node_force_set;
    if (of->wrench_set) {
        memcpy(world->wrench, of->wrench, sizeof(double[6]) * (size_t)model->link_count);
        memcpy(world->applied, of->applied, sizeof(double[6]) * (size_t)model->body_count);
    }
    if (of->node_force_set)
        memcpy(world->node_force, of->node_force, sizeof(double) * (size_t)model->dof_count);
}

/* False: no memory. */
static bool return_to_start(const TnDerivatives *d, TnWorld *world)
{
    const TnState *from = &d->of->state;
    if (!tn_state_reserve_contacts(&world->state, from->contact_count) ||
        !tn_state_reserve_sleeping(&world->state, from->sleeping_count))
        return false;
    tn_state_copy_in(&world->state, world->model, d->start);
    if (!tn_world_follow_equalities(world)) return false;
    apply_again(d->of, world);
    return true;
}

/* The step, and where it leads. */
static bool step_to(TnCopy *copy, bool ok, double *out)
{
    TnWorld *world = copy->world;
    const TnModel *model = world->model;
    const TnState *state = &world->state;
    tn_world_forget_step(world);
    if (ok) copy->report = tn_world_step(world);
    memcpy(out, state->qpos, sizeof(double) * (size_t)model->qpos_count);
    memcpy(out + model->qpos_count, state->qvel, sizeof(double) * (size_t)model->dof_count);
    if (model->act_count)
        memcpy(out + model->qpos_count + model->dof_count, state->act,
               sizeof(double) * (size_t)model->act_count);
    return ok && !copy->report.diverged;
}

static void change_ctrl(const TnDerivatives *d, TnState *state, const double *way)
{
    for (int k = 0; k < d->ctrl_count; k++) state->ctrl[k] = d->ctrl[k] + way[k];
    state->ctrl_by_user = true;
}

bool tn_copy_take_along(const TnDerivatives *d, TnCopy *copy, const double *way, double *out)
{
    TnState *state = &copy->world->state;
    const TnModel *model = copy->world->model;
    int nv = model->dof_count, na = model->act_count;
    bool ok = return_to_start(d, copy->world);
    if (ok) {
        memcpy(copy->high, state->qpos, sizeof(double) * (size_t)model->qpos_count);
        tn_model_displace(model, copy->high, way, state->qpos);
        for (int k = 0; k < nv; k++) state->qvel[k] += way[nv + k];
        for (int k = 0; k < na; k++) state->act[k] += way[2 * nv + k];
        change_ctrl(d, state, way + 2 * nv + na);
    }
    return step_to(copy, ok, out);
}

bool tn_copy_take(const TnDerivatives *d, TnCopy *copy, const TnColumnOf *column, double by,
                  double *out)
{
    TnWorld *world = copy->world;
    TnState *state = &world->state;
    const TnModel *model = world->model;
    const TnParameter *p = NULL;
    bool ok = return_to_start(d, world);
    if (ok && column) {
        if (column->kind == TN_BY_QPOS) tn_tangent_nudge(model, column->index, by, state->qpos);
        if (column->kind == TN_BY_QVEL) state->qvel[column->index] += by;
        if (column->kind == TN_BY_ACT) state->act[column->index] += by;
        if (column->kind == TN_BY_CTRL) {
            memcpy(state->ctrl, d->ctrl, sizeof(double) * (size_t)model->actuator_count);
            state->ctrl[column->index] += by;
            state->ctrl_by_user = true;
        }
        if (column->kind == TN_BY_PARAMETER) {
            p = &d->parameters[column->index];
            ok = tn_parameter_set(world, p, tn_parameter_get(model, p) + by, NULL) == TN_OK;
            ok = return_to_start(d, world) && ok; /* setting one wakes sleepers */
        }
    }
    ok = step_to(copy, ok, out);
    if (p && !tn_copy_reset_parameters(copy, p)) copy->broken = true;
    return ok && !copy->broken;
}
