/* law.c: at which time of the step a joint's springs count. A row's force over a step is
 * k (g + J (p v̂ - r v)) with g at the start of the step; p and r hold these things:
 *   - the mean strain, p = θt: second order and without damping, kept where the step resolves the
 * row (z below 4, z = k t² times the compliance of the row in a chain). Above, the spring is taken
 *     later, up to the end of the step, and v⁺ comes in (s) once the two roots of an oscillator
 *     would part; this damps what the step cannot resolve;
 *   - damping, τ k on the rate at (1-θ_d) v + θ_d v⁺ as joints of trees have it. What it damps, the
 *     spring's lead need not.
 * docs/time-stepping.md has the figures. */
#include <math.h>
#include <string.h>

#include "../../math/vec3.h"
#include "../../model/thresholds.h"
#include "rod.h"

#define PER_RANGE (1.0 / (TN_UNRESOLVED - TN_RESOLVED))

static double lateness(double z) { return fmin(fmax((z - TN_RESOLVED) * PER_RANGE, 0.0), 1.0); }

/* `w` as in tn_rod_assemble. A rod that moves with its end velocity needs its springs there, too:
 * at q + β t v⁺ such a step is stable for β >= ½ whatever z is, and for z < 4 / (1 - 2β) below
 * that. */
static void weigh_row(const TnDynamicsInput *in, double w, double tau, double k, double compliance,
                      double *p, double *r)
{
    double t = in->t, theta = in->theta, z = k * t * t * compliance, x = k * tau * t * compliance;
    double late = lateness(z), beta = theta + (1.0 - theta) * late, s = 0.0;
    if (z > TN_UNRESOLVED) {
        double e = 2.0 * beta - 1.0;
        s = e * e / (4.0 * (3.0 - 3.0 * beta + 2.0 * beta * beta)) * (1.0 - TN_UNRESOLVED / z);
    }
    double lead = fmax(0.0, (beta - theta) * t - tau), lag = theta * t + lead;
    double theta_d = x > 1.0 ? fmax(theta, 1.0 - 1.0 / x) : theta, share = theta_d / theta;
    double end = z < TN_RESOLVED ? 0.5 * z / TN_RESOLVED : 0.5 + 0.5 * late;
    double of_end = (1.0 - w) * s + w * end; /* share of t v⁺ */
    *p = (1.0 - w) * (1.0 - s) * lag + of_end * t / theta + tau * share;
    *r = of_end * t * (1.0 - theta) / theta + tau * (share - 1.0);
}

/* Tension at the place where the segments get to instead of where they were expected. Twice that
 * where the step does not resolve it, for the tension itself may double meanwhile: that is a mass
 * more on v⁺ - v across the rod, and no damping. */
double tn_rod_taut(const TnRodLaw *law, double stiffness)
{
    double late = fmin(fmax(law->unresolved * stiffness - TN_ROD_LATE_FROM, 0.0), 1.0);
    return (1.0 + late) * law->lead * stiffness;
}

/* Compliances: two free segments moved against each other by the row, doubled since in the chain's
 * fastest motion all joints move together. */
void tn_rod_weigh_joint(const TnDynamicsInput *in, const TnRod *rod, const TnLink *a, double w,
                        const TnRodJoint *joint, double steep, TnRodLaw *law)
{
    const TnLink *b = a + 1;
    double linear = 2.0 * (1.0 / a->mass + 1.0 / b->mass), angular[3];
    double length = joint->rest[2], lever = 0.25 * length * length;
    /* z is the rod's direction and a principal axis */
    for (int k = 0; k < 3; k++)
        angular[k] = 2.0 * (1.0 / a->inertia[4 * k] + 1.0 / b->inertia[4 * k]);
    double turn = steep * steep;
    double compliance[6] = {
        linear + lever * angular[1], linear + lever * angular[0], linear,
        turn * angular[0],           turn * angular[1],           turn * angular[2]};
    double t = in->t, theta = in->theta;
    *law = (TnRodLaw){.length = v3_norm(joint->rest),
                      .lead = (1.0 - w) * theta * t + w * 0.5 * t / theta,
                      .unresolved = linear * t * t * PER_RANGE};
    for (int i = 0; i < 7; i++) {
        int row = i < 6 ? i : 2;
        double p, r;
        weigh_row(in, w, rod->damping_time, joint->k[row], compliance[row], &p, &r);
        law->k[i] = joint->k[row];
        law->root[i] = sqrt(joint->k[row] * p);
        law->kr[i] = joint->k[row] * r;
    }
}

static bool alike(const TnLink *a, const TnLink *b)
{
    return a->mass == b->mass && memcmp(a->inertia, b->inertia, sizeof a->inertia) == 0;
}

/* Neighbours of a uniform rod share their law, but for the length at rest, which rounding may tell
 * apart. */
void tn_rod_weigh(const TnDynamicsInput *in, const TnRod *rod, const TnLink *links, double w,
                  TnRodLaw *laws)
{
    bool before = false; /* are segments j - 1 and j alike? */
    for (int j = 0; j + 1 < rod->segment_count; j++) {
        const TnRodJoint *joint = &rod->joints[j];
        bool now = alike(&links[j], &links[j + 1]);
        if (before && now && memcmp(joint->k, joint[-1].k, sizeof joint->k) == 0) {
            laws[j] = laws[j - 1];
            laws[j].length = v3_norm(joint->rest);
        } else {
            tn_rod_weigh_joint(in, rod, &links[j], w, joint, 1.0, &laws[j]);
        }
        before = now;
    }
}
