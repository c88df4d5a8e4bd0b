/* anderson.c: Anderson acceleration of the ADMM loop.
 *
 * An iteration is a fixed-point map of y, one number per side and row (y = W J v - λ). What the
 * loop keeps is affine in y, t = -B (Σ y/β + e) and g = Jᵀy, and both belong to the same y after
 * the constraints' stage and before the blocks'. There x = (t, g, λ of bonds, which is affine in t)
 * may be replaced by any combination of earlier ones whose coefficients add up to one. With x_k the
 * state that iteration k started from, G_k what it made of it, r_k = G_k - x_k and Δ the difference
 * of consecutive iterations,
 *
 *     γ = argmin |r_k - Σ_j γ_j Δr_j|,      x_{k+1} = G_k - Σ_j γ_j ΔG_j
 *
 * over the last m differences (type II). The norm sees t alone, with 1/B along the normal and
 * across it for contacts and w for bonds: a force times a velocity. (With g in it, too, cables
 * gained nothing.)
 *
 * The Gram matrix of the Δr gets one new row per iteration. It is factored from the newest
 * difference to the oldest, without those that depend on newer ones. Projections make the map
 * piecewise smooth only: when the residual doubles or coefficients are huge the history is
 * forgotten and the plain iterate kept, and where nothing comes of it for long, plain iterations
 * have their turn.
 *
 * Where t tells g, on nodes of chains that touch the fixed world alone, x has t only
 * (block/chain_told.c).
 *
 * Everything lies in flat arrays of n numbers, cut into pieces that begin at multiples of eight. */
#include "anderson.h"

#include "../block/block.h"
#include "../law/law.h"

typedef enum Part { CONTACTS, ROWS, BONDS, TWISTS, LARGE } Part;

/* Units [begin, end) of a part: contact batches, rows, bonds, batches of twist blocks, large
 * blocks. */
typedef struct Piece {
    Part part;
    int begin, end;
    long at;      /* of its numbers in the state */
    long length;  /* of them, a multiple of eight; t first, then the bonds' λ */
    long weighed; /* how many of the first the norm sees, a multiple of eight */
} Piece;

enum { PIECE = 2048 }; /* numbers of a piece, about */

struct TnAnderson {
    TnProblem *problem;
    long n;
    struct Spans *spans;
    Piece *pieces;
    int piece_count;
    /* flat */
    double *x, *now, *scale; /* what an iteration started from (then its residual), what it made */
    double (*y)[3];          /* of contacts that move one side alone; of others of no use */
    double (*bond_root)[2][36]; /* lower L, L Lᵀ = w, by columns */
    double *sums;               /* per piece, of tn_mix_take */
    TnMix mix;
    bool begun; /* x is known */
};

static long round_up(long count) { return (count + 7) / 8 * 8; }

/* ---- layout ---- */

/* Where the state has numbers of each large block's g. */
typedef struct Spans {
    const TnSpan *span;
    int count;
    long sum; /* of their numbers */
} Spans;

static bool find_spans(TnAnderson *a)
{
    TnProblem *p = a->problem;
    a->spans = TN_ARENA_NEW(p->arena, Spans, p->large_count);
    TnSpan *whole = TN_ARENA_NEW(p->arena, TnSpan, p->large_count);
    if (!a->spans || !whole) return false;
    for (int i = 0; i < p->large_count; i++) {
        const TnLargeBlock *d = &p->large[i];
        Spans *s = &a->spans[i];
        whole[i] = (TnSpan){.count = d->solved};
        *s = (Spans){.span = &whole[i], .count = 1};
        if (d->kind->state) s->span = d->kind->state(d, &s->count);
        for (int k = 0; k < s->count; k++) s->sum += s->span[k].count;
    }
    return true;
}

static long unit_length(const TnAnderson *a, Part part, int unit)
{
    switch (part) {
    case CONTACTS:
        return 3 * TN_LANES;
    case ROWS:
        return 1;
    case BONDS:
        return 24;
    case TWISTS:
        return 6 * TN_LANES;
    default:
        return a->spans[unit].sum;
    }
}

/* Cuts the state into pieces; only counts them where `pieces` is NULL. */
static int cut(const TnAnderson *a, Piece *pieces, long *n)
{
    const TnProblem *p = a->problem;
    const int units[] = {p->contact_batches, p->row_count, p->bond_count, p->twist_batches,
                         p->large_count};
    int count = 0;
    *n = 0;
    for (int part = CONTACTS; part <= LARGE; part++)
        for (int unit = 0; unit < units[part];) {
            Piece piece = {.part = (Part)part, .begin = unit, .at = *n};
            long length = 0;
            while (unit < units[part] && length < PIECE)
                length += unit_length(a, (Part)part, unit++);
            piece.end = unit;
            piece.length = part == BONDS ? 2 * round_up(length / 2) : round_up(length);
            piece.weighed = part == BONDS ? piece.length / 2 : part < BONDS ? piece.length : 0;
            *n += piece.length;
            if (!piece.length) continue; /* chains that nothing touches */
            if (pieces) pieces[count] = piece;
            count++;
        }
    return count;
}

