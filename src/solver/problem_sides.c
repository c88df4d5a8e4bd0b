/* problem_sides.c: who acts on whom: contacts by row of the table, sides of scalar rows by block.
 */
#include <string.h>

#include "law/law.h"

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
    p->contact_sides = (TnSides){start, mid, p->side_contact, (const double(*)[3])p->side_arm};
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

bool tn_problem_build_sides(TnProblem *p)
{
    group_contacts(p);
    group_rows(p);
    if (!tn_bonds_group(p)) return false;
    if (p->rows_on_twists || p->bonds_on_twists) {
        p->extra = tn_arena_calloc(p->arena, sizeof(double[8]) * (size_t)p->table_rows);
        if (!p->extra) return false;
    }
    return true;
}
