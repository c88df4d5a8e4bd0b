/* soft_graph.c: which nodes of a mesh block meet in its matrix: those of one element, or of one
 * patch of mean dilatation, which holds all nodes of its elements; of a sheet that bends, those of
 * a triangle and its neighbours. A carried node stands for all nodes of its tree. */
#include "../../base/base.h"
#include "../../math/sort.h"
#include "soft_division.h"

int tn_soft_tree_nodes(const TnModel *model, int tree)
{
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind == TN_SUBSYSTEM_TREE && sub->kind_index == tree)
            return (sub->dof_count + 2) / 3;
    }
    return 0;
}

/* Pairs of nodes, row by row: counted first, then written. */
typedef struct Pairs {
    size_t *start; /* per node, and one more */
    int *columns;  /* NULL while counting */
} Pairs;

static void add_pair(Pairs *pairs, int a, int b)
{
    int row = a > b ? a : b, column = a > b ? b : a;
    if (row == column) return;
    if (pairs->columns)
        pairs->columns[pairs->start[row]++] = column;
    else
        pairs->start[row + 1]++;
}

/* Block nodes that a piece's node stands for. */
static int stands_for(const TnDivision *d, const TnModel *model, const TnSoftPiece *piece, int i,
                      int *first)
{
    if (piece->hold[i] >= 0) {
        int link = model->softs[piece->soft].holds[piece->hold[i]].link;
        int tree = tn_part_of_link(model, link)->kind_index;
        *first = d->tree_node[tree];
        return (tn_part_of_link(model, link)->dof_count + 2) / 3;
    }
    *first = piece->block_node[i];
    return *first >= 0 ? 1 : 0;
}

static void add_clique(const TnDivision *d, const TnModel *model, const TnSoftPiece *piece,
                       const int *nodes, int count, Pairs *pairs)
{
    for (int a = 0; a < count; a++)
        for (int b = 0; b < a; b++) {
            int i, j, n = stands_for(d, model, piece, nodes[a], &i),
                      m = stands_for(d, model, piece, nodes[b], &j);
            for (int x = 0; x < n; x++)
                for (int y = 0; y < m; y++) add_pair(pairs, i + x, j + y);
        }
}

/* Nodes of the elements of each patch, or of each element where there are none. */
typedef struct Cliques {
    int count, *start, *nodes; /* nodes of the piece */
} Cliques;

static bool collect_cliques(const TnModel *model, const TnSoftPiece *piece, Cliques *out)
{
    const TnSoft *soft = &model->softs[piece->soft];
    int tets = piece->tet_count, groups = soft->patches ? soft->patch_count : soft->tet_count;
    int *place = tn_malloc(sizeof(int) * ((size_t)soft->node_count + 1));
    int *last = tn_malloc(sizeof(int) * ((size_t)soft->node_count + 1));
    int *begin = tn_calloc((size_t)groups + 2, sizeof(int)), *sorted = NULL;
    sorted = tn_malloc(sizeof(int) * ((size_t)tets + 1));
    out->start = tn_malloc(sizeof(int) * ((size_t)tets + 2));
    out->nodes = tn_malloc(sizeof(int) * 7 * ((size_t)tets + 1));
    bool ok = place && last && begin && sorted && out->start && out->nodes;
    if (ok) {
        int used = 0;
        for (int i = 0; i < piece->node_count; i++)
            place[piece->nodes[i]] = i, last[piece->nodes[i]] = -1;
        for (int k = 0; k < tets; k++)
            begin[(soft->patches ? soft->patches[piece->tets[k]] : piece->tets[k]) + 2]++;
        for (int g = 0; g < groups; g++) begin[g + 2] += begin[g + 1];
        for (int k = 0; k < tets; k++)
            sorted[begin[(soft->patches ? soft->patches[piece->tets[k]] : piece->tets[k]) + 1]++] =
                piece->tets[k];
        for (int g = 0; g < groups; g++) {
            if (begin[g] == begin[g + 1]) continue;
            out->start[out->count++] = used;
            for (int k = begin[g]; k < begin[g + 1]; k++)
                for (int a = 0; a < (soft->bends ? 7 : 4); a++) {
                    int node =
                        a < 4 ? soft->tets[4 * sorted[k] + a] : soft->across[3 * sorted[k] + a - 4];
                    if (node < 0 || last[node] == g) continue;
                    last[node] = g;
                    out->nodes[used++] = place[node];
                }
        }
        out->start[out->count] = used;
    }
    tn_free(place);
    tn_free(last);
    tn_free(begin);
    tn_free(sorted);
    return ok;
}

