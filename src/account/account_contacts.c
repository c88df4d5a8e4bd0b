/* account_contacts.c: what contacts took from a step's energy, and what they store (account.c).
 * Each contact is looked at once, by any thread; sums are over contacts of a subsystem in their
 * order, and over stretches of a fixed length. */
#include "account.h"

#include <math.h>

#include "../base/bucket.h"
#include "../base/rounding.h"
#include "../math/vec3.h"

/* Velocity of a side's point with some velocities of links and nodes. */
void tn_account_side_motion(const TnStep *step, const TnContactPoint *c, int side,
                            const double (*twists)[6], const double *qvel, double out[3])
{
    int soft = side ? c->soft2 : c->soft1;
    const TnWorld *world = step->world;
    const TnModel *model = step->model;
    if (soft >= 0) {
        const TnSoftPoint *point = &world->contacts.soft_points[soft];
        const double *v = qvel + model->softs[point->soft].dof_start;
        v3_zero(out);
        for (int k = 0; k < point->count; k++)
            v3_add_scaled(out, v + 3L * point->node[k], point->weight[k]);
        return;
    }
    int own = model->geom_link[side ? c->geom2 : c->geom1], link = world->division->carrier[own];
    const double *arm = side ? c->arm2 : c->arm1;
    double carried[3];
    if (link != own) {
        tn_contact_arm(model, world->division, world->frames, c, side, carried);
        arm = carried;
    }
    v3_cross(out, twists[link] + 3, arm);
    v3_add(out, out, twists[link]);
}

/* The same over the step, where the contact's force acts. */
void tn_account_moved(const TnStep *step, int contact, double out[3])
{
    const TnConstraintSet *set = &step->world->set;
    const double(*twists)[6] = (const double(*)[6])step->found.moved;
    double first[3];
    tn_contact_moved(&step->constraint, set, contact, 0, twists, step->found.moved_qvel, first);
    tn_contact_moved(&step->constraint, set, contact, 1, twists, step->found.moved_qvel, out);
    v3_sub(out, out, first);
}

/* Of the second side against the first. */
void tn_account_contact_motion(const TnStep *step, const TnContactPoint *c,
                               const double (*twists)[6], const double *qvel, double out[3])
{
    double first[3];
    tn_account_side_motion(step, c, 0, twists, qvel, first);
    tn_account_side_motion(step, c, 1, twists, qvel, out);
    v3_sub(out, out, first);
}

/* Contacts that are summed up together before their sum joins the others'. */
#define STRETCH 4096
#define AT_REST (-2)
/* Of what gravity gives in a step: contacts that last and close faster are knocks, and what these
 * take is lost. */
#define KNOCK 0.02

/* Of one contact, J. */
typedef struct Taken {
    double stored, lost, put_out, hits;
} Taken;

typedef struct Taking {
    TnAccounts *accounts;
    bool *calm;     /* per link: it is at rest */
    int32_t *whose; /* per contact: the subsystem of its first side, -1: the world, or AT_REST */
    Taken *taken;   /* per contact */
    Taken *sums;    /* per stretch */
    int32_t *start, *of;
} Taking;

static double size_of(const double v[3]) { return fabs(v[0]) + fabs(v[1]) + fabs(v[2]); }

static void calm_range(void *context, int begin, int end)
{
    const Taking *x = context;
    const TnStep *step = x->accounts->step;
    const TnWorld *world = step->world;
    /* what is slower is at rest: its contacts take nothing that can be told from the tolerance */
    double calm = TN_SAME * tn_world_velocity_scale(world);
    for (int i = begin; i < end; i++) {
        const TnSubsystem *sub = &step->model->subsystems[step->awake[i]];
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
            const double *u = step->found.moved[l], *v = world->twists[l];
            double radius = world->groups->radius[l];
            x->calm[l] = size_of(u) + radius * size_of(u + 3) < calm &&
                         size_of(v) + radius * size_of(v + 3) < calm;
        }
    }
}

/* t/2 (λ·Cλ - λ_c·Cλ_c), of the normal and of the tangents. */
static void stored_in(const TnStep *step, int contact, const double f[3], double out[2])
{
    const TnProblem *p = &step->world->set.problem;
    const double *was = p->memory[contact], *n = p->normals[contact], *C = p->yield[contact];
    double now_n = v3_dot(f, n), was_n = v3_dot(was, n);
    out[0] = 0.5 * step->t * C[0] * (now_n * now_n - was_n * was_n);
    out[1] =
        0.5 * step->t * C[1] * (v3_dot(f, f) - now_n * now_n - (v3_dot(was, was) - was_n * was_n));
}

/* Of an overlap, the share that is not what the contact itself yielded by (solver/compliant.h). A
 * contact that yields and is put right again would make energy in every cycle of a rocking stack:
 * only overlaps that come from elsewhere may be undone for nothing. */
static double foreign_share(const TnStep *step, int contact)
{
    const TnProblem *p = &step->world->set.problem;
    double depth = -step->world->contacts.points[contact].gap,
           own = step->t / step->model->option.theta * p->yield[contact][0] *
                 v3_dot(p->normals[contact], p->memory[contact]);
    return depth > own ? 1.0 - fmax(0.0, own) / depth : 0.0;
}

