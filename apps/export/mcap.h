/* mcap.h: a writer of MCAP files (mcap.dev/spec): messages of several channels with their times. */
#ifndef TENON_MCAP_H
#define TENON_MCAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { MCAP_CHANNELS = 8 };

typedef struct McapBytes {
    unsigned char *bytes;
    size_t size, room;
} McapBytes;

typedef struct McapTopic {
    const char *topic, *schema, *schema_text; /* borrowed; messages are JSON, schemas JSON Schema */
    uint64_t messages;
    McapBytes index; /* of the chunk that is being filled: times and places */
} McapTopic;

typedef struct McapChunk {
    uint64_t first, last; /* ns, of its messages */
    uint64_t start, size; /* in the file */
    uint64_t index_size, bytes;
    uint64_t index_at[MCAP_CHANNELS]; /* 0: no messages */
} McapChunk;

typedef struct Mcap {
    FILE *out;
    uint64_t at;
    uint32_t crc; /* of all that was written since the last start */
    bool failed;  /* no memory */
    McapTopic topics[MCAP_CHANNELS];
    int topic_count;
    McapBytes chunk;
    uint64_t first, last; /* ns, of the chunk that is being filled */
    McapChunk *chunks;
    int chunk_count, chunk_room;
} Mcap;

void mcap_begin(Mcap *mcap, FILE *out);
/* A topic and the schema of its messages; before the first message. Its number. */
int mcap_topic(Mcap *mcap, const char *topic, const char *schema, const char *schema_text);
/* A message of a topic; `time` in ns. */
void mcap_message(Mcap *mcap, int topic, uint64_t time, const char *text, size_t size);
/* The index at the end of the file; frees all. False where there was no memory. */
bool mcap_end(Mcap *mcap);

#endif
