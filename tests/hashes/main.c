/* main.c: `hashes TABLE [THREADS [SCENE...]]` compares, `hashes --print` prints a new table.
 *
 * A line of the table has a scene of scenes/ and the hash of its state (time, qpos, qvel) after
 * STEPS steps with the default settings, for each instruction set. The numbers are no truth: they
 * say that something changed. Those of the portable kernels hold everywhere. The others depend on
 * which products a compiler fuses: the table's first line names the compiler that it was made
 * with; with another one only the portable ones are compared. Numbers of threads must agree
 * everywhere. */
#include "base/platform/files.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/tenon.h>

enum { STEPS = 30, NAME = 64, MOST = 128 };
/* a column of the table each */
static const TnInstructionSet sets[] = {TN_SET_PORTABLE, TN_SET_AVX2, TN_SET_AVX512};
enum { SET_COUNT = sizeof sets / sizeof sets[0] };

typedef struct Row {
    char scene[NAME], hash[SET_COUNT][NAME]; /* "-": not made */
    bool used;
} Row;

typedef struct Table {
    char made_with[NAME];
    Row rows[MOST];
    int count;
} Table;

typedef struct Tally {
    int threads; /* that one thread is compared with */
    int passed, failed, skipped;
} Tally;

typedef struct Scenes {
    char *paths[MOST];
    int count;
} Scenes;

static bool add_scene(void *context, const char *name)
{
    Scenes *scenes = context;
    static const char folder[] = TENON_SOURCE_DIR "/scenes/";
    size_t length = strlen(name);
    if (length < 4 || strcmp(name + length - 4, ".xml") != 0) return true;
    if (scenes->count == MOST) return false;
    char *path = malloc(sizeof folder + length);
    if (path) sprintf(path, "%s%s", folder, name);
    scenes->paths[scenes->count++] = path;
    return path;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted. */
static bool find_scenes(Scenes *scenes)
{
    int code = tn_folder_list(TENON_SOURCE_DIR "/scenes", add_scene, scenes);
    if (code) printf("    " TENON_SOURCE_DIR "/scenes: %s\n", strerror(code));
    qsort(scenes->paths, (size_t)scenes->count, sizeof scenes->paths[0], by_name);
    return code == 0 && scenes->count > 0;
}

static void free_scenes(Scenes *scenes)
{
    for (int i = 0; i < scenes->count; i++) free(scenes->paths[i]);
}

static void describe_tools(char out[NAME])
{
#if defined(__clang__)
    snprintf(out, NAME, "clang %d", __clang_major__);
#else
    snprintf(out, NAME, "gcc %d", __GNUC__);
#endif
}

/* Of a scene after STEPS steps; false, and said: it does not run. */
static bool hash_of(const char *path, int threads, uint64_t *hash)
{
    TnError err = {0};
    TnModel *model = tn_model_load(path, &err);
    TnWorldDef def = tn_world_def();
    def.thread_count = threads;
    TnWorld *world = tn_world_create(&def, model, &err);
    bool good = world != NULL;
    if (!good) printf("    %s: %s\n", path, err.message);
    for (int k = 0; k < STEPS && good; k++) {
        good = !tn_world_step(world).diverged;
        if (!good) printf("    %s: step %d refused\n", path, k + 1);
    }
    if (good) *hash = tn_world_hash(world);
    tn_world_destroy(world);
    tn_model_destroy(model);
    return good;
}

static void scene_name(const char *path, char out[NAME])
{
    const char *file = strrchr(path, '/') + 1;
    snprintf(out, NAME, "%.*s", (int)strcspn(file, "."), file);
}

static int print_table(const Scenes *scenes)
{
    char tools[NAME], name[NAME];
    describe_tools(tools);
    printf("made with %s\n", tools);
    for (size_t i = 0; i < (size_t)scenes->count; i++) {
        scene_name(scenes->paths[i], name);
        printf("%-14s", name);
        for (int set = 0; set < SET_COUNT; set++) {
            uint64_t hash = 0;
            if (!tn_use_instruction_set(sets[set]))
                printf(" %-16s", "-");
            else if (hash_of(scenes->paths[i], 1, &hash))
                printf(" %016" PRIx64, hash);
            else
                return 1;
        }
        printf("\n");
    }
    return 0;
}

static bool read_table(const char *path, Table *table)
{
    char line[256];
    FILE *file = fopen(path, "r");
    bool good = file && fgets(line, sizeof line, file) &&
                sscanf(line, "made with %63[^\n]", table->made_with) == 1;
    while (good && fgets(line, sizeof line, file)) {
        Row *row = &table->rows[table->count++];
        good = table->count < MOST && sscanf(line, "%63s %63s %63s %63s", row->scene, row->hash[0],
                                             row->hash[1], row->hash[2]) == 4;
    }
    if (file) fclose(file);
    if (!good) printf("    %s cannot be read\n", path);
    return good && table->count > 0;
}

static Row *find_row(Table *table, const char *scene)
{
    for (int i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].scene, scene) == 0) return &table->rows[i];
    return NULL;
}

