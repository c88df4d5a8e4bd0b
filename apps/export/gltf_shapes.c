/* gltf_shapes.c: bodies and their shapes as nodes, meshes and materials of a glTF document.
 *
 * A mesh has its true size. Shapes of one type and size share the vertices, those of one material,
 * too, the mesh. Textures: a flat one is laid on as in pictures, its coordinates at the vertices;
 * one of a cube, which glTF does not have, becomes its mean colour. */
#include "../render/renderer.h"
#include "../render/shapes.h"
#include "gltf_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 32, SPHERE_FREQUENCY = 5 };
static const double crease = 0.698131700797732; /* rad, 40 degrees, as in pictures */

static double linear_of(double srgb)
{
    srgb = srgb < 0 ? 0 : srgb > 1 ? 1 : srgb;
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

/* ---- materials ---- */

static const TnSceneMaterial *material_of(const GltfScene *g, int number)
{
    bool known = number >= 1 && number <= g->scene->material_count;
    return known ? &g->scene->materials[number - 1] : NULL;
}

static const TnSceneTexture *texture_of(const GltfScene *g, const TnSceneMaterial *material)
{
    int number = material ? material->texture : 0;
    return number >= 1 && number <= g->scene->texture_count ? &g->scene->textures[number - 1]
                                                            : NULL;
}

static bool is_flat(const TnSceneTexture *texture)
{
    return texture && texture->type == TN_TEXTURE_2D && texture->rgb;
}

/* The mean over all faces, linear. */
static void mean_color(const TnSceneTexture *texture, double out[3])
{
    size_t pixels = (size_t)texture->width * (size_t)texture->height *
                    (texture->type == TN_TEXTURE_2D ? 1 : TN_TEXTURE_FACES);
    double table[256];
    for (int i = 0; i < 256; i++) table[i] = linear_of(i / 255.0);
    for (size_t k = 0; k < 3; k++) {
        out[k] = 0;
        for (size_t i = 0; i < pixels; i++) out[k] += table[texture->rgb[3 * i + k]];
        out[k] /= (double)pixels;
    }
}

static int image_of(GltfScene *g, const TnSceneTexture *texture)
{
    int *number = &g->image_of[texture - g->scene->textures];
    if (*number == 0)
        *number = 1 + gltf_image(&g->gltf, texture->rgb, texture->width, texture->height);
    return *number - 1;
}

/* Roughness r and the exponent n of Blinn's highlight: r⁴ = 2 / (n + 2), n = 128 shininess. */
int gltf_add_material(GltfScene *g, const float rgba[4], int number, bool both_sides)
{
    const TnSceneMaterial *from = material_of(g, number);
    const TnSceneTexture *texture = texture_of(g, from);
    double shininess = from ? (double)from->shininess : 0.25;
    GltfMaterial material = {.roughness = (float)sqrt(sqrt(2 / (128 * fmax(shininess, 0) + 2))),
                             .metallic = from ? fminf(fmaxf(from->metallic, 0), 1) : 0,
                             .emission = from ? fminf(fmaxf(from->emission, 0), 1) : 0,
                             .texture = -1,
                             .both_sides = both_sides};
    for (int k = 0; k < 3; k++) material.color[k] = (float)linear_of((double)rgba[k]);
    material.color[3] = fminf(fmaxf(rgba[3], 0), 1);
    if (is_flat(texture)) {
        material.texture = image_of(g, texture);
    } else if (texture && texture->rgb) {
        double mean[3];
        mean_color(texture, mean);
        for (int k = 0; k < 3; k++) material.color[k] *= (float)mean[k];
        g->cube_textures++;
    }
    return gltf_material(&g->gltf, &material);
}

/* ---- vertices ---- */

static bool plane_mesh(MeshData *mesh, const double half[2])
{
    if (!mesh_box(mesh)) return false;
    /* the upper face of the box, number 4 of 6 */
    mesh->vertex_count = 4;
    mesh->index_count = 6;
    for (int i = 0; i < 4; i++) {
        mesh->vertices[i] = mesh->vertices[16 + i];
        mesh->vertices[i].pos[0] *= (float)half[0];
        mesh->vertices[i].pos[1] *= (float)half[1];
        mesh->vertices[i].pos[2] = 0;
    }
    return true;
}

static bool scene_mesh(MeshData *mesh, const TnScene *scene, int index)
{
    if (index < 0 || index >= scene->mesh_count) return false;
    const TnSceneMesh *from = &scene->meshes[index];
    return mesh_triangles(mesh, from->vertices, from->vertex_count, from->triangles,
                          from->triangle_count, from->texcoords, crease);
}

/* Stretches a unit mesh; normals as surfaces have them then. */
static void stretch(MeshData *mesh, const double scale[3], double lift)
{
    for (int i = 0; i < mesh->vertex_count; i++) {
        MeshVertex *v = &mesh->vertices[i];
        double normal[3], length = 0;
        for (int k = 0; k < 3; k++) {
            double s = fmax(scale[k], 1e-9);
            v->pos[k] = (float)((double)v->pos[k] * s);
            normal[k] = (double)v->normal[k] / s;
            length += normal[k] * normal[k];
        }
        v->pos[2] += (float)(lift * (double)v->lift);
        for (int k = 0; k < 3; k++) v->normal[k] = (float)(normal[k] / sqrt(length));
    }
}

/* Half the lengths of a plane as it is drawn. */
static void plane_half(const GltfScene *g, const TnSceneShape *shape, double half[2])
{
    for (int k = 0; k < 2; k++) half[k] = shape->size[k] > 0 ? shape->size[k] : g->frames->extent;
}

static bool shape_mesh(MeshData *mesh, const GltfScene *g, const TnSceneShape *shape)
{
    const double *size = shape->size, round[3] = {size[0], size[0], size[0]},
                 column[3] = {size[0], size[0], size[1]};
    double half[2];
    bool fine = false;
    switch (shape->type) {
    case TN_GEOM_PLANE:
        plane_half(g, shape, half);
        return plane_mesh(mesh, half);
    case TN_GEOM_SPHERE:
        fine = mesh_sphere(mesh, SPHERE_FREQUENCY);
        if (fine) stretch(mesh, round, 0);
        return fine;
    case TN_GEOM_CAPSULE:
        fine = mesh_capsule(mesh, AROUND);
        if (fine) stretch(mesh, round, size[1]);
        return fine;
    case TN_GEOM_CYLINDER:
        fine = mesh_cylinder(mesh, AROUND);
        if (fine) stretch(mesh, column, 0);
        return fine;
    case TN_GEOM_ELLIPSOID:
    case TN_GEOM_BOX:
        fine = shape->type == TN_GEOM_BOX ? mesh_box(mesh) : mesh_sphere(mesh, SPHERE_FREQUENCY);
        if (fine) stretch(mesh, size, 0);
        return fine;
    case TN_GEOM_MESH:
    case TN_GEOM_HEIGHT_FIELD:
        return scene_mesh(mesh, g->scene, shape->mesh);
    case TN_GEOM_SOFT:
        break;
    }
    return false;
}

/* Places in a flat texture, as shape_vertex.glsl and planes.c have them: the mesh's own; else from
 * the upper left corner, once over the shape, or once per 2 m where it is uniform or endless. */
static void place_texture(MeshData *mesh, const GltfScene *g, const TnSceneShape *shape,
                          const TnSceneMaterial *material)
{
    bool is_mesh = shape->type == TN_GEOM_MESH && shape->mesh >= 0;
    bool own = is_mesh && g->scene->meshes[shape->mesh].texcoords;
    bool plane = shape->type == TN_GEOM_PLANE;
    bool endless = plane && (shape->size[0] <= 0 || shape->size[1] <= 0);
    double half[2] = {0, 0};
    for (int i = 0; i < mesh->vertex_count; i++)
        for (int k = 0; k < 2; k++) half[k] = fmax(half[k], fabs((double)mesh->vertices[i].pos[k]));
    for (int i = 0; i < mesh->vertex_count; i++)
        for (int k = 0; k < 2; k++) {
            MeshVertex *v = &mesh->vertices[i];
            double repeat = (double)material->texture_repeat[k];
            double at = (k ? -1 : 1) * (double)v->pos[k], place;
            if (own)
                place = repeat * (double)v->uv[k];
            else if (endless)
                place = 0.5 * repeat * at - 0.5;
            else if (material->texture_uniform)
                place = 0.5 * repeat * (half[k] + at);
            else
                place = 0.5 * repeat * (1 + at / fmax(half[k], 1e-12));
            v->uv[k] = (float)place;
        }
}

static GltfGeometry add_geometry(Gltf *gltf, const MeshData *mesh, bool textured)
{
    GltfGeometry geometry = {-1, -1, -1, -1};
    int count = mesh->vertex_count;
    float *numbers = malloc(3 * ((size_t)count + 1) * sizeof *numbers);
    if (!numbers) {
        gltf->failed = true;
        return geometry;
    }
    for (int i = 0; i < count; i++)
        memcpy(numbers + 3 * i, mesh->vertices[i].pos, 3 * sizeof(float));
    geometry.positions = gltf_floats(gltf, numbers, count, 3, GLTF_VERTICES, true);
    for (int i = 0; i < count; i++)
        memcpy(numbers + 3 * i, mesh->vertices[i].normal, 3 * sizeof(float));
    geometry.normals = gltf_floats(gltf, numbers, count, 3, GLTF_VERTICES, false);
    for (int i = 0; i < count; i++)
        memcpy(numbers + 2 * i, mesh->vertices[i].uv, 2 * sizeof(float));
    if (textured) geometry.places = gltf_floats(gltf, numbers, count, 2, GLTF_VERTICES, false);
    geometry.indices = gltf_indices(gltf, mesh->indices, mesh->index_count);
    free(numbers);
    return geometry;
}

/* A shape whose vertices another one has, too: same type, size or mesh, and way to lay a texture.
 */
static bool same_vertices(const GltfScene *g, const TnSceneShape *a, const TnSceneShape *b)
{
    const TnSceneTexture *first = texture_of(g, material_of(g, a->material)),
                         *second = texture_of(g, material_of(g, b->material));
    if (a->type != b->type || a->mesh != b->mesh) return false;
    if (a->mesh < 0 && memcmp(a->size, b->size, sizeof a->size) != 0) return false;
    if (is_flat(first) != is_flat(second)) return false;
    return !is_flat(first) || a->material == b->material;
}

/* ---- nodes ---- */

int gltf_add_shape(GltfScene *g, const TnSceneShape *shape)
{
    MeshData data = {0};
    const TnSceneMaterial *material = material_of(g, shape->material);
    bool textured = is_flat(texture_of(g, material));
    if (!shape_mesh(&data, g, shape)) return -1;
    if (textured) place_texture(&data, g, shape, material);
    GltfGeometry geometry = {-1, -1, -1, -1};
    if (data.index_count) geometry = add_geometry(&g->gltf, &data, textured);
    mesh_free(&data);
    if (geometry.indices < 0) return -1;
    int look = gltf_add_material(g, shape->rgba, shape->material, shape->type == TN_GEOM_PLANE);
    return gltf_mesh(&g->gltf, &geometry, look);
}

/* The mesh of shape `index`, with the vertices of an earlier shape where that has the same. */
static int mesh_of(GltfScene *g, int *meshes, int index)
{
    const TnSceneShape *shape = &g->scene->shapes[index];
    for (int i = 0; i < index; i++) {
        if (meshes[i] < 0 || !same_vertices(g, shape, &g->scene->shapes[i])) continue;
        GltfGeometry geometry = g->gltf.meshes[meshes[i]].geometry;
        int look = gltf_add_material(g, shape->rgba, shape->material, shape->type == TN_GEOM_PLANE);
        return gltf_mesh(&g->gltf, &geometry, look);
    }
    return gltf_add_shape(g, shape);
}

static void add_shapes(GltfScene *g, int first_body)
{
    const TnScene *scene = g->scene;
    unsigned groups = default_groups(scene);
    int *meshes = malloc(((size_t)scene->shape_count + 1) * sizeof *meshes);
    if (!meshes) g->gltf.failed = true;
    for (int i = 0; i < scene->shape_count && !g->gltf.failed; i++) {
        const TnSceneShape *shape = &scene->shapes[i];
        char name[32];
        meshes[i] = -1;
        if (!shape_in_groups(shape, groups) || !(shape->rgba[3] > 0) || shape->body < 1 ||
            shape->body > scene->body_count)
            continue;
        meshes[i] = mesh_of(g, meshes, i);
        g->no_shapes += meshes[i] < 0;
        if (meshes[i] < 0) continue;
        g->endless_planes +=
            shape->type == TN_GEOM_PLANE && (shape->size[0] <= 0 || shape->size[1] <= 0);
        snprintf(name, sizeof name, "geom%d", i + 1);
        int node = gltf_node(&g->gltf, name, first_body + shape->body - 1);
        gltf_place(&g->gltf, node, shape->pos, shape->quat);
        if (node >= 0) g->gltf.nodes[node].mesh = meshes[i];
    }
    free(meshes);
}

/* Cameras that stand still on a body. glTF's look along -z with y up, as tenon's. */
static void add_cameras(GltfScene *g, int first_body)
{
    for (int i = 0; i < g->scene->camera_count; i++) {
        const TnCameraInfo *camera = &g->scene->cameras[i];
        if (camera->mode != TN_CAMERA_FIXED || !(camera->fovy > 0) || camera->body < 1 ||
            camera->body > g->scene->body_count)
            continue;
        int node = gltf_node(&g->gltf, camera->name[0] ? camera->name : "camera",
                             first_body + camera->body - 1);
        gltf_place(&g->gltf, node, camera->pos, camera->quat);
        int index = gltf_camera(&g->gltf, camera->name, camera->fovy, 0.001 * g->frames->extent);
        if (node >= 0) g->gltf.nodes[node].camera = index;
    }
}

void gltf_add_bodies(GltfScene *g)
{
    int first = g->gltf.node_count;
    char buffer[64];
    for (int i = 0; i < g->scene->body_count; i++) {
        const double *pose = g->frames->poses + 7 * (size_t)i;
        int node = gltf_node(&g->gltf, export_body_name(g->scene, i, buffer, sizeof buffer), 0);
        gltf_place(&g->gltf, node, pose, pose + 3);
    }
    add_shapes(g, first);
    add_cameras(g, first);
}
