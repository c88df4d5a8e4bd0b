/* impact_find.c: which contacts are hit within a step, and when.
 *
 * Collision is asked about the paths from each subsystem's last hit on (tn_hit_place). A contact's
 * gap along its normal is then a parabola of time, J constant. */
#include "impact_parts.h"

#include <math.h>
#include <string.h>

#include "../base/rounding.h"
#include "../collision/collider.h"
#include "../math/cholesky.h"
#include "../math/vec3.h"
#include "../ranks/near.h"

/* ---- bodies ---- */

bool tn_impact_takes(const TnWorld *world, int geom1, int geom2)
{
    const TnModel *model = world->model;
    const int geoms[2] = {geom1, geom2};
    for (int k = 0; k < 2; k++) {
        int s = tn_geom_subsystem(model, geoms[k]);
        /* what is not solved for counts as at rest here */
        if (world->mocap_moves && tn_link_is_mocap(model, model->geom_link[geoms[k]])) return false;
        if (s < 0) continue;
        if (world->tied[s] || tn_is_elastic(&model->subsystems[s])) return false;
        if (world->near && world->near->mover && world->near->mover[s]) return false;
    }
    return true;
}

TnHitBody *tn_hit_body(TnImpacts *x, int subsystem)
{
    const TnModel *model = x->step->model;
    const TnWorld *world = x->step->world;
    const TnSubsystem *sub = &model->subsystems[subsystem];
    TnHitBody *b = x->bodies[subsystem];
    if (b) return b;
    bool rigid = sub->kind == TN_SUBSYSTEM_RIGID;
    int n = rigid ? 6 : sub->dof_count;
    b = TN_ARENA_ZERO(x->arena, TnHitBody, 1);
    double *numbers = TN_ARENA_ZERO(x->arena, double, 3 * n);
    if (!b || !numbers) return NULL;
    *b = (TnHitBody){
        .subsystem = subsystem, .n = n, .v = numbers, .a = numbers + n, .shift = numbers + 2 * n};
    memcpy(b->v, rigid ? world->twists[sub->link_start] : world->state.qvel + sub->dof_start,
           sizeof(double) * (size_t)n);
    if (rigid) quat_copy(b->quat, world->frames[sub->link_start].quat);
    x->bodies[subsystem] = b;
    if (x->carried[subsystem]) return b;
    for (int k = 0; rigid && k < 3; k++) {
        b->a[k] = model->option.gravity[k];
        if (x->step->dynamics.wrench)
            b->a[k] +=
                x->step->dynamics.wrench[sub->link_start][k] / model->links[sub->link_start].mass;
    }
    if (!rigid) { /* its mean over the step */
        if (!tn_step_assemble_tree(x->step, sub)) return NULL;
        const double *v_free = x->step->systems->trees[sub->kind_index].v_free;
        for (int k = 0; k < n; k++)
            b->a[k] = (v_free[k] - b->v[k]) / (x->step->model->option.theta * x->step->t);
    }
    return b;
}

void tn_hits_find_carried(TnImpacts *x)
{
    const TnState *state = &x->step->world->state;
    for (int i = 0; i < state->contact_count; i++) {
        const TnWarmContact *c = &state->contacts[i];
        const int sides[2] = {tn_geom_subsystem(x->step->model, c->geom1),
                              tn_geom_subsystem(x->step->model, c->geom2)};
        for (int k = 0; k < 2 && v3_dot(c->lambda, c->lambda) > 0.0; k++)
            if (sides[k] >= 0) x->carried[sides[k]] = true;
    }
}

/* M of a tree at the step's start, factored. */
static bool factor_body(TnImpacts *x, TnHitBody *b)
{
    const TnModel *model = x->step->model;
    const TnWorld *world = x->step->world;
    const TnSubsystem *sub = &model->subsystems[b->subsystem];
    const double *origin = world->frames[sub->link_start].com;
    if (b->factor) return true;
    b->S = tn_arena_alloc(x->arena, sizeof(double[6]) * (size_t)b->n);
    b->factor = TN_ARENA_NEW(x->arena, double, b->n * b->n);
    if (!b->S || !b->factor) return false;
    tn_tree_axes(model, sub, world->state.qpos, world->frames, origin, b->S);
    tn_tree_mass_matrix(model, sub, world->frames, origin, (const double(*)[6])b->S, x->arena,
                        b->factor);
    return tn_cholesky(b->factor, b->n);
}

/* ---- contacts ---- */

