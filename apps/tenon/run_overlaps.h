/* run_overlaps.h: what `tenon run` says of geoms of one robot that overlap in the reference pose.
 */
#ifndef TENON_RUN_OVERLAPS_H
#define TENON_RUN_OVERLAPS_H

#include <tenon/tenon.h>

/* A line on stderr where there are some. */
void run_tell_overlaps(const TnWorld *world);

#endif
