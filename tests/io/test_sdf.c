/* SDF files: the same robot as URDF has the same dynamics; poses against those worked out by hand.
 */
#include "base/base.h"
#include "mjcf_text.h"

#include <math.h>
#include <sys/stat.h>
#include <tenon/definitions.h>
#include <tenon/world.h>

#define ARM_SDF DATA("packages/arm_description/sdf/arm.sdf")
#define ARM_URDF DATA("packages/arm_description/urdf/arm.urdf")

static TnError err;
static TnRemarks remarks;

/* A model of a text, with files in memory beside it. */
static TnModelBuilder *build(const char *text, const TnMemoryFile *files, int file_count)
{
    TnLoadDef def = tn_load_def();
    def.text = text;
    def.files = files;
    def.file_count = file_count;
    return tn_builder_load("model.sdf", &def, &remarks, &err);
}

static TnModel *load_given(const char *text, const TnMemoryFile *files, int file_count)
{
    TnModelBuilder *builder = build(text, files, file_count);
    TnModel *m = builder ? tn_builder_compile(builder, &err) : NULL;
    tn_builder_destroy(builder);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

static TnModel *load(const char *text) { return load_given(text, NULL, 0); }

/* Where a body is at the start. */
static void check_pose(const TnModel *m, const char *name, const double pos[3],
                       const double quat[4], const char *file, int line)
{
    TnWorldDef def = tn_world_def();
    TnWorld *w = tn_world_create(&def, m, &err);
    TnBodyId body = tn_model_find_body(m, name);
    double p[3], q[4], same = 0, far = 0;
    if (!w || !body) {
        test_fail(file, line, "there is no body %s", name);
        tn_world_destroy(w);
        return;
    }
    tn_world_body_pose(w, body, p, q);
    for (int i = 0; i < 4; i++) same += q[i] * quat[i];
    for (int i = 0; i < 3; i++) far = fmax(far, fabs(p[i] - pos[i]));
    /* a few turns of places up to 10 m */
    if (far > 1e-14 || fabs(fabs(same) - 1) > 1e-14)
        test_fail(file, line, "%s is at %g %g %g, %g %g %g %g", name, p[0], p[1], p[2], q[0], q[1],
                  q[2], q[3]);
    tn_world_destroy(w);
}
#define CHECK_POSE(m, name, x, y, z, a, b, c, d)                                                   \
    check_pose(m, name, (const double[3]){x, y, z}, (const double[4]){a, b, c, d}, __FILE__,       \
               __LINE__)
#define H 0.70710678118654752440 /* half a right angle: its sine and cosine */

TEST(an_arm_moves_as_the_same_one_as_urdf)
{
    TnModel *sdf = tn_model_load_with_remarks(ARM_SDF, &remarks, &err);
    TnModel *urdf = tn_model_load(ARM_URDF, &err);
    REQUIRE(sdf && urdf);
    REQUIRE(tn_model_info(sdf).dof_count == 4 && tn_model_info(urdf).dof_count == 4);
    double matrix[2][16], bias[2][4];
    for (int k = 0; k < 5; k++) {
        double qpos[4], qvel[4];
        for (int i = 0; i < 4; i++) qpos[i] = 0.1 * ((7 * i + 3 * k) % 11) - 0.45;
        for (int i = 0; i < 4; i++) qvel[i] = 0.2 * ((5 * i + k) % 9) - 0.7;
        TnEval first = {.mass_matrix = matrix[0], .bias = bias[0]};
        TnEval second = {.mass_matrix = matrix[1], .bias = bias[1]};
        REQUIRE(tn_model_eval(sdf, qpos, qvel, NULL, &first, &err) == TN_OK);
        REQUIRE(tn_model_eval(urdf, qpos, qvel, NULL, &second, &err) == TN_OK);
        /* rounding of numbers up to 10; 45 degrees are rounded in one of the files */
        for (int i = 0; i < 16; i++) CHECK_NEAR(matrix[0][i], matrix[1][i], 1e-13);
        for (int i = 0; i < 4; i++) CHECK_NEAR(bias[0][i], bias[1][i], 1e-13);
    }
    tn_model_destroy(sdf);
    tn_model_destroy(urdf);
}

TEST(limits_efforts_dynamics_shapes_and_mimic_are_those_of_urdf)
{
    TnLoadDef def = tn_load_def();
    TnModelBuilder *a = tn_builder_load(ARM_SDF, &def, &remarks, &err);
    TnModelBuilder *b = tn_builder_load(ARM_URDF, &def, NULL, &err);
    REQUIRE(a && b);
    TnDefinitions s = tn_builder_definitions(a), u = tn_builder_definitions(b);
    REQUIRE(s.joint_count == 4 && u.joint_count == 4 && s.geom_count == 6 && u.geom_count == 6);
    for (int i = 0; i < 4; i++) {
        const TnJointDef *x = &s.joints[i], *y = &u.joints[i];
        CHECK(strcmp(x->name, y->name) == 0 && x->type == y->type && x->limited == y->limited);
        CHECK(x->range[0] == y->range[0] && x->range[1] == y->range[1]);
        CHECK(x->damping == y->damping && x->friction_loss == y->friction_loss);
        CHECK(x->actuator_limited == y->actuator_limited);
        CHECK(x->actuator_range[0] == y->actuator_range[0]);
        for (int k = 0; k < 3; k++) CHECK_NEAR(x->axis[k], y->axis[k], 1e-15);
    }
    for (int i = 0; i < 6; i++) {
        const TnGeomDef *x = &s.geoms[i], *y = &u.geoms[i];
        CHECK(x->type == y->type && x->group == y->group && x->mass == y->mass);
        CHECK(x->contact_type == y->contact_type && x->contact_affinity == y->contact_affinity);
        for (int k = 0; k < 3; k++) CHECK(x->size[k] == y->size[k]);
        for (int k = 0; k < 3; k++) CHECK_NEAR(x->pos[k], y->pos[k], 1e-15);
        for (int k = 0; k < 4; k++) CHECK(x->rgba[k] == y->rgba[k]);
    }
    CHECK(s.geoms[3].friction[0] == 0.7 && s.geoms[4].friction[0] == 1);
    REQUIRE(s.equality_count == 1 && u.equality_count == 1);
    /* 0.003 - 0.9 · 0.002222… */
    CHECK_NEAR(s.equalities[0].polycoef[0], u.equalities[0].polycoef[0], 1e-16);
    CHECK(s.equalities[0].polycoef[1] == u.equalities[0].polycoef[1]);
    CHECK(strstr(remarks.message, "plugin"));
    tn_builder_destroy(a);
    tn_builder_destroy(b);
}

#define LINK(NAME, POSE)                                                                           \
    "<link name='" NAME "'>" POSE                                                                  \
    "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></" \
    "link>"
#define SDF(TEXT) "<sdf version='1.9'>" TEXT "</sdf>"
#define MODEL(TEXT) SDF("<model name='m'>" TEXT "</model>")

TEST(poses_are_relative_to_what_they_say)
{
    TnModel *m = load(MODEL(
        "<pose>1 0 0 0 0 1.5707963267948966</pose>" LINK("a", "<pose>0 1 0 0 0 0</pose>")
        /* beside a, turned about x by 90 degrees */
        LINK("b", "<pose relative_to='a' degrees='true'>0 0 2 90 0 0</pose>")
            LINK("c", "<pose relative_to='f'>0 1 0 0 0 0</pose>")
                LINK("d", "<pose relative_to='j' rotation_format='quat_xyzw'>0 0 0 0 0 2 2</pose>")
                    LINK("e", "") "<frame name='f' attached_to='b'><pose>0 0 1 0 0 0</pose></frame>"
                                  "<joint name='j' type='fixed'><parent>a</parent><child>e</child>"
                                  "<pose>0 0 3 0 0 0</pose></joint>"));
    REQUIRE(m);
    /* the model stands at 1 0 0 and looks along y: its x is the world's y, its y the world's -x */
    CHECK_POSE(m, "a", 0, 0, 0, H, 0, 0, H);
    CHECK_POSE(m, "b", 0, 0, 2, 0.5, 0.5, 0.5, 0.5);
    /* b's y points up, its z along the model's -y, which is the world's x: f at 1 0 2, c above it
     */
    CHECK_POSE(m, "c", 1, 0, 3, 0.5, 0.5, 0.5, 0.5);
    CHECK_POSE(m, "e", 1, 0, 0, H, 0, 0, H);
    CHECK_POSE(m, "d", 1, 0, 3, 0, 0, 0, 1); /* turned by another 90 degrees */
    tn_model_destroy(m);
}

TEST(a_placement_frame_stands_at_the_pose_of_its_model)
{
    TnModel *m = load(
        SDF("<world name='w'><model name='m' placement_frame='tip'><pose>5 0 0 0 0 0</pose>" LINK(
            "a", "<pose>1 0 0 0 0 0</pose>") "<frame name='tip' attached_to='a'><pose>0 2 0 0 0 "
                                             "1.5707963267948966</pose></frame>"
                                             "</model></world>"));
    REQUIRE(m);
    /* tip is at 1 2 0 in the model, turned by +90: the model is turned by -90, and a is where
     * 5 0 0 - R(-90) (1 2 0) + R(-90) (1 0 0) = 5 0 0 - R(-90) (0 2 0) = 3 0 0 */
    CHECK_POSE(m, "m::a", 3, 0, 0, H, 0, 0, -H);
    tn_model_destroy(m);
}

/* A hinge whose axis is given in four ways, on a link that is turned about z by 90 degrees in a
 * model that is turned about x by 90 degrees. */
TEST(axes_stand_in_the_frames_that_the_version_says)
{
    static const char *const texts[] = {
        "<sdf version='1.7'><model name='m'><pose>0 0 0 1.5707963267948966 0 0</pose>%s<xyz>1 0 0"
        "</xyz></axis></joint></model></sdf>",
        "<sdf version='1.7'><model name='m'><pose>0 0 0 1.5707963267948966 0 0</pose>%s<xyz "
        "expressed_in='__model__'>0 1 0</xyz></axis></joint></model></sdf>",
        "<sdf version='1.4'><model name='m'><pose>0 0 0 1.5707963267948966 0 0</pose>%s<xyz>0 1 0"
        "</xyz></axis></joint></model></sdf>",
        "<sdf version='1.6'><model name='m'><pose>0 0 0 1.5707963267948966 0 0</pose>%s<xyz>0 1 0"
        "</xyz><use_parent_model_frame>1</use_parent_model_frame></axis></joint></model></sdf>"};
    static const char arm[] = LINK(
        "a",
        "<pose>0 0 0 0 0 1.5707963267948966</pose>") "<joint name='j' "
                                                     "type='revolute'><parent>world</"
                                                     "parent><child>a</child><pose>0 0.5 0 0 0 0"
                                                     "</pose><axis>";
    for (int i = 0; i < 4; i++) {
        char text[2000];
        snprintf(text, sizeof text, texts[i], arm);
        TnModelBuilder *builder = build(text, NULL, 0);
        if (!builder) test_fail(__FILE__, __LINE__, "%d: %s", i, err.message);
        if (!builder) continue;
        TnDefinitions d = tn_builder_definitions(builder);
        REQUIRE(d.joint_count == 1);
        for (int k = 0; k < 3; k++) CHECK_NEAR(d.joints[0].axis[k], k == 0, 1e-15);
        for (int k = 0; k < 3; k++) CHECK_NEAR(d.joints[0].pos[k], k == 1 ? 0.5 : 0, 1e-15);
        tn_builder_destroy(builder);
    }
}

TEST(a_world_has_models_with_their_own_names)
{
    static const char part[] =
        SDF("<model name='part'>" LINK("body", "<pose>0 0 1 0 0 0</pose>") "</model>");
    static const char config[] =
        "<model><name>x</name><sdf version='1.4'>old.sdf</sdf><sdf version='1.9'>part.sdf</sdf>"
        "</model>";
    const TnMemoryFile files[] = {{"parts/model.config", config, sizeof config - 1},
                                  {"parts/part.sdf", part, sizeof part - 1}};
    TnModel *m =
        load_given(SDF("<world name='w'><physics><max_step_size>0.004</max_step_size></physics>"
                       "<model name='ground'><static>true</static><link name='l'><collision "
                       "name='c'><geometry>"
                       "<plane><normal>0 0 1</normal></plane></geometry></collision></link></model>"
                       "<include><uri>parts</uri><name>one</name><pose>1 0 0 0 0 0</pose></include>"
                       "<include><uri>parts/part.sdf</uri><name>two</name><pose>2 0 0 0 0 0</pose>"
                       "<static>1</static></include>"
                       "<model name='outer'><pose>0 3 0 0 0 0</pose>" LINK(
                           "base", "") "<model name='inner'><pose relative_to='base'>0 0 4 0 0 "
                                       "0</pose>" LINK("tip", "") "</model><joint name='hold' "
                                                                  "type='ball'><parent>base</"
                                                                  "parent><child>inner::tip</child>"
                                                                  "</joint></model></world>"),
                   files, 2);
    REQUIRE(m);
    TnModelInfo info = tn_model_info(m);
    CHECK(info.body_count == 6 && strcmp(info.name, "w") == 0);
    CHECK(info.option.timestep == 0.004 && info.option.gravity[2] == -9.8);
    CHECK(info.dof_count == 6 + 6 + 3); /* one, outer's base, and inner's ball */
    CHECK_POSE(m, "one::body", 1, 0, 1, 1, 0, 0, 0);
    CHECK_POSE(m, "two::body", 2, 0, 1, 1, 0, 0, 0);
    CHECK_POSE(m, "outer::base", 0, 3, 0, 1, 0, 0, 0);
    CHECK_POSE(m, "outer::inner::tip", 0, 3, 4, 1, 0, 0, 0);
    CHECK(tn_model_find_joint(m, "one::root") && tn_model_find_joint(m, "outer::hold"));
    CHECK(tn_model_find_joint(m, "outer::root") && !tn_model_find_joint(m, "two::root"));
    tn_model_destroy(m);
}

#define BOX(NAME, MORE)                                                                            \
    "<link name='" NAME "'>" MORE "<collision name='c" NAME                                        \
    "'><geometry><box><size>1 1 1</size></box></geometry></collision></link>"

static int excludes(const char *text)
{
    TnModelBuilder *builder = build(text, NULL, 0);
    if (!builder) return -1;
    int count = tn_builder_definitions(builder).exclude_count;
    tn_builder_destroy(builder);
    return count;
}

TEST(links_of_one_model_touch_where_the_file_says_so)
{
    CHECK(excludes(MODEL(BOX("a", "") BOX("b", "") BOX("c", "") LINK("d", ""))) == 3);
    CHECK(excludes(MODEL("<self_collide>true</self_collide>" BOX("a", "") BOX("b", ""))) == 0);
    CHECK(excludes(MODEL(BOX("a", "<self_collide>1</self_collide>") BOX("b", "") BOX("c", ""))) ==
          1);
    CHECK(excludes(MODEL("<self_collide>true</self_collide>" BOX("a", "") BOX(
              "b", "") "<joint name='j' type='ball'><parent>a</parent><child>b</child></joint>")) ==
          1);
    CHECK(excludes(MODEL("<static>true</static>" BOX("a", "") BOX("b", ""))) == 0);
    CHECK(excludes(SDF("<model name='m'>" BOX("a", "") "</model><model name='n'>" BOX(
              "b", "") "</model>")) == 0);
}

TEST(joints_of_two_axes_locked_ones_and_springs)
{
    TnModelBuilder *builder = build(
        MODEL(LINK("a", "") LINK("b", "") LINK("c", "") LINK(
            "d",
            "") "<joint name='j' type='universal'><parent>world</parent><child>a</child>"
                "<axis><xyz>1 0 0</xyz><limit><lower>-inf</lower><upper>1e16</upper></limit></axis>"
                "<axis2><xyz>0 1 0</xyz><limit><lower>-1</lower><upper>2</upper></limit><dynamics>"
                "<spring_stiffness>3</spring_stiffness><spring_reference>0.5</spring_reference>"
                "</dynamics></axis2></joint>"
                "<joint name='k' type='revolute'><parent>a</parent><child>b</child>"
                "<axis><limit><lower>0</lower><upper>0</upper></limit></axis></joint>"
                "<joint name='l' type='prismatic'><parent>b</parent><child>c</child><axis>"
                "<limit><lower>-0.5</lower><effort>-1</effort></limit></axis></joint>"
                "<joint name='n' type='revolute'><parent>c</parent><child>d</child><axis>"
                "<mimic joint='j' axis='axis2'><multiplier>2</multiplier></mimic></axis></joint>"),
        NULL, 0);
    REQUIRE(builder);
    TnDefinitions d = tn_builder_definitions(builder);
    REQUIRE(d.joint_count == 4 && d.body_count == 5);
    CHECK(strcmp(d.joints[0].name, "j") == 0 && strcmp(d.joints[1].name, "j_2") == 0);
    CHECK(!d.joints[0].limited && d.joints[0].axis[0] == 1);
    CHECK(d.joints[1].limited && d.joints[1].axis[1] == 1);
    CHECK(d.joints[1].stiffness == 3 && d.joints[1].spring_ref == 0.5);
    CHECK(d.joints[2].axis[2] == 1 && d.joints[2].limited && d.joints[2].range[0] == -0.5);
    CHECK(d.joints[2].range[1] >= 1e15 && !d.joints[2].actuator_limited);
    REQUIRE(d.equality_count == 1);
    CHECK(d.equalities[0].joint2 == 2 && d.equalities[0].polycoef[1] == 2);
    CHECK(strstr(remarks.message, "the joint is read as fixed"));
    TnModel *m = tn_builder_compile(builder, &err);
    CHECK(m != NULL);
    tn_model_destroy(m);
    tn_builder_destroy(builder);
}

/* 1 kg and 1 kg·m² where nothing is said; with auto from the collisions: 1 m³ of 500 kg/m³. */
TEST(moments_of_inertia_that_are_not_given)
{
    TnModel *m = load(MODEL("<link name='a'/>" LINK(
        "b", "<gravity>false</gravity>") "<link name='c'><inertial "
                                         "auto='true'><density>500</density></inertial>"
                                         "<collision name='k'><geometry><box><size>1 1 "
                                         "1</size></box></geometry>"
                                         "</collision></link>"));
    REQUIRE(m);
    CHECK(tn_model_body_info(m, tn_model_find_body(m, "a")).mass == 1);
    CHECK_NEAR(tn_model_body_info(m, tn_model_find_body(m, "c")).mass, 500, 1e-10);
    CHECK(strstr(remarks.message, "has 1 kg and 1 kg·m², as SDF says"));
    TnWorldDef def = tn_world_def();
    TnWorld *w = tn_world_create(&def, m, &err);
    double pos[3], quat[4];
    REQUIRE(w);
    for (int i = 0; i < 10; i++) tn_world_step(w);
    tn_world_body_pose(w, tn_model_find_body(m, "a"), pos, quat);
    CHECK(pos[2] < -1e-4); /* it falls, and */
    tn_world_body_pose(w, tn_model_find_body(m, "b"), pos, quat);
    CHECK_NEAR(pos[2], 0, 1e-15); /* what has no gravity does not */
    tn_world_destroy(w);
    tn_model_destroy(m);
}

TEST(what_is_wrong_is_told_with_its_place)
{
    static const struct {
        const char *text, *place, *part;
    } cases[] = {
        {"<sdf version='1.9'/>", "1:1", "neither a <world> nor a <model>"},
        {SDF("<world name='a'/>\n<world name='b'/>"), "2:1", "one world"},
        {MODEL("\n<link/>"), "2:1", "attribute 'name' is missing"},
        {MODEL("<link name='a'/>\n<link name='a'/>"), "2:7", "there is already a link named 'a'"},
        {MODEL("<link name='a'>\n<pose>1 2 3</pose></link>"), "2:1",
         "<pose> needs 6 finite numbers"},
        {MODEL("<link name='a'>\n<pose>1 2 3 nan 0 0</pose></link>"), "2:1", "needs 6 finite"},
        {MODEL("<link name='a'>\n<pose relative_to='b'>1 2 3 0 0 0</pose></link>"), "2:1",
         "there is no link, joint, frame or model named 'b' in model m"},
        {MODEL("<link name='a'>\n<pose rotation_format='x'>1 2 3 0 0 0</pose></link>"), "2:7",
         "euler_rpy or quat_xyzw"},
        {MODEL("\n<link name='a'><pose relative_to='b'/></link><link name='b'><pose "
               "relative_to='a'/></link>"),
         "2:1", "relative to each other in a circle"},
        {MODEL("<link name='a'/>\n<frame name='f' attached_to='g'/><frame name='g' "
               "attached_to='f'/><joint name='j' type='ball'><parent>a</parent><child>f</child>"
               "</joint>"),
         "2:67", "attached to each other in a circle"},
        {MODEL("<link name='a'/>\n<joint name='j' type='screw'><parent>world</parent><child>a"
               "</child></joint>"),
         "2:17", "type must be one of: fixed revolute"},
        {MODEL("<link name='a'/>\n<joint name='j' type='ball'><child>a</child></joint>"), "2:1",
         "a joint needs <parent>"},
        {MODEL(
             "<link name='a'/>\n<joint name='j' type='ball'><parent>a</parent><child>world</child>"
             "</joint>"),
         "2:1", "not the world"},
        {MODEL("<link name='a'/>\n<joint name='j' type='ball'><parent>a</parent><child>a</child>"
               "</joint>"),
         "2:1", "connects a link with itself"},
        {MODEL("<link name='a'/><link name='b'/><joint name='j' type='ball'><parent>world</parent>"
               "<child>a</child></joint><joint name='k' type='ball'><parent>b</parent><child>a"
               "</child></joint>"),
         "1:", "two parents, by the joints 'j' and 'k'"},
        {MODEL("\n<link name='a'/><link name='b'/><joint name='j' type='ball'><parent>a</parent>"
               "<child>b</child></joint><joint name='k' type='ball'><parent>b</parent><child>a"
               "</child></joint>"),
         "2:1", "form a circle"},
        {MODEL("<link name='a'>\n<collision name='c'><geometry/></collision></link>"), "2:1",
         "needs <geometry> with one shape"},
        {MODEL("<link name='a'><collision name='c'><geometry>\n<heightmap/></geometry></collision>"
               "</link>"),
         "2:1", "not <heightmap>"},
        {MODEL("<link name='a'><collision name='c'><geometry><box>\n<size>1 x 1</size></box>"
               "</geometry></collision></link>"),
         "2:1", "<size> needs 3 finite numbers; it is '1 x 1'"},
        {MODEL("<link name='a'><collision name='c'><geometry><mesh>\n<uri>gone.stl</uri></mesh>"
               "</geometry></collision></link>"),
         "2:1", "'gone.stl' is not found"},
        {MODEL("<link name='a'>\n<gravity>maybe</gravity></link>"), "2:1", "true or false"},
        {MODEL("\n<include><uri>model://gone</uri></include>"), "2:1",
         "'model://gone' is not found"},
        {MODEL("\n<include><name>x</name></include>"), "2:1", "needs <uri>"},
        {MODEL("\n<include merge='true'><uri>x.sdf</uri></include>"), "2:10",
         "merge is not supported"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnModelBuilder *builder = build(cases[i].text, NULL, 0);
        const char *at = strstr(err.message, cases[i].part);
        char place[32];
        snprintf(place, sizeof place, "model.sdf:%s", cases[i].place);
        if (builder || !at || !strstr(err.message, place))
            test_fail(__FILE__, __LINE__, "case %d: %s", (int)i, err.message);
        tn_builder_destroy(builder);
    }
}

TEST(includes_stay_in_reach_and_end)
{
    static const char self[] =
        SDF("<model name='a'><include><uri>loop.sdf</uri></include></model>");
    const TnMemoryFile loop = {"loop.sdf", self, sizeof self - 1};
    CHECK(!build(MODEL("<include><uri>loop.sdf</uri></include>"), &loop, 1));
    CHECK(strstr(err.message, "includes itself"));
    static const char none[] = "<robot name='r'/>";
    const TnMemoryFile robot = {"r.sdf", none, sizeof none - 1};
    CHECK(!build(MODEL("<include><uri>r.sdf</uri></include>"), &robot, 1));
    CHECK(strstr(err.message, "r.sdf:1:1: robot: an included file has <sdf> at its root"));
    CHECK(!build(MODEL("<include><uri>file:///etc/passwd.sdf</uri></include>"), NULL, 0));
    /* a file that is there, but outside of the model's folder */
    char folder[] = "/tmp/tenon_sdf_XXXXXX", inner[64], text[600], path[80];
    REQUIRE(mkdtemp(folder));
    snprintf(inner, sizeof inner, "%s/in", folder);
    REQUIRE(mkdir(inner, 0700) == 0);
    snprintf(path, sizeof path, "%s/m.sdf", inner);
    snprintf(text, sizeof text, MODEL("<include><uri>file://%s</uri></include>"), ARM_SDF);
    FILE *file = fopen(path, "w");
    REQUIRE(file);
    fputs(text, file);
    fclose(file);
    TnLoadDef def = tn_load_def();
    CHECK(!tn_builder_load(path, &def, NULL, &err));
    CHECK(strstr(err.message, "is not in the model's folder"));
    def.reach = TN_FILES_ANY;
    TnModelBuilder *builder = tn_builder_load(path, &def, NULL, &err);
    if (!builder) test_fail(__FILE__, __LINE__, "%s", err.message);
    tn_builder_destroy(builder);
    unlink(path);
    rmdir(inner);
    rmdir(folder);
}
