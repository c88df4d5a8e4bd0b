/* rows.c: scalar rows: joint limits, dry friction of joints, equalities, and the spin friction of
 * contacts. */
#include "constraint.h"

#include <math.h>
#include <string.h>

#include "../math/vec3.h"

/* A limit is watched when it could be reached within the step, with this much to spare (share of
 * the range). */
#define LIMIT_SPARE 0.01

static int dim_of_link(const TnModel *model, int link)
{
    if (link == 0) return 0;
    const TnSubsystem *sub = &model->subsystems[model->links[link].subsystem];
    return sub->kind == TN_SUBSYSTEM_RIGID ? 6 : sub->dof_count;
}

static const TnSubsystem *subsystem_of_joint(const TnModel *model, const TnJoint *joint)
{
    return &model->subsystems[model->links[joint->link].subsystem];
}

static double free_end(const TnConstraintInput *in, const TnSubsystem *sub, int dof)
{
    double v = in->state->qvel[dof], vhat = in->tree_free[sub->kind_index][dof - sub->dof_start];
    return v + (vhat - v) / in->theta;
}

/* ---- appending rows ---- */

typedef struct Writer {
    const TnConstraintInput *in;
    const TnTreeAxes *axes;
    TnConstraintSet *set;
    int row, side, entry;
    double shift; /* Σ J v of the row being written */
} Writer;

static TnRow *begin_row(Writer *w, TnRowSet set, int slot)
{
    TnRow *row = &w->set->problem.rows[w->row];
    *row = (TnRow){.set = set, .side_start = w->side};
    w->set->row_slot[w->row++] = slot;
    w->shift = 0.0;
    return row;
}

/* The row's side on a block; two links of one block share it. */
static TnRowSide *open_side(Writer *w, TnRow *row, int block, int dim)
{
    TnProblem *p = &w->set->problem;
    for (int s = row->side_start; s < w->side; s++)
        if (p->sides[s].block == block) return &p->sides[s];
    TnRowSide *side = &p->sides[w->side++];
    *side = (TnRowSide){.block = block, .start = w->entry, .count = dim};
    for (int k = 0; k < dim; k++, w->entry++) {
        p->index[w->entry] = k;
        p->coefficient[w->entry] = 0.0;
    }
    row->side_count++;
    return side;
}

/* sign · (linear · velocity of the link's point + angular · its angular velocity). */
static void add_link(Writer *w, TnRow *row, int link, const double point[3], const double linear[3],
                     const double angular[3], double sign)
{
    const TnModel *model = w->in->model;
    if (link == 0) return;
    const TnSubsystem *sub = &model->subsystems[model->links[link].subsystem];
    const double *twist = w->in->twists[link];
    double arm[3], moment[3];
    v3_sub(arm, point, w->in->frames[link].com);
    v3_cross(moment, arm, linear);
    v3_add(moment, moment, angular);
    w->shift += sign * (v3_dot(linear, twist) + v3_dot(moment, twist + 3));
    if (sub->kind == TN_SUBSYSTEM_RIGID) {
        TnRowSide *side = open_side(w, row, sub->kind_index, 6);
        double *c = w->set->problem.coefficient + side->start;
        v3_add_scaled(c, linear, sign);
        v3_add_scaled(c + 3, moment, sign);
        return;
    }
    /* a dof moves the link where it lies on the chain from the link's last dof to the root */
    const TnTreeAxes *axes = &w->axes[sub->kind_index];
    TnRowSide *side = open_side(w, row, model->rigid_count + sub->kind_index, sub->dof_count);
    double *c = w->set->problem.coefficient + side->start, from_origin[3];
    v3_sub(from_origin, point, axes->origin);
    v3_cross(moment, from_origin, linear);
    v3_add(moment, moment, angular);
    const TnLink *l = &model->links[link];
    for (int d = l->dof_start + l->dof_count - 1; d >= 0; d = model->dof_parent[d]) {
        const double *S = axes->S[d - sub->dof_start];
        c[d - sub->dof_start] += sign * (v3_dot(linear, S) + v3_dot(moment, S + 3));
    }
}

static void add_dof(Writer *w, TnRow *row, const TnSubsystem *sub, int dof, double coefficient)
{
    TnRowSide *side =
        open_side(w, row, w->in->model->rigid_count + sub->kind_index, sub->dof_count);
    w->set->problem.coefficient[side->start + dof - sub->dof_start] += coefficient;
    w->shift += coefficient * w->in->state->qvel[dof];
}

/* e of a law that holds at the end of the step, with a position error to be reduced. */
static void close_equality(Writer *w, TnRow *row, double error)
{
    double theta = w->in->theta;
    row->e =
        -(1.0 - theta) * w->shift + theta * w->in->model->option.stabilization * error / w->in->t;
}

/* ---- limits and joint friction ---- */

/* Gap to a limit and the direction that opens it: sign for hinge and slide, axis (body axes) for a
 * ball. */
