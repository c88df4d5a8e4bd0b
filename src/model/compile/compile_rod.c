/* compile_rod.c: rods: are their definitions sensible, and which springs hold their segments?
 *
 * Between segments i and i + 1, whose centres are l̄ = (l_i + l_{i+1}) / 2 apart along the rod, with
 * A = π r², I = π r⁴ / 4, J = π r⁴ / 2, G = E / (2 (1 + ν)):
 *
 *   shear    κ G A / l̄,   κ = 6 (1 + ν) / (7 + 6 ν), a circle's (Cowper, J. Appl. Mech. 33, 1966);
 *                         about 0.9, and κ G = 3 E / (7 + 6 ν)
 *   stretch  E A / l̄
 *   bend     E I / l̄      (bend_modulus in place of E where given)
 *   twist    G J / l̄      (twist_modulus in place of G where given)
 *
 * At rest the spring has the strain of the shape as built, in its mid frame (model.h), or that of a
 * straight rod: centres l̄ apart, no rotation.
 *
 * An end segment that is welded to something is clamped: rigid as a body, while the rod is elastic
 * from its outer end on. So the spring next to it goes from that end to the next centre, and l̄ =
 * l_0 + l_1 / 2. Its hinge, half way, is then the midpoint of what it stands for, as that of all
 * others is. */
#include "../builder.h"

#include "../../base/base.h"
#include "../../base/rounding.h"
#include "../../math/vec3.h"

#include <string.h>

/* ---- checks ---- */

/* Greater than zero and finite. */
static void check_above_zero(TnCompile *c, const TnElement *element, const char *what, double value)
{
    if (tn_check_numbers(c, element, what, &value, 1) && !(value > 0.0))
        tn_problem(c, element, "%s must be positive (%g)", what, value);
}

static void check_line(TnCompile *c, const TnElement *element, const TnRodDef *def)
{
    static const double up[3] = {0.0, 0.0, 1.0};
    int n = def->segment_count;
    if (def->points) {
        if (!tn_check_numbers(c, element, "a coordinate of its points", def->points, 3 * (n + 1)))
            return;
    } else if (!tn_check_numbers(c, element, "start", def->start, 3) ||
               !tn_check_numbers(c, element, "end", def->end, 3)) {
        return;
    }
    double pos[3], quat[4], z[3], last[3] = {0.0}, size = 0.0;
    for (int i = 0; i < n; i++) size = fmax(size, tn_rod_segment(def, i, NULL, pos, quat));
    for (int i = 0; i < n; i++) {
        double length = tn_rod_segment(def, i, NULL, pos, quat);
        if (!(length > 1e-9 * size) || !isfinite(length)) {
            tn_problem(c, element, "segment %d has length %g", i, length);
            return;
        }
        quat_rotate(z, quat, up);
        if (i > 0 && 1.0 + v3_dot(last, z) < TN_SAME) {
            tn_problem(c, element, "segments %d and %d fold back onto each other", i - 1, i);
            return;
        }
        v3_copy(last, z);
    }
}

static void check_rod(TnCompile *c, const TnRodDef *def, int index)
{
    const TnElement *element = TN_ELEMENT("rod", def, index);
    double nu = def->poisson_ratio;
    tn_check_numbers(c, element, "normal", def->normal, 3);
    check_above_zero(c, element, "radius", def->radius);
    check_above_zero(c, element, "density", def->density);
    check_above_zero(c, element, "youngs_modulus", def->youngs_modulus);
    if (!(nu > -1.0 && nu < 0.5))
        tn_problem(c, element, "poisson_ratio must lie in (-1, 0.5) (%g)", nu);
    tn_check_numbers(c, element, "bend_modulus", &def->bend_modulus, 1);
    tn_check_numbers(c, element, "twist_modulus", &def->twist_modulus, 1);
    tn_check_positive(c, element, "damping_time", def->damping_time);
    tn_check_contact(c, element, def->contact_dim, def->friction, def->restitution, def->margin);
    tn_check_numbers(c, element, "rgba", def->rgba, 4);
    if (def->group_size < 0)
        tn_problem(c, element, "group_size must not be negative (%d)", def->group_size);
    if (def->segment_count < 2)
        tn_problem(c, element, "a rod needs at least two segments, not %d", def->segment_count);
    else
        check_line(c, element, def);
}

bool tn_rod_sound(const TnRodDef *def)
{
    TnCompile trial = {0};
    check_rod(&trial, def, 0);
    return trial.problem_count == 0;
}

static int rod_of_body(const TnCompile *c, TnBodyId id)
{
    return id >= 1 && id <= c->builder->body_count ? c->bodies[id - 1].rod : 0;
}

/* Segments must stay what they are: free bodies whose centre is their centre of mass. */
static bool check_attached(TnCompile *c)
{
    const TnModelBuilder *b = c->builder;
    bool stands = true;
    for (int i = 1; i < b->body_count; i++) {
        int rod = rod_of_body(c, b->bodies[i].parent);
        if (!rod) continue;
        tn_problem(c, TN_ELEMENT("body", &b->bodies[i], i),
                   "its parent is a segment of rod %d, which cannot have child bodies; use an "
                   "equality instead",
                   rod);
        stands = false;
    }
    for (int i = 0; i < b->joint_count; i++) {
        int rod = rod_of_body(c, b->joints[i].body);
        if (!rod) continue;
        TnJointId first = b->rods[rod - 1].parts.joint;
        if (i + 1 >= first && i + 1 < first + b->rods[rod - 1].def.segment_count) continue;
        tn_problem(c, TN_ELEMENT("joint", &b->joints[i], i),
                   "its body is a segment of rod %d, which already has a joint", rod);
        stands = false;
    }
    return stands;
}

