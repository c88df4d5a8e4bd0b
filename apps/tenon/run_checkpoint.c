/* See run_checkpoint.h. */
#include "run_checkpoint.h"

#include "../common/app.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    *size = 0;
    if (!file) return NULL;
    bool ok = fseek(file, 0, SEEK_END) == 0;
    long end = ok ? ftell(file) : -1;
    if (end >= 0 && fseek(file, 0, SEEK_SET) == 0) bytes = malloc((size_t)end + 1);
    if (bytes) *size = fread(bytes, 1, (size_t)end, file);
    fclose(file);
    return bytes;
}

int checkpoint_read(const CheckpointOptions *options, TnWorld *world, int64_t *done)
{
    TnError err = {0};
    size_t size;
    *done = 0;
    if (!options->restart) return EXIT_FINE;
    errno = 0;
    char *bytes = read_all(options->restart, &size);
    if (!bytes) {
        say("run", "--restart: %s cannot be read: %s", options->restart,
            strerror(errno ? errno : ENOMEM));
        return EXIT_IO;
    }
    double start = tn_world_state(world).time;
    TnStatus status = tn_world_restore(world, bytes, size, &err);
    free(bytes);
    if (status != TN_OK) {
        say("run", "--restart: %s: %s", options->restart, err.message);
        return EXIT_IO;
    }
    double timestep = tn_model_info(tn_world_model(world)).option.timestep;
    *done = llround((tn_world_state(world).time - start) / timestep);
    return EXIT_FINE;
}

static bool write_all(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    bool ok = fwrite(bytes, 1, size, file) == size;
    ok = fflush(file) == 0 && ok && fsync(fileno(file)) == 0;
    return fclose(file) == 0 && ok;
}

/* Beside the file, then in its place. */
static bool replace(const char *path, const void *bytes, size_t size)
{
    size_t length = strlen(path);
    char *beside = malloc(length + sizeof ".part");
    if (!beside) return false;
    memcpy(beside, path, length);
    memcpy(beside + length, ".part", sizeof ".part");
    bool ok = make_parent_folders(path) && write_all(beside, bytes, size);
    ok = ok && rename(beside, path) == 0;
    free(beside);
    return ok;
}

static bool is_due(const CheckpointOptions *options, const TnWorld *world, int64_t step)
{
    double timestep = tn_model_info(tn_world_model(world)).option.timestep;
    double every = options->every > 0 ? options->every : CHECKPOINT_DEFAULT_EVERY;
    int64_t steps = llround(every / timestep);
    return step % (steps > 0 ? steps : 1) == 0;
}

bool checkpoint_step(const CheckpointOptions *options, const TnWorld *world, int64_t step,
                     int64_t steps)
{
    TnError err = {0};
    if (!options->path || (step < steps && !is_due(options, world, step))) return true;
    size_t size = tn_world_save_size(world);
    void *bytes = malloc(size);
    bool ok = bytes && tn_world_save(world, bytes, size, &err) == TN_OK;
    errno = 0;
    if (ok && !replace(options->path, bytes, size)) {
        say("run", "--checkpoint: %s cannot be written: %s", options->path,
            strerror(errno ? errno : ENOMEM));
        ok = false;
    } else if (!ok) {
        say("run", "--checkpoint: %s", bytes ? err.message : "no memory");
    }
    free(bytes);
    return ok;
}
