/* mjcf_write.h: what the parts of the MJCF writer share.
 *
 *   builder ──► definitions ──► text of each section ──► one file, and files beside it
 *
 * The reader makes definitions of a file; the writer makes a file of definitions, without default
 * classes, frames and other short forms. A number is written with as many digits as keep its bits,
 * so that the file that is written loads to the same model. One table per kind of definition says
 * which attribute holds which member (TnField); what no attribute can say is an error, never left
 * out. Parts without a name get one where something refers to them. */
#ifndef TN_IO_MJCF_WRITE_H
#define TN_IO_MJCF_WRITE_H

#include "../../../base/platform/numbers.h"
#include "../mjcf.h"

#include <tenon/definitions.h>

/* ---- text ---- */

typedef struct TnText {
    char *data; /* heap; ends with a zero */
    size_t size, room;
} TnText;

typedef struct TnWriter {
    TnDefinitions d;
    TnError *err;
    bool no_memory;
    TnText *out; /* of the section that is being written */
    int indent;
    TnIoPool pool;
    const char *stem;             /* path of the file less its extension */
    struct TnBesideFile *besides; /* files beside it */
    const char **generated[13];   /* by TnWritten: names of those that had none; NULL: none yet */
    /* of each body: the first of its parts, then from part to part; -1 ends */
    int *body_joint, *next_joint, *body_geom, *next_geom, *body_site, *next_site;
    int *body_camera, *next_camera, *first_child, *next_sibling;
    int *rod_of_body, *rod_of_geom, *rod_of_joint; /* index; -1: not a part of a rod */
    int *rod_place;                                /* of a rod: bodies of the file before it */
    int *body_order;                               /* bodies in the order of the file, less rods */
} TnWriter;

/* An error that names what could not be written. */
void tn_write_error(TnWriter *w, const char *kind, const char *name, int id, TnSource source,
                    const char *format, ...) __attribute__((format(printf, 6, 7)));
void tn_write_raw(TnWriter *w, const char *text, size_t length);
void tn_write_format(TnWriter *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* <name …> in parts: open, attributes, then close (no children) or inner … end. */
void tn_write_open(TnWriter *w, const char *element);
void tn_write_close(TnWriter *w);
void tn_write_inner(TnWriter *w);
void tn_write_end(TnWriter *w, const char *element);
void tn_write_text(TnWriter *w, const char *attr, const char *value); /* escaped; "" is left out */
void tn_write_reals(TnWriter *w, const char *attr, const double *values, int count);
void tn_write_real(TnWriter *w, const char *attr, double value);
void tn_write_int(TnWriter *w, const char *attr, int value);
void tn_write_ints(TnWriter *w, const char *attr, const int32_t *values, int count);
/* tn_number_write_exactly, and its text. */
const char *tn_write_digits(double value, char text[TN_NUMBER_TEXT]);

/* ---- tables ---- */

typedef enum TnFieldKind { TN_FIELD_REAL, TN_FIELD_INT, TN_FIELD_BOOL, TN_FIELD_WORD } TnFieldKind;
typedef struct TnField {
    const char *attr;
    size_t offset;
    TnFieldKind kind;
    int count;         /* of reals */
    const char *words; /* of an enumeration, separated by spaces */
} TnField;
#define TN_REALS(TYPE, ATTR, MEMBER, COUNT)                                                        \
    {                                                                                              \
        ATTR, offsetof(TYPE, MEMBER), TN_FIELD_REAL, COUNT, NULL                                   \
    }
#define TN_REAL(TYPE, ATTR, MEMBER) TN_REALS(TYPE, ATTR, MEMBER, 1)
#define TN_INT(TYPE, ATTR, MEMBER)                                                                 \
    {                                                                                              \
        ATTR, offsetof(TYPE, MEMBER), TN_FIELD_INT, 1, NULL                                        \
    }
#define TN_BOOL(TYPE, ATTR, MEMBER)                                                                \
    {                                                                                              \
        ATTR, offsetof(TYPE, MEMBER), TN_FIELD_BOOL, 1, NULL                                       \
    }
#define TN_WORDS(TYPE, ATTR, MEMBER, WORDS)                                                        \
    {                                                                                              \
        ATTR, offsetof(TYPE, MEMBER), TN_FIELD_WORD, 1, WORDS                                      \
    }
/* Writes the members that differ from those of `usual`, the reader's defaults. */
void tn_write_fields(TnWriter *w, const TnField *fields, size_t count, const void *def,
                     const void *usual);
#define TN_WRITE_FIELDS(W, TABLE, DEF, USUAL)                                                      \
    tn_write_fields(W, TABLE, sizeof TABLE / sizeof TABLE[0], DEF, USUAL)
/* limited="true" range="a b", as far as it says something. */
void tn_write_limit(TnWriter *w, const char *limited_attr, const char *range_attr, bool limited,
                    const double range[2]);

/* ---- names ---- */

typedef enum TnWritten {
    TN_WRITTEN_BODY,
    TN_WRITTEN_JOINT,
    TN_WRITTEN_GEOM,
    TN_WRITTEN_SITE,
    TN_WRITTEN_TENDON,
    TN_WRITTEN_ACTUATOR,
    TN_WRITTEN_MESH,
    TN_WRITTEN_SOFT,
    TN_WRITTEN_CAMERA,
    TN_WRITTEN_TEXTURE,
    TN_WRITTEN_MATERIAL,
    TN_WRITTEN_LIGHT,
    TN_WRITTEN_KINDS
} TnWritten;
/* The name by which another element refers to it; one is made up where it has none. "" for id 0. */
const char *tn_write_name(TnWriter *w, TnWritten kind, int id);
/* Its own name, or the one that was made up; "" for none. */
const char *tn_write_own_name(const TnWriter *w, TnWritten kind, int id);

/* ---- sections ---- */

bool tn_write_index(TnWriter *w); /* lists of parts by body; false: no memory */
void tn_write_assets(TnWriter *w);
/* Textures and materials; a light; headlight and haze (mjcf_write_looks.c). */
void tn_write_looks(TnWriter *w);
void tn_write_light(TnWriter *w, int i);
void tn_write_atmosphere(TnWriter *w);
void tn_write_bodies(TnWriter *w);
double tn_write_degrees(double angle); /* that the reader turns into the same radians */
/* Geoms, sites and cameras of one body. */
void tn_write_parts(TnWriter *w, int body);
void tn_write_contacts(TnWriter *w);
void tn_write_equalities(TnWriter *w);
void tn_write_tendons(TnWriter *w);
void tn_write_actuators(TnWriter *w);
void tn_write_sensors(TnWriter *w);
void tn_write_keys(TnWriter *w);
void tn_write_tenon(TnWriter *w);

/* A file beside the model: STEM_name.ending. Its text is written to *out from then on; the name to
 * refer to it is returned, NULL where there is no memory. */
const char *tn_write_beside(TnWriter *w, const char *name, const char *ending, TnText **out);

#endif
