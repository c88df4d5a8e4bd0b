/* natural_map.c: see natural_map.h. */
#include "natural_map.h"

#include <math.h>

#include "../math/vec3.h"

bool tn_compliances(TnProblem *p, TnCompliances *out)
{
    TnSolverDef unit = tn_solver_def();
    unit.weight_scale = 1.0;
    out->contact = tn_arena_alloc(p->arena, sizeof(double[2]) * (size_t)p->contact_count);
    out->row = TN_ARENA_NEW(p->arena, double, p->row_count);
    if (!out->contact || !out->row) return false;
    for (int c = 0; c < p->contact_count; c++) tn_contact_live_compliance(p, c, out->contact[c]);
    for (int r = 0; r < p->row_count; r++) out->row[r] = tn_row_compliance(p, &p->rows[r]);
    for (int r = 0; r + 1 < p->row_count; r++) /* a disc needs isotropic weights */
        if (p->rows[r].set == TN_ROW_ROLL)
            out->row[r] = out->row[r + 1] = 0.5 * (out->row[r] + out->row[r + 1]);
    for (int i = 0; i < p->bond_count; i++)
        if (!tn_bond_prepare(p, &unit, i)) return false;
    return true;
}

static void point_velocity(double out[3], const double row[8], const double arm[3])
{
    v3_cross(out, row + 4, arm);
    v3_add(out, out, row);
}

void tn_constraint_velocities(const TnProblem *p, const TnVelocities *at, TnPerConstraint *u)
{
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        int l = c % TN_LANES;
        double arm_a[3], arm_b[3], va[3], vb[3];
        for (int k = 0; k < 3; k++) {
            arm_a[k] = batch->arm_a[k][l];
            arm_b[k] = batch->arm_b[k][l];
        }
        point_velocity(va, at->twist[batch->row_a[l]], arm_a);
        point_velocity(vb, at->twist[batch->row_b[l]], arm_b);
        for (int k = 0; k < 3; k++) u->contact[c][k] = vb[k] - va[k] + batch->e[k][l];
    }
    for (int r = 0; r < p->row_count; r++)
        u->row[r] = tn_row_velocity_at(p, &p->rows[r], at) + p->rows[r].e;
    for (int i = 0; i < p->bond_count; i++)
        tn_bond_velocity(&p->bonds[i], (const double(*)[8])at->twist, u->bond[i]);
}

/* Squared length of a contact's map. */
static double contact_map(const double D[2], double mu, const double n[3], const double u[3],
                          const double lambda[3])
{
    double un = v3_dot(n, u), ln = v3_dot(n, lambda), normal = 0.0, tn = 0.0;
    if (D[0] > 0.0) {
        tn = fmax(0.0, ln - un / D[0]);
        normal = D[0] * (ln - tn);
    }
    if (!(D[1] > 0.0)) return normal * normal;
    double lt[3], t[3];
    for (int k = 0; k < 3; k++) {
        lt[k] = lambda[k] - ln * n[k];
        t[k] = lt[k] - (u[k] - un * n[k]) / D[1];
    }
    double length = v3_norm(t), bound = mu * tn, share = length > bound ? bound / length : 1.0;
    double sum = normal * normal;
    for (int k = 0; k < 3; k++) {
        double r = D[1] * (lt[k] - share * t[k]);
        sum += r * r;
    }
    return sum;
}

/* Π of a row with weight 1/D at t; not of spin and roll. */
static double project(const TnRow *row, double D, double t)
{
    TnRow weighted = *row;
    weighted.B = 1.0 / D;
    return tn_row_project(&weighted, t);
}

static double spin_bound(const TnProblem *p, const TnRow *row, const TnPerConstraint *lambda)
{
    return row->mu * fmax(0.0, v3_dot(p->normals[row->contact], lambda->contact[row->contact]));
}

/* Squared map of row r, of a rolling pair the sum of both (the partner's own is zero then). */
static double row_map(const TnProblem *p, int r, const TnCompliances *D, const TnPerConstraint *u,
                      const TnPerConstraint *lambda)
{
    const TnRow *row = &p->rows[r];
    double d = D->row[r], l = lambda->row[r];
    if (!(d > 0.0) || row->set == TN_ROW_ROLL_PARTNER) return 0.0;
    double t = l - u->row[r] / d, x;
    if (row->set < TN_ROW_SPIN) {
        x = d * (l - project(row, d, t));
        return x * x;
    }
    double bound = spin_bound(p, row, lambda);
    if (row->set == TN_ROW_SPIN) {
        x = d * (l - fmin(bound, fmax(-bound, t)));
        return x * x;
    }
    double l2 = lambda->row[r + 1], t2 = l2 - u->row[r + 1] / d, length = hypot(t, t2);
    double share = length > bound ? bound / length : 1.0;
    double y = d * (l2 - share * t2);
    x = d * (l - share * t);
    return x * x + y * y;
}

/* w (λ - P (λ - W z) - c) */
static double bond_map(TnBond *bond, const double z[12], const double lambda[12])
{
    double t[12], r[12], sum = 0.0;
    tn_bond_weigh(bond->W, z, t);
    for (int i = 0; i < 12; i++) t[i] = lambda[i] - t[i];
    for (int i = 0; i < 12; i++) {
        r[i] = lambda[i] - bond->c[i];
        for (int j = 0; j < 12; j++) r[i] -= bond->P[12 * j + i] * t[j];
    }
    tn_bond_weigh(bond->w, r, t);
    for (int i = 0; i < 12; i++) sum += t[i] * t[i];
    return sum;
}

static void count_in(TnNaturalMap *map, double *sum, double squared, TnConstraintKind kind,
                     int index)
{
    *sum += squared;
    if (squared <= map->largest && map->worst != TN_NO_CONSTRAINT) return;
    map->largest = isnan(squared) ? INFINITY : squared;
    map->worst = kind;
    map->worst_index = index;
}

TnNaturalMap tn_natural_map(const TnProblem *p, const TnCompliances *D, const TnPerConstraint *u,
                            const TnPerConstraint *lambda)
{
    TnNaturalMap map = {.worst = TN_NO_CONSTRAINT};
    double sum = 0.0;
    for (int c = 0; c < p->contact_count; c++) {
        double mu = p->contact_batch[c / TN_LANES].mu[c % TN_LANES];
        count_in(&map, &sum,
                 contact_map(D->contact[c], mu, p->normals[c], u->contact[c], lambda->contact[c]),
                 TN_A_CONTACT, c);
    }
    for (int r = 0; r < p->row_count; r++)
        count_in(&map, &sum, row_map(p, r, D, u, lambda), TN_A_ROW, r);
    for (int i = 0; i < p->bond_count; i++)
        count_in(&map, &sum, bond_map(&p->bonds[i], u->bond[i], lambda->bond[i]), TN_A_BOND, i);
    int count = p->contact_count + p->row_count + p->bond_count;
    map.largest = sqrt(map.largest);
    map.rms = count ? sqrt(sum / count) : 0.0;
    return map;
}
