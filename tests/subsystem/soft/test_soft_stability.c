/* Soft bodies pushed, thrown and stacked, from very soft to stiff and in long and short steps: no
 * step is refused, nothing passes through anything, and energy comes from nowhere. */
#include "../../check.h"

#include "../../step/scene.h"

#define G 9.81

/* Frees the mesh; holds those of its nodes that lie at the lowest x with `body`, if there is one.
 */
static TnSoftId add_box(Scene *scene, const double half[3], const int cells[3], const double pos[3],
                        double young, TnBodyId holder, bool self_contact)
{
    TnSoftDef def = tn_soft_def();
    TnSoftHoldDef holds[64];
    TnError err = {0};
    CHECK(tn_tet_mesh_box(half, cells, 6, &def.mesh, &err));
    memcpy(def.pos, pos, sizeof def.pos);
    def.youngs_modulus = young;
    def.poisson_ratio = 0.4;
    def.damping_stiffness = 0.005;
    def.friction[0] = 0.2;
    def.self_contact = self_contact;
    for (int i = 0; holder && i < def.mesh.node_count && def.hold_count < 64; i++)
        if (def.mesh.nodes[3 * i] < -half[0] + 1e-9)
            holds[def.hold_count++] = (TnSoftHoldDef){i, holder};
    def.holds = holds;
    TnSoftId id = tn_builder_add_soft(scene->builder, &def);
    tn_tet_mesh_free(&def.mesh);
    return id;
}

static TnGeomId add_fixed(Scene *scene, TnGeomType type, const double size[3], const double pos[3],
                          const double quat[4])
{
    TnGeomDef geom = tn_geom_def();
    geom.type = type;
    memcpy(geom.size, size, sizeof geom.size);
    memcpy(geom.pos, pos, sizeof geom.pos);
    if (quat) memcpy(geom.quat, quat, sizeof geom.quat);
    geom.friction[0] = 0.2;
    return tn_builder_add_geom(scene->builder, &geom);
}

typedef struct Run {
    TnModel *model;
    TnWorld *world;
    double t, energy, most_energy, deepest;
    int refused;
} Run;

static bool begin_run(Run *run, Scene *scene, double timestep, int iterations)
{
    scene->option.timestep = timestep;
    *run = (Run){.t = timestep, .model = scene_compile(scene)};
    if (run->model) run->world = scene_world(run->model, iterations);
    CHECK(run->world);
    return run->world;
}

static void end_run(Run *run)
{
    tn_world_destroy(run->world);
    tn_model_destroy(run->model);
}

static double total_energy(const TnWorld *world)
{
    TnEnergy e = tn_world_energy(world);
    return e.kinetic + e.potential;
}

/* All nodes of soft body i get velocities[i]. */
static void throw_softs(Run *run, const double (*velocities)[3], int count)
{
    TnStateView view = tn_world_state(run->world);
    double *qvel = calloc((size_t)view.dof_count, sizeof *qvel),
           *qpos = malloc(sizeof *qpos * (size_t)view.qpos_count);
    TnError err = {0};
    memcpy(qpos, view.qpos, sizeof *qpos * (size_t)view.qpos_count);
    for (int i = 0; i < count; i++) {
        TnSoftInfo info = tn_model_soft_info(run->model, (TnSoftId)(i + 1));
        for (int k = 0; k < 3 * info.node_count; k++)
            qvel[info.dof_start + k] = velocities[i][k % 3];
    }
    CHECK(tn_world_set_state(run->world, qpos, qvel, &err) == TN_OK);
    free(qpos);
    free(qvel);
}

static void step(Run *run)
{
    TnStepReport report = tn_world_step(run->world);
    run->refused += report.diverged;
    run->deepest = fmax(run->deepest, report.max_penetration);
    run->most_energy = fmax(run->most_energy, total_energy(run->world));
}

static void steps(Run *run, double seconds)
{
    run->energy = run->most_energy = total_energy(run->world);
    for (int k = 0; k < seconds / run->t - 0.5; k++) step(run);
}

static double lowest_node(const Run *run, TnSoftId soft)
{
    TnSoftInfo info = tn_model_soft_info(run->model, soft);
    const double *x = tn_world_state(run->world).qpos + info.qpos_start;
    double low = INFINITY;
    for (int i = 0; i < info.node_count; i++) low = fmin(low, x[3 * i + 2]);
    return low;
}

