/* mjcf_flex_rod.c: MuJoCo's <flexcomp dim="1"> becomes a rod (docs/mjcf.md).
 *
 * MuJoCo has points, with springs or constraints along the edges between them, and since 3.17
 * elasticity that bends and twists a round section of the flex's radius. Here each edge is a
 * segment of a rod: elasticity      E bends and twists; E stretches, too, unless edges say more.
 * Straight at rest. edge stiffness  k N/m of each edge: E = k l/(π r²), and without elasticity
 * nothing bends edge equality   stretches by TN_KEPT_STRAIN where it hangs by an end under its own
 * weight A pinned point is held by a connect, at the end of its segment. A circle is closed by a
 * weld. */
#include "../../../base/base.h"
#include "mjcf_soft.h"

#include <math.h>
#include <string.h>

enum { TYPE_GRID, TYPE_CIRCLE = 6, TYPE_DIRECT = 9 };

typedef struct Rope {
    const TnXmlElement *element;
    TnRodDef def;
    TnSoftDef surface; /* contacts and look */
    double *points;
    int point_count; /* of the file; a circle's first is its last, too */
    bool closed, edges_kept;
    double young, poisson, damping, edge_stiffness, edge_damping;
    unsigned char *pinned;
} Rope;

static bool is(const TnXmlElement *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

/* ---- the points ---- */

static bool take_points(TnMjcf *m, Rope *r, int count)
{
    r->point_count = count;
    r->points = tn_io_alloc(&m->pool, 3 * ((size_t)count + 1) * sizeof *r->points);
    r->pinned = tn_io_alloc(&m->pool, (size_t)count + 1);
    return r->points && r->pinned;
}

static bool make_line(TnMjcf *m, Rope *r, bool circle)
{
    TnMjcfView view = tn_mjcf_plain_view(r->element);
    double count[3] = {10, 1, 1}, spacing[3] = {0.02, 0.02, 0.02};
    tn_mjcf_reals(m, &view, "count", count, 3);
    tn_mjcf_reals(m, &view, "spacing", spacing, 3);
    if (tn_mjcf_too_many_segments(m, r->element, "count", count[0])) return false;
    int points = circle ? (int)count[0] - 1 : (int)count[0];
    if (!(points >= 3 && count[1] == 1 && count[2] == 1)) {
        tn_mjcf_error_attr(m, r->element, "count",
                           "a rope needs a count of %d or more, then 1 and 1", circle ? 4 : 3);
        return false;
    }
    if (!(spacing[0] > 0)) {
        tn_mjcf_error_attr(m, r->element, "spacing", "spacing must be above 0");
        return false;
    }
    if (!take_points(m, r, points)) return false;
    r->closed = circle;
    double radius = 0.5 * spacing[0] / sin(TN_PI / points);
    for (int i = 0; i <= points - !circle; i++) {
        double *p = r->points + 3 * (size_t)i, angle = 2 * TN_PI * (i % points) / points;
        p[0] = circle ? radius * cos(angle) : spacing[0] * (i - 0.5 * (points - 1));
        p[1] = circle ? radius * sin(angle) : 0;
        p[2] = 0;
    }
    return true;
}

static bool make_direct(TnMjcf *m, Rope *r)
{
    int numbers = 0, indices = 0;
    const double *points = tn_mjcf_real_list(m, r->element, "point", &numbers);
    const double *ends = tn_mjcf_real_list(m, r->element, "element", &indices);
    bool chain = indices == 2 * (numbers / 3 - 1);
    for (int i = 0; chain && i < indices; i++) chain = ends[i] == (i + 1) / 2;
    if (numbers < 9 || numbers % 3 != 0 || !chain) {
        tn_mjcf_error_attr(m, r->element, "element",
                           "a rope is one line: three or more points, and elements 0 1  1 2  2 3 "
                           "and so on");
        return false;
    }
    if (!take_points(m, r, numbers / 3)) return false;
    memcpy(r->points, points, (size_t)numbers * sizeof *points);
    return true;
}

static double length_of(const Rope *r, int segment)
{
    const double *p = r->points + 3 * (size_t)segment;
    return sqrt((p[3] - p[0]) * (p[3] - p[0]) + (p[4] - p[1]) * (p[4] - p[1]) +
                (p[5] - p[2]) * (p[5] - p[2]));
}

/* ---- its parts ---- */

static void read_pins(TnMjcf *m, const TnXmlElement *e, Rope *r)
{
    static const char *const names[3] = {"id", "range", "grid"};
    if (tn_xml_attr(e, "gridrange"))
        tn_mjcf_error_attr(m, e, "gridrange", "pins of a rope have id, range or grid");
    for (int k = 0; k < 3; k++) {
        int count = 0;
        const double *list = tn_mjcf_real_list(m, e, names[k], &count);
        bool range = k == 1, good = !range || count % 2 == 0;
        for (int i = 0; i < count; i++) good = good && list[i] >= 0 && list[i] < r->point_count;
        if (!good) {
            tn_mjcf_error_attr(m, e, names[k], "%s: points are 0 to %d here", names[k],
                               r->point_count - 1);
            continue;
        }
        for (int i = 0; i < count; i += 1 + range)
            for (int p = (int)list[i]; p <= (int)list[i + range]; p++) r->pinned[p] = 1;
    }
}

static void read_edge(TnMjcf *m, const TnXmlElement *e, Rope *r)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    const char *equality = tn_mjcf_text(&view, "equality");
    r->edge_stiffness = tn_mjcf_real(m, &view, "stiffness", 0);
    r->edge_damping = tn_mjcf_real(m, &view, "damping", 0);
    if (r->edge_stiffness < 0)
        tn_mjcf_error_attr(m, e, "stiffness", "stiffness must not be negative");
    if (equality && strcmp(equality, "true") == 0) r->edges_kept = true;
    if (equality && strcmp(equality, "strain") == 0)
        tn_mjcf_error_attr(m, e, "equality",
                           "equality=\"strain\" is for dof=\"trilinear\" and \"quadratic\"; "
                           "\"true\" keeps the lengths of edges");
}

