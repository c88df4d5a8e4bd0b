/* sensors.h: what sensors read at a state, and the acceleration of sites over a step. */
#ifndef TN_QUERY_SENSORS_H
#define TN_QUERY_SENSORS_H

#include <tenon/world.h>

#include "../account/energy.h"
#include "../subsystem/dynamics.h"

/* A state: frames and twists are those of the links. */
typedef struct TnSensing {
    const TnModel *model;
    const double *qpos, *qvel, *inputs; /* of actuators (dynamics.h) */
    const TnLinkFrame *frames;
    const double (*twists)[6];
    const double *lift; /* of gravity compensation, per dof; NULL: there is none */
} TnSensing;

/* All sensors. What a state does not tell is NaN: forces, torques and accelerations. The clock is
 * 0. */
void tn_sensors_eval(const TnSensing *at, double *data);

/* tn_model_eval with scratch from an arena; `known` has the frames and twists where they are known
 * them, or is NULL. False: no memory. (eval.c) */
bool tn_model_eval_in(const TnModel *model, const double *qpos, const double *qvel,
                      const double *ctrl, const TnInstant *known, TnArena *arena, TnEval *out);

/* What is left of a sensor's numbers within its cutoff. */
void tn_sensor_cut(const TnSensor *sensor, double *data);

/* Pose of a site in the world. */
void tn_site_pose(const TnModel *model, const TnSite *site, const TnLinkFrame *frames,
                  double pos[3], double quat[4]);
/* Velocity of its origin, then angular velocity, world axes. */
void tn_site_twist(const TnModel *model, const TnSite *site, const TnLinkFrame *frames,
                   const double (*twists)[6], double twist[6]);

/* ---- sense_geometry.c ---- */
/* Rays, distances, volumes, images, limits. False: another kind. */
bool tn_sense_geometry(const TnSensing *at, const TnSensor *sensor, double *data);
/* A point of the world in the site's axes; and whether one there is within its volume. */
void tn_in_site_axes(const TnSensing *at, const TnSite *site, const double point[3], double out[3]);
bool tn_in_site_volume(const TnSite *site, const double x[3]);

static inline bool tn_sensor_is_acceleration(TnSensorType type)
{
    return type == TN_SENSOR_SITE_ACC || type == TN_SENSOR_SITE_ANGULAR_ACC ||
           type == TN_SENSOR_ACCELEROMETER;
}

#endif
