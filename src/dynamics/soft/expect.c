/* expect.c: how a soft body is expected to move in a step, and with which weights: where its elements are taken. */
#include "elements.h"

#include <math.h>

#include "../../math/vec3.h"

/* ---- what is expected ---- */

static bool take_memory(const TnSoft *soft, TnArena *arena, TnSoftSystem *s)
{
    size_t n = 3 * (size_t)soft->node_count;
    s->expected = TN_ARENA_NEW(arena, double, n);
    s->end = TN_ARENA_NEW(arena, double, n);
    s->holds = tn_arena_calloc(arena, sizeof *s->holds * ((size_t)soft->hold_count + 1));
    return s->expected && s->end && s->holds;
}

bool tn_soft_predict(const TnSoftInput *input, TnSoftSystem *softs, double *end_qvel)
{
    const TnModel *model = input->in->model;
    for (int s = 0; s < model->soft_count; s++) {
        const TnSoft *soft = &model->softs[s];
        int n = 3 * soft->node_count;
        if (tn_left_out(input->in, soft->subsystem)) continue;
        if (!take_memory(soft, input->arena, &softs[s])) return false;
        softs[s].smooth = tn_predict_velocity(n, input->in->qvel + soft->dof_start,
                                              input->last + soft->dof_start, softs[s].expected);
        for (int k = 0; k < n; k++)
            if (soft->pinned[k / 3]) softs[s].expected[k] = 0.0;
    }
    if (!tn_soft_hold_motion(input, softs)) return false;
    for (int s = 0; s < model->soft_count; s++) {
        const TnSoft *soft = &model->softs[s];
        const double *v = input->in->qvel + soft->dof_start;
        if (tn_left_out(input->in, soft->subsystem)) continue;
        for (int k = 0; k < 3 * soft->node_count; k++)
            end_qvel[soft->dof_start + k] =
                soft->pinned[k / 3] ? 0.0 : v[k] + (softs[s].expected[k] - v[k]) / input->in->theta;
    }
    return true;
}

/* ---- one body ---- */

/* Share of an element's size that its corners may be expected to move against each other, the body's own turn
 * aside; twice that ends the θ rule. */
#define SLOW 0.15

bool tn_soft_solve3(const double I[9], const double y[3], double x[3])
{
    double c0[3], c1[3], c2[3];
    v3_cross(c0, I + 3, I + 6);
    v3_cross(c1, I + 6, I);
    v3_cross(c2, I, I + 3);
    double det = v3_dot(I, c0), size = I[0] + I[4] + I[8];
    if (!(det > 1e-12 * size * size * size)) return false; /* nodes in a line */
    for (int i = 0; i < 3; i++) x[i] = (c0[i] * y[0] + c1[i] * y[1] + c2[i] * y[2]) / det;
    return true;
}

/* The motion of the body as a whole: that with the same momenta, half way. Its turn is Cayley's. */
static void whole_motion(const TnSoft *soft, const double *x, const double *v, double t,
                         TnSoftStep *out)
{
    double *centre = out->centre, *mean = out->mean, L[3] = {0.0}, I[9] = {0.0};
    v3_set(centre, 0.0, 0.0, 0.0);
    v3_set(mean, 0.0, 0.0, 0.0);
    for (int n = 0; n < soft->node_count; n++) {
        double share = soft->masses[n] / soft->mass;
        v3_add_scaled(centre, x + 3 * n, share);
        v3_add_scaled(mean, v + 3 * n, share);
    }
    v3_add_scaled(centre, mean, 0.5 * t);
    for (int n = 0; n < soft->node_count; n++) {
        double r[3], u[3], l[3], m = soft->masses[n];
        for (int k = 0; k < 3; k++) {
            u[k] = v[3 * n + k] - mean[k];
            r[k] = x[3 * n + k] + 0.5 * t * v[3 * n + k] - centre[k];
        }
        double r2 = v3_dot(r, r);
        v3_cross(l, r, u);
        v3_add_scaled(L, l, m);
        for (int k = 0; k < 9; k++) I[k] += m * ((k % 4 ? 0.0 : r2) - r[k / 3] * r[k % 3]);
    }
    if (!tn_soft_solve3(I, L, out->omega)) v3_set(out->omega, 0.0, 0.0, 0.0);
    double quat[4] = {1.0};
    for (int k = 0; k < 3; k++) quat[1 + k] = 0.5 * t * out->omega[k];
    quat_normalize(quat);
    quat_to_m3(out->turn, quat);
}

