/* delassus_blocks.c: what a sweep reads of each block (delassus.h): Y = J L⁻ᵀ of blocks that keep
 * velocities, G = J A⁻¹ Jᵀ of those that keep rows. Column by column of G,
 *
 *     x = A⁻¹ J_jᵀ,   G_ij = J_i x   for i >= j,
 *
 * x on the unknowns that the block is solved for, as its kind has A⁻¹ there. Threads share the
 * pieces; each number is computed in one way by any thread. */
#include <math.h>
#include <string.h>

#include "../../base/rounding.h"
#include "../block/block.h"
#include "delassus.h"

/* Pieces are cut into so many chunks at most, each with scratch of its own. */
#define FILLS_PER_THREAD 4
#define GRAIN 64 /* pieces of velocities that are worth a thread */

typedef struct Fill {
    const TnDelassus *w;
    double (*twist_factor)[7]; /* per twist block: 1/√a and L⁻¹ of S, lower triangle */
    /* those that keep rows */
    const int *pieces;
    int count, chunks;
    double *scratch; /* per chunk */
    size_t scratch_size;
} Fill;

/* ---- velocities ---- */

/* L⁻¹ of S, by rows: 00, 10, 11, 20, 21, 22 */
static void factor_twist(const TnProblem *p, int block, double out[7])
{
    const TnTwistBatch *batch = &p->twist_batch[block / TN_LANES];
    int l = block % TN_LANES;
    double xx = batch->S[0][l], xy = batch->S[1][l], xz = batch->S[2][l];
    double yy = batch->S[3][l], yz = batch->S[4][l], zz = batch->S[5][l];
    double a = sqrt(xx), b = xy / a, c = xz / a, d = sqrt(yy - b * b), e = (yz - b * c) / d;
    double f = sqrt(zz - c * c - e * e);
    out[0] = 1.0 / sqrt(batch->a[l]);
    out[1] = 1.0 / a;
    out[3] = 1.0 / d;
    out[6] = 1.0 / f;
    out[2] = -b * out[1] * out[3];
    out[5] = -e * out[3] * out[6];
    out[4] = -(c * out[1] + e * out[2]) * out[6];
}

static void add_row(const TnDelassus *w, const TnPiece *piece, int row, double *to)
{
    tn_scatter(w->index + piece->entry, w->value + piece->value + row, piece->entry_count,
               w->groups[piece->group].count, to);
}

static void fill_velocities(void *context, int begin, int end)
{
    const Fill *fill = context;
    const TnDelassus *w = fill->w;
    const TnProblem *p = w->problem;
    for (int i = begin; i < end; i++) {
        const TnPiece *piece = &w->pieces[i];
        if (piece->local >= 0) continue;
        for (int r = 0; r < w->groups[piece->group].count; r++) {
            double *y = piece->rows + (long)r * piece->n;
            add_row(w, piece, r, y);
            if (piece->block >= p->twist_count) {
                const TnLargeBlock *d = &p->large[piece->block - p->twist_count];
                d->kind->forward(d, y);
                continue;
            }
            const double *L = fill->twist_factor[piece->block];
            double x0 = y[4], x1 = y[5], x2 = y[6];
            for (int k = 0; k < 3; k++) y[k] *= L[0];
            y[4] = L[1] * x0;
            y[5] = L[2] * x0 + L[3] * x1;
            y[6] = L[4] * x0 + L[5] * x1 + L[6] * x2;
        }
    }
}

/* ---- rows ---- */

/* Unknowns that a block is solved for; of a twist with two zeros. */
static int solved_dim(const TnProblem *p, int block)
{
    return block < p->twist_count ? 8 : p->large[block - p->twist_count].solved;
}

/* x = A⁻¹ J_rᵀ */
static void solve_row(const TnDelassus *w, const TnPiece *piece, int r, double *x)
{
    const TnProblem *p = w->problem;
    if (piece->block < p->twist_count) {
        memset(x, 0, sizeof(double[8]));
        add_row(w, piece, r, x);
        const double f[6] = {x[0], x[1], x[2], x[4], x[5], x[6]};
        tn_twist_solve(p, piece->block, f, x);
        return;
    }
    const TnLargeBlock *d = &p->large[piece->block - p->twist_count];
    if (d->kind->solve_S) {
        d->kind->solve_S(d, w->index + piece->entry, w->value + piece->value + r,
                         piece->entry_count, w->groups[piece->group].count, x);
        return;
    }
    memset(x, 0, sizeof(double) * (size_t)d->dim);
    add_row(w, piece, r, x);
    d->kind->solve_A(d, x);
}

/* G_ij and G_ji for all pieces i of the block from j on */
static void fill_piece(const TnDelassus *w, int which, double *scratch)
{
    const TnPiece *piece = &w->pieces[which];
    const TnGroup *group = &w->groups[piece->group];
    int block = piece->block, n = piece->n, mine = piece->local - piece->at;
    size_t dim = (size_t)solved_dim(w->problem, block);
    for (int r = 0; r < group->count; r++) solve_row(w, piece, r, scratch + (size_t)r * dim);
    int k = w->block_start[block];
    while (w->block_pieces[k] != which) k++;
    for (; k < w->block_start[block + 1]; k++) {
        const TnPiece *other = &w->pieces[w->block_pieces[k]];
        int m = w->groups[other->group].count, theirs = other->local - other->at;
        const double *value = w->value + other->value;
        const int *index = w->index + other->entry;
        for (int r = 0; r < group->count; r++) {
            const double *x = scratch + (size_t)r * dim;
            double sum[TN_GROUP_ROWS] = {0};
            for (int e = 0; e < other->entry_count; e++)
                for (int i = 0; i < m; i++) sum[i] += value[e * m + i] * x[index[e]];
            for (int i = 0; i < m; i++) {
                piece->rows[(long)r * n + theirs + i] = sum[i];
                other->rows[(long)i * n + mine + r] = sum[i];
            }
        }
    }
}

