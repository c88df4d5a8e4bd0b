/* chip_others.cu: contacts of shapes other than spheres in worlds that stay on the chip (chip.cu).
 * These need much memory per thread, and the engine's functions are called, not copied. */
#include "chip.h"

#include "chip_touch.h"

namespace tn
{

#define TN_OTHER_THREADS 64

#ifdef __CUDACC__
TN_CHIP_KERNEL(TN_OTHER_THREADS, 8) touch_other_chips(TN_CHIP_ARGUMENTS)
{
    TN_CHIP_PART_GOES_ON(TN_OTHER_THREADS)
    block.each(s.other_count, [&](int i) {
        touch_others<ANY>(b, s, c, near_where_it_lies(b, s, c), c.others[i]);
    });
    block.once([&] { c.head->record_count = s.record_count; });
}
#endif

void Chips::run_others(Queue &q, const Worlds &b, int worlds) const
{
#ifdef __CUDACC__
    touch_other_chips<<<worlds, TN_OTHER_THREADS, 0, q.stream>>>(b, first);
    q.check(cudaGetLastError(), "starting the worlds");
#else
    each_chip(b, first, worlds, [&](int, const Chip &c, ChipHead &s) {
        for (int i = 0; !s.stuck && i < s.other_count; i++)
            touch_others<ANY>(b, s, c, near_where_it_lies(b, s, c), c.others[i]);
    });
    (void)q;
#endif
}

} // namespace tn
