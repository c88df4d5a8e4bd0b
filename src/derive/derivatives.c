/* derivatives.c: A, B and P of the step that a world would take now. */
#include <tenon/derivatives.h>

#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../base/rounding.h"
#include "../ranks/spread.h"
#include "closed.h"

TnDerivativeDef tn_derivative_def(void)
{
    return (TnDerivativeDef){.state = true,
                             .ctrl = true,
                             .step = 1e-6,
                             .compliance = 1.0 / 60.0,
                             .sides = 2,
                             .thread_count = 1};
}

static TnStatus refuse(TnError *err, const char *why)
{
    tn_error_add(err, TN_ERROR_USAGE, "derivatives: %s", why);
    return TN_ERROR_USAGE;
}

static TnStatus no_memory(TnError *err)
{
    tn_error_add(err, TN_ERROR_MEMORY, "derivatives: no memory");
    return TN_ERROR_MEMORY;
}

static TnStatus check(const TnWorld *world, const TnDerivativeDef *def, TnError *err)
{
    if (!world || !def) return refuse(err, "world and def must be given");
    if (world->device || world->spread || world->near || world->def.ranks)
        return refuse(err, "not of worlds on a device or in parts");
    if (def->method < 0 || def->method >= TN_DERIVATIVE_METHOD_COUNT)
        return refuse(err, "there is no such method");
    if (!(def->step >= 1e-9 && def->step <= 1e-2)) return refuse(err, "step must be 1e-9 to 1e-2");
    if (!(def->smoothing >= 0.0 && def->smoothing <= 1e3))
        return refuse(err, "smoothing must be 0 to 1000");
    if (def->smoothing > 0.0 && def->method != TN_DERIVATIVES_IMPLICIT)
        return refuse(err, "differences of whole steps cannot be smoothed");
    if (!(def->compliance >= 1e-6 && def->compliance <= 1e3))
        return refuse(err, "compliance must be 1e-6 to 1000");
    if (def->sides != 1 && def->sides != 2) return refuse(err, "sides must be 1 or 2");
    if (def->thread_count < 1 || def->thread_count > 64)
        return refuse(err, "thread_count must be 1 to 64");
    if (def->parameter_count < 0 || (def->parameter_count > 0 && !def->parameters))
        return refuse(err, "parameters must be given");
    TnStatus status = TN_OK;
    for (int i = 0; i < def->parameter_count; i++)
        if (tn_parameter_check(world->model, &def->parameters[i], i, err) != TN_OK)
            status = TN_ERROR_USAGE;
    return status;
}

/* What this model does not let be set: cables' masses, a free body's spring. */
static TnStatus try_parameters(TnDerivatives *d, TnError *err)
{
    TnCopy *copy = &d->copies[0];
    TnStatus status = TN_OK;
    for (int i = 0; i < d->def.parameter_count; i++) {
        const TnParameter *p = &d->parameters[i];
        double value = tn_parameter_get(copy->world->model, p);
        if (tn_parameter_set(copy->world, p, value, err) != TN_OK) status = TN_ERROR_USAGE;
        if (!tn_copy_reset_parameters(copy, p)) return no_memory(err);
    }
    return status;
}

static bool reserve(TnDerivatives *d)
{
    const TnModel *model = d->of->model;
    size_t n = (size_t)d->state_count, nu = (size_t)d->ctrl_count,
           np = (size_t)d->def.parameter_count, columns = (size_t)d->column_count;
    d->A = tn_calloc(n * n + 1, sizeof(double));
    d->B = tn_calloc(n * nu + 1, sizeof(double));
    d->P = tn_calloc(n * np + 1, sizeof(double));
    d->kinks = tn_calloc(columns + 1, sizeof(double));
    d->columns = tn_calloc(columns + 1, 1);
    d->here = tn_calloc((size_t)tn_place_size(model) + 1, sizeof(double));
    d->linear_here = tn_calloc((size_t)tn_place_size(model) + 1, sizeof(double));
    d->linear = tn_linear_create(model);
    d->first = tn_linear_create(model);
    d->closed = tn_closed_create(model, d->def.parameter_count);
    d->ctrl = tn_calloc((size_t)model->actuator_count + 1, sizeof(double));
    d->parameters = tn_calloc(np + 1, sizeof *d->parameters);
    d->copies = tn_calloc((size_t)d->copy_count, sizeof *d->copies);
    d->pool = d->copy_count > 1 ? tn_pool_create(d->copy_count) : NULL;
    return d->A && d->B && d->P && d->kinks && d->columns && d->here && d->linear_here &&
           d->linear && d->first && d->closed && d->ctrl && d->parameters && d->copies &&
           (d->copy_count == 1 || d->pool);
}

