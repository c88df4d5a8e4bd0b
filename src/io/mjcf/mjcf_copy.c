/* mjcf_copy.c: which names an element defines and refers to, and copies under other names. */
#include "mjcf_copy.h"
#include "../io_reach.h"

#include <string.h>

typedef struct TnCopyName {
    TnMjcfNameKind kind;
    const char *name;
    struct TnCopyName *next;
} TnCopyName;

/* ---- what elements say ---- */

/* The kind of a part of a body, of an asset or of whatever objtype may name. */
static int kind_of_word(const char *word)
{
    static const struct {
        const char *words;
        TnMjcfNameKind kind;
    } kinds[] = {{"body xbody", TN_NAMED_BODY},
                 {"frame", TN_NAMED_FRAME},
                 {"joint freejoint", TN_NAMED_JOINT},
                 {"geom", TN_NAMED_GEOM},
                 {"site", TN_NAMED_SITE},
                 {"camera", TN_NAMED_CAMERA},
                 {"light", TN_NAMED_LIGHT},
                 {"tendon", TN_NAMED_TENDON},
                 {"actuator", TN_NAMED_ACTUATOR},
                 {"equality", TN_NAMED_EQUALITY},
                 {"sensor", TN_NAMED_SENSOR},
                 {"mesh", TN_NAMED_MESH},
                 {"material", TN_NAMED_MATERIAL},
                 {"texture", TN_NAMED_TEXTURE},
                 {"hfield", TN_NAMED_HFIELD},
                 {"flexcomp flex", TN_NAMED_SOFT},
                 {"pair", TN_NAMED_PAIR},
                 {"exclude", TN_NAMED_EXCLUDE},
                 {"key", TN_NAMED_KEY},
                 {"numeric text tuple", TN_NAMED_CUSTOM}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (tn_mjcf_word_index(kinds[i].words, word) >= 0) return (int)kinds[i].kind;
    return -1;
}

/* The kind of name that an element's `name` is; -1: none. Elements of some sections are of one kind
 * whatever they are called. */
static int kind_defined(const TnXmlElement *e)
{
    const char *in = e->parent ? e->parent->name : "";
    if (tn_mjcf_word_index("tendon actuator sensor equality", in) >= 0) return kind_of_word(in);
    return kind_of_word(e->name);
}

/* The kind of element that an attribute names; -1: it names none. */
static int kind_referred(const TnXmlElement *e, const char *attr)
{
    static const struct {
        const char *attrs;
        TnMjcfNameKind kind;
    } references[] = {{"joint joint1 joint2 jointinparent", TN_NAMED_JOINT},
                      {"tendon tendon1 tendon2", TN_NAMED_TENDON},
                      {"site site1 site2 refsite cranksite slidersite sidesite", TN_NAMED_SITE},
                      {"body body1 body2 target subtree1 subtree2", TN_NAMED_BODY},
                      {"geom geom1 geom2", TN_NAMED_GEOM},
                      {"actuator", TN_NAMED_ACTUATOR},
                      {"camera", TN_NAMED_CAMERA},
                      {"mesh", TN_NAMED_MESH},
                      {"hfield", TN_NAMED_HFIELD},
                      {"material", TN_NAMED_MATERIAL},
                      {"texture", TN_NAMED_TEXTURE},
                      {"flex", TN_NAMED_SOFT},
                      {"class childclass", TN_NAMED_CLASS}};
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++)
        if (tn_mjcf_word_index(references[i].attrs, attr) >= 0) return (int)references[i].kind;
    const char *type = strcmp(attr, "objname") == 0   ? "objtype"
                       : strcmp(attr, "refname") == 0 ? "reftype"
                                                      : NULL;
    const TnXmlAttr *word = type ? tn_xml_attr(e, type) : NULL;
    return word ? kind_of_word(word->value) : -1;
}

/* ---- sets of names ---- */

static size_t hash_of(TnMjcfNameKind kind, const char *name, size_t length)
{
    size_t h = 1469598103934665603u ^ (size_t)kind;
    for (size_t i = 0; i < length; i++) h = (h ^ (unsigned char)name[i]) * 1099511628211u;
    return h ^ (h >> 29);
}

static bool contains(const TnCopySet *set, TnMjcfNameKind kind, const char *name, size_t length)
{
    if (!set->bucket_count) return false;
    const TnCopyName *n = set->buckets[hash_of(kind, name, length) % set->bucket_count];
    while (n && (n->kind != kind || strncmp(n->name, name, length) != 0 || n->name[length]))
        n = n->next;
    return n != NULL;
}

