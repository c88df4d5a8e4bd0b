/* account.c: energy over a step,
 *
 *     ΔE = actuators + applied - friction - damping - impacts - step + created.
 *
 * E is kinetic, potential and elastic energy of the states before and after. Work is force times
 * displacement t u. Friction is that of contacts (sliding, spinning, rolling) and of joints.
 * Cables' and soft bodies' own damping and what the time step takes are one number, `step`: what is
 * left of a group of subsystems that forces joined once the others are known, where it is a loss.
 * Where it is a gain it is `created`, energy from nowhere. What a group owes of earlier steps
 * (balance.c) was one or the other then, and is taken off the same when it is settled. `impacts` is
 * λ_n times the mean of the speeds of approach before and after of contacts that were hit, and not
 * more than was lost.
 *
 * Compliant contacts (solver/compliant.h) are springs: their forces do the work -t λ·C(λ - λ_c), of
 * which they store t/2 (λ·Cλ - λ_c·Cλ_c). It counts with `step`, and below zero as it is given
 * back.
 */
#include "account.h"

#include <math.h>

#include "../math/vec3.h"
#include "kind.h"

/* ---- mocap bodies ---- */

/* Work of what pushes and pulls others along: force times the way of the mocap body. */
static void add_driven(TnAccounts *a, int s, double work)
{
    if (s < 0) return;
    a->work[s] += work;
    a->applied += work;
}

/* A subsystem that the row acts on. */
static int subsystem_of_row(const TnStep *step, int slot)
{
    const TnModel *model = step->model;
    int tendons = tn_row_slot_tendon(model, 0, 0), wheels = tn_row_slot_wheel(model, 0, 0),
        forces = tn_row_slot_force(model, 0);
    if (slot >= tendons && slot < wheels) return model->tendons[(slot - tendons) / 3].subsystem;
    for (int i = 0; slot >= forces && i < model->tendon_count; i++)
        if (model->tendons[i].force == slot - forces) return model->tendons[i].subsystem;
    for (int i = 0; slot >= forces && i < model->actuator_count; i++)
        if (model->actuators[i].force == slot - forces) return model->actuators[i].subsystem;
    if (slot < 0 || slot >= tn_row_slot_joint(model, 0, 0)) return -1;
    const TnEquality *e = &model->equalities[slot / 6];
    int s = tn_part_of_body(model, e->body1);
    return s >= 0 ? s : tn_part_of_body(model, e->body2);
}

static void account_mocaps(TnAccounts *a)
{
    const TnStep *step = a->step;
    const TnWorld *world = step->world;
    const TnModel *model = step->model;
    const TnProblem *p = &world->set.problem;
    for (int i = 0; i < world->contacts.count; i++) {
        const TnContactPoint *c = &world->contacts.points[i];
        const int geoms[2] = {c->geom1, c->geom2};
        for (int side = 0; side < 2; side++) {
            double f[3], u[3];
            if (!tn_link_is_mocap(model, model->geom_link[geoms[side]])) continue;
            tn_problem_contact_lambda(p, i, f); /* on the second side */
            tn_account_side_motion(step, c, side, (const double(*)[6])step->moved, step->moved_qvel,
                                   u);
            add_driven(a, tn_any_geom_subsystem(model, geoms[!side]),
                       (side ? -step->t : step->t) * v3_dot(f, u));
        }
    }
    for (int r = 0; r < p->row_count; r++) {
        const TnRow *row = &p->rows[r];
        if (world->set.row_drive[r] == 0.0) continue;
        int s = row->set >= TN_ROW_SPIN
                    ? tn_geom_subsystem(model, world->contacts.points[row->contact].geom1)
                    : subsystem_of_row(step, world->set.row_slot[r]);
        add_driven(a, s, -step->t * row->lambda * world->set.row_drive[r]);
    }
}

/* Rows that dissipate: dry friction of joints and tendons, spin and roll of contacts. */
static void account_rows(TnAccounts *a)
{
    const TnStep *step = a->step;
    const TnWorld *world = step->world;
    const TnProblem *p = &world->set.problem;
    for (int r = 0; r < p->row_count; r++) {
        const TnRow *row = &p->rows[r];
        double lost = 0.0;
        int s = -1;
        if (row->lambda == 0.0) continue;
        if (row->set == TN_ROW_BOX && !tn_step_is_path_row(step, r)) {
            lost = -step->t * row->lambda *
                   tn_step_row_rate(step, world->set.row_slot[r], step->moved_qvel, &s);
        } else if (row->set >= TN_ROW_SPIN) {
            const TnContactPoint *c = &world->contacts.points[row->contact];
            const int *carrier = world->division->carrier;
            double linear[3], angular[3], turn[3], u[3] = {0.0, 0.0, 0.0};
            int slot = world->set.row_slot[r];
            tn_contact_row(step->model, c, row->set, slot, linear, angular);
            v3_sub(turn, step->moved[carrier[step->model->geom_link[c->geom2]]] + 3,
                   step->moved[carrier[step->model->geom_link[c->geom1]]] + 3);
            if (slot == TN_SLOT_SLIDE)
                tn_account_contact_motion(step, c, (const double(*)[6])step->moved,
                                          step->moved_qvel, u);
            lost = -step->t * row->lambda * (v3_dot(angular, turn) + v3_dot(linear, u));
            s = tn_geom_subsystem(step->model, c->geom1);
        } else {
            continue;
        }
        a->lost[s] += fmax(0.0, lost);
        a->friction += fmax(0.0, lost);
    }
}

