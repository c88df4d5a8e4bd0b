/* path_rows.c: rows along paths (model/path.h): limits, dry friction, springs and dampers of
 * tendons that are not in the equations of one tree, actuators on these, on sites and on ball and
 * free joints, and equalities between tendons.
 *
 * Subsystems move by t u, u = κ v̂ + (1-κ) v, κ = η/θ (equality.c). With L the length, L0 at the
 * step's start and L1 where the predicted u₀ leads, and J its gradient in the middle of that,
 *
 *     L(end) = L1 + t J (u - u₀).
 *
 * Springs, dampers and servos are forces F - k J v̂ (path_laws.h), soft rows, with the laws of
 * joints (subsystem/tree/joint_forces.h). Further passes (step/refine.c) take what was found
 * as prediction. */
#include "path_laws.h"
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../base/rounding.h"
#include "../math/cholesky.h"
#include "../math/vec3.h"
#include "../model/path.h"
#include "../model/thresholds.h"

/* Share of the acceleration below which a tight limit's approach is none. */
#define TIGHT 0.2

typedef struct Writer {
    TnRowWriter *w;
    TnMotion motion;
    TnPlace place;         /* in the middle of the predicted motion */
    TnTreeFactor *factors; /* per tree: of A; zero: not asked for yet */
    TnPathMemory *paths;   /* likewise, per path */
    /* per link, at the start: that of a mocap body is the mean of the steps before and behind */
    const double (*twists)[6];
} Writer;

/* ---- the gradient ---- */

typedef struct Gradient {
    Writer *writer;
    TnRow *row;
    double sign;
} Gradient;

static void add_pull(void *context, int link, const double point[3], const double linear[3],
                     const double angular[3])
{
    Gradient *g = context;
    tn_row_add_link(g->writer->w, g->row, &g->writer->place, link, point, linear, angular, g->sign);
}

static void add_moment(void *context, int dof, double coef)
{
    Gradient *g = context;
    TnRowWriter *w = g->writer->w;
    const TnModel *model = w->in->model;
    const TnJoint *joint = &model->joints[model->dof_joint[dof]];
    tn_row_add_dof(w, g->row, tn_subsystem_of_joint(model, joint), dof, g->sign * coef);
    w->rate += g->sign * coef * g->writer->place.qvel[dof];
}

/* J in the middle of the step. */
static void add_gradient(Writer *writer, TnRow *row, TnPathCourse *course, double sign)
{
    Gradient g = {writer, row, sign};
    if (!course->has_middle)
        tn_path_record(writer->w->in->model, course->path, writer->motion.qpos, writer->motion.at,
                       &course->middle);
    course->has_middle = true;
    tn_path_replay(&course->middle, &(TnPathVisitor){add_pull, add_moment, &g});
}

/* A row with this gradient; NULL: it moves nothing now. */
static TnRow *open_row(Writer *writer, TnRowSet set, int slot, TnPathCourse *course, double sign)
{
    TnRow *row = tn_row_begin(writer->w, set, slot);
    add_gradient(writer, row, course, sign);
    return tn_row_drop_if_empty(writer->w, row) ? NULL : row;
}

/* Where it begins. NULL: no memory. */
static TnPathCourse *start_course(const Writer *writer, const TnPath *path)
{
    const TnConstraintInput *in = writer->w->in;
    TnPathCourse *out = TN_ARENA_NEW(in->arena, TnPathCourse, 1);
    if (!out) return NULL;
    *out = (TnPathCourse){.path = path};
    if (!tn_path_gradient_reserve(path, in->arena, &out->at_start) ||
        !tn_path_gradient_reserve(path, in->arena, &out->middle))
        return NULL;
    out->start = tn_path_record(in->model, path, in->state->qpos, in->frames, &out->at_start);
    out->rate = tn_path_rate_of(&out->at_start, in->state->qvel, in->frames, writer->twists);
    return out;
}

