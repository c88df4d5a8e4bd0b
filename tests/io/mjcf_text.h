/* mjcf_text.h: loads a model from a string, through a file that is gone afterwards. */
#ifndef TN_TESTS_IO_MJCF_TEXT_H
#define TN_TESTS_IO_MJCF_TEXT_H

#include "../check.h"

#include <tenon/model.h>
#include <unistd.h>

#define DATA(FILE) TENON_SOURCE_DIR "/tests/io/data/" FILE

static inline TnModel *load_bytes(const char *bytes, size_t size, TnRemarks *remarks, TnError *err)
{
    const char *folder = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/tenon_mjcf_XXXXXX", folder && folder[0] ? folder : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) {
        test_fail(__FILE__, __LINE__, "cannot write %s", path);
        if (fd >= 0) close(fd);
        return NULL;
    }
    close(fd);
    TnLoadDef how = tn_load_def();
    how.reach = TN_FILES_ANY; /* the text names files of tests/io/data */
    TnModelBuilder *builder = tn_builder_load(path, &how, remarks, err);
    TnModel *model = builder ? tn_builder_compile(builder, err) : NULL;
    tn_builder_destroy(builder);
    unlink(path);
    return model;
}

static inline TnModel *load_text(const char *text, TnError *err)
{
    return load_bytes(text, strlen(text), NULL, err);
}

/* True when the message has a line `…:PLACE: REST` that contains `part`. */
static inline bool has_line(const char *message, const char *place, const char *part)
{
    for (const char *line = message; line && *line;) {
        const char *end = strchr(line, '\n');
        size_t length = end ? (size_t)(end - line) : strlen(line);
        char copy[2048], mark[64];
        snprintf(copy, sizeof copy, "%.*s", (int)length, line);
        snprintf(mark, sizeof mark, ":%s: ", place);
        const char *at = strstr(copy, mark);
        if (at && strstr(at, part)) return true;
        line = end ? end + 1 : NULL;
    }
    return false;
}

/* Models that do not load, and a line `…:PLACE: …PART…` of the message that says why. */
typedef struct Refused {
    const char *text, *place, *part;
} Refused;

static inline void check_refused_texts(const Refused *cases, size_t count, const char *file,
                                       int line)
{
    for (size_t i = 0; i < count; i++) {
        TnError err = {0};
        TnModel *model = load_text(cases[i].text, &err);
        if (model || !has_line(err.message, cases[i].place, cases[i].part))
            test_fail(file, line, "case %d: %s", (int)i, err.message);
        tn_model_destroy(model);
    }
}
#define CHECK_REFUSED(CASES)                                                                       \
    check_refused_texts(CASES, sizeof(CASES) / sizeof(CASES)[0], __FILE__, __LINE__)

#endif
