/* Recordings in a bad world: cut off, damaged, hostile; full disks, killed writers, no memory. */
#include "base/base.h"
#include "io/record_format.h"
#include "recorded.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { GROUP = 3, FRAMES = 9 };

/* Ends of the header, the scene and the groups in a recording of whole chunks. */
typedef struct Ends {
    size_t at[16];
    int count;
} Ends;

static Ends find_ends(Bytes file)
{
    Ends ends = {.at = {TN_RECORD_HEADER_BYTES}, .count = 1};
    size_t at = TN_RECORD_HEADER_BYTES;
    while (at < file.size && ends.count < 16) {
        TnRecordIn in = {.bytes = file.data + at + 4, .size = 4};
        at += TN_RECORD_CHUNK_BYTES + tn_record_get_u32(&in);
        ends.at[ends.count++] = at;
    }
    return ends;
}

static Bytes small_recording(const Place *place)
{
    TnError err = {0};
    CHECK(recorded_write(place->path, recorded_def(GROUP, false), 0, FRAMES, true, &err) == TN_OK);
    return recorded_read(place->path);
}

/* Reads all frames; -1 where one cannot be read. */
static int read_all(TnRecording *recording)
{
    TnError err = {0};
    TnFrame *frame = tn_frame_create(tn_recording_scene(recording), &err);
    int count = tn_recording_info(recording).frame_count;
    for (int i = 0; i < count && frame; i++) {
        if (tn_recording_frame(recording, i, frame, &err) != TN_OK || frame->time != 0.02 * i) {
            count = -1;
            break;
        }
    }
    tn_frame_destroy(frame);
    return count;
}

TEST(cut_off_at_any_byte_all_whole_groups_are_read)
{
    Place place = recorded_place();
    Bytes file = small_recording(&place);
    Ends ends = find_ends(file);
    CHECK(ends.count == 2 + FRAMES / GROUP && ends.at[ends.count - 1] == file.size);
    for (size_t size = 0; size <= file.size; size++) {
        TnError err = {0};
        recorded_store(place.path, file.data, size);
        int whole = -1; /* chunks */
        for (int k = 0; k < ends.count; k++) whole += ends.at[k] <= size;
        TnRecording *recording = tn_recording_open(place.path, &err);
        if (whole < 1) { /* not even the scene */
            CHECK(!recording && err.code == TN_ERROR_IO && err.count == 1);
            CHECK_STR(err.message, size == 0 ? "not a recording" : "cut off");
            continue;
        }
        REQUIRE(recording);
        TnRecordingInfo info = tn_recording_info(recording);
        CHECK(info.frame_count == GROUP * (whole - 1));
        CHECK(info.cut_off == (size != ends.at[whole]));
        CHECK(info.bytes == (int64_t)ends.at[whole]);
        CHECK(read_all(recording) == info.frame_count);
        tn_recording_close(recording);
    }
    free(file.data);
    recorded_leave(&place);
}

