/* mjcf_mesh.c: <mesh> assets: vertices from a file or from the element itself, moved, turned and
 * scaled (in this order, as in MuJoCo), into the builder.
 *
 * MuJoCo moves each mesh to its own centre and principal axes and moves its geoms back; from
 * outside, a geom's pose speaks of the mesh as it stands in the file, and here it simply stays
 * there. */
#include "../../base/base.h"
#include "../../base/platform/text.h"
#include "../io_file.h"
#include "../mesh/mesh_file.h"
#include "mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum Format { FORMAT_OBJ, FORMAT_STL, FORMAT_MSH, FORMAT_UNKNOWN } Format;

static Format format_of(const char *path, const char *content_type)
{
    static const char *const types[] = {"model/obj", "model/stl", "model/vnd.mujoco.msh"};
    static const char *const endings[] = {".obj", ".stl", ".msh"};
    const char *dot = strrchr(path, '.');
    for (int i = 0; i < 3; i++)
        if (content_type ? strcmp(content_type, types[i]) == 0
                         : dot && tn_text_same(dot, endings[i]))
            return (Format)i;
    return FORMAT_UNKNOWN;
}

/* `folder/file`, or the file's name alone where the compiler strips paths. */
static const char *path_in(TnMjcf *m, const char *folder, const char *file)
{
    const char *slash = strrchr(file, '/');
    if (m->settings.strip_path && slash) file = slash + 1;
    if (!folder || !folder[0] || file[0] == '/') return file;
    size_t length = strlen(folder), room = length + strlen(file) + 2;
    char *path = tn_io_alloc(&m->pool, room);
    if (path) snprintf(path, room, "%s%s%s", folder, folder[length - 1] == '/' ? "" : "/", file);
    return path;
}

const char *tn_mjcf_asset_path(TnMjcf *m, const char *file)
{
    return path_in(m, m->settings.mesh_folder, file);
}

const char *tn_mjcf_texture_path(TnMjcf *m, const char *file)
{
    return path_in(m, m->settings.texture_folder, file);
}

bool tn_mjcf_read_mesh_file(TnMjcf *m, const TnXmlElement *e, const TnMjcfView *view,
                            TnMeshFile *out, const char **path)
{
    const TnXmlAttr *attr = tn_xml_attr(e, "file");
    const char *wanted = tn_mjcf_asset_path(m, attr->value);
    *path = wanted ? tn_mjcf_resolve(m, e, wanted) : NULL;
    if (!*path) return false;
    TnIoFile file;
    TnSource place = tn_xml_attr_place(e, attr);
    if (!tn_io_read_file(m->load, *path, place, e->name, &file, &m->err)) return false;
    bool good = false;
    switch (format_of(*path, tn_mjcf_text(view, "content_type"))) {
    case FORMAT_OBJ:
        good = tn_mesh_read_obj(file.text, file.size, out);
        break;
    case FORMAT_STL:
        good = tn_mesh_read_stl(file.text, file.size, out);
        break;
    case FORMAT_MSH:
        good = tn_mesh_read_msh(file.text, file.size, out);
        break;
    case FORMAT_UNKNOWN:
        tn_mesh_fault(out, "meshes are read from .obj, .stl and .msh files");
        break;
    }
    tn_free(file.text);
    if (good && out->left_out) tn_mjcf_remark(m, TN_REMARK_OBJ, place, e->name);
    if (good) return true;
    if (out->fault[0])
        tn_mjcf_error_attr(m, e, "file", "'%.300s': %s", *path, out->fault);
    else
        m->pool.failed = true;
    return false;
}

/* Two numbers for each vertex. */
static bool read_texcoords(TnMjcf *m, const TnXmlElement *e, TnMeshFile *out)
{
    int count = 0;
    const double *values = tn_mjcf_real_list(m, e, "texcoord", &count);
    if (count == 0 || out->triangle_count == 0) return true;
    if (count != 2 * out->vertex_count) {
        tn_mjcf_error_attr(m, e, "texcoord",
                           "texcoord needs two numbers for each of the %d vertices, not %d in all",
                           out->vertex_count, count);
        return false;
    }
    float *places = tn_io_alloc(&m->pool, (size_t)count * sizeof *places);
    for (int i = 0; places && i < count; i++) places[i] = (float)values[i];
    bool good = places && tn_mesh_spread_texcoords(out, places);
    if (!good) m->pool.failed = true;
    return good;
}

