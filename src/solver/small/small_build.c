/* small_build.c: Y and q of a small island. A row of Y is a row of J, solved in place. */
#include "small.h"

#include "../../math/vec3.h"
#include "../block/block.h"
#include "../law/law.h"

/* More would be quicker by sparse matrices: of bodies alone earlier. */
#define MOST_NUMBERS 1500
#define MOST_BODIES 3
#define MOST_UNKNOWNS 150

static int padded(int n) { return (n + 7) & ~7; }

static int numbers_of(const TnProblem *p) { return 3 * p->contact_count + p->row_count; }

bool tn_small_fits(const TnProblem *p)
{
    int unknowns = 6 * p->twist_count;
    if (p->bond_count || numbers_of(p) > MOST_NUMBERS) return false;
    if (!p->large_count) return p->twist_count <= MOST_BODIES;
    for (int i = 0; i < p->large_count; i++) {
        if (!p->large[i].kind->full) return false;
        unknowns += p->large[i].dim;
    }
    return unknowns <= MOST_UNKNOWNS;
}

/* ---- J ---- */

/* Block of a row of the twist table that is not the world's. */
static const TnSmallBlock *block_of(const TnSmall *s, int row)
{
    const TnProblem *p = s->problem;
    return &s->blocks[row < p->port_row ? row - 1
                                        : p->twist_count + p->ports[row - p->port_row].block];
}

/* Three rows += w T, T of `rows` rows of n. */
static inline __attribute__((always_inline)) void
add_product(int n, int rows, const double *T, const double w[3][6], double *restrict a,
            double *restrict b, double *restrict c)
{
    for (int j = 0; j < n; j++) {
        double x = a[j], y = b[j], z = c[j];
        for (int k = 0; k < rows; k++) {
            double t = T[(long)k * n + j];
            x += w[0][k] * t;
            y += w[1][k] * t;
            z += w[2][k] * t;
        }
        a[j] = x;
        b[j] = y;
        c[j] = z;
    }
}

/* Three rows of J += sign (fᵀ, (r × f)ᵀ) of a row of the table, f the axes of a contact. */
static void add_side(const TnSmall *s, int table_row, const double frame[3][3], const double r[3],
                     double sign, double *to)
{
    const TnProblem *p = s->problem;
    if (table_row == 0) return;
    const TnPort *port = table_row < p->port_row ? NULL : &p->ports[table_row - p->port_row];
    double w[3][6], *a, *b, *c;
    for (int axis = 0; axis < 3; axis++) {
        v3_scale(w[axis], frame[axis], sign);
        v3_cross(w[axis] + 3, r, w[axis]);
    }
    a = to + block_of(s, table_row)->first + (port ? port->start : 0);
    b = a + s->ld;
    c = b + s->ld;
    if (port && port->T) {
        if (port->linear)
            add_product(port->count, 3, port->T, (const double(*)[6])w, a, b, c);
        else
            add_product(port->count, 6, port->T, (const double(*)[6])w, a, b, c);
        return;
    }
    for (int k = 0; k < 6; k++) {
        a[k] += w[0][k];
        b[k] += w[1][k];
        c[k] += w[2][k];
    }
}

static void write_contact(const TnSmall *s, int c)
{
    const TnProblem *p = s->problem;
    const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
    int l = c % TN_LANES;
    double frame[3][3], *to = s->Y + 3L * c * s->ld;
    v3_copy(frame[0], p->normals[c]);
    v3_tangents(frame[0], frame[1], frame[2]);
    const double a[3] = {batch->arm_a[0][l], batch->arm_a[1][l], batch->arm_a[2][l]};
    const double b[3] = {batch->arm_b[0][l], batch->arm_b[1][l], batch->arm_b[2][l]};
    add_side(s, batch->row_b[l], (const double(*)[3])frame, b, 1.0, to);
    add_side(s, batch->row_a[l], (const double(*)[3])frame, a, -1.0, to);
}

static void write_row(const TnSmall *s, int r)
{
    const TnProblem *p = s->problem;
    const TnRow *row = &p->rows[r];
    for (int i = row->side_start; i < row->side_start + row->side_count; i++) {
        const TnRowSide *side = &p->sides[i];
        double *to = s->Y + (3L * p->contact_count + r) * s->ld + s->blocks[side->block].first;
        for (int e = side->start; e < side->start + side->count; e++)
            to[p->index[e]] += p->coefficient[e];
    }
}

