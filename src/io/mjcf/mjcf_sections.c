/* mjcf_sections.c: sections that refer to bodies and their parts: contact, equality, keyframe. */
#include "mjcf.h"

#include <string.h>

/* To each other, so that nothing acts between them. */
static bool are_fixed(const TnMjcf *m, TnBodyId body1, TnBodyId body2)
{
    return tn_mjcf_carrier(m, body1) == tn_mjcf_carrier(m, body2);
}

static void read_pair(TnMjcf *m, const TnXmlElement *e)
{
    TnMjcfView view = tn_mjcf_view(m, e, m->main_class, "pair");
    const TnMjcfName *geom1 = tn_mjcf_refer(m, TN_NAMED_GEOM, e, "geom1");
    const TnMjcfName *geom2 = tn_mjcf_refer(m, TN_NAMED_GEOM, e, "geom2");
    /* two sliding directions, torsion, two rolling directions */
    double friction[5] = {1, 1, 0.005, 0.0001, 0.0001};
    tn_mjcf_reals(m, &view, "friction", friction, 5);
    TnPairDef pair = tn_pair_def();
    pair.source = tn_xml_place(e);
    pair.contact_dim = tn_mjcf_int(m, &view, "condim", 3);
    pair.friction[0] = friction[0];
    pair.friction[1] = friction[2];
    pair.friction[2] = friction[3];
    pair.margin = tn_mjcf_real(m, &view, "margin", 0);
    pair.friction_across[0] = friction[1];
    pair.friction_across[1] = friction[4];
    if (m->settings.override) {
        tn_mjcf_override(m, e, pair.friction, &pair.margin);
        pair.friction_across[0] = pair.friction_across[1] = -1;
    }
    tn_mjcf_name_add(m, TN_NAMED_PAIR, e, tn_mjcf_text(&view, "name"), 0, NULL);
    if (!geom1 || !geom2 || !m->settings.contact) return;
    const TnMjcfName *both[2] = {geom1, geom2};
    for (int i = 0; i < 2; i++) {
        const TnMjcfName *r = tn_mjcf_name_find(m, TN_NAMED_RESTITUTION, both[i]->name);
        const double *value = r ? r->data : NULL;
        if (value && *value > pair.restitution) pair.restitution = *value;
    }
    pair.geom1 = geom1->id;
    pair.geom2 = geom2->id;
    const TnMjcfGeomPlace *place1 = geom1->data, *place2 = geom2->data;
    if (place1 && place2 && are_fixed(m, place1->def.body, place2->def.body))
        tn_mjcf_remark(m, TN_REMARK_FIXED, tn_xml_place(e), e->name);
    else if (pair.geom1 && pair.geom2)
        tn_builder_add_pair(m->builder, &pair);
}

static void read_contact(TnMjcf *m, const TnXmlElement *e)
{
    if (!tn_mjcf_check_leaf(m, TN_GROUP_CONTACT, e)) return;
    if (strcmp(e->name, "pair") == 0) {
        read_pair(m, e);
        return;
    }
    TnMjcfView view = tn_mjcf_plain_view(e);
    const TnMjcfName *body1 = tn_mjcf_refer(m, TN_NAMED_BODY, e, "body1");
    const TnMjcfName *body2 = tn_mjcf_refer(m, TN_NAMED_BODY, e, "body2");
    tn_mjcf_name_add(m, TN_NAMED_EXCLUDE, e, tn_mjcf_text(&view, "name"), 0, NULL);
    if (body1 && body2) tn_builder_add_exclude(m->builder, body1->id, body2->id, tn_xml_place(e));
}

void tn_mjcf_read_contacts(TnMjcf *m) { tn_mjcf_each_child(m, "contact", read_contact); }

/* False where something is wrong with the pair of bodies. */
static bool read_equality_bodies(TnMjcf *m, const TnXmlElement *e, TnEqualityDef *equality)
{
    const TnMjcfName *body1 = tn_mjcf_refer(m, TN_NAMED_BODY, e, "body1");
    const TnMjcfName *body2 = tn_mjcf_refer(m, TN_NAMED_BODY, e, "body2");
    if (!tn_xml_attr(e, "body1"))
        tn_mjcf_error(m, e, "attribute 'body1' is missing, or 'site1' and 'site2'");
    if (!body1 || (tn_xml_attr(e, "body2") && !body2)) return false;
    equality->body1 = body1->id;
    equality->body2 = body2 ? body2->id : 0;
    return true;
}

