/* Worlds in parts beside closed forms: hits, momentum, energy, sub-steps. Ranks are threads here
 * (thread_ranks.h, pthread). */
#include "../check.h"

#include "../io/mjcf_text.h"
#include "../step/scene.h"
#include "spread_runs.h"

/* ---- hits ---- */

enum { BALLS = 6 };
static const double restitutions[BALLS] = {1.0, 0.9, 0.8, 0.7, 0.5, 0.3};

static double height_of(int ball) { return 0.3 + 0.1 * ball; }

/* Of the lowest point of a ball that is dropped, at a time: parabolas. NAN: it hardly leaves the
 * ground any more. */
static double bounced_height(double height, double restitution, double time)
{
    const double g = 9.81;
    double fall = sqrt(2.0 * height / g), speed = g * fall;
    if (time < fall) return height - 0.5 * g * time * time;
    for (time -= fall, speed *= restitution; time > 2.0 * speed / g; speed *= restitution) {
        time -= 2.0 * speed / g;
        if (speed < 0.3) return NAN;
    }
    return speed * time - 0.5 * g * time * time;
}

static TnModel *bouncing_balls(void)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.0);
    for (int i = 0; i < BALLS; i++) {
        double pos[3] = {0.5 * i, 0.0, 0.1 + height_of(i)};
        scene_free(&scene, TN_GEOM_SPHERE, (double[3]){0.1, 0, 0}, 1.0, pos, 0.0, restitutions[i]);
    }
    return scene_compile(&scene);
}

static void bounce(void *context, const TnRanks *ranks)
{
    TnWorldDef def = tn_world_def();
    TnError err = {0};
    def.spread = true;
    def.ranks = ranks;
    TnWorld *world = tn_world_create(&def, ranks && ranks->rank ? NULL : context, &err);
    CHECK(world);
    double worst = 0.0;
    int compared = 0;
    for (int k = 1; k <= 100; k++) {
        tn_world_step(world);
        TnStateView at = tn_world_state(world);
        for (int i = 0; i < BALLS && at.qpos_count; i++) {
            double height = bounced_height(height_of(i), restitutions[i], at.time);
            if (!isnan(height)) worst = fmax(worst, fabs(at.qpos[7 * i + 2] - 0.1 - height));
            compared += !isnan(height);
        }
    }
    CHECK(compared > 400 || (ranks && ranks->rank));
    /* hits are found within the step: rounding, which a bounce multiplies */
    CHECK(worst < 1e-11);
    tn_world_destroy(world);
}

TEST(balls_that_bounce_in_parts_are_on_their_parabolas)
{
    TnModel *model = bouncing_balls();
    bounce(model, NULL);
    run_on_ranks(3, bounce, model, NULL);
    tn_model_destroy(model);
}

/* Balls and boxes that fly into each other and at walls; `rest`: their restitution. */
static TnModel *gas(int count, double rest, bool boxes)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.2);
    for (int i = 0; i < count; i++) {
        double pos[3] = {0.06 * (i % 6) + 0.002 * (i / 6 % 5), 0.06 * (i / 6 % 6) + 0.001 * (i % 4),
                         0.04 + 0.06 * (i / 36)};
        double size[3] = {0.014 + 0.001 * (i % 5), 0.016, 0.018};
        scene_free(&scene, boxes && i % 4 == 0 ? TN_GEOM_BOX : TN_GEOM_SPHERE, size, 0.02, pos, 0.2,
                   rest);
    }
    return scene_compile(&scene);
}

static void stir(TnWorld *world, int step)
{
    if (step) return;
    TnStateView at = tn_world_state(world);
    double *qvel = calloc((size_t)at.dof_count, sizeof *qvel);
    for (int i = 0; i < at.dof_count; i++) qvel[i] = (i % 6 < 3 ? 1.0 : 20.0) * sin(1.7 * i);
    CHECK(tn_world_set_state(world, at.qpos, qvel, NULL) == TN_OK);
    free(qvel);
}

TEST(hits_with_restitution_have_the_same_bits_on_any_number_of_ranks)
{
    for (int boxes = 0; boxes < 2; boxes++) {
        TnModel *model = gas(UNLESS_SANITIZED(150, 60), 0.8, boxes);
        Run alone = run_driven_to(model, UNLESS_SANITIZED(48, 12), 0.0, stir);
        for (int ranks = 2; ranks <= UNLESS_SANITIZED(8, 3); ranks += ranks < 3 ? 1 : 5) {
            alone.all_have = ranks == 3;
            check_ranks(&alone, ranks, NULL);
        }
        tn_model_destroy(model);
    }
}

