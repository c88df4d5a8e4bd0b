/* mjcf_tets.c: tetrahedral meshes as model files name them: from a file, or box, cylinder and ball
 * of a <soft>; and their faults, told at the place in the model file. */
#include "mjcf_soft.h"

#include "../../../base/base.h"

#include <string.h>

static const char *const shapes[] = {"file", "box", "cylinder", "ball"};
#define SHAPE_COUNT 4

bool tn_mjcf_soft_has_shape(const TnXmlElement *e)
{
    for (int i = 0; i < SHAPE_COUNT; i++)
        if (tn_xml_attr(e, shapes[i])) return true;
    return false;
}

void tn_mjcf_mesh_errors(TnMjcf *m, const TnXmlElement *e, const char *attr, const TnError *found)
{
    const TnXmlAttr *at = attr ? tn_xml_attr(e, attr) : NULL;
    TnSource place = at ? tn_xml_attr_place(e, at) : tn_xml_place(e);
    for (const char *line = found->message; *line;) {
        size_t length = strcspn(line, "\n");
        tn_error_at(&m->err, found->code, place, e->name, "%.*s",
                    (int)(length < 900 ? length : 900), line);
        line += length;
        if (*line) line++;
    }
}

/* A TnError is too big for small stacks. */
static TnError *new_error(TnMjcf *m) { return TN_IO_NEW(&m->pool, TnError); }

static void put_right(const TnTetMesh *mesh)
{
    for (size_t i = 0; i < (size_t)mesh->tet_count; i++) {
        int32_t *tet = mesh->tets + 4 * i;
        TnTetMesh one = {4, 1, mesh->nodes, tet};
        if (tn_tet_mesh_volume(&one) >= 0) continue;
        int32_t last = tet[3];
        tet[3] = tet[2];
        tet[2] = last;
    }
}

bool tn_mjcf_check_tets(TnMjcf *m, const TnXmlElement *e, const char *name, TnTetMesh *mesh)
{
    TnError *found = new_error(m);
    if (!found) return false;
    put_right(mesh);
    if (tn_tet_mesh_check(mesh, name, found)) return true;
    tn_mjcf_mesh_errors(m, e, NULL, found);
    return false;
}

bool tn_mjcf_scale_tets(TnMjcf *m, const TnXmlElement *e, TnTetMesh *mesh)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    double scale[3] = {1, 1, 1};
    tn_mjcf_reals(m, &view, "scale", scale, 3);
    for (int k = 0; k < 3; k++)
        if (!(scale[k] > 0)) {
            tn_mjcf_error_attr(m, e, "scale", "scale must be above 0 in each direction");
            return false;
        }
    for (size_t i = 0; i < 3 * (size_t)mesh->node_count; i++) mesh->nodes[i] *= scale[i % 3];
    return true;
}

bool tn_mjcf_load_tets(TnMjcf *m, const TnXmlElement *e, int dim, TnTetMesh *out, int *file_nodes)
{
    const TnXmlAttr *file = tn_xml_attr(e, "file");
    TnError *found = new_error(m);
    if (!file) tn_mjcf_error(m, e, "attribute 'file' is missing");
    const char *wanted = file ? tn_mjcf_asset_path(m, file->value) : NULL;
    const char *path = wanted ? tn_mjcf_resolve(m, e, wanted) : NULL;
    if (!path || !found) return false;
    if (!tn_tet_load(m->load, path, dim, out, file_nodes, found)) {
        tn_mjcf_mesh_errors(m, e, "file", found);
        return false;
    }
    if (tn_mjcf_scale_tets(m, e, out)) return true;
    tn_tet_mesh_free(out);
    return false;
}

