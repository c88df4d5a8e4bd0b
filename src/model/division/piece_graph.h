/* piece_graph.h: a soft body's elements as a graph to be cut (cut.h).
 *
 * Vertices are the patches of mean dilatation, or the elements where there are none, with as much
 * weight as elements; nets are the nodes. */
#ifndef TN_MODEL_PIECE_GRAPH_H
#define TN_MODEL_PIECE_GRAPH_H

#include "../mesh/cut.h"
#include "../model.h"

typedef struct TnPieceGraph {
    TnCutGraph cut;             /* all in set 0 at first */
    int *beside_start, *beside; /* vertices behind the faces of each vertex; one may come twice */
    double (*centre)[3];        /* m, per vertex */
} TnPieceGraph;

static inline int tn_piece_vertex(const TnSoft *soft, int tet)
{
    return soft->patches ? soft->patches[tet] : tet;
}

bool tn_piece_graph_create(TnPieceGraph *graph,
                           const TnSoft *soft); /* false: no memory; free it all the same */
void tn_piece_graph_free(TnPieceGraph *graph);

#endif