TnDerivatives *tn_derivatives_create(const TnWorld *world, const TnDerivativeDef *def, TnError *err)
{
    if (check(world, def, err) != TN_OK) return NULL;
    TnDerivatives *d = tn_calloc(1, sizeof *d);
    if (!d) {
        no_memory(err);
        return NULL;
    }
    d->of = world;
    d->def = *def;
    d->why = "";
    d->copy_count = def->thread_count;
    d->state_count = 2 * world->model->dof_count + world->model->act_count;
    d->ctrl_count = world->model->actuator_count;
    d->column_count = d->state_count + d->ctrl_count + def->parameter_count;
    bool ok = reserve(d);
    if (!ok) no_memory(err);
    if (ok && def->parameter_count)
        memcpy(d->parameters, def->parameters,
               sizeof *d->parameters * (size_t)def->parameter_count);
    d->def.parameters = d->parameters;
    if (!ok || !tn_copies_update(d, err) || try_parameters(d, err) != TN_OK) {
        tn_derivatives_destroy(d);
        return NULL;
    }
    return d;
}

void tn_derivatives_destroy(TnDerivatives *d)
{
    if (!d) return;
    if (d->copies) tn_copies_destroy(d);
    tn_pool_destroy(d->pool);
    tn_free(d->copies);
    tn_free(d->parameters);
    tn_free(d->ctrl);
    tn_closed_destroy(d->closed);
    tn_linear_destroy(d->first);
    tn_linear_destroy(d->linear);
    tn_free(d->linear_here);
    tn_free(d->here);
    tn_free(d->start);
    tn_free(d->columns);
    tn_free(d->kinks);
    tn_free(d->P);
    tn_free(d->B);
    tn_free(d->A);
    tn_free(d);
}

static bool is_wanted(const TnDerivatives *d, int column)
{
    TnColumnKind kind = tn_column_of(d, column).kind;
    if (kind == TN_BY_PARAMETER) return true;
    return kind == TN_BY_CTRL ? d->def.ctrl : d->def.state;
}

static bool is_closed(const TnDerivatives *d, int column)
{
    TnColumnOf of = tn_column_of(d, column);
    if (!d->is_closed) return false;
    if (of.kind == TN_BY_PARAMETER) return d->closed->known[of.index];
    return column >= 2 * d->of->model->dof_count || !d->closed->open[column];
}

static bool all_closed(const TnDerivatives *d)
{
    for (int c = 0; c < d->column_count; c++)
        if (is_wanted(d, c) && !is_closed(d, c)) return false;
    return true;
}

/* Each copy takes its share; a column does not depend on whose it is. */
static void take_columns(void *context, int begin, int end)
{
    TnDerivatives *d = context;
    for (int i = begin; i < end; i++)
        for (int c = i; c < d->column_count; c += d->copy_count)
            if (is_wanted(d, c) && !is_closed(d, c)) tn_differences(d, &d->copies[i], c);
}

