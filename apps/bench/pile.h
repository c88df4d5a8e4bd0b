/* pile.h: a scene by C calls: spheres of 1 cm radius and 4 g in an open box. */
#ifndef TENON_PILE_H
#define TENON_PILE_H

#include <tenon/tenon.h>

/* `count` spheres stand on a cubic grid with a little air and a little disorder in between, so that
 * they settle in less than a second. NULL and an error where there is no memory. */
TnModel *pile_model(int count, TnError *err);
/* The same in so many layers, in a box as wide as they need; 0: a cube. */
TnModel *bed_model(int count, int layers, TnError *err);

#endif
