/* free_motion.c: v̂ of a whole rod that nothing pushes: the chain as assembled, the bonds of its cut
 * joints put back, solved. */
#include <string.h>

#include "../../math/tridiagonal.h"
#include "rod.h"

/* The chain without cuts; x takes b. */
static void join(const TnRodSystem *s, double *D, double *E, double *x)
{
    size_t n = (size_t)s->count;
    memcpy(D, s->D, sizeof(double[36]) * n);
    memcpy(E, s->E, sizeof(double[36]) * (n - 1));
    memcpy(x, s->b, sizeof(double[6]) * n);
    for (int cut = 0; cut < s->cut_count; cut++) {
        const TnRodBond *bond = &s->bonds[cut];
        size_t j = (size_t)s->cuts[cut];
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++) {
                D[36 * j + (size_t)(6 * r + c)] += bond->K[12 * r + c];
                D[36 * (j + 1) + (size_t)(6 * r + c)] += bond->K[12 * (6 + r) + 6 + c];
                E[36 * j + (size_t)(6 * r + c)] = bond->K[12 * (6 + r) + c];
            }
        for (int r = 0; r < 12; r++) x[6 * j + (size_t)r] -= bond->f[r];
    }
}

bool tn_rod_free_motion(const TnRodSystem *s, TnArena *scratch, double *v_free)
{
    size_t n = (size_t)s->count, mark = tn_arena_mark(scratch);
    double *D = TN_ARENA_NEW(scratch, double, 36 * n), *E = TN_ARENA_NEW(scratch, double, 36 * n);
    bool ok = D && E;
    if (ok) {
        join(s, D, E, v_free);
        ok = tn_tridiagonal_factor(s->count, D, E);
    }
    if (ok) {
        tn_tridiagonal_solve(s->count, D, E, v_free);
        double sum = 0.0; /* NaN as soon as one number is not finite */
        for (size_t i = 0; i < 6 * n; i++) sum += 0.0 * v_free[i];
        ok = sum == 0.0;
    }
    tn_arena_release(scratch, mark);
    return ok;
}
