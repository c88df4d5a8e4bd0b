/* tenon info: what is in a model: counts, options, and the names one needs to use it. */
#include "../common/app.h"
#include "../common/json.h"
#include "../common/options.h"
#include "../common/table.h"
#include "commands.h"
#include "division_table.h"
#include "recording_info.h"

#include <stdlib.h>
#include <string.h>

static const char *const joint_type_names[] = {"free", "ball", "slide",
                                               "hinge"};            /* order of TnJointType */
static const char *const wheel_kind_names[] = {"rolling", "skate"}; /* of TnWheelKind */
static const char *const sensor_type_names[] = {
    [TN_SENSOR_JOINT_POS] = "jointpos",
    [TN_SENSOR_JOINT_VEL] = "jointvel",
    [TN_SENSOR_BODY_POS] = "framepos of body",
    [TN_SENSOR_BODY_QUAT] = "framequat of body",
    [TN_SENSOR_SITE_POS] = "framepos of site",
    [TN_SENSOR_SITE_QUAT] = "framequat of site",
    [TN_SENSOR_TENDON_POS] = "tendonpos",
    [TN_SENSOR_TENDON_VEL] = "tendonvel",
    [TN_SENSOR_ACTUATOR_POS] = "actuatorpos",
    [TN_SENSOR_ACTUATOR_VEL] = "actuatorvel",
    [TN_SENSOR_GYRO] = "gyro",
    [TN_SENSOR_VELOCIMETER] = "velocimeter",
    [TN_SENSOR_FORCE] = "force",
    [TN_SENSOR_TORQUE] = "torque",
    [TN_SENSOR_ACTUATOR_FORCE] = "actuatorfrc",
    [TN_SENSOR_JOINT_ACTUATOR_FORCE] = "jointactuatorfrc",
    [TN_SENSOR_TENDON_ACTUATOR_FORCE] = "tendonactuatorfrc",
    [TN_SENSOR_BALL_QUAT] = "ballquat",
    [TN_SENSOR_BALL_ANGULAR_VEL] = "ballangvel",
    [TN_SENSOR_SITE_X_AXIS] = "framexaxis of site",
    [TN_SENSOR_SITE_Y_AXIS] = "frameyaxis of site",
    [TN_SENSOR_SITE_Z_AXIS] = "framezaxis of site",
    [TN_SENSOR_SITE_VEL] = "framelinvel of site",
    [TN_SENSOR_SITE_ANGULAR_VEL] = "frameangvel of site",
    [TN_SENSOR_SITE_ACC] = "framelinacc of site",
    [TN_SENSOR_SITE_ANGULAR_ACC] = "frameangacc of site",
    [TN_SENSOR_ACCELEROMETER] = "accelerometer",
    [TN_SENSOR_MAGNETOMETER] = "magnetometer",
    [TN_SENSOR_SUBTREE_POS] = "subtreecom",
    [TN_SENSOR_SUBTREE_VEL] = "subtreelinvel",
    [TN_SENSOR_SUBTREE_ANGULAR_MOMENTUM] = "subtreeangmom",
    [TN_SENSOR_CLOCK] = "clock",
    [TN_SENSOR_POTENTIAL_ENERGY] = "e_potential",
    [TN_SENSOR_KINETIC_ENERGY] = "e_kinetic",
    [TN_SENSOR_JOINT_LIMIT_POS] = "jointlimitpos",
    [TN_SENSOR_JOINT_LIMIT_VEL] = "jointlimitvel",
    [TN_SENSOR_JOINT_LIMIT_FORCE] = "jointlimitfrc",
    [TN_SENSOR_TENDON_LIMIT_POS] = "tendonlimitpos",
    [TN_SENSOR_TENDON_LIMIT_VEL] = "tendonlimitvel",
    [TN_SENSOR_TENDON_LIMIT_FORCE] = "tendonlimitfrc",
    [TN_SENSOR_TOUCH] = "touch",
    [TN_SENSOR_RANGEFINDER] = "rangefinder",
    [TN_SENSOR_PROJECTION] = "camprojection",
    [TN_SENSOR_INSIDE_SITE] = "insidesite",
    [TN_SENSOR_DISTANCE] = "distance",
    [TN_SENSOR_DISTANCE_NORMAL] = "normal",
    [TN_SENSOR_DISTANCE_POINTS] = "fromto",
    [TN_SENSOR_CONTACT] = "contact",
    [TN_SENSOR_USER] = "user",
};

static const char *sensor_type_name(TnSensorType type)
{
    size_t count = sizeof sensor_type_names / sizeof sensor_type_names[0];
    const char *name = (size_t)type < count ? sensor_type_names[type] : NULL;
    return name ? name : "sensor";
}

