/* mjcf_attach_key.c: keyframes of attached models.
 *
 * Such a key speaks of the joints and actuators of its own model, in that model's order. Those that
 * were attached get its numbers here; all others are in their reference pose, at rest and without
 * control. */
#include "mjcf_copy.h"

#include <string.h>

typedef struct TnMjcfAttachedKey {
    const TnXmlElement *root, *key; /* of the other model */
    const char *prefix;
    int instance;
    struct TnMjcfAttachedKey *next;
} AttachedKey;

/* A joint in the order of qpos. */
typedef struct Joint {
    const TnXmlElement *element;
    TnJointType type;
    int qpos, dof;
    double start[7];
} Joint;

typedef struct Joints {
    Joint *list;
    int count, room, qpos, dof;
    const char *prefix; /* of the names of classes */
} Joints;

static const int qpos_size[] = {
    [TN_JOINT_FREE] = 7, [TN_JOINT_BALL] = 4, [TN_JOINT_SLIDE] = 1, [TN_JOINT_HINGE] = 1};
static const int dof_size[] = {
    [TN_JOINT_FREE] = 6, [TN_JOINT_BALL] = 3, [TN_JOINT_SLIDE] = 1, [TN_JOINT_HINGE] = 1};

static bool is(const TnXmlElement *element, const char *name)
{
    return strcmp(element->name, name) == 0;
}

void tn_mjcf_attached_keys(TnMjcf *m, const TnXmlElement *root, const TnXmlElement *section,
                           const char *prefix, int instance)
{
    for (const TnXmlElement *e = section->first; e; e = e->next) {
        AttachedKey *key = TN_IO_NEW(&m->pool, AttachedKey);
        if (!key) return;
        *key = (AttachedKey){root, e, prefix, instance, NULL};
        if (m->last_attached_key)
            m->last_attached_key->next = key;
        else
            m->attached_keys = key;
        m->last_attached_key = key;
    }
}

/* ---- the order of joints ---- */

static const TnMjcfClass *class_named(TnMjcf *m, const Joints *joints, const TnXmlElement *e,
                                      const char *attr_name, const TnMjcfClass *otherwise)
{
    const TnXmlAttr *attr = tn_xml_attr(e, attr_name);
    if (!attr) return otherwise;
    size_t before = strlen(joints->prefix);
    char *name = tn_io_alloc(&m->pool, before + strlen(attr->value) + 1);
    if (!name) return otherwise;
    memcpy(name, joints->prefix, before);
    memcpy(name + before, attr->value, strlen(attr->value) + 1);
    const TnMjcfName *found = tn_mjcf_name_find(m, TN_NAMED_CLASS, name);
    return found ? found->data : otherwise;
}

static bool grow(TnMjcf *m, Joints *joints)
{
    if (joints->count < joints->room) return true;
    joints->room = joints->room ? 2 * joints->room : 16;
    Joint *list = tn_io_alloc(&m->pool, (size_t)joints->room * sizeof *list);
    if (!list) return false;
    if (joints->count) memcpy(list, joints->list, (size_t)joints->count * sizeof *list);
    joints->list = list;
    return true;
}

static void add_joint(TnMjcf *m, Joints *joints, const TnXmlElement *e, const TnMjcfClass *class_,
                      const TnMjcfPose *body)
{
    TnMjcfView view = {.element = e, .tags = "joint"};
    view.class_ = class_named(m, joints, e, "class", class_);
    if (!grow(m, joints)) return;
    Joint *joint = &joints->list[joints->count++];
    *joint = (Joint){.element = e, .qpos = joints->qpos, .dof = joints->dof};
    joint->type =
        is(e, "freejoint")
            ? TN_JOINT_FREE
            : (TnJointType)tn_mjcf_word(&view, "type", "free ball slide hinge", TN_JOINT_HINGE);
    if (joint->type == TN_JOINT_FREE) {
        memcpy(joint->start, body->pos, sizeof body->pos);
        memcpy(joint->start + 3, body->quat, sizeof body->quat);
    } else if (joint->type == TN_JOINT_BALL) {
        joint->start[0] = 1;
    } else {
        double unit = joint->type == TN_JOINT_HINGE ? m->settings.angle : 1;
        joint->start[0] = unit * tn_mjcf_real(m, &view, "ref", 0);
    }
    joints->qpos += qpos_size[joint->type];
    joints->dof += dof_size[joint->type];
}

