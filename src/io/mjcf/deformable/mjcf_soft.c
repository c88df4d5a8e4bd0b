/* mjcf_soft.c: <soft> and <tie> of the <tenon> element, and what all soft bodies have in common
 * (docs/mjcf.md).
 *
 *   <soft name="beam" file="beam.msh" pos="0 0 1" young="1e7" poisson="0.45" density="1100">
 *     <hold body="hand" box="0 0 1.25  0.1 0.1 0.01"/>
 *     <pin nodes="0 1 2"/>
 *   </soft>
 *   <tie soft1="beam" soft2="block" box="0 0 0.75  0.1 0.1 0.01"/>
 *
 * A <soft> without a shape speaks of the <flexcomp> or <flex> of that name and overrides what that
 * says. */
#include "mjcf_soft.h"

#include <string.h>

static bool is(const TnXmlElement *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

/* ---- material and surface ---- */

void tn_mjcf_soft_contact(TnMjcf *m, const TnXmlElement *e, TnSoftDef *def)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    def->contact_type = tn_mjcf_int(m, &view, "contype", def->contact_type);
    def->contact_affinity = tn_mjcf_int(m, &view, "conaffinity", def->contact_affinity);
    def->contact_dim = tn_mjcf_int(m, &view, "condim", def->contact_dim);
    def->priority = tn_mjcf_int(m, &view, "priority", def->priority);
    tn_mjcf_reals(m, &view, "friction", def->friction, 3);
    def->margin = tn_mjcf_real(m, &view, "margin", def->margin);
    if (def->contact_dim <= 3) return;
    const TnXmlAttr *attr = tn_xml_attr(e, "condim");
    def->contact_dim = 3;
    tn_mjcf_remark(m, TN_REMARK_SOFT_DIM, tn_xml_attr_place(e, attr), e->name);
}

void tn_mjcf_soft_look(TnMjcf *m, const TnXmlElement *e, TnSoftDef *def)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    TnGeomDef geom = tn_geom_def();
    tn_mjcf_surface(m, &view, &geom);
    if (tn_xml_attr(e, "group")) def->group = geom.group;
    if (tn_xml_attr(e, "rgba") || tn_xml_attr(e, "material"))
        memcpy(def->rgba, geom.rgba, sizeof def->rgba);
}

static void read_material(TnMjcf *m, const TnXmlElement *e, TnSoftDef *def)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    def->youngs_modulus = tn_mjcf_real(m, &view, "young", def->youngs_modulus);
    def->poisson_ratio = tn_mjcf_real(m, &view, "poisson", def->poisson_ratio);
    if (tn_xml_attr(e, "density")) {
        def->density = tn_mjcf_real(m, &view, "density", def->density);
        def->mass = -1; /* overrides a flexcomp's */
    }
    def->mass = tn_mjcf_real(m, &view, "mass", def->mass);
    def->law = (TnSoftLaw)tn_mjcf_word(&view, "law", "corotational neohookean", (int)def->law);
    def->damping_stiffness = tn_mjcf_real(m, &view, "damping", def->damping_stiffness);
    def->damping_mass = tn_mjcf_real(m, &view, "mass_damping", def->damping_mass);
    def->consistent_mass =
        tn_mjcf_word(&view, "mass_matrix", "lumped consistent", def->consistent_mass) != 0;
    def->mean_dilatation = tn_mjcf_bool(&view, "mean_dilatation", def->mean_dilatation);
    def->pieces = tn_mjcf_int(m, &view, "pieces", def->pieces);
    def->self_contact = tn_mjcf_bool(&view, "self_contact", def->self_contact);
    def->radius = tn_mjcf_real(m, &view, "radius", def->radius);
    def->restitution = tn_mjcf_real(m, &view, "restitution", def->restitution);
    tn_mjcf_soft_contact(m, e, def);
    tn_mjcf_soft_look(m, e, def);
    if (def->poisson_ratio < 0 || def->poisson_ratio >= 0.5)
        tn_mjcf_error_attr(m, e, "poisson", "poisson must be at least 0 and below 0.5");
    if (def->restitution < 0 || def->restitution > 1)
        tn_mjcf_error_attr(m, e, "restitution", "restitution must be between 0 and 1");
    if (def->pieces < 0)
        tn_mjcf_error_attr(
            m, e, "pieces",
            "pieces must not be negative: subsystems, or 0 for the model's division");
    if (tn_xml_attr(e, "density") && tn_xml_attr(e, "mass"))
        tn_mjcf_error_attr(m, e, "mass", "density and mass cannot both be given");
    if (def->law == TN_SOFT_NEO_HOOKEAN && tn_xml_attr(e, "mean_dilatation") &&
        def->mean_dilatation)
        tn_mjcf_error_attr(m, e, "mean_dilatation",
                           "mean_dilatation needs the corotational law; remove it");
}

