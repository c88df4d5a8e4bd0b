/* replay.c: runs targets over files, without searching:
 *
 *     replay FOLDER            FOLDER/TARGET/FILE, each by its target: the committed seeds
 *     replay TARGET FILE...    these files
 *
 * A finding ends the program; what is printed last is the file that did it. */
#include "fuzz.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#define FUZZ_ROW(NAME) {#NAME, fuzz_##NAME},
static const struct {
    const char *name;
    FuzzTarget *run;
} targets[] = {FUZZ_TARGETS(FUZZ_ROW)};
enum { TARGET_COUNT = sizeof targets / sizeof targets[0] };

static bool run_file(FuzzTarget *run, const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (!file || fstat(fileno(file), &about) != 0) {
        fprintf(stderr, "%s: cannot be read\n", path);
        if (file) fclose(file);
        return false;
    }
    size_t size = (size_t)about.st_size;
    uint8_t *data = malloc(size + 1);
    bool fine = data && fread(data, 1, size, file) == size;
    fclose(file);
    printf("%s\n", path);
    fflush(stdout);
    if (fine) run(data, size);
    free(data);
    return fine;
}

static int is_name(const struct dirent *entry) { return entry->d_name[0] != '.'; }

/* How many files of a folder ran; -1: one could not be read. */
static int run_folder(FuzzTarget *run, const char *folder)
{
    struct dirent **names = NULL;
    int count = scandir(folder, &names, is_name, alphasort), done = 0;
    for (int i = 0; i < count; i++) {
        char path[4608];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        done = done >= 0 && run_file(run, path) ? done + 1 : -1;
        free(names[i]);
    }
    free(names);
    return count < 0 ? -1 : done;
}

static int run_all(const char *folder)
{
    int passed = 0, failed = 0;
    for (int t = 0; t < TARGET_COUNT; t++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, targets[t].name);
        if (run_folder(targets[t].run, path) > 0)
            passed++;
        else
            failed++, printf("FAIL %s: no seeds, or one cannot be read\n", targets[t].name);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
    if (argc == 2) return run_all(argv[1]);
    for (int t = 0; t < TARGET_COUNT && argc > 2; t++) {
        if (strcmp(argv[1], targets[t].name) != 0) continue;
        bool fine = true;
        for (int i = 2; i < argc; i++) fine = run_file(targets[t].run, argv[i]) && fine;
        return fine ? 0 : 1;
    }
    fprintf(stderr, "usage: replay FOLDER | replay TARGET FILE...\n");
    return 2;
}
