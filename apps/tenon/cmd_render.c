/* tenon render: pictures and films of a model or a recording, without a display. */
#include "../common/app.h"
#include "../common/json.h"
#include "../common/progress.h"
#include "../export/export.h"
#include "../render/system.h"
#include "commands.h"
#include "frame_source.h"
#include "frame_spool.h"
#include "stage.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { ERROR_SIZE = 1024 };

typedef enum OutputKind { OUTPUT_PICTURE, OUTPUT_FILM, OUTPUT_FOLDER } OutputKind;

typedef struct RenderOptions {
    SimOptions sim;
    PictureOptions picture;
    const char *input, *output, *title;
    double time, fps, speed; /* duration is sim.duration; NaN: not given */
    bool stats, json, quiet;
    OutputKind kind;
} RenderOptions;

static int option_table(Option *table, RenderOptions *render)
{
    int n = 0;
    table[n++] = option_text("-o", &render->output, "OUT",
                             "OUT.png: a picture; OUT.mp4: a film; OUT/: a folder of pictures");
    table[n++] =
        option_real("--time", &render->time, "T", 0, 1e6, ENDS_CLOSED,
                    "time in seconds of the picture, or of the start of the film; default 0");
    table[n++] = option_real("--fps", &render->fps, "F", 0, 1000, ENDS_LOWER_OPEN,
                             "pictures per second of the film; default 30");
    table[n++] =
        option_real("--speed", &render->speed, "X", 0, 1e6, ENDS_LOWER_OPEN,
                    "simulated seconds per second of the film; default 1; 0.1: slow motion");
    table[n++] = option_text("--title", &render->title, "TEXT", "show a line of text at the top");
    table[n++] =
        option_set("--stats", &render->stats, "show time, contacts and energy in a corner");
    table[n++] = option_set("--json", &render->json, "print one JSON object");
    table[n++] =
        option_set("--quiet", &render->quiet, "print no progress line and no closing line");
    n = picture_option_table(table, n, &render->picture);
    return sim_option_table(table, n, &render->sim);
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon render MODEL|RECORDING.tnr -o OUT [OPTIONS]\n\n"
        "Draws a picture or a film of a model, which is simulated for it, or of a recording.\n"
        "No display is needed: EGL draws on a graphics card or in software. A film is --duration\n"
        "long (default: 5 s of a model, all of a recording) and interpolates between steps. MP4\n"
        "needs the program ffmpeg. Pictures have 1280x720 pixels unless --size is given.\n"
        "The free camera is fitted to all that is shown, over the whole film, unless the model or "
        "the\n"
        "options place it.\n"
        "Simulation options have no effect on a recording.\n");
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon render scenes/stir.xml -o out/stir.png --time 0.5 --color subsystem\n"
           "  tenon render scenes/stir.xml -o out/stir.mp4 --duration 4 --size 1280x720\n"
           "  tenon render scenes/stir.xml -o out/frames/ --duration 1 --speed 0.1 --forces\n"
           "  tenon render scenes/beam.xml -o out/beam.mp4 --color stress --stress-max 1e6\n"
           "  tenon render out/stir.tnr -o out/stir.mp4 --azimuth 60 --elevation -30\n");
}

/* Set by Ctrl-C; the one thing a signal handler may do. */
static volatile sig_atomic_t interrupted;
static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length > end_length && strcasecmp(text + length - end_length, end) == 0;
}

/* What is to be made, by the name's end; false and a message. */
static bool choose_output(RenderOptions *render)
{
    const char *out = render->output;
    if (!out) {
        say("render", "-o is missing: OUT.png, OUT.mp4 or a folder OUT/");
        return false;
    }
    if (ends_in(out, "/") || system_is_folder(out)) {
        render->kind = OUTPUT_FOLDER;
    } else if (ends_in(out, ".png")) {
        render->kind = OUTPUT_PICTURE;
    } else if (ends_in(out, ".mp4")) {
        render->kind = OUTPUT_FILM;
    } else {
        say("render", "-o: '%s' must end in .png, .mp4, or / for a folder", out);
        return false;
    }
    if (is_same_file(out, render->input)) {
        say("render", "-o: %s is the input itself", out);
        return false;
    }
    const PictureOptions *picture = &render->picture;
    if (render->kind == OUTPUT_FILM && (picture->width % 2 || picture->height % 2)) {
        say("render", "--size: an MP4 needs an even width and height, not %dx%d", picture->width,
            picture->height);
        return false;
    }
    if (render->kind != OUTPUT_PICTURE) return true;
    const char *wrong = !isnan(render->sim.duration) ? "--duration"
                        : !isnan(render->fps)        ? "--fps"
                        : !isnan(render->speed)      ? "--speed"
                                                     : NULL;
    if (wrong)
        say("render",
            "%s applies to films only; use --time for a picture, or -o OUT.mp4 for a "
            "film",
            wrong);
    return !wrong;
}

