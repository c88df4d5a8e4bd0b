/* build.c: from the stages before to the solver's problem: its size, contacts, the starting guess;
 * and back again. */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../math/vec3.h"

/* ---- contacts ---- */

/* Where last step's contacts of a geom stand in the kept list. Large groups (soft surfaces have
 * hundreds) are found through a hash table, open addressing, with indices + 1. */
typedef struct Groups {
    int *first, *count; /* per geom */
    int *table;
    uint32_t mask; /* size of the table - 1 */
} Groups;

#define LARGE_GROUP 32

static uint32_t hash_contact(int geom1, int geom2, uint32_t feature)
{
    uint32_t h =
        feature * 0x9e3779b1u ^ (uint32_t)geom1 * 0x85ebca6bu ^ (uint32_t)geom2 * 0xc2b2ae35u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    return h ^ h >> 13;
}

static bool hash_large(const TnConstraintInput *in, Groups *groups)
{
    uint32_t members = 0, size = 1;
    for (int i = 0; i < in->model->geom_count; i++)
        if (groups->count[i] > LARGE_GROUP) members += (uint32_t)groups->count[i];
    groups->table = NULL;
    if (members == 0) return true;
    while (size < 2 * members) size *= 2;
    groups->mask = size - 1;
    groups->table = TN_ARENA_ZERO(in->arena, int, size);
    if (!groups->table) return false;
    for (int i = 0; i < in->state->contact_count; i++) {
        const TnWarmContact *c = &in->state->contacts[i];
        if (groups->count[c->geom1] <= LARGE_GROUP) continue;
        uint32_t k = hash_contact(c->geom1, c->geom2, c->feature) & groups->mask;
        while (groups->table[k]) k = (k + 1) & groups->mask;
        groups->table[k] = i + 1;
    }
    return true;
}

static bool group_kept(const TnConstraintInput *in, Groups *groups)
{
    groups->first = TN_ARENA_NEW(in->arena, int, in->model->geom_count);
    groups->count = TN_ARENA_ZERO(in->arena, int, in->model->geom_count);
    if (!groups->first || !groups->count) return false;
    for (int i = 0; i < in->state->contact_count; i++) {
        int geom = in->state->contacts[i].geom1;
        if (groups->count[geom]++ == 0) groups->first[geom] = i;
    }
    return hash_large(in, groups);
}

static const TnWarmContact *find_in_group(const TnConstraintInput *in, const Groups *groups,
                                          int geom1, int geom2, uint32_t feature)
{
    const TnWarmContact *kept = in->state->contacts;
    if (groups->count[geom1] > LARGE_GROUP) {
        uint32_t k = hash_contact(geom1, geom2, feature) & groups->mask;
        for (; groups->table[k]; k = (k + 1) & groups->mask) {
            const TnWarmContact *c = &kept[groups->table[k] - 1];
            if (c->geom1 == geom1 && c->geom2 == geom2 && c->feature == feature) return c;
        }
        return NULL;
    }
    kept += groups->first[geom1];
    for (int i = 0; i < groups->count[geom1]; i++)
        if (kept[i].geom2 == geom2 && kept[i].feature == feature) return &kept[i];
    return NULL;
}

/* λ and spin of the same contact in the last step, scaled; zero for a new one. A pair may have
 * changed its order. */
static void warm_contact(const TnConstraintInput *in, const Groups *groups, const TnContactPoint *c,
                         double lambda[3], double spin[3])
{
    v3_zero(lambda);
    v3_zero(spin);
    if (in->warm_start == 0.0) return;
    double sign = in->warm_start;
    const TnWarmContact *kept =
        groups->count[c->geom1] ? find_in_group(in, groups, c->geom1, c->geom2, c->feature) : NULL;
    if (!kept && groups->count[c->geom2]) {
        kept = find_in_group(in, groups, c->geom2, c->geom1, c->feature);
        sign = -sign;
    }
    if (!kept) return;
    v3_scale(lambda, kept->lambda, sign);
    v3_scale(spin, kept->spin, sign);
}

void tn_constraint_spin_axis(const TnContactPoint *c, TnRowSet set, double axis[3])
{
    double t1[3], t2[3];
    v3_tangents(c->normal, t1, t2);
    v3_copy(axis, set == TN_ROW_SPIN ? c->normal : set == TN_ROW_ROLL ? t1 : t2);
}

typedef struct ContactTask {
    const TnConstraintInput *in;
    TnConstraintSet *set;
    const Groups *groups;
    double gravity;
} ContactTask;

/* By numbers, not by an arm that has just been written: reading that again as pairs would wait for
 * the writes. */
