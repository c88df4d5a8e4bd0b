/* impact.c: hits with restitution, one after the other.
 *
 * A contact with restitution ε between free bodies or trees that runs into its partner within the step is a hit at a
 * time s of the step, found from the paths x + s v + ½ s² a of free flight, a = 0 of what rests on something. Then, and at that place, an impulse acts:
 *
 *     u_n⁺ >= -ε u_n⁻,  p_n >= 0,  complementary;   p_t by Coulomb's law with u_t⁺,
 *
 * for all contacts that meet at that moment together (Moreau), and as often as somebody approaches still (Smith et al.,
 * "Reflections on Simultaneous Impact", 2012): a ball that hits a row of balls passes its speed through it. With ε = 1 and
 * no friction each such reflection keeps the energy. With friction Newton's law can make energy; ε is lowered until it
 * does not.
 *
 * A body that changes its velocity by Δv at s is afterwards where free flight from x - s Δv with v + Δv leads to. That
 * becomes the state that the step starts from (x' and v'), and what comes after this knows little of hits. Up to s the
 * path from there is not real: `since` tells collision to look from then on only.
 *
 * The paths are looked at in rounds (collision). In a round a body is hit once; then its path is another one, and is
 * looked at again.
 *
 * Approach slower than a share of what gravity gives in a step is rest, and left to the solver, as is what is not resolved after
 * MOST_ROUNDS looks at the paths. */
#include "impact.h"

#include <math.h>
#include <string.h>

#include "../math/cholesky.h"
#include "../math/vec3.h"
#include "energy.h"

#define MOST_ROUNDS 64
#define REST_SHARE 0.05
#define SWEEPS 200
#define CONVERGED 1e-12
/* Contacts meet together where they are no farther apart than this share of the smaller body; those without
 * restitution, which only hand on what others get, where they are as near as AT_REST. */
#define TOGETHER 1e-5
#define AT_REST 1e-3
/* Of the energy turned over in a hit. */
#define ROUNDING 1e-9
/* Times that ε is halved where a hit would make energy. */
#define HALVINGS 8

/* A subsystem that may be hit: unknowns are a twist in world axes, or qvel of a tree. */
typedef struct Body {
    int subsystem, n;
    double *v, *a, *shift; /* n each: velocity, acceleration of free flight, Σ s Δv */
    double *factor;        /* of a tree's M; NULL: not yet */
    double (*S)[6];        /* its axes, about the root's centre of mass */
    double since;          /* s: its last hit; 0: none */
    bool hit;
    bool fresh; /* in this round: what its contacts are now nobody has looked at */
} Body;

typedef struct Side {
    Body *body;  /* NULL: stands still */
    double *J;   /* 3 × n: normal, then two tangents; geom2 counts positive */
    double *MJ;  /* 3 × n: M⁻¹ of each row */
} Side;

typedef struct Hit {
    TnContactPoint *c;
    Side side[2];
    double t1[3], t2[3];
    double W[3];   /* diagonal of J M⁻¹ Jᵀ */
    bool passive;  /* no restitution: it is hit where others are */
    double base;   /* m: its gap at s is base + J (v s + ½ a s² - shift) */
    double time;   /* s; INFINITY: never */
    double p[3], u0[3], bias; /* of the hit that is being resolved: impulse, velocity before, wanted u_n */
} Hit;

typedef struct Impacts {
    TnStep *step;
    TnArena *arena;
    Body **bodies; /* per subsystem; NULL: not involved */
    Hit *hits;
    int count;
    double rest; /* m/s: slower approach is none */
    int room;    /* for world->impacts */
    int *group;  /* scratch, per hit */
    bool *in;
    bool *carried; /* per subsystem: something pushed it in the last step, and so does not let it fall */
    bool any;
} Impacts;

/* ---- bodies ---- */

bool tn_impact_takes(const TnWorld *world, int geom1, int geom2)
{
    const TnModel *model = world->model;
    const int geoms[2] = {geom1, geom2};
    for (int k = 0; k < 2; k++) {
        int s = tn_geom_subsystem(model, geoms[k]);
        if (s < 0) continue;
        TnSubsystemKind kind = model->subsystems[s].kind;
        if (world->tied[s] || kind == TN_SUBSYSTEM_ROD || kind == TN_SUBSYSTEM_SOFT) return false;
    }
    return true;
}

