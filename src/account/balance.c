/* balance.c: momentum and energy of a step's new state are put right before it is taken over.
 *
 * The equations of a step are linear about a predicted motion. What that costs is of third order in
 * t where motion is smooth, and can be anything where it is not. Two accounts tell, for each group
 * of subsystems that forces joined in the step:
 *
 *   momentum   of a group on which nothing fixed acts: P⁺ = P + t m g, and L about the centre of
 * mass stays. What is missing is given to the group as one rigid motion, and its centre of mass is
 * put where it must be, which leaves all velocities and places within it alone: contacts and joints
 * do not notice. energy     E⁺ = E + work - losses (account.c). What a step made is taken off again
 * by scaling the velocities, v⁺ ← s v⁺, or those against the rigid motion where momentum must stay.
 * Constraints J v⁺ = 0 and J v⁺ >= 0 stay true. In smooth motion, where nothing is to be lost, s
 * may be above one, too: the midpoint rule's energy then does not drift.
 *
 * Where smooth motion turns back there is too little speed to scale; what it made or lost there is
 * owed to the steps that follow. Where cables and soft bodies end up strained by more than their
 * group can pay for, they are moved by less of their way. What is left of it all is reported. */
#include <math.h>
#include <string.h>

#include "../base/rounding.h"
#include "../math/vec3.h"
#include "../model/thresholds.h"
#include "../subsystem/kind.h"
#include "account.h"
#include "due.h"
#include "joined.h"

/* Of the energies involved: a step that makes or loses more is too long (check.c). */
#define MOST_WRONG 0.01
/* Ways of what is strained beyond its means are cut by this factor, until it is not,
 * or to about this part. */
#define CUT 0.4
#define LEAST_STRAIN 0.05 /* with 0.02 a cable that bounces gets 0.2 mm deep */
/* Times that groups are joined because they are in each other's way. */
#define MOST_JOINS 4

/* ---- momentum ---- */

/* A group's energies over the step. */
typedef struct Sum {
    double kinetic_before, kinetic, created;
    double put_out;      /* of what was made: overlaps that were undone, */
    double put_back;     /* limits and equalities that were closed */
    double lost, rubbed; /* to friction and damping; of it to friction */
    double hits, stored; /* to impacts at most; in compliant contacts */
    double owed;         /* by its members, of earlier steps */
    double involved;     /* energies and work, added up without their signs */
    double mass;
    double excess; /* J: what friction would have lost beyond all that there was to lose */
} Sum;

/* A group's motion as a whole, as it is and as it must be, and what its centre of mass is off by.
 */
typedef struct Whole {
    TnRigidMotion is, must;
    double way[3];
} Whole;

/* Of scaled velocities. */
typedef struct Correction {
    double energy;      /* J that it took, */
    double dropped;     /* and that smooth motion lost, which is too much */
    double momentum[3]; /* that it gave */
} Correction;

typedef struct Balance {
    TnStep *step;
    TnJoined joined;
    Sum *sums;               /* by root */
    bool *summed;            /* by root: and they are those of the new state */
    double *owed;            /* by root: what is left to later steps */
    Correction *corrections; /* by root: what scaling did */
    Whole *wholes; /* by root: of groups on which nothing fixed acts, none that are alone */
    TnInstant before, after;
    TnAccounts accounts;
    TnSubsystemAccount *of; /* per subsystem; as it is unless its velocities changed */
} Balance;

static void sum_up(const Balance *b, int root, const TnInstant *now, const double at[3],
                   TnMassSums *out)
{
    memset(out, 0, sizeof *out);
    for (int s = b->joined.first[root]; s >= 0; s = b->joined.next[s])
        tn_kind_of(b->step->model, s)->add_masses(b->step->model, s, now, at, out);
}

/* Where the numbers stay small: somewhere in the group. */
static void reference_point(const Balance *b, int root, double at[3])
{
    const TnModel *model = b->step->model;
    const TnSubsystem *sub = &model->subsystems[b->joined.first[root]];
    v3_copy(at, sub->link_count ? b->before.frames[sub->link_start].com
                                : b->before.qpos + sub->qpos_start);
}

/* ---- changing velocities ---- */

