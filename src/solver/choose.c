/* choose.c: one island, by the methods that suit it, one after the other until one arrives.
 *
 * `ladder` lists them in order, each with the condition under which it is tried and its budget.
 * Islands of a few bodies and robots are one full matrix and do not come here (small/). SubADMM
 * comes first for islands whose blocks carry most of the problem in factors of their own (cables,
 * soft bodies), for islands of many blocks, and if the island's matrix would cost more to factor
 * than some tens of iterations. All others begin with Newton's steps. Of large islands the contacts
 * yield (compliant.h).
 *
 * The natural map at v_λ = A⁻¹(b + Jᵀλ) judges every rung, and the best forces win. The choice
 * depends on counts and on errors within this solve, on no clock and no history, so it is the same
 * in every run. */
#include "best.h"
#include "block/block.h"
#include "compliant.h"
#include "method/own_method.h"
#include "method/steady.h"

/* Newton is considered up to so many blocks, if a factorization takes at most so many
 * multiplications per constraint: about what 60 iterations of SubADMM cost. */
#define FEW_BLOCKS 150
#define FLOPS_PER_CONSTRAINT 1000.0
#define FLOPS_AT_LEAST 1e5
#define COLD_ITERATIONS 10 /* of assembled ADMM, for Newton to start from */
#define FAR 0.3            /* velocity_scale: then sweeps come before interior points */
#define FIRST_SWEEPS 20
#define FINE 1e-4  /* velocity_scale: v_λ of such forces is what a step moves with */
#define ROUGH 1e-2 /* velocity_scale: then SubADMM has a try as well */
/* SubADMM with a second method behind it gives up after so many looks in a row that gain less. */
#define STUCK_LOOKS 4
#define STUCK_GAIN 0.9
/* SubADMM goes on up to so many times its budget if it is about to arrive by then: the second
 * method costs more than that. */
#define LONGER 3
/* With so many unknowns (a cloth that lies on things) a second method costs thousands of
 * iterations: SubADMM has more of them then, and does not give up within. */
#define WIDE 250
#define PATIENT 10
#define MARKS_APART 30 /* iterations by which its progress is judged, at least */
/* Forces that nothing tells apart can wander long after the laws hold: look from here on anyway. */
#define LATE_LOOK 100
/* Compliant contacts: the law is known to 1/R only, so more of its error is let pass. Counts grow
 * with R, and where over-relaxation makes a cycle it is taken back. */
#define COMPLIANT_TOLERANCES 100.0
#define COMPLIANT_ITERATIONS 16 /* times def->iterations */
#define COMPLIANT_LOOK 40
#define COMPLIANT_PATIENCE 160 /* iterations that should halve the error */
#define COMPLIANT_RETREAT 3.0  /* R by this on a miss, once */

/* What SubADMM's residual was, and when. */
typedef struct Mark {
    int iteration;
    double residual;
} Mark;

typedef struct Island {
    TnProblem *problem;
    const TnSolverDef *def;
    TnPlanCache *plans;
    TnPool *pool;
    TnBest best;
    TnMethod best_method; /* that found best.best_lambda */
    TnPerConstraint guess;
    TnAssembly assembly;
    bool is_assembled;
    bool failed; /* no memory for it */
    bool split;  /* SubADMM has run */
    const char *form;
    struct {         /* SubADMM's looks */
        double stop; /* residual below which the map is looked at, */
        int look;    /* and the iteration from which on it is in any case */
        bool may_give_up;
        int stuck;
        double residual;
        int budget;       /* iterations */
        bool patient;     /* it does not give up within them */
        Mark last, older; /* MARKS_APART; the last is younger than that */
        TnSolverDef *def; /* what the iterations go by */
        int patience;     /* the iteration by which */
        double half;      /* the error should be this; compliant contacts only */
    } looks;
    TnIslandReport report;
} Island;

static bool done(const Island *s) { return tn_best_done(&s->best); }

/* Judges what `method` has left. */
static bool judge(Island *s, TnMethod method)
{
    double before = s->best.error;
    tn_best_look(&s->best);
    if (s->best.error < before) s->best_method = method;
    s->report.method = method;
    return done(s);
}

