/* delassus_batches.c: contacts between twist blocks eight at a time. No two in a batch share a
 * block, so that a batch is eight steps of Gauss-Seidel in any order.
 *
 * Contacts go by their number into the first batch with room that has neither of their blocks, out
 * of the WINDOW that are open; where there is none, these are closed and others opened. */
#include <math.h>
#include <string.h>

#include "delassus.h"

#define WINDOW 64

typedef struct Window {
    TnDelassus *w;
    uint64_t *used; /* per row of the table: the open batches that it is in */
    uint64_t full;
    int first, filled[WINDOW];
} Window;

static void open_window(Window *s)
{
    s->first = s->w->batch_count;
    s->full = 0;
    memset(s->filled, 0, sizeof s->filled);
    memset(s->used, 0, sizeof(uint64_t) * (size_t)(s->w->problem->twist_count + 1));
}

static int lowest(uint64_t bits)
{
    int k = 0;
    while (!(bits >> k & 1)) k++;
    return k;
}

static void place(Window *s, int contact, int a, int b)
{
    TnDelassus *w = s->w;
    uint64_t taken = (a ? s->used[a] : 0) | (b ? s->used[b] : 0) | s->full;
    if (taken == UINT64_MAX) {
        open_window(s);
        taken = 0;
    }
    int k = lowest(~taken), lane = s->filled[k]++;
    int *lanes = w->batch_contacts[s->first + k];
    for (int l = 0; !lane && l < TN_LANES; l++) lanes[l] = -1;
    lanes[lane] = contact;
    s->used[a] |= (uint64_t)1 << k;
    s->used[b] |= (uint64_t)1 << k;
    if (lane == TN_LANES - 1) s->full |= (uint64_t)1 << k;
    if (s->first + k >= w->batch_count) w->batch_count = s->first + k + 1;
}

bool tn_delassus_choose_batches(TnDelassus *w, const TnCompliances *D)
{
    const TnProblem *p = w->problem;
    Window s = {.w = w, .used = TN_ARENA_NEW(p->arena, uint64_t, p->twist_count + 1)};
    w->contact_row = TN_ARENA_NEW(p->arena, int, p->contact_count);
    w->batch_contacts =
        tn_arena_alloc(p->arena, sizeof *w->batch_contacts * (size_t)p->contact_count);
    if (!s.used || !w->contact_row || !w->batch_contacts) return false;
    open_window(&s);
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        int a = batch->row_a[c % TN_LANES], b = batch->row_b[c % TN_LANES];
        w->contact_row[c] = -1;
        if (a <= p->twist_count && b <= p->twist_count && tn_normal_compliance(D, c) > 0.0)
            place(&s, c, a, b);
    }
    return true;
}

static void set_lane(const TnDelassus *w, const TnGroup *g, TnSweepBatch *out, int l)
{
    static const int upper[6] = {0, 1, 2, 4, 5, 8};
    for (int k = 0; k < 6; k++) {
        out->own[k][l] = g->W[upper[k]];
        out->inverse[k][l] = g->regular ? g->inverse[upper[k]] : 0.0;
    }
    out->step[0][l] = 1.0 / g->W[0];
    out->step[1][l] = 1.0 / fmax(g->W[4], g->W[8]);
    out->mu[l] = g->mu;
    for (int k = 0; k < 3; k++) out->q[k][l] = w->q[g->first + k];
    for (int side = 0; side < g->piece_count; side++) {
        const TnPiece *piece = &w->pieces[g->piece + side];
        out->row[side][l] = piece->at / 8;
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 6; j++)
                out->Y[side][k][j][l] = piece->rows[8 * k + (j < 3 ? j : j + 1)];
    }
}

bool tn_delassus_fill_batches(TnDelassus *w)
{
    int zeros = (int)(w->state_count / 8 - 1), group = w->batched;
    if (!w->batch_count || w->pieces[w->groups[group].piece].local >= 0) return true;
    w->batches = TN_ARENA_ZERO(w->problem->arena, TnSweepBatch, w->batch_count);
    if (!w->batches) return false;
    for (int i = 0; i < w->batch_count; i++)
        for (int l = 0; l < TN_LANES; l++) {
            TnSweepBatch *out = &w->batches[i];
            out->row[0][l] = out->row[1][l] = zeros;
            out->own[0][l] = out->own[3][l] = out->own[5][l] = out->step[0][l] = out->step[1][l] =
                1.0;
            if (w->batch_contacts[i][l] >= 0) set_lane(w, &w->groups[group++], out, l);
        }
    return true;
}
