/* Soft bodies in motion: momentum, energy, natural frequencies, as a user of the library sees them.
 */
#include "../../check.h"
#include "soft_scenes.h"

static double noise(unsigned *seed) /* in [-1, 1] */
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 8388608.0 - 1;
}

/* ---- momentum and energy ---- */

/* A block that flies, tumbles (spin rad/s) and rings: each node's velocity is off by up to `ring`
 * m/s. */
static void throw_block(SoftScene *scene, double speed, double spin, double ring)
{
    static double qpos[3 * 256], qvel[3 * 256];
    unsigned seed = 5;
    TnError err = {0};
    memcpy(qpos, scene->info.rest, sizeof(double[3]) * (size_t)scene->info.node_count);
    for (int i = 0; i < scene->info.node_count; i++) {
        const double *x = qpos + 3 * i, w[3] = {spin, -0.5 * spin, 0.3 * spin};
        for (int k = 0; k < 3; k++)
            qvel[3 * i + k] = w[(k + 1) % 3] * x[(k + 2) % 3] - w[(k + 2) % 3] * x[(k + 1) % 3] +
                              ring * noise(&seed) + (k == 1 ? speed : 0.1 * speed);
    }
    CHECK(tn_world_set_state(scene->world, qpos, qvel, &err) == TN_OK);
}

static void block(SoftScene *scene, double timestep, double theta, double gravity, double E, int n)
{
    *scene = soft_begin(timestep, theta, gravity);
    soft_box(scene, 0.2, 0.1, 0.08, 4, n, n, 5);
    scene->soft.youngs_modulus = E;
}

TEST(momentum_is_kept_in_free_flight)
{
    double worst[2] = {0};
    for (int k = 0; k < 96; k++) {
        const double E = k / 32 == 0 ? 1e4 : k / 32 == 1 ? 1e6 : 1e9;
        SoftScene scene;
        block(&scene, k & 4 ? 1e-3 : 1e-2, k & 8 ? 1 : 0.5, k & 16 ? 0 : 9.81, E, 2);
        scene.soft.law = k & 1 ? TN_SOFT_NEO_HOOKEAN : TN_SOFT_COROTATIONAL;
        scene.soft.consistent_mass = k & 2;
        soft_add(&scene);
        REQUIRE(soft_finish(&scene, NULL));
        throw_block(&scene, k & 16 ? 0 : 1.5, 5, E < 1e5 ? 0.05 : 0.2);
        double p0[3], L0[3], p[3], L[3], m = scene.info.mass, off[2] = {0},
                                         dt = k & 4 ? 1e-3 : 1e-2;
        tn_world_momentum(scene.world, p0, L0);
        double speed[3]; /* of the centre of mass, which starts at the origin */
        for (int i = 0; i < 3; i++) speed[i] = p0[i] / m;
        for (int step = 0; step < UNLESS_SANITIZED(100, 10); step++) {
            double centre[3] = {0};
            CHECK(!tn_world_step(scene.world).diverged);
            if (!(k & 16)) speed[2] -= 9.81 * dt;
            for (int i = 0; i < 3 * scene.info.node_count; i++)
                centre[i % 3] += scene.info.node_masses[i / 3] / m * soft_x(&scene)[i];
            tn_world_momentum(scene.world, p, L);
            for (int i = 0; i < 3; i++) {
                int a = (i + 1) % 3, b = (i + 2) % 3;
                off[0] = fmax(off[0], fabs(p[i] - m * speed[i]) / (m * (1 + fabs(speed[2]))));
                double own = L[i] - (centre[a] * p[b] - centre[b] * p[a]);
                double reach = 1 + fabs(centre[2]);
                off[1] = fmax(off[1], fabs(own - L0[i]) / (m * reach * (1 + fabs(speed[2]))));
            }
        }
        if (off[0] > 1e-12 || off[1] > 1e-12)
            printf("     case %d (E %g, law %d, consistent %d, dt %g, theta %g): %.1e %.1e\n", k, E,
                   k & 1, (k & 2) / 2, dt, k & 8 ? 1 : 0.5, off[0], off[1]);
        worst[0] = fmax(worst[0], off[0]);
        worst[1] = fmax(worst[1], off[1]);
        CHECK(off[0] < 1e-12);
        CHECK(off[1] < 1e-12);
        soft_end(&scene);
    }
    printf("     linear %.1e of m (v + 1 m/s), angular %.1e of that times x + 1 m\n", worst[0],
           worst[1]);
}

