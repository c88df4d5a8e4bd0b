/* All scenes of the repository, and random models, in parts: the same bits on any number of ranks,
 * whether these have the model or not. Ranks are threads here (thread_ranks.h, pthread). */
#include "../check.h"

#include <glob.h>

#include "../search/model.h"
#include "spread_runs.h"

/* On 2 and 4 ranks or on 3 and 8, one of them with the model on all ranks and one with it on rank 0
 * alone; over several runs, each number of ranks in both ways. */
static void compare(Run *alone, int number)
{
    static const int counts[] = {2, 3, 4, 8};
    alone->def.spread = true;
    step_world(alone, NULL);
    for (int k = number % 2; k < UNLESS_SANITIZED(4, 2); k += 2) {
        alone->all_have = (k / 2 + number / 2) % 2;
        check_ranks(alone, counts[k], NULL);
    }
}

TEST(every_scene_has_the_same_bits_on_two_to_eight_ranks)
{
    glob_t scenes;
    CHECK(glob(TENON_SOURCE_DIR "/scenes/*.xml", 0, NULL, &scenes) == 0);
    CHECK(scenes.gl_pathc >= 10);
    for (size_t i = 0; i < scenes.gl_pathc; i += UNLESS_SANITIZED(1, 3)) {
        TnError err = {0};
        TnModel *model = tn_model_load(scenes.gl_pathv[i], &err);
        CHECK(model);
        Run alone = {.model = model, .def = tn_world_def(), .steps = UNLESS_SANITIZED(8, 4)};
        alone.def.solver.tolerance = 0.0;
        alone.def.solver.iterations = 10;
        compare(&alone, (int)i);
        CHECK(alone.refused[0] == 0);
        tn_model_destroy(model);
    }
    globfree(&scenes);
}

/* Trees, loops, tendons, cables and soft bodies that meet; to the tolerance, and with fixed
 * iterations. */
TEST(random_models_have_the_same_bits_on_two_to_eight_ranks)
{
    int steps = 0, refused = 0, contacts = 0, count = UNLESS_SANITIZED(2, 1) * THEME_COUNT;
    for (int seed = 1; seed <= count; seed++) {
        Sketch sketch;
        TnModel *model;
        TnError err = {0};
        sketch_generate(&sketch, (uint64_t)seed, (Theme)(seed % THEME_COUNT));
        char *text = sketch_text(&sketch, &model, &err);
        CHECK(model);
        Run alone = {.model = model, .def = tn_world_def(), .steps = UNLESS_SANITIZED(60, 40)};
        alone.def.key = tn_model_find_key(model, "start");
        if (seed / THEME_COUNT % 2) alone.def.solver.tolerance = 0.0;
        alone.def.solver.iterations = 30;
        compare(&alone, seed);
        steps += alone.steps;
        contacts += alone.contacts[0];
        refused += alone.refused[0];
        tn_model_destroy(model);
        free(text);
    }
    CHECK(contacts > steps / 4); /* they meet */
    CHECK(refused <= steps / 100);
}
