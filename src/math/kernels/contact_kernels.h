/* contact_kernels.h: laws of contacts, eight at a time, for methods that look at all blocks at once
 * (solver/natural_map.c, newton_law.c, assembly_matrix.c); one table per instruction set, as in
 * kernels.h. They and contact_update there are the fast form of solver/law/contact.c.
 *
 * λ, u, a and forces have three numbers per contact, unused lanes of the last batch included. Where
 * a direction yields nothing (1/D = 0) it takes no force. */
#ifndef TN_MATH_CONTACT_KERNELS_H
#define TN_MATH_CONTACT_KERNELS_H

#include "kernels.h"

/* D of eight contacts and its inverse: normal, tangent. Both are zero where dead and in unused
 * lanes. */
typedef struct TnContactYield {
    double D[2][TN_LANES], inverse[2][TN_LANES];
} TnContactYield;

/* Laws softened about forces λ_c: λ(u) = Π(t), t = λ_c - reach · u/D; their derivative is for
 * yields D/R. With another reach, what slips turns as the natural map of λ = λ_c has it. */
typedef struct TnSoftening {
    double R, reach;
    const double (*centre)[3]; /* λ_c */
} TnSoftening;

/* What `lines` writes, per batch but for a and force. */
typedef struct TnContactLines {
    double (*a)[3], (*force)[3]; /* per contact */
    double (*G)[9][TN_LANES];    /* row-major 3 × 3, lane by lane */
    double (*bound)[TN_LANES];   /* μ t_n⁺ */
    double (*state)[TN_LANES];   /* 0 open, 1 held, 2 slips */
} TnContactLines;

enum { TN_LINES_MOVED = 1, TN_LINES_TURN = 2 };

/* Eight contacts of which no two touch the same block, for Gauss-Seidel (solver/method/pgs_laws.c):
 * u = Σ Y x + q, normal and two tangents each. x has rows of eight with zeros at 3 and 7; Y is zero
 * and the row one of zeros where there is no block. */
typedef struct TnSweepBatch {
    double Y[2][3][6][TN_LANES];
    /* own compliance: nn n1 n2 11 12 22; ones on the diagonal of unused lanes */
    double own[6][TN_LANES];
    double inverse[6][TN_LANES]; /* its inverse; zero: there is none */
    double step[2][TN_LANES];    /* 1 / W_nn, 1 / max(W_11, W_22) */
    double q[3][TN_LANES], mu[TN_LANES];
    int32_t row[2][TN_LANES];
} TnSweepBatch;

typedef struct TnContactKernels {
    const char *name;
    /* D = J A⁻¹ Jᵀ of contacts with twist blocks: rows 1 … twist_count with inverse[row - 1] =
     * (1/a, S⁻¹: xx xy xz yy yz zz, 0). Other rows yield nothing. Below `dead` of what the contact
     * yields in all, or `rounding` of the terms that make it up, a direction counts as dead. */
    void (*yields)(const TnContactBatch *batches, int begin, int end, int twist_count,
                   const double (*inverse)[8], double dead, double rounding, TnContactYield *out);
    /* u = J v of batches [begin, end), with e or without. */
    void (*velocities)(const TnContactBatch *batches, int begin, int end, const double (*twist)[8],
                       bool with_e, double (*u)[3]);
    /* Squared length of each contact's natural map. */
    void (*natural_map)(const TnContactBatch *batches, const TnContactYield *yields, int begin,
                        int end, const double (*u)[3], const double (*lambda)[3],
                        double (*squared)[TN_LANES]);
    /* λ(u) ≈ a - G u (newton_law.c). Flags: some state changed or something slips along a direction
     * of its own, where G turns; the latter. */
    int (*lines)(const TnContactBatch *batches, const TnContactYield *yields, int begin, int end,
                 const TnSoftening *softening, const double (*u)[3], const TnContactLines *out);
    /* λ(u), with given bounds of friction or, NULL, its own. */
    void (*forces)(const TnContactBatch *batches, const TnContactYield *yields, int begin, int end,
                   const TnSoftening *softening, const double (*u)[3],
                   const double (*bound)[TN_LANES], double (*force)[3]);
    /* out = a - G u */
    void (*linear)(int begin, int end, const double (*a)[3], const double (*G)[9][TN_LANES],
                   const double (*u)[3], double (*out)[3]);
    /* Adds Jᵀ G J of contacts [begin, end), which all join the same two rows, to four 6 × 6 blocks
     * (row-major; [row side][column side], 0: a, 1: b). NULL: not wanted. */
    void (*pair_blocks)(const TnContactBatch *batches, const double (*G)[9][TN_LANES], int begin,
                        int end, double *blocks[2][2]);
    /* One batch after the other: each contact's force to where its law holds, and x with it. Three
     * forces per contact, aligned to eight. */
    void (*sweep)(const TnSweepBatch *batches, int count, double *force, double (*x)[8]);
} TnContactKernels;

const TnContactKernels *tn_contact_kernels(void);          /* of the instruction set in use */
const TnContactKernels *tn_contact_kernels_portable(void); /* the same bits everywhere, */
const TnContactKernels *tn_contact_kernels_plain(void);    /* and as compiled for any processor */
/* NULL where not built in or not supported. */
const TnContactKernels *tn_contact_kernels_avx2(void);
const TnContactKernels *tn_contact_kernels_avx512(void);

#endif
