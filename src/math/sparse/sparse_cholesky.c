/* sparse_cholesky.c: the numeric factorization. Front by front, children before parents:
 *     panel and U ← blocks of A + Σ children's U,   panel ← L,   U ← U - L₂₁L₂₁ᵀ.
 *
 * Threads share it in phases: first the tasks, then, one after the other, the fronts above them, of
 * which the large ones are cut into pieces: columns where they are put together and in U, rows
 * below the diagonal in the panel. Pieces change what is in a cache, but not what is computed:
 * every number gets the same terms in the same order, so the same bits come out for any number of
 * threads. */
#include "sparse_cholesky.h"

#include <stdatomic.h>
#include <string.h>

#include "../kernels/dense_kernels.h"
#include "sparse_plan.h"

enum {
    PIECE_COLUMNS = 64, /* unknowns */
    PIECE_ROWS = 192,
    AHEAD = 16, /* blocks of A that are fetched before they are needed */
};

typedef enum Stage { TASKS, SMALL, ASSEMBLE, DIAGONAL, ROWS, UPDATE, MIRROR } Stage;

typedef struct Job {
    const TnSparse *plan;
    const double (*blocks)[9];
    double *factor, *work;
    double *S; /* NULL: the last front is a front as all others */
    int stride;
    const double *b;
    double *y, *z; /* a right side to be eliminated along, and the fronts' vectors; NULL: none */
    bool alone;    /* one thread does everything */
    Stage stage;
    bool begun;
    int front, small_end;                  /* small fronts are done [front, small_end) at a time */
    int block, block_end;                  /* columns of the panel */
    int leaf[TN_SPARSE_TASKS];             /* per chunk of the tasks */
    atomic_int waits_for[TN_SPARSE_TASKS]; /* tasks below, of those not yet done */
    atomic_bool failed;
} Job;

/* ---- putting a front together ---- */

static void add_block(const TnSparseEntry *entry, const double *B, double *panel, long ld)
{
    double *to = panel + 3 * entry->column * ld + 3 * entry->row;
    int across = entry->transposed ? 3 : 1, down = 4 - across; /* a branch would be hard to guess */
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) to[c * ld + r] += B[across * c + down * r];
}

static double *update_of(const Job *job, const TnSparseFront *front)
{
    return job->work + (job->alone ? front->update_alone : front->update);
}

/* U of a front: where its row 0 and column 0, or those of the front, would be. */
static double *from_first(const TnSparseFront *front, double *U, bool of_front, long *ld)
{
    int width = 3 * front->width, base = width & ~7;
    *ld = front->ld - base;
    return of_front ? U - width * *ld - base : U + width - base;
}

/* A child's U into columns [begin, end) of the front: the first child's is taken (NULL: there is
 * none), others' are added. */
static void join(const Job *job, const TnSparseFront *child, bool first, const TnSparseFront *front,
                 double *panel, int begin, int end)
{
    const TnSparse *plan = job->plan;
    const TnDenseMap *map = child ? child->map : NULL;
    const int *stair = front->stair;
    int width = 3 * front->width, eights = (width + 3 * front->below + 7) / 8;
    long ldf = 0, ldu;
    const double *from = child ? from_first(child, update_of(job, child), false, &ldf) : NULL;
    double *U = from_first(front, update_of(job, front), true, &ldu);
    int middle = width < begin ? begin : width < end ? width : end;
    if (first) {
        plan->kernels->take(begin, middle, eights, stair, map, from, ldf, panel, front->ld);
        plan->kernels->take(middle, end, eights, NULL, map, from, ldf, U, ldu);
    } else {
        plan->kernels->add(begin, middle, eights, map, from, ldf, panel, front->ld);
        plan->kernels->add(middle, end, eights, map, from, ldf, U, ldu);
    }
}

/* Columns of nodes [begin, end), from their diagonal on. */
static void assemble(const Job *job, const TnSparseFront *front, double *panel, int begin, int end)
{
    const TnSparse *plan = job->plan;
    const TnSparseEntry *entries = front->entries;
    int c = front->child, e = 0, high = front->entry_count;
    join(job, c < 0 ? NULL : &plan->fronts[c], true, front, panel, 3 * begin, 3 * end);
    for (c = c < 0 ? c : plan->fronts[c].sibling; c >= 0; c = plan->fronts[c].sibling)
        join(job, &plan->fronts[c], false, front, panel, 3 * begin, 3 * end);
    while (begin > 0 && e < high) { /* entries are in rising order of columns */
        int middle = e + (high - e) / 2;
        if (entries[middle].column < begin)
            e = middle + 1;
        else
            high = middle;
    }
    for (; e < front->entry_count && entries[e].column < end; e++) {
        if (e + AHEAD < front->entry_count) { /* a block lies in two lines of the cache */
            const double *ahead = job->blocks[entries[e + AHEAD].block];
            __builtin_prefetch(ahead);
            __builtin_prefetch(ahead + 8);
        }
        add_block(&entries[e], job->blocks[entries[e].block], panel, front->ld);
    }
}

