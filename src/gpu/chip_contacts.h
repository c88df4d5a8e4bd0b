/* chip_contacts.h: points of a world as records in shared memory, the sides of its bodies, and the
 * matrices of the iteration. */
#ifndef TN_GPU_CHIP_CONTACTS_H
#define TN_GPU_CHIP_CONTACTS_H

#include "batch_contacts.h"
#include "batch_narrow.h"
#include "chip_data.h"

namespace tn
{

/* A contact point and its row as a record. */
TN_DEVICE inline void write_record(const Worlds &b, ChipWorld &s, const Chip &c, int i,
                                   const TnContactPoint *point, const Row &row)
{
    const double *n = point->normal, *p = point->arm1, *o = point->arm2, *total = row.total,
                 *last = row.last, *give = row.give;
    float share = (float)b.warm_start;
    c.arm_a[i] = float4{(float)p[0], (float)p[1], (float)p[2], (float)row.B[0]};
    c.arm_b[i] = float4{(float)o[0], (float)o[1], (float)o[2], (float)row.B[1]};
    c.normal[i] = float4{(float)n[0], (float)n[1], (float)n[2], (float)row.mu};
    c.total[i] = float4{(float)total[0], (float)total[1], (float)total[2], 0.0f};
    c.ends[i] = Two16{(uint16_t)row.ra, (uint16_t)(row.rb >= 0 ? row.rb : b.body_count)};
    s.lambda[i] = float4{share * (float)last[0], share * (float)last[1], share * (float)last[2],
                         (float)-fmax(point->gap, point->clearance)};
    s.beta[i] =
        float4{(float)row.beta[0], (float)row.beta[1], (float)row.beta[2], (float)row.beta[3]};
    s.key[i] = warm_key(point);
    s.key_geom[i] = point->geom1;
    if (s.ratio > 0.0) s.given[i] = float4{(float)give[0], (float)give[1], (float)give[2], 0.0f};
}

TN_DEVICE inline void write_touch(const Worlds &b, ChipWorld &s, const Chip &c, int i,
                                  const TnContactPoint *point)
{
    write_record(b, s, c, i, point, row_of(b, s, point));
}

/* The points of pairs of spheres. */
TN_DEVICE inline void write_plain(const Block &block, const Worlds &b, ChipWorld &s, const Chip &c)
{
    block.each(s.pair_count, [&](int i) {
        TnContactPoint point;
        int first = c.pair_start[i];
        if (c.pair_start[i + 1] == first || !is_plain(s, i)) return;
        look_at<SPHERES>(s, i, &point, 1);
        write_touch(b, s, c, first, &point);
    });
}

/* Of other pairs. */
template <PairsOf of>
TN_DEVICE inline void write_others(const Block &block, const Worlds &b, ChipWorld &s, const Chip &c)
{
    block.each(s.other_count, [&](int k) {
        TnContactPoint points[of == WITH_SPHERE ? 1 : TN_MANIFOLD_MAX]; /* a sphere touches once */
        int i = s.others[k], first = c.pair_start[i], count = c.pair_start[i + 1] - first;
        if (!count) return;
        look_at<of>(s, i, points, count);
        for (int p = 0; p < count; p++) write_touch(b, s, c, first + p, &points[p]);
    });
}

/* Contacts yield by more now. */
TN_DEVICE inline void soften_touch(const Worlds &b, ChipWorld &s, const Chip &c, int i,
                                   double before)
{
    float4 give = s.given[i], total = c.total[i];
    float more = (float)(before / s.ratio), own = 1.0f / (float)b.weight_scale,
          B = (own + 1.0f / (float)before) / (own + 1.0f / (float)s.ratio);
    total.x += (more - 1.0f) * give.x;
    total.y += (more - 1.0f) * give.y;
    total.z += (more - 1.0f) * give.z;
    c.total[i] = total;
    c.arm_a[i].w *= B;
    c.arm_b[i].w *= B;
    s.given[i] = float4{more * give.x, more * give.y, more * give.z, 0.0f};
}

/* Where the sides of a body begin; each is 32 places on. */
TN_DEVICE inline int first_place(const Chip &c, int rank)
{
    return c.slice[rank >> 5] + (rank & 31);
}

/* Pushes lie as the sides do, but each row of 32 is turned by one more: contacts that follow each
 * other mostly push the same body, and write to different banks. */
TN_DEVICE inline int turned(int row, int rank) { return (rank + row) & 31; }

/* The number of each body; stuck where there is not enough room for the pushes. */
TN_DEVICE inline void rank_bodies(const Block &block, const Worlds &b, ChipWorld &s, const Chip &c)
{
    int n = b.body_count;
    block.each(n, [&](int i) { c.degree[i] = c.fill[i] = 0; });
    block.each(s.contact_count, [&](int i) {
        Two16 e = c.ends[i];
        atomic_add(&c.degree[e.a], 1);
        if (e.b < n) atomic_add(&c.degree[e.b], 1);
    });
    block.each(n, [&](int i) {
        int own = c.degree[i], before = 0;
        for (int k = 0; k < n; k++) before += c.degree[k] > own || (c.degree[k] == own && k < i);
        c.rank[i] = (uint16_t)before;
        c.order[before] = (uint16_t)i;
    });
    block.once([&] {
        int at = 0;
        for (int k = 0; 32 * k < n; k++) {
            c.slice[k] = at;
            at += 32 * c.degree[c.order[32 * k]];
        }
        if (at > c.push_room) s.stuck = true;
    });
}

/* Sides of each body in the order of the contacts, and where contacts push. */
TN_DEVICE inline void list_sides(const Block &block, const Worlds &b, ChipWorld &s, const Chip &c)
{
    int n = b.body_count;
    block.each(s.contact_count, [&](int i) {
        Two16 e = c.ends[i];
        e.a = c.rank[e.a];
        c.sides[first_place(c, e.a) + 32 * atomic_add(&c.fill[e.a], 1)] = (uint16_t)(2 * i);
        if (e.b < n) {
            e.b = c.rank[e.b];
            c.sides[first_place(c, e.b) + 32 * atomic_add(&c.fill[e.b], 1)] = (uint16_t)(2 * i + 1);
        }
        c.ends[i] = e;
        c.places[i].b = (uint16_t)c.push_room;
    });
    block.each(n, [&](int r) {
        int begin = first_place(c, r), end = begin + 32 * c.fill[r];
        for (int i = begin + 32; i < end; i += 32) {
            uint16_t x = c.sides[i];
            int k = i;
            for (; k > begin && c.sides[k - 32] > x; k -= 32) c.sides[k] = c.sides[k - 32];
            c.sides[k] = x;
        }
        for (int k = 0; k < c.fill[r]; k++) {
            int side = c.sides[begin + 32 * k], at = c.slice[r >> 5] + 32 * k + turned(k, r);
            Two16 *place = &c.places[side >> 1];
            (side & 1 ? place->b : place->a) = (uint16_t)at;
        }
    });
}

/* v as the iteration begins: less v_free. */
TN_DEVICE inline void write_velocity(const Worlds &b, const ChipWorld &s, const Chip &c, int r)
{
    float v[6] = {0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    if (r < b.body_count) {
        const TnRigidSystem *system = &s.systems[c.order[r]];
        for (int k = 0; k < 6; k++) v[k] = (float)(system->v[k] - system->v_free[k]);
    }
    c.v4[r] = float4{v[0], v[1], v[2], v[3]};
    c.v2[r] = float2{v[4], v[5]};
}

/* H⁻¹, A and g. */
TN_DEVICE inline void factor_rank(const Worlds &b, ChipWorld &s, const Chip &c, int r)
{
    float4 v4 = c.v4[r];
    float2 v2 = c.v2[r];
    double H[21] = {0}, g[6] = {0}, A[7], v[6] = {v4.x, v4.y, v4.z, v4.w, v2.x, v2.y};
    for (int i = first_place(c, r), end = i + 32 * c.fill[r]; i < end; i += 32) {
        int k = c.sides[i] >> 1, as_b = c.sides[i] & 1;
        float4 arm = as_b ? c.arm_b[k] : c.arm_a[k], n4 = c.normal[k], l = s.lambda[k],
               w = s.beta[k];
        double sign = as_b ? 1.0 : -1.0, force[3] = {sign * l.x, sign * l.y, sign * l.z},
               beta[2] = {as_b ? w.z : w.x, as_b ? w.w : w.y}, at[3] = {arm.x, arm.y, arm.z},
               n[3] = {n4.x, n4.y, n4.z};
        add_side(at, n, beta, force, v, H, g);
    }
    for (int k = 0; k < 7; k++) A[k] = (double)s.inertia[k * b.body_count + c.order[r]];
    for (int k = 0; k < 3; k++) H[sym6(k, k)] += A[0];
    for (int i = 3, p = 1; i < 6; i++)
        for (int j = i; j < 6; j++) H[sym6(i, j)] += A[p++];
    invert_sym6(H);
    size_t n = (size_t)b.body_count;
    float all[4 * TN_CHIP_MATRIX];
    for (int k = 0; k < 21; k++) all[k] = (float)H[k];
    for (int k = 0; k < 7; k++) all[21 + k] = (float)A[k];
    for (size_t k = 0; k < TN_CHIP_MATRIX; k++)
        s.matrix[k * n + (size_t)r] =
            float4{all[4 * k], all[4 * k + 1], all[4 * k + 2], all[4 * k + 3]};
    for (size_t k = 0; k < 6; k++) s.g[k * n + (size_t)r] = (float)g[k];
}

} // namespace tn
#endif