static void go_back(Island *s)
{
    tn_best_return(&s->best);
    s->report.method = s->best_method;
}

/* ---- what kind of island it is ---- */

static bool has_large_factors(const TnProblem *p)
{
    for (int i = 0; i < p->large_count; i++)
        if (p->large[i].kind->eliminates) return true;
    return false;
}

static bool few_blocks(const TnProblem *p) { return p->twist_count + p->large_count <= FEW_BLOCKS; }

/* Beside SubADMM's iterations, or beside what the blocks' own factors have cost already. */
static bool is_cheap(const TnProblem *p, double flops)
{
    double constraints = p->contact_count + p->row_count + 6.0 * p->bond_count, own = 0.0;
    for (int i = 0; i < p->large_count; i++)
        own += p->large[i].kind->eliminates ? p->large[i].flops : pow(p->large[i].dim, 3.0);
    return flops <= fmax(fmax(FLOPS_AT_LEAST, own), FLOPS_PER_CONSTRAINT * constraints);
}

/* What the full matrices that elimination left take at least. */
static double joined_flops(const TnProblem *p)
{
    double sum = 0.0;
    for (int i = 0; i < p->large_count; i++) sum += pow(p->large[i].joined, 3.0) / 6.0;
    return sum;
}

static bool is_cold(const TnProblem *p)
{
    for (int c = 0; c < p->contact_count; c++)
        for (int k = 0; k < 3; k++)
            if (p->lambda[c][k] != 0.0) return false;
    for (int r = 0; r < p->row_count; r++)
        if (p->rows[r].lambda != 0.0) return false;
    for (int i = 0; i < p->bond_count; i++)
        for (int k = 0; k < 12; k++)
            if (p->bonds[i].lambda[k] != 0.0) return false;
    return true;
}

/* The island's matrix, once. False: no memory. */
static bool assemble(Island *s)
{
    if (s->is_assembled) return true;
    s->failed = (s->split && !tn_blocks_restore_S(s->problem, s->pool)) ||
                !tn_assembly_build(s->problem, s->plans, &s->assembly);
    return s->is_assembled = !s->failed;
}

/* ---- SubADMM ---- */

static void keep_mark(Island *s, const TnSolveResult *so_far)
{
    if (so_far->iterations - s->looks.last.iteration < MARKS_APART) return;
    s->looks.older = s->looks.last;
    s->looks.last = (Mark){so_far->iterations, so_far->residual};
}

/* Whether iterations that go on as they did lately arrive in time. */
static bool will_arrive(const Island *s, const TnSolveResult *so_far)
{
    double gain = tn_log(s->looks.older.residual / so_far->residual),
           left = tn_log(so_far->residual / s->looks.stop);
    int took = so_far->iterations - s->looks.older.iteration;
    return gain > 0.0 && left / gain * took <= LONGER * s->looks.budget - so_far->iterations;
}

/* Compliant contacts: looks are regular, and over-relaxation is taken back where they gain little.
 */
static void relax_less(Island *s, int iterations)
{
    if (!s->problem->give) return;
    s->looks.look = iterations + COMPLIANT_LOOK;
    if (s->best.error <= s->looks.half) {
        s->looks.half = 0.5 * s->best.error;
        s->looks.patience = iterations + COMPLIANT_PATIENCE;
    } else if (iterations >= s->looks.patience) {
        s->looks.patience = iterations + COMPLIANT_PATIENCE;
        s->looks.def->over_relaxation = s->looks.def->over_relaxation > 1.3 ? 1.3 : 1.0;
    }
}

static bool enough(void *context, const TnSolveResult *so_far)
{
    Island *s = context;
    keep_mark(s, so_far);
    s->looks.stuck = so_far->residual > STUCK_GAIN * s->looks.residual ? s->looks.stuck + 1 : 0;
    s->looks.residual = so_far->residual;
    bool late = so_far->iterations >= s->looks.budget,
         may_give_up = s->looks.may_give_up && (late || !s->looks.patient);
    if (may_give_up && s->looks.stuck >= STUCK_LOOKS && !will_arrive(s, so_far)) return true;
    if (so_far->residual >= s->looks.stop && so_far->iterations < s->looks.look)
        return late && !will_arrive(s, so_far);
    if (judge(s, TN_METHOD_SUBADMM)) return true;
    if (so_far->iterations >= s->looks.look) s->looks.look += s->looks.look / 4;
    relax_less(s, so_far->iterations);
    double share = s->best.tolerance / s->best.map.largest;
    s->looks.stop = so_far->residual * fmin(0.9, fmax(0.1, share));
    return late && !will_arrive(s, so_far);
}