/* Simulates to a time; false where there is an error. */
static bool advance(FrameSource *source, double time, Progress *progress, char error[ERROR_SIZE])
{
    TnError err = {0};
    while (!interrupted && source_advance(source, time, &err))
        progress_update(progress, (double)source->steps * source->timestep);
    if (err.code == TN_OK) return true;
    snprintf(error, ERROR_SIZE, "%.1000s", err.message);
    return false;
}

/* Where the free camera is, by the box of what is shown; low NULL: nothing. */
static void place_camera(Stage *stage, const RenderOptions *render, const double low[3],
                         const double high[3])
{
    const PictureOptions *picture = &render->picture;
    stage->orbit = picture_orbit(picture, stage->def.scene, low, high,
                                 (double)picture->width / picture->height);
}

static void fit_to_frame(Stage *stage, const RenderOptions *render, const TnFrame *frame)
{
    double low[3], high[3];
    bool any = scene_bounds(stage->def.scene, frame, render->picture.draw.group_mask, low, high);
    place_camera(stage, render, any ? low : NULL, high);
}

static void fit_to_motion(Stage *stage, const RenderOptions *render, const Motion *motion)
{
    double low[3], high[3];
    bool any = motion_bounds(motion, low, high);
    place_camera(stage, render, any ? low : NULL, high);
}

/* Pictures stand for the time until the next one: the last is one short of the end. */
static int64_t picture_count(const RenderOptions *render)
{
    if (render->kind == OUTPUT_PICTURE) return 1;
    double last = ceil(render->sim.duration * render->fps / render->speed * (1 - 1e-9));
    return (int64_t)fmax(last, 1);
}

static double picture_time(const RenderOptions *render, int64_t index)
{
    return render->time + (double)index * render->speed / render->fps;
}

/* Frames of the recording that the film lies between. */
static bool fit_to_recording(Stage *stage, const RenderOptions *render, TnRecording *recording)
{
    int total = tn_recording_info(recording).frame_count, count = 0;
    int *frames = malloc((size_t)total * sizeof *frames);
    double start = tn_recording_time(recording, 0) + render->time,
           end = start + render->sim.duration;
    for (int i = 0; frames && i < total; i++) {
        bool is_before = i + 1 < total && tn_recording_time(recording, i + 1) <= start;
        bool is_after = i > 0 && tn_recording_time(recording, i - 1) >= end;
        if (!is_before && !is_after) frames[count++] = i;
    }
    Motion motion = {0};
    bool fine = frames && motion_of_recording(&motion, recording, frames, count,
                                              render->picture.draw.group_mask);
    if (fine) fit_to_motion(stage, render, &motion);
    motion_free(&motion);
    free(frames);
    return fine;
}

/* The frame of a picture; NULL and an error, or no error where the simulation ended before. */
static const TnFrame *reach(FrameSource *source, const RenderOptions *render, int64_t index,
                            Progress *progress, char error[ERROR_SIZE])
{
    TnError err = {0};
    double time = picture_time(render, index);
    if (!advance(source, time, progress, error)) return NULL;
    /* a picture that was not reached is not drawn; the last good state of one picture is */
    if (interrupted || (source->diverged && index > 0)) return NULL;
    const TnFrame *frame = source_frame(source, time, &err);
    if (!frame) snprintf(error, ERROR_SIZE, "%.1000s", err.message);
    progress_update(progress, time);
    return frame;
}

static bool spool_failed(char error[ERROR_SIZE])
{
    snprintf(error, ERROR_SIZE, "frames cannot be kept in the folder for temporary files: %s",
             strerror(errno ? errno : EIO));
    return false;
}

/* Simulates a whole film first, so that the camera can be fitted to its motion; then draws it. */
static bool draw_fitted_film(Stage *stage, const RenderOptions *render, FrameSource *source,
                             Progress *progress, char error[ERROR_SIZE])
{
    FrameSpool spool = {0};
    Motion motion = {0};
    int64_t count = picture_count(render), stride = motion_stride(count);
    const TnFrame *frame = NULL;
    bool fine = spool_open(&spool, source->scene) &&
                motion_start(&motion, source->scene, render->picture.draw.group_mask);
    if (!fine) spool_failed(error);
    for (int64_t i = 0; i < count && fine; i++) {
        frame = reach(source, render, i, progress, error);
        if (!frame) break;
        if (i % stride == 0 || i + 1 == count) motion_add(&motion, frame);
        if (!spool_write(&spool, frame)) fine = spool_failed(error);
    }
    fine = fine && !error[0];
    if (fine && !spool_rewind(&spool)) fine = spool_failed(error);
    if (fine) fit_to_motion(stage, render, &motion);
    bool ended_early = interrupted; /* what there is gets drawn, unless another Ctrl-C comes */
    for (int64_t i = 0; i < spool.count && fine && (ended_early || !interrupted); i++)
        fine = spool_read(&spool) ? stage_draw(stage, spool.frame, error, ERROR_SIZE)
                                  : spool_failed(error);
    spool_close(&spool);
    motion_free(&motion);
    return fine;
}