TEST(sub_steps_and_restitution_together_have_the_same_bits_on_any_number_of_ranks)
{
    TnModel *model = gas(60, 0.6, true);
    Run alone = {.model = model, .def = tn_world_def(), .steps = 12, .drive = stir};
    alone.def.spread = true;
    alone.def.substeps = 2;
    step_world(&alone, NULL);
    check_ranks(&alone, 3, NULL);
    tn_model_destroy(model);
}

/* ---- momentum ---- */

typedef struct Sums {
    double momentum[3], turning[3], energy; /* kg m/s, kg m²/s about the origin, J */
} Sums;

/* Balls of radius r and mass m; I = 2/5 m r². */
static Sums sums_of(const TnStateView *at, double mass, double radius)
{
    Sums s = {0};
    for (int b = 0; b < at->dof_count / 6; b++) {
        const double *x = at->qpos + 7 * b, *v = at->qvel + 6 * b;
        double inertia = 0.4 * mass * radius * radius, w[3];
        const double *q = x + 3; /* angular velocity is in body axes */
        double t[3] = {2 * (q[2] * v[5] - q[3] * v[4]), 2 * (q[3] * v[3] - q[1] * v[5]),
                       2 * (q[1] * v[4] - q[2] * v[3])};
        w[0] = v[3] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
        w[1] = v[4] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
        w[2] = v[5] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            s.momentum[k] += mass * v[k];
            s.turning[k] += mass * (x[i] * v[j] - x[j] * v[i]) + inertia * w[k];
            s.energy += 0.5 * (mass * v[k] * v[k] + inertia * w[k] * w[k]);
        }
    }
    return s;
}

enum { CLOUD = 64 };

/* Two clouds that fly into each other, without gravity. */
static TnModel *clouds(double rest)
{
    Scene scene = scene_begin();
    memset(scene.option.gravity, 0, sizeof scene.option.gravity);
    scene.option.timestep = 0.002;
    for (int i = 0; i < CLOUD; i++) {
        double side = i < CLOUD / 2 ? -0.12 : 0.12;
        int k = i % (CLOUD / 2);
        double pos[3] = {side + 0.045 * (k % 4), 0.043 * (k / 4 % 4) + 0.004 * (i % 3),
                         0.044 * (k / 16) + 0.003 * (i % 5)};
        scene_free(&scene, TN_GEOM_SPHERE, (double[3]){0.02, 0, 0}, 0.1, pos, 0.4, rest);
    }
    return scene_compile(&scene);
}

static void collide(void *context, const TnRanks *ranks)
{
    TnWorldDef def = tn_world_def();
    TnError err = {0};
    bool knows = !ranks || ranks->rank == 0;
    def.spread = true;
    def.ranks = ranks;
    TnWorld *world = tn_world_create(&def, knows ? context : NULL, &err);
    double qvel[6 * CLOUD] = {0};
    for (int i = 0; i < CLOUD; i++) {
        qvel[6 * i] = i < CLOUD / 2 ? 0.8 : -0.8;
        qvel[6 * i + 1] = 0.05 * (i % 3 - 1);
        qvel[6 * i + 5] = 3.0;
    }
    CHECK(tn_world_set_state(world, NULL, knows ? qvel : NULL, &err) == TN_OK);
    TnStateView at = tn_world_state(world);
    Sums before = sums_of(&at, 0.1, 0.02), last = before;
    double made = 0.0;
    for (int k = 0; k < UNLESS_SANITIZED(150, 100); k++) {
        tn_world_step(world);
        at = tn_world_state(world);
        Sums now = sums_of(&at, 0.1, 0.02);
        for (int i = 0; i < 3 && knows; i++) {
            /* forces on two sides are the same number: rounding, 5 kg m/s in all */
            CHECK_NEAR(now.momentum[i], before.momentum[i], 1e-13);
            /* arms of a contact differ by its gap, and limits of displacements shift bodies */
            CHECK_NEAR(now.turning[i], before.turning[i], 2e-3 * 0.8 * 0.1 * CLOUD * 0.1);
        }
        made += fmax(0.0, now.energy - last.energy);
        last = now;
    }
    /* what contacts push apart that last moves by its mean velocity, so undoing an overlap does
     * work: 2.5e-7 J in the first steps. That is put right where it is more than the noise, 1e-6
     * of the energies involved. (Moved by v⁺ it lost more than that in each step.) */
    CHECK(!knows || made < 1e-6 * before.energy);
    CHECK(!knows || last.energy < 0.9 * before.energy); /* they have met */
    tn_world_destroy(world);
}

