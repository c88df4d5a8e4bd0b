/* Recordings: what goes in comes out, as exactly as docs/recordings.md says. */
#include "base/base.h"
#include "io/record/record_format.h"
#include "recorded.h"

#include <sys/stat.h>

/* A recording of `count` frames of the scene, opened; its file is gone already. */
static TnRecording *record_and_open(int count, int group_frames, bool state)
{
    TnError err = {0};
    Place place = recorded_place();
    TnStatus status =
        recorded_write(place.path, recorded_def(group_frames, false), 0, count, state, &err);
    TnRecording *recording = status == TN_OK ? tn_recording_open(place.path, &err) : NULL;
    if (!recording) test_fail(__FILE__, __LINE__, "%s", err.message);
    recorded_leave(&place);
    return recording;
}

/* Two frames of the recording's scene. */
typedef struct Pair {
    TnRecording *recording;
    TnFrame *wanted, *got;
} Pair;

static bool pair_create(Pair *pair, TnRecording *recording)
{
    TnError err = {0};
    *pair = (Pair){.recording = recording};
    if (!recording) return false;
    pair->wanted = tn_frame_create(tn_recording_scene(recording), &err);
    pair->got = tn_frame_create(tn_recording_scene(recording), &err);
    return pair->wanted && pair->got;
}

static bool pair_load(Pair *pair, int index, bool state)
{
    TnError err = {0};
    recorded_fill(pair->wanted, index, state);
    if (tn_recording_frame(pair->recording, index, pair->got, &err) == TN_OK) return true;
    test_fail(__FILE__, __LINE__, "%s", err.message);
    return false;
}

static void pair_destroy(Pair *pair)
{
    tn_frame_destroy(pair->wanted);
    tn_frame_destroy(pair->got);
    tn_recording_close(pair->recording);
}

TEST(a_scene_comes_back_with_all_its_fields)
{
    TnRecording *recording = record_and_open(1, 16, false);
    REQUIRE(recording);
    TnScene wanted = recorded_scene();
    const TnScene *scene = tn_recording_scene(recording);
    CHECK(!strcmp(scene->name, "one of each") && scene->timestep == 0.002);
    CHECK(scene->body_count == BODIES && !strcmp(scene->bodies[1].name, "b\u00f6x"));
    CHECK(scene->shape_count == 4 && scene->shapes[3].mesh == 0 && scene->shapes[0].mesh == -1);
    CHECK(scene->shapes[3].rgba[3] == 0.25f && scene->shapes[1].group == 2);
    CHECK(scene->mesh_count == 1 && scene->meshes[0].triangle_count == 4);
    CHECK(!memcmp(scene->meshes[0].vertices, wanted.meshes[0].vertices, 12 * sizeof(float)));
    CHECK(scene->joints[0].pos[2] == 3 && scene->joints[1].type == TN_JOINT_FREE);
    CHECK(scene->tubes[0].radius == 0.01 && scene->surfaces[0].tetrahedra[3] == 3);
    CHECK(scene->point_subsystems[0] == 3 && scene->point_subsystems[1] == 5);
    CHECK(scene->point_subsystems[POINTS - 1] == 4);
    CHECK(scene->cameras[0].target == 3 && !strcmp(scene->cameras[0].name, "eye"));
    CHECK(scene->view.has_center && !scene->view.has_extent && scene->view.center[1] == 2);
    CHECK(scene->texture_count == 2 && scene->textures[0].width == 4);
    CHECK(!memcmp(scene->textures[0].rgb, wanted.textures[0].rgb, 36));
    CHECK(!memcmp(scene->textures[1].rgb, wanted.textures[1].rgb, 18));
    CHECK(scene->shapes[3].material == 2 && scene->shapes[1].material == 0);
    CHECK(scene->materials[1].texture_uniform && scene->materials[1].texture == 1);
    CHECK(!memcmp(scene->meshes[0].texcoords, wanted.meshes[0].texcoords, 24 * sizeof(float)));
    CHECK(scene->lights[0].target == 3 && scene->lights[0].diffuse[1] == 1);
    CHECK(scene->view.has_haze && scene->view.haze[1] == 0.2 && scene->view.has_headlight);
    /* and whatever was not looked at above: both as bytes */
    TnRecordOut a = {0}, b = {0};
    CHECK(tn_record_put_scene(&a, &wanted, 1000) && tn_record_put_scene(&b, scene, 1000));
    CHECK(a.size == b.size && !memcmp(a.bytes, b.bytes, a.size));
    tn_record_out_free(&a);
    tn_record_out_free(&b);
    tn_recording_close(recording);
}

