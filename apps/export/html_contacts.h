/* html_contacts.h: the contacts of all frames in nine bytes each, before they are deflated. */
#ifndef TENON_HTML_CONTACTS_H
#define TENON_HTML_CONTACTS_H

#include "html_codec.h"
#include <tenon/scene.h>

/* One contact: where it is relative to the smaller of its two shapes, and the force. */
typedef struct HtmlContact {
    int32_t shape;     /* from 0 */
    int16_t offset[3]; /* world axes, from the shape's centre; OFFSET_UNIT is its reach */
    signed char direction[2];
    float force; /* N */
} HtmlContact;

/* Starts as {0}. */
typedef struct HtmlContacts {
    const TnScene *scene;
    double *reach; /* per shape, m, with a margin; INFINITY for planes */
    double smallest;
    HtmlContact *list;
    size_t count, room;
    int32_t *frame_counts;
    size_t frame_count, frame_room;
    size_t dropped; /* that name no shape */
} HtmlContacts;

bool html_contacts_start(HtmlContacts *contacts, const TnScene *scene);
bool html_contacts_keep(HtmlContacts *contacts, const TnFrame *frame);
/* Adds the sections; the force of the highest level, N. */
double html_contacts_add(Sections *sections, HtmlContacts *contacts);
void html_contacts_free(HtmlContacts *contacts);

#endif
