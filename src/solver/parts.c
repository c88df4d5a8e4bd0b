/* parts.c: which rank owns what, and the part of a problem that a rank iterates on; see parts.h. */
#include "parts.h"

#include <string.h>

#include "../base/ranks.h"
#include "block/block.h"
#include "law/law.h"

/* A block costs about as much as so many contacts. */
#define BLOCK_WEIGHT 2

enum { ABSENT, GHOST, OWN };

typedef struct Choice {
    TnParts *parts;
    const TnProblem *whole;
    uint8_t *twist, *large; /* per block: ABSENT, GHOST or OWN; large ones that are here are OWN */
    bool *batch, *row, *bond;
    bool more; /* something came that may bring others */
} Choice;

bool tn_parts_suit(const TnProblem *p, const TnSolverDef *def)
{
    if (!tn_ranks_worth(p->ranks, p->contact_count + p->row_count + 6.0 * p->bond_count))
        return false;
    for (int i = 0; def->anderson < 0 && i < p->large_count; i++)
        if (p->large[i].kind->accelerates) return false;
    return def->anderson <= 0; /* its sums are over everything */
}

/* ---- which rank owns what ---- */

int tn_parts_owner(const int *first, int count, int index)
{
    int low = 0;
    while (count > 1) { /* the last range that begins at or before it */
        int half = count / 2;
        if (first[low + half] <= index) low += half;
        count -= half;
    }
    return low;
}

static int row_of(const TnProblem *p, int contact, int side)
{
    const TnContactBatch *batch = &p->contact_batch[contact / TN_LANES];
    return (side ? batch->row_b : batch->row_a)[contact % TN_LANES];
}

static bool is_twist(const TnProblem *p, int row) { return row > 0 && row <= p->twist_count; }

/* The twist block that a contact goes with, or -1. */
static int home_of(const TnProblem *p, int contact)
{
    for (int side = 0; side < 2; side++)
        if (is_twist(p, row_of(p, contact, side))) return row_of(p, contact, side) - 1;
    return -1;
}

/* Ranges of equal weight, and of the contact batches that go with them. */
static bool divide(TnParts *parts)
{
    const TnProblem *p = parts->whole;
    int ranks = parts->ranks->count;
    int *sides = TN_ARENA_ZERO(p->arena, int, p->twist_count + 1);
    int *homes = TN_ARENA_ZERO(p->arena, int, p->twist_count + 1);
    parts->first_twist = TN_ARENA_ZERO(p->arena, int, ranks + 1);
    parts->first_batch = TN_ARENA_ZERO(p->arena, int, ranks + 1);
    parts->first_large = TN_ARENA_ZERO(p->arena, int, ranks + 1);
    if (!sides || !homes || !parts->first_twist || !parts->first_batch || !parts->first_large)
        return false;
    int homeless = 0;
    for (int c = 0; c < p->contact_count; c++) {
        int home = home_of(p, c);
        for (int side = 0; side < 2; side++)
            if (is_twist(p, row_of(p, c, side))) sides[row_of(p, c, side) - 1]++;
        *(home < 0 ? &homeless : &homes[home]) += 1;
    }
    double total = 0.0, sum = 0.0;
    for (int b = 0; b < p->twist_count; b++) total += sides[b] + BLOCK_WEIGHT;
    int rank = 1, contacts = 0;
    for (int b = 0; b < p->twist_count; b++) {
        for (; rank < ranks && sum * ranks >= total * rank; rank++) {
            parts->first_twist[rank] = b;
            parts->first_batch[rank] = contacts / TN_LANES;
        }
        sum += sides[b] + BLOCK_WEIGHT;
        contacts += homes[b];
    }
    for (; rank <= ranks; rank++) {
        parts->first_twist[rank] = p->twist_count;
        parts->first_batch[rank] = rank == ranks ? p->contact_batches : contacts / TN_LANES;
    }
    parts->first_twist[ranks] = p->twist_count;
    parts->first_batch[ranks] = p->contact_batches;
    for (int r = 0; r <= ranks; r++)
        parts->first_large[r] = (int)((long)p->large_count * r / ranks);
    return true;
}

