/* headless.c: an OpenGL context through EGL without a display. libEGL is opened when it is needed.
 *
 * Displays are tried in this order: devices that are real graphics cards, Mesa's surfaceless
 * platform (which draws in software where there is no card), any other device, the default display.
 * The first on which a core 3.3 context can be made current wins. */
#include "headless.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICE_ROOM = 16 };

#define EGL_FUNCTIONS(X)                                                                           \
    X(PFNEGLGETPROCADDRESSPROC, GetProcAddress)                                                    \
    X(PFNEGLQUERYSTRINGPROC, QueryString)                                                          \
    X(PFNEGLGETDISPLAYPROC, GetDisplay)                                                            \
    X(PFNEGLINITIALIZEPROC, Initialize)                                                            \
    X(PFNEGLBINDAPIPROC, BindAPI)                                                                  \
    X(PFNEGLCHOOSECONFIGPROC, ChooseConfig)                                                        \
    X(PFNEGLCREATECONTEXTPROC, CreateContext)                                                      \
    X(PFNEGLDESTROYCONTEXTPROC, DestroyContext)                                                    \
    X(PFNEGLMAKECURRENTPROC, MakeCurrent)                                                          \
    X(PFNEGLGETCURRENTDISPLAYPROC, GetCurrentDisplay)                                              \
    X(PFNEGLGETCURRENTSURFACEPROC, GetCurrentSurface)                                              \
    X(PFNEGLGETCURRENTCONTEXTPROC, GetCurrentContext)

struct Headless {
    void *library;
#define EGL_MEMBER(TYPE, NAME) TYPE NAME;
    EGL_FUNCTIONS(EGL_MEMBER)
#undef EGL_MEMBER
    EGLDisplay display;
    EGLContext context;
    struct {
        EGLDisplay display;
        EGLSurface draw, read;
        EGLContext context;
    } before;                      /* what was current on this thread */
    bool had_display, had_context; /* how far the best attempt came, for the message */
};

/* Mesa speaks on stderr of every device that it cannot use; we try several and report once. A level
 * that the user has set stays. */
typedef struct Quiet {
    bool egl, mesa;
} Quiet;

static bool set_quiet(const char *name, const char *value)
{
    return !getenv(name) && setenv(name, value, 0) == 0;
}

static Quiet quiet_begin(void)
{
    return (Quiet){.egl = set_quiet("EGL_LOG_LEVEL", "fatal"),
                   .mesa = set_quiet("MESA_LOG", "null")};
}

static void quiet_end(Quiet quiet)
{
    if (quiet.egl) unsetenv("EGL_LOG_LEVEL");
    if (quiet.mesa) unsetenv("MESA_LOG");
}

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

static void note_current(Headless *headless)
{
    headless->before.display = headless->GetCurrentDisplay();
    headless->before.draw = headless->GetCurrentSurface(EGL_DRAW);
    headless->before.read = headless->GetCurrentSurface(EGL_READ);
    headless->before.context = headless->GetCurrentContext();
}

/* Displays are never terminated: EGL has one of a kind in a process, others may draw with it. */
static bool use_display(Headless *headless, EGLDisplay display)
{
    if (display == EGL_NO_DISPLAY || !headless->Initialize(display, NULL, NULL)) return false;
    headless->had_display = true;
    const char *extensions = headless->QueryString(display, EGL_EXTENSIONS);
    static const EGLint config_wish[] = {EGL_SURFACE_TYPE, EGL_DONT_CARE, EGL_RENDERABLE_TYPE,
                                         EGL_OPENGL_BIT, EGL_NONE};
    static const EGLint context_wish[] = {EGL_CONTEXT_MAJOR_VERSION_KHR,
                                          3,
                                          EGL_CONTEXT_MINOR_VERSION_KHR,
                                          3,
                                          EGL_CONTEXT_OPENGL_PROFILE_MASK_KHR,
                                          EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT_KHR,
                                          EGL_NONE};
    EGLConfig config = EGL_NO_CONFIG_KHR;
    EGLint count = 0;
    EGLContext context = EGL_NO_CONTEXT;
    if (has_word(extensions, "EGL_KHR_surfaceless_context") && headless->BindAPI(EGL_OPENGL_API) &&
        headless->ChooseConfig(display, config_wish, &config, 1, &count) && count > 0)
        context = headless->CreateContext(display, config, EGL_NO_CONTEXT, context_wish);
    if (context != EGL_NO_CONTEXT) {
        headless->had_context = true;
        if (headless->MakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
            headless->display = display;
            headless->context = context;
            return true;
        }
        headless->DestroyContext(display, context);
    }
    return false;
}

