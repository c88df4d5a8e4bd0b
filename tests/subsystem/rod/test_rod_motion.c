/* Rods in motion: what a step keeps, its order, damping, and that it is stable for fast pulls. */
#include "rod_rig.h"

static const RodSpec soft = {
    .n = 20, .length = 1.0, .diameter = 0.04, .density = 1000.0, .E = 4e3, .nu = 0.4};

/* A tumbling, stretching, bending, twisting start. */
static void stir_up(Rig *rig, double size)
{
    int n = rig->spec.n;
    for (int i = 0; i < n; i++) {
        double x = (i - 0.5 * (n - 1)) / n, *v = rig->m.qvel + 6 * i;
        v[0] = size * 0.1 * x;
        v[1] = size * (2.0 * x + 0.3 * cos(2.0 * M_PI * x));
        v[2] = size * x * x;
        v[5] = size * sin(M_PI * x);
    }
}

static void momentum(const Rig *rig, double P[3], double L[3])
{
    tn_model_momentum(rig->model, rig->m.qpos, rig->m.qvel, rig->m.frames, P, L);
}

TEST(free_flight_keeps_linear_and_angular_momentum)
{
    for (int stiff = 0; stiff < 2; stiff++) {
        Rig rig;
        RodSpec spec = soft;
        if (stiff) spec.E = 1e7;
        REQUIRE(rig_start(&rig, spec, 2e-3));
        stir_up(&rig, 2.0);
        double P0[3], L0[3], P[3], L[3];
        momentum(&rig, P0, L0);
        for (int k = 0; k < 500; k++) rig_step(&rig);
        momentum(&rig, P, L);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(P[k], P0[k], 1e-12); /* rounding of 500 steps; stiff: of k t v */
            /* torques about where strains are taken: of second order; account/balance.c does the
             * rest
             */
            CHECK_NEAR(L[k], L0[k], 5e-6);
        }
        rig_end(&rig);
    }
}

TEST(spinning_rod_keeps_its_energy_however_stiff_it_is)
{
    /* 0.1 rad per step: the strain of the step's middle would be 1e-3, 10 times what spinning
     * itself makes of the stiff one */
    static const double moduli[] = {1e6, 1e7, 1e8};
    for (int e = 0; e < 3; e++) {
        Rig rig;
        RodSpec spec = soft;
        spec.E = moduli[e];
        REQUIRE(rig_start(&rig, spec, 1e-2));
        for (int i = 0; i < spec.n; i++) {
            rig.m.qvel[6 * i + 1] = 10.0 * (i - 0.5 * (spec.n - 1)) / spec.n;
            rig.m.qvel[6 * i + 3] = -10.0; /* x of the segment is -z of the world */
        }
        double e0 = rig_kinetic(&rig), P[3], L0[3], L[3];
        momentum(&rig, P, L0);
        for (int k = 0; k < 100; k++) {
            rig_step(&rig);
            double now = rig_kinetic(&rig) + rig_elastic(&rig);
            CHECK(now < 1.005 * e0); /* second order: (0.1)²/4 */
            CHECK(now > 0.95 * e0);  /* its stretching is not resolved and fades */
        }
        momentum(&rig, P, L);
        CHECK_NEAR(L[2], L0[2], 1e-6 * L0[2]); /* as above */
        rig_end(&rig);
    }
}

