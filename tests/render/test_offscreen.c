/* What a camera sees, as arrays: against analytic depths, and against rays cast by the world. */
#include <tenon/render.h>
#include <tenon/tenon.h>

#include "../check.h"
#include "../io/mjcf_text.h"

#include <stdint.h>

enum { WIDTH = 161, HEIGHT = 121, PIXELS = WIDTH * HEIGHT }; /* odd: a pixel is in the middle */

static uint8_t rgb[3 * PIXELS];
static float depth[PIXELS];
static int32_t segments[PIXELS];
static const TnRenderBuffers all = {rgb, depth, segments};

typedef struct Seen {
    TnModel *model;
    TnWorld *world;
    TnRenderer *renderer;
} Seen;

static void close_seen(Seen *s)
{
    tn_renderer_destroy(s->renderer);
    tn_world_destroy(s->world);
    tn_model_destroy(s->model);
}

/* False, and the test skipped, on a machine without EGL. */
static bool open_seen(Seen *s, const char *text)
{
    TnError err = {0};
    TnRendererDef def = tn_renderer_def();
    TnWorldDef world_def = tn_world_def();
    def.width = WIDTH;
    def.height = HEIGHT;
    *s = (Seen){.model = load_text(text, &err)};
    if (s->model) s->world = tn_world_create(&world_def, s->model, &err);
    if (!s->world) {
        test_fail(__FILE__, __LINE__, "%s", err.message);
        close_seen(s);
        return false;
    }
    s->renderer = tn_renderer_create(&def, s->world, &err);
    if (s->renderer) return true;
    /* the message names EGL or OpenGL, and what to install */
    CHECK(err.code == TN_ERROR_IO && err.count == 1);
    CHECK(strstr(err.message, "EGL") || strstr(err.message, "OpenGL"));
    test_skip(err.message);
    close_seen(s);
    return false;
}

static void draw(Seen *s, const TnRenderCamera *camera)
{
    TnError err = {0};
    memset(rgb, 0, sizeof rgb);
    if (tn_renderer_draw(s->renderer, s->world, camera, &all, &err) != TN_OK)
        test_fail(__FILE__, __LINE__, "%s", err.message);
}

static int at(int x, int y) { return y * WIDTH + x; }

/* A ball of 0.5 m before a wall; the camera is 4 m from the wall and 2 m from the ball's centre. */
#define BALL_AND_WALL                                                                              \
    "<mujoco><worldbody>"                                                                          \
    "<geom name='wall' type='plane' size='0 0 1' euler='0 90 0' pos='-2 0 0' rgba='0 0 1 1'/>"     \
    "<body name='b'><freejoint/><geom name='ball' size='0.5' rgba='1 0 0 1'/></body>"              \
    "<camera name='front' pos='2 0 0' xyaxes='0 1 0 0 0 1' fovy='60'/>"                            \
    "</worldbody></mujoco>"
/* Depth is a 32-bit float of some metres, and the ball's triangles have a corner at the middle:
 * 1e-6 m. The task is 1e-3. */
static const double exact = 1e-5;

TEST(a_ball_before_a_wall_has_its_depth_its_ids_and_its_colour)
{
    Seen s;
    if (!open_seen(&s, BALL_AND_WALL)) return;
    TnGeomId ball = tn_model_find_geom(s.model, "ball"), wall = tn_model_find_geom(s.model, "wall");
    TnRenderCamera camera = {.camera = tn_model_find_camera(s.model, "front")};
    draw(&s, &camera);
    int middle = at(WIDTH / 2, HEIGHT / 2), corner = at(3, 4);
    CHECK(segments[middle] == ball && segments[corner] == wall);
    CHECK_NEAR((double)depth[middle], 1.5, exact);
    CHECK_NEAR((double)depth[corner], 4.0, exact); /* along the view, not along the ray */
    CHECK(rgb[3 * middle] > 2 * rgb[3 * middle + 2] && rgb[3 * middle] > 50);     /* red */
    CHECK(rgb[3 * corner + 2] > 2 * rgb[3 * corner] && rgb[3 * corner + 2] > 50); /* blue */

    /* the ball's outline: half an angle of asin(0.5 / 2), in pixels of the picture's plane */
    double radius = tan(asin(0.25)) / tan(60.0 / 360 * 3.14159265358979323846) * HEIGHT / 2;
    int count = 0;
    for (int i = 0; i < PIXELS; i++) count += segments[i] == ball;
    double area = 3.14159265358979323846 * radius * radius;
    CHECK_NEAR(count, area, 0.5 * 2 * 3.15 * radius); /* half a pixel around it */
    close_seen(&s);
}