static inline void point_velocity(double out[3], const double twist[6], double x, double y,
                                  double z)
{
    out[0] = twist[4] * z - twist[5] * y + twist[0];
    out[1] = twist[5] * x - twist[3] * z + twist[1];
    out[2] = twist[3] * y - twist[4] * x + twist[2];
}

/* One side of a contact: its row in the twist table, its arm there, and its velocity at the step's
 * start and at the end of its free motion. */
typedef struct Side {
    int row;
    double arm[3], v[3], v_end[3];
} Side;

/* The contact's arm of one side from the centre of mass of the link that it counts for. */
void tn_contact_arm(const TnModel *model, const TnDivision *division, const TnLinkFrame *frames,
                    const TnContactPoint *c, int side, double arm[3])
{
    int own = model->geom_link[side ? c->geom2 : c->geom1], link = division->carrier[own];
    v3_copy(arm, side ? c->arm2 : c->arm1);
    if (link == own) return;
    v3_add(arm, arm, frames[own].com);
    v3_sub(arm, arm, frames[link].com);
}

/* course: NULL, or the arm where it is not that of the contact */
static void find_side(const ContactTask *task, const TnContactPoint *c, int side, const double *course,
                      Side *out)
{
    int geom = side ? c->geom2 : c->geom1, soft = side ? c->soft2 : c->soft1;
    const TnConstraintInput *in = task->in;
    if (soft >= 0) {
        const TnSoftPoint *point = &in->contacts->soft_points[soft];
        v3_zero(out->arm);
        tn_soft_point_velocity(in->model, point, in->state->qvel, out->v);
        tn_soft_point_velocity(in->model, point, in->end_qvel, out->v_end);
        out->row = task->set->soft_row[soft];
        return;
    }
    int link = in->division->carrier[in->model->geom_link[geom]];
    const double *own = side ? c->arm2 : c->arm1, *arm = course ? course : own;
    double x = arm[0], y = arm[1], z = arm[2];
    if (!course && link != in->model->geom_link[geom]) {
        double carried[3];
        tn_contact_arm(in->model, in->division, in->frames, c, side, carried);
        x = carried[0], y = carried[1], z = carried[2];
    }
    point_velocity(out->v, in->twists[link], x, y, z);
    point_velocity(out->v_end, in->end_twists[link], x, y, z);
    v3_set(out->arm, x, y, z);
    out->row = task->set->link_row[link];
}

/* m: how large what it belongs to is; the world is large. */
static double side_size(const TnConstraintInput *in, int geom, int soft)
{
    if (soft >= 0) {
        const TnSoft *body = &in->model->softs[in->contacts->soft_points[soft].soft];
        return 0.5 * cbrt(body->mass / body->density);
    }
    int link = in->division->carrier[in->model->geom_link[geom]];
    return link ? in->model->links[link].lever : INFINITY;
}

/* The planned share of v⁺ of cables and soft bodies; others' shares the solution tells. */
static double planned_blend(const TnConstraintInput *in, const TnContactPoint *c)
{
    double most = 0.0;
    for (int side = 0; side < 2; side++) {
        int soft = side ? c->soft2 : c->soft1;
        int link = in->division->carrier[in->model->geom_link[side ? c->geom2 : c->geom1]];
        int s = soft >= 0 ? in->model->softs[in->contacts->soft_points[soft].soft].subsystem
                          : in->model->links[link].subsystem;
        if (s < 0) continue;
        TnSubsystemKind kind = in->model->subsystems[s].kind;
        if (kind == TN_SUBSYSTEM_ROD || kind == TN_SUBSYSTEM_SOFT) most = fmax(most, in->blend[s]);
    }
    return most;
}

