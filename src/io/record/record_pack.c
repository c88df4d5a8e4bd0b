/* record_pack.c: columns and tables of integers as few bytes.
 *
 * What moves smoothly is nearly where its last two frames point to, so tables keep the differences
 * to that. Zig-zag (0, -1, 1, -2 … become 0, 1, 2, 3 …) makes small numbers of either sign small,
 * and byte planes put their empty upper bytes side by side, where deflate makes nothing of them.
 * All sums are modulo 2^64: any numbers come back exactly. */
#include "record_format.h"

static uint64_t zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t unzigzag(uint64_t code) { return (int64_t)((code >> 1) ^ (0 - (code & 1))); }

void tn_record_put_column(TnRecordOut *out, const int64_t *values, size_t count)
{
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++) all |= zigzag(values[i]);
    int width = 1;
    while (width < 8 && all >> (8 * width)) width++;
    uint8_t *place = tn_record_put_room(out, 1 + (size_t)width * count);
    if (!place) return;
    *place++ = (uint8_t)width;
    for (int k = 0; k < width; k++)
        for (size_t i = 0; i < count; i++) *place++ = (uint8_t)(zigzag(values[i]) >> (8 * k));
}

bool tn_record_get_column(TnRecordIn *in, int64_t *values, size_t count)
{
    const uint8_t *place = tn_record_get_bytes(in, 1);
    int width = place ? *place : 0;
    /* no width is zero: a count can never be larger than the bytes that follow */
    if (width < 1 || width > 8 || count > SIZE_MAX / 8) {
        in->failed = true;
        return false;
    }
    place = tn_record_get_bytes(in, (size_t)width * count);
    if (!place) return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t code = 0;
        for (int k = 0; k < width; k++) code |= (uint64_t)place[(size_t)k * count + i] << (8 * k);
        values[i] = unzigzag(code);
    }
    return true;
}

/* What the rows before tell of a row's number. */
static uint64_t predict(const int64_t *value, size_t row, size_t columns, TnRecordPrediction how)
{
    const int64_t *last = value - columns;
    if (how == TN_PREDICT_LAST || row < 2) return (uint64_t)*last;
    return 2 * (uint64_t)*last - (uint64_t) * (last - columns);
}

void tn_record_put_table(TnRecordOut *out, int64_t *values, size_t rows, size_t columns,
                         TnRecordPrediction how)
{
    if (rows == 0 || columns == 0) return;
    /* from the end, so that the rows before are still themselves */
    for (size_t row = rows - 1; row > 0; row--)
        for (size_t i = 0; i < columns; i++) {
            int64_t *value = values + row * columns + i;
            *value = (int64_t)((uint64_t)*value - predict(value, row, columns, how));
        }
    tn_record_put_column(out, values, columns);
    tn_record_put_column(out, values + columns, (rows - 1) * columns);
}

bool tn_record_get_table(TnRecordIn *in, int64_t *values, size_t rows, size_t columns,
                         TnRecordPrediction how)
{
    if (rows == 0 || columns == 0) return true;
    if (!tn_record_get_column(in, values, columns)) return false;
    if (!tn_record_get_column(in, values + columns, (rows - 1) * columns)) return false;
    for (size_t row = 1; row < rows; row++)
        for (size_t i = 0; i < columns; i++) {
            int64_t *value = values + row * columns + i;
            *value = (int64_t)((uint64_t)*value + predict(value, row, columns, how));
        }
    return true;
}
