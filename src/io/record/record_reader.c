/* record_reader.c: reads a recording.
 *
 * Opening reads the file once from front to end, checks every chunk and remembers where the groups
 * are; it stops at the first chunk that is cut off or damaged. Frames are then decoded a group at a
 * time, and the last group is kept.
 *
 * The first file of a recording in parts opens the others and merges their frames by time. */
#include "record_format.h"

#include "../../base/platform/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_PARTS (1 << 20)

typedef struct GroupPlace {
    int64_t offset; /* of the payload */
    uint32_t length;
    int first_frame, frame_count;
} GroupPlace;

struct TnRecording {
    char *path;
    uint32_t alive; /* TN_ALIVE */
    FILE *file;
    TnIoPool pool; /* the scene */
    TnScene *scene;
    TnRecordingInfo info;
    GroupPlace *places;
    int place_count, place_room;
    double *times;
    int time_room;
    TnRecordGroup group; /* the one decoded last */
    int group_index;     /* -1: none */
    /* parts: what the file says of itself, and, of the first one of several, */
    uint32_t part, parts;
    uint64_t set;
    TnRecording **others;  /* parts 1 to parts - 1, */
    struct Source *merged; /* per frame: where it is; NULL: all are here */
};

typedef struct Source {
    double time;
    int part, index;
} Source;

/* ---- opening ---- */

static bool no_memory(const TnRecording *recording, TnError *err)
{
    tn_error_add(err, TN_ERROR_MEMORY, "%.700s: no memory to read it", recording->path);
    return false;
}

static bool cannot_read(const TnRecording *recording, int code, TnError *err)
{
    tn_error_add(err, TN_ERROR_IO, "%.700s: cannot be read: %s", recording->path,
                 tn_record_reason(code));
    return false;
}

typedef struct Chunk {
    char type[5];
    uint8_t *payload; /* owned */
    uint32_t length;
} Chunk;

typedef enum ChunkEnd { CHUNK_WHOLE, CHUNK_NONE, CHUNK_DAMAGED, CHUNK_NO_MEMORY } ChunkEnd;

/* The chunk at `offset` of a file of `size` bytes. */
static ChunkEnd read_chunk(FILE *file, int64_t offset, int64_t size, Chunk *chunk)
{
    uint8_t front[TN_RECORD_CHUNK_BYTES];
    if (offset == size) return CHUNK_NONE;
    if (size - offset < TN_RECORD_CHUNK_BYTES || tn_stream_seek(file, offset) != 0 ||
        fread(front, 1, sizeof front, file) != sizeof front)
        return CHUNK_DAMAGED;
    TnRecordIn in = {.bytes = front, .size = sizeof front, .at = 4};
    memcpy(chunk->type, front, 4);
    chunk->length = tn_record_get_u32(&in);
    uint32_t checksum = tn_record_get_u32(&in);
    /* a wrong length must not ask for memory */
    if (chunk->length > size - offset - TN_RECORD_CHUNK_BYTES) return CHUNK_DAMAGED;
    chunk->payload = tn_malloc(chunk->length);
    if (!chunk->payload) return CHUNK_NO_MEMORY;
    if (fread(chunk->payload, 1, chunk->length, file) == chunk->length) {
        uint32_t sum = tn_record_checksum(0, front, 8);
        if (tn_record_checksum(sum, chunk->payload, chunk->length) == checksum) return CHUNK_WHOLE;
    }
    tn_free(chunk->payload);
    chunk->payload = NULL;
    return CHUNK_DAMAGED;
}

static bool read_scene(TnRecording *recording, const Chunk *chunk, TnError *err)
{
    TnRecordIn packed = {.bytes = chunk->payload, .size = chunk->length}, in = {0};
    uint8_t *bytes = tn_record_get_packed(&packed, &in.size);
    in.bytes = bytes;
    if (bytes)
        recording->scene = tn_record_get_scene(&in, &recording->pool, &recording->info.resolution);
    tn_free(bytes);
    if (recording->scene) return true;
    if (!packed.failed && !in.failed) return no_memory(recording, err);
    tn_error_add(err, TN_ERROR_IO, "%.700s: its scene is damaged", recording->path);
    return false;
}