/* ---- what a part has ---- */

static void add_block(Choice *choice, int block)
{
    const TnProblem *p = choice->whole;
    if (block < p->twist_count) {
        if (choice->twist[block] == ABSENT) choice->twist[block] = GHOST;
    } else if (choice->large[block - p->twist_count] == ABSENT) {
        choice->large[block - p->twist_count] = OWN;
        choice->more = true;
    }
}

static int block_of(const TnProblem *p, int row)
{
    return row < p->port_row ? row - 1 : p->twist_count + p->ports[row - p->port_row].block;
}

static bool is_own(const Choice *choice, int block)
{
    const TnProblem *p = choice->whole;
    return (block < p->twist_count ? choice->twist[block]
                                   : choice->large[block - p->twist_count]) == OWN;
}

static bool touches(const Choice *choice, int row)
{
    return row > 0 && is_own(choice, block_of(choice->whole, row));
}

static void add_table_row(Choice *choice, int row)
{
    if (row > 0) add_block(choice, block_of(choice->whole, row));
}

static void add_batch(Choice *choice, int batch)
{
    const TnProblem *p = choice->whole;
    int end = (batch + 1) * TN_LANES < p->contact_count ? (batch + 1) * TN_LANES : p->contact_count;
    if (choice->batch[batch]) return;
    choice->batch[batch] = true;
    for (int c = batch * TN_LANES; c < end; c++)
        for (int side = 0; side < 2; side++) add_table_row(choice, row_of(p, c, side));
}

static void add_batches(Choice *choice)
{
    const TnProblem *p = choice->whole;
    const TnParts *parts = choice->parts;
    int rank = parts->ranks->rank;
    for (int i = parts->first_batch[rank]; i < parts->first_batch[rank + 1]; i++)
        add_batch(choice, i);
    for (int c = 0; c < p->contact_count; c++)
        if (!choice->batch[c / TN_LANES] &&
            (touches(choice, row_of(p, c, 0)) || touches(choice, row_of(p, c, 1))))
            add_batch(choice, c / TN_LANES);
}

int tn_parts_block_owner(const TnParts *parts, int block)
{
    int n = parts->whole->twist_count, ranks = parts->ranks->count;
    return block < n ? tn_parts_owner(parts->first_twist, ranks, block)
                     : tn_parts_owner(parts->first_large, ranks, block - n);
}

int tn_parts_row_owner(const TnParts *parts, int r)
{
    const TnRow *row = &parts->whole->rows[r];
    if (!row->side_count) return 0;
    return tn_parts_block_owner(parts, parts->whole->sides[row->side_start].block);
}

int tn_parts_bond_owner(const TnParts *parts, int i)
{
    const TnBond *bond = &parts->whole->bonds[i];
    int row = bond->row_a ? bond->row_a : bond->row_b;
    return row ? tn_parts_block_owner(parts, block_of(parts->whole, row)) : 0;
}

static void add_rows(Choice *choice)
{
    const TnProblem *p = choice->whole;
    for (int r = 0; r < p->row_count; r++) {
        const TnRow *row = &p->rows[r];
        bool wanted = tn_parts_row_owner(choice->parts, r) == choice->parts->ranks->rank;
        for (int s = row->side_start; s < row->side_start + row->side_count; s++)
            wanted = wanted || is_own(choice, p->sides[s].block);
        if (!wanted || choice->row[r]) continue;
        choice->row[r] = true;
        for (int s = row->side_start; s < row->side_start + row->side_count; s++)
            add_block(choice, p->sides[s].block);
        if (tn_row_is_disc(row)) add_batch(choice, row->contact / TN_LANES);
    }
}

static void add_bonds(Choice *choice)
{
    const TnProblem *p = choice->whole;
    for (int i = 0; i < p->bond_count; i++) {
        const TnBond *bond = &p->bonds[i];
        if (choice->bond[i] ||
            (tn_parts_bond_owner(choice->parts, i) != choice->parts->ranks->rank &&
             !touches(choice, bond->row_a) && !touches(choice, bond->row_b)))
            continue;
        choice->bond[i] = true;
        add_table_row(choice, bond->row_a);
        add_table_row(choice, bond->row_b);
    }
}

