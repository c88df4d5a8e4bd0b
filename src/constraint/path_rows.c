/* path_rows.c: rows along paths (model/path.h): limits, dry friction, springs and dampers of
 * tendons that are not in the equations of one tree, actuators on these, on sites and on ball and
 * free joints, and equalities between tendons.
 *
 * Subsystems move by t u, u = κ v̂ + (1-κ) v, κ = η/θ (equality.c). With L the length, L0 at the
 * step's start and L1 where the predicted u₀ leads, and J its gradient in the middle of that,
 *
 *     L(end) = L1 + t J (u - u₀).
 *
 * Springs, dampers and servos are forces F - k J v̂, soft rows, with the laws of joints
 * (dynamics/articulated/joint_forces.h): a spring is taken at L0 + β (L(end) - L0), so at β = ½ it
 * keeps energy; a position servo at the end. Where bounds cut a servo's force, or its control
 * moves away from rest, the force is that at the prediction, and its slope that of the secant from
 * the start. Further passes (step/refine.c) take what was found as prediction. */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../math/cholesky.h"
#include "../math/vec3.h"
#include "../model/path.h"

/* Share of its range at which a limit is watched before it could be reached, as for joints. */
#define LIMIT_SPARE 0.01
/* z = K t² J M⁻¹ Jᵀ up to which a step follows an oscillation, and from which on it can only damp
 * it. */
#define RESOLVED 1.0
#define UNRESOLVED 16.0
/* Share of the acceleration below which a tight limit's approach is none. */
#define TIGHT 0.2
/* A force whose slope changes velocities by less than this share is constant. */
#define NO_SLOPE 1e-12

typedef struct Writer {
    TnRowWriter *w;
    TnMotion motion;
    TnPlace place;    /* in the middle of the predicted motion */
    double **factors; /* per tree: of A; NULL: not asked for yet */
    /* per link, at the start: that of a mocap body is the mean of the steps before and behind */
    const double (*twists)[6];
} Writer;

/* A path over the predicted step. */
typedef struct Course {
    const TnPath *path;
    double start, end; /* its length */
    double rate;       /* at the start */
    double eta;
} Course;

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
static void add_gradient(Writer *writer, TnRow *row, const Course *course, double sign)
{
    Gradient g = {writer, row, sign};
    tn_path_walk(writer->w->in->model, course->path, writer->motion.qpos, writer->motion.at,
                 &(TnPathVisitor){add_pull, add_moment, &g});
}

/* A row with this gradient; NULL: it moves nothing now. */
static TnRow *open_row(Writer *writer, TnRowSet set, int slot, const Course *course, double sign)
{
    TnRow *row = tn_row_begin(writer->w, set, slot);
    add_gradient(writer, row, course, sign);
    return tn_row_drop_if_empty(writer->w, row) ? NULL : row;
}

