/* Where the free camera starts, what turning and moving do, and the cameras of a model. */
#include "../../apps/render/camera.h"
#include "../check.h"

#include <stdint.h>

static const double pi = 3.14159265358979323846;
/* Sizes are up to some metres and computed in a few dozen operations in double: errors are some
 * 1e-15, and a wrong formula errs by 1e-3 or more. */
static const double rounding = 1e-9;

static uint64_t random_bits;
static double random_between(double low, double high)
{
    random_bits = random_bits * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(random_bits >> 11) / 9007199254740992.0;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double length(const double a[3]) { return sqrt(dot(a, a)); }

/* A scene by hand: bodies at the given poses, shapes on them. */
typedef struct Parts {
    TnScene scene;
    TnFrame frame;
    TnSceneBody bodies[3];
    TnSceneShape shapes[4];
    TnCameraInfo cameras[1];
    double poses[21];
    float points[9];
} Parts;

static void parts_begin(Parts *parts)
{
    *parts = (Parts){0};
    parts->scene = (TnScene){.name = "",
                             .bodies = parts->bodies,
                             .body_count = 3,
                             .shapes = parts->shapes,
                             .cameras = parts->cameras};
    parts->frame = (TnFrame){.poses = parts->poses, .body_count = 3, .points = parts->points};
    for (int i = 0; i < 3; i++) parts->poses[7 * i + 3] = 1;
}

static void add_shape(Parts *parts, TnGeomType type, double x, double y, double z, double a,
                      double b, double c)
{
    parts->shapes[parts->scene.shape_count++] = (TnSceneShape){
        .type = type, .body = 1, .mesh = -1, .pos = {x, y, z}, .quat = {1}, .size = {a, b, c}};
}

/* Where a point is in the picture: shares of width and height from the upper left corner. False
 * behind the eye. */
static bool project(const View *view, double aspect, const double point[3], double share[2])
{
    double right[3] = {view->forward[1] * view->up[2] - view->forward[2] * view->up[1],
                       view->forward[2] * view->up[0] - view->forward[0] * view->up[2],
                       view->forward[0] * view->up[1] - view->forward[1] * view->up[0]};
    double offset[3] = {point[0] - view->eye[0], point[1] - view->eye[1], point[2] - view->eye[2]};
    double depth = dot(offset, view->forward), half = tan(view->fovy / 2);
    if (depth <= 0) return false;
    share[0] = 0.5 + dot(offset, right) / (2 * depth * half * aspect);
    share[1] = 0.5 - dot(offset, view->up) / (2 * depth * half);
    return true;
}

/* The corners' extent in the picture; false where one is behind the eye. */
static bool extent_of(const View *view, double aspect, const double low[3], const double high[3],
                      double least[2], double most[2])
{
    least[0] = least[1] = INFINITY;
    most[0] = most[1] = -INFINITY;
    for (int i = 0; i < 8; i++) {
        double share[2], corner[3];
        for (int k = 0; k < 3; k++) corner[k] = i >> k & 1 ? high[k] : low[k];
        if (!project(view, aspect, corner, share)) return false;
        for (int k = 0; k < 2; k++) {
            least[k] = fmin(least[k], share[k]);
            most[k] = fmax(most[k], share[k]);
        }
    }
    return true;
}

TEST(box_is_whole_and_fills_the_picture_for_random_boxes_angles_and_aspects)
{
    random_bits = 1;
    for (int n = 0; n < 2000; n++) {
        Parts parts;
        parts_begin(&parts);
        add_shape(&parts, TN_GEOM_BOX, random_between(-5, 5), random_between(-5, 5),
                  random_between(-5, 5), random_between(0.01, 3), random_between(0.01, 3),
                  random_between(0.01, 3));
        if (n % 2) {
            parts.scene.view.has_angles = true;
            parts.scene.view.azimuth = random_between(-4, 4);
            parts.scene.view.elevation = random_between(-1.5, 1.5);
        }
        double aspect = random_between(0.3, 4), low[3], high[3], least[2], most[2];
        REQUIRE(scene_bounds(&parts.scene, &parts.frame, 1, low, high));
        Orbit orbit = orbit_fit(&parts.scene, &parts.frame, 1, aspect);
        View view = orbit_view(&orbit);
        REQUIRE(extent_of(&view, aspect, low, high, least, most));
        double widest = fmax(most[0] - least[0], most[1] - least[1]);
        for (int k = 0; k < 2; k++) {
            CHECK(least[k] > 0.04 && most[k] < 0.96); /* 5 % of air on each side */
            CHECK_NEAR(least[k] + most[k], 1, 1e-6);  /* in the middle; found by halving */
        }
        CHECK_NEAR(widest, 0.9, 1e-6); /* as near as it can be */
    }
}

TEST(with_a_centre_of_the_model_the_box_is_still_whole)
{
    random_bits = 2;
    for (int n = 0; n < 500; n++) {
        Parts parts;
        parts_begin(&parts);
        add_shape(&parts, TN_GEOM_BOX, 0, 0, 0, random_between(0.1, 2), random_between(0.1, 2), 1);
        parts.scene.view.has_center = true;
        for (int k = 0; k < 3; k++) parts.scene.view.center[k] = random_between(-1, 1);
        double aspect = random_between(0.5, 2), low[3], high[3], least[2], most[2];
        Orbit orbit = orbit_fit(&parts.scene, &parts.frame, 1, aspect);
        for (int k = 0; k < 3; k++) CHECK_NEAR(orbit.center[k], parts.scene.view.center[k], 0);
        View view = orbit_view(&orbit);
        REQUIRE(scene_bounds(&parts.scene, &parts.frame, 1, low, high));
        REQUIRE(extent_of(&view, aspect, low, high, least, most));
        for (int k = 0; k < 2; k++) CHECK(least[k] > 0.04 && most[k] < 0.96);
    }
}

TEST(extent_and_angles_of_the_model_are_taken)
{
    Parts parts;
    parts_begin(&parts);
    add_shape(&parts, TN_GEOM_SPHERE, 0, 0, 0, 0.1, 0, 0);
    parts.scene.view = (TnView){.has_center = true,
                                .has_extent = true,
                                .has_angles = true,
                                .center = {1, 2, 3},
                                .extent = 2,
                                .azimuth = 0.5,
                                .elevation = -0.3};
    Orbit orbit = orbit_fit(&parts.scene, &parts.frame, 1, 1.5);
    CHECK_NEAR(orbit.azimuth, 0.5, rounding);
    CHECK_NEAR(orbit.elevation, -0.3, rounding);
    View view = orbit_view(&orbit);
    CHECK_NEAR(view.forward[0], cos(0.5) * cos(0.3), rounding);
    CHECK_NEAR(view.forward[1], sin(0.5) * cos(0.3), rounding);
    CHECK_NEAR(view.forward[2], -sin(0.3), rounding);
    CHECK_NEAR(orbit.distance, 1.5 * 2, rounding); /* MuJoCo's rule */
    orbit = orbit_fit(&parts.scene, &parts.frame, 1, 0.5);
    CHECK_NEAR(orbit.distance, 1.5 * 2 / 0.5, rounding); /* as much is seen in a narrow picture */
    CHECK_NEAR(orbit.fovy, 45 * 3.14159265358979 / 180, rounding);
    parts.scene.view.fovy = 0.6;
    CHECK(orbit_fit(&parts.scene, &parts.frame, 1, 1.5).fovy == 0.6);
}

TEST(without_words_of_the_model_the_view_is_from_above_at_an_angle)
{
    Parts parts;
    parts_begin(&parts);
    add_shape(&parts, TN_GEOM_BOX, 0, 0, 0.5, 0.5, 0.5, 0.5);
    Orbit orbit = orbit_fit(&parts.scene, &parts.frame, 1, 1.5);
    View view = orbit_view(&orbit);
    CHECK(view.forward[2] < -0.2 && view.forward[2] > -0.7);           /* slightly from above */
    CHECK(fabs(view.forward[0]) > 0.3 && fabs(view.forward[1]) > 0.3); /* two sides are seen */
    CHECK(view.eye[2] > 1);
}

TEST(nothing_to_see_gives_a_camera_all_the_same)
{
    Parts parts;
    double low[3], high[3];
    parts_begin(&parts);
    add_shape(&parts, TN_GEOM_PLANE, 0, 0, 0, 0, 0, 1);
    CHECK(!scene_bounds(&parts.scene, &parts.frame, 1, low, high));
    Orbit orbit = orbit_fit(&parts.scene, &parts.frame, 1, 1.5);
    CHECK(isfinite(orbit.distance) && orbit.distance > 0.5 && orbit.distance < 10);
    add_shape(&parts, TN_GEOM_SPHERE, 0, 0, 0, 1, 0, 0);
    parts.poses[1] = NAN; /* a broken frame */
    CHECK(!scene_bounds(&parts.scene, &parts.frame, 1, low, high));
}

TEST(bounds_enclose_each_shape_tightly)
{
    /* turned by 30 degrees about y; extents along x worked out by hand */
    double c = cos(pi / 6), s = sin(pi / 6);
    static const double size[3] = {0.2, 0.5, 0.3};
    const struct {
        TnGeomType type;
        double x, y;
    } cases[] = {{TN_GEOM_SPHERE, 0.2, 0.2},
                 {TN_GEOM_CAPSULE, 0.2 + 0.5 * s, 0.2},
                 {TN_GEOM_CYLINDER, 0.2 * c + 0.5 * s, 0.2},
                 {TN_GEOM_ELLIPSOID, sqrt(0.04 * c * c + 0.09 * s * s), 0.5},
                 {TN_GEOM_BOX, 0.2 * c + 0.3 * s, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Parts parts;
        double low[3], high[3];
        parts_begin(&parts);
        add_shape(&parts, cases[i].type, 1, 0, 0, size[0], size[1], size[2]);
        double turn[7] = {0, 0, 5, cos(pi / 12), 0, sin(pi / 12), 0};
        memcpy(parts.poses, turn, sizeof turn);
        REQUIRE(scene_bounds(&parts.scene, &parts.frame, 1, low, high));
        CHECK_NEAR(high[0], c + cases[i].x, rounding);
        CHECK_NEAR(low[0], c - cases[i].x, rounding);
        CHECK_NEAR(high[1], cases[i].y, rounding);
        CHECK_NEAR(high[2] + low[2], 2 * (5 - s), rounding);
    }
}

TEST(bounds_count_meshes_tubes_and_surfaces_but_no_hidden_groups)
{
    Parts parts;
    double low[3], high[3];
    static const float corners[12] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};
    TnSceneMesh mesh = {.vertices = corners, .vertex_count = 4};
    parts_begin(&parts);
    add_shape(&parts, TN_GEOM_MESH, 1, 0, 0, 0, 0, 0);
    parts.shapes[0].mesh = 0;
    parts.scene.meshes = &mesh;
    parts.scene.mesh_count = 1;
    REQUIRE(scene_bounds(&parts.scene, &parts.frame, 1, low, high));
    CHECK_NEAR(low[0], 1, 0);
    CHECK_NEAR(high[0], 2, 0);
    CHECK_NEAR(high[2], 3, 0);

    add_shape(&parts, TN_GEOM_SPHERE, 10, 0, 0, 1, 0, 0);
    parts.shapes[1].group = 3;
    REQUIRE(scene_bounds(&parts.scene, &parts.frame, 7, low, high));
    CHECK_NEAR(high[0], 2, 0);
    REQUIRE(scene_bounds(&parts.scene, &parts.frame, 15, low, high));
    CHECK_NEAR(high[0], 11, rounding);

    TnSceneTube tube = {.point_count = 1, .radius = 0.5};
    TnSceneSurface surface = {.point_start = 1, .point_count = 2};
    parts.scene.tubes = &tube;
    parts.scene.tube_count = 1;
    parts.scene.surfaces = &surface;
    parts.scene.surface_count = 1;
    parts.scene.point_count = parts.frame.point_count = 3;
    parts.points[1] = 7;      /* y of the tube's point */
    parts.points[3 + 2] = -4; /* z of the surface's first */
    REQUIRE(scene_bounds(&parts.scene, &parts.frame, 7, low, high));
    CHECK_NEAR(high[1], 7.5, rounding);
    CHECK_NEAR(low[2], -4, rounding);
}

TEST(ray_through_the_middle_hits_the_centre_and_every_ray_comes_back_to_its_pixel)
{
    Orbit orbit = {
        .center = {1, 2, 0.5}, .distance = 3, .azimuth = 0.7, .elevation = -0.4, .fovy = 0.8};
    View view = orbit_view(&orbit);
    double origin[3], direction[3], share[2], point[3];
    view_ray(&view, 1.6, 0.5, 0.5, origin, direction);
    for (int k = 0; k < 3; k++) CHECK_NEAR(origin[k] + 3 * direction[k], orbit.center[k], rounding);
    for (double x = 0; x <= 1; x += 0.25)
        for (double y = 0; y <= 1; y += 0.25) {
            view_ray(&view, 1.6, x, y, origin, direction);
            CHECK_NEAR(length(direction), 1, rounding);
            for (int k = 0; k < 3; k++) point[k] = origin[k] + 2 * direction[k];
            REQUIRE(project(&view, 1.6, point, share));
            CHECK_NEAR(share[0], x, rounding);
            CHECK_NEAR(share[1], y, rounding);
        }
    /* up in the picture is up in the world */
    double upper[3], lower[3];
    view_ray(&view, 1.6, 0.5, 0, origin, upper);
    view_ray(&view, 1.6, 0.5, 1, origin, lower);
    CHECK(upper[2] > lower[2]);
}

TEST(turning_stops_short_of_the_poles_and_keeps_the_axes_square)
{
    Orbit orbit = {.distance = 2, .fovy = 0.8};
    for (int n = 0; n < 100; n++) {
        orbit_turn(&orbit, 0.3, n < 50 ? 0.1 : -0.2);
        View view = orbit_view(&orbit);
        CHECK(fabs(orbit.elevation) < pi / 2 && fabs(orbit.azimuth) <= pi);
        CHECK_NEAR(dot(view.forward, view.up), 0, rounding);
        CHECK_NEAR(length(view.forward), 1, rounding);
        CHECK_NEAR(length(view.up), 1, rounding);
        CHECK(view.up[2] > 0);
        CHECK_NEAR(length(view.eye), 2, rounding);
    }
}

TEST(panning_moves_the_scene_by_that_share_of_the_pictures_height)
{
    Orbit orbit = {
        .center = {1, 1, 1}, .distance = 4, .azimuth = 2, .elevation = -0.5, .fovy = 0.9};
    double before[3], share[2], aspect = 1.5;
    memcpy(before, orbit.center, sizeof before);
    orbit_pan(&orbit, 0.2, 0.1);
    View view = orbit_view(&orbit);
    REQUIRE(project(&view, aspect, before, share));
    CHECK_NEAR(share[0], 0.5 - 0.2 / aspect, rounding);
    CHECK_NEAR(share[1], 0.5 + 0.1, rounding);
}

TEST(zooming_by_two_halves_the_distance_and_never_reaches_zero)
{
    Orbit orbit = {.distance = 3, .fovy = 0.8};
    orbit_zoom(&orbit, 2);
    CHECK_NEAR(orbit.distance, 1.5, rounding);
    for (int n = 0; n < 200; n++) orbit_zoom(&orbit, 10);
    CHECK(orbit.distance > 0);
    for (int n = 0; n < 200; n++) orbit_zoom(&orbit, 0.1);
    CHECK(isfinite(orbit.distance));
}

/* A camera one metre above its body, on a body that is turned by 90 degrees about z. */
static View model_camera(TnCameraMode mode)
{
    Parts parts;
    parts_begin(&parts);
    double pose[7] = {1, 2, 3, sqrt(0.5), 0, 0, sqrt(0.5)};
    memcpy(parts.poses + 7, pose, sizeof pose);
    parts.poses[14] = 1;
    parts.poses[15] = -3;
    parts.poses[16] = 4; /* the target: straight along -y from the eye of a fixed camera */
    parts.cameras[0] = (TnCameraInfo){.name = "eye",
                                      .body = 2,
                                      .pos = {0, 0, 1},
                                      .quat = {sqrt(0.5), sqrt(0.5), 0, 0},
                                      .fovy = 1,
                                      .mode = mode,
                                      .target = 3};
    parts.scene.camera_count = 1;
    return camera_view(&parts.scene, &parts.frame, 0);
}

static void check_vector(const double v[3], double x, double y, double z)
{
    CHECK_NEAR(v[0], x, rounding);
    CHECK_NEAR(v[1], y, rounding);
    CHECK_NEAR(v[2], z, rounding);
}

TEST(fixed_camera_moves_and_turns_with_its_body)
{
    View view = model_camera(TN_CAMERA_FIXED);
    check_vector(view.eye, 1, 2, 4);
    check_vector(view.forward, -1, 0, 0); /* -z turned about x is +y, then about z: -x */
    check_vector(view.up, 0, 0, 1);
    CHECK_NEAR(view.fovy, 1, 0);
}

TEST(a_motion_has_the_box_of_all_its_frames)
{
    Parts parts;
    parts_begin(&parts);
    add_shape(&parts, TN_GEOM_SPHERE, 0, 0, 0, 0.5, 0, 0);
    add_shape(&parts, TN_GEOM_BOX, 0, 0, 0, 1, 1, 1);
    parts.shapes[0].body = 2;
    Motion motion;
    double low[3], high[3];
    REQUIRE(motion_start(&motion, &parts.scene, 1));
    CHECK(!motion_bounds(&motion, low, high));
    for (int i = 0; i <= 10; i++) {
        parts.poses[7] = i;
        parts.poses[8] = -0.1 * i * i;
        motion_add(&motion, &parts.frame);
    }
    REQUIRE(motion_bounds(&motion, low, high));
    const double wanted[6] = {-1, -10.5, -1, 10.5, 1, 1};
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(low[k], wanted[k], rounding);
        CHECK_NEAR(high[k], wanted[3 + k], rounding);
    }
    motion_free(&motion);
}

