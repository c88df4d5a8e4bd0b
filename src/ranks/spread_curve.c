/* spread_curve.c: Hilbert's curve, which fills a cube; bodies that follow each other on it are near
 * each other. See spread.h. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../math/vec3.h"
#include "spread.h"

#define AXIS_BITS 16 /* of a cell's place along an axis */
#define DIGIT_BITS 12

static uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 32) & 0x1f00000000ffffu;
    x = (x | x << 16) & 0x1f0000ff0000ffu;
    x = (x | x << 8) & 0x100f00f00f00f00fu;
    x = (x | x << 4) & 0x10c30c30c30c30c3u;
    return (x | x << 2) & 0x1249249249249249u;
}

/* The place on Hilbert's curve of a cell of a cube with 2^AXIS_BITS cells along an edge, by
 * Skilling's method: axes are turned and mirrored from the largest cubes down, then Gray codes are
 * undone. */
static uint64_t hilbert_key(uint32_t x[3])
{
    uint32_t turned = 0;
    for (uint32_t bit = 1u << (AXIS_BITS - 1); bit > 1; bit >>= 1)
        for (int i = 0; i < 3; i++) {
            uint32_t below = bit - 1, swapped = (x[0] ^ x[i]) & below;
            if (x[i] & bit) {
                x[0] ^= below;
            } else {
                x[0] ^= swapped;
                x[i] ^= swapped;
            }
        }
    for (int i = 1; i < 3; i++) x[i] ^= x[i - 1];
    for (uint32_t bit = 1u << (AXIS_BITS - 1); bit > 1; bit >>= 1)
        if (x[2] & bit) turned ^= bit - 1;
    uint64_t key = 0;
    for (int i = 0; i < 3; i++) key |= spread_bits(x[i] ^ turned) << (2 - i);
    return key;
}

uint64_t tn_curve_key(const TnCurve *curve, const double x[3])
{
    uint32_t cell[3];
    for (int i = 0; i < 3; i++) {
        double k = (x[i] - curve->low[i]) / curve->edge, top = (1 << AXIS_BITS) - 1;
        cell[i] = (uint32_t)(k < top ? (k > 0.0 ? k : 0.0) : top);
    }
    return hilbert_key(cell);
}

TnCurve tn_curve_through(const double low[3], const double high[3], double least)
{
    TnCurve curve = {.edge = least};
    for (int i = 0; i < 3; i++)
        curve.edge = fmax(curve.edge, (high[i] - low[i]) * (1.0 + 1e-9) / (1 << AXIS_BITS));
    /* From the corner: a bed that lies in the middle would be cut along by the first halving. */
    v3_copy(curve.low, low);
    return curve;
}

bool tn_curve_sort(TnPlace *places, int count)
{
    int *start = tn_malloc(sizeof *start * ((1 << DIGIT_BITS) + 1));
    TnPlace *scratch = tn_malloc(sizeof *scratch * (size_t)(count + 1));
    bool ok = start && scratch;
    uint64_t bits = 0, mask = (1 << DIGIT_BITS) - 1;
    for (int i = 0; i < count; i++) bits |= places[i].key;
    for (int shift = 0; ok && shift < 3 * AXIS_BITS; shift += DIGIT_BITS) {
        if (!(bits >> shift & mask)) continue;
        memset(start, 0, sizeof *start * ((1 << DIGIT_BITS) + 1));
        for (int i = 0; i < count; i++) start[(places[i].key >> shift & mask) + 1]++;
        for (int k = 0; k < 1 << DIGIT_BITS; k++) start[k + 1] += start[k];
        for (int i = 0; i < count; i++) scratch[start[places[i].key >> shift & mask]++] = places[i];
        memcpy(places, scratch, sizeof *places * (size_t)count);
    }
    tn_free(start);
    tn_free(scratch);
    return ok;
}
