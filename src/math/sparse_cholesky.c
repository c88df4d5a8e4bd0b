/* sparse_cholesky.c: the numeric factorization. Front by front, children before parents:
 *     panel and U ← blocks of A + Σ children's U,   panel ← L,   U ← U - L₂₁L₂₁ᵀ.
 *
 * Threads share it in phases: first the tasks, whole subtrees that the plan chose; then, one
 * after the other, the fronts above them, of which the large ones are cut into pieces: columns
 * where they are put together and in U, rows below the diagonal in the panel. Pieces change what
 * is in a cache, but not what is computed: every number gets the same terms in the same order,
 * so the same bits come out for any number of threads. */
#include "sparse_cholesky.h"

#include <string.h>

#include "kernels/dense_kernels.h"
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
    double *y, *z; /* a right side to be eliminated along, and scratch; NULL: none */
    Stage stage;
    bool begun;
    int front, small_end; /* small fronts are done [front, small_end) at a time */
    int block, block_end; /* columns of the panel */
    bool failed[TN_SPARSE_TASKS];
} Job;

/* ---- putting a front together ---- */

/* Where the front's column begins, as if from row 0. */
static double *column_of(const TnSparseFront *front, double *panel, double *U, int column)
{
    int width = 3 * front->width, base = width & ~7;
    return column < width ? panel + (long)column * front->ld
                          : U + (long)(column - width) * (front->ld - base) - base;
}

static void add_block(const TnSparseEntry *entry, const double *B, double *panel, long ld)
{
    double *to = panel + 3 * entry->column * ld + 3 * entry->row;
    int across = entry->transposed ? 3 : 1, down = 4 - across; /* a branch would be hard to guess */
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++) to[c * ld + r] += B[across * c + down * r];
}

/* A child's U, column k of a run, as if from the run's first row. */
static const double *child_column(const TnSparseFront *child, const double *U, int from, int k)
{
    int base = (3 * child->width) & ~7;
    return U + (3L * from + k) * (child->ld - base) + 3 * child->width - base;
}

/* The columns of a node ← the first child's U (NULL: there is none), zero elsewhere. */
static void take_child(const Job *job, const TnSparseFront *child, const TnSparseFront *front,
                       double *panel, double *U, int node)
{
    const TnSparseRun *runs = job->plan->runs, *run = child ? runs + child->run_begin : runs,
                      *runs_end = child ? runs + child->run_end : runs;
    int rows = (3 * (front->width + front->below) + 7) & ~7;
    while (run < runs_end && run->to + run->count <= node) run++;
    bool inside = run < runs_end && run->to <= node;
    for (int k = 3 * node; k < 3 * node + 3; k++) {
        double *to = column_of(front, panel, U, k);
        int done = k & ~7, skip = inside ? k - 3 * run->to : 0; /* above the diagonal */
        const double *from =
            inside ? child_column(child, job->work + child->update, run->from, skip) : NULL;
        for (const TnSparseRun *r = run; inside && r < runs_end; r++, skip = 0) {
            int at = 3 * r->to + skip, count = 3 * r->count - skip;
            memset(to + done, 0, sizeof(double) * (size_t)(at - done));
            memcpy(to + at, from + 3 * r->from + skip, sizeof(double) * (size_t)count);
            done = at + count;
        }
        memset(to + done, 0, sizeof(double) * (size_t)(rows - done));
    }
}

/* Adds a child's U to columns of nodes [begin, end). */
static void add_child(const TnSparse *plan, const TnSparseFront *child, const TnSparseFront *front,
                      const double *child_U, double *panel, double *U, int begin, int end)
{
    const TnSparseRun *runs_end = plan->runs + child->run_end;
    for (const TnSparseRun *run = plan->runs + child->run_begin; run < runs_end; run++) {
        int first = begin > run->to ? begin - run->to : 0;
        int behind = end - run->to < run->count ? end - run->to : run->count;
        for (int k = 3 * first; k < 3 * behind; k++) {
            const double *from = child_column(child, child_U, run->from, k);
            double *to = column_of(front, panel, U, 3 * run->to + k);
            int skip = k; /* above the diagonal */
            for (const TnSparseRun *rows = run; rows < runs_end; rows++, skip = 0)
                plan->kernels->add(3 * rows->count - skip, from + 3 * rows->from + skip,
                                   to + 3 * rows->to + skip);
        }
    }
}

