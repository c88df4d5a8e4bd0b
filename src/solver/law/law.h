/* law.h: the laws of constraints, each written down once, for all methods and all judgements.
 *
 *                      Π(t)                                              file
 *     contact          t_n⁺, then t_t on the disc of μ t_n⁺              contact.c
 *     equality         t                                                 scalar.c
 *     inequality       max(0, t)                                         scalar.c
 *     box              clamp(t, lower, upper)                            scalar.c
 *     soft             λ = -k (e + α v), v = J v at the new λ:           scalar.c
 *                      k (α w t + (α - 1) e) / (1 + w α k),  w = 1/B
 *     spin, roll       t on the interval or disc of μ λ_n, λ_n the       scalar.c
 *                      normal force of the row's contact
 *     bond             P t + c                                           linear.c, linear_weights.c
 *
 * A law has four sides:
 *   project   λ = Π(t) at a trial force t = λ - B u, u = J v + e, with weight B;
 *   line      λ(u) ≈ a - G u where it stands, for Newton's methods;
 *   error     how far u and λ are from it, a velocity: the natural map D (λ - Π(λ - u/D)), zero
 * where, and only where, the law holds (D the local compliance J A⁻¹ Jᵀ), and for accuracies
 *             another error where that is fairer:
 *
 *                 contact      FB(u_n, D_n λ_n), FB(|u_t|, D_t (μλ_n - |λ_t|)),
 *                              | |u_t| λ_t + μλ_n u_t | D_t / (|u_t| + D_t μλ_n)
 *                 soft         J v + e/α + λ/(kα)
 *                 soft bond    (C⁻¹ + K)⁻¹ (λ + f + K z), C the compliances of its two sides
 *
 *             with FB(a, b) = a + b - √(a² + b²), zero exactly where 0 <= a ⟂ b >= 0;
 *   weight    what a method that splits gives it, s/D, or the gain of a linear law.
 *
 * Rows are in their own units here; sums and comparisons multiply by their
 * levers (tn_row_lever). Contacts eight at a time are in math/kernels (kernels.h,
 * contact_kernels.h): the fast form of contact.c. */
#ifndef TN_SOLVER_LAW_LAW_H
#define TN_SOLVER_LAW_LAW_H

#include <math.h>
#include <string.h>

#include "../problem.h"

/* ---- discs ---- */

/* κ <= 1 with Π(t) = κ t. */
static inline double tn_disc_share(double length, double radius)
{
    return length > radius ? radius / length : 1.0;
}
/* By the forces of contacts `lambda`: μ λ_n of a spin or roll row. */
static inline double tn_disc_radius(const TnProblem *p, const TnRow *row, double (*lambda)[3])
{
    const double *l = lambda[row->contact], *n = p->normals[row->contact];
    double force = n[0] * l[0] + n[1] * l[1] + n[2] * l[2];
    return row->mu * (force > 0.0 ? force : 0.0);
}
/* Squared natural map of a rolling pair, D > 0. */
double tn_disc_map(double radius, double D, const double u[2], const double lambda[2]);

/* ---- rows ---- */

static inline bool tn_row_is_soft(const TnRow *row) { return row->set == TN_ROW_SOFT; }
/* λ >= 0 ⟂ u >= 0 */
static inline bool tn_row_is_one_sided(const TnRow *row) { return row->set == TN_ROW_INEQUALITY; }
/* Bounded by a contact's normal force. */
static inline bool tn_row_is_disc(const TnRow *row) { return row->set >= TN_ROW_SPIN; }
/* The second of a rolling pair, whose law is the first one's. */
static inline bool tn_row_is_second(const TnRow *row) { return row->set == TN_ROW_ROLL_PARTNER; }
/* How many rows obey one law together, where the first of them stands. */
static inline int tn_row_group(const TnRow *row) { return row->set == TN_ROW_ROLL ? 2 : 1; }
/* The radius, and 0 of rows that are no discs. */
static inline double tn_row_radius(const TnProblem *p, const TnRow *row, double (*lambda)[3])
{
    return tn_row_is_disc(row) ? tn_disc_radius(p, row, lambda) : 0.0;
}