TEST(segment_moves_as_the_rigid_body_that_it_is)
{
    Rig rig;
    Random r = {5};
    REQUIRE(rig_start(&rig, soft, 1e-2));
    for (int i = 0; i < soft.n; i++) {
        random_vector(&r, 20.0, rig.m.qvel + 6 * i, 6);
        random_quat(&r, rig.m.qpos + 7 * i + 3);
        random_vector(&r, 1.0, rig.m.wrench[1 + i], 6);
    }
    tn_kinematics(&rig.shown, rig.m.qpos, 0, soft.n + 1, rig.m.frames);
    TnDynamicsInput in = motion_input(&rig.m);
    double *q[2], *v[2], vhat[6];
    for (int k = 0; k < 2; k++) {
        q[k] = calloc((size_t)(7 * soft.n), sizeof(double));
        v[k] = calloc((size_t)(6 * soft.n), sizeof(double));
    }
    for (int i = 1; i <= soft.n; i++) {
        TnRigidSystem round, any;
        const TnLinkFrame *frame = &rig.m.frames[i];
        tn_rod_segment_assemble(&in, i, frame, &round);
        tn_rigid_assemble(&in, i, frame, &any);
        random_vector(&r, 20.0, vhat, 6);
        tn_rod_segment_advance(&in, i, frame, &round, vhat, 0.3, 1.0, q[0], v[0]);
        double way[6];
        tn_rigid_way(&in, any.v, vhat, 0.3, 1.0, way);
        tn_rigid_advance(&in, i, frame, &any, vhat, way, q[1], v[1]);
        CHECK_NEAR(round.mass_rate, any.mass_rate, 1e-15 * any.mass_rate);
        for (int k = 0; k < 6; k++) {
            CHECK_NEAR(round.v[k], any.v[k], 1e-13);           /* rounding, of 20 here and below */
            CHECK_NEAR(round.v_free[k], any.v_free[k], 1e-10); /* the other is iterated */
        }
        for (int k = 0; k < 9; k++) CHECK_NEAR(round.inertia_rate[k], any.inertia_rate[k], 1e-15);
    }
    for (int k = 0; k < 7 * soft.n; k++) CHECK_NEAR(q[0][k], q[1][k], 1e-13);
    for (int k = 0; k < 6 * soft.n; k++) CHECK_NEAR(v[0][k], v[1][k], 1e-9);
    for (int k = 0; k < 2; k++) {
        free(q[k]);
        free(v[k]);
    }
    rig_end(&rig);
}

/* Places of all segments at 0.2 s. */
static double *places(double t)
{
    Rig rig;
    if (!rig_start(&rig, soft, t)) return NULL;
    stir_up(&rig, 1.0);
    long steps = lround(0.2 / t);
    for (long k = 0; k < steps; k++) rig_step(&rig);
    double *x = malloc(sizeof(double) * 3 * (size_t)soft.n);
    for (int i = 0; i < soft.n; i++) v3_copy(x + 3 * i, rig.m.frames[1 + i].com);
    rig_end(&rig);
    return x;
}

TEST(motion_of_a_soft_rod_is_of_second_order_in_the_step)
{
    double *x[4], error[3] = {0.0, 0.0, 0.0};
    static const double steps[4] = {4e-3, 2e-3, 1e-3, 1.25e-4};
    for (int i = 0; i < 4; i++) x[i] = places(steps[i]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3 * soft.n; k++) error[i] = fmax(error[i], fabs(x[i][k] - x[3][k]));
    /* fourfold per halving in the limit */
    CHECK(error[0] > 3.3 * error[1]);
    CHECK(error[1] > 3.5 * error[2]);
    CHECK(error[2] < 1e-4);
    for (int i = 0; i < 4; i++) free(x[i]);
}

TEST(energy_of_a_soft_rod_hardly_changes)
{
    Rig rig;
    REQUIRE(rig_start(&rig, soft, 1e-3));
    stir_up(&rig, 1.0);
    double e0 = rig_kinetic(&rig) + rig_elastic(&rig), worst = 0.0;
    for (int k = 0; k < 2000; k++) {
        rig_step(&rig);
        worst = fmax(worst, fabs(rig_kinetic(&rig) + rig_elastic(&rig) - e0));
    }
    CHECK(worst < 2e-3 * e0); /* of second order, without drift */
    rig_end(&rig);
}

TEST(damping_time_damps_a_stretching_mode_like_kelvin_and_voigt)
{
    /* two segments, k and mass m each: g'' = -(2k/m)(g + τ g'); amplitude falls with ω²τ/2 */
    Rig rig;
    RodSpec spec = soft;
    spec.n = 2;
    spec.length = 0.1;
    spec.damping_time = 2e-3;
    REQUIRE(rig_start(&rig, spec, 1e-4));
    rig.m.qvel[0] = -0.01;
    rig.m.qvel[6] = 0.01;
    double m = spec.density * rod_area(&spec) * 0.05, omega2 = 2.0 * rig.rod.joints[0].k[2] / m;
    double e0 = rig_kinetic(&rig);
    for (int k = 0; k < 5000; k++) rig_step(&rig);
    double e = rig_kinetic(&rig) + rig_elastic(&rig), rate = -log(e / e0) / 0.5;
    /* the phase at the end counts: energy falls in waves of relative size ζ = ωτ/2 */
    CHECK_NEAR(rate, omega2 * 2e-3, 0.05 * omega2 * 2e-3);
    rig_end(&rig);
}

