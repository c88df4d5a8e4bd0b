/* device_robots.h: robots, cables and mocap bodies of a world whose free bodies are on a device.
 *
 * They are a world of their own here (model/movers.h), whose steps are the engine's but for the
 * contacts and the solution, which the device has. */
#ifndef TN_STEP_DEVICE_ROBOTS_H
#define TN_STEP_DEVICE_ROBOTS_H

#include "../gpu/gpu.h"
#include "world.h"

typedef struct TnDeviceRobots TnDeviceRobots;

/* True in *out where the world has such; of what it cannot take the error says why. */
bool tn_device_robots_create(const TnWorld *world, TnDeviceRobots **out, TnError *err);
void tn_device_robots_destroy(TnDeviceRobots *robots); /* NULL is allowed */
/* For TnGpuDef; NULL of NULL. */
TnGpuCarried *tn_device_robots_carried(TnDeviceRobots *robots);
/* The world's state is theirs from here on; and the other way round, in the world's arrays. */
void tn_device_robots_put(TnDeviceRobots *robots, const TnWorld *world);
void tn_device_robots_get(const TnDeviceRobots *robots, TnWorld *world);
/* What users set for the next step, of which this sub-step is a part. */
void tn_device_robots_drive(TnDeviceRobots *robots, const TnWorld *world, int substep);
/* That are rows, of the last step. */
int tn_device_robots_rows(const TnDeviceRobots *robots);

#endif
