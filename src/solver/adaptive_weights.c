/* adaptive_weights.c: one scale for all weights, balanced by the residuals of the ADMM loop.
 *
 * In an iteration z changes by ADMM's dual residual and λ by its primal one, the latter times the
 * weights. In the norm of the weights, over some iterations and with u = J v + e for Σ z,
 *
 *     primal = √(Δλᵀ B⁻¹ Δλ),   dual = √(Δuᵀ B Δu).
 *
 * Weights that are too small leave λ behind, those that are too large hold v back. Where contacts
 * are more than they need be, λ also wanders in ways that move nothing; of |Δλ·Δu| <= primal · dual
 * these make no part. So weights are too small by |Δλ·Δu| / dual², if that is above BALANCE, and too
 * large by dual / primal, if that is. They are multiplied by the root of it, at most every
 * TN_BALANCE_EVERY iterations, and stay within LEAST … MOST of those that the loop began with:
 * without such bounds they run away and the loop with them. To turn back takes an imbalance
 * STUBBORN times as large each time. H is factored again, and since v and λ are all that an
 * un-relaxed iteration needs, the loop goes on from them as from a warm start. Residuals are added
 * up by one thread in one order. */
#include "adaptive_weights.h"

#include <math.h>
#include <string.h>

#include "../math/vec3.h"
#include "assembly.h"
#include "mesh.h"

#define BALANCE 5.0
#define STUBBORN 2.0
#define LEAST 0.3
#define MOST 6.0

struct TnBalance {
    TnSolverDef def; /* with the weights' present scale */
    double scale;    /* of the weights, against the first */
    double factor;   /* what they are to be multiplied by */
    int direction;   /* of the last change: -1, 1; 0: none yet */
    double limit;    /* imbalance that it takes to turn */
    bool seen;       /* there are last λ and u */
    TnPerConstraint lambda, u, last_lambda, last_u;
    double **S; /* per large block: a mesh's Schur complement, which H overwrites */
};

bool tn_balance_prepare(TnProblem *p, const TnSolverDef *def)
{
    p->balance = NULL;
    if (!def->adaptive_weights || def->form != TN_ADMM_REDUCED) return true;
    TnBalance *b = TN_ARENA_NEW(p->arena, TnBalance, 1);
    double **S = TN_ARENA_ZERO(p->arena, double *, p->large_count);
    if (!b || !S) return false;
    *b = (TnBalance){.def = *def, .scale = 1.0, .factor = 1.0, .limit = BALANCE, .S = S};
    if (!tn_per_constraint_alloc(p, &b->lambda) || !tn_per_constraint_alloc(p, &b->u) ||
        !tn_per_constraint_alloc(p, &b->last_lambda) || !tn_per_constraint_alloc(p, &b->last_u))
        return false;
    for (int i = 0; i < p->large_count; i++) {
        const TnMesh *m = p->large[i].mesh;
        if (!m || !m->size) continue;
        S[i] = TN_ARENA_NEW(p->arena, double, (size_t)m->size * m->stride);
        if (!S[i]) return false;
        memcpy(S[i], m->S, sizeof(double) * (size_t)m->size * m->stride);
    }
    p->balance = b;
    return true;
}

void tn_balance_start(TnProblem *p) { p->balance->seen = false; }

double tn_balance_scale(const TnProblem *p) { return p->balance ? p->balance->scale : 1.0; }

/* ---- residuals ---- */

static void take(const TnProblem *p, TnPerConstraint *lambda, TnPerConstraint *u)
{
    tn_lambda_take(p, lambda);
    tn_contact_kernels()->velocities(p->contact_batch, 0, p->contact_batches,
                                     (const double(*)[8])p->twist, true, u->contact);
    for (int r = 0; r < p->row_count; r++) u->row[r] = tn_row_velocity(p, &p->rows[r]);
    for (int i = 0; i < p->bond_count; i++)
        tn_bond_velocity(&p->bonds[i], (const double(*)[8])p->twist, u->bond[i]);
}

static double dot12(const double a[12], const double b[12])
{
    double sum = 0.0;
    for (int k = 0; k < 12; k++) sum += a[k] * b[k];
    return sum;
}

/* Since the last look. */
typedef struct Residuals {
    double primal, dual; /* squared */
    double both;         /* Δλ·Δu */
} Residuals;

