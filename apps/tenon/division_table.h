/* division_table.h: how a world is divided into subsystems, for `tenon info`. Subsystems that are
 * alike share a line. */
#ifndef TENON_DIVISION_TABLE_H
#define TENON_DIVISION_TABLE_H

#include "../common/json.h"

#include <tenon/tenon.h>

/* False: no memory. */
bool division_print(const TnWorld *world, const char *name);
bool division_json(Json *json, const TnWorld *world, const char *name);

#endif
