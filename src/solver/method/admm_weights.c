/* admm_weights.c: see admm_weights.h. */
#include "admm_weights.h"

#include "../../math/vec3.h"
#include "../law/law.h"

static double inverse_root(double W) { return W > 0.0 ? 1.0 / sqrt(W) : 0.0; }

bool tn_admm_weights_alloc(const TnProblem *p, TnAdmmWeights *out)
{
    *out = (TnAdmmWeights){.problem = p};
    out->along = tn_arena_alloc(p->arena, sizeof(double[2]) * (size_t)p->contact_count);
    out->across = tn_arena_alloc(p->arena, sizeof(double[2]) * (size_t)p->contact_count);
    out->bond_pull = tn_arena_alloc(p->arena, sizeof(double[12]) * (size_t)p->bond_count);
    return out->along && out->across && out->bond_pull && tn_gains_alloc(p, &out->W) &&
           tn_per_constraint_alloc(p, &out->root);
}

static void set_contact(TnAdmmWeights *w, int c, double Wn, double Wt)
{
    const double *n = w->problem->normals[c];
    w->along[c][0] = Wn;
    w->along[c][1] = inverse_root(Wn);
    w->across[c][0] = Wt;
    w->across[c][1] = inverse_root(Wt);
    for (int k = 0; k < 9; k++)
        w->W.contact[c / TN_LANES][k][c % TN_LANES] =
            (Wn - Wt) * n[k / 3] * n[k % 3] + (k % 4 == 0 ? Wt : 0.0);
}

static void set_bond(TnAdmmWeights *w, int i, double scale)
{
    const TnBond *bond = &w->problem->bonds[i];
    tn_bond_gain(w->problem, bond, scale, w->W.bond[i]);
    if (!bond->hard) {
        if (!bond->row_a) memset(w->W.bond[i], 0, sizeof(double[72]));
        if (!bond->row_b) memset(w->W.bond[i] + 72, 0, sizeof(double[72]));
        return;
    }
    for (int k = 0; k < 12; k++) { /* bond->c is for a scale of one */
        w->bond_pull[i][k] = -scale * bond->c[k];
        w->root.bond[i][k] = sqrt(bond->w[k / 6][7 * (k % 6)] / scale);
    }
}

void tn_admm_weights_set(TnAdmmWeights *w, const TnCompliances *D, double scale, double equality)
{
    const TnProblem *p = w->problem;
    for (int c = 0; c < p->contact_count; c++) {
        double Dn = tn_normal_compliance(D, c), Dt = tn_tangent_compliance(D, c);
        set_contact(w, c, tn_weight(Dn, scale), tn_weight(Dt, scale));
    }
    for (int r = 0; r < p->row_count; r++) {
        const TnRow *row = &p->rows[r];
        w->W.row[r] = tn_row_weight(row, D->row[r], scale, equality);
        w->root.row[r] = tn_row_is_soft(row) ? 0.0 : inverse_root(w->W.row[r]);
    }
    for (int i = 0; i < p->bond_count; i++) set_bond(w, i, scale * equality);
    w->W.symmetric = true;
}

void tn_admm_split(const double n[3], double along, double across, const double x[3], double y[3])
{
    double part = (along - across) * v3_dot(n, x);
    for (int k = 0; k < 3; k++) y[k] = across * x[k] + part * n[k];
}

void tn_admm_weigh_bond(const TnAdmmWeights *w, int bond, const double x[12], double y[12])
{
    const double *G = w->W.bond[bond];
    for (int i = 0; i < 12; i++) {
        double sum = 0.0;
        for (int j = 0; j < 12; j++) sum += G[12 * i + j] * x[j];
        y[i] = sum;
    }
}

void tn_admm_weigh(const TnAdmmWeights *w, const TnPerConstraint *x, TnPerConstraint *out)
{
    const TnProblem *p = w->problem;
    for (int c = 0; c < p->contact_count; c++)
        tn_admm_weigh_contact(w, c, x->contact[c], out->contact[c]);
    for (int r = 0; r < p->row_count; r++) out->row[r] = w->W.row[r] * x->row[r];
    for (int i = 0; i < p->bond_count; i++) tn_admm_weigh_bond(w, i, x->bond[i], out->bond[i]);
}

void tn_admm_unweigh_root(const TnAdmmWeights *w, TnPerConstraint *x)
{
    const TnProblem *p = w->problem;
    for (int c = 0; c < p->contact_count; c++)
        tn_admm_split(p->normals[c], w->along[c][1], w->across[c][1], x->contact[c], x->contact[c]);
    for (int r = 0; r < p->row_count; r++) x->row[r] *= w->root.row[r];
    for (int i = 0; i < p->bond_count; i++)
        for (int k = 0; k < 12; k++) x->bond[i][k] *= w->root.bond[i][k];
}

/* Σ along d_n² + across |d_t|², d = x - y */
static double squared(const double n[3], double along, double across, const double x[3],
                      const double y[3])
{
    double d[3];
    v3_sub(d, x, y);
    double part = v3_dot(n, d);
    return across * (v3_dot(d, d) - part * part) + along * part * part;
}

double tn_admm_force_norm(const TnAdmmWeights *w, const TnPerConstraint *x,
                          const TnPerConstraint *y)
{
    const TnProblem *p = w->problem;
    double sum = 0.0;
    for (int c = 0; c < p->contact_count; c++) {
        double along = w->along[c][1], across = w->across[c][1];
        sum += squared(p->normals[c], along * along, across * across, x->contact[c], y->contact[c]);
    }
    for (int r = 0; r < p->row_count; r++)
        sum += pow(w->root.row[r] * (x->row[r] - y->row[r]), 2.0);
    return sum;
}

double tn_admm_velocity_norm(const TnAdmmWeights *w, const TnPerConstraint *x,
                             const TnPerConstraint *y)
{
    const TnProblem *p = w->problem;
    double sum = 0.0;
    for (int c = 0; c < p->contact_count; c++)
        sum +=
            squared(p->normals[c], w->along[c][0], w->across[c][0], x->contact[c], y->contact[c]);
    for (int r = 0; r < p->row_count; r++)
        if (!tn_row_is_soft(&p->rows[r])) sum += w->W.row[r] * pow(x->row[r] - y->row[r], 2.0);
    return sum;
}
