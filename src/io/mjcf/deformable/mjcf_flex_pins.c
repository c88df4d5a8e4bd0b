/* mjcf_flex_pins.c: <pin> of a <flexcomp>, <connect> between its nodes and bodies, and the cage of
 * an interpolated one.
 *
 * Vertices of MuJoCo's interpolated flexes (dof trilinear or quadratic) follow the nodes of a cage:
 * the box around all vertices, cut into cellcount cells, with nodes at the corners of the cells
 * (order 1) or half way between them, too (order 2). Along an axis, at u in [0, 1] of a cell,
 *
 *   order 1: 1-u, u         order 2: (1-u)(1-2u), 4u(1-u), u(2u-1)
 *
 * and a vertex moves with the products of these. Here all vertices are nodes that move by
 * themselves. Pins name nodes of the cage, as in MuJoCo: a vertex is held if every node of the cage
 * that it follows is. */
#include "mjcf_soft.h"

#include <math.h>
#include <string.h>

#define ON_NODE                                                                                    \
    1e-9 /* of a cell: closer to a node than this is at it; vertices are sums of spacings */

/* ---- pins ---- */

/* True where numbers come in groups of this many and each lies below its bound; bounds repeat. */
static bool check_pin(TnMjcf *m, const TnXmlElement *e, const char *name, const double *list,
                      int length, int group, const int *bounds, int bound_count)
{
    if (length % group != 0) {
        tn_mjcf_error_attr(m, e, name, "%s needs numbers in groups of %d, not %d in all", name,
                           group, length);
        return false;
    }
    for (int i = 0; i < length; i++)
        if (list[i] < 0 || list[i] >= bounds[i % bound_count]) {
            tn_mjcf_error_attr(m, e, name, "%s: %.0f is not between 0 and %d", name, list[i],
                               bounds[i % bound_count] - 1);
            return false;
        }
    return true;
}

static void pin_grid(TnMjcf *m, const TnXmlElement *e, const TnMjcfPins *p, const char *name,
                     int group)
{
    int length = 0;
    const double *list = tn_mjcf_real_list(m, e, name, &length);
    if (!tn_xml_attr(e, name)) return;
    if (!p->count) {
        tn_mjcf_error_attr(m, e, name, "%s is for flexcomps of type grid; use id or range", name);
        return;
    }
    if (!check_pin(m, e, name, list, length, group, p->count, p->dim)) return;
    for (int i = 0; i < length; i += group) {
        const double *low = list + i, *high = low + group - p->dim;
        int bottom = p->dim == 3 ? (int)low[2] : 0, top = p->dim == 3 ? (int)high[2] : 0;
        for (int x = (int)low[0]; x <= (int)high[0]; x++)
            for (int y = (int)low[1]; y <= (int)high[1]; y++)
                for (int z = bottom; z <= top; z++)
                    p->pinned[((size_t)x * (size_t)p->count[1] + (size_t)y) * (size_t)p->count[2] +
                              (size_t)z] = 1;
    }
}

void tn_mjcf_read_pin(TnMjcf *m, const TnXmlElement *e, const TnMjcfPins *p)
{
    int length = 0, before = m->err.count;
    if (!tn_mjcf_check_leaf(m, TN_GROUP_FLEXCOMP, e) || m->err.count != before) return;
    if (p->node_count != p->file_nodes) {
        tn_mjcf_error(
            m, e,
            "the mesh file has %d node%s without elements, so the numbering is ambiguous; save the "
            "mesh without them",
            p->file_nodes - p->node_count, p->file_nodes - p->node_count == 1 ? "" : "s");
        return;
    }
    const double *ids = tn_mjcf_real_list(m, e, "id", &length);
    if (check_pin(m, e, "id", ids, length, 1, &p->node_count, 1))
        for (int i = 0; i < length; i++) p->pinned[(size_t)ids[i]] = 1;
    const double *ranges = tn_mjcf_real_list(m, e, "range", &length);
    if (check_pin(m, e, "range", ranges, length, 2, &p->node_count, 1))
        for (int i = 0; i < length; i += 2)
            for (size_t k = (size_t)ranges[i]; k <= (size_t)ranges[i + 1]; k++) p->pinned[k] = 1;
    pin_grid(m, e, p, "grid", p->dim);
    pin_grid(m, e, p, "gridrange", 2 * p->dim);
}