static bool follow(Writer *writer, const TnPath *path, Course *out)
{
    const TnConstraintInput *in = writer->w->in;
    const TnModel *model = in->model;
    *out = (Course){.path = path, .eta = in->theta};
    for (int i = 0; i < path->link_count; i++)
        if (!tn_motion_of_body(in, model->links[path->links[i]].body, &writer->motion, &out->eta))
            return false;
    out->start = tn_path_rate(model, path, in->state->qpos, in->state->qvel, in->frames,
                              writer->twists, &out->rate);
    out->end = tn_path_walk(model, path, writer->motion.qpos, writer->motion.end, NULL);
    return true;
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
    int n = sub->dof_count;
    double **L = &writer->factors[sub->kind_index], sum = 0.0;
    if (!*L) {
        *L = TN_ARENA_NEW(in->arena, double, n *n);
        if (!*L) return 0.0;
        memcpy(*L, in->systems->trees[sub->kind_index].A, sizeof(double) * (size_t)(n * n));
        if (!tn_cholesky(*L, n)) memset(*L, 0, sizeof(double) * (size_t)(n * n));
    }
    double *x = TN_ARENA_NEW(in->arena, double, n);
    if (!x || !((*L)[0] > 0.0)) return 0.0;
    memcpy(x, c, sizeof(double) * (size_t)n);
    tn_cholesky_forward(*L, n, x);
    for (int k = 0; k < n; k++) sum += x[k] * x[k];
    return sum;
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

/* A force that is linear in v̂: force - slope · J v̂. */
typedef struct Line {
    double force, slope;
} Line;

/* What laws of forces need to know. */
typedef struct Setting {
    const Course *course;
    double t, theta, kappa, w;
    double shift;      /* J v, v at the start */
    double predicted;  /* J u₀ */
    double compliance; /* J M⁻¹ Jᵀ */
    double row;        /* J A⁻¹ Jᵀ */
    double drive;      /* of J v what mocap bodies make, at any time */
} Setting;

static Setting setting_of(Writer *writer, const TnRow *row, const Course *course)
{
    const TnConstraintInput *in = writer->w->in;
    int s = in->model->links[course->path->links[0]].subsystem;
    Setting at = {.course = course,
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

/* J v̂ of the prediction. */
static double predicted_rate(const Setting *at)
{
    return (at->predicted - (1.0 - at->kappa) * at->shift) / at->kappa;
}

/* -K x, x = shift + share · (L(end) - L1) */
static Line stiff_line(const Setting *at, double K, double x, double share)
{
    double t = at->t * share;
    return (Line){-K * (x + t * ((1.0 - at->kappa) * at->shift - at->predicted)),
                  K * t * at->kappa};
}

/* -D ((1-θ_d) J v + θ_d J v⁺) */
static double damping_share(const Setting *at, double D)
{
    double y = D * at->t * at->compliance;
    return (y > 1.0 ? fmax(at->theta, 1.0 - 1.0 / y) : at->theta) / at->theta;
}

static void add_damping(const Setting *at, double D, double share, Line *line)
{
    line->force += D * (share - 1.0) * at->shift;
    line->slope += D * share;
}

static double stretch_of(const TnTendon *tendon, double length)
{
    double over = length - tendon->spring_length;
    return over > tendon->dead_band ? over - tendon->dead_band : over < 0.0 ? over : 0.0;
}

static Line spring_line(const Setting *at, const TnTendon *tendon)
{
    double K = tendon->stiffness, z = K * at->t * at->t * at->compliance;
    double late = fmin(fmax((z - RESOLVED) / (UNRESOLVED - RESOLVED), 0.0), 1.0);
    double beta = (1.0 - at->w) * at->theta + at->w * 0.5 * (1.0 + late);
    const Course *c = at->course;
    double stretch = stretch_of(tendon, c->start + beta * (c->end - c->start));
    if (tendon->dead_band > 0.0 && stretch == 0.0) return (Line){0.0, 0.0};
    return stiff_line(at, K, stretch, beta);
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Writes the row's law. */
static void close_force(TnRowWriter *w, TnRow *row, const Setting *at, Line line)
{
    tn_row_set_lever(w, row);
    row->k = line.slope;
    row->alpha = 1.0;
    row->e = at->drive - line.force / line.slope;
    if (line.slope * at->row > NO_SLOPE) return;
    row->k = 1.0;
    row->alpha = 0.0;
    row->e = line.slope * predicted_rate(at) - line.force;
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

static void add_tendon_force(Writer *writer, int index, const Course *course)
{
    TnRowWriter *w = writer->w;
    const TnTendon *tendon = &w->in->model->tendons[index];
    TnRow *row =
        open_row(writer, TN_ROW_SOFT, tn_row_slot_force(w->in->model, tendon->force), course, 1.0);
    if (!row) return;
    Setting at = setting_of(writer, row, course);
    Line line = {0.0, 0.0};
    if (tendon->stiffness > 0.0) line = spring_line(&at, tendon);
    TnPathRow *noted = note(w, row);
    noted->tendon = index;
    noted->damping = tendon->damping;
    noted->share = damping_share(&at, tendon->damping);
    if (tendon->damping > 0.0) add_damping(&at, tendon->damping, noted->share, &line);
    close_force(w, row, &at, line);
}

/* ---- actuators ---- */

static void scaled_range(double scale, const double range[2], double *low, double *high)
{
    *low = fmin(scale * range[0], scale * range[1]);
    *high = fmax(scale * range[0], scale * range[1]);
}

/* Along the path, the bounds of the tendon first. */
static void bounds_of(const TnModel *model, const TnActuator *a, double *low, double *high)
{
    double own_low = -INFINITY, own_high = INFINITY;
    *low = -INFINITY;
    *high = INFINITY;
    if (a->tendon >= 0 && model->tendons[a->tendon].actuator_limited)
        scaled_range(a->gear, model->tendons[a->tendon].actuator_range, low, high);
    if (a->force_limited) scaled_range(a->gear, a->force_range, &own_low, &own_high);
    *low = clamp(*low, own_low, own_high);
    *high = clamp(*high, own_low, own_high);
}

static Line servo_line(const Setting *at, const TnActuator *a, double input)
{
    const Course *c = at->course;
    TnAffineForce law = tn_actuator_affine(a, input, a->gear * c->start, a->gear * c->rate);
    double gear2 = a->gear * a->gear, K = fmax(0.0, -gear2 * law.by_length),
           D = fmax(0.0, -gear2 * law.by_velocity), z = K * at->t * at->t * at->compliance;
    Line line = {a->gear * law.constant, 0.0};
    if (K > 0.0) {
        double s = z > UNRESOLVED ? 0.125 - 2.0 / z : 0.0, late = s * at->t / at->theta;
        Line spring = stiff_line(at, K, (1.0 - s) * c->end + s * c->start, 1.0 - s);
        line.force += spring.force + K * late * (1.0 - at->theta) * at->shift;
        line.slope += spring.slope + K * late;
    } else {
        line.force += gear2 * law.by_length * 0.5 * (c->start + c->end);
    }
    if (D > 0.0)
        add_damping(at, D, damping_share(at, D), &line);
    else
        line.force += gear2 * law.by_velocity * at->predicted;
    return line;
}

/* Within bounds: through the force at the prediction, towards that at the start. */
static Line bound_line(const Setting *at, Line line, double low, double high)
{
    double there = predicted_rate(at), change = there - at->shift;
    double free_there = line.force - line.slope * there,
           free_start = line.force - line.slope * at->shift;
    double force = clamp(free_there, low, high), start = clamp(free_start, low, high);
    if (force == free_there && start == free_start) return line;
    double secant = change != 0.0 ? (start - force) / change : 0.0;
    double slope = clamp(secant, 0.0, line.slope);
    return (Line){force + slope * there, slope};
}

static void add_actuator(Writer *writer, int index, const Course *course)
{
    TnRowWriter *w = writer->w;
    const TnActuator *a = &w->in->model->actuators[index];
    TnRow *row =
        open_row(writer, TN_ROW_SOFT, tn_row_slot_force(w->in->model, a->force), course, 1.0);
    if (!row) return;
    Setting at = setting_of(writer, row, course);
    double low, high;
    bounds_of(w->in->model, a, &low, &high);
    Line line = bound_line(&at, servo_line(&at, a, w->in->inputs[index]), low, high);
    note(w, row)->actuator = index;
    close_force(w, row, &at, line);
}

/* ---- limits and friction ---- */

/* It pulled in the last step, and what approach there is comes from how it turns: less than a
 * share of what gravity, or without it the pull, makes in a step. */
static bool is_tight(Writer *writer, const TnRow *row, const Course *course, int slot, double v)
{
    const TnConstraintInput *in = writer->w->in;
    double pull = *tn_row_lambda(in->state, slot), scale = v3_norm(in->model->option.gravity);
    if (!(pull > 0.0)) return false;
    if (!(scale > 0.0))
        scale = pull * compliance_of(writer, row, course->path) / (in->theta * in->t);
    return v > -TIGHT * scale * in->t;
}

/* A tight limit moves along like an equality, which keeps energy, but it can only pull. */
static void hold_limit(TnRowWriter *w, TnRow *row, const Course *course, const TnSubsystem *sub,
                       TnViolation violation)
{
    tn_row_set_lever(w, row);
    tn_row_close_equality(w, row, course->eta, violation);
    w->set->limits[w->set->limit_count++] =
        (TnLimit){(int)(row - w->set->problem.rows), (int)(sub - w->in->model->subsystems),
                  (TnUnilateralLaw){.e_normal = row->e, .resting = true}};
}

static void add_limit(Writer *writer, int index, const Course *course, int upper)
{
    TnRowWriter *w = writer->w;
    const TnConstraintInput *in = w->in;
    const TnModel *model = in->model;
    const TnTendon *tendon = &model->tendons[index];
    double sign = upper ? -1.0 : 1.0, bound = tendon->range[upper], free_end,
           range = tendon->range[1] - tendon->range[0];
    double gap = sign * (course->start - bound), gap_end = sign * (course->end - bound),
           v = sign * course->rate;
    tn_path_rate(model, course->path, in->state->qpos, in->end_qvel, in->frames, in->end_twists,
                 &free_end);
    if (!tn_limit_is_near(gap, v, sign * free_end, range, in->t) && gap_end > LIMIT_SPARE * range)
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

static void add_friction(Writer *writer, int index, const Course *course)
{
    TnRowWriter *w = writer->w;
    const TnTendon *tendon = &w->in->model->tendons[index];
    TnRow *row =
        open_row(writer, TN_ROW_BOX, tn_row_slot_tendon(w->in->model, index, 2), course, 1.0);
    if (!row) return;
    tn_row_close_friction(w, row, tendon->friction_loss);
    note(w, row)->tendon = index;
}

static void add_tendon(Writer *writer, int index, const Course *course)
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
    Course one, two;
    if (!follow(writer, &model->paths[first->path], &one)) return false;
    double x = one.start - first->reference_length, x_end = one.end - first->reference_length;
    TnViolation violation = {x - c[0], x_end - c[0], 0.0, one.rate, 0.0, equality->curved};
    TnRow *row = tn_row_begin(w, TN_ROW_EQUALITY, tn_row_slot_equality(index, 0));
    double eta = one.eta;
    add_gradient(writer, row, &one, 1.0);
    if (equality->tendon2 >= 0) {
        const TnTendon *second = &model->tendons[equality->tendon2];
        if (!follow(writer, &model->paths[second->path], &two)) return false;
        double y = two.start - second->reference_length, y_end = two.end - second->reference_length;
        violation = (TnViolation){x - tn_polynomial(c, y),
                                  x_end - tn_polynomial(c, y_end),
                                  0.0,
                                  one.rate - tn_polynomial_slope(c, y) * two.rate,
                                  0.0,
                                  equality->curved};
        add_gradient(writer, row, &two, -tn_polynomial_slope(c, 0.5 * (y + y_end)));
        if (!one.path->link_count) eta = two.eta;
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
    Course course;
    for (int k = 0; k < model->tendon_count; k++) {
        const TnTendon *tendon = &model->tendons[k];
        const TnPath *path = &model->paths[tendon->path];
        if (tendon->direct || !path->acts || is_asleep(in, path)) continue;
        if (!follow(writer, path, &course)) return false;
        add_tendon(writer, k, &course);
    }
    for (int a = 0; a < model->actuator_count; a++) {
        const TnActuator *actuator = &model->actuators[a];
        if (actuator->force < 0 || is_asleep(in, &model->paths[actuator->path])) continue;
        if (!follow(writer, &model->paths[actuator->path], &course)) return false;
        add_actuator(writer, a, &course);
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
    Writer writer = {.w = w, .motion = {.middle = true}};
    if (!has_paths(model)) return true;
    w->set->path_rows =
        TN_ARENA_NEW(in->arena, TnPathRow, model->force_count + model->tendon_count);
    writer.factors = TN_ARENA_ZERO(in->arena, double *, model->tree_count);
    if (!w->set->path_rows || !writer.factors || !set_twists(&writer) ||
        !tn_motion_init(in, &writer.motion))
        return false;
    const TnMotion *m = &writer.motion;
    writer.place = (TnPlace){m->at, m->axes, (const double(*)[6])m->twists, m->qvel};
    return add_all(&writer);
}
