/* sense_contact.c: sensors that read the last step: touch, contacts, forces of limits.
 *
 * A contact's axes are its normal, from the first geom to the second, and two tangents. The first
 * tangent is y less its part along the normal, or z where the normal is near y, as in MuJoCo, where
 * geoms are ordered by type and index; a sensor that asks for the other order turns both about. */
#include <math.h>
#include <string.h>

#include "../collision/ray.h"
#include "../math/vec3.h"
#include "sense_contact.h"

/* ---- limits ---- */

/* Of lower and upper limit. */
static double limit_force(const TnWorld *world, int slot)
{
    return world->state.row_lambda[slot] + world->state.row_lambda[slot + 1];
}

/* ---- touch ---- */

/* Contacts of the body whose normal, outwards from the body, meets the site's volume; always so
 * from inside. */
static double sense_touch(const TnWorld *world, const TnSensing *at, const TnSensor *sensor)
{
    const TnModel *model = world->model;
    const TnSite *site = &model->sites[sensor->object];
    double sum = 0.0, pos[3], quat[4];
    tn_site_pose(model, site, at->frames, pos, quat);
    quat_conjugate(quat, quat);
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact c = tn_world_contact(world, i);
        bool first = model->geoms[c.geom1 - 1].body == site->body;
        double force = v3_dot(c.force, c.normal), x[3], d[3], n[3];
        if ((!first && model->geoms[c.geom2 - 1].body != site->body) || !(force > 0.0)) continue;
        tn_in_site_axes(at, site, c.pos, x);
        v3_scale(d, c.normal, first ? 1.0 : -1.0);
        quat_rotate(d, quat, d);
        if (tn_ray_shape(site->type, site->size, x, d, n) >= 0.0) sum += force;
    }
    return sum;
}

/* ---- contacts ---- */

/* A contact as a sensor tells it. */
typedef struct Seen {
    double force[3], torque[3]; /* on the second, world axes */
    double dist, pos[3];
    double axes[9]; /* normal and tangents, row by row */
    double velocity[6];
} Seen;

static bool is_below(const TnModel *model, int body, int root)
{
    while (body > root) body = model->bodies[body].parent; /* parents come first */
    return body == root;
}

static bool is_picked(const TnModel *model, const TnPick *pick, int geom)
{
    int body = model->geoms[geom].body;
    switch (pick->kind) {
    case TN_PICK_GEOM:
        return geom == pick->id;
    case TN_PICK_BODY:
        return body == pick->id;
    case TN_PICK_SUBTREE:
        return is_below(model, body, pick->id);
    default:
        return true;
    }
}

/* MuJoCo has this geom first. */
static bool comes_first(const TnModel *model, int a, int b)
{
    TnGeomType ta = model->geoms[a].type, tb = model->geoms[b].type;
    return ta != tb ? ta < tb : a < b;
}

/* 1: as the contact is, -1: the other way round, 0: it does not count. */
static int match(const TnModel *model, const TnSensor *sensor, const TnContact *c)
{
    int a = c->geom1 - 1, b = c->geom2 - 1;
    bool as_is = is_picked(model, &sensor->pick1, a) && is_picked(model, &sensor->pick2, b),
         swapped = is_picked(model, &sensor->pick1, b) && is_picked(model, &sensor->pick2, a);
    if (as_is && swapped) return comes_first(model, a, b) ? 1 : -1;
    return as_is ? 1 : swapped ? -1 : 0;
}

static void make_axes(const double normal[3], double axes[9])
{
    double *t = axes + 3;
    v3_copy(axes, normal);
    v3_set(t, 0.0, 1.0, 0.0);
    if (fabs(normal[1]) >= 0.5) v3_set(t, 0.0, 0.0, 1.0);
    v3_add_scaled(t, normal, -v3_dot(t, normal));
    v3_normalize(t);
    v3_cross(axes + 6, normal, t);
}

/* Torsional and rolling friction, on geom2. */
static void contact_torque(const TnWorld *world, int index, double out[3])
{
    const TnProblem *p = &world->set.problem;
    v3_zero(out);
    for (int r = 0; index < world->contacts.count && r < p->row_count; r++) {
        double sliding[3], turning[3]; /* friction that slides along rows is in the force */
        if (p->rows[r].set < TN_ROW_SPIN || p->rows[r].contact != index) continue;
        tn_contact_row(world->model, &world->contacts.points[index], p->rows[r].set,
                       world->set.row_slot[r], sliding, turning);
        v3_add_scaled(out, turning, p->rows[r].lambda);
    }
}

static void point_motion(const TnWorld *world, int geom, const double pos[3], double sign,
                         double velocity[6])
{
    int link = world->model->geom_link[geom];
    const double *twist = world->twists[link];
    double arm[3], v[3];
    if (world->model->geoms[geom].type == TN_GEOM_SOFT) return;
    v3_sub(arm, pos, world->frames[link].com);
    v3_cross(v, twist + 3, arm);
    v3_add(v, v, twist);
    v3_add_scaled(velocity, v, sign);
    v3_add_scaled(velocity + 3, twist + 3, sign);
}

static Seen see(const TnWorld *world, const TnContact *c, int index, int sign)
{
    Seen out = {.dist = c->gap};
    double normal[3], turned = comes_first(world->model, c->geom1 - 1, c->geom2 - 1) ? 1.0 : -1.0;
    v3_scale(normal, c->normal, turned);
    make_axes(normal, out.axes);
    for (int k = 0; k < 6; k++) out.axes[k] *= turned * sign;
    v3_scale(out.force, c->force, sign);
    contact_torque(world, index, out.torque);
    v3_scale(out.torque, out.torque, sign);
    v3_copy(out.pos, c->pos);
    point_motion(world, c->geom2 - 1, c->pos, sign, out.velocity);
    point_motion(world, c->geom1 - 1, c->pos, -sign, out.velocity);
    return out;
}

