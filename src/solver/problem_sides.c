/* problem_sides.c: what acts on what: contacts by row of the table, sides of scalar rows by block.
 */
#include <string.h>

#include "../base/bucket.h"
#include "law/law.h"

#define WORTH_SHARING 4096 /* contacts */

/* For each table row the contacts that act on it, those as side b first: a counting sort by row.
 * Row 0 keeps none. */
static void group_contacts(TnProblem *p)
{
    int rows = p->table_rows;
    int32_t *start = p->side_start, *mid = p->side_mid;
    memset(start, 0, sizeof(int32_t) * (size_t)(rows + 1));
    memset(mid, 0, sizeof(int32_t) * (size_t)rows);
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        int l = c % TN_LANES;
        start[batch->row_a[l]]++;
        mid[batch->row_b[l]]++;
    }
    start[0] = mid[0] = 0;
    /* start and mid become cursors for sides b and a */
    int32_t total = 0;
    for (int r = 0; r < rows; r++) {
        int32_t as_a = start[r], as_b = mid[r];
        start[r] = total;
        mid[r] = total + as_b;
        total += as_a + as_b;
    }
    start[rows] = total;
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        int l = c % TN_LANES, a = batch->row_a[l], b = batch->row_b[l];
        if (b) {
            int32_t s = start[b]++;
            p->side_contact[s] = c;
            for (int k = 0; k < 3; k++) p->side_arm[s][k] = batch->arm_b[k][l];
        }
        if (a) {
            int32_t s = mid[a]++;
            p->side_contact[s] = c;
            for (int k = 0; k < 3; k++) p->side_arm[s][k] = batch->arm_a[k][l];
        }
    }
    /* The cursors moved to the ends of their parts: start to the middle, mid to the next row's
     * start. */
    for (int r = rows - 1; r >= 0; r--) {
        int32_t middle = start[r];
        start[r] = r ? mid[r - 1] : 0;
        mid[r] = middle;
    }
}

/* ---- the same on several threads ---- */

typedef struct Sides {
    TnProblem *problem;
    int32_t *keys;   /* sides b of all contacts, then sides a: their rows, -1 for the world */
    int32_t *things; /* sides by row */
} Sides;

static void read_rows(void *context, int begin, int end)
{
    const Sides *s = context;
    const TnProblem *p = s->problem;
    for (int c = begin; c < end; c++) {
        const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        int a = batch->row_a[c % TN_LANES], b = batch->row_b[c % TN_LANES];
        s->keys[c] = b ? b : -1;
        s->keys[p->contact_count + c] = a ? a : -1;
    }
}

static void write_sides(void *context, int begin, int end)
{
    const Sides *s = context;
    TnProblem *p = s->problem;
    for (int r = begin; r < end; r++) {
        int32_t middle = p->side_start[r];
        for (int i = p->side_start[r]; i < p->side_start[r + 1]; i++) {
            bool b = s->things[i] < p->contact_count;
            int c = b ? s->things[i] : s->things[i] - p->contact_count, l = c % TN_LANES;
            const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
            middle += b;
            p->side_contact[i] = c;
            for (int k = 0; k < 3; k++)
                p->side_arm[i][k] = b ? batch->arm_b[k][l] : batch->arm_a[k][l];
        }
        p->side_mid[r] = middle;
    }
}

/* False: no memory. */
static bool share_contacts(TnProblem *p, TnPool *pool)
{
    size_t mark = tn_arena_mark(p->arena);
    int n = 2 * p->contact_count;
    Sides s = {p, TN_ARENA_NEW(p->arena, int32_t, n), TN_ARENA_NEW(p->arena, int32_t, n)};
    if (!s.keys || !s.things) return false;
    tn_pool_run(pool, p->contact_count, 512, read_rows, &s);
    if (!tn_buckets_fill(pool, p->arena, s.keys, n, p->table_rows, p->side_start, s.things))
        return false;
    tn_pool_run(pool, p->table_rows, 256, write_sides, &s);
    tn_arena_release(p->arena, mark);
    return true;
}