static Body *body_of(Impacts *x, int subsystem)
{
    const TnModel *model = x->step->model;
    const TnWorld *world = x->step->world;
    const TnSubsystem *sub = &model->subsystems[subsystem];
    Body *b = x->bodies[subsystem];
    if (b) return b;
    bool rigid = sub->kind == TN_SUBSYSTEM_RIGID;
    int n = rigid ? 6 : sub->dof_count;
    b = TN_ARENA_ZERO(x->arena, Body, 1);
    double *numbers = TN_ARENA_ZERO(x->arena, double, 3 * n);
    if (!b || !numbers) return NULL;
    *b = (Body){.subsystem = subsystem, .n = n, .v = numbers, .a = numbers + n,
                .shift = numbers + 2 * n};
    memcpy(b->v, rigid ? world->twists[sub->link_start] : world->state.qvel + sub->dof_start,
           sizeof(double) * (size_t)n);
    x->bodies[subsystem] = b;
    if (x->carried[subsystem]) return b;
    for (int k = 0; rigid && k < 3; k++) {
        b->a[k] = model->option.gravity[k];
        if (world->wrench_set)
            b->a[k] += world->wrench[sub->link_start][k] / model->links[sub->link_start].mass;
    }
    if (!rigid) { /* its mean over the step */
        if (!tn_step_assemble_tree(x->step, sub)) return NULL;
        const double *v_free = x->step->trees[sub->kind_index].v_free;
        for (int k = 0; k < n; k++) b->a[k] = (v_free[k] - b->v[k]) / (x->step->theta * x->step->t);
    }
    return b;
}

static void find_carried(Impacts *x)
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
static bool factor_body(Impacts *x, Body *b)
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