typedef struct TnInterval {
    double lower, upper;
} TnInterval;
/* Where λ may be; of all but soft rows and rolling pairs. */
static inline TnInterval tn_row_interval(const TnRow *row, double radius)
{
    switch (row->set) {
    case TN_ROW_INEQUALITY:
        return (TnInterval){0.0, INFINITY};
    case TN_ROW_BOX:
        return (TnInterval){row->lower, row->upper};
    case TN_ROW_SPIN:
        return (TnInterval){-radius, radius};
    default:
        return (TnInterval){-INFINITY, INFINITY};
    }
}
static inline double tn_interval_project(TnInterval at, double t)
{
    double x = at.lower >= t ? at.lower : t;
    return at.upper <= x ? at.upper : x;
}

/* Of soft rows: λ at u = J v + e, and -dλ/du. */
static inline double tn_soft_force(const TnRow *row, double u)
{
    return -row->k * (row->e + row->alpha * (u - row->e));
}
static inline double tn_soft_gain(const TnRow *row) { return row->k * row->alpha; }

/* λ = Π(t) of a row or a rolling pair. B = 0: it moves nothing, and only a soft row has a force
 * then. Returns how much of a change of t λ follows: 1, at a bound 0, of a rolling pair κ. */
static inline double tn_row_project(const TnRow *row, double B, double radius, const double *t,
                                    double *lambda)
{
    if (row->set == TN_ROW_SOFT) {
        double w = 1.0 / B;
        lambda[0] = B > 0.0 ? row->k * (row->alpha * w * t[0] + (row->alpha - 1.0) * row->e) /
                                  (1.0 + w * row->alpha * row->k)
                            : -row->k * row->e;
        return 1.0;
    }
    if (row->set == TN_ROW_ROLL) {
        double share = B > 0.0 ? tn_disc_share(hypot(t[0], t[1]), radius) : 0.0;
        lambda[0] = share * t[0];
        lambda[1] = share * t[1];
        return share;
    }
    lambda[0] = B > 0.0 ? tn_interval_project(tn_row_interval(row, radius), t[0]) : 0.0;
    return lambda[0] == t[0] ? 1.0 : 0.0;
}

/* A law softened by 1/R about a force λ_c: λ(u) = Π(λ_c - reach u/D). Soft rows are what they are.
 */
typedef struct TnRowSoftening {
    double D, R, reach, radius;
} TnRowSoftening;
enum { TN_STATE_OPEN, TN_STATE_HELD, TN_STATE_SLIPS };
/* λ(u) of a row or a rolling pair. */
void tn_row_force(const TnRow *row, const TnRowSoftening *soft, const double *centre,
                  const double *u, double *force);
/* The same, and λ(u⁺) ≈ a - G u⁺. state: open at the lower bound, slipping at the upper one; of
 * soft rows and those that yield nothing it stays. Returns whether it changed, or friction is at
 * its bound. */
bool tn_row_line(const TnRow *row, const TnRowSoftening *soft, const double *centre,
                 const double *u, double *force, double *a, double *G, unsigned char *state);

/* Squared, of a row or a rolling pair. The map is zero where D is. */
double tn_row_map(const TnRow *row, double D, double radius, const double *u, const double *lambda);
double tn_row_error(const TnRow *row, double D, double radius, const double *u,
                    const double *lambda);
static inline double tn_weight(double D, double scale) { return D > 0.0 ? scale / D : 0.0; }
/* s/D with s = scale, times `equality` of equalities; the gain of soft rows. */
double tn_row_weight(const TnRow *row, double D, double scale, double equality);

/* ---- contacts ---- */

/* λ = Π(t) about a unit normal. */
static inline void tn_contact_project(const double n[3], double mu, const double t[3],
                                      double lambda[3])
{
    double tn = n[0] * t[0] + n[1] * t[1] + n[2] * t[2], force = tn > 0.0 ? tn : 0.0;
    double x = t[0] - tn * n[0], y = t[1] - tn * n[1], z = t[2] - tn * n[2];
    double share = tn_disc_share(sqrt(x * x + y * y + z * z), mu * force);
    lambda[0] = force * n[0] + share * x;
    lambda[1] = force * n[1] + share * y;
    lambda[2] = force * n[2] + share * z;
}
/* λ = (normal, two tangents) of a contact where the law holds if only this one moves: u there, W
 * its own part of J A⁻¹ Jᵀ and W⁻¹ (`regular`: there is one). */
void tn_contact_solve(const double W[9], const double inverse[9], bool regular, double mu,
                      const double u[3], double lambda[3]);
