/* mesh.h: what the passes of a compile share about meshes. */
#ifndef TN_MODEL_MESH_H
#define TN_MODEL_MESH_H

#include "hull.h"
#include "inertia.h"

typedef enum TnMeshMassStatus {
    TN_MESH_MASS_GOOD,
    TN_MESH_MASS_NONE,     /* no volume or area */
    TN_MESH_MASS_NEGATIVE, /* triangles look inward */
    TN_MESH_MASS_TWISTED   /* some do */
} TnMeshMassStatus;

/* Of density 1 (kg/m³, or kg/m² for a shell), in the mesh's axes (mesh_mass.c). */
TnMeshMassStatus tn_mesh_mass(TnMeshInertia mode, const double *vertices, const int32_t *triangles,
                              int triangle_count, TnMassProperties *out);

/* A mesh while it is compiled. The hull is there only where nothing is wrong with the mesh. */
typedef struct TnMeshScratch {
    TnHullTriangles triangles;
    TnHull hull;
    TnHull *pieces; /* heap; where it collides in pieces */
    int piece_count;
    bool twisted;  /* exact inertia was asked for, but triangles disagree on their outside */
    bool flat;     /* no hull, for drawing alone; of the hull only the bounds are set */
    bool has_mass; /* computed for the first geom that asks */
    TnMeshMassStatus mass_status;
    TnMassProperties mass;
} TnMeshScratch;

#endif
