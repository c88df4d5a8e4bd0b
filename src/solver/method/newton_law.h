/* newton_law.h: the laws of all constraints, softened by 1/R about given forces, and their
 * derivatives. */
#ifndef TN_SOLVER_NEWTON_LAW_H
#define TN_SOLVER_NEWTON_LAW_H

#include "../natural_map.h"

/* R of Newton's steps, and how it falls where one does not gain; newton.c has the reasons. */
#define TN_LESS_STIFF 100.0 /* R is divided by it */
#define TN_FADE 0.02
#define TN_FADE_NEAR_REST 3e-4

typedef struct TnLaws {
    const TnProblem *problem;
    const TnCompliances *D;
    double R;
    double reach;              /* t = λ_c - reach u/D: R, or 1 for the natural map's own */
    TnPerConstraint centre;    /* λ_c, where the laws are softened about */
    TnPerConstraint force;     /* λ(u) */
    TnPerConstraint trial;     /* scratch of tn_laws_slope */
    double (*bound)[TN_LANES]; /* per contact, in batches: μ t_n⁺ at the last tn_laws_at */
    double *row_bound;         /* per row: μ λ_n */
    /* λ(u) ≈ a - G u */
    TnPerConstraint a;
    TnGains G;
    double (*state)[TN_LANES]; /* per contact, in batches: 0 open, 1 held, 2 slips */
    /* the same per row; open: at the lower bound, slipping: at the upper */
    unsigned char *row_state;
    bool moved; /* by the last tn_laws_at: one of these changed, or something slips */
} TnLaws;

/* R, reach and centre are the caller's to set. False: no memory. */
bool tn_laws_alloc(const TnProblem *problem, const TnCompliances *D, TnLaws *out);
/* force, bound, a and G at u. */
void tn_laws_at(TnLaws *laws, const TnPerConstraint *u);
/* force alone. */
void tn_laws_force(TnLaws *laws, const TnPerConstraint *u);
/* Σ direction · λ(u), with the bounds of friction as they were at the last tn_laws_at: the slope of
 * a convex function along the direction. */
double tn_laws_slope(TnLaws *laws, const TnPerConstraint *u, const TnPerConstraint *direction);
/* out = a - G u, of any lines and of these. */
void tn_lines_force(const TnProblem *problem, const TnPerConstraint *a, const TnGains *G,
                    const TnPerConstraint *u, TnPerConstraint *out);
void tn_laws_linear(const TnLaws *laws, const TnPerConstraint *u, TnPerConstraint *out);
/* Contacts' a lessened by a share: as if softened about forces that much smaller, in the same
 * classes. */
void tn_laws_fade(TnLaws *laws, double share);
/* The same a and G but symmetric: friction at its bound does not follow the normal force. */
void tn_laws_unfollow(TnLaws *laws);

#endif
