/* record_bytes.c: numbers and texts to bytes and back, little-endian on any machine. */
#include "record_format.h"

#include <string.h>

void tn_record_out_free(TnRecordOut *out)
{
    tn_free(out->bytes);
    *out = (TnRecordOut){0};
}

uint8_t *tn_record_put_room(TnRecordOut *out, size_t bytes)
{
    if (out->failed) return NULL;
    if (bytes > out->room - out->size) {
        size_t room = out->room + out->room / 2 + bytes + 256;
        uint8_t *bigger = tn_realloc(out->bytes, room);
        if (!bigger) {
            out->failed = true;
            return NULL;
        }
        out->bytes = bigger;
        out->room = room;
    }
    uint8_t *place = out->bytes + out->size;
    out->size += bytes;
    return place;
}

void tn_record_put_bytes(TnRecordOut *out, const void *bytes, size_t count)
{
    uint8_t *place = tn_record_put_room(out, count);
    if (place && count) memcpy(place, bytes, count);
}

static void put_integer(TnRecordOut *out, uint64_t value, int bytes)
{
    uint8_t *place = tn_record_put_room(out, (size_t)bytes);
    for (int k = 0; place && k < bytes; k++) place[k] = (uint8_t)(value >> (8 * k));
}

void tn_record_put_u16(TnRecordOut *out, uint16_t value) { put_integer(out, value, 2); }
void tn_record_put_u32(TnRecordOut *out, uint32_t value) { put_integer(out, value, 4); }
void tn_record_put_u64(TnRecordOut *out, uint64_t value) { put_integer(out, value, 8); }

void tn_record_put_f32(TnRecordOut *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_integer(out, bits, 4);
}

void tn_record_put_f64(TnRecordOut *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_integer(out, bits, 8);
}

void tn_record_put_text(TnRecordOut *out, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    tn_record_put_u32(out, (uint32_t)length);
    tn_record_put_bytes(out, text, length);
}

const uint8_t *tn_record_get_bytes(TnRecordIn *in, size_t count)
{
    if (in->failed || count > in->size - in->at) {
        in->failed = true;
        return NULL;
    }
    const uint8_t *place = in->bytes + in->at;
    in->at += count;
    return place;
}

static uint64_t get_integer(TnRecordIn *in, int bytes)
{
    const uint8_t *place = tn_record_get_bytes(in, (size_t)bytes);
    uint64_t value = 0;
    for (int k = 0; place && k < bytes; k++) value |= (uint64_t)place[k] << (8 * k);
    return value;
}

uint16_t tn_record_get_u16(TnRecordIn *in) { return (uint16_t)get_integer(in, 2); }
uint32_t tn_record_get_u32(TnRecordIn *in) { return (uint32_t)get_integer(in, 4); }
uint64_t tn_record_get_u64(TnRecordIn *in) { return get_integer(in, 8); }

float tn_record_get_f32(TnRecordIn *in)
{
    uint32_t bits = tn_record_get_u32(in);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double tn_record_get_f64(TnRecordIn *in)
{
    uint64_t bits = tn_record_get_u64(in);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

int tn_record_get_count(TnRecordIn *in, size_t bytes)
{
    uint32_t count = tn_record_get_u32(in);
    if (in->failed || count > INT32_MAX || count > (in->size - in->at) / bytes) {
        in->failed = true;
        return 0;
    }
    return (int)count;
}

const char *tn_record_get_text(TnRecordIn *in, TnIoPool *pool)
{
    int length = tn_record_get_count(in, 1);
    const uint8_t *place = tn_record_get_bytes(in, (size_t)length);
    char *text = place ? tn_io_copy(pool, (const char *)place, (size_t)length) : NULL;
    if (text) tn_text_clean(text); /* from any writer */
    return text ? text : "";
}