TEST(clouds_that_meet_in_parts_keep_their_momentum_and_make_no_energy)
{
    for (int bounces = 0; bounces < 2; bounces++) {
        TnModel *model = clouds(bounces ? 0.8 : 0.0);
        collide(model, NULL);
        run_on_ranks(UNLESS_SANITIZED(4, 2), collide, model, NULL);
        tn_model_destroy(model);
    }
}

/* ---- contacts that last ---- */

enum { DISCS = 8 };

/* Discs on a plane. */
static TnModel *discs(double timestep)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 1.0);
    scene.option.timestep = timestep;
    for (int i = 0; i < DISCS; i++)
        scene_free(&scene, TN_GEOM_CYLINDER, (double[3]){0.1, 0.01, 0}, 1.0,
                   (double[3]){0.0, 0.6 * i, 0.2}, 1.0, 0.0);
    return scene_compile(&scene);
}

/* They stand on their rims, tilted, and roll: in curves, as they fall over slowly. */
static void roll(TnWorld *world)
{
    double qpos[7 * DISCS] = {0.0}, qvel[6 * DISCS] = {0.0};
    for (int i = 0; i < DISCS; i++) {
        double lie = 1.2 + 0.05 * i, *x = qpos + 7 * i; /* rad; 0: flat */
        x[1] = 0.6 * i;
        x[2] = 0.1 * sin(lie) + 0.01 * cos(lie);
        x[3] = cos(0.5 * lie);
        x[4] = sin(0.5 * lie);
        qvel[6 * i] = -2.0; /* the rim does not slip */
        qvel[6 * i + 5] = 20.0;
    }
    CHECK(tn_world_set_state(world, qpos, qvel, NULL) == TN_OK);
}

typedef struct Rolling {
    const TnModel *model;
    int from, steps; /* of which so many are made from the state that was saved */
    double drift;    /* J: the most by which the energy was another one */
    void *bytes;     /* a state that was saved, */
    size_t size;     /* and its size; 0: there is none yet */
    uint64_t hash;
} Rolling;

static double energy_of(const TnWorld *world)
{
    TnEnergy e = tn_world_energy(world);
    return e.kinetic + e.potential;
}

static void roll_on(void *context, const TnRanks *ranks)
{
    Rolling *r = context;
    TnWorldDef def = tn_world_def();
    TnError err = {0};
    bool knows = !ranks || ranks->rank == 0;
    def.spread = true;
    def.ranks = ranks;
    TnWorld *world = tn_world_create(&def, r->model, &err);
    if (r->size)
        CHECK(tn_world_restore(world, r->bytes, r->size, &err) == TN_OK);
    else
        roll(world);
    double before = energy_of(world), drift = 0.0;
    for (int k = r->from; k < r->steps; k++) {
        CHECK(!tn_world_step(world).diverged);
        drift = fmax(drift, fabs(energy_of(world) - before));
    }
    uint64_t hash = tn_world_hash(world);
    size_t size = tn_world_save_size(world);
    if (knows) {
        r->drift = drift;
        r->hash = hash;
        if (!r->size) r->bytes = malloc(size);
        CHECK(r->size || tn_world_save(world, r->bytes, size, &err) == TN_OK);
        r->size = size;
    }
    tn_world_destroy(world);
}

/* What presses a disc changes with where it turns to, of which the last step tells: that must not
 * depend on whose it is, nor be forgotten where a state was saved. */
TEST(discs_in_parts_roll_without_loss_and_on_from_saved_states_with_the_same_bits)
{
    double drift[2];
    for (int fine = 0; fine < 2; fine++) {
        int steps = fine ? 256 : 128;
        TnModel *model = discs(0.512 / steps);
        Rolling alone = {.model = model, .steps = steps}, begun = {.model = model, .steps = 50};
        roll_on(&alone, NULL);
        drift[fine] = alone.drift;
        run_on_ranks(3, roll_on, &begun, NULL);
        for (int ranks = 1; ranks <= 3; ranks += 2) {
            Rolling rest = begun;
            rest.from = 50;
            rest.steps = steps;
            run_on_ranks(ranks, roll_on, &rest, NULL);
            CHECK(rest.hash == alone.hash);
        }
        free(alone.bytes);
        free(begun.bytes);
        tn_model_destroy(model);
    }
    CHECK(drift[0] < 2e-4); /* of 32 J; by the square of the step */
    CHECK(drift[1] < 0.3 * drift[0]);
}

/* ---- energy ---- */

