/* What a good MJCF file becomes. Expected numbers are worked out by hand or are those of the file.
 */
#include "base/base.h"
#include "mjcf_text.h"
#include "model/model.h"

#include <locale.h>

/* One rounding of sin, cos or a product of a few numbers of size 1 is about 1e-16; ten of them stay
 * below this. */
#define ROUNDING 1e-14

static TnError err;
static TnRemarks remarks;

#define RAD (3.14159265358979323846 / 180)
#define SQRT_HALF 0.70710678118654752440

static void check_vector(const double *found, const double *wanted, int count, double tol, int line)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(found[i] - wanted[i]) <= tol))
            test_fail(__FILE__, line, "[%d] is %.17g, expected %.17g", i, found[i], wanted[i]);
}
#define CHECK_VECTOR(FOUND, TOL, ...)                                                              \
    check_vector(FOUND, (const double[]){__VA_ARGS__},                                             \
                 (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), TOL, __LINE__)

/* q and -q are the same turn. */
static void check_quat(const double *q, double w, double x, double y, double z, int line)
{
    double s = q[0] * w + q[1] * x + q[2] * y + q[3] * z < 0 ? -1 : 1;
    check_vector(q, (const double[]){s * w, s * x, s * y, s * z}, 4, ROUNDING, line);
}
#define CHECK_QUAT(Q, W, X, Y, Z) check_quat(Q, W, X, Y, Z, __LINE__)

