/* problem.h: what a solver sees: blocks, ports, contacts and rows, and nothing of what they stand
 * for.
 *
 *     A_i v_i = b_i + Σ_j J_ijᵀ λ_j,      (Σ_i J_ij v_i + e_j, λ_j) ∈ set_j
 *
 * Blocks come in kinds (block/block.h):
 *   twist  six unknowns, a twist (linear, angular) at a reference point, A = diag(a I, S); eight to
 *          a batch;
 *   dense  any size, a full matrix A; unit, the same with A = I;
 *   chain  nodes of any size whose blocks in A form a forest (math/chain.h);
 *   mesh   nodes of three unknowns on a graph (math/sparse/sparse_cholesky.h).
 * All but the first are the large blocks. A port is a twist that depends linearly on a large block,
 * T v: the place where point constraints meet it.
 *
 * Contacts act between two rows of the twist table (row 0: the fixed world, 1 … twist_count: the
 * twist blocks, then the ports) at points given by their arms; math/kernels/kernels.h has their
 * layout. Bonds are linear laws between the twists of two rows of the table (law/linear.c). All
 * other constraints are scalar rows over the unknowns of up to TN_MAX_SIDES blocks. Everything lies
 * in one arena and lives for one solve. */
#ifndef TN_SOLVER_PROBLEM_H
#define TN_SOLVER_PROBLEM_H

#include <tenon/ranks.h>
#include <tenon/solver.h>

#include "../base/arena.h"
#include "../base/pool.h"
#include "../base/rounding.h"
#include "../math/chain.h"
#include "../math/kernels/contact_kernels.h"
#include "../math/kernels/kernels.h"
#include "../math/sparse/sparse_cholesky.h"
#include "thresholds.h"

typedef enum TnRowSet {
    TN_ROW_EQUALITY,
    TN_ROW_INEQUALITY,
    TN_ROW_SOFT,
    TN_ROW_BOX,
    TN_ROW_SPIN, /* |λ| <= mu · normal force of `contact` */
    TN_ROW_ROLL, /* with the next row, a TN_ROW_ROLL_PARTNER on the same blocks: |(λ, λ')| <= mu ·
                    normal force of `contact` */
    TN_ROW_ROLL_PARTNER
} TnRowSet;

typedef struct TnRowSide {
    int block;        /* 0 … twist_count-1: a twist block; twist_count + d: large block d */
    int row;          /* the row it belongs to */
    int start, count; /* entries in index[] and coefficient[]: J over the block's own unknowns */
    double beta;      /* weight of this side, written by prepare */
    int pieces;       /* written by prepare for a side on a chain: 1, or by how many pieces
                         block/chain_ports.c bounds a side that fits neither a node nor an edge */
} TnRowSide;

typedef struct TnRow {
    TnRowSet set;
    int side_start, side_count;
    int contact; /* spin and roll: the contact whose normal force bounds it */
    double e;
    double k, alpha;     /* soft */
    double lower, upper; /* box */
    double mu;           /* spin, roll, m */
    double scale;        /* of its weights; 0 stands for 1 */
    double lever;        /* m/s per unit of J v, to judge it by; 0 stands for 1 */
    double B;            /* 1 / Σ 1/β, written by prepare */
    double t, lambda;    /* λ is the starting guess before a solve and the result after it */
    double change;       /* residual in the last measured iteration */
} TnRow;

/* Nothing but judgements mixes rows of different units; they multiply by this first. */
static inline double tn_row_lever(const TnRow *row) { return row->lever > 0.0 ? row->lever : 1.0; }

/* A linear law between two rows of the twist table, z = (v_a, v_b), each linear xyz, angular xyz; λ
 * is the pair of wrenches on them. Half of z is zero and gets no force where a row is the fixed
 * world. The rows must differ. See law/linear.c. */
typedef struct TnBond {
    int row_a, row_b;
    int hard;                  /* rows of J; 0: soft */
    double K[144], f[12];      /* soft: λ = -(f + K z), K symmetric positive semidefinite */
    double J[72], e[6];        /* hard: J z + e = 0, λ = Jᵀμ; `hard` rows of 12 */
    double lever;              /* m: what its angular velocities are judged by; 0 stands for 1 */
    double lambda[12];         /* starting guess, then result */
    double t[12];              /* from here on written by prepare and the loop */
    double W[2][36], w[2][36]; /* weights of the sides and their inverses */
    double P[144], c[12];      /* λ = P t + c; P by columns */
    double change;             /* squared residual in the last measured iteration */
} TnBond;

