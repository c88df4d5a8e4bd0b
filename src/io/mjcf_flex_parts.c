/* mjcf_flex_parts.c: what <flexcomp> and <flex> have in common: dim, <elasticity>, <contact>,
 * <edge>.
 *
 * A sheet (dim 2) is a membrane of plane stress (elastic2d stretch) that bends with
 * D = E h³/(12 (1-ν²)) (elastic2d bend). Edges that keep their lengths (<edge equality>, or <flex>
 * in <equality>) become a membrane as well, one that stretches by KEPT_STRAIN where it hangs by a
 * side under its own weight: MuJoCo's constraint is soft, too, and what is stiff costs nothing
 * here. */
#include "mjcf_soft.h"

#include <math.h>
#include <string.h>

#define KEPT_STRAIN 1e-3
#define EARTH 9.81 /* m/s², whatever the model's gravity: a sheet must not change with that */
#define LEAST_THICKNESS 1e-4 /* m, of sheets that only have edges */

static bool is(const TnXmlElement *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

/* MuJoCo's default is 2. */
bool tn_mjcf_flex_dim(TnMjcf *m, const TnXmlElement *e, TnMjcfSoft *soft)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    soft->dim = tn_mjcf_int(m, &view, "dim", 2);
    soft->def.no_stretch_force = soft->def.no_bend_force = soft->dim == 2; /* until it says so */
    if (soft->dim == 2 || soft->dim == 3) return true;
    tn_mjcf_error_attr(m, e, "dim",
                       "dim must be 2 (a sheet) or 3 (a solid) here, not %d; a rope is a "
                       "<flexcomp dim=\"1\"> or <composite type=\"cable\">",
                       soft->dim);
    return false;
}

static void read_elasticity(TnMjcf *m, const TnXmlElement *e, TnMjcfSoft *soft)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    TnSoftDef *def = &soft->def;
    int forces = tn_mjcf_word(&view, "elastic2d", "none bend stretch both", 0);
    def->youngs_modulus = tn_mjcf_real(m, &view, "young", 0);
    def->poisson_ratio = tn_mjcf_real(m, &view, "poisson", 0);
    def->damping_stiffness = tn_mjcf_real(m, &view, "damping", 0);
    if (def->poisson_ratio < 0 || def->poisson_ratio >= 0.5)
        tn_mjcf_error_attr(m, e, "poisson", "poisson must be at least 0 and below 0.5");
    if (soft->dim == 3) {
        if (forces != 0)
            tn_mjcf_error_attr(m, e, "elastic2d", "elastic2d is for sheets (dim 2); remove it");
        if (tn_xml_attr(e, "thickness"))
            tn_mjcf_remark(m, TN_REMARK_FLEX, tn_xml_attr_place(e, tn_xml_attr(e, "thickness")),
                           e->name);
        return;
    }
    def->thickness = tn_mjcf_real(m, &view, "thickness", 0);
    def->no_bend_force = !(forces & 1);
    def->no_stretch_force = !(forces & 2);
    if (forces && !(def->thickness > 0))
        tn_mjcf_error(m, e, "a sheet that stretches or bends needs a thickness above 0 (m)");
    if (forces && !(def->youngs_modulus > 0))
        tn_mjcf_error(m, e, "a sheet that stretches or bends needs young above 0 (Pa)");
}

static void read_contact(TnMjcf *m, const TnXmlElement *e, TnSoftDef *def)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    tn_mjcf_soft_contact(m, e, def);
    def->self_contact = tn_mjcf_word(&view, "selfcollide", "none narrow bvh sap auto", 4) != 0;
}

