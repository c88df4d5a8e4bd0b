/* sdf_tree.c: links as trees, and their bodies.
 *
 * A body has the frame of its link. A link that no joint carries is free, or part of the world if
 * its model is static. Bodies are added depth first, children in the order of their joints in the
 * file.
 *
 * Links of one model do not touch each other unless one of them has self_collide, nor do links that
 * a joint connects: such pairs are excluded by name. */
#include "sdf.h"

#include <stdio.h>
#include <string.h>

enum { COLLIDABLE = 1000 }; /* links of a model: their pairs grow with the square */

/* ---- the trees ---- */

static TnSdfLink *find_end(TnSdf *s, TnSdfJoint *joint, const char *role)
{
    const TnXmlElement *e = joint->frame.element;
    const char *name = tn_sdf_text(s, e, role);
    TnSdfFrame *frame = name ? tn_sdf_refer(s, joint->frame.scope, e, name) : NULL;
    return frame ? tn_sdf_link_of(s, frame, e) : NULL;
}

static void connect(TnSdf *s, TnSdfJoint *joint)
{
    const TnXmlElement *e = joint->frame.element;
    joint->parent = find_end(s, joint, "parent");
    joint->child = find_end(s, joint, "child");
    if (s->m->err.count) return;
    TnSdfLink *child = joint->child;
    if (!child)
        tn_mjcf_error(s->m, e, "the child of a joint is a link, not the world");
    else if (child == joint->parent)
        tn_mjcf_error(s->m, e, "joint '%.60s' connects a link with itself", joint->frame.name);
    else if (child->frame.scope->is_static)
        tn_mjcf_error(s->m, e,
                      "the child of joint '%.60s' is in a static model, which does not move",
                      joint->frame.name);
    else if (child->above)
        tn_mjcf_error(s->m, e,
                      "link '%.60s' has two parents, by the joints '%.60s' and '%.60s'; loops are "
                      "not read. Convert the file to MJCF without the second one and add a "
                      "<connect>",
                      child->frame.name, child->above->frame.name, joint->frame.name);
    if (s->m->err.count) return;
    child->above = joint;
    if (!joint->parent) return;
    if (joint->parent->last_child)
        joint->parent->last_child->sibling = joint;
    else
        joint->parent->children = joint;
    joint->parent->last_child = joint;
}

static bool is_root(const TnSdfLink *link) { return !link->above || !link->above->parent; }

static void mark_reached(TnSdf *s, TnSdfLink *link, bool outer_moves, int depth)
{
    const TnSdfJoint *above = link->above;
    link->reached = true;
    link->moves = above ? outer_moves || !tn_sdf_is_fixed(s, above) : !link->frame.scope->is_static;
    if (depth > TN_XML_DEPTH_LIMIT) {
        tn_mjcf_error(s->m, link->frame.element, "links are chained more than %d deep",
                      TN_XML_DEPTH_LIMIT);
        return;
    }
    for (TnSdfJoint *j = link->children; j; j = j->sibling)
        mark_reached(s, j->child, link->moves, depth + 1);
}

void tn_sdf_connect(TnSdf *s)
{
    for (TnSdfJoint *j = s->joints; j; j = j->next) connect(s, j);
    if (s->m->err.count) return;
    for (TnSdfLink *link = s->links; link; link = link->next)
        if (is_root(link)) mark_reached(s, link, false, 0);
    for (TnSdfLink *link = s->links; link && s->m->err.count == 0; link = link->next)
        if (!link->reached)
            tn_mjcf_error(s->m, link->frame.element, "the joints above link '%.60s' form a circle",
                          link->frame.name);
}

/* ---- bodies ---- */

