/* parts_near.c: the part of a problem that has no more than one rank's own bodies and those near
 * them; see parts.h. */
#include "parts.h"

#include <string.h>

#include "parts_tell.h"

typedef struct Near {
    TnParts *parts;
    const TnNeighbours *of;
    bool *touched;         /* per twist block */
    bool *needed;          /* per own one: it is a ghost elsewhere */
    uint8_t *wish, *asked; /* per block of `receive` and of `send`: it is a ghost here, and there */
} Near;

static void find_touched(const TnProblem *p, bool *touched)
{
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        int a = batch->row_a[c % TN_LANES], b = batch->row_b[c % TN_LANES];
        if (a) touched[a - 1] = true;
        if (b) touched[b - 1] = true;
    }
}

/* Tells each neighbour which of its blocks are ghosts here. */
static bool ask(Near *x)
{
    TnParts *parts = x->parts;
    const TnNeighbours *n = x->of;
    for (int k = 0; k < n->receive_start[n->count]; k++) x->wish[k] = x->touched[n->receive[k]];
    for (int i = 0; i < n->count; i++) {
        size_t out = (size_t)(n->receive_start[i + 1] - n->receive_start[i]),
               in = (size_t)(n->send_start[i + 1] - n->send_start[i]);
        parts->links[i] = (TnRankLink){.rank = n->ranks[i],
                                       .send = x->wish + n->receive_start[i],
                                       .send_bytes = out,
                                       .receive = x->asked + n->send_start[i],
                                       .receive_bytes = in};
    }
    void *exchange = parts->ranks->open(parts->ranks->context, parts->links, n->count);
    if (!exchange) return false;
    parts->ranks->start(exchange);
    parts->ranks->finish(exchange);
    parts->ranks->close(exchange);
    return true;
}

/* What goes to whom in each iteration, as blocks of the whole. */
static void list_ghosts(Near *x)
{
    TnParts *parts = x->parts;
    const TnNeighbours *n = x->of;
    for (int i = 0; i < n->count; i++) {
        int sent = parts->sent_count, received = parts->received_count;
        for (int k = n->send_start[i]; k < n->send_start[i + 1]; k++) {
            if (!x->asked[k]) continue;
            parts->sent_row[parts->sent_count++] = n->send[k];
            parts->boundary += !x->needed[n->send[k]];
            x->needed[n->send[k]] = true;
        }
        for (int k = n->receive_start[i]; k < n->receive_start[i + 1]; k++)
            if (x->wish[k]) parts->received_row[parts->received_count++] = n->receive[k];
        sent = parts->sent_count - sent;
        received = parts->received_count - received;
        if (sent || received)
            parts->links[parts->link_count++] =
                (TnRankLink){.rank = n->ranks[i],
                             .send_bytes = sizeof(double[6]) * (size_t)sent,
                             .receive_bytes = sizeof(double[6]) * (size_t)received};
    }
}

/* Own blocks that nobody else needs, own ones that others need, ghosts. */
static void list_blocks(const Near *x)
{
    TnParts *parts = x->parts;
    TnIslands *cut = &parts->cut;
    int count = parts->whole->twist_count, n = 0;
    for (int group = 0; group < 3; group++) {
        for (int b = 0; b < count; b++) {
            int is = !x->of->own[b] ? (x->touched[b] ? 2 : 3) : x->needed[b] ? 1 : 0;
            if (is == group) cut->blocks[n++] = b;
        }
        if (group == 0) parts->inner = n;
        if (group == 1) parts->own = n;
    }
    cut->block_start[1] = n;
    for (int k = 0; k < n; k++) cut->place[cut->blocks[k]] = k;
}

static bool reserve(Near *x)
{
    TnParts *parts = x->parts;
    const TnProblem *p = parts->whole;
    const TnNeighbours *n = x->of;
    TnArena *arena = p->arena;
    TnIslands *cut = &parts->cut;
    int ghosts = n->receive_start[n->count], most = n->send_start[n->count];
    x->touched = TN_ARENA_ZERO(arena, bool, p->twist_count);
    x->needed = TN_ARENA_ZERO(arena, bool, p->twist_count);
    x->wish = TN_ARENA_ZERO(arena, uint8_t, ghosts);
    x->asked = TN_ARENA_ZERO(arena, uint8_t, most);
    parts->links = TN_ARENA_ZERO(arena, TnRankLink, n->count);
    parts->sent_row = TN_ARENA_NEW(arena, int, most);
    parts->received_row = TN_ARENA_NEW(arena, int, ghosts);
    *cut = (TnIslands){.count = 1,
                       .place = TN_ARENA_NEW(arena, int, p->twist_count),
                       .block_start = TN_ARENA_ZERO(arena, int, 2),
                       .blocks = TN_ARENA_NEW(arena, int, p->twist_count),
                       .contact_start = TN_ARENA_ZERO(arena, int, 2),
                       .contacts = TN_ARENA_NEW(arena, int, p->contact_count),
                       .row_start = TN_ARENA_ZERO(arena, int, 2),
                       .rows = TN_ARENA_NEW(arena, int, 1),
                       .bond_start = TN_ARENA_ZERO(arena, int, 2),
                       .bonds = TN_ARENA_NEW(arena, int, 1)};
    return x->touched && x->needed && x->wish && x->asked && parts->links && parts->sent_row &&
           parts->received_row && cut->place && cut->block_start && cut->blocks &&
           cut->contact_start && cut->contacts && cut->row_start && cut->rows && cut->bond_start &&
           cut->bonds;
}

bool tn_parts_open_near(TnProblem *whole, const TnRanks *ranks, const TnNeighbours *neighbours,
                        TnParts *out)
{
    Near x = {.parts = out, .of = neighbours};
    *out = (TnParts){.ranks = ranks, .whole = whole, .near = true};
    if (!reserve(&x)) return false;
    find_touched(whole, x.touched);
    if (!ask(&x)) return false;
    list_ghosts(&x);
    list_blocks(&x);
    for (int c = 0; c < whole->contact_count; c++) out->cut.contacts[c] = c;
    out->cut.contact_start[1] = whole->contact_count;
    return tn_island_extract(whole, &out->cut, 0, whole->arena, &out->part) &&
           tn_parts_find_runs(out) && tn_parts_connect(out);
}

void tn_parts_return_near(TnParts *parts)
{
    tn_island_return(&parts->part, &parts->cut, 0, parts->whole);
}