static void write_b(const TnProblem *p, const TnSmallBlock *b, double *to)
{
    bool twist = b->block < p->twist_count;
    for (int k = 0; k < b->dim; k++)
        to[k] = twist ? p->twist_batch[b->block / TN_LANES].b[k][b->block % TN_LANES]
                      : p->large[b->block - p->twist_count].b[k];
}

/* ---- Y ---- */

static void write_all(const TnSmall *s)
{
    const TnProblem *p = s->problem;
    for (int c = 0; c < p->contact_count; c++) write_contact(s, c);
    for (int r = 0; r < p->row_count; r++) write_row(s, r);
    for (int i = 0; i < s->block_count; i++) {
        const TnSmallBlock *b = &s->blocks[i];
        write_b(p, b, s->z_free + b->first);
        tn_small_solve_up(b, s->z_free + b->first);
        double *y = s->Y + b->first;
        for (int c = 0; c < p->contact_count; c++, y += 3L * s->ld)
            tn_small_solve_three_up(b, y, y + s->ld, y + 2L * s->ld);
        for (int r = 0; r < p->row_count; r++, y += s->ld) tn_small_solve_up(b, y);
    }
}

static void set_own(const TnSmall *s)
{
    for (int i = 0; i < s->n; i++) {
        const double *y = s->Y + (long)i * s->ld;
        double zero = 0.0;
        s->kernels->dots(1, s->ld, y, y, &zero, &s->own[i]);
    }
    s->kernels->dots(s->n, s->ld, s->Y, s->z_free, s->q, s->q);
}

/* ---- laws ---- */

/* Below these shares of all that a contact yields, or of the terms that cancel in it, a direction
 * yields nothing (TN_DEAD). */
static double alive(double D, double all, double terms)
{
    return D > TN_DEAD * all && D > TN_ROUND_OFF * terms ? D : 0.0;
}

/* Size of the terms that a contact's compliance is made of: each side's own, without what cancels
 * between sides; of linear and of angular velocities. */
static void set_terms(const TnSmall *s, int table_row, double out[2])
{
    const TnProblem *p = s->problem;
    out[0] = out[1] = 0.0;
    if (table_row < p->port_row) {
        const TnTwistBatch *batch = &p->twist_batch[(table_row - 1) / TN_LANES];
        int l = (table_row - 1) % TN_LANES;
        out[0] = 1.0 / batch->a[l];
        out[1] = 1.0 / batch->S[0][l] + 1.0 / batch->S[3][l] + 1.0 / batch->S[5][l];
        return;
    }
    const TnPort *port = &p->ports[table_row - p->port_row];
    const TnLargeBlock *d = &p->large[port->block];
    TnBlockMatrix matrix;
    d->kind->matrix(d, p->arena, &matrix);
    for (int j = 0; port->T && j < port->count; j++) {
        double mass = matrix.full[(port->start + j) * (d->dim + 1L)];
        for (int k = 0; k < (port->linear ? 3 : 6); k++) {
            double x = port->T[(long)k * port->count + j];
            out[k / 3] += x * x / mass;
        }
    }
}

static double terms_of(const TnSmall *s, int c)
{
    const TnContactBatch *batch = &s->problem->contact_batch[c / TN_LANES];
    int l = c % TN_LANES;
    double sum = 0.0;
    for (int side = 0; side < 2; side++) {
        int row = side ? batch->row_b[l] : batch->row_a[l];
        const double(*arm)[TN_LANES] = side ? batch->arm_b : batch->arm_a;
        double r2 = arm[0][l] * arm[0][l] + arm[1][l] * arm[1][l] + arm[2][l] * arm[2][l];
        if (row) sum += s->terms[row][0] + r2 * s->terms[row][1];
    }
    return sum;
}

