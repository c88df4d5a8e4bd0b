/* state.h: all that a world carries from one step to the next. */
#ifndef TN_STATE_STATE_H
#define TN_STATE_STATE_H

#include "../model/model.h"

typedef struct TnWarmContact {
    int32_t geom1, geom2;
    uint32_t feature;
    uint32_t pad;     /* zero: the struct is hashed and saved as bytes */
    double lambda[3]; /* N, world axes, force on geom2 */
    double spin[3];   /* N·m, torsional and rolling part */
} TnWarmContact;

/* Persistent places of scalar rows in row_lambda: equality e has 6 from 6e; joint j then has 3:
 * lower limit, upper limit, friction loss (ball limit uses the upper; a free or ball joint's
 * friction loss is refused by compile); then each tendon has the same 3; then each
 * wheel has 3: lateral, forward, height; then each hold of the soft bodies by a moving link has 3,
 * and each tie between soft bodies: x, y, z; then each force along a path has one. */
static inline int tn_row_slot_equality(int equality, int row) { return 6 * equality + row; }
static inline int tn_row_slot_joint(const TnModel *model, int joint, int kind)
{
    return 6 * model->equality_count + 3 * joint + kind;
}
static inline int tn_row_slot_tendon(const TnModel *model, int tendon, int kind)
{
    return tn_row_slot_joint(model, model->joint_count + tendon, kind);
}
static inline int tn_row_slot_wheel(const TnModel *model, int wheel, int kind)
{
    return tn_row_slot_tendon(model, model->tendon_count + wheel, kind);
}
static inline int tn_row_slot_hold(const TnModel *model, int soft, int hold, int axis)
{
    int index = model->softs[soft].hold_start + hold;
    return tn_row_slot_wheel(model, model->wheel_count + index, axis);
}
static inline int tn_row_slot_tie(const TnModel *model, int tie, int axis)
{
    return tn_row_slot_wheel(model, model->wheel_count + model->hold_count + tie, axis);
}
static inline int tn_row_slot_force(const TnModel *model, int force)
{
    return tn_row_slot_tie(model, model->tie_count, 0) + force;
}
static inline int tn_row_slot_count(const TnModel *model)
{
    return tn_row_slot_force(model, model->force_count);
}

/* How long a subsystem has been slower than the world's sleep_speed (world/sleep.c). Half a window
 * is half of sleep_time. */
typedef struct TnRest {
    int32_t steps;      /* slow ones in a row; 0: moving */
    int32_t grows;      /* the last complete half window was faster than the one before it */
    double early, late; /* m/s: largest speed in the last complete half, and in the current one */
} TnRest;

#define TN_ACCOUNT_NUMBERS 9 /* of TnEnergyAccount */

/* Of an equality, what may change between steps: active, both anchors, the orientation. */
#define TN_EQUALITY_NUMBERS 11
void tn_equality_numbers(const TnEquality *equality, double numbers[TN_EQUALITY_NUMBERS]);

typedef struct TnState {
    double time;
    double *qpos, *qvel, *ctrl;
    double *act;          /* act_count: activations of actuators */
    double *mocap;        /* 7 per mocap body: where it is, */
    double *mocap_target; /* and where it will be at the end of the next step */
    double *mocap_twist;  /* 6 per mocap body: its velocity in the last step, linear, angular */
    double *vhat;       /* dof_count: the last step's velocity in the solver's coordinates; the next
                           starting guess */
    double *row_lambda; /* see above */
    int row_lambda_count;
    double *owed; /* J per subsystem: energy of smooth motion that the steps so far made (or, below
                     zero, lost) and could not take off yet (account/balance.c) */
    double *losses;     /* J per subsystem: what time stepping took from it so far, as `step` of the
                           account */
    double *tie_lambda; /* N, 3 per tie that keeps pieces of a soft body together (TnPieceTie) */
    int tie_count;
    double *equalities; /* TN_EQUALITY_NUMBERS each: those that were switched (world_equality.c) */
    double *account;   /* J, TN_ACCOUNT_NUMBERS in the order of TnEnergyAccount: sums over the steps
                          so far */
    bool ctrl_by_user; /* the model's control track is no longer followed */
    int contact_count, contact_capacity;
    TnWarmContact *contacts; /* grouped by geom1, in the last step's order */
    /* sleep */
    int32_t
        *asleep; /* per subsystem: 0, or 1 + the lowest subsystem of the island that it sleeps in */
    int asleep_count;
    TnRest *rest;                          /* per subsystem */
    int sleeping_count, sleeping_capacity; /* contacts of sleepers: */
    TnWarmContact *sleeping_contacts;      /* as they were in their last step */
} TnState;

/* Whatever belongs to no subsystem (-1), the world, does not sleep. */
static inline bool tn_subsystem_asleep(const TnState *state, int subsystem)
{
    return subsystem >= 0 && state->asleep[subsystem];
}
static inline bool tn_link_asleep(const TnState *state, const TnModel *model, int link)
{
    return tn_subsystem_asleep(state, model->link_subsystem[link]);
}
/* An active equality; what it joins sleeps together. */
static inline bool tn_equality_asleep(const TnState *state, const TnModel *model, int equality)
{
    const TnEquality *e = &model->equalities[equality];
    if (!state->asleep_count) return false;
    if (e->type == TN_EQUALITY_JOINT)
        return tn_link_asleep(state, model, model->joints[e->joint1].link);
    if (e->type == TN_EQUALITY_TENDON)
        return tn_subsystem_asleep(state, model->tendons[e->tendon1].subsystem) ||
               (e->tendon2 >= 0 &&
                tn_subsystem_asleep(state, model->tendons[e->tendon2].subsystem));
    return tn_link_asleep(state, model, model->bodies[e->body1].link) ||
           tn_link_asleep(state, model, model->bodies[e->body2].link);
}

/* λ of a row by its slot; those from row_lambda_count on are the piece ties'. */
static inline double *tn_row_lambda(const TnState *state, int slot)
{
    return slot < state->row_lambda_count ? &state->row_lambda[slot]
                                          : &state->tie_lambda[slot - state->row_lambda_count];
}

bool tn_state_init(TnState *state, const TnModel *model); /* false: no memory */
void tn_state_free(TnState *state);
void tn_state_reset(TnState *state, const TnModel *model,
                    int key); /* key index, -1: the reference pose */
/* As the division has them; their λ become zero. False: no memory, nothing has changed. */
bool tn_state_set_ties(TnState *state, int tie_count);
bool tn_state_reserve_contacts(TnState *state, int count);
bool tn_state_reserve_sleeping(TnState *state, int count);
/* Everyone is awake, without a past; contacts of sleepers are forgotten. */
void tn_state_clear_sleep(TnState *state, const TnModel *model);
size_t tn_state_save_size(const TnState *state, const TnModel *model);
void tn_state_save(const TnState *state, const TnModel *model,
                   void *buffer); /* buffer of tn_state_save_size bytes */
/* A state that was saved under another number of ties (another division) leaves their λ zero. */
TnStatus tn_state_restore(TnState *state, const TnModel *model, const void *buffer, size_t size,
                          TnError *err);
/* The same within one program: without the checksum, and without looking at what comes back. The
 * state must have been copied out of `state`, which has had room for its contacts since. */
void tn_state_copy_out(const TnState *state, const TnModel *model, void *buffer);
void tn_state_copy_in(TnState *state, const TnModel *model, const void *buffer);
uint64_t tn_state_hash(const TnState *state,
                       const TnModel *model); /* time, qpos, qvel, act, mocap: FNV-1a 64 */

#endif
