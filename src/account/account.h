/* account.h: where a step's energy went. */
#ifndef TN_ACCOUNT_ACCOUNT_H
#define TN_ACCOUNT_ACCOUNT_H

#include "joined.h"

/* Per subsystem, J over the step. Of a contact between two all goes to the first. */
typedef struct TnAccounts {
    TnStep *step;
    double *work;     /* done by actuators and applied forces */
    double *lost;     /* to friction and damping */
    double *stored;   /* in compliant contacts; below zero: given back */
    double *put_out;  /* by contacts that undo overlaps: energy from nowhere that cannot be avoided;
                         part of it stays in the motion (balance.c) */
    double *put_back; /* the same by limits and equalities that undo what they are open by: only
                         named, whatever it makes is taken off where it can be */
    double *rubbed;   /* of lost: to friction */
    double *hits;     /* that impacts took, at most */
    double *losses;   /* to the step, of those awake */
    double *shares;   /* of a group's */
    TnEnergy *after;  /* of the new state, by subsystem; those awake */
    const double *elastic; /* of the same, per soft body */
    bool *changed;         /* velocities since `after` was found */
    double actuators, applied, friction, damping, contacts;
    /* of what is left of the groups (account_rest.c) */
    double impacts, taken, created, push_out, unsolved; /* taken: by the step */
    double share;                                       /* created_share of the report, */
    const TnJoined *worst_of;                           /* and the group that has it; NULL: none */
    int worst_root;
} TnAccounts;

/* What is known of the step before its velocities are put right. False: no memory. */
bool tn_accounts_open(TnStep *step, TnAccounts *accounts);

/* Of its contacts. False: no memory. */
bool tn_account_contacts(TnAccounts *accounts);
/* Velocity of a contact's point on one side with some velocities of links and nodes; */
void tn_account_side_motion(const TnStep *step, const TnContactPoint *c, int side,
                            const double (*twists)[6], const double *qvel, double out[3]);
/* and of the second side against the first. */
void tn_account_contact_motion(const TnStep *step, const TnContactPoint *c,
                               const double (*twists)[6], const double *qvel, double out[3]);

/* The same of a contact of the problem over the step, where its force acts. */
void tn_account_moved(const TnStep *step, int contact, double out[3]);

typedef struct TnSubsystemAccount {
    double kinetic; /* of the new state */
    double gained;  /* kinetic, potential and elastic energy */
    double work, lost, stored, put_out, put_back, rubbed, hits;
    double involved; /* energies and work, without their signs */
    double mass;     /* kg */
} TnSubsystemAccount;
/* With the velocities as they are now. */
TnSubsystemAccount tn_account_of(const TnAccounts *accounts, int subsystem);
/* What is left of a group's account, and what it is to be measured by. */
typedef struct TnGroupRest {
    double created;      /* J: gained beyond work and losses; below zero: lost */
    double owed;         /* J: of it by earlier steps */
    double excess;       /* J: losses that were counted and cannot have been */
    double put_out;      /* J: by undoing overlaps, and limits and equalities that are open */
    double lost, rubbed; /* J: all losses that were counted; of these to friction */
    double hits, stored; /* J: to impacts at most; in compliant contacts */
    double involved, mass;
} TnGroupRest;
/* ---- account_rest.c ---- */
/* What is left of a group gets its name. */
void tn_accounts_add(TnAccounts *accounts, const TnJoined *joined, int root,
                     const TnGroupRest *rest);
/* Sums of the step, and where it went wrong most. */
void tn_accounts_close(const TnAccounts *accounts, TnStepReport *out);

#endif
