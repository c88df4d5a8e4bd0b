/* mesh.c: meshes of a model: checked, their hulls found, and copied into the model's block.
 *
 * Hulls come before the layout, because their sizes are not known from the definitions. */
#include "../builder.h"
#include "convex_pieces.h"

#include "../../math/vec3.h"

#include <stdio.h>
#include <stdlib.h>

/* The mesh and, where it came from one, its file. */
static void mesh_problem(TnCompile *c, int index, const char *text)
{
    const TnMeshDef *def = &c->builder->meshes[index];
    if (def->file && def->file[0])
        tn_problem(c, TN_ELEMENT("mesh", def, index), "%s ('%.300s')", text, def->file);
    else
        tn_problem(c, TN_ELEMENT("mesh", def, index), "%s", text);
}

static bool check_mesh(TnCompile *c, int index)
{
    const TnMeshDef *def = &c->builder->meshes[index];
    char text[120];
    int before = c->problem_count;
    if ((unsigned)def->inertia > TN_MESH_SHELL)
        tn_problem(c, TN_ELEMENT("mesh", def, index), "inertia %d does not exist",
                   (int)def->inertia);
    if ((unsigned)def->collision > TN_MESH_COLLIDE_PIECES)
        tn_problem(c, TN_ELEMENT("mesh", def, index), "collision %d does not exist",
                   (int)def->collision);
    if (def->collision == TN_MESH_COLLIDE_TRIANGLES && def->triangle_count == 0)
        mesh_problem(c, index, "it collides as its triangles, but has none");
    if (def->vertex_count < 4) {
        snprintf(text, sizeof text, "a mesh needs at least 4 vertices (%d)", def->vertex_count);
        mesh_problem(c, index, text);
        return false;
    }
    for (size_t i = 0; i < 3 * (size_t)def->vertex_count; i++)
        if (!isfinite(def->vertices[i])) {
            snprintf(text, sizeof text, "vertex %zu is not finite (%g)", i / 3, def->vertices[i]);
            mesh_problem(c, index, text);
            return false;
        }
    for (size_t i = 0; i < 3 * (size_t)def->triangle_count; i++)
        if (def->triangles[i] < 0 || def->triangles[i] >= def->vertex_count) {
            snprintf(text, sizeof text, "triangle %zu names vertex %d of %d", i / 3,
                     (int)def->triangles[i], def->vertex_count);
            mesh_problem(c, index, text);
            return false;
        }
    for (size_t i = 0; def->texcoords && i < 6 * (size_t)def->triangle_count; i++)
        if (!isfinite(def->texcoords[i])) {
            mesh_problem(c, index, "a texture coordinate is not finite");
            return false;
        }
    return c->problem_count == before;
}

static bool shows_mesh(const TnModelBuilder *b, TnGeomId id, int mesh)
{
    return id >= 1 && id <= b->geom_count && b->geoms[id - 1].type == TN_GEOM_MESH &&
           b->geoms[id - 1].mesh == mesh + 1;
}

/* What is only drawn needs no hull. */
static bool may_be_flat(const TnCompile *c, int index)
{
    const TnModelBuilder *b = c->builder;
    if (b->meshes[index].triangle_count == 0) return false;
    for (int i = 0; i < b->geom_count; i++)
        if ((b->geoms[i].contact_type || b->geoms[i].contact_affinity) &&
            shows_mesh(b, i + 1, index))
            return false;
    for (int i = 0; i < b->pair_count; i++)
        if (shows_mesh(b, b->pairs[i].geom1, index) || shows_mesh(b, b->pairs[i].geom2, index))
            return false;
    return true;
}

/* Bounds of the points in the place of the hull's. */
static void bound_flat(const TnMeshDef *def, TnMeshScratch *mesh)
{
    TnHull *hull = &mesh->hull;
    double low[3], high[3], apart[3];
    v3_copy(low, def->vertices);
    v3_copy(high, def->vertices);
    for (int i = 1; i < def->vertex_count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], def->vertices[3 * i + k]);
            high[k] = fmax(high[k], def->vertices[3 * i + k]);
        }
    for (int k = 0; k < 3; k++) {
        hull->center[k] = 0.5 * (low[k] + high[k]);
        hull->half_extent[k] = 0.5 * (high[k] - low[k]);
    }
    for (int i = 0; i < def->vertex_count; i++) {
        v3_sub(apart, def->vertices + 3 * (size_t)i, hull->center);
        hull->radius = fmax(hull->radius, v3_norm(apart));
    }
    mesh->flat = true;
}