bool tn_mjcf_drop_unused(TnMjcf *m, TnTetMesh *mesh, unsigned char *kept)
{
    int32_t *place = tn_io_alloc(&m->pool, ((size_t)mesh->node_count + 1) * sizeof *place);
    if (!place) return false;
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; i++) place[mesh->tets[i]] = 1;
    int32_t next = 0;
    for (int i = 0; i < mesh->node_count; i++) {
        if (!place[i]) continue;
        memmove(mesh->nodes + 3 * (size_t)next, mesh->nodes + 3 * (size_t)i,
                3 * sizeof *mesh->nodes);
        if (kept) kept[next] = kept[i];
        place[i] = next++;
    }
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; i++) mesh->tets[i] = place[mesh->tets[i]];
    mesh->node_count = next;
    return true;
}

/* Counts of cells as whole numbers of this length, at least 1 each. */
static bool read_cells(TnMjcf *m, const TnXmlElement *e, int count, int cells[3])
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    double numbers[3] = {0};
    int given = tn_mjcf_reals(m, &view, "cells", numbers, 3);
    double all = 1;
    for (int i = 0; i < count; i++) {
        cells[i] = (int)numbers[i];
        all *= numbers[i] + 1;
        if (given != count || numbers[i] < 1) given = 0;
    }
    int64_t limit = tn_load_limit(m->load, TN_LIMIT_NODES, TN_MOST_NODES);
    if (given == count && all <= (double)limit) return true;
    static const char *const wanted[] = {"one number above 0: elements from the centre to the "
                                         "surface",
                                         "two numbers above 0: elements from the axis to the side, "
                                         "and layers",
                                         "three numbers above 0: cells in each direction"};
    if (given == count)
        tn_mjcf_error_attr(m, e, "cells", "cells asks for more than %lld nodes" TN_RAISE_LIMIT,
                           (long long)limit);
    else
        tn_mjcf_error_attr(m, e, "cells", "cells needs %s", wanted[count - 1]);
    return false;
}

bool tn_mjcf_make_tets(TnMjcf *m, const TnXmlElement *e, TnTetMesh *out)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    TnError *found = new_error(m);
    double size[3] = {0};
    int cells[3], ignored = 0, shape = 0;
    while (shape < SHAPE_COUNT && !tn_xml_attr(e, shapes[shape])) shape++;
    for (int i = shape + 1; i < SHAPE_COUNT; i++)
        if (tn_xml_attr(e, shapes[i])) {
            tn_mjcf_error_attr(m, e, shapes[i], "%s and %s cannot both be given", shapes[shape],
                               shapes[i]);
            return false;
        }
    if (shape != 0 && tn_xml_attr(e, "scale")) {
        tn_mjcf_error_attr(m, e, "scale", "scale is for meshes from a file; give the size instead");
        return false;
    }
    if (shape == 0 && tn_xml_attr(e, "cells")) {
        tn_mjcf_error_attr(m, e, "cells", "a mesh from a file defines its elements; remove cells");
        return false;
    }
    if (shape != 1 && tn_xml_attr(e, "tets_per_cell")) {
        tn_mjcf_error_attr(m, e, "tets_per_cell", "tets_per_cell is for boxes only; remove it");
        return false;
    }
    if (!found) return false;
    if (shape == 0) return tn_mjcf_load_tets(m, e, 3, out, &ignored);
    static const int cell_counts[SHAPE_COUNT] = {0, 3, 2, 1};
    int sizes = cell_counts[shape]; /* as many as there are sizes */
    if (tn_mjcf_reals(m, &view, shapes[shape], size, sizes) != sizes) return false;
    for (int i = 0; i < sizes; i++)
        if (!(size[i] > 0)) return false; /* told by the rule, as is the line before */
    if (!read_cells(m, e, cell_counts[shape], cells)) return false;
    int per_cell = 5 + tn_mjcf_word(&view, "tets_per_cell", "5 6", 1);
    bool good = shape == 1 ? tn_tet_mesh_box(size, cells, per_cell, out, found)
                : shape == 2
                    ? tn_tet_mesh_cylinder(size[0], size[1], cells[0], cells[1], out, found)
                    : tn_tet_mesh_ball(size[0], cells[0], out, found);
    if (!good) tn_mjcf_mesh_errors(m, e, shapes[shape], found);
    return good;
}
