/* keyframe.h: the present state as an element of MJCF. */
#ifndef VIEW_KEYFRAME_H
#define VIEW_KEYFRAME_H

#include <tenon/world.h>

/* A <key .../> for the caller to free; NULL: no memory. */
char *keyframe_text(const TnWorld *world);

#endif
