/* chunks.c: cuts the batches of all pieces into chunks that threads may add at the same time, and
 * gives chunks that share a node different colours. */
#include "elements.h"

enum { LANES = TN_FEM_LANES };

static bool share_node(const TnSoftElements *all, const TnSoftChunk *chunk, const int *mark,
                       int colour)
{
    const TnFemMesh *mesh = all->pieces[chunk->piece].mesh;
    for (int k = chunk->first; k < chunk->last; k++)
        for (int i = 0; i < 4 * LANES; i++)
            if ((mark[mesh->batches[k].node[i / LANES][i % LANES]] >> colour) & 1) return true;
    return false;
}

static int compare_colour(const void *a, const void *b)
{
    const TnSoftChunk *x = a, *y = b;
    if (x->colour != y->colour) return x->colour < y->colour ? -1 : 1;
    if (x->piece != y->piece) return x->piece < y->piece ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Each the first colour that no chunk with one of its nodes has; a chunk without one gets a colour
 * alone. */
bool tn_soft_make_chunks(TnSoftElements *all)
{
    int count = 0, most = 0, alone = 31;
    for (int i = 0; i < all->piece_count; i++)
        count += (all->pieces[i].mesh->batch_count + TN_SOFT_CHUNK - 1) / TN_SOFT_CHUNK;
    all->chunks = tn_calloc((size_t)count + 1, sizeof *all->chunks);
    if (!all->chunks) return false;
    for (int i = 0; i < all->piece_count; i++) {
        const TnFemMesh *mesh = all->pieces[i].mesh;
        int *mark =
            tn_calloc((size_t)mesh->node_count, sizeof(int)); /* colours of each node's chunks */
        if (!mark) return false;
        for (int first = 0; first < mesh->batch_count; first += TN_SOFT_CHUNK) {
            TnSoftChunk *chunk = &all->chunks[all->chunk_count++];
            int last = first + TN_SOFT_CHUNK, colour = 0;
            *chunk =
                (TnSoftChunk){i, first, last < mesh->batch_count ? last : mesh->batch_count, 0};
            while (colour < 31 && share_node(all, chunk, mark, colour)) colour++;
            chunk->colour = colour < 31 ? colour : alone++;
            most = chunk->colour > most ? chunk->colour : most;
            for (int k = chunk->first; k < chunk->last && colour < 31; k++)
                for (int n = 0; n < 4 * LANES; n++)
                    mark[mesh->batches[k].node[n / LANES][n % LANES]] |= 1 << colour;
        }
        tn_free(mark);
    }
    all->colour_count = most + 1;
    qsort(all->chunks, (size_t)all->chunk_count, sizeof *all->chunks, compare_colour);
    return true;
}
