/* States with soft bodies: nodes in qpos and qvel, places of warm starts, ties between pieces. */
#include "../model/soft.h"

#include "state/state.h"

#include <stdlib.h>
#include <string.h>

/* A wheel, two blocks with 1 and 2 holds by links, and a tie between them. */
static TnModel *make_model(void)
{
    TnModelBuilder *b = tn_builder_create();
    TnBodyId disc = add_link(b, NULL, TN_BODY_WORLD, TN_JOINT_FREE);
    TnWheelDef wheel = tn_wheel_def();
    wheel.body = disc;
    wheel.radius = 0.1;
    tn_builder_add_wheel(b, &wheel);
    const TnSoftHoldDef holds[] = {{0, disc}, {1, disc}};
    TnSoftDef def = soft_at("one", 0.0, 0.0, 0.0);
    def.holds = holds;
    def.hold_count = 1;
    add_block(b, def, 1, 1, 1);
    def = soft_at("two", 0.1, 0.0, 0.0);
    def.holds = holds;
    def.hold_count = 2;
    add_block(b, def, 1, 1, 1);
    TnTieDef tie = tn_tie_def();
    tie.soft1 = 1;
    tie.node = 7;
    tie.soft2 = 2;
    tn_builder_add_tie(b, &tie);
    const double qpos[7] = {1, 2, 3, 1, 0, 0, 0};
    TnKeyDef key = tn_key_def();
    key.qpos = qpos;
    key.qpos_count = 7;
    tn_builder_add_key(b, &key);
    return compile(b);
}

TEST(holds_and_ties_have_their_own_places_behind_the_wheels)
{
    TnModel *m = make_model();
    REQUIRE(m);
    int next = tn_row_slot_wheel(m, m->wheel_count, 0);
    for (int s = 0; s < 2; s++)
        for (int h = 0; h < m->softs[s].hold_count; h++)
            for (int k = 0; k < 3; k++) CHECK(tn_row_slot_hold(m, s, h, k) == next++);
    for (int k = 0; k < 3; k++) CHECK(tn_row_slot_tie(m, 0, k) == next++);
    CHECK(tn_row_slot_count(m) == next && m->hold_count == 3);
    TnState s;
    REQUIRE(tn_state_init(&s, m));
    CHECK(s.row_lambda_count == next);
    tn_state_free(&s);
    tn_model_destroy(m);
}

TEST(nodes_start_where_they_were_built_or_where_the_key_says)
{
    TnModel *m = make_model();
    REQUIRE(m);
    TnState s;
    REQUIRE(tn_state_init(&s, m));
    for (int key = -1; key < 1; key++) {
        for (int i = 0; i < m->qpos_count; i++) s.qpos[i] = 7.0;
        for (int i = 0; i < m->dof_count; i++) s.qvel[i] = 7.0;
        tn_state_reset(&s, m, key);
        for (int i = 0; i < 2; i++) {
            const TnSoft *soft = &m->softs[i];
            for (int k = 0; k < 3 * soft->node_count; k++) {
                CHECK(s.qpos[soft->qpos_start + k] == soft->rest[k]);
                CHECK(s.qvel[soft->dof_start + k] == 0.0 && s.vhat[soft->dof_start + k] == 0.0);
            }
        }
        CHECK(s.qpos[0] == (key < 0 ? 0.0 : 1.0));
    }
    tn_state_free(&s);
    tn_model_destroy(m);
}

TEST(the_hash_sees_every_node)
{
    TnModel *m = make_model();
    REQUIRE(m);
    TnState s;
    REQUIRE(tn_state_init(&s, m));
    uint64_t before = tn_state_hash(&s, m);
    s.qpos[m->qpos_count - 1] += 1e-12;
    uint64_t moved = tn_state_hash(&s, m);
    s.qvel[m->dof_count - 1] = 1e-300;
    CHECK(moved != before && tn_state_hash(&s, m) != moved);
    tn_state_free(&s);
    tn_model_destroy(m);
}

/* ---- ties between pieces ---- */

