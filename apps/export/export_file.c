/* What exporters share: files that appear only when they are whole, frames, names; see export.h. */
#include "../common/app.h"
#include "export.h"
#include "platform/files.h"
#include "platform/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool cannot_write(const ExportFile *file)
{
    say(file->command, "%s: cannot be written: %s", file->path, strerror(errno ? errno : EIO));
    return false;
}

bool export_file_open(ExportFile *file, const char *path)
{
    return export_file_open_as("export", file, path);
}

bool export_file_open_as(const char *command, ExportFile *file, const char *path)
{
    TnFileInfo old;
    *file = (ExportFile){.path = path, .command = command};
    errno = 0;
    if (!make_parent_folders(path)) return cannot_write(file);
    bool exists = tn_file_info(path, &old) == 0;
    if (exists && old.kind == TN_FILE_FOLDER) {
        errno = EISDIR;
        return cannot_write(file);
    }
    if (exists && old.kind == TN_FILE_OTHER) { /* a device or a pipe cannot be replaced */
        file->out = tn_stream_open(path, "w");
        return file->out || cannot_write(file);
    }
    if (exists && (errno = tn_file_may_write(path)) != 0) return cannot_write(file);
    size_t size = strlen(path) + 32;
    file->beside = malloc(size);
    if (!file->beside) return cannot_write(file);
    snprintf(file->beside, size, "%s.%ld.part", path, tn_process_number());
    file->out = tn_stream_open(file->beside, "wx");
    if (file->out) return true;
    cannot_write(file);
    free(file->beside);
    file->beside = NULL;
    return false;
}

void export_file_drop(ExportFile *file)
{
    if (file->out) fclose(file->out);
    if (file->beside) tn_file_remove(file->beside);
    free(file->beside);
    file->out = NULL;
    file->beside = NULL;
}

bool export_file_close(ExportFile *file)
{
    errno = 0;
    int code = ferror(file->out) ? stream_error(file->out) : 0;
    bool fine = fclose(file->out) == 0 && !code;
    if (code) errno = code;
    file->out = NULL;
    if (fine && file->beside) {
        char target[TN_PATH]; /* a symbolic link stays one */
        bool is_there = tn_file_real_path(file->path, target) == 0;
        errno = tn_file_put_in_place(file->beside, is_there ? target : file->path, NULL);
        fine = errno == 0;
    }
    if (!fine) {
        cannot_write(file);
        export_file_drop(file);
        return false;
    }
    free(file->beside);
    file->beside = NULL;
    return true;
}

bool export_read_frame(TnRecording *recording, int index, TnFrame *frame)
{
    TnError err = {0};
    if (tn_recording_frame(recording, index, frame, &err) == TN_OK) return true;
    say("export", "%s", err.message);
    return false;
}

const char *export_body_name(const TnScene *scene, int index, char *buffer, size_t size)
{
    const char *name = scene->bodies[index].name;
    if (index == 0) return "world";
    if (name[0]) return name;
    snprintf(buffer, size, "body%d", index + 1);
    return buffer;
}

const char *export_surface_name(const TnScene *scene, int index, char *buffer, size_t size)
{
    const char *name = scene->surfaces[index].name;
    if (name && name[0]) return name;
    snprintf(buffer, size, "soft%d", index + 1);
    return buffer;
}

double export_largest_stress(TnRecording *recording, const int *frames, int frame_count)
{
    double largest = 0;
    if (!tn_recording_info(recording).has_stress) return 0;
    TnFrame *frame = tn_frame_create(tn_recording_scene(recording), NULL);
    if (!frames) frame_count = tn_recording_info(recording).frame_count;
    for (int k = 0; frame && k < frame_count; k++) {
        if (tn_recording_frame(recording, frames ? frames[k] : k, frame, NULL) != TN_OK) break;
        for (int i = 0; frame->stress && i < frame->point_count; i++)
            if ((double)frame->stress[i] > largest) largest = (double)frame->stress[i];
    }
    tn_frame_destroy(frame);
    return largest;
}
