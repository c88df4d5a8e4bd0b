/* islands.c: the connected parts of a problem, and each as a problem of its own.
 *
 * Found by union-find with path halving; a set's root is its first block, so islands come out
 * numbered by first blocks. Blocks, contacts, rows and bonds are then sorted by island, by
 * counting. All of that is linear but for the nearly constant depth of the sets.
 *
 * A part has the same blocks and constraints in the same order and with the same bits. Only what
 * numbers them changes: lanes of batches, rows of the twist table (blocks, then ports), sides.
 * Since every sum of an iteration is over one block's or one constraint's own list, iterating on
 * the part gives the bits that iterating on the whole would. */
#include "islands.h"

#include <string.h>

#include "../base/base.h"
#include "../base/bucket.h"
#include "../base/shared.h"
#include "../math/disjoint_sets.h"
#include "block/block.h"
#include "law/law.h"

enum { NONE = -1 };

/* Block of a row of the twist table. */
static int block_of_row(const TnProblem *p, int row)
{
    if (row == 0) return NONE;
    return row < p->port_row ? row - 1 : p->twist_count + p->ports[row - p->port_row].block;
}

static int row_a(const TnProblem *p, int c)
{
    return p->contact_batch[c / TN_LANES].row_a[c % TN_LANES];
}
static int row_b(const TnProblem *p, int c)
{
    return p->contact_batch[c / TN_LANES].row_b[c % TN_LANES];
}

/* ---- union-find ---- */

typedef struct Sets {
    int *parent;  /* disjoint_sets.h */
    bool *joined; /* the block has a constraint */
} Sets;

/* A constraint on `block` that is also on `with`; either may be NONE. Returns one that is not. */
static int join(Sets *sets, int with, int block)
{
    if (block == NONE) return with;
    tn_shared_set(&sets->joined[block]);
    if (with == NONE) return block;
    tn_set_join_shared(sets->parent, with, block);
    return block;
}

/* Of two rows of the table. */
static int join_pair(const TnProblem *p, Sets *sets, int with, int a, int b)
{
    return join(sets, join(sets, with, block_of_row(p, a)), block_of_row(p, b));
}

/* A row without blocks can do nothing, and neither can one that is bounded by the force of such a
 * contact. */
static bool acts(const TnProblem *p, const TnRow *row)
{
    return row->side_count &&
           (!tn_row_is_disc(row) || row_a(p, row->contact) || row_b(p, row->contact));
}

static int join_row(const TnProblem *p, Sets *sets, const TnRow *row)
{
    int block = NONE;
    if (!acts(p, row)) return NONE;
    for (int s = row->side_start; s < row->side_start + row->side_count; s++)
        block = join(sets, block, p->sides[s].block);
    /* a row that is bounded by a contact's force is where that is */
    if (tn_row_is_disc(row))
        block = join_pair(p, sets, block, row_a(p, row->contact), row_b(p, row->contact));
    return block;
}

/* ---- sorting ---- */

/* of[i] in [0, groups) or NONE -> the members of each group, rising. */
static bool sort_by_group(TnArena *arena, TnPool *pool, int groups, int count, const int *of,
                          int **start, int **members)
{
    *start = TN_ARENA_NEW(arena, int, groups + 1);
    *members = TN_ARENA_NEW(arena, int, count);
    return *start && *members && tn_buckets_fill(pool, arena, of, count, groups, *start, *members);
}

/* Blocks of constraints become islands. */
static void name_islands(const int *island_of, int count, int *of)
{
    for (int i = 0; i < count; i++)
        if (of[i] != NONE) of[i] = island_of[of[i]];
}

/* ---- contacts, on several threads ---- */

typedef struct Contacts {
    const TnProblem *problem;
    Sets *sets;
    const int *island_of;
    int *of; /* per contact: a block of its, then its island */
} Contacts;

static void join_contacts(void *context, int begin, int end)
{
    const Contacts *x = context;
    for (int c = begin; c < end; c++)
        x->of[c] = join_pair(x->problem, x->sets, NONE, row_a(x->problem, c), row_b(x->problem, c));
}

static void name_contacts(void *context, int begin, int end)
{
    const Contacts *x = context;
    name_islands(x->island_of, end - begin, x->of + begin);
}

