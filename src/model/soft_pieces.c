/* soft_pieces.c: pieces of a soft body by cutting it in two again and again (cut.h).
 *
 * Vertices are the patches, or the elements where there are none, with as much weight as elements; nets are the
 * nodes. A node that is in m pieces in the end was cut m - 1 times, which is the number of its ties: that is what
 * each cut keeps small. A cut starts from sweeps along the three principal axes of the centroids, and along the
 * distance from one end through the elements, which follows bent shapes; refined, the best of them is taken.
 * A slender body is cut into slices instead, along its longest axis only.
 *
 * At last what does not hang together with the rest of its side (through faces) changes sides. */
#include "soft_pieces.h"

#include "../base/base.h"
#include "../math/vec3.h"
#include "cut.h"
#include "inertia.h"
#include "tet_mesh.h"

#include <stdlib.h>
#include <string.h>

/* Share of a piece's size by which a cut may leave the right place. */
#define SLACK 0.05
/* Thickness over width from which on slices are right: at a half, slices and halves of slices twice as thick have
 * equally large borders, and slices have two neighbours only. */
#define SLICE 0.4

typedef struct Keyed {
    double key;
    int vertex;
} Keyed;

typedef struct Parts {
    TnCutGraph graph;
    TnCut cut;
    int *beside_start, *beside; /* vertices behind a face of each vertex */
    double (*centre)[3];        /* per vertex */
    int *list;                  /* vertices, those of a set together */
    int *order, *part;
    Keyed *keyed;
    signed char *best;
    bool slices; /* along this axis */
    double axis[3];
} Parts;

/* ---- the graph ---- */

static int vertex_of(const TnSoft *soft, int tet)
{
    return soft->patches ? soft->patches[tet] : tet;
}

static void add_up(int *start, int count)
{
    for (int i = 0; i < count; i++) start[i + 1] += start[i];
}

/* Members of each net by counting; then the nets of each vertex from them. Both lists may have a pair once only:
 * vertices come to a node in ascending order of their elements, so `last` tells most repeats, a look back the
 * others. */
static bool list_nets(Parts *p, const TnSoft *soft)
{
    TnCutGraph *g = &p->graph;
    size_t pins = 4 * (size_t)soft->tet_count;
    int *start = tn_calloc((size_t)soft->node_count + 1, sizeof *start), kept = 0;
    g->members = tn_malloc((pins + 1) * sizeof(int));
    g->nets = tn_malloc((pins + 1) * sizeof(int));
    g->vertex_start = tn_calloc((size_t)g->net_count + 1, sizeof(int));
    g->net_start = tn_calloc((size_t)g->vertex_count + 1, sizeof(int));
    int *end = tn_calloc((size_t)soft->node_count + 1, sizeof *end);
    bool ok = start && end && g->members && g->nets && g->vertex_start && g->net_start;
    if (ok) {
        for (size_t i = 0; i < pins; i++) start[soft->tets[i] + 1]++;
        add_up(start, soft->node_count);
        memcpy(end, start, ((size_t)soft->node_count + 1) * sizeof *end);
        for (size_t i = 0; i < pins; i++) {
            int v = vertex_of(soft, (int)(i / 4)), n = soft->tets[i], k = start[n];
            while (k < end[n] && g->members[k] != v) k++;
            if (k == end[n]) g->members[end[n]++] = v;
        }
        for (int n = 0; n < soft->node_count; n++) { /* close the gaps */
            g->vertex_start[n] = kept;
            for (int k = start[n]; k < end[n]; k++) {
                g->members[kept++] = g->members[k];
                g->net_start[g->members[k] + 1]++;
            }
        }
        g->vertex_start[soft->node_count] = kept;
        add_up(g->net_start, g->vertex_count);
        for (int n = soft->node_count - 1; n >= 0; n--)
            for (int k = g->vertex_start[n]; k < g->vertex_start[n + 1]; k++)
                g->nets[--g->net_start[g->members[k] + 1]] = n;
        /* each start has moved one place down */
        memmove(g->net_start, g->net_start + 1, (size_t)g->vertex_count * sizeof(int));
        g->net_start[g->vertex_count] = kept;
    }
    tn_free(start);
    tn_free(end);
    return ok;
}

