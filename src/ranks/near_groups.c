/* near_groups.c: sets of several ranks that are one group; see near_groups.h.
 *
 * Neighbours tell each other which set a body of theirs is in. So each rank has what its sets
 * are connected with (edges), and tells all others, with the accounts of these sets. All then join
 * the same sets and find the same sums. */
#include "near_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/ranks.h"
#include "../math/disjoint_sets.h"
#include "../math/vec3.h"

/* Two sets are one group. */
typedef struct Edge {
    double a, b;
} Edge;

double tn_set_id(const TnNearGroups *g, int root) { return ldexp(g->near->ranks->rank, 31) + root; }

static bool tell_sets(TnNearGroups *g)
{
    TnNearExchange told;
    int n = g->step->model->subsystem_count;
    g->told = TN_ARENA_NEW(&g->step->world->arena, double, n + 1);
    if (!g->told) return false;
    for (int s = 0; s < n; s++) g->told[s] = tn_set_id(g, g->root[s]);
    if (!tn_near_open(g->step, 1, &told)) return false;
    tn_near_tell(&told, g->told);
    tn_near_close(&told);
    return true;
}

static int by_ends(const void *x, const void *y)
{
    const Edge *p = x, *q = y;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static int by_id(const void *x, const void *y)
{
    const TnSetAccount *p = x, *q = y;
    return (p->id > q->id) - (p->id < q->id);
}

static void join_accounts(TnSetAccount *to, const TnSetAccount *from)
{
    for (int k = 0; k < TN_ENERGY_SUMS; k++) tn_whole_join(&to->sums[k], &from->sums[k]);
    to->bound |= from->bound;
    to->left |= from->left;
    to->pushed |= from->pushed;
    if (from->lowest >= to->lowest) return;
    to->lowest = from->lowest;
    v3_copy(to->at, from->at);
}

/* What a rank tells all others: accounts of its open sets, and what these hang together with. */
typedef struct Letter {
    int64_t refused; /* its new state makes no sense */
    int64_t count, edge_count;
} Letter;

static size_t size_of(const Letter *l)
{
    return sizeof *l + sizeof(TnSetAccount) * (size_t)l->count +
           sizeof(Edge) * (size_t)l->edge_count;
}

static TnSetAccount *accounts_in(Letter *l) { return (TnSetAccount *)(l + 1); }
static Edge *edges_in(Letter *l) { return (Edge *)(accounts_in(l) + l->count); }

static bool is_told(const TnNearGroups *g, int s) { return tn_set_is_told(g, g->root[s]); }

/* Edges in order, each once. */
static void sort_edges(Letter *l)
{
    Edge *edges = edges_in(l);
    int kept = 0;
    if (l->edge_count) qsort(edges, (size_t)l->edge_count, sizeof *edges, by_ends);
    for (int i = 0; i < l->edge_count; i++)
        if (!kept || by_ends(&edges[kept - 1], &edges[i])) edges[kept++] = edges[i];
    l->edge_count = kept;
}

/* NULL: no memory. */
static Letter *write_letter(const TnNearGroups *g, bool refused)
{
    int n = g->step->model->subsystem_count;
    Letter head = {.refused = refused};
    for (int s = 0; s < n; s++) {
        head.count += is_told(g, s) && g->root[s] == s;
        head.edge_count += is_told(g, s) && (tn_near_is_mover(g, s) || !g->near->own[s]);
    }
    Letter *l = tn_arena_alloc(&g->step->world->arena, size_of(&head));
    if (!l) return NULL;
    *l = head;
    TnSetAccount *account = accounts_in(l);
    Edge *edge = edges_in(l);
    for (int s = 0; s < n; s++) {
        if (!is_told(g, s)) continue;
        double id = tn_set_id(g, g->root[s]);
        if (g->root[s] == s) {
            *account = g->of[s];
            account++->id = id;
        }
        if (tn_near_is_mover(g, s))
            *edge++ = (Edge){id, -1.0 - g->near->number[s]};
        else if (!g->near->own[s])
            *edge++ = (Edge){id, g->told[s]};
    }
    sort_edges(l);
    return l;
}

int tn_set_find(const TnNearGroups *g, double id)
{
    TnSetAccount one = {.id = id};
    const TnSetAccount *found =
        g->all_count ? bsearch(&one, g->all, (size_t)g->all_count, sizeof one, by_id) : NULL;
    return found ? (int)(found - g->all) : -1;
}

/* Movers that edges lead to stand for themselves. `all` has room for them. */
static int add_movers(TnSetAccount *all, int count, const Edge *edges, int edge_count)
{
    for (int i = 0; i < edge_count; i++)
        if (edges[i].b < 0.0) all[count++] = (TnSetAccount){.id = edges[i].b, .lowest = INT32_MAX};
    if (count) qsort(all, (size_t)count, sizeof *all, by_id);
    int kept = 0; /* a mover is there once per set that has it; they are empty */
    for (int i = 0; i < count; i++)
        if (!kept || all[kept - 1].id != all[i].id) all[kept++] = all[i];
    return kept;
}

/* Sets that hang together get the sums of all of them. */
static bool join_all(TnNearGroups *g, const Edge *edges, int edge_count)
{
    TnSetAccount *all = g->all;
    int *parent = g->all_root = TN_ARENA_NEW(&g->step->world->arena, int, g->all_count + 1);
    if (!parent) return false;
    for (int i = 0; i < g->all_count; i++) parent[i] = i;
    for (int i = 0; i < edge_count; i++) {
        int a = tn_set_find(g, edges[i].a), b = tn_set_find(g, edges[i].b);
        if (a >= 0 && b >= 0) tn_set_join(parent, a, b);
    }
    for (int i = 0; i < g->all_count; i++)
        if (tn_set_root(parent, i) != i) join_accounts(&all[tn_set_root(parent, i)], &all[i]);
    for (int i = 0; i < g->all_count; i++) {
        double id = all[i].id;
        all[i] = all[parent[i] = tn_set_root(parent, i)];
        all[i].id = id;
    }
    return true;
}

/* All letters as one, with room for movers. NULL: no memory. */
static Letter *read_letters(const TnNearGroups *g, char *told, size_t bytes)
{
    Letter sum = {0};
    for (size_t at = 0; at < bytes; at += size_of((Letter *)(told + at))) {
        const Letter *l = (const Letter *)(told + at);
        sum.refused |= l->refused;
        sum.count += l->count;
        sum.edge_count += l->edge_count;
    }
    Letter *all = tn_arena_alloc(&g->step->world->arena,
                                 size_of(&sum) + sizeof(TnSetAccount) * (size_t)sum.edge_count);
    if (!all) return NULL;
    *all = sum;
    all->count += sum.edge_count; /* as many movers as there may be; edges lie behind these */
    TnSetAccount *account = accounts_in(all);
    Edge *edge = edges_in(all);
    all->count = sum.count;
    for (size_t at = 0; at < bytes; at += size_of((Letter *)(told + at))) {
        Letter *l = (Letter *)(told + at);
        memcpy(account, accounts_in(l), sizeof *account * (size_t)l->count);
        memcpy(edge, edges_in(l), sizeof *edge * (size_t)l->edge_count);
        account += l->count;
        edge += l->edge_count;
    }
    return all;
}

bool tn_near_join_groups(TnNearGroups *g, bool *refused)
{
    void *told;
    size_t bytes;
    if (tn_ranks_count(g->near->ranks) == 1) return true;
    Letter *mine = tell_sets(g) ? write_letter(g, *refused) : NULL;
    if (!mine || !tn_near_share(g->step, mine, size_of(mine), &told, &bytes)) return false;
    Letter *all = read_letters(g, told, bytes);
    if (!all) return false;
    *refused = all->refused;
    g->all = accounts_in(all);
    const Edge *edges = (const Edge *)(g->all + all->count + all->edge_count);
    g->all_count = add_movers(g->all, (int)all->count, edges, (int)all->edge_count);
    if (!join_all(g, edges, (int)all->edge_count)) return false;
    for (int s = 0; s < g->step->model->subsystem_count; s++)
        if (g->root[s] == s && tn_set_is_told(g, s))
            g->of[s] = g->all[tn_set_find(g, tn_set_id(g, s))];
    return true;
}