/* ---- the beam and the gap ---- */

/* As scenes/make_beam.py has it, on a servo of 1e4 N/m and 300 N along x instead of an arm. */
static bool begin_gap(Run *run, double young, double timestep)
{
    Scene scene = scene_begin();
    TnBodyDef body = tn_body_def();
    TnBodyId cart = tn_builder_add_body(scene.builder, &body);
    TnJointDef joint = tn_joint_def();
    joint.body = cart;
    joint.type = TN_JOINT_SLIDE;
    joint.axis[0] = 1, joint.axis[1] = joint.axis[2] = 0;
    TnJointId slide = tn_builder_add_joint(scene.builder, &joint);
    TnGeomDef palm = tn_geom_def();
    palm.body = cart;
    palm.type = TN_GEOM_BOX;
    palm.size[0] = 0.02, palm.size[1] = palm.size[2] = 0.02;
    palm.pos[0] = -0.02;
    palm.mass = 5;
    palm.contact_type = palm.contact_affinity = 0;
    tn_builder_add_geom(scene.builder, &palm);
    TnActuatorDef servo = tn_actuator_def();
    servo.joint = slide;
    servo.gain = 1e4;
    servo.bias[1] = -1e4;
    servo.bias[2] = -400;
    servo.force_limited = true;
    servo.force_range[0] = -300;
    servo.force_range[1] = 300;
    tn_builder_add_actuator(scene.builder, &servo);
    add_box(&scene, (const double[3]){0.15, 0.025, 0.025}, (const int[3]){12, 2, 2},
            (const double[3]){0.15, 0, 0}, young, cart, false);
    for (int side = -1; side <= 1; side += 2)
        add_fixed(&scene, TN_GEOM_CYLINDER, (const double[3]){0.04, 0.11, 0},
                  (const double[3]){0.34, side * (0.0245 + 0.04), -0.03}, NULL);
    return begin_run(run, &scene, timestep, 60);
}

/* Moves the servo's target by 0.25 m at `speed` and waits: how far the cart came. */
static double push(Run *run, double speed)
{
    TnError err = {0};
    double time = 0.25 / speed + 0.5, way = 0;
    run->energy = run->most_energy = total_energy(run->world);
    for (int k = 0; k < time / run->t; k++) {
        way = fmin(0.25, speed * k * run->t);
        CHECK(tn_world_set_ctrl(run->world, &way, &err) == TN_OK);
        step(run);
    }
    return tn_world_state(run->world).qpos[0];
}

/* The contract's corners. Cells are 25 mm, coarse so that it is quick; nearest is what is pushed
 * fast. */
TEST(a_beam_goes_through_a_narrow_gap_at_any_stiffness_speed_and_step)
{
    static const struct {
        double young, speed, timestep;
    } cases[] = {{1e6, 0.5, 0.01},  {1e6, 0.1, 0.003}, {1e7, 0.5, 0.01}, {1e7, 0.02, 0.01},
                 {1e7, 0.5, 0.001}, {1e8, 0.1, 0.01},  {1e9, 0.5, 0.01}, {1e9, 0.02, 0.01}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Run run;
        if (!begin_gap(&run, cases[i].young, cases[i].timestep)) continue;
        double way = push(&run, cases[i].speed);
        CHECK(run.refused == 0);
        /* 2 % of a cell: what 60 iterations leave, and what facets are short of seeing beforehand
         */
        CHECK(run.deepest < 0.5e-3);
        /* The servo gives 300 N along 0.25 m at most. */
        CHECK(run.most_energy < run.energy + 75);
        /* Squeezed by 1 mm of 50, 0.2 of friction hold the beam back by about E · 8e-6 m²: soft
         * ones pass, what needs 800 N and more gets stuck, and the servo waits. */
        if (cases[i].young <= 1e7) CHECK_NEAR(way, 0.25, 0.03);
        if (cases[i].young >= 1e9) CHECK(way < 0.15);
        printf("     E %.0e %4g m/s %g ms: %.3f mm deep, came %.3f m\n", cases[i].young,
               cases[i].speed, 1e3 * cases[i].timestep, 1e3 * run.deepest, way);
        end_run(&run);
    }
}

/* ---- thrown ---- */

