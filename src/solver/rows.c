/* rows.c: scalar constraint rows and their closed-form updates.
 *
 * With s = Σ J v, w = Σ 1/β, B = 1/w:  t ← (1-α_r) t + α_r (λ - B (s + e)),  λ = Π(t), where
 *   equality     Π(t) = t
 *   inequality   Π(t) = max(0, t)
 *   box          Π(t) = clamp(t, lower, upper)
 *   soft         λ = -k (e + α u) with u = s at the new λ:
 *                Π(t) = k (α w t + (α - 1) e) / (1 + w α k)
 *   spin, roll   projection on the interval or disc of radius mu · (normal force of the contact) */
#include "problem.h"

#include <math.h>

double tn_row_velocity(const TnProblem *p, const TnRow *row)
{
    double sum = 0.0;
    for (int s = row->side_start; s < row->side_start + row->side_count; s++) {
        const TnRowSide *side = &p->sides[s];
        if (side->block < p->twist_count) {
            const double *v = p->twist[side->block + 1];
            for (int e = side->start; e < side->start + side->count; e++) {
                int i = p->index[e];
                sum += p->coefficient[e] * v[i < 3 ? i : i + 1];
            }
        } else {
            const double *v = p->large[side->block - p->twist_count].v;
            for (int e = side->start; e < side->start + side->count; e++)
                sum += p->coefficient[e] * v[p->index[e]];
        }
    }
    return sum;
}

double tn_row_project(const TnRow *row, double t)
{
    /* A row that moves nothing: only a soft one has a force, whatever it does. */
    if (!(row->B > 0.0)) return row->set == TN_ROW_SOFT ? -row->k * row->e : 0.0;
    switch (row->set) {
    case TN_ROW_INEQUALITY:
        return t > 0.0 ? t : 0.0;
    case TN_ROW_BOX:
        return t < row->lower ? row->lower : t > row->upper ? row->upper : t;
    case TN_ROW_SOFT: {
        double w = 1.0 / row->B;
        return row->k * (row->alpha * w * t + (row->alpha - 1.0) * row->e) /
               (1.0 + w * row->alpha * row->k);
    }
    default:
        return t;
    }
}

/* Moves t and returns the fixed-point residual in velocity units. */
static double relax(const TnProblem *p, TnRow *row, double alpha)
{
    if (!(row->B > 0.0)) return row->t = 0.0;
    double d = row->lambda - row->B * (tn_row_velocity(p, row) + row->e) - row->t;
    row->t += alpha * d;
    return d / row->B;
}

void tn_rows_update(TnProblem *p, int begin, int end, double alpha, bool measure)
{
    for (int r = begin; r < end; r++) {
        TnRow *row = &p->rows[r];
        if (row->set >= TN_ROW_SPIN) continue;
        double change = relax(p, row, alpha);
        if (measure) row->change = change;
        row->lambda = tn_row_project(row, row->t);
    }
}

double tn_contact_normal_force(const TnProblem *p, int contact)
{
    const double *l = p->lambda[contact], *n = p->normals[contact];
    double force = l[0] * n[0] + l[1] * n[1] + l[2] * n[2];
    return force > 0.0 ? force : 0.0;
}

void tn_rows_update_spins(TnProblem *p, double alpha, bool measure)
{
    for (int r = 0; r < p->row_count; r++) {
        TnRow *row = &p->rows[r];
        if (row->set < TN_ROW_SPIN) continue;
        double bound = row->mu * tn_contact_normal_force(p, row->contact);
        double change = relax(p, row, alpha);
        if (measure) row->change = change;
        if (row->set == TN_ROW_SPIN) {
            row->lambda = fmin(bound, fmax(-bound, row->t));
            continue;
        }
        TnRow *partner = &p->rows[++r];
        change = relax(p, partner, alpha);
        if (measure) partner->change = change;
        double length = hypot(row->t, partner->t), scale = length > bound ? bound / length : 1.0;
        row->lambda = scale * row->t;
        partner->lambda = scale * partner->t;
    }
}

void tn_rows_force(const TnProblem *p, int block, double *F)
{
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        double lambda = p->rows[side->row].lambda;
        for (int e = side->start; e < side->start + side->count; e++)
            F[p->index[e]] += p->coefficient[e] * lambda;
    }
}
