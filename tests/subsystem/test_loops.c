/* Closed loops: energy and closure over long runs, through positions where the loop is singular. */
#include "../step/text_scene.h"

#include "../random.h"

/* A point of a body, in the body's axes. */
typedef struct Place {
    TnBodyId body;
    double at[3];
} Place;

static void rotate(const double q[4], double sign, const double x[3], double out[3])
{
    double u[3] = {sign * q[1], sign * q[2], sign * q[3]}, c[3];
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        c[k] = u[a] * x[b] - u[b] * x[a] + q[0] * x[k];
    }
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        out[k] = x[k] + 2.0 * (u[a] * c[b] - u[b] * c[a]);
    }
}

static void world_of(const TextScene *s, const Place *p, double out[3])
{
    double pos[3], q[4];
    tn_world_body_pose(s->world, p->body, pos, q);
    rotate(q, 1.0, p->at, out);
    for (int k = 0; k < 3; k++) out[k] += pos[k];
}

/* The same point, in another body. */
static Place place_in(const TextScene *s, const Place *p, const char *body)
{
    Place out = {.body = tn_model_find_body(s->model, body)};
    double x[3], pos[3], q[4];
    world_of(s, p, x);
    tn_world_body_pose(s->world, out.body, pos, q);
    for (int k = 0; k < 3; k++) x[k] -= pos[k];
    rotate(q, -1.0, x, out.at);
    return out;
}

typedef struct Loop {
    TextScene s;
    Place one[2], two[2]; /* where it is closed */
    int closures;
} Loop;

static void close_at(Loop *l, const char *body1, const double at[3], const char *body2)
{
    Place *p = &l->one[l->closures];
    p->body = tn_model_find_body(l->s.model, body1);
    memcpy(p->at, at, sizeof p->at);
    l->two[l->closures++] = place_in(&l->s, p, body2);
}

/* Of a run. */
typedef struct Watch {
    double above, below; /* J: energy against the start, most */
    double open;         /* m */
    double turned;       /* J: largest kinetic energy */
    bool refused;
} Watch;

static Watch watch(Loop *l, double duration)
{
    Watch w = {0};
    double start = text_energy(&l->s);
    int steps = (int)(duration / l->s.t + 0.5);
    for (int k = 0; k < steps && !w.refused; k++) {
        w.refused = tn_world_step(l->s.world).diverged;
        double e = text_energy(&l->s) - start, a[3], b[3];
        w.above = fmax(w.above, e);
        w.below = fmax(w.below, -e);
        w.turned = fmax(w.turned, tn_world_energy(l->s.world).kinetic);
        for (int i = 0; i < l->closures; i++) {
            world_of(&l->s, &l->one[i], a);
            world_of(&l->s, &l->two[i], b);
            for (int j = 0; j < 3; j++) w.open = fmax(w.open, fabs(a[j] - b[j]));
        }
    }
    return w;
}

/* What is closed by connect equalities, and where. */
typedef struct Machine {
    const char *gravity, *parts;
    struct {
        const char *body1, *body2;
        double at[3]; /* in body1's axes */
    } closures[2];
    int closure_count;
} Machine;

static Watch watch_machine(const Machine *m, double t, double duration)
{
    Loop l = {0};
    if (!text_open(&l.s, t, m->gravity, m->parts)) return (Watch){.refused = true};
    for (int i = 0; i < m->closure_count; i++)
        close_at(&l, m->closures[i].body1, m->closures[i].at, m->closures[i].body2);
    Watch w = watch(&l, duration);
    text_close(&l.s);
    return w;
}

/* ---- a loop at its full length ---- */

#define TAUT                                                                                       \
    "<worldbody><body><joint axis='0 1 0'/>"                                                       \
    "<geom type='box' pos='0 0 %g' size='.02 .02 %g' mass='%g' contype='0' conaffinity='0'/>"      \
    "<body name='tip' pos='0 0 %g'><joint axis='0 1 0'/><geom type='box' pos='0 0 %g' "            \
    "size='.02 .02 %g' mass='%g' contype='0' conaffinity='0'/></body></body></worldbody>"          \
    "<equality><connect body1='tip' anchor='0 0 %g'/></equality>"                                  \
    "<keyframe><key name='start' qvel='%g %g'/></keyframe>"