static void contact_range(void *context, int begin, int end)
{
    const ContactTask *task = context;
    const TnConstraintInput *in = task->in;
    const TnModel *model = in->model;
    for (int i = begin; i < end; i++) {
        const TnContactPoint *c = &in->contacts->points[i];
        const TnContactCourse *course =
            in->courses && in->courses[i].known ? &in->courses[i] : NULL;
        const double *normal = course ? course->normal : c->normal;
        Side a, b;
        double v[3], v_end[3], e[3], lambda[3], spin[3];
        find_side(task, c, 0, course ? course->arm1 : NULL, &a);
        find_side(task, c, 1, course ? course->arm2 : NULL, &b);
        v3_sub(v, b.v, a.v);
        v3_sub(v_end, b.v_end, a.v_end);
        double vn = v3_dot(normal, v);
        TnLaw law = tn_unilateral_law(
            &(TnUnilateral){.gap = c->gap,
                            .v = vn,
                            .v_free_end = v3_dot(normal, v_end),
                            .restitution = c->restitution,
                            .resolved = c->resolved,
                            .blend = c->restitution > 0.0 || c->resolved ? planned_blend(in, c) : 0.0,
                            .t = in->t,
                            .theta = in->theta,
                            .stabilization = model->option.stabilization,
                            .gravity = task->gravity,
                            .leave = in->leave,
                            .size = fmin(side_size(in, c->geom1, c->soft1),
                                         side_size(in, c->geom2, c->soft2))});
        double shift = -(1.0 - in->theta);
        if (course && c->restitution == 0.0) law.e_normal += in->theta * course->curve / in->t;
        for (int k = 0; k < 3; k++)
            e[k] = shift * (v[k] - vn * normal[k]) + law.e_normal * normal[k];
        warm_contact(in, task->groups, c, lambda, spin);
        tn_problem_set_contact(&task->set->problem, i, a.row, b.row, a.arm, b.arm, normal, e,
                               c->dim == 1 ? 0.0 : c->friction[0], lambda);
        task->set->laws[i] = law;
    }
}

bool tn_constraint_build(const TnConstraintInput *in, TnConstraintSet *set)
{
    const TnModel *model = in->model;
    int contacts = in->contacts->count;
    *set = (TnConstraintSet){0};
    set->link_row = TN_ARENA_NEW(in->arena, int, model->link_count);
    set->laws = TN_ARENA_NEW(in->arena, TnLaw, contacts);
    set->follower_row = TN_ARENA_ZERO(in->arena, int, in->division->follower_count);
    set->soft_row = TN_ARENA_ZERO(in->arena, int, contacts ? in->contacts->soft_point_count : 0);
    TnTreeAxes *axes = TN_ARENA_ZERO(in->arena, TnTreeAxes, model->tree_count);
    int larges = tn_division_blocks(in->division);
    int *first_port = TN_ARENA_NEW(in->arena, int, larges + 1);
    Groups groups;
    if (!set->link_row || !set->laws || !set->follower_row || !set->soft_row || !axes ||
        !first_port || !group_kept(in, &groups))
        return false;

    int twists = model->rigid_count, bonds = tn_constraint_awake_bonds(in);
    for (int s = 0; in->state->asleep_count && s < model->subsystem_count; s++)
        twists -= in->state->asleep[s] && model->subsystems[s].kind == TN_SUBSYSTEM_RIGID;
    int port_row = 1 + (twists + TN_LANES - 1) / TN_LANES * TN_LANES;
    if (!tn_constraint_assign_rows(in, set, port_row, first_port)) return false;
    TnRowCounts counts = tn_constraint_count_rows(in);
    set->row_slot = TN_ARENA_NEW(in->arena, int, counts.rows);
    set->limits = TN_ARENA_NEW(in->arena, TnLimit, counts.limits);
    set->bond_source = TN_ARENA_NEW(in->arena, int, bonds);
    TnProblemSize size = {.twists = twists,
                          .larges = larges,
                          .ports = first_port[larges],
                          .bonds = bonds,
                          .contacts = contacts,
                          .rows = counts.rows,
                          .sides = counts.sides,
                          .entries = counts.entries};
    if (!set->row_slot || !set->limits || !set->bond_source ||
        !tn_problem_init(&set->problem, in->arena, size))
        return false;

    if (!tn_constraint_fill_blocks(in, set, axes, first_port)) return false;
    ContactTask task = {in, set, &groups, v3_norm(model->option.gravity)};
    tn_pool_run(in->pool, contacts, 512, contact_range, &task);
    if (!tn_constraint_add_bonds(in, set) || !tn_constraint_fill_rows(in, axes, set)) return false;
    /* Holds and ties of soft bodies start from all of their force: they last, and bear what hangs
     * on them. */
    const int first_soft_row = tn_row_slot_wheel(model, model->wheel_count, 0);
    for (int i = 0; i < set->problem.row_count; i++) {
        TnRow *row = &set->problem.rows[i];
        if (set->row_slot[i] >= 0) {
            double share = in->warm_start;
            if (share > 0.0 && set->row_slot[i] >= first_soft_row) share = 1.0;
            row->lambda = share * *tn_row_lambda(in->state, set->row_slot[i]);
        } else { /* spin rows start from their contact */
            const TnContactPoint *c = &in->contacts->points[row->contact];
            double lambda[3], spin[3], axis[3];
            warm_contact(in, &groups, c, lambda, spin);
            tn_constraint_spin_axis(c, row->set, axis);
            row->lambda = v3_dot(axis, spin);
        }
        row->t = row->lambda;
    }
    return true;
}

