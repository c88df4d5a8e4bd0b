/* small_factor.c: A = Lᵀ L of a block, its last unknown eliminated first. The unknowns of a robot
 * begin at its root, so L has numbers only where one joint is an ancestor of the other, as A has;
 * and so has L⁻ᵀ of a row of J: a contact at a foot reaches the joints above it and no others.
 * What is zero is left out, whatever the reason. */
#include <math.h>

#include "../block/block.h"
#include "small.h"

static void set_matrix(const TnProblem *p, const TnSmallBlock *b, double *A)
{
    if (b->block < p->twist_count) {
        memset(A, 0, sizeof(double) * (size_t)b->dim * (size_t)b->dim);
        tn_twist_matrix(p, b->block, A);
    } else {
        const TnLargeBlock *d = &p->large[b->block - p->twist_count];
        TnBlockMatrix matrix;
        d->kind->matrix(d, p->arena, &matrix);
        memcpy(A, matrix.full, sizeof(double) * (size_t)b->dim * (size_t)b->dim);
    }
}

/* A way to a free root ends with its six unknowns, side by side. */
enum { FREE = 6 };

static inline void subtract_free(double f, const double *restrict from, double *restrict to)
{
    for (int j = 0; j < FREE; j++) to[j] -= f * from[j];
}

/* Row k of L from row k of what is left of A, and its products off the rows above. */
static bool eliminate(TnSmallBlock *b, int k, double *A)
{
    double *row = A + (long)k * b->dim, root = sqrt(row[k]);
    int begin = b->start[k], count = 0, *column = b->column + begin;
    double *value = b->value + begin;
    if (!(row[k] > 0.0) || isinf(root)) return false; /* NaN too */
    b->inverse[k] = 1.0 / root;
    for (int j = 0; j < k; j++)
        if (row[j] != 0.0) {
            column[count] = j;
            value[count++] = row[j] * b->inverse[k];
        }
    int lead = count >= FREE && column[FREE - 1] == FREE - 1 ? FREE : 0;
    for (int i = 0; i < count; i++) {
        double *to = A + (long)column[i] * b->dim, f = value[i];
        if (i >= lead && lead) subtract_free(f, value, to);
        for (int j = i < lead ? 0 : lead; j <= i; j++) to[column[j]] -= f * value[j];
    }
    b->end[k] = begin + count;
    return true;
}

bool tn_small_factor(const TnProblem *p, TnSmallBlock *b)
{
    int n = b->dim, entries = n * (n - 1) / 2;
    b->start = TN_ARENA_NEW(p->arena, int, 2 * n + entries);
    b->inverse = TN_ARENA_NEW(p->arena, double, n + entries);
    size_t mark = tn_arena_mark(p->arena);
    double *A = TN_ARENA_NEW(p->arena, double, (size_t)n *(size_t)n);
    if (!b->start || !b->inverse || !A) return false;
    b->end = b->start + n;
    b->column = b->end + n;
    b->value = b->inverse + n;
    set_matrix(p, b, A);
    bool ok = true;
    for (int k = n - 1, next = 0; ok && k >= 0; k--) {
        b->start[k] = next;
        ok = eliminate(b, k, A);
        next = b->end[k];
    }
    tn_arena_release(p->arena, mark);
    return ok;
}

void tn_small_solve_up(const TnSmallBlock *b, double *y)
{
    for (int k = b->dim - 1; k >= 0; k--) {
        if (y[k] == 0.0) continue;
        double x = y[k] *= b->inverse[k];
        for (int i = b->start[k]; i < b->end[k]; i++) y[b->column[i]] -= b->value[i] * x;
    }
}

/* A contact's three rows reach the same joints. */
void tn_small_solve_three_up(const TnSmallBlock *b, double *restrict p, double *restrict q,
                             double *restrict r)
{
    for (int k = b->dim - 1; k >= 0; k--) {
        if (p[k] == 0.0 && q[k] == 0.0 && r[k] == 0.0) continue;
        double x = p[k] *= b->inverse[k], y = q[k] *= b->inverse[k], z = r[k] *= b->inverse[k];
        for (int i = b->start[k]; i < b->end[k]; i++) {
            int j = b->column[i];
            double l = b->value[i];
            p[j] -= l * x;
            q[j] -= l * y;
            r[j] -= l * z;
        }
    }
}

void tn_small_solve_down(const TnSmallBlock *b, double *x)
{
    for (int k = 0; k < b->dim; k++) {
        double sum = x[k];
        for (int i = b->start[k]; i < b->end[k]; i++) sum -= b->value[i] * x[b->column[i]];
        x[k] = sum * b->inverse[k];
    }
}

void tn_small_multiply(const TnSmallBlock *b, const double *x, double *y)
{
    for (int k = 0; k < b->dim; k++) {
        y[k] = x[k] / b->inverse[k];
        for (int i = b->start[k]; i < b->end[k]; i++) y[k] += b->value[i] * x[b->column[i]];
    }
}