/* A block let go in a bent and stretched shape: the most that its energy is above what it was at
 * any time before, in shares of what it started with. `jerk`: not bent, but each node at up to 0.2
 * m/s from rest. */
static double energy_growth(double E, double dt, double theta, TnSoftLaw law, bool clamped,
                            bool jerk, double *left)
{
    SoftScene scene;
    TnError err = {0};
    static double qpos[3 * 256], qvel[3 * 256];
    block(&scene, dt, theta, 0, E, 1);
    scene.soft.law = law;
    if (clamped) soft_hold(&scene, 0, -0.1, TN_BODY_WORLD);
    soft_add(&scene);
    if (!soft_finish(&scene, NULL)) return NAN;
    for (int i = 0; i < 3 * scene.info.node_count; i += 3) {
        const double *X = scene.info.rest + i;
        double s = (X[0] + 0.1) / 0.2;
        qpos[i] = X[0] + 0.004 * s - 0.04 * s * X[2];
        qpos[i + 1] = X[1];
        qpos[i + 2] = X[2] + 0.004 * s * s;
        qvel[i] = qvel[i + 1] = qvel[i + 2] = 0;
    }
    if (jerk)
        throw_block(&scene, 0, 0, 0.2);
    else
        CHECK(tn_world_set_state(scene.world, qpos, qvel, &err) == TN_OK);
    TnEnergy e = tn_world_energy(scene.world);
    double first = e.kinetic + e.potential, least = first, most = 0;
    for (int step = 0; step < (jerk ? 50 : UNLESS_SANITIZED(200, 20)); step++) {
        if (tn_world_step(scene.world).diverged) return INFINITY;
        e = tn_world_energy(scene.world);
        most = fmax(most, (e.kinetic + e.potential - least) / first);
        least = fmin(least, e.kinetic + e.potential);
    }
    *left = (e.kinetic + e.potential) / first;
    soft_end(&scene);
    return most;
}

TEST(energy_never_grows_with_damping_on)
{
    double worst[2] = {0}, jerked = 0, left;
    for (int k = 0; k < 7 * 3 * 8; k++) {
        double E = pow(10, 3 + k / 24), dt = k / 8 % 3 == 0 ? 1e-3 : k / 8 % 3 == 1 ? 3e-3 : 1e-2;
        double theta = k & 1 ? 1 : 0.5;
        TnSoftLaw law = k & 2 ? TN_SOFT_NEO_HOOKEAN : TN_SOFT_COROTATIONAL;
        double growth = energy_growth(E, dt, theta, law, k & 4, false, &left);
        if (growth > 1e-4)
            printf("     E %.0e dt %g theta %g law %d clamped %d: %.1e, left %.2e\n", E, dt, theta,
                   law, (k & 4) / 4, growth, left);
        worst[k & 1] = fmax(worst[k & 1], growth);
        CHECK(left < 1);
        growth = energy_growth(E, dt, theta, law, k & 4, true, &left);
        if (theta < 1) jerked = fmax(jerked, growth);
        CHECK(left < 1);
    }
    printf("     let go: %.1e of the start (theta 0.5), %.1e (1); after a jerk %.0e\n", worst[0],
           worst[1], jerked);
    CHECK(worst[0] < 1e-4);  /* the linear law of a step against the elements' own: the square of a
                                step's strain */
    CHECK(worst[1] < 1e-10); /* rounding */
}

/* A band, pinned at one end and stretched by a heavy body that holds the other, is plucked by 1 mm.
 * Without the stiffness that its tension gives it sideways, it shook itself to twice its energy in
 * a few long steps. */
