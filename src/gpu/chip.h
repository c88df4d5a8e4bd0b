/* chip.h: steps of worlds that stay on the chip, as the batch sees them. */
#ifndef TN_GPU_CHIP_H
#define TN_GPU_CHIP_H

#include "batch_data.h"
#include "memory.h"

namespace tn
{

#define TN_SHARED_MAX (227 * 1024) /* bytes of a block, compute capability 9.0 */

/* Of worlds in which only spheres move: grain.cu. */
struct GrainBlocks {
    int at_once = 0; /* on the device; 0: these worlds are others, or too large */
    size_t size = 0; /* shared memory of a block */
    void take(Queue &q, const Worlds &b, int threads);
    void run(Queue &q, const Worlds &b, int blocks, int threads) const;
};

struct Chips {
    GrainBlocks grains;
    int threads = 0, blocks = 0; /* 0: these worlds are too large */
    size_t size = 0;             /* shared memory of a block, */
    size_t search_size = 0;      /* and of one that begins steps */
    Memory memory;
    /* Memory of the blocks, and what Worlds says of it. */
    void take(Queue &q, Worlds &b);
    /* All steps that worlds have to go, at most so many, of those that fit. */
    void run(Queue &q, const Worlds &b, int steps);
    void run_parts(Queue &q, Worlds b);
    int count_blocks(Queue &q, int threads);
};

} // namespace tn
#endif