static inline double tn_bond_lever(const TnBond *bond)
{
    return bond->lever > 0.0 ? bond->lever : 1.0;
}

/* |twists of both sides|², (m/s)² */
static inline double tn_bond_squared(const TnBond *bond, const double twists[12])
{
    double linear = 0.0, angular = 0.0, lever = tn_bond_lever(bond);
    for (int k = 0; k < 12; k++) *(k % 6 < 3 ? &linear : &angular) += twists[k] * twists[k];
    return linear + lever * lever * angular;
}

typedef struct TnBlockKind TnBlockKind;   /* block/block.h */
typedef struct TnMeshMemory TnMeshMemory; /* block/mesh_nodes.c */

typedef struct TnLargeBlock {
    const TnBlockKind *kind;
    void *own; /* what the kind keeps; only read in block/ */
    int dim;
    int offset; /* of its unknowns among those of all large blocks */
    int port_start, port_count;
    double *b, *v, *g, *F; /* g of a mesh is on its kept nodes, and F is not used */
    const double *v_free;  /* A⁻¹ b where the caller has it; NULL: not known */
    double filled;         /* A = I: share of J Jᵀ that is not zero; 0: not known */
    bool ports_known;      /* compliances of its ports stand from an earlier prepare */
    /* written by prepare */
    int solved;   /* unknowns that the iterations solve for, and the weights and metrics look at */
    int joined;   /* of them those that elimination left in one full matrix; 0: none */
    double flops; /* of the elimination; 0: none to speak of */
} TnLargeBlock;

typedef struct TnPort {
    int block;        /* large block */
    int start, count; /* of its unknowns: those that the port's twist depends on */
    double *T;        /* 6 × count, rows linear xyz, angular xyz; NULL: the identity, count 6, or a
                         point, count 0. Of a chain's or a mesh's port it is the caller's and only
                         read. */
    int node_count;   /* of a point: its velocity is Σ M_i v_i over these nodes of a mesh */
    const int *nodes;
    const double (*M)[9];
    bool linear;           /* the angular rows of T are zero */
    double scale;          /* of the weights of its contacts, 1 unless set otherwise */
    double compliance[36]; /* T A⁻¹ Tᵀ, written by prepare */
} TnPort;

typedef struct TnAnderson TnAnderson; /* anderson.h */

typedef struct TnProblem {
    /* sizes */
    int twist_count, twist_batches;
    int large_count, port_count, table_rows; /* 1 + 8·twist_batches + port_count */
    int contact_count, contact_batches;
    int row_count, side_count, entry_count;
    int port_row; /* first port's row in the twist table */
    /* blocks */
    TnTwistBatch *twist_batch;
    TnLargeBlock *large;
    TnPort *ports;
    double (*twist)[8]; /* velocities: starting guess, then result */
    /* contacts */
    TnContactBatch *contact_batch;
    double (*lambda)[3]; /* starting guess, then result */
    double (*memory)[3]; /* forces of the step before: what compliant contacts are centred on */
    TnContactGive *give; /* per batch; NULL: contacts are rigid (compliant.c) */
    double (*yield)[2];  /* of compliant contacts C, m/s per N: normal, tangents; 0: rigid */
    double (*normals)[4];
    double (*beta)[4]; /* per contact (βn, βt) of side a and of side b, written by prepare */
    /* rows; `sides` in row order, `block_sides` the same sides grouped by block */
    TnRow *rows;
    TnRowSide *sides;
    int *index;
    double *coefficient;
    int *block_side_start, *block_sides; /* twist_count + large_count + 1; side_count */
    /* bonds; `bond_sides` has 2·bond + side, grouped by table row (NULL without bonds) */
    int bond_count;
    TnBond *bonds;
    int32_t *bond_side_start, *bond_sides;
    bool bonds_on_twists;
    bool H_known;        /* of dense blocks alone: weights and H stand from an earlier prepare */
    bool spins;          /* there are spin or roll rows */
    bool rows_on_twists; /* some row touches a twist block */
    bool exact;          /* nothing was linearized: rows that contradict each other mean it
                            (small/small_told.c) */
    /* written by prepare */
    TnSides contact_sides;
    const TnSideColumns *columns; /* of twist blocks, while few contacts are iterated; else NULL */
    int32_t *side_start, *side_mid, *side_contact;
    double (*side_arm)[3];
    double (*K)[TN_SYM6]; /* per table row: JᵀWJ of its contacts and bonds */
    double (*F)[8];       /* per table row: scratch forces */
    double (*extra)[8];   /* per table row: forces of scalar rows and bonds on twist blocks; NULL
                             where   there are none */
    double (*inverse)[8]; /* per twist block: 1/a, then S⁻¹ (xx xy xz yy yz zz) */
    double *residual;     /* per contact batch */
    /* One weight per block, set when H is prepared; bonds take them, those of contacts and rows are
     * set already. NULL: weights.c has them all. */
    double *block_beta;
    TnAnderson *anderson; /* NULL: not accelerated */
    /* Of each contact 2λ + y as it is where one side alone moves; NULL: not needed
     * (block/chain_told.c). z is this while SubADMM iterates. */
    double (*z_memory)[3], (*z)[3];
    const TnKernels *kernels;
    TnArena *arena;
    const TnRanks *ranks;  /* all of them have this problem and solve it together; NULL: alone */
    struct TnParts *parts; /* while they iterate (parts.h), this is where forces are; else NULL */
} TnProblem;

