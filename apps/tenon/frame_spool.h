/* frame_spool.h: frames of a film wait in a file without a name until all of them are known, so
 * that the camera can be fitted to the whole motion. Nothing is rounded. */
#ifndef TENON_FRAME_SPOOL_H
#define TENON_FRAME_SPOOL_H

#include <stdio.h>
#include <tenon/tenon.h>

typedef struct FrameSpool {
    FILE *file;
    TnFrame *frame; /* the one read last */
    int64_t count;  /* written */
} FrameSpool;

/* All return false with errno set. */
bool spool_open(FrameSpool *spool, const TnScene *scene);
bool spool_write(FrameSpool *spool, const TnFrame *frame);
bool spool_rewind(FrameSpool *spool);
/* The next frame into spool->frame. */
bool spool_read(FrameSpool *spool);
void spool_close(FrameSpool *spool); /* fine on one never opened */

#endif
