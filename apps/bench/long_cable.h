/* long_cable.h: a scene by C calls: a cable that lies on a row of bars. */
#ifndef TENON_LONG_CABLE_H
#define TENON_LONG_CABLE_H

#include <tenon/tenon.h>

/* Segments of 1 cm length and 8 mm diameter, both ends held, a bar under every fifth: the same
 * cable and the same contacts per segment at any length. NULL and an error where there is no
 * memory. */
TnModel *long_cable_model(int segments, TnError *err);

#endif
