/* tenon/model_info.h: queries of a compiled model: sizes, names, look-ups, parts. */
#ifndef TENON_MODEL_INFO_H
#define TENON_MODEL_INFO_H

#include <tenon/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sizes and look-ups. Names are "" if none was given. Find returns 0 if there is no match. An id
 * that does not exist, or no model, gives zeros and "". */
typedef struct TnModelInfo {
    const char *name;
    int body_count; /* including the world */
    int joint_count, geom_count, site_count, tendon_count, actuator_count, equality_count,
        sensor_count, key_count, mesh_count, camera_count, rod_count, wheel_count, soft_count,
        tie_count, texture_count, material_count, light_count;
    int qpos_count; /* numbers in qpos */
    int dof_count;  /* numbers in qvel */
    int act_count;  /* activations, of actuators that have one, in their order */
    int sensor_data_count;
    int mocap_count;       /* bodies that are mocap */
    int free_body_count;   /* subsystems of one free rigid body; without segments of rods */
    int tree_count;        /* subsystems that are articulated trees */
    double total_mass;     /* kg, of everything that moves */
    double track_duration; /* s, 0 if the model has no control track */
    TnOption option;
    TnView view;
} TnModelInfo;

TN_API TnModelInfo tn_model_info(const TnModel *model);
/* A number that two models share if they move alike, and hardly ever otherwise: whether a saved
 * state belongs to a model. Names, colours, cameras and sensors do not count. */
TN_API uint64_t tn_model_fingerprint(const TnModel *model);
TN_API const char *tn_model_body_name(const TnModel *model, TnBodyId id);
TN_API const char *tn_model_joint_name(const TnModel *model, TnJointId id);
TN_API const char *tn_model_geom_name(const TnModel *model, TnGeomId id);
TN_API const char *tn_model_site_name(const TnModel *model, TnSiteId id);
TN_API const char *tn_model_tendon_name(const TnModel *model, TnTendonId id);
TN_API const char *tn_model_actuator_name(const TnModel *model, TnActuatorId id);
/* How many activations an actuator has; *start, where not NULL: the first one's place in act. */
TN_API int tn_model_actuator_acts(const TnModel *model, TnActuatorId id, int *start);
TN_API const char *tn_model_equality_name(const TnModel *model, TnEqualityId id);
TN_API const char *tn_model_sensor_name(const TnModel *model, TnSensorId id);
TN_API const char *tn_model_key_name(const TnModel *model, TnKeyId id);
TN_API const char *tn_model_rod_name(const TnModel *model, TnRodId id);
TN_API const char *tn_model_wheel_name(const TnModel *model, TnWheelId id);
TN_API const char *tn_model_soft_name(const TnModel *model, TnSoftId id);
TN_API TnBodyId tn_model_find_body(const TnModel *model, const char *name);
TN_API TnJointId tn_model_find_joint(const TnModel *model, const char *name);
TN_API TnGeomId tn_model_find_geom(const TnModel *model, const char *name);
TN_API TnSiteId tn_model_find_site(const TnModel *model, const char *name);
TN_API TnTendonId tn_model_find_tendon(const TnModel *model, const char *name);
TN_API TnActuatorId tn_model_find_actuator(const TnModel *model, const char *name);
TN_API TnEqualityId tn_model_find_equality(const TnModel *model, const char *name);
TN_API TnSensorId tn_model_find_sensor(const TnModel *model, const char *name);
TN_API TnKeyId tn_model_find_key(const TnModel *model, const char *name);
TN_API TnCameraId tn_model_find_camera(const TnModel *model, const char *name);
TN_API TnTextureId tn_model_find_texture(const TnModel *model, const char *name);
TN_API TnMaterialId tn_model_find_material(const TnModel *model, const char *name);
TN_API TnLightId tn_model_find_light(const TnModel *model, const char *name);
TN_API TnRodId tn_model_find_rod(const TnModel *model, const char *name);
TN_API TnWheelId tn_model_find_wheel(const TnModel *model, const char *name);
TN_API TnSoftId tn_model_find_soft(const TnModel *model, const char *name);

