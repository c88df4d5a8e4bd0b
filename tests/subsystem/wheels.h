/* wheels.h: bodies on wheels for the tests, and how much they slip. */
#ifndef TN_TESTS_STEP_WHEELS_H
#define TN_TESTS_STEP_WHEELS_H

#include "../constraint/parts.h"

/* Enough iterations for a few rows on one body to converge to rounding. */
#define CONVERGED 300

/* Velocity of the body's point under a wheel: out[0] along the axle's projection, out[1] across it,
 * out[2] along the normal; and the height of that point. */
static inline double wheel_slip(const TnModel *model, TnWheelId id, const double pos[3],
                                const double quat[4], const double com[3], const double v_com[3],
                                const double omega[3], double out[3])
{
    TnWheelInfo wheel = tn_model_wheel_info(model, id);
    double axle[3], centre[3], up[3], point[3], arm[3], v[3], lateral[3], forward[3];
    quat_rotate(axle, quat, wheel.axle);
    quat_rotate(centre, quat, wheel.pos);
    v3_add(centre, centre, pos);
    double lean = v3_dot(axle, wheel.normal);
    v3_copy(up, wheel.normal);
    v3_add_scaled(up, axle, -lean);
    v3_normalize(up);
    v3_copy(point, centre);
    v3_add_scaled(point, up, -wheel.radius);
    v3_copy(lateral, axle);
    v3_add_scaled(lateral, wheel.normal, -lean);
    v3_normalize(lateral);
    v3_cross(forward, lateral, wheel.normal);
    v3_sub(arm, point, com);
    v3_cross(v, omega, arm);
    v3_add(v, v, v_com);
    out[0] = v3_dot(lateral, v);
    out[1] = v3_dot(forward, v);
    out[2] = v3_dot(wheel.normal, v);
    return v3_dot(wheel.normal, point);
}

/* In the world's state as it is. */
static inline double slip_now(const TnWorld *world, TnWheelId id, double out[3])
{
    const TnModel *model = tn_world_model(world);
    TnBodyId body = tn_model_wheel_info(model, id).body;
    TnBodyInfo info = tn_model_body_info(model, body);
    double pos[3], quat[4], com[3], v[3], omega[3];
    tn_world_body_pose(world, body, pos, quat);
    tn_world_body_velocity(world, body, v, omega);
    quat_rotate(com, quat, info.com);
    v3_add(com, com, pos);
    return wheel_slip(model, id, pos, quat, com, v, omega, out);
}

typedef struct BodyPose {
    double pos[3], quat[4], com[3];
} BodyPose;

static inline BodyPose body_pose(const TnWorld *world, TnBodyId body)
{
    BodyPose p;
    tn_world_body_pose(world, body, p.pos, p.quat);
    quat_rotate(p.com, p.quat, tn_model_body_info(tn_world_model(world), body).com);
    v3_add(p.com, p.com, p.pos);
    return p;
}

/* In the middle of a step, from the poses before and after: the centre of mass moved by t v, the
 * body turned by cay(t ω), so v and ω are those that the step moved it with. */
static inline void slip_between(const TnModel *model, TnWheelId id, const BodyPose *a,
                                const BodyPose *b, double t, double out[3])
{
    double v[3], omega[3], turn[4], half[4], back[4], quat[4], com[3], pos[3], arm[3];
    v3_sub(v, b->com, a->com);
    v3_scale(v, v, 1.0 / t);
    quat_conjugate(back, a->quat);
    quat_mul(turn, b->quat, back); /* (1, tω/2) / length */
    for (int k = 0; k < 3; k++) omega[k] = 2.0 / t * turn[1 + k] / turn[0];
    quat_copy(half, turn);
    half[0] += half[0] < 0.0 ? -1.0 : 1.0; /* half way: (q + 1) / length */
    quat_normalize(half);
    quat_mul(quat, half, a->quat);
    for (int k = 0; k < 3; k++) com[k] = 0.5 * (a->com[k] + b->com[k]);
    TnBodyId body = tn_model_wheel_info(model, id).body;
    quat_rotate(arm, quat, tn_model_body_info(model, body).com);
    v3_sub(pos, com, arm);
    wheel_slip(model, id, pos, quat, com, v, omega, out);
}

/* Largest of lateral and forward slip; forward counts for rolling wheels. */
static inline double slip_size(const TnModel *model, TnWheelId id, const double slip[3])
{
    bool rolling = tn_model_wheel_info(model, id).kind == TN_WHEEL_ROLLING;
    return rolling ? hypot(slip[0], slip[1]) : fabs(slip[0]);
}

/* A thin uniform disc of 1 kg, radius R, axle along its y. Body frame turned about the world's x by
 * `turn`: 0 is upright. Height kept. */
static inline TnBodyId disc_body(Scene *scene, double R, double turn)
{
    TnBodyDef body = tn_body_def();
    body.pos[2] = R * fabs(cos(turn));
    body.quat[0] = cos(0.5 * turn);
    body.quat[1] = sin(0.5 * turn);
    body.has_inertia = true;
    body.mass = 1.0;
    body.inertia[0] = body.inertia[2] = 0.25 * R * R;
    body.inertia[1] = 0.5 * R * R;
    TnBodyId id = tn_builder_add_body(scene->builder, &body);
    TnJointDef joint = tn_joint_def();
    joint.body = id;
    joint.type = TN_JOINT_FREE;
    tn_builder_add_joint(scene->builder, &joint);
    return id;
}

static inline TnWheelId wheel_on(Scene *scene, TnBodyId body, TnWheelKind kind, double radius,
                                 bool keep)
{
    TnWheelDef wheel = tn_wheel_def();
    wheel.body = body;
    wheel.kind = kind;
    wheel.radius = radius;
    wheel.keep_height = keep;
    return tn_builder_add_wheel(scene->builder, &wheel);
}

#endif