static bool set_side(Impacts *x, Hit *h, int which)
{
    const TnModel *model = x->step->model;
    const TnWorld *world = x->step->world;
    const TnContactPoint *c = h->c;
    Side *side = &h->side[which];
    int link = model->geom_link[which ? c->geom2 : c->geom1], s = model->links[link].subsystem;
    const double *arm = which ? c->arm2 : c->arm1, *axes[3] = {c->normal, h->t1, h->t2};
    double sign = which ? 1.0 : -1.0;
    *side = (Side){0};
    if (s < 0) return true;
    Body *b = side->body = body_of(x, s);
    if (!b) return false;
    side->J = TN_ARENA_ZERO(x->arena, double, 6 * b->n);
    if (!side->J) return false;
    side->MJ = side->J + 3 * b->n;
    bool rigid = model->subsystems[s].kind == TN_SUBSYSTEM_RIGID;
    if (!rigid && !factor_body(x, b)) return false;
    for (int k = 0; k < 3; k++) {
        double *J = side->J + k * b->n, *MJ = side->MJ + k * b->n, moment[3];
        v3_cross(moment, arm, axes[k]);
        if (rigid) {
            v3_scale(J, axes[k], sign);
            v3_scale(J + 3, moment, sign);
            v3_scale(MJ, J, 1.0 / model->links[link].mass);
            tn_rigid_divide_by_inertia(&model->links[link], world->frames[link].quat, J + 3, MJ + 3);
            continue;
        }
        const TnSubsystem *sub = &model->subsystems[s];
        const TnLink *l = &model->links[link];
        double point[3];
        v3_add(point, world->frames[link].com, arm);
        v3_sub(point, point, world->frames[sub->link_start].com);
        for (int d = l->dof_start + l->dof_count - 1; d >= 0; d = model->dof_parent[d]) {
            const double *S = b->S[d - sub->dof_start];
            double velocity[3];
            v3_cross(velocity, S + 3, point);
            v3_add(velocity, velocity, S);
            J[d - sub->dof_start] = sign * v3_dot(axes[k], velocity);
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
static double velocity(const Hit *h, int row, double s)
{
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        const Body *b = h->side[k].body;
        const double *J = b ? h->side[k].J + row * b->n : NULL;
        if (b) sum += dot(b->n, J, b->v) + s * dot(b->n, J, b->a);
    }
    return sum;
}

/* J (v s + ½ a s² - shift) of one side: how far it has come along the normal. */
static double way_of(const Side *side, double s)
{
    const Body *b = side->body;
    if (!b) return 0.0;
    return s * (dot(b->n, side->J, b->v) + 0.5 * s * dot(b->n, side->J, b->a)) -
           dot(b->n, side->J, b->shift);
}

static double gap_at(const Hit *h, double s)
{
    return h->base + way_of(&h->side[0], s) + way_of(&h->side[1], s);
}

static double since_of(const Hit *h)
{
    double since = 0.0;
    for (int k = 0; k < 2; k++)
        if (h->side[k].body) since = fmax(since, h->side[k].body->since);
    return since;
}

/* When it closes next with more than rest's speed. */
static void find_time(const Impacts *x, Hit *h)
{
    double from = since_of(h), t = x->step->t;
    double d = gap_at(h, from), v = velocity(h, 0, from), a = (velocity(h, 0, t) - v) / (t - from);
    h->time = INFINITY;
    if (!(from < t) || h->passive) return;
    double s = from;
    if (d > 0.0) { /* d + v r + ½ a r² = 0, the first root */
        double root = v * v - 2.0 * a * d;
        if (root < 0.0) return;
        double r = v < 0.0 ? 2.0 * d / (-v + sqrt(root)) : a < 0.0 ? (-v - sqrt(root)) / a : -1.0;
        if (r < 0.0) return;
        s = from + r;
    }
    if (s <= t && -velocity(h, 0, s) > x->rest) h->time = s;
}

/* ---- one moment ---- */

static bool is_fresh(const Hit *h)
{
    return (h->side[0].body && h->side[0].body->fresh) || (h->side[1].body && h->side[1].body->fresh);
}

/* All that meet with `first` then, through common bodies; into `group`, how many. */
static int gather(Impacts *x, int first, int *group, bool *in)
{
    double s = x->hits[first].time;
    int count = 1;
    memset(in, 0, sizeof *in * (size_t)x->count);
    group[0] = first;
    in[first] = true;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < x->count; i++) {
            Hit *h = &x->hits[i], *g = &x->hits[group[k]];
            if (in[i] || is_fresh(h)) continue;
            bool common = false;
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++)
                    common |= h->side[a].body && h->side[a].body == g->side[b].body;
            double size = fmin(x->step->model->geoms[h->c->geom1].bounding_radius,
                               x->step->model->geoms[h->c->geom2].bounding_radius);
            if (!common || gap_at(h, s) > (h->passive ? AT_REST : TOGETHER) * size) continue;
            if (!h->passive && !(velocity(h, 0, s) < 0.0)) continue;
            in[i] = true;
            group[count++] = i;
        }
    return count;
}

static void push(Hit *h, int row, double impulse)
{
    h->p[row] += impulse;
    for (int k = 0; k < 2; k++) {
        Body *b = h->side[k].body;
        for (int i = 0; b && i < b->n; i++) b->v[i] += impulse * h->side[k].MJ[row * b->n + i];
    }
}

/* One pass over a contact of the group; how much it changed. */
static double relax(Hit *h, double s)
{
    double mu = h->c->dim == 1 ? 0.0 : h->c->friction[0], change;
    double p = fmax(0.0, h->p[0] - (velocity(h, 0, s) - h->bias) / h->W[0]);
    change = fabs(p - h->p[0]) * h->W[0];
    push(h, 0, p - h->p[0]);
    if (mu == 0.0) return change;
    double W = fmax(h->W[1], h->W[2]);
    double q[2] = {h->p[1] - velocity(h, 1, s) / W, h->p[2] - velocity(h, 2, s) / W};
    double size = hypot(q[0], q[1]), most = mu * h->p[0];
    if (size > most) {
        q[0] *= most / size;
        q[1] *= most / size;
    }
    change += W * hypot(q[0] - h->p[1], q[1] - h->p[2]);
    double d1 = q[0] - h->p[1], d2 = q[1] - h->p[2];
    push(h, 1, d1);
    push(h, 2, d2);
    return change;
}

