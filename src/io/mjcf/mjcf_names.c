/* mjcf_names.c: names of all kinds of objects in one chained hash table (FNV-1a over kind and
 * name). */
#include "../../base/base.h"
#include "../suggest.h"
#include "mjcf.h"

#include <string.h>

/* The nearest name, and what else a name may mean, is looked for only while messages still fit into
 * the error: it costs a pass over all names. */
#define SUGGESTION_LIMIT 100

static uint64_t hash_of(TnMjcfNameKind kind, const char *name)
{
    uint64_t h = 1469598103934665603u ^ (uint64_t)kind;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 1099511628211u;
    return h ^ (h >> 29);
}

const char *tn_mjcf_kind_name(TnMjcfNameKind kind)
{
    static const char *const names[] = {[TN_NAMED_BODY] = "body",
                                        [TN_NAMED_LINK] = "link",
                                        [TN_NAMED_FRAME] = "frame",
                                        [TN_NAMED_JOINT] = "joint",
                                        [TN_NAMED_GEOM] = "geom",
                                        [TN_NAMED_SITE] = "site",
                                        [TN_NAMED_CAMERA] = "camera",
                                        [TN_NAMED_LIGHT] = "light",
                                        [TN_NAMED_TENDON] = "tendon",
                                        [TN_NAMED_ACTUATOR] = "actuator",
                                        [TN_NAMED_EQUALITY] = "equality",
                                        [TN_NAMED_PAIR] = "pair",
                                        [TN_NAMED_EXCLUDE] = "exclude",
                                        [TN_NAMED_SENSOR] = "sensor",
                                        [TN_NAMED_KEY] = "key",
                                        [TN_NAMED_CUSTOM] = "custom element",
                                        [TN_NAMED_TEXTURE] = "texture",
                                        [TN_NAMED_MATERIAL] = "material",
                                        [TN_NAMED_MESH] = "mesh",
                                        [TN_NAMED_HFIELD] = "height field",
                                        [TN_NAMED_CLASS] = "default class",

                                        [TN_NAMED_COLLISION] = "mesh",
                                        [TN_NAMED_SDF] = "mesh",
                                        [TN_NAMED_RESTITUTION] = "geom",
                                        [TN_NAMED_CABLE] = "cable",
                                        [TN_NAMED_SEGMENT] = "segment",
                                        [TN_NAMED_ROD] = "rod",
                                        [TN_NAMED_WHEEL] = "wheel",
                                        [TN_NAMED_SOFT] = "soft body",
                                        [TN_NAMED_SOFT_MORE] = "soft body",
                                        [TN_NAMED_CARRIER] = "body"};
    return names[kind];
}

const TnMjcfName *tn_mjcf_name_find(const TnMjcf *m, TnMjcfNameKind kind, const char *name)
{
    if (!m->names.bucket_count) return NULL;
    const TnMjcfName *n = m->names.buckets[hash_of(kind, name) % m->names.bucket_count];
    while (n && (n->kind != kind || strcmp(n->name, name) != 0)) n = n->next;
    return n;
}

static bool grow(TnMjcf *m)
{
    TnMjcfNames *t = &m->names;
    size_t count = t->bucket_count ? 2 * t->bucket_count : 256;
    TnMjcfName **buckets = tn_io_alloc(&m->pool, count * sizeof *buckets);
    if (!buckets) return false;
    t->buckets = buckets;
    t->bucket_count = count;
    for (TnMjcfName *n = t->first; n; n = n->later) {
        TnMjcfName **b = &buckets[hash_of(n->kind, n->name) % count];
        n->next = *b;
        *b = n;
    }
    return true;
}

bool tn_mjcf_name_add(TnMjcf *m, TnMjcfNameKind kind, const TnXmlElement *element, const char *name,
                      int32_t id, const void *data)
{
    if (!name || !name[0]) return true;
    const TnMjcfName *old = tn_mjcf_name_find(m, kind, name);
    if (old) {
        if (old->element)
            tn_mjcf_error_attr(m, element, "name",
                               "there is already a %s named '%.60s' at %.200s:%d:%d",
                               tn_mjcf_kind_name(kind), name, old->element->file,
                               old->element->line, old->element->column);
        else
            tn_mjcf_error_attr(m, element, "name", "the %s name '%.60s' is taken",
                               tn_mjcf_kind_name(kind), name);
        return false;
    }
    TnMjcfNames *t = &m->names;
    if (t->count >= t->bucket_count && !grow(m)) return false;
    TnMjcfName *n = TN_IO_NEW(&m->pool, TnMjcfName);
    if (!n) return false;
    *n = (TnMjcfName){.name = name, .kind = kind, .id = id, .data = data, .element = element};
    TnMjcfName **b = &t->buckets[hash_of(kind, name) % t->bucket_count];
    n->next = *b;
    *b = n;
    if (t->last)
        t->last->later = n;
    else
        t->first = n;
    t->last = n;
    t->count++;
    return true;
}

/* What MuJoCo has as a body or geom of its own may be part of a soft body here: `soft`, `soft_7`.
 */
static bool is_soft_part(const TnMjcf *m, TnMjcfNameKind kind, const char *name)
{
    if (kind != TN_NAMED_BODY && kind != TN_NAMED_GEOM) return false;
    for (const TnMjcfName *n = m->names.first; n; n = n->later) {
        size_t length = strlen(n->name);
        if (n->kind == TN_NAMED_CARRIER && strcmp(name, n->name) == 0) return true;
        if (n->kind != TN_NAMED_SOFT || strncmp(name, n->name, length) != 0) continue;
        const char *rest = name + length;
        if (!*rest || (*rest == '_' && rest[1] && !rest[1 + strspn(rest + 1, "0123456789")]))
            return true;
    }
    return false;
}

const TnMjcfName *tn_mjcf_refer(TnMjcf *m, TnMjcfNameKind kind, const TnXmlElement *element,
                                const char *attr_name)
{
    const TnXmlAttr *attr = tn_xml_attr(element, attr_name);
    if (!attr) return NULL;
    const TnMjcfName *found = tn_mjcf_name_find(m, kind, attr->value);
    if (found) return found;
    if (m->err.count < SUGGESTION_LIMIT && is_soft_part(m, kind, attr->value)) {
        tn_mjcf_error_attr(m, element, attr_name,
                           "'%.60s' is part of a soft body, which has no bodies or geoms; set its "
                           "contacts with its contype and conaffinity, and join its nodes to "
                           "bodies with <hold> in <tenon><soft>",
                           attr->value);
        return NULL;
    }
    char text[TN_SUGGEST_TEXT];
    TnSuggestion near = tn_suggest_begin(attr->value);
    for (const TnMjcfName *n = m->names.first; n && m->err.count < SUGGESTION_LIMIT; n = n->later)
        if (n->kind == kind) tn_suggest_offer(&near, n->name, strlen(n->name));
    tn_mjcf_error_attr(m, element, attr_name, "there is no %s named '%.60s'%s",
                       tn_mjcf_kind_name(kind), attr->value, tn_suggest_text(&near, text));
    return NULL;
}