/* How a free body is turned where collision has its contact: the way from its last hit on takes all
 * of its time there. */
static void turned_at(const TnStep *step, const TnHitBody *b, const TnContactPoint *c,
                      double quat[4])
{
    TnHitBody there = *b;
    double v[6] = {0.0}, shift[6] = {0.0};
    v3_copy(v + 3, b->v + 3);
    there.v = v;
    there.shift = shift;
    tn_hit_turn(step, &there, b->since + c->time * (1.0 - b->since / step->t));
    quat_copy(quat, there.quat);
}

static bool set_side(TnImpacts *x, TnHit *h, int which)
{
    const TnModel *model = x->step->model;
    const TnWorld *world = x->step->world;
    const TnContactPoint *c = h->c;
    TnHitSide *side = &h->side[which];
    int link = model->geom_link[which ? c->geom2 : c->geom1], s = model->links[link].subsystem;
    const double *arm = which ? c->arm2 : c->arm1, *axes[3] = {c->normal, h->t1, h->t2};
    double sign = which ? 1.0 : -1.0;
    *side = (TnHitSide){0};
    if (s < 0) return true;
    TnHitBody *b = side->body = tn_hit_body(x, s);
    if (!b) return false;
    side->J = TN_ARENA_ZERO(x->arena, double, 6 * b->n);
    if (!side->J) return false;
    side->MJ = side->J + 3 * b->n;
    bool rigid = model->subsystems[s].kind == TN_SUBSYSTEM_RIGID;
    double quat[4];
    if (rigid) turned_at(x->step, b, c, quat);
    if (!rigid && !factor_body(x, b)) return false;
    for (int k = 0; k < 3; k++) {
        double *J = side->J + k * b->n, *MJ = side->MJ + k * b->n, moment[3];
        v3_cross(moment, arm, axes[k]);
        if (rigid) {
            v3_scale(J, axes[k], sign);
            v3_scale(J + 3, moment, sign);
            v3_scale(MJ, J, 1.0 / model->links[link].mass);
            tn_rigid_divide_by_inertia(&model->links[link], quat, J + 3, MJ + 3);
            continue;
        }
        const TnSubsystem *sub = &model->subsystems[s];
        const TnLink *l = &model->links[link];
        double point[3];
        v3_add(point, world->frames[link].com, arm);
        v3_sub(point, point, world->frames[sub->link_start].com);
        for (int d = l->dof_start + l->dof_count - 1; d >= 0; d = model->dof_parent[d]) {
            const double *S = b->S[d - sub->dof_start];
            double velocity[3], along;
            v3_cross(velocity, S + 3, point);
            double size = v3_norm(S) + v3_norm(velocity);
            v3_add(velocity, velocity, S);
            along = v3_dot(axes[k], velocity);
            J[d - sub->dof_start] = fabs(along) > TN_ROUND_OFF * size ? sign * along : 0.0;
        }
        memcpy(MJ, J, sizeof(double) * (size_t)b->n);
        tn_cholesky_solve(b->factor, b->n, MJ);
    }
    return true;
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* J (v + s a) of a row. */
double tn_hit_velocity(const TnHit *h, int row, double s)
{
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        const TnHitBody *b = h->side[k].body;
        const double *J = b ? h->side[k].J + row * b->n : NULL;
        if (b) sum += dot(b->n, J, b->v) + s * dot(b->n, J, b->a);
    }
    return sum;
}

/* J (v s + ½ a s² - shift) of one side: how far it has come along the normal. */
static double way_of(const TnHitSide *side, double s)
{
    const TnHitBody *b = side->body;
    if (!b) return 0.0;
    return s * (dot(b->n, side->J, b->v) + 0.5 * s * dot(b->n, side->J, b->a)) -
           dot(b->n, side->J, b->shift);
}

double tn_hit_gap(const TnHit *h, double s)
{
    return h->base + way_of(&h->side[0], s) + way_of(&h->side[1], s);
}

static double since_of(const TnHit *h)
{
    double since = 0.0;
    for (int k = 0; k < 2; k++)
        if (h->side[k].body) since = fmax(since, h->side[k].body->since);
    return since;
}

