/* newton_law.c: the laws of all constraints, softened by 1/R about forces λ_c, for newton.c:
 *
 *     λ(u) = Π(t),  t = λ_c - R u/D,      Π: normal first, then tangent, as everywhere
 *
 * (D: normal and tangential parts apart.) At u = 0, or with λ_c = λ, this is the exact law; elsewhere a
 * contact yields by 1/R of its compliance. Its derivative, and the line that agrees with it at u:
 *
 *     λ(u⁺) ≈ a - G u⁺
 *     open    t_n <= 0            a = 0                               G = 0
 *     stick   |t_t| <= μ t_n      a = λ_c                             G = R (nnᵀ/D_n + (I - nnᵀ)/D_t)
 *     slip    d = t_t/|t_t|       a = λ_cn (n + μ d) + κ P λ_c        G = R/D_n (n + μ d) nᵀ + κ R/D_t P
 *
 * where P projects on the direction across n and d and κ = μ t_n/|t_t| < 1. Slipping, λ_t follows μ d λ_n:
 * G is not symmetric, and neither is the matrix.
 *
 * Scalar rows alike; soft rows and bonds are linear and taken as they are, hard bonds have a = λ_c + R c and
 * G = R Jᵀ(J C Jᵀ)⁺J with c of bonds.c and C their compliance. Spin and rolling friction are bounded by the normal force at u. */
#include "newton_law.h"

#include <math.h>
#include <string.h>

#include "../math/vec3.h"

bool tn_laws_alloc(const TnProblem *p, const TnCompliances *D, TnLaws *out)
{
    *out = (TnLaws){.problem = p, .D = D};
    out->bound = TN_ARENA_ZERO(p->arena, double, p->contact_count + p->row_count + 1);
    out->held = TN_ARENA_ZERO(p->arena, unsigned char, p->contact_count + p->row_count + 1);
    return out->bound && out->held && tn_per_constraint_alloc(p, &out->centre) &&
           tn_per_constraint_alloc(p, &out->force) && tn_per_constraint_alloc(p, &out->a) &&
           tn_gains_alloc(p, &out->G);
}

enum { OPEN, HELD, SLIPS };

/* ---- contacts ---- */

typedef struct Trial {
    double gn, gt;     /* R/D, zero where dead */
    double tn, tt[3];  /* t */
    double length;     /* |t_t| */
} Trial;

static Trial try_contact(const TnLaws *laws, int c, const double u[3])
{
    const double *n = laws->problem->normals[c], *D = laws->D->contact[c],
                 *centre = laws->centre.contact[c];
    Trial t = {.gn = D[0] > 0.0 ? laws->R / D[0] : 0.0, .gt = D[1] > 0.0 ? laws->R / D[1] : 0.0};
    double un = v3_dot(n, u), ln = v3_dot(n, centre);
    t.tn = t.gn > 0.0 ? ln - t.gn * un : 0.0;
    for (int k = 0; k < 3; k++)
        t.tt[k] = t.gt > 0.0 ? centre[k] - ln * n[k] - t.gt * (u[k] - un * n[k]) : 0.0;
    t.length = v3_norm(t.tt);
    return t;
}

static double friction(const TnProblem *p, int c)
{
    return p->contact_batch[c / TN_LANES].mu[c % TN_LANES];
}

static void set_class(TnLaws *laws, int index, int class)
{
    laws->moved = laws->moved || laws->held[index] != class;
    laws->held[index] = (unsigned char)class;
}

static void contact_at(TnLaws *laws, int c, const double u[3])
{
    const TnProblem *p = laws->problem;
    const double *n = p->normals[c], *centre = laws->centre.contact[c];
    double *a = laws->a.contact[c], *G = laws->G.contact[c], *force = laws->force.contact[c];
    double mu = friction(p, c), ln = v3_dot(n, centre);
    Trial t = try_contact(laws, c, u);
    memset(G, 0, sizeof laws->G.contact[c]);
    v3_zero(a);
    v3_zero(force);
    laws->bound[c] = 0.0;
    if (!(t.tn > 0.0)) {
        set_class(laws, c, OPEN);
        return;
    }
    double bound = laws->bound[c] = mu * t.tn;
    if (t.length <= bound && mu > 0.0) {
        set_class(laws, c, HELD);
        for (int i = 0; i < 3; i++) {
            a[i] = t.gt > 0.0 ? centre[i] : ln * n[i];
            force[i] = t.tn * n[i] + t.tt[i];
            for (int j = 0; j < 3; j++)
                G[3 * i + j] = (t.gn - t.gt) * n[i] * n[j] + (i == j ? t.gt : 0.0);
        }
        return;
    }
    double d[3] = {0}, across[3] = {0}, kappa = 0.0;
    set_class(laws, c, SLIPS);
    if (t.length > 0.0 && mu > 0.0) {
        laws->moved = true; /* G turns with d */
        v3_scale(d, t.tt, 1.0 / t.length);
        v3_cross(across, n, d);
        kappa = bound / t.length;
        laws->G.symmetric = false;
    }
    double keep = kappa * v3_dot(across, centre);
    for (int i = 0; i < 3; i++) {
        double push = n[i] + mu * d[i];
        a[i] = ln * push + keep * across[i];
        force[i] = t.tn * push;
        for (int j = 0; j < 3; j++)
            G[3 * i + j] = t.gn * push * n[j] + kappa * t.gt * across[i] * across[j];
    }
}

