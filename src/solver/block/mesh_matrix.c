/* mesh_matrix.c: A of a mesh as a sparse matrix. */
#include <stdlib.h>

#include "../../math/sparse_pattern.h"
#include "mesh.h"
#include "sparse_rows.h"

bool tn_mesh_matrix(const TnLargeBlock *d, TnArena *arena, TnBlockMatrix *out)
{
    TnSparseRows rows;
    const TnMeshBlock *mesh = tn_mesh_block(d);
    const TnSparsePattern *pattern = mesh->pattern;
    const TnGraph *graph = &pattern->graph;
    size_t blocks = (size_t)mesh->node_count + 2 * (size_t)pattern->edge_count;
    TnRowLink *links = TN_ARENA_NEW(arena, TnRowLink, blocks);
    if (!links || !tn_sparse_rows_open(arena, d->dim, 9 * blocks, &rows)) return false;
    for (int i = 0; i < mesh->node_count; i++) {
        int count = 0;
        links[count++] = (TnRowLink){i, false, mesh->blocks[i]};
        for (int k = graph->first[i]; k < graph->first[i + 1]; k++) {
            int link = pattern->link[k];
            links[count++] =
                (TnRowLink){graph->neighbour[k], link & 1, mesh->blocks[mesh->node_count + (link >> 1)]};
        }
        qsort(links, (size_t)count, sizeof(TnRowLink), tn_row_link_order);
        for (int r = 0; r < 3; r++) {
            int row = 3 * i + r;
            rows.row_start[row + 1] = rows.row_start[row];
            for (int k = 0; k < count; k++)
                for (int c = 0; c < 3; c++) {
                    /* of a node's own block the lower triangle counts */
                    bool own = links[k].other == i && c > r;
                    double x = links[k].block[links[k].transposed || own ? 3 * c + r : 3 * r + c];
                    tn_sparse_rows_put(&rows, row, 3 * links[k].other + c, x);
                }
        }
    }
    *out = tn_sparse_rows_matrix(&rows);
    return true;
}
