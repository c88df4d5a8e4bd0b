/* mjcf_sheet.c: the mesh of a <soft> of <tenon> that is a sheet: triangles of an OBJ or STL file.
 */
#include "../../io_file.h"
#include "../../mesh/mesh_file.h"
#include "mjcf_soft.h"

#include "../../../base/base.h"
#include "../../../base/platform/text.h"

#include <string.h>

static bool read_triangles(TnMjcf *m, const TnXmlElement *e, TnMeshFile *mesh)
{
    const TnXmlAttr *attr = tn_xml_attr(e, "file");
    const char *wanted = tn_mjcf_asset_path(m, attr->value);
    const char *path = wanted ? tn_mjcf_resolve(m, e, wanted) : NULL;
    const char *dot = path ? strrchr(path, '.') : NULL;
    TnIoFile file;
    if (!path ||
        !tn_io_read_file(m->load, path, tn_xml_attr_place(e, attr), e->name, &file, &m->err))
        return false;
    bool good = false;
    if (dot && tn_text_same(dot, ".obj"))
        good = tn_mesh_read_obj(file.text, file.size, mesh);
    else if (dot && tn_text_same(dot, ".stl"))
        good = tn_mesh_read_stl(file.text, file.size, mesh);
    else
        tn_mesh_fault(mesh, "a sheet is read from an .obj or .stl file");
    tn_free(file.text);
    if (!good && mesh->fault[0])
        tn_mjcf_error_attr(m, e, "file", "'%.300s': %s", path, mesh->fault);
    else if (!good)
        m->pool.failed = true;
    return good;
}

/* Each triangle a b c becomes the element a b c c. */
static bool take_triangles(TnMeshFile *mesh, TnTetMesh *out)
{
    size_t count = (size_t)mesh->triangle_count;
    out->tets = tn_malloc((4 * count + 1) * sizeof *out->tets);
    if (!out->tets) return false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 4; k++)
            out->tets[4 * i + k] = mesh->triangles[3 * i + (k < 3 ? k : 2)];
    out->tet_count = mesh->triangle_count;
    out->node_count = mesh->vertex_count;
    out->nodes = mesh->vertices;
    mesh->vertices = NULL;
    return true;
}

bool tn_mjcf_make_sheet(TnMjcf *m, const TnXmlElement *e, TnTetMesh *out)
{
    TnMeshFile mesh = {0};
    TnError *found = TN_IO_NEW(&m->pool, TnError); /* too big for small stacks */
    if (!tn_xml_attr(e, "file")) {
        tn_mjcf_error_attr(m, e, "thickness",
                           "a soft body with a thickness is a sheet, from a file");
        return false;
    }
    bool good = found && read_triangles(m, e, &mesh);
    if (good && !take_triangles(&mesh, out)) good = false, m->pool.failed = true;
    if (good) good = tn_mjcf_scale_tets(m, e, out);
    if (good && !tn_sheet_mesh_check(out, NULL, found)) {
        tn_mjcf_mesh_errors(m, e, "file", found);
        good = false;
    }
    if (!good) tn_tet_mesh_free(out);
    tn_mesh_file_free(&mesh);
    return good;
}
