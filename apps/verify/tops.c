/* Rolling and spinning bodies with a life of their own: tippe top, rattleback, a bowl, Painlevé's
 * rod, dominoes. */
#include "families.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double G = 9.81;

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = a[i] * b[j] - a[j] * b[i];
    }
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- a tippe top ---- */

/* A ball of radius R whose centre of mass lies e = 0.4 R below its middle. Times go with √R: one
 * twice as large does the same, more slowly by √2. */
typedef struct Top {
    double R, e, m, around, across, mu, spin;
    double creep; /* m/s: friction is µ N s / √(s² + creep²) in the reference, s the slip */
} Top;

static const double tippe_lean = 0.1;

static Top top_of(double R)
{
    double s = R / 0.02;
    return (Top){.R = R,
                 .e = 0.008 * s,
                 .m = 0.02 * pow(s, 3),
                 .around = 3.2e-6 * pow(s, 5),
                 .across = 4e-6 * pow(s, 5),
                 .mu = 0.1,
                 .spin = 150 / sqrt(s)};
}

/* Of 2 cm and the same inertia about all axes, which does not turn over. */
static const Top small_top = {0.02, 0.004, 0.02, 3.2e-6, 3.2e-6, 0.3, 150, 0};

static Sim tippe(Finding *f, const Top *top, double timestep)
{
    return sim_open(f, timestep, "0 0 -9.81",
                    "<worldbody><geom type='plane' size='0 0 1' friction='%.17g 0 0'/>"
                    "<body name='top' pos='0 0 %.17g' euler='%.17g 0 0'><freejoint/><inertial "
                    "pos='0 0 %.17g' mass='%.17g' diaginertia='%.17g %.17g %.17g'/>"
                    "<geom size='%.17g' friction='%.17g 0 0'/></body></worldbody>"
                    "<keyframe><key name='start' qvel='0 0 0 0 0 %.17g'/></keyframe>",
                    top->mu, top->R, tippe_lean, -top->e, top->m, top->across, top->across,
                    top->around, top->R, top->mu, top->spin);
}

/* Angle of its axis with the vertical, and Jellett's L · r, r from the centre of mass to the point
 * of contact, which no friction at that point can change. */
static double tippe_state(const Sim *sim, const Top *top, double *jellett)
{
    double pos[3], q[4], P[3], L[3];
    tn_world_body_pose(sim->world, tn_model_find_body(sim->model, "top"), pos, q);
    tn_world_momentum(sim->world, P, L);
    double axis[3] = {2 * (q[1] * q[3] + q[0] * q[2]), 2 * (q[2] * q[3] - q[0] * q[1]),
                      1 - 2 * (q[1] * q[1] + q[2] * q[2])};
    double com[3], own[3], r[3];
    for (int k = 0; k < 3; k++) com[k] = pos[k] - top->e * axis[k];
    cross(com, P, own);
    for (int k = 0; k < 3; k++) {
        own[k] = L[k] - own[k];
        r[k] = (k == 2 ? -top->R : 0) + top->e * axis[k];
    }
    *jellett = dot(own, r);
    return acos(fmax(-1, fmin(1, axis[2])));
}

/* ω' of a body with the axis a and the moment M, where L is its angular momentum. */
static void top_turns(const Top *top, const double a[3], const double L[3], const double M[3],
                      const double da[3], double dw[3])
{
    double share = 1 / top->around - 1 / top->across, along = dot(L, a);
    double change = dot(M, a) + dot(L, da);
    for (int k = 0; k < 3; k++)
        dw[k] = M[k] / top->across + share * (change * a[k] + along * da[k]);
}

/* y: axis a, angular momentum L about the centre of mass, its velocity along the ground. The ball
 * stays on the ground: its centre of mass has the height R - e a_z, which gives the normal force.
 */
