/* cut.h: a set of vertices cut in two, so that few nets run through the cut.
 *
 * A net joins any number of vertices (of a mesh: a node joins the elements around it); it is cut
 * where it has vertices on both sides. Vertices have weights; a cut is balanced when the weight of
 * side 0 is within `slack` of its target. Everything is decided by numbers of vertices, so that the
 * same graph is always cut alike. */
#ifndef TN_MODEL_CUT_H
#define TN_MODEL_CUT_H

#include <stdbool.h>

typedef struct TnCutGraph {
    int vertex_count, net_count;
    int *net_start, *nets;       /* of each vertex, each once */
    int *vertex_start, *members; /* of each net, ascending */
    int *weight;                 /* per vertex, >= 1 */
    int *set;                    /* per vertex: which set it is in; the others stay out of a cut */
} TnCutGraph;

/* One cut: of the `count` vertices `list`, all that have this `set`. */
typedef struct TnCut {
    const TnCutGraph *graph;
    const int *list;
    int count, set;
    double target, slack; /* weight of side 0 */
    /* results and scratch; make them with tn_cut_create for all cuts of a graph */
    signed char *side; /* per vertex */
    int crossing;      /* nets that are cut */
    double weight;     /* of side 0 */
    int (*in)[2];      /* per net: vertices on each side */
    int *gain, *next, *before, *head, *moved;
    signed char *locked;
    int most; /* nets of one vertex, at most */
} TnCut;

bool tn_cut_create(TnCut *cut,
                   const TnCutGraph *graph); /* false: no memory; free it all the same */
void tn_cut_free(TnCut *cut);

/* Sides from an order of the vertices: the first ones go to side 0, up to where the fewest nets are
 * cut among the balanced ways. */
void tn_cut_sweep(TnCut *cut, const int *order);
void tn_cut_move(TnCut *cut, int vertex); /* to the other side */
/* Moves vertices as long as that helps (Fiduccia and Mattheyses, 19th Design Automation Conference,
 * 1982). */
void tn_cut_refine(TnCut *cut);

#endif
