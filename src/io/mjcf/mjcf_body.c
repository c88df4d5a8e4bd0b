/* mjcf_body.c: the tree of bodies.
 *
 * MuJoCo numbers bodies depth first, and puts all joints, geoms and sites of a body before those of
 * its children, whatever their order in the file; qpos follows. So each body is read in two passes:
 * its own parts, then its children. A <frame> is no body: its pose is multiplied into what it
 * holds. */
#include "deformable/mjcf_soft.h"

#include <string.h>

/* Where children of an element belong. */
typedef struct Place {
    TnBodyId body;
    const TnMjcfClass *class_;
    TnMjcfPose frame; /* of the element's axes in the body's */
    TnMjcfPose world; /* of the body in the world, reference pose */
} Place;

static bool is(const TnXmlElement *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

/* Each pass comes through here; only the first one complains. */
static Place inner_place(TnMjcf *m, const TnXmlElement *frame, const Place *outer, bool first_pass)
{
    m->quiet = !first_pass;
    tn_mjcf_enter(m, frame);
    TnMjcfView view = tn_mjcf_plain_view(frame);
    TnMjcfPose pose = tn_mjcf_pose(m, &view);
    Place place = *outer;
    place.frame = tn_mjcf_compose(&outer->frame, &pose);
    place.class_ = tn_mjcf_class(m, frame, "childclass", outer->class_);
    m->quiet = false;
    return place;
}

static bool list_grow(TnMjcf *m)
{
    TnMjcfGeoms *list = &m->geoms;
    if (list->count < list->capacity) return true;
    int capacity = list->capacity ? 2 * list->capacity : 4;
    TnGeomDef *defs = tn_io_alloc(&m->pool, sizeof *defs * (size_t)capacity);
    const TnXmlElement **elements = tn_io_alloc(&m->pool, sizeof *elements * (size_t)capacity);
    if (!defs || !elements) return false;
    if (list->count) {
        memcpy(defs, list->defs, sizeof *defs * (size_t)list->count);
        memcpy(elements, list->elements, sizeof *elements * (size_t)list->count);
    }
    *list = (TnMjcfGeoms){defs, elements, list->count, capacity};
    return true;
}

/* First look at an element's children: checks all of them, and keeps the geoms in m->geoms. */
static void collect(TnMjcf *m, const TnXmlElement *parent, const Place *place)
{
    TnMjcfGeoms *list = &m->geoms;
    for (const TnXmlElement *e = parent->first; e; e = e->next) {
        if (is(e, "geom")) {
            if (!list_grow(m)) return;
            TnGeomDef *def = &list->defs[list->count];
            if (!tn_mjcf_geom(m, e, place->class_, &place->frame, def)) continue;
            list->elements[list->count++] = e;
        } else if (is(e, "frame")) {
            if (!tn_mjcf_check(m, TN_GROUP_BODY, e)) continue;
            Place inner = inner_place(m, e, place, true);
            TnMjcfView view = tn_mjcf_plain_view(e);
            tn_mjcf_name_add(m, TN_NAMED_FRAME, e, tn_mjcf_text(&view, "name"), 0, NULL);
            collect(m, e, &inner);
        }
    }
}

/* Those of m->geoms; the next body's take their place. */
static void add_geoms(TnMjcf *m, const Place *place)
{
    const TnMjcfGeoms *list = &m->geoms;
    for (int i = 0; i < list->count; i++) {
        TnGeomDef *def = &list->defs[i];
        def->body = place->body;
        TnGeomId id = tn_builder_add_geom(m->builder, def);
        TnMjcfGeomPlace *of = def->name ? TN_IO_NEW(&m->pool, TnMjcfGeomPlace) : NULL;
        if (!of) continue;
        TnMjcfPose pose;
        memcpy(pose.pos, def->pos, sizeof pose.pos);
        memcpy(pose.quat, def->quat, sizeof pose.quat);
        *of = (TnMjcfGeomPlace){*def, tn_mjcf_compose(&place->world, &pose)};
        tn_mjcf_name_add(m, TN_NAMED_GEOM, list->elements[i], def->name, id, of);
    }
    m->geoms.count = 0;
}

/* Own parts of a body other than geoms, in the order of the file. */
static void read_parts(TnMjcf *m, const TnXmlElement *parent, const Place *place)
{
    for (const TnXmlElement *e = parent->first; e; e = e->next) {
        if (is(e, "joint") || is(e, "freejoint")) {
            if (place->body == TN_BODY_WORLD)
                tn_mjcf_error(m, e, "the world has no joints");
            else
                tn_mjcf_joint(m, e, place->class_, &place->frame, place->body);
        } else if (is(e, "site")) {
            tn_mjcf_site(m, e, place->class_, &place->frame, place->body);
        } else if (is(e, "camera")) {
            tn_mjcf_camera(m, e, place->class_, &place->frame, place->body);
        } else if (is(e, "light")) {
            tn_mjcf_light(m, e, place->class_, &place->frame, place->body);
        } else if (is(e, "frame")) {
            Place inner = inner_place(m, e, place, false);
            read_parts(m, e, &inner);
        } else if (is(e, "inertial")) {
            if (place->body == TN_BODY_WORLD) tn_mjcf_error(m, e, "the world has no inertia");
        } else if (!is(e, "geom") && !is(e, "body") && !is(e, "composite") && !is(e, "flexcomp")) {
            tn_mjcf_check(m, TN_GROUP_BODY, e); /* unknown or unsupported: says so */
        }
    }
}

/* R I Rᵀ; numbers in MJCF's order: xx, yy, zz, xy, xz, yz. */
static void rotate_inertia(const double quat[4], double inertia[6])
{
    static const int index[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    double R[3][3], out[6] = {0}; /* columns of R are the turned axes */
    for (int k = 0; k < 3; k++) {
        double axis[3] = {0, 0, 0}, turned[3];
        axis[k] = 1;
        tn_mjcf_rotate(quat, axis, turned);
        for (int i = 0; i < 3; i++) R[i][k] = turned[i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++)
                    out[index[i][j]] += R[i][k] * inertia[index[k][l]] * R[j][l];
    memcpy(inertia, out, sizeof out);
}

static void read_inertial(TnMjcf *m, const TnXmlElement *e, const TnMjcfPose *frame,
                          TnBodyDef *body)
{
    if (!tn_mjcf_check_leaf(m, TN_GROUP_BODY, e)) return;
    if (body->has_inertia) {
        tn_mjcf_error(m, e, "a body has at most one inertial");
        return;
    }
    TnMjcfView view = tn_mjcf_plain_view(e);
    TnMjcfPose own = tn_mjcf_pose(m, &view), pose = tn_mjcf_compose(frame, &own);
    body->has_inertia = true;
    body->mass = tn_mjcf_real(m, &view, "mass", 0);
    memcpy(body->inertia_pos, pose.pos, sizeof body->inertia_pos);
    memcpy(body->inertia_quat, pose.quat, sizeof body->inertia_quat);
    bool diagonal = tn_mjcf_reals(m, &view, "diaginertia", body->inertia, 3) > 0;
    body->use_inertia_full = tn_mjcf_reals(m, &view, "fullinertia", body->inertia_full, 6) > 0;
    if (body->use_inertia_full && diagonal)
        tn_mjcf_error_attr(m, e, "fullinertia", "fullinertia and diaginertia cannot both be given");
    if (!body->use_inertia_full && !diagonal)
        tn_mjcf_error(m, e, "attribute 'diaginertia' or 'fullinertia' is missing");
    static const char *const turns[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
    for (int i = 0; i < 5 && body->use_inertia_full; i++)
        if (tn_xml_attr(e, turns[i]))
            tn_mjcf_error_attr(m, e, turns[i], "fullinertia and %s cannot both be given", turns[i]);
    bool turned = frame->quat[1] != 0 || frame->quat[2] != 0 || frame->quat[3] != 0;
    if (body->use_inertia_full && turned) rotate_inertia(frame->quat, body->inertia_full);
}

/* Of a body and its frames. */
static void find_inertial(TnMjcf *m, const TnXmlElement *parent, const Place *place,
                          TnBodyDef *body)
{
    for (const TnXmlElement *e = parent->first; e; e = e->next) {
        if (is(e, "inertial")) {
            read_inertial(m, e, &place->frame, body);
        } else if (is(e, "frame")) {
            Place inner = inner_place(m, e, place, false);
            find_inertial(m, e, &inner, body);
        }
    }
}

TnBodyId tn_mjcf_carrier(const TnMjcf *m, TnBodyId body)
{
    return body < m->carrier_count && m->carriers[body] ? m->carriers[body] : body;
}

void tn_mjcf_set_carrier(TnMjcf *m, TnBodyId body, TnBodyId carrier)
{
    if (body <= 0) return;
    if (body >= m->carrier_room) {
        int room = 2 * body + 16;
        TnBodyId *carriers = tn_io_alloc(&m->pool, (size_t)room * sizeof *carriers);
        if (!carriers) return;
        if (m->carrier_count)
            memcpy(carriers, m->carriers, (size_t)m->carrier_count * sizeof *carriers);
        m->carriers = carriers;
        m->carrier_room = room;
    }
    if (body >= m->carrier_count) m->carrier_count = body + 1;
    m->carriers[body] = carrier;
}

static void read_children(TnMjcf *m, const TnXmlElement *parent, const Place *place);

/* Kept out of read_children, so that its big definitions do not pile up on the stack of a deep
 * tree. */
static __attribute__((noinline)) bool read_body(TnMjcf *m, const TnXmlElement *e,
                                                const Place *outer, Place *inner)
{
    tn_mjcf_enter(m, e);
    TnMjcfView view = tn_mjcf_plain_view(e);
    TnMjcfPose pose = tn_mjcf_pose(m, &view);
    pose = tn_mjcf_compose(&outer->frame, &pose);
    TnMjcfPose world = tn_mjcf_compose(&outer->world, &pose);
    const TnMjcfClass *class_ = tn_mjcf_class(m, e, "childclass", outer->class_);
    if (tn_mjcf_is_node(m, e, class_, &world) || !tn_mjcf_check(m, TN_GROUP_BODY, e)) return false;
    const char *name = tn_mjcf_text(&view, "name");
    TnBodyDef unnamed, *body = &unnamed;
    if (name && !(body = TN_IO_NEW(&m->pool, TnBodyDef))) return false; /* sensors ask for it */
    *body = tn_body_def();
    body->name = name;
    body->parent = outer->body;
    memcpy(body->pos, pose.pos, sizeof body->pos);
    memcpy(body->quat, pose.quat, sizeof body->quat);
    if (m->settings.spring || m->settings.damper) /* else MuJoCo skips all passive forces */
        body->gravity_compensation = tn_mjcf_real(m, &view, "gravcomp", 0);
    body->mocap = tn_mjcf_word(&view, "mocap", "false true", 0) == 1;
    m->mocap_count += body->mocap;
    body->source = tn_xml_place(e);
    *inner = (Place){.class_ = class_, .frame = tn_mjcf_identity(), .world = world};
    find_inertial(m, e, inner, body);
    collect(m, e, inner);
    tn_mjcf_enter(m, e); /* again: what was attached to it has left it */
    if (m->settings.inertia_from_geom == TN_TRI_TRUE && m->geoms.count > 0)
        body->has_inertia = false;
    body->min_mass = m->settings.bound_mass;
    body->min_inertia = m->settings.bound_inertia;
    body->balance_inertia = m->settings.balance_inertia;
    inner->body = tn_builder_add_body(m->builder, body);
    tn_mjcf_set_carrier(m, inner->body,
                        body->mocap ? inner->body : tn_mjcf_carrier(m, outer->body));
    if (body->name && strcmp(body->name, "world") == 0)
        tn_mjcf_error_attr(m, e, "name", "'world' is the name of the world body");
    else
        tn_mjcf_name_add(m, TN_NAMED_BODY, e, body->name, inner->body, body);
    tn_mjcf_note_carrier(m, body->name, &world, inner->body);
    add_geoms(m, inner);
    read_parts(m, e, inner);
    return true;
}

static void read_children(TnMjcf *m, const TnXmlElement *parent, const Place *place)
{
    for (const TnXmlElement *e = parent->first; e; e = e->next) {
        Place inner;
        if (is(e, "body")) {
            tn_mjcf_add_rods(m, false);
            m->body_elements++;
            if (read_body(m, e, place, &inner)) read_children(m, e, &inner);
        } else if (is(e, "frame")) {
            inner = inner_place(m, e, place, false);
            read_children(m, e, &inner);
        } else if (is(e, "composite")) {
            TnMjcfPose world = tn_mjcf_compose(&place->world, &place->frame);
            tn_mjcf_composite(m, e, place->class_, &place->frame, &world, place->body);
        } else if (is(e, "flexcomp")) {
            TnMjcfPose world = tn_mjcf_compose(&place->world, &place->frame);
            tn_mjcf_flexcomp(m, e, &world, place->body);
        }
    }
}

void tn_mjcf_segment_parts(TnMjcf *m, const TnXmlElement *element, TnBodyId body)
{
    Place place = {.body = body,
                   .class_ = m->main_class,
                   .frame = tn_mjcf_identity(),
                   .world = tn_mjcf_identity()};
    for (const TnXmlElement *e = element->first; e; e = e->next)
        if (tn_mjcf_word_index("geom site camera", e->name) < 0)
            tn_mjcf_error(m, e, "a segment has geoms, sites and cameras only");
    collect(m, element, &place);
    add_geoms(m, &place);
    read_parts(m, element, &place);
}

void tn_mjcf_read_bodies(TnMjcf *m)
{
    static const TnBodyDef world = {.name = "world"};
    tn_mjcf_name_add(m, TN_NAMED_BODY, NULL, "world", TN_BODY_WORLD, &world);
    Place place = {.body = TN_BODY_WORLD,
                   .class_ = m->main_class,
                   .frame = tn_mjcf_identity(),
                   .world = tn_mjcf_identity()};
    for (const TnXmlElement *e = m->root->first; e; e = e->next)
        if (is(e, "worldbody")) collect(m, e, &place);
    add_geoms(m, &place);
    for (const TnXmlElement *e = m->root->first; e; e = e->next)
        if (is(e, "worldbody")) read_parts(m, e, &place);
    for (const TnXmlElement *e = m->root->first; e; e = e->next)
        if (is(e, "worldbody")) read_children(m, e, &place);
    tn_mjcf_add_rods(m, true);
    tn_mjcf_finish_cameras(m);
    tn_mjcf_finish_lights(m);
}
