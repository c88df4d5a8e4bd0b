/* mjcf_defaults.c: the tree of default classes.
 *
 * <default> at the top level speaks for the class "main", from which all others descend; nested
 * <default class="x"> make sub-classes. The top level may be opened several times (files that are
 * included bring their own), a named class once. */
#include "../suggest.h"
#include "mjcf.h"

#include <string.h>

static TnMjcfClass *new_class(TnMjcf *m, const char *name, TnMjcfClass *parent,
                              const TnXmlElement *element)
{
    TnMjcfClass *c = TN_IO_NEW(&m->pool, TnMjcfClass);
    if (!c) return NULL;
    *c = (TnMjcfClass){.name = name, .parent = parent};
    const TnMjcfName *old = tn_mjcf_name_find(m, TN_NAMED_CLASS, name);
    if (old)
        tn_mjcf_error_attr(m, element, "class", "there is already a default class named '%.60s'",
                           name);
    else
        tn_mjcf_name_add(m, TN_NAMED_CLASS, element, name, 1, c);
    return c;
}

static void read_section(TnMjcf *m, const TnXmlElement *element, TnMjcfClass *class_)
{
    TnMjcfSection *section = TN_IO_NEW(&m->pool, TnMjcfSection);
    if (!section) return;
    section->element = element;
    if (class_->last_section)
        class_->last_section->next = section;
    else
        class_->sections = section;
    class_->last_section = section;
    for (const TnXmlElement *e = element->first; e; e = e->next) {
        bool nested = strcmp(e->name, "default") == 0;
        bool may_have_children = nested || strcmp(e->name, "material") == 0;
        const TnMjcfRule *rule = may_have_children ? tn_mjcf_check(m, TN_GROUP_DEFAULT, e)
                                                   : tn_mjcf_check_leaf(m, TN_GROUP_DEFAULT, e);
        if (!rule || !nested) continue;
        const TnXmlAttr *name = tn_xml_attr(e, "class");
        if (!name || !name->value[0]) {
            tn_mjcf_error(m, e, "a nested default needs a class");
            continue;
        }
        TnMjcfClass *sub = new_class(m, name->value, class_, e);
        if (sub) read_section(m, e, sub);
    }
}

void tn_mjcf_read_defaults(TnMjcf *m)
{
    m->main_class = new_class(m, "main", NULL, NULL);
    if (!m->main_class) return;
    for (const TnXmlElement *e = m->root->first; e; e = e->next) {
        if (strcmp(e->name, "default") != 0) continue;
        const TnXmlAttr *name = tn_xml_attr(e, "class");
        if (e->scope) { /* of an attached model: a class of its own, under no other */
            const TnMjcfName *old = name ? tn_mjcf_name_find(m, TN_NAMED_CLASS, name->value) : NULL;
            TnMjcfClass *own = old    ? (TnMjcfClass *)(uintptr_t)old->data
                               : name ? new_class(m, name->value, NULL, e)
                                      : NULL;
            if (own) read_section(m, e, own);
            continue;
        }
        if (name && strcmp(name->value, "main") != 0)
            tn_mjcf_error_attr(
                m, e, "class",
                "the class at the top level is 'main'; put <default class=\"%.60s\"> "
                "inside of <default>",
                name->value);
        read_section(m, e, m->main_class);
    }
}

const TnMjcfClass *tn_mjcf_class(TnMjcf *m, const TnXmlElement *element, const char *attr_name,
                                 const TnMjcfClass *otherwise)
{
    if (!tn_xml_attr(element, attr_name)) return otherwise;
    const TnMjcfName *found = tn_mjcf_refer(m, TN_NAMED_CLASS, element, attr_name);
    return found ? found->data : otherwise;
}
