/* sparse_tasks.c: cuts the tree of fronts into tasks that threads work on at the same time.
 *
 * A task is a range of fronts that one thread works on one after the other: a whole subtree with
 * little work, or a part of a chain, which nothing can share. Where two or more subtrees with much
 * work meet, a new task begins, which waits for theirs. Large fronts, and what is above them,
 * belong to no task: all threads share each. */
#include "sparse_plan.h"

#define GRAINS 24.0 /* pieces of the whole work that are worth cutting */
#define LIGHT 0.25  /* of a grain: too little to wait for */

/* Much work, so that others had better not wait for it. */
static bool is_heavy(const TnSparse *plan, int front, double grain)
{
    return plan->fronts[front].subtree_flops > LIGHT * grain;
}

typedef enum Way { OUTSIDE, WHOLE, CHAIN, MEETING } Way;

/* WHOLE: with all that is below it, one task. CHAIN: behind the only heavy child. */
static Way way_of(const TnSparse *plan, int f, double grain, const int *way)
{
    const TnSparseFront *front = &plan->fronts[f];
    int heavy = 0, child = -1;
    if (front->flops >= TN_SPARSE_LARGE) return OUTSIDE;
    for (int c = front->child; c >= 0; c = plan->fronts[c].sibling) {
        if (way[c] == OUTSIDE) return OUTSIDE;
        if (is_heavy(plan, c, grain)) heavy++, child = c;
    }
    if (front->subtree_flops <= grain || heavy == 0) return WHOLE;
    if (heavy > 1) return MEETING;
    if (way[child] == WHOLE) return WHOLE;
    return child == f - 1 ? CHAIN : MEETING;
}

/* Fronts [begin, end) are one more task, or what does not fit into the list: it comes behind. */
static void add_task(TnSparse *plan, int begin, int end)
{
    int task = plan->task_count < TN_SPARSE_TASKS ? plan->task_count++ : TN_SPARSE_TASKS;
    for (int f = begin; f < end; f++) plan->fronts[f].task = task;
    if (task < TN_SPARSE_TASKS) plan->tasks[task] = (TnSparseTask){.begin = begin, .end = end};
}

/* Small neighbours below the same front make one. */
static void add_subtree(TnSparse *plan, int f, double grain)
{
    int begin = plan->fronts[f].subtree, before = begin - 1;
    int task = before < 0 ? TN_SPARSE_TASKS : plan->fronts[before].task;
    bool joins =
        task == plan->task_count - 1 && plan->fronts[before].parent == plan->fronts[f].parent;
    double flops = plan->fronts[f].subtree_flops;
    for (int k = joins ? plan->tasks[task].begin : begin; k < begin; k++)
        flops += plan->fronts[k].flops;
    if (!joins || flops > grain) {
        add_task(plan, begin, f + 1);
        return;
    }
    for (int k = begin; k <= f; k++) plan->fronts[k].task = task;
    plan->tasks[task].end = f + 1;
}

static void list_tasks(TnSparse *plan, double grain, const int *way)
{
    int inner = plan->front_count - (plan->last_count > 0 ? 1 : 0);
    for (int f = 0; f < plan->front_count; f++) plan->fronts[f].task = TN_SPARSE_TASKS;
    for (int f = 0; f < inner; f++) {
        int up = plan->fronts[f].parent;
        bool inside = up >= 0 && up < inner && way[up] == WHOLE; /* of a larger subtree */
        if (way[f] == OUTSIDE || inside) continue;
        if (way[f] == WHOLE)
            add_subtree(plan, f, grain);
        else if (way[f] == MEETING)
            add_task(plan, f, f + 1);
        else if (plan->fronts[f - 1].task < TN_SPARSE_TASKS)
            plan->tasks[plan->fronts[f].task = plan->fronts[f - 1].task].end = f + 1;
    }
}

/* A task whose children are not all in tasks comes behind them. */
static void drop_orphans(TnSparse *plan)
{
    for (int f = 0; f < plan->front_count; f++) {
        int up = plan->fronts[f].parent;
        if (plan->fronts[f].task < TN_SPARSE_TASKS || up < 0) continue;
        int task = plan->fronts[up].task;
        if (task >= TN_SPARSE_TASKS) continue;
        for (int k = plan->tasks[task].begin; k < plan->tasks[task].end; k++)
            plan->fronts[k].task = TN_SPARSE_TASKS;
        plan->tasks[task].end = plan->tasks[task].begin;
    }
}

static void link_tasks(TnSparse *plan)
{
    for (int t = 0; t < plan->task_count; t++) {
        TnSparseTask *task = &plan->tasks[t];
        int up = task->end > task->begin ? plan->fronts[task->end - 1].parent : -1;
        task->parent =
            up < 0 || plan->fronts[up].task == TN_SPARSE_TASKS ? -1 : plan->fronts[up].task;
        if (task->parent >= 0) plan->tasks[task->parent].waits_for++;
    }
    double way_up[TN_SPARSE_TASKS];
    plan->leaf_count = 0;
    for (int t = plan->task_count - 1; t >= 0; t--) { /* parents come later in the list */
        const TnSparseTask *task = &plan->tasks[t];
        way_up[t] = task->parent < 0 ? 0.0 : way_up[task->parent];
        for (int f = task->begin; f < task->end; f++) way_up[t] += plan->fronts[f].flops;
        if (task->waits_for > 0 || task->begin == task->end) continue;
        int at = plan->leaf_count++; /* the longest way first */
        for (; at > 0 && way_up[plan->leaves[at - 1]] < way_up[t]; at--)
            plan->leaves[at] = plan->leaves[at - 1];
        plan->leaves[at] = t;
    }
}

void tn_sparse_cut(TnSparse *plan, int *way)
{
    double grain =
        plan->sizes.flops / GRAINS > TN_SPARSE_GRAIN ? plan->sizes.flops / GRAINS : TN_SPARSE_GRAIN;
    plan->task_count = 0;
    for (int f = 0; f < plan->front_count; f++) way[f] = (int)way_of(plan, f, grain, way);
    list_tasks(plan, grain, way);
    drop_orphans(plan);
    link_tasks(plan);
}

void tn_sparse_deal(const TnSparse *plan, int threads, int *leaf)
{
    int n = plan->leaf_count,
        dealt = 0; /* the pool gives thread t chunks n t / T … n (t + 1) / T */
    for (int round = 0; dealt < n; round++)
        for (int t = 0; t < threads; t++) {
            int chunk = n * t / threads + round;
            if (chunk < n * (t + 1) / threads) leaf[chunk] = plan->leaves[dealt++];
        }
}
