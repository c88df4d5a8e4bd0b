/* time_control.h (internal): parts of a step as long as the accuracy allows that was asked for. */
#ifndef TN_STEP_TIME_CONTROL_H
#define TN_STEP_TIME_CONTROL_H

#include "step.h"

/* A sub-step is halved so many times at most: for its checks (as a user may ask), and for
 * accuracy. */
enum { TN_CHECK_LEVELS = 16, TN_TIME_LEVELS = 6 };

/* What is known of the parts of a step. */
typedef struct TnTimeControl {
    TnWorld *world;
    double rates[TN_TIME_LEVELS + 1]; /* m/s, per level: error of a part that was too long, and of
                                         which the one that begins is; NaN: none was tried */
} TnTimeControl;

/* m/s; 0: none is asked for. */
double tn_accuracy_of(const TnWorldDef *def, const TnModel *model);
double tn_world_accuracy(const TnWorld *world);
/* What a world needs for it. False: no memory. */
bool tn_time_control_create(TnWorld *world);
void tn_time_control_destroy(TnWorld *world);

/* A step begins. False: no memory. */
bool tn_time_control_begin(TnTimeControl *control, TnWorld *world);
/* A part is tried as a whole: the state is where the wholes so far lead. */
void tn_time_control_begin_whole(TnTimeControl *control);
/* It was; then the state is where the halves so far lead. False: no memory. */
bool tn_time_control_end_whole(TnTimeControl *control);
/* The same where a part is not taken. */
void tn_time_control_return(TnTimeControl *control);
/* The state is where its halves lead. By how many levels the part, of length h, is to be shorter;
 * 0: it is taken. */
int tn_time_control_judge(TnTimeControl *control, int level, double h);
/* It is taken. The next part is of level *level at least, the one before it ends at `end` in parts
 * of its level. False: no memory. */
bool tn_time_control_go_on(TnTimeControl *control, int end, int *level);
/* The step is taken. */
void tn_time_control_report(const TnTimeControl *control, TnStepReport *report);

/* Of each step that is taken: how its subsystems moved. */
void tn_time_control_note_step(const TnStep *step);

#endif
