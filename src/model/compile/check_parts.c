/* check_parts.c: are the definitions of everything but bodies, joints, geoms, sites, tendons and
 * actuators sensible? */
#include "../../base/base.h"
#include "../builder.h"

#include <math.h>
#include <string.h>

static void check_option(TnCompile *c)
{
    const TnOption *o = &c->builder->option;
    const TnElement element = {.kind = "option", .source = c->builder->option_source};
    if (!(o->timestep > 0.0 && isfinite(o->timestep)))
        tn_problem(c, &element, "timestep must be positive (%g)", o->timestep);
    tn_check_numbers(c, &element, "gravity", o->gravity, 3);
    tn_check_numbers(c, &element, "magnetic", o->magnetic, 3);
    tn_check_positive(c, &element, "density", o->density);
    tn_check_positive(c, &element, "viscosity", o->viscosity);
    tn_check_numbers(c, &element, "wind", o->wind, 3);
    if (!(o->theta >= 0.5 && o->theta <= 1.0))
        tn_problem(c, &element, "theta must lie in [0.5, 1] (%g)", o->theta);
    if (o->tree_passes < 1 || o->tree_passes > 100)
        tn_problem(c, &element, "tree_passes must lie in [1, 100] (%d)", o->tree_passes);
    if (o->substeps < 0 || o->substeps > 100)
        tn_problem(c, &element, "substeps must lie in [0, 100] (%d)", o->substeps);
    if (!(o->accuracy >= 0.0))
        tn_problem(c, &element, "accuracy must be 0 or more (%g)", o->accuracy);
    if (!(o->stabilization >= 0.0 && o->stabilization <= 1.0))
        tn_problem(c, &element, "stabilization must lie in [0, 1] (%g)", o->stabilization);
    if (!(o->contact_stiffness >= 0.0) || isinf(o->contact_stiffness))
        tn_problem(c, &element, "contact_stiffness must be 0 or more (%g)", o->contact_stiffness);
    if (!(o->total_mass >= 0.0) || isinf(o->total_mass))
        tn_problem(c, &element, "total_mass must be 0 or more (%g)", o->total_mass);
    if ((unsigned)o->division.kind > TN_DIVISION_GROUPS)
        tn_problem(c, &element, "division has no kind %d", (int)o->division.kind);
    if (o->division.kind == TN_DIVISION_GROUPS && o->division.group_size < 1)
        tn_problem(c, &element, "group_size of the division must be positive (%d)",
                   o->division.group_size);
    if (o->division.pieces < 0)
        tn_problem(c, &element, "pieces of the division must not be negative (%d)",
                   o->division.pieces);
}

static bool check_equality_joints(TnCompile *c, const TnElement *element, const TnEqualityDef *def)
{
    bool stands = tn_check_scalar_joint(c, element, "joint1", def->joint1);
    if (def->joint2 && !tn_check_scalar_joint(c, element, "joint2", def->joint2)) stands = false;
    if (def->joint1 && def->joint1 == def->joint2)
        tn_problem(c, element, "joint1 and joint2 are the same");
    tn_check_numbers(c, element, "polycoef", def->polycoef, 5);
    return stands;
}

static bool check_equality_tendons(TnCompile *c, const TnElement *element, const TnEqualityDef *def)
{
    int count = c->builder->tendon_count;
    bool stands = tn_check_id(c, element, "tendon1", def->tendon1, count);
    if (def->tendon2 && !tn_check_id(c, element, "tendon2", def->tendon2, count)) stands = false;
    if (def->tendon1 && def->tendon1 == def->tendon2)
        tn_problem(c, element, "tendon1 and tendon2 are the same");
    tn_check_numbers(c, element, "polycoef", def->polycoef, 5);
    return stands;
}