/* Actuators, dampers and dry friction along paths: force times the way along the row. */
static void account_paths(TnAccounts *a)
{
    const TnStep *step = a->step;
    const TnModel *model = step->model;
    const TnConstraintSet *set = &step->world->set;
    for (int i = 0; i < set->path_row_count; i++) {
        const TnPathRow *path = &set->path_rows[i];
        const TnRow *row = &set->problem.rows[path->row];
        int s = path->actuator >= 0 ? model->actuators[path->actuator].subsystem
                                    : model->tendons[path->tendon].subsystem;
        TnReach reach = tn_reach(&step->dynamics, step->blend[s]);
        double rate = tn_row_velocity(&set->problem, row) + path->drive,
               way = step->reach[s] * (reach.p * rate - reach.r * path->shift);
        if (path->actuator >= 0) {
            a->work[s] += row->lambda * way;
            a->actuators += row->lambda * way;
        } else if (row->set == TN_ROW_BOX) {
            double lost = fmax(0.0, -row->lambda * way);
            a->lost[s] += lost;
            a->friction += lost;
        } else {
            double force = path->damping * (path->share * rate - (path->share - 1.0) * path->shift),
                   lost = fmax(0.0, force * way);
            a->lost[s] += lost;
            a->damping += lost;
        }
    }
}

/* ---- subsystems ---- */

static void account_applied(TnAccounts *a, int s)
{
    const TnStep *step = a->step;
    const TnWorld *world = step->world;
    const TnSubsystem *sub = &step->model->subsystems[s];
    double work = 0.0;
    const double(*wrench)[6] = step->dynamics.wrench;
    for (int l = sub->link_start; wrench && l < sub->link_start + sub->link_count; l++)
        for (int k = 0; k < 6; k++) work += step->t * wrench[l][k] * step->moved[l][k];
    if (world->node_force_set && sub->kind == TN_SUBSYSTEM_SOFT) {
        const double *x = world->state.qpos + sub->qpos_start,
                     *end = world->next_qpos + sub->qpos_start,
                     *f = world->node_force + sub->dof_start;
        for (int k = 0; k < sub->dof_count; k++) work += f[k] * (end[k] - x[k]);
    }
    a->work[s] += work;
    a->applied += work;
}

static void account_joints(TnAccounts *a, int s)
{
    TnJointWork work = tn_kind_of(a->step->model, s)->work(a->step, s);
    a->work[s] += work.actuators;
    a->lost[s] += work.damping;
    a->actuators += work.actuators;
    a->damping += work.damping;
}

static void find_energies(void *context, int begin, int end)
{
    const TnAccounts *a = context;
    const TnStep *step = a->step;
    TnInstant next = tn_world_next(step->world);
    next.elastic = a->elastic;
    for (int i = begin; i < end; i++)
        a->after[step->awake[i]] =
            tn_subsystem_energy(step->model, step->awake[i], step->world->elements, &next);
}

/* That move freely. */
static bool only_bodies(const TnModel *model)
{
    return model->rigid_count == model->subsystem_count;
}

/* A number per subsystem, zero. NULL: no memory. */
static double *zeros(const TnStep *step)
{
    int n = step->model->subsystem_count;
    double *out = TN_ARENA_NEW(&step->world->arena, double, n);
    if (out) tn_pool_clear(step->world->team, out, sizeof(double) * (size_t)n);
    return out;
}

bool tn_accounts_open(TnStep *step, TnAccounts *a)
{
    TnArena *arena = &step->world->arena;
    int n = step->model->subsystem_count;
    *a = (TnAccounts){.step = step,
                      .impacts = step->impact_loss,
                      .work = zeros(step),
                      .lost = zeros(step),
                      .stored = zeros(step),
                      .put_out = zeros(step),
                      .changed = TN_ARENA_ZERO(arena, bool, n),
                      .after = TN_ARENA_NEW(arena, TnEnergy, n)};
    double *elastic = TN_ARENA_NEW(arena, double, step->model->soft_count);
    if (!a->work || !a->lost || !a->stored || !a->put_out || !a->changed || !a->after || !elastic)
        return false;
    a->elastic = elastic;
    if (step->model->soft_count)
        tn_soft_energies(step->world->elements, step->model, step->world->next_qpos,
                         step->world->state.asleep, elastic, step->world->team);
    tn_pool_run(step->world->team, step->awake_count, TN_MOVE_GRAIN, find_energies, a);
    bool forces = step->dynamics.wrench || step->world->node_force_set;
    for (int i = 0; (forces || !only_bodies(step->model)) && i < step->awake_count; i++) {
        int s = step->awake[i];
        account_applied(a, s);
        if (tn_kind_of(step->model, s)->work) account_joints(a, s);
    }
    account_rows(a);
    account_paths(a);
    if (step->world->mocap_moves) account_mocaps(a);
    return tn_account_contacts(a);
}