/* ---- holders ---- */

TnMjcfSoft tn_mjcf_soft_new(const TnXmlElement *element)
{
    TnMjcfView view = tn_mjcf_plain_view(element);
    TnMjcfSoft soft = {.element = element, .def = tn_soft_def()};
    soft.def.name = tn_mjcf_text(&view, "name");
    soft.def.source = tn_xml_place(element);
    soft.def.mesh = (TnTetMesh){0};
    return soft;
}

bool tn_mjcf_soft_begin(TnMjcf *m, TnMjcfSoft *soft, const TnMjcfPose *world)
{
    size_t count = (size_t)soft->def.mesh.node_count;
    memcpy(soft->def.pos, world->pos, sizeof soft->def.pos);
    memcpy(soft->def.quat, world->quat, sizeof soft->def.quat);
    TnMjcfNodes *nodes = TN_IO_NEW(&m->pool, TnMjcfNodes);
    double *places = tn_io_alloc(&m->pool, (3 * count + 1) * sizeof *places);
    soft->holders = tn_io_alloc(&m->pool, (count + 1) * sizeof *soft->holders);
    soft->held_at = tn_io_alloc(&m->pool, (count + 1) * sizeof *soft->held_at);
    if (!nodes || !places || !soft->holders || !soft->held_at) return false;
    for (size_t i = 0; i < count; i++) {
        tn_mjcf_rotate(world->quat, soft->def.mesh.nodes + 3 * i, places + 3 * i);
        for (size_t k = 0; k < 3; k++) places[3 * i + k] += world->pos[k];
    }
    *nodes = (TnMjcfNodes){(int)count, places};
    soft->nodes = nodes;
    return true;
}

void tn_mjcf_soft_hold(TnMjcf *m, TnMjcfSoft *soft, const TnXmlElement *e, int node, TnBodyId body)
{
    if (soft->holders[node] && soft->holders[node] != body) {
        tn_mjcf_error(m, e, "node %d is already held by another body at %.200s:%d:%d", node,
                      soft->held_at[node]->file, soft->held_at[node]->line,
                      soft->held_at[node]->column);
        return;
    }
    soft->holders[node] = body;
    soft->held_at[node] = e;
}

/* The body of a <hold>: named, a site's, or that of the geom that chooses the nodes. */
static TnBodyId find_holder(TnMjcf *m, const TnXmlElement *e, TnBodyId of_geom)
{
    const TnMjcfName *body = tn_mjcf_refer(m, TN_NAMED_BODY, e, "body");
    const TnMjcfName *site = tn_mjcf_refer(m, TN_NAMED_SITE, e, "site");
    bool by_body = tn_xml_attr(e, "body") != NULL, by_site = tn_xml_attr(e, "site") != NULL;
    if (by_body && by_site) {
        tn_mjcf_error_attr(m, e, "site", "body and site cannot both be given");
        return 0;
    }
    if (by_body) return body ? body->id : 0;
    if (by_site) return site ? *(const TnBodyId *)site->data : 0;
    if (of_geom) return of_geom;
    if (!tn_xml_attr(e, "within")) /* else an error that is told */
        tn_mjcf_error(m, e, "held by what? say body or site, or within=\"a geom of the body\"");
    return 0;
}

