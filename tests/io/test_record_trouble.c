/* Recording in a bad world: onto cut-off files, full disks, other people's files; killed writers,
 * wrong frames, no memory. */
#include "base/base.h"
#include "recorded_small.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

TEST(append_goes_on_where_a_cut_off_file_was_whole)
{
    Place place = recorded_place();
    Bytes file = small_recording(&place);
    Ends ends = find_ends(file);
    /* in the middle of the last group, in its front, right behind the one before, nowhere */
    size_t cuts[] = {file.size - 5, ends.at[3] + 3, ends.at[3], file.size};
    int kept[] = {6, 6, 6, 9};
    for (int k = 0; k < 4; k++) {
        TnError err = {0};
        recorded_store(place.path, file.data, cuts[k]);
        CHECK(recorded_write(place.path, recorded_def(GROUP, true), kept[k], 4, true, &err) ==
              TN_OK);
        TnRecording *recording = tn_recording_open(place.path, &err);
        REQUIRE(recording);
        CHECK(!tn_recording_info(recording).cut_off);
        CHECK(read_all(recording) == kept[k] + 4);
        tn_recording_close(recording);
    }
    free(file.data);
    recorded_leave(&place);
}

TEST(append_to_no_file_or_an_empty_one_starts_anew)
{
    TnError err = {0};
    Place place = recorded_place();
    for (int k = 0; k < 2; k++) {
        CHECK(recorded_write(place.path, recorded_def(GROUP, true), 0, 2, false, &err) == TN_OK);
        TnRecording *recording = tn_recording_open(place.path, &err);
        CHECK(recording && read_all(recording) == 2);
        tn_recording_close(recording);
        recorded_store(place.path, NULL, 0);
    }
    recorded_leave(&place);
}

TEST(append_cuts_behind_the_frames_to_keep)
{
    Place place = recorded_place();
    Bytes file = small_recording(&place); /* groups end behind 3, 6 and 9 frames */
    for (int keep = 1; keep <= 12; keep++) {
        TnError err = {0};
        TnRecorderDef def = recorded_def(GROUP, true);
        def.keep_frames = keep;
        recorded_store(place.path, file.data, file.size);
        TnStatus status = recorded_write(place.path, def, keep, 2, true, &err);
        bool ends_there = keep % GROUP == 0 && keep <= FRAMES;
        CHECK((status == TN_OK) == ends_there);
        if (!ends_there) CHECK_STR(err.message, "has 9 frames and cannot be cut behind");
        TnRecording *recording = tn_recording_open(place.path, &err);
        REQUIRE(recording);
        CHECK(read_all(recording) == (ends_there ? keep + 2 : FRAMES));
        tn_recording_close(recording);
    }
    TnError err = {0};
    TnRecorderDef def = recorded_def(GROUP, true);
    def.keep_frames = -1;
    CHECK(recorded_write(place.path, def, 0, 1, true, &err) == TN_ERROR_USAGE);
    free(file.data);
    recorded_leave(&place);
}

TEST(flush_makes_frames_readable_while_the_recorder_goes_on)
{
    TnError err = {0};
    Place place = recorded_place();
    TnScene scene = recorded_scene();
    TnRecorderDef def = recorded_def(GROUP, false);
    TnRecorder *recorder = tn_recorder_create(&def, place.path, &scene, &err);
    TnFrame *frame = tn_frame_create(&scene, &err);
    REQUIRE(recorder && frame);
    for (int i = 0; i < 5; i++) {
        recorded_fill(frame, i, false);
        CHECK(tn_recorder_write(recorder, frame, &err) == TN_OK);
        if (i == 2 || i == 3) CHECK(tn_recorder_flush(recorder, &err) == TN_OK);
        if (i == 3) CHECK(tn_recorder_flush(recorder, &err) == TN_OK); /* nothing to do */
        TnRecording *recording = tn_recording_open(place.path, &err);
        REQUIRE(recording);
        CHECK(tn_recording_info(recording).frame_count == (i < 2 ? 0 : i == 2 ? 3 : 4));
        tn_recording_close(recording);
    }
    CHECK(tn_recorder_close(recorder, &err) == TN_OK);
    tn_frame_destroy(frame);
    recorded_leave(&place);
}

TEST(append_leaves_other_files_alone)
{
    Place place = recorded_place();
    Bytes file = small_recording(&place);
    TnScene other = recorded_scene();
    other.timestep = 0.003;
    TnError err = {0};
    TnRecorderDef def = recorded_def(GROUP, true);
    CHECK(!tn_recorder_create(&def, place.path, &other, &err) && err.code == TN_ERROR_USAGE);
    CHECK_STR(err.message, "another scene");
    Bytes after = recorded_read(place.path);
    CHECK(after.size == file.size && !memcmp(after.data, file.data, file.size));
    free(after.data);
    recorded_store(place.path, (const unsigned char *)"<mujoco/>", 9);
    err = (TnError){0};
    CHECK(recorded_write(place.path, def, 0, 1, false, &err) == TN_ERROR_IO);
    CHECK_STR(err.message, "is not a recording");
    after = recorded_read(place.path);
    CHECK(after.size == 9);
    free(after.data);
    free(file.data);
    recorded_leave(&place);
}