static size_t joined_unknowns(const TnProblem *p)
{
    size_t n = 0;
    for (int i = 0; i < p->large_count; i++) n += (size_t)p->large[i].joined;
    return n;
}

/* Newton's matrices are asked for before it is known whether they are needed, so that the first
 * time they are finds an arena that has grown before. */
static void expect_newton(const TnProblem *p)
{
    size_t n = joined_unknowns(p), mark = tn_arena_mark(p->arena);
    (void)TN_ARENA_NEW(p->arena, double, 3 * n * n);
    tn_arena_release(p->arena, mark);
}

static bool subadmm(Island *s, int budget)
{
    TnProblem *p = s->problem;
    TnSolverDef def = *s->def;
    def.tolerance = 0.0;
    def.iterations = budget;
    bool second = s->def->method == TN_METHOD_AUTO && has_large_factors(p) && few_blocks(p) &&
                  !s->is_assembled && is_cheap(p, joined_flops(p));
    s->looks.stop = s->best.tolerance;
    s->looks.look = p->give ? COMPLIANT_LOOK : LATE_LOOK;
    s->looks.stuck = 0;
    s->looks.residual = INFINITY;
    s->looks.may_give_up = second;
    s->looks.patient = second && joined_unknowns(p) > WIDE;
    s->looks.budget = s->looks.patient ? PATIENT * budget : budget;
    s->looks.last = s->looks.older = (Mark){0, INFINITY};
    if (second) def.iterations = LONGER * s->looks.budget;
    s->looks.def = &def;
    s->looks.patience = COMPLIANT_PATIENCE;
    s->looks.half = INFINITY;
    if (second) expect_newton(p);
    tn_problem_start_at_lambda(p);
    if (!tn_problem_prepare_H(p, &def, s->pool)) return false;
    s->split = true;
    TnSolveResult result = tn_subadmm_watched(p, &def, (TnWatch){enough, s}, s->pool);
    s->report.subadmm_iterations += result.iterations;
    if (!done(s) || s->report.method != TN_METHOD_SUBADMM) judge(s, TN_METHOD_SUBADMM);
    return true;
}

/* The guess, by the law of contacts that yield by D/R. True: it is good enough. */
static bool yield(Island *s, double R, double tolerance)
{
    double stiffness = R / s->def->contact_ratio * s->def->contact_stiffness;
    s->report.contact_ratio = tn_contacts_yield(s->problem, &s->best.D, R, stiffness);
    s->failed = s->report.contact_ratio == 0.0;
    return !s->failed && tn_best_again(&s->best, tolerance);
}

static bool compliant(Island *s, int budget)
{
    double R = s->def->contact_ratio, tolerance = COMPLIANT_TOLERANCES * s->best.tolerance;
    int most = budget * COMPLIANT_ITERATIONS;
    if (yield(s, R, tolerance) && s->best.map.largest < TN_STILL * tolerance) {
        s->best_method = s->report.method = TN_METHOD_AUTO;
        return true;
    }
    if (s->failed || !subadmm(s, most)) return false;
    if (done(s)) return true;
    go_back(s);
    s->report.why = "compliant contacts did not converge, softer ones may";
    yield(s, R / COMPLIANT_RETREAT, tolerance);
    return !s->failed && subadmm(s, most);
}

/* From the starting guess: if constraints contradict each other, Newton's forces would grow from
 * step to step. */
static bool subadmm_from_guess(Island *s, int budget)
{
    tn_lambda_put(s->problem, &s->guess);
    return subadmm(s, budget);
}

/* ---- methods on the island's matrix ---- */

static bool admm(Island *s, int budget)
{
    TnMethodResult result;
    if (!tn_assembled_admm(&s->assembly, s->problem, &s->best.D, s->best.tolerance, budget,
                           &result))
        return false;
    s->report.assembled_iterations += result.iterations;
    s->report.factorizations += result.factorizations;
    judge(s, TN_METHOD_ASSEMBLED);
    if (s->best.absurd) go_back(s);
    return true;
}

