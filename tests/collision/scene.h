/* scene.h: models made by the builder and frames set by hand, for the collision tests. */
#ifndef TN_TESTS_COLLISION_SCENE_H
#define TN_TESTS_COLLISION_SCENE_H

#include "../../src/base/base.h"
#include "../../src/collision/collision.h"
#include "../check.h"
#include "shapes.h"

typedef struct Scene {
    TnModelBuilder *builder;
    TnModel *model;
    TnCollider *collider;
    TnLinkFrame *frames;
    double (*twists)[6];
    TnArena arena;
} Scene;

static inline TnBodyId add_free_body(Scene *s)
{
    TnBodyDef body = tn_body_def();
    TnJointDef joint = tn_joint_def();
    body.has_inertia = true; /* of no interest here */
    body.mass = body.inertia[0] = body.inertia[1] = body.inertia[2] = 1.0;
    joint.body = tn_builder_add_body(s->builder, &body);
    joint.type = TN_JOINT_FREE;
    tn_builder_add_joint(s->builder, &joint);
    return joint.body;
}

static inline TnBodyId add_hinged_body(Scene *s, TnBodyId parent)
{
    TnBodyDef body = tn_body_def();
    TnJointDef joint = tn_joint_def();
    body.parent = parent;
    joint.body = tn_builder_add_body(s->builder, &body);
    tn_builder_add_joint(s->builder, &joint);
    return joint.body;
}

static inline TnGeomDef geom_def(TnBodyId body, TnGeomType type, double x, double y, double z)
{
    TnGeomDef g = tn_geom_def();
    g.body = body;
    g.type = type;
    g.size[0] = x;
    g.size[1] = y;
    g.size[2] = z;
    return g;
}

static inline TnGeomId add_geom(Scene *s, TnBodyId body, TnGeomType type, double x, double y,
                                double z)
{
    TnGeomDef g = geom_def(body, type, x, y, z);
    return tn_builder_add_geom(s->builder, &g);
}

static inline void scene_begin(Scene *s)
{
    memset(s, 0, sizeof *s);
    s->builder = tn_builder_create();
}

/* Compiles; all links stand at the origin and rest. */
static inline bool scene_end(Scene *s)
{
    TnError err = {0};
    s->model = tn_builder_compile(s->builder, &err);
    tn_builder_destroy(s->builder);
    s->builder = NULL;
    if (!s->model) {
        test_fail(__FILE__, __LINE__, "%s", err.message);
        return false;
    }
    s->collider = tn_collider_create(s->model);
    s->frames = calloc((size_t)s->model->link_count, sizeof s->frames[0]);
    s->twists = calloc((size_t)s->model->link_count, sizeof s->twists[0]);
    for (int i = 0; i < s->model->link_count; i++) {
        TnLinkFrame *f = &s->frames[i];
        f->quat[0] = f->rot[0] = f->rot[4] = f->rot[8] = 1.0;
    }
    return s->collider && tn_arena_init(&s->arena, "test", 1 << 16);
}

static inline void scene_free(Scene *s)
{
    tn_arena_free(&s->arena);
    tn_collider_destroy(s->collider);
    tn_model_destroy(s->model);
    free(s->frames);
    free(s->twists);
}

static inline int link_of(const Scene *s, TnGeomId geom) { return s->model->geoms[geom - 1].link; }

/* Puts the link of a geom; its centre of mass coincides with its origin. */
static inline void put(Scene *s, TnGeomId geom, double x, double y, double z)
{
    TnLinkFrame *f = &s->frames[link_of(s, geom)];
    double p[3] = {x, y, z};
    memcpy(f->pos, p, sizeof p);
    memcpy(f->com, p, sizeof p);
}

static inline void put_random(Scene *s, int link, double spread, double speed, Random *r)
{
    TnTransform t = random_place(r, spread);
    TnLinkFrame *f = &s->frames[link];
    memcpy(f->pos, t.pos, sizeof t.pos);
    memcpy(f->rot, t.rot, sizeof t.rot);
    for (int i = 0; i < 3; i++) f->com[i] = f->pos[i] + uniform(r, -0.02, 0.02);
    for (int i = 0; i < 6; i++) s->twists[link][i] = uniform(r, -speed, speed);
}

static inline TnContactList detect(Scene *s, double t, double slack, TnPool *pool)
{
    TnContactList list = {0};
    tn_arena_reset(&s->arena);
    TnMotionInput motion = {
        .frames = s->frames, .twists = (const double(*)[6])s->twists, .t = t, .slack = slack};
    CHECK(tn_collision_detect(s->collider, &motion, &s->arena, pool, &list));
    return list;
}

static inline TnTransform geom_place(const Scene *s, int geom)
{
    const TnGeom *g = &s->model->geoms[geom];
    const TnLinkFrame *f = &s->frames[g->link];
    TnTransform t;
    double at[3]; /* a mesh is placed by its hull's centre */
    for (int i = 0; i < 3; i++) {
        at[i] = g->link_pos[i];
        if (g->mesh >= 0) at[i] += dot3(g->link_rot + 3 * i, s->model->meshes[g->mesh].hull.center);
    }
    for (int i = 0; i < 3; i++) {
        t.pos[i] = f->pos[i] + dot3(f->rot + 3 * i, at);
        for (int j = 0; j < 3; j++)
            t.rot[3 * i + j] = f->rot[3 * i] * g->link_rot[j] +
                               f->rot[3 * i + 1] * g->link_rot[3 + j] +
                               f->rot[3 * i + 2] * g->link_rot[6 + j];
    }
    return t;
}

static inline TnShape geom_shape(const Scene *s, int geom)
{
    const TnGeom *g = &s->model->geoms[geom];
    TnShape shape = {.type = g->type, .size = {g->size[0], g->size[1], g->size[2]}};
    if (g->mesh < 0) return shape;
    shape.hull = &s->model->meshes[g->mesh].hull;
    shape.mesh_vertices = shape.hull->vertices;
    shape.mesh_vertex_count = shape.hull->vertex_count;
    return shape;
}

#endif
