/* nnewton_law.c: residuals of constraints, zero where the laws hold, and their derivatives.
 *
 * In velocity units, q = D λ (normal and tangential parts of a contact apart) and t = q - u, they
 * are the minimum map and its kin,
 *
 *     equality    F = u
 *     inequality  F = min(u, q) = q - t⁺
 *     box         F = q - clip(t)
 *     contact     F_n = min(u_n, q_n),   F_t = q_t - Π(t_t),  Π on the disc of m t_n⁺, m = μ D_t/D_n
 *
 * which is Alart and Curnier's function for contacts, and what natural_map.h judges by. A step has
 * F + E du + H dq = 0 with E, H from the piece that u and q are on. Where a constraint holds, H = 0
 * and nothing bounds dq; H = 1/R in its place is the regularisation that redundant constraints
 * need. Solved for dq, with d = t_t/|t_t|, e across n and d, κ = m t_n/|t_t| < 1:
 *
 *     open   t_n <= 0         dq = -q
 *     stick  |t_t| <= m t_n   dq = -R (u + du)
 *     slip                    dq_n = -R (u_n + du_n),   dq_d = m (t_n + dq_n - du_n) - q_d,
 *                             (1 - κ + 1/R) dq_e = -(q_e + κ du_e)
 *
 * All are exact derivatives; slip makes the matrix unsymmetric. Soft rows and bonds are linear.
 * Spin and rolling friction are bounded by the normal force there is, not the one there will be, and
 * of a sliding rolling pair λ turns by its secant, the same for both of its rows. */
#include "nnewton.h"

#include <math.h>

#include "../math/vec3.h"

typedef struct Piece {
    double a[3], G[9]; /* row-major */
    bool symmetric;
} Piece;

/* G += s x yᵀ */
static void add_outer(double G[9], double s, const double x[3], const double y[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) G[3 * i + j] += s * x[i] * y[j];
}

/* The part of x across n; its length. */
static double across(const double n[3], const double x[3], double out[3])
{
    double along = v3_dot(n, x);
    for (int k = 0; k < 3; k++) out[k] = x[k] - along * n[k];
    return v3_norm(out);
}

static Piece slipping(const double n[3], double Dn, double Dt, double mu, const double u[3],
                      const double lambda[3], const double d[3], double reach, double R)
{
    Piece piece = {.symmetric = mu == 0.0};
    double e[3], un = v3_dot(n, u), tn = Dn * v3_dot(n, lambda) - un, m = mu * Dt / Dn;
    double kappa = m * tn / reach, qd = Dt * v3_dot(d, lambda);
    double turn = 1.0 / (1.0 - kappa + 1.0 / R);
    v3_cross(e, n, d);
    v3_add_scaled(piece.a, n, -R * un / Dn);
    v3_add_scaled(piece.a, d, (m * (tn - R * un) - qd) / Dt);
    v3_add_scaled(piece.a, e, -turn * v3_dot(e, lambda));
    add_outer(piece.G, R / Dn, n, n);
    add_outer(piece.G, m * (R + 1.0) / Dt, d, n);
    add_outer(piece.G, turn * kappa / Dt, e, e);
    return piece;
}

static Piece contact_piece(const double n[3], double Dn, double Dt, double mu, const double u[3],
                           const double lambda[3], double R)
{
    Piece piece = {.symmetric = true};
    double un = v3_dot(n, u), tn = Dn * v3_dot(n, lambda) - un, t[3], trial[3];
    v3_scale(piece.a, lambda, -1.0);
    if (!(Dn > 0.0) || tn <= 0.0) return piece;
    for (int k = 0; k < 3; k++) trial[k] = Dt * lambda[k] - u[k];
    double reach = across(n, trial, t), bound = mu * Dt / Dn * tn;
    if (!(Dt > 0.0)) { /* no friction; λ has none */
        v3_scale(piece.a, n, -R * un / Dn);
        add_outer(piece.G, R / Dn, n, n);
        return piece;
    }
    if (reach > bound) {
        v3_scale(t, t, 1.0 / reach);
        return slipping(n, Dn, Dt, mu, u, lambda, t, reach, R);
    }
    for (int k = 0; k < 3; k++) {
        piece.a[k] = -R / Dt * u[k] - (R / Dn - R / Dt) * un * n[k];
        piece.G[4 * k] = R / Dt;
    }
    add_outer(piece.G, R / Dn - R / Dt, n, n);
    return piece;
}

static bool contact_line(const TnProblem *p, const TnCompliances *D, int c, const double u[3],
                         const double lambda[3], double R, TnNewtonLines *out)
{
    int batch = c / TN_LANES, lane = c % TN_LANES;
    Piece piece =
        contact_piece(p->normals[c], tn_normal_compliance(D, c), tn_tangent_compliance(D, c),
                      p->contact_batch[batch].mu[lane], u, lambda, R);
    v3_copy(out->a.contact[c], piece.a);
    for (int k = 0; k < 9; k++) out->G.contact[batch][k][lane] = piece.G[k];
    return piece.symmetric;
}

/* ---- rows and bonds ---- */

/* κ <= 1 of a spin or rolling row: Π(t) = κ t. */
static double share(const TnProblem *p, int r, double D, const TnPerConstraint *u,
                    const TnPerConstraint *lambda)
{
    const TnRow *row = &p->rows[r];
    int other = row->set == TN_ROW_ROLL ? r + 1 : row->set == TN_ROW_ROLL_PARTNER ? r - 1 : -1;
    double normal = v3_dot(p->normals[row->contact], lambda->contact[row->contact]);
    double bound = D * row->mu * fmax(0.0, normal), t = D * lambda->row[r] - u->row[r];
    double size = other < 0 ? fabs(t) : hypot(t, D * lambda->row[other] - u->row[other]);
    return size > bound ? bound / size : 1.0;
}

