/* account.c: energy over a step,
 *
 *     ΔE = actuators + applied + push_out - friction - damping - impacts - step - unsolved
 *          + created.
 *
 * E is kinetic, potential and elastic energy of the states before and after. Work is force times
 * displacement t u. Friction is that of contacts (sliding, spinning, rolling) and of joints.
 * Cables' and soft bodies' own damping and what the time step takes are one number, `step`: what is
 * left of a group of subsystems that forces joined once the others are known, where it is a loss.
 * Where it is a gain, it is `push_out` as far as the forces that undo overlaps, and close limits
 * and equalities that are open, worked so much: λ · (t u, and of it what the law asks for to undo
 * them). The rest of it is `created`, energy from nowhere. What a group owes of earlier steps
 * (balance.c) was one or the other then, and is taken off the same when it is settled. `impacts` is
 * λ_n times the mean of the speeds of approach before and after of contacts that were hit, and not
 * more than was lost.
 *
 * Friction and dampers can only take what there was. A group that counts more has forces without
 * sense, as a jam that was not solved; what it lost to both is `unsolved`.
 *
 * Compliant contacts (solver/compliant.h) are springs: their forces do the work -t λ·C(λ - λ_c), of
 * which they store t/2 (λ·Cλ - λ_c·Cλ_c). It counts with `step`, and below zero as it is given
 * back.
 */
#include "account.h"

#include <math.h>

#include "../math/vec3.h"
#include "../subsystem/kind.h"

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
            tn_account_side_motion(step, c, side, (const double(*)[6])step->found.moved,
                                   step->found.moved_qvel, u);
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
                   tn_step_row_rate(step, world->set.row_slot[r], step->found.moved_qvel, &s);
        } else if (row->set >= TN_ROW_SPIN) {
            const TnContactPoint *c = &world->contacts.points[row->contact];
            const int *carrier = world->division->carrier;
            double linear[3], angular[3], turn[3], u[3] = {0.0, 0.0, 0.0};
            int slot = world->set.row_slot[r];
            tn_contact_row(step->model, c, row->set, slot, linear, angular);
            v3_sub(turn, step->found.moved[carrier[step->model->geom_link[c->geom2]]] + 3,
                   step->found.moved[carrier[step->model->geom_link[c->geom1]]] + 3);
            if (slot == TN_SLOT_SLIDE)
                tn_account_contact_motion(step, c, (const double(*)[6])step->found.moved,
                                          step->found.moved_qvel, u);
            lost = -step->t * row->lambda * (v3_dot(angular, turn) + v3_dot(linear, u));
            s = tn_geom_subsystem(step->model, c->geom1);
        } else {
            continue;
        }
        a->lost[s] += fmax(0.0, lost);
        a->rubbed[s] += fmax(0.0, lost);
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
        TnReach reach = tn_reach(&step->dynamics, step->plan.blend[s]);
        double rate = tn_row_velocity(&set->problem, row) + path->drive,
               way = step->way.reach[s] * (reach.p * rate - reach.r * path->shift);
        if (path->actuator >= 0) {
            a->work[s] += row->lambda * way;
            a->actuators += row->lambda * way;
        } else if (row->set == TN_ROW_BOX) {
            double lost = fmax(0.0, -row->lambda * way);
            a->lost[s] += lost;
            a->rubbed[s] += lost;
            a->friction += lost;
        } else {
            double force = path->damping * (path->share * rate - (path->share - 1.0) * path->shift),
                   lost = fmax(0.0, force * way);
            a->lost[s] += lost;
            a->damping += lost;
        }
    }
}

/* ---- what is hit, and what undoes errors ---- */

/* A limit that is hit takes its force times the mean of the ways before and after, as a contact
 * does (account_contacts.c). One that was passed makes its force times the way that the law asks
 * for, or less if it is shorter. */
static void account_limits(TnAccounts *a)
{
    const TnStep *step = a->step;
    const TnConstraintSet *set = &step->world->set;
    for (int i = 0; i < set->limit_count; i++) {
        const TnLimit *limit = &set->limits[i];
        const TnRow *row = &set->problem.rows[limit->row];
        if (row->lambda == 0.0) continue;
        double rate = tn_row_velocity(&set->problem, row), v = limit->v;
        TnReach reach = tn_reach(&step->dynamics, step->plan.blend[limit->subsystem]);
        double way = step->way.reach[limit->subsystem] * (reach.p * rate - reach.r * v);
        if (!limit->law.resting)
            a->hits[limit->subsystem] -= 0.5 * row->lambda * fmin(0.0, step->t * v + way);
        if (!(limit->law.out > 0.0)) continue;
        /* what moves by the mean velocity goes on as it came out before (account_contacts.c) */
        double out = fmax(limit->law.out, 0.5 * (limit->law.out + v));
        a->put_back[limit->subsystem] += row->lambda * fmax(0.0, fmin(way, step->t * out));
    }
}

