/* soft_pieces.c: pieces of a soft body by cutting it in two again and again (cut.h).
 *
 * A node that is in m pieces in the end was cut m - 1 times, which is the number of its ties: that
 * is what each cut keeps small. A cut starts from sweeps along the three principal axes of the
 * centroids, and along the distance from one end through the elements, which follows bent shapes.
 * Each is refined, and what does not hang together with the rest of its side (through faces)
 * changes sides; the best is taken.
 *
 * The body is divided once more into slices, with sweeps along its own longest axis only; these are
 * taken where they have hardly more ties, as they do in a slender body. */
#include "soft_pieces.h"

#include "../../base/base.h"
#include "../../math/vec3.h"
#include "../mesh/inertia.h"
#include "piece_graph.h"

#include <stdlib.h>
#include <string.h>

/* Share of a piece's size by which a cut may leave the right place. */
#define SLACK 0.05
/* What slices may cost over other pieces, as they have two neighbours only: ties, and the largest
 * piece. */
#define MORE 1.2

typedef struct Keyed {
    double key;
    int vertex;
} Keyed;

typedef struct Parts {
    TnPieceGraph graph;
    TnCut cut;
    int *list; /* vertices, those of a set together */
    int *order, *part, *sliced;
    Keyed *keyed;
    signed char *best;
    bool slices; /* along this axis */
    double axis[3];
} Parts;

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
        p->keyed[i] = (Keyed){v3_dot(axis, p->graph.centre[list[i]]), list[i]};
    qsort(p->keyed, (size_t)count, sizeof *p->keyed, compare_keyed);
    for (int i = 0; i < count; i++) p->order[i] = p->keyed[i].vertex;
}

/* Principal axes of the centroids as the rows of a matrix, and how far they spread along each. */
static void find_axes(const Parts *p, const int *list, int count, double axes[9], double width[3])
{
    double mean[3] = {0.0}, total = 0.0, spread[9] = {0.0}, quat[4], columns[9];
    for (int i = 0; i < count; i++) {
        double w = p->graph.cut.weight[list[i]];
        v3_add_scaled(mean, p->graph.centre[list[i]], w);
        total += w;
    }
    v3_scale(mean, mean, 1.0 / total);
    for (int i = 0; i < count; i++) {
        double d[3], w = p->graph.cut.weight[list[i]];
        v3_sub(d, p->graph.centre[list[i]], mean);
        for (int k = 0; k < 9; k++) spread[k] += w * d[k / 3] * d[k % 3];
    }
    tn_principal_axes(spread, width, quat);
    quat_to_m3(columns, quat);
    for (int k = 0; k < 9; k++) axes[k] = columns[3 * (k % 3) + k / 3];
    for (int k = 0; k < 3; k++) width[k] = sqrt(fmax(width[k], 0.0));
}

static void find_longest(Parts *p)
{
    double axes[9], width[3];
    find_axes(p, p->list, p->graph.cut.vertex_count, axes, width);
    int longest = 0;
    for (int k = 1; k < 3; k++)
        if (width[k] > width[longest]) longest = k;
    v3_copy(p->axis, axes + 3 * longest);
}

/* Breadth first from a vertex, through faces; what is not reached follows from its first vertex on.
 */
