/* mjcf_sensor.c: sensors.
 *
 * Frames of bodies, geoms and cameras are sites without a name here. A sensor that tenon does not
 * have gives zeros, with a remark, or is left out where their number is unknown: the model moves
 * without it. Sensors of distances, contacts and the whole model: mjcf_sensor_world.c. */
#include "mjcf.h"

#include <string.h>

static bool left_out(TnMjcf *m, const TnXmlElement *e)
{
    tn_mjcf_remark_named(m, TN_REMARK_SENSOR, tn_xml_place(e), e->name);
    return false;
}

bool tn_mjcf_keep_room(TnMjcf *m, const TnXmlElement *e, int numbers, TnSensorDef *sensor)
{
    left_out(m, e);
    sensor->type = TN_SENSOR_USER;
    sensor->object = sensor->ref = 0;
    sensor->slots = numbers;
    return true;
}

/* ---- joints, tendons, actuators, sites, bodies ---- */

typedef enum Joints { ANY_JOINT, SCALAR_JOINT, BALL_JOINT } Joints;

/* The attribute that names the part has the same name as the part. */
static const struct Part {
    const char *element, *attr;
    TnMjcfNameKind kind;
    TnSensorType type;
    Joints joints;
} parts[] = {
    {"jointpos", "joint", TN_NAMED_JOINT, TN_SENSOR_JOINT_POS, SCALAR_JOINT},
    {"jointvel", "joint", TN_NAMED_JOINT, TN_SENSOR_JOINT_VEL, SCALAR_JOINT},
    {"jointactuatorfrc", "joint", TN_NAMED_JOINT, TN_SENSOR_JOINT_ACTUATOR_FORCE, SCALAR_JOINT},
    {"ballquat", "joint", TN_NAMED_JOINT, TN_SENSOR_BALL_QUAT, BALL_JOINT},
    {"ballangvel", "joint", TN_NAMED_JOINT, TN_SENSOR_BALL_ANGULAR_VEL, BALL_JOINT},
    {"tendonpos", "tendon", TN_NAMED_TENDON, TN_SENSOR_TENDON_POS, ANY_JOINT},
    {"tendonvel", "tendon", TN_NAMED_TENDON, TN_SENSOR_TENDON_VEL, ANY_JOINT},
    {"tendonactuatorfrc", "tendon", TN_NAMED_TENDON, TN_SENSOR_TENDON_ACTUATOR_FORCE, ANY_JOINT},
    {"actuatorpos", "actuator", TN_NAMED_ACTUATOR, TN_SENSOR_ACTUATOR_POS, ANY_JOINT},
    {"actuatorvel", "actuator", TN_NAMED_ACTUATOR, TN_SENSOR_ACTUATOR_VEL, ANY_JOINT},
    {"actuatorfrc", "actuator", TN_NAMED_ACTUATOR, TN_SENSOR_ACTUATOR_FORCE, ANY_JOINT},
    {"jointlimitpos", "joint", TN_NAMED_JOINT, TN_SENSOR_JOINT_LIMIT_POS, ANY_JOINT},
    {"jointlimitvel", "joint", TN_NAMED_JOINT, TN_SENSOR_JOINT_LIMIT_VEL, ANY_JOINT},
    {"jointlimitfrc", "joint", TN_NAMED_JOINT, TN_SENSOR_JOINT_LIMIT_FORCE, ANY_JOINT},
    {"tendonlimitpos", "tendon", TN_NAMED_TENDON, TN_SENSOR_TENDON_LIMIT_POS, ANY_JOINT},
    {"tendonlimitvel", "tendon", TN_NAMED_TENDON, TN_SENSOR_TENDON_LIMIT_VEL, ANY_JOINT},
    {"tendonlimitfrc", "tendon", TN_NAMED_TENDON, TN_SENSOR_TENDON_LIMIT_FORCE, ANY_JOINT},
    {"touch", "site", TN_NAMED_SITE, TN_SENSOR_TOUCH, ANY_JOINT},
    {"force", "site", TN_NAMED_SITE, TN_SENSOR_FORCE, ANY_JOINT},
    {"torque", "site", TN_NAMED_SITE, TN_SENSOR_TORQUE, ANY_JOINT},
    {"gyro", "site", TN_NAMED_SITE, TN_SENSOR_GYRO, ANY_JOINT},
    {"velocimeter", "site", TN_NAMED_SITE, TN_SENSOR_VELOCIMETER, ANY_JOINT},
    {"accelerometer", "site", TN_NAMED_SITE, TN_SENSOR_ACCELEROMETER, ANY_JOINT},
    {"magnetometer", "site", TN_NAMED_SITE, TN_SENSOR_MAGNETOMETER, ANY_JOINT},
    {"subtreecom", "body", TN_NAMED_BODY, TN_SENSOR_SUBTREE_POS, ANY_JOINT},
    {"subtreelinvel", "body", TN_NAMED_BODY, TN_SENSOR_SUBTREE_VEL, ANY_JOINT},
    {"subtreeangmom", "body", TN_NAMED_BODY, TN_SENSOR_SUBTREE_ANGULAR_MOMENTUM, ANY_JOINT}};

