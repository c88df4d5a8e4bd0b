/* mjcf_write_sensor.c: sensors. */
#include "mjcf_write.h"

#include <stdio.h>
#include <string.h>

typedef enum Attr { OF_NOTHING, OF_JOINT, OF_TENDON, OF_ACTUATOR, OF_SITE, OF_BODY, OF_FRAME } Attr;

static const struct SensorName {
    const char *element;
    Attr attr;
} sensor_names[] = {
    [TN_SENSOR_JOINT_POS] = {"jointpos", OF_JOINT},
    [TN_SENSOR_JOINT_VEL] = {"jointvel", OF_JOINT},
    [TN_SENSOR_BODY_POS] = {"framepos", OF_BODY},
    [TN_SENSOR_BODY_QUAT] = {"framequat", OF_BODY},
    [TN_SENSOR_SITE_POS] = {"framepos", OF_FRAME},
    [TN_SENSOR_SITE_QUAT] = {"framequat", OF_FRAME},
    [TN_SENSOR_TENDON_POS] = {"tendonpos", OF_TENDON},
    [TN_SENSOR_TENDON_VEL] = {"tendonvel", OF_TENDON},
    [TN_SENSOR_ACTUATOR_POS] = {"actuatorpos", OF_ACTUATOR},
    [TN_SENSOR_ACTUATOR_VEL] = {"actuatorvel", OF_ACTUATOR},
    [TN_SENSOR_GYRO] = {"gyro", OF_SITE},
    [TN_SENSOR_VELOCIMETER] = {"velocimeter", OF_SITE},
    [TN_SENSOR_FORCE] = {"force", OF_SITE},
    [TN_SENSOR_TORQUE] = {"torque", OF_SITE},
    [TN_SENSOR_ACTUATOR_FORCE] = {"actuatorfrc", OF_ACTUATOR},
    [TN_SENSOR_JOINT_ACTUATOR_FORCE] = {"jointactuatorfrc", OF_JOINT},
    [TN_SENSOR_TENDON_ACTUATOR_FORCE] = {"tendonactuatorfrc", OF_TENDON},
    [TN_SENSOR_BALL_QUAT] = {"ballquat", OF_JOINT},
    [TN_SENSOR_BALL_ANGULAR_VEL] = {"ballangvel", OF_JOINT},
    [TN_SENSOR_SITE_X_AXIS] = {"framexaxis", OF_FRAME},
    [TN_SENSOR_SITE_Y_AXIS] = {"frameyaxis", OF_FRAME},
    [TN_SENSOR_SITE_Z_AXIS] = {"framezaxis", OF_FRAME},
    [TN_SENSOR_SITE_VEL] = {"framelinvel", OF_FRAME},
    [TN_SENSOR_SITE_ANGULAR_VEL] = {"frameangvel", OF_FRAME},
    [TN_SENSOR_SITE_ACC] = {"framelinacc", OF_FRAME},
    [TN_SENSOR_SITE_ANGULAR_ACC] = {"frameangacc", OF_FRAME},
    [TN_SENSOR_ACCELEROMETER] = {"accelerometer", OF_SITE},
    [TN_SENSOR_MAGNETOMETER] = {"magnetometer", OF_SITE},
    [TN_SENSOR_SUBTREE_POS] = {"subtreecom", OF_BODY},
    [TN_SENSOR_SUBTREE_VEL] = {"subtreelinvel", OF_BODY},
    [TN_SENSOR_SUBTREE_ANGULAR_MOMENTUM] = {"subtreeangmom", OF_BODY},
    [TN_SENSOR_CLOCK] = {"clock", OF_NOTHING},
    [TN_SENSOR_POTENTIAL_ENERGY] = {"e_potential", OF_NOTHING},
    [TN_SENSOR_KINETIC_ENERGY] = {"e_kinetic", OF_NOTHING},
    [TN_SENSOR_JOINT_LIMIT_POS] = {"jointlimitpos", OF_JOINT},
    [TN_SENSOR_JOINT_LIMIT_VEL] = {"jointlimitvel", OF_JOINT},
    [TN_SENSOR_JOINT_LIMIT_FORCE] = {"jointlimitfrc", OF_JOINT},
    [TN_SENSOR_TENDON_LIMIT_POS] = {"tendonlimitpos", OF_TENDON},
    [TN_SENSOR_TENDON_LIMIT_VEL] = {"tendonlimitvel", OF_TENDON},
    [TN_SENSOR_TENDON_LIMIT_FORCE] = {"tendonlimitfrc", OF_TENDON},
    [TN_SENSOR_TOUCH] = {"touch", OF_SITE},
    [TN_SENSOR_RANGEFINDER] = {"rangefinder", OF_SITE},
    [TN_SENSOR_PROJECTION] = {"camprojection", OF_SITE},
    [TN_SENSOR_INSIDE_SITE] = {"insidesite", OF_FRAME},
    [TN_SENSOR_DISTANCE] = {"distance", OF_NOTHING},
    [TN_SENSOR_DISTANCE_NORMAL] = {"normal", OF_NOTHING},
    [TN_SENSOR_DISTANCE_POINTS] = {"fromto", OF_NOTHING},
    [TN_SENSOR_CONTACT] = {"contact", OF_NOTHING},
    [TN_SENSOR_USER] = {"user", OF_NOTHING},
};

