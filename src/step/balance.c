/* balance.c: momentum and energy of a step's new state are put right before it is taken over.
 *
 * The equations of a step are linear about a predicted motion. What that costs is of third order in t where motion is
 * smooth, and can be anything where it is not. Two accounts tell, for each group of subsystems that forces joined in
 * the step:
 *
 *   momentum   of a group on which nothing fixed acts: P⁺ = P + t m g, and L about the centre of mass stays. What is
 *              missing is given to the group as one rigid motion, and its centre of mass is put where it must be, which
 *              leaves all velocities and places within it alone: contacts and joints do not notice.
 *   energy     E⁺ = E + work - losses (account.c). What a step made is taken off again by scaling the velocities,
 *              v⁺ ← s v⁺, or those against the rigid motion where momentum must stay. Constraints J v⁺ = 0 and
 *              J v⁺ >= 0 stay true. In smooth motion, where nothing is to be lost, s may be above one, too: the
 *              midpoint rule's energy then does not drift.
 *
 * Where smooth motion turns back there is too little speed to scale; what it made or lost there is owed to the steps
 * that follow. What scaling cannot take off elsewhere (the group is at rest and still has gained potential energy) is left, and reported. */
#include <math.h>
#include <string.h>

#include "../math/disjoint_sets.h"
#include "../math/vec3.h"
#include "account.h"
#include "energy.h"
#include "impact.h"

/* Of the kinetic energy: smooth motion is corrected by no more in a step. */
#define SMOOTH_SHARE 0.02
/* Less than this share of the energies involved is noise: in smooth motion, of what contacts push, and of cables and
 * soft bodies. */
#define ROUNDING 1e-13
#define PUSHED_SHARE 1e-6
#define STIFF_SHARE 1e-3
/* The solver's error leaves m g² t² times itself; less than so many times that is noise, and taking it off would brake
 * slow motion. */
#define NOISE_ERRORS 3.0

/* ---- momentum ---- */

/* Of some subsystems, about a point. */
typedef struct Sums {
    double mass, h[3], P[3], L[3], I[9]; /* h: first moment */
} Sums;

static void add_point(Sums *s, double m, const double r[3], const double v[3], const double r_of[3])
{
    double orbit[3];
    v3_cross(orbit, r, v);
    s->mass += m;
    v3_add_scaled(s->h, r, m);
    v3_add_scaled(s->P, v, m);
    v3_add_scaled(s->L, orbit, m);
    double r2 = v3_dot(r, r_of);
    for (int k = 0; k < 9; k++) s->I[k] += m * ((k % 4 ? 0.0 : r2) - r[k / 3] * r_of[k % 3]);
}

static void add_link(Sums *s, const TnLink *link, const TnLinkFrame *frame, const double twist[6],
                     const double at[3])
{
    double r[3], w[3], spin[3], turned[9], back[9];
    v3_sub(r, frame->com, at);
    add_point(s, link->mass, r, twist, r);
    m3_tmul_v(w, frame->rot, twist + 3);
    m3_mul_v(w, link->inertia, w);
    m3_mul_v(spin, frame->rot, w);
    v3_add(s->L, s->L, spin);
    m3_transpose(back, frame->rot);
    m3_mul(turned, link->inertia, back);
    m3_mul(turned, frame->rot, turned);
    for (int k = 0; k < 9; k++) s->I[k] += turned[k];
}

/* The state of one moment. */
typedef struct Moment {
    const double *qpos, *qvel;
    const TnLinkFrame *frames;
    const double (*twists)[6];
} Moment;

static void add_soft(Sums *s, const TnSoft *soft, const Moment *now, const double at[3])
{
    const double *x = now->qpos + soft->qpos_start, *v = now->qvel + soft->dof_start;
    for (int i = 0; i < soft->node_count && !soft->consistent_mass; i++) {
        double r[3];
        v3_sub(r, x + 3L * i, at);
        add_point(s, soft->masses[i], r, v + 3L * i, r);
    }
    for (int t = 0; t < soft->tet_count && soft->consistent_mass; t++) {
        const int32_t *tet = soft->tets + 4L * t;
        double m = tn_soft_mass_share(soft, tet);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) {
                double r[3], r_of[3];
                v3_sub(r, x + 3L * tet[a], at);
                v3_sub(r_of, x + 3L * tet[b], at);
                add_point(s, a == b ? 2.0 * m : m, r, v + 3L * tet[b], r_of);
            }
    }
}