static const char *const law_names[] = {"corotational", "neo-Hookean"}; /* of TnSoftLaw */

static int compare_numbers(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Subsystems that the elements of a soft body are in; -1 where there is no memory. */
static int count_pieces(const TnWorld *world, TnSoftId id)
{
    TnSoftInfo soft = tn_model_soft_info(tn_world_model(world), id);
    int count = soft.thickness > 0 ? soft.triangle_count : soft.tet_count, pieces = 0;
    int32_t *of_tets = malloc((size_t)count * sizeof *of_tets);
    if (!of_tets) return -1;
    tn_world_soft_subsystems(world, id, of_tets);
    qsort(of_tets, (size_t)count, sizeof *of_tets, compare_numbers);
    for (int i = 0; i < count; i++) pieces += i == 0 || of_tets[i] != of_tets[i - 1];
    free(of_tets);
    return pieces;
}

static bool print_text(const TnWorld *world, const char *path, const char *division)
{
    const TnModel *model = tn_world_model(world);
    char joint_name[NAME_SIZE], body_name[NAME_SIZE];
    TnModelInfo info = tn_model_info(model);
    const TnOption *option = &info.option;
    char buffer[SHOWN_SIZE];
    printf("%s\n", info.name[0] ? shown(info.name, buffer) : path);
    table_line(stdout, "bodies", "%d", info.body_count - 1);
    table_line(stdout, "joints", "%d", info.joint_count);
    table_line(stdout, "degrees of freedom", "%d (%d numbers in qpos)", info.dof_count,
               info.qpos_count);
    table_line(stdout, "parts", "%d free bodies, %d trees, %d cables, %d soft bodies",
               info.free_body_count, info.tree_count, info.rod_count, info.soft_count);
    table_line(stdout, "subsystems", "%d", tn_world_subsystem_count(world));
    table_line(stdout, "geoms", "%d", info.geom_count);
    table_line(stdout, "sites", "%d", info.site_count);
    table_line(stdout, "tendons", "%d", info.tendon_count);
    table_line(stdout, "equalities", "%d", info.equality_count);
    if (info.wheel_count) table_line(stdout, "wheels", "%d", info.wheel_count);
    table_line(stdout, "moving mass", "%.6g kg", info.total_mass);
    table_line(stdout, "time step", "%g s", option->timestep);
    table_line(stdout, "gravity", "%g %g %g m/s\u00b2", option->gravity[0], option->gravity[1],
               option->gravity[2]);
    table_line(stdout, "theta", "%g", option->theta);
    table_line(stdout, "tree passes", "%d", option->tree_passes);
    if (option->substeps > 1) table_line(stdout, "substeps", "%d", option->substeps);
    if (option->accuracy > 0) table_line(stdout, "accuracy", "%g m/s", option->accuracy);
    table_line(stdout, "stabilization", "%g", option->stabilization);
    if (option->contact_stiffness > 0)
        table_line(stdout, "contact stiffness", "%g N/m", option->contact_stiffness);
    if (info.track_duration > 0) table_line(stdout, "control track", "%g s", info.track_duration);

    bool fine = division_print(world, division);
    if (info.soft_count) printf("soft bodies\n");
    for (TnSoftId id = 1; id <= info.soft_count && fine; id++) {
        TnSoftInfo soft = tn_model_soft_info(model, id);
        int pieces = count_pieces(world, id);
        fine = pieces >= 0;
        bool sheet = soft.thickness > 0;
        table_line(stdout, soft_label(model, id, body_name),
                   "%d nodes (%d held), %d %s, %.6g kg, E %g Pa, nu %g, %s, %d piece%s",
                   soft.node_count, soft.hold_count, sheet ? soft.triangle_count : soft.tet_count,
                   sheet ? "triangles" : "tetrahedra", soft.mass, soft.youngs_modulus,
                   soft.poisson_ratio, sheet ? "sheet" : law_names[soft.law], pieces,
                   pieces == 1 ? "" : "s");
        if (sheet) table_line(stdout, "", "thickness %g m", soft.thickness);
    }
    if (info.joint_count) printf("joints\n");
    for (TnJointId id = 1; id <= info.joint_count; id++) {
        TnJointInfo joint = tn_model_joint_info(model, id);
        table_line(stdout, joint_label(model, id, joint_name), "%s, body %s, qpos %d, qvel %d",
                   joint_type_names[joint.type], body_label(model, joint.body, body_name),
                   joint.qpos_start, joint.dof_start);
    }
    if (info.wheel_count) printf("wheels\n");
    for (TnWheelId id = 1; id <= info.wheel_count; id++) {
        TnWheelInfo wheel = tn_model_wheel_info(model, id);
        table_line(stdout, shown(tn_model_wheel_name(model, id), joint_name),
                   "%s, body %s, radius %g m%s", wheel_kind_names[wheel.kind],
                   body_label(model, wheel.body, body_name), wheel.radius,
                   wheel.keep_height ? ", height kept" : "");
    }
    if (info.actuator_count) printf("actuators\n");
    for (TnActuatorId id = 1; id <= info.actuator_count; id++)
        printf("  %s\n", shown(tn_model_actuator_name(model, id), buffer));
    if (info.sensor_count) printf("sensors\n");
    for (TnSensorId id = 1; id <= info.sensor_count; id++) {
        TnSensorInfo sensor = tn_model_sensor_info(model, id);
        table_line(stdout, shown(tn_model_sensor_name(model, id), buffer), "%s",
                   sensor_type_name(sensor.type));
    }
    if (info.key_count) printf("keys\n");
    for (TnKeyId id = 1; id <= info.key_count; id++)
        printf("  %s\n", shown(tn_model_key_name(model, id), buffer));
    return fine;
}

static void print_option(Json *json, const TnOption *option)
{
    json_begin_object(json, "option");
    json_number(json, "timestep", option->timestep);
    json_numbers(json, "gravity", option->gravity, 3);
    json_number(json, "theta", option->theta);
    json_integer(json, "tree_passes", option->tree_passes);
    json_integer(json, "substeps", option->substeps > 1 ? option->substeps : 1);
    json_number(json, "accuracy", option->accuracy);
    json_number(json, "stabilization", option->stabilization);
    json_number(json, "contact_stiffness", option->contact_stiffness);
    json_end(json);
}

/* False where there is no memory. */
static bool print_soft_bodies(Json *json, const TnWorld *world, int count)
{
    const TnModel *model = tn_world_model(world);
    char name[NAME_SIZE];
    bool fine = true;
    json_begin_array(json, "soft");
    for (TnSoftId id = 1; id <= count && fine; id++) {
        TnSoftInfo soft = tn_model_soft_info(model, id);
        int pieces = count_pieces(world, id);
        fine = pieces >= 0;
        json_begin_object(json, NULL);
        json_string(json, "name", soft_label(model, id, name));
        json_integer(json, "nodes", soft.node_count);
        json_integer(json, "held", soft.hold_count);
        json_integer(json, "tetrahedra", soft.tet_count);
        if (soft.thickness > 0) {
            json_integer(json, "triangles", soft.triangle_count);
            json_number(json, "thickness", soft.thickness);
        }
        json_integer(json, "triangles", soft.triangle_count);
        json_number(json, "mass", soft.mass);
        json_number(json, "youngs_modulus", soft.youngs_modulus);
        json_number(json, "poisson_ratio", soft.poisson_ratio);
        json_string(json, "law", law_names[soft.law]);
        json_integer(json, "pieces", pieces);
        json_integer(json, "qpos_start", soft.qpos_start);
        json_integer(json, "dof_start", soft.dof_start);
        json_end(json);
    }
    json_end(json);
    return fine;
}

static void print_lists(Json *json, const TnModel *model, const TnModelInfo *info)
{
    char joint_name[NAME_SIZE], body_name[NAME_SIZE];
    json_begin_array(json, "joints");
    for (TnJointId id = 1; id <= info->joint_count; id++) {
        TnJointInfo joint = tn_model_joint_info(model, id);
        json_begin_object(json, NULL);
        json_string(json, "name", joint_label(model, id, joint_name));
        json_string(json, "type", joint_type_names[joint.type]);
        json_string(json, "body", body_label(model, joint.body, body_name));
        json_integer(json, "qpos_start", joint.qpos_start);
        json_integer(json, "dof_start", joint.dof_start);
        json_end(json);
    }
    json_end(json);
    json_begin_array(json, "wheels");
    for (TnWheelId id = 1; id <= info->wheel_count; id++) {
        TnWheelInfo wheel = tn_model_wheel_info(model, id);
        json_begin_object(json, NULL);
        json_string(json, "name", tn_model_wheel_name(model, id));
        json_string(json, "roll", wheel_kind_names[wheel.kind]);
        json_string(json, "body", body_label(model, wheel.body, body_name));
        json_number(json, "radius", wheel.radius);
        json_end(json);
    }
    json_end(json);
    json_begin_array(json, "actuators");
    for (TnActuatorId id = 1; id <= info->actuator_count; id++)
        json_string(json, NULL, tn_model_actuator_name(model, id));
    json_end(json);
    json_begin_array(json, "sensors");
    for (TnSensorId id = 1; id <= info->sensor_count; id++) {
        json_begin_object(json, NULL);
        json_string(json, "name", tn_model_sensor_name(model, id));
        json_string(json, "type", sensor_type_name(tn_model_sensor_info(model, id).type));
        json_end(json);
    }
    json_end(json);
    json_begin_array(json, "keys");
    for (TnKeyId id = 1; id <= info->key_count; id++)
        json_string(json, NULL, tn_model_key_name(model, id));
    json_end(json);
}

static bool print_json(const TnWorld *world, const char *path, const char *division)
{
    const TnModel *model = tn_world_model(world);
    TnModelInfo info = tn_model_info(model);
    Json json = json_to(stdout);
    json_begin_object(&json, NULL);
    json_string(&json, "model", path);
    json_string(&json, "name", info.name);
    json_integer(&json, "bodies", info.body_count - 1);
    json_integer(&json, "joint_count", info.joint_count);
    json_integer(&json, "qpos", info.qpos_count);
    json_integer(&json, "dof", info.dof_count);
    json_integer(&json, "subsystems", tn_world_subsystem_count(world));
    json_integer(&json, "free_bodies", info.free_body_count);
    json_integer(&json, "trees", info.tree_count);
    json_integer(&json, "cables", info.rod_count);
    json_integer(&json, "soft_bodies", info.soft_count);
    json_integer(&json, "geoms", info.geom_count);
    json_integer(&json, "sites", info.site_count);
    json_integer(&json, "tendons", info.tendon_count);
    json_integer(&json, "equalities", info.equality_count);
    json_number(&json, "mass", info.total_mass);
    json_number(&json, "track_duration", info.track_duration);
    print_option(&json, &info.option);
    bool fine = division_json(&json, world, division);
    fine = print_soft_bodies(&json, world, info.soft_count) && fine;
    print_lists(&json, model, &info);
    json_end(&json);
    return fine;
}

static void print_help(const Option *table, int count)
{
    printf("Usage: tenon info MODEL [OPTIONS]\n       tenon info --devices\n\n"
           "Lists what a model contains: counts, mass, time step, the division into subsystems "
           "with\n"
           "its reasons, soft bodies, and the names of joints, actuators, sensors and keyframes. "
           "The\n"
           "world does not count as a body. For a recording (.tnr) it lists frames, times and "
           "size,\n"
           "and whether the file was cut off. With --devices it lists where steps can run.\n");
    options_help(table, count);
    printf("\nExamples:\n  tenon info scenes/stir.xml\n  tenon info robot.xml --json\n"
           "  tenon info scenes/drape.xml --division 4\n"
           "  tenon info stir.tnr\n");
}

/* The division is a world's. */
static int print_model(const TnModel *model, const char *path, TnDivisionDef asked, bool as_json)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    char name[DIVISION_NAME_SIZE];
    def.division = asked;
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) {
        say("info", "%s", err.message);
        return code_of(&err);
    }
    const char *division = division_name(model, asked, name);
    bool fine = as_json ? print_json(world, path, division) : print_text(world, path, division);
    if (!fine) say("info", "no memory for the list of subsystems");
    tn_world_destroy(world);
    return fine ? EXIT_FINE : EXIT_IO;
}

