/* tenon export: a recording in the formats of others; the ending of the output's name decides. */
#include "../common/app.h"
#include "../common/options.h"
#include "../export/export.h"
#include "commands.h"
#include "platform/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Format {
    const char *ending;
    int (*write)(const char *path, TnRecording *recording, const ExportOptions *options);
    double fps; /* at most so many frames per second where nothing is said; 0: all */
} Format;

static const Format formats[] = {
    {".html", export_html, 30}, /* the player fills in what is between */
    {".npz", export_npz, 0},
    {".csv", export_csv, 0},
    {".pvd", export_vtu, 0}};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

typedef struct Request {
    const char *input, *output;
    double from, to;
    int every;
    double fps; /* 0: all frames; < 0: not said */
    const char *title;
    int color;
    double stress_max;
} Request;

static const char *const color_names[] = {"model", "subsystem", "stress", NULL};

static int option_table(Option *table, Request *request)
{
    int n = 0;
    table[n++] = option_text("-o", &request->output, "OUT",
                             "the file to write: OUT.html, OUT.npz, OUT.csv or OUT.pvd");
    table[n++] = option_real("--from", &request->from, "S", -1e9, 1e9, ENDS_CLOSED,
                             "first time to export, in seconds; default: the start");
    table[n++] = option_real("--to", &request->to, "S", -1e9, 1e9, ENDS_CLOSED,
                             "last time to export, in seconds; default: the end");
    table[n++] = option_int("--every", &request->every, "N", 1, 1000000,
                            "export every N-th of these frames; default 1");
    table[n++] =
        option_real("--fps", &request->fps, "F", 0, 1e6, ENDS_CLOSED,
                    "maximum frames per second, 0 for all frames; default 30 for .html, otherwise "
                    "0");
    table[n++] = option_text("--title", &request->title, "TEXT",
                             "title of the web page; default: the scene's name");
    table[n++] = option_choice("--color", &request->color, "MODE", color_names,
                               "colours that the web page starts with: model (default), subsystem "
                               "or stress");
    table[n++] = option_real("--stress-max", &request->stress_max, "PA", 0, 1e15, ENDS_LOWER_OPEN,
                             "stress in Pa at the upper end of the colour scale; default: fitted");
    return n;
}

static void print_help(const Option *table, int count)
{
    printf(
        "Usage: tenon export RECORDING -o OUT [OPTIONS]\n\n"
        "Converts a recording (tenon run --record). The ending of OUT chooses the format:\n"
        "  .html  a web page that plays it in any browser, all in one file\n"
        "  .npz   arrays for NumPy: times, poses, contacts, energies, and the state if recorded\n"
        "  .csv   one line per frame: time, poses of all bodies, nodes of soft bodies, figures of "
        "the step\n"
        "  .pvd   soft bodies, surfaces and tubes for ParaView, one .vtu per frame in a folder "
        "beside\n"
        "An existing file is replaced only when the new one is complete.\n");
    options_help(table, count);
    printf("\nExamples:\n"
           "  tenon run scenes/stir.xml --duration 10 --record stir.tnr\n"
           "  tenon export stir.tnr -o stir.html\n"
           "  tenon export stir.tnr -o stir.npz --from 2 --to 5 --every 2\n");
}

static const Format *find_format(const char *path)
{
    size_t length = strlen(path);
    for (int i = 0; i < FORMAT_COUNT; i++) {
        size_t ending = strlen(formats[i].ending);
        /* a bare ".csv" is a name without ending */
        if (length > ending && path[length - ending - 1] != '/' &&
            tn_text_same(path + length - ending, formats[i].ending))
            return &formats[i];
    }
    return NULL;
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

/* At most so many frames per second; the first and the last one stay. */
static void thin_out(const TnRecording *recording, double fps, int *frames, int *count)
{
    double start = tn_recording_time(recording, frames[0]), next = 0; /* in frames */
    int kept = 0;
    for (int i = 0; i < *count; i++) {
        /* times are sums of steps: what is a rounding before is meant, too */
        double at = (tn_recording_time(recording, frames[i]) - start) * fps + 1e-6;
        if (at < next && i + 1 < *count) continue;
        frames[kept++] = frames[i];
        next = floor(at) + 1;
    }
    *count = kept;
}

static const char *title_of(const TnRecording *recording, const char *path)
{
    const char *name = tn_recording_scene(recording)->name, *slash = strrchr(path, '/');
    return name[0] ? name : slash ? slash + 1 : path;
}

static int export_recording(const Request *request, const Format *format)
{
    TnError err = {0};
    TnRecording *recording = tn_recording_open(request->input, &err);
    if (!recording) {
        say("export", "%s", err.message);
        return EXIT_IO;
    }
    int *frames = NULL, count = 0, code = EXIT_USAGE;
    TnRecordingInfo info = tn_recording_info(recording);
    if (info.cut_off)
        say("export", "%s: is cut off or damaged after frame %d; exporting the frames up to it",
            request->input, info.frame_count - 1);
    if (choose_frames(request, recording, &frames, &count)) {
        double fps = request->fps >= 0 ? request->fps : format->fps;
        if (fps > 0) thin_out(recording, fps, frames, &count);
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

int cmd_export(int argc, char **argv)
{
    Request request = {.from = NAN, .to = NAN, .every = 1, .fps = -1};
    Option table[9];
    int count = option_table(table, &request), code = EXIT_FINE;
    if (!options_parse("export", table, count, print_help, "RECORDING", &request.input, argc, argv,
                       &code))
        return code;
    if (!request.output) {
        say("export", "-o is missing: OUT.html, OUT.npz, OUT.csv or OUT.pvd");
        return EXIT_USAGE;
    }
    const Format *format = find_format(request.output);
    if (!format) {
        say("export", "-o: '%s' must end in .html, .npz, .csv or .pvd", request.output);
        return EXIT_USAGE;
    }
    if (is_same_file(request.output, request.input)) {
        say("export", "-o: %s is the recording itself", request.output);
        return EXIT_USAGE;
    }
    return export_recording(&request, format);
}
