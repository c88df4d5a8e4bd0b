/* Actuators with activation and muscles, and how classes fill in what elements leave open. Numbers
 * of MuJoCo are those of version 4.0.0. */
#include "mjcf_text.h"
#include "model/model.h"

#include <math.h>
#include <string.h>
#include <tenon/world.h>

static TnError err;

#define MODEL TENON_SOURCE_DIR "/tests/oracle/models/activation.xml"
#define ACTUATORS 12
#define ACTS 9

static TnWorld *start(TnModel **m, double t)
{
    TnWorldDef def = tn_world_def();
    *m = tn_model_load(MODEL, &err);
    if (!*m) test_fail(__FILE__, __LINE__, "%s", err.message);
    if (!*m) return NULL;
    (*m)->option.timestep = t;
    def.key = tn_model_find_key(*m, "busy");
    return tn_world_create(&def, *m, &err);
}

TEST(forces_of_activated_actuators_are_mujocos)
{
    static const double mujoco[ACTUATORS] = {1.5,
                                             7.8,
                                             7.39919460204202,
                                             0.34911309746315394,
                                             -2.25,
                                             0.1589048622548086,
                                             -17.59011722578125,
                                             -32.01257915440483,
                                             -14.928367846730529,
                                             -1.1099999999999999,
                                             -1.0,
                                             1.2000000000000002};
    TnModel *m;
    TnWorld *world = start(&m, 0.002);
    REQUIRE(world);
    TnStateView s = tn_world_state(world);
    REQUIRE(s.act_count == ACTS && s.ctrl_count == ACTUATORS);
    double force[ACTUATORS];
    TnEval out = {.actuator_force = force, .act = s.act};
    REQUIRE(tn_model_eval(m, s.qpos, s.qvel, s.ctrl, &out, &err) == TN_OK);
    for (int i = 0; i < ACTUATORS; i++) CHECK_NEAR(force[i], mujoco[i], 1e-12); /* rounding */
    tn_world_destroy(world);
    tn_model_destroy(m);
}

TEST(an_early_actuator_acts_by_the_activation_at_the_end_of_the_step)
{
    TnModel *m =
        load_text("<mujoco><option timestep='.1'/><worldbody><body><joint name='j'/>"
                  "<geom size='.1'/></body></worldbody><actuator>"
                  "<general joint='j' dyntype='integrator' gainprm='3' actearly='true'/>"
                  "<general joint='j' dyntype='integrator' gainprm='3'/></actuator></mujoco>",
                  &err);
    REQUIRE(m);
    double force[2], q = 0, v = 0, ctrl[2] = {2, 2}, act[2] = {.5, .5};
    TnEval out = {.actuator_force = force, .act = act};
    REQUIRE(tn_model_eval(m, &q, &v, ctrl, &out, &err) == TN_OK);
    CHECK_NEAR(force[0], 3 * (.5 + .1 * 2), 1e-15);
    CHECK_NEAR(force[1], 3 * .5, 1e-15);
    tn_model_destroy(m);
}

