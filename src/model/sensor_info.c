/* sensor_info.c: where a sensor's numbers lie in the sensor data; what an equality joins. */
#include "../base/base.h"
#include "model.h"
#include "names.h"

TnSensorInfo tn_model_sensor_info(const TnModel *model, TnSensorId id)
{
    if (!model || id < 1 || id > model->sensor_count) return (TnSensorInfo){0};
    const TnSensor *sensor = &model->sensors[id - 1];
    return (TnSensorInfo){sensor->type, sensor->data_start, sensor->data_count};
}

TnEqualityInfo tn_model_equality_info(const TnModel *model, TnEqualityId id)
{
    if (!model || id < 1 || id > model->equality_count) return (TnEqualityInfo){0};
    const TnEquality *equality = &model->equalities[id - 1];
    const int *joint_id = model->lookup->joint_id;
    TnEqualityInfo info = {.type = equality->type,
                           .active = equality->active || equality->fixed_segment};
    if (equality->type != TN_EQUALITY_JOINT) {
        info.body1 = equality->body1 + 1;
        info.body2 = equality->body2 + 1;
        return info;
    }
    info.joint1 = joint_id[equality->joint1];
    if (equality->joint2 >= 0) info.joint2 = joint_id[equality->joint2];
    return info;
}
