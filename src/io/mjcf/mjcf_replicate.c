/* mjcf_replicate.c: <replicate>: copies of bodies and their parts, each one moved on from the one
 * before, with a number behind their names.
 *
 * As in MuJoCo: copy i is turned by i times the angles of `euler`, and is off from the copy before
 * by `offset` in that one's axes. Elements of other sections that refer to what is replicated are
 * replicated with it, copy by copy, and go to the end of their section. An equality is kept only if
 * all it refers to is replicated. */
#include "mjcf_copy.h"

#include "../../base/platform/numbers.h"

#include <stdio.h>
#include <string.h>

typedef struct Touched {
    TnXmlElement *element;
    struct Touched *next;
} Touched;

/* In this order: later ones may refer to earlier ones. */
static const char *const sections[] = {"contact", "tendon", "equality",  "actuator",
                                       "sensor",  "custom", "deformable"};
#define SECTION_COUNT (sizeof sections / sizeof sections[0])

/* Takes those of a section out of the tree that refer to the set, and puts their names in it. */
static Touched *take_touched(TnMjcf *m, TnXmlElement *root, const char *section, TnCopySet *set)
{
    Touched *first = NULL, **link = &first;
    bool whole = strcmp(section, "equality") == 0;
    for (TnXmlElement *s = root->first; s; s = s->next) {
        if (strcmp(s->name, section) != 0) continue;
        for (TnXmlElement *e = s->first, *next; e; e = next) {
            next = e->next;
            TnCopyRefs refs = tn_copy_refs(m, set, e);
            if (!refs.inside) continue;
            tn_xml_remove(s, e);
            if (whole && refs.outside) {
                tn_mjcf_remark(m, TN_REMARK_DROPPED, tn_xml_place(e), e->name);
                continue;
            }
            e->parent = s;
            Touched *touched = TN_IO_NEW(&m->pool, Touched);
            if (!touched || !tn_copy_collect_one(m, set, e)) return NULL;
            touched->element = e;
            *link = touched;
            link = &touched->next;
        }
    }
    return first;
}

static void append_copies(TnMjcf *m, TnXmlElement *section, const TnCopy *copy,
                          const Touched *touched)
{
    for (; touched; touched = touched->next) {
        TnXmlElement *e = tn_copy_element(m, copy, touched->element);
        if (!e) return;
        tn_xml_append(section, e);
    }
}

static const char *numbers_text(TnMjcf *m, const double *numbers, int count)
{
    char text[4 * (TN_NUMBER_TEXT + 1)] = "";
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        if (i) text[used++] = ' ';
        used += (size_t)tn_number_write(text + used, numbers[i], 17);
    }
    return tn_io_copy(&m->pool, text, used);
}

/* The children of the element, copied into a frame; the first copy needs none. */
static TnXmlElement *copy_children(TnMjcf *m, const TnCopy *copy, const TnXmlElement *element,
                                   const TnMjcfPose *pose)
{
    TnXmlElement *frame = tn_xml_new(m, element, "frame");
    if (!frame) return NULL;
    const char *pos = numbers_text(m, pose->pos, 3), *quat = numbers_text(m, pose->quat, 4);
    if (!pos || !quat || !tn_xml_set(m, frame, "pos", pos) || !tn_xml_set(m, frame, "quat", quat))
        return NULL;
    for (const TnXmlElement *e = element->first; e; e = e->next) {
        TnXmlElement *inner = tn_copy_element(m, copy, e);
        if (!inner) return NULL;
        tn_xml_append(frame, inner);
    }
    return frame;
}

static void next_pose(const TnMjcf *m, TnMjcfPose *pose, const double offset[3],
                      const double euler[3], int index)
{
    double moved[3], angles[3];
    tn_mjcf_rotate(pose->quat, offset, moved);
    for (int k = 0; k < 3; k++) {
        pose->pos[k] += moved[k];
        angles[k] = index * euler[k];
    }
    tn_mjcf_quat_from_euler(&m->settings, angles, pose->quat);
}

/* sep and as many digits for all as the count has. */
static const char *suffix(TnMjcf *m, const char *sep, int index, int count)
{
    char digits[16], text[160];
    int width = snprintf(digits, sizeof digits, "%d", count);
    snprintf(text, sizeof text, "%.100s%0*d", sep, width, index);
    return tn_io_copy(&m->pool, text, strlen(text));
}

void tn_mjcf_replicate(TnMjcf *m, TnXmlElement *root, TnXmlElement *parent, TnXmlElement *element)
{
    int before = m->err.count;
    if (m->too_many) return;
    tn_mjcf_check(m, TN_GROUP_BODY, element);
    TnMjcfView view = tn_mjcf_plain_view(element);
    TnMjcfPose pose = tn_mjcf_identity();
    double offset[3] = {0, 0, 0}, euler[3] = {0, 0, 0};
    tn_mjcf_reals(m, &view, "offset", offset, 3);
    tn_mjcf_reals(m, &view, "euler", euler, 3);
    int count = tn_mjcf_int(m, &view, "count", 0);
    const char *sep = tn_mjcf_text(&view, "sep");
    if (count < 0) tn_mjcf_error_attr(m, element, "count", "count must not be negative");
    TnCopy copy = {.before = "", .instance = -1};
    for (const TnXmlElement *e = element->first; e; e = e->next)
        if (!tn_copy_collect(m, &copy.set, e)) return;
    Touched *touched[SECTION_COUNT] = {0};
    TnXmlElement *ends[SECTION_COUNT] = {0};
    for (size_t s = 0; s < SECTION_COUNT; s++) {
        touched[s] = take_touched(m, root, sections[s], &copy.set);
        ends[s] = touched[s] ? tn_xml_new(m, touched[s]->element, sections[s]) : NULL;
        if (ends[s]) tn_xml_append(root, ends[s]);
    }
    double size = 1; /* the frame */
    for (const TnXmlElement *e = element->first; e; e = e->next) size += tn_copy_size(e);
    for (size_t s = 0; s < SECTION_COUNT; s++)
        for (const Touched *t = touched[s]; t; t = t->next) size += tn_copy_size(t->element);
    if (count > 0 && !tn_copy_fits(m, element, size * count)) return;
    TnXmlElement list = {0};
    for (int i = 0; i < count && m->err.count == before && !m->pool.failed; i++) {
        copy.after = suffix(m, sep ? sep : "", i, count);
        TnXmlElement *frame = copy.after ? copy_children(m, &copy, element, &pose) : NULL;
        if (!frame) return;
        tn_xml_append(&list, frame);
        for (size_t s = 0; s < SECTION_COUNT; s++)
            if (ends[s]) append_copies(m, ends[s], &copy, touched[s]);
        next_pose(m, &pose, offset, euler, i + 1);
    }
    tn_xml_replace(parent, element, list.first);
}
