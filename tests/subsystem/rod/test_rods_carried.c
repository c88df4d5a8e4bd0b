/* Equalities on segments of cables that a robot carries act on the robot, and those on segments
 * that the world holds act on the world. Exact to what the solver leaves: the other end of an
 * equality cannot tell a carried segment from a part of the robot's own link. */
#include "../../check.h"
#include "../../step/text_scene.h"

#include <tenon/tenon.h>

/* A lift that a force pulls upwards, an arm on it, and a cable that hangs from the arm's hand.
 * `hand` is what holds the ball: the cable's carried segment, or the hand itself. */
static const char lift[] =
    "<mujoco><option timestep='0.005'/><worldbody>"
    "<body name='lift' pos='0 0 2'><joint name='up' type='slide' axis='0 0 1'/>"
    "<geom type='box' size='.1 .1 .1' mass='2' contype='0' conaffinity='0'/>"
    "<body name='arm'><joint name='turn' axis='0 0 1'/>"
    "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.03' mass='.5' contype='0' conaffinity='0'/>"
    "<body name='hand' pos='.5 0 0'><inertial pos='0 0 0' mass='.1' diaginertia='1e-4 1e-4 "
    "1e-4'/></body></body></body>"
    "<body name='ball' pos='.8 .2 2'><freejoint/>"
    "<geom size='.1' mass='3' contype='0' conaffinity='0'/></body>"
    "<composite type='cable' prefix='k' curve='0 0 s' count='7 1 1' size='.6' offset='.5 0 1.4' "
    "initial='free'><geom type='capsule' size='.01' contype='0' conaffinity='0'/></composite>"
    "</worldbody><equality><weld body1='hand' body2='kB_last'/>%s</equality></mujoco>";

typedef struct Lift {
    TnModel *model;
    TnWorld *world;
    TnBodyId lift, hand, ball, segment;
} Lift;

static bool open_lift(Lift *l, const char *equality, bool paper)
{
    static char text[4096];
    TnError err = {0};
    snprintf(text, sizeof text, lift, equality);
    *l = (Lift){.model = load_text(text, &err)};
    TnWorldDef def = tn_world_def();
    def.solver.tolerance = 1e-11;
    def.solver.iterations = 5000;
    if (paper) def.division.kind = TN_DIVISION_PAPER;
    l->world = l->model ? tn_world_create(&def, l->model, &err) : NULL;
    if (!l->world) {
        test_fail(__FILE__, __LINE__, "%s", err.message);
        tn_model_destroy(l->model);
        return false;
    }
    l->lift = tn_model_find_body(l->model, "lift");
    l->hand = tn_model_find_body(l->model, "hand");
    l->ball = tn_model_find_body(l->model, "ball");
    l->segment = tn_model_find_body(l->model, "kB_last");
    return true;
}

static void close_lift(Lift *l)
{
    tn_world_destroy(l->world);
    tn_model_destroy(l->model);
}

#define FORCE 80.0 /* N, upwards on the lift */
#define STEPS 100

static void march(const Lift *l, int steps)
{
    const double force[3] = {0, 0, FORCE}, none[3] = {0};
    for (int k = 0; k < steps; k++) {
        tn_world_apply_wrench(l->world, l->lift, force, none);
        CHECK(!tn_world_step(l->world).diverged);
    }
}

/* Where and how fast the ball is after half a second, and the momentum of all upwards. */
static void ride(const char *equality, bool paper, double pos[3], double v[6], double *momentum)
{
    Lift l;
    double quat[4], linear[3], angular[3], weight, t;
    if (!open_lift(&l, equality, paper)) return;
    march(&l, STEPS);
    tn_world_body_pose(l.world, l.ball, pos, quat);
    tn_world_body_velocity(l.world, l.ball, v, v + 3);
    tn_world_momentum(l.world, linear, angular);
    weight = 9.81 * tn_model_info(l.model).total_mass;
    t = tn_world_state(l.world).time;
    *momentum = linear[2] / ((FORCE - weight) * t);
    close_lift(&l);
}

static void check_rides(const char *to_segment, const char *to_hand)
{
    double pos[3][3], v[3][6], momentum[3];
    ride(to_hand, false, pos[0], v[0], &momentum[0]);
    ride(to_segment, false, pos[1], v[1], &momentum[1]);
    ride(to_segment, true, pos[2], v[2], &momentum[2]);
    for (int i = 0; i < 3; i++) {
        /* What an equality does to its two sides adds up to nothing. A swinging ball turns within
         * the step, an error of second order; a cable in groups is joined by iteration and moves
         * with the velocity of the step's end, an error of first order: 1 % of a swing of half a
         * second at 5 ms. */
        CHECK_NEAR(momentum[i], 1, i == 2 ? 2e-2 : 5e-4);
        for (int k = 0; k < 3; k++) {
            /* 1: where the anchor lies is found by another way, and refined to as much */
            CHECK_NEAR(pos[i][k], pos[0][k], i == 2 ? 1e-2 : 1e-6);
            CHECK_NEAR(v[i][k], v[0][k], i == 2 ? 5e-2 : 1e-5);
        }
    }
}