static void top_rate(const void *system, double t, const double *y, double *dy)
{
    const Top *top = system;
    const double *a = y, *L = y + 3, share = 1 / top->around - 1 / top->across;
    double w[3], slip[3], dw[3], M[3], part[3], turn[3], lifts[2];
    double r[3] = {top->e * a[0], top->e * a[1], top->e * a[2] - top->R}, none[3] = {0};
    (void)t;
    for (int k = 0; k < 3; k++) w[k] = L[k] / top->across + share * dot(L, a) * a[k];
    cross(w, a, dy);
    cross(w, r, slip);
    slip[0] += y[6], slip[1] += y[7];
    double size = sqrt(slip[0] * slip[0] + slip[1] * slip[1] + top->creep * top->creep);
    double force[3] = {-top->mu * slip[0] / size, -top->mu * slip[1] / size, 1}; /* per N */
    cross(r, force, M);
    cross(w, dy, turn);
    for (int k = 0; k < 2; k++) { /* acceleration upwards without and with a normal force of 1 N */
        top_turns(top, a, L, k ? M : none, dy, dw);
        cross(dw, a, part);
        lifts[k] = -top->e * (part[2] + turn[2]);
    }
    double N = top->m * (G + lifts[0]) / (1 - top->m * (lifts[1] - lifts[0]));
    for (int k = 0; k < 3; k++) dy[3 + k] = N * M[k];
    for (int k = 0; k < 2; k++) dy[6 + k] = N * force[k] / top->m;
}

static const double tippe_seconds = 12.6;

typedef struct TippeResult {
    double most;    /* rad: largest angle of its axis */
    double jellett; /* largest change of Jellett's invariant, of its size */
    double energy;  /* lost, of that at the start */
} TippeResult;

/* Above that of its centre of mass at the height of its middle. */
static double top_energy(const Top *top, const double *y)
{
    double w[3], share = 1 / top->around - 1 / top->across, v = -top->e;
    for (int k = 0; k < 3; k++) w[k] = y[3 + k] / top->across + share * dot(y + 3, y) * y[k];
    v *= w[0] * y[1] - w[1] * y[0];
    return 0.5 * top->m * (y[6] * y[6] + y[7] * y[7] + v * v) + 0.5 * dot(w, y + 3) -
           top->m * G * top->e * y[2];
}

/* With friction that creeps at 0.1 mm/s: half of that changes the angle by 7e-4 rad. */
static TippeResult tippe_reference(Finding *f, Top top, double until)
{
    double y[8] = {0, -sin(tippe_lean), cos(tippe_lean)}, w[3], arm[3], v[3];
    int curve = finding_reference_curve(f, "Coulomb's law, integrated");
    TippeResult result = {0};
    for (int k = 0; k < 3; k++) {
        w[k] = top.spin * y[k];
        y[3 + k] = top.around * w[k];
        arm[k] = -top.e * y[k];
    }
    cross(w, arm, v);
    y[6] = v[0], y[7] = v[1];
    top.creep = 1e-4;
    double start = top_energy(&top, y);
    for (int k = 0; k <= (int)round(until / 0.01); k++) {
        if (k) ode_run(top_rate, &top, y, 8, 0, 0.01, (int)(2000 * top.mu)); /* stable */
        double angle = acos(fmin(1, y[2] / sqrt(dot(y, y))));
        result.most = fmax(result.most, angle);
        finding_point(f, curve, 0.01 * k, angle);
    }
    result.energy = 1 - top_energy(&top, y) / start;
    return result;
}

static TippeResult tippe_run(Finding *f, const Top *top, double timestep, double until)
{
    double jellett, first = 0, start = 1, now = 1;
    const double level = top->m * G * top->R;
    TippeResult result = {0};
    Sim sim = tippe(f, top, timestep);
    int curve = finding_curve(f, "tenon");
    for (bool steps = sim.world; steps;
         steps = sim_time(&sim) < until - 0.5 * timestep && sim_step(&sim)) {
        double angle = tippe_state(&sim, top, &jellett);
        now = sim_energy(&sim) - level;
        if (sim_time(&sim) == 0.0) first = jellett, start = now;
        result.most = fmax(result.most, angle);
        result.jellett = fmax(result.jellett, fabs(jellett / first - 1));
        finding_point(f, curve, sim_time(&sim), angle);
    }
    result.energy = 1 - now / start;
    sim_close(&sim);
    return result;
}

static void tippe_flips(Finding *f, const VerifyRow *row)
{
    const Top top = top_of(0.2);
    finding_axes(f, "time, s", "angle of the axis, rad");
    TippeResult result = tippe_run(f, &top, row->number, tippe_seconds);
    f->value = result.most;
    f->reference = tippe_reference(f, top, tippe_seconds).most;
    finding_note(f, "Jellett's invariant changes by %.2g", result.jellett);
}

