/* chain_condense.c: elimination of nodes of six between those that are kept (chain_condense.h). A
 * run is eliminated from its end at the kept node q (`from`) to the one at p (`to`). Node k with
 * the next one n, C = A_kn and G = A_kq, which the nodes before it left behind:
 *
 *     A_nn -= Cᵀ S⁻¹ C,   A_qq -= Gᵀ S⁻¹ G,   A_nq = -Cᵀ S⁻¹ G,   S = A_kk as it is by then
 *
 * What is left of the last A_nq is the block between p and q. */
#include "chain_condense.h"

#include <string.h>

#include "../base/base.h"
#include "kernels/chain_kernels.h"

/* ---- structure ---- */

int tn_condense_mark(const TnChain *chain, bool *keep)
{
    const struct TnChainPlan *plan = chain->plan;
    int count = 0;
    for (int k = 0; k < chain->node_count; k++) {
        int degree = plan->first[k + 1] - plan->first[k];
        if (degree > 2) keep[k] = true;
        if (chain->nodes[k].dim == 6) continue;
        keep[k] = true;
        for (int s = plan->first[k]; s < plan->first[k + 1]; s++) keep[plan->neighbour[s]] = true;
    }
    for (int k = 0; k < chain->node_count; k++) count += keep[k];
    return count;
}

/* place[] of an eliminated node, and of one at the upper end of a run that is in the list. */
enum { ELIMINATED = -1, TAKEN = -2 };

/* Walks from kept node `to` along slot s of its neighbours until the next kept node or the end. */
static TnCondensedRun walk(const TnCondensed *c, int used, int to, int s)
{
    const struct TnChainPlan *plan = c->full->plan;
    TnCondensedRun run = {.first = used, .to = c->place[to], .from = -1, .last_edge = -1};
    int k = plan->neighbour[s], edge = plan->edge[s];
    for (;;) {
        c->nodes[used + run.count] = k;
        c->edges[used + run.count++] = edge;
        int next = plan->first[k], end = plan->first[k + 1];
        while (next < end && plan->edge[next] == edge) next++;
        if (next == end) return run;
        k = plan->neighbour[next];
        edge = plan->edge[next];
        if (c->place[k] >= 0) break;
    }
    run.from = c->place[k];
    run.last_edge = edge;
    return run;
}

static bool reserve(TnCondensed *c, TnArena *arena, int count)
{
    int n = c->full->node_count;
    c->place = TN_ARENA_NEW(arena, int, n);
    c->kept = TN_ARENA_NEW(arena, int, count);
    c->source = TN_ARENA_NEW(arena, int, count);
    c->nodes = TN_ARENA_NEW(arena, int, n - count);
    c->edges = TN_ARENA_NEW(arena, int, n - count);
    c->runs = TN_ARENA_NEW(arena, TnCondensedRun, n - count);
    return c->place && c->kept && c->source && c->nodes && c->edges && c->runs;
}

bool tn_condense_plan(TnCondensed *c, TnArena *arena, const TnChain *chain, const bool *keep,
                      int count)
{
    const struct TnChainPlan *plan = chain->plan;
    *c = (TnCondensed){.full = chain};
    int *dims = TN_ARENA_NEW(arena, int, count);
    int(*edges)[2] = tn_arena_alloc(arena, sizeof(int[2]) * (size_t)count);
    if (!reserve(c, arena, count) || !dims || !edges) return false;
    int kept = 0, edge_count = 0, used = 0;
    for (int k = 0; k < chain->node_count; k++) {
        c->place[k] = keep[k] ? kept : ELIMINATED;
        if (!keep[k]) continue;
        c->kept[kept] = k;
        dims[kept++] = chain->nodes[k].dim;
    }
    TN_ASSERT(kept == count);
    /* Every edge from its lower end, so that edges come in the order of the nodes. */
    for (int a = 0; a < count; a++) {
        int k = c->kept[a];
        for (int s = plan->first[k]; s < plan->first[k + 1]; s++) {
            int n = plan->neighbour[s], b = c->place[n];
            bool direct = b >= 0;
            if (b == TAKEN) continue;
            if (!direct) {
                TnCondensedRun *run = &c->runs[c->run_count++];
                *run = walk(c, used, k, s);
                run->edge = edge_count;
                used += run->count;
                b = run->from;
                if (b >= 0) c->place[c->nodes[used - 1]] = TAKEN;
            }
            if (b < a) continue;
            c->source[edge_count] = direct ? plan->edge[s] : -1;
            edges[edge_count][0] = a;
            edges[edge_count++][1] = b;
        }
    }
    return tn_chain_plan_in(&c->chain, arena, count, dims, edge_count, (const int(*)[2])edges);
}

/* ---- numbers ---- */

static void transpose(double *restrict T, const double *restrict M)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) T[6 * i + j] = M[6 * j + i];
}

/* A_ab of an edge between two nodes of six: where it lies, or in `room`. */
static const double *block_of(const TnChain *chain, const double *E, int edge, int a, int b,
                              double *room)
{
    const double *block = E + chain->edges[edge].E;
    if (a > b) return block;
    transpose(room, block);
    return room;
}

static bool condense_run(const TnCondensed *c, const TnCondensedRun *run, const double *D,
                         const double *E, double *S_D, double *S_E)
{
    const TnChain *full = c->full, *chain = &c->chain;
    const TnChainKernels *kernels = chain->plan->kernels;
    static const double none[36] = {0};
    _Alignas(32) double S[2][36], G[2][36], room[2][36], nowhere[36];
    const int *nodes = c->nodes + run->first, *edges = c->edges + run->first;
    int last = run->count - 1, at = 0;
    const double *G_k = none;
    double *far = nowhere;
    if (run->from >= 0) {
        G_k = block_of(full, E, run->last_edge, nodes[last], c->kept[run->from], room[0]);
        far = S_D + chain->nodes[run->from].D;
    } else {
        memset(nowhere, 0, sizeof nowhere);
    }
    const double *S_k = D + full->nodes[nodes[last]].D;
    for (int i = last; i >= 0; i--, at = !at) {
        int next = i ? nodes[i - 1] : c->kept[run->to];
        double *into = i ? S[at] : S_D + chain->nodes[run->to].D;
        const double *D_next = i ? D + full->nodes[next].D : into;
        const double *C = block_of(full, E, edges[i], nodes[i], next, room[1]);
        if (!kernels->condense(S_k, C, G_k, D_next, into, far, G[at])) return false;
        S_k = into;
        G_k = G[at];
    }
    if (run->from >= 0) transpose(S_E + chain->edges[run->edge].E, G_k);
    return true;
}

bool tn_condense(const TnCondensed *c, const double *D, const double *E, double *S_D, double *S_E)
{
    const TnChain *full = c->full, *chain = &c->chain;
    for (int a = 0; a < chain->node_count; a++) {
        const TnChainNode *node = &full->nodes[c->kept[a]];
        memcpy(S_D + chain->nodes[a].D, D + node->D,
               sizeof(double) * (size_t)node->dim * (size_t)node->dim);
    }
    for (int e = 0; e < chain->edge_count; e++) {
        if (c->source[e] < 0) continue;
        const TnChainEdge *edge = &full->edges[c->source[e]];
        memcpy(S_E + chain->edges[e].E, E + edge->E,
               sizeof(double) * (size_t)full->nodes[edge->a].dim *
                   (size_t)full->nodes[edge->b].dim);
    }
    for (int r = 0; r < c->run_count; r++)
        if (!condense_run(c, &c->runs[r], D, E, S_D, S_E)) return false;
    return true;
}