/* False: no memory. */
static bool find_hull(TnCompile *c, int index)
{
    const TnMeshDef *def = &c->builder->meshes[index];
    TnMeshScratch *mesh = &c->meshes[index];
    if (def->collision == TN_MESH_COLLIDE_TRIANGLES && def->triangle_count > 0) {
        bound_flat(def, mesh);
        return true;
    }
    switch (tn_quickhull(def->vertices, def->vertex_count, &mesh->triangles)) {
    case TN_HULL_GOOD:
        return tn_hull_create(def->vertices, def->vertex_count, &mesh->triangles, &mesh->hull);
    case TN_HULL_FEW:
    case TN_HULL_FLAT:
        if (may_be_flat(c, index))
            bound_flat(def, mesh);
        else
            mesh_problem(c, index,
                         "its points lie in one plane to a millionth of its size: a mesh that "
                         "collides needs a thickness");
        return true;
    case TN_HULL_MEMORY:
        break;
    }
    return false;
}

/* False: no memory. A flat mesh has none, as it has no hull. */
static bool find_pieces(TnCompile *c, int index)
{
    const TnMeshDef *def = &c->builder->meshes[index];
    TnMeshScratch *mesh = &c->meshes[index];
    if (def->collision != TN_MESH_COLLIDE_PIECES || mesh->hull.vertex_count == 0) return true;
    TnPiece pieces[TN_MOST_PIECES];
    int count = tn_convex_pieces(def->vertices, def->triangles, def->triangle_count, pieces);
    bool good = count >= 0;
    if (count > 0) mesh->pieces = tn_calloc((size_t)count, sizeof *mesh->pieces);
    good = good && (count == 0 || mesh->pieces);
    for (int i = 0; i < count && good; i++) {
        TnHullTriangles hull = {0};
        TnHullStatus status = tn_quickhull(pieces[i].points, pieces[i].count, &hull);
        good = status != TN_HULL_MEMORY;
        if (status == TN_HULL_GOOD)
            good = tn_hull_create(pieces[i].points, pieces[i].count, &hull,
                                  &mesh->pieces[mesh->piece_count]);
        mesh->piece_count += good && status == TN_HULL_GOOD;
        tn_free(hull.corners);
    }
    tn_pieces_free(pieces, count > 0 ? count : 0);
    return good;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Two triangles that run along an edge in the same direction look to different sides. False: no
 * memory. */
static bool find_twist(const TnMeshDef *def, bool *twisted)
{
    size_t count = 3 * (size_t)def->triangle_count, used = 0;
    uint64_t *edges = tn_malloc((count + 1) * sizeof *edges);
    if (!edges) return false;
    for (size_t i = 0; i < count; i++) {
        int32_t from = def->triangles[i], to = def->triangles[i % 3 == 2 ? i - 2 : i + 1];
        if (from != to) edges[used++] = (uint64_t)from << 32 | (uint64_t)to;
    }
    qsort(edges, used, sizeof *edges, by_value);
    for (size_t i = 1; i < used; i++) *twisted |= edges[i] == edges[i - 1];
    tn_free(edges);
    return true;
}

bool tn_prepare_meshes(TnCompile *c)
{
    int count = c->builder->mesh_count;
    if (count == 0) return true;
    c->meshes = tn_calloc((size_t)count, sizeof *c->meshes);
    if (!c->meshes) return false;
    for (int i = 0; i < count; i++) {
        if (!check_mesh(c, i)) continue;
        if (!find_hull(c, i) || !find_pieces(c, i)) return false;
        if (c->builder->meshes[i].inertia == TN_MESH_EXACT &&
            !find_twist(&c->builder->meshes[i], &c->meshes[i].twisted))
            return false;
    }
    return true;
}

static void release_pieces(TnMeshScratch *mesh)
{
    for (int i = 0; i < mesh->piece_count; i++) tn_hull_free(&mesh->pieces[i]);
    tn_free(mesh->pieces);
}

void tn_release_meshes(TnCompile *c)
{
    for (int i = 0; c->meshes && i < c->builder->mesh_count; i++) {
        tn_free(c->meshes[i].triangles.corners);
        tn_hull_free(&c->meshes[i].hull);
        release_pieces(&c->meshes[i]);
    }
    tn_free(c->meshes);
    c->meshes = NULL;
}

#define COPY(TO, FROM, COUNT)                                                                      \
    do {                                                                                           \
        if ((COUNT) > 0) memcpy(TO, FROM, (size_t)(COUNT) * sizeof *(TO));                         \
    } while (0)

static void copy_hull(TnHull *to, const TnHull *h)
{
    v3_copy(to->center, h->center);
    v3_copy(to->half_extent, h->half_extent);
    to->radius = h->radius;
    if (h->vertex_count == 0) return; /* bounds alone */
    COPY(to->vertices, h->vertices, 3 * (size_t)h->vertex_count);
    COPY(to->normals, h->normals, 3 * (size_t)h->face_count);
    COPY(to->edge_start, h->edge_start, h->vertex_count + 1);
    COPY(to->edges, h->edges, h->edge_start[h->vertex_count]);
    COPY(to->face_start, h->face_start, h->vertex_count + 1);
    COPY(to->faces, h->faces, h->face_start[h->vertex_count]);
    COPY(to->starts, h->starts, TN_HULL_STARTS);
}

void tn_compile_meshes(TnCompile *c)
{
    for (int i = 0; i < c->model->mesh_count; i++) {
        const TnMeshDef *def = &c->builder->meshes[i];
        const TnMeshScratch *from = &c->meshes[i];
        const TnHull *h = &from->hull;
        TnMesh *mesh = &c->model->meshes[i];
        mesh->collision = def->collision;
        if (h->vertex_count == 0 && !from->flat) continue;
        COPY(mesh->vertices, def->vertices, 3 * (size_t)def->vertex_count);
        if (def->triangle_count > 0)
            COPY(mesh->triangles, def->triangles, 3 * (size_t)def->triangle_count);
        COPY(mesh->hull_triangles, from->triangles.corners, 3 * (size_t)from->triangles.count);
        if (def->texcoords) COPY(mesh->texcoords, def->texcoords, 6 * (size_t)def->triangle_count);
        copy_hull(&mesh->hull, h);
        for (int k = 0; k < from->piece_count; k++) copy_hull(&mesh->pieces[k], &from->pieces[k]);
    }
}

bool tn_mesh_unit_mass(TnCompile *c, int index, TnMassProperties *out)
{
    const TnMeshDef *def = &c->builder->meshes[index];
    TnMeshScratch *mesh = &c->meshes[index];
    if (mesh->hull.vertex_count == 0 && !mesh->flat) return false; /* told already */
    if (!mesh->has_mass) {
        bool convex = def->inertia == TN_MESH_CONVEX || def->triangle_count == 0;
        mesh->has_mass = true;
        mesh->mass_status = tn_mesh_mass(
            def->inertia, def->vertices, convex ? mesh->triangles.corners : def->triangles,
            convex ? mesh->triangles.count : def->triangle_count, &mesh->mass);
        if (mesh->flat && def->inertia != TN_MESH_SHELL &&
            def->collision != TN_MESH_COLLIDE_TRIANGLES)
            mesh->mass_status = TN_MESH_MASS_NONE;
        if (mesh->twisted) {
            mesh->mass_status = TN_MESH_MASS_TWISTED;
            mesh_problem(c, index,
                         "its triangles disagree on which side is outside, so it has no exact "
                         "inertia");
        }
        if (mesh->mass_status == TN_MESH_MASS_NONE)
            mesh_problem(c, index,
                         "its triangles enclose no volume: give the geom a mass of 0 and its body "
                         "an inertial, or the mesh the inertia of its convex hull or of a shell");
        if (mesh->mass_status == TN_MESH_MASS_NEGATIVE)
            mesh_problem(c, index,
                         "its volume is negative: triangles must run counter-clockwise seen from "
                         "outside");
    }
    *out = mesh->mass;
    return mesh->mass_status == TN_MESH_MASS_GOOD;
}
