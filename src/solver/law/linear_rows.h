/* linear_rows.h: a bond as rows over z = (v_a, v_b), for those who go row by row:
 *
 *     hard   J z + e = 0,    λ = Jᵀμ
 *     soft   Lᵀz + μ = 0,    λ = L μ - f,    K = L Lᵀ */
#ifndef TN_SOLVER_LAW_LINEAR_ROWS_H
#define TN_SOLVER_LAW_LINEAR_ROWS_H

#include "../problem.h"

typedef struct TnBondRows {
    int count;
    double J[12][12]; /* rows of J or of Lᵀ, zero on the world */
    double lever[12]; /* m/s per unit of such a row's velocity */
    int pivot[12];    /* of soft ones: L is a triangle on these numbers of z */
} TnBondRows;

void tn_bond_rows(const TnBond *bond, TnBondRows *out);
/* μ from the bond's λ, and λ from μ (NULL: zero). */
void tn_bond_rows_start(const TnBond *bond, const TnBondRows *rows, double *mu);
void tn_bond_rows_put(TnBond *bond, const TnBondRows *rows, const double *mu);
/* u = J z + e, or Lᵀz. */
void tn_bond_rows_velocity(const TnBond *bond, const TnBondRows *rows, const double z[12],
                           double *u);
/* With u + slack μ = 0 the law, and M what a force does to u: μ where that holds if only this bond
 * moves, from μ and its u; inverse = (M + slack)⁻¹. */
static inline double tn_bond_rows_slack(const TnBond *bond) { return bond->hard ? 0.0 : 1.0; }
void tn_bond_rows_step(int count, double slack, const double *inverse, const double *u, double *mu);
/* Of soft ones: c with L c = x on the pivots. */
void tn_bond_rows_solve(const TnBondRows *rows, const double x[12], double *c);

/* out = M⁻¹ on as many rows and columns as are independent, zero elsewhere; n × n, symmetric, n up
 * to 12. */
void tn_small_inverse(int n, const double *M, double *out);

#endif
