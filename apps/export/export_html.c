/* export_html.c: a recording as one page that plays it. docs/replay.md has the format. */
#include "../common/app.h"
#include "../render/bounds.h"
#include "../render/renderer.h"
#include "html_frames.h"
#include "html_page.h"
#include "html_scene.h"

#include <math.h>
#include <stdlib.h>

/* The box of the whole motion, to which the player fits its camera. */
static void write_box(Json *json, TnRecording *recording, const ExportOptions *options)
{
    Motion motion = {0};
    double box[6];
    const TnScene *scene = tn_recording_scene(recording);
    if (motion_of_recording(&motion, recording, options->frames, options->frame_count,
                            default_groups(scene)) &&
        motion_bounds(&motion, box, box + 3))
        json_numbers(json, "box", box, 6);
    motion_free(&motion);
}

/* What the head is made of. */
typedef struct Head {
    TnRecording *recording;
    const ExportOptions *options;
    const HtmlFrames *frames;
    const Sections *sections;
} Head;

static void write_head(FILE *out, void *context)
{
    const Head *head = context;
    const ExportOptions *options = head->options;
    const HtmlFrames *frames = head->frames;
    const TnScene *scene = tn_recording_scene(head->recording);
    TnRecordingInfo info = tn_recording_info(head->recording);
    Json json = json_to(out);
    char maker[64];
    json_begin_object(&json, NULL);
    json_integer(&json, "format", 1);
    snprintf(maker, sizeof maker, "tenon %s", tn_version());
    json_string(&json, "made_by", maker);
    json_string(&json, "title", options->title ? options->title : scene->name);
    json_integer(&json, "frames", options->frame_count);
    json_bool(&json, "cut_off", info.cut_off);
    json_bool(&json, "has_contacts", info.has_contacts);
    json_bool(&json, "contacts_short", frames->contacts_short);
    json_number(&json, "point_step", frames->point_step);
    json_string(&json, "color", options->color);
    json_number(&json, "stress_step", frames->stress_step);
    json_number(&json, "stress_max",
                options->stress_max > 0 ? options->stress_max : stress_top(frames->stress_max));
    json_number(&json, "force_max", frames->force_max);
    write_box(&json, head->recording, options);
    html_scene_write(&json, scene, frames->plans, info.has_signals);
    sections_describe(head->sections, &json);
    json_end(&json);
}

static int write_file(const char *path, TnRecording *recording, const ExportOptions *options,
                      const HtmlFrames *frames, const Sections *sections)
{
    const char *name = options->title ? options->title : tn_recording_scene(recording)->name;
    Head head = {recording, options, frames, sections};
    char *text = html_text(write_head, &head);
    if (!text) {
        say("export", "no memory for the replay's header");
        return EXIT_IO;
    }
    HtmlPage page = {name[0] ? name : "tenon replay", text, sections, false};
    long size = html_page_write(path, &page);
    if (size > 0)
        say("export", "%s: %.2f MB, %d %s", path, (double)size / 1e6, options->frame_count,
            options->frame_count == 1 ? "frame" : "frames");
    free(text);
    return size >= 0 ? EXIT_FINE : EXIT_IO;
}

int export_html(const char *path, TnRecording *recording, const ExportOptions *options)
{
    Sections sections = {0};
    const TnScene *scene = tn_recording_scene(recording);
    SurfacePlan *plans = html_plans_make(scene);
    HtmlFrames frames = {.plans = plans};
    if (!plans) {
        say("export", "no memory for the replay's scene");
        return EXIT_IO;
    }
    int code = html_frames_add(&sections, &frames, recording, options);
    if (code == EXIT_FINE) {
        html_scene_add(&sections, scene, plans, frames.stress_step > 0);
        if (sections.failed) {
            say("export", "no memory for the replay's scene");
            code = EXIT_IO;
        }
    }
    if (code == EXIT_FINE) code = write_file(path, recording, options, &frames, &sections);
    sections_free(&sections);
    html_plans_free(plans, scene->surface_count);
    return code;
}
