/* block_mesh.c: nodes of three unknowns on a graph, as a soft body has.
 *
 * Only touched nodes, those with ports or rows, have anything but zero in C = JᵀWJ and in g. All others are
 * eliminated before the first iteration (math/sparse_cholesky.h). On the kept ones A becomes its Schur
 * complement S, a full matrix, and with v_free = A⁻¹ b, needed there only: S⁻¹ times what b comes to,
 *
 *     (S + C) x = g + 2F - C v_free,      v = v_free + x
 *
 * As in block_chain.c, b + F - A v is C v - g - F by then, so that g ← (1-α) g + α (C v - F) needs no product
 * with S. A v = b holds on the others, where f = 0: their half of a solve with b, begun before the iterations (y),
 * ends with v of the kept ones after the last. So a step solves for all unknowns once.
 *
 * The inverse of S serves v_free and the weights, since S⁻¹ is A⁻¹ on the kept nodes. With n unknowns there
 * a factorization takes n³/6 multiplications and an inverse n³/3; an iteration reads n² numbers (a solve with the
 * factor of S + C, twice half a matrix) or n²/2 (a product with its inverse). The solve is slower for small n,
 * since it waits for its own results: 2.4 and 1.4 µs for n = 90, 7.0 and 4.5 for 240, 23 and 17 for 480. Its inverse
 * takes 15, 200 and 1600 µs; for 60 iterations it pays up to n = 190. */
#include <stdatomic.h>
#include <string.h>

#include "block_kind.h"
#include "mesh.h"

static int unit_count(const TnProblem *p) { return p->large_count; }

double tn_mesh_trace(const TnLargeBlock *d)
{
    double sum = 0.0;
    for (int k = 0; k < d->mesh->node_count; k++) {
        const double *B = d->mesh->blocks[k];
        sum += B[0] + B[4] + B[8];
    }
    return sum;
}

/* ---- between a vector of all unknowns and one on K ---- */

static void gather_kept(const TnMesh *m, const double *from, double *to)
{
    for (int k = 0; k < m->kept_count; k++)
        for (int i = 0; i < 3; i++) to[3 * k + i] = from[3L * m->kept[k] + i];
}

static void scatter_kept(const TnMesh *m, const double *from, double *to)
{
    for (int k = 0; k < m->kept_count; k++)
        for (int i = 0; i < 3; i++) to[3L * m->kept[k] + i] = from[3 * k + i];
}

/* ---- A ---- */

void tn_mesh_solve_A(const TnLargeBlock *d, double *x)
{
    tn_sparse_solve(d->mesh->plan, d->mesh->factor, 1, x, d->mesh->work);
}

static bool factor_A(TnProblem *p, int index, TnPool *pool)
{
    TnLargeBlock *d = &p->large[index];
    TnMesh *m = d->mesh;
    double *L = m->H_inverse; /* of S, for a while */
    if (!tn_sparse_reduce(m->plan, m->blocks, d->b, m->factor, m->work, m->S, m->stride, m->y,
                          pool))
        return false;
    if (m->size) {
        memcpy(L, m->S, sizeof(double) * (size_t)m->size * m->stride);
        if (!tn_dense_factor(m->size, L, m->stride)) return false;
        tn_sparse_put_last(m->plan, L, m->stride, m->factor);
        tn_dense_inverse(m->size, L, m->stride, m->S_inverse, m->stride);
    }
    if (m->size)
        tn_dense_multiply(m->size, m->S_inverse, m->stride, m->y + d->dim - m->size, m->free);
    tn_mesh_port_compliances(p, index);
    return true;
}

typedef struct Task {
    TnProblem *problem;
    atomic_bool failed;
} Task;

static void factor_range(void *context, int begin, int end)
{
    Task *task = context;
    for (int i = begin; i < end; i++)
        if (task->problem->large[i].mesh && !factor_A(task->problem, i, NULL))
            atomic_store_explicit(&task->failed, true, memory_order_relaxed);
}

/* One thread per block, unless most of the work is in fewer than two thirds as many blocks as there are threads
 * (one block and two threads, too): then all threads on one block after the other. */
bool tn_meshes_factor_A(TnProblem *p, TnPool *pool)
{
    double all = 0.0, most = 0.0;
    for (int i = 0; i < p->large_count; i++) {
        if (!p->large[i].mesh) continue;
        double flops = p->large[i].mesh->flops;
        all += flops;
        if (flops > most) most = flops;
    }
    if (1.5 * all >= tn_pool_threads(pool) * most) {
        Task task = {.problem = p};
        tn_pool_run(pool, p->large_count, 1, factor_range, &task);
        return !atomic_load_explicit(&task.failed, memory_order_relaxed);
    }
    for (int i = 0; i < p->large_count; i++)
        if (p->large[i].mesh && !factor_A(p, i, pool)) return false;
    return true;
}