/* A rigid motion: velocity of the point `centre`, and turning. */
typedef struct Rigid {
    double centre[3], v[3], omega[3];
} Rigid;

static void rigid_at(const Rigid *r, const double x[3], double v[3])
{
    double arm[3];
    v3_sub(arm, x, r->centre);
    v3_cross(v, r->omega, arm);
    v3_add(v, v, r->v);
}

/* ---- groups of the step ---- */

typedef struct Group {
    bool bound;  /* something fixed acts on it */
    bool pushed; /* by a contact or a limit that was hit: what it lost stays lost */
    bool stopped; /* it did not get all of its way (limit.c) */
    bool tied;   /* by equalities, wheels or holds */
    bool stiff;  /* it has cables or soft bodies, whose step is meant to lose */
    bool alone;  /* one free body that nothing touches: all is right as it is */
    double kinetic_before, kinetic, created;
    double put_out;  /* of what was made: overlaps that were undone. It is theirs, and not taken from others' motion */
    double owed;     /* by its members, of earlier steps */
    double involved; /* energies and work, added up without their signs */
    double mass;
} Group;

typedef struct Balance {
    TnStep *step;
    int *root;     /* per subsystem: its group's */
    Group *groups; /* by root */
    double *owed;  /* by root: what is left to later steps */
    int *next, *first; /* members of a group: first[root], then next[]; -1 ends */
    Moment before, after;
    TnAccounts accounts;
} Balance;

static void join_contacts(Balance *b)
{
    const TnStep *step = b->step;
    const TnWorld *world = step->world;
    for (int i = 0; i < world->contacts.count; i++) {
        const TnContactPoint *c = &world->contacts.points[i];
        const double *f = world->set.problem.lambda[i];
        if (f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0) continue;
        int s1 = tn_geom_subsystem(step->model, c->geom1),
            s2 = tn_geom_subsystem(step->model, c->geom2);
        if (s1 >= 0 && s2 >= 0) tn_set_join(b->root, s1, s2);
        for (int k = 0; k < 2; k++) {
            int s = k ? s2 : s1;
            if (s < 0) continue;
            b->groups[s].pushed = true;
            b->groups[s].bound |= s1 < 0 || s2 < 0;
        }
    }
}

static void join_impacts(Balance *b)
{
    const TnWorld *world = b->step->world;
    for (int i = 0; i < world->impact_count; i++) {
        int s1 = tn_geom_subsystem(world->model, world->impacts[i].geom1),
            s2 = tn_geom_subsystem(world->model, world->impacts[i].geom2);
        if (s1 >= 0 && s2 >= 0) tn_set_join(b->root, s1, s2);
        if (s1 < 0) b->groups[s2].bound = true;
        if (s2 < 0) b->groups[s1].bound = true;
        if (s1 >= 0) b->groups[s1].pushed = true;
        if (s2 >= 0) b->groups[s2].pushed = true;
    }
}

static void gather_group(Balance *b, int s)
{
    const TnStep *step = b->step;
    const TnWorld *world = step->world;
    const TnSubsystem *sub = &step->model->subsystems[s];
    Group own = b->groups[s];
    own.bound |= world->groups->pulled[world->groups->of[s]] || world->node_force_set;
    own.pushed |= step->blend[s] > 0.0;
    own.tied = world->tied[s];
    own.stopped = step->reach[s] < 1.0 || step->has_extra;
    own.stiff = sub->kind == TN_SUBSYSTEM_ROD || sub->kind == TN_SUBSYSTEM_SOFT;
    own.alone = sub->kind == TN_SUBSYSTEM_RIGID && !own.pushed;
    int root = tn_set_root(b->root, s);
    Group *g = &b->groups[root];
    b->root[s] = root;
    b->next[s] = b->first[root];
    b->first[root] = s;
    if (b->next[s] < 0) {
        *g = root == s ? own : (Group){.bound = own.bound || g->bound,
                                       .pushed = own.pushed || g->pushed,
                                       .tied = own.tied,
                                       .stopped = own.stopped,
                                       .stiff = own.stiff,
                                       .alone = own.alone};
        return;
    }
    g->bound |= own.bound;
    g->pushed |= own.pushed;
    g->tied |= own.tied;
    g->stopped |= own.stopped;
    g->stiff |= own.stiff;
    g->alone = false;
}

