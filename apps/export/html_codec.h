/* html_codec.h: numbers as the replay's player reads them: named sections, each an array of one
 * type, its bytes laid out in planes (all lowest bytes, then all second bytes, …), deflated, and
 * all of them together written as base64. docs/replay.md has the format. */
#ifndef TENON_HTML_CODEC_H
#define TENON_HTML_CODEC_H

#include "../common/json.h"
#include <stddef.h>

typedef enum SectionType {
    SECTION_U8,
    SECTION_I8,
    SECTION_I16,
    SECTION_I32,
    SECTION_F32,
    SECTION_F64
} SectionType;

enum { SECTION_ROOM = 32 };

typedef struct Section {
    const char *name; /* borrowed: a literal */
    SectionType type;
    size_t count;          /* numbers */
    unsigned char *packed; /* deflated planes */
    size_t packed_size;
} Section;

/* Starts as {0}. `failed` once memory ran out; later calls then do nothing. */
typedef struct Sections {
    Section list[SECTION_ROOM];
    int count;
    bool failed;
} Sections;

void sections_add(Sections *sections, const char *name, SectionType type, const void *numbers,
                  size_t count);
void sections_free(Sections *sections);
/* The array "sections" of the head: name, type, count and packed bytes, in the order of the data.
 */
void sections_describe(const Sections *sections, Json *json);
/* The packed bytes of all sections, one after the other, as base64 without line ends. */
void sections_write_base64(const Sections *sections, FILE *out);

/* Differences along time. A channel is `count` numbers, one per frame; what is left of them
 * replaces them: folded (0, -1, 1, -2, … become 0, 1, 2, 3, …), so that the high bytes are zero.
 * Returns the order of the differences, 0 … 2, that left the least. */
unsigned char predict_channel(int32_t *channel, int count);

/* A direction as a point of an octahedron unfolded to a square, a byte for each coordinate. */
void pack_direction(const double direction[3], signed char packed[2]);

#endif
