/* What MuJoCo 4.0.0 accepts and other readers might not: flat meshes that are only drawn,
 * quaternions of zeros in keyframes, colours without numbers, cameras without a target. */
#include "mjcf_text.h"
#include "model/model.h"

#include <tenon/world.h>

static TnError err;

/* A square of side 2 in the plane z = 1. */
#define SQUARE(MORE)                                                                               \
    "<mujoco><asset><mesh name='m' vertex='0 0 1  2 0 1  0 2 1  2 2 1' face='0 1 2 1 3 2'" MORE    \
    "/></asset><worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 .1'><freejoint/>"        \
    "<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/><geom size='.1'/>\n"
#define DRAWN "<geom type='mesh' mesh='m' contype='0' conaffinity='0' "
#define END "</body></worldbody></mujoco>"

TEST(a_flat_mesh_that_is_only_drawn_loads_with_its_bounds)
{
    TnModel *m = load_text(SQUARE("") DRAWN "mass='0'/>" END, &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    TnMeshInfo mesh = tn_model_mesh_info(m, 1);
    CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 2 && mesh.hull_triangle_count == 0);
    CHECK(mesh.vertices[9] == 2.0 && mesh.triangles[4] == 3);
    const TnGeom *geom = &m->geoms[2];
    CHECK_NEAR(geom->bounding_radius, sqrt(2.0), 1e-15); /* rounding */
    CHECK(geom->half_extent[0] == 1.0 && geom->half_extent[1] == 1.0 && geom->half_extent[2] == 0);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, m, &err);
    REQUIRE(world);
    for (int k = 0; k < 20; k++) tn_world_step(world);
    CHECK_NEAR(tn_world_state(world).qpos[2], 0.1, 1e-6); /* the ball alone touches the ground */
    tn_world_destroy(world);
    tn_model_destroy(m);
}

TEST(a_flat_shell_has_mujocos_mass)
{
    TnModel *m = load_text("<mujoco><asset><mesh name='m' inertia='shell' "
                           "vertex='0 0 1  2 0 1  0 2 1  2 2 1' face='0 1 2 1 3 2'/></asset>"
                           "<worldbody><body><freejoint/>" DRAWN "density='3'/></body></worldbody>"
                           "</mujoco>",
                           &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    CHECK_NEAR(tn_model_info(m).total_mass, 12.0, 1e-14); /* 4 m² · 3 kg/m², as MuJoCo has it */
    tn_model_destroy(m);
}

TEST(flat_meshes_that_collide_or_have_no_mass_to_give_are_errors)
{
    TnModel *m = load_text(SQUARE("") "<geom type='mesh' mesh='m' mass='0'/>" END, &err);
    CHECK(!m);
    CHECK_STR(err.message, "a mesh that collides needs a thickness");
    err = (TnError){0};
    m = load_text("<mujoco><asset><mesh name='m' vertex='0 0 1  2 0 1  0 2 1  2 2 1' "
                  "face='0 1 2 1 3 2'/></asset><worldbody><body><freejoint/><geom size='1'/>" DRAWN
                  "/></body></worldbody></mujoco>",
                  &err);
    CHECK(!m);
    CHECK_STR(err.message, "its triangles enclose no volume");
}

TEST(a_quaternion_of_zeros_in_a_key_is_no_turn)
{
    TnModel *m = load_text("<mujoco><worldbody><body><freejoint/><geom size='.1'/></body>"
                           "<body><joint type='ball'/><geom size='.1'/></body></worldbody>"
                           "<keyframe><key qpos='1 2 3 0 0 0 0 0 0 2 0'/></keyframe></mujoco>",
                           &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    static const double expected[11] = {1, 2, 3, 1, 0, 0, 0, 0, 0, 1, 0}; /* MuJoCo's key_qpos */
    for (int i = 0; i < 11; i++) CHECK(m->keys[0].qpos[i] == expected[i]);
    tn_model_destroy(m);
}

TEST(a_colour_without_numbers_is_as_if_it_were_not_there)
{
    TnModel *m = load_text("<mujoco><default><default class='red'><geom rgba='1 0 0 1'/></default>"
                           "</default><asset><material name='plain' rgba=''/></asset><worldbody>"
                           "<geom class='red' size='1' rgba=''/><geom size='1' rgba=' '/>"
                           "<geom size='1' rgba='' material='plain'/></worldbody></mujoco>",
                           &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    static const double expected[3][4] = {{1, 0, 0, 1}, {.5, .5, .5, 1}, {1, 1, 1, 1}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) CHECK(tn_model_geom_info(m, i + 1).rgba[k] == expected[i][k]);
    tn_model_destroy(m);
}

TEST(a_camera_without_target_keeps_its_direction)
{
    TnModel *m = load_text("<mujoco><worldbody><camera name='c' mode='targetbody' pos='1 2 3' "
                           "euler='0 0 90'/></worldbody></mujoco>",
                           &err);
    if (!m) test_fail(__FILE__, __LINE__, "%s", err.message);
    REQUIRE(m);
    TnCameraInfo camera = tn_model_camera_info(m, tn_model_find_camera(m, "c"));
    CHECK(camera.mode == TN_CAMERA_FIXED && camera.target == 0 && camera.pos[2] == 3.0);
    tn_model_destroy(m);
}
