/* bending.h: a sheet's bending.
 *
 * With x the map from the sheet at rest into space, and D = E h³/(12 (1-ν²)),
 *     energy = ½ D ∫ (1-ν) |∇²x|² + ν |Δx|²
 * which is Kirchhoff's for deformations that stretch little: there ∇²x = κ n, with the curvature κ.
 * It is quadratic in x, and so its matrix is constant, C ⊗ 1 with one number per pair of nodes.
 *
 * ∇²x of a triangle comes from the jumps j of the slope across its edges e, with unit normals n_e
 * and the heights h of the two triangles over the edge:
 *     ∇²x = Σ_e 2/(h + h') j_e n_e n_eᵀ
 * (the mean slope at an edge in E. Oñate, F. Zárate, "Rotation-free triangular plate and shell
 * elements", Int. J. Numer. Meth. Engng 47 (2000)). Nothing bends about an edge of the border: the
 * energy is least with respect to that part.
 *
 * Where the sheet is not flat at rest, neighbours count unfolded into the plane of the triangle,
 * and ∇²x of the rest shape, turned along with the triangle, is what it is free of stress at. */
#ifndef TN_DYNAMICS_FEM_BENDING_H
#define TN_DYNAMICS_FEM_BENDING_H

#include "../../../base/base.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct TnBendingDef {
    int node_count, triangle_count;
    const double *rest;    /* m, 3 per node */
    const int32_t *tets;   /* a b c c */
    const int32_t *across; /* 3 per triangle, -1: none */
    double rigidity;       /* N m: D */
    double nu;
} TnBendingDef;

/* A triangle that is bent at rest. */
typedef struct TnBentTriangle {
    int node[6];         /* corners, then those across; -1: none */
    double moment[6][3]; /* N/m: what each node is pulled by, in the triangle's axes */
} TnBentTriangle;

typedef struct TnBending {
    int node_count;
    int *row_start; /* node_count + 1 */
    int *column;    /* <= row, ascending */
    double *value;  /* N/m: C */
    int bent_count; /* 0: it is flat at rest */
    TnBentTriangle *bent;
    double energy; /* J: at rest, to be taken off */
} TnBending;

/* NULL: no memory. */
TnBending *tn_bending_create(const TnBendingDef *def);
void tn_bending_destroy(TnBending *bending); /* NULL is fine */

/* f += share · force(x) + C y. */
void tn_bending_add(const TnBending *b, const double (*x)[4], const double (*y)[4], double share,
                    double (*f)[4]);
double tn_bending_energy(const TnBending *b, const double (*x)[4]); /* J */

#endif