/* Room for one more group; counts of frames are checked against `int`. */
static bool reserve_place(TnRecording *recording, int frames)
{
    TnRecordingInfo *info = &recording->info;
    if (recording->place_count == recording->place_room) {
        int room = 2 * recording->place_room + 16;
        GroupPlace *places = tn_realloc(recording->places, (size_t)room * sizeof *places);
        if (!places) return false;
        recording->places = places;
        recording->place_room = room;
    }
    if (frames > recording->time_room - info->frame_count) {
        int room = 2 * recording->time_room + TN_RECORD_MAX_FRAMES;
        double *times = tn_realloc(recording->times, (size_t)room * sizeof *times);
        if (!times) return false;
        recording->times = times;
        recording->time_room = room;
    }
    return true;
}

static ChunkEnd note_group(TnRecording *recording, const Chunk *chunk, int64_t offset)
{
    TnRecordIn in = {.bytes = chunk->payload, .size = chunk->length};
    TnRecordGroupInfo group;
    TnRecordingInfo *info = &recording->info;
    if (!tn_record_get_group_info(&in, &group) || info->frame_count > INT32_MAX / 4)
        return CHUNK_DAMAGED;
    if (!reserve_place(recording, group.frame_count)) return CHUNK_NO_MEMORY;
    recording->places[recording->place_count++] =
        (GroupPlace){.offset = offset + TN_RECORD_CHUNK_BYTES,
                     .length = chunk->length,
                     .first_frame = info->frame_count,
                     .frame_count = group.frame_count};
    TnRecordIn times = {.bytes = group.times, .size = 8 * (size_t)group.frame_count};
    for (int k = 0; k < group.frame_count; k++)
        recording->times[info->frame_count++] = tn_record_get_f64(&times);
    info->has_contacts |= group.has_contacts;
    info->has_state |= group.has_state;
    info->has_stress |= group.has_stress;
    info->has_account |= group.has_account;
    info->has_signals |= group.has_signals;
    return CHUNK_WHOLE;
}

static ChunkEnd note_part(TnRecording *recording, const Chunk *chunk)
{
    TnRecordIn in = {.bytes = chunk->payload, .size = chunk->length};
    uint32_t part = tn_record_get_u32(&in), parts = tn_record_get_u32(&in);
    uint64_t set = tn_record_get_u64(&in);
    if (in.failed || part >= parts || parts > MOST_PARTS) return CHUNK_DAMAGED;
    recording->part = part;
    recording->parts = parts;
    recording->set = set;
    return CHUNK_WHOLE;
}

/* All chunks up to the end or the first damaged one. */
static bool scan(TnRecording *recording, int64_t size, TnError *err)
{
    int64_t offset = TN_RECORD_HEADER_BYTES;
    ChunkEnd end = CHUNK_WHOLE;
    bool fine = true;
    while (fine && end == CHUNK_WHOLE) {
        Chunk chunk = {0};
        end = read_chunk(recording->file, offset, size, &chunk);
        if (end != CHUNK_WHOLE) break;
        if (!strcmp(chunk.type, TN_RECORD_SCENE) && !recording->scene)
            fine = read_scene(recording, &chunk, err);
        else if (!strcmp(chunk.type, TN_RECORD_FRAMES) && recording->scene)
            end = note_group(recording, &chunk, offset);
        else if (!strcmp(chunk.type, TN_RECORD_PART))
            end = note_part(recording, &chunk);
        tn_free(chunk.payload);
        if (end == CHUNK_WHOLE) offset += TN_RECORD_CHUNK_BYTES + (int64_t)chunk.length;
    }
    if (end == CHUNK_NO_MEMORY) return no_memory(recording, err);
    if (fine && !recording->scene) {
        tn_error_add(err, TN_ERROR_IO,
                     "%.700s: its scene is cut off or damaged; nothing can be "
                     "read",
                     recording->path);
        fine = false;
    }
    recording->info.cut_off = end == CHUNK_DAMAGED;
    recording->info.bytes = offset;
    return fine;
}

