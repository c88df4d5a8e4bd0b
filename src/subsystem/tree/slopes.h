/* slopes.h: derivatives of a tree's inverse dynamics and energy in closed form. Internal to
 * subsystem/. */
#ifndef TN_DYNAMICS_SLOPES_H
#define TN_DYNAMICS_SLOPES_H

#include "tree.h"

/* A dof as part of its joint: what it rides on, and how its own motion changes. Momenta and
 * inertias are those of all links behind it. */
typedef struct TnDofSlope {
    double U[6], z[3];       /* what its force is of accelerations, and of turning, behind it */
    double rides[6];         /* V × S: V of what it rides on */
    double follows[6];       /* what a change of q does to accelerations, but for V × rides */
    double doubled[6];       /* the same of a change of its rate */
    double by_q[6], by_v[6]; /* what both do to the wrench of all behind it */
    int group;               /* first dof of those that turn together */
} TnDofSlope;

/* Momentum and its change, per link and all behind it. */
typedef struct TnLinkSlope {
    double p[6], C[9];
} TnLinkSlope;

typedef struct TnTreeSlopes {
    TnDofSlope *dofs;
    TnLinkSlope *links;
    TnSpatialInertia *inertia; /* of each link and all behind it */
    double (*work)[18];        /* tn_tree_newton_euler */
} TnTreeSlopes;
/* Memory for them; false: there is none. */
bool tn_tree_slopes_reserve(const TnTree *tree, TnArena *arena, TnTreeSlopes *out);

/* Of inverse dynamics τ(q, v, a) at the tree's frames and axes, n × n, rows are forces: by turns of
 * q in the coordinates of v, and by v. τ itself goes to `force`. NULL: by_v is not wanted. gravity:
 * it acts. */
void tn_tree_slopes(const TnTree *tree, const TnTreeSlopes *memory, const double *v,
                    const double *a, bool gravity, double *force, double *by_q, double *by_v);
/* What a change of link i's inertia does to the forces, after tn_tree_slopes: added, `stride`
 * apart; and to the kinetic energy, after tn_tree_kinetic_slopes. */
void tn_tree_link_wrench(const TnTree *tree, const TnTreeSlopes *memory, int i,
                         const TnSpatialInertia *change, double *force, int stride);
double tn_tree_link_kinetic(const TnTreeSlopes *memory, int i, const TnSpatialInertia *change);
/* Of kinetic energy by q and by v, n numbers each; once memory->inertia has the links' own
 * inertias. */
void tn_tree_kinetic_slopes(const TnTree *tree, const TnTreeSlopes *memory, const double *v,
                            double *by_q, double *by_v);
/* Of gravity's energy by q; the same, and masses and first moments add up there. */
void tn_tree_height_slopes(const TnTree *tree, const TnTreeSlopes *memory, double *by_q);

#endif