/* A wall of boxes, each over the joint of two. */
static TnModel *wall(int wide, int high)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.6);
    for (int k = 0; k < high; k++)
        for (int i = 0; i < wide; i++) {
            double pos[3] = {0.201 * i + 0.1 * (k % 2), 0.0, 0.05 + 0.1 * k};
            scene_free(&scene, TN_GEOM_BOX, (double[3]){0.1, 0.06, 0.05}, 1.2, pos, 0.6, 0.0);
        }
    return scene_compile(&scene);
}

typedef struct Grown {
    const TnModel *model;
    double energy;  /* J: all that it rose by, */
    double kinetic; /* and in the end */
    uint64_t hash;
} Grown;

static void stand(void *context, const TnRanks *ranks)
{
    Grown *grown = context;
    TnWorldDef def = tn_world_def();
    TnError err = {0};
    bool knows = !ranks || ranks->rank == 0;
    def.spread = true;
    def.ranks = ranks;
    def.solver.tolerance = 0.0;
    def.solver.iterations = 10; /* few: forces are wrong */
    TnWorld *world = tn_world_create(&def, knows ? grown->model : NULL, &err);
    double last = INFINITY, sum = 0.0, kinetic = 0.0;
    for (int k = 0; k < 150; k++) {
        tn_world_step(world);
        TnEnergy e = tn_world_energy(world);
        double now = e.kinetic + e.potential;
        sum += fmax(0.0, now - last);
        last = now;
        kinetic = e.kinetic;
    }
    uint64_t hash = tn_world_hash(world);
    if (knows) {
        grown->energy = sum;
        grown->kinetic = kinetic;
        grown->hash = hash;
    }
    tn_world_destroy(world);
}

TEST(a_wall_in_parts_makes_no_energy_of_forces_that_are_not_solved)
{
    enum { WIDE = 10, HIGH = 10 };
    Grown alone = {.model = wall(WIDE, HIGH)}, together = {.model = alone.model};
    stand(&alone, NULL);
    run_on_ranks(3, stand, &together, NULL);
    CHECK(alone.hash == together.hash);
    double unit = 1.2 * 9.81 * 0.1; /* J: a box by its height. What undoes overlaps may lift them */
    /* 1.6 J; the same in a world that is not in parts, and 37 where nothing is put right */
    CHECK(alone.energy < 0.05 * WIDE * HIGH * unit);
    CHECK(alone.kinetic < 1e-3 * unit);
    tn_model_destroy((TnModel *)alone.model);
}

/* ---- sub-steps ---- */

static TnModel *pile(double timestep)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.4);
    scene.option.timestep = timestep;
    for (int i = 0; i < 40; i++) {
        double pos[3] = {0.041 * (i % 3), 0.04 * (i / 3 % 3) + 0.001 * i, 0.03 + 0.05 * (i / 9)};
        scene_free(&scene, i % 2 ? TN_GEOM_SPHERE : TN_GEOM_BOX, (double[3]){0.02, 0.018, 0.02},
                   0.03, pos, 0.4, 0.0);
    }
    return scene_compile(&scene);
}

TEST(sub_steps_in_parts_are_steps_of_their_length)
{
    TnModel *coarse = pile(0.008), *fine = pile(0.002);
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.spread = true;
    TnWorld *by_steps = tn_world_create(&def, fine, &err);
    def.substeps = 4;
    TnWorld *by_parts = tn_world_create(&def, coarse, &err);
    for (int k = 0; k < 10; k++) {
        CHECK(!tn_world_step(by_parts).diverged);
        for (int i = 0; i < 4; i++) CHECK(!tn_world_step(by_steps).diverged);
    }
    TnStateView a = tn_world_state(by_parts), b = tn_world_state(by_steps);
    CHECK(!memcmp(a.qpos, b.qpos, sizeof(double) * (size_t)a.qpos_count));
    CHECK(!memcmp(a.qvel, b.qvel, sizeof(double) * (size_t)a.dof_count));
    CHECK_NEAR(a.time, 0.08, 1e-15);
    tn_world_destroy(by_steps);
    tn_world_destroy(by_parts);
    tn_model_destroy(coarse);
    tn_model_destroy(fine);
}

/* ---- adhesion, a medium, gravity compensation ---- */

/* Boxes that hang from the ceiling, each with a ball that it holds: they are actuated, the balls
 * are not. */
