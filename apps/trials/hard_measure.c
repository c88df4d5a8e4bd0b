/* What is watched while a hard scene runs: where its bodies go, and whether contacts carry what
 * they must.
 *
 * Positions are those of centres of mass. From the reference time (the first second is for
 * settling) on, each body's positions are summed for a straight line over time, whose slope is its
 * creep. */
#include "hard.h"

#include <math.h>
#include <stdlib.h>

typedef struct Watched {
    double mass;
    double start[3], start_quat[4];
    double reference[3];
    double sum_x[3], sum_tx[3]; /* of displacements since the reference */
    double push[3];             /* N: this step's noise */
} Watched;

struct HardMeasure {
    const HardModel *m;
    double gravity[3], timestep, reference_time;
    bool has_reference;
    double sink, move, tilt;
    double n, sum_t, sum_tt;
    double force_sum;
    int64_t force_steps;
    Watched *bodies;
    int *body_of;     /* by TnBodyId: index in bodies, -1: none */
    int *group_start; /* of cuts, and one more */
    double *balance;  /* N, per cut: contacts and loads together, along its axis */
    double *scale;    /* per cut: N that it must carry without noise */
};

void hard_measure_free(HardMeasure *s)
{
    if (!s) return;
    free(s->bodies);
    free(s->body_of);
    free(s->group_start);
    free(s->balance);
    free(s->scale);
    free(s);
}

static void centre_of(const HardMeasure *s, const TnWorld *world, int i, double pos[3],
                      double quat[4])
{
    /* bodies of the scenes have their centre of mass in their origin */
    tn_world_body_pose(world, s->m->bodies[i].id, pos, quat);
}

static bool is_in(const HardCut *cut, const HardBody *body)
{
    return body->group == cut->group && body->level >= cut->lowest && body->level <= cut->highest;
}

/* Weight, constant loads and noise of what each cut takes. */
static void add_loads(HardMeasure *s)
{
    const HardModel *m = s->m;
    for (int c = 0; c < m->cut_count; c++) s->balance[c] = m->cuts[c].load;
    for (int i = 0; i < m->body_count; i++) {
        const Watched *body = &s->bodies[i];
        int group = m->bodies[i].group;
        for (int c = s->group_start[group]; c < s->group_start[group + 1]; c++) {
            int k = m->cuts[c].axis;
            if (is_in(&m->cuts[c], &m->bodies[i]))
                s->balance[c] += body->mass * s->gravity[k] + body->push[k];
        }
    }
}

HardMeasure *hard_measure_start(const HardModel *m, const TnWorld *world, double reference_time)
{
    HardMeasure *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    TnModelInfo info = tn_model_info(m->model);
    size_t cuts = (size_t)m->cut_count + 1;
    s->m = m;
    s->timestep = info.option.timestep;
    s->reference_time = reference_time;
    for (int k = 0; k < 3; k++) s->gravity[k] = info.option.gravity[k];
    s->bodies = calloc((size_t)m->body_count + 1, sizeof *s->bodies);
    s->body_of = malloc(((size_t)info.body_count + 1) * sizeof *s->body_of);
    s->group_start = calloc((size_t)m->group_count + 2, sizeof *s->group_start);
    s->balance = calloc(cuts, sizeof *s->balance);
    s->scale = calloc(cuts, sizeof *s->scale);
    if (!s->bodies || !s->body_of || !s->group_start || !s->balance || !s->scale) {
        hard_measure_free(s);
        return NULL;
    }
    for (int i = 0; i <= info.body_count; i++) s->body_of[i] = -1;
    for (int i = 0; i < m->body_count; i++) {
        s->bodies[i].mass = tn_model_body_info(m->model, m->bodies[i].id).mass;
        s->body_of[m->bodies[i].id] = i;
        centre_of(s, world, i, s->bodies[i].start, s->bodies[i].start_quat);
    }
    for (int c = 0; c < m->cut_count; c++) s->group_start[m->cuts[c].group + 1]++;
    for (int g = 0; g < m->group_count; g++) s->group_start[g + 1] += s->group_start[g];
    add_loads(s);
    for (int c = 0; c < m->cut_count; c++) s->scale[c] = fabs(s->balance[c]);
    return s;
}

void hard_measure_push(HardMeasure *s, TnWorld *world, double share, uint64_t *random)
{
    double g = 0;
    for (int k = 0; k < 3; k++) g += s->gravity[k] * s->gravity[k];
    for (int i = 0; i < s->m->body_count; i++) {
        Watched *body = &s->bodies[i];
        for (int k = 0; k < 3; k++)
            body->push[k] =
                s->m->noise_axes[k] ? share * body->mass * sqrt(g) * hard_gaussian(random) : 0;
        tn_world_apply_wrench(world, s->m->bodies[i].id, body->push, (double[3]){0});
    }
}

