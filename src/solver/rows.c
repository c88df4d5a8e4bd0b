/* rows.c: scalar constraint rows and their closed-form updates.
 *
 * With s = Σ J v, w = Σ 1/β, B = 1/w:  t ← (1-α_r) t + α_r (λ - B (s + e)),  λ = Π(t), Π as
 * law/law.h has it. */
#include "law/law.h"

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

/* Moves t and returns the fixed-point residual in velocity units. */
static double relax(const TnProblem *p, TnRow *row, double alpha)
{
    if (!(row->B > 0.0)) return row->t = 0.0;
    double d = row->lambda - row->B * (tn_row_velocity(p, row) + row->e) - row->t;
    row->t += alpha * d;
    return d / row->B;
}

/* t and λ of a row or a rolling pair. */
static void update(const TnProblem *p, TnRow *row, double alpha, bool measure)
{
    int count = tn_row_group(row);
    double t[2], lambda[2] = {0};
    for (int i = 0; i < count; i++) {
        double change = relax(p, &row[i], alpha);
        if (measure) row[i].change = change;
        t[i] = row[i].t;
    }
    tn_row_project(row, row->B, tn_row_radius(p, row, p->lambda), t, lambda);
    for (int i = 0; i < count; i++) row[i].lambda = lambda[i];
}

void tn_rows_update(TnProblem *p, int begin, int end, double alpha, bool measure)
{
    for (int r = begin; r < end; r++)
        if (!tn_row_is_disc(&p->rows[r])) update(p, &p->rows[r], alpha, measure);
}

double tn_contact_normal_force(const TnProblem *p, int contact)
{
    const double *l = p->lambda[contact], *n = p->normals[contact];
    double force = l[0] * n[0] + l[1] * n[1] + l[2] * n[2];
    return force > 0.0 ? force : 0.0;
}

void tn_rows_update_spins(TnProblem *p, double alpha, bool measure)
{
    for (int r = 0; r < p->row_count; r += tn_row_group(&p->rows[r]))
        if (tn_row_is_disc(&p->rows[r])) update(p, &p->rows[r], alpha, measure);
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