static Taken take_from(const TnStep *step, int i)
{
    const TnWorld *world = step->world;
    const TnContactPoint *c = &world->contacts.points[i];
    double f[3], u[3], v[3], stored[2];
    tn_problem_contact_lambda(&world->set.problem, i, f);
    const double *n = world->set.problem.normals[i];
    double normal = v3_dot(f, n);
    stored_in(step, i, f, stored);
    Taken x = {.stored = stored[0] + stored[1]};
    if (f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0) return x;
    tn_account_moved(step, i, u);
    /* friction that helps is none: what it does then is made by the step */
    double work = step->t * (v3_dot(f, u) - normal * v3_dot(n, u));
    x.lost = fmax(0.0, -work - stored[1]);
    tn_account_contact_motion(step, c, (const double(*)[6])world->twists, world->state.qvel, v);
    double approach = v3_dot(c->normal, v), out = world->set.laws[i].out;
    /* what moves by the mean velocity goes on as it came out before */
    if (out > 0.0) out = fmin(v3_dot(n, u), fmax(out, 0.5 * (out + approach)));
    if (out > 0.0) x.put_out = step->t * normal * out * foreign_share(step, i);
    if (!world->set.laws[i].resting)
        x.hits = -0.5 * step->t * normal * fmin(0.0, approach + v3_dot(n, u));
    else if (-approach > KNOCK * tn_world_velocity_scale(world))
        x.hits = -0.5 * step->t * normal * approach;
    return x;
}

static void add_taken(Taken *to, const Taken *x)
{
    to->stored += x->stored;
    to->lost += x->lost;
    to->put_out += x->put_out;
}

static void take_range(void *context, int begin, int end)
{
    const Taking *x = context;
    const TnStep *step = x->accounts->step;
    const int *link = step->model->geom_link;
    for (int i = begin; i < end; i++) {
        const TnContactPoint *c = &step->world->contacts.points[i];
        bool soft = c->soft1 >= 0 || c->soft2 >= 0;
        x->whose[i] = AT_REST;
        if (!soft && x->calm[link[c->geom1]] && x->calm[link[c->geom2]]) continue;
        x->whose[i] = tn_geom_subsystem(step->model, c->geom1);
        x->taken[i] = take_from(step, i);
    }
}

static void sum_stretches(void *context, int begin, int end)
{
    const Taking *x = context;
    int count = x->accounts->step->world->contacts.count;
    for (int k = begin; k < end; k++) {
        Taken sum = {0};
        for (int i = k * STRETCH; i < count && i < (k + 1) * STRETCH; i++)
            if (x->whose[i] != AT_REST) add_taken(&sum, &x->taken[i]);
        x->sums[k] = sum;
    }
}

static void add_to(const TnAccounts *a, int s, const Taken *x)
{
    a->stored[s] += x->stored;
    a->lost[s] += x->lost;
    a->rubbed[s] += x->lost;
    a->hits[s] += x->hits;
    a->put_out[s] += x->put_out;
}

static void add_subsystems(void *context, int begin, int end)
{
    const Taking *x = context;
    for (int s = begin; s < end; s++)
        for (int k = x->start[s]; k < x->start[s + 1]; k++)
            add_to(x->accounts, s, &x->taken[x->of[k]]);
}

/* Each to its subsystem. False: no memory. */
static bool hand_out(Taking *x, int count)
{
    TnStep *step = x->accounts->step;
    TnArena *arena = &step->world->arena;
    TnPool *team = step->world->team;
    int n = step->model->subsystem_count;
    if (tn_pool_threads(team) == 1 || count < STRETCH) {
        for (int i = 0; i < count; i++)
            if (x->whose[i] >= 0) add_to(x->accounts, x->whose[i], &x->taken[i]);
        return true;
    }
    x->start = TN_ARENA_NEW(arena, int32_t, n + 1);
    x->of = TN_ARENA_NEW(arena, int32_t, count);
    if (!x->start || !x->of || !tn_buckets_fill(team, arena, x->whose, count, n, x->start, x->of))
        return false;
    tn_pool_run(team, n, TN_SUBSYSTEM_GRAIN, add_subsystems, x);
    return true;
}

bool tn_account_contacts(TnAccounts *a)
{
    TnStep *step = a->step;
    TnArena *arena = &step->world->arena;
    int count = step->world->contacts.count, stretches = (count + STRETCH - 1) / STRETCH;
    size_t mark = tn_arena_mark(arena);
    Taking x = {.accounts = a,
                .calm = TN_ARENA_ZERO(arena, bool, step->model->link_count),
                .whose = TN_ARENA_NEW(arena, int32_t, count),
                .taken = TN_ARENA_NEW(arena, Taken, count),
                .sums = TN_ARENA_NEW(arena, Taken, stretches)};
    if (!x.calm || !x.whose || !x.taken || !x.sums) return false;
    x.calm[0] = true;
    for (int l = 1; l <= step->model->mocap_count; l++) x.calm[l] = !step->world->mocap_moves;
    tn_pool_run(step->world->team, step->awake_count, TN_SUBSYSTEM_GRAIN, calm_range, &x);
    tn_pool_run(step->world->team, count, 64, take_range, &x);
    tn_pool_run(step->world->team, stretches, 1, sum_stretches, &x);
    for (int k = 0; k < stretches; k++) {
        a->contacts += x.sums[k].stored;
        a->friction += x.sums[k].lost;
    }
    bool ok = hand_out(&x, count);
    tn_arena_release(arena, mark);
    return ok;
}