static bool find_groups(Balance *b)
{
    const TnStep *step = b->step;
    TnArena *arena = &step->world->arena;
    int n = step->model->subsystem_count;
    b->root = TN_ARENA_NEW(arena, int, n);
    b->next = TN_ARENA_NEW(arena, int, n);
    b->first = TN_ARENA_NEW(arena, int, n);
    b->groups = TN_ARENA_ZERO(arena, Group, n);
    b->owed = TN_ARENA_ZERO(arena, double, n);
    if (!b->owed || !b->root || !b->next || !b->first || !b->groups) return false;
    for (int s = 0; s < n; s++) {
        b->root[s] = step->world->groups->of[s];
        b->first[s] = -1;
    }
    join_contacts(b);
    join_impacts(b);
    for (int i = step->awake_count - 1; i >= 0; i--) gather_group(b, step->awake[i]);
    return true;
}

static void sum_up(const Balance *b, int root, const Moment *now, const double at[3], Sums *out)
{
    const TnModel *model = b->step->model;
    memset(out, 0, sizeof *out);
    for (int s = b->first[root]; s >= 0; s = b->next[s]) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind == TN_SUBSYSTEM_SOFT) add_soft(out, &model->softs[sub->kind_index], now, at);
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
            add_link(out, &model->links[l], &now->frames[l], now->twists[l], at);
    }
}

/* Where the numbers stay small: somewhere in the group. */
static void reference_point(const Balance *b, int root, double at[3])
{
    const TnModel *model = b->step->model;
    const TnSubsystem *sub = &model->subsystems[b->first[root]];
    if (sub->kind == TN_SUBSYSTEM_SOFT)
        v3_copy(at, b->before.qpos + sub->qpos_start);
    else
        v3_copy(at, b->before.frames[sub->link_start].com);
}

/* From sums about `at` to the rigid motion with the same momentum; L and I become those about the centre of mass.
 * False: the group has no extent to turn. */
static bool rigid_part(Sums *s, const double at[3], Rigid *out)
{
    double d[3], orbit[3], c0[3], c1[3], c2[3];
    v3_scale(d, s->h, 1.0 / s->mass);
    v3_cross(orbit, d, s->P);
    v3_sub(s->L, s->L, orbit);
    double d2 = v3_dot(d, d);
    for (int k = 0; k < 9; k++) s->I[k] -= s->mass * ((k % 4 ? 0.0 : d2) - d[k / 3] * d[k % 3]);
    v3_add(out->centre, at, d);
    v3_scale(out->v, s->P, 1.0 / s->mass);
    v3_cross(c0, s->I + 3, s->I + 6);
    v3_cross(c1, s->I + 6, s->I);
    v3_cross(c2, s->I, s->I + 3);
    double det = v3_dot(s->I, c0);
    if (!(det > 0.0)) return false;
    for (int i = 0; i < 3; i++)
        out->omega[i] = (c0[i] * s->L[0] + c1[i] * s->L[1] + c2[i] * s->L[2]) / det;
    return true;
}

/* ---- changing velocities ---- */

/* v ← scale (v - from) + to, of one subsystem; `from` and `to` are rigid motions, NULL: none. */
typedef struct Change {
    double scale;
    const Rigid *from, *to;
} Change;

static void change_vector(double *v, const double from[3], double scale, const double to[3])
{
    for (int k = 0; k < 3; k++) v[k] = scale * (v[k] - from[k]) + to[k];
}

static void change_point(const Change *c, const double x[3], double v[3])
{
    double from[3] = {0.0}, to[3] = {0.0};
    if (c->from) rigid_at(c->from, x, from);
    if (c->to) rigid_at(c->to, x, to);
    change_vector(v, from, c->scale, to);
}

/* A free joint: velocity of the body's origin, and turning in body axes. */
static void change_free(const Change *c, const TnLinkFrame *frame, double *v)
{
    double from[3] = {0.0}, to[3] = {0.0};
    change_point(c, frame->pos, v);
    if (c->from) m3_tmul_v(from, frame->rot, c->from->omega);
    if (c->to) m3_tmul_v(to, frame->rot, c->to->omega);
    change_vector(v + 3, from, c->scale, to);
}

