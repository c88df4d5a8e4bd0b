/* Scenes that are built by C calls, chosen by name; see built_scenes.h. */
#include "built_scenes.h"

#include "../common/app.h"

#include <string.h>

int built_scene_options(Option *table, int count)
{
    static const char *const needs_file[] = {"--key", "--division", "--pieces"};
    int kept = 0;
    for (int i = 0; i < count; i++) {
        bool skipped = false;
        for (int k = 0; k < 3; k++) skipped = skipped || !strcmp(table[i].name, needs_file[k]);
        if (skipped) continue;
        if (!strcmp(table[i].name, "--duration"))
            table[i].help = "simulated seconds, 0 < S <= 1e6; default: each scene's own";
        table[kept++] = table[i];
    }
    return kept;
}

static bool choose_name(const char *name, const BuiltScene *scenes, int count, bool *chosen)
{
    bool found = false;
    for (int i = 0; i < count; i++)
        if (!strcmp(name, scenes[i].name)) chosen[i] = found = true;
    for (int i = 0; i < count && !found; i++) /* a name wins over a family of the same name */
        if (scenes[i].family && !strcmp(name, scenes[i].family)) {
            for (int k = i; k < count; k++)
                if (scenes[k].family && !strcmp(name, scenes[k].family)) chosen[k] = true;
            found = true;
        }
    return found;
}

bool choose_built_scenes(const char *command, const char *only, const BuiltScene *scenes, int count,
                         bool chosen[MOST_BUILT_SCENES])
{
    const char *names[MOST_BUILT_SCENES];
    for (int i = 0; i < count; i++) {
        names[i] = scenes[i].name;
        chosen[i] = !only;
    }
    for (const char *at = only; at;) {
        char name[64];
        size_t length = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        if (!choose_name(name, scenes, count, chosen)) {
            const char *near = nearest_name(name, names, count);
            say(command, "--only: there is no scene '%s'%s%s%s", name,
                near ? "; did you mean '" : "; see --help", near ? near : "", near ? "'?" : "");
            return false;
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}