static bool check_equality_sites(TnCompile *c, const TnElement *element, const TnEqualityDef *def)
{
    int count = c->builder->site_count;
    if (def->body1 || def->body2) tn_problem(c, element, "it is given both bodies and sites");
    return tn_check_id(c, element, "site1", def->site1, count) &&
           tn_check_id(c, element, "site2", def->site2, count);
}

static bool check_equality_bodies(TnCompile *c, const TnElement *element, const TnEqualityDef *def)
{
    int count = c->builder->body_count;
    if (def->site1 || def->site2) return check_equality_sites(c, element, def);
    bool stands = tn_check_id(c, element, "body1", def->body1, count);
    if (def->body2 && !tn_check_id(c, element, "body2", def->body2, count)) stands = false;
    tn_check_numbers(c, element, "anchor", def->anchor, 3);
    if (def->type == TN_EQUALITY_WELD && def->has_relpose) {
        tn_check_numbers(c, element, "relpos", def->relpos, 3);
        tn_check_quat(c, element, "relquat", def->relquat);
    }
    return stands;
}

static bool check_equalities(TnCompile *c)
{
    bool stands = true;
    for (int i = 0; i < c->builder->equality_count; i++) {
        const TnEqualityDef *def = &c->builder->equalities[i];
        const TnElement *element = TN_ELEMENT("equality", def, i);
        bool ok = false;
        switch (def->type) {
        case TN_EQUALITY_CONNECT:
        case TN_EQUALITY_WELD:
            ok = check_equality_bodies(c, element, def);
            break;
        case TN_EQUALITY_JOINT:
            ok = check_equality_joints(c, element, def);
            break;
        case TN_EQUALITY_TENDON:
            ok = check_equality_tendons(c, element, def);
            break;
        default:
            tn_problem(c, element, "type %d does not exist", (int)def->type);
        }
        stands = stands && ok;
    }
    return stands;
}

static bool check_pairs_and_excludes(TnCompile *c)
{
    const TnModelBuilder *b = c->builder;
    bool stands = true;
    for (int i = 0; i < b->pair_count; i++) {
        const TnPairDef *def = &b->pairs[i];
        const TnElement element = {.kind = "pair", .id = i + 1, .source = def->source};
        if (!tn_check_id(c, &element, "geom1", def->geom1, b->geom_count)) stands = false;
        if (!tn_check_id(c, &element, "geom2", def->geom2, b->geom_count)) stands = false;
        for (int k = 0; k < 2; k++) {
            TnGeomId id = k ? def->geom2 : def->geom1;
            if (id >= 1 && id <= b->geom_count && b->geoms[id - 1].type == TN_GEOM_SOFT) {
                tn_problem(c, &element,
                           "geom%d is the surface of a soft body: pairs are for rigid geoms; give "
                           "the soft body its contact_type, contact_affinity and priority instead",
                           k + 1);
                stands = false;
            }
        }
        tn_check_contact(c, &element, def->contact_dim, def->friction, def->restitution,
                         def->margin);
        tn_check_numbers(c, &element, "friction_across", def->friction_across, 2);
    }
    for (int i = 0; i < b->exclude_count; i++) {
        const TnExcludeDef *def = &b->excludes[i];
        const TnElement element = {.kind = "exclude", .id = i + 1, .source = def->source};
        if (!tn_check_id(c, &element, "body1", def->body1, b->body_count)) stands = false;
        if (!tn_check_id(c, &element, "body2", def->body2, b->body_count)) stands = false;
    }
    return stands;
}

static bool check_ball(TnCompile *c, const TnElement *element, TnJointId id)
{
    if (!tn_check_id(c, element, "joint", id, c->builder->joint_count)) return false;
    if (c->builder->joints[id - 1].type != TN_JOINT_BALL)
        tn_problem(c, element, "joint must be a ball");
    return true;
}

