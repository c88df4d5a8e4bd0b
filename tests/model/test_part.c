/* A model that is taken apart, sent as bytes and put together again moves as it did. */
#include "../check.h"

#include <glob.h>
#include <tenon/tenon.h>

#include "../../src/base/base.h"
#include "../../src/model/part/part.h"

/* Free bodies that nothing but contacts acts on, and without sites, which nobody asks free bodies
 * of a part for. */
static bool *free_bodies(const TnModel *m)
{
    bool *free = calloc((size_t)m->subsystem_count + 1, sizeof *free);
    for (int s = 0; s < m->subsystem_count; s++)
        free[s] = m->subsystems[s].kind == TN_SUBSYSTEM_RIGID;
    for (int i = 0; i < m->actuator_count; i++)
        if (tn_actuator_subsystem(m, i) >= 0) free[tn_actuator_subsystem(m, i)] = false;
    for (int i = 0; i < m->equality_count; i++) {
        const int bodies[2] = {m->equalities[i].body1, m->equalities[i].body2};
        for (int k = 0; m->equalities[i].type < TN_EQUALITY_JOINT && k < 2; k++)
            if (tn_part_of_body(m, bodies[k]) >= 0) free[tn_part_of_body(m, bodies[k])] = false;
    }
    for (int i = 0; i < m->wheel_count; i++) free[tn_part_of_body(m, m->wheels[i].body)] = false;
    for (int i = 0; i < m->site_count; i++)
        if (tn_part_of_body(m, m->sites[i].body) >= 0)
            free[tn_part_of_body(m, m->sites[i].body)] = false;
    for (int i = 0; i < m->path_count; i++)
        for (int k = 0; k < m->paths[i].link_count; k++)
            free[m->links[m->paths[i].links[k]].subsystem] = false;
    return free;
}

static void *packed(const TnPart *part, int s)
{
    void *bytes = malloc(tn_body_bytes(part, s));
    size_t size;
    tn_body_pack(part, s, bytes);
    CHECK(tn_body_number(bytes, &size) == tn_part_number(part->subsystem, s));
    CHECK(size == tn_body_bytes(part, s));
    return bytes;
}

/* All of it from the base and all free bodies, which come as bytes or from a part in turns. */
static void put_together(const TnModel *whole, const TnBase *base, const TnPart *from,
                         const int *place, const bool *free_body)
{
    TnBodySource *sources = calloc((size_t)whole->subsystem_count + 1, sizeof *sources);
    bool *has = malloc((size_t)base->model->subsystem_count + 1);
    TnPart part;
    int count = 0;
    memset(has, 1, (size_t)base->model->subsystem_count + 1);
    for (int s = 0; s < whole->subsystem_count; s++)
        if (free_body[s]) {
            sources[count] = (TnBodySource){.number = s, .subsystem = place[s]};
            if (count % 2) sources[count].bytes = packed(from, place[s]);
            count++;
        }
    CHECK(tn_part_make(base, has, from, sources, count, &part));
    for (int i = 0; i < count; i++) free((void *)sources[i].bytes);
    CHECK(part.model->subsystem_count == whole->subsystem_count);
    CHECK(part.model->geom_count == whole->geom_count);
    CHECK(tn_model_fingerprint(part.model) == tn_model_fingerprint(whole));
    for (int g = 0; g < part.model->geom_count; g++) CHECK(part.geom[g] == g);
    for (int b = 0; b < part.model->body_count; b++) {
        CHECK(part.body[b] == b);
        CHECK(part.model->bodies[b].parent == whole->bodies[b].parent);
        CHECK(part.model->bodies[b].link == whole->bodies[b].link);
        CHECK(part.model->body_masses[b].mass == whole->body_masses[b].mass ||
              isnan(whole->body_masses[b].mass));
    }
    for (int s = 0; s < whole->subsystem_count; s++) {
        const TnSubsystem *a = &part.model->subsystems[s], *b = &whole->subsystems[s];
        CHECK(a->kind == b->kind && a->kind_index == b->kind_index);
        CHECK(a->dof_start == b->dof_start && a->qpos_start == b->qpos_start);
        CHECK(part.model->actuator_first[s] == whole->actuator_first[s]);
    }
    for (int d = 0; d < whole->dof_count; d++) {
        CHECK(part.model->dof_joint[d] == whole->dof_joint[d]);
        CHECK(part.model->dof_parent[d] == whole->dof_parent[d]);
        CHECK(part.model->dof_couple[d] == whole->dof_couple[d]);
    }
    tn_part_free(&part);
    free(sources);
    free(has);
}

