/* convex_pieces.h (internal): a mesh as convex pieces. */
#ifndef TN_MODEL_CONVEX_PIECES_H
#define TN_MODEL_CONVEX_PIECES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct TnPiece {
    double *points; /* 3 × count, heap; the piece is their hull */
    int count;
} TnPiece;

#define TN_MOST_PIECES 64

/* Cuts until no triangle is farther below the hull of its piece than a hundredth of the mesh's
 * size, or there are TN_MOST_PIECES. Returns their number, 0 where there is nothing solid, -1
 * without memory. Free with tn_pieces_free. */
int tn_convex_pieces(const double *vertices, const int32_t *triangles, int triangle_count,
                     TnPiece out[TN_MOST_PIECES]);
void tn_pieces_free(TnPiece *pieces, int count);

#endif
