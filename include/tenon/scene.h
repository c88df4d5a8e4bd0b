/* tenon/scene.h: scenes and frames for drawing and recording. A TnScene lists the shapes, tubes and
 * surfaces. A TnFrame has their positions at one time. Window, pictures, recordings and replays use
 * only these two.
 *
 * Both are plain structs. tn_scene_create and tn_frame_capture fill them from a model and a world,
 * a recording fills them from its file, and a program may fill them itself. Nothing here changes a
 * world. */
#ifndef TENON_SCENE_H
#define TENON_SCENE_H

#include <tenon/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Triangles in local axes; several shapes may share them. */
typedef struct TnSceneMesh {
    const float *vertices; /* m, 3 × vertex_count */
    int vertex_count;
    const int32_t *triangles; /* 3 × triangle_count, counter-clockwise from outside */
    int triangle_count;
    const int32_t *hull_triangles; /* of the same vertices, used for collision */
    int hull_triangle_count;
    const float *texcoords; /* 2 × 3 × triangle_count, as in TnMeshDef; NULL: none */
} TnSceneMesh;

/* Unpacked: 3 × width × height numbers, top row first, sRGB; of cubes and the sky six faces one
 * after the other, in the order of TnTextureDef.pictures. */
typedef struct TnSceneTexture {
    TnTextureType type;
    int width, height; /* of a face */
    const uint8_t *rgb;
} TnSceneTexture;

/* The members of TnMaterialDef with the same names. */
typedef struct TnSceneMaterial {
    int texture; /* number in textures, from 1; 0: none */
    float texture_repeat[2];
    bool texture_uniform;
    float emission, specular, shininess, reflectance, metallic; /* roughness is in shininess */
} TnSceneMaterial;

/* An active light. The members of TnLightDef with the same names. */
typedef struct TnSceneLight {
    TnLightType type;
    TnBodyId body, target; /* target 0: none */
    TnCameraMode mode;
    bool cast_shadow;
    float pos[3], dir[3]; /* in the body's axes; TN_CAMERA_TRACK: in the world's, pos from it */
    float ambient[3], diffuse[3], specular[3], attenuation[3], cutoff, exponent;
} TnSceneLight;

/* A rigid shape of a body. */
typedef struct TnSceneShape {
    TnGeomType type;
    TnBodyId body;
    int mesh;               /* index in meshes; -1: none */
    int material;           /* number in materials, from 1; 0: none */
    int group;              /* 0 … 5, MuJoCo's groups */
    double pos[3], quat[4]; /* in the body's axes */
    double size[3];         /* as in TnGeomDef; plane: half lengths in x and y, 0: infinite */
    float rgba[4];
} TnSceneShape;

typedef enum TnTubeKind {
    TN_TUBE_CABLE, /* drawn smoothly through its points */
    TN_TUBE_TENDON /* straight between its points */
} TnTubeKind;

/* A thick line through points. The piece between two points belongs to the subsystem of the first.
 */
typedef struct TnSceneTube {
    TnTubeKind kind;
    int point_start, point_count; /* range of the frame's points */
    double radius;                /* m */
    float rgba[4];
} TnSceneTube;

/* A deforming surface; with tetrahedra, the boundary of a soft body. */
typedef struct TnSceneSurface {
    int point_start, point_count; /* range of the frame's points */
    const int32_t *triangles;     /* 3 × triangle_count, from 0 within the range */
    int triangle_count;
    const int32_t *tetrahedra; /* 4 × tetrahedron_count, from 0 within the range; may be none */
    int tetrahedron_count;
    float rgba[4];
    const char *name; /* "" or NULL for none */
    /* Each may be NULL. Without subsystems, a part belongs to that of its first point. Without
     * rest, the stress-free shape is unknown. */
    const int32_t *triangle_subsystems, *tetrahedron_subsystems; /* from 1 */
    const float *rest;                                           /* m, 3 × point_count */
} TnSceneSurface;

typedef struct TnSceneBody {
    const char *name; /* "" for none */
    int subsystem;    /* from 1; 0: fixed to the world */
} TnSceneBody;

typedef struct TnSceneJoint {
    const char *name;
    TnJointType type;
    TnBodyId body;
    double pos[3], axis[3]; /* in the body's axes */
} TnSceneJoint;

/* A number that a simulation gives at every time: a joint's coordinate, a sensor's reading, … */
typedef enum TnSignalKind {
    TN_SIGNAL_POSITION,   /* of a joint that is not free: m, rad, or a quaternion's part */
    TN_SIGNAL_VELOCITY,   /* of a joint that is not free: m/s or rad/s */
    TN_SIGNAL_SENSOR,     /* in the sensor's unit */
    TN_SIGNAL_CTRL,       /* of an actuator, in its unit */
    TN_SIGNAL_FORCE,      /* of an actuator, before its gear: N or N·m */
    TN_SIGNAL_ACTIVATION, /* of an actuator that has one */
    TN_SIGNAL_COUNT
} TnSignalKind;
TN_API const char *tn_signal_kind_name(TnSignalKind kind); /* "position", … */

typedef struct TnSignal {
    const char *
        name; /* NAME.q0, NAME.v0, NAME.s0, NAME.ctrl, NAME.force, NAME.act; joint3.q0 if unnamed */
    TnSignalKind kind;
} TnSignal;