/* ---- H and the iterations ---- */

/* Up to so many unknowns on K the iterations multiply by H⁻¹. */
#define INVERTED 192

static bool is_inverted(const TnMesh *m) { return m->size > 0 && m->size <= INVERTED; }

static bool factor_H(TnProblem *p, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        TnLargeBlock *d = &p->large[i];
        TnMesh *m = d->mesh;
        if (!m) continue;
        tn_mesh_add_stiffness(p, i, m->H); /* where S is */
        memset(m->pull, 0, sizeof(double) * m->stride);
        tn_mesh_spread(p, i, m->free, -1.0, m->pull);
        memset(d->g, 0, sizeof(double) * (size_t)m->size);
        tn_mesh_push(p, i, 1.0, m->x, d->g); /* of this x is overwritten */
        gather_kept(m, d->v, m->v);
        for (int k = 0; k < m->size; k++) m->x[k] = m->v[k] - m->free[k];
        tn_mesh_spread(p, i, m->v, 1.0, d->g);
        if (m->size && !tn_dense_factor(m->size, m->H, m->stride)) return false;
        if (is_inverted(m)) tn_dense_inverse(m->size, m->H, m->stride, m->H_inverse, m->stride);
    }
    return true;
}

/* x ← H⁻¹ x and v there */
static void solve(const TnLargeBlock *d)
{
    TnMesh *m = d->mesh;
    if (!m->size) return;
    if (is_inverted(m)) {
        double *y = m->swap;
        tn_dense_multiply(m->size, m->H_inverse, m->stride, m->x, y);
        m->swap = m->x;
        m->x = y;
    } else {
        tn_dense_solve(m->size, m->H, m->stride, 1, m->x, m->stride);
    }
    for (int k = 0; k < m->size; k++) m->v[k] = m->free[k] + m->x[k];
    scatter_kept(m, m->v, d->v);
}

static void update_mesh(TnProblem *p, int index, double alpha)
{
    TnLargeBlock *d = &p->large[index];
    const TnMesh *m = d->mesh;
    int first = p->port_row + d->port_start;
    tn_table_forces(p, first, first + d->port_count);
    for (int k = 0; k < m->size; k++) {
        m->x[k] = m->pull[k] + d->g[k];
        d->g[k] *= 1.0 - alpha;
    }
    tn_mesh_push(p, index, alpha, m->x, d->g);
    solve(d);
    tn_mesh_spread(p, index, m->v, alpha, d->g);
}

void tn_mesh_solve_kept(TnProblem *p, int index, const double *force)
{
    const TnLargeBlock *d = &p->large[index];
    const TnMesh *m = d->mesh;
    gather_kept(m, force, m->x);
    for (int k = 0; k < m->size; k++) m->x[k] += m->pull[k];
    solve(d);
    tn_ports_spread(p, d, d->v, p->twist);
}

void tn_mesh_finish(TnProblem *p, int index)
{
    TnLargeBlock *d = &p->large[index];
    const TnMesh *m = d->mesh;
    double *y = m->work, *rest = y + ((d->dim + 7) & ~7);
    memcpy(y, m->y, sizeof(double) * (size_t)(d->dim - m->size));
    memcpy(y + d->dim - m->size, m->v, sizeof(double) * (size_t)m->size);
    tn_sparse_backward(m->plan, m->factor, 1, y, d->v, rest);
}

void tn_mesh_implied(const TnProblem *p, int index, double *v)
{
    const TnMesh *m = p->large[index].mesh;
    double *force = m->column, *twice = force + m->stride, *found = twice + m->stride;
    if (!m->size) return;
    memset(force, 0, sizeof(double) * 2 * m->stride);
    tn_mesh_push(p, index, -1.0, twice, force);
    tn_dense_multiply(m->size, m->S_inverse, m->stride, force, found);
    for (int k = 0; k < m->size; k++) found[k] += m->free[k];
    scatter_kept(m, found, v);
}

void tn_mesh_complete(TnProblem *p, int index, const double *v)
{
    const TnMesh *m = p->large[index].mesh;
    gather_kept(m, v, m->v);
    tn_mesh_finish(p, index);
}

static void update(TnProblem *p, int begin, int end, double alpha)
{
    for (int i = begin; i < end; i++)
        if (p->large[i].mesh) update_mesh(p, i, alpha);
}

const TnBlockKind tn_block_mesh = {
    .name = "mesh", .grain = 1, .unit_count = unit_count, .factor_H = factor_H, .update = update};