/* ---- metric ---- */

static double inverse_root(double x) { return x > 0.0 ? 1.0 / sqrt(x) : 0.0; }

/* Lower L by columns with L Lᵀ = w, semidefinite. */
static void root_of(const double w[36], double L[36])
{
    memset(L, 0, 36 * sizeof(double));
    for (int j = 0; j < 6; j++) {
        double pivot = w[7 * j];
        for (int k = 0; k < j; k++) pivot -= L[6 * k + j] * L[6 * k + j];
        if (!(pivot > 1e-12 * w[7 * j])) continue;
        double inverse = 1.0 / sqrt(pivot);
        for (int i = j; i < 6; i++) {
            double sum = w[6 * j + i];
            for (int k = 0; k < j; k++) sum -= L[6 * k + i] * L[6 * k + j];
            L[6 * j + i] = sum * inverse;
        }
    }
}

/* Between the numbers of a large block that the state has and a flat array, `to` or `from` it. */
static long pack(const Spans *s, const double *from, double *to)
{
    long at = 0;
    for (int k = 0; k < s->count; at += s->span[k++].count)
        memcpy(to + at, from + s->span[k].start, sizeof(double) * (size_t)s->span[k].count);
    return at;
}

static long unpack(const Spans *s, const double *from, double *to)
{
    long at = 0;
    for (int k = 0; k < s->count; at += s->span[k++].count)
        memcpy(to + s->span[k].start, from + at, sizeof(double) * (size_t)s->span[k].count);
    return at;
}

/* scale: 1/√B. Contacts have (1/√Bt, 1/√Bn - 1/√Bt, unused) in place of their three
 * numbers. */
static void weigh_piece(TnAnderson *a, const Piece *piece)
{
    const TnProblem *p = a->problem;
    double *s = a->scale + piece->at;
    for (int i = piece->begin; i < piece->end; i++) {
        switch (piece->part) {
        case CONTACTS:
            for (int l = 0; l < TN_LANES; l++) {
                const TnContactBatch *batch = &p->contact_batch[i];
                s[l] = inverse_root(batch->Bt[l]);
                s[TN_LANES + l] = inverse_root(batch->Bn[l]) - s[l];
            }
            s += 3 * TN_LANES;
            break;
        case ROWS:
            *s++ = inverse_root(p->rows[i].B);
            break;
        case BONDS:
            for (int side = 0; side < 2; side++)
                root_of(p->bonds[i].w[side], a->bond_root[i][side]);
            break;
        default: /* g is not weighed */
            break;
        }
    }
}

/* ---- numbers of a piece ---- */

/* What this iteration made; of contacts x becomes the weighed residual as well. */
static void gather(const TnAnderson *a, const Piece *piece, double *to, double *x)
{
    const TnProblem *p = a->problem;
    double *lambda = to + piece->weighed;
    if (piece->part == CONTACTS) {
        p->kernels->contact_take(p->contact_batch, piece->begin, piece->end, a->scale + piece->at,
                                 to, x);
        return;
    }
    /* what rounding to eight leaves over */
    if (piece->weighed) memset(lambda - 8, 0, 8 * sizeof(double));
    memset(to + piece->length - 8, 0, 8 * sizeof(double));
    for (int i = piece->begin; i < piece->end; i++) {
        switch (piece->part) {
        case CONTACTS:
            break;
        case ROWS:
            *to++ = p->rows[i].t;
            break;
        case BONDS:
            memcpy(to, p->bonds[i].t, sizeof p->bonds[i].t);
            memcpy(lambda, p->bonds[i].lambda, sizeof p->bonds[i].lambda);
            to += 12;
            lambda += 12;
            break;
        case TWISTS:
            memcpy(to, p->twist_batch[i].g, sizeof p->twist_batch[i].g);
            to += 6 * TN_LANES;
            break;
        case LARGE:
            to += pack(&a->spans[i], p->large[i].g, to);
            break;
        }
    }
}

static void scatter(TnAnderson *a, const Piece *piece, const double *from)
{
    TnProblem *p = a->problem;
    const double *lambda = from + piece->weighed;
    if (piece->part == CONTACTS)
        p->kernels->contact_put(p->contact_batch, piece->begin, piece->end, from, p->lambda, p->z);
    for (int i = piece->begin; i < piece->end; i++) {
        switch (piece->part) {
        case CONTACTS:
            break;
        case ROWS:
            p->rows[i].t = *from++;
            if (!tn_row_is_disc(&p->rows[i]))
                tn_row_project(&p->rows[i], p->rows[i].B, 0.0, &p->rows[i].t, &p->rows[i].lambda);
            break;
        case BONDS:
            memcpy(p->bonds[i].t, from, sizeof p->bonds[i].t);
            memcpy(p->bonds[i].lambda, lambda, sizeof p->bonds[i].lambda);
            from += 12;
            lambda += 12;
            break;
        case TWISTS:
            memcpy(p->twist_batch[i].g, from, sizeof p->twist_batch[i].g);
            from += 6 * TN_LANES;
            break;
        case LARGE:
            from += unpack(&a->spans[i], from, p->large[i].g);
            break;
        }
    }
}