static bool open_recording(TnRecording *recording, TnError *err)
{
    TnFileInfo about;
    uint8_t header[TN_RECORD_HEADER_BYTES];
    /* looked at before it is opened: to open a pipe may take for ever */
    int code = tn_file_info(recording->path, &about);
    if (code) return cannot_read(recording, code, err);
    if (about.kind == TN_FILE_FOLDER) return cannot_read(recording, EISDIR, err);
    if (about.kind != TN_FILE_REGULAR) {
        tn_error_add(err, TN_ERROR_IO, "%.700s: is not a regular file", recording->path);
        return false;
    }
    recording->file = tn_stream_open(recording->path, "r");
    if (!recording->file) return cannot_read(recording, errno, err);
    code = tn_stream_info(recording->file, &about);
    if (code) return cannot_read(recording, code, err);
    errno = 0;
    size_t count = fread(header, 1, sizeof header, recording->file);
    if (ferror(recording->file)) return cannot_read(recording, errno, err);
    return tn_record_check_header(header, count, recording->path, err) &&
           scan(recording, about.size, err);
}

/* One file. */
static TnRecording *open_file(const char *path, TnError *err)
{
    TnRecording *recording = tn_calloc(1, sizeof *recording);
    if (recording) {
        recording->alive = TN_ALIVE;
        recording->path = tn_strdup(path);
    }
    if (!recording || !recording->path) {
        tn_error_add(err, TN_ERROR_MEMORY, "%.700s: no memory to read it", path);
        tn_recording_close(recording);
        return NULL;
    }
    recording->group_index = -1;
    if (!open_recording(recording, err)) {
        tn_recording_close(recording);
        return NULL;
    }
    tn_record_group_init(&recording->group, recording->scene, recording->info.resolution);
    return recording;
}

int64_t tn_recording_end_of(const TnRecording *recording, int frames)
{
    for (int i = 0; i < recording->place_count; i++) {
        const GroupPlace *p = &recording->places[i];
        if (p->first_frame + p->frame_count == frames) return p->offset + p->length;
    }
    return -1;
}

/* ---- parts ---- */

static bool open_part(TnRecording *recording, int part, TnError *err)
{
    char *path = tn_record_part_path(recording->path, part);
    if (!path) return no_memory(recording, err);
    TnRecording *other = open_file(path, err);
    recording->others[part - 1] = other;
    bool fits = other && other->part == (uint32_t)part && other->parts == recording->parts &&
                other->set == recording->set;
    if (other && !fits)
        tn_error_add(err, TN_ERROR_IO, "%.700s: belongs to another recording than %.700s", path,
                     recording->path);
    tn_free(path);
    return fits;
}

static int by_time(const void *a, const void *b)
{
    const Source *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->part != y->part ? x->part - y->part : x->index - y->index;
}

