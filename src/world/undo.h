/* undo.h: what a step changes of the state before it is sure to be taken. */
#ifndef TN_WORLD_UNDO_H
#define TN_WORLD_UNDO_H

#include "../state/state.h"

typedef struct TnUndo {
    bool open; /* a step runs that is not taken yet */
    /* as the step found them, once something changes them: */
    bool has_ctrl, has_sleep;
    double *ctrl;    /* the control track's */
    int32_t *asleep; /* what the step wakes; NULL where nothing sleeps */
    TnRest *rest;
    int asleep_count;
    int contact_count; /* contacts of what woke are behind these, and still in the list of
                          sleepers' contacts */
} TnUndo;

bool tn_undo_create(TnUndo *undo, const TnModel *model, bool sleeps); /* false: no memory */
void tn_undo_destroy(TnUndo *undo);
void tn_undo_begin(TnUndo *undo, const TnState *state);
/* Something of it will change. Nothing happens where no step runs. */
void tn_undo_note_ctrl(TnUndo *undo, const TnModel *model, const TnState *state);
void tn_undo_note_sleep(TnUndo *undo, const TnModel *model, const TnState *state);
/* The step is refused: the state is as it was. */
void tn_undo_take_back(TnUndo *undo, const TnModel *model, TnState *state);

#endif
