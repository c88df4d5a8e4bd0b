/* pj.c: projected Jacobi, all constraints at once and all blocks at once, with Nesterov's momentum:
 *
 *     v = A⁻¹(b + Jᵀy)                                     per block, in parallel
 *     λ ← Π(y - M⁻¹(J v + e))                              per constraint, in parallel
 *     y ← λ + (t - 1)/t⁺ (λ - λ_last),   t⁺ = (1 + √(1 + 4t²))/2
 *
 * M by pj_steps.c. Where (y - λ)·(λ - λ_last) > 0 in the norm of M the momentum points the wrong
 * way, and t = 1 (O'Donoghue and Candès); the same where |λ - y| grows. Bonds step in the rows of
 * law/linear_rows.h, soft ones implicitly. Sums are added up in the order of constraints, so the
 * result has the same bits for any number of threads. */
#include "pj.h"
#include "baselines.h"
#include "solver/block/block.h"
#include "solver/law/law.h"
#include "solver/method/loop.h"

#define LOOK_GAIN 0.7
/* Squared movement that grows by so much ends the momentum, since friction is no gradient; by so
 * much over its least, the steps are too long. */
#define GROWTH 1.1
#define BLOW_UP 1e4

typedef enum Stage { BEFORE, BLOCKS, CONSTRAINTS, SPINS, SUMS, MOMENTUM } Stage;

typedef struct Loop {
    const TnOwnInput *in;
    TnProblem *p;
    TnPjBond *bonds;
    TnPerConstraint y, last; /* of bonds none */
    double *wrong;           /* (y - λ)·M(λ - λ_last) per batch, row and bond */
    double *moved;           /* squared M (λ - y) of the same, m/s */
    int chunks;
    Stage stage;
    double t, momentum, seen;
    double moved_last, least; /* sums of `moved`: of the last iteration, and the least so far */
    TnOwnResult *out;
} Loop;

/* ---- phases ---- */

static void update_bond(const Loop *loop, int index)
{
    TnBond *bond = &loop->p->bonds[index];
    TnPjBond *b = &loop->bonds[index];
    double z[12], u[12];
    tn_bond_velocity(bond, (const double(*)[8])loop->p->twist, z);
    tn_bond_rows_velocity(bond, &b->rows, z, u);
    memcpy(b->before, b->mu, sizeof b->mu);
    tn_bond_rows_step(b->rows.count, tn_bond_rows_slack(bond), b->inverse, u, b->mu);
    tn_bond_rows_put(bond, &b->rows, b->mu);
}

static void update_constraints(Loop *loop, int chunk)
{
    TnProblem *p = loop->p;
    int begin, end;
    tn_share(p->contact_batches, chunk, loop->chunks, &begin, &end);
    if (end > begin)
        memcpy(loop->y.contact[begin * TN_LANES], p->lambda[begin * TN_LANES],
               sizeof(double[3]) * TN_LANES * (size_t)(end - begin));
    p->kernels->contact_update(p->contact_batch, NULL, begin, end, (const double(*)[8])p->twist,
                               p->lambda, 1.0, NULL);
    tn_share(p->row_count, chunk, loop->chunks, &begin, &end);
    for (int r = begin; r < end; r++) loop->y.row[r] = p->rows[r].lambda;
    tn_rows_update(p, begin, end, 1.0, false);
    tn_share(p->bond_count, chunk, loop->chunks, &begin, &end);
    for (int i = begin; i < end; i++) update_bond(loop, i);
}

static void sum_contacts(const Loop *loop, int batch)
{
    const TnProblem *p = loop->p;
    const TnContactBatch *b = &p->contact_batch[batch];
    double wrong = 0.0, moved = 0.0;
    for (int l = 0; l < TN_LANES; l++) {
        int c = batch * TN_LANES + l;
        double M = b->Bn[l] > 0.0 ? 1.0 / b->Bn[l] : 0.0;
        for (int k = 0; k < 3; k++) {
            double d = M * (loop->y.contact[c][k] - p->lambda[c][k]);
            wrong += d * (p->lambda[c][k] - loop->last.contact[c][k]);
            moved += d * d;
        }
    }
    loop->wrong[batch] = wrong;
    loop->moved[batch] = moved;
}

