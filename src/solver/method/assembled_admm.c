/* assembled_admm.c: ADMM with the whole problem as one linear system, as it is asked for by name;
 * the paper compares with it as FADMM: the splitting of OSQP (Stellato et al. 2020), which Tasora
 * et al. (2021) bring to multibody contact, with the matrix of the whole problem instead of one per
 * subsystem. Here as Douglas–Rachford splitting of one variable y, in units of force, a number per
 * constraint number:
 *
 *     x = H⁻¹ Jᵀ y,   H = A + JᵀWJ         so that A x = Jᵀλ_d exactly, with
 *     λ_d = y - W J x                      the forces that obey dynamics,
 *     t = λ_d - W (J x + e'),  λ_c = Π(t)  the forces that obey the laws,
 *     y ← y + α (λ_c - λ_d)
 *
 * At a fixed point λ = λ_d = λ_c, A x = Jᵀλ and λ = Π(λ - W(J x + e')): the solution, whatever W
 * is. W = s/D, of contacts along the normal and across it, zero in directions that yield nothing:
 * these start without force and get none. H is factored once.
 *
 * Linear laws need no iteration. With W their own gain (k α of soft rows, K of soft bonds) and y
 * what the law makes of x = 0, y - W J x is the law itself: their y stays and they are exact in
 * every iterate. Hard bonds iterate like equalities, with W = s Jᵀ(J C Jᵀ)⁺J of the pair (J, C:
 * law/linear_weights.c), on which y stays in the range of Jᵀ.
 *
 * The result is a λ_d: x is what it implies, so its natural map at x is the one that a tolerance is
 * about, and comes at the price of a look at each constraint. Of all iterates the best one is kept.
 * The first is the start itself (y = λ⁰ + W J x⁰ with x⁰ = A⁻¹Jᵀλ⁰), up to its linear laws.
 *
 * Anderson acceleration (anderson_mix.h) acts on y in the norm of W⁻¹.
 *
 * Asked for by name it has weights s/D by each row's own compliance, which is what OSQP's
 * equilibration aims at, and heavier ones for equalities; s adapted where primal and dual residuals
 * are out of balance by 5², with a factorization each; the exact law of Coulomb: the normal first,
 * then the disc that it allows. docs/baselines.md has the measurements. What a fixed count leaves
 * are the velocities that obey dynamics and the forces that obey the laws, each the method's own;
 * towards a tolerance it is forces and what they imply. */
#include "assembled_admm.h"
#include "../block/block.h"
#include "../law/law.h"
#include "admm_weights.h"
#include "anderson_mix.h"
#include "own_method.h"

/* Weights against compliances, those of equalities against others, over-relaxation without and with
 * Anderson acceleration, and differences that this keeps. */
#define WEIGHT_SCALE 5.0
#define EQUALITY 10.0
#define PLAIN_RELAXATION 1.8
#define ACCELERATED_RELAXATION 1.3
#define MEMORY 10
/* Adaptive weights: looked at every so many iterations, changed by no less than this, and within
 * these bounds. */
#define ADAPT_AFTER 25
#define ADAPT_BY 5.0
/* Coulomb's law is no gradient: far over-relaxed, iterates may go round in circles. Where the error
 * has hardly fallen since the last look (TN_LITTLE_GAIN), half of the over-relaxation goes, and
 * weights change for less. */
#define ADAPT_STUCK_BY 1.5
#define MOST_SCALE 1e4

typedef struct Loop {
    const TnAssembly *assembly;
    TnProblem *p;
    const TnCompliances *D;
    const TnAdmmChoice *choice;
    double scale, relaxation; /* at present */
    double looked;            /* least error when weights were looked at last */
    TnAdmmWeights weights;
    double *values, *x;
    TnPerConstraint y, next; /* this iterate and the plain next one */
    TnPerConstraint u, force, best;
    TnPerConstraint before_u, before_force; /* of the last iteration, where weights adapt */
    int settled;                            /* iterations since the weights changed */
    TnPerConstraint residual;               /* λ_c - λ_d, then W^-½ times that */
    TnPerConstraint pushed;                 /* scratch: W times something */
    TnMix mix;
} Loop;

/* ---- preparation ---- */