/* Sides of scalar rows grouped by block, in row order. */
static void group_rows(TnProblem *p)
{
    int blocks = p->twist_count + p->large_count;
    memset(p->block_side_start, 0, sizeof(int) * (size_t)(blocks + 2));
    for (int r = 0; r < p->row_count; r++) {
        const TnRow *row = &p->rows[r];
        if (tn_row_is_disc(row)) p->spins = true;
        for (int s = row->side_start; s < row->side_start + row->side_count; s++) {
            p->sides[s].row = r;
            p->block_side_start[p->sides[s].block + 2]++;
            if (p->sides[s].block < p->twist_count) p->rows_on_twists = true;
        }
    }
    for (int b = 0; b < blocks; b++) p->block_side_start[b + 2] += p->block_side_start[b + 1];
    for (int s = 0; s < p->side_count; s++)
        p->block_sides[p->block_side_start[p->sides[s].block + 1]++] = s;
}

bool tn_problem_build_sides(TnProblem *p, TnPool *pool)
{
    if (tn_pool_threads(pool) == 1 || p->contact_count < WORTH_SHARING)
        group_contacts(p);
    else if (!share_contacts(p, pool))
        return false;
    p->contact_sides =
        (TnSides){p->side_start, p->side_mid, p->side_contact, (const double(*)[3])p->side_arm};
    group_rows(p);
    if (!tn_bonds_group(p)) return false;
    if (p->rows_on_twists || p->bonds_on_twists) {
        p->extra = tn_arena_calloc(p->arena, sizeof(double[8]) * (size_t)p->table_rows);
        if (!p->extra) return false;
    }
    return true;
}

/* ---- columns ---- */

bool tn_columns_reserve(const TnProblem *p, TnSideColumns *out)
{
    int count = 0;
    out->start = TN_ARENA_NEW(p->arena, int32_t, p->twist_batches + 1);
    if (!out->start) return false;
    for (int i = 0; i < p->twist_batches; i++) {
        int most = 0;
        for (int row = 1 + i * TN_LANES; row <= (i + 1) * TN_LANES; row++) {
            int sides = p->side_start[row + 1] - p->side_start[row];
            if (sides > most) most = sides;
        }
        out->start[i] = count;
        count += most;
    }
    out->start[p->twist_batches] = count;
    out->counts = tn_arena_alloc(p->arena, sizeof *out->counts * (size_t)p->twist_batches);
    out->contact = tn_arena_alloc(p->arena, sizeof *out->contact * (size_t)count);
    out->arm = tn_arena_alloc(p->arena, sizeof *out->arm * (size_t)count);
    return out->counts && out->contact && out->arm;
}

/* `any`: contact to name where there are no more. */
static void fill_lane(const TnProblem *p, int batch, int lane, int any, TnSideColumns *out)
{
    const TnSides *sides = &p->contact_sides;
    int row = 1 + batch * TN_LANES + lane, first = sides->start[row],
        count = sides->start[row + 1] - first;
    out->counts[batch][0][lane] = sides->mid[row] - first;
    out->counts[batch][1][lane] = count;
    for (int j = 0, at = out->start[batch]; at < out->start[batch + 1]; j++, at++) {
        bool has = j < count;
        out->contact[at][lane] = has ? sides->contact[first + j] : any;
        for (int k = 0; k < 3; k++) out->arm[at][k][lane] = has ? sides->arm[first + j][k] : 0.0;
    }
}

void tn_columns_fill(const TnProblem *p, int begin, int end, TnSideColumns *out)
{
    const TnSides *sides = &p->contact_sides;
    for (int batch = begin; batch < end; batch++) {
        bool empty = out->start[batch] == out->start[batch + 1];
        int any = empty ? 0 : sides->contact[sides->start[1 + batch * TN_LANES]];
        for (int lane = 0; lane < TN_LANES; lane++) fill_lane(p, batch, lane, any, out);
    }
}
