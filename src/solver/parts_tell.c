/* parts_tell.c: what ranks tell each other of a problem that they share; see parts.h. */
#include "parts.h"

#include <string.h>

#include "../base/ranks.h"

/* ---- ghosts ---- */

typedef struct Wishes {
    int *count; /* [rank that has the ghosts][rank that owns them] */
    int *list;  /* by rank, then by owner: twist blocks of the whole */
    size_t *start;
} Wishes;

static bool collect(TnParts *parts, const uint8_t *twist, int ghost, Wishes *out)
{
    TnArena *arena = parts->whole->arena;
    const TnRanks *ranks = parts->ranks;
    int n = ranks->count, total = 0, mine = 0;
    size_t *share = TN_ARENA_NEW(arena, size_t, n + 1);
    out->count = TN_ARENA_ZERO(arena, int, n *n);
    out->start = TN_ARENA_NEW(arena, size_t, n + 1);
    if (!share || !out->count || !out->start) return false;
    for (int owner = 0; owner < n; owner++)
        for (int b = parts->first_twist[owner]; b < parts->first_twist[owner + 1]; b++)
            out->count[ranks->rank * n + owner] += twist[b] == ghost;
    for (int r = 0; r <= n; r++) share[r] = sizeof(int) * (size_t)(r * n);
    tn_ranks_share(ranks, out->count, share);
    for (int r = 0; r < n; r++) {
        out->start[r] = (size_t)total;
        for (int owner = 0; owner < n; owner++) total += out->count[r * n + owner];
    }
    out->start[n] = (size_t)total;
    out->list = TN_ARENA_NEW(arena, int, total);
    if (!out->list) return false;
    for (int b = 0; b < parts->whole->twist_count; b++)
        if (twist[b] == ghost) out->list[out->start[ranks->rank] + (size_t)mine++] = b;
    for (int r = 0; r <= n; r++) share[r] = sizeof(int) * out->start[r];
    tn_ranks_share(ranks, out->list, share);
    return true;
}

