/* solve.c: a problem solved to a tolerance, island by island.
 *
 * Islands share nothing, so each is copied into a problem of its own, solved by one thread and put
 * back. Threads take them from one list, the costly ones first; the thread that takes an island,
 * and into whichever of the arenas it is copied, its numbers are the same. Only an island that is
 * more than a thread's share of all the work is solved by all threads together, and one that is the
 * whole problem where it stands. Blocks without constraints move by v = A⁻¹b. */
#include "solve.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "block/block.h"
#include "shared_tasks.h"
#include "small/small.h"

/* Work is counted in contacts; one costs a fifth to half of a microsecond. So much is worth waking
 * threads for: several islands, and the inside of one. */
#define WORTH_SHARING 1000
#define WORTH_SHARING_INSIDE 3000
#define COST_CLASSES 32 /* powers of two */

struct TnSolverMemory {
    TnPlanCache *plans;
    int count;                  /* of arenas */
    TnArena *arenas;            /* one each for the threads that solve islands at the same time */
    atomic_bool *taken;         /* per arena */
    TnArena together;           /* for islands that all threads solve together */
    atomic_int helps;           /* by the heap, since the last reset */
    atomic_bool lacked;         /* an island did without memory that it wanted */
    bool lacked_last;           /* the last call was refused for that */
    size_t most, most_together; /* bytes an island needed */
};

TnSolverMemory *tn_solver_memory_create(int thread_count)
{
    TnSolverMemory *m = tn_calloc(1, sizeof *m);
    if (!m) return NULL;
    m->count = thread_count;
    m->plans = tn_plan_cache_create();
    m->arenas = tn_calloc((size_t)thread_count, sizeof(TnArena));
    m->taken = tn_calloc((size_t)thread_count, sizeof *m->taken);
    if (!m->plans || !m->arenas || !m->taken) {
        tn_solver_memory_destroy(m);
        return NULL;
    }
    /* empty ones never fail; they grow as they are used */
    for (int i = 0; i < thread_count; i++) tn_arena_init(&m->arenas[i], "island", 0);
    tn_arena_init(&m->together, "large island", 0);
    return m;
}

void tn_solver_memory_destroy(TnSolverMemory *m)
{
    if (!m) return;
    for (int i = 0; m->arenas && i < m->count; i++) tn_arena_free(&m->arenas[i]);
    tn_arena_free(&m->together);
    if (m->plans) tn_plan_cache_destroy(m->plans);
    tn_free(m->arenas);
    tn_free(m->taken);
    tn_free(m);
}

int tn_solver_memory_reset(TnSolverMemory *m, size_t *high_water)
{
    size_t largest = 0;
    int helps = tn_plan_cache_trim(m->plans);
    for (int i = 0; i < m->count; i++) {
        if (m->arenas[i].capacity > largest) largest = m->arenas[i].capacity;
        if (m->arenas[i].high_water > m->most) m->most = m->arenas[i].high_water;
    }
    if (m->together.high_water > m->most_together) m->most_together = m->together.high_water;
    /* any of them may get the largest island in the next step */
    for (int i = 0; i < m->count; i++) {
        TnArena bigger;
        if (m->arenas[i].capacity >= largest || !tn_arena_init(&bigger, "island", largest))
            continue;
        tn_arena_free(&m->arenas[i]);
        m->arenas[i] = bigger;
    }
    *high_water = (size_t)m->count * m->most + m->most_together + tn_plan_cache_bytes(m->plans);
    return helps + atomic_exchange_explicit(&m->helps, 0, memory_order_relaxed);
}

TnPlanCache *tn_solver_memory_plans(TnSolverMemory *m) { return m->plans; }

static TnArena *take_arena(TnSolverMemory *m)
{
    for (int i = 0;; i = (i + 1) % m->count)
        if (!atomic_exchange_explicit(&m->taken[i], true, memory_order_acquire))
            return &m->arenas[i];
}

/* Emptied, and grown where it was too small. */
static void reset_arena(TnSolverMemory *m, TnArena *arena)
{
    if (arena->overflow_count)
        atomic_fetch_add_explicit(&m->helps, arena->overflow_count, memory_order_relaxed);
    if (arena->lacked) atomic_store_explicit(&m->lacked, true, memory_order_relaxed);
    tn_arena_reset(arena);
}

static void put_arena(TnSolverMemory *m, TnArena *arena)
{
    reset_arena(m, arena);
    atomic_store_explicit(&m->taken[arena - m->arenas], false, memory_order_release);
}