static bool by_sites(const TnXmlElement *e)
{
    return tn_xml_attr(e, "site1") || tn_xml_attr(e, "site2");
}

/* False where something is wrong with the pair of sites. */
static bool read_equality_sites(TnMjcf *m, const TnXmlElement *e, TnEqualityDef *equality)
{
    static const char *const others[] = {"body1", "body2", "anchor", "relpose"};
    const TnMjcfName *site1 = tn_mjcf_refer(m, TN_NAMED_SITE, e, "site1");
    const TnMjcfName *site2 = tn_mjcf_refer(m, TN_NAMED_SITE, e, "site2");
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (tn_xml_attr(e, others[i]))
            tn_mjcf_error_attr(m, e, others[i], "%s is for bodies; with sites it has no meaning",
                               others[i]);
    for (int i = 0; i < 2; i++)
        if (!tn_xml_attr(e, i ? "site2" : "site1"))
            tn_mjcf_error(m, e, "attribute 'site%d' is missing", i + 1);
    if (!site1 || !site2) return false;
    equality->site1 = site1->id;
    equality->site2 = site2->id;
    return true;
}

/* Poses in the file are in MuJoCo's frames; a cable's segments have others here. */
static void turn_connect(const TnMjcf *m, const TnXmlElement *e, TnEqualityDef *equality)
{
    const TnXmlAttr *name = tn_xml_attr(e, "body1");
    const TnMjcfName *body = name ? tn_mjcf_name_find(m, TN_NAMED_BODY, name->value) : NULL;
    const TnMjcfPose *frame = body ? tn_mjcf_segment_frame(m, body) : NULL;
    if (!frame) return;
    TnMjcfPose anchor = tn_mjcf_identity();
    memcpy(anchor.pos, equality->anchor, sizeof anchor.pos);
    anchor = tn_mjcf_compose(frame, &anchor);
    memcpy(equality->anchor, anchor.pos, sizeof anchor.pos);
}

static void turn_weld(const TnMjcf *m, const TnXmlElement *e, TnEqualityDef *equality)
{
    static const char *const attrs[2] = {"body1", "body2"};
    TnMjcfPose rel = tn_mjcf_identity(), anchor = tn_mjcf_identity();
    memcpy(rel.pos, equality->relpos, sizeof rel.pos);
    memcpy(rel.quat, equality->relquat, sizeof rel.quat);
    memcpy(anchor.pos, equality->anchor, sizeof anchor.pos);
    for (int i = 0; i < 2; i++) {
        const TnXmlAttr *name = tn_xml_attr(e, attrs[i]);
        const TnMjcfName *body = name ? tn_mjcf_name_find(m, TN_NAMED_BODY, name->value) : NULL;
        const TnMjcfPose *frame = body ? tn_mjcf_segment_frame(m, body) : NULL;
        if (!frame) continue;
        if (i == 0) {
            rel = tn_mjcf_compose(frame, &rel);
        } else { /* relpos is where the anchor goes, so only the rotation ends in body2's axes */
            TnMjcfPose turn_back = tn_mjcf_inverse(frame);
            memset(turn_back.pos, 0, sizeof turn_back.pos);
            rel = tn_mjcf_compose(&rel, &turn_back);
            anchor = tn_mjcf_compose(frame, &anchor);
        }
    }
    memcpy(equality->relpos, rel.pos, sizeof rel.pos);
    memcpy(equality->relquat, rel.quat, sizeof rel.quat);
    memcpy(equality->anchor, anchor.pos, sizeof anchor.pos);
}