static void clear(TnState *state, int slot, int count)
{
    for (int k = 0; k < count; k++) *tn_row_lambda(state, slot + k) = 0.0;
}

/* λ of all rows but those of sleepers, which keep theirs until they wake. */
static void clear_rows(const TnConstraintInput *in, TnState *state)
{
    const TnModel *model = in->model;
    if (!state->asleep_count) {
        memset(state->row_lambda, 0, sizeof(double) * (size_t)state->row_lambda_count);
        if (state->tie_count)
            memset(state->tie_lambda, 0, sizeof(double) * 3 * (size_t)state->tie_count);
        return;
    }
    for (int i = 0; i < model->equality_count; i++)
        if (!tn_equality_asleep(state, model, i)) clear(state, tn_row_slot_equality(i, 0), 6);
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (state->asleep[s] || sub->kind != TN_SUBSYSTEM_TREE) continue;
        for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
            clear(state, tn_row_slot_joint(model, model->links[l].joint_start, 0),
                  3 * model->links[l].joint_count);
    }
    for (int i = 0; i < model->tendon_count; i++)
        if (!state->asleep[model->tendons[i].subsystem])
            clear(state, tn_row_slot_tendon(model, i, 0), 3);
    for (int i = 0; i < model->wheel_count; i++)
        if (!tn_link_asleep(state, model, model->bodies[model->wheels[i].body].link))
            clear(state, tn_row_slot_wheel(model, i, 0), 3);
    for (int s = 0; s < model->soft_count; s++)
        if (!state->asleep[model->softs[s].subsystem])
            clear(state, tn_row_slot_hold(model, s, 0, 0), 3 * model->softs[s].hold_count);
    for (int i = 0; i < model->tie_count; i++)
        if (!state->asleep[model->softs[model->ties[i].soft1].subsystem])
            clear(state, tn_row_slot_tie(model, i, 0), 3);
    for (int i = 0; i < state->tie_count; i++)
        if (!tn_piece_tie_asleep(in, i)) clear(state, state->row_lambda_count + 3 * i, 3);
}

void tn_constraint_vhat(const TnConstraintInput *in, const TnConstraintSet *set, double *all)
{
    const TnModel *model = in->model;
    const TnProblem *p = &set->problem;
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        double *vhat = all + sub->dof_start;
        if (in->state->asleep[s]) continue;
        if (sub->kind == TN_SUBSYSTEM_RIGID) {
            tn_problem_twist(p, set->link_row[sub->link_start] - 1, vhat);
        } else if (sub->kind == TN_SUBSYSTEM_ROD) {
            memcpy(vhat, set->rod_vhat[sub->kind_index], sizeof(double) * (size_t)sub->dof_count);
        } else if (sub->kind == TN_SUBSYSTEM_SOFT) {
            memcpy(vhat, set->soft_vhat[sub->kind_index], sizeof(double) * (size_t)sub->dof_count);
        } else {
            const TnDivision *d = in->division;
            int block = d->tree_block[sub->kind_index];
            memcpy(vhat,
                   p->large[block].v + tn_division_start(d, block, d->tree_node[sub->kind_index]),
                   sizeof(double) * (size_t)sub->dof_count);
        }
    }
}

bool tn_constraint_keep(const TnConstraintInput *in, const TnConstraintSet *set, TnState *state)
{
    const TnProblem *p = &set->problem;
    tn_constraint_vhat(in, set, state->vhat);
    clear_rows(in, state);
    tn_constraint_keep_welds(in, set, state->row_lambda);
    int count = in->contacts->count;
    state->contact_count = 0;
    if (!tn_state_reserve_contacts(state, count)) return false;
    state->contact_count = count;
    for (int i = 0; i < count; i++) {
        const TnContactPoint *c = &in->contacts->points[i];
        state->contacts[i] =
            (TnWarmContact){.geom1 = c->geom1, .geom2 = c->geom2, .feature = c->feature};
        tn_problem_contact_lambda(p, i, state->contacts[i].lambda);
    }
    for (int r = 0; r < p->row_count; r++) {
        if (set->row_slot[r] >= 0) {
            *tn_row_lambda(state, set->row_slot[r]) = p->rows[r].lambda;
            continue;
        }
        /* spin and roll rows: their axes in the world times λ */
        const TnContactPoint *c = &in->contacts->points[p->rows[r].contact];
        double axis[3];
        tn_constraint_spin_axis(c, p->rows[r].set, axis);
        v3_add_scaled(state->contacts[p->rows[r].contact].spin, axis, p->rows[r].lambda);
    }
    return true;
}