/* 36 and 18 bytes: 30 need the flat one at half its size (2 × 1 pixels), 0 all of them at one
 * pixel, which is their mean. */
TEST(textures_are_halved_until_they_fit)
{
    static const struct {
        int64_t limit;
        int width, height;
    } cases[] = {{54, 4, 3}, {53, 2, 1}, {30, 2, 1}, {23, 1, 1}, {0, 1, 1}};
    TnScene wanted = recorded_scene();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        TnRecordOut out = {0};
        REQUIRE(tn_record_put_scene(&out, &wanted, cases[i].limit));
        TnRecordIn in = {.bytes = out.bytes, .size = out.size};
        TnIoPool pool = {0};
        double resolution;
        TnScene *scene = tn_record_get_scene(&in, &pool, &resolution);
        CHECK(scene && in.at == in.size);
        CHECK(scene && scene->textures[0].width == cases[i].width);
        CHECK(scene && scene->textures[0].height == cases[i].height);
        CHECK(scene && scene->textures[1].rgb[3] == 250);
        /* of the first rows' 255, 20, 0, 0: (255 + 20) / 4, rounded */
        if (scene && cases[i].width == 2) CHECK(scene->textures[0].rgb[0] == 69);
        tn_io_pool_free(&pool);
        tn_record_out_free(&out);
    }
}

TEST(places_come_back_within_half_a_step_of_the_grid)
{
    Pair pair;
    if (pair_create(&pair, record_and_open(40, 16, false))) {
        double step = tn_recording_info(pair.recording).resolution;
        CHECK(step == 0x1p-20); /* the scene reaches 1.04 m */
        for (int i = 0; i < 40 && pair_load(&pair, i, false); i++) {
            for (int k = 0; k < 7 * BODIES; k++)
                /* quaternions: a grid of 2^-18, and normalizing moves as much again */
                CHECK_NEAR(pair.got->poses[k], pair.wanted->poses[k],
                           k % 7 < 3 ? 0.5 * step : 0x1p-18);
            for (int k = 0; k < 3 * POINTS; k++)
                /* float32 itself rounds by 2^-22 at most below 8 m */
                CHECK_NEAR((double)pair.got->points[k], (double)pair.wanted->points[k],
                           0.5 * step + 0x1p-22);
        }
    }
    pair_destroy(&pair);
}

TEST(figures_of_the_step_come_back_exactly_and_its_times_as_float)
{
    Pair pair;
    if (pair_create(&pair, record_and_open(20, 16, false))) {
        for (int i = 0; i < 20 && pair_load(&pair, i, false); i++) {
            const TnFrame *a = pair.wanted, *b = pair.got;
            CHECK(a->time == b->time && a->step == b->step && a->iterations == b->iterations);
            CHECK(a->time == tn_recording_time(pair.recording, i));
            CHECK(a->residual == b->residual && a->kinetic == b->kinetic);
            CHECK(a->potential == b->potential && a->mean_penetration == b->mean_penetration);
            CHECK(a->max_penetration == b->max_penetration && a->elastic == b->elastic);
            CHECK(memcmp(&a->account, &b->account, sizeof a->account) == 0);
            CHECK(b->times.dynamics == (double)(float)1e-3);
            CHECK(b->times.integrate == (double)(float)6e-3);
            CHECK(b->times.total == (double)(float)2.1e-2);
        }
    }
    pair_destroy(&pair);
}

