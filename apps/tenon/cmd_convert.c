/* tenon convert: writes a model as MJCF, and checks that it loads again to the same model. */
#include "../common/app.h"
#include "../common/options.h"
#include "commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK_STEPS = 20 };

typedef struct ConvertOptions {
    const char *path, *output;
    bool check, quiet;
} ConvertOptions;

/* ---- the check ---- */

/* What differs in number; NULL: nothing. */
static const char *compare_counts(const TnModelInfo *a, const TnModelInfo *b)
{
    const struct {
        const char *what;
        int first, second;
    } counts[] = {{"bodies", a->body_count, b->body_count},
                  {"joints", a->joint_count, b->joint_count},
                  {"geoms", a->geom_count, b->geom_count},
                  {"tendons", a->tendon_count, b->tendon_count},
                  {"equalities", a->equality_count, b->equality_count},
                  {"actuators", a->actuator_count, b->actuator_count},
                  {"sensors", a->sensor_count, b->sensor_count},
                  {"keys", a->key_count, b->key_count},
                  {"wheels", a->wheel_count, b->wheel_count},
                  {"coordinates", a->qpos_count, b->qpos_count}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i].first != counts[i].second) return counts[i].what;
    return NULL;
}

/* Controls that move everything: spread over their range, or within ±1. */
static void set_controls(TnWorld *world, int count, int step)
{
    double *ctrl = malloc(((size_t)count + 1) * sizeof *ctrl);
    for (int i = 0; ctrl && i < count; i++) ctrl[i] = 0.1 * ((7 * i + 3 * step) % 19) - 0.9;
    if (ctrl) tn_world_set_ctrl(world, ctrl, NULL);
    free(ctrl);
}

/* The hash of the state after some steps under the same controls; false: no world. */
static bool run(const TnModel *model, uint64_t *hash)
{
    TnWorldDef def = tn_world_def();
    TnError err = {0};
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) return false;
    for (int k = 0; k < CHECK_STEPS; k++) {
        set_controls(world, tn_model_info(model).actuator_count, k);
        tn_world_step(world);
    }
    *hash = tn_world_hash(world);
    tn_world_destroy(world);
    return true;
}

static bool check(const ConvertOptions *convert, const TnModel *model)
{
    TnError err = {0};
    TnModel *again = tn_model_load(convert->output, &err);
    if (!again) {
        say("convert",
            "%s was written but does not load; this is a bug of tenon:", convert->output);
        print_errors(&err);
        return false;
    }
    TnModelInfo a = tn_model_info(model), b = tn_model_info(again);
    const char *differs = compare_counts(&a, &b);
    uint64_t first = 0, second = 0;
    if (!differs && run(model, &first) && run(again, &second) && first != second)
        differs = "motions";
    tn_model_destroy(again);
    if (!differs) return true;
    say("convert",
        "%s was written but has other %s than the model it was made from; this is a bug of tenon. "
        "--no-check writes it all the same",
        convert->output, differs);
    return false;
}

/* ---- the command ---- */

static int convert_model(const ConvertOptions *convert)
{
    TnError err = {0};
    TnRemarks remarks = {0};
    int code = EXIT_FINE;
    TnModelBuilder *builder = load_builder("convert", convert->path, &remarks, &code);
    if (!builder) return code;
    TnModel *model = tn_builder_compile(builder, &err);
    if (!model) {
        code = EXIT_MODEL;
        print_errors(&err);
    } else if (is_same_file(convert->path, convert->output)) {
        code = EXIT_USAGE;
        say("convert", "%s would be written over itself; give another name with -o", convert->path);
    } else if (!make_parent_folders(convert->output)) {
        code = EXIT_IO;
        say("convert", "%s: its folder cannot be made: %s", convert->output, strerror(errno));
    } else if (!tn_builder_write(builder, convert->output, &err)) {
        code = code_of(&err);
        print_errors(&err);
    } else if (convert->check && !check(convert, model)) {
        code = EXIT_MODEL;
    } else if (!convert->quiet) {
        TnModelInfo info = tn_model_info(model);
        printf("%s: %d bodies, %d joints, %d geoms, %d actuators, %d sensors%s\n", convert->output,
               info.body_count - 1, info.joint_count, info.geom_count, info.actuator_count,
               info.sensor_count,
               convert->check ? "; it loads again and moves with the same bits" : "");
        if (remarks.count)
            printf("%d remarks on %s: 'tenon validate' lists them\n", remarks.count, convert->path);
    }
    tn_model_destroy(model);
    tn_builder_destroy(builder);
    return code;
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon convert MODEL -o OUT.xml [OPTIONS]\n\n"
        "Writes a model (MJCF or URDF) as one plain MJCF file: includes, default classes, frames\n"
        "and cables are written out, angles are in radians, numbers keep all their digits. Large\n"
        "meshes, tetrahedra and the control track go into files beside it, named OUT_….\n"
        "MuJoCo reads the file, too, unless it has a <tenon> element, which holds what MJCF has\n"
        "no spelling for. The result is loaded again and must move with the same bits.\n");
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon convert robot.urdf -o robot.xml                    then add actuators to it\n"
           "  tenon convert robot.urdf --free-base -o robot.xml        a robot that can walk\n"
           "  tenon convert robot.urdf --package-path ~/ros/src -o robot.xml\n"
           "  tenon convert scene.xml -o flat.xml                      all includes in one file\n");
}

int cmd_convert(int argc, char **argv)
{
    ConvertOptions convert = {.check = true};
    const Option table[] = {
        option_text("-o", &convert.output, "OUT.xml", "the file to write; needed"),
        option_package_path(),
        option_free_base(),
        option_files(),
        option_limit_factor(),
        option_clear("--no-check", &convert.check,
                     "do not load the file again to compare it, which takes 20 steps of each"),
        option_set("--quiet", &convert.quiet, "print no closing line"),
    };
    const int count = sizeof table / sizeof table[0];
    int code = EXIT_FINE;
    if (!options_parse("convert", table, count, print_help, "MODEL", &convert.path, argc, argv,
                       &code))
        return code;
    if (!convert.output) {
        say("convert", "-o OUT.xml is missing: the file to write");
        return EXIT_USAGE;
    }
    return convert_model(&convert);
}