static void read_inertial(TnSdf *s, TnSdfLink *link, TnBodyDef *body)
{
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const TnXmlElement *e = tn_urdf_child(link->frame.element, "inertial");
    const TnXmlElement *inertia = e ? tn_urdf_child(e, "inertia") : NULL;
    double full[6] = {1, 1, 1, 0, 0, 0};
    const char *automatic = e ? tn_urdf_text(e, "auto") : NULL;
    body->mass = 1;
    if (!e && !link->moves) return;
    if (automatic && (strcmp(automatic, "true") == 0 || strcmp(automatic, "1") == 0)) {
        body->mass = 0; /* from the geoms */
        return;
    }
    TnMjcfPose pose = tn_mjcf_identity();
    if (e) {
        tn_sdf_expect(s, e, "mass pose inertia density auto_inertia_params");
        TnMjcfPose own = tn_sdf_world(s, &link->frame), back = tn_mjcf_inverse(&own);
        pose = tn_sdf_pose_in_world(s, link->frame.scope, tn_urdf_child(e, "pose"), &link->frame);
        pose = tn_mjcf_compose(&back, &pose);
        tn_sdf_numbers(s, e, "mass", &body->mass, 1);
    } else {
        tn_mjcf_remark(s->m, TN_REMARK_SDF_MASS, tn_xml_place(link->frame.element), "link");
    }
    if (inertia) {
        tn_sdf_expect(s, inertia, "ixx iyy izz ixy ixz iyz");
        for (int i = 0; i < 6; i++) tn_sdf_numbers(s, inertia, names[i], &full[i], 1);
    }
    const TnXmlElement *place = inertia ? inertia : e ? e : link->frame.element;
    tn_urdf_set_inertia(&s->urdf, place, &pose, full, link->moves, body);
}

static __attribute__((noinline)) void add_body(TnSdf *s, TnSdfLink *link)
{
    TnBodyDef body = tn_body_def();
    TnSdfLink *parent = link->above ? link->above->parent : NULL;
    TnMjcfPose pose = tn_sdf_world(s, &link->frame);
    if (parent) {
        TnMjcfPose outer = tn_sdf_world(s, &parent->frame), back = tn_mjcf_inverse(&outer);
        pose = tn_mjcf_compose(&back, &pose);
    }
    body.parent = parent ? parent->body : TN_BODY_WORLD;
    memcpy(body.pos, pose.pos, sizeof body.pos);
    memcpy(body.quat, pose.quat, sizeof body.quat);
    body.name = link->frame.name;
    body.source = tn_xml_place(link->frame.element);
    body.gravity_compensation = tn_sdf_flag(s, link->frame.element, "gravity", true) ? 0 : 1;
    read_inertial(s, link, &body);
    link->body = tn_builder_add_body(s->m->builder, &body);
}

/* Named after the model where it is its first link, else after the link. */
static void add_free_joint(TnSdf *s, TnSdfLink *link)
{
    char name[512];
    const TnSdfScope *scope = link->frame.scope;
    bool first = scope->first_link == link;
    snprintf(name, sizeof name, "%.400s%s", first ? scope->prefix : link->frame.name,
             first ? "root" : "::root");
    TnJointDef joint = tn_joint_def();
    joint.type = TN_JOINT_FREE;
    joint.body = link->body;
    joint.name = tn_mjcf_name_find(s->m, TN_NAMED_JOINT, name) ? NULL : name;
    joint.source = tn_xml_place(link->frame.element);
    tn_builder_add_joint(s->m->builder, &joint);
}

static void add_link(TnSdf *s, TnSdfLink *link)
{
    add_body(s, link);
    if (link->above)
        tn_sdf_add_joint(s, link->above);
    else if (link->moves)
        add_free_joint(s, link);
    tn_sdf_add_geoms(s, link);
    for (TnSdfJoint *j = link->children; j; j = j->sibling) add_link(s, j->child);
}

static bool may_touch(const TnSdfLink *a, const TnSdfLink *b)
{
    bool joined = (a->above && a->above->parent == b) || (b->above && b->above->parent == a);
    return !joined && (a->self_collide || b->self_collide);
}

/* Pairs of a model's links that do not touch. What does not move touches nothing that does not. */
static void exclude(TnSdf *s, const TnSdfLink *link)
{
    const TnSdfScope *top = link->frame.scope->top;
    if (top->collidable > COLLIDABLE) {
        if (s->m->err.count == 0)
            tn_mjcf_error(s->m, top->frame.element,
                          "model '%.60s' has more than %d links that collide; divide it",
                          top->frame.name, COLLIDABLE);
        return;
    }
    int left = top->collidable - 1; /* no need to look through other models behind it */
    for (const TnSdfLink *other = link->next; other && left > 0; other = other->next) {
        if (other->frame.scope->top != top || !other->collides) continue;
        left--;
        if ((link->moves || other->moves) && !may_touch(link, other))
            tn_builder_add_exclude(s->m->builder, link->body, other->body,
                                   tn_xml_place(link->frame.element));
    }
}

void tn_sdf_add_links(TnSdf *s)
{
    for (TnSdfLink *link = s->links; link; link = link->next)
        if (is_root(link)) add_link(s, link);
    for (const TnSdfLink *link = s->links; link; link = link->next)
        if (link->collides && !link->frame.scope->is_static) exclude(s, link);
}
