/* soft_scenes.h: soft bodies in a world, by the public calls only, for the tests of their physics.
 */
#ifndef TN_TESTS_STEP_SOFT_SCENES_H
#define TN_TESTS_STEP_SOFT_SCENES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

#define PI 3.14159265358979323846

typedef struct SoftScene {
    TnModelBuilder *builder;
    TnSoftDef soft;       /* the first one; its mesh and holds are the scene's until soft_finish */
    TnSoftHoldDef *holds; /* as many as there are nodes would fit */
    TnSoftId id;
    TnModel *model;
    TnWorld *world;
    TnSoftInfo info;
} SoftScene;

/* The world that the body will be in; theta 1 and long steps for statics. */
static inline SoftScene soft_begin(double timestep, double theta, double gravity)
{
    SoftScene scene = {.builder = tn_builder_create(), .soft = tn_soft_def()};
    TnOption option = tn_option();
    option.timestep = timestep;
    option.theta = theta;
    option.gravity[2] = -gravity;
    tn_builder_set_option(scene.builder, &option, (TnSource){0});
    return scene;
}

static inline void soft_box(SoftScene *scene, double lx, double ly, double lz, int nx, int ny,
                            int nz, int tets)
{
    TnError err = {0};
    if (!tn_tet_mesh_box((const double[3]){lx / 2, ly / 2, lz / 2}, (const int[3]){nx, ny, nz},
                         tets, &scene->soft.mesh, &err))
        printf("    %s\n", err.message);
}

/* Holds the nodes whose coordinate `axis` (of the mesh) lies at `at`. */
static inline void soft_hold(SoftScene *scene, int axis, double at, TnBodyId body)
{
    const TnTetMesh *mesh = &scene->soft.mesh;
    if (!scene->holds) scene->holds = malloc(sizeof *scene->holds * (size_t)(mesh->node_count + 1));
    for (int i = 0; i < mesh->node_count; i++)
        if (fabs(mesh->nodes[3 * i + axis] - at) < 1e-9)
            scene->holds[scene->soft.hold_count++] = (TnSoftHoldDef){i, body};
    scene->soft.holds = scene->holds;
}

static inline void soft_add(SoftScene *scene)
{
    scene->id = tn_builder_add_soft(scene->builder, &scene->soft);
    tn_tet_mesh_free(&scene->soft.mesh);
    free(scene->holds);
    scene->holds = NULL;
}

static inline bool soft_finish(SoftScene *scene, const TnSolverDef *solver)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.solver.tolerance = 0.0; /* 60 iterations: enough for what is claimed */
    if (solver) def.solver = *solver;
    scene->model = tn_builder_compile(scene->builder, &err);
    tn_builder_destroy(scene->builder);
    scene->world = tn_world_create(&def, scene->model, &err);
    if (!scene->world) printf("    %s\n", err.message);
    if (scene->world) scene->info = tn_model_soft_info(scene->model, scene->id);
    return scene->world != NULL;
}

static inline void soft_end(SoftScene *scene)
{
    tn_world_destroy(scene->world);
    tn_model_destroy(scene->model);
}

static inline const double *soft_x(const SoftScene *scene)
{
    return tn_world_state(scene->world).qpos + scene->info.qpos_start;
}

static inline const double *soft_v(const SoftScene *scene)
{
    return tn_world_state(scene->world).qvel + scene->info.dof_start;
}

/* Largest velocity of any dof. */
static inline double soft_speed(const SoftScene *scene)
{
    TnStateView state = tn_world_state(scene->world);
    double most = 0;
    for (int k = 0; k < state.dof_count; k++) most = fmax(most, fabs(state.qvel[k]));
    return most;
}

/* Share of the surface at each node, m² at rest, of those triangles that lie in the plane
 * coordinate `axis` = `at`; returns the sum. */
static inline double soft_areas(const SoftScene *scene, int axis, double at, double *area)
{
    const TnSoftInfo *info = &scene->info;
    double sum = 0;
    memset(area, 0, sizeof(double) * (size_t)info->node_count);
    for (int t = 0; t < info->triangle_count; t++) {
        const int32_t *n = info->triangles + 3 * t;
        const double *a = info->rest + 3 * n[0], *b = info->rest + 3 * n[1],
                     *c = info->rest + 3 * n[2];
        if (fabs(a[axis] - at) + fabs(b[axis] - at) + fabs(c[axis] - at) > 1e-9) continue;
        int i = (axis + 1) % 3, j = (axis + 2) % 3;
        double size = 0.5 * fabs((b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]));
        for (int k = 0; k < 3; k++) area[n[k]] += size / 3;
        sum += size;
    }
    return sum;
}

/* Steps with the same forces on the nodes (3 per node; NULL: none) until nothing moves by more than
 * `still` per step, at most `steps`; false where it does not come to rest. */
static inline bool soft_settle(const SoftScene *scene, int steps, double still, const double *force)
{
    double t = tn_model_info(scene->model).option.timestep;
    for (int k = 0; k < steps; k++) {
        for (int n = 0; force && n < scene->info.node_count; n++)
            if (force[3 * n] != 0 || force[3 * n + 1] != 0 || force[3 * n + 2] != 0)
                tn_world_apply_node_force(scene->world, scene->id, n, force + 3 * n);
        if (tn_world_step(scene->world).diverged) return false;
        if (t * soft_speed(scene) < still) return true;
    }
    return false;
}

static inline double *soft_numbers(const SoftScene *scene, int per_node)
{
    return calloc((size_t)(per_node * scene->info.node_count), sizeof(double));
}

/* Largest difference between the elements' stresses and sigma, Pa. */
static inline double soft_stress_error(const SoftScene *scene, const double sigma[6])
{
    double *stress = malloc(sizeof(double[6]) * (size_t)scene->info.tet_count), most = 0;
    TnError err = {0};
    if (tn_world_soft_stress(scene->world, scene->id, stress, NULL, &err) != TN_OK) most = NAN;
    for (int e = 0; e < scene->info.tet_count; e++)
        for (int k = 0; k < 6; k++) most = fmax(most, fabs(stress[6 * e + k] - sigma[k]));
    free(stress);
    return most;
}

#endif
