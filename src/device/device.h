/* device.h: a world whose steps run on a device (gpu/gpu.h).
 *
 * The device owns the state while it steps. What reads it calls tn_world_fetch first, which
 * copies it back if it is not here yet. What changes the state or the model on the host is handed
 * over before the next step. */
#ifndef TN_DEVICE_DEVICE_H
#define TN_DEVICE_DEVICE_H

#include "../gpu/gpu.h"
#include "../world/world.h"

struct TnGpuScene;

typedef struct TnDeviceSide {
    struct TnGpuScene *scene; /* NULL: it failed, and the state here is the last that is known */
    struct TnDeviceRobots *robots; /* what is no free body (device_robots.h); NULL: there is none */
    bool ahead;                    /* the device's state is newer than the host's */
    bool put, forget, renew;       /* before the next step: the state, no forces, the model */
    double time;                   /* s: of the host's state */
    int contact_count;             /* on the device, of the last step */
    bool has_contacts;             /* world->contacts are these */
    TnContactPoint *points;        /* the host's copies */
    double (*force)[3];
    int capacity;
} TnDeviceSide;

/* What the world's options mean there. */
TnGpuDef tn_device_def(const TnWorld *world);
/* False: *err says why. */
bool tn_device_create(TnWorld *world, TnError *err);
void tn_device_destroy(TnWorld *world);
TnStepReport tn_device_step(TnWorld *world);
void tn_device_fetch(TnWorld *world);
void tn_device_fetch_contacts(TnWorld *world);
/* Room for the host's copies of contact_count contacts; false: no memory. */
bool tn_device_reserve_contacts(TnDeviceSide *side);
/* The host's state is another one now, not from steps. */
void tn_device_note_state(TnWorld *world, bool forget);
/* So are the model or the solver's options; the state is here. */
void tn_device_note_model(TnWorld *world);

/* spread.h: the same of a world that ranks have in parts; all must ask. */
void tn_spread_fetch(TnWorld *world);
/* State, frames and twists are the last step's from here on. */
static inline void tn_world_fetch(const TnWorld *world)
{
    TN_ASSERT_ALIVE(world);
    if (world && world->spread) tn_spread_fetch((TnWorld *)world);
    if (world && world->device && world->device->ahead) tn_device_fetch((TnWorld *)world);
}

#endif