/* Joints of a body, also those in its frames; then those of its children. */
static void list_own(TnMjcf *m, Joints *joints, const TnXmlElement *parent,
                     const TnMjcfClass *class_, const TnMjcfPose *body)
{
    for (const TnXmlElement *e = parent->first; e; e = e->next) {
        tn_mjcf_enter(m, e);
        if (is(e, "joint") || is(e, "freejoint"))
            add_joint(m, joints, e, class_, body);
        else if (is(e, "frame"))
            list_own(m, joints, e, class_named(m, joints, e, "childclass", class_), body);
    }
}

static void list_children(TnMjcf *m, Joints *joints, const TnXmlElement *parent,
                          const TnMjcfClass *class_, const TnMjcfPose *frame)
{
    for (const TnXmlElement *e = parent->first; e; e = e->next) {
        if (!is(e, "body") && !is(e, "frame")) continue;
        tn_mjcf_enter(m, e);
        TnMjcfView view = tn_mjcf_plain_view(e);
        TnMjcfPose own = tn_mjcf_pose(m, &view), pose = tn_mjcf_compose(frame, &own);
        const TnMjcfClass *inner = class_named(m, joints, e, "childclass", class_);
        TnMjcfPose start = is(e, "body") ? tn_mjcf_identity() : pose;
        if (is(e, "body")) list_own(m, joints, e, inner, &pose);
        list_children(m, joints, e, inner, &start);
    }
}

static Joints list_joints(TnMjcf *m, const TnXmlElement *root, const char *prefix)
{
    Joints joints = {.prefix = prefix};
    TnMjcfPose origin = tn_mjcf_identity();
    const TnXmlAttr main_name = {.name = "class", .value = "main"};
    const TnXmlElement start = {.attr_count = 1, .attrs = (TnXmlAttr *)(uintptr_t)&main_name};
    m->quiet = true; /* all was said when bodies were read */
    const TnMjcfClass *class_ = class_named(m, &joints, &start, "class", m->main_class);
    for (const TnXmlElement *s = root->first; s; s = s->next)
        if (is(s, "worldbody")) list_children(m, &joints, s, class_, &origin);
    m->quiet = false;
    return joints;
}

/* ---- keys ---- */

static const Joint *find_copy(const Joints *all, const TnXmlElement *original, int instance)
{
    for (int i = 0; i < all->count; i++)
        if (all->list[i].element->original == original &&
            all->list[i].element->instance == instance)
            return &all->list[i];
    return NULL;
}

static void copy_joints(const Joints *all, const Joints *own, int instance, const double *qpos,
                        const double *qvel, double *out_qpos, double *out_qvel)
{
    for (int i = 0; i < own->count; i++) {
        const Joint *from = &own->list[i], *to = find_copy(all, from->element, instance);
        if (!to) continue;
        size_t q = (size_t)qpos_size[to->type], v = (size_t)dof_size[to->type];
        if (qpos) memcpy(out_qpos + to->qpos, qpos + from->qpos, q * sizeof *qpos);
        if (qvel) memcpy(out_qvel + to->dof, qvel + from->dof, v * sizeof *qvel);
    }
}

static int actuators(const TnXmlElement *root, const TnXmlElement *original, int instance,
                     int *index)
{
    int count = 0;
    for (const TnXmlElement *s = root->first; s; s = s->next)
        for (const TnXmlElement *e = is(s, "actuator") ? s->first : NULL; e; e = e->next) {
            if (index && e->original == original && e->instance == instance) *index = count;
            count++;
        }
    return count;
}

