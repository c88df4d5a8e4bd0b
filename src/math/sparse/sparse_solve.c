/* sparse_solve.c: systems with a factor. A front has a vector of its own: its part of the right
 * side, and behind it what it adds to those of the nodes below, which the parent takes from there.
 * So fronts that do not depend on each other may be worked on in any order, with the same bits. The
 * dense kernels work on whole eights: zeros fill up both vector and panel. */
#include <string.h>

#include "../kernels/dense_kernels.h"
#include "sparse_plan.h"

static size_t vector_length(const TnSparse *plan) { return 3 * (size_t)plan->node_count; }

/* z ← (b₁, 0) + what the children leave */
static void gather(const TnSparse *plan, const TnSparseFront *front, const double *b, double *z)
{
    double *to = z + front->vector;
    for (int k = 0; k < front->width; k++)
        for (int i = 0; i < 3; i++) to[3 * k + i] = b[3L * plan->order[front->at + k] + i];
    for (int i = 3 * front->width; i < front->ld; i++) to[i] = 0.0;
    for (int c = front->child; c >= 0; c = plan->fronts[c].sibling) {
        const TnSparseFront *child = &plan->fronts[c];
        plan->kernels->add_vector(front->ld / 8, child->map, z + child->vector + 3 * child->width,
                                  to);
    }
}

/* y₁ ← L₁₁⁻¹z₁, z₂ -= L₂₁y₁ */
void tn_sparse_forward_front(const TnSparse *plan, const double *factor, const TnSparseFront *front,
                             const double *b, double *y, double *z)
{
    int width = 3 * front->width, ld = front->ld;
    double *own = z + front->vector;
    gather(plan, front, b, z);
    plan->kernels->forward(ld, width, factor + front->panel, ld, front->stair, 1, own, ld);
    memcpy(y + 3L * front->at, own, sizeof(double) * (size_t)width);
}

void tn_sparse_forward_last(const TnSparse *plan, const double *b, double *y, double *z)
{
    if (plan->last_count == 0) return;
    const TnSparseFront *front = &plan->fronts[plan->front_count - 1];
    gather(plan, front, b, z);
    memcpy(y + 3L * front->at, z + front->vector, sizeof(double[3]) * (size_t)front->width);
}

/* y₁ ← L₁₁⁻ᵀ (y₁ - L₂₁ᵀy₂), which is x there */
static void backward_front(const TnSparse *plan, const double *factor, const TnSparseFront *front,
                           double *y, double *x, double *z)
{
    int width = 3 * front->width, below = 3 * front->below, ld = front->ld;
    const int *rows = front->rows;
    double *own = z + front->vector;
    memcpy(own, y + 3L * front->at, sizeof(double) * (size_t)width);
    for (int k = 0; k < front->below; k++)
        for (int i = 0; i < 3; i++) own[width + 3 * k + i] = y[3L * plan->position[rows[k]] + i];
    for (int i = width + below; i < ld; i++) own[i] = 0.0;
    plan->kernels->backward(ld, width, factor + front->panel, ld, front->stair, 1, own, ld);
    memcpy(y + 3L * front->at, own, sizeof(double) * (size_t)width);
    for (int k = 0; k < front->width; k++)
        for (int i = 0; i < 3; i++) x[3L * plan->order[front->at + k] + i] = own[3 * k + i];
}

void tn_sparse_forward(const TnSparse *plan, const double *factor, int count, const double *b,
                       double *y, double *work)
{
    size_t n = vector_length(plan);
    for (int r = 0; r < count; r++) {
        for (int f = 0; f < tn_sparse_inner(plan); f++)
            tn_sparse_forward_front(plan, factor, &plan->fronts[f], b + (size_t)r * n,
                                    y + (size_t)r * n, work);
        tn_sparse_forward_last(plan, b + (size_t)r * n, y + (size_t)r * n, work);
    }
}

void tn_sparse_solve_last(const TnSparse *plan, const double *factor, int count, double *y_l,
                          size_t stride, double *work)
{
    if (plan->last_count == 0) return;
    const TnSparseFront *front = &plan->fronts[plan->front_count - 1];
    int width = 3 * front->width, ld = front->ld;
    (void)work;
    plan->kernels->forward(width, width, factor + front->panel, ld, NULL, count, y_l, (long)stride);
    plan->kernels->backward(width, width, factor + front->panel, ld, NULL, count, y_l,
                            (long)stride);
}

