/* batch.h: a batch as Python has it; batch.cpp steps it, batch_arrays.cpp asks all of its worlds.
 */
#ifndef TENON_PYTHON_BATCH_H
#define TENON_PYTHON_BATCH_H

#include "common.h"

struct Batch {
    std::shared_ptr<BatchData> data;
    nb::object time, qpos, qvel, ctrl, act, diverged;
};

inline BatchData &open(const Batch &b)
{
    if (!b.data) raise(TN_ERROR_USAGE, "the batch is closed");
    return *b.data;
}

/* NULL for None. The array of bool is held by `keep`. */
using Bytes = nb::ndarray<const uint8_t, nb::c_contig, nb::device::cpu>;
const uint8_t *mask_of(const BatchData &data, nb::object mask, Bytes &keep);

/* A call for all worlds, without the GIL; what it refuses is raised. */
template <typename Fn> void call_batch(BatchData &data, Fn call)
{
    Use use(data);
    Error err;
    TnStatus status;
    {
        nb::gil_scoped_release release;
        status = call(data.batch, &err);
    }
    check(status, err);
}

void bind_batch_arrays(nb::class_<Batch> &batch);

#endif
