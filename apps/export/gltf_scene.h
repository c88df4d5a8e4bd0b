/* gltf_scene.h: a recording as a glTF document: what there is (gltf_shapes.c), and how it moves
 * (gltf_motion.c).
 *
 * Node 0 turns tenon's axes (z up) to glTF's (y up). Its children are one node per body, named like
 * the body, whose translation and rotation are its pose; below them one node per shape and camera.
 * Cables and tendons have a node for each piece between two points, soft bodies a mesh with a
 * morph target per frame. */
#ifndef TENON_GLTF_SCENE_H
#define TENON_GLTF_SCENE_H

#include "export.h"
#include "gltf.h"

/* The chosen frames. */
typedef struct GltfFrames {
    int count;
    double *times;    /* s */
    double *poses;    /* count × bodies × 7 */
    float *points;    /* count × points × 3 */
    double extent;    /* m, how far all that is finite reaches from the origin */
    double tolerance; /* m, differences below are rounding */
} GltfFrames;

typedef struct GltfScene {
    Gltf gltf;
    const TnScene *scene;
    const GltfFrames *frames;
    int *image_of; /* of each texture of the scene: image + 1; 0: not yet */
    int times;     /* accessor of all times, s from the first one on; -1: not yet */
    /* For remarks: */
    int endless_planes, cube_textures, no_shapes, target_frames;
} GltfScene;

/* Bodies with their shapes, cameras. */
void gltf_add_bodies(GltfScene *g);
/* A mesh at its true size: the same again where there was one. */
int gltf_add_shape(GltfScene *g, const TnSceneShape *shape);
/* The document's material of a colour (sRGB, alpha) and a material of the scene (0: none). */
int gltf_add_material(GltfScene *g, const float rgba[4], int material, bool both_sides);

void gltf_add_motion(GltfScene *g); /* of the bodies */
void gltf_add_tubes(GltfScene *g);
void gltf_add_surfaces(GltfScene *g);

#endif
