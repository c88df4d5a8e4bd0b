/* world.c: random models, stepped. What has to hold of every step:
 *   - the state is finite;
 *   - a step that is refused changes nothing that is saved;
 *   - two threads give the bits of one;
 *   - a world restored from a saved state goes on with the same bits. */
#include "draw_model.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 4 };

typedef struct Saved {
    uint8_t *bytes;
    size_t size;
} Saved;

static Saved save(const TnWorld *world)
{
    TnError err = {0};
    Saved saved = {.size = tn_world_save_size(world)};
    saved.bytes = malloc(saved.size);
    FUZZ_CHECK(saved.bytes && tn_world_save(world, saved.bytes, saved.size, &err) == TN_OK);
    return saved;
}

static TnWorldDef draw_def(FuzzBytes *b)
{
    TnWorldDef def = tn_world_def();
    def.solver.method = (TnMethod)(fuzz_chance(b, 80) ? fuzz_pick(b, TN_METHOD_CHOICES) : 0);
    def.solver.iterations = 1 + fuzz_pick(b, 60);
    if (fuzz_chance(b, 40) && def.solver.method <= TN_METHOD_SUBADMM) def.solver.tolerance = 0.0;
    def.sleep = (TnSleep)(fuzz_chance(b, 60) ? fuzz_pick(b, 3) : 0);
    def.sleep_time = 0.02;
    def.sleep_speed = 0.1;
    def.measure_accuracy = fuzz_chance(b, 40);
    def.passes = fuzz_chance(b, 40) ? 1 + fuzz_pick(b, 3) : 0;
    return def;
}

static void check_finite(TnWorld *world)
{
    TnStateView state = tn_world_state(world);
    FUZZ_CHECK(isfinite(state.time));
    for (int i = 0; i < state.qpos_count; i++) FUZZ_CHECK(isfinite(state.qpos[i]));
    for (int i = 0; i < state.dof_count; i++) FUZZ_CHECK(isfinite(state.qvel[i]));
    for (int i = 0; i < state.act_count; i++) FUZZ_CHECK(isfinite(state.act[i]));
    for (int i = 0; i < tn_world_contact_count(world); i++) {
        TnContact c = tn_world_contact(world, i);
        for (int k = 0; k < 3; k++) FUZZ_CHECK(isfinite(c.force[k]) && isfinite(c.pos[k]));
    }
}

/* The same for every world that takes it. */
static void set_input(TnWorld *world, int step, unsigned seed)
{
    double ctrl[16] = {0};
    TnStateView state = tn_world_state(world);
    for (int i = 0; i < state.ctrl_count && i < 16; i++)
        ctrl[i] = ((seed >> (i + step)) % 16 - 7.5) * 0.3;
    if (state.ctrl_count && state.ctrl_count <= 16) tn_world_set_ctrl(world, ctrl, NULL);
}

static void step_checked(TnWorld *world)
{
    Saved before = save(world);
    TnStepReport report = tn_world_step(world);
    if (report.diverged) {
        Saved after = save(world);
        FUZZ_CHECK(after.size == before.size && !memcmp(after.bytes, before.bytes, after.size));
        free(after.bytes);
    }
    free(before.bytes);
    check_finite(world);
}

static void run(TnModel *model, FuzzBytes *b)
{
    TnError err = {0};
    TnWorldDef def = draw_def(b);
    unsigned seed = fuzz_byte(b) + 256u * fuzz_byte(b);
    int steps = 1 + fuzz_pick(b, MOST_STEPS), middle = fuzz_pick(b, steps);
    uint64_t hashes[MOST_STEPS];
    Saved saved = {0};
    TnWorld *world = tn_world_create(&def, model, &err);
    FUZZ_CHECK(world || err.count > 0);
    if (!world) return;
    def.thread_count = 2;
    TnWorld *two = tn_world_create(&def, model, &err);
    FUZZ_CHECK(two);
    for (int k = 0; k < steps; k++) {
        if (k == middle) saved = save(world);
        set_input(world, k, seed);
        set_input(two, k, seed);
        step_checked(world);
        tn_world_step(two);
        hashes[k] = tn_world_hash(world);
        FUZZ_CHECK(tn_world_hash(two) == hashes[k]);
    }
    FUZZ_CHECK(tn_world_restore(two, saved.bytes, saved.size, &err) == TN_OK);
    for (int k = middle; k < steps; k++) {
        set_input(two, k, seed);
        tn_world_step(two);
        FUZZ_CHECK(tn_world_hash(two) == hashes[k]);
    }
    free(saved.bytes);
    for (int id = 1; id <= tn_model_info(model).body_count; id++) tn_world_body_reaction(world, id);
    int count = tn_model_info(model).sensor_data_count;
    double *data = calloc((size_t)count + 1, sizeof *data);
    if (data) tn_world_sensors(world, data, &err);
    free(data);
    tn_world_destroy(two);
    tn_world_destroy(world);
}

void fuzz_world(const uint8_t *data, size_t size)
{
    FuzzBytes bytes = {data, size};
    TnError err = {0};
    TnModel *model = draw_model(&bytes, &err);
    FUZZ_CHECK(model || (err.count > 0 && err.message[0]));
    if (model) run(model, &bytes);
    tn_model_destroy(model);
}