/* Without memory the bits would be others: that is no solution. */
static bool has_lacked(TnSolverMemory *m)
{
    bool plans = tn_plan_cache_lacked(m->plans);
    m->lacked_last = atomic_exchange_explicit(&m->lacked, false, memory_order_relaxed) || plans;
    return m->lacked_last;
}

bool tn_solver_memory_lacked(const TnSolverMemory *memory)
{
    return memory->lacked_last || atomic_load_explicit(&memory->lacked, memory_order_relaxed);
}

/* ---- one task: an island, or a large block without constraints ---- */

typedef struct Solve {
    TnProblem *problem;
    const TnSolverDef *def;
    TnSolverMemory *memory;
    TnSolution *solution;
    /* tasks: islands, then large blocks by island count + their number */
    int *tasks, task_count;
    TnSharedTasks shared; /* which rank does them; no ranks: this process does all */
    atomic_int next;
    atomic_bool failed;
    atomic_int failed_task; /* the lowest of those that did; INT_MAX: none */
} Solve;

static void note_failed(Solve *s, int task)
{
    int lowest = atomic_load_explicit(&s->failed_task, memory_order_relaxed);
    while (task < lowest && !atomic_compare_exchange_weak(&s->failed_task, &lowest, task)) {}
    atomic_store_explicit(&s->failed, true, memory_order_relaxed);
}

/* A block of it: the last one, which is large where any is. */
static int block_of_task(const Solve *s, int task)
{
    const TnIslands *islands = &s->solution->islands;
    if (task == INT_MAX) return -1;
    if (task >= islands->count) return s->problem->twist_count + task - islands->count;
    return islands->blocks[islands->block_start[task + 1] - 1];
}

static void note_worst(const TnIslands *islands, int island, TnIslandResult *result)
{
    int *i = &result->worst_index;
    if (result->worst == TN_A_CONTACT) *i = islands->contacts[islands->contact_start[island] + *i];
    if (result->worst == TN_A_ROW) *i = islands->rows[islands->row_start[island] + *i];
    if (result->worst == TN_A_BOND) *i = islands->bonds[islands->bond_start[island] + *i];
}

/* Forces are wrong that are off by so many times what the constraints contradict each other by:
 * then that is not why. */
#define NOT_WHY 10.0

/* A small island that may have better forces than those that were found. Where nothing was
 * linearized, nothing is forgiven. */
static bool is_unsolved(const Solve *s, const TnProblem *p, const TnIslandReport *r)
{
    if (r->converged || p->exact) return !r->converged;
    return r->error > TN_UNSOLVED && r->error * s->def->velocity_scale > NOT_WHY * r->contradiction;
}

static bool by_ladder(const Solve *s, TnProblem *p, TnPool *pool, bool was_small,
                      TnIslandResult *result)
{
    return tn_problem_prepare_A(p, pool) &&
           tn_solve_island(p, s->def, s->memory->plans, pool, was_small, result);
}

/* A problem that is one island. Where Newton's steps of a small one end in wrong forces, interior
 * points have a try, and what they find counts if it is right and does not run away: where there
 * are no forces (Painlevé), those of a contact that yields are the best to go on with. */
static bool solve_part(const Solve *s, TnProblem *p, TnPool *pool, TnIslandResult *result)
{
    if (s->def->method != TN_METHOD_AUTO || !tn_small_fits(p))
        return by_ladder(s, p, pool, false, result);
    if (!tn_small_solve(p, s->def, result)) return false;
    if (!is_unsolved(s, p, &result->report)) return true;
    TnPerConstraint found;
    if (!tn_per_constraint_alloc(p, &found)) return false;
    tn_lambda_take(p, &found);
    bool runs_away = false;
    if (!by_ladder(s, p, pool, true, result)) return false;
    if (p->exact) return true;
    if (!tn_small_runs_away(p, s->def, &runs_away)) return false;
    if (result->report.error < TN_UNSOLVED && !runs_away) return true;
    tn_lambda_put(p, &found);
    return tn_small_solve(p, s->def, result);
}

/* `together`: by all ranks. */
static bool solve_island(Solve *s, int island, TnArena *arena, TnPool *pool, bool together)
{
    const TnIslands *islands = &s->solution->islands;
    TnIslandResult *result = &s->solution->results[island];
    TnProblem part;
    if (!tn_island_extract(s->problem, islands, island, arena, &part)) return false;
    if (together) part.ranks = s->problem->ranks;
    if (!solve_part(s, &part, pool, result)) return false;
    tn_island_return(&part, islands, island, s->problem);
    note_worst(islands, island, result);
    return true;
}

