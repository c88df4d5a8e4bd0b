/* Measuring a simulation; see bench.h. */
#include "../common/app.h"
#include "../common/progress.h"
#include "../common/totals.h"
#include "bench.h"
#include "own_solvers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
#include <malloc.h>
#define HAVE_MALLINFO2
#endif

size_t heap_in_use(void)
{
#ifdef HAVE_MALLINFO2
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

bool has_tolerance(const Measure *m) { return m->def.solver.tolerance > 0; }
double solver_ms(const Measure *m) { return 1e3 * (m->times.factor + m->times.iterate); }
void json_times(Json *json, const Measure *m)
{
    json_number(json, "step_ms_mean", 1e3 * m->times.total);
    json_number(json, "solver_ms_mean", solver_ms(m));
    json_number(json, "dynamics_ms_mean", 1e3 * m->times.dynamics);
    json_number(json, "collision_ms_mean", 1e3 * m->times.collision);
    json_number(json, "constraint_ms_mean", 1e3 * m->times.constraint);
    json_number(json, "factor_ms_mean", 1e3 * m->times.factor);
    json_number(json, "iterate_ms_mean", 1e3 * m->times.iterate);
    json_number(json, "integrate_ms_mean", 1e3 * m->times.integrate);
}

double us_per_iteration(const Measure *m) { return 1e6 * m->times.iterate / m->iterations_mean; }

double ns_per_contact_iteration(const Measure *m)
{
    return m->contacts_mean > 0 ? 1e3 * us_per_iteration(m) / m->contacts_mean : NAN;
}

static bool settle(TnWorld *world, Measure *m)
{
    for (int64_t k = 0; k < m->settle; k++) {
        if (!tn_world_step(world).diverged) continue;
        m->diverged = true;
        return false;
    }
    return true;
}

/* Accuracy, contacts and the hash that every timed pass must reproduce. */
static void accuracy_pass(TnWorld *world, Measure *m, uint64_t *hash)
{
    Totals totals = {0};
    double aav_sum = 0;
    m->aav_residual = 0;
    m->aav_count = 0;
    m->ran = 0;
    if (settle(world, m)) {
        int64_t stride = m->aav_samples ? (m->steps + m->aav_samples - 1) / m->aav_samples : 0;
        for (int64_t k = 0; k < m->steps && !m->diverged; k++) {
            TnStepReport report = tn_world_step(world);
            m->diverged = report.diverged;
            m->ran += !m->diverged;
            if (m->diverged || report.contact_count < m->least_contacts) continue;
            totals_add(&totals, world, &report);
            /* the last step of each stretch: by then the scene is in motion */
            if (!stride || (k + 1) % stride || report.contact_count + report.row_count == 0)
                continue;
            double reached = 0,
                   aav = tn_last_aav(world, &m->def.solver, m->aav_iterations, &reached);
            if (!isfinite(aav)) continue;
            aav_sum += aav;
            m->aav_count++;
            m->aav_residual = fmax(m->aav_residual, reached);
        }
    }
    m->measured = totals.steps;
    m->iterations_mean = totals_mean(totals.iterations, totals.steps);
    m->contacts_mean = totals_mean(totals.contacts, totals.steps);
    m->rows_mean = totals_mean(totals.rows, totals.steps);
    m->aac = totals_mean(totals.aac, totals.aac_count);
    m->aal = totals_mean(totals.aal, totals.aal_count);
    m->aav = totals_mean(aav_sum, m->aav_count);
    m->mean_penetration = totals_mean(totals.mean_penetration, totals.steps);
    m->max_penetration = totals.max_penetration;
    m->error = has_tolerance(m) ? totals.error : NAN;
    m->unconverged = totals.unconverged;
    m->islands_mean = totals_mean(totals.islands, totals.steps);
    m->asleep_mean = totals_mean(totals.asleep, totals.steps);
    memcpy(m->islands_by_method, totals.islands_by_method, sizeof m->islands_by_method);
    *hash = tn_world_hash(world);
}

static void timed_pass(TnWorld *world, Measure *m, TnStepTimes *least, bool first)
{
    if (!settle(world, m)) return;
    for (int64_t k = 0, n = 0; k < m->ran; k++) {
        TnStepReport report = tn_world_step(world);
        if (report.contact_count < m->least_contacts) continue;
        if (first)
            least[n] = report.times;
        else
            times_least(&least[n], &report.times);
        n++;
    }
}

TnStatus measure(const TnModel *model, Measure *m, TnError *err)
{
    TnStepTimes *least = calloc((size_t)m->steps, sizeof *least);
    if (!least) {
        *err = (TnError){.code = TN_ERROR_MEMORY, .count = 1};
        snprintf(err->message, sizeof err->message, "no memory for the times of %lld steps",
                 (long long)m->steps);
        return err->code;
    }
    uint64_t hash = 0;
    m->diverged = false;
    m->deterministic = true;
    m->measured = 0;
    m->times = (TnStepTimes){0};
    Progress progress = progress_start(m->repeats + 1, m->quiet);
    for (int pass = 0; pass <= m->repeats; pass++) {
        if (progress.shown)
            fprintf(stderr, "\r%s: pass %d of %d\033[K", m->label, pass + 1, m->repeats + 1);
        TnWorldDef def = m->def;
        def.measure_accuracy = pass == 0;
        TnWorld *world = tn_world_create(&def, model, err);
        if (!world) {
            progress_end(&progress);
            free(least);
            return err->code;
        }
        m->subsystems = tn_world_subsystem_count(world);
        m->bonds = tn_world_bond_count(world);
        if (pass == 0)
            accuracy_pass(world, m, &hash);
        else
            timed_pass(world, m, least, pass == 1);
        if (pass == 0) m->memory = heap_in_use() - m->memory_before;
        /* a diverged pass ends with a refused step, which the timed ones do not repeat; the state
         * is the same */
        if (tn_world_hash(world) != hash) m->deterministic = false;
        tn_world_destroy(world);
    }
    progress_end(&progress);
    if (!m->measured) times_add(&m->times, &(TnStepTimes){0}, NAN); /* none: NaN */
    for (int64_t k = 0; k < m->measured; k++)
        times_add(&m->times, &least[k], 1 / (double)m->measured);
    free(least);
    return TN_OK;
}
