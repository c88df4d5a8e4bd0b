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
 * the natural map's own, so that it chooses the class, and the lines are still R's, but for slip's
 * P: there the map's own derivative, (1 - κ) D_t P λ⁺ + κ P u⁺ = 0, so that friction turns with the
 * motion and Newton's steps converge as they should,
 *
 *     slip    a = λ_cn (n + μ d)                      G = R/D_n (n + μ d) nᵀ + g/D_t P,
 *             g = κ/(1 - κ + 1/R)
 *
 *
 * Scalar rows alike (law/scalar.c); soft rows and bonds are linear and taken as they are, hard
 * bonds have a = λ_c + R c and G = R Jᵀ(J C Jᵀ)⁺J with c of law/linear.c and C their compliance.
 * Spin and rolling friction are bounded by the normal force at u. */
#include "newton_law.h"

#include "../../math/vec3.h"
#include "../law/law.h"

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
    if (laws->state[c / TN_LANES][l] != TN_STATE_SLIPS) return;
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

static TnRowSoftening row_softening(const TnLaws *laws, int r)
{
    return (TnRowSoftening){laws->D->row[r], laws->R, laws->reach, laws->row_bound[r]};
}

/* By the contact forces at hand. */
static void set_row_bound(TnLaws *laws, int r)
{
    laws->row_bound[r] = tn_row_radius(laws->problem, &laws->problem->rows[r], laws->force.contact);
}

/* ---- all ---- */

void tn_laws_at(TnLaws *laws, const TnPerConstraint *u)
{
    const TnProblem *p = laws->problem;
    contacts_at(laws, u);
    for (int r = 0; r < p->row_count; r += tn_row_group(&p->rows[r])) {
        set_row_bound(laws, r);
        TnRowSoftening soft = row_softening(laws, r);
        bool moved =
            tn_row_line(&p->rows[r], &soft, laws->centre.row + r, u->row + r, laws->force.row + r,
                        laws->a.row + r, laws->G.row + r, laws->row_state + r);
        laws->moved = laws->moved || moved;
    }
    for (int i = 0; i < p->bond_count; i++) {
        tn_bond_line(p, &p->bonds[i], laws->R, laws->centre.bond[i], laws->a.bond[i],
                     laws->G.bond[i]);
        tn_bond_force(laws->a.bond[i], laws->G.bond[i], u->bond[i], laws->force.bond[i]);
    }
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
    for (int r = 0; r < p->row_count; r += tn_row_group(&p->rows[r])) {
        set_row_bound(laws, r);
        TnRowSoftening soft = row_softening(laws, r);
        tn_row_force(&p->rows[r], &soft, laws->centre.row + r, u->row + r, laws->force.row + r);
    }
    for (int i = 0; i < p->bond_count; i++)
        tn_bond_force(laws->a.bond[i], laws->G.bond[i], u->bond[i], laws->force.bond[i]);
}

double tn_laws_slope(TnLaws *laws, const TnPerConstraint *u, const TnPerConstraint *direction)
{
    const TnProblem *p = laws->problem;
    double sum = 0.0;
    contact_forces(laws, u, (const double(*)[TN_LANES])laws->bound, &laws->trial);
    for (int c = 0; c < p->contact_count; c++)
        sum += v3_dot(laws->trial.contact[c], direction->contact[c]);
    for (int r = 0, count; r < p->row_count; r += count) {
        double force[2] = {0};
        TnRowSoftening soft = row_softening(laws, r);
        count = tn_row_group(&p->rows[r]);
        tn_row_force(&p->rows[r], &soft, laws->centre.row + r, u->row + r, force);
        for (int i = 0; i < count; i++) sum += direction->row[r + i] * force[i];
    }
    for (int i = 0; i < p->bond_count; i++) {
        double force[12];
        tn_bond_force(laws->a.bond[i], laws->G.bond[i], u->bond[i], force);
        for (int k = 0; k < 12; k++) sum += direction->bond[i][k] * force[k];
    }
    return sum;
}

void tn_lines_force(const TnProblem *p, const TnPerConstraint *a, const TnGains *G,
                    const TnPerConstraint *u, TnPerConstraint *out)
{
    tn_contact_kernels()->linear(0, p->contact_batches, (const double(*)[3])a->contact,
                                 (const double(*)[9][TN_LANES])G->contact,
                                 (const double(*)[3])u->contact, out->contact);
    for (int r = 0; r < p->row_count; r++) out->row[r] = a->row[r] - G->row[r] * u->row[r];
    for (int i = 0; i < p->bond_count; i++)
        tn_bond_force(a->bond[i], G->bond[i], u->bond[i], out->bond[i]);
}

void tn_laws_linear(const TnLaws *laws, const TnPerConstraint *u, TnPerConstraint *out)
{
    tn_lines_force(laws->problem, &laws->a, &laws->G, u, out);
}