static void sum_all(const Loop *loop, int chunk)
{
    const TnProblem *p = loop->p;
    int begin, end, first = p->contact_batches;
    tn_share(p->contact_batches, chunk, loop->chunks, &begin, &end);
    for (int i = begin; i < end; i++) sum_contacts(loop, i);
    tn_share(p->row_count, chunk, loop->chunks, &begin, &end);
    for (int r = begin; r < end; r++) {
        const TnRow *row = &p->rows[r];
        double d = row->B > 0.0 ? (loop->y.row[r] - row->lambda) / row->B : 0.0;
        loop->wrong[first + r] = d * (row->lambda - loop->last.row[r]);
        loop->moved[first + r] = pow(tn_row_lever(row) * d, 2.0);
    }
    first += p->row_count;
    tn_share(p->bond_count, chunk, loop->chunks, &begin, &end);
    for (int i = begin; i < end; i++) {
        const TnPjBond *b = &loop->bonds[i];
        double wrong = 0.0, moved = 0.0;
        for (int k = 0; k < b->rows.count; k++) {
            double M = b->inverse[(b->rows.count + 1) * k];
            M = M > 0.0 ? 1.0 / M : 0.0;
            double d = M * (b->before[k] - b->mu[k]);
            wrong += d * (b->mu[k] - b->last[k]);
            moved += pow(b->rows.lever[k] * d, 2.0);
        }
        loop->wrong[first + i] = wrong;
        loop->moved[first + i] = moved;
    }
}

/* y ← λ + momentum (λ - last), last ← λ */
static void push_on(Loop *loop, int chunk)
{
    TnProblem *p = loop->p;
    double m = loop->momentum;
    int begin, end;
    tn_share(p->contact_batches, chunk, loop->chunks, &begin, &end);
    double *lambda = p->lambda[0], *last = loop->last.contact[0];
    for (long i = 3L * TN_LANES * begin; i < 3L * TN_LANES * end; i++) {
        double x = lambda[i];
        lambda[i] += m * (x - last[i]);
        last[i] = x;
    }
    tn_share(p->row_count, chunk, loop->chunks, &begin, &end);
    for (int r = begin; r < end; r++) {
        double x = p->rows[r].lambda;
        p->rows[r].lambda += m * (x - loop->last.row[r]);
        loop->last.row[r] = x;
    }
    tn_share(p->bond_count, chunk, loop->chunks, &begin, &end);
    for (int i = begin; i < end; i++) {
        TnPjBond *b = &loop->bonds[i];
        for (int k = 0; k < b->rows.count; k++) {
            double x = b->mu[k];
            b->mu[k] += m * (x - b->last[k]);
            b->last[k] = x;
        }
        tn_bond_rows_put(&p->bonds[i], &b->rows, b->mu);
    }
}

/* ---- the loop ---- */

static bool is_enough(Loop *loop)
{
    const TnWatch *watch = &loop->in->watch;
    TnOwnResult *out = loop->out;
    if (!watch->enough || out->iterations < TN_FIRST_LOOK ||
        out->residual >= LOOK_GAIN * loop->seen)
        return false;
    TnSolveResult so_far = {out->iterations, false, out->residual, out->form};
    loop->seen = out->residual;
    return watch->enough(watch->context, &so_far);
}

static void take_half_steps(Loop *loop)
{
    TnProblem *p = loop->p;
    for (int i = 0; i < p->contact_batches; i++)
        for (int l = 0; l < TN_LANES; l++) {
            p->contact_batch[i].Bn[l] *= 0.5;
            p->contact_batch[i].Bt[l] *= 0.5;
        }
    for (int r = 0; r < p->row_count; r++) p->rows[r].B *= 0.5;
    for (int i = 0; i < p->bond_count; i++)
        for (int k = 0; k < 144; k++) loop->bonds[i].inverse[k] *= 0.5;
    loop->least = INFINITY;
}

