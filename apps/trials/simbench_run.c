/* One run of a scene of SimBenchmark. */
#include "simbench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TnStatus simbench_open(SimbenchRun *run, const TnWorldDef *def, TnError *err)
{
    TnModelBuilder *builder = tn_builder_create();
    TnOption option = tn_option();
    option.timestep = run->t;
    if (!run->scene->falls) memset(option.gravity, 0, sizeof option.gravity);
    tn_builder_set_name(builder, run->scene->name);
    tn_builder_set_option(builder, &option, (TnSource){0});
    run->scene->build(builder);
    run->model = tn_builder_compile(builder, err);
    tn_builder_destroy(builder);
    run->world = tn_world_create(def, run->model, err);
    if (!run->world) return err->code;
    if (!run->scene->falls) { /* the ball comes with 5 m/s */
        TnStateView view = tn_world_state(run->world);
        double *v = calloc((size_t)view.dof_count, sizeof *v);
        if (v) v[view.dof_count - 5] = 5;
        if (v) tn_world_set_state(run->world, NULL, v, err);
        free(v);
    }
    double angular[3];
    TnEnergy e = tn_world_energy(run->world);
    run->start = e.kinetic + e.potential;
    tn_world_momentum(run->world, run->momentum, angular);
    return TN_OK;
}

void simbench_run(SimbenchRun *run, double duration)
{
    run->steps = (int64_t)(duration / run->t + 0.5);
    for (int64_t k = 0; k < run->steps && !run->diverged; k++) {
        if (run->scene->push) run->scene->push(run);
        TnStepReport report = tn_world_step(run->world);
        run->seconds += report.times.total;
        run->diverged = report.diverged;
        run->unconverged += !report.converged;
        double error = run->scene->error(run);
        if (isnan(error)) continue;
        run->error += error;
        run->worst = fmax(run->worst, error);
        run->counted++;
    }
    run->error = run->counted ? run->error / (double)run->counted : NAN;
    if (!run->counted) run->worst = NAN;
    tn_world_destroy(run->world);
    tn_model_destroy(run->model);
}
