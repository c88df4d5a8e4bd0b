/* export_mcap.c: a recording as MCAP, for Foxglove and what reads its schemas.
 *
 *   /tf            foxglove.FrameTransforms   the pose of every body in the world, each frame
 *   /scene         foxglove.SceneUpdate       bodies with their shapes, once
 *   /deforming     foxglove.SceneUpdate       cables, tendons, soft bodies, each frame
 *   /joint_states  foxglove.JointStates       joints with one coordinate, if signals were recorded
 *   /signals       tenon.Signals              all signals by kind and name
 *   /step          tenon.Step                 how the step went
 *
 * Messages are JSON; their times are the recording's, in ns. */
#include "../common/app.h"
#include "export.h"
#include "html_scene.h"
#include "mcap.h"
#include "mcap_scene.h"
#include "platform/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIME_SCHEMA                                                                                \
    "\"timestamp\":{\"type\":\"object\",\"title\":\"time\",\"properties\":{\"sec\":{\"type\":"     \
    "\"integer\"},\"nsec\":{\"type\":\"integer\"}}}"
#define NUMBER(name) "\"" name "\":{\"type\":\"number\"}"

/* clang-format off */
static const char transforms_schema[] =
    "{\"title\":\"foxglove.FrameTransforms\",\"type\":\"object\",\"properties\":{\"transforms\":{"
    "\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{" TIME_SCHEMA ","
    "\"parent_frame_id\":{\"type\":\"string\"},\"child_frame_id\":{\"type\":\"string\"},"
    "\"translation\":{\"type\":\"object\",\"properties\":{"
    NUMBER("x") "," NUMBER("y") "," NUMBER("z") "}},"
    "\"rotation\":{\"type\":\"object\",\"properties\":{"
    NUMBER("x") "," NUMBER("y") "," NUMBER("z") "," NUMBER("w") "}}}}}}}";
static const char joints_schema[] =
    "{\"title\":\"foxglove.JointStates\",\"type\":\"object\",\"properties\":{" TIME_SCHEMA ","
    "\"joints\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"
    "\"name\":{\"type\":\"string\"}," NUMBER("position") "," NUMBER("velocity") "}}}}}";
static const char signals_schema[] =
    "{\"title\":\"tenon.Signals\",\"type\":\"object\",\"properties\":{" TIME_SCHEMA "},"
    "\"additionalProperties\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"number\"}}}";
static const char step_schema[] =
    "{\"title\":\"tenon.Step\",\"type\":\"object\",\"properties\":{" TIME_SCHEMA ","
    NUMBER("step") "," NUMBER("contacts") "," NUMBER("iterations") "," NUMBER("residual") ","
    NUMBER("kinetic") "," NUMBER("potential") "," NUMBER("mean_penetration") ","
    NUMBER("max_penetration") "," NUMBER("step_time") "}}";
/* clang-format on */

typedef struct Export {
    McapScene scene;
    Mcap mcap;
    const TnFrame *frame;
    uint64_t time;
    int tf, bodies, deforming, joints, signals, step; /* topics; -1: none */
    bool failed;
} Export;

/* ---- messages ---- */