static bool merge(TnRecording *recording, TnError *err)
{
    TnRecordingInfo *info = &recording->info;
    int count = (int)recording->parts, total = info->frame_count, at = 0;
    for (int k = 1; k < count; k++) total += recording->others[k - 1]->info.frame_count;
    Source *merged = tn_malloc((size_t)(total + 1) * sizeof *merged);
    double *times = tn_malloc((size_t)(total + 1) * sizeof *times);
    recording->merged = merged;
    if (!merged || !times) {
        tn_free(times);
        return no_memory(recording, err);
    }
    for (int k = 0; k < count; k++) {
        const TnRecording *part = k ? recording->others[k - 1] : recording;
        for (int i = 0; i < part->info.frame_count; i++)
            merged[at++] = (Source){part->times[i], k, i};
        if (!k) continue;
        info->bytes += part->info.bytes;
        info->cut_off |= part->info.cut_off;
        info->has_contacts |= part->info.has_contacts;
        info->has_state |= part->info.has_state;
        info->has_stress |= part->info.has_stress;
        info->has_account |= part->info.has_account;
        info->has_signals |= part->info.has_signals;
    }
    qsort(merged, (size_t)total, sizeof *merged, by_time);
    for (int i = 0; i < total; i++) times[i] = merged[i].time;
    tn_free(recording->times);
    recording->times = times;
    info->frame_count = total;
    return true;
}

static bool open_parts(TnRecording *recording, TnError *err)
{
    recording->others = tn_calloc(recording->parts, sizeof *recording->others);
    if (!recording->others) return no_memory(recording, err);
    for (int k = 1; k < (int)recording->parts; k++)
        if (!open_part(recording, k, err)) return false;
    return merge(recording, err);
}

TnRecording *tn_recording_open(const char *path, TnError *err)
{
    TnRecording *recording = open_file(path, err);
    if (!recording) return NULL;
    recording->info.parts = 1;
    if (recording->parts > 1 && recording->part == 0) {
        recording->info.parts = (int)recording->parts;
        if (!open_parts(recording, err)) {
            tn_recording_close(recording);
            return NULL;
        }
    }
    if (recording->info.frame_count > 0) {
        recording->info.start = recording->times[0];
        recording->info.end = recording->times[recording->info.frame_count - 1];
    }
    return recording;
}

void tn_recording_close(TnRecording *recording)
{
    TN_ASSERT_ALIVE(recording);
    if (!recording) return;
    for (uint32_t k = 1; recording->others && k < recording->parts; k++)
        tn_recording_close(recording->others[k - 1]);
    tn_free(recording->others);
    tn_free(recording->merged);
    if (recording->file) fclose(recording->file);
    tn_record_group_free(&recording->group);
    tn_io_pool_free(&recording->pool);
    tn_free(recording->places);
    tn_free(recording->times);
    tn_free(recording->path);
    tn_free(recording);
}

const TnScene *tn_recording_scene(const TnRecording *recording)
{
    return recording ? recording->scene : NULL;
}

TnRecordingInfo tn_recording_info(const TnRecording *recording)
{
    return recording ? recording->info : (TnRecordingInfo){0};
}

double tn_recording_time(const TnRecording *recording, int index)
{
    TN_ASSERT_ALIVE(recording);
    if (!recording || index < 0 || index >= recording->info.frame_count) return 0.0;
    return recording->times[index];
}

/* ---- frames ---- */

