/* recorded.h: a scene with one of everything, its frames, and files of recordings, shared by the
 * tests of recordings. */
#ifndef TN_TESTS_IO_RECORDED_H
#define TN_TESTS_IO_RECORDED_H

#include "../check.h"

#include <stdio.h>
#include <stdlib.h>
#include <tenon/record.h>
#include <unistd.h>

enum { BODIES = 3, POINTS = 7, QPOS = 9, DOF = 8, CTRL = 2, SIGNALS = 3 };

/* The world, a box and a ball; a mesh; a cable of three points, a soft tetrahedron of four. */
static inline TnScene recorded_scene(void)
{
    static const TnSceneBody bodies[BODIES] = {{"", 0}, {"b\u00f6x", 1}, {"", 2}};
    static const float vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t faces[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const int32_t tetrahedron[] = {0, 1, 2, 3};
    static const float texcoords[24] = {0, 0, 1, 0, 0, 1, 0.5f};
    static const TnSceneMesh meshes[] = {{vertices, 4, faces, 4, faces, 4, texcoords}};
    static const uint8_t pixels[36] = {255, 0, 10, 20, 30, 40, 7}, cube[18] = {1, 2, 3, 250};
    static const TnSceneTexture textures[] = {{TN_TEXTURE_2D, 4, 3, pixels},
                                              {TN_TEXTURE_SKYBOX, 1, 1, cube}};
    static const TnSceneMaterial materials[] = {
        {.specular = 0.5f},
        {.texture = 1, .texture_repeat = {2, 3}, .texture_uniform = true, .metallic = 0.25f}};
    static const TnSceneLight lights[] = {{.type = TN_LIGHT_POINT,
                                           .body = 2,
                                           .target = 3,
                                           .mode = TN_CAMERA_TARGET,
                                           .cast_shadow = true,
                                           .dir = {0, 0, -1},
                                           .diffuse = {0.5f, 1, 0},
                                           .attenuation = {1, 0, 2},
                                           .cutoff = 0.7f,
                                           .exponent = 3}};
    static const TnSceneShape shapes[] = {
        {.type = TN_GEOM_PLANE, .body = 1, .mesh = -1, .quat = {1}, .rgba = {0.5f, 0.5f, 0.5f, 1}},
        {.type = TN_GEOM_BOX,
         .body = 2,
         .mesh = -1,
         .group = 2,
         .quat = {1},
         .size = {0.3, 0.2, 1}},
        {.type = TN_GEOM_SPHERE,
         .body = 3,
         .mesh = -1,
         .pos = {0, 0, 0.1},
         .quat = {1},
         .size = {0.5}},
        {.type = TN_GEOM_MESH,
         .body = 3,
         .mesh = 0,
         .material = 2,
         .quat = {0, 1, 0, 0},
         .rgba = {1, 0, 0, 0.25f}}};
    static const TnSceneJoint joints[] = {{"slide", TN_JOINT_SLIDE, 2, {1, 2, 3}, {0, 0, 1}},
                                          {"", TN_JOINT_FREE, 3, {0}, {0}}};
    static const TnSceneTube tubes[] = {{TN_TUBE_CABLE, 0, 3, 0.01, {0, 1, 0, 1}}};
    static const TnSceneSurface surfaces[] = {{.point_start = 3,
                                               .point_count = 4,
                                               .triangles = faces,
                                               .triangle_count = 4,
                                               .tetrahedra = tetrahedron,
                                               .tetrahedron_count = 1,
                                               .rgba = {0, 0, 1, 1}}};
    static const int32_t subsystems[POINTS] = {3, 5, 5, 4, 4, 4, 4};
    static const TnCameraInfo cameras[] = {
        {"eye", 2, {0, -1, 0}, {1, 0, 0, 0}, 0.8, TN_CAMERA_TARGET, 3, {1, 1}}};
    static const TnSignal signals[SIGNALS] = {{"slide.q0", TN_SIGNAL_POSITION},
                                              {"slide.v0", TN_SIGNAL_VELOCITY},
                                              {"t\u00e4ster.s0", TN_SIGNAL_SENSOR}};
    return (TnScene){.name = "one of each",
                     .timestep = 0.002,
                     .bodies = bodies,
                     .body_count = BODIES,
                     .shapes = shapes,
                     .shape_count = 4,
                     .meshes = meshes,
                     .mesh_count = 1,
                     .joints = joints,
                     .joint_count = 2,
                     .tubes = tubes,
                     .tube_count = 1,
                     .surfaces = surfaces,
                     .surface_count = 1,
                     .point_subsystems = subsystems,
                     .point_count = POINTS,
                     .cameras = cameras,
                     .camera_count = 1,
                     .view = {.has_center = true,
                              .center = {1, 2, 3},
                              .azimuth = 0.5,
                              .has_headlight = true,
                              .headlight_diffuse = {0.25, 0.5, 1},
                              .has_haze = true,
                              .haze = {0.1, 0.2, 0.3}},
                     .textures = textures,
                     .texture_count = 2,
                     .materials = materials,
                     .material_count = 2,
                     .lights = lights,
                     .light_count = 1,
                     .signals = signals,
                     .signal_count = SIGNALS};
}

/* Bodies that fly and turn, waving points, contacts that come and go. `frame` has room for all. */
static inline void recorded_fill(TnFrame *frame, int index, bool state)
{
    TnError err = {0};
    double t = 0.02 * index;
    frame->time = t;
    frame->step = 10 * index;
    frame->iterations = 60 + index;
    frame->residual = 1e-7 / (1 + index);
    frame->kinetic = 3 + sin(t);
    frame->potential = -t;
    frame->elastic = 0.25 * t;
    frame->account =
        (TnEnergyAccount){t, 2 * t, 3 * t, 4 * t, 5 * t, 6 * t, -1e-9 * t, 8 * t, 9 * t};
    frame->mean_penetration = 1e-5;
    frame->max_penetration = 1e-4 * index;
    frame->times = (TnStepTimes){1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3, 2.1e-2};
    for (int b = 1; b < frame->body_count; b++) {
        double *pose = frame->poses + 7 * b, half = 2 * t * b;
        double p[7] = {b + t, sin(3 * t + b), 1 - 4.9 * t * t, cos(half), 0.6 * sin(half),
                       0,     0.8 * sin(half)};
        memcpy(pose, p, sizeof p);
    }
    for (int k = 0; k < 3 * frame->point_count; k++)
        frame->points[k] = (float)(0.3 * k + 0.1 * sin(t + k));
    int count = 2 + index % 4;
    if (tn_frame_reserve_contacts(frame, count, &err) != TN_OK) return;
    for (int i = 0; i < count; i++) {
        double angle = 0.7 * i + t, force = i == 1 ? 0 : 10 * (1 + i);
        frame->contacts[i] = (TnContact){.geom1 = 1 + i % 2,
                                         .geom2 = 3 - (i == 4),
                                         .pos = {t + i, 0.1 * i, 0.01},
                                         .normal = {cos(angle), 0, sin(angle)},
                                         .gap = -1e-5 * (1 + i),
                                         .force = {force, -0.3 * force * sin(t), 0.01 * force}};
    }
    frame->contact_count = count;
    if (tn_frame_reserve_signals(frame, SIGNALS, &err) != TN_OK) return;
    for (int k = 0; k < SIGNALS; k++) frame->signals[k] = k * sin(5 * t) - (k == 2 ? 1e20 : 0);
    if (!state || tn_frame_reserve_state(frame, QPOS, DOF, CTRL, &err) != TN_OK) return;
    for (int k = 0; k < QPOS + DOF + CTRL; k++) frame->qpos[k] = sin(t * k) / 3;
}

/* A folder of its own for each test program, with one file name in it. */
typedef struct Place {
    char folder[64], path[80];
} Place;

static inline Place recorded_place(void)
{
    Place place = {.folder = "/tmp/tenon_record_XXXXXX"};
    if (!mkdtemp(place.folder)) abort();
    snprintf(place.path, sizeof place.path, "%s/a.tnr", place.folder);
    return place;
}

#ifdef _WIN32 /* a file that is still open stays until the end of the program */

static Place recorded_left[64];

__attribute__((destructor)) static void recorded_remove(void)
{
    for (int i = 0; i < 64 && recorded_left[i].folder[0]; i++) {
        unlink(recorded_left[i].path);
        rmdir(recorded_left[i].folder);
    }
}

static inline void recorded_leave(const Place *place)
{
    int i = 0;
    while (i < 63 && recorded_left[i].folder[0]) i++;
    recorded_left[i] = *place;
}

#else

static inline void recorded_leave(const Place *place)
{
    unlink(place->path);
    if (rmdir(place->folder) != 0) test_fail(__FILE__, __LINE__, "files are left in the folder");
}

#endif

/* Frames first … first + count - 1 in groups of `group_frames`. */
static inline TnStatus recorded_write(const char *path, TnRecorderDef def, int first, int count,
                                      bool state, TnError *err)
{
    TnScene scene = recorded_scene();
    TnRecorder *recorder = tn_recorder_create(&def, path, &scene, err);
    if (!recorder) return err->code;
    TnFrame *frame = tn_frame_create(&scene, err);
    TnStatus status = frame ? TN_OK : err->code;
    for (int i = first; i < first + count && status == TN_OK; i++) {
        recorded_fill(frame, i, state);
        status = tn_recorder_write(recorder, frame, err);
    }
    TnStatus closed = tn_recorder_close(recorder, err);
    tn_frame_destroy(frame);
    return status != TN_OK ? status : closed;
}

static inline TnRecorderDef recorded_def(int group_frames, bool append)
{
    TnRecorderDef def = tn_recorder_def();
    def.group_frames = group_frames;
    def.append = append;
    return def;
}

/* A whole file in memory. */
typedef struct Bytes {
    unsigned char *data;
    size_t size;
} Bytes;

static inline Bytes recorded_read(const char *path)
{
    Bytes bytes = {.data = malloc(1 << 20)};
    FILE *file = fopen(path, "rb");
    if (file) bytes.size = fread(bytes.data, 1, 1 << 20, file);
    if (file) fclose(file);
    return bytes;
}

static inline void recorded_store(const char *path, const unsigned char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || (size && fwrite(data, 1, size, file) != size) || fclose(file) != 0) abort();
}

#endif
