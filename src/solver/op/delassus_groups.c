/* delassus_groups.c: a problem's constraints as groups, and their J by blocks (delassus.h). Groups
 * come in the order of a sweep: bonds, scalar rows, contacts, and spin and roll rows, whose bounds
 * are this sweep's normal forces. */
#include <math.h>
#include <string.h>

#include "../block/block.h"
#include "../law/law.h"
#include "delassus.h"

/* What acts on a block: rows of a group through a row of the twist table, or one of them directly.
 */
typedef struct Source {
    int block, table_row;
    double M[TN_GROUP_ROWS][6]; /* per row of the group: the wrench of a unit force */
    const TnRowSide *side;      /* NULL: through the table */
    int row;
} Source;

enum { MOST_SOURCES = 2 * TN_MAX_SIDES };

typedef struct Builder {
    TnDelassus *w;
    const TnProblem *p;
    const TnCompliances *D;
    int entry_count;
    size_t value_count;
} Builder;

/* ---- entries of J ---- */

static int entries_of_table_row(const TnProblem *p, int row)
{
    if (row == 0) return 0;
    if (row < p->port_row) return 6;
    const TnPort *port = &p->ports[row - p->port_row];
    return port->count ? port->count : 3 * port->node_count;
}

static int block_of_table_row(const TnProblem *p, int row)
{
    return row < p->port_row ? row - 1 : p->twist_count + p->ports[row - p->port_row].block;
}

/* Where an unknown is among those that are solved for. */
static int place_of(const TnProblem *p, int block, int index)
{
    if (block < p->twist_count) return index < 3 ? index : index + 1;
    const TnLargeBlock *d = &p->large[block - p->twist_count];
    return tn_block_locate(d, index).solved;
}

static double *add_entry(Builder *b, int block, int index, int count)
{
    double *value = b->w->value + b->value_count;
    b->w->index[b->entry_count++] = place_of(b->p, block, index);
    b->value_count += (size_t)count;
    memset(value, 0, sizeof(double) * (size_t)count);
    return value;
}

static void add_from_table(Builder *b, const Source *s, int count)
{
    const TnProblem *p = b->p;
    const TnPort *port = s->table_row < p->port_row ? NULL : &p->ports[s->table_row - p->port_row];
    int n = port ? port->count : 6;
    for (int j = 0; j < n; j++) {
        double *value = add_entry(b, s->block, (port ? port->start : 0) + j, count);
        for (int i = 0; i < count; i++)
            if (!port || !port->T)
                value[i] = s->M[i][j];
            else
                for (int r = 0; r < 6; r++) value[i] += s->M[i][r] * port->T[(long)r * n + j];
    }
    for (int k = 0; port && !n && k < port->node_count; k++)
        for (int j = 0; j < 3; j++) {
            double *value = add_entry(b, s->block, 3 * port->nodes[k] + j, count);
            for (int i = 0; i < count; i++)
                for (int r = 0; r < 3; r++) value[i] += s->M[i][r] * port->M[k][3 * r + j];
        }
}

static void add_from_row(Builder *b, const Source *s, int count)
{
    const TnProblem *p = b->p;
    for (int e = s->side->start; e < s->side->start + s->side->count; e++)
        add_entry(b, s->block, p->index[e], count)[s->row] = p->coefficient[e];
}

/* ---- groups ---- */

static void add_group(Builder *b, TnGroup group, const Source *sources, int source_count)
{
    TnDelassus *w = b->w;
    bool done[MOST_SOURCES] = {false};
    group.first = w->row_count;
    group.piece = w->piece_count;
    for (int i = 0; i < source_count; i++) {
        if (done[i]) continue;
        TnPiece *piece = &w->pieces[w->piece_count++];
        *piece = (TnPiece){.block = sources[i].block,
                           .group = w->group_count,
                           .local = -1,
                           .entry = b->entry_count,
                           .value = b->value_count};
        for (int j = i; j < source_count; j++) {
            if (sources[j].block != sources[i].block) continue;
            done[j] = true;
            if (sources[j].side)
                add_from_row(b, &sources[j], group.count);
            else
                add_from_table(b, &sources[j], group.count);
        }
        piece->entry_count = b->entry_count - piece->entry;
        w->block_rows[piece->block] += group.count;
    }
    group.piece_count = w->piece_count - group.piece;
    w->row_count += group.count;
    w->groups[w->group_count++] = group;
}

static void add_bond(Builder *b, int index)
{
    const TnBond *bond = &b->p->bonds[index];
    TnBondRows *rows = &b->w->bond_rows[index];
    Source sources[2];
    int count = 0;
    tn_bond_rows(bond, rows);
    for (int side = 0; side < 2; side++) {
        int row = side ? bond->row_b : bond->row_a;
        if (!row) continue;
        Source *s = &sources[count++];
        s->block = block_of_table_row(b->p, row);
        s->table_row = row;
        s->side = NULL;
        for (int i = 0; i < rows->count; i++)
            memcpy(s->M[i], rows->J[i] + 6L * side, sizeof s->M[i]);
    }
    add_group(b,
              (TnGroup){.law = TN_LAW_LINEAR,
                        .count = rows->count,
                        .kind = TN_A_BOND,
                        .source = index,
                        .slack = tn_bond_rows_slack(bond)},
              sources, rows->count ? count : 0);
}