/* A point is inside of an element. */
static bool is_inside(const Run *run, TnSoftId soft, const double p[3])
{
    TnSoftInfo info = tn_model_soft_info(run->model, soft);
    const double *x = tn_world_state(run->world).qpos + info.qpos_start;
    for (int i = 0; i < info.tet_count; i++) {
        bool in = true;
        for (int k = 0; k < 4 && in; k++) {
            /* on the same side of the face opposite to corner k as that corner */
            double d[4][3], n[3], side[2];
            for (int j = 0; j < 4; j++)
                for (int c = 0; c < 3; c++)
                    d[j][c] = x[3 * info.tets[4 * i + (k + j) % 4] + c] -
                              x[3 * info.tets[4 * i + (k + 1) % 4] + c];
            for (int c = 0; c < 3; c++)
                n[c] =
                    d[2][(c + 1) % 3] * d[3][(c + 2) % 3] - d[2][(c + 2) % 3] * d[3][(c + 1) % 3];
            side[0] = side[1] = 0;
            for (int c = 0; c < 3; c++) {
                side[0] += n[c] * d[0][c];
                side[1] += n[c] * (p[c] - x[3 * info.tets[4 * i + (k + 1) % 4] + c]);
            }
            in = side[0] * side[1] >= 0;
        }
        if (in) return true;
    }
    return false;
}

TEST(a_fast_soft_cube_does_not_pass_through_what_it_hits)
{
    static const double turned[4] = {0.8804762, 0.2798481, 0.3647052, -0.1159169};
    static const struct {
        TnGeomType type;
        double size[3], z;
        bool turned;
        double share; /* of the 50 mm of a step: how deep at most */
    } cases[] = {
        {TN_GEOM_BOX, {0.2, 0.2, 0.001}, 0, false, 1e-6}, /* a thin plate */
        {TN_GEOM_SPHERE, {0.005, 0, 0}, 0, false, 0.1},   /* small against the mesh */
        {TN_GEOM_CAPSULE, {0.005, 0.2, 0}, 0, true, 0.1}, /* across */
        /* Where an edge of the geom will be among the facets after two elements' way in a step is
         * not known at its start. */
        {TN_GEOM_BOX, {0.1, 0.1, 0.1}, -0.1, true, 0.3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Run run;
        Scene scene = scene_begin();
        add_fixed(&scene, cases[i].type, cases[i].size, (const double[3]){0, 0, cases[i].z},
                  cases[i].turned ? turned : NULL);
        add_box(&scene, (const double[3]){0.05, 0.05, 0.05}, (const int[3]){4, 4, 4},
                (const double[3]){0.003, 0.002, 0.2}, 1e5, 0, false);
        if (!begin_run(&run, &scene, 0.01, 60)) continue;
        throw_softs(&run, (const double[1][3]){{0, 0, -5}}, 1);
        steps(&run, 0.08);
        CHECK(run.refused == 0);
        CHECK(run.deepest <= cases[i].share * 0.05);
        CHECK(run.most_energy <= run.energy * (1 + 1e-9)); /* contact takes, it gives nothing */
        /* It went around what it hit, or it lies on it: that is in none of its elements. */
        CHECK(!is_inside(&run, 1, (const double[3]){0, 0, cases[i].z}));
        end_run(&run);
    }
}

/* Least volume of an element, in shares of its own at rest. */
static double least_volume(const Run *run, TnSoftId soft)
{
    TnSoftInfo info = tn_model_soft_info(run->model, soft);
    const double *at[2] = {tn_world_state(run->world).qpos + info.qpos_start, info.rest};
    double least = INFINITY;
    for (int e = 0; e < info.tet_count; e++) {
        double volume[2];
        for (int k = 0; k < 2; k++) {
            double d[3][3];
            for (int a = 0; a < 3; a++)
                for (int c = 0; c < 3; c++)
                    d[a][c] =
                        at[k][3 * info.tets[4 * e + a + 1] + c] - at[k][3 * info.tets[4 * e] + c];
            volume[k] = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) +
                        d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
                        d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
        }
        least = fmin(least, volume[0] / volume[1]);
    }
    return least;
}

/* They fall from so high that a law with finite pressure is turned inside out: the pressure of the
 * impact is three times E. One lands on the floor, one on a free ball. */
