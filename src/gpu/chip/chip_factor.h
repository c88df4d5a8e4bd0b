/* chip_factor.h: the matrices of the bodies for the iteration of chip_solve.h, in double:
 * H = A + Σ Jᵀ W J, its inverse, and g.
 *
 * Threads read the contacts that they have, and leave them in shared memory at their places, where
 * the threads of both bodies find them. */
#ifndef TN_GPU_CHIP_FACTOR_H
#define TN_GPU_CHIP_FACTOR_H

#include "../batch/batch_contacts.h"
#include "chip_data.h"

namespace tn
{

/* Contacts at their places, as four planes: with the arm of the body that owns it βn of that body,
 * with the other arm its βt, with the normal and the force on the owner both of the other body. */
struct Sides {
    float4 *own, *other, *normal, *force;
};

TN_DEVICE inline Sides sides_in(const Worlds &b, char *pool)
{
    float4 *all = (float4 *)pool;
    int places = b.chip_contacts;
    return Sides{all, all + places, all + 2 * places, all + 3 * places};
}

/* The contacts of a thread. */
TN_DEVICE inline void leave_sides(const Worlds &b, const Chip &c, const Sides &to, int thread)
{
    int tasks = c.duties[thread].tasks;
    TN_UNROLL
    for (int k = 0; k < TN_CHIP_OWN; k++) {
        if (k >= tasks) break;
        int place = k * b.chip_threads + thread;
        Task task = c.tasks[place];
        int i = task.record;
        bool turned = task.other & TN_TURNED;
        float4 p = c.arm_a[i], o = c.arm_b[i], n = c.normal[i], l = c.lambda[i], w = c.beta[i];
        float sign = turned ? 1.0f : -1.0f;
        if (turned) {
            float4 swap = p;
            p = o, o = swap, w = float4{w.z, w.w, w.x, w.y};
        }
        to.own[place] = float4{p.x, p.y, p.z, w.x};
        to.other[place] = float4{o.x, o.y, o.z, w.y};
        to.normal[place] = float4{n.x, n.y, n.z, w.z};
        to.force[place] = float4{sign * l.x, sign * l.y, sign * l.z, w.w};
    }
}

/* H⁻¹ and A of the body of thread r, and g, with v (less v_free) as it is now. pushes(k): the place
 * of what pushes it besides the thread's own contacts. */
template <class Pushes>
TN_DEVICE inline void factor_thread(const Worlds &b, const Chip &c, const Sides &sides, int r,
                                    Pushes pushes, const float v[6],
                                    float matrix[4 * TN_CHIP_MATRIX], float g[6])
{
    const Duty duty = c.duties[r];
    int body = c.order[r], n = b.body_count;
    double H[21] = {0}, sum[6] = {0}, A[7], now[6];
    for (int k = 0; k < 6; k++) now[k] = v[k];
    auto add = [&](int place, bool owns) {
        float4 p = sides.own[place], o = sides.other[place], m = sides.normal[place],
               f = sides.force[place], arm = owns ? p : o;
        double sign = owns ? 1.0 : -1.0, force[3] = {sign * f.x, sign * f.y, sign * f.z},
               beta[2] = {owns ? p.w : m.w, owns ? o.w : f.w}, at[3] = {arm.x, arm.y, arm.z},
               normal[3] = {m.x, m.y, m.z};
        add_side(at, normal, beta, force, now, H, sum);
    };
    auto add_own = [&](int thread, int count) {
        for (int k = 0; k < count; k++) add(k * b.chip_threads + thread, true);
    };
    add_own(r, duty.tasks);
    for (int k = 0; k < duty.pushes; k++) {
        int place = pushes(k), helper = n + place - b.chip_contacts;
        if (place < b.chip_contacts)
            add(place, false);
        else
            add_own(helper, c.duties[helper].tasks);
    }
    for (int k = 0; k < 7; k++) A[k] = (double)c.inertia[k * n + body];
    for (int k = 0; k < 3; k++) H[sym6(k, k)] += A[0];
    for (int i = 3, p = 1; i < 6; i++)
        for (int j = i; j < 6; j++) H[sym6(i, j)] += A[p++];
    invert_sym6(H);
    for (int k = 0; k < 21; k++) matrix[k] = (float)H[k];
    for (int k = 0; k < 7; k++) matrix[21 + k] = (float)A[k];
    for (int k = 0; k < 6; k++) g[k] = (float)sum[k];
}

} // namespace tn
#endif
