/* What several commands need: messages, loading a model, names, the clock. */
#include "app.h"

#include "problems.h"

#include "options.h"
#include "platform/clock.h"
#include "platform/files.h"
#include "program.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local TnError *listener;

void say_into(TnError *err)
{
    listener = err;
    if (err) err->message[0] = '\0';
}

TnStatus heard(TnError *err, TnStatus code)
{
    err->code = code;
    err->count = 1;
    return code;
}

static void add_line(TnError *err, const char *format, va_list args)
{
    size_t length = strlen(err->message);
    if (length && length + 1 < sizeof err->message) err->message[length++] = '\n';
    vsnprintf(err->message + length, sizeof err->message - length, format, args);
}

void say(const char *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (listener) {
        add_line(listener, format, args);
    } else {
        char line[4096];
        vsnprintf(line, sizeof line, format, args);
        for (char *c = line; *c; c++)
            if (((unsigned char)*c < 0x20 && *c != '\n') || *c == 0x7F) *c = '?';
        fprintf(stderr, "%s %s: %s\n", program.name, command, line);
    }
    va_end(args);
}

int stream_error(FILE *out)
{
    clearerr(out);
    errno = 0;
    fputc('\n', out);
    fflush(out);
    return errno ? errno : EIO;
}

double clock_seconds(void) { return tn_clock_now(); }

int code_of(const TnError *err)
{
    switch (err->code) {
    case TN_OK:
        return EXIT_FINE;
    case TN_ERROR_USAGE:
        return EXIT_USAGE;
    case TN_ERROR_MODEL:
        return EXIT_MODEL;
    case TN_ERROR_IO:
    case TN_ERROR_MEMORY:
    case TN_ERROR_DEVICE:
        return EXIT_IO;
    }
    return EXIT_IO;
}

bool file_is_readable(const char *path)
{
    TnFileInfo about;
    FILE *file = tn_stream_open(path, "r");
    if (!file) return false;
    bool folder = tn_file_info(path, &about) == 0 && about.kind == TN_FILE_FOLDER;
    fclose(file);
    if (folder) errno = EISDIR;
    return !folder;
}

bool make_parent_folders(const char *path)
{
    char *copy = strdup(path);
    if (!copy) return false;
    bool fine = true;
    for (char *c = copy + tn_path_root(copy); *c && fine; c++) {
        if (!tn_path_separates(*c)) continue;
        char separator = *c;
        *c = '\0';
        int code = tn_folder_make(copy);
        fine = code == 0 || code == EEXIST;
        if (!fine) errno = code;
        *c = separator;
    }
    free(copy);
    return fine;
}

bool is_same_file(const char *a, const char *b)
{
    TnFileInfo about_a, about_b;
    return tn_file_info(a, &about_a) == 0 && tn_file_info(b, &about_b) == 0 &&
           tn_file_same(&about_a.id, &about_b.id);
}

int count_lines(const char *text)
{
    int lines = text[0] != '\0';
    for (; *text; text++) lines += text[0] == '\n' && text[1];
    return lines;
}

TnLoadDef *load_def(void)
{
    static TnLoadDef def;
    def.reach = (TnFileReach)*load_reach();
    return &def;
}

int *load_reach(void)
{
    static int reach = TN_FILES_NEAR;
    return &reach;
}

void print_errors(const TnError *err) { problems_print(stderr, "", err->message, err->count); }

static int failed(const TnError *err)
{
    print_errors(err);
    /* the file itself was there: whatever else it lacks, a mesh for example, is a fault of the
     * model */
    return err->code == TN_ERROR_MEMORY ? EXIT_IO : EXIT_MODEL;
}

TnModelBuilder *load_builder(const char *command, const char *path, TnRemarks *remarks, int *code)
{
    TnError err = {0};
    if (!file_is_readable(path)) {
        say(command, "%s: cannot be read: %s", path, strerror(errno));
        *code = EXIT_IO;
        return NULL;
    }
    TnModelBuilder *builder = tn_builder_load(path, load_def(), remarks, &err);
    if (!builder) *code = failed(&err);
    return builder;
}

TnModel *load_model(const char *command, const char *path, TnRemarks *remarks, int *code)
{
    TnError err = {0};
    TnModelBuilder *builder = load_builder(command, path, remarks, code);
    TnModel *model = builder ? tn_builder_compile(builder, &err) : NULL;
    if (builder && !model) *code = failed(&err);
    tn_builder_destroy(builder);
    return model;
}

bool find_key(const char *command, const TnModel *model, const char *name, TnKeyId *key)
{
    *key = 0;
    if (!name) return true;
    *key = tn_model_find_key(model, name);
    if (*key) return true;
    int count = tn_model_info(model).key_count;
    fprintf(stderr, "%s %s: the model has no key '%s'", program.name, command, name);
    char buffer[SHOWN_SIZE];
    for (TnKeyId id = 1; id <= count; id++)
        fprintf(stderr, "%s'%s'", id == 1 ? "; it has " : ", ",
                shown(tn_model_key_name(model, id), buffer));
    fputs(count ? "\n" : "; it has none\n", stderr);
    return false;
}

static bool is_plain(const char *text)
{
    size_t length = 0;
    for (const unsigned char *s = (const unsigned char *)text; *s; s++)
        if (*s < 0x20 || *s == 0x7F || (s[0] == 0xC2 && s[1] < 0xA0) || ++length > 200)
            return false;
    return true;
}

const char *shown(const char *text, char buffer[SHOWN_SIZE])
{
    if (is_plain(text)) return text;
    size_t used = 0;
    const unsigned char *s = (const unsigned char *)text;
    for (; *s && used < 200; s++) {
        bool pair = s[0] == 0xC2 && s[1] >= 0x80 && s[1] < 0xA0;
        buffer[used++] = pair || *s < 0x20 || *s == 0x7F ? '?' : (char)*s;
        s += pair;
    }
    while (*s && used > 0 && (*s & 0xC0) == 0x80) s--, used--; /* not within a character */
    snprintf(buffer + used, SHOWN_SIZE - used, "%s", *s ? "..." : "");
    return buffer;
}

static const char *label_of(const char *name, const char *kind, int id, char buffer[NAME_SIZE])
{
    if (name[0]) return shown(name, buffer);
    snprintf(buffer, NAME_SIZE, "%s%d", kind, id);
    return buffer;
}

const char *joint_label(const TnModel *model, TnJointId id, char buffer[NAME_SIZE])
{
    return label_of(tn_model_joint_name(model, id), "joint", id, buffer);
}

const char *body_label(const TnModel *model, TnBodyId id, char buffer[NAME_SIZE])
{
    return label_of(id == TN_BODY_WORLD ? "world" : tn_model_body_name(model, id), "body", id,
                    buffer);
}

const char *equality_label(const TnModel *model, TnEqualityId id, char buffer[NAME_SIZE])
{
    return label_of(tn_model_equality_name(model, id), "equality", id, buffer);
}

const char *sensor_label(const TnModel *model, TnSensorId id, char buffer[NAME_SIZE])
{
    return label_of(tn_model_sensor_name(model, id), "sensor", id, buffer);
}

const char *rod_label(const TnModel *model, TnRodId id, char buffer[NAME_SIZE])
{
    return label_of(tn_model_rod_name(model, id), "cable", id, buffer);
}

const char *soft_label(const TnModel *model, TnSoftId id, char buffer[NAME_SIZE])
{
    return label_of(tn_model_soft_name(model, id), "soft", id, buffer);
}
