/* record_chunk.c: the frame of the file: header, chunks with their checksums, deflate. */
#include "record_format.h"

#include <stdio.h>

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <zlib.h>

/* A byte beyond ASCII, both ends of line, the end-of-file mark of old systems: what mangles files
 * mangles this. */
static const uint8_t magic[8] = {0x89, 'T', 'N', 'R', '\r', '\n', 0x1A, '\n'};

static void store_u32(uint8_t *place, uint32_t value)
{
    for (int k = 0; k < 4; k++) place[k] = (uint8_t)(value >> (8 * k));
}

uint32_t tn_record_checksum(uint32_t so_far, const void *bytes, size_t count)
{
    return (uint32_t)crc32_z(so_far, bytes, count);
}

void tn_record_put_header(TnRecordOut *out)
{
    size_t start = out->size;
    tn_record_put_bytes(out, magic, sizeof magic);
    tn_record_put_u16(out, TN_RECORD_MAJOR);
    tn_record_put_u16(out, TN_RECORD_MINOR);
    if (!out->failed) tn_record_put_u32(out, tn_record_checksum(0, out->bytes + start, 12));
}

bool tn_record_check_header(const uint8_t *bytes, size_t size, const char *path, TnError *err)
{
    size_t known = size < sizeof magic ? size : sizeof magic;
    if (memcmp(bytes, magic, known) != 0 || size == 0) {
        tn_error_add(err, TN_ERROR_IO, "%.700s: is not a recording", path);
        return false;
    }
    if (size < TN_RECORD_HEADER_BYTES) {
        tn_error_add(err, TN_ERROR_IO, "%.700s: its header is cut off", path);
        return false;
    }
    TnRecordIn in = {.bytes = bytes, .size = TN_RECORD_HEADER_BYTES, .at = sizeof magic};
    int major = tn_record_get_u16(&in), minor = tn_record_get_u16(&in);
    if (tn_record_get_u32(&in) != tn_record_checksum(0, bytes, 12)) {
        tn_error_add(err, TN_ERROR_IO, "%.700s: its header is damaged", path);
        return false;
    }
    if (major != TN_RECORD_MAJOR) {
        tn_error_add(err, TN_ERROR_IO,
                     "%.700s: is a recording of version %d.%d; this tenon reads version %d", path,
                     major, minor, TN_RECORD_MAJOR);
        return false;
    }
    return true;
}

size_t tn_record_begin_chunk(TnRecordOut *out, const char *type)
{
    size_t start = out->size;
    tn_record_put_bytes(out, type, 4);
    tn_record_put_u64(out, 0); /* length and checksum */
    return start;
}

bool tn_record_end_chunk(TnRecordOut *out, size_t start)
{
    if (out->failed) return false;
    size_t length = out->size - start - TN_RECORD_CHUNK_BYTES;
    if (length > UINT32_MAX) return false;
    uint8_t *chunk = out->bytes + start;
    store_u32(chunk + 4, (uint32_t)length);
    uint32_t sum = tn_record_checksum(0, chunk, 8);
    store_u32(chunk + 8, tn_record_checksum(sum, chunk + TN_RECORD_CHUNK_BYTES, length));
    return true;
}

/* zlib's memory comes through tn_malloc, as all of the library's. */
static void *zlib_alloc(void *user, unsigned count, unsigned size)
{
    (void)user;
    return tn_malloc((size_t)count * size);
}

static void zlib_free(void *user, void *p)
{
    (void)user;
    tn_free(p);
}

/* zlib counts in unsigned int: hands it the input and the room in pieces of at most 1 GB. */
static unsigned piece(size_t left)
{
    return (unsigned)(left < ((size_t)1 << 30) ? left : (size_t)1 << 30);
}

/* Columns of measured numbers are noise apart from their runs of zeros: looking for anything else
 * takes twice the time and saves a few percent. */
void tn_record_put_packed(TnRecordOut *out, const void *bytes, size_t size, bool columns)
{
    int strategy = columns ? Z_RLE : Z_DEFAULT_STRATEGY;
    tn_record_put_u64(out, size);
    z_stream stream = {.zalloc = zlib_alloc, .zfree = zlib_free};
    if (out->failed || deflateInit2(&stream, 9, Z_DEFLATED, 15, 9, strategy) != Z_OK) {
        out->failed = true;
        return;
    }
    size_t left = size;
    stream.next_in = (Bytef *)(uintptr_t)bytes;
    int state = Z_OK;
    while (state == Z_OK) {
        size_t room = left / 4 + 4096, start = out->size;
        stream.next_out = tn_record_put_room(out, room);
        if (!stream.next_out) break;
        stream.avail_out = piece(room);
        unsigned given = stream.avail_out, fed = stream.avail_in = piece(left);
        state = deflate(&stream, fed == left ? Z_FINISH : Z_NO_FLUSH);
        left -= fed - stream.avail_in;
        out->size = start + (given - stream.avail_out);
    }
    deflateEnd(&stream);
    if (state != Z_STREAM_END) out->failed = true;
}

uint8_t *tn_record_get_packed(TnRecordIn *in, size_t *size)
{
    uint64_t raw = tn_record_get_u64(in);
    size_t packed = in->size - in->at;
    const uint8_t *bytes = tn_record_get_bytes(in, packed);
    /* deflate makes at most 1032 bytes of one: a size beyond that is no size, and no memory is
     * taken for it */
    if (!bytes || raw > TN_RECORD_MAX_RAW || raw / 1032 > packed || packed > UINT_MAX) {
        in->failed = true;
        return NULL;
    }
    uint8_t *unpacked = tn_malloc((size_t)raw);
    if (!unpacked) return NULL;
    z_stream stream = {.zalloc = zlib_alloc,
                       .zfree = zlib_free,
                       .next_in = (Bytef *)(uintptr_t)bytes,
                       .avail_in = (unsigned)packed,
                       .next_out = unpacked,
                       .avail_out = (unsigned)raw};
    int state = inflateInit(&stream);
    if (state == Z_OK) {
        state = inflate(&stream, Z_FINISH);
        inflateEnd(&stream);
    }
    if (state != Z_STREAM_END || stream.avail_out != 0) {
        in->failed = state != Z_MEM_ERROR;
        tn_free(unpacked);
        return NULL;
    }
    *size = (size_t)raw;
    return unpacked;
}

const char *tn_record_reason(int code)
{
    switch (code) {
    case ENOENT:
    case ENOTDIR:
        return "no such file or folder";
    case EACCES:
    case EPERM:
        return "permission denied";
    case EROFS:
        return "the file system is read-only";
    case EISDIR:
        return "is a directory";
    case ENOSPC:
        return "no space left on the device";
#ifdef EDQUOT
    case EDQUOT:
        return "the quota of the disk is used up";
#endif
    case EFBIG:
        return "the file would be larger than is allowed";
    case ENAMETOOLONG:
        return "the name is too long";
    case ELOOP:
        return "too many symbolic links";
    case EMFILE:
    case ENFILE:
        return "too many open files";
    case EPIPE:
        return "nothing reads the pipe";
    default:
        return "input/output error";
    }
}

char *tn_record_part_path(const char *path, int part)
{
    size_t size = strlen(path) + 16;
    char *name = tn_malloc(size);
    if (!name) return NULL;
    if (part > 0)
        snprintf(name, size, "%s.%d", path, part);
    else
        snprintf(name, size, "%s", path);
    return name;
}
