/* sensors.c: what sensors read at a state.
 *
 * A site seen from another one that moves (MuJoCo's reftype): with R, p, v, ω of the reference,
 *
 *     position  Rᵀ (x - p)                    velocity          Rᵀ (v_x - v - ω × (x - p))
 *     axes      Rᵀ a,  quaternion  q_p⁻¹ q    angular velocity  Rᵀ (ω_x - ω)
 *
 * A subtree is a body and all below it; its angular momentum is about its own centre of mass c:
 * Σ I ω + m (x - c) × (v - v_c). */
#include "sensors.h"

#include <math.h>

#include "../account/energy.h"
#include "../math/vec3.h"
#include "../model/path.h"

void tn_site_pose(const TnModel *model, const TnSite *site, const TnLinkFrame *frames,
                  double pos[3], double quat[4])
{
    double origin[3], turn[4];
    tn_body_pose(model, frames, site->body, origin, turn);
    quat_rotate(pos, turn, site->pos);
    v3_add(pos, pos, origin);
    quat_mul(quat, turn, site->quat);
}

void tn_site_twist(const TnModel *model, const TnSite *site, const TnLinkFrame *frames,
                   const double (*twists)[6], double twist[6])
{
    double pos[3], quat[4], arm[3];
    int link = model->bodies[site->body].link;
    tn_site_pose(model, site, frames, pos, quat);
    v3_sub(arm, pos, frames[link].com);
    v3_copy(twist + 3, twists[link] + 3);
    v3_cross(twist, twist + 3, arm);
    v3_add(twist, twist, twists[link]);
}

static void rotate_back(double out[3], const double quat[4], const double v[3])
{
    double back[4];
    quat_conjugate(back, quat);
    quat_rotate(out, back, v);
}

/* ---- sites ---- */

typedef struct SiteState {
    double pos[3], quat[4], twist[6];
} SiteState;

static SiteState site_state(const TnSensing *at, int index)
{
    const TnSite *site = &at->model->sites[index];
    SiteState s;
    tn_site_pose(at->model, site, at->frames, s.pos, s.quat);
    tn_site_twist(at->model, site, at->frames, at->twists, s.twist);
    return s;
}

/* Orientations stay in the world: axes are turned when they are read. */
static void see_from(SiteState *s, const SiteState *ref)
{
    double arm[3], turn[3];
    v3_sub(arm, s->pos, ref->pos);
    v3_cross(turn, ref->twist + 3, arm);
    for (int k = 0; k < 6; k++) s->twist[k] -= ref->twist[k];
    v3_sub(s->twist, s->twist, turn);
    rotate_back(s->pos, ref->quat, arm);
    rotate_back(s->twist, ref->quat, s->twist);
    rotate_back(s->twist + 3, ref->quat, s->twist + 3);
    double back[4];
    quat_conjugate(back, ref->quat);
    quat_mul(s->quat, back, s->quat);
}

static void sense_site(const TnSensing *at, const TnSensor *sensor, double *data)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    SiteState s = site_state(at, sensor->object);
    if (sensor->ref >= 0) {
        SiteState ref = site_state(at, sensor->ref);
        see_from(&s, &ref);
    }
    switch (sensor->type) {
    case TN_SENSOR_SITE_POS:
        v3_copy(data, s.pos);
        break;
    case TN_SENSOR_SITE_QUAT:
        quat_copy(data, s.quat);
        break;
    case TN_SENSOR_SITE_X_AXIS:
    case TN_SENSOR_SITE_Y_AXIS:
    case TN_SENSOR_SITE_Z_AXIS:
        quat_rotate(data, s.quat, axes[sensor->type - TN_SENSOR_SITE_X_AXIS]);
        break;
    case TN_SENSOR_SITE_VEL:
        v3_copy(data, s.twist);
        break;
    case TN_SENSOR_SITE_ANGULAR_VEL:
        v3_copy(data, s.twist + 3);
        break;
    case TN_SENSOR_VELOCIMETER:
        rotate_back(data, s.quat, s.twist);
        break;
    case TN_SENSOR_GYRO:
        rotate_back(data, s.quat, s.twist + 3);
        break;
    case TN_SENSOR_MAGNETOMETER:
        rotate_back(data, s.quat, at->model->option.magnetic);
        break;
    default: /* they need a step (reaction.c) */
        v3_set(data, NAN, NAN, NAN);
    }
}

