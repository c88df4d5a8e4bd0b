/* emit_triangles.c: a moving shape and a fixed mesh that collides as its triangles.
 *
 * As for two convex shapes (emit_shapes.c): what is near is listed as it is, what comes from afar
 * as it is where its path first meets a triangle. Normals differ from triangle to triangle, so a
 * body that moves along the surface is also looked at where it will be at the end of the step, and
 * faces that look in other directions there are listed ahead. */
#include "emit.h"
#include "narrow/tri_mesh.h"

#include "../math/vec3.h"

typedef struct Flight {
    const TnDetection *detection;
    const TnTriMesh *mesh;
    const TnTransform *at; /* of the mesh */
    TnMover mover;
    double near, time; /* the first meeting, */
    TnPassing passing;
} Flight;

/* When the shape first meets a triangle from its outside. */
static void meet_flying(void *context, int triangle)
{
    Flight *f = context;
    static const double nowhere[6] = {0.0};
    const TnDetection *d = f->detection;
    const TnPlaced shape = {f->mover.shape, f->mover.start};
    TnTriShape tri;
    TnWitness w;
    TnTransform there[2];
    TnManifold start = {.count = 1};
    double normal[3], apart[3], time;
    tn_tri_shape(f->mesh, f->at, triangle, &tri);
    m3_mul_v(normal, f->at->rot, f->mesh->triangles[triangle].normal);
    v3_sub(apart, shape.at->pos, tri.at.pos);
    if (v3_dot(apart, normal) < 0.0) return;
    TnPlaced placed = {&tri.shape, &tri.at};
    tn_convex_witness(&shape, &placed, 0.0, &w);
    v3_copy(start.normal, w.normal);
    start.points[0].gap = w.gap;
    TnMover still = {.shape = &tri.shape,
                     .start = &tri.at,
                     .com = nowhere,
                     .twist = nowhere,
                     .thinness = INFINITY};
    TnPassing passing = tn_sweep(&f->mover, &still, d->t, f->near, false, &start, &time, there);
    if (passing > f->passing) f->passing = passing;
    if (passing == TN_MEETS && time < f->time) f->time = time;
}

/* The triangles that the shape may reach on its way. */
static void query_way(const TnTriMesh *mesh, const TnTransform *at, const TnPlaced *shape,
                      double reach, TnTriVisit *visit, void *context)
{
    double low[3], high[3];
    tn_shape_box(shape, at, low, high);
    for (int k = 0; k < 3; k++) {
        low[k] -= reach;
        high[k] += reach;
    }
    tn_tri_mesh_query(mesh, low, high, visit, context);
}

/* Points as they are at a time, with gaps as they are at the start; those of `known` normals are
 * left out. */
static void emit_then(TnEmitter *e, const TnSlotPair *pair, TnWhen when,
                      const TnTriContacts *points, const TnTriContacts *known)
{
    for (int k = 0; k < points->count; k++) {
        const TnTriPoint *p = &points->points[k];
        bool told = false;
        for (int i = 0; known && i < known->count; i++)
            told |= v3_dot(known->points[i].normal, p->normal) > TN_ONE_NORMAL;
        if (told) continue;
        double closing = tn_closing_at(e->detection, pair, p->at.pos, p->normal, when).net;
        double gap = p->at.gap + when.time * closing;
        tn_emit_point(e, pair, p->at.pos, p->normal, gap, gap, when, p->at.feature);
    }
}

static void collide_then(const Flight *f, const TnMover *mover, double time, double near,
                         TnTriContacts *out)
{
    TnTransform there;
    tn_mover_at(mover, time, &there);
    TnPlaced shape = {mover->shape, &there};
    tn_tri_collide(&shape, f->mesh, f->at, near, 0.0, out);
}

/* Where the path first meets the mesh. */
static TnPassing emit_flying(TnEmitter *e, const TnSlotPair *pair, Flight *f, double reach)
{
    const TnPlaced shape = {f->mover.shape, f->mover.start};
    TnTriContacts met;
    f->time = INFINITY;
    f->passing = TN_STAYS_APART;
    query_way(f->mesh, f->at, &shape, reach, meet_flying, f);
    if (f->passing != TN_MEETS) return f->passing;
    collide_then(f, &f->mover, f->time, TN_ALONGSIDE * f->mover.thinness, &met);
    emit_then(e, pair, (TnWhen){f->time, f->detection->twists}, &met, NULL);
    return met.count ? TN_MEETS : TN_PASSES_BY;
}

void tn_emit_triangles(TnEmitter *e, const TnSlotPair *pair, double way)
{
    const TnDetection *d = e->detection;
    const TnCollider *c = d->collider;
    int i = pair->slot1, j = pair->slot2;
    const TnPlaced shape = {&c->shape[i], &c->place[i]};
    Flight f = {.detection = d,
                .mesh = c->tri_meshes[j],
                .at = &c->place[j],
                .mover = tn_slot_mover(d, i, d->twists),
                .near = pair->margin + d->slack};
    double reach = f.near + way, thin = c->thinness[i], nearest = INFINITY;
    TnTriContacts now, end;
    tn_tri_collide(&shape, f.mesh, f.at, reach, 0.0, &now);
    for (int k = 0; k < now.count; k++) nearest = fmin(nearest, now.points[k].at.gap);
    bool far = way > d->far * thin, flies = far && nearest > d->touching * thin;
    if (flies) {
        TnPassing passing = emit_flying(e, pair, &f, reach);
        if (passing == TN_MEETS || (passing == TN_STAYS_APART && !d->alone)) return;
    }
    TnWhen start = {0.0, d->twists};
    for (int k = 0; k < now.count; k++) {
        const TnTriPoint *p = &now.points[k];
        double gap = p->at.gap;
        if (flies || gap > f.near) {
            TnClosing closing = tn_closing_at(d, pair, p->at.pos, p->normal, start);
            if (!(gap <= f.near + d->t * closing.most)) continue;
            if (flies) gap = tn_larger(gap, d->t * closing.net);
        }
        tn_emit_point(e, pair, p->at.pos, p->normal, gap, p->at.gap, start, p->at.feature);
    }
    if (!far || flies) return;
    const double(*twists)[6] = d->held ? d->held : d->twists;
    TnMover held = tn_slot_mover(d, i, twists);
    collide_then(&f, &held, d->t, pair->margin + d->slack, &end);
    emit_then(e, pair, (TnWhen){d->t, twists}, &end, &now);
}