TEST(strong_damping_does_not_ring)
{
    Rig rig;
    RodSpec spec = soft;
    spec.n = 2;
    spec.length = 0.1;
    spec.damping_time = 10.0;
    REQUIRE(rig_start(&rig, spec, 1e-2));
    rig.m.qvel[0] = -0.01;
    rig.m.qvel[6] = 0.01;
    for (int k = 0; k < 20; k++) {
        rig_step(&rig);
        double rate = rig.m.qvel[6] - rig.m.qvel[0];
        CHECK(rate < (k ? 1e-4 : 1e-2)); /* stopped in the first step, x = k τ t/m being 2500 */
        CHECK(rate > -1e-3 * 0.02);      /* and not thrown back; what is left creeps */
    }
    rig_end(&rig);
}

TEST(reversed_rod_moves_alike)
{
    Rig a, b;
    double flip[4] = {0.0, 1.0, 0.0, 0.0};
    REQUIRE(rig_start(&a, soft, 2e-3));
    REQUIRE(rig_start(&b, soft, 2e-3));
    stir_up(&a, 1.0);
    int n = soft.n;
    for (int i = 0; i < n; i++) {
        double *q = b.m.qpos + 7 * i, *v = b.m.qvel + 6 * i;
        const double *p = a.m.qpos + 7 * (n - 1 - i), *u = a.m.qvel + 6 * (n - 1 - i);
        v3_copy(q, p);
        quat_mul(q + 3, p + 3, flip);
        v3_copy(v, u);
        v3_set(v + 3, u[3], -u[4], -u[5]);
    }
    for (int k = 0; k < 50; k++) {
        rig_step(&a);
        rig_step(&b);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(b.m.qpos[7 * i + k], a.m.qpos[7 * (n - 1 - i) + k], 1e-12); /* rounding */
    rig_end(&a);
    rig_end(&b);
}

/* Energy beyond the work put in, largest, as a share of the work. */
static double pull(RodSpec spec, double t, double speed, bool taut)
{
    Rig rig;
    if (!rig_start(&rig, spec, t)) return NAN;
    int n = spec.n, steps = (int)lround(0.6 / t);
    rig.driven[0] = true;
    if (taut) {
        rig.driven[n - 1] = true;
        for (int i = 0; i < n; i++) { /* swings, and turns with it: no shear */
            double s = M_PI * i / (n - 1.0), slope = 0.1 * M_PI / spec.length * n / (n - 1.0);
            rig.m.qvel[6 * i + 1] = 0.1 * sin(s);
            rig.m.qvel[6 * i + 3] = -slope * cos(s);
        }
    }
    rig.work = rig_kinetic(&rig);
    double worst = -INFINITY;
    for (int k = 0; k < steps && !rig.failed; k++) {
        /* taut: stretched by 5 %; else dragged sideways to and fro */
        double sign = k < steps / 2 ? 1.0 : -1.0;
        if (taut)
            rig.drive[n - 1][0] = k * t * speed < 0.05 * spec.length ? speed : 0.0;
        else
            rig.drive[0][1] = rig.drive[0][2] = sign * speed;
        rig_step(&rig);
        double excess = rig_kinetic(&rig) + rig_elastic(&rig) - rig.work;
        worst = fmax(worst, excess / (fabs(rig.work) + 1e-9));
        if (!isfinite(excess)) worst = INFINITY;
    }
    rig_end(&rig);
    return worst;
}

TEST(fast_pulls_add_no_energy_beyond_their_work)
{
    RodSpec spec = {.n = 160, .length = 1.2, .diameter = 8e-3, .density = 1100.0, .nu = 0.4};
    static const double moduli[] = {1e4, 1e6, 1e8, 1e11}, speeds[] = {0.02, 0.5};
    for (int e = 0; e < 4; e++)
        for (int v = 0; v < 2; v++)
            for (int taut = 0; taut < 2; taut++) {
                spec.E = moduli[e];
                /* none; room for the midpoint rule's waves about the exact energy */
                CHECK(pull(spec, 1e-2, speeds[v], taut) < 1e-2);
            }
}
