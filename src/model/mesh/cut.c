/* cut.c: sweeps and refinement of a cut; see cut.h.
 *
 * A pass of the refinement moves each vertex at most once, always the one that takes most nets out
 * of the cut (its gain, which may be negative) and does not hurt the balance, and then goes back to
 * the best point it came through. Vertices lie in lists by gain, so that a pass takes time in
 * proportion to the nets' members. */
#include "cut.h"

#include "../../base/base.h"

#include <math.h>

enum { PASSES = 8, PATIENCE = 100 };

bool tn_cut_create(TnCut *cut, const TnCutGraph *graph)
{
    size_t vertices = (size_t)graph->vertex_count + 1, nets = (size_t)graph->net_count + 1;
    *cut = (TnCut){.graph = graph};
    for (int v = 0; v < graph->vertex_count; v++) {
        int count = graph->net_start[v + 1] - graph->net_start[v];
        if (count > cut->most) cut->most = count;
    }
    cut->side = tn_calloc(vertices, sizeof *cut->side);
    cut->locked = tn_calloc(vertices, sizeof *cut->locked);
    cut->in = tn_calloc(nets, sizeof *cut->in);
    cut->gain = tn_calloc(vertices, sizeof(int));
    cut->next = tn_calloc(vertices, sizeof(int));
    cut->before = tn_calloc(vertices, sizeof(int));
    cut->moved = tn_calloc(vertices, sizeof(int));
    cut->head = tn_calloc(2 * (2 * (size_t)cut->most + 1), sizeof(int));
    return cut->side && cut->locked && cut->in && cut->gain && cut->next && cut->before &&
           cut->moved && cut->head;
}

void tn_cut_free(TnCut *cut)
{
    tn_free(cut->side);
    tn_free(cut->locked);
    tn_free(cut->in);
    tn_free(cut->gain);
    tn_free(cut->next);
    tn_free(cut->before);
    tn_free(cut->moved);
    tn_free(cut->head);
    *cut = (TnCut){0};
}

static bool is_crossing(const int in[2]) { return in[0] > 0 && in[1] > 0; }

/* ---- sweep ---- */

/* All vertices to side 1. */
static void clear_sides(TnCut *cut)
{
    const TnCutGraph *g = cut->graph;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < cut->count; i++) {
            int v = cut->list[i];
            cut->side[v] = 1;
            for (int k = g->net_start[v]; k < g->net_start[v + 1]; k++) {
                int *in = cut->in[g->nets[k]];
                if (pass == 0)
                    in[0] = in[1] = 0;
                else
                    in[1]++;
            }
        }
    cut->crossing = 0;
    cut->weight = 0.0;
}

void tn_cut_move(TnCut *cut, int v)
{
    const TnCutGraph *g = cut->graph;
    int from = cut->side[v], to = 1 - from;
    for (int k = g->net_start[v]; k < g->net_start[v + 1]; k++) {
        int *in = cut->in[g->nets[k]];
        cut->crossing -= is_crossing(in);
        in[from]--;
        in[to]++;
        cut->crossing += is_crossing(in);
    }
    cut->side[v] = (signed char)to;
    cut->weight += to == 0 ? g->weight[v] : -g->weight[v];
}

/* A cut by its worth: balance within the slack first, then few crossings, then the better balance.
 */
typedef struct Worth {
    double excess, offset;
    int crossing;
} Worth;

static Worth worth(const TnCut *cut)
{
    double offset = fabs(cut->weight - cut->target);
    return (Worth){fmax(offset - cut->slack, 0.0), offset, cut->crossing};
}

static bool is_better(Worth a, Worth b)
{
    if (a.excess != b.excess) return a.excess < b.excess;
    if (a.crossing != b.crossing) return a.crossing < b.crossing;
    return a.offset < b.offset;
}

void tn_cut_sweep(TnCut *cut, const int *order)
{
    clear_sides(cut);
    Worth best = worth(cut);
    int taken = 0;
    for (int i = 0; i + 1 < cut->count; i++) { /* one at least stays */
        tn_cut_move(cut, order[i]);
        if (i > 0 && !is_better(worth(cut), best)) continue;
        best = worth(cut);
        taken = i + 1;
    }
    for (int i = cut->count - 2; i >= taken; i--) tn_cut_move(cut, order[i]);
}

/* ---- refinement ---- */

static int *head_of(const TnCut *cut, int side, int gain)
{
    return &cut->head[side * (2 * cut->most + 1) + cut->most + gain];
}

