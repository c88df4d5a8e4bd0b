/* simbench.h: the scenes of SimBenchmark (2018), with its measures of error: a public comparison of
 * physics engines. */
#ifndef TENON_SIMBENCH_H
#define TENON_SIMBENCH_H

#include <tenon/tenon.h>

typedef struct SimbenchRun SimbenchRun;

typedef struct SimbenchScene {
    const char *name;
    double duration; /* s */
    void (*build)(TnModelBuilder *builder);
    /* Before each step: forces. May be NULL. */
    void (*push)(SimbenchRun *run);
    /* Its error after a step; NaN: this step does not count. */
    double (*error)(SimbenchRun *run);
    const char *measure; /* what the error is */
    bool falls;          /* there is gravity */
} SimbenchScene;

/* simbench_scenes.c */
extern const SimbenchScene simbench_scenes[];
extern const int simbench_scene_count;

struct SimbenchRun {
    const SimbenchScene *scene;
    TnModel *model;
    TnWorld *world;
    double t;
    double start;       /* J, or as the scene's error has it */
    double momentum[3]; /* at the start */
    double error;       /* mean over the steps that count */
    double worst;       /* largest */
    int64_t steps, counted;
    double seconds; /* in steps */
    int64_t unconverged;
    bool diverged;
};

/* simbench_run.c: scene and t are set before. On failure there is no world, and the caller destroys
 * the model. */
TnStatus simbench_open(SimbenchRun *run, const TnWorldDef *def, TnError *err);
/* Runs it, sums up and destroys world and model. */
void simbench_run(SimbenchRun *run, double duration);

#endif