static int find_group(const TnRecording *recording, int index)
{
    int low = 0, high = recording->place_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (recording->places[middle].first_frame <= index)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static TnStatus load_group(TnRecording *recording, int which, TnError *err)
{
    const GroupPlace *place = &recording->places[which];
    recording->group_index = -1;
    Chunk chunk = {0};
    int64_t start = place->offset - TN_RECORD_CHUNK_BYTES;
    /* checked again: the file may have changed since it was opened */
    ChunkEnd end = read_chunk(recording->file, start, place->offset + place->length, &chunk);
    TnStatus status = end == CHUNK_NO_MEMORY ? TN_ERROR_MEMORY : TN_ERROR_IO;
    if (end == CHUNK_WHOLE && chunk.length == place->length) {
        TnRecordIn in = {.bytes = chunk.payload, .size = chunk.length};
        status = tn_record_get_group(&in, &recording->group);
    }
    tn_free(chunk.payload);
    if (status == TN_OK && recording->group.frame_count != place->frame_count) status = TN_ERROR_IO;
    if (status == TN_ERROR_MEMORY)
        no_memory(recording, err);
    else if (status != TN_OK)
        tn_error_add(err, status, "%.700s: the frames from %d to %d are damaged", recording->path,
                     place->first_frame, place->first_frame + place->frame_count - 1);
    else
        recording->group_index = which;
    return status;
}

static void copy_head(TnFrame *frame, const TnRecordHead *head)
{
    frame->time = head->time;
    frame->step = head->step;
    frame->iterations = head->iterations;
    frame->residual = head->residual;
    frame->kinetic = head->kinetic;
    frame->potential = head->potential;
    frame->elastic = head->elastic;
    frame->account = head->account;
    frame->mean_penetration = head->mean_penetration;
    frame->max_penetration = head->max_penetration;
    frame->times = head->times;
}

/* Of one file. */
static TnStatus read_frame(TnRecording *recording, int index, TnFrame *frame, TnError *err)
{
    const TnScene *scene = recording->scene;
    int which = find_group(recording, index);
    TnStatus status = TN_OK;
    if (which != recording->group_index) status = load_group(recording, which, err);
    if (status != TN_OK) return status;
    const TnRecordGroup *group = &recording->group;
    size_t at = (size_t)(index - recording->places[which].first_frame);
    const TnRecordHead *head = &group->heads[at];
    status = tn_frame_reserve_contacts(frame, head->contact_count, err);
    if (status == TN_OK)
        status = tn_frame_reserve_state(frame, group->qpos_count, group->dof_count,
                                        group->ctrl_count, err);
    if (status == TN_OK)
        status = tn_frame_reserve_stress(frame, group->has_stress ? group->cell_count : -1, err);
    size_t signals = group->has_signals ? (size_t)scene->signal_count : 0;
    if (status == TN_OK) status = tn_frame_reserve_signals(frame, (int)signals, err);
    if (status != TN_OK) return status;
    copy_head(frame, head);
    size_t poses = 7 * (size_t)scene->body_count, points = 3 * (size_t)scene->point_count;
    if (poses) memcpy(frame->poses, group->poses + at * poses, poses * sizeof *frame->poses);
    if (points) memcpy(frame->points, group->points + at * points, points * sizeof *frame->points);
    if (head->contact_count)
        memcpy(frame->contacts, group->contacts + head->contact_start,
               (size_t)head->contact_count * sizeof *frame->contacts);
    frame->contact_count = head->contact_count;
    size_t numbers =
        (size_t)group->qpos_count + (size_t)group->dof_count + (size_t)group->ctrl_count;
    if (numbers) memcpy(frame->qpos, group->state + at * numbers, numbers * sizeof *frame->qpos);
    size_t stresses = (size_t)scene->point_count + 6 * (size_t)group->cell_count;
    if (group->has_stress && stresses)
        memcpy(frame->stress, group->stress + at * stresses, stresses * sizeof *frame->stress);
    for (size_t i = 0; i < signals; i++)
        frame->signals[i] = (double)group->signals[at * signals + i];
    return TN_OK;
}

TnStatus tn_recording_frame(TnRecording *recording, int index, TnFrame *frame, TnError *err)
{
    TN_ASSERT_ALIVE(recording);
    if (!recording || !frame || frame->body_count != recording->scene->body_count ||
        frame->point_count != recording->scene->point_count) {
        tn_error_add(err, TN_ERROR_USAGE, "the frame was not created of the recording's scene");
        return TN_ERROR_USAGE;
    }
    if (index < 0 || index >= recording->info.frame_count) {
        tn_error_add(err, TN_ERROR_USAGE, "there is no frame %d; the recording has %d", index,
                     recording->info.frame_count);
        return TN_ERROR_USAGE;
    }
    if (!recording->merged) return read_frame(recording, index, frame, err);
    const Source *from = &recording->merged[index];
    return read_frame(from->part ? recording->others[from->part - 1] : recording, from->index,
                      frame, err);
}