static void check_scene(const char *path)
{
    TnError err = {0};
    TnModel *whole = tn_model_load(path, &err);
    CHECK(whole);
    if (!whole) return;
    bool *free_body = free_bodies(whole), *mover = calloc((size_t)whole->subsystem_count + 1, 1);
    int *place = calloc((size_t)whole->subsystem_count + 1, sizeof *place);
    for (int s = 0; s < whole->subsystem_count; s++) {
        mover[s] = !free_body[s];
        place[s] = s;
    }
    TnBase base, sent;
    TnPart all;
    CHECK(tn_base_create(whole, mover, &base) && tn_part_of_whole(whole, &all));
    put_together(whole, &base, &all, place, free_body);
    size_t bytes;
    void *block = tn_base_pack(&base, &bytes), *other = tn_aligned_alloc(bytes);
    memcpy(other, block, bytes);
    memset(block, 0xff, bytes); /* nothing may point back */
    tn_free(block);
    CHECK(tn_base_unpack(other, &sent));
    CHECK(tn_model_fingerprint(sent.model) == tn_model_fingerprint(base.model));
    tn_base_free(&base);
    put_together(whole, &sent, &all, place, free_body);
    CHECK(tn_model_find_body(sent.model, "nobody") == 0);
    tn_base_free(&sent);
    tn_part_free(&all);
    free(free_body);
    free(mover);
    free(place);
    tn_model_destroy(whole);
}

TEST(every_scene_is_put_together_from_a_base_and_bodies_as_it_was)
{
    glob_t scenes;
    CHECK(glob(TENON_SOURCE_DIR "/scenes/*.xml", 0, NULL, &scenes) == 0);
    CHECK(scenes.gl_pathc >= 10);
    for (size_t i = 0; i < scenes.gl_pathc; i += UNLESS_SANITIZED(1, 4))
        check_scene(scenes.gl_pathv[i]);
    globfree(&scenes);
}

TEST(models_with_tendons_muscles_meshes_pairs_and_a_medium_are_put_together_as_they_were)
{
    glob_t models;
    CHECK(glob(TENON_SOURCE_DIR "/tests/oracle/models/*.xml", 0, NULL, &models) == 0);
    CHECK(models.gl_pathc >= 10);
    for (size_t i = 0; i < models.gl_pathc; i++)
        if (!strstr(models.gl_pathv[i], "attach_part")) check_scene(models.gl_pathv[i]);
    globfree(&models);
}

/* A part of a part: some bodies of some, with numbers that are not theirs in it. */
TEST(bodies_go_from_part_to_part_with_their_numbers)
{
    TnError err = {0};
    TnModel *whole = tn_model_load(TENON_SOURCE_DIR "/scenes/stir.xml", &err);
    bool *free_body = free_bodies(whole), *mover = calloc((size_t)whole->subsystem_count + 1, 1);
    for (int s = 0; s < whole->subsystem_count; s++) mover[s] = !free_body[s];
    TnBase base;
    TnPart all, some, fewer;
    CHECK(tn_base_create(whole, mover, &base) && tn_part_of_whole(whole, &all));
    bool *has = calloc((size_t)base.model->subsystem_count + 1, 1); /* no robots */
    TnBodySource sources[64];
    int count = 0;
    for (int s = 0; s < whole->subsystem_count && count < 64; s += 3)
        if (free_body[s]) sources[count++] = (TnBodySource){.number = s, .subsystem = s};
    CHECK(tn_part_make(&base, has, &all, sources, count, &some));
    CHECK(some.model->subsystem_count == count && count > 10);
    for (int i = 0; i < count / 2; i++)
        sources[i] = (TnBodySource){.number = some.subsystem[2 * i], .subsystem = 2 * i};
    CHECK(tn_part_make(&base, has, &some, sources, count / 2, &fewer));
    tn_part_free(&some);
    for (int i = 0; i < count / 2; i++) {
        int s = fewer.subsystem[i], l = whole->subsystems[s].link_start;
        const TnLink *a = &fewer.model->links[fewer.model->subsystems[i].link_start],
                     *b = &whole->links[l];
        CHECK(a->mass == b->mass && !memcmp(a->inertia, b->inertia, sizeof a->inertia));
        CHECK(fewer.body[a->body] == b->body);
        CHECK(!memcmp(fewer.model->qpos0 + 7 * i, whole->qpos0 + whole->subsystems[s].qpos_start,
                      sizeof(double[7])));
        int g = fewer.geoms[fewer.geom_start[fewer.model->subsystems[i].link_start]];
        CHECK(fewer.geom[g] == all.geoms[all.geom_start[l]]);
        CHECK(fewer.model->geoms[g].size[0] == whole->geoms[fewer.geom[g]].size[0]);
    }
    tn_part_free(&fewer);
    tn_part_free(&all);
    tn_base_free(&base);
    free(has);
    free(free_body);
    free(mover);
    tn_model_destroy(whole);
}
