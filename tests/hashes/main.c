/* main.c: `hashes TABLE` compares, `hashes --print` prints a new table.
 *
 * A line of the table has a scene of scenes/ and the hash of its state (time, qpos, qvel) after
 * STEPS steps with the default settings, for each instruction set. The numbers are no truth: they
 * say that something changed. Compilers and mathematical libraries round differently, so the
 * table's first line names those that it was made with; with others nothing is compared. Numbers
 * of threads must agree everywhere. */
#include <glob.h>
#include <gnu/libc-version.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <tenon/tenon.h>

#include "forced.h"

enum { STEPS = 30, THREADS = 3, NAME = 64, MOST = 128 };

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
    int passed, failed, skipped;
} Tally;

/* libm has variants with FMA, and takes them where it can */
static void describe_tools(char out[NAME])
{
#if defined(__clang__)
    const char *compiler = "clang";
    int version = __clang_major__;
#else
    const char *compiler = "gcc";
    int version = __GNUC__;
#endif
#if defined(__x86_64__)
    const char *processor = __builtin_cpu_supports("fma") ? "x86-64 with FMA" : "x86-64";
#else
    const char *processor = "another processor";
#endif
    snprintf(out, NAME, "%s %d, glibc %s, %s", compiler, version, gnu_get_libc_version(),
             processor);
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

static int print_table(const glob_t *scenes)
{
    char tools[NAME], name[NAME];
    describe_tools(tools);
    printf("made with %s\n", tools);
    for (size_t i = 0; i < scenes->gl_pathc; i++) {
        scene_name(scenes->gl_pathv[i], name);
        printf("%-14s", name);
        for (Set set = 0; set < SET_COUNT; set++) {
            uint64_t hash = 0;
            if (!force_set(set))
                printf(" %-16s", "-");
            else if (hash_of(scenes->gl_pathv[i], 1, &hash))
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

static void check_threads(const char *path, const char *name, Set set, uint64_t one, Tally *tally)
{
    uint64_t many = 0;
    if (hash_of(path, THREADS, &many) && many == one) {
        tally->passed++;
    } else {
        printf("FAIL %s, %s: 1 thread %016" PRIx64 ", %d threads %016" PRIx64 "\n", name,
               set_names[set], one, THREADS, many);
        tally->failed++;
    }
}

static void check_hash(const Row *row, Set set, uint64_t hash, bool same_tools, Tally *tally)
{
    char got[NAME];
    snprintf(got, sizeof got, "%016" PRIx64, hash);
    if (!same_tools || strcmp(row->hash[set], "-") == 0) {
        tally->skipped++;
    } else if (strcmp(row->hash[set], got) == 0) {
        tally->passed++;
    } else {
        printf("FAIL %s, %s: expected %s, got %s\n", row->scene, set_names[set], row->hash[set],
               got);
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
        bool here = force_set((Set)set);
        if (here && (same_tools || !compared) && !hash_of(path, 1, &hash)) {
            tally->failed++;
            continue;
        }
        if (here && !compared) check_threads(path, name, (Set)set, hash, tally);
        compared |= here;
        if (here)
            check_hash(row, (Set)set, hash, same_tools, tally);
        else
            tally->skipped++;
    }
}

static void check_table(const glob_t *scenes, Table *table, Tally *tally)
{
    char tools[NAME];
    describe_tools(tools);
    bool same_tools = strcmp(tools, table->made_with) == 0;
    if (!same_tools)
        printf("    skipped: table made with %s; this is %s\n", table->made_with, tools);
    for (size_t i = 0; i < scenes->gl_pathc; i++)
        check_scene(scenes->gl_pathv[i], table, same_tools, tally);
    for (int i = 0; i < table->count; i++) {
        if (table->rows[i].used) continue;
        printf("FAIL %s: in the table, but not in scenes/\n", table->rows[i].scene);
        tally->failed++;
    }
    if (tally->failed && same_tools)
        printf("    A change of numbers that is meant: CONTRIBUTING.md, Hashes of the scenes\n");
}

int main(int argc, char **argv)
{
    glob_t scenes = {0};
    static Table table;
    Tally tally = {0};
    if (argc != 2) {
        printf("hashes TABLE | hashes --print\n");
        return 2;
    }
    if (glob(TENON_SOURCE_DIR "/scenes/*.xml", 0, NULL, &scenes) != 0) {
        printf("0 passed, 1 failed\n");
        return 1;
    }
    if (strcmp(argv[1], "--print") == 0) {
        int status = print_table(&scenes);
        globfree(&scenes);
        return status;
    }
    if (read_table(argv[1], &table))
        check_table(&scenes, &table, &tally);
    else
        tally.failed = 1;
    globfree(&scenes);
    printf("%d passed, %d failed", tally.passed, tally.failed);
    if (tally.skipped) printf(", %d skipped", tally.skipped);
    printf("\n");
    return tally.failed ? 1 : 0;
}
