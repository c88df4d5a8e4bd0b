/* rows.c: appending scalar rows; joint limits, dry friction of joints and spin friction of
 * contacts. Tendons: tendon_rows.c, path_rows.c; equalities: equality.c. */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../base/rounding.h"
#include "../math/vec3.h"
#include "../model/thresholds.h"
#include "constraint.h"

/* Squared coefficients below this share of what they were summed from are rounding. */

/* A segment that the world holds is part of the world: what pulls at it moves nothing. */
static bool is_fixed(const TnModel *model, int link)
{
    return model->links[link].subsystem < 0 || model->links[link].held;
}

/* A mocap body has the same velocity before, in and behind the step. */
static void add_drive(TnRowWriter *w, const TnPlace *place, int link, const double point[3],
                      const double linear[3], const double angular[3], double sign)
{
    const double *v = w->in->twists[link];
    double arm[3], at[3];
    v3_sub(arm, point, place->frames[link].com);
    v3_cross(at, v + 3, arm);
    v3_add(at, at, v);
    double known = sign * (v3_dot(linear, at) + v3_dot(angular, v + 3));
    w->shift += known;
    w->rate += known;
    w->drive += known;
    w->set->row_drive[w->row - 1] = w->drive;
}

int tn_dim_of_link(const TnConstraintInput *in, int link)
{
    link = in->division->carrier[link];
    if (is_fixed(in->model, link)) return 0;
    const TnSubsystem *sub = &in->model->subsystems[in->model->links[link].subsystem];
    return sub->kind == TN_SUBSYSTEM_TREE ? sub->dof_count : 6;
}

const TnSubsystem *tn_subsystem_of_joint(const TnModel *model, const TnJoint *joint)
{
    return &model->subsystems[model->links[joint->link].subsystem];
}

double tn_free_end(const TnConstraintInput *in, const TnSubsystem *sub, int dof)
{
    double v = in->state->qvel[dof];
    double vhat = in->systems->trees[sub->kind_index].v_free[dof - sub->dof_start];
    return v + (vhat - v) / in->theta;
}

/* ---- appending rows ---- */

TnRow *tn_row_begin(TnRowWriter *w, TnRowSet set, int slot)
{
    TnRow *row = &w->set->problem.rows[w->row];
    *row = (TnRow){.set = set, .side_start = w->side};
    if (w->set->row_drive) w->set->row_drive[w->row] = 0.0;
    w->set->row_close[w->row] = 0.0;
    w->set->row_slope[w->row][0] = w->set->row_slope[w->row][1] = NAN;
    w->set->row_slot[w->row++] = slot;
    w->shift = w->rate = w->size = w->turn = w->drive = 0.0;
    w->lever = INFINITY;
    return row;
}

/* The row's side on the unknowns of a free body (node < 0) or of a tree or segment in a large
 * block. Two links of one tree share it; two segments of one rod have a side each, as if they were
 * blocks of their own. */
static TnRowSide *open_side(TnRowWriter *w, TnRow *row, int block, int node, int dim)
{
    TnProblem *p = &w->set->problem;
    int first = node < 0 ? 0 : tn_division_start(w->in->division, block, node);
    if (node >= 0) block += w->set->problem.twist_count;
    for (int s = row->side_start; s < w->side; s++)
        if (p->sides[s].block == block && p->index[p->sides[s].start] == first) return &p->sides[s];
    TnRowSide *side = &p->sides[w->side++];
    *side = (TnRowSide){.block = block, .start = w->entry, .count = dim};
    for (int k = 0; k < dim; k++, w->entry++) {
        p->index[w->entry] = first + k;
        p->coefficient[w->entry] = 0.0;
    }
    row->side_count++;
    return side;
}