static void read_part(TnMjcf *m, const TnXmlElement *e, Rope *r)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    if (is(e, "plugin")) {
        tn_mjcf_error(m, e, "plugins of ropes are not supported; use <elasticity>");
        return;
    }
    if (!tn_mjcf_check_leaf(m, TN_GROUP_FLEXCOMP, e)) return;
    if (is(e, "pin")) read_pins(m, e, r);
    if (is(e, "edge")) read_edge(m, e, r);
    if (is(e, "contact")) {
        tn_mjcf_soft_contact(m, e, &r->surface);
        r->def.self_contact =
            tn_mjcf_word(&view, "selfcollide", "none narrow bvh sap auto", 4) != 0;
    }
    if (!is(e, "elasticity")) return;
    r->young = tn_mjcf_real(m, &view, "young", 0);
    r->poisson = tn_mjcf_real(m, &view, "poisson", 0);
    r->damping = tn_mjcf_real(m, &view, "damping", 0);
    if (tn_mjcf_word(&view, "elastic2d", "none bend stretch both", 0))
        tn_mjcf_error_attr(m, e, "elastic2d", "elastic2d is for sheets (dim 2); remove it");
    if (r->poisson < 0 || r->poisson >= 0.5)
        tn_mjcf_error_attr(m, e, "poisson", "poisson must be at least 0 and below 0.5");
}

/* ---- material ---- */

static bool set_material(TnMjcf *m, Rope *r, double mass)
{
    TnRodDef *def = &r->def;
    double area = TN_PI * def->radius * def->radius, length = 0;
    int n = def->segment_count;
    for (int i = 0; i < n; i++) length += length_of(r, i);
    def->density = mass / (area * length);
    def->poisson_ratio = r->poisson;
    def->youngs_modulus = r->young;
    def->damping_time = r->damping;
    def->straight_rest = r->young > 0;
    def->bend_modulus = r->young;
    def->twist_modulus = r->young / (2 * (1 + r->poisson));
    if (r->edge_stiffness > 0) {
        def->youngs_modulus = r->edge_stiffness * length / n / area;
        if (r->young == 0) def->damping_time = r->edge_damping / r->edge_stiffness;
    }
    if (r->edges_kept && m->settings.equality)
        def->youngs_modulus = fmax(def->youngs_modulus, mass * TN_EARTH / (area * TN_KEPT_STRAIN));
    if (def->youngs_modulus > 0 && length > 0 && def->radius > 0) return true;
    tn_mjcf_error(m, r->element,
                  "nothing holds this rope together: it needs a radius above 0, and <elasticity "
                  "young=\"…\"/>, <edge stiffness=\"…\"/> or <edge equality=\"true\"/>");
    return false;
}

