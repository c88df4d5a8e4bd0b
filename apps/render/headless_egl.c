/* headless_egl.c: an OpenGL context through EGL, without a display. libEGL is opened when it is
 * needed.
 *
 * Displays are tried in this order: devices that are real graphics cards, Mesa's surfaceless
 * platform (which draws in software where there is no card), any other device, the default display.
 * The first on which a core 3.3 context can be made current wins. */
#include "fail.h"
#include "headless_kind.h"
#include "system.h"

#include <EGL/egl.h>
#include <EGL/eglext.h>
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

typedef struct Egl {
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
} Egl;

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

static void note_current(Egl *egl)
{
    egl->before.display = egl->GetCurrentDisplay();
    egl->before.draw = egl->GetCurrentSurface(EGL_DRAW);
    egl->before.read = egl->GetCurrentSurface(EGL_READ);
    egl->before.context = egl->GetCurrentContext();
}

/* Displays are never terminated: EGL has one of a kind in a process, others may draw with it. */
static bool use_display(Egl *egl, EGLDisplay display)
{
    if (display == EGL_NO_DISPLAY || !egl->Initialize(display, NULL, NULL)) return false;
    egl->had_display = true;
    const char *extensions = egl->QueryString(display, EGL_EXTENSIONS);
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
    if (has_word(extensions, "EGL_KHR_surfaceless_context") && egl->BindAPI(EGL_OPENGL_API) &&
        egl->ChooseConfig(display, config_wish, &config, 1, &count) && count > 0)
        context = egl->CreateContext(display, config, EGL_NO_CONTEXT, context_wish);
    if (context != EGL_NO_CONTEXT) {
        egl->had_context = true;
        if (egl->MakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
            egl->display = display;
            egl->context = context;
            return true;
        }
        egl->DestroyContext(display, context);
    }
    return false;
}

/* `hardware`: only devices that do not say that they are software; else only the others. */
static bool use_devices(Egl *egl, PFNEGLGETPLATFORMDISPLAYEXTPROC get_display, bool hardware)
{
    PFNEGLQUERYDEVICESEXTPROC query_devices =
        (PFNEGLQUERYDEVICESEXTPROC)egl->GetProcAddress("eglQueryDevicesEXT");
    PFNEGLQUERYDEVICESTRINGEXTPROC query_string =
        (PFNEGLQUERYDEVICESTRINGEXTPROC)egl->GetProcAddress("eglQueryDeviceStringEXT");
    EGLDeviceEXT devices[DEVICE_ROOM];
    EGLint count = 0;
    if (!query_devices || !query_string || !query_devices(DEVICE_ROOM, devices, &count))
        return false;
    for (int i = 0; i < count; i++) {
        const char *extensions = query_string(devices[i], EGL_EXTENSIONS);
        bool software = has_word(extensions, "EGL_MESA_device_software");
        if (software != hardware &&
            use_display(egl, get_display(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL)))
            return true;
    }
    return false;
}

static bool find_context(Egl *egl)
{
    const char *client = egl->QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)egl->GetProcAddress("eglGetPlatformDisplayEXT");
    bool devices = get_display && has_word(client, "EGL_EXT_platform_device");
    const char *software = getenv("LIBGL_ALWAYS_SOFTWARE"); /* the user's wish, as Mesa reads it */
    bool wants_software = software && strcmp(software, "0") != 0 && strcmp(software, "") != 0;
    if (devices && !wants_software && use_devices(egl, get_display, true)) return true;
    if (get_display && has_word(client, "EGL_MESA_platform_surfaceless") &&
        use_display(egl, get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL)))
        return true;
    if (devices && use_devices(egl, get_display, false)) return true;
    return use_display(egl, egl->GetDisplay(EGL_DEFAULT_DISPLAY));
}

static void destroy(void *context);

static void *create(char *error, size_t error_size)
{
    Egl *egl = calloc(1, sizeof *egl);
    if (!egl) {
        fail(error, error_size, "no memory for an OpenGL context");
        return NULL;
    }
    egl->library = system_library("libEGL.so.1", error, error_size);
    if (!egl->library) {
        fail(error, error_size,
             "no libEGL.so.1 on this machine: install libegl1 and libgl1-mesa-dri");
        free(egl);
        return NULL;
    }
    bool whole = true;
#define EGL_LOAD(TYPE, NAME)                                                                       \
    *(void **)&egl->NAME = system_symbol(egl->library, "egl" #NAME);                               \
    whole = whole && egl->NAME;
    EGL_FUNCTIONS(EGL_LOAD)
#undef EGL_LOAD
    Quiet quiet = quiet_begin();
    if (whole) note_current(egl);
    bool found = whole && find_context(egl);
    quiet_end(quiet);
    if (found) return egl;
    if (!whole)
        fail(error, error_size, "libEGL.so.1 lacks functions of EGL 1.4: install libegl1");
    else if (!egl->had_display)
        fail(error, error_size,
             "EGL finds no OpenGL driver: install libgl1-mesa-dri (draws in software) or the "
             "driver of the graphics card");
    else
        fail(error, error_size,
             "the OpenGL driver has no core 3.3 context without a window%s: install a newer "
             "libgl1-mesa-dri or driver of the graphics card",
             egl->had_context ? " that can be made current" : "");
    destroy(egl);
    return NULL;
}

static void leave(void *context)
{
    Egl *egl = context;
    bool none = egl->before.context == EGL_NO_CONTEXT;
    egl->MakeCurrent(none ? egl->display : egl->before.display, egl->before.draw, egl->before.read,
                     egl->before.context);
}

static bool enter(void *context)
{
    Egl *egl = context;
    note_current(egl);
    return egl->MakeCurrent(egl->display, EGL_NO_SURFACE, EGL_NO_SURFACE, egl->context);
}

static void destroy(void *context)
{
    Egl *egl = context;
    if (egl->context) {
        leave(egl);
        egl->DestroyContext(egl->display, egl->context);
    }
    free(egl);
}

static GlLoader loader(const void *context)
{
    return (GlLoader)((const Egl *)context)->GetProcAddress;
}

const HeadlessKind headless_egl = {"egl", create, destroy, leave, enter, loader};
