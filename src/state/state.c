/* state.c: creation, reset and hash of a state. One block of memory holds its fixed-size arrays;
 * the warm-start contacts and the λ of ties, which depend on the division, are on their own. */
#include "state.h"

#include "../base/base.h"
#include "hash.h"

#include <limits.h>
#include <string.h>

static void copy_numbers(double *out, const double *values, int count)
{
    if (count > 0) memcpy(out, values, (size_t)count * sizeof(double));
}

static void zero_numbers(double *out, int count)
{
    if (count > 0) memset(out, 0, (size_t)count * sizeof(double));
}

void tn_equality_numbers(const TnEquality *equality, double numbers[TN_EQUALITY_NUMBERS])
{
    numbers[0] = equality->active;
    copy_numbers(numbers + 1, equality->anchor1, 3);
    copy_numbers(numbers + 4, equality->anchor2, 3);
    copy_numbers(numbers + 7, equality->relquat, 4);
}

bool tn_state_init(TnState *state, const TnModel *model)
{
    *state = (TnState){.row_lambda_count = tn_row_slot_count(model)};
    size_t nq = (size_t)model->qpos_count, nv = (size_t)model->dof_count,
           nu = (size_t)model->actuator_count, na = (size_t)model->act_count;
    size_t subsystems = (size_t)model->subsystem_count + 1, poses = 7 * (size_t)model->mocap_count;
    double *numbers =
        tn_calloc(2 * poses + 6 * (size_t)model->mocap_count +
                      TN_EQUALITY_NUMBERS * (size_t)model->equality_count + nq + 2 * nv + nu + na +
                      (size_t)state->row_lambda_count + 2 * subsystems + TN_ACCOUNT_NUMBERS,
                  sizeof(double));
    state->asleep = tn_calloc(subsystems, sizeof *state->asleep);
    state->rest = tn_calloc(subsystems, sizeof *state->rest);
    state->qpos = numbers;
    if (!numbers || !state->asleep || !state->rest) {
        tn_state_free(state);
        return false;
    }
    state->qvel = state->qpos + nq;
    state->vhat = state->qvel + nv;
    state->ctrl = state->vhat + nv;
    state->act = state->ctrl + nu;
    state->row_lambda = state->act + na;
    state->owed = state->row_lambda + state->row_lambda_count;
    state->losses = state->owed + subsystems;
    state->account = state->losses + subsystems;
    state->mocap = state->account + TN_ACCOUNT_NUMBERS;
    state->mocap_target = state->mocap + poses;
    state->mocap_twist = state->mocap_target + poses;
    state->equalities = state->mocap_twist + 6 * (size_t)model->mocap_count;
    tn_state_reset(state, model, -1);
    return true;
}

void tn_state_free(TnState *state)
{
    tn_free(state->qpos); /* the start of the block */
    tn_free(state->contacts);
    tn_free(state->asleep);
    tn_free(state->rest);
    tn_free(state->sleeping_contacts);
    tn_free(state->tie_lambda);
    *state = (TnState){0};
}

void tn_state_reset(TnState *state, const TnModel *model, int key)
{
    TN_ASSERT(key >= -1 && key < model->key_count);
    const TnKey *k = key >= 0 ? &model->keys[key] : NULL;
    state->time = k ? k->time : 0.0;
    copy_numbers(state->qpos, k ? k->qpos : model->qpos0, model->qpos_count);
    if (k) {
        copy_numbers(state->qvel, k->qvel, model->dof_count);
        copy_numbers(state->ctrl, k->ctrl, model->actuator_count);
        copy_numbers(state->act, k->act, model->act_count);
    } else {
        zero_numbers(state->qvel, model->dof_count);
        zero_numbers(state->ctrl, model->actuator_count);
        zero_numbers(state->act, model->act_count);
    }
    copy_numbers(state->mocap, k ? k->mocap : model->mocap0, 7 * model->mocap_count);
    copy_numbers(state->mocap_target, state->mocap, 7 * model->mocap_count);
    zero_numbers(state->mocap_twist, 6 * model->mocap_count);
    for (int i = 0; i < model->equality_count; i++)
        tn_equality_numbers(&model->equalities[i], state->equalities + TN_EQUALITY_NUMBERS * i);
    tn_model_track(model, state->time, state->ctrl);
    state->ctrl_by_user = false;
    /* Cold starts: the solver begins from the velocity itself and from no forces. */
    copy_numbers(state->vhat, state->qvel, model->dof_count);
    zero_numbers(state->row_lambda, state->row_lambda_count);
    zero_numbers(state->owed, model->subsystem_count);
    zero_numbers(state->losses, model->subsystem_count);
    zero_numbers(state->tie_lambda, 3 * state->tie_count);
    state->contact_count = 0;
    zero_numbers(state->account, TN_ACCOUNT_NUMBERS);
    tn_state_clear_sleep(state, model);
}

void tn_state_clear_sleep(TnState *state, const TnModel *model)
{
    size_t count = (size_t)model->subsystem_count;
    memset(state->asleep, 0, count * sizeof *state->asleep);
    memset(state->rest, 0, count * sizeof *state->rest);
    state->asleep_count = state->sleeping_count = 0;
}

bool tn_state_set_ties(TnState *state, int tie_count)
{
    double *lambda = NULL;
    if (tie_count > 0) {
        lambda = tn_calloc(3 * (size_t)tie_count, sizeof *lambda);
        if (!lambda) return false;
    }
    tn_free(state->tie_lambda);
    state->tie_lambda = lambda;
    state->tie_count = tie_count;
    return true;
}

static bool reserve(TnWarmContact **contacts, int *capacity, int count)
{
    if (count <= *capacity) return true;
    /* Half as many again, so that a growing pile does not ask at every step. */
    int more = count <= INT_MAX / 2 ? count + count / 2 : count;
    TnWarmContact *larger = tn_realloc(*contacts, (size_t)more * sizeof *larger);
    if (!larger) return false;
    *contacts = larger;
    *capacity = more;
    return true;
}

bool tn_state_reserve_contacts(TnState *state, int count)
{
    return reserve(&state->contacts, &state->contact_capacity, count);
}

bool tn_state_reserve_sleeping(TnState *state, int count)
{
    return reserve(&state->sleeping_contacts, &state->sleeping_capacity, count);
}

uint64_t tn_state_hash(const TnState *state, const TnModel *model)
{
    uint64_t h = TN_HASH_START;
    h = tn_hash_bytes(h, &state->time, sizeof state->time);
    h = tn_hash_bytes(h, state->qpos, (size_t)model->qpos_count * sizeof(double));
    h = tn_hash_bytes(h, state->qvel, (size_t)model->dof_count * sizeof(double));
    h = tn_hash_bytes(h, state->act, (size_t)model->act_count * sizeof(double));
    return tn_hash_bytes(h, state->mocap, 7 * (size_t)model->mocap_count * sizeof(double));
}
