/* numbers.c: what the caller reads: arrays of numbers by name, and the model's names as JSON. */
#include "engine.h"

#include "../common/json.h"
#include "platform/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The caller's own list has the same order (web/src/engine/engine.js). */
enum {
    NUMBERS_TIME,
    NUMBERS_QPOS,
    NUMBERS_QVEL,
    NUMBERS_CTRL,
    NUMBERS_ACT,
    NUMBERS_POSES,    /* body × 7: place, quaternion w x y z */
    NUMBERS_CONTACTS, /* contact × 12: geom1, geom2, pos, normal, gap, force */
    NUMBERS_SENSORS,
    NUMBERS_REPORT,  /* see fill_report */
    NUMBERS_SIGNALS, /* of the scene, as the last frame has them */
    NUMBERS_ACCOUNT, /* sums of the energy account, as TnEnergyAccount orders them */
    NUMBERS_PULL,    /* held point and force of the last step */
    NUMBERS_PLAN     /* has it the controls, its cost, the steps and seconds of the last one */
};
enum { CONTACT_NUMBERS = 12, REPORT_NUMBERS = 23 };

static double *room(Engine *e, size_t count)
{
    if (count > e->number_room) {
        double *more = realloc(e->numbers, count * sizeof *more);
        if (!more) return NULL;
        e->numbers = more;
        e->number_room = count;
    }
    return e->numbers ? e->numbers : (e->numbers = malloc(sizeof *e->numbers));
}

static int fill_contacts(Engine *e)
{
    int count = tn_world_contact_count(e->world);
    double *at = room(e, (size_t)count * CONTACT_NUMBERS);
    for (int i = 0; at && i < count; i++, at += CONTACT_NUMBERS) {
        TnContact c = tn_world_contact(e->world, i);
        at[0] = c.geom1, at[1] = c.geom2;
        memcpy(at + 2, c.pos, sizeof c.pos);
        memcpy(at + 5, c.normal, sizeof c.normal);
        at[8] = c.gap;
        memcpy(at + 9, c.force, sizeof c.force);
    }
    return at ? count * CONTACT_NUMBERS : -1;
}

static int fill_poses(Engine *e)
{
    int count = tn_model_info(e->model).body_count;
    double *at = room(e, (size_t)count * 7);
    for (int i = 0; at && i < count; i++, at += 7) tn_world_body_pose(e->world, i + 1, at, at + 3);
    return at ? count * 7 : -1;
}

/* The caller names them in this order. */
static int fill_report(Engine *e)
{
    const TnStepReport *r = &e->report;
    const TnEnergyAccount *a = &r->energy;
    TnEnergy energy = tn_world_energy(e->world);
    const double values[REPORT_NUMBERS] = {
        e->diverged,        r->converged,   r->rough,         r->iterations,
        r->residual,        r->error,       r->contact_count, r->mean_penetration,
        r->max_penetration, r->times.total, energy.kinetic,   energy.potential,
        energy.elastic,     a->actuators,   a->applied,       a->friction,
        a->damping,         a->impacts,     a->step,          a->created,
        a->push_out,        a->unsolved,    (double)e->steps};
    double *out = room(e, REPORT_NUMBERS);
    if (out) memcpy(out, values, sizeof values);
    return out ? REPORT_NUMBERS : -1;
}

static int fill(Engine *e, const double *from, int count)
{
    double *out = room(e, (size_t)count);
    if (out && count) memcpy(out, from, (size_t)count * sizeof *out);
    return out ? count : -1;
}

/* Fills e->numbers with what is asked for; how many, -1: no memory. tenon_number_place has them. */
int LIVE_EXPORT(tenon_numbers)(Engine *e, int what)
{
    TnStateView state = tn_world_state(e->world);
    double pull[6];
    switch (what) {
    case NUMBERS_TIME:
        return fill(e, &state.time, 1);
    case NUMBERS_QPOS:
        return fill(e, state.qpos, state.qpos_count);
    case NUMBERS_QVEL:
        return fill(e, state.qvel, state.dof_count);
    case NUMBERS_CTRL:
        return fill(e, state.ctrl, state.ctrl_count);
    case NUMBERS_ACT:
        return fill(e, state.act, state.act_count);
    case NUMBERS_POSES:
        return fill_poses(e);
    case NUMBERS_CONTACTS:
        return fill_contacts(e);
    case NUMBERS_SENSORS: {
        int count = tn_model_info(e->model).sensor_data_count;
        double *out = room(e, (size_t)count);
        return out && tn_world_sensors(e->world, out, &engine_error) == TN_OK ? count : -1;
    }
    case NUMBERS_REPORT:
        return fill_report(e);
    case NUMBERS_SIGNALS:
        return fill(e, e->frame->signals, e->frame->signal_count);
    case NUMBERS_ACCOUNT: {
        TnEnergyAccount a = tn_world_energy_account(e->world);
        const double sums[] = {a.actuators, a.applied, a.friction, a.damping, a.impacts,
                               a.step,      a.created, a.push_out, a.unsolved};
        return fill(e, sums, sizeof sums / sizeof *sums);
    }
    case NUMBERS_PULL:
        memcpy(pull, e->held, sizeof e->held);
        memcpy(pull + 3, e->pull_force, sizeof e->pull_force);
        return fill(e, pull, 6);
    case NUMBERS_PLAN: {
        if (!e->plan) return 0;
        TnPlanView view = tn_plan_view(e->plan);
        const double about[] = {e->planning, view.cost,
                                (double)(view.steps + view.derivative_steps), view.seconds};
        return fill(e, about, sizeof about / sizeof *about);
    }
    default:
        return -1;
    }
}

