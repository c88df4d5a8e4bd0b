/* layout.c: the model's one block of memory, and the names in it.
 *
 * All sizes follow from the definitions, so lay_out runs twice: first to measure, then to place the
 * arrays. Each array starts on its own cache line. */
#include "builder.h"

#include <stddef.h>
#include <string.h>

/* ---- the definitions that have names, seen alike ---- */

typedef struct NamedDefs {
    const char *kind;
    const void *defs;
    int count;
    size_t stride, name_at, source_at;
} NamedDefs;

#define NAMED(KIND, ARRAY, COUNT, TYPE)                                                            \
    {                                                                                              \
        KIND, b->ARRAY, b->COUNT, sizeof(TYPE), offsetof(TYPE, name), offsetof(TYPE, source)       \
    }

static NamedDefs named_defs(const TnModelBuilder *b, TnNameKind kind)
{
    const NamedDefs all[TN_NAME_KIND_COUNT] = {
        [TN_NAME_BODY] = NAMED("body", bodies, body_count, TnBodyDef),
        [TN_NAME_JOINT] = NAMED("joint", joints, joint_count, TnJointDef),
        [TN_NAME_GEOM] = NAMED("geom", geoms, geom_count, TnGeomDef),
        [TN_NAME_SITE] = NAMED("site", sites, site_count, TnSiteDef),
        [TN_NAME_TENDON] = NAMED("tendon", tendons, tendon_count, TnTendonDef),
        [TN_NAME_ACTUATOR] = NAMED("actuator", actuators, actuator_count, TnActuatorDef),
        [TN_NAME_EQUALITY] = NAMED("equality", equalities, equality_count, TnEqualityDef),
        [TN_NAME_SENSOR] = NAMED("sensor", sensors, sensor_count, TnSensorDef),
        [TN_NAME_KEY] = NAMED("key", keys, key_count, TnKeyDef),
        [TN_NAME_MESH] = NAMED("mesh", meshes, mesh_count, TnMeshDef),
        [TN_NAME_CAMERA] = NAMED("camera", cameras, camera_count, TnCameraDef),
        [TN_NAME_ROD] = {"rod", b->rods, b->rod_count, sizeof(TnRodEntry),
                         offsetof(TnRodEntry, def.name), offsetof(TnRodEntry, def.source)},
        [TN_NAME_WHEEL] = NAMED("wheel", wheels, wheel_count, TnWheelDef),
        [TN_NAME_SOFT] = {"soft body", b->softs, b->soft_count, sizeof(TnSoftEntry),
                          offsetof(TnSoftEntry, def.name), offsetof(TnSoftEntry, def.source)},
        [TN_NAME_TIE] = NAMED("tie", ties, tie_count, TnTieDef),
        [TN_NAME_TEXTURE] = NAMED("texture", textures, texture_count, TnTextureDef),
        [TN_NAME_MATERIAL] = NAMED("material", materials, material_count, TnMaterialDef),
        [TN_NAME_LIGHT] = NAMED("light", lights, light_count, TnLightDef),
    };
    return all[kind];
}

static const char *name_of(const NamedDefs *d, int i)
{
    const char *name;
    memcpy(&name, (const char *)d->defs + (size_t)i * d->stride + d->name_at, sizeof name);
    return name;
}

static TnSource source_of(const NamedDefs *d, int i)
{
    TnSource source;
    memcpy(&source, (const char *)d->defs + (size_t)i * d->stride + d->source_at, sizeof source);
    return source;
}

/* ---- memory ---- */

typedef struct Block {
    char *base; /* NULL: only measure */
    size_t used;
} Block;

static void *place(Block *block, size_t count, size_t size)
{
    block->used = (block->used + 63) / 64 * 64;
    void *p = block->base ? block->base + block->used : NULL;
    block->used += count * size;
    return p;
}
#define PLACE(TYPE, COUNT) ((TYPE *)place(block, (size_t)(COUNT), sizeof(TYPE)))