/* Of 20 bodies around the middle one leaves for good; of 19 it counts. */
TEST(one_body_of_many_that_flies_away_does_not_count)
{
    for (int count = 19; count <= 20; count++) {
        TnSceneBody bodies[21] = {{"", 0}};
        TnSceneShape shapes[20];
        double poses[21 * 7] = {0}, low[3], high[3];
        for (int i = 0; i < count; i++)
            shapes[i] = (TnSceneShape){
                .type = TN_GEOM_SPHERE, .body = i + 2, .mesh = -1, .quat = {1}, .size = {0.1}};
        for (int i = 0; i < 21; i++) {
            poses[7 * i] = i % 2 ? 1 : -1;
            poses[7 * i + 3] = 1;
        }
        TnScene scene = {.name = "",
                         .bodies = bodies,
                         .body_count = count + 1,
                         .shapes = shapes,
                         .shape_count = count};
        TnFrame frame = {.poses = poses, .body_count = count + 1};
        Motion motion;
        REQUIRE(motion_start(&motion, &scene, 1));
        motion_add(&motion, &frame);
        poses[7 + 2] = -100;
        motion_add(&motion, &frame);
        REQUIRE(motion_bounds(&motion, low, high));
        CHECK_NEAR(low[2], count == 19 ? -100.1 : -0.1, rounding);
        CHECK_NEAR(high[0], 1.1, rounding);
        motion_free(&motion);
    }
}

TEST(tracking_camera_keeps_its_direction)
{
    View view = model_camera(TN_CAMERA_TRACK);
    check_vector(view.eye, 1, 2, 4);
    check_vector(view.forward, 0, 1, 0);
    check_vector(view.up, 0, 0, 1);
}

TEST(targeting_camera_looks_at_its_target_with_z_up)
{
    View view = model_camera(TN_CAMERA_TARGET);
    check_vector(view.eye, 1, 2, 4);
    check_vector(view.forward, 0, -1, 0);
    check_vector(view.up, 0, 0, 1);
}
