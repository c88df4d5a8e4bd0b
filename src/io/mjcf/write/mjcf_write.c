/* mjcf_write.c: definitions as an MJCF file (mjcf_write.h says how). */
#include "mjcf_write.h"

#include "../../../base/base.h"
#include "../../../base/platform/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- files beside it ---- */

typedef struct TnBesideFile {
    const char *path;
    TnText text;
    struct TnBesideFile *next;
} BesideFile;

static const char *last_part(const char *path) { return tn_path_name(path); }

static bool has_path(const TnWriter *w, const char *path)
{
    for (const BesideFile *f = w->besides; f; f = f->next)
        if (strcmp(f->path, path) == 0) return true;
    return false;
}

const char *tn_write_beside(TnWriter *w, const char *name, const char *ending, TnText **out)
{
    size_t room = strlen(w->stem) + strlen(name) + strlen(ending) + 16;
    char *path = tn_io_alloc(&w->pool, room);
    BesideFile *file = TN_IO_NEW(&w->pool, BesideFile);
    if (!path || !file) {
        w->no_memory = true;
        return NULL;
    }
    snprintf(path, room, "%s_%s%s", w->stem, name, ending);
    for (char *c = path + strlen(w->stem); *c; c++) /* names may have any letters, files may not */
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.", *c))
            *c = '_';
    for (int i = 2; has_path(w, path); i++)
        snprintf(path + strlen(path) - strlen(ending), strlen(ending) + 12, "_%d%s", i, ending);
    file->path = path;
    file->next = w->besides;
    w->besides = file;
    *out = &file->text;
    return last_part(path);
}

static bool is_device(const char *path)
{
    TnFileInfo info;
    return tn_file_info(path, &info) == 0 && info.kind != TN_FILE_REGULAR;
}

/* Written beside and renamed: a full disk leaves what was there. A device or a pipe cannot be
 * replaced. */
static bool put_on_disk(void *user, const TnMemoryFile *content)
{
    size_t room = strlen(content->path) + sizeof ".part";
    char *beside = is_device(content->path) ? NULL : tn_malloc(room);
    if (beside) snprintf(beside, room, "%s.part", content->path);
    errno = 0;
    FILE *file = tn_stream_open(beside ? beside : content->path, "w");
    bool good = file && fwrite(content->data, 1, content->size, file) == content->size;
    int code = errno;
    if (file && fclose(file) != 0 && good) good = false, code = errno;
    if (good && beside) {
        code = tn_file_put_in_place(beside, content->path, NULL);
        good = !code;
    }
    if (!good) {
        if (beside && file) tn_file_remove(beside);
        tn_error_add(user, TN_ERROR_IO, "%.400s: cannot be written: %s", content->path,
                     strerror(code ? code : EIO));
    }
    tn_free(beside);
    return good;
}

/* ---- settings of the whole model ---- */

/* One for all bodies in MJCF; segments of rods have none. */
static void write_compiler(TnWriter *w)
{
    static const TnField fields[] = {
        TN_REAL(TnBodyDef, "boundmass", min_mass),
        TN_REAL(TnBodyDef, "boundinertia", min_inertia),
        TN_BOOL(TnBodyDef, "balanceinertia", balance_inertia),
    };
    TnBodyDef usual = tn_body_def();
    const TnBodyDef *first = NULL;
    for (int i = 1; i < w->d.body_count; i++) {
        const TnBodyDef *body = &w->d.bodies[i];
        if (w->rod_of_body[i] >= 0) continue;
        if (!first) first = body;
        if (body->min_mass != first->min_mass || body->min_inertia != first->min_inertia ||
            body->balance_inertia != first->balance_inertia)
            tn_write_error(w, "body", body->name, i + 1, body->source,
                           "MJCF has one lower bound of masses and inertias for all bodies, and "
                           "these differ");
    }
    tn_write_open(w, "compiler");
    tn_write_text(w, "angle", "radian");
    TN_WRITE_FIELDS(w, fields, first ? first : &usual, &usual);
    if (w->d.option.total_mass > 0) tn_write_real(w, "settotalmass", w->d.option.total_mass);
    tn_write_close(w);
}

static void write_option(TnWriter *w)
{
    static const TnField fields[] = {
        TN_REALS(TnOption, "gravity", gravity, 3), TN_REALS(TnOption, "magnetic", magnetic, 3),
        TN_REAL(TnOption, "density", density),     TN_REAL(TnOption, "viscosity", viscosity),
        TN_REALS(TnOption, "wind", wind, 3),
    };
    const TnOption usual = tn_option();
    tn_write_open(w, "option");
    tn_write_real(w, "timestep", w->d.option.timestep); /* the reader's default is another */
    TN_WRITE_FIELDS(w, fields, &w->d.option, &usual);
    if (!w->d.option.parents_collide) {
        tn_write_close(w);
        return;
    }
    tn_write_inner(w);
    tn_write_open(w, "flag");
    tn_write_text(w, "filterparent", "disable");
    tn_write_close(w);
    tn_write_end(w, "option");
}

