/* What `tenon info` tells of a recording; see recording_info.h. */
#include "recording_info.h"

#include "../common/app.h"
#include "../common/json.h"
#include "../common/table.h"
#include "platform/files.h"

#include <string.h>

bool is_recording(const char *path)
{
    static const unsigned char magic[4] = {0x89, 'T', 'N', 'R'};
    unsigned char start[sizeof magic];
    TnFileInfo about;
    /* what is read from a pipe is gone for the next reader */
    if (tn_file_info(path, &about) != 0 || about.kind != TN_FILE_REGULAR) return false;
    FILE *file = tn_stream_open(path, "r");
    if (!file) return false;
    bool same =
        fread(start, 1, sizeof start, file) == sizeof start && !memcmp(start, magic, sizeof magic);
    fclose(file);
    return same;
}

static const char *yes_no(bool value) { return value ? "yes" : "no"; }

static void print_text(const TnScene *scene, const TnRecordingInfo *info, const char *path)
{
    char buffer[SHOWN_SIZE];
    printf("%s\n", scene->name[0] ? shown(scene->name, buffer) : path);
    table_line(stdout, "frames", "%d", info->frame_count);
    table_line(stdout, "time", "%g s ... %g s", info->start, info->end);
    table_line(stdout, "duration", "%g s", info->end - info->start);
    if (info->parts > 1) table_line(stdout, "files", "%d", info->parts);
    table_line(stdout, "bytes", "%lld", (long long)info->bytes);
    if (info->frame_count)
        table_line(stdout, "bytes per frame", "%.0f", (double)info->bytes / info->frame_count);
    table_line(stdout, "cut off", "%s", info->cut_off ? "yes, what is before is readable" : "no");
    table_line(stdout, "contacts", "%s", yes_no(info->has_contacts));
    table_line(stdout, "exact state", "%s", yes_no(info->has_state));
    if (scene->surface_count) table_line(stdout, "stress", "%s", yes_no(info->has_stress));
    table_line(stdout, "account of energy", "%s", yes_no(info->has_account));
    if (scene->signal_count)
        table_line(stdout, "signals", info->has_signals ? "%d" : "no", scene->signal_count);
    table_line(stdout, "resolution", "%.3g m", info->resolution);
    table_line(stdout, "bodies", "%d", scene->body_count - 1);
    table_line(stdout, "geoms", "%d", scene->shape_count);
    table_line(stdout, "meshes", "%d", scene->mesh_count);
    table_line(stdout, "joints", "%d", scene->joint_count);
    table_line(stdout, "tubes", "%d", scene->tube_count);
    table_line(stdout, "surfaces", "%d", scene->surface_count);
    table_line(stdout, "cameras", "%d", scene->camera_count);
    table_line(stdout, "time step", "%g s", scene->timestep);
}

static void print_json(const TnScene *scene, const TnRecordingInfo *info, const char *path)
{
    Json json = json_to(stdout);
    json_begin_object(&json, NULL);
    json_string(&json, "recording", path);
    json_string(&json, "name", scene->name);
    json_integer(&json, "frames", info->frame_count);
    json_number(&json, "start", info->start);
    json_number(&json, "end", info->end);
    json_integer(&json, "files", info->parts);
    json_integer(&json, "bytes", info->bytes);
    json_bool(&json, "cut_off", info->cut_off);
    json_bool(&json, "has_contacts", info->has_contacts);
    json_bool(&json, "has_state", info->has_state);
    json_bool(&json, "has_stress", info->has_stress);
    json_bool(&json, "has_account", info->has_account);
    json_bool(&json, "has_signals", info->has_signals);
    json_integer(&json, "signals", scene->signal_count);
    json_number(&json, "resolution", info->resolution);
    json_integer(&json, "bodies", scene->body_count - 1);
    json_integer(&json, "geoms", scene->shape_count);
    json_integer(&json, "meshes", scene->mesh_count);
    json_integer(&json, "joints", scene->joint_count);
    json_integer(&json, "tubes", scene->tube_count);
    json_integer(&json, "surfaces", scene->surface_count);
    json_integer(&json, "cameras", scene->camera_count);
    json_number(&json, "timestep", scene->timestep);
    json_end(&json);
}

int print_recording_info(const char *path, bool as_json)
{
    TnError err = {0};
    TnRecording *recording = tn_recording_open(path, &err);
    if (!recording) {
        say("info", "%s", err.message);
        return code_of(&err);
    }
    TnRecordingInfo info = tn_recording_info(recording);
    (as_json ? print_json : print_text)(tn_recording_scene(recording), &info, path);
    tn_recording_close(recording);
    return EXIT_FINE;
}
