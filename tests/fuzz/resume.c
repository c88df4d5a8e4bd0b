/* resume.c: checkpoints of `tenon run`, and the log and the recording that it goes on with, changed
 * by somebody. The bytes are patches of good files: which file, where, and what. The checksums of
 * the checkpoint are then made right, for otherwise nothing would get past them.
 *
 * A run that goes on ends with one of its exit codes. */
#include "../../apps/common/app.h"
#include "../../apps/tenon/commands.h"
#include "fuzz.h"
#include "state/hash.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const char scene[] =
    "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='1 1 1'/>"
    "<body pos='0 0 .1'><freejoint/><geom size='.1'/></body><body pos='1 0 1'><joint name='j' "
    "axis='0 1 0'/><geom size='.1' pos='.1 0 0'/></body></worldbody><actuator><motor joint='j'/>"
    "</actuator></mujoco>";

enum { CHECKPOINT, LOG, RECORDING, FILE_COUNT, HEAD = 184 };

typedef struct Bytes {
    uint8_t *data;
    size_t size;
} Bytes;

static int run(const char *model, const char *paths[FILE_COUNT], bool resume)
{
    TnError err = {0};
    const char *arguments[] = {model,
                               "--csv",
                               paths[LOG],
                               "--record",
                               paths[RECORDING],
                               resume ? "--resume" : "--checkpoint",
                               paths[CHECKPOINT],
                               "--duration",
                               resume ? "0.1" : "0.05",
                               "--record-state",
                               "--quiet"};
    say_into(&err);
    int code = cmd_run(sizeof arguments / sizeof arguments[0], (char **)arguments);
    say_into(NULL);
    FUZZ_CHECK(code == EXIT_FINE || err.message[0]);
    return code;
}

static Bytes take_file(const char *path)
{
    Bytes bytes = {.data = malloc(1 << 20)};
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file && bytes.data);
    bytes.size = fread(bytes.data, 1, 1 << 20, file);
    fclose(file);
    FUZZ_CHECK(bytes.size && unlink(path) == 0);
    return bytes;
}

/* Half a run, as it leaves its files. */
static void make_files(const char *model, Bytes files[FILE_COUNT])
{
    static const char *const names[FILE_COUNT] = {"c", "l", "r"};
    char folder[] = "/tmp/fuzz-resume-XXXXXX", text[FILE_COUNT][64];
    const char *paths[FILE_COUNT];
    FUZZ_CHECK(mkdtemp(folder));
    for (int i = 0; i < FILE_COUNT; i++) {
        snprintf(text[i], sizeof text[i], "%s/%s", folder, names[i]);
        paths[i] = text[i];
    }
    FUZZ_CHECK(run(model, paths, false) == EXIT_FINE);
    for (int i = 0; i < FILE_COUNT; i++) files[i] = take_file(paths[i]);
    FUZZ_CHECK(rmdir(folder) == 0);
}

/* In the head of a checkpoint mostly its numbers; zeros behind the end of a file make it longer. */
static void patch(FuzzBytes *b, Bytes *file, size_t room)
{
    static const int64_t integers[] = {0, 1, -1, 5, INT64_MAX, INT64_MIN, INT32_MAX, 1000000};
    static const double numbers[] = {0.0, 0.05, -1.0, 1e300, INFINITY, NAN, 1e9, 1e-300};
    int what = fuzz_pick(b, 4);
    size_t at = fuzz_byte(b) + 256u * fuzz_byte(b);
    if (what < 3) at = at * 8 % (HEAD + 64);
    at %= room - 8;
    if (at > file->size) memset(file->data + file->size, 0, at - file->size);
    if (what == 0)
        memcpy(file->data + at, &integers[fuzz_pick(b, 8)], 8);
    else if (what == 1)
        memcpy(file->data + at, &numbers[fuzz_pick(b, 8)], 8);
    else if (what == 2)
        for (int k = 0; k < 8; k++) file->data[at + (size_t)k] = (uint8_t)fuzz_byte(b);
    else
        file->data[at] = (uint8_t)fuzz_byte(b);
    if (at + 8 > file->size && fuzz_chance(b, 128)) file->size = at + 8;
    if (fuzz_chance(b, 20)) file->size = at;
}

static void sign(Bytes *file)
{
    if (file->size < HEAD) return;
    uint64_t sum = tn_hash_bytes(TN_HASH_START, file->data, HEAD - 8);
    memcpy(file->data + HEAD - 8, &sum, sizeof sum);
    fuzz_sign_state(file->data + HEAD, file->size - HEAD);
}

void fuzz_resume(const uint8_t *data, size_t size)
{
    static Bytes good[FILE_COUNT];
    static FuzzFile model;
    if (!good[0].data) { /* kept over all calls */
        model = fuzz_file(scene, sizeof scene - 1);
        make_files(model.path, good);
    }
    FuzzBytes b = {data, size};
    Bytes files[FILE_COUNT];
    for (int i = 0; i < FILE_COUNT; i++) {
        files[i] = (Bytes){calloc(good[i].size + 4096, 1), good[i].size};
        FUZZ_CHECK(files[i].data);
        memcpy(files[i].data, good[i].data, good[i].size);
    }
    for (int k = 0; k < 8 && b.left; k++) {
        int which = fuzz_chance(&b, 160) ? CHECKPOINT : LOG + fuzz_pick(&b, 2);
        patch(&b, &files[which], good[which].size + 4096);
    }
    sign(&files[CHECKPOINT]);
    FuzzFile made[FILE_COUNT];
    const char *paths[FILE_COUNT];
    for (int i = 0; i < FILE_COUNT; i++) {
        made[i] = fuzz_file(files[i].data, files[i].size);
        paths[i] = made[i].path;
        free(files[i].data);
    }
    run(model.path, paths, true);
    for (int i = 0; i < FILE_COUNT; i++) fuzz_file_close(&made[i]);
}
