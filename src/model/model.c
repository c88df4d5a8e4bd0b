/* model.c: questions to a compiled model: sizes, names, collision filter, control track. */
#include "model.h"

#include "../base/base.h"
#include "names.h"

#include <math.h>
#include <string.h>

void tn_model_destroy(TnModel *model)
{
    TN_ASSERT_ALIVE(model);
    if (model) tn_free(model->memory); /* the model itself lies in it */
}

TnModelInfo tn_model_info(const TnModel *model)
{
    TN_ASSERT_ALIVE(model);
    if (!model) return (TnModelInfo){.name = ""};
    return (TnModelInfo){
        .name = model->name,
        .body_count = model->body_count,
        .joint_count = model->joint_count,
        .geom_count = model->geom_count,
        .site_count = model->site_count,
        .tendon_count = model->tendon_count,
        .actuator_count = model->actuator_count,
        .equality_count = model->equality_count,
        .sensor_count = model->sensor_count,
        .key_count = model->key_count,
        .mesh_count = model->mesh_count,
        .camera_count = model->camera_count,
        .rod_count = model->rod_count,
        .wheel_count = model->wheel_count,
        .soft_count = model->soft_count,
        .tie_count = model->tie_count,
        .texture_count = model->texture_count,
        .material_count = model->material_count,
        .light_count = model->light_count,
        .qpos_count = model->qpos_count,
        .dof_count = model->dof_count,
        .act_count = model->act_count,
        .sensor_data_count = model->sensor_data_count,
        .mocap_count = model->mocap_count,
        .free_body_count = model->rigid_count,
        .tree_count = model->tree_count,
        .total_mass = model->total_mass,
        .track_duration = model->track_count > 0 ? model->track_times[model->track_count - 1] : 0.0,
        .option = model->option,
        .view = model->view,
    };
}

/* ---- names ---- */

static int count_of(const TnModel *model, TnNameKind kind)
{
    const int counts[TN_NAME_KIND_COUNT] = {
        [TN_NAME_BODY] = model->body_count,         [TN_NAME_JOINT] = model->joint_count,
        [TN_NAME_GEOM] = model->geom_count,         [TN_NAME_SITE] = model->site_count,
        [TN_NAME_TENDON] = model->tendon_count,     [TN_NAME_ACTUATOR] = model->actuator_count,
        [TN_NAME_EQUALITY] = model->equality_count, [TN_NAME_SENSOR] = model->sensor_count,
        [TN_NAME_KEY] = model->key_count,           [TN_NAME_MESH] = model->mesh_count,
        [TN_NAME_CAMERA] = model->camera_count,     [TN_NAME_ROD] = model->rod_count,
        [TN_NAME_WHEEL] = model->wheel_count,       [TN_NAME_SOFT] = model->soft_count,
        [TN_NAME_TIE] = model->tie_count,           [TN_NAME_TEXTURE] = model->texture_count,
        [TN_NAME_MATERIAL] = model->material_count, [TN_NAME_LIGHT] = model->light_count};
    return counts[kind];
}

static bool has(const TnModel *model, TnNameKind kind, int id)
{
    return model && id >= 1 && id <= count_of(model, kind);
}

static const char *name_at(const TnModel *model, TnNameKind kind, int id)
{
    return has(model, kind, id) ? model->lookup->names[kind].names[id - 1] : "";
}

