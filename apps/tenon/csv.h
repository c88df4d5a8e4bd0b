/* csv.h: the recording of `tenon run --csv`: a header, then one line per step, 17 significant
 * digits.
 *
 * Columns: time; NAME.q0 … and NAME.v0 … of every joint that is not free, in the model's order;
 * then NAME.x NAME.y NAME.z NAME.qw NAME.qx NAME.qy NAME.qz of every free body; kinetic, potential,
 * elastic, total (J, after the step), actuators, applied, friction, damping, impacts, step_loss,
 * created (J, of the step), created_sum (J, so far), created_share (as in TnStepReport); where the
 * solver has a tolerance also error, islands, started, subadmm, assembled, newton (islands by the
 * method that had the last word) and asleep; then those of forces.h, where asked for. */
#ifndef TENON_CSV_H
#define TENON_CSV_H

#include <stdio.h>
#include <tenon/tenon.h>

typedef struct Csv {
    const char *path;
    FILE *out;
    bool solver;          /* columns of what the solver did */
    bool forces, sensors; /* and of these; set before it is opened */
} Csv;

/* Makes the folder where it is missing, opens and writes the header. False and a message where that
 * fails. */
bool csv_open(Csv *csv, const char *path, const TnModel *model, bool solver);
bool csv_write(Csv *csv, TnWorld *world, const TnStepReport *report);
/* A column `,name.suffix`, quoted where the name holds a comma, a quote or a line break; with an
 * index where it is not negative. */
void csv_column(FILE *out, const char *name, const char *suffix, int index);
/* Flushes and closes; false and a message where anything was not written. Fine on a csv never
 * opened. */
bool csv_close(Csv *csv);

#endif
