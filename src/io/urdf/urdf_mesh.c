/* urdf_mesh.c: mesh files of a URDF, each read once per scale.
 *
 * A visual whose mesh is missing or cannot be read is left out with a remark: the robot moves
 * without it. */
#include "../io_file.h"
#include "../io_reach.h"
#include "../mesh/mesh_dae.h"
#include "../mesh/mesh_file.h"
#include "urdf.h"

#include "../../base/base.h"
#include "../../base/platform/text.h"

#include <stdio.h>
#include <string.h>

static bool read_file(TnUrdf *u, const char *path, TnMeshFile *mesh, TnUrdfMesh *entry)
{
    TnIoFile file;
    TnError err = {0};
    if (!tn_io_read_file(u->load, path, (TnSource){path, 0, 0}, "mesh", &file, &err))
        return err.code == TN_ERROR_MEMORY ? false : tn_mesh_fault(mesh, "it cannot be read");
    const char *dot = strrchr(path, '.');
    bool good = false;
    if (dot && tn_text_same(dot, ".stl"))
        good = tn_mesh_read_stl(file.text, file.size, mesh);
    else if (dot && tn_text_same(dot, ".obj"))
        good = tn_mesh_read_obj(file.text, file.size, mesh);
    else if (dot && tn_text_same(dot, ".msh"))
        good = tn_mesh_read_msh(file.text, file.size, mesh);
    else if (dot && tn_text_same(dot, ".dae"))
        good = tn_mesh_read_dae(file.text, file.size, mesh, entry->rgba, &entry->has_color);
    else
        tn_mesh_fault(mesh, "meshes are read from .stl, .obj, .dae and .msh files");
    tn_free(file.text);
    return good;
}

static void scale_vertices(const double scale[3], TnMeshFile *mesh)
{
    for (size_t i = 0; i < (size_t)mesh->vertex_count; i++)
        for (size_t k = 0; k < 3; k++) mesh->vertices[3 * i + k] *= scale[k];
    if (scale[0] * scale[1] * scale[2] >= 0) return;
    for (size_t i = 0; i < (size_t)mesh->triangle_count; i++) { /* a mirror turns them inside out */
        int32_t *t = mesh->triangles + 3 * i, first = t[0];
        t[0] = t[1];
        t[1] = first;
    }
}

/* Named after its file, with a number where two files or scales share the name. */
static const char *mesh_name(TnUrdf *u, const char *path)
{
    const char *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path;
    const char *dot = strrchr(start, '.');
    int length = dot ? (int)(dot - start) : (int)strlen(start);
    char name[256];
    snprintf(name, sizeof name, "%.*s", length < 200 ? length : 200, start);
    for (int i = 2; tn_mjcf_name_find(u->m, TN_NAMED_MESH, name); i++)
        snprintf(name, sizeof name, "%.*s_%d", length < 200 ? length : 200, start, i);
    return tn_io_copy(&u->m->pool, name, strlen(name));
}

static TnMeshId add_mesh(TnUrdf *u, const TnXmlElement *e, const TnMeshFile *mesh, const char *path)
{
    TnMeshDef def = tn_mesh_def();
    def.name = mesh_name(u, path);
    def.vertices = mesh->vertices;
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    def.inertia = TN_MESH_LEGACY; /* MuJoCo's default, as for MJCF */
    def.file = path;
    def.source = tn_xml_place(e);
    TnMeshId id = tn_builder_add_mesh(u->m->builder, &def);
    if (def.name) tn_mjcf_name_add(u->m, TN_NAMED_MESH, e, def.name, id, NULL);
    return id;
}

static void complain(TnUrdf *u, const TnXmlElement *e, bool visual, const char *filename,
                     const char *fault)
{
    const TnXmlAttr *attr = tn_xml_attr(e, "filename");
    size_t length = strlen(filename), most = 58; /* a remark shows so much of it */
    if (visual)
        tn_mjcf_remark_named(u->m, TN_REMARK_URDF_VISUAL,
                             attr ? tn_xml_attr_place(e, attr) : tn_xml_place(e),
                             filename + (length > most ? length - most : 0));
    else if (fault)
        tn_mjcf_error_attr(u->m, e, "filename", "'%.300s': %s", filename, fault);
    else if (strncmp(filename, "package://", 10) == 0)
        tn_mjcf_error_attr(u->m, e, "filename",
                           "'%.200s' is not found; give the folder that holds the package '%.*s' "
                           "with --package-path FOLDER or ROS_PACKAGE_PATH",
                           filename, (int)strcspn(filename + 10, "/"), filename + 10);
    else
        tn_mjcf_error_attr(u->m, e, "filename", "'%.300s' is not found", filename);
}

static bool fill(TnUrdf *u, const TnXmlElement *e, bool visual, TnUrdfMesh *entry)
{
    TnMeshFile mesh = {0};
    bool good = read_file(u, entry->path, &mesh, entry);
    if (good && visual && mesh.vertex_count < 4)
        good = tn_mesh_fault(&mesh, "it has fewer than four vertices");
    if (good) {
        scale_vertices(entry->scale, &mesh);
        entry->id = add_mesh(u, e, &mesh, entry->path);
    } else if (mesh.fault[0]) {
        complain(u, e, visual, entry->path, mesh.fault);
    } else {
        u->m->pool.failed = true;
    }
    tn_mesh_file_free(&mesh);
    return entry->id != 0;
}

const TnUrdfMesh *tn_urdf_mesh_file(TnUrdf *u, const TnXmlElement *e, const char *filename,
                                    const double scale[3], bool visual)
{
    bool outside;
    const char *path = tn_urdf_resolve(u, filename, &outside);
    if (!path) {
        complain(u, e, visual, filename,
                 outside ? "is not in the model's folder" TN_RAISE_REACH : NULL);
        return NULL;
    }
    for (const TnUrdfMesh *mesh = u->meshes; mesh; mesh = mesh->next)
        if (strcmp(mesh->path, path) == 0 && memcmp(mesh->scale, scale, sizeof mesh->scale) == 0)
            return mesh;
    TnUrdfMesh *entry = TN_IO_NEW(&u->m->pool, TnUrdfMesh);
    if (!entry) return NULL;
    entry->path = path;
    memcpy(entry->scale, scale, sizeof entry->scale);
    if (!fill(u, e, visual, entry)) return NULL;
    entry->next = u->meshes;
    u->meshes = entry;
    return entry;
}

const TnUrdfMesh *tn_urdf_mesh(TnUrdf *u, const TnXmlElement *e, bool visual)
{
    tn_urdf_expect(u, e, "filename scale", "");
    const char *filename = tn_urdf_text(e, "filename");
    double scale[3] = {1, 1, 1};
    if (tn_xml_attr(e, "scale") && !tn_urdf_numbers(u, e, "scale", scale, 3)) return NULL;
    if (!filename) {
        tn_mjcf_error(u->m, e, "attribute 'filename' is missing");
        return NULL;
    }
    return tn_urdf_mesh_file(u, e, filename, scale, visual);
}
