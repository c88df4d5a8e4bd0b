/* html_contacts.c: contacts as the replay keeps them.
 *
 * A contact is tied to the smaller of its two shapes, so that it moves along between two frames and
 * a byte is fine enough for its place: 1/127 of the shape's reach along each axis of the world.
 * Shapes much larger than the smallest one get two bytes. The force is a direction of two bytes and
 * one of 255 levels over four decades, 3.7 % apart; weaker forces count as none. Contacts of a
 * frame are sorted by shape, so that differences of the shapes' numbers are small. */
#include "html_contacts.h"
#include "html_scene.h"

#include "html_frames.h"

#include <math.h>
#include <stdlib.h>

enum {
    OFFSET_UNIT = 127 * 256, /* a shape's reach */
    FORCE_LEVELS = 254,
    FORCE_DECADES = 4
};

bool html_contacts_start(HtmlContacts *contacts, const TnScene *scene)
{
    contacts->scene = scene;
    contacts->smallest = INFINITY;
    contacts->reach = calloc((size_t)scene->shape_count + 1, sizeof *contacts->reach);
    for (int i = 0; contacts->reach && i < scene->shape_count; i++) {
        double reach = shape_reach(scene, i);
        /* a contact may lie a little outside of the shape */
        contacts->reach[i] = reach > 0 ? 1.25 * reach : INFINITY;
        if (scene->shapes[i].type != TN_GEOM_SOFT)
            contacts->smallest = fmin(contacts->smallest, contacts->reach[i]);
    }
    return contacts->reach != NULL;
}

void html_contacts_free(HtmlContacts *contacts)
{
    free(contacts->reach);
    free(contacts->list);
    free(contacts->frame_counts);
}

/* Makes room for `more` entries of `size` bytes. */
static bool grow(void **list, size_t *room, size_t count, size_t more, size_t size)
{
    if (count + more <= *room) return true;
    size_t wanted = 2 * (count + more);
    void *grown = realloc(*list, wanted * size);
    if (!grown) return false;
    *list = grown;
    *room = wanted;
    return true;
}

/* v turned by the unit quaternion q. */
static void rotate(double out[3], const double q[4], const double v[3])
{
    double t[3]; /* 2 q × v */
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        t[k] = 2 * (q[1 + a] * v[b] - q[1 + b] * v[a]);
    }
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        out[k] = v[k] + q[0] * t[k] + q[1 + a] * t[b] - q[1 + b] * t[a];
    }
}

/* The shape that the contact is tied to, -1 where there is none. */
static int smaller_shape(const HtmlContacts *contacts, const TnContact *contact)
{
    int count = contacts->scene->shape_count, first = contact->geom1 - 1,
        second = contact->geom2 - 1;
    bool has_first = first >= 0 && first < count && isfinite(contacts->reach[first]);
    bool has_second = second >= 0 && second < count && isfinite(contacts->reach[second]);
    if (has_first && has_second)
        return contacts->reach[first] < contacts->reach[second] ? first : second;
    return has_first ? first : has_second ? second : -1;
}

static int16_t pack_offset(double offset, double reach, bool coarse)
{
    double share = offset / reach;
    if (!(fabs(share) < 1)) share = share > 0 ? 1 : -1;
    return (int16_t)(coarse ? 256 * lrint(share * 127) : lrint(share * OFFSET_UNIT));
}

static HtmlContact pack(const HtmlContacts *contacts, const TnFrame *frame,
                        const TnContact *contact, int index)
{
    const TnSceneShape *shape = &contacts->scene->shapes[index];
    const double *pose = frame->poses + 7 * (shape->body - 1);
    double reach = contacts->reach[index], centre[3];
    bool coarse = reach < 4 * contacts->smallest && shape->type != TN_GEOM_SOFT;
    HtmlContact packed = {.shape = index};
    rotate(centre, pose + 3, shape->pos);
    for (int k = 0; k < 3; k++)
        packed.offset[k] = pack_offset(contact->pos[k] - pose[k] - centre[k], reach, coarse);
    pack_direction(contact->force, packed.direction);
    const double *f = contact->force;
    packed.force = (float)sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    return packed;
}

