/* run_energy.h: the account of energy of `tenon run`: where it came from and went, and which step
 * was most wrong. */
#ifndef TENON_RUN_ENERGY_H
#define TENON_RUN_ENERGY_H

#include "../common/json.h"

#include <tenon/tenon.h>

/* A step that creates more than this share of the energy around is worth a warning. */
#define WRONG_SHARE 0.01

typedef struct RunEnergy {
    TnEnergy start, end;  /* J */
    bool in_parts;        /* the world, which has no account of energy then */
    TnEnergyAccount sums; /* J */
    int64_t steps, wrong; /* how many there were, and how many created more than WRONG_SHARE */
    double share;         /* largest TnStepReport.created_share */
    int64_t worst_step;   /* that had it, from 1; 0: nothing was created */
    double worst_time;    /* s */
    TnBodyId worst_body;  /* where; 0: none */
    TnSoftId worst_soft;
    TnStepLoss most;           /* largest loss to the step */
    double corrected;          /* J that scaled velocities lost, */
    double corrected_momentum; /* kg m/s that they gave to what touches something fixed, without
                                  its direction */
} RunEnergy;

void run_energy_start(RunEnergy *energy, const TnWorld *world, bool in_parts);
/* After a step that was not refused. */
void run_energy_add(RunEnergy *energy, const TnWorld *world, const TnStepReport *report);
void run_energy_end(RunEnergy *energy, const TnWorld *world);

/* Lines of the table, keys of the JSON object. */
void run_energy_print(FILE *out, const RunEnergy *energy, const TnModel *model);
void run_energy_json(Json *json, const RunEnergy *energy, const TnModel *model);
/* On stderr, once, where a step was wrong. */
void run_energy_warn(const RunEnergy *energy, const TnModel *model);

#endif