static bool check_pick(TnCompile *c, const TnElement *element, const char *what,
                       const TnSensorDef *def, const TnPick *pick)
{
    bool contact = def->type == TN_SENSOR_CONTACT;
    switch (pick->kind) {
    case TN_PICK_ANY:
    case TN_PICK_SUBTREE:
        if (contact && pick->kind == TN_PICK_ANY) return true;
        if (contact) return tn_check_id(c, element, what, pick->id, c->builder->body_count);
        tn_problem(c, element, "%s must be a geom or a body", what);
        return false;
    case TN_PICK_GEOM:
        return tn_check_id(c, element, what, pick->id, c->builder->geom_count);
    case TN_PICK_BODY:
        return tn_check_id(c, element, what, pick->id, c->builder->body_count);
    }
    tn_problem(c, element, "%s: kind %d does not exist", what, (int)pick->kind);
    return false;
}

/* Numbers that only some kinds have. */
static bool check_sensor_numbers(TnCompile *c, const TnElement *element, const TnSensorDef *def)
{
    bool sized = def->type == TN_SENSOR_CONTACT || def->type == TN_SENSOR_USER, stands = true;
    uint32_t all = def->type == TN_SENSOR_CONTACT ? 0x1ff : 0x3f;
    if (sized && (def->slots < 1 || def->slots > 1 << 24)) {
        tn_problem(c, element, "slots must be positive (%d)", def->slots);
        stands = false;
    }
    if ((def->type == TN_SENSOR_CONTACT || def->type == TN_SENSOR_RANGEFINDER) &&
        (!def->fields || def->fields & ~all)) {
        tn_problem(c, element, "there are no such fields (%#x)", (unsigned)def->fields);
        stands = false;
    }
    if ((unsigned)def->reduce > TN_REDUCE_NET_FORCE) {
        tn_problem(c, element, "reduce %d does not exist", (int)def->reduce);
        stands = false;
    }
    bool zone = def->type == TN_SENSOR_INSIDE_SITE;
    if ((zone || def->zone) && !tn_check_id(c, element, "zone", def->zone, c->builder->site_count))
        stands = false;
    if (def->type == TN_SENSOR_PROJECTION &&
        !tn_check_id(c, element, "camera", def->camera, c->builder->camera_count))
        stands = false;
    return stands;
}

static bool check_sensor_object(TnCompile *c, const TnElement *element, const TnSensorDef *def)
{
    const TnModelBuilder *b = c->builder;
    switch (tn_sensor_kind(def->type).object) {
    case TN_OF_SCALAR_JOINT:
        return tn_check_scalar_joint(c, element, "joint", def->object);
    case TN_OF_BALL:
        return check_ball(c, element, def->object);
    case TN_OF_BODY:
        return tn_check_id(c, element, "body", def->object, b->body_count);
    case TN_OF_SITE:
        return tn_check_id(c, element, "site", def->object, b->site_count);
    case TN_OF_TENDON:
        return tn_check_id(c, element, "tendon", def->object, b->tendon_count);
    case TN_OF_ACTUATOR:
        return tn_check_id(c, element, "actuator", def->object, b->actuator_count);
    case TN_OF_JOINT:
        return tn_check_id(c, element, "joint", def->object, b->joint_count);
    case TN_OF_PICKS:
        return check_pick(c, element, "pick1", def, &def->pick1) &&
               check_pick(c, element, "pick2", def, &def->pick2);
    case TN_OF_WORLD:
        return true;
    case TN_OF_UNKNOWN:
        break;
    }
    tn_problem(c, element, "type %d does not exist", (int)def->type);
    return false;
}

static bool has_reference(TnSensorType type)
{
    return type == TN_SENSOR_SITE_POS || type == TN_SENSOR_SITE_QUAT ||
           type == TN_SENSOR_SITE_X_AXIS || type == TN_SENSOR_SITE_Y_AXIS ||
           type == TN_SENSOR_SITE_Z_AXIS || type == TN_SENSOR_SITE_VEL ||
           type == TN_SENSOR_SITE_ANGULAR_VEL;
}

