/* assembly_maps.h: where the numbers of an assembly are; private to assembly*.c.
 *
 * A row of the twist table depends on its node by segments: T (six rows, or the linear three of a
 * mesh's points) over consecutive unknowns of the node; those that do not move the row are left
 * out. The world has none, a twist block and a segment of a cable one without T. */
#ifndef TN_SOLVER_ASSEMBLY_MAPS_H
#define TN_SOLVER_ASSEMBLY_MAPS_H

#include "assembly.h"

typedef struct TnSegment {
    int at, count;   /* unknowns of the node */
    int rows;        /* of T: 6, or 3 where the angular half is zero */
    int stride;      /* from one row of T to the next */
    const double *T; /* rows × count; NULL: the identity, six */
} TnSegment;

/* Contacts of two rows of the table that follow each other in the problem, or one bond. */
struct TnPair {
    int row_a, row_b;
    int begin, end; /* contacts; none: a bond */
    int bond;
    int edge; /* between their nodes; -1: a side on the world, or one node */
};

/* Entries of a scalar row within one node. */
typedef struct TnRun {
    int node, begin, end;
    bool straight; /* their unknowns follow each other */
} TnRun;

typedef struct TnAssemblyMaps {
    int *node_start;    /* per large block: its first node */
    int *segment_start; /* per table row, and one more */
    TnSegment *segments;
    int *entry_at;  /* per entry of rows: its unknown, counted within the node */
    int *entry_x;   /* the same in x */
    int *run_start; /* per scalar row, and one more */
    TnRun *runs;
    int *run_edge_start; /* per scalar row */
    int *run_edges;      /* of runs (0,1), (0,2), (1,2), (0,3) …; -1: the same node */
    double (*force)[8];  /* scratch: wrenches of the table's rows */
    double *product;     /* scratch: Q T, 6 × the longest segment */
} TnAssemblyMaps;

#endif
