/* What the families of hard scenes are built from; see hard.h. */
#include "hard.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const double hard_upright[4] = {1, 0, 0, 0};

/* A linear congruential generator (Knuth's MMIX constants), as scenes/make_hard.py has it. */
double hard_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53 * 2 - 1;
}

/* Small seeds start far apart: the golden ratio in 64 bits, and some draws. */
uint64_t hard_seed(uint64_t seed)
{
    uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15);
    for (int i = 0; i < 4; i++) hard_random(&state);
    return state;
}

/* Box and Muller's. */
double hard_gaussian(uint64_t *state)
{
    double u = 0.5 * (hard_random(state) + 1), angle = 3.14159265358979323846 * hard_random(state);
    return sqrt(-2 * log(1 - u)) * cos(angle);
}

static void *grow(HardModel *m, void *items, int count, int *capacity, size_t size)
{
    if (count < *capacity) return items;
    int wanted = *capacity ? 2 * *capacity : 64;
    void *larger = realloc(items, (size_t)wanted * size);
    if (larger)
        *capacity = wanted;
    else
        m->no_memory = true;
    return larger ? larger : items;
}

void hard_watch(HardModel *m, TnBodyId body, int group, int level)
{
    m->bodies = grow(m, m->bodies, m->body_count, &m->body_capacity, sizeof *m->bodies);
    if (m->body_count == m->body_capacity) return;
    m->bodies[m->body_count++] = (HardBody){body, group, level};
    if (group >= m->group_count) m->group_count = group + 1;
}

void hard_cut(HardModel *m, HardCut cut)
{
    m->cuts = grow(m, m->cuts, m->cut_count, &m->cut_capacity, sizeof *m->cuts);
    if (m->cut_count < m->cut_capacity) m->cuts[m->cut_count++] = cut;
}

void hard_cut_levels(HardModel *m, int group, int levels)
{
    for (int i = 0; i < levels; i++) hard_cut(m, (HardCut){group, i, levels - 1, 2, 0});
}

TnGeomId hard_plane(HardModel *m, const double pos[3], const double quat[4], double friction)
{
    TnGeomDef plane = tn_geom_def();
    plane.body = TN_BODY_WORLD;
    plane.type = TN_GEOM_PLANE;
    for (int i = 0; i < 3; i++) plane.pos[i] = pos[i];
    for (int i = 0; i < 4; i++) plane.quat[i] = quat[i];
    plane.friction[0] = friction;
    return tn_builder_add_geom(m->builder, &plane);
}

void hard_ground(HardModel *m, double friction)
{
    hard_plane(m, (double[]){0, 0, 0}, hard_upright, friction);
}

TnBodyId hard_free_body(HardModel *m, const double pos[3], const double quat[4], int group,
                        int level)
{
    TnBodyDef body = tn_body_def();
    for (int i = 0; i < 3; i++) body.pos[i] = pos[i];
    for (int i = 0; i < 4; i++) body.quat[i] = quat[i];
    TnJointDef joint = tn_joint_def();
    joint.body = tn_builder_add_body(m->builder, &body);
    joint.type = TN_JOINT_FREE;
    tn_builder_add_joint(m->builder, &joint);
    if (level >= 0) hard_watch(m, joint.body, group, level);
    return joint.body;
}

TnGeomId hard_box(HardModel *m, TnBodyId body, const double half[3], double mass, double friction)
{
    TnGeomDef box = tn_geom_def();
    box.body = body;
    box.type = TN_GEOM_BOX;
    for (int i = 0; i < 3; i++) box.size[i] = half[i];
    box.mass = mass;
    box.friction[0] = friction;
    return tn_builder_add_geom(m->builder, &box);
}

TnStatus hard_build(HardModel *m, const HardScene *scene, uint64_t seed, TnError *err)
{
    *m = (HardModel){.fall = 0.05, .noise_axes = {true, true, true}};
    m->builder = tn_builder_create();
    if (m->builder) {
        TnOption option = tn_option();
        tn_builder_set_name(m->builder, scene->name);
        tn_builder_set_option(m->builder, &option, (TnSource){0});
        scene->build(m, scene, seed);
        if (!m->no_memory) m->model = tn_builder_compile(m->builder, err);
    }
    if (!m->builder || m->no_memory) {
        *err = (TnError){.code = TN_ERROR_MEMORY, .count = 1};
        snprintf(err->message, sizeof err->message, "no memory for the scene %s", scene->name);
    }
    tn_builder_destroy(m->builder);
    m->builder = NULL;
    if (m->model) return TN_OK;
    hard_free(m);
    return err->code;
}

void hard_free(HardModel *m)
{
    tn_model_destroy(m->model);
    free(m->bodies);
    free(m->cuts);
    *m = (HardModel){0};
}
