/* plan_task.h: the task file of `tenon plan` and of pages that plan: a model, a horizon, costs, and
 * what counts as done. */
#ifndef TENON_PLAN_TASK_H
#define TENON_PLAN_TASK_H

#include <tenon/tenon.h>

enum { TASK_COSTS = 64, TASK_NUMBERS = 4096, TASK_TEXT = 256 };

typedef struct PlanTask {
    const TnModel *model; /* borrowed */
    TnKeyId key;
    int every; /* knots that are carried out before the next plan */
    TnPlanDef def;
    TnPlanCost costs[TASK_COSTS];
    double within[TASK_COSTS]; /* largest length of a residual at the end; infinite: any */
    char names[TASK_COSTS][TASK_TEXT];
    double numbers[TASK_NUMBERS];
    int number_count;
} PlanTask;

/* The model of this path, which stays the caller's. NULL: why is said, or stands in `err`. */
typedef const TnModel *PlanTaskModel(void *user, const char *path, TnError *err);

/* Reads the file; the model that it names, beside it, comes from `model`. TN_ERROR_IO: it cannot be
 * read; TN_ERROR_MODEL: it is wrong. */
TnStatus plan_task_read(PlanTask *task, const char *path, PlanTaskModel *model, void *user,
                        TnError *err);

#endif