/* Subsystem of a body, from 1; 0: fixed to the world. */
TN_API int tn_model_body_subsystem(const TnModel *model, TnBodyId id);

/* The rigid part of a body: the body and everything fixed to it without a joint. */
typedef struct TnBodyInfo {
    TnBodyId carrier;  /* the body of the part that has the joints; the world if it is fixed */
    double mass;       /* kg; 0: fixed to the world */
    double com[3];     /* m, centre of mass, in the body's axes */
    double inertia[3]; /* kg·m², principal moments about the centre of mass */
    int mocap;         /* from 1, in the order of ids; 0: neither a mocap body nor fixed to one */
    /* Of this body alone, as tn_world_set_body_mass takes them. NaN: not known, of a mesh that is
     * fixed to the world */
    double own_mass, own_com[3], own_inertia[6];
} TnBodyInfo;
TN_API TnBodyInfo tn_model_body_info(const TnModel *model, TnBodyId id);

typedef struct TnJointInfo {
    TnJointType type;
    TnBodyId body;
    int qpos_start, qpos_count; /* range in qpos */
    int dof_start, dof_count;   /* range in qvel */
    double pos[3], axis[3];     /* in the body's axes */
    bool limited;
    double range[2];                                                /* m or rad; 0 if not limited */
    double stiffness, spring_ref, damping, armature, friction_loss; /* as in TnJointDef */
} TnJointInfo;
TN_API TnJointInfo tn_model_joint_info(const TnModel *model, TnJointId id);

typedef struct TnActuatorInfo {
    bool ctrl_limited;
    double ctrl_range[2];       /* 0 if not limited */
    int act;                    /* index of its activation, from 0; -1: none */
    double gear, gain, bias[3]; /* as in TnActuatorDef */
    bool force_limited;
    double force_range[2]; /* 0 if not limited */
} TnActuatorInfo;
TN_API TnActuatorInfo tn_model_actuator_info(const TnModel *model, TnActuatorId id);

typedef struct TnGeomInfo {
    TnGeomType type;
    TnBodyId body;
    double pos[3], quat[4]; /* in the body's axes */
    double size[3];
    double rgba[4];
    int group;
    TnMeshId mesh; /* TN_GEOM_MESH only, otherwise 0 */
    TnMaterialId material;
    int contact_type, contact_affinity, contact_dim, priority; /* as in TnGeomDef */
    double friction[3], restitution, margin;
} TnGeomInfo;
TN_API TnGeomInfo tn_model_geom_info(const TnModel *model, TnGeomId id);

typedef struct TnSiteInfo {
    TnBodyId body;
    double pos[3], quat[4]; /* in the body's axes */
    TnGeomType type;
    double size[3];
} TnSiteInfo;
TN_API TnSiteInfo tn_model_site_info(const TnModel *model, TnSiteId id);

/* Pointers belong to the model. */
typedef struct TnMeshInfo {
    const char *name;
    const double *vertices; /* 3 × vertex_count */
    int vertex_count;
    const int32_t *triangles; /* 3 × triangle_count */
    int triangle_count;
    const int32_t *hull_triangles; /* of the same vertices */
    int hull_triangle_count;
    const float *texcoords; /* as in TnMeshDef; NULL: none */
} TnMeshInfo;
TN_API TnMeshInfo tn_model_mesh_info(const TnModel *model, TnMeshId id);

typedef struct TnCameraInfo {
    const char *name;
    TnBodyId body;
    double pos[3],
        quat[4]; /* in the body's axes; TN_CAMERA_TRACK: in the world's, pos from the body */
    double fovy; /* rad */
    TnCameraMode mode;
    TnBodyId target;
    int resolution[2]; /* pixels, width and height */
} TnCameraInfo;
TN_API TnCameraInfo tn_model_camera_info(const TnModel *model, TnCameraId id);

