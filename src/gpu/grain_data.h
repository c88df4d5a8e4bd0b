/* grain_data.h: a world in which only spheres move, whose steps stay on the chip: where its numbers
 * are.
 *
 * One block takes all of a step, and what its parts hand on is in shared memory (Chip has what the
 * iteration reads), one use after the other in the same place:
 *
 *     search       spheres    swept balls, masks of partners, pairs
 *     contacts     spheres    records, sides
 *     iteration    states     matrices of bodies, pushes, sides
 *
 * Positions and velocities are in double. Before a sphere touches another one or a plane, the
 * engine's own routines (collision/emit_spheres.c) see the two of them as a collider with two
 * slots, which the compiler keeps in registers. */
#ifndef TN_GPU_GRAIN_DATA_H
#define TN_GPU_GRAIN_DATA_H

#include "chip_data.h"

namespace tn
{

/* Places in shared memory. */
struct Grains : Chip {
    double *v, *v_free; /* per body: 6, as TnRigidSystem */
    float *inverse;     /* 7: as WorldBase.inverse */
    double *pos;        /* per sphere: 3 */
    float *offset;      /* 3: from the body's centre of mass to it */
    double *radius;
    uint16_t *body;
    Two16 *touching; /* slots of each contact */
    float4 *balls;   /* over the step */
    Two16 *pairs;
    int *pair_at;     /* the contact of a pair, and of the one behind the last */
    uint16_t *unlike; /* pairs, or contacts, with what is neither a sphere nor a plane */
    int *unlike_count;
};

/* Returns the bytes. */
TN_DEVICE_AND_HOST inline size_t lay_out_grains(const Worlds &b, Grains &c, char *pool)
{
    size_t n = (size_t)b.body_count, spheres = (size_t)b.moving_count,
           rows = spheres * (size_t)b.segments, contacts = (size_t)b.chip_contacts,
           pairs = (size_t)b.chip_pairs;
    Cursor all = {pool, 0};
    all.take(c.unlike_count, 1);
    all.take(c.v4, n + 1);
    all.take(c.v2, n + 1);
    all.take(c.v, 6 * n);
    all.take(c.v_free, 6 * n);
    all.take(c.inverse, 7 * n);
    Cursor begin = all, states = all;
    begin.take(c.pos, 3 * spheres);
    begin.take(c.offset, 3 * spheres);
    begin.take(c.radius, spheres);
    begin.take(c.body, spheres);
    begin.take(c.touching, contacts);
    states.take(c.state, contacts);
    begin.used = begin.used > states.used ? begin.used : states.used;
    Cursor search = begin, records = begin;
    search.take(c.balls, (spheres + 31) / 32 * 32);
    search.take(c.bounds, (size_t)b.slot_count);
    search.take(c.masks, rows);
    search.take(c.mask_start, rows + 1);
    search.take(c.pairs, pairs);
    search.take(c.pair_at, pairs + 1);
    lay_out_records(b, c, records);
    size_t end = search.used > records.used ? search.used : records.used;
    Cursor lists = {pool, lay_out_pushes(b, c, begin, end)}, sides = lists;
    lists.take(c.unlike, pairs > contacts ? pairs : contacts);
    lay_out_sides(b, c, sides);
    return lists.used > sides.used ? lists.used : sides.used;
}

/* As chip_of. */
TN_DEVICE inline Grains grains_of(const Worlds &b, const ChipWorld &s)
{
    Grains c;
#ifdef __CUDA_ARCH__
    lay_out_grains(b, c, fast_memory);
    (void)s;
#else
    lay_out_grains(b, c, s.pool);
#endif
    return c;
}

} // namespace tn
#endif
