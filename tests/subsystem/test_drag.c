/* A medium that slows bodies down: against MuJoCo 4.0.0, closed forms and the account of energy. */
#include "../io/mjcf_text.h"
#include "model/model.h"

#include <math.h>
#include <tenon/world.h>

static TnError err;

#define PI 3.14159265358979323846
#define MODEL TENON_SOURCE_DIR "/tests/oracle/models/medium.xml"
#define DOFS 25

static TnWorld *start(const TnModel *m)
{
    TnWorldDef def = tn_world_def();
    return tn_world_create(&def, m, &err);
}

/* The model of the oracle, with v_i = sin(1 + i), its geoms without contacts. */
static TnWorld *start_medium(TnModel **m, double t)
{
    double v[DOFS];
    *m = tn_model_load(MODEL, &err);
    if (!*m) test_fail(__FILE__, __LINE__, "%s", err.message);
    if (!*m) return NULL;
    (*m)->option.timestep = t;
    for (int g = 0; g < (*m)->geom_count; g++)
        (*m)->geoms[g].contact_type = (*m)->geoms[g].contact_affinity = 0;
    for (int i = 0; i < DOFS; i++) v[i] = sin(1.0 + i);
    TnWorld *world = start(*m);
    if (world) tn_world_set_state(world, NULL, v, &err);
    return world;
}

TEST(passive_forces_are_mujocos)
{
    static const double mujoco[DOFS] = {
        -0.41465529402676277,  -0.7726409524648509,   0.04637217258897666, 0.0018431970686340934,
        0.0013992767423678203, -0.014804133327339755, -0.6063754637393586, -2.1478083035721243,
        -0.8089018648064266,   -0.012706360595487475, 0.04959783255074611, -0.07898543600606756,
        -0.028361030374814317, -3.86991061655418,     -2.5475329791030488, -0.03625524096120732,
        1.7483389686879627,    -2.249687658214735,    -0.869201486089369,  -0.003834232485752745,
        0.08278385044358641,   -0.07758947009194342,  0.5869837667815393,  17.133501076739414,
        -0.05111658123166195};
    TnModel *m;
    TnWorld *world = start_medium(&m, 0.002);
    REQUIRE(world && m->dof_count == DOFS);
    double passive[DOFS];
    TnEval out = {.passive = passive};
    TnStateView s = tn_world_state(world);
    REQUIRE(tn_model_eval(m, s.qpos, s.qvel, NULL, &out, &err) == TN_OK);
    for (int i = 0; i < DOFS; i++) CHECK_NEAR(passive[i], mujoco[i], 1e-12); /* rounding */
    tn_world_destroy(world);
    tn_model_destroy(m);
}

/* Largest distance from the velocities that MuJoCo's RK4 has after 0.3 s; its steps of 0.2 and 0.1
 * ms agree to 1e-11. */
static double distance(double t)
{
    static const double mujoco[DOFS] = {
        0.8291419336015187,  0.8382067983248235,   -2.69900812458257,   -0.7245370690875235,
        -0.9181883712944247, -0.26803709879443677, 0.6813007059195676,  0.8863340168532197,
        -2.132409422215085,  0.43772099920200397,  -1.5710059323812928, -1.68211437593445,
        0.630479255997303,   0.9129870169043844,   -2.1704358320420347, -0.050656823623700484,
        -0.8308299507070979, -1.0036886051458158,  0.46487343765565964, -0.0555259716631989,
        -0.8614277239516219, -1.303174740420329,   -0.9678704540828826, -2.4864917635436092,
        -7.292693986416189};
    TnModel *m;
    TnWorld *world = start_medium(&m, t);
    double largest = 0.0;
    if (!world) return INFINITY;
    for (int k = (int)lround(0.3 / t); k > 0; k--) tn_world_step(world);
    for (int i = 0; i < DOFS; i++)
        largest = fmax(largest, fabs(tn_world_state(world).qvel[i] - mujoco[i]));
    tn_world_destroy(world);
    tn_model_destroy(m);
    return largest;
}

