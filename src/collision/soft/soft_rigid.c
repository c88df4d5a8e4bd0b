/* soft_rigid.c: nodes of a surface against a rigid geom: the geom's signed distance φ to the node,
 * less the surface's radius. A plane needs no more; for other geoms φ at the corners also says
 * which faces and edges are worth a look (soft_facets.c). */
#include "../../math/vec3.h"
#include "../narrow/tri_mesh.h"
#include "soft_surface.h"

/* φ at a node, measured once per geom. */
static const TnSoftProbe *probe(TnSoftSurface *s, const TnPlaced *geom, int node)
{
    TnSoftProbe *p = &s->probes[node];
    if (p->query != s->query) {
        p->query = s->query;
        p->distance = tn_soft_distance(geom, s->x[node], p->out);
    }
    return p;
}

static void emit_node(TnSoftEmitter *e, TnSoftSurface *s, const TnPlaced *geom, int node)
{
    const TnSoftProbe *p = probe(s, geom, node);
    double distance = p->distance, out[3], n[3];
    v3_copy(out, p->out);
    if (distance < 0.0 && geom->shape->type != TN_GEOM_PLANE && !s->sheet) {
        tn_soft_node_normal(s, node, n);
        if (v3_dot(n, out) > TN_SOFT_AGAINST) distance = tn_soft_way_out(geom, s->x[node], n, out);
    }
    v3_scale(n, out, -1.0);
    TnSoftPlace place = {.s = s, .count = 1, .node = {node}, .triangle = -1, .weight = {1.0}};
    tn_soft_emit(e, &place, NULL, n, distance - s->radius, TN_SOFT_NODE | (uint32_t)s->nodes[node]);
}

/* A node against a mesh of triangles, as a ball. The nearest point counts. */
static void emit_node_on_triangles(TnSoftEmitter *e, TnSoftSurface *s, int node)
{
    const TnDetection *d = e->detection;
    const TnCollider *c = d->collider;
    double reach = e->margin + d->slack + d->t * s->speed;
    double depth = s->sizes[s->node_owners[node]]; /* an element */
    TnShape ball = {.type = TN_GEOM_SPHERE, .size = {s->radius, 0.0, 0.0}};
    TnTransform at = {.rot = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    TnPlaced placed = {&ball, &at};
    TnTriContacts found;
    const TnTriPoint *nearest = NULL;
    v3_copy(at.pos, s->x[node]);
    tn_tri_collide(&placed, c->tri_meshes[e->slot], &c->place[e->slot], reach, depth, &found);
    for (int i = 0; i < found.count; i++)
        if (!nearest || found.points[i].at.gap < nearest->at.gap) nearest = &found.points[i];
    if (!nearest) return;
    TnSoftPlace place = {.s = s, .count = 1, .node = {node}, .triangle = -1, .weight = {1.0}};
    tn_soft_emit(e, &place, NULL, nearest->normal, nearest->at.gap,
                 TN_SOFT_NODE | (uint32_t)s->nodes[node]);
}

static void emit_triangles(TnSoftEmitter *e, TnSoftSurface *s, int link, int found)
{
    for (int i = 0; i < found; i++)
        for (int k = 0; k < 3; k++) {
            int triangle = s->found[i], node = s->triangles[triangle][k];
            if (s->node_owners[node] == triangle && s->holders[node] != link)
                emit_node_on_triangles(e, s, node);
        }
}

void tn_soft_emit_rigid(TnSoftEmitter *e, TnSoftSurface *s, int found)
{
    const TnCollider *c = e->detection->collider;
    TnPlaced geom = {&c->shape[e->slot], &c->place[e->slot]};
    int link = c->slots[e->slot].link;
    if (c->tri_meshes[e->slot]) {
        emit_triangles(e, s, link, found);
        return;
    }
    s->query++;
    for (int i = 0; i < found; i++) {
        int triangle = s->found[i];
        for (int k = 0; k < 3; k++) {
            int node = s->triangles[triangle][k];
            if (s->node_owners[node] == triangle && s->holders[node] != link)
                emit_node(e, s, &geom, node);
            else if (geom.shape->type != TN_GEOM_PLANE)
                probe(s, &geom, node);
        }
    }
    if (geom.shape->type != TN_GEOM_PLANE) tn_soft_emit_facets(e, s, link, found);
}
