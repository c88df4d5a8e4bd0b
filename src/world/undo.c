/* undo.c: a refused step leaves no trace.
 *
 * Almost all of a new state is found beside the old one. Two things are not: controls that follow a
 * track, and sleepers that wake, whose step begins anew with them. */
#include "undo.h"

#include <string.h>

#include "../base/base.h"

bool tn_undo_create(TnUndo *undo, const TnModel *model, bool sleeps)
{
    size_t subsystems = (size_t)model->subsystem_count + 1;
    undo->ctrl = tn_calloc((size_t)model->actuator_count + 1, sizeof *undo->ctrl);
    if (!undo->ctrl) return false;
    if (!sleeps) return true;
    undo->asleep = tn_calloc(subsystems, sizeof *undo->asleep);
    undo->rest = tn_calloc(subsystems, sizeof *undo->rest);
    return undo->asleep && undo->rest;
}

void tn_undo_destroy(TnUndo *undo)
{
    tn_free(undo->ctrl);
    tn_free(undo->asleep);
    tn_free(undo->rest);
}

void tn_undo_begin(TnUndo *undo, const TnState *state)
{
    undo->open = true;
    undo->has_ctrl = undo->has_sleep = false;
    undo->contact_count = state->contact_count;
}

void tn_undo_note_ctrl(TnUndo *undo, const TnModel *model, const TnState *state)
{
    if (!undo->open || undo->has_ctrl) return;
    undo->has_ctrl = true;
    if (model->actuator_count)
        memcpy(undo->ctrl, state->ctrl, sizeof(double) * (size_t)model->actuator_count);
}

void tn_undo_note_sleep(TnUndo *undo, const TnModel *model, const TnState *state)
{
    if (!undo->open || undo->has_sleep || !undo->asleep) return;
    undo->has_sleep = true;
    undo->asleep_count = state->asleep_count;
    memcpy(undo->asleep, state->asleep, sizeof *undo->asleep * (size_t)model->subsystem_count);
    memcpy(undo->rest, state->rest, sizeof *undo->rest * (size_t)model->subsystem_count);
}

void tn_undo_take_back(TnUndo *undo, const TnModel *model, TnState *state)
{
    if (undo->has_ctrl && model->actuator_count)
        memcpy(state->ctrl, undo->ctrl, sizeof(double) * (size_t)model->actuator_count);
    if (!undo->has_sleep) return;
    state->asleep_count = undo->asleep_count;
    state->contact_count = undo->contact_count;
    memcpy(state->asleep, undo->asleep, sizeof *undo->asleep * (size_t)model->subsystem_count);
    memcpy(state->rest, undo->rest, sizeof *undo->rest * (size_t)model->subsystem_count);
}