/* The singular pose allows one motion, with velocities v1 and v2 = -v1 (a + b)/b. Variant 0 starts
 * against it. */
static bool open_taut(Loop *l, double t, int variant, double *weight, double *length)
{
    Random r = {(uint64_t)variant};
    double a = 0.25, b = 0.25, m1 = 1.0, m2 = 1.0, v1 = 1e-6, v2 = 0.0;
    char parts[2048], gravity[64] = "0 0 -9.81";
    *l = (Loop){0};
    if (variant) {
        for (int k = 0; k < 10; k++) uniform(&r);
        a *= exp(0.7 * uniform(&r));
        b *= exp(0.7 * uniform(&r));
        m1 *= exp(2.0 * uniform(&r));
        m2 *= exp(2.0 * uniform(&r));
        v1 = pow(10.0, -4.0 + 4.0 * uniform(&r));
        v2 = -v1 * (a + b) / b;
        snprintf(gravity, sizeof gravity, "%g 0 %g", 9.81 * uniform(&r), 9.81 * uniform(&r));
    }
    snprintf(parts, sizeof parts, TAUT, -a, a, m1, -2 * a, -b, b, m2, -2 * b, v1, v2);
    if (!text_open(&l->s, t, gravity, parts)) return false;
    close_at(l, "tip", (double[3]){0, 0, -2 * b}, "world");
    *weight = (m1 + m2) * 9.81 * 1.5;
    *length = 2 * (a + b);
    return true;
}

/* 18 of them, at random but for the first: lengths, masses, gravity, speed. A closure error δ lets
 * the middle go aside by √(δ · length), and that is what the weight can gain or lose; it is the
 * loop that is so soft, not the step. Closure: 1e-5 m here, but rounding decides; of 600 such loops
 * 3 opened by more than 0.25 mm at some step, by 0.5 mm at most. */
TEST(a_taut_loop_stays_closed_and_makes_no_energy)
{
    for (int i = 0; i < TEXT_STEPS * 18; i++) {
        Loop l;
        double weight, length;
        REQUIRE(open_taut(&l, text_steps[i % TEXT_STEPS], i / TEXT_STEPS, &weight, &length));
        double start = tn_world_energy(l.s.world).kinetic;
        Watch w = watch(&l, UNLESS_SANITIZED(2.0, 0.2));
        double soft = weight * sqrt(2.0 * w.open * length); /* a step's halves may open further */
        CHECK(!w.refused);
        CHECK(w.open < 1e-3);
        CHECK(w.above < soft && w.below < start + soft && w.turned < start + soft);
        text_close(&l.s);
    }
}

/* ---- four bars ---- */

static const Machine four_bar = {
    "0 0 -9.81",
    "<worldbody><body name='v0'><joint axis='0 1 0'/>"
    "<inertial pos='0 0 .5' mass='1' diaginertia='.0833333333 .0833333333 1e-6'/>"
    "<body name='c0' pos='0 0 1'><joint axis='0 1 0'/>"
    "<inertial pos='.5 0 0' mass='1' diaginertia='1e-6 .0833333333 .0833333333'/></body></body>"
    "<body name='v1' pos='1 0 0'><joint axis='0 1 0'/>"
    "<inertial pos='0 0 .5' mass='1' diaginertia='.0833333333 .0833333333 "
    "1e-6'/></body></worldbody>"
    "<equality><connect body1='c0' body2='v1' anchor='1 0 0'/></equality>"
    "<keyframe><key name='start' qvel='-1 1 -1'/></keyframe>",
    {{"c0", "v1", {1, 0, 0}}},
    1};

/* It goes through its singular pose, all bars in a line, at 6 rad/s, four times in a second. Of 40
 * J it must not lose or gain 1e-3 J; measured: 4e-6 J. At 20 ms a step turns by 0.13 rad, the loop
 * opens by up to 3 mm there, and what closes it again costs 4.4 J in a minute; nothing is gained
 * even then. */