static void tippe_stays(Finding *f, const VerifyRow *row)
{
    finding_axes(f, "time, s", "angle of the axis, rad");
    f->value = tippe_run(f, &small_top, row->number, 3).energy;
    f->reference = tippe_reference(f, small_top, 3).energy;
}

static void tippe_jellett(Finding *f, const VerifyRow *row)
{
    const double steps[3] = {0.004, 0.002, 0.001};
    const Top top = top_of(0.2);
    double losses[3];
    (void)row;
    for (int i = 0; i < 3; i++) {
        losses[i] = tippe_run(f, &top, steps[i], tippe_seconds).jellett;
        finding_free(f); /* drawn in the other rows */
    }
    if (row->number > 0)
        finding_order(f, "step, s", steps, losses, 3, 2);
    else
        f->value = losses[2];
}

/* ---- a rattleback ---- */

/* Half an ellipsoid's bottom whose axes of inertia are turned against those of its shape: it rolls
 * without slip, r from the centre to the point of contact, γ upwards, all in body axes:
 *     v = r × ω,   I ω' + ω × I ω = r × m (v' + ω × v + g γ),   γ' = γ × ω.
 * y: ω, γ. */
static const double shape[3] = {0.2, 0.05, 0.03}, rattle_mass = 1;

static void set_rattle_inertia(double I[9])
{
    const double a = 2e-4, b = 1.6e-3, turn = 0.1, c = cos(turn), s = sin(turn);
    memset(I, 0, sizeof(double[9]));
    I[0] = a * c * c + b * s * s;
    I[4] = a * s * s + b * c * c;
    I[1] = I[3] = (a - b) * c * s;
    I[8] = 1.7e-3;
}

static void contact_point(const double gamma[3], double r[3], double *size)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += shape[k] * shape[k] * gamma[k] * gamma[k];
    *size = sqrt(sum);
    for (int k = 0; k < 3; k++) r[k] = -shape[k] * shape[k] * gamma[k] / *size;
}

static void rattle_rate(const void *system, double t, const double *y, double *dy)
{
    const double *w = y, *gamma = y + 3, *I = system;
    double r[3], dr[3], v[3], Iw[3], size, a[3], b[3], force[3], along = 0;
    (void)t;
    contact_point(gamma, r, &size);
    cross(gamma, w, dy + 3);
    for (int k = 0; k < 3; k++) along += shape[k] * shape[k] * gamma[k] * dy[3 + k];
    for (int k = 0; k < 3; k++)
        dr[k] = -shape[k] * shape[k] * (dy[3 + k] / size - gamma[k] * along / pow(size, 3));
    cross(r, w, v);
    cross(dr, w, a);
    cross(w, v, b);
    for (int k = 0; k < 3; k++) force[k] = rattle_mass * (a[k] + b[k] + G * gamma[k]);
    cross(r, force, dy);
    for (int k = 0; k < 3; k++) Iw[k] = I[3 * k] * w[0] + I[3 * k + 1] * w[1] + I[3 * k + 2] * w[2];
    cross(w, Iw, a);
    double A[9];
    for (int i = 0; i < 3; i++) { /* I ω' - m r × (r × ω') */
        dy[i] -= a[i];
        for (int j = 0; j < 3; j++)
            A[3 * i + j] = I[3 * i + j] - rattle_mass * (r[i] * r[j] - (i == j) * dot(r, r));
    }
    solve_linear(A, dy, 3);
}

static double rattle_error(Finding *f, double timestep, bool draw)
{
    double y[6] = {0.3, 0, -4, 0, 0, 1}, v[3], w[3], I[9], worst = 0;
    set_rattle_inertia(I);
    Sim sim = sim_open(f, timestep, "0 0 -9.81",
                       "<worldbody><geom type='plane' size='0 0 1' friction='20 0 0'/>"
                       "<body name='stone' pos='0 0 .03'><freejoint/><inertial pos='0 0 0' "
                       "mass='1' fullinertia='%.17g %.17g %.17g %.17g 0 0'/><geom type='ellipsoid' "
                       "size='.2 .05 .03' friction='20 0 0'/></body></worldbody>"
                       "<keyframe><key name='start' qvel='0 %.17g 0 .3 0 -4'/></keyframe>",
                       I[0], I[4], I[8], I[1], -0.03 * 0.3);
    int curve = draw ? finding_curve(f, "tenon") : -1;
    int exact = draw ? finding_reference_curve(f, "rolling without slip") : -1;
    for (int k = 1; k <= 80; k++) {
        sim_run(&sim, 0.05 * k);
        ode_run(rattle_rate, I, y, 6, 0, 0.05, 200);
        sim_body_velocity(&sim, "stone", v, w);
        double right = dot(y, y + 3);
        worst = fmax(worst, fabs(w[2] - right));
        finding_point(f, curve, 0.05 * k, w[2]);
        finding_point(f, exact, 0.05 * k, right);
    }
    sim_close(&sim);
    return worst;
}