const char *tn_model_body_name(const TnModel *model, TnBodyId id)
{
    return name_at(model, TN_NAME_BODY, id);
}
const char *tn_model_joint_name(const TnModel *model, TnJointId id)
{
    return name_at(model, TN_NAME_JOINT, id);
}
const char *tn_model_geom_name(const TnModel *model, TnGeomId id)
{
    return name_at(model, TN_NAME_GEOM, id);
}
const char *tn_model_site_name(const TnModel *model, TnSiteId id)
{
    return name_at(model, TN_NAME_SITE, id);
}
const char *tn_model_tendon_name(const TnModel *model, TnTendonId id)
{
    return name_at(model, TN_NAME_TENDON, id);
}
const char *tn_model_actuator_name(const TnModel *model, TnActuatorId id)
{
    return name_at(model, TN_NAME_ACTUATOR, id);
}
const char *tn_model_equality_name(const TnModel *model, TnEqualityId id)
{
    return name_at(model, TN_NAME_EQUALITY, id);
}
const char *tn_model_sensor_name(const TnModel *model, TnSensorId id)
{
    return name_at(model, TN_NAME_SENSOR, id);
}
const char *tn_model_key_name(const TnModel *model, TnKeyId id)
{
    return name_at(model, TN_NAME_KEY, id);
}

const char *tn_model_rod_name(const TnModel *model, TnRodId id)
{
    return name_at(model, TN_NAME_ROD, id);
}

const char *tn_model_wheel_name(const TnModel *model, TnWheelId id)
{
    return name_at(model, TN_NAME_WHEEL, id);
}

const char *tn_model_soft_name(const TnModel *model, TnSoftId id)
{
    return name_at(model, TN_NAME_SOFT, id);
}

static int find(const TnModel *model, TnNameKind kind, const char *name)
{
    return model ? tn_name_find(&model->lookup->names[kind], name) + 1 : 0;
}

TnBodyId tn_model_find_body(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_BODY, name);
}
TnJointId tn_model_find_joint(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_JOINT, name);
}
TnGeomId tn_model_find_geom(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_GEOM, name);
}
TnSiteId tn_model_find_site(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_SITE, name);
}
TnTendonId tn_model_find_tendon(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_TENDON, name);
}
int tn_geom_size_count(TnGeomType type)
{
    switch (type) {
    case TN_GEOM_SPHERE:
        return 1;
    case TN_GEOM_CAPSULE:
    case TN_GEOM_CYLINDER:
        return 2;
    case TN_GEOM_ELLIPSOID:
    case TN_GEOM_BOX:
        return 3;
    case TN_GEOM_PLANE:
    case TN_GEOM_SOFT:
    case TN_GEOM_HEIGHT_FIELD:
    case TN_GEOM_MESH:
        break;
    }
    return 0;
}

int tn_model_actuator_acts(const TnModel *model, TnActuatorId id, int *start)
{
    if (!model || id < 1 || id > model->actuator_count) return 0;
    const TnActuator *a = &model->actuators[id - 1];
    if (start) *start = a->act;
    return a->act < 0 ? 0 : tn_activation_count(a->activation, &a->pid);
}

TnActuatorId tn_model_find_actuator(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_ACTUATOR, name);
}
TnEqualityId tn_model_find_equality(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_EQUALITY, name);
}
TnSensorId tn_model_find_sensor(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_SENSOR, name);
}
TnKeyId tn_model_find_key(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_KEY, name);
}

TnCameraId tn_model_find_camera(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_CAMERA, name);
}

TnTextureId tn_model_find_texture(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_TEXTURE, name);
}

TnMaterialId tn_model_find_material(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_MATERIAL, name);
}

TnLightId tn_model_find_light(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_LIGHT, name);
}

TnRodId tn_model_find_rod(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_ROD, name);
}

TnWheelId tn_model_find_wheel(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_WHEEL, name);
}

TnSoftId tn_model_find_soft(const TnModel *model, const char *name)
{
    return find(model, TN_NAME_SOFT, name);
}

/* ---- joints, geoms, meshes, cameras, rods, soft bodies, wheels; an id that does not exist gives
 * zeros ---- */

