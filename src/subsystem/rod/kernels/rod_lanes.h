/* rod_lanes.h: rod_kernels.h, as many lanes at a time as the processor has; ../strain.c
 * has the same for one joint, and the formulas' reasons. Included once per instruction set. */

#include <math.h>

#include "../arcsin.h"
#include "rod_kernels.h"

/* As many lanes as a register holds. */
#if defined(__AVX512F__)
enum { W = 8 };
#elif defined(__AVX2__)
enum { W = 4 };
#else
enum { W = 2 };
#endif
typedef double vd __attribute__((vector_size(8 * W), may_alias));
typedef long long vi __attribute__((vector_size(8 * W), may_alias));

/* Vectors are no arguments and no results: how these are passed depends on the instruction set. */
#define v_if(MASK, YES, NO) ((vd)(((vi)(YES) & (MASK)) | ((vi)(NO) & ~(MASK))))
#define v_dot(A, B) ((A)[0] * (B)[0] + (A)[1] * (B)[1] + (A)[2] * (B)[2])

static inline void v_length(vd *out, const vd x[3])
{
    vd squared = v_dot(x, x);
    for (int l = 0; l < W; l++) (*out)[l] = sqrt(squared[l]);
}
static inline void v_cross(vd out[3], const vd a[3], const vd b[3])
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = a[i] * b[j] - a[j] * b[i];
    }
}
static inline void v_load(vd *out, const double *lanes, int count)
{
    for (int k = 0; k < count; k++) out[k] = *(const vd *)(lanes + TN_ROD_LANES * k);
}

/* TnRodStrain but for g. */
typedef struct Strain {
    vd axes[3][3], d[3], inverse, pull[3], axis[3], half[3], across, along, bend;
} Strain;

static inline void place_axes(vd axes[3][3], const vd q[4], const vd *scale)
{
    vd x = *scale * q[1], y = *scale * q[2], z = *scale * q[3];
    vd wx = q[0] * x, wy = q[0] * y, wz = q[0] * z;
    vd xx = q[1] * x, xy = q[1] * y, xz = q[1] * z, yy = q[2] * y, yz = q[2] * z, zz = q[3] * z;
    axes[0][0] = 1.0 - (yy + zz), axes[0][1] = xy + wz, axes[0][2] = xz - wy;
    axes[1][0] = xy - wz, axes[1][1] = 1.0 - (xx + zz), axes[1][2] = yz + wx;
    axes[2][0] = xz + wy, axes[2][1] = yz - wx, axes[2][2] = 1.0 - (xx + yy);
}

static inline void place(const TnRodPlaces *at, int h, Strain *s)
{
    vd p[4], q[4], mid[4], cross[3], zero = {0};
    v_load(p, at->quat[0][0] + h, 4);
    v_load(q, at->quat[1][0] + h, 4);
    v_load(s->d, at->d[0] + h, 3);
    vd w = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
    vd sign = v_if(w < zero, zero - 1.0, zero + 1.0);
    vd scale = 1.0 / (1.0 + w * sign);
    for (int k = 0; k < 4; k++) {
        q[k] *= sign;
        mid[k] = p[k] + q[k];
    }
    place_axes(s->axes, mid, &scale);
    v_cross(cross, q + 1, p + 1);
    for (int k = 0; k < 3; k++) {
        s->axis[k] = p[0] * q[k + 1] - q[0] * p[k + 1] - cross[k];
        s->half[k] = 0.5 * scale * s->axis[k];
    }
    vd s2 = s->bend = v_dot(s->axis, s->axis);
    vd c = TN_ARCSIN_SERIES(s2);
    s->across = 1.0 + s2 * c;
    s->along = -c;
}

static inline void pull_along(Strain *s, const vd *now, const vi *stretched)
{
    const vd zero = {0};
    s->inverse = v_if(*stretched, 1.0 / *now, zero);
    for (int k = 0; k < 3; k++) s->pull[k] = s->inverse * s->d[k];
}