static void add_trees(const TnDivision *d, const TnModel *model, const TnMeshBlock *mesh,
                      Pairs *pairs)
{
    for (int k = mesh->tree_start; k < mesh->tree_start + mesh->tree_count; k++) {
        int first = d->tree_node[d->mesh_trees[k]], n = tn_soft_tree_nodes(model, d->mesh_trees[k]);
        for (int a = 0; a < n; a++)
            for (int b = 0; b < a; b++) add_pair(pairs, first + a, first + b);
    }
}

/* Rows in order, each column once. */
static bool take_edges(TnMeshBlock *mesh, Pairs *pairs)
{
    size_t begin = 0, count = 0;
    for (int i = 0; i < mesh->node_count; i++) { /* start[i] has moved to the row's end */
        size_t end = pairs->start[i], kept = count;
        tn_sort_ints(pairs->columns + begin, (int)(end - begin));
        for (size_t k = begin; k < end; k++)
            if (kept == count || pairs->columns[count - 1] != pairs->columns[k])
                pairs->columns[count++] = pairs->columns[k];
        begin = end;
        pairs->start[i] = count;
    }
    if (count > INT32_MAX) return false;
    mesh->edge_count = (int)count;
    mesh->edges = tn_malloc(sizeof *mesh->edges * (count + 1));
    if (!mesh->edges) return false;
    size_t k = 0;
    for (int i = 0; i < mesh->node_count; i++)
        for (; k < pairs->start[i]; k++) {
            mesh->edges[k][0] = i;
            mesh->edges[k][1] = pairs->columns[k];
        }
    return true;
}

bool tn_soft_graph(const TnDivision *d, const TnModel *model, TnMeshBlock *mesh)
{
    Pairs pairs = {.start = tn_calloc((size_t)mesh->node_count + 2, sizeof(size_t))};
    Cliques *cliques = tn_calloc((size_t)mesh->piece_count + 1, sizeof *cliques);
    bool ok = pairs.start && cliques;
    for (int k = 0; ok && k < mesh->piece_count; k++)
        ok = collect_cliques(model, &d->pieces[mesh->piece_start + k], &cliques[k]);
    for (int pass = 0; ok && pass < 2; pass++) {
        add_trees(d, model, mesh, &pairs);
        for (int k = 0; k < mesh->piece_count; k++)
            for (int c = 0; c < cliques[k].count; c++)
                add_clique(d, model, &d->pieces[mesh->piece_start + k],
                           cliques[k].nodes + cliques[k].start[c],
                           cliques[k].start[c + 1] - cliques[k].start[c], &pairs);
        if (pass) break;
        for (int i = 0; i < mesh->node_count; i++) pairs.start[i + 1] += pairs.start[i];
        pairs.columns = tn_malloc(sizeof(int) * (pairs.start[mesh->node_count] + 1));
        ok = pairs.columns != NULL;
    }
    ok = ok && take_edges(mesh, &pairs);
    if (ok) {
        TnError err = {0};
        mesh->pattern = tn_sparse_pattern_create(mesh->node_count, mesh->edge_count,
                                                 (const int(*)[2])mesh->edges, &err);
        ok = mesh->pattern != NULL;
    }
    for (int k = 0; cliques && k < mesh->piece_count; k++) {
        tn_free(cliques[k].start);
        tn_free(cliques[k].nodes);
    }
    tn_free(cliques);
    tn_free(pairs.start);
    tn_free(pairs.columns);
    return ok;
}
