/* tenon export: a recording in the formats of others, which the ending of the output's name
 * decides; or a model as a page that simulates it. */
#include "../common/app.h"
#include "../common/options.h"
#include "../common/plan_task.h"
#include "../export/export.h"
#include "commands.h"
#include "platform/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Request {
    const char *input, *output;
    double from, to;
    int every;
    double fps; /* 0: all frames; < 0: not said */
    const char *title;
    int color;
    double stress_max;
    bool live;
    const char *engine;
} Request;

static const char *const color_names[] = {"model", "subsystem", "stress", NULL};

static int option_table(Option *table, Request *request)
{
    int n = 0;
    table[n++] = option_text("-o", &request->output, "OUT",
                             "the file to write: OUT.html, .npz, .csv, .pvd, .glb, .gltf or .mcap");
    table[n++] = option_real("--from", &request->from, "S", -1e9, 1e9, ENDS_CLOSED,
                             "first time to export, in seconds; default: the start");
    table[n++] = option_real("--to", &request->to, "S", -1e9, 1e9, ENDS_CLOSED,
                             "last time to export, in seconds; default: the end");
    table[n++] = option_int("--every", &request->every, "N", 1, 1000000,
                            "export every N-th of these frames; default 1");
    table[n++] =
        option_real("--fps", &request->fps, "F", 0, 1e6, ENDS_CLOSED,
                    "maximum frames per second, 0 for all frames; default 30 for .html, .glb, "
                    ".gltf and .mcap, otherwise 0");
    table[n++] = option_text("--title", &request->title, "TEXT",
                             "title of the web page or 3D scene; default: the scene's name");
    table[n++] = option_choice("--color", &request->color, "MODE", color_names,
                               "colours that the web page starts with: model (default), subsystem "
                               "or stress");
    table[n++] = option_real("--stress-max", &request->stress_max, "PA", 0, 1e15, ENDS_LOWER_OPEN,
                             "stress in Pa at the upper end of the colour scale; default: fitted");
    table[n++] = option_set("--live", &request->live,
                            "the input is a model, MJCF, URDF or SDF, or a task of tenon plan; "
                            "OUT.html simulates it");
    table[n++] = option_text("--engine", &request->engine, "FILE",
                             "with --live: tenon.wasm; default: the one beside the program or in "
                             "../share/tenon, or that of the variable TENON_ENGINE");
    table[n++] = option_package_path();
    table[n++] = option_free_base();
    table[n++] = option_files();
    table[n++] = option_limit_factor();
    return n;
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon export RECORDING -o OUT [OPTIONS]\n"
        "       tenon export MODEL or TASK.txt --live -o OUT.html [OPTIONS]\n\n"
        "Converts a recording (tenon run --record). The ending of OUT chooses the format:\n"
        "  .html  a web page that plays it in any browser, all in one file\n"
        "  .npz   arrays for NumPy: times, poses, contacts, energies, and the state if recorded\n"
        "  .csv   one line per frame: time, poses of all bodies, nodes of soft bodies, figures of "
        "the step\n"
        "  .pvd   soft bodies, surfaces and tubes for ParaView, one .vtu per frame in a folder "
        "beside\n"
        "  .glb   an animated 3D scene (glTF 2.0) for Blender, web pages and viewers; .gltf: the "
        "same as\n         text\n"
        "  .mcap  transforms, shapes, joints and signals for Foxglove\n"
        "An existing file is replaced only when the new one is complete.\n\n"
        "With --live the page has the model and the engine in it. It simulates in any browser, "
        "from\n"
        "disk, with the bits of --isa portable: bodies can be pulled, controls and settings "
        "moved,\n"
        "other models dropped on it (docs/live.md). With the task of `tenon plan` it also plans, "
        "and "
        "goals\ncan be dragged. Options about frames and colours are for recordings, those about "
        "models for\n--live.\n");
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon run scenes/stir.xml --duration 10 --record stir.tnr\n"
           "  tenon export stir.tnr -o stir.html\n"
           "  tenon export stir.tnr -o stir.npz --from 2 --to 5 --every 2\n"
           "  tenon export scenes/stir.xml --live -o stir.html\n"
           "  tenon export examples/tasks/push.txt --live -o push.html\n");
}

/* Which frames are asked for; false and a message where there are none. */
static bool choose_frames(const Request *request, const TnRecording *recording, int **frames,
                          int *count)
{
    TnRecordingInfo info = tn_recording_info(recording);
    int within = 0;
    *count = 0;
    if (info.frame_count == 0) {
        say("export", "%s: contains no frames", request->input);
        return false;
    }
    *frames = malloc((size_t)info.frame_count * sizeof **frames);
    if (!*frames) {
        say("export", "no memory");
        return false;
    }
    /* times are sums of steps: what is a rounding before --from is meant, too */
    double slack = 1e-9 * fmax(1, fmax(fabs(info.start), fabs(info.end)));
    for (int i = 0; i < info.frame_count; i++) {
        double time = tn_recording_time(recording, i);
        bool inside = (isnan(request->from) || time >= request->from - slack) &&
                      (isnan(request->to) || time <= request->to + slack);
        if (inside && within++ % request->every == 0) (*frames)[(*count)++] = i;
    }
    if (*count) return true;
    say("export", "no frames in this range; the recording covers %g s to %g s", info.start,
        info.end);
    free(*frames);
    return false;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *title_of(const TnRecording *recording, const char *path)
{
    const char *name = tn_recording_scene(recording)->name;
    return name[0] ? name : name_of(path);
}

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    return length > size && tn_text_same(path + length - size, ending);
}