static void change_subsystem(const Balance *b, int s, const TnChange *c)
{
    const TnModel *model = b->step->model;
    TnWorld *world = b->step->world;
    const TnSubsystem *sub = &model->subsystems[s];
    b->accounts.changed[s] = true;
    tn_kind_of(model, s)->change(world, s, c, world->next_qvel + sub->dof_start);
    tn_kinematics_twists(model, world->next_qpos, world->next_qvel, world->next_frames,
                         sub->link_start, sub->link_count, world->next_twists);
}

static void change_group(const Balance *b, int root, const TnChange *c)
{
    b->summed[root] = false;
    atomic_store_explicit(&b->step->balance.changed, true, memory_order_relaxed);
    for (int s = b->joined.first[root]; s >= 0; s = b->joined.next[s]) change_subsystem(b, s, c);
}

/* ---- the two accounts ---- */

static void shift_group(const Balance *b, int root, const double way[3])
{
    b->summed[root] = false;
    if (v3_dot(way, way) == 0.0) return;
    atomic_store_explicit(&b->step->balance.shifted, true, memory_order_relaxed);
    for (int s = b->joined.first[root]; s >= 0; s = b->joined.next[s])
        tn_kind_of(b->step->model, s)->shift(b->step->world, s, way);
}

/* Gravity compensation of a subsystem's links: -m g, and the torque -h × g of their first moments
 * h, in the middle of the step. */
static void add_lift(const Balance *b, const TnSubsystem *sub, const double start[3],
                     const double end[3], double force[3], double torque[3])
{
    const TnModel *model = b->step->model;
    const double *g = model->option.gravity;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        const TnLink *link = &model->links[l];
        double h[3], other[3], moment[3];
        if (link->lift == 0.0) continue;
        m3_mul_v(h, b->before.frames[l].rot, link->lift_moment);
        m3_mul_v(other, b->after.frames[l].rot, link->lift_moment);
        for (int k = 0; k < 3; k++)
            h[k] = 0.5 * (h[k] + other[k] +
                          link->lift * (b->before.frames[l].pos[k] - start[k] +
                                        b->after.frames[l].pos[k] - end[k]));
        v3_cross(moment, g, h);
        v3_add(torque, torque, moment);
        v3_add_scaled(force, g, -link->lift);
    }
}

/* Applied forces, and their torque about the centre of mass, with levers of the middle of the step.
 */
static void applied_to(const Balance *b, int root, const double start[3], const double end[3],
                       double force[3], double torque[3])
{
    const TnModel *model = b->step->model;
    const double(*wrench)[6] = b->step->dynamics.wrench;
    v3_zero(force);
    v3_zero(torque);
    for (int s = b->joined.first[root]; wrench && s >= 0; s = b->joined.next[s]) {
        const TnSubsystem *sub = &model->subsystems[s];
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
            double lever[3], moment[3];
            for (int k = 0; k < 3; k++)
                lever[k] = 0.5 * (b->before.frames[l].com[k] - start[k] +
                                  b->after.frames[l].com[k] - end[k]);
            v3_cross(moment, lever, wrench[l]);
            v3_add(force, force, wrench[l]);
            v3_add(torque, torque, wrench[l] + 3);
            v3_add(torque, torque, moment);
        }
    }
    for (int s = b->joined.first[root]; model->has_lift && s >= 0; s = b->joined.next[s])
        add_lift(b, &model->subsystems[s], start, end, force, torque);
}

static void find_whole(const Balance *b, int root, Whole *out)
{
    const double *g = b->step->model->option.gravity;
    double at[3], force[3], torque[3], t = b->step->t;
    TnMassSums before, after;
    TnRigidMotion start, wanted;
    reference_point(b, root, at);
    sum_up(b, root, &b->before, at, &before);
    sum_up(b, root, &b->after, at, &after);
    bool turned = tn_masses_rigid_part(&before, at, &start);
    bool turns = tn_masses_rigid_part(&after, at, &out->is) && turned;
    double eta = b->step->model->option.theta; /* whatever share of v⁺ its members move by */
    applied_to(b, root, start.centre, out->is.centre, force, torque);
    out->must = out->is;
    for (int k = 0; k < 3; k++) {
        double a = g[k] + force[k] / after.mass;
        out->must.v[k] = start.v[k] + t * a;
        out->way[k] = start.centre[k] + t * (start.v[k] + eta * t * a) - out->is.centre[k];
    }
    if (!turns) {
        v3_zero(out->must.omega);
        v3_zero(out->is.omega);
        return;
    }
    v3_copy(after.L, before.L); /* ω that gives L of before */
    v3_add_scaled(after.L, torque, t);
    v3_zero(after.h);
    if (tn_masses_rigid_part(&after, out->is.centre, &wanted))
        v3_copy(out->must.omega, wanted.omega);
}

