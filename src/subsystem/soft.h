/* soft.h: soft bodies over one step: from the elements of the division's pieces
 * (model/division/division.h) and the trees that carry them to one linear system per mesh block,
 * and from v̂ back to nodes.
 *
 * A carried node moves with its tree's link, v = T q̇, T (3 × dofs) taken in the middle of the
 * predicted displacement as in assembled.h, and is substituted: the tie is exact and not iterated.
 */
#ifndef TN_DYNAMICS_SOFT_H
#define TN_DYNAMICS_SOFT_H

#include "../base/pool.h"
#include "../model/division/division.h"
#include "dynamics.h"

/* Elements of all pieces, made once per world (fem/). */
typedef struct TnSoftElements TnSoftElements;
TnSoftElements *tn_soft_elements_create(const TnModel *model, const TnDivision *division,
                                        TnError *err);
void tn_soft_elements_destroy(TnSoftElements *elements);

/* A node that follows a tree's link over the step, carried or not. */
typedef struct TnSoftHoldMotion {
    double *T;       /* 3 × dofs of its tree, row-major; NULL: no tree holds it */
    double start[3]; /* the velocity that its inertia counts from: T q̇ - θt Ṫ q̇ */
} TnSoftHoldMotion;

/* Of one soft body. */
typedef struct TnSoftSystem {
    double w;                /* share of v⁺ in the displacement t((1-w) v̂ + w v⁺) */
    bool pressed;            /* by contacts in the last step */
    bool alone;              /* nothing pushes, holds or ties it: in free flight */
    bool smooth;             /* it moves as it did in the last step, as far as is known */
    bool searched;           /* `expected` is what a pass found */
    int passes;              /* so far in the step */
    double far;              /* how far elements deform in the step, in lengths of them */
    double late;             /* 0 … 1: how far what they do is beyond what the step resolves */
    struct TnSoftStep *step; /* of the last assembly (soft/elements.h) */
    double *expected;        /* 3 · node_count: v̂ as it is predicted */
    double *way;             /* 3 · node_count: where that leads, as a velocity over the step */
    double *end; /* 3 · node_count: where the elements are taken, at that end or a little behind */
    TnSoftHoldMotion *holds; /* per hold of the body */
} TnSoftSystem;

/* Of one mesh block. */
typedef struct TnMeshSystem {
    double (*blocks)[9]; /* of A as math/sparse/sparse_cholesky.h has them: nodes, then the block's
                            edges */
    double *b;           /* 3 · node_count of the block */
} TnMeshSystem;

typedef struct TnSoftInput {
    const TnDynamicsInput *in;
    const TnSystems *systems;
    TnSoftElements *elements; /* its scratch is written to */
    const double *last;       /* v̂ of the last step, whole-model */
    const double *forces;     /* on dofs of soft bodies, whole-model; NULL: none */
    TnArena *arena;
    TnPool *pool; /* NULL: one thread */
} TnSoftInput;

/* First in a step, before collision: `expected` of every body, and v⁺ of the nodes as it is
 * predicted into end_qvel (whole-model; only dofs of soft bodies are written). False: no memory. */
bool tn_soft_predict(const TnSoftInput *input, double *end_qvel);
/* After collision: softs[].w and alone are set by the caller, w = 1 where the body may be pushed. A
 * body that needs more takes more. */
void tn_soft_decide(const TnSoftInput *input, int soft);
/* Then: A and b of all mesh blocks. False: no memory. */
bool tn_soft_assemble(const TnSoftInput *input);
/* v̂ of all nodes of a soft body from those of the blocks; block_v as [large block] -> its unknowns.
 */
void tn_soft_velocity(const TnSoftInput *input, int soft, double *const *block_v, double *vhat);
/* How far its elements end from where they were taken, in units of what is let go. Above 1 v̂, or
 * what is on the way there and better than the last, is expected: for the next tn_soft_assemble. 0:
 * no more passes help. */
double tn_soft_expect(const TnSoftInput *input, int soft, const double *vhat);
/* qpos and qvel of the soft body's nodes, which move by `reach` of their way and are strained by
 * `strain` of that. */
void tn_soft_advance(const TnSoftInput *input, int soft, const double *vhat, double reach,
                     double strain, double *qpos, double *qvel);
/* After a step, of nodes that are carried: the force that holds each of them, 3 numbers per hold of
 * the soft body; those of other holds stay. v̂ and what pushes from outside: 3 numbers per node. */
void tn_soft_hold_forces(const TnSoftElements *elements, const TnSystems *systems, int soft,
                         const double *vhat, const double *outside, double *forces);
/* Puts followers where their links are, pinned nodes to their rest: qpos and qvel. */
void tn_soft_place_held(const TnModel *model, const TnDivision *division, const TnLinkFrame *frames,
                        const double (*twists)[6], double *qpos, double *qvel);
double tn_soft_energy(const TnSoftElements *elements, const TnModel *model, int soft,
                      const double *qpos); /* elastic, J */
/* The same of all soft bodies that are awake, zero of others; the pool's threads share it. */
void tn_soft_energies(const TnSoftElements *elements, const TnModel *model, const double *qpos,
                      const int32_t *asleep, double *out, TnPool *pool);
/* Per element: xx yy zz xy xz yz of Cauchy's stress, Pa; and von Mises'. NULL skips one. */
void tn_soft_stress(const TnSoftElements *elements, const TnModel *model, int soft,
                    const double *qpos, double *stress, double *von_mises);

#endif