static void set_contact(const TnSmall *s, int c, TnSmallGroup *g)
{
    const TnProblem *p = s->problem;
    const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
    int at = 3 * c, l = c % TN_LANES;
    double Dn = s->own[at], Dt = 0.5 * (s->own[at + 1] + s->own[at + 2]), terms = terms_of(s, c);
    *g = (TnSmallGroup){.at = at, .count = 3, .normal = -1, .row = -1, .mu = batch->mu[l]};
    g->D[0] = alive(Dn, Dn + Dt, terms);
    g->D[1] = alive(Dt, Dn + Dt, terms);
    g->law = !(g->D[0] > 0.0)               ? TN_SMALL_DEAD
             : g->mu > 0.0 && g->D[1] > 0.0 ? TN_SMALL_CONTACT
                                            : TN_SMALL_SMOOTH;
    double frame[3][3], e[3];
    v3_copy(frame[0], p->normals[c]);
    v3_tangents(frame[0], frame[1], frame[2]);
    for (int k = 0; k < 3; k++) e[k] = batch->e[k][l];
    for (int k = 0; k < 3; k++) {
        s->q[at + k] += v3_dot(frame[k], e);
        s->lambda[at + k] = v3_dot(frame[k], p->lambda[c]);
        s->lever[at + k] = 1.0;
    }
    if (g->law == TN_SMALL_SMOOTH) s->lambda[at + 1] = s->lambda[at + 2] = 0.0;
    if (g->law == TN_SMALL_DEAD) v3_zero(s->lambda + at);
}

static void set_row(const TnSmall *s, int r, TnSmallGroup *g)
{
    const TnProblem *p = s->problem;
    const TnRow *row = &p->rows[r];
    int at = 3 * p->contact_count + r, count = tn_row_group(row);
    *g = (TnSmallGroup){.at = at, .count = count, .normal = -1, .row = r, .mu = row->mu};
    for (int i = 0; i < count; i++) {
        g->D[0] += s->own[at + i] / count;
        s->q[at + i] += row[i].e;
        s->lambda[at + i] = row[i].lambda;
        s->lever[at + i] = tn_row_lever(&row[i]);
    }
    g->D[1] = g->D[0];
    g->law = tn_row_is_soft(row)   ? TN_SMALL_SOFT
             : !(g->D[0] > 0.0)    ? TN_SMALL_DEAD
             : tn_row_is_disc(row) ? TN_SMALL_DISC
                                   : TN_SMALL_INTERVAL;
    if (g->law == TN_SMALL_DISC) g->normal = 3 * row->contact;
    for (int i = 0; g->law == TN_SMALL_DEAD && i < count; i++) s->lambda[at + i] = 0.0;
}

static void set_laws(TnSmall *s)
{
    const TnProblem *p = s->problem;
    for (int row = 1; p->contact_count && row < p->table_rows; row++)
        if (row <= p->twist_count || row >= p->port_row) set_terms(s, row, s->terms[row]);
    for (int c = 0; c < p->contact_count; c++) set_contact(s, c, &s->groups[s->group_count++]);
    for (int r = 0; r < p->row_count; r += tn_row_group(&p->rows[r]))
        set_row(s, r, &s->groups[s->group_count++]);
}

/* ---- all ---- */

static bool reserve(TnSmall *s)
{
    TnArena *arena = s->problem->arena;
    size_t n = (size_t)padded(s->n), ld = (size_t)s->ld;
    double **vectors[] = {&s->q,        &s->own,   &s->lever, &s->lambda, &s->u,    &s->x,
                          &s->forgiven, &s->limit, &s->left,  &s->change, &s->next, &s->next_u};
    enum { VECTORS = sizeof vectors / sizeof *vectors };
    size_t zeros = n > ld ? n : ld;
    double *all = TN_ARENA_ZERO(arena, double, VECTORS *n + (2 + (size_t)s->n) * ld + zeros);
    s->groups = TN_ARENA_NEW(arena, TnSmallGroup, s->n);
    s->blocks = TN_ARENA_ZERO(arena, TnSmallBlock, s->block_count);
    s->unknown_of = TN_ARENA_NEW(arena, int, s->n);
    s->terms = tn_arena_alloc(arena, sizeof(double[2]) * (size_t)s->problem->table_rows);
    if (!all || !s->terms || !s->groups || !s->blocks || !s->unknown_of ||
        !tn_small_reserve_steps(s))
        return false;
    for (int i = 0; i < VECTORS; i++) *vectors[i] = all + (size_t)i * n;
    s->z_free = all + VECTORS * n;
    s->z = s->z_free + ld;
    s->Y = s->z + ld;
    s->none = s->Y + (size_t)s->n * ld;
    return true;
}

static int dim_of(const TnProblem *p, int block)
{
    return block < p->twist_count ? 6 : p->large[block - p->twist_count].dim;
}

