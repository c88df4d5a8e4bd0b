/* tenon eval: the model at one state: body poses, mass matrix, bias and actuator forces, sensors.
 */
#include "../common/app.h"
#include "../common/json.h"
#include "../common/options.h"
#include "commands.h"
#include "forces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct EvalOptions {
    const char *path, *key;
    NumberList qpos, qvel, ctrl, act;
    bool forces, json;
} EvalOptions;

/* One block of memory for the state and all that is computed from it. */
typedef struct EvalData {
    double *memory;
    double *qpos, *qvel, *ctrl, *act;
    TnEval out;
    TnWorld *world; /* one step on, where forces are wanted */
} EvalData;

static bool allocate(EvalData *data, const TnModelInfo *info)
{
    size_t nq = (size_t)info->qpos_count, nv = (size_t)info->dof_count,
           nu = (size_t)info->actuator_count, na = (size_t)info->act_count;
    size_t poses = 7 * (size_t)info->body_count, ns = (size_t)info->sensor_data_count;
    double *p = data->memory =
        calloc(nq + 3 * nv + 2 * nu + na + poses + nv * nv + ns + 1, sizeof *p);
    if (!p) return false;
    data->qpos = p, p += nq;
    data->qvel = p, p += nv;
    data->ctrl = p, p += nu;
    data->act = p, p += na;
    data->out.body_poses = p, p += poses;
    data->out.mass_matrix = p, p += nv * nv;
    data->out.bias = p, p += nv;
    data->out.passive = p, p += nv;
    data->out.actuator_force = p, p += nu;
    data->out.sensors = p;
    data->out.act = data->act;
    return true;
}

/* The state to start from: the reference pose at rest, or a keyframe. */
static int default_state(const TnModel *model, const EvalOptions *eval, EvalData *data)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    if (!find_key("eval", model, eval->key, &def.key)) return EXIT_USAGE;
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) {
        say("eval", "%s", err.message);
        return code_of(&err);
    }
    TnStateView state = tn_world_state(world);
    memcpy(data->qpos, state.qpos, (size_t)state.qpos_count * sizeof(double));
    memcpy(data->qvel, state.qvel, (size_t)state.dof_count * sizeof(double));
    /* without a keyframe controls are zero, whatever the model's track says */
    if (def.key) memcpy(data->ctrl, state.ctrl, (size_t)state.ctrl_count * sizeof(double));
    if (state.act_count) memcpy(data->act, state.act, (size_t)state.act_count * sizeof(double));
    tn_world_destroy(world);
    return EXIT_FINE;
}

static bool take_list(const char *option, const NumberList *list, double *values, int count)
{
    if (!list->given) return true;
    if (list->count != count) {
        say("eval", "%s needs %d numbers; %d were given", option, count, list->count);
        return false;
    }
    if (count) memcpy(values, list->values, (size_t)count * sizeof *values);
    return true;
}

/* Orientations typed by hand are rarely of unit length; one of no length at all is no orientation.
 */
static bool normalize_quaternions(const TnModel *model, double *qpos)
{
    char name[NAME_SIZE];
    int joint_count = tn_model_info(model).joint_count;
    for (TnJointId id = 1; id <= joint_count; id++) {
        TnJointInfo joint = tn_model_joint_info(model, id);
        if (joint.type != TN_JOINT_FREE && joint.type != TN_JOINT_BALL) continue;
        double *q = qpos + joint.qpos_start + joint.qpos_count - 4;
        double length = hypot(hypot(q[0], q[1]), hypot(q[2], q[3]));
        if (!(length > 1e-12) || isinf(length)) {
            say("eval", "--qpos: the quaternion of %s is zero", joint_label(model, id, name));
            return false;
        }
        /* leave a unit quaternion its bits */
        if (fabs(length - 1) < 1e-15) continue;
        for (int i = 0; i < 4; i++) q[i] /= length;
    }
    return true;
}