TEST(the_picture_follows_the_world)
{
    Seen s;
    if (!open_seen(&s, BALL_AND_WALL)) return;
    TnError err = {0};
    TnRenderCamera camera = {.camera = 1};
    int middle = at(WIDTH / 2, HEIGHT / 2);
    const double there[7] = {1, 0, 0, 1, 0, 0, 0}, aside[7] = {1, 5, 0, 1, 0, 0, 0};
    CHECK(tn_world_set_state(s.world, there, NULL, &err) == TN_OK);
    draw(&s, &camera);
    CHECK_NEAR((double)depth[middle], 0.5, exact);
    const double small[3] = {0.2, 0, 0};
    CHECK(tn_world_set_geom_size(s.world, tn_model_find_geom(s.model, "ball"), small, &err) ==
          TN_OK);
    draw(&s, &camera);
    CHECK_NEAR((double)depth[middle], 0.8, exact);
    CHECK(tn_world_set_state(s.world, aside, NULL, &err) == TN_OK);
    draw(&s, &camera);
    CHECK_NEAR((double)depth[middle], 4.0, exact);
    close_seen(&s);
}

static void normalized(double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++) v[k] /= length;
}

/* The ray through the middle of a pixel, with length 1 along the view: its s is the depth. */
static TnRay ray_of(const TnRenderCamera *c, int x, int y)
{
    double f[3], r[3], u[3], half = tan(c->fovy / 2);
    for (int k = 0; k < 3; k++) f[k] = c->target[k] - c->eye[k];
    normalized(f);
    for (int k = 0; k < 3; k++)
        r[k] = f[(k + 1) % 3] * c->up[(k + 2) % 3] - f[(k + 2) % 3] * c->up[(k + 1) % 3];
    normalized(r);
    for (int k = 0; k < 3; k++)
        u[k] = r[(k + 1) % 3] * f[(k + 2) % 3] - r[(k + 2) % 3] * f[(k + 1) % 3];
    double right = (2 * x + 1.0 - WIDTH) / HEIGHT * half,
           up = (HEIGHT - 2 * y - 1.0) / HEIGHT * half;
    TnRay ray;
    memcpy(ray.origin, c->eye, sizeof ray.origin);
    for (int k = 0; k < 3; k++) ray.direction[k] = f[k] + right * r[k] + up * u[k];
    return ray;
}

/* Pixels whose geom differs, and the largest difference of depth of the others, as a share. */
static int compare_with_rays(const Seen *s, const TnRenderCamera *camera, double *worst)
{
    static TnRay rays[PIXELS];
    static TnRayHit hits[PIXELS];
    TnError err = {0};
    int other = 0;
    for (int i = 0; i < PIXELS; i++) rays[i] = ray_of(camera, i % WIDTH, i / WIDTH);
    CHECK(tn_world_cast_rays(s->world, rays, PIXELS, NULL, hits, &err) == TN_OK);
    *worst = 0;
    for (int i = 0; i < PIXELS; i++) {
        if (hits[i].geom != segments[i])
            other++;
        else if (!hits[i].geom)
            CHECK(isinf(depth[i]));
        else
            *worst = fmax(*worst, fabs(1 - (double)depth[i] / hits[i].distance));
    }
    return other;
}

TEST(depth_and_segments_agree_with_rays)
{
    static const char *const text =
        "<mujoco><worldbody><geom type='plane' size='0 0 1'/>"
        "<geom type='box' size='.2 .3 .1' pos='0 0 .1' euler='0 0 30'/>"
        "<geom type='capsule' size='.1 .2' pos='.5 .4 .3' euler='40 10 0'/>"
        "<geom type='cylinder' size='.15 .2' pos='-.5 .4 .2' euler='80 0 0'/>"
        "<geom type='ellipsoid' size='.1 .2 .3' pos='-.4 -.5 .3'/>"
        "<geom size='.2' pos='.5 -.4 .2'/>"
        "<geom type='box' size='1 1 1' rgba='0 0 0 0' pos='2 0 1'/>" /* clear: not there */
        "<geom size='.1' rgba='1 1 1 .3' pos='.2 0 .5'/></worldbody></mujoco>"; /* there */
    Seen s;
    if (!open_seen(&s, text)) return;
    const TnRenderCamera cameras[] = {
        {.eye = {2.5, 0.3, 1}, .target = {0, 0, 0.2}, .up = {0, 0, 1}, .fovy = 0.7},
        {.eye = {-0.3, -1.8, 0.4}, .target = {0, 0, 0.5}, .up = {0.2, 0, 1}, .fovy = 1.2},
        {.eye = {0, 0.01, 3}, .target = {0, 0, 0}, .up = {1, 0, 0}, .fovy = 0.6},
    };
    for (int i = 0; i < 3; i++) {
        double worst;
        draw(&s, &cameras[i]);
        int other = compare_with_rays(&s, &cameras[i], &worst);
        /* Curved shapes are triangles: outlines are off by less than a hundredth of a pixel, and
         * where the ray nearly grazes them the depth by up to half a percent (measured 3 pixels,
         * 0.45 %). */
        CHECK(other <= 10);
        CHECK_NEAR(worst, 0, 0.01);
    }
    double plane_only = 0; /* without curves only the rounding of floats is left */
    for (int i = 0; i < PIXELS; i++) {
        TnRay ray = ray_of(&cameras[2], i % WIDTH, i / WIDTH);
        if (segments[i] != 1) continue;
        plane_only = fmax(plane_only, fabs((double)depth[i] + ray.origin[2] / ray.direction[2]));
    }
    CHECK_NEAR(plane_only, 0, exact);
    close_seen(&s);
}

