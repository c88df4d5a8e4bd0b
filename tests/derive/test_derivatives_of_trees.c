/* Columns of trees in closed form against differences of whole steps. */
#include <tenon/tenon.h>

#include "../check.h"

#define STEPS 3
static const double steps_of[STEPS] = {1e-5, 1e-6, 1e-7};

/* Of a column's largest number or of 1, as in test_derivatives_of_scenes.c. */
#define SAME 1e-6

static double at(TnDerivativesView x, int row, int column)
{
    if (column < x.state_count) return x.A[row * x.state_count + column];
    column -= x.state_count;
    if (column < x.ctrl_count) return x.B[row * x.ctrl_count + column];
    return x.P[row * x.parameter_count + column - x.ctrl_count];
}

/* The least of what a column is off by from differences over one of the steps; NaN at a kink. */
static double off_of(TnDerivativesView a, TnDerivatives *const *others, int column)
{
    double least = INFINITY;
    for (int k = 0; k < STEPS; k++) {
        TnDerivativesView b = tn_derivatives_view(others[k]);
        double off = 0.0, size = 1.0;
        if (b.kinks[column] > 1e-3) return NAN;
        for (int i = 0; i < a.state_count; i++) {
            off = fmax(off, fabs(at(a, i, column) - at(b, i, column)));
            size = fmax(size, fabs(at(b, i, column)));
        }
        least = fmin(least, off / size);
    }
    return least;
}

/* Every so many steps: how many columns were in closed form, and the worst of them. */
typedef struct Found {
    int closed, compared, all;
    double worst;
} Found;

static void look(TnWorld *world, const TnParameter *parameters, int count, Found *found)
{
    TnDerivativeDef def = tn_derivative_def();
    def.parameters = parameters;
    def.parameter_count = count;
    TnError err = {0};
    TnDerivatives *closed = tn_derivatives_create(world, &def, &err), *others[STEPS] = {NULL};
    if (!closed) test_fail(__FILE__, __LINE__, "%s", err.message);
    def.method = TN_DERIVATIVES_DIFFERENCES;
    REQUIRE(closed && tn_world_derivatives(world, closed, NULL) == TN_OK);
    for (int k = 0; k < STEPS; k++) {
        def.step = steps_of[k];
        others[k] = tn_derivatives_create(world, &def, NULL);
        REQUIRE(others[k] && tn_world_derivatives(world, others[k], NULL) == TN_OK);
    }
    TnDerivativesView x = tn_derivatives_view(closed);
    int columns = x.state_count + x.ctrl_count + count;
    found->all += columns;
    found->closed += x.closed_count;
    CHECK(x.why_not_closed[0] ? x.closed_count == 0 : x.closed_count > 0);
    for (int c = 0; c < columns && x.closed_count; c++) {
        double off = off_of(x, others, c);
        if (isnan(off)) continue;
        found->compared++;
        found->worst = fmax(found->worst, off);
    }
    tn_derivatives_destroy(closed);
    for (int k = 0; k < STEPS; k++) tn_derivatives_destroy(others[k]);
}

static void run_by(const char *body, const char *rest, const TnParameter *parameters, int count,
                   int every, int times, Found *found)
{
    char text[4096];
    *found = (Found){0};
    TnError err = {0};
    snprintf(text, sizeof text,
             "<mujoco><compiler angle='radian'/><option timestep='0.004'/><worldbody>%s</worldbody>"
             "%s</mujoco>",
             body, rest);
    TnModel *model = tn_model_load_string(text, "test.xml", NULL, &err);
    if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(model);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, NULL);
    double ctrl[8];
    for (int k = 0; k < 8; k++) ctrl[k] = 0.3 - 0.2 * k;
    CHECK(tn_world_set_ctrl(world, ctrl, NULL) == TN_OK);
    for (int k = 0; k < times; k++) {
        for (int i = 0; i < every; i++) tn_world_step(world);
        look(world, parameters, count, found);
    }
    printf("     %d of %d closed, %d compared, %.1e\n", found->closed, found->all, found->compared,
           found->worst);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

static void run(const char *body, const char *rest, int every, int times, Found *found)
{
    run_by(body, rest, NULL, 0, every, times, found);
}

#define LINK(JOINT, INNER)                                                                         \
    "<body pos='0.1 0.02 0.3'>" JOINT "<geom type='capsule' fromto='0 0 0 .05 .1 .25' size='.03' " \
    "contype='0' conaffinity='0'/>" INNER "</body>"

TEST(columns_of_an_arm_are_in_closed_form)
{
    Found x;
    run(LINK("<joint name='a' axis='0 0 1'/>",
             LINK("<joint name='b' axis='0 1 0' damping='0.3'/>",
                  LINK("<joint name='c' type='slide' axis='1 0 1' stiffness='40' damping='2'/>",
                       LINK("<joint name='d' axis='1 0 0'/><joint name='e' axis='0 1 0'/>", "")))),
        "<actuator><motor joint='a' gear='2'/><position joint='b' kp='20' kv='1'/>"
        "<velocity joint='d' kv='0.2'/></actuator>",
        7, 6, &x);
    CHECK(x.closed == x.all && x.compared > 70);
    CHECK(x.worst <= SAME);
}

