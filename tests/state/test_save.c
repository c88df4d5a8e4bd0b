/* Saving and restoring, bit for bit or not at all. */
#include "../check.h"

#include "base/base.h"
#include "state/state.h"

/* `links` hinged bodies in a chain, each with a motor. */
static TnModel *make_chain(int links)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId parent = TN_BODY_WORLD;
    for (int i = 0; i < links; i++) {
        TnBodyDef body = tn_body_def();
        body.parent = parent;
        parent = tn_builder_add_body(b, &body);
        TnJointDef joint = tn_joint_def();
        joint.body = parent;
        TnActuatorDef motor = tn_actuator_def();
        motor.joint = tn_builder_add_joint(b, &joint);
        tn_builder_add_actuator(b, &motor);
        TnGeomDef geom = tn_geom_def();
        geom.body = parent;
        geom.size[0] = 0.1;
        tn_builder_add_geom(b, &geom);
    }
    TnEqualityDef hook = tn_equality_def();
    hook.body1 = parent;
    tn_builder_add_equality(b, &hook);
    TnError err = {0};
    TnModel *m = tn_builder_compile(b, &err);
    if (!m) printf("    %s\n", err.message);
    tn_builder_destroy(b);
    return m;
}

/* Numbers that do not repeat, among them ones that a lazy copy would lose. */
static void fill(TnState *s, const TnModel *m, double seed, int contacts)
{
    s->time = seed;
    for (int i = 0; i < m->qpos_count; i++) s->qpos[i] = sin(seed + i);
    for (int i = 0; i < m->dof_count; i++) s->qvel[i] = cos(seed + i), s->vhat[i] = cos(seed - i);
    for (int i = 0; i < m->actuator_count; i++) s->ctrl[i] = seed * i;
    for (int i = 0; i < s->row_lambda_count; i++) s->row_lambda[i] = seed / (i + 1);
    s->qvel[0] = -0.0;
    s->vhat[0] = 4.9e-324;
    s->ctrl_by_user = true;
    s->contact_count = 0;
    if (!tn_state_reserve_contacts(s, contacts)) return;
    for (int i = 0; i < contacts; i++)
        s->contacts[i] = (TnWarmContact){.geom1 = i % m->geom_count,
                                         .geom2 = 0,
                                         .feature = (uint32_t)i * 7u,
                                         .lambda = {seed, i, 1.0},
                                         .spin = {0.0, seed, -i}};
    s->contact_count = contacts;
    s->sleeping_count = s->asleep_count = 0;
    if (!tn_state_reserve_sleeping(s, contacts / 2)) return;
    for (int i = 0; i < contacts / 2; i++)
        s->sleeping_contacts[i] =
            (TnWarmContact){.geom1 = i % m->geom_count, .feature = 3, .lambda = {i, seed, 2.0}};
    s->sleeping_count = contacts / 2;
    for (int i = 0; i < m->subsystem_count; i++) {
        s->rest[i] = (TnRest){.steps = i, .grows = i % 2, .early = seed, .late = 1.0 / (i + 1)};
        s->asleep[i] = contacts ? m->subsystem_count : 0;
        s->asleep_count += s->asleep[i] != 0;
    }
}

static bool same(const TnState *a, const TnState *b, const TnModel *m)
{
    size_t d = sizeof(double);
    return memcmp(&a->time, &b->time, d) == 0 &&
           memcmp(a->qpos, b->qpos, (size_t)m->qpos_count * d) == 0 &&
           memcmp(a->qvel, b->qvel, (size_t)m->dof_count * d) == 0 &&
           memcmp(a->vhat, b->vhat, (size_t)m->dof_count * d) == 0 &&
           memcmp(a->ctrl, b->ctrl, (size_t)m->actuator_count * d) == 0 &&
           memcmp(a->row_lambda, b->row_lambda, (size_t)a->row_lambda_count * d) == 0 &&
           memcmp(a->rest, b->rest, (size_t)m->subsystem_count * sizeof(TnRest)) == 0 &&
           memcmp(a->asleep, b->asleep, (size_t)m->subsystem_count * sizeof(int32_t)) == 0 &&
           a->asleep_count == b->asleep_count && a->sleeping_count == b->sleeping_count &&
           (a->sleeping_count == 0 ||
            memcmp(a->sleeping_contacts, b->sleeping_contacts,
                   (size_t)a->sleeping_count * sizeof(TnWarmContact)) == 0) &&
           a->ctrl_by_user == b->ctrl_by_user && a->contact_count == b->contact_count &&
           (a->contact_count == 0 || memcmp(a->contacts, b->contacts,
                                            (size_t)a->contact_count * sizeof(TnWarmContact)) == 0);
}

typedef struct Fixture {
    TnModel *model;
    TnState source, target, before; /* before: what the target must still be after a refusal */
    unsigned char *buffer;
    size_t size;
} Fixture;

static bool set_up(Fixture *f, int contacts)
{
    f->model = make_chain(4);
    if (!f->model || !tn_state_init(&f->source, f->model) || !tn_state_init(&f->target, f->model) ||
        !tn_state_init(&f->before, f->model))
        return false;
    fill(&f->source, f->model, 1.25, contacts);
    fill(&f->target, f->model, -3.0, 2);
    fill(&f->before, f->model, -3.0, 2);
    f->size = tn_state_save_size(&f->source, f->model);
    f->buffer = malloc(f->size + 1);
    if (!f->buffer) return false;
    tn_state_save(&f->source, f->model, f->buffer);
    return true;
}

