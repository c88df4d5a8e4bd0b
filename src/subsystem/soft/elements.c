/* elements.c: makes the elements of all pieces and their maps into the mesh blocks. */
#include "elements.h"

#include <math.h>
#include <string.h>

enum { LANES = TN_FEM_LANES };

/* ---- edges of a block by node ---- */

static int compare_first(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static bool list_edges(const TnMeshBlock *block, TnBlockEdges *out)
{
    size_t nodes = (size_t)block->node_count;
    int *start = out->start = tn_calloc(nodes + 2, sizeof(int));
    out->lower = tn_malloc(sizeof *out->lower * ((size_t)block->edge_count + 1));
    if (!start || !out->lower) return false;
    for (int e = 0; e < block->edge_count; e++) start[block->edges[e][0] + 2]++;
    for (size_t n = 0; n < nodes; n++) start[n + 2] += start[n + 1];
    for (int e = 0; e < block->edge_count; e++) {
        int at = start[block->edges[e][0] + 1]++;
        out->lower[at][0] = block->edges[e][1];
        out->lower[at][1] = e;
    }
    for (size_t n = 0; n < nodes; n++)
        qsort(out->lower + start[n], (size_t)(start[n + 1] - start[n]), sizeof *out->lower,
              compare_first);
    return true;
}

int tn_block_edge(const TnBlockEdges *edges, int a, int b)
{
    int low = edges->start[a], high = edges->start[a + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (edges->lower[middle][0] < b)
            low = middle + 1;
        else
            high = middle;
    }
    return low < edges->start[a + 1] && edges->lower[low][0] == b ? edges->lower[low][1] : -1;
}

/* ---- the map ---- */

/* Pairs with a carried node; `pattern` has lower rows of the piece's coupled nodes. */
static bool list_pairs(TnPieceElements *p, const TnFemPattern *pattern)
{
    const TnSoftPiece *piece = p->piece;
    int count = 0;
    p->pairs = tn_malloc(sizeof *p->pairs * ((size_t)pattern->block_count + 1));
    if (!p->pairs) return false;
    for (int a = 0; a < piece->node_count; a++)
        for (int k = pattern->row_start[a]; k < pattern->row_start[a + 1]; k++) {
            int b = pattern->column[k];
            bool pinned = (piece->block_node[a] < 0 && piece->hold[a] < 0) ||
                          (piece->block_node[b] < 0 && piece->hold[b] < 0);
            if (pinned || (piece->block_node[a] >= 0 && piece->block_node[b] >= 0)) continue;
            p->pairs[count][0] = a;
            p->pairs[count++][1] = b;
        }
    p->pair_count = count;
    return true;
}

/* In order of the higher node, then the lower one. */
static int find_pair(const TnPieceElements *p, int a, int b)
{
    int low = 0, high = p->pair_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const int *pair = p->pairs[middle];
        if (pair[0] < a || (pair[0] == a && pair[1] < b))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where A_ab goes, a >= b; -1 where a node is pinned, -2: there is no such edge. */
static int target(const TnPieceElements *p, const TnMeshBlock *block, const TnBlockEdges *edges,
                  int a, int b)
{
    const TnSoftPiece *piece = p->piece;
    int i = piece->block_node[a], j = piece->block_node[b];
    if ((i < 0 && piece->hold[a] < 0) || (j < 0 && piece->hold[b] < 0)) return -1;
    if (i < 0 || j < 0) return p->pair_start + find_pair(p, a, b);
    if (i == j) return i;
    int edge = tn_block_edge(edges, i, j);
    return edge < 0 ? -2 : block->node_count + edge;
}

/* Corners in ascending order, as are the block's nodes: the half of each pair that is kept is
 * always the same. */
static void sort_corners(TnFemMesh *mesh)
{
    for (int k = 0; k < mesh->batch_count; k++)
        for (int l = 0; l < LANES; l++) {
            TnFemBatch *batch = &mesh->batches[k];
            double g[4][3] = {{0.0}};
            int order[4] = {0, 1, 2, 3}, node[4], slot[4];
            for (int a = 0; a < 4; a++) {
                node[a] = batch->node[a][l];
                slot[a] = batch->slot[a][l];
                for (int i = 0; i < 3 && a > 0; i++) {
                    g[a][i] = batch->inverse[3 * (a - 1) + i][l];
                    g[0][i] -= g[a][i];
                }
            }
            int corners = mesh->material.law == TN_FEM_MEMBRANE ? 3 : 4; /* the fourth repeats */
            for (int a = 1; a < corners; a++)
                for (int b = a; b > 0 && node[order[b]] < node[order[b - 1]]; b--) {
                    int swap = order[b];
                    order[b] = order[b - 1];
                    order[b - 1] = swap;
                }
            for (int a = 0; a < 4; a++) {
                batch->node[a][l] = node[order[a]];
                batch->slot[a][l] = slot[order[a]];
                for (int i = 0; i < 3 && a > 0; i++)
                    batch->inverse[3 * (a - 1) + i][l] = g[order[a]][i];
            }
            if (corners == 3) batch->node[3][l] = batch->node[2][l];
        }
}

/* What is left out goes to `nowhere`, a block for each chunk (chunks must not share one), patches
 * to the last. */
static TnStatus make_targets(TnPieceElements *p, const TnMeshBlock *block, TnBlockEdges *edges,
                             TnError *err)
{
    const TnFemMesh *mesh = p->mesh;
    size_t pairs = 0, at = 0;
    bool missing = false;
    int nowhere = edges->array_count;
    edges->array_count += (mesh->batch_count + TN_SOFT_CHUNK - 1) / TN_SOFT_CHUNK + 1;
    for (int k = 0; k < mesh->patch_count; k++) {
        size_t n = (size_t)(mesh->patch_start[k + 1] - mesh->patch_start[k]);
        pairs += n * (n + 1) / 2;
    }
    p->targets = tn_malloc((size_t)mesh->batch_count * sizeof *p->targets);
    p->patch_targets = tn_malloc((pairs + 1) * sizeof(int));
    p->patch_pair = tn_malloc(((size_t)mesh->patch_count + 1) * sizeof(int));
    if (!p->targets || !p->patch_targets || !p->patch_pair) return TN_ERROR_MEMORY;
    for (int k = 0; k < mesh->batch_count; k++)
        for (int l = 0; l < LANES; l++) {
            const TnFemBatch *batch = &mesh->batches[k];
            for (int b = 0, pair = 0; b < 4; b++)
                for (int a = 0; a <= b; a++, pair++) {
                    int to = l < batch->count
                                 ? target(p, block, edges, batch->node[b][l], batch->node[a][l])
                                 : -1;
                    missing = missing || to < -1;
                    p->targets[k][pair][l] = to < 0 ? nowhere + k / TN_SOFT_CHUNK : to;
                }
        }
    for (int k = 0; k < mesh->patch_count; k++) {
        const int *node = mesh->patch_node + mesh->patch_start[k];
        int n = mesh->patch_start[k + 1] - mesh->patch_start[k];
        p->patch_pair[k] = (int)at;
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) {
                int to = target(p, block, edges, node[i], node[j]);
                missing = missing || to < -1;
                p->patch_targets[at++] = to < 0 ? edges->array_count - 1 : to;
            }
    }
    for (int row = 0; p->bending && row < p->bending->node_count; row++)
        for (int k = p->bending->row_start[row]; k < p->bending->row_start[row + 1]; k++) {
            int to = target(p, block, edges, row, p->bending->column[k]);
            missing = missing || to < -1;
            p->bend_targets[k] = to < 0 ? edges->array_count - 1 : to;
        }
    if (!missing) return TN_OK;
    tn_error_add(err, TN_ERROR_USAGE, "soft body: its block lacks a pair of coupled nodes");
    return TN_ERROR_USAGE;
}

/* ---- pieces ---- */

static TnFemMaterial material_of(const TnSoft *soft)
{
    return (TnFemMaterial){.law = soft->thickness > 0.0              ? TN_FEM_MEMBRANE
                                  : soft->law == TN_SOFT_NEO_HOOKEAN ? TN_FEM_NEO_HOOKEAN
                                                                     : TN_FEM_COROTATIONAL,
                           .thickness = soft->thickness,
                           .slack = soft->thickness > 0.0 && !soft->stretches,
                           .E =
                               soft->thickness > 0.0 ? soft->stretch_modulus : soft->youngs_modulus,
                           .nu = soft->poisson_ratio,
                           .density = soft->density,
                           .damp_mass = soft->damping_mass,
                           .damp_stiffness = soft->damping_stiffness,
                           .mean_dilatation = soft->patch_count > 0};
}

/* The piece as a mesh of its own; `work` has room for all of it. */
typedef struct PieceShape {
    double *rest;
    int *tets, *patches, *own_node, *own_patch; /* the last two: of the body's nodes and patches */
} PieceShape;

static TnFemMesh *make_mesh(const TnSoft *soft, const TnSoftPiece *piece, PieceShape *s,
                            TnError *err)
{
    int patch_count = 0;
    for (int p = 0; p < soft->patch_count; p++) s->own_patch[p] = -1;
    for (int i = 0; i < piece->node_count; i++) {
        s->own_node[piece->nodes[i]] = i;
        memcpy(s->rest + 3 * (size_t)i, soft->rest + 3 * (size_t)piece->nodes[i],
               sizeof(double[3]));
    }
    for (int e = 0; e < piece->tet_count; e++) {
        int tet = piece->tets[e];
        for (int a = 0; a < 4; a++)
            s->tets[4 * (size_t)e + (size_t)a] =
                s->own_node[soft->tets[4 * (size_t)tet + (size_t)a]];
        if (!soft->patch_count) continue;
        int *own = &s->own_patch[soft->patches[tet]];
        if (*own < 0) *own = patch_count++;
        s->patches[e] = *own;
    }
    TnFemMeshDef def = {.node_count = piece->node_count,
                        .tet_count = piece->tet_count,
                        .rest = s->rest,
                        .tets = s->tets,
                        .patches = soft->patch_count ? s->patches : NULL,
                        .material = material_of(soft)};
    return tn_fem_mesh_create(&def, err);
}

static TnFemMesh *piece_mesh(const TnSoft *soft, const TnSoftPiece *piece, TnError *err)
{
    size_t nodes = (size_t)piece->node_count, tets = (size_t)piece->tet_count;
    PieceShape s = {.rest = tn_malloc(sizeof(double[3]) * nodes),
                    .tets = tn_malloc(sizeof(int[4]) * tets),
                    .patches = tn_malloc(sizeof(int) * tets),
                    .own_node = tn_malloc(sizeof(int) * (size_t)soft->node_count),
                    .own_patch = tn_malloc(sizeof(int) * ((size_t)soft->patch_count + 1))};
    TnFemMesh *mesh = NULL;
    if (s.rest && s.tets && s.patches && s.own_node && s.own_patch)
        mesh = make_mesh(soft, piece, &s, err);
    else
        tn_error_add(err, TN_ERROR_MEMORY, "soft body: no memory");
    tn_free(s.rest);
    tn_free(s.tets);
    tn_free(s.patches);
    tn_free(s.own_node);
    tn_free(s.own_patch);
    return mesh;
}

static bool take_scratch(TnPieceElements *p)
{
    size_t nodes = (size_t)p->piece->node_count, batches = (size_t)p->mesh->batch_count;
    size_t patches = (size_t)p->mesh->patch_count + 1;
    size_t patch_nodes = (size_t)tn_fem_scratch_count(p->mesh) / 3 + 1;
    p->mass = tn_calloc(nodes, sizeof(double));
    p->x = tn_aligned_alloc(4 * sizeof *p->x * nodes);
    p->growth = tn_aligned_alloc(sizeof *p->growth * patch_nodes);
    p->patch_dilatation = tn_malloc(2 * sizeof(double) * patches);
    p->turns = tn_aligned_alloc(sizeof *p->turns * batches);
    p->places = tn_aligned_alloc(sizeof *p->places * batches);
    p->patches = tn_malloc(3 * sizeof(double) * patch_nodes);
    p->parts = tn_malloc(sizeof(double) * (batches / TN_SOFT_CHUNK + 1));
    if (!p->mass || !p->x || !p->growth || !p->patch_dilatation || !p->turns || !p->places ||
        !p->patches || !p->parts)
        return false;
    p->y = p->x + nodes;
    p->f = p->y + nodes;
    p->lead = p->f + nodes;
    p->patch_rate = p->patch_dilatation + patches;
    memset(p->x, 0, 4 * sizeof *p->x * nodes); /* the fourth numbers stay so */
    return true;
}

/* The elements of each patch, in their order. */
static bool list_patch_tets(TnPieceElements *p)
{
    const TnFemMesh *mesh = p->mesh;
    int *first = p->patch_first = tn_calloc((size_t)mesh->patch_count + 2, sizeof(int));
    p->patch_tets = tn_malloc(((size_t)mesh->tet_count + 1) * sizeof(int));
    if (!first || !p->patch_tets) return false;
    for (int e = 0; e < mesh->tet_count && mesh->patch_count; e++)
        first[mesh->batches[e / LANES].patch[e % LANES] + 2]++;
    for (int k = 0; k < mesh->patch_count; k++) first[k + 2] += first[k + 1];
    for (int e = 0; e < mesh->tet_count && mesh->patch_count; e++)
        p->patch_tets[first[mesh->batches[e / LANES].patch[e % LANES] + 1]++] = e;
    return true;
}

/* A sheet is one piece with all its nodes. False: no memory. */
static bool make_bending(const TnSoft *soft, TnPieceElements *p)
{
    double h = soft->thickness, nu = soft->poisson_ratio;
    TnBendingDef def = {.node_count = soft->node_count,
                        .triangle_count = soft->tet_count,
                        .rest = soft->rest,
                        .tets = soft->tets,
                        .across = soft->across,
                        .rigidity = soft->youngs_modulus * h * h * h / (12.0 * (1.0 - nu * nu)),
                        .nu = nu};
    if (!soft->bends) return true;
    TN_ASSERT(p->piece->node_count == soft->node_count);
    p->bending = tn_bending_create(&def);
    if (!p->bending) return false;
    p->bend_targets =
        tn_malloc(sizeof(int) * ((size_t)p->bending->row_start[soft->node_count] + 1));
    return p->bend_targets != NULL;
}

static TnStatus make_piece(const TnModel *model, const TnDivision *division, int index,
                           TnSoftElements *all, TnError *err)
{
    const TnSoftPiece *piece = &division->pieces[index];
    const TnSoft *soft = &model->softs[piece->soft];
    int mesh_index = piece->block - division->dense_count - division->chain_count;
    TnBlockEdges *edges = &all->edges[mesh_index];
    TnPieceElements *p = &all->pieces[index];
    TnFemPattern pattern;
    p->piece = piece;
    p->mesh = piece_mesh(soft, piece, err);
    if (!p->mesh) return TN_ERROR_MODEL; /* said already */
    sort_corners(p->mesh);
    if (!take_scratch(p) || !list_patch_tets(p) || !make_bending(soft, p)) return TN_ERROR_MEMORY;
    bool listed;
    if (p->bending) { /* its pairs are those of the elements and more */
        const TnBending *b = p->bending;
        pattern =
            (TnFemPattern){b->node_count, b->row_start[b->node_count], b->row_start, b->column};
        listed = list_pairs(p, &pattern);
    } else {
        TnStatus status = tn_fem_pattern_create(p->mesh, true, &pattern, err);
        if (status != TN_OK) return status;
        listed = list_pairs(p, &pattern);
        tn_fem_pattern_destroy(&pattern);
    }
    if (!listed) return TN_ERROR_MEMORY;
    p->pair_start = edges->array_count;
    edges->array_count += p->pair_count;
    tn_fem_add_lumped_mass(p->mesh, p->mass);
    return make_targets(p, &division->meshes[mesh_index], edges, err);
}

/* ---- how fast an element can be ---- */

/* An element's stiffness is at most (λ + 2μ) V Σ g gᵀ, and its corners have ρV/4 each (of a sheet
 * ρV/3). */
static void add_rates(const TnFemMesh *mesh, TnSoftRate *rate, double *volume)
{
    const TnFemMaterial *m = &mesh->material;
    double modulus = m->lambda + 2.0 * m->mu;
    for (int k = 0; k < mesh->batch_count; k++)
        for (int l = 0; l < mesh->batches[k].count; l++) {
            const TnFemBatch *batch = &mesh->batches[k];
            double sum[9] = {0.0}, g[4][3] = {{0.0}}, R[9], s[3];
            for (int i = 0; i < 3; i++)
                for (int a = 1; a < 4; a++) {
                    g[a][i] = batch->inverse[3 * (a - 1) + i][l];
                    g[0][i] -= g[a][i];
                }
            for (int a = 0; a < 4; a++)
                for (int i = 0; i < 9; i++) sum[i] += g[a][i / 3] * g[a][i % 3];
            tn_polar_one(sum, R, NULL, s, NULL);
            double own = (m->law == TN_FEM_MEMBRANE ? 3.0 : 4.0) * modulus / m->density * s[0];
            rate->largest = fmax(rate->largest, own);
            rate->mean += own * batch->volume[l];
            *volume += batch->volume[l];
        }
}

/* Of the bending, by Gershgorin's circles. It counts for the largest only: what bends mostly moves
 * slowly. */
static void add_bending_rate(const TnPieceElements *p, TnSoftRate *rate)
{
    const TnBending *b = p->bending;
    double(*sum)[4] = p->y;
    for (int row = 0; b && row < b->node_count; row++)
        for (int k = b->row_start[row]; k < b->row_start[row + 1]; k++) {
            sum[row][0] += fabs(b->value[k]);
            if (b->column[k] != row) sum[b->column[k]][0] += fabs(b->value[k]);
        }
    for (int a = 0; b && a < b->node_count; a++) {
        rate->largest = fmax(rate->largest, sum[a][0] / p->mass[a]);
        sum[a][0] = 0.0;
    }
}

static void measure(const TnDivision *division, TnSoftElements *all)
{
    for (int s = 0; s < all->soft_count; s++) {
        double volume = 0.0;
        for (int i = division->soft_piece[s];
             i < division->soft_piece[s] + division->soft_piece_count[s]; i++) {
            add_rates(all->pieces[i].mesh, &all->rates[s], &volume);
            add_bending_rate(&all->pieces[i], &all->rates[s]);
        }
        all->rates[s].mean /= volume;
    }
}

/* ---- all ---- */

TnSoftElements *tn_soft_elements_create(const TnModel *model, const TnDivision *division,
                                        TnError *err)
{
    TnSoftElements *all = tn_calloc(1, sizeof *all);
    bool ok = all != NULL;
    if (ok) {
        all->piece_count = division->piece_count;
        all->mesh_count = division->mesh_count;
        all->soft_count = model->soft_count;
        all->pieces = tn_calloc((size_t)all->piece_count + 1, sizeof *all->pieces);
        all->edges = tn_calloc((size_t)all->mesh_count + 1, sizeof *all->edges);
        all->rates = tn_calloc((size_t)all->soft_count + 1, sizeof *all->rates);
        ok = all->pieces && all->edges && all->rates;
    }
    TnStatus status = ok ? TN_OK : TN_ERROR_MEMORY;
    for (int m = 0; m < division->mesh_count && status == TN_OK; m++) {
        const TnMeshBlock *block = &division->meshes[m];
        all->edges[m].array_count = block->node_count + block->edge_count;
        if (!list_edges(block, &all->edges[m])) status = TN_ERROR_MEMORY;
    }
    for (int i = 0; i < division->piece_count && status == TN_OK; i++)
        status = make_piece(model, division, i, all, err);
    if (status == TN_OK && !tn_soft_make_chunks(all)) status = TN_ERROR_MEMORY;
    if (status == TN_OK) {
        measure(division, all);
        for (int i = 0; i < all->piece_count; i++)
            all->has_bending = all->has_bending || all->pieces[i].bending;
        all->kernels = tn_fem_kernels();
        return all;
    }
    if (status == TN_ERROR_MEMORY) tn_error_add(err, status, "soft bodies: no memory");
    tn_soft_elements_destroy(all);
    return NULL;
}

void tn_soft_elements_destroy(TnSoftElements *all)
{
    if (!all) return;
    for (int i = 0; all->pieces && i < all->piece_count; i++) {
        TnPieceElements *p = &all->pieces[i];
        tn_fem_mesh_destroy(p->mesh);
        tn_bending_destroy(p->bending);
        tn_free(p->bend_targets);
        tn_free(p->targets);
        tn_free(p->patch_targets);
        tn_free(p->patch_pair);
        tn_free(p->patch_first);
        tn_free(p->patch_tets);
        tn_free(p->mass);
        tn_free(p->pairs);
        tn_free(p->x);
        tn_free(p->growth);
        tn_free(p->patch_dilatation);
        tn_free(p->parts);
        tn_free(p->turns);
        tn_free(p->places);
        tn_free(p->patches);
    }
    for (int m = 0; all->edges && m < all->mesh_count; m++) {
        tn_free(all->edges[m].start);
        tn_free(all->edges[m].lower);
    }
    tn_free(all->pieces);
    tn_free(all->edges);
    tn_free(all->rates);
    tn_free(all->batches.list);
    tn_free(all->patches.list);
    tn_free(all->nodes.list);
    tn_free(all);
}
