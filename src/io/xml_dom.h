/* xml_dom.h: an XML file as a tree in which every element and attribute has its place.
 *
 * Strings and nodes live in the pool of the load. Text between elements is not kept, unless it is
 * asked for; the first piece of it is noted. */
#ifndef TN_IO_XML_DOM_H
#define TN_IO_XML_DOM_H

#include "io_pool.h"

#include <tenon/base.h>

#define TN_XML_DEPTH_LIMIT 2000 /* readers recurse over the tree */

typedef struct TnXmlAttr {
    const char *name, *value;
    int line, column; /* of the name, from 1 */
} TnXmlAttr;

typedef struct TnXmlElement {
    const char *name;
    const char *file;
    int line, column;           /* of the '<', from 1 */
    int text_line, text_column; /* first text that is no white space; 0 where there is none */
    int scope;                  /* 0, or the number of the attached model that it comes from */
    int instance;               /* of that model */
    const struct TnXmlElement *original; /* in that model's own tree; NULL */
    bool has_error, holds_error;         /* the second also of its ancestors; see mjcf_rest.c */
    int attr_count;
    TnXmlAttr *attrs;
    const char *text; /* of an element without children, where text was asked for; else NULL */
    struct TnXmlElement *parent, *first, *last, *next;
} TnXmlElement;

/* The root, or NULL and at least one error. `file` must outlive the tree (it is not copied). */
TnXmlElement *tn_xml_parse(TnIoPool *pool, const char *file, const char *text, size_t size,
                           TnError *err);
/* The same with the text inside elements. */
TnXmlElement *tn_xml_parse_with_text(TnIoPool *pool, const char *file, const char *text,
                                     size_t size, TnError *err);
/* Counts so many more elements. False, and nothing is counted: there may not be so many. */
bool tn_xml_count(TnIoPool *pool, double more);
const TnXmlAttr *tn_xml_attr(const TnXmlElement *element, const char *name); /* NULL: none */
TnSource tn_xml_place(const TnXmlElement *element);
TnSource tn_xml_attr_place(const TnXmlElement *element, const TnXmlAttr *attr);

#endif
