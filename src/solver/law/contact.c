/* contact.c: Coulomb's law with Signorini's, one contact at a time; math/kernels has Π, the natural
 * map and the softened law's lines of eight at a time (contact_update in kernels.h,
 * contact_kernels.h).
 *
 * The line of tn_contact_line: in velocity units, q = D λ (normal and tangential parts apart) and t
 * = q - u, the residual is the natural map, which is Alart and Curnier's function,
 *
 *     F_n = min(u_n, q_n),   F_t = q_t - Π(t_t),  Π on the disc of m t_n⁺, m = μ D_t/D_n
 *
 * A step has F + E du + H dq = 0 with E, H from the piece that u and q are on. Where a contact
 * holds, H = 0 and nothing bounds dq; H = 1/R in its place is the regularisation that redundant
 * constraints need. Solved for dq, with d = t_t/|t_t|, e across n and d, κ = m t_n/|t_t| < 1:
 *
 *     open   t_n <= 0         dq = -q
 *     stick  |t_t| <= m t_n   dq = -R (u + du)
 *     slip                    dq_n = -R (u_n + du_n),   dq_d = m (t_n + dq_n - du_n) - q_d,
 *                             (1 - κ + 1/R) dq_e = -(q_e + κ du_e)
 *
 * All are exact derivatives; slip makes the matrix unsymmetric. */
#include "law.h"

#include "../../math/vec3.h"

void tn_contact_project_batch(const TnContactBatch *batch, double (*lambda)[3])
{
    double l[3][TN_LANES];
    for (int k = 0; k < TN_LANES; k++) {
        const double n[3] = {batch->normal[0][k], batch->normal[1][k], batch->normal[2][k]};
        const double t[3] = {batch->t[0][k], batch->t[1][k], batch->t[2][k]};
        double x[3];
        tn_contact_project(n, batch->mu[k], t, x);
        for (int c = 0; c < 3; c++) l[c][k] = x[c];
    }
    for (int k = 0; k < TN_LANES; k++)
        for (int c = 0; c < 3; c++) lambda[k][c] = l[c][k];
}

void tn_contact_release(const double n[3], double Dn, double Dt, double lambda[3])
{
    if (!(Dt > 0.0)) v3_scale(lambda, n, v3_dot(n, lambda));
    if (!(Dn > 0.0)) v3_zero(lambda); /* and no friction then */
}

/* ---- one contact alone ---- */

/* With r = u - W λ what it would see without its own force:
 *
 *     r_n >= 0               open, λ = 0
 *     λ = -W⁻¹ r in the cone  sticks
 *     else slips             λ_n = max(0, -(r_n + W_nt λ_t) / W_nn), then
 *                            λ_t = Π(λ_t - u_t / w) on the disc of μ λ_n, w = max(W_11, W_22) */
void tn_contact_solve(const double W[9], const double V[9], bool regular, double mu,
                      const double u[3], double l[3])
{
    double r[3], stick[3];
    for (int i = 0; i < 3; i++)
        r[i] = u[i] - (W[3 * i] * l[0] + W[3 * i + 1] * l[1] + W[3 * i + 2] * l[2]);
    if (r[0] >= 0.0) {
        v3_zero(l);
        return;
    }
    if (!(mu > 0.0)) {
        l[0] = -r[0] / W[0];
        l[1] = l[2] = 0.0;
        return;
    }
    if (regular) {
        for (int i = 0; i < 3; i++)
            stick[i] = -(V[3 * i] * r[0] + V[3 * i + 1] * r[1] + V[3 * i + 2] * r[2]);
        double bound = mu * stick[0];
        if (stick[0] > 0.0 && stick[1] * stick[1] + stick[2] * stick[2] <= bound * bound) {
            v3_copy(l, stick);
            return;
        }
    }
    double w = W[4] > W[8] ? W[4] : W[8], n = -(r[0] + W[1] * l[1] + W[2] * l[2]) / W[0];
    l[0] = n > 0.0 ? n : 0.0;
    double x = l[1] - (r[1] + W[3] * l[0] + W[4] * l[1] + W[5] * l[2]) / w;
    double y = l[2] - (r[2] + W[6] * l[0] + W[7] * l[1] + W[8] * l[2]) / w;
    double share = tn_disc_share(sqrt(x * x + y * y), mu * l[0]);
    l[1] = share * x;
    l[2] = share * y;
}

