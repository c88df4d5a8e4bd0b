/* delassus.h: a problem's constraints as groups of rows, and the operator that turns their forces
 * into their velocities,
 *
 *     u = W μ + q,   W = J A⁻¹ Jᵀ = Σ_b J_b A_b⁻¹ J_bᵀ over the blocks b,
 *
 * for methods that go from constraint to constraint (pgs.c). A contact is a group of three rows
 * (normal, two tangents), a rolling pair one of two, any other scalar row one of its own. A soft
 * bond with K = L Lᵀ is a group of as many rows as K has ranks, λ = L μ - f and Lᵀz + μ = 0; a hard
 * one has its own rows, λ = Jᵀμ. q is u at μ = 0.
 *
 * Each block keeps one of two vectors x_b up to date, whichever makes a sweep cheaper:
 *
 *     velocities   x_b = Σ Y_jᵀ μ_j,   Y_j = J_j L_b⁻ᵀ with A_b = L_b L_bᵀ: L_bᵀ (v_b - v_free),
 *                  as many numbers as the block has unknowns; a row of W is never formed
 *     rows         x_b = the μ of all groups on the block, and G_b = J_b A_b⁻¹ J_bᵀ, a full matrix;
 *                  of a condensed block without what is zero, in octets of columns
 *
 * Velocities of a twist have zeros at 3 and 7, as rows of the twist table. In both a group's u is q
 * plus one product per piece (a group's part in one block), rows · x_b, with rows = Y_j or the
 * group's rows of G_b. */
#ifndef TN_SOLVER_DELASSUS_H
#define TN_SOLVER_DELASSUS_H

#include "../../math/vec3.h"
#include "../law/law.h"
#include "../natural_map.h"

enum { TN_GROUP_ROWS = 12 }; /* at most */

typedef enum TnLaw {
    TN_LAW_NONE,    /* nothing yields: μ stays as it is */
    TN_LAW_CONTACT, /* Coulomb */
    TN_LAW_ROW,     /* a scalar row or a rolling pair */
    TN_LAW_LINEAR   /* u + slack μ = 0 */
} TnLaw;

typedef struct TnPiece {
    int block; /* 0 … twist_count-1: a twist block, then large blocks */
    int at;    /* of x_b in x */
    int local; /* rows: where the group's own μ are in x; -1: velocities */
    int n;     /* numbers of x_b; a multiple of eight */
    int group;
    int entry, entry_count; /* of J_b */
    size_t value;           /* of the first entry */
    double *rows;           /* the group's count × n */
    int *octets;     /* rows: where eight numbers of x_b begin that are not all zero in G, … */
    int octet_count; /* … and `rows` has these only; NULL: all */
} TnPiece;

typedef struct TnGroup {
    TnLaw law;
    int count, first; /* rows; the first one's place in μ, u, q */
    int piece, piece_count;
    TnConstraintKind kind;
    int source;   /* contact, row or bond of the problem */
    int normal;   /* spin and roll: place of the bounding normal force; -1: none */
    bool regular; /* contact: W can be inverted */
    double mu, slack;
    double *W, *inverse; /* count × count: of this group; (W + slack)⁻¹ */
} TnGroup;

/* Which vector a block keeps. */
typedef enum TnDelassusForm {
    TN_DELASSUS_CHEAPEST,
    TN_DELASSUS_VELOCITIES,
    TN_DELASSUS_ROWS
} TnDelassusForm;

typedef struct TnDelassus {
    TnProblem *problem;
    int group_count, piece_count, row_count;
    int sweeps; /* that are expected */
    TnGroup *groups;
    TnPiece *pieces;
    int *index;    /* entries of J: unknowns, counted among those that are solved for … */
    double *value; /* … and as many numbers as the group has rows */
    double *q, *D; /* per row; D: diagonal of W, 0: dead */
    double *lever; /* per row: m/s per unit of u */
    double *state; /* μ, then x of all blocks; state_count numbers, a multiple of eight */
    double *mu, *x;
    size_t state_count;
    int *block_x, *block_n;          /* per block: its x and its numbers */
    int *block_rows;                 /* how many rows act on it */
    bool *keeps_rows;                /* per block */
    int *block_start, *block_pieces; /* pieces by block, in the order of groups */
    bool any_velocities, any_rows;
    /* Contacts of twist blocks, eight at a time, where those keep velocities: groups [batched,
     * batched_end) */
    int (*batch_contacts)[TN_LANES];                    /* -1: none */
    int batch_count, batched, batched_end, batch_first; /* the last: row of the first */
    TnSweepBatch *batches;                              /* NULL: one by one */
    int *contact_row;                                   /* per contact: its first row */
    TnBondRows *bond_rows;                              /* per bond */
} TnDelassus;

/* After tn_problem_prepare_A; everything from the problem's arena. μ is that of the problem's λ.
 * Chains and meshes always keep rows; of dense blocks the expected number of sweeps decides. False:
 * no memory, or no factor. */
bool tn_delassus_build(TnProblem *problem, const TnCompliances *D, TnDelassusForm form, int sweeps,
                       TnPool *pool, TnDelassus *out);
/* x from μ, anew. */
void tn_delassus_refresh(TnDelassus *delassus);
/* The problem's λ from μ. */
void tn_delassus_put(const TnDelassus *delassus);
/* A group's numbers out of what there is per constraint (u, or λ but of bonds). */
void tn_delassus_rows_of(const TnDelassus *delassus, const TnGroup *group, const TnPerConstraint *u,
                         double *out);
void tn_delassus_velocity(const TnDelassus *delassus, const TnGroup *group,
                          double *u); /* W μ + q */
/* "matrix-free on velocities", … */
const char *tn_delassus_form(const TnDelassus *delassus);

static inline int tn_padded(int n) { return (n + 7) / 8 * 8; }
/* Normal and tangents. */
static inline void tn_delassus_frame(const TnProblem *p, int contact, double frame[3][3])
{
    v3_copy(frame[0], p->normals[contact]);
    v3_tangents(frame[0], frame[1], frame[2]);
}

/* ---- delassus_groups.c ---- */
/* Groups, pieces and entries of J; false: no memory. */
bool tn_delassus_group(TnDelassus *delassus, const TnCompliances *D);

/* ---- delassus_blocks.c ---- */
/* Pieces' rows of all blocks, after they were laid out. */
bool tn_delassus_fill(TnDelassus *delassus, TnPool *pool);
/* Leaves out what is zero where that is most, after laws are known. False: no memory. */
bool tn_delassus_thin(TnDelassus *delassus);

/* ---- delassus_batches.c ---- */
/* Which contacts share a batch. False: no memory. */
bool tn_delassus_choose_batches(TnDelassus *delassus, const TnCompliances *D);
/* After laws and q are known. */
bool tn_delassus_fill_batches(TnDelassus *delassus);

#endif