/* Draws each picture as soon as it is there. */
static bool draw_as_it_goes(Stage *stage, const RenderOptions *render, FrameSource *source,
                            Progress *progress, char error[ERROR_SIZE])
{
    int64_t count = picture_count(render);
    for (int64_t i = 0; i < count; i++) {
        const TnFrame *frame = reach(source, render, i, progress, error);
        if (!frame) return !error[0];
        if (render->kind == OUTPUT_PICTURE) fit_to_frame(stage, render, frame);
        if (!stage_draw(stage, frame, error, ERROR_SIZE)) return false;
    }
    return true;
}

/* All pictures; false where there is an error. What was drawn before stays. */
static bool draw_all(Stage *stage, const RenderOptions *render, FrameSource *source,
                     char error[ERROR_SIZE])
{
    bool film = render->kind != OUTPUT_PICTURE, fine;
    double duration = film ? render->sim.duration : 0;
    bool is_fitted = picture_is_fitted(&render->picture, source->scene);
    Progress progress = progress_start(render->time + duration, render->quiet);
    fit_to_frame(stage, render, source->after);
    if (film && is_fitted && source->recording &&
        !fit_to_recording(stage, render, source->recording))
        snprintf(error, ERROR_SIZE, "no memory to fit the camera");
    if (error[0])
        fine = false;
    else if (film && is_fitted && source->world)
        fine = draw_fitted_film(stage, render, source, &progress, error);
    else
        fine = draw_as_it_goes(stage, render, source, &progress, error);
    /* the rest of the last picture's time: the same steps as `tenon run` */
    if (fine && film) fine = advance(source, render->time + duration, &progress, error);
    progress_end(&progress);
    return fine;
}

static void print_json(const RenderOptions *render, const Stage *stage, const FrameSource *source)
{
    static const char *const kinds[] = {"picture", "film", "folder"};
    Json json = json_to(stdout);
    json_begin_object(&json, NULL);
    json_string(&json, "input", render->input);
    json_string(&json, "output", render->output);
    json_string(&json, "kind", kinds[render->kind]);
    json_integer(&json, "frames", stage->frames);
    json_integer(&json, "width", render->picture.width);
    json_integer(&json, "height", render->picture.height);
    if (render->kind != OUTPUT_PICTURE) json_number(&json, "fps", render->fps);
    json_string(&json, "driver", renderer_driver(stage->renderer));
    json_number(&json, "draw_ms_mean", 1e3 * stage->drawing / stage->frames);
    DrawStats drawn = renderer_stats(stage->renderer); /* of the last picture */
    json_integer(&json, "instances", drawn.instances);
    json_integer(&json, "draw_calls", drawn.draw_calls);
    json_integer(&json, "triangles", drawn.triangles);
    if (source->world) {
        char hash[17];
        snprintf(hash, sizeof hash, "%016" PRIx64, tn_world_hash(source->world));
        json_integer(&json, "steps", source->steps);
        json_bool(&json, "diverged", source->diverged);
        json_string(&json, "state_hash", hash);
    }
    json_bool(&json, "interrupted", interrupted != 0);
    json_end(&json);
}

static void print_line(const RenderOptions *render, const Stage *stage)
{
    int width = render->picture.width, height = render->picture.height;
    if (render->kind == OUTPUT_PICTURE)
        printf("%s: %dx%d\n", render->output, width, height);
    else
        printf("%s: %d pictures of %dx%d, %.4g s at %g per second\n", render->output, stage->frames,
               width, height, stage->frames / render->fps, render->fps);
}

