/* chain_kernels.h: chains' steps from nodes of six to nodes of six (../chain_plan.h), the inner
 * loops of a cable, in lanes/chain_lanes.h for every instruction set.
 *
 * In a factor, 6×6 blocks lie as nine times four numbers, (M_ij M_i,j+1 M_kj M_k,j+1) for the rows
 * (i, k) = (0, 2), (1, 3), (4, 5) and j = 0, 2, 4 each. Both M x and Mᵀ x are then sums of such
 * fours times fours of x, and few shuffles. */
#ifndef TN_MATH_CHAIN_KERNELS_H
#define TN_MATH_CHAIN_KERNELS_H

#include "../chain_plan.h"

typedef struct TnChainKernels {
    const char *name;
    /* One node's elimination: S, its parent's block and E as chain.h has them; S and E come out in
     * fours. False: not positive definite. */
    bool (*eliminate)(double *S, double *next, double *E, bool transposed);
    /* Eliminates a node without keeping its factor, C = A_kn and G = A_kq (chain_condense.c):
     * next = D_next - Cᵀ S⁻¹ C, far -= Gᵀ S⁻¹ G, G_next = -Cᵀ S⁻¹ G; row-major. next may be D_next.
     */
    bool (*condense)(const double *S, const double *C, const double *G, const double *D_next,
                     double *next, double *far, double *G_next);
    /* The node's block of A⁻¹ from its parent's: Z_k = S⁻¹ + Lᵀ Z_n L, row-major; S⁻¹ and L in
     * fours. */
    void (*invert)(double *Z_k, const double *S, const double *L, const double *Z_n);
    /* x_n -= L x_k and x_k ← S⁻¹ x_k, along the operation's runs. */
    void (*forward)(const TnChainOp *op, const double *D, const double *E, double *x);
    /* x_k -= Lᵀ x_n */
    void (*backward)(const TnChainOp *op, const double *E, double *x);
    /* What a solver does at the nodes of six whose twist is in a table as kernels.h has it: entry k
     * is the node whose unknowns begin at at[k], where that is not negative, and at place[k] in x.
     * K is symmetric, in fours. */
    /* F = wrench, x = b + g + 2F, g ← (1-α) g - α F */
    void (*gather)(int count, const int *at, const int *place, const double (*wrench)[8],
                   const double *b, double alpha, double *F, double *g, double *x);
    /* v = v_free + x, twist = v, g += scale K v */
    void (*spread)(int count, const int *at, const int *place, const double *x,
                   const double *v_free, double *v, double (*twist)[8], const double *K,
                   double scale, double *g);
    /* The same where the wrench is already all that g and F come to: x = b + wrench. */
    void (*gather_told)(int count, const int *at, const int *place, const double (*wrench)[8],
                        const double *b, double *x);
    /* v = v_free + x, twist = v */
    void (*spread_told)(int count, const int *at, const int *place, const double *x,
                        const double *v_free, double *v, double (*twist)[8]);
} TnChainKernels;

const TnChainKernels *tn_chain_kernels(void);          /* of the instruction set in use */
const TnChainKernels *tn_chain_kernels_portable(void); /* the same bits everywhere, */
const TnChainKernels *tn_chain_kernels_plain(void);    /* and as compiled for any processor */
const TnChainKernels *tn_chain_kernels_avx2(void); /* NULL where not built in or not supported */

/* Place of (i, j) among the fours. */
static inline int tn_six_place(int i, int j)
{
    int pair = i < 4 ? i & 1 : 2, second = i < 4 ? i >> 1 : i - 4;
    return 12 * pair + 4 * (j >> 1) + 2 * second + (j & 1);
}
static inline void tn_six_pack(double *restrict fours, const double *restrict M)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) fours[tn_six_place(i, j)] = M[6 * i + j];
}
static inline void tn_six_unpack(double *restrict M, const double *restrict fours)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) M[6 * i + j] = fours[tn_six_place(i, j)];
}

#endif
