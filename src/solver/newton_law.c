/* newton_law.c: linear laws λ⁺ = a - G u⁺ that agree with the exact ones to first order, for newton.c.
 *
 * With t = λ - u/D (normal and tangential parts apart), R large and c in [0, 1]:
 *
 *     open    t_n <= 0               a = 0                  G = 0
 *     stick   |t_t| <= μ t_n         a = c λ                G = R (nnᵀ/D_n + (I - nnᵀ)/D_t)
 *     slip    d = t_t/|t_t|          a = c λ_n (n + μ d) + (1 - 1/f) P λ + k P u
 *                                    G = R/D_n (n + μ d) nᵀ + k P
 *
 * where P projects on the direction across n and d, κ = μ t_n/|t_t| < 1, f = max(1 - κ, κ/R) and
 * k = κ/(D_t f). Slip: λ_t follows μ d λ_n, and turning d costs k; since G is not symmetric, neither
 * is the matrix. At the solution u = 0 in all held directions for any R, and 1/R decides between forces
 * that do the same (four feet of a box): c = 0 gives the smallest of them, c = 1 leaves the old ones.
 *
 * Scalar rows are held (G = R/D), free (G = 0, a the bound) or soft (exact: G = kα). Spin and rolling
 * friction at their bound keep the normal force of the last iterate there. Bonds: soft ones exactly
 * (a = -f, G = K), hard ones a = cλ + R c, G = R P W with P, W, c of bonds.c. */
#include "newton_law.h"

#include <math.h>
#include <string.h>

#include "../math/vec3.h"

bool tn_laws_alloc(const TnProblem *p, TnLaws *out)
{
    out->contact_class = TN_ARENA_ZERO(p->arena, unsigned char, p->contact_count + 1);
    out->row_class = TN_ARENA_ZERO(p->arena, unsigned char, p->row_count + 1);
    return out->contact_class && out->row_class && tn_per_constraint_alloc(p, &out->a) &&
           tn_gains_alloc(p, &out->G);
}

/* ---- contacts ---- */

/* t = λ - u/D: normal part, and tangential vector (zero where dead). */
static double trial(const double D[2], const double n[3], const double u[3],
                    const double lambda[3], double t[3])
{
    double un = v3_dot(n, u), ln = v3_dot(n, lambda), inverse = D[1] > 0.0 ? 1.0 / D[1] : 0.0;
    for (int k = 0; k < 3; k++)
        t[k] = inverse > 0.0 ? lambda[k] - ln * n[k] - (u[k] - un * n[k]) * inverse : 0.0;
    return D[0] > 0.0 ? ln - un / D[0] : 0.0;
}

static TnClass contact_class(const double D[2], double mu, const double n[3], const double u[3],
                             const double lambda[3])
{
    double t[3], tn = trial(D, n, u, lambda, t);
    if (!(tn > 0.0)) return TN_CLASS_FREE;
    if (mu <= 0.0) return TN_CLASS_SLIPS;
    return v3_dot(t, t) <= mu * mu * tn * tn ? TN_CLASS_HELD : TN_CLASS_SLIPS;
}

static void hold(const double D[2], const double n[3], const double lambda[3], double share,
                 double R, double a[3], double G[9])
{
    double gn = D[0] > 0.0 ? R / D[0] : 0.0, gt = D[1] > 0.0 ? R / D[1] : 0.0;
    for (int i = 0; i < 3; i++) {
        a[i] = share * lambda[i];
        for (int j = 0; j < 3; j++) G[3 * i + j] = (gn - gt) * n[i] * n[j] + (i == j ? gt : 0.0);
    }
}

static void slip(const double D[2], double mu, const double n[3], const double u[3],
                 const double lambda[3], double share, double R, double a[3], double G[9])
{
    double t[3], tn = trial(D, n, u, lambda, t), length = v3_norm(t), gn = R / D[0];
    double ln = v3_dot(n, lambda), d[3] = {0}, across[3] = {0}, k = 0.0, keep = 0.0;
    if (length > 0.0 && mu > 0.0) {
        v3_scale(d, t, 1.0 / length);
        v3_cross(across, n, d);
        double kappa = mu * tn / length, f = fmax(1.0 - kappa, kappa / R);
        k = kappa / (D[1] * f);
        keep = (1.0 - 1.0 / f) * v3_dot(across, lambda) + k * v3_dot(across, u);
    }
    for (int i = 0; i < 3; i++) {
        double push = n[i] + mu * d[i];
        a[i] = share * ln * push + keep * across[i];
        for (int j = 0; j < 3; j++) G[3 * i + j] = gn * push * n[j] + k * across[i] * across[j];
    }
}

