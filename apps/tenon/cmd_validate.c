/* tenon validate: loads a model file and lists its errors and what the loader approximates. */
#include "../common/app.h"
#include "../common/json.h"
#include "../common/options.h"
#include "../common/problems.h"
#include "commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The lines of `text` as an array of strings. */
static void print_lines(Json *json, const char *key, const char *text)
{
    json_begin_array(json, key);
    while (*text) {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);
        if (length && line) json_string(json, NULL, line);
        free(line);
        text += length;
        if (*text) text++;
    }
    json_end(json);
}

static int validate(const char *path, bool strict, bool as_json)
{
    TnError err = {0};
    TnRemarks remarks = {0};
    if (!file_is_readable(path)) {
        say("validate", "%s: cannot be read: %s", path, strerror(errno));
        return EXIT_IO;
    }
    TnModelBuilder *builder = tn_builder_load(path, load_def(), &remarks, &err);
    TnModel *model = builder ? tn_builder_compile(builder, &err) : NULL;
    tn_builder_destroy(builder);
    bool loads = model != NULL;
    tn_model_destroy(model);
    if (!loads && err.code == TN_ERROR_MEMORY) {
        say("validate", "%s", err.message);
        return EXIT_IO;
    }
    bool valid = loads && !(strict && remarks.count > 0);
    if (as_json) {
        Json json = json_to(stdout);
        json_begin_object(&json, NULL);
        json_string(&json, "model", path);
        json_bool(&json, "valid", valid);
        json_integer(&json, "error_count", loads ? 0 : err.count);
        json_integer(&json, "remark_count", remarks.count);
        print_lines(&json, "errors", loads ? "" : err.message);
        print_lines(&json, "remarks", remarks.message);
        /* what does not fit the lists above is counted here */
        problems_json(&json, "error_causes", loads ? "" : err.message, loads ? 0 : err.count);
        problems_json(&json, "remark_causes", remarks.message, remarks.count);
        json_end(&json);
    } else {
        if (!loads) problems_print(stdout, "error: ", err.message, err.count);
        problems_print(stdout, "remark: ", remarks.message, remarks.count);
        printf("%s: %s, %d errors, %d remarks\n", path, valid ? "valid" : "not valid",
               loads ? 0 : err.count, remarks.count);
    }
    return valid ? EXIT_FINE : EXIT_MODEL;
}

static void print_help(const Option *table, int count)
{
    printf("Usage: tenon validate MODEL [OPTIONS]\n\n"
           "Loads a model file and lists every problem with file, line and column. An error keeps "
           "the\n"
           "model from loading; a remark names something that is read but approximated. The exit\n"
           "code is 3 if the model does not load, and with --strict if there are remarks.\n");
    options_help(table, count);
    printf("\nExamples:\n  tenon validate robot.xml\n  tenon validate robot.xml --strict "
           "--json\n");
}

int cmd_validate(int argc, char **argv)
{
    bool strict = false, as_json = false;
    const char *path;
    const Option table[] = {
        option_set("--strict", &strict, "treat remarks as errors"),
        option_package_path(),
        option_free_base(),
        option_files(),
        option_limit_factor(),
        option_set("--json", &as_json, "print one JSON object"),
    };
    int code = EXIT_FINE;
    if (!options_parse("validate", table, 6, print_help, "MODEL", &path, argc, argv, &code))
        return code;
    return validate(path, strict, as_json);
}