static void read_hold(TnMjcf *m, const TnXmlElement *e, TnMjcfSoft *soft)
{
    int before = m->err.count;
    if (!tn_mjcf_check_leaf(m, TN_GROUP_SOFT, e) || m->err.count != before) return;
    unsigned char *chosen = tn_io_alloc(&m->pool, (size_t)soft->nodes->count + 1);
    TnBodyId of_geom = 0;
    if (!chosen || !tn_mjcf_choose_nodes(m, e, soft->nodes, chosen, &of_geom)) return;
    TnBodyId body = is(e, "pin") ? TN_BODY_WORLD : find_holder(m, e, of_geom);
    for (int i = 0; body && i < soft->nodes->count && m->err.count == before; i++)
        if (chosen[i]) tn_mjcf_soft_hold(m, soft, e, i, body);
}

static void read_element(TnMjcf *m, const TnXmlElement *e, TnMjcfSoft *soft)
{
    read_material(m, e, &soft->def);
    for (const TnXmlElement *c = e->first; c; c = c->next)
        if (soft->nodes)
            read_hold(m, c, soft);
        else
            tn_mjcf_check_leaf(m, TN_GROUP_SOFT, c);
}

/* ---- into the builder ---- */

static bool collect_holds(TnMjcf *m, TnMjcfSoft *soft)
{
    int count = soft->nodes->count, held = 0;
    for (int i = 0; i < count; i++) held += soft->holders[i] != 0;
    TnSoftHoldDef *holds = tn_io_alloc(&m->pool, ((size_t)held + 1) * sizeof *holds);
    if (!holds) return false;
    if (held == count) {
        tn_mjcf_error(m, soft->element,
                      "all %d nodes are pinned or held, so no part of it is soft; hold fewer "
                      "nodes, or use a geom of type mesh",
                      count);
        return false;
    }
    for (int i = 0, next = 0; i < count; i++)
        if (soft->holders[i]) holds[next++] = (TnSoftHoldDef){i, soft->holders[i]};
    soft->def.holds = holds;
    soft->def.hold_count = held;
    return true;
}

static void apply_flags(TnMjcf *m, TnMjcfSoft *soft)
{
    TnSoftDef *def = &soft->def;
    if (!m->settings.damper) def->damping_mass = def->damping_stiffness = 0;
    if (!m->settings.contact) def->contact_type = def->contact_affinity = 0;
    if (soft->from_mujoco && !(def->contact_type & def->contact_affinity))
        def->self_contact = false; /* as there */
    if (!m->settings.contact) def->self_contact = false;
    if (!m->settings.spring)
        tn_mjcf_error(m, soft->element,
                      "option/flag spring disables springs, which soft bodies need");
    if (soft->from_mujoco && def->youngs_modulus == 0)
        tn_mjcf_error(
            m, soft->element,
            "a soft body needs a stiffness: <elasticity young=\"…\"/> in Pa, 1e5 for soft "
            "foam, 1e7 for rubber");
}

void tn_mjcf_soft_finish(TnMjcf *m, TnMjcfSoft *soft, int errors_before)
{
    const char *name = soft->def.name;
    const TnMjcfName *more =
        soft->from_mujoco && name ? tn_mjcf_name_find(m, TN_NAMED_SOFT_MORE, name) : NULL;
    if (more) read_element(m, more->element, soft);
    TnSoftId id = 0;
    if (m->err.count == errors_before && soft->nodes) {
        apply_flags(m, soft);
        if (collect_holds(m, soft) && m->err.count == errors_before) {
            id = tn_builder_add_soft(m->builder, &soft->def);
            m->qpos_count += 3 * soft->nodes->count;
            m->dof_count += 3 * soft->nodes->count;
            m->soft_numbers += 3 * soft->nodes->count;
            m->has_flex |= soft->from_mujoco;
        }
    }
    tn_mjcf_name_add(m, TN_NAMED_SOFT, soft->element, name, id, soft->nodes);
    tn_tet_mesh_free(&soft->def.mesh);
}