/* What is in a group, and where it must be. Groups that would run into others there are joined with
 * these: in truth there is a force. False: no memory. */
static bool find_groups(Balance *b)
{
    TnStep *step = b->step;
    int n = step->model->subsystem_count;
    double(*shift)[3] = tn_arena_alloc(&step->world->arena, sizeof *shift * (size_t)n);
    bool again = shift;
    for (int k = 0; again && k < MOST_JOINS; k++) {
        if (!tn_joined_find(step, &b->joined)) return false;
        again = false;
        for (int i = 0; i < step->awake_count; i++) {
            int root = step->awake[i];
            const TnJoinedGroup *g = &b->joined.groups[root];
            if (b->joined.first[root] < 0 || g->alone || g->bound) continue;
            if (!again) tn_pool_clear(step->world->team, shift, sizeof *shift * (size_t)n);
            find_whole(b, root, &b->wholes[root]);
            v3_copy(shift[root], b->wholes[root].way);
            again = true;
        }
        if (again && !tn_joined_extend(step, &b->joined, (const double(*)[3])shift, &again))
            return false;
    }
    return shift;
}

/* The group gets the momentum that it must have; *rigid is its motion as a whole then. */
static void balance_momentum(const Balance *b, int root, TnRigidMotion *rigid)
{
    const Whole *whole = &b->wholes[root];
    *rigid = whole->must;
    change_group(b, root, &(TnChange){1.0, &whole->is, rigid});
    shift_group(b, root, whole->way);
    v3_add(rigid->centre, rigid->centre, whole->way);
}

/* Kinetic energy of the rigid motion alone. */
static double rigid_energy(const Balance *b, int root, const TnRigidMotion *rigid)
{
    TnMassSums s;
    double w[3];
    sum_up(b, root, &b->after, rigid->centre, &s);
    m3_mul_v(w, s.I, rigid->omega);
    return 0.5 * (s.mass * v3_dot(rigid->v, rigid->v) + v3_dot(w, rigid->omega));
}

/* What cannot be told from noise. */
static double noise_of(const Balance *b, int root)
{
    const TnJoinedGroup *g = &b->joined.groups[root];
    const Sum *sum = &b->sums[root];
    double speed = v3_norm(b->step->model->option.gravity) * b->step->t;
    double solver = TN_ERRORS * sum->mass * speed * speed * b->step->found.error;
    if (g->stiff) return TN_STIFF_SHARE * sum->involved + solver;
    if (g->pushed || g->touched) return TN_PUSHED_SHARE * sum->involved + solver;
    return TN_ROUND_OFF * sum->involved + (g->tied ? solver : 0.0);
}

/* Linear momentum alone, of velocities that are about to be scaled: the rest of sum_up costs ten
 * times as much. */
static void sum_momentum(const Balance *b, int root, double P[3])
{
    const TnModel *model = b->step->model;
    TnMassSums sums = {0};
    double at[3];
    reference_point(b, root, at);
    for (int s = b->joined.first[root]; s >= 0; s = b->joined.next[s]) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (!sub->link_count) tn_kind_of(model, s)->add_masses(model, s, &b->after, at, &sums);
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
            v3_add_scaled(sums.P, b->after.twists[l], model->links[l].mass);
    }
    v3_copy(P, sums.P);
}

/* Before its velocities are scaled; `share`: of its momentum that is left. */
static void note_correction(const Balance *b, int root, double take, double share)
{
    Correction *c = &b->corrections[root];
    c->energy = take;
    if (share == 1.0) return;
    sum_momentum(b, root, c->momentum);
    v3_scale(c->momentum, c->momentum, share - 1.0);
}