/* ---- subtrees ---- */

static bool is_below(const TnModel *model, int body, int root)
{
    while (body > root) body = model->bodies[body].parent; /* parents come first */
    return body == root;
}

/* Centre of mass and its velocity, of one body. */
static void body_motion(const TnSensing *at, int body, double com[3], double vel[3])
{
    const TnBodyMass *mass = &at->model->body_masses[body];
    int l = at->model->bodies[body].link;
    const TnLinkFrame *frame = &at->frames[l];
    double arm[3];
    v3_sub(arm, mass->com, at->model->links[l].com);
    m3_mul_v(arm, frame->rot, arm);
    v3_add(com, frame->com, arm);
    v3_cross(vel, at->twists[l] + 3, arm);
    v3_add(vel, vel, at->twists[l]);
}

static void add_spin(const TnSensing *at, int body, double sum[3])
{
    int l = at->model->bodies[body].link;
    double w[3];
    m3_tmul_v(w, at->frames[l].rot, at->twists[l] + 3);
    m3_mul_v(w, at->model->body_masses[body].inertia, w);
    m3_mul_v(w, at->frames[l].rot, w);
    v3_add(sum, sum, w);
}

static void sense_subtree(const TnSensing *at, const TnSensor *sensor, double *data)
{
    const TnModel *model = at->model;
    int root = sensor->object;
    double total = 0.0, com[3] = {0}, vel[3] = {0}, x[3], v[3], turn[3];
    for (int b = root; b < model->body_count; b++) {
        double mass = model->body_masses[b].mass;
        if (!is_below(model, b, root) || mass == 0.0) continue;
        body_motion(at, b, x, v);
        v3_add_scaled(com, x, mass);
        v3_add_scaled(vel, v, mass);
        total += mass;
    }
    if (total == 0.0) {
        body_motion(at, root, com, vel);
        v3_zero(vel);
    } else {
        v3_scale(com, com, 1.0 / total);
        v3_scale(vel, vel, 1.0 / total);
    }
    if (sensor->type == TN_SENSOR_SUBTREE_POS) v3_copy(data, com);
    if (sensor->type == TN_SENSOR_SUBTREE_VEL) v3_copy(data, vel);
    if (sensor->type != TN_SENSOR_SUBTREE_ANGULAR_MOMENTUM) return;
    v3_zero(data);
    for (int b = root; b < model->body_count; b++) {
        double mass = model->body_masses[b].mass;
        if (!is_below(model, b, root) || mass == 0.0) continue;
        body_motion(at, b, x, v);
        v3_sub(x, x, com);
        v3_sub(v, v, vel);
        v3_cross(turn, x, v);
        v3_add_scaled(data, turn, mass);
        add_spin(at, b, data);
    }
}

/* ---- all of them ---- */

static TnDriven driven(const TnSensing *at)
{
    return (TnDriven){at->qpos, at->qvel, at->inputs, at->frames, at->twists};
}

static double tendon_force(const TnSensing *at, int tendon)
{
    const TnDriven state = driven(at);
    double sum = 0.0;
    for (int a = 0; a < at->model->actuator_count; a++)
        if (at->model->actuators[a].tendon == tendon)
            sum += tn_actuator_force(at->model, a, &state);
    return sum;
}

static double tendon_length(const TnSensing *at, int tendon, double *rate)
{
    return tn_path_rate(at->model, &at->model->paths[at->model->tendons[tendon].path], at->qpos,
                        at->qvel, at->frames, at->twists, rate);
}

/* Of bodies that do not move, which MuJoCo counts as well. */
static double fixed_potential(const TnSensing *at)
{
    const TnModel *model = at->model;
    double sum = 0.0;
    for (int b = 1; b < model->body_count; b++) {
        const TnBodyMass *mass = &model->body_masses[b];
        double com[3], vel[3];
        if (tn_part_of_body(model, b) >= 0 || !(mass->mass > 0.0)) continue;
        body_motion(at, b, com, vel);
        sum -= mass->mass * v3_dot(model->option.gravity, com);
    }
    return sum;
}

