/* Mass and centre of mass of the rigid part that a body belongs to. */
#include "../check.h"

#include <tenon/tenon.h>

/* A box of 2 kg with a joint, and a box of 6 kg fixed to it, turned by 90 degrees about z. */
TEST(bodies_that_are_fixed_to_each_other_form_one_part)
{
    TnModelBuilder *builder = tn_builder_create();
    TnBodyId ids[2], parent = TN_BODY_WORLD;
    for (int i = 0; i < 2; i++) {
        TnBodyDef body = tn_body_def();
        body.parent = parent;
        if (i) {
            body.pos[0] = 1;
            body.quat[0] = body.quat[3] = sqrt(0.5);
            body.quat[1] = body.quat[2] = 0;
        }
        parent = ids[i] = tn_builder_add_body(builder, &body);
        TnGeomDef box = tn_geom_def();
        box.body = parent;
        box.type = TN_GEOM_BOX;
        box.size[0] = box.size[1] = box.size[2] = 0.3;
        box.mass = i ? 6 : 2;
        tn_builder_add_geom(builder, &box);
    }
    TnJointDef joint = tn_joint_def();
    joint.body = ids[0];
    joint.type = TN_JOINT_FREE;
    tn_builder_add_joint(builder, &joint);
    TnModel *model = tn_builder_compile(builder, NULL);
    tn_builder_destroy(builder);
    REQUIRE(model);
    /* centre at 6/8 of the way; in the second body's axes the first lies along +y */
    const double com[2][3] = {{0.75, 0, 0}, {0, 0.25, 0}};
    for (int i = 0; i < 2; i++) {
        TnBodyInfo info = tn_model_body_info(model, ids[i]);
        CHECK(info.carrier == ids[0]);
        CHECK_NEAR(info.mass, 8, 1e-12); /* rounding, here and below */
        for (int k = 0; k < 3; k++) CHECK_NEAR(info.com[k], com[i][k], 1e-12);
        /* cubes: m (2a)²/6 each about its own centre, and 2·6/8 kg·m² about the axes across */
        double own = 8 * 0.36 / 6,
               least = fmin(info.inertia[0], fmin(info.inertia[1], info.inertia[2]));
        double most = fmax(info.inertia[0], fmax(info.inertia[1], info.inertia[2]));
        CHECK_NEAR(least, own, 1e-9);
        CHECK_NEAR(most, own + 1.5, 1e-9);
    }
    TnBodyInfo world = tn_model_body_info(model, TN_BODY_WORLD);
    CHECK(world.mass == 0 && world.carrier == TN_BODY_WORLD);
    tn_model_destroy(model);
}
