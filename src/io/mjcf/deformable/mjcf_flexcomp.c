/* mjcf_flexcomp.c: MuJoCo's <flexcomp> of dimension 3 becomes a soft body, that of dimension 2 a
 * sheet, that of dimension 1 a rod (mjcf_flex_rod.c; docs/mjcf.md).
 *
 * MuJoCo makes a body with three slide joints for each vertex; pinned vertices belong to the body
 * that the flexcomp stands in. Here vertices are nodes, and that body holds the pinned ones.
 * Numbers of nodes are MuJoCo's. `damping` of <elasticity> is MuJoCo's time that scales the
 * stiffness matrix to a damping matrix, which is the β of Rayleigh's α M + β K. */
#include "mjcf_soft.h"

#include "../../../base/base.h"
#include "../../io_file.h"
#include "../../mesh/mesh_file.h"

#include <math.h>
#include <string.h>

/* A flexcomp as the tree of bodies has it; read once all bodies are known. */
struct TnMjcfFlexcomp {
    const TnXmlElement *element;
    TnMjcfPose world; /* of the axes it stands in */
    TnBodyId body;
    struct TnMjcfFlexcomp *next;
};

static const char *const type_names =
    "grid box cylinder ellipsoid square disc circle mesh gmsh direct";
enum { TYPE_SQUARE = 4, TYPE_CIRCLE = 6, TYPE_MESH, TYPE_GMSH, TYPE_DIRECT };

static bool is(const TnXmlElement *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

void tn_mjcf_flexcomp(TnMjcf *m, const TnXmlElement *e, const TnMjcfPose *world, TnBodyId body)
{
    const TnXmlAttr *dim = tn_xml_attr(e, "dim");
    if (dim && strcmp(dim->value, "1") == 0) {
        tn_mjcf_flex_rod(m, e, world, body);
        return;
    }
    struct TnMjcfFlexcomp *f = TN_IO_NEW(&m->pool, struct TnMjcfFlexcomp);
    if (!f) return;
    *f = (struct TnMjcfFlexcomp){.element = e, .world = *world, .body = body};
    if (m->last_flexcomp)
        m->last_flexcomp->next = f;
    else
        m->flexcomps = f;
    m->last_flexcomp = f;
}

/* ---- the mesh ---- */

/* Directions in which a shape has a count. */
static int axes_of(TnFlexShape shape, int dim)
{
    bool flat = shape == TN_FLEX_GRID || shape == TN_FLEX_SQUARE || shape == TN_FLEX_DISC;
    return dim == 2 && flat ? 2 : 3;
}

static bool make_shape(TnMjcf *m, const TnXmlElement *e, TnFlexShape shape, int dim, int count[3],
                       TnTetMesh *out)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    double counts[3] = {10, 10, 10}, spacing[3] = {0.02, 0.02, 0.02};
    tn_mjcf_reals(m, &view, "count", counts, 3);
    tn_mjcf_reals(m, &view, "spacing", spacing, 3);
    int axes = axes_of(shape, dim);
    if (axes == 2 && counts[2] != 1 && tn_xml_attr(e, "count")) {
        tn_mjcf_error_attr(m, e, "count", "a sheet's third count must be 1, not %.0f", counts[2]);
        return false;
    }
    if (axes == 2) counts[2] = 1;
    for (int k = 0; k < 3; k++) {
        if (counts[k] < 2 && k < axes) {
            tn_mjcf_error_attr(m, e, "count", "%s needs a count of 2 or more in %s direction",
                               dim == 2 ? "a sheet" : "a solid", axes == 2 ? "either" : "each");
            return false;
        }
        if (!(spacing[k] > 0)) {
            tn_mjcf_error_attr(m, e, "spacing", "spacing must be above 0 in each direction");
            return false;
        }
    }
    int64_t limit = tn_load_limit(m->load, TN_LIMIT_NODES, TN_MOST_NODES);
    if (counts[0] * counts[1] * counts[2] > (double)limit) {
        tn_mjcf_error_attr(m, e, "count", "count asks for more than %lld nodes" TN_RAISE_LIMIT,
                           (long long)limit);
        return false;
    }
    for (int k = 0; k < 3; k++) count[k] = (int)counts[k];
    if (dim == 2 ? tn_flex_sheet(shape, count, spacing, out)
                 : tn_flex_mesh(shape, count, spacing, out))
        return true;
    m->pool.failed = true;
    return false;
}

