/* natural_map.c: see natural_map.h. */
#include "natural_map.h"

#include <float.h>

#include "../math/vec3.h"
#include "law/law.h"

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
        if (tn_row_group(&p->rows[r]) == 2)
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

/* Squared map of row r, of a rolling pair the sum of both (the second's own is zero then). */
static double row_map(const TnProblem *p, int r, const TnCompliances *D, const TnPerConstraint *u,
                      const TnPerConstraint *lambda)
{
    const TnRow *row = &p->rows[r];
    if (tn_row_is_second(row)) return 0.0;
    double radius = tn_row_radius(p, row, lambda->contact), lever = tn_row_lever(row);
    return lever * lever * tn_row_map(row, D->row[r], radius, u->row + r, lambda->row + r);
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
        count_in(&map, &sum, row_map(p, r, D, u, lambda), TN_A_ROW, r);
    for (int i = 0; i < p->bond_count; i++)
        count_in(&map, &sum, tn_bond_map(&p->bonds[i], u->bond[i], lambda->bond[i]), TN_A_BOND, i);
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
        if (D->row[r] > 0.0 || tn_row_is_soft(row) || tn_row_is_disc(row)) continue;
        TnInterval at = tn_row_interval(row, 0.0);
        double speed = tn_row_lever(row) * u->row[r];
        /* a bound, even where it moves nothing, excuses a velocity */
        if (isinf(at.upper)) most = fmax(most, -speed);
        if (isinf(at.lower)) most = fmax(most, speed);
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
    for (int i = 0; i < p->bond_count; i++)
        most = fmax(most, sqrt(tn_bond_squared_velocity(&p->bonds[i], lambda->bond[i])));
    return DBL_EPSILON * most;
}
