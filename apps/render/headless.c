/* headless.c: the first kind of context that this machine has. */
#include "headless.h"
#include "fail.h"
#include "headless_kind.h"

#include <stdlib.h>
#include <string.h>

struct Headless {
    const HeadlessKind *kind;
    void *context;
};

static const HeadlessKind *const kinds[] = {
#ifdef TENON_HAS_EGL
    &headless_egl,
#endif
#ifdef TENON_HAS_GLFW
    &headless_glfw,
#endif
};
enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

Headless *headless_create(char *error, size_t error_size)
{
    Headless *headless = calloc(1, sizeof *headless);
    if (!headless) {
        fail(error, error_size, "no memory for an OpenGL context");
        return NULL;
    }
    const char *wish = getenv("TENON_GL");
    bool any = !wish || !wish[0], known = any;
    char names[64] = "", why[2 * 256] = "";
    for (int i = 0; i < KIND_COUNT && !headless->context; i++) {
        char reason[256] = "";
        size_t length = strlen(names), told = strlen(why);
        snprintf(names + length, sizeof names - length, "%s%s", i ? " or " : "", kinds[i]->name);
        if (!any && strcmp(wish, kinds[i]->name) != 0) continue;
        known = true;
        headless->kind = kinds[i];
        headless->context = kinds[i]->create(reason, sizeof reason);
        snprintf(why + told, sizeof why - told, "%s%s", told ? "; " : "", reason);
    }
    if (headless->context) return headless;
    free(headless);
    if (known)
        fail(error, error_size, "%s", why);
    else
        fail(error, error_size, "TENON_GL is %s, not %s", wish, names);
    return NULL;
}

void headless_destroy(Headless *headless)
{
    if (!headless) return;
    headless->kind->destroy(headless->context);
    free(headless);
}

void headless_leave(Headless *headless) { headless->kind->leave(headless->context); }

bool headless_enter(Headless *headless) { return headless->kind->enter(headless->context); }

GlLoader headless_loader(const Headless *headless)
{
    return headless->kind->loader(headless->context);
}