/* Vertices that share a face, from both sides. */
static bool list_beside(Parts *p, const TnSoft *soft)
{
    TnTetMesh mesh = {soft->node_count, soft->tet_count, soft->rest, soft->tets};
    size_t count = 4 * (size_t)soft->tet_count;
    TnTetSide *sides = tn_tet_sides(&mesh);
    p->beside_start = tn_calloc((size_t)p->graph.vertex_count + 1, sizeof(int));
    p->beside = tn_malloc(count * sizeof(int));
    bool ok = sides && p->beside_start && p->beside;
    for (int pass = 0; ok && pass < 2; pass++) {
        for (size_t i = 0; i + 1 < count; i++) {
            if (!tn_tet_sides_equal(&sides[i], &sides[i + 1])) continue;
            int a = vertex_of(soft, sides[i].tet), b = vertex_of(soft, sides[i + 1].tet);
            if (a == b) continue;
            if (pass == 0) {
                p->beside_start[a + 1]++;
                p->beside_start[b + 1]++;
            } else {
                p->beside[--p->beside_start[a + 1]] = b;
                p->beside[--p->beside_start[b + 1]] = a;
            }
        }
        if (pass == 0) add_up(p->beside_start, p->graph.vertex_count);
    }
    if (ok) { /* as in list_nets */
        int total = 0;
        for (size_t i = 0; i + 1 < count; i++)
            if (tn_tet_sides_equal(&sides[i], &sides[i + 1]) &&
                vertex_of(soft, sides[i].tet) != vertex_of(soft, sides[i + 1].tet))
                total += 2;
        memmove(p->beside_start, p->beside_start + 1, (size_t)p->graph.vertex_count * sizeof(int));
        p->beside_start[p->graph.vertex_count] = total;
    }
    tn_free(sides);
    return ok;
}

static void find_centres(Parts *p, const TnSoft *soft)
{
    TnCutGraph *g = &p->graph;
    for (int e = 0; e < soft->tet_count; e++) {
        int v = vertex_of(soft, e);
        g->weight[v]++;
        for (int a = 0; a < 4; a++)
            v3_add_scaled(p->centre[v],
                          soft->rest + 3 * (size_t)soft->tets[4 * (size_t)e + (size_t)a], 0.25);
    }
    for (int v = 0; v < g->vertex_count; v++)
        v3_scale(p->centre[v], p->centre[v], 1.0 / g->weight[v]);
}

/* ---- orders to sweep along ---- */

