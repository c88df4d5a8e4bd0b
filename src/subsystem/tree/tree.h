/* tree.h: one articulated tree with its own scratch. Internal to articulated/.
 *
 * All links share world axes and one reference point `origin`, so that spatial vectors and inertias
 * of different links add without transforms: motion (v_O, ω), force (f, n_O), inertia (m, h =
 * m(c-O), I_O). Here frames, S, qpos and velocities all count from the subsystem's first link, dof
 * or entry. */
#ifndef TN_DYNAMICS_TREE_H
#define TN_DYNAMICS_TREE_H

#include "../../model/joint_motion.h"
#include "../dynamics.h"

/* Rigid-body inertia about `origin`, world axes: mass, first moment, second moment (xx yy zz xy xz
 * yz). */
typedef struct TnSpatialInertia {
    double m, h[3], I[6];
} TnSpatialInertia;

typedef double TnAxis[6];        /* a motion axis */
typedef double TnLinkMotion[18]; /* of a link: velocity, acceleration, force */

typedef struct TnTree {
    const TnModel *model;
    const TnSubsystem *sub;
    int n, link_count;
    const TnLink *links;   /* of the subsystem */
    const int *dof_parent; /* of the subsystem's dofs; values are model dofs */
    const int *dof_couple; /* the same with tendons: for the factor */
    const TnLinkFrame *frames;
    const double *origin;
    const double (*S)[6];
    const int *run; /* n, for the factor only: tn_tree_runs */
} TnTree;

static inline TnTree tn_tree(const TnModel *model, const TnSubsystem *sub,
                             const TnLinkFrame *frames, const double *origin, const double (*S)[6])
{
    return (TnTree){model,
                    sub,
                    sub->dof_count,
                    sub->link_count,
                    model->links + sub->link_start,
                    model->dof_parent + sub->dof_start,
                    model->dof_couple + sub->dof_start,
                    frames,
                    origin,
                    S,
                    NULL};
}

/* The dof before d on the way to the root, in subsystem indices; negative at the root. */
static inline int tn_tree_parent(const TnTree *tree, int d)
{
    return tree->dof_parent[d] - tree->sub->dof_start;
}

/* The same on the way that the factor walks: wherever a tendon joins two dofs, one lies above the
 * other. */
static inline int tn_tree_couple(const TnTree *tree, int d)
{
    return tree->dof_couple[d] - tree->sub->dof_start;
}

/* A tendon over this tree's joints that has inertia. */
static inline bool tn_tree_has_rotor(const TnTree *tree, const TnTendon *tendon)
{
    return tendon->armature > 0.0 && tendon->subsystem == tree->sub - tree->model->subsystems;
}

/* Frames and motion axes at q, from the root on. Of trees whose joints all are single hinges and
 * slides on what is fixed or free, the frames' quaternions are left as they are. */
void tn_tree_forward(const TnTree *tree, const double *q, TnLinkFrame *frames, double (*S)[6]);
/* The links' own inertias about the origin. */
void tn_tree_inertias(const TnTree *tree, TnSpatialInertia *inertia);
/* M from the links' own inertias, which become composite ones. */
void tn_tree_compose(const TnTree *tree, TnSpatialInertia *inertia, double *M);
/* Inverse dynamics at this joint acceleration, NULL: zero; wrench (model-wide or NULL) is
 * subtracted. work: link_count × 18 numbers. */
void tn_tree_newton_euler(const TnTree *tree, const TnSpatialInertia *inertia, const double *v,
                          const double *acceleration, const double (*wrench)[6], double (*work)[18],
                          double *bias);

/* q ⊕ h·v over the subsystem's own entries. */
void tn_tree_move(const TnModel *model, const TnSubsystem *sub, const double *q, const double *v,
                  double h, double *out);

/* A = Lᵀ D L, eliminating from the leaves, so that L keeps the sparsity of the tree and its
 * tendons. D on the diagonal, unit L below it. The upper triangle is neither read nor written.
 * False: not positive definite or not finite. run (n numbers): first dof of the unbroken run of
 * consecutive dofs towards the root that ends in each dof. */
void tn_tree_runs(const TnTree *tree, int *run);
/* Copies what the factor reads. */
void tn_tree_copy(const TnTree *tree, const double *A, double *L);
bool tn_tree_factor(const TnTree *tree, double *A);
void tn_tree_solve(const TnTree *tree, const double *L, double *x);
/* (A⁻¹)_dd from the factor; y: n numbers of scratch. */
double tn_tree_compliance(const TnTree *tree, const double *L, int d, double *y);
/* cᵀ A⁻¹ c of a tendon or an actuator. */
double tn_tree_compliance_along(const TnTree *tree, const double *L, const TnMoment *moments,
                                int count, double *y);

/* tn_tree_assemble in one step, however fast the tree is. */
bool tn_tree_assemble_once(const TnDynamicsInput *in, const TnSubsystem *sub,
                           const TnLinkFrame *frames, TnArena *scratch, TnTreeSystem *out);

#endif
