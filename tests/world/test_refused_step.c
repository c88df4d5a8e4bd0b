/* A step that is refused leaves the world as it was, to the last bit of what is saved, and a world
 * can go on afterwards; numbers that are not finite do not get into a state. */
#include "../check.h"
#include "../io/mjcf_text.h"

#include <tenon/tenon.h>

/* An arm with a wheel: at 1e12 m/s nothing that follows makes sense. */
static const char wheel[] =
    "<mujoco><option gravity='0 0 0' timestep='0.01'/><worldbody>"
    "<body><joint axis='0 0 1'/><geom size='.1'/><body><joint type='slide' axis='1 0 0'/>"
    "<geom size='.1'/><body name='w'><joint axis='0 1 0'/><geom size='.1'/></body></body></body>"
    "</worldbody><tenon><wheel name='w' body='w' radius='.1'/></tenon>"
    "<keyframe><key name='fast' qvel='0 1e12 0'/><key name='slow' qvel='0 1 "
    "0'/></keyframe></mujoco>";

/* A ball on the ground, a cable held by a robot, and a box about to be hit with restitution. */
static const char mixed[] =
    "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='1 1 1'/>"
    "<body pos='0 0 .1'><freejoint/><geom size='.1'/></body>"
    "<body name='arm' pos='1 0 1'><joint axis='0 1 0'/><geom size='.1' pos='.1 0 0'/></body>"
    "<composite type='cable' prefix='k' curve='s' count='6 1 1' size='.5' offset='1.2 0 1' "
    "initial='free'><geom type='capsule' size='.01'/></composite></worldbody>"
    "<equality><weld body1='arm' body2='kB_first'/></equality></mujoco>";

typedef struct Saved {
    size_t size;
    void *bytes;
} Saved;

static Saved save(const TnWorld *world)
{
    TnError err = {0};
    Saved s = {tn_world_save_size(world), NULL};
    s.bytes = malloc(s.size);
    if (!s.bytes || tn_world_save(world, s.bytes, s.size, &err) != TN_OK)
        test_fail(__FILE__, __LINE__, "%s", err.message);
    return s;
}

static void check_same(const TnWorld *world, const Saved *before)
{
    Saved now = save(world);
    CHECK(now.size == before->size && memcmp(now.bytes, before->bytes, now.size) == 0);
    free(now.bytes);
}

TEST(refused_step_of_a_wheel_changes_nothing)
{
    TnError err = {0};
    TnModel *model = load_text(wheel, &err);
    REQUIRE(model);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, &err);
    REQUIRE(world);
    tn_world_reset(world, tn_model_find_key(model, "fast"));
    Saved before = save(world);
    for (int k = 0; k < 3; k++) {
        TnStepReport report = tn_world_step(world);
        CHECK(report.diverged && !report.converged);
        check_same(world, &before);
    }
    tn_world_reset(world, tn_model_find_key(model, "slow"));
    for (int k = 0; k < 10; k++) CHECK(!tn_world_step(world).diverged);
    CHECK(tn_world_state(world).time > 0.099);
    free(before.bytes);
    tn_world_destroy(world);
    tn_model_destroy(model);
}

/* As if the refused step had never been asked for: the same bits from then on. */
TEST(world_goes_on_after_a_refused_step_as_if_it_had_not_been)
{
    TnError err = {0};
    TnModel *model = load_text(mixed, &err);
    REQUIRE(model);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, &err),
            *other = tn_world_create(&def, model, &err);
    REQUIRE(world && other);
    const double huge[3] = {1e300, 1e300, 1e300}, none[3] = {0};
    for (int k = 0; k < 40; k++) {
        if (k % 10 == 5) {
            Saved before = save(world);
            tn_world_apply_wrench(world, 2 + k / 10, huge, none); /* ball, arm, segments */
            CHECK(tn_world_step(world).diverged);
            check_same(world, &before);
            free(before.bytes);
        }
        CHECK(!tn_world_step(world).diverged && !tn_world_step(other).diverged);
    }
    CHECK(tn_world_hash(world) == tn_world_hash(other));
    tn_world_destroy(world);
    tn_world_destroy(other);
    tn_model_destroy(model);
}

TEST(state_that_is_not_finite_is_refused)
{
    TnError err = {0};
    TnModel *model = load_text(mixed, &err);
    REQUIRE(model);
    TnWorldDef def = tn_world_def();
    TnWorld *world = tn_world_create(&def, model, &err);
    REQUIRE(world);
    for (int k = 0; k < 5; k++) tn_world_step(world);
    TnStateView state = tn_world_state(world);
    Saved before = save(world);
    double *q = malloc(sizeof(double) * (size_t)state.qpos_count);
    double *v = malloc(sizeof(double) * (size_t)state.dof_count);
    REQUIRE(q && v);
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        memcpy(q, state.qpos, sizeof(double) * (size_t)state.qpos_count);
        memcpy(v, state.qvel, sizeof(double) * (size_t)state.dof_count);
        q[7 * k] = bad[k];
        err = (TnError){0};
        CHECK(tn_world_set_state(world, q, NULL, &err) == TN_ERROR_USAGE && err.message[0]);
        v[6 * k] = bad[k];
        CHECK(tn_world_set_state(world, NULL, v, &err) == TN_ERROR_USAGE);
        check_same(world, &before);
    }
    /* each number of what was saved in turn: none that is not finite gets in, and none does harm */
    unsigned char *bytes = malloc(before.size);
    REQUIRE(bytes);
    int refused = 0;
    for (size_t at = 0; at + sizeof(double) <= before.size; at += sizeof(double)) {
        memcpy(bytes, before.bytes, before.size);
        memcpy(bytes + at, &bad[0], sizeof(double));
        err = (TnError){0};
        if (tn_world_restore(world, bytes, before.size, &err) == TN_OK) {
            CHECK(isfinite(tn_world_state(world).time));
            for (int k = 0; k < state.qpos_count; k++)
                CHECK(isfinite(tn_world_state(world).qpos[k]));
            CHECK(tn_world_restore(world, before.bytes, before.size, &err) == TN_OK);
        } else {
            refused++;
        }
        check_same(world, &before);
    }
    CHECK(refused >= state.qpos_count + 2 * state.dof_count);
    free(bytes);
    free(q);
    free(v);
    free(before.bytes);
    tn_world_destroy(world);
    tn_model_destroy(model);
}