TEST(a_four_bar_keeps_its_energy_for_a_minute)
{
    for (int i = 0; i < TEXT_STEPS; i++) {
        double t = text_steps[i];
        Watch w = watch_machine(&four_bar, t, UNLESS_SANITIZED(t < 0.005 ? 10.0 : 60.0, 1.0));
        bool fine = t < 0.015;
        CHECK(!w.refused && w.turned > 30.0);
        CHECK(w.above < 1e-6);
        CHECK(w.below < (fine ? 1e-3 : 8.0));
        CHECK(w.open < (fine ? 1e-5 : 5e-3));
    }
}

/* ---- crank and slider ---- */

static const Machine slider_crank = {
    "0 0 -9.81",
    "<worldbody><body name='crank'><joint axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 .2 0 0' size='.02' mass='1' contype='0' conaffinity='0'/>"
    "<body name='rod' pos='.2 0 0'><joint axis='0 1 0'/>"
    "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.02' mass='.5' contype='0' "
    "conaffinity='0'/></body>"
    "</body><body name='slider' pos='.7 0 0'><joint type='slide' axis='1 0 0'/>"
    "<geom type='box' size='.05 .05 .05' mass='2' contype='0' conaffinity='0'/></body></worldbody>"
    "<equality><connect body1='rod' body2='slider' anchor='.5 0 0'/></equality>"
    "<keyframe><key name='start' qvel='10 -14 0'/></keyframe>",
    {{"rod", "slider", {.5, 0, 0}}},
    1};

/* 10 rad/s and more, twice through its dead centres in each turn: 0.2 rad in a step of 20 ms. What
 * a step leaves open is of third order in t. Energies: 1e-5 of 2.5 J up to 10 ms (measured: 6e-6
 * J), at 20 ms 1.2e-4 J above and 0.03 J below. */
TEST(a_slider_crank_keeps_its_energy)
{
    for (int i = 0; i < TEXT_STEPS; i++) {
        double t = text_steps[i];
        Watch w = watch_machine(&slider_crank, t, UNLESS_SANITIZED(10.0, 0.5));
        bool fine = t < 0.015;
        CHECK(!w.refused && w.turned > 2.0);
        CHECK(w.above < (fine ? 2e-5 : 5e-4) && w.below < (fine ? 2e-5 : 0.1));
        CHECK(w.open < 600.0 * t * t * t);
    }
}

/* ---- Bricard's linkage: six hinges, one degree of freedom by symmetry alone ---- */

#define ROD(TO)                                                                                    \
    "<geom type='capsule' fromto='0 0 0 " TO "' size='.03' mass='1' contype='0' conaffinity='0'/>"
static const Machine bricard = {
    "0 -9.81 0",
    "<worldbody><body><joint axis='0 1 0'/>" ROD(
        "1 0 0") "<body pos='1 0 0'><joint axis='0 0 "
                 "1'/>" ROD("0 -1 0") "<body pos='0 -1 "
                                      "0'><joint axis='1 "
                                      "0 0'/>" ROD(
                                          "0 0 "
                                          "1") "<body pos='0 0 1'><joint axis='0 1 "
                                               "0'/>" ROD("-1 0 0") "<bod"
                                                                    "y "
                                                                    "name"
                                                                    "='"
                                                                    "last"
                                                                    "' "
                                                                    "pos="
                                                                    "'-1 "
                                                                    "0 "
                                                                    "0'><"
                                                                    "join"
                                                                    "t "
                                                                    "axis"
                                                                    "='0 "
                                                                    "0 "
                                                                    "1'/"
                                                                    ">" ROD("0 1 0") "</body></"
                                                                                     "body></"
                                                                                     "body></"
                                                                                     "body></"
                                                                                     "body></"
                                                                                     "worldbody"
                                                                                     ">"
                                                                                     "<equality"
                                                                                     "><"
                                                                                     "connect "
                                                                                     "body1='"
                                                                                     "last' "
                                                                                     "anchor='"
                                                                                     "0 1 "
                                                                                     "0'/"
                                                                                     "><"
                                                                                     "connect "
                                                                                     "body1='"
                                                                                     "last' "
                                                                                     "anchor='."
                                                                                     "5 1 "
                                                                                     "0'/></"
                                                                                     "equality"
                                                                                     ">",
    {{"last", "world", {0, 1, 0}}, {"last", "world", {.5, 1, 0}}},
    2};

