/* assembly_apply.c: u = J x and y = Jᵀ f of an assembly, by way of the twist table. Of a contact
 * u = v_b + ω_b × r_b - v_a - ω_a × r_a. */
#include <string.h>

#include "../../math/kernels/contact_kernels.h"
#include "assembly_maps.h"

/* Numbers of one kind of constraint, with room for what kernels read beyond the last. */
static size_t padded(size_t count) { return (count + 7) / 8 * 8; }

bool tn_per_constraint_alloc(const TnProblem *p, TnPerConstraint *out)
{
    size_t contacts = padded(3 * (size_t)p->contact_batches * TN_LANES + 1),
           rows = padded((size_t)p->row_count), bonds = padded(12 * (size_t)p->bond_count);
    double *all = TN_ARENA_ZERO(p->arena, double, contacts + rows + bonds);
    if (!all) return false;
    out->contact = (double(*)[3])all;
    out->row = all + contacts;
    out->bond = (double(*)[12])(all + contacts + rows);
    out->all = all;
    out->count = contacts + rows + bonds;
    return true;
}

void tn_lambda_take(const TnProblem *p, TnPerConstraint *out)
{
    if (p->contact_count)
        memcpy(out->contact, p->lambda, sizeof(double[3]) * (size_t)p->contact_count);
    for (int r = 0; r < p->row_count; r++) out->row[r] = p->rows[r].lambda;
    for (int i = 0; i < p->bond_count; i++)
        memcpy(out->bond[i], p->bonds[i].lambda, sizeof p->bonds[i].lambda);
}

void tn_lambda_put(TnProblem *p, const TnPerConstraint *from)
{
    if (p->contact_count)
        memcpy(p->lambda, from->contact, sizeof(double[3]) * (size_t)p->contact_count);
    for (int r = 0; r < p->row_count; r++) p->rows[r].lambda = from->row[r];
    for (int i = 0; i < p->bond_count; i++)
        memcpy(p->bonds[i].lambda, from->bond[i], sizeof p->bonds[i].lambda);
}

bool tn_gains_alloc(const TnProblem *p, TnGains *out)
{
    out->contact =
        tn_arena_alloc(p->arena, sizeof(double[9][TN_LANES]) * (size_t)p->contact_batches);
    out->row = TN_ARENA_NEW(p->arena, double, p->row_count);
    out->bond = tn_arena_alloc(p->arena, sizeof(double[144]) * (size_t)p->bond_count);
    out->symmetric = true;
    return out->contact && out->row && out->bond;
}

/* ---- the table ---- */

/* v += T x of three rows */
static void spread_three(const double *T, long stride, int count, const double *x, double v[3])
{
    double a = v[0], b = v[1], c = v[2];
    for (int j = 0; j < count; j++) {
        a += T[j] * x[j];
        b += T[stride + j] * x[j];
        c += T[2 * stride + j] * x[j];
    }
    v[0] = a, v[1] = b, v[2] = c;
}

static void spread_row(const TnAssemblyMaps *maps, int row, const double *x, double to[8])
{
    double v[6] = {0};
    for (int k = maps->segment_start[row]; k < maps->segment_start[row + 1]; k++) {
        const TnSegment *s = &maps->segments[k];
        const double *from = x + s->at;
        for (int r = 0; !s->T && r < 6; r++) v[r] += from[r];
        if (s->T) spread_three(s->T, s->stride, s->count, from, v);
        if (s->T && s->rows == 6)
            spread_three(s->T + 3L * s->stride, s->stride, s->count, from, v + 3);
    }
    memcpy(to, v, 3 * sizeof(double));
    memcpy(to + 4, v + 3, 3 * sizeof(double));
}

/* y += Tᵀ f of three rows */
static void gather_three(const double *restrict T, long stride, int count, const double f[3],
                         double *restrict y)
{
    for (int j = 0; j < count; j++)
        y[j] = y[j] + f[0] * T[j] + f[1] * T[stride + j] + f[2] * T[2 * stride + j];
}

