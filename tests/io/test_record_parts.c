/* Recordings in parts: several files that are read as one. */
#include "recorded.h"

enum { FRAMES = 40, GROUP = 8, PARTS = 3 };

/* Every third group of frames into each part. */
static void write_part(const char *path, int part, uint64_t set)
{
    TnError err = {0};
    TnScene scene = recorded_scene();
    TnRecorderDef def = recorded_def(GROUP, false);
    def.part = part;
    def.parts = PARTS;
    def.set = set;
    TnRecorder *recorder = tn_recorder_create(&def, path, &scene, &err);
    TnFrame *frame = tn_frame_create(&scene, &err);
    REQUIRE(recorder && frame);
    for (int i = 0; i < FRAMES; i++) {
        if (i / GROUP % PARTS != part) continue;
        recorded_fill(frame, i, true);
        CHECK(tn_recorder_write(recorder, frame, &err) == TN_OK);
    }
    CHECK(tn_recorder_close(recorder, &err) == TN_OK);
    tn_frame_destroy(frame);
}

static void part_path(const Place *place, int part, char path[600])
{
    snprintf(path, 600, part ? "%s.%d" : "%s", place->path, part);
}

static void leave(const Place *place)
{
    char path[600];
    for (int part = 1; part < PARTS; part++) {
        part_path(place, part, path);
        unlink(path);
    }
    recorded_leave(place);
}

TEST(parts_are_read_as_one_recording)
{
    TnError err = {0};
    Place place = recorded_place();
    for (int part = 0; part < PARTS; part++) write_part(place.path, part, 7);
    TnRecording *recording = tn_recording_open(place.path, &err);
    leave(&place);
    REQUIRE(recording);
    TnRecordingInfo info = tn_recording_info(recording);
    CHECK(info.frame_count == FRAMES && info.parts == PARTS && !info.cut_off && info.has_state);
    const TnScene *scene = tn_recording_scene(recording);
    TnFrame *wanted = tn_frame_create(scene, &err), *got = tn_frame_create(scene, &err);
    for (int i = FRAMES - 1; i >= 0; i--) {
        recorded_fill(wanted, i, true);
        CHECK(tn_recording_frame(recording, i, got, &err) == TN_OK);
        CHECK(got->time == wanted->time && got->step == wanted->step);
        CHECK(tn_recording_time(recording, i) == wanted->time);
        CHECK(!memcmp(got->qpos, wanted->qpos, sizeof(double) * (size_t)wanted->qpos_count));
    }
    CHECK(info.start == tn_recording_time(recording, 0));
    CHECK(info.end == tn_recording_time(recording, FRAMES - 1));
    CHECK(tn_recording_frame(recording, FRAMES, got, &err) == TN_ERROR_USAGE);
    tn_frame_destroy(wanted);
    tn_frame_destroy(got);
    tn_recording_close(recording);
}

TEST(a_missing_part_is_named)
{
    TnError err = {0};
    Place place = recorded_place();
    char path[600];
    for (int part = 0; part < PARTS; part++) write_part(place.path, part, 7);
    part_path(&place, 2, path);
    unlink(path);
    CHECK(!tn_recording_open(place.path, &err));
    CHECK_STR(err.message, "a.tnr.2");
    leave(&place);
}

TEST(a_part_of_another_recording_is_refused)
{
    TnError err = {0};
    Place place = recorded_place();
    for (int part = 0; part < PARTS; part++) write_part(place.path, part, part == 1 ? 8 : 7);
    CHECK(!tn_recording_open(place.path, &err));
    CHECK_STR(err.message, "a.tnr.1");
    CHECK_STR(err.message, "belongs to another recording");
    leave(&place);
}

TEST(parts_are_not_appended_to)
{
    TnError err = {0};
    Place place = recorded_place();
    for (int part = 0; part < PARTS; part++) write_part(place.path, part, 7);
    CHECK(recorded_write(place.path, recorded_def(GROUP, true), 0, 1, true, &err) != TN_OK);
    CHECK_STR(err.message, "3 parts");
    leave(&place);
}

TEST(a_file_of_its_own_has_one_part)
{
    TnError err = {0};
    Place place = recorded_place();
    CHECK(recorded_write(place.path, recorded_def(GROUP, false), 0, 3, true, &err) == TN_OK);
    TnRecording *recording = tn_recording_open(place.path, &err);
    REQUIRE(recording);
    CHECK(tn_recording_info(recording).parts == 1);
    tn_recording_close(recording);
    recorded_leave(&place);
}