/* Files of this process may not grow beyond `bytes`; 0 lifts the limit. */
static void limit_files(size_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes ? bytes : limit.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) abort();
}

TEST(a_full_disk_is_an_error_and_what_was_recorded_stays_readable)
{
    TnError err = {0};
    Place place = recorded_place();
    Bytes file = small_recording(&place);
    Ends ends = find_ends(file);
    TnScene scene = recorded_scene();
    TnRecorderDef def = recorded_def(GROUP, false);
    TnRecorder *recorder = tn_recorder_create(&def, place.path, &scene, &err);
    TnFrame *frame = tn_frame_create(&scene, &err);
    REQUIRE(recorder && frame);
    limit_files(ends.at[3] + 20); /* room for two groups and a bit of the third */
    int written = 0;
    TnStatus status = TN_OK;
    for (; written < FRAMES && status == TN_OK; written++) {
        recorded_fill(frame, written, true);
        status = tn_recorder_write(recorder, frame, &err);
    }
    CHECK(status == TN_ERROR_IO && written == FRAMES && err.count == 1);
    CHECK_STR(err.message, "a.tnr: cannot be written: ");
    limit_files(0);
    err = (TnError){0};
    CHECK(tn_recorder_write(recorder, frame, &err) == TN_ERROR_IO); /* fails at once, room or not */
    CHECK(tn_recorder_close(recorder, &err) == TN_OK);
    TnRecording *recording = tn_recording_open(place.path, &err);
    REQUIRE(recording);
    CHECK(read_all(recording) == 2 * GROUP && !tn_recording_info(recording).cut_off);
    tn_recording_close(recording);
    tn_frame_destroy(frame);
    free(file.data);
    recorded_leave(&place);
}

TEST(a_full_disk_at_the_very_end_is_told_by_close)
{
    TnError err = {0};
    Place place = recorded_place();
    TnScene scene = recorded_scene();
    TnRecorderDef def = recorded_def(GROUP, false);
    TnRecorder *recorder = tn_recorder_create(&def, place.path, &scene, &err);
    TnFrame *frame = tn_frame_create(&scene, &err);
    REQUIRE(recorder && frame);
    CHECK(tn_recorder_write(recorder, frame, &err) == TN_OK); /* waits for its group */
    limit_files(1);
    CHECK(tn_recorder_close(recorder, &err) == TN_ERROR_IO);
    limit_files(0);
    tn_frame_destroy(frame);
    recorded_leave(&place);
}

TEST(a_file_is_only_replaced_when_the_new_one_can_be_written)
{
    TnError err = {0};
    Place place = recorded_place();
    Bytes file = small_recording(&place);
    limit_files(50); /* the scene does not fit */
    CHECK(recorded_write(place.path, recorded_def(GROUP, false), 0, 1, false, &err) == TN_ERROR_IO);
    limit_files(0);
    CHECK_STR(err.message, "a.tnr: cannot be written: ");
    Bytes after = recorded_read(place.path);
    CHECK(after.size == file.size && !memcmp(after.data, file.data, file.size));
    free(after.data);
    err = (TnError){0};
    CHECK(recorded_write(place.folder, recorded_def(1, false), 0, 1, false, &err) == TN_ERROR_IO);
    CHECK_STR(err.message, "is a directory");
    err = (TnError){0};
    CHECK(recorded_write("/nowhere/a.tnr", recorded_def(1, false), 0, 1, false, &err) ==
          TN_ERROR_IO);
    CHECK_STR(err.message, "no such file or folder");
    free(file.data);
    recorded_leave(&place); /* checks that nothing else is in the folder */
}

TEST(a_replaced_file_keeps_its_mode_and_its_symbolic_link)
{
    TnError err = {0};
    Place place = recorded_place();
    char link_path[96];
    struct stat about;
    snprintf(link_path, sizeof link_path, "%s/link.tnr", place.folder);
    recorded_store(place.path, (const unsigned char *)"old", 3);
    CHECK(chmod(place.path, 0640) == 0 && symlink("a.tnr", link_path) == 0);
    CHECK(recorded_write(link_path, recorded_def(GROUP, false), 0, 4, false, &err) == TN_OK);
    CHECK(lstat(link_path, &about) == 0 && S_ISLNK(about.st_mode));
    CHECK(stat(place.path, &about) == 0 && (about.st_mode & 0777) == 0640);
    TnRecording *recording = tn_recording_open(place.path, &err);
    CHECK(recording && read_all(recording) == 4);
    tn_recording_close(recording);
    unlink(link_path);
    recorded_leave(&place);
}

