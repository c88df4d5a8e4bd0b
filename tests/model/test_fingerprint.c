/* Which changes make another model of it, and which do not. */
#include "build.h"

/* A model of everything, with one thing changed. */
static uint64_t changed(int change)
{
    TnModelBuilder *b = tn_builder_create();
    TnOption option = tn_option();
    if (change == 1) option.gravity[2] = -1.62;
    if (change == 2) option.timestep = 0.02;
    tn_builder_set_option(b, &option, (TnSource){0});
    TnBodyDef body = tn_body_def();
    body.name = change == 3 ? "other" : "body";
    if (change == 4) body.pos[0] = 1e-9;
    TnBodyId arm = tn_builder_add_body(b, &body);
    TnJointDef joint = tn_joint_def();
    joint.body = arm;
    joint.type = TN_JOINT_HINGE;
    joint.damping = change == 5 ? 0.1 : 0.0;
    TnJointId hinge = tn_builder_add_joint(b, &joint);
    TnGeomDef geom = tn_geom_def();
    geom.body = arm;
    geom.size[0] = change == 6 ? 0.11 : 0.1;
    geom.friction[0] = change == 7 ? 0.5 : 1.0;
    geom.rgba[0] = change == 8 ? 0.1 : 0.9;
    tn_builder_add_geom(b, &geom);
    TnActuatorDef motor = tn_actuator_def();
    motor.joint = hinge;
    motor.gain = change == 9 ? 2.0 : 1.0;
    tn_builder_add_actuator(b, &motor);
    if (change == 10) {
        TnSensorDef sensor = tn_sensor_def();
        sensor.object = hinge;
        tn_builder_add_sensor(b, &sensor);
    }
    if (change == 11) {
        TnEqualityDef weld = tn_equality_def();
        weld.type = TN_EQUALITY_WELD;
        weld.body1 = arm;
        tn_builder_add_equality(b, &weld);
    }
    TnModel *model = compile(b);
    uint64_t print = tn_model_fingerprint(model);
    tn_model_destroy(model);
    return print;
}

TEST(only_what_moves_counts)
{
    const bool counts[] = {false, true, true,  false, true,  true,
                           true,  true, false, true,  false, true};
    uint64_t first = changed(0);
    CHECK(first != 0);
    for (int i = 0; i < 12; i++)
        if ((changed(i) != first) != counts[i]) test_fail(__FILE__, __LINE__, "change %d", i);
}

TEST(no_model_has_no_fingerprint) { CHECK(tn_model_fingerprint(NULL) == 0); }