bool tn_parts_list_ghosts(TnParts *parts, const uint8_t *twist, int ghost, bool **needed_out)
{
    TnArena *arena = parts->whole->arena;
    int n = parts->ranks->count, rank = parts->ranks->rank;
    int first = parts->first_twist[rank], own = parts->first_twist[rank + 1] - first;
    bool *needed = *needed_out = TN_ARENA_ZERO(arena, bool, own);
    Wishes wishes;
    parts->links = TN_ARENA_ZERO(arena, TnRankLink, n);
    if (!needed || !parts->links || !collect(parts, twist, ghost, &wishes)) return false;
    for (int r = 0; r < n; r++) parts->sent_count += wishes.count[r * n + rank];
    parts->received_count = (int)(wishes.start[rank + 1] - wishes.start[rank]);
    parts->sent_row = TN_ARENA_NEW(arena, int, parts->sent_count);
    if (!parts->sent_row) return false;
    parts->received_row = wishes.list + wishes.start[rank];
    for (int r = 0, sent = 0; r < n; r++) {
        const int *wish = wishes.list + wishes.start[r];
        int in = wishes.count[rank * n + r], out = wishes.count[r * n + rank];
        for (int owner = 0; owner < rank; owner++) wish += wishes.count[r * n + owner];
        for (int k = 0; k < out; k++) {
            parts->sent_row[sent++] = wish[k];
            parts->boundary += !needed[wish[k] - first];
            needed[wish[k] - first] = true;
        }
        if (in || out)
            parts->links[parts->link_count++] =
                (TnRankLink){.rank = r,
                             .send_bytes = sizeof(double[6]) * (size_t)out,
                             .receive_bytes = sizeof(double[6]) * (size_t)in};
    }
    return true;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* What telling takes. */
static bool reserve(TnParts *parts)
{
    const TnProblem *whole = parts->whole;
    size_t large = 0;
    for (int i = 0; i < whole->large_count; i++)
        large += (size_t)whole->large[i].dim + 8 * (size_t)whole->large[i].port_count;
    size_t most = larger(larger((size_t)whole->row_count, 12 * (size_t)whole->bond_count), large);
    parts->packed = tn_arena_alloc(whole->arena, sizeof(double) * most);
    parts->start = TN_ARENA_NEW(whole->arena, size_t, parts->ranks->count + 1);
    parts->at = TN_ARENA_NEW(whole->arena, size_t, parts->ranks->count + 1);
    parts->row_owner = TN_ARENA_NEW(whole->arena, int, whole->row_count);
    parts->bond_owner = TN_ARENA_NEW(whole->arena, int, whole->bond_count);
    if (!parts->packed || !parts->start || !parts->at || !parts->row_owner || !parts->bond_owner)
        return false;
    if (parts->near) return true; /* rows that all have are not exchanged */
    for (int r = 0; r < whole->row_count; r++) parts->row_owner[r] = tn_parts_row_owner(parts, r);
    for (int i = 0; i < whole->bond_count; i++)
        parts->bond_owner[i] = tn_parts_bond_owner(parts, i);
    return true;
}

/* In the part's table, of a twist block of the whole. */
static int row_of(const TnParts *parts, int block)
{
    return (parts->near ? block : parts->cut.place[block]) + 1;
}

bool tn_parts_connect(TnParts *parts)
{
    TnArena *arena = parts->whole->arena;
    size_t sent = 0, received = 0;
    parts->sent = tn_arena_alloc(arena, sizeof(double[6]) * (size_t)(parts->sent_count + 1));
    parts->received =
        tn_arena_alloc(arena, sizeof(double[6]) * (size_t)(parts->received_count + 1));
    if (!parts->sent || !parts->received || !reserve(parts)) return false;
    for (int k = 0; k < parts->sent_count; k++)
        parts->sent_row[k] = row_of(parts, parts->sent_row[k]);
    for (int k = 0; k < parts->received_count; k++)
        parts->received_row[k] = row_of(parts, parts->received_row[k]);
    for (int i = 0; i < parts->link_count; i++) {
        TnRankLink *link = &parts->links[i];
        link->send = (char *)parts->sent + sent;
        link->receive = (char *)parts->received + received;
        sent += link->send_bytes;
        received += link->receive_bytes;
    }
    parts->exchange = parts->ranks->open(parts->ranks->context, parts->links, parts->link_count);
    return parts->exchange;
}

void tn_parts_send(TnParts *parts)
{
    TnTraffic *traffic = parts->ranks->traffic;
    for (int k = 0; k < parts->sent_count; k++) {
        const double *v = parts->part.twist[parts->sent_row[k]];
        memcpy(parts->sent[k], v, 3 * sizeof(double));
        memcpy(parts->sent[k] + 3, v + 4, 3 * sizeof(double));
    }
    parts->ranks->start(parts->exchange);
    if (!traffic) return;
    traffic->exchanges++;
    traffic->boundary += parts->boundary;
    traffic->sent += (int64_t)sizeof(double[6]) * parts->sent_count;
    traffic->neighbours += parts->link_count;
    traffic->own += parts->own;
}

void tn_parts_receive(TnParts *parts)
{
    tn_ranks_finish(parts->ranks, parts->exchange);
    for (int k = 0; k < parts->received_count; k++) {
        double *v = parts->part.twist[parts->received_row[k]];
        memcpy(v, parts->received[k], 3 * sizeof(double));
        memcpy(v + 4, parts->received[k] + 3, 3 * sizeof(double));
    }
}

/* ---- runs ---- */

void tn_run_add(TnRun *runs, int *count, int batch)
{
    TnRun *last = *count ? &runs[*count - 1] : NULL;
    if (last && last->end == batch && batch - last->begin < TN_RUN)
        last->end++;
    else
        runs[(*count)++] = (TnRun){batch, batch + 1};
}

static bool has_ghosts(const TnParts *parts, const TnContactBatch *batch)
{
    for (int l = 0; l < TN_LANES; l++)
        for (int side = 0; side < 2; side++) {
            int row = side ? batch->row_b[l] : batch->row_a[l];
            if (row <= 0 || row > parts->part.twist_count) continue;
            if (parts->near ? !parts->near[row - 1] : row > parts->own) return true;
        }
    return false;
}

bool tn_parts_find_runs(TnParts *parts)
{
    const TnProblem *p = &parts->part;
    parts->inside = TN_ARENA_NEW(parts->whole->arena, TnRun, p->contact_batches);
    parts->border = TN_ARENA_NEW(parts->whole->arena, TnRun, p->contact_batches);
    if (!parts->inside || !parts->border) return false;
    for (int i = 0; i < p->contact_batches; i++) {
        bool ghosts = has_ghosts(parts, &p->contact_batch[i]);
        if (ghosts)
            tn_run_add(parts->border, &parts->border_count, i);
        else
            tn_run_add(parts->inside, &parts->inside_count, i);
    }
    return true;
}

/* ---- what is found, to all ---- */

static void set_starts(const TnParts *parts, const int *first, size_t bytes, size_t most,
                       size_t *start)
{
    for (int r = 0; r <= parts->ranks->count; r++) {
        size_t at = bytes * (size_t)first[r];
        start[r] = at < most ? at : most;
    }
}

/* Where the part has the first contact batch that this rank tells of. */
static int own_batch(const TnParts *parts)
{
    int first = parts->first_batch[parts->ranks->rank], low = 0, high = parts->part.contact_batches;
    while (low < high) {
        int middle = (low + high) / 2;
        if (parts->cut.contacts[middle * TN_LANES] / TN_LANES < first)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* One number of a row, or twelve of a bond, at a time. */
typedef struct Numbers {
    int count;     /* of rows or bonds */
    int length;    /* numbers of each */
    size_t offset; /* of these in them, in bytes */
    size_t size;   /* of a row or a bond */
    char *whole;
    const char *part;
    const int *list; /* of the part's in the whole */
    int list_count;
    const int *owner; /* per row or bond of the whole */
} Numbers;

/* Packed by owner, told, and unpacked. */
static void tell_numbers(TnParts *parts, const Numbers *n)
{
    size_t bytes = sizeof(double) * (size_t)n->length, *start = parts->start, *at = parts->at;
    int ranks = parts->ranks->count, rank = parts->ranks->rank;
    if (!n->count) return;
    memset(start, 0, sizeof *start * (size_t)(ranks + 1));
    for (int i = 0; i < n->count; i++) start[n->owner[i] + 1] += bytes;
    for (int r = 0; r < ranks; r++) start[r + 1] += start[r];
    memcpy(at, start, sizeof *start * (size_t)(ranks + 1));
    for (int k = 0; k < n->list_count; k++) {
        if (n->owner[n->list[k]] != rank) continue;
        memcpy(parts->packed + at[rank], n->part + n->size * (size_t)k + n->offset, bytes);
        at[rank] += bytes;
    }
    at[rank] = start[rank];
    tn_ranks_share(parts->ranks, parts->packed, start);
    for (int i = 0; i < n->count; i++) {
        size_t *from = &at[n->owner[i]];
        memcpy(n->whole + n->size * (size_t)i + n->offset, parts->packed + *from, bytes);
        *from += bytes;
    }
}

static void tell_row_numbers(TnParts *parts, size_t offset)
{
    tell_numbers(parts, &(Numbers){.count = parts->whole->row_count,
                                   .length = 1,
                                   .offset = offset,
                                   .size = sizeof(TnRow),
                                   .whole = (char *)parts->whole->rows,
                                   .part = (const char *)parts->part.rows,
                                   .list = parts->cut.rows,
                                   .list_count = parts->part.row_count,
                                   .owner = parts->row_owner});
}

static void tell_bond_numbers(TnParts *parts, size_t offset, int length)
{
    tell_numbers(parts, &(Numbers){.count = parts->whole->bond_count,
                                   .length = length,
                                   .offset = offset,
                                   .size = sizeof(TnBond),
                                   .whole = (char *)parts->whole->bonds,
                                   .part = (const char *)parts->part.bonds,
                                   .list = parts->cut.bonds,
                                   .list_count = parts->part.bond_count,
                                   .owner = parts->bond_owner});
}

void tn_parts_tell_forces(TnParts *parts)
{
    TnProblem *whole = parts->whole;
    int rank = parts->ranks->rank;
    int first = parts->first_batch[rank], count = parts->first_batch[rank + 1] - first;
    size_t *start = parts->start, bytes = sizeof(double[3]) * TN_LANES;
    memcpy(whole->lambda + (long)first * TN_LANES,
           parts->part.lambda + (long)own_batch(parts) * TN_LANES, bytes * (size_t)count);
    set_starts(parts, parts->first_batch, bytes, bytes * (size_t)whole->contact_batches, start);
    tn_ranks_share(parts->ranks, whole->lambda, start);
    tell_row_numbers(parts, offsetof(TnRow, lambda));
    tell_bond_numbers(parts, offsetof(TnBond, lambda), 12);
}

static void tell_large(TnParts *parts)
{
    TnProblem *whole = parts->whole;
    int ranks = parts->ranks->count, rank = parts->ranks->rank;
    size_t *start = parts->start, total = 0;
    for (int r = 0; r < ranks; r++) {
        start[r] = total;
        for (int i = parts->first_large[r]; i < parts->first_large[r + 1]; i++)
            total += (size_t)whole->large[i].dim + 8 * (size_t)whole->large[i].port_count;
    }
    start[ranks] = total;
    double *packed = (double *)parts->packed;
    for (int pass = 0; pass < 2; pass++) {
        double *at = packed;
        for (int i = 0; i < whole->large_count; i++) {
            const TnLargeBlock *d = &whole->large[i];
            bool own = i >= parts->first_large[rank] && i < parts->first_large[rank + 1];
            size_t dim = (size_t)d->dim, ports = 8 * (size_t)d->port_count;
            double *table = whole->twist[whole->port_row + d->port_start];
            if (pass == 0 && own) {
                int k = parts->cut.place[whole->twist_count + i];
                const TnLargeBlock *here = &parts->part.large[k];
                memcpy(at, here->v, sizeof(double) * dim);
                memcpy(at + dim, parts->part.twist[parts->part.port_row + here->port_start],
                       sizeof(double) * ports);
            } else if (pass == 1) {
                memcpy(d->v, at, sizeof(double) * dim);
                memcpy(table, at + dim, sizeof(double) * ports);
            }
            at += dim + ports;
        }
        for (int r = 0; pass == 0 && r <= ranks; r++) start[r] *= sizeof(double);
        if (pass == 0) tn_ranks_share(parts->ranks, packed, start);
    }
}

void tn_parts_tell(TnParts *parts)
{
    TnProblem *whole = parts->whole;
    size_t *start = parts->start, bytes = sizeof(double[8]);
    tn_parts_tell_forces(parts);
    for (int k = 0; k < parts->own; k++)
        memcpy(whole->twist[parts->cut.blocks[k] + 1], parts->part.twist[k + 1], bytes);
    set_starts(parts, parts->first_twist, bytes, bytes * (size_t)whole->twist_count, start);
    tn_ranks_share(parts->ranks, whole->twist + 1, start);
    if (whole->large_count) tell_large(parts);
}

void tn_parts_tell_changes(TnParts *parts)
{
    TnProblem *whole = parts->whole;
    int rank = parts->ranks->rank;
    int first = parts->first_batch[rank], count = parts->first_batch[rank + 1] - first;
    size_t *start = parts->start, bytes = sizeof(double);
    memcpy(whole->residual + first, parts->part.residual + own_batch(parts), bytes * (size_t)count);
    set_starts(parts, parts->first_batch, bytes, bytes * (size_t)whole->contact_batches, start);
    tn_ranks_share(parts->ranks, whole->residual, start);
    tell_row_numbers(parts, offsetof(TnRow, change));
    tell_bond_numbers(parts, offsetof(TnBond, change), 1);
}