typedef struct TnScene {
    const char *name;
    double timestep; /* s, of the simulation */
    const TnSceneBody *bodies;
    int body_count; /* including the world, bodies[0] */
    const TnSceneShape *shapes;
    int shape_count; /* shape i is geom i + 1 of the model */
    const TnSceneMesh *meshes;
    int mesh_count;
    const TnSceneJoint *joints;
    int joint_count;
    const TnSceneTube *tubes;
    int tube_count;
    const TnSceneSurface *surfaces;
    int surface_count; /* surface i is soft body i + 1 of the model; its points are all nodes */
    const int32_t *point_subsystems; /* point_count, from 1 */
    int point_count;
    const TnCameraInfo *cameras; /* names point into the scene */
    int camera_count;
    TnView view;             /* start of a free camera, light at the camera, haze */
    void *memory;            /* owned by the creator of the scene */
    const TnSignal *signals; /* joints, sensors, controls, forces and activations of actuators */
    int signal_count;
    const TnSceneTexture *textures; /* those that materials have, and the first skybox */
    int texture_count;
    const TnSceneMaterial *materials;
    int material_count;
    const TnSceneLight *lights; /* none: it is drawn with tenon's own sun and sky */
    int light_count;
    void *texture_memory; /* owned by the creator, too */
} TnScene;

/* Return NULL and an error if out of memory. The model or world may be destroyed afterwards. For a
 * model, every free body, robot, cable and soft body is a subsystem. For a world, subsystems are
 * those of its division, numbered from 1 (index of the world plus one). */
TN_API TnScene *tn_scene_create(const TnModel *model, TnError *err);
TN_API TnScene *tn_scene_create_of(const TnWorld *world, TnError *err);
TN_API void tn_scene_destroy(TnScene *scene); /* only for the two above; NULL is allowed */

typedef struct TnFrame {
    double time;    /* s */
    int64_t step;   /* of the simulation, from 0 at the start */
    double *poses;  /* body_count × 7: pos, quat (w x y z), world axes */
    int body_count; /* as in the scene */
    float *points;  /* m, 3 × point_count, world axes */
    int point_count;
    TnContact *contacts;
    int contact_count, contact_room;
    /* Report of the last step; all zero before the first. */
    int iterations;
    double residual;                          /* m/s */
    double kinetic, potential;                /* J */
    double mean_penetration, max_penetration; /* m */
    TnStepTimes times;                        /* s */
    /* NaN if read from a recording before format 1.2. */
    double elastic;          /* J, the elastic part of the potential energy */
    TnEnergyAccount account; /* sums up to this time, see tn_world_energy_account */
    /* The exact state if recorded, otherwise NULL and 0. */
    double *qpos, *qvel, *ctrl;
    int qpos_count, dof_count, ctrl_count;
    /* Stress of soft bodies if recorded, otherwise NULL and 0. */
    float *stress;      /* Pa, point_count: von Mises stress, volume-weighted mean of the adjacent
                           tetrahedra; 0 at points that are not soft */
    float *cell_stress; /* Pa, 6 × cell_count: Cauchy stress xx yy zz xy xz yz of each tetrahedron,
                           surface by surface */
    int cell_count;
    /* The scene's signals if captured or recorded, otherwise the count is 0. NaN: not known. */
    double *signals;
    int signal_count, signal_room;
} TnFrame;

/* Creates a frame of the scene with all bodies at the origin. Returns NULL and an error if out of
 * memory. */
TN_API TnFrame *tn_frame_create(const TnScene *scene, TnError *err);
TN_API void tn_frame_destroy(TnFrame *frame); /* NULL is allowed */
/* Reserve memory for contacts (discards present ones), or for the exact state. */
TN_API TnStatus tn_frame_reserve_contacts(TnFrame *frame, int count, TnError *err);
TN_API TnStatus tn_frame_reserve_state(TnFrame *frame, int qpos_count, int dof_count,
                                       int ctrl_count, TnError *err);
/* Reserves memory for the stress of points and of cell_count tetrahedra, all 0; -1: no stress. */
TN_API TnStatus tn_frame_reserve_stress(TnFrame *frame, int cell_count, TnError *err);
/* Copies the world into the frame. `report` of the last step may be NULL. `state` adds the exact
 * state. Stress is computed only if memory was reserved for it; `state` adds that of the
 * tetrahedra. The world is not changed. */
TN_API TnStatus tn_frame_capture(TnFrame *frame, const TnWorld *world, const TnStepReport *report,
                                 bool state, TnError *err);
/* Adds the signals of the scene; to be called after tn_frame_capture, which drops old ones. The
 * state is not changed; sensors of forces may compute the reactions of the last step. */
TN_API TnStatus tn_frame_capture_signals(TnFrame *frame, TnWorld *world, TnError *err);
/* Reserves memory for signals; 0: none. */
TN_API TnStatus tn_frame_reserve_signals(TnFrame *frame, int count, TnError *err);
TN_API TnStatus tn_frame_copy(TnFrame *to, const TnFrame *from, TnError *err);
/* Interpolates between two frames of one scene: poses, points and their stress. Everything else is
 * copied from the nearer frame. `share` is the fraction of b, 0 … 1. */
TN_API TnStatus tn_frame_blend(TnFrame *out, const TnFrame *a, const TnFrame *b, double share,
                               TnError *err);

#ifdef __cplusplus
}
#endif
#endif
