/* mjcf_attach.c: <asset><model> and <attach>: parts of another model file.
 *
 * An attached body or frame, or all that the other model has in its world, stands in the place of
 * the element. With it come the other model's default classes and assets, and those elements of its
 * other sections that refer to nothing but what was attached. All names get the prefix. Angles,
 * limits, folders and inertias follow the <compiler> of their own file, so each element has the
 * scope it comes from. The keyframes of the other model are read by mjcf_key.c. */
#include "mjcf_copy.h"

#include <string.h>

#define DEPTH_LIMIT 20 /* of models that attach others: ends cycles */

/* A model that may be attached. */
typedef struct TnMjcfSub {
    const char *name;
    const TnXmlElement *asset; /* the <model> that names its file */
    TnXmlElement *root;        /* with its own replicas and attached models; NULL after an error */
    int scope;
    struct TnMjcfSub *next;
} Sub;

static bool is(const TnXmlElement *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

static const char *joined(TnMjcf *m, const char *a, const char *b)
{
    size_t length = strlen(a);
    char *out = tn_io_alloc(&m->pool, length + strlen(b) + 1);
    if (!out) return NULL;
    memcpy(out, a, length);
    memcpy(out + length, b, strlen(b) + 1);
    return out;
}

/* ---- models ---- */

/* The file name without folder and ending, where it has no name. */
static const char *model_name(TnMjcf *m, const TnXmlElement *e)
{
    const TnXmlAttr *name = tn_xml_attr(e, "name"), *file = tn_xml_attr(e, "file");
    if (name && name->value[0]) return name->value;
    const char *slash = strrchr(file->value, '/');
    const char *start = slash ? slash + 1 : file->value;
    const char *dot = strrchr(start, '.');
    return tn_io_copy(&m->pool, start, dot ? (size_t)(dot - start) : strlen(start));
}

static void open_model(TnMjcf *m, const TnXmlElement *e)
{
    int before = m->err.count;
    const TnXmlAttr *file = tn_xml_attr(e, "file");
    tn_mjcf_check_leaf(m, TN_GROUP_ASSET, e);
    Sub *sub = TN_IO_NEW(&m->pool, Sub);
    if (!sub || !file || m->err.count != before) return;
    *sub = (Sub){.name = model_name(m, e), .asset = e, .next = m->subs};
    m->subs = sub;
    if (m->attach_depth > DEPTH_LIMIT) {
        tn_mjcf_error_attr(m, e, "file", "models are attached more than %d deep", DEPTH_LIMIT);
        return;
    }
    m->attach_depth++;
    sub->root = tn_mjcf_read_other(m, e, file->value, &sub->scope);
    if (sub->root) tn_mjcf_expand(m, sub->root);
    m->attach_depth--;
}

static Sub *find_opened(const TnMjcf *m, const TnXmlElement *asset)
{
    Sub *sub = m->subs;
    while (sub && sub->asset != asset) sub = sub->next;
    return sub;
}

static Sub *find_model(TnMjcf *m, const TnXmlElement *root, const char *name)
{
    for (const TnXmlElement *s = root->first; s; s = s->next)
        for (const TnXmlElement *e = is(s, "asset") ? s->first : NULL; e; e = e->next) {
            const TnXmlAttr *file = is(e, "model") ? tn_xml_attr(e, "file") : NULL;
            if (!file || strcmp(model_name(m, e), name) != 0) continue;
            Sub *sub = find_opened(m, e);
            if (!sub) open_model(m, e);
            return sub ? sub : find_opened(m, e);
        }
    return NULL;
}

/* A body or a frame. */
static const TnXmlElement *find_named(const TnXmlElement *parent, const char *kind,
                                      const char *name)
{
    for (const TnXmlElement *e = parent->first; e; e = e->next) {
        const TnXmlAttr *attr = is(e, kind) ? tn_xml_attr(e, "name") : NULL;
        if (attr && strcmp(attr->value, name) == 0) return e;
        const TnXmlElement *inner = find_named(e, kind, name);
        if (inner) return inner;
    }
    return NULL;
}

/* ---- what comes along ---- */

/* Elements that take what they leave open from a class. */
static bool has_class(const TnXmlElement *e)
{
    return e->parent && !is(e, "exclude") &&
           tn_mjcf_word_index("contact equality tendon actuator asset", e->parent->name) >= 0 &&
           tn_mjcf_word_index("hfield model skin plugin", e->name) < 0;
}

/* Its main class is one of many here, and no child of the main file's. */
static void bring_defaults(TnMjcf *m, TnXmlElement *root, const Sub *sub, const TnCopy *copy,
                           const char *main_class)
{
    TnXmlElement *empty = tn_xml_new(m, sub->root, "default");
    if (!empty || !tn_xml_set(m, empty, "class", main_class)) return;
    empty->scope = sub->scope;
    tn_xml_append(root, empty);
    for (const TnXmlElement *s = sub->root->first; s; s = s->next) {
        TnXmlElement *e = is(s, "default") ? tn_copy_element(m, copy, s) : NULL;
        if (!e) continue;
        if (s->scope == sub->scope && !tn_xml_set(m, e, "class", main_class)) return;
        tn_xml_append(root, e);
    }
}

static void bring_section(TnMjcf *m, TnXmlElement *root, const TnXmlElement *from, TnCopy *copy,
                          const char *main_class)
{
    bool asset = is(from, "asset");
    TnXmlElement *section = tn_xml_new(m, from, from->name);
    if (!section) return;
    for (const TnXmlElement *e = from->first; e; e = e->next) {
        if (is(e, "model")) continue;
        if (!asset && tn_copy_refs(m, &copy->set, e).outside) continue;
        if (!tn_copy_collect_one(m, &copy->set, e)) return;
        TnXmlElement *out = tn_copy_element(m, copy, e);
        if (!out) return;
        if (has_class(e) && !tn_xml_attr(e, "class") && !tn_xml_set(m, out, "class", main_class))
            return;
        const char *name =
            asset && !tn_xml_attr(e, "name") && tn_xml_attr(e, "file") ? model_name(m, e) : NULL;
        if (name && !tn_xml_set(m, out, "name", joined(m, copy->before, name))) return;
        tn_xml_append(section, out);
    }
    tn_xml_append(root, section);
}

/* Names of assets whose name is that of their file. */
static void collect_assets(TnMjcf *m, TnCopy *copy, const TnXmlElement *section)
{
    for (const TnXmlElement *e = section->first; e; e = e->next) {
        tn_copy_collect_one(m, &copy->set, e);
        if (tn_xml_attr(e, "name") || !tn_xml_attr(e, "file")) continue;
        TnXmlElement *named = tn_xml_new(m, e, e->name);
        if (!named || !tn_xml_set(m, named, "name", model_name(m, e))) return;
        tn_copy_collect_one(m, &copy->set, named);
    }
}

static void bring_sections(TnMjcf *m, TnXmlElement *root, const Sub *sub, TnCopy *copy,
                           const char *main_class)
{
    static const char *const order[] = {"extension", "asset",  "contact", "tendon",    "equality",
                                        "actuator",  "sensor", "custom",  "deformable"};
    bring_defaults(m, root, sub, copy, main_class);
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        for (const TnXmlElement *s = sub->root->first; s; s = s->next)
            if (is(s, order[i])) bring_section(m, root, s, copy, main_class);
    for (const TnXmlElement *s = sub->root->first; s; s = s->next)
        if (tn_mjcf_word_index("option visual statistic tenon", s->name) >= 0)
            tn_mjcf_remark(m, TN_REMARK_ATTACHED_OPTION, tn_xml_place(s), s->name);
        else if (is(s, "keyframe") && m->attach_depth == 0)
            tn_mjcf_attached_keys(m, sub->root, s, copy->before, copy->instance);
}

/* ---- the element ---- */

/* The class of what says nothing else: that of the nearest body or frame around it. */
static const char *class_around(TnMjcf *m, const TnXmlElement *e, const char *prefix,
                                const char *main_class)
{
    for (e = e->parent; e; e = e->parent) {
        const TnXmlAttr *attr = tn_xml_attr(e, "childclass");
        if (attr) return joined(m, prefix, attr->value);
    }
    return main_class;
}

/* The attached part, in a frame that gives it its class. */
static TnXmlElement *attached_frame(TnMjcf *m, const Sub *sub, const TnXmlElement *body,
                                    TnCopy *copy, const char *main_class)
{
    TnXmlElement *frame = tn_xml_new(m, sub->root, "frame");
    const char *class_ = body ? class_around(m, body, copy->before, main_class) : main_class;
    if (!frame || !class_ || !tn_xml_set(m, frame, "childclass", class_)) return NULL;
    frame->scope = sub->scope;
    for (const TnXmlElement *s = sub->root->first; s; s = s->next) {
        if (!is(s, "worldbody")) continue;
        for (const TnXmlElement *e = s->first; !body && e; e = e->next) {
            TnXmlElement *out = tn_copy_element(m, copy, e);
            if (!out) return NULL;
            tn_xml_append(frame, out);
        }
    }
    TnXmlElement *out = body ? tn_copy_element(m, copy, body) : NULL;
    if (out) tn_xml_append(frame, out);
    return frame;
}

/* Not more, and not deeper, than a file may ask for. */
static bool fits(TnMjcf *m, const TnXmlElement *element, const TnXmlElement *root)
{
    int depth = tn_copy_depth(root);
    for (const TnXmlElement *e = element; e; e = e->parent) depth++;
    if (depth > TN_XML_DEPTH_LIMIT)
        tn_mjcf_error(m, element, "with what is attached, elements are nested more than %d deep",
                      TN_XML_DEPTH_LIMIT);
    return depth <= TN_XML_DEPTH_LIMIT && tn_copy_fits(m, element, tn_copy_size(root));
}

static void collect_names(TnMjcf *m, TnCopy *copy, const Sub *sub, const TnXmlElement *body)
{
    if (body) tn_copy_collect(m, &copy->set, body);
    for (const TnXmlElement *s = sub->root->first; s; s = s->next) {
        if (is(s, "default") || (is(s, "worldbody") && !body))
            tn_copy_collect(m, &copy->set, s);
        else if (is(s, "asset"))
            collect_assets(m, copy, s);
    }
}

void tn_mjcf_attach(TnMjcf *m, TnXmlElement *root, TnXmlElement *parent, TnXmlElement *element)
{
    int before = m->err.count;
    tn_mjcf_check_leaf(m, TN_GROUP_BODY, element);
    const TnXmlAttr *model = tn_xml_attr(element, "model"), *name = tn_xml_attr(element, "body"),
                    *prefix = tn_xml_attr(element, "prefix");
    Sub *sub = model && prefix ? find_model(m, root, model->value) : NULL;
    const TnXmlElement *body = NULL;
    const char *kind = name ? "body" : "frame";
    if (name && tn_xml_attr(element, "frame"))
        tn_mjcf_error_attr(m, element, "frame", "body and frame cannot both be given");
    if (!name) name = tn_xml_attr(element, "frame");
    if (model && !sub && m->err.count == before)
        tn_mjcf_error_attr(m, element, "model", "there is no model named '%.60s' among the assets",
                           model->value);
    if (name && sub && sub->root) {
        body = find_named(sub->root, kind, name->value);
        if (!body)
            tn_mjcf_error_attr(m, element, kind, "there is no %s named '%.60s' in the model", kind,
                               name->value);
    }
    TnXmlElement *frame = NULL;
    if (sub && sub->root && m->err.count == before && fits(m, element, sub->root)) {
        TnCopy copy = {.before = prefix->value, .after = "", .instance = ++m->instance_count};
        const char *main_class = joined(m, prefix->value[0] ? prefix->value : sub->name, "main");
        collect_names(m, &copy, sub, body);
        if (main_class) frame = attached_frame(m, sub, body, &copy, main_class);
        if (frame) bring_sections(m, root, sub, &copy, main_class);
    }
    tn_xml_replace(parent, element, frame);
}
