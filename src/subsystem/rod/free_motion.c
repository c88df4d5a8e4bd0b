/* free_motion.c: a rod that is cut, as a whole: the chain as assembled with the bonds of its cut
 * joints put back. What it says is where a step begins from: the free motion, and a starting guess
 * for the solver, which has the springs between the groups. */
#include <string.h>

#include "rod.h"

bool tn_rod_join(TnRodSystem *s, TnArena *arena)
{
    size_t n = (size_t)s->count;
    if (!s->whole_D) s->whole_D = TN_ARENA_NEW(arena, double, 36 * n);
    if (!s->whole_E) s->whole_E = TN_ARENA_NEW(arena, double, 36 * n);
    double *D = s->whole_D, *E = s->whole_E;
    if (!D || !E) return false;
    memcpy(D, s->D, sizeof(double[36]) * n);
    memcpy(E, s->E, sizeof(double[36]) * (n - 1));
    for (int cut = 0; cut < s->cut_count; cut++) {
        const double *K = s->bonds[cut].K;
        size_t j = (size_t)s->cuts[cut];
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++) {
                D[36 * j + (size_t)(6 * r + c)] += K[12 * r + c];
                D[36 * (j + 1) + (size_t)(6 * r + c)] += K[12 * (6 + r) + 6 + c];
                E[36 * j + (size_t)(6 * r + c)] = K[12 * (6 + r) + c];
            }
    }
    return tn_chain_factor(s->whole, D, E);
}

void tn_rod_solve_whole(const TnRodSystem *s, const double *wrenches, double *v)
{
    int n = 6 * s->count;
    for (int i = 0; i < n; i++) v[i] = s->b[i] + (wrenches ? wrenches[i] : 0.0);
    for (int cut = 0; cut < s->cut_count; cut++)
        for (int r = 0; r < 12; r++) v[6 * s->cuts[cut] + r] -= s->bonds[cut].f[r];
    tn_chain_solve(s->whole, s->whole_D, s->whole_E, v);
}
