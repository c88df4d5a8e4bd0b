/* siconos_error.c: how good a solution of a Siconos file is, in that community's own measure:
 *
 *   e = sqrt(Σ |r - P(r - û)|²) / max(|q|, |r|, |u|),   û = u with u_n + mu |u_t| + mu_r |u_r|
 *
 * P is the Euclidean projection on the cone |r_t| <= mu r_n, |r_r| <= mu_r r_n. Of a global problem
 * the denominator is max(|r|, |u|), since q is a momentum there, and |M v - H r - q| / max(|q|, |M
 * v|, |H r|) is added. Denominators up to 1e-16 are left out.
 *
 * Everything is computed from the matrices of the file, nothing is asked from a solver. */
#include "problem_file.h"

#include <math.h>
#include <string.h>

static double norm(const double *x, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

static double share(double error, double of) { return of > 1e-16 ? error / of : error; }

/* The nearest point of the cone has the n >= 0 that minimizes (n - x_n)² + Σ max(0, |x_i| - mu_i
 * n)² over the tangents (i = 0) and the rolling (i = 1). Taking a part along that is inside its
 * disc gives too small an n, so what is inside then is inside for good and left out. */
static void project(double *x, int d, const double mu[2])
{
    int count[2] = {d == 2 ? 1 : 2, d == 5 ? 2 : 0};
    double length[2] = {norm(x + 1, count[0]), count[1] ? norm(x + 3, count[1]) : 0.0};
    bool outside[2] = {true, true}, changed;
    double n;
    do {
        double sum = x[0], weight = 1.0;
        for (int i = 0; i < 2; i++) {
            if (!outside[i]) continue;
            sum += mu[i] * length[i];
            weight += mu[i] * mu[i];
        }
        n = sum / weight;
        changed = false;
        for (int i = 0; i < 2; i++) {
            if (!outside[i] || length[i] > mu[i] * n) continue;
            outside[i] = false;
            changed = true;
        }
    } while (changed);
    x[0] = n = fmax(n, 0.0);
    for (int i = 0; i < 2; i++) {
        double factor = length[i] > mu[i] * n ? mu[i] * n / length[i] : 1.0;
        for (int k = 0; k < count[i]; k++) x[1 + 2 * i + k] *= factor;
    }
}

double tn_siconos_natural_map(const TnSiconos *s, const double *r, const double *u)
{
    double sum = 0.0;
    for (int i = 0; i < s->nc; i++, r += s->d, u += s->d) {
        double x[5] = {0}, mu[2] = {s->mu[i], s->d == 5 ? s->mu_r[i] : 0.0};
        for (int k = 0; k < s->d; k++) x[k] = r[k] - u[k];
        x[0] -= mu[0] * norm(u + 1, s->d == 2 ? 1 : 2);
        if (s->d == 5) x[0] -= mu[1] * norm(u + 3, 2);
        project(x, s->d, mu);
        for (int k = 0; k < s->d; k++) sum += (r[k] - x[k]) * (r[k] - x[k]);
    }
    return sqrt(sum);
}

/* y = W x, or y = (W + Wᵀ) x / 2 */
static void multiply(const TnSiconos *s, bool symmetric, const double *x, double *y)
{
    memset(y, 0, sizeof(double) * (size_t)s->W.rows);
    tn_file_matrix_multiply(&s->W, symmetric ? 0.5 : 1.0, x, y);
    if (symmetric) tn_file_matrix_multiply(&s->W_t, 0.5, x, y);
}

static double local_error(const TnSiconos *s, bool symmetric, const double *r, double *u)
{
    int rows = s->d * s->nc;
    multiply(s, symmetric, r, u);
    for (int i = 0; i < rows; i++) u[i] += s->q[i];
    return share(tn_siconos_natural_map(s, r, u),
                 fmax(norm(s->q, rows), fmax(norm(r, rows), norm(u, rows))));
}

/* v by the file's numbers; u, Mv and Hr are scratch */
static double global_error(const TnSiconos *s, bool symmetric, const double *v, const double *r,
                           double *u, double *Mv, double *Hr)
{
    int rows = s->d * s->nc, n = s->W.rows;
    memcpy(u, s->b, sizeof(double) * (size_t)rows);
    for (int i = 0; i < n; i++)
        for (int k = s->H.start[i]; k < s->H.start[i + 1]; k++)
            u[s->H.column[k]] += s->H.value[k] * v[i];
    multiply(s, symmetric, v, Mv);
    memset(Hr, 0, sizeof(double) * (size_t)n);
    tn_file_matrix_multiply(&s->H, 1.0, r, Hr);
    double largest = fmax(norm(s->q, n), fmax(norm(Mv, n), norm(Hr, n)));
    for (int i = 0; i < n; i++) Mv[i] -= Hr[i] + s->q[i];
    return share(norm(Mv, n), largest) +
           share(tn_siconos_natural_map(s, r, u), fmax(norm(r, rows), norm(u, rows)));
}

void tn_problem_file_error(const TnProblemFile *file, const double *v, const double *lambda,
                           double *as_read, double *symmetric)
{
    double unwanted;
    if (!as_read) as_read = &unwanted;
    if (!symmetric) symmetric = &unwanted;
    *as_read = *symmetric = NAN;
    if (!file) return;
    const TnSiconos *s = &file->siconos;
    if ((s->global && !v) || (s->nc > 0 && !lambda)) return;
    if (file->info.format == TN_PROBLEM_TENON) return;
    int rows = s->d * s->nc, n = s->W.rows, per_contact = s->d == 2 ? 3 : s->d;
    double *scratch = tn_calloc(2 * (size_t)rows + 3 * (size_t)n + 1, sizeof(double));
    if (!scratch) return;
    double *r = scratch, *u = r + rows, *v_file = u + rows;
    /* in two dimensions the solver has a second tangent, along which nothing moves */
    for (int i = 0; i < s->nc; i++)
        for (int k = 0; k < s->d; k++) r[i * s->d + k] = lambda[i * per_contact + k];
    for (int i = 0; s->global && i < n; i++) v_file[i] = v[s->place[i]];
    for (int k = 0; k < 2; k++)
        *(k ? symmetric : as_read) =
            s->global ? global_error(s, k, v_file, r, u, v_file + n, v_file + 2 * n)
                      : local_error(s, k, r, u);
    tn_free(scratch);
}