static double taut_growth(double E, double stretch, double dt, double theta, TnSoftLaw law)
{
    const double L = 0.5;
    SoftScene scene = soft_begin(dt, theta, 0);
    TnError err = {0};
    static double qpos[3 * 256 + 1], qvel[3 * 256 + 1];
    soft_box(&scene, L, 0.05, 0.05, 20, 2, 2, 5);
    scene.soft.youngs_modulus = E;
    scene.soft.law = law;
    TnBodyDef body = tn_body_def();
    body.has_inertia = true;
    body.mass = body.inertia[0] = body.inertia[1] = body.inertia[2] = 1e15;
    TnBodyId id = tn_builder_add_body(scene.builder, &body);
    TnJointDef joint = tn_joint_def();
    joint.body = id;
    joint.type = TN_JOINT_SLIDE;
    joint.axis[0] = 1, joint.axis[2] = 0;
    tn_builder_add_joint(scene.builder, &joint);
    soft_hold(&scene, 0, -L / 2, TN_BODY_WORLD);
    soft_hold(&scene, 0, L / 2, id);
    soft_add(&scene);
    if (!soft_finish(&scene, NULL)) return NAN;
    qpos[0] = stretch * L;
    for (int i = 0; i < scene.info.node_count; i++) {
        const double *X = scene.info.rest + 3 * i;
        double *x = qpos + scene.info.qpos_start + 3 * i, across = 1 - 0.3 * stretch;
        x[0] = X[0] + stretch * (X[0] + L / 2);
        x[1] = X[1] * across;
        x[2] = X[2] * across + 1e-3 * sin(PI * (X[0] / L + 0.5));
    }
    CHECK(tn_world_set_state(scene.world, qpos, qvel, &err) == TN_OK);
    TnEnergy e = tn_world_energy(scene.world);
    double first = e.potential, least = first, most = 0;
    for (int step = 0; step < UNLESS_SANITIZED(100, 20); step++) {
        if (tn_world_step(scene.world).diverged) return INFINITY;
        e = tn_world_energy(scene.world);
        most = fmax(most, (e.kinetic + e.potential - least) / first);
        least = fmin(least, e.kinetic + e.potential);
    }
    soft_end(&scene);
    return most;
}

TEST(a_taut_band_does_not_shake_itself_to_pieces)
{
    double worst = 0;
    for (int k = 0; k < 3 * 2 * 2 * 2; k++) {
        const double E = k % 3 == 0 ? 1e6 : k % 3 == 1 ? 1e7 : 1e8;
        double growth = taut_growth(E, k / 3 % 2 ? 0.3 : 0.05, k / 6 % 2 ? 0.01 : 0.003, 0.5,
                                    k / 12 ? TN_SOFT_NEO_HOOKEAN : TN_SOFT_COROTATIONAL);
        if (growth > 1e-4) printf("     case %d: %.1e\n", k, growth);
        worst = fmax(worst, growth);
    }
    printf("     %.1e of the energy it starts with\n", worst);
    CHECK(worst < 1e-2); /* steps that resolve the swing keep energy only on the mean */
}

/* ---- natural frequencies of a bar, one end pinned ---- */

#define LENGTH 0.5
#define SIDE 0.05

typedef struct Bar {
    int nx, n;
    double E, nu, beta;
    bool consistent;
} Bar;

static bool make_bar(Bar bar, double timestep, double theta, SoftScene *scene)
{
    *scene = soft_begin(timestep, theta, 0);
    soft_box(scene, LENGTH, SIDE, SIDE, bar.nx, bar.n, bar.n, 5);
    scene->soft.youngs_modulus = bar.E;
    scene->soft.poisson_ratio = bar.nu;
    scene->soft.damping_stiffness = bar.beta;
    scene->soft.consistent_mass = bar.consistent;
    scene->soft.contact_type = scene->soft.contact_affinity = 0;
    soft_hold(scene, 0, -LENGTH / 2, TN_BODY_WORLD);
    soft_add(scene);
    return soft_finish(scene, NULL);
}

typedef enum Mode { STRETCH, BEND, TWIST } Mode;

static void first_guess(Mode mode, const double X[3], double u[3])
{
    double s = sin(PI / 2 * (X[0] / LENGTH + 0.5)), w = 1 - cos(PI / 2 * (X[0] / LENGTH + 0.5));
    u[0] = mode == STRETCH ? s : 0;
    u[1] = mode == TWIST ? -s * X[2] / SIDE : 0;
    u[2] = mode == TWIST ? s * X[1] / SIDE : mode == BEND ? w : 0;
}