/* g, and where the joint is stretched and where it pushes. */
static inline void measure(const TnRodBatch *b, int h, Strain *s, vd g[7], vi *stretched,
                           vi *pushes)
{
    vd rest[6], zero = {0}, length = *(const vd *)(b->length + h), now;
    v_length(&now, s->d);
    v_load(rest, b->rest[0] + h, 6);
    for (int k = 0; k < 3; k++) {
        g[k] = v_dot(s->axes[k], s->d) - rest[k];
        g[3 + k] = 2.0 * s->across * v_dot(s->axes[k], s->axis) - rest[3 + k];
    }
    *stretched = now >= length;
    *pushes = ~*stretched | (g[2] < zero);
    g[2] = v_if(*pushes, g[2], zero);
    g[6] = v_if(*stretched, now - length, zero);
    pull_along(s, &now, stretched);
}

/* x ← T x */
static inline void turn(const Strain *s, vd x[3])
{
    vd along = s->along * v_dot(s->axis, x);
    for (int k = 0; k < 3; k++) x[k] = s->across * x[k] + along * s->axis[k];
}

static inline void rate_of(const Strain *s, const vd a[6], const vd b[6], const vi *pushes,
                           vd rate[7])
{
    const vd zero = {0};
    vd part[3], bend[3], omega[3], x[3];
    for (int k = 0; k < 3; k++) {
        part[k] = b[k] - a[k];
        bend[k] = b[3 + k] - a[3 + k];
    }
    v_cross(x, s->half, bend);
    for (int k = 0; k < 3; k++) omega[k] = 0.5 * (a[3 + k] + b[3 + k]) - x[k];
    rate[6] = v_dot(s->pull, part);
    v_cross(x, s->d, omega);
    for (int k = 0; k < 3; k++) part[k] += x[k];
    turn(s, bend);
    for (int k = 0; k < 3; k++) {
        rate[k] = v_dot(s->axes[k], part);
        rate[3 + k] = v_dot(s->axes[k], bend);
    }
    rate[2] = v_if(*pushes, rate[2], zero);
}

/* At the start, in the middle, or between. */
static inline void mixed_rate(const TnRodBatch *batch, int h, const Strain *start,
                              const Strain *mid, const vi *pushes, double w, vd rate[7])
{
    vd a[6], b[6], at_mid[7];
    v_load(a, batch->v[0][0] + h, 6);
    v_load(b, batch->v[1][0] + h, 6);
    rate_of(w < 1.0 ? start : mid, a, b, pushes, rate);
    if (w <= 0.0 || w >= 1.0) return;
    rate_of(mid, a, b, pushes, at_mid);
    for (int k = 0; k < 7; k++) rate[k] += w * (at_mid[k] - rate[k]);
}

/* -Jᵀ force, and what `taut` does to the expected motion. */
static inline void add_forces(TnRodBatch *batch, int h, const Strain *s, const vd force[7],
                              const vd *taut)
{
    vd f[3], moment[3], torque[3], x[3], part[3];
    const vd(*axes)[3] = (const vd(*)[3])s->axes;
    v_load(part, batch->part[0] + h, 3);
    vd along = v_dot(s->pull, part);
    for (int k = 0; k < 3; k++) {
        f[k] = force[0] * axes[0][k] + force[1] * axes[1][k] + force[2] * axes[2][k];
        moment[k] = force[3] * axes[0][k] + force[4] * axes[1][k] + force[5] * axes[2][k];
    }
    turn(s, moment);
    v_cross(torque, f, s->d);
    v_cross(x, torque, s->half);
    for (int k = 0; k < 3; k++) {
        vd across = *taut * (part[k] - along * s->pull[k]);
        vd couple = moment[k] - x[k], share = 0.5 * torque[k];
        f[k] += force[6] * s->pull[k] - across;
        *(vd *)(batch->b[0][k] + h) = f[k];
        *(vd *)(batch->b[1][k] + h) = -f[k];
        *(vd *)(batch->b[0][3 + k] + h) = couple - share;
        *(vd *)(batch->b[1][3 + k] + h) = -couple - share;
    }
}