static TnModel *all_kinds(void)
{
    TnModel *m = tn_model_load(DATA("all_kinds.xml"), &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

static TnModel *load(const char *text)
{
    TnModel *m = load_text(text, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    return m;
}

TEST(all_kinds_load_with_their_counts)
{
    TnModel *m = all_kinds();
    REQUIRE(m);
    TnModelInfo info = tn_model_info(m);
    CHECK(strcmp(info.name, "all kinds") == 0);
    CHECK(info.body_count == 7 && info.joint_count == 6 && info.geom_count == 8);
    CHECK(info.qpos_count == 1 + 1 + 1 + 4 + 7 + 7);
    CHECK(info.dof_count == 1 + 1 + 1 + 3 + 6 + 6);
    CHECK(info.actuator_count == 5 && info.equality_count == 3 && info.sensor_count == 5 &&
          info.key_count == 2);
    CHECK(info.option.timestep == 0.004);
    CHECK_VECTOR(info.option.gravity, 0, 0, 0.5, -9);
    CHECK(info.tree_count == 1 && info.free_body_count == 2);
    tn_model_destroy(m);
}

TEST(angles_of_hinges_and_balls_are_degrees_and_those_of_slides_are_lengths)
{
    TnModel *m = all_kinds();
    REQUIRE(m);
    const TnJoint *lift = &m->joints[0], *shoulder = &m->joints[1], *elbow = &m->joints[2],
                  *wrist = &m->joints[3];
    CHECK(lift->type == TN_JOINT_SLIDE && lift->limited && !shoulder->limited && elbow->limited);
    CHECK_VECTOR(lift->range, 0, -0.1, 0.4);
    CHECK_VECTOR(lift->axis, 0, 0, 0, 1);
    CHECK(lift->ref == 0.1 && lift->spring_ref == 0.2 && lift->stiffness == 50);
    CHECK_NEAR(shoulder->ref, 10 * RAD, ROUNDING);
    CHECK_NEAR(shoulder->spring_ref, 20 * RAD, ROUNDING);
    CHECK(shoulder->friction_loss == 0.1 && shoulder->damping == 0.3 && shoulder->armature == 0.01);
    CHECK_VECTOR(elbow->range, ROUNDING, -30 * RAD, 120 * RAD);
    CHECK(wrist->type == TN_JOINT_BALL && wrist->limited);
    CHECK_VECTOR(wrist->range, ROUNDING, 0, 60 * RAD);
    CHECK_NEAR(m->qpos0[0], 0.1, 0);
    CHECK_NEAR(m->qpos0[1], 10 * RAD, ROUNDING);
    tn_model_destroy(m);
}

TEST(default_classes_nest_and_short_lists_replace_leading_numbers)
{
    TnModel *m = all_kinds();
    REQUIRE(m);
    const TnGeom *lower = &m->geoms[tn_model_find_geom(m, "lower") - 1];
    const TnGeom *wrist = &m->geoms[tn_model_find_geom(m, "wrist") - 1];
    const TnGeom *floor = &m->geoms[tn_model_find_geom(m, "floor") - 1];
    CHECK(lower->type == TN_GEOM_CAPSULE && lower->size[0] == 0.03);
    CHECK_VECTOR(lower->friction, 0, 0.6, 0.01, 0.002); /* 0.6 over main's 0.8 0.01 0.002 */
    CHECK_VECTOR(wrist->friction, 0, 0.8, 0.01,
                 0.002); /* class="arm" wins over childclass="forearm" */
    CHECK_VECTOR(floor->friction, 0, 0.8, 0.01, 0.002);
    CHECK(wrist->type == TN_GEOM_CYLINDER && wrist->size[0] == 0.05 && wrist->size[1] == 0.02);
    tn_model_destroy(m);
}

TEST(fromto_gives_middle_direction_and_half_length)
{
    TnModel *m = all_kinds();
    REQUIRE(m);
    const TnGeom *lower = &m->geoms[tn_model_find_geom(m, "lower") - 1];
    CHECK_VECTOR(lower->pos, ROUNDING, 0.2, 0, 0);
    CHECK_NEAR(lower->size[1], 0.2, ROUNDING);
    CHECK_QUAT(lower->quat, SQRT_HALF, 0, -SQRT_HALF,
               0); /* z goes from the second point to the first: -x */
    tn_model_destroy(m);
}

TEST(materials_colour_geoms_that_have_no_colour)
{
    TnModel *m = all_kinds();
    REQUIRE(m);
    CHECK_VECTOR(tn_model_geom_info(m, tn_model_find_geom(m, "base")).rgba, 0, 1, 0, 0, 1);
    CHECK_VECTOR(tn_model_geom_info(m, tn_model_find_geom(m, "ball")).rgba, 0, 0, 1, 0, 1);
    CHECK_VECTOR(tn_model_geom_info(m, tn_model_find_geom(m, "lower")).rgba, 0, 0.5, 0.5, 0.5, 1);
    tn_model_destroy(m);
}

TEST(contact_attributes_reach_the_geom)
{
    TnModel *m = all_kinds();
    REQUIRE(m);
    const TnGeom *hand = NULL;
    for (int i = 0; i < m->geom_count; i++)
        if (m->geoms[i].type == TN_GEOM_ELLIPSOID) hand = &m->geoms[i];
    REQUIRE(hand);
    CHECK(hand->contact_type == 2 && hand->contact_affinity == 3 && hand->contact_dim == 4 &&
          hand->priority == 1);
    CHECK(m->geoms[tn_model_find_geom(m, "ball") - 1].margin == 0.01);
    REQUIRE(m->pair_count == 1 && m->exclude_count == 1);
    CHECK(m->pairs[0].contact_dim == 6 && m->pairs[0].margin == 0.005);
    CHECK_VECTOR(m->pairs[0].friction, 0, 0.5, 0.02, 0.001);
    tn_model_destroy(m);
}

TEST(actuators_take_gains_from_their_kind_and_class)
{
    TnModel *m = all_kinds();
    REQUIRE(m);
    const TnActuator *push = &m->actuators[0], *turn = &m->actuators[1], *bend = &m->actuators[2],
                     *spin = &m->actuators[3], *general = &m->actuators[4];
    CHECK(push->gear == 2 && push->gain == 1 && push->ctrl_limited);
    CHECK_VECTOR(push->bias, 0, 0, 0, 0);
    CHECK(turn->gain == 40 && !turn->ctrl_limited);
    CHECK_VECTOR(turn->bias, 0, 0, -40, -3);
    CHECK(bend->gain == 70 && bend->ctrl_limited && bend->force_limited);
    CHECK_VECTOR(bend->bias, 0, 0, -70, -3);
    /* the elbow's -30 … 120 degrees, shrunk to half about their middle: 45 ± 37.5 */
    CHECK_VECTOR(bend->ctrl_range, ROUNDING, 7.5 * RAD, 82.5 * RAD);
    CHECK_VECTOR(bend->force_range, 0, -9, 9);
    CHECK(spin->gain == 5);
    CHECK_VECTOR(spin->bias, 0, 0, 0, -5);
    CHECK(general->gain == 3);
    CHECK_VECTOR(general->bias, 0, 0.1, -2, -0.3);
    tn_model_destroy(m);
}

TEST(equalities_sensors_and_keys_keep_their_numbers)
{
    TnModel *m = all_kinds();
    REQUIRE(m);
    CHECK(m->equalities[0].type == TN_EQUALITY_CONNECT && !m->equalities[0].active);
    CHECK_VECTOR(m->equalities[0].anchor1, 0, 0, 0, 0.1);
    CHECK(m->equalities[1].type == TN_EQUALITY_WELD && m->equalities[1].active);
    CHECK_QUAT(m->equalities[1].relquat, 1, 0, 0, 0);
    CHECK(m->equalities[2].type == TN_EQUALITY_JOINT);
    CHECK_VECTOR(m->equalities[2].polycoef, 0, 0.1, 2, 0, 0, 0);
    CHECK(m->sensors[0].type == TN_SENSOR_JOINT_POS && m->sensors[1].type == TN_SENSOR_JOINT_VEL);
    CHECK(m->sensors[2].type == TN_SENSOR_BODY_POS && m->sensors[3].type == TN_SENSOR_SITE_QUAT);
    /* objtype="body" is the inertial frame, which a site at the centre of mass stands for */
    REQUIRE(m->sensors[4].type == TN_SENSOR_SITE_POS);
    CHECK_VECTOR(m->sites[m->sensors[4].object].pos, 0, 0.01, 0, 0);
    CHECK(m->keys[0].time == 1.5 && m->keys[0].ctrl[4] == 5 && m->keys[1].qvel[17] == 18);
    CHECK(tn_model_find_key(m, "home") == 1);
    tn_model_destroy(m);
}

TEST(inertia_comes_from_inertial_or_geoms)
{
    TnModel *m = all_kinds();
    REQUIRE(m);
    double hand = 0, ball = 0, base = 0;
    for (int i = 1; i < m->link_count; i++) {
        const char *name = m->body_names[m->links[i].body];
        if (strcmp(name, "hand") == 0) hand = m->links[i].mass;
        if (strcmp(name, "ball") == 0) ball = m->links[i].mass;
        if (strcmp(name, "base") == 0) base = m->links[i].mass;
    }
    CHECK(hand == 0.4 && base == 3);
    CHECK_NEAR(ball, 1000 * 4.0 / 3 * 3.14159265358979323846 * 1e-3,
               1e-12); /* sphere of 0.1 m, density 1000; rounding of 4 kg */
    tn_model_destroy(m);
}

/* Turns of 90 degrees about x, then y, then z, each a quaternion (1, axis)/√2, multiplied by hand.
 */
TEST(euler_orders_match_quaternions_by_hand)
{
    static const struct {
        const char *order;
        double quat[4];
    } cases[] = {{"xyz", {0, SQRT_HALF, 0, SQRT_HALF}},  /* q_x q_y q_z, axes carried along */
                 {"XYZ", {SQRT_HALF, 0, SQRT_HALF, 0}},  /* q_z q_y q_x, axes fixed */
                 {"zyx", {SQRT_HALF, 0, SQRT_HALF, 0}}}; /* q_z q_y q_x, axes carried along */
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "<mujoco><compiler eulerseq=\"%s\"/><worldbody><body name=\"b\" euler=\"90 90 90\">"
            "<geom size=\"1\"/></body></worldbody></mujoco>",
            cases[i].order);
        TnModel *m = load(text);
        REQUIRE(m);
        const double *q = cases[i].quat;
        CHECK_QUAT(m->bodies[1].quat, q[0], q[1], q[2], q[3]);
        tn_model_destroy(m);
    }
}

TEST(five_spellings_of_one_orientation_agree)
{
    /* a quarter turn about y, which carries z to x and x to -z */
    TnModel *m = load(
        "<mujoco><worldbody><geom size='1' quat='2 0 2 0'/><geom size='1' axisangle='0 3 0 90'/>"
        "<geom size='1' euler='0 90 0'/><geom size='1' xyaxes='0 0 -2 1 1 0'/><geom size='1' "
        "zaxis='5 0 0'/>"
        "</worldbody></mujoco>");
    REQUIRE(m);
    for (int i = 0; i < 3; i++) CHECK_QUAT(m->geoms[i].quat, SQRT_HALF, 0, SQRT_HALF, 0);
    CHECK_QUAT(m->geoms[4].quat, SQRT_HALF, 0, SQRT_HALF, 0);
    /* y is (1, 1, 0)/√2: after the quarter turn comes one of 45 degrees about the new x, which
     * carries y towards the new z, the old x. (√½, 0, √½, 0) (c, s, 0, 0), half angle 22.5 */
    double c = cos(22.5 * RAD), s = sin(22.5 * RAD);
    CHECK_QUAT(m->geoms[3].quat, c * SQRT_HALF, s * SQRT_HALF, c * SQRT_HALF, -s * SQRT_HALF);
    tn_model_destroy(m);
}

TEST(radians_are_read_as_they_stand)
{
    TnModel *m = load("<mujoco><compiler angle='radian'/><worldbody><body><joint range='-1 2' "
                      "ref='0.5'/><geom size='1'/>"
                      "</body></worldbody></mujoco>");
    REQUIRE(m);
    CHECK_VECTOR(m->joints[0].range, 0, -1, 2);
    CHECK(m->joints[0].ref == 0.5);
    tn_model_destroy(m);
}

TEST(order_follows_bodies_not_lines)
{
    /* the joint of `a` stands after the child body, and the world's geom last */
    TnModel *m = load("<mujoco><worldbody><body name='a'><geom name='ga' size='1'/><body "
                      "name='b'><joint name='jb'/>"
                      "<geom name='gb' size='1'/></body><joint name='ja'/></body><geom name='gw' "
                      "size='1'/></worldbody></mujoco>");
    REQUIRE(m);
    CHECK(strcmp(tn_model_joint_name(m, 1), "ja") == 0 &&
          strcmp(tn_model_joint_name(m, 2), "jb") == 0);
    CHECK(strcmp(tn_model_geom_name(m, 1), "gw") == 0 &&
          strcmp(tn_model_geom_name(m, 2), "ga") == 0);
    tn_model_destroy(m);
}

TEST(frames_multiply_into_what_they_hold)
{
    TnModel *m = load("<mujoco><worldbody><body name='b'><frame pos='1 2 3' euler='90 0 0'><joint "
                      "pos='0 0 0.1' axis='0 0 1'/>"
                      "<geom size='1' pos='0 0 1'/><body name='c' pos='0 1 0'><geom "
                      "size='1'/></body></frame></body></worldbody></mujoco>");
    REQUIRE(m);
    CHECK_VECTOR(m->joints[0].pos, ROUNDING, 1, 1.9, 3);
    CHECK_VECTOR(m->joints[0].axis, ROUNDING, 0, -1, 0);
    CHECK_VECTOR(m->geoms[0].pos, ROUNDING, 1, 1, 3);
    CHECK_VECTOR(m->bodies[2].pos, ROUNDING, 1, 2, 4);
    CHECK_QUAT(m->bodies[2].quat, SQRT_HALF, SQRT_HALF, 0, 0);
    tn_model_destroy(m);
}

TEST(mujocos_time_step_is_the_default)
{
    TnModel *m = load("<mujoco/>");
    REQUIRE(m);
    CHECK(tn_model_info(m).option.timestep == 0.002);
    CHECK(tn_model_info(m).option.theta == tn_option().theta);
    tn_model_destroy(m);
}

TEST(flags_switch_parts_off)
{
    TnModel *m = load("<mujoco><option><flag gravity='disable' limit='disable' damper='disable' "
                      "contact='disable'/></option>"
                      "<worldbody><body><joint range='-1 1' damping='3' stiffness='2'/><geom "
                      "size='1'/></body></worldbody></mujoco>");
    REQUIRE(m);
    CHECK_VECTOR(m->option.gravity, 0, 0, 0, 0);
    CHECK(!m->joints[0].limited && m->joints[0].damping == 0 && m->joints[0].stiffness == 2);
    CHECK(m->geoms[0].contact_type == 0 && m->geoms[0].contact_affinity == 0);
    tn_model_destroy(m);
}

TEST(bounds_on_mass_and_inertia_are_applied)
{
    TnModel *m = load("<mujoco><compiler boundmass='5' boundinertia='0.3'/><worldbody><body "
                      "name='empty'><joint/></body>"
                      "<body name='box'><joint/><geom type='box' size='0.1 0.1 0.5' "
                      "density='1000'/></body></worldbody></mujoco>");
    REQUIRE(m);
    CHECK(m->links[1].mass == 5);
    CHECK_NEAR(m->links[1].inertia[0], 0.3, ROUNDING);
    /* 40 kg; about z 40 (0.01 + 0.01)/3 = 0.267 is raised, about x 40 (0.01 + 0.25)/3 stays */
    CHECK_NEAR(m->links[2].mass, 40, 1e-12); /* rounding of 40 */
    CHECK_NEAR(m->links[2].inertia[0], 40 * 0.26 / 3, 1e-12);
    CHECK_NEAR(m->links[2].inertia[8], 0.3, ROUNDING);
    tn_model_destroy(m);
}

TEST(balanceinertia_makes_an_impossible_inertia_possible)
{
    TnModel *m = load("<mujoco><compiler balanceinertia='true'/><worldbody><body><joint/><inertial "
                      "mass='1' pos='0 0 0' "
                      "diaginertia='1 1 4'/></body></worldbody></mujoco>");
    REQUIRE(m);
    for (int i = 0; i < 9; i += 4) CHECK_NEAR(m->links[1].inertia[i], 2, ROUNDING);
    tn_model_destroy(m);
}

TEST(includes_are_spliced_in_place)
{
    TnModel *m = tn_model_load(DATA("include_main.xml"), &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    CHECK(m->body_count == 4);
    CHECK(tn_model_find_body(m, "from_part") == 3);
    CHECK(tn_model_find_body(m, "from_nested") > 0);
    /* the part's own default class is known to the main file, and the compiler's angle to the part
     */
    CHECK(m->geoms[tn_model_find_geom(m, "styled") - 1].size[0] == 0.25);
    CHECK_NEAR(m->joints[0].range[1], 1.5, 0);
    tn_model_destroy(m);
}

TEST(tenon_element_sets_options_restitution_and_track)
{
    TnModel *m = tn_model_load(DATA("track.xml"), &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    CHECK(m->option.theta == 1 && m->option.tree_passes == 2 && m->option.stabilization == 0.1);
    CHECK(m->option.contact_stiffness == 2e4);
    CHECK(m->geoms[tn_model_find_geom(m, "ball") - 1].restitution == 0.8);
    CHECK(m->pair_count == 1 && m->pairs[0].restitution == 0.8);
    CHECK_NEAR(tn_model_info(m).track_duration, 2, 0);
    double ctrl[2];
    REQUIRE(tn_model_track(m, 0.25, ctrl));
    CHECK_NEAR(ctrl[0], 0.5, ROUNDING);     /* halfway between 0 and 1 */
    CHECK_NEAR(ctrl[1], 15, ROUNDING * 10); /* halfway between 10 and 20 */
    tn_model_destroy(m);
}

TEST(numbers_ignore_the_locale)
{
    char *before = setlocale(LC_NUMERIC, "de_DE.UTF-8");
    TnModel *m = load("<mujoco><option timestep='0.25'/></mujoco>");
    setlocale(LC_NUMERIC, "C");
    if (!before) printf("    note: no locale with a decimal comma here\n");
    REQUIRE(m);
    CHECK(m->option.timestep == 0.25);
    tn_model_destroy(m);
}

TEST(remarks_tell_once_what_is_read_but_not_used)
{
    const char *text =
        "<mujoco>\n<option integrator='RK4' solver='Newton' iterations='9'/>\n<size njmax='5'/>\n"
        "<custom><numeric name='n' data='1 2'/></custom>\n<worldbody>\n"
        "<geom size='1' solref='0.1 1' solimp='0.9'/> stray\n<geom size='1' solref='0.1 1' "
        "gap='0.1'/>\n" /* a gap has no effect in MuJoCo either */
        "<light/></worldbody></mujoco>";
    TnModel *m = load_bytes(text, strlen(text), &remarks, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    CHECK(remarks.count == 5);
    CHECK(has_line(remarks.message, "2:9", "own solver"));
    CHECK(has_line(remarks.message, "3:1", "size"));
    CHECK(has_line(remarks.message, "4:1", "custom"));
    CHECK(has_line(remarks.message, "6:16", "solref"));
    CHECK(has_line(remarks.message, "6:46", "text between"));
    tn_model_destroy(m);
}

TEST(a_byte_order_mark_and_windows_line_ends_are_fine)
{
    TnModel *m = load_text(
        "\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8'?>\r\n<mujoco>\r\n<worldbody>\r\n<geom "
        "size='1'/>\r\n</worldbody></mujoco>\r\n",
        &err);
    CHECK(m != NULL);
    tn_model_destroy(m);
    m = load_text(
        "\xEF\xBB\xBF<mujoco>\r\n<worldbody>\r\n  <geom sise='1'/>\r\n</worldbody></mujoco>\r\n",
        &err);
    CHECK(m == NULL);
    CHECK(has_line(err.message, "3:9", "sise"));
    tn_model_destroy(m);
}

/* Every allocation fails in turn: an error and no model, never a crash, and (under ASan) no leak.
 */
static void fail_each_allocation(const char *path)
{
    TnModel *m = NULL;
    long calls = 0;
    for (; !m && calls < 100000; calls++) {
        tn_malloc_fail_after(calls);
        m = tn_model_load(path, &err);
        tn_malloc_fail_after(-1);
        if (!m && err.code != TN_ERROR_MEMORY) {
            test_fail(__FILE__, __LINE__, "allocation %ld: %s", calls, err.message);
            return;
        }
    }
    CHECK(m != NULL);
    CHECK(calls > 20); /* the hook is really in the way */
    tn_model_destroy(m);
}

TEST(every_failing_allocation_is_an_error_without_leaks)
{
    fail_each_allocation(DATA("all_kinds.xml"));
    fail_each_allocation(DATA("include_main.xml"));
    fail_each_allocation(DATA("track.xml"));
}
