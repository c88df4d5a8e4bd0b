/* judge.h: runs a model and looks for wrong steps. */
#ifndef TN_TESTS_SEARCH_JUDGE_H
#define TN_TESTS_SEARCH_JUDGE_H

#include "model.h"

typedef enum Finding {
    FINDING_ENERGY,      /* more than there was and was put in; share of the energies around */
    FINDING_CREATED,     /* TnEnergyAccount.created, summed up; share of the energies around */
    FINDING_LOST,        /* by a lossless model, from its states alone; share of the energies around
                            per s, over (t/10 ms)² or ¼ for shorter steps */
    FINDING_LINEAR,      /* linear momentum that a closed system lost; share of √(2 M E) */
    FINDING_ANGULAR,     /* angular momentum; share of √(2 M E) times the size */
    FINDING_DEPTH,       /* deepest penetration; share of the smallest radius */
    FINDING_ESCAPED,     /* a body left its closed box; m beyond the wall */
    FINDING_DIVERGED,    /* refused step, or a state that is not finite; 1 */
    FINDING_CRASHED,     /* signal, or no end; the signal's number */
    FINDING_REFUSED,     /* the model does not load; 1 */
    FINDING_STEP,        /* TnEnergyAccount.step, share per s: counted, for equalities that
                            friction that stop something are in it, too */
    FINDING_UNCONVERGED, /* share of steps beyond their tolerance: counted, no failure */
    FINDING_COUNT
} Finding;

extern const char *const finding_names[FINDING_COUNT];
/* Beyond this it is a finding. */
extern const double finding_limits[FINDING_COUNT];

typedef struct Verdict {
    bool overlaps; /* started with overlaps, or outside of its box: nothing else counts */
    bool hit;      /* a lossless model's parts hit or slip after all: not looked at from there on */
    int steps;     /* that were made */
    double amount[FINDING_COUNT];
    int step[FINDING_COUNT]; /* at which it first went beyond the limit, from 1 */
    char note[256];          /* an error's text */
} Verdict;

static inline bool verdict_has(const Verdict *v, Finding f)
{
    return !v->overlaps && v->amount[f] > finding_limits[f];
}

/* In a process of its own, so that a crash is a verdict too. */
void judge(const Sketch *sketch, Verdict *verdict);

#endif
