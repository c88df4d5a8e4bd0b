/* plan_task.h: the task file of `tenon plan`: a model, a horizon, costs, and what counts as done.
 */
#ifndef TENON_PLAN_TASK_H
#define TENON_PLAN_TASK_H

#include <tenon/tenon.h>

enum { TASK_COSTS = 64, TASK_NUMBERS = 4096, TASK_TEXT = 256 };

typedef struct PlanTask {
    TnModel *model;
    TnKeyId key;
    TnPlanDef def;
    TnPlanCost costs[TASK_COSTS];
    double within[TASK_COSTS]; /* largest length of a residual at the end; infinite: any */
    char names[TASK_COSTS][TASK_TEXT];
    double numbers[TASK_NUMBERS];
    int number_count;
} PlanTask;

/* Reads the file and loads its model. An exit code; on failure it has said why. */
int plan_task_load(PlanTask *task, const char *path);
void plan_task_free(PlanTask *task);

#endif
