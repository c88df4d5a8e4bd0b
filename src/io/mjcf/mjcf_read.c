/* mjcf_read.c: values of attributes through an element and its default classes.
 *
 * A class is a chain from the main class down; what a deeper class or the element itself says wins.
 * Lists of numbers are overlaid: friction="0.7" over a class with friction="1 0.01 0.01" gives 0.7
 * 0.01 0.01. */
#include "../../base/base.h"
#include "../../base/platform/numbers.h"
#include "../../base/platform/text.h"
#include "mjcf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int tn_mjcf_word_index(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (int index = 0; *words; index++) {
        size_t n = strcspn(words, " ");
        if (n == length && memcmp(words, word, n) == 0) return index;
        words += n;
        words += strspn(words, " ");
    }
    return -1;
}

TnNumberFault tn_mjcf_number(const char **text, char stop, double *out)
{
    const char *start = *text + strspn(*text, " \t");
    size_t length = 0;
    while (start[length] && start[length] != stop && !strchr(" \t\r\n", start[length])) length++;
    *text = start + length;
    const char *digits = start + (*start == '+' || *start == '-');
    double value;
    if (!tn_number_is(start, length, &value))
        return tn_text_begins(digits, "nan") || tn_text_begins(digits, "inf") ? TN_NUMBER_NOT_FINITE
                                                                              : TN_NUMBER_NONE;
    if (!isfinite(value)) return TN_NUMBER_NOT_FINITE;
    *out = value;
    return TN_NUMBER_GOOD;
}

TnMjcfView tn_mjcf_plain_view(const TnXmlElement *element)
{
    return (TnMjcfView){.element = element, .tags = ""};
}

TnMjcfView tn_mjcf_view(TnMjcf *m, const TnXmlElement *element, const TnMjcfClass *inherited,
                        const char *tags)
{
    tn_mjcf_enter(m, element);
    const TnMjcfClass *class_ = tn_mjcf_class(m, element, "class", inherited);
    return (TnMjcfView){.element = element, .class_ = class_, .tags = tags};
}

const TnXmlAttr *tn_mjcf_find(const TnMjcfView *view, const char *name, const TnXmlElement **holder)
{
    const TnXmlAttr *found = tn_xml_attr(view->element, name);
    const TnXmlElement *at = view->element;
    for (const TnMjcfClass *c = view->class_; c && !found; c = c->parent)
        for (const TnMjcfSection *s = c->sections; s; s = s->next)
            for (const TnXmlElement *e = s->element->first; e; e = e->next) {
                if (tn_mjcf_word_index(view->tags, e->name) < 0) continue;
                const TnXmlAttr *attr = tn_xml_attr(e, name);
                if (attr) found = attr, at = e; /* the last one of a class wins */
            }
    if (found && holder) *holder = at;
    return found;
}

bool tn_mjcf_has(const TnMjcfView *view, const char *name)
{
    return tn_mjcf_find(view, name, NULL) != NULL;
}

static int overlay(const TnXmlAttr *attr, double *out, int max)
{
    const char *at = attr->value;
    int count = 0;
    double value;
    while (count < max && tn_mjcf_number(&at, ' ', &value) == TN_NUMBER_GOOD) out[count++] = value;
    return count;
}

static int overlay_class(const TnMjcf *m, const TnMjcfClass *class_, const char *tags,
                         const char *name, double *out, int max)
{
    if (!class_) return 0;
    int count = overlay_class(m, class_->parent, tags, name, out, max);
    for (const TnMjcfSection *s = class_->sections; s; s = s->next)
        for (const TnXmlElement *e = s->element->first; e; e = e->next) {
            if (tn_mjcf_word_index(tags, e->name) < 0) continue;
            const TnXmlAttr *attr = tn_xml_attr(e, name);
            if (attr) count = overlay(attr, out, max);
        }
    return count;
}

int tn_mjcf_reals(TnMjcf *m, const TnMjcfView *view, const char *name, double *out, int max)
{
    int count = overlay_class(m, view->class_, view->tags, name, out, max);
    const TnXmlAttr *attr = tn_xml_attr(view->element, name);
    return attr ? overlay(attr, out, max) : count;
}

double tn_mjcf_real(TnMjcf *m, const TnMjcfView *view, const char *name, double otherwise)
{
    tn_mjcf_reals(m, view, name, &otherwise, 1);
    return otherwise;
}

int tn_mjcf_int(TnMjcf *m, const TnMjcfView *view, const char *name, int otherwise)
{
    double value = tn_mjcf_real(m, view, name, otherwise);
    return fabs(value) <= 2147483647.0 ? (int)value : otherwise;
}

int tn_mjcf_word(const TnMjcfView *view, const char *name, const char *words, int otherwise)
{
    const TnXmlAttr *attr = tn_mjcf_find(view, name, NULL);
    int index = attr ? tn_mjcf_word_index(words, attr->value) : -1;
    return index >= 0 ? index : otherwise;
}

bool tn_mjcf_bool(const TnMjcfView *view, const char *name, bool otherwise)
{
    return tn_mjcf_word(view, name, "false true", otherwise) != 0;
}

const char *tn_mjcf_text(const TnMjcfView *view, const char *name)
{
    const TnXmlAttr *attr = tn_mjcf_find(view, name, NULL);
    return attr && attr->value[0] ? attr->value : NULL;
}

const double *tn_mjcf_real_list(TnMjcf *m, const TnXmlElement *element, const char *name,
                                int *count)
{
    *count = 0;
    const TnXmlAttr *attr = tn_xml_attr(element, name);
    if (!attr) return NULL;
    size_t room = strlen(attr->value) / 2 + 1; /* a number and a blank at least */
    double *list = tn_io_alloc(&m->pool, room * sizeof *list);
    if (!list) return NULL;
    *count = overlay(attr, list, (int)room);
    return *count ? list : NULL;
}

bool tn_mjcf_limited(TnMjcf *m, const TnMjcfView *view, const char *limited_name,
                     const char *range_name, double range[2])
{
    int limited = tn_mjcf_word(view, limited_name, "false true auto", TN_TRI_AUTO);
    bool given = tn_mjcf_reals(m, view, range_name, range, 2) > 0;
    if (limited == TN_TRI_FALSE) return false;
    if (limited == TN_TRI_AUTO) {
        if (!given) return false;
        if (!m->settings.autolimits) {
            tn_mjcf_error_attr(m, view->element, range_name,
                               "there is a %s but no %s, and the compiler's autolimits is off",
                               range_name, limited_name);
            return false;
        }
        return range[0] < range[1];
    }
    if (range[0] < range[1]) return true;
    tn_mjcf_error_attr(m, view->element, range_name,
                       "%s: the first number must be smaller than the second", range_name);
    return false;
}
