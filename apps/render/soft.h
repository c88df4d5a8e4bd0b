/* soft.h: what is built anew on the CPU in each frame: tubes along cables, deforming surfaces. */
#ifndef TENON_RENDER_SOFT_H
#define TENON_RENDER_SOFT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct SoftVertex {
    float pos[3], normal[3];
    uint16_t color[4]; /* linear */
    uint32_t id;
} SoftVertex;

/* Grows and is used again: no memory is asked for once it has seen the largest frame. */
typedef struct SoftMesh {
    SoftVertex *vertices;
    int vertex_count, vertex_room;
    uint32_t *indices;
    int index_count, index_room;
} SoftMesh;

void soft_clear(SoftMesh *mesh);
void soft_free(SoftMesh *mesh);
/* Room for that many more; false, and the mesh as it was, where there is no memory. */
bool soft_reserve(SoftMesh *mesh, int vertices, int indices);

/* A smooth tube through points (Catmull-Rom), with round ends. */
typedef struct TubeLook {
    double radius;
    int sides;                   /* around, >= 3 */
    int steps;                   /* per piece between two points */
    const uint16_t (*colors)[4]; /* one per point: of the piece that begins there */
    uint32_t id;
} TubeLook;
/* Adds the tube to the mesh; false, and nothing added, where there is no memory. `points`: 3 × count. */
bool tube_add(SoftMesh *mesh, const float *points, int count, const TubeLook *look);

/* The frame that runs along a tube: `tangent`, and `normal` at right angles, both of length 1. */
typedef struct TubeFrame {
    double pos[3], tangent[3], normal[3];
} TubeFrame;
/* Moves a frame on to a new place and tangent with the least turn about the tangent (double
 * reflection). */
void tube_frame_advance(TubeFrame *frame, const double pos[3], const double tangent[3]);

/* Adds a surface with smooth normals. Triangles that name a missing point are left out. */
bool surface_add(SoftMesh *mesh, const float *points, int point_count, const int32_t *triangles,
                 int triangle_count, const uint16_t (*colors)[4], uint32_t id);

#endif