static int compare_keyed(const void *first, const void *second)
{
    const Keyed *a = first, *b = second;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static void order_along(Parts *p, const int *list, int count, const double axis[3])
{
    for (int i = 0; i < count; i++)
        p->keyed[i] = (Keyed){v3_dot(axis, p->centre[list[i]]), list[i]};
    qsort(p->keyed, (size_t)count, sizeof *p->keyed, compare_keyed);
    for (int i = 0; i < count; i++) p->order[i] = p->keyed[i].vertex;
}

/* Principal axes of the centroids as the rows of a matrix, and how far they spread along each. */
static void find_axes(const Parts *p, const int *list, int count, double axes[9], double width[3])
{
    double mean[3] = {0.0}, total = 0.0, spread[9] = {0.0}, quat[4], columns[9];
    for (int i = 0; i < count; i++) {
        double w = p->graph.weight[list[i]];
        v3_add_scaled(mean, p->centre[list[i]], w);
        total += w;
    }
    v3_scale(mean, mean, 1.0 / total);
    for (int i = 0; i < count; i++) {
        double d[3], w = p->graph.weight[list[i]];
        v3_sub(d, p->centre[list[i]], mean);
        for (int k = 0; k < 9; k++) spread[k] += w * d[k / 3] * d[k % 3];
    }
    tn_principal_axes(spread, width, quat);
    quat_to_m3(columns, quat);
    for (int k = 0; k < 9; k++) axes[k] = columns[3 * (k % 3) + k / 3];
    for (int k = 0; k < 3; k++) width[k] = sqrt(fmax(width[k], 0.0));
}

static void choose_slices(Parts *p, int pieces)
{
    double axes[9], width[3];
    find_axes(p, p->list, p->graph.vertex_count, axes, width);
    int longest = 0;
    for (int k = 1; k < 3; k++)
        if (width[k] > width[longest]) longest = k;
    double across = fmax(width[(longest + 1) % 3], width[(longest + 2) % 3]);
    p->slices = width[longest] / pieces >= SLICE * across;
    v3_copy(p->axis, axes + 3 * longest);
}

/* Breadth first from a vertex, through faces; what is not reached follows from its first vertex on. */
static void order_from(Parts *p, const int *list, int count, int set, int start)
{
    const int *member = p->graph.set;
    int done = 0, next = 0;
    for (int i = 0; i < count; i++) p->part[list[i]] = 0;
    for (int i = -1; i < count; i++) {
        int seed = i < 0 ? start : list[i];
        if (p->part[seed]) continue;
        p->part[seed] = 1;
        p->order[done++] = seed;
        for (; next < done; next++) {
            int v = p->order[next];
            for (int k = p->beside_start[v]; k < p->beside_start[v + 1]; k++) {
                int other = p->beside[k];
                if (member[other] != set || p->part[other]) continue;
                p->part[other] = 1;
                p->order[done++] = other;
            }
        }
    }
}

/* ---- one cut ---- */

/* Numbers the connected parts of a side in part[], from 1; returns the heaviest. */
static int find_parts(Parts *p, const int *list, int count, int set, int side)
{
    const TnCutGraph *g = &p->graph;
    int part_count = 0, heaviest = 0, most = -1;
    for (int i = 0; i < count; i++) p->part[list[i]] = 0;
    for (int i = 0; i < count; i++) {
        if (p->cut.side[list[i]] != side || p->part[list[i]]) continue;
        int done = 0, weight = 0;
        p->part[list[i]] = ++part_count;
        p->order[done++] = list[i];
        for (int next = 0; next < done; next++) {
            int v = p->order[next];
            weight += g->weight[v];
            for (int k = p->beside_start[v]; k < p->beside_start[v + 1]; k++) {
                int other = p->beside[k];
                if (g->set[other] != set || p->cut.side[other] != side || p->part[other]) continue;
                p->part[other] = part_count;
                p->order[done++] = other;
            }
        }
        if (weight <= most) continue;
        most = weight;
        heaviest = part_count;
    }
    return heaviest;
}

/* Parts beside the heaviest one go to the other side. Those of side 1 first: then what is left over of side 0 borders
 * on nothing but side 1, which stays connected. */
static void connect_sides(Parts *p, const int *list, int count, int set)
{
    for (int side = 1; side >= 0; side--) {
        int heaviest = find_parts(p, list, count, set, side);
        for (int i = 0; i < count; i++) {
            int v = list[i];
            if (p->part[v] && p->part[v] != heaviest) p->cut.side[v] = (signed char)(1 - side);
        }
    }
}

static void take_if_better(Parts *p, int *fewest, double *offset)
{
    TnCut *cut = &p->cut;
    tn_cut_refine(cut);
    double off = fmax(fabs(cut->weight - cut->target) - cut->slack, 0.0);
    if (off > *offset || (off == *offset && cut->crossing >= *fewest)) return;
    *fewest = cut->crossing;
    *offset = off;
    for (int i = 0; i < cut->count; i++) p->best[cut->list[i]] = cut->side[cut->list[i]];
}

/* Sides of the vertices `list`, of which side 0 is to have `share`. */
static void cut_in_two(Parts *p, const int *list, int count, int set, double share, int pieces)
{
    TnCut *cut = &p->cut;
    double axes[9], width[3], total = 0.0, offset = INFINITY;
    int fewest = 0;
    for (int i = 0; i < count; i++) total += p->graph.weight[list[i]];
    cut->list = list;
    cut->count = count;
    cut->set = set;
    cut->target = share * total;
    cut->slack = SLACK * total / pieces;
    if (p->slices)
        v3_copy(axes, p->axis);
    else
        find_axes(p, list, count, axes, width);
    for (int k = 0; k < (p->slices ? 1 : 3); k++) {
        order_along(p, list, count, axes + 3 * k);
        tn_cut_sweep(cut, p->order);
        take_if_better(p, &fewest, &offset);
    }
    if (!p->slices) {
        order_from(p, list, count, set, list[0]);
        order_from(p, list, count, set, p->order[count - 1]); /* from an end */
        tn_cut_sweep(cut, p->order);
        take_if_better(p, &fewest, &offset);
    }
    for (int i = 0; i < count; i++) cut->side[list[i]] = p->best[list[i]];
    connect_sides(p, list, count, set);
}

/* Those of side 0 first, in their order; returns how many they are. */
static int sort_by_side(Parts *p, int *list, int count)
{
    int first = 0, second = 0;
    for (int i = 0; i < count; i++) {
        if (p->cut.side[list[i]] == 0)
            list[first++] = list[i];
        else
            p->order[second++] = list[i];
    }
    for (int i = 0; i < second; i++) list[first + i] = p->order[i];
    return first;
}

/* Divides the vertices of set `first` into sets first … first + pieces - 1. */
static void divide(Parts *p, int *list, int count, int first, int pieces)
{
    if (pieces > count) pieces = count;
    if (pieces <= 1) return;
    int half = pieces / 2;
    cut_in_two(p, list, count, first, (double)half / pieces, pieces);
    int kept = sort_by_side(p, list, count);
    for (int i = kept; i < count; i++) p->graph.set[list[i]] = first + half;
    divide(p, list, kept, first, half);
    divide(p, list + kept, count - kept, first + half, pieces - half);
}

/* ---- */

static bool create(Parts *p, const TnSoft *soft)
{
    TnCutGraph *g = &p->graph;
    g->vertex_count = soft->patches ? soft->patch_count : soft->tet_count;
    g->net_count = soft->node_count;
    size_t vertices = (size_t)g->vertex_count;
    g->weight = tn_calloc(vertices, sizeof(int));
    g->set = tn_calloc(vertices, sizeof(int));
    p->centre = tn_calloc(vertices, sizeof *p->centre);
    p->list = tn_calloc(vertices, sizeof(int));
    p->order = tn_calloc(vertices, sizeof(int));
    p->part = tn_calloc(vertices, sizeof(int));
    p->keyed = tn_calloc(vertices, sizeof *p->keyed);
    p->best = tn_calloc(vertices, sizeof *p->best);
    return g->weight && g->set && p->centre && p->list && p->order && p->part && p->keyed &&
           p->best && list_nets(p, soft) && list_beside(p, soft) && tn_cut_create(&p->cut, g);
}

static void destroy(Parts *p)
{
    tn_cut_free(&p->cut);
    tn_free(p->graph.net_start);
    tn_free(p->graph.nets);
    tn_free(p->graph.vertex_start);
    tn_free(p->graph.members);
    tn_free(p->graph.weight);
    tn_free(p->graph.set);
    tn_free(p->beside_start);
    tn_free(p->beside);
    tn_free(p->centre);
    tn_free(p->list);
    tn_free(p->order);
    tn_free(p->part);
    tn_free(p->keyed);
    tn_free(p->best);
}

/* Pieces by their first element. */
static int number_pieces(const Parts *p, const TnSoft *soft, int *number, int *piece_of_tet)
{
    int count = 0;
    for (int e = 0; e < soft->tet_count; e++) {
        int *n = &number[p->graph.set[vertex_of(soft, e)]];
        if (!*n) *n = ++count;
        piece_of_tet[e] = *n - 1;
    }
    return count;
}

bool tn_soft_partition(const TnSoft *soft, int *piece_count, int *piece_of_tet)
{
    Parts p = {0};
    int *number = tn_calloc((size_t)*piece_count + 1, sizeof *number);
    bool ok = number && create(&p, soft);
    if (ok) {
        for (int v = 0; v < p.graph.vertex_count; v++) p.list[v] = v;
        find_centres(&p, soft);
        choose_slices(&p, *piece_count);
        divide(&p, p.list, p.graph.vertex_count, 0, *piece_count);
        *piece_count = number_pieces(&p, soft, number, piece_of_tet);
    }
    destroy(&p);
    tn_free(number);
    return ok;
}