static void gather_row(const TnAssemblyMaps *maps, int row, const double wrench[8], double *y)
{
    for (int k = maps->segment_start[row]; k < maps->segment_start[row + 1]; k++) {
        const TnSegment *s = &maps->segments[k];
        double *to = y + s->at;
        for (int r = 0; !s->T && r < s->rows; r++) to[r] += wrench[r < 3 ? r : r + 1];
        if (s->T) gather_three(s->T, s->stride, s->count, wrench, to);
        if (s->T && s->rows == 6)
            gather_three(s->T + 3L * s->stride, s->stride, s->count, wrench + 4, to);
    }
}

static void spread(const TnAssembly *a, const double *x)
{
    const TnProblem *p = a->problem;
    for (int k = 0; k < p->twist_count; k++) {
        const double *from = x + a->plan->start[k];
        double *to = a->table[k + 1];
        memcpy(to, from, 3 * sizeof(double));
        memcpy(to + 4, from + 3, 3 * sizeof(double));
    }
    for (int row = p->port_row; row < p->table_rows; row++)
        if (a->row_node[row] >= 0)
            spread_row(a->maps, row, x + a->plan->start[a->row_node[row]], a->table[row]);
}

/* ---- constraints ---- */

void tn_assembly_apply(const TnAssembly *a, const double *x, const TnPerConstraint *u)
{
    const TnProblem *p = a->problem;
    const TnAssemblyMaps *maps = a->maps;
    spread(a, x);
    tn_contact_kernels()->velocities(p->contact_batch, 0, p->contact_batches,
                                     (const double(*)[8])a->table, false, u->contact);
    for (int r = 0; r < p->row_count; r++) {
        double sum = 0.0;
        for (int i = maps->run_start[r]; i < maps->run_start[r + 1]; i++)
            for (int e = maps->runs[i].begin; e < maps->runs[i].end; e++)
                sum += p->coefficient[e] * x[maps->entry_x[e]];
        u->row[r] = sum;
    }
    for (int i = 0; i < p->bond_count; i++)
        tn_bond_velocity(&p->bonds[i], (const double(*)[8])a->table, u->bond[i]);
}

static void add_bond_forces(const TnProblem *p, double (*bond)[12], double (*force)[8])
{
    for (int i = 0; i < p->bond_count; i++) {
        const int row[2] = {p->bonds[i].row_a, p->bonds[i].row_b};
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++) {
                force[row[side]][k] += bond[i][6 * side + k];
                force[row[side]][4 + k] += bond[i][6 * side + 3 + k];
            }
    }
}

void tn_assembly_gather(const TnAssembly *a, const TnPerConstraint *f, double *y)
{
    const TnProblem *p = a->problem;
    const TnAssemblyMaps *maps = a->maps;
    double(*force)[8] = maps->force;
    p->kernels->row_forces(&p->contact_sides, 0, p->table_rows, (const double(*)[3])f->contact,
                           force);
    add_bond_forces(p, f->bond, force); /* what the world gets is not read */
    memset(y, 0, sizeof(double) * (size_t)a->dim);
    for (int k = 0; k < p->twist_count; k++) {
        double *to = y + a->plan->start[k];
        memcpy(to, force[k + 1], 3 * sizeof(double));
        memcpy(to + 3, force[k + 1] + 4, 3 * sizeof(double));
    }
    for (int row = p->port_row; row < p->table_rows; row++)
        if (a->row_node[row] >= 0)
            gather_row(maps, row, force[row], y + a->plan->start[a->row_node[row]]);
    for (int r = 0; r < p->row_count; r++)
        for (int i = maps->run_start[r]; i < maps->run_start[r + 1]; i++)
            for (int e = maps->runs[i].begin; e < maps->runs[i].end; e++)
                y[maps->entry_x[e]] += p->coefficient[e] * f->row[r];
}