/* r ← √metric · r over a piece that has no contacts */
static void weigh(const TnAnderson *a, const Piece *piece, double *restrict r)
{
    const double *restrict s = a->scale + piece->at;
    if (piece->part == BONDS) {
        for (int i = piece->begin; i < piece->end; i++)
            for (int side = 0; side < 2; side++, r += 6) {
                const double *L = a->bond_root[i][side];
                double sum[6];
                for (int j = 0; j < 6; j++) { /* Lᵀ r */
                    sum[j] = 0.0;
                    for (int k = 0; k < 6; k++) sum[j] += L[6 * j + k] * r[k];
                }
                memcpy(r, sum, sizeof sum);
            }
    } else {
        for (long k = 0; k < piece->weighed; k++) r[k] *= s[k];
    }
}

/* ---- the steps ---- */

void tn_anderson_start(TnAnderson *a)
{
    tn_mix_start(&a->mix);
    a->begun = false;
}

int tn_anderson_begin(TnAnderson *a)
{
    tn_mix_begin(&a->mix);
    return a->piece_count;
}

void tn_anderson_take(TnAnderson *a, int index)
{
    const Piece *piece = &a->pieces[index];
    double *restrict now = a->now + piece->at, *restrict x = a->x + piece->at;
    gather(a, piece, now, x);
    if (!a->begun) return; /* combine swaps the two */
    if (piece->part != CONTACTS) {
        for (long k = 0; k < piece->weighed; k++) x[k] = now[k] - x[k];
        weigh(a, piece, x);
    }
    tn_mix_take(&a->mix, piece->at, piece->length, now, piece->weighed, x,
                a->sums + (long)index * TN_MIX_SUMS);
}

void tn_anderson_put(TnAnderson *a, int index)
{
    const Piece *piece = &a->pieces[index];
    tn_mix_put(&a->mix, piece->at, piece->length, a->x + piece->at);
    scatter(a, piece, a->x + piece->at);
}

/* The next iteration starts from what this one made. */
static void start_from_now(TnAnderson *a)
{
    double *now = a->now;
    a->now = a->x;
    a->x = now;
}

bool tn_anderson_combine(TnAnderson *a)
{
    if (!a->begun) {
        start_from_now(a);
        a->begun = true;
        return false;
    }
    double sums[TN_MIX_SUMS] = {0};
    for (int i = 0; i < a->piece_count; i++)
        for (int k = 0; k < 1 + 2 * a->mix.columns; k++)
            sums[k] += a->sums[(long)i * TN_MIX_SUMS + k];
    bool mixed = tn_mix_combine(&a->mix, sums);
    if (!mixed) start_from_now(a);
    return mixed;
}

/* ---- preparation ---- */

/* Differences kept by default. */
#define LARGE_MEMORY 10

/* By default only where soft bodies or cables are touched: their iterations cost little beside
 * their factorization, and a few modes in which a body moves as a whole are slow, which is what
 * this is good at. */
static int choose_memory(const TnProblem *p, const TnSolverDef *def)
{
    if (def->anderson >= 0) return def->anderson;
    for (int i = 0; i < p->large_count; i++) {
        const TnLargeBlock *d = &p->large[i];
        if (d->kind->accelerates && d->kind->accelerates(p, d)) return LARGE_MEMORY;
    }
    return 0;
}

bool tn_anderson_prepare(TnProblem *p, const TnSolverDef *def)
{
    int memory = choose_memory(p, def);
    p->anderson = NULL;
    if (memory == 0) return true;
    TnAnderson *a = TN_ARENA_NEW(p->arena, TnAnderson, 1);
    if (!a) return false;
    *a = (TnAnderson){.problem = p};
    if (!find_spans(a)) return false;
    a->piece_count = cut(a, NULL, &a->n);
    a->pieces = TN_ARENA_NEW(p->arena, Piece, a->piece_count);
    a->x = TN_ARENA_ZERO(p->arena, double, a->n);
    a->now = TN_ARENA_NEW(p->arena, double, a->n);
    a->scale = TN_ARENA_ZERO(p->arena, double, a->n);
    a->sums = TN_ARENA_NEW(p->arena, double, (long)a->piece_count *TN_MIX_SUMS);
    a->bond_root = tn_arena_alloc(p->arena, sizeof(*a->bond_root) * (size_t)p->bond_count);
    if (!a->pieces || !a->x || !a->now || !a->scale || !a->sums || !a->bond_root ||
        !tn_mix_alloc(&a->mix, p->arena, memory, a->n, a->n))
        return false;
    cut(a, a->pieces, &a->n);
    for (int i = 0; i < a->piece_count; i++) weigh_piece(a, &a->pieces[i]);
    p->anderson = a;
    return true;
}
