/* balance.h: what a step makes of energy is taken off again (step/balance.c).
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

namespace tn
{

/* The same numbers as in step/balance.c and step/solve.c. */
#define TN_PUSHED_SHARE 1e-6
#define TN_PUT_OUT_SHARE 0.05
#define TN_NOISE_ERRORS 3.0
#define TN_FIXED_COUNT_ERROR 0.01
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
    /* a first guess of the set, which saves most of joining: the lowest that it may touch */
    uint32_t low = (uint32_t)r;
    for (int k = s.side_start[r]; k < s.side_start[r + 1]; k++) {
        const double *f = s.new_lambda + 3 * (size_t)(s.sides[k] >> 1);
        Ends e = s.ends[s.sides[k] >> 1];
        uint32_t other = (uint32_t)(s.sides[k] & 1 ? e.a : e.b); /* the world: the highest */
        if (other < low && (f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0)) low = other;
    }
    s.group_of[r] = low;
    s.bound[r] = s.driven[r] = 0;
    for (int k = 0; k < TN_ENERGY_SUMS; k++) s.energy_sums[TN_ENERGY_SUMS * (size_t)r + k] = 0;
}

/* The root of a set is its lowest member (math/disjoint_sets.h). Whoever passes shortens the way; a
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

/* N sums of the group at hand, from the `from`-th on. */
template <int N> struct GroupSum {
    const Base &s;
    int from, group;
    long long x[N];
    TN_DEVICE GroupSum(const Base &base, int first) : s(base), from(first), group(0) { clear(); }
    TN_DEVICE void clear()
    {
        for (int k = 0; k < N; k++) x[k] = 0;
    }
    TN_DEVICE void add(int root, const double terms[N], double unit)
    {
        if (root != group) {
            long long *to = s.energy_sums + TN_ENERGY_SUMS * (size_t)group + from;
            for (int k = 0; k < N; k++)
                if (x[k]) atomic_add((unsigned long long *)&to[k], (unsigned long long)x[k]);
            clear();
        }
        group = root;
        for (int k = 0; k < N; k++) x[k] += in_units(s, terms[k], unit);
    }
    TN_DEVICE void end()
    {
        add_to_group<N>(s.energy_sums + TN_ENERGY_SUMS * (size_t)group + from, group, x);
    }
};

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
    double noise = TN_PUSHED_SHARE * involved +
                   TN_NOISE_ERRORS * unit * sum[7] * error; /* its mass at this speed */
    double put = put_out - TN_PUT_OUT_SHARE * kinetic;
    if (put > 0.0 && made > 0.0) made -= put < made ? put : made;
    made += unit * sum[5];
    if (made > 0.0) *owed = made;
    if (!(made > noise)) return 1.0;
    double take = made < kinetic ? made : kinetic;
    *owed = made - take;
    return kinetic > 0.0 ? sqrt((kinetic - take) / kinetic) : 1.0;
}

template <class R> void balance(Queue &q, const View<R> &s, int likely)
{
    if (!s.body_count) return;
    const double unit = TN_ENERGY_UNIT * s.mean_mass * s.gravity_size * s.t * s.gravity_size * s.t;
    each(
        q, s.contact_room, &s.outcome->lists.contact_count,
        [=] TN_DEVICE(int i) {
            const double *f = s.new_lambda + 3 * (size_t)i;
            Ends e = s.ends[i];
            int n = s.body_count;
            if (f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0) return;
            if (e.a < n && e.b >= 0 && e.b < n) {
                join(s.group_of, (uint32_t)e.a, (uint32_t)e.b);
            } else if (e.b < 0) {
                if (e.a >= n) return;
                bool fixed = !s.model->geom_link[s.points[i].geom2];
                (fixed ? s.bound : s.driven)[e.a] = 1;
            } else {
                if (e.a < n) s.driven[e.a] = 1;
                if (e.b < n) s.driven[e.b] = 1;
            }
        },
        128, likely);
    /* in large scenes a thread takes several: all of a pile go to the same sums, one after the
     * other */
    const int each_has = s.body_count < 12000 ? 1 : s.body_count < 96000 ? s.body_count / 6000 : 16;
    const int rows = (s.body_count + each_has - 1) / each_has;
    each(q, rows, nullptr, [=] TN_DEVICE(int first) {
        GroupSum<TN_ENERGY_SUMS> sum(s, 0);
        for (int r = first; r < s.body_count; r += rows) {
            uint32_t root = root_of(s.group_of, (uint32_t)r);
            int i = s.body_at[r];
            EnergyAccount a = s.energies[r];
            const double mass = s.body_mass[i] / (TN_ENERGY_UNIT * s.mean_mass) * unit;
            const double terms[TN_ENERGY_SUMS] = {a.after,
                                                  a.after - a.before + a.fall - a.work,
                                                  a.after + a.before + fabs(a.fall) + fabs(a.work),
                                                  0.0,
                                                  0.0,
                                                  s.owed[i],
                                                  a.before + fmax(0.0, a.work) + fmax(0.0, -a.fall),
                                                  mass};
            s.group_root[r] = root; /* whoever is on its way may still write to the other */
            if (s.bound[r]) s.bound[root] = 1;
            if (s.driven[r]) s.driven[root] = 1;
            sum.add((int)root, terms, unit);
        }
        sum.end();
    });
    each(
        q, s.contact_room / each_has + 1, nullptr,
        [=] TN_DEVICE(int first) {
            int count = s.outcome->lists.contact_count;
            int stride = (count + each_has - 1) / each_has;
            GroupSum<4> sum(s, 1);
            for (int i = first; first < stride && i < count; i += stride) {
                Ends e = s.ends[i];
                double lost = 0.0, stored = 0.0, put_out = 0.0;
                if (e.a >= s.body_count || e.b >= s.body_count) continue; /* driven */
                take_from(s, i, &lost, &stored, &put_out);
                const double terms[4] = {lost + stored, lost + fabs(stored), put_out, lost};
                sum.add((int)s.group_root[e.a], terms, unit);
            }
            sum.end();
        },
        128, likely / each_has + 1);
    each(q, s.body_count, nullptr, [=] TN_DEVICE(int r) {
        int i = s.body_at[r];
        uint32_t root = s.group_root[r];
        double owed, *v = s.next_qvel + s.body_qvel[i], share = kept_share(s, root, unit, &owed);
        s.next_owed[i] = root == (uint32_t)r ? owed : 0.0;
        for (int k = 0; share < 1.0 && k < 6; k++) v[k] *= share;
    });
}

} // namespace tn
#endif