static void set_surface(Rope *r)
{
    const TnSoftDef *s = &r->surface;
    r->def.contact_type = s->contact_type;
    r->def.contact_affinity = s->contact_affinity;
    r->def.contact_dim = s->contact_dim;
    r->def.priority = s->priority;
    memcpy(r->def.friction, s->friction, sizeof s->friction);
    r->def.margin = s->margin;
    r->def.group = s->group;
    memcpy(r->def.rgba, s->rgba, sizeof s->rgba);
}

/* ---- into the builder ---- */

static void hold_point(TnMjcf *m, const Rope *r, const TnRodParts *parts, int point, TnBodyId body)
{
    TnEqualityDef equality = tn_equality_def();
    int last = r->def.segment_count - 1, segment = point <= last ? point : last;
    equality.type = TN_EQUALITY_CONNECT;
    equality.body1 = parts->body + segment;
    equality.body2 = body;
    equality.anchor[2] = (point <= last ? -0.5 : 0.5) * length_of(r, segment);
    equality.source = tn_xml_place(r->element);
    tn_builder_add_equality(m->builder, &equality);
    if (body != TN_BODY_WORLD)
        tn_builder_add_exclude(m->builder, body, parts->body + segment, equality.source);
}

static void add_rope(TnMjcf *m, Rope *r, TnBodyId body)
{
    TnRodParts parts = tn_builder_rod_parts(m->builder, tn_builder_add_rod(m->builder, &r->def));
    int n = r->def.segment_count;
    m->qpos_count += 7 * n;
    m->dof_count += 6 * n;
    for (int i = 0; i < r->point_count; i++)
        if (r->pinned[i]) hold_point(m, r, &parts, i, body);
    if (!r->closed) return;
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = parts.body + n - 1;
    weld.body2 = parts.body;
    weld.source = tn_xml_place(r->element);
    tn_builder_add_equality(m->builder, &weld);
}

void tn_mjcf_flex_rod(TnMjcf *m, const TnXmlElement *e, const TnMjcfPose *world, TnBodyId body)
{
    int before = m->err.count;
    if (!tn_mjcf_check(m, TN_GROUP_BODY, e)) return;
    TnMjcfView view = tn_mjcf_plain_view(e);
    int type = tn_mjcf_word(&view, "type",
                            "grid box cylinder ellipsoid square disc circle mesh gmsh direct", 0);
    Rope r = {.element = e, .def = tn_rod_def(), .surface = tn_soft_def()};
    r.def.name = tn_mjcf_text(&view, "name");
    r.def.source = tn_xml_place(e);
    r.def.radius = tn_mjcf_real(m, &view, "radius", 0.005);
    r.def.self_contact = true;
    tn_mjcf_soft_look(m, e, &r.surface);
    if (type != TYPE_GRID && type != TYPE_CIRCLE && type != TYPE_DIRECT)
        tn_mjcf_error_attr(m, e, "type", "a rope (dim 1) has the type grid, circle or direct");
    if (tn_mjcf_bool(&view, "rigid", false))
        tn_mjcf_error_attr(m, e, "rigid", "a rigid flexcomp is not supported");
    if (tn_mjcf_word(&view, "dof", "full trilinear quadratic", 0) || tn_xml_attr(e, "cellcount"))
        tn_mjcf_error_attr(m, e, tn_xml_attr(e, "cellcount") ? "cellcount" : "dof",
                           "a rope (dim 1) has no cage; remove dof and cellcount");
    if (m->err.count != before) return;
    if (!(type == TYPE_DIRECT ? make_direct(m, &r) : make_line(m, &r, type == TYPE_CIRCLE))) return;
    for (const TnXmlElement *c = e->first; c; c = c->next) read_part(m, c, &r);
    r.edges_kept = r.edges_kept || tn_mjcf_flex_equality(m, r.def.name);
    r.def.segment_count = r.point_count - !r.closed;
    r.def.points = r.points;
    TnMjcfPose pose = tn_mjcf_pose(m, &view);
    pose = tn_mjcf_compose(world, &pose);
    for (int i = 0; i <= r.def.segment_count; i++) {
        double turned[3], *p = r.points + 3 * (size_t)i;
        tn_mjcf_rotate(pose.quat, p, turned);
        for (int k = 0; k < 3; k++) p[k] = turned[k] + pose.pos[k];
    }
    set_surface(&r);
    if (!m->settings.contact || !(r.def.contact_type & r.def.contact_affinity))
        r.def.self_contact = false;
    if (!m->settings.contact) r.def.contact_type = r.def.contact_affinity = 0;
    bool good = set_material(m, &r, tn_mjcf_real(m, &view, "mass", 1));
    if (good && m->err.count == before) add_rope(m, &r, body);
}
