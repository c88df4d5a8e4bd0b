/* mjcf_composite.c: <composite type="cable"> becomes a rod (docs/mjcf.md).
 *
 * The centre line is given by `vertex`, or by `curve`: for each axis one of s, cos(s), sin(s), 0
 * with
 *
 *   s: size[0] · t     cos(s): size[1] · cos(π size[2] t)     sin(s): size[1] · sin(π size[2] t)
 *
 * at `count` points with t from 0 to 1. MuJoCo makes bodies prefixB_first, prefixB_1, …,
 * prefixB_last of it, with their origin where the segment starts and x along it; a rod's segments
 * have their origin in the middle and z along them. Both carry their frames along without twist, so
 * one pose relates them for the whole cable; what refers to such a body goes through it. */
#include "../../../base/base.h"
#include "../mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CABLE_PLUGIN "mujoco.elasticity.cable"

/* MuJoCo's cables do not stretch. Ones of soft material get at least this modulus for it, Pa: a
 * metre of rope as heavy as water gets a millimetre longer under its own weight. */
#define LEAST_STRETCH_MODULUS 1e7

/* x along the segment, in axes where that is z. */
static const double mujoco_axes[4] = {0.5, -0.5, -0.5, -0.5};

typedef struct Cable {
    const TnXmlElement *element;
    const TnXmlElement *rod; /* of <tenon>; NULL: none */
    const char *prefix;
    TnRodDef def;
    double *points;
    double damping; /* N·m·s/rad, of MuJoCo's joints */
    bool has_bend, has_twist;
} Cable;

static bool is(const TnXmlElement *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

/* ---- the centre line ---- */

static bool make_room(TnMjcf *m, Cable *c, int point_count)
{
    c->def.segment_count = point_count - 1;
    c->points = tn_io_alloc(&m->pool, 3 * (size_t)point_count * sizeof *c->points);
    c->def.points = c->points;
    return c->points != NULL;
}

static bool read_vertices(TnMjcf *m, Cable *c)
{
    int count = 0;
    const double *list = tn_mjcf_real_list(m, c->element, "vertex", &count);
    if (tn_xml_attr(c->element, "count")) {
        tn_mjcf_error_attr(m, c->element, "vertex", "vertex and count cannot both be given");
        return false;
    }
    if (count % 3 != 0 || count < 9) {
        tn_mjcf_error_attr(m, c->element, "vertex",
                           "vertex needs three numbers for each point, and three points or more");
        return false;
    }
    if (!make_room(m, c, count / 3)) return false;
    memcpy(c->points, list, (size_t)count * sizeof *list);
    return true;
}

/* Up to three words; -1 and an error for others. */
static int read_curve(TnMjcf *m, const Cable *c, int shapes[3])
{
    const TnXmlAttr *attr = tn_xml_attr(c->element, "curve");
    if (!attr) {
        tn_mjcf_error(m, c->element, "a cable needs a curve, or a vertex list");
        return -1;
    }
    const char *at = attr->value;
    int count = 0;
    for (at += strspn(at, " "); *at; at += strspn(at, " "), count++) {
        char word[16];
        size_t length = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)(length < 15 ? length : 15), at);
        int shape = tn_mjcf_word_index("0 s cos(s) sin(s)", word);
        if (shape < 0 || count == 3) {
            tn_mjcf_error_attr(m, c->element, "curve",
                               "curve has up to three of the words s cos(s) sin(s) 0; '%s' is "
                               "another word or one too many",
                               word);
            return -1;
        }
        shapes[count] = shape;
        at += length;
    }
    return count;
}

static bool sample_curve(TnMjcf *m, Cable *c)
{
    TnMjcfView view = tn_mjcf_plain_view(c->element);
    double counts[3] = {1, 1, 1}, size[3] = {1, 0, 0};
    int shapes[3] = {0, 0, 0};
    tn_mjcf_reals(m, &view, "count", counts, 3);
    tn_mjcf_reals(m, &view, "size", size, 3);
    if (read_curve(m, c, shapes) < 0) return false;
    if (tn_mjcf_too_many_segments(m, c->element, "count", counts[0])) return false;
    if (counts[0] < 3 || counts[1] != 1 || counts[2] != 1) {
        tn_mjcf_error_attr(m, c->element, "count", "count of a cable must be N 1 1 with 3 <= N");
        return false;
    }
    int n = (int)counts[0];
    if (!make_room(m, c, n)) return false;
    for (int i = 0; i < n; i++) {
        double t = (double)i / (n - 1), angle = TN_PI * size[2] * t;
        const double values[4] = {0, size[0] * t, size[1] * cos(angle), size[1] * sin(angle)};
        for (int k = 0; k < 3; k++) c->points[3 * i + k] = values[shapes[k]];
    }
    return true;
}