/* All that it leaves is forces, so its memory is free for the next. */
static bool second_order(Island *s, TnMethod name, TnSecondOrder *method, const TnPerConstraint *u,
                         int steps)
{
    TnMethodResult result;
    size_t mark = tn_arena_mark(s->problem->arena);
    bool ok = method(&s->assembly, s->problem, &s->best.D, u, s->best.tolerance, steps, &result);
    tn_arena_release(s->problem->arena, mark);
    if (!ok) return false;
    s->report.newton_steps += result.iterations;
    s->report.factorizations += result.factorizations;
    judge(s, name);
    if (s->best.absurd) go_back(s);
    return true;
}

static bool newton(Island *s, int budget)
{
    return (!is_cold(s->problem) || admm(s, COLD_ITERATIONS)) &&
           second_order(s, TN_METHOD_NEWTON, tn_newton, &s->best.u, budget);
}

/* Forces of the last step that are this far off tell nothing, and less than a few sweeps of
 * Gauss-Seidel do. */
static bool is_far(const Island *s)
{
    return s->best.error > FAR * s->def->velocity_scale && !has_large_factors(s->problem);
}

static bool sweep(Island *s, int count)
{
    TnOwnResult result;
    TnSolverDef def = *s->def;
    def.iterations = count;
    TnOwnInput in = {.problem = s->problem, .def = &def, .D = &s->best.D, .pool = s->pool};
    size_t mark = tn_arena_mark(s->problem->arena);
    bool ok = tn_pgs(&in, &result);
    tn_arena_release(s->problem->arena, mark);
    if (!ok) return false;
    s->report.sweeps += result.iterations;
    judge(s, TN_METHOD_PGS);
    return true;
}

static bool interior(Island *s, int budget)
{
    if (!is_far(s)) return second_order(s, TN_METHOD_INTERIOR, tn_interior, NULL, budget);
    if (!sweep(s, FIRST_SWEEPS)) return false;
    return done(s) || second_order(s, TN_METHOD_INTERIOR, tn_interior, &s->best.u, budget);
}
static bool interior_from_here(Island *s, int budget)
{
    return second_order(s, TN_METHOD_INTERIOR, tn_interior, &s->best.u, budget);
}
static bool proximal(Island *s, int budget)
{
    return second_order(s, TN_METHOD_PROXIMAL, tn_proximal, &s->best.u, budget);
}

/* ---- methods that run by themselves ---- */

static bool judge_watched(void *context, const TnSolveResult *so_far)
{
    (void)so_far;
    Island *s = context;
    return judge(s, s->report.method);
}

static bool by_itself(Island *s, TnMethod method, int budget)
{
    TnOwnResult result;
    TnSolverDef def = *s->def;
    def.method = method;
    def.iterations = budget;
    TnOwnInput in = {.problem = s->problem,
                     .def = &def,
                     .D = tn_own_prepares(&def) ? NULL : &s->best.D,
                     .plans = s->plans,
                     .pool = s->pool,
                     .watch = {judge_watched, s}};
    s->report.method = method;
    if (!tn_own_prepare(s->problem, &def, s->pool) || !tn_own_run(&def)(&in, &result)) return false;
    s->report.own_iterations += result.iterations;
    s->report.factorizations += result.factorizations;
    s->form = result.form;
    judge(s, method);
    return true;
}

/* ---- the ladder ---- */

static bool is_auto(const Island *s) { return s->def->method == TN_METHOD_AUTO; }

/* Whether the island's matrix is worth a factor. With large factors only SubADMM, stuck, asks. */
static bool cheap(Island *s)
{
    const TnProblem *p = s->problem;
    if (s->def->method == TN_METHOD_NEWTON) return assemble(s);
    if (!few_blocks(p) || (has_large_factors(p) && !s->looks.may_give_up && !s->is_assembled))
        return false;
    return assemble(s) && is_cheap(p, s->assembly.plan->flops);
}

