/* tn_world_worst_constraint: what has the largest error, in words. */
#include "../check.h"

#include "../step/scene.h"
#include "../subsystem/soft/soft_scenes.h"

#include "../io/mjcf_text.h"
#include "world/world.h"

static TnWorldDef careful(double tolerance)
{
    TnWorldDef def = tn_world_def();
    def.solver.tolerance = tolerance;
    return def;
}

static TnWorld *world_of(const TnModel *model, TnWorldDef def)
{
    TnError err = {0};
    TnWorld *world = tn_world_create(&def, model, &err);
    if (!world) printf("    %s\n", err.message);
    return world;
}

static void worst_of(TnModel *model, TnWorldDef def, const char *expected)
{
    char text[128], small[8];
    REQUIRE(model);
    def.solver.method = TN_METHOD_SUBADMM;
    def.solver.tolerance = 1e-300; /* not to be had: the guess is never good enough */
    def.solver.iterations = 1;
    TnWorld *world = world_of(model, def);
    REQUIRE(world);
    TnStepReport report = tn_world_step(world);
    REQUIRE(report.island_count > 0);
    tn_world_worst_constraint(world, report.worst_island, text, sizeof text);
    CHECK_STR(text, expected);
    tn_world_worst_constraint(world, report.worst_island, small, sizeof small);
    CHECK(strlen(small) < sizeof small && strncmp(text, small, strlen(small)) == 0);
    tn_world_worst_constraint(world, report.island_count, text, sizeof text);
    CHECK(text[0] == '\0');
    tn_world_destroy(world);
    tn_model_destroy(model);
}

static void worst_in(const char *body, const char *expected)
{
    char text[2048];
    TnError err = {0};
    snprintf(text, sizeof text, "<mujoco>%s</mujoco>", body);
    TnModel *model = load_text(text, &err);
    if (!model) printf("    %s\n", err.message);
    worst_of(model, careful(1e-6), expected);
}

TEST(a_contact_is_called_by_its_geoms)
{
    worst_in("<worldbody><geom name='floor' type='plane' size='1 1 1'/><body pos='0 0 .09'>"
             "<freejoint/><geom name='ball' size='.1'/></body></worldbody>",
             "contact of geom 'ball' with geom 'floor'");
    worst_in("<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .09'><freejoint/>"
             "<geom size='.1'/></body></worldbody>",
             "contact of geom 2 with geom 1");
}

#define ARM(JOINT)                                                                                 \
    "<compiler angle='radian'/><worldbody><body name='arm'>" JOINT                                 \
    "<geom name='rod' type='capsule' fromto='0 0 0 1 0 0' size='.05'/></body></worldbody>"

TEST(limits_and_friction_of_joints_and_tendons_have_names)
{
    worst_in(ARM("<joint name='a' axis='0 -1 0' limited='true' range='0 1'/>"),
             "lower limit of joint 'a'");
    worst_in(ARM("<joint name='a' axis='0 1 0' limited='true' range='-1 0'/>"),
             "upper limit of joint 'a'");
    worst_in(ARM("<joint axis='0 1 0' frictionloss='1'/>"), "dry friction of joint 1");
    worst_in(
        ARM("<joint name='a' axis='0 1 0'/>") "<tendon><fixed name='t' limited='true' range='-1 "
                                              "0'><joint joint='a' coef='1'/></fixed>"
                                              "</tendon>",
        "upper limit of tendon 't'");
}

TEST(equalities_have_names_and_types)
{
    worst_in(ARM("<freejoint/>") "<equality><weld name='w' body1='arm'/></equality>",
             "equality 'w' (weld)");
    worst_in(ARM("<freejoint/>") "<equality><connect body1='arm' anchor='0 0 0'/></equality>",
             "equality 1 (connect)");
    worst_in(
        ARM("<joint name='a' axis='0 1 0'/>") "<equality><joint name='q' joint1='a'/></equality>",
        "equality 'q' (joint)");
}

TEST(ties_and_holds_of_soft_bodies_have_names)
{
    for (int pieces = 1; pieces <= 2; pieces++) {
        SoftScene scene = soft_begin(0.01, 1.0, 9.81);
        scene.soft.name = "jelly";
        soft_box(&scene, 0.4, 0.1, 0.1, 8, 2, 2, 6);
        TnBodyId body = TN_BODY_WORLD;
        if (pieces == 1) {
            TnBodyDef hand = tn_body_def();
            hand.name = "hand";
            body = tn_builder_add_body(scene.builder, &hand);
            TnJointDef joint = tn_joint_def();
            joint.body = body;
            joint.type = TN_JOINT_FREE;
            tn_builder_add_joint(scene.builder, &joint);
            TnGeomDef geom = tn_geom_def();
            geom.body = body;
            geom.size[0] = 0.05;
            geom.mass = 0.1;
            geom.contact_type = geom.contact_affinity = 0;
            tn_builder_add_geom(scene.builder, &geom);
        }
        soft_hold(&scene, 0, -0.2, body);
        soft_add(&scene);
        TnSolverDef solver = tn_solver_def();
        REQUIRE(soft_finish(&scene, &solver));
        TnWorldDef def = careful(1e-6);
        def.division.pieces = pieces == 1 ? 0 : pieces;
        tn_world_destroy(scene.world);
        worst_of(scene.model, def,
                 pieces == 1 ? "of soft body 'jelly' by body 'hand'" : "between two of its pieces");
    }
}

/* Two cables in pieces beside each other; bonds of the first one are not in the problem while it
 * sleeps. */
TEST(springs_of_cables_have_names_while_others_sleep)
{
    TnModelBuilder *builder = tn_builder_create();
    TnError err = {0};
    char text[128];
    for (int i = 0; i < 2; i++) {
        TnRodDef rod = tn_rod_def();
        rod.name = i ? "swings" : "sleeps";
        rod.segment_count = 8;
        rod.group_size = 4;
        rod.start[1] = rod.end[1] = i;
        rod.end[0] = 0.4;
        TnRodId id = tn_builder_add_rod(builder, &rod);
        TnEqualityDef weld = tn_equality_def();
        weld.type = TN_EQUALITY_WELD;
        weld.body1 = tn_builder_rod_parts(builder, id).body;
        tn_builder_add_equality(builder, &weld);
    }
    TnModel *model = tn_builder_compile(builder, &err);
    tn_builder_destroy(builder);
    TnWorldDef def = careful(1e-300); /* not to be had */
    def.solver.method = TN_METHOD_SUBADMM;
    def.solver.iterations = 1;
    def.sleep = TN_SLEEP_PASSIVE;
    TnWorld *world = world_of(model, def);
    REQUIRE(world && world->division->bond_count == 2);
    world->state.asleep[0] = 1;
    world->state.asleep_count = 1;
    TnStepReport report = tn_world_step(world);
    REQUIRE(report.island_count == 1);
    tn_world_worst_constraint(world, 0, text, sizeof text);
    CHECK_STR(text, "spring of cable 'swings' between segments 4 and 5");
    tn_world_destroy(world);
    tn_model_destroy(model);
}