static void change_subsystem(const Balance *b, int s, const Change *c)
{
    const TnModel *model = b->step->model;
    TnWorld *world = b->step->world;
    const TnSubsystem *sub = &model->subsystems[s];
    double *v = world->next_qvel + sub->dof_start;
    if (sub->kind == TN_SUBSYSTEM_SOFT) {
        const double *x = world->next_qpos + sub->qpos_start;
        for (int k = 0; k < sub->dof_count; k += 3) change_point(c, x + k, v + k);
        return;
    }
    if (sub->kind == TN_SUBSYSTEM_TREE) {
        bool floats = c->from || c->to;
        for (int d = floats ? 6 : 0; d < sub->dof_count; d++) v[d] *= c->scale;
        if (floats) change_free(c, &world->next_frames[sub->link_start], v);
    } else {
        for (int l = 0; l < sub->link_count; l++)
            change_free(c, &world->next_frames[sub->link_start + l], v + 6L * l);
    }
    tn_kinematics_twists(model, world->next_qpos, world->next_qvel, world->next_frames,
                         sub->link_start, sub->link_count, world->next_twists);
}

static void change_group(const Balance *b, int root, const Change *c)
{
    for (int s = b->first[root]; s >= 0; s = b->next[s]) change_subsystem(b, s, c);
}

/* ---- the two accounts ---- */

/* The group moves by t((1-η) v + η v⁺), as its members do: their mean. */
static double share_of_end(const Balance *b, int root)
{
    double sum = 0.0, mass = 0.0;
    for (int s = b->first[root]; s >= 0; s = b->next[s]) {
        double w = b->step->blend[s], m = tn_subsystem_mass(b->step->model, s);
        sum += m * ((1.0 - w) * b->step->theta + w);
        mass += m;
    }
    return sum / mass;
}

static void shift_group(const Balance *b, int root, const double way[3])
{
    const TnModel *model = b->step->model;
    TnWorld *world = b->step->world;
    for (int s = b->first[root]; s >= 0; s = b->next[s]) {
        const TnSubsystem *sub = &model->subsystems[s];
        double *q = world->next_qpos + sub->qpos_start;
        bool soft = sub->kind == TN_SUBSYSTEM_SOFT, tree = sub->kind == TN_SUBSYSTEM_TREE;
        int stride = soft ? 3 : 7, end = tree ? 7 : sub->qpos_count;
        for (int k = 0; k < end; k += stride) v3_add(q + k, q + k, way);
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
            v3_add(world->next_frames[l].pos, world->next_frames[l].pos, way);
            v3_add(world->next_frames[l].com, world->next_frames[l].com, way);
        }
    }
}

/* Applied forces, and their torque about the centre of mass, with levers of the middle of the step. */
static void applied_to(const Balance *b, int root, const double start[3], const double end[3],
                       double force[3], double torque[3])
{
    const TnModel *model = b->step->model;
    const TnWorld *world = b->step->world;
    v3_zero(force);
    v3_zero(torque);
    for (int s = b->first[root]; world->wrench_set && s >= 0; s = b->next[s]) {
        const TnSubsystem *sub = &model->subsystems[s];
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
            double lever[3], moment[3];
            for (int k = 0; k < 3; k++)
                lever[k] = 0.5 * (b->before.frames[l].com[k] - start[k] +
                                  b->after.frames[l].com[k] - end[k]);
            v3_cross(moment, lever, world->wrench[l]);
            v3_add(force, force, world->wrench[l]);
            v3_add(torque, torque, world->wrench[l] + 3);
            v3_add(torque, torque, moment);
        }
    }
}

/* The group gets the momentum that it must have; *rigid is its motion as a whole then. */
static void balance_momentum(const Balance *b, int root, Rigid *rigid)
{
    const double *g = b->step->model->option.gravity;
    double at[3], way[3], force[3], torque[3];
    Sums before, after, target;
    Rigid start, is;
    reference_point(b, root, at);
    sum_up(b, root, &b->before, at, &before);
    sum_up(b, root, &b->after, at, &after);
    bool turns = rigid_part(&before, at, &start) & rigid_part(&after, at, &is);
    double eta = share_of_end(b, root);
    applied_to(b, root, start.centre, is.centre, force, torque);
    *rigid = is;
    for (int k = 0; k < 3; k++) {
        double t = b->step->t, a = g[k] + force[k] / after.mass;
        double centre = start.centre[k] + t * (start.v[k] + eta * t * a);
        rigid->v[k] = start.v[k] + t * a;
        way[k] = centre - is.centre[k];
    }
    if (turns) { /* ω that gives L of before */
        target = after;
        v3_copy(target.L, before.L);
        v3_add_scaled(target.L, torque, b->step->t);
        v3_zero(target.h);
        Rigid wanted;
        if (rigid_part(&target, is.centre, &wanted)) v3_copy(rigid->omega, wanted.omega);
    } else {
        v3_zero(rigid->omega);
        v3_zero(is.omega);
    }
    change_group(b, root, &(Change){1.0, &is, rigid});
    if (!b->groups[root].stopped) {
        shift_group(b, root, way);
        v3_add(rigid->centre, rigid->centre, way);
    }
}