static void order_from(Parts *p, const int *list, int count, int set, int start)
{
    const int *member = p->graph.cut.set;
    int done = 0, next = 0;
    for (int i = 0; i < count; i++) p->part[list[i]] = 0;
    for (int i = -1; i < count; i++) {
        int seed = i < 0 ? start : list[i];
        if (p->part[seed]) continue;
        p->part[seed] = 1;
        p->order[done++] = seed;
        for (; next < done; next++) {
            int v = p->order[next];
            for (int k = p->graph.beside_start[v]; k < p->graph.beside_start[v + 1]; k++) {
                int other = p->graph.beside[k];
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
    const TnCutGraph *g = &p->graph.cut;
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
            for (int k = p->graph.beside_start[v]; k < p->graph.beside_start[v + 1]; k++) {
                int other = p->graph.beside[k];
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

/* Parts beside the heaviest one go to the other side. Those of side 1 first: then what is left over
 * of side 0 borders on nothing but side 1, which stays connected. */
static void connect_sides(Parts *p, const int *list, int count, int set)
{
    for (int side = 1; side >= 0; side--) {
        int heaviest = find_parts(p, list, count, set, side);
        for (int i = 0; i < count; i++) {
            int v = list[i];
            if (p->part[v] && p->part[v] != heaviest) tn_cut_move(&p->cut, v);
        }
    }
}

/* From the order in p->order. */
static void try_order(Parts *p, int *fewest, double *excess)
{
    TnCut *cut = &p->cut;
    tn_cut_sweep(cut, p->order);
    tn_cut_refine(cut);
    connect_sides(p, cut->list, cut->count, cut->set);
    double over = fmax(fabs(cut->weight - cut->target) - cut->slack, 0.0);
    if (over > *excess || (over == *excess && cut->crossing >= *fewest)) return;
    *fewest = cut->crossing;
    *excess = over;
    for (int i = 0; i < cut->count; i++) p->best[cut->list[i]] = cut->side[cut->list[i]];
}

/* Sides of the vertices `list`, of which side 0 is to have `share`. */
static void cut_in_two(Parts *p, const int *list, int count, int set, double share, int pieces)
{
    TnCut *cut = &p->cut;
    double axes[9], width[3], total = 0.0, excess = INFINITY;
    int fewest = 0;
    for (int i = 0; i < count; i++) total += p->graph.cut.weight[list[i]];
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
        try_order(p, &fewest, &excess);
    }
    if (!p->slices) {
        order_from(p, list, count, set, list[0]);
        order_from(p, list, count, set, p->order[count - 1]); /* from an end */
        try_order(p, &fewest, &excess);
    }
    for (int i = 0; i < count; i++) cut->side[list[i]] = p->best[list[i]];
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
    for (int i = kept; i < count; i++) p->graph.cut.set[list[i]] = first + half;
    divide(p, list, kept, first, half);
    divide(p, list + kept, count - kept, first + half, pieces - half);
}

/* ---- ways to divide ---- */

/* Ties between the pieces of all nodes, and the weight of the largest piece. */
typedef struct Outcome {
    int ties, largest;
} Outcome;

static Outcome judge(const Parts *p, int *count_of, int pieces)
{
    const TnCutGraph *g = &p->graph.cut;
    Outcome out = {0, 0};
    for (int i = 0; i < pieces; i++) count_of[i] = -1;
    for (int n = 0; n < g->net_count; n++) {
        int sets = 0;
        for (int k = g->vertex_start[n]; k < g->vertex_start[n + 1]; k++) {
            int *last = &count_of[g->set[g->members[k]]];
            sets += *last != n;
            *last = n;
        }
        out.ties += sets - 1;
    }
    for (int i = 0; i < pieces; i++) count_of[i] = 0;
    for (int v = 0; v < g->vertex_count; v++) {
        int *weight = &count_of[g->set[v]];
        *weight += g->weight[v];
        if (*weight > out.largest) out.largest = *weight;
    }
    return out;
}

static Outcome divide_whole(Parts *p, int *count_of, int pieces, bool slices)
{
    int count = p->graph.cut.vertex_count;
    for (int v = 0; v < count; v++) {
        p->graph.cut.set[v] = 0;
        p->list[v] = v;
    }
    p->slices = slices;
    if (slices) find_longest(p);
    divide(p, p->list, count, 0, pieces);
    return judge(p, count_of, pieces);
}

static void choose(Parts *p, int *count_of, int pieces)
{
    Outcome slices = divide_whole(p, count_of, pieces, true);
    size_t bytes = (size_t)p->graph.cut.vertex_count * sizeof(int);
    memcpy(p->sliced, p->graph.cut.set, bytes);
    Outcome any = divide_whole(p, count_of, pieces, false);
    if (slices.ties <= MORE * any.ties && slices.largest <= MORE * any.largest)
        memcpy(p->graph.cut.set, p->sliced, bytes);
}

/* ---- */

static bool create(Parts *p, const TnSoft *soft)
{
    if (!tn_piece_graph_create(&p->graph, soft) || !tn_cut_create(&p->cut, &p->graph.cut))
        return false;
    size_t vertices = (size_t)p->graph.cut.vertex_count;
    p->list = tn_calloc(vertices, sizeof(int));
    p->order = tn_calloc(vertices, sizeof(int));
    p->part = tn_calloc(vertices, sizeof(int));
    p->sliced = tn_calloc(vertices, sizeof(int));
    p->keyed = tn_calloc(vertices, sizeof *p->keyed);
    p->best = tn_calloc(vertices, sizeof *p->best);
    return p->list && p->order && p->part && p->sliced && p->keyed && p->best;
}

static void destroy(Parts *p)
{
    tn_cut_free(&p->cut);
    tn_piece_graph_free(&p->graph);
    tn_free(p->list);
    tn_free(p->order);
    tn_free(p->part);
    tn_free(p->sliced);
    tn_free(p->keyed);
    tn_free(p->best);
}

/* Pieces by their first element. */
static int number_pieces(const Parts *p, const TnSoft *soft, int *number, int *piece_of_tet)
{
    int count = 0;
    for (int e = 0; e < soft->tet_count; e++) {
        int *n = &number[p->graph.cut.set[tn_piece_vertex(soft, e)]];
        if (*n < 0) *n = count++;
        piece_of_tet[e] = *n;
    }
    return count;
}

bool tn_soft_partition(const TnSoft *soft, int *piece_count, int *piece_of_tet)
{
    TN_ASSERT(*piece_count >= 1);
    Parts p = {0};
    bool ok = create(&p, soft);
    int most = p.graph.cut.vertex_count, pieces = *piece_count < most ? *piece_count : most;
    int *number = ok ? tn_calloc((size_t)pieces + 1, sizeof *number) : NULL;
    if (number) {
        choose(&p, number, pieces);
        for (int i = 0; i < pieces; i++) number[i] = -1;
        *piece_count = number_pieces(&p, soft, number, piece_of_tet);
    }
    ok = number;
    destroy(&p);
    tn_free(number);
    return ok;
}