static bool make_state(TnState *s, const TnModel *m, int ties, double seed)
{
    if (!tn_state_init(s, m) || !tn_state_set_ties(s, ties)) return false;
    for (int i = 0; i < m->qpos_count; i++) s->qpos[i] = sin(seed + i);
    for (int i = 0; i < m->dof_count; i++) s->qvel[i] = cos(seed + i), s->vhat[i] = cos(seed - i);
    for (int i = 0; i < s->row_lambda_count; i++) s->row_lambda[i] = seed / (i + 1);
    for (int i = 0; i < 3 * ties; i++) s->tie_lambda[i] = seed + 0.125 * i;
    if (!tn_state_reserve_contacts(s, 2)) return false;
    s->contact_count = 2;
    for (int i = 0; i < 2; i++)
        s->contacts[i] = (TnWarmContact){.geom2 = 1, .lambda = {seed, i, 1.0}};
    return true;
}

TEST(ties_start_at_zero_and_reset_to_zero)
{
    TnModel *m = make_model();
    REQUIRE(m);
    TnState s;
    REQUIRE(make_state(&s, m, 5, 1.0));
    tn_state_reset(&s, m, -1);
    for (int i = 0; i < 15; i++) CHECK(s.tie_lambda[i] == 0.0);
    s.tie_lambda[3] = 1.0;
    CHECK(tn_state_set_ties(&s, 7) && s.tie_count == 7);
    for (int i = 0; i < 21; i++) CHECK(s.tie_lambda[i] == 0.0);
    tn_malloc_fail_after(0);
    CHECK(!tn_state_set_ties(&s, 9) && s.tie_count == 7);
    tn_malloc_fail_after(-1);
    CHECK(tn_state_set_ties(&s, 0) && s.tie_count == 0 && !s.tie_lambda);
    tn_state_free(&s);
    tn_model_destroy(m);
}

TEST(a_restored_state_has_the_same_bits_and_saves_the_same_bytes)
{
    TnModel *m = make_model();
    REQUIRE(m);
    for (int ties = 0; ties <= 4; ties += 4) {
        TnState a, b;
        REQUIRE(make_state(&a, m, ties, 1.25) && make_state(&b, m, ties, -3.0));
        size_t size = tn_state_save_size(&a, m);
        unsigned char *first = malloc(size), *again = malloc(size);
        REQUIRE(first && again);
        tn_state_save(&a, m, first);
        CHECK(tn_state_restore(&b, m, first, size, NULL) == TN_OK);
        CHECK(tn_state_hash(&a, m) == tn_state_hash(&b, m));
        REQUIRE(tn_state_save_size(&b, m) == size);
        tn_state_save(&b, m, again);
        CHECK(memcmp(first, again, size) == 0);
        for (int i = 0; i < 3 * ties; i++) CHECK(b.tie_lambda[i] == a.tie_lambda[i]);
        free(first);
        free(again);
        tn_state_free(&a);
        tn_state_free(&b);
    }
    tn_model_destroy(m);
}

TEST(under_another_division_ties_start_cold_and_all_else_is_restored)
{
    TnModel *m = make_model();
    REQUIRE(m);
    const int counts[][2] = {{4, 6}, {6, 4}, {0, 3}, {3, 0}};
    for (int k = 0; k < 4; k++) {
        TnState a, b;
        REQUIRE(make_state(&a, m, counts[k][0], 1.25) && make_state(&b, m, counts[k][1], -3.0));
        size_t size = tn_state_save_size(&a, m);
        unsigned char *buffer = malloc(size);
        REQUIRE(buffer);
        tn_state_save(&a, m, buffer);
        CHECK(tn_state_restore(&b, m, buffer, size, NULL) == TN_OK);
        CHECK(b.tie_count == counts[k][1]);
        for (int i = 0; i < 3 * b.tie_count; i++) CHECK(b.tie_lambda[i] == 0.0);
        CHECK(tn_state_hash(&a, m) == tn_state_hash(&b, m));
        CHECK(memcmp(a.row_lambda, b.row_lambda, (size_t)a.row_lambda_count * sizeof(double)) == 0);
        CHECK(b.contact_count == 2 && b.contacts[1].lambda[0] == 1.25 &&
              b.contacts[1].lambda[1] == 1.0);
        free(buffer);
        tn_state_free(&a);
        tn_state_free(&b);
    }
    tn_model_destroy(m);
}