/* A direction or orientation that is clamped is none any more. */
static bool can_be_cut(TnSensorType type)
{
    return tn_sensor_kind(type).data_count != 4 && type != TN_SENSOR_SITE_X_AXIS &&
           type != TN_SENSOR_SITE_Y_AXIS && type != TN_SENSOR_SITE_Z_AXIS;
}

static bool check_sensors(TnCompile *c)
{
    const TnModelBuilder *b = c->builder;
    bool stands = true;
    for (int i = 0; i < b->sensor_count; i++) {
        const TnSensorDef *def = &b->sensors[i];
        const TnElement *element = TN_ELEMENT("sensor", def, i);
        if (!check_sensor_object(c, element, def) || !check_sensor_numbers(c, element, def))
            stands = false;
        if (def->ref && !has_reference(def->type))
            tn_problem(c, element, "this kind of sensor has no reference");
        if (def->ref && !tn_check_id(c, element, "reference", def->ref, b->site_count))
            stands = false;
        if (tn_check_positive(c, element, "cutoff", def->cutoff) && def->cutoff > 0.0 &&
            !can_be_cut(def->type))
            tn_problem(c, element, "cutoff is not for quaternions and unit vectors");
    }
    return stands;
}

static bool check_cameras(TnCompile *c)
{
    const TnModelBuilder *b = c->builder;
    bool stands = true;
    for (int i = 0; i < b->camera_count; i++) {
        const TnCameraDef *def = &b->cameras[i];
        const TnElement *element = TN_ELEMENT("camera", def, i);
        if (!tn_check_id(c, element, "body", def->body, b->body_count)) stands = false;
        tn_check_numbers(c, element, "pos", def->pos, 3);
        tn_check_quat(c, element, "quat", def->quat);
        if (!(def->fovy > 0.0 && def->fovy < TN_PI))
            tn_problem(c, element, "fovy must lie between 0 and 180 degrees (%g)",
                       def->fovy * 180.0 / TN_PI);
        if (def->resolution[0] < 1 || def->resolution[1] < 1)
            tn_problem(c, element, "resolution must be positive (%d, %d)", def->resolution[0],
                       def->resolution[1]);
        if ((unsigned)def->mode > TN_CAMERA_TARGET)
            tn_problem(c, element, "mode %d does not exist", (int)def->mode);
        if ((def->mode == TN_CAMERA_TARGET || def->target) &&
            !tn_check_id(c, element, "target", def->target, b->body_count))
            stands = false;
    }
    return stands;
}

static void check_view(TnCompile *c)
{
    const TnView *view = &c->builder->view;
    const TnElement element = {.kind = "view"};
    if (view->has_center) tn_check_numbers(c, &element, "center", view->center, 3);
    if (view->has_extent && !(view->extent > 0.0 && isfinite(view->extent)))
        tn_problem(c, &element, "extent must be positive (%g)", view->extent);
    if (view->has_angles) {
        tn_check_numbers(c, &element, "azimuth", &view->azimuth, 1);
        tn_check_numbers(c, &element, "elevation", &view->elevation, 1);
    }
    if (!(view->fovy >= 0.0 && view->fovy < TN_PI))
        tn_problem(c, &element, "fovy must lie between 0 and 180 degrees (%g)",
                   view->fovy * 180.0 / TN_PI);
}

static bool check_length(TnCompile *c, const TnElement *element, const char *what,
                         const double *values, int count, int wanted)
{
    if (count != 0 && count != wanted) {
        tn_problem(c, element, "%s has %d numbers; the model has %d", what, count, wanted);
        return false;
    }
    return tn_check_numbers(c, element, what, values, count);
}

