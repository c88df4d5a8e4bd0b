/* sensor_info.c: where a sensor's numbers lie in the sensor data; what an equality joins; how a
 * tendon is drawn. */
#include "../base/base.h"
#include "names.h"
#include "path.h"

#include <string.h>

TnSensorInfo tn_model_sensor_info(const TnModel *model, TnSensorId id)
{
    if (!model || id < 1 || id > model->sensor_count) return (TnSensorInfo){0};
    const TnSensor *sensor = &model->sensors[id - 1];
    return (TnSensorInfo){sensor->type, sensor->data_start, sensor->data_count};
}

TnTendonInfo tn_model_tendon_info(const TnModel *model, TnTendonId id)
{
    if (!model || id < 1 || id > model->tendon_count) return (TnTendonInfo){.name = ""};
    const TnTendon *tendon = &model->tendons[id - 1];
    const TnPath *path = &model->paths[tendon->path];
    TnTendonInfo info = {.name = model->tendon_names[id - 1], .width = tendon->width};
    if (path->link_count) info.body = model->links[path->links[0]].body + 1;
    memcpy(info.rgba, tendon->rgba, sizeof info.rgba);
    while (tn_path_branch(path, info.branch_count) > 0) info.branch_count++;
    return info;
}

int tn_model_tendon_points(const TnModel *model, TnTendonId id, int branch)
{
    if (!model || id < 1 || id > model->tendon_count) return 0;
    return tn_path_branch(&model->paths[model->tendons[id - 1].path], branch);
}

TnEqualityInfo tn_model_equality_info(const TnModel *model, TnEqualityId id)
{
    if (!model || id < 1 || id > model->equality_count) return (TnEqualityInfo){0};
    const TnEquality *equality = &model->equalities[id - 1];
    const int *joint_id = model->lookup->joint_id;
    TnEqualityInfo info = {.type = equality->type,
                           .active = equality->active || equality->fixed_segment};
    if (equality->type == TN_EQUALITY_TENDON) {
        info.tendon1 = equality->tendon1 + 1;
        info.tendon2 = equality->tendon2 + 1;
        return info;
    }
    if (equality->type != TN_EQUALITY_JOINT) {
        info.body1 = equality->body1 + 1;
        info.body2 = equality->body2 + 1;
        return info;
    }
    info.joint1 = joint_id[equality->joint1];
    if (equality->joint2 >= 0) info.joint2 = joint_id[equality->joint2];
    return info;
}
