/* mjcf_write_assets.c: meshes: small ones within the file, others as OBJ files beside it. */
#include "mjcf_write.h"

#include <string.h>

enum { INLINE_VERTICES = 60 };

static const char *const inertia_names[] = {"convex", "exact", "legacy", "shell"};

/* An OBJ file keeps the vertices that its faces name only. */
static bool all_are_corners(TnWriter *w, const TnMeshDef *mesh)
{
    if (mesh->triangle_count == 0) return true;
    bool *seen = tn_io_alloc(&w->pool, (size_t)mesh->vertex_count + 1);
    if (!seen) return false;
    for (int i = 0; i < 3 * mesh->triangle_count; i++)
        if (mesh->triangles[i] >= 0 && mesh->triangles[i] < mesh->vertex_count)
            seen[mesh->triangles[i]] = true;
    for (int i = 0; i < mesh->vertex_count; i++)
        if (!seen[i]) return false;
    return true;
}

static void write_obj(TnWriter *w, const TnMeshDef *mesh, TnText *text)
{
    TnText *main_text = w->out;
    char digits[3][TN_NUMBER_TEXT];
    w->out = text;
    for (int i = 0; i < mesh->vertex_count; i++) {
        for (int k = 0; k < 3; k++) tn_write_digits(mesh->vertices[3 * i + k], digits[k]);
        tn_write_format(w, "v %s %s %s\n", digits[0], digits[1], digits[2]);
    }
    for (int i = 0; mesh->texcoords && i < 3 * mesh->triangle_count; i++) {
        const float *uv = mesh->texcoords + 2 * i;
        tn_write_digits((double)uv[0], digits[0]);
        tn_write_digits(1 - (double)uv[1], digits[1]); /* upwards in OBJ */
        tn_write_format(w, "vt %s %s\n", digits[0], digits[1]);
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int32_t *t = mesh->triangles + 3 * i;
        if (mesh->texcoords)
            tn_write_format(w, "f %d/%d %d/%d %d/%d\n", t[0] + 1, 3 * i + 1, t[1] + 1, 3 * i + 2,
                            t[2] + 1, 3 * i + 3);
        else
            tn_write_format(w, "f %d %d %d\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
    w->out = main_text;
}

static void write_mesh(TnWriter *w, int i)
{
    const TnMeshDef *mesh = &w->d.meshes[i];
    const char *name = tn_write_name(w, TN_WRITTEN_MESH, i + 1);
    tn_write_open(w, "mesh");
    tn_write_text(w, "name", name);
    if ((size_t)mesh->inertia < sizeof inertia_names / sizeof inertia_names[0])
        tn_write_text(w, "inertia", inertia_names[mesh->inertia]);
    else
        tn_write_error(w, "mesh", mesh->name, i + 1, mesh->source,
                       "inertia of kind %d is not written yet", (int)mesh->inertia);
    bool large = mesh->vertex_count > INLINE_VERTICES || mesh->texcoords;
    if (large && all_are_corners(w, mesh)) {
        TnText *text;
        const char *file = tn_write_beside(w, name, ".obj", &text);
        if (file) {
            tn_write_text(w, "file", file);
            write_obj(w, mesh, text);
        }
    } else {
        tn_write_reals(w, "vertex", mesh->vertices, 3 * mesh->vertex_count);
        if (mesh->triangle_count)
            tn_write_ints(w, "face", mesh->triangles, 3 * mesh->triangle_count);
    }
    tn_write_close(w);
}

void tn_write_assets(TnWriter *w)
{
    if (w->d.mesh_count + w->d.texture_count + w->d.material_count == 0) return;
    tn_write_open(w, "asset");
    tn_write_inner(w);
    tn_write_looks(w);
    for (int i = 0; i < w->d.mesh_count; i++) write_mesh(w, i);
    tn_write_end(w, "asset");
}