static void copy_controls(const TnMjcf *m, const AttachedKey *key, const double *ctrl, double *out)
{
    int from = 0;
    for (const TnXmlElement *s = key->root->first; s; s = s->next)
        for (const TnXmlElement *e = is(s, "actuator") ? s->first : NULL; e; e = e->next) {
            int index = -1;
            actuators(m->root, e, key->instance, &index);
            if (index >= 0) out[index] = ctrl[from];
            from++;
        }
}

/* The numbers, or NULL where there are none or not as many as the model has. */
static const double *read_numbers(TnMjcf *m, const AttachedKey *key, const char *name, int wanted)
{
    int count;
    const double *list = tn_mjcf_real_list(m, key->key, name, &count);
    if (!count || count == wanted) return count ? list : NULL;
    tn_mjcf_error_attr(m, key->key, name, "%s has %d numbers; its model needs %d", name, count,
                       wanted);
    return NULL;
}

static void read_key(TnMjcf *m, const AttachedKey *key, const Joints *all)
{
    if (!tn_mjcf_check_leaf(m, TN_GROUP_KEYFRAME, key->key)) return;
    if (tn_xml_attr(key->key, "act") || tn_xml_attr(key->key, "mpos") ||
        tn_xml_attr(key->key, "mquat"))
        tn_mjcf_remark(m, TN_REMARK_ATTACHED_ACT, tn_xml_place(key->key), "key");
    TnMjcfView view = tn_mjcf_plain_view(key->key);
    Joints own = list_joints(m, key->root, key->prefix);
    const double *qpos = read_numbers(m, key, "qpos", own.qpos);
    const double *qvel = read_numbers(m, key, "qvel", own.dof);
    const double *ctrl = read_numbers(m, key, "ctrl", actuators(key->root, NULL, 0, NULL));
    size_t room = (size_t)all->qpos + (size_t)all->dof + (size_t)m->actuator_count + 1;
    double *numbers = tn_io_alloc(&m->pool, room * sizeof *numbers);
    if (!numbers) return;
    double *out_qvel = numbers + all->qpos, *out_ctrl = out_qvel + all->dof;
    for (int i = 0; i < all->count; i++)
        memcpy(numbers + all->list[i].qpos, all->list[i].start,
               (size_t)qpos_size[all->list[i].type] * sizeof *numbers);
    copy_joints(all, &own, key->instance, qpos, qvel, numbers, out_qvel);
    if (ctrl) copy_controls(m, key, ctrl, out_ctrl);
    TnKeyDef def = tn_key_def();
    const char *name = tn_mjcf_text(&view, "name");
    char *full = name ? tn_io_alloc(&m->pool, strlen(key->prefix) + strlen(name) + 1) : NULL;
    if (full) {
        memcpy(full, key->prefix, strlen(key->prefix));
        memcpy(full + strlen(key->prefix), name, strlen(name) + 1);
    }
    def.source = tn_xml_place(key->key);
    def.name = full;
    def.time = tn_mjcf_real(m, &view, "time", 0);
    def.qpos = qpos ? numbers : NULL;
    def.qpos_count = qpos ? all->qpos : 0;
    def.qvel = qvel ? out_qvel : NULL;
    def.qvel_count = qvel ? all->dof : 0;
    def.ctrl = ctrl ? out_ctrl : NULL;
    def.ctrl_count = ctrl ? m->actuator_count : 0;
    TnKeyId id = tn_builder_add_key(m->builder, &def);
    tn_mjcf_name_add(m, TN_NAMED_KEY, key->key, def.name, id, NULL);
}

void tn_mjcf_read_attached_keys(TnMjcf *m)
{
    if (!m->attached_keys) return;
    Joints all = list_joints(m, m->root, "");
    if (all.qpos != m->qpos_count || all.dof != m->dof_count) { /* cables, soft bodies */
        tn_mjcf_remark(m, TN_REMARK_ATTACHED_KEY, tn_xml_place(m->attached_keys->key), "key");
        return;
    }
    for (const AttachedKey *key = m->attached_keys; key; key = key->next) read_key(m, key, &all);
}