static bool grow(TnMjcf *m, TnCopySet *set)
{
    TnCopySet wider = {.bucket_count = set->bucket_count ? 4 * set->bucket_count : 64,
                       .count = set->count};
    wider.buckets = tn_io_alloc(&m->pool, wider.bucket_count * sizeof *wider.buckets);
    if (!wider.buckets) return false;
    for (size_t i = 0; i < set->bucket_count; i++)
        for (TnCopyName *n = set->buckets[i], *next; n; n = next) {
            next = n->next;
            TnCopyName **b =
                &wider.buckets[hash_of(n->kind, n->name, strlen(n->name)) % wider.bucket_count];
            n->next = *b;
            *b = n;
        }
    *set = wider;
    return true;
}

static bool add(TnMjcf *m, TnCopySet *set, TnMjcfNameKind kind, const char *name)
{
    if (set->count >= set->bucket_count && !grow(m, set)) return false;
    TnCopyName *n = TN_IO_NEW(&m->pool, TnCopyName);
    if (!n) return false;
    TnCopyName **b = &set->buckets[hash_of(kind, name, strlen(name)) % set->bucket_count];
    *n = (TnCopyName){kind, name, *b};
    *b = n;
    set->count++;
    return true;
}

bool tn_copy_collect_one(TnMjcf *m, TnCopySet *set, const TnXmlElement *e)
{
    bool class_ = strcmp(e->name, "default") == 0;
    const TnXmlAttr *name = tn_xml_attr(e, class_ ? "class" : "name");
    int kind = class_ ? (int)TN_NAMED_CLASS : kind_defined(e);
    return kind < 0 || !name || !name->value[0] || add(m, set, (TnMjcfNameKind)kind, name->value);
}

bool tn_copy_collect(TnMjcf *m, TnCopySet *set, const TnXmlElement *e)
{
    if (!tn_copy_collect_one(m, set, e)) return false;
    for (const TnXmlElement *child = e->first; child; child = child->next)
        if (!tn_copy_collect(m, set, child)) return false;
    return true;
}

/* A list of names counts as so many references; others are lists of one. */
static void count_attr(const TnCopySet *set, TnMjcfNameKind kind, const char *value,
                       TnCopyRefs *refs)
{
    for (;;) {
        value += strspn(value, " ");
        size_t length = strcspn(value, " ");
        if (!length) return;
        bool world = kind == TN_NAMED_BODY && length == 5 && strncmp(value, "world", 5) == 0;
        if (contains(set, kind, value, length))
            refs->inside++;
        else if (!world)
            refs->outside++;
        value += length;
    }
}

TnCopyRefs tn_copy_refs(TnMjcf *m, const TnCopySet *set, const TnXmlElement *e)
{
    TnCopyRefs refs = {0, 0};
    for (int i = 0; i < e->attr_count; i++) {
        int kind = kind_referred(e, e->attrs[i].name);
        if (kind < 0 || kind == TN_NAMED_CLASS || kind == TN_NAMED_MATERIAL) continue;
        count_attr(set, (TnMjcfNameKind)kind, e->attrs[i].value, &refs);
    }
    for (const TnXmlElement *child = e->first; child; child = child->next) {
        TnCopyRefs more = tn_copy_refs(m, set, child);
        refs.inside += more.inside;
        refs.outside += more.outside;
    }
    return refs;
}

/* ---- copies ---- */

static const char *renamed(TnMjcf *m, const TnCopy *copy, const char *name, size_t length)
{
    size_t before = strlen(copy->before), after = strlen(copy->after);
    char *out = tn_io_alloc(&m->pool, before + length + after + 1);
    if (!out) return NULL;
    memcpy(out, copy->before, before);
    memcpy(out + before, name, length);
    memcpy(out + before + length, copy->after, after);
    return out;
}

/* A list with those names changed that are in the set. Names are separated by one blank. */
static const char *rename_list(TnMjcf *m, const TnCopy *copy, TnMjcfNameKind kind,
                               const char *value)
{
    size_t words = 1, extra = strlen(copy->before) + strlen(copy->after) + 1, used = 0;
    for (const char *c = value; *c; c++) words += *c == ' ';
    char *out = tn_io_alloc(&m->pool, strlen(value) + words * extra + 1);
    if (!out) return NULL;
    for (;;) {
        value += strspn(value, " ");
        size_t length = strcspn(value, " ");
        if (!length) return out;
        const char *name = value;
        if (contains(&copy->set, kind, value, length)) name = renamed(m, copy, value, length);
        if (!name) return NULL;
        size_t written = name == value ? length : strlen(name);
        if (used) out[used++] = ' ';
        memcpy(out + used, name, written);
        used += written;
        value += length;
    }
}