static void print_json(const TnModel *model, const TnModelInfo *info, const EvalOptions *eval,
                       const EvalData *data)
{
    char name[NAME_SIZE];
    Json json = json_to(stdout);
    json_begin_object(&json, NULL);
    json_string(&json, "model", eval->path);
    json_numbers(&json, "qpos", data->qpos, info->qpos_count);
    json_numbers(&json, "qvel", data->qvel, info->dof_count);
    json_numbers(&json, "ctrl", data->ctrl, info->actuator_count);
    json_numbers(&json, "act", data->act, info->act_count);
    json_begin_array(&json, "body_poses");
    for (TnBodyId id = 1; id <= info->body_count; id++) {
        const double *pose = data->out.body_poses + 7 * (id - 1);
        json_begin_object(&json, NULL);
        json_string(&json, "name", body_label(model, id, name));
        json_numbers(&json, "pos", pose, 3);
        json_numbers(&json, "quat", pose + 3, 4);
        json_end(&json);
    }
    json_end(&json);
    json_begin_array(&json, "mass_matrix");
    for (int i = 0; i < info->dof_count; i++)
        json_numbers(&json, NULL, data->out.mass_matrix + (size_t)i * (size_t)info->dof_count,
                     info->dof_count);
    json_end(&json);
    json_numbers(&json, "bias", data->out.bias, info->dof_count);
    json_numbers(&json, "passive", data->out.passive, info->dof_count);
    json_numbers(&json, "actuator_force", data->out.actuator_force, info->actuator_count);
    json_begin_array(&json, "sensors");
    for (TnSensorId id = 1; id <= info->sensor_count; id++) {
        TnSensorInfo sensor = tn_model_sensor_info(model, id);
        json_begin_object(&json, NULL);
        json_string(&json, "name", tn_model_sensor_name(model, id));
        json_numbers(&json, "value", data->out.sensors + sensor.data_start, sensor.data_count);
        json_end(&json);
    }
    json_end(&json);
    if (data->world) {
        json_begin_object(&json, "forces");
        forces_json(&json, data->world);
        json_end(&json);
    }
    json_end(&json);
}

static void print_row(const char *label, const double *values, int count)
{
    printf("  %-20s", label);
    for (int i = 0; i < count; i++) printf(" %12.6g", values[i]);
    putchar('\n');
}

static void print_text(const TnModel *model, const TnModelInfo *info, const EvalData *data)
{
    char name[NAME_SIZE];
    int nv = info->dof_count;
    printf("body poses (x y z, qw qx qy qz)\n");
    for (TnBodyId id = 1; id <= info->body_count; id++)
        print_row(body_label(model, id, name), data->out.body_poses + 7 * (id - 1), 7);
    printf("mass matrix\n");
    for (int i = 0; i < nv; i++) print_row("", data->out.mass_matrix + (size_t)i * (size_t)nv, nv);
    printf("bias force\n");
    print_row("", data->out.bias, nv);
    if (info->actuator_count) printf("actuator force\n");
    for (TnActuatorId id = 1; id <= info->actuator_count; id++)
        print_row(tn_model_actuator_name(model, id), data->out.actuator_force + id - 1, 1);
    if (info->sensor_count) printf("sensors\n");
    for (TnSensorId id = 1; id <= info->sensor_count; id++) {
        TnSensorInfo sensor = tn_model_sensor_info(model, id);
        print_row(tn_model_sensor_name(model, id), data->out.sensors + sensor.data_start,
                  sensor.data_count);
    }
    if (data->world) forces_text(data->world);
}

/* Sensors of forces and accelerations, which a state alone does not tell: NaN so far. */
static bool take_sensors(const TnModel *model, const TnModelInfo *info, EvalData *data)
{
    double *all = calloc((size_t)info->sensor_data_count + 1, sizeof *all);
    bool ok = all && tn_world_sensors(data->world, all, NULL) == TN_OK;
    for (TnSensorId id = 1; ok && id <= info->sensor_count; id++) {
        TnSensorInfo sensor = tn_model_sensor_info(model, id);
        if (isnan(data->out.sensors[sensor.data_start]))
            memcpy(data->out.sensors + sensor.data_start, all + sensor.data_start,
                   (size_t)sensor.data_count * sizeof *all);
    }
    free(all);
    return ok;
}

