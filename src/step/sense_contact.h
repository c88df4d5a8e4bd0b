/* sense_contact.h: sensors that read the last step. */
#ifndef TN_STEP_SENSE_CONTACT_H
#define TN_STEP_SENSE_CONTACT_H

#include "sensors.h"
#include "world.h"

/* Touch, contacts and forces of limits, of a world that has stepped. False: another kind. */
bool tn_sense_contact(const TnWorld *world, const TnSensing *at, const TnSensor *sensor,
                      double *data);

#endif