/* From the composite's axes to the world's. MuJoCo's first frame has its z axis normal to the first
 * corner; of a straight start, it is the parent's frame turned the shortest way. x of the rod is
 * MuJoCo's y. */
static void place_points(Cable *c, const double offset[3], const TnMjcfPose *world)
{
    const double *p = c->points;
    double a[3], b[3], z[3], y[3], la = 0, lb = 0, sine = 0;
    for (int k = 0; k < 3; k++) {
        a[k] = p[3 + k] - p[k];
        b[k] = p[6 + k] - p[3 + k];
        la += a[k] * a[k];
        lb += b[k] * b[k];
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        z[k] = a[i] * b[j] - a[j] * b[i];
        sine += z[k] * z[k];
    }
    if (sine > 1e-12 * la * lb) {
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            y[k] = z[i] * a[j] - z[j] * a[i];
        }
    } else { /* y of the shortest turn from x to a: e_y - a_y (e_x + a) / (1 + a_x), a of length 1
              */
        double length = sqrt(la), x = 1 + a[0] / length;
        for (int k = 0; k < 3; k++) y[k] = k == 1;
        for (int k = 0; k < 3 && x > 1e-9; k++)
            y[k] -= a[1] / length * ((k == 0) + a[k] / length) / x;
    }
    tn_mjcf_rotate(world->quat, y, c->def.normal);
    for (int i = 0; i <= c->def.segment_count; i++) {
        TnMjcfPose point = tn_mjcf_identity();
        for (int k = 0; k < 3; k++) point.pos[k] = c->points[3 * i + k] + offset[k];
        point = tn_mjcf_compose(world, &point);
        memcpy(c->points + 3 * i, point.pos, sizeof point.pos);
    }
}

static double length_of(const Cable *c, int segment)
{
    const double *p = c->points + 3 * segment;
    return sqrt((p[3] - p[0]) * (p[3] - p[0]) + (p[4] - p[1]) * (p[4] - p[1]) +
                (p[5] - p[2]) * (p[5] - p[2]));
}

/* ---- what it is made of ---- */

static bool is_cable_plugin(TnMjcf *m, const TnXmlElement *e)
{
    const TnXmlAttr *plugin = tn_xml_attr(e, "plugin");
    if (!plugin) return false; /* said by the rule */
    if (strcmp(plugin->value, CABLE_PLUGIN) == 0) return true;
    tn_mjcf_error_attr(m, e, "plugin", "plugin '%.60s' is not supported; only '%s' is",
                       plugin->value, CABLE_PLUGIN);
    return false;
}

static void read_config(TnMjcf *m, const TnXmlElement *e, Cable *c)
{
    if (!tn_mjcf_check_leaf(m, TN_GROUP_PLUGIN, e)) return;
    const TnXmlAttr *key = tn_xml_attr(e, "key"), *value = tn_xml_attr(e, "value");
    if (!key || !value) return;
    int which = tn_mjcf_word_index("twist bend flat vmax", key->value);
    if (which == 3) return; /* colours by stress */
    if (which < 0) {
        tn_mjcf_error_attr(m, e, "key", "key must be one of: twist bend flat vmax; it is '%.60s'",
                           key->value);
    } else if (which == 2) {
        c->def.straight_rest = strcmp(value->value, "true") == 0;
        if (!c->def.straight_rest && strcmp(value->value, "false") != 0)
            tn_mjcf_error_attr(m, e, "value", "flat must be true or false");
    } else {
        const char *text = value->value;
        double number = 0;
        bool good = tn_mjcf_number(&text, ' ', &number) == TN_NUMBER_GOOD && number >= 0;
        if (!good || text[strspn(text, " ")])
            tn_mjcf_error_attr(m, e, "value", "%s needs a number that is not negative", key->value);
        else if (which == 0)
            c->def.twist_modulus = number, c->has_twist = true;
        else
            c->def.bend_modulus = number, c->has_bend = true;
    }
}