/* A subsystem that the row of an equality, a hold or a tie acts on; -1: not known. */
static int subsystem_of_equality(const TnStep *step, int slot)
{
    const TnModel *model = step->model;
    int holds = tn_row_slot_wheel(model, model->wheel_count, 0),
        ties = tn_row_slot_tie(model, 0, 0);
    if (slot >= tn_row_slot_joint(model, 0, 0)) {
        if (slot < holds || slot >= ties) return subsystem_of_row(step, slot);
        for (int s = 0; s < model->soft_count; s++) {
            int first = model->softs[s].hold_start, index = (slot - holds) / 3;
            if (index >= first && index < first + model->softs[s].hold_count)
                return model->softs[s].subsystem;
        }
        return -1;
    }
    const TnEquality *e = &model->equalities[slot / 6];
    if (e->type == TN_EQUALITY_JOINT) return model->links[model->joints[e->joint1].link].subsystem;
    if (e->type == TN_EQUALITY_TENDON) return model->tendons[e->tendon1].subsystem;
    return subsystem_of_row(step, slot);
}

/* The same of open equalities; what closes one may take energy, too. */
static void account_equalities(TnAccounts *a)
{
    const TnStep *step = a->step;
    const TnConstraintSet *set = &step->world->set;
    for (int r = 0; r < set->problem.row_count; r++) {
        if (set->row_close[r] == 0.0 || set->problem.rows[r].lambda == 0.0) continue;
        int s = subsystem_of_equality(step, set->row_slot[r]);
        if (s < 0) continue;
        a->put_back[s] +=
            step->t * step->way.reach[s] * set->problem.rows[r].lambda * set->row_close[r];
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
        for (int k = 0; k < 6; k++) work += step->t * wrench[l][k] * step->found.moved[l][k];
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
                      .work = zeros(step),
                      .lost = zeros(step),
                      .stored = zeros(step),
                      .put_out = zeros(step),
                      .put_back = zeros(step),
                      .rubbed = zeros(step),
                      .hits = zeros(step),
                      .losses = zeros(step),
                      .shares = TN_ARENA_NEW(arena, double, n),
                      .changed = TN_ARENA_ZERO(arena, bool, n),
                      .after = TN_ARENA_NEW(arena, TnEnergy, n)};
    double *elastic = TN_ARENA_NEW(arena, double, step->model->soft_count);
    if (!a->work || !a->lost || !a->stored || !a->put_out || !a->put_back || !a->rubbed ||
        !a->hits || !a->losses || !a->shares || !a->changed || !a->after || !elastic)
        return false;
    a->elastic = elastic;
    if (step->model->soft_count)
        tn_soft_energies(step->world->elements, step->model, step->world->next_qpos,
                         step->world->state.asleep, elastic, step->world->team);
    tn_pool_run(step->world->team, step->awake_count, TN_MOVE_GRAIN, find_energies, a);
    for (int s = 0; step->hits.losses && s < n; s++) a->hits[s] = step->hits.losses[s];
    bool forces = step->dynamics.wrench || step->world->node_force_set;
    for (int i = 0; (forces || !only_bodies(step->model)) && i < step->awake_count; i++) {
        int s = step->awake[i];
        account_applied(a, s);
        if (tn_kind_of(step->model, s)->work) account_joints(a, s);
    }
    account_rows(a);
    account_paths(a);
    account_limits(a);
    account_equalities(a);
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
    if (a->changed[s] && tn_has_path_energy(step->model, s)) { /* groups are shifted, too */
        TnEnergy now = tn_subsystem_energy(step->model, s, step->world->elements, &end);
        after->kinetic = now.kinetic;
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
        .put_back = a->put_back[s],
        .rubbed = a->rubbed[s],
        .hits = a->hits[s],
        .mass = kind->mass(step->model, s),
        .involved = after->kinetic + before->kinetic + after->elastic + before->elastic +
                    fabs(fall) + fabs(a->work[s]) + fabs(a->lost[s]) + fabs(a->stored[s])};
}