static void lay_out_names(Block *block, TnCompile *c)
{
    const char **names[TN_NAME_KIND_COUNT];
    TnNameTable tables[TN_NAME_KIND_COUNT];
    memset(tables, 0, sizeof tables); /* their padding, too: two models of one file are equal */
    for (int k = 0; k < TN_NAME_KIND_COUNT; k++) {
        int count = named_defs(c->builder, (TnNameKind)k).count;
        size_t slots = tn_name_slot_count(count);
        names[k] = PLACE(const char *, count);
        tables[k].names = names[k];
        tables[k].slots = PLACE(int32_t, slots);
        tables[k].mask = (uint32_t)(slots - 1);
    }
    int joint_count = c->builder->joint_count;
    const char **joint_names = PLACE(const char *, joint_count);
    int *joint_index = PLACE(int, joint_count), *joint_id = PLACE(int, joint_count);
    c->lookup = PLACE(TnModelLookup, 1);
    if (!block->base) return;

    memcpy(c->lookup->names, tables, sizeof tables);
    c->lookup->joint_index = joint_index;
    c->lookup->joint_id = joint_id;
    TnModel *m = c->model;
    m->lookup = c->lookup;
    m->body_names = names[TN_NAME_BODY];
    m->joint_names = joint_names; /* by index; the table's are by id */
    m->geom_names = names[TN_NAME_GEOM];
    m->site_names = names[TN_NAME_SITE];
    m->tendon_names = names[TN_NAME_TENDON];
    m->actuator_names = names[TN_NAME_ACTUATOR];
    m->equality_names = names[TN_NAME_EQUALITY];
    m->sensor_names = names[TN_NAME_SENSOR];
    m->key_names = names[TN_NAME_KEY];
    m->mesh_names = names[TN_NAME_MESH];
    m->camera_names = names[TN_NAME_CAMERA];
    m->rod_names = names[TN_NAME_ROD];
    m->soft_names = names[TN_NAME_SOFT];
}

static TnHull lay_out_hull(Block *block, const TnHull *from)
{
    int n = from->vertex_count;
    TnHull hull = {.vertex_count = n, .face_count = from->face_count};
    hull.vertices = PLACE(double, 3 * (size_t)n);
    hull.normals = PLACE(double, 3 * (size_t)from->face_count);
    hull.edge_start = PLACE(int32_t, n + 1);
    hull.edges = PLACE(int32_t, from->edge_start[n]);
    hull.face_start = PLACE(int32_t, n + 1);
    hull.faces = PLACE(int32_t, from->face_start[n]);
    hull.starts = PLACE(int32_t, TN_HULL_STARTS);
    return hull;
}

static void lay_out_meshes(Block *block, const TnCompile *c, TnModel *m)
{
    m->meshes = PLACE(TnMesh, m->mesh_count);
    for (int i = 0; i < m->mesh_count; i++) {
        const TnMeshDef *def = &c->builder->meshes[i];
        const TnHullTriangles *triangles = &c->meshes[i].triangles;
        const TnHull *hull = &c->meshes[i].hull;
        int n = hull->vertex_count;
        if (n == 0 && !c->meshes[i].flat) continue; /* refused */
        TnMesh mesh = {.vertex_count = def->vertex_count,
                       .triangle_count = def->triangle_count,
                       .hull_triangle_count = triangles->count};
        mesh.vertices = PLACE(double, 3 * (size_t)def->vertex_count);
        mesh.triangles = PLACE(int32_t, 3 * (size_t)def->triangle_count);
        mesh.hull_triangles = PLACE(int32_t, 3 * (size_t)triangles->count);
        if (def->texcoords) mesh.texcoords = PLACE(float, 6 * (size_t)def->triangle_count);
        if (def->triangle_count == 0) {
            mesh.triangles = mesh.hull_triangles;
            mesh.triangle_count = triangles->count;
        }
        if (n > 0) mesh.hull = lay_out_hull(block, hull);
        mesh.piece_count = c->meshes[i].piece_count;
        mesh.pieces = PLACE(TnHull, mesh.piece_count);
        for (int k = 0; k < mesh.piece_count; k++) {
            TnHull piece = lay_out_hull(block, &c->meshes[i].pieces[k]);
            if (block->base) mesh.pieces[k] = piece;
        }
        if (block->base) m->meshes[i] = mesh;
    }
}