static void rattleback(Finding *f, const VerifyRow *row)
{
    finding_axes(f, "time, s", "spin about the vertical, rad/s");
    f->value = rattle_error(f, row->number, true);
}

static void rattle_order(Finding *f, const VerifyRow *row)
{
    const double steps[3] = {0.0005, 0.00025, 0.000125};
    double errors[3];
    (void)row;
    for (int i = 0; i < 3; i++) errors[i] = rattle_error(f, steps[i], false);
    finding_order(f, "step, s", steps, errors, 3, 2);
}

/* ---- a ball in a trough of triangles ---- */

static double trough_period(double reach) { return 2 * VERIFY_PI * sqrt(7 * reach / (5 * G)); }

/* Radius 1 m, `strips` flat strips from -0.4 to 0.4 rad. */
static void trough(Finding *f, const VerifyRow *row)
{
    enum { STRIPS = 160 };
    char vertices[STRIPS * 64 + 256] = "", faces[STRIPS * 48 + 256] = "";
    size_t v = 0, n = 0;
    double last = 1, first = 0, at = 0, pos[3];
    int crossings = 0;
    (void)row;
    for (int i = 0; i <= STRIPS; i++) {
        double a = 0.4 * (2.0 * i / STRIPS - 1);
        v += (size_t)snprintf(vertices + v, sizeof vertices - v, "%.9f -.3 %.9f %.9f .3 %.9f ",
                              sin(a), 1 - cos(a), sin(a), 1 - cos(a));
        if (i < STRIPS)
            n += (size_t)snprintf(faces + n, sizeof faces - n, "%d %d %d %d %d %d ", 2 * i,
                                  2 * i + 2, 2 * i + 1, 2 * i + 1, 2 * i + 2, 2 * i + 3);
    }
    Sim sim = sim_open(
        f, 0.001, "0 0 -9.81",
        "<asset><mesh name='m' inertia='shell' vertex='%s' face='%s'/></asset><worldbody>"
        "<geom type='mesh' mesh='m' friction='1 0 0'/><body name='ball' pos='%.17g 0 %.17g'>"
        "<freejoint/><geom size='.1' mass='1' friction='1 0 0'/></body></worldbody>"
        "<tenon><mesh name='m' collision='triangles'/></tenon>",
        vertices, faces, 0.9 * sin(0.1), 1 - 0.9 * cos(0.1));
    int curve = finding_curve(f, "tenon");
    finding_axes(f, "time, s", "x of the ball, m");
    while (sim.world && sim_time(&sim) < 10 && sim_step(&sim)) {
        sim_body_pos(&sim, "ball", pos);
        finding_point(f, curve, sim_time(&sim), pos[0]);
        if (pos[0] * last < 0) {
            at = sim_time(&sim) - sim.t * pos[0] / (pos[0] - last);
            if (!crossings++) first = at;
        }
        last = pos[0];
    }
    f->value = crossings > 1 ? 2 * (at - first) / (crossings - 1) : 0;
    f->reference = trough_period(0.9) * (1 + 0.1 * 0.1 / 16);
    sim_close(&sim);
}

/* ---- Painlevé's rod ---- */

/* A rod of 1 m leans by θ and slides on its lower end with µ = 2. For tan θ = 2 no force solves
 * Coulomb's law: the end stops at once, as in an impact. About the point of contact the angular
 * momentum stays, which gives the rate after it. */