static void count(TnDerivatives *d)
{
    d->implicit_count = d->difference_count = d->none_count = d->kink_count = d->closed_count = 0;
    for (int c = 0; c < d->column_count; c++) {
        if (!is_wanted(d, c)) continue;
        if (is_closed(d, c)) {
            d->columns[c] = TN_COLUMN_IMPLICIT;
            d->kinks[c] = 0.0;
            d->closed_count++;
        }
        d->implicit_count += d->columns[c] == TN_COLUMN_IMPLICIT;
        d->difference_count += d->columns[c] == TN_COLUMN_DIFFERENCES;
        d->none_count += d->columns[c] == TN_COLUMN_NONE;
        d->kink_count += d->kinks[c] > TN_KINK;
    }
}

/* The new state that linear laws lead to is that of the step, but for the solver's tolerance. */
static bool is_same_step(const TnDerivatives *d)
{
    const TnModel *model = d->of->model;
    double *off = d->copies[0].tangent, speed = tn_world_velocity_scale(d->of) * TN_SAME;
    tn_place_difference(model, d->here, d->linear_here, off);
    for (int k = 0; k < model->dof_count; k++) {
        double rounding = TN_SAME * TN_SAME * fabs(d->here[model->qpos_count + k]);
        if (!(fabs(off[model->dof_count + k]) <= speed + rounding)) return false;
    }
    return true;
}

/* Those of the solution that the last one was about, where that was the first: the step is taken
 * without further passes. False: no memory. */
static bool find_first_laws(TnDerivatives *d, TnCopy *copy)
{
    d->has_first = false;
    if (!d->linear->one_pass) return true;
    copy->world->def.passes = 1;
    tn_linear_watch(d->first, copy);
    bool taken = tn_copy_take(d, copy, NULL, 0.0, copy->low);
    tn_linear_unwatch(copy);
    bool ok = !taken || tn_linear_note(d, d->first, copy);
    copy->world->def.passes = 0;
    d->has_first = taken && ok && !d->first->why[0] && !d->first->has_about;
    return ok;
}

/* About the step that the copy took last. False: no memory. */
static bool find_closed(TnDerivatives *d, TnCopy *copy)
{
    if (!tn_closed_find(d, copy)) return false;
    d->is_closed = !d->closed->why[0];
    d->is_linear |= d->is_closed;
    return true;
}

/* What implicit columns are linear about. False: no memory. */
static bool find_laws(TnDerivatives *d)
{
    TnCopy *copy = &d->copies[0];
    d->is_linear = d->is_closed = false;
    if (!tn_linear_note(d, d->linear, copy)) return false;
    d->why = "";
    if (d->def.method != TN_DERIVATIVES_IMPLICIT) return true;
    d->why = d->linear->why;
    if (d->why[0]) return true;
    if (d->def.smoothing == 0.0 && !find_closed(d, copy)) return false;
    if (d->is_closed && all_closed(d)) return true;
    if (!find_first_laws(d, copy)) return false;
    tn_linear_begin(copy);
    if (d->def.smoothing > 0.0) tn_closed_watch(d, copy);
    d->is_linear = tn_linear_take(d, copy, NULL, 0.0, d->linear_here);
    tn_linear_end(copy);
    if (d->def.smoothing == 0.0) d->is_linear = d->is_linear && is_same_step(d);
    if (!d->is_linear) d->why = "the step is not the one that its laws lead to";
    if (!d->is_linear) d->is_closed = false;
    return !d->is_linear || d->def.smoothing == 0.0 || find_closed(d, copy);
}

/* By differences, and not for a limit whose law has two slopes there. */
static bool has_doubtful_columns(const TnDerivatives *d)
{
    for (int c = 0; c < d->column_count; c++) {
        bool at_limit = d->is_closed && c < 2 * d->of->model->dof_count && d->closed->open[c];
        if (is_wanted(d, c) && d->columns[c] == TN_COLUMN_DIFFERENCES && !at_limit) return true;
    }
    return false;
}

