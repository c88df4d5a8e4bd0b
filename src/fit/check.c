/* check.c: what a fit cannot start from. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "parts.h"

/* Of the step from one row to the next: clocks of logs are rounded. */
#define SAME_STEP 1e-3

TnStatus tn_fit_refuse(TnError *err, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tn_error_add(err, TN_ERROR_USAGE, "fit: %s", text);
    return TN_ERROR_USAGE;
}

static bool has_no_negatives(TnParameterKind kind)
{
    return tn_parameter_is_one_sided(kind) || kind == TN_PARAMETER_MASS ||
           kind == TN_PARAMETER_SIZE;
}

bool tn_fit_is_log(const TnFitParameter *p)
{
    return p->scale == TN_FIT_LOG ||
           (p->scale == TN_FIT_AUTO && has_no_negatives(p->parameter.kind));
}

static TnStatus check_parameter(const TnModel *model, const TnFitDef *def, int index, TnError *err)
{
    const TnFitParameter *p = &def->parameters[index];
    TnStatus status = tn_parameter_check(model, &p->parameter, index, err);
    if (status != TN_OK) return status;
    char name[256];
    tn_parameter_text(model, &p->parameter, name, sizeof name);
    for (int k = 0; k < index; k++) {
        const TnParameter *a = &p->parameter, *b = &def->parameters[k].parameter;
        if (a->kind == b->kind && a->id == b->id && a->index == b->index)
            return tn_fit_refuse(err, "%s is given twice", name);
    }
    if (p->parameter.kind == TN_PARAMETER_TIMESTEP)
        return tn_fit_refuse(err, "the timestep is not to be fitted: times of logs depend on it");
    if (p->scale < TN_FIT_AUTO || p->scale > TN_FIT_LOG)
        return tn_fit_refuse(err, "%s: there is no such scale", name);
    double start = isnan(p->start) ? tn_parameter_get(model, &p->parameter) : p->start;
    double prior = isnan(p->prior) ? start : p->prior;
    bool logs = tn_fit_is_log(p);
    if (!isfinite(start) || !isfinite(prior))
        return tn_fit_refuse(err, "%s: start and prior must be finite", name);
    if (logs && !(start > 0.0 && prior > 0.0))
        return tn_fit_refuse(err,
                             "%s starts at %g; it is fitted by its logarithm: give a start and a "
                             "prior above 0, or the scale `linear`",
                             name, fmin(start, prior));
    if (!(p->low <= start && start <= p->high))
        return tn_fit_refuse(err, "%s starts at %g, which is not within its bounds %g … %g", name,
                             start, p->low, p->high);
    if (!(p->prior_sigma >= 0.0))
        return tn_fit_refuse(err, "%s: prior_sigma must not be negative", name);
    return TN_OK;
}

static TnStatus check_channel(const TnModel *model, const TnFitDef *def, int index, TnError *err)
{
    const TnFitChannel *c = &def->channels[index];
    const int counts[TN_FIT_CHANNEL_KIND_COUNT] = {[TN_FIT_QPOS] = model->qpos_count,
                                                   [TN_FIT_QVEL] = model->dof_count,
                                                   [TN_FIT_SENSOR] =
                                                       tn_model_info(model).sensor_data_count,
                                                   [TN_FIT_SITE] = 3};
    if (c->kind < 0 || c->kind >= TN_FIT_CHANNEL_KIND_COUNT)
        return tn_fit_refuse(err, "channel %d: there is no such kind", index);
    if (c->index < 0 || c->index >= counts[c->kind])
        return tn_fit_refuse(err, "channel %d: index is %d, must be below %d", index, c->index,
                             counts[c->kind]);
    if (c->kind == TN_FIT_SITE && (c->id < 1 || c->id > model->site_count))
        return tn_fit_refuse(err, "channel %d: the model has no site %d", index, c->id);
    if (!(c->sigma > 0.0 && isfinite(c->sigma)))
        return tn_fit_refuse(err, "channel %d: sigma must be above 0", index);
    if (c->kind == TN_FIT_SENSOR && def->method == TN_FIT_IMPLICIT)
        return tn_fit_refuse(err, "channel %d: sensors need the method `differences`", index);
    return TN_OK;
}

int tn_fit_steps_between(const TnModel *model, const TnFitRun *run, int index, TnError *err)
{
    double h = model->option.timestep;
    for (int k = 0; k < run->sample_count; k++) {
        if (!isfinite(run->times[k])) {
            tn_fit_refuse(err, "run %d: the time of row %d is not a number", index, k);
            return 0;
        }
        if (k && !(run->times[k] > run->times[k - 1])) {
            tn_fit_refuse(err, "run %d: times must rise; row %d has %g s after %g s", index, k,
                          run->times[k], run->times[k - 1]);
            return 0;
        }
    }
    double first = run->times[1] - run->times[0];
    double mean = (run->times[run->sample_count - 1] - run->times[0]) / (run->sample_count - 1);
    int steps = (int)fmin(floor(fmin(mean, first) / h + 0.5), 1e6);
    for (int k = 1; k < run->sample_count; k++) {
        double gap = run->times[k] - run->times[k - 1];
        if (gap > 1.5 * first) {
            tn_fit_refuse(err,
                          "run %d: there is a gap: from row %d to row %d it is %g s, before %g s; "
                          "make two runs of it, or fill it with rows of NaN",
                          index, k - 1, k, gap, first);
            return 0;
        }
        if (steps < 1 || !(fabs(gap - steps * h) <= SAME_STEP * h + 1e-9 * fabs(run->times[k]))) {
            tn_fit_refuse(err,
                          "run %d: from row %d to row %d it is %.9g s, no multiple of the timestep "
                          "%g s as elsewhere; resample the log, or change the timestep",
                          index, k - 1, k, gap, h);
            return 0;
        }
    }
    return steps;
}