TnSubsystemAccount tn_account_of(const TnAccounts *a, int s)
{
    const TnStep *step = a->step;
    const TnEnergy *before = &step->world->energies[s];
    const TnKind *kind = tn_kind_of(step->model, s);
    const TnInstant start = tn_step_before(step), end = tn_world_next(step->world);
    TnEnergy *after = &a->after[s];
    if (a->changed[s]) after->kinetic = kind->kinetic(step->model, s, &end);
    if (a->changed[s] && tn_has_path_springs(step->model, s)) { /* groups are shifted, too */
        TnEnergy now = tn_subsystem_energy(step->model, s, step->world->elements, &end);
        after->elastic = now.elastic;
        after->potential = now.potential;
    }
    a->changed[s] = false;
    double fall = kind->fall(step->model, s, &start, &end);
    return (TnSubsystemAccount){
        .kinetic = after->kinetic,
        .gained = after->kinetic - before->kinetic + fall + after->elastic - before->elastic,
        .work = a->work[s],
        .lost = a->lost[s],
        .stored = a->stored[s],
        .put_out = a->put_out[s],
        .mass = kind->mass(step->model, s),
        .involved = after->kinetic + before->kinetic + after->elastic + before->elastic +
                    fabs(fall) + fabs(a->work[s]) + fabs(a->lost[s]) + fabs(a->stored[s])};
}

/* ---- what is left ---- */

/* Noise: motion at the speed that gravity gives in a step. */
static double noise_of(const TnStep *step, double mass)
{
    double speed = tn_world_solver(step->world).velocity_scale;
    return mass * speed * speed;
}

void tn_accounts_add(TnAccounts *a, const TnJoined *joined, int root, const TnGroupRest *rest)
{
    a->friction -= rest->excess;
    if (rest->created <= 0.0) {
        double off = fmin(-rest->created, fmax(0.0, rest->owed));
        a->rest_created -= off;
        a->rest_lost -= rest->created + off;
        return;
    }
    double back = fmin(rest->created, fmax(0.0, -rest->owed)), made = rest->created - back;
    a->rest_lost -= back;
    a->rest_created += made;
    double share = (made - noise_of(a->step, rest->mass)) / rest->involved;
    if (!(share > a->share)) return;
    a->share = share;
    a->worst_of = joined;
    a->worst_root = root;
}

/* Of a group, whose energy grew most. */
static int most_gained(const TnAccounts *a, const TnJoined *joined, int root)
{
    int found = root;
    double most = -INFINITY;
    for (int s = joined->first[root]; s >= 0; s = joined->next[s]) {
        double gained = tn_account_of(a, s).gained;
        if (!(gained > most)) continue;
        most = gained;
        found = s;
    }
    return found;
}

/* Of a subsystem's links, whose kinetic energy grew most. */
static int most_hurried(const TnStep *step, const TnSubsystem *sub)
{
    const TnWorld *world = step->world;
    const TnInstant start = tn_step_before(step);
    int found = sub->link_start;
    double most = -INFINITY;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++) {
        const TnLink *link = &step->model->links[l];
        double gained = tn_link_kinetic(link, &world->next_frames[l], world->next_twists[l]) -
                        tn_link_kinetic(link, &start.frames[l], start.twists[l]);
        if (!(gained > most)) continue;
        most = gained;
        found = l;
    }
    return found;
}

static void name_worst(const TnAccounts *a, TnStepReport *out)
{
    const TnModel *model = a->step->model;
    if (!a->worst_of) return;
    const TnSubsystem *sub = &model->subsystems[most_gained(a, a->worst_of, a->worst_root)];
    out->created_share = a->share;
    if (sub->kind == TN_SUBSYSTEM_SOFT)
        out->created_soft = sub->kind_index + 1;
    else
        out->created_body = model->links[most_hurried(a->step, sub)].body + 1;
}

void tn_accounts_close(const TnAccounts *a, TnStepReport *out)
{
    double impacts = fmax(0.0, fmin(a->impacts, a->rest_lost));
    out->energy = (TnEnergyAccount){.actuators = a->actuators,
                                    .applied = a->applied,
                                    .friction = a->friction,
                                    .damping = a->damping,
                                    .impacts = impacts,
                                    .step = a->rest_lost - impacts + a->contacts,
                                    .created = a->rest_created};
    name_worst(a, out);
}
