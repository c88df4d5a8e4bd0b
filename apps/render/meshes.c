/* meshes.c: unit meshes in their levels of detail and the scene's own meshes, on the GPU.
 *
 * Order in r->meshes: the families, the box last, then triangles and hull of each mesh of the
 * scene. */
#include "internal.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#define CREASE (35 * 3.14159265358979323846 / 180)

static void upload(const Gl *gl, GpuMesh *mesh, const MeshData *data)
{
    const GLsizei stride = (GLsizei)sizeof(MeshVertex);
    gl->GenVertexArrays(1, &mesh->array);
    gl->GenBuffers(1, &mesh->vertices);
    gl->GenBuffers(1, &mesh->indices);
    gl->BindVertexArray(mesh->array);
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->vertices);
    gl->BufferData(GL_ARRAY_BUFFER,
                   (GLsizeiptr)((size_t)data->vertex_count * sizeof *data->vertices),
                   data->vertices, GL_STATIC_DRAW);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER,
                   (GLsizeiptr)((size_t)data->index_count * sizeof *data->indices), data->indices,
                   GL_STATIC_DRAW);
    gl->VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, stride,
                            buffer_place(offsetof(MeshVertex, pos)));
    gl->VertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, stride,
                            buffer_place(offsetof(MeshVertex, normal)));
    gl->VertexAttribPointer(2, 1, GL_FLOAT, GL_FALSE, stride,
                            buffer_place(offsetof(MeshVertex, lift)));
    gl->VertexAttribPointer(8, 2, GL_FLOAT, GL_FALSE, stride,
                            buffer_place(offsetof(MeshVertex, uv)));
    gl->EnableVertexAttribArray(8);
    for (GLuint i = 0; i < 8; i++) {
        gl->EnableVertexAttribArray(i);
        gl->VertexAttribDivisor(i, i >= 3); /* 3 to 7 come from the instance */
    }
    gl->BindVertexArray(0);
    mesh->index_count = data->index_count;
}

typedef bool (*MakeMesh)(MeshData *mesh, int detail);

static bool make_box(MeshData *mesh, int detail)
{
    (void)detail;
    return mesh_box(mesh);
}

/* `error` is the share of the radius by which the silhouette of detail 1 is too small; with detail
 * n it is error / n². A level is good while that is less than a quarter of a pixel. */
static bool add_family(Renderer *r, Family family, MakeMesh make, const int *details, int count,
                       double error)
{
    for (int i = 0; i < count; i++) {
        MeshData data;
        if (!make(&data, details[i])) return false;
        upload(&r->gl, &r->meshes[r->mesh_count], &data);
        mesh_free(&data);
        r->levels[family][i] = (Level){.mesh = r->mesh_count,
                                       .pixels = (float)(0.25 * details[i] * details[i] / error)};
        r->mesh_count++;
    }
    r->level_count[family] = count;
    return true;
}

static bool add_scene_mesh(Renderer *r, const TnSceneMesh *mesh, struct MeshBox *box)
{
    double low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, radius2 = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        double length2 = 0;
        for (int k = 0; k < 3; k++) {
            double value = mesh->vertices[3 * i + k];
            if (i == 0 || value < low[k]) low[k] = value;
            if (i == 0 || value > high[k]) high[k] = value;
            length2 += value * value;
        }
        if (length2 > radius2) radius2 = length2;
    }
    box->radius = sqrt(radius2);
    for (int k = 0; k < 3; k++) {
        box->center[k] = (low[k] + high[k]) / 2;
        box->half[k] = (high[k] - low[k]) / 2;
    }
    for (int hull = 0; hull < 2; hull++) {
        MeshData data;
        const int32_t *triangles = hull ? mesh->hull_triangles : mesh->triangles;
        int count = hull ? mesh->hull_triangle_count : mesh->triangle_count;
        /* A hull is shown with its facets; so is what has no triangles but its hull's. */
        if (!hull && count == 0) {
            triangles = mesh->hull_triangles;
            count = mesh->hull_triangle_count;
        }
        if (!mesh_triangles(&data, mesh->vertices, mesh->vertex_count, triangles, count,
                            hull ? NULL : mesh->texcoords, hull ? 0.02 : CREASE))
            return false;
        upload(&r->gl, &r->meshes[r->mesh_count++], &data);
        mesh_free(&data);
    }
    return true;
}

bool meshes_create(Renderer *r, char *error, size_t error_size)
{
    static const int spheres[] = {1, 2, 3, 5, 8, 13, 21, 34},
                     rounds[] = {8, 12, 16, 24, 40, 64, 96}, domes[] = {1, 2, 3, 4, 6, 9, 14, 24},
                     cones[] = {8, 12, 24, 48}, one[] = {1};
    const TnScene *scene = r->scene;
    int room = 8 + 8 + 7 + 7 + 4 + 1 + 2 * scene->mesh_count;
    r->meshes = calloc((size_t)room, sizeof *r->meshes);
    r->mesh_boxes = calloc((size_t)scene->mesh_count + 1, sizeof *r->mesh_boxes);
    bool fine = r->meshes && r->mesh_boxes;
    /* Half the angle of an edge: 31.7 degrees / frequency on spheres, 180 degrees / n on rounds;
     * on domes 30 degrees / rings, and half of the error is outside. */
    fine = fine && add_family(r, FAMILY_SPHERE, mesh_sphere, spheres, 8, 0.153) &&
           add_family(r, FAMILY_DOME, mesh_dome, domes, 8, 0.0685) &&
           add_family(r, FAMILY_CAPSULE, mesh_capsule, rounds, 7, 4.93) &&
           add_family(r, FAMILY_CYLINDER, mesh_cylinder, rounds, 7, 4.93) &&
           add_family(r, FAMILY_CONE, mesh_cone, cones, 4, 4.93) &&
           add_family(r, FAMILY_BOX, make_box, one, 1, 1);
    for (int i = 0; fine && i < scene->mesh_count; i++)
        fine = add_scene_mesh(r, &scene->meshes[i], &r->mesh_boxes[i]);
    if (!fine) snprintf(error, error_size, "no memory for the meshes of the picture");
    return fine;
}

void meshes_destroy(Renderer *r)
{
    for (int i = 0; i < r->mesh_count; i++) {
        r->gl.DeleteVertexArrays(1, &r->meshes[i].array);
        r->gl.DeleteBuffers(1, &r->meshes[i].vertices);
        r->gl.DeleteBuffers(1, &r->meshes[i].indices);
    }
    free(r->meshes);
    free(r->mesh_boxes);
}