static TnStatus check_numbers(const double *x, size_t count, const char *what, int run,
                              TnError *err)
{
    for (size_t i = 0; x && i < count; i++)
        if (!isfinite(x[i]))
            return tn_fit_refuse(err, "run %d: %s has a number that is not finite, at %zu", run,
                                 what, i);
    return TN_OK;
}

static TnStatus check_run(const TnModel *model, const TnFitDef *def, int index, TnError *err)
{
    const TnFitRun *run = &def->runs[index];
    size_t rows = run->sample_count > 0 ? (size_t)run->sample_count : 0;
    if (run->sample_count < 2 || !run->times || !run->measured)
        return tn_fit_refuse(
            err, "run %d: at least two rows with times and measurements are needed", index);
    if (!tn_fit_steps_between(model, run, index, err)) return TN_ERROR_USAGE;
    if (run->ctrl && !model->actuator_count)
        return tn_fit_refuse(err, "run %d has controls, and the model has no actuators", index);
    TnStatus status =
        check_numbers(run->ctrl, rows * (size_t)model->actuator_count, "ctrl", index, err);
    if (status == TN_OK)
        status = check_numbers(run->qpos, (size_t)model->qpos_count, "qpos", index, err);
    if (status == TN_OK)
        status = check_numbers(run->qvel, (size_t)model->dof_count, "qvel", index, err);
    if (status == TN_OK)
        status = check_numbers(run->act, (size_t)model->act_count, "act", index, err);
    for (int k = 0; run->start_sigma && k < 2 * model->dof_count + model->act_count; k++)
        if (!(run->start_sigma[k] >= 0.0))
            return tn_fit_refuse(err, "run %d: start_sigma %d is negative or not a number", index,
                                 k);
    for (size_t i = 0; i < rows * (size_t)def->channel_count; i++)
        if (isinf(run->measured[i]))
            return tn_fit_refuse(err, "run %d: a measurement is infinite, in row %zu", index,
                                 i / (size_t)def->channel_count);
    return status;
}

/* Data and priors must be as many as unknowns. */
static TnStatus check_counts(const TnModel *model, const TnFitDef *def, TnError *err)
{
    size_t data = 0, unknowns = (size_t)def->parameter_count;
    for (int i = 0; i < def->parameter_count; i++)
        data += def->parameters[i].prior_sigma > 0.0 || def->unseen == TN_FIT_REGULARIZE;
    for (int r = 0; r < def->run_count; r++) {
        const TnFitRun *run = &def->runs[r];
        size_t count = (size_t)run->sample_count * (size_t)def->channel_count;
        for (size_t i = 0; i < count; i++) data += isnan(run->measured[i]) ? 0 : 1;
        for (int k = 0; run->start_sigma && k < 2 * model->dof_count + model->act_count; k++) {
            unknowns += run->start_sigma[k] > 0.0;
            data += run->start_sigma[k] > 0.0 && isfinite(run->start_sigma[k]);
        }
    }
    if (data < unknowns)
        return tn_fit_refuse(err, "%zu measurements and priors are fewer than the %zu unknowns",
                             data, unknowns);
    return TN_OK;
}

TnStatus tn_fit_check(const TnModel *model, const TnFitDef *def, TnError *err)
{
    if (!model || !def) return tn_fit_refuse(err, "model and def must be given");
    if (def->parameter_count < 1 || !def->parameters)
        return tn_fit_refuse(err, "there are no parameters");
    if (def->channel_count < 1 || !def->channels)
        return tn_fit_refuse(err, "there are no channels, so nothing is measured");
    if (def->run_count < 1 || !def->runs) return tn_fit_refuse(err, "there are no runs");
    if (def->world.device != TN_DEVICE_CPU || def->world.spread || def->world.ranks)
        return tn_fit_refuse(err, "not by worlds on a device or in parts");
    if (def->method < 0 || def->method >= TN_FIT_METHOD_COUNT || def->unseen < 0 ||
        def->unseen >= TN_FIT_UNSEEN_COUNT)
        return tn_fit_refuse(err, "there is no such method, or no such way with what is not shown");
    if (!(def->known > 0.0)) return tn_fit_refuse(err, "known must be above 0");
    if (def->stages < 1 || def->stages > 16) return tn_fit_refuse(err, "stages must be 1 to 16");
    if (def->max_iterations < 1) return tn_fit_refuse(err, "max_iterations must be above 0");
    if (!(def->step >= 1e-9 && def->step <= 1e-2))
        return tn_fit_refuse(err, "step must be 1e-9 to 1e-2");
    if (def->thread_count < 1 || def->thread_count > 64)
        return tn_fit_refuse(err, "thread_count must be 1 to 64");
    TnStatus status = TN_OK;
    for (int i = 0; i < def->parameter_count; i++)
        if (check_parameter(model, def, i, err) != TN_OK) status = TN_ERROR_USAGE;
    for (int i = 0; i < def->channel_count; i++)
        if (check_channel(model, def, i, err) != TN_OK) status = TN_ERROR_USAGE;
    for (int i = 0; i < def->run_count; i++)
        if (check_run(model, def, i, err) != TN_OK) status = TN_ERROR_USAGE;
    return status == TN_OK ? check_counts(model, def, err) : status;
}
