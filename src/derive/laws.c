/* laws.c: residuals of single laws and their derivatives; see linear.h. */
#include "trial.h"

#include <math.h>
#include <string.h>

#include "../math/vec3.h"

static double smooth_normal(const TnSmoothing *s, double give, double u, double *slope)
{
    double root = sqrt(u * u + 4.0 * s->near * s->near);
    *slope = 0.5 * (u / root - 1.0) / give;
    return 0.5 * (root - u) / give;
}

/* F of friction: λ_t against its bound, `count` numbers; u and λ of the tangent. */
static void friction(const TnLinearLaw *law, const TnSmoothing *s, double lever, int count,
                     double bound, const double *u, const double *lambda, double D, double *out)
{
    double squared = 0.0, slow = law->class == TN_CLASS_SMOOTH ? s->slow / lever : 0.0;
    for (int k = 0; k < count; k++) squared += u[k] * u[k];
    double size = sqrt(squared + slow * slow);
    for (int k = 0; k < count; k++)
        out[k] = D * (lambda[k] + (size > 0.0 ? bound * u[k] / size : 0.0));
}

/* Its derivative: dλ + db d + b/|u| (I - d dᵀ) du. */
static void friction_slope(const TnLinearLaw *law, const TnSmoothing *s, double lever, int count,
                           double bound, double change, const double *u, const double *du,
                           const double *dlambda, double D, double *out)
{
    double squared = 0.0, along = 0.0, slow = law->class == TN_CLASS_SMOOTH ? s->slow / lever : 0.0;
    for (int k = 0; k < count; k++) squared += u[k] * u[k];
    double size = sqrt(squared + slow * slow);
    if (!(size > 0.0)) {
        for (int k = 0; k < count; k++) out[k] = D * dlambda[k];
        return;
    }
    for (int k = 0; k < count; k++) along += u[k] / size * du[k];
    for (int k = 0; k < count; k++)
        out[k] =
            D * (dlambda[k] + change * u[k] / size + bound / size * (du[k] - along * u[k] / size));
}

void tn_law_split(const double n[3], const double x[3], double *normal, double tangent[3])
{
    *normal = v3_dot(n, x);
    for (int k = 0; k < 3; k++) tangent[k] = x[k] - *normal * n[k];
}

double tn_law_mu(const TnProblem *p, int contact)
{
    return p->contact_batch[contact / TN_LANES].mu[contact % TN_LANES];
}

/* A direction in which nothing yields bears no force. */
double tn_law_unit_if_dead(double D) { return D > 0.0 ? D : 1.0; }

void tn_law_contact_residual(const TnLinearLaw *law, const TnLawPoint *at, double *out)
{
    const double *n = at->p->normals[at->index];
    double un, ut[3], ln, lt[3], rn, rt[3], slope, mu = tn_law_mu(at->p, at->index);
    double Dn = law->D[0], Dt = law->D[1];
    tn_law_split(n, at->u, &un, ut);
    tn_law_split(n, at->lambda, &ln, lt);
    if (law->class == TN_CLASS_SMOOTH)
        rn = Dn * (ln - smooth_normal(at->smooth, at->smooth->give * Dn, un, &slope));
    else
        rn = un;
    if (law->class == TN_CLASS_HELD)
        v3_copy(rt, ut);
    else
        friction(law, at->smooth, 1.0, 3, mu * ln, ut, lt, Dt, rt);
    if (!(Dn > 0.0)) rn = ln;
    if (!(Dt > 0.0)) v3_copy(rt, lt);
    for (int k = 0; k < 3; k++) out[k] = rn * n[k] + rt[k];
}