/* For what watches the step; due: of a group that does not move as a whole, NULL: it does. */
static void note_scaled(const Balance *b, int root, const TnDueInput *in, const TnDue *due)
{
    const TnInstead *instead = b->step->world->instead;
    if (!instead || !instead->scaled) return;
    TnScaled out = {.by = TN_SCALED_ELSE};
    if (due) {
        out.take = due->take;
        out.moving = in->moving;
        double kept = in->put - TN_PUT_OUT_SHARE * fmax(0.0, in->moving - in->put),
               made = in->made + in->owed;
        bool alone = b->joined.next[root] < 0 && b->sums[root].excess == 0.0,
             own = (in->put == 0.0 || kept < 0.0) && (in->hits == 0.0 || in->made > 0.0);
        if (!in->smooth && due->take == 0.0) out.by = TN_SCALED_NOT;
        if (in->smooth && alone && own && (due->take == made || fabs(made) <= in->noise))
            out.by = TN_SCALED_BY_OWN;
        if (in->smooth && alone && in->made > 0.0 && kept > in->made && due->take == in->owed)
            out.by = TN_SCALED_BY_DEBT;
    }
    for (int s = b->joined.first[root]; s >= 0; s = b->joined.next[s]) instead->scaled[s] = out;
}

/* What is not worth it yet is kept in mind and taken off when it adds up. */
static void balance_energy(const Balance *b, int root, const TnRigidMotion *rigid)
{
    const TnJoinedGroup *g = &b->joined.groups[root];
    const Sum *sum = &b->sums[root];
    double moving = fmax(0.0, sum->kinetic - (rigid ? rigid_energy(b, root, rigid) : 0.0));
    bool smooth = !g->pushed && !g->stiff && b->step->model->option.theta == 0.5;
    const TnDueInput in = {.smooth = smooth,
                           .made = sum->created,
                           .put = sum->put_out + sum->put_back,
                           .hits = sum->hits,
                           .owed = sum->owed,
                           .kinetic = sum->kinetic,
                           .kinetic_before = sum->kinetic_before,
                           .moving = moving,
                           .noise = noise_of(b, root)};
    TnDue due = tn_due(&in);
    b->owed[root] = due.owed;
    note_scaled(b, root, &in, rigid ? NULL : &due);
    /* contacts that yield lose by it, at any length of the step */
    if (sum->stored == 0.0) b->corrections[root].dropped = due.beyond;
    if (due.take == 0.0) return;
    double share = sqrt((moving - due.take) / moving);
    note_correction(b, root, due.take, rigid ? 1.0 : share);
    change_group(b, root, &(TnChange){share, rigid, rigid});
}

static void find_accounts(void *context, int begin, int end)
{
    const Balance *b = context;
    for (int i = begin; i < end; i++) {
        int s = b->step->awake[i];
        b->of[s] = tn_account_of(&b->accounts, s);
    }
}

static void sum_energies(Balance *b, int root)
{
    Sum *sum = &b->sums[root];
    double there = 0.0;
    if (b->summed[root]) return;
    b->summed[root] = true;
    *sum = (Sum){0};
    for (int s = b->joined.first[root]; s >= 0; s = b->joined.next[s]) {
        if (b->accounts.changed[s]) b->of[s] = tn_account_of(&b->accounts, s);
        TnSubsystemAccount a = b->of[s];
        double before = b->step->world->energies[s].kinetic;
        sum->lost += a.lost;
        sum->rubbed += a.rubbed;
        sum->hits += a.hits;
        sum->stored += a.stored;
        there += before + fmax(0.0, a.work) + fmax(0.0, a.kinetic - before - a.gained);
        sum->kinetic_before += before;
        sum->kinetic += a.kinetic;
        sum->created += a.gained - a.work + a.lost + a.stored;
        sum->put_out += a.put_out;
        sum->put_back += a.put_back;
        sum->owed += b->step->world->state.owed[s];
        sum->involved += a.involved;
        sum->mass += a.mass;
    }
    /* a jam that was not solved has forces without sense, and so has their work */
    sum->excess = fmax(0.0, sum->lost - there);
    sum->created -= sum->excess;
    sum->involved -= sum->excess;
}

/* ---- what a group can afford ---- */

/* J: so much a step may make or lose, and what motion as slow as that of lasting contacts has. */
static double most_wrong(const Balance *b, const Sum *sum)
{
    double slow = tn_step_slow(b->step);
    return MOST_WRONG * sum->involved + sum->mass * slow * slow;
}

/* Of a group with cables or soft bodies: its new place has more potential energy than it can pay
 * for, even if all went out of its velocities that may: by so much, in units of noise. */
static double beyond_means(Balance *b, int root)
{
    const Sum *sum = &b->sums[root];
    double least = 0.0;
    sum_energies(b, root);
    if (!b->joined.groups[root].bound) least = rigid_energy(b, root, &b->wholes[root].must);
    double beyond = sum->created - sum->put_out - (sum->kinetic - least);
    return beyond > 0.0 ? beyond / noise_of(b, root) : 0.0;
}

