/* tenon/batch.h: many worlds of one model, stepped on several threads. Their states lie in arrays
 * with one row per world, which the caller may read and write between calls.
 *
 * A row that was written reaches its world at the next call of this header: other numbers in qpos
 * or qvel act as tn_world_set_state, in ctrl as tn_world_set_ctrl, in act as tn_world_set_act. Rows
 * that still have the numbers of their world change nothing. So each world has the same bits as a
 * world of its own with the same inputs, for any number of threads. */
#ifndef TENON_BATCH_H
#define TENON_BATCH_H

#include <tenon/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TnBatch TnBatch;

typedef struct TnBatchDef {
    int count;        /* worlds, 1 … 1e6; default 1 */
    int thread_count; /* that share the worlds, 1 … 64; default 1. Each has its own worlds and helps
                         others when it is through with them */
    TnWorldDef world; /* of each of them. Its thread_count may only be above 1 if the one above is
                         1. `log` is called by any of the threads. With a device other than
                         TN_DEVICE_CPU all worlds are there, see the end of this header */
} TnBatchDef;

TN_API TnBatchDef tn_batch_def(void);
TN_API TnBatch *tn_batch_create(const TnBatchDef *def, const TnModel *model, TnError *err);
TN_API void tn_batch_destroy(TnBatch *batch); /* NULL is allowed */

/* The pointers stay the same as long as the batch lives. Row i belongs to world i, from 0. */
typedef struct TnBatchView {
    int count;
    const double *time; /* s, count */
    double *qpos;       /* count × qpos_count */
    double *qvel;       /* count × dof_count */
    double *ctrl;       /* count × ctrl_count */
    double *act;        /* count × act_count */
    int qpos_count, dof_count, ctrl_count, act_count, sensor_data_count;
    /* count; 1: a step of this world was rejected, the row has the last good state. It rests until
     * it is reset, until its qpos or qvel are written, or until this is set to 0. */
    uint8_t *diverged;
    const TnStepReport *reports; /* count; of the last step of each; zeros before the first */
} TnBatchView;
TN_API TnBatchView tn_batch_view(const TnBatch *batch);

/* Takes a step of each world. mask: count bytes, 0: this world rests; NULL: none does. If a row has
 * numbers that are refused (NaN, a zero quaternion), no world steps; the row gets the numbers of
 * its world back, and the error names it. */
TN_API TnStatus tn_batch_step(TnBatch *batch, const uint8_t *mask, TnError *err);
/* A step of one world, on the calling thread and on those of the world. It is also taken if the
 * world diverged before; `diverged` then says whether it did again. */
TN_API TnStatus tn_batch_step_world(TnBatch *batch, int index, TnError *err);
/* The same, if the row was certainly not written: it is not compared, and not copied
 * either. Call tn_batch_pull before the row is read or written again. */
TN_API void tn_batch_step_bare(TnBatch *batch, int index);
TN_API void tn_batch_reset(TnBatch *batch, const uint8_t *mask, TnKeyId key);
/* All sensors, count × sensor_data_count, as tn_world_sensors. */
TN_API TnStatus tn_batch_sensors(TnBatch *batch, double *data, TnError *err);

/* ---- questions to all worlds ---- */

/* Arrays with one row per world: what the functions of tenon/world.h with these names return for
 * it. The worlds are asked on the threads of the batch. Numbers of bodies, sites, … are those of
 * tn_model_info; thing k has the id k + 1. Not on devices. */
typedef struct TnBatchContact {
    TnContact contact;     /* an empty place: all zero */
    TnBodyId body1, body2; /* of the geoms; 0: a soft body */
} TnBatchContact;

