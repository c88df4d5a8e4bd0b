/* trial.c: all laws of a problem at some forces. */
#include "trial.h"

#include <math.h>
#include <string.h>

#include "../math/vec3.h"

bool tn_trial_reserve(TnTrial *t, TnProblem *p, const TnLinear *linear)
{
    *t = (TnTrial){.p = p, .linear = linear};
    size_t bonds = (size_t)p->bond_count;
    t->bonds = tn_arena_alloc(p->arena, sizeof *t->bonds * bonds + 1);
    t->mu = tn_arena_calloc(p->arena, sizeof(double[12]) * bonds + 1);
    t->nu = tn_arena_calloc(p->arena, sizeof(double[12]) * bonds + 1);
    if (!t->bonds || !t->mu || !t->nu || !tn_velocities_alloc(p, &t->v) ||
        !tn_per_constraint_alloc(p, &t->lambda) || !tn_per_constraint_alloc(p, &t->u))
        return false;
    for (int i = 0; i < p->bond_count; i++) {
        tn_bond_rows(&p->bonds[i], &t->bonds[i]);
        tn_bond_rows_start(&p->bonds[i], &t->bonds[i], t->mu + 12 * i);
    }
    return true;
}

/* u and v of the forces. */
void tn_trial_respond(TnTrial *t)
{
    TnProblem *p = t->p;
    tn_lambda_put(p, &t->lambda);
    for (int i = 0; i < p->bond_count; i++)
        tn_bond_rows_put(&p->bonds[i], &t->bonds[i], t->mu + 12 * i);
    tn_velocities_implied(p, &t->v);
    tn_constraint_velocities(p, &t->v, &t->u);
    for (int i = 0; i < p->bond_count; i++)
        tn_bond_rows_velocity(&p->bonds[i], &t->bonds[i], t->u.bond[i], t->nu + 12 * i);
}

double *tn_trial_force(const TnTrial *t, TnLawKind kind, int index)
{
    if (kind == TN_LAW_CONTACT) return t->lambda.contact[index];
    return kind == TN_LAW_BOND ? t->mu + 12 * index : t->lambda.row + index;
}

const double *tn_trial_velocity(const TnTrial *t, TnLawKind kind, int index)
{
    if (kind == TN_LAW_CONTACT) return t->u.contact[index];
    return kind == TN_LAW_BOND ? t->nu + 12 * index : t->u.row + index;
}

static double normal_force(const TnProblem *p, const TnPerConstraint *lambda, const TnRow *row)
{
    return v3_dot(p->normals[row->contact], lambda->contact[row->contact]);
}

TnLawPoint tn_trial_point(const TnTrial *t, const TnLinearLaw *law, int index)
{
    TnLawPoint at = {.p = t->p,
                     .smooth = &t->linear->smooth,
                     .index = index,
                     .u = tn_trial_velocity(t, law->kind, index),
                     .lambda = tn_trial_force(t, law->kind, index)};
    if (law->kind == TN_LAW_ROW || law->kind == TN_LAW_PAIR)
        if (tn_row_is_disc(&t->p->rows[index]))
            at.normal_force = normal_force(t->p, &t->lambda, &t->p->rows[index]);
    return at;
}

static void bond_residual(const TnLinearLaw *law, const TnTrial *t, int index, double *out)
{
    double slack = tn_bond_rows_slack(&t->p->bonds[index]);
    for (int k = 0; k < law->count; k++)
        out[k] = t->nu[12 * index + k] + slack * t->mu[12 * index + k];
}

/* F of all laws at the forces of the trial, whose response is known. */
static void residual(const TnTrial *t, double *F)
{
    for (int i = 0; i < t->linear->law_count; i++) {
        const TnLinearLaw *law = &t->linear->laws[i];
        double *out = F + law->first;
        memset(out, 0, sizeof(double) * (size_t)law->count);
        if (t->place[i] < 0) continue;
        TnLawPoint at = tn_trial_point(t, law, t->place[i]);
        if (law->kind == TN_LAW_CONTACT)
            tn_law_contact_residual(law, &at, out);
        else if (law->kind == TN_LAW_BOND)
            bond_residual(law, t, t->place[i], out);
        else
            tn_law_row_residual(law, &at, out);
    }
}

/* Without what laws are off by at the solution, where constraints contradict each other. */
void tn_trial_residual(const TnTrial *t, double *F)
{
    residual(t, F);
    for (int l = 0; l < t->linear->law_count; l++)
        for (int i = 0; i < t->linear->laws[l].count; i++)
            F[t->linear->laws[l].first + i] -= t->linear->laws[l].left[i];
}
