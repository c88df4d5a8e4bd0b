/* impact_law.c: the impulses of one moment.
 *
 *     u_n⁺ >= -ε u_n⁻,  p_n >= 0,  complementary;   p_t by Coulomb's law with u_t⁺,
 *
 * for all contacts that meet then, by projected Gauss–Seidel sweeps. With ε = 1 and no friction
 * this keeps the energy. A tangent along which neither body can move gets no force; both tangents
 * take their step by the larger eigenvalue of their block of J M⁻¹ Jᵀ, which may be singular.
 *
 * With friction Newton's law can make energy, and so can sweeps that have not converged (an edge
 * has two corners, and paths that turn list a corner twice): ε is lowered until none is made, by
 * little where it is little. */
#include "impact_parts.h"

#include <math.h>
#include <string.h>

#include "../base/rounding.h"
#include "../collision/collider.h"
#include "../math/vec3.h"
#include "../model/thresholds.h"

#define SWEEPS 200
/* Times that ε is lowered where a hit would make energy. */
#define LOWERINGS 8

bool tn_hit_is_fresh(const TnHit *h)
{
    return (h->side[0].body && h->side[0].body->fresh) ||
           (h->side[1].body && h->side[1].body->fresh);
}

/* All that meet with `first` then, through common bodies; into `group`, how many. */
static int gather(TnImpacts *x, int first, int *group, bool *in)
{
    double s = x->hits[first].time, speed = -tn_hit_velocity(&x->hits[first], 0, s);
    int count = 1, all = x->among ? x->among_count : x->count;
    for (int j = 0; j < all; j++) in[x->among ? x->among[j] : j] = false;
    group[0] = first;
    in[first] = true;
    for (int k = 0; k < count; k++)
        for (int j = 0; j < all; j++) {
            int i = x->among ? x->among[j] : j;
            TnHit *h = &x->hits[i], *g = &x->hits[group[k]];
            if (in[i] || tn_hit_is_fresh(h)) continue;
            bool common = false;
            for (int a = 0; a < 2; a++)
                for (int b = 0; b < 2; b++)
                    common |= h->side[a].body && h->side[a].body == g->side[b].body;
            double size = fmin(x->step->model->geoms[h->c->geom1].bounding_radius,
                               x->step->model->geoms[h->c->geom2].bounding_radius);
            if (!common || tn_hit_gap(h, s) > (h->passive ? TN_TOUCHING : TN_LEAVE_SIZE) * size)
                continue;
            /* what approaches slower is hit by it: a row of balls at rest approaches by rounding */
            if (!h->passive && !(tn_hit_velocity(h, 0, s) < -TN_SAME * speed)) continue;
            in[i] = true;
            group[count++] = i;
        }
    return count;
}

static void push(TnHit *h, int row, double impulse)
{
    h->p[row] += impulse;
    for (int k = 0; k < 2; k++) {
        TnHitBody *b = h->side[k].body;
        for (int i = 0; b && i < b->n; i++) b->v[i] += impulse * h->side[k].MJ[row * b->n + i];
    }
}

/* One pass over a contact of the group; how much it changed. */
static double relax(TnHit *h, double s)
{
    double mu = h->c->dim == 1 ? 0.0 : h->c->friction[0], change;
    double p = fmax(0.0, h->p[0] - (tn_hit_velocity(h, 0, s) - h->bias) / h->W[0]);
    change = fabs(p - h->p[0]) * h->W[0];
    push(h, 0, p - h->p[0]);
    double W = h->W_slip;
    if (mu == 0.0 || W == 0.0) return change;
    double q[2] = {h->p[1] - tn_hit_velocity(h, 1, s) / W, h->p[2] - tn_hit_velocity(h, 2, s) / W};
    double size = hypot(q[0], q[1]), most = mu * h->p[0];
    if (size > most) {
        q[0] *= most / size;
        q[1] *= most / size;
    }
    change += W * hypot(q[0] - h->p[1], q[1] - h->p[2]);
    double d1 = q[0] - h->p[1], d2 = q[1] - h->p[2];
    push(h, 1, d1);
    push(h, 2, d2);
    return change;
}