static void read_geom(TnMjcf *m, const TnXmlElement *e, const TnMjcfClass *class_, Cable *c)
{
    int before = m->err.count;
    if (!tn_mjcf_check_leaf(m, TN_GROUP_COMPOSITE, e)) return;
    bool clean = m->err.count == before;
    TnMjcfView view = {.element = e, .class_ = class_, .tags = "geom"};
    TnGeomDef geom = tn_geom_def();
    tn_mjcf_surface(m, &view, &geom);
    int type = tn_mjcf_word(&view, "type", "capsule cylinder", -1);
    double size[3] = {0};
    tn_mjcf_reals(m, &view, "size", size, 3);
    if (type < 0)
        tn_mjcf_error_attr(m, e, "type", "a cable's geom must be a capsule or a cylinder");
    if (type == 1) tn_mjcf_remark(m, TN_REMARK_CABLE_SHAPE, tn_xml_place(e), e->name);
    if (!(size[0] > 0) && clean)
        tn_mjcf_error_attr(m, e, "size", "size: a cable's geom needs a positive radius");
    c->def.radius = size[0];
    c->def.density = tn_mjcf_real(m, &view, "density", 1000);
    double mass = tn_mjcf_real(m, &view, "mass", -1), length = 0;
    for (int i = 0; i < c->def.segment_count; i++) length += length_of(c, i);
    if (mass >= 0) /* of each segment */
        c->def.density = mass * c->def.segment_count / (TN_PI * size[0] * size[0] * length);
    c->def.contact_type = geom.contact_type;
    c->def.contact_affinity = geom.contact_affinity;
    c->def.contact_dim = geom.contact_dim;
    c->def.priority = geom.priority;
    memcpy(c->def.friction, geom.friction, sizeof geom.friction);
    c->def.margin = geom.margin;
    c->def.group = geom.group;
    memcpy(c->def.rgba, geom.rgba, sizeof geom.rgba);
}

static bool read_parts(TnMjcf *m, const TnMjcfClass *class_, Cable *c)
{
    bool has_geom = false;
    for (const TnXmlElement *e = c->element->first; e; e = e->next) {
        if (is(e, "geom")) {
            has_geom = true;
            read_geom(m, e, class_, c);
        } else if (is(e, "joint")) {
            if (!tn_mjcf_check_leaf(m, TN_GROUP_COMPOSITE, e)) continue;
            TnMjcfView view = tn_mjcf_plain_view(e);
            c->damping = m->settings.damper ? tn_mjcf_real(m, &view, "damping", 0) : 0;
        } else if (tn_mjcf_check(m, TN_GROUP_COMPOSITE, e) && is_cable_plugin(m, e)) {
            for (const TnXmlElement *child = e->first; child; child = child->next)
                read_config(m, child, c);
        }
    }
    if (!has_geom) tn_mjcf_error(m, c->element, "a cable needs a geom, which gives its radius");
    return has_geom;
}

/* <tenon><rod> and what follows from the rest: without plugin and rod, a chain that bends freely.
 */