static bool has_right_type(TnMjcf *m, const TnXmlElement *e, const TnJointDef *joint, Joints wanted)
{
    if (!joint || wanted == ANY_JOINT) return true;
    bool scalar = joint->type == TN_JOINT_HINGE || joint->type == TN_JOINT_SLIDE;
    if (wanted == SCALAR_JOINT ? scalar : joint->type == TN_JOINT_BALL) return true;
    tn_mjcf_error_attr(m, e, "joint", "%s is for %s joints", e->name,
                       wanted == SCALAR_JOINT ? "hinge and slide" : "ball");
    return false;
}

static bool read_part(TnMjcf *m, const TnXmlElement *e, const struct Part *part,
                      TnSensorDef *sensor)
{
    const TnMjcfName *name = tn_mjcf_refer(m, part->kind, e, part->attr);
    if (!name || !name->id) return false;
    sensor->type = part->type;
    sensor->object = name->id;
    return part->kind != TN_NAMED_JOINT || has_right_type(m, e, name->data, part->joints);
}

/* ---- frames ---- */

static TnSiteId site_at(TnMjcf *m, const TnXmlElement *e, TnBodyId body, const TnMjcfPose *frame)
{
    TnMjcfPose own = tn_mjcf_identity();
    TnSiteDef site = tn_site_def();
    if (!frame) frame = &own;
    site.body = body;
    memcpy(site.pos, frame->pos, sizeof site.pos);
    memcpy(site.quat, frame->quat, sizeof site.quat);
    site.source = tn_xml_place(e);
    return tn_builder_add_site(m->builder, &site);
}

/* MuJoCo's objtype "body" means the inertial frame; where the file does not give it, compile finds
 * it. */
static TnSiteId site_at_inertia(TnMjcf *m, const TnXmlElement *e, const TnMjcfName *name, bool axes)
{
    const TnBodyDef *body = name->data;
    TnMjcfPose frame = tn_mjcf_identity();
    if (name->id == TN_BODY_WORLD) return site_at(m, e, name->id, &frame);
    if (body->has_inertia && !body->use_inertia_full) {
        memcpy(frame.pos, body->inertia_pos, sizeof frame.pos);
        memcpy(frame.quat, body->inertia_quat, sizeof frame.quat);
        return site_at(m, e, name->id, &frame);
    }
    TnSiteDef site = tn_site_def();
    site.principal_axes = axes;
    site.body = name->id;
    site.at_center_of_mass = true;
    site.source = tn_xml_place(e);
    return tn_builder_add_site(m->builder, &site);
}

/* MuJoCo moves and turns the frame of a mesh to its centre of mass. */
static TnSiteId site_at_geom(TnMjcf *m, const TnXmlElement *e, const TnMjcfName *name)
{
    const TnMjcfGeomPlace *place = name->data;
    if (!place) return 0;
    if (place->def.type == TN_GEOM_MESH) {
        TnSiteDef site = tn_site_def();
        site.body = place->def.body;
        site.at_geom = name->id;
        site.source = tn_xml_place(e);
        return tn_builder_add_site(m->builder, &site);
    }
    TnMjcfPose frame;
    memcpy(frame.pos, place->def.pos, sizeof frame.pos);
    memcpy(frame.quat, place->def.quat, sizeof frame.quat);
    return site_at(m, e, place->def.body, &frame);
}

static TnSiteId site_at_camera(TnMjcf *m, const TnXmlElement *e, const TnMjcfName *name)
{
    const TnCameraDef *camera = name->data;
    if (!camera || camera->mode != TN_CAMERA_FIXED) return 0;
    TnMjcfPose frame;
    memcpy(frame.pos, camera->pos, sizeof frame.pos);
    memcpy(frame.quat, camera->quat, sizeof frame.quat);
    return site_at(m, e, camera->body, &frame);
}

/* A site at the frame that two attributes name. False: an error was told, or it is left out. */
static bool read_frame(TnMjcf *m, const TnXmlElement *e, const char *type_attr,
                       const char *name_attr, bool axes, TnSiteId *out)
{
    static const TnMjcfNameKind kinds[] = {TN_NAMED_BODY, TN_NAMED_BODY, TN_NAMED_SITE,
                                           TN_NAMED_GEOM, TN_NAMED_CAMERA};
    TnMjcfView view = tn_mjcf_plain_view(e);
    int type = tn_mjcf_word(&view, type_attr, "body xbody site geom camera", -1);
    const TnMjcfName *name = type >= 0 ? tn_mjcf_refer(m, kinds[type], e, name_attr) : NULL;
    if (!name || !name->id) return false;
    switch (type) {
    case 0:
        *out = site_at_inertia(m, e, name, axes);
        break;
    case 1:
        *out = site_at(m, e, name->id, tn_mjcf_segment_frame(m, name));
        break;
    case 2:
        *out = name->id;
        break;
    case 3:
        *out = site_at_geom(m, e, name);
        break;
    default:
        *out = site_at_camera(m, e, name);
    }
    return *out != 0;
}

