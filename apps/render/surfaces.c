/* surfaces.c: deforming surfaces: points as they are, normals from the triangles of each frame.
 *
 * Which corners share a vertex is found once, from the shape free of stress: two triangles that
 * meet in an edge are smooth there where they lean apart by less than the crease angle, and corners
 * of a point that such edges join have one normal. So a box keeps its edges however it is bent, and
 * no edge flickers. Corners with one normal but of several subsystems are several vertices: colours
 * end sharply at the border of two pieces, the light does not. */
#include "soft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double crease_cos = 0.76604444311897804; /* 40 degrees */

typedef struct Corners {
    int *start;     /* of each point: its first entry in `list`; one more at the end */
    int *list;      /* 3 × triangle + corner, grouped by point */
    int *parent;    /* of each corner: another one that it is joined to, or itself */
    float *normals; /* of each triangle, length 1; NULL: all is smooth */
} Corners;

static bool usable(const TnSceneSurface *surface, int triangle)
{
    for (int k = 0; k < 3; k++) {
        int32_t point = surface->triangles[3 * triangle + k];
        if (point < 0 || point >= surface->point_count) return false;
    }
    return true;
}

static void triangle_normal(const float *points, const int32_t *triangle, float out[3])
{
    const float *a = points + 3 * triangle[0], *b = points + 3 * triangle[1],
                *c = points + 3 * triangle[2];
    float u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

static void normalize(float n[3])
{
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) n[k] = length > 0 ? n[k] / length : (float)(k == 2);
}

/* Counts, sums, fills from each group's end. */
static void gather(Corners *corners, const TnSceneSurface *surface)
{
    int count = surface->triangle_count;
    for (int t = 0; t < count; t++)
        for (int k = 0; k < 3 && usable(surface, t); k++)
            corners->start[surface->triangles[3 * t + k]]++;
    for (int i = 0; i < surface->point_count; i++) corners->start[i + 1] += corners->start[i];
    for (int t = count - 1; t >= 0; t--)
        for (int k = 2; k >= 0 && usable(surface, t); k--)
            corners->list[--corners->start[surface->triangles[3 * t + k]]] = 3 * t + k;
    for (int i = 0; i < 3 * count; i++) corners->parent[i] = i;
    for (int t = 0; t < count && corners->normals; t++) {
        if (!usable(surface, t)) continue;
        triangle_normal(surface->rest, surface->triangles + 3 * t, corners->normals + 3 * t);
        normalize(corners->normals + 3 * t);
    }
}

static int root(const Corners *corners, int corner)
{
    while (corners->parent[corner] != corner) corner = corners->parent[corner];
    return corner;
}

static bool is_smooth(const Corners *corners, const TnSceneSurface *surface, int a, int b)
{
    const int32_t *first = surface->triangles + 3 * (a / 3),
                  *second = surface->triangles + 3 * (b / 3);
    if (!corners->normals) return true;
    int shared = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) shared += first[i] == second[k];
    const float *m = corners->normals + 3 * (a / 3), *n = corners->normals + 3 * (b / 3);
    return shared >= 2 && (double)(m[0] * n[0] + m[1] * n[1] + m[2] * n[2]) >= crease_cos;
}

static int32_t part_of(const TnSceneSurface *surface, const int32_t *point_subsystems, int corner)
{
    if (surface->triangle_subsystems) return surface->triangle_subsystems[corner / 3];
    return point_subsystems[surface->triangles[corner]];
}

/* The vertices of one point. */
static void emit(SurfacePlan *plan, Corners *corners, const TnSceneSurface *surface, int point,
                 const int32_t *point_subsystems)
{
    const int *list = corners->list + corners->start[point];
    int count = corners->start[point + 1] - corners->start[point];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (is_smooth(corners, surface, list[i], list[j]))
                corners->parent[root(corners, list[i])] = root(corners, list[j]);
    for (int i = 0; i < count; i++) {
        int32_t part = part_of(surface, point_subsystems, list[i]);
        int own = root(corners, list[i]), smooth = plan->vertex_count;
        int found = -1;
        for (int j = 0; j < i && found < 0; j++) {
            int vertex = (int)plan->indices[list[j]];
            if (root(corners, list[j]) != own) continue;
            smooth = plan->smooth[vertex];
            if (plan->parts[vertex] == part) found = vertex;
        }
        if (found < 0) {
            found = plan->vertex_count++;
            plan->points[found] = point;
            plan->smooth[found] = smooth;
            plan->parts[found] = part;
        }
        plan->indices[list[i]] = (uint32_t)found;
    }
}