static bool make_direct(TnMjcf *m, const TnXmlElement *e, int dim, TnTetMesh *out)
{
    int numbers = 0, indices = 0;
    const double *points = tn_mjcf_real_list(m, e, "point", &numbers);
    const double *corners = tn_mjcf_real_list(m, e, "element", &indices);
    int each = dim + 1; /* corners */
    if (numbers < 3 * each || numbers % 3 != 0 || indices < each || indices % each != 0) {
        bool of_points = numbers < 3 * each || numbers % 3 != 0;
        tn_mjcf_error_attr(m, e, of_points ? "point" : "element",
                           of_points ? "point needs three numbers each for %s or more points, not "
                                       "%d in all"
                                     : "element needs %s, not %d numbers in all",
                           of_points  ? dim == 2 ? "three" : "four"
                           : dim == 2 ? "three points for each triangle"
                                      : "four points for each tetrahedron",
                           of_points ? numbers : indices);
        return false;
    }
    for (int i = 0; i < indices; i++)
        if (corners[i] < 0 || corners[i] >= numbers / 3) {
            tn_mjcf_error_attr(m, e, "element",
                               "element %d names point %.0f; points are 0 to %d here", i / each,
                               corners[i], numbers / 3 - 1);
            return false;
        }
    out->nodes = tn_malloc((size_t)numbers * sizeof *out->nodes);
    out->tets = tn_malloc(4 * (size_t)(indices / each) * sizeof *out->tets);
    if (!out->nodes || !out->tets) {
        tn_tet_mesh_free(out);
        m->pool.failed = true;
        return false;
    }
    memcpy(out->nodes, points, (size_t)numbers * sizeof *points);
    out->node_count = numbers / 3;
    out->tet_count = indices / each;
    tn_mjcf_fill_elements(corners, each, out);
    return true;
}

/* The triangles of a surface mesh. */
static bool make_surface(TnMjcf *m, const TnXmlElement *e, TnTetMesh *out)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    if (!tn_xml_attr(e, "file")) {
        tn_mjcf_error(m, e, "attribute 'file' is missing");
        return false;
    }
    TnMeshFile mesh = {0};
    if (!tn_mjcf_read_mesh_file(m, e, &view, &mesh, &(const char *){NULL})) return false;
    out->nodes = tn_malloc(3 * ((size_t)mesh.vertex_count + 1) * sizeof *out->nodes);
    out->tets = tn_malloc(4 * ((size_t)mesh.triangle_count + 1) * sizeof *out->tets);
    bool good = out->nodes && out->tets;
    if (good) {
        out->node_count = mesh.vertex_count;
        out->tet_count = mesh.triangle_count;
        memcpy(out->nodes, mesh.vertices, 3 * (size_t)mesh.vertex_count * sizeof *out->nodes);
        for (size_t i = 0; i < 4 * (size_t)mesh.triangle_count; i++)
            out->tets[i] = mesh.triangles[3 * (i / 4) + (i % 4 < 3 ? i % 4 : 2)];
    } else {
        m->pool.failed = true;
        tn_tet_mesh_free(out);
    }
    tn_mesh_file_free(&mesh);
    return good;
}

