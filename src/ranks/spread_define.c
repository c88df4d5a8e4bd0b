/* spread_define.c: definitions of bodies go with them from rank to rank; see spread.h.
 *
 * A rank that makes a new part finds the definitions of its bodies in its old one, or they came.
 * They come with a body that changes hands, and with one that comes near, unless this rank has told
 * it to the other one before. */
#include <stdlib.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "spread.h"

/* ---- what a rank has ---- */

static int by_source(const void *x, const void *y)
{
    const TnBodySource *a = x, *b = y;
    return (a->number > b->number) - (a->number < b->number);
}

bool tn_owned_add_definitions(TnOwned *own, void *block, size_t bytes)
{
    int more = 0;
    size_t size;
    for (size_t at = 0; at < bytes; at += size, more++) tn_body_number((char *)block + at, &size);
    void **blocks = tn_realloc(own->blocks, sizeof *blocks * (size_t)(own->block_count + 1));
    if (blocks) own->blocks = blocks;
    TnBodySource *list =
        tn_realloc(own->arrived, sizeof *list * (size_t)(own->arrived_count + more + 1));
    if (list) own->arrived = list;
    if (!blocks || !list) {
        tn_free(block);
        return false;
    }
    own->blocks[own->block_count++] = block;
    bool sorted = true;
    for (size_t at = 0; at < bytes; at += size) {
        TnBodySource *to = &list[own->arrived_count++];
        *to = (TnBodySource){.bytes = (char *)block + at};
        to->number = tn_body_number(to->bytes, &size);
        sorted = sorted && (own->arrived_count == 1 || to[-1].number < to->number);
    }
    if (!sorted) qsort(list, (size_t)own->arrived_count, sizeof *list, by_source);
    return true;
}

TnBodySource tn_owned_source(const TnOwned *own, int number)
{
    TnBodySource one = {.number = number};
    const TnPart *from = &own->from;
    if (from->model) {
        one.subsystem = from->subsystem
                            ? tn_part_find(from->subsystem, from->model->subsystem_count, number)
                            : number;
        if (one.subsystem >= 0) return one;
    }
    const TnBodySource *found =
        own->arrived_count
            ? bsearch(&one, own->arrived, (size_t)own->arrived_count, sizeof one, by_source)
            : NULL;
    TN_ASSERT(found);
    return found ? *found : one;
}

void tn_owned_free(TnOwned *own)
{
    if (!own->borrowed) tn_part_free(&own->from);
    for (int i = 0; i < own->block_count; i++) tn_free(own->blocks[i]);
    void *const all[] = {own->bodies, own->contacts,   own->mover_contacts, own->arrived,
                         own->blocks, own->known_rank, own->known_start,    own->known};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tn_free(all[i]);
    *own = (TnOwned){0};
}

/* ---- what others have ---- */

bool tn_owned_note_known(const TnSpread *spread, TnOwned *own)
{
    const TnNear *near = &spread->near;
    int n = near->count, sent = n ? near->send_start[n] : 0;
    own->known_rank = tn_malloc(sizeof(int) * (size_t)(n + 1));
    own->known_start = tn_calloc((size_t)n + 1, sizeof(int));
    own->known = tn_malloc(sizeof(int) * (size_t)(sent + 1));
    if (!own->known_rank || !own->known_start || !own->known) return false;
    own->known_count = n;
    for (int i = 0; i < n; i++) {
        own->known_rank[i] = near->rank[i];
        own->known_start[i + 1] = near->send_start[i + 1];
    }
    for (int k = 0; k < sent; k++) own->known[k] = spread->part.subsystem[near->send[k]];
    return true;
}

/* Which neighbour of before it is; -1: none. */
static int known_of(const TnOwned *own, int rank)
{
    for (int i = 0; i < own->known_count; i++)
        if (own->known_rank[i] == rank) return i;
    return -1;
}

static bool was_defined(const TnOwned *own, int neighbour, int number)
{
    if (neighbour < 0) return false;
    int first = own->known_start[neighbour], end = own->known_start[neighbour + 1];
    return tn_part_find(own->known + first, end - first, number) >= 0;
}

/* ---- to neighbours ---- */

static size_t bytes_of(const TnOwned *own, const TnBodySource *source)
{
    size_t size;
    if (!source->bytes) return tn_body_bytes(&own->from, source->subsystem);
    tn_body_number(source->bytes, &size);
    return size;
}

/* Of sends from `first` to `end`, which are for one rank, those that it lacks. NULL: no memory. */
static char *pack_for(const TnOwned *own, const TnMeeting *met, int first, int end, size_t *bytes)
{
    int neighbour = known_of(own, (int)met->sends[first].key);
    char *out = NULL, *to = NULL;
    *bytes = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = first; k < end; k++) {
            if (was_defined(own, neighbour, met->sends[k].s)) continue;
            TnBodySource source = tn_owned_source(own, met->sends[k].s);
            size_t size = bytes_of(own, &source);
            if (!pass)
                *bytes += size;
            else if (source.bytes)
                memcpy(to, source.bytes, size);
            else
                tn_body_pack(&own->from, source.subsystem, to);
            if (pass) to += size;
        }
        if (!pass && !(to = out = tn_malloc(*bytes + 8))) return NULL;
    }
    return out;
}

/* What one neighbour sends, if there is anything. */
static bool take_from(TnOwned *own, const char *came, size_t bytes)
{
    if (!bytes) return true;
    char *block = tn_malloc(bytes);
    if (!block) return false;
    memcpy(block, came, bytes);
    return tn_owned_add_definitions(own, block, bytes);
}

bool tn_spread_swap_definitions(TnWorld *world, TnOwned *own, const TnMeeting *met)
{
    const TnRanks *ranks = world->def.ranks;
    size_t most = (size_t)tn_ranks_count(ranks) + 1;
    if (most == 2) return true;
    int *with = tn_malloc(sizeof *with * most), count = 0, sent = 0, received = 0;
    char **out = tn_calloc(most, sizeof *out), *came = NULL;
    size_t *bytes = tn_calloc(most, sizeof *bytes), *start = tn_calloc(most, sizeof *start);
    bool ok = with && out && bytes && start;
    for (int r = 0; ok && r < ranks->count; r++) { /* both lists are by rank */
        int first = sent, had = received;
        while (sent < met->send_count && met->sends[sent].key == (uint64_t)r) sent++;
        while (received < met->ghost_count && met->owner[received] == r) received++;
        if (sent == first && received == had) continue;
        with[count] = r;
        if (sent > first) ok = (out[count] = pack_for(own, met, first, sent, &bytes[count]));
        count++;
    }
    if (ok) came = tn_spread_swap(ranks, with, count, (const char *const *)out, bytes, start);
    ok = ok && came;
    for (int i = 0; ok && i < count; i++)
        ok = take_from(own, came + start[i], start[i + 1] - start[i]);
    for (int i = 0; out && i < count; i++) tn_free(out[i]);
    void *const all[] = {with, out, bytes, start, came};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) tn_free(all[i]);
    return ok;
}
