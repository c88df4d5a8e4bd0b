/* pattern.c: which nodes are coupled, and where each element's blocks go in the caller's matrix. */
#include "element.h"

#include <limits.h>
#include <string.h>

enum { LANES = TN_FEM_LANES };

/* What couples the nodes: patches where there are any, for these contain their elements. */
typedef struct Groups {
    const TnFemMesh *mesh;
    int count;
} Groups;

static Groups groups_of(const TnFemMesh *mesh)
{
    return (Groups){mesh, mesh->patch_count ? mesh->patch_count : mesh->tet_count};
}

static int group_size(const Groups *g, int k)
{
    return g->mesh->patch_count ? g->mesh->patch_start[k + 1] - g->mesh->patch_start[k] : 4;
}

static int group_node(const Groups *g, int k, int i)
{
    if (g->mesh->patch_count) return g->mesh->patch_node[g->mesh->patch_start[k] + i];
    return g->mesh->batches[k / LANES].node[i][k % LANES];
}

/* Groups of each node: start (zeroed, nodes + 2) and list. */
static void groups_of_nodes(const Groups *g, int *start, int *list)
{
    for (int k = 0; k < g->count; k++)
        for (int i = 0; i < group_size(g, k); i++) start[group_node(g, k, i) + 2]++;
    for (int n = 0; n < g->mesh->node_count; n++) start[n + 2] += start[n + 1];
    for (int k = 0; k < g->count; k++)
        for (int i = 0; i < group_size(g, k); i++) list[start[group_node(g, k, i) + 1]++] = k;
}

static int compare_int(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* One row: the node itself and all it shares a group with; marks hold the last row that saw a node.
 * Written to column unless NULL; returns its length. */
static int row(const Groups *g, const int *start, const int *list, int n, bool lower, int *mark,
               int *column)
{
    int length = 0;
    mark[n] = n;
    if (column) column[length] = n;
    length++;
    for (int k = start[n]; k < start[n + 1]; k++)
        for (int i = 0; i < group_size(g, list[k]); i++) {
            int m = group_node(g, list[k], i);
            if (mark[m] == n || (lower && m > n)) continue;
            mark[m] = n;
            if (column) column[length] = m;
            length++;
        }
    if (column) qsort(column, (size_t)length, sizeof(int), compare_int);
    return length;
}

static void forget(int *mark, int count)
{
    for (int n = 0; n < count; n++) mark[n] = -1;
}

TnStatus tn_fem_pattern_create(const TnFemMesh *mesh, bool lower, TnFemPattern *out, TnError *err)
{
    Groups g = groups_of(mesh);
    size_t nodes = (size_t)mesh->node_count, entries = 0;
    long long blocks = 0;
    for (int k = 0; k < g.count; k++) entries += (size_t)group_size(&g, k);
    *out = (TnFemPattern){.row_count = mesh->node_count};
    int *start = tn_calloc(nodes + 2, sizeof(int)), *list = tn_malloc(entries * sizeof(int));
    int *mark = tn_malloc(nodes * sizeof(int));
    out->row_start = tn_calloc(nodes + 1, sizeof(int));
    bool ok = start && list && mark && out->row_start;
    if (ok) {
        groups_of_nodes(&g, start, list);
        forget(mark, mesh->node_count);
        for (int n = 0; n < mesh->node_count; n++) {
            blocks += row(&g, start, list, n, lower, mark, NULL);
            out->row_start[n + 1] = blocks <= INT_MAX ? (int)blocks : 0;
        }
        ok = blocks <= INT_MAX;
    }
    if (ok) out->column = tn_malloc((size_t)blocks * sizeof(int));
    ok = ok && out->column;
    if (ok) {
        out->block_count = (int)blocks;
        forget(mark, mesh->node_count);
        for (int n = 0; n < mesh->node_count; n++)
            row(&g, start, list, n, lower, mark, out->column + out->row_start[n]);
    } else {
        tn_fem_pattern_destroy(out);
        tn_error_add(err, TN_ERROR_MEMORY, "soft body: no memory");
    }
    tn_free(start);
    tn_free(list);
    tn_free(mark);
    return ok ? TN_OK : TN_ERROR_MEMORY;
}

void tn_fem_pattern_destroy(TnFemPattern *pattern)
{
    tn_free(pattern->row_start);
    tn_free(pattern->column);
    *pattern = (TnFemPattern){0};
}
