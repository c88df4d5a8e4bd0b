/* chain_condense.h: a chain with some of its nodes eliminated for good: the Schur complement of A
 * on the nodes that are kept, which is a chain again.
 *
 *     S = A_kk - A_ke A_ee⁻¹ A_ek
 *
 * A run of eliminated nodes between two kept ones becomes an edge; one that dangles from a kept
 * node goes into its block. Kept at any rate are nodes with more than two neighbours, nodes of
 * other than six unknowns, and their neighbours. */
#ifndef TN_MATH_CHAIN_CONDENSE_H
#define TN_MATH_CHAIN_CONDENSE_H

#include "chain.h"

/* The nodes between two kept ones, or behind one, from `to` on. */
typedef struct TnCondensedRun {
    int first, count; /* in nodes[] and edges[] of the condensed chain */
    int to, from;     /* kept nodes; from -1: dangles */
    int last_edge;    /* between the last node and `from`: an edge of the full chain */
    int edge;         /* the edge that the run becomes */
} TnCondensedRun;

typedef struct TnCondensed {
    TnChain chain; /* of the kept nodes, in their order */
    const TnChain *full;
    int *place;         /* node -> kept node; negative: eliminated */
    int *kept;          /* kept node -> node */
    int *source;        /* per edge of `chain`: the edge that it was; -1: a run */
    int *nodes, *edges; /* of the runs: nodes, and the edge that leads there from `to` */
    TnCondensedRun *runs;
    int run_count;
} TnCondensed;

/* Marks what must be kept besides; returns how many nodes are marked then. */
int tn_condense_mark(const TnChain *chain, bool *keep);
/* Plans a chain of the `count` marked nodes, all from the arena. False: no memory. */
bool tn_condense_plan(TnCondensed *condensed, TnArena *arena, const TnChain *chain,
                      const bool *keep, int count);
/* S from A, laid out as condensed->chain says. False where A is not positive definite. */
bool tn_condense(const TnCondensed *condensed, const double *D, const double *E, double *S_D,
                 double *S_E);

#endif
