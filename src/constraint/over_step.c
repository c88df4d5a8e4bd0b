/* over_step.c: a contact over the step, from its start to its end.
 *
 * The law of a contact holds for the velocity v⁺ at the step's end, J_end v⁺. Its force acts over
 * the whole step, along J of the middle: so a force that lasts does the work that its contact's
 * motion allows, none where it does not move, to third order in t. The problem has one J, that of
 * the middle, and what it changes by until the end goes into e:
 *
 *     J_mid v⁺ + (J_end - J_mid) v  instead of  J_end v⁺.
 *
 * Where the contact goes is known from how its point and normal move (collision/rates.c) as the
 * bodies go on with v, and for v behind (J_end - J_mid) stands what is expected of v⁺
 * (tn_twist_expected). In further passes these are the v̂ that was found, and v⁺ of that.
 *
 * Over a step with a force f at a point x the momentum of a free body about the origin grows by
 * t x × f if its arm is x - (c + t v/2), c its centre of mass, v the start's velocity. Both bodies
 * have the same x. */
#include <math.h>
#include <string.h>

#include "../math/vec3.h"
#include "../model/thresholds.h"
#include "rows.h"

/* By numbers, not by an arm that has just been written: reading that again as pairs would wait for
 * the writes. */
static inline void point_velocity(double out[3], const double twist[6], double x, double y,
                                  double z)
{
    out[0] = twist[4] * z - twist[5] * y + twist[0];
    out[1] = twist[5] * x - twist[3] * z + twist[1];
    out[2] = twist[3] * y - twist[4] * x + twist[2];
}

/* A link in the middle of the step: its centre of mass; its twist with the velocity of the start,
 * with the one that it is expected to move by, and with that of the end; and by how much the last
 * changes until then, while joint rates stay. */
typedef struct Middle {
    double com[3];
    double twist[6], expected[6], late[6], turned[6];
} Middle;

static int link_of_side(const TnConstraintInput *in, const TnContactPoint *c, int side)
{
    return in->division->carrier[in->model->geom_link[side ? c->geom2 : c->geom1]];
}

static const TnPortMiddle *port_of(const TnConstraintSet *set, int link)
{
    int port = set->link_row[link] - set->problem.port_row;
    return port < 0 ? NULL : set->port_middle[port];
}

static void find_middle(const TnConstraintInput *in, const TnConstraintSet *set, int link,
                        Middle *out)
{
    const TnPortMiddle *port = port_of(set, link);
    double half = 0.5 * in->t;
    if (port) {
        v3_copy(out->com, port->com);
        memcpy(out->twist, port->twist, sizeof out->twist);
        memcpy(out->expected, port->expected, sizeof out->expected);
        memcpy(out->late, port->late, sizeof out->late);
        for (int k = 0; k < 6; k++) out->turned[k] = half * port->bias[k];
        return;
    }
    memcpy(out->twist, in->twists[link], sizeof out->twist);
    memcpy(out->expected, in->twists[link], sizeof out->expected);
    memcpy(out->late, in->twists[link], sizeof out->late);
    if (in->model->link_subsystem[link] >= 0)
        tn_twist_expected(out->twist, in->state->vhat + in->model->links[link].dof_start,
                          out->late);
    memset(out->turned, 0, sizeof out->turned);
    v3_copy(out->com, in->frames[link].com);
    if (link == 0) v3_zero(out->com);
    if (in->found && in->model->link_subsystem[link] >= 0) {
        const double *found = in->found + in->model->links[link].dof_start;
        memcpy(out->expected, found, sizeof out->expected);
        for (int k = 0; k < 6; k++)
            out->late[k] = out->twist[k] + (found[k] - out->twist[k]) / in->theta;
    }
    v3_add_scaled(out->com, out->expected, half);
}