TEST(cables_and_soft_bodies_have_the_ids_of_their_geoms)
{
    static const char *const text =
        "<mujoco><worldbody>"
        "<composite type='cable' curve='s' count='11 1 1' size='1' offset='-.5 0 .4'>"
        "<geom type='capsule' size='.03' density='1000'/></composite>"
        "<flexcomp name='cube' type='grid' count='3 3 3' spacing='.1 .1 .1' pos='0 0 0' dim='3' "
        "mass='1' radius='.001'><elasticity young='1e5' poisson='.3'/></flexcomp>"
        "</worldbody></mujoco>";
    Seen s;
    if (!open_seen(&s, text)) return;
    TnGeomId cable = tn_model_rod_info(s.model, 1).geom, cube = tn_model_soft_info(s.model, 1).geom;
    CHECK(cable > 0 && cube > 0);
    TnRenderCamera camera = {
        .eye = {0, -2, 0.2}, .target = {0, 0, 0.2}, .up = {0, 0, 1}, .fovy = 1};
    draw(&s, &camera);
    int cables = 0, cubes = 0, nothing = 0;
    for (int i = 0; i < PIXELS; i++) {
        cables += segments[i] == cable;
        cubes += segments[i] == cube;
        nothing += segments[i] == TN_SEGMENT_NOTHING;
    }
    CHECK(cables > 20 && cubes > 20 && nothing > 20);
    CHECK(cables + cubes + nothing == PIXELS);
    close_seen(&s);
}

TEST(a_fitted_camera_sees_everything)
{
    Seen s;
    if (!open_seen(&s, BALL_AND_WALL)) return;
    TnRenderCamera fit = tn_renderer_fit(s.renderer, s.world);
    CHECK(fit.camera == 0 && fit.fovy > 0);
    TnGeomId ball = tn_model_find_geom(s.model, "ball");
    static int32_t once[PIXELS];
    draw(&s, &fit);
    memcpy(once, segments, sizeof once);
    int count = 0;
    for (int i = 0; i < PIXELS; i++) count += once[i] == ball;
    for (int x = 0; x < WIDTH; x++)
        CHECK(once[at(x, 0)] != ball && once[at(x, HEIGHT - 1)] != ball);
    CHECK(count > PIXELS / 8); /* the box around it is as high as the picture: about a fifth */
    draw(&s, NULL);
    CHECK(memcmp(once, segments, sizeof once) == 0);
    close_seen(&s);
}

TEST(renderers_do_not_disturb_each_other)
{
    Seen s, other;
    if (!open_seen(&s, BALL_AND_WALL)) return;
    TnRenderCamera camera = {.camera = 1};
    static uint8_t before[3 * PIXELS];
    draw(&s, &camera);
    memcpy(before, rgb, sizeof before);
    for (int i = 0; i < 2; i++) {
        if (!open_seen(&other, "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")) break;
        draw(&other, NULL);
        CHECK(segments[at(WIDTH / 2, HEIGHT / 2)] == 1);
        draw(&s, &camera);
        CHECK(memcmp(before, rgb, sizeof before) == 0);
        close_seen(&other);
        draw(&s, &camera);
        CHECK(memcmp(before, rgb, sizeof before) == 0);
    }
    close_seen(&s);
}

