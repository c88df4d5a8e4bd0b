/* Figures of a run; see totals.h. */
#include "totals.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double totals_mean(double sum, int64_t count) { return count ? sum / (double)count : NAN; }

void times_add(TnStepTimes *sum, const TnStepTimes *times, double scale)
{
    sum->dynamics += scale * times->dynamics;
    sum->collision += scale * times->collision;
    sum->constraint += scale * times->constraint;
    sum->factor += scale * times->factor;
    sum->iterate += scale * times->iterate;
    sum->integrate += scale * times->integrate;
    sum->total += scale * times->total;
}

void times_least(TnStepTimes *least, const TnStepTimes *times)
{
    least->dynamics = fmin(least->dynamics, times->dynamics);
    least->collision = fmin(least->collision, times->collision);
    least->constraint = fmin(least->constraint, times->constraint);
    least->factor = fmin(least->factor, times->factor);
    least->iterate = fmin(least->iterate, times->iterate);
    least->integrate = fmin(least->integrate, times->integrate);
    least->total = fmin(least->total, times->total);
}

static void add_reason(Totals *totals, const char *why)
{
    int i = 0;
    while (i < totals->reason_count && strcmp(totals->reasons[i].why, why) != 0) i++;
    if (i == MOST_REASONS) return;
    if (i == totals->reason_count) {
        totals->reasons[i].why = why;
        totals->reason_count++;
    }
    totals->reasons[i].islands++;
}

void totals_add(Totals *totals, const TnWorld *world, const TnStepReport *report)
{
    totals->steps++;
    totals->iterations += report->iterations;
    totals->contacts += report->contact_count;
    totals->rows += report->row_count;
    if (isfinite(report->aac)) {
        totals->aac += report->aac;
        totals->aac_count++;
    }
    if (isfinite(report->aal)) {
        totals->aal += report->aal;
        totals->aal_count++;
    }
    totals->mean_penetration += report->mean_penetration;
    totals->max_penetration = fmax(totals->max_penetration, report->max_penetration);
    times_add(&totals->times, &report->times, 1);
    if (!report->converged) totals->unconverged++;
    if (report->rough) totals->rough++;
    if (report->halved) totals->halved++;
    if (report->parts && (!totals->parts || report->shortest < totals->shortest))
        totals->shortest = report->shortest;
    totals->parts += report->parts;
    if (!isnan(report->time_error)) {
        totals->time_error += report->time_error;
        totals->time_error_max = fmax(totals->time_error_max, report->time_error);
        totals->time_errors++;
        totals->inaccurate += report->inaccurate;
    }
    for (int k = 0; k < TN_PASS_COUNT; k++) {
        totals->passes[k].asked += report->passes[k].asked;
        totals->passes[k].repeated += report->passes[k].repeated;
        totals->passes[k].worst = fmax(totals->passes[k].worst, report->passes[k].worst);
    }
    TnTrouble trouble = tn_world_trouble(world);
    bool contradicts = report->contradiction > totals->contradiction &&
                       (report->rough || trouble.kind == TN_TROUBLE_CONTRADICTION);
    if (report->error > totals->error || contradicts) { /* false for NaN: not measured */
        totals->error = fmax(totals->error, report->error);
        totals->worst_step = totals->steps;
        tn_world_worst_constraint(world, report->worst_island, totals->worst, WORST_SIZE);
        totals->help = trouble.kind == TN_TROUBLE_NONE ? NULL : trouble.help;
    }
    if (report->rigid_error > totals->rigid_error) totals->rigid_error = report->rigid_error;
    if (report->contradiction > totals->contradiction)
        totals->contradiction = report->contradiction;
    totals->islands += report->island_count;
    totals->asleep += report->asleep_count;
    for (int i = 0; i < TN_METHOD_COUNT; i++)
        totals->islands_by_method[i] += report->islands_by_method[i];
    for (int i = 0; i < report->island_count; i++)
        add_reason(totals, tn_world_island(world, i).why);
    if (report->form) totals->form = report->form;
    if (report->diverged) {
        totals->diverged = true;
        totals->rejected = tn_world_trouble(world);
    }
}

const char *why_they_ran(const Totals *totals, char text[REASONS_SIZE])
{
    size_t used = 0;
    snprintf(text, REASONS_SIZE, "nothing to solve");
    for (int i = 0; i < totals->reason_count && used < REASONS_SIZE; i++)
        used += (size_t)snprintf(text + used, REASONS_SIZE - used, "%s%.3g %% %s", used ? ", " : "",
                                 100 * totals->reasons[i].islands / totals->islands,
                                 totals->reasons[i].why);
    return text;
}

const char *what_ran(const double islands_by_method[TN_METHOD_COUNT], char text[WHAT_RAN_SIZE])
{
    static const char *const names[TN_METHOD_COUNT] = {"starting guess",
                                                       "SubADMM",
                                                       "assembled ADMM",
                                                       "Newton",
                                                       "PGS",
                                                       "interior points",
                                                       "augmented Lagrangian",
                                                       "small islands",
                                                       "a solver of tenon-bench"};
    static const int order[TN_METHOD_COUNT] = {
        TN_METHOD_AUTO,     TN_METHOD_SMALL,    TN_METHOD_NEWTON,
        TN_METHOD_INTERIOR, TN_METHOD_PROXIMAL, TN_METHOD_ASSEMBLED,
        TN_METHOD_SUBADMM,  TN_METHOD_PGS,      TN_METHOD_OWN};
    double sum = 0;
    size_t used = 0;
    for (int i = 0; i < TN_METHOD_COUNT; i++) sum += islands_by_method[i];
    snprintf(text, WHAT_RAN_SIZE, "nothing to solve");
    for (int i = 0; i < TN_METHOD_COUNT; i++) {
        double count = islands_by_method[order[i]];
        if (count == 0 || used >= WHAT_RAN_SIZE) continue;
        used += (size_t)snprintf(text + used, WHAT_RAN_SIZE - used, "%s%.3g %% %s",
                                 used ? ", " : "", 100 * count / sum, names[order[i]]);
    }
    return text;
}

void json_islands(Json *json, double mean, const double islands_by_method[TN_METHOD_COUNT],
                  double asleep_mean)
{
    json_number(json, "islands_mean", mean);
    json_begin_object(json, "islands_by_method");
    json_number(json, "started", islands_by_method[TN_METHOD_AUTO]);
    for (int i = 1; i < TN_METHOD_COUNT; i++)
        if (i != TN_METHOD_OWN || islands_by_method[i] > 0)
            json_number(json, tn_method_name((TnMethod)i), islands_by_method[i]);
    json_end(json);
    json_number(json, "asleep_mean", asleep_mean);
}

int64_t steps_of(double duration, double timestep)
{
    /* 5 s / 0.01 s must not become 501 by rounding */
    double steps = ceil(duration / timestep * (1 - 1e-12));
    const double most = 9e18; /* more than anyone waits for, and within an int64_t */
    return (int64_t)fmin(fmax(steps, 1), most);
}