static void check_threads(const char *path, const char *name, int set, uint64_t one, Tally *tally)
{
    uint64_t many = 0;
    if (hash_of(path, tally->threads, &many) && many == one) {
        tally->passed++;
    } else {
        printf("FAIL %s, %s: 1 thread %016" PRIx64 ", %d threads %016" PRIx64 "\n", name,
               tn_instruction_set_name(sets[set]), one, tally->threads, many);
        tally->failed++;
    }
}

static void check_hash(const Row *row, int set, uint64_t hash, bool same_tools, Tally *tally)
{
    char got[NAME];
    snprintf(got, sizeof got, "%016" PRIx64, hash);
    if ((!same_tools && sets[set] != TN_SET_PORTABLE) || strcmp(row->hash[set], "-") == 0) {
        tally->skipped++;
    } else if (strcmp(row->hash[set], got) == 0) {
        tally->passed++;
    } else {
        printf("FAIL %s, %s: expected %s, got %s\n", row->scene, tn_instruction_set_name(sets[set]),
               row->hash[set], got);
        tally->failed++;
    }
}

/* Threads are compared on the best set that there is. */
static void check_scene(const char *path, Table *table, bool same_tools, Tally *tally)
{
    char name[NAME];
    scene_name(path, name);
    Row *row = find_row(table, name);
    if (!row) {
        printf("FAIL %s: not in the table\n", name);
        tally->failed++;
        return;
    }
    row->used = true;
    bool compared = false;
    for (int set = SET_COUNT - 1; set >= 0; set--) {
        uint64_t hash = 0;
        bool here = tn_use_instruction_set(sets[set]);
        if (here && (same_tools || !compared || sets[set] == TN_SET_PORTABLE) &&
            !hash_of(path, 1, &hash)) {
            tally->failed++;
            continue;
        }
        if (here && !compared) check_threads(path, name, set, hash, tally);
        compared |= here;
        if (here)
            check_hash(row, set, hash, same_tools, tally);
        else
            tally->skipped++;
    }
}

static bool is_wanted(const char *path, char *const *wanted)
{
    char name[NAME];
    scene_name(path, name);
    for (int i = 0; wanted[i]; i++)
        if (strcmp(wanted[i], name) == 0) return true;
    return !wanted[0];
}

/* wanted: scenes; none: all, and the table has no others */
static void check_table(const Scenes *scenes, char *const *wanted, Table *table, Tally *tally)
{
    char tools[NAME];
    describe_tools(tools);
    bool same_tools = strcmp(tools, table->made_with) == 0;
    if (!same_tools)
        printf("    portable kernels only: the others of the table are of %s; this is %s\n",
               table->made_with, tools);
    for (size_t i = 0; i < (size_t)scenes->count; i++)
        if (is_wanted(scenes->paths[i], wanted))
            check_scene(scenes->paths[i], table, same_tools, tally);
    for (int i = 0; i < table->count; i++) {
        if (table->rows[i].used || wanted[0]) continue;
        printf("FAIL %s: in the table, but not in scenes/\n", table->rows[i].scene);
        tally->failed++;
    }
    if (tally->failed && same_tools)
        printf("    A change of numbers that is meant: CONTRIBUTING.md, Hashes of the scenes\n");
}

int main(int argc, char **argv)
{
    static Scenes scenes;
    static Table table;
    Tally tally = {.threads = argc > 2 ? atoi(argv[2]) : 64};
    if (argc < 2 || tally.threads < 1) {
        printf("hashes TABLE [THREADS [SCENE...]] | hashes --print\n");
        return 2;
    }
    if (!find_scenes(&scenes)) {
        printf("0 passed, 1 failed\n");
        return 1;
    }
    if (strcmp(argv[1], "--print") == 0) {
        int status = print_table(&scenes);
        free_scenes(&scenes);
        return status;
    }
    if (read_table(argv[1], &table))
        check_table(&scenes, argv + (argc < 3 ? argc : 3), &table, &tally);
    else
        tally.failed = 1;
    free_scenes(&scenes);
    printf("%d passed, %d failed", tally.passed, tally.failed);
    if (tally.skipped) printf(", %d skipped", tally.skipped);
    printf("\n");
    return tally.failed ? 1 : 0;
}