TEST(connect_on_a_carried_segment_acts_on_the_robot_that_carries_it)
{
    check_rides("<connect body1='ball' body2='kB_last' anchor='0 0 0'/>",
                "<connect body1='ball' body2='hand' anchor='0 0 0'/>");
    check_rides("<connect body1='ball' body2='kB_last' anchor='-.1 0 0'/>",
                "<connect body1='ball' body2='hand' anchor='-.1 0 0'/>");
}

TEST(weld_on_a_carried_segment_acts_on_the_robot_that_carries_it)
{
    check_rides("<weld body1='ball' body2='kB_last'/>", "<weld body1='ball' body2='hand'/>");
}

/* The hand's place is one of the world's: the lift stands still, however hard it is pulled. */
TEST(connect_of_a_carried_segment_to_the_world_stops_the_robot)
{
    Lift l;
    if (!open_lift(&l, "<connect body1='kB_last' anchor='0 0 0'/>", false)) return;
    march(&l, STEPS);
    double pos[3], quat[4];
    tn_world_body_pose(l.world, l.lift, pos, quat);
    CHECK_NEAR(pos[2], 2, 1e-9);
    tn_world_body_pose(l.world, l.segment, pos, quat);
    CHECK_NEAR(pos[0], 0.5, 1e-9);
    close_lift(&l);
}

/* Nothing that is not there already: the ride is the same as without. */
TEST(equalities_between_a_carried_segment_and_its_carrier_change_nothing)
{
    static const char *const more[] = {"<connect body1='kB_last' body2='hand' anchor='0 0 0'/>",
                                       "<connect body1='hand' body2='kB_last' anchor='.1 0 0'/>",
                                       "<weld body1='kB_last' body2='hand'/>"};
    Lift plain;
    if (!open_lift(&plain, "", false)) return;
    march(&plain, STEPS);
    TnStateView expected = tn_world_state(plain.world);
    for (int i = 0; i < 3; i++) {
        Lift l;
        if (!open_lift(&l, more[i], false)) continue;
        march(&l, STEPS);
        TnStateView state = tn_world_state(l.world);
        for (int k = 0; k < state.qpos_count; k++)
            CHECK_NEAR(state.qpos[k], expected.qpos[k], 1e-9);
        close_lift(&l);
    }
    close_lift(&plain);
}

/* Everything at once that two robots and two cables can be joined by, whole and cut: no step is
 * refused. */
TEST(any_equality_between_carried_and_held_segments_runs)
{
    static const char scene[] =
        "<mujoco><option timestep='0.005'/><default><geom contype='0' conaffinity='0'/></default>"
        "<worldbody><body name='a' pos='0 0 1'><joint/><geom size='.1'/>"
        "<body name='b' pos='.3 0 0'><joint axis='0 1 0'/><geom size='.05'/></body></body>"
        "<body name='d' pos='2.3 0 1'><joint/><joint type='slide' axis='1 0 0'/><geom "
        "size='.1'/></body>"
        "<body name='f' pos='2 1 1'><freejoint/><geom size='.1'/></body>"
        "<composite type='cable' prefix='k' curve='s' count='7 1 1' size='1' offset='1 0 1' "
        "initial='free'><geom type='capsule' size='.02'/></composite>"
        "<composite type='cable' prefix='m' curve='s' count='5 1 1' size='1' offset='1 1 1' "
        "initial='free'><geom type='capsule' size='.02'/></composite>"
        "</worldbody><equality>%s</equality></mujoco>";
#define CARRIED "<weld body1='b' body2='kB_first'/><weld body1='d' body2='kB_last'/>"
#define HELD "<weld body1='kB_first' body2='world'/>"
    static const char *const all[] = {
        CARRIED "<connect body1='kB_first' body2='f' anchor='0 0 0'/>",
        CARRIED "<connect body1='kB_first' body2='kB_last' anchor='0 0 0'/>",
        CARRIED "<connect body1='kB_first' body2='kB_3' anchor='0 0 0'/>",
        CARRIED "<connect body1='kB_first' body2='a' anchor='0 0 0'/>",
        CARRIED "<weld body1='kB_first' body2='kB_last'/>",
        CARRIED "<weld body1='kB_first' body2='kB_3'/>",
        CARRIED "<weld body1='f' body2='kB_first'/>",
        CARRIED "<weld body1='d' body2='kB_first'/>",
        CARRIED HELD,
        CARRIED "<weld body1='b' body2='mB_first'/><connect body1='kB_first' body2='mB_first' "
                "anchor='0 0 0'/>",
        CARRIED "<weld body1='d' body2='mB_last'/><weld body1='kB_first' body2='mB_last'/>",
        HELD "<connect body1='kB_first' body2='f' anchor='0 0 0'/>",
        HELD "<connect body1='kB_first' anchor='0 0 0'/>",
        HELD "<weld body1='kB_last' body2='world'/><weld body1='kB_first' body2='kB_last'/>"
             "<connect body1='kB_first' body2='kB_last' anchor='0 0 0'/>",
        HELD "<weld body1='kB_first' body2='b'/>",
        HELD "<weld body1='kB_first' body2='mB_first'/>",
        HELD "<connect body1='kB_first' body2='kB_1' anchor='0 0 0'/>",
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int paper = 0; paper < 2; paper++) {
            static char text[4096];
            TnError err = {0};
            TnWorldDef def = tn_world_def();
            snprintf(text, sizeof text, scene, all[i]);
            TnModel *model = load_text(text, &err);
            if (paper) def.division.kind = TN_DIVISION_PAPER;
            TnWorld *world = model ? tn_world_create(&def, model, &err) : NULL;
            if (!world) test_fail(__FILE__, __LINE__, "%s: %s", all[i], err.message);
            for (int k = 0; world && k < 20; k++)
                if (tn_world_step(world).diverged)
                    test_fail(__FILE__, __LINE__, "%s: step %d refused", all[i], k);
            tn_world_destroy(world);
            tn_model_destroy(model);
        }
}