/* When it closes next with more than rest's speed. */
static void find_time(const TnImpacts *x, TnHit *h)
{
    double from = since_of(h), t = x->step->t;
    double d = tn_hit_gap(h, from), v = tn_hit_velocity(h, 0, from),
           a = (tn_hit_velocity(h, 0, t) - v) / (t - from);
    h->time = INFINITY;
    if (!(from < t)) return;
    double s = from;
    if (d > 0.0) { /* d + v r + ½ a r² = 0, the first root */
        double root = v * v - 2.0 * a * d;
        if (root < 0.0) return;
        double r = v < 0.0 ? 2.0 * d / (-v + sqrt(root)) : a < 0.0 ? (-v - sqrt(root)) / a : -1.0;
        if (r < 0.0) return;
        s = from + r;
    }
    for (int k = 0; k < 2; k++)
        if (h->side[k].body && s > x->blocked[h->side[k].body->subsystem]) return;
    if (s <= t && -tn_hit_velocity(h, 0, s) > x->rest) h->time = s;
}

void tn_hits_find_times(TnImpacts *x)
{
    for (int i = 0; i < x->count; i++) find_time(x, &x->hits[i]);
}

/* ---- the paths ---- */

/* Of what was hit from then on; of the others all of the step. */
static void set_paths(const TnImpacts *x, const TnHitPaths *p)
{
    const TnStep *step = x->step;
    const TnModel *model = step->model;
    const TnWorld *world = step->world;
    memcpy(p->frames, world->frames, sizeof *p->frames * (size_t)(1 + model->mocap_count));
    memcpy(p->twists, world->twists, sizeof *p->twists * (size_t)(1 + model->mocap_count));
    for (int i = 0; i < step->awake_count; i++) {
        const TnSubsystem *sub = &model->subsystems[step->awake[i]];
        const TnHitBody *b = x->bodies[step->awake[i]];
        size_t count = (size_t)sub->link_count;
        int first = sub->link_start;
        if (!count) continue;
        memcpy(p->frames + first, world->frames + first, sizeof *p->frames * count);
        memcpy(p->twists[first], world->twists[first], sizeof *p->twists * count);
        double left = 1.0;
        if (b && b->hit) {
            tn_hit_place(step, b, p->qpos, p->qvel);
            tn_hit_add_fall(sub, b, b->since, p->qvel);
            tn_kinematics(model, p->qpos, first, sub->link_count, p->frames);
            tn_kinematics_twists(model, p->qpos, p->qvel, p->frames, first, sub->link_count,
                                 p->twists);
            left = 1.0 - b->since / step->t;
        }
        for (int l = first; l < first + sub->link_count; l++) {
            if ((sub->kind == TN_SUBSYSTEM_RIGID || sub->kind == TN_SUBSYSTEM_ROD) &&
                !x->carried[step->awake[i]])
                v3_add_scaled(p->twists[l], model->option.gravity, 0.5 * left * step->t);
            for (int k = 0; k < 6; k++) p->twists[l][k] *= left;
        }
    }
}

/* Collision has bodies that were hit at different times where they were then. Of two balls that is
 * mended: how they meet on their paths is a quadratic equation. False: they do not. */
static bool meet_exactly(TnImpacts *x, TnContactPoint *c)
{
    const TnModel *model = x->step->model;
    const TnWorld *world = x->step->world;
    const int links[2] = {model->geom_link[c->geom1], model->geom_link[c->geom2]};
    double d[3] = {0.0}, v[3] = {0.0}, since = 0.0;
    bool hit = false;
    for (int k = 0; k < 2; k++) {
        int s = model->links[links[k]].subsystem;
        const TnHitBody *b = s >= 0 ? x->bodies[s] : NULL;
        if (s < 0 || !world->groups->round[links[k]] ||
            model->subsystems[s].kind != TN_SUBSYSTEM_RIGID)
            return true;
        double sign = k ? 1.0 : -1.0;
        v3_add_scaled(d, world->frames[links[k]].com, sign);
        if (b) v3_add_scaled(d, b->shift, -sign);
        v3_add_scaled(v, b ? b->v : world->twists[links[k]], sign);
        if (b && b->hit) since = fmax(since, b->since);
        hit |= b && b->hit;
    }
    if (!hit) return true;
    double r1 = model->geoms[c->geom1].size[0], r2 = model->geoms[c->geom2].size[0], R = r1 + r2;
    v3_add_scaled(d, v, since);
    double along = v3_dot(d, v), v2 = v3_dot(v, v), away = v3_dot(d, d) - R * R;
    double root = along * along - v2 * away;
    bool meet = along < 0.0 && root >= 0.0;
    /* Two that move together touch all the time, whatever rounding says. */
    bool touch = away <= 2.0 * R * TN_TOUCHING * fmin(r1, r2) && along <= R * x->rest;
    if (!meet && !touch) return false;
    double s = meet && away > 0.0 ? away / (-along + sqrt(root)) : 0.0;
    v3_add_scaled(d, v, s);
    v3_normalize(d);
    v3_copy(c->normal, d);
    v3_scale(c->arm1, d, r1);
    v3_scale(c->arm2, d, -r2);
    c->time = since + s;
    return true;
}