TEST(so_are_those_of_ball_joints)
{
    Found x;
    run(LINK("<joint type='ball' damping='0.02'/>",
             LINK("<joint type='ball'/>", LINK("<joint axis='0 1 1'/>", ""))),
        "", 9, 5, &x);
    CHECK(x.closed == x.all && x.compared > 60);
    CHECK(x.worst <= SAME);
}

TEST(so_are_those_of_stiff_servos_that_stop_within_the_step)
{
    Found x;
    run(LINK("<joint name='a' axis='0 1 0' armature='0.01'/>",
             LINK("<joint name='b' axis='0 1 0'/>", LINK("<joint name='c' axis='1 0 0'/>", ""))),
        "<actuator><position joint='a' kp='900' kv='60'/><position joint='b' kp='900' "
        "kv='90'/><general joint='c' gainprm='3' dyntype='filter' dynprm='0.05'/></actuator>",
        11, 5, &x);
    CHECK(x.closed == x.all && x.compared > 40);
    CHECK(x.worst <= SAME);
}

TEST(so_are_those_of_limits_dry_friction_tendons_and_equalities)
{
    Found x;
    run(LINK("<joint name='a' axis='0 1 0' frictionloss='0.1'/>",
             LINK("<joint name='b' axis='0 1 0' limited='true' range='-0.2 0.2'/>",
                  LINK("<joint name='c' axis='1 0 0' frictionloss='0.02'/>", "")))
            LINK("<joint name='d' axis='1 0 0'/>",
                 LINK("<joint name='e' axis='0 1 0' damping='0.05'/>", "")),
        "<tendon><fixed name='t' stiffness='5' damping='0.1' frictionloss='0.01'><joint joint='a' "
        "coef='1'/><joint joint='c' coef='-0.5'/></fixed></tendon>"
        "<equality><joint joint1='d' joint2='e' polycoef='0 0.5 0 0 0'/></equality>"
        "<actuator><motor joint='a' gear='0.5'/><position tendon='t' kp='3'/></actuator>",
        9, 9, &x);
    CHECK(2 * x.closed > x.all && x.compared > 60);
    CHECK(x.worst <= SAME);
}

/* How far it moves by v⁺ then follows its state, and so does the equality. */
TEST(so_are_those_of_equalities_of_what_dampers_stop)
{
    Found x;
    run(LINK("<joint name='a' axis='0 1 0'/>",
             LINK("<joint name='b' axis='0 1 0' stiffness='4000' damping='40'/>",
                  LINK("<joint name='c' axis='1 0 0' frictionloss='0.02'/>", ""))),
        "<equality><joint joint1='a' joint2='c' polycoef='0.1 0.5 0 0 0'/></equality>"
        "<actuator><position joint='c' kp='900' kv='60'/></actuator>",
        5, 12, &x);
    CHECK(x.closed > 0 && x.compared > 0);
    CHECK(x.worst <= SAME);
}

TEST(so_are_those_of_parameters)
{
    const TnParameter all[] = {{TN_PARAMETER_GRAVITY, 0, 2},   {TN_PARAMETER_GRAVITY, 0, 0},
                               {TN_PARAMETER_MASS, 2, 0},      {TN_PARAMETER_MASS, 4, 0},
                               {TN_PARAMETER_COM, 3, 1},       {TN_PARAMETER_INERTIA, 3, 0},
                               {TN_PARAMETER_INERTIA, 4, 4},   {TN_PARAMETER_ARMATURE, 2, 0},
                               {TN_PARAMETER_STIFFNESS, 3, 0}, {TN_PARAMETER_SPRING_REF, 3, 0},
                               {TN_PARAMETER_DAMPING, 1, 0},   {TN_PARAMETER_FRICTION_LOSS, 2, 0},
                               {TN_PARAMETER_GAIN, 1, 0},      {TN_PARAMETER_BIAS, 2, 0}};
    Found x;
    run_by(LINK("<joint name='a' axis='0 1 0' damping='0.2' armature='0.3'/>",
                LINK("<joint name='b' axis='1 0 0' frictionloss='0.05'/>",
                     LINK("<joint name='c' axis='0 1 1' stiffness='3' springref='0.2'/>", ""))),
           "<actuator><motor joint='a' gear='3'/><position joint='c' kp='2'/></actuator>", all, 14,
           9, 5, &x);
    CHECK(x.closed == x.all && x.compared > 90);
    CHECK(x.worst <= SAME);
}

/* Of v_0 at the start, after so many steps. */
#define MANY 40
static void product(TnWorld *world, double *x)
{
    TnDerivativeDef def = tn_derivative_def();
    TnDerivatives *d = tn_derivatives_create(world, &def, NULL);
    REQUIRE(d);
    for (int k = 0; k < MANY; k++) {
        double next[6] = {0.0};
        CHECK(tn_world_derivatives(world, d, NULL) == TN_OK);
        TnDerivativesView view = tn_derivatives_view(d);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) next[i] += view.A[6 * i + j] * x[j];
        memcpy(x, next, sizeof next);
        tn_world_step(world);
    }
    tn_derivatives_destroy(d);
}

