/* html_codec.c: sections of the replay's data, and how numbers become small before they are
 * deflated. */
#include "html_codec.h"

#include "base64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const struct {
    const char *name;
    size_t width;
} section_types[] = {
    [SECTION_U8] = {"u8", 1},   [SECTION_I8] = {"i8", 1},   [SECTION_I16] = {"i16", 2},
    [SECTION_I32] = {"i32", 4}, [SECTION_F32] = {"f32", 4}, [SECTION_F64] = {"f64", 8}};

/* Byte k of number i goes to place k · count + i: bytes that are alike stand together. The lowest
 * byte comes first whatever the machine. */
static void split_planes(unsigned char *planes, const unsigned char *numbers, size_t width,
                         size_t count)
{
    const uint16_t probe = 1;
    bool little = *(const unsigned char *)&probe == 1;
    for (size_t k = 0; k < width; k++) {
        const unsigned char *from = numbers + (little ? k : width - 1 - k);
        for (size_t i = 0; i < count; i++) planes[k * count + i] = from[i * width];
    }
}

/* Raw deflate, without a head or a checksum. False where there is no memory. */
static bool deflate_bytes(const unsigned char *bytes, size_t size, unsigned char **packed,
                          size_t *packed_size)
{
    enum { RAW = -15, MEMORY = 9 };
    z_stream z = {0};
    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, RAW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    size_t room = size / 2 + 1024, used = 0;
    unsigned char *out = malloc(room);
    int state = Z_OK;
    while (out && state != Z_STREAM_END) {
        /* zlib counts in 32 bits: hand over in pieces */
        size_t piece = size < (1u << 30) ? size : (size_t)1 << 30;
        z.next_in = (unsigned char *)(uintptr_t)bytes;
        z.avail_in = (uInt)piece;
        size_t space = room - used < (1u << 30) ? room - used : (size_t)1 << 30;
        z.next_out = out + used;
        z.avail_out = (uInt)space;
        state = deflate(&z, piece == size ? Z_FINISH : Z_NO_FLUSH);
        bytes += piece - z.avail_in;
        size -= piece - z.avail_in;
        used += space - z.avail_out;
        if (state == Z_STREAM_ERROR) break;
        if (used == room) {
            unsigned char *more = realloc(out, room * 2);
            if (!more) break;
            out = more;
            room *= 2;
        }
    }
    deflateEnd(&z);
    if (state != Z_STREAM_END) {
        free(out);
        return false;
    }
    *packed = out;
    *packed_size = used;
    return true;
}

void sections_add(Sections *sections, const char *name, SectionType type, const void *numbers,
                  size_t count)
{
    if (sections->failed) return;
    size_t width = section_types[type].width;
    unsigned char *planes = malloc(count * width + 1);
    Section section = {.name = name, .type = type, .count = count};
    if (planes && sections->count < SECTION_ROOM) {
        if (count) split_planes(planes, numbers, width, count);
        deflate_bytes(planes, count * width, &section.packed, &section.packed_size);
    }
    free(planes);
    if (section.packed)
        sections->list[sections->count++] = section;
    else
        sections->failed = true;
}

void sections_free(Sections *sections)
{
    for (int i = 0; i < sections->count; i++) free(sections->list[i].packed);
    *sections = (Sections){0};
}

void sections_describe(const Sections *sections, Json *json)
{
    json_begin_array(json, "sections");
    for (int i = 0; i < sections->count; i++) {
        const Section *section = &sections->list[i];
        json_begin_object(json, NULL);
        json_string(json, "name", section->name);
        json_string(json, "type", section_types[section->type].name);
        json_integer(json, "count", (int64_t)section->count);
        json_integer(json, "bytes", (int64_t)section->packed_size);
        json_end(json);
    }
    json_end(json);
}

void sections_write_base64(const Sections *sections, FILE *out)
{
    Base64 base64 = {.out = out}; /* runs on over the borders of sections */
    for (int i = 0; i < sections->count; i++) {
        const Section *section = &sections->list[i];
        for (size_t k = 0; k < section->packed_size; k++) base64_byte(&base64, section->packed[k]);
    }
    base64_flush(&base64);
}

/* What the differences of that order leave at frame k; wraps round like the player's arithmetic. */
static uint32_t left_over(const int32_t *channel, int k, int order)
{
    uint32_t now = (uint32_t)channel[k];
    if (order == 0 || k == 0) return now;
    uint32_t before = (uint32_t)channel[k - 1];
    if (order == 1 || k == 1) return now - before;
    return now - 2 * before + (uint32_t)channel[k - 2];
}

static uint32_t fold(uint32_t value) { return value << 1 ^ (value >> 31 ? UINT32_MAX : 0); }

unsigned char predict_channel(int32_t *channel, int count)
{
    double least = INFINITY;
    int best = 0;
    for (int order = 0; order <= 2; order++) {
        double bits = 0;
        for (int k = 0; k < count; k++) bits += log2(1.0 + fold(left_over(channel, k, order)));
        if (bits < least) {
            least = bits;
            best = order;
        }
    }
    for (int k = count - 1; k >= 0; k--) channel[k] = (int32_t)fold(left_over(channel, k, best));
    return (unsigned char)best;
}

void pack_direction(const double direction[3], signed char packed[2])
{
    double x = direction[0], y = direction[1], z = direction[2];
    double sum = fabs(x) + fabs(y) + fabs(z);
    if (!(sum > 0)) {
        packed[0] = packed[1] = 0;
        return;
    }
    x /= sum;
    y /= sum;
    if (z < 0) { /* the lower half is folded out over the corners */
        double folded = (1 - fabs(y)) * (x < 0 ? -1 : 1);
        y = (1 - fabs(x)) * (y < 0 ? -1 : 1);
        x = folded;
    }
    packed[0] = (signed char)lrint(x * 127);
    packed[1] = (signed char)lrint(y * 127);
}