static int render_source(RenderOptions *render, FrameSource *source)
{
    char error[ERROR_SIZE] = "";
    Stage stage = {.camera = -1};
    PictureOptions *picture = &render->picture;
    if (!picture_scene("render", picture, source->scene, &stage.camera)) return EXIT_USAGE;
    StageDef def = {.picture = picture,
                    .scene = source->scene,
                    .output = render->output,
                    .is_film = render->kind != OUTPUT_PICTURE,
                    .fps = render->fps,
                    .title = render->title,
                    .stats = render->stats};
    bool fine = stage_open(&stage, &def, error, ERROR_SIZE);
    if (fine) {
        system_catch_interrupt(on_interrupt);
        fine = draw_all(&stage, render, source, error);
    }
    /* what there is of a film is kept, unless writing it went wrong */
    bool any = stage.frames > 0;
    char closing[ERROR_SIZE] = "";
    bool whole = stage_end_film(&stage, closing, ERROR_SIZE);
    if (fine && any && !whole) {
        memcpy(error, closing, ERROR_SIZE);
        fine = false;
    }
    if (!fine) say("render", "%s", error);
    if (fine && any && render->json)
        print_json(render, &stage, source);
    else if (fine && any && !render->quiet)
        print_line(render, &stage);
    if (fine && interrupted && !any) say("render", "interrupted before the first picture");
    if (source->diverged) {
        TnTrouble t = tn_world_trouble(source->world);
        say("render",
            "the simulation diverged at %g s%s%s: %s; earlier pictures are kept. What usually "
            "helps: %s",
            (double)source->steps * source->timestep, t.where[0] ? ", at " : "", t.where, t.what,
            t.help);
    }
    stage_close(&stage);
    return !fine              ? EXIT_IO
           : source->diverged ? EXIT_DIVERGED
           : interrupted      ? EXIT_INTERRUPTED
                              : EXIT_FINE;
}

static int library_failed(const TnError *err)
{
    say("render", "%s", err->message);
    return code_of(err);
}

static int render_model(RenderOptions *render)
{
    TnError err = {0};
    int code = EXIT_FINE;
    TnModel *model = load_model("render", render->input, NULL, &code);
    if (!model) return code;
    TnWorldDef def = sim_world_def(&render->sim);
    if (!find_key("render", model, render->sim.key, &def.key)) {
        tn_model_destroy(model);
        return EXIT_USAGE;
    }
    TnWorld *world = tn_world_create(&def, model, &err);
    TnScene *scene = world ? tn_scene_create_of(world, &err) : NULL;
    FrameSource source = {0};
    if (isnan(render->sim.duration)) render->sim.duration = 5;
    if (scene &&
        source_open(&source, scene, world, NULL, render->picture.color == COLOR_STRESS, &err))
        code = render_source(render, &source);
    else
        code = library_failed(&err);
    source_close(&source);
    tn_scene_destroy(scene);
    if (world) tn_world_destroy(world);
    tn_model_destroy(model);
    return code;
}

static int render_recording(RenderOptions *render)
{
    TnError err = {0};
    TnRecording *recording = tn_recording_open(render->input, &err);
    if (!recording) return library_failed(&err);
    TnRecordingInfo info = tn_recording_info(recording);
    double length = info.end - info.start;
    int code = EXIT_USAGE;
    FrameSource source = {0};
    if (info.cut_off)
        say("render", "%s is cut off or damaged: it ends at %g s", render->input, info.end);
    if (info.frame_count < 1) {
        say("render", "%s: contains no frames", render->input);
        code = EXIT_IO;
    } else if (render->time > length * (1 + 1e-9)) {
        say("render", "--time: the recording is only %g s long", length);
    } else {
        double rest = length - render->time;
        if (!(render->sim.duration < rest)) render->sim.duration = rest;
        /* one range for all of a film */
        if (render->picture.color == COLOR_STRESS && render->kind != OUTPUT_PICTURE &&
            !(render->picture.draw.stress_max > 0))
            render->picture.draw.stress_max = stress_top(export_largest_stress(recording, NULL, 0));
        if (source_open(&source, tn_recording_scene(recording), NULL, recording, false, &err))
            code = render_source(render, &source);
        else
            code = library_failed(&err);
    }
    source_close(&source);
    tn_recording_close(recording);
    return code;
}

int cmd_render(int argc, char **argv)
{
    RenderOptions render = {
        .sim = sim_options(), .picture = picture_options(1280, 720), .fps = NAN, .speed = NAN};
    render.sim.duration = NAN;
    Option table[9 + PICTURE_OPTION_COUNT + SIM_OPTION_COUNT];
    int count = option_table(table, &render), code = EXIT_USAGE;
    if (options_parse("render", table, count, print_help, "MODEL", &render.input, argc, argv,
                      &code) &&
        picture_options_finish("render", &render.picture) && choose_output(&render) &&
        sim_options_finish("render", &render.sim)) {
        if (isnan(render.fps)) render.fps = 30;
        if (isnan(render.speed)) render.speed = 1;
        code = ends_in(render.input, ".tnr") ? render_recording(&render) : render_model(&render);
    }
    picture_options_free(&render.picture);
    return code;
}
