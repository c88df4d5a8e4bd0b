/* tridiagonal.c: block-tridiagonal systems by elimination from both ends towards a middle node c:
 *
 *     S_0 = D_0,           S_{k+1} = D_{k+1} - L_k E_kᵀ,      L_k = E_k S_k⁻¹         k < c
 *     S_{m-1} = D_{m-1},   S_{k-1} = D_{k-1} - L_k E_{k-1},   L_k = E_{k-1}ᵀ S_k⁻¹    k > c
 *
 * and S_c loses both. The factor keeps S_k⁻¹ in D_k, and L_k in E_k (k < c) or E_{k-1} (k > c). Nodes
 * left and right of c do not meet before c, so that a solve has two chains of dependent products
 * side by side; their latency, not the number of products, is what it costs. */
#include "tridiagonal.h"

#include "chain_six.h"

/* y -= M x */
static inline void subtract(double *restrict y, const double *restrict M, const double *restrict x)
{
    for (int i = 0; i < 6; i++) {
        const double *row = M + 6 * i;
        double even = row[0] * x[0] + row[2] * x[2] + row[4] * x[4];
        double odd = row[1] * x[1] + row[3] * x[3] + row[5] * x[5];
        y[i] -= even + odd;
    }
}

/* y = S x - Mᵀ z, S symmetric */
static inline void combine(double *restrict y, const double *restrict S, const double *restrict x,
                           const double *restrict M, const double *restrict z)
{
    double s[6] = {0}, t[6] = {0};
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 6; i++) s[i] += S[6 * j + i] * x[j];
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < 6; i++) t[i] += M[6 * j + i] * z[j];
    for (int i = 0; i < 6; i++) y[i] = s[i] - t[i];
}

static inline int middle(int m) { return m / 2; }

bool tn_tridiagonal_factor(int m, double *D, double *E)
{
    int c = middle(m);
    for (int k = 0; k < c; k++)
        if (!eliminate(D + 36L * k, D + 36L * (k + 1), E + 36L * k, false)) return false;
    for (int k = m - 1; k > c; k--)
        if (!eliminate(D + 36L * k, D + 36L * (k - 1), E + 36L * (k - 1), true)) return false;
    double X[36];
    if (!invert_root(D + 36L * c, X)) return false;
    square(D + 36L * c, X);
    return true;
}

void tn_tridiagonal_solve(int m, const double *D, const double *E, double *x)
{
    int c = middle(m), right = m - 1 - c; /* c nodes on the left: as many, or one more */
    for (int i = 0; i < right; i++) {
        int k = m - 1 - i;
        subtract(x + 6L * (i + 1), E + 36L * i, x + 6L * i);
        subtract(x + 6L * (k - 1), E + 36L * (k - 1), x + 6L * k);
    }
    for (int i = right; i < c; i++) subtract(x + 6L * (i + 1), E + 36L * i, x + 6L * i);
    double y[6];
    const double zero[36] = {0};
    combine(y, D + 36L * c, x + 6L * c, zero, zero);
    memcpy(x + 6L * c, y, sizeof y);
    for (int i = c - 1; i >= right; i--) {
        combine(y, D + 36L * i, x + 6L * i, E + 36L * i, x + 6L * (i + 1));
        memcpy(x + 6L * i, y, sizeof y);
    }
    for (int i = right - 1; i >= 0; i--) {
        int k = m - 1 - i;
        double z[6];
        combine(y, D + 36L * i, x + 6L * i, E + 36L * i, x + 6L * (i + 1));
        combine(z, D + 36L * k, x + 6L * k, E + 36L * (k - 1), x + 6L * (k - 1));
        memcpy(x + 6L * i, y, sizeof y);
        memcpy(x + 6L * k, z, sizeof z);
    }
}

void tn_tridiagonal_inverse_blocks(int m, const double *D, const double *E, double *blocks)
{
    int c = middle(m);
    memcpy(blocks + 36L * c, D + 36L * c, 36 * sizeof(double));
    for (int k = c - 1; k >= 0; k--)
        inverse_block(blocks + 36L * k, D + 36L * k, E + 36L * k, blocks + 36L * (k + 1));
    for (int k = c + 1; k < m; k++)
        inverse_block(blocks + 36L * k, D + 36L * k, E + 36L * (k - 1), blocks + 36L * (k - 1));
}

void tn_tridiagonal_multiply(int m, const double *D, const double *E, const double *x, double *y)
{
    for (int k = 0; k < m; k++) {
        double sum[6] = {0};
        for (int j = 0; j < 6; j++)
            for (int i = 0; i < 6; i++) sum[i] += D[36L * k + 6 * j + i] * x[6L * k + j];
        if (k + 1 < m)
            for (int j = 0; j < 6; j++)
                for (int i = 0; i < 6; i++) sum[i] += E[36L * k + 6 * j + i] * x[6L * (k + 1) + j];
        for (int i = 0; i < 6; i++) sum[i] = -sum[i];
        if (k) subtract(sum, E + 36L * (k - 1), x + 6L * (k - 1));
        for (int i = 0; i < 6; i++) y[6L * k + i] = -sum[i];
    }
}
