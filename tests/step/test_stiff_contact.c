/* Stiff springs, servos, dampers and couplings of what touches something. A tree in contact moves
 * with v⁺; its springs must be taken there, or they gain energy from K t²/m > 4 on. Stiffness is
 * given as z = K t²/m, from well resolved to rigid.
 *
 * Energy may not exceed what there was at the start and the work put in since, but for what a step
 * takes for noise (balance.c): 1e-6 of the energies involved, and what an error of the solver's
 * tolerance leaves, 3e-6 m (g t)². That does not add up: it is taken off as soon as it is more. */
#include "text_scene.h"

#define NOISE 1e-6

static const double G = 9.81;

static const double zs[] = {1e-2, 0.1, 1.0, 4.0, 20.0, 1e3, 1e5, 1e8};
enum { ZS = sizeof zs / sizeof *zs };

/* What a run did: the most energy beyond what was there and put in, and what is noise. */
typedef struct Books {
    double beyond, noise;
    int touched; /* steps with contact */
    bool refused;
} Books;

static Books run(TextScene *s, int steps)
{
    Books b = {0};
    double start = text_energy(s), work = 0.0, mass = tn_model_info(s->model).total_mass;
    TnEnergy e = tn_world_energy(s->world);
    double turned = e.kinetic + e.elastic;
    for (int k = 0; k < steps && !b.refused; k++) {
        TnStepReport r = tn_world_step(s->world);
        e = tn_world_energy(s->world);
        work += r.energy.actuators + r.energy.applied;
        b.refused = r.diverged;
        b.touched += text_touches(s);
        b.beyond = fmax(b.beyond, e.kinetic + e.potential - start - work);
        turned = fmax(turned, fabs(work) + e.kinetic + e.elastic);
    }
    b.noise = NOISE * turned + 3e-6 * mass * (G * s->t) * (G * s->t);
    return b;
}

static void check_books(const char *name, double t, double z, Books b)
{
    if (!(b.beyond <= b.noise) || b.refused)
        test_fail(__FILE__, __LINE__, "%s at %g s, K t²/m = %g: %g J beyond, noise is %g J%s", name,
                  t, z, b.beyond, b.noise, b.refused ? ", refused" : "");
    if (UNLESS_SANITIZED(1, 0) && b.touched == 0)
        test_fail(__FILE__, __LINE__, "%s at %g s, K t²/m = %g: nothing touched", name, t, z);
}

/* ---- along the floor ---- */

/* A ball of 1 kg that lies on a plane and is held along x. DIM and K are put in. */
#define ON_FLOOR(X, MORE)                                                                          \
    "<worldbody><geom type='plane' size='9 9 1' condim='DIM'/>"                                    \
    "<body pos='0 0 .1'><joint type='slide' axis='0 0 1'/>"                                        \
    "<joint name='x' type='slide' axis='1 0 0' " X "/>"                                            \
    "<geom type='sphere' size='.1' mass='1' condim='DIM'/></body>" MORE "</worldbody>"
#define START(QPOS, QVEL) "<keyframe><key name='start' qpos='" QPOS "' qvel='" QVEL "'/></keyframe>"

