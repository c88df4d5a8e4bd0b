/* Derivatives of a step against closed forms, their adjoint, and what is refused. */
#include "../step/scene.h"

#include "../check.h"
#include "base/base.h"

#define H 0.01
#define G 9.81

static TnDerivatives *derive(const TnWorld *world, TnDerivativeMethod method,
                             const TnParameter *parameters, int count)
{
    TnError err = {0};
    TnDerivativeDef def = tn_derivative_def();
    def.method = method;
    def.parameters = parameters;
    def.parameter_count = count;
    TnDerivatives *d = tn_derivatives_create(world, &def, &err);
    if (!d || tn_world_derivatives(world, d, &err) != TN_OK) test_fail(__FILE__, __LINE__, "no d");
    return d;
}

/* A block of 1 kg that slides along x at 2 m/s over a floor with μ = 0.3; long enough that the
 * friction does not tilt it. */
static TnWorld *sliding(TnModel **model)
{
    Scene scene = scene_begin();
    scene.option.timestep = H;
    const double size[3] = {0.5, 0.5, 0.05}, at[3] = {0.0, 0.0, 0.05};
    scene_plane(&scene, 0.3);
    scene_free(&scene, TN_GEOM_BOX, size, 1.0, at, 0.3, 0.0);
    *model = scene_compile(&scene);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, *model, NULL);
    double v[6] = {2.0};
    tn_world_set_state(world, NULL, v, NULL);
    return world;
}