void tn_row_add_link(TnRowWriter *w, TnRow *row, const TnPlace *place, int link,
                     const double point[3], const double linear[3], const double angular[3],
                     double sign)
{
    const TnModel *model = w->in->model;
    const TnDivision *division = w->in->division;
    link = division->carrier[link];
    if (tn_link_is_mocap(model, link)) add_drive(w, place, link, point, linear, angular, sign);
    if (is_fixed(model, link)) return;
    const TnSubsystem *sub = &model->subsystems[model->links[link].subsystem];
    double arm[3], moment[3], lever = model->links[link].lever;
    w->lever = fmin(w->lever, lever);
    w->turn += v3_dot(angular, angular) / (lever * lever);
    if (sub->kind != TN_SUBSYSTEM_TREE) {
        const double *v = w->in->twists[link], *u = place->twists[link];
        v3_sub(arm, point, place->frames[link].com);
        v3_cross(moment, arm, linear);
        v3_add(moment, moment, angular);
        bool rod = sub->kind == TN_SUBSYSTEM_ROD;
        TnRowSide *side =
            open_side(w, row, rod ? division->link_block[link] : w->set->link_row[link] - 1,
                      rod ? division->link_node[link] : -1, 6);
        double *c = w->set->problem.coefficient + side->start;
        v3_add_scaled(c, linear, sign);
        v3_add_scaled(c + 3, moment, sign);
        w->shift += sign * (v3_dot(linear, v) + v3_dot(moment, v + 3));
        w->rate += sign * (v3_dot(linear, u) + v3_dot(moment, u + 3));
        w->size += v3_dot(linear, linear) + v3_dot(moment, moment);
        return;
    }
    /* a dof moves the link where it lies on the chain from the link's last dof to the root */
    const TnTreeAxes *axes = &place->axes[sub->kind_index];
    TnRowSide *side =
        open_side(w, row, division->link_block[link], division->link_node[link], sub->dof_count);
    double *c = w->set->problem.coefficient + side->start;
    v3_sub(arm, point, axes->origin);
    double reach = v3_dot(arm, arm) + lever * lever;
    const TnLink *l = &model->links[link];
    for (int d = l->dof_start + l->dof_count - 1; d >= 0; d = model->dof_parent[d]) {
        const double *S = axes->S[d - sub->dof_start];
        double velocity[3];
        v3_cross(velocity, S + 3, arm);
        v3_add(velocity, velocity, S);
        double coefficient = sign * (v3_dot(linear, velocity) + v3_dot(angular, S + 3));
        c[d - sub->dof_start] += coefficient;
        w->shift += coefficient * w->in->state->qvel[d];
        w->rate += coefficient * place->qvel[d];
        /* not |velocity|²: a point on the axis has none but for rounding */
        w->size += v3_dot(linear, linear) * (reach * v3_dot(S + 3, S + 3) + v3_dot(S, S)) +
                   v3_dot(angular, angular) * v3_dot(S + 3, S + 3);
    }
}

/* m per unit of the coordinate */
static double lever_of_dof(const TnModel *model, int dof)
{
    int link = model->joints[model->dof_joint[dof]].link;
    return tn_dof_turns(model, dof) ? model->links[link].lever : 1.0;
}

/* What the row reads from a dof. */
static void count_dof(TnRowWriter *w, int dof, double coefficient)
{
    double part = coefficient / lever_of_dof(w->in->model, dof);
    w->shift += coefficient * w->in->state->qvel[dof];
    w->size += coefficient * coefficient;
    w->turn += part * part;
}

void tn_row_add_dof(TnRowWriter *w, TnRow *row, const TnSubsystem *sub, int dof, double coefficient)
{
    const TnDivision *d = w->in->division;
    TnRowSide *side = open_side(w, row, d->tree_block[sub->kind_index],
                                d->tree_node[sub->kind_index], sub->dof_count);
    w->set->problem.coefficient[side->start + dof - sub->dof_start] += coefficient;
    count_dof(w, dof, coefficient);
}

/* The row's only side is on one joint, whose dofs are neighbours. */
static void add_joint(TnRowWriter *w, TnRow *row, const TnJoint *joint, int dofs,
                      const double *coefficients)
{
    TnProblem *p = &w->set->problem;
    const TnSubsystem *sub = tn_subsystem_of_joint(w->in->model, joint);
    const TnDivision *d = w->in->division;
    int block = d->tree_block[sub->kind_index],
        first = tn_division_start(d, block, d->tree_node[sub->kind_index]) + joint->dof_start -
                sub->dof_start;
    p->sides[w->side++] =
        (TnRowSide){.block = block + p->twist_count, .start = w->entry, .count = dofs};
    row->side_count = 1;
    for (int k = 0; k < dofs; k++, w->entry++) {
        p->index[w->entry] = first + k;
        p->coefficient[w->entry] = coefficients[k];
        count_dof(w, joint->dof_start + k, coefficients[k]);
    }
}

void tn_row_set_lever(const TnRowWriter *w, TnRow *row)
{
    if (w->turn > 0.0) row->lever = 1.0 / sqrt(w->turn);
}

double tn_pair_lever(const TnModel *model, int link_a, int link_b)
{
    double a = model->links[link_a].lever, b = model->links[link_b].lever;
    return a > 0.0 && b > 0.0 ? a * b / hypot(a, b) : fmax(a, b);
}