/* The path of this number over the step; NULL: no memory. A tendon and what pulls it share one. */
static TnPathCourse *follow(Writer *writer, int index)
{
    const TnConstraintInput *in = writer->w->in;
    const TnModel *model = in->model;
    const TnPath *path = &model->paths[index];
    TnPathCourse **course = &writer->paths->courses[index], *out = *course;
    if (out && out->pass == writer->paths->pass) return out;
    if (!out) out = start_course(writer, path);
    if (!out) return NULL;
    out->pass = writer->paths->pass;
    out->eta = in->theta;
    out->has_middle = false;
    for (int i = 0; i < path->link_count; i++)
        if (!tn_motion_of_body(in, model->links[path->links[i]].body, &writer->motion, &out->eta))
            return NULL;
    out->end = tn_path_walk(model, path, writer->motion.qpos, writer->motion.end, NULL);
    return *course = out;
}

static bool is_asleep(const TnConstraintInput *in, const TnPath *path)
{
    return !path->link_count || tn_link_asleep(in->state, in->model, path->links[0]);
}

/* ---- what a force moves ---- */

static double compliance_of_twist(const TnRigidSystem *system, const double *c)
{
    double L[9], x[3];
    memcpy(L, system->inertia_rate, sizeof L);
    v3_copy(x, c + 3);
    if (!tn_cholesky(L, 3)) return 0.0;
    tn_cholesky_forward(L, 3, x);
    return v3_dot(c, c) / system->mass_rate + v3_dot(x, x);
}

static double compliance_of_tree(Writer *writer, const TnSubsystem *sub, const double *c)
{
    const TnConstraintInput *in = writer->w->in;
    TnTreeFactor *factor = &writer->factors[sub->kind_index];
    if (!factor->L && !tn_tree_factor_of(in->model, sub, in->systems->trees[sub->kind_index].A,
                                         in->arena, factor))
        return 0.0;
    return factor->regular ? tn_tree_factor_compliance(factor, c) : 0.0;
}

/* The row's coefficients on a link's unknowns; NULL: it has none. */
static const double *side_on(const TnRowWriter *w, const TnRow *row, int link)
{
    const TnProblem *p = &w->set->problem;
    const TnDivision *d = w->in->division;
    link = d->carrier[link];
    bool twist = tn_part_of_link(w->in->model, link)->kind == TN_SUBSYSTEM_RIGID;
    int block = twist ? w->set->link_row[link] - 1 : d->link_block[link] + p->twist_count,
        first = twist ? 0 : tn_division_start(d, d->link_block[link], d->link_node[link]);
    for (int s = row->side_start; s < row->side_start + row->side_count; s++)
        if (p->sides[s].block == block && p->index[p->sides[s].start] == first)
            return p->coefficient + p->sides[s].start;
    return NULL;
}

/* Of a path's links the first of each part. */
static bool is_first_of_part(const TnModel *model, const TnPath *path, int index)
{
    int link = path->links[index];
    const TnSubsystem *sub = tn_part_of_link(model, link);
    for (int i = 0; i < index; i++)
        if (tn_part_of_link(model, path->links[i]) == sub && sub->kind != TN_SUBSYSTEM_ROD)
            return false;
    return true;
}

/* J A⁻¹ Jᵀ, each part alone. */
static double compliance_of(Writer *writer, const TnRow *row, const TnPath *path)
{
    const TnModel *model = writer->w->in->model;
    const TnSystems *systems = writer->w->in->systems;
    double sum = 0.0;
    for (int i = 0; i < path->link_count; i++) {
        int link = writer->w->in->division->carrier[path->links[i]];
        const double *c = side_on(writer->w, row, link);
        if (!c || !is_first_of_part(model, path, i)) continue;
        const TnSubsystem *sub = tn_part_of_link(model, link);
        if (sub->kind == TN_SUBSYSTEM_TREE)
            sum += compliance_of_tree(writer, sub, c);
        else if (sub->kind == TN_SUBSYSTEM_RIGID)
            sum += compliance_of_twist(&systems->rigid[sub->kind_index], c);
        else
            sum += compliance_of_twist(
                &systems->rods[sub->kind_index].segments[link - sub->link_start], c);
    }
    return sum;
}

/* ---- forces ---- */

static TnPathSetting setting_of(Writer *writer, const TnRow *row, TnPathCourse *course)
{
    const TnConstraintInput *in = writer->w->in;
    int s = in->model->links[course->path->links[0]].subsystem;
    TnPathSetting at = {.course = course,
                        .t = in->t,
                        .theta = in->theta,
                        .kappa = course->eta / in->theta,
                        .w = in->blend[s],
                        .shift = writer->w->shift,
                        .predicted = writer->w->rate,
                        .drive = writer->w->drive,
                        .row = compliance_of(writer, row, course->path)};
    at.compliance = at.row / (in->theta * in->t);
    return at;
}