/* u = J x⁰ of the problem's λ. False: no memory. */
static bool start_velocities(Loop *loop)
{
    TnVelocities v;
    double *u = loop->u.all;
    const double *e = loop->assembly->e.all;
    if (!tn_velocities_alloc(loop->p, &v)) return false;
    tn_velocities_implied(loop->p, &v);
    tn_constraint_velocities(loop->p, &v, &loop->u);
    for (size_t k = 0; k < loop->u.count; k++) u[k] -= e[k];
    return true;
}

static void start_bond(const Loop *loop, int i)
{
    const TnBond *bond = &loop->p->bonds[i];
    double *y = loop->y.bond[i];
    const int row[2] = {bond->row_a, bond->row_b};
    if (!bond->hard) { /* -(f + K z) at x = 0 */
        tn_admm_weigh_bond(&loop->weights, i, loop->assembly->e.bond[i], y);
        for (int k = 0; k < 12; k++) y[k] = row[k / 6] ? -y[k] - bond->f[k] : 0.0;
        return;
    }
    tn_admm_weigh_bond(&loop->weights, i, loop->u.bond[i], y);
    tn_bond_add_held(bond, bond->lambda, y);
}

static void start(Loop *loop)
{
    const TnProblem *p = loop->p;
    const TnPerConstraint *e = &loop->assembly->e;
    for (int c = 0; c < p->contact_count; c++) {
        double pushed[3];
        tn_admm_weigh_contact(&loop->weights, c, loop->u.contact[c], pushed);
        tn_admm_split(p->normals[c], tn_normal_compliance(loop->D, c) > 0.0,
                      tn_tangent_compliance(loop->D, c) > 0.0, p->lambda[c], loop->y.contact[c]);
        for (int k = 0; k < 3; k++) loop->y.contact[c][k] += pushed[k];
    }
    for (int r = 0; r < p->row_count; r++) {
        const TnRow *row = &p->rows[r];
        double W = loop->weights.W.row[r];
        if (tn_row_is_soft(row)) /* at x = 0 */
            loop->y.row[r] = tn_soft_force(row, e->row[r]);
        else
            loop->y.row[r] = W > 0.0 ? row->lambda + W * loop->u.row[r] : 0.0;
    }
    for (int i = 0; i < p->bond_count; i++) start_bond(loop, i);
}

static bool prepare(Loop *loop)
{
    const TnProblem *p = loop->p;
    TnPerConstraint *all[] = {&loop->y,        &loop->next,   &loop->u,
                              &loop->force,    &loop->best,   &loop->residual,
                              &loop->before_u, &loop->pushed, &loop->before_force};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!tn_per_constraint_alloc(p, all[k])) return false;
    loop->values = TN_ARENA_NEW(p->arena, double, loop->assembly->plan->size);
    loop->x = TN_ARENA_NEW(p->arena, double, loop->assembly->dim);
    long n = (long)loop->y.count;
    if (!loop->values || !loop->x ||
        !tn_mix_alloc(&loop->mix, p->arena, loop->choice->memory, n, n) ||
        !tn_admm_weights_alloc(p, &loop->weights) || !start_velocities(loop))
        return false;
    tn_admm_weights_set(&loop->weights, loop->D, loop->scale, loop->choice->equality);
    start(loop);
    return true;
}

/* ---- an iteration ---- */

/* x = H⁻¹ Jᵀ y, force = y - W J x, u = J x + e'; the natural map there. */
static TnNaturalMap obey_dynamics(Loop *loop)
{
    const TnAssembly *a = loop->assembly;
    const TnProblem *p = loop->p;
    tn_assembly_gather(a, &loop->y, loop->x);
    tn_assembly_solve(a, true, loop->values, loop->x);
    tn_assembly_apply(a, loop->x, &loop->u);
    tn_admm_weigh(&loop->weights, &loop->u, &loop->pushed);
    for (size_t k = 0; k < loop->y.count; k++)
        loop->force.all[k] = loop->y.all[k] - loop->pushed.all[k];
    tn_per_constraint_add(&loop->u, &a->e);
    return tn_natural_map(p, loop->D, &loop->u, &loop->force);
}

/* Π of a contact at t = λ - W u. */
static void project_contact(const Loop *loop, int c, double lambda[3])
{
    const TnProblem *p = loop->p;
    double t[3];
    tn_admm_weigh_contact(&loop->weights, c, loop->u.contact[c], t);
    for (int k = 0; k < 3; k++) t[k] = loop->force.contact[c][k] - t[k];
    tn_contact_project(p->normals[c], p->contact_batch[c / TN_LANES].mu[c % TN_LANES], t, lambda);
}