TEST(contacts_come_back_within_their_grids)
{
    Pair pair;
    if (pair_create(&pair, record_and_open(40, 16, false))) {
        double step = tn_recording_info(pair.recording).resolution;
        for (int i = 0; i < 40 && pair_load(&pair, i, false); i++) {
            REQUIRE(pair.got->contact_count == pair.wanted->contact_count);
            for (int c = 0; c < pair.got->contact_count; c++) {
                const TnContact *a = &pair.wanted->contacts[c], *b = &pair.got->contacts[c];
                double largest = fmax(fabs(a->force[0]), fabs(a->force[1]));
                CHECK(a->geom1 == b->geom1 && a->geom2 == b->geom2);
                for (int k = 0; k < 3; k++) {
                    /* half of 32 steps in each of three axes that may be turned */
                    CHECK_NEAR(b->pos[k], a->pos[k], 16 * step * sqrt(3));
                    /* half of 2^-11 in two coordinates, stretched by up to sqrt 3 by the fold */
                    CHECK_NEAR(b->normal[k], a->normal[k], 0x1p-11 * sqrt(3));
                    /* half of 2^-10 of the power of two above the largest */
                    CHECK_NEAR(b->force[k], a->force[k], 0x1p-10 * largest);
                }
                CHECK_NEAR(b->gap, a->gap, step / 8);
            }
        }
    }
    pair_destroy(&pair);
}

TEST(without_contacts_there_are_none)
{
    TnError err = {0};
    Place place = recorded_place();
    TnRecorderDef def = tn_recorder_def();
    def.contacts = false;
    CHECK(recorded_write(place.path, def, 0, 20, false, &err) == TN_OK);
    Pair pair;
    if (pair_create(&pair, tn_recording_open(place.path, &err))) {
        CHECK(!tn_recording_info(pair.recording).has_contacts);
        CHECK(pair_load(&pair, 7, false) && pair.got->contact_count == 0);
    }
    pair_destroy(&pair);
    recorded_leave(&place);
}

TEST(an_exact_state_comes_back_bit_for_bit)
{
    Pair pair;
    if (pair_create(&pair, record_and_open(40, 16, true))) {
        CHECK(tn_recording_info(pair.recording).has_state);
        for (int i = 0; i < 40 && pair_load(&pair, i, true); i++) {
            REQUIRE(pair.got->qpos_count == QPOS && pair.got->dof_count == DOF);
            REQUIRE(pair.got->ctrl_count == CTRL);
            CHECK(!memcmp(pair.got->qpos, pair.wanted->qpos, QPOS * sizeof(double)));
            CHECK(!memcmp(pair.got->qvel, pair.wanted->qvel, DOF * sizeof(double)));
            CHECK(!memcmp(pair.got->ctrl, pair.wanted->ctrl, CTRL * sizeof(double)));
        }
    }
    pair_destroy(&pair);
}

TEST(signals_come_back_with_their_names_in_single_precision)
{
    Pair pair;
    if (pair_create(&pair, record_and_open(40, 16, false))) {
        const TnScene *scene = tn_recording_scene(pair.recording), wanted = recorded_scene();
        CHECK(tn_recording_info(pair.recording).has_signals);
        REQUIRE(scene->signal_count == SIGNALS);
        for (int k = 0; k < SIGNALS; k++) {
            CHECK(!strcmp(scene->signals[k].name, wanted.signals[k].name));
            CHECK(scene->signals[k].kind == wanted.signals[k].kind);
        }
        for (int i = 0; i < 40 && pair_load(&pair, i, false); i++) {
            REQUIRE(pair.got->signal_count == SIGNALS);
            for (int k = 0; k < SIGNALS; k++)
                CHECK(pair.got->signals[k] == (double)(float)pair.wanted->signals[k]);
        }
    }
    pair_destroy(&pair);
}