TnActuatorInfo tn_model_actuator_info(const TnModel *model, TnActuatorId id)
{
    TnActuatorInfo info = {.act = -1};
    if (!model || id < 1 || id > model->actuator_count) return info;
    const TnActuator *actuator = &model->actuators[id - 1];
    info.act = actuator->act;
    info.ctrl_limited = actuator->ctrl_limited;
    if (info.ctrl_limited) memcpy(info.ctrl_range, actuator->ctrl_range, sizeof info.ctrl_range);
    info.gear = actuator->gear;
    info.gain = actuator->gain;
    memcpy(info.bias, actuator->bias, sizeof info.bias);
    info.force_limited = actuator->force_limited;
    if (info.force_limited)
        memcpy(info.force_range, actuator->force_range, sizeof info.force_range);
    return info;
}

TnJointInfo tn_model_joint_info(const TnModel *model, TnJointId id)
{
    if (!has(model, TN_NAME_JOINT, id)) return (TnJointInfo){0};
    int index = model->lookup->joint_index[id - 1];
    const TnJoint *joint = &model->joints[index];
    bool is_free = joint->type == TN_JOINT_FREE, is_ball = joint->type == TN_JOINT_BALL;
    TnJointInfo info = {.type = joint->type,
                        .body = joint->body + 1,
                        .qpos_start = joint->qpos_start,
                        .qpos_count = is_free   ? 7
                                      : is_ball ? 4
                                                : 1,
                        .dof_start = joint->dof_start,
                        .dof_count = is_free   ? 6
                                     : is_ball ? 3
                                               : 1};
    info.limited = joint->limited;
    if (joint->limited) memcpy(info.range, joint->range, sizeof info.range);
    memcpy(info.pos, joint->pos, sizeof info.pos);
    memcpy(info.axis, joint->axis, sizeof info.axis);
    info.stiffness = joint->stiffness;
    info.spring_ref = joint->spring_ref;
    info.damping = joint->damping;
    info.armature = joint->armature;
    info.friction_loss = joint->friction_loss;
    return info;
}

TnGeomInfo tn_model_geom_info(const TnModel *model, TnGeomId id)
{
    TnGeomInfo info = {0};
    if (!has(model, TN_NAME_GEOM, id)) return info;
    const TnGeom *geom = &model->geoms[id - 1];
    info.type = geom->type;
    info.body = geom->body + 1;
    info.group = geom->group;
    info.mesh = geom->mesh + 1;
    info.material = geom->material;
    memcpy(info.pos, geom->pos, sizeof info.pos);
    memcpy(info.quat, geom->quat, sizeof info.quat);
    memcpy(info.size, geom->size, sizeof info.size);
    memcpy(info.rgba, geom->rgba, sizeof info.rgba);
    info.contact_type = geom->contact_type;
    info.contact_affinity = geom->contact_affinity;
    info.contact_dim = geom->contact_dim;
    info.priority = geom->priority;
    memcpy(info.friction, geom->friction, sizeof info.friction);
    info.restitution = geom->restitution;
    info.margin = geom->margin;
    return info;
}

TnSiteInfo tn_model_site_info(const TnModel *model, TnSiteId id)
{
    if (!has(model, TN_NAME_SITE, id)) return (TnSiteInfo){0};
    const TnSite *site = &model->sites[id - 1];
    TnSiteInfo info = {.body = site->body + 1, .type = site->type};
    memcpy(info.size, site->size, sizeof info.size);
    memcpy(info.pos, site->pos, sizeof info.pos);
    memcpy(info.quat, site->quat, sizeof info.quat);
    return info;
}

TnMeshInfo tn_model_mesh_info(const TnModel *model, TnMeshId id)
{
    TnMeshInfo info = {.name = name_at(model, TN_NAME_MESH, id)};
    if (!has(model, TN_NAME_MESH, id)) return info;
    const TnMesh *mesh = &model->meshes[id - 1];
    info.vertices = mesh->vertices;
    info.vertex_count = mesh->vertex_count;
    info.triangles = mesh->triangles;
    info.triangle_count = mesh->triangle_count;
    info.hull_triangles = mesh->hull_triangles;
    info.hull_triangle_count = mesh->hull_triangle_count;
    info.texcoords = mesh->texcoords;
    return info;
}

