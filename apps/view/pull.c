/* pull.c: spring and damper between the mouse and a body.
 *
 *   force  = k (target - point) - d velocity of the point,   k = m s,  d = 2 m √s
 *   torque = (point - centre of mass) × force
 *
 * with s the stiffness in 1/s². m is the mass of the body's whole subsystem, so that an arm follows
 * when its hand is pulled. The force is computed at the start of a step of h and holds for it; for
 * a point that shows the mass p it is stable where k h² / 2p < d h / p < 2. The rigid part alone
 * shows at least 1 / (1/m_part + r²/I_least), and joints and contacts only add to that. So k is
 * limited to half of that mass over h², d to that mass over h, and the spring is stable at any mass
 * and step; the price is that a very light part of a heavy arm is pulled softly. The spin about the
 * point, which the spring does not feel, is damped on its own.
 *
 * A turn does the same with angles, the inertia I and the rotation vector to the wanted pose. */
#include "pull.h"

#include <math.h>

static void rotate(double out[3], const double q[4], const double a[3])
{
    double t[3] = {2 * (q[2] * a[2] - q[3] * a[1]), 2 * (q[3] * a[0] - q[1] * a[2]),
                   2 * (q[1] * a[1] - q[2] * a[0])};
    out[0] = a[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
    out[1] = a[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
    out[2] = a[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
}

static void cross(double out[3], const double a[3], const double b[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

PullStrength pull_strength(const TnModel *model, TnBodyId body)
{
    TnModelInfo info = tn_model_info(model);
    TnBodyInfo about = tn_model_body_info(model, body);
    const double *i = about.inertia;
    PullStrength s = {.body_mass = about.mass,
                      .least_inertia = fmin(i[0], fmin(i[1], i[2])),
                      .timestep = info.option.timestep};
    for (int k = 0; k < 3; k++) s.com[k] = about.com[k];
    int subsystem = tn_model_body_subsystem(model, body);
    for (TnBodyId id = 1; id <= info.body_count && subsystem; id++) {
        if (tn_model_body_subsystem(model, id) != subsystem) continue;
        /* bodies fixed to each other all report the part that they form: it counts once */
        TnBodyInfo part = tn_model_body_info(model, id);
        if (part.carrier == id) s.mass += part.mass;
    }
    double largest = fmax(i[0], fmax(i[1], i[2]));
    s.inertia = about.mass > 0 ? largest * s.mass / about.mass : 0;
    return s;
}

void pull_limits(double mass, double stiffness, double least, double h, double *spring,
                 double *damper)
{
    *spring = fmin(mass * stiffness, 0.5 * least / (h * h));
    *damper = fmin(2 * mass * sqrt(stiffness), least / h);
}

/* The rotation vector from one orientation to another, the shorter way round. */
static void rotation_between(double out[3], const double from[4], const double to[4])
{
    double w = to[0] * from[0] + to[1] * from[1] + to[2] * from[2] + to[3] * from[3];
    double v[3]; /* vector part of to · conjugate(from) */
    cross(v, to + 1, from + 1);
    double square = 0;
    for (int k = 0; k < 3; k++) {
        v[k] = from[0] * to[k + 1] - to[0] * from[k + 1] - v[k];
        if (w < 0) v[k] = -v[k];
        square += v[k] * v[k];
    }
    double sine = sqrt(square), angle = 2 * atan2(sine, fabs(w));
    for (int k = 0; k < 3; k++) out[k] = sine > 1e-12 ? v[k] / sine * angle : 2 * v[k];
}

void pull_wrench(const Pull *pull, const PullStrength *strength, const TnWorld *world,
                 double force[3], double torque[3], double at[3])
{
    double pos[3], quat[4], velocity[3], angular[3], com[3], anchor[3], arm[3], turning[3];
    tn_world_body_pose(world, pull->body, pos, quat);
    tn_world_body_velocity(world, pull->body, velocity, angular);
    rotate(com, quat, strength->com);
    rotate(anchor, quat, pull->anchor);
    for (int k = 0; k < 3; k++) {
        at[k] = pos[k] + anchor[k];
        arm[k] = anchor[k] - com[k];
        force[k] = torque[k] = 0;
    }
    double spring, damper;
    if (strength->body_mass <= 0) return; /* fixed */
    if (pull->kind == PULL_MOVE) {
        double square = arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2];
        double least = 1 / (1 / strength->body_mass + square / strength->least_inertia);
        pull_limits(strength->mass, pull->stiffness, least, strength->timestep, &spring, &damper);
        cross(turning, angular, arm);
        for (int k = 0; k < 3; k++)
            force[k] = spring * (pull->target[k] - at[k]) - damper * (velocity[k] + turning[k]);
        cross(torque, arm, force);
        double spin =
            strength->least_inertia * fmin(sqrt(pull->stiffness), 0.25 / strength->timestep);
        for (int k = 0; k < 3; k++) torque[k] -= spin * angular[k];
    } else if (pull->kind == PULL_TURN) {
        double turn[3];
        rotation_between(turn, quat, pull->rotation);
        pull_limits(strength->inertia, pull->stiffness, strength->least_inertia, strength->timestep,
                    &spring, &damper);
        for (int k = 0; k < 3; k++) torque[k] = spring * turn[k] - damper * angular[k];
    }
}