static void painleve(Finding *f, const VerifyRow *row)
{
    const double l = 0.5, m = 1, I = m * l * l / 3, lean = atan(2), tip = 1e-3, v0 = 1;
    double across = l * cos(lean), up = l * sin(lean) + tip, v[3], w[3];
    Sim sim = sim_open(
        f, row->number, "0 0 -9.81",
        "<worldbody><geom type='plane' size='0 0 1' friction='2 0 0'/><body name='rod' "
        "pos='0 0 %.17g'><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='%.17g %.17g "
        "%.17g'/><geom size='.001' pos='%.17g 0 %.17g' friction='2 0 0'/></body></worldbody>"
        "<keyframe><key name='start' qvel='%g 0 0 0 0 0'/></keyframe>",
        up, I, I, I, across, tip - up, v0);
    sim_step(&sim);
    sim_body_velocity(&sim, "rod", v, w);
    f->value = w[1];
    f->reference = m * up * v0 / (I + m * (across * across + up * up));
    TnEnergy e = tn_world_energy(sim.world);
    finding_note(f, "the end moves at %.2g m/s after one step; energy %.4g J of %.4g before",
                 hypot(v[0] - w[1] * up, v[2] - w[1] * across), e.kinetic, 0.5 * m * v0 * v0);
    sim_close(&sim);
}

/* ---- dominoes ---- */

/* 0.05 m tall, 0.01 m thick, gaps of 0.02 m, hinged at their lower front edges, no friction between
 * them, impacts without rebound: van Leeuwen's train. Each fallen one leans on the next, so the
 * front's angle gives all others:
 *     H sin(θ_i - θ_{i+1}) = (s + d) cos θ_{i+1} - d. */
enum { DOMINOES = 24, FIRST = 8, LAST = 20 };
static const double tall = 0.05, domino = 0.01, gap = 0.02, push = 8;

/* Sums over the train with its front at angle θ: potential energy per m, and Σ (dθ_i/dθ)². */
static double train_sums(int front, double angle, double *squares)
{
    double height = 0, rate = 1;
    *squares = 0;
    for (int i = front; i >= 0; i--) {
        height += G * (0.5 * tall * cos(angle) + 0.5 * domino * sin(angle));
        *squares += rate * rate;
        double before = angle + asin(((gap + domino) * cos(angle) - domino) / tall);
        rate *= 1 - (gap + domino) * sin(angle) / (tall * cos(before - angle));
        angle = before;
    }
    return height;
}

/* Time from the fall of domino FIRST to that of LAST. */
static double train_time(void)
{
    const double hits = asin(gap / tall), inertia = (tall * tall + domino * domino) / 3;
    double rate = push, time = 0, squares;
    for (int front = 0; front < LAST; front++) {
        double height = train_sums(front, 0, &squares);
        double energy = 0.5 * inertia * squares * rate * rate + height;
        enum { PARTS = 2000 };
        double took = 0;
        for (int k = 0; k < PARTS; k++) {
            height = train_sums(front, hits * (k + 0.5) / PARTS, &squares);
            took += hits / PARTS / sqrt(2 * (energy - height) / (inertia * squares));
        }
        height = train_sums(front, hits, &squares);
        rate = sqrt(2 * (energy - height) / (inertia * squares)) * squares / (squares + 1);
        if (front >= FIRST) time += took;
    }
    return time;
}

static double domino_time(Finding *f, double timestep)
{
    char parts[DOMINOES * 256 + 64] = "<worldbody>", qvel[DOMINOES * 4 + 8] = "8";
    size_t used = strlen(parts);
    double start[2] = {0};
    for (int i = 0; i < DOMINOES; i++) {
        used += (size_t)snprintf(parts + used, sizeof parts - used,
                                 "<body pos='%.17g 0 0'><joint axis='0 1 0' limited='true' "
                                 "range='0 3'/><geom type='box' "
                                 "pos='%.17g 0 %.17g' size='%.17g .02 %.17g' mass='.1' "
                                 "condim='1'/></body>",
                                 i * (gap + domino), -0.5 * domino, 0.5 * tall, 0.5 * domino,
                                 0.5 * tall);
        if (i) strcat(qvel, " 0");
    }
    Sim sim =
        sim_open(f, timestep, "0 0 -9.81",
                 "%s</worldbody><keyframe><key name='start' qvel='%s'/></keyframe>", parts, qvel);
    for (int k = 0; k < 2 && sim.world; k++) {
        int which = k ? LAST : FIRST;
        double angle = 0;
        while (angle < 1e-3 && sim_time(&sim) < 3 && sim_step(&sim)) angle = sim_qpos(&sim)[which];
        start[k] = sim_time(&sim) - angle / sim_qvel(&sim)[which]; /* back to where it stood */
    }
    sim_close(&sim);
    return start[1] - start[0];
}