static void read_soft(TnMjcf *m, const TnXmlElement *e)
{
    if (!is(e, "soft") || !tn_mjcf_soft_has_shape(e)) return;
    TnMjcfView view = tn_mjcf_plain_view(e);
    int before = m->err.count;
    TnMjcfSoft soft = tn_mjcf_soft_new(e);
    TnMjcfPose pose = tn_mjcf_pose(m, &view);
    bool sheet = tn_xml_attr(e, "thickness") != NULL;
    soft.def.thickness = tn_mjcf_real(m, &view, "thickness", 0);
    soft.def.stretch_modulus = tn_mjcf_real(m, &view, "stretch_modulus", 0);
    soft.def.no_stretch_force = !tn_mjcf_bool(&view, "stretch", true);
    soft.def.no_bend_force = !tn_mjcf_bool(&view, "bend", true);
    if ((sheet ? tn_mjcf_make_sheet : tn_mjcf_make_tets)(m, e, &soft.def.mesh))
        tn_mjcf_soft_begin(m, &soft, &pose);
    read_element(m, e, &soft);
    tn_mjcf_soft_finish(m, &soft, before);
}

static void check_more(TnMjcf *m, const TnXmlElement *e)
{
    if (!is(e, "soft") || tn_mjcf_soft_has_shape(e)) return;
    const TnXmlAttr *name = tn_xml_attr(e, "name");
    const TnMjcfName *soft = name ? tn_mjcf_name_find(m, TN_NAMED_SOFT, name->value) : NULL;
    if (name && !soft)
        tn_mjcf_error_attr(m, e, "name",
                           "there is no flexcomp or flex named '%.60s'; a soft body of its own "
                           "needs file, box, cylinder or ball",
                           name->value);
    static const char *const places[] = {
        "pos",   "quat",          "axisangle", "euler",           "xyaxes",  "zaxis", "cells",
        "scale", "tets_per_cell", "thickness", "stretch_modulus", "stretch", "bend"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (soft && tn_xml_attr(e, places[i]))
            tn_mjcf_error_attr(m, e, places[i],
                               "the flexcomp defines position and shape; remove this");
}

/* ---- ties ---- */

static void read_tie(TnMjcf *m, const TnXmlElement *e)
{
    if (!is(e, "tie")) return;
    const TnMjcfName *first = tn_mjcf_refer(m, TN_NAMED_SOFT, e, "soft1");
    const TnMjcfName *second = tn_mjcf_refer(m, TN_NAMED_SOFT, e, "soft2");
    if (!first || !second) return;
    if (first == second) {
        tn_mjcf_error_attr(m, e, "soft2", "a tie joins two different soft bodies");
        return;
    }
    const TnMjcfNodes *nodes = first->data;
    if (!nodes || !first->id || !second->id) return; /* refused, and told so */
    unsigned char *chosen = tn_io_alloc(&m->pool, (size_t)nodes->count + 1);
    if (!chosen || !tn_mjcf_choose_nodes(m, e, nodes, chosen, NULL)) return;
    TnTieDef tie = tn_tie_def();
    tie.soft1 = first->id;
    tie.soft2 = second->id;
    tie.source = tn_xml_place(e);
    for (tie.node = 0; tie.node < nodes->count; tie.node++)
        if (chosen[tie.node]) tn_builder_add_tie(m->builder, &tie);
}

void tn_mjcf_read_softs(TnMjcf *m)
{
    tn_mjcf_read_flexcomps(m);
    tn_mjcf_read_flexes(m);
    tn_mjcf_each_child(m, "tenon", read_soft);
    tn_mjcf_each_child(m, "tenon", check_more);
    tn_mjcf_each_child(m, "tenon", read_tie);
}
