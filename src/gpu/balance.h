/* balance.h: what a step makes of energy is taken off again (account/balance.c).
 *
 * Free bodies that contacts join are a group. Its account over a step is
 *
 *     made = Σ bodies (ΔT + m g·(x - x⁺) - work) + Σ contacts (friction's loss + Δ stored).
 *
 * What a group made beyond the noise of the solver is taken off by v⁺ ← s v⁺; what is not worth it
 * yet is kept in mind. Only groups that rest on something fixed are looked at: in free flight the
 * momentum would have to stay. Groups that touch a robot, a cable or a mocap body are left alone:
 * these do work.
 *
 * Sums are whole numbers, so that they do not depend on the order. */
#ifndef TN_GPU_BALANCE_H
#define TN_GPU_BALANCE_H

#include "data.h"
#include "laws.h"
#include "team.h"

namespace tn
{

#define TN_ENERGY_UNIT 1e-6 /* of a mean body at gravity × timestep */

/* By `advance`, of each body. */
template <class R>
TN_DEVICE inline void open_account(const View<R> &s, int r, const TnLink &link,
                                   const TnRigidSystem &system, const double *wrench,
                                   const double way[6], const double *qpos, const double *qvel)
{
    const double *w = system.v + 3;
    double turning[3], arm[3], end[3], rate[3], axes[4], work = 0.0;
    EnergyAccount a;
    m3_mul_v(turning, system.inertia_rate, w);
    a.before = 0.5 * (link.mass * v3_dot(system.v, system.v) +
                      s.theta * s.t * v3_dot(turning, w)); /* inertia_rate = I/(θt) */
    v3_cross(arm, qvel + 3, link.com);
    quat_rotate(end, qpos + 3, arm);
    v3_add(end, end, qvel);
    quat_conjugate(axes, link.inertia_axes);
    quat_rotate(rate, axes, qvel + 3);
    a.after = link.mass * v3_dot(end, end);
    for (int k = 0; k < 3; k++) a.after += link.inertia_principal[k] * rate[k] * rate[k];
    a.after *= 0.5;
    a.fall = -link.mass * v3_dot(s.gravity, way);
    for (int k = 0; k < 6; k++) work += wrench[k] * way[k];
    a.work = work;
    s.energies[r] = a;
}

/* The root of a set is its lowest member (math/disjoint_sets.h). A search shortens the path; a
 * store that comes late only makes it a little longer again. */
TN_DEVICE inline uint32_t root_of(volatile uint32_t *parent, uint32_t x)
{
    for (;;) {
        uint32_t up = parent[x];
        if (up == x) return x;
        uint32_t above = parent[up];
        if (above == up) return up;
        parent[x] = above;
        x = above;
    }
}

TN_DEVICE inline void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    for (;;) {
        a = root_of(parent, a);
        b = root_of(parent, b);
        if (a == b) return;
        uint32_t high = a < b ? b : a, low = a < b ? a : b;
        if (atomic_swap_if(&parent[high], high, low) == high) return;
    }
}

