/* soft.c: the growing mesh, and deforming surfaces: points as they are, normals from the triangles. */
#include "soft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void soft_clear(SoftMesh *mesh) { mesh->vertex_count = mesh->index_count = 0; }

void soft_free(SoftMesh *mesh)
{
    free(mesh->vertices);
    free(mesh->indices);
    *mesh = (SoftMesh){0};
}

static bool grow(void **block, int *room, int64_t need, size_t size)
{
    if (need <= *room) return true;
    int64_t wish = need + need / 2;
    if (wish > INT32_MAX) return false;
    void *more = realloc(*block, (size_t)wish * size);
    if (!more) return false;
    *block = more;
    *room = (int)wish;
    return true;
}

bool soft_reserve(SoftMesh *mesh, int vertices, int indices)
{
    void *vertex_block = mesh->vertices, *index_block = mesh->indices;
    bool fine = grow(&vertex_block, &mesh->vertex_room, (int64_t)mesh->vertex_count + vertices,
                     sizeof *mesh->vertices);
    fine = fine && grow(&index_block, &mesh->index_room, (int64_t)mesh->index_count + indices,
                        sizeof *mesh->indices);
    mesh->vertices = vertex_block;
    mesh->indices = index_block;
    return fine;
}

/* Each triangle adds its normal, as long as its area, to its corners. */
static void add_normals(SoftVertex *vertices, const uint32_t *indices, int index_count)
{
    for (int i = 0; i < index_count; i += 3) {
        SoftVertex *a = &vertices[indices[i]], *b = &vertices[indices[i + 1]],
                   *c = &vertices[indices[i + 2]];
        float u[3], v[3];
        for (int k = 0; k < 3; k++) {
            u[k] = b->pos[k] - a->pos[k];
            v[k] = c->pos[k] - a->pos[k];
        }
        float normal[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                           u[0] * v[1] - u[1] * v[0]};
        for (int k = 0; k < 3; k++) {
            a->normal[k] += normal[k];
            b->normal[k] += normal[k];
            c->normal[k] += normal[k];
        }
    }
}

bool surface_add(SoftMesh *mesh, const float *points, int point_count, const int32_t *triangles,
                 int triangle_count, const uint16_t (*colors)[4], uint32_t id)
{
    if (triangle_count > INT32_MAX / 3 || !soft_reserve(mesh, point_count, 3 * triangle_count))
        return false;
    uint32_t base = (uint32_t)mesh->vertex_count;
    SoftVertex *vertices = mesh->vertices + base;
    uint32_t *indices = mesh->indices + mesh->index_count;
    for (int i = 0; i < point_count; i++) {
        memcpy(vertices[i].pos, points + 3 * i, sizeof vertices[i].pos);
        memcpy(vertices[i].color, colors[i], sizeof vertices[i].color);
        memset(vertices[i].normal, 0, sizeof vertices[i].normal);
        vertices[i].id = id;
    }
    int used = 0;
    for (int t = 0; t < triangle_count; t++) {
        const int32_t *corner = triangles + 3 * t;
        bool inside = true;
        for (int k = 0; k < 3; k++) inside = inside && corner[k] >= 0 && corner[k] < point_count;
        for (int k = 0; k < 3 && inside; k++) indices[used++] = (uint32_t)corner[k];
    }
    add_normals(vertices, indices, used);
    for (int i = 0; i < used; i++) indices[i] += base;
    for (int i = 0; i < point_count; i++) {
        float *n = vertices[i].normal, length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; k++) n[k] = length > 0 ? n[k] / length : (float)(k == 2);
    }
    mesh->vertex_count += point_count;
    mesh->index_count += used;
    return true;
}
