/* forces.h: what holds joints, bodies and equalities, as columns of `tenon run` and in `tenon
 * eval`. */
#ifndef TENON_FORCES_H
#define TENON_FORCES_H

#include "../common/json.h"

#include <stdio.h>
#include <tenon/tenon.h>

/* Columns of --forces: NAME.fx … NAME.tz of every joint that is not free and of every connect
 * and weld, NAME.f of joint equalities. */
typedef void (*TakeName)(void *context, const char *name);
void forces_names(const TnModel *model, TakeName take, void *context);
void forces_fill(TnWorld *world, double *to); /* their numbers */

/* `joints`, `bodies` and `equalities` of the world's last step. */
void forces_json(Json *json, TnWorld *world);
void forces_text(TnWorld *world);

#endif