static void lay_out_rods(Block *block, const TnCompile *c, TnModel *m)
{
    m->rods = PLACE(TnRod, m->rod_count);
    for (int i = 0; i < m->rod_count; i++) {
        int n = c->builder->rods[i].def.segment_count;
        if (n < 2) continue; /* refused */
        TnRodJoint *joints = PLACE(TnRodJoint, n - 1);
        double *lengths = PLACE(double, n);
        if (block->base) m->rods[i] = (TnRod){.joints = joints, .lengths = lengths};
    }
}

static void lay_out_softs(Block *block, const TnCompile *c, TnModel *m)
{
    m->softs = PLACE(TnSoft, m->soft_count);
    for (int i = 0; i < m->soft_count; i++) {
        const TnSoftDef *def = &c->builder->softs[i].def;
        const TnSoftScratch *scratch = &c->softs[i];
        if (!scratch->good) continue; /* refused */
        size_t nodes = (size_t)def->mesh.node_count, tets = (size_t)def->mesh.tet_count,
               triangles = (size_t)scratch->surface.triangle_count;
        TnSoft soft = {.node_count = def->mesh.node_count,
                       .tet_count = def->mesh.tet_count,
                       .patch_count = scratch->patch_count,
                       .triangle_count = scratch->surface.triangle_count,
                       .surface_node_count = scratch->surface_node_count};
        soft.rest = PLACE(double, 3 * nodes);
        soft.tets = PLACE(int32_t, 4 * tets);
        soft.across = scratch->across ? PLACE(int32_t, 3 * tets) : NULL;
        soft.masses = PLACE(double, nodes);
        soft.patches = scratch->patches ? PLACE(int32_t, tets) : NULL;
        soft.triangles = PLACE(int32_t, 3 * triangles);
        soft.triangle_tets = PLACE(int32_t, triangles);
        soft.surface_nodes = PLACE(int32_t, scratch->surface_node_count);
        soft.pinned = PLACE(bool, nodes);
        soft.holds = PLACE(TnSoftHold, def->hold_count);
        if (block->base) m->softs[i] = soft;
    }
}

static void lay_out_looks(Block *block, const TnCompile *c, TnModel *m)
{
    m->textures = PLACE(TnTextureDef, m->texture_count);
    m->materials = PLACE(TnMaterialDef, m->material_count);
    m->lights = PLACE(TnLightDef, m->light_count);
    for (int i = 0; i < m->texture_count; i++)
        for (int face = 0; face < TN_TEXTURE_FACES; face++) {
            char *data = PLACE(char, c->builder->textures[i].pictures[face].size);
            if (block->base) m->textures[i].pictures[face].data = data;
        }
}

static size_t moment_count(const TnModelBuilder *b)
{
    size_t count = (size_t)b->actuator_count;
    for (int i = 0; i < b->tendon_count; i++) count += (size_t)b->tendons[i].joint_count;
    return count;
}

static size_t point_count(const TnModelBuilder *b)
{
    size_t count = 0;
    for (int i = 0; i < b->tendon_count; i++) count += (size_t)b->tendons[i].point_count;
    return count;
}

static bool is_muscle(const TnActuatorDef *def) { return def->muscle_gain || def->muscle_bias; }

static size_t muscle_count(const TnModelBuilder *b)
{
    size_t count = 0;
    for (int i = 0; i < b->actuator_count; i++) count += is_muscle(&b->actuators[i]);
    return count;
}

