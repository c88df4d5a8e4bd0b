/* shapes.c: unit meshes: spheres of even triangles, capsules, cylinders, cones, boxes. */
#include "shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static bool reserve(MeshData *mesh, int vertex_count, int index_count)
{
    *mesh = (MeshData){0};
    mesh->vertices = malloc((size_t)vertex_count * sizeof *mesh->vertices);
    mesh->indices = malloc((size_t)index_count * sizeof *mesh->indices);
    if (mesh->vertices && mesh->indices) return true;
    mesh_free(mesh);
    return false;
}

void mesh_free(MeshData *mesh)
{
    free(mesh->vertices);
    free(mesh->indices);
    *mesh = (MeshData){0};
}

static uint32_t add_vertex(MeshData *mesh, const double pos[3], const double normal[3], double lift)
{
    MeshVertex *vertex = &mesh->vertices[mesh->vertex_count];
    for (int k = 0; k < 3; k++) {
        vertex->pos[k] = (float)pos[k];
        vertex->normal[k] = (float)normal[k];
    }
    vertex->lift = (float)lift;
    vertex->uv[0] = vertex->uv[1] = 0;
    return (uint32_t)mesh->vertex_count++;
}

static void add_triangle(MeshData *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *to = &mesh->indices[mesh->index_count];
    to[0] = a;
    to[1] = b;
    to[2] = c;
    mesh->index_count += 3;
}

/* Corner i of an icosahedron: two poles and two rings of five. */
static void icosahedron_corner(int i, double out[3])
{
    double z = 1 / sqrt(5.0), r = 2 * z;
    if (i == 0 || i == 11) {
        out[0] = out[1] = 0;
        out[2] = i == 0 ? 1 : -1;
        return;
    }
    bool upper = i <= 5;
    double angle = 2 * PI / 5 * (upper ? i - 1 : i - 6 + 0.5);
    out[0] = r * cos(angle);
    out[1] = r * sin(angle);
    out[2] = upper ? z : -z;
}

static void icosahedron_face(int face, int corners[3])
{
    int k = face % 5, next = (k + 1) % 5;
    switch (face / 5) {
    case 0:
        corners[0] = 0, corners[1] = 1 + k, corners[2] = 1 + next;
        break;
    case 1:
        corners[0] = 1 + k, corners[1] = 6 + k, corners[2] = 1 + next;
        break;
    case 2:
        corners[0] = 1 + next, corners[1] = 6 + k, corners[2] = 6 + next;
        break;
    default:
        corners[0] = 11, corners[1] = 6 + next, corners[2] = 6 + k;
        break;
    }
}

/* Each face of an icosahedron is cut into frequency² triangles that are pushed out to the sphere.
 * Points on the seams between faces are made once per face; that keeps it simple and costs little.
 */
bool mesh_sphere(MeshData *mesh, int frequency)
{
    int f = frequency, per_face = (f + 1) * (f + 2) / 2;
    if (!reserve(mesh, 20 * per_face, 20 * f * f * 3)) return false;
    for (int face = 0; face < 20; face++) {
        int corners[3];
        double a[3], b[3], c[3];
        icosahedron_face(face, corners);
        icosahedron_corner(corners[0], a);
        icosahedron_corner(corners[1], b);
        icosahedron_corner(corners[2], c);
        uint32_t above = 0;
        for (int row = 0; row <= f; row++) { /* row 0 is corner a, row f the edge b c */
            uint32_t first = (uint32_t)mesh->vertex_count;
            for (int i = 0; i <= row; i++) {
                double p[3], length = 0;
                for (int k = 0; k < 3; k++) {
                    p[k] = (f - row) * a[k] + (row - i) * b[k] + i * c[k];
                    length += p[k] * p[k];
                }
                for (int k = 0; k < 3; k++) p[k] /= sqrt(length);
                add_vertex(mesh, p, p, 0);
            }
            for (uint32_t i = 0; i < (uint32_t)row; i++) {
                add_triangle(mesh, above + i, first + i, first + i + 1);
                if (i + 1 < (uint32_t)row)
                    add_triangle(mesh, above + i, first + i + 1, above + i + 1);
            }
            above = first;
        }
    }
    return true;
}

/* Ring i has 6 i vertices; between two rings lie six sectors of 2 i - 1 triangles. */
bool mesh_dome(MeshData *mesh, int rings)
{
    if (!reserve(mesh, 1 + 3 * rings * (rings + 1), 18 * rings * rings)) return false;
    double rim = 1 / sqrt(cos(PI / (6 * rings)));
    for (int ring = 0; ring <= rings; ring++) {
        double polar = PI / 2 * ring / rings;
        for (int i = 0; i < (ring ? 6 * ring : 1); i++) {
            double angle = ring ? 2 * PI * i / (6 * ring) : 0;
            double normal[3] = {sin(polar) * cos(angle), sin(polar) * sin(angle), cos(polar)};
            double p[3] = {rim * normal[0], rim * normal[1], normal[2]};
            add_vertex(mesh, p, normal, 0);
        }
    }
    for (int ring = 1; ring <= rings; ring++) {
        uint32_t outer = (uint32_t)(1 + 3 * ring * (ring - 1)), outer_count = (uint32_t)(6 * ring);
        uint32_t inner = ring > 1 ? (uint32_t)(1 + 3 * (ring - 1) * (ring - 2)) : 0;
        uint32_t inner_count = ring > 1 ? outer_count - 6 : 1;
        for (uint32_t sector = 0; sector < 6; sector++) {
            for (uint32_t i = 0; i < (uint32_t)ring; i++) {
                uint32_t a = sector * (uint32_t)ring + i, b = sector * (uint32_t)(ring - 1) + i;
                uint32_t here = inner + b % inner_count;
                add_triangle(mesh, here, outer + a, outer + (a + 1) % outer_count);
                if (i + 1 < (uint32_t)ring)
                    add_triangle(mesh, here, outer + (a + 1) % outer_count,
                                 inner + (b + 1) % inner_count);
            }
        }
    }
    return true;
}