TnStatus tn_world_derivatives(const TnWorld *world, TnDerivatives *d, TnError *err)
{
    if (!world || !d) return refuse(err, "world and derivatives must be given");
    if (world != d->of) return refuse(err, "they were made for another world");
    if (world->stepping) return refuse(err, "a step runs");
    bool same = d->copies[0].world && d->version == world->version;
    if (!tn_copies_update(d, err)) return err && err->code ? err->code : TN_ERROR_MEMORY;
    if (!same || !d->noted) tn_closed_note_parameters(d, &d->copies[0]);
    d->noted = true;
    if (!tn_start_note(d)) return no_memory(err);
    tn_linear_watch(d->linear, &d->copies[0]);
    tn_closed_watch(d, &d->copies[0]);
    bool taken = tn_copy_take(d, &d->copies[0], NULL, 0.0, d->here);
    tn_linear_unwatch(&d->copies[0]);
    if (!taken) return refuse(err, "the step is rejected, so it has no derivatives");
    /* those of a control track as they are in this step */
    if (d->ctrl_count)
        memcpy(d->ctrl, d->copies[0].world->state.ctrl, sizeof(double) * (size_t)d->ctrl_count);
    if (!find_laws(d)) return no_memory(err);
    tn_pool_run(d->pool, d->copy_count, 1, take_columns, d);
    count(d);
    /* laws that do not hold in states nearby may be others here, too */
    bool doubtful = d->linear->doubtful || has_doubtful_columns(d);
    if (d->is_linear && doubtful && d->def.smoothing == 0.0 &&
        !tn_differences_agree(d, &d->copies[0])) {
        d->is_linear = d->is_closed = false;
        d->why = "whole steps do not agree with their laws";
        tn_pool_run(d->pool, d->copy_count, 1, take_columns, d);
        count(d);
    }
    for (int i = 0; i < d->copy_count; i++)
        if (d->copies[i].broken) {
            tn_copies_destroy(d); /* made again by the next call */
            return no_memory(err);
        }
    if (d->is_linear && d->difference_count) d->why = "laws change in states nearby";
    return TN_OK;
}

TnDerivativesView tn_derivatives_view(const TnDerivatives *d)
{
    if (!d) return (TnDerivativesView){.why = "", .why_not_closed = ""};
    const TnModel *model = d->of->model;
    return (TnDerivativesView){.state_count = d->state_count,
                               .ctrl_count = d->ctrl_count,
                               .parameter_count = d->def.parameter_count,
                               .A = d->A,
                               .B = d->B,
                               .P = d->P,
                               .next_qpos = d->here,
                               .next_qvel = d->here + model->qpos_count,
                               .next_act = d->here + model->qpos_count + model->dof_count,
                               .columns = d->columns,
                               .kinks = d->kinks,
                               .implicit_count = d->implicit_count,
                               .difference_count = d->difference_count,
                               .none_count = d->none_count,
                               .kink_count = d->kink_count,
                               .switches = d->linear->switches,
                               .switch_count = d->linear->switch_count,
                               .forces = d->is_linear ? d->linear->n : 0,
                               .condition = d->is_linear ? d->linear->condition : 0.0,
                               .why = d->why,
                               .closed_count = d->closed_count,
                               .why_not_closed = d->is_linear ? d->closed->why : d->why};
}

/* out = Mᵀ g, M with `count` columns. */
static void multiply(const TnDerivatives *d, const double *M, int count, const double *g,
                     double *out)
{
    if (!out) return;
    memset(out, 0, sizeof(double) * (size_t)count);
    for (int i = 0; i < d->state_count; i++)
        for (int k = 0; k < count; k++) out[k] += M[(size_t)i * (size_t)count + (size_t)k] * g[i];
}

TnStatus tn_derivatives_adjoint(const TnDerivatives *d, const double *next, double *state,
                                double *ctrl, double *parameters, TnError *err)
{
    if (!d || !next) return refuse(err, "derivatives and the gradient must be given");
    if ((state && !d->def.state) || (ctrl && !d->def.ctrl))
        return refuse(err, "these columns were not asked for");
    multiply(d, d->A, d->state_count, next, state);
    multiply(d, d->B, d->ctrl_count, next, ctrl);
    multiply(d, d->P, d->def.parameter_count, next, parameters);
    return TN_OK;
}
