/* names.c: FNV-1a hashes, linear probing. */
#include "names.h"

#include <string.h>

static uint32_t hash_name(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 16777619u;
    return h ^ (h >> 15);
}

size_t tn_name_slot_count(int name_count)
{
    size_t slots = 4;
    while (slots < 2 * (size_t)name_count) slots *= 2;
    return slots;
}

/* The slot that holds the name, or the free one where it belongs. */
static uint32_t probe(const TnNameTable *table, const char *name)
{
    uint32_t s = hash_name(name) & table->mask;
    while (table->slots[s] && strcmp(table->names[table->slots[s] - 1], name) != 0)
        s = (s + 1) & table->mask;
    return s;
}

int tn_name_insert(TnNameTable *table, int index)
{
    if (!table->names[index][0]) return -1;
    uint32_t s = probe(table, table->names[index]);
    if (table->slots[s]) return table->slots[s] - 1;
    table->slots[s] = index + 1;
    return -1;
}

int tn_name_find(const TnNameTable *table, const char *name)
{
    if (!name || !name[0]) return -1;
    return table->slots[probe(table, name)] - 1;
}
