/* mesh.c: nodes of three unknowns on a graph, as a soft body has.
 *
 * Only touched nodes, those with ports or rows, have anything but zero in C = JᵀWJ and in g. All
 * others are eliminated before the first iteration (math/sparse/sparse_cholesky.h). On the kept
 * ones A becomes its Schur complement S, a full matrix, and with v_free = A⁻¹ b, needed there only:
 * S⁻¹ times what b comes to,
 *
 *     (S + C) x = g + 2F - C v_free,      v = v_free + x
 *
 * As in chain.c, b + F - A v is C v - g - F by then, so that g ← (1-α) g + α (C v - F) needs no
 * product with S. A v = b holds on the others, where f = 0: their half of a solve with b, begun
 * before the iterations (y), ends with v of the kept ones after the last. So a step solves for all
 * unknowns once.
 *
 * The inverse of S serves v_free and the weights, since S⁻¹ is A⁻¹ on the kept nodes. With n
 * unknowns there a factorization takes n³/6 multiplications and an inverse n³/3; an iteration reads
 * n² numbers (a solve with the factor of S + C, twice half a matrix) or n²/2 (a product with its
 * inverse). The solve is slower for small n, since it waits for its own results: 2.4 and 1.4 µs for
 * n = 90, 7.0 and 4.5 for 240, 23 and 17 for 480. Its inverse takes 15, 200 and 1600 µs; for 60
 * iterations it pays up to n = 190. */
#include <math.h>
#include <string.h>

#include "mesh.h"

bool tn_problem_set_mesh(TnProblem *p, int block, int node_count, TnMeshMatrix matrix,
                         int port_start, int port_count)
{
    TnLargeBlock *d = &p->large[block];
    if (!tn_block_set(p, block, &tn_block_mesh, 3 * node_count, port_start, port_count))
        return false;
    d->b = matrix.b;
    *tn_mesh_block(d) = (TnMeshBlock){.pattern = matrix.pattern,
                                      .blocks = matrix.blocks,
                                      .memory = matrix.memory,
                                      .node_count = node_count};
    return true;
}

/* ---- between a vector of all unknowns and one on K ---- */

static void gather_kept(const TnMeshBlock *m, const double *from, double *to)
{
    for (int k = 0; k < m->kept_count; k++)
        for (int i = 0; i < 3; i++) to[3 * k + i] = from[3L * m->kept[k] + i];
}

static void scatter_kept(const TnMeshBlock *m, const double *from, double *to)
{
    for (int k = 0; k < m->kept_count; k++)
        for (int i = 0; i < 3; i++) to[3L * m->kept[k] + i] = from[3 * k + i];
}

/* ---- A ---- */

static void solve_A(const TnLargeBlock *d, double *x)
{
    const TnMeshBlock *m = tn_mesh_block(d);
    tn_sparse_solve(m->plan, m->factor, 1, x, m->work);
}

static double trace(const TnLargeBlock *d)
{
    const TnMeshBlock *m = tn_mesh_block(d);
    double sum = 0.0;
    for (int k = 0; k < m->node_count; k++)
        sum += m->blocks[k][0] + m->blocks[k][4] + m->blocks[k][8];
    return sum;
}

static void write_S(const TnMeshBlock *m, double *S)
{
    long n = m->size;
    for (long j = 0; j < n; j++)
        for (long i = j; i < n; i++)
            S[i * n + j] = S[j * n + i] = m->S[(size_t)j * m->stride + (size_t)i];
}

static bool reduce(TnProblem *p, int index, double *S, double *b)
{
    const TnLargeBlock *d = &p->large[index];
    const TnMeshBlock *m = tn_mesh_block(d);
    if (!tn_sparse_reduce(m->plan, m->blocks, d->b, m->factor, m->work, m->S, m->stride, m->y,
                          NULL))
        return false;
    write_S(m, S);
    memcpy(b, m->y + d->dim - m->size, sizeof(double) * (size_t)m->size);
    return true;
}

