/* scene.h: one of each definition, all sound, so that a test can spoil exactly one thing. */
#ifndef TN_TESTS_MODEL_SCENE_H
#define TN_TESTS_MODEL_SCENE_H

#include "build.h"

/* Bodies: 1 world, 2 base (hinge 1 named turn), 3 arm on it (slide 2), 4 stone (free joint 3), 5
 * swing (ball joint 4). Geoms: 1 floor (plane), 2 to 5 on bodies 2 to 5. Site 1 on the arm. The
 * structs are added after that skeleton. */
typedef struct Scene {
    TnOption option;
    TnBodyDef body;   /* child of the world, with an inertial */
    TnJointDef joint; /* hinge on that body */
    TnGeomDef geom;   /* box on the base */
    TnMeshDef mesh;   /* tetrahedron, which the geom may show */
    TnCameraDef camera;
    TnView view;
    TnSiteDef site;
    TnTendonDef tendon; /* over turn and lift */
    TnActuatorDef actuator;
    TnEqualityDef connect, weld, couple;
    TnPairDef pair;
    TnBodyId exclude[2];
    TnSensorDef sensor;
    TnKeyDef key;
    TnTrackDef track;
    TnJointDef extra_joint;      /* added where its body is not 0 */
    TnActuatorId late_actuators; /* so many more actuators after the track was set */
    /* what key and track point to; the numbers may be spoiled as well */
    double qpos[15], qvel[13], ctrl[1], times[3], rows[3], vertices[12];
    int32_t triangles[12];
    TnTendonJoint parts[2];
} Scene;

#define SCENE_BODY 6
#define SCENE_JOINT 5

