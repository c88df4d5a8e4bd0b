/* polar.h: rotations and singular values of 3×3 matrices, eight at a time.
 *
 *     F = U diag(s) Vᵀ,   R = U Vᵀ,   U and V proper rotations,   s_0 >= s_1 >= |s_2|
 *
 * s_2 has the sign of det F. So R is the nearest proper rotation for every F: the polar factor
 * where det F > 0, and its continuation through flat elements (det F = 0) to inverted ones. It is
 * unique as long as s_1 + s_2 > 0; elsewhere (squeezed to a line or a point, or inverted by half)
 * one of the nearest rotations is chosen, the same for the same F, and 1 for F = 0.
 *
 * Layout: structure of arrays; entry (i, j) of lane l is M[3 i + j][l]. */
#ifndef TN_DYNAMICS_FEM_POLAR_H
#define TN_DYNAMICS_FEM_POLAR_H

enum { TN_FEM_LANES = 8 };

typedef double TnFemMatrix[9][TN_FEM_LANES];

typedef struct TnPolar {
    TnFemMatrix U, V, R;
    double s[3][TN_FEM_LANES];
} TnPolar;

/* Each lane gets the bits that it would get among any other lanes. F is finite, and only read (C17
 * takes no array of arrays for one of constants). */
void tn_polar(TnFemMatrix F, TnPolar *out);
/* One matrix, row-major. U, V and s may be NULL. */
void tn_polar_one(const double F[9], double R[9], double U[9], double s[3], double V[9]);

#endif
