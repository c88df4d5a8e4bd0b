/* Kept states; see history.h. An entry is one block: header, contacts, saved state. */
#include "history.h"

#include <stdlib.h>
#include <string.h>

struct HistoryEntry {
    size_t bytes, state_size;
    TnStepReport report;
    int contact_count;
    TnContact contacts[];
};

bool history_create(History *history, int room, size_t max_bytes)
{
    *history = (History){.room = room, .max_bytes = max_bytes};
    history->entries = calloc((size_t)room, sizeof *history->entries);
    return history->entries != NULL;
}

void history_clear(History *history)
{
    for (int i = 0; i < history->count; i++)
        free(history->entries[(history->first + i) % history->room]);
    history->first = history->count = 0;
    history->bytes = 0;
}

void history_free(History *history)
{
    if (history->entries) history_clear(history);
    free(history->entries);
    *history = (History){0};
}

static void drop_oldest(History *history)
{
    HistoryEntry *entry = history->entries[history->first];
    history->bytes -= entry->bytes;
    free(entry);
    history->first = (history->first + 1) % history->room;
    history->count--;
}

void history_drop_newest(History *history)
{
    HistoryEntry *entry = history->entries[(history->first + --history->count) % history->room];
    history->bytes -= entry->bytes;
    free(entry);
}

bool history_push(History *history, const TnWorld *world, const TnStepReport *report,
                  const TnContact *contacts, int contact_count)
{
    if (!contacts) contact_count = tn_world_contact_count(world);
    size_t state_size = tn_world_save_size(world);
    size_t contact_size = (size_t)contact_count * sizeof(TnContact);
    size_t bytes = sizeof(HistoryEntry) + contact_size + state_size;
    if (bytes > history->max_bytes) return false;
    while (history->count &&
           (history->count == history->room || history->bytes + bytes > history->max_bytes))
        drop_oldest(history);
    HistoryEntry *entry = malloc(bytes);
    if (!entry) return false;
    entry->bytes = bytes;
    entry->state_size = state_size;
    entry->report = *report;
    entry->contact_count = contact_count;
    for (int i = 0; i < contact_count; i++)
        entry->contacts[i] = contacts ? contacts[i] : tn_world_contact(world, i);
    void *state = entry->contacts + contact_count;
    if (tn_world_save(world, state, state_size, NULL) != TN_OK) {
        free(entry);
        return false;
    }
    history->entries[(history->first + history->count++) % history->room] = entry;
    history->bytes += bytes;
    return true;
}

bool history_pop(History *history, TnWorld *world, TnStepReport *report, TnContact **contacts,
                 int *contact_count, int *contact_room)
{
    if (!history->count) return false;
    HistoryEntry *entry = history->entries[(history->first + history->count - 1) % history->room];
    const void *state = entry->contacts + entry->contact_count;
    bool restored = tn_world_restore(world, state, entry->state_size, NULL) == TN_OK;
    if (restored) {
        *report = entry->report;
        *contact_count = 0;
        if (entry->contact_count > *contact_room) {
            TnContact *grown = realloc(*contacts, (size_t)entry->contact_count * sizeof *grown);
            if (grown) {
                *contacts = grown;
                *contact_room = entry->contact_count;
            }
        }
        if (entry->contact_count && entry->contact_count <= *contact_room) {
            memcpy(*contacts, entry->contacts, (size_t)entry->contact_count * sizeof **contacts);
            *contact_count = entry->contact_count;
        }
    }
    history_drop_newest(history);
    return restored;
}
