/* step_slopes.h: how a tree's part of a step follows the state and its actuators' inputs, in closed
 * form. For derive/.
 *
 * Columns: n of q in the coordinates of v, n of v, one per actuator of the tree, in the model's
 * order of them, and one per parameter. */
#ifndef TN_DYNAMICS_STEP_SLOPES_H
#define TN_DYNAMICS_STEP_SLOPES_H

#include "../dynamics.h"

/* A number of the model. */
typedef enum TnChangeKind {
    TN_CHANGE_GRAVITY,  /* its index-th number */
    TN_CHANGE_LINK,     /* index: of the model's */
    TN_CHANGE_ARMATURE, /* of a joint, as are the next three */
    TN_CHANGE_STIFFNESS,
    TN_CHANGE_SPRING_REF,
    TN_CHANGE_DAMPING,
    TN_CHANGE_GAIN, /* of an actuator */
    TN_CHANGE_BIAS, /* its first number */
    TN_CHANGE_ELSE  /* what no tree has */
} TnChangeKind;
typedef struct TnNumber {
    TnChangeKind kind;
    int index;
    /* of a link: what the number does to its mass, and to its first and second moments about the
     * origin of its frame, in its axes: xx yy zz xy xz yz */
    double mass, first[3], second[6];
} TnNumber;

typedef struct TnTreeStepSlopes {
    int n, columns;
    double *L;      /* n × n: factor of A (tn_tree_step_divide), */
    int *run;       /* and how it is walked */
    double *v_free; /* n × columns */
    double *A;      /* n × columns: of A (v̂ - v_free), both vectors fixed. NULL: v̂ is v_free */
    double *work;   /* columns: of the work of actuators less what damping took, v̂ fixed; */
    double *work_by_v; /* n: and by v̂ */
    bool weighs;       /* how late springs and dampers act follows masses, and them, too */
    double *w;         /* 2 n: of the share of v⁺ in the way that its forces are written for, by q
                          and v; NULL: it stays */
    bool follows;      /* and it goes that way */
} TnTreeStepSlopes;

/* What a joint's turning does to a displacement h·v from there: at q ⊕ h v a turn of q is one by
 * `turn`, and a change of h v one by `change`. Of hinges and slides both are 1. */
typedef struct TnTurned {
    double turn[9], change[9];
} TnTurned;
void tn_cayley_slopes(const double way[3], TnTurned *out);

/* Of a tree that was assembled with this input, which `settles`, and moves by v̂. *why: what it has
 * that is not in closed form; else NULL. False: no memory, or not positive definite. */
bool tn_tree_step_slopes(const TnDynamicsInput *in, const TnSubsystem *sub,
                         const TnLinkFrame *frames, const TnTreeSystem *system, const double *vhat,
                         const TnNumber *numbers, int count, TnArena *arena, TnTreeStepSlopes *out,
                         const char **why);
/* x ← A⁻¹ x */
void tn_tree_step_divide(const TnModel *model, const TnSubsystem *sub,
                         const TnTreeStepSlopes *slopes, double *x);
/* The column of this number is right: it is none of this tree's, or of a kind that is in closed
 * form. */
bool tn_tree_has(const TnModel *model, const TnSubsystem *sub, const TnTreeStepSlopes *slopes,
                 const TnNumber *number);
/* What a number of it does to its energy at a state, and to the kinetic alone. False: no memory. */
bool tn_tree_number_energy(const TnModel *model, const TnSubsystem *sub, const TnNumber *number,
                           const double *qpos, const double *qvel, const double origin[3],
                           TnArena *arena, double *energy, double *kinetic);
/* Of the energy at a state, kinetic, potential and elastic, by q and by v: n numbers each; and of
 * the kinetic alone by q. False: no memory. */
bool tn_tree_state_slopes(const TnModel *model, const TnSubsystem *sub, const double *qpos,
                          const double *qvel, const double origin[3], TnArena *arena, double *by_q,
                          double *by_v, double *kinetic_by_q);

#endif
