/* mjcf_copy.h: copies of parts of a model file under other names, for <replicate> and <attach>.
 *
 * Both are done on the tree of elements, before it is read. An element defines a name (`name`, or
 * `class` of a default class) and refers to names of other elements by certain attributes. A set
 * holds the names that are copied; in copies, exactly these get a prefix or a suffix. */
#ifndef TN_IO_MJCF_COPY_H
#define TN_IO_MJCF_COPY_H

#include "mjcf.h"

typedef struct TnCopySet {
    struct TnCopyName **buckets;
    size_t bucket_count, count;
} TnCopySet;

/* What becomes of names. */
typedef struct TnCopy {
    TnCopySet set;
    const char *before, *after; /* put in front of and behind a name */
    int instance;               /* of an attached model; -1: as it was */
} TnCopy;

/* All names that an element and its children define. False: no memory. */
bool tn_copy_collect(TnMjcf *m, TnCopySet *set, const TnXmlElement *element);
bool tn_copy_collect_one(TnMjcf *m, TnCopySet *set, const TnXmlElement *element);
/* A copy without parent and siblings; NULL: no memory. */
TnXmlElement *tn_copy_element(TnMjcf *m, const TnCopy *copy, const TnXmlElement *element);
/* How many elements there are in it, itself included, and how deep they are nested. */
double tn_copy_size(const TnXmlElement *element);
int tn_copy_depth(const TnXmlElement *element);
/* Counts so many elements of copies; false and an error at `at`: a file may not ask for so many. */
bool tn_copy_fits(TnMjcf *m, const TnXmlElement *at, double count);
/* How many references of an element and its children are in the set, and how many are not. */
typedef struct TnCopyRefs {
    int inside, outside;
} TnCopyRefs;
TnCopyRefs tn_copy_refs(TnMjcf *m, const TnCopySet *set, const TnXmlElement *element);

/* The tree. */
TnXmlElement *tn_xml_new(TnMjcf *m, const TnXmlElement *at, const char *name);
void tn_xml_append(TnXmlElement *parent, TnXmlElement *child);
void tn_xml_remove(TnXmlElement *parent, TnXmlElement *child);
/* Puts the list that starts at `first` in the place of the child. */
void tn_xml_replace(TnXmlElement *parent, TnXmlElement *child, TnXmlElement *first);
/* Sets an attribute, new or there already; false: no memory. */
bool tn_xml_set(TnMjcf *m, TnXmlElement *element, const char *name, const char *value);

/* <replicate> (mjcf_replicate.c) in place of its element; sections are those of `root`. */
void tn_mjcf_replicate(TnMjcf *m, TnXmlElement *root, TnXmlElement *parent, TnXmlElement *element);
/* <attach> (mjcf_attach.c) likewise. */
void tn_mjcf_attach(TnMjcf *m, TnXmlElement *root, TnXmlElement *parent, TnXmlElement *element);
/* All of them in the tree of a model, from the inside out (mjcf_expand.c). */
void tn_mjcf_expand(TnMjcf *m, TnXmlElement *root);

#endif
