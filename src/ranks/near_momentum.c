/* near_momentum.c: the momentum of groups on which nothing fixed acts, in a world that ranks step
 * in parts.
 *
 * As in balance.c: P⁺ = P + t (m g + F), and L about the centre of mass changes by t times the
 * torque of applied forces. What is missing is given to the group as one rigid motion, which leaves
 * all velocities within it alone. (Places are not shifted here.) Sums are about the place of the
 * group's lowest member, in whole units, and ranks tell each other theirs of groups that span them.
 */
#include <math.h>
#include <string.h>

#include "../base/ranks.h"
#include "../math/vec3.h"
#include "near_groups.h"

/* Of the two states: mass, first moment, momentum, angular momentum, inertia (symmetric); then
 * force and torque. */
enum { MASS, H, P = H + 3, L = P + 3, I = L + 3, ONE = I + 6, FORCE = 2 * ONE, TORQUE = FORCE + 3 };
enum { SUMS = TORQUE + 3 };

typedef struct Masses {
    double id;
    TnWholeSum sums[SUMS];
} Masses;

typedef struct Momenta {
    TnNearGroups *g;
    int *place;   /* by root: where its sums are; -1: it has none */
    Masses *list; /* of sets of this rank whose groups are free */
    int count;
    double units[SUMS];
} Momenta;

static bool is_free(const TnSetAccount *of) { return !of->bound && !of->left; }

/* kg, m, m/s */
static void find_units(Momenta *x)
{
    const TnNear *near = x->g->near;
    double mass = TN_NEAR_UNIT * near->mean_mass, size = near->extent,
           speed = tn_world_velocity_scale(x->g->step->world), t = x->g->step->t;
    for (int k = 0; k < SUMS; k++) {
        int i = k % ONE;
        x->units[k] = k >= TORQUE  ? mass * size * speed / t
                      : k >= FORCE ? mass * speed / t
                      : i < H      ? mass
                      : i < P      ? mass * size
                      : i < L      ? mass * speed
                      : i < I      ? mass * size * speed
                                   : mass * size * size;
    }
}

/* ---- sums ---- */

static const int symmetric[6] = {0, 4, 8, 1, 2, 5}; /* of a matrix of nine */

static void put(const TnMassSums *m, double *to)
{
    to[MASS] = m->mass;
    v3_copy(to + H, m->h);
    v3_copy(to + P, m->P);
    v3_copy(to + L, m->L);
    for (int k = 0; k < 6; k++) to[I + k] = m->I[symmetric[k]];
}

static void take(const double *from, TnMassSums *m)
{
    static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    m->mass = from[MASS];
    v3_copy(m->h, from + H);
    v3_copy(m->P, from + P);
    v3_copy(m->L, from + L);
    for (int k = 0; k < 9; k++) m->I[k] = from[I + at[k]];
}

/* Applied forces, with levers of the middle of the step. */
static void add_applied(const TnStep *step, int s, const double at[3], double *terms)
{
    const double(*wrench)[6] = step->dynamics.wrench;
    const TnSubsystem *sub = &step->model->subsystems[s];
    const TnInstant before = tn_step_before(step), after = tn_world_next(step->world);
    for (int l = sub->link_start; wrench && l < sub->link_start + sub->link_count; l++) {
        double lever[3], moment[3];
        for (int k = 0; k < 3; k++)
            lever[k] = 0.5 * (before.frames[l].com[k] + after.frames[l].com[k]) - at[k];
        v3_cross(moment, lever, wrench[l]);
        v3_add(terms + FORCE, terms + FORCE, wrench[l]);
        v3_add(terms + TORQUE, terms + TORQUE, wrench[l] + 3);
        v3_add(terms + TORQUE, terms + TORQUE, moment);
    }
}

static void add(const Momenta *x, int s, const double at[3], Masses *to)
{
    const TnStep *step = x->g->step;
    const TnInstant instants[2] = {tn_step_before(step), tn_world_next(step->world)};
    double terms[SUMS] = {0.0};
    for (int k = 0; k < 2; k++) {
        TnMassSums sums = {0};
        tn_kind_of(step->model, s)->add_masses(step->model, s, &instants[k], at, &sums);
        put(&sums, terms + ONE * k);
    }
    add_applied(step, s, at, terms);
    for (int k = 0; k < SUMS; k++) tn_whole_add(&to->sums[k], terms[k], x->units[k]);
}

