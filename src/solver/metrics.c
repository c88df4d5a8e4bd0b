/* metrics.c: how far a solution is from one, recomputed from the raw data; no solver is judged by
 * its own numbers.
 *
 * With u = J v + e, λ turned into a velocity by the local compliance D (contacts: D_n, D_t) and
 * FB(a, b) = a + b - √(a² + b²), the errors are
 *
 *     contact          FB(u_n, D_n λ_n),   FB(|u_t|, D_t (μλ_n - |λ_t|)),
 *                      | |u_t| λ_t + μλ_n u_t | D_t / (|u_t| + D_t μλ_n)
 *     equality         |u|
 *     inequality       min(u, Dλ)
 *     soft             |J v + e/α + λ/(kα)|
 *     box, spin, roll  D |λ - Π(λ - u/D)|
 *     bond, hard       |J z + e|, a number per row
 *     bond, soft       (C⁻¹ + K)⁻¹ (λ + f + K z), twelve numbers (six against the world), C the
 *                      compliances of its two rows: what the error in the force does to the velocity
 *
 * AAc is -log10 of the RMS of all of these at v̂, AAλ the same at v_λ = A⁻¹(b + Jᵀλ), where the
 * dynamics hold exactly. */
#include "problem.h"

#include <math.h>
#include <string.h>

#include "../math/cholesky.h"
#include "../math/vec3.h"
#include "mesh.h"

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
        if (d->mesh && touched_only) {
            tn_mesh_implied(p, i, v);
            tn_ports_spread(p, d, v, out->twist);
            continue;
        }
        memcpy(v, d->b, sizeof(double) * (size_t)d->dim);
        tn_ports_gather(p, d, p->F, v);
        tn_rows_force(p, p->twist_count + i, v);
        if (d->chain)
            tn_chain_solve(d->chain, d->A_D, d->A_E, v);
        else if (d->mesh)
            tn_mesh_solve_A(d, v);
        else if (!d->unit)
            tn_cholesky_solve(d->A_factor, d->dim, v);
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
        if (d->mesh)
            tn_mesh_complete(p, i, v);
        else
            memcpy(d->v, v, sizeof(double) * (size_t)d->dim);
    }
}

static double fischer_burmeister(double a, double b) { return a + b - hypot(a, b); }

static void point_velocity(double v[3], const double row[8], const double arm[3])
{
    v3_cross(v, row + 4, arm);
    v3_add(v, v, row);
}

static double contact_error(const TnProblem *p, int c, double (*twist)[8])
{
    const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
    int l = c % TN_LANES;
    const double *n = p->normals[c], *lambda = p->lambda[c];
    double arm_a[3], arm_b[3], va[3], vb[3], u[3], ut[3], lt[3], Dn, Dt;
    for (int k = 0; k < 3; k++) {
        arm_a[k] = batch->arm_a[k][l];
        arm_b[k] = batch->arm_b[k][l];
    }
    point_velocity(va, twist[batch->row_a[l]], arm_a);
    point_velocity(vb, twist[batch->row_b[l]], arm_b);
    for (int k = 0; k < 3; k++) u[k] = vb[k] - va[k] + batch->e[k][l];
    tn_contact_compliance(p, c, &Dn, &Dt);
    double un = v3_dot(n, u), ln = v3_dot(n, lambda);
    for (int k = 0; k < 3; k++) {
        ut[k] = u[k] - un * n[k];
        lt[k] = Dt * (lambda[k] - ln * n[k]);
    }
    double slip = v3_norm(ut), bound = Dt * batch->mu[l] * ln, friction = v3_norm(lt), sum;
    double opening = fischer_burmeister(un, Dn * ln);
    double sticking = fischer_burmeister(slip, bound - friction);
    double align[3];
    for (int k = 0; k < 3; k++) align[k] = slip * lt[k] + bound * ut[k];
    sum = slip + fabs(bound);
    double direction = sum > 0.0 ? v3_norm(align) / sum : 0.0;
    return opening * opening + sticking * sticking + direction * direction;
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

/* Squared error of row r; a roll row takes its partner along and *r moves past it. */
static double row_error(const TnProblem *p, int *r, const TnVelocities *at)
{
    const TnRow *row = &p->rows[*r];
    double v = tn_row_velocity_at(p, row, at), u = v + row->e, D = tn_row_compliance(p, row), error;
    switch (row->set) {
    case TN_ROW_EQUALITY:
        return u * u;
    case TN_ROW_INEQUALITY:
        error = fmin(u, D * row->lambda);
        return error * error;
    case TN_ROW_SOFT:
        error = v + row->e / row->alpha + row->lambda / (row->k * row->alpha);
        return error * error;
    case TN_ROW_BOX:
        error = D * row->lambda - D * tn_row_project(row, row->lambda - u / D);
        return error * error;
    default:
        break;
    }
    double bound = row->mu * tn_contact_normal_force(p, row->contact), t = row->lambda - u / D;
    if (row->set == TN_ROW_SPIN) {
        error = D * (row->lambda - fmin(bound, fmax(-bound, t)));
        return error * error;
    }
    const TnRow *partner = &p->rows[++*r];
    D = 0.5 * (D + tn_row_compliance(p, partner));
    t = row->lambda - u / D;
    double t2 = partner->lambda - (tn_row_velocity_at(p, partner, at) + partner->e) / D;
    double length = hypot(t, t2), scale = length > bound ? bound / length : 1.0;
    double e1 = D * (row->lambda - scale * t), e2 = D * (partner->lambda - scale * t2);
    return e1 * e1 + e2 * e2;
}

double tn_problem_error(const TnProblem *p, const TnVelocities *at)
{
    int count = 3 * p->contact_count + p->row_count;
    double sum = 0.0;
    if (count + p->bond_count == 0) return NAN;
    for (int c = 0; c < p->contact_count; c++) sum += contact_error(p, c, at->twist);
    for (int r = 0; r < p->row_count; r++) sum += row_error(p, &r, at);
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
