/* account.h: where a step's energy went. */
#ifndef TN_STEP_ACCOUNT_H
#define TN_STEP_ACCOUNT_H

#include "step.h"

/* Per subsystem, J over the step. Of a contact between two all goes to the first. */
typedef struct TnAccounts {
    TnStep *step;
    double *work;    /* done by actuators and applied forces */
    double *lost;    /* to friction and damping */
    double *put_out; /* by what undoes overlaps and open equalities: energy from nowhere that cannot be avoided */
    TnEnergy *after; /* of the new state, by subsystem; those awake */
    double actuators, applied, friction, damping, impacts;
} TnAccounts;

/* What is known of the step before its velocities are put right. False: no memory. */
bool tn_accounts_open(TnStep *step, TnAccounts *accounts);

typedef struct TnSubsystemAccount {
    double kinetic; /* of the new state */
    double gained;  /* kinetic, potential and elastic energy */
    double work, lost, put_out;
    double involved; /* energies and work, without their signs */
} TnSubsystemAccount;
/* With the velocities as they are now. */
TnSubsystemAccount tn_account_of(const TnAccounts *accounts, int subsystem);
/* Sums of the step, and the energies that its new state begins with. */
void tn_accounts_close(TnAccounts *accounts, TnEnergyAccount *out);

#endif
