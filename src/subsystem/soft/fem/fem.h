/* fem.h: soft bodies of linear tetrahedra: rest shape, forces, energy, mass. Internal to
 * subsystem/.
 *
 * An element with corners x_0..x_3 has the deformation gradient F = Σ x_a g_aᵀ, g_a the gradients
 * of its shape functions at rest (g_1..g_3 the rows of D⁻¹, D the matrix of edges X_a - X_0, and
 * g_0 = -g_1 - g_2 - g_3). With volume V and energy density ψ(F), P = ∂ψ/∂F:
 *     energy V ψ,   force on corner a  f_a = -V P g_a,   stiffness block  K_ab = V g_a·(∂P/∂F)·g_b
 * K is made positive semidefinite in both laws (corotational.c, neo_hookean.c), symmetric always.
 * What is here in plain C serves energy and stress; a step's forces and stiffness come from
 * kernels/.
 *
 * A membrane's element is a triangle a b c c. Its g_a lie in its plane and have two numbers, in
 * axes of its own; g_3 = 0; V is its area times the thickness.
 *
 * Elements lie in batches of eight (structure of arrays; `[8]` is a lane); the last batch is filled
 * up with copies of volume zero, which are computed and never added. Everything is added in the
 * order of the elements. Node vectors are x y z per node; blocks 3 × 3 row-major. */
#ifndef TN_DYNAMICS_FEM_FEM_H
#define TN_DYNAMICS_FEM_FEM_H

#include "../../../base/base.h"
#include "polar.h"

#include <stdbool.h>
#include <stdlib.h>

/* The last one is that of sheets, kernels/membrane_lanes.h. */
typedef enum TnFemLaw { TN_FEM_COROTATIONAL, TN_FEM_NEO_HOOKEAN, TN_FEM_MEMBRANE } TnFemLaw;

typedef struct TnFemMaterial {
    TnFemLaw law;
    double E;              /* Pa */
    double nu;             /* -1 < ν < ½ */
    double density;        /* kg/m³ */
    double damp_mass;      /* 1/s: α of the Rayleigh damping α M + β K */
    double damp_stiffness; /* s: β */
    bool mean_dilatation;  /* volume changes count by patches (patch.c): no locking near ν = ½ */
    double thickness;      /* m, of a membrane */
    bool slack;            /* a membrane without forces */
    double lambda, mu;     /* Pa; Lamé's (a membrane's: of plane stress), tn_fem_mesh_create fills
                              them */
} TnFemMaterial;

typedef struct TnFemMeshDef {
    int node_count, tet_count;
    const double *rest; /* m, 3 per node */
    const int *tets;    /* 4 nodes each, (X_1 - X_0) × (X_2 - X_0) · (X_3 - X_0) > 0 */
    const int
        *patches; /* of each tet, from 0 without gaps; NULL: chosen. For mean_dilatation only */
    TnFemMaterial material;
} TnFemMeshDef;

typedef struct TnFemBatch {
    _Alignas(64) TnFemMatrix inverse; /* 1/m: D⁻¹, whose rows are g_1..g_3 */
    double volume[TN_FEM_LANES];      /* m³; 0 fills up */
    int node[4][TN_FEM_LANES];
    int patch[TN_FEM_LANES];
    int slot[4][TN_FEM_LANES]; /* of the node among its patch's nodes */
    int count;                 /* lanes in use */
} TnFemBatch;

typedef struct TnFemMesh {
    int node_count, tet_count, batch_count;
    TnFemMaterial material;
    TnFemBatch *batches;
    int patch_count;      /* 0 without mean_dilatation */
    int *patch_start;     /* patch_count + 1, into patch_node */
    int *patch_node;      /* ascending in each patch */
    double *patch_volume; /* m³ */
} TnFemMesh;

/* NULL and an error for bad numbers, bad indices, flat or inverted elements, no memory. */
TnFemMesh *tn_fem_mesh_create(const TnFemMeshDef *def, TnError *err);
void tn_fem_mesh_destroy(TnFemMesh *mesh); /* NULL is fine */

/* ---- where the elements are ---- */

typedef struct TnFemPlace { /* of a batch */
    TnFemMatrix F;
    TnPolar polar;
    double
        dilatation[TN_FEM_LANES]; /* s_0 + s_1 + s_2 - 3, that of the patch with mean_dilatation */
} TnFemPlace;

/* Doubles of scratch, called `patches` below; 0 (NULL will do) without mean_dilatation. */
int tn_fem_scratch_count(const TnFemMesh *mesh);
/* One place per batch. */
void tn_fem_place(const TnFemMesh *mesh, const double *x, TnFemPlace *places, double *patches);
/* Its last part: the patches' dilatation. */
void tn_fem_place_patches(const TnFemMesh *mesh, TnFemPlace *places, double *patches);

/* ---- the matrix ---- */

/* The pattern of K: rows of blocks, columns ascending; only columns <= row if `lower`. */
typedef struct TnFemPattern {
    int row_count, block_count;
    int *row_start; /* row_count + 1 */
    int *column;
} TnFemPattern;
TnStatus tn_fem_pattern_create(const TnFemMesh *mesh, bool lower, TnFemPattern *out, TnError *err);
void tn_fem_pattern_destroy(TnFemPattern *pattern);

/* ---- what they do: each adds to the caller's arrays ---- */

/* Elastic forces [N]; returns the energy [J]. f may be NULL. */
double tn_fem_add_forces(const TnFemMesh *mesh, const TnFemPlace *places, double *f);
/* kg per node. */
void tn_fem_add_lumped_mass(const TnFemMesh *mesh, double *mass);

#endif
