/* gltf.h: a glTF 2.0 document: nodes, meshes, materials, one animation, and the one buffer that
 * holds their numbers.
 *
 * Everything is added by a function that returns its index, or -1 where there is no memory; then
 * `failed` is set, and what follows may go on with the -1: gltf_write is not reached. */
#ifndef TENON_GLTF_H
#define TENON_GLTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum GltfUse { GLTF_NUMBERS, GLTF_VERTICES, GLTF_INDICES } GltfUse;

typedef struct GltfView {
    size_t start, size;
    GltfUse use;
} GltfView;

typedef struct GltfAccessor {
    int view, count, width; /* width: numbers per element, 1 to 4 */
    bool integer;           /* uint32, else float */
    bool bounded;
    float low[4], high[4];
} GltfAccessor;

typedef struct GltfMaterial {
    float color[4]; /* linear */
    float roughness, metallic, emission;
    int texture; /* index of an image; -1: none */
    bool both_sides;
} GltfMaterial;

/* A shape that a mesh is made of; -1: it has none of this. */
typedef struct GltfGeometry {
    int positions, normals, places, indices; /* accessors */
} GltfGeometry;

typedef struct GltfMesh {
    GltfGeometry geometry;
    int material;
    int target_first, target_count; /* in `targets` */
} GltfMesh;

typedef struct GltfTarget {
    int positions, normals; /* accessors: what is added to those of the mesh */
} GltfTarget;

typedef struct GltfNode {
    char *name;
    int parent, first_child, last_child, next;   /* -1: none */
    int mesh, camera;                            /* -1: none */
    float translation[3], rotation[4], scale[3]; /* rotation: x y z w */
} GltfNode;

typedef enum GltfPath { GLTF_TRANSLATION, GLTF_ROTATION, GLTF_SCALE, GLTF_WEIGHTS } GltfPath;

typedef struct GltfChannel {
    int node, times, values; /* accessors */
    GltfPath path;
} GltfChannel;

typedef struct GltfCamera {
    const char *name; /* borrowed */
    float fovy, near; /* rad, m */
} GltfCamera;

typedef struct Gltf {
    bool failed;
    unsigned char *bytes;
    size_t size, room;
    GltfView *views;
    GltfAccessor *accessors;
    GltfMaterial *materials;
    GltfMesh *meshes;
    GltfTarget *targets;
    GltfNode *nodes;
    GltfChannel *channels;
    GltfCamera *cameras;
    int *images; /* views, PNG */
    int view_count, view_room, accessor_count, accessor_room, material_count, material_room;
    int mesh_count, mesh_room, target_count, target_room, node_count, node_room;
    int channel_count, channel_room, camera_count, camera_room, image_count, image_room;
} Gltf;

void gltf_free(Gltf *gltf);
int gltf_floats(Gltf *gltf, const float *values, int count, int width, GltfUse use, bool bounded);
int gltf_indices(Gltf *gltf, const uint32_t *values, int count);
int gltf_image(Gltf *gltf, const uint8_t *rgb, int width, int height);
/* The same one again where there is one already. */
int gltf_material(Gltf *gltf, const GltfMaterial *material);
int gltf_mesh(Gltf *gltf, const GltfGeometry *geometry, int material);
/* One more target of the newest mesh. */
void gltf_target(Gltf *gltf, int positions, int normals);
int gltf_camera(Gltf *gltf, const char *name, double fovy, double near);
/* Without mesh and camera, at its parent's place. */
int gltf_node(Gltf *gltf, const char *name, int parent);
/* quat: w x y z, as everywhere in tenon. */
void gltf_place(Gltf *gltf, int node, const double pos[3], const double quat[4]);
void gltf_channel(Gltf *gltf, int node, GltfPath path, int times, int values);

typedef struct GltfAbout {
    const char *title;
    double start; /* s, of the recording where the animation has 0 */
} GltfAbout;
/* As .glb, or as .gltf with the buffer in it. Node 0 is the root. NULL, or why it could not. */
const char *gltf_write(FILE *out, const Gltf *gltf, const GltfAbout *about, bool binary);

#endif