static void lay_out(Block *block, TnCompile *c, TnModel *m)
{
    size_t key_length = (size_t)m->qpos_count + (size_t)m->dof_count + (size_t)m->actuator_count +
                        (size_t)m->act_count + 7 * (size_t)m->mocap_count;
    size_t key_numbers = (size_t)m->key_count * key_length;
    size_t track_numbers = (size_t)m->track_count * (size_t)m->actuator_count;
    m->bodies = PLACE(TnBody, m->body_count);
    m->body_masses = PLACE(TnBodyMass, m->body_count);
    int drags = tn_drag_room(c->builder);
    if (drags) m->drags = PLACE(TnDrag, drags);
    m->links = PLACE(TnLink, m->link_count);
    m->link_subsystem = PLACE(int, m->link_count);
    m->joints = PLACE(TnJoint, m->joint_count);
    m->geoms = PLACE(TnGeom, m->geom_count);
    m->geom_link = PLACE(int, m->geom_count);
    m->sites = PLACE(TnSite, m->site_count);
    m->tendons = PLACE(TnTendon, m->tendon_count);
    m->actuators = PLACE(TnActuator, m->actuator_count);
    m->actuator_first = PLACE(int, m->link_count + m->soft_count);
    m->actuator_next = PLACE(int, m->actuator_count);
    m->tendon_first = PLACE(int, m->link_count + m->soft_count);
    m->tendon_next = PLACE(int, m->tendon_count);
    m->muscles = c->muscles = PLACE(TnMuscles, muscle_count(c->builder));
    m->moments = c->moments = PLACE(TnMoment, moment_count(c->builder));
    m->paths = PLACE(TnPath, m->tendon_count + m->actuator_count);
    m->path_points = c->path_points = PLACE(TnPathPoint, point_count(c->builder));
    /* at most one per joint or point of a tendon, two per actuator */
    m->path_links = c->path_links =
        PLACE(int, moment_count(c->builder) + point_count(c->builder) + (size_t)m->actuator_count);
    m->equalities = PLACE(TnEquality, m->equality_count);
    m->pairs = PLACE(TnPair, m->pair_count);
    m->excludes = PLACE(TnExclude, m->exclude_count);
    m->sensors = PLACE(TnSensor, m->sensor_count);
    m->keys = PLACE(TnKey, m->key_count);
    m->cameras = PLACE(TnCamera, m->camera_count);
    m->wheels = PLACE(TnWheel, m->wheel_count);
    m->ties = PLACE(TnTie, m->tie_count);
    /* at most one per link, and the soft bodies */
    m->subsystems = PLACE(TnSubsystem, m->link_count + m->soft_count);
    m->qpos0 = PLACE(double, m->qpos_count);
    m->mocap0 = PLACE(double, 7 * (size_t)m->mocap_count);
    m->dof_joint = PLACE(int, m->dof_count);
    m->dof_parent = PLACE(int, m->dof_count);
    m->dof_couple = PLACE(int, m->dof_count);
    m->track_times = PLACE(double, m->track_count);
    m->track_ctrl = PLACE(double, track_numbers);
    c->key_numbers = PLACE(double, key_numbers);
    c->text = PLACE(char, c->text_bytes);
    lay_out_meshes(block, c, m);
    lay_out_rods(block, c, m);
    lay_out_softs(block, c, m);
    lay_out_looks(block, c, m);
    lay_out_names(block, c);
}

