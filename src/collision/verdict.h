/* verdict.h: whether and how two slots may collide, for code that is no C (gpu/mirror.h). */
#ifndef TN_COLLISION_VERDICT_H
#define TN_COLLISION_VERDICT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct TnCollider;

/* filter.c; 0: not, 1: by their surfaces, 2 and more: by this explicit pair, counted from there.
 * least: as in TnSlotPair. */
int tn_filter_verdict(const struct TnCollider *collider, int slot1, int slot2, double *least);

#ifdef __cplusplus
}
#endif
#endif
