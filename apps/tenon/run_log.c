/* Logs of a run; see run_log.h. */
#include "run_log.h"

#include "../common/app.h"
#include "../common/output_file.h"
#include "../export/export.h"
#include "../export/npy.h"
#include "log_columns.h"
#include "platform/files.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    FILE *spool;     /* its rows so far, each with the time in front */
    char *rows_path; /* of the spool; NULL: it has no name */
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

static void write_header(const RunLog *log, FILE *out)
{
    fputs("time", out);
    for (int i = 0; i < log->columns.count; i++) write_name(out, log->columns.names[i]);
    fputc('\n', out);
}

static bool is_regular(const char *path)
{
    TnFileInfo about;
    return tn_file_info(path, &about) == 0 && about.kind == TN_FILE_REGULAR;
}

/* The file begins with the header that it would have now, and ends a line at byte `end`. */
static bool is_own_csv(const RunLog *log, FILE *file, int64_t end)
{
    char *header = NULL;
    size_t size = 0;
    FILE *out = tn_stream_open_memory(&header, &size);
    bool fine = out != NULL;
    if (out) {
        write_header(log, out);
        fine = tn_stream_close_memory(out, &header, &size) == 0 && end >= (int64_t)size;
    }
    for (size_t i = 0; fine && i < size; i++) fine = fgetc(file) == (unsigned char)header[i];
    free(header);
    return fine && tn_stream_seek(file, end - 1) == 0 && fgetc(file) == '\n';
}

static bool cut_at(FILE *file, const char *path, int64_t bytes)
{
    errno = tn_stream_cut(file, bytes);
    return errno == 0 || cannot_write(path);
}

/* Goes on behind byte `bytes`; what an earlier run wrote there it will write again. */
static bool continue_csv(RunLog *log, int64_t bytes)
{
    const char *path = log->options->csv;
    log->csv = tn_stream_open(path, "r+");
    if (!log->csv) return cannot_write(path);
    if (is_own_csv(log, log->csv, bytes)) return cut_at(log->csv, path, bytes);
    say("run",
        "--csv: %s is not the log of the run that is resumed: it has other columns or is too "
        "short; give the log another name",
        path);
    return false;
}

static bool open_csv(RunLog *log, int64_t from)
{
    const char *path = log->options->csv;
    if (!path) return true;
    errno = 0;
    if (from > 0 && is_regular(path)) return continue_csv(log, from);
    if (is_stdout(path))
        log->csv = stdout;
    else if (!make_parent_folders(path) || !(log->csv = tn_stream_open(path, "w")))
        return cannot_write(path);
    write_header(log, log->csv);
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

/* FILE.rows, behind the rows that are there already. NULL and a message. */
static FILE *open_named_rows(RunLog *log, int64_t rows)
{
    const char *path = log->options->npz;
    size_t size = strlen(path) + sizeof ".rows";
    log->rows_path = malloc(size);
    if (!log->rows_path) {
        say("run", "no memory for the log");
        return NULL;
    }
    snprintf(log->rows_path, size, "%s.rows", path);
    TnFileInfo about;
    int64_t row_bytes = (int64_t)sizeof(double) * (log->columns.count + 1);
    bool there =
        rows > 0 && tn_file_info(log->rows_path, &about) == 0 && about.kind == TN_FILE_REGULAR;
    if (there ? about.size / row_bytes < rows : rows > 0 && is_regular(path)) {
        say("run",
            "--npz: %s does not have the rows of the run that is resumed; give the log "
            "another name",
            log->rows_path);
        return NULL;
    }
    if (!there) log->rows = 0;
    errno = 0;
    FILE *spool = tn_stream_open(log->rows_path, there ? "r+" : "w+");
    if (!spool) cannot_write(log->rows_path);
    if (spool && there && !cut_at(spool, log->rows_path, rows * row_bytes)) {
        fclose(spool);
        return NULL;
    }
    return spool;
}

/* The rows lie beside the file that they are for, without a name: whatever happens, nothing stays.
 */
static FILE *open_spool(const char *path)
{
    TnFileInfo about;
    if (tn_file_info(path, &about) == 0 && about.kind != TN_FILE_REGULAR) return tmpfile();
    return tn_stream_nameless(path);
}

static bool open_npz(RunLog *log, const LogStart *start)
{
    const char *path = log->options->npz;
    if (!path) return true;
    errno = 0;
    if (!make_parent_folders(path)) return cannot_write(path);
    if (start->named_rows) { /* the file itself is opened in the end: a kill leaves no half of it */
        log->spool = open_named_rows(log, start->from.rows);
        return log->spool;
    }
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
    if (log->spool && log->rows_path && whole)
        fine = export_file_open_as("run", &log->npz, log->options->npz);
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
    free(log->rows_path);
    return fine;
}

/* ---- both ---- */

RunLog *log_open(const LogOptions *options, TnWorld *world, const LogStart *start)
{
    RunLog *log = calloc(1, sizeof *log);
    if (!log || !log_columns_create(&log->columns, options, world, start->solver)) {
        say("run", "no memory for the log");
        if (log) log_columns_free(&log->columns);
        free(log);
        return NULL;
    }
    log->options = options;
    log->steps = start->from.steps;
    log->rows = start->from.rows;
    if (open_csv(log, start->from.csv_bytes) && open_npz(log, start)) return log;
    log_close(log, false);
    return NULL;
}

/* Rows are on the disk behind this; what is no file has nothing to sync. */
static bool bring_to_disk(FILE *file, const char *path)
{
    errno = tn_stream_to_disk(file);
    return errno == 0 || errno == EINVAL || errno == EROFS || cannot_write(path);
}

bool log_mark(RunLog *log, LogPlace *place)
{
    *place = (LogPlace){0};
    if (!log) return true;
    *place = (LogPlace){.steps = log->steps, .rows = log->rows};
    if (log->csv && !bring_to_disk(log->csv, log->options->csv)) return false;
    if (log->spool && !bring_to_disk(log->spool, log->options->npz)) return false;
    if (log->csv && log->csv != stdout && is_regular(log->options->csv))
        place->csv_bytes = tn_stream_place(log->csv);
    return true;
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
