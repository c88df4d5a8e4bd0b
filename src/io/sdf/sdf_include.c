/* sdf_include.c: the files that <include><uri> names.
 *
 * A uri is looked for like a mesh of URDF: model://NAME, package://NAME, file:///path or a path
 * beside the file (urdf_path.c has what may be read). It is an .sdf file, or a folder: then its
 * model.config names the file, that of the highest version; without one it is model.sdf. */
#include "../../base/base.h"
#include "../io_file.h"
#include "../io_reach.h"
#include "sdf.h"

#include <stdio.h>
#include <string.h>

static const char *folder_of(TnSdf *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    return tn_io_copy(&s->m->pool, path, slash ? (size_t)(slash - path) + 1 : 0);
}

void tn_sdf_stand_in(TnSdf *s, const TnXmlElement *e) { s->urdf.folder = folder_of(s, e->file); }

static const char *join(TnSdf *s, const char *uri, const char *rest)
{
    size_t length = strlen(uri), room = length + strlen(rest) + 2;
    char *path = tn_io_alloc(&s->m->pool, room);
    while (length > 0 && uri[length - 1] == '/') length--;
    if (path) snprintf(path, room, "%.*s/%s", (int)length, uri, rest);
    return path;
}

static const char *resolve(TnSdf *s, const char *uri, bool *outside)
{
    bool out = false;
    const char *path = uri ? tn_urdf_resolve(&s->urdf, uri, &out) : NULL;
    *outside = *outside || out;
    return path;
}

/* NULL after an error. */
static const TnXmlElement *parse(TnSdf *s, const TnXmlElement *from, const char *path, TnFileId *id)
{
    TnIoFile file;
    if (!tn_io_read_file(s->m->load, path, tn_xml_place(from), "include", &file, &s->m->err))
        return NULL;
    const TnXmlElement *root =
        tn_xml_parse_with_text(&s->m->pool, path, file.text, file.size, &s->m->err);
    *id = file.id;
    tn_free(file.text);
    return root;
}

/* The file that a model.config names. */
static const char *in_config(TnSdf *s, const TnXmlElement *from, const char *path)
{
    TnFileId id;
    const TnXmlElement *root = parse(s, from, path, &id);
    const char *found = NULL;
    double highest = -1;
    for (const TnXmlElement *e = root ? root->first : NULL; e; e = e->next) {
        if (strcmp(e->name, "sdf") != 0 || !e->text) continue;
        double version = 0;
        tn_urdf_number(&s->urdf, e, "version", &version);
        if (version > highest) found = e->text;
        if (version > highest) highest = version;
    }
    if (root && !found) tn_mjcf_error(s->m, root, "the model has no <sdf> with the name of a file");
    return found;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), size = strlen(ending);
    return length >= size && strcmp(text + length - size, ending) == 0;
}

static const char *find_file(TnSdf *s, const TnXmlElement *include, const char *uri)
{
    bool outside = false;
    const char *path = NULL, *config = NULL;
    if (ends_with(uri, ".sdf") || ends_with(uri, ".world")) {
        path = resolve(s, uri, &outside);
    } else {
        config = resolve(s, join(s, uri, "model.config"), &outside);
        const char *name = config ? in_config(s, include, config) : "model.sdf";
        if (!name) return NULL;
        path = resolve(s, join(s, uri, name), &outside);
    }
    if (!path)
        tn_mjcf_error(s->m, include,
                      outside ? "'%.300s' is not in the model's folder" TN_RAISE_REACH
                              : "'%.300s' is not found: neither beside the file nor in the folders "
                                "of --package-path and ROS_PACKAGE_PATH",
                      uri);
    return path;
}

static const TnXmlElement *only_model(TnSdf *s, const TnXmlElement *root)
{
    const TnXmlElement *model = tn_urdf_child(root, "model");
    if (strcmp(root->name, "sdf") != 0)
        tn_mjcf_error(s->m, root, "an included file has <sdf> at its root, not <%.60s>",
                      root->name);
    else if (!model)
        tn_mjcf_error(s->m, root, "an included file needs a <model>");
    else
        return model;
    return NULL;
}

const TnXmlElement *tn_sdf_enter(TnSdf *s, const TnXmlElement *include, double *version)
{
    const char *uri = tn_sdf_text(s, include, "uri");
    if (!uri) {
        tn_mjcf_error(s->m, include, "an <include> needs <uri>");
        return NULL;
    }
    tn_sdf_stand_in(s, include);
    const char *path = find_file(s, include, uri);
    TnSdfFile *file = TN_IO_NEW(&s->m->pool, TnSdfFile);
    const TnXmlElement *root = path && file ? parse(s, include, path, &file->id) : NULL;
    const TnXmlElement *model = root ? only_model(s, root) : NULL;
    if (!model) return NULL;
    for (const TnSdfFile *open = s->open; open; open = open->outer)
        if (tn_file_same(&open->id, &file->id)) {
            tn_mjcf_error(s->m, include, "'%.300s' includes itself, directly or through others",
                          uri);
            return NULL;
        }
    *version = 1.4;
    tn_urdf_number(&s->urdf, root, "version", version);
    file->outer = s->open;
    s->open = file;
    return model;
}

void tn_sdf_leave(TnSdf *s) { s->open = s->open->outer; }
