/* device_robots.h: robots, cables, soft bodies and mocap bodies of a world whose free bodies are on
 * a device.
 *
 * They are a world of their own here (model/part/movers.h), whose steps are the engine's but for
 * the contacts and the solution, which the device has. */
#ifndef TN_DEVICE_DEVICE_ROBOTS_H
#define TN_DEVICE_DEVICE_ROBOTS_H

#include "../gpu/gpu.h"
#include "../step/step.h"

/* Blocks of its division (model/division/division.h) that rows may join are one group of the
 * device. */
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
    bool minds; /* the equations of a robot depend on contacts */
    TnGpuCarried out;
    struct TnDeviceSofts *softs; /* device_softs.c; NULL: there are no soft bodies */
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

/* ---- device_softs.c ---- */
/* Of a model that has some: their groups and rooms. False: no memory, or *err says what is too
 * large. */
bool tn_device_softs_create(TnDeviceRobots *robots, const TnWorld *world, TnError *err);
void tn_device_softs_destroy(TnDeviceRobots *robots);
/* Where they may get to in the step. */
void tn_device_softs_place(TnDeviceRobots *robots);
/* Contacts in which they are, from what is near; raises TnDeviceRobots.wanted of what these push,
 * and marks links that have some. */
bool tn_device_softs_touch(TnDeviceRobots *robots);
/* TN_GPU_LISTED and TN_GPU_CLOSES of a carried link, by contacts with soft bodies. */
int tn_device_softs_seen(const TnDeviceRobots *robots, int carried);
/* What contacts of the step, and pushes of the last, want of soft bodies. */
void tn_device_softs_want(TnDeviceRobots *robots);
/* Their equations from the problem; and what was found back to it, which takes its share. */
bool tn_device_softs_write(TnDeviceRobots *robots);
void tn_device_softs_take(TnDeviceRobots *robots);
/* The last step's pushes are none of the state's; and the step is over. */
void tn_device_softs_forget(TnDeviceRobots *robots);
void tn_device_softs_end(TnDeviceRobots *robots);
/* Points of soft bodies in the step's contacts. */
const TnContactList *tn_device_softs_contacts(const TnDeviceRobots *robots);

#endif
