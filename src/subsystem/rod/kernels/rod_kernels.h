/* rod_kernels.h: the equations of eight joints of a rod at a time, in structure-of-arrays form.
 * assemble.c says what they are, ../rod.h has the letters. One algorithm (rod_lanes.h) is compiled
 * per instruction set.
 *
 * Joints that bend by more than a fifth of a radian, or whose spring does not end in the centres of
 * its segments, are for ../strain.c. */
#ifndef TN_DYNAMICS_ROD_KERNELS_ROD_KERNELS_H
#define TN_DYNAMICS_ROD_KERNELS_ROD_KERNELS_H

enum { TN_ROD_LANES = 8, TN_ROD_LAW_ROWS = 7, TN_ROD_SYM = 21 };

/* A number of each joint. */
typedef double TnRodLane[TN_ROD_LANES];

/* Two segments at one place. */
typedef struct TnRodPlaces {
    _Alignas(64) TnRodLane d[3];       /* from a to b */
    _Alignas(64) TnRodLane quat[2][4]; /* of a, of b */
} TnRodPlaces;

typedef struct TnRodBatch {
    TnRodPlaces start, mid;
    _Alignas(64) TnRodLane v[2][6]; /* twists of a and of b */
    TnRodLane part[3];              /* linear velocity of b against a, as expected */
    TnRodLane k[TN_ROD_LAW_ROWS], kr[TN_ROD_LAW_ROWS], root[TN_ROD_LAW_ROWS]; /* TnRodLaw */
    TnRodLane lead, unresolved, length;
    TnRodLane rest[6];
    /* out: what the joint adds to the blocks (a, a) and (b, b), upper triangles row by row, to (b,
     * a), row-major, and to b of both */
    TnRodLane D[2][TN_ROD_SYM], E[36], b[2][6];
    TnRodLane bend; /* sin² of half the larger angle of the two places */
} TnRodBatch;

/* Lanes that bend by more are not to be used. */
#define TN_ROD_BEND_MOST 0.01

typedef struct TnRodKernels {
    const char *name;
    /* w as in tn_rod_assemble; late_from is TN_ROD_LATE_FROM */
    void (*joints)(TnRodBatch *batch, double w, double late_from);
} TnRodKernels;

const TnRodKernels *tn_rod_kernels(void);          /* of the instruction set in use */
const TnRodKernels *tn_rod_kernels_portable(void); /* the same bits everywhere, */
const TnRodKernels *tn_rod_kernels_plain(void);    /* and as compiled for any processor */
const TnRodKernels *tn_rod_kernels_avx2(void);     /* NULL where not built in or not supported */
const TnRodKernels *tn_rod_kernels_avx512(void);

#endif
