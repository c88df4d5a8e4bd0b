/* soft_division.h: soft bodies' part of the division. Internal to division.c. */
#ifndef TN_MODEL_SOFT_DIVISION_H
#define TN_MODEL_SOFT_DIVISION_H

#include "division.h"

/* Pieces that a soft body is asked to be divided into. */
int tn_soft_piece_count(const TnDivision *division, const TnSoft *soft);
/* Joins trees with the soft bodies that they carry: root is union-find over trees, then soft
 * bodies. A tree with `taken` carries a rod and stays where it is. */
void tn_soft_join(const TnDivision *division, const TnModel *model, const bool *taken, int *root);
/* Pieces and mesh blocks; dense blocks and chains are numbered. False: no memory. */
bool tn_soft_divide(TnDivision *division, const TnModel *model, const int *root);
void tn_soft_division_free(TnDivision *division);

/* ---- soft_graph.c ---- */
int tn_soft_tree_nodes(const TnModel *model, int tree); /* of three dofs each */
/* Edges and pattern of a block whose nodes are numbered. False: no memory. */
bool tn_soft_graph(const TnDivision *division, const TnModel *model, TnMeshBlock *mesh);

#endif