static int export_recording(const Request *request, const ExportFormat *format)
{
    TnError err = {0};
    TnRecording *recording = tn_recording_open(request->input, &err);
    if (!recording) {
        say("export", "%s", err.message);
        if (has_ending(request->input, ".xml") || has_ending(request->input, ".urdf") ||
            has_ending(request->input, ".sdf"))
            say("export", "--live makes a page that simulates a model");
        return EXIT_IO;
    }
    int *frames = NULL, count = 0, code = EXIT_USAGE;
    TnRecordingInfo info = tn_recording_info(recording);
    if (info.cut_off)
        say("export", "%s: is cut off or damaged after frame %d; exporting the frames up to it",
            request->input, info.frame_count - 1);
    if (choose_frames(request, recording, &frames, &count)) {
        double fps = request->fps >= 0 ? request->fps : format->fps;
        if (fps > 0) export_thin_out(recording, fps, frames, &count);
        ExportOptions options = {.frames = frames,
                                 .frame_count = count,
                                 .title = request->title ? request->title
                                                         : title_of(recording, request->input),
                                 .color = color_names[request->color],
                                 .stress_max = request->stress_max};
        code = format->write(request->output, recording, &options);
        free(frames);
    }
    tn_recording_close(recording);
    return code;
}

/* What a page that simulates is made of. */
typedef struct Source {
    TnModelBuilder *builder;
    TnModel *model;
    int code; /* where one of them is missing */
} Source;

static const TnModel *load_source(void *user, const char *path, TnError *err)
{
    Source *source = user;
    TnError wrong = {0};
    (void)err; /* all is said here */
    source->builder = load_builder("export", path, NULL, &source->code);
    source->model = source->builder ? tn_builder_compile(source->builder, &wrong) : NULL;
    if (source->builder && !source->model) {
        print_errors(&wrong);
        source->code = code_of(&wrong);
    }
    return source->model;
}

/* The model of a task that can be planned; otherwise an exit code other than EXIT_FINE. */
static int load_task(Source *source, const char *path)
{
    TnError err = {0};
    PlanTask *task = malloc(sizeof *task);
    TnPlan *plan = NULL;
    if (!task) {
        say("export", "no memory");
        return EXIT_IO;
    }
    source->code = EXIT_MODEL;
    TnStatus status = plan_task_read(task, path, load_source, source, &err);
    if (status == TN_OK) plan = tn_plan_create(&task->def, source->model, &err);
    if (err.count) say("export", "%s", err.message);
    bool fine = plan != NULL;
    tn_plan_destroy(plan);
    free(task);
    return fine ? EXIT_FINE : status == TN_ERROR_IO ? EXIT_IO : source->code;
}

static int export_model(const Request *request)
{
    Source source = {.code = EXIT_FINE};
    bool is_task = has_ending(request->input, ".txt");
    if (is_task)
        source.code = load_task(&source, request->input);
    else
        load_source(&source, request->input, NULL);
    int code = source.code;
    if (code == EXIT_FINE) {
        const char *name = tn_model_info(source.model).name;
        const char *title = request->title ? request->title
                            : name[0]      ? name
                                           : name_of(request->input);
        code = export_live_model(request->output, source.builder, is_task ? request->input : NULL,
                                 title, request->engine);
    }
    tn_model_destroy(source.model);
    tn_builder_destroy(source.builder);
    return code;
}

/* Options that say nothing about what is exported would be ignored: an error. */
static bool options_fit_format(const Request *r, const ExportFormat *format)
{
    const char *ignored = !format->titled && r->title          ? "--title"
                          : !format->page && r->color          ? "--color"
                          : !format->page && r->stress_max > 0 ? "--stress-max"
                                                               : NULL;
    if (ignored) say("export", "%s has no meaning for %s files", ignored, format->ending);
    return !ignored;
}

static bool options_fit(const Request *r)
{
    const TnLoadDef *load = load_def();
    bool of_frames = !isnan(r->from) || !isnan(r->to) || r->every != 1 || r->fps >= 0 || r->color ||
                     r->stress_max > 0;
    bool of_models = r->engine || load->package_path || load->free_base || *load_reach() ||
                     load->limit_factor > 1;
    if (r->live && of_frames)
        say("export", "--from, --to, --every, --fps, --color and --stress-max are for recordings, "
                      "not for --live");
    else if (!r->live && of_models)
        say("export", "--engine, --package-path, --free-base, --files and --limit-factor are for "
                      "models: they need --live");
    return r->live ? !of_frames : !of_models;
}

int cmd_export(int argc, char **argv)
{
    Request request = {.from = NAN, .to = NAN, .every = 1, .fps = -1};
    Option table[15];
    int count = option_table(table, &request), code = EXIT_FINE;
    if (!options_parse("export", table, count, print_help, "RECORDING or MODEL", &request.input,
                       argc, argv, &code))
        return code;
    if (!request.output) {
        say("export", "-o is missing: OUT.html, .npz, .csv, .pvd, .glb, .gltf or .mcap");
        return EXIT_USAGE;
    }
    const ExportFormat *format = export_format(request.output);
    if (!format) {
        say("export", "-o: '%s' must end in .html, .npz, .csv, .pvd, .glb, .gltf or .mcap",
            request.output);
        return EXIT_USAGE;
    }
    if (is_same_file(request.output, request.input)) {
        say("export", "-o: %s is the %s itself", request.output,
            request.live ? "model" : "recording");
        return EXIT_USAGE;
    }
    if (!options_fit(&request) || !options_fit_format(&request, format)) return EXIT_USAGE;
    if (!request.live) return export_recording(&request, format);
    if (!format->page) {
        say("export", "-o: '%s' must end in .html: --live makes a page", request.output);
        return EXIT_USAGE;
    }
    return export_model(&request);
}
