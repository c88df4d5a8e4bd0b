/* masses.c: see masses.h. */
#include "masses.h"

#include "../math/vec3.h"

void tn_masses_add_point(TnMassSums *s, double m, const double r[3], const double v[3],
                         const double r_of[3])
{
    double orbit[3];
    v3_cross(orbit, r, v);
    s->mass += m;
    v3_add_scaled(s->h, r, m);
    v3_add_scaled(s->P, v, m);
    v3_add_scaled(s->L, orbit, m);
    double r2 = v3_dot(r, r_of);
    for (int k = 0; k < 9; k++) s->I[k] += m * ((k % 4 ? 0.0 : r2) - r[k / 3] * r_of[k % 3]);
}

void tn_masses_add_link(TnMassSums *s, const TnLink *link, const TnLinkFrame *frame,
                        const double twist[6], const double at[3])
{
    double r[3], w[3], spin[3], turned[9], back[9];
    v3_sub(r, frame->com, at);
    tn_masses_add_point(s, link->mass, r, twist, r);
    m3_tmul_v(w, frame->rot, twist + 3);
    m3_mul_v(w, link->inertia, w);
    m3_mul_v(spin, frame->rot, w);
    v3_add(s->L, s->L, spin);
    m3_transpose(back, frame->rot);
    m3_mul(turned, link->inertia, back);
    m3_mul(turned, frame->rot, turned);
    for (int k = 0; k < 9; k++) s->I[k] += turned[k];
}

bool tn_masses_rigid_part(TnMassSums *s, const double at[3], TnRigidMotion *out)
{
    double d[3], orbit[3], c0[3], c1[3], c2[3];
    v3_scale(d, s->h, 1.0 / s->mass);
    v3_cross(orbit, d, s->P);
    v3_sub(s->L, s->L, orbit);
    double d2 = v3_dot(d, d);
    for (int k = 0; k < 9; k++) s->I[k] -= s->mass * ((k % 4 ? 0.0 : d2) - d[k / 3] * d[k % 3]);
    v3_add(out->centre, at, d);
    v3_scale(out->v, s->P, 1.0 / s->mass);
    v3_cross(c0, s->I + 3, s->I + 6);
    v3_cross(c1, s->I + 6, s->I);
    v3_cross(c2, s->I, s->I + 3);
    double det = v3_dot(s->I, c0);
    if (!(det > 0.0)) return false;
    for (int i = 0; i < 3; i++)
        out->omega[i] = (c0[i] * s->L[0] + c1[i] * s->L[1] + c2[i] * s->L[2]) / det;
    return true;
}

static void rigid_at(const TnRigidMotion *r, const double x[3], double v[3])
{
    double arm[3];
    v3_sub(arm, x, r->centre);
    v3_cross(v, r->omega, arm);
    v3_add(v, v, r->v);
}

static void change_vector(double *v, const double from[3], double scale, const double to[3])
{
    for (int k = 0; k < 3; k++) v[k] = scale * (v[k] - from[k]) + to[k];
}

void tn_change_point(const TnChange *c, const double x[3], double v[3])
{
    double from[3] = {0.0}, to[3] = {0.0};
    if (c->from) rigid_at(c->from, x, from);
    if (c->to) rigid_at(c->to, x, to);
    change_vector(v, from, c->scale, to);
}

void tn_change_free(const TnChange *c, const TnLinkFrame *frame, double *v)
{
    double from[3] = {0.0}, to[3] = {0.0};
    tn_change_point(c, frame->pos, v);
    if (c->from) m3_tmul_v(from, frame->rot, c->from->omega);
    if (c->to) m3_tmul_v(to, frame->rot, c->to->omega);
    change_vector(v + 3, from, c->scale, to);
}
