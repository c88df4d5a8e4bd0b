/* backward.c: the quadratic problem about a plan, from its end to its beginning: the value V of a
 * state's displacement, and controls u + k + K dx that are best for it, within their limits. */
#include <math.h>
#include <string.h>

#include "../base/rounding.h"
#include "../math/cholesky.h"
#include "plan.h"

/* out (n × m) = Mᵀ N, M: l × n, N: l × m. */
static void product_transposed(int l, int n, int m, const double *M, const double *N, double *out)
{
    memset(out, 0, sizeof(double) * (size_t)n * (size_t)m);
    for (int r = 0; r < l; r++)
        for (int i = 0; i < n; i++) {
            double a = M[(size_t)r * (size_t)n + (size_t)i];
            if (a == 0.0) continue;
            const double *from = N + (size_t)r * (size_t)m;
            double *to = out + (size_t)i * (size_t)m;
            for (int k = 0; k < m; k++) to[k] += a * from[k];
        }
}

/* out = c + Mᵀ x */
static void apply_transposed(int l, int n, const double *M, const double *x, const double *c,
                             double *out)
{
    for (int i = 0; i < n; i++) out[i] = c ? c[i] : 0.0;
    for (int r = 0; r < l; r++)
        for (int i = 0; i < n; i++) out[i] += M[(size_t)r * (size_t)n + (size_t)i] * x[r];
}

/* Q of a knot: half-second derivatives are whole ones here, as all of J is a sum of squares. */
static void assemble(TnPlan *p, const TnKnot *knot)
{
    int n = p->ns, m = p->nu;
    product_transposed(n, n, n, p->V, knot->A, p->VA); /* V is symmetric */
    product_transposed(n, n, m, p->V, knot->B, p->VB);
    product_transposed(n, n, n, knot->A, p->VA, p->Qxx);
    product_transposed(n, m, n, knot->B, p->VA, p->Qux);
    product_transposed(n, m, m, knot->B, p->VB, p->Quu);
    apply_transposed(n, n, knot->A, p->v, NULL, p->qx);
    apply_transposed(n, m, knot->B, p->v, knot->lu, p->qu);
    for (int i = 0; i < m; i++) p->Quu[i * m + i] += knot->luu[i];
}

static void damp(TnPlan *p, double damping)
{
    int m = p->nu;
    double most = 0.0;
    memcpy(p->H, p->Quu, sizeof(double) * (size_t)m * (size_t)m);
    for (int i = 0; i < m; i++) most = fmax(most, p->Quu[i * m + i]);
    for (int i = 0; i < m; i++) {
        p->H[i * m + i] += damping * p->Quu[i * m + i];
        /* a control that changes nothing and costs nothing stays */
        p->H[i * m + i] += most > 0.0 ? (TN_ROUND_OFF + 1e-6 * damping) * most : 1.0;
    }
}

/* k within the limits, and K = -H⁻¹ Qux of the controls that none holds. */
static bool solve_knot(TnPlan *p, int index)
{
    TnKnot *knot = &p->knots[index];
    int n = p->ns, m = p->nu;
    const double *u = tn_path_ctrl(p, &p->plan, index);
    double *low = p->scratch, *high = low + m, *column = high + m, *rest = column + m;
    double *factor = rest + 4 * m;
    for (int i = 0; i < m; i++) {
        low[i] = p->low[i] - u[i];
        high[i] = p->high[i] - u[i];
        knot->k[i] = 0.0;
    }
    if (!tn_box_qp(m, p->H, p->qu, low, high, knot->k, p->held, factor, rest)) return false;
    for (int c = 0; c < n; c++) {
        for (int i = 0; i < m; i++) column[i] = p->held[i] ? 0.0 : -p->Qux[i * n + c];
        tn_cholesky_solve(factor, m, column);
        for (int i = 0; i < m; i++) knot->K[i * n + c] = column[i];
    }
    return true;
}

/* v ← qx + Kᵀ(Quu k + qu) + Quxᵀ k + lx, V ← Qxx + Kᵀ(Quu K + Qux) + Quxᵀ K + lxx. The cost of
 * x_k is that of the knot before. */
static void update_value(TnPlan *p, const TnKnot *knot, const TnKnot *before)
{
    int n = p->ns, m = p->nu;
    double *w = p->scratch; /* Quu k + qu */
    for (int i = 0; i < m; i++) {
        w[i] = p->qu[i];
        for (int k = 0; k < m; k++) w[i] += p->Quu[i * m + k] * knot->k[k];
        p->promised -= 0.5 * knot->k[i] * (w[i] + p->qu[i]);
    }
    for (int c = 0; c < n; c++) {
        p->v[c] = p->qx[c] + (before ? before->lx[c] : 0.0);
        for (int i = 0; i < m; i++)
            p->v[c] += knot->K[i * n + c] * w[i] + p->Qux[i * n + c] * knot->k[i];
    }
    double *W = p->VB; /* m × n: Quu K + Qux */
    memcpy(W, p->Qux, sizeof(double) * (size_t)m * (size_t)n);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++)
            for (int c = 0; c < n; c++) W[i * n + c] += p->Quu[i * m + k] * knot->K[k * n + c];
    product_transposed(m, n, n, knot->K, W, p->V);
    product_transposed(m, n, n, p->Qux, knot->K, p->VA);
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            int at = r * n + c;
            p->V[at] += p->Qxx[at] + p->VA[at] + (before ? before->lxx[at] : 0.0);
        }
    for (int r = 0; r < n; r++)
        for (int c = 0; c < r; c++)
            p->V[r * n + c] = p->V[c * n + r] = 0.5 * (p->V[r * n + c] + p->V[c * n + r]);
}

bool tn_plan_riccati(TnPlan *p, const TnKnot *knot)
{
    int n = p->ns, m = p->nu;
    double *column = p->scratch + m;
    assemble(p, knot);
    damp(p, 0.0);
    if (!tn_cholesky(p->H, m)) return false;
    for (int c = 0; c < n; c++) {
        for (int i = 0; i < m; i++) column[i] = -p->Qux[i * n + c];
        tn_cholesky_solve(p->H, m, column);
        for (int i = 0; i < m; i++) knot->K[i * n + c] = column[i];
    }
    update_value(p, knot, knot);
    return true;
}

bool tn_plan_backward(TnPlan *p, double damping)
{
    int last = p->def.horizon - 1, n = p->ns;
    p->promised = 0.0;
    memcpy(p->v, p->knots[last].lx, sizeof(double) * (size_t)n);
    memcpy(p->V, p->knots[last].lxx, sizeof(double) * (size_t)n * (size_t)n);
    for (int k = last; k >= 0; k--) {
        assemble(p, &p->knots[k]);
        damp(p, damping);
        if (!solve_knot(p, k)) return false;
        update_value(p, &p->knots[k], k > 0 ? &p->knots[k - 1] : NULL);
    }
    return true;
}
