/* What rolls on one point and turns in space: a coin on a circle, Euler's disk, a tippe top.
 *
 * A disk of radius R and half thickness h leans by θ (its axis e against the vertical z) and rolls
 * on its lower rim. In steady motion its frame turns about z with Ω and the disk turns in it with
 * s: ω = Ω z + s e. With c from its middle to the point of contact, v = -ω × c, and
 *     Ω z × L = c × m (Ω z × v + g z),   L = A ω_e e + B ω_u u,
 * u across e, upwards. This is linear in s; Euler's disk has v = 0, which gives Ω, too. */
#include "lasting.h"

#include <math.h>

static const double G = 9.81, R = 0.1, h = 0.002;

typedef struct Rolling {
    double lean, turn, spin; /* θ, Ω, s */
    double v;                /* along y, where the axis leans along x */
} Rolling;

/* Per mass. */
static const double around = 0.5 * 0.1 * 0.1, across = 0.1 * 0.1 / 4 + 0.004 * 0.004 / 12;

static void contact_arm(double lean, double *x, double *z)
{
    *x = R * cos(lean) - h * sin(lean);
    *z = -R * sin(lean) - h * cos(lean);
}

/* Residual of the balance of moments; sets v. */
static double balance(Rolling *r)
{
    double x, z, s = sin(r->lean), c = cos(r->lean), spin = r->spin, turn = r->turn;
    contact_arm(r->lean, &x, &z);
    r->v = spin * s * z - (turn + spin * c) * x;
    return turn * s * (around * (spin + turn * c) - across * turn * c) + z * turn * r->v + x * G;
}

static Rolling steady(double lean, double turn)
{
    Rolling r = {.lean = lean, .turn = turn};
    double zero = balance(&r);
    r.spin = 1;
    r.spin = -zero / (balance(&r) - zero);
    balance(&r);
    return r;
}

static Rolling in_place(double lean)
{
    double x, z, s = sin(lean), c = cos(lean);
    contact_arm(lean, &x, &z);
    double share = x / (s * z - c * x); /* s/Ω */
    double turn = sqrt(-x * G / (s * (around * (share + c) - across * c)));
    return (Rolling){lean, turn, share * turn, 0};
}

static Sim disk_open(Finding *f, double timestep, const Rolling *r)
{
    double x, z;
    contact_arm(r->lean, &x, &z);
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody><geom type='plane' size='0 0 1' friction='2 0 0'/>"
                    "<body name='disk' pos='%.17g 0 %.17g' euler='0 %.17g 0'><freejoint/>"
                    "<inertial pos='0 0 0' mass='1' diaginertia='%.17g %.17g %.17g'/>"
                    "<geom type='cylinder' size='%g %g' friction='2 0 0'/></body></worldbody>"
                    "<keyframe><key name='start' qvel='0 %.17g 0 %.17g 0 %.17g'/></keyframe>",
                    r->v / r->turn, -z, r->lean, across, across, around, R, h, r->v,
                    -r->turn * sin(r->lean), r->spin + r->turn * cos(r->lean));
}

double lasting_coin(Finding *f, double timestep, double until, double *phase, double *apart)
{
    const Rolling r = steady(1.2, 2);
    const double radius = r.v / r.turn, period = 2 * VERIFY_PI / r.turn;
    double pos[3], v[3], w[3], low = INFINITY, high = -INFINITY, heading = 0, last = 0;
    Sim sim = disk_open(f, timestep, &r);
    int path = finding_curve(f, "tenon");
    *apart = 0;
    while (sim.world && sim_time(&sim) < until - 0.5 * timestep && sim_step(&sim)) {
        double t = sim_time(&sim);
        sim_body_pos(&sim, "disk", pos);
        sim_body_velocity(&sim, "disk", v, w);
        double now = atan2(-v[0] * r.v, v[1] * r.v); /* 0 at the start */
        heading += remainder(now - last, 2 * VERIFY_PI);
        last = now;
        *apart = fmax(*apart,
                      hypot(pos[0] - radius * cos(r.turn * t), pos[1] - radius * sin(r.turn * t)) /
                          fabs(radius));
        if (t > until - period) {
            low = fmin(low, pos[0]);
            high = fmax(high, pos[0]);
        }
        finding_point(f, path, pos[0], pos[1]);
    }
    *phase = r.turn * until - heading;
    sim_close(&sim);
    return 0.5 * (high - low) / fabs(radius);
}

double lasting_disk(Finding *f, double timestep, double until)
{
    const Rolling r = in_place(0.4);
    const double flat = G * h;
    double start, now;
    Sim sim = disk_open(f, timestep, &r);
    if (!sim.world) return NAN;
    start = now = sim_energy(&sim) - flat;
    int curve = finding_curve(f, "tenon");
    while (sim_time(&sim) < until - 0.5 * timestep && sim_step(&sim)) {
        now = sim_energy(&sim) - flat;
        finding_point(f, curve, sim_time(&sim), now / start);
    }
    sim_close(&sim);
    return now / start;
}

/* A ball of 2 cm whose centre of mass lies 4 mm below its middle, spinning at 150 rad/s. */
double lasting_tippe(Finding *f, double timestep, double until, double *most)
{
    double angle = 0, pos[3], q[4];
    *most = 0;
    Sim sim = sim_open(f, timestep, "0 0 -9.81",
                       "<worldbody><geom type='plane' size='0 0 1' friction='.3 0 0'/>"
                       "<body name='top' pos='0 0 .02' euler='.1 0 0'><freejoint/><inertial "
                       "pos='0 0 -.004' mass='.02' diaginertia='3.2e-6 3.2e-6 3.2e-6'/>"
                       "<geom size='.02' friction='.3 0 0'/></body></worldbody>"
                       "<keyframe><key name='start' qvel='0 0 0 0 0 150'/></keyframe>");
    int curve = finding_curve(f, "tenon");
    for (bool steps = sim.world; steps;
         steps = sim_time(&sim) < until - 0.5 * timestep && sim_step(&sim)) {
        tn_world_body_pose(sim.world, tn_model_find_body(sim.model, "top"), pos, q);
        angle = acos(fmax(-1, fmin(1, 1 - 2 * (q[1] * q[1] + q[2] * q[2]))));
        *most = fmax(*most, angle);
        finding_point(f, curve, sim_time(&sim), angle);
    }
    sim_close(&sim);
    return angle;
}