static void dominoes(Finding *f, const VerifyRow *row)
{
    f->value = (LAST - FIRST) * (gap + domino) / domino_time(f, row->number);
    f->reference = (LAST - FIRST) * (gap + domino) / train_time();
}

static const VerifyRow rows[] = {
    {.name = "tops.tippe",
     .shows = "A tippe top of 0.2 m turns over: largest angle of its axis in 12.6 s, at 10 ms.",
     .source = "rigid body on one point with Coulomb's law, integrated in the row; friction creeps "
               "at 0.1 mm/s. It slips until it stands at some 125 degrees and rolls on from there.",
     .unit = "rad",
     .tolerance = 0.05,
     .reason = "it spins by 0.47 rad per step and changes Jellett's invariant by 2 %.",
     .quick = true,
     .run = tippe_flips,
     .number = 0.01},
    {.name = "tops.tippe.fine",
     .shows = "The same at 1 ms.",
     .source = "the same.",
     .unit = "rad",
     .tolerance = 0.02,
     .reason = "0.018 at 2 ms, 0.009 here, 0.003 at 0.5 ms.",
     .run = tippe_flips,
     .number = 0.001},
    {.name = "tops.tippe.jellett",
     .shows = "The same at 1 ms: largest change of Jellett's invariant while it turns over.",
     .source = "constant for any friction at the point of contact (Jellett 1872).",
     .unit = "of its size",
     .tolerance = 2e-4,
     .reason = "the point of contact moves within a step: second order, 1e-4.",
     .run = tippe_jellett},
    {.name = "tops.tippe.jellett.order",
     .shows = "The same at three steps: order of convergence.",
     .source = "second order.",
     .unit = "",
     .tolerance = 0.25,
     .reason = "the next order in the step: at 4 ms it spins by 0.19 rad per step.",
     .run = tippe_jellett,
     .number = 1},
    {.name = "tops.tippe.small",
     .shows =
         "The top of lasting.tippe, of 2 cm, stops slipping and does not turn over: energy that "
         "it loses in 3 s, at 10 ms.",
     .source = "as tops.tippe, integrated in the row.",
     .unit = "of that at the start",
     .tolerance = 1e-4,
     .reason = "1 % of what it loses; it spins by 1.5 rad per step.",
     .quick = true,
     .run = tippe_stays,
     .number = 0.01},
    {.name = "tops.rattleback",
     .shows = "A rattleback spun the wrong way reverses, 4 s at 0.5 ms: largest error of its spin.",
     .source = "rolling without slip (Walker 1896), integrated in the row.",
     .unit = "rad/s",
     .tolerance = 0.03,
     .reason = "second order: 0.014 here.",
     .run = rattleback,
     .number = 0.0005},
    {.name = "tops.rattleback.order",
     .shows = "The same at three steps: order of convergence.",
     .source = "second order.",
     .unit = "",
     .tolerance = 0.1,
     .reason = "the next order in the step.",
     .run = rattle_order},
    {.name = "tops.trough",
     .shows = "A ball rolls in a round trough of 1 m made of 160 flat strips (a mesh that collides "
              "as triangles): its period.",
     .source = "2π √(7 (R - r) / 5g) (1 + θ²/16).",
     .unit = "s",
     .tolerance = 0.01,
     .reason = "strips of 5 mm instead of a circle.",
     .run = trough},
    {.name = "tops.dominoes",
     .shows = "Dominoes of 50 × 10 mm with gaps of 20 mm, hinged, without friction: speed of the "
              "wave over twelve of them, at 0.25 ms.",
     .source = "van Leeuwen 2010: one coordinate between impacts without rebound, integrated in "
               "the row.",
     .unit = "m/s",
     .relative = true,
     .tolerance = 0.01,
     .reason = "first order in contact.",
     .run = dominoes,
     .number = 0.00025},
    {.name = "tops.painleve",
     .shows = "Painlevé's rod with µ = 2: its rate after one step of 1 ms.",
     .source = "the end stops as in an impact: m h v / (I + m l²) (Lecornu 1905, Stewart 2000).",
     .unit = "rad/s",
     .tolerance = 0.02,
     .reason = "gravity turns it by g t in the same step, 1e-2 rad/s.",
     .quick = true,
     .run = painleve,
     .number = 0.001},
};

const VerifyFamily verify_tops = {"tops", "Tops, a bowl, dominoes and a paradox", rows,
                                  sizeof rows / sizeof *rows};
