/* soft_division.c: soft bodies as pieces, and these with the trees that carry them as mesh blocks;
 * see division.h. The blocks' graphs: soft_graph.c. */
#include "soft_division.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/base.h"
#include "soft_pieces.h"

#define PAPER_PIECES 20

int tn_soft_piece_count(const TnDivision *d, const TnSoft *soft)
{
    if (soft->thickness > 0.0) return 1; /* bending reaches across any cut */
    if (d->def.pieces > 0) return d->def.pieces;
    if (d->def.kind == TN_DIVISION_PAPER) return PAPER_PIECES;
    if (d->def.kind == TN_DIVISION_AUTO && soft->pieces > 0) return soft->pieces;
    return 1;
}

static bool is_apart(const TnDivision *d, const TnSoft *soft)
{
    return d->def.kind == TN_DIVISION_PAPER || d->def.kind == TN_DIVISION_GROUPS ||
           tn_soft_piece_count(d, soft) > 1;
}

static bool may_carry(const TnModel *model, const bool *taken, int link)
{
    const TnSubsystem *sub = tn_part_of_link(model, link);
    return sub->kind == TN_SUBSYSTEM_TREE && sub->dof_count <= TN_MAX_CARRIER &&
           !taken[sub->kind_index];
}

static int find_root(const int *root, int vertex)
{
    while (root[vertex] != vertex) vertex = root[vertex];
    return vertex;
}

void tn_soft_join(const TnDivision *d, const TnModel *model, const bool *taken, int *root)
{
    for (int s = 0; s < model->soft_count; s++) {
        const TnSoft *soft = &model->softs[s];
        if (is_apart(d, soft)) continue;
        for (int h = 0; h < soft->hold_count; h++) {
            if (!may_carry(model, taken, soft->holds[h].link)) continue;
            int tree = tn_part_of_link(model, soft->holds[h].link)->kind_index;
            int a = find_root(root, tree), b = find_root(root, model->tree_count + s);
            root[a < b ? b : a] = a < b ? a : b;
        }
    }
}

/* ---- pieces ---- */

static bool take_piece(TnSoftPiece *piece, int tets, int nodes)
{
    piece->tet_count = tets;
    piece->node_count = nodes;
    piece->tets = tn_malloc(sizeof(int) * ((size_t)tets + 1));
    piece->nodes = tn_malloc(sizeof(int) * ((size_t)nodes + 1));
    piece->block_node = tn_malloc(sizeof(int) * ((size_t)nodes + 1));
    piece->hold = tn_malloc(sizeof(int) * ((size_t)nodes + 1));
    piece->follow = tn_malloc(sizeof(int) * ((size_t)nodes + 1));
    return piece->tets && piece->nodes && piece->block_node && piece->hold && piece->follow;
}

typedef struct Placed {
    double at; /* of its patch, along the body */
    int patch, tet;
} Placed;

static int compare_placed(const void *a, const void *b)
{
    const Placed *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->patch != y->patch) return x->patch < y->patch ? -1 : 1;
    return x->tet < y->tet ? -1 : x->tet > y->tet;
}

/* Elements from one end of the rest shape to the other, patch by patch: what follows each other is
 * close together, and few stretches of the list have nodes in common. False: no memory. */
