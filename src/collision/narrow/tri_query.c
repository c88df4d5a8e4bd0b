/* tri_query.c: which triangles of a mesh meet a box, by its tree. */
#include "tri_mesh.h"

void tn_tri_mesh_query(const TnTriMesh *mesh, const double low[3], const double high[3],
                       TnTriVisit *visit, void *context)
{
    int32_t stack[64];
    int depth = 0;
    if (mesh->node_count) stack[depth++] = 0;
    while (depth) {
        int32_t index = stack[--depth];
        const TnTriNode *node = &mesh->nodes[index];
        bool meets = true;
        for (int k = 0; k < 3; k++)
            meets &= (double)node->low[k] <= high[k] && (double)node->high[k] >= low[k];
        if (!meets) continue;
        for (int i = 0; i < node->count; i++) visit(context, node->first + i);
        if (node->count) continue;
        stack[depth++] = node->first;
        stack[depth++] = index + 1;
    }
}
