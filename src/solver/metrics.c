/* metrics.c: how far a problem's v and λ are from a solution, recomputed from the raw data.
 *
 * Constraints are judged by the errors of law/law.h.
 *
 * AAc is -log10 of the RMS of all of these at v̂, AAλ the same at v_λ = A⁻¹(b + Jᵀλ), where the
 * dynamics hold exactly. */
#include "../math/vec3.h"
#include "block/block.h"
#include "law/law.h"

bool tn_velocities_alloc(const TnProblem *p, TnVelocities *out)
{
    int unknowns = 0;
    for (int i = 0; i < p->large_count; i++) unknowns += p->large[i].dim;
    out->twist = tn_arena_calloc(p->arena, sizeof(double[8]) * (size_t)p->table_rows);
    out->large = TN_ARENA_ZERO(p->arena, double, unknowns);
    return out->twist && out->large;
}

void tn_velocities_copy(const TnProblem *p, TnVelocities *out)
{
    memcpy(out->twist, p->twist, sizeof(double[8]) * (size_t)p->table_rows);
    for (int i = 0; i < p->large_count; i++)
        memcpy(out->large + p->large[i].offset, p->large[i].v,
               sizeof(double) * (size_t)p->large[i].dim);
}

void tn_velocities_put(TnProblem *p, const TnVelocities *from)
{
    memcpy(p->twist, from->twist, sizeof(double[8]) * (size_t)p->table_rows);
    for (int i = 0; i < p->large_count; i++)
        memcpy(p->large[i].v, from->large + p->large[i].offset,
               sizeof(double) * (size_t)p->large[i].dim);
}

static void implied(const TnProblem *p, bool touched_only, TnVelocities *out)
{
    tn_table_forces(p, 0, p->table_rows);
    for (int k = 0; k < p->twist_count; k++) {
        const TnTwistBatch *batch = &p->twist_batch[k / TN_LANES];
        const double *f = p->F[k + 1];
        int l = k % TN_LANES;
        double x[6] = {f[0], f[1], f[2], f[4], f[5], f[6]};
        tn_rows_force(p, k, x);
        for (int i = 0; i < 6; i++) x[i] += batch->b[i][l];
        tn_twist_solve(p, k, x, out->twist[k + 1]);
    }
    for (int i = 0; i < p->large_count; i++) {
        const TnLargeBlock *d = &p->large[i];
        double *v = out->large + d->offset;
        if (touched_only && d->kind->implied) {
            d->kind->implied(p, i, v);
            tn_ports_spread(p, d, v, out->twist);
            continue;
        }
        memcpy(v, d->b, sizeof(double) * (size_t)d->dim);
        tn_ports_gather(p, d, p->F, v);
        tn_rows_force(p, p->twist_count + i, v);
        d->kind->solve_A(d, v);
        tn_ports_spread(p, d, v, out->twist);
    }
}

void tn_velocities_implied(const TnProblem *p, TnVelocities *out) { implied(p, false, out); }

void tn_velocities_touched(const TnProblem *p, TnVelocities *out) { implied(p, true, out); }

void tn_velocities_finish(TnProblem *p, const TnVelocities *touched)
{
    memcpy(p->twist, touched->twist, sizeof(double[8]) * (size_t)p->table_rows);
    for (int i = 0; i < p->large_count; i++) {
        TnLargeBlock *d = &p->large[i];
        const double *v = touched->large + d->offset;
        if (d->kind->complete)
            d->kind->complete(p, i, v);
        else
            memcpy(d->v, v, sizeof(double) * (size_t)d->dim);
    }
}

static void point_velocity(double v[3], const double row[8], const double arm[3])
{
    v3_cross(v, row + 4, arm);
    v3_add(v, v, row);
}

static double contact_error(const TnProblem *p, int c, double (*twist)[8])
{
    const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
    int l = c % TN_LANES;
    double arm_a[3], arm_b[3], va[3], vb[3], u[3], Dn, Dt;
    for (int k = 0; k < 3; k++) {
        arm_a[k] = batch->arm_a[k][l];
        arm_b[k] = batch->arm_b[k][l];
    }
    point_velocity(va, twist[batch->row_a[l]], arm_a);
    point_velocity(vb, twist[batch->row_b[l]], arm_b);
    for (int k = 0; k < 3; k++) u[k] = vb[k] - va[k] + batch->e[k][l];
    tn_contact_compliance(p, c, &Dn, &Dt);
    const double *n = p->normals[c];
    return tn_contact_error(tn_contact_pair(n, u), tn_contact_pair(n, p->lambda[c]), batch->mu[l],
                            Dn, Dt);
}

double tn_row_velocity_at(const TnProblem *p, const TnRow *row, const TnVelocities *at)
{
    double sum = 0.0;
    for (int s = row->side_start; s < row->side_start + row->side_count; s++) {
        const TnRowSide *side = &p->sides[s];
        if (side->block < p->twist_count) {
            for (int e = side->start; e < side->start + side->count; e++) {
                int i = p->index[e];
                sum += p->coefficient[e] * at->twist[side->block + 1][i < 3 ? i : i + 1];
            }
        } else {
            const double *v = at->large + p->large[side->block - p->twist_count].offset;
            for (int e = side->start; e < side->start + side->count; e++)
                sum += p->coefficient[e] * v[p->index[e]];
        }
    }
    return sum;
}

/* Squared error of a row or a rolling pair. */
static double row_error(const TnProblem *p, const TnRow *row, const TnVelocities *at)
{
    int count = tn_row_group(row);
    double u[2], lambda[2], D = 0.0, lever = tn_row_lever(row);
    for (int i = 0; i < count; i++) {
        u[i] = tn_row_velocity_at(p, &row[i], at) + row[i].e;
        lambda[i] = row[i].lambda;
        D += tn_row_compliance(p, &row[i]) / count;
    }
    return lever * lever * tn_row_error(row, D, tn_row_radius(p, row, p->lambda), u, lambda);
}

double tn_problem_error(const TnProblem *p, const TnVelocities *at)
{
    int count = 3 * p->contact_count + p->row_count;
    double sum = 0.0;
    if (count + p->bond_count == 0) return NAN;
    for (int c = 0; c < p->contact_count; c++) sum += contact_error(p, c, at->twist);
    for (int r = 0; r < p->row_count; r += tn_row_group(&p->rows[r]))
        sum += row_error(p, &p->rows[r], at);
    for (int i = 0; i < p->bond_count; i++)
        sum += tn_bond_error(p, &p->bonds[i], (const double(*)[8])at->twist, &count);
    return sqrt(sum / count);
}

TnAccuracy tn_problem_accuracy(const TnProblem *p)
{
    TnVelocities v;
    size_t mark = tn_arena_mark(p->arena);
    TnAccuracy accuracy = {NAN, NAN};
    if (!tn_velocities_alloc(p, &v)) return accuracy;
    tn_velocities_copy(p, &v);
    /* An exact zero counts as the smallest double above one's rounding: 16 digits. */
    accuracy.aac = -log10(fmax(tn_problem_error(p, &v), 1e-16));
    tn_velocities_implied(p, &v);
    accuracy.aal = -log10(fmax(tn_problem_error(p, &v), 1e-16));
    if (p->contact_count + p->row_count + p->bond_count == 0) accuracy.aac = accuracy.aal = NAN;
    tn_arena_release(p->arena, mark);
    return accuracy;
}
