/* natural_map.c: see natural_map.h. */
#include "natural_map.h"

#include <float.h>
#include <math.h>

#include "../math/vec3.h"

bool tn_compliances(TnProblem *p, TnCompliances *out)
{
    TnSolverDef unit = tn_solver_def();
    unit.weight_scale = 1.0;
    out->contact = TN_ARENA_NEW(p->arena, TnContactYield, p->contact_batches);
    out->squared = tn_arena_alloc(p->arena, sizeof(double[TN_LANES]) * (size_t)p->contact_batches);
    out->row = TN_ARENA_NEW(p->arena, double, p->row_count);
    if (!out->contact || !out->squared || !out->row) return false;
    tn_contact_yields(p, out->contact);
    for (int r = 0; r < p->row_count; r++) out->row[r] = tn_row_compliance(p, &p->rows[r]);
    for (int r = 0; r + 1 < p->row_count; r++) /* a disc needs isotropic weights */
        if (p->rows[r].set == TN_ROW_ROLL)
            out->row[r] = out->row[r + 1] = 0.5 * (out->row[r] + out->row[r + 1]);
    for (int i = 0; i < p->bond_count; i++)
        if (!tn_bond_prepare(p, &unit, i)) return false;
    return true;
}

void tn_constraint_velocities(const TnProblem *p, const TnVelocities *at, TnPerConstraint *u)
{
    tn_contact_kernels()->velocities(p->contact_batch, 0, p->contact_batches,
                                     (const double(*)[8])at->twist, true, u->contact);
    for (int r = 0; r < p->row_count; r++)
        u->row[r] = tn_row_velocity_at(p, &p->rows[r], at) + p->rows[r].e;
    for (int i = 0; i < p->bond_count; i++)
        tn_bond_velocity(&p->bonds[i], (const double(*)[8])at->twist, u->bond[i]);
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

/* Squared map of row r before its lever, of a rolling pair the sum of both (the partner's own is zero then). */
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
    double t[12], r[12];
    tn_bond_weigh(bond->W, z, t);
    for (int i = 0; i < 12; i++) t[i] = lambda[i] - t[i];
    for (int i = 0; i < 12; i++) {
        r[i] = lambda[i] - bond->c[i];
        for (int j = 0; j < 12; j++) r[i] -= bond->P[12 * j + i] * t[j];
    }
    tn_bond_weigh(bond->w, r, t);
    return tn_bond_squared(bond, t);
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

static void count_contacts(const TnProblem *p, const TnCompliances *D, const TnPerConstraint *u,
                           const TnPerConstraint *lambda, TnNaturalMap *map, double *sum)
{
    const double *squared = D->squared[0];
    double sums[TN_LANES] = {0}, most[TN_LANES] = {0};
    tn_contact_kernels()->natural_map(p->contact_batch, D->contact, 0, p->contact_batches,
                                      (const double(*)[3])u->contact,
                                      (const double(*)[3])lambda->contact, D->squared);
    for (int i = 0; i < p->contact_batches; i++)
        for (int l = 0; l < TN_LANES; l++) {
            double x = D->squared[i][l];
            sums[l] += x;
            most[l] = x > most[l] ? x : most[l];
        }
    double all = 0.0, largest = 0.0;
    for (int l = 0; l < TN_LANES; l++) {
        all += sums[l];
        largest = most[l] > largest ? most[l] : largest;
    }
    *sum = all;
    int worst = 0;
    if (isnan(all)) {
        largest = INFINITY;
        while (!isnan(squared[worst])) worst++;
    } else {
        while (worst < p->contact_count - 1 && squared[worst] < largest) worst++;
    }
    *map = (TnNaturalMap){.largest = largest, .worst = TN_A_CONTACT, .worst_index = worst};
}

TnNaturalMap tn_natural_map(const TnProblem *p, const TnCompliances *D, const TnPerConstraint *u,
                            const TnPerConstraint *lambda)
{
    TnNaturalMap map = {.worst = TN_NO_CONSTRAINT};
    double sum = 0.0;
    if (p->contact_count) count_contacts(p, D, u, lambda, &map, &sum);
    for (int r = 0; r < p->row_count; r++)
        count_in(&map, &sum, pow(tn_row_lever(&p->rows[r]), 2.0) * row_map(p, r, D, u, lambda),
                 TN_A_ROW, r);
    for (int i = 0; i < p->bond_count; i++)
        count_in(&map, &sum, bond_map(&p->bonds[i], u->bond[i], lambda->bond[i]), TN_A_BOND, i);
    int count = p->contact_count + p->row_count + p->bond_count;
    map.largest = sqrt(map.largest);
    map.rms = count ? sqrt(sum / count) : 0.0;
    return map;
}

double tn_helpless_error(const TnProblem *p, const TnCompliances *D, const TnPerConstraint *u)
{
    double most = 0.0;
    for (int c = 0; c < p->contact_count; c++)
        if (!(D->contact[c / TN_LANES].D[0][c % TN_LANES] > 0.0))
            most = fmax(most, -v3_dot(p->normals[c], u->contact[c]));
    for (int r = 0; r < p->row_count; r++) {
        const TnRow *row = &p->rows[r];
        if (D->row[r] > 0.0) continue;
        bool box = row->set == TN_ROW_BOX, both = row->set == TN_ROW_EQUALITY;
        double speed = tn_row_lever(row) * u->row[r];
        /* a bound, even where it moves nothing, excuses a velocity */
        if (both || row->set == TN_ROW_INEQUALITY || (box && isinf(row->upper)))
            most = fmax(most, -speed);
        if (both || (box && isinf(row->lower))) most = fmax(most, speed);
    }
    return most;
}

double tn_natural_map_rounding(const TnProblem *p, const TnCompliances *D,
                               const TnPerConstraint *lambda)
{
    double most = 0.0;
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactYield *yield = &D->contact[c / TN_LANES];
        const double *f = lambda->contact[c];
        double d = fmax(yield->D[0][c % TN_LANES], yield->D[1][c % TN_LANES]);
        most = fmax(most, d * (fabs(f[0]) + fabs(f[1]) + fabs(f[2])));
    }
    for (int r = 0; r < p->row_count; r++)
        most = fmax(most, tn_row_lever(&p->rows[r]) * D->row[r] * fabs(lambda->row[r]));
    for (int i = 0; i < p->bond_count; i++) {
        double v[12];
        tn_bond_weigh(p->bonds[i].w, lambda->bond[i], v);
        most = fmax(most, sqrt(tn_bond_squared(&p->bonds[i], v)));
    }
    return DBL_EPSILON * most;
}
