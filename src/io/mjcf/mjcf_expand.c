/* mjcf_expand.c: <replicate> and <attach> in the tree of a model, from the inside out. */
#include "mjcf_copy.h"

#include <string.h>

static void expand_children(TnMjcf *m, TnXmlElement *root, TnXmlElement *parent)
{
    for (TnXmlElement *e = parent->first, *next; e; e = next) {
        next = e->next;
        expand_children(m, root, e);
        if (strcmp(e->name, "replicate") == 0)
            tn_mjcf_replicate(m, root, parent, e);
        else if (strcmp(e->name, "attach") == 0)
            tn_mjcf_attach(m, root, parent, e);
    }
}

void tn_mjcf_expand(TnMjcf *m, TnXmlElement *root)
{
    /* sections that are added on the way lie behind these and have nothing to expand */
    for (TnXmlElement *e = root->first; e; e = e->next)
        if (strcmp(e->name, "worldbody") == 0) expand_children(m, root, e);
}
