/* soft_patches.c: groups neighbouring elements into patches of about six, as compact as a greedy
 * choice makes them.
 *
 * A patch starts with the first element that has none yet and takes, one by one, the element behind
 * one of its faces that brings the fewest new nodes: few nodes per patch couple few pairs in the
 * matrix, and bend like one thick element. Six elements for one volume is what a cut cube has, and
 * about one volume per node. What is left over between finished patches and too small for one of
 * its own (less than three elements) goes to the smallest patch beside it. */
#include "soft_patches.h"

#include "../../base/base.h"

enum { FULL = 6, FEW = 3, MOST_NODES = 4 + FULL };

typedef struct Chooser {
    int node_count, tet_count;
    const int32_t *tets;
    int *star_start, *star; /* elements of each node */
    int *mark;              /* per node: the last patch that had it */
    int *size;              /* elements per patch */
    int32_t *patch;         /* per element, -1: none yet */
} Chooser;

static int corner(const Chooser *c, int e, int a) { return c->tets[4 * (size_t)e + (size_t)a]; }

static void list_stars(Chooser *c)
{
    int *start = c->star_start;
    for (int e = 0; e < c->tet_count; e++)
        for (int a = 0; a < 4; a++) start[corner(c, e, a) + 2]++;
    for (int n = 0; n < c->node_count; n++) start[n + 2] += start[n + 1];
    for (int e = 0; e < c->tet_count; e++)
        for (int a = 0; a < 4; a++) c->star[start[corner(c, e, a) + 1]++] = e;
}

/* The free element that shares most nodes, at least a face, with patch p; -1 if none. */
static int next_element(const Chooser *c, int p, const int *nodes, int node_count)
{
    int best = -1, most = 2;
    for (int k = 0; k < node_count; k++)
        for (int i = c->star_start[nodes[k]]; i < c->star_start[nodes[k] + 1]; i++) {
            int e = c->star[i], shared = 0;
            if (c->patch[e] >= 0) continue;
            for (int a = 0; a < 4; a++) shared += c->mark[corner(c, e, a)] == p;
            if (shared > most || (shared == most && best >= 0 && e < best)) {
                best = e;
                most = shared;
            }
        }
    return best;
}

/* The smallest patch behind a face of e; -1 if none. */
static int neighbour_patch(const Chooser *c, int e, int own)
{
    int best = -1;
    for (int a = 0; a < 4; a++) {
        int n = corner(c, e, a);
        for (int i = c->star_start[n]; i < c->star_start[n + 1]; i++) {
            int other = c->star[i], p = c->patch[other], shared = 0;
            if (p < 0 || p == own) continue;
            for (int k = 0; k < 16; k++) shared += corner(c, e, k / 4) == corner(c, other, k % 4);
            if (shared == 3 && (best < 0 || c->size[p] < c->size[best])) best = p;
        }
    }
    return best;
}

/* Hands the elements of a patch that is too small to its neighbours; whether all went. */
static bool dissolve(Chooser *c, int p, const int *members, int count)
{
    int left = count;
    for (int k = count - 1; k >= 0; k--) { /* the first one last: the others surround it */
        int to = neighbour_patch(c, members[k], p);
        if (to < 0) continue;
        c->patch[members[k]] = to;
        c->size[to]++;
        left--;
    }
    c->size[p] = left;
    return left == 0;
}

static int choose(Chooser *c)
{
    int count = 0;
    for (int seed = 0; seed < c->tet_count; seed++) {
        if (c->patch[seed] >= 0) continue;
        int members[FULL], nodes[MOST_NODES], size = 0, node_count = 0;
        for (int e = seed; e >= 0 && size < FULL; e = next_element(c, count, nodes, node_count)) {
            members[size++] = e;
            c->patch[e] = count;
            for (int a = 0; a < 4; a++) {
                int n = corner(c, e, a);
                if (c->mark[n] == count) continue;
                c->mark[n] = count;
                nodes[node_count++] = n;
            }
        }
        c->size[count] = size;
        if (size >= FEW || !dissolve(c, count, members, size))
            count++;
        else /* the number is used again: its nodes must not look taken */
            for (int k = 0; k < node_count; k++) c->mark[nodes[k]] = -1;
    }
    return count;
}

int tn_soft_patches(int node_count, int tet_count, const int32_t *tets, int32_t *patch)
{
    size_t nodes = (size_t)node_count, elements = (size_t)tet_count;
    Chooser c = {.node_count = node_count,
                 .tet_count = tet_count,
                 .tets = tets,
                 .star_start = tn_calloc(nodes + 2, sizeof(int)),
                 .star = tn_malloc(4 * elements * sizeof(int)),
                 .mark = tn_malloc(nodes * sizeof(int)),
                 .size = tn_calloc(elements, sizeof(int)),
                 .patch = patch};
    int count = -1;
    if (c.star_start && c.star && c.mark && c.size) {
        for (size_t n = 0; n < nodes; n++) c.mark[n] = -1;
        for (size_t e = 0; e < elements; e++) patch[e] = -1;
        list_stars(&c);
        count = choose(&c);
    }
    tn_free(c.star_start);
    tn_free(c.star);
    tn_free(c.mark);
    tn_free(c.size);
    return count;
}