/* A site, the frame of a geom, or that of a body's inertia, which MuJoCo calls that of the body. */
static void write_frame(TnWriter *w, const char *type_attr, const char *name_attr, TnSiteId id)
{
    bool known = id >= 1 && id <= w->d.site_count;
    const TnSiteDef *site = known ? &w->d.sites[id - 1] : NULL;
    if (site && site->at_geom) {
        tn_write_text(w, type_attr, "geom");
        tn_write_text(w, name_attr, tn_write_name(w, TN_WRITTEN_GEOM, site->at_geom));
    } else if (site && site->at_center_of_mass) {
        tn_write_text(w, type_attr, "body");
        tn_write_text(w, name_attr, tn_write_name(w, TN_WRITTEN_BODY, site->body));
    } else {
        tn_write_text(w, type_attr, "site");
        tn_write_text(w, name_attr, tn_write_name(w, TN_WRITTEN_SITE, id));
    }
}

/* Bits as words, in their order. */
static void write_bits(TnWriter *w, const char *words, uint32_t bits)
{
    tn_write_format(w, " data=\"");
    for (const char *gap = ""; *words; bits >>= 1) {
        size_t n = strcspn(words, " ");
        if (bits & 1u) {
            tn_write_format(w, "%s%.*s", gap, (int)n, words);
            gap = " ";
        }
        words += n;
        words += strspn(words, " ");
    }
    tn_write_raw(w, "\"", 1);
}

static void write_pick(TnWriter *w, const TnPick *pick, int number)
{
    static const char *const words[] = {
        [TN_PICK_GEOM] = "geom", [TN_PICK_BODY] = "body", [TN_PICK_SUBTREE] = "subtree"};
    char attr[16];
    if (pick->kind == TN_PICK_ANY || (size_t)pick->kind >= sizeof words / sizeof words[0]) return;
    snprintf(attr, sizeof attr, "%s%d", words[pick->kind], number);
    tn_write_text(
        w, attr,
        tn_write_name(w, pick->kind == TN_PICK_GEOM ? TN_WRITTEN_GEOM : TN_WRITTEN_BODY, pick->id));
}

/* What rays, images, volumes, distances and contacts have beside. */
static void write_more(TnWriter *w, const TnSensorDef *s)
{
    write_pick(w, &s->pick1, 1);
    write_pick(w, &s->pick2, 2);
    if (s->zone) tn_write_text(w, "site", tn_write_name(w, TN_WRITTEN_SITE, s->zone));
    if (s->camera) tn_write_text(w, "camera", tn_write_name(w, TN_WRITTEN_CAMERA, s->camera));
    if (s->type == TN_SENSOR_RANGEFINDER)
        write_bits(w, "dist dir origin point normal depth", s->fields);
    if (s->type == TN_SENSOR_USER) tn_write_int(w, "dim", s->slots);
    if (s->type != TN_SENSOR_CONTACT) return;
    static const char *const reduce[] = {"none", "mindist", "maxforce", "netforce"};
    write_bits(w, "found force torque dist pos normal tangent linvel angvel", s->fields);
    tn_write_int(w, "num", s->slots);
    if ((size_t)s->reduce < 4) tn_write_text(w, "reduce", reduce[s->reduce]);
}

static void write_sensor(TnWriter *w, int i)
{
    static const TnWritten kinds[] = {[OF_JOINT] = TN_WRITTEN_JOINT,
                                      [OF_TENDON] = TN_WRITTEN_TENDON,
                                      [OF_ACTUATOR] = TN_WRITTEN_ACTUATOR,
                                      [OF_SITE] = TN_WRITTEN_SITE,
                                      [OF_BODY] = TN_WRITTEN_BODY};
    static const char *const attrs[] = {
        [OF_JOINT] = "joint", [OF_TENDON] = "tendon", [OF_ACTUATOR] = "actuator",
        [OF_SITE] = "site",   [OF_BODY] = "body",
    };
    const TnSensorDef *s = &w->d.sensors[i];
    bool known = (size_t)s->type < sizeof sensor_names / sizeof sensor_names[0] &&
                 sensor_names[s->type].element;
    if (!known) {
        tn_write_error(w, "sensor", s->name, i + 1, s->source,
                       "sensors of type %d are not written yet", (int)s->type);
        return;
    }
    const struct SensorName *name = &sensor_names[s->type];
    bool own_frame = s->type == TN_SENSOR_BODY_POS || s->type == TN_SENSOR_BODY_QUAT;
    tn_write_open(w, name->element);
    tn_write_text(w, "name", s->name);
    if (own_frame) tn_write_text(w, "objtype", "xbody");
    if (name->attr == OF_FRAME)
        write_frame(w, "objtype", "objname", s->object);
    else if (name->attr != OF_NOTHING)
        tn_write_text(w, own_frame ? "objname" : attrs[name->attr],
                      tn_write_name(w, kinds[name->attr], s->object));
    if (s->ref) write_frame(w, "reftype", "refname", s->ref);
    write_more(w, s);
    if (s->cutoff != 0) tn_write_real(w, "cutoff", s->cutoff);
    tn_write_close(w);
}

void tn_write_sensors(TnWriter *w)
{
    if (w->d.sensor_count == 0) return;
    tn_write_open(w, "sensor");
    tn_write_inner(w);
    for (int i = 0; i < w->d.sensor_count; i++) write_sensor(w, i);
    tn_write_end(w, "sensor");
}
