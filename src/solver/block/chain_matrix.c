/* chain_matrix.c: A of a chain as a sparse matrix. */
#include <stdlib.h>

#include "chain.h"
#include "sparse_rows.h"

bool tn_chain_matrix(const TnLargeBlock *d, TnArena *arena, TnBlockMatrix *out)
{
    TnSparseRows rows;
    const TnChainBlock *c = tn_chain_block(d);
    const TnChain *chain = c->chain;
    int *first = TN_ARENA_ZERO(arena, int, chain->node_count + 2);
    TnRowLink *links = TN_ARENA_NEW(arena, TnRowLink, 2 * chain->edge_count + chain->node_count);
    size_t numbers = chain->D_size + 2 * chain->E_size;
    if (!first || !links || !tn_sparse_rows_open(arena, d->dim, numbers, &rows))
        return false;
    for (int e = 0; e < chain->edge_count; e++) {
        first[chain->edges[e].a + 2]++;
        first[chain->edges[e].b + 2]++;
    }
    for (int i = 0; i < chain->node_count; i++) first[i + 2] += first[i + 1] + 1;
    for (int i = 0; i < chain->node_count; i++)
        links[first[i + 1]++] = (TnRowLink){i, false, c->D + chain->nodes[i].D};
    for (int e = 0; e < chain->edge_count; e++) {
        const TnChainEdge *edge = &chain->edges[e];
        links[first[edge->b + 1]++] = (TnRowLink){edge->a, false, c->E + edge->E};
        links[first[edge->a + 1]++] = (TnRowLink){edge->b, true, c->E + edge->E};
    }
    for (int i = 0; i < chain->node_count; i++) {
        const TnChainNode *node = &chain->nodes[i];
        qsort(links + first[i], (size_t)(first[i + 1] - first[i]), sizeof(TnRowLink),
              tn_row_link_order);
        for (int r = 0; r < node->dim; r++) {
            int row = node->start + r;
            rows.row_start[row + 1] = rows.row_start[row];
            for (int k = first[i]; k < first[i + 1]; k++) {
                const TnChainNode *other = &chain->nodes[links[k].other];
                for (int j = 0; j < other->dim; j++) {
                    int at = links[k].transposed ? j * node->dim + r : r * other->dim + j;
                    tn_sparse_rows_put(&rows, row, other->start + j, links[k].block[at]);
                }
            }
        }
    }
    *out = tn_sparse_rows_matrix(&rows);
    return true;
}
