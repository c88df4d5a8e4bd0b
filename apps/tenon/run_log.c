/* Logs of a run; see run_log.h. */
#include "run_log.h"

#include "../common/app.h"
#include "../common/output_file.h"
#include "../export/export.h"
#include "../export/npy.h"
#include "log_columns.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const group_names[LOG_GROUP_COUNT] = {
    "joints", "energy", "solver", "forces", "sensors", "ctrl", "actuators", "bodies"};
/* Reactions take time, and poses of all bodies follow from the joints. */
static const bool usual[LOG_GROUP_COUNT] = {
    [LOG_JOINTS] = true,  [LOG_ENERGY] = true, [LOG_SOLVER] = true,
    [LOG_SENSORS] = true, [LOG_CTRL] = true,   [LOG_ACTUATORS] = true};

struct RunLog {
    const LogOptions *options;
    LogColumns columns;
    int64_t steps, rows; /* done, and written */
    FILE *csv;
    /* of the NPZ file */
    ExportFile npz;
    FILE *spool; /* its rows so far, each with the time in front */
};

/* ---- options ---- */

static bool choose_group(LogOptions *options, const char *name, size_t length)
{
    if (length == 3 && !strncmp(name, "all", 3)) {
        for (int g = 0; g < LOG_GROUP_COUNT; g++) options->on[g] = true;
        return true;
    }
    for (int g = 0; g < LOG_GROUP_COUNT; g++)
        if (strlen(group_names[g]) == length && !strncmp(name, group_names[g], length))
            return options->on[g] = true;
    say("run",
        "--log: '%.*s' is not a group of columns; they are joints, bodies, sensors, ctrl, "
        "actuators, forces, energy, solver and all",
        (int)length, name);
    return false;
}

bool log_to_stdout(const LogOptions *options) { return options->csv && is_stdout(options->csv); }

static bool check_files(const LogOptions *options, const char *model_path)
{
    const char *csv = options->csv, *npz = options->npz;
    if (csv && !is_stdout(csv) && is_same_file(csv, model_path)) {
        say("run", "--csv: %s is the model itself", csv);
        return false;
    }
    if (npz && is_same_file(npz, model_path)) {
        say("run", "--npz: %s is the model itself", npz);
        return false;
    }
    if (npz && is_stdout(npz)) {
        say("run", "--npz needs a file; only --csv can write to stdout");
        return false;
    }
    if (csv && npz && (!strcmp(csv, npz) || is_same_file(csv, npz))) {
        say("run", "--npz: %s is the CSV file", npz);
        return false;
    }
    return true;
}

bool log_options_finish(LogOptions *options, const char *model_path)
{
    if (!options->csv && !options->npz) {
        const char *lost = options->forces      ? "--forces"
                           : options->sensors   ? "--sensors"
                           : options->groups    ? "--log"
                           : options->every > 1 ? "--log-every"
                                                : NULL;
        if (lost) say("run", "%s needs --csv FILE or --npz FILE", lost);
        return !lost;
    }
    if (options->groups) {
        for (const char *at = options->groups; *at;) {
            size_t length = strcspn(at, ",");
            if (!choose_group(options, at, length)) return false;
            at += length + (at[length] == ',');
        }
    } else {
        memcpy(options->on, usual, sizeof usual);
    }
    options->on[LOG_FORCES] |= options->forces;
    options->on[LOG_SENSORS] |= options->sensors;
    return check_files(options, model_path);
}

/* ---- CSV ---- */

static bool cannot_write(const char *path)
{
    say("run", "%s: cannot be written: %s", is_stdout(path) ? "stdout" : path,
        strerror(errno ? errno : EIO));
    return false;
}

/* Quoted where it holds a comma, a quote or a line break. */
static void write_name(FILE *out, const char *name)
{
    bool quote = name[strcspn(name, ",\"\r\n")] != '\0';
    fputs(quote ? ",\"" : ",", out);
    for (const char *s = name; *s; s++) {
        if (*s == '"') fputc('"', out);
        fputc(*s, out);
    }
    if (quote) fputc('"', out);
}

static bool open_csv(RunLog *log)
{
    const char *path = log->options->csv;
    if (!path) return true;
    errno = 0;
    if (is_stdout(path))
        log->csv = stdout;
    else if (!make_parent_folders(path) || !(log->csv = fopen(path, "w")))
        return cannot_write(path);
    fputs("time", log->csv);
    for (int i = 0; i < log->columns.count; i++) write_name(log->csv, log->columns.names[i]);
    fputc('\n', log->csv);
    return !ferror(log->csv) || cannot_write(path);
}

static bool write_csv(RunLog *log, double time)
{
    errno = 0;
    fprintf(log->csv, "%.17g", time);
    for (int i = 0; i < log->columns.count; i++) {
        double value = log->columns.row[i];
        if (isnan(value))
            fputs(",nan", log->csv);
        else
            fprintf(log->csv, ",%.17g", value);
    }
    fputc('\n', log->csv);
    return !ferror(log->csv) || cannot_write(log->options->csv);
}

