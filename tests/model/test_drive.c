/* Tendons and actuators as compile leaves them: order, coupling of dofs, damping ratios. */
#include "build.h"

/* Mass m on a slide along z. */
static TnJointId slider(TnModelBuilder *b, TnBodyId parent, double mass, TnBodyId *body)
{
    TnBodyDef def = tn_body_def();
    def.parent = parent;
    def.has_inertia = true;
    def.mass = mass;
    v3_set(def.inertia, 0.1, 0.1, 0.1);
    TnBodyId id = tn_builder_add_body(b, &def);
    if (body) *body = id;
    TnJointDef joint = tn_joint_def();
    joint.body = id;
    joint.type = TN_JOINT_SLIDE;
    return tn_builder_add_joint(b, &joint);
}

static TnActuatorDef servo(double kp, double ratio)
{
    TnActuatorDef def = tn_actuator_def();
    def.gain = kp;
    def.bias[1] = -kp;
    def.damping_ratio = ratio;
    return def;
}

TEST(a_damping_ratio_of_one_is_critical_damping_of_what_the_actuator_moves)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId base;
    slider(b, TN_BODY_WORLD, 3.0, &base);
    TnTendonJoint parts[2] = {{slider(b, base, 2.0, NULL), 0.5}, {slider(b, base, 2.0, NULL), 0.5}};
    TnTendonDef tendon = tn_tendon_def();
    tendon.joints = parts;
    tendon.joint_count = 2;
    TnActuatorDef lone = servo(50.0, 1.0), both = servo(50.0, 0.7), geared = servo(50.0, 1.0);
    lone.joint = parts[0].joint;
    both.tendon = tn_builder_add_tendon(b, &tendon);
    geared.joint = parts[0].joint;
    geared.gear = -4.0;
    tn_builder_add_actuator(b, &lone);
    tn_builder_add_actuator(b, &both);
    tn_builder_add_actuator(b, &geared);
    TnModel *m = compile(b);
    REQUIRE(m);
    /* masses a, a that slide on a base c: M⁻¹ has 1/a + 1/c on the diagonal and 1/c beside it */
    double one = 1.0 / (1.0 / 2.0 + 1.0 / 3.0);
    double two = 1.0 / (0.25 * (2.0 / 2.0 + 4.0 / 3.0));
    CHECK_NEAR(m->actuators[0].bias[2], -2.0 * sqrt(50.0 * one), 1e-13); /* rounding */
    CHECK_NEAR(m->actuators[1].bias[2], -2.0 * 0.7 * sqrt(50.0 * two), 1e-13);
    CHECK_NEAR(m->actuators[2].bias[2], -2.0 * sqrt(50.0 * one / 16.0), 1e-13);
    CHECK(m->actuators[0].bias[1] == -50.0 && m->actuators[0].gain == 50.0);
    tn_model_destroy(m);
}

TEST(the_damping_ratio_of_a_hinge_knows_its_lever_its_armature_and_its_free_base)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyDef rod = tn_body_def();
    rod.has_inertia = true;
    rod.mass = 2.0;
    rod.inertia_pos[0] = 0.3;
    v3_set(rod.inertia, 0.02, 0.03, 0.04);
    rod.quat[0] = 0.6, rod.quat[1] = 0.8;
    TnJointDef hinge = tn_joint_def();
    hinge.body = tn_builder_add_body(b, &rod);
    hinge.pos[0] = -0.1;
    hinge.armature = 0.05;
    TnActuatorDef fixed = servo(10.0, 1.0), floating = servo(10.0, 1.0);
    fixed.joint = tn_builder_add_joint(b, &hinge);
    /* the same on a free base of 1 kg, held at its centre: I = 1 / (1/I_c + 1/I_base), where the
     * arm's own mass is balanced about the joint */
    TnBodyDef ball = tn_body_def();
    ball.has_inertia = true;
    ball.mass = 1.0;
    v3_set(ball.inertia, 0.1, 0.1, 0.1);
    TnBodyId base = tn_builder_add_body(b, &ball);
    TnJointDef free = tn_joint_def();
    free.body = base;
    free.type = TN_JOINT_FREE;
    tn_builder_add_joint(b, &free);
    rod.parent = base;
    rod.inertia_pos[0] = 0.0;
    TnJointDef axle = tn_joint_def();
    axle.body = tn_builder_add_body(b, &rod);
    floating.joint = tn_builder_add_joint(b, &axle);
    tn_builder_add_actuator(b, &fixed);
    tn_builder_add_actuator(b, &floating);
    TnModel *m = compile(b);
    REQUIRE(m);
    CHECK_NEAR(m->actuators[0].bias[2], -2.0 * sqrt(10.0 * (0.04 + 2.0 * 0.16 + 0.05)), 1e-13);
    CHECK_NEAR(m->actuators[1].bias[2], -2.0 * sqrt(10.0 / (1.0 / 0.04 + 1.0 / 0.1)), 1e-13);
    tn_model_destroy(m);
}

TEST(tendons_lay_their_joints_on_one_way_to_the_root)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId base, left, right;
    slider(b, TN_BODY_WORLD, 1.0, &base);                                        /* dof 0 */
    TnJointId a = slider(b, base, 1.0, &left), c = slider(b, left, 1.0, NULL);   /* 1, 2 */
    TnJointId d = slider(b, base, 1.0, &right), e = slider(b, right, 1.0, NULL); /* 3, 4 */
    TnTendonJoint parts[2] = {{e, 2.0}, {a, -1.0}};
    TnTendonDef tendon = tn_tendon_def();
    tendon.joints = parts;
    tendon.joint_count = 2;
    tn_builder_add_tendon(b, &tendon);
    TnModel *m = compile(b);
    REQUIRE(m);
    static const int parent[5] = {-1, 0, 1, 0, 3}, couple[5] = {-1, 0, 1, 1, 3};
    for (int k = 0; k < 5; k++)
        CHECK(m->dof_parent[k] == parent[k] && m->dof_couple[k] == couple[k]);
    CHECK(m->tendons[0].moments[0].dof == 1 && m->tendons[0].moments[0].coef == -1.0);
    CHECK(m->tendons[0].moments[1].dof == 4 && m->tendons[0].moments[1].coef == 2.0);
    CHECK(c == 3 && d == 4); /* dofs follow the order of definition */
    tn_model_destroy(m);
}

TEST(a_model_with_a_damping_ratio_needs_its_memory_or_says_so)
{
    int refused = 0, made = 0;
    for (long calls = 0; calls < 40 && !made; calls++) {
        TnError err = {0};
        TnModelBuilder *b = tn_builder_create();
        TnActuatorDef def = servo(50.0, 1.0);
        def.joint = slider(b, TN_BODY_WORLD, 3.0, NULL);
        tn_builder_add_actuator(b, &def);
        tn_malloc_fail_after(calls);
        TnModel *m = tn_builder_compile(b, &err);
        tn_malloc_fail_after(-1);
        if (m)
            made++;
        else {
            refused++;
            CHECK(err.code == TN_ERROR_MEMORY);
            CHECK_STR(err.message, "no memory for the model");
        }
        tn_model_destroy(m);
        tn_builder_destroy(b);
    }
    CHECK(made == 1 && refused >= 3); /* the block, the scratch, the mass matrix */
}
