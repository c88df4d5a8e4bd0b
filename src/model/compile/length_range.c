/* length_range.c: the lengths that a muscle may have, where the model does not say so.
 *
 * MuJoCo finds them by a simulation: a force along the muscle that accelerates all dofs by PUSH in
 * all pushes them from the reference pose until they rest, once each way. So the shortest length is
 * a minimum of L(q) within the limits of the joints, and its limits give way by r, where
 *
 *     force · (M⁻¹)_ii = k d r · d / (1 - d),   d = d(r),
 *
 * with MuJoCo's default softness (solref 0.02 1, solimp 0.9 0.95 0.001 0.5 2). Here M is that of
 * the reference pose. A sum over joints of one tree has its minimum where all of them are at
 * limits. Of another tendon it is found from the reference pose along diag(M⁻¹) ∂L/∂q, by steps
 * that grow as long as they are good and halve where they are not. */
#include "reference_mass.h"

#include "../../base/base.h"

#include <math.h>
#include <string.h>

#define PUSH 20.0
#define FIRST_STEP 0.05 /* of the dof that moves most: rad, m */
#define LONGEST_STEP 0.4
#define SHORTEST_STEP 1e-9 /* a minimum is flat: its length is right to the square of this */
#define MOST_STEPS 5000

static double limit_gives(double acceleration)
{
    const double k = 1.0 / (0.95 * 0.95 * 0.02 * 0.02), width = 0.001;
    double low = 0.0, high = 1.0;
    for (int i = 0; i < 100; i++) {
        double r = 0.5 * (low + high), x = fmin(r / width, 1.0);
        double d = 0.9 + 0.05 * (x <= 0.5 ? 2.0 * x * x : 1.0 - 2.0 * (1.0 - x) * (1.0 - x));
        if (k * d * r * d / (1.0 - d) < acceleration)
            low = r;
        else
            high = r;
    }
    return 0.5 * (low + high);
}

/* ---- sums over joints of one tree ---- */

/* False: no memory. */
static bool measure_lengths(TnCompile *c, TnReferenceMass *reference, const TnActuator *actuator,
                            double range[2])
{
    const TnModel *m = c->model;
    double all;
    range[0] = range[1] = 0.0;
    if (!tn_reference_acceleration(c, reference, actuator->subsystem, actuator->moments,
                                   actuator->moment_count, &all))
        return false;
    for (int i = 0; i < actuator->moment_count; i++) {
        const TnMoment *moment = &actuator->moments[i], own = {.dof = moment->dof, .coef = 1.0};
        const TnJoint *joint = &m->joints[m->dof_joint[moment->dof]];
        double mass, arm = actuator->gear * moment->coef;
        if (!tn_reference_mass_along(c, reference, actuator->subsystem, &own, 1, &mass))
            return false;
        double gives = limit_gives(PUSH / all * fabs(moment->coef) / mass);
        for (int side = 0; side < 2; side++) {
            int end = (arm > 0.0) == (side == 1);
            range[side] += arm * (joint->range[end] + (end ? gives : -gives));
        }
    }
    return true;
}

static bool has_limits(const TnModel *m, const TnActuator *actuator)
{
    bool bounded = actuator->moment_count > 0;
    for (int i = 0; i < actuator->moment_count; i++)
        bounded &= m->joints[m->dof_joint[actuator->moments[i].dof]].limited;
    return bounded;
}

/* ---- other tendons ---- */

typedef struct Search {
    const TnModel *model;
    const TnPath *path;
    TnLinkFrame *frames;
    TnMoment *slope;              /* per dof */
    double *q, *trial, *mobility; /* mobility: (M⁻¹)_ii, 0 where the path does not depend on it */
} Search;

static const TnJoint *joint_of(const Search *s, int dof)
{
    return &s->model->joints[s->model->dof_joint[dof]];
}

