/* mjcf_flex_parts.c: what <flexcomp> and <flex> have in common: dim, <elasticity>, <contact>,
 * <edge>.
 *
 * A sheet (dim 2) is a membrane of plane stress (elastic2d stretch) that bends with
 * D = E h³/(12 (1-ν²)) (elastic2d bend). Edges that keep their lengths (<edge equality>, or <flex>
 * in <equality>) become a membrane or a solid as well, one that stretches by TN_KEPT_STRAIN where
 * it hangs by a side under its own weight: MuJoCo's constraint is soft, too, and what is stiff
 * costs nothing here. */
#include "mjcf_soft.h"

#include "../../../base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void read_edge(TnMjcf *m, const TnXmlElement *e, TnMjcfSoft *soft)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    int equality = tn_mjcf_word(&view, "equality", "false true strain", 0);
    soft->edge_damping = tn_mjcf_real(m, &view, "damping", 0);
    soft->edges_kept = equality != 0;
    if (tn_mjcf_real(m, &view, "stiffness", 0) != 0)
        tn_mjcf_error_attr(m, e, "stiffness",
                           "stiffness of edges is for dim 1; a %s has <elasticity young=\"…\">",
                           soft->dim == 2 ? "sheet" : "solid");
    if (equality == 2 && !soft->cage_order)
        tn_mjcf_error_attr(m, e, "equality",
                           "equality=\"strain\" is for dof=\"trilinear\" and \"quadratic\"; "
                           "\"true\" keeps the lengths of edges");
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

/* Edges that keep their lengths, as a membrane or as a solid; what is given and is stiffer stays.
 */
static void keep_edges(TnSoftDef *def, int dim)
{
    double kept = def->mass * TN_EARTH / TN_KEPT_STRAIN; /* N */
    if (dim == 3) {
        double side = cbrt(tn_tet_mesh_volume(&def->mesh));
        def->youngs_modulus = fmax(def->youngs_modulus, kept / (side * side));
        return;
    }
    if (!def->no_stretch_force) return;
    double side = sqrt(tn_sheet_mesh_area(&def->mesh));
    if (!(def->thickness > 0)) def->thickness = fmax(2 * def->radius, LEAST_THICKNESS);
    def->no_stretch_force = false;
    def->stretch_modulus = kept / (side * def->thickness);
    if (def->youngs_modulus == 0) def->youngs_modulus = def->stretch_modulus; /* bends nothing */
}

static int compare_edges(const void *a, const void *b)
{
    const int32_t *x = a, *y = b;
    return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : (x[1] > y[1]) - (x[1] < y[1]);
}

/* Σ l² over the edges; below 0: no memory. A triangle is a b c c. */
static double squared_lengths(const TnTetMesh *mesh)
{
    size_t count = 0;
    int32_t(*edges)[2] = tn_malloc((6 * (size_t)mesh->tet_count + 1) * sizeof *edges);
    if (!edges) return -1;
    for (size_t e = 0; e < (size_t)mesh->tet_count; e++)
        for (int i = 0; i < 4; i++)
            for (int k = i + 1; k < 4; k++) {
                int32_t a = mesh->tets[4 * e + (size_t)i], b = mesh->tets[4 * e + (size_t)k];
                if (a == b) continue;
                edges[count][0] = a < b ? a : b;
                edges[count++][1] = a < b ? b : a;
            }
    qsort(edges, count, sizeof *edges, compare_edges);
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && compare_edges(edges[i], edges[i - 1]) == 0) continue;
        for (size_t k = 0; k < 3; k++) {
            double d =
                mesh->nodes[3 * (size_t)edges[i][0] + k] - mesh->nodes[3 * (size_t)edges[i][1] + k];
            sum += d * d;
        }
    }
    tn_free(edges);
    return sum;
}

/* Dampers along edges as a time of stiffness damping, β. Where the body grows by the rate r in all
 * directions, edges take the power c r² Σ l², and β times the stiffness takes
 *
 *   β 3 E V r²/(1-2ν)  of a solid,    β 2 E h A r²/(1-ν)  of a sheet. */
static void damp_edges(TnMjcf *m, const TnMjcfSoft *soft, TnSoftDef *def)
{
    if (!(soft->edge_damping > 0) || soft->cage_order) return; /* MuJoCo's interpolated have none */
    double modulus = def->stretch_modulus > 0 ? def->stretch_modulus : def->youngs_modulus;
    double nu = def->poisson_ratio, lengths = squared_lengths(&def->mesh);
    double stiffness =
        soft->dim == 3 ? 3 * def->youngs_modulus * tn_tet_mesh_volume(&def->mesh) / (1 - 2 * nu)
                       : 2 * modulus * def->thickness * tn_sheet_mesh_area(&def->mesh) / (1 - nu);
    if (lengths < 0)
        m->pool.failed = true;
    else if (stiffness > 0)
        def->damping_stiffness += soft->edge_damping * lengths / stiffness;
}

static bool check_sheet(TnMjcf *m, const TnMjcfSoft *soft)
{
    TnError err = {0};
    if (tn_sheet_mesh_check(&soft->def.mesh, soft->def.name, &err)) return true;
    tn_mjcf_mesh_errors(m, soft->element, NULL, &err);
    return false;
}

bool tn_mjcf_flex_check(TnMjcf *m, TnMjcfSoft *soft)
{
    TnSoftDef *def = &soft->def;
    if (soft->dim == 3 ? !tn_mjcf_check_tets(m, soft->element, def->name, &def->mesh)
                       : !check_sheet(m, soft))
        return false;
    soft->edges_kept =
        (soft->edges_kept || tn_mjcf_flex_equality(m, def->name)) && m->settings.equality;
    if (soft->edges_kept) keep_edges(def, soft->dim);
    damp_edges(m, soft, def);
    if (soft->dim == 3 || (def->thickness > 0 && !def->no_stretch_force)) return true;
    tn_mjcf_error(m, soft->element,
                  "nothing holds this sheet together: add <elasticity young=\"…\" "
                  "thickness=\"…\" elastic2d=\"both\"/> (or stretch), or <edge "
                  "equality=\"true\"/>");
    return false;
}
