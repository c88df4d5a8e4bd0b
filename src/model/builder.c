/* builder.c: collects definitions. Nothing is judged here; compile does that. */
#include "builder.h"

#include <limits.h>
#include <string.h>

/* ---- the store: a chain of blocks, filled from the front ---- */

#define STORE_BLOCK_BYTES ((size_t)1 << 16)

struct TnStoreBlock {
    TnStoreBlock *next;
    size_t used, capacity;
    double data[]; /* double: the alignment that everything kept here needs */
};

static void *store_alloc(TnModelBuilder *builder, size_t bytes)
{
    bytes = (bytes + sizeof(double) - 1) / sizeof(double) * sizeof(double);
    TnStoreBlock *block = builder->store;
    if (!block || block->capacity - block->used < bytes) {
        size_t capacity = bytes > STORE_BLOCK_BYTES ? bytes : STORE_BLOCK_BYTES;
        block = tn_malloc(sizeof *block + capacity);
        if (!block) {
            builder->out_of_memory = true;
            return NULL;
        }
        block->used = 0;
        block->capacity = capacity;
        /* A large request gets its own full block behind the head, which keeps its free rest. */
        if (builder->store && bytes > STORE_BLOCK_BYTES / 2) {
            block->next = builder->store->next;
            builder->store->next = block;
        } else {
            block->next = builder->store;
            builder->store = block;
        }
    }
    void *p = (char *)block->data + block->used;
    block->used += bytes;
    return p;
}

static const char *store_string(TnModelBuilder *builder, const char *text)
{
    if (!text || !text[0]) return "";
    size_t bytes = strlen(text) + 1;
    char *copy = store_alloc(builder, bytes);
    if (!copy) return "";
    return memcpy(copy, text, bytes);
}

static void *store_bytes(TnModelBuilder *builder, const void *data, size_t bytes)
{
    if (!data || bytes == 0) return NULL;
    void *copy = store_alloc(builder, bytes);
    return copy ? memcpy(copy, data, bytes) : NULL;
}

static double *store_numbers(TnModelBuilder *builder, const double *values, size_t count)
{
    return store_bytes(builder, values, count * sizeof(double));
}

static TnSource store_source(TnModelBuilder *builder, TnSource source)
{
    if (!source.file) return source;
    if (!builder->last_file || strcmp(builder->last_file, source.file) != 0)
        builder->last_file = store_string(builder, source.file);
    source.file = builder->last_file;
    return source;
}

/* ---- growing arrays ---- */

/* The array with room for one more element; NULL: no memory, which compile will report. */
static void *grow(TnModelBuilder *builder, void *array, int count, int *room, size_t element_size)
{
    if (count < *room) return array;
    int more = *room ? 2 * *room : 16;
    void *p = *room <= INT_MAX / 2 ? tn_realloc(array, (size_t)more * element_size) : NULL;
    if (p)
        *room = more;
    else
        builder->out_of_memory = true;
    return p;
}

/* append_x(builder, def): a pointer to the stored copy, NULL where there is no builder or no
 * memory. */
#define DEFINE_APPEND(WHAT, TYPE, ARRAY)                                                           \
    static TYPE *append_##WHAT(TnModelBuilder *builder, const TYPE *def)                           \
    {                                                                                              \
        if (!builder) return NULL;                                                                 \
        TYPE *p = grow(builder, builder->ARRAY, builder->WHAT##_count, &builder->WHAT##_room,      \
                       sizeof *p);                                                                 \
        if (!p) return NULL;                                                                       \
        builder->ARRAY = p;                                                                        \
        p += builder->WHAT##_count++;                                                              \
        *p = *def;                                                                                 \
        return p;                                                                                  \
    }
DEFINE_APPEND(body, TnBodyDef, bodies)
DEFINE_APPEND(joint, TnJointDef, joints)
DEFINE_APPEND(geom, TnGeomDef, geoms)
DEFINE_APPEND(site, TnSiteDef, sites)
DEFINE_APPEND(tendon, TnTendonDef, tendons)
DEFINE_APPEND(actuator, TnActuatorDef, actuators)
DEFINE_APPEND(equality, TnEqualityDef, equalities)
DEFINE_APPEND(pair, TnPairDef, pairs)
DEFINE_APPEND(exclude, TnExcludeDef, excludes)
DEFINE_APPEND(sensor, TnSensorDef, sensors)
DEFINE_APPEND(key, TnKeyDef, keys)
DEFINE_APPEND(mesh, TnMeshDef, meshes)
DEFINE_APPEND(camera, TnCameraDef, cameras)
DEFINE_APPEND(texture, TnTextureDef, textures)
DEFINE_APPEND(material, TnMaterialDef, materials)
DEFINE_APPEND(light, TnLightDef, lights)
DEFINE_APPEND(rod, TnRodEntry, rods)
DEFINE_APPEND(wheel, TnWheelDef, wheels)
DEFINE_APPEND(soft, TnSoftEntry, softs)
DEFINE_APPEND(tie, TnTieDef, ties)