/* A ball hangs by a point from a segment that the world holds: a pendulum of length 0.2 + I/(m
 * 0.2), and the segment stays. */
TEST(what_is_connected_to_a_held_segment_hangs_from_the_world)
{
    static const char text[] =
        "<mujoco><option timestep='0.001'/><default><geom contype='0' conaffinity='0'/></default>"
        "<worldbody><body name='ball' pos='.2 0 1'><freejoint/><geom size='.05' mass='1'/></body>"
        "<composite type='cable' prefix='k' curve='0 s 0' count='5 1 1' size='.4' offset='0 0 1' "
        "initial='free'><geom type='capsule' size='.01'/></composite></worldbody>"
        "<equality><weld body1='kB_first' body2='world'/>"
        "<connect body1='ball' body2='kB_first' anchor='-.2 0 0'/></equality></mujoco>";
    TnError err = {0};
    TnModel *model = load_text(text, &err);
    REQUIRE(model);
    TnWorldDef def = tn_world_def();
    def.solver.tolerance = 1e-11;
    TnWorld *world = tn_world_create(&def, model, &err);
    REQUIRE(world);
    TnBodyId ball = tn_model_find_body(model, "ball"), held = tn_model_find_body(model, "kB_first");
    double before[3], after[3], quat[4], linear[3], angular[3];
    tn_world_body_pose(world, held, before, quat);
    double top = 0;
    for (int k = 0; k < 1000; k++) {
        tn_world_step(world);
        tn_world_body_velocity(world, ball, linear, angular);
        double speed2 = 0;
        for (int i = 0; i < 3; i++) speed2 += linear[i] * linear[i];
        top = fmax(top, speed2);
    }
    tn_world_body_pose(world, held, after, quat);
    for (int k = 0; k < 3; k++) CHECK_NEAR(after[k], before[k], 1e-12);
    /* from level to the lowest point: m g r = ½ (m + I/r²) v² */
    CHECK_NEAR(top / (2 * 9.81 * 0.2 / (1 + 0.4 * 0.05 * 0.05 / 0.04)), 1, 1e-4);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* A robot's hand carries the first of three long segments of a cable that bends freely, and a
 * connect of that segment stops the robot. The rest falls, swings through below the horizontal
 * clamp and back: its first joint would have to fold. It made 1e36 J, and crashed before that. */
TEST(a_limp_cable_on_a_carried_segment_swings_and_makes_no_energy)
{
    for (int i = 0; i < TEXT_STEPS; i++) {
        TextScene s;
        REQUIRE(text_open(
            &s, text_steps[i], "0 0 -9.81",
            "<worldbody><body pos='0 0 1'><joint/><geom size='.1'/><body name='b' pos='.3 0 "
            "0'/></body>"
            "<composite type='cable' prefix='k' curve='s' count='4 1 1' size='1' offset='1 0 1' "
            "initial='free'><geom type='capsule' size='.02'/></composite></worldbody><equality>"
            "<weld body1='b' body2='kB_first'/><connect body1='kB_first' anchor='0 0 "
            "0'/></equality>"));
        double start = text_energy(&s), most = start;
        for (int k = 0; k * s.t < UNLESS_SANITIZED(3.0, 0.8); k++) {
            CHECK(!tn_world_step(s.world).diverged);
            most = fmax(most, text_energy(&s));
        }
        CHECK(most - start <
              1e-3); /* J, of the 6 J that it falls by; measured: 1.8e-4 at 1 ms, less above */
        text_close(&s);
    }
}