/* Of this rank. False: no memory. */
static bool add_up(Momenta *x)
{
    const TnNearGroups *g = x->g;
    TnArena *arena = &g->step->world->arena;
    int n = g->step->model->subsystem_count;
    x->place = TN_ARENA_NEW(arena, int, n + 1);
    if (!x->place) return false;
    for (int s = 0; s < n; s++) {
        bool wanted = g->root[s] == s && g->touched[s] && is_free(&g->of[s]);
        x->place[s] = wanted ? x->count++ : -1;
    }
    x->list = TN_ARENA_ZERO(arena, Masses, x->count + 1);
    if (!x->list) return false;
    for (int s = 0; s < n; s++) {
        int root = g->root[s], k = x->place[root];
        if (k < 0) continue;
        if (s == root && g->open[s]) x->list[k].id = tn_set_id(g, s);
        if (tn_near_counts(g, s)) add(x, s, g->of[root].at, &x->list[k]);
    }
    return true;
}

/* ---- between ranks ---- */

/* Some group of several ranks is free; all find the same. */
static bool is_needed(const TnNearGroups *g)
{
    for (int i = 0; i < g->all_count; i++)
        if (is_free(&g->all[i])) return true;
    return false;
}

static void join(Masses *to, const Masses *from)
{
    for (int k = 0; k < SUMS; k++) tn_whole_join(&to->sums[k], &from->sums[k]);
}

/* Sums of open sets become those of their groups. False: no memory. */
static bool share(Momenta *x)
{
    TnNearGroups *g = x->g;
    TnArena *arena = &g->step->world->arena;
    if (!is_needed(g)) return true;
    Masses *mine = TN_ARENA_NEW(arena, Masses, x->count + 1), *groups;
    int count = 0, n = g->step->model->subsystem_count;
    void *told;
    size_t bytes;
    if (!mine) return false;
    for (int s = 0; s < n; s++)
        if (x->place[s] >= 0 && g->open[s]) mine[count++] = x->list[x->place[s]];
    groups = TN_ARENA_ZERO(arena, Masses, g->all_count + 1);
    if (!groups || !tn_near_share(g->step, mine, sizeof *mine * (size_t)count, &told, &bytes))
        return false;
    const Masses *all = told;
    for (size_t i = 0; i < bytes / sizeof *all; i++)
        join(&groups[g->all_root[tn_set_find(g, all[i].id)]], &all[i]);
    for (int s = 0; s < n; s++)
        if (x->place[s] >= 0 && g->open[s])
            x->list[x->place[s]] = groups[g->all_root[tn_set_find(g, tn_set_id(g, s))]];
    return true;
}

/* ---- what must be ---- */

static double energy_of(const TnMassSums *about_centre, const TnRigidMotion *rigid)
{
    double w[3];
    m3_mul_v(w, about_centre->I, rigid->omega);
    return 0.5 * (about_centre->mass * v3_dot(rigid->v, rigid->v) + v3_dot(w, rigid->omega));
}

static void find_motion(const Momenta *x, const Masses *of, const double at[3], TnOutcome *out,
                        double energies[2])
{
    const TnStep *step = x->g->step;
    const double *gravity = step->model->option.gravity;
    double sums[SUMS], middle[3], moment[3], t = step->t;
    TnMassSums before, after;
    TnRigidMotion start, wanted;
    for (int k = 0; k < SUMS; k++) sums[k] = tn_whole_value(&of->sums[k], x->units[k]);
    take(sums, &before);
    take(sums + ONE, &after);
    bool turned = tn_masses_rigid_part(&before, at, &start);
    bool turns = tn_masses_rigid_part(&after, at, &out->is) && turned;
    out->whole = true;
    out->must = out->is;
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5 * (start.centre[k] + out->is.centre[k]) - at[k];
        out->must.v[k] = start.v[k] + t * (gravity[k] + sums[FORCE + k] / after.mass);
    }
    if (turns) {
        TnMassSums must = after; /* about the centre */
        v3_cross(moment, middle, sums + FORCE);
        for (int k = 0; k < 3; k++) must.L[k] = before.L[k] + t * (sums[TORQUE + k] - moment[k]);
        v3_zero(must.h);
        if (tn_masses_rigid_part(&must, out->is.centre, &wanted))
            v3_copy(out->must.omega, wanted.omega);
    } else {
        v3_zero(out->is.omega);
        v3_zero(out->must.omega);
    }
    energies[0] = energy_of(&after, &out->is);
    energies[1] = energy_of(&after, &out->must) - energies[0];
}

bool tn_near_momentum(TnNearGroups *g, TnOutcome *outcomes, double (*energies)[2])
{
    Momenta x = {.g = g};
    find_units(&x);
    if (!add_up(&x) || !share(&x)) return false;
    for (int s = 0; s < g->step->model->subsystem_count; s++)
        if (x.place[s] >= 0)
            find_motion(&x, &x.list[x.place[s]], g->of[s].at, &outcomes[s], energies[s]);
    return true;
}