/* One step from the state. */
static int find_forces(const TnModel *model, const TnModelInfo *info, EvalData *data)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    data->world = tn_world_create(&def, model, &err);
    if (!data->world || tn_world_set_state(data->world, data->qpos, data->qvel, &err) != TN_OK ||
        tn_world_set_ctrl(data->world, data->ctrl, &err) != TN_OK ||
        tn_world_set_act(data->world, data->act, &err) != TN_OK) {
        say("eval", "%s", err.message);
        return code_of(&err);
    }
    if (tn_world_step(data->world).diverged) {
        say("eval", "--forces: a step from this state diverges");
        return EXIT_DIVERGED;
    }
    if (take_sensors(model, info, data)) return EXIT_FINE;
    say("eval", "no memory for the sensors");
    return EXIT_IO;
}

static int evaluate(const TnModel *model, const EvalOptions *eval)
{
    TnError err = {0};
    EvalData data = {0};
    TnModelInfo info = tn_model_info(model);
    if (!allocate(&data, &info)) {
        say("eval", "no memory for a mass matrix of %d x %d", info.dof_count, info.dof_count);
        return EXIT_IO;
    }
    int code = default_state(model, eval, &data);
    if (code == EXIT_FINE && (!take_list("--qpos", &eval->qpos, data.qpos, info.qpos_count) ||
                              !take_list("--qvel", &eval->qvel, data.qvel, info.dof_count) ||
                              !take_list("--ctrl", &eval->ctrl, data.ctrl, info.actuator_count) ||
                              !take_list("--act", &eval->act, data.act, info.act_count) ||
                              !normalize_quaternions(model, data.qpos)))
        code = EXIT_USAGE;
    if (code == EXIT_FINE &&
        tn_model_eval(model, data.qpos, data.qvel, data.ctrl, &data.out, &err) != TN_OK) {
        say("eval", "%s", err.message);
        code = code_of(&err);
    }
    if (code == EXIT_FINE && eval->forces) code = find_forces(model, &info, &data);
    if (code == EXIT_FINE && eval->json)
        print_json(model, &info, eval, &data);
    else if (code == EXIT_FINE)
        print_text(model, &info, &data);
    tn_world_destroy(data.world);
    free(data.memory);
    return code;
}

static void print_help(const Option *table, int count)
{
    printf("Usage: tenon eval MODEL [OPTIONS]\n\n"
           "Computes, without simulating, the pose of every body, the mass matrix, the bias "
           "forces\n"
           "(Coriolis, centrifugal, gyroscopic, gravity), the actuator forces and the sensors at "
           "one\n"
           "state. Separate the numbers of a list by commas or blanks; `tenon info` lists how "
           "many\n"
           "there are and the joint of each. Units are m, kg, s, rad and N.\n");
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon eval pendulum.xml --qpos 0.5 --qvel -1\n"
           "  tenon eval arm.xml --qpos 0,0.3,0,-1.2,0,0.7,0 --ctrl \"0 0 0 0 0 0 0\" --json\n");
}

int cmd_eval(int argc, char **argv)
{
    EvalOptions eval = {0};
    const Option table[] = {
        option_reals("--qpos", &eval.qpos, "A,B,...", "positions; default: the reference pose"),
        option_reals("--qvel", &eval.qvel, "A,B,...", "velocities; default: zero"),
        option_reals("--ctrl", &eval.ctrl, "A,B,...", "controls; default: zero"),
        option_reals("--act", &eval.act, "A,B,...", "activations of actuators; default: zero"),
        option_text("--key", &eval.key, "NAME",
                    "take everything that is not given from this keyframe"),
        option_set("--forces", &eval.forces,
                   "also print forces of joints and equalities, from one step of the model's "
                   "timestep"),
        option_package_path(),
        option_free_base(),
        option_files(),
        option_limit_factor(),
        option_set("--json", &eval.json, "print one JSON object with all digits"),
    };
    const int count = sizeof table / sizeof table[0];
    int code = EXIT_USAGE;
    if (options_parse("eval", table, count, print_help, "MODEL", &eval.path, argc, argv, &code)) {
        TnModel *model = load_model("eval", eval.path, NULL, &code);
        if (model) code = evaluate(model, &eval);
        tn_model_destroy(model);
    }
    number_list_free(&eval.qpos);
    number_list_free(&eval.qvel);
    number_list_free(&eval.ctrl);
    number_list_free(&eval.act);
    return code;
}
