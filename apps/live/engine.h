/* engine.h: a model and its world behind plain functions that a page can call: the interface of
 * tenon.wasm, which pages that simulate (tenon export --live) and the package for npm share.
 *
 * web/src/engine/ has the other side. Numbers, pointers and text without an end are all that
 * crosses; a function that can fail returns false or NULL and leaves the reason in tenon_error.
 * Files are those that the caller keeps in memory (WASI). */
#ifndef TENON_LIVE_ENGINE_H
#define TENON_LIVE_ENGINE_H

#include "../common/plan_task.h"
#include "../view/pull_soft.h"
#include <tenon/record.h>

/* What the caller may call, by its own name. */
#ifdef __wasm__
#define LIVE_EXPORT(name) __attribute__((export_name(#name))) name
#else /* a build of the interface for this machine alone, to check it */
#define LIVE_EXPORT(name) name
#endif

typedef struct Engine {
    TnModel *model;
    TnWorld *world;
    TnScene *scene;
    TnFrame *frame;
    TnStepReport report; /* of the last step that was taken */
    int64_t steps;       /* since the start or a reset */
    bool diverged;       /* the last step was refused */
    TnSolverDef solver;
    double friction;      /* of all geoms, times the model's; 1 at the start */
    double *own_friction; /* 3 × geom: the model's */
    Pull pull;
    PullStrength strength;
    SoftGrip grip;
    double held[3], pull_force[3]; /* of the last step */
    PlanTask *task;                /* NULL: the page does not plan */
    TnPlan *plan;
    bool planning; /* the plan has the controls */
    int plan_step; /* steps since it was solved */
    TnRecorder *recorder;
    double record_next, record_period; /* s */
    TnStatus record_status;
    double *numbers; /* the answer of tenon_numbers, until the next */
    size_t number_room;
    char *head;    /* the answer of tenon_scene */
    uint8_t *data; /* likewise */
    size_t data_size;
} Engine;

extern TnError engine_error; /* of the last call that failed */

bool engine_refuse(const char *why); /* false, and the reason is kept */
/* plan.c: controls for the next step, and back to the start. False: engine_error says why. */
bool engine_plan_step(Engine *engine);
bool engine_restart_plan(Engine *engine);

/* Takes the world's state over into the frame, with contacts, signals and stress. */
bool engine_capture(Engine *engine);

#endif
