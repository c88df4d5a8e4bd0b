/* A recording as CSV: a header, then one line per frame.
 *
 * Columns: time; NAME.x NAME.y NAME.z NAME.qw NAME.qx NAME.qy NAME.qz of every body but the world;
 * how the step went; elastic energy and the account of energy so far, where recorded; then, of
 * every node of every soft body, NAME.node5.x .y .z, and where stress is recorded .stress; then
 * the signals (joints, sensors, controls, forces of actuators), where recorded. Places
 * have twelve digits, which is finer than the recording's grid. */
#include "../common/app.h"
#include "export.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void write_name(FILE *out, const char *name, const char *suffix)
{
    bool quote = name[strcspn(name, ",\"\r\n")] != '\0';
    fputs(quote ? ",\"" : ",", out);
    for (const char *s = name; *s; s++) {
        if (*s == '"') fputc('"', out);
        fputc(*s, out);
    }
    fprintf(out, "%s%s%s", suffix[0] ? "." : "", suffix, quote ? "\"" : "");
}

static void write_node_names(FILE *out, const TnScene *scene, bool stress)
{
    static const char *const parts[] = {"x", "y", "z", "stress"};
    char buffer[NAME_SIZE], suffix[32];
    for (int i = 0; i < scene->surface_count; i++) {
        const char *name = export_surface_name(scene, i, buffer, sizeof buffer);
        for (int node = 0; node < scene->surfaces[i].point_count; node++)
            for (int k = 0; k < (stress ? 4 : 3); k++) {
                snprintf(suffix, sizeof suffix, "node%d.%s", node, parts[k]);
                write_name(out, name, suffix);
            }
    }
}

static void write_header(FILE *out, const TnScene *scene, const TnRecordingInfo *info)
{
    static const char *const pose[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    char buffer[NAME_SIZE];
    fputs("time", out);
    for (int i = 1; i < scene->body_count; i++) {
        const char *name = export_body_name(scene, i, buffer, sizeof buffer);
        for (int k = 0; k < 7; k++) write_name(out, name, pose[k]);
    }
    fputs(",step,contacts,iterations,residual,kinetic,potential,mean_penetration,max_penetration,"
          "step_time",
          out);
    if (info->has_account)
        fputs(",elastic,total,actuators_sum,applied_sum,friction_sum,damping_sum,impacts_sum,"
              "step_loss_sum,created_sum,push_out_sum,unsolved_sum",
              out);
    write_node_names(out, scene, info->has_stress);
    for (int i = 0; info->has_signals && i < scene->signal_count; i++)
        write_name(out, scene->signals[i].name, "");
    fputc('\n', out);
}

static void write_nodes(FILE *out, const TnScene *scene, const TnFrame *frame, bool stress)
{
    for (int i = 0; i < scene->surface_count; i++) {
        const TnSceneSurface *surface = &scene->surfaces[i];
        for (int p = surface->point_start; p < surface->point_start + surface->point_count; p++) {
            for (int k = 0; k < 3; k++) fprintf(out, ",%.9g", (double)frame->points[3 * p + k]);
            if (stress) fprintf(out, ",%.6g", frame->stress ? (double)frame->stress[p] : 0.0);
        }
    }
}

/* Nine digits give single precision back; nan in frames that have none. */
static void write_signals(FILE *out, const TnScene *scene, const TnFrame *frame)
{
    for (int i = 0; i < scene->signal_count; i++) {
        double value = frame->signal_count ? frame->signals[i] : (double)NAN;
        if (isnan(value))
            fputs(",nan", out);
        else
            fprintf(out, ",%.9g", value);
    }
}

static void write_frame(FILE *out, const TnFrame *frame)
{
    fprintf(out, "%.17g", frame->time);
    for (int k = 7; k < 7 * frame->body_count; k++) fprintf(out, ",%.12g", frame->poses[k]);
    fprintf(out, ",%" PRId64 ",%d,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.6g", frame->step,
            frame->contact_count, frame->iterations, frame->residual, frame->kinetic,
            frame->potential, frame->mean_penetration, frame->max_penetration, frame->times.total);
}

/* Of a recording that has it; gaps in those of its frames that do not. */
static void write_account(FILE *out, const TnFrame *frame)
{
    const TnEnergyAccount *a = &frame->account;
    const double numbers[] = {frame->elastic, frame->kinetic + frame->potential,
                              a->actuators,   a->applied,
                              a->friction,    a->damping,
                              a->impacts,     a->step,
                              a->created,     a->push_out,
                              a->unsolved};
    for (int k = 0; k < 11; k++) fprintf(out, ",%.17g", numbers[k]);
}

int export_csv(const char *path, TnRecording *recording, const ExportOptions *options)
{
    TnError err = {0};
    const TnScene *scene = tn_recording_scene(recording);
    TnFrame *frame = tn_frame_create(scene, &err);
    ExportFile file = {0};
    if (!frame) say("export", "%s", err.message);
    bool fine = frame && export_file_open(&file, path);
    TnRecordingInfo info = tn_recording_info(recording);
    if (fine) write_header(file.out, scene, &info);
    for (int i = 0; i < options->frame_count && fine && !ferror(file.out); i++) {
        fine = export_read_frame(recording, options->frames[i], frame);
        if (fine) write_frame(file.out, frame);
        if (fine && info.has_account) write_account(file.out, frame);
        if (fine) write_nodes(file.out, scene, frame, info.has_stress);
        if (fine && info.has_signals) write_signals(file.out, scene, frame);
        if (fine) fputc('\n', file.out);
    }
    if (fine)
        fine = export_file_close(&file);
    else
        export_file_drop(&file);
    tn_frame_destroy(frame);
    return fine ? EXIT_FINE : EXIT_IO;
}