/* They depend on controls alone, so a step's activations are MuJoCo's to rounding. */
TEST(activations_of_a_step_are_mujocos)
{
    static const double mujoco[ACTS] = {
        0.10392105608476769, 0.201, 0.0492, 0.308, 0.6142857142857143, 0.389,
        0.5053333333333333,  -0.17, 0.099};
    TnModel *m;
    TnWorld *world = start(&m, 0.002);
    REQUIRE(world);
    tn_world_step(world);
    for (int i = 0; i < ACTS; i++) CHECK_NEAR(tn_world_state(world).act[i], mujoco[i], 1e-15);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

/* Distance after 0.2 s from MuJoCo's trajectory, extrapolated from steps of 10 and 5 µs. */
static double distance(double t)
{
    static const double coarse[15] =
        {0.3342626116366095,  0.33673359255031954, 0.11664153146812681,
         1.1858809556653156,  0.7842751249119682,  0.6390172465705404,
         0.19816843611112564, 0.29999999999982246, -0.02999999999999176,
         0.6458713002069066,  0.7995328073387786,  0.20267622240007022,
         0.5991785606976445,  0.39595975816217355, 0.0},
                        fine[15] = {0.3342583243264185,  0.3367339460736897, 0.1166394577954335,
                                    1.185892298464465,   0.7842571154478705, 0.6390139393947081,
                                    0.19816843611112656, 0.3000000000001,    -0.02999999999999956,
                                    0.6458685934335795,  0.7995325923586313, 0.2026768448452799,
                                    0.5991783222097959,  0.3959584950734875, 0.0};
    TnModel *m;
    double largest = 0.0;
    TnWorld *world = start(&m, t);
    if (!world) return INFINITY;
    for (int k = (int)lround(0.2 / t); k > 0; k--) tn_world_step(world);
    TnStateView s = tn_world_state(world);
    for (int i = 0; i < 15; i++) {
        double x = i < 3 ? s.qpos[i] : i < 6 ? s.qvel[i - 3] : s.act[i - 6];
        largest = fmax(largest, fabs(x - (2.0 * fine[i] - coarse[i])));
    }
    tn_world_destroy(world);
    tn_model_destroy(m);
    return largest;
}

TEST(trajectories_become_mujocos_as_the_step_does)
{
    double coarse = distance(1e-3), fine = distance(2.5e-4);
    CHECK(fine < 3e-3);          /* first order, with rates of about 1e2 per s */
    CHECK(fine < 0.35 * coarse); /* first order: a quarter */
    CHECK(distance(0.01) < 0.2); /* and stays near at 10 ms */
}

/* Controls jump every 0.2 s between bounds. */
TEST(muscles_and_filters_are_stable_at_ten_milliseconds)
{
    TnModel *m;
    TnWorld *world = start(&m, 0.01);
    REQUIRE(world);
    double fastest = 0.0, work = 0.0, created = 0.0;
    int fallbacks = 0, bad = 0;
    for (int k = 0; k < 400; k++) {
        double ctrl[ACTUATORS];
        for (int i = 0; i < ACTUATORS; i++) ctrl[i] = (k / 20 + i) % 2 ? 1.0 : -0.2;
        REQUIRE(tn_world_set_ctrl(world, ctrl, &err) == TN_OK);
        TnStepReport report = tn_world_step(world);
        bad += report.diverged || !report.converged;
        if (k > 50) fallbacks += report.heap_fallbacks;
        work += fabs(report.energy.actuators);
        created += report.energy.created;
        for (int i = 0; i < 3; i++) fastest = fmax(fastest, fabs(tn_world_state(world).qvel[i]));
    }
    CHECK(bad == 0 && fallbacks == 0);
    CHECK(fastest < 50.0); /* servos of 20 N·m/rad on 3 kg: 10 rad/s */
    CHECK(created < 1e-3 * work);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

TEST(a_restored_world_goes_on_with_its_activations)
{
    TnModel *m;
    TnWorld *world = start(&m, 0.002);
    REQUIRE(world);
    for (int k = 0; k < 10; k++) tn_world_step(world);
    size_t size = tn_world_save_size(world);
    void *saved = malloc(size);
    REQUIRE(saved && tn_world_save(world, saved, size, &err) == TN_OK);
    for (int k = 0; k < 10; k++) tn_world_step(world);
    uint64_t hash = tn_world_hash(world);
    double zero[ACTS] = {0};
    REQUIRE(tn_world_set_act(world, zero, &err) == TN_OK);
    CHECK(tn_world_hash(world) != hash && tn_world_state(world).act[0] == 0.0);
    zero[3] = NAN;
    CHECK(tn_world_set_act(world, zero, &err) == TN_ERROR_USAGE);
    REQUIRE(tn_world_restore(world, saved, size, &err) == TN_OK);
    for (int k = 0; k < 10; k++) tn_world_step(world);
    CHECK(tn_world_hash(world) == hash);
    free(saved);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

/* ---- classes ---- */

#define NO_ACT TN_ACTIVATION_NONE
#define INTEGRATES TN_ACTIVATION_INTEGRATOR
#define FILTERS TN_ACTIVATION_FILTER
#define EXACT TN_ACTIVATION_FILTER_EXACT
#define MUSCLE TN_ACTIVATION_MUSCLE

/* What MuJoCo 4.0.0 compiles of them: dyntype, dynprm[0], gainprm[0..2] and biasprm[0..2]. Of a
 * muscle: force and scale as gain. */
static const struct {
    const char *classes, *element;
    TnActivation activation;
    double time, gain[3], bias[3];
} CLASSES[] = {
    {"<general gainprm='3'/>", "position", NO_ACT, 1, {3}, {0, -3, 0}},
    {"<general gainprm='3' biasprm='1 -4 -5' biastype='affine'/>",
     "position",
     NO_ACT,
     1,
     {3},
     {0, -3, -5}},
    {"<general gainprm='3' biasprm='1 -4 -5' biastype='affine' gaintype='affine'/>",
     "position",
     NO_ACT,
     1,
     {1},
     {0, -1, 0}},
    {"<general gainprm='3' biasprm='1 -4 -5' biastype='affine'/>",
     "velocity",
     NO_ACT,
     1,
     {3},
     {0, 0, -3}},
    {"<general gainprm='3' biasprm='1 -4 -5' dyntype='integrator' dynprm='.2'/>",
     "cylinder",
     FILTERS,
     .2,
     {3},
     {1, -4, -5}},
    {"<general gainprm='3' dyntype='filterexact' dynprm='.2'/>",
     "position",
     EXACT,
     .2,
     {3},
     {0, -3, 0}},
    {"<general gainprm='3' dyntype='filter' dynprm='.2'/>", "position", NO_ACT, 1, {3}, {0, -3, 0}},
    {"<general gainprm='3' dyntype='integrator'/>", "motor", NO_ACT, 1, {1}, {0}},
    {"<general gainprm='.8 1 20 30 .5 1.6 1.5 1.3 1.2' dynprm='.1 .2' gaintype='muscle'/>",
     "muscle",
     MUSCLE,
     .1,
     {20, 30},
     {0}},
    {"<general dynprm='.1 .2' dyntype='muscle'/>", "muscle", MUSCLE, .01, {-1, 200}, {0}},
    {"<position kp='7' kv='2' timeconst='.3'/>", "general", EXACT, .3, {7}, {0, -7, -2}},
    {"<position kp='7' kv='2' timeconst='.3'/>", "intvelocity", INTEGRATES, 1, {1}, {0, -1, 0}},
    {"<position kp='7' kv='2'/>", "velocity", NO_ACT, 1, {1}, {0, 0, -1}},
    {"<position kp='7' kv='2'/>", "damper ctrlrange='0 1'", NO_ACT, 1, {0}, {0}},
    {"<position kp='7' timeconst='.2'/>", "position timeconst='0'", NO_ACT, 0, {7}, {0, -7, 0}},
    {"<position kp='3'/><velocity kv='7'/>", "position", NO_ACT, 1, {1}, {0, -1, 0}},
    {"<position kp='3'/><velocity kv='7'/>", "general", NO_ACT, 1, {7}, {0, 0, -7}},
    {"<position kp='3'/><motor/>", "general", NO_ACT, 1, {1}, {0}},
    {"<position kp='3'/><default class='c'><velocity/></default>",
     "position class='c'",
     NO_ACT,
     1,
     {3},
     {0, -3, 0}},
    {"<position kp='3'/><default class='c'><general gainprm='5'/></default>",
     "position class='c'",
     NO_ACT,
     1,
     {5},
     {0, -5, 0}},
    {"<intvelocity kp='7' kv='2' actrange='-1 1'/>", "general", INTEGRATES, 1, {7}, {0, -7, -2}},
    {"<intvelocity kp='7' actrange='-1 1'/>", "cylinder", FILTERS, 1, {1}, {0}},
    {"<damper kv='4' ctrlrange='0 1'/>", "general", NO_ACT, 1, {0, 0, -4}, {0}},
    {"<damper kv='3'/>", "damper ctrlrange='0 1'", NO_ACT, 1, {0, 0, -3}, {0}},
    {"<cylinder timeconst='2' area='3' bias='1 2 3'/>", "general", FILTERS, 2, {3}, {1, 2, 3}},
    {"<cylinder timeconst='2' area='3' bias='1 2 3'/>", "position", NO_ACT, 1, {1}, {0, -1, 0}},
    {"<muscle force='50'/>", "general", MUSCLE, .01, {50, 200}, {0}},
    {"<muscle force='50'/>", "general dynprm='.1'", MUSCLE, .1, {50, 200}, {0}},
    {"<muscle force='50'/>", "position", NO_ACT, 1, {1}, {0, -1, 0}},
    {"<muscle force='50'/><default class='c'><muscle scale='3'/></default>",
     "muscle class='c'",
     MUSCLE,
     .01,
     {50, 3},
     {0}},
};

static void compare_class(const TnModel *m, size_t i)
{
    const TnActuator *a = &m->actuators[0];
    bool same = a->activation == CLASSES[i].activation;
    same = same && (a->act >= 0) == (a->activation != NO_ACT);
    if (a->activation != NO_ACT) same = same && a->time_constants[0] == CLASSES[i].time;
    const double *gain = CLASSES[i].gain;
    if (a->muscles) { /* a force below zero is found from the acceleration, here 1/(0.4 · 10) */
        double force = gain[0] < 0 ? gain[1] * m->links[1].inertia_principal[0] : gain[0];
        same = same && a->muscles->gain.scale == gain[1];
        same = same && fabs(a->muscles->gain.force - force) < 1e-9 * force;
    } else {
        same =
            same && a->gain == gain[0] && a->gain_rate[0] == gain[1] && a->gain_rate[1] == gain[2];
    }
    for (int k = 0; k < 3; k++) same = same && a->bias[k] == CLASSES[i].bias[k];
    if (!same) test_fail(__FILE__, __LINE__, "%s, %s", CLASSES[i].classes, CLASSES[i].element);
}

TEST(classes_fill_in_what_mujoco_fills_in)
{
    for (size_t i = 0; i < sizeof CLASSES / sizeof CLASSES[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<mujoco><default>%s</default><worldbody><body><joint name='j'/><geom size='.1'/>"
                 "</body></worldbody><actuator><%s joint='j' lengthrange='-1 1'/></actuator>"
                 "</mujoco>",
                 CLASSES[i].classes, CLASSES[i].element);
        err = (TnError){0};
        TnModel *m = load_text(text, &err);
        if (!m) test_fail(__FILE__, __LINE__, "%s: %s", text, err.message);
        if (m) compare_class(m, i);
        tn_model_destroy(m);
    }
}

#define ONE(ACTUATOR)                                                                              \
    "<mujoco><worldbody><body><joint name='j' range='-10 20'/><geom "                              \
    "size='.1'/></body></worldbody>"                                                               \
    "<actuator>\n" ACTUATOR "</actuator></mujoco>"

TEST(ranges_are_inherited_by_what_steers)
{
    TnModel *m = load_text(ONE("<intvelocity joint='j' inheritrange='.5'/>"
                               "<position joint='j' inheritrange='1' timeconst='.1'/>"),
                           &err);
    REQUIRE(m);
    double degree = 3.14159265358979323846 / 180;
    CHECK(m->actuators[0].act_limited && !m->actuators[0].ctrl_limited);
    CHECK_NEAR(m->actuators[0].act_range[0], -2.5 * degree, 1e-15);
    CHECK_NEAR(m->actuators[0].act_range[1], 12.5 * degree, 1e-15);
    CHECK(!m->actuators[1].act_limited && m->actuators[1].ctrl_limited);
    CHECK_NEAR(m->actuators[1].ctrl_range[1], 20 * degree, 1e-15);
    tn_model_destroy(m);
}

/* MuJoCo 4.0.0 simulates; M of the second model changes with its pose. */
TEST(a_muscle_without_a_range_of_lengths_has_that_of_its_limits)
{
    TnModel *m =
        load_text("<mujoco><worldbody><body><joint name='j' axis='0 1 0' range='-57.29577951308232 "
                  "57.29577951308232'/><geom size='.1' pos='.3 0 0'/></body></worldbody>"
                  "<actuator><muscle joint='j' gear='2'/></actuator></mujoco>",
                  &err);
    REQUIRE(m);
    const double *range = m->actuators[0].muscles->length_range;
    CHECK_NEAR(range[0], -2.00113988, 5e-9);
    CHECK_NEAR(range[1], 2.00113988, 5e-9);
    tn_model_destroy(m);
    m = load_text(
        "<mujoco><worldbody><body><joint name='a' axis='0 1 0' range='-50 50'/>"
        "<geom size='.1' pos='.3 0 0'/><body pos='.3 0 0'><joint name='b' axis='0 1 0' "
        "range='-40 60'/><geom size='.05' pos='.2 0 0'/></body></body></worldbody>"
        "<tendon><fixed name='t'><joint joint='a' coef='.1'/><joint joint='b' coef='-.2'/>"
        "</fixed></tendon><actuator><muscle tendon='t'/></actuator></mujoco>",
        &err);
    REQUIRE(m);
    range = m->actuators[0].muscles->length_range;
    CHECK_NEAR(range[0], -0.29682868, 2e-5);
    CHECK_NEAR(range[1], 0.22701032, 2e-5);
    tn_model_destroy(m);
}

/* An arm with a muscle past both joints, or past what these are. */
#define FLEXED(FIRST, SECOND, GEAR)                                                                \
    "<mujoco><worldbody><site name='a'/><body pos='0 0 .1'><joint " FIRST "/><geom "               \
    "type='capsule' fromto='0 0 0 .3 0 0' size='.02'/><site name='b' pos='.1 0 .05'/>"             \
    "<body pos='.3 0 0'><joint " SECOND "/><geom type='capsule' fromto='0 0 0 .25 0 0' "           \
    "size='.015'/><site name='c' pos='.1 0 .05'/></body></body></worldbody><tendon>"               \
    "<spatial name='t'><site site='a'/><site site='b'/><site site='c'/></spatial></tendon>"        \
    "<actuator>\n<muscle tendon='t' gear='" GEAR "'/></actuator></mujoco>"
#define SHOULDER "axis='0 1 0' range='-40 60'"

/* The lengths are those of MuJoCo 4.0.0, whose M changes with the pose: that moves what the limits
 * give, a hundredth of a range, by a hundredth. */
TEST(a_muscle_along_a_spatial_tendon_has_the_lengths_between_its_ends)
{
    static const struct {
        const char *text;
        double range[2];
    } cases[] = {
        {FLEXED(SHOULDER, "axis='0 1 0' range='-10 110'", "1"), {.39113002, .52537048}},
        {FLEXED(SHOULDER, "axis='0 1 0' range='-10 110'", "-2"), {-1.05074095, -.78226004}},
        {FLEXED(SHOULDER, "axis='0 1 0'", "1"), {.19518554, .52537049}}, /* no limit at the end */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnModel *m = load_text(cases[i].text, &err);
        REQUIRE(m);
        const double *range = m->actuators[0].muscles->length_range, *right = cases[i].range;
        for (int k = 0; k < 2; k++) CHECK_NEAR(range[k], right[k], 2e-4 * (right[1] - right[0]));
        tn_model_destroy(m);
    }
    static const Refused refused[] = {
        {FLEXED("type='slide' axis='1 0 0'", SHOULDER, "1"), "2:1", "its length has no end"},
        {FLEXED("type='ball'", SHOULDER, "1"), "2:1", "a muscle needs a lengthrange"},
    };
    CHECK_REFUSED(refused);
}

TEST(lengths_of_muscles_may_be_limits_as_they_are_given)
{
    TnModel *m =
        load_text("<mujoco><compiler><lengthrange uselimit='true'/></compiler><worldbody>"
                  "<body><joint name='j' type='slide' range='-1 2'/><geom size='.1'/></body>"
                  "</worldbody><actuator><muscle joint='j' gear='2'/></actuator></mujoco>",
                  &err);
    REQUIRE(m);
    const double *range = m->actuators[0].muscles->length_range;
    CHECK(range[0] == -1.0 && range[1] == 2.0); /* whatever the gear, as in MuJoCo */
    tn_model_destroy(m);
}

TEST(wrong_activations_are_told_at_their_place)
{
    static const Refused cases[] = {
        {ONE("<general joint='j' dyntype='user'/>"), "2:20", "only dyntype none, integrator"},
        {ONE("<general joint='j' gaintype='user'/>"), "2:20", "only gaintype fixed, affine"},
        {ONE("<general joint='j' biastype='user'/>"), "2:20", "only biastype none, affine"},
        {ONE("<general joint='j' actrange='0 1'/>"), "2:20", "for actuators with activation"},
        {ONE("<general joint='j' dyntype='filter' actdim='2'/>"), "2:37", "one activation"},
        {ONE("<general joint='j' dyntype='filter' inheritrange='1'/>"), "2:37",
         "for position and intvelocity"},
        {ONE("<damper joint='j' kv='1'/>"), "2:1", "needs a ctrlrange"},
        {ONE("<damper joint='j' kv='1' ctrlrange='-1 1'/>"), "2:26", "needs a ctrlrange"},
        {"<mujoco><worldbody><body><joint name='j'/><geom size='.1'/></body></worldbody>"
         "<actuator>\n<muscle joint='j'/></actuator></mujoco>",
         "2:1", "a muscle needs a lengthrange"},
        {ONE("<muscle joint='j' lengthrange='0 1' lmin='1'/>"), "2:1", "lmin < 1 < lmax"},
        {ONE("<muscle joint='j' lengthrange='0 1' range='1 .5'/>"), "2:1", "muscle range"},
        {ONE("<position joint='j' timeconst='-1'/>"), "2:21", "must not be negative"},
    };
    CHECK_REFUSED(cases);
}