static TnModel *hanging(void)
{
    char text[8192], *to = text;
    TnError err = {0};
    to += sprintf(to, "<mujoco><option timestep='0.005'/><worldbody>"
                      "<geom type='plane' size='9 9 1' pos='0 0 1' zaxis='0 0 -1'/>");
    for (int i = 0; i < 6; i++)
        to += sprintf(to,
                      "<body name='b%d' pos='%g 0 .9'><freejoint/><geom type='box' "
                      "size='.1 .1 .1' mass='1'/></body><body pos='%g 0 .75'><freejoint/>"
                      "<geom size='.05' mass='.2'/></body>",
                      i, 0.3 * i, 0.3 * i);
    to += sprintf(to, "</worldbody><actuator>");
    for (int i = 0; i < 6; i++)
        to += sprintf(to, "<adhesion body='b%d' gain='40' ctrlrange='0 2'/>", i);
    sprintf(to, "</actuator></mujoco>");
    TnModel *model = load_text(text, &err);
    if (!model) test_fail(__FILE__, __LINE__, "%s", err.message);
    return model;
}

/* Two boxes let go. */
static void hold(TnWorld *world, int step)
{
    const double ctrl[6] = {1.5, 1.5, step < 40 ? 1.5 : 0.0, 1.5, step < 60 ? 1.5 : 0.0, 1.5};
    tn_world_set_ctrl(world, ctrl, NULL);
}

TEST(boxes_in_parts_hang_and_hold_balls_by_adhesion)
{
    TnModel *model = hanging();
    Run alone = run_driven_to(model, 100, 1e-6, hold);
    check_ranks(&alone, 3, NULL);
    TnWorldDef def = tn_world_def();
    TnError err = {0};
    def.spread = true;
    TnWorld *world = tn_world_create(&def, model, &err);
    for (int k = 0; k < 100; k++) {
        hold(world, k);
        tn_world_step(world);
    }
    TnStateView at = tn_world_state(world);
    for (int i = 0; i < 6; i++) {
        /* 60 N are shared by its contacts, of which four are with the ceiling and one with the
         * ball: more than the weights of 9.8 and 2 N. Who is let go falls with its ball: the two
         * touch all the way, and what contacts that last push moves by the mean velocity, on the
         * parabola */
        double fallen = i == 2   ? 0.3
                        : i == 4 ? 0.2
                                 : 0.0,
               way = 0.5 * 9.81 * fallen * fallen, box = 0.9 - at.qpos[14 * i + 2],
               ball = 0.75 - at.qpos[14 * i + 9];
        CHECK_NEAR(box, way, 1e-6);
        CHECK_NEAR(ball, box, 1e-6);
    }
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* Free bodies that a medium acts on or that are carried are movers, alone and where they meet. */
static const char *const IN_WATER =
    "<mujoco><option timestep='0.005' density='1000' viscosity='0.001'/><worldbody>"
    "<geom type='plane' size='9 9 1'/>"
    "<body pos='0 0 3'><freejoint/><geom size='.05' density='3000'/></body>"
    "<body pos='1 0 3'><freejoint/><geom size='.05' density='3000'/></body>"
    "<body pos='1 0 3.2' gravcomp='1'><freejoint/><geom size='.05' density='2000'/></body>"
    "<body pos='2 0 .05'><freejoint/><geom size='.05' density='3000'/></body>"
    "<body pos='2 .01 .16'><freejoint/><geom size='.05' "
    "density='3000'/></body></worldbody></mujoco>";

TEST(bodies_in_a_medium_sink_in_parts_as_they_do_otherwise)
{
    TnError err = {0};
    TnModel *model = load_text(IN_WATER, &err);
    Run alone = run_driven_to(model, 60, 1e-6, NULL);
    check_ranks(&alone, 3, NULL);
    TnWorldDef def = tn_world_def();
    TnWorld *whole = tn_world_create(&def, model, &err);
    def.spread = true;
    TnWorld *parts = tn_world_create(&def, model, &err);
    for (int k = 0; k < 60; k++) {
        tn_world_step(whole);
        tn_world_step(parts);
    }
    TnStateView a = tn_world_state(whole), b = tn_world_state(parts);
    CHECK(a.qvel[2] < -1.0 && a.qvel[2] > -9.81 * 0.3 + 0.2); /* the water brakes it */
    /* smooth motion has its energy put right in the whole alone: 1e-4 of it in so many steps */
    for (int i = 0; i < 3; i++) CHECK_NEAR(a.qpos[7 * i + 2], b.qpos[7 * i + 2], 1e-4);
    CHECK_NEAR(b.qpos[16], 3.2, 1e-12); /* carried, and nothing touches it */
    tn_world_destroy(whole);
    tn_world_destroy(parts);
    tn_model_destroy(model);
}