typedef struct LimitState {
    double gap, v, v_end;
    double axis[3];
} LimitState;

static bool watch_limit(const TnConstraintInput *in, const TnJoint *joint, int upper,
                        LimitState *out)
{
    const TnSubsystem *sub = subsystem_of_joint(in->model, joint);
    double spare, sign = upper ? -1.0 : 1.0;
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
            out->v_end += out->axis[k] * free_end(in, sub, joint->dof_start + k);
        }
        spare = LIMIT_SPARE * joint->range[1];
    } else {
        double q = in->state->qpos[joint->qpos_start];
        out->gap = upper ? joint->range[1] - q : q - joint->range[0];
        out->axis[0] = sign;
        out->v = sign * in->state->qvel[joint->dof_start];
        out->v_end = sign * free_end(in, sub, joint->dof_start);
        spare = LIMIT_SPARE * (joint->range[1] - joint->range[0]);
    }
    return out->gap < spare + in->t * fmax(0.0, fmax(-out->v, -out->v_end));
}

static void add_limit(Writer *w, int joint_index, int upper)
{
    const TnModel *model = w->in->model;
    const TnJoint *joint = &model->joints[joint_index];
    LimitState limit;
    if (!watch_limit(w->in, joint, upper, &limit)) return;
    int index = w->row;
    TnRow *row = begin_row(w, TN_ROW_INEQUALITY, tn_row_slot_joint(model, joint_index, upper));
    const TnSubsystem *sub = subsystem_of_joint(model, joint);
    int dofs = joint->type == TN_JOINT_BALL ? 3 : 1;
    for (int k = 0; k < dofs; k++) add_dof(w, row, sub, joint->dof_start + k, limit.axis[k]);
    /* gravity only sets the scale of "at rest" in metres; joints count their own motion */
    TnLaw law = tn_unilateral_law(limit.gap, limit.v, limit.v_end, 0.0, w->in->t, w->in->theta,
                                  model->option.stabilization, v3_norm(model->option.gravity));
    row->e = law.e_normal;
    w->set->limits[w->set->limit_count++] = (TnLimit){index, (int)(sub - model->subsystems), law};
}

static void add_joint_rows(Writer *w)
{
    const TnModel *model = w->in->model;
    for (int j = 0; j < model->joint_count; j++) {
        const TnJoint *joint = &model->joints[j];
        if (joint->limited) {
            add_limit(w, j, 0);
            add_limit(w, j, 1);
        }
        if (joint->friction_loss > 0.0) {
            TnRow *row = begin_row(w, TN_ROW_BOX, tn_row_slot_joint(model, j, 2));
            add_dof(w, row, subsystem_of_joint(model, joint), joint->dof_start, 1.0);
            row->lower = -joint->friction_loss;
            row->upper = joint->friction_loss;
            close_equality(w, row, 0.0);
        }
    }
}

/* ---- equalities ---- */

static const double axes3[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double zero3[3] = {0, 0, 0};

static void add_connect(Writer *w, int index, const TnEquality *equality)
{
    const TnModel *model = w->in->model;
    double pos1[3], quat1[4], pos2[3], quat2[4], p1[3], p2[3];
    tn_body_pose(model, w->in->frames, equality->body1, pos1, quat1);
    tn_body_pose(model, w->in->frames, equality->body2, pos2, quat2);
    quat_rotate(p1, quat1, equality->anchor1);
    quat_rotate(p2, quat2, equality->anchor2);
    v3_add(p1, p1, pos1);
    v3_add(p2, p2, pos2);
    int link1 = model->bodies[equality->body1].link, link2 = model->bodies[equality->body2].link;
    for (int k = 0; k < 3; k++) {
        TnRow *row = begin_row(w, TN_ROW_EQUALITY, tn_row_slot_equality(index, k));
        add_link(w, row, link2, p2, axes3[k], zero3, 1.0);
        add_link(w, row, link1, p1, axes3[k], zero3, -1.0);
        close_equality(w, row, p2[k] - p1[k]);
    }
    if (equality->type != TN_EQUALITY_WELD) return;
    /* orientation of body2 against the one that body1 prescribes, as a rotation vector in the world
     */
    double target[4], difference[4], error[3];
    quat_mul(target, quat1, equality->relquat);
    quat_conjugate(target, target);
    quat_mul(difference, quat2, target);
    quat_to_rotvec(error, difference);
    for (int k = 0; k < 3; k++) {
        TnRow *row = begin_row(w, TN_ROW_EQUALITY, tn_row_slot_equality(index, 3 + k));
        add_link(w, row, link2, p2, zero3, axes3[k], 1.0);
        add_link(w, row, link1, p1, zero3, axes3[k], -1.0);
        close_equality(w, row, error[k]);
    }
}

static void add_joint_equality(Writer *w, int index, const TnEquality *equality)
{
    const TnModel *model = w->in->model;
    const TnJoint *j1 = &model->joints[equality->joint1];
    const double *c = equality->polycoef, *qpos = w->in->state->qpos;
    TnRow *row = begin_row(w, TN_ROW_EQUALITY, tn_row_slot_equality(index, 0));
    double error = qpos[j1->qpos_start] - j1->ref - c[0];
    add_dof(w, row, subsystem_of_joint(model, j1), j1->dof_start, 1.0);
    if (equality->joint2 >= 0) {
        const TnJoint *j2 = &model->joints[equality->joint2];
        double x = qpos[j2->qpos_start] - j2->ref;
        error -= x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
        double slope = c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4]));
        add_dof(w, row, subsystem_of_joint(model, j2), j2->dof_start, -slope);
    }
    close_equality(w, row, error);
}

