/* matrix.c: how the residuals of laws follow their forces, as one dense matrix. */
#include "trial.h"

#include "../base/rounding.h"

#include <math.h>
#include <string.h>

/* What unknown j does to the velocities of all laws: column j of W. `base`: the response to no
 * force. */
static void find_response(TnTrial *t, const TnTrial *base, int j, const TnLinearLaw *own)
{
    const TnLinear *linear = t->linear;
    double *force = tn_trial_force(t, own->kind, own->index) + (j - own->first);
    *force = 1.0 / own->scale;
    tn_trial_respond(t);
    *force = 0.0;
    for (int i = 0; i < linear->law_count; i++) {
        const TnLinearLaw *law = &linear->laws[i];
        const double *u = tn_trial_velocity(t, law->kind, law->index),
                     *u0 = tn_trial_velocity(base, law->kind, law->index);
        for (int k = 0; k < law->count; k++)
            linear->W[(size_t)(law->first + k) * (size_t)linear->n + (size_t)j] = u[k] - u0[k];
    }
}

/* Column j of M at the forces of a trial: what a change of unknown j does to F. */
static void column(const TnTrial *t, int j, const TnLinearLaw *own, double *out)
{
    const TnLinear *linear = t->linear;
    for (int i = 0; i < linear->law_count; i++) {
        const TnLinearLaw *law = &linear->laws[i];
        TnLawPoint at = tn_trial_point(t, law, law->index);
        double du[12], dl[12] = {0.0}, *dF = out + law->first;
        for (int k = 0; k < law->count; k++)
            du[k] = linear->W[(size_t)(law->first + k) * (size_t)linear->n + (size_t)j];
        if (law == own) dl[j - own->first] = 1.0 / own->scale;
        if (law->kind == TN_LAW_CONTACT) {
            tn_law_contact_slope(law, &at, du, dl, dF);
        } else if (law->kind == TN_LAW_BOND) {
            double slack = tn_bond_rows_slack(&t->p->bonds[law->index]);
            for (int k = 0; k < law->count; k++) dF[k] = du[k] + slack * dl[k];
        } else {
            const TnRow *row = &t->p->rows[law->index];
            double change = 0.0;
            if (tn_row_is_disc(row) && own->kind == TN_LAW_CONTACT && own->index == row->contact)
                change = t->p->normals[row->contact][j - own->first] / own->scale;
            tn_law_row_slope(law, &at, change, du, dl, dF);
        }
    }
}

/* ---- its factor ---- */

/* Householder's QR with the longest column next: M P = Q R, until what is left is a share TN_ROOM
 * of the first pivot. By columns: R above, vectors of Q on and below the diagonal. */
static void factor(TnLinear *linear)
{
    size_t n = (size_t)linear->n;
    double *M = linear->M, *head = linear->head, first = 0.0, last = 0.0;
    for (size_t j = 0; j < n; j++) linear->order[j] = (int)j;
    linear->rank = 0;
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        double most = -1.0;
        for (size_t j = k; j < n; j++) {
            double squared = 0.0;
            for (size_t i = k; i < n; i++) squared += M[j * n + i] * M[j * n + i];
            if (squared > most) {
                most = squared;
                best = j;
            }
        }
        double size = sqrt(most), *c = M + k * n;
        if (k == 0) first = size;
        /* columns no more apart from others are redundant (four feet of a box) */
        if (!(size > TN_ROOM * first)) break;
        for (size_t i = 0; best != k && i < n; i++) {
            double x = c[i];
            c[i] = M[best * n + i];
            M[best * n + i] = x;
        }
        int at = linear->order[k];
        linear->order[k] = linear->order[best];
        linear->order[best] = at;
        /* I - v vᵀ/(size v_k) with v = c + sign(c_k) size e_k */
        double sign = c[k] < 0.0 ? -1.0 : 1.0, v = c[k] + sign * size;
        for (size_t j = k + 1; j < n; j++) {
            double *other = M + j * n, sum = v * other[k];
            for (size_t i = k + 1; i < n; i++) sum += c[i] * other[i];
            sum /= size * fabs(v);
            other[k] -= sum * v;
            for (size_t i = k + 1; i < n; i++) other[i] -= sum * c[i];
        }
        head[k] = v;
        c[k] = -sign * size;
        last = size;
        linear->rank++;
    }
    linear->condition = linear->rank ? first / last : 1.0;
}

/* x ← the solution with as many zeros as there are dependent columns; what contradicts itself in x
 * is left. */
void tn_linear_solve(const TnLinear *linear, double *x, double *scratch)
{
    size_t n = (size_t)linear->n, rank = (size_t)linear->rank;
    const double *M = linear->M;
    for (size_t k = 0; k < rank; k++) {
        const double *c = M + k * n;
        double v = linear->head[k], sum = v * x[k];
        for (size_t i = k + 1; i < n; i++) sum += c[i] * x[i];
        sum /= fabs(c[k] * v);
        x[k] -= sum * v;
        for (size_t i = k + 1; i < n; i++) x[i] -= sum * c[i];
    }
    for (size_t k = rank; k-- > 0;) {
        x[k] /= M[k * n + k];
        for (size_t i = 0; i < k; i++) x[i] -= M[k * n + i] * x[k];
    }
    memset(scratch, 0, sizeof(double) * n);
    for (size_t k = 0; k < rank; k++) scratch[linear->order[k]] = x[k];
    memcpy(x, scratch, sizeof(double) * n);
}

/* Forces lessened by M⁻¹ F. */
void tn_trial_lessen(const TnTrial *t, const double *F)
{
    for (int i = 0; i < t->linear->law_count; i++) {
        const TnLinearLaw *law = &t->linear->laws[i];
        if (t->place[i] < 0) continue;
        double *force = tn_trial_force(t, law->kind, t->place[i]);
        for (int k = 0; k < law->count; k++) force[k] -= F[law->first + k] / law->scale;
    }
}

/* W, by the response to one force after the other. */
bool tn_linear_note_response(TnLinear *linear, TnProblem *p)
{
    size_t n = (size_t)linear->n;
    TnTrial t, base;
    linear->W = tn_linear_room(linear, 5, sizeof(double) * n * n + 1);
    if (!linear->W || !tn_trial_reserve(&t, p, linear) || !tn_trial_reserve(&base, p, linear))
        return false;
    memset(base.mu, 0, sizeof(double[12]) * (size_t)p->bond_count);
    memset(t.mu, 0, sizeof(double[12]) * (size_t)p->bond_count);
    tn_trial_respond(&base);
    for (int i = 0; i < linear->law_count; i++) {
        const TnLinearLaw *law = &linear->laws[i];
        for (int k = 0; k < law->count; k++) find_response(&t, &base, law->first + k, law);
    }
    return true;
}

/* M at the forces of a trial, factored. False: no memory. */
bool tn_linear_note_matrix(TnLinear *linear, const TnTrial *solution)
{
    size_t n = (size_t)linear->n;
    linear->M = tn_linear_room(linear, 3, sizeof(double) * n * n + 1);
    linear->head = tn_linear_room(linear, 4, sizeof(double) * n + 1);
    linear->order = tn_linear_room(linear, 7, sizeof(int) * n + 1);
    if (!linear->M || !linear->head || !linear->order) return false;
    for (int l = 0; l < linear->law_count; l++) {
        const TnLinearLaw *law = &linear->laws[l];
        for (int k = 0; k < law->count; k++)
            column(solution, law->first + k, law, linear->M + (size_t)(law->first + k) * n);
    }
    factor(linear);
    return true;
}
