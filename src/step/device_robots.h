/* device_robots.h: robots, cables and mocap bodies of a world whose free bodies are on a device.
 *
 * They are a world of their own here (model/movers.h), whose steps are the engine's but for the
 * contacts and the solution, which the device has. */
#ifndef TN_STEP_DEVICE_ROBOTS_H
#define TN_STEP_DEVICE_ROBOTS_H

#include "../gpu/gpu.h"
#include "step.h"

/* Blocks of its division (model/division.h) that rows may join are one group of the device. */
typedef struct TnDeviceRobots {
    TnModel *model;
    TnWorld *world;
    TnStep step;
    TnStepReport report;
    int *link, *subsystem; /* of the part: index in the whole */
    int block_count;       /* of the division */
    int *block_group;      /* per block: its group, */
    int *block_start;      /* and where its unknowns begin there */
    int *carried;          /* per link of the part: its place among the carried, -1: none */
    int *next;             /* per group: scratch */
    double *wanted;        /* per subsystem: shares of v⁺ that contacts ask for */
    int *last;  /* per carried link: the last step's contacts pushed it, or it had some */
    bool minds; /* somebody's equations depend on contacts */
    TnGpuCarried out;
} TnDeviceRobots;

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

/* ---- device_robots_step.c ---- */
/* Sets the callbacks of `out`. */
void tn_device_robots_call(TnDeviceRobots *robots);

#endif