/* qpos and qvel may leave out the nodes of soft bodies, which come last. */
static bool check_coordinates(TnCompile *c, const TnElement *element, const char *what,
                              const double *values, int count, int wanted, int soft)
{
    if (!soft || count == 0 || count == wanted || count == wanted - soft)
        return check_length(c, element, what, values, count,
                            count == wanted - soft ? count : wanted);
    tn_problem(c, element,
               "%s has %d numbers; the model has %d, or %d without the nodes of soft bodies", what,
               count, wanted, wanted - soft);
    return false;
}

static bool check_keys(TnCompile *c)
{
    const TnModel *m = c->model;
    bool stands = true;
    int soft = 0;
    for (int i = 0; i < m->soft_count; i++) {
        int nodes = c->builder->softs[i].def.mesh.node_count;
        soft += nodes > 0 ? 3 * nodes : 0;
    }
    for (int i = 0; i < c->builder->key_count; i++) {
        const TnKeyDef *def = &c->builder->keys[i];
        const TnElement *element = TN_ELEMENT("key", def, i);
        tn_check_numbers(c, element, "time", &def->time, 1);
        if (!check_coordinates(c, element, "qpos", def->qpos, def->qpos_count, m->qpos_count, soft))
            stands = false;
        if (!check_coordinates(c, element, "qvel", def->qvel, def->qvel_count, m->dof_count, soft))
            stands = false;
        if (!check_length(c, element, "ctrl", def->ctrl, def->ctrl_count, m->actuator_count) ||
            !check_length(c, element, "mocap_pos", def->mocap_pos, def->mocap_pos_count,
                          3 * m->mocap_count) ||
            !check_length(c, element, "mocap_quat", def->mocap_quat, def->mocap_quat_count,
                          4 * m->mocap_count))
            stands = false;
        if (!check_length(c, element, "act", def->act, def->act_count, m->act_count))
            stands = false;
    }
    return stands;
}

static bool check_track(TnCompile *c)
{
    const TnTrackDef *def = &c->builder->track;
    const TnElement element = {.kind = "control track", .source = def->source};
    int width = c->builder->actuator_count, rows = def->row_count;
    if (!c->builder->has_track) return true;
    if (c->builder->track_actuator_count != width) {
        tn_problem(c, &element,
                   "it was set for %d actuators, but the model has %d: set it after adding them",
                   c->builder->track_actuator_count, width);
        return false;
    }
    if (rows < 1 || (width > 0 && !def->ctrl)) {
        tn_problem(c, &element, "it has no rows");
        return false;
    }
    if (!tn_check_numbers(c, &element, "a time", def->times, rows)) return false;
    for (int k = 1; k < rows; k++)
        if (!(def->times[k] > def->times[k - 1])) {
            tn_problem(c, &element, "times must increase (row %d: %g after %g)", k + 1,
                       def->times[k], def->times[k - 1]);
            break;
        }
    for (int k = 0; k < rows; k++)
        if (!tn_check_numbers(c, &element, "a control", def->ctrl + (size_t)k * (size_t)width,
                              width))
            break;
    if (def->loop_from == -1) return true;
    if (def->loop_from < 0 || def->loop_from > rows - 2) {
        tn_problem(c, &element, "loop_from %d must be -1 or name a row before the last of %d",
                   def->loop_from, rows);
        return true;
    }
    const double *first = def->ctrl + (size_t)def->loop_from * (size_t)width;
    const double *last = def->ctrl + (size_t)(rows - 1) * (size_t)width;
    for (int k = 0; k < width; k++)
        if (first[k] != last[k]) {
            tn_problem(c, &element,
                       "the controls of row loop_from and of the last row must be equal");
            break;
        }
    return true;
}

bool tn_check_parts(TnCompile *c)
{
    check_option(c);
    bool equalities = check_equalities(c), pairs = check_pairs_and_excludes(c);
    bool sensors = check_sensors(c), keys = check_keys(c), track = check_track(c);
    bool cameras = check_cameras(c), wheels = tn_check_wheels(c), looks = tn_check_looks(c);
    check_view(c);
    return equalities && pairs && sensors && keys && track && cameras && wheels && looks;
}