/* Closed by two points of its last hinge's axis: 6 rows of which some are always redundant.
 * Measured in 10 s: 1.4e-6 J of 4.6 J up to 10 ms, 2.2e-5 J at 20 ms. */
TEST(bricards_linkage_keeps_its_energy)
{
    for (int i = 0; i < TEXT_STEPS; i++) {
        double t = text_steps[i], most = t < 0.015 ? 5e-6 : 1e-4;
        Watch w = watch_machine(&bricard, t, UNLESS_SANITIZED(10.0, 0.5));
        CHECK(!w.refused && w.turned > UNLESS_SANITIZED(4.0, 0.1));
        CHECK(w.above < most && w.below < most);
        CHECK(w.open < 8.0 * t * t * t);
    }
}

/* A ball that is to be at a point 6 cm away, so far that its way back is slowed: it goes straight.
 * Each component slowed by itself, it would start 7 degrees off. */
TEST(an_open_connect_closes_straight)
{
    TextScene s;
    REQUIRE(text_open(&s, 0.002, "0 0 0",
                      "<worldbody><body name='b'><freejoint/><geom type='sphere' size='.05' "
                      "mass='1'/></body></worldbody><equality><connect body1='b' body2='world' "
                      "anchor='0 0 0'/></equality><keyframe><key name='start' qpos='.03 0 .05 1 0 "
                      "0 0'/></keyframe>"));
    CHECK(tn_world_step(s.world).converged);
    const double *q = tn_world_state(s.world).qpos;
    CHECK(q[0] < 0.03 && q[2] < 0.05);
    CHECK_NEAR((0.03 - q[0]) / (0.05 - q[2]), 0.6, 1e-4); /* 2e-8 m/s of a mm/s or more */
    CHECK_NEAR(q[1], 0.0, 1e-9);
    text_close(&s);
}

/* A weld holds what a ball joint joins in the same place already: only its torque is left, and its
 * force is none. J beside the joint would leave rows that ask for huge forces. */
TEST(a_weld_across_a_ball_joint_pulls_nothing)
{
    for (int k = 0; k < TEXT_STEPS; k++) {
        TextScene s;
        REQUIRE(text_open(
            &s, text_steps[k], "0 0 0",
            "<worldbody><body name='a'><freejoint/><geom type='box' size='.1 .08 .05' "
            "density='500'/><body name='b' pos='.15 0 0'><joint type='hinge' axis='0 .6 .8'/>"
            "<geom type='box' size='.06 .03 .03' pos='.06 0 0' density='3000'/>"
            "<body name='c' pos='.127 0 0' euler='.3 .5 0'><joint type='ball'/>"
            "<geom size='.04' pos='.05 0 0'/></body></body></body></worldbody>"
            "<equality><weld body1='b' body2='c'/></equality>"
            "<keyframe><key name='start' qvel='0 0 0 3 2 -4 9 0 0 0'/></keyframe>"));
        double start = text_energy(&s), pull = 0.0, turn = 0.0;
        for (int i = 0; i < 1.0 / s.t; i++) {
            REQUIRE(!tn_world_step(s.world).diverged);
            TnReaction r = tn_world_equality_reaction(s.world, 1);
            for (int j = 0; j < 3; j++) {
                pull = fmax(pull, fabs(r.force[j]));
                turn = fmax(turn, fabs(r.torque[j]));
            }
        }
        CHECK(pull < 1e-6 && turn > 0.01);
        CHECK_NEAR(text_energy(&s), start, 1e-9 * start); /* what a step makes is taken back */
        text_close(&s);
    }
}