static bool read_weld(TnMjcf *m, const TnXmlElement *e, const TnMjcfView *view,
                      TnEqualityDef *equality)
{
    if (!read_equality_bodies(m, e, equality)) return false;
    tn_mjcf_reals(m, view, "anchor", equality->anchor, 3);
    double relpose[7] = {0};
    if (tn_mjcf_reals(m, view, "relpose", relpose, 7) != 7) return true;
    /* a quaternion of zeros asks for the reference pose */
    equality->has_relpose =
        relpose[3] != 0 || relpose[4] != 0 || relpose[5] != 0 || relpose[6] != 0;
    if (!equality->has_relpose) return true;
    tn_mjcf_normalize_quat(relpose + 3);
    memcpy(equality->relpos, relpose, sizeof equality->relpos);
    memcpy(equality->relquat, relpose + 3, sizeof equality->relquat);
    return true;
}

static bool read_joint_equality(TnMjcf *m, const TnXmlElement *e, const TnMjcfView *view,
                                TnEqualityDef *equality)
{
    static const char *const attrs[2] = {"joint1", "joint2"};
    const TnMjcfName *names[2];
    for (int i = 0; i < 2; i++) {
        names[i] = tn_mjcf_refer(m, TN_NAMED_JOINT, e, attrs[i]);
        const TnJointDef *joint = names[i] ? names[i]->data : NULL;
        if (joint && joint->type != TN_JOINT_HINGE && joint->type != TN_JOINT_SLIDE)
            tn_mjcf_error_attr(m, e, attrs[i], "only hinge and slide joints can be coupled");
    }
    const double line[5] = {0, 1, 0, 0, 0};
    memcpy(equality->polycoef, line, sizeof line);
    tn_mjcf_reals(m, view, "polycoef", equality->polycoef, 5);
    if (!names[0] || (tn_xml_attr(e, "joint2") && !names[1])) return false;
    equality->joint1 = names[0]->id;
    equality->joint2 = names[1] ? names[1]->id : 0;
    return true;
}

static bool read_tendon_equality(TnMjcf *m, const TnXmlElement *e, const TnMjcfView *view,
                                 TnEqualityDef *equality)
{
    const TnMjcfName *first = tn_mjcf_refer(m, TN_NAMED_TENDON, e, "tendon1");
    const TnMjcfName *second = tn_mjcf_refer(m, TN_NAMED_TENDON, e, "tendon2");
    const double line[5] = {0, 1, 0, 0, 0};
    memcpy(equality->polycoef, line, sizeof line);
    tn_mjcf_reals(m, view, "polycoef", equality->polycoef, 5);
    if (!first || !first->id || (tn_xml_attr(e, "tendon2") && (!second || !second->id)))
        return false;
    equality->tendon1 = first->id;
    equality->tendon2 = second ? second->id : 0;
    return true;
}

static bool read_connect(TnMjcf *m, const TnXmlElement *e, const TnMjcfView *view,
                         TnEqualityDef *equality)
{
    bool good = read_equality_bodies(m, e, equality);
    if (tn_mjcf_reals(m, view, "anchor", equality->anchor, 3) == 0 && !tn_xml_attr(e, "anchor"))
        tn_mjcf_error(m, e, "attribute 'anchor' is missing");
    turn_connect(m, e, equality);
    return good;
}

