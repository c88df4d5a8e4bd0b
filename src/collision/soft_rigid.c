/* soft_rigid.c: nodes of a surface against a rigid geom: the geom's signed distance φ to the node,
 * less the surface's radius. A plane needs no more; for other geoms φ at the corners also says
 * which faces and edges are worth a look (soft_facets.c). */
#include "../math/vec3.h"
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

void tn_soft_emit_rigid(TnSoftEmitter *e, TnSoftSurface *s, int found)
{
    const TnCollider *c = e->detection->collider;
    TnPlaced geom = {&c->shape[e->slot], &c->place[e->slot]};
    int link = c->slots[e->slot].link;
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