/* ---- rows ---- */

static double bound_of(const TnProblem *p, const TnRow *row, const TnPerConstraint *lambda)
{
    return row->mu * fmax(0.0, v3_dot(p->normals[row->contact], lambda->contact[row->contact]));
}

static TnClass row_class(const TnProblem *p, int r, const TnCompliances *D,
                         const TnPerConstraint *u, const TnPerConstraint *lambda)
{
    const TnRow *row = &p->rows[r];
    double d = D->row[r];
    if (row->set == TN_ROW_SOFT || !(d > 0.0)) return TN_CLASS_FREE;
    double t = lambda->row[r] - u->row[r] / d, bound;
    switch (row->set) {
    case TN_ROW_EQUALITY:
        return TN_CLASS_HELD;
    case TN_ROW_INEQUALITY:
        return t > 0.0 ? TN_CLASS_HELD : TN_CLASS_FREE;
    case TN_ROW_BOX:
        return t < row->lower ? TN_CLASS_FREE : t > row->upper ? TN_CLASS_SLIPS : TN_CLASS_HELD;
    case TN_ROW_SPIN:
        bound = bound_of(p, row, lambda);
        return t < -bound ? TN_CLASS_FREE : t > bound ? TN_CLASS_SLIPS : TN_CLASS_HELD;
    default: { /* a rolling pair shares its class */
        int first = row->set == TN_ROW_ROLL ? r : r - 1;
        double x = lambda->row[first] - u->row[first] / d,
               y = lambda->row[first + 1] - u->row[first + 1] / d;
        return hypot(x, y) > bound_of(p, row, lambda) ? TN_CLASS_SLIPS : TN_CLASS_HELD;
    }
    }
}

static double force_at_bound(const TnProblem *p, int r, TnClass class, const TnCompliances *D,
                             const TnPerConstraint *u, const TnPerConstraint *lambda)
{
    const TnRow *row = &p->rows[r];
    double d = D->row[r], bound;
    if (row->set == TN_ROW_BOX && d > 0.0)
        return class == TN_CLASS_SLIPS ? row->upper : row->lower;
    if (row->set < TN_ROW_SPIN || !(d > 0.0)) return 0.0;
    bound = bound_of(p, row, lambda);
    if (row->set == TN_ROW_SPIN) return class == TN_CLASS_SLIPS ? bound : -bound;
    int first = row->set == TN_ROW_ROLL ? r : r - 1;
    double x = lambda->row[first] - u->row[first] / d,
           y = lambda->row[first + 1] - u->row[first + 1] / d, length = hypot(x, y);
    return length > 0.0 ? bound * (r == first ? x : y) / length : 0.0;
}

/* ---- all ---- */

bool tn_laws_classify(const TnProblem *p, const TnCompliances *D, const TnPerConstraint *u,
                      const TnPerConstraint *lambda, TnLaws *laws)
{
    bool same = true;
    laws->any_slip = false;
    laws->G.symmetric = true;
    for (int c = 0; c < p->contact_count; c++) {
        double mu = p->contact_batch[c / TN_LANES].mu[c % TN_LANES];
        TnClass class = contact_class(D->contact[c], mu, p->normals[c], u->contact[c],
                                      lambda->contact[c]);
        same = same && laws->contact_class[c] == class;
        laws->contact_class[c] = (unsigned char)class;
        if (class == TN_CLASS_SLIPS && mu > 0.0) {
            laws->any_slip = true;
            laws->G.symmetric = false;
        }
    }
    for (int r = 0; r < p->row_count; r++) {
        TnClass class = row_class(p, r, D, u, lambda);
        same = same && laws->row_class[r] == class;
        laws->row_class[r] = (unsigned char)class;
        if (p->rows[r].set >= TN_ROW_SPIN && class != TN_CLASS_HELD) laws->any_slip = true;
    }
    return same;
}