static void find_material(TnMjcf *m, Cable *c)
{
    static const TnXmlElement none = {.name = "rod"};
    TnMjcfView view = tn_mjcf_plain_view(c->rod ? c->rod : &none);
    TnRodDef *def = &c->def;
    bool has_young = tn_mjcf_has(&view, "young");
    if (!c->has_bend && !has_young) def->bend_modulus = 0;
    if (!c->has_twist && !has_young) def->twist_modulus = 0;
    def->youngs_modulus =
        tn_mjcf_real(m, &view, "young", fmax(def->bend_modulus, LEAST_STRETCH_MODULUS));
    def->poisson_ratio = tn_mjcf_real(m, &view, "poisson", def->poisson_ratio);
    def->density = tn_mjcf_real(m, &view, "density", def->density);
    def->radius = tn_mjcf_real(m, &view, "radius", def->radius);
    def->restitution = tn_mjcf_real(m, &view, "restitution", 0);
    def->straight_rest = tn_mjcf_bool(&view, "straight", def->straight_rest);
    def->self_contact = tn_mjcf_bool(&view, "self_contact", true); /* as in MuJoCo */
    def->group_size = tn_mjcf_int(m, &view, "group", 0);
    double bend = c->has_bend ? def->bend_modulus : has_young ? def->youngs_modulus : 0;
    double length = 0, r = def->radius;
    for (int i = 0; i < def->segment_count; i++) length += length_of(c, i) / def->segment_count;
    double k = bend * 0.25 * TN_PI * r * r * r * r / length;
    def->damping_time = tn_mjcf_real(m, &view, "damping", k > 0 ? c->damping / k : 0);
    if (def->poisson_ratio <= -1 || def->poisson_ratio >= 0.5)
        tn_mjcf_error_attr(m, view.element, "poisson", "poisson must lie between -1 and 0.5");
    if (def->restitution < 0 || def->restitution > 1)
        tn_mjcf_error_attr(m, view.element, "restitution", "restitution must be between 0 and 1");
    if (def->group_size < 0)
        tn_mjcf_error_attr(m, view.element, "group",
                           "group must not be negative: segments per subsystem, or 0 for the "
                           "model's division");
}

/* ---- into the builder ---- */

static const char *part_name(TnMjcf *m, const Cable *c, const char *kind, int i)
{
    char text[512];
    int n = c->def.segment_count;
    if (strcmp(kind, "G") == 0)
        snprintf(text, sizeof text, "%.400sG%d", c->prefix, i);
    else if (i == 0 || i == n - 1)
        snprintf(text, sizeof text, "%.400s%s%s", c->prefix, kind, i == 0 ? "_first" : "_last");
    else
        snprintf(text, sizeof text, "%.400s%s_%d", c->prefix, kind, i);
    return tn_io_copy(&m->pool, text, strlen(text));
}

static void add_site(TnMjcf *m, const Cable *c, TnBodyId body, int segment, double side)
{
    TnSiteDef site = tn_site_def();
    site.name = part_name(m, c, "S", segment);
    site.body = body;
    site.pos[2] = side * 0.5 * length_of(c, segment);
    memcpy(site.quat, mujoco_axes, sizeof site.quat);
    site.source = tn_xml_place(c->element);
    TnSiteId id = tn_builder_add_site(m->builder, &site);
    TnBodyId *of = TN_IO_NEW(&m->pool, TnBodyId);
    if (!of) return;
    *of = body;
    tn_mjcf_name_add(m, TN_NAMED_SITE, c->element, site.name, id, of);
}

/* Enters the segments' names, so that other sections can speak of them. */
static void name_segments(TnMjcf *m, const Cable *c, const TnRodParts *parts)
{
    int n = c->def.segment_count;
    for (int i = 0; i < n; i++) {
        TnBodyDef *body = TN_IO_NEW(&m->pool, TnBodyDef);
        TnMjcfPose *frame = TN_IO_NEW(&m->pool, TnMjcfPose);
        if (!body || !frame) return;
        *body = tn_body_def();
        body->has_inertia = true;
        *frame = (TnMjcfPose){.pos = {0, 0, -0.5 * length_of(c, i)}};
        memcpy(frame->quat, mujoco_axes, sizeof frame->quat);
        memcpy(body->inertia_quat, mujoco_axes, sizeof body->inertia_quat);
        const char *name = c->def.body_names[i];
        if (tn_mjcf_name_add(m, TN_NAMED_BODY, c->element, name, parts->body + i, body))
            tn_mjcf_name_add(m, TN_NAMED_SEGMENT, c->element, name, parts->body + i, frame);
        tn_mjcf_name_add(m, TN_NAMED_GEOM, c->element, c->def.geom_names[i], parts->geom + i, NULL);
    }
    add_site(m, c, parts->body, 0, -1);
    add_site(m, c, parts->body + n - 1, n - 1, 1);
}