static void write_global(TnWriter *w)
{
    const TnView *view = &w->d.view;
    if (!view->has_angles && view->fovy == 0) return;
    tn_write_open(w, "global");
    if (view->has_angles) {
        tn_write_real(w, "azimuth", tn_write_degrees(view->azimuth));
        tn_write_real(w, "elevation", tn_write_degrees(view->elevation));
    }
    if (view->fovy != 0) tn_write_real(w, "fovy", tn_write_degrees(view->fovy));
    tn_write_close(w);
}

static void write_view(TnWriter *w)
{
    const TnView *view = &w->d.view;
    if (view->has_center || view->has_extent) {
        tn_write_open(w, "statistic");
        if (view->has_center) tn_write_reals(w, "center", view->center, 3);
        if (view->has_extent) tn_write_real(w, "extent", view->extent);
        tn_write_close(w);
    }
    if (!view->has_angles && view->fovy == 0 && !view->has_headlight && !view->has_haze) return;
    tn_write_open(w, "visual");
    tn_write_inner(w);
    write_global(w);
    tn_write_atmosphere(w);
    tn_write_end(w, "visual");
}

static void write_extension(TnWriter *w)
{
    bool pid = false;
    for (int i = 0; i < w->d.actuator_count; i++)
        pid |= w->d.actuators[i].activation == TN_ACTIVATION_PID;
    if (!pid) return;
    tn_write_open(w, "extension");
    tn_write_inner(w);
    tn_write_open(w, "plugin");
    tn_write_text(w, "plugin", "mujoco.pid");
    tn_write_close(w);
    tn_write_end(w, "extension");
}

/* ---- the file ---- */

typedef void (*Section)(TnWriter *w);

static const Section sections[] = {
    write_extension,  write_compiler,    write_option,     write_view,          tn_write_assets,
    tn_write_bodies,  tn_write_contacts, tn_write_tendons, tn_write_equalities, tn_write_actuators,
    tn_write_sensors, tn_write_keys,     tn_write_tenon,
};

static void write_sections(TnWriter *w, TnText *out)
{
    w->out = out;
    tn_write_open(w, "mujoco");
    tn_write_text(w, "model", w->d.name);
    tn_write_inner(w);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) sections[i](w);
    tn_write_end(w, "mujoco");
}

static void free_texts(TnWriter *w, TnText *text)
{
    for (BesideFile *f = w->besides; f; f = f->next) tn_free(f->text.data);
    w->besides = NULL;
    tn_free(text->data);
    *text = (TnText){0};
}

/* All is written twice: only after the first time it is known what needs a name. */
static void write_text(TnWriter *w, TnText *text)
{
    write_sections(w, text);
    if (w->err->count || w->no_memory) return;
    free_texts(w, text);
    write_sections(w, text);
}

static bool give(const char *path, const TnText *text, TnTakeFile take, void *user)
{
    return take(user, &(TnMemoryFile){path, text->data ? text->data : "", text->size});
}

static bool give_files(const TnWriter *w, const char *path, const TnText *text, TnTakeFile take,
                       void *user)
{
    for (const BesideFile *f = w->besides; f; f = f->next)
        if (!give(f->path, &f->text, take, user)) return false;
    return give(path, text, take, user);
}

static void set_stem(TnWriter *w, const char *path)
{
    const char *dot = strrchr(last_part(path), '.');
    w->stem = tn_io_copy(&w->pool, path, dot ? (size_t)(dot - path) : strlen(path));
}

bool tn_builder_write_to(const TnModelBuilder *builder, const char *path, TnTakeFile take,
                         void *user, TnError *err)
{
    TnError *own = tn_calloc(1, sizeof *own);
    if (err) *err = (TnError){0};
    if (!builder || !path || !path[0] || !own) {
        tn_error_add(err, own ? TN_ERROR_USAGE : TN_ERROR_MEMORY,
                     own ? "tn_builder_write: no builder or no path was given"
                         : "no memory to write a model");
        tn_free(own);
        return false;
    }
    TnWriter w = {.d = tn_builder_definitions(builder), .err = own};
    TnText text = {0};
    set_stem(&w, path);
    if (w.stem && tn_write_index(&w)) write_text(&w, &text);
    if (w.no_memory || w.pool.failed) {
        *own = (TnError){0};
        tn_error_add(own, TN_ERROR_MEMORY, "no memory to write '%.400s'", path);
    }
    if (!take) { /* on disk */
        take = put_on_disk;
        user = own;
    }
    bool good = own->count == 0 && give_files(&w, path, &text, take, user);
    if (!good && own->count == 0) tn_error_add(own, TN_ERROR_IO, "'%.400s' was not taken", path);
    free_texts(&w, &text);
    tn_io_pool_free(&w.pool);
    if (err) *err = *own;
    tn_free(own);
    return good;
}

bool tn_builder_write(const TnModelBuilder *builder, const char *path, TnError *err)
{
    return tn_builder_write_to(builder, path, NULL, NULL, err);
}
