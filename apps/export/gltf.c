/* gltf.c: what a glTF document is filled with; see gltf.h. */
#include "gltf.h"

#include "../render/png.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void gltf_free(Gltf *gltf)
{
    for (int i = 0; i < gltf->node_count; i++) free(gltf->nodes[i].name);
    free(gltf->bytes);
    free(gltf->views);
    free(gltf->accessors);
    free(gltf->materials);
    free(gltf->meshes);
    free(gltf->targets);
    free(gltf->nodes);
    free(gltf->channels);
    free(gltf->cameras);
    free(gltf->images);
    *gltf = (Gltf){0};
}

/* The list with room for one more; NULL and `failed` where there is no memory. */
static void *one_more(Gltf *gltf, void *list, int *room, int count, size_t size)
{
    if (gltf->failed) return NULL;
    if (count < *room) return list;
    int wanted = *room ? 2 * *room : 16;
    void *grown = realloc(list, (size_t)wanted * size);
    if (grown)
        *room = wanted;
    else
        gltf->failed = true;
    return grown;
}

/* Adds `item` to a list of the document, of which `index` becomes its number; -1 without memory. */
#define ADD(gltf, list, count, room, item, index)                                                  \
    do {                                                                                           \
        void *grown_ =                                                                             \
            one_more(gltf, (gltf)->list, &(gltf)->room, (gltf)->count, sizeof *(gltf)->list);      \
        (index) = -1;                                                                              \
        if (grown_) {                                                                              \
            (gltf)->list = grown_;                                                                 \
            (index) = (gltf)->count++;                                                             \
            (gltf)->list[index] = (item);                                                          \
        }                                                                                          \
    } while (0)

/* Copies bytes into the buffer, from a multiple of 4 on. */
static int add_view(Gltf *gltf, const void *bytes, size_t size, GltfUse use)
{
    size_t start = (gltf->size + 3) & ~(size_t)3, wanted = start + size;
    if (gltf->failed) return -1;
    if (wanted > gltf->room) {
        size_t room = 2 * wanted + 4096;
        unsigned char *grown = realloc(gltf->bytes, room);
        if (!grown) {
            gltf->failed = true;
            return -1;
        }
        gltf->bytes = grown;
        gltf->room = room;
    }
    memset(gltf->bytes + gltf->size, 0, start - gltf->size);
    if (size) memcpy(gltf->bytes + start, bytes, size);
    gltf->size = wanted;
    int index;
    GltfView view = {start, size, use};
    ADD(gltf, views, view_count, view_room, view, index);
    return index;
}

static unsigned char *little_endian(const void *words, size_t count)
{
    unsigned char *out = malloc(4 * count + 1);
    for (size_t i = 0; out && i < count; i++) {
        uint32_t word;
        memcpy(&word, (const unsigned char *)words + 4 * i, 4);
        for (int k = 0; k < 4; k++) out[4 * i + (size_t)k] = (unsigned char)(word >> (8 * k));
    }
    return out;
}

static int add_accessor(Gltf *gltf, const void *values, GltfAccessor accessor, GltfUse use)
{
    size_t words = (size_t)accessor.count * (size_t)accessor.width;
    unsigned char *bytes = little_endian(values, words);
    int index = -1;
    if (!bytes) gltf->failed = true;
    accessor.view = bytes ? add_view(gltf, bytes, 4 * words, use) : -1;
    free(bytes);
    if (accessor.view >= 0) ADD(gltf, accessors, accessor_count, accessor_room, accessor, index);
    return index;
}

int gltf_floats(Gltf *gltf, const float *values, int count, int width, GltfUse use, bool bounded)
{
    GltfAccessor accessor = {.count = count, .width = width, .bounded = bounded};
    for (int k = 0; k < width; k++) {
        accessor.low[k] = accessor.high[k] = values[k];
        for (int i = 1; i < count; i++) {
            accessor.low[k] = fminf(accessor.low[k], values[width * i + k]);
            accessor.high[k] = fmaxf(accessor.high[k], values[width * i + k]);
        }
    }
    return add_accessor(gltf, values, accessor, use);
}