/* Writes the row's law. */
static void close_force(TnRowWriter *w, TnRow *row, const TnPathSetting *at, TnPathLine line)
{
    tn_row_set_lever(w, row);
    row->k = line.slope;
    row->alpha = 1.0;
    row->e = at->drive - line.force / line.slope;
    /* a force whose slope changes velocities by less is constant */
    if (line.slope * at->row > TN_ROUND_OFF) return;
    row->k = 1.0;
    row->alpha = 0.0;
    row->e = line.slope * tn_path_predicted_rate(at) - line.force;
}

static TnPathRow *note(TnRowWriter *w, const TnRow *row)
{
    TnPathRow *noted = &w->set->path_rows[w->set->path_row_count++];
    *noted = (TnPathRow){.row = (int)(row - w->set->problem.rows),
                         .tendon = -1,
                         .actuator = -1,
                         .shift = w->shift,
                         .drive = w->drive};
    return noted;
}

static void add_tendon_force(Writer *writer, int index, TnPathCourse *course)
{
    TnRowWriter *w = writer->w;
    const TnTendon *tendon = &w->in->model->tendons[index];
    TnRow *row =
        open_row(writer, TN_ROW_SOFT, tn_row_slot_force(w->in->model, tendon->force), course, 1.0);
    if (!row) return;
    TnPathSetting at = setting_of(writer, row, course);
    TnPathLine line = {0.0, 0.0};
    if (tendon->stiffness > 0.0) line = tn_path_spring_line(&at, tendon);
    TnPathRow *noted = note(w, row);
    noted->tendon = index;
    noted->damping = tendon->damping;
    noted->share = tn_path_damping_share(&at, tendon->damping);
    if (tendon->damping > 0.0) tn_path_add_damping(&at, tendon->damping, noted->share, &line);
    if (tendon->inertia > 0.0) tn_path_add_inertia(&at, tendon->inertia, &line);
    close_force(w, row, &at, line);
}

static void add_actuator(Writer *writer, int index, TnPathCourse *course)
{
    TnRowWriter *w = writer->w;
    const TnActuator *a = &w->in->model->actuators[index];
    TnRow *row =
        open_row(writer, TN_ROW_SOFT, tn_row_slot_force(w->in->model, a->force), course, 1.0);
    if (!row) return;
    TnPathSetting at = setting_of(writer, row, course);
    double low, high;
    tn_path_bounds(w->in->model, a, &low, &high);
    TnPathLine line =
        tn_path_bound_line(&at, tn_path_servo_line(&at, a, w->in->inputs[index]), low, high);
    note(w, row)->actuator = index;
    close_force(w, row, &at, line);
}

/* ---- limits and friction ---- */

/* It pulled in the last step, and what approach there is comes from how it turns: less than a
 * share of what gravity, or without it the pull, makes in a step. */
static bool is_tight(Writer *writer, const TnRow *row, TnPathCourse *course, int slot, double v)
{
    const TnConstraintInput *in = writer->w->in;
    double pull = *tn_row_lambda(in->state, slot), scale = v3_norm(in->model->option.gravity);
    if (!(pull > 0.0)) return false;
    if (!(scale > 0.0))
        scale = pull * compliance_of(writer, row, course->path) / (in->theta * in->t);
    return v > -TIGHT * scale * in->t;
}

/* A tight limit moves along like an equality, which keeps energy, but it can only pull. */
static void hold_limit(TnRowWriter *w, TnRow *row, TnPathCourse *course, const TnSubsystem *sub,
                       TnViolation violation)
{
    tn_row_set_lever(w, row);
    tn_row_close_equality(w, row, course->eta, violation);
    w->set->limits[w->set->limit_count++] =
        (TnLimit){.row = (int)(row - w->set->problem.rows),
                  .subsystem = (int)(sub - w->in->model->subsystems),
                  .v = violation.start_rate,
                  .law = {.e_normal = row->e, .resting = true}};
}

