/* mjcf_rod.c: a <rod> of <tenon> with a shape of its own (docs/mjcf.md):
 *
 *   <rod name="hose" points="0 0 0  0.1 0 0 …" radius="0.01" young="1e7" after="3">
 *     <segment index="0" body="hose_end" geom="hose_tip"><site name="tip"/></segment>
 *   </rod>
 *
 * or start="…" end="…" segments="N" in place of points. Its bodies come after so many <body>
 * elements of the file as `after` says; without it, after all. A <rod> without a shape speaks of
 * the cable of that name (mjcf_composite.c). */
#include "../../io_reach.h"
#include "../mjcf.h"

#include <stdio.h>
#include <string.h>

typedef struct TnMjcfOwnRod {
    const TnXmlElement *element;
    int after; /* -1: all */
    bool added;
    struct TnMjcfOwnRod *next;
} OwnRod;

static bool is(const TnXmlElement *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

bool tn_mjcf_rod_has_shape(const TnXmlElement *e)
{
    return tn_xml_attr(e, "points") || tn_xml_attr(e, "start") || tn_xml_attr(e, "end");
}

/* Of a <rod> that speaks of a cable: what only one with a shape has. */
static void refuse_extras(TnMjcf *m, const TnXmlElement *e)
{
    static const char *const extras[] = {
        "segments",    "normal",   "bend",     "twist",  "after", "contype",      "condim",
        "conaffinity", "priority", "friction", "margin", "rgba",  "drawing_group"};
    for (size_t i = 0; i < sizeof extras / sizeof extras[0]; i++)
        if (tn_xml_attr(e, extras[i]))
            tn_mjcf_error_attr(m, e, extras[i],
                               "only a rod with points, or start and end, has %s; a cable of "
                               "<composite> says it there",
                               extras[i]);
    if (e->first) tn_mjcf_error(m, e->first, "a rod without points has no children");
}

void tn_mjcf_note_rod(TnMjcf *m, const TnXmlElement *e)
{
    if (!tn_mjcf_rod_has_shape(e)) {
        refuse_extras(m, e);
        return;
    }
    OwnRod *rod = TN_IO_NEW(&m->pool, OwnRod), **end = &m->own_rods;
    if (!rod) return;
    TnMjcfView view = tn_mjcf_plain_view(e);
    *rod = (OwnRod){.element = e, .after = tn_mjcf_int(m, &view, "after", -1)};
    while (*end) end = &(*end)->next;
    *end = rod;
}

/* ---- shape and material ---- */

bool tn_mjcf_too_many_segments(TnMjcf *m, const TnXmlElement *element, const char *name,
                               double count)
{
    int64_t limit = tn_load_limit(m->load, TN_LIMIT_SEGMENTS, TN_MOST_SEGMENTS);
    if (count <= (double)limit) return false;
    tn_mjcf_error_attr(m, element, name, "%s asks for more than %lld segments" TN_RAISE_LIMIT, name,
                       (long long)limit);
    return true;
}

static bool read_shape(TnMjcf *m, const TnXmlElement *e, TnRodDef *def)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    int count = 0;
    def->points = tn_mjcf_real_list(m, e, "points", &count);
    if (tn_xml_attr(e, "points")) {
        if (tn_xml_attr(e, "start") || tn_xml_attr(e, "end") || tn_xml_attr(e, "segments")) {
            tn_mjcf_error_attr(m, e, "points", "points, or start, end and segments: not both");
            return false;
        }
        if (count % 3 == 0 && count >= 9) {
            def->segment_count = count / 3 - 1;
            return true;
        }
        tn_mjcf_error_attr(m, e, "points",
                           "points needs three numbers for each point, and three points or more");
        return false;
    }
    bool ends = tn_mjcf_reals(m, &view, "start", def->start, 3) == 3 &&
                tn_mjcf_reals(m, &view, "end", def->end, 3) == 3;
    def->segment_count = tn_mjcf_int(m, &view, "segments", 0);
    if (tn_mjcf_too_many_segments(m, e, "segments", def->segment_count)) return false;
    if (ends && def->segment_count >= 2) return true;
    tn_mjcf_error(m, e, "a straight rod needs start, end and segments (2 or more)");
    return false;
}

