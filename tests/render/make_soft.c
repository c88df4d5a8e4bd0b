/* make_soft.c: writes a recording of a scene made by hand: every kind of shape, a cable of three
 * subsystems, a tendon, a waving cloth, two cameras. Its motion is a formula, so that a test knows
 * where things are.
 *
 *   make_soft OUT.tnr */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tenon/record.h>

enum {
    FRAMES = 61,
    CABLE = 12, /* points */
    TENDON = 3,
    CLOTH = 12, /* points along each side */
    POINTS = CABLE + TENDON + CLOTH * CLOTH,
    CLOTH_TRIANGLES = 2 * (CLOTH - 1) * (CLOTH - 1)
};

#define PI 3.14159265358979323846

static const float pyramid_vertices[] = {-0.2f, -0.2f, 0,    0.2f, -0.2f, 0, 0.2f, 0.2f,
                                         0,     -0.2f, 0.2f, 0,    0,     0, 0.4f};
static const int32_t pyramid_triangles[] = {0, 2, 1, 0, 3, 2, 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};

static void fill_triangles(int32_t *triangles)
{
    for (int j = 0; j + 1 < CLOTH; j++)
        for (int i = 0; i + 1 < CLOTH; i++) {
            int32_t a = j * CLOTH + i, b = a + 1, c = a + CLOTH, d = c + 1;
            const int32_t two[] = {a, b, d, a, d, c};
            memcpy(triangles, two, sizeof two);
            triangles += 6;
        }
}

/* Body 2 slides along x as 0.5 sin(2 π t); the test asks for its place. */
static void fill_frame(TnFrame *frame, int k)
{
    double t = k / 30.0, turn = PI * t;
    frame->time = t;
    frame->step = k;
    for (int i = 1; i < frame->body_count; i++) {
        double *pose = frame->poses + 7 * i;
        pose[0] = i == 1 ? 0.5 * sin(2 * PI * t) : -1.5 + 0.75 * i;
        pose[1] = i == 1 ? -0.6 : 0.6;
        pose[2] = 0.35;
        pose[3] = cos(turn / 2);
        pose[4] = pose[5] = 0;
        pose[6] = sin(turn / 2);
    }
    float *p = frame->points;
    for (int i = 0; i < CABLE; i++, p += 3) {
        double s = (double)i / (CABLE - 1);
        p[0] = (float)(-1 + 2 * s);
        p[1] = (float)(0.15 * sin(6 * s + 4 * t));
        p[2] = (float)(1.3 - 0.6 * sin(PI * s));
    }
    for (int i = 0; i < TENDON; i++, p += 3) {
        p[0] = (float)(-1.0 + i);
        p[1] = 0.9f;
        p[2] = i == 1 ? (float)(0.9 + 0.2 * sin(3 * t)) : 1.2f;
    }
    for (int i = 0; i < CLOTH * CLOTH; i++, p += 3) {
        double x = (double)(i % CLOTH) / (CLOTH - 1), y = (double)(i / CLOTH) / (CLOTH - 1);
        p[0] = (float)(1.2 + 0.9 * x);
        p[1] = (float)(-0.9 + 0.9 * y);
        p[2] = (float)(0.6 + 0.15 * sin(5 * x + 3 * y + 5 * t));
    }
    frame->residual = 1e-3 * exp(-t);
    frame->iterations = 30;
    frame->kinetic = 2 + cos(t);
    frame->potential = 5 - cos(t);
    frame->times.total = 1e-3;
}

static TnSceneShape shape(TnGeomType type, TnBodyId body, double x, double y, double z,
                          const float rgba[4])
{
    TnSceneShape made = {.type = type, .body = body, .mesh = -1, .quat = {1, 0, 0, 0}};
    made.size[0] = x;
    made.size[1] = y;
    made.size[2] = z;
    memcpy(made.rgba, rgba, sizeof made.rgba);
    return made;
}