TEST(a_full_device_is_told)
{
    struct stat about;
    TnError err = {0};
    if (stat("/dev/full", &about) != 0) {
        test_skip("there is no /dev/full");
        return;
    }
    CHECK(recorded_write("/dev/full", recorded_def(1, false), 0, 1, false, &err) == TN_ERROR_IO);
    CHECK_STR(err.message, "/dev/full: cannot be written: no space left on the device");
    CHECK(recorded_write("/dev/null", recorded_def(1, false), 0, 1, false, &err) == TN_OK);
}

TEST(a_killed_writer_leaves_its_whole_groups)
{
    Place place = recorded_place();
    fflush(stdout); /* a copy must not be written twice */
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        TnError err = {0};
        TnScene scene = recorded_scene();
        TnRecorderDef def = recorded_def(8, false);
        TnRecorder *recorder = tn_recorder_create(&def, place.path, &scene, &err);
        TnFrame *frame = tn_frame_create(&scene, &err);
        for (int i = 0; i < 35; i++) {
            recorded_fill(frame, i, false);
            if (tn_recorder_write(recorder, frame, &err) != TN_OK) _exit(1);
        }
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    TnError err = {0};
    TnRecording *recording = tn_recording_open(place.path, &err);
    REQUIRE(recording);
    CHECK(read_all(recording) == 32 && !tn_recording_info(recording).cut_off);
    tn_recording_close(recording);
    recorded_leave(&place);
}

TEST(what_does_not_belong_to_the_scene_is_refused)
{
    TnError err = {0};
    Place place = recorded_place();
    TnScene scene = recorded_scene(), other = recorded_scene();
    other.body_count--;
    TnRecorderDef def = recorded_def(GROUP, false);
    TnRecorder *recorder = tn_recorder_create(&def, place.path, &scene, &err);
    TnFrame *frame = tn_frame_create(&other, &err), *good = tn_frame_create(&scene, &err);
    REQUIRE(recorder && frame && good);
    CHECK(tn_recorder_write(recorder, frame, &err) == TN_ERROR_USAGE);
    recorded_fill(good, 3, false);
    good->contacts[0].geom2 = 5;
    CHECK(tn_recorder_write(recorder, good, &err) == TN_ERROR_USAGE);
    good->contacts[0].geom2 = 0;
    CHECK(tn_recorder_write(recorder, good, &err) == TN_ERROR_USAGE);
    err = (TnError){0};
    recorded_fill(good, 0, false);
    CHECK(tn_recorder_write(recorder, good, &err) == TN_OK); /* and it goes on */
    CHECK(tn_recorder_close(recorder, &err) == TN_OK);
    tn_frame_destroy(frame);
    tn_frame_destroy(good);
    for (int k = 0; k < 3; k++) {
        static const int wrong[] = {0, 257, -1};
        def.group_frames = wrong[k];
        CHECK(!tn_recorder_create(&def, place.path, &scene, &err) && err.code == TN_ERROR_USAGE);
    }
    TnSceneShape shape = {.type = TN_GEOM_BOX, .body = 9, .mesh = -1};
    scene.shapes = &shape;
    scene.shape_count = 1;
    err = (TnError){0};
    def.group_frames = 1;
    CHECK(!tn_recorder_create(&def, place.path, &scene, &err) && err.code == TN_ERROR_USAGE);
    CHECK_STR(err.message, "does not have");
    recorded_leave(&place);
}

TEST(recording_without_memory_is_an_error_and_leaks_nothing)
{
    Place place = recorded_place();
    for (long k = 0;; k++) {
        TnError err = {0};
        tn_malloc_fail_after(k);
        TnStatus status = recorded_write(place.path, recorded_def(2, k % 2), 0, 5, true, &err);
        tn_malloc_fail_after(-1);
        if (status == TN_OK) {
            CHECK(k > 20);
            break;
        }
        CHECK(status == TN_ERROR_MEMORY && err.code == TN_ERROR_MEMORY);
        REQUIRE(k < 10000);
    }
    recorded_leave(&place);
}

static TnStatus open_and_read(const char *path, TnError *err)
{
    TnRecording *recording = tn_recording_open(path, err);
    if (!recording) return err->code;
    TnFrame *frame = tn_frame_create(tn_recording_scene(recording), err);
    TnStatus status = frame ? TN_OK : err->code;
    for (int i = 0; i < FRAMES && status == TN_OK; i++)
        status = tn_recording_frame(recording, i, frame, err);
    tn_frame_destroy(frame);
    tn_recording_close(recording);
    return status;
}

TEST(reading_without_memory_is_an_error_and_leaks_nothing)
{
    Place place = recorded_place();
    Bytes file = small_recording(&place);
    for (long k = 0;; k++) {
        TnError err = {0};
        tn_malloc_fail_after(k);
        TnStatus status = open_and_read(place.path, &err);
        tn_malloc_fail_after(-1);
        if (status == TN_OK) {
            CHECK(k > 20);
            break;
        }
        CHECK(status == TN_ERROR_MEMORY && err.code == TN_ERROR_MEMORY);
        REQUIRE(k < 10000);
    }
    free(file.data);
    recorded_leave(&place);
}