bool tn_row_drop_if_empty(TnRowWriter *w, TnRow *row)
{
    const TnProblem *p = &w->set->problem;
    int first_entry = row->side_count ? p->sides[row->side_start].start : w->entry;
    double left = 0.0;
    for (int e = first_entry; e < w->entry; e++) left += p->coefficient[e] * p->coefficient[e];
    if (left > TN_ROOM * TN_ROOM * w->size) return false;
    w->entry = first_entry;
    w->side = row->side_start;
    w->row--;
    return true;
}

/* e of a law on the end velocity. */
static void close_row(const TnRowWriter *w, TnRow *row)
{
    row->e = -(1.0 - w->in->theta) * w->shift + w->drive;
}

void tn_row_close_friction(TnRowWriter *w, TnRow *row, double friction)
{
    row->lower = -friction;
    row->upper = friction;
    tn_row_set_lever(w, row);
    close_row(w, row);
}

void tn_row_is_straight(const TnRowWriter *w, const TnRow *row, double by_place, double by_rate,
                        double by_share)
{
    double *slope = w->set->row_slope[row - w->set->problem.rows];
    slope[0] = by_place;
    slope[1] = by_rate;
    slope[2] = by_share;
}

void tn_row_close_limit(TnRowWriter *w, TnRow *row, const TnSubsystem *sub, double gap, double v,
                        double v_end)
{
    const TnModel *model = w->in->model;
    tn_row_set_lever(w, row);
    /* gravity only sets the scale of "at rest"; joints count their own motion */
    double lever = tn_row_lever(row), size = model->links[sub->link_start].lever,
           gravity = v3_norm(model->option.gravity) / lever;
    TnUnilateral given = {.gap = gap,
                          .approach = v,
                          .v = v,
                          .v_free_end = v_end,
                          .t = w->in->t,
                          .theta = w->in->theta,
                          .stabilization = model->option.stabilization,
                          .gravity = gravity,
                          .slow = TN_KNOCK * gravity * w->in->t,
                          .leave = w->in->leave / lever,
                          .size = size / lever};
    TnUnilateralLaw law = tn_unilateral_law(&given);
    row->e = law.e_normal;
    w->set->limits[w->set->limit_count++] =
        (TnLimit){(int)(row - w->set->problem.rows), (int)(sub - model->subsystems), v, given, law};
}

/* ---- limits and joint friction ---- */

bool tn_limit_is_near(double gap, double v, double v_end, double range, double t)
{
    double least = v < v_end ? v : v_end;
    return gap < TN_LIMIT_SPARE * range + (least < 0.0 ? -t * least : 0.0);
}

/* Gap to a limit, its rate, and the direction that opens it: sign for hinge and slide, axis (body
 * axes) for a ball. */
typedef struct LimitState {
    double gap, v, v_end;
    double axis[3];
} LimitState;

/* The axis of a ball's limit turns as the joint slides along it. Like an equality (equality.c) it
 * is taken in the middle of the predicted motion, or sliding would gain energy. */
static void turn_axis(const TnConstraintInput *in, const TnJoint *joint, LimitState *limit)
{
    double half[3], quat[4], middle = 0.0;
    tn_velocity_expected(in, 3, in->state->qvel + joint->dof_start,
                         in->state->vhat + joint->dof_start, half);
    v3_scale(half, half, 0.5 * in->t);
    quat_copy(quat, in->state->qpos + joint->qpos_start);
    quat_cayley_body(quat, half);
    quat_to_rotvec(limit->axis, quat);
    v3_normalize(limit->axis);
    v3_scale(limit->axis, limit->axis, -1.0);
    for (int k = 0; k < 3; k++) middle += limit->axis[k] * in->state->qvel[joint->dof_start + k];
    /* of J v, what smooth sliding leaves there at larger θ is no approach */
    limit->v = 2.0 * in->theta * limit->v - (2.0 * in->theta - 1.0) * middle;
}

static int limited_dofs(const TnJoint *joint) { return joint->type == TN_JOINT_BALL ? 3 : 1; }