/* Impulses of the group for a share of their restitution; the kinetic energy that they make, as a
 * fraction of the energy turned over, 0 where that is rounding. */
static double reflect(TnImpacts *x, const int *group, int count, double s, double share)
{
    double speed = 0.0;
    for (int k = 0; k < count; k++) {
        TnHit *h = &x->hits[group[k]];
        for (int r = 0; r < 3; r++) push(h, r, -h->p[r]);
        h->bias = -share * h->c->restitution * h->u0[0];
        speed = fmax(speed, fabs(h->u0[0]));
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double change = 0.0;
        for (int k = 0; k < count; k++) change = fmax(change, relax(&x->hits[group[k]], s));
        if (change <= TN_ROUND_OFF * speed) break;
    }
    double made = 0.0, turned = 0.0;
    for (int k = 0; k < count; k++) {
        const TnHit *h = &x->hits[group[k]];
        for (int r = 0; r < 3; r++) {
            made += 0.5 * h->p[r] * (h->u0[r] + tn_hit_velocity(h, r, s));
            turned += fabs(h->p[r] * h->u0[r]);
        }
    }
    return made > TN_ROOM * turned ? made / turned : 0.0;
}

/* A share of ε less by δ takes ½ ε δ of what is turned over: twice what has to go, for ε = 1. */
static double lower(double share, double made) { return share * fmax(0.5, 1.0 - 4.0 * made); }

/* False: no memory. */
static bool note_impulses(TnImpacts *x, const int *group, int count)
{
    TnWorld *world = x->step->world;
    if (world->impact_count + count > x->room) {
        x->room = 2 * (x->room + count);
        TnImpact *more = TN_ARENA_NEW(x->arena, TnImpact, x->room);
        if (!more) return false;
        if (world->impact_count)
            memcpy(more, world->impacts, sizeof *more * (size_t)world->impact_count);
        world->impacts = more;
    }
    for (int k = 0; k < count; k++) {
        const TnHit *h = &x->hits[group[k]];
        if (h->p[0] == 0.0) continue;
        TnImpact *out = &world->impacts[world->impact_count++];
        *out = (TnImpact){.geom1 = h->c->geom1, .geom2 = h->c->geom2};
        v3_copy(out->pos, h->c->pos);
        v3_copy(out->arm1, h->c->arm1);
        v3_copy(out->arm2, h->c->arm2);
        v3_copy(out->normal, h->c->normal);
        v3_scale(out->impulse, h->c->normal, h->p[0]);
        v3_add_scaled(out->impulse, h->t1, h->p[1]);
        v3_add_scaled(out->impulse, h->t2, h->p[2]);
    }
    return true;
}

bool tn_hit_resolve(TnImpacts *x, int first)
{
    double s = x->hits[first].time, share = 1.0;
    int *group = x->group, count = gather(x, first, group, x->in);
    for (int k = 0; k < count; k++)
        for (int side = 0; side < 2; side++) {
            TnHitBody *b = x->hits[group[k]].side[side].body;
            if (b) tn_hit_turn(x->step, b, s);
        }
    for (int k = 0; k < count; k++) {
        TnHit *h = &x->hits[group[k]];
        for (int r = 0; r < 3; r++) {
            h->u0[r] = tn_hit_velocity(h, r, s);
            h->p[r] = 0.0;
        }
    }
    double made = reflect(x, group, count, s, share);
    for (int k = 0; k < LOWERINGS && made > 0.0; k++) {
        share = k + 1 < LOWERINGS ? lower(share, made) : 0.0;
        made = reflect(x, group, count, s, share);
    }
    for (int k = 0; k < count; k++) {
        TnHit *h = &x->hits[group[k]];
        for (int side = 0; side < 2; side++) {
            TnHitBody *b = h->side[side].body;
            if (!b) continue;
            for (int r = 0; r < 3; r++)
                for (int i = 0; i < b->n; i++)
                    b->shift[i] += s * h->p[r] * h->side[side].MJ[r * b->n + i];
            b->hit = b->fresh = true;
            b->since = s;
        }
    }
    x->any = true;
    return note_impulses(x, group, count);
}