void surface_plan_free(SurfacePlan *plan)
{
    free(plan->points);
    free(plan->indices);
    *plan = (SurfacePlan){0};
}

bool surface_plan(SurfacePlan *plan, const TnSceneSurface *surface, const int32_t *point_subsystems)
{
    size_t corner_count = 3 * (size_t)surface->triangle_count + 1;
    Corners corners = {.start = calloc((size_t)surface->point_count + 2, sizeof(int)),
                       .list = malloc(corner_count * sizeof(int)),
                       .parent = malloc(corner_count * sizeof(int)),
                       .normals = surface->rest ? calloc(corner_count, sizeof(float)) : NULL};
    *plan = (SurfacePlan){.points = malloc(3 * corner_count * sizeof(int32_t)),
                          .indices = malloc(corner_count * sizeof(uint32_t))};
    bool fine = corners.start && corners.list && corners.parent && plan->points && plan->indices &&
                (corners.normals || !surface->rest);
    if (fine) {
        plan->smooth = plan->points + corner_count;
        plan->parts = plan->smooth + corner_count;
        gather(&corners, surface);
        for (int i = 0; i < surface->point_count; i++)
            emit(plan, &corners, surface, i, point_subsystems);
        /* triangles that name a missing point are left out */
        for (int t = 0; t < surface->triangle_count; t++) {
            if (!usable(surface, t)) continue;
            for (int k = 0; k < 3; k++)
                plan->indices[plan->index_count++] = plan->indices[3 * t + k];
        }
    } else {
        surface_plan_free(plan);
    }
    free(corners.start);
    free(corners.list);
    free(corners.parent);
    free(corners.normals);
    return fine;
}

bool surface_add(SoftMesh *mesh, const SurfacePlan *plan, const float *points, const float *levels,
                 const uint16_t (*colors)[4], uint32_t id)
{
    if (!soft_reserve(mesh, plan->vertex_count, plan->index_count)) return false;
    uint32_t base = (uint32_t)mesh->vertex_count;
    SoftVertex *vertices = mesh->vertices + base;
    uint32_t *indices = mesh->indices + mesh->index_count;
    for (int i = 0; i < plan->vertex_count; i++) {
        memcpy(vertices[i].pos, points + 3 * plan->points[i], sizeof vertices[i].pos);
        memcpy(vertices[i].color, colors[i], sizeof vertices[i].color);
        memset(vertices[i].normal, 0, sizeof vertices[i].normal);
        vertices[i].level = levels ? levels[plan->points[i]] : -1;
        vertices[i].id = id;
    }
    /* each triangle adds its normal, as long as its area, to its corners */
    for (int i = 0; i < plan->index_count; i += 3) {
        const uint32_t *corner = plan->indices + i;
        int32_t at[3];
        float normal[3];
        for (int k = 0; k < 3; k++) {
            at[k] = plan->points[corner[k]];
            indices[i + k] = base + corner[k];
        }
        triangle_normal(points, at, normal);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) vertices[plan->smooth[corner[c]]].normal[k] += normal[k];
    }
    /* whose normal is another's comes behind it */
    for (int i = 0; i < plan->vertex_count; i++) {
        if (plan->smooth[i] == i)
            normalize(vertices[i].normal);
        else
            memcpy(vertices[i].normal, vertices[plan->smooth[i]].normal, sizeof vertices[i].normal);
    }
    mesh->vertex_count += plan->vertex_count;
    mesh->index_count += plan->index_count;
    return true;
}