static bool choose(Choice *choice)
{
    TnParts *parts = choice->parts;
    const TnProblem *p = choice->whole;
    int rank = parts->ranks->rank;
    choice->twist = TN_ARENA_ZERO(p->arena, uint8_t, p->twist_count);
    choice->large = TN_ARENA_ZERO(p->arena, uint8_t, p->large_count);
    choice->batch = TN_ARENA_ZERO(p->arena, bool, p->contact_batches);
    choice->row = TN_ARENA_ZERO(p->arena, bool, p->row_count);
    choice->bond = TN_ARENA_ZERO(p->arena, bool, p->bond_count);
    if (!choice->twist || !choice->large || !choice->batch || !choice->row || !choice->bond)
        return false;
    for (int b = parts->first_twist[rank]; b < parts->first_twist[rank + 1]; b++)
        choice->twist[b] = OWN;
    for (int i = parts->first_large[rank]; i < parts->first_large[rank + 1]; i++)
        choice->large[i] = OWN;
    do {
        choice->more = false;
        add_batches(choice);
        add_rows(choice);
        add_bonds(choice);
    } while (choice->more);
    return true;
}

/* ---- as lists ---- */

/* Positions of what is marked, and how many. */
static bool list_marked(TnArena *arena, const bool *marked, int count, int **start, int **list)
{
    int n = 0;
    *start = TN_ARENA_ZERO(arena, int, 2);
    for (int i = 0; i < count; i++) n += marked[i];
    *list = TN_ARENA_NEW(arena, int, n);
    if (!*start || !*list) return false;
    (*start)[1] = n;
    n = 0;
    for (int i = 0; i < count; i++)
        if (marked[i]) (*list)[n++] = i;
    return true;
}

static bool list_contacts(const Choice *choice, TnIslands *cut)
{
    const TnProblem *p = choice->whole;
    int n = 0;
    cut->contact_start = TN_ARENA_ZERO(p->arena, int, 2);
    for (int i = 0; i < p->contact_batches; i++) n += choice->batch[i] ? TN_LANES : 0;
    cut->contacts = TN_ARENA_NEW(p->arena, int, n);
    if (!cut->contact_start || !cut->contacts) return false;
    n = 0;
    for (int c = 0; c < p->contact_count; c++)
        if (choice->batch[c / TN_LANES]) cut->contacts[n++] = c;
    cut->contact_start[1] = n;
    return true;
}

/* Batches of own blocks; the inner ones, that no other rank needs, are first. */
static bool list_runs(TnParts *parts, int inner)
{
    int count = (parts->own + TN_LANES - 1) / TN_LANES;
    parts->other = TN_ARENA_NEW(parts->whole->arena, TnRun, count);
    parts->needed = TN_ARENA_NEW(parts->whole->arena, TnRun, count);
    if (!parts->other || !parts->needed) return false;
    for (int i = 0; i < count; i++)
        if (i < inner / TN_LANES)
            tn_run_add(parts->other, &parts->other_count, i);
        else
            tn_run_add(parts->needed, &parts->needed_count, i);
    return true;
}

