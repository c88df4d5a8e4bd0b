/* mcap.c: MCAP files; see mcap.h.
 *
 * A file is a magic text, records, and the magic text again. A record is a byte that says what it
 * is, the length of its content as u64, and the content; numbers are little-endian, texts have
 * their length in front.
 *
 *   header
 *   chunk: schemas, channels and messages    } as many as
 *   index of each of its channels            } are needed
 *   end of the data, with the checksum of all before
 *   summary: schemas and channels again, statistics, where the chunks are
 *   footer: where the summary begins
 *
 * Chunks are not compressed: MCAP knows LZ4 and Zstandard, not zlib. */
#include "mcap.h"

#include <stdlib.h>
#include <string.h>
#include <tenon/base.h>
#include <zlib.h>

enum { CHUNK_BYTES = 1 << 20 };
enum {
    HEADER = 1,
    FOOTER = 2,
    SCHEMA = 3,
    CHANNEL = 4,
    MESSAGE = 5,
    CHUNK = 6,
    MESSAGE_INDEX = 7,
    CHUNK_INDEX = 8,
    STATISTICS = 11,
    DATA_END = 15
};
static const unsigned char magic[8] = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

/* ---- bytes in memory ---- */

static void add(Mcap *mcap, McapBytes *to, const void *bytes, size_t size)
{
    if (mcap->failed) return;
    if (to->size + size > to->room) {
        size_t room = 2 * (to->size + size) + 256;
        unsigned char *grown = realloc(to->bytes, room);
        if (!grown) {
            mcap->failed = true;
            return;
        }
        to->bytes = grown;
        to->room = room;
    }
    if (size) memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static void add_number(Mcap *mcap, McapBytes *to, uint64_t value, int bytes)
{
    unsigned char text[8];
    for (int k = 0; k < bytes; k++) text[k] = (unsigned char)(value >> (8 * k));
    add(mcap, to, text, (size_t)bytes);
}

static void add_text(Mcap *mcap, McapBytes *to, const char *text)
{
    add_number(mcap, to, strlen(text), 4);
    add(mcap, to, text, strlen(text));
}

/* A record whose content is collected in `content`, which is empty afterwards. */
static void add_record(Mcap *mcap, McapBytes *to, int kind, McapBytes *content)
{
    add_number(mcap, to, (uint64_t)kind, 1);
    add_number(mcap, to, content->size, 8);
    add(mcap, to, content->bytes, content->size);
    content->size = 0;
}

/* ---- bytes in the file ---- */

static void put(Mcap *mcap, const void *bytes, size_t size)
{
    if (mcap->failed || !size) return;
    fwrite(bytes, 1, size, mcap->out);
    mcap->at += size;
    for (size_t done = 0; done < size;) {
        size_t part = size - done < 1u << 30 ? size - done : 1u << 30;
        mcap->crc = (uint32_t)crc32(mcap->crc, (const unsigned char *)bytes + done, (uInt)part);
        done += part;
    }
}

static void put_bytes(Mcap *mcap, McapBytes *bytes)
{
    put(mcap, bytes->bytes, bytes->size);
    bytes->size = 0;
}

static void put_record(Mcap *mcap, int kind, McapBytes *content)
{
    McapBytes record = {0};
    add_record(mcap, &record, kind, content);
    put_bytes(mcap, &record);
    free(record.bytes);
}

void mcap_begin(Mcap *mcap, FILE *out)
{
    McapBytes header = {0};
    char library[64];
    *mcap = (Mcap){.out = out};
    snprintf(library, sizeof library, "tenon %s", tn_version());
    put(mcap, magic, sizeof magic);
    add_text(mcap, &header, ""); /* no profile */
    add_text(mcap, &header, library);
    put_record(mcap, HEADER, &header);
    free(header.bytes);
}

/* Schema and channel; both have the topic's number, from 1. */
static void add_topic(Mcap *mcap, McapBytes *to, int topic)
{
    const McapTopic *t = &mcap->topics[topic];
    McapBytes record = {0};
    add_number(mcap, &record, (uint64_t)topic + 1, 2);
    add_text(mcap, &record, t->schema);
    add_text(mcap, &record, "jsonschema");
    add_text(mcap, &record, t->schema_text);
    add_record(mcap, to, SCHEMA, &record);
    add_number(mcap, &record, (uint64_t)topic + 1, 2);
    add_number(mcap, &record, (uint64_t)topic + 1, 2);
    add_text(mcap, &record, t->topic);
    add_text(mcap, &record, "json");
    add_number(mcap, &record, 0, 4); /* no metadata */
    add_record(mcap, to, CHANNEL, &record);
    free(record.bytes);
}

int mcap_topic(Mcap *mcap, const char *topic, const char *schema, const char *schema_text)
{
    int number = mcap->topic_count++;
    mcap->topics[number] =
        (McapTopic){.topic = topic, .schema = schema, .schema_text = schema_text};
    add_topic(mcap, &mcap->chunk, number);
    return number;
}

/* ---- chunks ---- */

static McapChunk *new_chunk(Mcap *mcap)
{
    if (mcap->chunk_count == mcap->chunk_room) {
        int room = 2 * mcap->chunk_room + 16;
        McapChunk *grown = realloc(mcap->chunks, (size_t)room * sizeof *grown);
        if (!grown) {
            mcap->failed = true;
            return NULL;
        }
        mcap->chunks = grown;
        mcap->chunk_room = room;
    }
    McapChunk *chunk = &mcap->chunks[mcap->chunk_count++];
    *chunk = (McapChunk){
        .first = mcap->first, .last = mcap->last, .start = mcap->at, .bytes = mcap->chunk.size};
    return chunk;
}

static void end_chunk(Mcap *mcap)
{
    McapBytes record = {0};
    McapChunk *chunk = mcap->failed ? NULL : new_chunk(mcap);
    if (!chunk) return;
    add_number(mcap, &record, chunk->first, 8);
    add_number(mcap, &record, chunk->last, 8);
    add_number(mcap, &record, chunk->bytes, 8);
    add_number(mcap, &record, crc32(0, mcap->chunk.bytes, (uInt)mcap->chunk.size), 4);
    add_text(mcap, &record, ""); /* not compressed */
    add_number(mcap, &record, chunk->bytes, 8);
    add(mcap, &record, mcap->chunk.bytes, mcap->chunk.size);
    put_record(mcap, CHUNK, &record);
    chunk->size = mcap->at - chunk->start;
    for (int i = 0; i < mcap->topic_count; i++) {
        McapBytes *index = &mcap->topics[i].index;
        if (!index->size) continue;
        chunk->index_at[i] = mcap->at;
        add_number(mcap, &record, (uint64_t)i + 1, 2);
        add_number(mcap, &record, index->size, 4);
        add(mcap, &record, index->bytes, index->size);
        put_record(mcap, MESSAGE_INDEX, &record);
        index->size = 0;
    }
    chunk->index_size = mcap->at - chunk->start - chunk->size;
    mcap->chunk.size = 0;
    free(record.bytes);
}

void mcap_message(Mcap *mcap, int topic, uint64_t time, const char *text, size_t size)
{
    McapTopic *t = &mcap->topics[topic];
    bool is_first = true;
    for (int i = 0; i < mcap->topic_count; i++)
        if (mcap->topics[i].index.size) is_first = false;
    if (is_first || time < mcap->first) mcap->first = time;
    if (is_first || time > mcap->last) mcap->last = time;
    add_number(mcap, &t->index, time, 8);
    add_number(mcap, &t->index, mcap->chunk.size, 8);
    add_number(mcap, &mcap->chunk, MESSAGE, 1);
    add_number(mcap, &mcap->chunk, 22 + size, 8);
    add_number(mcap, &mcap->chunk, (uint64_t)topic + 1, 2);
    add_number(mcap, &mcap->chunk, t->messages++, 4);
    add_number(mcap, &mcap->chunk, time, 8); /* when it was logged, */
    add_number(mcap, &mcap->chunk, time, 8); /* and published */
    add(mcap, &mcap->chunk, text, size);
    if (mcap->chunk.size >= CHUNK_BYTES) end_chunk(mcap);
}

/* ---- the end ---- */

static void add_statistics(Mcap *mcap, McapBytes *to)
{
    McapBytes record = {0};
    uint64_t messages = 0, first = 0, last = 0;
    for (int i = 0; i < mcap->topic_count; i++) messages += mcap->topics[i].messages;
    for (int i = 0; i < mcap->chunk_count; i++) {
        if (i == 0 || mcap->chunks[i].first < first) first = mcap->chunks[i].first;
        if (i == 0 || mcap->chunks[i].last > last) last = mcap->chunks[i].last;
    }
    add_number(mcap, &record, messages, 8);
    add_number(mcap, &record, (uint64_t)mcap->topic_count, 2); /* schemas */
    add_number(mcap, &record, (uint64_t)mcap->topic_count, 4);
    add_number(mcap, &record, 0, 4); /* attachments */
    add_number(mcap, &record, 0, 4); /* metadata */
    add_number(mcap, &record, (uint64_t)mcap->chunk_count, 4);
    add_number(mcap, &record, first, 8);
    add_number(mcap, &record, last, 8);
    add_number(mcap, &record, 10 * (uint64_t)mcap->topic_count, 4);
    for (int i = 0; i < mcap->topic_count; i++) {
        add_number(mcap, &record, (uint64_t)i + 1, 2);
        add_number(mcap, &record, mcap->topics[i].messages, 8);
    }
    add_record(mcap, to, STATISTICS, &record);
    free(record.bytes);
}

static void add_chunk_index(Mcap *mcap, McapBytes *to, const McapChunk *chunk)
{
    McapBytes record = {0};
    uint64_t topics = 0;
    for (int i = 0; i < mcap->topic_count; i++) topics += chunk->index_at[i] != 0;
    add_number(mcap, &record, chunk->first, 8);
    add_number(mcap, &record, chunk->last, 8);
    add_number(mcap, &record, chunk->start, 8);
    add_number(mcap, &record, chunk->size, 8);
    add_number(mcap, &record, 10 * topics, 4);
    for (int i = 0; i < mcap->topic_count; i++) {
        if (!chunk->index_at[i]) continue;
        add_number(mcap, &record, (uint64_t)i + 1, 2);
        add_number(mcap, &record, chunk->index_at[i], 8);
    }
    add_number(mcap, &record, chunk->index_size, 8);
    add_text(mcap, &record, "");
    add_number(mcap, &record, chunk->bytes, 8);
    add_number(mcap, &record, chunk->bytes, 8);
    add_record(mcap, to, CHUNK_INDEX, &record);
    free(record.bytes);
}

/* The checksum of the summary covers the footer up to itself. */
static void put_summary(Mcap *mcap)
{
    McapBytes summary = {0};
    uint64_t start = mcap->at;
    mcap->crc = 0;
    for (int i = 0; i < mcap->topic_count; i++) add_topic(mcap, &summary, i);
    add_statistics(mcap, &summary);
    for (int i = 0; i < mcap->chunk_count; i++) add_chunk_index(mcap, &summary, &mcap->chunks[i]);
    add_number(mcap, &summary, FOOTER, 1);
    add_number(mcap, &summary, 20, 8);
    add_number(mcap, &summary, start, 8);
    add_number(mcap, &summary, 0, 8); /* no offsets within the summary */
    put_bytes(mcap, &summary);
    add_number(mcap, &summary, mcap->crc, 4);
    add(mcap, &summary, magic, sizeof magic);
    put_bytes(mcap, &summary);
    free(summary.bytes);
}

bool mcap_end(Mcap *mcap)
{
    McapBytes record = {0};
    if (mcap->chunk.size) end_chunk(mcap);
    add_number(mcap, &record, mcap->crc, 4);
    put_record(mcap, DATA_END, &record);
    put_summary(mcap);
    for (int i = 0; i < mcap->topic_count; i++) free(mcap->topics[i].index.bytes);
    free(mcap->chunk.bytes);
    free(mcap->chunks);
    free(record.bytes);
    return !mcap->failed;
}