static int write_recording(const char *path, const TnScene *scene)
{
    TnError err = {0};
    TnRecorderDef def = tn_recorder_def();
    TnFrame *frame = tn_frame_create(scene, &err);
    TnRecorder *recorder = frame ? tn_recorder_create(&def, path, scene, &err) : NULL;
    bool fine = recorder != NULL;
    for (int k = 0; fine && k < FRAMES; k++) {
        fill_frame(frame, k);
        fine = tn_recorder_write(recorder, frame, &err) == TN_OK;
    }
    fine = recorder && tn_recorder_close(recorder, &err) == TN_OK && fine;
    tn_frame_destroy(frame);
    if (!fine) fprintf(stderr, "%s\n", err.message);
    return fine ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    static const float grey[] = {0.7f, 0.72f, 0.75f, 1}, red[] = {0.85f, 0.2f, 0.2f, 1},
                       green[] = {0.2f, 0.65f, 0.3f, 1}, blue[] = {0.2f, 0.4f, 0.85f, 1},
                       yellow[] = {0.95f, 0.8f, 0.2f, 1}, clear[] = {0.3f, 0.7f, 0.9f, 0.4f},
                       violet[] = {0.6f, 0.2f, 0.8f, 1};
    /* a name that would end the script that it is written into */
    const TnSceneBody bodies[] = {{"world", 0}, {"</script><b>ball", 1}, {"rod", 2}, {"brick", 3},
                                  {"pill", 4},  {"pyramid", 5},          {"lens", 6}};
    TnSceneShape shapes[] = {shape(TN_GEOM_PLANE, 1, 0, 0, 0, grey),
                             shape(TN_GEOM_SPHERE, 2, 0.2, 0, 0, red),
                             shape(TN_GEOM_CYLINDER, 3, 0.15, 0.25, 0, green),
                             shape(TN_GEOM_BOX, 4, 0.2, 0.15, 0.1, clear),
                             shape(TN_GEOM_CAPSULE, 5, 0.1, 0.2, 0, blue),
                             shape(TN_GEOM_MESH, 6, 0, 0, 0, yellow),
                             shape(TN_GEOM_ELLIPSOID, 7, 0.25, 0.15, 0.08, violet)};
    shapes[5].mesh = 0;
    const TnSceneMesh mesh = {.vertices = pyramid_vertices,
                              .vertex_count = 5,
                              .triangles = pyramid_triangles,
                              .triangle_count = 6,
                              .hull_triangles = pyramid_triangles,
                              .hull_triangle_count = 6};
    int32_t triangles[3 * CLOTH_TRIANGLES], subsystems[POINTS];
    fill_triangles(triangles);
    for (int i = 0; i < POINTS; i++)
        subsystems[i] = i < CABLE ? 7 + i / 4 : i < CABLE + TENDON ? 10 : 11;
    TnSceneTube tubes[] = {{TN_TUBE_CABLE, 0, CABLE, 0.03, {0.1f, 0.1f, 0.12f, 1}},
                           {TN_TUBE_TENDON, CABLE, TENDON, 0.015, {0.9f, 0.4f, 0.1f, 1}}};
    const TnSceneSurface cloth = {.point_start = CABLE + TENDON,
                                  .point_count = CLOTH * CLOTH,
                                  .triangles = triangles,
                                  .triangle_count = CLOTH_TRIANGLES,
                                  .rgba = {0.9f, 0.1f, 0.6f, 1}};
    const TnCameraInfo cameras[] = {
        {"above", 1, {0, 0, 6}, {1, 0, 0, 0}, 0.8, TN_CAMERA_FIXED, 0, {1, 1}},
        {"at the ball", 1, {0, -4, 1.5}, {1, 0, 0, 0}, 0.8, TN_CAMERA_TARGET, 2, {1, 1}}};
    const TnSceneJoint joint = {
        .name = "hinge", .type = TN_JOINT_HINGE, .body = 3, .axis = {0, 0, 1}};
    const TnScene scene = {.name = "by hand",
                           .timestep = 1 / 30.0,
                           .bodies = bodies,
                           .body_count = 7,
                           .shapes = shapes,
                           .shape_count = 7,
                           .meshes = &mesh,
                           .mesh_count = 1,
                           .joints = &joint,
                           .joint_count = 1,
                           .tubes = tubes,
                           .tube_count = 2,
                           .surfaces = &cloth,
                           .surface_count = 1,
                           .point_subsystems = subsystems,
                           .point_count = POINTS,
                           .cameras = cameras,
                           .camera_count = 2};
    return write_recording(argv[1], &scene);
}