TEST(frames_with_and_without_signals_may_follow_each_other)
{
    TnError err = {0};
    Place place = recorded_place();
    TnScene scene = recorded_scene();
    TnRecorderDef def = recorded_def(16, false);
    TnRecorder *recorder = tn_recorder_create(&def, place.path, &scene, &err);
    TnFrame *frame = tn_frame_create(&scene, &err);
    REQUIRE(recorder && frame);
    for (int i = 0; i < 6; i++) {
        recorded_fill(frame, i, false);
        if (i % 3 == 1) CHECK(tn_frame_reserve_signals(frame, 0, &err) == TN_OK);
        CHECK(tn_recorder_write(recorder, frame, &err) == TN_OK);
    }
    CHECK(tn_frame_reserve_signals(frame, SIGNALS + 1, &err) == TN_OK);
    CHECK(tn_recorder_write(recorder, frame, &err) == TN_ERROR_USAGE);
    CHECK(tn_recorder_close(recorder, &err) == TN_OK);
    err = (TnError){0};
    TnRecording *recording = tn_recording_open(place.path, &err);
    REQUIRE(recording);
    for (int i = 0; i < 6; i++) {
        CHECK(tn_recording_frame(recording, i, frame, &err) == TN_OK);
        CHECK(frame->signal_count == (i % 3 == 1 ? 0 : SIGNALS));
    }
    tn_recording_close(recording);
    tn_frame_destroy(frame);
    recorded_leave(&place);
}

TEST(frames_may_be_read_in_any_order)
{
    Pair pair;
    TnError err = {0};
    TnRecording *recording = record_and_open(50, 8, true);
    if (pair_create(&pair, recording)) {
        for (int k = 0; k < 100; k++) {
            int index = 37 * k % 50; /* jumps over groups, comes by twice */
            if (!pair_load(&pair, index, true)) break;
            CHECK(pair.got->time == pair.wanted->time);
            CHECK(!memcmp(pair.got->qpos, pair.wanted->qpos, QPOS * sizeof(double)));
        }
        CHECK(tn_recording_frame(recording, 50, pair.got, &err) == TN_ERROR_USAGE);
        CHECK(tn_recording_frame(recording, -1, pair.got, &err) == TN_ERROR_USAGE);
        TnRecordingInfo info = tn_recording_info(recording);
        CHECK(info.frame_count == 50 && info.start == 0 && info.end == 0.02 * 49 && !info.cut_off);
    }
    pair_destroy(&pair);
}

/* Writes one frame after `change` and reads it back. */
static void through_a_file(void (*change)(TnFrame *frame), TnFrame **wanted, TnFrame **got)
{
    TnError err = {0};
    TnScene scene = recorded_scene();
    TnRecorderDef def = tn_recorder_def();
    Place place = recorded_place();
    *wanted = tn_frame_create(&scene, &err);
    *got = tn_frame_create(&scene, &err);
    TnRecorder *recorder = tn_recorder_create(&def, place.path, &scene, &err);
    for (int i = 0; i < 3; i++) {
        recorded_fill(*wanted, i, false);
        if (i == 2) change(*wanted);
        CHECK(recorder && tn_recorder_write(recorder, *wanted, &err) == TN_OK);
    }
    CHECK(tn_recorder_close(recorder, &err) == TN_OK);
    TnRecording *recording = tn_recording_open(place.path, &err);
    CHECK(recording && tn_recording_frame(recording, 2, *got, &err) == TN_OK);
    CHECK(err.count == 0);
    tn_recording_close(recording);
    recorded_leave(&place);
}

static void put_far_away(TnFrame *frame) { frame->poses[7] = 1e8; /* 1e14 steps of the grid */ }

TEST(a_body_far_away_keeps_the_grid)
{
    TnFrame *wanted, *got;
    through_a_file(put_far_away, &wanted, &got);
    CHECK(got->poses[7] == 1e8); /* a multiple of the step */
    CHECK(got->poses[8] != wanted->poses[8]);
    CHECK_NEAR(got->poses[8], wanted->poses[8], 0x1p-21);
    tn_frame_destroy(wanted);
    tn_frame_destroy(got);
}