static const HardBody *watched_body(const HardMeasure *s, TnGeomId geom)
{
    int i = s->body_of[tn_model_geom_info(s->m->model, geom).body];
    return i < 0 ? NULL : &s->m->bodies[i];
}

/* The largest |contacts + loads| of a cut, in shares of what it must carry: nothing may be left
 * over. */
static double force_error(HardMeasure *s, const TnWorld *world)
{
    const HardModel *m = s->m;
    double worst = 0;
    add_loads(s);
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact contact = tn_world_contact(world, i);
        const HardBody *one = watched_body(s, contact.geom1), *two = watched_body(s, contact.geom2);
        if (!one && !two) continue;
        int group = one ? one->group : two->group;
        for (int c = s->group_start[group]; c < s->group_start[group + 1]; c++) {
            bool first = one && is_in(&m->cuts[c], one), second = two && is_in(&m->cuts[c], two);
            if (first == second) continue;
            double force = contact.force[m->cuts[c].axis];
            s->balance[c] += second ? force : -force;
        }
    }
    for (int c = 0; c < m->cut_count; c++) worst = fmax(worst, fabs(s->balance[c]) / s->scale[c]);
    return worst;
}

/* The angle from one orientation to another; exact for small ones, too. */
static double angle_between(const double p[4], const double q[4])
{
    double w = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    double x = p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2];
    double y = p[0] * q[2] - p[2] * q[0] - p[3] * q[1] + p[1] * q[3];
    double z = p[0] * q[3] - p[3] * q[0] - p[1] * q[2] + p[2] * q[1];
    return 2 * atan2(sqrt(x * x + y * y + z * z), fabs(w));
}

static void set_reference(HardMeasure *s, const TnWorld *world)
{
    double quat[4];
    for (int i = 0; i < s->m->body_count; i++) centre_of(s, world, i, s->bodies[i].reference, quat);
    s->has_reference = true;
}

bool hard_measure_step(HardMeasure *s, const TnWorld *world, bool forces)
{
    double time = tn_world_state(world).time;
    bool stands = true, settled = time >= s->reference_time - 0.5 * s->timestep;
    if (settled && !s->has_reference) set_reference(s, world);
    double t = time - s->reference_time;
    for (int i = 0; i < s->m->body_count; i++) {
        Watched *body = &s->bodies[i];
        double pos[3], quat[4], way = 0;
        centre_of(s, world, i, pos, quat);
        s->tilt = fmax(s->tilt, angle_between(body->start_quat, quat));
        if (body->start[2] - pos[2] > s->m->fall) stands = false;
        if (!settled) continue;
        for (int k = 0; k < 3; k++) {
            double x = pos[k] - body->reference[k];
            way += x * x;
            body->sum_x[k] += x;
            body->sum_tx[k] += t * x;
        }
        s->sink = fmax(s->sink, body->reference[2] - pos[2]);
        s->move = fmax(s->move, sqrt(way));
    }
    if (settled) {
        s->n += 1;
        s->sum_t += t;
        s->sum_tt += t * t;
    }
    if (forces && s->m->cut_count) {
        s->force_sum += force_error(s, world);
        s->force_steps++;
    }
    return stands;
}

void hard_measure_finish(const HardMeasure *s, HardRun *run)
{
    const HardModel *m = s->m;
    double spread = s->n * s->sum_tt - s->sum_t * s->sum_t;
    run->bodies = m->body_count;
    run->force_error = s->force_steps ? s->force_sum / (double)s->force_steps : NAN;
    run->sink = run->move = run->tilt = run->creep = NAN;
    run->weight_count = m->cut_count < HARD_MAX_WEIGHTS ? m->cut_count : 0;
    for (int c = 0; c < run->weight_count; c++) run->weights[c] = s->scale[c];
    if (m->moves) return;
    run->tilt = s->tilt;
    if (!s->has_reference) return;
    run->sink = s->sink;
    run->move = s->move;
    if (spread <= 0) return;
    run->creep = 0;
    for (int i = 0; i < m->body_count; i++) {
        const Watched *body = &s->bodies[i];
        double speed = 0;
        for (int k = 0; k < 3; k++) {
            double slope = (s->n * body->sum_tx[k] - s->sum_t * body->sum_x[k]) / spread;
            speed += slope * slope;
        }
        run->creep = fmax(run->creep, sqrt(speed));
    }
}