static Residuals residuals(const TnProblem *p, const TnBalance *b)
{
    Residuals sum = {0};
    for (int c = 0; c < p->contact_count; c++) {
        const TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        double Bn = batch->Bn[c % TN_LANES], Bt = batch->Bt[c % TN_LANES], l[3], u[3];
        v3_sub(l, b->lambda.contact[c], b->last_lambda.contact[c]);
        v3_sub(u, b->u.contact[c], b->last_u.contact[c]);
        double ln = v3_dot(p->normals[c], l), un = v3_dot(p->normals[c], u);
        if (Bn > 0.0) sum.primal += ln * ln / Bn;
        if (Bt > 0.0) sum.primal += (v3_dot(l, l) - ln * ln) / Bt;
        sum.dual += Bn * un * un + Bt * (v3_dot(u, u) - un * un);
        sum.both += v3_dot(l, u);
    }
    for (int r = 0; r < p->row_count; r++) {
        double B = p->rows[r].B, l = b->lambda.row[r] - b->last_lambda.row[r];
        double u = b->u.row[r] - b->last_u.row[r];
        if (B > 0.0) sum.primal += l * l / B;
        sum.dual += B * u * u;
        sum.both += l * u;
    }
    for (int i = 0; i < p->bond_count; i++) {
        TnBond *bond = &p->bonds[i];
        double l[12], u[12], weighed[12];
        for (int k = 0; k < 12; k++) {
            l[k] = b->lambda.bond[i][k] - b->last_lambda.bond[i][k];
            u[k] = b->u.bond[i][k] - b->last_u.bond[i][k];
        }
        tn_bond_weigh(bond->w, l, weighed);
        sum.primal += dot12(l, weighed);
        tn_bond_weigh(bond->W, u, weighed);
        sum.dual += dot12(u, weighed);
        sum.both += dot12(l, u);
    }
    return sum;
}

/* How much too small the weights are; below 1: too large. */
static double imbalance(Residuals r)
{
    if (!(r.primal > 0.0 && r.dual > 0.0)) return 1.0; /* NaN, too */
    return fmax(fabs(r.both) / r.dual, fmin(1.0, sqrt(r.primal / r.dual)));
}

bool tn_balance_look(TnProblem *p)
{
    TnBalance *b = p->balance;
    take(p, &b->lambda, &b->u);
    bool seen = b->seen;
    double ratio = seen ? imbalance(residuals(p, b)) : 1.0;
    tn_per_constraint_swap(&b->lambda, &b->last_lambda);
    tn_per_constraint_swap(&b->u, &b->last_u);
    b->seen = true;
    int direction = ratio > 1.0 ? 1 : -1;
    double limit = b->direction && direction != b->direction ? b->limit : BALANCE;
    if (fmax(ratio, 1.0 / ratio) < limit) return false;
    double scale = fmin(fmax(b->scale * sqrt(ratio), LEAST), MOST);
    b->factor = scale / b->scale;
    if (!(fabs(b->factor - 1.0) > 0.01)) return false; /* at a bound */
    if (b->direction && direction != b->direction) b->limit *= STUBBORN;
    if (!b->direction) b->limit = STUBBORN * BALANCE;
    b->direction = direction;
    b->scale = scale;
    return true;
}

/* ---- the change ---- */

bool tn_balance_change(TnProblem *p, TnPool *pool)
{
    TnBalance *b = p->balance;
    double f = b->factor;
    b->seen = false;
    b->def.weight_scale *= f;
    for (int c = 0; c < p->contact_count; c++) {
        TnContactBatch *batch = &p->contact_batch[c / TN_LANES];
        batch->Bn[c % TN_LANES] *= f;
        batch->Bt[c % TN_LANES] *= f;
        for (int k = 0; k < 4; k++) p->beta[c][k] *= f;
    }
    for (int r = 0; r < p->row_count; r++) p->rows[r].B *= f;
    for (int s = 0; s < p->side_count; s++) p->sides[s].beta *= f;
    for (int i = 0; i < p->twist_count + p->large_count; i++) p->block_beta[i] *= f;
    for (int i = 0; i < p->bond_count; i++)
        if (!tn_bond_prepare(p, &b->def, i)) return false;
    for (int i = 0; i < p->large_count; i++) {
        const TnMesh *m = p->large[i].mesh;
        if (b->S[i]) memcpy(m->H, b->S[i], sizeof(double) * (size_t)m->size * m->stride);
    }
    return tn_problem_factor_H(p, pool);
}
