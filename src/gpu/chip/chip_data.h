/* chip_data.h: worlds of free bodies whose iteration stays on the chip, in single precision: where
 * their numbers are.
 *
 * The parts of a step are kernels of their own, a block for each world, with as many registers as
 * each needs. They hand on what is in `Chip`, in device memory:
 *
 *     start    bodies, and where their slots are                  chip_find.h
 *     find     pairs of slots that may meet                       chip_find.h
 *     touch    contacts of these pairs, as records                chip_touch.h
 *     plan     which thread has which contact                     chip_plan.h
 *     solve    matrices, the iteration and its judge              chip_factor.h, chip_iterate.h,
 *                                                                 chip_solve.h
 *     end      the new state                                      chip_step.h
 *
 * Records are in no particular order; contacts are counted in the order of their pairs, which does
 * not depend on the run. */
#ifndef TN_GPU_CHIP_DATA_H
#define TN_GPU_CHIP_DATA_H

#include "../batch/batch_data.h"

#ifndef __CUDACC__
struct float2 {
    float x, y;
};
#endif

namespace tn
{

#define TN_CHIP_OWN 4       /* contacts of a thread */
#define TN_CHIP_ROWS 8      /* room for what pushes bodies, per thread */
#define TN_CHIP_THREADS 512 /* that iterate, at most */
#define TN_CHIP_MATRIX 7    /* H⁻¹ and A of a body, in fours */

struct Two16 {
    uint16_t a, b;
};

/* A contact in the hands of a thread. */
#define TN_TURNED 0x8000
struct Task {
    uint16_t record,
        other; /* the body that it pushes besides the thread's own, body_count: none; */
};             /* + TN_TURNED: that one is the record's first */

/* A thread that iterates. The first of them have a body each; others help one that has more
 * contacts than a thread can have. Bodies are counted as their threads are. */
struct Duty {
    uint16_t body; /* body_count: none */
    uint8_t tasks, pushes;
};

/* What the contacts read of bodies and of slots that move, in planes: number k of body i is at
 * k · bodies + i, so neighbours among threads read and write neighbours. It is copied to shared
 * memory in one piece. */
struct Movers {
    double *com, *pos; /* 3 of bodies, 3 of slots */
    float *v, *gain;   /* 6: v of the step's start; v_free less v */
    float *inverse;    /* 7: 1/a and S⁻¹ */
};

/* Of a world, in device memory. */
struct Chip {
    struct ChipHead *head;
    Movers movers;
    float *inertia;        /* 7 planes of bodies: A */
    double *v_end;         /* 6 planes of bodies: what the forces change of v̂ */
    uint8_t *pushed;       /* per body: whether there are any forces */
    float4 *balls, *boxes; /* per finite slot: centre and radius of its ball over the step; half
                              box, 1: a sphere */
    Two16 *pairs;          /* slots */
    uint16_t *others;      /* pairs that are not of spheres and planes alone */
    Two16 *touches;        /* per pair: its first record, how many */
    /* records; arm_a, arm_b, normal, total: as in Fast, behind them Bn, Bt, μ and the depth */
    float4 *arm_a, *arm_b, *normal, *total;
    float4 *lambda, *beta; /* β of side a, of side b */
    uint64_t *key;         /* as warm_key, */
    int *key_geom;         /* of this geom1 */
    float4 *given;         /* of contacts that yield: what goes to e */
    float4 *state;         /* with a tolerance: see Touch */
    uint16_t *list;        /* records of the contacts in their order */
    Duty *duties;          /* per thread */
    Task *tasks;           /* rows of all threads */
    int *slice;            /* per warp of threads: where its rows of pushes begin, */
    uint16_t *pushes;      /* rows of 32: places of what pushes a thread's body; */
    uint16_t *targets;     /* per place: where in these rows it is, or behind them */
    uint16_t *order;       /* bodies as their threads are counted */
    float4 *matrix;        /* planes of all threads */
    float *g, *rate;       /* 6 planes each; rate: v less v_free */
};

/* A step of a world. */
struct alignas(16) ChipHead : WorldHead {
    double mixed;     /* α of Chip.state */
    bool softened;    /* contacts yield by more than at first; Chip.rate has v */
    int record_count; /* that were asked for */
};

template <class F>
TN_DEVICE_AND_HOST inline void each_of_movers(const Worlds &b, Movers &m, F &take)
{
    size_t n = (size_t)b.body_count;
    take(m.com, 3 * n);
    take(m.pos, 3 * (size_t)b.moving_count);
    take(m.v, 6 * n);
    take(m.gain, 6 * n);
    take(m.inverse, 7 * n);
}

/* take(array, count) of each. */
template <class F> TN_DEVICE_AND_HOST inline void each_array(const Worlds &b, Chip &c, F &take)
{
    size_t n = (size_t)b.body_count, contacts = (size_t)b.chip_contacts,
           pairs = (size_t)b.chip_pairs, threads = (size_t)b.chip_threads,
           slots = 32 * (size_t)b.segments;
    take(c.head, 1);
    each_of_movers(b, c.movers, take);
    take(c.inertia, 7 * n);
    take(c.v_end, 6 * n);
    take(c.pushed, n);
    take(c.balls, slots);
    take(c.boxes, slots);
    take(c.pairs, pairs);
    take(c.others, pairs);
    take(c.touches, pairs);
    take(c.arm_a, contacts);
    take(c.arm_b, contacts);
    take(c.normal, contacts);
    take(c.total, contacts);
    take(c.lambda, contacts);
    take(c.beta, contacts);
    take(c.key, contacts);
    take(c.key_geom, contacts);
    take(c.given, b.ratio > 0.0 ? contacts : 0);
    take(c.state, b.tolerance > 0.0 ? contacts : 0);
    take(c.list, contacts);
    take(c.duties, threads);
    take(c.tasks, contacts);
    take(c.slice, threads / 32 + 1);
    take(c.pushes, (size_t)b.chip_pushes);
    take(c.targets, contacts + threads);
    take(c.order, n);
    take(c.matrix, TN_CHIP_MATRIX * threads);
    take(c.g, 6 * threads);
    take(c.rate, 6 * threads);
}

/* Lays them out. */
struct Placing {
    Cursor at;
    template <class T> TN_DEVICE_AND_HOST void operator()(T *&p, size_t n) { at.take(p, n); }
};

/* Takes them to another world. */
struct Moving {
    size_t by;
    template <class T> TN_DEVICE_AND_HOST void operator()(T *&p, size_t) const
    {
        p = (T *)((char *)p + by);
    }
};

/* Returns the bytes. */
TN_DEVICE_AND_HOST inline size_t lay_out_movers(const Worlds &b, Movers &m, char *pool)
{
    Placing place = {{pool, 0}};
    each_of_movers(b, m, place);
    return place.at.used;
}

/* The arrays of a world. */
TN_DEVICE inline Chip chip_of(const Worlds &b, const Chip &first, int w)
{
    Chip c = first;
    const Moving move = {(size_t)(w - b.first) * b.chip_size};
    each_array(b, c, move);
    return c;
}

} // namespace tn
#endif