typedef struct Holder {
    const char *name, *parts;
    int order; /* K t² / m = z, or K t / m of dampers */
} Holder;
static const Holder holders[] = {
    {"spring", ON_FLOOR("stiffness='K'", "") START("0 .001", "0 0"), 2},
    {"tendon",
     ON_FLOOR("", "") "<tendon><fixed stiffness='K' springlength='0'>"
                      "<joint joint='x' coef='1'/></fixed></tendon>" START("0 .001", "0 0"),
     2},
    {"servo",
     ON_FLOOR("", "") "<actuator><position joint='x' kp='K'/></actuator>" START("0 .001", "0 0"),
     2},
    {"tendon servo",
     ON_FLOOR("", "") "<tendon><fixed name='f'><joint joint='x' coef='2'/></fixed></tendon>"
                      "<actuator><position tendon='f' kp='K'/></actuator>" START("0 .001", "0 0"),
     2},
    {"coupling",
     ON_FLOOR("", "<body pos='0 1 1'><joint name='y' type='slide' axis='1 0 0' stiffness='K'/>"
                  "<geom type='sphere' size='.1' mass='1'/></body>") "<equality><joint joint1='y' "
                                                                     "joint2='x'/></"
                                                                     "equality>" START("0 .001 "
                                                                                       ".001",
                                                                                       "0 0 0"),
     2},
    {"velocity servo",
     ON_FLOOR("", "") "<actuator><velocity joint='x' kv='K'/></actuator>" START("0 0", "0 1"), 1},
    {"damper", ON_FLOOR("damping='K'", "") START("0 0", "0 1"), 1},
    {"thrown on a spring", ON_FLOOR("stiffness='K'", "") START(".05 0", "-2 1"), 2},
    {"thrown on a servo",
     ON_FLOOR("", "") "<actuator><position joint='x' kp='K'/></actuator>" START(".05 0", "-2 1"),
     2},
};

static void append(char **to, const char *from, size_t count)
{
    memcpy(*to, from, count);
    *to += count;
    **to = 0;
}

/* The text with DIM and K, as words between quotes, replaced. */
static void put_in(char *out, const char *parts, int dim, double stiffness)
{
    for (const char *p = parts; *p;) {
        char number[32];
        bool is_dim = strncmp(p, "'DIM'", 5) == 0, is_k = strncmp(p, "'K'", 3) == 0;
        if (is_dim)
            snprintf(number, sizeof number, "'%d'", dim);
        else
            snprintf(number, sizeof number, "'%.17g'", stiffness);
        if (is_dim || is_k)
            append(&out, number, strlen(number));
        else
            append(&out, p, 1);
        p += is_dim ? 5 : is_k ? 3 : 1;
    }
}

static bool open_stiff(TextScene *s, double t, const char *parts, int dim, double stiffness)
{
    char text[4096];
    put_in(text, parts, dim, stiffness);
    return text_open(s, t, "0 0 -9.81", text);
}

TEST(what_holds_a_ball_along_the_floor_makes_no_energy)
{
    for (size_t h = 0; h < sizeof holders / sizeof *holders; h++)
        for (int i = 0; i < TEXT_STEPS * ZS * 2; i++) {
            double t = text_steps[i % TEXT_STEPS], z = zs[i / TEXT_STEPS % ZS];
            int dim = i < TEXT_STEPS * ZS ? 1 : 3;
            TextScene s;
            REQUIRE(open_stiff(&s, t, holders[h].parts, dim, z / pow(t, holders[h].order)));
            check_books(holders[h].name, t, z, run(&s, UNLESS_SANITIZED(200, 20)));
            text_close(&s);
        }
}

/* ---- onto the floor ---- */

/* Pressed down by 50 N; the spring's own length is 50 N / K away. */
#define PRESSED(SPRING, MORE)                                                                      \
    "<worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 .1'>"                              \
    "<joint name='z' type='slide' axis='0 0 1' " SPRING "/>"                                       \
    "<geom type='sphere' size='.1' mass='1'/></body></worldbody>" MORE

static double floor_force(const TnWorld *world)
{
    double sum = 0.0;
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact c = tn_world_contact(world, i);
        sum += fabs(c.force[2]);
    }
    return sum;
}

/* The place is 1e-6 of m g/(m/t²) and more exact; the force too, and K times what the place is off
 * by in the middle of the step, where springs count. */
