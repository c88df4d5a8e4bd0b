/* reaction.c: the force and torque with which each body is held by its parent, through joints or
 * because it is fixed to it. Trees are solved in the coordinates of their joints, where these
 * forces do not appear; they follow from the motion. For each body, over the last step,
 *
 *     m (v⁺ - v)/t  = f_parent - Σ f_children + m g + f_outside
 *     (L⁺ - L)/t    = the same in torques, about the centre of mass,
 *
 * with the velocities v and v⁺ at which the step really began and ended, whatever put them right
 * in between. Children come first (the backward pass of recursive Newton–Euler); levers are
 * those half way, which makes the torques exact to second order in t. Sums over steps are exact:
 * t Σ f is the momentum that a body was given.
 *
 * Rotors of motors (armature) are no bodies: what turns them does not pass through the joint.
 * Segments of cables are free; what holds them in a hand or in the world are welds
 * (reaction_forces.c).
 *
 * Nothing of this is done in a step. The first question after one finds all, and keeps it until
 * the next. */
#include "reaction.h"

#include <math.h>
#include <string.h>

#include "../account/energy.h"
#include "../base/base.h"
#include "../device/device.h"
#include "../math/vec3.h"
#include "sense_contact.h"
#include "sensors.h"

/* ---- the motion ---- */

static void middle_quat(const double a[4], const double b[4], double out[4])
{
    double along = 0.0;
    for (int k = 0; k < 4; k++) along += a[k] * b[k];
    for (int k = 0; k < 4; k++) out[k] = a[k] + (along < 0.0 ? -b[k] : b[k]);
    quat_normalize(out);
}

static void middle_qpos(const TnModel *model, const double *a, const double *b, double *out)
{
    for (int k = 0; k < model->qpos_count; k++) out[k] = 0.5 * (a[k] + b[k]);
    for (int j = 0; j < model->joint_count; j++) {
        const TnJoint *joint = &model->joints[j];
        int q = joint->qpos_start + (joint->type == TN_JOINT_FREE ? 3 : 0);
        if (joint->type == TN_JOINT_FREE || joint->type == TN_JOINT_BALL)
            middle_quat(a + q, b + q, out + q);
    }
}

/* Of a link and those that carry it, which come before it. */
static void find_motion(const TnWorld *world, TnReactions *r, int l)
{
    const TnModel *model = world->model;
    if (r->has[l]) return;
    if (l > 0) find_motion(world, r, model->links[l].parent);
    r->has[l] = true;
    if (l > 0 && l <= model->mocap_count) {
        const TnLinkFrame *end = &world->frames[l];
        memcpy(r->start_twists[l], world->twists[l], sizeof r->start_twists[l]);
        tn_mocap_carry(end, world->twists[l], -world->t, &r->start[l]);
        tn_mocap_carry(end, world->twists[l], -0.5 * world->t, &r->middle[l]);
        return;
    }
    tn_kinematics(model, world->start_qpos, l, 1, r->start);
    tn_kinematics_twists(model, world->start_qpos, world->start_qvel, r->start, l, 1,
                         r->start_twists);
    tn_kinematics(model, r->qpos, l, 1, r->middle);
}

/* Of a body at one end of the step. */
typedef struct Momentum {
    double linear[3], spin[3];
} Momentum;

static Momentum momentum_of(const TnLink *link, const TnBodyMass *body, const TnLinkFrame *frame,
                            const double twist[6])
{
    Momentum out;
    double arm[3], w[3];
    v3_sub(arm, body->com, link->com);
    m3_mul_v(arm, frame->rot, arm);
    v3_cross(out.linear, twist + 3, arm);
    v3_add(out.linear, out.linear, twist);
    v3_scale(out.linear, out.linear, body->mass);
    m3_tmul_v(w, frame->rot, twist + 3);
    m3_mul_v(w, body->inertia, w);
    m3_mul_v(out.spin, frame->rot, w);
    return out;
}