static void put_beyond_the_grid(TnFrame *frame)
{
    frame->poses[7] = 1e300;
    frame->poses[8] = -INFINITY;
    frame->poses[15] = NAN;
    frame->points[0] = INFINITY;
    frame->contacts[0].force[1] = NAN;
    frame->contacts[1].normal[0] = 5; /* no unit vector */
}

TEST(what_no_grid_can_hold_comes_back_bit_for_bit)
{
    TnFrame *wanted, *got;
    through_a_file(put_beyond_the_grid, &wanted, &got);
    CHECK(!memcmp(got->poses, wanted->poses, 7 * BODIES * sizeof(double)));
    CHECK(!memcmp(got->points, wanted->points, 3 * POINTS * sizeof(float)));
    CHECK(got->contact_count == wanted->contact_count);
    for (int i = 0; i < got->contact_count; i++) {
        CHECK(!memcmp(got->contacts[i].pos, wanted->contacts[i].pos, sizeof got->contacts[i].pos));
        CHECK(!memcmp(got->contacts[i].force, wanted->contacts[i].force, 3 * sizeof(double)));
        CHECK(!memcmp(got->contacts[i].normal, wanted->contacts[i].normal, 3 * sizeof(double)));
        CHECK(got->contacts[i].gap == wanted->contacts[i].gap);
    }
    tn_frame_destroy(wanted);
    tn_frame_destroy(got);
}

TEST(quaternions_keep_their_sign_from_frame_to_frame)
{
    Pair pair;
    /* body 2 turns by 4 t b: past a half turn the formula's w changes sign, the sign of the whole
     * must not jump; 60 frames are four groups */
    if (pair_create(&pair, record_and_open(60, 16, false))) {
        double last[4] = {1, 0, 0, 0};
        for (int i = 0; i < 60 && pair_load(&pair, i, false); i++) {
            const double *q = pair.got->poses + 14 + 3;
            double dot = last[0] * q[0] + last[1] * q[1] + last[2] * q[2] + last[3] * q[3];
            CHECK(dot > 0.9);
            memcpy(last, q, sizeof last);
        }
    }
    pair_destroy(&pair);
}

TEST(a_turned_sign_is_turned_back)
{
    TnError err = {0};
    TnScene scene = recorded_scene();
    TnRecorderDef def = recorded_def(2, false);
    Place place = recorded_place();
    TnRecorder *recorder = tn_recorder_create(&def, place.path, &scene, &err);
    TnFrame *frame = tn_frame_create(&scene, &err);
    for (int i = 0; i < 6; i++) { /* the same pose, every other time with the other quaternion */
        frame->poses[7 + 3] = i % 2 ? -0.6 : 0.6;
        frame->poses[7 + 4] = i % 2 ? -0.8 : 0.8;
        CHECK(tn_recorder_write(recorder, frame, &err) == TN_OK);
    }
    CHECK(tn_recorder_close(recorder, &err) == TN_OK);
    TnRecording *recording = tn_recording_open(place.path, &err);
    REQUIRE(recording);
    for (int i = 0; i < 6; i++) {
        CHECK(tn_recording_frame(recording, i, frame, &err) == TN_OK);
        CHECK_NEAR(frame->poses[7 + 3], 0.6, 0x1p-18);
    }
    tn_recording_close(recording);
    tn_frame_destroy(frame);
    recorded_leave(&place);
}

TEST(groups_are_readable_while_the_recorder_is_still_open)
{
    TnError err = {0};
    TnScene scene = recorded_scene();
    TnRecorderDef def = recorded_def(4, false);
    Place place = recorded_place();
    TnRecorder *recorder = tn_recorder_create(&def, place.path, &scene, &err);
    TnFrame *frame = tn_frame_create(&scene, &err);
    for (int i = 0; i < 11; i++) {
        recorded_fill(frame, i, false);
        CHECK(tn_recorder_write(recorder, frame, &err) == TN_OK);
        TnRecording *recording = tn_recording_open(place.path, &err);
        REQUIRE(recording);
        CHECK(tn_recording_info(recording).frame_count == (i + 1) / 4 * 4);
        CHECK(!tn_recording_info(recording).cut_off);
        tn_recording_close(recording);
    }
    tn_frame_destroy(frame);
    CHECK(tn_recorder_close(recorder, &err) == TN_OK);
    recorded_leave(&place);
}