/* Impulses of the group for a share of their restitution; the kinetic energy that they make, 0 where that is rounding. */
static double reflect(Impacts *x, const int *group, int count, double s, double share)
{
    double speed = 0.0;
    for (int k = 0; k < count; k++) {
        Hit *h = &x->hits[group[k]];
        for (int r = 0; r < 3; r++) push(h, r, -h->p[r]);
        h->bias = -share * h->c->restitution * h->u0[0];
        speed = fmax(speed, fabs(h->u0[0]));
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double change = 0.0;
        for (int k = 0; k < count; k++) change = fmax(change, relax(&x->hits[group[k]], s));
        if (change <= CONVERGED * speed) break;
    }
    double made = 0.0, turned = 0.0;
    for (int k = 0; k < count; k++) {
        const Hit *h = &x->hits[group[k]];
        for (int r = 0; r < 3; r++) {
            made += 0.5 * h->p[r] * (h->u0[r] + velocity(h, r, s));
            turned += fabs(h->p[r] * h->u0[r]);
        }
    }
    return made > ROUNDING * turned ? made : 0.0;
}

/* False: no memory. */
static bool note_impulses(Impacts *x, const int *group, int count)
{
    TnWorld *world = x->step->world;
    if (world->impact_count + count > x->room) {
        x->room = 2 * (x->room + count);
        TnImpact *more = TN_ARENA_NEW(x->arena, TnImpact, x->room);
        if (!more) return false;
        if (world->impact_count)
            memcpy(more, world->impacts, sizeof *more * (size_t)world->impact_count);
        world->impacts = more;
    }
    for (int k = 0; k < count; k++) {
        const Hit *h = &x->hits[group[k]];
        if (h->p[0] == 0.0) continue;
        TnImpact *out = &world->impacts[world->impact_count++];
        *out = (TnImpact){.geom1 = h->c->geom1, .geom2 = h->c->geom2};
        v3_copy(out->pos, h->c->pos);
        v3_copy(out->arm1, h->c->arm1);
        v3_copy(out->arm2, h->c->arm2);
        v3_copy(out->normal, h->c->normal);
        v3_scale(out->impulse, h->c->normal, h->p[0]);
        v3_add_scaled(out->impulse, h->t1, h->p[1]);
        v3_add_scaled(out->impulse, h->t2, h->p[2]);
    }
    return true;
}

static bool resolve(Impacts *x, int first)
{
    double s = x->hits[first].time, share = 1.0;
    int *group = x->group, count = gather(x, first, group, x->in);
    for (int k = 0; k < count; k++) {
        Hit *h = &x->hits[group[k]];
        for (int r = 0; r < 3; r++) {
            h->u0[r] = velocity(h, r, s);
            h->p[r] = 0.0;
        }
    }
    double made = reflect(x, group, count, s, share);
    for (int k = 0; k < HALVINGS && made > 0.0; k++) {
        share = k + 1 < HALVINGS ? 0.5 * share : 0.0;
        made = reflect(x, group, count, s, share);
    }
    for (int k = 0; k < count; k++) {
        Hit *h = &x->hits[group[k]];
        for (int side = 0; side < 2; side++) {
            Body *b = h->side[side].body;
            if (!b) continue;
            for (int r = 0; r < 3; r++)
                for (int i = 0; i < b->n; i++)
                    b->shift[i] += s * h->p[r] * h->side[side].MJ[r * b->n + i];
            b->hit = b->fresh = true;
            b->since = s;
        }
    }
    x->any = true;
    return note_impulses(x, group, count);
}

/* ---- the new start ---- */

/* x - shift + v time + ½ a time², as a displacement of the subsystem's unknowns. */
static void way_to(const Body *b, double time, double *way)
{
    for (int i = 0; i < b->n; i++)
        way[i] = time * (b->v[i] + 0.5 * time * b->a[i]) - b->shift[i];
}