/* What it takes to move the body against gravity as it did. */
static void add_motion(const TnWorld *world, TnReactions *r, int body)
{
    const TnModel *model = world->model;
    const TnBodyMass *mass = &model->body_masses[body];
    int l = model->bodies[body].link;
    const TnLink *link = &model->links[l];
    double t = world->t, *wrench = r->wrench[body], arm[3], turn[3];
    Momentum a = momentum_of(link, mass, &r->start[l], r->start_twists[l]);
    Momentum b = momentum_of(link, mass, &world->frames[l], world->twists[l]);
    for (int k = 0; k < 3; k++) {
        wrench[k] = (b.linear[k] - a.linear[k]) / t - mass->mass * model->option.gravity[k];
        wrench[3 + k] = (b.spin[k] - a.spin[k]) / t;
    }
    v3_sub(arm, mass->com, link->com);
    m3_mul_v(arm, r->middle[l].rot, arm);
    v3_cross(turn, arm, wrench);
    v3_add(wrench + 3, wrench + 3, turn);
}

static bool is_free(const TnModel *model, int body)
{
    const TnLink *link = &model->links[model->bodies[body].link];
    return link->body == body && link->joint_count > 0 &&
           model->joints[link->joint_start].type == TN_JOINT_FREE;
}

/* Of sleepers the last forces are not there any more. */
static void mark_unknown(const TnWorld *world, TnReactions *r)
{
    const TnModel *model = world->model;
    for (int b = 1; b < model->body_count; b++)
        if (tn_link_asleep(&world->state, model, model->bodies[b].link)) r->wrench[b][0] = NAN;
}

/* ---- the backward pass ---- */

static void hand_on(const TnModel *model, TnReactions *r, int body)
{
    int parent = model->bodies[body].parent;
    const double *from = r->wrench[body];
    double *to = r->wrench[parent], arm[3], turn[3];
    v3_sub(arm, r->middle[model->bodies[body].link].com, r->middle[model->bodies[parent].link].com);
    v3_cross(turn, arm, from);
    for (int k = 0; k < 3; k++) {
        to[k] += from[k];
        to[3 + k] += from[3 + k] + turn[k];
    }
}

static bool find_all(TnWorld *world, TnReactions *r)
{
    const TnModel *model = world->model;
    for (int l = 0; l < model->link_count; l++) find_motion(world, r, l);
    for (int b = 1; b < model->body_count; b++) {
        const TnLink *link = &model->links[model->bodies[b].link];
        if (link->subsystem < 0 ||
            tn_part_of_link(model, (int)(link - model->links))->kind == TN_SUBSYSTEM_TREE)
            add_motion(world, r, b);
    }
    if (!tn_reactions_add_forces(world, r)) return false;
    mark_unknown(world, r);
    for (int b = model->body_count - 1; b > 0; b--) {
        if (is_free(model, b))
            memset(r->wrench[b], 0, sizeof r->wrench[b]);
        else
            hand_on(model, r, b);
    }
    return true;
}

static bool reserve(const TnModel *model, TnReactions *r)
{
    TnArena *arena = &r->arena;
    size_t links = (size_t)model->link_count, wrench = sizeof(double[6]);
    tn_arena_reset(arena);
    r->start = TN_ARENA_NEW(arena, TnLinkFrame, links);
    r->middle = TN_ARENA_NEW(arena, TnLinkFrame, links);
    r->start_twists = tn_arena_alloc(arena, wrench * links);
    r->has = TN_ARENA_ZERO(arena, bool, links);
    r->qpos = TN_ARENA_NEW(arena, double, model->qpos_count);
    r->wrench = tn_arena_calloc(arena, wrench * (size_t)model->body_count);
    r->equality = tn_arena_calloc(arena, wrench * (size_t)model->equality_count);
    return r->start && r->middle && r->start_twists && r->has && r->qpos && r->wrench &&
           r->equality;
}