const double *LIVE_EXPORT(tenon_number_place)(const Engine *e) { return e->numbers; }

/* ---- names ---- */

static void write_names(Json *json, const char *key, const TnModel *model, int count,
                        const char *(*name)(const TnModel *model, int id))
{
    json_begin_array(json, key);
    for (int i = 1; i <= count; i++) json_string(json, NULL, name(model, i));
    json_end(json);
}

static const char *geom_name(const TnModel *m, int id) { return tn_model_geom_name(m, id); }
static const char *sensor_name(const TnModel *m, int id) { return tn_model_sensor_name(m, id); }
static const char *key_name(const TnModel *m, int id) { return tn_model_key_name(m, id); }

static void write_bodies(Json *json, const TnModel *model, const TnModelInfo *info)
{
    json_begin_array(json, "bodies");
    for (int i = 1; i <= info->body_count; i++) {
        json_begin_object(json, NULL);
        json_string(json, "name", tn_model_body_name(model, i));
        json_number(json, "mass", tn_model_body_info(model, i).mass);
        json_bool(json, "moves", tn_model_body_subsystem(model, i) != 0);
        json_end(json);
    }
    json_end(json);
}

static void write_joints(Json *json, const TnModel *model, const TnModelInfo *info)
{
    static const char *const types[] = {[TN_JOINT_FREE] = "free",
                                        [TN_JOINT_BALL] = "ball",
                                        [TN_JOINT_HINGE] = "hinge",
                                        [TN_JOINT_SLIDE] = "slide"};
    json_begin_array(json, "joints");
    for (int i = 1; i <= info->joint_count; i++) {
        TnJointInfo joint = tn_model_joint_info(model, i);
        json_begin_object(json, NULL);
        json_string(json, "name", tn_model_joint_name(model, i));
        json_string(json, "type", types[joint.type]);
        json_integer(json, "body", joint.body - 1);
        json_integer(json, "qpos", joint.qpos_start);
        json_integer(json, "dof", joint.dof_start);
        if (joint.limited) json_numbers(json, "range", joint.range, 2);
        json_end(json);
    }
    json_end(json);
}

static void write_actuators(Json *json, const TnModel *model, const TnModelInfo *info)
{
    json_begin_array(json, "actuators");
    for (int i = 1; i <= info->actuator_count; i++) {
        TnActuatorInfo actuator = tn_model_actuator_info(model, i);
        json_begin_object(json, NULL);
        json_string(json, "name", tn_model_actuator_name(model, i));
        if (actuator.ctrl_limited) json_numbers(json, "range", actuator.ctrl_range, 2);
        json_end(json);
    }
    json_end(json);
}

/* Tube i of the scene is cable i: its segments' bodies follow each other. */
static void write_cables(Json *json, const TnModel *model, const TnModelInfo *info)
{
    json_begin_array(json, "cables");
    for (int i = 1; i <= info->rod_count; i++) {
        TnRodInfo rod = tn_model_rod_info(model, i);
        json_begin_object(json, NULL);
        json_string(json, "name", rod.name);
        json_integer(json, "body", rod.body - 1);
        json_integer(json, "segments", rod.segment_count);
        json_end(json);
    }
    json_end(json);
}

/* The model as JSON: names, ranges, and the settings that can be changed. Bodies and geoms are
 * numbered from 0 there, body 0 is the world. tenon_give frees it. */
char *LIVE_EXPORT(tenon_describe)(const Engine *e)
{
    const TnModel *model = e->model;
    TnModelInfo info = tn_model_info(model);
    char *text = NULL;
    size_t size = 0;
    FILE *out = tn_stream_open_memory(&text, &size);
    if (!out) return NULL;
    Json json = json_to(out);
    json_begin_object(&json, NULL);
    json_string(&json, "name", info.name);
    json_number(&json, "timestep", info.option.timestep);
    json_numbers(&json, "gravity", info.option.gravity, 3);
    json_number(&json, "tolerance", e->solver.tolerance);
    json_number(&json, "totalMass", info.total_mass);
    write_bodies(&json, model, &info);
    write_names(&json, "geoms", model, info.geom_count, geom_name);
    write_joints(&json, model, &info);
    write_cables(&json, model, &info);
    write_actuators(&json, model, &info);
    write_names(&json, "sensors", model, info.sensor_count, sensor_name);
    write_names(&json, "keys", model, info.key_count, key_name);
    json_end(&json);
    return tn_stream_close_memory(out, &text, &size) == 0 ? text : NULL;
}