/* What friction took at a contact, what the contact stores, and what undoing overlaps gave, J. */
TN_DEVICE inline void take_from(const Base &s, int i, double *lost, double *stored, double *put_out)
{
    const TnContactPoint *c = &s.points[i];
    const double *f = s.new_lambda + 3 * (size_t)i, *n = c->normal;
    double fn = v3_dot(f, n), store[2] = {0.0, 0.0}, own = 0.0;
    if (s.ratio > 0.0) { /* give = -C λ of before */
        const double *D = s.yield + 2 * (size_t)i, *give = s.give + 3 * (size_t)i;
        double C[2] = {D[0] / s.ratio, D[1] / s.ratio}, gn = v3_dot(give, n);
        double ft2 = v3_dot(f, f) - fn * fn, gt2 = v3_dot(give, give) - gn * gn;
        if (C[0] > 0.0) store[0] = 0.5 * s.t * (C[0] * fn * fn - gn * gn / C[0]);
        if (C[1] > 0.0) store[1] = 0.5 * s.t * (C[1] * ft2 - gt2 / C[1]);
        own = fmax(0.0, -gn) * s.t / s.theta; /* the overlap that the contact itself yielded by */
    }
    *stored += store[0] + store[1];
    if (f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0) return;
    int la = s.model->geom_link[c->geom1], lb = s.model->geom_link[c->geom2];
    double u[3], first[3];
    point_velocity(first, s.moved[la], c->arm1);
    v3_set(u, 0.0, 0.0, 0.0);
    if (s.link_body[lb] >= 0) point_velocity(u, s.moved[lb], c->arm2);
    v3_sub(u, u, first);
    double un = v3_dot(u, n), loss = -s.t * (v3_dot(f, u) - fn * un) - store[1];
    if (loss > 0.0) *lost += loss;
    if (!(-c->gap > own) || !(un > 0.0)) return;
    double size = s.model->links[la].lever;
    if (s.link_body[lb] >= 0 && s.model->links[lb].lever < size) size = s.model->links[lb].lever;
    double out = tn_way_out(-c->gap, s.gravity_size, size, s.t, s.stabilization);
    *put_out += s.t * fn * (un < out ? un : out) * (1.0 - own / -c->gap);
}

TN_DEVICE inline long long in_units(const Base &s, double x, double unit)
{
    double most = 4e18 / s.body_count;
    x /= unit;
    return (long long)(x > most ? most : x < -most ? -most : x);
}

/* Share of v⁺ that a group keeps; *owed: what is left to later steps, J. */
TN_DEVICE inline double kept_share(const Base &s, uint32_t root, double unit, double *owed)
{
    const long long *sum = s.energy_sums + TN_ENERGY_SUMS * (size_t)root;
    double kinetic = unit * sum[0], made = unit * sum[1], involved = unit * sum[2],
           put_out = unit * sum[3], lost = unit * sum[4], there = unit * sum[6],
           speed = s.gravity_size * s.t;
    double error = sqrt(double_of_bits(s.outcome->judged.worst)) / speed;
    if (s.tolerance > 0.0)
        error = fmax(error, s.tolerance);
    else /* a fixed count may leave much, which would excuse everything */
        error = fmin(error, TN_FIXED_COUNT_ERROR);
    *owed = 0.0;
    if (!s.bound[root] || s.driven[root]) return 1.0;
    /* a jam that was not solved has forces without sense, and so has their work */
    if (lost > there) made -= lost - there, involved -= lost - there;
    double noise =
        TN_PUSHED_SHARE * involved + TN_ERRORS * unit * sum[7] * error; /* its mass at this speed */
    double other = kinetic > put_out ? kinetic - put_out : 0.0;         /* that is not of it */
    double put = put_out - TN_PUT_OUT_SHARE * other;
    if (put > 0.0 && made > 0.0) made -= put < made ? put : made;
    made += unit * sum[5];
    if (made > 0.0) *owed = made;
    if (!(made > noise)) return 1.0;
    double take = made < kinetic ? made : kinetic;
    *owed = made - take;
    return kinetic > 0.0 ? sqrt((kinetic - take) / kinetic) : 1.0;
}

/* ---- tiles ---- */

#ifdef __CUDACC__
#define TN_ENERGY_TILE 128 /* bodies, neighbours along the curve */
#else
#define TN_ENERGY_TILE tn_gpu_tile
#endif
#define TN_ENERGY_TILE_MOST 512
#define TN_ENERGY_MANY 200000 /* bodies: with so many, the teams that add up tiles take more */

/* A team's groups: what contacts between bodies of its tile join. */
struct EnergyTile {
    int first, count; /* bodies */
    uint32_t *parent;
    long long *sums; /* by root, TN_ENERGY_SUMS each */
    uint8_t *bound, *driven;
    TN_DEVICE bool has(int r) const { return r >= first && r < first + count; }
};