/* Where the motion of links can be found; false: there was no step, or no memory. */
static bool begin(TnWorld *world)
{
    const TnModel *model = world->model;
    if (!world->has_problem) return false;
    if (!world->reactions) {
        TnReactions *r = tn_calloc(1, sizeof *r);
        if (!r) return false;
        if (!tn_arena_init(&r->arena, "reactions", (size_t)model->link_count * 1024 + (1 << 12))) {
            tn_free(r);
            return false;
        }
        world->reactions = r;
    }
    TnReactions *r = world->reactions;
    if (r->begun) return true;
    r->begun = reserve(model, r);
    if (r->begun) middle_qpos(model, world->start_qpos, world->state.qpos, r->qpos);
    return r->begun;
}

bool tn_reactions_find(TnWorld *world)
{
    if (!begin(world)) return false;
    TnReactions *r = world->reactions;
    if (!r->known) r->known = r->begun = find_all(world, r);
    return r->known;
}

void tn_reactions_destroy(TnReactions *reactions)
{
    if (!reactions) return;
    tn_arena_free(&reactions->arena);
    tn_free(reactions);
}

/* ---- asking ---- */

static TnReaction unknown(void)
{
    TnReaction out = {.known = false, .generalized = NAN};
    for (int k = 0; k < 3; k++) out.pos[k] = out.force[k] = out.torque[k] = NAN;
    for (int k = 0; k < 4; k++) out.quat[k] = NAN;
    return out;
}

/* A wrench about `at` as it is about out->pos. */
static TnReaction told(TnReaction out, const double wrench[6], const double at[3])
{
    double arm[3], turn[3];
    v3_sub(arm, at, out.pos);
    v3_cross(turn, arm, wrench);
    v3_copy(out.force, wrench);
    v3_add(out.torque, wrench + 3, turn);
    for (int k = 0; k < 3; k++)
        if (!isfinite(out.force[k]) || !isfinite(out.torque[k])) return unknown();
    out.known = true;
    return out;
}

/* Index from 0; at a point in the body's axes. */
static TnReaction body_reaction(TnWorld *world, int body, const double point[3])
{
    const TnModel *model = world->model;
    TnReaction out = {.known = false};
    if (!tn_reactions_find(world)) return unknown();
    const TnReactions *r = world->reactions;
    static const double none[6] = {0.0};
    double origin[3];
    tn_body_pose(model, r->middle, body, origin, out.quat);
    quat_rotate(out.pos, out.quat, point);
    v3_add(out.pos, out.pos, origin);
    return told(out, body ? r->wrench[body] : none, r->middle[model->bodies[body].link].com);
}

TnReaction tn_world_body_reaction(TnWorld *world, TnBodyId body)
{
    if (!tn_world_has_body(world, body)) return (TnReaction){0};
    return body_reaction(world, body - 1, (const double[3]){0.0, 0.0, 0.0});
}

TnReaction tn_world_joint_reaction(TnWorld *world, TnJointId joint)
{
    if (!world || joint < 1 || joint > world->model->joint_count) return (TnReaction){0};
    TnJointInfo info = tn_model_joint_info(world->model, joint);
    return body_reaction(world, info.body - 1, info.pos);
}

TnReaction tn_world_equality_reaction(TnWorld *world, TnEqualityId id)
{
    if (!world || id < 1 || id > world->model->equality_count) return (TnReaction){0};
    const TnModel *model = world->model;
    const TnEquality *equality = &model->equalities[id - 1];
    TnReaction out = {.known = false};
    if (!tn_reactions_find(world)) return unknown();
    const TnReactions *r = world->reactions;
    const double *wrench = r->equality[id - 1];
    if (equality->type >= TN_EQUALITY_JOINT) {
        out.generalized = wrench[0];
        out.known = isfinite(wrench[0]);
        out.quat[0] = 1.0;
        return out.known ? out : unknown();
    }
    double origin[3];
    tn_reaction_anchor(model, r, equality, out.pos);
    tn_body_pose(model, r->middle, equality->body2, origin, out.quat);
    return told(out, wrench, out.pos);
}

/* ---- sensors ---- */