typedef struct TnProblemSize {
    int twists, larges, ports, contacts, rows, sides, entries, bonds;
} TnProblemSize;

/* Takes all memory from the arena and clears it. False: no memory. Large blocks get theirs by
 * tn_problem_set_dense, tn_problem_set_chain or tn_problem_set_mesh, in order. */
bool tn_problem_init(TnProblem *problem, TnArena *arena, TnProblemSize size);
/* The same on several threads. */
bool tn_problem_init_shared(TnProblem *problem, TnArena *arena, TnProblemSize size, TnPool *pool);
void tn_problem_set_twist(TnProblem *problem, int block, double a, const double S[9],
                          const double b[6], const double v0[6]);
/* Allocates A, b, v (the caller fills them) and the rest. False: no memory. */
bool tn_problem_set_dense(TnProblem *problem, int block, int dim, int port_start, int port_count);
double *tn_problem_dense_A(const TnProblem *problem, int block); /* dim × dim */
/* The same with the caller's A, which lives as long as the problem and is only read. */
bool tn_problem_set_dense_A(TnProblem *problem, int block, int dim, const double *A, int port_start,
                            int port_count);
/* The same with the caller's A and its Cholesky factor, which are only read; for many solves. */
bool tn_problem_set_factored(TnProblem *problem, int block, int dim, const double *A,
                             const double *factor, int port_start, int port_count);
/* The same with A = I; ports are linear ones over first unknowns, and so are rows. */
bool tn_problem_set_unit(TnProblem *problem, int block, int dim, double filled, int port_start,
                         int port_count);
/* A and b of a chain, the caller's; they live as long as the problem and are only read. */
typedef struct TnChainMatrix {
    double *D, *E, *b;
    /* factor of A and A⁻¹ b where the caller has them; NULL: made by prepare */
    double *factor_D, *factor_E, *v_free;
} TnChainMatrix;
/* Allocates v (the caller fills it) and the rest. False: no memory. */
bool tn_problem_set_chain(TnProblem *problem, int block, const TnChain *chain, TnChainMatrix matrix,
                          int port_start, int port_count);
/* A and b of a mesh, the caller's; they live as long as the problem and are only read. */
typedef struct TnMeshMatrix {
    const TnSparsePattern *pattern;
    const double (*blocks)[9];
    double *b;
    TnMeshMemory *memory; /* the mesh's own; outlives the problem */
} TnMeshMatrix;
/* Of one mesh, for its lifetime: the last plan, which serves as long as the touched nodes stay the
 * same. */
TnMeshMemory *tn_mesh_memory_create(void); /* NULL: no memory */
void tn_mesh_memory_destroy(TnMeshMemory *memory);
bool tn_mesh_memory_lacked(const TnMeshMemory *memory); /* there was none for the last plan */
/* Allocates v (the caller fills it) and the rest. False: no memory. */
bool tn_problem_set_mesh(TnProblem *problem, int block, int node_count, TnMeshMatrix matrix,
                         int port_start, int port_count);