static void sense(const TnSensing *at, const TnSensor *sensor, double *data)
{
    const TnModel *model = at->model;
    const double *qpos = at->qpos, *qvel = at->qvel;
    double pos[3], quat[4];
    const TnDriven state = driven(at);
    double rate;
    const TnJoint *joint;
    switch (sensor->type) {
    case TN_SENSOR_JOINT_POS:
        data[0] = qpos[model->joints[sensor->object].qpos_start];
        break;
    case TN_SENSOR_JOINT_VEL:
        data[0] = qvel[model->joints[sensor->object].dof_start];
        break;
    case TN_SENSOR_BALL_QUAT:
        joint = &model->joints[sensor->object];
        quat_copy(data, qpos + joint->qpos_start);
        quat_normalize(data);
        break;
    case TN_SENSOR_BALL_ANGULAR_VEL:
        v3_copy(data, qvel + model->joints[sensor->object].dof_start);
        break;
    case TN_SENSOR_BODY_POS:
        tn_body_pose(model, at->frames, sensor->object, pos, quat);
        v3_copy(data, pos);
        break;
    case TN_SENSOR_BODY_QUAT:
        tn_body_pose(model, at->frames, sensor->object, pos, quat);
        quat_copy(data, quat);
        break;
    case TN_SENSOR_TENDON_POS:
        data[0] = tendon_length(at, sensor->object, &rate);
        break;
    case TN_SENSOR_TENDON_VEL:
        tendon_length(at, sensor->object, &data[0]);
        break;
    case TN_SENSOR_TENDON_ACTUATOR_FORCE:
        data[0] = tendon_force(at, sensor->object);
        break;
    case TN_SENSOR_ACTUATOR_POS:
        data[0] = tn_actuator_length(model, sensor->object, &state);
        break;
    case TN_SENSOR_ACTUATOR_VEL:
        data[0] = tn_actuator_velocity(model, sensor->object, &state);
        break;
    case TN_SENSOR_ACTUATOR_FORCE:
        data[0] = tn_actuator_force(model, sensor->object, &state);
        break;
    case TN_SENSOR_JOINT_ACTUATOR_FORCE:
        joint = &model->joints[sensor->object];
        data[0] = tn_actuator_force_on(model, joint->dof_start, &state,
                                       at->lift ? at->lift[joint->dof_start] : 0.0);
        break;
    case TN_SENSOR_SUBTREE_POS:
    case TN_SENSOR_SUBTREE_VEL:
    case TN_SENSOR_SUBTREE_ANGULAR_MOMENTUM:
        sense_subtree(at, sensor, data);
        break;
    case TN_SENSOR_CLOCK:
        data[0] = 0.0;
        break;
    case TN_SENSOR_POTENTIAL_ENERGY:
        data[0] = tn_model_energy(model, qpos, qvel, at->frames).potential + fixed_potential(at);
        break;
    case TN_SENSOR_KINETIC_ENERGY:
        data[0] = tn_model_energy(model, qpos, qvel, at->frames).kinetic;
        break;
    case TN_SENSOR_JOINT_LIMIT_FORCE: /* they need a step (sense_contact.c) */
    case TN_SENSOR_TENDON_LIMIT_FORCE:
    case TN_SENSOR_TOUCH:
    case TN_SENSOR_CONTACT:
        for (int k = 0; k < sensor->data_count; k++) data[k] = NAN;
        break;
    case TN_SENSOR_USER:
        for (int k = 0; k < sensor->data_count; k++) data[k] = 0.0;
        break;
    default:
        if (!tn_sense_geometry(at, sensor, data)) sense_site(at, sensor, data);
    }
}

/* Distances have it in their own way, contacts have none. */
static bool is_cut(TnSensorType type)
{
    return type != TN_SENSOR_DISTANCE && type != TN_SENSOR_DISTANCE_NORMAL &&
           type != TN_SENSOR_DISTANCE_POINTS && type != TN_SENSOR_CONTACT;
}

void tn_sensor_cut(const TnSensor *sensor, double *data)
{
    double most = is_cut(sensor->type) ? sensor->cutoff : 0.0;
    for (int k = 0; most > 0.0 && k < sensor->data_count; k++)
        data[k] = data[k] < -most ? -most : data[k] > most ? most : data[k];
}

void tn_sensors_eval(const TnSensing *at, double *data)
{
    for (int s = 0; s < at->model->sensor_count; s++) {
        const TnSensor *sensor = &at->model->sensors[s];
        sense(at, sensor, data + sensor->data_start);
        tn_sensor_cut(sensor, data + sensor->data_start);
    }
}