void tn_sparse_put_last(const TnSparse *plan, const double *L, size_t stride, double *factor)
{
    if (plan->last_count == 0) return;
    const TnSparseFront *front = &plan->fronts[plan->front_count - 1];
    size_t width = 3 * (size_t)front->width, ld = (size_t)front->ld;
    for (size_t j = 0; j < width; j++) {
        double *column = factor + front->panel + j * ld;
        memcpy(column, L + j * stride, sizeof(double) * width);
        memset(column + width, 0, sizeof(double) * (ld - width));
    }
}

/* ---- backward, on threads ---- */

/* Tasks from the roots down: the thread that has done one lists those below it. */
typedef struct Backward {
    const TnSparse *plan;
    const double *factor;
    double *y, *x, *z;
    TnPool *pool;
    bool begun;
    int child[TN_SPARSE_TASKS], sibling[TN_SPARSE_TASKS]; /* of tasks; -1: none */
    atomic_int taken, listed;
    atomic_int list[TN_SPARSE_TASKS]; /* tasks that may begin, from 1 */
} Backward;

static void list_task(Backward *job, int task)
{
    int at = atomic_fetch_add_explicit(&job->listed, 1, memory_order_relaxed);
    atomic_store_explicit(&job->list[at], task + 1, memory_order_release);
}

static int next_backward(void *context)
{
    Backward *job = context;
    bool ended = job->begun;
    job->begun = true;
    return ended ? 0 : job->plan->task_count;
}

static void backward_fronts(const Backward *job, int begin, int end)
{
    for (int f = end - 1; f >= begin; f--)
        backward_front(job->plan, job->factor, &job->plan->fronts[f], job->y, job->x, job->z);
}

/* The first one in the list that is not taken. Of those listed or under way there is always one
 * more than were done, so that it comes. */
static void run_backward(void *context, int chunk)
{
    Backward *job = context;
    const TnSparse *plan = job->plan;
    (void)chunk;
    int at = atomic_fetch_add_explicit(&job->taken, 1, memory_order_relaxed);
    int task = tn_pool_await(job->pool, &job->list[at]) - 1;
    backward_fronts(job, plan->tasks[task].begin, plan->tasks[task].end);
    for (int below = job->child[task]; below >= 0; below = job->sibling[below])
        list_task(job, below);
}

void tn_sparse_backward(const TnSparse *plan, const double *factor, int count, double *y, double *x,
                        double *work, TnPool *pool)
{
    size_t n = vector_length(plan), last = n - 3 * (size_t)plan->last_count;
    for (int r = 0; r < count; r++) {
        Backward job = {plan, factor, y + (size_t)r * n, x + (size_t)r * n,
                        work, pool,   .begun = false};
        for (size_t k = last; k < n; k++) job.x[3 * (size_t)plan->order[k / 3] + k % 3] = job.y[k];
        for (int t = plan->task_count - 1; t >= 0; t--) { /* parents come later */
            int up = plan->tasks[t].parent;
            job.child[t] = -1;
            if (up < 0) list_task(&job, t);
            if (up < 0) continue;
            job.sibling[t] = job.child[up];
            job.child[up] = t;
        }
        /* below tasks there are only tasks, so that fronts of none come first */
        for (int f = tn_sparse_inner(plan) - 1; f >= 0; f--)
            if (plan->fronts[f].task == TN_SPARSE_TASKS) backward_fronts(&job, f, f + 1);
        tn_pool_phases(pool, tn_pool_threads(pool), (TnPhases){next_backward, run_backward, &job});
    }
}

void tn_sparse_solve(const TnSparse *plan, const double *factor, int count, double *x, double *work)
{
    size_t n = vector_length(plan);
    double *y = work, *z = work + (size_t)count * tn_sparse_vectors(plan);
    tn_sparse_forward(plan, factor, count, x, y, z);
    tn_sparse_solve_last(plan, factor, count, y + n - 3 * (size_t)plan->last_count, n, z);
    tn_sparse_backward(plan, factor, count, y, x, z, NULL);
}
