/* graph_order.h: orders in which the nodes of a graph may be eliminated with little fill. Any other
 * program that makes a permutation (METIS) may stand in for tn_graph_dissect. */
#ifndef TN_MATH_GRAPH_ORDER_H
#define TN_MATH_GRAPH_ORDER_H

#include <stdbool.h>

/* Neighbours of node i: neighbour[first[i] … first[i+1]), each edge from both of its ends, no node
 * its own neighbour. */
typedef struct TnGraph {
    int node_count;
    const int *first, *neighbour;
} TnGraph;

#define TN_GRAPH_WORK 13 /* ints of scratch per node */

/* All write the nodes that are not left out to `order`, the first to be eliminated first. */
/* Towards nodes: the others, by distance from `count` nodes of `order` behind its other nodes,
 * the farthest first; nodes that none of them reaches come before all. work: 2 ints per node. */
void tn_graph_towards(const TnGraph *graph, int count, int *order, int *work);
/* Layers: towards the middle from both ends, for slender bodies. level: per node its distance from
 * one end of its connected part. */
void tn_graph_layers(const TnGraph *graph, int *order, int *level, int *work);
/* Nested dissection: nodes that separate two halves come behind both, and so on within the
 * halves. */
void tn_graph_dissect(const TnGraph *graph, int *order, int *work);

#endif