static bool read_inline(TnMjcf *m, const TnXmlElement *e, TnMeshFile *out)
{
    int numbers = 0, indices = 0;
    const double *vertices = tn_mjcf_real_list(m, e, "vertex", &numbers);
    const double *faces = tn_mjcf_real_list(m, e, "face", &indices);
    if (numbers < 12 || numbers % 3 != 0 || indices % 3 != 0) {
        bool of_faces = numbers >= 12 && numbers % 3 == 0;
        tn_mjcf_error_attr(m, e, of_faces ? "face" : "vertex",
                           of_faces ? "face needs three whole numbers per triangle, not %d in all"
                                    : "vertex needs three numbers each for four or more vertices, "
                                      "not %d in all",
                           of_faces ? indices : numbers);
        return false;
    }
    out->vertices = tn_malloc((size_t)numbers * sizeof *out->vertices);
    out->triangles = tn_malloc(((size_t)indices + 1) * sizeof *out->triangles);
    if (!out->vertices || !out->triangles) {
        m->pool.failed = true;
        return false;
    }
    memcpy(out->vertices, vertices, (size_t)numbers * sizeof *vertices);
    for (int i = 0; i < indices; i++) out->triangles[i] = (int32_t)faces[i];
    out->vertex_count = numbers / 3;
    out->triangle_count = indices / 3;
    return read_texcoords(m, e, out);
}

static bool make_builtin(TnMjcf *m, const TnXmlElement *e, const char *kind, TnMeshFile *out)
{
    int count = 0;
    const double *params = tn_mjcf_real_list(m, e, "params", &count);
    if (tn_mesh_builtin(kind, params, count, out)) return true;
    if (out->fault[0])
        tn_mjcf_error_attr(m, e, "params", "%s", out->fault);
    else
        m->pool.failed = true;
    return false;
}

static void place_vertices(TnMjcf *m, const TnMjcfView *view, TnMeshFile *mesh)
{
    double refpos[3] = {0, 0, 0}, refquat[4] = {1, 0, 0, 0}, scale[3] = {1, 1, 1};
    tn_mjcf_reals(m, view, "refpos", refpos, 3);
    tn_mjcf_reals(m, view, "refquat", refquat, 4);
    tn_mjcf_reals(m, view, "scale", scale, 3);
    bool turned = refquat[1] != 0 || refquat[2] != 0 || refquat[3] != 0;
    if (!tn_mjcf_normalize_quat(refquat))
        tn_mjcf_error_attr(m, view->element, "refquat",
                           "refquat: a quaternion of length zero gives no orientation");
    for (int i = 1; i < 4; i++) refquat[i] = -refquat[i];
    for (size_t i = 0; i < (size_t)mesh->vertex_count; i++) {
        double *v = mesh->vertices + 3 * i, moved[3];
        for (int k = 0; k < 3; k++) moved[k] = v[k] - refpos[k];
        if (turned)
            tn_mjcf_rotate(refquat, moved, v);
        else
            memcpy(v, moved, sizeof moved);
        for (int k = 0; k < 3; k++) v[k] *= scale[k];
    }
    if (scale[0] * scale[1] * scale[2] >= 0) return;
    for (size_t i = 0; i < (size_t)mesh->triangle_count; i++) { /* a mirror turns them inside out */
        int32_t *t = mesh->triangles + 3 * i, first = t[0];
        t[0] = t[1];
        t[1] = first;
        for (int k = 0; mesh->texcoords && k < 2; k++) {
            float *uv = mesh->texcoords + 6 * i + k, other = uv[0];
            uv[0] = uv[2];
            uv[2] = other;
        }
    }
}

static TnMeshInertia read_inertia(const TnMjcf *m, const TnMjcfView *view)
{
    static const TnMeshInertia modes[] = {TN_MESH_CONVEX, TN_MESH_EXACT, TN_MESH_LEGACY,
                                          TN_MESH_SHELL};
    int otherwise = m->settings.exact_mesh_inertia ? 1 : 2;
    return modes[tn_mjcf_word(view, "inertia", "convex exact legacy shell", otherwise)];
}

static bool is_sdf(const TnXmlElement *e)
{
    const TnXmlAttr *type = tn_xml_attr(e, "type");
    return strcmp(e->name, "geom") == 0 && type && strcmp(type->value, "sdf") == 0;
}

