/* mjcf_flex.c: <deformable><flex> of dimension 3 or 2: a mesh whose vertices belong to bodies.
 *
 * MuJoCo moves vertices with bodies; a free vertex is a body with three slide joints and an
 * inertia, and nothing else. Such bodies become nodes and are no bodies here; that is what MuJoCo
 * itself writes for a <flexcomp>. Any other body holds its vertices. So the names of bodies with
 * vertices are looked up before bodies are read, and their places noted as they are. */
#include "mjcf_soft.h"

#include "../../../base/base.h"

#include <math.h>
#include <string.h>

static bool is(const TnXmlElement *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

/* A body that a flex names. */
typedef struct Carrier {
    bool known, is_node;
    TnMjcfPose world;
    TnBodyId body;            /* 0 where it is a node */
    double mass;              /* kg, of a node */
    const TnXmlElement *used; /* a node: the flex it belongs to */
} Carrier;

/* The next word of a list, NULL at its end. */
static const char *next_word(TnMjcf *m, const char **at)
{
    const char *start = *at + strspn(*at, " \t\r\n");
    size_t length = strcspn(start, " \t\r\n");
    *at = start + length;
    return length ? tn_io_copy(&m->pool, start, length) : NULL;
}

static void look_up_bodies(TnMjcf *m, const TnXmlElement *e)
{
    if (!is(e, "flex")) return;
    const TnXmlAttr *list = tn_xml_attr(e, "body");
    const char *at = list ? list->value : "";
    for (const char *name = next_word(m, &at); name; name = next_word(m, &at)) {
        if (tn_mjcf_name_find(m, TN_NAMED_CARRIER, name)) continue;
        Carrier *carrier = TN_IO_NEW(&m->pool, Carrier);
        if (!carrier) return;
        if (strcmp(name, "world") == 0)
            *carrier = (Carrier){.known = true, .world = tn_mjcf_identity(), .body = TN_BODY_WORLD};
        tn_mjcf_name_add(m, TN_NAMED_CARRIER, e, name, 0, carrier);
    }
}

void tn_mjcf_find_carriers(TnMjcf *m) { tn_mjcf_each_child(m, "deformable", look_up_bodies); }

static Carrier *find_carrier(const TnMjcf *m, const char *name)
{
    const TnMjcfName *found = name ? tn_mjcf_name_find(m, TN_NAMED_CARRIER, name) : NULL;
    return found ? (Carrier *)(uintptr_t)found->data : NULL;
}

void tn_mjcf_note_carrier(TnMjcf *m, const char *name, const TnMjcfPose *world, TnBodyId body)
{
    Carrier *carrier = find_carrier(m, name);
    if (carrier && !carrier->known)
        *carrier = (Carrier){.known = true, .world = *world, .body = body};
}

/* A slide joint along one of the body's axes and without springs, friction or limits; -1: not. */
static int free_axis(TnMjcf *m, const TnXmlElement *e, const TnMjcfClass *class_)
{
    static const char *const burdens[] = {"limited", "range",     "stiffness",
                                          "damping", "armature",  "frictionloss",
                                          "ref",     "springref", "springdamper"};
    TnMjcfView view = tn_mjcf_view(m, e, class_, "joint");
    double axis[3] = {0, 0, 1};
    if (tn_mjcf_word(&view, "type", "free ball slide hinge", 3) != 2) return -1;
    for (size_t i = 0; i < sizeof burdens / sizeof burdens[0]; i++)
        if (tn_mjcf_has(&view, burdens[i])) return -1;
    tn_mjcf_reals(m, &view, "axis", axis, 3);
    for (int k = 0; k < 3; k++)
        if (axis[k] != 0 && axis[(k + 1) % 3] == 0 && axis[(k + 2) % 3] == 0) return k;
    return -1;
}

bool tn_mjcf_is_node(TnMjcf *m, const TnXmlElement *e, const TnMjcfClass *class_,
                     const TnMjcfPose *world)
{
    const TnXmlAttr *name = tn_xml_attr(e, "name");
    Carrier *carrier = find_carrier(m, name ? name->value : NULL);
    if (!carrier || carrier->known) return false;
    bool free[3] = {false, false, false};
    double mass = 0;
    int before = m->err.count;
    m->quiet = true; /* a body that is read as such complains for itself */
    for (const TnXmlElement *c = e->first; c; c = c->next) {
        TnMjcfView view = tn_mjcf_plain_view(c);
        int axis = is(c, "joint") ? free_axis(m, c, class_) : -1;
        bool inertial = is(c, "inertial");
        if (inertial) mass = tn_mjcf_real(m, &view, "mass", 0);
        if (axis >= 0) free[axis] = true;
        if (axis < 0 && !inertial) mass = -INFINITY;
    }
    m->quiet = false;
    if (!free[0] || !free[1] || !free[2] || !(mass > 0) || m->err.count != before) return false;
    tn_mjcf_check(m, TN_GROUP_BODY, e);
    for (const TnXmlElement *c = e->first; c; c = c->next) tn_mjcf_check_leaf(m, TN_GROUP_BODY, c);
    *carrier = (Carrier){.known = true, .is_node = true, .world = *world, .mass = mass};
    return true;
}

/* ---- <flex> ---- */

/* One carrier for each vertex; fills the nodes' places and adds up the mass of free ones. */
static bool place_vertices(TnMjcf *m, const TnXmlElement *e, TnTetMesh *mesh, Carrier **carriers,
                           double *mass)
{
    int numbers = 0, free_count = 0;
    const double *vertices = tn_mjcf_real_list(m, e, "vertex", &numbers);
    const char *at = tn_xml_attr(e, "body")->value, *first = NULL;
    for (int i = 0; i < mesh->node_count; i++) {
        const char *name = next_word(m, &at);
        if (!name) name = first; /* one body for all */
        if (!first) first = name;
        Carrier *carrier = find_carrier(m, name);
        if (!carrier || !carrier->known) {
            tn_mjcf_error_attr(m, e, "body",
                               "there is no body named '%.60s' that vertices can belong to (bodies "
                               "of cables cannot hold them here; <hold> in <tenon><soft> can)",
                               name ? name : "");
            return false;
        }
        if (carrier->is_node && carrier->used) {
            tn_mjcf_error_attr(m, e, "body", "body '%.60s' already has a vertex", name);
            return false;
        }
        if (carrier->is_node) {
            carrier->used = e;
            *mass += carrier->mass;
            free_count++;
        }
        TnMjcfPose vertex = tn_mjcf_identity();
        if (vertices) memcpy(vertex.pos, vertices + 3 * i, sizeof vertex.pos);
        vertex = tn_mjcf_compose(&carrier->world, &vertex);
        memcpy(mesh->nodes + 3 * (size_t)i, vertex.pos, sizeof vertex.pos);
        carriers[i] = carrier;
    }
    if (free_count) *mass *= (double)mesh->node_count / free_count;
    return true;
}

static int count_words(TnMjcf *m, const char *text)
{
    int count = 0;
    while (next_word(m, &text)) count++;
    return count;
}

/* Sizes that fit together: vertices, bodies and elements. */
static bool make_room(TnMjcf *m, const TnXmlElement *e, int dim, TnTetMesh *mesh)
{
    int numbers = 0, indices = 0, bodies = count_words(m, tn_xml_attr(e, "body")->value);
    tn_mjcf_real_list(m, e, "vertex", &numbers);
    const double *corners = tn_mjcf_real_list(m, e, "element", &indices);
    int count = numbers ? numbers / 3 : bodies;
    if (numbers % 3 != 0 || (bodies != 1 && bodies != count)) {
        tn_mjcf_error_attr(m, e, numbers % 3 != 0 ? "vertex" : "body",
                           "vertex needs three numbers for each vertex, and body one name for all "
                           "or one for each: there are %d numbers and %d names",
                           numbers, bodies);
        return false;
    }
    int each = dim + 1; /* corners */
    if (indices == 0 || indices % each != 0) {
        tn_mjcf_error_attr(m, e, "element", "element needs %s, not %d numbers in all",
                           dim == 2 ? "three vertices for each triangle"
                                    : "four vertices for each tetrahedron",
                           indices);
        return false;
    }
    for (int i = 0; i < indices; i++)
        if (corners[i] < 0 || corners[i] >= count) {
            tn_mjcf_error_attr(m, e, "element", "element %d names vertex %.0f; they are 0 to %d",
                               i / each, corners[i], count - 1);
            return false;
        }
    mesh->nodes = tn_malloc(3 * (size_t)count * sizeof *mesh->nodes);
    mesh->tets = tn_malloc(4 * (size_t)(indices / each) * sizeof *mesh->tets);
    if (!mesh->nodes || !mesh->tets) {
        tn_tet_mesh_free(mesh);
        m->pool.failed = true;
        return false;
    }
    mesh->node_count = count;
    mesh->tet_count = indices / each;
    tn_mjcf_fill_elements(corners, each, mesh);
    return true;
}

static void read_flex(TnMjcf *m, const TnXmlElement *e)
{
    int before = m->err.count;
    if (!tn_mjcf_check(m, TN_GROUP_DEFORMABLE, e)) return;
    if (is(e, "skin")) {
        tn_mjcf_remark(m, TN_REMARK_SKIN, tn_xml_place(e), e->name);
        return;
    }
    TnMjcfView view = tn_mjcf_plain_view(e);
    TnMjcfSoft soft = tn_mjcf_soft_new(e);
    soft.from_mujoco = true;
    soft.def.youngs_modulus = soft.def.poisson_ratio = soft.def.damping_stiffness = 0;
    soft.def.self_contact = true;
    soft.def.radius = tn_mjcf_real(m, &view, "radius", 0.005);
    tn_mjcf_soft_look(m, e, &soft.def);
    tn_mjcf_flex_dim(m, e, &soft);
    for (const TnXmlElement *c = e->first; c; c = c->next)
        tn_mjcf_flex_part(m, TN_GROUP_FLEX, c, &soft);
    TnTetMesh *mesh = &soft.def.mesh;
    TnMjcfPose world = tn_mjcf_identity();
    if (m->err.count == before && make_room(m, e, soft.dim, mesh)) {
        double mass = 0;
        size_t count = (size_t)mesh->node_count;
        Carrier **carriers = tn_io_alloc(&m->pool, count * sizeof *carriers);
        bool good = carriers && place_vertices(m, e, mesh, carriers, &mass);
        soft.def.mass = mass;
        good = good && tn_mjcf_flex_check(m, &soft);
        if (good && mass == 0) {
            tn_mjcf_error(
                m, e,
                "this flex has no free vertex, so no part of it is soft; a free vertex is a body "
                "with three slide joints along its axes and an inertial, and nothing else");
            good = false;
        }
        if (good && tn_mjcf_soft_begin(m, &soft, &world))
            for (size_t i = 0; i < count; i++)
                if (carriers[i]->body) tn_mjcf_soft_hold(m, &soft, e, (int)i, carriers[i]->body);
    }
    tn_mjcf_soft_finish(m, &soft, before);
}

void tn_mjcf_read_flexes(TnMjcf *m) { tn_mjcf_each_child(m, "deformable", read_flex); }