static void check_refused(Seen *s, TnRenderCamera camera, const char *part)
{
    TnError err = {0};
    CHECK(tn_renderer_draw(s->renderer, s->world, &camera, &all, &err) == TN_ERROR_USAGE);
    CHECK(err.count == 1 && strstr(err.message, part));
}

TEST(wrong_arguments_are_told)
{
    TnError err = {0};
    TnRendererDef def = tn_renderer_def();
    CHECK(!tn_renderer_create(&def, NULL, &err) && err.code == TN_ERROR_USAGE);
    CHECK(!tn_renderer_create(NULL, NULL, NULL));
    tn_renderer_destroy(NULL);
    CHECK(tn_renderer_fit(NULL, NULL).fovy == 0);
    Seen s, other;
    if (!open_seen(&s, BALL_AND_WALL)) return;
    TnRenderCamera good = {.eye = {1, 0, 0}, .up = {0, 0, 1}, .fovy = 1}, bad = good;
    check_refused(&s, (TnRenderCamera){.camera = 2}, "no camera 2");
    check_refused(&s, (TnRenderCamera){.camera = -1}, "no camera -1");
    memcpy(bad.eye, bad.target, sizeof bad.eye);
    check_refused(&s, bad, "eye and target");
    bad = good;
    bad.fovy = 0;
    check_refused(&s, bad, "fovy");
    bad = good;
    bad.target[1] = (double)NAN;
    check_refused(&s, bad, "eye and target");
    CHECK(tn_renderer_draw(s.renderer, s.world, &good, NULL, &err) == TN_ERROR_USAGE);
    const TnRenderBuffers none = {NULL, NULL, NULL};
    CHECK(tn_renderer_draw(s.renderer, s.world, &good, &none, &err) == TN_OK);
    bad = good;
    memcpy(bad.up, (double[3]){1, 0, 0}, sizeof bad.up); /* along the view: some other is taken */
    CHECK(tn_renderer_draw(s.renderer, s.world, &bad, &all, &err) == TN_OK);
    def.width = 1 << 30;
    CHECK(!tn_renderer_create(&def, s.world, &err) && strstr(err.message, "pixels"));
    def.width = 0;
    CHECK(!tn_renderer_create(&def, s.world, &err) && err.code == TN_ERROR_USAGE);
    if (open_seen(&other, "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")) {
        CHECK(tn_renderer_draw(s.renderer, other.world, &good, &all, &err) == TN_ERROR_USAGE);
        CHECK_STR(err.message, "another model");
        close_seen(&other);
    }
    close_seen(&s);
}

TEST(a_frame_of_the_scene_gives_the_picture_of_the_world)
{
    Seen s;
    if (!open_seen(&s, BALL_AND_WALL)) return;
    TnError err = {0};
    TnRendererDef def = tn_renderer_def();
    def.width = WIDTH;
    def.height = HEIGHT;
    TnRenderCamera front = {.camera = 1};
    draw(&s, &front);
    static uint8_t world_rgb[3 * PIXELS];
    static float world_depth[PIXELS];
    static int32_t world_segments[PIXELS];
    memcpy(world_rgb, rgb, sizeof rgb);
    memcpy(world_depth, depth, sizeof depth);
    memcpy(world_segments, segments, sizeof segments);
    TnScene *scene = tn_scene_create_of(s.world, &err);
    TnFrame *frame = tn_frame_create(scene, &err);
    TnRenderer *renderer = tn_renderer_create_of(&def, scene, &err);
    CHECK(scene && frame && renderer);
    CHECK(tn_frame_capture(frame, s.world, NULL, false, &err) == TN_OK);
    memset(rgb, 0, sizeof rgb);
    CHECK(tn_renderer_draw_frame(renderer, frame, &front, &all, &err) == TN_OK);
    CHECK(!memcmp(rgb, world_rgb, sizeof rgb) && !memcmp(depth, world_depth, sizeof depth));
    CHECK(!memcmp(segments, world_segments, sizeof segments));
    TnRenderCamera one = tn_renderer_fit(s.renderer, s.world),
                   two = tn_renderer_fit_frame(renderer, frame);
    CHECK(!memcmp(&one, &two, sizeof one));
    /* each knows what it was made for */
    CHECK(tn_renderer_draw(renderer, s.world, NULL, &all, &err) == TN_ERROR_USAGE);
    frame->body_count--;
    CHECK(tn_renderer_draw_frame(renderer, frame, NULL, &all, &err) == TN_ERROR_USAGE);
    frame->body_count++;
    tn_renderer_destroy(renderer);
    tn_frame_destroy(frame);
    tn_scene_destroy(scene);
    close_seen(&s);
}