/* The ways of such groups are cut; in free flight first those that strain them. */
static void cut_ways(Balance *b)
{
    TnStep *step = b->step;
    for (int i = 0; i < step->awake_count; i++) {
        int root = step->awake[i];
        const TnJoinedGroup *g = &b->joined.groups[root];
        double beyond = b->joined.first[root] >= 0 && g->stiff ? beyond_means(b, root) : 0.0;
        if (!(beyond > 1.0)) continue;
        step->balance.beyond = fmax(step->balance.beyond, beyond);
        for (int s = b->joined.first[root]; s >= 0; s = b->joined.next[s]) {
            if (g->bound || g->touched || step->way.strain[s] < LEAST_STRAIN)
                step->way.reach[s] *= CUT;
            else
                step->way.strain[s] *= CUT;
        }
    }
}

/* Groups' velocities are put right, and their energies summed up anew. */
static void balance_range(void *context, int begin, int end)
{
    Balance *b = context;
    for (int i = begin; i < end; i++) {
        int root = b->step->awake[i];
        const TnJoinedGroup *g = &b->joined.groups[root];
        TnRigidMotion rigid;
        if (b->joined.first[root] < 0) continue;
        if (!g->alone && !g->bound) {
            balance_momentum(b, root, &rigid);
            note_scaled(b, root, NULL, NULL);
        }
        sum_energies(b, root);
        if (g->alone || g->driven) continue;
        balance_energy(b, root, g->bound ? NULL : &rigid);
        sum_energies(b, root);
    }
}

/* What is left of each group. */
static void settle_accounts(Balance *b, TnStepReport *report)
{
    for (int i = 0; i < b->step->awake_count; i++) {
        int root = b->step->awake[i];
        if (b->joined.first[root] < 0) continue;
        const Sum *sum = &b->sums[root];
        TnGroupRest rest = {.created = sum->created,
                            .owed = sum->owed,
                            .excess = sum->excess,
                            .put_out = sum->put_out + sum->put_back,
                            .lost = sum->lost,
                            .rubbed = sum->rubbed,
                            .hits = sum->hits,
                            .stored = sum->stored,
                            .involved = sum->involved,
                            .mass = sum->mass};
        tn_accounts_add(&b->accounts, &b->joined, root, &rest);
        report->corrected_energy += b->corrections[root].energy;
        tn_step_exceeds(b->step, TN_CHECK_ENERGY,
                        b->corrections[root].dropped / most_wrong(b, sum));
        v3_add(report->corrected_momentum, report->corrected_momentum,
               b->corrections[root].momentum);
    }
    tn_accounts_close(&b->accounts, report);
    tn_step_exceeds(b->step, TN_CHECK_ENERGY, report->created_share / MOST_WRONG);
}

bool tn_step_balance(TnStep *step, bool may_cut, TnStepReport *report)
{
    TnWorld *world = step->world;
    int n = step->model->subsystem_count;
    Balance b = {.step = step,
                 .sums = TN_ARENA_NEW(&world->arena, Sum, n),
                 .summed = TN_ARENA_ZERO(&world->arena, bool, n),
                 .owed = TN_ARENA_ZERO(&world->arena, double, n),
                 .corrections = TN_ARENA_ZERO(&world->arena, Correction, n),
                 .wholes = TN_ARENA_NEW(&world->arena, Whole, n),
                 .of = TN_ARENA_NEW(&world->arena, TnSubsystemAccount, n),
                 .before = tn_step_before(step),
                 .after = tn_world_next(world)};
    if (!b.sums || !b.summed || !b.owed || !b.corrections || !b.wholes || !b.of ||
        !find_groups(&b) || !tn_accounts_open(step, &b.accounts))
        return false;
    tn_pool_run(world->team, step->awake_count, TN_SUBSYSTEM_GRAIN, find_accounts, &b);
    step->balance.beyond = 0.0;
    if (may_cut) cut_ways(&b);
    if (step->balance.beyond > 0.0) return true;
    tn_pool_run(world->team, step->awake_count, TN_SUBSYSTEM_GRAIN, balance_range, &b);
    settle_accounts(&b, report);
    step->balance.after = b.accounts.after;
    step->balance.owed = b.owed;
    step->balance.losses = b.accounts.losses;
    return true;
}
