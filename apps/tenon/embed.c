/* The page, for another program; see embed.h. */
#include "embed.h"

#include "../common/app.h"
#include "../export/export.h"

#include <stdlib.h>
#include <string.h>

TnStatus tenon_write_page(const char *path, TnRecording *recording, const int *frames,
                          int frame_count, const char *title, const char *color, TnError *err)
{
    const char *name = tn_recording_scene(recording)->name;
    ExportOptions options = {.frames = frames,
                             .frame_count = frame_count,
                             .title = title ? title : name,
                             .color = color};
    say_into(err);
    int code = export_html(path, recording, &options);
    say_into(NULL);
    return code == EXIT_FINE ? TN_OK : heard(err, TN_ERROR_IO);
}

static int export_frames(const char *path, TnRecording *recording, const int *frames,
                         int frame_count, double fps, const char *title)
{
    const ExportFormat *format = export_format(path);
    const char *name = tn_recording_scene(recording)->name;
    int count = frame_count, *chosen = malloc((size_t)frame_count * sizeof *chosen);
    int code = EXIT_USAGE;
    if (!format) {
        say("export", "'%s' must end in .npz, .csv, .pvd, .glb, .gltf, .mcap or .html", path);
    } else if (title && !format->titled) {
        say("export", "%s files have no title", format->ending);
    } else if (!chosen) {
        say("export", "no memory");
        code = EXIT_IO;
    } else {
        memcpy(chosen, frames, (size_t)frame_count * sizeof *chosen);
        if (fps < 0) fps = format->fps;
        if (fps > 0) export_thin_out(recording, fps, chosen, &count);
        ExportOptions options = {.frames = chosen,
                                 .frame_count = count,
                                 .title = title ? title : name,
                                 .color = "model"};
        code = format->write(path, recording, &options);
    }
    free(chosen);
    return code;
}

TnStatus tenon_export(const char *path, TnRecording *recording, const int *frames, int frame_count,
                      double fps, const char *title, TnError *err)
{
    say_into(err);
    int code = export_frames(path, recording, frames, frame_count, fps, title);
    say_into(NULL);
    if (code == EXIT_FINE) return TN_OK;
    return heard(err, code == EXIT_USAGE ? TN_ERROR_USAGE : TN_ERROR_IO);
}

TnStatus tenon_write_live_page(const char *path, const TnModelBuilder *builder, const char *title,
                               const char *engine, TnError *err)
{
    say_into(err);
    int code = export_live_model(path, builder, NULL, title, engine);
    say_into(NULL);
    return code == EXIT_FINE ? TN_OK : heard(err, TN_ERROR_IO);
}