static bool has_sdf(const TnXmlElement *class_)
{
    for (const TnXmlElement *c = class_->first; c; c = c->next)
        if (is_sdf(c) || (strcmp(c->name, "default") == 0 && has_sdf(c))) return true;
    return false;
}

/* `by_class`: some default class makes geoms of that type. */
static void note_sdfs(TnMjcf *m, const TnXmlElement *e, bool by_class)
{
    for (const TnXmlElement *c = e->first; c; c = c->next) {
        const TnXmlAttr *mesh = tn_xml_attr(c, "mesh");
        bool is_geom = strcmp(c->name, "geom") == 0;
        if (mesh && is_geom && (is_sdf(c) || (by_class && !tn_xml_attr(c, "type"))) &&
            !tn_mjcf_name_find(m, TN_NAMED_SDF, mesh->value))
            tn_mjcf_name_add(m, TN_NAMED_SDF, c, mesh->value, 0, NULL);
        note_sdfs(m, c, by_class);
    }
}

void tn_mjcf_find_sdfs(TnMjcf *m)
{
    bool by_class = false;
    for (const TnXmlElement *s = m->root->first; s; s = s->next)
        by_class |= strcmp(s->name, "default") == 0 && has_sdf(s);
    for (const TnXmlElement *s = m->root->first; s; s = s->next)
        if (strcmp(s->name, "worldbody") == 0) note_sdfs(m, s, by_class);
}

/* What <mesh> of the <tenon> element says; MJCF itself has hulls, and signed distances to meshes,
 * whose hollows are open. */
static TnMeshCollision read_collision(const TnMjcf *m, const char *name)
{
    const TnMjcfName *more = tn_mjcf_name_find(m, TN_NAMED_COLLISION, name);
    if (!more)
        return tn_mjcf_name_find(m, TN_NAMED_SDF, name) ? TN_MESH_COLLIDE_PIECES
                                                        : TN_MESH_COLLIDE_HULL;
    TnMjcfView view = tn_mjcf_plain_view(more->element);
    return (TnMeshCollision)tn_mjcf_word(&view, "collision", "hull triangles decompose", 0);
}

TnMeshId tn_mjcf_mesh(TnMjcf *m, const TnXmlElement *e, const char *name)
{
    TnMjcfView view = tn_mjcf_view(m, e, m->main_class, "mesh");
    bool has_file = tn_xml_attr(e, "file") != NULL, has_vertex = tn_xml_attr(e, "vertex") != NULL;
    const char *builtin = tn_mjcf_text(&view, "builtin");
    if (builtin && strcmp(builtin, "none") == 0) builtin = NULL;
    if (!name) {
        tn_mjcf_error(m, e, "attribute 'name' is missing");
        return 0;
    }
    bool own = has_vertex || tn_xml_attr(e, "face");
    if (has_file + own + (builtin != NULL) != 1 || (own && !has_vertex)) {
        tn_mjcf_error(m, e,
                      has_file || builtin
                          ? "only one of file, vertex with face, and builtin can be given"
                          : "attribute 'file', 'vertex' or 'builtin' is missing");
        return 0;
    }
    int before = m->err.count;
    TnMeshFile mesh = {0};
    TnMeshDef def = tn_mesh_def();
    TnMeshId id = 0;
    bool good = builtin    ? make_builtin(m, e, builtin, &mesh)
                : has_file ? tn_mjcf_read_mesh_file(m, e, &view, &mesh, &def.file)
                           : read_inline(m, e, &mesh);
    if (good) place_vertices(m, &view, &mesh);
    if (good && m->err.count == before) {
        def.name = name;
        def.vertices = mesh.vertices;
        def.vertex_count = mesh.vertex_count;
        def.triangles = mesh.triangles;
        def.triangle_count = mesh.triangle_count;
        def.texcoords = mesh.texcoords;
        def.inertia = read_inertia(m, &view);
        def.collision = read_collision(m, name);
        if (builtin && strcmp(builtin, "plate") == 0) def.inertia = TN_MESH_SHELL; /* it is flat */
        def.source = tn_xml_place(e);
        id = tn_builder_add_mesh(m->builder, &def);
    }
    tn_mesh_file_free(&mesh);
    return id;
}