void tn_law_contact_slope(const TnLinearLaw *law, const TnLawPoint *at, const double *du,
                          const double *dl, double *out)
{
    const double *n = at->p->normals[at->index];
    double un, ut[3], ln, lt[3], dun, dut[3], dln, dlt[3], rn, rt[3], slope,
        mu = tn_law_mu(at->p, at->index), Dn = law->D[0], Dt = law->D[1];
    tn_law_split(n, at->u, &un, ut);
    tn_law_split(n, at->lambda, &ln, lt);
    tn_law_split(n, du, &dun, dut);
    tn_law_split(n, dl, &dln, dlt);
    if (law->class == TN_CLASS_SMOOTH) {
        smooth_normal(at->smooth, at->smooth->give * Dn, un, &slope);
        rn = Dn * (dln - slope * dun);
    } else {
        rn = dun;
    }
    if (law->class == TN_CLASS_HELD)
        v3_copy(rt, dut);
    else
        friction_slope(law, at->smooth, 1.0, 3, mu * ln, mu * dln, ut, dut, dlt, Dt, rt);
    if (!(Dn > 0.0)) rn = dln;
    if (!(Dt > 0.0)) v3_copy(rt, dlt);
    for (int k = 0; k < 3; k++) out[k] = rn * n[k] + rt[k];
}

/* Half the width and the middle of a box that has both. */
bool tn_law_is_box(const TnRow *row)
{
    return row->set == TN_ROW_BOX && isfinite(row->lower) && isfinite(row->upper);
}

void tn_law_row_residual(const TnLinearLaw *law, const TnLawPoint *at, double *out)
{
    const TnRow *row = &at->p->rows[at->index];
    double D = law->D[0], lever = tn_row_lever(row), slope;
    if (!(D > 0.0)) {
        out[0] = at->lambda[0];
        if (law->count > 1) out[1] = at->lambda[1];
        if (tn_row_is_soft(row)) out[0] -= tn_soft_force(row, at->u[0]);
    } else if (tn_row_is_soft(row)) {
        out[0] = D * (at->lambda[0] - tn_soft_force(row, at->u[0]));
    } else if (law->class == TN_CLASS_HELD) {
        for (int k = 0; k < law->count; k++) out[k] = at->u[k];
    } else if (tn_row_is_disc(row) && law->kind == TN_LAW_ROW && law->class == TN_CLASS_SLIPS) {
        out[0] = D * (at->lambda[0] - law->side * row->mu * at->normal_force);
    } else if (tn_row_is_disc(row)) {
        friction(law, at->smooth, lever, law->count, row->mu * at->normal_force, at->u, at->lambda,
                 D, out);
    } else if (law->class == TN_CLASS_SLIPS) {
        out[0] = D * (at->lambda[0] - (law->side > 0.0 ? row->upper : row->lower));
    } else if (tn_law_is_box(row)) {
        double middle = at->lambda[0] - 0.5 * (row->lower + row->upper);
        friction(law, at->smooth, lever, 1, 0.5 * (row->upper - row->lower), at->u, &middle, D,
                 out);
    } else {
        TnSmoothing own = {.near = at->smooth->near / lever};
        out[0] = D * (at->lambda[0] - smooth_normal(&own, at->smooth->give * D, at->u[0], &slope));
    }
}

void tn_law_row_slope(const TnLinearLaw *law, const TnLawPoint *at, double normal_change,
                      const double *du, const double *dl, double *out)
{
    const TnRow *row = &at->p->rows[at->index];
    double D = law->D[0], lever = tn_row_lever(row), slope;
    if (!(D > 0.0)) {
        for (int k = 0; k < law->count; k++) out[k] = dl[k];
    } else if (tn_row_is_soft(row)) {
        out[0] = D * (dl[0] + tn_soft_gain(row) * du[0]);
    } else if (law->class == TN_CLASS_HELD) {
        for (int k = 0; k < law->count; k++) out[k] = du[k];
    } else if (tn_row_is_disc(row) && law->kind == TN_LAW_ROW && law->class == TN_CLASS_SLIPS) {
        out[0] = D * (dl[0] - law->side * row->mu * normal_change);
    } else if (tn_row_is_disc(row)) {
        friction_slope(law, at->smooth, lever, law->count, row->mu * at->normal_force,
                       row->mu * normal_change, at->u, du, dl, D, out);
    } else if (law->class == TN_CLASS_SLIPS) {
        out[0] = D * dl[0];
    } else if (tn_law_is_box(row)) {
        friction_slope(law, at->smooth, lever, 1, 0.5 * (row->upper - row->lower), 0.0, at->u, du,
                       dl, D, out);
    } else {
        TnSmoothing own = {.near = at->smooth->near / lever};
        smooth_normal(&own, at->smooth->give * D, at->u[0], &slope);
        out[0] = D * (dl[0] - slope * du[0]);
    }
}