bool tn_islands_find(const TnProblem *p, TnPool *pool, TnIslands *out)
{
    int blocks = p->twist_count + p->large_count;
    *out = (TnIslands){0};
    out->island_of = TN_ARENA_NEW(p->arena, int, blocks);
    out->place = TN_ARENA_NEW(p->arena, int, blocks);
    Sets sets = {TN_ARENA_NEW(p->arena, int, blocks), TN_ARENA_ZERO(p->arena, bool, blocks)};
    int *of_contact = TN_ARENA_NEW(p->arena, int, p->contact_count);
    int *of_row = TN_ARENA_NEW(p->arena, int, p->row_count);
    int *of_bond = TN_ARENA_NEW(p->arena, int, p->bond_count);
    if (!out->island_of || !out->place || !sets.parent || !sets.joined || !of_contact || !of_row ||
        !of_bond)
        return false;
    for (int b = 0; b < blocks; b++) sets.parent[b] = b;
    Contacts contacts = {p, &sets, out->island_of, of_contact};
    tn_pool_run(pool, p->contact_count, 256, join_contacts, &contacts);
    for (int r = 0; r < p->row_count; r++) of_row[r] = join_row(p, &sets, &p->rows[r]);
    for (int i = 0; i < p->bond_count; i++)
        of_bond[i] = join_pair(p, &sets, NONE, p->bonds[i].row_a, p->bonds[i].row_b);
    for (int b = 0; b < blocks; b++) {
        int root = tn_set_root(sets.parent, b);
        out->island_of[b] = !sets.joined[b] ? NONE
                            : root == b     ? out->count++
                                            : out->island_of[root];
    }
    tn_pool_run(pool, p->contact_count, 256, name_contacts, &contacts);
    name_islands(out->island_of, p->row_count, of_row);
    name_islands(out->island_of, p->bond_count, of_bond);
    if (!sort_by_group(p->arena, pool, out->count, blocks, out->island_of, &out->block_start,
                       &out->blocks) ||
        !sort_by_group(p->arena, pool, out->count, p->contact_count, of_contact,
                       &out->contact_start, &out->contacts) ||
        !sort_by_group(p->arena, pool, out->count, p->row_count, of_row, &out->row_start,
                       &out->rows) ||
        !sort_by_group(p->arena, pool, out->count, p->bond_count, of_bond, &out->bond_start,
                       &out->bonds))
        return false;
    for (int i = 0; i < out->count; i++)
        for (int k = out->block_start[i], twists = 0; k < out->block_start[i + 1]; k++) {
            int b = out->blocks[k];
            out->place[b] = k - out->block_start[i] - (b < p->twist_count ? 0 : twists);
            twists += b < p->twist_count;
        }
    return true;
}

void tn_islands_clear_rest(TnProblem *p, const TnIslands *islands)
{
    int n = islands->count;
    if (islands->contact_start[n] < p->contact_count)
        for (int c = 0; c < p->contact_count; c++)
            if (!row_a(p, c) && !row_b(p, c)) memset(p->lambda[c], 0, sizeof p->lambda[c]);
    if (islands->row_start[n] < p->row_count)
        for (int r = 0; r < p->row_count; r++)
            if (!acts(p, &p->rows[r])) p->rows[r].lambda = 0.0;
    if (islands->bond_start[n] < p->bond_count)
        for (int i = 0; i < p->bond_count; i++)
            if (!p->bonds[i].row_a && !p->bonds[i].row_b)
                memset(p->bonds[i].lambda, 0, sizeof p->bonds[i].lambda);
}

/* ---- an island as a problem ---- */

/* From the whole to one of its islands. */
typedef struct Cut {
    const TnProblem *whole;
    const TnIslands *islands;
    TnProblem *part;
} Cut;

static int part_row(const Cut *cut, int row)
{
    const TnProblem *p = cut->whole;
    if (row == 0) return 0;
    if (row < p->port_row) return 1 + cut->islands->place[row - 1];
    int port = row - p->port_row, large = p->ports[port].block;
    int place = cut->islands->place[p->twist_count + large];
    return cut->part->port_row + cut->part->large[place].port_start + port -
           p->large[large].port_start;
}

static void copy_twist(const Cut *cut, int from, int to)
{
    const TnTwistBatch *a = &cut->whole->twist_batch[from / TN_LANES];
    TnTwistBatch *b = &cut->part->twist_batch[to / TN_LANES];
    int i = from % TN_LANES, k = to % TN_LANES;
    b->a[k] = a->a[i];
    for (int n = 0; n < 6; n++) {
        b->S[n][k] = a->S[n][i];
        b->b[n][k] = a->b[n][i];
    }
    memcpy(cut->part->twist[to + 1], cut->whole->twist[from + 1], sizeof(double[8]));
}

static void copy_contact(const Cut *cut, int from, int to)
{
    const TnContactBatch *a = &cut->whole->contact_batch[from / TN_LANES];
    TnContactBatch *b = &cut->part->contact_batch[to / TN_LANES];
    int i = from % TN_LANES, k = to % TN_LANES;
    for (int n = 0; n < 3; n++) {
        b->arm_a[n][k] = a->arm_a[n][i];
        b->arm_b[n][k] = a->arm_b[n][i];
        b->normal[n][k] = a->normal[n][i];
        b->e[n][k] = a->e[n][i];
        b->t[n][k] = a->t[n][i];
    }
    b->mu[k] = a->mu[i];
    b->row_a[k] = part_row(cut, a->row_a[i]);
    b->row_b[k] = part_row(cut, a->row_b[i]);
    memcpy(cut->part->normals[to], cut->whole->normals[from], sizeof(double[4]));
    memcpy(cut->part->lambda[to], cut->whole->lambda[from], sizeof(double[3]));
    memcpy(cut->part->memory[to], cut->whole->memory[from], sizeof(double[3]));
}

/* Where a value is in a rising list that has it. */
static int place_in(const int *list, int count, int value)
{
    int low = 0;
    while (count > 1) {
        int half = count / 2;
        if (list[low + half] <= value) low += half;
        count -= half;
    }
    return low;
}