/* Counts from the definitions alone; link_count is an upper bound until the links are ordered. */
static void measure(TnCompile *c, TnModel *m)
{
    const TnModelBuilder *b = c->builder;
    m->option = b->option;
    m->view = b->view;
    m->body_count = b->body_count;
    m->joint_count = b->joint_count;
    m->geom_count = b->geom_count;
    m->site_count = b->site_count;
    m->tendon_count = b->tendon_count;
    m->actuator_count = b->actuator_count;
    for (int i = 0; i < b->actuator_count; i++)
        m->act_count += tn_activation_count(b->actuators[i].activation, &b->actuators[i].pid);
    m->equality_count = b->equality_count;
    m->pair_count = b->pair_count;
    m->exclude_count = b->exclude_count;
    m->sensor_count = b->sensor_count;
    m->key_count = b->key_count;
    m->camera_count = b->camera_count;
    m->mesh_count = b->mesh_count;
    m->rod_count = b->rod_count;
    m->wheel_count = b->wheel_count;
    m->soft_count = b->soft_count;
    m->tie_count = b->tie_count;
    m->texture_count = b->texture_count;
    m->material_count = b->material_count;
    m->light_count = b->light_count;
    for (int i = 1; i < b->body_count; i++) m->mocap_count += b->bodies[i].mocap;
    m->link_count = 1 + m->mocap_count +
                    (b->joint_count < b->body_count - 1 ? b->joint_count : b->body_count - 1);
    m->track_count = b->has_track ? b->track.row_count : 0;
    m->track_loop_from = b->has_track ? b->track.loop_from : -1;
    for (int i = 0; i < b->joint_count; i++) {
        m->qpos_count += tn_joint_qpos_count(b->joints[i].type);
        m->dof_count += tn_joint_dof_count(b->joints[i].type);
    }
    for (int i = 0; i < b->soft_count; i++) {
        int nodes = b->softs[i].def.mesh.node_count;
        m->qpos_count += nodes > 0 ? 3 * nodes : 0;
        m->dof_count += nodes > 0 ? 3 * nodes : 0;
    }
    for (int i = 0; i < b->sensor_count; i++)
        m->sensor_data_count += tn_sensor_size(&b->sensors[i]);
    c->text_bytes = strlen(b->name) + 1;
    for (int k = 0; k < TN_NAME_KIND_COUNT; k++) {
        NamedDefs d = named_defs(b, (TnNameKind)k);
        for (int i = 0; i < d.count; i++) c->text_bytes += strlen(name_of(&d, i)) + 1;
    }
}

bool tn_layout(TnCompile *c)
{
    TnModel head = {0};
    measure(c, &head);
    Block measured = {.used = sizeof(TnModel)};
    lay_out(&measured, c, &head);

    void *memory =
        c->place ? c->place(c->place_context, measured.used) : tn_aligned_alloc(measured.used);
    c->bodies = tn_calloc((size_t)head.body_count, sizeof *c->bodies);
    if (!memory || !c->bodies) {
        if (!c->place) tn_free(memory);
        tn_free(c->bodies);
        c->bodies = NULL;
        return false;
    }
    memset(memory, 0, measured.used);
    c->model = memory;
    *c->model = head;
    c->model->memory = c->place ? NULL : memory;
    c->model->alive = TN_ALIVE;
    Block placed = {.base = memory, .used = sizeof(TnModel)};
    lay_out(&placed, c, c->model);
    return true;
}

/* ---- names ---- */

static const char *keep_text(TnCompile *c, const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = memcpy(c->text, text, bytes);
    c->text += bytes;
    return copy;
}

void tn_compile_names(TnCompile *c)
{
    c->model->name = keep_text(c, c->builder->name);
    for (int k = 0; k < TN_NAME_KIND_COUNT; k++) {
        NamedDefs d = named_defs(c->builder, (TnNameKind)k);
        TnNameTable *table = &c->lookup->names[k];
        for (int i = 0; i < d.count; i++) {
            table->names[i] = keep_text(c, name_of(&d, i));
            int first = tn_name_insert(table, i);
            if (first < 0) continue;
            TnElement element = {d.kind, table->names[i], i + 1, source_of(&d, i)};
            TnSource there = source_of(&d, first);
            if (there.file)
                tn_problem(c, &element, "this name is already taken by the %s at %s:%d:%d", d.kind,
                           there.file, there.line, there.column);
            else
                tn_problem(c, &element, "this name is already taken by %s %d", d.kind, first + 1);
        }
    }
}