/* Where steps can run, and why not elsewhere. */
static int print_devices(void)
{
    TnDeviceInfo info;
    TnError err = {0};
    (void)tn_device_info(TN_DEVICE_CPU, &info, &err);
    table_line(stdout, "cpu", "%s", info.name);
    if (tn_device_info(TN_DEVICE_CUDA, &info, &err))
        table_line(stdout, "cuda, cuda64", "%s, %.0f GiB", info.name,
                   (double)info.memory / (1 << 30));
    else
        table_line(stdout, "cuda, cuda64", "not available; %s", err.message);
    return EXIT_FINE;
}

int cmd_info(int argc, char **argv)
{
    if (argc == 1 && !strcmp(argv[0], "--devices")) return print_devices();
    bool as_json = false;
    TnDivisionDef division = {0};
    const char *path;
    const Option table[] = {option_division(&division),
                            option_pieces(&division),
                            option_package_path(),
                            option_free_base(),
                            option_files(),
                            option_limit_factor(),
                            option_set("--json", &as_json, "print one JSON object")};
    int code = EXIT_FINE;
    if (!options_parse("info", table, 7, print_help, "MODEL", &path, argc, argv, &code))
        return code;
    if (is_recording(path)) return print_recording_info(path, as_json);
    TnModel *model = load_model("info", path, NULL, &code);
    if (model) code = print_model(model, path, division, as_json);
    tn_model_destroy(model);
    return code;
}