/* Angular velocity of a free body with the orientation quat. Its angular momentum is kept whichever way it is turned: I ω at
 * the step's start is what the impulses were given to. */
static void spin_of(const TnStep *step, const Body *b, const double quat[4], double omega[3])
{
    int link = step->model->subsystems[b->subsystem].link_start;
    const TnLink *l = &step->model->links[link];
    const double *rot = step->world->frames[link].rot;
    double x[3];
    m3_tmul_v(x, rot, b->v + 3);
    m3_mul_v(x, l->inertia, x);
    m3_mul_v(x, rot, x);
    tn_rigid_divide_by_inertia(l, quat, x, omega);
}

/* A free body at `way` from where the step starts, and turned to quat: its own entries of qpos and qvel. */
static void place_rigid(const TnStep *step, const Body *b, const double way[3], const double quat[4],
                        double *qpos, double *qvel)
{
    const TnSubsystem *sub = &step->model->subsystems[b->subsystem];
    int link = sub->link_start;
    double *q = qpos + sub->qpos_start, *v = qvel + sub->dof_start;
    double omega[3], arm[3], x[3], back[4], R[9];
    spin_of(step, b, quat, omega);
    quat_copy(q + 3, quat);
    quat_to_m3(R, quat);
    m3_mul_v(arm, R, step->model->links[link].com);
    for (int k = 0; k < 3; k++) q[k] = step->world->frames[link].com[k] + way[k] - arm[k];
    v3_cross(x, omega, arm);
    v3_sub(v, b->v, x);
    quat_conjugate(back, quat);
    quat_rotate(v + 3, back, omega);
}

/* Where a subsystem is at its last hit, and its velocity then less t a. */
static void place_at_hit(const TnStep *step, const Body *b, double *qpos, double *qvel)
{
    const TnModel *model = step->model;
    const TnSubsystem *sub = &model->subsystems[b->subsystem];
    if (sub->kind == TN_SUBSYSTEM_TREE) {
        way_to(b, b->since, qvel + sub->dof_start);
        tn_integrate_qpos(model, sub, step->world->state.qpos, qvel, 1.0, qpos);
        memcpy(qvel + sub->dof_start, b->v, sizeof(double) * (size_t)b->n);
        return;
    }
    double way[6], quat[4];
    way_to(b, b->since, way);
    quat_copy(quat, step->world->frames[sub->link_start].quat);
    quat_cayley_world(quat, way + 3);
    place_rigid(step, b, way, quat, qpos, qvel);
}

/* rad, or lengths of a tree's lever: so far from where it is at the hit its joints may start as if they went straight. */
#define STRAIGHT 0.1

static bool goes_straight(const TnStep *step, const Body *b)
{
    const TnSubsystem *sub = &step->model->subsystems[b->subsystem];
    if (sub->kind != TN_SUBSYSTEM_TREE) return false;
    double lever = step->model->links[sub->link_start].lever;
    for (int i = 0; i < b->n; i++) {
        double way = fabs(b->since * b->v[i]);
        bool turns = tn_dof_turns(step->model, sub->dof_start + i);
        if ((turns ? way : way / lever) > STRAIGHT) return false;
    }
    return true;
}

/* What the step starts from, (x', v'). Translation of a free body, and joints that do not move far, go on from x - shift over
 * the whole step. Turning of a free body and other joints, whose paths are not straight, go on from where they are at the
 * hit, for what is left of the step (tn_step_left); what gravity does to joints meanwhile counts. */
static void new_start(const TnStep *step, const Body *b, double *qpos, double *qvel)
{
    const TnModel *model = step->model;
    const TnSubsystem *sub = &model->subsystems[b->subsystem];
    if (sub->kind == TN_SUBSYSTEM_TREE) {
        double *way = qvel + sub->dof_start, behind = 0.5 * b->since * (step->t - b->since);
        bool straight = goes_straight(step, b);
        way_to(b, straight ? 0.0 : b->since, way);
        for (int i = 0; i < b->n && !straight; i++) way[i] += behind * b->a[i];
        tn_integrate_qpos(model, sub, step->world->state.qpos, qvel, 1.0, qpos);
        memcpy(way, b->v, sizeof(double) * (size_t)b->n);
        return;
    }
    double way[6], quat[4];
    way_to(b, b->since, way);
    quat_copy(quat, step->world->frames[sub->link_start].quat);
    quat_cayley_world(quat, way + 3);
    way_to(b, 0.0, way);
    place_rigid(step, b, way, quat, qpos, qvel);
}

