/* balls.h: contacts of scenes in which only balls move: one sphere each, about the centre of mass,
 * with three equal moments of inertia, among planes (Base.balls).
 *
 * Arms are along the normal there: p = ρa n of the first body and -ρb n of the second. So a contact
 * is four vectors where any other one is five,
 *
 *     arm_a   p, Ends.a · 2 + (1: p is against n, the ball is deep in the other)
 *     arm_b   ρb, Bn, Bt, μ
 *     total   e, what is given, and J v_free; Ends.b
 *     trial   t, and k: Π(t) = max(0, tn) n + k (t - tn n)
 *
 * and a body gets λ = Π(t) from t, k and its arm: no λ is written before the last iteration. A is
 * two numbers. The iteration is bound by memory, or by what fits on the chip. */
#ifndef TN_GPU_BALLS_H
#define TN_GPU_BALLS_H

#include "data.h"

namespace tn
{

TN_DEVICE inline double inverse_root(double x) { return 1.0 / sqrt(x); }
#ifdef __CUDACC__
TN_DEVICE inline float inverse_root(float x) { return rsqrtf(x); }
#else
TN_DEVICE inline float inverse_root(float x) { return 1.0f / sqrtf(x); }
#endif

/* k of Π(t), μ behind n. */
template <class R>
TN_DEVICE inline R friction_share(typename Vec4<R>::type t, typename Vec4<R>::type n)
{
    R tn = t.x * n.x + t.y * n.y + t.z * n.z, ln = tn > 0 ? tn : 0;
    R x = t.x - tn * n.x, y = t.y - tn * n.y, z = t.z - tn * n.z;
    R size = x * x + y * y + z * z, most = n.w * ln;
    return size > most * most ? most * inverse_root(size) : (R)1;
}

/* Π(t) with this k. */
template <class R>
TN_DEVICE inline typename Vec4<R>::type projected(typename Vec4<R>::type t,
                                                  typename Vec4<R>::type n, R k)
{
    R tn = t.x * n.x + t.y * n.y + t.z * n.z, ln = tn > 0 ? tn : 0;
    R x = t.x - tn * n.x, y = t.y - tn * n.y, z = t.z - tn * n.z;
    return {ln * n.x + k * x, ln * n.y + k * y, ln * n.z + k * z, 0};
}

/* n of an arm that is along n or against it; behind n: the inverse of how long the arm is along it.
 */
template <class R>
TN_DEVICE inline typename Vec4<R>::type normal_of(typename Vec4<R>::type arm, bool against)
{
    R inverse = inverse_root(arm.x * arm.x + arm.y * arm.y + arm.z * arm.z);
    if (against) inverse = -inverse;
    return {inverse * arm.x, inverse * arm.y, inverse * arm.z, inverse};
}

/* -ρb n */
template <class R>
TN_DEVICE inline typename Vec4<R>::type second_arm(typename Vec4<R>::type n, R rho_b)
{
    return {-rho_b * n.x, -rho_b * n.y, -rho_b * n.z, 0};
}

/* total + J v; n: with 1/ρa behind it. Of the world's side v and w are zero. */
template <class R>
TN_DEVICE inline typename Vec4<R>::type
ball_velocity(typename Vec4<R>::type p, typename Vec4<R>::type n, R rho_b,
              typename Vec4<R>::type total, typename Vec4<R>::type va, typename Vec4<R>::type wa,
              typename Vec4<R>::type vb, typename Vec4<R>::type wb)
{
    R q = rho_b * n.w, x = wa.x + q * wb.x, y = wa.y + q * wb.y, z = wa.z + q * wb.z;
    return {total.x + vb.x - va.x - (y * p.z - z * p.y),
            total.y + vb.y - va.y - (z * p.x - x * p.z),
            total.z + vb.z - va.z - (x * p.y - y * p.x), 0};
}

/* F += Jᵀ Π(t) of a side; n × t is all that turns. */
template <class R>
TN_DEVICE inline void add_ball_wrench(typename Vec4<R>::type arm, typename Vec4<R>::type n,
                                      typename Vec4<R>::type t, bool as_b, R F[6])
{
    R tn = t.x * n.x + t.y * n.y + t.z * n.z, ln = tn > 0 ? tn : 0;
    R along = ln - t.w * tn, across = t.w;
    if (!as_b) along = -along, across = -across;
    F[0] += along * n.x + across * t.x;
    F[1] += along * n.y + across * t.y;
    F[2] += along * n.z + across * t.z;
    F[3] += across * (arm.y * t.z - arm.z * t.y);
    F[4] += across * (arm.z * t.x - arm.x * t.z);
    F[5] += across * (arm.x * t.y - arm.y * t.x);
}

} // namespace tn
#endif
