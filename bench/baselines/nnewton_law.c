/* nnewton_law.c: residuals of constraints, zero where the laws hold, and their derivatives.
 *
 * The residuals are the natural map that natural_map.h judges by: the minimum map and its kin, of
 * contacts Alart and Curnier's function (law/contact.c). Of a row, with t = λ - u/D and E how much
 * of t Π follows,
 *
 *     D (λ - Π(t)) + E du + (1 - E) D dλ = 0
 *
 * and where it holds, 1/R in place of the missing 1 - E. Soft rows and bonds are linear. Spin and
 * rolling friction are bounded by the normal force there is, not the one there will be, and of a
 * sliding rolling pair λ turns by its secant, the same for both of its rows. */
#include "nnewton.h"

#include <math.h>

#include "math/vec3.h"
#include "solver/law/law.h"

static bool contact_line(const TnProblem *p, const TnCompliances *D, int c, const double u[3],
                         const double lambda[3], double R, TnNewtonLines *out)
{
    int batch = c / TN_LANES, lane = c % TN_LANES;
    TnContactLine line =
        tn_contact_line(p->normals[c], tn_normal_compliance(D, c), tn_tangent_compliance(D, c),
                        p->contact_batch[batch].mu[lane], u, lambda, R);
    v3_copy(out->a.contact[c], line.a);
    for (int k = 0; k < 9; k++) out->G.contact[batch][k][lane] = line.G[k];
    return line.symmetric;
}

/* Of a row or a rolling pair. */
static void row_line(const TnRow *row, double D, double radius, const double *u,
                     const double *lambda, double R, double *a, double *G)
{
    double t[2], kept[2];
    int count = tn_row_group(row);
    for (int i = 0; i < count; i++) a[i] = G[i] = 0.0;
    if (tn_row_is_soft(row)) {
        G[0] = tn_soft_gain(row);
        a[0] = tn_soft_force(row, u[0]) - lambda[0];
        return;
    }
    if (!(D > 0.0)) return;
    for (int i = 0; i < count; i++) t[i] = lambda[i] - u[i] / D;
    double E = tn_row_project(row, D, radius, t, kept);
    double H = 1.0 - E + (E > 0.0 ? 1.0 / R : 0.0);
    for (int i = 0; i < count; i++) {
        a[i] = -(lambda[i] - kept[i]) / H;
        G[i] = E / (H * D);
    }
}

static void bond_line(const TnProblem *p, int i, const double z[12], const double lambda[12],
                      double R, TnNewtonLines *out)
{
    const TnBond *bond = &p->bonds[i];
    double *a = out->a.bond[i], *G = out->G.bond[i], force[12];
    tn_bond_line(p, bond, R, NULL, a, G);
    tn_bond_force(a, G, z, force);
    for (int k = 0; k < 12; k++) a[k] = bond->hard ? force[k] : force[k] - lambda[k];
}

/* ---- all ---- */

void tn_nnewton_lines(const TnProblem *p, const TnCompliances *D, const TnPerConstraint *u,
                      const TnPerConstraint *lambda, double R, TnNewtonLines *out)
{
    bool symmetric = true;
    for (int c = 0; c < p->contact_count; c++)
        symmetric = contact_line(p, D, c, u->contact[c], lambda->contact[c], R, out) && symmetric;
    for (int r = 0; r < p->row_count; r += tn_row_group(&p->rows[r]))
        row_line(&p->rows[r], D->row[r], tn_row_radius(p, &p->rows[r], lambda->contact), u->row + r,
                 lambda->row + r, R, out->a.row + r, out->G.row + r);
    for (int i = 0; i < p->bond_count; i++) bond_line(p, i, u->bond[i], lambda->bond[i], R, out);
    for (int c = p->contact_count; c < TN_LANES * p->contact_batches; c++)
        for (int k = 0; k < 9; k++) out->G.contact[c / TN_LANES][k][c % TN_LANES] = 0.0;
    out->G.symmetric = symmetric;
}

double tn_nnewton_left(const TnProblem *p, const TnCompliances *D, const TnPerConstraint *dlambda,
                       double R)
{
    int count = p->contact_count + p->row_count + p->bond_count;
    double sum = 0.0;
    for (int c = 0; c < p->contact_count; c++) {
        const double *f = dlambda->contact[c];
        double along = v3_dot(p->normals[c], f), rest = v3_dot(f, f) - along * along;
        double Dn = tn_normal_compliance(D, c), Dt = tn_tangent_compliance(D, c);
        sum += Dn * Dn * along * along + Dt * Dt * rest;
    }
    for (int r = 0; r < p->row_count; r++)
        if (!tn_row_is_soft(&p->rows[r]))
            sum += pow(tn_row_lever(&p->rows[r]) * D->row[r] * dlambda->row[r], 2.0);
    return count ? sqrt(sum / count) / R : 0.0;
}

void tn_nnewton_clean(const TnProblem *p, const TnCompliances *D, TnPerConstraint *lambda)
{
    for (int c = 0; c < p->contact_count; c++)
        tn_contact_release(p->normals[c], tn_normal_compliance(D, c), tn_tangent_compliance(D, c),
                           lambda->contact[c]);
    for (int r = 0; r < p->row_count; r++)
        if (!(D->row[r] > 0.0) && !tn_row_is_soft(&p->rows[r])) lambda->row[r] = 0.0;
    for (int i = 0; i < p->bond_count; i++) {
        const TnBond *bond = &p->bonds[i];
        double part[12] = {0};
        if (!bond->hard) continue;
        tn_bond_add_held(bond, lambda->bond[i], part);
        memcpy(lambda->bond[i], part, sizeof part);
    }
}