TEST(what_is_much_softer_than_its_impact_keeps_its_inside_inside)
{
    for (int k = 0; k < 4; k++) {
        Run run;
        Scene scene = scene_begin();
        TnSoftDef soft = tn_soft_def();
        TnError err = {0};
        bool box = k & 1;
        add_fixed(&scene, TN_GEOM_PLANE, (const double[3]){0, 0, 1}, (const double[3]){0}, NULL);
        if (box) {
            TnBodyDef body = tn_body_def();
            TnGeomDef ball = tn_geom_def();
            body.pos[0] = 0.02, body.pos[2] = 0.1;
            ball.body = tn_builder_add_body(scene.builder, &body);
            ball.size[0] = 0.1;
            TnJointDef joint = tn_joint_def();
            joint.body = ball.body;
            joint.type = TN_JOINT_FREE;
            tn_builder_add_joint(scene.builder, &joint);
            tn_builder_add_geom(scene.builder, &ball);
        }
        CHECK(box ? tn_tet_mesh_box((const double[3]){0.1, 0.1, 0.1}, (const int[3]){1, 1, 1}, 5,
                                    &soft.mesh, &err)
                  : tn_tet_mesh_ball(0.1, 1, &soft.mesh, &err));
        soft.youngs_modulus = box ? 9000 : 4000;
        soft.poisson_ratio = 0;
        soft.pos[2] = box ? 1.0 : 0.6;
        soft.law = k & 2 ? TN_SOFT_NEO_HOOKEAN : TN_SOFT_COROTATIONAL;
        tn_builder_add_soft(scene.builder, &soft);
        tn_tet_mesh_free(&soft.mesh);
        if (!begin_run(&run, &scene, 0.01, 60)) continue;
        throw_softs(&run, (const double[1][3]){{0, 0, -0.9}}, 1);
        run.energy = run.most_energy = total_energy(run.world);
        double least = INFINITY;
        for (int i = 0; i < 80; i++) {
            step(&run);
            least = fmin(least, least_volume(&run, 1));
            CHECK(lowest_node(&run, 1) > -2e-3); /* a hundredth of its size */
        }
        CHECK(run.refused == 0 && least > 0.0);
        CHECK(run.deepest < 0.01); /* of 0.2 m: what one element's facets show of a ball */
        CHECK(run.most_energy <= run.energy * (1 + 1e-9));
        end_run(&run);
    }
}

TEST(soft_cubes_that_collide_stay_outside_of_each_other)
{
    Run run;
    Scene scene = scene_begin();
    scene.option.gravity[2] = 0;
    add_box(&scene, (const double[3]){0.05, 0.05, 0.05}, (const int[3]){4, 4, 4},
            (const double[3]){-0.1, 0, 0}, 1e5, 0, false);
    add_box(&scene, (const double[3]){0.05, 0.05, 0.05}, (const int[3]){3, 3, 3},
            (const double[3]){0.1, 0.02, 0.01}, 1e5, 0, false);
    if (!begin_run(&run, &scene, 0.01, 600)) return;
    double before[3], after[3], angular[3];
    throw_softs(&run, (const double[2][3]){{2, 0, 0}, {-2, 0, 0}}, 2);
    tn_world_momentum(run.world, before, angular);
    steps(&run, 0.3);
    CHECK(run.refused == 0);
    CHECK(run.deepest < 0.1 * 0.04); /* of a step's way */
    CHECK(run.most_energy <= run.energy * (1 + 1e-9));
    tn_world_momentum(run.world, after, angular);
    for (int k = 0; k < 3; k++) CHECK_NEAR(after[k], before[k], 1e-12); /* of 2 kg m/s each */
    end_run(&run);
}

/* ---- at rest ---- */

/* Vertical force on geom `above` by geom `below`, N. */
static double carried(const Run *run, TnGeomId above, TnGeomId below)
{
    double sum = 0;
    for (int i = 0; i < tn_world_contact_count(run->world); i++) {
        TnContact c = tn_world_contact(run->world, i);
        if (c.geom1 == above && c.geom2 == below) sum -= c.force[2];
        if (c.geom2 == above && c.geom1 == below) sum += c.force[2];
    }
    return sum;
}

