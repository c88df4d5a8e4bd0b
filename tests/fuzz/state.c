/* state.c: saved states that somebody changed. The bytes are patches of a good one: where, and
 * eight bytes; the checksum is then made right, for otherwise nothing would get past it.
 *
 * A state that is refused changes nothing; one that is taken is finite and stays so. */
#include "fuzz.h"
#include "state/hash.h"

#include <math.h>
#include <string.h>
#include <tenon/tenon.h>

/* Everything that a state keeps: contacts, rows, mocap, activations, a cable, a soft body. */
static const char scene[] =
    "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='1 1 1'/>"
    "<body pos='0 0 .1'><freejoint/><geom size='.1'/></body>"
    "<body pos='0 0 .3'><freejoint/><geom size='.1'/></body>"
    "<body name='arm' pos='1 0 1'><joint name='j' axis='0 1 0' limited='true' range='-10 10' "
    "frictionloss='.1'/><geom size='.1' pos='.1 0 0'/></body>"
    "<body name='hand' mocap='true' pos='0 1 1'><geom size='.05'/></body>"
    "<body name='ball' pos='0 1 .8'><joint type='ball'/><geom size='.05' pos='0 0 -.1'/></body>"
    "<composite type='cable' prefix='k' curve='s' count='4 1 1' size='.5' offset='1.2 0 1' "
    "initial='free'><geom type='capsule' size='.01'/></composite></worldbody>"
    "<equality><weld body1='arm' body2='kB_first'/><connect body1='hand' body2='ball' anchor='0 0 "
    "0'/></equality><actuator><general joint='j' dyntype='filter' dynprm='.1'/></actuator>"
    "<tenon><soft name='s' box='.1 .1 .1' cells='1 1 1' pos='-1 0 .101' young='1e5'/></tenon>"
    "</mujoco>";

static TnWorld *make_world(TnModel *model, TnSleep sleep)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.sleep = sleep;
    def.sleep_time = 0.02;
    def.sleep_speed = 0.01;
    if (!sleep) { /* one that is quick where nothing can be solved, and one as it is by default */
        def.solver.tolerance = 0.0;
        def.solver.iterations = 20;
    }
    TnWorld *world = tn_world_create(&def, model, &err);
    FUZZ_CHECK(world);
    return world;
}

static uint8_t *save(const TnWorld *world, size_t *size)
{
    TnError err = {0};
    *size = tn_world_save_size(world);
    uint8_t *bytes = malloc(*size + 64);
    FUZZ_CHECK(bytes && tn_world_save(world, bytes, *size, &err) == TN_OK);
    return bytes;
}

/* The last eight bytes of the header are the sum over all, with zeros in their place. */
void fuzz_sign_state(uint8_t *bytes, size_t size)
{
    enum { HEADER = 88 };
    if (size < HEADER) return;
    memset(bytes + HEADER - 8, 0, 8);
    uint64_t sum =
        tn_hash_bytes(tn_hash_bytes(TN_HASH_START, bytes, HEADER), bytes + HEADER, size - HEADER);
    memcpy(bytes + HEADER - 8, &sum, sizeof sum);
}

static void patch(FuzzBytes *b, uint8_t *bytes, size_t *size)
{
    static const double numbers[] = {0.0, 1.0, -1e9, 1e300, INFINITY, NAN, 1e-300, 1e11};
    size_t at = (fuzz_byte(b) + 256u * fuzz_byte(b)) * 4 % (*size - 8);
    switch (fuzz_pick(b, 4)) {
    case 0:
        for (size_t k = 0; k < 4; k++) bytes[at + k] = (uint8_t)fuzz_byte(b);
        break;
    case 1:
    case 2:
        memcpy(bytes + at, &numbers[fuzz_pick(b, 8)], 8);
        break;
    default:
        *size += fuzz_byte(b) % 64;
    }
}

static void check_finite(const TnWorld *world)
{
    TnStateView state = tn_world_state(world);
    FUZZ_CHECK(isfinite(state.time));
    for (int i = 0; i < state.qpos_count; i++) FUZZ_CHECK(isfinite(state.qpos[i]));
    for (int i = 0; i < state.dof_count; i++) FUZZ_CHECK(isfinite(state.qvel[i]));
    for (int i = 0; i < state.act_count; i++) FUZZ_CHECK(isfinite(state.act[i]));
}

static void restore(TnWorld *world, const uint8_t *bytes, size_t size)
{
    TnError err = {0};
    size_t before_size, after_size;
    uint8_t *before = save(world, &before_size);
    TnStatus status = tn_world_restore(world, bytes, size, &err);
    if (status != TN_OK) {
        uint8_t *after = save(world, &after_size);
        FUZZ_CHECK(err.count > 0);
        FUZZ_CHECK(after_size == before_size && memcmp(before, after, after_size) == 0);
        free(after);
    }
    free(before);
    for (int k = 0; k < 3; k++) {
        check_finite(world);
        tn_world_step(world);
    }
    check_finite(world);
}

void fuzz_state(const uint8_t *data, size_t size)
{
    static TnModel *model;
    static TnWorld *worlds[2];
    static uint8_t *start[2];
    static size_t start_size[2];
    if (!model) { /* kept over all calls: this is most of the work */
        TnError err = {0};
        model = tn_model_load_string(scene, NULL, NULL, &err);
        FUZZ_CHECK(model);
        for (int s = 0; s < 2; s++) {
            worlds[s] = make_world(model, s ? TN_SLEEP_ALL : TN_SLEEP_OFF);
            for (int k = 0; k < 40; k++) tn_world_step(worlds[s]);
            start[s] = save(worlds[s], &start_size[s]);
        }
    }
    FuzzBytes b = {data, size};
    int which = fuzz_pick(&b, 2);
    TnError err = {0};
    TnStatus status = tn_world_restore(worlds[which], start[which], start_size[which], &err);
    FUZZ_CHECK(status == TN_OK);
    size_t length = start_size[which];
    uint8_t *bytes = calloc(length + 4096, 1);
    FUZZ_CHECK(bytes);
    memcpy(bytes, start[which], length);
    for (int k = 0; k < 16 && b.left; k++) patch(&b, bytes, &length);
    fuzz_sign_state(bytes, length);
    restore(worlds[which], bytes, length);
    free(bytes);
}
