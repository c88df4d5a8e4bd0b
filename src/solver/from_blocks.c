/* from_blocks.c: blocks of a step's problem for the public solver: twist blocks diag(a I, S) and
 * dense ones as they are, chains and meshes as sparse matrices. */
#include <stdlib.h>

#include "../math/sparse_pattern.h"
#include "from_problem.h"
#include "mesh.h"

/* Rows one after the other: row_start[row + 1] is where the next number goes. */
typedef struct Sparse {
    int dim, *row_start, *column;
    double *value;
} Sparse;

static bool open_sparse(TnArena *arena, int dim, size_t numbers, Sparse *out)
{
    *out = (Sparse){dim, TN_ARENA_ZERO(arena, int, dim + 1), TN_ARENA_NEW(arena, int, numbers),
                    TN_ARENA_NEW(arena, double, numbers)};
    return out->row_start && out->column && out->value;
}

static void put(Sparse *s, int row, int column, double x)
{
    int at = s->row_start[row + 1]++;
    s->column[at] = column;
    s->value[at] = x;
}

/* Blocks of a row of nodes from left to right, given by their edges. */
typedef struct Link {
    int other;
    bool transposed;
    const double *block;
} Link;

static int by_other(const void *a, const void *b)
{
    return ((const Link *)a)->other - ((const Link *)b)->other;
}

static bool chain_matrix(TnArena *arena, const TnLargeBlock *d, Sparse *out)
{
    const TnChain *chain = d->chain;
    int *first = TN_ARENA_ZERO(arena, int, chain->node_count + 2);
    Link *links = TN_ARENA_NEW(arena, Link, 2 * chain->edge_count + chain->node_count);
    if (!first || !links || !open_sparse(arena, d->dim, chain->D_size + 2 * chain->E_size, out))
        return false;
    for (int e = 0; e < chain->edge_count; e++) {
        first[chain->edges[e].a + 2]++;
        first[chain->edges[e].b + 2]++;
    }
    for (int i = 0; i < chain->node_count; i++) first[i + 2] += first[i + 1] + 1;
    for (int i = 0; i < chain->node_count; i++)
        links[first[i + 1]++] = (Link){i, false, d->D + chain->nodes[i].D};
    for (int e = 0; e < chain->edge_count; e++) {
        const TnChainEdge *edge = &chain->edges[e];
        links[first[edge->b + 1]++] = (Link){edge->a, false, d->E + edge->E};
        links[first[edge->a + 1]++] = (Link){edge->b, true, d->E + edge->E};
    }
    for (int i = 0; i < chain->node_count; i++) {
        const TnChainNode *node = &chain->nodes[i];
        qsort(links + first[i], (size_t)(first[i + 1] - first[i]), sizeof(Link), by_other);
        for (int r = 0; r < node->dim; r++) {
            int row = node->start + r;
            out->row_start[row + 1] = out->row_start[row];
            for (int k = first[i]; k < first[i + 1]; k++) {
                const TnChainNode *other = &chain->nodes[links[k].other];
                for (int c = 0; c < other->dim; c++)
                    put(out, row, other->start + c,
                        links[k]
                            .block[links[k].transposed ? c * node->dim + r : r * other->dim + c]);
            }
        }
    }
    return true;
}

static bool mesh_matrix(TnArena *arena, const TnLargeBlock *d, Sparse *out)
{
    const TnMesh *mesh = d->mesh;
    const TnSparsePattern *pattern = mesh->pattern;
    const TnGraph *graph = &pattern->graph;
    size_t blocks = (size_t)mesh->node_count + 2 * (size_t)pattern->edge_count;
    Link *links = TN_ARENA_NEW(arena, Link, blocks);
    if (!links || !open_sparse(arena, d->dim, 9 * blocks, out)) return false;
    for (int i = 0; i < mesh->node_count; i++) {
        int count = 0;
        links[count++] = (Link){i, false, mesh->blocks[i]};
        for (int k = graph->first[i]; k < graph->first[i + 1]; k++) {
            int link = pattern->link[k];
            links[count++] =
                (Link){graph->neighbour[k], link & 1, mesh->blocks[mesh->node_count + (link >> 1)]};
        }
        qsort(links, (size_t)count, sizeof(Link), by_other);
        for (int r = 0; r < 3; r++) {
            int row = 3 * i + r;
            out->row_start[row + 1] = out->row_start[row];
            for (int k = 0; k < count; k++)
                for (int c = 0; c < 3; c++) {
                    /* of a node's own block the lower triangle counts */
                    bool own = links[k].other == i && c > r;
                    double x = links[k].block[links[k].transposed || own ? 3 * c + r : 3 * r + c];
                    put(out, row, 3 * links[k].other + c, x);
                }
        }
    }
    return true;
}

static void twist_matrix(const TnProblem *p, int k, double A[36])
{
    static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const TnTwistBatch *batch = &p->twist_batch[k / TN_LANES];
    for (int i = 0; i < 3; i++) {
        A[7 * i] = batch->a[k % TN_LANES];
        for (int j = 0; j < 3; j++) A[6 * (3 + i) + 3 + j] = batch->S[place[i][j]][k % TN_LANES];
    }
}

bool tn_solver_add_problem_block(TnSolver *solver, const TnProblem *p, int block, const double *b,
                                 TnArena *arena)
{
    double twist[36] = {0};
    Sparse A;
    TnSparseMatrix sparse;
    TnBlockDef def = {.dim = 6, .A = twist, .b = b};
    if (block < p->twist_count) {
        twist_matrix(p, block, twist);
    } else {
        const TnLargeBlock *d = &p->large[block - p->twist_count];
        def = (TnBlockDef){.dim = d->dim, .A = d->A, .b = b};
        if (d->chain || d->mesh) {
            if (!(d->chain ? chain_matrix(arena, d, &A) : mesh_matrix(arena, d, &A))) return false;
            sparse = (TnSparseMatrix){A.row_start, A.column, A.value};
            def.A = NULL;
            def.A_sparse = &sparse;
        }
    }
    tn_solver_add_block(solver, &def); /* what is wrong with it prepare says */
    return true;
}
