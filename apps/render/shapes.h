/* shapes.h: unit meshes that instances stretch. */
#ifndef TENON_RENDER_SHAPES_H
#define TENON_RENDER_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

/* An instance puts a vertex at position × scale + (0, 0, lift × half length): `lift` is ±1 on the
 * two caps of a capsule and 0 elsewhere, so that caps stay round whatever the capsule's length. */
typedef struct MeshVertex {
    float pos[3], normal[3];
    float lift;
    float uv[2]; /* in a texture, as in TnMeshDef */
} MeshVertex;

typedef struct MeshData {
    MeshVertex *vertices;
    int vertex_count;
    uint32_t *indices; /* three of each triangle, counter-clockwise from outside */
    int index_count;
} MeshData;

/* All return false, and leave nothing to free, where there is no memory. */
bool mesh_sphere(MeshData *mesh, int frequency); /* radius 1; 20 × frequency² triangles */
/* The half of a sphere with z >= 0, for spheres that turn it to the viewer: 6 × rings² triangles.
 * The rim is a little too large, so that it stands for the circle in the mean. */
bool mesh_dome(MeshData *mesh, int rings);
bool mesh_capsule(MeshData *mesh, int around);  /* radius 1; `around` a multiple of 4 */
bool mesh_cylinder(MeshData *mesh, int around); /* radius 1, z from -1 to 1 */
bool mesh_cone(MeshData *mesh, int around);     /* radius 1 at z = 0, tip at z = 1 */
bool mesh_box(MeshData *mesh);                  /* from -1 to 1 */
/* Any triangles, with texcoords of their corners (may be NULL): smooth where neighbours differ by
 * less than `crease` (rad), flat where more. Vertices at one place count as one. Triangles that
 * name a missing vertex are left out. */
bool mesh_triangles(MeshData *mesh, const float *vertices, int vertex_count,
                    const int32_t *triangles, int triangle_count, const float *texcoords,
                    double crease);
void mesh_free(MeshData *mesh);

#endif