/* Of a force or torque sensor: between the site's body and its parent, at the site, in its axes. */
static void sense_force(TnWorld *world, const TnSensor *sensor, double data[3])
{
    const TnSite *site = &world->model->sites[sensor->object];
    TnReaction reaction = body_reaction(world, site->body, site->pos);
    double quat[4];
    quat_mul(quat, reaction.quat, site->quat);
    quat_conjugate(quat, quat);
    quat_rotate(data, quat, sensor->type == TN_SENSOR_FORCE ? reaction.force : reaction.torque);
}

/* Mean over the step; axes are those half way. */
static void sense_acceleration(TnWorld *world, const TnSensor *sensor, double data[3])
{
    const TnModel *model = world->model;
    const TnSite *site = &model->sites[sensor->object];
    if (!begin(world)) return; /* NaN already */
    TnReactions *r = world->reactions;
    find_motion(world, r, model->bodies[site->body].link);
    double before[6], after[6], pos[3], quat[4];
    int first = sensor->type == TN_SENSOR_SITE_ANGULAR_ACC ? 3 : 0;
    tn_site_twist(model, site, r->start, (const double(*)[6])r->start_twists, before);
    tn_site_twist(model, site, world->frames, (const double(*)[6])world->twists, after);
    for (int k = 0; k < 3; k++) {
        data[k] = (after[first + k] - before[first + k]) / world->t;
        if (!first) data[k] -= model->option.gravity[k];
    }
    if (sensor->type != TN_SENSOR_ACCELEROMETER) return;
    tn_site_pose(model, site, r->middle, pos, quat);
    quat_conjugate(quat, quat);
    quat_rotate(data, quat, data);
}

/* Evaluates the model at the present state. */
static TnStatus ask_now(TnWorld *world, TnEval *eval, TnError *err)
{
    const TnModel *model = world->model;
    eval->act = world->state.act;
    eval->mocap = world->state.mocap;
    /* where some links move by other means than qpos, their motion at rest is what counts */
    const TnInstant now = tn_world_now(world), *known = &now;
    if (model->mocap_count || model->rod_count || model->soft_count) known = NULL;
    tn_arena_reset(&world->asked);
    if (tn_model_eval_in(model, world->state.qpos, world->state.qvel, world->state.ctrl, known,
                         &world->asked, eval))
        return TN_OK;
    tn_error_add(err, TN_ERROR_MEMORY, "world: no memory for sensors and forces of actuators");
    return TN_ERROR_MEMORY;
}

TnStatus tn_world_actuator_forces(TnWorld *world, double *forces, TnError *err)
{
    if (!world || !forces)
        return tn_world_refuse(err, "actuator forces: world and room for them must be given");
    tn_world_fetch(world);
    return ask_now(world, &(TnEval){.actuator_force = forces}, err);
}

TnStatus tn_world_sensors(TnWorld *world, double *data, TnError *err)
{
    if (!world || !data) return tn_world_refuse(err, "sensors: world and data must be given");
    tn_world_fetch(world);
    const TnModel *model = world->model;
    if (model->sensor_count == 0) return TN_OK;
    TnStatus status = ask_now(world, &(TnEval){.sensors = data}, err);
    if (status != TN_OK) return status;
    const TnSensing at = {.model = model,
                          .qpos = world->state.qpos,
                          .qvel = world->state.qvel,
                          .frames = world->frames,
                          .twists = (const double(*)[6])world->twists};
    for (int s = 0; s < model->sensor_count; s++) {
        const TnSensor *sensor = &model->sensors[s];
        double *own = data + sensor->data_start;
        if (sensor->type == TN_SENSOR_FORCE || sensor->type == TN_SENSOR_TORQUE)
            sense_force(world, sensor, own);
        else if (tn_sensor_is_acceleration(sensor->type))
            sense_acceleration(world, sensor, own);
        else if (sensor->type == TN_SENSOR_CLOCK)
            own[0] = world->state.time;
        else if (sensor->type == TN_SENSOR_POTENTIAL_ENERGY && model->soft_count)
            own[0] += tn_world_energy(world).potential -
                      tn_model_energy(model, at.qpos, at.qvel, at.frames).potential;
        else if (world->has_problem)
            tn_sense_contact(world, &at, sensor, own);
        tn_sensor_cut(sensor, own);
    }
    return TN_OK;
}