/* Tetrahedra between a point and the triangles that turn their front away from it. */
static bool make_star(TnMjcf *m, const TnXmlElement *e, TnTetMesh *out)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    double origin[3];
    if (!tn_xml_attr(e, "file")) {
        tn_mjcf_error(m, e, "attribute 'file' is missing");
        return false;
    }
    if (tn_mjcf_reals(m, &view, "origin", origin, 3) != 3) {
        tn_mjcf_error(m, e,
                      "a solid from a surface mesh needs origin: an inner point that sees the "
                      "whole surface");
        return false;
    }
    TnMeshFile mesh = {0};
    bool good = tn_mjcf_read_mesh_file(m, e, &view, &mesh, &(const char *){NULL});
    if (good) {
        out->nodes = tn_malloc(3 * ((size_t)mesh.vertex_count + 1) * sizeof *out->nodes);
        out->tets = tn_malloc(4 * ((size_t)mesh.triangle_count + 1) * sizeof *out->tets);
        good = out->nodes && out->tets;
        if (!good) m->pool.failed = true;
    }
    if (good) {
        out->node_count = mesh.vertex_count + 1;
        memcpy(out->nodes, origin, sizeof origin);
        memcpy(out->nodes + 3, mesh.vertices, 3 * (size_t)mesh.vertex_count * sizeof *out->nodes);
    }
    for (size_t i = 0; good && i < (size_t)mesh.triangle_count; i++) {
        int32_t *tet = out->tets + 4 * (size_t)out->tet_count;
        double d[3][3];
        tet[0] = 0;
        for (int c = 0; c < 3; c++) {
            tet[c + 1] = mesh.triangles[3 * i + (size_t)c] + 1;
            for (int k = 0; k < 3; k++)
                d[c][k] = out->nodes[3 * (size_t)tet[c + 1] + (size_t)k] - origin[k];
        }
        double volume = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) +
                        d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
                        d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
        if (volume > 1e-15) out->tet_count++; /* MuJoCo's bound */
    }
    tn_mesh_file_free(&mesh);
    if (good && out->tet_count == 0) {
        tn_mjcf_error_attr(m, e, "origin",
                           "no triangle of the mesh faces away from origin; origin "
                           "must lie inside the mesh");
        good = false;
    }
    if (!good) tn_tet_mesh_free(out);
    return good;
}

/* Attributes that this type has no use for, so that they are not silently ignored. */
static void refuse_others(TnMjcf *m, const TnXmlElement *e, int type)
{
    static const struct {
        const char *name;
        bool shape, mesh, gmsh, direct;
    } uses[] = {{"count", true, false, false, false},  {"spacing", true, false, false, false},
                {"scale", false, true, true, true},    {"file", false, true, true, false},
                {"origin", false, true, false, false}, {"point", false, false, false, true},
                {"element", false, false, false, true}};
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        bool used = type == TYPE_MESH     ? uses[i].mesh
                    : type == TYPE_GMSH   ? uses[i].gmsh
                    : type == TYPE_DIRECT ? uses[i].direct
                                          : uses[i].shape;
        if (!used && tn_xml_attr(e, uses[i].name))
            tn_mjcf_error_attr(m, e, uses[i].name, "%s has no meaning for this type; remove it",
                               uses[i].name);
    }
}

static bool make_mesh(TnMjcf *m, const TnXmlElement *e, int type, int dim, int count[3],
                      int *file_nodes, TnTetMesh *out)
{
    bool good = type == TYPE_MESH     ? dim == 2 ? make_surface(m, e, out) : make_star(m, e, out)
                    : type == TYPE_GMSH ? tn_mjcf_load_tets(m, e, dim, out, file_nodes)
                : type == TYPE_DIRECT ? make_direct(m, e, dim, out)
                                      : make_shape(m, e, (TnFlexShape)type, dim, count, out);
    if (!good) return false;
    if (type != TYPE_GMSH) *file_nodes = out->node_count;
    return type < TYPE_MESH || type == TYPE_GMSH || tn_mjcf_scale_tets(m, e, out);
}

/* ---- the whole ---- */

static bool read_parts(TnMjcf *m, TnMjcfSoft *soft, const TnMjcfPins *pins)
{
    int before = m->err.count;
    for (const TnXmlElement *c = soft->element->first; c; c = c->next) {
        if (is(c, "pin"))
            tn_mjcf_read_pin(m, c, pins);
        else
            tn_mjcf_flex_part(m, TN_GROUP_FLEXCOMP, c, soft);
    }
    return m->err.count == before;
}

