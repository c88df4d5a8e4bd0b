/* newton_law.c: the laws of all constraints, softened by 1/R about forces λ_c, for newton.c,
 * proximal.c and (rows and bonds alone) interior.c:
 *
 *     λ(u) = Π(t),  t = λ_c - R u/D,      Π: normal first, then tangent, as everywhere
 *
 * (D: normal and tangential parts apart.) At u = 0, or with λ_c = λ, this is the exact law;
 * elsewhere a contact yields by 1/R of its compliance. Its derivative, and the line that agrees
 * with it at u:
 *
 *     λ(u⁺) ≈ a - G u⁺
 *     open    t_n <= 0         a = 0                          G = 0
 *     stick   |t_t| <= μ t_n   a = λ_c                        G = R (nnᵀ/D_n + (I - nnᵀ)/D_t)
 *     slip    d = t_t/|t_t|    a = λ_cn (n + μ d) + κ P λ_c   G = R/D_n (n + μ d) nᵀ + κ R/D_t P
 *
 * where P projects on the direction across n and d and κ = μ t_n/|t_t| < 1. Slipping, λ_t follows
 * μ d λ_n: G is not symmetric, and neither is the matrix. With a `reach` of 1 in place of R, t is
 * the natural map's own, so that it chooses the class, and the lines are still R's.
 *
 * Scalar rows alike; soft rows and bonds are linear and taken as they are, hard bonds have
 * a = λ_c + R c and G = R Jᵀ(J C Jᵀ)⁺J with c of bonds.c and C their compliance. Spin and rolling
 * friction are bounded by the normal force at u. */
#include "newton_law.h"

#include <math.h>
#include <string.h>

#include "../math/vec3.h"

bool tn_laws_alloc(const TnProblem *p, const TnCompliances *D, TnLaws *out)
{
    *out = (TnLaws){.problem = p, .D = D};
    size_t lanes = sizeof(double[TN_LANES]) * (size_t)p->contact_batches;
    out->bound = tn_arena_calloc(p->arena, lanes);
    out->state = tn_arena_calloc(p->arena, lanes);
    out->row_bound = TN_ARENA_ZERO(p->arena, double, p->row_count);
    out->row_state = TN_ARENA_ZERO(p->arena, unsigned char, p->row_count);
    return out->bound && out->state && out->row_bound && out->row_state &&
           tn_per_constraint_alloc(p, &out->centre) && tn_per_constraint_alloc(p, &out->force) &&
           tn_per_constraint_alloc(p, &out->trial) && tn_per_constraint_alloc(p, &out->a) &&
           tn_gains_alloc(p, &out->G);
}

enum { OPEN, HELD, SLIPS };

/* ---- contacts ---- */

static TnSoftening softening(const TnLaws *laws)
{
    return (TnSoftening){laws->R, laws->reach, (const double(*)[3])laws->centre.contact};
}

static void contacts_at(TnLaws *laws, const TnPerConstraint *u)
{
    const TnProblem *p = laws->problem;
    const TnContactLines lines = {laws->a.contact, laws->force.contact, laws->G.contact,
                                  laws->bound, laws->state};
    TnSoftening soft = softening(laws);
    int flags =
        tn_contact_kernels()->lines(p->contact_batch, laws->D->contact, 0, p->contact_batches,
                                    &soft, (const double(*)[3])u->contact, &lines);
    laws->moved = flags & TN_LINES_MOVED;
    laws->G.symmetric = !(flags & TN_LINES_TURN);
}

static void contact_forces(const TnLaws *laws, const TnPerConstraint *u,
                           const double (*bound)[TN_LANES], TnPerConstraint *out)
{
    const TnProblem *p = laws->problem;
    TnSoftening soft = softening(laws);
    tn_contact_kernels()->forces(p->contact_batch, laws->D->contact, 0, p->contact_batches, &soft,
                                 (const double(*)[3])u->contact, bound, out->contact);
}

