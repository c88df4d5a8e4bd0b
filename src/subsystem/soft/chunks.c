/* chunks.c: cuts the batches, patches and nodes of all pieces into chunks that threads may work on
 * at the same time, and gives chunks that share a node different colours. */
#include "elements.h"

enum { LANES = TN_FEM_LANES, COLOURS = 31 };

typedef enum Kind { BATCHES, PATCHES, NODES } Kind;

static int count_of(const TnPieceElements *p, Kind kind)
{
    return kind == BATCHES   ? p->mesh->batch_count
           : kind == PATCHES ? p->mesh->patch_count
                             : p->piece->node_count;
}

/* The nodes that are written to; each node is a matter of its own. Returns their number. */
static int nodes_of(const TnFemMesh *mesh, Kind kind, int k, const int **nodes)
{
    *nodes = kind == BATCHES   ? mesh->batches[k].node[0]
             : kind == PATCHES ? mesh->patch_node + mesh->patch_start[k]
                               : NULL;
    return kind == BATCHES   ? 4 * LANES
           : kind == PATCHES ? mesh->patch_start[k + 1] - mesh->patch_start[k]
                             : 0;
}

/* Each the first colour that no chunk with one of its nodes has; a chunk without one gets a colour
 * alone. mark: the colours of each node's chunks. */
static int choose_colour(const TnFemMesh *mesh, Kind kind, const TnSoftChunk *chunk, int *mark,
                         int *alone)
{
    const int *nodes;
    int used = 0, colour = 0;
    for (int k = chunk->first; k < chunk->last; k++)
        for (int i = nodes_of(mesh, kind, k, &nodes) - 1; i >= 0; i--) used |= mark[nodes[i]];
    while (colour < COLOURS && used >> colour & 1) colour++;
    if (colour == COLOURS) return (*alone)++;
    for (int k = chunk->first; k < chunk->last; k++)
        for (int i = nodes_of(mesh, kind, k, &nodes) - 1; i >= 0; i--)
            mark[nodes[i]] |= 1 << colour;
    return colour;
}

static int compare_colour(const void *a, const void *b)
{
    const TnSoftChunk *x = a, *y = b;
    if (x->colour != y->colour) return x->colour < y->colour ? -1 : 1;
    if (x->piece != y->piece) return x->piece < y->piece ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static bool make_chunks(const TnSoftElements *all, Kind kind, int size, TnSoftChunks *out)
{
    int count = 0, alone = COLOURS;
    for (int i = 0; i < all->piece_count; i++)
        count += (count_of(&all->pieces[i], kind) + size - 1) / size;
    out->list = tn_calloc((size_t)count + 1, sizeof *out->list);
    if (!out->list) return false;
    for (int i = 0; i < all->piece_count; i++) {
        const TnFemMesh *mesh = all->pieces[i].mesh;
        int *mark = tn_calloc((size_t)mesh->node_count, sizeof(int));
        int things = count_of(&all->pieces[i], kind);
        if (!mark) return false;
        for (int first = 0; first < things; first += size) {
            TnSoftChunk *chunk = &out->list[out->count++];
            *chunk = (TnSoftChunk){i, first, first + size < things ? first + size : things, 0};
            chunk->colour = choose_colour(mesh, kind, chunk, mark, &alone);
        }
        tn_free(mark);
    }
    qsort(out->list, (size_t)out->count, sizeof *out->list, compare_colour);
    return true;
}

bool tn_soft_make_chunks(TnSoftElements *all)
{
    return make_chunks(all, BATCHES, TN_SOFT_CHUNK, &all->batches) &&
           make_chunks(all, PATCHES, TN_SOFT_PATCHES, &all->patches) &&
           make_chunks(all, NODES, TN_SOFT_NODES, &all->nodes);
}
