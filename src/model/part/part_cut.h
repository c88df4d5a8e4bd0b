/* part_cut.h: some subsystems of a model, and free bodies from elsewhere, as one model. */
#ifndef TN_MODEL_PART_CUT_H
#define TN_MODEL_PART_CUT_H

#include "../model.h"

/* A free body that joins; numbers are those of the whole. */
typedef struct TnFreeBody {
    int number;
    const TnLink *link;
    int root; /* number of the body that is the link's own */
    const TnJoint *joint;
    const double *qpos0;
    int place, link_place, joint_place; /* where the part has it, its link and its joint */
    int dof, qpos;                      /* and its numbers */
} TnFreeBody;

typedef struct TnFreeItem {
    int number;
    int free;   /* whose it is, in the list */
    int parent; /* body: number of its parent; geom: of its body */
    int place;  /* where the part has it */
    union {
        struct {
            const TnBody *body;
            const TnBodyMass *mass;
        };
        const TnGeom *geom;
    };
} TnFreeItem;

/* All ascending. */
typedef struct TnFreeList {
    TnFreeBody *free;
    int count;
    TnFreeItem *bodies, *geoms;
    int body_count, geom_count;
} TnFreeList;

/* What is cut out, and with what. */
typedef struct TnCut {
    const TnModel *model;
    const bool *has;                    /* per subsystem */
    bool touches;                       /* it gets geoms, and whatever refers to them */
    const int *subsystem, *body, *geom; /* numbers of what the model has; NULL: the same */
    const TnPair *pairs;                /* by numbers, */
    const TnExclude *excludes;          /* and these */
    int pair_count, exclude_count;
    TnFreeList *more; /* NULL: none joins */
} TnCut;

/* What it has, ascending; each to be freed. */
typedef struct TnCutNumbers {
    int *links;                       /* index in the model; -1: of a body that joined */
    int *subsystems, *bodies, *geoms; /* numbers */
} TnCutNumbers;

TnModel *tn_model_cut(const TnCut *cut, TnCutNumbers *numbers); /* NULL: no memory */
void tn_cut_numbers_free(TnCutNumbers *numbers);

#endif
