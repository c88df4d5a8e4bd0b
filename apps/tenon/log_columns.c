/* What `tenon run` logs, column by column; see log_columns.h. Each group has two functions: one
 * names its columns, the other writes their numbers in the same order. */
#include "log_columns.h"

#include "../common/app.h"
#include "forces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

static void add_text(LogColumns *c, const char *text)
{
    if (c->count == c->room) {
        int room = 2 * c->room + 64;
        char **names = realloc(c->names, (size_t)room * sizeof *names);
        if (!names) c->failed = true;
        if (c->failed) return;
        c->names = names;
        c->room = room;
    }
    char *copy = strdup(text);
    if (copy)
        c->names[c->count++] = copy;
    else
        c->failed = true;
}

static void add_part(LogColumns *c, const char *name, const char *part)
{
    char text[2 * NAME_SIZE];
    snprintf(text, sizeof text, "%s.%s", name, part);
    add_text(c, text);
}

static void add_all(LogColumns *c, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) add_text(c, names[i]);
}

static bool is_signal(const LogColumns *c, TnSignalKind kind)
{
    switch (kind) {
    case TN_SIGNAL_POSITION:
    case TN_SIGNAL_VELOCITY:
        return c->options->on[LOG_JOINTS];
    case TN_SIGNAL_SENSOR:
        return c->options->on[LOG_SENSORS];
    case TN_SIGNAL_CTRL:
        return c->options->on[LOG_CTRL];
    case TN_SIGNAL_FORCE:
    case TN_SIGNAL_ACTIVATION:
        return c->options->on[LOG_ACTUATORS];
    case TN_SIGNAL_COUNT:
        break;
    }
    return false;
}

static void name_signals(LogColumns *c, const TnScene *scene, TnSignalKind one, TnSignalKind other)
{
    for (int i = 0; i < scene->signal_count; i++) {
        TnSignalKind kind = scene->signals[i].kind;
        if ((kind == one || kind == other) && is_signal(c, kind))
            add_text(c, scene->signals[i].name);
    }
}

static bool *find_free_bodies(const TnModel *model)
{
    TnModelInfo info = tn_model_info(model);
    bool *is_free = calloc((size_t)info.body_count + 1, sizeof *is_free);
    for (TnJointId id = 1; is_free && id <= info.joint_count; id++) {
        TnJointInfo joint = tn_model_joint_info(model, id);
        if (joint.type == TN_JOINT_FREE) is_free[joint.body] = true;
    }
    return is_free;
}

/* Free bodies, or all others but the world and those that the joints have. */
static bool has_body(const LogColumns *c, TnBodyId body, LogGroup group)
{
    bool is_among_joints = c->is_free[body] && c->options->on[LOG_JOINTS];
    return group == LOG_JOINTS ? is_among_joints : !is_among_joints;
}

