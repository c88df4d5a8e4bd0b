/* world_equality.c: equalities that are switched between steps.
 *
 * The state has 11 numbers of each: active, both anchors, the orientation to keep. The world's own
 * equalities follow it. */
#include <string.h>

#include "../base/base.h"
#include "../math/vec3.h"
#include "../ranks/spread.h"
#include "own.h"
#include "sleep.h"

void tn_world_original_equalities(TnWorld *world)
{
    if (!world->parts[TN_OWN_EQUALITIES]) return;
    memcpy(world->own.equalities, world->shared->equalities,
           (size_t)world->model->equality_count * sizeof *world->own.equalities);
    /* without memory groups stay as they are: larger ones at most than they need to be */
    tn_world_renew(world, false);
}

bool tn_world_follow_equalities(TnWorld *world)
{
    bool differs = false;
    for (int i = 0; i < world->model->equality_count; i++) {
        double now[TN_EQUALITY_NUMBERS];
        tn_equality_numbers(&world->model->equalities[i], now);
        differs |= memcmp(now, world->state.equalities + TN_EQUALITY_NUMBERS * i, sizeof now) != 0;
    }
    if (!differs) return true;
    if (!tn_world_own(world, TN_OWN_EQUALITIES)) return false;
    for (int i = 0; i < world->model->equality_count; i++) {
        TnEquality *e = &world->own.equalities[i];
        const double *x = world->state.equalities + TN_EQUALITY_NUMBERS * i;
        e->active = x[0] != 0.0;
        v3_copy(e->anchor1, x + 1);
        v3_copy(e->anchor2, x + 4);
        quat_copy(e->relquat, x + 7);
    }
    return tn_world_renew(world, false);
}

/* Those that carry a cable are part of the division. */
static TnStatus check(const TnWorld *world, TnEqualityId id, TnError *err)
{
    if (!world || id < 1 || id > world->model->equality_count)
        return tn_world_refuse(err, "there is no such equality");
    if (tn_spread_is_fixed(world))
        return tn_world_refuse(err, "it is in parts, of which some ranks have no model: equalities "
                                    "cannot be switched");
    const TnEquality *e = &world->shared->equalities[id - 1];
    if (e->segment || e->fixed_segment)
        return tn_world_refuse(err, "a weld that holds a cable from the start cannot be switched; "
                                    "make it inactive in the model, and attach it");
    return TN_OK;
}

static TnStatus apply(TnWorld *world, int index, const TnEquality *wanted, TnError *err)
{
    double numbers[TN_EQUALITY_NUMBERS],
        *now = world->state.equalities + TN_EQUALITY_NUMBERS * index;
    tn_equality_numbers(wanted, numbers);
    if (memcmp(numbers, now, sizeof numbers) == 0) return TN_OK;
    double before[TN_EQUALITY_NUMBERS];
    memcpy(before, now, sizeof before);
    memcpy(now, numbers, sizeof numbers);
    if (!tn_world_follow_equalities(world)) {
        memcpy(now, before, sizeof before);
        tn_error_add(err, TN_ERROR_MEMORY, "world: no memory");
        return TN_ERROR_MEMORY;
    }
    tn_sleep_wake_all(world);
    for (int row = 0; row < 6; row++)
        world->state.row_lambda[tn_row_slot_equality(index, row)] = 0.0;
    return TN_OK;
}

TnStatus tn_world_set_equality(TnWorld *world, TnEqualityId id, bool active, TnError *err)
{
    TnStatus status = check(world, id, err);
    if (status != TN_OK) return status;
    TnEquality wanted = world->model->equalities[id - 1];
    wanted.active = active;
    return apply(world, id - 1, &wanted, err);
}

TnStatus tn_world_attach(TnWorld *world, TnEqualityId id, TnError *err)
{
    TnStatus status = check(world, id, err);
    if (status != TN_OK) return status;
    const TnModel *model = world->model;
    TnEquality wanted = model->equalities[id - 1];
    if (wanted.type >= TN_EQUALITY_JOINT)
        return tn_world_refuse(err, "only connect and weld equalities attach bodies");
    double pos1[3], quat1[4], back1[4], pos2[3], quat2[4], back2[4], point[3];
    tn_body_pose(model, world->frames, wanted.body1, pos1, quat1);
    tn_body_pose(model, world->frames, wanted.body2, pos2, quat2);
    quat_conjugate(back1, quat1);
    quat_conjugate(back2, quat2);
    /* the anchor stays on body2 of a weld, and on body1 of a connect */
    if (wanted.type == TN_EQUALITY_WELD) {
        quat_rotate(point, quat2, wanted.anchor2);
        v3_add(point, point, pos2);
        v3_sub(point, point, pos1);
        quat_rotate(wanted.anchor1, back1, point);
        quat_mul(wanted.relquat, back1, quat2);
    } else {
        quat_rotate(point, quat1, wanted.anchor1);
        v3_add(point, point, pos1);
        v3_sub(point, point, pos2);
        quat_rotate(wanted.anchor2, back2, point);
    }
    wanted.active = true;
    return apply(world, id - 1, &wanted, err);
}

bool tn_world_equality_active(const TnWorld *world, TnEqualityId id)
{
    if (!world || id < 1 || id > world->model->equality_count) return false;
    const TnEquality *e = &world->model->equalities[id - 1];
    return e->active || e->fixed_segment;
}
