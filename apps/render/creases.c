/* creases.c: normals for the triangles of a mesh file: smooth where it is meant to be round, flat
 * at its edges.
 *
 * A corner's normal is the sum of the normals (weighted by area) of those triangles around its
 * vertex that lean away from its own triangle by less than the crease angle. Corners of a vertex
 * that come to the same normal share one vertex of the result. */
#include "shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is needed on the way, one block each. */
typedef struct Work {
    int *weld;       /* of each vertex: the first vertex at the same place */
    int *table;      /* hash table of places */
    int *start;      /* of each vertex: its first entry in `corners`; one more at the end */
    int *corners;    /* 3 × triangle + corner, grouped by vertex */
    float *normals;  /* 3 of each triangle, as long as its area × 2 */
    uint32_t *index; /* of each corner: its vertex in the result */
} Work;

static uint32_t hash_place(const float p[3])
{
    uint32_t hash = 2166136261u;
    for (int k = 0; k < 3; k++) {
        float value = p[k] + 0.0f; /* -0 and 0 are one place */
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        hash = (hash ^ bits) * 16777619u;
        hash ^= hash >> 15;
    }
    return hash;
}

static void weld(Work *work, const float *vertices, int count, uint32_t table_size)
{
    for (uint32_t i = 0; i < table_size; i++) work->table[i] = -1;
    for (int i = 0; i < count; i++) {
        uint32_t at = hash_place(vertices + 3 * i) & (table_size - 1);
        for (;; at = (at + 1) & (table_size - 1)) {
            int other = work->table[at];
            if (other < 0) {
                work->table[at] = work->weld[i] = i;
                break;
            }
            const float *a = vertices + 3 * i, *b = vertices + 3 * other;
            if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]) {
                work->weld[i] = other;
                break;
            }
        }
    }
}

static bool usable(const int32_t *triangle, int vertex_count)
{
    for (int k = 0; k < 3; k++)
        if (triangle[k] < 0 || triangle[k] >= vertex_count) return false;
    return true;
}

static void find_normals(Work *work, const float *vertices, const int32_t *triangles,
                         int vertices_n, int count)
{
    for (int t = 0; t < count; t++) {
        float *normal = work->normals + 3 * t;
        normal[0] = normal[1] = normal[2] = 0;
        if (!usable(triangles + 3 * t, vertices_n)) continue;
        const float *a = vertices + 3 * triangles[3 * t], *b = vertices + 3 * triangles[3 * t + 1],
                    *c = vertices + 3 * triangles[3 * t + 2];
        double u[3], v[3];
        for (int k = 0; k < 3; k++) u[k] = (double)b[k] - a[k], v[k] = (double)c[k] - a[k];
        normal[0] = (float)(u[1] * v[2] - u[2] * v[1]);
        normal[1] = (float)(u[2] * v[0] - u[0] * v[2]);
        normal[2] = (float)(u[0] * v[1] - u[1] * v[0]);
    }
}

/* Lists the corners of each welded vertex: counts, sums, fills from each group's end. */
static void gather_corners(Work *work, const int32_t *triangles, int vertex_count, int count)
{
    memset(work->start, 0, ((size_t)vertex_count + 1) * sizeof *work->start);
    for (int t = 0; t < count; t++)
        if (usable(triangles + 3 * t, vertex_count))
            for (int k = 0; k < 3; k++) work->start[work->weld[triangles[3 * t + k]]]++;
    for (int i = 0; i < vertex_count; i++) work->start[i + 1] += work->start[i];
    for (int t = count - 1; t >= 0; t--)
        if (usable(triangles + 3 * t, vertex_count))
            for (int k = 2; k >= 0; k--)
                work->corners[--work->start[work->weld[triangles[3 * t + k]]]] = 3 * t + k;
}

