/* soft.h: what is built anew on the CPU in each frame: tubes along cables, deforming surfaces. */
#ifndef TENON_RENDER_SOFT_H
#define TENON_RENDER_SOFT_H

#include <tenon/scene.h>

typedef struct SoftVertex {
    float pos[3], normal[3];
    uint16_t color[4]; /* linear */
    float level;       /* share of the range of stress, 0 … 1, in place of the colour; -1: none */
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
/* Adds the tube to the mesh; false, and nothing added, where there is no memory. `points`: 3 ×
 * count. */
bool tube_add(SoftMesh *mesh, const float *points, int count, const TubeLook *look);

/* The frame that runs along a tube: `tangent`, and `normal` at right angles, both of length 1. */
typedef struct TubeFrame {
    double pos[3], tangent[3], normal[3];
} TubeFrame;
/* Moves a frame on to a new place and tangent with the least turn about the tangent (double
 * reflection). */
void tube_frame_advance(TubeFrame *frame, const double pos[3], const double tangent[3]);

/* Which vertices a surface is drawn with; made once. */
typedef struct SurfacePlan {
    int32_t *points; /* of each vertex: its point, from 0 within the surface */
    int32_t *smooth; /* of each vertex: the one, not behind it, whose normal it has */
    int32_t *parts;  /* of each vertex: the subsystem of its triangles */
    int vertex_count;
    uint32_t *indices;
    int index_count;
} SurfacePlan;
/* False where there is no memory. */
bool surface_plan(SurfacePlan *plan, const TnSceneSurface *surface,
                  const int32_t *point_subsystems);
void surface_plan_free(SurfacePlan *plan);
/* Adds the surface with smooth normals and a colour per vertex; `points` and `levels`, which may be
 * NULL, are the surface's. */
bool surface_add(SoftMesh *mesh, const SurfacePlan *plan, const float *points, const float *levels,
                 const uint16_t (*colors)[4], uint32_t id);

#endif