/* False: a ball or free joint is among what moves the path. */
static bool find_dofs(Search *s)
{
    const TnModel *m = s->model;
    for (int i = 0; i < s->path->link_count; i++) {
        const TnLink *link = &m->links[s->path->links[i]];
        for (int d = link->dof_start + link->dof_count - 1; d >= 0; d = m->dof_parent[d]) {
            TnJointType type = joint_of(s, d)->type;
            if (type != TN_JOINT_HINGE && type != TN_JOINT_SLIDE) return false;
            s->mobility[d] = 1.0;
        }
    }
    return true;
}

/* False: no memory. */
static bool find_mobilities(TnCompile *c, TnReferenceMass *reference, Search *s)
{
    for (int d = 0; d < s->model->dof_count; d++) {
        TnMoment own = {.dof = d, .coef = 1.0};
        double mass;
        int subsystem = s->model->links[joint_of(s, d)->link].subsystem;
        if (s->mobility[d] == 0.0) continue;
        if (!tn_reference_mass_along(c, reference, subsystem, &own, 1, &mass)) return false;
        s->mobility[d] = mass > 0.0 ? 1.0 / mass : 0.0;
    }
    return true;
}

static double length_at(Search *s, const double *q)
{
    return tn_path_slope(s->model, s->path, q, s->frames, s->slope);
}

/* What the dof does where L grows (sign 1) or shrinks (-1) fastest; 0 at a limit. */
static double way_of(const Search *s, int dof, double sign)
{
    const TnJoint *joint = joint_of(s, dof);
    double way = sign * s->mobility[dof] * s->slope[dof].coef, q = s->q[joint->qpos_start];
    if (joint->limited && (way > 0.0 ? q >= joint->range[1] : q <= joint->range[0])) return 0.0;
    return way;
}

static double within(const TnJoint *joint, double q)
{
    return joint->limited ? fmin(fmax(q, joint->range[0]), joint->range[1]) : q;
}

/* Takes a step of this size, or less where a limit is in the way. */
static void try_step(Search *s, double sign, double step)
{
    double largest = 0.0;
    memcpy(s->trial, s->q, sizeof(double) * (size_t)s->model->qpos_count);
    for (int d = 0; d < s->model->dof_count; d++)
        if (s->mobility[d] > 0.0) largest = fmax(largest, fabs(way_of(s, d, sign)));
    for (int d = 0; d < s->model->dof_count && largest > 0.0; d++) {
        const TnJoint *joint = joint_of(s, d);
        if (!(s->mobility[d] > 0.0)) continue;
        double *q = &s->trial[joint->qpos_start];
        *q = within(joint, *q + step * way_of(s, d, sign) / largest);
    }
}

/* The longest (sign 1) or shortest length, in s->q where it is. False: there is none. */
static bool go_to_end(Search *s, double sign)
{
    const TnModel *m = s->model;
    double step = FIRST_STEP, length;
    memcpy(s->q, m->qpos0, sizeof(double) * (size_t)m->qpos_count);
    for (int d = 0; d < m->dof_count; d++) {
        const TnJoint *joint = joint_of(s, d);
        if (s->mobility[d] > 0.0) s->q[joint->qpos_start] = within(joint, s->q[joint->qpos_start]);
    }
    length = length_at(s, s->q);
    for (int i = 0; i < MOST_STEPS; i++) {
        try_step(s, sign, step);
        double next = length_at(s, s->trial);
        bool better = sign * (next - length) > 0.0;
        if (better) {
            double *old = s->q;
            s->q = s->trial;
            s->trial = old;
            length = next;
            step = fmin(1.5 * step, LONGEST_STEP);
            continue;
        }
        length_at(s, s->q); /* the slope there */
        step *= 0.5;
        if (step < SHORTEST_STEP) return isfinite(length);
    }
    return false;
}