static bool sort_elements(const TnSoft *soft, TnSoftPiece *piece)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    int axis = 0, patches = soft->patch_count > 0 ? soft->patch_count : soft->tet_count;
    double *sum = tn_calloc((size_t)patches, sizeof *sum);
    int *count = tn_calloc((size_t)patches, sizeof *count);
    Placed *list = tn_malloc(sizeof *list * ((size_t)piece->tet_count + 1));
    bool ok = sum && count && list;
    for (int e = 0; ok && e < 4 * piece->tet_count; e++) {
        const double *x = soft->rest + 3 * (size_t)soft->tets[4 * piece->tets[e / 4] + e % 4];
        for (int k = 0; k < 3; k++) low[k] = fmin(low[k], x[k]), high[k] = fmax(high[k], x[k]);
    }
    for (int k = 1; k < 3; k++)
        if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
    for (int e = 0; ok && e < piece->tet_count; e++) {
        int tet = piece->tets[e], patch = soft->patch_count > 0 ? soft->patches[tet] : tet;
        list[e] = (Placed){.patch = patch, .tet = tet};
        for (int a = 0; a < 4; a++)
            sum[patch] += soft->rest[3 * (size_t)soft->tets[4 * tet + a] + (size_t)axis];
        count[patch] += 4;
    }
    for (int e = 0; ok && e < piece->tet_count; e++)
        list[e].at = sum[list[e].patch] / count[list[e].patch];
    if (ok) qsort(list, (size_t)piece->tet_count, sizeof *list, compare_placed);
    for (int e = 0; ok && e < piece->tet_count; e++) piece->tets[e] = list[e].tet;
    tn_free(sum);
    tn_free(count);
    tn_free(list);
    return ok;
}

/* Elements and nodes of one piece, `first` + index of the soft body's. mark: one number per node,
 * below `index`. */
static bool fill_piece(TnDivision *d, const TnSoft *soft, int s, int index, const int *piece_of,
                       int *mark)
{
    TnSoftPiece *piece = &d->pieces[d->soft_piece[s] + index];
    int tets = 0, nodes = 0;
    for (int e = 0; e < soft->tet_count; e++) {
        if (piece_of[e] != index) continue;
        tets++;
        for (int a = 0; a < 4; a++) {
            int *m = &mark[soft->tets[4 * e + a]];
            nodes += *m != index;
            *m = index;
        }
    }
    if (!take_piece(piece, tets, nodes)) return false;
    piece->soft = s;
    tets = nodes = 0;
    for (int e = 0; e < soft->tet_count; e++)
        if (piece_of[e] == index) piece->tets[tets++] = e;
    if (!sort_elements(soft, piece)) return false;
    for (int i = 0; i < soft->node_count; i++) {
        if (mark[i] != index) continue;
        if (d->node_piece[s][i] < 0) {
            d->node_piece[s][i] = d->soft_piece[s] + index;
            d->node_place[s][i] = nodes;
        }
        piece->hold[nodes] = piece->follow[nodes] = -1;
        piece->block_node[nodes] = -1;
        piece->nodes[nodes++] = i;
    }
    return true;
}

static bool cut_soft(TnDivision *d, const TnModel *model, int s, int *piece_of)
{
    const TnSoft *soft = &model->softs[s];
    size_t nodes = (size_t)soft->node_count;
    int count = d->soft_piece_count[s];
    d->node_piece[s] = tn_malloc(sizeof(int) * nodes);
    d->node_place[s] = tn_malloc(sizeof(int) * nodes);
    d->tet_piece[s] = tn_malloc(sizeof(int) * (size_t)soft->tet_count);
    int *mark = tn_malloc(sizeof(int) * nodes);
    bool ok = d->node_piece[s] && d->node_place[s] && d->tet_piece[s] && mark;
    for (size_t i = 0; ok && i < nodes; i++) d->node_piece[s][i] = mark[i] = -1;
    for (int i = 0; ok && i < count; i++) ok = fill_piece(d, soft, s, i, piece_of, mark);
    for (int e = 0; ok && e < soft->tet_count; e++)
        d->tet_piece[s][e] = d->soft_piece[s] + piece_of[e];
    tn_free(mark);
    return ok;
}

/* Copies of a node are tied to the first one. */
static bool tie_pieces(TnDivision *d, const TnModel *model)
{
    for (int pass = 0; pass < 2; pass++) {
        int count = 0;
        for (int p = 0; p < d->piece_count; p++) {
            const TnSoftPiece *piece = &d->pieces[p];
            for (int i = 0; i < piece->node_count; i++) {
                int node = piece->nodes[i], first = d->node_piece[piece->soft][node];
                if (first == p || model->softs[piece->soft].pinned[node]) continue;
                if (pass)
                    d->piece_ties[count] =
                        (TnPieceTie){first, d->node_place[piece->soft][node], p, i};
                count++;
            }
        }
        if (pass) continue;
        d->piece_tie_count = count;
        d->piece_ties = tn_calloc((size_t)count + 1, sizeof *d->piece_ties);
        if (!d->piece_ties) return false;
    }
    return true;
}

