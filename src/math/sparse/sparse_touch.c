/* sparse_touch.c: from a plan in which no node comes last to one in which some do.
 *
 * Fronts and their order stay. A node that comes last leaves the front that eliminated it and
 * becomes a row of that front and of all those through which it is reached from below; from there
 * up to the root every front has it as a row: it is carried to the last front. So the rows of a
 * front f are, with K the last nodes,
 *     (rows of f before) \ K, then K_f = K ∩ (nodes and rows of f before) ∪ K of its children.
 * Only fronts with such rows, those on the ways from the last nodes to the root, are described
 * anew; all others are those of the plan before. */
#include "sparse_plan.h"

#include <string.h>

typedef struct Touch {
    const TnSparse *base;
    TnSparse *plan;
    int last_count;
    const int *last;
    int *last_at;  /* per place: which of the last nodes was there; -1: none */
    bool *touched; /* per front */
    int *mark;     /* per last node: the front that has it */
} Touch;

static bool take_memory(Touch *t, TnArena *arena)
{
    TnSparse *plan = t->plan;
    size_t n = (size_t)plan->node_count, fronts = (size_t)plan->front_count;
    plan->fronts = TN_ARENA_ZERO(arena, TnSparseFront, fronts + 1);
    plan->order = TN_ARENA_NEW(arena, int, n);
    plan->place = TN_ARENA_NEW(arena, int, n);
    plan->position = TN_ARENA_NEW(arena, int, n + (size_t)t->last_count);
    t->last_at = TN_ARENA_NEW(arena, int, n);
    t->touched = TN_ARENA_ZERO(arena, bool, fronts + 1);
    t->mark = TN_ARENA_NEW(arena, int, t->last_count);
    return plan->fronts && plan->order && plan->place && plan->position && t->last_at &&
           t->touched && t->mark;
}

static void take_out(Touch *t)
{
    const TnSparse *base = t->base;
    int n = base->node_count;
    memcpy(t->plan->place, base->place, sizeof(int) * (size_t)n);
    for (int k = 0; k < n; k++) t->last_at[k] = -1;
    for (int k = 0; k < t->last_count; k++) {
        int node = t->last[k];
        t->last_at[base->place[node]] = k;
        t->plan->place[node] = n + k;
        t->touched[base->home[node]] = true;
        t->mark[k] = -1;
    }
    for (int f = 0; f < base->front_count; f++) {
        const TnSparseFront *front = &base->fronts[f];
        for (int k = 0; k < front->below && !t->touched[f]; k++)
            t->touched[f] = t->last_at[front->rows[k]] >= 0;
        if (t->touched[f] && front->parent >= 0) t->touched[front->parent] = true;
    }
}

/* The nodes that are left, one front behind the other. */
static void number_nodes(Touch *t)
{
    TnSparse *plan = t->plan;
    int at = 0;
    for (int f = 0; f < t->base->front_count; f++) {
        const TnSparseFront *before = &t->base->fronts[f];
        TnSparseFront *front = &plan->fronts[f];
        *front = *before;
        front->at = at;
        for (int k = 0; k < before->width; k++) {
            int node = t->base->order[before->at + k], place = before->first + k;
            plan->position[place] = t->last_at[place] < 0 ? at : -1;
            if (t->last_at[place] < 0) plan->order[at++] = node;
        }
        front->width = at - front->at;
    }
    TnSparseFront *end = &plan->fronts[t->base->front_count];
    *end = (TnSparseFront){.first = plan->node_count, .at = at, .width = t->last_count};
    end->parent = end->child = end->sibling = -1;
    for (int k = 0; k < t->last_count; k++) {
        plan->order[at + k] = t->last[k];
        plan->position[plan->node_count + k] = at + k;
    }
    for (int f = 0; f < t->base->front_count; f++) {
        if (!t->touched[f] || plan->fronts[f].parent >= 0) continue; /* a root with last nodes */
        plan->fronts[f].parent = t->base->front_count;
        plan->fronts[f].sibling = end->child;
        end->child = f;
    }
}

static bool find_rows(Touch *t, int f, TnArena *arena)
{
    const TnSparseFront *before = &t->base->fronts[f];
    TnSparseFront *front = &t->plan->fronts[f];
    int n = t->plan->node_count, kept = 0, count = 0;
    for (int k = 0; k < before->width; k++) {
        int last = t->last_at[before->first + k];
        if (last >= 0) t->mark[last] = f;
    }
    for (int k = 0; k < before->below; k++) {
        int last = t->last_at[before->rows[k]];
        if (last >= 0)
            t->mark[last] = f;
        else
            kept++;
    }
    for (int c = front->child; c >= 0; c = t->plan->fronts[c].sibling) {
        const TnSparseFront *child = &t->plan->fronts[c];
        for (int k = child->below - 1; k >= 0 && child->rows[k] >= n; k--)
            t->mark[child->rows[k] - n] = f;
    }
    for (int k = 0; k < t->last_count; k++) count += t->mark[k] == f;
    int *rows = TN_ARENA_NEW(arena, int, kept + count);
    if (!rows) return false;
    front->rows = rows;
    front->below = kept + count;
    for (int k = 0; k < before->below; k++)
        if (t->last_at[before->rows[k]] < 0) *rows++ = before->rows[k];
    for (int k = 0; k < t->last_count; k++)
        if (t->mark[k] == f) *rows++ = n + k;
    return true;
}

TnSparse *tn_sparse_touch(const TnSparsePattern *pattern, const TnSparse *base, int last_count,
                          const int *last, TnArena *arena)
{
    TnSparse *plan = TN_ARENA_NEW(arena, TnSparse, 1);
    Touch t = {.base = base, .plan = plan, .last_count = last_count, .last = last};
    if (!plan) return NULL;
    *plan = *base;
    plan->own = NULL;
    if (last_count == 0) return plan;
    size_t places = (size_t)plan->node_count + (size_t)last_count;
    TnSparseMaker maker = {pattern, plan, TN_ARENA_NEW(arena, int, places),
                           TN_ARENA_NEW(arena, int, places), arena};
    int *scratch = TN_ARENA_NEW(arena, int, plan->front_count + 1);
    if (!take_memory(&t, arena) || !maker.row_of || !maker.begin || !scratch) return NULL;
    take_out(&t);
    number_nodes(&t);
    plan->last_count = last_count;
    plan->front_count++;
    for (int f = 0; f < base->front_count; f++)
        if (t.touched[f] && (!find_rows(&t, f, arena) || !tn_sparse_describe(&maker, f)))
            return NULL;
    if (!tn_sparse_describe(&maker, base->front_count)) return NULL;
    tn_sparse_lay_out(plan, scratch);
    return plan;
}