/* Of a row or a rolling pair. `contact` has this iteration's λ_c of contacts. */
static void project_row(const Loop *loop, int r, double (*contact)[3], double *lambda)
{
    const TnRow *row = &loop->p->rows[r];
    const double *force = loop->force.row + r, *W = loop->weights.W.row + r;
    double t[2];
    if (tn_row_is_soft(row)) {
        lambda[0] = force[0];
        return;
    }
    for (int i = 0; i < tn_row_group(row); i++) t[i] = force[i] - W[i] * loop->u.row[r + i];
    tn_row_project(row, W[0], tn_row_radius(loop->p, row, contact), t, lambda);
}

/* residual = λ_c - λ_d, next = y + α residual */
static void obey_laws(Loop *loop)
{
    const TnProblem *p = loop->p;
    TnPerConstraint *r = &loop->residual;
    for (int c = 0; c < p->contact_count; c++) project_contact(loop, c, r->contact[c]);
    for (int i = 0; i < p->row_count; i += tn_row_group(&p->rows[i]))
        project_row(loop, i, r->contact, r->row + i);
    const double *force = loop->force.all, *y = loop->y.all;
    double *difference = r->all, *next = loop->next.all;
    for (int i = 0; i < p->bond_count; i++) {
        tn_admm_weigh_bond(&loop->weights, i, loop->u.bond[i], r->bond[i]);
        for (int k = 0; k < 12; k++)
            r->bond[i][k] = p->bonds[i].hard ? loop->force.bond[i][k] - r->bond[i][k] -
                                                   loop->weights.bond_pull[i][k]
                                             : loop->force.bond[i][k];
    }
    for (size_t k = 0; k < loop->y.count; k++) {
        difference[k] -= force[k];
        next[k] = y[k] + loop->relaxation * difference[k];
    }
}

/* y ← the accelerated next iterate. */
static void accelerate(Loop *loop)
{
    long n = (long)loop->y.count;
    double sums[TN_MIX_SUMS];
    tn_mix_begin(&loop->mix);
    tn_mix_take(&loop->mix, 0, n, loop->next.all, n, loop->residual.all, sums);
    if (tn_mix_combine(&loop->mix, sums))
        tn_mix_put(&loop->mix, 0, n, loop->y.all);
    else
        tn_per_constraint_swap(&loop->y, &loop->next);
}

/* ---- adaptive weights ---- */

/* y that belongs to u and λ. */
static void hold(Loop *loop)
{
    const double *e = loop->assembly->e.all;
    for (size_t k = 0; k < loop->y.count; k++) loop->next.all[k] = loop->u.all[k] - e[k];
    tn_admm_weigh(&loop->weights, &loop->next, &loop->y);
    tn_per_constraint_add(&loop->y, &loop->force);
}

/* Between two iterates that obey dynamics the primal residual is W⁻¹ Δλ, the dual one W Δu. Where
 * they are out of balance, other weights and a factor of their own, at the same u and λ. */
static bool adapt(Loop *loop, double least, TnMethodResult *out)
{
    if (++loop->settled % ADAPT_AFTER) return true;
    bool stuck = !(least < TN_LITTLE_GAIN * loop->looked);
    double by = stuck ? ADAPT_STUCK_BY : ADAPT_BY;
    if (stuck) loop->relaxation = 1.0 + 0.5 * (loop->relaxation - 1.0);
    loop->looked = least;
    double primal = tn_admm_force_norm(&loop->weights, &loop->force, &loop->before_force),
           dual = tn_admm_velocity_norm(&loop->weights, &loop->u, &loop->before_u);
    if (!(primal > 0.0) || !(dual > 0.0)) return true;
    double scale = fmin(MOST_SCALE, fmax(1.0 / MOST_SCALE, loop->scale * sqrt(primal / dual)));
    if (scale < by * loop->scale && scale * by > loop->scale) return true;
    loop->scale = scale;
    loop->settled = 0;
    tn_admm_weights_set(&loop->weights, loop->D, scale, loop->choice->equality);
    out->factorizations++;
    if (!tn_assembly_factor(loop->assembly, &loop->weights.W, loop->values)) return false;
    hold(loop);
    tn_mix_start(&loop->mix);
    return true;
}

