/* Soft bodies in scenes, frames and recordings: every node a point, pieces with their subsystems,
 * stress. */
#include "../check.h"
#include "base/base.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tenon/tenon.h>
#include <unistd.h>

/* A bar that is pinned at one end, and a ball. */
static TnModel *make_model(void)
{
    TnModelBuilder *builder = tn_builder_create();
    const double half[3] = {0.2, 0.05, 0.05};
    const int cells[3] = {8, 2, 2};
    TnSoftDef soft = tn_soft_def();
    TnSoftHoldDef holds[9];
    soft.name = "bar";
    soft.youngs_modulus = 1e5;
    soft.pos[2] = 1;
    CHECK(tn_tet_mesh_box(half, cells, 6, &soft.mesh, NULL));
    for (int i = 0; i < soft.mesh.node_count; i++)
        if (soft.mesh.nodes[3 * i] < -0.199)
            holds[soft.hold_count++] = (TnSoftHoldDef){.node = i, .body = TN_BODY_WORLD};
    soft.holds = holds;
    CHECK(soft.hold_count == 9);
    tn_builder_add_soft(builder, &soft);
    tn_tet_mesh_free(&soft.mesh);
    TnSoftDef ball = tn_soft_def();
    ball.name = "ball";
    ball.pos[0] = 2;
    CHECK(tn_tet_mesh_ball(0.1, 2, &ball.mesh, NULL));
    tn_builder_add_soft(builder, &ball);
    tn_tet_mesh_free(&ball.mesh);
    TnError err = {0};
    TnModel *model = tn_builder_compile(builder, &err);
    if (!model) printf("%s\n", err.message);
    tn_builder_destroy(builder);
    return model;
}

static TnWorld *make_world(const TnModel *model, int pieces)
{
    TnWorldDef def = tn_world_def();
    def.division.pieces = pieces;
    return tn_world_create(&def, model, NULL);
}

TEST(each_soft_body_is_a_surface_of_all_its_nodes)
{
    TnModel *model = make_model();
    REQUIRE(model != NULL);
    TnScene *scene = tn_scene_create(model, NULL);
    REQUIRE(scene && scene->surface_count == 2);
    int points = 0;
    for (TnSoftId id = 1; id <= 2; id++) {
        TnSoftInfo soft = tn_model_soft_info(model, id);
        const TnSceneSurface *surface = &scene->surfaces[id - 1];
        CHECK(strcmp(surface->name, id == 1 ? "bar" : "ball") == 0);
        CHECK(surface->point_start == points && surface->point_count == soft.node_count);
        CHECK(surface->triangle_count == soft.triangle_count);
        CHECK(surface->tetrahedron_count == soft.tet_count);
        for (int t = 0; t < soft.tet_count; t++)
            CHECK(surface->tetrahedron_subsystems[t] == soft.subsystem);
        for (int t = 0; t < soft.triangle_count; t++)
            CHECK(surface->triangle_subsystems[t] == soft.subsystem);
        for (int i = 0; i < soft.node_count; i++)
            CHECK(scene->point_subsystems[points + i] == soft.subsystem);
        /* its geom is there, so that shape i is geom i + 1, and is not drawn */
        CHECK(scene->shapes[soft.geom - 1].type == TN_GEOM_SOFT);
        CHECK(scene->shapes[soft.geom - 1].rgba[3] == 0);
        points += soft.node_count;
    }
    CHECK(scene->point_count == points);
    tn_scene_destroy(scene);
    tn_model_destroy(model);
}

