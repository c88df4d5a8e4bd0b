/* base_pack.c: a base (part.h) as one block of bytes, for a process that does not have the whole.
 *
 * The block has the two structs and behind them every array that they point to, in one order.
 * Unpacking walks over the arrays in that order and points to them where they are, so nothing
 * is copied. Names are left out: a rank without the whole model reports none. */
#include <string.h>

#include "../../base/base.h"
#include "../../base/carve.h"
#include "../names.h"
#include "part.h"

typedef struct Walk {
    TnCarver block;
    bool unpacks;
} Walk;

/* An array that is packed from there, or is to be found here. */
static const void *walk(Walk *w, const void *array, size_t bytes)
{
    void *here = tn_carve(&w->block, bytes);
    TN_ASSERT(array || !bytes || w->unpacks);
    if (w->unpacks) return here;
    if (here && array && bytes) memcpy(here, array, bytes);
    return array;
}

/* NULL stays so where `there` is false. */
#define ARRAY(pointer, count)                                                                      \
    (pointer) = (void *)walk(w, (pointer), sizeof *(pointer) * (size_t)(count))
#define ARRAY_IF(there, pointer, count)                                                            \
    do {                                                                                           \
        if (there) ARRAY(pointer, count);                                                          \
    } while (0)

/* ---- what has arrays of its own ---- */

/* Structs that have pointers are copied when they are packed, so that packing changes none of
 * the model's. */
#define EACH(list, count, walk_one, type)                                                          \
    do {                                                                                           \
        ARRAY(list, count);                                                                        \
        for (int i_ = 0; i_ < (count); i_++) {                                                     \
            type one_ = (list)[i_];                                                                \
            walk_one(w, &one_);                                                                    \
            if (w->unpacks) (list)[i_] = one_;                                                     \
        }                                                                                          \
    } while (0)

static void walk_hull(Walk *w, TnHull *hull)
{
    if (!hull->vertices) return;
    ARRAY(hull->vertices, 3 * hull->vertex_count);
    ARRAY(hull->normals, 3 * hull->face_count);
    ARRAY(hull->edge_start, hull->vertex_count + 1);
    ARRAY(hull->edges, hull->edge_start[hull->vertex_count]);
    ARRAY(hull->face_start, hull->vertex_count + 1);
    ARRAY(hull->faces, hull->face_start[hull->vertex_count]);
    ARRAY(hull->starts, TN_HULL_STARTS);
}

static void walk_mesh(Walk *w, TnMesh *mesh)
{
    bool one = mesh->triangles == mesh->hull_triangles;
    ARRAY(mesh->vertices, 3 * mesh->vertex_count);
    ARRAY(mesh->hull_triangles, 3 * mesh->hull_triangle_count);
    if (one)
        mesh->triangles = mesh->hull_triangles;
    else
        ARRAY(mesh->triangles, 3 * mesh->triangle_count);
    walk_hull(w, &mesh->hull);
    EACH(mesh->pieces, mesh->piece_count, walk_hull, TnHull);
}

static void walk_soft(Walk *w, TnSoft *soft)
{
    ARRAY(soft->rest, 3 * soft->node_count);
    ARRAY(soft->tets, 4 * soft->tet_count);
    ARRAY_IF(soft->across, soft->across, 3 * soft->tet_count);
    ARRAY(soft->masses, soft->node_count);
    ARRAY_IF(soft->patches, soft->patches, soft->tet_count);
    ARRAY(soft->triangles, 3 * soft->triangle_count);
    ARRAY(soft->triangle_tets, soft->triangle_count);
    ARRAY(soft->surface_nodes, soft->surface_node_count);
    ARRAY(soft->pinned, soft->node_count);
    ARRAY(soft->holds, soft->hold_count);
}

static void walk_path(Walk *w, TnPath *path)
{
    ARRAY(path->links, path->link_count);
    ARRAY(path->moments, path->moment_count);
    ARRAY(path->points, path->point_count);
}

static void walk_actuator(Walk *w, TnActuator *a)
{
    ARRAY(a->moments, a->moment_count);
    ARRAY_IF(a->muscles, a->muscles, 1);
}

/* ---- the model ---- */

static int drag_count(const TnModel *m)
{
    int count = 0;
    for (int l = 0; m->drags && l < m->link_count; l++)
        if (m->links[l].drag_start + m->links[l].drag_count > count)
            count = m->links[l].drag_start + m->links[l].drag_count;
    return count;
}

static void walk_tendon(Walk *w, TnTendon *tendon) { ARRAY(tendon->moments, tendon->moment_count); }

static void walk_rod(Walk *w, TnRod *rod)
{
    ARRAY(rod->joints, rod->segment_count - 1);
    ARRAY(rod->lengths, rod->segment_count);
}