int gltf_indices(Gltf *gltf, const uint32_t *values, int count)
{
    GltfAccessor accessor = {.count = count, .width = 1, .integer = true};
    return add_accessor(gltf, values, accessor, GLTF_INDICES);
}

int gltf_image(Gltf *gltf, const uint8_t *rgb, int width, int height)
{
    size_t size = 0;
    uint8_t *file = png_encode(rgb, width, height, &size);
    int index = -1;
    if (!file) gltf->failed = true;
    int view = file ? add_view(gltf, file, size, GLTF_NUMBERS) : -1;
    free(file);
    if (view >= 0) ADD(gltf, images, image_count, image_room, view, index);
    return index;
}

static bool same_material(const GltfMaterial *a, const GltfMaterial *b)
{
    return memcmp(a->color, b->color, sizeof a->color) == 0 && a->roughness == b->roughness &&
           a->metallic == b->metallic && a->emission == b->emission && a->texture == b->texture &&
           a->both_sides == b->both_sides;
}

int gltf_material(Gltf *gltf, const GltfMaterial *material)
{
    int index;
    for (int i = 0; i < gltf->material_count; i++)
        if (same_material(&gltf->materials[i], material)) return i;
    ADD(gltf, materials, material_count, material_room, *material, index);
    return index;
}

int gltf_mesh(Gltf *gltf, const GltfGeometry *geometry, int material)
{
    int index;
    for (int i = 0; i < gltf->mesh_count; i++) {
        const GltfMesh *mesh = &gltf->meshes[i];
        if (mesh->geometry.positions == geometry->positions && mesh->material == material) return i;
    }
    GltfMesh mesh = {*geometry, material, gltf->target_count, 0};
    ADD(gltf, meshes, mesh_count, mesh_room, mesh, index);
    return index;
}

void gltf_target(Gltf *gltf, int positions, int normals)
{
    int index;
    GltfTarget target = {positions, normals};
    ADD(gltf, targets, target_count, target_room, target, index);
    if (index >= 0) gltf->meshes[gltf->mesh_count - 1].target_count++;
}

int gltf_camera(Gltf *gltf, const char *name, double fovy, double near)
{
    int index;
    GltfCamera camera = {name, (float)fovy, (float)near};
    ADD(gltf, cameras, camera_count, camera_room, camera, index);
    return index;
}

int gltf_node(Gltf *gltf, const char *name, int parent)
{
    int index;
    size_t size = strlen(name) + 1;
    GltfNode node = {.name = malloc(size),
                     .parent = parent,
                     .first_child = -1,
                     .last_child = -1,
                     .next = -1,
                     .mesh = -1,
                     .camera = -1,
                     .rotation = {0, 0, 0, 1},
                     .scale = {1, 1, 1}};
    if (!node.name) {
        gltf->failed = true;
        return -1;
    }
    memcpy(node.name, name, size);
    ADD(gltf, nodes, node_count, node_room, node, index);
    if (index < 0) free(node.name);
    if (index < 0 || parent < 0) return index;
    GltfNode *above = &gltf->nodes[parent];
    if (above->last_child >= 0)
        gltf->nodes[above->last_child].next = index;
    else
        above->first_child = index;
    above->last_child = index;
    return index;
}

void gltf_place(Gltf *gltf, int node, const double pos[3], const double quat[4])
{
    if (node < 0) return;
    double length =
        sqrt(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3]);
    for (int k = 0; k < 3; k++) gltf->nodes[node].translation[k] = (float)pos[k];
    for (int k = 0; k < 4 && length > 0; k++)
        gltf->nodes[node].rotation[k] = (float)(quat[(k + 1) % 4] / length);
}

void gltf_channel(Gltf *gltf, int node, GltfPath path, int times, int values)
{
    int index;
    GltfChannel channel = {node, times, values, path};
    ADD(gltf, channels, channel_count, channel_room, channel, index);
    (void)index;
}