/* ---- nodes that equalities hold ---- */

/* An equality that was read as such. */
struct TnMjcfNodeHold {
    const TnXmlElement *element;
    struct TnMjcfNodeHold *next;
};

bool tn_mjcf_holds_node(const TnMjcf *m, const TnXmlElement *e)
{
    const struct TnMjcfNodeHold *h = m->node_holds;
    while (h && h->element != e) h = h->next;
    return h != NULL;
}

/* MuJoCo's bodies are `soft_7`, and of a cage `soft_1_0_2`. -1: it is none of them. */
static int node_named(const char *soft, const char *body, const TnMjcfPins *pins, bool cage)
{
    size_t length = strlen(soft);
    if (strncmp(body, soft, length) != 0) return -1;
    int64_t node = 0;
    body += length;
    for (int k = 0; k < (cage ? 3 : 1); k++) {
        int64_t number = 0;
        int digits = 0, most = cage ? pins->count[k] : pins->node_count;
        if (*body++ != '_') return -1;
        for (; *body >= '0' && *body <= '9' && digits < 10; body++, digits++)
            number = 10 * number + (*body - '0');
        if (!digits || number >= most) return -1;
        node = node * most + number;
    }
    return *body ? -1 : (int)node;
}

/* The place in pins->bodies; 0: there is no room. */
static int place_of(TnMjcfPins *pins, TnBodyId body)
{
    int i = 1;
    while (i <= pins->body_count && pins->bodies[i] != body) i++;
    if (i > UINT8_MAX) return 0;
    if (i > pins->body_count) pins->bodies[++pins->body_count] = body;
    return i;
}

/* Whose anchor is the node, and which always acts. */
static bool can_hold(TnMjcf *m, const TnXmlElement *e)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    double anchor[3] = {0};
    const TnXmlAttr *other = tn_xml_attr(e, "body2");
    return tn_mjcf_reals(m, &view, "anchor", anchor, 3) == 3 && anchor[0] == 0 && anchor[1] == 0 &&
           anchor[2] == 0 && tn_mjcf_bool(&view, "active", true) &&
           (!other || tn_mjcf_name_find(m, TN_NAMED_BODY, other->value));
}

static void connect_node(TnMjcf *m, const TnXmlElement *e, int node, TnMjcfPins *pins)
{
    struct TnMjcfNodeHold *hold = TN_IO_NEW(&m->pool, struct TnMjcfNodeHold);
    if (!hold) return;
    *hold = (struct TnMjcfNodeHold){e, m->node_holds};
    m->node_holds = hold;
    if (!m->settings.equality) return;
    const TnXmlAttr *other = tn_xml_attr(e, "body2");
    int by = place_of(pins, other ? tn_mjcf_name_find(m, TN_NAMED_BODY, other->value)->id
                                  : TN_BODY_WORLD);
    if (!by)
        tn_mjcf_error(m, e, "more than %d bodies hold nodes of this soft body", UINT8_MAX);
    else if (pins->pinned[node] && pins->pinned[node] != by)
        tn_mjcf_error_attr(m, e, "body1", "this node is already held by another body");
    else
        pins->pinned[node] = (unsigned char)by;
}

void tn_mjcf_connect_nodes(TnMjcf *m, const TnMjcfSoft *soft, TnMjcfPins *pins)
{
    for (const TnXmlElement *s = soft->def.name ? m->root->first : NULL; s; s = s->next)
        for (const TnXmlElement *e = strcmp(s->name, "equality") == 0 ? s->first : NULL; e;
             e = e->next) {
            const TnXmlAttr *body = tn_xml_attr(e, "body1");
            if (strcmp(e->name, "connect") != 0 || !body || !can_hold(m, e)) continue;
            int node = node_named(soft->def.name, body->value, pins, soft->cage_order > 0);
            if (node >= 0) connect_node(m, e, node, pins);
        }
}

/* ---- the cage ---- */

