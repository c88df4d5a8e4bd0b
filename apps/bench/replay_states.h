/* replay_states.h: some steps of one run, measured again and again with different solvers from the
 * same states.
 *
 * A Recording is a run of a scene with the library's defaults, of which the states before some
 * steps are kept with their warm starts (tn_world_save). A Replay takes them to a world of any
 * division: the step before the sampled one is repeated there with the defaults, so that what only
 * this division iterates, the ties of pieces for example, has a warm start as well; what it ends
 * with is saved and is where every solver begins. v* of the sampled step is computed once, in the
 * division of the recording (it does not depend on that); it counts where its natural-map error is
 * below 1e-10 m/s. */
#ifndef TENON_REPLAY_STATES_H
#define TENON_REPLAY_STATES_H

#include <tenon/tenon.h>

typedef struct SavedState {
    void *bytes;
    size_t size, room;
} SavedState;

typedef struct RecordingPlan {
    double duration;    /* s */
    int least_contacts; /* steps with fewer do not count */
    int samples;        /* so many of those that count, evenly spread */
    int64_t step;       /* this one alone, whatever it has; < 0: samples */
    bool quiet;
    const char *label; /* of the progress line */
} RecordingPlan;

typedef struct RecordedStep {
    int64_t step;
    double time;       /* s, at its start */
    SavedState before; /* the step before it */
} RecordedStep;

typedef struct Recording {
    const TnModel *model;
    TnWorldDef def; /* what it ran with */
    RecordedStep *steps;
    int count;
    int64_t ran, counted;
} Recording;

/* TN_OK, or an error in *err: diverged, no step counted, no memory. Free it in any case. */
TnStatus recording_make(Recording *recording, const TnModel *model, const TnWorldDef *def,
                        const RecordingPlan *plan, TnError *err);
void recording_free(Recording *recording);

typedef struct ReplayStep {
    SavedState start;
    uint64_t hash; /* of time, qpos and qvel in it */
    int contacts, rows;
    double *v_star;      /* dof_count numbers */
    double v_star_error; /* m/s, natural map; NaN: the step was refused */
    bool converged;      /* v* counts */
} ReplayStep;

typedef struct Replay {
    const Recording *recording;
    TnWorld *world;
    ReplayStep *steps; /* as many as recorded */
    double *velocity;  /* dof_count numbers */
    int dof;
    bool judges; /* set by the caller: natural maps of fixed counts too, which takes a while */
} Replay;

TnStatus replay_make(Replay *replay, const Recording *recording, const TnWorldDef *def,
                     TnError *err);
void replay_free(Replay *replay);

/* Means over the steps. */
typedef struct ReplayFigures {
    TnSolverDef solver;
    double solver_ms, step_ms; /* each step with its shortest time; solver: factor and iterate */
    double iterations;
    double aac, aal, aav; /* NaN where a step was refused, or there is none */
    double natural_map;   /* m/s, largest; NaN without a tolerance unless the replay judges */
    int refused;          /* steps that would not have been finite */
    int missed;           /* with a tolerance: steps that did not reach it */
    int aav_count;        /* steps whose v* converged */
    int other_contacts;   /* steps that ended with other contacts than v*'s */
    bool deterministic;
    uint64_t states;  /* of the hashes of all states that the steps started from */
    const char *form; /* TnStepReport.form */
} ReplayFigures;

/* `repeats` timed runs of each step after one that is not; fewer where they take 0.1 s. */
TnStatus replay_measure(Replay *replay, const TnSolverDef *solver, int repeats, ReplayFigures *out,
                        TnError *err);
/* That the steps of a replay must start from. */
uint64_t replay_states_hash(const Replay *replay);

#endif