static bool close_csv(RunLog *log, bool whole)
{
    if (!log->csv) return true;
    errno = 0;
    bool fine = log->csv == stdout ? fflush(stdout) == 0 : fclose(log->csv) == 0;
    log->csv = NULL;
    return fine || !whole || cannot_write(log->options->csv);
}

/* ---- NPZ ---- */

/* The rows lie beside the file that they are for, without a name: whatever happens, nothing stays.
 */
static FILE *open_spool(const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) return tmpfile();
    size_t size = strlen(path) + 48;
    char *beside = malloc(size);
    FILE *spool = NULL;
    if (beside) {
        snprintf(beside, size, "%s.%ld.rows", path, (long)getpid());
        spool = fopen(beside, "wb+x");
        if (spool) unlink(beside);
    }
    free(beside);
    return spool;
}

static bool open_npz(RunLog *log)
{
    const char *path = log->options->npz;
    if (!path) return true;
    errno = 0;
    if (!make_parent_folders(path)) return cannot_write(path);
    log->spool = open_spool(path);
    return (log->spool || cannot_write(path)) && export_file_open_as("run", &log->npz, path);
}

static bool write_spool(RunLog *log, double time)
{
    size_t count = (size_t)log->columns.count;
    errno = 0;
    bool fine = fwrite(&time, sizeof time, 1, log->spool) == 1 &&
                fwrite(log->columns.row, sizeof(double), count, log->spool) == count;
    return fine || cannot_write(log->options->npz);
}

/* Columns `first` to `last` - 1 of all rows; the time is column 0. */
static bool copy_columns(RunLog *log, Zip *zip, int first, int last)
{
    size_t count = (size_t)log->columns.count + 1;
    double *row = malloc(count * sizeof *row);
    bool fine = row && fseek(log->spool, 0, SEEK_SET) == 0;
    for (int64_t i = 0; i < log->rows && fine; i++)
        fine = fread(row, sizeof *row, count, log->spool) == count &&
               zip_write(zip, row + first, (size_t)(last - first) * sizeof *row);
    free(row);
    return fine && zip_end(zip);
}

static const char *column_name(const void *columns, int index, char *buffer)
{
    (void)buffer;
    return ((char *const *)columns)[index];
}

static bool write_npz(RunLog *log, Zip *zip)
{
    char shape[64], names[64], type[NPY_TYPE_SIZE];
    const LogColumns *c = &log->columns;
    npy_type('f', 8, type);
    snprintf(shape, sizeof shape, "%lld,", (long long)log->rows);
    if (!npy_begin(zip, "time", type, shape) || !copy_columns(log, zip, 0, 1)) return false;
    for (int g = 0; g < LOG_GROUP_COUNT; g++) {
        int first = c->first[g], last = c->first[g + 1];
        if (first == last) continue;
        snprintf(shape, sizeof shape, "%lld,%d", (long long)log->rows, last - first);
        snprintf(names, sizeof names, "%s_names", group_names[g]);
        if (!npy_begin(zip, group_names[g], type, shape) ||
            !copy_columns(log, zip, first + 1, last + 1) ||
            !npy_names(zip, names, last - first, column_name, c->names + first))
            return false;
    }
    zip_finish(zip);
    return true;
}

static bool close_npz(RunLog *log, bool whole)
{
    bool fine = true;
    if (log->npz.out && whole) {
        Zip zip = {.out = log->npz.out};
        errno = 0;
        fine = fflush(log->spool) == 0 && write_npz(log, &zip);
        zip_drop(&zip);
        if (!fine) cannot_write(log->options->npz);
    }
    if (log->npz.out && whole && fine)
        fine = export_file_close(&log->npz);
    else
        export_file_drop(&log->npz);
    if (log->spool) fclose(log->spool);
    log->spool = NULL;
    return fine;
}

/* ---- both ---- */

RunLog *log_open(const LogOptions *options, TnWorld *world, bool solver)
{
    RunLog *log = calloc(1, sizeof *log);
    if (!log || !log_columns_create(&log->columns, options, world, solver)) {
        say("run", "no memory for the log");
        if (log) log_columns_free(&log->columns);
        free(log);
        return NULL;
    }
    log->options = options;
    if (open_csv(log) && open_npz(log)) return log;
    log_close(log, false);
    return NULL;
}

bool log_step(RunLog *log, TnWorld *world, const TnStepReport *report)
{
    TnError err = {0};
    if (++log->steps % log->options->every != 0) return true;
    if (!log_columns_fill(&log->columns, world, report, &err)) {
        say("run", "%s", err.message);
        return false;
    }
    double time = tn_world_state(world).time;
    log->rows++;
    return (!log->csv || write_csv(log, time)) && (!log->spool || write_spool(log, time));
}

bool log_close(RunLog *log, bool whole)
{
    if (!log) return true;
    bool fine = close_csv(log, whole);
    fine = close_npz(log, whole) && fine;
    log_columns_free(&log->columns);
    free(log);
    return fine;
}