TN_DEVICE inline EnergyTile open_tile(const Base &s, const Team &team, int tile)
{
    const int most = TN_ENERGY_TILE, left = s.body_count - tile * most;
    long long *sums = (long long *)team.fast;
    uint32_t *parent = (uint32_t *)(sums + TN_ENERGY_SUMS * most);
    uint8_t *bound = (uint8_t *)(parent + most);
    static_assert(TN_ENERGY_TILE_MOST * (8 * TN_ENERGY_SUMS + 6) <= 8 * TN_TEAM_FAST, "it fits");
    EnergyTile t = {tile * most, left < most ? left : most, parent, sums, bound, bound + most};
    team.each(t.count, [&](int i) {
        t.parent[i] = (uint32_t)i;
        t.bound[i] = t.driven[i] = 0;
        for (int k = 0; k < TN_ENERGY_SUMS; k++) t.sums[TN_ENERGY_SUMS * i + k] = 0;
    });
    return t;
}

TN_DEVICE inline bool pushes(const Base &s, int contact)
{
    const double *f = s.new_lambda + 3 * (size_t)contact, x = f[0], y = f[1], z = f[2];
    return (x != 0.0) | (y != 0.0) | (z != 0.0);
}

/* A side of a contact that pushes: it joins bodies of the tile, binds or drives its own. */
template <class R> TN_DEVICE inline void join_in_tile(const View<R> &s, EnergyTile &t, int side)
{
    int c = side >> 1, second = side & 1;
    Ends e = s.ends[c];
    int own = (second ? e.b : e.a) - t.first, other = second ? e.a : e.b;
    if (!pushes(s, c)) return;
    if (other < 0)
        (s.model->geom_link[s.points[c].geom2] ? t.driven : t.bound)[own] = 1;
    else if (other >= s.body_count)
        t.driven[own] = 1;
    else if (!second && t.has(other))
        join(t.parent, (uint32_t)own, (uint32_t)(other - t.first));
}

/* Groups of a tile, and what their bodies have. */
template <class R>
TN_DEVICE inline void sum_up_tile(const View<R> &s, const Team &team, int tile, double unit)
{
    EnergyTile t = open_tile(s, team, tile);
    const int *sides = s.sides + s.side_start[t.first];
    const int side_count = s.side_start[t.first + t.count] - s.side_start[t.first];
    team.each(side_count, [&](int k) { join_in_tile(s, t, sides[k]); });
    team.each(t.count, [&](int i) {
        int r = t.first + i, body = s.body_at[r];
        uint32_t root = root_of(t.parent, (uint32_t)i);
        EnergyAccount a = s.energies[r];
        const double mass = s.body_mass[body] / (TN_ENERGY_UNIT * s.mean_mass) * unit;
        const double terms[TN_ENERGY_SUMS] = {a.after,
                                              a.after - a.before + a.fall - a.work,
                                              a.after + a.before + fabs(a.fall) + fabs(a.work),
                                              0.0,
                                              0.0,
                                              s.owed[body],
                                              a.before + fmax(0.0, a.work) + fmax(0.0, -a.fall),
                                              mass};
        long long x[TN_ENERGY_SUMS];
        for (int k = 0; k < TN_ENERGY_SUMS; k++) x[k] = in_units(s, terms[k], unit);
        if (t.bound[i]) t.bound[root] = 1;
        if (t.driven[i]) t.driven[root] = 1;
        s.group_root[r] = (uint32_t)t.first + root;
        add_to_group<TN_ENERGY_SUMS>(t.sums, TN_ENERGY_SUMS * (int)root, x);
    });
    team.each(t.count, [&](int i) {
        int r = t.first + i;
        if (s.group_root[r] != (uint32_t)r) return;
        s.group_of[r] = (uint32_t)r;
        s.bound[r] = t.bound[i];
        s.driven[r] = t.driven[i];
        for (int k = 0; k < TN_ENERGY_SUMS; k++)
            s.energy_sums[TN_ENERGY_SUMS * (size_t)r + k] = t.sums[TN_ENERGY_SUMS * i + k];
    });
}