static bool watch_limit(const TnConstraintInput *in, const TnJoint *joint, int upper,
                        LimitState *out)
{
    const TnSubsystem *sub = tn_subsystem_of_joint(in->model, joint);
    double range, sign = upper ? -1.0 : 1.0;
    v3_zero(out->axis);
    if (joint->type == TN_JOINT_BALL) {
        if (!upper) return false;
        double rotation[3];
        quat_to_rotvec(rotation, in->state->qpos + joint->qpos_start);
        double angle = v3_normalize(rotation);
        v3_scale(out->axis, rotation, -1.0);
        out->gap = joint->range[1] - angle;
        out->v = out->v_end = 0.0;
        for (int k = 0; k < 3; k++) {
            out->v += out->axis[k] * in->state->qvel[joint->dof_start + k];
            out->v_end += out->axis[k] * tn_free_end(in, sub, joint->dof_start + k);
        }
        range = joint->range[1];
    } else {
        double q = in->state->qpos[joint->qpos_start];
        out->gap = upper ? joint->range[1] - q : q - joint->range[0];
        out->axis[0] = sign;
        out->v = sign * in->state->qvel[joint->dof_start];
        out->v_end = sign * tn_free_end(in, sub, joint->dof_start);
        range = joint->range[1] - joint->range[0];
    }
    return tn_limit_is_near(out->gap, out->v, out->v_end, range, in->t);
}

static void add_limit(TnRowWriter *w, int joint_index, int upper)
{
    const TnModel *model = w->in->model;
    const TnJoint *joint = &model->joints[joint_index];
    LimitState limit;
    if (!watch_limit(w->in, joint, upper, &limit)) return;
    if (joint->type == TN_JOINT_BALL) turn_axis(w->in, joint, &limit);
    TnRow *row = tn_row_begin(w, TN_ROW_INEQUALITY, tn_row_slot_joint(model, joint_index, upper));
    const TnSubsystem *sub = tn_subsystem_of_joint(model, joint);
    add_joint(w, row, joint, limited_dofs(joint), limit.axis);
    tn_row_close_limit(w, row, sub, limit.gap, limit.v, limit.v_end);
    if (joint->type != TN_JOINT_BALL) tn_row_is_straight(w, row, 0.0, 0.0, 0.0);
}

/* Joints that may have rows: free ones never do. */
static void joints_of(const TnConstraintInput *in, int subsystem, int *first, int *end)
{
    const TnSubsystem *sub = &in->model->subsystems[subsystem];
    *first = *end = 0;
    if (sub->kind != TN_SUBSYSTEM_TREE || in->state->asleep[subsystem]) return;
    const TnLink *last = &in->model->links[sub->link_start + sub->link_count - 1];
    *first = in->model->links[sub->link_start].joint_start;
    *end = last->joint_start + last->joint_count;
}

static void add_rows_of_joint(TnRowWriter *w, int j)
{
    const TnModel *model = w->in->model;
    const TnJoint *joint = &model->joints[j];
    if (joint->limited && w->limits) {
        add_limit(w, j, 0);
        add_limit(w, j, 1);
    }
    if (joint->friction_loss > 0.0) {
        TnRow *row = tn_row_begin(w, TN_ROW_BOX, tn_row_slot_joint(model, j, 2));
        add_joint(w, row, joint, 1, (const double[]){1.0});
        tn_row_close_friction(w, row, joint->friction_loss);
        tn_row_is_straight(w, row, 0.0, w->in->theta - 1.0, 0.0);
    }
}

static void add_joint_rows(TnRowWriter *w)
{
    for (int s = 0, j, end; s < w->in->model->subsystem_count; s++)
        for (joints_of(w->in, s, &j, &end); j < end; j++) add_rows_of_joint(w, j);
}

/* Those of watch_limit for both sides. */
static int limits_near(const TnConstraintInput *in, const TnJoint *joint)
{
    LimitState ball;
    if (joint->type == TN_JOINT_BALL) return watch_limit(in, joint, 1, &ball);
    const double *range = joint->range;
    double q = in->state->qpos[joint->qpos_start], v = in->state->qvel[joint->dof_start],
           v_end = tn_free_end(in, tn_subsystem_of_joint(in->model, joint), joint->dof_start),
           room = range[1] - range[0];
    return tn_limit_is_near(q - range[0], v, v_end, room, in->t) +
           tn_limit_is_near(range[1] - q, -v, -v_end, room, in->t);
}

static void count_rows_of_joint(const TnConstraintInput *in, int j, TnRowCounts *n)
{
    const TnJoint *joint = &in->model->joints[j];
    int friction = joint->friction_loss > 0.0, limits = joint->limited ? limits_near(in, joint) : 0;
    n->limits += limits;
    n->rows += friction + limits;
    n->sides += friction + limits;
    n->entries += friction + limits * limited_dofs(joint);
}

/* ---- friction of contacts that is in rows ---- */