/* ---- blocks ---- */

/* Numbers a piece's nodes on from `next`; held ones of trees in the block are carried. */
static int number_nodes(TnDivision *d, const TnModel *model, TnSoftPiece *piece, int next)
{
    const TnSoft *soft = &model->softs[piece->soft];
    int h = 0;
    for (int i = 0; i < piece->node_count; i++) {
        int node = piece->nodes[i];
        while (h < soft->hold_count && soft->holds[h].node < node) h++;
        bool held = h < soft->hold_count && soft->holds[h].node == node;
        const TnSubsystem *sub = held ? tn_part_of_link(model, soft->holds[h].link) : NULL;
        if (held && sub->kind == TN_SUBSYSTEM_TREE && sub->dof_count <= TN_MAX_CARRIER)
            piece->follow[i] = h;
        if (piece->follow[i] >= 0 && d->tree_block[sub->kind_index] == piece->block)
            piece->hold[i] = h;
        else if (!soft->pinned[node])
            piece->block_node[i] = next++;
    }
    return next;
}

static void place_tree(TnDivision *d, const TnModel *model, int block, int tree, int node)
{
    d->tree_block[tree] = block;
    d->tree_node[tree] = node;
    for (int i = 1 + model->mocap_count; i < model->link_count; i++) {
        const TnSubsystem *sub = tn_part_of_link(model, i);
        if (sub->kind != TN_SUBSYSTEM_TREE || sub->kind_index != tree) continue;
        d->link_block[i] = block;
        d->link_node[i] = node;
    }
}

/* ---- all together ---- */

/* The mesh block that begins with this piece: its trees, nodes and graph. */
static bool build_mesh(TnDivision *d, const TnModel *model, const int *root, int index,
                       int *next_tree)
{
    TnMeshBlock *mesh = &d->meshes[index];
    int block = d->dense_count + d->chain_count + index, next = 0;
    const TnSoftPiece *piece = &d->pieces[mesh->piece_start];
    bool whole = d->soft_piece_count[piece->soft] == 1;
    int component = find_root(root, model->tree_count + piece->soft);
    mesh->tree_start = *next_tree;
    for (int t = 0; whole && t < model->tree_count; t++) {
        if (find_root(root, t) != component) continue;
        d->mesh_trees[(*next_tree)++] = t;
        place_tree(d, model, block, t, next);
        next += tn_soft_tree_nodes(model, t);
    }
    mesh->tree_count = *next_tree - mesh->tree_start;
    for (int k = mesh->piece_start; k < mesh->piece_start + mesh->piece_count; k++) {
        d->pieces[k].block = block;
        next = number_nodes(d, model, &d->pieces[k], next);
    }
    mesh->node_count = next;
    return next == 0 || tn_soft_graph(d, model, mesh);
}

/* Pieces by block: those of a divided body one each, whole bodies that are joined together. */
static void order_pieces(TnDivision *d, const TnModel *model, const int *root, int *count)
{
    int next = 0;
    for (int s = 0; s < model->soft_count; s++) d->soft_piece[s] = -1;
    for (int s = 0; s < model->soft_count; s++) {
        if (d->soft_piece[s] >= 0) continue;
        d->soft_piece[s] = next;
        if (d->soft_piece_count[s] > 1) {
            for (int i = 0; i < d->soft_piece_count[s]; i++)
                d->meshes[(*count)++] = (TnMeshBlock){.piece_start = next++, .piece_count = 1};
            continue;
        }
        TnMeshBlock *mesh = &d->meshes[(*count)++];
        *mesh = (TnMeshBlock){.piece_start = next++, .piece_count = 1};
        int component = find_root(root, model->tree_count + s);
        for (int other = s + 1; other < model->soft_count; other++) {
            if (d->soft_piece_count[other] > 1 ||
                find_root(root, model->tree_count + other) != component)
                continue;
            d->soft_piece[other] = next++;
            mesh->piece_count++;
        }
    }
    d->piece_count = next;
}