static void read_material(TnMjcf *m, const TnXmlElement *e, TnRodDef *def)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    const struct {
        const char *name;
        double *value;
    } reals[] = {{"radius", &def->radius},        {"density", &def->density},
                 {"young", &def->youngs_modulus}, {"poisson", &def->poisson_ratio},
                 {"bend", &def->bend_modulus},    {"twist", &def->twist_modulus},
                 {"damping", &def->damping_time}, {"restitution", &def->restitution},
                 {"margin", &def->margin}};
    const struct {
        const char *name;
        int *value;
    } whole[] = {{"group", &def->group_size},   {"contype", &def->contact_type},
                 {"condim", &def->contact_dim}, {"conaffinity", &def->contact_affinity},
                 {"priority", &def->priority},  {"drawing_group", &def->group}};
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++)
        *reals[i].value = tn_mjcf_real(m, &view, reals[i].name, *reals[i].value);
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        *whole[i].value = tn_mjcf_int(m, &view, whole[i].name, *whole[i].value);
    tn_mjcf_reals(m, &view, "normal", def->normal, 3);
    tn_mjcf_reals(m, &view, "friction", def->friction, 3);
    tn_mjcf_reals(m, &view, "rgba", def->rgba, 4);
    def->straight_rest = tn_mjcf_bool(&view, "straight", def->straight_rest);
    def->self_contact = tn_mjcf_bool(&view, "self_contact", def->self_contact);
    if (!m->settings.contact) def->contact_type = def->contact_affinity = 0;
}

/* ---- names and parts of segments ---- */

static int index_of(TnMjcf *m, const TnXmlElement *e, int count)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    int index = tn_mjcf_int(m, &view, "index", -1);
    if (index >= 0 && index < count) return index;
    tn_mjcf_error_attr(m, e, "index", "index must be from 0 to %d", count - 1);
    return -1;
}

static bool read_names(TnMjcf *m, const TnXmlElement *e, TnRodDef *def)
{
    size_t n = (size_t)def->segment_count;
    const char **names = tn_io_alloc(&m->pool, 2 * n * sizeof *names);
    if (!names) return false;
    for (size_t i = 0; i < n && def->name; i++) {
        char text[512];
        snprintf(text, sizeof text, "%.400s_%d", def->name, (int)i);
        names[i] = names[n + i] = tn_io_copy(&m->pool, text, strlen(text));
    }
    for (const TnXmlElement *c = e->first; c; c = c->next) {
        int before = m->err.count;
        if (!tn_mjcf_check(m, TN_GROUP_ROD, c) || m->err.count != before) continue;
        int i = index_of(m, c, def->segment_count);
        const TnXmlAttr *body = tn_xml_attr(c, "body"), *geom = tn_xml_attr(c, "geom");
        if (i >= 0 && (body || geom)) { /* one of the two alone means that the other has none */
            names[i] = body ? body->value : NULL;
            names[n + (size_t)i] = geom ? geom->value : NULL;
        }
    }
    def->body_names = (const char *const *)names;
    def->geom_names = (const char *const *)names + n;
    return true;
}

static void enter_names(TnMjcf *m, const TnXmlElement *e, const TnRodDef *def,
                        const TnRodParts *parts)
{
    static const TnBodyDef segment = {.has_inertia = true, .inertia_quat = {1}};
    for (int i = 0; i < def->segment_count; i++) {
        tn_mjcf_name_add(m, TN_NAMED_BODY, e, def->body_names[i], parts->body + i, &segment);
        tn_mjcf_name_add(m, TN_NAMED_GEOM, e, def->geom_names[i], parts->geom + i, NULL);
    }
}

static void add_rod(TnMjcf *m, const TnXmlElement *e)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    TnRodDef def = tn_rod_def();
    def.name = tn_mjcf_text(&view, "name");
    def.source = tn_xml_place(e);
    int before = m->err.count;
    if (!read_shape(m, e, &def)) return;
    read_material(m, e, &def);
    if (!read_names(m, e, &def) || m->err.count != before) return;
    TnRodParts parts = tn_builder_rod_parts(m->builder, tn_builder_add_rod(m->builder, &def));
    m->qpos_count += 7 * def.segment_count;
    m->dof_count += 6 * def.segment_count;
    enter_names(m, e, &def, &parts);
    for (const TnXmlElement *c = e->first; c; c = c->next)
        if (is(c, "segment") && c->first)
            tn_mjcf_segment_parts(m, c, parts.body + index_of(m, c, def.segment_count));
}

void tn_mjcf_add_rods(TnMjcf *m, bool all)
{
    for (OwnRod *rod = m->own_rods; rod; rod = rod->next) {
        if (rod->added || !(all || (rod->after >= 0 && rod->after <= m->body_elements))) continue;
        rod->added = true;
        add_rod(m, rod->element);
    }
}
