/* defaults.c: the definition structs with their default values. */
#include <tenon/model.h>

TnOption tn_option(void)
{
    return (TnOption){.timestep = 0.01,
                      .gravity = {0.0, 0.0, -9.81},
                      .magnetic = {0.0, -0.5, 0.0},
                      .theta = 0.5,
                      .tree_passes = 20,
                      .substeps = 1,
                      .stabilization = 0.2};
}

TnBodyDef tn_body_def(void)
{
    return (TnBodyDef){.parent = TN_BODY_WORLD, .quat = {1.0}, .inertia_quat = {1.0}};
}

TnJointDef tn_joint_def(void)
{
    return (TnJointDef){.type = TN_JOINT_HINGE, .axis = {0.0, 0.0, 1.0}};
}

TnGeomDef tn_geom_def(void)
{
    return (TnGeomDef){.body = TN_BODY_WORLD,
                       .type = TN_GEOM_SPHERE,
                       .quat = {1.0},
                       .density = 1000.0,
                       .mass = -1.0,
                       .contact_type = 1,
                       .contact_affinity = 1,
                       .contact_dim = 3,
                       .friction = {1.0, 0.005, 0.0001},
                       .rgba = {0.5, 0.5, 0.5, 1.0},
                       .fluid_coef = {0.5, 0.25, 1.5, 1.0, 1.0}};
}

TnSiteDef tn_site_def(void)
{
    return (TnSiteDef){.body = TN_BODY_WORLD,
                       .quat = {1.0},
                       .type = TN_GEOM_SPHERE,
                       .size = {0.005, 0.005, 0.005}};
}

TnTendonDef tn_tendon_def(void)
{
    return (TnTendonDef){.width = 0.003, .rgba = {0.5, 0.5, 0.5, 1.0}};
}

TnActuatorDef tn_actuator_def(void)
{
    return (TnActuatorDef){.gear = 1.0,
                           .gain = 1.0,
                           .time_constants = {1.0, 0.0, 0.0},
                           .muscle = tn_muscle(),
                           .passive = tn_muscle()};
}

TnMuscle tn_muscle(void)
{
    return (TnMuscle){.range = {0.75, 1.05},
                      .force = -1.0,
                      .scale = 200.0,
                      .lmin = 0.5,
                      .lmax = 1.6,
                      .vmax = 1.5,
                      .fpmax = 1.3,
                      .fvmax = 1.2};
}

TnEqualityDef tn_equality_def(void)
{
    return (TnEqualityDef){
        .type = TN_EQUALITY_CONNECT, .active = true, .relquat = {1.0}, .polycoef = {0.0, 1.0}};
}

TnPairDef tn_pair_def(void)
{
    return (TnPairDef){
        .contact_dim = 3, .friction = {1.0, 0.005, 0.0001}, .friction_across = {-1.0, -1.0}};
}

TnSensorDef tn_sensor_def(void)
{
    return (TnSensorDef){.type = TN_SENSOR_JOINT_POS, .slots = 1, .fields = 1};
}

TnKeyDef tn_key_def(void) { return (TnKeyDef){.time = 0.0}; }

TnMeshDef tn_mesh_def(void) { return (TnMeshDef){.inertia = TN_MESH_CONVEX}; }

TnCameraDef tn_camera_def(void)
{
    return (TnCameraDef){.body = TN_BODY_WORLD,
                         .quat = {1.0},
                         .fovy = 0.78539816339744830962 /* 45 degrees */,
                         .resolution = {1, 1}};
}

TnTextureDef tn_texture_def(void)
{
    return (TnTextureDef){.rgb1 = {0.8, 0.8, 0.8},
                          .rgb2 = {0.5, 0.5, 0.5},
                          .random = 0.01,
                          .grid = {1, 1},
                          .layout = "............"};
}

TnMaterialDef tn_material_def(void)
{
    return (TnMaterialDef){.rgba = {1.0, 1.0, 1.0, 1.0},
                           .texture_repeat = {1.0, 1.0},
                           .specular = 0.5,
                           .shininess = 0.5,
                           .metallic = -1.0,
                           .roughness = -1.0};
}

TnLightDef tn_light_def(void)
{
    return (TnLightDef){.body = TN_BODY_WORLD,
                        .active = true,
                        .cast_shadow = true,
                        .dir = {0.0, 0.0, -1.0},
                        .diffuse = {0.7, 0.7, 0.7},
                        .specular = {0.3, 0.3, 0.3},
                        .attenuation = {1.0, 0.0, 0.0},
                        .cutoff = 0.78539816339744830962 /* 45 degrees */,
                        .exponent = 10.0};
}

TnWheelDef tn_wheel_def(void)
{
    return (TnWheelDef){.axle = {0.0, 1.0, 0.0}, .normal = {0.0, 0.0, 1.0}};
}

TnTrackDef tn_track_def(void) { return (TnTrackDef){.loop_from = -1}; }

TnRodDef tn_rod_def(void)
{
    return (TnRodDef){.radius = 0.01,
                      .density = 1000.0,
                      .youngs_modulus = 1e7,
                      .poisson_ratio = 0.3,
                      .bend_modulus = -1.0,
                      .twist_modulus = -1.0,
                      .damping_time = 0.01,
                      .contact_type = 1,
                      .contact_affinity = 1,
                      .contact_dim = 3,
                      .friction = {1.0, 0.005, 0.0001},
                      .rgba = {0.5, 0.5, 0.5, 1.0}};
}

TnSoftDef tn_soft_def(void)
{
    return (TnSoftDef){.quat = {1.0},
                       .youngs_modulus = 1e6,
                       .poisson_ratio = 0.3,
                       .density = 1000.0,
                       .mass = -1.0,
                       .damping_stiffness = 0.001,
                       .mean_dilatation = true,
                       .contact_type = 1,
                       .contact_affinity = 1,
                       .contact_dim = 3,
                       .friction = {1.0, 0.005, 0.0001},
                       .rgba = {0.5, 0.5, 0.5, 1.0}};
}

TnTieDef tn_tie_def(void) { return (TnTieDef){.node = 0}; }
