/* record_format.h: what the parts of recordings (.tnr) share. docs/recordings.md has the layout.
 *
 *   frames ──► group ──► columns of integers ──► differences ──► byte planes ──► deflate ──► chunk
 *            record_group          record_pack                               record_chunk
 *
 * The writer collects frames in a TnRecordGroup and encodes it as one chunk; the reader decodes a
 * chunk into the same struct. Everything that comes from a file is checked before it is used. */
#ifndef TN_IO_RECORD_FORMAT_H
#define TN_IO_RECORD_FORMAT_H

#include "../../base/base.h"
#include "../io_pool.h"

#include <string.h>
#include <tenon/record.h>

enum {
    TN_RECORD_MAJOR = 1,
    TN_RECORD_MINOR = 5,
    TN_RECORD_HEADER_BYTES = 16, /* magic, version, checksum */
    TN_RECORD_CHUNK_BYTES = 12,  /* type, length, checksum */
    TN_RECORD_MAX_FRAMES = 256   /* of a group */
};
#define TN_RECORD_MAX_RAW ((uint64_t)1 << 30) /* bytes of an unpacked chunk */
#define TN_RECORD_SCENE "SCNE"
#define TN_RECORD_FRAMES "FRMS"
#define TN_RECORD_PART "PART" /* u32 part, u32 parts, u64 set: see TnRecorderDef */

/* ---- bytes (record_bytes.c), little-endian ---- */

/* Grows as needed; `failed` remembers that there was no memory, and the rest is not written. */
typedef struct TnRecordOut {
    uint8_t *bytes;
    size_t size, room;
    bool failed;
} TnRecordOut;

/* Reads never leave the range; `failed` remembers that one wanted to, and gives zeros. */
typedef struct TnRecordIn {
    const uint8_t *bytes;
    size_t size, at;
    bool failed;
} TnRecordIn;

void tn_record_out_free(TnRecordOut *out);
uint8_t *tn_record_put_room(TnRecordOut *out, size_t bytes); /* NULL: no memory */
void tn_record_put_bytes(TnRecordOut *out, const void *bytes, size_t count);
void tn_record_put_u16(TnRecordOut *out, uint16_t value);
void tn_record_put_u32(TnRecordOut *out, uint32_t value);
void tn_record_put_u64(TnRecordOut *out, uint64_t value);
void tn_record_put_f32(TnRecordOut *out, float value);
void tn_record_put_f64(TnRecordOut *out, double value);
void tn_record_put_text(TnRecordOut *out, const char *text);

const uint8_t *tn_record_get_bytes(TnRecordIn *in, size_t count); /* NULL: not as many left */
uint16_t tn_record_get_u16(TnRecordIn *in);
uint32_t tn_record_get_u32(TnRecordIn *in);
uint64_t tn_record_get_u64(TnRecordIn *in);
float tn_record_get_f32(TnRecordIn *in);
double tn_record_get_f64(TnRecordIn *in);
/* A count of things of at least `bytes` bytes each; fails where so many cannot follow. */
int tn_record_get_count(TnRecordIn *in, size_t bytes);
const char *tn_record_get_text(TnRecordIn *in, TnIoPool *pool); /* "" after a failure */

/* ---- columns of integers (record_pack.c) ---- */

/* Zig-zag, as many bytes per number as the largest needs, byte planes. */
void tn_record_put_column(TnRecordOut *out, const int64_t *values, size_t count);
bool tn_record_get_column(TnRecordIn *in, int64_t *values, size_t count);
/* How a table's rows after the first are guessed from the rows before; kept is what is missing. */
typedef enum TnRecordPrediction {
    TN_PREDICT_LAST, /* as the row before */
    TN_PREDICT_LINE  /* on a line through the two rows before */
} TnRecordPrediction;
/* A table of rows × columns, one row per frame: the first row, then the others. Changes `values`.
 */
void tn_record_put_table(TnRecordOut *out, int64_t *values, size_t rows, size_t columns,
                         TnRecordPrediction how);
bool tn_record_get_table(TnRecordIn *in, int64_t *values, size_t rows, size_t columns,
                         TnRecordPrediction how);

/* ---- chunks (record_chunk.c) ---- */

uint32_t tn_record_checksum(uint32_t so_far, const void *bytes, size_t count); /* CRC-32 */
/* The file's first bytes. */
void tn_record_put_header(TnRecordOut *out);
/* Of a file of `size` bytes, at most TN_RECORD_HEADER_BYTES of which are looked at. */
bool tn_record_check_header(const uint8_t *bytes, size_t size, const char *path, TnError *err);
/* Begins a chunk; tn_record_end_chunk fills in length and checksum. False: too long. */
size_t tn_record_begin_chunk(TnRecordOut *out, const char *type);
bool tn_record_end_chunk(TnRecordOut *out, size_t start);
/* Appends `size` bytes deflated, with the size in front. */
void tn_record_put_packed(TnRecordOut *out, const void *bytes, size_t size, bool columns);
/* Unpacks what tn_record_put_packed wrote, up to the end of `in`. NULL with `in` failed: damaged;
 * NULL else: no memory. Free with tn_free. */
uint8_t *tn_record_get_packed(TnRecordIn *in, size_t *size);
/* Where the group that ends with the first `frames` frames ends, in bytes; -1: none does. Of a
 * recording in one part (record_reader.c). */