static bool is_enough(Loop *loop, double error, double *asked, const TnMethodResult *so_far)
{
    const TnWatch *watch = &loop->choice->watch;
    TnSolveResult result = {.iterations = so_far->iterations, .residual = error};
    if (error < loop->choice->tolerance) return true;
    if (!watch->enough || !(error < 0.5 * *asked)) return false;
    *asked = error;
    tn_lambda_put(loop->p, &loop->force);
    return watch->enough(watch->context, &result);
}

static bool iterate(Loop *loop, TnPerConstraint *law, TnMethodResult *out)
{
    const TnAdmmChoice *choice = loop->choice;
    double least = INFINITY, asked = INFINITY;
    while (out->iterations < choice->iterations) {
        TnNaturalMap map = obey_dynamics(loop);
        out->iterations++;
        double error = choice->by_rms ? map.rms : map.largest;
        bool better = error < least, last = out->iterations == choice->iterations;
        if (better) {
            least = error;
            out->error = map.largest;
            tn_per_constraint_copy(&loop->best, &loop->force);
        }
        last = last || is_enough(loop, map.largest, &asked, out);
        if (last && !(law && better)) return true;
        if (choice->adaptive && !last && !adapt(loop, least, out)) return false;
        obey_laws(loop);
        if (law && better) {
            tn_per_constraint_copy(law, &loop->residual);
            tn_per_constraint_add(law, &loop->force);
        }
        if (last) return true;
        if (choice->adaptive) {
            tn_per_constraint_copy(&loop->before_u, &loop->u);
            tn_per_constraint_copy(&loop->before_force, &loop->force);
        }
        if (choice->memory) {
            tn_admm_unweigh_root(&loop->weights, &loop->residual);
            accelerate(loop);
        } else {
            tn_per_constraint_swap(&loop->y, &loop->next);
        }
    }
    return true;
}

bool tn_admm_run(const TnAssembly *assembly, TnProblem *p, const TnCompliances *D,
                 const TnAdmmChoice *choice, TnPerConstraint *law, TnMethodResult *out)
{
    Loop loop = {.assembly = assembly,
                 .p = p,
                 .D = D,
                 .choice = choice,
                 .scale = choice->scale,
                 .relaxation = choice->relaxation,
                 .looked = INFINITY};
    size_t mark = tn_arena_mark(p->arena);
    *out = (TnMethodResult){.error = INFINITY};
    bool ok = prepare(&loop) && tn_assembly_factor(assembly, &loop.weights.W, loop.values);
    if (ok) {
        out->factorizations = 1;
        ok = iterate(&loop, law, out);
        if (out->error < INFINITY) tn_lambda_put(p, &loop.best);
    }
    tn_arena_release(p->arena, mark);
    return ok;
}

/* Piles of free bodies are the better for none in few iterations. */
static int memory_of(const TnOwnInput *in)
{
    const TnProblem *p = in->problem;
    if (in->def->anderson >= 0) return in->def->anderson;
    if (in->watch.enough) return MEMORY;
    for (int i = 0; i < p->large_count; i++)
        if (p->large[i].kind->eliminates) return MEMORY;
    return 0;
}

bool tn_full_admm(const TnOwnInput *in, TnOwnResult *out)
{
    TnProblem *p = in->problem;
    TnAssembly assembly;
    TnMethodResult result;
    TnPerConstraint law;
    TnVelocities v;
    bool fixed = !in->watch.enough;
    int memory = memory_of(in);
    const TnAdmmChoice choice = {.scale = WEIGHT_SCALE,
                                 .equality = EQUALITY,
                                 .relaxation = memory ? ACCELERATED_RELAXATION : PLAIN_RELAXATION,
                                 .memory = memory,
                                 .adaptive = true,
                                 .by_rms = fixed,
                                 .iterations = in->def->iterations,
                                 .watch = in->watch};
    *out = (TnOwnResult){.form = choice.memory ? "one factor, adaptive weights, accelerated"
                                               : "one factor, adaptive weights"};
    if (!tn_assembly_build(p, in->plans, &assembly) || !tn_per_constraint_alloc(p, &law) ||
        !tn_velocities_alloc(p, &v) ||
        !tn_admm_run(&assembly, p, in->D, &choice, fixed ? &law : NULL, &result))
        return false;
    out->iterations = result.iterations;
    out->factorizations = result.factorizations;
    out->residual = result.error;
    if (!fixed) return true;
    tn_velocities_touched(p, &v);
    tn_velocities_finish(p, &v);
    tn_lambda_put(p, &law);
    out->own_v = true;
    return true;
}