bool tn_check_rods(TnCompile *c)
{
    const TnModelBuilder *b = c->builder;
    int before = c->problem_count;
    for (int i = 0; i < b->rod_count; i++) {
        const TnRodEntry *rod = &b->rods[i];
        check_rod(c, &rod->def, i);
        for (int k = 0; rod->parts.body && k < rod->def.segment_count; k++)
            c->bodies[rod->parts.body - 1 + k].rod = i + 1;
    }
    return b->rod_count == 0 || (check_attached(c) && c->problem_count == before);
}

/* ---- springs ---- */

static void find_stiffness(const TnRodDef *def, double l, double k[6], double *kink)
{
    double r = def->radius, nu = def->poisson_ratio, E = def->youngs_modulus;
    double area = TN_PI * r * r, I = 0.25 * TN_PI * r * r * r * r;
    double bend = def->bend_modulus < 0.0 ? E : def->bend_modulus;
    double twist = def->twist_modulus < 0.0 ? E / (2.0 * (1.0 + nu)) : def->twist_modulus;
    k[0] = k[1] = 3.0 * E / (7.0 + 6.0 * nu) * area / l;
    k[2] = E * area / l;
    /* what bends or twists freely has so much nevertheless, for its guard against kinks */
    k[3] = k[4] = fmax(bend, TN_SAME * E) * I / l;
    k[5] = fmax(twist, TN_SAME * E) * 2.0 * I / l;
    *kink = fmax(1.0, E / fmax(bend, TN_SAME * E));
}

/* The end of a spring that is `along` the segment from its centre. */
static void spring_end(const TnBody *segment, double along, double x[3])
{
    const double offset[3] = {0.0, 0.0, along};
    quat_rotate(x, segment->quat, offset);
    v3_add(x, x, segment->pos);
}

static void find_rest(const TnBody *a, const TnBody *b, double from, double to, double rest[6])
{
    double back[4], relative[4], axis[3], half[4], middle[4], d[3], x_a[3], x_b[3];
    quat_conjugate(back, a->quat);
    quat_mul(relative, back, b->quat);
    quat_to_rotvec(rest + 3, relative);
    v3_copy(axis, rest + 3);
    double angle = v3_normalize(axis);
    quat_from_axis_angle(half, axis, 0.5 * angle);
    quat_mul(middle, a->quat, half);
    quat_conjugate(back, middle);
    spring_end(a, from, x_a);
    spring_end(b, to, x_b);
    v3_sub(d, x_b, x_a);
    quat_rotate(rest, back, d);
}

static void compile_joint(const TnModel *m, const TnRodDef *def, const TnRod *rod, int i)
{
    const TnBody *a = &m->bodies[rod->body_start + i];
    TnRodJoint *joint = &rod->joints[i];
    double l = 0.5 * (rod->lengths[i] + rod->lengths[i + 1]) - joint->from + joint->to;
    find_stiffness(def, l, joint->k, &joint->kink);
    if (def->straight_rest)
        joint->rest[2] = l;
    else
        find_rest(a, a + 1, joint->from, joint->to, joint->rest);
}

/* Welded to the world or to a link that is no segment itself. */
static bool is_clamped(const TnModel *m, int link)
{
    if (m->links[link].held) return true;
    for (int i = 0; i < m->equality_count; i++) {
        const TnEquality *weld = &m->equalities[i];
        if (weld->active && weld->segment == link &&
            tn_part_of_link(m, weld->holder)->kind != TN_SUBSYSTEM_ROD)
            return true;
    }
    return false;
}

void tn_compile_clamps(TnCompile *c)
{
    const TnModel *m = c->model;
    for (int r = 0; r < m->rod_count; r++) {
        const TnRod *rod = &m->rods[r];
        const TnRodDef *def = &c->builder->rods[r].def;
        int last = rod->segment_count - 1;
        if (is_clamped(m, rod->link_start)) rod->joints[0].from = -0.5 * rod->lengths[0];
        if (is_clamped(m, rod->link_start + last))
            rod->joints[last - 1].to = 0.5 * rod->lengths[last];
        compile_joint(m, def, rod, 0);
        compile_joint(m, def, rod, last - 1);
    }
}

static void compile_rod(TnCompile *c, int index)
{
    const TnRodEntry *entry = &c->builder->rods[index];
    const TnRodDef *def = &entry->def;
    TnModel *m = c->model;
    TnRod *rod = &m->rods[index];
    int n = def->segment_count, body = entry->parts.body - 1;
    rod->segment_count = n;
    rod->body_start = body;
    rod->geom_start = entry->parts.geom - 1;
    rod->link_start = m->bodies[body].link;
    rod->subsystem = m->links[rod->link_start].subsystem;
    rod->group_size = def->group_size;
    rod->damping_time = def->damping_time;
    rod->self_contact = def->self_contact;
    rod->radius = def->radius;
    rod->group = def->group;
    memcpy(rod->rgba, def->rgba, sizeof rod->rgba);
    double shortest = INFINITY;
    for (int i = 0; i < n; i++) {
        rod->lengths[i] = 2.0 * m->geoms[rod->geom_start + i].size[1];
        shortest = fmin(shortest, rod->lengths[i]);
    }
    for (int i = 0; i + 1 < n; i++) compile_joint(m, def, rod, i);
    /* A tube that bends no sharper than its own radius cannot touch itself within half a turn, π r
     * along it; straight, such segments have (π - 2) r between them. */
    double half_turn = ceil(TN_PI * rod->radius / shortest * (1.0 - 1e-9));
    rod->near = half_turn < n ? (int)half_turn + 1 : n;
}

void tn_compile_rods(TnCompile *c)
{
    for (int i = 0; i < c->model->rod_count; i++) compile_rod(c, i);
}