bool tn_mjcf_sensor_frame(TnMjcf *m, const TnXmlElement *e, bool axes, TnSiteId *out)
{
    return read_frame(m, e, "objtype", "objname", axes, out);
}

/* A body's own frame needs no site. */
static bool is_own_frame(const TnMjcf *m, const TnXmlElement *e, TnSensorDef *sensor)
{
    const TnXmlAttr *type = tn_xml_attr(e, "objtype"), *attr = tn_xml_attr(e, "objname");
    if (!type || !attr || strcmp(type->value, "xbody") != 0) return false;
    const TnMjcfName *name = tn_mjcf_name_find(m, TN_NAMED_BODY, attr->value);
    if (!name || tn_mjcf_segment_frame(m, name)) return false;
    sensor->type = sensor->type == TN_SENSOR_SITE_POS ? TN_SENSOR_BODY_POS : TN_SENSOR_BODY_QUAT;
    sensor->object = name->id;
    return true;
}

static bool read_frame_sensor(TnMjcf *m, const TnXmlElement *e, TnSensorDef *sensor)
{
    static const char *const words = "framepos framequat framexaxis frameyaxis framezaxis "
                                     "framelinvel frameangvel framelinacc frameangacc";
    static const TnSensorType types[] = {
        TN_SENSOR_SITE_POS,         TN_SENSOR_SITE_QUAT,   TN_SENSOR_SITE_X_AXIS,
        TN_SENSOR_SITE_Y_AXIS,      TN_SENSOR_SITE_Z_AXIS, TN_SENSOR_SITE_VEL,
        TN_SENSOR_SITE_ANGULAR_VEL, TN_SENSOR_SITE_ACC,    TN_SENSOR_SITE_ANGULAR_ACC};
    int index = tn_mjcf_word_index(words, e->name);
    bool axes = index >= 1 && index <= 4;
    sensor->type = types[index];
    bool has_type = tn_xml_attr(e, "reftype"), has_name = tn_xml_attr(e, "refname");
    if (has_type != has_name) {
        tn_mjcf_error(m, e, "reftype and refname come together");
        return false;
    }
    if (index < 2 && !has_type && is_own_frame(m, e, sensor)) return true;
    int errors = m->err.count;
    bool good = read_frame(m, e, "objtype", "objname", axes, &sensor->object) &&
                (!has_type || read_frame(m, e, "reftype", "refname", true, &sensor->ref));
    if (good || m->err.count > errors) return good;
    return tn_mjcf_keep_room(m, e, index == 1 ? 4 : 3, sensor);
}

/* ---- all of them ---- */

static bool read_cutoff(TnMjcf *m, const TnXmlElement *e, TnSensorDef *sensor)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    sensor->cutoff = tn_mjcf_real(m, &view, "cutoff", 0);
    if (sensor->cutoff == 0 || sensor->type == TN_SENSOR_USER ||
        tn_mjcf_word_index("framequat framexaxis frameyaxis framezaxis ballquat", e->name) < 0)
        return true;
    tn_mjcf_error_attr(m, e, "cutoff", "cutoff is not for quaternions and unit vectors");
    return false;
}

static bool read_kind(TnMjcf *m, const TnXmlElement *e, TnSensorDef *sensor)
{
    if (strncmp(e->name, "frame", 5) == 0) return read_frame_sensor(m, e, sensor);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(e->name, parts[i].element) == 0) return read_part(m, e, &parts[i], sensor);
    return tn_mjcf_sensor_of_world(m, e, sensor);
}

static void read_sensor(TnMjcf *m, const TnXmlElement *e)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    TnSensorDef sensor = tn_sensor_def();
    sensor.source = tn_xml_place(e);
    sensor.name = tn_mjcf_text(&view, "name");
    bool good = false;
    if (tn_mjcf_word_index(tn_mjcf_unsupported(TN_GROUP_SENSOR), e->name) >= 0)
        left_out(m, e);
    else if (tn_mjcf_check_leaf(m, TN_GROUP_SENSOR, e))
        good = read_kind(m, e, &sensor) && read_cutoff(m, e, &sensor);
    TnSensorId id = good ? tn_builder_add_sensor(m->builder, &sensor) : 0;
    tn_mjcf_name_add(m, TN_NAMED_SENSOR, e, sensor.name, id, NULL);
}

void tn_mjcf_read_sensors(TnMjcf *m) { tn_mjcf_each_child(m, "sensor", read_sensor); }
