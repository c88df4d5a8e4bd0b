/* trial.h (internal): laws of a problem at some forces: linear.h. */
#ifndef TN_DERIVE_TRIAL_H
#define TN_DERIVE_TRIAL_H

#include "linear.h"

/* Where a law is asked: its numbers of the problem at hand. */
typedef struct TnLawPoint {
    const TnProblem *p;
    const TnSmoothing *smooth;
    int index; /* of the contact, row or bond there */
    const double *u, *lambda;
    double normal_force; /* of the contact that bounds a row, */
} TnLawPoint;

/* Forces and velocities in a problem that has the same laws. */
typedef struct TnTrial {
    TnProblem *p;
    const TnLinear *linear;
    const int *place; /* per law: index of its contact, row or bond there; -1: gone */
    TnVelocities v;
    TnPerConstraint lambda, u;
    TnBondRows *bonds; /* per bond */
    double *mu;        /* 12 per bond, */
    double *nu;        /* and its velocities */
} TnTrial;

/* ---- laws.c ---- */
double tn_law_mu(const TnProblem *p, int contact);
void tn_law_split(const double n[3], const double x[3], double *normal, double tangent[3]);
/* A box that has both ends. */
bool tn_law_is_box(const TnRow *row);
/* A direction in which nothing yields bears no force. */
double tn_law_unit_if_dead(double D);
/* F of a law, and what changes of u and λ do to it. */
void tn_law_contact_residual(const TnLinearLaw *law, const TnLawPoint *at, double *out);
void tn_law_contact_slope(const TnLinearLaw *law, const TnLawPoint *at, const double *du,
                          const double *dl, double *out);
void tn_law_row_residual(const TnLinearLaw *law, const TnLawPoint *at, double *out);
void tn_law_row_slope(const TnLinearLaw *law, const TnLawPoint *at, double normal_change,
                      const double *du, const double *dl, double *out);

/* ---- trial.c ---- */
/* All zero but for the bonds' forces; from the problem's arena. False: no memory. */
bool tn_trial_reserve(TnTrial *t, TnProblem *p, const TnLinear *linear);
/* u and v of the forces. */
void tn_trial_respond(TnTrial *t);
double *tn_trial_force(const TnTrial *t, TnLawKind kind, int index);
const double *tn_trial_velocity(const TnTrial *t, TnLawKind kind, int index);
TnLawPoint tn_trial_point(const TnTrial *t, const TnLinearLaw *law, int index);
/* F of all laws, without what they are off by at the solution, where constraints contradict each
 * other; once the response is known. */
void tn_trial_residual(const TnTrial *t, double *F);
/* Forces lessened by M⁻¹ F, which is given. */
void tn_trial_lessen(const TnTrial *t, const double *way);

/* ---- matrix.c ---- */
/* W, by the response to one force after the other. False: no memory. */
bool tn_linear_note_response(TnLinear *linear, TnProblem *p);
/* M at the forces of a trial, factored. False: no memory. */
bool tn_linear_note_matrix(TnLinear *linear, const TnTrial *solution);
/* x ← the solution with as many zeros as there are dependent columns; what contradicts itself in x
 * is left out. */
void tn_linear_solve(const TnLinear *linear, double *x, double *scratch);
double tn_linear_largest(int n, const double *x);

/* ---- classes.c ---- */
/* Laws of a solution that bear forces, and those near to another class. False: no memory. */
bool tn_linear_note_laws(TnLinear *linear, const TnCompliances *D, const TnTrial *t);
bool tn_linear_note_switches(TnLinear *linear, const TnWorld *world, const TnCompliances *D,
                             const TnTrial *t);

/* ---- smoothed.c ---- */
/* Forces of a solution, and what its laws are off by. False: no memory. */
bool tn_linear_note_solution(TnLinear *linear, const TnTrial *t);
/* The trial's forces become those of smoothed laws; else linear->why. False: no memory. */
bool tn_linear_find_smoothed(TnLinear *linear, TnTrial *t);

/* ---- linear.c ---- */
void *tn_linear_room(TnLinear *linear, int which, size_t bytes); /* NULL: no memory */

#endif
