/* piles.h: what contacts that yield do to the motion of piles: scene stir against itself at a tenth
 * of its step, and heaps that fall, are shaken and come to rest. Frames are 10 ms. */
#ifndef TENON_PILES_H
#define TENON_PILES_H

#include <tenon/tenon.h>

/* A way to step. */
typedef struct PileScheme {
    int parts;    /* of a frame, each a step of its own */
    double ratio; /* TnSolverDef.contact_ratio; 0: rigid */
    int fixed;    /* iterations without a tolerance; 0: with the default one */
} PileScheme;

enum { PILE_NAME = 64 };
void pile_scheme_name(const PileScheme *scheme, char name[PILE_NAME]);
TnWorldDef pile_world_def(const PileScheme *scheme);
double pile_random(uint64_t *state); /* within [-1, 1) */
/* A step of the certified law missed 1e-4 of gravity × step. */
bool pile_missed(const TnStepReport *report);

/* Means over the frames from one second on. */
typedef struct StirRun {
    int frames, steps, missed;
    double iterations, ms;     /* per frame */
    double force, median;      /* N: of the grains and the box on the tool, mean over a frame */
    double kinetic;            /* J, of the grains */
    double depth, worst_depth; /* m */
    double height;             /* m, of the grains' centres */
    double error, rigid_error; /* largest */
    double created;            /* J, over the whole run */
    bool diverged;
} StirRun;

/* Seed 0 is the scene as it is; others shift the grains by up to 0.1 mm. */
TnStatus stir_run(const char *path, const PileScheme *scheme, int seed, double duration,
                  StirRun *out, TnError *err);

typedef struct HeapKind {
    const char *name;
    int count;
    const TnGeomType *types; /* in turn */
    int type_count;
} HeapKind;
extern const HeapKind heap_kinds[];
extern const int heap_kind_count;

/* It falls into a box for a second, is shaken for a second by a turning force of half of its
 * weight, settles for two seconds, and rests for another one. */
enum { HEAP_FALLS, HEAP_SHAKEN, HEAP_SETTLES, HEAP_RESTS, HEAP_PHASES };
typedef struct HeapRun {
    int steps, missed;                               /* of all phases */
    double iterations[HEAP_PHASES], ms[HEAP_PHASES]; /* per frame */
    double contacts;                                 /* in the last step */
    double error, rigid_error, worst_depth, created;
    bool diverged;
} HeapRun;
TnStatus heap_run(const HeapKind *kind, const PileScheme *scheme, int seed, HeapRun *out,
                  TnError *err);

#endif
