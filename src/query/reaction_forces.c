/* reaction_forces.c: what acts on bodies from outside of their trees, in the last step: contacts
 * and hits, equalities, wheels, wrenches that were applied, and cables that are welded to them.
 * Soft bodies: reaction_soft.c.
 *
 * Rows of connects and welds are the forces on body2 themselves. A segment of a cable that
 * follows a robot's link, or that the world holds, has no weld to iterate: its velocity is
 * known. The weld's force is what its own equation lacks,
 *
 *     (A v̂ - b)_segment - contacts and other equalities on it,
 *
 * with A and b of the rod as the step had them, but as if nothing held it (TnRodSystem.loose). */
#include "reaction.h"

#include <math.h>
#include <string.h>

#include "../impact/impact.h"
#include "../math/vec3.h"
#include "../model/path.h"

void tn_reaction_take_off(TnReactions *r, int body, const double *force, const double *arm,
                          const double *torque, double sign)
{
    double *wrench = r->wrench[body], turn[3];
    if (torque) v3_add_scaled(wrench + 3, torque, -sign);
    if (!force) return;
    v3_add_scaled(wrench, force, -sign);
    if (!arm) return;
    v3_cross(turn, arm, force);
    v3_add_scaled(wrench + 3, turn, -sign);
}

/* The same at a point of the world. */
static void take_off_at(const TnModel *model, TnReactions *r, int body, const double point[3],
                        const double *force, const double *torque, double sign)
{
    double arm[3];
    v3_sub(arm, point, r->middle[model->bodies[body].link].com);
    tn_reaction_take_off(r, body, force, arm, torque, sign);
}

/* ---- contacts ---- */

static void add_contacts(const TnWorld *world, TnReactions *r)
{
    const TnGeom *geoms = world->model->geoms;
    for (int i = 0; i < world->contacts.count; i++) {
        const TnContactPoint *c = &world->contacts.points[i];
        double force[3];
        tn_problem_contact_lambda(&world->set.problem, i, force);
        if (c->soft1 < 0) tn_reaction_take_off(r, geoms[c->geom1].body, force, c->arm1, NULL, -1.0);
        if (c->soft2 < 0) tn_reaction_take_off(r, geoms[c->geom2].body, force, c->arm2, NULL, 1.0);
    }
    for (int i = 0; i < world->impact_count; i++) {
        const TnImpact *hit = &world->impacts[i];
        double force[3];
        v3_scale(force, hit->impulse, 1.0 / world->t);
        tn_reaction_take_off(r, geoms[hit->geom1].body, force, hit->arm1, NULL, -1.0);
        tn_reaction_take_off(r, geoms[hit->geom2].body, force, hit->arm2, NULL, 1.0);
    }
}

/* Friction of contacts that is in rows. */
static void add_contact_row(const TnWorld *world, TnReactions *r, const TnRow *row, int slot)
{
    const TnContactPoint *c = &world->contacts.points[row->contact];
    const TnGeom *geoms = world->model->geoms;
    double linear[3], angular[3];
    tn_contact_row(world->model, c, row->set, slot, linear, angular);
    const double *force = slot == TN_SLOT_SLIDE ? linear : NULL;
    const double *torque = force ? NULL : angular;
    tn_reaction_take_off(r, geoms[c->geom1].body, force, force ? c->arm1 : NULL, torque,
                         -row->lambda);
    tn_reaction_take_off(r, geoms[c->geom2].body, force, force ? c->arm2 : NULL, torque,
                         row->lambda);
}

/* ---- rows and bonds ---- */

static void place_anchor(const TnModel *model, const TnReactions *r, int body,
                         const double local[3], double point[3])
{
    double pos[3], quat[4];
    tn_body_pose(model, r->middle, body, pos, quat);
    quat_rotate(point, quat, local);
    v3_add(point, point, pos);
}

void tn_reaction_anchor(const TnModel *model, const TnReactions *r, const TnEquality *equality,
                        double point[3])
{
    double other[3];
    place_anchor(model, r, equality->body1, equality->anchor1, point);
    place_anchor(model, r, equality->body2, equality->anchor2, other);
    for (int k = 0; k < 3; k++) point[k] = 0.5 * (point[k] + other[k]);
}

static void add_wheel(const TnWorld *world, TnReactions *r, int index, int kind, double lambda)
{
    const TnModel *model = world->model;
    const TnWheel *wheel = &model->wheels[index];
    TnStand stand;
    if (!tn_wheel_stand(model, r->middle, wheel, &stand)) return;
    const double *along[3] = {stand.lateral, stand.forward, wheel->normal};
    take_off_at(model, r, wheel->body, stand.point, along[kind], NULL, lambda);
}

/* A row along a path. */
typedef struct Path {
    const TnModel *model;
    TnReactions *r;
    double lambda;
} Path;

static void take_off_pull(void *context, int link, const double point[3], const double linear[3],
                          const double angular[3])
{
    const Path *path = context;
    take_off_at(path->model, path->r, path->model->links[link].body, point, linear, angular,
                path->lambda);
}

/* Moments act within trees, as motors do. */
static void ignore_moment(void *context, int dof, double coef)
{
    (void)context;
    (void)dof;
    (void)coef;
}