static bool move_freely(const Solve *s, int large, TnArena *arena)
{
    TnProblem *p = s->problem, part;
    const TnLargeBlock *d = &p->large[large];
    TnVelocities v;
    if (d->v_free) {
        memcpy(d->v, d->v_free, sizeof(double) * (size_t)d->dim);
    } else {
        if (!tn_block_extract(p, large, arena, &part) || !tn_problem_prepare_A(&part, NULL) ||
            !tn_velocities_alloc(&part, &v))
            return false;
        tn_velocities_touched(&part, &v); /* no node of a mesh is */
        tn_velocities_finish(&part, &v);
    }
    tn_ports_spread(p, d, d->v, p->twist);
    return true;
}

static bool do_task(Solve *s, int task)
{
    int islands = s->solution->islands.count;
    TnArena *arena = take_arena(s->memory);
    bool ok = task < islands ? solve_island(s, task, arena, NULL, false)
                             : move_freely(s, task - islands, arena);
    put_arena(s->memory, arena);
    return ok;
}

/* Takes tasks until there are none. */
static void work(void *context, int begin, int end)
{
    Solve *s = context;
    const TnSharedTasks *shared = &s->shared;
    (void)begin, (void)end;
    for (int i; (i = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed)) < s->task_count;)
        if ((!shared->ranks || shared->rank_of[i] == shared->ranks->rank) &&
            !do_task(s, s->tasks[i]))
            note_failed(s, s->tasks[i]);
}

/* ---- free bodies ---- */

static void move_twists(void *context, int begin, int end)
{
    Solve *s = context;
    TnProblem *p = s->problem;
    const int *island_of = s->solution->islands.island_of;
    for (int batch = begin; batch < end; batch++) {
        bool done = false;
        for (int l = 0, k = batch * TN_LANES; l < TN_LANES && k < p->twist_count; l++, k++) {
            if (island_of[k] >= 0) continue;
            if (!done && !tn_twists_factor_A(p, batch, batch + 1)) {
                atomic_store_explicit(&s->failed, true, memory_order_relaxed);
                return;
            }
            done = true;
            double b[6];
            for (int i = 0; i < 6; i++) b[i] = p->twist_batch[batch].b[i][l];
            tn_twist_solve(p, k, b, p->twist[k + 1]);
        }
    }
}

/* ---- which thread does what ---- */

static double block_work(const TnLargeBlock *d)
{
    TnBlockWork work = d->kind->work(d);
    return work.once + work.iteration;
}

static double task_work(const Solve *s, int task)
{
    const TnIslands *islands = &s->solution->islands;
    const TnProblem *p = s->problem;
    if (task >= islands->count) return block_work(&p->large[task - islands->count]);
    double sum = 1 + islands->contact_start[task + 1] - islands->contact_start[task];
    sum += islands->row_start[task + 1] - islands->row_start[task];
    sum += 6 * (islands->bond_start[task + 1] - islands->bond_start[task]);
    for (int k = islands->block_start[task]; k < islands->block_start[task + 1]; k++)
        if (islands->blocks[k] >= p->twist_count)
            sum += block_work(&p->large[islands->blocks[k] - p->twist_count]);
    return sum;
}

static int cost_class(double cost)
{
    int c = 0;
    while (c < COST_CLASSES - 1 && cost >= 2.0) cost *= 0.5, c++;
    return COST_CLASSES - 1 - c;
}

/* Tasks into s->tasks by falling cost, but for islands that are worth all threads and ranks, which
 * are done here. */
