/* derive.h (internal): derivatives of a step.
 *
 * Steps are taken by copies of the world, so that the world itself is only read. A column is one
 * coordinate of the state, one control or one parameter; evaluating it is a step of a copy from the
 * world's state with that one number changed. */
#ifndef TN_DERIVE_DERIVE_H
#define TN_DERIVE_DERIVE_H

#include <tenon/derivatives.h>

#include "../base/pool.h"
#include "../step/step.h"
#include "../world/own.h"

/* A world that takes steps in place of the user's; and its parameters as they are. */
typedef struct TnLinear TnLinear; /* linear.h */
typedef struct TnClosed TnClosed; /* closed.h */

typedef struct TnCopy {
    TnWorld *world;
    TnStepReport report;    /* of its last step */
    const TnLinear *linear; /* what its steps are linear about, where they are */
    TnInstead instead;
    bool broken; /* its parameters are not the world's any more, for want of memory */
    void *parts[TN_OWN_COUNT];
    double total_mass;
    TnOption option;
    double *about;               /* dof_count: v̂ that its pass is about (linear.c) */
    double *low, *high;          /* new states, tn_place_size numbers */
    double *way;                 /* state and controls */
    double *one, *two, *tangent; /* state_count */
} TnCopy;

/* A column: what is changed. */
typedef enum TnColumnKind {
    TN_BY_QPOS,
    TN_BY_QVEL,
    TN_BY_ACT,
    TN_BY_CTRL,
    TN_BY_PARAMETER
} TnColumnKind;
typedef struct TnColumnOf {
    TnColumnKind kind;
    int index;
} TnColumnOf;

/* Of a column's largest number or of 1: both sides of a smooth step differ by about h times its
 * second derivative. Of gravity × timestep: a law that is off by less from its next class is at a
 * kink. */
#define TN_KINK 1e-3

struct TnDerivatives {
    const TnWorld *of;
    TnDerivativeDef def;
    TnParameter *parameters;
    unsigned version; /* of the world when the copies were made */
    int copy_count;
    TnCopy *copies;
    TnPool *pool;
    /* the start of all steps */
    void *start;
    size_t start_capacity;
    double *ctrl;
    /* new states of the step as it is, tn_place_size numbers; and as linear laws have it */
    double *here, *linear_here;
    TnLinear *linear;
    TnLinear *first; /* of the pass before, of a step with two, */
    bool has_first;  /* which it was */
    bool is_linear;  /* that is used */
    TnClosed *closed;
    bool is_closed; /* columns of state and controls are there */
    bool noted;     /* what parameters are for trees */
    /* results */
    int state_count, ctrl_count, column_count;
    double *A, *B, *P, *kinks;
    uint8_t *columns;
    int implicit_count, closed_count, difference_count, none_count, kink_count;
    const char *why;
};

/* ---- tangent.c ---- */
/* Numbers of a state: qpos, qvel, act, one after the other. */
static inline int tn_place_size(const TnModel *model)
{
    return model->qpos_count + model->dof_count + model->act_count;
}
/* One coordinate of the tangent at qpos, `by` of it, in place. */
void tn_tangent_nudge(const TnModel *model, int dof, double by, double *qpos);
/* to ⊖ from, of all of the state. */
void tn_place_difference(const TnModel *model, const double *from, const double *to, double *out);

/* ---- parameters.c ---- */
/* Says what is wrong with it, as number `index` of a list. */
TnStatus tn_parameter_check(const TnModel *model, const TnParameter *p, int index, TnError *err);
double tn_parameter_get(const TnModel *model, const TnParameter *p);
TnStatus tn_parameter_set(TnWorld *world, const TnParameter *p, double value, TnError *err);
/* It has no negative values: at zero only one side is there. */
bool tn_parameter_is_one_sided(TnParameterKind kind);
/* What a change of it is a share of. */
double tn_parameter_scale(const TnModel *model, const TnParameter *p);
/* All parameters of a copy, and back to them bit by bit after one was set. False: no memory. */
bool tn_copy_note_parameters(TnCopy *copy);
bool tn_copy_reset_parameters(TnCopy *copy, const TnParameter *p);

/* ---- copies.c ---- */
/* Copies for all threads that are those of the world as it is now. False: no memory, or no world
 * for it (*err). */
bool tn_copies_update(TnDerivatives *d, TnError *err);
void tn_copies_destroy(TnDerivatives *d);
/* The world's state becomes the start of all steps to come. False: no memory. */
bool tn_start_note(TnDerivatives *d);
/* A step of the copy from there, with one number of a column changed by so much (NULL: none). The
 * new state goes to `out`. False: it was rejected. */
bool tn_copy_take(const TnDerivatives *d, TnCopy *copy, const TnColumnOf *column, double by,
                  double *out);

/* The same along a way in the tangent of the state, and of the controls. */
bool tn_copy_take_along(const TnDerivatives *d, TnCopy *copy, const double *way, double *out);

/* ---- differences.c ---- */
/* Whole steps along one direction agree with the implicit columns. */
bool tn_differences_agree(const TnDerivatives *d, TnCopy *copy);
TnColumnOf tn_column_of(const TnDerivatives *d, int column);
/* One column, by a copy. */
void tn_differences(TnDerivatives *d, TnCopy *copy, int column);

#endif
