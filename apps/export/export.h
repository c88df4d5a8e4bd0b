/* export.h: what the exporters share. Each writes the chosen frames of a recording in its own
 * format, says on stderr why it could not ("tenon export: ..."), and returns an exit code. */
#ifndef TENON_EXPORT_H
#define TENON_EXPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <tenon/record.h>

typedef struct ExportOptions {
    const int *frames; /* which frames of the recording, ascending; at least one */
    int frame_count;
    const char *title; /* of a page: the scene's name, or the recording's file name */
    const char *color; /* of a page at the start: "model", "subsystem" or "stress" */
    double stress_max; /* Pa, the upper end of the colours of stress; 0: fitted */
} ExportOptions;

int export_html(const char *path, TnRecording *recording, const ExportOptions *options);
int export_npz(const char *path, TnRecording *recording, const ExportOptions *options);
int export_csv(const char *path, TnRecording *recording, const ExportOptions *options);
int export_vtu(const char *path, TnRecording *recording, const ExportOptions *options);
int export_gltf(const char *path, TnRecording *recording, const ExportOptions *options);
int export_mcap(const char *path, TnRecording *recording, const ExportOptions *options);

typedef struct ExportFormat {
    const char *ending; /* ".html" */
    int (*write)(const char *path, TnRecording *recording, const ExportOptions *options);
    double fps;        /* at most so many frames per second where nothing is said; 0: all */
    bool titled, page; /* has a title; has colours that can be chosen */
} ExportFormat;
/* By the ending of a file's name; NULL: none. */
const ExportFormat *export_format(const char *path);
/* At most so many frames per second; the first and the last one stay. */
void export_thin_out(const TnRecording *recording, double fps, int *frames, int *count);

/* A page that simulates (docs/live.md). The model is files[0 … file_count - 1] with the name
 * LIVE_MODEL among them, and LIVE_TASK where the page plans; `engine` is tenon.wasm, NULL: found by
 * live_engine. */
#define LIVE_MODEL "model.xml"
#define LIVE_TASK "task.txt"
typedef struct LivePage {
    const char *title, *engine;
    const TnMemoryFile *files;
    int file_count;
    bool plans;
} LivePage;
int export_live(const char *path, const LivePage *page);
/* The same of a model, as the builder has it. task: a file of `tenon plan`, or NULL. */
int export_live_model(const char *path, const TnModelBuilder *builder, const char *task,
                      const char *title, const char *engine);

/* A file that appears under its name only when it is whole: written beside, then renamed. Missing
 * folders of the path are made. Failures are said on stderr. */
typedef struct ExportFile {
    FILE *out;
    const char *path; /* borrowed */
    const char *command;
    char *beside; /* where it is written until it is whole; NULL: at once (a device) */
} ExportFile;

bool export_file_open(ExportFile *file, const char *path);
bool export_file_open_as(const char *command, ExportFile *file, const char *path);
/* False where anything could not be written; then the file is gone. */
bool export_file_close(ExportFile *file);
/* Gives up: closes and removes. A file that was never opened is fine. */
void export_file_drop(ExportFile *file);

/* Reads a frame; on failure says why and returns false. */
bool export_read_frame(TnRecording *recording, int index, TnFrame *frame);
/* The largest von Mises stress of the chosen frames, Pa; 0 where there is none. */
double export_largest_stress(TnRecording *recording, const int *frames, int frame_count);
/* A surface's name, or `soft2` by its number from 1 where it has none. */
const char *export_surface_name(const TnScene *scene, int index, char *buffer, size_t size);
/* A body's name, or `body5` by id where it has none; the world is called `world`. */
const char *export_body_name(const TnScene *scene, int index, char *buffer, size_t size);

#endif
