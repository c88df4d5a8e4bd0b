/* tet_mesh.c: tetrahedral meshes: memory, volume, faces and surface.
 *
 * Faces that meet are found by sorting: each face is named by its three nodes in ascending order,
 * so that equal faces lie side by side afterwards. A face that comes once is on the surface. */
#include "tet_mesh.h"

#include "../../base/base.h"
#include "../../math/vec3.h"

#include <stdlib.h>

const int tn_tet_face_corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

void tn_tet_mesh_free(TnTetMesh *mesh)
{
    if (!mesh) return;
    tn_free(mesh->nodes);
    tn_free(mesh->tets);
    *mesh = (TnTetMesh){0};
}

void tn_tet_surface_free(TnTetSurface *surface)
{
    if (!surface) return;
    tn_free(surface->triangles);
    tn_free(surface->tets);
    *surface = (TnTetSurface){0};
}

static void edges_of(const TnTetMesh *mesh, int32_t tet, double e[3][3])
{
    const int32_t *n = mesh->tets + 4 * (size_t)tet;
    for (int k = 0; k < 3; k++)
        v3_sub(e[k], mesh->nodes + 3 * (size_t)n[k + 1], mesh->nodes + 3 * (size_t)n[0]);
}

static double triple(double e[3][3])
{
    double c[3];
    v3_cross(c, e[1], e[2]);
    return v3_dot(e[0], c);
}

double tn_tet_mesh_volume(const TnTetMesh *mesh)
{
    if (!mesh) return 0.0;
    double sum = 0;
    for (int32_t i = 0; i < mesh->tet_count; i++) {
        double e[3][3];
        edges_of(mesh, i, e);
        sum += triple(e);
    }
    return sum / 6;
}

double tn_tet_shape(const TnTetMesh *mesh, int32_t tet)
{
    double e[3][3], d[3], longest = 0;
    edges_of(mesh, tet, e);
    for (int k = 0; k < 3; k++) {
        v3_sub(d, e[k], e[(k + 1) % 3]);
        longest = fmax(longest, fmax(v3_norm(e[k]), v3_norm(d)));
    }
    /* Scaling first keeps tiny and huge meshes away from underflow and overflow. */
    if (!(longest > 0) || !isfinite(longest)) return 0;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) e[k][j] /= longest;
    return triple(e);
}

/* ---- faces ---- */

TnTetSide tn_tet_side(const TnTetMesh *mesh, int32_t tet, int face)
{
    TnTetSide side = {.tet = tet, .face = face};
    int32_t *n = side.nodes;
    for (int k = 0; k < 3; k++)
        n[k] = mesh->tets[4 * (size_t)tet + (size_t)tn_tet_face_corners[face][k]];
    for (int pass = 0; pass < 3; pass++) { /* three exchanges sort three numbers */
        int k = pass % 2;
        if (n[k] <= n[k + 1]) continue;
        int32_t swap = n[k];
        n[k] = n[k + 1];
        n[k + 1] = swap;
    }
    return side;
}

/* Ties are broken by element and face, so that the order does not depend on the sort. */
static int compare_sides(const void *first, const void *second)
{
    const TnTetSide *a = first, *b = second;
    for (int k = 0; k < 3; k++)
        if (a->nodes[k] != b->nodes[k]) return a->nodes[k] < b->nodes[k] ? -1 : 1;
    if (a->tet != b->tet) return a->tet < b->tet ? -1 : 1;
    return (a->face > b->face) - (a->face < b->face);
}

bool tn_tet_sides_equal(const TnTetSide *a, const TnTetSide *b)
{
    return a->nodes[0] == b->nodes[0] && a->nodes[1] == b->nodes[1] && a->nodes[2] == b->nodes[2];
}

void tn_tet_sides_sort(TnTetSide *sides, size_t count)
{
    qsort(sides, count, sizeof *sides, compare_sides);
}

TnTetSide *tn_tet_sides(const TnTetMesh *mesh)
{
    size_t count = 4 * (size_t)mesh->tet_count;
    TnTetSide *sides = tn_calloc(count, sizeof *sides);
    if (!sides) return NULL;
    for (int32_t i = 0; i < mesh->tet_count; i++)
        for (int f = 0; f < 4; f++) sides[4 * (size_t)i + (size_t)f] = tn_tet_side(mesh, i, f);
    tn_tet_sides_sort(sides, count);
    return sides;
}

/* ---- surface ---- */

bool tn_tet_mesh_surface(const TnTetMesh *mesh, TnTetSurface *out, TnError *err)
{
    if (!mesh || !out) {
        tn_error_add(err, TN_ERROR_USAGE, "mesh and out must be given");
        return false;
    }
    *out = (TnTetSurface){0};
    size_t side_count = 4 * (size_t)mesh->tet_count, count = 0;
    TnTetSide *sides = tn_tet_sides(mesh);
    bool *outer = tn_calloc(side_count, sizeof *outer); /* by element and face */
    bool good = sides && outer;
    for (size_t i = 0, next; good && i < side_count; i = next) {
        for (next = i + 1; next < side_count && tn_tet_sides_equal(&sides[i], &sides[next]);)
            next++;
        if (next - i > 1) continue;
        outer[4 * (size_t)sides[i].tet + (size_t)sides[i].face] = true;
        count++;
    }
    if (good) {
        out->triangles = tn_calloc(3 * count, sizeof *out->triangles);
        out->tets = tn_calloc(count, sizeof *out->tets);
        good = out->triangles && out->tets;
    }
    size_t made = 0;
    for (size_t i = 0; good && i < side_count; i++) {
        if (!outer[i]) continue;
        for (size_t k = 0; k < 3; k++)
            out->triangles[3 * made + k] =
                mesh->tets[i / 4 * 4 + (size_t)tn_tet_face_corners[i % 4][k]];
        out->tets[made++] = (int32_t)(i / 4);
    }
    out->triangle_count = (int)made;
    tn_free(sides);
    tn_free(outer);
    if (good) return true;
    tn_tet_surface_free(out);
    tn_error_add(err, TN_ERROR_MEMORY, "no memory for the surface of a tetrahedral mesh");
    return false;
}
