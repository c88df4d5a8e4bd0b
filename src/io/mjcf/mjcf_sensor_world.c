/* mjcf_sensor_world.c: sensors of no single part: clocks and energies, rays, images, volumes,
 * distances, contacts, and room for the user's own numbers. */
#include "mjcf.h"

#include <stdio.h>
#include <string.h>

static bool is(const TnXmlElement *e, const char *name) { return strcmp(e->name, name) == 0; }

static int32_t refer(TnMjcf *m, TnMjcfNameKind kind, const TnXmlElement *e, const char *attr)
{
    const TnMjcfName *name = tn_mjcf_refer(m, kind, e, attr);
    return name ? name->id : 0;
}

/* Words of `data` in the order of `words`, as bits. False: an error was told. */
static bool read_fields(TnMjcf *m, const TnXmlElement *e, const char *words, uint32_t *fields)
{
    const TnXmlAttr *attr = tn_xml_attr(e, "data");
    int last = -1;
    if (!attr) return true;
    *fields = 0;
    for (const char *p = attr->value + strspn(attr->value, " \t\n"); *p; p += strspn(p, " \t\n")) {
        char word[32];
        size_t n = strcspn(p, " \t\n");
        snprintf(word, sizeof word, "%.*s", (int)(n < 31 ? n : 31), p);
        int index = tn_mjcf_word_index(words, word);
        if (index <= last) {
            tn_mjcf_error_attr(m, e, "data", "%s: words of '%s' in this order, each once", word,
                               words);
            return false;
        }
        *fields |= 1u << index;
        last = index;
        p += n;
    }
    if (*fields) return true;
    tn_mjcf_error_attr(m, e, "data", "data is empty");
    return false;
}

/* Numbers of a rangefinder's ray. */
static int range_size(uint32_t fields)
{
    static const int sizes[6] = {1, 3, 3, 3, 3, 1};
    int sum = 0;
    for (int k = 0; k < 6; k++) sum += fields >> k & 1u ? sizes[k] : 0;
    return sum;
}

static bool read_range(TnMjcf *m, const TnXmlElement *e, TnSensorDef *sensor)
{
    sensor->type = TN_SENSOR_RANGEFINDER;
    if (!read_fields(m, e, "dist dir origin point normal depth", &sensor->fields)) return false;
    bool site = tn_xml_attr(e, "site"), camera = tn_xml_attr(e, "camera");
    if (site == camera) {
        tn_mjcf_error(m, e, "a rangefinder needs a site or a camera");
        return false;
    }
    if (camera) {
        const TnMjcfName *name = tn_mjcf_refer(m, TN_NAMED_CAMERA, e, "camera");
        if (!name) return false;
        const TnCameraDef *def = name->data;
        return tn_mjcf_keep_room(
            m, e, range_size(sensor->fields) * def->resolution[0] * def->resolution[1], sensor);
    }
    return (sensor->object = refer(m, TN_NAMED_SITE, e, "site")) != 0;
}

/* A lens that the field of view alone does not describe. */
static bool has_lens(const TnXmlElement *camera)
{
    static const char *const lens[] = {"focal",      "focalpixel",   "principal", "principalpixel",
                                       "sensorsize", "orthographic", "projection"};
    for (size_t k = 0; k < sizeof lens / sizeof lens[0]; k++)
        if (tn_xml_attr(camera, lens[k])) return true;
    return false;
}

static bool read_projection(TnMjcf *m, const TnXmlElement *e, TnSensorDef *sensor)
{
    sensor->type = TN_SENSOR_PROJECTION;
    sensor->object = refer(m, TN_NAMED_SITE, e, "site");
    const TnMjcfName *name = tn_mjcf_refer(m, TN_NAMED_CAMERA, e, "camera");
    if (!sensor->object || !name) return false;
    const TnCameraDef *def = name->data;
    sensor->camera = name->id;
    if (def->mode == TN_CAMERA_FIXED && !has_lens(name->element)) return true;
    sensor->camera = 0;
    return tn_mjcf_keep_room(m, e, 2, sensor);
}