TEST(three_soft_cubes_rest_on_each_other_and_each_carries_what_is_above)
{
    Run run;
    Scene scene = scene_begin();
    TnGeomId below = scene_plane(&scene, 0.5);
    const double half[3] = {0.05, 0.05, 0.05};
    for (int i = 0; i < 3; i++)
        add_box(&scene, half, i == 1 ? (const int[3]){3, 3, 3} : (const int[3]){4, 4, 4},
                (const double[3]){0.003 * (i == 1), 0.002 * i, 0.05 + 0.1002 * i}, 2e5, 0, false);
    if (!begin_run(&run, &scene, 0.01, 60)) return;
    steps(&run, 3);
    CHECK(run.refused == 0);
    CHECK(run.deepest < 1e-6); /* it is put together with gaps; what is left is the solver's */
    CHECK(tn_world_energy(run.world).kinetic < 1e-9);
    for (int i = 0; i < 3; i++) {
        TnSoftInfo info = tn_model_soft_info(run.model, (TnSoftId)(i + 1));
        double weight = (3 - i) * G * info.mass;
        /* contacts of 60 warm iterations each step, long at rest */
        CHECK_NEAR(carried(&run, info.geom, below), weight, 1e-4 * weight);
        below = info.geom;
    }
    end_run(&run);
}

TEST(a_cable_lies_across_a_soft_block)
{
    Run run;
    Scene scene = scene_begin();
    scene_plane(&scene, 0.5);
    add_box(&scene, (const double[3]){0.08, 0.08, 0.04}, (const int[3]){4, 4, 2},
            (const double[3]){0, 0, 0.04}, 5e4, 0, false);
    TnRodDef rod = tn_rod_def();
    rod.segment_count = 24;
    rod.start[0] = -0.2, rod.start[1] = 0.013, rod.start[2] = 0.1;
    rod.end[0] = 0.2, rod.end[1] = -0.017, rod.end[2] = 0.1;
    rod.radius = 0.006;
    rod.density = 4000;
    rod.youngs_modulus = 1e6;
    tn_builder_add_rod(scene.builder, &rod);
    if (!begin_run(&run, &scene, 0.01, 60)) return;
    steps(&run, 3);
    CHECK(run.refused == 0);
    CHECK(run.deepest < 1e-4); /* of 6 mm of radius and 40 mm of edges */
    CHECK(run.most_energy <= run.energy * (1 + 1e-9));
    CHECK(lowest_node(&run, 1) > -1e-4);
    /* The cable's middle is on the block still, which it has pressed in. */
    double force = 0;
    TnSoftInfo block = tn_model_soft_info(run.model, 1);
    for (int i = 0; i < tn_world_contact_count(run.world); i++) {
        TnContact c = tn_world_contact(run.world, i);
        if (c.geom1 == block.geom && c.pos[2] > 0.05) force += c.force[2];
    }
    CHECK(force > 0.5);
    end_run(&run);
}

/* Hung over a bar in the middle, both halves swing down and slap against each other. */
TEST(a_folded_strip_does_not_pass_through_itself)
{
    Run run;
    Scene scene = scene_begin();
    add_fixed(&scene, TN_GEOM_CAPSULE, (const double[3]){0.004, 0.05, 0},
              (const double[3]){0, 0, 0}, (const double[4]){M_SQRT1_2, M_SQRT1_2, 0, 0});
    add_box(&scene, (const double[3]){0.2, 0.02, 0.003}, (const int[3]){40, 4, 1},
            (const double[3]){0, 0, 0.008}, 2e5, 0, true);
    if (!begin_run(&run, &scene, 0.005, 60)) return;
    steps(&run, 0.6);
    CHECK(run.refused == 0);
    CHECK(run.deepest < 0.002); /* of 6 mm: halves that slap at 2 m/s come 10 mm in a step */
    CHECK(run.most_energy <= run.energy * (1 + 1e-6));
    /* the half that was on the left hangs on the left */
    TnSoftInfo info = tn_model_soft_info(run.model, 1);
    const double *x = tn_world_state(run.world).qpos + info.qpos_start;
    double left = 0, right = 0;
    for (int i = 0; i < info.node_count; i++) {
        if (info.rest[3 * i] < -0.15) left = fmax(left, x[3 * i]);
        if (info.rest[3 * i] > 0.15) right = fmin(right, x[3 * i]);
    }
    CHECK(left < 0.01 && right > -0.01);
    end_run(&run);
}