/* A field and the numbers that it has. */
static double *put(double *data, uint32_t fields, uint32_t bit, const double *x, int count)
{
    if (!(fields & bit)) return data;
    memcpy(data, x, sizeof(double) * (size_t)count);
    return data + count;
}

static double *write_contact(double *data, uint32_t fields, const Seen *s, double found)
{
    double force[3], torque[3], linear[3], angular[3];
    m3_mul_v(force, s->axes, s->force);
    m3_mul_v(torque, s->axes, s->torque);
    m3_mul_v(linear, s->axes, s->velocity);
    m3_mul_v(angular, s->axes, s->velocity + 3);
    data = put(data, fields, TN_CONTACT_FOUND, &found, 1);
    data = put(data, fields, TN_CONTACT_FORCE, force, 3);
    data = put(data, fields, TN_CONTACT_TORQUE, torque, 3);
    data = put(data, fields, TN_CONTACT_DIST, &s->dist, 1);
    data = put(data, fields, TN_CONTACT_POS, s->pos, 3);
    data = put(data, fields, TN_CONTACT_NORMAL, s->axes, 3);
    data = put(data, fields, TN_CONTACT_TANGENT, s->axes + 3, 3);
    data = put(data, fields, TN_CONTACT_LINVEL, linear, 3);
    return put(data, fields, TN_CONTACT_ANGVEL, angular, 3);
}

static bool is_in_zone(const TnWorld *world, const TnSensing *at, const TnSensor *sensor,
                       const double pos[3])
{
    double x[3];
    if (sensor->zone < 0) return true;
    tn_in_site_axes(at, &world->model->sites[sensor->zone], pos, x);
    return tn_in_site_volume(&world->model->sites[sensor->zone], x);
}

/* What all do together, at the centre of their forces. */
static void add_net(Seen *net, const Seen *s, double *weights)
{
    double weight = v3_norm(s->force), turn[3];
    v3_add(net->force, net->force, s->force);
    v3_cross(turn, s->pos, s->force);
    v3_add(net->torque, net->torque, s->torque);
    v3_add(net->torque, net->torque, turn); /* about the origin so far */
    v3_add_scaled(net->pos, s->pos, weight);
    *weights += weight;
    net->dist = fmin(net->dist, s->dist);
}

static void finish_net(Seen *net, double weights)
{
    double turn[3];
    v3_scale(net->pos, net->pos, weights > 0.0 ? 1.0 / weights : 0.0);
    v3_cross(turn, net->pos, net->force);
    v3_sub(net->torque, net->torque, turn);
    for (int k = 0; k < 9; k++) net->axes[k] = k % 4 == 0;
}

/* The order in which a sensor tells contacts; smaller ones first. */
static double rank_of(const TnSensor *sensor, const TnContact *c)
{
    return sensor->reduce == TN_REDUCE_MIN_DIST    ? c->gap
           : sensor->reduce == TN_REDUCE_MAX_FORCE ? -v3_norm(c->force)
                                                   : 0.0;
}

/* Looks for the next one in order: no list is needed for the few slots that there are. */
static int next_contact(const TnWorld *world, const TnSensing *at, const TnSensor *sensor, int last,
                        double last_rank)
{
    int best = -1;
    double best_rank = INFINITY;
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact c = tn_world_contact(world, i);
        double rank = rank_of(sensor, &c);
        bool behind = rank > last_rank || (rank == last_rank && i > last);
        if (!behind || !(rank < best_rank) || !match(world->model, sensor, &c) ||
            !is_in_zone(world, at, sensor, c.pos))
            continue;
        best = i;
        best_rank = rank;
    }
    return best;
}

static void sense_contacts(const TnWorld *world, const TnSensing *at, const TnSensor *sensor,
                           double *data)
{
    const TnModel *model = world->model;
    Seen net = {.dist = INFINITY};
    double weights = 0.0, found = 0.0;
    memset(data, 0, sizeof(double) * (size_t)sensor->data_count);
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact c = tn_world_contact(world, i);
        int sign = match(model, sensor, &c);
        if (!sign || !is_in_zone(world, at, sensor, c.pos)) continue;
        Seen s = see(world, &c, i, sign);
        add_net(&net, &s, &weights);
        found += 1.0;
    }
    if (found == 0.0) return;
    if (sensor->reduce == TN_REDUCE_NET_FORCE) {
        finish_net(&net, weights);
        write_contact(data, sensor->fields, &net, found);
        return;
    }
    int last = -1;
    double rank = -INFINITY;
    for (int slot = 0; slot < sensor->slots; slot++) {
        last = next_contact(world, at, sensor, last, rank);
        if (last < 0) return;
        TnContact c = tn_world_contact(world, last);
        Seen s = see(world, &c, last, match(model, sensor, &c));
        rank = rank_of(sensor, &c);
        data = write_contact(data, sensor->fields, &s, found);
    }
}

bool tn_sense_contact(const TnWorld *world, const TnSensing *at, const TnSensor *sensor,
                      double *data)
{
    const TnModel *model = world->model;
    switch (sensor->type) {
    case TN_SENSOR_JOINT_LIMIT_FORCE:
        data[0] = limit_force(world, tn_row_slot_joint(model, sensor->object, 0));
        return true;
    case TN_SENSOR_TENDON_LIMIT_FORCE:
        data[0] = limit_force(world, tn_row_slot_tendon(model, sensor->object, 0));
        return true;
    case TN_SENSOR_TOUCH:
        data[0] = sense_touch(world, at, sensor);
        return true;
    case TN_SENSOR_CONTACT:
        sense_contacts(world, at, sensor, data);
        return true;
    default:
        return false;
    }
}