TEST(frames_with_and_without_state_may_follow_each_other)
{
    TnError err = {0};
    Place place = recorded_place();
    CHECK(recorded_write(place.path, recorded_def(16, false), 0, 5, false, &err) == TN_OK);
    CHECK(recorded_write(place.path, recorded_def(16, true), 5, 5, true, &err) == TN_OK);
    TnScene scene = recorded_scene();
    TnRecorderDef def = recorded_def(16, true);
    TnRecorder *recorder = tn_recorder_create(&def, place.path, &scene, &err);
    TnFrame *frame = tn_frame_create(&scene, &err);
    REQUIRE(recorder && frame);
    for (int i = 10; i < 14; i++) { /* within one recorder, too */
        if (i == 12) CHECK(tn_frame_reserve_state(frame, 0, 0, 0, &err) == TN_OK);
        recorded_fill(frame, i, i < 12);
        CHECK(tn_recorder_write(recorder, frame, &err) == TN_OK);
    }
    CHECK(tn_recorder_close(recorder, &err) == TN_OK);
    TnRecording *recording = tn_recording_open(place.path, &err);
    REQUIRE(recording);
    CHECK(tn_recording_info(recording).frame_count == 14);
    for (int i = 0; i < 14; i++) {
        CHECK(tn_recording_frame(recording, i, frame, &err) == TN_OK);
        CHECK((frame->qpos != NULL) == (i >= 5 && i < 12));
        CHECK(frame->time == 0.02 * i);
    }
    tn_recording_close(recording);
    tn_frame_destroy(frame);
    recorded_leave(&place);
}

TEST(the_grid_follows_the_size_of_the_scene)
{
    TnScene scene = recorded_scene();
    scene.view.has_extent = true;
    scene.view.extent = 1000;
    CHECK(tn_record_resolution(&scene) == 0x1p-20); /* never coarser than a micrometre */
    scene.view.extent = 1;
    CHECK(tn_record_resolution(&scene) == 0x1p-20);
    scene.view.extent = 0.01;
    CHECK(tn_record_resolution(&scene) == 0x1p-27); /* 0.01 m is between 2^-7 and 2^-6 */
    scene.view.extent = NAN;
    CHECK(tn_record_resolution(&scene) == 0x1p-20); /* of the shapes */
    scene.shape_count = 0;
    CHECK(tn_record_resolution(&scene) == 0x1p-20);
}

TEST(columns_of_any_integers_come_back)
{
    int64_t values[] = {0, -1, 1, 127, -128, 65535, INT64_MAX, INT64_MIN, 42, -42, INT64_MIN, 7};
    enum { COUNT = sizeof values / sizeof values[0] };
    for (int how = TN_PREDICT_LAST; how <= TN_PREDICT_LINE; how++) {
        int64_t copy[COUNT], back[COUNT];
        memcpy(copy, values, sizeof values);
        TnRecordOut out = {0};
        tn_record_put_table(&out, copy, 4, 3, (TnRecordPrediction)how);
        TnRecordIn in = {.bytes = out.bytes, .size = out.size};
        CHECK(tn_record_get_table(&in, back, 4, 3, (TnRecordPrediction)how));
        CHECK(in.at == out.size && !memcmp(back, values, sizeof values));
        /* one byte less: a failure, not a read beyond */
        in = (TnRecordIn){.bytes = out.bytes, .size = out.size - 1};
        CHECK(!tn_record_get_table(&in, back, 4, 3, (TnRecordPrediction)how));
        tn_record_out_free(&out);
    }
}