/* The panel is still in a cache. */
static void forward(const Job *job, const TnSparseFront *front)
{
    if (job->y) tn_sparse_forward_front(job->plan, job->factor, front, job->b, job->y, job->z);
}

static bool factor_front(const Job *job, const TnSparseFront *front)
{
    int width = 3 * front->width, below = 3 * front->below, ld = front->ld;
    double *panel = job->factor + front->panel;
    const int *stair = front->stair;
    assemble(job, front, panel, 0, front->width + front->below);
    if (!job->plan->kernels->factor(width + below, width, panel, ld, stair)) return false;
    if (below > 0)
        job->plan->kernels->update(width + below, width, panel, ld, stair, update_of(job, front));
    forward(job, front);
    return true;
}

static void factor_fronts(Job *job, int begin, int end)
{
    for (int f = begin; f < end; f++)
        if (!factor_front(job, &job->plan->fronts[f]))
            atomic_store_explicit(&job->failed, true, memory_order_relaxed);
}

/* A task, and those above it that wait for no other task. */
static void run_tasks(Job *job, int t)
{
    while (t >= 0 && !atomic_load_explicit(&job->failed, memory_order_relaxed)) {
        const TnSparseTask *task = &job->plan->tasks[t];
        factor_fronts(job, task->begin, task->end);
        t = task->parent;
        if (t >= 0 && atomic_fetch_sub_explicit(&job->waits_for[t], 1, memory_order_acq_rel) != 1)
            return;
    }
}

/* ---- phases ---- */

static int pieces(int count, int size)
{
    int all = (count + size - 1) / size;
    return all < TN_PHASE_CHUNKS ? all : TN_PHASE_CHUNKS;
}

/* Piece k of `all`, in multiples of `unit`. */
static void piece(int count, int unit, int all, int k, int *begin, int *end)
{
    long units = (count + unit - 1) / unit;
    *begin = (int)(units * k / all) * unit;
    *end = (int)(units * (k + 1) / all) * unit;
    if (*end > count) *end = count;
}

/* Those before the last one, where S is wanted of that. */
static int inner_fronts(const Job *job) { return job->plan->front_count - (job->S ? 1 : 0); }

static bool is_last(const Job *job, int front)
{
    return job->S && front == job->plan->front_count - 1;
}

static int row_pieces(const Job *job, const TnSparseFront *front)
{
    int rows = (3 * (front->width + front->below) + 7) & ~7, begin = (job->block_end + 7) & ~7;
    return pieces(rows - begin, PIECE_ROWS);
}

/* Begins with a front, or with several small ones. */
static int begin_front(Job *job, int f)
{
    const TnSparse *plan = job->plan;
    job->front = job->small_end = tn_sparse_outside(plan, f);
    if (job->front == plan->front_count) return 0;
    while (job->small_end < plan->front_count && !is_last(job, job->small_end) &&
           plan->fronts[job->small_end].flops < TN_SPARSE_LARGE)
        job->small_end = tn_sparse_outside(plan, job->small_end + 1);
    job->stage = job->small_end > job->front ? SMALL : ASSEMBLE;
    const TnSparseFront *front = &plan->fronts[job->front];
    return job->stage == SMALL ? 1 : pieces(3 * (front->width + front->below), PIECE_COLUMNS);
}