/* Kinetic energy of the rigid motion alone. */
static double rigid_energy(const Balance *b, int root, const Rigid *rigid)
{
    Sums s;
    double w[3];
    sum_up(b, root, &b->after, rigid->centre, &s);
    m3_mul_v(w, s.I, rigid->omega);
    return 0.5 * (s.mass * v3_dot(rigid->v, rigid->v) + v3_dot(w, rigid->omega));
}

/* What cannot be told from noise. */
static double noise_of(const Balance *b, const Group *g)
{
    double speed = v3_norm(b->step->model->option.gravity) * b->step->t;
    double solver = NOISE_ERRORS * g->mass * speed * speed * b->step->error;
    if (g->stiff) return STIFF_SHARE * g->involved + solver;
    if (g->pushed) return PUSHED_SHARE * g->involved + solver;
    return ROUNDING * g->involved + (g->tied ? solver : 0.0);
}

/* Takes off what the step made; of smooth motion also what it lost, and a little at a time. What is not worth it yet is
 * kept in mind and taken off when it adds up. */
static void balance_energy(const Balance *b, int root, const Rigid *rigid)
{
    Group *g = &b->groups[root];
    double *owed = &b->owed[root], noise = noise_of(b, g);
    double moving = fmax(0.0, g->kinetic - (rigid ? rigid_energy(b, root, rigid) : 0.0));
    bool smooth = !g->pushed && !g->stiff && b->step->theta == 0.5;
    double made = g->created, most = SMOOTH_SHARE * moving,
           bound = SMOOTH_SHARE * fmax(g->kinetic, g->kinetic_before);
    made -= fmin(g->put_out, fmax(0.0, made));
    made += g->owed;
    *owed = smooth ? 0.0 : fmax(0.0, made);
    if (made <= noise && (made >= -noise || !smooth)) return;
    double take = fmin(fmax(0.0, made), moving);
    if (smooth && fabs(made) <= bound) take = fmin(fmax(made, -most), most);
    double left = made - take;
    *owed = left >= (smooth ? -bound : 0.0) ? left : 0.0; /* what a rough step lost is lost */
    if (take != 0.0)
        change_group(b, root, &(Change){sqrt((moving - take) / moving), rigid, rigid});
}

bool tn_step_balance(TnStep *step, TnEnergyAccount *account)
{
    TnWorld *world = step->world;
    Balance b = {.step = step,
                 .before = {world->state.qpos, world->state.qvel, world->frames,
                            (const double(*)[6])world->twists},
                 .after = {world->next_qpos, world->next_qvel, world->next_frames,
                           (const double(*)[6])world->next_twists}};
    if (step->since)
        b.before = (Moment){step->true_qpos, step->true_qvel, step->true_frames,
                            (const double(*)[6])step->true_twists};
    if (!find_groups(&b) || !tn_accounts_open(step, &b.accounts)) return false;
    for (int i = 0; i < step->awake_count; i++) {
        int root = step->awake[i];
        Group *g = &b.groups[root];
        if (b.first[root] < 0 || g->alone) continue;
        Rigid rigid;
        if (!g->bound) balance_momentum(&b, root, &rigid);
        for (int s = b.first[root]; s >= 0; s = b.next[s]) {
            TnSubsystemAccount a = tn_account_of(&b.accounts, s);
            g->kinetic_before += world->energies[s].kinetic;
            g->kinetic += a.kinetic;
            g->created += a.gained - a.work + a.lost;
            g->put_out += a.put_out;
            g->owed += world->state.owed[s];
            g->involved += a.involved;
            g->mass += tn_subsystem_mass(step->model, s);
        }
        balance_energy(&b, root, g->bound ? NULL : &rigid);
    }
    tn_accounts_close(&b.accounts, account);
    step->after = b.accounts.after;
    step->owed = b.owed;
    return true;
}