static void find_facet(const TnConstraintInput *in, const TnSoftPoint *point, const double v[3],
                       TnSoftFacet *out)
{
    const TnSoft *soft = &in->model->softs[point->soft];
    const TnSubsystem *sub = &in->model->subsystems[soft->subsystem];
    out->count = point->count;
    v3_copy(out->point_v, v);
    for (int k = 0; k < point->count; k++) {
        v3_copy(out->place[k], in->state->qpos + sub->qpos_start + 3L * point->node[k]);
        v3_copy(out->v[k], in->state->qvel + sub->dof_start + 3L * point->node[k]);
    }
}

/* At the start, and at the end of the free motion. */
static void begin_side(const TnConstraintInput *in, const TnConstraintSet *set,
                       const TnContactPoint *c, int side, TnContactSide *out, TnSoftFacet *facet)
{
    int soft = side ? c->soft2 : c->soft1, link = link_of_side(in, c, side);
    if (soft >= 0) {
        const TnSoftPoint *point = &in->contacts->soft_points[soft];
        tn_soft_point_velocity(in->model, point, in->state->qvel, out->v);
        tn_soft_point_velocity(in->model, point, in->end_qvel, out->v_end);
        out->row = set->soft_row[soft];
        v3_zero(out->arm);
        find_facet(in, point, out->v, facet);
        return;
    }
    const double *arm = side ? c->arm2 : c->arm1;
    double x = arm[0], y = arm[1], z = arm[2], carried[3];
    if (link != in->model->geom_link[side ? c->geom2 : c->geom1]) {
        tn_contact_arm(in->model, in->division, in->frames, c, side, carried);
        x = carried[0], y = carried[1], z = carried[2];
    }
    point_velocity(out->v, in->twists[link], x, y, z);
    point_velocity(out->v_end, in->end_twists[link], x, y, z);
    v3_set(out->arm, x, y, z);
    out->row = set->link_row[link];
}

/* Where a contact goes. */
typedef struct Way {
    TnContactWay way;
    TnSoftFacet facet[2]; /* of soft bodies */
    Middle middle[2];     /* of links */
    bool stays;           /* it is as it is listed */
} Way;

/* Its arm and velocity in the middle; late: its velocity there and at the end as J turns, with the
 * link's `late`. */
static void finish_side(const TnConstraintInput *in, const TnContactPoint *c, int side,
                        const Way *way, TnContactSide *out, double late[2][3])
{
    const Middle *m = &way->middle[side];
    double end[3], turned[6];
    if ((side ? c->soft2 : c->soft1) >= 0) {
        v3_zero(out->arm);
        v3_copy(out->v_mid, out->v);
        v3_copy(late[0], out->v);
        v3_copy(late[1], out->v);
        if (way->stays) return;
        /* the point slides over what turns */
        double turn[3], slides[3];
        tn_soft_facet_turn(&way->facet[side], c->normal, turn);
        v3_sub(slides, way->way.point[1], way->way.point[0]);
        v3_add_scaled(slides, out->v, -0.5 * in->t);
        v3_add_scaled(late[1], c->normal, -v3_dot(turn, slides));
        return;
    }
    if (way->stays) {
        v3_copy(end, out->arm);
    } else {
        v3_sub(out->arm, way->way.point[0], m->com);
        v3_sub(end, way->way.point[1], m->com);
        v3_add_scaled(end, m->expected, -0.5 * in->t);
    }
    for (int k = 0; k < 6; k++) turned[k] = m->late[k] + m->turned[k];
    point_velocity(out->v_mid, m->twist, out->arm[0], out->arm[1], out->arm[2]);
    point_velocity(late[0], m->late, out->arm[0], out->arm[1], out->arm[2]);
    point_velocity(late[1], turned, end[0], end[1], end[2]);
}

/* It, or all that contacts push, is to move by v⁺: then forces act at the start. */
static bool moves_late(const TnConstraintInput *in, const TnContactPoint *c, int side)
{
    int s = in->model->link_subsystem[link_of_side(in, c, side)], soft = side ? c->soft2 : c->soft1;
    if (soft >= 0) s = in->model->softs[in->contacts->soft_points[soft].soft].subsystem;
    return in->slow < 0.0 || (s >= 0 && in->blend[s] > 0.0);
}