TEST(points_of_a_sheet_belong_to_the_pieces_of_their_triangles)
{
    TnError err = {0};
    TnModel *model = tn_model_load_string(
        "<mujoco><worldbody><body><freejoint/><geom size='0.1'/></body>"
        "<flexcomp name='sheet' type='grid' dim='2' count='4 3 1' spacing='0.1 0.1 0.1' pos='0 0 1'"
        " mass='0.1' radius='0.01'><elasticity young='1e5' thickness='0.001' "
        "elastic2d='both'/></flexcomp>"
        "</worldbody></mujoco>",
        NULL, NULL, &err);
    REQUIRE(model != NULL);
    TnSoftInfo soft = tn_model_soft_info(model, 1);
    TnWorld *world = make_world(model, 1);
    TnScene *scenes[] = {tn_scene_create(model, NULL), tn_scene_create_of(world, NULL)};
    CHECK(soft.tet_count == 0 && soft.node_count == 12);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < soft.node_count; k++)
            CHECK(scenes[i]->point_subsystems[k] == soft.subsystem);
    for (int i = 0; i < 2; i++) tn_scene_destroy(scenes[i]);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(triangles_belong_to_the_piece_behind_them)
{
    TnModel *model = make_model();
    TnWorld *world = make_world(model, 4);
    REQUIRE(world != NULL);
    TnScene *scene = tn_scene_create_of(world, NULL);
    const TnSceneSurface *bar = &scene->surfaces[0];
    TnSoftInfo soft = tn_model_soft_info(model, 1);
    TnTetMesh mesh = {soft.node_count, soft.tet_count, (double *)soft.rest, (int32_t *)soft.tets};
    TnTetSurface faces;
    REQUIRE(tn_tet_mesh_surface(&mesh, &faces, NULL) &&
            faces.triangle_count == bar->triangle_count);
    int32_t low = INT32_MAX, high = 0;
    for (int t = 0; t < faces.triangle_count; t++) {
        CHECK(memcmp(faces.triangles + 3 * t, bar->triangles + 3 * t, 3 * sizeof(int32_t)) == 0);
        CHECK(bar->triangle_subsystems[t] == bar->tetrahedron_subsystems[faces.tets[t]]);
    }
    for (int t = 0; t < bar->tetrahedron_count; t++) {
        low = bar->tetrahedron_subsystems[t] < low ? bar->tetrahedron_subsystems[t] : low;
        high = bar->tetrahedron_subsystems[t] > high ? bar->tetrahedron_subsystems[t] : high;
    }
    CHECK(low >= 1 && high - low == 3 && high <= tn_world_subsystem_count(world));
    tn_tet_surface_free(&faces);
    tn_scene_destroy(scene);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(a_frame_has_the_nodes_and_the_stress_only_where_there_is_room_for_it)
{
    TnModel *model = make_model();
    TnWorld *world = make_world(model, 0);
    TnScene *scene = tn_scene_create_of(world, NULL);
    TnFrame *frame = tn_frame_create(scene, NULL);
    for (int i = 0; i < 20; i++) tn_world_step(world);
    REQUIRE(tn_frame_capture(frame, world, NULL, false, NULL) == TN_OK);
    CHECK(frame->stress == NULL && frame->cell_count == 0);
    TnSoftInfo soft = tn_model_soft_info(model, 1);
    TnStateView state = tn_world_state(world);
    for (int k = 0; k < 3 * soft.node_count; k++)
        CHECK(frame->points[k] == (float)state.qpos[soft.qpos_start + k]);

    REQUIRE(tn_frame_reserve_stress(frame, 0, NULL) == TN_OK);
    REQUIRE(tn_frame_capture(frame, world, NULL, true, NULL) == TN_OK);
    CHECK(frame->cell_count ==
          scene->surfaces[0].tetrahedron_count + scene->surfaces[1].tetrahedron_count);
    double *stress = malloc(7 * (size_t)soft.tet_count * sizeof *stress),
           *von_mises = stress + 6 * soft.tet_count;
    REQUIRE(tn_world_soft_stress(world, 1, stress, von_mises, NULL) == TN_OK);
    for (int k = 0; k < 6 * soft.tet_count; k++) CHECK(frame->cell_stress[k] == (float)stress[k]);
    /* a mean lies between the least and the most of the elements around; the bar hangs from its
     * end, where it is stressed most, and bends by its weight */
    for (int i = 0; i < soft.node_count; i++) {
        double low = DBL_MAX, high = 0;
        for (int t = 0; t < 4 * soft.tet_count; t++)
            if (soft.tets[t] == i) {
                low = fmin(low, von_mises[t / 4]);
                high = fmax(high, von_mises[t / 4]);
            }
        double own = (double)frame->stress[i];
        CHECK(own >= low * (1 - 1e-6) && own <= high * (1 + 1e-6)); /* rounding to float */
    }
    double at_hold = 0, at_tip = 0;
    for (int i = 0; i < soft.node_count; i++) {
        if (soft.rest[3 * i] < -0.199) at_hold = fmax(at_hold, (double)frame->stress[i]);
        if (soft.rest[3 * i] > 0.199) at_tip = fmax(at_tip, (double)frame->stress[i]);
    }
    CHECK(at_hold > 5 * at_tip);
    free(stress);

    TnFrame *other = tn_frame_create(scene, NULL), *between = tn_frame_create(scene, NULL);
    REQUIRE(tn_frame_copy(other, frame, NULL) == TN_OK);
    CHECK(other->cell_count == frame->cell_count);
    for (int i = 0; i < other->point_count; i++) other->stress[i] += 100;
    REQUIRE(tn_frame_blend(between, frame, other, 0.25, NULL) == TN_OK);
    for (int i = 0; i < other->point_count; i++)
        CHECK_NEAR((double)between->stress[i], (double)frame->stress[i] + 25,
                   1e-6 * (double)(other->stress[i] + 100)); /* floats */
    tn_frame_destroy(other);
    tn_frame_destroy(between);
    tn_frame_destroy(frame);
    tn_scene_destroy(scene);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

static char path[] = "test_scene_soft_XXXXXX";

/* Ten steps recorded, read again, compared with the world run anew. */
static void record_and_compare(bool state)
{
    TnModel *model = make_model();
    TnWorld *world = make_world(model, 3);
    TnScene *scene = tn_scene_create_of(world, NULL);
    TnFrame *frame = tn_frame_create(scene, NULL);
    TnRecorderDef def = tn_recorder_def();
    def.group_frames = 4;
    REQUIRE(tn_frame_reserve_stress(frame, 0, NULL) == TN_OK);
    TnRecorder *recorder = tn_recorder_create(&def, path, scene, NULL);
    REQUIRE(recorder != NULL);
    for (int i = 0; i < 10; i++) {
        tn_world_step(world);
        REQUIRE(tn_frame_capture(frame, world, NULL, state, NULL) == TN_OK);
        REQUIRE(tn_recorder_write(recorder, frame, NULL) == TN_OK);
    }
    REQUIRE(tn_recorder_close(recorder, NULL) == TN_OK);

    TnRecording *recording = tn_recording_open(path, NULL);
    REQUIRE(recording != NULL);
    const TnScene *read = tn_recording_scene(recording);
    TnRecordingInfo info = tn_recording_info(recording);
    CHECK(info.has_stress && info.has_state == state && read->surface_count == 2);
    for (int i = 0; i < 2; i++) {
        const TnSceneSurface *a = &scene->surfaces[i], *b = &read->surfaces[i];
        CHECK(strcmp(a->name, b->name) == 0 && a->point_count == b->point_count);
        CHECK(memcmp(a->rest, b->rest, 3 * (size_t)a->point_count * sizeof *a->rest) == 0);
        CHECK(memcmp(a->triangle_subsystems, b->triangle_subsystems,
                     (size_t)a->triangle_count * sizeof(int32_t)) == 0);
        CHECK(memcmp(a->tetrahedron_subsystems, b->tetrahedron_subsystems,
                     (size_t)a->tetrahedron_count * sizeof(int32_t)) == 0);
    }
    TnFrame *again = tn_frame_create(read, NULL);
    tn_world_reset(world, 0);
    for (int i = 0; i < 10; i++) {
        tn_world_step(world);
        tn_frame_capture(frame, world, NULL, state, NULL);
        REQUIRE(tn_recording_frame(recording, i, again, NULL) == TN_OK);
        double largest = 1, largest_cell = 1;            /* Pa */
        for (int k = 0; k < 3 * frame->point_count; k++) /* half a step of the grid */
            CHECK_NEAR((double)again->points[k], (double)frame->points[k], 0.51 * info.resolution);
        for (int k = 0; k < frame->point_count; k++)
            largest = fmax(largest, (double)frame->stress[k]);
        REQUIRE(again->stress && again->cell_count == frame->cell_count);
        for (int k = 0; k < 6 * frame->cell_count; k++)
            largest_cell = fmax(largest_cell, fabs((double)frame->cell_stress[k]));
        /* 2^-16 of a power of two that is at most the group's largest, which in a bar that begins
         * to fall is at most four times the frame's after the first frames */
        if (i < 4) continue;
        for (int k = 0; k < frame->point_count; k++)
            CHECK_NEAR((double)again->stress[k], (double)frame->stress[k], 4 * largest * 0x1p-17);
        for (int k = 0; k < 6 * frame->cell_count; k++)
            CHECK_NEAR((double)again->cell_stress[k], (double)frame->cell_stress[k],
                       4 * largest_cell * 0x1p-21 + 1e-7 * largest_cell);
    }
    tn_frame_destroy(again);
    tn_recording_close(recording);
    tn_frame_destroy(frame);
    tn_scene_destroy(scene);
    tn_world_destroy(world);
    tn_model_destroy(model);
    unlink(path);
}

TEST(a_recording_keeps_nodes_pieces_and_stress)
{
    int file = mkstemp(path);
    REQUIRE(file >= 0);
    close(file);
    record_and_compare(false);
    record_and_compare(true);
}

TEST(stress_that_is_not_finite_is_kept_as_it_is)
{
    static const TnSceneBody body = {.name = ""};
    static const int32_t subsystems[3] = {1, 1, 1};
    static const int32_t triangle[3] = {0, 1, 2};
    const TnSceneSurface surface = {.point_count = 3, .triangles = triangle, .triangle_count = 1};
    const TnScene scene = {.name = "",
                           .bodies = &body,
                           .body_count = 1,
                           .surfaces = &surface,
                           .surface_count = 1,
                           .point_subsystems = subsystems,
                           .point_count = 3};
    TnFrame *frame = tn_frame_create(&scene, NULL);
    TnRecorderDef def = tn_recorder_def();
    const char *file = "test_scene_soft_nan.tnr";
    REQUIRE(tn_frame_reserve_stress(frame, 0, NULL) == TN_OK);
    frame->stress[0] = INFINITY;
    frame->stress[1] = 1.5f;
    frame->stress[2] = NAN;
    TnRecorder *recorder = tn_recorder_create(&def, file, &scene, NULL);
    REQUIRE(recorder && tn_recorder_write(recorder, frame, NULL) == TN_OK);
    /* a frame without begins a group of its own */
    REQUIRE(tn_frame_reserve_stress(frame, -1, NULL) == TN_OK && !frame->stress);
    REQUIRE(tn_recorder_write(recorder, frame, NULL) == TN_OK);
    REQUIRE(tn_recorder_close(recorder, NULL) == TN_OK);
    TnRecording *recording = tn_recording_open(file, NULL);
    REQUIRE(recording && tn_recording_frame(recording, 0, frame, NULL) == TN_OK);
    REQUIRE(frame->stress != NULL);
    CHECK(isinf(frame->stress[0]) && frame->stress[1] == 1.5f && isnan(frame->stress[2]));
    REQUIRE(tn_recording_frame(recording, 1, frame, NULL) == TN_OK);
    CHECK(frame->stress == NULL);
    tn_recording_close(recording);
    tn_frame_destroy(frame);
    unlink(file);
}

TEST(without_memory_soft_scenes_frames_and_recordings_are_errors_and_leak_nothing)
{
    TnModel *model = make_model();
    TnWorld *world = make_world(model, 3);
    REQUIRE(world != NULL);
    const char *file = "test_scene_soft_memory.tnr";
    int failures = 0;
    for (long k = 0; k < 300; k++) {
        TnError err = {0};
        TnRecorderDef def = tn_recorder_def();
        tn_malloc_fail_after(k);
        TnScene *scene = tn_scene_create_of(world, &err);
        TnFrame *frame = scene ? tn_frame_create(scene, &err) : NULL;
        TnStatus status = frame ? tn_frame_reserve_stress(frame, 0, &err) : err.code;
        if (status == TN_OK) status = tn_frame_capture(frame, world, NULL, true, &err);
        TnRecorder *recorder = status == TN_OK ? tn_recorder_create(&def, file, scene, &err) : NULL;
        if (recorder) status = tn_recorder_write(recorder, frame, &err);
        if (recorder && tn_recorder_close(recorder, &err) != TN_OK) status = err.code;
        TnRecording *recording = recorder && status == TN_OK ? tn_recording_open(file, &err) : NULL;
        if (recording) status = tn_recording_frame(recording, 0, frame, &err);
        if (err.code != TN_OK) status = err.code;
        tn_malloc_fail_after(-1);
        tn_recording_close(recording);
        tn_frame_destroy(frame);
        tn_scene_destroy(scene);
        if (status == TN_OK) break;
        CHECK(status == TN_ERROR_MEMORY);
        failures++;
    }
    CHECK(failures > 20 &&
          failures < 300); /* scene, frame, stress, chunk, tables: each more than once */
    unlink(file);
    tn_world_destroy(world);
    tn_model_destroy(model);
}
