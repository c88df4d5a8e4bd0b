/* The boxes that stand for the inertia of bodies. */
#include "../../apps/render/masses.h"
#include "../check.h"

#include <tenon/tenon.h>

TEST(the_box_of_a_turned_box_is_the_box)
{
    const double half[3] = {0.1, 0.35, 0.2}, com[3] = {0.3, -0.1, 0.05};
    /* about an axis askew, by 0.9 rad */
    const double quat[4] = {0.9004471023526769, 0.2610296, 0.1740197, 0.3045345};
    TnModelBuilder *builder = tn_builder_create();
    TnBodyDef body = tn_body_def();
    TnJointDef joint = tn_joint_def();
    TnGeomDef geom = tn_geom_def();
    joint.body = geom.body = tn_builder_add_body(builder, &body);
    joint.type = TN_JOINT_FREE;
    geom.type = TN_GEOM_BOX;
    geom.mass = 3;
    for (int k = 0; k < 3; k++) {
        geom.size[k] = half[k];
        geom.pos[k] = com[k];
    }
    for (int k = 0; k < 4; k++) geom.quat[k] = quat[k];
    tn_builder_add_joint(builder, &joint);
    tn_builder_add_geom(builder, &geom);
    TnModel *model = tn_builder_compile(builder, NULL);
    REQUIRE(model);
    MassBox *boxes = mass_boxes(model);
    REQUIRE(boxes);
    CHECK(boxes[0].mass == 0); /* the world */
    const MassBox *box = &boxes[joint.body - 1];
    CHECK_NEAR(box->mass, 3, 1e-12);
    double w = quat[0], x = quat[1], y = quat[2], z = quat[3], norm = w * w + x * x + y * y + z * z;
    const double axes[3][3] = {
        {1 - 2 * (y * y + z * z) / norm, 2 * (x * y + w * z) / norm, 2 * (x * z - w * y) / norm},
        {2 * (x * y - w * z) / norm, 1 - 2 * (x * x + z * z) / norm, 2 * (y * z + w * x) / norm},
        {2 * (x * z + w * y) / norm, 2 * (y * z - w * x) / norm, 1 - 2 * (x * x + y * y) / norm}};
    bool found[3] = {false};
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(box->com[k], com[k], 1e-12);
        for (int i = 0; i < 3; i++) { /* each edge is one of the box's, either way round */
            double along = 0, square = 0;
            for (int r = 0; r < 3; r++) {
                along += box->edges[k][r] * axes[i][r];
                square += box->edges[k][r] * box->edges[k][r];
            }
            /* rounding, through a difference of moments: about 10 ulp of 0.1 */
            if (fabs(fabs(along) - half[i]) < 1e-12 && fabs(sqrt(square) - half[i]) < 1e-12)
                found[i] = true;
        }
    }
    CHECK(found[0] && found[1] && found[2]);
    free(boxes);
    tn_model_destroy(model);
    tn_builder_destroy(builder);
}