static void add_path(const TnModel *model, TnReactions *r, int path, double lambda)
{
    Path row = {model, r, lambda};
    tn_path_walk(model, &model->paths[path], r->qpos, r->middle,
                 &(TnPathVisitor){take_off_pull, ignore_moment, &row});
}

/* Limits, friction and forces of tendons and actuators that are rows along paths. */
static void add_paths(const TnWorld *world, TnReactions *r)
{
    const TnModel *model = world->model;
    for (int i = 0; i < model->tendon_count; i++) {
        const TnTendon *tendon = &model->tendons[i];
        const double *l = world->state.row_lambda + tn_row_slot_tendon(model, i, 0);
        if (tendon->direct || tn_subsystem_asleep(&world->state, tendon->subsystem)) continue;
        double sum = l[0] - l[1] + l[2];
        if (tendon->force >= 0)
            sum += world->state.row_lambda[tn_row_slot_force(model, tendon->force)];
        add_path(model, r, tendon->path, sum);
    }
    for (int i = 0; i < model->actuator_count; i++) {
        const TnActuator *actuator = &model->actuators[i];
        if (actuator->force < 0 || tn_subsystem_asleep(&world->state, actuator->subsystem))
            continue;
        add_path(model, r, actuator->path,
                 world->state.row_lambda[tn_row_slot_force(model, actuator->force)]);
    }
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *e = &model->equalities[i];
        double lambda = r->equality[i][0];
        if (e->type != TN_EQUALITY_TENDON || !e->active || !isfinite(lambda)) continue;
        const TnTendon *first = &model->tendons[e->tendon1];
        add_path(model, r, first->path, lambda);
        if (e->tendon2 < 0) continue;
        const TnTendon *second = &model->tendons[e->tendon2];
        double x = tn_path_walk(model, &model->paths[second->path], r->qpos, r->middle, NULL) -
                   second->reference_length;
        const double *c = e->polycoef;
        double slope = c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4]));
        add_path(model, r, second->path, -slope * lambda);
    }
}

/* Limits and friction of joints and tendons act within their trees. */
static void add_rows(const TnWorld *world, TnReactions *r)
{
    const TnModel *model = world->model;
    const TnProblem *p = &world->set.problem;
    int equalities = tn_row_slot_equality(model->equality_count, 0),
        wheels = tn_row_slot_wheel(model, 0, 0), end = tn_row_slot_hold(model, 0, 0, 0);
    for (int i = 0; i < p->row_count; i++) {
        const TnRow *row = &p->rows[i];
        int slot = world->set.row_slot[i];
        if (row->set >= TN_ROW_SPIN)
            add_contact_row(world, r, row, slot);
        else if (slot >= 0 && slot < equalities)
            r->equality[slot / 6][slot % 6] = row->lambda;
        else if (slot >= wheels && slot < end)
            add_wheel(world, r, (slot - wheels) / 3, (slot - wheels) % 3, row->lambda);
    }
}

/* A wrench on a segment at its own centre becomes that of its weld on body2 at the anchor. */
static void note_weld(const TnModel *model, TnReactions *r, int index, int segment,
                      const double wrench[6])
{
    const TnEquality *weld = &model->equalities[index];
    double *out = r->equality[index], arm[3], turn[3], point[3];
    double sign = model->bodies[weld->body2].link == segment ? 1.0 : -1.0;
    tn_reaction_anchor(model, r, weld, point);
    v3_sub(arm, r->middle[segment].com, point);
    v3_cross(turn, arm, wrench);
    for (int k = 0; k < 3; k++) {
        out[k] = sign * wrench[k];
        out[3 + k] = sign * (wrench[3 + k] + turn[k]);
    }
}

static bool is_follower(const TnDivision *d, int equality)
{
    for (int f = 0; f < d->follower_count; f++)
        if (d->followers[f].equality == equality) return true;
    return false;
}

/* Welds of segments that are iterated; λ is on the link that carries the segment. */
static void add_bonds(const TnWorld *world, TnReactions *r)
{
    const TnProblem *p = &world->set.problem;
    for (int i = 0; i < p->bond_count; i++) {
        int equality = ~world->set.bond_source[i];
        if (world->set.bond_source[i] >= 0 || is_follower(world->division, equality)) continue;
        const TnBond *bond = &p->bonds[i];
        double wrench[6];
        memcpy(wrench, bond->lambda + 6, sizeof wrench);
        for (int k = 0; k < 3; k++)
            v3_add_scaled(wrench + 3, bond->J + 12 * k + 9, -bond->lambda[6 + k]);
        note_weld(world->model, r, equality, world->model->equalities[equality].segment, wrench);
    }
}

/* Once all of an equality's numbers are there. */
static void take_off_equality(const TnModel *model, TnReactions *r, int index)
{
    const TnEquality *equality = &model->equalities[index];
    const double *wrench = r->equality[index];
    double point[3];
    if (equality->type >= TN_EQUALITY_JOINT) return; /* acts within trees, as motors do */
    tn_reaction_anchor(model, r, equality, point);
    take_off_at(model, r, equality->body1, point, wrench, wrench + 3, -1.0);
    take_off_at(model, r, equality->body2, point, wrench, wrench + 3, 1.0);
}