/* A port of a mesh that is a point: its velocity is Σ M_i v_i over `count` nodes (distinct), M
 * 3 × 3 row-major; the angular half of its twist is zero. Both arrays are kept by reference. */
void tn_problem_set_point_port(TnProblem *problem, int port, int block, int count, const int *nodes,
                               const double (*M)[9]);
/* A port of a mesh over consecutive unknowns (a robot's): T, 6 × count and row-major, is kept by
 * reference. */
void tn_problem_set_span_port(TnProblem *problem, int port, int block, int start, int count,
                              const double *T);
bool tn_problem_set_port(TnProblem *problem, int port, int block); /* dense; allocates T */
/* Of a dense block, over its first `count` unknowns only and with no angular half: allocates T. */
bool tn_problem_set_linear_port(TnProblem *problem, int port, int block, int count);
/* A port on one node of a chain. T, 6 × the node's dim and row-major, is kept by reference; NULL:
 * the identity. False: no T for a node of other than six unknowns. */
bool tn_problem_set_node_port(TnProblem *problem, int port, int block, int node, const double *T);
void tn_problem_set_contact(TnProblem *problem, int contact, int row_a, int row_b,
                            const double arm_a[3], const double arm_b[3], const double normal[3],
                            const double e[3], double mu, const double lambda[3]);
/* t, where an iteration of SubADMM starts from, is λ. */
void tn_problem_start_at_lambda(TnProblem *problem);
void tn_problem_contact_lambda(const TnProblem *problem, int contact, double lambda[3]);
void tn_problem_twist(const TnProblem *problem, int block, double v[6]);

/* Side lists, weights, factors: everything that one solve's iterations share. The starting guess (v
 * and λ) must be set. False: no memory, or a matrix that is not positive definite. */
bool tn_problem_prepare(TnProblem *problem, const TnSolverDef *def, TnPool *pool);
/* Its two halves: side lists, factors of A and compliances; then weights and factors of H. Each may
 * be done again. */
bool tn_problem_prepare_A(TnProblem *problem, TnPool *pool);
bool tn_problem_prepare_H(TnProblem *problem, const TnSolverDef *def, TnPool *pool);
/* Of the latter the end: H for the weights there are, g for v and λ. */
bool tn_problem_factor_H(TnProblem *problem, TnPool *pool);
/* Of a twist block, after the first half: A⁻¹ x as a row of the table. */
static inline void tn_twist_solve(const TnProblem *p, int block, const double x[6], double v[8])
{
    const double *inverse = p->inverse[block];
    for (int i = 0; i < 3; i++) v[i] = inverse[0] * x[i];
    v[4] = inverse[1] * x[3] + inverse[2] * x[4] + inverse[3] * x[5];
    v[5] = inverse[2] * x[3] + inverse[4] * x[4] + inverse[5] * x[5];
    v[6] = inverse[3] * x[3] + inverse[5] * x[4] + inverse[6] * x[5];
}

/* Pieces of prepare, one file each. */
bool tn_problem_build_sides(TnProblem *problem, TnPool *pool);
/* Columns of all twist blocks' sides (kernels.h), not filled. False: no memory. */
bool tn_columns_reserve(const TnProblem *problem, TnSideColumns *out);
/* Those of batches [begin, end), from contact_sides. */
void tn_columns_fill(const TnProblem *problem, int begin, int end, TnSideColumns *out);
void tn_problem_weights(TnProblem *problem, const TnSolverDef *def, TnPool *pool);
/* J A⁻¹ Jᵀ summed over the sides: what turns a force into a velocity here. */
void tn_contact_compliance(const TnProblem *problem, int contact, double *normal, double *tangent);
/* Of all contacts, zero where both sides yield next to nothing (TN_DEAD). */
void tn_contact_yields(const TnProblem *problem, TnContactYield *out);
double tn_row_compliance(const TnProblem *problem, const TnRow *row);

typedef struct TnSolveResult {
    int iterations;
    bool converged;
    double residual;
    const char *form; /* of a method of its own (own_method.h) */
} TnSolveResult;
/* Here def->tolerance is the RMS change of constraint velocities (m/s) at which to stop; solve.h
 * has what a user's tolerance means. */
TnSolveResult tn_subadmm_solve(TnProblem *problem, const TnSolverDef *def, TnPool *pool);
/* The same with a callback that sees the problem now and then, between two iterations, and says
 * when it is enough. */
