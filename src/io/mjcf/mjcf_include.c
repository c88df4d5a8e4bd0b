/* mjcf_include.c: reads the main file and puts the children of included files in the place of each
 * <include>.
 *
 * A path is looked for beside the main file first and then beside the file that includes it, as
 * MuJoCo does. A file may be read only once: this ends cycles, and keeps a few files that include
 * each other many times from exploding. */
#include "../../base/base.h"
#include "../io_file.h"
#include "../io_reach.h"
#include "mjcf.h"

#include <stdio.h>
#include <string.h>

typedef struct TnMjcfOpened {
    const char *path;
    TnFileId id;
    bool busy; /* its includes are being read: opening it again is a cycle */
    struct TnMjcfOpened *next;
} Opened;

static const char *join(TnMjcf *m, const char *directory, size_t length, const char *path)
{
    size_t path_length = strlen(path);
    char *joined = tn_io_alloc(&m->pool, length + path_length + 1);
    if (!joined) return NULL;
    memcpy(joined, directory, length);
    memcpy(joined + length, path, path_length);
    return joined;
}

static size_t directory_length(const char *path) { return (size_t)(tn_path_name(path) - path); }

static const char *look_for(TnMjcf *m, const TnXmlElement *element, const char *path)
{
    if (tn_path_root(path) > 0) return path;
    const char *beside_main = join(m, m->main_directory, strlen(m->main_directory), path);
    if (!beside_main || tn_io_file_exists(m->load, beside_main)) return beside_main;
    const char *beside = join(m, element->file, directory_length(element->file), path);
    return !beside || tn_io_file_exists(m->load, beside) ? beside : beside_main;
}

const char *tn_mjcf_resolve(TnMjcf *m, const TnXmlElement *element, const char *path)
{
    path = look_for(m, element, path);
    if (!path || tn_io_may_read(m->load, m->first_directory, path)) return path;
    tn_mjcf_error_attr(m, element, "file", "'%.300s' is not in the model's folder" TN_RAISE_REACH,
                       path);
    return NULL;
}

static TnXmlElement *open_file(TnMjcf *m, const char *path, const TnXmlElement *from,
                               Opened **entry);

static bool is_root_name(const char *name)
{
    return strcmp(name, "mujoco") == 0 || strcmp(name, "mujocoinclude") == 0;
}

/* The children of the included file, linked to their new parent; *last is the last of them. */
static TnXmlElement *included(TnMjcf *m, TnXmlElement *include, TnXmlElement **last)
{
    const TnXmlAttr *file = tn_xml_attr(include, "file");
    *last = NULL;
    for (int i = 0; i < include->attr_count; i++)
        if (&include->attrs[i] != file)
            tn_mjcf_error_attr(m, include, include->attrs[i].name,
                               "unknown attribute '%.60s'; <include> has only 'file'",
                               include->attrs[i].name);
    if (include->first) tn_mjcf_error(m, include->first, "<include> has no children");
    if (!file || !file->value[0]) {
        tn_mjcf_error(m, include, "attribute 'file' is missing");
        return NULL;
    }
    const char *path = tn_mjcf_resolve(m, include, file->value);
    Opened *entry = NULL;
    TnXmlElement *root = path ? open_file(m, path, include, &entry) : NULL;
    if (!root) return NULL;
    if (!is_root_name(root->name)) {
        tn_mjcf_error(m, root, "an included file has <mujoco> or <mujocoinclude> at its root");
        return NULL;
    }
    for (TnXmlElement *child = root->first; child; child = child->next)
        child->parent = include->parent;
    *last = root->last;
    return root->first;
}

static void splice_includes(TnMjcf *m, TnXmlElement *parent)
{
    TnXmlElement **link = &parent->first;
    TnXmlElement *previous = NULL;
    while (*link) {
        TnXmlElement *child = *link;
        if (strcmp(child->name, "include") == 0) {
            TnXmlElement *last, *first = included(m, child, &last);
            *link = first ? first : child->next;
            if (last) {
                last->next = child->next;
                previous = last;
                link = &last->next;
            }
            continue;
        }
        splice_includes(m, child);
        previous = child;
        link = &child->next;
    }
    parent->last = previous;
}

/* Remembers the file; false where it was opened before. */
static bool enter(TnMjcf *m, const char *path, const TnIoFile *file, const TnXmlElement *from,
                  Opened **entry)
{
    for (Opened *o = m->opened; o; o = o->next) {
        if (!tn_file_same(&o->id, &file->id)) continue;
        if (o->busy)
            tn_mjcf_error_attr(m, from, "file",
                               "'%.300s' includes itself, directly or through others", path);
        else
            tn_mjcf_error_attr(m, from, "file", "'%.300s' is already included", path);
        return false;
    }
    Opened *o = TN_IO_NEW(&m->pool, Opened);
    if (!o) return false;
    *o = (Opened){path, file->id, true, m->opened};
    m->opened = o;
    *entry = o;
    return true;
}

/* Its values are texts, and its <include> is another thing (src/io/sdf). */
static bool is_sdf(const TnXmlElement *root) { return strcmp(root->name, "sdf") == 0; }

static TnXmlElement *open_file(TnMjcf *m, const char *path, const TnXmlElement *from,
                               Opened **entry)
{
    TnSource place = {0};
    if (from) {
        const TnXmlAttr *file = tn_xml_attr(from, "file");
        place = file ? tn_xml_attr_place(from, file) : tn_xml_place(from);
    }
    TnIoFile file;
    if (!tn_io_read_file(m->load, path, place, "include", &file, &m->err)) return NULL;
    TnXmlElement *root = NULL;
    if (enter(m, path, &file, from, entry))
        root = tn_xml_parse_with_text(&m->pool, path, file.text, file.size, &m->err);
    tn_free(file.text);
    if (root && !is_sdf(root)) splice_includes(m, root);
    if (*entry) (*entry)->busy = false;
    return root;
}

TnXmlElement *tn_mjcf_read_other(TnMjcf *m, const TnXmlElement *element, const char *path,
                                 int *scope)
{
    path = tn_mjcf_resolve(m, element, path);
    Opened *opened = m->opened, *entry = NULL;
    m->opened = NULL; /* what one file includes, another may include, too */
    TnXmlElement *root = path ? open_file(m, path, element, &entry) : NULL;
    m->opened = opened;
    if (!root) return NULL;
    if (strcmp(root->name, "mujoco") != 0) {
        tn_mjcf_error(m, root, "the root of a model to attach is <mujoco>, not <%.60s>",
                      root->name);
        return NULL;
    }
    const char *directory = tn_io_copy(&m->pool, path, directory_length(path));
    return directory && tn_mjcf_add_scope(m, root, directory, scope) ? root : NULL;
}

TnXmlElement *tn_mjcf_read_tree(TnMjcf *m, const char *path, const char *text)
{
    m->main_directory = tn_io_copy(&m->pool, path, directory_length(path));
    m->first_directory = m->main_directory;
    const char *copy = tn_io_copy(&m->pool, path, strlen(path));
    Opened *entry = NULL;
    if (!copy || !m->main_directory) return NULL;
    if (!text) return open_file(m, copy, NULL, &entry);
    TnXmlElement *root = tn_xml_parse_with_text(&m->pool, copy, text, strlen(text), &m->err);
    if (root && !is_sdf(root)) splice_includes(m, root);
    return root;
}