static bool factor_A(TnProblem *p, int index, TnPool *pool)
{
    TnLargeBlock *d = &p->large[index];
    TnMeshBlock *m = tn_mesh_block(d);
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

/* x += value · column k of S⁻¹, of which only the lower triangle is there */
static void add_column(const TnMeshBlock *m, int k, double value, double *x)
{
    const double *Z = m->S_inverse;
    for (int i = 0; i < k; i++) x[i] += value * Z[(size_t)i * m->stride + (size_t)k];
    for (int i = k; i < m->size; i++) x[i] += value * Z[(size_t)k * m->stride + (size_t)i];
}

static void solve_S(const TnLargeBlock *d, const int *place, const double *value, int count,
                    int stride, double *x)
{
    memset(x, 0, sizeof(double) * (size_t)d->solved);
    for (int k = 0; k < count; k++)
        add_column(tn_mesh_block(d), place[k], value[(long)k * stride], x);
}

static void respond(TnProblem *p, int index, const double *x, double *f, double *y)
{
    const TnMeshBlock *m = tn_mesh_block(&p->large[index]);
    memset(f, 0, sizeof(double) * m->stride);
    tn_mesh_spread(p, index, x, 1.0, f);
    tn_dense_multiply(m->size, m->S_inverse, m->stride, f, y);
}

static void scale(const TnLargeBlock *d, double *x)
{
    const TnMeshBlock *m = tn_mesh_block(d);
    for (int k = 0; k < m->size; k++) x[k] *= sqrt(m->S_inverse[(m->stride + 1) * (size_t)k]);
}

/* ---- one node of an assembled matrix ---- */

static TnBlockPlace locate(const TnLargeBlock *d, int unknown)
{
    int place = tn_mesh_block(d)->place[unknown];
    return (TnBlockPlace){0, place, place};
}

static void write_node(const TnLargeBlock *d, int node, double *S, double *v_free)
{
    const TnMeshBlock *m = tn_mesh_block(d);
    (void)node;
    write_S(m, S);
    memcpy(v_free, m->free, sizeof(double) * (size_t)m->size);
}

/* ---- H and the iterations ---- */

/* Up to so many unknowns on K the iterations multiply by H⁻¹. */
#define INVERTED 192

static bool is_inverted(const TnMeshBlock *m) { return m->size > 0 && m->size <= INVERTED; }

static bool factor_H(TnProblem *p, int index)
{
    const TnLargeBlock *d = &p->large[index];
    const TnMeshBlock *m = tn_mesh_block(d);
    tn_mesh_add_stiffness(p, index, m->H); /* where S is */
    memset(m->pull, 0, sizeof(double) * m->stride);
    tn_mesh_spread(p, index, m->free, -1.0, m->pull);
    memset(d->g, 0, sizeof(double) * (size_t)m->size);
    tn_mesh_push(p, index, 1.0, m->x, d->g); /* of this x is overwritten */
    gather_kept(m, d->v, m->v);
    for (int k = 0; k < m->size; k++) m->x[k] = m->v[k] - m->free[k];
    tn_mesh_spread(p, index, m->v, 1.0, d->g);
    if (m->size && !tn_dense_factor(m->size, m->H, m->stride)) return false;
    if (is_inverted(m)) tn_dense_inverse(m->size, m->H, m->stride, m->H_inverse, m->stride);
    return true;
}

static bool double_A(TnLargeBlock *d)
{
    const TnMeshBlock *m = tn_mesh_block(d);
    size_t n = (size_t)m->size * m->stride;
    memset(m->pull, 0, sizeof(double) * m->stride);
    memset(d->g, 0, sizeof(double) * (size_t)m->size);
    if (!m->size) return true;
    for (size_t i = 0; i < n; i++) m->H_inverse[i] = 0.5 * m->S_inverse[i];
    for (size_t i = 0; i < n; i++) m->H[i] = 2.0 * m->S[i];
    return tn_dense_factor(m->size, m->H, m->stride);
}

/* x ← H⁻¹ x and v there */
static void solve(const TnLargeBlock *d)
{
    TnMeshBlock *m = tn_mesh_block(d);
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

static void update(TnProblem *p, int index, double alpha)
{
    const TnLargeBlock *d = &p->large[index];
    const TnMeshBlock *m = tn_mesh_block(d);
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

static void solve_H(TnProblem *p, int index, double *force)
{
    const TnLargeBlock *d = &p->large[index];
    const TnMeshBlock *m = tn_mesh_block(d);
    gather_kept(m, force, m->x);
    for (int k = 0; k < m->size; k++) m->x[k] += m->pull[k];
    solve(d);
    tn_ports_spread(p, d, d->v, p->twist);
}

static void finish(TnProblem *p, int index, TnPool *pool)
{
    TnLargeBlock *d = &p->large[index];
    const TnMeshBlock *m = tn_mesh_block(d);
    double *y = m->work, *rest = y + ((d->dim + 7) & ~7);
    memcpy(y, m->y, sizeof(double) * (size_t)(d->dim - m->size));
    memcpy(y + d->dim - m->size, m->v, sizeof(double) * (size_t)m->size);
    tn_sparse_backward(m->plan, m->factor, 1, y, d->v, rest, pool);
}

static void implied(const TnProblem *p, int index, double *v)
{
    const TnMeshBlock *m = tn_mesh_block(&p->large[index]);
    double *force = m->column, *twice = force + m->stride, *found = twice + m->stride;
    if (!m->size) return;
    memset(force, 0, sizeof(double) * 2 * m->stride);
    tn_mesh_push(p, index, -1.0, twice, force);
    tn_dense_multiply(m->size, m->S_inverse, m->stride, force, found);
    for (int k = 0; k < m->size; k++) found[k] += m->free[k];
    scatter_kept(m, found, v);
}

static void complete(TnProblem *p, int index, const double *v)
{
    const TnMeshBlock *m = tn_mesh_block(&p->large[index]);
    gather_kept(m, v, m->v);
    finish(p, index, NULL);
}

/* A few modes in which a body moves as a whole are slow. */
static bool accelerates(const TnProblem *p, const TnLargeBlock *d)
{
    (void)p;
    return d->solved > 0;
}

/* Before it is known what is kept, a node for each port: points are on three, most of which they
 * share. */
static TnBlockWork work(const TnLargeBlock *d)
{
    double size = tn_mesh_block(d)->plan ? d->solved : fmin(d->dim, 3.0 * d->port_count);
    return (TnBlockWork){.once = d->dim, .iteration = size * size / TN_NUMBERS_PER_CONTACT};
}

const TnBlockKind tn_block_mesh = {.name = "mesh",
                                   .size = sizeof(TnMeshBlock),
                                   .grain = 1,
                                   .eliminates = true,
                                   .H_replaces_S = true,
                                   .choose = tn_mesh_choose,
                                   .plan = tn_mesh_plan,
                                   .reserve = tn_mesh_reserve,
                                   .factor_A = factor_A,
                                   .reduce = reduce,
                                   .factor_H = factor_H,
                                   .double_A = double_A,
                                   .update = update,
                                   .solve_H = solve_H,
                                   .finish = finish,
                                   .accelerates = accelerates,
                                   .work = work,
                                   .solve_A = solve_A,
                                   .solve_S = solve_S,
                                   .implied = implied,
                                   .complete = complete,
                                   .side_compliance = tn_mesh_side_compliance,
                                   .respond = respond,
                                   .scale = scale,
                                   .trace = trace,
                                   .matrix = tn_mesh_matrix,
                                   .locate = locate,
                                   .write_node = write_node};