/* As they were defined, without their sources; pointers belong to the model. The direction of a
 * light has length 1; with TN_CAMERA_TRACK its place and direction are in the world's axes. */
TN_API TnTextureDef tn_model_texture_info(const TnModel *model, TnTextureId id);
TN_API TnMaterialDef tn_model_material_info(const TnModel *model, TnMaterialId id);
TN_API TnLightDef tn_model_light_info(const TnModel *model, TnLightId id);

/* Pointers belong to the model. */
typedef struct TnRodInfo {
    const char *name;
    int segment_count;
    TnBodyId body;         /* of the first segment; the others follow */
    TnGeomId geom;         /* the same for geoms */
    int subsystem;         /* from 1 */
    const double *lengths; /* m, of the segments along z, centred at their frames */
    double radius;         /* m */
    double damping_time;   /* s */
    bool self_contact;
    int group;
    double rgba[4];
} TnRodInfo;
TN_API TnRodInfo tn_model_rod_info(const TnModel *model, TnRodId id);

/* Pointers belong to the model. */
typedef struct TnSoftInfo {
    const char *name;
    TnGeomId geom;
    int subsystem;                             /* from 1 */
    int node_count, tet_count, triangle_count; /* a sheet has no tetrahedra */
    int qpos_start, dof_start;                 /* 3 · node_count numbers each */
    const double *rest;                        /* m, 3 · node_count: as built, in the world */
    const int32_t *tets;                       /* 4 nodes each */
    const int32_t *triangles;  /* of the surface, 3 nodes each, counterclockwise from outside */
    const double *node_masses; /* kg, lumped */
    double mass;               /* kg */
    int hold_count;            /* nodes held by bodies, including pinned nodes */
    double youngs_modulus, poisson_ratio;
    double thickness; /* m; > 0: a sheet */
    TnSoftLaw law;
    double radius;
    bool self_contact;
    int group;
    double rgba[4];
} TnSoftInfo;
TN_API TnSoftInfo tn_model_soft_info(const TnModel *model, TnSoftId id);

typedef struct TnWheelInfo {
    TnWheelKind kind;
    TnBodyId body;
    double pos[3], axle[3]; /* in the body's axes; a unit vector */
    double radius;          /* m */
    double normal[3];       /* in the world's axes; a unit vector */
    bool keep_height;
} TnWheelInfo;
TN_API TnWheelInfo tn_model_wheel_info(const TnModel *model, TnWheelId id);

/* For drawing. Only spatial tendons have branches: a pulley begins a new one. */
typedef struct TnTendonInfo {
    const char *name;
    int branch_count; /* 0: a fixed tendon */
    TnBodyId body;    /* one that it moves; 0: none */
    double width;     /* m, radius */
    double rgba[4];
} TnTendonInfo;
TN_API TnTendonInfo tn_model_tendon_info(const TnModel *model, TnTendonId id);
/* Points that a branch (0 …) is drawn through. */
TN_API int tn_model_tendon_points(const TnModel *model, TnTendonId id, int branch);

typedef struct TnEqualityInfo {
    TnEqualityType type;
    bool active;
    TnBodyId body1, body2;       /* connect, weld; body2 is the world if not given */
    TnJointId joint1, joint2;    /* joint; joint2 may be 0 */
    TnTendonId tendon1, tendon2; /* tendon; tendon2 may be 0 */
} TnEqualityInfo;
TN_API TnEqualityInfo tn_model_equality_info(const TnModel *model, TnEqualityId id);

typedef struct TnSensorInfo {
    TnSensorType type;
    int data_start, data_count; /* range in the sensor data */
} TnSensorInfo;
TN_API TnSensorInfo tn_model_sensor_info(const TnModel *model, TnSensorId id);

/* Controls of the track at a time (see TnTrackDef). Returns false and leaves ctrl unchanged if the
 * model has no track. */
TN_API bool tn_model_track(const TnModel *model, double time, double *ctrl);

#ifdef __cplusplus
}
#endif
#endif