/* Friction keeps its size: d ⊗ n leaves G, and its part of a becomes what it is at u. */
static void unfollow_contact(TnLaws *laws, int c)
{
    const double *n = laws->problem->normals[c], *force = laws->force.contact[c];
    double *a = laws->a.contact[c], *G = laws->G.contact[c];
    double fn = v3_dot(n, force), tangent[3], Gn[3];
    if (laws->held[c] != SLIPS || !(laws->bound[c] > 0.0)) return;
    for (int i = 0; i < 3; i++) {
        tangent[i] = force[i] - fn * n[i];
        Gn[i] = v3_dot(G + 3 * i, n);
    }
    double gn = v3_dot(n, Gn), size = v3_norm(tangent), d[3];
    if (!(size > 0.0)) return;
    v3_scale(d, tangent, 1.0 / size);
    double ad = v3_dot(d, a);
    for (int i = 0; i < 3; i++) {
        a[i] += (size - ad) * d[i];
        for (int j = 0; j < 3; j++) G[3 * i + j] -= (Gn[i] - gn * n[i]) * n[j];
    }
}

/* ---- rows ---- */

static double project_row(const TnLaws *laws, int r, double t, double partner_t)
{
    const TnRow *row = &laws->problem->rows[r];
    double bound = laws->bound[laws->problem->contact_count + r];
    switch (row->set) {
    case TN_ROW_INEQUALITY:
        return fmax(0.0, t);
    case TN_ROW_BOX:
        return fmin(row->upper, fmax(row->lower, t));
    case TN_ROW_SPIN:
        return fmin(bound, fmax(-bound, t));
    case TN_ROW_ROLL:
    case TN_ROW_ROLL_PARTNER: {
        double length = hypot(t, partner_t);
        return length > bound ? t * (bound / length) : t;
    }
    default:
        return t;
    }
}

/* t of a row, and of its partner in rolling. */
static double try_row(const TnLaws *laws, int r, const TnPerConstraint *u, double *partner)
{
    const TnRow *row = &laws->problem->rows[r];
    double d = laws->D->row[r];
    int other = row->set == TN_ROW_ROLL ? r + 1 : row->set == TN_ROW_ROLL_PARTNER ? r - 1 : -1;
    *partner = other < 0 ? 0.0 : laws->centre.row[other] - laws->R * u->row[other] / d;
    return laws->centre.row[r] - laws->R * u->row[r] / d;
}

static double soft_force(const TnRow *row, double u)
{
    return -row->k * (row->e + row->alpha * (u - row->e));
}

static void row_at(TnLaws *laws, int r, const TnPerConstraint *u)
{
    const TnProblem *p = laws->problem;
    const TnRow *row = &p->rows[r];
    double *a = &laws->a.row[r], *G = &laws->G.row[r], *force = &laws->force.row[r], partner;
    *a = *G = *force = 0.0;
    if (row->set == TN_ROW_SOFT) {
        *G = row->k * row->alpha;
        *a = soft_force(row, 0.0);
        *force = soft_force(row, u->row[r]);
        return;
    }
    if (!(laws->D->row[r] > 0.0)) return;
    if (row->set >= TN_ROW_SPIN)
        laws->bound[p->contact_count + r] =
            row->mu * fmax(0.0, v3_dot(p->normals[row->contact], laws->force.contact[row->contact]));
    double t = try_row(laws, r, u, &partner);
    *force = *a = project_row(laws, r, t, partner);
    bool held = *force == t;
    set_class(laws, p->contact_count + r, held ? HELD : t < *force ? OPEN : SLIPS);
    if (held) {
        *G = laws->R / laws->D->row[r];
        *a = laws->centre.row[r];
    } else if (row->set >= TN_ROW_SPIN) {
        laws->moved = true;
    }
}

/* ---- bonds ---- */

static void bond_force(const TnLaws *laws, int i, const double z[12], double out[12])
{
    for (int r = 0; r < 12; r++) {
        out[r] = laws->a.bond[i][r];
        for (int k = 0; k < 12; k++) out[r] -= laws->G.bond[i][12 * r + k] * z[k];
    }
}