TEST(a_flipped_bit_is_found_and_what_is_before_is_read)
{
    Place place = recorded_place();
    Bytes file = small_recording(&place);
    Ends ends = find_ends(file);
    for (size_t at = 0; at < file.size; at++) {
        TnError err = {0};
        unsigned char bit = (unsigned char)(1 << at % 8);
        file.data[at] ^= bit;
        recorded_store(place.path, file.data, file.size);
        file.data[at] ^= bit;
        int before = -1; /* whole chunks before the damage */
        for (int k = 0; k < ends.count; k++) before += ends.at[k] <= at;
        TnRecording *recording = tn_recording_open(place.path, &err);
        if (before < 1) {
            CHECK(!recording && err.code == TN_ERROR_IO && err.count == 1);
            continue;
        }
        REQUIRE(recording);
        TnRecordingInfo info = tn_recording_info(recording);
        CHECK(info.cut_off && info.frame_count == GROUP * (before - 1));
        CHECK(read_all(recording) == info.frame_count);
        tn_recording_close(recording);
    }
    free(file.data);
    recorded_leave(&place);
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void store_u32(unsigned char *place, uint32_t value)
{
    for (int k = 0; k < 4; k++) place[k] = (unsigned char)(value >> (8 * k));
}

/* Makes the checksum of a chunk right again. */
static void bless(unsigned char *chunk, size_t size)
{
    uint32_t sum = tn_record_checksum(0, chunk, 8);
    size_t payload = size - TN_RECORD_CHUNK_BYTES;
    store_u32(chunk + 8, tn_record_checksum(sum, chunk + TN_RECORD_CHUNK_BYTES, payload));
}

/* Opens and reads whatever can be read; the sanitizers and the time limit are the judges. */
static void survive(const char *path)
{
    TnError err = {0};
    TnRecording *recording = tn_recording_open(path, &err);
    if (!recording) {
        CHECK(err.code == TN_ERROR_IO);
        return;
    }
    TnFrame *frame = tn_frame_create(tn_recording_scene(recording), &err);
    int count = tn_recording_info(recording).frame_count;
    for (int i = 0; i < count && frame; i += GROUP) {
        TnStatus status = tn_recording_frame(recording, i, frame, &err);
        CHECK(status == TN_OK || status == TN_ERROR_IO);
    }
    tn_frame_destroy(frame);
    tn_recording_close(recording);
}

TEST(damage_with_a_right_checksum_is_survived)
{
    Place place = recorded_place();
    Bytes file = small_recording(&place);
    Ends ends = find_ends(file);
    uint64_t random = 1;
    for (int round = 0; round < 2000; round++) {
        unsigned char *copy = malloc(file.size);
        memcpy(copy, file.data, file.size);
        int which = 1 + (int)next_random(&random) % (ends.count - 1);
        size_t start = ends.at[which - 1], size = ends.at[which] - start;
        int flips = 1 + (int)next_random(&random) % 3;
        for (int k = 0; k < flips; k++) {
            size_t payload = next_random(&random) % (size - TN_RECORD_CHUNK_BYTES);
            copy[start + TN_RECORD_CHUNK_BYTES + payload] ^= (unsigned char)next_random(&random);
        }
        bless(copy + start, size);
        recorded_store(place.path, copy, file.size);
        survive(place.path);
        free(copy);
    }
    free(file.data);
    recorded_leave(&place);
}

/* The scene or a group unpacked, changed, packed again: gets past the checks of deflate. */
static void repack(const Place *place, Bytes file, size_t start, size_t size, size_t front,
                   uint64_t *random)
{
    TnRecordIn in = {.bytes = file.data + start + TN_RECORD_CHUNK_BYTES,
                     .size = size - TN_RECORD_CHUNK_BYTES,
                     .at = front};
    size_t raw_size = 0;
    uint8_t *raw = tn_record_get_packed(&in, &raw_size);
    REQUIRE(raw && raw_size > 0);
    int flips = 1 + (int)next_random(random) % 3;
    for (int k = 0; k < flips; k++)
        raw[next_random(random) % raw_size] = (uint8_t)next_random(random);
    TnRecordOut out = {0};
    tn_record_put_bytes(&out, file.data, start + TN_RECORD_CHUNK_BYTES + front);
    /* now and then shorter than it should be */
    tn_record_put_packed(&out, raw, next_random(random) % 4 ? raw_size : raw_size / 2, true);
    CHECK(tn_record_end_chunk(&out, start));
    tn_record_put_bytes(&out, file.data + start + size, file.size - start - size);
    recorded_store(place->path, out.bytes, out.size);
    tn_record_out_free(&out);
    tn_free(raw);
    survive(place->path);
}

TEST(damage_before_packing_is_survived)
{
    Place place = recorded_place();
    Bytes file = small_recording(&place);
    Ends ends = find_ends(file);
    uint64_t random = 2;
    for (int round = 0; round < 2000; round++) {
        int which = 1 + round % (ends.count - 1);
        size_t start = ends.at[which - 1], size = ends.at[which] - start;
        /* before a group's packed part: frame count, flags, three sizes, times */
        repack(&place, file, start, size, which == 1 ? 0 : 20 + 8 * GROUP, &random);
    }
    free(file.data);
    recorded_leave(&place);
}

TEST(a_size_that_cannot_be_takes_no_memory)
{
    Place place = recorded_place();
    Bytes file = small_recording(&place);
    Ends ends = find_ends(file);
    /* the scene claims to unpack to half a gigabyte: no deflated file of this size does */
    unsigned char *chunk = file.data + ends.at[0];
    store_u32(chunk + TN_RECORD_CHUNK_BYTES, 1u << 29);
    bless(chunk, ends.at[1] - ends.at[0]);
    recorded_store(place.path, file.data, file.size);
    TnError err = {0};
    tn_malloc_fail_after(3); /* the recording, its path, the packed scene */
    CHECK(!tn_recording_open(place.path, &err) && err.code == TN_ERROR_IO);
    tn_malloc_fail_after(-1);
    CHECK_STR(err.message, "scene is damaged");
    free(file.data);
    recorded_leave(&place);
}

TEST(a_length_beyond_the_file_takes_no_memory)
{
    TnError err = {0};
    Place place = recorded_place();
    Bytes file = small_recording(&place);
    store_u32(file.data + TN_RECORD_HEADER_BYTES + 4, 0xF0000000u); /* of the scene's chunk */
    recorded_store(place.path, file.data, file.size);
    tn_malloc_fail_after(2); /* the recording, its path */
    CHECK(!tn_recording_open(place.path, &err) && err.code == TN_ERROR_IO);
    tn_malloc_fail_after(-1);
    free(file.data);
    recorded_leave(&place);
}

TEST(more_contacts_than_bytes_can_hold_take_no_memory)
{
    TnScene scene = recorded_scene();
    TnRecordGroup group;
    tn_record_group_init(&group, &scene, 1e-6);
    REQUIRE(tn_record_group_reserve(&group, 1));
    group.frame_count = 1;
    /* 120 bytes behind the count are ten contacts at most: two geoms and ten numbers each */
    for (int64_t count = 11; count < (int64_t)1 << 40; count *= 3) {
        TnRecordOut out = {0};
        tn_record_put_u32(&out, 0);
        tn_record_put_column(&out, &count, 1);
        memset(tn_record_put_room(&out, 120), 1, 120);
        TnRecordIn in = {.bytes = out.bytes, .size = out.size};
        tn_malloc_fail_after(0);
        CHECK(tn_record_get_contacts(&in, &group) == TN_ERROR_IO);
        tn_malloc_fail_after(-1);
        tn_record_out_free(&out);
    }
    tn_record_group_free(&group);
}

/* Header and scene, `extra` chunk, groups. */
static void insert_chunk(const Place *place, Bytes file, const char *type)
{
    Ends ends = find_ends(file);
    TnRecordOut out = {0};
    tn_record_put_bytes(&out, file.data, ends.at[1]);
    size_t start = tn_record_begin_chunk(&out, type);
    tn_record_put_text(&out, "from the future");
    CHECK(tn_record_end_chunk(&out, start));
    tn_record_put_bytes(&out, file.data + ends.at[1], file.size - ends.at[1]);
    recorded_store(place->path, out.bytes, out.size);
    tn_record_out_free(&out);
}

TEST(chunks_of_unknown_types_are_skipped)
{
    TnError err = {0};
    Place place = recorded_place();
    Bytes file = small_recording(&place);
    insert_chunk(&place, file, "NEWS");
    TnRecording *recording = tn_recording_open(place.path, &err);
    REQUIRE(recording);
    CHECK(read_all(recording) == FRAMES && !tn_recording_info(recording).cut_off);
    tn_recording_close(recording);
    /* and an append keeps them */
    CHECK(recorded_write(place.path, recorded_def(GROUP, true), FRAMES, 2, true, &err) == TN_OK);
    recording = tn_recording_open(place.path, &err);
    REQUIRE(recording);
    CHECK(read_all(recording) == FRAMES + 2);
    tn_recording_close(recording);
    free(file.data);
    recorded_leave(&place);
}

static void store_version(const Place *place, Bytes file, int major, int minor)
{
    file.data[8] = (unsigned char)major;
    file.data[10] = (unsigned char)minor;
    store_u32(file.data + 12, tn_record_checksum(0, file.data, 12));
    recorded_store(place->path, file.data, file.size);
}

TEST(a_newer_minor_version_is_read_and_a_newer_major_one_refused)
{
    TnError err = {0};
    Place place = recorded_place();
    Bytes file = small_recording(&place);
    store_version(&place, file, TN_RECORD_MAJOR, 7);
    TnRecording *recording = tn_recording_open(place.path, &err);
    CHECK(recording && read_all(recording) == FRAMES);
    tn_recording_close(recording);
    store_version(&place, file, TN_RECORD_MAJOR + 1, 3);
    CHECK(!tn_recording_open(place.path, &err) && err.code == TN_ERROR_IO);
    CHECK_STR(err.message, "version 2.3; this tenon reads version 1");
    free(file.data);
    recorded_leave(&place);
}

TEST(other_files_are_no_recordings)
{
    TnError err = {0};
    Place place = recorded_place();
    recorded_store(place.path, (const unsigned char *)"<mujoco/>", 9);
    CHECK(!tn_recording_open(place.path, &err));
    CHECK_STR(err.message, "is not a recording");
    err = (TnError){0};
    CHECK(!tn_recording_open(place.folder, &err));
    CHECK_STR(err.message, "is a directory");
    err = (TnError){0};
    CHECK(!tn_recording_open("/nowhere/a.tnr", &err) && err.code == TN_ERROR_IO);
    CHECK_STR(err.message, "/nowhere/a.tnr: cannot be read: no such file");
    err = (TnError){0};
    CHECK(!tn_recording_open("/dev/zero", &err)); /* endless */
    CHECK_STR(err.message, "is no file");
    unlink(place.path);
    CHECK(mkfifo(place.path, 0600) == 0); /* nobody writes: opening it would wait */
    CHECK(!tn_recording_open(place.path, &err));
    recorded_leave(&place);
}

TEST(append_goes_on_where_a_cut_off_file_was_whole)
{
    Place place = recorded_place();
    Bytes file = small_recording(&place);
    Ends ends = find_ends(file);
    /* in the middle of the last group, in its front, right behind the one before, in the scene */
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
