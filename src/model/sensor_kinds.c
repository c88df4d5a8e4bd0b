/* sensor_kinds.c: what each kind of sensor looks at, and how many numbers it gives. */
#include "builder.h"

static const TnSensorKind kinds[] = {
    [TN_SENSOR_JOINT_POS] = {TN_OF_SCALAR_JOINT, 1},
    [TN_SENSOR_JOINT_VEL] = {TN_OF_SCALAR_JOINT, 1},
    [TN_SENSOR_JOINT_ACTUATOR_FORCE] = {TN_OF_SCALAR_JOINT, 1},
    [TN_SENSOR_BALL_QUAT] = {TN_OF_BALL, 4},
    [TN_SENSOR_BALL_ANGULAR_VEL] = {TN_OF_BALL, 3},
    [TN_SENSOR_BODY_POS] = {TN_OF_BODY, 3},
    [TN_SENSOR_BODY_QUAT] = {TN_OF_BODY, 4},
    [TN_SENSOR_SUBTREE_POS] = {TN_OF_BODY, 3},
    [TN_SENSOR_SUBTREE_VEL] = {TN_OF_BODY, 3},
    [TN_SENSOR_SUBTREE_ANGULAR_MOMENTUM] = {TN_OF_BODY, 3},
    [TN_SENSOR_SITE_POS] = {TN_OF_SITE, 3},
    [TN_SENSOR_SITE_QUAT] = {TN_OF_SITE, 4},
    [TN_SENSOR_SITE_X_AXIS] = {TN_OF_SITE, 3},
    [TN_SENSOR_SITE_Y_AXIS] = {TN_OF_SITE, 3},
    [TN_SENSOR_SITE_Z_AXIS] = {TN_OF_SITE, 3},
    [TN_SENSOR_SITE_VEL] = {TN_OF_SITE, 3},
    [TN_SENSOR_SITE_ANGULAR_VEL] = {TN_OF_SITE, 3},
    [TN_SENSOR_SITE_ACC] = {TN_OF_SITE, 3},
    [TN_SENSOR_SITE_ANGULAR_ACC] = {TN_OF_SITE, 3},
    [TN_SENSOR_ACCELEROMETER] = {TN_OF_SITE, 3},
    [TN_SENSOR_MAGNETOMETER] = {TN_OF_SITE, 3},
    [TN_SENSOR_GYRO] = {TN_OF_SITE, 3},
    [TN_SENSOR_VELOCIMETER] = {TN_OF_SITE, 3},
    [TN_SENSOR_FORCE] = {TN_OF_SITE, 3},
    [TN_SENSOR_TORQUE] = {TN_OF_SITE, 3},
    [TN_SENSOR_TENDON_POS] = {TN_OF_TENDON, 1},
    [TN_SENSOR_TENDON_VEL] = {TN_OF_TENDON, 1},
    [TN_SENSOR_TENDON_ACTUATOR_FORCE] = {TN_OF_TENDON, 1},
    [TN_SENSOR_ACTUATOR_POS] = {TN_OF_ACTUATOR, 1},
    [TN_SENSOR_ACTUATOR_VEL] = {TN_OF_ACTUATOR, 1},
    [TN_SENSOR_ACTUATOR_FORCE] = {TN_OF_ACTUATOR, 1},
    [TN_SENSOR_CLOCK] = {TN_OF_WORLD, 1},
    [TN_SENSOR_POTENTIAL_ENERGY] = {TN_OF_WORLD, 1},
    [TN_SENSOR_KINETIC_ENERGY] = {TN_OF_WORLD, 1},
    [TN_SENSOR_JOINT_LIMIT_POS] = {TN_OF_JOINT, 1},
    [TN_SENSOR_JOINT_LIMIT_VEL] = {TN_OF_JOINT, 1},
    [TN_SENSOR_JOINT_LIMIT_FORCE] = {TN_OF_JOINT, 1},
    [TN_SENSOR_TENDON_LIMIT_POS] = {TN_OF_TENDON, 1},
    [TN_SENSOR_TENDON_LIMIT_VEL] = {TN_OF_TENDON, 1},
    [TN_SENSOR_TENDON_LIMIT_FORCE] = {TN_OF_TENDON, 1},
    [TN_SENSOR_TOUCH] = {TN_OF_SITE, 1},
    [TN_SENSOR_RANGEFINDER] = {TN_OF_SITE, 1},
    [TN_SENSOR_PROJECTION] = {TN_OF_SITE, 2},
    [TN_SENSOR_INSIDE_SITE] = {TN_OF_SITE, 1},
    [TN_SENSOR_DISTANCE] = {TN_OF_PICKS, 1},
    [TN_SENSOR_DISTANCE_NORMAL] = {TN_OF_PICKS, 3},
    [TN_SENSOR_DISTANCE_POINTS] = {TN_OF_PICKS, 6},
    [TN_SENSOR_CONTACT] = {TN_OF_PICKS, 1},
    [TN_SENSOR_USER] = {TN_OF_WORLD, 1},
};

/* Numbers of the fields that are asked for. */
static int field_size(uint32_t fields, const int *sizes, int count)
{
    int sum = 0;
    for (int k = 0; k < count; k++)
        if (fields >> k & 1u) sum += sizes[k];
    return sum;
}

int tn_sensor_size(const TnSensorDef *def)
{
    static const int contact[9] = {1, 3, 3, 1, 3, 3, 3, 3, 3}, range[6] = {1, 3, 3, 3, 3, 1};
    switch (def->type) {
    case TN_SENSOR_CONTACT:
        return (def->reduce == TN_REDUCE_NET_FORCE ? 1 : def->slots) *
               field_size(def->fields, contact, 9);
    case TN_SENSOR_RANGEFINDER:
        return field_size(def->fields, range, 6);
    case TN_SENSOR_USER:
        return def->slots;
    default:
        return tn_sensor_kind(def->type).data_count;
    }
}

TnSensorKind tn_sensor_kind(TnSensorType type)
{
    int index = (int)type, count = (int)(sizeof kinds / sizeof kinds[0]);
    return index >= 0 && index < count ? kinds[index] : (TnSensorKind){TN_OF_UNKNOWN, 0};
}