static void add_limit(Writer *writer, int index, TnPathCourse *course, int upper)
{
    TnRowWriter *w = writer->w;
    const TnConstraintInput *in = w->in;
    const TnModel *model = in->model;
    const TnTendon *tendon = &model->tendons[index];
    double sign = upper ? -1.0 : 1.0, bound = tendon->range[upper],
           range = tendon->range[1] - tendon->range[0];
    double gap = sign * (course->start - bound), gap_end = sign * (course->end - bound),
           v = sign * course->rate;
    double free_end = tn_path_rate_of(&course->at_start, in->end_qvel, in->frames, in->end_twists);
    if (!tn_limit_is_near(gap, v, sign * free_end, range, in->t) &&
        gap_end > TN_LIMIT_SPARE * range)
        return;
    TnRow *row =
        open_row(writer, TN_ROW_INEQUALITY, tn_row_slot_tendon(model, index, upper), course, sign);
    if (!row) return;
    const TnSubsystem *sub = &model->subsystems[tendon->subsystem];
    if (is_tight(writer, row, course, tn_row_slot_tendon(model, index, upper), v)) {
        hold_limit(w, row, course, sub, (TnViolation){gap, gap_end, w->rate, v, 0.0, false});
        return;
    }
    tn_row_close_limit(w, row, sub, gap, v, sign * free_end);
    row->e += w->drive + (gap_end - gap) / in->t - w->rate;
}

static void add_friction(Writer *writer, int index, TnPathCourse *course)
{
    TnRowWriter *w = writer->w;
    const TnTendon *tendon = &w->in->model->tendons[index];
    TnRow *row =
        open_row(writer, TN_ROW_BOX, tn_row_slot_tendon(w->in->model, index, 2), course, 1.0);
    if (!row) return;
    tn_row_close_friction(w, row, tendon->friction_loss);
    note(w, row)->tendon = index;
}

static void add_tendon(Writer *writer, int index, TnPathCourse *course)
{
    const TnTendon *tendon = &writer->w->in->model->tendons[index];
    for (int upper = 0; tendon->limited && upper < 2; upper++)
        add_limit(writer, index, course, upper);
    if (tendon->friction_loss > 0.0) add_friction(writer, index, course);
    if (tendon->force >= 0) add_tendon_force(writer, index, course);
}

/* ---- equalities ---- */

/* C = x1 - p(x2), or x1 - c0 where there is no second tendon; x: lengths less those in the
 * reference pose. */
static bool add_equality(Writer *writer, int index, const TnEquality *equality)
{
    TnRowWriter *w = writer->w;
    const TnModel *model = w->in->model;
    const TnTendon *first = &model->tendons[equality->tendon1];
    const double *c = equality->polycoef;
    TnPathCourse *one = follow(writer, first->path), *two;
    if (!one) return false;
    double x = one->start - first->reference_length, x_end = one->end - first->reference_length;
    TnViolation violation = {x - c[0], x_end - c[0], 0.0, one->rate, 0.0, equality->curved};
    TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY, tn_row_slot_equality(index, 0));
    double eta = one->eta;
    add_gradient(writer, row, one, 1.0);
    if (equality->tendon2 >= 0) {
        const TnTendon *second = &model->tendons[equality->tendon2];
        two = follow(writer, second->path);
        if (!two) return false;
        double y = two->start - second->reference_length,
               y_end = two->end - second->reference_length;
        violation = (TnViolation){x - tn_polynomial(c, y),
                                  x_end - tn_polynomial(c, y_end),
                                  0.0,
                                  one->rate - tn_polynomial_slope(c, y) * two->rate,
                                  0.0,
                                  equality->curved};
        add_gradient(writer, row, two, -tn_polynomial_slope(c, 0.5 * (y + y_end)));
        if (!one->path->link_count) eta = two->eta;
    }
    if (tn_row_drop_if_empty(w, row)) return true;
    violation.rate = w->rate;
    tn_row_set_lever(w, row);
    tn_row_close_equality(w, row, eta, violation);
    return true;
}

/* ---- all ---- */

/* Sides and entries of one row. */
static void count_path(const TnConstraintInput *in, const TnPath *path, int rows,
                       TnRowCounts *counts)
{
    for (int i = 0; i < path->link_count; i++) {
        if (!is_first_of_part(in->model, path, i)) continue;
        counts->sides += rows;
        counts->entries += rows * tn_dim_of_link(in, path->links[i]);
    }
}