static const char *new_value(TnMjcf *m, const TnCopy *copy, const TnXmlElement *e,
                             const TnXmlAttr *attr)
{
    bool class_ = strcmp(e->name, "default") == 0;
    if (strcmp(attr->name, class_ ? "class" : "name") == 0 && attr->value[0] &&
        (class_ || kind_defined(e) >= 0))
        return renamed(m, copy, attr->value, strlen(attr->value));
    int kind = kind_referred(e, attr->name);
    return kind < 0 ? attr->value : rename_list(m, copy, (TnMjcfNameKind)kind, attr->value);
}

double tn_copy_size(const TnXmlElement *e)
{
    double size = 1;
    for (const TnXmlElement *child = e->first; child; child = child->next)
        size += tn_copy_size(child);
    return size;
}

int tn_copy_depth(const TnXmlElement *e)
{
    int most = 0;
    for (const TnXmlElement *child = e->first; child; child = child->next) {
        int depth = tn_copy_depth(child);
        if (depth > most) most = depth;
    }
    return 1 + most;
}

bool tn_copy_fits(TnMjcf *m, const TnXmlElement *at, double count)
{
    if (tn_xml_count(&m->pool, count)) return true;
    m->too_many = true;
    tn_mjcf_error(m, at,
                  "these copies have more elements than a file may ask for (%lld)" TN_RAISE_LIMIT,
                  (long long)m->pool.most_elements);
    return false;
}

TnXmlElement *tn_copy_element(TnMjcf *m, const TnCopy *copy, const TnXmlElement *e)
{
    TnXmlElement *out = TN_IO_NEW(&m->pool, TnXmlElement);
    if (!out) return NULL;
    *out = *e;
    out->parent = out->first = out->last = out->next = NULL;
    out->attrs = tn_io_alloc(&m->pool, ((size_t)e->attr_count + 1) * sizeof *out->attrs);
    if (!out->attrs) return NULL;
    if (copy->instance >= 0) {
        out->instance = copy->instance;
        out->original = e;
    }
    for (int i = 0; i < e->attr_count; i++) {
        out->attrs[i] = e->attrs[i];
        out->attrs[i].value = new_value(m, copy, e, &e->attrs[i]);
        if (!out->attrs[i].value) return NULL;
    }
    for (const TnXmlElement *child = e->first; child; child = child->next) {
        TnXmlElement *inner = tn_copy_element(m, copy, child);
        if (!inner) return NULL;
        tn_xml_append(out, inner);
    }
    return out;
}

/* ---- the tree ---- */

TnXmlElement *tn_xml_new(TnMjcf *m, const TnXmlElement *at, const char *name)
{
    TnXmlElement *out = TN_IO_NEW(&m->pool, TnXmlElement);
    if (out)
        *out = (TnXmlElement){.name = name,
                              .file = at->file,
                              .line = at->line,
                              .column = at->column,
                              .scope = at->scope};
    return out;
}

void tn_xml_append(TnXmlElement *parent, TnXmlElement *child)
{
    child->parent = parent;
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
}

void tn_xml_replace(TnXmlElement *parent, TnXmlElement *child, TnXmlElement *first)
{
    TnXmlElement **link = &parent->first, *previous = NULL;
    while (*link && *link != child) {
        previous = *link;
        link = &previous->next;
    }
    if (!*link) return;
    *link = first ? first : child->next;
    for (TnXmlElement *e = first; e; e = e->next) {
        e->parent = parent;
        previous = e;
        if (e->next) continue;
        e->next = child->next;
        break;
    }
    if (parent->last == child) parent->last = previous;
}

void tn_xml_remove(TnXmlElement *parent, TnXmlElement *child)
{
    tn_xml_replace(parent, child, NULL);
}

bool tn_xml_set(TnMjcf *m, TnXmlElement *e, const char *name, const char *value)
{
    for (int i = 0; i < e->attr_count; i++)
        if (strcmp(e->attrs[i].name, name) == 0) {
            e->attrs[i].value = value;
            return true;
        }
    TnXmlAttr *attrs = tn_io_alloc(&m->pool, ((size_t)e->attr_count + 1) * sizeof *attrs);
    if (!attrs) return false;
    if (e->attr_count) memcpy(attrs, e->attrs, (size_t)e->attr_count * sizeof *attrs);
    attrs[e->attr_count] = (TnXmlAttr){name, value, e->line, e->column};
    e->attrs = attrs;
    e->attr_count++;
    return true;
}