/* Lets the limits at s->q give way. False: no memory. */
static bool give_way(TnCompile *c, TnReferenceMass *reference, Search *s, double sign,
                     double *length)
{
    const TnModel *m = s->model;
    double squares = 0.0;
    length_at(s, s->q);
    for (int i = 0; i < m->subsystem_count; i++) {
        const TnSubsystem *sub = &m->subsystems[i];
        double part;
        bool moves = false;
        for (int d = sub->dof_start; d < sub->dof_start + sub->dof_count; d++)
            moves |= sub->kind == TN_SUBSYSTEM_TREE && s->mobility[d] > 0.0;
        if (!moves) continue;
        if (!tn_reference_acceleration(c, reference, i, s->slope + sub->dof_start, sub->dof_count,
                                       &part))
            return false;
        squares += part * part;
    }
    memcpy(s->trial, s->q, sizeof(double) * (size_t)m->qpos_count);
    for (int d = 0; d < m->dof_count; d++) {
        const TnJoint *joint = joint_of(s, d);
        double way = sign * s->slope[d].coef, *q = &s->trial[joint->qpos_start];
        if (!(s->mobility[d] > 0.0) || !joint->limited || way == 0.0 || !(squares > 0.0)) continue;
        if (*q != joint->range[way > 0.0]) continue;
        *q += copysign(limit_gives(PUSH / sqrt(squares) * fabs(way) * s->mobility[d]), way);
    }
    *length = length_at(s, s->trial);
    return true;
}

typedef enum Found { FOUND, NO_MEMORY, NO_END, NO_HINGES } Found;

static Found search(TnCompile *c, TnReferenceMass *reference, Search *s, double gear,
                    double range[2])
{
    if (!s->frames || !s->slope || !s->q || !s->trial || !s->mobility) return NO_MEMORY;
    if (!find_dofs(s)) return NO_HINGES;
    if (!find_mobilities(c, reference, s)) return NO_MEMORY;
    for (int side = 0; side < 2; side++) {
        double sign = side ? 1.0 : -1.0, length;
        if (!go_to_end(s, sign)) return NO_END;
        if (!give_way(c, reference, s, sign, &length)) return NO_MEMORY;
        range[(gear > 0.0) == (side == 1)] = gear * length;
    }
    return FOUND;
}

static Found search_path(TnCompile *c, TnReferenceMass *reference, const TnActuator *actuator,
                         double range[2])
{
    const TnModel *m = c->model;
    size_t dofs = (size_t)m->dof_count + 1, coordinates = (size_t)m->qpos_count + 1;
    Search s = {.model = m,
                .path = &m->paths[actuator->path],
                .frames = tn_calloc((size_t)m->link_count, sizeof *s.frames),
                .slope = tn_calloc(dofs, sizeof *s.slope),
                .q = tn_calloc(coordinates, sizeof *s.q),
                .trial = tn_calloc(coordinates, sizeof *s.trial),
                .mobility = tn_calloc(dofs, sizeof *s.mobility)};
    Found found = search(c, reference, &s, actuator->gear, range);
    tn_free(s.frames);
    tn_free(s.slope);
    tn_free(s.q);
    tn_free(s.trial);
    tn_free(s.mobility);
    return found;
}

/* ---- all ---- */

void tn_find_length_range(TnCompile *c, TnReferenceMass *reference, int index)
{
    const TnActuator *actuator = &c->model->actuators[index];
    const TnElement *element = TN_ELEMENT("actuator", &c->builder->actuators[index], index);
    if (!actuator->muscles || c->problem_count) return;
    double *range = c->model->muscles[actuator->muscles - c->model->muscles].length_range;
    if (range[0] != 0.0 || range[1] != 0.0) return;
    Found found = NO_HINGES;
    if (has_limits(c->model, actuator))
        found = measure_lengths(c, reference, actuator, range) ? FOUND : NO_MEMORY;
    else if (actuator->tendon >= 0 && actuator->path >= 0)
        found = search_path(c, reference, actuator, range);
    if (found == NO_MEMORY) {
        tn_error_add(c->err, TN_ERROR_MEMORY, "no memory for the model");
        c->problem_count++;
    } else if (found == NO_HINGES) {
        tn_problem(c, element,
                   "a muscle needs a lengthrange, or limits of all joints that it moves; MuJoCo's "
                   "compiler writes the one that it finds when it saves the model");
    } else if (found == NO_END) {
        tn_problem(c, element,
                   "a muscle needs a lengthrange, or limits of the joints that it moves: its "
                   "length has no end");
    } else if (!(range[0] < range[1])) {
        tn_problem(c, element, "it moves no mass in the reference pose");
    }
}
