/* Momentum of what nothing fixed touches: P = P0 + m g t, and L about the centre of mass stays, in
 * steps with contacts, hits, limits and equalities as in free flight, at any step. Each scene runs
 * without gravity and falling.
 *
 * Bounds are shares of √(2 m K) and √(2 K Σ m r²), the most momentum that energy K could have,
 * largest over the run: 1e-10, a hundred times what rounding leaves of sums in 1000 steps. */
#include "../step/text_scene.h"

#include "../random.h"

#define SHARE 1e-10

/* The worst of a run, in shares. */
typedef struct Drift {
    double linear, angular;
    int contacts; /* steps that had some with force */
    int rows;     /* steps that had limits, dry friction or equalities */
    bool refused;
} Drift;

static void random_velocities(TextScene *s, double speed)
{
    int count = tn_model_info(s->model).dof_count;
    double *v = malloc(sizeof *v * (size_t)count);
    Random random = {7};
    TnError err = {0};
    for (int i = 0; i < count; i++) v[i] = speed * uniform(&random);
    CHECK(tn_world_set_state(s->world, NULL, v, &err) == TN_OK);
    free(v);
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

static Drift drift_of(TextScene *s, double duration)
{
    Drift d = {0};
    TextWhole start = text_whole(s);
    TnModelInfo info = tn_model_info(s->model);
    double most_p = 0.0, most_l = 0.0, linear = 0.0, angular = 0.0;
    int steps = (int)(duration / s->t + 0.5);
    for (int k = 1; k <= steps && !d.refused; k++) {
        TnStepReport report = tn_world_step(s->world);
        d.refused = report.diverged;
        d.rows += report.row_count > 0;
        d.contacts += text_touches(s);
        TextWhole now = text_whole(s);
        double kinetic = tn_world_energy(s->world).kinetic, want[3];
        for (int i = 0; i < 3; i++)
            want[i] = start.P[i] + now.mass * info.option.gravity[i] * s->t * k;
        most_p = fmax(most_p, sqrt(2.0 * kinetic * now.mass));
        most_l = fmax(most_l, sqrt(2.0 * kinetic * now.spread));
        linear = fmax(linear, distance(now.P, want));
        angular = fmax(angular, distance(now.L, start.L));
    }
    d.linear = linear / most_p;
    d.angular = angular / most_l;
    return d;
}

/* What must act in a run: contacts; limits, dry friction or equalities. */
typedef enum Acts { ALONE = 0, TOUCHES = 1, TIED = 2 } Acts;

typedef struct Case {
    const char *name, *parts;
    double speed; /* m/s, rad/s: of random velocities; 0: the keyframe's */
    double duration;
    int acts; /* Acts */
} Case;

static void check_division(const Case *c, TnDivisionDef division)
{
    static const char *gravities[] = {"0 0 0", "0 0 -9.81"};
    for (int i = 0; i < TEXT_STEPS * 2; i++) {
        TextScene s;
        TnWorldDef def = tn_world_def();
        def.division = division;
        REQUIRE(text_open_of(&s, text_steps[i / 2], gravities[i % 2], c->parts, def));
        if (c->speed > 0.0) random_velocities(&s, c->speed);
        Drift d = drift_of(&s, UNLESS_SANITIZED(1.0, 0.1) * c->duration);
        if (!(d.linear < SHARE && d.angular < SHARE) || d.refused)
            test_fail(__FILE__, __LINE__, "%s at %g s, gravity %s: P off by %g, L by %g%s", c->name,
                      s.t, gravities[i % 2], d.linear, d.angular, d.refused ? ", refused" : "");
        if (c->acts & TOUCHES && UNLESS_SANITIZED(1, 0) && d.contacts == 0)
            test_fail(__FILE__, __LINE__, "%s at %g s: nothing touched", c->name, s.t);
        if (c->acts & TIED && UNLESS_SANITIZED(1, 0) && d.rows == 0)
            test_fail(__FILE__, __LINE__, "%s at %g s: nothing was limited or tied", c->name, s.t);
        text_close(&s);
    }
}

static void check_all(const Case *cases, int count)
{
    for (int i = 0; i < count; i++)
        check_division(&cases[i], (TnDivisionDef){TN_DIVISION_AUTO, 0, 0});
}
#define CHECK_ALL(CASES) check_all(CASES, sizeof(CASES) / sizeof *(CASES))

/* ---- trees ---- */

#define ARM(JOINT1, JOINT2)                                                                        \
    "<worldbody><body name='base'><freejoint/><geom type='box' size='.1 .06 .04' mass='2'/>"       \
    "<body pos='.1 0 0'><joint name='j1' " JOINT1 "/>"                                             \
    "<geom type='capsule' fromto='0 0 0 .3 0 .1' size='.03' mass='.7'/>"                           \
    "<body pos='.3 0 .1'><joint name='j2' " JOINT2 "/>"                                            \
    "<geom type='capsule' fromto='0 0 0 .2 .1 0' size='.025' mass='.4'/></body></body>"            \
    "<body pos='-.1 0 0'><joint name='j3' axis='0 0 1'/>"                                          \
    "<geom type='capsule' fromto='0 0 0 -.3 0 -.1' size='.03' "                                    \
    "mass='.5'/></body></body></worldbody>"

TEST(floating_trees_keep_their_momentum)
{
    static const Case cases[] = {
        {"hinges", ARM("axis='0 1 0'", "axis='1 0 1'"), 5.0, 0.5, ALONE},
        {"ball and slide", ARM("type='ball'", "type='slide' axis='1 0 0'"), 4.0, 0.3, ALONE},
        {"springs and dampers",
         ARM("axis='0 1 0' stiffness='200' damping='.2'",
             "type='slide' axis='1 0 0' stiffness='3000' springref='.02' damping='3'"),
         3.0, 0.5, ALONE},
        {"stiff springs", ARM("axis='0 1 0' stiffness='1e5'", "axis='1 0 1' stiffness='1e6'"), 1.0,
         0.3, ALONE},
        {"ball with a spring", ARM("type='ball' stiffness='40'", "axis='0 0 1' stiffness='50'"),
         3.0, 0.5, ALONE},
        {"limits", ARM("axis='0 1 0' range='-.3 .3'", "type='slide' axis='1 0 0' range='-.05 .05'"),
         4.0, 0.5, TIED},
        {"limits and dry friction",
         ARM("axis='0 1 0' range='-.3 .3' frictionloss='.3'",
             "type='slide' axis='1 0 0' range='-.05 .05'"),
         4.0, 0.5, TIED},
        {"servos",
         ARM("axis='0 1 0'", "axis='1 0 1'") "<actuator><position joint='j1' kp='300' kv='5'/>"
                                             "<velocity joint='j2' kv='20'/>"
                                             "<motor joint='j3' gear='1'/></actuator>",
         5.0, 0.5, ALONE},
        {"tendon",
         ARM("axis='0 1 0'", "axis='1 0 1'") "<tendon><fixed name='f' stiffness='500' damping='1' "
                                             "range='-.005 .005' limited='true'>"
                                             "<joint joint='j1' coef='.5'/><joint joint='j3' "
                                             "coef='1'/></fixed></tendon>"
                                             "<actuator><position tendon='f' kp='100'/></actuator>",
         4.0, 0.5, TIED},
        {"coupled joints",
         ARM("axis='0 1 0'", "axis='1 0 1'") "<equality><joint joint1='j1' joint2='j3' polycoef='0 "
                                             ".5 0 0 0'/></equality>",
         4.0, 0.5, TIED},
    };
    CHECK_ALL(cases);
}

#define BALL(NAME, POS, REST)                                                                      \
    "<body name='" NAME "' pos='" POS "'><freejoint/>"                                             \
    "<geom type='sphere' size='.05' mass='1' friction='0.5' " REST "/></body>"
#define TWO_LINKS                                                                                  \
    "<body name='a'><freejoint/><geom name='a' type='capsule' fromto='0 0 0 .4 0 0' size='.03' "   \
    "mass='1'/><body name='b' pos='.4 0 0'><joint axis='0 1 0'/>"                                  \
    "<geom name='b' type='capsule' fromto='0 0 0 .4 0 0' size='.03' mass='1'/></body></body>"

TEST(floating_trees_that_are_hit_keep_momentum_with_what_hits_them)
{
    static const Case cases[] = {
        {"tree and ball",
         "<worldbody>" TWO_LINKS BALL(
             "ball", ".7 0 1",
             "") "</worldbody>"
                 "<keyframe><key name='start' qvel='0 0 0 0 0 0 0  0 0 -5 0 0 0'/></keyframe>",
         0, 0.6, TOUCHES},
        {"tree and ball, bouncing",
         "<worldbody>" TWO_LINKS BALL("ball", ".7 0 .5",
                                      "name='c'") "</worldbody>"
                                                  "<tenon><geom name='c' restitution='.8'/></tenon>"
                                                  "<keyframe><key name='start' qvel='0 0 0 0 0 0 0 "
                                                  " 0 0 -5 1 20 0'/></keyframe>",
         0, 0.4, TOUCHES},
        {"two trees",
         "<worldbody>" TWO_LINKS
         "<body pos='.2 .02 .3'><freejoint/><geom type='box' size='.1 .05 .02' mass='1'/>"
         "<body pos='.1 0 0'><joint axis='0 1 0' stiffness='2' range='-.5 .5'/>"
         "<geom type='capsule' fromto='0 0 0 .3 .2 0' size='.03' "
         "mass='1'/></body></body></worldbody>"
         "<keyframe><key name='start' qvel='0 0 0 0 0 0 0  0 0 -3 1 0 2 0'/></keyframe>",
         0, 0.4, TOUCHES},
    };
    CHECK_ALL(cases);
}

/* ---- free bodies ---- */

#define BODIES(REST)                                                                               \
    "<worldbody>"                                                                                  \
    "<body><freejoint/><geom name='a' type='box' size='.1 .08 .05' mass='2' "                      \
    "friction='.6'/></body>"                                                                       \
    "<body pos='.05 .03 .3'><freejoint/><geom name='b' type='cylinder' size='.06 .08' mass='1' "   \
    "friction='.4'/></body>"                                                                       \
    "<body pos='-.05 .02 .5'><freejoint/><geom name='c' type='capsule' size='.04 .06' mass='.5' "  \
    "friction='.5'/></body>"                                                                       \
    "<body pos='.02 -.02 -.3'><freejoint/><geom name='d' type='ellipsoid' size='.05 .08 .06' "     \
    "mass='.7' friction='.8'/></body></worldbody>"                                                 \
    "<tenon><geom name='a' restitution='" REST "'/><geom name='b' restitution='" REST "'/>"        \
    "<geom name='c' restitution='" REST "'/><geom name='d' restitution='" REST "'/></tenon>"       \
    "<keyframe><key name='start' qvel='0 0 0 1 2 3  0 0 -3 5 0 2  0 0 -6 0 9 1  0 0 4 -3 2 8'/>"   \
    "</keyframe>"

TEST(free_bodies_that_collide_keep_their_momentum)
{
    static const Case cases[] = {
        {"restitution 0", BODIES("0"), 0, 0.4, TOUCHES},
        {"restitution 0.5", BODIES(".5"), 0, 0.4, TOUCHES},
        {"restitution 1", BODIES("1"), 0, 0.4, TOUCHES},
    };
    CHECK_ALL(cases);
}

/* ---- loops ---- */

#define LOOP(TIE)                                                                                  \
    "<worldbody>"                                                                                  \
    "<body name='base'><freejoint/><geom type='box' size='.2 .05 .03' mass='1'/>"                  \
    "<body name='l' pos='-.2 0 0'><joint axis='0 1 0'/>"                                           \
    "<geom type='capsule' fromto='0 0 .05 0 0 .3' size='.02' mass='.3'/>"                          \
    "<body name='c' pos='0 0 .3'><joint axis='0 1 0'/>"                                            \
    "<geom type='capsule' fromto='.05 0 0 .35 0 0' size='.02' mass='.3' contype='0' "              \
    "conaffinity='0'/></body></body>"                                                              \
    "<body name='r' pos='.2 0 0'><joint axis='0 1 0'/>"                                            \
    "<geom type='capsule' fromto='0 0 .05 0 0 .28' size='.02' mass='.3' contype='0' "              \
    "conaffinity='0'/></body></body>" TIE "</worldbody>"                                           \
    "<equality><connect body1='c' body2='r' anchor='.4 0 0'/></equality>"

TEST(floating_loops_keep_their_momentum)
{
    static const Case cases[] = {
        {"four-bar",
         LOOP("") "<keyframe><key name='start' qvel='.3 .2 0 1 2 3 2 -2 2'/></keyframe>", 0, 0.5,
         TIED},
        {"four-bar and ball",
         LOOP(BALL("ball", "-.3 0 .2", "")) "<keyframe><key name='start' "
                                            "qvel='0 0 0 0 0 0 0 0 0  3 0 0 0 0 0'/></keyframe>",
         0, 0.3, TOUCHES | TIED},
        {"welded bodies",
         "<worldbody><body name='a'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
         "<body name='b' pos='.25 0 0'><freejoint/><geom type='box' size='.1 .05 .1' "
         "mass='3'/></body>"
         "</worldbody><equality><weld body1='a' body2='b'/></equality>"
         "<keyframe><key name='start' qvel='0 0 0 1 2 3  0 .75 -.5 1 2 3'/></keyframe>",
         0, 0.5, TIED},
        {"connected bodies",
         "<worldbody><body name='a'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
         "<body name='b' pos='.25 0 0'><freejoint/><geom type='box' size='.1 .05 .1' "
         "mass='3'/></body>"
         "</worldbody><equality><connect body1='a' body2='b' anchor='.12 0 .1'/></equality>"
         "<keyframe><key name='start' qvel='0 0 0 1 2 3  0 .75 -.5 -1 2 3'/></keyframe>",
         0, 0.5, TIED},
    };
    CHECK_ALL(cases);
}

/* ---- cables ---- */

#define CABLE(YOUNG, OFFSET)                                                                       \
    "<composite type='cable' prefix='k' curve='s 0 0' count='21 1 1' size='1' offset='" OFFSET     \
    "' "                                                                                           \
    "initial='free'><plugin plugin='mujoco.elasticity.cable'><config key='twist' value='" YOUNG    \
    "'/><config key='bend' value='" YOUNG "'/></plugin>"                                           \
    "<geom type='capsule' size='.01' density='1000'/></composite>"
#define WITH_CABLES "<extension><plugin plugin='mujoco.elasticity.cable'/></extension>"

static void check_cables(TnDivisionDef division)
{
    static const Case cases[] = {
        {"cable", WITH_CABLES "<worldbody>" CABLE("1e6", "0 0 0") "</worldbody>", 0.5, 0.3, ALONE},
        {"stiff cable", WITH_CABLES "<worldbody>" CABLE("1e8", "0 0 0") "</worldbody>", 0.1, 0.3,
         ALONE},
        {"cable and ball",
         WITH_CABLES "<worldbody>" BALL("ball", ".6 0 .2", "")
             CABLE("1e7", "0 0 0") "</worldbody>"
                                   "<keyframe><key name='start' qvel='0 0 -3 0 10 0 "
                                   "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
                                   "0 0 0 0 0 0 0 0 0 "
                                   "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
                                   "0 0 0 0 0 0 0 0 0 "
                                   "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
                                   "0 0 0 0 0 0 0 0 0'/>"
                                   "</keyframe>",
         0, 0.2, TOUCHES},
        {"robot with a cable",
         WITH_CABLES
         "<worldbody><body name='base' pos='-.3 0 0'><freejoint/>"
         "<geom type='box' size='.1 .1 .1' mass='3'/><body name='hand' pos='.12 0 0'>"
         "<joint axis='0 0 1'/><geom type='capsule' fromto='.05 0 0 .14 0 0' size='.03' mass='.5'/>"
         "</body></body>" CABLE(
             "1e7", "0 0 0") "</worldbody>"
                             "<equality><weld body1='kB_first' body2='hand'/></equality>",
         0.5, 0.3, ALONE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_division(&cases[i], division);
}

TEST(cables_keep_their_momentum) { check_cables((TnDivisionDef){TN_DIVISION_WHOLE, 0, 0}); }

TEST(cables_in_groups_keep_their_momentum)
{
    check_cables((TnDivisionDef){TN_DIVISION_GROUPS, 5, 0});
}

/* ---- soft bodies ---- */

#define SOFT(LAW, MASS)                                                                            \
    "<tenon><soft name='s' box='.1 .05 .05' cells='4 2 2' young='1e5' poisson='.3' "               \
    "density='1000' "                                                                              \
    "damping='0' law='" LAW "' mass_matrix='" MASS "'/></tenon>"

static void check_soft(TnDivisionDef division)
{
    static const Case cases[] = {
        {"co-rotational", SOFT("corotational", "lumped"), 1.0, 0.2, ALONE},
        {"co-rotational, consistent", SOFT("corotational", "consistent"), 1.0, 0.2, ALONE},
        {"neo-Hookean", SOFT("neohookean", "lumped"), 1.0, 0.2, ALONE},
        {"neo-Hookean, consistent", SOFT("neohookean", "consistent"), 1.0, 0.2, ALONE},
        {"soft and box",
         "<worldbody><body pos='.05 .02 .12'><freejoint/><geom type='box' size='.04 .05 .06' "
         "mass='1'/></body></worldbody>" SOFT(
             "corotational",
             "lumped") "<keyframe><key name='start' qvel='0 0 -2 3 2 1'/></keyframe>",
         0, 0.2, TOUCHES},
        {"soft and ball, consistent",
         "<worldbody>" BALL("b", ".05 0 .102", "") "</worldbody>" SOFT(
             "neohookean",
             "consistent") "<keyframe><key name='start' qvel='0 0 -2 0 20 0'/></keyframe>",
         0, 0.2, TOUCHES},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_division(&cases[i], division);
}

TEST(soft_bodies_keep_their_momentum) { check_soft((TnDivisionDef){TN_DIVISION_WHOLE, 0, 0}); }

TEST(soft_bodies_in_pieces_keep_their_momentum)
{
    check_soft((TnDivisionDef){TN_DIVISION_AUTO, 0, 4});
}