TEST(trajectories_become_mujocos_with_the_square_of_the_step)
{
    double coarse = distance(2e-3), fine = distance(5e-4);
    CHECK(coarse < 1e-3);
    CHECK(fine < coarse / 12.0); /* second order: a sixteenth */
}

#define BALL(MEDIUM, MORE)                                                                         \
    "<mujoco><option timestep='0.01' " MEDIUM "/><worldbody><body pos='0 0 100'><freejoint/>"      \
    "<geom size='0.05' density='1500' " MORE "/></body></worldbody></mujoco>"

/* Stokes: 6π μ r v = m g, so v = 2/9 ρ r² g / μ (a medium here carries nothing), reached as
 * exp(-t/T), T = m / (6π μ r). */
TEST(a_ball_sinks_as_stokes_says)
{
    TnModel *m = load_text(BALL("viscosity='2'", "fluidshape='ellipsoid'"), &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    TnWorld *world = start(m);
    REQUIRE(world);
    double r = 0.05, v = 2.0 / 9.0 * 1500.0 * r * r * 9.81 / 2.0, T = v / 9.81, largest = 0.0;
    for (int k = 1; k <= 1000; k++) {
        tn_world_step(world);
        double exact = -v * (1.0 - exp(-0.01 * k / T));
        largest = fmax(largest, fabs(tn_world_state(world).qvel[2] - exact));
    }
    CHECK(largest < 1e-3 * v); /* (t/T)²/12 = 5e-5 of v, T = 0.4 s */
    CHECK_NEAR(tn_world_state(world).qvel[2], -v, 1e-9);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

/* A box that has the ball's moments has the side √(12/5) r: ½ ρ a² v² = m g. */
TEST(a_ball_falls_through_air_at_the_speed_of_its_box)
{
    TnModel *m = load_text(BALL("density='1.2'", ""), &err);
    REQUIRE(m);
    TnWorld *world = start(m);
    REQUIRE(world);
    for (int k = 0; k < 6000; k++) tn_world_step(world);
    double mass = 1500.0 * 4.0 / 3.0 * PI * 0.05 * 0.05 * 0.05, side2 = 12.0 / 5.0 * 0.05 * 0.05;
    CHECK_NEAR(tn_world_state(world).qvel[2], -sqrt(2.0 * mass * 9.81 / (1.2 * side2)), 1e-6);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

/* A time of 0.2 µs against a step of 10 ms: it stops and sinks, and never turns back. */
TEST(what_a_medium_stops_within_a_step_does_not_bounce)
{
    TnModel *m = load_text("<mujoco><option timestep='0.01' viscosity='100'/><worldbody>"
                           "<body pos='0 0 9'><freejoint/><geom size='0.001' density='100'/></body>"
                           "</worldbody></mujoco>",
                           &err);
    REQUIRE(m);
    TnWorld *world = start(m);
    REQUIRE(world);
    double v[6] = {3, 0, -5, 20, 0, 10};
    REQUIRE(tn_world_set_state(world, NULL, v, &err) == TN_OK);
    double last = 5.0, height = 9.0;
    for (int k = 0; k < 50; k++) {
        tn_world_step(world);
        TnStateView s = tn_world_state(world);
        CHECK(s.qvel[2] <= 0.0 && -s.qvel[2] <= last * (1.0 + 1e-6)); /* passes end at 1e-7 */
        CHECK(s.qpos[2] <= height && s.qvel[0] >= -1e-20); /* rounding of 3 m/s times 1e-12 */
        last = -s.qvel[2];
        height = s.qpos[2];
    }
    CHECK(9.0 - height < 0.01); /* far less than the 0.05 m of a step's v */
    CHECK_NEAR(last, 9.81 * 100.0 * 4.0 / 3.0 * PI * 1e-9 / (3.0 * PI * sqrt(2.4) * 1e-3 * 100.0),
               1e-15);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

/* A swimmer in a heavy medium: kinetic energy never grows, and what is lost is in the account: at
 * least by_drag of it by drag, the rest by steps that are long for such drag. */
static void swim(const char *medium, const char *shape, double density, double t, int steps,
                 double by_drag)
{
    char text[2048];
    snprintf(text, sizeof text,
             "<mujoco><option timestep='%g' gravity='0 0 0' %s/><default><geom density='%g' "
             "contype='0' conaffinity='0' %s/></default><worldbody>"
             "<body><freejoint/><geom type='capsule' size='.05' fromto='0 0 0 .3 0 0'/>"
             "<body pos='.3 0 0'><joint axis='0 0 1'/><geom type='capsule' size='.04' "
             "fromto='0 0 0 .3 0 0'/><body pos='.3 0 0'><joint axis='0 1 1'/>"
             "<geom type='ellipsoid' size='.15 .02 .1' pos='.15 0 0'/></body></body></body>"
             "</worldbody></mujoco>",
             t, medium, density, shape);
    TnModel *m = load_text(text, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    TnWorld *world = m ? start(m) : NULL;
    if (!world) return;
    double v[8] = {1, -2, .5, 3, -4, 5, 6, -8}, lost = 0.0, created = 0.0;
    tn_world_set_state(world, NULL, v, &err);
    double first = tn_world_energy(world).kinetic, last = first;
    bool grows = false, refused = false;
    for (int k = 0; k < steps; k++) {
        TnStepReport report = tn_world_step(world);
        double now = tn_world_energy(world).kinetic;
        refused |= report.diverged || (k > 20 && report.heap_fallbacks);
        grows |= now > last * (1.0 + 1e-9);
        lost += report.energy.damping + report.energy.step;
        created += report.energy.created;
        last = now;
    }
    if (refused || grows) test_fail(__FILE__, __LINE__, "%s %s: energy grows", medium, shape);
    CHECK_NEAR(first - last, lost - created, 1e-9 * first); /* the account is complete, */
    CHECK(created < 1e-3 * first);
    CHECK(tn_world_energy_account(world).damping >= by_drag * (first - last));
    CHECK(last < 0.5 * first);
    tn_world_destroy(world);
    tn_model_destroy(m);
}

TEST(a_swimmer_loses_its_energy_to_the_medium)
{
    const char *ellipsoid = "fluidshape='ellipsoid'";
    swim("density='4000' viscosity='0.1'", "", 1000, 0.01, 300, 0.8);
    swim("density='1000' viscosity='0.1'", ellipsoid, 1000, 0.01, 300, 0.8);
    swim("density='1000'", ellipsoid, 1000, 0.002, 1000, 0.99);
    swim("viscosity='30'", "", 1000, 0.01, 300, 0.9);
    swim("viscosity='30'", ellipsoid, 10, 0.01, 300, 0.0);
}

/* Light bodies in water: forces without work are far larger than their weight. */
TEST(light_swimmers_stay_bounded)
{
    swim("density='1000' viscosity='0.1'", "", 10, 0.01, 300, 0.0);
    swim("density='1000' viscosity='0.1'", "fluidshape='ellipsoid'", 100, 0.01, 300, 0.9);
}

TEST(soft_bodies_in_a_medium_get_a_remark_and_planes_are_no_ellipsoids)
{
    static TnRemarks remarks;
    const char *text =
        "<mujoco><option viscosity='1'/><tenon><soft name='s' box='.1 .1 .1' cells='1 1 "
        "1'/></tenon></mujoco>";
    TnModel *soft = load_bytes(text, strlen(text), &remarks, &err);
    CHECK(soft && strstr(remarks.message, "does not act on cables and soft bodies"));
    tn_model_destroy(soft);
    TnModel *m = load_text("<mujoco><worldbody><body><joint/><geom type='plane' size='1 1 1' "
                           "fluidshape='ellipsoid'/><geom size='1'/></body></worldbody></mujoco>",
                           &err);
    CHECK(!m && strstr(err.message, "no ellipsoids in a medium"));
    tn_model_destroy(m);
}