static int next_phase(void *context)
{
    Job *job = context;
    const TnSparse *plan = job->plan;
    if (atomic_load_explicit(&job->failed, memory_order_relaxed)) return 0;
    if (!job->begun) {
        job->begun = true;
        job->stage = TASKS;
        if (job->alone) return 1;
        if (plan->leaf_count > 0) return plan->leaf_count;
    }
    if (job->alone && job->stage == TASKS) return begin_front(job, inner_fronts(job));
    if (job->stage == TASKS) return begin_front(job, 0);
    if (job->stage == SMALL) return begin_front(job, job->small_end);
    const TnSparseFront *front = &plan->fronts[job->front];
    int width = 3 * front->width, count;
    switch (job->stage) {
    case ASSEMBLE:
        if (is_last(job, job->front)) {
            job->stage = MIRROR;
            return pieces(width, PIECE_COLUMNS);
        }
        job->block = 0;
        break;
    case DIAGONAL:
        job->stage = ROWS;
        if ((count = row_pieces(job, front)) > 0) return count;
        /* fall through */
    case ROWS:
        job->block += TN_DENSE_BLOCK;
        break;
    default:
        return begin_front(job, job->front + 1);
    }
    if (job->block < width) {
        job->stage = DIAGONAL;
        job->block_end = job->block + TN_DENSE_BLOCK < width ? job->block + TN_DENSE_BLOCK : width;
        return 1;
    }
    job->stage = UPDATE;
    forward(job, front);
    if (front->below > 0) return pieces(3 * front->below, PIECE_COLUMNS);
    return begin_front(job, job->front + 1);
}

static void run_piece(void *context, int k)
{
    Job *job = context;
    const TnSparse *plan = job->plan;
    if (job->stage == TASKS) {
        if (job->alone)
            factor_fronts(job, 0, inner_fronts(job));
        else
            run_tasks(job, job->leaf[k]);
        return;
    }
    if (job->stage == SMALL) {
        for (int f = job->front; f < job->small_end; f = tn_sparse_outside(plan, f + 1))
            factor_fronts(job, f, f + 1);
        return;
    }
    const TnDenseKernels *kernels = plan->kernels;
    TnSparseFront front = plan->fronts[job->front];
    int width = 3 * front.width, all = width + 3 * front.below, begin, end;
    double *panel = job->factor + front.panel;
    const int *stair = front.stair;
    if (is_last(job, job->front)) panel = job->S, front.ld = job->stride;
    switch (job->stage) {
    case ASSEMBLE:
        piece(all / 3, 1, pieces(all, PIECE_COLUMNS), k, &begin, &end);
        assemble(job, &front, panel, begin, end);
        break;
    case DIAGONAL:
        if (!kernels->factor_diagonal(job->block, job->block_end, panel, front.ld, stair))
            atomic_store_explicit(&job->failed, true, memory_order_relaxed);
        break;
    case ROWS: {
        int from = (job->block_end + 7) & ~7, rows = ((all + 7) & ~7) - from;
        piece(rows, 8, row_pieces(job, &front), k, &begin, &end);
        kernels->factor_rows(job->block, job->block_end, from + begin, from + end, panel, front.ld,
                             stair);
        break;
    }
    case UPDATE:
        piece(all - width, 8, pieces(all - width, PIECE_COLUMNS), k, &begin, &end);
        kernels->update_columns(all, width, panel, front.ld, stair, update_of(job, &front),
                                width + begin, width + end);
        break;
    default: /* MIRROR: rows of the upper triangle from columns of the lower */
        piece(width, 8, pieces(width, PIECE_COLUMNS), k, &begin, &end);
        for (int i = begin; i < end; i += 8)
            for (int j = i; j < width; j++)
                for (int r = i; r < i + 8 && r < j; r++)
                    panel[(long)j * front.ld + r] = panel[(long)r * front.ld + j];
    }
}

bool tn_sparse_factor(const TnSparse *plan, const double (*blocks)[9], double *factor, double *work)
{
    return tn_sparse_reduce(plan, blocks, NULL, factor, work, NULL, 0, NULL, NULL);
}

bool tn_sparse_reduce(const TnSparse *plan, const double (*blocks)[9], const double *b,
                      double *factor, double *work, double *S, size_t stride, double *y,
                      TnPool *pool)
{
    int threads = tn_pool_threads(pool);
    Job job = {.plan = plan, .blocks = blocks, .factor = factor, .work = work, .b = b};
    job.alone = threads <= 1;
    if (plan->last_count > 0) job.S = S;
    job.stride = (int)stride;
    if (y) job.y = y, job.z = y + tn_sparse_vectors(plan);
    for (int t = 0; t < plan->task_count; t++)
        atomic_init(&job.waits_for[t], plan->tasks[t].waits_for);
    tn_sparse_deal(plan, threads, job.leaf);
    tn_pool_phases(pool, threads, (TnPhases){next_phase, run_piece, &job});
    if (atomic_load_explicit(&job.failed, memory_order_relaxed)) return false;
    if (y) tn_sparse_forward_last(plan, b, y, job.z);
    return true;
}