/* ---- looks at the paths ---- */

typedef struct Paths {
    TnLinkFrame *frames;
    double (*twists)[6], *qpos, *qvel;
} Paths;

/* What free flight adds to a subsystem's velocity in that time. */
static void add_fall(const TnSubsystem *sub, const Body *b, double time, double *qvel)
{
    int n = sub->kind == TN_SUBSYSTEM_TREE ? b->n : 3;
    for (int i = 0; i < n; i++) qvel[sub->dof_start + i] += time * b->a[i];
}

/* Of who was hit from then on; the others all of the step. */
static void set_paths(const Impacts *x, const Paths *p)
{
    const TnStep *step = x->step;
    const TnModel *model = step->model;
    const TnWorld *world = step->world;
    p->frames[0] = world->frames[0];
    for (int i = 0; i < step->awake_count; i++) {
        const TnSubsystem *sub = &model->subsystems[step->awake[i]];
        const Body *b = x->bodies[step->awake[i]];
        size_t count = (size_t)sub->link_count;
        int first = sub->link_start;
        if (!count) continue;
        memcpy(p->frames + first, world->frames + first, sizeof *p->frames * count);
        memcpy(p->twists[first], world->twists[first], sizeof *p->twists * count);
        double left = 1.0;
        if (b && b->hit) {
            place_at_hit(step, b, p->qpos, p->qvel);
            add_fall(sub, b, b->since, p->qvel);
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

/* Collision has bodies that were hit at different times where they were then. Of two balls that is mended: how they meet
 * on their paths is a quadratic equation. False: they do not. */
static bool meet_exactly(Impacts *x, TnContactPoint *c)
{
    const TnModel *model = x->step->model;
    const TnWorld *world = x->step->world;
    const int links[2] = {model->geom_link[c->geom1], model->geom_link[c->geom2]};
    double d[3] = {0.0}, v[3] = {0.0}, since = 0.0;
    bool hit = false;
    for (int k = 0; k < 2; k++) {
        int s = model->links[links[k]].subsystem;
        const Body *b = s >= 0 ? x->bodies[s] : NULL;
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
    if (!(along < 0.0) || root < 0.0) return false;
    double s = away > 0.0 ? away / (-along + sqrt(root)) : 0.0;
    v3_add_scaled(d, v, s);
    v3_normalize(d);
    v3_copy(c->normal, d);
    v3_scale(c->arm1, d, r1);
    v3_scale(c->arm2, d, -r2);
    c->time = since + s;
    return true;
}

/* So near that it may rest on the other when that is hit. */
static bool may_rest(const TnStep *step, const TnContactPoint *c)
{
    double size = fmin(step->model->geoms[c->geom1].bounding_radius,
                       step->model->geoms[c->geom2].bounding_radius);
    return c->time == 0.0 && c->gap < AT_REST * size + tn_step_slack(step);
}

/* Contacts on the paths as they are now. False: no memory. */
static bool find_hits(Impacts *x, const Paths *paths, const uint8_t *only)
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
    if (!tn_collision_detect(world->collider, &motion, x->arena, world->team, &found)) return false;
    x->count = 0;
    x->hits = TN_ARENA_ZERO(x->arena, Hit, found.count);
    x->group = TN_ARENA_NEW(x->arena, int, found.count);
    x->in = TN_ARENA_NEW(x->arena, bool, found.count);
    if (!x->hits || !x->group || !x->in) return false;
    for (int i = 0; i < found.count; i++) {
        TnContactPoint *c = &found.points[i];
        Hit *h = &x->hits[x->count];
        if (c->clearance < c->gap || !tn_impact_takes(world, c->geom1, c->geom2)) continue;
        bool passive = !(c->restitution > 0.0);
        if (passive && !may_rest(step, c)) continue;
        double time = c->time;
        if (!meet_exactly(x, c)) continue;
        bool exact = c->time != time;
        *h = (Hit){.c = c, .passive = passive};
        v3_tangents(c->normal, h->t1, h->t2);
        if (!set_side(x, h, 0) || !set_side(x, h, 1)) return false;
        h->base = exact ? 0.0 : c->gap;
        for (int k = 0; k < 2; k++) {
            const Body *b = h->side[k].body;
            if (!b) continue;
            h->base -= way_of(&h->side[k], exact ? c->time : b->since);
            for (int r = 0; r < 3; r++)
                h->W[r] += dot(b->n, h->side[k].J + r * b->n, h->side[k].MJ + r * b->n);
        }
        if (h->W[0] > 0.0) x->count++;
    }
    return true;
}

static void find_times(Impacts *x)
{
    for (int i = 0; i < x->count; i++) find_time(x, &x->hits[i]);
}

/* The hits of a list in their order, of each body one. False: no memory. */
static bool run_through(Impacts *x)
{
    find_times(x);
    for (;;) {
        int first = -1;
        for (int i = 0; i < x->count; i++) {
            const Hit *h = &x->hits[i];
            if (h->time < INFINITY && !is_fresh(h) && 
                (first < 0 || h->time < x->hits[first].time))
                first = i;
        }
        if (first < 0) return true;
        if (!resolve(x, first)) return false;
    }
}

/* Who was hit is looked at again; false: nobody was. */
static bool note_fresh(Impacts *x, uint8_t *links)
{
    const TnModel *model = x->step->model;
    bool any = false;
    memset(links, 0, (size_t)model->link_count);
    for (int i = 0; i < x->step->awake_count; i++) {
        int s = x->step->awake[i];
        const TnSubsystem *sub = &model->subsystems[s];
        if (!x->bodies[s] || !x->bodies[s]->fresh) continue;
        x->bodies[s]->fresh = false;
        memset(links + sub->link_start, 1, (size_t)sub->link_count);
        any = true;
    }
    return any;
}

/* Keeps the state as it was. False: no memory. */
static bool keep_true_state(Impacts *x)
{
    TnStep *step = x->step;
    const TnWorld *world = step->world;
    const TnModel *model = step->model;
    size_t q = sizeof(double) * (size_t)model->qpos_count, v = sizeof(double) * (size_t)model->dof_count,
           links = (size_t)model->link_count;
    step->true_qpos = tn_arena_alloc(x->arena, q);
    step->true_qvel = tn_arena_alloc(x->arena, v);
    step->true_frames = TN_ARENA_NEW(x->arena, TnLinkFrame, links);
    step->true_twists = tn_arena_alloc(x->arena, sizeof(double[6]) * links);
    step->hit_frames = TN_ARENA_NEW(x->arena, TnLinkFrame, links);
    step->hit_ways = tn_arena_calloc(x->arena, sizeof(double[6]) * links);
    if (!step->true_qpos || !step->true_qvel || !step->true_frames || !step->true_twists ||
        !step->hit_frames || !step->hit_ways)
        return false;
    memcpy(step->true_qpos, world->state.qpos, q);
    memcpy(step->true_qvel, world->state.qvel, v);
    memcpy(step->true_frames, world->frames, sizeof(TnLinkFrame) * links);
    memcpy(step->true_twists, world->twists, sizeof(double[6]) * links);
    step->hit_frames[0] = world->frames[0]; /* which trees stand on */
    return true;
}

/* Of a subsystem: where it is at its last hit, and (x', v') as the state. p: scratch. */
static void start_anew(TnStep *step, const Body *b, const Paths *p)
{
    const TnModel *model = step->model;
    TnWorld *world = step->world;
    const TnSubsystem *sub = &model->subsystems[b->subsystem];
    int first = sub->link_start, count = sub->link_count;
    place_at_hit(step, b, p->qpos, p->qvel);
    tn_kinematics(model, p->qpos, first, count, step->hit_frames);
    new_start(step, b, world->state.qpos, world->state.qvel);
    tn_kinematics(model, world->state.qpos, first, count, world->frames);
    tn_kinematics_twists(model, world->state.qpos, world->state.qvel, world->frames, first, count,
                         world->twists);
    memcpy(p->qvel + sub->dof_start, world->state.qvel + sub->dof_start,
           sizeof(double) * (size_t)sub->dof_count);
    add_fall(sub, b, 0.5 * b->since, p->qvel);
    tn_kinematics_twists(model, world->state.qpos, p->qvel, world->frames, first, count,
                         step->hit_ways);
    for (int l = first; l < first + count; l++)
        for (int k = 0; k < 6; k++) step->hit_ways[l][k] *= b->since;
}

/* Makes (x', v') the state, and keeps the old one. False: no memory. */
static bool take_over(Impacts *x, const Paths *p)
{
    TnStep *step = x->step;
    TnWorld *world = step->world;
    const TnModel *model = step->model;
    double *since = TN_ARENA_ZERO(x->arena, double, model->link_count);
    double *left = TN_ARENA_NEW(x->arena, double, model->subsystem_count);
    if (!since || !left || !keep_true_state(x)) return false;
    step->since = since;
    step->left = left;
    for (int s = 0; s < model->subsystem_count; s++) left[s] = 1.0;
    for (int i = 0; i < step->awake_count; i++) {
        int s = step->awake[i];
        const TnSubsystem *sub = &model->subsystems[s];
        const Body *b = x->bodies[s];
        if (!b || !b->hit) continue;
        double before = world->energies[s].kinetic + world->energies[s].potential;
        start_anew(step, b, p);
        TnEnergy after =
            tn_world_subsystem_energy(world, s, world->state.qpos, world->state.qvel, world->frames,
                                      (const double(*)[6])world->twists);
        step->impact_loss += before - after.kinetic - after.potential;
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
            since[l] = b->since;
        if (!goes_straight(step, b)) left[s] = 1.0 - b->since / step->t;
    }
    return true;
}

bool tn_impacts_resolve(TnStep *step)
{
    TnWorld *world = step->world;
    const TnModel *model = step->model;
    TnArena *arena = &world->arena;
    world->impact_count = 0;
    if (!world->bounces) return true;
    Impacts x = {.step = step,
                 .arena = arena,
                 .bodies = TN_ARENA_ZERO(arena, Body *, model->subsystem_count),
                 .carried = TN_ARENA_ZERO(arena, bool, model->subsystem_count),
                 .rest = REST_SHARE * tn_step_slack(step) / step->t};
    Paths paths = {.frames = TN_ARENA_NEW(arena, TnLinkFrame, model->link_count),
                   .twists = tn_arena_calloc(arena, sizeof(double[6]) * (size_t)model->link_count),
                   .qpos = TN_ARENA_NEW(arena, double, model->qpos_count),
                   .qvel = TN_ARENA_NEW(arena, double, model->dof_count)};
    uint8_t *fresh = TN_ARENA_NEW(arena, uint8_t, model->link_count);
    if (!x.bodies || !x.carried || !paths.frames || !paths.twists || !paths.qpos || !paths.qvel || !fresh)
        return false;
    find_carried(&x);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (!find_hits(&x, &paths, round ? fresh : NULL) || !run_through(&x)) return false;
        if (!note_fresh(&x, fresh)) break;
    }
    return !x.any || take_over(&x, &paths);
}

void tn_impacts_undo(TnStep *step)
{
    TnWorld *world = step->world;
    if (!step->since) return;
    memcpy(world->state.qpos, step->true_qpos, sizeof(double) * (size_t)step->model->qpos_count);
    memcpy(world->state.qvel, step->true_qvel, sizeof(double) * (size_t)step->model->dof_count);
    memcpy(world->frames, step->true_frames, sizeof(TnLinkFrame) * (size_t)step->model->link_count);
    memcpy(world->twists, step->true_twists, sizeof(double[6]) * (size_t)step->model->link_count);
    world->impact_count = 0;
    step->since = NULL;
}