static void fill_rows(void *context, int begin, int end)
{
    const Fill *fill = context;
    for (int chunk = begin; chunk < end; chunk++) {
        int first = (int)((long)fill->count * chunk / fill->chunks),
            last = (int)((long)fill->count * (chunk + 1) / fill->chunks);
        for (int i = first; i < last; i++)
            fill_piece(fill->w, fill->pieces[i],
                       fill->scratch + fill->scratch_size * (size_t)chunk);
    }
}

static bool factor_large(const TnProblem *p, const TnDelassus *w)
{
    for (int i = 0; i < p->large_count; i++) {
        const TnLargeBlock *d = &p->large[i];
        if (w->block_rows[p->twist_count + i] && d->kind->factor_S && !d->kind->factor_S(d))
            return false;
    }
    return true;
}

/* ---- zeros ---- */

/* A piece is thinned where that leaves out half of it. */
#define WORTH 0.5

static bool matters(const TnDelassus *w, const TnPiece *piece, const double *own, int octet)
{
    const double *D = w->x + piece->at; /* for the time being, see tn_delassus_thin */
    for (int r = 0; r < w->groups[piece->group].count; r++)
        for (int k = octet; k < octet + 8; k++) {
            double g = piece->rows[(long)r * piece->n + k];
            if (g * g > TN_ROUND_OFF * TN_ROUND_OFF * own[r] * D[k]) return true;
        }
    return false;
}

static bool thin(TnDelassus *w, TnPiece *piece)
{
    const TnGroup *group = &w->groups[piece->group];
    int m = group->count, n = piece->n, count = 0;
    const double *own = w->x + piece->local;
    size_t mark = tn_arena_mark(w->problem->arena);
    int *octets = TN_ARENA_NEW(w->problem->arena, int, n / 8);
    if (!octets) return false;
    for (int k = 0; k < n; k += 8)
        if (matters(w, piece, own, k)) octets[count++] = k;
    if (8.0 * count > WORTH * n) {
        tn_arena_release(w->problem->arena, mark);
        return true;
    }
    for (int r = 0; r < m; r++) /* to the left and upwards, so in place */
        for (int i = 0; i < count; i++)
            memmove(piece->rows + 8L * ((long)r * count + i), piece->rows + (long)r * n + octets[i],
                    8 * sizeof(double));
    piece->octets = octets;
    piece->octet_count = count;
    return true;
}

bool tn_delassus_thin(TnDelassus *w)
{
    const TnProblem *p = w->problem;
    for (int i = 0; i < w->piece_count; i++) { /* D of the block's rows, where x is */
        const TnPiece *piece = &w->pieces[i];
        const TnGroup *group = &w->groups[piece->group];
        for (int r = 0; piece->local >= 0 && r < group->count; r++)
            w->x[piece->local + r] = piece->rows[(long)r * piece->n + piece->local - piece->at + r];
    }
    for (int i = 0; i < w->piece_count; i++) {
        TnPiece *piece = &w->pieces[i];
        if (piece->local < 0 || piece->block < p->twist_count) continue;
        if (p->large[piece->block - p->twist_count].filled > 0.0 && !thin(w, piece)) return false;
    }
    return true;
}

bool tn_delassus_fill(TnDelassus *w, TnPool *pool)
{
    TnProblem *p = w->problem;
    Fill fill = {.w = w};
    size_t mark = tn_arena_mark(p->arena);
    int *pieces = TN_ARENA_NEW(p->arena, int, w->piece_count);
    fill.twist_factor =
        tn_arena_alloc(p->arena, sizeof *fill.twist_factor * (size_t)p->twist_count);
    if (!pieces || !fill.twist_factor || !factor_large(p, w)) return false;
    for (int k = 0; k < p->twist_count; k++)
        if (w->block_rows[k] && !w->keeps_rows[k]) factor_twist(p, k, fill.twist_factor[k]);
    for (int i = 0; i < w->piece_count; i++) {
        if (w->pieces[i].local < 0) continue;
        size_t need =
            (size_t)solved_dim(p, w->pieces[i].block) * (size_t)w->groups[w->pieces[i].group].count;
        if (need > fill.scratch_size) fill.scratch_size = need;
        pieces[fill.count++] = i;
    }
    fill.pieces = pieces;
    fill.chunks = tn_pool_threads(pool) > 1 ? FILLS_PER_THREAD * tn_pool_threads(pool) : 1;
    fill.scratch = TN_ARENA_NEW(p->arena, double, fill.scratch_size *(size_t)fill.chunks);
    if (!fill.scratch) return false;
    tn_pool_run(pool, w->piece_count, GRAIN, fill_velocities, &fill);
    tn_pool_run(pool, fill.chunks, 1, fill_rows, &fill);
    tn_arena_release(p->arena, mark);
    return true;
}
