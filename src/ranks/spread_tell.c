/* spread_tell.c: what ranks tell each other of the bodies of a world that is stepped in parts; see
 * spread.h. */
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "spread.h"

/* ---- neighbours ---- */

bool tn_spread_connect(TnSpread *spread)
{
    const TnNear *near = &spread->near;
    int n = near->count;
    if (!n) return true;
    size_t body = sizeof(double[TN_SPREAD_NUMBERS]);
    spread->links = tn_calloc((size_t)n, sizeof *spread->links);
    spread->sent = tn_malloc(body * (size_t)(near->send_start[n] + 1));
    spread->received = tn_malloc(body * (size_t)(near->receive_start[n] + 1));
    if (!spread->links || !spread->sent || !spread->received) return false;
    for (int i = 0; i < n; i++) {
        size_t out = (size_t)near->send_start[i], in = (size_t)near->receive_start[i];
        spread->links[i] =
            (TnRankLink){.rank = near->rank[i],
                         .send = (char *)spread->sent + body * out,
                         .send_bytes = body * ((size_t)near->send_start[i + 1] - out),
                         .receive = (char *)spread->received + body * in,
                         .receive_bytes = body * ((size_t)near->receive_start[i + 1] - in)};
    }
    spread->exchange = near->ranks->open(near->ranks->context, spread->links, n);
    return spread->exchange;
}

int tn_spread_by_number(const void *x, const void *y)
{
    const TnSpreadBody *a = x, *b = y;
    return (a->number > b->number) - (a->number < b->number);
}

void tn_spread_tell_near(TnSpread *spread)
{
    const TnNear *near = &spread->near;
    TnWorld *world = spread->world;
    int n = near->count;
    if (!n) return;
    int sent = near->send_start[n], received = near->receive_start[n];
    double *to = spread->sent;
    const double *from = spread->received;
    const TnModel *m = spread->part.model;
    for (int k = 0; k < sent; k++, to += TN_SPREAD_NUMBERS)
        tn_spread_pack(&world->state, m, near->send[k], to);
    near->ranks->start(spread->exchange);
    tn_ranks_finish(near->ranks, spread->exchange);
    for (int k = 0; k < received; k++, from += TN_SPREAD_NUMBERS)
        tn_spread_unpack(&world->state, m, near->receive[k], from);
    tn_world_update_frames(world, near->receive, received);
    TnTraffic *traffic = near->ranks->traffic;
    if (!traffic) return;
    traffic->states += sent;
    traffic->state_bytes += (int64_t)sizeof(double[TN_SPREAD_NUMBERS]) * sent;
}

static void exchange_once(const TnRanks *ranks, const TnRankLink *links, int count, bool *ok)
{
    void *exchange = ranks->open(ranks->context, links, count);
    *ok = exchange;
    if (!exchange) return;
    ranks->start(exchange);
    tn_ranks_finish(ranks, exchange);
    ranks->close(exchange);
}

char *tn_spread_swap(const TnRanks *ranks, const int *with, int count, const char *const *out,
                     const size_t *bytes, size_t *start)
{
    TnRankLink *links = tn_calloc((size_t)count + 1, sizeof *links);
    char *in = NULL;
    bool ok = links;
    for (int i = 0; ok && i < count; i++)
        links[i] = (TnRankLink){.rank = with[i],
                                .send = &bytes[i],
                                .send_bytes = sizeof *bytes,
                                .receive = &start[i + 1],
                                .receive_bytes = sizeof *start};
    start[0] = 0;
    if (ok) exchange_once(ranks, links, count, &ok);
    for (int i = 0; i < count; i++) start[i + 1] += start[i];
    if (ok) in = tn_malloc(start[count] + 1);
    ok = ok && in;
    for (int i = 0; ok && i < count; i++) {
        links[i].send = out[i];
        links[i].send_bytes = bytes[i];
        links[i].receive = in + start[i];
        links[i].receive_bytes = start[i + 1] - start[i];
    }
    if (ok) exchange_once(ranks, links, count, &ok);
    tn_free(links);
    if (ok) return in;
    tn_free(in);
    return NULL;
}

/* ---- one rank to another, and to all ---- */

#define PIECE ((size_t)1 << 22) /* bytes; messages are copied on their way */

static bool pass_on(const TnRanks *ranks, const TnRankLink *link)
{
    bool ok;
    exchange_once(ranks, link, 1, &ok);
    return ok;
}

bool tn_spread_send(const TnRanks *ranks, int to, const void *bytes, size_t count)
{
    TnRankLink link = {.rank = to, .send = &count, .send_bytes = sizeof count};
    bool ok = pass_on(ranks, &link);
    for (size_t at = 0; ok && at < count; at += PIECE) {
        link.send = (const char *)bytes + at;
        link.send_bytes = count - at < PIECE ? count - at : PIECE;
        ok = pass_on(ranks, &link);
    }
    return ok;
}

bool tn_spread_receive(const TnRanks *ranks, int from, void **bytes, size_t *count)
{
    TnRankLink link = {.rank = from, .receive = count, .receive_bytes = sizeof *count};
    bool ok = pass_on(ranks, &link);
    *bytes = ok ? tn_malloc(*count + 1) : NULL;
    ok = *bytes;
    for (size_t at = 0; ok && at < *count; at += PIECE) {
        link.receive = (char *)*bytes + at;
        link.receive_bytes = *count - at < PIECE ? *count - at : PIECE;
        ok = pass_on(ranks, &link);
    }
    if (ok) return true;
    tn_free(*bytes);
    *bytes = NULL;
    return false;
}

bool tn_spread_broadcast(const TnRanks *ranks, void *bytes, size_t count)
{
    size_t *start = tn_calloc((size_t)ranks->count + 1, sizeof *start);
    if (!start) return false;
    for (int r = 1; r <= ranks->count; r++) start[r] = count;
    if (count) tn_ranks_share(ranks, bytes, start);
    tn_free(start);
    return true;
}