static void write_transforms(Json *json, const Export *e)
{
    const TnScene *scene = e->scene.scene;
    static const char *const names[] = {"x", "y", "z", "x", "y", "z", "w"};
    char buffer[NAME_SIZE];
    json_begin_object(json, NULL);
    json_begin_array(json, "transforms");
    for (int i = 1; i < scene->body_count; i++) {
        const double *pose = e->frame->poses + 7 * i;
        json_begin_object(json, NULL);
        mcap_time(json, "timestamp", e->time);
        json_string(json, "parent_frame_id", "world");
        json_string(json, "child_frame_id", export_body_name(scene, i, buffer, sizeof buffer));
        json_begin_object(json, "translation");
        for (int k = 0; k < 3; k++) json_number(json, names[k], pose[k]);
        json_end(json);
        json_begin_object(json, "rotation");
        for (int k = 0; k < 4; k++) json_number(json, names[3 + k], pose[3 + (k + 1) % 4]);
        json_end(json);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

static void write_bodies(Json *json, const Export *e)
{
    mcap_write_bodies(json, &e->scene, e->time);
}

static void write_deforming(Json *json, const Export *e)
{
    mcap_write_deforming(json, &e->scene, e->frame, e->time);
}

/* The length of NAME in NAME.q0, if that is the signal's only number; else 0. */
static int joint_name(const TnScene *scene, int signal)
{
    const char *name = scene->signals[signal].name;
    int length = (int)strlen(name) - 3;
    if (scene->signals[signal].kind != TN_SIGNAL_POSITION || length < 1 ||
        strcmp(name + length, ".q0") != 0)
        return 0;
    const char *next = signal + 1 < scene->signal_count ? scene->signals[signal + 1].name : "";
    bool more = strncmp(name, next, (size_t)length) == 0 && strcmp(next + length, ".q1") == 0;
    return more ? 0 : length;
}

/* NAME.v0 follows NAME.q0. */
static void write_joints(Json *json, const Export *e)
{
    const TnScene *scene = e->scene.scene;
    char name[NAME_SIZE];
    json_begin_object(json, NULL);
    mcap_time(json, "timestamp", e->time);
    json_begin_array(json, "joints");
    for (int i = 0; i < scene->signal_count && e->frame->signal_count; i++) {
        int length = joint_name(scene, i);
        if (!length) continue;
        snprintf(name, sizeof name, "%.*s", length, scene->signals[i].name);
        json_begin_object(json, NULL);
        json_string(json, "name", name);
        json_number(json, "position", e->frame->signals[i]);
        if (i + 1 < scene->signal_count && scene->signals[i + 1].kind == TN_SIGNAL_VELOCITY)
            json_number(json, "velocity", e->frame->signals[i + 1]);
        json_end(json);
    }
    json_end(json);
    json_end(json);
}

static void write_signals(Json *json, const Export *e)
{
    const TnScene *scene = e->scene.scene;
    json_begin_object(json, NULL);
    mcap_time(json, "timestamp", e->time);
    for (int kind = 0; kind < TN_SIGNAL_COUNT; kind++) {
        json_begin_object(json, tn_signal_kind_name((TnSignalKind)kind));
        for (int i = 0; i < scene->signal_count && e->frame->signal_count; i++)
            if (scene->signals[i].kind == (TnSignalKind)kind)
                json_number(json, scene->signals[i].name, e->frame->signals[i]);
        json_end(json);
    }
    json_end(json);
}

static void write_step(Json *json, const Export *e)
{
    const TnFrame *frame = e->frame;
    json_begin_object(json, NULL);
    mcap_time(json, "timestamp", e->time);
    json_integer(json, "step", frame->step);
    json_integer(json, "contacts", frame->contact_count);
    json_integer(json, "iterations", frame->iterations);
    json_number(json, "residual", frame->residual);
    json_number(json, "kinetic", frame->kinetic);
    json_number(json, "potential", frame->potential);
    json_number(json, "mean_penetration", frame->mean_penetration);
    json_number(json, "max_penetration", frame->max_penetration);
    json_number(json, "step_time", frame->times.total);
    json_end(json);
}

static void send(Export *e, int topic, void (*write)(Json *json, const Export *e))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = topic >= 0 && !e->failed ? tn_stream_open_memory(&text, &size) : NULL;
    if (topic < 0) return;
    if (!out) {
        e->failed = true;
        return;
    }
    Json json = json_to(out);
    json.compact = true;
    write(&json, e);
    if (tn_stream_close_memory(out, &text, &size) == 0)
        mcap_message(&e->mcap, topic, e->time, text, size);
    else
        e->failed = true;
    free(text);
}

/* ---- the file ---- */

static bool has_joints(const TnScene *scene)
{
    for (int i = 0; i < scene->signal_count; i++)
        if (joint_name(scene, i)) return true;
    return false;
}

static void open_topics(Export *e, const TnRecordingInfo *info)
{
    const TnScene *scene = e->scene.scene;
    static const char update[] = "foxglove.SceneUpdate";
    e->deforming = e->joints = e->signals = -1;
    e->tf = mcap_topic(&e->mcap, "/tf", "foxglove.FrameTransforms", transforms_schema);
    e->bodies = mcap_topic(&e->mcap, "/scene", update, mcap_scene_schema);
    if (scene->tube_count || scene->surface_count)
        e->deforming = mcap_topic(&e->mcap, "/deforming", update, mcap_scene_schema);
    if (info->has_signals && has_joints(scene))
        e->joints = mcap_topic(&e->mcap, "/joint_states", "foxglove.JointStates", joints_schema);
    if (info->has_signals && scene->signal_count)
        e->signals = mcap_topic(&e->mcap, "/signals", "tenon.Signals", signals_schema);
    e->step = mcap_topic(&e->mcap, "/step", "tenon.Step", step_schema);
}

static bool write_frames(Export *e, TnRecording *recording, TnFrame *frame,
                         const ExportOptions *options)
{
    for (int k = 0; k < options->frame_count && !e->failed; k++) {
        if (!export_read_frame(recording, options->frames[k], frame)) return false;
        if (!(frame->time >= 0 && frame->time < 1e10)) {
            say("export",
                "frame %d is at %g s, MCAP has times from 0 to 1e10 s only; --from and "
                "--to leave it out",
                options->frames[k], frame->time);
            return false;
        }
        e->time = (uint64_t)llround(frame->time * 1e9);
        if (k == 0) send(e, e->bodies, write_bodies);
        send(e, e->tf, write_transforms);
        send(e, e->deforming, write_deforming);
        send(e, e->joints, write_joints);
        send(e, e->signals, write_signals);
        send(e, e->step, write_step);
    }
    return true;
}

int export_mcap(const char *path, TnRecording *recording, const ExportOptions *options)
{
    TnError err = {0};
    TnRecordingInfo info = tn_recording_info(recording);
    const TnScene *scene = tn_recording_scene(recording);
    TnFrame *frame = tn_frame_create(scene, &err);
    Export e = {.scene = {.scene = scene, .plans = html_plans_make(scene), .extent = 50},
                .frame = frame};
    ExportFile file = {0};
    if (!frame || !e.scene.plans) say("export", "no memory for a frame");
    bool fine = frame && e.scene.plans && export_file_open(&file, path);
    if (fine) {
        mcap_begin(&e.mcap, file.out);
        open_topics(&e, &info);
        fine = write_frames(&e, recording, frame, options);
        e.failed |= !mcap_end(&e.mcap);
        if (e.failed) say("export", "%s: no memory for its messages", path);
        fine = fine && !e.failed;
    }
    if (fine)
        fine = export_file_close(&file);
    else
        export_file_drop(&file);
    html_plans_free(e.scene.plans, scene->surface_count);
    tn_frame_destroy(frame);
    return fine ? EXIT_FINE : EXIT_IO;
}
