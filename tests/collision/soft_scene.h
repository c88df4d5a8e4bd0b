/* soft_scene.h: scenes with soft bodies for the collision tests: where nodes are and how they move
 * is set by hand. */
#ifndef TN_TESTS_COLLISION_SOFT_SCENE_H
#define TN_TESTS_COLLISION_SOFT_SCENE_H

#include "scene.h"

/* Of the whole model; nodes start at rest in their rest shape. */
typedef struct SoftScene {
    Scene rigid;
    double *qpos, *qvel;
} SoftScene;

static inline TnSoftDef soft_box_def(const double half[3], const int cells[3], double x, double y,
                                     double z)
{
    TnSoftDef def = tn_soft_def();
    TnError err = {0};
    CHECK(tn_tet_mesh_box(half, cells, 6, &def.mesh, &err));
    def.pos[0] = x, def.pos[1] = y, def.pos[2] = z;
    return def;
}

/* Frees the mesh. */
static inline TnSoftId add_soft(SoftScene *s, TnSoftDef *def)
{
    TnSoftId id = tn_builder_add_soft(s->rigid.builder, def);
    tn_tet_mesh_free(&def->mesh);
    return id;
}

static inline TnSoftId add_soft_box(SoftScene *s, const double half[3], const int cells[3],
                                    double x, double y, double z)
{
    TnSoftDef def = soft_box_def(half, cells, x, y, z);
    return add_soft(s, &def);
}

static inline void soft_scene_begin(SoftScene *s)
{
    memset(s, 0, sizeof *s);
    scene_begin(&s->rigid);
}

static inline bool soft_scene_end(SoftScene *s)
{
    if (!scene_end(&s->rigid)) return false;
    const TnModel *m = s->rigid.model;
    s->qpos = calloc((size_t)m->qpos_count + 1, sizeof s->qpos[0]);
    s->qvel = calloc((size_t)m->dof_count + 1, sizeof s->qvel[0]);
    memcpy(s->qpos, m->qpos0, sizeof s->qpos[0] * (size_t)m->qpos_count);
    return true;
}

static inline void soft_scene_free(SoftScene *s)
{
    scene_free(&s->rigid);
    free(s->qpos);
    free(s->qvel);
}

static inline double *soft_node(SoftScene *s, int soft, int node)
{
    return s->qpos + s->rigid.model->softs[soft].qpos_start + 3 * (size_t)node;
}

static inline double *soft_node_velocity(SoftScene *s, int soft, int node)
{
    return s->qvel + s->rigid.model->softs[soft].dof_start + 3 * (size_t)node;
}

static inline void move_soft(SoftScene *s, int soft, double x, double y, double z)
{
    for (int i = 0; i < s->rigid.model->softs[soft].node_count; i++) {
        double *p = soft_node(s, soft, i);
        p[0] += x, p[1] += y, p[2] += z;
    }
}

static inline TnMotionInput soft_motion(const SoftScene *s, double t, double slack)
{
    return (TnMotionInput){.frames = s->rigid.frames,
                           .twists = (const double(*)[6])s->rigid.twists,
                           .qpos = s->qpos,
                           .qvel = s->qvel,
                           .t = t,
                           .slack = slack};
}

static inline TnContactList soft_detect(SoftScene *s, double t, double slack, TnPool *pool)
{
    TnContactList list = {0};
    tn_arena_reset(&s->rigid.arena);
    TnMotionInput motion = soft_motion(s, t, slack);
    CHECK(tn_collision_detect(s->rigid.collider, &motion, &s->rigid.arena, pool, &list));
    return list;
}

/* Where a listed point of a surface is. */
static inline void soft_point_at(SoftScene *s, const TnContactList *list, int index, double x[3])
{
    const TnSoftPoint *p = &list->soft_points[index];
    x[0] = x[1] = x[2] = 0.0;
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < 3; k++) x[k] += p->weight[i] * soft_node(s, p->soft, p->node[i])[k];
}

#endif
