/* Where a sensor's numbers lie in the sensor data. */
#include "model.h"

#include "../base/base.h"

TnSensorInfo tn_model_sensor_info(const TnModel *model, TnSensorId id)
{
    TN_ASSERT(id >= 1 && id <= model->sensor_count);
    const TnSensor *sensor = &model->sensors[id - 1];
    return (TnSensorInfo){sensor->type, sensor->data_start, sensor->data_count};
}
