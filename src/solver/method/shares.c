/* shares.c: see shares.h.
 *
 * Blocks are dealt to threads. A share has copies of all contacts of its blocks; so a contact
 * between two shares is computed twice, from the same numbers in the same order. An iteration is
 * one phase, of each share:
 *
 *     λ of its contacts         from velocities of the iteration before,
 *     velocities of its blocks  from these λ, into the other one of two tables.
 *
 * Only velocities go from thread to thread, and the bits are those of subadmm.c. Shares are
 * stretches of blocks, which are numbered by their first contacts and so lie close together: four
 * threads compute 1.1 to 1.25 times the contacts, sixteen 1.2 to 1.45 times. Of many contacts
 * memory bounds the iterations, and not the exchange: 8,000 spheres on 16 threads took 3.6 ms so,
 * and 3.1 without. */
#include "shares.h"

#include "../block/block.h"
#include "loop.h"

#define MOST_SHARES 64
#define NO_SHARE MOST_SHARES

typedef struct Share {
    int large_begin, large_end; /* its blocks */
    int twist_begin, twist_end; /* and batches of twist blocks */
    int begin, end;             /* batches of its copies */
} Share;

typedef enum Stage { BEFORE, DEAL, ITERATE, RETURN } Stage;

typedef struct Shares {
    TnProblem *problem;
    TnProblem at[2]; /* the same with the copies, and one of the tables */
    Share share[MOST_SHARES];
    int count;
    uint8_t *owner;          /* per row of the table: whose it is */
    TnContactBatch *batches; /* copies, share after share */
    int32_t *source;         /* of which contact */
    int32_t *sides;          /* side_contact for the copies */
    TnSideColumns columns;
    int32_t *next_as_a, *next_as_b; /* per row: where its next side is listed */
    /* of the phase under way */
    Stage stage;
    int left;      /* iterations */
    bool unsuited; /* a contact acts on a block of no share */
    double over_relaxation, alpha;
} Shares;

/* ---- which share has what ---- */

static void give_rows(Shares *x, int share, int first, int count)
{
    memset(x->owner + first, share, (size_t)count);
    x->share[share].end += x->problem->side_start[first + count] - x->problem->side_start[first];
}

/* What rows of the table cost: contacts, and as much again for their own. */
static double cost_of(const TnProblem *p, int first, int count)
{
    return p->side_start[first + count] - p->side_start[first] + count;
}

/* Stretches of blocks, large ones first, of about the same cost. */
static void divide(Shares *x)
{
    const TnProblem *p = x->problem;
    int rows = p->table_rows - 1, s = 0;
    double all = cost_of(p, 1, rows), sum = 0.0;
    for (int i = 0; i < p->large_count; i++) all += p->large[i].kind->work(&p->large[i]).iteration;
    memset(x->owner, NO_SHARE, (size_t)p->table_rows);
    for (int i = 0; i < p->large_count; i++) {
        const TnLargeBlock *d = &p->large[i];
        int first = p->port_row + d->port_start;
        double cost = d->kind->work(d).iteration + cost_of(p, first, d->port_count);
        while (s + 1 < x->count && sum + 0.5 * cost > all * (s + 1) / x->count) s++;
        if (x->share[s].large_end == 0) x->share[s].large_begin = i;
        x->share[s].large_end = i + 1;
        give_rows(x, s, first, d->port_count);
        sum += cost;
    }
    for (int i = 0; i < p->twist_batches; i++) {
        int first = 1 + i * TN_LANES;
        double cost = cost_of(p, first, TN_LANES);
        while (s + 1 < x->count && sum + 0.5 * cost > all * (s + 1) / x->count) s++;
        if (x->share[s].twist_end == 0) x->share[s].twist_begin = i;
        x->share[s].twist_end = i + 1;
        give_rows(x, s, first, TN_LANES);
        sum += cost;
    }
    /* a share has no more copies than sides */
    for (int i = 0, batches = 0; i < x->count; i++) {
        x->share[i].begin = batches;
        batches += (x->share[i].end + TN_LANES - 1) / TN_LANES;
        x->share[i].end = batches;
    }
}

/* ---- copies ---- */

static void copy_contact(const TnContactBatch *from, int l, TnContactBatch *to, int m)
{
    for (int k = 0; k < 3; k++) {
        to->arm_a[k][m] = from->arm_a[k][l];
        to->arm_b[k][m] = from->arm_b[k][l];
        to->normal[k][m] = from->normal[k][l];
        to->e[k][m] = from->e[k][l];
        to->t[k][m] = from->t[k][l];
    }
    to->Bn[m] = from->Bn[l];
    to->Bt[m] = from->Bt[l];
    to->mu[m] = from->mu[l];
    to->row_a[m] = from->row_a[l];
    to->row_b[m] = from->row_b[l];
}

static void begin_rows(const Shares *x, int first, int count)
{
    const TnProblem *p = x->problem;
    size_t bytes = sizeof(int32_t) * (size_t)count;
    memcpy(x->next_as_b + first, p->side_start + first, bytes);
    memcpy(x->next_as_a + first, p->side_mid + first, bytes);
    memcpy(x->at[1].twist + first, p->twist + first, sizeof(double[8]) * (size_t)count);
}

