/* Reading recordings that are cut off, damaged, hostile, newer, or none at all. */
#include "recorded_small.h"

#include <sys/stat.h>

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
    CHECK_STR(err.message, "is not a regular file");
    unlink(place.path);
    CHECK(mkfifo(place.path, 0600) == 0); /* nobody writes: opening it would wait */
    CHECK(!tn_recording_open(place.path, &err));
    recorded_leave(&place);
}
