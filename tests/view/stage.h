/* stage.h: models and worlds of the viewer's tests. */
#ifndef TESTS_VIEW_STAGE_H
#define TESTS_VIEW_STAGE_H

#include "../check.h"

#include <tenon/tenon.h>

/* Free boxes above a plane, or in empty space without gravity. */
static inline TnModel *make_boxes(int count, double mass, bool ground, double timestep)
{
    TnModelBuilder *builder = tn_builder_create();
    TnOption option = tn_option();
    option.timestep = timestep;
    if (!ground) option.gravity[2] = 0;
    tn_builder_set_option(builder, &option, (TnSource){0});
    if (ground) {
        TnGeomDef plane = tn_geom_def();
        plane.body = TN_BODY_WORLD;
        plane.type = TN_GEOM_PLANE;
        tn_builder_add_geom(builder, &plane);
    }
    for (int i = 0; i < count; i++) {
        TnBodyDef body = tn_body_def();
        body.pos[0] = 0.3 * i;
        body.pos[2] = 0.12;
        TnJointDef joint = tn_joint_def();
        joint.body = tn_builder_add_body(builder, &body);
        joint.type = TN_JOINT_FREE;
        tn_builder_add_joint(builder, &joint);
        TnGeomDef box = tn_geom_def();
        box.body = joint.body;
        box.type = TN_GEOM_BOX;
        box.size[0] = box.size[1] = box.size[2] = 0.1;
        box.mass = mass;
        tn_builder_add_geom(builder, &box);
    }
    TnModel *model = tn_builder_compile(builder, NULL);
    tn_builder_destroy(builder);
    return model;
}

/* A soft box of 8 kg in empty space. */
static inline TnModel *make_soft(double young, double timestep)
{
    TnModelBuilder *builder = tn_builder_create();
    TnOption option = tn_option();
    option.timestep = timestep;
    option.gravity[2] = 0;
    tn_builder_set_option(builder, &option, (TnSource){0});
    const double half[3] = {0.1, 0.1, 0.1};
    const int cells[3] = {4, 4, 4};
    TnSoftDef soft = tn_soft_def();
    soft.name = "block";
    soft.youngs_modulus = young;
    if (!tn_tet_mesh_box(half, cells, 6, &soft.mesh, NULL)) return NULL;
    tn_builder_add_soft(builder, &soft);
    TnModel *model = tn_builder_compile(builder, NULL);
    tn_builder_destroy(builder);
    tn_tet_mesh_free(&soft.mesh);
    return model;
}

typedef struct Stage {
    TnModel *model;
    TnWorld *world;
    TnScene *scene;
} Stage;

static inline Stage make_stage(TnModel *model)
{
    TnWorldDef def = tn_world_def();
    Stage stage = {.model = model};
    stage.world = tn_world_create(&def, model, NULL);
    stage.scene = tn_scene_create(model, NULL);
    return stage;
}

static inline void free_stage(Stage *stage)
{
    tn_scene_destroy(stage->scene);
    tn_world_destroy(stage->world);
    tn_model_destroy(stage->model);
}

#endif
