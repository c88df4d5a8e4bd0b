/* sense_contact.h: sensors that read the last step. */
#ifndef TN_QUERY_SENSE_CONTACT_H
#define TN_QUERY_SENSE_CONTACT_H

#include "../world/world.h"
#include "sensors.h"

/* Touch, contacts and forces of limits, of a world that has stepped. False: another kind. */
bool tn_sense_contact(const TnWorld *world, const TnSensing *at, const TnSensor *sensor,
                      double *data);

#endif
