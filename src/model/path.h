/* path.h: lengths that depend on the configuration, of tendons and of what actuators act on, with
 * their gradients.
 *
 * The rate of a length is the sum of pulls, linear · (velocity of a link's point) + angular · (the
 * link's angular velocity), and of moments, coef · q̇. A force F along the path acts as F · linear
 * at these points, with the torques F · angular, and as F · coef on these dofs. */
#ifndef TN_MODEL_PATH_H
#define TN_MODEL_PATH_H

#include "../base/arena.h"
#include "frame.h"
#include "model.h"

/* The receiver of the gradient. Points are in the world; the fixed world is left out. */
typedef struct TnPathVisitor {
    void (*pull)(void *context, int link, const double point[3], const double linear[3],
                 const double angular[3]);
    void (*moment)(void *context, int dof, double coef);
    void *context;
} TnPathVisitor;

/* The length at a configuration; its gradient goes to the visitor, NULL: none. */
double tn_path_walk(const TnModel *model, const TnPath *path, const double *qpos,
                    const TnLinkFrame *frames, const TnPathVisitor *visitor);
/* The length, and in *rate its rate with these velocities (twists per link at the coms, world
 * axes). */
double tn_path_rate(const TnModel *model, const TnPath *path, const double *qpos,
                    const double *qvel, const TnLinkFrame *frames, const double (*twists)[6],
                    double *rate);
/* A gradient that is kept: pulls and moments in the order of a walk. */
typedef struct TnPathPull {
    int link;
    double point[3], linear[3], angular[3];
} TnPathPull;
typedef struct TnPathGradient {
    int pull_count, moment_count;
    TnPathPull *pulls;
    TnMoment *moments; /* without qpos */
} TnPathGradient;
/* With room for a path's. False: no memory. */
bool tn_path_gradient_reserve(const TnPath *path, TnArena *arena, TnPathGradient *out);
/* The length; its gradient into `out`. */
double tn_path_record(const TnModel *model, const TnPath *path, const double *qpos,
                      const TnLinkFrame *frames, TnPathGradient *out);
void tn_path_replay(const TnPathGradient *gradient, const TnPathVisitor *visitor);
/* Rate of the length with other velocities at the same place. */
double tn_path_rate_of(const TnPathGradient *gradient, const double *qvel,
                       const TnLinkFrame *frames, const double (*twists)[6]);
/* The points that a spatial tendon runs through, for drawing, branch by branch, the arcs in pieces:
 * always as many. Of one branch (0 …): how many; 0: there is no such branch. */
int tn_path_branch(const TnPath *path, int branch);
/* All of them; returns how many. */
int tn_path_trace(const TnModel *model, const TnPath *path, const TnLinkFrame *frames,
                  double (*points)[3]);

/* ---- wrap.c ---- */

/* A tendon around a sphere or an infinite cylinder (along z), in its axes. */
typedef struct TnWrap {
    double on[2][3]; /* where it arrives at the surface and where it leaves */
    double length;   /* of the arc between them */
    double axis[3];  /* the arc turns by `angle` about this */
    double angle;
} TnWrap;
/* From a to b, side NULL: the shorter way. False: it is not in the way. */
bool tn_wrap(bool cylinder, double radius, const double a[3], const double b[3], const double *side,
             TnWrap *out);

#endif
