/* Shadows of worlds on a device, as loops on the host: what they show while the world steps on. */
#include "agreement.h"

#include <pthread.h>
#include <tenon/scene.h>

#define SCENE                                                                                      \
    "<mujoco><option timestep='.005'/><worldbody>" GROUND                                          \
    "<body name='arm' pos='0 0 .3'><joint name='a' axis='0 1 0'/><geom type='capsule' "            \
    "fromto='0 0 0 .3 0 0' size='.03'/></body>"                                                    \
    "<body pos='.2 0 .05'><freejoint/><geom size='.05'/></body>"                                   \
    "<body pos='.2 .12 .05'><freejoint/><geom type='box' size='.05 .05 .05'/></body>"              \
    "</worldbody><tenon><soft name='s' box='.05 .05 .05' cells='2 2 2' pos='-.3 0 .05' "           \
    "young='1e4' density='300'/></tenon></mujoco>"

static TnFrame *capture(const TnWorld *world, const TnScene *scene)
{
    TnError err = {0};
    TnFrame *frame = tn_frame_create(scene, &err);
    CHECK(frame && tn_frame_capture(frame, world, NULL, true, &err) == TN_OK);
    return frame;
}

/* The same numbers, all of them. */
static void compare_frames(const TnFrame *a, const TnFrame *b, bool contacts)
{
    CHECK(a->time == b->time && a->kinetic == b->kinetic && a->potential == b->potential);
    CHECK(memcmp(a->poses, b->poses, sizeof(double) * 7 * (size_t)a->body_count) == 0);
    CHECK(memcmp(a->points, b->points, sizeof(float) * 3 * (size_t)a->point_count) == 0);
    CHECK(largest_difference(a->qpos, b->qpos, a->qpos_count) == 0.0);
    CHECK(largest_difference(a->qvel, b->qvel, a->dof_count) == 0.0);
    CHECK(b->contact_count == (contacts ? a->contact_count : 0));
    for (int i = 0; i < b->contact_count; i++) {
        CHECK(a->contacts[i].geom1 == b->contacts[i].geom1);
        CHECK(largest_difference(a->contacts[i].force, b->contacts[i].force, 3) == 0.0);
    }
}

TEST(a_shadow_shows_what_was_copied)
{
    TnError err = {0};
    TnModel *model = open_model(SCENE);
    TnWorldDef def = definition(TN_DEVICE_CUDA64, 0.0, 30);
    TnWorld *world = open_world(def, model), *twin = open_world(def, model),
            *shadow = tn_world_create_shadow(world, &err);
    TnScene *scene = tn_scene_create_of(world, &err);
    CHECK(shadow && scene);
    for (int k = 0; k < 60; k++) {
        bool contacts = k % 2 == 0;
        CHECK(!tn_world_step(world).diverged && !tn_world_step(twin).diverged);
        if (k % 4 == 3) (void)tn_world_contact(world, 0); /* its own copy is there already */
        CHECK(tn_world_copy_to_shadow(world, shadow, contacts, &err) == TN_OK);
        CHECK(!tn_world_step(world).diverged);
        TnFrame *direct = capture(twin, scene), *shown = capture(shadow, scene);
        if (k > 20) CHECK(direct->contact_count > 4);
        compare_frames(direct, shown, contacts);
        CHECK(!tn_world_step(twin).diverged);
        tn_frame_destroy(direct);
        tn_frame_destroy(shown);
    }
    CHECK(tn_world_hash(world) == tn_world_hash(twin)); /* looking changes nothing */
    CHECK(tn_world_step(shadow).diverged);
    tn_scene_destroy(scene);
    tn_world_destroy(shadow);
    tn_world_destroy(world);
    tn_world_destroy(twin);
    tn_model_destroy(model);
}

typedef struct Look {
    const TnWorld *shadow;
    const TnScene *scene;
    TnFrame *frame;
} Look;

static void *look(void *context)
{
    Look *l = context;
    l->frame = capture(l->shadow, l->scene);
    return NULL;
}

TEST(another_thread_looks_while_the_world_steps)
{
    TnError err = {0};
    TnModel *model = open_model(SCENE);
    TnWorld *world = open_world(definition(TN_DEVICE_CUDA64, 0.0, 30), model),
            *shadow = tn_world_create_shadow(world, &err);
    TnScene *scene = tn_scene_create_of(world, &err);
    for (int k = 0; k < 20; k++) {
        CHECK(!tn_world_step(world).diverged);
        TnFrame *direct = capture(world, scene);
        Look l = {shadow, scene, NULL};
        pthread_t thread;
        CHECK(tn_world_copy_to_shadow(world, shadow, true, &err) == TN_OK);
        CHECK(pthread_create(&thread, NULL, look, &l) == 0);
        CHECK(!tn_world_step(world).diverged);
        pthread_join(thread, NULL);
        compare_frames(direct, l.frame, true);
        tn_frame_destroy(direct);
        tn_frame_destroy(l.frame);
    }
    tn_scene_destroy(scene);
    tn_world_destroy(shadow);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

TEST(only_worlds_on_a_device_have_shadows)
{
    TnError err = {0};
    TnModel *model = open_model(SCENE);
    TnWorld *here = open_world(definition(TN_DEVICE_CPU, 0.0, 30), model),
            *there = open_world(definition(TN_DEVICE_CUDA64, 0.0, 30), model);
    CHECK(!tn_world_create_shadow(here, &err) && strstr(err.message, "on a device"));
    CHECK(!tn_world_create_shadow(NULL, NULL));
    CHECK(tn_world_copy_to_shadow(there, here, true, &err) == TN_ERROR_USAGE);
    CHECK(tn_world_copy_to_shadow(there, there, true, NULL) == TN_ERROR_USAGE);
    CHECK(tn_world_copy_to_shadow(NULL, NULL, true, NULL) == TN_ERROR_USAGE);
    tn_world_destroy(here);
    tn_world_destroy(there);
    tn_model_destroy(model);
}