/* Of a solid's edges nothing is left to say but that they stay as they are. */
static void read_edge(TnMjcf *m, const TnXmlElement *e, TnMjcfSoft *soft)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    bool sheet = soft->dim == 2;
    if (tn_mjcf_real(m, &view, "stiffness", 0) != 0)
        tn_mjcf_error_attr(m, e, "stiffness",
                           "stiffness of edges is for dim 1; a %s has <elasticity young=\"…\">",
                           sheet ? "sheet" : "solid");
    if (tn_mjcf_real(m, &view, "damping", 0) != 0)
        tn_mjcf_error_attr(m, e, "damping",
                           "damping along edges is not supported; a %s has <elasticity "
                           "damping=\"…\">",
                           sheet ? "sheet" : "solid");
    const char *equality = tn_mjcf_text(&view, "equality");
    if (!equality || strcmp(equality, "false") == 0) return;
    if (sheet && strcmp(equality, "true") == 0)
        soft->edges_kept = true;
    else if (sheet)
        tn_mjcf_error_attr(m, e, "equality",
                           "equality=\"%.20s\" is not supported; \"true\" keeps the lengths of "
                           "edges",
                           equality);
    else
        tn_mjcf_error_attr(m, e, "equality",
                           "equality=\"%.20s\" would make a solid rigid; remove it and add "
                           "<elasticity young=\"…\">",
                           equality);
}

bool tn_mjcf_flex_part(TnMjcf *m, TnMjcfGroup group, const TnXmlElement *e, TnMjcfSoft *soft)
{
    if (is(e, "plugin")) {
        tn_mjcf_error(m, e,
                      "plugins of soft bodies are not supported; young, poisson and damping of "
                      "mujoco.elasticity.solid go into <elasticity>");
        return false;
    }
    if (!tn_mjcf_check_leaf(m, group, e)) return false;
    if (is(e, "elasticity")) read_elasticity(m, e, soft);
    if (is(e, "contact")) read_contact(m, e, &soft->def);
    if (is(e, "edge")) read_edge(m, e, soft);
    return true;
}

void tn_mjcf_fill_elements(const double *corners, int each, TnTetMesh *out)
{
    for (size_t i = 0; i < 4 * (size_t)out->tet_count; i++) {
        size_t corner = i % 4 < (size_t)each ? i % 4 : (size_t)each - 1;
        out->tets[i] = (int32_t)corners[(size_t)each * (i / 4) + corner];
    }
}

/* ---- sheets ---- */

const TnXmlElement *tn_mjcf_flex_equality(const TnMjcf *m, const char *name)
{
    for (const TnXmlElement *s = m->root->first; s; s = s->next)
        for (const TnXmlElement *c = is(s, "equality") ? s->first : NULL; c; c = c->next) {
            const TnXmlAttr *of = is(c, "flex") ? tn_xml_attr(c, "flex") : NULL,
                            *active = of ? tn_xml_attr(c, "active") : NULL;
            if (of && name && strcmp(of->value, name) == 0 &&
                !(active && strcmp(active->value, "false") == 0))
                return c;
        }
    return NULL;
}

/* Edges that keep their lengths, as a membrane. */
static void keep_edges(TnSoftDef *def)
{
    double side = sqrt(tn_sheet_mesh_area(&def->mesh));
    if (!(def->thickness > 0)) def->thickness = fmax(2 * def->radius, LEAST_THICKNESS);
    def->no_stretch_force = false;
    def->stretch_modulus = def->mass * EARTH / (side * def->thickness * KEPT_STRAIN);
    if (def->youngs_modulus == 0) def->youngs_modulus = def->stretch_modulus; /* bends nothing */
}

bool tn_mjcf_flex_check(TnMjcf *m, TnMjcfSoft *soft)
{
    TnSoftDef *def = &soft->def;
    if (soft->dim == 3) {
        const TnXmlElement *kept = tn_mjcf_flex_equality(m, def->name);
        if (kept)
            tn_mjcf_error(m, kept,
                          "<flex> in <equality> would make a solid rigid; remove it and add "
                          "<elasticity young=\"…\">");
        return tn_mjcf_check_tets(m, soft->element, def->name, &def->mesh) && !kept;
    }
    TnError err = {0};
    if (!tn_sheet_mesh_check(&def->mesh, def->name, &err)) {
        tn_mjcf_mesh_errors(m, soft->element, NULL, &err);
        return false;
    }
    soft->edges_kept =
        (soft->edges_kept || tn_mjcf_flex_equality(m, def->name)) && m->settings.equality;
    if (soft->edges_kept && def->no_stretch_force) keep_edges(def);
    if (def->thickness > 0 && !def->no_stretch_force) return true;
    tn_mjcf_error(m, soft->element,
                  "nothing holds this sheet together: add <elasticity young=\"…\" "
                  "thickness=\"…\" elastic2d=\"both\"/> (or stretch), or <edge "
                  "equality=\"true\"/>");
    return false;
}
