/* chain.h: what a chain block keeps. chain.c has the equations. */
#ifndef TN_SOLVER_BLOCK_CHAIN_H
#define TN_SOLVER_BLOCK_CHAIN_H

#include "../../math/chain_condense.h"
#include "block.h"

/* Ports [begin, end), counted from port_start. Told: on nodes whose g t tells. */
typedef struct TnPortRun {
    int begin, end;
    bool told;
} TnPortRun;

/* Blocks lie as math/chain.h has them. */
typedef struct TnChainBlock {
    const TnChain *chain;
    double *D, *E;     /* A */
    double *A_D, *A_E; /* its factor */
    double *v_free;    /* A⁻¹ b */
    bool A_factored;   /* the factor and v_free came with the matrix */
    double *work;      /* all unknowns */
    /* chain_nodes.c */
    TnCondensed condensed; /* where it is iterated on fewer nodes */
    const TnChain *solved; /* the nodes iterated on: condensed.chain, or `chain` */
    const int *place;      /* node -> node of `solved`; NULL: the same */
    int *port_at;          /* start of each port that is a node; -1: one with T */
    int *port_place;       /* the same among the unknowns of `solved` */
    int wide_count, *wide; /* those with T, counted from port_start */
    TnSpan *others;        /* the nodes in the spans that are no port */
    int other_count;
    TnSpan *spans; /* unknowns of the nodes that have ports or rows, and some more */
    int span_count;
    TnSpan *states; /* chain_told.c: those whose g is no function of t, */
    int state_count;
    TnPortRun *runs; /* and the ports in runs of equal kind */
    int run_count;
    /* chain.c, on the nodes of `solved` */
    double *S_D, *S_E; /* A there */
    double *H_D, *H_E; /* factor of H = S + C */
    double *inverse;   /* diagonal blocks of A⁻¹, there or everywhere */
    bool inverse_of_all;
    double *x, *Sx; /* v - v_free, and S times that */
    double *pull;   /* all unknowns: -C v_free */
    double *C;      /* K of each port, 36 numbers each; in fours for a port without T */
} TnChainBlock;

static inline TnChainBlock *tn_chain_block(const TnLargeBlock *d) { return d->own; }

static inline const TnChainNode *tn_solved_node(const TnChainBlock *c, int node)
{
    return &c->solved->nodes[c->place ? c->place[node] : node];
}

/* ---- chain_nodes.c: A, and which of its nodes the iterations solve for ---- */
bool tn_chain_choose(TnProblem *problem, int block);
bool tn_chain_reserve(TnProblem *problem, int block);
const TnChain *tn_chain_nodes(const TnLargeBlock *d);
TnBlockPlace tn_chain_locate(const TnLargeBlock *d, int unknown);
void tn_chain_write_node(const TnLargeBlock *d, int node, double *S, double *v_free);
const double *tn_chain_edge_block(const TnLargeBlock *d, int edge);
bool tn_chain_matrix(const TnLargeBlock *d, TnArena *arena, TnBlockMatrix *out);

/* ---- chain_told.c ---- */
bool tn_chain_find_told(TnProblem *problem, int block); /* false: no memory */
const TnSpan *tn_chain_state(const TnLargeBlock *d, int *count);

/* ---- chain_ports.c ---- */
void tn_chain_add_stiffness(TnProblem *problem, int block); /* H += C */
/* v = from + x where there are ports or rows; the ports' twists; g += scale · C v. */
void tn_chain_spread(const TnProblem *problem, int block, const double *from, double *v,
                     double scale, double *g);
/* F, x = pull + g + 2F and g ← (1-α) g - α F for the forces of ports with T, taken from problem->F,
 * and of rows; the kernel has done the other ports. */
void tn_chain_push(const TnProblem *problem, int block, double alpha);
/* y += (H - A - JᵀWJ) x: nothing but where H only bounds rows that reach too far. */
void tn_chain_add_slack(const TnProblem *problem, int block, const double *x, double *y);

#endif
