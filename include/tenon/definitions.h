/* tenon/definitions.h: what a builder holds, to read it. Index i of an array is the public id
 * i + 1; body 0 is the world. Valid until the builder is changed or destroyed. */
#ifndef TENON_DEFINITIONS_H
#define TENON_DEFINITIONS_H

#include <tenon/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TnExcludeDef {
    TnBodyId body1, body2;
    TnSource source;
} TnExcludeDef;

/* A rod and what was added for it: `segment_count` bodies, joints and geoms. */
typedef struct TnRodEntry {
    TnRodDef def; /* body_names and geom_names are NULL: the bodies and geoms have them */
    TnRodParts parts;
} TnRodEntry;

/* A soft body and its surface. */
typedef struct TnSoftEntry {
    TnSoftDef def;
    TnGeomId geom;
} TnSoftEntry;

typedef struct TnDefinitions {
    const char *name; /* "" for none; so are all names */
    TnOption option;
    const TnBodyDef *bodies;
    const TnJointDef *joints;
    const TnGeomDef *geoms;
    const TnSiteDef *sites;
    const TnTendonDef *tendons;
    const TnActuatorDef *actuators;
    const TnEqualityDef *equalities;
    const TnPairDef *pairs;
    const TnExcludeDef *excludes;
    const TnSensorDef *sensors;
    const TnKeyDef *keys;
    const TnMeshDef *meshes;
    const TnCameraDef *cameras;
    const TnTextureDef *textures;
    const TnMaterialDef *materials;
    const TnLightDef *lights;
    const TnRodEntry *rods;
    const TnWheelDef *wheels;
    const TnSoftEntry *softs;
    const TnTieDef *ties;
    int body_count, joint_count, geom_count, site_count, tendon_count, actuator_count;
    int equality_count, pair_count, exclude_count, sensor_count, key_count, mesh_count;
    int camera_count, rod_count, wheel_count, soft_count, tie_count;
    int texture_count, material_count, light_count;
    TnView view;
    const TnTrackDef *track; /* NULL: none */
} TnDefinitions;
TN_API TnDefinitions tn_builder_definitions(const TnModelBuilder *builder);

#ifdef __cplusplus
}
#endif
#endif