static bool list_tasks(Solve *s, TnPool *pool, double *total)
{
    const TnIslands *islands = &s->solution->islands;
    const TnProblem *p = s->problem;
    int all = islands->count + p->large_count, ranks = tn_ranks_count(p->ranks);
    int first[COST_CLASSES + 1] = {0};
    double *cost = TN_ARENA_NEW(p->arena, double, all);
    s->tasks = TN_ARENA_NEW(p->arena, int, all);
    if (!cost || !s->tasks) return false;
    *total = 0.0;
    for (int i = 0; i < all; i++) {
        bool none =
            i >= islands->count && islands->island_of[p->twist_count + i - islands->count] >= 0;
        cost[i] = none ? 0.0 : task_work(s, i);
        *total += cost[i];
    }
    bool shared = tn_ranks_worth(p->ranks, *total);
    int workers = tn_pool_threads(pool) * (shared ? ranks : 1);
    for (int i = 0; workers > 1 && i < islands->count; i++) {
        bool worth =
            cost[i] >= WORTH_SHARING_INSIDE || (shared && tn_ranks_worth(p->ranks, cost[i]));
        if (!worth || cost[i] * workers <= *total) continue;
        bool ok = solve_island(s, i, &s->memory->together, pool, shared);
        reset_arena(s->memory, &s->memory->together);
        if (!ok) {
            note_failed(s, i);
            return false;
        }
        *total -= cost[i];
        cost[i] = 0.0;
    }
    for (int i = 0; i < all; i++)
        if (cost[i] > 0.0) first[cost_class(cost[i]) + 1]++;
    for (int c = 0; c < COST_CLASSES; c++) first[c + 1] += first[c];
    s->task_count = first[COST_CLASSES];
    for (int i = 0; i < all; i++)
        if (cost[i] > 0.0) s->tasks[first[cost_class(cost[i])]++] = i;
    return !shared || !s->task_count ||
           tn_shared_assign(p->ranks, p->arena, s->tasks, s->task_count, cost, &s->shared);
}

/* One island with every block and constraint: as it stands. */
static bool solve_whole(Solve *s, TnPool *pool)
{
    TnProblem *p = s->problem;
    TnIslandResult *result = s->solution->results;
    TnPool *team = task_work(s, 0) < WORTH_SHARING_INSIDE ? NULL : pool;
    return solve_part(s, p, team, result);
}

bool tn_solve(TnProblem *p, const TnSolverDef *def, TnSolverMemory *memory, TnPool *pool,
              TnSolution *out)
{
    Solve s = {.problem = p, .def = def, .memory = memory, .solution = out, .failed_task = INT_MAX};
    TnIslands *islands = &out->islands;
    out->refused = -1;
    has_lacked(memory); /* of an earlier call, which was told so */
    if (!tn_islands_find(p, pool, islands)) return false;
    out->results = TN_ARENA_ZERO(p->arena, TnIslandResult, islands->count);
    if (!out->results) return false;
    if (islands->count == 1 && islands->block_start[1] == p->twist_count + p->large_count &&
        islands->contact_start[1] == p->contact_count && islands->row_start[1] == p->row_count &&
        islands->bond_start[1] == p->bond_count) {
        bool ok = solve_whole(&s, pool);
        if (!ok) out->refused = block_of_task(&s, 0);
        return !has_lacked(memory) && ok;
    }
    tn_islands_clear_rest(p, islands);
    tn_pool_run(pool, p->twist_batches, TN_TWIST_GRAIN, move_twists, &s);
    double total;
    if (!list_tasks(&s, pool, &total)) {
        out->refused = block_of_task(&s, s.failed_task);
        return false;
    }
    int threads = total < WORTH_SHARING ? 1 : tn_pool_threads(pool);
    if (threads > memory->count) threads = memory->count;
    tn_pool_run(threads > 1 ? pool : NULL, threads, 1, work, &s);
    bool failed = has_lacked(memory) || atomic_load_explicit(&s.failed, memory_order_relaxed);
    out->refused = block_of_task(&s, s.failed_task);
    if (s.shared.ranks && !tn_shared_tell(&s.shared, p, out, &failed)) return false;
    return !failed;
}

TnSolutionSummary tn_solution_summary(const TnSolution *solution, double velocity_scale)
{
    TnSolutionSummary sum = {.converged = true, .worst_island = -1};
    double worst = 0.0;
    for (int i = 0; i < solution->islands.count; i++) {
        const TnIslandReport *r = &solution->results[i].report;
        sum.converged = sum.converged && r->converged;
        if (r->subadmm_iterations > sum.iterations) sum.iterations = r->subadmm_iterations;
        if (r->own_iterations > sum.iterations) sum.iterations = r->own_iterations;
        if (solution->results[i].form) sum.form = solution->results[i].form;
        sum.by_method[r->method]++;
        if (!(r->rigid_error <= sum.rigid_error)) sum.rigid_error = r->rigid_error;
        if (!(r->error <= sum.error)) sum.error = r->error; /* NaN is worst */
        if (r->contradiction > sum.contradiction) sum.contradiction = r->contradiction;
        double bad = fmax(r->error, r->contradiction / velocity_scale);
        if (isnan(r->error)) bad = INFINITY;
        if (sum.worst_island >= 0 && bad <= worst) continue;
        worst = bad;
        sum.worst_island = i;
    }
    return sum;
}