void tn_laws_linearize(const TnProblem *p, const TnCompliances *D, const TnPerConstraint *u,
                       const TnPerConstraint *lambda, double share, double R, TnLaws *laws)
{
    for (int c = 0; c < p->contact_count; c++) {
        double mu = p->contact_batch[c / TN_LANES].mu[c % TN_LANES];
        double *a = laws->a.contact[c], *G = laws->G.contact[c];
        if (laws->contact_class[c] == TN_CLASS_FREE) {
            v3_zero(a);
            memset(G, 0, sizeof laws->G.contact[c]);
        } else if (laws->contact_class[c] == TN_CLASS_HELD) {
            hold(D->contact[c], p->normals[c], lambda->contact[c], share, R, a, G);
        } else {
            slip(D->contact[c], mu, p->normals[c], u->contact[c], lambda->contact[c], share, R, a,
                 G);
        }
    }
    for (int r = 0; r < p->row_count; r++) {
        const TnRow *row = &p->rows[r];
        TnClass class = laws->row_class[r];
        if (row->set == TN_ROW_SOFT) {
            laws->G.row[r] = row->k * row->alpha;
            laws->a.row[r] = -row->k * (1.0 - row->alpha) * row->e;
        } else if (class == TN_CLASS_HELD) {
            laws->G.row[r] = R / D->row[r];
            laws->a.row[r] = share * lambda->row[r];
        } else {
            laws->G.row[r] = 0.0;
            laws->a.row[r] = force_at_bound(p, r, class, D, u, lambda);
        }
    }
    for (int i = 0; i < p->bond_count; i++) {
        const TnBond *bond = &p->bonds[i];
        double *a = laws->a.bond[i], *G = laws->G.bond[i];
        if (!bond->hard) {
            memcpy(G, bond->K, sizeof bond->K);
            for (int k = 0; k < 12; k++) a[k] = -bond->f[k];
            continue;
        }
        for (int r = 0; r < 12; r++) {
            a[r] = share * lambda->bond[i][r] + R * bond->c[r];
            for (int k = 0; k < 12; k++) {
                double sum = 0.0;
                for (int j = 0; j < 6; j++)
                    sum += bond->P[12 * (j + 6 * (k / 6)) + r] * bond->W[k / 6][6 * (k % 6) + j];
                G[12 * r + k] = R * sum;
            }
        }
    }
}

void tn_laws_restart(const TnProblem *p, const TnPerConstraint *lambda, double R, TnLaws *laws)
{
    for (int c = 0; c < p->contact_count; c++) {
        const double *n = p->normals[c], *l = lambda->contact[c];
        if (laws->contact_class[c] == TN_CLASS_HELD) v3_copy(laws->a.contact[c], l);
        if (laws->contact_class[c] == TN_CLASS_SLIPS) /* without friction, or G would change */
            v3_scale(laws->a.contact[c], n, v3_dot(n, l));
    }
    for (int r = 0; r < p->row_count; r++)
        if (laws->row_class[r] == TN_CLASS_HELD) laws->a.row[r] = lambda->row[r];
    for (int i = 0; i < p->bond_count; i++)
        for (int k = 0; k < 12 && p->bonds[i].hard; k++)
            laws->a.bond[i][k] = lambda->bond[i][k] + R * p->bonds[i].c[k];
}

void tn_laws_force(const TnProblem *p, const TnLaws *laws, const TnPerConstraint *a,
                   const TnPerConstraint *at, TnPerConstraint *out)
{
    for (int c = 0; c < p->contact_count; c++) {
        const double *G = laws->G.contact[c], *x = at->contact[c];
        for (int i = 0; i < 3; i++)
            out->contact[c][i] = a->contact[c][i] -
                                 (G[3 * i] * x[0] + G[3 * i + 1] * x[1] + G[3 * i + 2] * x[2]);
    }
    for (int r = 0; r < p->row_count; r++)
        out->row[r] = a->row[r] - laws->G.row[r] * at->row[r];
    for (int i = 0; i < p->bond_count; i++)
        for (int r = 0; r < 12; r++) {
            double sum = a->bond[i][r];
            for (int k = 0; k < 12; k++) sum -= laws->G.bond[i][12 * r + k] * at->bond[i][k];
            out->bond[i][r] = sum;
        }
}