TEST(friction_brakes_a_sliding_block_by_g_t_per_unit_of_it)
{
    TnModel *model;
    TnWorld *world = sliding(&model);
    /* a pair has the larger of both coefficients: the block's is made the smaller one */
    const TnParameter both[] = {
        {TN_PARAMETER_FRICTION, 1, 0}, {TN_PARAMETER_GRAVITY, 0, 2}, {TN_PARAMETER_MASS, 2, 0}};
    double friction[3] = {0.1, 0.0, 0.0};
    CHECK(tn_world_set_geom_friction(world, 2, friction, NULL) == TN_OK);
    double v[6] = {2.0};
    tn_world_set_state(world, NULL, v, NULL);
    for (int method = 0; method < TN_DERIVATIVE_METHOD_COUNT; method++) {
        TnDerivatives *d = derive(world, (TnDerivativeMethod)method, both, 3);
        TnDerivativesView out = tn_derivatives_view(d);
        CHECK(out.state_count == 12 && out.parameter_count == 3);
        /* v⁺ = v - μ g t, and x⁺ = x + t (v + v⁺)/2; differences of 1e-6 of numbers of 2 have 1e-10
         */
        CHECK_NEAR(out.P[6 * 3 + 0], -G * H, 1e-9);
        CHECK_NEAR(out.P[0 * 3 + 0], -0.5 * G * H * H, 1e-9);
        CHECK_NEAR(out.P[6 * 3 + 1], 0.3 * H, 1e-9); /* gravity is -g */
        CHECK_NEAR(out.P[6 * 3 + 2], 0.0, 1e-8);
        CHECK_NEAR(out.A[6 * 12 + 6], 1.0, 1e-9);
        CHECK_NEAR(out.A[0 * 12 + 6], H, 1e-9);
        CHECK_NEAR(out.A[0 * 12 + 0], 1.0, 1e-9);
        tn_derivatives_destroy(d);
    }
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(derivatives_leave_the_world_as_it_is)
{
    TnModel *model;
    TnWorld *world = sliding(&model);
    for (int k = 0; k < 3; k++) tn_world_step(world);
    uint64_t before = tn_world_hash(world);
    int contacts = tn_world_contact_count(world);
    TnDerivatives *d = derive(world, TN_DERIVATIVES_IMPLICIT, NULL, 0);
    CHECK(tn_world_hash(world) == before && tn_world_contact_count(world) == contacts);
    TnDerivativesView out = tn_derivatives_view(d);
    CHECK(!tn_world_step(world).diverged);
    TnStateView state = tn_world_state(world);
    /* forces of the copy are solved more exactly: the tolerance's share of gravity × timestep */
    for (int k = 0; k < 7; k++) CHECK_NEAR(out.next_qpos[k], state.qpos[k], 1e-8);
    for (int k = 0; k < 6; k++) CHECK_NEAR(out.next_qvel[k], state.qvel[k], 1e-6);
    tn_derivatives_destroy(d);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(two_elastic_balls_exchange_their_velocities)
{
    Scene scene = scene_begin();
    scene.option.timestep = H;
    memset(scene.option.gravity, 0, sizeof scene.option.gravity);
    const double size[3] = {0.1, 0.0, 0.0}, left[3] = {0.0, 0.0, 0.0}, right[3] = {0.205, 0.0, 0.0};
    scene_free(&scene, TN_GEOM_SPHERE, size, 1.0, left, 0.0, 1.0);
    scene_free(&scene, TN_GEOM_SPHERE, size, 1.0, right, 0.0, 1.0);
    TnModel *model = scene_compile(&scene);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, NULL);
    double v[12] = {1.0};
    tn_world_set_state(world, NULL, v, NULL); /* they meet in the middle of the step */
    TnDerivatives *d = derive(world, TN_DERIVATIVES_IMPLICIT, NULL, 0);
    const double *A = tn_derivatives_view(d).A;
    const int n = 24, x1 = 0, x2 = 6, v1 = 12, v2 = 18;
    /* with positions: x1⁺ = x2 - 0.2 + …: each goes on as the other would have */
    CHECK_NEAR(A[v1 * n + v1], 0.0, 1e-9);
    CHECK_NEAR(A[v1 * n + v2], 1.0, 1e-9);
    CHECK_NEAR(A[v2 * n + v1], 1.0, 1e-9);
    CHECK_NEAR(A[v2 * n + v2], 0.0, 1e-9);
    CHECK_NEAR(A[x1 * n + x1], 0.0, 1e-9);
    CHECK_NEAR(A[x1 * n + x2], 1.0, 1e-9);
    CHECK_NEAR(A[x2 * n + x1], 1.0, 1e-9);
    CHECK_NEAR(A[x2 * n + x2], 0.0, 1e-9);
    CHECK_NEAR(A[x2 * n + v1], H, 1e-9);
    tn_derivatives_destroy(d);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(an_open_contact_leaves_exact_zeros)
{
    Scene scene = scene_begin();
    scene.option.timestep = H;
    const double size[3] = {0.1, 0.1, 0.1}, low[3] = {0.0, 0.0, 0.1}, high[3] = {0.0, 0.0, 0.31};
    scene_plane(&scene, 0.5);
    scene_free(&scene, TN_GEOM_BOX, size, 1.0, low, 0.5, 0.0);
    scene_free(&scene, TN_GEOM_BOX, size, 1.0, high, 0.5, 0.0);
    TnModel *model = scene_compile(&scene);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, NULL);
    TnDerivatives *d = derive(world, TN_DERIVATIVES_IMPLICIT, NULL, 0);
    const double *A = tn_derivatives_view(d).A;
    for (int i = 0; i < 24; i++)
        for (int k = 0; k < 24; k++)
            if (i % 12 / 6 != k % 12 / 6) CHECK(A[24 * i + k] == 0.0);
    tn_derivatives_destroy(d);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(the_adjoint_is_the_transpose)
{
    TnModel *model;
    TnWorld *world = sliding(&model);
    const TnParameter mass = {TN_PARAMETER_MASS, 2, 0};
    TnDerivatives *d = derive(world, TN_DERIVATIVES_IMPLICIT, &mass, 1);
    TnDerivativesView out = tn_derivatives_view(d);
    double g[12], x[12], p, sum, scale;
    for (int k = 0; k < 12; k++) g[k] = sin(1.0 + k);
    CHECK(tn_derivatives_adjoint(d, g, x, NULL, &p, NULL) == TN_OK);
    for (int k = 0; k < 12; k++) {
        sum = scale = 0.0;
        for (int i = 0; i < 12; i++) {
            sum += out.A[12 * i + k] * g[i];
            scale += fabs(out.A[12 * i + k] * g[i]);
        }
        CHECK_NEAR(x[k], sum, 1e-14 * scale); /* the same sum in the same order, fused or not */
    }
    sum = 0.0;
    for (int i = 0; i < 12; i++) sum += out.P[i] * g[i];
    CHECK_NEAR(p, sum, 1e-14);
    tn_derivatives_destroy(d);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(one_side_is_near_both)
{
    TnModel *model;
    TnWorld *world = sliding(&model);
    TnDerivativeDef def = tn_derivative_def();
    TnDerivatives *two = tn_derivatives_create(world, &def, NULL);
    def.sides = 1;
    def.step = 1e-7;
    TnDerivatives *one = tn_derivatives_create(world, &def, NULL);
    REQUIRE(one && two);
    CHECK(tn_world_derivatives(world, one, NULL) == TN_OK);
    CHECK(tn_world_derivatives(world, two, NULL) == TN_OK);
    TnDerivativesView a = tn_derivatives_view(one), b = tn_derivatives_view(two);
    for (int c = 0; c < 12; c++) /* but at a kink: the block rests on the floor */
        for (int i = 0; i < 12 && b.kinks[c] < 1e-3; i++)
            CHECK_NEAR(a.A[12 * i + c], b.A[12 * i + c], 1e-6);
    tn_derivatives_destroy(one);
    tn_derivatives_destroy(two);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(threads_share_columns_with_the_same_bits)
{
    TnModel *model;
    TnWorld *world = sliding(&model);
    TnDerivativeDef def = tn_derivative_def();
    TnDerivatives *one = tn_derivatives_create(world, &def, NULL);
    def.thread_count = 4;
    TnDerivatives *four = tn_derivatives_create(world, &def, NULL);
    REQUIRE(one && four);
    CHECK(tn_world_derivatives(world, one, NULL) == TN_OK);
    CHECK(tn_world_derivatives(world, four, NULL) == TN_OK);
    CHECK(memcmp(tn_derivatives_view(one).A, tn_derivatives_view(four).A,
                 sizeof(double) * 12 * 12) == 0);
    tn_derivatives_destroy(one);
    tn_derivatives_destroy(four);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(tangents_undo_each_other)
{
    TnModel *model;
    TnWorld *world = sliding(&model);
    double q[7] = {1.0, -2.0, 3.0, 0.5, -0.1, 0.7, 0.2}, to[7], d[6],
           way[6] = {0.1, 0.2, 0.3, 0.2, -0.1, 0.05};
    tn_world_set_state(world, q, NULL, NULL);
    const double *from = tn_world_state(world).qpos;
    tn_model_displace(model, from, way, to);
    tn_model_difference(model, from, to, d);
    for (int k = 0; k < 3; k++) CHECK_NEAR(d[k], way[k], 1e-15);
    /* the Cayley map turns by 2 atan(|w|/2), along the same axis */
    double size = sqrt(0.2 * 0.2 + 0.1 * 0.1 + 0.05 * 0.05), share = 2.0 * atan(0.5 * size) / size;
    for (int k = 3; k < 6; k++) CHECK_NEAR(d[k], share * way[k], 1e-15);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

static void check_refused(const TnWorld *world, TnDerivativeDef def, const char *why)
{
    TnError err = {0};
    CHECK(!tn_derivatives_create(world, &def, &err));
    CHECK_STR(err.message, why);
}

TEST(bad_input_is_refused)
{
    TnModel *model;
    TnWorld *world = sliding(&model);
    TnDerivativeDef def = tn_derivative_def();
    TnParameter p = {TN_PARAMETER_MASS, 7, 0};
    def.step = 0.0;
    check_refused(world, def, "step");
    def = tn_derivative_def();
    def.thread_count = 0;
    check_refused(world, def, "thread_count");
    def = tn_derivative_def();
    def.smoothing = -1.0;
    check_refused(world, def, "smoothing");
    def.smoothing = 1.0;
    def.method = TN_DERIVATIVES_DIFFERENCES;
    check_refused(world, def, "cannot be smoothed");
    def = tn_derivative_def();
    def.sides = 3;
    check_refused(world, def, "sides");
    def = tn_derivative_def();
    def.compliance = NAN;
    check_refused(world, def, "compliance");
    def = tn_derivative_def();
    def.parameter_count = 1;
    check_refused(world, def, "parameters");
    def.parameters = &p;
    check_refused(world, def, "no mass of 7");
    p = (TnParameter){TN_PARAMETER_FRICTION, 1, 3};
    check_refused(world, def, "index of friction");
    p = (TnParameter){TN_PARAMETER_SIZE, 1, 0};
    check_refused(world, def, "no size");
    p = (TnParameter){TN_PARAMETER_KIND_COUNT, 1, 0};
    check_refused(world, def, "no such kind");
    p = (TnParameter){TN_PARAMETER_DAMPING, 1, 0};
    check_refused(world, def, "free body");
    TnError err = {0};
    CHECK(!tn_derivatives_create(NULL, &def, &err));
    CHECK(tn_world_derivatives(world, NULL, &err) == TN_ERROR_USAGE);
    CHECK(tn_derivatives_adjoint(NULL, NULL, NULL, NULL, NULL, &err) == TN_ERROR_USAGE);
    CHECK(tn_derivatives_view(NULL).A == NULL);
    tn_derivatives_destroy(NULL);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* A ball of 1 kg on two slides, along x and z, on a floor with μ = 0.5 or above it. */
static TnWorld *guided(TnModel **model, double height)
{
    Scene scene = scene_begin();
    scene.option.timestep = H;
    const double size[3] = {0.1, 0.0, 0.0}, at[3] = {0.0, 0.0, 0.1 + height};
    scene_plane(&scene, 0.5);
    TnBodyId ball = scene_body(&scene, TN_GEOM_SPHERE, size, 1.0, at, 0.5, 0.0);
    for (int k = 0; k < 3; k += 2) {
        TnJointDef joint = tn_joint_def();
        joint.body = ball;
        joint.type = TN_JOINT_SLIDE;
        memset(joint.axis, 0, sizeof joint.axis);
        joint.axis[k] = 1.0;
        tn_builder_add_joint(scene.builder, &joint);
    }
    *model = scene_compile(&scene);
    TnWorldDef def = tn_world_def();
    return tn_world_create(&def, *model, NULL);
}

TEST(smoothed_laws_are_those_of_the_closed_form)
{
    TnModel *model;
    TnWorld *world = guided(&model, 0.0);
    double v[2] = {0.03, 0.0};
    tn_world_set_state(world, NULL, v, NULL);
    TnDerivativeDef def = tn_derivative_def();
    def.smoothing = 1.0;
    TnDerivatives *d = tn_derivatives_create(world, &def, NULL);
    REQUIRE(d && tn_world_derivatives(world, d, NULL) == TN_OK);
    TnDerivativesView out = tn_derivatives_view(d);
    CHECK(out.implicit_count == 4 && out.why[0] == '\0');
    /* u = θ v⁺ with θ = 1/2, D = θ t / m, the force n by bisection of u(n) = θ t (n - g) */
    double slow = 0.5 * G * H, near = 0.1 * slow, give = 0.5 * H / 60.0, low = 0.0, high = 1e3,
           slope = 0.0, n = 0.0;
    for (int k = 0; k < 200; k++) {
        n = 0.5 * (low + high);
        double u = 0.5 * H * (n - G), root = sqrt(u * u + 4.0 * near * near);
        slope = 0.5 * (u / root - 1.0) / give; /* dn/du of the law */
        *(0.5 * (root - u) / give > n ? &low : &high) = n;
    }
    /* v⁺ = v + t (n - g), so dv⁺/dv = 1 / (1 - θ t dn/du) */
    double along = 1.0 / (1.0 - 0.5 * H * slope);
    CHECK_NEAR(out.A[3 * 4 + 3], along, 1e-8);
    /* w = θ v⁺ = θ (v - μ t n w / √(w² + slow²)) */
    double w = 0.0;
    for (int k = 0; k < 200; k++) {
        double root = sqrt(w * w + slow * slow), F = w - 0.5 * (0.03 - 0.5 * H * n * w / root);
        w -= F / (1.0 + 0.25 * H * n * slow * slow / (root * root * root));
    }
    double root = sqrt(w * w + slow * slow), brake = 0.25 * H * n * slow * slow;
    CHECK_NEAR(out.A[2 * 4 + 2], 1.0 / (1.0 + brake / (root * root * root)), 1e-8);
    /* and what the normal force does to friction: dn/dv_z = dn/du θ dv⁺/dv */
    double dn = slope * 0.5 * along;
    CHECK_NEAR(out.A[2 * 4 + 3], -0.5 * H * dn * w / root / (1.0 + brake / (root * root * root)),
               1e-8);
    tn_derivatives_destroy(d);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(little_smoothing_is_the_law_itself)
{
    TnModel *model;
    TnWorld *world = guided(&model, 0.0);
    double v[2] = {1.0, 0.0};
    tn_world_set_state(world, NULL, v, NULL);
    TnDerivativeDef def = tn_derivative_def();
    TnDerivatives *exact = tn_derivatives_create(world, &def, NULL);
    def.smoothing = 1e-3;
    def.compliance = 1e-3;
    TnDerivatives *smooth = tn_derivatives_create(world, &def, NULL);
    REQUIRE(exact && smooth && tn_world_derivatives(world, exact, NULL) == TN_OK &&
            tn_world_derivatives(world, smooth, NULL) == TN_OK);
    TnDerivativesView a = tn_derivatives_view(exact), b = tn_derivatives_view(smooth);
    /* the ball slides: friction is off by (slow/v)²/2, and the normal velocity by the compliance */
    for (int k = 2; k < 4; k++)
        for (int i = 2; i < 4; i++) CHECK_NEAR(a.A[4 * k + i], b.A[4 * k + i], 2e-3);
    tn_derivatives_destroy(exact);
    tn_derivatives_destroy(smooth);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(smoothed_contacts_are_felt_over_a_gap)
{
    TnModel *model;
    TnWorld *world = guided(&model, 0.0015); /* the ball falls by 1 mm in this step */
    TnDerivativeDef def = tn_derivative_def();
    TnDerivatives *exact = tn_derivatives_create(world, &def, NULL);
    def.smoothing = 1.0;
    TnDerivatives *smooth = tn_derivatives_create(world, &def, NULL);
    REQUIRE(exact && smooth && tn_world_derivatives(world, exact, NULL) == TN_OK &&
            tn_world_derivatives(world, smooth, NULL) == TN_OK);
    CHECK_NEAR(tn_derivatives_view(exact).A[3 * 4 + 3], 1.0, 1e-9);
    double felt = tn_derivatives_view(smooth).A[3 * 4 + 3];
    CHECK(felt > 0.5 && felt < 0.999);
    tn_derivatives_destroy(exact);
    tn_derivatives_destroy(smooth);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(laws_at_a_switch_are_named)
{
    TnModel *model;
    TnWorld *world = guided(&model, 0.0);
    /* just stopped by friction: μ g t of velocity */
    double v[2] = {0.5 * G * H, 0.0};
    tn_world_set_state(world, NULL, v, NULL);
    TnDerivatives *d = derive(world, TN_DERIVATIVES_IMPLICIT, NULL, 0);
    TnDerivativesView out = tn_derivatives_view(d);
    REQUIRE(out.switch_count == 1);
    CHECK(out.switches[0].kind == TN_SWITCH_SLIP);
    CHECK(out.switches[0].geom1 + out.switches[0].geom2 == 3);
    CHECK(out.switches[0].margin < 1e-6); /* the tolerance of the solution */
    tn_derivatives_destroy(d);
    v[0] *= 2.0;
    tn_world_set_state(world, NULL, v, NULL);
    d = derive(world, TN_DERIVATIVES_IMPLICIT, NULL, 0);
    CHECK(tn_derivatives_view(d).switch_count == 0);
    tn_derivatives_destroy(d);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(memory_that_fails_is_an_error_and_nothing_is_left)
{
    TnModel *model;
    TnWorld *world = sliding(&model);
    tn_world_step(world);
    uint64_t before = tn_world_hash(world);
    const TnParameter mass = {TN_PARAMETER_MASS, 2, 0};
    TnDerivativeDef def = tn_derivative_def();
    def.parameters = &mass;
    def.parameter_count = 1;
    def.smoothing = 1.0;
    long live = tn_malloc_live();
    bool done = false;
    for (long k = 0; !done; k += UNLESS_SANITIZED(1, 7)) {
        TnError err = {0};
        tn_malloc_fail_after(k);
        TnDerivatives *d = tn_derivatives_create(world, &def, &err);
        TnStatus status = d ? tn_world_derivatives(world, d, &err) : TN_ERROR_MEMORY;
        tn_malloc_fail_after(-1);
        done = status == TN_OK && tn_derivatives_view(d).why[0] == '\0';
        if (!d) CHECK(err.code == TN_ERROR_MEMORY);
        tn_derivatives_destroy(d);
        CHECK(tn_malloc_live() == live);
        CHECK(k < 100000);
    }
    CHECK(tn_world_hash(world) == before);
    tn_world_destroy(world);
    tn_model_destroy(model);
}