static void tear_down(Fixture *f)
{
    free(f->buffer);
    tn_state_free(&f->source);
    tn_state_free(&f->target);
    tn_state_free(&f->before);
    tn_model_destroy(f->model);
}

TEST(restored_state_equals_the_saved_one_bit_for_bit)
{
    for (int contacts = 0; contacts <= 50; contacts += 25) {
        Fixture f;
        REQUIRE(set_up(&f, contacts));
        TnError err = {0};
        CHECK(tn_state_restore(&f.target, f.model, f.buffer, f.size, &err) == TN_OK);
        CHECK(err.code == TN_OK && same(&f.source, &f.target, f.model));
        CHECK(tn_state_hash(&f.source, f.model) == tn_state_hash(&f.target, f.model));
        /* And saving it again gives the same bytes. */
        unsigned char *again = malloc(f.size);
        REQUIRE(again && tn_state_save_size(&f.target, f.model) == f.size);
        tn_state_save(&f.target, f.model, again);
        CHECK(memcmp(again, f.buffer, f.size) == 0);
        free(again);
        tear_down(&f);
    }
}

TEST(buffer_need_not_be_aligned)
{
    Fixture f;
    REQUIRE(set_up(&f, 3));
    memmove(f.buffer + 1, f.buffer, f.size);
    TnError err = {0};
    CHECK(tn_state_restore(&f.target, f.model, f.buffer + 1, f.size, &err) == TN_OK);
    CHECK(same(&f.source, &f.target, f.model));
    tear_down(&f);
}

TEST(truncated_buffers_are_refused_at_every_length)
{
    Fixture f;
    REQUIRE(set_up(&f, 3));
    for (size_t size = 0; size < f.size; size++) {
        /* An exact copy on the heap, so that a sanitizer sees any read beyond it. */
        unsigned char *cut = malloc(size ? size : 1);
        REQUIRE(cut);
        memcpy(cut, f.buffer, size);
        TnError err = {0};
        CHECK(tn_state_restore(&f.target, f.model, cut, size, &err) == TN_ERROR_USAGE);
        CHECK(err.code == TN_ERROR_USAGE && err.count == 1);
        CHECK_STR(err.message, size < 88 ? "too short" : "cut short");
        free(cut);
    }
    CHECK(same(&f.target, &f.before, f.model));
    tear_down(&f);
}

TEST(every_damaged_byte_is_noticed)
{
    Fixture f;
    REQUIRE(set_up(&f, 3));
    for (size_t i = 0; i < f.size; i++) {
        f.buffer[i] ^= 0x40;
        TnError err = {0};
        if (tn_state_restore(&f.target, f.model, f.buffer, f.size, &err) != TN_ERROR_USAGE)
            test_fail(__FILE__, __LINE__, "byte %d", (int)i);
        f.buffer[i] ^= 0x40;
    }
    CHECK(same(&f.target, &f.before, f.model));
    tear_down(&f);
}

static void check_refused(Fixture *f, const void *buffer, size_t size, const char *why)
{
    TnError err = {0};
    CHECK(tn_state_restore(&f->target, f->model, buffer, size, &err) == TN_ERROR_USAGE);
    CHECK_STR(err.message, why);
    CHECK(same(&f->target, &f->before, f->model));
}

TEST(foreign_buffers_are_refused_with_the_reason)
{
    Fixture f;
    REQUIRE(set_up(&f, 3));
    unsigned char noise[256];
    for (size_t i = 0; i < sizeof noise; i++) noise[i] = (unsigned char)(i * 37 + 11);
    check_refused(&f, noise, sizeof noise, "does not hold a saved state");
    check_refused(&f, NULL, 0, "too short");
    f.buffer[f.size] = 0;
    check_refused(&f, f.buffer, f.size + 1, "longer than the state in it");
    f.buffer[4]++; /* the version */
    check_refused(&f, f.buffer, f.size, "another version");
    f.buffer[4]--;

    TnModel *other = make_chain(5);
    REQUIRE(other);
    TnState theirs;
    REQUIRE(tn_state_init(&theirs, other));
    size_t size = tn_state_save_size(&theirs, other);
    unsigned char *buffer = malloc(size);
    REQUIRE(buffer);
    tn_state_save(&theirs, other, buffer);
    check_refused(&f, buffer, size, "belongs to another model");
    free(buffer);
    tn_state_free(&theirs);
    tn_model_destroy(other);
    tear_down(&f);
}

TEST(contacts_of_geoms_that_do_not_exist_are_refused)
{
    Fixture f;
    REQUIRE(set_up(&f, 3));
    f.source.contacts[1].geom2 = 1000;
    tn_state_save(&f.source, f.model, f.buffer);
    check_refused(&f, f.buffer, f.size, "names geoms that do not exist");
    tear_down(&f);
}

TEST(restore_without_memory_leaves_the_state_alone)
{
    Fixture f;
    REQUIRE(set_up(&f, 500));
    TnError err = {0};
    tn_malloc_fail_after(0);
    CHECK(tn_state_restore(&f.target, f.model, f.buffer, f.size, &err) == TN_ERROR_MEMORY);
    tn_malloc_fail_after(-1);
    CHECK(err.code == TN_ERROR_MEMORY && same(&f.target, &f.before, f.model));
    tear_down(&f);
}