typedef struct TnBatchArrays {
    const uint8_t *mask;      /* 0: this world's rows are left as they are; NULL: all are written */
    double *body_poses;       /* × bodies × 7: position, quaternion */
    double *body_velocities;  /* × bodies × 6: of the centre of mass, angular */
    double *body_reactions;   /* × bodies × 6: force, torque; NaN: not known */
    double *contact_wrenches; /* × bodies × 6: force, torque */
    double *site_poses;       /* × sites × 7 */
    double *site_velocities;  /* × sites × 6 */
    double *geom_poses;       /* × geoms × 7 */
    double *geom_velocities;  /* × geoms × 6 */
    double *actuator_forces;  /* × ctrl_count */
    double *sensors;          /* × sensor_data_count */
    /* × contact_room: those with the largest forces, largest first; of equal ones the first in the
     * world's order. contact_counts: how many there are, which may be more. */
    TnBatchContact *contacts;
    int contact_room;
    int *contact_counts;
} TnBatchArrays;
/* NULL leaves an array out: begin with (TnBatchArrays){0}. If a row of qpos, … was refused, no
 * array is written and the error names it. */
TN_API TnStatus tn_batch_arrays(TnBatch *batch, const TnBatchArrays *arrays, TnError *err);

/* count × 6 × dof_count, as tn_world_jacobian. points: × 3, world axes; NULL: the body's origin. */
TN_API TnStatus tn_batch_jacobian(TnBatch *batch, TnBodyId body, const double *points,
                                  double *jacobians, TnError *err);
/* The same of a site's origin. */
TN_API TnStatus tn_batch_site_jacobian(TnBatch *batch, TnSiteId site, double *jacobians,
                                       TnError *err);
/* `each` rays per world, count × each of them, as tn_world_cast_rays. */
TN_API TnStatus tn_batch_cast_rays(TnBatch *batch, const TnRay *rays, int each,
                                   const TnRayFilter *filter, TnRayHit *hits, TnError *err);

/* Parameters of the worlds, as the functions of tenon/world.h with these names, from arrays with
 * one row per world. The mask leaves worlds out; their rows are not read. A world that refuses its
 * row keeps what it had, and the error names it; the others have theirs. They last over resets. */
TN_API TnStatus tn_batch_set_gravity(TnBatch *batch, const uint8_t *mask,
                                     const double *gravity /* × 3 */, TnError *err);
TN_API TnStatus tn_batch_set_timestep(TnBatch *batch, const uint8_t *mask, const double *timestep,
                                      TnError *err);
TN_API TnStatus tn_batch_set_geom_friction(TnBatch *batch, const uint8_t *mask, TnGeomId geom,
                                           const double *friction /* × 3 */, TnError *err);
TN_API TnStatus tn_batch_set_geom_size(TnBatch *batch, const uint8_t *mask, TnGeomId geom,
                                       const double *size /* × 3 */, TnError *err);
/* pos: × 3, quat: × 4; NULL: as it is. */
TN_API TnStatus tn_batch_set_geom_local_pose(TnBatch *batch, const uint8_t *mask, TnGeomId geom,
                                             const double *pos, const double *quat, TnError *err);
TN_API TnStatus tn_batch_set_site_local_pose(TnBatch *batch, const uint8_t *mask, TnSiteId site,
                                             const double *pos, const double *quat, TnError *err);
/* bias: × 3, NULL: as it is. */
TN_API TnStatus tn_batch_set_actuator(TnBatch *batch, const uint8_t *mask, TnActuatorId actuator,
                                      const double *gain, const double *bias, TnError *err);
TN_API TnStatus tn_batch_set_joint_forces(TnBatch *batch, const uint8_t *mask, TnJointId joint,
                                          const TnJointForces *forces, TnError *err);
/* com: × 3, NULL: as it is; inertia: × 6, NULL: scaled with the mass. */
TN_API TnStatus tn_batch_set_body_mass(TnBatch *batch, const uint8_t *mask, TnBodyId body,
                                       const double *mass, const double *com, const double *inertia,
                                       TnError *err);

/* Poses that a mocap body reaches at the end of the next step, as tn_world_set_mocap. pos: × 3;
 * quat: × 4, NULL: as it is. They do not last over resets. */