TEST(what_presses_a_ball_down_holds_it_there_with_its_force)
{
    static const Holder presses[] = {
        {"spring", PRESSED("stiffness='K' springref='DIM'", ""), 2},
        {"tendon",
         PRESSED("", "<tendon><fixed stiffness='K' springlength='DIM'><joint joint='z' coef='1'/>"
                     "</fixed></tendon>"),
         2},
        {"servo", PRESSED("", "<actuator><position joint='z' kp='K' kv='1'/></actuator>"), 2},
    };
    for (size_t h = 0; h < 3; h++)
        for (int i = 0; i < TEXT_STEPS * ZS; i++) {
            double t = text_steps[i % TEXT_STEPS], z = zs[i / TEXT_STEPS], K = z / (t * t);
            char text[2048], parts[2048], number[32];
            TextScene s;
            TnError err = {0};
            double ctrl = -50.0 / K;
            snprintf(number, sizeof number, "'%.17g'", ctrl);
            const char *dim = strstr(presses[h].parts, "'DIM'");
            int first = dim ? (int)(dim - presses[h].parts) : (int)strlen(presses[h].parts);
            snprintf(parts, sizeof parts, "%.*s%s%s", first, presses[h].parts, dim ? number : "",
                     dim ? dim + 5 : "");
            put_in(text, parts, 0, K);
            REQUIRE(text_open(&s, t, "0 0 -9.81", text));
            if (h == 2) CHECK(tn_world_set_ctrl(s.world, &ctrl, &err) == TN_OK);
            check_books(presses[h].name, t, z, run(&s, 100));
            double before = tn_world_state(s.world).qpos[0];
            tn_world_step(s.world);
            double x = tn_world_state(s.world).qpos[0], mean = 0.5 * (before + x);
            CHECK_NEAR(x, 0.0, 1e-6 * G * t * t);
            CHECK_NEAR(floor_force(s.world), 50.0 + G, 1e-5 * 60.0 + K * fabs(mean));
            text_close(&s);
        }
}

/* ---- an arm with an elastic wrist ---- */

static const char wrist[] =
    "<worldbody><geom type='plane' size='9 9 1' condim='DIM'/><body pos='0 0 .3'><joint axis='0 1 "
    "0'/>"
    "<geom type='capsule' fromto='0 0 0 .4 0 0' size='.03' mass='1' condim='DIM'/><body pos='.4 0 "
    "0'>"
    "<joint axis='0 1 0' stiffness='K'/><geom type='capsule' fromto='0 0 0 .2 0 -.1' size='.03' "
    "mass='.3' condim='DIM'/></body></body></worldbody>";

/* It falls on its tip. Its inertia about the wrist is 0.005 kg m². */
TEST(an_elastic_wrist_that_falls_on_its_tip_makes_no_energy)
{
    for (int i = 0; i < TEXT_STEPS * ZS * 2; i++) {
        double t = text_steps[i % TEXT_STEPS], z = zs[i / TEXT_STEPS % ZS];
        TextScene s;
        REQUIRE(open_stiff(&s, t, wrist, i < TEXT_STEPS * ZS ? 1 : 3, 0.005 * z / (t * t)));
        check_books("wrist", t, z, run(&s, (int)(UNLESS_SANITIZED(1.0, 0.1) / t)));
        text_close(&s);
    }
}

/* A stiff one is at rest after two seconds, with its tip on the floor; what is left is less than a
 * falling speed of 1 mm/s. */
TEST(an_arm_with_a_stiff_wrist_comes_to_rest_on_the_floor)
{
    for (int i = 0; i < TEXT_STEPS; i++)
        for (double z = 1e3; z <= 1e8; z *= 1e5) {
            double t = text_steps[i];
            TextScene s;
            REQUIRE(open_stiff(&s, t, wrist, 3, 0.005 * z / (t * t)));
            CHECK(!run(&s, (int)(2.0 / t)).refused);
            CHECK_NEAR(tn_world_energy(s.world).kinetic, 0.0, 0.5 * 1.3 * 1e-6);
            CHECK(floor_force(s.world) > 1.0);
            text_close(&s);
        }
}
