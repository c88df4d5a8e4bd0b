/* Figures of a run; see totals.h. */
#include "totals.h"

#include <math.h>

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

void totals_add(Totals *totals, const TnStepReport *report)
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
    if (report->diverged) totals->diverged = true;
}

int64_t steps_of(double duration, double timestep)
{
    /* 5 s / 0.01 s must not become 501 by rounding */
    double steps = ceil(duration / timestep * (1 - 1e-12));
    const double most = 9e18; /* more than anyone waits for, and within an int64_t */
    return (int64_t)fmin(fmax(steps, 1), most);
}