void tn_constraint_count_paths(const TnConstraintInput *in, TnRowCounts *counts)
{
    const TnModel *model = in->model;
    for (int k = 0; k < model->tendon_count; k++) {
        const TnTendon *tendon = &model->tendons[k];
        const TnPath *path = &model->paths[tendon->path];
        if (tendon->direct || is_asleep(in, path)) continue;
        int limits = 2 * tendon->limited,
            rows = limits + (tendon->friction_loss > 0.0) + (tendon->force >= 0);
        counts->rows += rows;
        counts->limits += limits;
        count_path(in, path, rows, counts);
    }
    for (int a = 0; a < model->actuator_count; a++) {
        if (model->actuators[a].force < 0) continue;
        counts->rows++;
        count_path(in, &model->paths[model->actuators[a].path], 1, counts);
    }
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *e = &model->equalities[i];
        if (e->type != TN_EQUALITY_TENDON || !e->active) continue;
        counts->rows++;
        count_path(in, &model->paths[model->tendons[e->tendon1].path], 1, counts);
        if (e->tendon2 >= 0)
            count_path(in, &model->paths[model->tendons[e->tendon2].path], 1, counts);
    }
}

static bool add_all(Writer *writer)
{
    const TnConstraintInput *in = writer->w->in;
    const TnModel *model = in->model;
    TnPathCourse *course;
    for (int k = 0; k < model->tendon_count; k++) {
        const TnTendon *tendon = &model->tendons[k];
        const TnPath *path = &model->paths[tendon->path];
        if (tendon->direct || !path->acts || is_asleep(in, path)) continue;
        course = follow(writer, tendon->path);
        if (!course) return false;
        add_tendon(writer, k, course);
    }
    for (int a = 0; a < model->actuator_count; a++) {
        const TnActuator *actuator = &model->actuators[a];
        if (actuator->force < 0 || is_asleep(in, &model->paths[actuator->path])) continue;
        course = follow(writer, actuator->path);
        if (!course) return false;
        add_actuator(writer, a, course);
    }
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *e = &model->equalities[i];
        if (e->type != TN_EQUALITY_TENDON || !e->active || tn_equality_asleep(in->state, model, i))
            continue;
        if (!add_equality(writer, i, e)) return false;
    }
    return true;
}

static bool has_paths(const TnModel *model)
{
    for (int i = 0; i < model->path_count; i++)
        if (model->paths[i].acts) return true;
    return false;
}

/* False: no memory. */
static bool set_twists(Writer *writer)
{
    const TnConstraintInput *in = writer->w->in;
    const TnModel *model = in->model;
    writer->twists = in->twists;
    if (!model->mocap_count) return true;
    size_t bytes = sizeof(double[6]) * (size_t)model->link_count;
    double(*twists)[6] = tn_arena_alloc(in->arena, bytes);
    if (!twists) return false;
    memcpy(twists, in->twists, bytes);
    for (int l = 1; l <= model->mocap_count; l++)
        for (int k = 0; k < 6; k++)
            twists[l][k] = 0.5 * (twists[l][k] + in->state->mocap_twist[6 * (l - 1) + k]);
    writer->twists = (const double(*)[6])twists;
    return true;
}

bool tn_constraint_add_paths(TnRowWriter *w)
{
    const TnConstraintInput *in = w->in;
    const TnModel *model = in->model;
    TnPathMemory own = {0};
    Writer writer = {.w = w, .motion = {.middle = true}, .paths = in->paths ? in->paths : &own};
    TnPathMemory *paths = writer.paths;
    if (!has_paths(model)) return true;
    w->set->path_rows =
        TN_ARENA_NEW(in->arena, TnPathRow, model->force_count + model->tendon_count);
    writer.factors = TN_ARENA_ZERO(in->arena, TnTreeFactor, model->tree_count);
    paths->pass++;
    if (!paths->courses)
        paths->courses = TN_ARENA_ZERO(in->arena, TnPathCourse *, model->path_count);
    if (!w->set->path_rows || !writer.factors || !paths->courses || !set_twists(&writer) ||
        !tn_motion_init(in, &writer.motion))
        return false;
    const TnMotion *m = &writer.motion;
    writer.place = (TnPlace){m->at, m->axes, (const double(*)[6])m->twists, m->qvel};
    return add_all(&writer);
}
