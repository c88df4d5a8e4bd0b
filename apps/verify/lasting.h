/* lasting.h: conservative scenes whose contacts last, for the family `lasting` and for
 * `tenon-bench lasting`. Nothing in them dissipates, so all of the motion must be kept. */
#ifndef TENON_VERIFY_LASTING_H
#define TENON_VERIFY_LASTING_H

#include "verify.h"

typedef struct LastingScene {
    const char *name;
    const char *shows; /* what is where, and what moves */
    const char *coordinate_name;
    double duration, window; /* s; motion of the last window is compared with that of the first */
    double finest;           /* s: step of the reference, where that is a simulation */
    bool twin; /* there is one with joints or pins in place of contacts: the reference, where
                  there is no rate */
    bool
        by_energy; /* starts from equilibrium with a push: the motion is √(energy above it), for
                      scenes with more than one frequency. Otherwise it is the coordinate's range */
    bool fast;     /* needs small steps where its order is measured */
    bool tied;     /* nothing touches: equalities hold it */
    Sim (*open)(Finding *finding, double timestep, bool twin);
    double (*coordinate)(const Sim *sim, bool twin);
    OdeRate rate; /* its first unknown is the coordinate; NULL: the reference is a simulation */
    const void *system;
    int size; /* its unknowns */
    double start[6];
} LastingScene;

/* Of one run of a scene. */
typedef struct LastingResult {
    double kept;  /* motion of the last window over that of the first; 1 is right */
    double phase; /* rad: how far it lags behind the reference at the end; NaN: no motion is left */
    double apart; /* largest distance from the reference, in amplitudes */
    double least_force; /* N: smallest sum of the contact forces of a step */
    int open_steps;     /* steps without a contact force */
    double lost, made;  /* energy that the account calls lost in steps, and created: shares per s of
                           the largest kinetic energy */
    int steps, not_converged;
    double seconds; /* of the steps alone */
} LastingResult;

/* x at k dt, k < count. */
typedef struct LastingSeries {
    double dt;
    double *x;
    int count;
} LastingSeries;

extern const LastingScene *const lasting_scenes[]; /* lasting_measure.c */
extern const int lasting_scene_count;
/* lasting_scenes.c, lasting_trees.c, lasting_soft.c */
extern const LastingScene lasting_block, lasting_cart, lasting_rocker, lasting_routh;
extern const LastingScene lasting_knee, lasting_belt;
extern const LastingScene lasting_tree, lasting_linkage, lasting_arms, lasting_gripper;
extern const LastingScene lasting_cable, lasting_cube, lasting_crane;

/* lasting_measure.c. What cannot be run is trouble of the finding. */
LastingSeries lasting_reference(Finding *finding, const LastingScene *scene);
LastingResult lasting_run(Finding *finding, const LastingScene *scene, double timestep,
                          const LastingSeries *reference, bool twin);
/* The same, and the series of its coordinate. */
LastingResult lasting_trace(Finding *finding, const LastingScene *scene, double timestep,
                            const LastingSeries *reference, bool twin, LastingSeries *series);
void lasting_free(LastingSeries *series);

/* lasting_rolls.c: what rolls and turns in space, one number each */
/* rad: angle of a tippe top's axis at the end; *most, the largest before */
double lasting_tippe(Finding *finding, double timestep, double until, double *most);
double lasting_disk(Finding *finding, double timestep, double until); /* share of energy left */
/* Share that is left of the circle's diameter; *phase, rad: how far the coin lags behind after
 * `until`. */
double lasting_coin(Finding *finding, double timestep, double until, double *phase, double *apart);

#endif