/* Which shapes there are in which dimension. */
static void check_type(TnMjcf *m, const TnXmlElement *e, int type, const char *text, int dim)
{
    if (type == TYPE_CIRCLE)
        tn_mjcf_error_attr(m, e, "type", "a circle has dim=\"1\"");
    else if (type >= TYPE_SQUARE && type < TYPE_CIRCLE && dim == 3)
        tn_mjcf_error_attr(m, e, "type", "%s has dim=\"2\"; it is no solid", text);
}

static void read_flexcomp(TnMjcf *m, const struct TnMjcfFlexcomp *f)
{
    const TnXmlElement *e = f->element;
    int before = m->err.count;
    if (!tn_mjcf_check(m, TN_GROUP_BODY, e)) return;
    TnMjcfView view = tn_mjcf_plain_view(e);
    int type = tn_mjcf_word(&view, "type", type_names, 0);
    const char *type_text = tn_mjcf_text(&view, "type");
    TnMjcfSoft soft = tn_mjcf_soft_new(e);
    soft.from_mujoco = true;
    soft.def.youngs_modulus = soft.def.poisson_ratio = soft.def.damping_stiffness = 0;
    soft.def.self_contact = true;
    soft.def.radius = tn_mjcf_real(m, &view, "radius", 0.005);
    soft.def.mass = tn_mjcf_real(m, &view, "mass", 1);
    tn_mjcf_soft_look(m, e, &soft.def);
    soft.dim = 3;
    if (type != TYPE_GMSH || tn_xml_attr(e, "dim")) /* a gmsh file's dimension is its own */
        tn_mjcf_flex_dim(m, e, &soft);
    check_type(m, e, type, type_text, soft.dim);
    if (tn_mjcf_bool(&view, "rigid", false))
        tn_mjcf_error_attr(m, e, "rigid",
                           "a rigid flexcomp is not supported; give its body a geom of type mesh");
    refuse_others(m, e, type);
    TnMjcfCage cage = tn_mjcf_cage(m, e, &soft);
    TnMjcfPose pose = tn_mjcf_pose(m, &view);
    pose = tn_mjcf_compose(&f->world, &pose);

    int count[3] = {0}, file_nodes = 0;
    TnTetMesh *mesh = &soft.def.mesh;
    if (m->err.count == before && make_mesh(m, e, type, soft.dim, count, &file_nodes, mesh)) {
        TnMjcfPins pins = {.node_count = mesh->node_count,
                           .file_nodes = file_nodes,
                           .bodies = {0, f->body},
                           .body_count = 1,
                           .count = type == 0 ? count : NULL,
                           .dim = soft.dim};
        if (soft.cage_order) tn_mjcf_cage_pins(&cage, &pins);
        pins.pinned = tn_io_alloc(&m->pool, (size_t)pins.node_count + 1);
        unsigned char *held = pins.pinned;
        bool good = pins.pinned && read_parts(m, &soft, &pins);
        if (good) tn_mjcf_connect_nodes(m, &soft, &pins);
        if (good && m->err.count == before &&
            (!soft.cage_order || (held = tn_mjcf_cage_held(m, &cage, mesh, pins.pinned))) &&
            tn_mjcf_drop_unused(m, mesh, held) && tn_mjcf_flex_check(m, &soft) &&
            tn_mjcf_soft_begin(m, &soft, &pose))
            for (int i = 0; i < mesh->node_count; i++)
                if (held[i]) tn_mjcf_soft_hold(m, &soft, e, i, pins.bodies[held[i]]);
    } else { /* say all that is wrong at once */
        for (const TnXmlElement *c = e->first; c; c = c->next)
            if (!is(c, "pin")) tn_mjcf_flex_part(m, TN_GROUP_FLEXCOMP, c, &soft);
    }
    tn_mjcf_soft_finish(m, &soft, before);
}

void tn_mjcf_read_flexcomps(TnMjcf *m)
{
    for (const struct TnMjcfFlexcomp *f = m->flexcomps; f; f = f->next) read_flexcomp(m, f);
}