/* Takes out of a twist what bends: the mean of each cross-section, which the mesh mixes in. */
static void remove_bending(const SoftScene *scene, double *u)
{
    const double *X = scene->info.rest;
    for (int i = 0; i < scene->info.node_count; i++) {
        double mean[3] = {0}, mass = 0;
        bool first = true;
        for (int j = 0; j < scene->info.node_count; j++) {
            if (fabs(X[3 * j] - X[3 * i]) > 1e-9) continue;
            first = first && j >= i;
            mass += scene->info.node_masses[j];
            for (int k = 0; k < 3; k++) mean[k] += scene->info.node_masses[j] * u[3 * j + k];
        }
        for (int j = i; j < scene->info.node_count && first; j++)
            for (int k = 0; k < 3 && fabs(X[3 * j] - X[3 * i]) < 1e-9; k++)
                u[3 * j + k] -= mean[k] / mass;
    }
}

/* The mode's shape, largest displacement 1, by two inverse iterations with static loads m u;
 * returns ω by Rayleigh's quotient, which is off by the square of what is left of other modes. */
static double mode_of(Bar bar, Mode mode, double *u)
{
    SoftScene scene;
    if (!make_bar(bar, 100, 1, &scene)) return NAN;
    int count = 3 * scene.info.node_count;
    double *force = soft_numbers(&scene, 3), work = 0, square = 0, most = 0;
    for (int i = 0; i < count; i += 3) first_guess(mode, scene.info.rest + i, u + i);
    for (int pass = 0; pass < 3; pass++) {
        double load = 0, stiff = mode == BEND ? 1e-6 : 1e-3; /* strains of 1e-6 or so */
        for (int i = 0; i < count; i++) load += scene.info.node_masses[i / 3] * fabs(u[i]);
        for (int i = 0; i < count; i++)
            force[i] =
                stiff * bar.E * SIDE * SIDE * 1e-3 * scene.info.node_masses[i / 3] * u[i] / load;
        CHECK(soft_settle(&scene, 20, 1e-14, force));
        work = square = most = 0;
        for (int i = 0; i < count; i++) u[i] = soft_x(&scene)[i] - scene.info.rest[i];
        if (mode == TWIST) remove_bending(&scene, u);
        for (int i = 0; i < count; i++) {
            work += force[i] * u[i];
            square += scene.info.node_masses[i / 3] * u[i] * u[i];
            most = fmax(most, fabs(u[i]));
        }
        for (int i = 0; i < count; i++) u[i] /= most;
    }
    free(force);
    soft_end(&scene);
    return sqrt(work / square);
}

/* Lets the shape swing from rest with the given amplitude; the projection on it crosses zero twice
 * per period. Returns ω over `periods`, and by how much the amplitude falls per period (of its
 * logarithm). */
static double swing(Bar bar, const double *u, double amplitude, double timestep, double theta,
                    int periods, double *decay)
{
    SoftScene scene;
    TnError err = {0};
    if (!make_bar(bar, timestep, theta, &scene)) return NAN;
    int count = 3 * scene.info.node_count, crossings = 0;
    double *qpos = soft_numbers(&scene, 3), *qvel = soft_numbers(&scene, 3);
    for (int i = 0; i < count; i++) qpos[i] = scene.info.rest[i] + amplitude * u[i];
    CHECK(tn_world_set_state(scene.world, qpos, qvel, &err) == TN_OK);
    double last = 1, first_time = 0, time = 0, first_peak = 0, peak = 0;
    while (crossings < 2 * periods + 1 && time < 1e6 * timestep) {
        double now = 0, norm = 0;
        CHECK(!tn_world_step(scene.world).diverged);
        time += timestep;
        for (int i = 0; i < count; i++) {
            double m = scene.info.node_masses[i / 3];
            now += m * u[i] * (soft_x(&scene)[i] - scene.info.rest[i]) / amplitude;
            norm += m * u[i] * u[i];
        }
        now /= norm;
        peak = fmax(peak, fabs(now));
        if (now * last < 0) {
            double at = time - timestep * now / (now - last);
            if (crossings == 1) first_peak = peak;
            if (crossings == 0) first_time = at;
            if (++crossings == 2 * periods + 1) time = at;
            if (crossings < 2 * periods + 1) peak = 0;
        }
        last = now;
    }
    *decay = log(first_peak / peak) / (periods - 0.5);
    free(qpos);
    free(qvel);
    soft_end(&scene);
    return 2 * PI * periods / (time - first_time);
}

