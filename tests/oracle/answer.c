/* answer.c: what the library says of a model at given states, for a comparison with another engine
 * (test_oracle.py).
 *
 *     answer MODEL < states
 *
 * Prints a line `nbody nq nv nu na nsensordata nsensor`, then one line per sensor: its first
 * number, how many, its name. After that, for each state of nq + nv + nu + na doubles on the
 * standard input, in binary: body poses (7 each), mass matrix, bias, passive forces, actuator
 * forces, sensors, accelerations (nv). Exit status 3: the model does not load. */
#include <tenon/tenon.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REFUSED = 3 }; /* exit status: the model does not load */

typedef struct Ask {
    TnModel *model;
    TnModelInfo info;
    TnWorldDef def;
    double *state;
    TnEval eval;
    double *acceleration, *coarse;
} Ask;

static double *numbers(size_t count)
{
    double *out = calloc(count ? count : 1, sizeof *out);
    if (!out) {
        fprintf(stderr, "answer: no memory\n");
        exit(1);
    }
    return out;
}

static size_t count_of(int count) { return count > 0 ? (size_t)count : 0; }

static void print_sensors(const Ask *ask)
{
    const TnModelInfo *info = &ask->info;
    printf("%d %d %d %d %d %d %d\n", info->body_count, info->qpos_count, info->dof_count,
           info->actuator_count, info->act_count, info->sensor_data_count, info->sensor_count);
    for (int i = 1; i <= info->sensor_count; i++) {
        TnSensorInfo sensor = tn_model_sensor_info(ask->model, i);
        printf("%d %d %s\n", sensor.data_start, sensor.data_count,
               tn_model_sensor_name(ask->model, i));
    }
    fflush(stdout);
}

/* (v⁺ - v) / t of one step from the state. False: the step was refused. */
static bool accelerate(Ask *ask, double t, double *out)
{
    TnError err = {0};
    TnWorld *world = tn_world_create(&ask->def, ask->model, &err);
    const double *qpos = ask->state, *qvel = qpos + ask->info.qpos_count;
    const double *ctrl = qvel + ask->info.dof_count, *act = ctrl + ask->info.actuator_count;
    bool ok = world && tn_world_set_timestep(world, t, &err) == TN_OK &&
              tn_world_set_state(world, qpos, qvel, &err) == TN_OK &&
              (ask->info.actuator_count == 0 || tn_world_set_ctrl(world, ctrl, &err) == TN_OK) &&
              (ask->info.act_count == 0 || tn_world_set_act(world, act, &err) == TN_OK) &&
              !tn_world_step(world).diverged;
    if (ok) {
        const double *v = tn_world_state(world).qvel;
        for (int i = 0; i < ask->info.dof_count; i++) out[i] = (v[i] - qvel[i]) / t;
    } else
        fprintf(stderr, "answer: %s\n", err.message[0] ? err.message : "the step was refused");
    tn_world_destroy(world);
    return ok;
}

/* Two short steps, extrapolated to none: the error is of second order in t, which is far below the
 * periods of servos on light links. */
static bool answer(Ask *ask)
{
    const TnModelInfo *info = &ask->info;
    const double *qvel = ask->state + info->qpos_count, *ctrl = qvel + info->dof_count, t = 1e-8;
    TnError err = {0};
    ask->eval.act = ctrl + info->actuator_count;
    if (tn_model_eval(ask->model, ask->state, qvel, ctrl, &ask->eval, &err) != TN_OK) {
        fprintf(stderr, "answer: %s\n", err.message);
        return false;
    }
    if (!accelerate(ask, 2.0 * t, ask->coarse) || !accelerate(ask, t, ask->acceleration))
        return false;
    for (int i = 0; i < info->dof_count; i++)
        ask->acceleration[i] = 2.0 * ask->acceleration[i] - ask->coarse[i];
    return true;
}

static void put(const double *x, size_t count) { fwrite(x, sizeof *x, count, stdout); }

int main(int argc, char **argv)
{
    TnError err = {0};
    Ask ask = {.def = tn_world_def()};
    if (argc != 2) {
        fprintf(stderr, "usage: answer MODEL < states\n");
        return 2;
    }
    TnLoadDef how = tn_load_def();
    how.reach = TN_FILES_ANY; /* some packages share meshes between distant folders */
    TnModelBuilder *builder = tn_builder_load(argv[1], &how, NULL, &err);
    ask.model = builder ? tn_builder_compile(builder, &err) : NULL;
    tn_builder_destroy(builder);
    if (!ask.model) {
        fprintf(stderr, "%s\n", err.message);
        return REFUSED;
    }
    ask.info = tn_model_info(ask.model);
    ask.def.solver.tolerance = 1e-12;
    print_sensors(&ask);
    size_t bodies = count_of(ask.info.body_count), nq = count_of(ask.info.qpos_count);
    size_t nv = count_of(ask.info.dof_count), nu = count_of(ask.info.actuator_count);
    size_t sensors = count_of(ask.info.sensor_data_count);
    size_t size = nq + nv + nu + count_of(ask.info.act_count);
    ask.state = numbers(size);
    ask.acceleration = numbers(nv);
    ask.coarse = numbers(nv);
    ask.eval = (TnEval){.body_poses = numbers(7 * bodies),
                        .mass_matrix = numbers(nv * nv),
                        .bias = numbers(nv),
                        .passive = numbers(nv),
                        .actuator_force = numbers(nu),
                        .sensors = numbers(sensors)};
    bool ok = true;
    while (ok && size > 0 && fread(ask.state, sizeof(double), size, stdin) == size) {
        ok = answer(&ask);
        put(ask.eval.body_poses, 7 * bodies);
        put(ask.eval.mass_matrix, nv * nv);
        put(ask.eval.bias, nv);
        put(ask.eval.passive, nv);
        put(ask.eval.actuator_force, nu);
        put(ask.eval.sensors, sensors);
        put(ask.acceleration, nv);
    }
    free(ask.state);
    free(ask.acceleration);
    free(ask.coarse);
    free(ask.eval.body_poses);
    free(ask.eval.mass_matrix);
    free(ask.eval.bias);
    free(ask.eval.passive);
    free(ask.eval.actuator_force);
    free(ask.eval.sensors);
    tn_model_destroy(ask.model);
    return ok ? 0 : 1;
}
