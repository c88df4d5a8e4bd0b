/* expect.c: how a soft body is expected to move in a step, and with which weights: where its
 * elements are taken. */
#include "elements.h"

#include <math.h>
#include <string.h>

#include "../../base/rounding.h"
#include "../../math/vec3.h"
#include "../../model/thresholds.h"

/* ---- what is expected ---- */

static bool take_memory(const TnSoft *soft, TnArena *arena, TnSoftSystem *s)
{
    size_t n = 3 * (size_t)soft->node_count;
    s->expected = TN_ARENA_NEW(arena, double, n);
    s->way = TN_ARENA_NEW(arena, double, n);
    s->end = TN_ARENA_NEW(arena, double, n);
    s->holds = tn_arena_calloc(arena, sizeof *s->holds * ((size_t)soft->hold_count + 1));
    return s->expected && s->way && s->end && s->holds;
}

/* ---- one body ---- */

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

/* Cayley's. */
static void set_turn(TnSoftStep *step, double t)
{
    double quat[4] = {1.0};
    for (int k = 0; k < 3; k++) quat[1 + k] = 0.5 * t * step->omega[k];
    quat_normalize(quat);
    quat_to_m3(step->turn, quat);
}

/* The motion of the body as a whole: that with the same momenta, half way. */
void tn_soft_whole_motion(const TnSoft *soft, const double *x, const double *v, double t,
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
    set_turn(out, t);
}

void tn_soft_whole_velocity(const TnSoftStep *step, const double x[3], const double way[3],
                            double t, double v[3], double turn[3])
{
    double r[3];
    for (int k = 0; k < 3; k++) r[k] = x[k] + 0.5 * t * way[k] - step->centre[k];
    v3_cross(v, step->omega, r);
    v3_cross(turn, step->omega, v);
    v3_scale(turn, turn, 0.5 * t);
    v3_add(v, v, step->mean);
}

/* The prediction goes straight on; the body turns as it does. In smooth motion the change of
 * velocities turns along, else velocities do, as c = ω × (r + ½t c) has it half way. */
static void turn_along(const TnSoftInput *input, const TnSoft *soft, bool smooth, double *expected)
{
    TnSoftStep step;
    const double *x = input->in->qpos + soft->qpos_start, *v = input->in->qvel + soft->dof_start;
    double t = input->in->t, change[3] = {0.0};
    tn_soft_whole_motion(soft, x, v, 0.0, &step);
    double turn2 = t * t * v3_dot(step.omega, step.omega);
    if (turn2 < TN_SAME * TN_SAME) return;
    set_turn(&step, t);
    for (int n = 0; n < soft->node_count; n++)
        for (int k = 0; k < 3; k++)
            change[k] += soft->masses[n] / soft->mass * (expected[3 * n + k] - v[3 * n + k]);
    for (int n = 0; n < soft->node_count; n++) {
        double own[3], now[3], turned[3], *out = expected + 3 * n;
        if (smooth) {
            v3_sub(own, out, v + 3 * n);
            v3_sub(own, own, change);
            m3_mul_v(turned, step.turn, own);
            for (int k = 0; k < 3; k++) out[k] = v[3 * n + k] + change[k] + turned[k];
        } else {
            v3_sub(own, x + 3 * n, step.centre);
            v3_cross(now, step.omega, own);
            v3_cross(turned, step.omega, now);
            for (int k = 0; k < 3; k++)
                out[k] += (now[k] + 0.5 * t * turned[k]) / (1.0 + 0.25 * turn2) - now[k];
        }
    }
}