/* False: no more iterations. */
static bool end_iteration(Loop *loop)
{
    const TnProblem *p = loop->p;
    int count = p->contact_batches + p->row_count + p->bond_count;
    double wrong = 0.0, moved = 0.0;
    for (int i = 0; i < count; i++) {
        wrong += loop->wrong[i];
        moved += loop->moved[i];
    }
    int numbers = 3 * p->contact_count + p->row_count + 6 * p->bond_count;
    loop->out->iterations++;
    loop->out->residual = numbers ? sqrt(moved / numbers) : 0.0;
    if (is_enough(loop) || loop->out->iterations >= loop->in->def->iterations) return false;
    if (moved > BLOW_UP * loop->least) take_half_steps(loop);
    if (wrong > 0.0 || moved > GROWTH * loop->moved_last) loop->t = 1.0;
    loop->moved_last = moved;
    loop->least = fmin(loop->least, moved);
    double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * loop->t * loop->t));
    loop->momentum = (loop->t - 1.0) / next;
    loop->t = next;
    return true;
}

static int next_stage(void *context)
{
    Loop *loop = context;
    switch (loop->stage) {
    case BEFORE:
    case MOMENTUM:
        loop->stage = BLOCKS;
        return loop->chunks;
    case BLOCKS:
        loop->stage = CONSTRAINTS;
        return loop->chunks;
    case CONSTRAINTS:
        if (loop->p->spins) { /* bounded by this iteration's normal forces */
            loop->stage = SPINS;
            return 1;
        } /* fall through */
    case SPINS:
        loop->stage = SUMS;
        return loop->chunks;
    case SUMS:
        break;
    }
    loop->stage = MOMENTUM;
    return end_iteration(loop) ? loop->chunks : 0;
}

static void run_chunk(void *context, int chunk)
{
    Loop *loop = context;
    if (loop->stage == BLOCKS) tn_blocks_update(loop->p, chunk, loop->chunks, 0.0);
    if (loop->stage == CONSTRAINTS) update_constraints(loop, chunk);
    if (loop->stage == SPINS) tn_rows_update_spins(loop->p, 1.0, false);
    if (loop->stage == SUMS) sum_all(loop, chunk);
    if (loop->stage == MOMENTUM) push_on(loop, chunk);
}

static bool reserve(Loop *loop)
{
    TnProblem *p = loop->p;
    size_t count = (size_t)(p->contact_batches + p->row_count + p->bond_count),
           n = (size_t)p->bond_count;
    loop->bonds = TN_ARENA_ZERO(p->arena, TnPjBond, n);
    loop->wrong = TN_ARENA_ZERO(p->arena, double, count);
    loop->moved = TN_ARENA_ZERO(p->arena, double, count);
    return loop->bonds && loop->wrong && loop->moved && tn_per_constraint_alloc(p, &loop->y) &&
           tn_per_constraint_alloc(p, &loop->last);
}

static int worth_threads(const TnProblem *p)
{
    long work = p->contact_count + p->row_count + 6L * p->bond_count;
    for (int i = 0; i < p->large_count; i++) work += p->large[i].dim;
    return (int)(work / TN_CONTACTS_PER_CROWDED_THREAD);
}

bool tn_pj(const TnOwnInput *in, TnOwnResult *out)
{
    TnProblem *p = in->problem;
    Loop loop = {.in = in,
                 .p = p,
                 .out = out,
                 .t = 1.0,
                 .seen = INFINITY,
                 .moved_last = INFINITY,
                 .least = INFINITY};
    *out = (TnOwnResult){.form = "mass splitting with momentum"};
    if (!reserve(&loop) || !tn_pj_prepare(p, in->D, loop.bonds, 1.0, in->pool)) return false;
    for (int c = 0; c < p->contact_count; c++) /* a direction without a step takes no force */
        tn_contact_release(p->normals[c], tn_normal_compliance(in->D, c),
                           tn_tangent_compliance(in->D, c), p->lambda[c]);
    tn_lambda_take(p, &loop.last);
    int threads = worth_threads(p), most = tn_pool_threads(in->pool);
    if (threads > most) threads = most;
    loop.chunks = threads > 1 ? TN_CHUNKS_PER_THREAD * threads : 1;
    if (in->def->iterations > 0)
        tn_pool_phases(in->pool, threads, (TnPhases){next_stage, run_chunk, &loop});
    return true;
}

const TnOwnMethod tn_own_pj = {.name = "pj", .run = tn_pj};
