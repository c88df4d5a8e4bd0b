/* mjcf_region.c: nodes of a soft body by number or by place, for <hold>, <pin> and <tie> of
 * <tenon>:
 *
 *   nodes="0 4 7"              these
 *   range="0 9  20 29"         these and all between
 *   box="x y z hx hy hz"       in the box with this centre and these half lengths
 *   ball="x y z r"             in the ball
 *   within="geom"              in the named geom
 *
 * Places are those of the reference pose, in the world. Several attributes together choose all that
 * one of them chooses; one that chooses nothing is an error. A node on the border counts as inside,
 * to a billionth of the body's size. */
#include "deformable/mjcf_soft.h"

#include <math.h>
#include <string.h>

typedef struct Choice {
    TnMjcf *m;
    const TnXmlElement *e;
    const TnMjcfNodes *nodes;
    unsigned char *chosen;
    double slack; /* m */
} Choice;

static double slack_of(const TnMjcfNodes *nodes)
{
    double size = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < nodes->count; i++) {
            low = fmin(low, nodes->places[3 * (size_t)i + (size_t)k]);
            high = fmax(high, nodes->places[3 * (size_t)i + (size_t)k]);
        }
        size = fmax(size, fmax(high - low, fmax(fabs(low), fabs(high))));
    }
    return 1e-9 * size;
}

static bool by_number(const Choice *c, const char *name, int group)
{
    int count = 0;
    const double *list = tn_mjcf_real_list(c->m, c->e, name, &count);
    if (!tn_xml_attr(c->e, name)) return true;
    if (count == 0 || count % group != 0) {
        tn_mjcf_error_attr(c->m, c->e, name, "%s needs %s", name,
                           group == 1 ? "at least one number" : "two numbers each: from and to");
        return false;
    }
    for (int i = 0; i < count; i++)
        if (list[i] < 0 || list[i] >= c->nodes->count) {
            tn_mjcf_error_attr(c->m, c->e, name, "%s: there is no node %.0f; they are 0 to %d",
                               name, list[i], c->nodes->count - 1);
            return false;
        }
    for (int i = 0; i < count; i += group) {
        if (list[i + group - 1] < list[i]) {
            tn_mjcf_error_attr(c->m, c->e, name,
                               "%s: %.0f comes before %.0f; put the smaller first", name, list[i],
                               list[i + 1]);
            return false;
        }
        memset(c->chosen + (size_t)list[i], 1, (size_t)(list[i + group - 1] - list[i]) + 1);
    }
    return true;
}

static bool is_inside(TnGeomType type, const double size[3], const double p[3], double slack)
{
    double flat = hypot(p[0], p[1]), along;
    switch (type) {
    case TN_GEOM_SPHERE:
        return hypot(flat, p[2]) <= size[0] + slack;
    case TN_GEOM_CAPSULE:
        along = fmax(fabs(p[2]) - size[1], 0);
        return hypot(flat, along) <= size[0] + slack;
    case TN_GEOM_CYLINDER:
        return flat <= size[0] + slack && fabs(p[2]) <= size[1] + slack;
    case TN_GEOM_ELLIPSOID:
        return hypot(hypot(p[0] / (size[0] + slack), p[1] / (size[1] + slack)),
                     p[2] / (size[2] + slack)) <= 1;
    default: /* a box */
        return fabs(p[0]) <= size[0] + slack && fabs(p[1]) <= size[1] + slack &&
               fabs(p[2]) <= size[2] + slack;
    }
}

static bool by_shape(const Choice *c, const char *name, TnGeomType type, const double size[3],
                     const TnMjcfPose *pose)
{
    TnMjcfPose back = tn_mjcf_inverse(pose);
    int found = 0;
    for (size_t i = 0; i < (size_t)c->nodes->count; i++) {
        TnMjcfPose node = tn_mjcf_identity();
        memcpy(node.pos, c->nodes->places + 3 * i, sizeof node.pos);
        node = tn_mjcf_compose(&back, &node);
        if (!is_inside(type, size, node.pos, c->slack)) continue;
        c->chosen[i] = 1;
        found++;
    }
    if (found) return true;
    const double *p = c->nodes->places;
    tn_mjcf_error_attr(c->m, c->e, name,
                       "no node of the soft body lies in this %s in the reference pose (world "
                       "coordinates; node 0 is at %.6g %.6g %.6g)",
                       strcmp(name, "within") == 0 ? "geom" : name, p[0], p[1], p[2]);
    return false;
}

/* A place and a size. */
static bool by_region(const Choice *c, const char *name, int count)
{
    TnMjcfView view = tn_mjcf_plain_view(c->e);
    double numbers[6];
    if (tn_mjcf_reals(c->m, &view, name, numbers, count) != count) return true;
    for (int i = 3; i < count; i++)
        if (!(numbers[i] >= 0)) {
            tn_mjcf_error_attr(c->m, c->e, name, "%s: its size must not be negative", name);
            return false;
        }
    TnMjcfPose pose = tn_mjcf_identity();
    memcpy(pose.pos, numbers, sizeof pose.pos);
    return by_shape(c, name, count == 4 ? TN_GEOM_SPHERE : TN_GEOM_BOX, numbers + 3, &pose);
}

static bool by_geom(const Choice *c, TnBodyId *body)
{
    const TnMjcfName *name = tn_mjcf_refer(c->m, TN_NAMED_GEOM, c->e, "within");
    if (!name) return !tn_xml_attr(c->e, "within");
    const TnMjcfGeomPlace *geom = name->data;
    if (!geom || geom->def.type == TN_GEOM_PLANE || geom->def.type >= TN_GEOM_MESH) {
        tn_mjcf_error_attr(c->m, c->e, "within",
                           "within is for spheres, capsules, cylinders, ellipsoids and boxes");
        return false;
    }
    if (body) *body = geom->def.body;
    return by_shape(c, "within", geom->def.type, geom->def.size, &geom->world);
}

bool tn_mjcf_choose_nodes(TnMjcf *m, const TnXmlElement *e, const TnMjcfNodes *nodes,
                          unsigned char *chosen, TnBodyId *body)
{
    Choice c = {m, e, nodes, chosen, slack_of(nodes)};
    static const char *const ways[] = {"nodes", "range", "box", "ball", "within"};
    bool any = false;
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        any = any || tn_xml_attr(e, ways[i]) != NULL;
    if (!any) {
        tn_mjcf_error(m, e, "nodes, range, box, ball or within is missing");
        return false;
    }
    bool good = by_number(&c, "nodes", 1);
    good = by_number(&c, "range", 2) && good;
    good = by_region(&c, "box", 6) && good;
    good = by_region(&c, "ball", 4) && good;
    return by_geom(&c, body) && good;
}
