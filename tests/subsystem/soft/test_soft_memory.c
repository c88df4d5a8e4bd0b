/* Memory of worlds with soft bodies: a warm step takes nothing from the heap though other nodes
 * touch from step to step, and wherever memory runs out nothing is left half made. */
#include "../../check.h"

#include "../../step/scene.h"

#include "base/base.h"
#include "world/world.h"

#include <stdlib.h>

/* A cube of 0.1 m and n³ cells over a floor. With `parts` also what else a soft body meets: a box
 * on top, a hinged arm that holds nodes, a tied cube. */
static TnModel *cube(int n, bool parts)
{
    Scene scene = scene_begin();
    scene_plane(&scene, 0.5);
    TnSoftDef def = tn_soft_def();
    TnSoftHoldDef hold[2] = {{.node = 0}, {.node = 1}};
    CHECK(tn_tet_mesh_box((const double[3]){0.05, 0.05, 0.05}, (const int[3]){n, n, n}, 5,
                          &def.mesh, NULL));
    def.pos[2] = 0.0501;
    def.youngs_modulus = 3e5;
    def.mean_dilatation = parts;
    if (parts) {
        scene_free(&scene, TN_GEOM_BOX, (double[3]){0.03, 0.03, 0.01}, 0.1,
                   (double[3]){0, 0, 0.1105}, 0.5, 0.0);
        TnBodyDef body = tn_body_def();
        body.pos[0] = -0.2, body.pos[2] = 0.05;
        TnBodyId arm = tn_builder_add_body(scene.builder, &body);
        TnJointDef joint = tn_joint_def();
        joint.body = arm;
        tn_builder_add_joint(scene.builder, &joint);
        TnGeomDef geom = tn_geom_def();
        geom.body = arm;
        geom.type = TN_GEOM_SPHERE;
        geom.size[0] = 0.02;
        tn_builder_add_geom(scene.builder, &geom);
        hold[0].body = hold[1].body = arm;
        def.holds = hold;
        def.hold_count = 2;
    }
    TnSoftId id = tn_builder_add_soft(scene.builder, &def);
    if (parts) {
        def.holds = NULL;
        def.hold_count = 0;
        def.pos[0] = 0.1005;
        TnTieDef tie = tn_tie_def();
        tie.soft1 = tn_builder_add_soft(scene.builder, &def);
        tie.soft2 = id;
        tn_builder_add_tie(scene.builder, &tie);
    }
    tn_tet_mesh_free(&def.mesh);
    return scene_compile(&scene);
}

/* Thrown to the side and spinning, from where it is. */
static void throw(TnWorld * world, const double velocity[3], const double spin[3])
{
    TnStateView state = tn_world_state(world);
    double middle[3] = {0}, *qvel = malloc(sizeof(double) * (size_t)state.dof_count);
    int nodes = state.qpos_count / 3;
    TnError err = {0};
    for (int i = 0; i < 3 * nodes; i++) middle[i % 3] += state.qpos[i] / nodes;
    for (int i = 0; i < nodes; i++) {
        double r[3];
        for (int k = 0; k < 3; k++) r[k] = state.qpos[3 * i + k] - middle[k];
        for (int k = 0; k < 3; k++)
            qvel[3 * i + k] = velocity[k] + spin[(k + 1) % 3] * r[(k + 2) % 3] -
                              spin[(k + 2) % 3] * r[(k + 1) % 3];
    }
    CHECK(tn_world_set_state(world, state.qpos, qvel, &err) == TN_OK);
    free(qvel);
}

/* Which nodes touch, as a number; 0: none do. */
static uint64_t touched(const TnWorld *world)
{
    uint64_t sum = 0;
    for (int i = 0; i < world->contacts.count; i++)
        sum = sum * 31 + world->contacts.points[i].feature + 1;
    return sum;
}

/* It tumbles over its edges; the first fall is flat and touches with a whole face, so later ones
 * need no more than that. */