int64_t tn_recording_end_of(const TnRecording *recording, int frames);
/* PATH.k, on the heap; NULL: no memory. */
char *tn_record_part_path(const char *path, int part);
const char *tn_record_reason(int code); /* of an errno, in a few words */

/* ---- scene (record_scene.c) ---- */

double tn_record_resolution(const TnScene *scene); /* m, a power of two */
/* Textures are halved until they take at most so many bytes. False: no memory. */
bool tn_record_put_scene(TnRecordOut *out, const TnScene *scene, int64_t texture_bytes);
void tn_record_put_f64s(TnRecordOut *out, const double *values, int count);
void tn_record_put_f32s(TnRecordOut *out, const float *values, size_t count);
typedef struct TnRecordReader {
    TnRecordIn *in;
    TnIoPool *pool;
} TnRecordReader;
void tn_record_get_f64s(TnRecordReader *r, double *values, int count);
void tn_record_get_f32s(TnRecordReader *r, float *values, size_t count);
int tn_record_get_int(TnRecordReader *r, int lower, int upper); /* outside: failed */
/* A list of `count` things of `size` bytes. NULL where there is none or no memory. */
void *tn_record_new_list(TnRecordReader *r, int count, size_t size);
/* Textures, materials, lights (record_looks.c). */
bool tn_record_put_looks(TnRecordOut *out, const TnScene *scene, int64_t texture_bytes);
void tn_record_get_looks(TnRecordReader *r, TnScene *scene);
/* NULL with `in` failed: damaged; NULL else: no memory. Everything lies in the pool. */
TnScene *tn_record_get_scene(TnRecordIn *in, TnIoPool *pool, double *resolution);

/* ---- groups of frames (record_group.c) ---- */

/* One frame's numbers that are no arrays. */
typedef struct TnRecordHead {
    double time;
    int64_t step;
    int iterations;
    double residual, kinetic, potential, mean_penetration, max_penetration;
    double elastic; /* NaN as the account: not recorded */
    TnEnergyAccount account;
    TnStepTimes times;
    int contact_start, contact_count; /* range of the group's contacts */
} TnRecordHead;

typedef struct TnRecordGroup {
    const TnScene *scene;
    double resolution;
    int frame_count;
    bool has_contacts, has_state, has_stress;
    bool has_account, has_push_out; /* of a group that was read; those that are written have them */
    bool has_signals;               /* all of the scene's */
    int qpos_count, dof_count, ctrl_count;
    int cell_count;      /* tetrahedra with stress of their own */
    TnRecordHead *heads; /* frame_room */
    double *poses;       /* frame_room × body_count × 7 */
    float *points;       /* frame_room × point_count × 3 */
    double *state;       /* frame_room × (qpos, qvel, ctrl) */
    float *stress;       /* frame_room × (point_count, 6 × cell_count) */
    float *signals;      /* frame_room × signal_count of the scene */
    TnContact *contacts;
    int frame_room, contact_count, contact_room;
    size_t state_room, stress_room; /* numbers */
} TnRecordGroup;

void tn_record_group_init(TnRecordGroup *group, const TnScene *scene, double resolution);
void tn_record_group_free(TnRecordGroup *group);
/* Makes room; what was there stays. False: no memory. */
bool tn_record_group_reserve(TnRecordGroup *group, int frames);
bool tn_record_group_reserve_contacts(TnRecordGroup *group, int contacts);
bool tn_record_group_reserve_state(TnRecordGroup *group, int frames);
bool tn_record_group_reserve_stress(TnRecordGroup *group, int frames); /* record_stress.c */

/* A whole chunk. False: no memory or too long. */
bool tn_record_put_group(TnRecordOut *out, const TnRecordGroup *group);

/* What a chunk's payload tells without unpacking it. */
typedef struct TnRecordGroupInfo {
    int frame_count;
    bool has_contacts, has_state, has_stress, has_account, has_signals;
    const uint8_t *times; /* frame_count × 8 bytes */
} TnRecordGroupInfo;
bool tn_record_get_group_info(TnRecordIn *in, TnRecordGroupInfo *info);
/* TN_ERROR_IO: damaged. The group's scene and resolution must be set. */
TnStatus tn_record_get_group(TnRecordIn *in, TnRecordGroup *group);

/* ---- contacts of a group (record_contacts.c) ---- */

/* `poses` are those that a reader will see. False: no memory. */
bool tn_record_put_contacts(TnRecordOut *out, const TnRecordGroup *group, const double *poses);
/* Fills heads[].contact_… and contacts; poses are there already. */
TnStatus tn_record_get_contacts(TnRecordIn *in, TnRecordGroup *group);

/* ---- stress of a group (record_stress.c) ---- */

bool tn_record_put_stress(TnRecordOut *out, const TnRecordGroup *group); /* false: no memory */
TnStatus tn_record_get_stress(TnRecordIn *in, TnRecordGroup *group);

/* ---- signals of a group (record_signals.c) ---- */

bool tn_record_put_signals(TnRecordOut *out, const TnRecordGroup *group); /* false: no memory */
TnStatus tn_record_get_signals(TnRecordIn *in, TnRecordGroup *group);

/* A double as an integer, exactly. */
static inline int64_t tn_record_bits(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double tn_record_from_bits(int64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* On the grid: false where a number is not finite or too large for it. */
static inline int64_t tn_record_round(double value) /* below 2^51; llround is slower */
{
    return value < 0 ? -(int64_t)(0.5 - value) : (int64_t)(value + 0.5);
}
bool tn_record_to_grid(double value, double step, int64_t *out);

#endif
