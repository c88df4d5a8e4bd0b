/* rest.c: what rests, moved up or down to where it touches. A plane, or the upper side of a box,
 * has a point c and a normal n; a part's lowest point along n is h below its place x. It touches
 * where n·(x - c) = h. */
#include <math.h>
#include <string.h>

#include "math/vec3.h"
#include "model.h"

typedef struct Place {
    double x[3], quat[4];
} Place;

/* MJCF's euler angles: about x, then the new y, then the new z. */
static void turned(const Part *p, double quat[4])
{
    memcpy(quat, (double[]){1.0, 0.0, 0.0, 0.0}, 4 * sizeof *quat);
    for (int k = 0; k < 3; k++) {
        double half = 0.5 * p->n[N_TURN_X + k] * 0.017453292519943295, next[4];
        double about[4] = {cos(half), 0.0, 0.0, 0.0};
        about[1 + k] = sin(half);
        quat_mul(next, quat, about);
        memcpy(quat, next, sizeof next);
    }
}

static Place place_of(const Sketch *s, const Part *p)
{
    Place here;
    memcpy(here.x, p->n + N_X, sizeof here.x);
    turned(p, here.quat);
    if (p->kind != PART_BODY || p->a < 0) return here;
    Place on = place_of(s, &s->parts[p->a]);
    double x[3], quat[4];
    quat_rotate(x, on.quat, here.x);
    v3_add(here.x, on.x, x);
    quat_mul(quat, on.quat, here.quat);
    memcpy(here.quat, quat, sizeof quat);
    return here;
}

/* How far a geom reaches along a direction in its own axes. */
static double reach(int form, const double size[3], const double u[3])
{
    double flat[3] = {size[0] * u[0], size[1] * u[1], size[2] * u[2]};
    switch (form) {
    case FORM_SPHERE:
        return size[0];
    case FORM_CAPSULE:
        return size[0] + size[1] * fabs(u[2]);
    case FORM_CYLINDER:
        return size[0] * hypot(u[0], u[1]) + size[1] * fabs(u[2]);
    case FORM_ELLIPSOID:
        return v3_norm(flat);
    default: /* a mesh stands on its lower side, which is that of a box */
        return fabs(flat[0]) + fabs(flat[1]) + fabs(flat[2]);
    }
}

static double reach_down(const Part *p, const Place *at, const double n[3])
{
    static const int soft_forms[] = {FORM_BOX, FORM_SPHERE, FORM_CYLINDER};
    double back[4], u[3];
    quat_conjugate(back, at->quat);
    quat_rotate(u, back, n);
    v3_scale(u, u, -1.0);
    if (p->kind == PART_CABLE) return p->n[N_SIZE_X] + p->n[N_AHEAD] * fmax(0.0, u[0]);
    int form = p->kind == PART_SOFT ? soft_forms[p->form] : p->form;
    if (p->n[N_AHEAD] == 0.0) return reach(form, p->n + N_SIZE_X, u);
    double own[3] = {-u[2], u[1], u[0]}; /* the geom is turned by 90 degrees about y */
    return reach(form, p->n + N_SIZE_X, own) + p->n[N_AHEAD] * u[0];
}

/* How far up to move so that it touches one fixed part; -INFINITY: it never does. */
static double rise(const Part *p, const Place *at, const Part *fixed)
{
    double n[3], quat[4], from[3];
    turned(fixed, quat);
    quat_rotate(n, quat, (double[]){0.0, 0.0, 1.0});
    v3_sub(from, at->x, fixed->n + N_X);
    if (fixed->form == FORM_BOX) v3_add_scaled(from, n, -fixed->n[N_SIZE_Z]);
    if (fixed->form != FORM_BOX && fixed->form != FORM_PLANE) return -INFINITY;
    return (reach_down(p, at, n) - v3_dot(n, from)) / n[2];
}

void sketch_rest(Sketch *s)
{
    for (int i = 0; i < s->part_count; i++) {
        const Part *p = &s->parts[i];
        double up = -INFINITY;
        int root = i;
        if (!p->rests) continue;
        Place at = place_of(s, p);
        for (int k = 0; k < s->part_count; k++)
            if (s->parts[k].kind == PART_STATIC) up = fmax(up, rise(p, &at, &s->parts[k]));
        while (s->parts[root].kind == PART_BODY && s->parts[root].a >= 0) root = s->parts[root].a;
        if (isfinite(up)) s->parts[root].n[N_Z] += up;
    }
}
