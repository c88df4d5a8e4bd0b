/* history.h: states that a simulation has passed, to go back to.
 *
 * A ring of saved states (tn_world_save) with what the step before had reported and its contacts,
 * so that a state looks the same when one comes back to it. The oldest is dropped where the ring is
 * full or its bytes are used up. */
#ifndef TENON_VIEW_HISTORY_H
#define TENON_VIEW_HISTORY_H

#include <tenon/scene.h>

typedef struct HistoryEntry HistoryEntry;

typedef struct History {
    HistoryEntry **entries; /* ring of `room` */
    int room, first, count;
    size_t bytes, max_bytes; /* of the entries */
} History;

/* False where there is no memory. */
bool history_create(History *history, int room, size_t max_bytes);
void history_free(History *history);
void history_clear(History *history);
/* Keeps the world's state as the newest, with the report of the step that led there and its
 * contacts; NULL: those that the world has. False where there is no memory or a state is larger
 * than all the bytes: then nothing is kept. */
bool history_push(History *history, const TnWorld *world, const TnStepReport *report,
                  const TnContact *contacts, int contact_count);
void history_drop_newest(History *history);
/* Puts the world into the newest state kept and drops that. False where there is none. `contacts`
 * is the caller's, of *contact_room; it grows by realloc where needed. */
bool history_pop(History *history, TnWorld *world, TnStepReport *report, TnContact **contacts,
                 int *contact_count, int *contact_room);

#endif
