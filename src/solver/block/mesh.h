/* mesh.h: what a mesh block keeps. mesh.c has the equations.
 *
 * The kept nodes K are the touched ones, in rising order; vectors "on K" have three numbers for
 * each, `size` in all, and zeros up to `stride`, a multiple of eight. Matrices on K are
 * column-major with `stride` numbers per column. */
#ifndef TN_SOLVER_BLOCK_MESH_H
#define TN_SOLVER_BLOCK_MESH_H

#include "block.h"

typedef struct TnMeshBlock {
    const TnSparsePattern *pattern;
    const double (*blocks)[9]; /* A */
    TnMeshMemory *memory;
    int node_count;
    /* mesh_nodes.c */
    int kept_count, *kept; /* nodes */
    int *place;            /* per unknown of a kept node: where it is on K */
    int size;
    size_t stride;
    int *port_start; /* per port, and one more: its places in port_place */
    int *port_place; /* on K: of each node of a point port, of the first unknown of a span port */
    const TnSparse *plan;
    /* mesh.c */
    double *factor, *work; /* of A; scratch */
    double *y;             /* all unknowns in the order of elimination: b, eliminated */
    double *S, *S_inverse; /* the Schur complement of A on K; lower triangle: A⁻¹ there */
    double *H, *H_inverse; /* where S was: the factor of S + C; its inverse, if that is used */
    double *free, *v, *x;  /* on K: v_free, v and v - v_free; the block's g is on K, too */
    double *pull;          /* on K: -C v_free */
    double *swap;          /* on K: takes turns with x */
    double *column;        /* scratch: six vectors on K */
} TnMeshBlock;

static inline TnMeshBlock *tn_mesh_block(const TnLargeBlock *d) { return d->own; }

/* ---- mesh_nodes.c: kept nodes, plans and memory ---- */
bool tn_mesh_choose(TnProblem *problem, int block);
bool tn_mesh_plan(TnProblem *problem, int block);
bool tn_mesh_reserve(TnProblem *problem, int block);
bool tn_mesh_matrix(const TnLargeBlock *d, TnArena *arena, TnBlockMatrix *out);

/* ---- mesh_ports.c: J of a block's ports and rows on K ---- */
/* H += C, lower triangle */
void tn_mesh_add_stiffness(const TnProblem *problem, int block, double *H);
/* rhs += 2 Jᵀλ, g -= α Jᵀλ; port forces are taken from problem->F */
void tn_mesh_push(const TnProblem *problem, int block, double alpha, double *rhs, double *g);
/* The ports' twists at v, and g += scale · C v. */
void tn_mesh_spread(TnProblem *problem, int block, const double *v, double scale, double *g);
void tn_mesh_port_compliances(TnProblem *problem, int block);
double tn_mesh_side_compliance(const TnProblem *problem, const TnLargeBlock *block,
                               const TnRowSide *side);

#endif
