/* mesh_msh.c: MuJoCo's own binary format: four counts (vertices, normals, texture coordinates,
 * faces) and then as many groups of 3, 3, 2 floats and 3 whole numbers, lowest byte first. Without
 * faces the mesh is its convex hull. */
#include "mesh_file.h"

#include "../../base/base.h"

#include <math.h>

/* One pair for each vertex; odd numbers are looks alone, and become 0. */
static bool read_texcoords(const char *at, size_t vertices, TnMeshFile *out)
{
    float *places = tn_malloc((2 * vertices + 1) * sizeof *places);
    if (!places) return false;
    for (size_t i = 0; i < 2 * vertices; i++, at += 4) {
        places[i] = tn_mesh_f32(at);
        if (!isfinite(places[i])) places[i] = 0.0f;
    }
    bool good = tn_mesh_spread_texcoords(out, places);
    tn_free(places);
    return good;
}

bool tn_mesh_read_msh(const char *text, size_t size, TnMeshFile *out)
{
    *out = (TnMeshFile){0};
    if (size < 16) return tn_mesh_fault(out, "it ends after %zu bytes, within its counts", size);
    uint64_t count[4], wanted = 16;
    static const uint64_t bytes[4] = {12, 12, 8, 12};
    for (int k = 0; k < 4; k++) {
        count[k] = tn_mesh_u32(text + 4 * k);
        if (count[k] > INT32_MAX) return tn_mesh_fault(out, "its counts are negative");
        wanted += bytes[k] * count[k];
    }
    if (wanted != size)
        return tn_mesh_fault(out, "its counts ask for %llu bytes, but it has %zu",
                             (unsigned long long)wanted, size);
    size_t vertices = (size_t)count[0], faces = (size_t)count[3];
    out->vertices = tn_malloc((3 * vertices + 1) * sizeof *out->vertices);
    out->triangles = tn_malloc((3 * faces + 1) * sizeof *out->triangles);
    if (!out->vertices || !out->triangles) return false;
    const char *at = text + 16;
    for (size_t i = 0; i < 3 * vertices; i++, at += 4) {
        out->vertices[i] = (double)tn_mesh_f32(at);
        if (!isfinite(out->vertices[i]))
            return tn_mesh_fault(out, "vertex %zu is not finite", i / 3);
    }
    const char *places = at + 12 * count[1];
    at = places + 8 * count[2];
    for (size_t i = 0; i < 3 * faces; i++, at += 4) {
        uint32_t index = tn_mesh_u32(at);
        if (index >= vertices)
            return tn_mesh_fault(out, "face %zu names vertex %lu of %zu", i / 3,
                                 (unsigned long)index, vertices);
        out->triangles[i] = (int32_t)index;
    }
    out->vertex_count = (int)vertices;
    out->triangle_count = (int)faces;
    return count[2] != count[0] || faces == 0 || read_texcoords(places, vertices, out);
}
