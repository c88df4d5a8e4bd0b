/* The page, for another program; see embed.h. */
#include "embed.h"

#include "../common/app.h"
#include "../export/export.h"

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
