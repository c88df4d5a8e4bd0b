/* kernels.h: the batched inner loops of the solver in structure-of-arrays form, eight lanes to a
 * batch.
 *
 * portable/, avx2/ and avx512/ share the lane algorithms in lanes/ and differ only in their
 * vocabulary and in whether products are fused. tn_kernels() picks one by cpuid. Layouts do not
 * depend on the instruction set. tests/math/scalar/ has them one number after the other.
 *
 * λ has three numbers per contact, one contact after the other, unused lanes of the last batch
 * included and one number of room behind (four are read at a time).
 *
 * Velocities live in a table of 8-double rows, (linear xyz, 0, angular xyz, 0): row 0 is the fixed
 * world (zero), then one row per twist block, then one per port of other blocks. A point constraint
 * reads v + ω × arm at its two rows.
 *
 * One over-relaxed iteration (u = J v + e, B = 1 / Σ 1/β):
 *     t ← (1-α) t + α (λ - B u),   λ ← Π(t)                        contact_update
 *     F = Jᵀλ,  v ← H⁻¹ (b + g + 2F),  g ← g + α (b + F - A v)     twist_update
 * with Π normal first, then tangent: λ_n = max(0, t_n), λ_t = t_t min(1, μ λ_n / |t_t|).
 * Compliant contacts (TnContactGive) have u + C (λ - λ_c) in place of u and B = 1 / (C + Σ 1/β). */
#ifndef TN_MATH_KERNELS_H
#define TN_MATH_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#define TN_LANES 8

/* Eight contacts between rows a and b; λ acts on b and -λ on a, world axes. */
typedef struct TnContactBatch {
    double arm_a[3][TN_LANES],
        arm_b[3][TN_LANES];     /* contact point minus the row's reference point */
    double normal[3][TN_LANES]; /* from a to b */
    double e[3][TN_LANES];
    double Bn[TN_LANES], Bt[TN_LANES]; /* B = Bn nnᵀ + Bt (I - nnᵀ); zero in unused lanes */
    double mu[TN_LANES];
    double t[3][TN_LANES];
    int32_t row_a[TN_LANES], row_b[TN_LANES];
} TnContactBatch;

/* What eight compliant contacts add to u, C (λ - λ_c) with C = Cn nnᵀ + Ct (I - nnᵀ); zero in
 * unused lanes. λ - B (u + C (λ - λ_c)) is share · λ - B (u + e) then. */
typedef struct TnContactGive {
    double e[3][TN_LANES];     /* -C λ_c */
    double share[2][TN_LANES]; /* 1 - B C, normal, tangents */
} TnContactGive;

#define TN_SYM6 21 /* upper triangle of a symmetric 6×6, row by row */

/* Eight twist blocks with A = diag(a I, S). Unused lanes have a = 1, S = I and zeros elsewhere. */
typedef struct TnTwistBatch {
    double a[TN_LANES];
    double S[6][TN_LANES];          /* xx xy xz yy yz zz */
    double Hinv[TN_SYM6][TN_LANES]; /* first H = A + JᵀWJ's constraint part K, then its inverse */
    double b[6][TN_LANES], g[6][TN_LANES];
} TnTwistBatch;

/* Which contacts act on a row: [start[r], mid[r]) as b (+λ), [mid[r], start[r+1]) as a (-λ). */
typedef struct TnSides {
    const int32_t *start, *mid;
    const int32_t *contact;
    const double (*arm)[3]; /* readable one number past the last */
} TnSides;

/* The same for batches of eight rows, a column for the j-th sides of all of them: batch i has
 * columns start[i] … start[i + 1] - 1. Where a row has no more sides, a column names some contact
 * of the problem; it is read and left out. This takes half the time where caches hold it, and more
 * memory.
 */
typedef struct TnSideColumns {
    int32_t *start;
    int32_t (*counts)[2][TN_LANES]; /* per batch: sides as b, and all of them */
    int32_t (*contact)[TN_LANES];   /* per column */
    double (*arm)[3][TN_LANES];
} TnSideColumns;

typedef struct TnKernels {
    const char *name;
    /* Batches [begin, end). give: per batch; NULL: contacts are rigid. residual, where not NULL,
     * gets per batch Σ |B⁻¹(λ - t) - u|² over its lanes, before the update. */
    void (*contact_update)(TnContactBatch *batches, const TnContactGive *give, int begin, int end,
                           const double (*twist)[8], double (*lambda)[3], double alpha,
                           double *residual);
    /* Blocks of batches [begin, end); block k has row k + 1. columns: the sides once more; NULL:
     * there are none. extra, where not NULL, is added to F (rows as in twist). */
    void (*twist_update)(TnTwistBatch *batches, int begin, int end, const TnSides *sides,
                         const TnSideColumns *columns, const double (*lambda)[3],
                         const double (*extra)[8], double (*twist)[8], double alpha);
    /* Hinv: K in, (A + K)⁻¹ out. */
    void (*twist_factor)(TnTwistBatch *batches, int begin, int end);
    /* Per row in [begin, end): F = Jᵀλ, and K = JᵀWJ with W = βn nnᵀ + βt (I - nnᵀ) of the row's
     * side. normals and beta are per contact; beta holds (βn, βt) of side a, then of side b. */
    void (*row_forces)(const TnSides *sides, int begin, int end, const double (*lambda)[3],
                       double (*F)[8]);
    void (*row_stiffness)(const TnSides *sides, int begin, int end, const double (*normals)[4],
                          const double (*beta)[4], double (*K)[TN_SYM6]);
    /* Of Anderson acceleration (solver/method/anderson.c). Each batch of contacts has 24 numbers as
     * t has them: now = t, x ← the root of a metric times t - x; root has its entries across the
     * normal and what it has more along it, eight each. */
    void (*contact_take)(const TnContactBatch *batches, int begin, int end, const double *root,
                         double *now, double *x);
    /* t = x, λ = Π(t), and z of it where that is not NULL */
    void (*contact_put)(TnContactBatch *batches, int begin, int end, const double *x,
                        double (*lambda)[3], double (*z)[3]);
    /* z = 2λ + y, with y = -(t + B e) as it is where one side alone moves */
    void (*contact_tell)(const TnContactBatch *batches, int begin, int end,
                         const double (*lambda)[3], double (*z)[3]);
    /* difference = now - last, last = now; here and below n is a multiple of eight */
    void (*column_step)(long n, const double *now, double *last, double *difference);
    /* Of the columns at columns + j·stride: sums_2j = column·x, sums_2j+1 = column·y */
    void (*columns_dot)(long n, int count, const double *columns, long stride, const double *x,
                        const double *y, double *sums);
    /* column·x and column·y */
    void (*column_dots)(long n, const double *column, const double *x, const double *y,
                        double sums[2]);
    /* to = from - Σ factor_j · (columns + j·stride) */
    void (*column_subtract)(long n, const double *from, int count, const double *columns,
                            long stride, const double *factor, double *to);
} TnKernels;

const TnKernels *tn_kernels(void);          /* of the instruction set in use */
const TnKernels *tn_kernels_portable(void); /* the same bits everywhere, */
const TnKernels *tn_kernels_plain(void);    /* and as compiled for any processor */
const TnKernels *tn_kernels_avx2(void);     /* NULL where not built in or not supported */
const TnKernels *tn_kernels_avx512(void);

/* Position of (i, j), i <= j, in TN_SYM6 order. */
static inline int tn_sym6(int i, int j) { return i * 6 - i * (i - 1) / 2 + (j - i); }

#endif