TEST(a_warm_step_with_a_tumbling_soft_body_allocates_nothing_on_two_threads)
{
    const TnDivisionDef divisions[] = {{.kind = TN_DIVISION_WHOLE}, {.pieces = 4}};
    for (int d = 0; d < 2; d++) {
        TnModel *model = cube(4, false);
        TnWorldDef def = tn_world_def();
        TnError err = {0};
        def.division = divisions[d];
        def.thread_count = 2;
        TnWorld *world = tn_world_create(&def, model, &err);
        REQUIRE(world);
        throw(world, (double[3]){0, 0, 0.2}, (double[3]){0, 0, 0});
        for (int k = 0; k < 30; k++) tn_world_step(world);
        throw(world, (double[3]){0.5, 0, 0.8}, (double[3]){1, 9, 0});
        for (int k = 0; k < 40; k++) tn_world_step(world);
        int fallbacks = 0, changes = 0;
        long before = tn_malloc_count();
        uint64_t last = touched(world);
        throw(world, (double[3]){0.3, 0.2, 0.8}, (double[3]){-8, 5, 1});
        for (int k = 0; k < 60; k++) {
            TnStepReport report = tn_world_step(world);
            CHECK(!report.diverged);
            fallbacks += report.heap_fallbacks;
            changes += touched(world) != last && touched(world) != 0;
            last = touched(world);
        }
        printf("     %ld allocations, contacts changed %d times\n", tn_malloc_count() - before,
               changes);
        CHECK(tn_malloc_count() == before);
        CHECK(fallbacks == 0);
        CHECK(changes > 10);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

/* Two soft cubes that are islands of their own, and one while they touch, are thrown about. */
TEST(a_warm_step_with_soft_islands_that_come_and_go_allocates_nothing_on_two_threads)
{
    for (int fixed = 0; fixed < 2; fixed++) {
        Scene scene = scene_begin();
        scene_plane(&scene, 0.5);
        TnSoftDef soft = tn_soft_def();
        CHECK(tn_tet_mesh_box((const double[3]){0.05, 0.05, 0.05}, (const int[3]){2, 2, 2}, 5,
                              &soft.mesh, NULL));
        soft.youngs_modulus = 3e5;
        for (int k = 0; k < 2; k++) {
            soft.pos[0] = 0.13 * k;
            soft.pos[2] = 0.06;
            tn_builder_add_soft(scene.builder, &soft);
        }
        tn_tet_mesh_free(&soft.mesh);
        TnModel *model = scene_compile(&scene);
        TnWorldDef def = tn_world_def();
        TnError err = {0};
        def.thread_count = 2;
        if (fixed) def.solver.tolerance = 0.0;
        TnWorld *world = tn_world_create(&def, model, &err);
        REQUIRE(world);
        int fallbacks = 0, changes = 0, second = 0;
        long before = 0;
        uint64_t last = 0;
        for (int k = 0; k < 240; k++) {
            if (k == 80) before = tn_malloc_count(), fallbacks = changes = second = 0;
            if (k % 40 == 0) {
                int turn = k / 40 % 4;
                throw(world, (double[3]){0, 0, 0.5}, (double[3]){turn - 1.5, 6.0 - 3 * turn, 1});
            }
            TnStepReport report = tn_world_step(world);
            CHECK(!report.diverged);
            fallbacks += report.heap_fallbacks;
            changes += touched(world) != last && touched(world) != 0;
            last = touched(world);
            for (int i = 0; i < report.island_count; i++)
                second += tn_world_island(world, i).factorizations;
        }
        printf("     %ld allocations, contacts changed %d times, %d factorizations\n",
               tn_malloc_count() - before, changes, second);
        CHECK(tn_malloc_count() == before && fallbacks == 0);
        CHECK(changes > 30);
        tn_world_destroy(world);
        tn_model_destroy(model);
    }
}

/* Creating, stepping and saving, with the heap failing at every place in turn; after that the world
 * is as good as one that never lacked memory. */
TEST(every_failed_allocation_of_a_soft_world_leaves_nothing_half_made)
{
    const TnDivisionDef divisions[] = {{.kind = TN_DIVISION_WHOLE}, {.pieces = 2}};
    TnModel *model = cube(1, true);
    REQUIRE(model);
    for (int d = 0; d < 2; d++) {
        TnWorldDef def = tn_world_def();
        def.division = divisions[d];
        bool done = false;
        uint64_t hash = 0;
        int created = 0, refused = 0;
        static char kept[1 << 16];
        for (int n = -1; !done && n < 5000; n++) { /* first with all the memory it wants */
            TnError err = {0};
            long before = tn_malloc_count();
            tn_malloc_fail_after(n);
            TnWorld *world = tn_world_create(&def, model, &err);
            if (!world) {
                tn_malloc_fail_after(-1);
                CHECK(err.code == TN_ERROR_MEMORY);
                continue;
            }
            created++;
            bool stepped = !tn_world_step(world).diverged;
            size_t size = tn_world_save_size(world);
            REQUIRE(size <= sizeof kept);
            CHECK(tn_world_save(world, kept, size, &err) == TN_OK); /* needs no memory */
            tn_malloc_fail_after(-1);
            bool granted = tn_malloc_count() - before <= n;
            refused += !stepped;
            if (!stepped) CHECK(!tn_world_step(world).diverged);
            CHECK(!tn_world_step(world).diverged);
            if (n < 0) hash = tn_world_hash(world);
            CHECK(tn_world_hash(world) == hash);
            done = stepped && granted;
            tn_world_destroy(world);
        }
        printf("     created %d times, %d first steps refused\n", created, refused);
        CHECK(done && refused > 10);
    }
    tn_model_destroy(model);
}