static void bond_at(TnLaws *laws, int i, const double z[12])
{
    const TnBond *bond = &laws->problem->bonds[i];
    double *a = laws->a.bond[i], *G = laws->G.bond[i];
    if (bond->hard) {
        tn_bond_hard_weight(laws->problem, bond, laws->R, G);
        for (int r = 0; r < 12; r++) a[r] = laws->centre.bond[i][r] + laws->R * bond->c[r];
    } else {
        memcpy(G, bond->K, sizeof bond->K);
        for (int k = 0; k < 12; k++) a[k] = -bond->f[k];
    }
    bond_force(laws, i, z, laws->force.bond[i]);
}

/* ---- all ---- */

void tn_laws_at(TnLaws *laws, const TnPerConstraint *u)
{
    const TnProblem *p = laws->problem;
    laws->G.symmetric = true;
    laws->moved = false;
    for (int c = 0; c < p->contact_count; c++) contact_at(laws, c, u->contact[c]);
    for (int r = 0; r < p->row_count; r++) row_at(laws, r, u);
    for (int i = 0; i < p->bond_count; i++) bond_at(laws, i, u->bond[i]);
}

void tn_laws_unfollow(TnLaws *laws)
{
    for (int c = 0; c < laws->problem->contact_count; c++) unfollow_contact(laws, c);
    laws->G.symmetric = true;
}

void tn_laws_force(TnLaws *laws, const TnPerConstraint *u)
{
    const TnProblem *p = laws->problem;
    for (int c = 0; c < p->contact_count; c++) {
        double *force = laws->force.contact[c], bound;
        Trial t = try_contact(laws, c, u->contact[c]);
        v3_zero(force);
        if (!(t.tn > 0.0)) continue;
        bound = friction(p, c) * t.tn;
        double share = t.length > bound ? bound / t.length : 1.0;
        for (int k = 0; k < 3; k++)
            force[k] = t.tn * p->normals[c][k] + share * t.tt[k];
    }
    for (int r = 0; r < p->row_count; r++) {
        const TnRow *row = &p->rows[r];
        double partner, *bound = &laws->bound[p->contact_count + r];
        if (row->set == TN_ROW_SOFT) {
            laws->force.row[r] = soft_force(row, u->row[r]);
        } else if (laws->D->row[r] > 0.0) {
            double t = try_row(laws, r, u, &partner);
            if (row->set >= TN_ROW_SPIN)
                *bound = row->mu * fmax(0.0, v3_dot(p->normals[row->contact],
                                                    laws->force.contact[row->contact]));
            laws->force.row[r] = project_row(laws, r, t, partner);
        }
    }
    for (int i = 0; i < p->bond_count; i++) bond_force(laws, i, u->bond[i], laws->force.bond[i]);
}

double tn_laws_slope(const TnLaws *laws, const TnPerConstraint *u, const TnPerConstraint *direction)
{
    const TnProblem *p = laws->problem;
    double sum = 0.0;
    for (int c = 0; c < p->contact_count; c++) {
        Trial t = try_contact(laws, c, u->contact[c]);
        const double *d = direction->contact[c];
        double share = t.length > laws->bound[c] ? laws->bound[c] / t.length : 1.0;
        if (t.tn > 0.0) sum += t.tn * v3_dot(p->normals[c], d);
        sum += share * v3_dot(t.tt, d);
    }
    for (int r = 0; r < p->row_count; r++) {
        const TnRow *row = &p->rows[r];
        double partner, d = direction->row[r];
        if (row->set == TN_ROW_SOFT) {
            sum += d * soft_force(row, u->row[r]);
        } else if (laws->D->row[r] > 0.0) {
            double t = try_row(laws, r, u, &partner);
            sum += d * project_row(laws, r, t, partner);
        }
    }
    for (int i = 0; i < p->bond_count; i++) {
        double force[12];
        bond_force(laws, i, u->bond[i], force);
        for (int k = 0; k < 12; k++) sum += direction->bond[i][k] * force[k];
    }
    return sum;
}

void tn_laws_linear(const TnLaws *laws, const TnPerConstraint *at, TnPerConstraint *out)
{
    const TnProblem *p = laws->problem;
    for (int c = 0; c < p->contact_count; c++) {
        const double *G = laws->G.contact[c], *x = at->contact[c];
        for (int i = 0; i < 3; i++)
            out->contact[c][i] = laws->a.contact[c][i] -
                                 (G[3 * i] * x[0] + G[3 * i + 1] * x[1] + G[3 * i + 2] * x[2]);
    }
    for (int r = 0; r < p->row_count; r++)
        out->row[r] = laws->a.row[r] - laws->G.row[r] * at->row[r];
    for (int i = 0; i < p->bond_count; i++) bond_force(laws, i, at->bond[i], out->bond[i]);
}