TnMjcfCage tn_mjcf_cage(TnMjcf *m, const TnXmlElement *e, TnMjcfSoft *soft)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    TnMjcfCage cage = {.order = tn_mjcf_word(&view, "dof", "full trilinear quadratic", 0)};
    double cells[3] = {1, 1, 1};
    tn_mjcf_reals(m, &view, "cellcount", cells, 3);
    soft->cage_order = cage.order;
    if (cage.order && soft->dim != 3)
        tn_mjcf_error_attr(m, e, "dof",
                           "an interpolated flex must be a solid (dim 3) here; a sheet has "
                           "dof=\"full\"");
    if (!cage.order && tn_xml_attr(e, "cellcount"))
        tn_mjcf_error_attr(m, e, "cellcount",
                           "cellcount is for dof=\"trilinear\" and \"quadratic\"; remove it");
    int64_t limit = tn_load_limit(m->load, TN_LIMIT_NODES, TN_MOST_NODES);
    double nodes = 1;
    for (int k = 0; k < 3; k++) {
        nodes *= cage.order * cells[k] + 1;
        if (cells[k] >= 1 && nodes <= (double)limit) {
            cage.cells[k] = (int)cells[k];
            continue;
        }
        tn_mjcf_error_attr(m, e, "cellcount",
                           cells[k] < 1 ? "cellcount must be 1 or more in each direction"
                                        : "cellcount asks for too many nodes" TN_RAISE_LIMIT);
        break;
    }
    if (cage.order)
        tn_mjcf_remark(m, TN_REMARK_FLEX_CAGE, tn_xml_attr_place(e, tn_xml_attr(e, "dof")),
                       e->name);
    for (int k = 0; k < 3; k++) cage.nodes[k] = cage.order * cage.cells[k] + 1;
    return cage;
}

void tn_mjcf_cage_pins(const TnMjcfCage *cage, TnMjcfPins *pins)
{
    pins->node_count = pins->file_nodes = cage->nodes[0] * cage->nodes[1] * cage->nodes[2];
    pins->count = cage->nodes;
    pins->dim = 3;
}

/* Which nodes of an axis a coordinate follows: up to three numbers. */
static int nodes_along(const TnMjcfCage *cage, int axis, double share, int out[3])
{
    int cells = cage->cells[axis], order = cage->order, count = 0;
    double at = share * cells;
    int cell = (int)fmin(fmax(floor(at), 0), cells - 1);
    double place = (at - cell) * order; /* 0, 1 … order: at a node */
    double near = round(place);
    if (fabs(place - near) <= ON_NODE * order) {
        out[0] = order * cell + (int)near;
        return 1;
    }
    for (int k = 0; k <= order; k++) out[count++] = order * cell + k;
    return count;
}

/* What holds all of these nodes of the cage; 0: nothing does. */
static unsigned char holder_of(const TnMjcfCage *cage, const unsigned char *pinned,
                               int follow[3][3], const int count[3])
{
    unsigned char by = 0;
    for (int i = 0; i < count[0] * count[1] * count[2]; i++) {
        int a = i % count[0], b = i / count[0] % count[1], c = i / (count[0] * count[1]);
        size_t row = (size_t)follow[0][a] * (size_t)cage->nodes[1] + (size_t)follow[1][b];
        unsigned char here = pinned[row * (size_t)cage->nodes[2] + (size_t)follow[2][c]];
        if (here == 0 || (i > 0 && here != by)) return 0;
        by = here;
    }
    return by;
}

unsigned char *tn_mjcf_cage_held(TnMjcf *m, const TnMjcfCage *cage, const TnTetMesh *mesh,
                                 const unsigned char *pinned)
{
    unsigned char *held = tn_io_alloc(&m->pool, (size_t)mesh->node_count + 1);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < 3 * (size_t)mesh->node_count; i++) {
        low[i % 3] = fmin(low[i % 3], mesh->nodes[i]);
        high[i % 3] = fmax(high[i % 3], mesh->nodes[i]);
    }
    for (int i = 0; held && i < mesh->node_count; i++) {
        int follow[3][3], count[3];
        for (int k = 0; k < 3; k++) {
            double size = high[k] - low[k], x = mesh->nodes[3 * (size_t)i + (size_t)k] - low[k];
            count[k] = nodes_along(cage, k, size > 0 ? x / size : 0, follow[k]);
        }
        held[i] = holder_of(cage, pinned, follow, count);
    }
    return held;
}