/* Joins two rings of around + 1 vertices (the first one repeated at the end), `upper` above. */
static void join_rings(MeshData *mesh, uint32_t upper, uint32_t lower, int around)
{
    for (uint32_t i = 0; i < (uint32_t)around; i++) {
        add_triangle(mesh, upper + i, lower + i, lower + i + 1);
        add_triangle(mesh, upper + i, lower + i + 1, upper + i + 1);
    }
}

bool mesh_capsule(MeshData *mesh, int around)
{
    int quarter = around / 4, rings = 2 * (quarter + 1);
    if (!reserve(mesh, rings * (around + 1), 6 * around * (rings - 1))) return false;
    for (int ring = 0; ring < rings; ring++) { /* from the upper pole down */
        bool upper = ring <= quarter;
        double polar = PI / 2 * (upper ? ring : ring - 1) / quarter;
        for (int i = 0; i <= around; i++) {
            double angle = 2 * PI * (i % around) / around;
            double p[3] = {sin(polar) * cos(angle), sin(polar) * sin(angle), cos(polar)};
            add_vertex(mesh, p, p, upper ? 1 : -1);
        }
        if (ring > 0)
            join_rings(mesh, (uint32_t)((ring - 1) * (around + 1)), (uint32_t)(ring * (around + 1)),
                       around);
    }
    return true;
}

/* A flat disc at height z that faces up or down. */
static void add_disc(MeshData *mesh, int around, double z, bool up)
{
    double normal[3] = {0, 0, up ? 1 : -1}, center[3] = {0, 0, z};
    uint32_t middle = add_vertex(mesh, center, normal, 0), first = middle + 1;
    for (int i = 0; i < around; i++) {
        double angle = 2 * PI * i / around, p[3] = {cos(angle), sin(angle), z};
        add_vertex(mesh, p, normal, 0);
    }
    for (uint32_t i = 0; i < (uint32_t)around; i++) {
        uint32_t next = (i + 1) % (uint32_t)around;
        add_triangle(mesh, middle, first + (up ? i : next), first + (up ? next : i));
    }
}

bool mesh_cylinder(MeshData *mesh, int around)
{
    if (!reserve(mesh, 4 * (around + 1), 12 * around)) return false;
    for (int end = 1; end >= -1; end -= 2)
        for (int i = 0; i <= around; i++) {
            double angle = 2 * PI * (i % around) / around;
            double p[3] = {cos(angle), sin(angle), end}, normal[3] = {p[0], p[1], 0};
            add_vertex(mesh, p, normal, 0);
        }
    join_rings(mesh, 0, (uint32_t)around + 1, around);
    add_disc(mesh, around, 1, true);
    add_disc(mesh, around, -1, false);
    return true;
}

bool mesh_cone(MeshData *mesh, int around)
{
    if (!reserve(mesh, 3 * around + 1, 6 * around)) return false;
    double tip[3] = {0, 0, 1};
    for (int i = 0; i < around; i++) {
        double angle = 2 * PI * i / around, half = angle + PI / around, s = sqrt(0.5);
        double p[3] = {cos(angle), sin(angle), 0}, normal[3] = {p[0] * s, p[1] * s, s};
        double tip_normal[3] = {cos(half) * s, sin(half) * s, s};
        add_vertex(mesh, p, normal, 0);
        add_vertex(mesh, tip, tip_normal, 0);
    }
    for (int i = 0; i < around; i++)
        add_triangle(mesh, (uint32_t)(2 * i), (uint32_t)(2 * ((i + 1) % around)),
                     (uint32_t)(2 * i + 1));
    add_disc(mesh, around, 0, false);
    return true;
}

bool mesh_box(MeshData *mesh)
{
    if (!reserve(mesh, 24, 36)) return false;
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        double side = face % 2 ? -1 : 1, normal[3] = {0, 0, 0};
        normal[axis] = side;
        uint32_t first = (uint32_t)mesh->vertex_count;
        for (int corner = 0; corner < 4; corner++) {
            double p[3];
            p[axis] = side;
            p[u] = corner == 0 || corner == 3 ? -1 : 1;
            p[v] = (corner < 2 ? -1 : 1) * side; /* turns the other way on the far side */
            add_vertex(mesh, p, normal, 0);
        }
        add_triangle(mesh, first, first + 1, first + 2);
        add_triangle(mesh, first, first + 2, first + 3);
    }
    return true;
}