/* initial="ball" and "none": the first segment's start stays where it is in its parent. */
static void hold_first(TnMjcf *m, const Cable *c, const TnRodParts *parts, TnBodyId parent,
                       bool weld, const double start[3])
{
    TnEqualityDef equality = tn_equality_def();
    equality.type = weld ? TN_EQUALITY_WELD : TN_EQUALITY_CONNECT;
    equality.body1 = parts->body;
    equality.body2 = parent;
    equality.anchor[2] = -0.5 * length_of(c, 0);
    if (weld) memcpy(equality.anchor, start, sizeof equality.anchor);
    equality.source = tn_xml_place(c->element);
    tn_builder_add_equality(m->builder, &equality);
    /* MuJoCo's first segment is a child of that body, or a part of the world */
    if (weld || parent != TN_BODY_WORLD)
        tn_builder_add_exclude(m->builder, parent, parts->body, equality.source);
}

void tn_mjcf_composite(TnMjcf *m, const TnXmlElement *element, const TnMjcfClass *class_,
                       const TnMjcfPose *frame, const TnMjcfPose *world, TnBodyId body)
{
    int before = m->err.count;
    if (!tn_mjcf_check(m, TN_GROUP_BODY, element)) return;
    TnMjcfView view = tn_mjcf_plain_view(element);
    const char *prefix = tn_mjcf_text(&view, "prefix");
    Cable c = {.element = element, .prefix = prefix ? prefix : "", .def = tn_rod_def()};
    tn_mjcf_name_add(m, TN_NAMED_CABLE, element, prefix, 0, NULL);
    const TnMjcfName *rod = prefix ? tn_mjcf_name_find(m, TN_NAMED_ROD, prefix) : NULL;
    c.rod = rod ? rod->data : NULL;
    int initial = tn_mjcf_word(&view, "initial", "free ball none", 1);
    if (initial == 0 && body != TN_BODY_WORLD)
        tn_mjcf_error_attr(m, element, "initial", "only a cable in the world can be free");
    if (m->err.count != before) return;
    if (!(tn_xml_attr(element, "vertex") ? read_vertices(m, &c) : sample_curve(m, &c))) return;
    if (!read_parts(m, class_, &c)) return;
    find_material(m, &c);
    double offset[3] = {0};
    tn_mjcf_reals(m, &view, "offset", offset, 3);
    TnMjcfPose start = tn_mjcf_identity();
    for (int k = 0; k < 3; k++) start.pos[k] = c.points[k] + offset[k];
    start = tn_mjcf_compose(frame, &start);
    place_points(&c, offset, world);

    size_t n = (size_t)c.def.segment_count;
    const char **names = tn_io_alloc(&m->pool, 2 * n * sizeof *names);
    if (!names || m->err.count != before) return;
    for (int i = 0; i < (int)n; i++) {
        names[i] = part_name(m, &c, "B", i);
        names[n + (size_t)i] = part_name(m, &c, "G", i);
        if (!names[i] || !names[n + (size_t)i]) return;
    }
    c.def.name = prefix;
    c.def.body_names = (const char *const *)names;
    c.def.geom_names = (const char *const *)names + n;
    c.def.source = tn_xml_place(element);
    TnRodParts parts = tn_builder_rod_parts(m->builder, tn_builder_add_rod(m->builder, &c.def));
    m->qpos_count += 7 * (int)n;
    m->dof_count += 6 * (int)n;
    name_segments(m, &c, &parts);
    if (initial != 0) hold_first(m, &c, &parts, body, initial == 2, start.pos);
}

const TnMjcfPose *tn_mjcf_segment_frame(const TnMjcf *m, const TnMjcfName *body)
{
    const TnMjcfName *segment = tn_mjcf_name_find(m, TN_NAMED_SEGMENT, body->name);
    return segment ? segment->data : NULL;
}

/* ---- <extension> ---- */

/* Says only that a plugin may be used; its elements say whether that works. */
static void read_extension(TnMjcf *m, const TnXmlElement *e)
{
    if (!tn_mjcf_check(m, TN_GROUP_EXTENSION, e)) return;
    for (const TnXmlElement *child = e->first; child; child = child->next)
        if (strcmp(child->name, "instance") != 0)
            tn_mjcf_error(m, child, "unknown element <%.60s> in <plugin>; it has <instance> only",
                          child->name);
}

void tn_mjcf_read_extensions(TnMjcf *m) { tn_mjcf_each_child(m, "extension", read_extension); }