/* Contacts of the share in their order, and its blocks' lists of them. */
static void deal(Shares *x, int index)
{
    Share *share = &x->share[index];
    const TnProblem *p = x->problem;
    int copy = share->begin * TN_LANES;
    for (int i = share->large_begin; i < share->large_end; i++)
        begin_rows(x, p->port_row + p->large[i].port_start, p->large[i].port_count);
    begin_rows(x, 1 + share->twist_begin * TN_LANES,
               (share->twist_end - share->twist_begin) * TN_LANES);
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactBatch *from = &p->contact_batch[c / TN_LANES];
        int l = c % TN_LANES, a = from->row_a[l], b = from->row_b[l], m = copy % TN_LANES;
        bool has_a = x->owner[a] == index, has_b = x->owner[b] == index;
        if (!has_a && !has_b) {
            if (index == 0 && !a && !b) x->unsuited = true;
            continue;
        }
        TnContactBatch *to = &x->batches[copy / TN_LANES];
        if (m == 0) {
            memset(to, 0, sizeof *to);
            memset(x->at[0].lambda[copy], 0, sizeof(double[TN_LANES][3]));
        }
        copy_contact(from, l, to, m);
        memcpy(x->at[0].lambda[copy], p->lambda[c], sizeof(double[3]));
        x->source[copy] = c;
        if (has_b) x->sides[x->next_as_b[b]++] = copy;
        if (has_a) x->sides[x->next_as_a[a]++] = copy;
        copy++;
    }
    share->end = (copy + TN_LANES - 1) / TN_LANES;
    tn_columns_fill(&x->at[0], share->twist_begin, share->twist_end, &x->columns);
    for (; copy < share->end * TN_LANES; copy++) x->source[copy] = -1;
}

/* t and λ of the contacts whose first side is the share's, or the second of the world's. */
static void return_copies(const Shares *x, int index)
{
    const TnProblem *p = x->problem;
    for (int i = x->share[index].begin * TN_LANES; i < x->share[index].end * TN_LANES; i++) {
        const TnContactBatch *from = &x->batches[i / TN_LANES];
        int m = i % TN_LANES, c = x->source[i], a = from->row_a[m], b = from->row_b[m];
        if (c < 0 || x->owner[a ? a : b] != index) continue;
        for (int k = 0; k < 3; k++)
            p->contact_batch[c / TN_LANES].t[k][c % TN_LANES] = from->t[k][m];
        memcpy(p->lambda[c], x->at[0].lambda[i], sizeof(double[3]));
    }
}

/* ---- iterations ---- */

static void iterate(Shares *x, int index)
{
    const Share *share = &x->share[index];
    /* the last is written to the problem's own table */
    TnProblem *from = &x->at[x->left & 1], *to = &x->at[~x->left & 1];
    from->kernels->contact_update(x->batches, NULL, share->begin, share->end,
                                  (const double(*)[8])from->twist, from->lambda, x->alpha, NULL);
    tn_twists_update(to, share->twist_begin, share->twist_end, x->over_relaxation);
    for (int i = share->large_begin; i < share->large_end; i++)
        to->large[i].kind->update(to, i, x->over_relaxation);
}

static int next_stage(void *context)
{
    Shares *x = context;
    switch (x->stage) {
    case BEFORE:
        x->stage = DEAL;
        return x->count;
    case DEAL:
        if (x->unsuited) return 0;
        x->stage = ITERATE;
        x->alpha = 1.0;
        return x->count;
    case ITERATE:
        x->alpha = x->over_relaxation;
        if (--x->left == 0) x->stage = RETURN;
        return x->count;
    default:
        return 0;
    }
}

static void run_share(void *context, int index)
{
    Shares *x = context;
    if (x->stage == DEAL)
        deal(x, index);
    else if (x->stage == ITERATE)
        iterate(x, index);
    else
        return_copies(x, index);
}

/* ---- */

static bool suits(const TnProblem *p, const TnSolverDef *def)
{
    return def->tolerance <= 0.0 && tn_copies_pay(p, def) && !p->row_count && !p->bond_count &&
           !p->give && !p->anderson && !p->z_memory;
}

/* False: no memory. */
static bool reserve(Shares *x, TnArena *arena)
{
    TnProblem *p = x->problem;
    int sides = p->side_start[p->table_rows];
    size_t rows = (size_t)p->table_rows, copies = (size_t)(sides + x->count * TN_LANES);
    x->owner = TN_ARENA_NEW(arena, uint8_t, rows);
    x->batches = TN_ARENA_NEW(arena, TnContactBatch, copies / TN_LANES);
    x->source = TN_ARENA_NEW(arena, int32_t, copies);
    x->sides = TN_ARENA_NEW(arena, int32_t, sides);
    x->next_as_a = TN_ARENA_NEW(arena, int32_t, rows);
    x->next_as_b = TN_ARENA_NEW(arena, int32_t, rows);
    double(*lambda)[3] = tn_arena_alloc(arena, sizeof(double[3]) * copies + sizeof(double));
    double(*twist)[8] = tn_arena_alloc(arena, sizeof(double[8]) * rows);
    if (!x->owner || !x->batches || !x->source || !x->sides || !x->next_as_a || !x->next_as_b ||
        !lambda || !twist || !tn_columns_reserve(p, &x->columns))
        return false;
    memset(twist[0], 0, sizeof twist[0]);
    for (int i = 0; i < 2; i++) {
        x->at[i] = *p;
        x->at[i].lambda = lambda;
        x->at[i].contact_sides.contact = x->sides;
        x->at[i].columns = &x->columns;
    }
    x->at[1].twist = twist;
    return true;
}

int tn_shares_iterate(TnProblem *p, const TnSolverDef *def, TnPool *pool, int threads)
{
    if (threads < 2 || !suits(p, def)) return 0;
    size_t mark = tn_arena_mark(p->arena);
    Shares x = {.problem = p,
                .count = threads,
                .left = def->iterations - 1,
                .over_relaxation = def->over_relaxation};
    bool ok = reserve(&x, p->arena);
    if (ok) {
        divide(&x);
        tn_pool_phases(pool, threads, (TnPhases){next_stage, run_share, &x});
    }
    tn_arena_release(p->arena, mark);
    return ok && !x.unsuited ? def->iterations - 1 : 0;
}
