/* chain_generic.c: the chain kernels in plain C, one run after the other. */
#include "../../chain_six.h"
#include "../chain_kernels.h"

static const int first_row[3] = {0, 1, 4}, second_row[3] = {2, 3, 5};

/* y = M x, and y += scale Mᵀ x, for a block in fours */
static inline void multiply(double *restrict y, const double *restrict M, const double *restrict x)
{
    for (int p = 0; p < 3; p++) {
        const double *m = M + 12 * p;
        double a[2], b[2];
        for (int h = 0; h < 2; h++) {
            a[h] = m[h] * x[h] + m[4 + h] * x[2 + h] + m[8 + h] * x[4 + h];
            b[h] = m[2 + h] * x[h] + m[6 + h] * x[2 + h] + m[10 + h] * x[4 + h];
        }
        y[first_row[p]] = a[0] + a[1];
        y[second_row[p]] = b[0] + b[1];
    }
}

static inline void add_transposed(double *restrict y, const double *restrict M, double scale,
                                  const double *restrict x)
{
    double sum[6] = {0};
    for (int p = 0; p < 3; p++)
        for (int j = 0; j < 6; j++) {
            const double *m = M + 12 * p + 4 * (j >> 1) + (j & 1);
            sum[j] += m[0] * x[first_row[p]] + m[2] * x[second_row[p]];
        }
    for (int j = 0; j < 6; j++) y[j] += scale * sum[j];
}

static bool eliminate_six(double *S, double *next, double *E, bool transposed)
{
    double inverse[36], L[36];
    memcpy(inverse, S, sizeof inverse);
    memcpy(L, E, sizeof L);
    if (!eliminate(inverse, next, L, transposed)) return false;
    tn_six_pack(S, inverse);
    tn_six_pack(E, L);
    return true;
}

static bool condense_six(const double *S, const double *C, const double *G, const double *D_next,
                         double *next, double *far, double *G_next)
{
    if (next != D_next) memcpy(next, D_next, sizeof(double[36]));
    return condense(S, C, G, next, far, G_next);
}

static void invert_six(double *Z_k, const double *S, const double *L, const double *Z_n)
{
    double inverse[36], M[36];
    tn_six_unpack(inverse, S);
    tn_six_unpack(M, L);
    inverse_block(Z_k, inverse, M, Z_n);
}

static inline void forward_step(const TnChainRun *run, int i, const double *D, const double *E,
                                double *x)
{
    double *x_k = x + run->x + i * run->dx, *x_n = x_k + run->dx, moved[6], solved[6];
    multiply(moved, E + run->E + i * run->dE, x_k);
    multiply(solved, D + run->D + i * run->dD, x_k);
    for (int j = 0; j < 6; j++) x_n[j] -= moved[j];
    memcpy(x_k, solved, sizeof solved);
}

static inline void backward_step(const TnChainRun *run, int i, const double *E, double *x)
{
    double *x_k = x + run->x + i * run->dx;
    add_transposed(x_k, E + run->E + i * run->dE, -1.0, x_k + run->dx);
}

static void forward(const TnChainOp *op, const double *D, const double *E, double *x)
{
    for (int i = 0; i < op->count; i++)
        for (int r = 0; r < op->run_count; r++) forward_step(&op->runs[r], i, D, E, x);
}

static void backward(const TnChainOp *op, const double *E, double *x)
{
    for (int i = op->count - 1; i >= 0; i--)
        for (int r = 0; r < op->run_count; r++) backward_step(&op->runs[r], i, E, x);
}

static void gather(int count, const int *at, const int *place, const double (*wrench)[8],
                   const double *b, double alpha, double *F, double *g, double *x)
{
    for (int k = 0; k < count; k++)
        for (int i = 0; at[k] >= 0 && i < 6; i++) {
            int n = at[k] + i;
            double old = g[n], f = F[n] = wrench[k][i < 3 ? i : i + 1];
            x[place[k] + i] = b[n] + old + 2.0 * f;
            g[n] = (1.0 - alpha) * old - alpha * f;
        }
}

static void spread(int count, const int *at, const int *place, const double *x,
                   const double *v_free, double *v, double (*twist)[8], const double *K,
                   double scale, double *g)
{
    for (int k = 0; k < count; k++) {
        if (at[k] < 0) continue;
        double *v_k = v + at[k];
        for (int i = 0; i < 6; i++) {
            v_k[i] = v_free[at[k] + i] + x[place[k] + i];
            twist[k][i < 3 ? i : i + 1] = v_k[i];
        }
        twist[k][3] = twist[k][7] = 0.0;
        add_transposed(g + at[k], K + 36L * k, scale, v_k);
    }
}

static void gather_told(int count, const int *at, const int *place, const double (*wrench)[8],
                        const double *b, double *x)
{
    for (int k = 0; k < count; k++)
        for (int i = 0; i < 6; i++) x[place[k] + i] = b[at[k] + i] + wrench[k][i < 3 ? i : i + 1];
}

static void spread_told(int count, const int *at, const int *place, const double *x,
                        const double *v_free, double *v, double (*twist)[8])
{
    for (int k = 0; k < count; k++) {
        double *v_k = v + at[k];
        for (int i = 0; i < 6; i++) {
            v_k[i] = v_free[at[k] + i] + x[place[k] + i];
            twist[k][i < 3 ? i : i + 1] = v_k[i];
        }
        twist[k][3] = twist[k][7] = 0.0;
    }
}

const TnChainKernels *tn_chain_kernels_generic(void)
{
    static const TnChainKernels kernels = {"generic",   eliminate_six, condense_six, invert_six,
                                           forward,     backward,      gather,       spread,
                                           gather_told, spread_told};
    return &kernels;
}