static bool splits_first(Island *s)
{
    if (!is_auto(s)) return false;
    return has_large_factors(s->problem) || (!cheap(s) && !done(s));
}
static bool is_large(Island *s)
{
    const TnProblem *p = s->problem;
    return is_auto(s) && s->def->contact_ratio > 0.0 && p->contact_count > 0 &&
           !has_large_factors(p) && !cheap(s);
}
static bool splits_rigidly(Island *s) { return !s->problem->give && splits_first(s); }
/* SubADMM gave up for Newton, which turned out to cost too much. */
static bool gave_up_in_vain(Island *s) { return s->looks.may_give_up && !cheap(s); }
static bool rough(Island *s)
{
    return is_auto(s) && cheap(s) && s->best.error > ROUGH * s->def->velocity_scale;
}

typedef struct Rung {
    bool (*run)(Island *, int budget); /* false: no memory, or no factor */
    bool (*when)(Island *);
    int budget; /* iterations or steps; 0: def->iterations */
    const char *why;
} Rung;

static const Rung ladder[] = {
    {compliant, is_large, 0, "too large for a factorization: contacts yield"},
    {subadmm, splits_rigidly, 0, "large factors of their own, or a costly matrix"},
    {subadmm, gave_up_in_vain, 0, "a factorization costs too much"},
    {newton, cheap, 6, "a factorization is cheap"},
    {interior, cheap, 40, "Newton's steps did not converge"},
    {proximal, cheap, 30, "Newton's steps did not converge"},
    {admm, cheap, 40, "no second-order method converged"},
    {interior_from_here, cheap, 40, "ADMM did not converge, but may be close"},
    {proximal, cheap, 30, "ADMM did not converge, but may be close"},
    {subadmm_from_guess, rough, 0, "the best solution so far is inaccurate"},
};

/* False: no memory, or no factor. */
static bool climb(Island *s)
{
    for (size_t i = 0; i < sizeof ladder / sizeof *ladder; i++) {
        const Rung *rung = &ladder[i];
        if (!rung->when(s)) {
            if (s->failed) return false;
            continue;
        }
        s->report.why = rung->why;
        if (!rung->run(s, rung->budget ? rung->budget : s->def->iterations)) return false;
        if (done(s)) return true;
    }
    return true;
}

static bool choose(Island *s)
{
    TnMethod asked = s->def->method;
    if (asked == TN_METHOD_AUTO || asked == TN_METHOD_NEWTON) return climb(s);
    s->report.why = "requested";
    if (done(s)) return true;
    if (asked == TN_METHOD_SUBADMM) return subadmm(s, s->def->iterations);
    return by_itself(s, asked, s->def->iterations);
}

/* ---- before and after ---- */

/* Whether the starting guess may be good enough. v_λ of large blocks is not to be had for nothing,
 * so they are first looked at with the velocities of the last step. */
static bool may_be_at_rest(Island *s)
{
    TnProblem *p = s->problem;
    TnBest *best = &s->best;
    if (!has_large_factors(p) || s->def->method > TN_METHOD_SUBADMM) return true;
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
static bool settle(Island *s)
{
    const TnIslandReport *r = &s->report;
    bool others = r->newton_steps + r->sweeps + r->assembled_iterations + r->own_iterations > 0;
    if ((others || !s->split || s->problem->give) && !tn_best_is_here(&s->best)) go_back(s);
    double fine = (s->problem->give ? ROUGH : FINE) * s->def->velocity_scale;
    return r->method == TN_METHOD_SUBADMM && s->best.map.largest > fine;
}

bool tn_solve_island(TnProblem *p, const TnSolverDef *def, TnPlanCache *plans, TnPool *pool,
                     TnIslandResult *out)
{
    Island s = {.problem = p,
                .def = def,
                .plans = plans,
                .pool = pool,
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
    if (may_be_at_rest(&s)) judge(&s, TN_METHOD_AUTO);
    if (best->map.largest >= TN_STILL * best->tolerance) {
        if (tn_is_near_rest(best->map.largest, best->tolerance, def->velocity_scale) &&
            !tn_steady_start(p, &best->u, &steady))
            return false;
        if (!choose(&s)) return false;
    }
    bool own_v = settle(&s);
    s.report.converged = done(&s);
    s.report.error = best->map.largest / def->velocity_scale;
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
