/* near_tell.c: numbers of bodies that ranks tell their neighbours within a step; see near.h. */
#include <string.h>

#include "../base/ranks.h"
#include "near.h"

bool tn_near_open(TnStep *step, int stride, TnNearExchange *out)
{
    const TnNear *near = step->world->near;
    TnArena *arena = &step->world->arena;
    int n = near->count;
    size_t bytes = sizeof(double) * (size_t)stride;
    *out = (TnNearExchange){.near = near, .model = step->model, .stride = stride};
    if (!n) return true;
    TnRankLink *links = TN_ARENA_ZERO(arena, TnRankLink, n);
    out->sent = tn_arena_alloc(arena, bytes * (size_t)(near->send_start[n] + 1));
    out->received = tn_arena_alloc(arena, bytes * (size_t)(near->receive_start[n] + 1));
    if (!links || !out->sent || !out->received) return false;
    for (int i = 0; i < n; i++) {
        size_t to = (size_t)near->send_start[i], from = (size_t)near->receive_start[i];
        links[i] =
            (TnRankLink){.rank = near->rank[i],
                         .send = (char *)out->sent + bytes * to,
                         .send_bytes = bytes * ((size_t)near->send_start[i + 1] - to),
                         .receive = (char *)out->received + bytes * from,
                         .receive_bytes = bytes * ((size_t)near->receive_start[i + 1] - from)};
    }
    out->exchange = near->ranks->open(near->ranks->context, links, n);
    return out->exchange;
}

static double *value_of(const TnNearExchange *x, double *values, int s, bool by_link)
{
    return values + (long)x->stride * (by_link ? x->model->subsystems[s].link_start : s);
}

static void tell(TnNearExchange *x, double *values, bool by_link)
{
    const TnNear *near = x->near;
    size_t bytes = sizeof(double) * (size_t)x->stride;
    if (!near->count) return;
    int sent = near->send_start[near->count], received = near->receive_start[near->count];
    for (int k = 0; k < sent; k++)
        memcpy(x->sent + (long)k * x->stride, value_of(x, values, near->send[k], by_link), bytes);
    near->ranks->start(x->exchange);
    tn_ranks_finish(near->ranks, x->exchange);
    for (int k = 0; k < received; k++)
        memcpy(value_of(x, values, near->receive[k], by_link), x->received + (long)k * x->stride,
               bytes);
    TnTraffic *traffic = near->ranks->traffic;
    if (traffic) traffic->state_bytes += (int64_t)bytes * sent;
}

void tn_near_tell(TnNearExchange *x, double *values) { tell(x, values, false); }

void tn_near_tell_links(TnNearExchange *x, double *values) { tell(x, values, true); }

void tn_near_close(TnNearExchange *x)
{
    if (x->exchange) x->near->ranks->close(x->exchange);
    x->exchange = NULL;
}

bool tn_near_any(TnStep *step, bool here, bool *any)
{
    const TnRanks *ranks = step->world->near->ranks;
    int n = tn_ranks_count(ranks);
    *any = here;
    if (n == 1) return true;
    size_t *start = TN_ARENA_NEW(&step->world->arena, size_t, n + 1);
    bool *all = TN_ARENA_ZERO(&step->world->arena, bool, n);
    if (!start || !all) return false;
    for (int r = 0; r <= n; r++) start[r] = (size_t)r;
    all[ranks->rank] = here;
    tn_ranks_share(ranks, all, start);
    for (int r = 0; r < n; r++) *any |= all[r];
    return true;
}

/* What a rank has in its first message, so that a second one is seldom needed. */
#define FIRST_BYTES 1016

typedef struct First {
    size_t bytes;
    char data[FIRST_BYTES];
} First;

bool tn_near_share(TnStep *step, const void *mine, size_t bytes, void **all, size_t *all_bytes)
{
    const TnRanks *ranks = step->world->near->ranks;
    TnArena *arena = &step->world->arena;
    int n = ranks->count;
    size_t *start = TN_ARENA_NEW(arena, size_t, n + 1), most = 0;
    First *first = TN_ARENA_NEW(arena, First, n);
    if (!start || !first) return false;
    for (int r = 0; r <= n; r++) start[r] = sizeof *first * (size_t)r;
    memset(&first[ranks->rank], 0, sizeof *first);
    first[ranks->rank].bytes = bytes;
    if (bytes && bytes <= FIRST_BYTES) memcpy(first[ranks->rank].data, mine, bytes);
    tn_ranks_share(ranks, first, start);
    start[0] = 0;
    for (int r = 0; r < n; r++) {
        start[r + 1] = start[r] + first[r].bytes;
        if (first[r].bytes > most) most = first[r].bytes;
    }
    *all_bytes = start[n];
    char *out = *all = tn_arena_alloc(arena, start[n] + 1);
    if (!out) return false;
    for (int r = 0; r < n && most <= FIRST_BYTES; r++)
        memcpy(out + start[r], first[r].data, first[r].bytes);
    if (most <= FIRST_BYTES) return true;
    memcpy(out + start[ranks->rank], mine, bytes);
    tn_ranks_share(ranks, out, start);
    return true;
}