bool tn_soft_predict(const TnSoftInput *input, double *end_qvel)
{
    TnSoftSystem *softs = input->systems->softs;
    const TnModel *model = input->in->model;
    for (int s = 0; s < model->soft_count; s++) {
        const TnSoft *soft = &model->softs[s];
        int n = 3 * soft->node_count;
        if (tn_left_out(input->in, soft->subsystem)) continue;
        if (!take_memory(soft, input->arena, &softs[s])) return false;
        softs[s].smooth = tn_predict_velocity(n, input->in->qvel + soft->dof_start,
                                              input->last + soft->dof_start, softs[s].expected);
        turn_along(input, soft, softs[s].smooth, softs[s].expected);
        for (int k = 0; k < n; k++)
            if (soft->pinned[k / 3]) softs[s].expected[k] = 0.0;
    }
    if (!tn_soft_hold_motion(input)) return false;
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

/* Chunks of batches, some µs each, that are worth a thread. */
#define GRAIN 4

typedef struct Fastest {
    const TnFemKernels *kernels;
    const TnPieceElements *p;
} Fastest;

static void fastest_range(void *context, int begin, int end)
{
    const Fastest *f = context;
    const TnFemMesh *mesh = f->p->mesh;
    for (int k = begin; k < end; k++) {
        int first = k * TN_SOFT_CHUNK, last = first + TN_SOFT_CHUNK;
        f->p->parts[k] = f->kernels->fastest(mesh, (const double(*)[4])f->p->y, first,
                                             last < mesh->batch_count ? last : mesh->batch_count);
    }
}

/* Of the velocity p->y. */
static double fastest(const TnSoftInput *input, const TnPieceElements *p)
{
    int count = (p->mesh->batch_count + TN_SOFT_CHUNK - 1) / TN_SOFT_CHUNK;
    double most = 0.0;
    tn_pool_run(input->pool, count, GRAIN, fastest_range, &(Fastest){input->elements->kernels, p});
    for (int k = 0; k < count; k++) most = fmax(most, p->parts[k]);
    return most;
}

/* How far the corners of elements move against each other in the step, in lengths of them: the
 * most. */
static double pace(const TnSoftInput *input, int index, const TnSoftStep *step, const double *v)
{
    const TnSoft *soft = &input->in->model->softs[index];
    const TnDivision *d = input->systems->division;
    const double *x = input->in->qpos + soft->qpos_start;
    double most = 0.0, t = input->in->t;
    for (int i = d->soft_piece[index]; i < d->soft_piece[index] + d->soft_piece_count[index]; i++) {
        const TnPieceElements *p = &input->elements->pieces[i];
        for (int a = 0; a < p->piece->node_count; a++) {
            int n = p->piece->nodes[a];
            double with[3], turn[3];
            tn_soft_whole_velocity(step, x + 3 * n, v + 3 * n, t, with, turn);
            v3_sub(p->y[a], v + 3 * n, with);
        }
        most = fmax(most, fastest(input, p));
    }
    return t * sqrt(most);
}

/* The way that v̂ leads, as a velocity, and the motion of the whole along it. */
static void set_way(const TnSoftInput *input, const TnSoft *soft, TnSoftSystem *s, TnSoftStep *step)
{
    const double *v = input->in->qvel + soft->dof_start;
    TnReach reach = tn_reach(input->in, s->w);
    for (int k = 0; k < 3 * soft->node_count; k++)
        s->way[k] = (reach.p * s->expected[k] - reach.r * v[k]) / input->in->t;
    tn_soft_whole_motion(soft, input->in->qpos + soft->qpos_start, s->way, input->in->t, step);
}

/* Of a motion that is too fast (or a hit of which nothing is known yet, beyond what stiff elements
 * will bear) a share of v⁺ in the displacement follows better than the θ rule. */
void tn_soft_decide(const TnSoftInput *input, int index)
{
    TnSoftSystem *s = &input->systems->softs[index];
    const TnSoft *soft = &input->in->model->softs[index];
    double t = input->in->t;
    TnSoftStep step;
    set_way(input, soft, s, &step);
    s->far = pace(input, index, &step, s->way);
    double limit = s->smooth
                       ? TN_SLOW_STRAIN
                       : TN_SLOW_STRAIN / sqrt(1.0 + t * t * input->elements->rates[index].mean);
    double fast = fmin(fmax(s->far / limit - 1.0, 0.0), 1.0);
    s->late = fmax(fast, tn_soft_unresolved(t, input->elements->rates[index], s->smooth));
    /* forces at the end of the step, under which it turns, drive it unless it moves by v⁺ */
    s->w = fmax(s->w, s->pressed ? s->late : fast);
}

/* Where the elements are taken, and the weights. A law that stiffens without bound must not be
 * linearized where a motion leads that is too fast: what is beyond the limit is not expected to go
 * on. The co-rotational law is linear but for the turns of its elements, which are better known
 * with all of it. */
void tn_soft_prepare(const TnSoftInput *input, int index, TnSoftSystem *s, TnSoftStep *step)
{
    const TnSoft *soft = &input->in->model->softs[index];
    const double *x = input->in->qpos + soft->qpos_start, *v = input->in->qvel + soft->dof_start;
    double t = input->in->t, far = s->far;
    TnSoftWeights *w = &step->weights;
    set_way(input, soft, s, step);
    *w = tn_soft_weights(input->in, soft, input->elements->rates[index], s->w, s->late);
    bool less = soft->law == TN_SOFT_NEO_HOOKEAN && far > TN_SLOW_STRAIN && !s->searched;
    for (int n = 0; n < soft->node_count; n++) {
        double turned[3], whole[3], turn[3];
        m3_mul_v(turned, step->turn, v + 3 * n);
        tn_soft_whole_velocity(step, x + 3 * n, s->way + 3 * n, t, whole, turn);
        for (int k = 0; k < 3; k++) {
            int i = 3 * n + k;
            if (soft->pinned[n]) {
                s->expected[i] = s->way[i] = 0.0;
                s->end[i] = x[i];
                continue;
            }
            if (less) {
                s->way[i] = whole[k] + TN_SLOW_STRAIN / far * (s->way[i] - whole[k]);
                s->expected[i] = (t * s->way[i] + w->r * v[i]) / w->p;
            }
            double after = v[i] + (s->expected[i] - v[i]) / input->in->theta;
            s->end[i] =
                x[i] + t * s->way[i] + w->late * (after - w->way_velocity * turn[k] - turned[k]);
        }
    }
}

/* A gradient that is off by δ leaves strains of δ², and with them energy: as much is let go as
 * energy allows (TN_STIFF_SHARE), and no more than this. A sheet turns its elements much farther
 * than it strains them, and each pass is a whole solve of its contacts. A pass pays only where
 * elements turn by more than this: with it a cloth that drapes loses and gains the same energies as
 * with passes until nothing changes, and takes a third of the time. */
#define MOST_OFF 0.1
#define SHEET_PASSES 4 /* more of them run after contacts that come and go */
/* A pass goes on by no less than this part of the way. */
#define LEAST_PART 0.02

/* ρ v², of the motion or of what gravity gives in a step. */
static double pressure_of_motion(const TnSoftInput *input, const TnSoft *soft)
{
    const double *v = input->in->qvel + soft->dof_start, *g = input->in->model->option.gravity;
    double twice = 0.0, fall = v3_dot(g, g) * input->in->t * input->in->t;
    for (int n = 0; n < soft->node_count; n++)
        twice += soft->masses[n] * v3_dot(v + 3 * n, v + 3 * n);
    return soft->density * fmax(twice / soft->mass, fall);
}

/* How far its elements end from where they were taken, as a change of their gradient, in shares of
 * what is let go. */
static double how_far_off(const TnSoftInput *input, int index, const double *vhat)
{
    const TnDivision *d = input->systems->division;
    const TnSoft *soft = &input->in->model->softs[index];
    const TnSoftSystem *s = &input->systems->softs[index];
    double most = 0.0, modulus = 0.0;
    for (int i = d->soft_piece[index]; i < d->soft_piece[index] + d->soft_piece_count[index]; i++) {
        const TnPieceElements *p = &input->elements->pieces[i];
        for (int a = 0; a < p->piece->node_count; a++) {
            int n = 3 * p->piece->nodes[a];
            v3_sub(p->y[a], vhat + n, s->expected + n);
        }
        most = fmax(most, fastest(input, p));
        modulus = p->mesh->material.lambda + 2.0 * p->mesh->material.mu;
    }
    double allowed = sqrt(sqrt(TN_STIFF_SHARE * pressure_of_motion(input, soft) / modulus));
    allowed = soft->thickness > 0.0 ? MOST_OFF : fmin(allowed, MOST_OFF);
    return tn_reach(input->in, s->w).p * sqrt(most) / allowed;
}

/* Elastic energy at x + share · d. */
static double energy_along(const TnSoftInput *input, int index, const double *x, const double *d,
                           double share)
{
    const TnDivision *div = input->systems->division;
    double sum = 0.0;
    for (int i = div->soft_piece[index]; i < div->soft_piece[index] + div->soft_piece_count[index];
         i++) {
        const TnPieceElements *p = &input->elements->pieces[i];
        for (int a = 0; a < p->piece->node_count; a++)
            for (int k = 0; k < 3; k++) {
                int n = 3 * p->piece->nodes[a] + k;
                p->y[a][k] = x[n] + share * d[n];
            }
        sum += tn_piece_energy(input->elements, p, (const double(*)[4])p->y);
        memset(p->y, 0, sizeof *p->y * (size_t)p->piece->node_count);
    }
    return sum;
}

/* v̂ of the step is where a potential of v̂ is least: of inertia, the elements at x_e(v̂) and constant
 * forces. `change` of it from what was expected along d. */
typedef struct Line {
    const TnSoftInput *input;
    const TnSoftSystem *s;
    int index;
    const double *d;
    double slope, curve; /* of all but the elements at x_e */
    double start;        /* elastic energy there */
} Line;

static void line_start(Line *line)
{
    const TnSoftInput *input = line->input;
    const TnSoft *soft = &input->in->model->softs[line->index];
    const double *v = input->in->qvel + soft->dof_start, *x = input->in->qpos + soft->qpos_start;
    const double *g = input->in->model->option.gravity, *d = line->d;
    const TnSoftWeights *w = &line->s->step->weights;
    double away = 0.0;
    line->slope = line->curve = 0.0;
    for (int n = 0; n < soft->node_count; n++)
        for (int k = 0; k < 3; k++) {
            int i = 3 * n + k;
            double m = soft->masses[n], force = m * g[k];
            if (input->forces) force += input->forces[soft->dof_start + i];
            line->slope += (w->inertia * m * (line->s->expected[i] - v[i]) - force) * d[i];
            line->curve += w->inertia * m * d[i] * d[i];
            away = fmax(away, fabs(d[i]));
        }
    line->start = energy_along(input, line->index, line->s->end, d, 0.0);
    if (w->share < 1.0 && away > 0.0) {
        double e = 1e-6 * tn_soft_element_size(soft) / away;
        line->slope += (1.0 - w->share) *
                       (energy_along(input, line->index, x, d, e) -
                        energy_along(input, line->index, x, d, -e)) /
                       (2.0 * e);
    }
}

static double change(const Line *line, double part)
{
    const TnSoftWeights *w = &line->s->step->weights;
    double elastic = energy_along(line->input, line->index, line->s->end, line->d, part * w->lead);
    return part * (line->slope + 0.5 * part * line->curve) +
           w->share / w->lead * (elastic - line->start);
}

/* The same for a sheet, which something always pushes: contacts are no part of the potential, so
 * its slope says nothing. The linear system went to where slope and contacts balance the curvature
 * a of the potential, -a p + ½ a p²; what the elements add beyond that must not outweigh it. */
static bool is_too_far(const Line *line, double part)
{
    double e = 1e-3, forth = change(line, e), back = change(line, -e);
    double slope = (forth - back) / (2.0 * e), curve = (forth + back) / (e * e);
    return change(line, part) - part * slope > part * fmax(curve, line->curve);
}

double tn_soft_expect(const TnSoftInput *input, int index, const double *vhat)
{
    bool sheet = input->in->model->softs[index].thickness > 0.0;
    TnSoftSystem *s = &input->systems->softs[index];
    int count = 3 * input->in->model->softs[index].node_count;
    double part = 1.0;
    if (sheet && s->passes++ >= SHEET_PASSES) return 0.0;
    double off = how_far_off(input, index, vhat);
    if (!(off > 1.0)) return off;
    double *d = TN_ARENA_NEW(input->arena, double, count);
    if (!d) return 0.0;
    for (int k = 0; k < count; k++) d[k] = vhat[k] - s->expected[k];
    if (s->searched) {
        Line line = {.input = input, .s = s, .index = index, .d = d};
        line_start(&line);
        while (part > LEAST_PART && (sheet ? is_too_far(&line, part) : change(&line, part) > 0.0))
            part *= 0.5;
    }
    for (int k = 0; k < count; k++) s->expected[k] += part * d[k];
    s->smooth = s->searched = true;
    return off;
}