TnCameraInfo tn_model_camera_info(const TnModel *model, TnCameraId id)
{
    TnCameraInfo info = {.name = name_at(model, TN_NAME_CAMERA, id)};
    if (!has(model, TN_NAME_CAMERA, id)) return info;
    const TnCamera *camera = &model->cameras[id - 1];
    info.body = camera->body + 1;
    info.fovy = camera->fovy;
    info.mode = camera->mode;
    info.target = camera->target + 1;
    memcpy(info.resolution, camera->resolution, sizeof info.resolution);
    memcpy(info.pos, camera->pos, sizeof info.pos);
    memcpy(info.quat, camera->quat, sizeof info.quat);
    return info;
}

TnTextureDef tn_model_texture_info(const TnModel *model, TnTextureId id)
{
    TnTextureDef info =
        has(model, TN_NAME_TEXTURE, id) ? model->textures[id - 1] : (TnTextureDef){0};
    info.name = name_at(model, TN_NAME_TEXTURE, id);
    return info;
}

TnMaterialDef tn_model_material_info(const TnModel *model, TnMaterialId id)
{
    TnMaterialDef info =
        has(model, TN_NAME_MATERIAL, id) ? model->materials[id - 1] : (TnMaterialDef){0};
    info.name = name_at(model, TN_NAME_MATERIAL, id);
    return info;
}

TnLightDef tn_model_light_info(const TnModel *model, TnLightId id)
{
    TnLightDef info = has(model, TN_NAME_LIGHT, id) ? model->lights[id - 1] : (TnLightDef){0};
    info.name = name_at(model, TN_NAME_LIGHT, id);
    return info;
}

TnRodInfo tn_model_rod_info(const TnModel *model, TnRodId id)
{
    TnRodInfo info = {.name = tn_model_rod_name(model, id)};
    if (!has(model, TN_NAME_ROD, id)) return info;
    const TnRod *rod = &model->rods[id - 1];
    info.segment_count = rod->segment_count;
    info.body = rod->body_start + 1;
    info.geom = rod->geom_start + 1;
    info.subsystem = rod->subsystem + 1;
    info.lengths = rod->lengths;
    info.radius = rod->radius;
    info.damping_time = rod->damping_time;
    info.self_contact = rod->self_contact;
    info.group = rod->group;
    memcpy(info.rgba, rod->rgba, sizeof info.rgba);
    return info;
}

TnSoftInfo tn_model_soft_info(const TnModel *model, TnSoftId id)
{
    TnSoftInfo info = {.name = tn_model_soft_name(model, id)};
    if (!has(model, TN_NAME_SOFT, id)) return info;
    const TnSoft *soft = &model->softs[id - 1];
    info.geom = soft->geom + 1;
    info.subsystem = soft->subsystem + 1;
    info.node_count = soft->node_count;
    info.tet_count = soft->thickness > 0.0 ? 0 : soft->tet_count;
    info.thickness = soft->thickness;
    info.triangle_count = soft->triangle_count;
    info.qpos_start = soft->qpos_start;
    info.dof_start = soft->dof_start;
    info.rest = soft->rest;
    info.tets = soft->tets;
    info.triangles = soft->triangles;
    info.node_masses = soft->masses;
    info.mass = soft->mass;
    info.hold_count = soft->hold_count;
    for (int i = 0; i < soft->node_count; i++) info.hold_count += soft->pinned[i];
    info.youngs_modulus = soft->youngs_modulus;
    info.poisson_ratio = soft->poisson_ratio;
    info.law = soft->law;
    info.radius = soft->radius;
    info.self_contact = soft->self_contact;
    info.group = soft->group;
    memcpy(info.rgba, soft->rgba, sizeof info.rgba);
    return info;
}

