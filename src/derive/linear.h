/* linear.h (internal): a step whose laws are linear about the solution of another.
 *
 * The solution of a step has classes: contacts that are open, hold or slip, joints at limits or
 * not. Within them its equations are
 *
 *     F(λ, u) = 0,   u = J A⁻¹ (b + Jᵀλ) + e,
 *
 * a residual per force. A step from a state nearby has other A, b, J and e, which it assembles as
 * any step does; its forces are λ - M⁻¹ F with M = dF/dλ of the solution, factored once. What it
 * does with v̂ and λ then is that of any step, too. So columns contain all that a step does, and no
 * error of an iteration. */
#ifndef TN_DERIVE_LINEAR_H
#define TN_DERIVE_LINEAR_H

#include "../solver/law/law.h"
#include "../solver/natural_map.h"
#include "derive.h"

typedef enum TnLawKind { TN_LAW_CONTACT, TN_LAW_ROW, TN_LAW_PAIR, TN_LAW_BOND } TnLawKind;
typedef enum TnLawClass {
    TN_CLASS_HELD,  /* u = 0; of soft rows and bonds: they are linear */
    TN_CLASS_SLIPS, /* at its bound */
    TN_CLASS_SMOOTH
} TnLawClass;

/* A law with forces that are not always zero, in the problem of the solution. */
typedef struct TnLinearLaw {
    TnLawKind kind;
    TnLawClass class;
    int index;                   /* of the contact, row or bond */
    int first, count;            /* of its forces */
    bool bears;                  /* of contacts: with laws as they are */
    double side;                 /* of a row at a bound: which */
    double D[2];                 /* compliances: normal and tangents; of others the first */
    double scale;                /* unknowns are scale · λ */
    double lambda[12], left[12]; /* at the solution, of bonds μ; and its residual */
} TnLinearLaw;

/* What names a constraint in any step: a contact by its geoms and feature, a row by its slot or by
 * its contact, too. */
typedef struct TnLinearKey {
    int32_t slot, a, b;
    uint32_t feature;
} TnLinearKey;

/* Of smoothed laws, m/s: λ_n = (√(u_n² + 4 near²) - u_n) / 2 give, λ_t = -μ λ_n u_t / √(|u_t|² +
 * slow²) with give a share of the contact's compliance. slow 0: laws are as they are. */
typedef struct TnSmoothing {
    double slow, near, give;
} TnSmoothing;

#define TN_LINEAR_LISTS 8
struct TnLinear {
    const char *why; /* it cannot be used; "": it can */
    TnSmoothing smooth;
    double still; /* m/s: what slips no faster is held */
    int bond_count, law_count, n;
    TnLinearKey *contacts, *rows;
    TnLinearLaw *laws;
    double *W;        /* n × n: what unknowns do to the laws' velocities */
    double *M, *head; /* dF by unknowns, n × n by columns, factored */
    int *order, rank;
    double condition;            /* of it: the first pivot over the last */
    double error, contradiction; /* as in the step's report */
    /* what the last solution was about: shares of v⁺ as planned, v̂ of a pass before it, what was
     * assembled again since the first one; and v̂ of the step */
    double *blend, *about, *vhat;
    bool *assembled, has_about, has_assembled;
    /* constraints contradict each other, which the solver settles by a rule of its own, or passes
     * were taken: columns are to be compared with whole steps */
    bool doubtful;
    bool one_pass; /* loops were solved once more, about what was found first */
    TnSwitch *switches;
    int switch_count;
    void *memory[TN_LINEAR_LISTS];
    size_t room[TN_LINEAR_LISTS];
};

/* After a copy has taken the step as it is: its laws. linear->why says if they cannot be had.
 * False: no memory. */
bool tn_linear_note(const TnDerivatives *d, TnLinear *linear, TnCopy *copy);
TnLinear *tn_linear_create(const TnModel *model); /* NULL: no memory */
void tn_linear_destroy(TnLinear *linear);
/* The step that this copy takes next will be noted; not any more. */
void tn_linear_watch(TnLinear *linear, TnCopy *copy);
void tn_linear_unwatch(TnCopy *copy);
/* tn_copy_take, linear about the solution. */
bool tn_linear_take(const TnDerivatives *d, TnCopy *copy, const TnColumnOf *column, double by,
                    double *out);
/* Steps of this copy are linear about the solution from now on; or as they are. */
void tn_linear_begin(TnCopy *copy);
void tn_linear_end(TnCopy *copy);

#endif
