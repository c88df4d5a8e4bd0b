/* piece_graph.c: what a soft body's elements are cut along; see piece_graph.h. Lists of lists are
 * made by counting, and filled from their ends: afterwards each end stands where its list starts.
 */
#include "piece_graph.h"

#include "../../base/base.h"
#include "../../math/vec3.h"
#include "../mesh/tet_mesh.h"

#include <string.h>

static void add_up(int *start, int count)
{
    for (int i = 0; i < count; i++) start[i + 1] += start[i];
}

/* Members of each net by counting, each once; then the nets of each vertex from them. */
static bool list_nets(TnPieceGraph *p, const TnSoft *soft)
{
    TnCutGraph *g = &p->cut;
    size_t pins = 4 * (size_t)soft->tet_count;
    int *start = tn_calloc((size_t)soft->node_count + 1, sizeof *start), kept = 0;
    g->members = tn_malloc((pins + 1) * sizeof(int));
    g->nets = tn_malloc((pins + 1) * sizeof(int));
    g->vertex_start = tn_calloc((size_t)g->net_count + 1, sizeof(int));
    g->net_start = tn_calloc((size_t)g->vertex_count + 1, sizeof(int));
    int *end = tn_calloc((size_t)soft->node_count + 1, sizeof *end);
    bool ok = start && end && g->members && g->nets && g->vertex_start && g->net_start;
    if (ok) {
        for (size_t i = 0; i < pins; i++) start[soft->tets[i] + 1]++;
        add_up(start, soft->node_count);
        memcpy(end, start, ((size_t)soft->node_count + 1) * sizeof *end);
        for (size_t i = 0; i < pins; i++) {
            int v = tn_piece_vertex(soft, (int)(i / 4)), n = soft->tets[i], k = start[n];
            while (k < end[n] && g->members[k] != v) k++;
            if (k == end[n]) g->members[end[n]++] = v;
        }
        for (int n = 0; n < soft->node_count; n++) { /* close the gaps */
            g->vertex_start[n] = kept;
            for (int k = start[n]; k < end[n]; k++) {
                g->members[kept++] = g->members[k];
                g->net_start[g->members[k] + 1]++;
            }
        }
        g->vertex_start[soft->node_count] = kept;
        add_up(g->net_start, g->vertex_count);
        for (int n = soft->node_count - 1; n >= 0; n--)
            for (int k = g->vertex_start[n]; k < g->vertex_start[n + 1]; k++)
                g->nets[--g->net_start[g->members[k] + 1]] = n;
        /* each start has moved one place down */
        memmove(g->net_start, g->net_start + 1, (size_t)g->vertex_count * sizeof(int));
        g->net_start[g->vertex_count] = kept;
    }
    tn_free(start);
    tn_free(end);
    return ok;
}

/* Vertices that share a face, from both sides. */
static bool list_beside(TnPieceGraph *p, const TnSoft *soft)
{
    TnTetMesh mesh = {soft->node_count, soft->tet_count, soft->rest, soft->tets};
    size_t count = 4 * (size_t)soft->tet_count;
    TnTetSide *sides = tn_tet_sides(&mesh);
    p->beside_start = tn_calloc((size_t)p->cut.vertex_count + 1, sizeof(int));
    p->beside = tn_malloc(count * sizeof(int));
    bool ok = sides && p->beside_start && p->beside;
    for (int pass = 0; ok && pass < 2; pass++) {
        for (size_t i = 0; i + 1 < count; i++) {
            if (!tn_tet_sides_equal(&sides[i], &sides[i + 1])) continue;
            int a = tn_piece_vertex(soft, sides[i].tet),
                b = tn_piece_vertex(soft, sides[i + 1].tet);
            if (a == b) continue;
            if (pass == 0) {
                p->beside_start[a + 1]++;
                p->beside_start[b + 1]++;
            } else {
                p->beside[--p->beside_start[a + 1]] = b;
                p->beside[--p->beside_start[b + 1]] = a;
            }
        }
        if (pass == 0) add_up(p->beside_start, p->cut.vertex_count);
    }
    if (ok) { /* as in list_nets */
        int total = 0;
        for (size_t i = 0; i + 1 < count; i++)
            if (tn_tet_sides_equal(&sides[i], &sides[i + 1]) &&
                tn_piece_vertex(soft, sides[i].tet) != tn_piece_vertex(soft, sides[i + 1].tet))
                total += 2;
        memmove(p->beside_start, p->beside_start + 1, (size_t)p->cut.vertex_count * sizeof(int));
        p->beside_start[p->cut.vertex_count] = total;
    }
    tn_free(sides);
    return ok;
}

static void find_centres(TnPieceGraph *p, const TnSoft *soft)
{
    TnCutGraph *g = &p->cut;
    for (int e = 0; e < soft->tet_count; e++) {
        int v = tn_piece_vertex(soft, e);
        g->weight[v]++;
        for (int a = 0; a < 4; a++)
            v3_add_scaled(p->centre[v],
                          soft->rest + 3 * (size_t)soft->tets[4 * (size_t)e + (size_t)a], 0.25);
    }
    for (int v = 0; v < g->vertex_count; v++)
        v3_scale(p->centre[v], p->centre[v], 1.0 / g->weight[v]);
}

bool tn_piece_graph_create(TnPieceGraph *p, const TnSoft *soft)
{
    TnCutGraph *g = &p->cut;
    *p = (TnPieceGraph){0};
    g->vertex_count = soft->patches ? soft->patch_count : soft->tet_count;
    g->net_count = soft->node_count;
    g->weight = tn_calloc((size_t)g->vertex_count, sizeof(int));
    g->set = tn_calloc((size_t)g->vertex_count, sizeof(int));
    p->centre = tn_calloc((size_t)g->vertex_count, sizeof *p->centre);
    if (!g->weight || !g->set || !p->centre || !list_nets(p, soft) || !list_beside(p, soft))
        return false;
    find_centres(p, soft);
    return true;
}

void tn_piece_graph_free(TnPieceGraph *p)
{
    tn_free(p->cut.net_start);
    tn_free(p->cut.nets);
    tn_free(p->cut.vertex_start);
    tn_free(p->cut.members);
    tn_free(p->cut.weight);
    tn_free(p->cut.set);
    tn_free(p->beside_start);
    tn_free(p->beside);
    tn_free(p->centre);
    *p = (TnPieceGraph){0};
}