static int by_shape(const void *a, const void *b)
{
    const HtmlContact *first = a, *second = b;
    if (first->shape != second->shape) return first->shape < second->shape ? -1 : 1;
    /* the rest only makes the order the same on every machine */
    for (int k = 0; k < 3; k++)
        if (first->offset[k] != second->offset[k])
            return first->offset[k] < second->offset[k] ? -1 : 1;
    return (first->force > second->force) - (first->force < second->force);
}

bool html_contacts_keep(HtmlContacts *contacts, const TnFrame *frame)
{
    void *list = contacts->list, *counts = contacts->frame_counts;
    bool fine = grow(&list, &contacts->room, contacts->count, (size_t)frame->contact_count,
                     sizeof *contacts->list) &&
                grow(&counts, &contacts->frame_room, contacts->frame_count, 1,
                     sizeof *contacts->frame_counts);
    contacts->list = list;
    contacts->frame_counts = counts;
    if (!fine) return false;
    size_t first = contacts->count;
    for (int k = 0; k < frame->contact_count; k++) {
        int shape = smaller_shape(contacts, &frame->contacts[k]);
        if (shape < 0) {
            contacts->dropped++;
            continue;
        }
        contacts->list[contacts->count++] = pack(contacts, frame, &frame->contacts[k], shape);
    }
    size_t kept = contacts->count - first;
    if (kept) qsort(contacts->list + first, kept, sizeof *contacts->list, by_shape);
    contacts->frame_counts[contacts->frame_count++] = (int32_t)kept;
    return true;
}

static unsigned char force_level(double force, double force_max)
{
    if (!(force > 0) || !(force_max > 0)) return 0;
    double level = FORCE_LEVELS + 1 + log10(force / force_max) * FORCE_LEVELS / FORCE_DECADES;
    return level < 0.5 ? 0 : (unsigned char)fmin(rint(level), 255);
}

double html_contacts_add(Sections *sections, HtmlContacts *contacts)
{
    size_t n = contacts->count;
    int32_t *shapes = malloc((n + 1) * sizeof *shapes);
    int16_t *offsets = malloc((3 * n + 1) * sizeof *offsets);
    signed char *directions = malloc(2 * n + 1);
    unsigned char *levels = malloc(n + 1);
    double force_max = 0;
    if (shapes && offsets && directions && levels) {
        for (size_t i = 0; i < n; i++) force_max = fmax(force_max, (double)contacts->list[i].force);
        size_t left = 0, frame = 0;
        for (size_t i = 0; i < n; i++) {
            const HtmlContact *c = &contacts->list[i];
            bool starts = left == 0; /* the first one of its frame */
            while (left == 0) left = (size_t)contacts->frame_counts[frame++];
            left--;
            shapes[i] = starts ? c->shape : c->shape - contacts->list[i - 1].shape;
            for (size_t k = 0; k < 3; k++) offsets[k * n + i] = c->offset[k];
            for (size_t k = 0; k < 2; k++) directions[k * n + i] = c->direction[k];
            levels[i] = force_level((double)c->force, force_max);
        }
        sections_add(sections, "contact_counts", SECTION_I32, contacts->frame_counts,
                     contacts->frame_count);
        sections_add(sections, "contact_shape", SECTION_I32, shapes, n);
        sections_add(sections, "contact_offset", SECTION_I16, offsets, 3 * n);
        sections_add(sections, "contact_direction", SECTION_I8, directions, 2 * n);
        sections_add(sections, "contact_force", SECTION_U8, levels, n);
    } else {
        sections->failed = true;
    }
    free(shapes);
    free(offsets);
    free(directions);
    free(levels);
    return force_max;
}