static void walk_model(Walk *w, TnModel *m)
{
    ARRAY(m->bodies, m->body_count);
    ARRAY(m->body_masses, m->body_count);
    ARRAY(m->links, m->link_count);
    ARRAY_IF(m->drags, m->drags, drag_count(m));
    ARRAY(m->joints, m->joint_count);
    ARRAY(m->geoms, m->geom_count);
    ARRAY(m->geom_link, m->geom_count);
    ARRAY(m->link_subsystem, m->link_count);
    ARRAY(m->sites, m->site_count);
    EACH(m->tendons, m->tendon_count, walk_tendon, TnTendon);
    EACH(m->actuators, m->actuator_count, walk_actuator, TnActuator);
    ARRAY(m->actuator_first, m->subsystem_count);
    ARRAY(m->actuator_next, m->actuator_count);
    ARRAY(m->tendon_first, m->subsystem_count);
    ARRAY(m->tendon_next, m->tendon_count);
    EACH(m->paths, m->path_count, walk_path, TnPath);
    ARRAY(m->equalities, m->equality_count);
    ARRAY(m->pairs, m->pair_count);
    ARRAY(m->excludes, m->exclude_count);
    EACH(m->meshes, m->mesh_count, walk_mesh, TnMesh);
    ARRAY(m->wheels, m->wheel_count);
    ARRAY(m->subsystems, m->subsystem_count);
    EACH(m->rods, m->rod_count, walk_rod, TnRod);
    EACH(m->softs, m->soft_count, walk_soft, TnSoft);
    ARRAY(m->ties, m->tie_count);
    ARRAY(m->qpos0, m->qpos_count);
    ARRAY(m->mocap0, 7 * m->mocap_count);
    ARRAY(m->dof_joint, m->dof_count);
    ARRAY(m->dof_parent, m->dof_count);
    ARRAY(m->dof_couple, m->dof_count);
    ARRAY(m->track_times, m->track_count);
    ARRAY(m->track_ctrl, (size_t)m->track_count * (size_t)m->actuator_count);
}

static void walk_base(Walk *w, TnBase *base, TnModel *m)
{
    ARRAY(base->subsystem, m->subsystem_count);
    ARRAY(base->body, m->body_count);
    ARRAY(base->geom, m->geom_count);
    ARRAY(base->pairs, base->pair_count);
    ARRAY(base->excludes, base->exclude_count);
    walk_model(w, m);
}

/* ---- names that are left out ---- */

static int most_of_a_kind(const TnModel *m)
{
    const int counts[] = {m->body_count,   m->joint_count,    m->geom_count,     m->site_count,
                          m->tendon_count, m->actuator_count, m->equality_count, m->mesh_count,
                          m->rod_count,    m->soft_count,     m->wheel_count,    m->tie_count};
    int most = 0;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (counts[i] > most) most = counts[i];
    return most;
}

/* One list for all kinds. False: no memory. */
static bool make_names(TnModel *m, void **memory)
{
    size_t count = (size_t)most_of_a_kind(m), joints = (size_t)m->joint_count;
    size_t names = sizeof(char *) * (count + 1), numbers = sizeof(int) * (2 * joints + 1);
    char *block = tn_calloc(1, sizeof(TnModelLookup) + names + numbers);
    if (!block) return false;
    TnModelLookup *lookup = (TnModelLookup *)block;
    const char **none = (const char **)(lookup + 1);
    int *slot = (int *)(none + count + 1); /* one, which is free */
    for (size_t i = 0; i <= count; i++) none[i] = "";
    for (int k = 0; k < TN_NAME_KIND_COUNT; k++)
        lookup->names[k] = (TnNameTable){.names = none, .slots = slot};
    m->body_names = m->joint_names = m->geom_names = m->site_names = m->tendon_names =
        m->actuator_names = m->sensor_names = m->key_names = m->equality_names = m->mesh_names =
            m->camera_names = m->rod_names = m->soft_names = none;
    m->name = "";
    lookup->joint_index = slot + 1;
    lookup->joint_id = slot + 1 + joints;
    for (size_t j = 0; j < joints; j++) lookup->joint_id[j] = (lookup->joint_index[j] = (int)j) + 1;
    m->lookup = lookup;
    *memory = block;
    return true;
}

/* ---- together ---- */

typedef struct Head {
    TnBase base;
    TnModel model;
} Head;

void *tn_base_pack(const TnBase *base, size_t *bytes)
{
    Head head = {*base, *base->model};
    Walk measure = {0};
    tn_carve(&measure.block, sizeof head);
    walk_base(&measure, &head.base, &head.model);
    *bytes = measure.block.used;
    Walk w = {.block.base = tn_aligned_alloc(*bytes)};
    if (!w.block.base) return NULL;
    memset(w.block.base, 0, *bytes);
    memcpy(tn_carve(&w.block, sizeof head), &head, sizeof head);
    walk_base(&w, &head.base, &head.model);
    return w.block.base;
}

bool tn_base_unpack(void *bytes, TnBase *out)
{
    Walk w = {.block.base = bytes, .unpacks = true};
    Head *head = tn_carve(&w.block, sizeof *head);
    *out = (TnBase){0};
    if (!make_names(&head->model, &head->base.memory)) return false;
    walk_base(&w, &head->base, &head->model);
    head->model.keys = NULL;
    head->model.sensors = NULL;
    head->model.cameras = NULL;
    head->model.texture_count = head->model.material_count = head->model.light_count = 0;
    head->model.muscles = NULL; /* the ranks that have some find them */
    head->model.moments = NULL;
    head->model.path_points = NULL;
    head->model.path_links = NULL;
    head->model.memory = bytes;
    *out = head->base;
    out->model = &head->model;
    return true;
}
