/* shared_tasks.c: see shared_tasks.h. */
#include "shared_tasks.h"

#include <string.h>

#include "../base/ranks.h"

bool tn_shared_assign(const TnRanks *ranks, TnArena *arena, const int *tasks, int count,
                      const double *cost, TnSharedTasks *out)
{
    *out = (TnSharedTasks){.ranks = ranks, .tasks = tasks, .count = count};
    out->rank_of = TN_ARENA_NEW(arena, int, count);
    double *sum = TN_ARENA_ZERO(arena, double, ranks->count);
    if (!out->rank_of || !sum) return false;
    for (int i = 0; i < count; i++) {
        int least = 0;
        for (int r = 1; r < ranks->count; r++)
            if (sum[r] < sum[least]) least = r;
        out->rank_of[i] = least;
        sum[least] += cost[tasks[i]];
    }
    return true;
}

/* ---- a task's results as bytes ---- */

/* Texts are constants of the program, which lies elsewhere in another process. */
static const char anchor[] = "";
static intptr_t distance(const char *text)
{
    return text ? (intptr_t)text - (intptr_t)anchor : INTPTR_MIN;
}
static const char *text_at(intptr_t there)
{
    return there == INTPTR_MIN ? NULL : (const char *)((intptr_t)anchor + there);
}

typedef struct Head {
    TnIslandResult result;
    intptr_t why, form;
} Head;

/* Walks over what a task has: counts bytes, or copies to or from a buffer. */
typedef struct Walk {
    TnProblem *problem;
    TnSolution *solution;
    enum { COUNT, PACK, UNPACK } does;
    char *bytes;
    size_t at;
} Walk;

static void pass(Walk *w, void *data, size_t bytes)
{
    if (w->does == PACK) memcpy(w->bytes + w->at, data, bytes);
    if (w->does == UNPACK) memcpy(data, w->bytes + w->at, bytes);
    w->at += bytes;
}

static void pass_large(Walk *w, const TnLargeBlock *d)
{
    TnProblem *p = w->problem;
    pass(w, d->v, sizeof(double) * (size_t)d->dim);
    pass(w, p->twist[p->port_row + d->port_start], sizeof(double[8]) * (size_t)d->port_count);
}

static void pass_report(Walk *w, int island)
{
    TnIslandResult *result = &w->solution->results[island];
    Head head;
    memset(&head, 0, sizeof head);
    if (w->does == PACK) {
        head.result = *result;
        head.why = distance(result->report.why);
        head.form = distance(result->form);
    }
    pass(w, &head, sizeof head);
    if (w->does != UNPACK) return;
    *result = head.result;
    result->report.why = text_at(head.why);
    result->form = text_at(head.form);
}

static void pass_island(Walk *w, int island)
{
    TnProblem *p = w->problem;
    const TnIslands *all = &w->solution->islands;
    pass_report(w, island);
    for (int k = all->block_start[island]; k < all->block_start[island + 1]; k++)
        if (all->blocks[k] < p->twist_count)
            pass(w, p->twist[all->blocks[k] + 1], sizeof(double[8]));
        else
            pass_large(w, &p->large[all->blocks[k] - p->twist_count]);
    for (int k = all->contact_start[island]; k < all->contact_start[island + 1]; k++) {
        pass(w, p->lambda[all->contacts[k]], sizeof(double[3]));
        pass(w, p->yield[all->contacts[k]], sizeof(double[2]));
    }
    for (int k = all->row_start[island]; k < all->row_start[island + 1]; k++)
        pass(w, &p->rows[all->rows[k]].lambda, sizeof(double));
    for (int k = all->bond_start[island]; k < all->bond_start[island + 1]; k++)
        pass(w, p->bonds[all->bonds[k]].lambda, sizeof(double[12]));
}

static void pass_task(Walk *w, int task)
{
    int islands = w->solution->islands.count;
    if (task < islands)
        pass_island(w, task);
    else
        pass_large(w, &w->problem->large[task - islands]);
}

/* Of one rank. */
static void pass_tasks(const TnSharedTasks *shared, Walk *w, int rank)
{
    for (int i = 0; i < shared->count; i++)
        if (shared->rank_of[i] == rank) pass_task(w, shared->tasks[i]);
}

bool tn_shared_tell(const TnSharedTasks *shared, TnProblem *p, TnSolution *solution, bool *failed)
{
    const TnRanks *ranks = shared->ranks;
    Walk w = {.problem = p, .solution = solution, .does = COUNT};
    size_t *start = TN_ARENA_NEW(p->arena, size_t, ranks->count + 1);
    if (!start) return false;
    for (int r = 0; r < ranks->count; r++) {
        start[r] = w.at;
        w.at += 8; /* whether its tasks failed */
        pass_tasks(shared, &w, r);
    }
    start[ranks->count] = w.at;
    w.bytes = tn_arena_alloc(p->arena, w.at);
    if (!w.bytes) return false;
    w.does = PACK;
    w.at = start[ranks->rank];
    w.bytes[w.at] = *failed;
    w.at += 8;
    pass_tasks(shared, &w, ranks->rank);
    tn_ranks_share(ranks, w.bytes, start);
    w.does = UNPACK;
    for (int r = 0; r < ranks->count; r++) {
        *failed = *failed || w.bytes[start[r]];
        w.at = start[r] + 8;
        if (r != ranks->rank) pass_tasks(shared, &w, r);
    }
    return true;
}