/* v̂ of a node if it moved with the whole: ω × r half way, where |r| is shorter than at the ends. */
static void whole_velocity(const TnSoftStep *step, const double x[3], const double v[3], double t,
                           double out[3])
{
    double r[3];
    for (int k = 0; k < 3; k++) r[k] = x[k] + 0.5 * t * v[k] - step->centre[k];
    v3_cross(out, step->omega, r);
    v3_add(out, out, step->mean);
}

/* How far the corners of elements move against each other in the step, in lengths of them: the most. */
static double pace(const TnSoftInput *input, int index, const TnSoftStep *step, const double *v)
{
    const TnSoft *soft = &input->in->model->softs[index];
    const TnDivision *d = input->division;
    const double *x = input->in->qpos + soft->qpos_start;
    double most = 0.0, t = input->in->t;
    for (int i = d->soft_piece[index]; i < d->soft_piece[index] + d->soft_piece_count[index]; i++) {
        const TnPieceElements *p = &input->elements->pieces[i];
        for (int a = 0; a < p->piece->node_count; a++) {
            int n = p->piece->nodes[a];
            double with[3];
            whole_velocity(step, x + 3 * n, v + 3 * n, t, with);
            v3_sub(p->y[a], v + 3 * n, with);
        }
        most = fmax(most, input->elements->kernels->fastest(p->mesh, (const double(*)[4])p->y));
    }
    return t * sqrt(most);
}

/* Where the elements are taken, and the weights. Of a motion that is too fast (a hit of which nothing is known yet:
 * beyond what stiff elements will bear) a share of v⁺ in the displacement follows better than the θ rule. A law that
 * stiffens without bound must not be linearized there: what is beyond the limit is not expected to go on. The
 * co-rotational law is linear but for the turns of its elements, which are better known with all of it. */
void tn_soft_prepare(const TnSoftInput *input, int index, TnSoftSystem *s, TnSoftStep *step)
{
    const TnSoft *soft = &input->in->model->softs[index];
    const double *x = input->in->qpos + soft->qpos_start, *v = input->in->qvel + soft->dof_start;
    double t = input->in->t;
    TnSoftWeights *w = &step->weights;
    whole_motion(soft, x, s->expected, t, step);
    double far = pace(input, index, step, s->expected);
    double limit = s->smooth ? SLOW : SLOW / sqrt(1.0 + t * t * input->elements->rates[index].mean);
    double fast = fmin(fmax(far / limit - 1.0, 0.0), 1.0);
    s->w = fmax(s->w, fast);
    *w = tn_soft_weights(input->in, soft, input->elements->rates[index], s->w, fast);
    bool less = soft->law == TN_SOFT_NEO_HOOKEAN && far > limit;
    for (int n = 0; n < soft->node_count; n++) {
        double turned[3], with[3];
        m3_mul_v(turned, step->turn, v + 3 * n);
        if (less) whole_velocity(step, x + 3 * n, s->expected + 3 * n, t, with);
        for (int k = 0; k < 3; k++) {
            double u = v[3 * n + k], *expected = &s->expected[3 * n + k];
            if (less) { /* of its displacement, not of v̂: with w = 1 half of that is the start's */
                double whole = (w->p - w->r) * with[k];
                double part = limit / far * (w->p * *expected - w->r * u - whole);
                *expected = (whole + part + w->r * u) / w->p;
            }
            if (soft->pinned[n]) *expected = 0.0;
            double after = u + (*expected - u) / input->in->theta;
            s->end[3 * n + k] = soft->pinned[n] ? x[3 * n + k]
                                                : x[3 * n + k] + w->p * *expected - w->r * u +
                                                      w->late * (after - turned[k]);
        }
    }
}
