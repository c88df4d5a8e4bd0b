/* forces.h: what holds joints, bodies and equalities, and sensors, as columns of `tenon run
 * --csv` and in `tenon eval`. */
#ifndef TENON_FORCES_H
#define TENON_FORCES_H

#include "../common/json.h"

#include <stdio.h>
#include <tenon/tenon.h>

/* Columns of --forces: NAME.fx … NAME.tz of every joint that is not free and of every connect
 * and weld, NAME.f of joint equalities. */
void forces_header(FILE *out, const TnModel *model);
void forces_write(FILE *out, TnWorld *world);
/* Columns of --sensors: NAME.s0 … of every sensor. */
void sensors_header(FILE *out, const TnModel *model);
bool sensors_write(FILE *out, TnWorld *world); /* false: no memory */

/* `joints`, `bodies` and `equalities` of the world's last step. */
void forces_json(Json *json, TnWorld *world);
void forces_text(TnWorld *world);

#endif