/* Friction keeps its size: d ⊗ n leaves G, and its part of a becomes what it is at u. */
static void unfollow_contact(TnLaws *laws, int c)
{
    const double *n = laws->problem->normals[c], *force = laws->force.contact[c];
    double *a = laws->a.contact[c], (*G)[TN_LANES] = laws->G.contact[c / TN_LANES];
    int l = c % TN_LANES;
    double fn = v3_dot(n, force), tangent[3], Gn[3];
    if (laws->state[c / TN_LANES][l] != SLIPS) return;
    for (int i = 0; i < 3; i++) {
        tangent[i] = force[i] - fn * n[i];
        Gn[i] = G[3 * i][l] * n[0] + G[3 * i + 1][l] * n[1] + G[3 * i + 2][l] * n[2];
    }
    double gn = v3_dot(n, Gn), size = v3_norm(tangent), d[3];
    if (!(size > 0.0)) return;
    v3_scale(d, tangent, 1.0 / size);
    double ad = v3_dot(d, a);
    for (int i = 0; i < 3; i++) {
        a[i] += (size - ad) * d[i];
        for (int j = 0; j < 3; j++) G[3 * i + j][l] -= (Gn[i] - gn * n[i]) * n[j];
    }
}

/* ---- rows ---- */

static double project_row(const TnLaws *laws, int r, double t, double partner_t)
{
    const TnRow *row = &laws->problem->rows[r];
    double bound = laws->row_bound[r];
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
    *partner = other < 0 ? 0.0 : laws->centre.row[other] - laws->reach * u->row[other] / d;
    return laws->centre.row[r] - laws->reach * u->row[r] / d;
}

static double soft_force(const TnRow *row, double u)
{
    return -row->k * (row->e + row->alpha * (u - row->e));
}

/* Of spin and rolling friction, by the contact forces at hand. */
static void set_row_bound(TnLaws *laws, int r)
{
    const TnRow *row = &laws->problem->rows[r];
    double normal = v3_dot(laws->problem->normals[row->contact], laws->force.contact[row->contact]);
    laws->row_bound[r] = row->mu * fmax(0.0, normal);
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
    if (row->set >= TN_ROW_SPIN) set_row_bound(laws, r);
    double t = try_row(laws, r, u, &partner);
    *force = *a = project_row(laws, r, t, partner);
    bool held = *force == t;
    int state = held ? HELD : t < *force ? OPEN : SLIPS;
    laws->moved = laws->moved || laws->row_state[r] != state;
    laws->row_state[r] = (unsigned char)state;
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
    contacts_at(laws, u);
    for (int r = 0; r < p->row_count; r++) row_at(laws, r, u);
    for (int i = 0; i < p->bond_count; i++) bond_at(laws, i, u->bond[i]);
}

void tn_laws_fade(TnLaws *laws, double share)
{
    double *a = laws->a.all;
    for (int i = 0; i < 3 * laws->problem->contact_count; i++) a[i] *= 1.0 - share;
}

void tn_laws_unfollow(TnLaws *laws)
{
    for (int c = 0; c < laws->problem->contact_count; c++) unfollow_contact(laws, c);
    laws->G.symmetric = true;
}

void tn_laws_force(TnLaws *laws, const TnPerConstraint *u)
{
    const TnProblem *p = laws->problem;
    contact_forces(laws, u, NULL, &laws->force);
    for (int r = 0; r < p->row_count; r++) {
        const TnRow *row = &p->rows[r];
        double partner;
        if (row->set == TN_ROW_SOFT) {
            laws->force.row[r] = soft_force(row, u->row[r]);
        } else if (laws->D->row[r] > 0.0) {
            double t = try_row(laws, r, u, &partner);
            if (row->set >= TN_ROW_SPIN) set_row_bound(laws, r);
            laws->force.row[r] = project_row(laws, r, t, partner);
        }
    }
    for (int i = 0; i < p->bond_count; i++) bond_force(laws, i, u->bond[i], laws->force.bond[i]);
}

double tn_laws_slope(TnLaws *laws, const TnPerConstraint *u, const TnPerConstraint *direction)
{
    const TnProblem *p = laws->problem;
    double sum = 0.0;
    contact_forces(laws, u, (const double(*)[TN_LANES])laws->bound, &laws->trial);
    for (int c = 0; c < p->contact_count; c++)
        sum += v3_dot(laws->trial.contact[c], direction->contact[c]);
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
    tn_contact_kernels()->linear(0, p->contact_batches, (const double(*)[3])laws->a.contact,
                                 (const double(*)[9][TN_LANES])laws->G.contact,
                                 (const double(*)[3])at->contact, out->contact);
    for (int r = 0; r < p->row_count; r++)
        out->row[r] = laws->a.row[r] - laws->G.row[r] * at->row[r];
    for (int i = 0; i < p->bond_count; i++) bond_force(laws, i, at->bond[i], out->bond[i]);
}