/* Own blocks that no other rank needs, own ones that others need, ghosts; then large blocks. */
static bool list_blocks(const Choice *choice, const bool *needed)
{
    TnParts *parts = choice->parts;
    TnIslands *cut = &parts->cut;
    const TnProblem *p = choice->whole;
    int rank = parts->ranks->rank, n = 0, ghosts = 0, larges = 0, inner = 0;
    int first = parts->first_twist[rank], end = parts->first_twist[rank + 1];
    for (int b = 0; b < p->twist_count; b++) ghosts += choice->twist[b] == GHOST;
    for (int i = 0; i < p->large_count; i++) larges += choice->large[i] == OWN;
    cut->count = 1;
    cut->block_start = TN_ARENA_ZERO(p->arena, int, 2);
    cut->blocks = TN_ARENA_NEW(p->arena, int, end - first + ghosts + larges);
    cut->place = TN_ARENA_NEW(p->arena, int, p->twist_count + p->large_count);
    if (!cut->block_start || !cut->blocks || !cut->place) return false;
    for (int outer = 0; outer < 2; outer++) {
        for (int b = first; b < end; b++)
            if (needed[b - first] == (outer == 1)) cut->blocks[n++] = b;
        if (!outer) inner = n;
    }
    parts->own = n;
    if (!list_runs(parts, inner)) return false;
    for (int b = 0; b < p->twist_count; b++)
        if (choice->twist[b] == GHOST) cut->blocks[n++] = b;
    for (int k = 0; k < n; k++) cut->place[cut->blocks[k]] = k;
    for (int i = 0, k = 0; i < p->large_count; i++) {
        if (choice->large[i] != OWN) continue;
        cut->place[p->twist_count + i] = k++;
        cut->blocks[n++] = p->twist_count + i;
    }
    cut->block_start[1] = n;
    return true;
}

/* ---- weights and factors of the whole ---- */

static void copy_lane(double (*to)[TN_LANES], int l, const double (*from)[TN_LANES], int k,
                      int count)
{
    for (int i = 0; i < count; i++) to[i][l] = from[i][k];
}

static bool copy_prepared(TnParts *parts)
{
    TnProblem *part = &parts->part;
    const TnProblem *whole = parts->whole;
    if (!tn_problem_build_sides(part, NULL)) return false;
    for (int k = 0; k < part->twist_count; k++) {
        int b = parts->cut.blocks[k];
        TnTwistBatch *to = &part->twist_batch[k / TN_LANES];
        const TnTwistBatch *from = &whole->twist_batch[b / TN_LANES];
        copy_lane(to->Hinv, k % TN_LANES, (const double(*)[TN_LANES])from->Hinv, b % TN_LANES,
                  TN_SYM6);
        copy_lane(to->g, k % TN_LANES, (const double(*)[TN_LANES])from->g, b % TN_LANES, 6);
    }
    for (int l = part->twist_count; l < part->twist_batches * TN_LANES; l++) {
        TnTwistBatch *to = &part->twist_batch[l / TN_LANES];
        for (int i = 0; i < TN_SYM6; i++) to->Hinv[i][l % TN_LANES] = 0.0;
    }
    if (whole->give) {
        part->give = TN_ARENA_NEW(part->arena, TnContactGive, part->contact_batches);
        if (!part->give) return false;
    }
    for (int i = 0; i < part->contact_batches; i++) {
        int from = parts->cut.contacts[i * TN_LANES] / TN_LANES;
        TnContactBatch *to = &part->contact_batch[i];
        memcpy(to->Bn, whole->contact_batch[from].Bn, sizeof to->Bn);
        memcpy(to->Bt, whole->contact_batch[from].Bt, sizeof to->Bt);
        if (part->give) part->give[i] = whole->give[from];
    }
    return true;
}

/* ---- together ---- */

bool tn_parts_open(TnProblem *whole, bool prepared, TnParts *out)
{
    Choice choice = {.parts = out, .whole = whole};
    bool *needed;
    *out = (TnParts){.ranks = whole->ranks, .whole = whole};
    if (!divide(out) || !choose(&choice) ||
        !tn_parts_list_ghosts(out, choice.twist, GHOST, &needed) || !list_blocks(&choice, needed) ||
        !list_contacts(&choice, &out->cut) ||
        !list_marked(whole->arena, choice.row, whole->row_count, &out->cut.row_start,
                     &out->cut.rows) ||
        !list_marked(whole->arena, choice.bond, whole->bond_count, &out->cut.bond_start,
                     &out->cut.bonds) ||
        !tn_island_extract(whole, &out->cut, 0, whole->arena, &out->part) ||
        (prepared && !copy_prepared(out)))
        return false;
    return tn_parts_find_runs(out) && tn_parts_connect(out);
}

void tn_parts_close(TnParts *parts)
{
    if (parts->exchange) parts->ranks->close(parts->exchange);
    parts->exchange = NULL;
}