/* A contact joins groups of two tiles, and what it has goes to that of its first body. */
template <class R> TN_DEVICE inline void take_contact(const View<R> &s, int i, double unit)
{
    Ends e = s.ends[i];
    int n = s.body_count, at = 0;
    double lost = 0.0, stored = 0.0, put_out = 0.0;
    if (e.a < n && e.b < n) { /* else something drives it */
        uint32_t root = s.group_root[e.a];
        at = TN_ENERGY_SUMS * (int)root + 1;
        if (e.b >= 0 && e.a / TN_ENERGY_TILE != e.b / TN_ENERGY_TILE && pushes(s, i))
            join(s.group_of, root, s.group_root[e.b]);
        take_from(s, i, &lost, &stored, &put_out);
    }
    const double terms[4] = {lost + stored, lost + fabs(stored), put_out, lost};
    long long x[4];
    for (int j = 0; j < 4; j++) x[j] = in_units(s, terms[j], unit);
    add_to_group<4>(s.energy_sums, at, x);
}

/* What groups of tiles have goes to the group that they are part of. Nearly all of a pile have the
 * same one, and all of them would wait for each other: a team adds up first what goes there. */
template <class R>
TN_DEVICE inline void add_up_tiles(const View<R> &s, const Team &team, int first, int count)
{
    long long *sums = (long long *)team.fast;
    int *main = (int *)(sums + TN_ENERGY_SUMS), *groups = main + 1;
    team.once([&] {
        *main = INT32_MAX;
        for (int k = 0; k < TN_ENERGY_SUMS; k++) sums[k] = 0;
    });
    team.each(count, [&](int i) { /* -1: it is no group of a tile, or all of its group */
                                  uint32_t r = (uint32_t)(first + i), root = r;
                                  if (s.group_root[r] == r) root = root_of(s.group_of, r);
                                  groups[i] = root == r ? -1 : (int)root;
                                  if (root != r) atomic_min(main, (int)root);
    });
    team.each(count, [&](int i) {
        int r = first + i, group = groups[i];
        if (group < 0) return;
        const long long *from = s.energy_sums + TN_ENERGY_SUMS * (size_t)r;
        long long *to = group == *main ? sums : s.energy_sums + TN_ENERGY_SUMS * (size_t)group;
        for (int k = 0; k < TN_ENERGY_SUMS; k++)
            if (from[k]) atomic_add((unsigned long long *)&to[k], (unsigned long long)from[k]);
        if (s.bound[r]) s.bound[group] = 1;
        if (s.driven[r]) s.driven[group] = 1;
    });
    team.each(TN_ENERGY_SUMS, [&](int k) {
        long long *to = s.energy_sums + TN_ENERGY_SUMS * (size_t)(sums[k] ? *main : 0) + k;
        if (sums[k]) atomic_add((unsigned long long *)to, (unsigned long long)sums[k]);
    });
}

template <class R> void balance(Queue &q, const View<R> &s, int likely)
{
    if (!s.body_count) return;
    const double unit = TN_ENERGY_UNIT * s.mean_mass * s.gravity_size * s.t * s.gravity_size * s.t;
    const int n = s.body_count, tiles = (n + TN_ENERGY_TILE - 1) / TN_ENERGY_TILE;
    teams(q, tiles,
          [=] TN_DEVICE(const Team &team, int tile) { sum_up_tile(s, team, tile, unit); });
    each(
        q, s.contact_room, &s.outcome->lists.contact_count,
        [=] TN_DEVICE(int i) { take_contact(s, i, unit); }, 128, likely);
    const int share = n < TN_ENERGY_MANY ? TN_TEAM : 4 * TN_TEAM; /* of a team */
    teams(q, (n + share - 1) / share, [=] TN_DEVICE(const Team &team, int k) {
        int left = n - k * share;
        add_up_tiles(s, team, k * share, left < share ? left : share);
    });
    each(q, n, nullptr, [=] TN_DEVICE(int r) {
        int i = s.body_at[r];
        uint32_t root = root_of(s.group_of, s.group_root[r]);
        double owed, *v = s.next_qvel + s.body_qvel[i], share = kept_share(s, root, unit, &owed);
        s.next_owed[i] = root == (uint32_t)r ? owed : 0.0;
        for (int k = 0; share < 1.0 && k < 6; k++) v[k] *= share;
    });
}

} // namespace tn
#endif
