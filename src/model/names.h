/* names.h: from a name to an index, by open addressing.
 *
 * A table has a power of two of slots, at least twice as many as names; a slot holds index + 1, 0
 * is free. Slots live in the caller's memory. Empty names are not entered. */
#ifndef TN_MODEL_NAMES_H
#define TN_MODEL_NAMES_H

#include <stddef.h>
#include <stdint.h>

typedef struct TnNameTable {
    const char **names; /* by index (joints: by id - 1) */
    int32_t *slots;
    uint32_t mask; /* slots - 1 */
} TnNameTable;

size_t tn_name_slot_count(int name_count);
/* Enters names[index]; returns the index that already has this name, or -1. slots start cleared. */
int tn_name_insert(TnNameTable *table, int index);
int tn_name_find(const TnNameTable *table, const char *name); /* -1: none */

typedef enum TnNameKind {
    TN_NAME_BODY,
    TN_NAME_JOINT,
    TN_NAME_GEOM,
    TN_NAME_SITE,
    TN_NAME_TENDON,
    TN_NAME_ACTUATOR,
    TN_NAME_EQUALITY,
    TN_NAME_SENSOR,
    TN_NAME_KEY,
    TN_NAME_MESH,
    TN_NAME_CAMERA,
    TN_NAME_ROD,
    TN_NAME_WHEEL,
    TN_NAME_SOFT,
    TN_NAME_TIE,
    TN_NAME_TEXTURE,
    TN_NAME_MATERIAL,
    TN_NAME_LIGHT,
    TN_NAME_KIND_COUNT
} TnNameKind;

/* What model.c needs to answer in public ids. Joints are the only things whose index may differ
 * from id - 1. */
typedef struct TnModelLookup {
    TnNameTable names[TN_NAME_KIND_COUNT];
    int *joint_index; /* id - 1 -> index */
    int *joint_id;    /* index -> id */
} TnModelLookup;

#endif