/* Something whose hits are not known stands in the way of both from when the paths meet. */
static void block(const TnImpacts *x, const TnHitPaths *paths, const TnContactPoint *c)
{
    const TnStep *step = x->step;
    const TnModel *model = step->model;
    double closing = 0.0;
    for (int side = 0; side < 2; side++) {
        const double *twist = paths->twists[model->geom_link[side ? c->geom2 : c->geom1]];
        double v[3];
        if ((side ? c->soft2 : c->soft1) >= 0) continue;
        v3_cross(v, twist + 3, side ? c->arm2 : c->arm1);
        v3_add(v, v, twist);
        closing += (side ? -1.0 : 1.0) * v3_dot(v, c->normal);
    }
    if (!(closing > x->rest)) return;
    double time = c->time > 0.0 ? c->time : fmax(c->gap, 0.0) / closing;
    for (int side = 0; side < 2; side++) {
        int s = tn_geom_subsystem(model, side ? c->geom2 : c->geom1);
        if (s < 0) continue;
        double since = x->bodies[s] ? x->bodies[s]->since : 0.0;
        x->blocked[s] = fmin(x->blocked[s], since + time * (1.0 - since / step->t));
    }
}

/* The ones that are examined. */
static void unblock(const TnImpacts *x, const uint8_t *only)
{
    const TnModel *model = x->step->model;
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (!only || (sub->link_count && only[sub->link_start])) x->blocked[s] = INFINITY;
    }
}

/* Contacts on the paths as they are now. False: no memory. */
bool tn_hits_find(TnImpacts *x, const TnHitPaths *paths, const uint8_t *only)
{
    TnStep *step = x->step;
    TnWorld *world = step->world;
    TnContactList found = {0};
    set_paths(x, paths);
    TnMotionInput motion = {.frames = paths->frames,
                            .twists = (const double(*)[6])paths->twists,
                            .qpos = world->state.qpos,
                            .qvel = world->state.qvel,
                            .t = step->t,
                            .slack = tn_step_slack(step),
                            .exact = true,
                            .only = only};
    if (!tn_step_collide(step, &motion, &found)) return false;
    if (!only) step->hits.real = found;
    unblock(x, only);
    x->count = 0;
    x->hits = TN_ARENA_ZERO(x->arena, TnHit, found.count);
    x->group = TN_ARENA_NEW(x->arena, int, found.count);
    x->in = TN_ARENA_NEW(x->arena, bool, found.count);
    if (!x->hits || !x->group || !x->in) return false;
    for (int i = 0; i < found.count; i++) {
        TnContactPoint *c = &found.points[i];
        TnHit *h = &x->hits[x->count];
        if (c->clearance < c->gap) continue;
        if (!tn_impact_takes(world, c->geom1, c->geom2)) {
            block(x, paths, c);
            continue;
        }
        bool passive = !(c->restitution > 0.0);
        double time = c->time, W12 = 0.0;
        if (!meet_exactly(x, c)) continue;
        bool exact = c->time != time;
        *h = (TnHit){.c = c, .passive = passive};
        v3_tangents(c->normal, h->t1, h->t2);
        if (!set_side(x, h, 0) || !set_side(x, h, 1)) return false;
        h->base = exact ? 0.0 : c->gap;
        for (int k = 0; k < 2; k++) {
            const TnHitBody *b = h->side[k].body;
            if (!b) continue;
            h->base -= way_of(&h->side[k], exact ? c->time : b->since);
            for (int r = 0; r < 3; r++)
                h->W[r] += dot(b->n, h->side[k].J + r * b->n, h->side[k].MJ + r * b->n);
            W12 += dot(b->n, h->side[k].J + b->n, h->side[k].MJ + 2 * b->n);
        }
        h->W_slip = 0.5 * (h->W[1] + h->W[2]) + hypot(0.5 * (h->W[1] - h->W[2]), W12);
        if (h->W[0] > 0.0) x->count++;
    }
    return true;
}