TEST(products_of_columns_are_derivatives_of_many_steps)
{
    const char *text = "<mujoco><option timestep='0.004'/><worldbody>" LINK(
        "<joint axis='0 1 0'/>",
        LINK("<joint axis='0 1 0'/>", LINK("<joint axis='1 1 0'/>", ""))) "</worldbody></mujoco>";
    TnModel *model = tn_model_load_string(text, "test.xml", NULL, NULL);
    REQUIRE(model);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, NULL);
    const double h = 1e-5, q[3] = {0.3, -0.2, 0.5};
    double x[6] = {0.0, 0.0, 0.0, 1.0}, end[2][6];
    for (int side = -1; side < 2; side++) {
        double v[3] = {1.0 + side * h, 2.0, -1.0};
        tn_world_set_state(world, q, v, NULL);
        if (side == 0) {
            product(world, x);
            continue;
        }
        for (int k = 0; k < MANY; k++) tn_world_step(world);
        TnStateView state = tn_world_state(world);
        memcpy(end[side > 0], state.qpos, sizeof(double[3]));
        memcpy(end[side > 0] + 3, state.qvel, sizeof(double[3]));
    }
    /* numbers of 1; passes of a step agree to 1e-7 of velocities, and differences have that over
     * 2 h, some of which is the same on both sides */
    for (int i = 0; i < 6; i++) CHECK_NEAR(x[i], (end[1][i] - end[0][i]) / (2.0 * h), 1e-4);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* Smoothed columns of an arm; `more`: what else is in its world. */
#define DOFS 3
static int smoothed(const char *more, int steps, double *A)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "<mujoco><compiler angle='radian'/><option timestep='0.004'/><worldbody>" LINK(
            "<joint name='a' axis='0 1 0' frictionloss='0.1'/>",
            LINK("<joint axis='0 1 0' limited='true' range='-0.2 0.2'/>",
                 LINK("<joint name='c' axis='1 0 0' frictionloss='0.02'/>",
                      ""))) "%s</worldbody><tendon><fixed name='t' stiffness='5' damping='0.1' "
                            "frictionloss='0.01'><joint "
                            "joint='a' coef='1'/><joint joint='c' "
                            "coef='-0.5'/></fixed></tendon><actuator><motor joint='a' "
                            "gear='0.5'/><position tendon='t' kp='3'/></actuator></mujoco>",
        more);
    TnModel *model = tn_model_load_string(text, "test.xml", NULL, NULL);
    TnWorldDef world_def = tn_world_def();
    TnWorld *world = tn_world_create(&world_def, model, NULL);
    const double ctrl[2] = {0.3, 0.28};
    CHECK(tn_world_set_ctrl(world, ctrl, NULL) == TN_OK);
    for (int k = 0; k < steps; k++) tn_world_step(world);
    TnDerivativeDef def = tn_derivative_def();
    def.smoothing = 1.0;
    TnDerivatives *d = tn_derivatives_create(world, &def, NULL);
    CHECK(tn_world_derivatives(world, d, NULL) == TN_OK);
    TnDerivativesView x = tn_derivatives_view(d);
    int n = x.state_count, nv = n / 2;
    for (int i = 0; i < 2 * DOFS; i++)
        for (int k = 0; k < 2 * DOFS; k++)
            A[2 * DOFS * i + k] = x.A[(i / DOFS * nv + i % DOFS) * n + k / DOFS * nv + k % DOFS];
    int closed = x.closed_count;
    tn_derivatives_destroy(d);
    tn_world_destroy(world);
    tn_model_destroy(model);
    return closed;
}

/* A free body far away keeps columns of the same arm out of closed form. */
TEST(smoothed_columns_are_those_of_differences_of_smoothed_steps)
{
    double closed[4 * DOFS * DOFS], other[4 * DOFS * DOFS];
    int found = 0;
    for (int steps = 30; steps < 60; steps += 3) {
        if (!smoothed("", steps, closed)) continue;
        found++;
        CHECK(smoothed("<body pos='0 9 0'><freejoint/><geom size='.1'/></body>", steps, other) ==
              0);
        /* differences have an error of step² times curvature, which is large where laws bend */
        for (int i = 0; i < 4 * DOFS * DOFS; i++)
            CHECK_NEAR(closed[i], other[i], 1e-5 * fmax(1.0, fabs(other[i])));
    }
    CHECK(found > 5);
}

TEST(columns_with_a_contact_are_not)
{
    Found x;
    run("<geom type='plane' size='1 1 1'/><body pos='0 0 0.1'><joint type='slide' axis='0 0 1'/>"
        "<joint type='slide' axis='1 0 0'/><geom size='0.1'/></body>",
        "", 3, 1, &x);
    CHECK(x.all == 4 && x.closed == 0);
}