bool tn_small_build(TnProblem *p, TnSmall *s)
{
    *s = (TnSmall){.problem = p,
                   .kernels = tn_small_kernels(),
                   .n = numbers_of(p),
                   .block_count = p->twist_count + p->large_count};
    for (int i = 0; i < s->block_count; i++) s->dim += dim_of(p, i);
    s->ld = padded(s->dim);
    if (!reserve(s)) return false;
    for (int i = 0, first = 0; i < s->block_count; i++) {
        TnSmallBlock *b = &s->blocks[i];
        *b = (TnSmallBlock){.block = i, .dim = dim_of(p, i), .first = first};
        first += b->dim;
        if (!tn_small_factor(p, b)) return false;
    }
    write_all(s);
    set_own(s);
    set_laws(s);
    tn_small_apply(s, s->lambda, s->q, s->u);
    return true;
}

bool tn_small_add(const TnSmall *s, const double *lambda, double *z)
{
    bool any = false;
    for (int i = 0, end; i < s->n; i = end) { /* what is open or at rest has no force */
        for (end = i; end < s->n && lambda[end] != 0.0;) end++;
        if (end == i) {
            end++;
            continue;
        }
        s->kernels->add(end - i, s->ld, s->Y + (long)i * s->ld, lambda + i, z);
        any = true;
    }
    return any;
}

void tn_small_apply(const TnSmall *s, const double *lambda, const double *q, double *u)
{
    memset(s->z, 0, sizeof(double) * (size_t)s->ld);
    if (tn_small_add(s, lambda, s->z))
        s->kernels->dots(s->n, s->ld, s->Y, s->z, q, u);
    else /* what a step changes at once is mostly nothing */
        for (int i = 0; i < s->n; i++) u[i] = q[i] + 0.0;
}

/* ---- and back ---- */

static double *velocities_of(const TnProblem *p, const TnSmallBlock *b, double twist[6])
{
    return b->block < p->twist_count ? twist : p->large[b->block - p->twist_count].v;
}

/* v = L⁻¹ z of a block, z = L⁻ᵀb + Yᵀλ */
static void finish_block(const TnSmall *s, const TnSmallBlock *b)
{
    TnProblem *p = s->problem;
    double twist[6], *v = velocities_of(p, b, twist);
    memcpy(v, s->z + b->first, sizeof(double) * (size_t)b->dim);
    tn_small_solve_down(b, v);
    if (b->block >= p->twist_count) {
        tn_ports_spread(p, &p->large[b->block - p->twist_count], v, p->twist);
        return;
    }
    for (int k = 0; k < 6; k++) p->twist[b->block + 1][k < 3 ? k : k + 1] = v[k];
}

void tn_small_put(const TnSmall *s)
{
    TnProblem *p = s->problem;
    for (int c = 0; c < p->contact_count; c++) {
        const double *l = s->lambda + 3 * c;
        double t1[3], t2[3];
        v3_tangents(p->normals[c], t1, t2);
        for (int k = 0; k < 3; k++)
            p->lambda[c][k] = l[0] * p->normals[c][k] + l[1] * t1[k] + l[2] * t2[k];
    }
    for (int r = 0; r < p->row_count; r++) p->rows[r].lambda = s->lambda[3 * p->contact_count + r];
}

void tn_small_finish(const TnSmall *s)
{
    memcpy(s->z, s->z_free, sizeof(double) * (size_t)s->ld);
    tn_small_add(s, s->lambda, s->z);
    for (int i = 0; i < s->block_count; i++) finish_block(s, &s->blocks[i]);
}

/* J v = Y L v; q has J A⁻¹ b */
void tn_small_velocities(const TnSmall *s, double *u)
{
    const TnProblem *p = s->problem;
    for (int i = 0; i < s->block_count; i++) {
        const TnSmallBlock *b = &s->blocks[i];
        double twist[6], *z = s->z + b->first;
        const double *v = velocities_of(p, b, twist);
        for (int k = 0; k < 6 && v == twist; k++)
            twist[k] = p->twist[b->block + 1][k < 3 ? k : k + 1];
        tn_small_multiply(b, v, z);
        for (int k = 0; k < b->dim; k++) z[k] -= s->z_free[b->first + k];
    }
    for (int k = s->dim; k < s->ld; k++) s->z[k] = 0.0;
    s->kernels->dots(s->n, s->ld, s->Y, s->z, s->q, u);
}
