/* newton_step.c: see newton_step.h. */
#include "newton_step.h"

#include <string.h>

bool tn_newton_start(TnNewtonStep *n, const TnAssembly *assembly, const TnProblem *p,
                     const TnCompliances *D, const TnPerConstraint *u)
{
    *n = (TnNewtonStep){.assembly = assembly};
    TnPerConstraint *all[] = {&n->u, &n->lambda, &n->next_u, &n->next_lambda, &n->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!tn_per_constraint_alloc(p, all[i])) return false;
    n->values = TN_ARENA_NEW(p->arena, double, 2 * assembly->plan->size);
    n->x = TN_ARENA_NEW(p->arena, double, assembly->dim);
    if (!n->values || !n->x || !tn_laws_alloc(p, D, &n->laws)) return false;
    tn_lambda_take(p, &n->lambda);
    tn_per_constraint_copy(&n->u, u);
    return true;
}

static void solve(TnNewtonStep *n)
{
    const TnAssembly *s = n->assembly;
    tn_laws_linear(&n->laws, &s->e, &n->scratch);
    tn_assembly_gather(s, &n->scratch, n->x);
    tn_assembly_solve(s, n->laws.G.symmetric, n->values, n->x);
    tn_assembly_apply(s, n->x, &n->next_u);
    tn_per_constraint_add(&n->next_u, &s->e);
    tn_laws_linear(&n->laws, &n->next_u, &n->next_lambda);
}

bool tn_newton_step_again(TnNewtonStep *n, TnMethodResult *count)
{
    count->factorizations++;
    n->factored = tn_assembly_factor(n->assembly, &n->laws.G, n->values);
    n->factor_R = n->laws.R;
    if (n->factored) solve(n);
    return n->factored;
}

bool tn_newton_step(TnNewtonStep *n, double fade, TnMethodResult *count)
{
    tn_laws_at(&n->laws, &n->u);
    if (fade > 0.0) tn_laws_fade(&n->laws, fade);
    count->iterations++;
    if (!n->factored || n->factor_R != n->laws.R || n->laws.moved)
        return tn_newton_step_again(n, count);
    solve(n);
    return true;
}