/* `hardware`: only devices that do not say that they are software; else only the others. */
static bool use_devices(Headless *headless, PFNEGLGETPLATFORMDISPLAYEXTPROC get_display,
                        bool hardware)
{
    PFNEGLQUERYDEVICESEXTPROC query_devices =
        (PFNEGLQUERYDEVICESEXTPROC)headless->GetProcAddress("eglQueryDevicesEXT");
    PFNEGLQUERYDEVICESTRINGEXTPROC query_string =
        (PFNEGLQUERYDEVICESTRINGEXTPROC)headless->GetProcAddress("eglQueryDeviceStringEXT");
    EGLDeviceEXT devices[DEVICE_ROOM];
    EGLint count = 0;
    if (!query_devices || !query_string || !query_devices(DEVICE_ROOM, devices, &count))
        return false;
    for (int i = 0; i < count; i++) {
        const char *extensions = query_string(devices[i], EGL_EXTENSIONS);
        bool software = has_word(extensions, "EGL_MESA_device_software");
        if (software != hardware &&
            use_display(headless, get_display(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL)))
            return true;
    }
    return false;
}

static bool find_context(Headless *headless)
{
    const char *client = headless->QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)headless->GetProcAddress("eglGetPlatformDisplayEXT");
    bool devices = get_display && has_word(client, "EGL_EXT_platform_device");
    const char *software = getenv("LIBGL_ALWAYS_SOFTWARE"); /* the user's wish, as Mesa reads it */
    bool wants_software = software && strcmp(software, "0") != 0 && strcmp(software, "") != 0;
    if (devices && !wants_software && use_devices(headless, get_display, true)) return true;
    if (get_display && has_word(client, "EGL_MESA_platform_surfaceless") &&
        use_display(headless,
                    get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL)))
        return true;
    if (devices && use_devices(headless, get_display, false)) return true;
    return use_display(headless, headless->GetDisplay(EGL_DEFAULT_DISPLAY));
}

Headless *headless_create(char *error, size_t error_size)
{
    Headless *headless = calloc(1, sizeof *headless);
    if (!headless) {
        snprintf(error, error_size, "no memory for an OpenGL context");
        return NULL;
    }
    headless->library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!headless->library) {
        snprintf(error, error_size,
                 "no libEGL.so.1 on this machine: install libegl1 and libgl1-mesa-dri");
        free(headless);
        return NULL;
    }
    bool whole = true;
#define EGL_LOAD(TYPE, NAME)                                                                       \
    *(void **)&headless->NAME = dlsym(headless->library, "egl" #NAME);                             \
    whole = whole && headless->NAME;
    EGL_FUNCTIONS(EGL_LOAD)
#undef EGL_LOAD
    Quiet quiet = quiet_begin();
    if (whole) note_current(headless);
    bool found = whole && find_context(headless);
    quiet_end(quiet);
    if (found) return headless;
    if (!whole)
        snprintf(error, error_size, "libEGL.so.1 lacks functions of EGL 1.4: install libegl1");
    else if (!headless->had_display)
        snprintf(error, error_size,
                 "EGL finds no OpenGL driver: install libgl1-mesa-dri (draws in software) or the "
                 "driver of the graphics card");
    else
        snprintf(error, error_size,
                 "the OpenGL driver has no core 3.3 context without a window%s: install a newer "
                 "libgl1-mesa-dri or driver of the graphics card",
                 headless->had_context ? " that can be made current" : "");
    headless_destroy(headless);
    return NULL;
}

void headless_destroy(Headless *headless)
{
    if (!headless) return;
    if (headless->context) {
        headless_leave(headless);
        headless->DestroyContext(headless->display, headless->context);
    }
    /* The library stays open: drivers leave threads and handlers behind that must find their code.
     */
    free(headless);
}

void headless_leave(Headless *headless)
{
    bool none = headless->before.context == EGL_NO_CONTEXT;
    headless->MakeCurrent(none ? headless->display : headless->before.display,
                          headless->before.draw, headless->before.read, headless->before.context);
}

bool headless_enter(Headless *headless)
{
    note_current(headless);
    return headless->MakeCurrent(headless->display, EGL_NO_SURFACE, EGL_NO_SURFACE,
                                 headless->context);
}

GlLoader headless_loader(const Headless *headless) { return (GlLoader)headless->GetProcAddress; }
