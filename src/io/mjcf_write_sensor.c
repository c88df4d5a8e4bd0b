/* mjcf_write_sensor.c: sensors. */
#include "mjcf_write.h"

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
};

/* A site, or the centre of mass of a body, which MuJoCo calls the frame of the body. */
static void write_frame(TnWriter *w, const char *type_attr, const char *name_attr, TnSiteId id)
{
    bool known = id >= 1 && id <= w->d.site_count;
    const TnSiteDef *site = known ? &w->d.sites[id - 1] : NULL;
    bool center = site && site->at_center_of_mass;
    tn_write_text(w, type_attr, center ? "body" : "site");
    tn_write_text(w, name_attr,
                  center ? tn_write_name(w, TN_WRITTEN_BODY, site->body)
                         : tn_write_name(w, TN_WRITTEN_SITE, id));
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
