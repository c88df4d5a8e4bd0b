/* mesh_stl.c: STL files, binary and text. They hold loose triangles; equal corners are merged.
 *
 * Binary: 80 bytes of anything, the number of triangles, 50 bytes each: a normal, three corners (12
 * floats, lowest byte first), two bytes of anything. A text file starts with "solid", but so do
 * many binary ones; only the length tells them apart. */
#include "mesh_file.h"

#include "../../base/base.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define HEAD 84
#define RECORD 50

static bool read_binary(const char *text, size_t count, TnMeshFile *out)
{
    double *corners = tn_malloc((9 * count + 1) * sizeof *corners);
    if (!corners) return false;
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        for (size_t k = 0; k < 9; k++) {
            double value = (double)tn_mesh_f32(text + HEAD + RECORD * i + 12 + 4 * k);
            if (!isfinite(value))
                good = tn_mesh_fault(out, "a corner of triangle %zu is not finite", i + 1);
            corners[9 * i + k] = value;
        }
    good = good && tn_mesh_merge(corners, count, out);
    tn_free(corners);
    return good;
}

/* Only lines that start with "vertex" carry data; every three make a triangle. */
static bool read_text(const char *text, TnMeshFile *out)
{
    TnMeshList corners = {0};
    bool good = true;
    int line = 1;
    for (const char *at = text; good && *at; line++) {
        size_t length;
        const char *word = tn_mesh_word(&at, &length);
        if (word && length == 6 && memcmp(word, "vertex", 6) == 0)
            for (int k = 0; good && k < 3; k++) {
                double value;
                word = tn_mesh_word(&at, &length);
                if (!word || !tn_mesh_number(word, length, &value))
                    good = tn_mesh_fault(out, "line %d: a vertex needs three finite numbers", line);
                else
                    good = tn_mesh_list_add(&corners, sizeof value, &value);
            }
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    if (good && (corners.count == 0 || corners.count % 9 != 0))
        good = tn_mesh_fault(out, "it has %zu vertices, which are no whole triangles",
                             corners.count / 3);
    if (good && corners.count / 9 > INT_MAX / 3) good = tn_mesh_fault(out, "it is too large");
    good = good && tn_mesh_merge(corners.data, corners.count / 9, out);
    tn_free(corners.data);
    return good;
}

bool tn_mesh_read_stl(const char *text, size_t size, TnMeshFile *out)
{
    *out = (TnMeshFile){0};
    size_t count = size >= HEAD ? tn_mesh_u32(text + 80) : 0;
    bool whole = size >= HEAD && (size - HEAD) / RECORD == count && (size - HEAD) % RECORD == 0;
    if (whole && count > 0) return read_binary(text, count, out);
    /* A text has no zero bytes; strings end at the first. */
    if (size >= 5 && memcmp(text, "solid", 5) == 0 && !memchr(text, 0, size))
        return read_text(text, out);
    if (size < HEAD)
        return tn_mesh_fault(out, "it ends after %zu bytes, within the head of an STL file", size);
    return tn_mesh_fault(out, "its head tells of %zu triangles (%zu bytes), but it has %zu bytes",
                         count, HEAD + RECORD * count, size);
}