TnWheelInfo tn_model_wheel_info(const TnModel *model, TnWheelId id)
{
    if (!has(model, TN_NAME_WHEEL, id)) return (TnWheelInfo){0};
    const TnWheel *wheel = &model->wheels[id - 1];
    TnWheelInfo info = {.kind = wheel->kind,
                        .body = wheel->body + 1,
                        .radius = wheel->radius,
                        .keep_height = wheel->keep_height};
    memcpy(info.pos, wheel->pos, sizeof info.pos);
    memcpy(info.axle, wheel->axle, sizeof info.axle);
    memcpy(info.normal, wheel->normal, sizeof info.normal);
    return info;
}

int tn_model_body_subsystem(const TnModel *model, TnBodyId id)
{
    if (!has(model, TN_NAME_BODY, id)) return 0;
    return model->links[model->bodies[id - 1].link].subsystem + 1;
}

/* ---- collision filter ---- */

static bool is_excluded(const TnModel *model, int body1, int body2)
{
    TnExclude wanted = body1 < body2 ? (TnExclude){body1, body2} : (TnExclude){body2, body1};
    int low = 0, high = model->exclude_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        const TnExclude *e = &model->excludes[middle];
        if (e->body1 < wanted.body1 || (e->body1 == wanted.body1 && e->body2 < wanted.body2))
            low = middle + 1;
        else
            high = middle;
    }
    const TnExclude *e = &model->excludes[low];
    return low < model->exclude_count && e->body1 == wanted.body1 && e->body2 == wanted.body2;
}

/* Links of one subsystem follow each other along the rod. */
static bool segments_collide(const TnModel *model, const TnSubsystem *sub, int link1, int link2)
{
    const TnRod *rod = &model->rods[sub->kind_index];
    int apart = link1 < link2 ? link2 - link1 : link1 - link2;
    return rod->self_contact && apart >= rod->near;
}

/* No force moves it. */
static bool is_kept(const TnModel *model, int link)
{
    return model->links[link].subsystem < 0 || model->links[link].held;
}

bool tn_model_bodies_collide(const TnModel *model, int body1, int body2)
{
    int link1 = model->bodies[body1].link, link2 = model->bodies[body2].link;
    if (link1 == link2) return false;
    /* what the world holds is part of it */
    if (is_kept(model, link1) && is_kept(model, link2)) return false;
    int subsystem = model->links[link1].subsystem;
    if (subsystem >= 0 && subsystem == model->links[link2].subsystem) {
        const TnSubsystem *sub = &model->subsystems[subsystem];
        if (sub->kind == TN_SUBSYSTEM_ROD && !segments_collide(model, sub, link1, link2))
            return false;
    }
    if (link1 != 0 && link2 != 0 &&
        (model->links[link1].holder == link2 || model->links[link2].holder == link1))
        return false;
    /* A link touches its parent at the joint by design; the world is no such neighbour: a robot may
     * hit the floor. */
    if (link1 != 0 && link2 != 0 && !model->option.parents_collide &&
        (model->links[link1].parent == link2 || model->links[link2].parent == link1))
        return false;
    return !is_excluded(model, body1, body2);
}

/* ---- control track ---- */

bool tn_model_track(const TnModel *model, double time, double *ctrl)
{
    if (!model || !ctrl) return false;
    int rows = model->track_count, width = model->actuator_count, loop = model->track_loop_from;
    const double *times = model->track_times;
    if (rows == 0) return false;
    if (loop >= 0 && time > times[rows - 1])
        time = times[loop] + fmod(time - times[loop], times[rows - 1] - times[loop]);

    /* The last row whose time has come; the first one before that. */
    int low = 0, high = rows;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    const double *row = model->track_ctrl + (size_t)low * (size_t)width;
    if (low == rows - 1 || time <= times[low]) {
        if (width) memcpy(ctrl, row, (size_t)width * sizeof(double));
        return true;
    }
    double s = (time - times[low]) / (times[low + 1] - times[low]);
    for (int k = 0; k < width; k++) ctrl[k] = row[k] + s * (row[width + k] - row[k]);
    return true;
}