TN_API TnStatus tn_batch_set_mocap(TnBatch *batch, const uint8_t *mask, TnBodyId body,
                                   const double *pos, const double *quat, TnError *err);

/* States that tn_world_save has written, of any world of this model: count pointers and sizes. One
 * state may be given to many worlds. A world that had diverged goes on from it. */
TN_API TnStatus tn_batch_restore(TnBatch *batch, const uint8_t *mask, const void *const *states,
                                 const size_t *sizes, TnError *err);

/* Many steps of each world, with controls known before. Outputs have what there is after the steps
 * of each control; NULL skips one. */
typedef struct TnRollout {
    int length;          /* controls per world, >= 1 */
    int repeat;          /* steps per control, >= 1; default 1 */
    int begin, end;      /* controls begin … end - 1 are carried out; end 0 (default): all. A long
                            rollout can be cut into several calls */
    const uint8_t *mask; /* as in tn_batch_step; outputs of worlds that rest are not written */
    const double *ctrl;  /* count × length × ctrl_count; NULL: controls stay */
    double *qpos, *qvel, *act, *sensors; /* count × length × … */
    double *time;                        /* count × length */
    uint8_t *diverged;                   /* count × length; 1: by then a step had been rejected */
} TnRollout;
TN_API TnRollout tn_rollout(void);
/* From the present states (tn_batch_restore, tn_batch_reset or the rows set others). A world that
 * diverges rests, and its outputs repeat its last good state; the others go on. Controls that are
 * not finite are refused before the first step. Once warm, it allocates nothing. */
TN_API TnStatus tn_batch_rollout(TnBatch *batch, const TnRollout *rollout, TnError *err);

/* A world of the batch, for questions, parameters, forces and all else. NULL: no such index, or
 * the batch is on a device. Call
 * tn_batch_push before questions if its row was written, and tn_batch_pull after calls that change
 * its state (restore, set_state, …). Do not destroy it. */
TN_API TnWorld *tn_batch_world(const TnBatch *batch, int index);
TN_API TnStatus tn_batch_push(TnBatch *batch, int index, TnError *err);
TN_API void tn_batch_pull(TnBatch *batch, int index);

/* ---- on a device ---- */

/* A batch of several worlds whose definition names a device has its worlds there, each in the hands
 * of some threads (docs/gpu.md says which models it takes). The device's rows are the states; those
 * of TnBatchView are copies, which tn_batch_step, _rollout, _reset and _fetch make. A row here that
 * was written since is handed over by the next call, as above.
 *
 * A program that works on the device, too, needs no copies: tn_batch_device_step and the arrays of
 * tn_batch_device_view. */
typedef struct TnBatchDeviceView {
    int memory; /* as DLPack counts kinds of memory: 2 CUDA's; 1 the host's, where loops stand for a
                   device in tests; 0: the batch is not on a device. The device is the first */
    /* one row per world, as in TnBatchView. They may be written there between calls */
    double *time, *qpos, *qvel;
    uint8_t *diverged;
    double *mocap; /* 7 per mocap body, position and quaternion: where it will be at the end of the
                      next step */
    double *ctrl;  /* controls of actuators */
} TnBatchDeviceView;
TN_API TnBatchDeviceView tn_batch_device_view(const TnBatch *batch);
/* So many steps of each world. mask: on the device, count bytes; NULL: all. */
TN_API TnStatus tn_batch_device_step(TnBatch *batch, int steps, const uint8_t *mask, TnError *err);
TN_API TnStatus tn_batch_device_reset(TnBatch *batch, const uint8_t *mask, TnKeyId key,
                                      TnError *err);
/* Copies all rows and reports here. Without a device there is nothing to do. */
TN_API TnStatus tn_batch_fetch(TnBatch *batch, TnError *err);

#ifdef __cplusplus
}
#endif
#endif