static void row_line(const TnProblem *p, const TnCompliances *yields, int r,
                     const TnPerConstraint *at, const TnPerConstraint *lambda, double R,
                     TnNewtonLines *out)
{
    const TnRow *row = &p->rows[r];
    double D = yields->row[r], u = at->row[r], q = D * lambda->row[r], t = q - u;
    double kept = t, E = 1.0; /* Π(t), and its slope; of a secant both are the same share */
    out->a.row[r] = out->G.row[r] = 0.0;
    if (row->set == TN_ROW_SOFT) {
        out->G.row[r] = row->k * row->alpha;
        out->a.row[r] = -row->k * (row->e + row->alpha * (u - row->e)) - lambda->row[r];
        return;
    }
    if (!(D > 0.0)) return;
    if (row->set == TN_ROW_INEQUALITY) {
        kept = fmax(0.0, t);
    } else if (row->set == TN_ROW_BOX) {
        kept = fmin(D * row->upper, fmax(D * row->lower, t));
    } else if (row->set >= TN_ROW_SPIN) {
        E = share(p, r, D, at, lambda);
        kept = E * t;
    }
    if (kept != t && row->set < TN_ROW_ROLL) E = 0.0;
    double H = 1.0 - E + (E > 0.0 ? 1.0 / R : 0.0);
    out->a.row[r] = -(q - kept) / (H * D);
    out->G.row[r] = E / (H * D);
}

static void multiply12(const double G[144], const double x[12], double y[12])
{
    for (int i = 0; i < 12; i++) {
        y[i] = 0.0;
        for (int j = 0; j < 12; j++) y[i] += G[12 * i + j] * x[j];
    }
}

static void bond_line(const TnProblem *p, int i, const double z[12], const double lambda[12],
                      double R, TnNewtonLines *out)
{
    const TnBond *bond = &p->bonds[i];
    double *a = out->a.bond[i], *G = out->G.bond[i], Gz[12];
    if (bond->hard)
        tn_bond_hard_weight(p, bond, R, G);
    else
        memcpy(G, bond->K, sizeof bond->K);
    multiply12(G, z, Gz);
    for (int k = 0; k < 12; k++)
        a[k] = (bond->hard ? R * bond->c[k] : -bond->f[k] - lambda[k]) - Gz[k];
}

/* ---- all ---- */

void tn_nnewton_lines(const TnProblem *p, const TnCompliances *D, const TnPerConstraint *u,
                      const TnPerConstraint *lambda, double R, TnNewtonLines *out)
{
    bool symmetric = true;
    for (int c = 0; c < p->contact_count; c++)
        symmetric = contact_line(p, D, c, u->contact[c], lambda->contact[c], R, out) && symmetric;
    for (int r = 0; r < p->row_count; r++) row_line(p, D, r, u, lambda, R, out);
    for (int i = 0; i < p->bond_count; i++) bond_line(p, i, u->bond[i], lambda->bond[i], R, out);
    for (int c = p->contact_count; c < TN_LANES * p->contact_batches; c++)
        for (int k = 0; k < 9; k++) out->G.contact[c / TN_LANES][k][c % TN_LANES] = 0.0;
    out->G.symmetric = symmetric;
}

void tn_nnewton_forces(const TnProblem *p, const TnNewtonLines *lines, const TnPerConstraint *du,
                       TnPerConstraint *out)
{
    tn_contact_kernels()->linear(0, p->contact_batches, (const double(*)[3])lines->a.contact,
                                 (const double(*)[9][TN_LANES])lines->G.contact,
                                 (const double(*)[3])du->contact, out->contact);
    for (int r = 0; r < p->row_count; r++)
        out->row[r] = lines->a.row[r] - lines->G.row[r] * du->row[r];
    for (int i = 0; i < p->bond_count; i++) {
        multiply12(lines->G.bond[i], du->bond[i], out->bond[i]);
        for (int k = 0; k < 12; k++) out->bond[i][k] = lines->a.bond[i][k] - out->bond[i][k];
    }
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
        if (p->rows[r].set != TN_ROW_SOFT)
            sum += pow(tn_row_lever(&p->rows[r]) * D->row[r] * dlambda->row[r], 2.0);
    return count ? sqrt(sum / count) / R : 0.0;
}

void tn_nnewton_clean(const TnProblem *p, const TnCompliances *D, TnPerConstraint *lambda)
{
    for (int c = 0; c < p->contact_count; c++) {
        double *f = lambda->contact[c], t[3];
        across(p->normals[c], f, t);
        if (!(tn_tangent_compliance(D, c) > 0.0)) v3_sub(f, f, t);
        if (!(tn_normal_compliance(D, c) > 0.0)) v3_zero(f); /* and no friction then */
    }
    for (int r = 0; r < p->row_count; r++)
        if (!(D->row[r] > 0.0) && p->rows[r].set != TN_ROW_SOFT) lambda->row[r] = 0.0;
    for (int i = 0; i < p->bond_count; i++) {
        const TnBond *bond = &p->bonds[i];
        double part[12] = {0};
        if (!bond->hard) continue;
        for (int j = 0; j < 12; j++)
            for (int k = 0; k < 12; k++) part[k] += bond->P[12 * j + k] * lambda->bond[i][j];
        memcpy(lambda->bond[i], part, sizeof part);
    }
}
