/* A ZIP archive, written front to back; see zip.h.
 *
 *   member: local header, deflated bytes, data descriptor (checksum and sizes, known only now)
 *   end:    one entry per member, the ZIP64 end record, its locator, the classic end record */
#include "zip.h"

#include <string.h>

enum {
    VERSION = 45, /* of the format: ZIP64 */
    FLAGS = 0x0808 /* sizes follow the data; names are UTF-8 */,
    DEFLATED = 8,
    DATE = 0x21 /* 1980-01-01: the same recording gives the same bytes */
};

static void put(Zip *zip, uint64_t value, int bytes)
{
    for (int k = 0; k < bytes; k++) fputc((int)(value >> (8 * k) & 0xFF), zip->out);
    zip->at += (uint64_t)bytes;
}

static void put_bytes(Zip *zip, const void *bytes, size_t count)
{
    fwrite(bytes, 1, count, zip->out);
    zip->at += count;
}

bool zip_begin(Zip *zip, const char *name)
{
    if (zip->member_count == ZIP_MAX_MEMBERS) return false;
    zip->stream = (z_stream){0};
    if (deflateInit2(&zip->stream, 4, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) return false;
    zip->open = true;
    ZipMember *member = &zip->members[zip->member_count++];
    *member = (ZipMember){.offset = zip->at};
    snprintf(member->name, sizeof member->name, "%s", name);
    size_t length = strlen(member->name);
    put(zip, 0x04034B50, 4);
    put(zip, VERSION, 2);
    put(zip, FLAGS, 2);
    put(zip, DEFLATED, 2);
    put(zip, 0, 2);
    put(zip, DATE, 2);
    put(zip, 0, 4);
    put(zip, UINT32_MAX, 4);
    put(zip, UINT32_MAX, 4);
    put(zip, length, 2);
    put(zip, 20, 2);
    put_bytes(zip, member->name, length);
    put(zip, 1, 2); /* ZIP64: both sizes, as yet unknown */
    put(zip, 16, 2);
    put(zip, 0, 8);
    put(zip, 0, 8);
    return true;
}

/* Hands zlib's output on. */
static bool pump(Zip *zip, int flush)
{
    ZipMember *member = &zip->members[zip->member_count - 1];
    unsigned char buffer[1 << 14];
    int state;
    do {
        zip->stream.next_out = buffer;
        zip->stream.avail_out = sizeof buffer;
        state = deflate(&zip->stream, flush);
        if (state == Z_STREAM_ERROR) return false;
        size_t count = sizeof buffer - zip->stream.avail_out;
        put_bytes(zip, buffer, count);
        member->packed += count;
    } while (zip->stream.avail_out == 0);
    return flush != Z_FINISH || state == Z_STREAM_END;
}

bool zip_write(Zip *zip, const void *bytes, size_t count)
{
    ZipMember *member = &zip->members[zip->member_count - 1];
    const unsigned char *from = bytes;
    member->size += count;
    while (count > 0) {
        unsigned part = count < 1u << 30 ? (unsigned)count : 1u << 30;
        member->checksum = (uint32_t)crc32(member->checksum, from, part);
        zip->stream.next_in = (Bytef *)(uintptr_t)from;
        zip->stream.avail_in = part;
        if (!pump(zip, Z_NO_FLUSH)) return false;
        from += part;
        count -= part;
    }
    return true;
}

bool zip_end(Zip *zip)
{
    ZipMember *member = &zip->members[zip->member_count - 1];
    zip->stream.next_in = NULL;
    zip->stream.avail_in = 0;
    bool fine = pump(zip, Z_FINISH);
    zip_drop(zip);
    put(zip, 0x08074B50, 4);
    put(zip, member->checksum, 4);
    put(zip, member->packed, 8);
    put(zip, member->size, 8);
    return fine;
}

void zip_drop(Zip *zip)
{
    if (zip->open) deflateEnd(&zip->stream);
    zip->open = false;
}

static void put_entry(Zip *zip, const ZipMember *member)
{
    size_t length = strlen(member->name);
    put(zip, 0x02014B50, 4);
    put(zip, VERSION, 2);
    put(zip, VERSION, 2);
    put(zip, FLAGS, 2);
    put(zip, DEFLATED, 2);
    put(zip, 0, 2);
    put(zip, DATE, 2);
    put(zip, member->checksum, 4);
    put(zip, UINT32_MAX, 4);
    put(zip, UINT32_MAX, 4);
    put(zip, length, 2);
    put(zip, 28, 2);
    put(zip, 0, 2);
    put(zip, 0, 2);
    put(zip, 0, 2);
    put(zip, 0, 4);
    put(zip, UINT32_MAX, 4);
    put_bytes(zip, member->name, length);
    put(zip, 1, 2); /* ZIP64: sizes and place */
    put(zip, 24, 2);
    put(zip, member->size, 8);
    put(zip, member->packed, 8);
    put(zip, member->offset, 8);
}

void zip_finish(Zip *zip)
{
    uint64_t start = zip->at, count = (uint64_t)zip->member_count;
    for (int i = 0; i < zip->member_count; i++) put_entry(zip, &zip->members[i]);
    uint64_t end = zip->at;
    put(zip, 0x06064B50, 4); /* ZIP64 end record */
    put(zip, 44, 8);
    put(zip, VERSION, 2);
    put(zip, VERSION, 2);
    put(zip, 0, 4);
    put(zip, 0, 4);
    put(zip, count, 8);
    put(zip, count, 8);
    put(zip, end - start, 8);
    put(zip, start, 8);
    put(zip, 0x07064B50, 4); /* its locator */
    put(zip, 0, 4);
    put(zip, end, 8);
    put(zip, 1, 4);
    put(zip, 0x06054B50, 4); /* the classic end record: see the other one */
    put(zip, 0, 2);
    put(zip, 0, 2);
    put(zip, count, 2);
    put(zip, count, 2);
    put(zip, UINT32_MAX, 4);
    put(zip, UINT32_MAX, 4);
    put(zip, 0, 2);
}
