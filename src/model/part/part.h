/* part.h: a model in parts.
 *
 * What all parts have is the base: all that is fixed, mocap bodies, robots, cables, soft bodies and
 * whatever else is no plain free body. A part is some of the base's subsystems and some free
 * bodies. These come from a model that has them, or as bytes, so that a part needs nothing of the
 * whole. Everything keeps its order and its numbers, so that what is computed of a body has the
 * same bits in any part. Meshes belong to the base; free bodies have no names. */
#ifndef TN_MODEL_PART_H
#define TN_MODEL_PART_H

#include "../model.h"

/* Numbers are those of the whole, ascending. */
typedef struct TnBase {
    TnModel *model; /* no sensors, cameras and keyframes. Borrows what of the whole is no array of
                       bodies, links, joints and geoms, or owns it (tn_base_unpack) */
    int *subsystem, *body, *geom; /* of each that it has: its number */
    int subsystem_count;          /* of the whole */
    const TnPair *pairs;          /* of the whole, by its numbers; borrowed or owned likewise */
    const TnExclude *excludes;
    int pair_count, exclude_count;
    void *memory; /* what is owned besides; NULL: nothing */
} TnBase;

/* `has`: per subsystem of the whole. The whole must outlive it. False: no memory. */
bool tn_base_create(const TnModel *whole, const bool *has, TnBase *out);
void tn_base_free(TnBase *base);
/* As bytes, to be freed, and from bytes, which it takes: they may come from another process of the
 * same program. It has no names. NULL, false: no memory. */
void *tn_base_pack(const TnBase *base, size_t *bytes);
bool tn_base_unpack(void *bytes, TnBase *out);

/* A model of some subsystems, with their numbers and the bodies and geoms of each link. */
typedef struct TnPart {
    const TnModel *model;
    TnModel *own;                 /* the same where it is the part's own; NULL: borrowed */
    int *subsystem, *body, *geom; /* numbers in the whole, ascending; NULL: the same */
    int *body_start, *bodies;     /* per link and one more: its bodies, ascending, */
    int *geom_start, *geoms;      /* and geoms */
} TnPart;

/* All of a model, which it borrows. False: no memory. */
bool tn_part_of_whole(const TnModel *whole, TnPart *out);
void tn_part_free(TnPart *part);
static inline int tn_part_number(const int *numbers, int index)
{
    return numbers ? numbers[index] : index;
}
/* Where ascending numbers have one; -1: nowhere. */
int tn_part_find(const int *numbers, int count, int number);

/* A free body of a part as bytes; a multiple of 8 of them. */
size_t tn_body_bytes(const TnPart *part, int subsystem);
void tn_body_pack(const TnPart *part, int subsystem, void *to);
/* Which one it is, and how many bytes it has. */
int tn_body_number(const void *bytes, size_t *size);

/* Where a free body comes from. */
typedef struct TnBodySource {
    int number;
    const void *bytes; /* NULL: */
    int subsystem;     /* of the part `from` */
} TnBodySource;

/* `has`: per subsystem of the base; of those that are joined either all or none, and of those that
 * paths, wheels and ties are about all. Bodies are ascending. Equalities and actuators keep their
 * numbers, and so do forces of rows but for those of joints; those of what the part lacks do
 * nothing. Needs none of the sources any more. False: no memory. */
bool tn_part_make(const TnBase *base, const bool *has, const TnPart *from,
                  const TnBodySource *bodies, int count, TnPart *out);

#endif
