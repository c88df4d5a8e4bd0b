/* tet_load.c: loads a tetrahedral mesh of any supported format.
 *
 * gmsh and VTK files are known by how they begin, whatever their name; TetGen's have nothing to be
 * known by but `.node` and `.ele`. */
#include "../io_file.h"
#include "tet_file.h"

#include "../../base/base.h"
#include "../../base/platform/text.h"

#include <stdlib.h>
#include <string.h>

static bool starts_with(const TnIoFile *file, const char *head)
{
    return file->size >= strlen(head) && memcmp(file->text, head, strlen(head)) == 0;
}

static const char *extension_of(const char *path)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    return dot && (!slash || dot > slash) ? dot : "";
}

static void open_text(TnTetFile *f, const char *path, const TnIoFile *file)
{
    f->path = path;
    f->text = file->text;
    f->size = file->size;
    f->at = 0;
    f->line = 1;
}

static bool unknown(const char *path, const char *extension, TnError *err)
{
    const char *why =
        tn_text_same(extension, ".msh")
            ? "it does not begin with $MeshFormat, so it is no mesh of gmsh"
        : tn_text_same(extension, ".vtk")
            ? "it does not begin with '# vtk DataFile', so it is no legacy file of VTK"
        : tn_text_same(extension, ".vtu") ? "VTK's XML files are not supported"
                                          : "its format is not known";
    tn_error_add(err, TN_ERROR_MODEL,
                 "%.500s: %s; supported tetrahedral meshes are gmsh 2.2 or 4.1 (.msh), TetGen "
                 "(.node and .ele) and legacy VTK (.vtk)",
                 path, why);
    return false;
}

static bool unknown_surface(const char *path, TnError *err)
{
    tn_error_add(err, TN_ERROR_MODEL,
                 "%.500s: triangles are read of gmsh 2.2 and 4.1 (.msh); use type=\"mesh\" for OBJ "
                 "and STL",
                 path);
    return false;
}

/* Either file of the pair may be named; `given` is its text. */
static bool read_pair(TnTetFile *f, const char *path, const char *extension, const TnIoFile *given,
                      TnTetMesh *out)
{
    bool nodes_given = tn_text_same(extension, ".node");
    size_t stem = (size_t)(extension - path);
    char *other = tn_malloc(stem + 6);
    TnIoFile more = {0};
    if (!other) return tn_tet_no_memory(f);
    memcpy(other, path, stem);
    strcpy(other + stem, nodes_given ? ".ele" : ".node");
    bool good = tn_io_read_file(f->load, other, (TnSource){0}, NULL, &more, f->err);
    if (good) {
        open_text(f, nodes_given ? path : other, nodes_given ? given : &more);
        good = tn_tet_read_tetgen_nodes(f);
    }
    if (good) {
        open_text(f, nodes_given ? other : path, nodes_given ? &more : given);
        good = tn_tet_read_tetgen_elements(f) && tn_tet_file_finish(f, out);
    }
    tn_free(more.text);
    tn_free(other);
    return good;
}

/* Of a gmsh file, what is asked for. */
static bool finish_gmsh(TnTetFile *f, int dim, TnTetMesh *out)
{
    if (dim == 3) return tn_tet_file_finish(f, out);
    if (f->triangles.count == 0) {
        tn_error_add(f->err, TN_ERROR_MODEL, "%.500s: no triangles; mesh the surface", f->path);
        return false;
    }
    TnMeshList tets = f->tets;
    f->tets = f->triangles;
    f->triangles = tets;
    return tn_tet_file_finish(f, out);
}

bool tn_tet_load(const TnLoadDef *load, const char *path, int dim, TnTetMesh *out, int *file_nodes,
                 TnError *err)
{
    *out = (TnTetMesh){0};
    TnIoFile file = {0};
    TnTetFile f = {.path = path, .load = load, .err = err};
    *file_nodes = 0;
    bool good = tn_io_read_file(load, path, (TnSource){0}, NULL, &file, err);
    if (good) {
        const char *extension = extension_of(path);
        open_text(&f, path, &file);
        if (starts_with(&file, "$MeshFormat"))
            good = tn_tet_read_gmsh(&f) && finish_gmsh(&f, dim, out);
        else if (dim == 2)
            good = unknown_surface(path, err);
        else if (starts_with(&file, "# vtk DataFile"))
            good = tn_tet_read_vtk(&f) && tn_tet_file_finish(&f, out);
        else if (tn_text_same(extension, ".node") || tn_text_same(extension, ".ele"))
            good = read_pair(&f, path, extension, &file, out);
        else
            good = unknown(path, extension, err);
    }
    good = good &&
           (dim == 2 ? tn_sheet_mesh_check(out, path, err) : tn_tet_mesh_check(out, path, err));
    *file_nodes = (int)f.nodes.count;
    tn_free(file.text);
    tn_free(f.nodes.data);
    tn_free(f.tets.data);
    tn_free(f.triangles.data);
    if (!good) tn_tet_mesh_free(out);
    return good;
}

bool tn_tet_mesh_load(const char *path, TnTetMesh *out, TnError *err)
{
    if (!path || !out) {
        tn_error_add(err, TN_ERROR_USAGE, "path and out must be given");
        return false;
    }
    int file_nodes;
    return tn_tet_load(NULL, path, 3, out, &file_nodes, err);
}