/* ---- public ---- */

TnModelBuilder *tn_builder_create(void)
{
    TnModelBuilder *builder = tn_calloc(1, sizeof *builder);
    if (!builder) return NULL;
    builder->name = "";
    builder->option = tn_option();
    TnBodyDef world = tn_body_def();
    world.name = "world";
    world.parent = 0;
    if (!tn_builder_add_body(builder, &world)) {
        tn_builder_destroy(builder);
        return NULL;
    }
    return builder;
}

void tn_builder_destroy(TnModelBuilder *builder)
{
    if (!builder) return;
    while (builder->store) {
        TnStoreBlock *next = builder->store->next;
        tn_free(builder->store);
        builder->store = next;
    }
    tn_free(builder->bodies);
    tn_free(builder->joints);
    tn_free(builder->geoms);
    tn_free(builder->sites);
    tn_free(builder->tendons);
    tn_free(builder->actuators);
    tn_free(builder->equalities);
    tn_free(builder->pairs);
    tn_free(builder->excludes);
    tn_free(builder->sensors);
    tn_free(builder->keys);
    tn_free(builder->meshes);
    tn_free(builder->cameras);
    tn_free(builder->textures);
    tn_free(builder->materials);
    tn_free(builder->lights);
    tn_free(builder->rods);
    tn_free(builder->wheels);
    tn_free(builder->softs);
    tn_free(builder->ties);
    tn_free(builder);
}

void tn_builder_set_name(TnModelBuilder *builder, const char *name)
{
    if (builder) builder->name = store_string(builder, name);
}

void tn_builder_set_option(TnModelBuilder *builder, const TnOption *option, TnSource source)
{
    if (!builder) return;
    builder->option = *option;
    builder->option_source = store_source(builder, source);
}

