/* patch.c: volume changes averaged over patches, against locking.
 *
 * Linear tetrahedra have 5 to 6 elements, each with one volume, for the 3 unknowns of a node; near
 * ν = ½ all volumes are held and nothing can bend. So elements form patches of about six, and only
 * the mean dilatation of a patch counts in the volumetric part of the energy:
 *     ψ_λ = ½ λ V_P θ_P²,   θ_P = Σ_e V_e θ_e / V_P,   V_P = Σ_e V_e
 * while μ |ε|² stays with the elements and leaves no motion without energy. The force is that of
 * corotational.c with θ_P for θ_e; the stiffness of a patch has rank one,
 *     K_P = λ / V_P q qᵀ,   q_a = Σ_e V_e R_e g_a
 * and couples all nodes of the patch, also those that share no element. (Averaging over overlapping
 * patches around nodes would couple two rings of elements.) The idea is that of the F-bar patches
 * of E. A. de Souza Neto et al., Int. J. Numer. Meth. Engng 62 (2005), here in the energy, so K is
 * symmetric. */
#include "patch.h"

#include "../../../model/division/soft_patches.h"
#include "element.h"

#include <string.h>

enum { LANES = TN_FEM_LANES };

static int compare_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int unique(int *list, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!kept || list[kept - 1] != list[i]) list[kept++] = list[i];
    return kept;
}

/* Lists of nodes per patch, each node once. */
static void list_nodes(TnFemMesh *mesh, const int *patch)
{
    int *start = mesh->patch_start;
    for (int e = 0; e < mesh->tet_count; e++) start[patch[e] + 1] += 4;
    for (int p = 0; p < mesh->patch_count; p++) start[p + 1] += start[p];
    for (int e = 0; e < mesh->tet_count; e++) { /* start[p] runs to the end of p here */
        TnFemBatch *batch = &mesh->batches[e / LANES];
        batch->patch[e % LANES] = patch[e];
        mesh->patch_volume[patch[e]] += batch->volume[e % LANES];
        for (int a = 0; a < 4; a++) mesh->patch_node[start[patch[e]]++] = batch->node[a][e % LANES];
    }
    int from = 0, to = 0;
    for (int p = 0; p < mesh->patch_count; p++) {
        int end = start[p];
        qsort(mesh->patch_node + from, (size_t)(end - from), sizeof(int), compare_int);
        int kept = unique(mesh->patch_node + from, end - from);
        memmove(mesh->patch_node + to, mesh->patch_node + from, (size_t)kept * sizeof(int));
        start[p] = to;
        to += kept;
        from = end;
    }
    start[mesh->patch_count] = to;
    for (int e = 0; e < mesh->tet_count; e++) {
        TnFemBatch *batch = &mesh->batches[e / LANES];
        for (int a = 0; a < 4; a++) {
            int slot = 0;
            while (mesh->patch_node[start[patch[e]] + slot] != batch->node[a][e % LANES]) slot++;
            batch->slot[a][e % LANES] = slot;
        }
    }
}

/* Number of patches; -1 and an error if a patch is out of range or empty. */
static int check_given(int tet_count, const int *given, int *seen, TnError *err)
{
    int count = 0, found = 0;
    for (int e = 0; e < tet_count; e++) {
        if (given[e] < 0 || given[e] >= tet_count) {
            tn_error_add(err, TN_ERROR_MODEL, "soft body: element %d has no such patch", e);
            return -1;
        }
        found += !seen[given[e]];
        seen[given[e]] = 1;
        count = given[e] >= count ? given[e] + 1 : count;
    }
    if (found == count) return count;
    tn_error_add(err, TN_ERROR_MODEL, "soft body: a patch has no elements");
    return -1;
}

bool tn_fem_patches_create(TnFemMesh *mesh, const TnFemMeshDef *def, TnError *err)
{
    const int *given = def->patches;
    size_t tets = (size_t)mesh->tet_count;
    int *patch = tn_malloc(tets * sizeof(int)), *seen = tn_calloc(tets, sizeof(int));
    int count = -1;
    bool memory = patch && seen;
    if (memory && given) {
        memcpy(patch, given, tets * sizeof(int));
        count = check_given(mesh->tet_count, given, seen, err);
    } else if (memory) {
        count = tn_soft_patches(def->node_count, def->tet_count, def->tets, patch);
        memory = count >= 0;
    }
    if (count >= 0) {
        mesh->patch_count = count;
        mesh->patch_start = tn_calloc((size_t)count + 1, sizeof(int));
        mesh->patch_node = tn_malloc(4 * tets * sizeof(int));
        mesh->patch_volume = tn_calloc((size_t)count, sizeof(double));
        memory = mesh->patch_start && mesh->patch_node && mesh->patch_volume;
        if (memory) list_nodes(mesh, patch);
    }
    if (!memory) tn_error_add(err, TN_ERROR_MEMORY, "soft body: no memory");
    tn_free(patch);
    tn_free(seen);
    return memory && count >= 0;
}

int tn_fem_scratch_count(const TnFemMesh *mesh)
{
    return mesh->patch_count ? 3 * mesh->patch_start[mesh->patch_count] : 0;
}

void tn_fem_place_patches(const TnFemMesh *mesh, TnFemPlace *places, double *patches)
{
    for (int p = 0; p < mesh->patch_count; p++) patches[p] = 0.0;
    for (int k = 0; k < mesh->batch_count && mesh->patch_count; k++) {
        const TnFemBatch *batch = &mesh->batches[k];
        for (int l = 0; l < batch->count; l++)
            patches[batch->patch[l]] += batch->volume[l] * places[k].dilatation[l];
    }
    for (int k = 0; k < mesh->batch_count && mesh->patch_count; k++) {
        const TnFemBatch *batch = &mesh->batches[k];
        for (int l = 0; l < batch->count; l++)
            places[k].dilatation[l] =
                patches[batch->patch[l]] / mesh->patch_volume[batch->patch[l]];
    }
}
