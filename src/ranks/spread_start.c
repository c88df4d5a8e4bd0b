/* spread_start.c: a step in sub-steps that is taken back; see spread.h.
 *
 * Bodies may change hands between sub-steps. So each rank keeps what it had when the step began,
 * and if a sub-step is refused these go to the ranks that have the whole state, which is divided
 * anew.
 */
#include <string.h>

#include "../base/base.h"
#include "../base/ranks.h"
#include "spread.h"

typedef struct TnStartOfStep {
    double time;
    bool whole;   /* the whole's state is the one, and is not divided yet */
    TnTold told;  /* else: free bodies of this rank, */
    void *movers; /* and the state of `common` */
} TnStartOfStep;

void tn_spread_forget_start(TnSpread *spread)
{
    if (!spread->began) return;
    tn_told_free(&spread->began->told);
    tn_free(spread->began->movers);
    tn_free(spread->began);
    spread->began = NULL;
}

bool tn_spread_keep_start(TnWorld *world)
{
    TnSpread *spread = world->spread;
    const TnWorld *common = spread->common;
    tn_spread_forget_start(spread);
    TnStartOfStep *began = spread->began = tn_calloc(1, sizeof *began);
    if (!began || !spread->ordered) return false;
    began->time = world->state.time;
    began->whole = spread->put;
    if (began->whole) return true;
    if (!tn_spread_get_movers(world) || !tn_spread_tell_of(world, &began->told)) return false;
    began->movers = tn_malloc(tn_state_save_size(&common->state, common->model));
    if (began->movers) tn_state_copy_out(&common->state, common->model, began->movers);
    return began->movers;
}

void tn_spread_return_to_start(TnWorld *world)
{
    TnSpread *spread = world->spread;
    const TnStartOfStep *began = spread->began;
    world->state.time = began->time;
    if (!began->whole) {
        tn_state_copy_in(&spread->common->state, spread->common->model, began->movers);
        if (spread->has_whole) tn_spread_movers_to_whole(world);
        tn_spread_collect(world, &began->told);
    }
    tn_world_forget_step(world); /* and the state is divided anew */
}
