/* record_signals.c: the signals of a group of frames (TnSignal), with 24 significant bits.
 *
 * A table with a row per frame, of the numbers' bits as IEEE single precision. Neighbours differ in
 * the lower bits only, and so the differences to the row before pack well. */
#include "record_format.h"

bool tn_record_put_signals(TnRecordOut *out, const TnRecordGroup *group)
{
    size_t frames = (size_t)group->frame_count, columns = (size_t)group->scene->signal_count;
    int64_t *numbers = tn_malloc(frames * columns * sizeof *numbers + 1);
    if (!numbers) return false;
    for (size_t i = 0; i < frames * columns; i++) {
        int32_t bits;
        memcpy(&bits, &group->signals[i], sizeof bits);
        numbers[i] = bits;
    }
    tn_record_put_table(out, numbers, frames, columns, TN_PREDICT_LAST);
    tn_free(numbers);
    return true;
}

TnStatus tn_record_get_signals(TnRecordIn *in, TnRecordGroup *group)
{
    size_t frames = (size_t)group->frame_count, columns = (size_t)group->scene->signal_count;
    int64_t *numbers = tn_malloc(frames * columns * sizeof *numbers + 1);
    if (!numbers) return TN_ERROR_MEMORY;
    bool fine = tn_record_get_table(in, numbers, frames, columns, TN_PREDICT_LAST);
    for (size_t i = 0; i < frames * columns && fine; i++) {
        int32_t bits = (int32_t)numbers[i];
        memcpy(&group->signals[i], &bits, sizeof bits);
    }
    tn_free(numbers);
    return fine ? TN_OK : TN_ERROR_IO;
}
