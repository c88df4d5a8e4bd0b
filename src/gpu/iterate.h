/* iterate.h: SubADMM (docs/solver.md), two kernels per iteration: contacts, then bodies. v is the
 * velocity less that of the free motion, so A v_free is nowhere asked for. */
#ifndef TN_GPU_ITERATE_H
#define TN_GPU_ITERATE_H

#include "balls.h"

namespace tn
{

TN_DEVICE inline int sym6(int i, int j) { return i * 6 - i * (i - 1) / 2 + (j - i); }

/* H⁻¹ of a symmetric positive definite 6 × 6, upper triangle by rows, in place. */
TN_DEVICE inline void invert_sym6(double H[21])
{
    double L[21], X[21], inverse[6]; /* H = Lᵀ L and X = L⁻¹, both upper triangles */
    TN_UNROLL
    for (int i = 0; i < 6; i++) {
        TN_UNROLL
        for (int j = i; j < 6; j++) {
            double x = H[sym6(i, j)];
            for (int k = 0; k < i; k++) x -= L[sym6(k, i)] * L[sym6(k, j)];
            if (i == j) inverse[i] = 1.0 / sqrt(x);
            L[sym6(i, j)] = x * inverse[i];
        }
    }
    TN_UNROLL
    for (int c = 0; c < 6; c++) {
        X[sym6(c, c)] = inverse[c];
        TN_UNROLL
        for (int i = c - 1; i >= 0; i--) {
            double x = 0.0;
            for (int k = i + 1; k <= c; k++) x -= L[sym6(i, k)] * X[sym6(k, c)];
            X[sym6(i, c)] = x * inverse[i];
        }
    }
    TN_UNROLL
    for (int i = 0; i < 6; i++) {
        TN_UNROLL
        for (int j = i; j < 6; j++) {
            double x = 0.0;
            for (int k = j; k < 6; k++) x += X[sym6(i, k)] * X[sym6(j, k)];
            H[sym6(i, j)] = x;
        }
    }
}

#define TN_SIDES_IN_REGISTERS 8

/* The order in which sides were counted depends on the run. */
TN_DEVICE inline void sort_sides(int *sides, int begin, int end)
{
    if (end - begin <= TN_SIDES_IN_REGISTERS) { /* most bodies; neighbours change places in turns */
        int own[TN_SIDES_IN_REGISTERS];
        TN_UNROLL
        for (int k = 0; k < TN_SIDES_IN_REGISTERS; k++)
            own[k] = begin + k < end ? sides[begin + k] : INT32_MAX;
        TN_UNROLL
        for (int turn = 0; turn < TN_SIDES_IN_REGISTERS; turn++) {
            TN_UNROLL
            for (int k = turn & 1; k + 1 < TN_SIDES_IN_REGISTERS; k += 2) {
                int less = own[k] < own[k + 1] ? own[k] : own[k + 1];
                own[k + 1] = own[k] < own[k + 1] ? own[k + 1] : own[k];
                own[k] = less;
            }
        }
        TN_UNROLL
        for (int k = 0; k < TN_SIDES_IN_REGISTERS; k++)
            if (begin + k < end) sides[begin + k] = own[k];
        return;
    }
    for (int i = begin + 1; i < end; i++) {
        int x = sides[i], k = i;
        for (; k > begin && sides[k - 1] > x; k--) sides[k] = sides[k - 1];
        sides[k] = x;
    }
}

/* One side: H += Jᵀ W J and g += Jᵀ (W J v - λ), W = bt I + (bn - bt) n nᵀ. */
TN_DEVICE inline void add_side(const double r[3], const double n[3], const double beta[2],
                               const double force[3], const double v[6], double H[21], double g[6])
{
    double u[3], m[3], f[3], bt = beta[1], more = beta[0] - beta[1], size = bt * v3_dot(r, r);
    v3_cross(m, r, n);
    const double N[6] = {n[0], n[1], n[2], m[0], m[1], m[2]};
    TN_UNROLL
    for (int a = 0; a < 6; a++) {
        TN_UNROLL
        for (int b = a; b < 6; b++) H[sym6(a, b)] += more * N[a] * N[b];
    }
    TN_UNROLL
    for (int a = 0; a < 3; a++) { /* J = [I, -[r]×] */
        int b = (a + 1) % 3, c = (a + 2) % 3;
        H[sym6(a, a)] += bt;
        H[sym6(a, 3 + b)] += bt * r[c];
        H[sym6(a, 3 + c)] -= bt * r[b];
        H[sym6(3 + a, 3 + a)] += size;
        TN_UNROLL
        for (int k = a; k < 3; k++) H[sym6(3 + a, 3 + k)] -= bt * r[a] * r[k];
    }
    v3_cross(u, v + 3, r);
    v3_add(u, u, v);
    double un = more * v3_dot(u, n);
    for (int a = 0; a < 3; a++) f[a] = bt * u[a] + un * n[a] - force[a];
    v3_cross(m, r, f);
    for (int a = 0; a < 3; a++) g[a] += f[a], g[3 + a] += m[a];
}

/* Bodies before r, and their sides, make it one of piece_of(r); it notes where pieces begin. */
template <class R> TN_DEVICE inline void note_piece(const View<R> &s, int r)
{
    int n = s.body_count;
    long long total = (long long)s.side_start[n] + n;
    auto piece_of = [&](int k) {
        return (int)((s.side_start[k] + (long long)k) * s.piece_count / total);
    };
    int piece = piece_of(r);
    for (int k = r ? piece_of(r - 1) + 1 : 0; k <= piece; k++) s.piece_start[k] = r;
    if (r == n - 1)
        for (int k = piece + 1; k <= s.piece_count; k++) s.piece_start[k] = n;
}

/* Of a side of a contact; behind the arm: what side_arm has there. */
template <class R, class V>
TN_DEVICE inline void arm_and_normal(const View<R> &s, int side, V *arm, V *n)
{
    int c = side >> 1, as_b = side & 1;
    if (s.balls) {
        V p = s.arm_a[c];
        int against = bits_in(p.w) & 1;
        R rho_b = s.arm_b[c].x;
        *n = normal_of<R>(p, against);
        *arm = as_b ? second_arm<R>(*n, rho_b) : p;
        arm->w = with_bits<R>(2 * side + (as_b ? rho_b > 0 : against));
        return;
    }
    *arm = as_b ? s.arm_b[c] : s.arm_a[c];
    arm->w = with_bits<R>(side);
    *n = s.normal[c];
}

/* H = A + Σ Jᵀ W J, its inverse, and g. */
template <class R> void factor(Queue &q, const View<R> &s)
{
    typedef typename Vec4<R>::type V;
    each(
        q, s.body_count, nullptr,
        [=] TN_DEVICE(int r) {
            int begin = s.side_start[r], end = s.side_start[r + 1], n = s.body_count;
            double H[21] = {0}, g[6] = {0};
            V linear = s.v[2 * r], angular = s.v[2 * r + 1];
            double v[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
            sort_sides(s.sides, begin, end);
            if (s.piece_count) note_piece(s, r);
            for (int i = begin; i < end; i++) {
                V arm, n_of, l = s.lambda[s.sides[i] >> 1];
                arm_and_normal(s, s.sides[i], &arm, &n_of);
                double sign = s.sides[i] & 1 ? 1.0 : -1.0,
                       force[3] = {sign * l.x, sign * l.y, sign * l.z};
                double rr[3] = {arm.x, arm.y, arm.z}, nn[3] = {n_of.x, n_of.y, n_of.z};
                s.side_arm[i] = arm;
                add_side(rr, nn, s.start_beta + 2 * (size_t)s.sides[i], force, v, H, g);
            }
            for (int k = 0; k < 3; k++) H[sym6(k, k)] += s.A[r];
            for (int i = 3, p = 1; i < 6; i++)
                for (int j = i; j < 6; j++, p++) {
                    if (!s.balls)
                        H[sym6(i, j)] += s.A[p * n + r];
                    else if (i == j)
                        H[sym6(i, j)] += s.A[n + r];
                }
            invert_sym6(H);
            for (int k = 0; k < 21; k++) s.Hinv[k * n + r] = (R)H[k];
            for (int k = 0; k < 6; k++) s.g[k * n + r] = (R)g[k];
        },
        64);
}

/* Π(t), μ behind n. */
template <class R>
TN_DEVICE inline typename Vec4<R>::type project(typename Vec4<R>::type t, typename Vec4<R>::type n)
{
    return projected<R>(t, n, friction_share<R>(t, n));
}

/* v at a point of a body. */
template <class R>
TN_DEVICE inline typename Vec4<R>::type
velocity_at(typename Vec4<R>::type v, typename Vec4<R>::type w, typename Vec4<R>::type arm)
{
    return {v.x + w.y * arm.z - w.z * arm.y, v.y + w.z * arm.x - w.x * arm.z,
            v.z + w.x * arm.y - w.y * arm.x, 0};
}

/* t ← (1-α) t + α (share λ - B u),  λ = Π(t),  u = J v + e. Bn is behind arm a, Bt behind arm b;
 * what is behind t stays. */
template <class R>
TN_DEVICE inline typename Vec4<R>::type
next_trial(typename Vec4<R>::type u, typename Vec4<R>::type t, typename Vec4<R>::type l,
           typename Vec4<R>::type n, R Bn, R Bt, R alpha, R share)
{
    R un = (Bn - Bt) * (u.x * n.x + u.y * n.y + u.z * n.z);
    return {(1 - alpha) * t.x + alpha * (share * l.x - Bt * u.x - un * n.x),
            (1 - alpha) * t.y + alpha * (share * l.y - Bt * u.y - un * n.y),
            (1 - alpha) * t.z + alpha * (share * l.z - Bt * u.z - un * n.z), t.w};
}

/* A contact's next t and λ = Π(t). */
template <class R, bool BALLS = false> struct UpdateContacts {
    typedef typename Vec4<R>::type V;
    View<R> s;
    R alpha, share;
    bool last = false; /* of this part of the solve: balls have λ then */
    TN_DEVICE void operator()(int i) const
    {
        V p = s.arm_a[i], o = s.arm_b[i], u = s.total[i], t = s.trial[i], none = {0, 0, 0, 0};
        if (BALLS) {
            int a = bits_in(p.w) >> 1, b = bits_in(u.w);
            V n = normal_of<R>(p, bits_in(p.w) & 1), l = projected<R>(t, n, t.w);
            u = ball_velocity<R>(p, n, o.x, u, s.v[2 * a], s.v[2 * a + 1],
                                 b < 0 ? none : s.v[2 * b], b < 0 ? none : s.v[2 * b + 1]);
            n.w = o.w;
            t = next_trial<R>(u, t, l, n, o.y, o.z, alpha, share);
            t.w = friction_share<R>(t, n);
            s.trial[i] = t;
            if (last) s.lambda[i] = projected<R>(t, n, t.w);
            return;
        }
        V n = s.normal[i];
        int a = bits_in(u.w), b = bits_in(t.w);
        V va = velocity_at<R>(s.v[2 * a], s.v[2 * a + 1], p);
        u.x -= va.x, u.y -= va.y, u.z -= va.z;
        if (b >= 0) {
            V vb = velocity_at<R>(s.v[2 * b], s.v[2 * b + 1], o);
            u.x += vb.x, u.y += vb.y, u.z += vb.z;
        }
        V next = next_trial<R>(u, t, project<R>(t, n), n, p.w, o.w, alpha, share);
        s.trial[i] = next;
        s.lambda[i] = project<R>(next, n);
    }
};

/* F += Jᵀλ of one side. */
template <class R>
TN_DEVICE inline void add_wrench(typename Vec4<R>::type arm, typename Vec4<R>::type l, bool as_b,
                                 R F[6])
{
    R sign = as_b ? (R)1 : (R)-1;
    l.x *= sign, l.y *= sign, l.z *= sign;
    F[0] += l.x, F[1] += l.y, F[2] += l.z;
    F[3] += arm.y * l.z - arm.z * l.y;
    F[4] += arm.z * l.x - arm.x * l.z;
    F[5] += arm.x * l.y - arm.y * l.x;
}

/* Numbers of A: of balls those of its first two planes. */
template <bool BALLS> constexpr int mass_numbers = BALLS ? 2 : 7;

/* v ← H⁻¹ (g + 2F),  g ← g + α (F - A v) */
template <class R, bool BALLS = false>
TN_DEVICE inline void next_velocity(const R Hinv[21], const R *A, const R F[6], R alpha, R g[6],
                                    R v[6])
{
    R x[6];
    for (int k = 0; k < 6; k++) {
        x[k] = g[k] + 2 * F[k];
        v[k] = 0;
    }
    TN_UNROLL
    for (int i = 0; i < 6; i++)
        for (int j = i; j < 6; j++) {
            v[i] += Hinv[sym6(i, j)] * x[j];
            if (j > i) v[j] += Hinv[sym6(i, j)] * x[i];
        }
    R Av[6] = {A[0] * v[0], A[0] * v[1], A[0] * v[2], A[1] * v[3], A[1] * v[4], A[1] * v[5]};
    if (!BALLS) {
        Av[3] = A[1] * v[3] + A[2] * v[4] + A[3] * v[5];
        Av[4] = A[2] * v[3] + A[4] * v[4] + A[5] * v[5];
        Av[5] = A[3] * v[3] + A[5] * v[4] + A[6] * v[5];
    }
    for (int k = 0; k < 6; k++) g[k] += alpha * (F[k] - Av[k]);
}

#define TN_SIDES_AT_ONCE 4

template <class R, bool BALLS = false> struct UpdateBodies {
    typedef typename Vec4<R>::type V;
    View<R> s;
    R alpha;
    TN_DEVICE void operator()(int r) const
    {
        constexpr int masses = mass_numbers<BALLS>;
        int n = s.body_count, end = s.side_start[r + 1];
        R F[6] = {0}, Hinv[21], A[masses], g[6], v[6];
        const V *force = BALLS ? s.trial : s.lambda;
        /* several loads are on their way at a time */
        for (int i = s.side_start[r]; i < end; i += TN_SIDES_AT_ONCE) {
            V arm[TN_SIDES_AT_ONCE], l[TN_SIDES_AT_ONCE];
            TN_UNROLL
            for (int k = 0; k < TN_SIDES_AT_ONCE; k++)
                arm[k] = s.side_arm[i + k < end ? i + k : end - 1];
            TN_UNROLL
            for (int k = 0; k < TN_SIDES_AT_ONCE; k++)
                l[k] = force[bits_in(arm[k].w) >> (BALLS ? 2 : 1)];
            TN_UNROLL
            for (int k = 0; k < TN_SIDES_AT_ONCE; k++)
                if (i + k < end) add(arm[k], l[k], F);
        }
        for (int k = 0; k < 21; k++) Hinv[k] = s.Hinv[k * n + r];
        for (int k = 0; k < masses; k++) A[k] = s.A[k * n + r];
        for (int k = 0; k < 6; k++) g[k] = s.g[k * n + r];
        next_velocity<R, BALLS>(Hinv, A, F, alpha, g, v);
        s.v[2 * r] = V{v[0], v[1], v[2], 0};
        s.v[2 * r + 1] = V{v[3], v[4], v[5], 0};
        for (int k = 0; k < 6; k++) s.g[k * n + r] = g[k];
    }
    TN_DEVICE static void add(V arm, V l, R F[6])
    {
        int number = bits_in(arm.w);
        if (BALLS)
            add_ball_wrench<R>(arm, normal_of<R>(arm, number & 1), l, number >> 1 & 1, F);
        else
            add_wrench<R>(arm, l, number & 1, F);
    }
};

/* 1 - B C with C = D/R and w = D/s. */
template <class R> R share_of(const View<R> &s)
{
    double w = 1.0 / s.weight_scale;
    return s.ratio > 0.0 ? (R)(w / (w + 1.0 / s.ratio)) : (R)1;
}

template <class R, bool BALLS>
void iterate_with(Queue &q, const View<R> &s, int iterations, bool first, int likely_contacts)
{
    const int *count = &s.outcome->lists.contact_count;
    for (int k = 0; k < iterations; k++) {
        R alpha = first && k == 0 ? (R)1 : (R)s.alpha;
        UpdateContacts<R, BALLS> contacts = {s, alpha, share_of(s), k == iterations - 1};
        each(q, s.contact_room, count, contacts, 128, likely_contacts);
        each(q, s.body_count, nullptr, UpdateBodies<R, BALLS>{s, (R)s.alpha});
    }
}

/* `first`: the first of these iterations is the solve's first. */
template <class R>
void iterate(Queue &q, const View<R> &s, int iterations, bool first, int likely_contacts)
{
    (s.balls ? iterate_with<R, true> : iterate_with<R, false>)(q, s, iterations, first,
                                                               likely_contacts);
}

} // namespace tn
#endif
