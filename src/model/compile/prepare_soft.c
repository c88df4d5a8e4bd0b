/* prepare_soft.c: meshes of soft bodies before the layout, which needs how large their
 * surfaces are: checked, and divided into patches of mean dilatation. */
#include "../builder.h"

#include "../division/soft_patches.h"
#include "../mesh/sheet_mesh.h"

#include <string.h>

/* One problem per line of the mesh's own check. False: no memory. */
static bool check_mesh(TnCompile *c, int index, bool *good)
{
    const TnSoftDef *def = &c->builder->softs[index].def;
    TnTetMesh mesh = def->mesh; /* the builder's copy may be turned the right way round */
    TnError err = {0};
    *good = def->thickness > 0.0 ? tn_sheet_mesh_check(&mesh, "mesh", &err)
                                 : tn_tet_mesh_check(&mesh, "mesh", &err);
    if (*good) return true;
    if (err.code == TN_ERROR_MEMORY) return false;
    for (char *line = err.message; line;) {
        char *end = strchr(line, '\n');
        if (end) *end++ = '\0';
        tn_problem(c, TN_ELEMENT("soft body", def, index), "%s", line);
        line = end;
    }
    return true;
}

/* How many nodes of the surface there are. False: no memory. */
static bool count_surface_nodes(const TnTetMesh *mesh, TnSoftScratch *soft)
{
    bool *seen = tn_calloc((size_t)mesh->node_count, sizeof *seen);
    if (!seen) return false;
    for (int i = 0; i < 3 * soft->surface.triangle_count; i++) {
        bool *on = &seen[soft->surface.triangles[i]];
        soft->surface_node_count += !*on;
        *on = true;
    }
    tn_free(seen);
    return true;
}

/* The elements themselves are the surface. False: no memory. */
static bool sheet_surface(const TnTetMesh *mesh, TnSoftScratch *soft)
{
    size_t count = (size_t)mesh->tet_count;
    TnTetSurface *out = &soft->surface;
    out->triangles = tn_malloc(3 * count * sizeof *out->triangles);
    out->tets = tn_malloc(count * sizeof *out->tets);
    soft->across = tn_malloc(3 * count * sizeof *soft->across);
    if (!out->triangles || !out->tets || !soft->across) return false;
    for (size_t e = 0; e < count; e++) {
        memcpy(out->triangles + 3 * e, mesh->tets + 4 * e, 3 * sizeof *out->triangles);
        out->tets[e] = (int32_t)e;
    }
    out->triangle_count = mesh->tet_count;
    return tn_sheet_across(mesh, soft->across);
}

static bool prepare(TnCompile *c, int index)
{
    const TnSoftDef *def = &c->builder->softs[index].def;
    const TnTetMesh *mesh = &def->mesh;
    TnSoftScratch *soft = &c->softs[index];
    if (!check_mesh(c, index, &soft->good)) return false;
    if (!soft->good) return true;
    soft->holder = tn_calloc((size_t)mesh->node_count, sizeof *soft->holder);
    bool sheet = def->thickness > 0.0;
    if (!soft->holder ||
        !(sheet ? sheet_surface(mesh, soft) : tn_tet_mesh_surface(mesh, &soft->surface, NULL)) ||
        !count_surface_nodes(mesh, soft))
        return false;
    if (sheet) return true;
    /* the other law keeps volumes on its own (subsystem/soft/fem) */
    if (!def->mean_dilatation || def->law != TN_SOFT_COROTATIONAL) return true;
    soft->patches = tn_malloc((size_t)mesh->tet_count * sizeof *soft->patches);
    if (!soft->patches) return false;
    soft->patch_count =
        tn_soft_patches(mesh->node_count, mesh->tet_count, mesh->tets, soft->patches);
    return soft->patch_count >= 0;
}

bool tn_prepare_softs(TnCompile *c)
{
    int count = c->builder->soft_count;
    if (count == 0) return true;
    c->softs = tn_calloc((size_t)count, sizeof *c->softs);
    if (!c->softs) return false;
    for (int i = 0; i < count; i++)
        if (!prepare(c, i)) return false;
    return true;
}

void tn_release_softs(TnCompile *c)
{
    for (int i = 0; c->softs && i < c->builder->soft_count; i++) {
        tn_tet_surface_free(&c->softs[i].surface);
        tn_free(c->softs[i].across);
        tn_free(c->softs[i].patches);
        tn_free(c->softs[i].holder);
    }
    tn_free(c->softs);
    c->softs = NULL;
}