static void read_equality(TnMjcf *m, const TnXmlElement *e)
{
    if (strcmp(e->name, "flex") == 0) { /* read with the sheet that it names */
        tn_mjcf_check_leaf(m, TN_GROUP_EQUALITY, e);
        return;
    }
    if (tn_mjcf_holds_node(m, e)) { /* likewise, with the soft body */
        tn_mjcf_check_leaf(m, TN_GROUP_EQUALITY, e);
        return;
    }
    if (strncmp(e->name, "flex", 4) == 0) {
        tn_mjcf_error(m, e,
                      "<%.60s> in <equality> is not supported: it would make a soft body rigid; "
                      "remove it and add <elasticity young=\"…\">",
                      e->name);
        return;
    }
    if (!tn_mjcf_check_leaf(m, TN_GROUP_EQUALITY, e)) return;
    TnMjcfView view = tn_mjcf_view(m, e, m->main_class, "equality");
    TnEqualityDef equality = tn_equality_def();
    equality.source = tn_xml_place(e);
    equality.name = tn_mjcf_text(&view, "name");
    equality.active = tn_mjcf_bool(&view, "active", true) && m->settings.equality;
    bool good;
    if (strcmp(e->name, "connect") == 0) {
        equality.type = TN_EQUALITY_CONNECT;
        good = by_sites(e) ? read_equality_sites(m, e, &equality)
                           : read_connect(m, e, &view, &equality);
    } else if (strcmp(e->name, "weld") == 0) {
        equality.type = TN_EQUALITY_WELD;
        good =
            by_sites(e) ? read_equality_sites(m, e, &equality) : read_weld(m, e, &view, &equality);
        if (!by_sites(e)) turn_weld(m, e, &equality);
    } else if (strcmp(e->name, "tendon") == 0) {
        equality.type = TN_EQUALITY_TENDON;
        good = read_tendon_equality(m, e, &view, &equality);
    } else {
        equality.type = TN_EQUALITY_JOINT;
        good = read_joint_equality(m, e, &view, &equality);
    }
    if (good && equality.type != TN_EQUALITY_JOINT &&
        are_fixed(m, equality.body1, equality.body2 ? equality.body2 : TN_BODY_WORLD)) {
        tn_mjcf_remark(m, TN_REMARK_FIXED, tn_xml_place(e), e->name);
        good = false;
    }
    TnEqualityId id = good ? tn_builder_add_equality(m->builder, &equality) : 0;
    tn_mjcf_name_add(m, TN_NAMED_EQUALITY, e, equality.name, id, NULL);
}

void tn_mjcf_read_equalities(TnMjcf *m) { tn_mjcf_each_child(m, "equality", read_equality); }

static const double *read_vector(TnMjcf *m, const TnXmlElement *e, const char *name, int wanted,
                                 int *count)
{
    int before = m->err.count;
    const double *list = tn_mjcf_real_list(m, e, name, count);
    if (*count == 0 || *count == wanted || before != 0) return list;
    if (name[0] != 'q' || m->soft_numbers == 0) /* not qpos or qvel */
        tn_mjcf_error_attr(m, e, name, "%s has %d numbers; the model needs %d", name, *count,
                           wanted);
    else if (*count != wanted - m->soft_numbers)
        tn_mjcf_error_attr(m, e, name,
                           "%s has %d numbers; the model needs %d, or %d without the nodes of soft "
                           "bodies, which come last",
                           name, *count, wanted, wanted - m->soft_numbers);
    return list;
}

static void read_key(TnMjcf *m, const TnXmlElement *e)
{
    if (!tn_mjcf_check_leaf(m, TN_GROUP_KEYFRAME, e)) return;
    TnMjcfView view = tn_mjcf_plain_view(e);
    TnKeyDef key = tn_key_def();
    key.source = tn_xml_place(e);
    key.name = tn_mjcf_text(&view, "name");
    key.time = tn_mjcf_real(m, &view, "time", 0);
    key.qpos = read_vector(m, e, "qpos", m->qpos_count, &key.qpos_count);
    key.qvel = read_vector(m, e, "qvel", m->dof_count, &key.qvel_count);
    key.ctrl = read_vector(m, e, "ctrl", m->actuator_count, &key.ctrl_count);
    key.act = read_vector(m, e, "act", m->act_count, &key.act_count);
    key.mocap_pos = read_vector(m, e, "mpos", 3 * m->mocap_count, &key.mocap_pos_count);
    key.mocap_quat = read_vector(m, e, "mquat", 4 * m->mocap_count, &key.mocap_quat_count);
    if (m->has_flex && (key.qpos_count == m->qpos_count || key.qvel_count == m->dof_count))
        tn_mjcf_remark(m, TN_REMARK_FLEX_QPOS, tn_xml_place(e), e->name);
    TnKeyId id = tn_builder_add_key(m->builder, &key);
    tn_mjcf_name_add(m, TN_NAMED_KEY, e, key.name, id, NULL);
}

void tn_mjcf_read_keys(TnMjcf *m) { tn_mjcf_each_child(m, "keyframe", read_key); }
