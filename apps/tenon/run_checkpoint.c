/* See run_checkpoint.h. */
#include "run_checkpoint.h"

#include "../common/app.h"
#include "../common/replace_file.h"
#include "platform/files.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC "TNCHECK"
enum { VERSION = 2 };

typedef struct Head {
    char magic[8];
    uint32_t version, bytes; /* of this head */
    uint64_t model, settings;
    uint64_t state_bytes;
    RunPlace place;
    uint64_t checksum; /* of all before it */
} Head;

_Static_assert(sizeof(RunPlace) == 8 * (1 + 3 + 15), "places have no padding");
_Static_assert(sizeof(Head) == 40 + sizeof(RunPlace) + 8, "the head has no padding");

/* FNV-1a */
static uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++) h = (h ^ p[i]) * UINT64_C(1099511628211);
    return h;
}

static uint64_t checksum(const Head *head)
{
    return hash(UINT64_C(14695981039346656037), head, offsetof(Head, checksum));
}

/* Of what a world is made with, all that changes bits. */
static uint64_t settings_of(const TnWorldDef *def)
{
    const TnSolverDef *s = &def->solver;
    double numbers[] = {s->tolerance,     s->over_relaxation, s->weight_scale, s->warm_start,
                        s->contact_ratio, def->sleep_speed,   def->sleep_time, def->accuracy};
    int integers[] = {(int)s->method,          s->iterations,        s->anderson,
                      (int)def->sleep,         def->passes,          def->substeps,
                      (int)def->division.kind, def->division.pieces, def->division.group_size,
                      (int)def->device,        (int)def->spread,     def->halvings};
    uint64_t h = hash(UINT64_C(14695981039346656037), numbers, sizeof numbers);
    return hash(h, integers, sizeof integers);
}

/* ---- options ---- */

bool checkpoint_check(const CheckpointOptions *options, const char *model_path)
{
    if (!options->path) {
        if (options->every > 0) say("run", "--every needs --checkpoint FILE");
        return options->every <= 0;
    }
    if (!is_same_file(options->path, model_path)) return true;
    say("run", "--checkpoint: %s is the model itself", options->path);
    return false;
}

bool checkpoint_is_due(const CheckpointOptions *options, const TnWorld *world, int64_t step)
{
    if (!options->path) return false;
    double timestep = tn_model_info(tn_world_model(world)).option.timestep;
    double every = options->every > 0 ? options->every : CHECKPOINT_DEFAULT_EVERY;
    int64_t steps = llround(every / timestep);
    return step % (steps > 0 ? steps : 1) == 0;
}

/* ---- reading ---- */

static char *read_all(const char *path, size_t *size)
{
    FILE *file = file_is_readable(path) ? tn_stream_open(path, "r") : NULL;
    char *bytes = NULL;
    *size = 0;
    if (!file) return NULL;
    bool ok = fseeko(file, 0, SEEK_END) == 0;
    off_t end = ok ? ftello(file) : -1;
    if (end >= 0 && fseeko(file, 0, SEEK_SET) == 0) bytes = malloc((size_t)end + 1);
    if (bytes) *size = fread(bytes, 1, (size_t)end, file);
    fclose(file);
    return bytes;
}

/* What a run can come to: so small that no sum of two overflows. */
#define MOST (INT64_C(1) << 53)
static bool is_count(int64_t n) { return n >= 0 && n < MOST; }

/* The checksum may be forged, too. */
static bool is_possible(const RunPlace *place)
{
    const LogPlace *log = &place->log;
    const RecordPlace *record = &place->record;
    const TnEnergyAccount *a = &record->account_shift;
    double sum = a->actuators + a->applied + a->friction + a->damping + a->impacts + a->step +
                 a->push_out + a->unsolved;
    return is_count(place->step) && is_count(log->steps) && is_count(log->rows) &&
           log->rows <= log->steps && is_count(log->csv_bytes) && is_count(record->file_frames) &&
           record->file_frames <= INT_MAX && is_count(record->frame_count) &&
           is_count(record->next) && record->step_shift > -MOST && record->step_shift < MOST &&
           isfinite(sum + a->created) && fabs(record->start) <= 1e12 &&
           fabs(record->time_shift) <= 1e15;
}

/* Why the bytes are no checkpoint of the model; NULL: they are one. */
static const char *refuse(const Head *head, size_t size, const TnModel *model)
{
    if (size < sizeof *head || memcmp(head->magic, MAGIC, sizeof head->magic) != 0)
        return "is not a checkpoint of tenon run";
    if (head->version != VERSION || head->bytes != sizeof *head)
        return "was written by another version of tenon; resume with that one";
    if (checksum(head) != head->checksum)
        return "is damaged; start again, or resume from another one";
    if (head->state_bytes != size - sizeof *head)
        return "is cut short or damaged; start again, or resume from another one";
    if (head->model != tn_model_fingerprint(model))
        return "belongs to another model, or the model was changed since; what moves must be the "
               "same";
    if (!is_possible(&head->place)) return "is damaged; start again, or resume from another one";
    return NULL;
}

int checkpoint_read(const CheckpointOptions *options, const TnWorldDef *def, TnWorld *world,
                    RunPlace *place)
{
    TnError err = {0};
    Head head = {0};
    size_t size;
    *place = (RunPlace){0};
    if (!options->resume) return EXIT_FINE;
    errno = 0;
    char *bytes = read_all(options->resume, &size);
    if (!bytes) {
        say("run", "--resume: %s cannot be read: %s", options->resume,
            strerror(errno ? errno : ENOMEM));
        return EXIT_IO;
    }
    if (size >= sizeof head) memcpy(&head, bytes, sizeof head);
    const char *why = refuse(&head, size, tn_world_model(world));
    bool fine =
        !why && tn_world_restore(world, bytes + sizeof head, size - sizeof head, &err) == TN_OK;
    free(bytes);
    if (!fine) {
        say("run", "--resume: %s%s %s", options->resume, why ? "" : ":", why ? why : err.message);
        return EXIT_IO;
    }
    if (head.settings != settings_of(def))
        say("run",
            "--resume: %s was written with other options of the solver; from here on the bits are "
            "not those of one run",
            options->resume);
    *place = head.place;
    return EXIT_FINE;
}

/* ---- writing ---- */

bool checkpoint_write(const CheckpointOptions *options, const TnWorldDef *def, const TnWorld *world,
                      const RunPlace *place, int *held)
{
    TnError err = {0};
    Head head = {.magic = MAGIC,
                 .version = VERSION,
                 .bytes = sizeof head,
                 .model = tn_model_fingerprint(tn_world_model(world)),
                 .settings = settings_of(def),
                 .state_bytes = tn_world_save_size(world),
                 .place = *place};
    head.checksum = checksum(&head);
    size_t size = sizeof head + head.state_bytes;
    char *bytes = malloc(size);
    bool ok = bytes && tn_world_save(world, bytes + sizeof head, head.state_bytes, &err) == TN_OK;
    if (ok) {
        memcpy(bytes, &head, sizeof head);
        errno = 0;
        ok = replace_file(options->path, bytes, size, held);
        if (!ok && errno == EBUSY)
            say("run", "--checkpoint: another run writes %s; give this one another name",
                options->path);
        else if (!ok)
            say("run", "--checkpoint: %s cannot be written: %s", options->path,
                strerror(errno ? errno : ENOMEM));
    } else {
        say("run", "--checkpoint: %s", bytes ? err.message : "no memory");
    }
    free(bytes);
    return ok;
}