/* Columns of nodes [begin, end), from their diagonal on. */
static void assemble(const Job *job, const TnSparseFront *front, double *panel, int begin, int end)
{
    const TnSparse *plan = job->plan;
    double *U = job->work + front->update;
    const TnSparseFront *first = front->child >= 0 ? &plan->fronts[front->child] : NULL;
    int e = front->entry_begin;
    if (begin > 0) { /* entries are in rising order of columns */
        int high = front->entry_end;
        while (e < high) {
            int middle = e + (high - e) / 2;
            if (plan->entries[middle].column < begin)
                e = middle + 1;
            else
                high = middle;
        }
    }
    for (int c = begin; c < end; c++) {
        take_child(job, first, front, panel, U, c);
        for (; e < front->entry_end && plan->entries[e].column == c; e++) {
            if (e + AHEAD < front->entry_end) { /* a block lies in two lines of the cache */
                const double *ahead = job->blocks[plan->entries[e + AHEAD].block];
                __builtin_prefetch(ahead);
                __builtin_prefetch(ahead + 8);
            }
            add_block(&plan->entries[e], job->blocks[plan->entries[e].block], panel, front->ld);
        }
    }
    for (int c = first ? first->sibling : -1; c >= 0; c = plan->fronts[c].sibling)
        add_child(plan, &plan->fronts[c], front, job->work + plan->fronts[c].update, panel, U,
                  begin, end);
}

/* The panel is still in a cache. */
static void forward(const Job *job, const TnSparseFront *front)
{
    if (job->y) tn_sparse_forward_front(job->plan, job->factor, front, 1, job->y, job->z);
}

static bool factor_front(const Job *job, const TnSparseFront *front)
{
    int width = 3 * front->width, below = 3 * front->below, ld = front->ld;
    double *panel = job->factor + front->panel;
    assemble(job, front, panel, 0, front->width + front->below);
    if (!job->plan->kernels->factor(width + below, width, panel, ld)) return false;
    if (below > 0)
        job->plan->kernels->update(width + below, width, panel, ld, job->work + front->update);
    forward(job, front);
    return true;
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
    for (int t = 0; t < TN_SPARSE_TASKS; t++)
        if (job->failed[t]) return 0;
    if (!job->begun) {
        job->begun = true;
        job->stage = TASKS;
        if (plan->task_count > 0) return plan->task_count;
    }
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
        for (int f = plan->tasks[k].begin; f < plan->tasks[k].end && !job->failed[k]; f++)
            job->failed[k] = !factor_front(job, &plan->fronts[f]);
        return;
    }
    if (job->stage == SMALL) {
        for (int f = job->front; f < job->small_end && !job->failed[0];
             f = tn_sparse_outside(plan, f + 1))
            job->failed[0] = !factor_front(job, &plan->fronts[f]);
        return;
    }
    const TnDenseKernels *kernels = plan->kernels;
    TnSparseFront front = plan->fronts[job->front];
    int width = 3 * front.width, all = width + 3 * front.below, begin, end;
    double *panel = job->factor + front.panel;
    if (is_last(job, job->front)) panel = job->S, front.ld = job->stride;
    switch (job->stage) {
    case ASSEMBLE:
        piece(all / 3, 1, pieces(all, PIECE_COLUMNS), k, &begin, &end);
        assemble(job, &front, panel, begin, end);
        break;
    case DIAGONAL:
        job->failed[0] = !kernels->factor_diagonal(job->block, job->block_end, panel, front.ld);
        break;
    case ROWS: {
        int from = (job->block_end + 7) & ~7, rows = ((all + 7) & ~7) - from;
        piece(rows, 8, row_pieces(job, &front), k, &begin, &end);
        kernels->factor_rows(job->block, job->block_end, from + begin, from + end, panel, front.ld);
        break;
    }
    case UPDATE:
        piece(all - width, 8, pieces(all - width, PIECE_COLUMNS), k, &begin, &end);
        kernels->update_columns(all, width, panel, front.ld, job->work + front.update,
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
    Job job = {.plan = plan, .blocks = blocks, .factor = factor, .work = work};
    double *z = y ? y + ((3 * (size_t)plan->node_count + 7) & ~(size_t)7) : NULL;
    int threads = tn_pool_threads(pool);
    if (plan->last_count > 0) job.S = S;
    job.stride = (int)stride;
    if (y && threads <= 1) { /* others would write to the same rows of y */
        job.y = y, job.z = z;
        tn_sparse_to_places(plan, 1, b, y);
    }
    tn_pool_phases(pool, threads, (TnPhases){next_phase, run_piece, &job});
    for (int t = 0; t < TN_SPARSE_TASKS; t++)
        if (job.failed[t]) return false;
    if (y && threads > 1) tn_sparse_forward(plan, factor, 1, b, y, z);
    return true;
}