/* Its contacts are those of the time of the hit, and move as they were then. */
static bool was_hit(const TnConstraintInput *in, const TnContactPoint *c, int side)
{
    return in->since && in->since[link_of_side(in, c, side)] > 0.0;
}

static bool is_calm(const TnConstraintInput *in, const TnContactPoint *c)
{
    double most = TN_STOPPED * in->slow;
    if (c->soft1 >= 0 || c->soft2 >= 0) return false;
    for (int side = 0; side < 2; side++) {
        int link = link_of_side(in, c, side);
        const double *v = in->twists[link], r = in->model->links[link].lever;
        if (fabs(v[0]) + fabs(v[1]) + fabs(v[2]) > most ||
            r * (fabs(v[3]) + fabs(v[4]) + fabs(v[5])) > most)
            return false;
    }
    return true;
}

static bool has_port(const TnConstraintInput *in, const TnConstraintSet *set,
                     const TnContactPoint *c, int side)
{
    return (side ? c->soft2 : c->soft1) < 0 && port_of(set, link_of_side(in, c, side));
}

void tn_contact_over_step(const TnConstraintInput *in, const TnConstraintSet *set, int contact,
                          TnContactOverStep *out)
{
    const TnContactPoint *c = &in->contacts->points[contact];
    double late[2][2][3], u[2][3], end[3];
    Way way;
    way.stays = c->time > 0.0 || moves_late(in, c, 0) || moves_late(in, c, 1) ||
                was_hit(in, c, 0) || was_hit(in, c, 1) || is_calm(in, c);
    for (int side = 0; side < 2; side++)
        begin_side(in, set, c, side, &out->side[side], &way.facet[side]);
    v3_copy(out->normal, c->normal);
    if (way.stays && !has_port(in, set, c, 0) && !has_port(in, set, c, 1)) {
        for (int side = 0; side < 2; side++) v3_copy(out->side[side].v_mid, out->side[side].v);
        v3_zero(out->shift);
        return;
    }
    v3_copy(end, c->normal);
    for (int side = 0; side < 2; side++)
        if ((side ? c->soft2 : c->soft1) < 0)
            find_middle(in, set, link_of_side(in, c, side), &way.middle[side]);
    if (!way.stays) {
        const double *const twist[2] = {way.middle[0].expected, way.middle[1].expected};
        tn_contact_way(in->model, in->frames, twist, way.facet, c, in->t, &way.way);
        v3_copy(out->normal, way.way.normal[0]);
        v3_copy(end, way.way.normal[1]);
    }
    for (int side = 0; side < 2; side++)
        finish_side(in, c, side, &way, &out->side[side], late[side]);
    for (int k = 0; k < 2; k++) v3_sub(u[k], late[1][k], late[0][k]);
    v3_sub(end, end, out->normal);
    v3_sub(out->shift, u[1], u[0]);
    v3_add_scaled(out->shift, out->normal, v3_dot(end, u[1]));
}

void tn_contact_moved(const TnConstraintInput *in, const TnConstraintSet *set, int contact,
                      int side, const double (*twists)[6], const double *qvel, double out[3])
{
    const TnContactPoint *c = &in->contacts->points[contact];
    const TnContactBatch *batch = &set->problem.contact_batch[contact / TN_LANES];
    int soft = side ? c->soft2 : c->soft1, l = contact % TN_LANES;
    if (soft >= 0) {
        tn_soft_point_velocity(in->model, &in->contacts->soft_points[soft], qvel, out);
        return;
    }
    int link = link_of_side(in, c, side);
    const TnPortMiddle *port = port_of(set, link);
    const double *twist = port ? port->moved : twists[link];
    double arm[3];
    for (int k = 0; k < 3; k++) arm[k] = side ? batch->arm_b[k][l] : batch->arm_a[k][l];
    point_velocity(out, twist, arm[0], arm[1], arm[2]);
}