static void add_contact_row(TnRowWriter *w, int contact, TnRowSet set, int slot)
{
    const TnModel *model = w->in->model;
    const TnContactPoint *c = &w->in->contacts->points[contact];
    int a = model->geoms[c->geom1].link, b = model->geoms[c->geom2].link;
    double linear[3], angular[3];
    TnRow *row = tn_row_begin(w, set, slot);
    row->contact = contact;
    row->mu = tn_contact_row(model, c, set, slot, linear, angular);
    tn_row_add_link(w, row, &w->start, b, c->pos, linear, angular, 1.0);
    tn_row_add_link(w, row, &w->start, a, c->pos, linear, angular, -1.0);
    tn_row_set_lever(w, row);
    close_row(w, row);
}

static void add_contact_rows(TnRowWriter *w)
{
    static const TnRowSet sets[3] = {TN_ROW_SPIN, TN_ROW_ROLL, TN_ROW_ROLL_PARTNER};
    bool none = !w->in->model->has_spin && !w->in->model->has_oval_pairs;
    for (int i = 0; !none && i < w->in->contacts->count; i++) {
        const TnContactPoint *c = &w->in->contacts->points[i];
        bool oval = w->in->model->has_oval_pairs && tn_is_oval(w->in->model, c);
        for (int k = 1; oval && k < 3; k++) add_contact_row(w, i, sets[k], TN_SLOT_SLIDE);
        for (int k = 0; c->dim >= 4 && k < (c->dim == 6 ? 3 : 1); k++)
            add_contact_row(w, i, sets[k], TN_SLOT_SPIN);
    }
}

TnRowCounts tn_constraint_count_rows(const TnConstraintInput *in)
{
    const TnModel *model = in->model;
    TnRowCounts n = {0};
    for (int s = 0, j, end; s < model->subsystem_count; s++)
        for (joints_of(in, s, &j, &end); j < end; j++) count_rows_of_joint(in, j, &n);
    tn_constraint_count_tendons(in, &n);
    tn_constraint_count_paths(in, &n);
    tn_constraint_count_wheels(in, &n);
    tn_constraint_count_softs(in, &n);
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *e = &model->equalities[i];
        int rows = e->type == TN_EQUALITY_WELD ? 6 : e->type == TN_EQUALITY_CONNECT ? 3 : 1;
        int dims = 0;
        if (!e->active || e->segment || e->type == TN_EQUALITY_TENDON ||
            tn_equality_asleep(in->state, model, i))
            continue;
        if (e->type == TN_EQUALITY_JOINT) {
            dims = tn_subsystem_of_joint(model, &model->joints[e->joint1])->dof_count;
            if (e->joint2 >= 0)
                dims += tn_subsystem_of_joint(model, &model->joints[e->joint2])->dof_count;
        } else {
            dims = tn_dim_of_link(in, model->bodies[e->body1].link) +
                   tn_dim_of_link(in, model->bodies[e->body2].link);
        }
        n.rows += rows;
        n.sides += 2 * rows;
        n.entries += rows * dims;
    }
    bool none = !model->has_spin && !model->has_oval_pairs;
    for (int i = 0; !none && i < in->contacts->count; i++) {
        const TnContactPoint *c = &in->contacts->points[i];
        int rows = c->dim == 6 ? 3 : c->dim == 4 ? 1 : 0;
        if (model->has_oval_pairs && tn_is_oval(model, c)) rows += 2;
        n.rows += rows;
        n.sides += 2 * rows;
        if (rows)
            n.entries += rows * (tn_dim_of_link(in, model->geoms[c->geom1].link) +
                                 tn_dim_of_link(in, model->geoms[c->geom2].link));
    }
    return n;
}

bool tn_constraint_fill_rows(const TnConstraintInput *in, const TnTreeAxes *axes,
                             const TnRowCounts *counts, TnConstraintSet *set)
{
    TnRowWriter w = {.in = in,
                     .set = set,
                     .limits = counts->limits > 0,
                     .start = {in->frames, axes, in->twists, in->state->qvel}};
    add_joint_rows(&w);
    tn_constraint_add_tendons(&w);
    if (!tn_constraint_add_paths(&w) || !tn_constraint_add_equalities(&w) ||
        !tn_constraint_add_wheels(&w) || !tn_constraint_add_softs(&w))
        return false;
    add_contact_rows(&w);
    TnProblem *p = &set->problem;
    p->row_count = w.row;
    p->side_count = w.side;
    p->entry_count = w.entry;
    return true;
}
