/* constraint_error.h: how far one constraint is from its law, in velocities, defined once for the
 * step's own accuracy (metrics.c) and for whoever brings a solution (accuracy.c).
 *
 * With u = J v + e, λ turned into a velocity by the local compliance D = J A⁻¹ Jᵀ of its own rows
 * (contacts: D_n, and D_t the mean of the tangents') and FB(a, b) = a + b - √(a² + b²), which is
 * zero exactly where 0 <= a ⟂ b >= 0:
 *
 *                      error                                           natural map
 *     contact          FB(u_n, D_n λ_n),                               D_n (λ_n - t_n⁺),
 *                      FB(|u_t|, D_t (μλ_n - |λ_t|)),                  D_t (λ_t - Π(t_t)),
 *                      | |u_t| λ_t + μλ_n u_t | D_t                    Π on the disc of μ t_n⁺
 *                        / (|u_t| + D_t μλ_n)
 *     equality         u                                               u
 *     inequality       min(u, Dλ)                                      min(u, Dλ)
 *     soft             J v + e/α + λ/(kα)                              D (λ - Π(t))
 *     box, spin, roll  D (λ - Π(t))                                    D (λ - Π(t))
 *
 * with t = λ - D⁻¹ u and Π as rows.c has it. Rows are in their own units here; whoever sums them up
 * or compares them multiplies by their levers (tn_row_lever). */
#ifndef TN_SOLVER_CONSTRAINT_ERROR_H
#define TN_SOLVER_CONSTRAINT_ERROR_H

/* Of a contact: a normal part, and a tangential one whose third number is zero where the axes are
 * the contact's own. */
typedef struct TnContactPair {
    double n, t[3];
} TnContactPair;

/* Sums of squares. */
double tn_contact_law_error(TnContactPair u, TnContactPair lambda, double mu, double Dn, double Dt);
/* A direction with D = 0 yields nothing: it bears no force and has no error. */
double tn_contact_law_map(TnContactPair u, TnContactPair lambda, double mu, double Dn, double Dt);
/* λ on the disc of `bound` (count 2) or the interval (count 1), the natural map and error alike. */
double tn_disc_law_map(int count, double bound, double D, const double *u, const double *lambda);

/* Of one row. A bound is an interval: (0, ∞) of an inequality. */
double tn_bound_law_map(double lower, double upper, double D, double u, double lambda);
double tn_soft_law_error(double k, double alpha, double e, double v, double lambda);
double tn_soft_law_map(double k, double alpha, double e, double D, double v, double lambda);

#endif