/* Behind the rows before it. */
static void copy_row(const Cut *cut, int from, int to, const int *contacts, int contact_count)
{
    const TnProblem *p = cut->whole;
    TnProblem *part = cut->part;
    TnRow *row = &part->rows[to];
    *row = p->rows[from];
    row->side_start = part->side_count;
    for (int s = 0; s < row->side_count; s++) {
        TnRowSide *side = &part->sides[part->side_count++];
        *side = p->sides[p->rows[from].side_start + s];
        memcpy(part->index + part->entry_count, p->index + side->start,
               sizeof(int) * (size_t)side->count);
        memcpy(part->coefficient + part->entry_count, p->coefficient + side->start,
               sizeof(double) * (size_t)side->count);
        int place = cut->islands->place[side->block];
        side->block = side->block < p->twist_count ? place : part->twist_count + place;
        side->start = part->entry_count;
        part->entry_count += side->count;
    }
    if (tn_row_is_disc(row)) row->contact = place_in(contacts, contact_count, row->contact);
}

bool tn_island_extract(const TnProblem *p, const TnIslands *islands, int island, TnArena *arena,
                       TnProblem *out)
{
    const int *blocks = islands->blocks + islands->block_start[island];
    const int *contacts = islands->contacts + islands->contact_start[island];
    const int *rows = islands->rows + islands->row_start[island];
    const int *bonds = islands->bonds + islands->bond_start[island];
    int count = islands->block_start[island + 1] - islands->block_start[island];
    TnProblemSize size = {.contacts =
                              islands->contact_start[island + 1] - islands->contact_start[island],
                          .rows = islands->row_start[island + 1] - islands->row_start[island],
                          .bonds = islands->bond_start[island + 1] - islands->bond_start[island]};
    while (size.twists < count && blocks[size.twists] < p->twist_count) size.twists++;
    size.larges = count - size.twists;
    for (int k = size.twists; k < count; k++)
        size.ports += p->large[blocks[k] - p->twist_count].port_count;
    for (int r = 0; r < size.rows; r++) {
        const TnRow *row = &p->rows[rows[r]];
        size.sides += row->side_count;
        for (int s = row->side_start; s < row->side_start + row->side_count; s++)
            size.entries += p->sides[s].count;
    }
    if (!tn_problem_init(out, arena, size)) return false;
    out->exact = p->exact;
    out->side_count = out->entry_count = 0;
    Cut cut = {p, islands, out};
    for (int k = 0; k < size.twists; k++) copy_twist(&cut, blocks[k], k);
    for (int k = size.twists; k < count; k++)
        if (!tn_block_copy(p, blocks[k] - p->twist_count, out, k - size.twists)) return false;
    for (int c = 0; c < size.contacts; c++) copy_contact(&cut, contacts[c], c);
    for (int r = 0; r < size.rows; r++) copy_row(&cut, rows[r], r, contacts, size.contacts);
    for (int i = 0; i < size.bonds; i++) {
        out->bonds[i] = p->bonds[bonds[i]];
        out->bonds[i].row_a = part_row(&cut, out->bonds[i].row_a);
        out->bonds[i].row_b = part_row(&cut, out->bonds[i].row_b);
    }
    return true;
}

bool tn_block_extract(const TnProblem *p, int large, TnArena *arena, TnProblem *out)
{
    TnProblemSize size = {.larges = 1, .ports = p->large[large].port_count};
    return tn_problem_init(out, arena, size) && tn_block_copy(p, large, out, 0);
}

void tn_island_return(const TnProblem *part, const TnIslands *islands, int island,
                      TnProblem *problem)
{
    const int *blocks = islands->blocks + islands->block_start[island];
    const int *contacts = islands->contacts + islands->contact_start[island];
    const int *rows = islands->rows + islands->row_start[island];
    const int *bonds = islands->bonds + islands->bond_start[island];
    for (int k = 0; k < part->twist_count; k++)
        memcpy(problem->twist[blocks[k] + 1], part->twist[k + 1], sizeof(double[8]));
    for (int k = 0; k < part->large_count; k++) {
        const TnLargeBlock *from = &part->large[k];
        const TnLargeBlock *to =
            &problem->large[blocks[part->twist_count + k] - problem->twist_count];
        TN_ASSERT(from->v == to->v);
        memcpy(problem->twist[problem->port_row + to->port_start],
               part->twist[part->port_row + from->port_start],
               sizeof(double[8]) * (size_t)from->port_count);
    }
    for (int c = 0; c < part->contact_count; c++) {
        memcpy(problem->lambda[contacts[c]], part->lambda[c], sizeof(double[3]));
        memcpy(problem->yield[contacts[c]], part->yield[c], sizeof(double[2]));
    }
    for (int r = 0; r < part->row_count; r++) problem->rows[rows[r]].lambda = part->rows[r].lambda;
    for (int i = 0; i < part->bond_count; i++)
        memcpy(problem->bonds[bonds[i]].lambda, part->bonds[i].lambda, sizeof(double[12]));
}
