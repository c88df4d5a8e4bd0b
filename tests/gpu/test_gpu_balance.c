/* Energy on a device (src/gpu/balance.h, as loops on the host): what steps make of it is taken off,
 * and what moves for a reason keeps moving. */
#include "agreement.h"

static double fastest(const TnWorld *world)
{
    TnStateView s = tn_world_state(world);
    double most = 0.0;
    for (int i = 0; i < s.dof_count; i++) most = fmax(most, fabs(s.qvel[i]));
    return most;
}

/* Rows of boxes side by side, each one box shorter: it can rock out of its plane. */
static TnModel *open_pyramid(int rows)
{
    static Text text;
    text.length = 0;
    text_add(&text, "<mujoco><option timestep='.01'/><worldbody>" GROUND);
    for (int z = 0; z < rows; z++)
        for (int x = 0; x < rows - z; x++)
            text_add(&text,
                     "<body pos='%g 0 %g'><freejoint/><geom type='box' size='.05 .05 .05'/>"
                     "</body>",
                     0.105 * (x - 0.5 * (rows - 1 - z)), 0.05 + 0.1 * z);
    text_add(&text, "</worldbody></mujoco>");
    return open_model(text.text);
}

/* Without the balance, rocking grows tenfold in a quarter of a second, out of rounding. */
static void pyramid_rests(TnWorldDef def)
{
    enum { ROWS = 12, STEPS = 300 };
    TnModel *model = open_pyramid(ROWS);
    def.device = TN_DEVICE_CUDA;
    TnWorld *world = open_world(def, model);
    double pos[3];
    for (int k = 0; k < STEPS; k++) CHECK(!tn_world_step(world).diverged);
    for (TnBodyId b = 1; b <= tn_model_info(model).body_count; b++) {
        tn_world_body_pose(world, b, pos, NULL);
        CHECK_NEAR(pos[1], 0.0, 2e-5);
    }
    CHECK_NEAR(pos[2], 0.05 + 0.1 * (ROWS - 1), 1e-3); /* the topmost; contacts yield */
    CHECK(fastest(world) < 1e-3);                      /* a hundredth of gravity × timestep */
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(a_pyramid_rests_with_the_default_options) { pyramid_rests(tn_world_def()); }

TEST(a_pyramid_rests_after_few_iterations)
{
    TnWorldDef def = tn_world_def();
    def.solver.tolerance = 0.0;
    def.solver.iterations = 60;
    pyramid_rests(def);
}

/* Boxes that stand need no step to learn it: the top would fall by gravity × timestep² = 1 mm if
 * contacts began without a force and yielded. */
TEST(a_first_step_holds_what_stands)
{
    enum { ROWS = 16 };
    TnModel *model = open_pyramid(ROWS);
    TnWorldDef def = tn_world_def();
    def.device = TN_DEVICE_CUDA;
    TnWorld *world = open_world(def, model);
    TnBodyId top = tn_model_info(model).body_count;
    double pos[3];
    for (int k = 0; k < 20; k++) {
        TnStepReport r = tn_world_step(world);
        CHECK(r.converged);
        tn_world_body_pose(world, top, pos, NULL);
        /* each row sinks by 1e-4 of gravity × timestep, times timestep, at most */
        CHECK_NEAR(pos[2], 0.05 + 0.1 * (ROWS - 1), (k + 1) * ROWS * 1e-7);
    }
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* Contacts that yield sink under new loads and are put right again. Where that counted as energy
 * that may be made, the tower jumped ever higher, and had fallen after 6 s. */
TEST(a_tower_stands_on_contacts_that_yield)
{
    enum { BOXES = 40, STEPS = 600 };
    static Text text;
    text.length = 0;
    text_add(&text, "<mujoco><option timestep='.01'/><worldbody>" GROUND);
    for (int z = 0; z < BOXES; z++)
        text_add(&text,
                 "<body pos='0 0 %g'><freejoint/><geom type='box' size='.05 .05 .05'/></body>",
                 0.05 + 0.1 * z);
    text_add(&text, "</worldbody></mujoco>");
    TnModel *model = open_model(text.text);
    TnWorldDef def = tn_world_def();
    def.device = TN_DEVICE_CUDA;
    TnWorld *world = open_world(def, model);
    double pos[3];
    for (int k = 0; k < STEPS; k++) CHECK(!tn_world_step(world).diverged);
    tn_world_body_pose(world, tn_model_info(model).body_count, pos, NULL);
    CHECK_NEAR(pos[2], 0.05 + 0.1 * (BOXES - 1), 0.02); /* it sways by a centimetre */
    CHECK_NEAR(pos[1], 0.0, 1e-3);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

extern int tn_gpu_tile; /* of parallel.h */

/* Piles of balls, some of them on a mocap body, and others that meet in flight. The ground is below
 * the origin: the first along the curve are above it then, and are not those that touch the ground.
 */
static uint64_t hash_of_piles(int tile)
{
    static Text text;
    TnError err = {0};
    text.length = 0;
    text_add(&text, "<mujoco><option timestep='.01'/><worldbody>"
                    "<geom type='plane' pos='0 0 -.3' size='5 5 1'/>"
                    "<body name='hand' mocap='true' pos='0 0 0'>"
                    "<geom type='box' size='.1 .1 .02'/></body>");
    for (int i = 0; i < 216; i++)
        text_add(&text, "<body pos='%g %g %g'><freejoint/><geom size='.05'/></body>",
                 0.102 * (i % 6) + 0.9 * (i / 108) - 0.3, 0.1 * (i / 6 % 3) + 0.003 * (i % 5),
                 -0.25 + 0.101 * (i / 18 % 6) + (i % 36 == 35 ? 3.0 : 0.0));
    text_add(&text, "</worldbody></mujoco>");
    TnModel *model = open_model(text.text);
    TnWorldDef def = tn_world_def();
    def.device = TN_DEVICE_CUDA;
    def.solver.tolerance = 0.0;
    def.solver.iterations = 20;
    TnWorld *world = open_world(def, model);
    tn_gpu_tile = tile;
    for (int k = 0; k < 40; k++) {
        const double at[3] = {0.002 * k, 0.1, 0.0};
        CHECK(tn_world_set_mocap(world, tn_model_find_body(model, "hand"), at, NULL, &err) ==
              TN_OK);
        CHECK(!tn_world_step(world).diverged);
    }
    tn_gpu_tile = 128;
    uint64_t hash = tn_world_hash(world);
    tn_world_destroy(world);
    tn_model_destroy(model);
    return hash;
}

/* Groups are found and summed up in tiles of bodies first, then those of several tiles. With one
 * tile for all there is only the first, with tiles of one body only the second. */
TEST(energies_do_not_depend_on_how_bodies_are_divided)
{
    uint64_t whole = hash_of_piles(512);
    for (int tile = 1; tile <= 128; tile *= 2) CHECK(hash_of_piles(tile) == whole);
}

TEST(a_box_slides_as_far_as_friction_lets_it)
{
    const double speed = 2.0, friction = 0.3, t = 0.005;
    TnError err = {0};
    TnModel *model =
        open_model("<mujoco><option timestep='.005'/><default><geom "
                   "friction='.3'/></default><worldbody>" GROUND
                   "<body pos='0 0 .05'><freejoint/><geom type='box' size='.1 .1 .05'/></body>"
                   "</worldbody></mujoco>");
    TnWorld *world = open_world(definition(TN_DEVICE_CUDA, 1e-5, 500), model);
    TnStateView s = tn_world_state(world);
    double v[6] = {speed}, pos[3];
    CHECK(tn_world_set_state(world, s.qpos, v, &err) == TN_OK);
    for (int k = 0; k < 200; k++) (void)tn_world_step(world);
    tn_world_body_pose(world, tn_model_info(model).body_count, pos, NULL);
    /* a step at the first speed */
    CHECK_NEAR(pos[0], speed * speed / (2.0 * friction * 9.81), speed * t);
    CHECK(fastest(world) < 1e-4);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(a_ball_rolls_on)
{
    TnError err = {0};
    TnModel *model = open_model("<mujoco><option timestep='.005'/><worldbody>" GROUND
                                "<body pos='0 0 .05'><freejoint/><geom size='.05'/></body>"
                                "</worldbody></mujoco>");
    TnWorld *world = open_world(definition(TN_DEVICE_CUDA64, 1e-9, 500), model);
    TnStateView s = tn_world_state(world);
    double v[6] = {1.0, 0.0, 0.0, 0.0, 1.0 / 0.05, 0.0};
    CHECK(tn_world_set_state(world, s.qpos, v, &err) == TN_OK);
    for (int k = 0; k < 400; k++) (void)tn_world_step(world);
    CHECK_NEAR(tn_world_state(world).qvel[0], 1.0,
               1e-6); /* the solver's error adds up: 400 × 1e-9 */
    tn_world_destroy(world);
    tn_model_destroy(model);
}