/* ---- errors ---- */

TnContactPair tn_contact_pair(const double n[3], const double x[3])
{
    TnContactPair pair = {.n = v3_dot(n, x)};
    for (int k = 0; k < 3; k++) pair.t[k] = x[k] - pair.n * n[k];
    return pair;
}

static double fischer_burmeister(double a, double b) { return a + b - hypot(a, b); }

double tn_contact_error(TnContactPair u, TnContactPair lambda, double mu, double Dn, double Dt)
{
    double lt[3], align[3];
    for (int k = 0; k < 3; k++) lt[k] = Dt * lambda.t[k];
    double slip = v3_norm(u.t), bound = Dt * mu * lambda.n, friction = v3_norm(lt);
    double opening = fischer_burmeister(u.n, Dn * lambda.n);
    double sticking = fischer_burmeister(slip, bound - friction);
    for (int k = 0; k < 3; k++) align[k] = slip * lt[k] + bound * u.t[k];
    double sum = slip + fabs(bound);
    double direction = sum > 0.0 ? v3_norm(align) / sum : 0.0;
    return opening * opening + sticking * sticking + direction * direction;
}

double tn_contact_map(TnContactPair u, TnContactPair lambda, double mu, double Dn, double Dt)
{
    double tn = Dn > 0.0 ? fmax(0.0, lambda.n - u.n / Dn) : 0.0, tt[3];
    double normal = Dn * (lambda.n - tn);
    if (!(Dt > 0.0)) return normal * normal;
    for (int k = 0; k < 3; k++) tt[k] = lambda.t[k] - u.t[k] / Dt;
    double share = tn_disc_share(v3_norm(tt), mu * tn), sum = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = Dt * (lambda.t[k] - share * tt[k]);
        sum += d * d;
    }
    return normal * normal + sum;
}

/* ---- the line ---- */

/* G += s x yᵀ */
static void add_outer(double G[9], double s, const double x[3], const double y[3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) G[3 * i + j] += s * x[i] * y[j];
}

static TnContactLine slipping(const double n[3], double Dn, double Dt, double mu, const double u[3],
                              const double lambda[3], const double d[3], double reach, double R)
{
    TnContactLine line = {.symmetric = mu == 0.0};
    double e[3], un = v3_dot(n, u), tn = Dn * v3_dot(n, lambda) - un, m = mu * Dt / Dn;
    double kappa = m * tn / reach, qd = Dt * v3_dot(d, lambda);
    double turn = 1.0 / (1.0 - kappa + 1.0 / R);
    v3_cross(e, n, d);
    v3_add_scaled(line.a, n, -R * un / Dn);
    v3_add_scaled(line.a, d, (m * (tn - R * un) - qd) / Dt);
    v3_add_scaled(line.a, e, -turn * v3_dot(e, lambda));
    add_outer(line.G, R / Dn, n, n);
    add_outer(line.G, m * (R + 1.0) / Dt, d, n);
    add_outer(line.G, turn * kappa / Dt, e, e);
    return line;
}

TnContactLine tn_contact_line(const double n[3], double Dn, double Dt, double mu, const double u[3],
                              const double lambda[3], double R)
{
    TnContactLine line = {.symmetric = true};
    double un = v3_dot(n, u), tn = Dn * v3_dot(n, lambda) - un, trial[3];
    v3_scale(line.a, lambda, -1.0);
    if (!(Dn > 0.0) || tn <= 0.0) return line;
    for (int k = 0; k < 3; k++) trial[k] = Dt * lambda[k] - u[k];
    TnContactPair t = tn_contact_pair(n, trial);
    double reach = v3_norm(t.t), bound = mu * Dt / Dn * tn;
    if (!(Dt > 0.0)) { /* no friction; λ has none */
        v3_scale(line.a, n, -R * un / Dn);
        add_outer(line.G, R / Dn, n, n);
        return line;
    }
    if (reach > bound) {
        v3_scale(t.t, t.t, 1.0 / reach);
        return slipping(n, Dn, Dt, mu, u, lambda, t.t, reach, R);
    }
    for (int k = 0; k < 3; k++) {
        line.a[k] = -R / Dt * u[k] - (R / Dn - R / Dt) * un * n[k];
        line.G[4 * k] = R / Dt;
    }
    add_outer(line.G, R / Dn - R / Dt, n, n);
    return line;
}
