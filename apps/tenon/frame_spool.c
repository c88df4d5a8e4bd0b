/* Frames in a file; see frame_spool.h. What pictures show is kept: the struct, poses, points,
 * contacts and the stress of points. */
#include "frame_spool.h"

#include <errno.h>
#include <string.h>

bool spool_open(FrameSpool *spool, const TnScene *scene)
{
    *spool = (FrameSpool){.file = tmpfile()};
    if (!spool->file) return false;
    spool->frame = tn_frame_create(scene, NULL);
    if (!spool->frame) errno = ENOMEM;
    return spool->frame != NULL;
}

void spool_close(FrameSpool *spool)
{
    if (spool->file) fclose(spool->file);
    tn_frame_destroy(spool->frame);
    *spool = (FrameSpool){0};
}

static bool put(FrameSpool *spool, const void *bytes, size_t size, size_t count)
{
    return count == 0 || fwrite(bytes, size, count, spool->file) == count;
}

static bool get(FrameSpool *spool, void *bytes, size_t size, size_t count)
{
    return count == 0 || fread(bytes, size, count, spool->file) == count;
}

bool spool_write(FrameSpool *spool, const TnFrame *f)
{
    errno = 0;
    bool fine = put(spool, f, sizeof *f, 1) &&
                put(spool, f->poses, 7 * sizeof *f->poses, (size_t)f->body_count) &&
                put(spool, f->points, 3 * sizeof *f->points, (size_t)f->point_count) &&
                put(spool, f->contacts, sizeof *f->contacts, (size_t)f->contact_count) &&
                put(spool, f->stress, sizeof *f->stress, f->stress ? (size_t)f->point_count : 0);
    spool->count += fine;
    return fine;
}

bool spool_rewind(FrameSpool *spool) { return fseek(spool->file, 0, SEEK_SET) == 0; }

/* The struct comes with pointers of another frame: only its numbers count. */
bool spool_read(FrameSpool *spool)
{
    TnFrame *f = spool->frame, from;
    errno = 0;
    if (!get(spool, &from, sizeof from, 1)) return false;
    if (tn_frame_reserve_contacts(f, from.contact_count, NULL) != TN_OK ||
        tn_frame_reserve_stress(f, from.stress ? 0 : -1, NULL) != TN_OK) {
        errno = ENOMEM;
        return false;
    }
    f->time = from.time;
    f->step = from.step;
    f->iterations = from.iterations;
    f->residual = from.residual;
    f->kinetic = from.kinetic;
    f->potential = from.potential;
    f->contact_count = from.contact_count;
    return get(spool, f->poses, 7 * sizeof *f->poses, (size_t)f->body_count) &&
           get(spool, f->points, 3 * sizeof *f->points, (size_t)f->point_count) &&
           get(spool, f->contacts, sizeof *f->contacts, (size_t)f->contact_count) &&
           get(spool, f->stress, sizeof *f->stress, f->stress ? (size_t)f->point_count : 0);
}