static inline void scene_init(Scene *s)
{
    memset(s, 0, sizeof *s);
    s->option = tn_option();
    s->body = tn_body_def();
    s->body.name = "thing";
    s->body.has_inertia = true;
    s->body.mass = 1.0;
    v3_set(s->body.inertia, 0.1, 0.1, 0.1);
    s->joint = tn_joint_def();
    s->joint.name = "pin";
    s->joint.body = SCENE_BODY;
    s->extra_joint = tn_joint_def();
    s->geom = tn_geom_def();
    s->geom.name = "box";
    s->geom.body = 2;
    s->geom.type = TN_GEOM_BOX;
    v3_set(s->geom.size, 0.1, 0.1, 0.1);
    s->geom.mesh = 1;
    s->mesh = tn_mesh_def();
    s->mesh.name = "tetra";
    s->vertices[3] = s->vertices[7] = s->vertices[11] = 1.0;
    s->mesh.vertices = s->vertices, s->mesh.vertex_count = 4;
    static const int32_t triangles[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    memcpy(s->triangles, triangles, sizeof triangles);
    s->mesh.triangles = s->triangles, s->mesh.triangle_count = 4;
    s->camera = tn_camera_def();
    s->camera.name = "eye";
    s->camera.mode = TN_CAMERA_TARGET;
    s->camera.target = 2;
    s->view = (TnView){.has_center = true,
                       .has_extent = true,
                       .has_angles = true,
                       .center = {0, 0, 1},
                       .extent = 2.0,
                       .azimuth = 1.0,
                       .elevation = -0.5,
                       .fovy = 0.7};
    s->site = tn_site_def();
    s->site.name = "spot";
    s->tendon = tn_tendon_def();
    s->tendon.name = "rope";
    s->parts[0] = (TnTendonJoint){1, 0.5};
    s->parts[1] = (TnTendonJoint){2, -2.0};
    s->tendon.joints = s->parts;
    s->tendon.joint_count = 2;
    s->actuator = tn_actuator_def();
    s->actuator.name = "motor";
    s->actuator.joint = 1;
    s->connect = s->weld = s->couple = tn_equality_def();
    s->connect.name = "hook";
    s->connect.body1 = 4;
    s->connect.body2 = 3;
    s->weld.name = "glue";
    s->weld.type = TN_EQUALITY_WELD;
    s->weld.body1 = 4;
    s->couple.name = "gears";
    s->couple.type = TN_EQUALITY_JOINT;
    s->couple.joint1 = 1;
    s->couple.joint2 = 2;
    s->pair = tn_pair_def();
    s->pair.geom1 = 1;
    s->pair.geom2 = 4;
    s->exclude[0] = 2;
    s->exclude[1] = 4;
    s->sensor = tn_sensor_def();
    s->sensor.name = "angle";
    s->sensor.object = 1;
    s->key = tn_key_def();
    s->key.name = "home";
    s->qpos[5] = s->qpos[9] = 1.0; /* quaternions of the stone and of the swing */
    s->key.qpos = s->qpos, s->key.qpos_count = 14;
    s->key.qvel = s->qvel, s->key.qvel_count = 12;
    s->key.ctrl = s->ctrl, s->key.ctrl_count = 1;
    s->track = tn_track_def();
    s->track.row_count = 3;
    s->times[1] = 1.0;
    s->times[2] = 2.0;
    s->track.times = s->times;
    s->track.ctrl = s->rows;
}

/* Turns a triangle of the mesh inside out. */
static inline void scene_turn(Scene *s, int triangle)
{
    int32_t *t = s->triangles + 3 * triangle, first = t[0];
    t[0] = t[1];
    t[1] = first;
}

static inline TnModelBuilder *scene_build(const Scene *s)
{
    TnModelBuilder *b = tn_builder_create();
    tn_builder_set_option(b, &s->option, (TnSource){0});
    TnBodyId base = add_body(b, "base", TN_BODY_WORLD, 0, 0, 0),
             arm = add_body(b, "arm", base, 1, 0, 0);
    TnBodyId stone = add_body(b, "stone", TN_BODY_WORLD, 0, 2, 0),
             swing = add_body(b, "swing", TN_BODY_WORLD, 0, 4, 0);
    add_joint(b, "turn", base, TN_JOINT_HINGE);
    add_joint(b, "lift", arm, TN_JOINT_SLIDE);
    add_joint(b, "float", stone, TN_JOINT_FREE);
    add_joint(b, "sway", swing, TN_JOINT_BALL);
    TnGeomDef floor = tn_geom_def();
    floor.type = TN_GEOM_PLANE;
    tn_builder_add_geom(b, &floor);
    for (TnBodyId body = base; body <= swing; body++) add_ball(b, NULL, body, 0.1);
    TnSiteDef site = tn_site_def();
    site.body = arm;
    tn_builder_add_site(b, &site);

    tn_builder_add_body(b, &s->body);
    tn_builder_add_joint(b, &s->joint);
    if (s->extra_joint.body) tn_builder_add_joint(b, &s->extra_joint);
    tn_builder_add_mesh(b, &s->mesh);
    tn_builder_add_geom(b, &s->geom);
    tn_builder_add_camera(b, &s->camera);
    tn_builder_set_view(b, &s->view);
    tn_builder_add_site(b, &s->site);
    tn_builder_add_tendon(b, &s->tendon);
    tn_builder_add_actuator(b, &s->actuator);
    tn_builder_add_equality(b, &s->connect);
    tn_builder_add_equality(b, &s->weld);
    tn_builder_add_equality(b, &s->couple);
    tn_builder_add_pair(b, &s->pair);
    tn_builder_add_exclude(b, s->exclude[0], s->exclude[1], (TnSource){0});
    tn_builder_add_sensor(b, &s->sensor);
    tn_builder_add_key(b, &s->key);
    tn_builder_set_track(b, &s->track);
    for (int i = 0; i < s->late_actuators; i++) {
        TnActuatorDef late = tn_actuator_def();
        late.joint = 1;
        tn_builder_add_actuator(b, &late);
    }
    return b;
}

/* REFUSED(spoil, text): a scene with this one change is refused with just this problem. */
#define REFUSED(SPOIL, TEXT)                                                                       \
    do {                                                                                           \
        Scene s;                                                                                   \
        scene_init(&s);                                                                            \
        SPOIL;                                                                                     \
        TnModelBuilder *b_ = scene_build(&s);                                                      \
        CHECK_REFUSED(b_, TEXT);                                                                   \
    } while (0)
#define ACCEPTED(CHANGE)                                                                           \
    do {                                                                                           \
        Scene s;                                                                                   \
        scene_init(&s);                                                                            \
        CHANGE;                                                                                    \
        TnModel *m_ = compile(scene_build(&s));                                                    \
        CHECK(m_);                                                                                 \
        tn_model_destroy(m_);                                                                      \
    } while (0)

#endif
