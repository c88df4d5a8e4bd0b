/* masses.h: masses that move: their sums about a point, the rigid motion with the same momentum,
 * and velocities that are changed by rigid motions. */
#ifndef TN_ACCOUNT_MASSES_H
#define TN_ACCOUNT_MASSES_H

#include "energy.h"

/* About a point. h: first moment. */
typedef struct TnMassSums {
    double mass, h[3], P[3], L[3], I[9];
} TnMassSums;

/* Mass m at r that moves with v; r_of: where the same mass is for the moments of inertia, r of what
 * is in one place. */
void tn_masses_add_point(TnMassSums *sums, double m, const double r[3], const double v[3],
                         const double r_of[3]);
void tn_masses_add_link(TnMassSums *sums, const TnLink *link, const TnLinkFrame *frame,
                        const double twist[6], const double at[3]);

/* Velocity of the point `centre`, and turning. */
typedef struct TnRigidMotion {
    double centre[3], v[3], omega[3];
} TnRigidMotion;

/* From sums about `at` to the motion with the same momentum; L and I become those about the centre
 * of mass. False: there is no extent to turn. */
bool tn_masses_rigid_part(TnMassSums *sums, const double at[3], TnRigidMotion *out);

/* v ← scale (v - from) + to; NULL: none. */
typedef struct TnChange {
    double scale;
    const TnRigidMotion *from, *to;
} TnChange;

void tn_change_point(const TnChange *c, const double x[3], double v[3]);
/* A free joint: velocity of the body's origin, and turning in body axes. */
void tn_change_free(const TnChange *c, const TnLinkFrame *frame, double *v);

#endif
