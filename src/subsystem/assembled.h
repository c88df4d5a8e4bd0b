/* assembled.h: chains of the division (model/division/division.h) as one linear system each, put
 * together from the matrices of rods and of the trees that hold them.
 *
 * A follower h moves with its holder's link, v_h = T q̇. Where it is carried its blocks and those of
 * its springs go to the tree's node: with v = S x, S = T for carried segments and 1 for the others,
 *     A ← Sᵀ A_rods S + A_trees,   b ← Sᵀ b_rods + b_trees,
 * and the tie is exact. T is taken in the middle of the predicted displacement, T_m. The segment's
 * inertia there is M (T_m (q̇̂ - q̇)/(θt) + Ṫ q̇): not what it has against the velocity v_h that it
 * starts with, which T_m sees shortened by a cosine; on an arm that turns this would be a friction
 * of first order. */
#ifndef TN_DYNAMICS_ASSEMBLED_H
#define TN_DYNAMICS_ASSEMBLED_H

#include "../model/division/division.h"
#include "dynamics.h"

/* Of one chain; from the arena. */
typedef struct TnChainSystem {
    double *D, *E, *b; /* math/chain.h; a rod's own where there is nothing but segments of it */
    double *factor_D, *factor_E; /* of A */
    double *v_free;              /* A⁻¹ b */
} TnChainSystem;

/* A segment that follows a link, over the step. */
typedef struct TnFollowerMotion {
    double *T;       /* 6 × dofs of its tree */
    double start[6]; /* the velocity that its inertia counts from: T q̇ - θt Ṫ q̇ */
} TnFollowerMotion;

/* Where a weld of a segment holds it, with its holder's link at this frame. */
void tn_held_frame(const TnEquality *weld, const TnLinkFrame *holder, double pos[3],
                   double quat[4]);
/* `last`: v̂ of the last step, whole-model. False: no memory. */
bool tn_follower_motion(const TnDynamicsInput *in, const TnSystems *systems, const double *last,
                        TnArena *arena);
/* The change that the followers' inertia makes to b of their rods. */
void tn_followers_start(const TnSystems *systems, const TnModel *model, TnRodSystem *rods, int rod);
/* Chains [begin, end): memory first, then the numbers, which threads may share. */
bool tn_chains_reserve(const TnDivision *division, TnArena *arena, TnChainSystem *chains);
bool tn_chains_assemble(const TnDynamicsInput *in, const TnSystems *systems, int begin, int end);

/* v̂ of all segments of a rod from those of the blocks; block_v as [large block] -> its unknowns. */
void tn_chains_rod_velocity(const TnModel *model, const TnSystems *systems, int rod,
                            double *const *block_v, double *v);
/* Puts followers where their holders are: qpos, qvel and their frames and twists, which are those
 * of the new state for the holders already. */
void tn_followers_place(const TnModel *model, const TnDivision *division, double *qpos,
                        double *qvel, TnLinkFrame *frames, double (*twists)[6]);

#endif
