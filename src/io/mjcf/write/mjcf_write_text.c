/* mjcf_write_text.c: elements, attributes and numbers as text; names that are made up. */
#include "../../../base/base.h"
#include "mjcf_write.h"

#include <stdio.h>
#include <string.h>

/* ---- text ---- */

void tn_write_raw(TnWriter *w, const char *text, size_t length)
{
    TnText *out = w->out;
    if (out->size + length + 1 > out->room) {
        size_t room = 2 * (out->size + length + 1) + 256;
        char *grown = tn_realloc(out->data, room);
        if (!grown) {
            w->no_memory = true;
            return;
        }
        out->data = grown;
        out->room = room;
    }
    memcpy(out->data + out->size, text, length);
    out->size += length;
    out->data[out->size] = '\0';
}

void tn_write_format(TnWriter *w, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length > 0)
        tn_write_raw(w, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

static void escaped(TnWriter *w, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '&'   ? "&amp;"
                             : *text == '<' ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        if (entity)
            tn_write_raw(w, entity, strlen(entity));
        else
            tn_write_raw(w, text, 1);
    }
}

void tn_write_error(TnWriter *w, const char *kind, const char *name, int id, TnSource source,
                    const char *format, ...)
{
    char text[400], what[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (name && name[0])
        snprintf(what, sizeof what, "%s '%.100s'", kind, name);
    else
        snprintf(what, sizeof what, "%s %d", kind, id);
    if (source.file)
        tn_error_at(w->err, TN_ERROR_MODEL, source, kind, "%s cannot be written: %s", what, text);
    else
        tn_error_add(w->err, TN_ERROR_MODEL, "%s cannot be written: %s", what, text);
}

/* ---- elements ---- */

static void indent(TnWriter *w)
{
    for (int i = 0; i < w->indent; i++) tn_write_raw(w, "  ", 2);
}

void tn_write_open(TnWriter *w, const char *element)
{
    indent(w);
    tn_write_format(w, "<%s", element);
}

void tn_write_close(TnWriter *w) { tn_write_raw(w, "/>\n", 3); }

void tn_write_inner(TnWriter *w)
{
    tn_write_raw(w, ">\n", 2);
    w->indent++;
}

void tn_write_end(TnWriter *w, const char *element)
{
    w->indent--;
    indent(w);
    tn_write_format(w, "</%s>\n", element);
}

/* ---- attributes ---- */

void tn_write_text(TnWriter *w, const char *attr, const char *value)
{
    if (!value || !value[0]) return;
    tn_write_format(w, " %s=\"", attr);
    escaped(w, value);
    tn_write_raw(w, "\"", 1);
}

const char *tn_write_digits(double value, char text[TN_NUMBER_TEXT])
{
    tn_number_write_exactly(text, value);
    return text;
}

void tn_write_reals(TnWriter *w, const char *attr, const double *values, int count)
{
    char text[TN_NUMBER_TEXT];
    tn_write_format(w, " %s=\"", attr);
    for (int i = 0; i < count; i++)
        tn_write_format(w, "%s%s", i ? " " : "", tn_write_digits(values[i], text));
    tn_write_raw(w, "\"", 1);
}

void tn_write_real(TnWriter *w, const char *attr, double value)
{
    tn_write_reals(w, attr, &value, 1);
}

void tn_write_ints(TnWriter *w, const char *attr, const int32_t *values, int count)
{
    tn_write_format(w, " %s=\"", attr);
    for (int i = 0; i < count; i++) tn_write_format(w, "%s%d", i ? " " : "", (int)values[i]);
    tn_write_raw(w, "\"", 1);
}

void tn_write_int(TnWriter *w, const char *attr, int value)
{
    tn_write_format(w, " %s=\"%d\"", attr, value);
}

/* The word of an enumeration; false where it has no such word. */
static bool write_word(TnWriter *w, const char *attr, const char *words, int index)
{
    for (; index > 0 && *words; index--) {
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    if (index != 0 || !*words) return false;
    tn_write_format(w, " %s=\"%.*s\"", attr, (int)strcspn(words, " "), words);
    return true;
}

void tn_write_fields(TnWriter *w, const TnField *fields, size_t count, const void *def,
                     const void *usual)
{
    for (size_t i = 0; i < count; i++) {
        const TnField *f = &fields[i];
        const void *own = (const char *)def + f->offset, *other = (const char *)usual + f->offset;
        int value = 0, before = 0;
        switch (f->kind) {
        case TN_FIELD_REAL:
            if (memcmp(own, other, (size_t)f->count * sizeof(double)) != 0)
                tn_write_reals(w, f->attr, own, f->count);
            break;
        case TN_FIELD_BOOL:
            if (*(const bool *)own != *(const bool *)other)
                tn_write_text(w, f->attr, *(const bool *)own ? "true" : "false");
            break;
        case TN_FIELD_INT:
        case TN_FIELD_WORD:
            memcpy(&value, own, sizeof value);
            memcpy(&before, other, sizeof before);
            if (value == before) break;
            if (f->kind == TN_FIELD_INT)
                tn_write_int(w, f->attr, value);
            else if (!write_word(w, f->attr, f->words, value))
                tn_error_add(w->err, TN_ERROR_MODEL,
                             "the writer has no word for the value %d of %s; it has: %s", value,
                             f->attr, f->words);
            break;
        }
    }
}

void tn_write_limit(TnWriter *w, const char *limited_attr, const char *range_attr, bool limited,
                    const double range[2])
{
    if (!limited && range[0] == 0 && range[1] == 0) return;
    tn_write_text(w, limited_attr, limited ? "true" : "false");
    tn_write_reals(w, range_attr, range, 2);
}

/* ---- names ---- */

static const char *const kind_names[TN_WRITTEN_KINDS] = {"body",   "joint",    "geom",     "site",
                                                         "tendon", "actuator", "mesh",     "soft",
                                                         "camera", "texture",  "material", "light"};

static const char *given_name(const TnWriter *w, TnWritten kind, int index)
{
    const TnDefinitions *d = &w->d;
    switch (kind) {
    case TN_WRITTEN_BODY:
        return d->bodies[index].name;
    case TN_WRITTEN_JOINT:
        return d->joints[index].name;
    case TN_WRITTEN_GEOM:
        return d->geoms[index].name;
    case TN_WRITTEN_SITE:
        return d->sites[index].name;
    case TN_WRITTEN_TENDON:
        return d->tendons[index].name;
    case TN_WRITTEN_ACTUATOR:
        return d->actuators[index].name;
    case TN_WRITTEN_MESH:
        return d->meshes[index].name;
    case TN_WRITTEN_SOFT:
        return d->softs[index].def.name;
    case TN_WRITTEN_CAMERA:
        return d->cameras[index].name;
    case TN_WRITTEN_TEXTURE:
        return d->textures[index].name;
    case TN_WRITTEN_MATERIAL:
        return d->materials[index].name;
    case TN_WRITTEN_LIGHT:
        return d->lights[index].name;
    default:
        return "";
    }
}

static int count_of(const TnWriter *w, TnWritten kind)
{
    const TnDefinitions *d = &w->d;
    const int counts[TN_WRITTEN_KINDS] = {d->body_count,    d->joint_count,    d->geom_count,
                                          d->site_count,    d->tendon_count,   d->actuator_count,
                                          d->mesh_count,    d->soft_count,     d->camera_count,
                                          d->texture_count, d->material_count, d->light_count};
    return counts[kind];
}

static bool is_taken(const TnWriter *w, TnWritten kind, const char *name)
{
    for (int i = 0; i < count_of(w, kind); i++) {
        const char *given = given_name(w, kind, i);
        if (given && strcmp(given, name) == 0) return true;
    }
    return false;
}

const char *tn_write_own_name(const TnWriter *w, TnWritten kind, int id)
{
    const char *given = given_name(w, kind, id - 1);
    if (given && given[0]) return given;
    const char *made = w->generated[kind] ? w->generated[kind][id - 1] : NULL;
    return made ? made : "";
}

const char *tn_write_name(TnWriter *w, TnWritten kind, int id)
{
    if (id < 1 || id > count_of(w, kind)) {
        if (id != 0)
            tn_error_add(w->err, TN_ERROR_MODEL, "there is no %s %d", kind_names[kind], id);
        return "";
    }
    const char *own = tn_write_own_name(w, kind, id);
    if (own[0]) return own;
    if (!w->generated[kind])
        w->generated[kind] =
            tn_io_alloc(&w->pool, (size_t)count_of(w, kind) * sizeof *w->generated[kind]);
    char name[64];
    snprintf(name, sizeof name, "%s_%d", kind_names[kind], id);
    while (is_taken(w, kind, name) && strlen(name) < sizeof name - 1) strcat(name, "_");
    const char *made = tn_io_copy(&w->pool, name, strlen(name));
    if (!w->generated[kind] || !made) {
        w->no_memory = true;
        return "";
    }
    w->generated[kind][id - 1] = made;
    return made;
}