/* A row between bodies that do not move relative to each other has no side: it constrains nothing.
 */
static void drop_empty_rows(Writer *w, int first_row)
{
    TnProblem *p = &w->set->problem;
    int kept = first_row;
    for (int r = first_row; r < w->row; r++) {
        if (p->rows[r].side_count == 0) continue;
        p->rows[kept] = p->rows[r];
        w->set->row_slot[kept++] = w->set->row_slot[r];
    }
    w->row = kept;
}

static void add_equality_rows(Writer *w)
{
    const TnModel *model = w->in->model;
    int first = w->row;
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *equality = &model->equalities[i];
        if (!equality->active) continue;
        if (equality->type == TN_EQUALITY_JOINT)
            add_joint_equality(w, i, equality);
        else
            add_connect(w, i, equality);
    }
    drop_empty_rows(w, first);
}

/* ---- spin and rolling friction ---- */

static void add_spin_rows(Writer *w)
{
    const TnModel *model = w->in->model;
    for (int i = 0; i < w->in->contacts->count; i++) {
        const TnContactPoint *c = &w->in->contacts->points[i];
        if (c->dim < 4) continue;
        int a = model->geoms[c->geom1].link, b = model->geoms[c->geom2].link;
        double t1[3], t2[3];
        v3_tangents(c->normal, t1, t2);
        const double *axes[3] = {c->normal, t1, t2};
        static const TnRowSet sets[3] = {TN_ROW_SPIN, TN_ROW_ROLL, TN_ROW_ROLL_PARTNER};
        for (int k = 0; k < (c->dim == 6 ? 3 : 1); k++) {
            TnRow *row = begin_row(w, sets[k], -1);
            row->contact = i;
            row->mu = c->friction[k == 0 ? 1 : 2];
            add_link(w, row, b, c->pos, zero3, axes[k], 1.0);
            add_link(w, row, a, c->pos, zero3, axes[k], -1.0);
            close_equality(w, row, 0.0);
        }
    }
}

TnRowCounts tn_constraint_count_rows(const TnConstraintInput *in)
{
    const TnModel *model = in->model;
    TnRowCounts n = {0};
    for (int j = 0; j < model->joint_count; j++) {
        const TnJoint *joint = &model->joints[j];
        LimitState limit;
        int rows = joint->friction_loss > 0.0;
        for (int upper = 0; joint->limited && upper < 2; upper++)
            if (watch_limit(in, joint, upper, &limit)) rows++, n.limits++;
        n.rows += rows;
        n.sides += rows;
        if (rows) n.entries += rows * subsystem_of_joint(model, joint)->dof_count;
    }
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *e = &model->equalities[i];
        int rows = e->type == TN_EQUALITY_WELD ? 6 : e->type == TN_EQUALITY_CONNECT ? 3 : 1;
        int dims = 0;
        if (!e->active) continue;
        if (e->type == TN_EQUALITY_JOINT) {
            dims = subsystem_of_joint(model, &model->joints[e->joint1])->dof_count;
            if (e->joint2 >= 0)
                dims += subsystem_of_joint(model, &model->joints[e->joint2])->dof_count;
        } else {
            dims = dim_of_link(model, model->bodies[e->body1].link) +
                   dim_of_link(model, model->bodies[e->body2].link);
        }
        n.rows += rows;
        n.sides += 2 * rows;
        n.entries += rows * dims;
    }
    for (int i = 0; i < in->contacts->count; i++) {
        const TnContactPoint *c = &in->contacts->points[i];
        int rows = c->dim == 6 ? 3 : c->dim == 4 ? 1 : 0;
        n.rows += rows;
        n.sides += 2 * rows;
        if (rows)
            n.entries += rows * (dim_of_link(model, model->geoms[c->geom1].link) +
                                 dim_of_link(model, model->geoms[c->geom2].link));
    }
    return n;
}

void tn_constraint_fill_rows(const TnConstraintInput *in, const TnTreeAxes *axes,
                             TnConstraintSet *set)
{
    Writer w = {.in = in, .axes = axes, .set = set};
    add_joint_rows(&w);
    add_equality_rows(&w);
    add_spin_rows(&w);
    TnProblem *p = &set->problem;
    p->row_count = w.row;
    p->side_count = w.side;
    p->entry_count = w.entry;
}