/* ---- cables that are held ---- */

static bool rod_is_held(const TnModel *model, const TnDivision *d, const TnRod *rod)
{
    for (int i = rod->link_start; i < rod->link_start + rod->segment_count; i++) {
        if (model->links[i].held) return true;
        for (int f = 0; f < d->follower_count; f++)
            if (d->followers[f].segment == i) return true;
    }
    return false;
}

/* y += M x, or Mᵀ x */
static void add_product(const double M[36], bool transposed, const double *x, double *y)
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) y[i] += M[transposed ? 6 * j + i : 6 * i + j] * x[j];
}

/* A v̂ - b of every segment, as if nothing held it. */
static void add_loose(const TnWorld *world, TnReactions *r, const TnRod *rod, const TnRodSystem *s)
{
    const TnModel *model = world->model;
    const double *v = world->state.vhat + model->links[rod->link_start].dof_start;
    for (long i = 0; i < s->count; i++) {
        double *wrench = r->wrench[model->links[rod->link_start + i].body];
        for (int k = 0; k < 6; k++) wrench[k] = -s->b[6 * i + k];
        add_product(s->D + 36 * i, false, v + 6 * i, wrench);
        if (i > 0) add_product(s->E + 36 * (i - 1), false, v + 6 * (i - 1), wrench);
        if (i + 1 < s->count) add_product(s->E + 36 * i, true, v + 6 * (i + 1), wrench);
    }
}

/* False: no memory. */
static bool add_rods(const TnWorld *world, TnReactions *r)
{
    const TnModel *model = world->model;
    const TnOption *option = &model->option;
    double(*wrench)[6] = tn_arena_calloc(&r->arena, sizeof(double[6]) * (size_t)model->link_count);
    TnRodSystem *rods = TN_ARENA_ZERO(&r->arena, TnRodSystem, model->rod_count);
    if (!wrench || !rods) return false;
    for (int b = 1; world->was_applied && b < model->body_count; b++)
        for (int k = 0; k < 6; k++) wrench[model->bodies[b].link][k] += world->last_applied[b][k];
    TnDynamicsInput in = {.model = model,
                          .t = world->t,
                          .theta = option->theta,
                          .passes = option->tree_passes,
                          .qpos = world->start_qpos,
                          .qvel = world->start_qvel,
                          .wrench = world->was_applied ? (const double(*)[6])wrench : NULL};
    for (int i = 0; i < model->rod_count; i++) {
        const TnRod *rod = &model->rods[i];
        const TnSubsystem *sub = &model->subsystems[rod->subsystem];
        if (world->state.asleep[rod->subsystem] || !rod_is_held(model, world->division, rod))
            continue;
        rods[i].loose = true;
        rods[i].expected = world->systems.rods[i].expected;
        if (!tn_rod_assemble(&in, sub, r->start, world->systems.rods[i].w, &r->arena, &rods[i]))
            return false;
        tn_followers_start(&world->systems, model, rods, i);
        add_loose(world, r, rod, &rods[i]);
    }
    return true;
}

/* What is left on a held segment is the force of its weld, and acts on its holder. */
static void finish_rods(const TnWorld *world, TnReactions *r)
{
    const TnModel *model = world->model;
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *weld = &model->equalities[i];
        bool follows = weld->active && weld->segment && is_follower(world->division, i);
        int segment = follows ? weld->segment : weld->fixed_segment;
        if (!segment) continue;
        note_weld(model, r, i, segment, r->wrench[model->links[segment].body]);
        take_off_equality(model, r, i);
    }
}

/* ---- all ---- */

/* At the centre of mass of what moves together. Equations of cables have it already. */
static void add_applied(const TnWorld *world, TnReactions *r)
{
    const TnModel *model = world->model;
    for (int b = 1; world->was_applied && b < model->body_count; b++) {
        int link = model->bodies[b].link;
        const double *wrench = world->last_applied[b];
        if (model->links[link].subsystem >= 0 &&
            tn_part_of_link(model, link)->kind == TN_SUBSYSTEM_ROD)
            continue;
        const double *arm = link ? NULL : model->body_masses[b].com;
        tn_reaction_take_off(r, b, wrench, arm, wrench + 3, 1.0);
    }
}

bool tn_reactions_add_forces(TnWorld *world, TnReactions *r)
{
    const TnModel *model = world->model;
    if (model->rod_count && !add_rods(world, r)) return false;
    add_applied(world, r);
    add_contacts(world, r);
    add_rows(world, r);
    add_bonds(world, r);
    if (!tn_reactions_add_softs(world, r)) return false;
    for (int i = 0; i < model->equality_count; i++) {
        const TnEquality *equality = &model->equalities[i];
        if (tn_equality_asleep(&world->state, model, i)) r->equality[i][0] = NAN;
        if (equality->active && !(equality->segment && is_follower(world->division, i)))
            take_off_equality(model, r, i);
    }
    add_paths(world, r);
    finish_rods(world, r);
    return true;
}
