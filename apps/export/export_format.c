/* export_format.c: the formats of exports; the ending of a file's name chooses one. */
#include "export.h"
#include "platform/text.h"

#include <math.h>
#include <string.h>

static const ExportFormat formats[] = {
    {".html", export_html, 30, true, true}, /* the player fills in what is between */
    {".npz", export_npz, 0, false, false},
    {".csv", export_csv, 0, false, false},
    {".pvd", export_vtu, 0, false, false},
    {".glb", export_gltf, 30, true, false}, /* what shows it fills in, too */
    {".gltf", export_gltf, 30, true, false},
    {".mcap", export_mcap, 30, false, false}}; /* of JSON: large */
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

const ExportFormat *export_format(const char *path)
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

/* Times are sums of steps: what is a rounding before is meant, too. */
void export_thin_out(const TnRecording *recording, double fps, int *frames, int *count)
{
    double start = tn_recording_time(recording, frames[0]), next = 0; /* in frames */
    int kept = 0;
    for (int i = 0; i < *count; i++) {
        double at = (tn_recording_time(recording, frames[i]) - start) * fps + 1e-6;
        if (at < next && i + 1 < *count) continue;
        frames[kept++] = frames[i];
        next = floor(at) + 1;
    }
    *count = kept;
}
