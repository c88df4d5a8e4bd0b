/* A recording as CSV: a header, then one line per frame.
 *
 * Columns: time; NAME.x NAME.y NAME.z NAME.qw NAME.qx NAME.qy NAME.qz of every body but the world;
 * then how the step went. Places have twelve digits, which is finer than the recording's grid. */
#include "../tenon/app.h"
#include "export.h"

#include <inttypes.h>
#include <string.h>

static void write_name(FILE *out, const char *name, const char *suffix)
{
    bool quote = name[strcspn(name, ",\"\r\n")] != '\0';
    fputs(quote ? ",\"" : ",", out);
    for (const char *s = name; *s; s++) {
        if (*s == '"') fputc('"', out);
        fputc(*s, out);
    }
    fprintf(out, ".%s%s", suffix, quote ? "\"" : "");
}

static void write_header(FILE *out, const TnScene *scene)
{
    static const char *const pose[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    char buffer[NAME_SIZE];
    fputs("time", out);
    for (int i = 1; i < scene->body_count; i++) {
        const char *name = export_body_name(scene, i, buffer, sizeof buffer);
        for (int k = 0; k < 7; k++) write_name(out, name, pose[k]);
    }
    fputs(",step,contacts,iterations,residual,kinetic,potential,mean_penetration,max_penetration,"
          "step_time\n",
          out);
}

static void write_frame(FILE *out, const TnFrame *frame)
{
    fprintf(out, "%.17g", frame->time);
    for (int k = 7; k < 7 * frame->body_count; k++) fprintf(out, ",%.12g", frame->poses[k]);
    fprintf(out, ",%" PRId64 ",%d,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.6g\n", frame->step,
            frame->contact_count, frame->iterations, frame->residual, frame->kinetic,
            frame->potential, frame->mean_penetration, frame->max_penetration, frame->times.total);
}

int export_csv(const char *path, TnRecording *recording, const ExportOptions *options)
{
    TnError err = {0};
    const TnScene *scene = tn_recording_scene(recording);
    TnFrame *frame = tn_frame_create(scene, &err);
    ExportFile file = {0};
    if (!frame) say("export", "%s", err.message);
    bool fine = frame && export_file_open(&file, path);
    if (fine) write_header(file.out, scene);
    for (int i = 0; i < options->frame_count && fine && !ferror(file.out); i++) {
        fine = export_read_frame(recording, options->frames[i], frame);
        if (fine) write_frame(file.out, frame);
    }
    if (fine)
        fine = export_file_close(&file);
    else
        export_file_drop(&file);
    tn_frame_destroy(frame);
    return fine ? EXIT_FINE : EXIT_IO;
}