static bool read_inside(TnMjcf *m, const TnXmlElement *e, TnSensorDef *sensor)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    int errors = m->err.count;
    sensor->type = TN_SENSOR_INSIDE_SITE;
    sensor->zone = refer(m, TN_NAMED_SITE, e, "site");
    if (!sensor->zone) return false;
    bool known = tn_mjcf_sensor_frame(m, e, false, &sensor->object);
    if (m->err.count > errors) return false;
    if (known && !tn_mjcf_bool(&view, "enclosed", false)) return true;
    sensor->zone = 0;
    return tn_mjcf_keep_room(m, e, 1, sensor);
}

/* One of geom, body or subtree. False: an error was told. */
static bool read_pick(TnMjcf *m, const TnXmlElement *e, char number, bool subtrees, TnPick *pick)
{
    static const struct {
        const char *word;
        TnPickKind kind;
        TnMjcfNameKind named;
    } kinds[] = {{"geom", TN_PICK_GEOM, TN_NAMED_GEOM},
                 {"body", TN_PICK_BODY, TN_NAMED_BODY},
                 {"subtree", TN_PICK_SUBTREE, TN_NAMED_BODY}};
    for (int k = 0; k < 2 + subtrees; k++) {
        char attr[16];
        snprintf(attr, sizeof attr, "%s%c", kinds[k].word, number);
        if (!tn_xml_attr(e, attr)) continue;
        if (pick->kind != TN_PICK_ANY) {
            tn_mjcf_error_attr(m, e, attr, "only one of geom%c, body%c%s may be given", number,
                               number, subtrees ? " and subtree" : "");
            return false;
        }
        pick->kind = kinds[k].kind;
        pick->id = refer(m, kinds[k].named, e, attr);
        if (!pick->id) return false;
    }
    return true;
}

static bool read_distance(TnMjcf *m, const TnXmlElement *e, TnSensorDef *sensor)
{
    sensor->type = is(e, "distance") ? TN_SENSOR_DISTANCE
                   : is(e, "normal") ? TN_SENSOR_DISTANCE_NORMAL
                                     : TN_SENSOR_DISTANCE_POINTS;
    if (!read_pick(m, e, '1', false, &sensor->pick1) ||
        !read_pick(m, e, '2', false, &sensor->pick2))
        return false;
    if (sensor->pick1.kind != TN_PICK_ANY && sensor->pick2.kind != TN_PICK_ANY) return true;
    tn_mjcf_error(m, e, "needs geom1 or body1, and geom2 or body2");
    return false;
}

static bool read_contact(TnMjcf *m, const TnXmlElement *e, TnSensorDef *sensor)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    sensor->type = TN_SENSOR_CONTACT;
    if (!read_pick(m, e, '1', true, &sensor->pick1) || !read_pick(m, e, '2', true, &sensor->pick2))
        return false;
    if (tn_xml_attr(e, "site") && !(sensor->zone = refer(m, TN_NAMED_SITE, e, "site")))
        return false;
    sensor->slots = tn_mjcf_int(m, &view, "num", 1);
    sensor->reduce =
        (TnContactReduce)tn_mjcf_word(&view, "reduce", "none mindist maxforce netforce", 0);
    return read_fields(m, e, "found force torque dist pos normal tangent linvel angvel",
                       &sensor->fields);
}

bool tn_mjcf_sensor_of_world(TnMjcf *m, const TnXmlElement *e, TnSensorDef *sensor)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    if (is(e, "rangefinder")) return read_range(m, e, sensor);
    if (is(e, "camprojection")) return read_projection(m, e, sensor);
    if (is(e, "insidesite")) return read_inside(m, e, sensor);
    if (is(e, "distance") || is(e, "normal") || is(e, "fromto")) return read_distance(m, e, sensor);
    if (is(e, "contact")) return read_contact(m, e, sensor);
    sensor->type = is(e, "e_potential") ? TN_SENSOR_POTENTIAL_ENERGY
                   : is(e, "e_kinetic") ? TN_SENSOR_KINETIC_ENERGY
                   : is(e, "user")      ? TN_SENSOR_USER
                                        : TN_SENSOR_CLOCK;
    if (sensor->type == TN_SENSOR_USER) sensor->slots = tn_mjcf_int(m, &view, "dim", 1);
    return true;
}
