/* hello_world: builds a ball and a pendulum by C calls and simulates two seconds. It needs only the
 * installed library.
 *
 * The ball (1 kg, radius 10 cm) falls from one metre onto a plane and comes to rest. The pendulum
 * swings. */
#include <stdio.h>
#include <tenon/tenon.h>

static void add_ground(TnModelBuilder *builder)
{
    TnGeomDef plane = tn_geom_def();
    plane.body = TN_BODY_WORLD;
    plane.type = TN_GEOM_PLANE;
    tn_builder_add_geom(builder, &plane);
}

static TnBodyId add_ball(TnModelBuilder *builder)
{
    TnBodyDef body = tn_body_def();
    body.name = "ball";
    body.pos[2] = 1.0;
    TnBodyId ball = tn_builder_add_body(builder, &body);

    TnJointDef joint = tn_joint_def();
    joint.body = ball;
    joint.type = TN_JOINT_FREE;
    tn_builder_add_joint(builder, &joint);

    TnGeomDef sphere = tn_geom_def();
    sphere.body = ball;
    sphere.type = TN_GEOM_SPHERE;
    sphere.size[0] = 0.1;
    sphere.mass = 1.0;
    tn_builder_add_geom(builder, &sphere);
    return ball;
}

static TnJointId add_pendulum(TnModelBuilder *builder)
{
    TnBodyDef body = tn_body_def();
    body.name = "pendulum";
    body.pos[0] = 1.0;
    body.pos[2] = 1.5;
    TnBodyId pendulum = tn_builder_add_body(builder, &body);

    TnJointDef hinge = tn_joint_def();
    hinge.name = "swing";
    hinge.body = pendulum;
    hinge.type = TN_JOINT_HINGE;
    hinge.axis[0] = 0, hinge.axis[1] = 1, hinge.axis[2] = 0;
    TnJointId joint = tn_builder_add_joint(builder, &hinge);

    TnGeomDef bob = tn_geom_def();
    bob.body = pendulum;
    bob.type = TN_GEOM_SPHERE;
    bob.pos[0] = 0.5; /* starts sideways, so it swings */
    bob.size[0] = 0.05;
    tn_builder_add_geom(builder, &bob);
    return joint;
}

int main(void)
{
    TnError err = {0};
    TnModelBuilder *builder = tn_builder_create();
    if (!builder) return 1;
    add_ground(builder);
    TnBodyId ball = add_ball(builder);
    TnJointId swing = add_pendulum(builder);
    TnModel *model = tn_builder_compile(builder, &err);
    tn_builder_destroy(builder);

    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, &err); /* if model is NULL, err keeps its error */
    if (!world) {
        fprintf(stderr, "%s\n", err.message);
        tn_model_destroy(model);
        return 1;
    }

    int angle = tn_model_joint_info(model, swing).qpos_start;
    double pos[3], quat[4];
    bool fine = true;
    printf("%8s %12s %12s %9s\n", "time s", "ball z m", "swing rad", "contacts");
    for (int k = 1; k <= 200 && fine; k++) {
        TnStepReport report = tn_world_step(world);
        fine = !report.diverged;
        if (k % 20) continue;
        TnStateView state = tn_world_state(world);
        tn_world_body_pose(world, ball, pos, quat);
        printf("%8.2f %12.5f %12.5f %9d\n", state.time, pos[2], state.qpos[angle],
               report.contact_count);
    }
    tn_world_body_pose(world, ball, pos, quat);
    /* a resting ball is one radius above the plane, within a millimetre */
    fine = fine && pos[2] > 0.099 && pos[2] < 0.101;
    puts(fine ? "the ball rests" : "the ball does not rest");

    tn_world_destroy(world);
    tn_model_destroy(model);
    return fine ? 0 : 1;
}