/* The part that both ends share: linear xx xy xz yy yz zz, then angular. */
static inline void shared_part(const Strain *s, const vd root[7], const vd *taut, vd common[12])
{
    const vd *p = s->pull;
    vd t[3][3], more = root[6] * root[6] - *taut;
    for (int r = 0; r < 3; r++) {
        for (int k = 0; k < 3; k++) t[r][k] = root[3 + r] * s->axes[r][k];
        turn(s, t[r]);
    }
    for (int i = 0, at = 0; i < 3; i++)
        for (int j = i; j < 3; j++, at++) {
            common[at] = more * (p[i] * p[j]);
            if (i == j) common[at] += *taut;
            common[6 + at] = t[0][i] * t[0][j] + t[1][i] * t[1][j] + t[2][i] * t[2][j];
        }
}

static inline void add_stiffness(TnRodBatch *batch, int h, const Strain *s, const vd root[7],
                                 const vd *taut)
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const vd zero = {0};
    vd x[2][3][6], common[12]; /* rows of a and of b */
    for (int r = 0; r < 3; r++) {
        vd axis[3], c[3], e[3];
        for (int k = 0; k < 3; k++) axis[k] = root[r] * s->axes[r][k];
        v_cross(c, axis, s->d);
        v_cross(e, c, s->half);
        for (int k = 0; k < 3; k++) {
            x[0][r][k] = -axis[k];
            x[1][r][k] = axis[k];
            x[0][r][3 + k] = 0.5 * c[k] + e[k];
            x[1][r][3 + k] = 0.5 * c[k] - e[k];
        }
    }
    shared_part(s, root, taut, common);
    for (int i = 0, place = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            bool linear = i < 3 && j < 3, angular = i >= 3 && j >= 3;
            const vd *both = linear    ? &common[at[i][j]]
                             : angular ? &common[6 + at[i - 3][j - 3]]
                                       : &zero;
            vd between =
                x[1][0][i] * x[0][0][j] + x[1][1][i] * x[0][1][j] + x[1][2][i] * x[0][2][j];
            *(vd *)(batch->E[6 * i + j] + h) = between - *both;
            if (j < i) continue;
            for (int e = 0; e < 2; e++)
                *(vd *)(batch->D[e][place] + h) = x[e][0][i] * x[e][0][j] +
                                                  x[e][1][i] * x[e][1][j] +
                                                  x[e][2][i] * x[e][2][j] + *both;
            place++;
        }
}

static inline void some_joints(TnRodBatch *b, int h, double w, double late_from)
{
    const vd zero = {0};
    vd g[7], rate[7], force[7], k[7], kr[7], root[7], now;
    vi stretched, pushes;
    Strain start, mid;
    place(&b->start, h, &start);
    place(&b->mid, h, &mid);
    measure(b, h, &start, g, &stretched, &pushes);
    v_length(&now, mid.d);
    pull_along(&mid, &now, &stretched);
    *(vd *)(b->bend + h) = v_if(start.bend > mid.bend, start.bend, mid.bend);
    mixed_rate(b, h, &start, &mid, &pushes, w, rate);
    v_load(k, b->k[0] + h, 7);
    v_load(kr, b->kr[0] + h, 7);
    v_load(root, b->root[0] + h, 7);
    for (int r = 0; r < 7; r++) force[r] = k[r] * g[r] - kr[r] * rate[r];
    vd stiffness = k[6] * g[6] * start.inverse;
    vd late = *(const vd *)(b->unresolved + h) * stiffness - late_from;
    late = v_if(late > zero, late, zero);
    late = v_if(late < zero + 1.0, late, zero + 1.0);
    vd taut = (1.0 + late) * *(const vd *)(b->lead + h) * stiffness;
    root[2] = v_if(pushes, root[2], zero);
    force[2] = v_if(pushes, force[2], zero);
    add_forces(b, h, &mid, force, &taut);
    add_stiffness(b, h, &mid, root, &taut);
}

static void joints(TnRodBatch *b, double w, double late_from)
{
    for (int h = 0; h < TN_ROD_LANES; h += W) some_joints(b, h, w, late_from);
}