static void put_in(TnCut *cut, int v)
{
    int *head = head_of(cut, cut->side[v], cut->gain[v]);
    cut->before[v] = -1;
    cut->next[v] = *head;
    if (*head >= 0) cut->before[*head] = v;
    *head = v;
}

static void take_out(TnCut *cut, int v)
{
    if (cut->before[v] < 0)
        *head_of(cut, cut->side[v], cut->gain[v]) = cut->next[v];
    else
        cut->next[cut->before[v]] = cut->next[v];
    if (cut->next[v] >= 0) cut->before[cut->next[v]] = cut->before[v];
}

static void add_gain(TnCut *cut, int v, int more)
{
    if (cut->locked[v]) return;
    take_out(cut, v);
    cut->gain[v] += more;
    put_in(cut, v);
}

/* To all vertices of a net, or to the one on a side. */
static void add_net_gain(TnCut *cut, int net, int side, int more)
{
    const TnCutGraph *g = cut->graph;
    for (int k = g->vertex_start[net]; k < g->vertex_start[net + 1]; k++) {
        int v = g->members[k];
        if (g->set[v] == cut->set && (side < 0 || cut->side[v] == side)) add_gain(cut, v, more);
    }
}

static void start_pass(TnCut *cut)
{
    const TnCutGraph *g = cut->graph;
    for (int i = 0; i < 2 * (2 * cut->most + 1); i++) cut->head[i] = -1;
    for (int i = cut->count - 1; i >= 0; i--) { /* backwards: the first lies in front */
        int v = cut->list[i], from = cut->side[v], gain = 0;
        for (int k = g->net_start[v]; k < g->net_start[v + 1]; k++) {
            const int *in = cut->in[g->nets[k]];
            if (in[1 - from] == 0)
                gain -= in[from] > 1;
            else
                gain += in[from] == 1;
        }
        cut->gain[v] = gain;
        cut->locked[v] = 0;
        put_in(cut, v);
    }
}

static bool may_move(const TnCut *cut, int v)
{
    double w = cut->graph->weight[v];
    double now = fabs(cut->weight - cut->target),
           then = fabs(cut->weight + (cut->side[v] == 1 ? w : -w) - cut->target);
    return then <= cut->slack || then < now;
}

/* The vertex of highest gain that may leave a side; -1: none. */
static int best_of_side(const TnCut *cut, int side)
{
    double room =
        side == 1 ? cut->target + cut->slack - cut->weight : cut->weight - cut->target + cut->slack;
    if (room < 1.0) return -1; /* not even the lightest: do not look through all lists */
    for (int gain = cut->most; gain >= -cut->most; gain--)
        for (int v = *head_of(cut, side, gain); v >= 0; v = cut->next[v])
            if (may_move(cut, v)) return v;
    return -1;
}

static int best_move(const TnCut *cut)
{
    int a = best_of_side(cut, 0), b = best_of_side(cut, 1);
    if (a < 0 || b < 0) return a < 0 ? b : a;
    if (cut->gain[a] != cut->gain[b]) return cut->gain[a] > cut->gain[b] ? a : b;
    return cut->weight > cut->target ? a : b;
}

static void move(TnCut *cut, int v)
{
    const TnCutGraph *g = cut->graph;
    int from = cut->side[v], to = 1 - from;
    take_out(cut, v);
    cut->locked[v] = 1;
    for (int k = g->net_start[v]; k < g->net_start[v + 1]; k++) {
        const int *in = cut->in[g->nets[k]];
        if (in[to] == 0)
            add_net_gain(cut, g->nets[k], -1, 1);
        else if (in[to] == 1)
            add_net_gain(cut, g->nets[k], to, -1);
    }
    tn_cut_move(cut, v);
    for (int k = g->net_start[v]; k < g->net_start[v + 1]; k++) {
        const int *in = cut->in[g->nets[k]];
        if (in[from] == 0)
            add_net_gain(cut, g->nets[k], -1, -1);
        else if (in[from] == 1)
            add_net_gain(cut, g->nets[k], from, 1);
    }
}

void tn_cut_refine(TnCut *cut)
{
    for (int pass = 0; pass < PASSES; pass++) {
        Worth best = worth(cut);
        int count = 0, kept = 0;
        start_pass(cut);
        for (int v; count < kept + PATIENCE && (v = best_move(cut)) >= 0;) {
            move(cut, v);
            cut->moved[count++] = v;
            if (!is_better(worth(cut), best)) continue;
            best = worth(cut);
            kept = count;
        }
        while (count > kept) tn_cut_move(cut, cut->moved[--count]);
        if (kept == 0) return;
    }
}
