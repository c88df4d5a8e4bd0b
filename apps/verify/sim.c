/* Small worlds for rows, with the settings of the program: nothing is tuned. */
#include "platform/files.h"
#include "verify.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A world of this model, or a finding that says why there is none. */
static Sim start(Finding *finding, TnModel *model, TnWorldDef def, TnError *err)
{
    Sim sim = {.finding = finding, .model = model};
    if (model) def.key = tn_model_find_key(model, "start");
    sim.world = tn_world_create(&def, model, err);
    if (!sim.world) finding_trouble(finding, "%.300s", err->message);
    if (model) sim.t = tn_model_info(model).option.timestep;
    return sim;
}

Sim sim_open(Finding *finding, double timestep, const char *gravity, const char *format, ...)
{
    char *parts = NULL, *text = NULL;
    size_t size;
    va_list args;
    FILE *memory = tn_stream_open_memory(&parts, &size);
    if (!memory) {
        finding_trouble(finding, "no memory");
        return (Sim){.finding = finding};
    }
    va_start(args, format);
    vfprintf(memory, format, args);
    va_end(args);
    if (tn_stream_close_memory(memory, &parts, &size) != 0) {
        finding_trouble(finding, "no memory");
        return (Sim){.finding = finding};
    }
    size += 256 + strlen(gravity);
    text = malloc(size);
    if (text)
        snprintf(text, size,
                 "<mujoco><compiler angle='radian'/><option timestep='%.17g' gravity='%s'/>%s"
                 "</mujoco>",
                 timestep, gravity, parts);
    TnError err = {0};
    TnModel *model = text ? tn_model_load_string(text, "row", NULL, &err) : NULL;
    free(text);
    free(parts);
    return start(finding, model, tn_world_def(), &err);
}

Sim sim_build(Finding *finding, TnModelBuilder *builder, const TnWorldDef *def)
{
    TnError err = {0};
    TnModel *model = tn_builder_compile(builder, &err);
    tn_builder_destroy(builder);
    return start(finding, model, def ? *def : tn_world_def(), &err);
}

void sim_close(Sim *sim)
{
    tn_world_destroy(sim->world);
    tn_model_destroy(sim->model);
    *sim = (Sim){.finding = sim->finding};
}

bool sim_step(Sim *sim)
{
    if (!sim->world) return false;
    TnStepReport report = tn_world_step(sim->world);
    sim->finding->not_converged += !report.converged;
    if (report.diverged) finding_trouble(sim->finding, "step rejected at %g s", sim_time(sim));
    return !report.diverged;
}

bool sim_run(Sim *sim, double until)
{
    while (sim->world && sim_time(sim) < until - 0.5 * sim->t)
        if (!sim_step(sim)) return false;
    if (sim->world && fabs(sim_time(sim) - until) > 1e-6 * sim->t)
        finding_trouble(sim->finding, "%g s is no whole number of steps", until);
    return sim->world != NULL;
}

double sim_time(const Sim *sim) { return tn_world_state(sim->world).time; }

double sim_energy(const Sim *sim)
{
    TnEnergy e = tn_world_energy(sim->world);
    return e.kinetic + e.potential;
}

/* Rows may read a few coordinates of a world that could not be made. */
static const double nothing[256];

const double *sim_qpos(const Sim *sim)
{
    return sim->world ? tn_world_state(sim->world).qpos : nothing;
}

const double *sim_qvel(const Sim *sim)
{
    return sim->world ? tn_world_state(sim->world).qvel : nothing;
}

void sim_set(Sim *sim, const double *qpos, const double *qvel)
{
    TnError err = {0};
    if (sim->world && tn_world_set_state(sim->world, qpos, qvel, &err) != TN_OK)
        finding_trouble(sim->finding, "%.300s", err.message);
}

void sim_control(Sim *sim, double control)
{
    TnError err = {0};
    if (sim->world && tn_world_set_ctrl(sim->world, &control, &err) != TN_OK)
        finding_trouble(sim->finding, "%.300s", err.message);
}

void sim_body_pos(const Sim *sim, const char *name, double pos[3])
{
    double quat[4];
    memset(pos, 0, 3 * sizeof *pos);
    if (sim->world) tn_world_body_pose(sim->world, tn_model_find_body(sim->model, name), pos, quat);
}

void sim_body_velocity(const Sim *sim, const char *name, double linear[3], double angular[3])
{
    memset(linear, 0, 3 * sizeof *linear);
    memset(angular, 0, 3 * sizeof *angular);
    if (sim->world)
        tn_world_body_velocity(sim->world, tn_model_find_body(sim->model, name), linear, angular);
}

void sim_contact_force(const Sim *sim, const char *body, double force[3])
{
    TnBodyId id = sim->model ? tn_model_find_body(sim->model, body) : 0;
    memset(force, 0, 3 * sizeof *force);
    for (int i = 0; i < tn_world_contact_count(sim->world); i++) {
        TnContact c = tn_world_contact(sim->world, i);
        double sign = tn_model_geom_info(sim->model, c.geom2).body == id   ? 1
                      : tn_model_geom_info(sim->model, c.geom1).body == id ? -1
                                                                           : 0;
        for (int k = 0; k < 3; k++) force[k] += sign * c.force[k];
    }
}