static void corner_normal(const Work *work, int first, int last, int triangle, double cos_crease,
                          float out[3])
{
    const float *own = work->normals + 3 * triangle;
    double own_length = sqrt((double)own[0] * own[0] + own[1] * own[1] + own[2] * own[2]);
    double sum[3] = {0, 0, 0};
    for (int i = first; i < last; i++) {
        const float *other = work->normals + 3 * (work->corners[i] / 3);
        double length =
            sqrt((double)other[0] * other[0] + other[1] * other[1] + other[2] * other[2]);
        double dot = (double)own[0] * other[0] + own[1] * other[1] + own[2] * other[2];
        if (dot >= cos_crease * own_length * length)
            for (int k = 0; k < 3; k++) sum[k] += other[k];
    }
    double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    for (int k = 0; k < 3; k++) out[k] = length > 0 ? (float)(sum[k] / length) : (k == 2);
}

static bool same_vertex(const MeshVertex *a, const MeshVertex *b)
{
    return fabsf(a->normal[0] - b->normal[0]) + fabsf(a->normal[1] - b->normal[1]) +
                   fabsf(a->normal[2] - b->normal[2]) <
               1e-4f &&
           a->uv[0] == b->uv[0] && a->uv[1] == b->uv[1];
}

static void emit_vertex(MeshData *mesh, const Work *work, const float *vertices,
                        const float *texcoords, int vertex, int first, int last, double cos_crease)
{
    for (int i = first; i < last; i++) {
        int corner = work->corners[i];
        MeshVertex made = {.lift = 0};
        memcpy(made.pos, vertices + 3 * vertex, sizeof made.pos);
        corner_normal(work, first, last, corner / 3, cos_crease, made.normal);
        if (texcoords) memcpy(made.uv, texcoords + 2 * corner, sizeof made.uv);
        bool found = false;
        for (int j = first; j < i && !found; j++) {
            uint32_t index = work->index[work->corners[j]];
            if (!same_vertex(&mesh->vertices[index], &made)) continue;
            work->index[corner] = index;
            found = true;
        }
        if (found) continue;
        mesh->vertices[mesh->vertex_count] = made;
        work->index[corner] = (uint32_t)mesh->vertex_count++;
    }
}

static void work_free(Work *work)
{
    free(work->weld);
    free(work->table);
    free(work->start);
    free(work->corners);
    free(work->normals);
    free(work->index);
}

bool mesh_triangles(MeshData *mesh, const float *vertices, int vertex_count,
                    const int32_t *triangles, int triangle_count, const float *texcoords,
                    double crease)
{
    uint32_t table_size = 16;
    while (table_size < 2 * (uint32_t)vertex_count) table_size *= 2;
    size_t corner_count = 3 * (size_t)triangle_count + 1; /* + 1: never of size 0 */
    Work work = {.weld = malloc(((size_t)vertex_count + 1) * sizeof *work.weld),
                 .table = malloc(table_size * sizeof *work.table),
                 .start = malloc(((size_t)vertex_count + 2) * sizeof *work.start),
                 .corners = malloc(corner_count * sizeof *work.corners),
                 .normals = malloc(corner_count * sizeof *work.normals),
                 .index = malloc(corner_count * sizeof *work.index)};
    *mesh = (MeshData){.vertices = malloc(corner_count * sizeof *mesh->vertices),
                       .indices = malloc(corner_count * sizeof *mesh->indices)};
    bool fine = work.weld && work.table && work.start && work.corners && work.normals &&
                work.index && mesh->vertices && mesh->indices;
    if (fine) {
        weld(&work, vertices, vertex_count, table_size);
        find_normals(&work, vertices, triangles, vertex_count, triangle_count);
        gather_corners(&work, triangles, vertex_count, triangle_count);
        for (int v = 0; v < vertex_count; v++)
            emit_vertex(mesh, &work, vertices, texcoords, v, work.start[v], work.start[v + 1],
                        cos(crease));
        for (int t = 0; t < triangle_count; t++)
            if (usable(triangles + 3 * t, vertex_count))
                for (int k = 0; k < 3; k++)
                    mesh->indices[mesh->index_count++] = work.index[3 * t + k];
    } else {
        mesh_free(mesh);
    }
    work_free(&work);
    return fine;
}