/* Lumped masses on h = L/20 and dt of 1/400 of a period: (π/2)²/24/20² and (2π/400)²/12 of the
 * frequency, 3e-4. */
TEST(a_bar_rings_at_c_over_4L)
{
    for (int consistent = 0; consistent < 2; consistent++) {
        Bar bar = {20, 2, 1e7, 0, 0, consistent};
        double *u = malloc(sizeof(double[3]) * 21 * 9), decay;
        double c = sqrt(bar.E / 1000), exact = 2 * PI * c / (4 * LENGTH),
               own = mode_of(bar, STRETCH, u);
        double got = swing(bar, u, 1e-4, 5e-5, 0.5, 3, &decay);
        printf("     %s: %.5f of c/4L (own statics %.5f), falls by %.1e per period\n",
               consistent ? "consistent" : "lumped", got / exact, own / exact, decay);
        CHECK_NEAR(got / exact, 1, 2e-3);
        CHECK_NEAR(decay, 0, 1e-3);
        free(u);
    }
}

/* Against the mesh's own static stiffness, and its lumped masses. */
TEST(a_bar_bends_and_twists_at_the_frequency_of_its_stiffness)
{
    Bar bar = {30, 3, 1e7, 0.3, 0, false};
    double *u = malloc(sizeof(double[3]) * 31 * 16), decay;
    double EI = bar.E * pow(SIDE, 4) / 12, mass = 1000 * SIDE * SIDE;
    double euler = 3.51602 * sqrt(EI / (mass * pow(LENGTH, 4)));
    double own = mode_of(bar, BEND, u), got = swing(bar, u, 1e-4, 1e-3, 0.5, 2, &decay);
    printf("     bending %.4f Hz: %.5f of its own statics', %.3f of a beam's, falls by %.1e\n",
           got / (2 * PI), got / own, got / euler, decay);
    CHECK_NEAR(got / own, 1,
               1e-3); /* (2π/333)²/12 = 3e-5, Rayleigh's quotient after two passes 1e-6 */
    CHECK(got > euler && got < 1.2 * euler); /* too stiff by 20 % at three cells */
    double G = bar.E / (2 * (1 + bar.nu)), shape = 0.1406 * 6; /* J / I_p of a square */
    double torsion = 2 * PI * sqrt(shape * G / 1000) / (4 * LENGTH);
    own = mode_of(bar, TWIST, u);
    got = swing(bar, u, 1e-4, 2e-4, 0.5, 2, &decay);
    printf("     torsion %.4f Hz: %.5f of its own statics', %.3f of a beam's, falls by %.1e\n",
           got / (2 * PI), got / own, got / torsion, decay);
    CHECK_NEAR(got / own, 1, 1e-3);
    CHECK(got > torsion && got < 1.2 * torsion);
    free(u);
}

/* The scene's beam: ν = 0.45, β = 1 ms, which alone takes πβω of the amplitude per period. */
TEST(ten_milliseconds_change_the_beams_swing_by_little)
{
    Bar bar = {24, 3, 1e7, 0.45, 1e-3, false};
    double *u = malloc(sizeof(double[3]) * 25 * 16), decay, own = mode_of(bar, BEND, u);
    const double steps[3] = {2e-3, 5e-3, 1e-2};
    for (int k = 0; k < 6; k++) {
        double theta = k / 3 ? 1 : 0.5, got = swing(bar, u, 1e-3, steps[k % 3], theta, 2, &decay);
        double damping = PI * bar.beta * own;
        printf("     %g ms, theta %g: %.4f Hz, %.4f of its own; amplitude falls by %.4f per period "
               "(damping itself %.4f)\n",
               1e3 * steps[k % 3], theta, got / (2 * PI), got / own, decay, damping);
        CHECK(got > 0.98 * own && got < own);
        /* where elements are not resolved, their force counts at the end of the step: π ω dt/2 at θ
         * = ½, twice at 1 */
        CHECK_NEAR(decay, damping + PI * own * steps[k % 3] * theta, 0.05);
    }
    free(u);
}
