/* soft_pieces.h: a soft body's elements divided into pieces. */
#ifndef TN_MODEL_SOFT_PIECES_H
#define TN_MODEL_SOFT_PIECES_H

#include "../model.h"

/* piece_of_tet[]: each element's piece, from 0 without gaps; patches of mean dilatation stay whole.
 * Pieces are about equally large and hang together where the body does, with few nodes on their
 * borders. *piece_count says how many are wanted (>= 1) and then how many there are: fewer where
 * there are not enough patches. False: no memory. */
bool tn_soft_partition(const TnSoft *soft, int *piece_count, int *piece_of_tet);

#endif
