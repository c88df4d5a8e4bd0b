/* record_stress.c: the stress of a group's frames, at the end of its deflated part.
 *
 *   step   f64
 *   table  one row per frame: von Mises' stress of all points
 *   cells  u32, tetrahedra whose stress follows; 0: none
 *   step, table   their six components each
 *
 * Numbers are multiples of the step, a power of two that splits the group's largest number into
 * between 2^16 and 2^17 levels, those of tetrahedra into 2^20 and more. A step of 0 says that the
 * table holds the bits of doubles: something is not finite. */
#include "record_format.h"

#include <math.h>
#include <string.h>

bool tn_record_group_reserve_stress(TnRecordGroup *group, int frames)
{
    size_t points = (size_t)group->scene->point_count, cells = 6 * (size_t)group->cell_count;
    size_t numbers = (size_t)frames * (points + cells);
    if (!group->has_stress || numbers <= group->stress_room) return true;
    float *bigger = tn_realloc(group->stress, numbers * sizeof *bigger);
    if (!bigger) return false;
    group->stress = bigger;
    group->stress_room = numbers;
    return true;
}

static double step_for(const float *values, size_t frames, size_t stride, size_t columns, int bits)
{
    double largest = 0;
    for (size_t f = 0; f < frames; f++)
        for (size_t i = 0; i < columns; i++) {
            double size = fabs((double)values[f * stride + i]);
            if (!isfinite(size)) return 0;
            largest = fmax(largest, size);
        }
    return largest > 0 ? ldexp(1, ilogb(largest) - bits) : 1;
}

/* `values` are the first frame's; the next frame's lie `stride` further on. */
static bool put_numbers(TnRecordOut *out, const float *values, size_t frames, size_t stride,
                        size_t columns, int bits)
{
    int64_t *numbers = tn_malloc(frames * columns * sizeof *numbers);
    if (!numbers) return false;
    double step = step_for(values, frames, stride, columns, bits);
    for (size_t f = 0; f < frames; f++)
        for (size_t i = 0; i < columns; i++) {
            double value = (double)values[f * stride + i];
            numbers[f * columns + i] =
                step > 0 ? tn_record_round(value / step) : tn_record_bits(value);
        }
    tn_record_put_f64(out, step);
    tn_record_put_table(out, numbers, frames, columns, TN_PREDICT_LAST);
    tn_free(numbers);
    return true;
}

bool tn_record_put_stress(TnRecordOut *out, const TnRecordGroup *group)
{
    size_t frames = (size_t)group->frame_count, points = (size_t)group->scene->point_count;
    size_t cells = 6 * (size_t)group->cell_count, stride = points + cells;
    if (points && !put_numbers(out, group->stress, frames, stride, points, 16)) return false;
    tn_record_put_u32(out, (uint32_t)group->cell_count);
    return !cells || put_numbers(out, group->stress + points, frames, stride, cells, 20);
}

static TnStatus get_numbers(TnRecordIn *in, float *values, size_t frames, size_t stride,
                            size_t columns)
{
    int64_t *numbers = tn_malloc(frames * columns * sizeof *numbers);
    if (!numbers) return TN_ERROR_MEMORY;
    double step = tn_record_get_f64(in);
    bool fine = step >= 0 && isfinite(step) &&
                tn_record_get_table(in, numbers, frames, columns, TN_PREDICT_LAST);
    for (size_t i = 0; i < frames * columns && fine; i++) {
        double value = step > 0 ? step * (double)numbers[i] : tn_record_from_bits(numbers[i]);
        values[i / columns * stride + i % columns] = (float)value;
    }
    tn_free(numbers);
    return fine && !in->failed ? TN_OK : TN_ERROR_IO;
}

TnStatus tn_record_get_stress(TnRecordIn *in, TnRecordGroup *group)
{
    size_t frames = (size_t)group->frame_count, points = (size_t)group->scene->point_count;
    /* the number of tetrahedra stands behind the points' table: their numbers are read first */
    float *of_points = NULL;
    TnStatus status = TN_OK;
    group->cell_count = 0;
    if (points) {
        /* a number takes a byte at least: memory is only taken for what can be there */
        if (points * frames > in->size - in->at) return TN_ERROR_IO;
        of_points = tn_malloc(frames * points * sizeof *of_points);
        if (!of_points) return TN_ERROR_MEMORY;
        status = get_numbers(in, of_points, frames, points, points);
    }
    uint32_t cells = status == TN_OK ? tn_record_get_u32(in) : 0;
    if (status == TN_OK && (in->failed || 6 * (uint64_t)cells * frames > in->size - in->at))
        status = TN_ERROR_IO;
    if (status == TN_OK) {
        group->cell_count = (int)cells;
        if (!tn_record_group_reserve_stress(group, group->frame_count)) status = TN_ERROR_MEMORY;
    }
    size_t stride = points + 6 * (size_t)cells;
    for (size_t f = 0; f < frames && status == TN_OK && points; f++)
        memcpy(group->stress + f * stride, of_points + f * points, points * sizeof *of_points);
    if (status == TN_OK && cells)
        status = get_numbers(in, group->stress + points, frames, stride, 6 * (size_t)cells);
    tn_free(of_points);
    return status;
}