TnBodyId tn_builder_add_body(TnModelBuilder *builder, const TnBodyDef *def)
{
    TnBodyDef *copy = append_body(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->source = store_source(builder, def->source);
    return builder->body_count;
}

TnJointId tn_builder_add_joint(TnModelBuilder *builder, const TnJointDef *def)
{
    TnJointDef *copy = append_joint(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->source = store_source(builder, def->source);
    return builder->joint_count;
}

TnGeomId tn_builder_add_geom(TnModelBuilder *builder, const TnGeomDef *def)
{
    TnGeomDef *copy = append_geom(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->source = store_source(builder, def->source);
    return builder->geom_count;
}

TnSiteId tn_builder_add_site(TnModelBuilder *builder, const TnSiteDef *def)
{
    TnSiteDef *copy = append_site(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->source = store_source(builder, def->source);
    return builder->site_count;
}

TnTendonId tn_builder_add_tendon(TnModelBuilder *builder, const TnTendonDef *def)
{
    TnTendonDef *copy = append_tendon(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->source = store_source(builder, def->source);
    copy->joint_count = def->joints && def->joint_count > 0 ? def->joint_count : 0;
    size_t bytes = (size_t)copy->joint_count * sizeof *def->joints;
    copy->joints = store_bytes(builder, def->joints, bytes);
    copy->point_count = def->points && def->point_count > 0 ? def->point_count : 0;
    bytes = (size_t)copy->point_count * sizeof *def->points;
    copy->points = store_bytes(builder, def->points, bytes);
    return builder->tendon_count;
}

TnActuatorId tn_builder_add_actuator(TnModelBuilder *builder, const TnActuatorDef *def)
{
    TnActuatorDef *copy = append_actuator(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->source = store_source(builder, def->source);
    return builder->actuator_count;
}

TnEqualityId tn_builder_add_equality(TnModelBuilder *builder, const TnEqualityDef *def)
{
    TnEqualityDef *copy = append_equality(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->source = store_source(builder, def->source);
    return builder->equality_count;
}

void tn_builder_add_pair(TnModelBuilder *builder, const TnPairDef *def)
{
    TnPairDef *copy = append_pair(builder, def);
    if (copy) copy->source = store_source(builder, def->source);
}

void tn_builder_add_exclude(TnModelBuilder *builder, TnBodyId body1, TnBodyId body2,
                            TnSource source)
{
    TnExcludeDef def = {.body1 = body1, .body2 = body2};
    TnExcludeDef *copy = append_exclude(builder, &def);
    if (copy) copy->source = store_source(builder, source);
}

TnSensorId tn_builder_add_sensor(TnModelBuilder *builder, const TnSensorDef *def)
{
    TnSensorDef *copy = append_sensor(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->source = store_source(builder, def->source);
    return builder->sensor_count;
}

/* The counts stay as given, so that compile can tell a wrong length; a count without numbers is no
 * numbers. */
TnKeyId tn_builder_add_key(TnModelBuilder *builder, const TnKeyDef *def)
{
    TnKeyDef *copy = append_key(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->source = store_source(builder, def->source);
    copy->qpos_count = def->qpos && def->qpos_count > 0 ? def->qpos_count : 0;
    copy->qvel_count = def->qvel && def->qvel_count > 0 ? def->qvel_count : 0;
    copy->ctrl_count = def->ctrl && def->ctrl_count > 0 ? def->ctrl_count : 0;
    copy->act_count = def->act && def->act_count > 0 ? def->act_count : 0;
    copy->qpos = store_numbers(builder, def->qpos, (size_t)copy->qpos_count);
    copy->qvel = store_numbers(builder, def->qvel, (size_t)copy->qvel_count);
    copy->ctrl = store_numbers(builder, def->ctrl, (size_t)copy->ctrl_count);
    copy->act = store_numbers(builder, def->act, (size_t)copy->act_count);
    copy->mocap_pos_count = def->mocap_pos && def->mocap_pos_count > 0 ? def->mocap_pos_count : 0;
    copy->mocap_quat_count =
        def->mocap_quat && def->mocap_quat_count > 0 ? def->mocap_quat_count : 0;
    copy->mocap_pos = store_numbers(builder, def->mocap_pos, (size_t)copy->mocap_pos_count);
    copy->mocap_quat = store_numbers(builder, def->mocap_quat, (size_t)copy->mocap_quat_count);
    return builder->key_count;
}

TnMeshId tn_builder_add_mesh(TnModelBuilder *builder, const TnMeshDef *def)
{
    TnMeshDef *copy = append_mesh(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->file = store_string(builder, def->file);
    copy->source = store_source(builder, def->source);
    copy->vertex_count = def->vertices && def->vertex_count > 0 ? def->vertex_count : 0;
    copy->triangle_count = def->triangles && def->triangle_count > 0 ? def->triangle_count : 0;
    copy->vertices = store_numbers(builder, def->vertices, 3 * (size_t)copy->vertex_count);
    size_t bytes = 3 * (size_t)copy->triangle_count * sizeof *def->triangles;
    copy->triangles = store_bytes(builder, def->triangles, bytes);
    copy->texcoords = store_bytes(builder, def->texcoords,
                                  6 * (size_t)copy->triangle_count * sizeof *def->texcoords);
    return builder->mesh_count;
}

TnTextureId tn_builder_add_texture(TnModelBuilder *builder, const TnTextureDef *def)
{
    TnTextureDef *copy = append_texture(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->source = store_source(builder, def->source);
    copy->layout[sizeof copy->layout - 1] = 0;
    for (int i = 0; i < TN_TEXTURE_FACES; i++) {
        TnPicture *picture = &copy->pictures[i];
        picture->data = store_bytes(builder, picture->data, picture->size);
        if (!picture->data) picture->size = 0;
        picture->file = store_string(builder, picture->file);
    }
    return builder->texture_count;
}

TnMaterialId tn_builder_add_material(TnModelBuilder *builder, const TnMaterialDef *def)
{
    TnMaterialDef *copy = append_material(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->source = store_source(builder, def->source);
    return builder->material_count;
}

TnLightId tn_builder_add_light(TnModelBuilder *builder, const TnLightDef *def)
{
    TnLightDef *copy = append_light(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->source = store_source(builder, def->source);
    return builder->light_count;
}

TnCameraId tn_builder_add_camera(TnModelBuilder *builder, const TnCameraDef *def)
{
    TnCameraDef *copy = append_camera(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->source = store_source(builder, def->source);
    return builder->camera_count;
}

TnRodId tn_builder_add_rod(TnModelBuilder *builder, const TnRodDef *def)
{
    if (!builder || !def) return 0;
    const TnRodEntry entry = {.def = *def};
    TnRodEntry *copy = append_rod(builder, &entry);
    if (!copy) return 0;
    tn_rod_add_segments(builder, def, &copy->parts);
    copy->def.name = store_string(builder, def->name);
    copy->def.source = store_source(builder, def->source);
    size_t points = def->segment_count > 0 ? (size_t)def->segment_count + 1 : 0;
    copy->def.points = store_numbers(builder, def->points, 3 * points);
    copy->def.body_names = copy->def.geom_names = NULL; /* the segments have them */
    return builder->rod_count;
}

TnWheelId tn_builder_add_wheel(TnModelBuilder *builder, const TnWheelDef *def)
{
    TnWheelDef *copy = append_wheel(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->source = store_source(builder, def->source);
    return builder->wheel_count;
}

/* Its surface: a geom of the world that has no shape of its own. */
static TnGeomId add_soft_geom(TnModelBuilder *builder, const TnSoftDef *def)
{
    TnGeomDef geom = tn_geom_def();
    geom.name = def->name;
    geom.type = TN_GEOM_SOFT;
    geom.mass = 0.0;
    geom.contact_type = def->contact_type;
    geom.contact_affinity = def->contact_affinity;
    geom.contact_dim = def->contact_dim;
    geom.priority = def->priority;
    memcpy(geom.friction, def->friction, sizeof geom.friction);
    geom.restitution = def->restitution;
    geom.margin = def->margin;
    geom.group = def->group;
    memcpy(geom.rgba, def->rgba, sizeof geom.rgba);
    geom.source = def->source;
    return tn_builder_add_geom(builder, &geom);
}

TnSoftId tn_builder_add_soft(TnModelBuilder *builder, const TnSoftDef *def)
{
    if (!builder || !def) return 0;
    const TnSoftEntry entry = {.def = *def};
    TnSoftEntry *copy = append_soft(builder, &entry);
    if (!copy) return 0;
    copy->geom = add_soft_geom(builder, def);
    TnSoftDef *own = &copy->def;
    own->name = store_string(builder, def->name);
    own->source = store_source(builder, def->source);
    size_t nodes = def->mesh.node_count > 0 ? (size_t)def->mesh.node_count : 0,
           tets = def->mesh.tet_count > 0 ? (size_t)def->mesh.tet_count : 0;
    own->mesh.nodes = store_numbers(builder, def->mesh.nodes, 3 * nodes);
    own->mesh.tets = store_bytes(builder, def->mesh.tets, 4 * tets * sizeof *def->mesh.tets);
    own->hold_count = def->holds && def->hold_count > 0 ? def->hold_count : 0;
    own->holds = store_bytes(builder, def->holds, (size_t)own->hold_count * sizeof *def->holds);
    return builder->soft_count;
}

TnTieId tn_builder_add_tie(TnModelBuilder *builder, const TnTieDef *def)
{
    TnTieDef *copy = append_tie(builder, def);
    if (!copy) return 0;
    copy->name = store_string(builder, def->name);
    copy->source = store_source(builder, def->source);
    return builder->tie_count;
}

TnRodParts tn_builder_rod_parts(const TnModelBuilder *builder, TnRodId id)
{
    if (!builder || id < 1 || id > builder->rod_count) return (TnRodParts){0};
    return builder->rods[id - 1].parts;
}

void tn_builder_set_view(TnModelBuilder *builder, const TnView *view)
{
    if (builder) builder->view = *view;
}

/* The rows are as long as there are actuators now; compile refuses a track that was set before the
 * last of them. */
void tn_builder_set_track(TnModelBuilder *builder, const TnTrackDef *def)
{
    if (!builder) return;
    size_t rows = def->row_count > 0 && def->times ? (size_t)def->row_count : 0;
    builder->has_track = true;
    builder->track = *def;
    builder->track.source = store_source(builder, def->source);
    builder->track.row_count = (int)rows;
    builder->track_actuator_count = builder->actuator_count;
    builder->track.times = store_numbers(builder, def->times, rows);
    builder->track.ctrl = store_numbers(builder, def->ctrl, rows * (size_t)builder->actuator_count);
}