/* λ without what no direction that yields bears. */
void tn_contact_release(const double normal[3], double Dn, double Dt, double lambda[3]);
/* λ = Π(t) of eight contacts. */
void tn_contact_project_batch(const TnContactBatch *batch, double (*lambda)[3]);

/* A normal part, and a tangential one whose third number is zero where the axes are the contact's
 * own. */
typedef struct TnContactPair {
    double n, t[3];
} TnContactPair;
/* Of a vector in world axes. */
TnContactPair tn_contact_pair(const double normal[3], const double x[3]);
/* Sums of squares. A direction with D = 0 yields nothing: it bears no force and has no natural map.
 */
double tn_contact_error(TnContactPair u, TnContactPair lambda, double mu, double Dn, double Dt);
double tn_contact_map(TnContactPair u, TnContactPair lambda, double mu, double Dn, double Dt);

/* dλ = a - G du, where the residual D (λ - Π(λ - u/D)) would vanish if it were linear (contact.c).
 */
typedef struct TnContactLine {
    double a[3], G[9]; /* row-major */
    bool symmetric;
} TnContactLine;
/* Where the contact holds, dλ = -R (u + du)/D. */
TnContactLine tn_contact_line(const double normal[3], double Dn, double Dt, double mu,
                              const double u[3], const double lambda[3], double R);

/* ---- bonds: linear.c, linear_weights.c ---- */

/* y = diag(W) x */
static inline void tn_bond_weigh(double W[2][36], const double x[12], double y[12])
{
    double a[6] = {0}, b[6] = {0};
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 6; i++) {
            a[i] += W[0][6 * j + i] * x[j];
            b[i] += W[1][6 * j + i] * x[6 + j];
        }
    memcpy(y, a, sizeof a);
    memcpy(y + 6, b, sizeof b);
}
/* λ = P t + c */
static inline void tn_bond_project(const TnBond *bond, const double t[12], double lambda[12])
{
    double sum[12];
    for (int i = 0; i < 12; i++) sum[i] = bond->c[i];
    for (int j = 0; j < 12; j++)
        for (int i = 0; i < 12; i++) sum[i] += bond->P[12 * j + i] * t[j];
    for (int i = 0; i < 12; i++) lambda[i] = sum[i];
}
/* out += P λ: of a hard bond the part that is some Jᵀμ. */
void tn_bond_add_held(const TnBond *bond, const double lambda[12], double out[12]);
/* λ(z) = a - G z; of a hard bond softened by 1/R about `centre` (NULL: none). */
void tn_bond_line(const TnProblem *problem, const TnBond *bond, double R, const double *centre,
                  double a[12], double G[144]);
/* out = a - G z */
void tn_bond_force(const double a[12], const double G[144], const double z[12], double out[12]);
/* |twists of both sides|² of w r: a force r as a velocity, (m/s)². */
double tn_bond_squared_velocity(TnBond *bond, const double r[12]);
double tn_bond_map(TnBond *bond, const double z[12], const double lambda[12]); /* squared */
/* Sum of squares, and how many numbers they are of, which is added to *count. */
double tn_bond_error(const TnProblem *problem, const TnBond *bond, const double (*twist)[8],
                     int *count);
int tn_bond_numbers(const TnBond *bond); /* 12, or 6 with a side on the world */
/* Of a row of a hard bond: the bond's where it has angular velocities only, else 1. */
double tn_bond_row_lever(const TnBond *bond, int row);

bool tn_bond_prepare(TnProblem *problem, const TnSolverDef *def, int bond); /* W, w, P, c */
/* G of λ = a - G z: K of a soft bond, of a hard one scale · Jᵀ (J C Jᵀ)⁺ J, C the compliances of
 * its rows. */
void tn_bond_gain(const TnProblem *problem, const TnBond *bond, double scale, double G[144]);
/* (C⁻¹ + K)⁻¹ force: what an error in a soft bond's force is worth as a velocity. */
void tn_bond_soft_velocity(const TnProblem *problem, const TnBond *bond, const double force[12],
                           double velocity[12]);

/* ---- linear_rows.c: a bond as rows over z = (v_a, v_b), for methods that go row by row ----
 *
 *     hard   J z + e = 0,    λ = Jᵀμ
 *     soft   Lᵀz + μ = 0,    λ = L μ - f,    K = L Lᵀ */
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