static void name_bodies(LogColumns *c, const TnModel *model, LogGroup group)
{
    static const char *const parts[] = {"x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                        "vx", "vy", "vz", "wx", "wy", "wz"};
    char buffer[NAME_SIZE];
    int body_count = tn_model_info(model).body_count;
    for (TnBodyId id = 2; id <= body_count; id++)
        if (has_body(c, id, group))
            for (int k = 0; k < 13; k++) add_part(c, body_label(model, id, buffer), parts[k]);
}

static const char *const energy_names[] = {
    "kinetic",          "potential",    "elastic",       "total",       "actuators",
    "applied",          "friction",     "damping",       "impacts",     "step_loss",
    "created",          "created_sum",  "created_share", "push_out",    "unsolved",
    "corrected_energy", "corrected_px", "corrected_py",  "corrected_pz"};
enum { ENERGY_COUNT = sizeof energy_names / sizeof *energy_names };

static void name_solver(LogColumns *c)
{
    static const char *const names[] = {"error", "islands", "started"};
    add_all(c, names, 3);
    for (int i = 1; i < TN_METHOD_OWN; i++) add_text(c, tn_method_name((TnMethod)i));
    add_text(c, "asleep");
}

static void name_force(void *context, const char *name) { add_text(context, name); }

static void name_group(LogColumns *c, const TnModel *model, const TnScene *scene, LogGroup group)
{
    switch (group) {
    case LOG_JOINTS:
        name_signals(c, scene, TN_SIGNAL_POSITION, TN_SIGNAL_VELOCITY);
        name_bodies(c, model, LOG_JOINTS);
        break;
    case LOG_ENERGY:
        add_all(c, energy_names, ENERGY_COUNT);
        break;
    case LOG_SOLVER:
        if (c->solver) name_solver(c);
        break;
    case LOG_FORCES:
        forces_names(model, name_force, c);
        break;
    case LOG_SENSORS:
        name_signals(c, scene, TN_SIGNAL_SENSOR, TN_SIGNAL_SENSOR);
        break;
    case LOG_CTRL:
        name_signals(c, scene, TN_SIGNAL_CTRL, TN_SIGNAL_CTRL);
        break;
    case LOG_ACTUATORS:
        name_signals(c, scene, TN_SIGNAL_FORCE, TN_SIGNAL_ACTIVATION);
        break;
    case LOG_BODIES:
        name_bodies(c, model, LOG_BODIES);
        break;
    case LOG_GROUP_COUNT:
        break;
    }
}

bool log_columns_create(LogColumns *c, const LogOptions *options, TnWorld *world, bool solver)
{
    const TnModel *model = tn_world_model(world);
    *c = (LogColumns){.options = options, .solver = solver};
    TnScene *scene = tn_scene_create(model, NULL);
    if (scene) c->frame = tn_frame_create(scene, NULL);
    TnSignalKind *kinds = calloc(scene ? (size_t)scene->signal_count + 1 : 1, sizeof *kinds);
    for (int i = 0; scene && kinds && i < scene->signal_count; i++)
        kinds[i] = scene->signals[i].kind;
    c->signal_kinds = kinds;
    c->is_free = find_free_bodies(model);
    for (int g = 0; c->frame && c->is_free && g < LOG_GROUP_COUNT; g++) {
        c->first[g] = c->count;
        if (options->on[g]) name_group(c, model, scene, (LogGroup)g);
    }
    c->first[LOG_GROUP_COUNT] = c->count;
    c->row = calloc((size_t)c->count + 1, sizeof *c->row);
    bool fine = c->frame && kinds && c->is_free && c->row && !c->failed;
    tn_scene_destroy(scene);
    return fine;
}

void log_columns_free(LogColumns *c)
{
    for (int i = 0; i < c->count; i++) free(c->names[i]);
    free(c->names);
    free((void *)(uintptr_t)c->signal_kinds);
    free(c->row);
    free(c->is_free);
    tn_frame_destroy(c->frame);
    *c = (LogColumns){0};
}

/* ---- numbers ---- */

static double *fill_signals(const LogColumns *c, double *to, TnSignalKind one, TnSignalKind other)
{
    for (int i = 0; i < c->frame->signal_count; i++)
        if (c->signal_kinds[i] == one || c->signal_kinds[i] == other) *to++ = c->frame->signals[i];
    return to;
}

static void fill_bodies(const LogColumns *c, double *to, const TnWorld *world, LogGroup group)
{
    int body_count = tn_model_info(tn_world_model(world)).body_count;
    for (TnBodyId id = 2; id <= body_count; id++) {
        if (!has_body(c, id, group)) continue;
        tn_world_body_pose(world, id, to, to + 3);
        tn_world_body_velocity(world, id, to + 7, to + 10);
        to += 13;
    }
}

/* Energies after the step, and the step's account. */
static void fill_energy(double *to, const TnWorld *world, const TnStepReport *report)
{
    const TnEnergyAccount *a = &report->energy;
    TnEnergy e = tn_world_energy(world);
    const double numbers[ENERGY_COUNT] = {e.kinetic,
                                          e.potential,
                                          e.elastic,
                                          e.kinetic + e.potential,
                                          a->actuators,
                                          a->applied,
                                          a->friction,
                                          a->damping,
                                          a->impacts,
                                          a->step,
                                          a->created,
                                          tn_world_energy_account(world).created,
                                          report->created_share,
                                          a->push_out,
                                          a->unsolved,
                                          report->corrected_energy,
                                          report->corrected_momentum[0],
                                          report->corrected_momentum[1],
                                          report->corrected_momentum[2]};
    memcpy(to, numbers, sizeof numbers);
}

/* A step without constraints has no error. */
static void fill_solver(double *to, const TnStepReport *report)
{
    *to++ = isfinite(report->error) ? report->error : 0.0;
    *to++ = report->island_count;
    for (int i = 0; i < TN_METHOD_OWN; i++) *to++ = report->islands_by_method[i];
    *to = report->asleep_count;
}

static void fill_group(const LogColumns *c, LogGroup group, double *to, TnWorld *world,
                       const TnStepReport *report)
{
    switch (group) {
    case LOG_JOINTS:
        to = fill_signals(c, to, TN_SIGNAL_POSITION, TN_SIGNAL_VELOCITY);
        fill_bodies(c, to, world, LOG_JOINTS);
        break;
    case LOG_ENERGY:
        fill_energy(to, world, report);
        break;
    case LOG_SOLVER:
        if (c->solver) fill_solver(to, report);
        break;
    case LOG_FORCES:
        forces_fill(world, to);
        break;
    case LOG_SENSORS:
        fill_signals(c, to, TN_SIGNAL_SENSOR, TN_SIGNAL_SENSOR);
        break;
    case LOG_CTRL:
        fill_signals(c, to, TN_SIGNAL_CTRL, TN_SIGNAL_CTRL);
        break;
    case LOG_ACTUATORS:
        fill_signals(c, to, TN_SIGNAL_FORCE, TN_SIGNAL_ACTIVATION);
        break;
    case LOG_BODIES:
        fill_bodies(c, to, world, LOG_BODIES);
        break;
    case LOG_GROUP_COUNT:
        break;
    }
}

bool log_columns_fill(LogColumns *c, TnWorld *world, const TnStepReport *report, TnError *err)
{
    const bool *on = c->options->on;
    bool signals = on[LOG_JOINTS] || on[LOG_SENSORS] || on[LOG_CTRL] || on[LOG_ACTUATORS];
    if (signals && tn_frame_capture_signals(c->frame, world, err) != TN_OK) return false;
    for (int g = 0; g < LOG_GROUP_COUNT; g++)
        if (on[g]) fill_group(c, (LogGroup)g, c->row + c->first[g], world, report);
    return true;
}
