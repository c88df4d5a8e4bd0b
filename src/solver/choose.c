/* choose.c: one island, by the methods that suit it, one after the other until one arrives.
 *
 * `ladder` lists them in order, each with the condition under which it is tried and its limit.
 * Islands of a few bodies and robots are one full matrix (small/); what that leaves unsolved gets
 * interior points and nothing else. SubADMM comes first for islands whose blocks carry most of the
 * problem in factors of their own (cables, soft bodies), for islands of many blocks, and if the
 * island's matrix would cost more to factor than some tens of iterations. All others begin with
 * Newton's steps. Of large islands the contacts yield (compliant.h).
 *
 * The natural map at v_λ = A⁻¹(b + Jᵀλ) judges every rung, and the best forces win. The choice
 * depends on counts and on errors within this solve, on no clock and no history, so it is the same
 * in every run. */
#include "method/steady.h"
#include "rungs.h"

/* ---- the ladder ---- */

/* Whether the island's matrix is worth a factor. With large factors only SubADMM, stuck, asks. */
static bool cheap(TnIslandSolve *s)
{
    const TnProblem *p = s->problem;
    if (s->def->method == TN_METHOD_NEWTON) return tn_rung_assemble(s);
    if (!tn_has_few_blocks(p) ||
        (tn_has_large_factors(p) && !s->looks.may_give_up && !s->is_assembled))
        return false;
    return tn_rung_assemble(s) && tn_is_cheap(p, s->assembly.plan->flops);
}

static bool splits_first(TnIslandSolve *s)
{
    if (!tn_is_auto(s) || s->was_small) return false;
    return tn_has_large_factors(s->problem) || (!cheap(s) && !tn_rung_done(s));
}
static bool is_large(TnIslandSolve *s)
{
    const TnProblem *p = s->problem;
    return tn_is_auto(s) && s->def->contact_ratio > 0.0 && p->contact_count > 0 && !s->was_small &&
           !tn_has_large_factors(p) && !cheap(s);
}
static bool splits_rigidly(TnIslandSolve *s) { return !s->problem->give && splits_first(s); }
/* SubADMM gave up for Newton, which turned out to cost too much. */
static bool gave_up_in_vain(TnIslandSolve *s) { return s->looks.may_give_up && !cheap(s); }
static bool rough(TnIslandSolve *s)
{
    return tn_is_auto(s) && !s->was_small && cheap(s) &&
           s->best.error > TN_ROUGH * s->def->velocity_scale;
}
static bool is_sparse(TnIslandSolve *s) { return !s->was_small && cheap(s); }
static bool factors(TnIslandSolve *s) { return s->was_small ? tn_rung_assemble(s) : cheap(s); }

typedef struct Rung {
    TnRung *run;
    bool (*when)(TnIslandSolve *);
    int most; /* iterations or steps; 0: TnSolverDef.iterations */
    const char *why;
} Rung;

static const Rung ladder[] = {
    {tn_rung_compliant, is_large, 960, "too large for a factorization: contacts yield"},
    {tn_rung_subadmm, splits_rigidly, 0, "large factors of their own, or a costly matrix"},
    {tn_rung_subadmm, gave_up_in_vain, 0, "a factorization costs too much"},
    {tn_rung_newton, is_sparse, 6, "a factorization is cheap"},
    {tn_rung_interior, factors, 40, "Newton's steps did not converge"},
    {tn_rung_proximal, is_sparse, 30, "Newton's steps did not converge"},
    {tn_rung_interior_from_here, is_sparse, 40, "no method converged, but one may be close"},
    {tn_rung_proximal, is_sparse, 30, "no method converged, but one may be close"},
    {tn_rung_subadmm_from_guess, rough, 0, "the best solution so far is inaccurate"},
};

/* False: no memory, or no factor. */
static bool climb(TnIslandSolve *s)
{
    for (size_t i = 0; i < sizeof ladder / sizeof *ladder; i++) {
        const Rung *rung = &ladder[i];
        if (!rung->when(s)) {
            if (s->failed) return false;
            continue;
        }
        s->report.why = rung->why;
        if (!rung->run(s, rung->most ? rung->most : s->def->iterations)) return false;
        if (tn_rung_done(s)) return true;
    }
    return true;
}