static void add_contact(Builder *b, int c)
{
    const TnProblem *p = b->p;
    const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
    int l = c % TN_LANES, count = 0;
    Source sources[2];
    double frame[3][3];
    tn_delassus_frame(p, c, frame);
    for (int side = 0; side < 2; side++) {
        int row = side ? batch->row_b[l] : batch->row_a[l];
        double sign = side ? 1.0 : -1.0, arm[3];
        if (!row) continue;
        Source *s = &sources[count++];
        s->block = block_of_table_row(p, row);
        s->table_row = row;
        s->side = NULL;
        for (int k = 0; k < 3; k++) arm[k] = side ? batch->arm_b[k][l] : batch->arm_a[k][l];
        for (int i = 0; i < 3; i++) {
            v3_scale(s->M[i], frame[i], sign);
            v3_cross(s->M[i] + 3, arm, s->M[i]);
        }
    }
    bool dead = !(tn_normal_compliance(b->D, c) > 0.0);
    b->w->contact_row[c] = b->w->row_count;
    add_group(b,
              (TnGroup){.law = dead ? TN_LAW_NONE : TN_LAW_CONTACT,
                        .count = 3,
                        .kind = TN_A_CONTACT,
                        .source = c,
                        .mu = tn_tangent_compliance(b->D, c) > 0.0 ? batch->mu[l] : 0.0},
              sources, count);
}

static void add_row(Builder *b, int r)
{
    const TnProblem *p = b->p;
    const TnRow *row = &p->rows[r];
    Source sources[MOST_SOURCES];
    int count = 0, rows = tn_row_group(row);
    for (int i = 0; i < rows; i++)
        for (int s = 0; s < row[i].side_count; s++) {
            const TnRowSide *side = &p->sides[row[i].side_start + s];
            if (side->count == 0) continue;
            sources[count].block = side->block;
            sources[count].side = side;
            sources[count++].row = i;
        }
    add_group(b,
              (TnGroup){.law = b->D->row[r] > 0.0 ? TN_LAW_ROW : TN_LAW_NONE,
                        .count = rows,
                        .kind = TN_A_ROW,
                        .source = r,
                        .normal = tn_row_is_disc(row) ? b->w->contact_row[row->contact] : -1,
                        .mu = row->mu},
              sources, count);
}

static void add_groups(Builder *b)
{
    const TnProblem *p = b->p;
    TnDelassus *w = b->w;
    for (int i = 0; i < p->bond_count; i++) add_bond(b, i);
    for (int r = 0; r < p->row_count; r++)
        if (!tn_row_is_disc(&p->rows[r])) add_row(b, r);
    w->row_count = tn_padded(w->row_count);
    w->batched = w->group_count;
    w->batch_first = w->row_count;
    for (int i = 0; i < w->batch_count; i++)
        for (int l = 0; l < TN_LANES; l++)
            if (w->batch_contacts[i][l] >= 0)
                add_contact(b, w->batch_contacts[i][l]);
            else
                w->row_count += 3;
    w->batched_end = w->group_count;
    for (int c = 0; c < p->contact_count; c++)
        if (w->contact_row[c] < 0) add_contact(b, c);
    for (int r = 0; r < p->row_count; r += tn_row_group(&p->rows[r]))
        if (tn_row_is_disc(&p->rows[r])) add_row(b, r);
}

static bool reserve(Builder *b)
{
    const TnProblem *p = b->p;
    TnDelassus *w = b->w;
    size_t entries = (size_t)p->entry_count, values = 2 * entries;
    int blocks = p->twist_count + p->large_count;
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        size_t n = (size_t)(entries_of_table_row(p, batch->row_a[c % TN_LANES]) +
                            entries_of_table_row(p, batch->row_b[c % TN_LANES]));
        entries += n;
        values += 3 * n;
    }
    for (int i = 0; i < p->bond_count; i++) {
        size_t n = (size_t)(entries_of_table_row(p, p->bonds[i].row_a) +
                            entries_of_table_row(p, p->bonds[i].row_b));
        entries += n;
        values += 12 * n;
    }
    w->groups = TN_ARENA_NEW(p->arena, TnGroup, p->contact_count + p->row_count + p->bond_count);
    w->pieces =
        TN_ARENA_NEW(p->arena, TnPiece, 2 * p->contact_count + p->side_count + 2 * p->bond_count);
    w->index = TN_ARENA_NEW(p->arena, int, entries);
    w->value = TN_ARENA_NEW(p->arena, double, values);
    w->block_rows = TN_ARENA_ZERO(p->arena, int, blocks);
    w->block_x = TN_ARENA_ZERO(p->arena, int, blocks);
    w->block_n = TN_ARENA_ZERO(p->arena, int, blocks);
    w->keeps_rows = TN_ARENA_ZERO(p->arena, bool, blocks);
    w->block_start = TN_ARENA_ZERO(p->arena, int, blocks + 2);
    w->bond_rows = TN_ARENA_NEW(p->arena, TnBondRows, p->bond_count);
    return w->groups && w->pieces && w->index && w->value && w->block_rows && w->block_x &&
           w->block_n && w->keeps_rows && w->block_start && w->bond_rows;
}

bool tn_delassus_group(TnDelassus *w, const TnCompliances *D)
{
    Builder b = {.w = w, .p = w->problem, .D = D};
    if (!reserve(&b) || !tn_delassus_choose_batches(w, D)) return false;
    add_groups(&b);
    return true;
}
