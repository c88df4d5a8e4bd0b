/* parts_near.c: the part of a problem that has no more than one rank's own bodies and those near
 * them; see parts.h. */
#include "parts.h"

#include "../base/ranks.h"

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
        if (a && a <= p->twist_count) touched[a - 1] = true; /* others are ports of large blocks */
        if (b && b <= p->twist_count) touched[b - 1] = true;
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
    tn_ranks_finish(parts->ranks, exchange);
    parts->ranks->close(exchange);
    return true;
}

/* What goes to which rank in each iteration, as blocks of the whole. */
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

/* Batches of blocks that have own ones. Ghosts in these are updated in vain: what is received takes
 * their place. */
static void list_batches(const Near *x)
{
    TnParts *parts = x->parts;
    int count = parts->whole->twist_count;
    for (int i = 0; i * TN_LANES < count; i++) {
        bool own = false, needed = false;
        for (int b = i * TN_LANES; b < count && b < (i + 1) * TN_LANES; b++) {
            own |= x->of->own[b];
            needed |= x->needed[b];
            parts->own += x->of->own[b];
        }
        if (needed)
            tn_run_add(parts->needed, &parts->needed_count, i);
        else if (own)
            tn_run_add(parts->other, &parts->other_count, i);
    }
}

static bool reserve(Near *x)
{
    TnParts *parts = x->parts;
    const TnProblem *p = parts->whole;
    const TnNeighbours *n = x->of;
    TnArena *arena = p->arena;
    int ghosts = n->receive_start[n->count], most = n->send_start[n->count];
    x->touched = TN_ARENA_ZERO(arena, bool, p->twist_count);
    x->needed = TN_ARENA_ZERO(arena, bool, p->twist_count);
    x->wish = TN_ARENA_ZERO(arena, uint8_t, ghosts);
    x->asked = TN_ARENA_ZERO(arena, uint8_t, most);
    parts->links = TN_ARENA_ZERO(arena, TnRankLink, n->count);
    parts->sent_row = TN_ARENA_NEW(arena, int, most);
    parts->received_row = TN_ARENA_NEW(arena, int, ghosts);
    parts->needed = TN_ARENA_NEW(arena, TnRun, p->twist_batches);
    parts->other = TN_ARENA_NEW(arena, TnRun, p->twist_batches);
    return x->touched && x->needed && x->wish && x->asked && parts->links && parts->sent_row &&
           parts->received_row && parts->needed && parts->other;
}

bool tn_parts_open_near(TnProblem *whole, const TnRanks *ranks, const TnNeighbours *neighbours,
                        TnParts *out)
{
    Near x = {.parts = out, .of = neighbours};
    *out = (TnParts){.ranks = ranks, .whole = whole, .near = neighbours->own, .part = *whole};
    if (!reserve(&x)) return false;
    find_touched(whole, x.touched);
    if (!ask(&x)) return false;
    list_ghosts(&x);
    list_batches(&x);
    return tn_parts_find_runs(out) && tn_parts_connect(out);
}