static bool choose(TnIslandSolve *s)
{
    TnMethod asked = s->def->method;
    if (asked == TN_METHOD_AUTO || asked == TN_METHOD_NEWTON) return climb(s);
    s->report.why = "requested";
    if (tn_rung_done(s)) return true;
    if (asked == TN_METHOD_SUBADMM) return tn_rung_subadmm(s, s->def->iterations);
    return tn_rung_own(s, asked, s->def->iterations);
}

/* ---- before and after ---- */

/* Whether the starting guess may be good enough. v_λ of large blocks is not to be had for nothing,
 * so they are first looked at with the velocities of the last step. */
static bool may_be_at_rest(TnIslandSolve *s)
{
    TnProblem *p = s->problem;
    TnBest *best = &s->best;
    if (!tn_has_large_factors(p) || s->def->method > TN_METHOD_SUBADMM) return true;
    for (int i = 0; i < p->large_count; i++)
        tn_ports_spread(p, &p->large[i], p->large[i].v, p->twist);
    tn_velocities_copy(p, &best->implied);
    tn_constraint_velocities(p, &best->implied, &best->u);
    tn_lambda_take(p, &best->lambda);
    return tn_natural_map(p, &best->D, &best->u, &best->lambda).largest <
           TN_NEARLY * best->tolerance;
}

/* The best forces win, with v_λ. If SubADMM alone has run, its last iterate stays, and as long as λ
 * is rough, with its own v: v_λ amplifies what is wrong with λ if something light is between heavy
 * bodies. Fine λ gives dynamics, and so momentum, that hold exactly. True: v is SubADMM's. */
static bool settle(TnIslandSolve *s)
{
    const TnIslandReport *r = &s->report;
    bool others = r->newton_steps + r->sweeps + r->own_iterations > 0;
    if ((others || !s->split || s->problem->give) && !tn_best_is_here(&s->best)) tn_rung_go_back(s);
    double fine = (s->problem->give ? TN_ROUGH : TN_FINE) * s->def->velocity_scale;
    return r->method == TN_METHOD_SUBADMM && s->best.map.largest > fine;
}

bool tn_solve_island(TnProblem *p, const TnSolverDef *def, TnPlanCache *plans, TnPool *pool,
                     bool was_small, TnIslandResult *out)
{
    TnIslandSolve s = {.problem = p,
                       .def = def,
                       .plans = plans,
                       .pool = pool,
                       .was_small = was_small,
                       .report = {.blocks = p->twist_count + p->large_count,
                                  .contacts = p->contact_count,
                                  .rows = p->row_count + 6 * p->bond_count,
                                  .method = TN_METHOD_AUTO,
                                  .why = "the starting guess was good enough"}};
    TnSteady steady = {0};
    TnBest *best = &s.best;
    if (!tn_best_start(p, def->tolerance * def->velocity_scale, best) ||
        !tn_per_constraint_alloc(p, &s.guess))
        return false;
    tn_lambda_take(p, &s.guess);
    if (may_be_at_rest(&s)) tn_rung_judge(&s, TN_METHOD_AUTO);
    if (best->map.largest >= TN_STILL * best->tolerance) {
        if (tn_is_near_rest(best->map.largest, best->tolerance, def->velocity_scale) &&
            !tn_steady_start(p, &best->u, &steady))
            return false;
        if (!choose(&s)) return false;
    }
    bool own_v = settle(&s);
    s.report.converged = tn_rung_done(&s);
    s.report.error = best->map.largest / def->velocity_scale;
    s.report.tolerance = best->tolerance / def->velocity_scale;
    s.report.rigid_error = tn_best_rigid_error(best) / def->velocity_scale;
    if (own_v)
        tn_subadmm_finish(p, pool);
    else
        tn_velocities_finish(p, &best->implied);
    p->give = NULL; /* others judge by rigid contacts */
    *out = (TnIslandResult){.report = s.report,
                            .keep = tn_steady_share(&steady, &best->u),
                            .form = s.form,
                            .worst = best->map.worst,
                            .worst_index = best->map.worst_index};
    return true;
}