typedef struct TnWatch {
    bool (*enough)(void *context, const TnSolveResult *so_far);
    void *context;
} TnWatch;
TnSolveResult tn_subadmm_watched(TnProblem *problem, const TnSolverDef *def, TnWatch watch,
                                 TnPool *pool);
/* RMS change of constraint velocities in the last measured iteration. */
double tn_subadmm_residual(const TnProblem *problem);
/* v where the iterations did not need it. */
void tn_subadmm_finish(TnProblem *problem, TnPool *pool);

/* ---- rows.c: scalar rows ---- */
double tn_row_velocity(const TnProblem *problem, const TnRow *row); /* Σ J v */
/* Closed-form update of rows [begin, end) with over-relaxation alpha; measure fills `change`. Spin
 * and roll rows are done by the second one, which needs this iteration's contact forces. */
void tn_rows_update(TnProblem *problem, int begin, int end, double alpha, bool measure);
void tn_rows_update_spins(TnProblem *problem, double alpha, bool measure);
double tn_contact_normal_force(const TnProblem *problem, int contact);
/* F += Jᵀλ of scalar rows for one block; F over the block's unknowns. */
void tn_rows_force(const TnProblem *problem, int block, double *F);

/* ---- bonds.c ---- */
bool tn_bonds_group(TnProblem *problem); /* side lists; false: no memory */
void tn_bonds_add_stiffness(const TnProblem *problem, int begin, int end, double (*K)[TN_SYM6]);
void tn_bonds_add_forces(const TnProblem *problem, int begin, int end, double (*F)[8]);
/* problem->F of rows [begin, end) of the table: wrenches of contacts and bonds. */
void tn_table_forces(const TnProblem *problem, int begin, int end);
/* Update of bonds [begin, end) with over-relaxation alpha; measure fills `change`. */
void tn_bonds_update(TnProblem *problem, int begin, int end, double alpha, bool measure);
void tn_bond_velocity(const TnBond *bond, const double (*twist)[8], double z[12]);
/* Sum of squares, and how many numbers they are of, which is added to *count. */
double tn_bonds_residual(const TnProblem *problem, int *count);
/* What a row of the table yields, 6 × 6; the world nothing. */
void tn_table_compliance(const TnProblem *problem, int row, double C[36]);

/* ---- ports.c: a large block's ports ---- */
void tn_ports_spread(const TnProblem *problem, const TnLargeBlock *block, const double *v,
                     double (*table)[8]); /* rows T v */
void tn_ports_gather(const TnProblem *problem, const TnLargeBlock *block, double (*wrench)[8],
                     double *F);                                            /* F += Tᵀ wrench */
void tn_port_gather(const TnPort *port, const double wrench[8], double *F); /* of one */

/* d->F = Jᵀλ of all that acts on the block; port forces are taken from p->F. */
void tn_large_gather(const TnProblem *problem, int block);

/* ---- metrics.c ---- */
typedef struct TnAccuracy {
    double aac; /* -log10 RMS of the constraint error at v̂ */
    double aal; /* the same at v_λ = A⁻¹ (b + Jᵀλ) */
} TnAccuracy;
TnAccuracy tn_problem_accuracy(const TnProblem *problem);
/* Velocities of all blocks: a twist table like the problem's, and the large blocks' unknowns one
 * after the other. */
typedef struct TnVelocities {
    double (*twist)[8];
    double *large;
} TnVelocities;
bool tn_velocities_alloc(const TnProblem *problem,
                         TnVelocities *out); /* from the problem's arena; false: no memory */
void tn_velocities_copy(const TnProblem *problem, TnVelocities *out);    /* the current v̂ */
void tn_velocities_put(TnProblem *problem, const TnVelocities *from);    /* back */
void tn_velocities_implied(const TnProblem *problem, TnVelocities *out); /* v_λ */
/* v_λ where constraints reach; nodes of meshes that none reaches are left out. Then all of it
 * becomes the problem's v. */
void tn_velocities_touched(const TnProblem *problem, TnVelocities *out);
void tn_velocities_finish(TnProblem *problem, const TnVelocities *touched);
double tn_row_velocity_at(const TnProblem *problem, const TnRow *row, const TnVelocities *at);
/* RMS of the constraint error at these velocities and the current λ, m/s; NaN without constraints.
 */
double tn_problem_error(const TnProblem *problem, const TnVelocities *velocities);

#endif