static bool partition(TnDivision *d, const TnModel *model, int **piece_of)
{
    for (int s = 0; s < model->soft_count; s++) {
        const TnSoft *soft = &model->softs[s];
        int asked = tn_soft_piece_count(d, soft);
        piece_of[s] = tn_calloc((size_t)soft->tet_count, sizeof(int));
        if (!piece_of[s]) return false;
        if (asked > 1 && !tn_soft_partition(soft, &asked, piece_of[s])) return false;
        d->soft_piece_count[s] = asked;
    }
    return true;
}

bool tn_soft_divide(TnDivision *d, const TnModel *model, const int *root)
{
    size_t softs = (size_t)model->soft_count;
    int most = 0, next_tree = 0;
    d->soft_count = model->soft_count;
    if (!softs) return true;
    int **piece_of = tn_calloc(softs, sizeof *piece_of);
    d->soft_piece = tn_calloc(softs, sizeof(int));
    d->soft_piece_count = tn_calloc(softs, sizeof(int));
    d->node_piece = tn_calloc(softs, sizeof(int *));
    d->node_place = tn_calloc(softs, sizeof(int *));
    d->tet_piece = tn_calloc(softs, sizeof(int *));
    d->mesh_trees = tn_calloc((size_t)model->tree_count + 1, sizeof(int));
    bool ok = piece_of && d->soft_piece && d->soft_piece_count && d->node_piece && d->node_place &&
              d->tet_piece && d->mesh_trees && partition(d, model, piece_of);
    for (size_t s = 0; ok && s < softs; s++) most += d->soft_piece_count[s];
    if (ok) {
        d->meshes = tn_calloc((size_t)most + 1, sizeof *d->meshes);
        d->pieces = tn_calloc((size_t)most + 1, sizeof *d->pieces);
    }
    ok = ok && d->meshes && d->pieces;
    if (ok) order_pieces(d, model, root, &d->mesh_count);
    for (int s = 0; ok && s < model->soft_count; s++) ok = cut_soft(d, model, s, piece_of[s]);
    for (int i = 0; ok && i < d->mesh_count; i++) ok = build_mesh(d, model, root, i, &next_tree);
    ok = ok && tie_pieces(d, model);
    for (size_t s = 0; piece_of && s < softs; s++) tn_free(piece_of[s]);
    tn_free(piece_of);
    return ok;
}

void tn_soft_division_free(TnDivision *d)
{
    for (int p = 0; d->pieces && p < d->piece_count; p++) {
        tn_free(d->pieces[p].tets);
        tn_free(d->pieces[p].nodes);
        tn_free(d->pieces[p].block_node);
        tn_free(d->pieces[p].hold);
        tn_free(d->pieces[p].follow);
    }
    for (int i = 0; d->meshes && i < d->mesh_count; i++) {
        tn_free(d->meshes[i].edges);
        tn_sparse_pattern_free(d->meshes[i].pattern);
    }
    for (int s = 0; s < d->soft_count; s++) {
        if (d->node_piece) tn_free(d->node_piece[s]);
        if (d->node_place) tn_free(d->node_place[s]);
        if (d->tet_piece) tn_free(d->tet_piece[s]);
    }
    tn_free(d->meshes);
    tn_free(d->pieces);
    tn_free(d->mesh_trees);
    tn_free(d->soft_piece);
    tn_free(d->soft_piece_count);
    tn_free(d->node_piece);
    tn_free(d->node_place);
    tn_free(d->tet_piece);
    tn_free(d->piece_ties);
}
