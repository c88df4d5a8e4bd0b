/* urdf_tree.c: links as a tree, and their bodies.
 *
 * A body has the frame of the joint above it. Bodies are added depth first, children in the order
 * of their joints in the file.
 *
 * A link without mass between two joints, such as those of a hip that turns about three axes, is no
 * body: its joint moves the next link, before that one's own. */
#include "urdf.h"

#include <string.h>

/* ---- the tree ---- */

static TnUrdfLink *find_link(TnUrdf *u, const TnUrdfJoint *joint, const char *role)
{
    const TnXmlElement *e = tn_urdf_child(joint->element, role);
    if (!e || !tn_xml_attr(e, "link")) {
        tn_mjcf_error(u->m, joint->element, "joint '%.60s' has no <%s link=\"…\"/>", joint->name,
                      role);
        return NULL;
    }
    const TnMjcfName *name = tn_mjcf_refer(u->m, TN_NAMED_LINK, e, "link");
    return name ? (TnUrdfLink *)name->data : NULL;
}

static void connect(TnUrdf *u, TnUrdfJoint *joint)
{
    TnUrdfLink *parent = find_link(u, joint, "parent"), *child = find_link(u, joint, "child");
    if (!parent || !child) return;
    joint->parent = parent;
    joint->child = child;
    if (child->above) {
        tn_mjcf_error(u->m, joint->element,
                      "link '%.60s' has two parents, by the joints '%.60s' and '%.60s'; URDF has "
                      "trees only. For a loop, convert the file to MJCF and add a <connect>",
                      child->name, child->above->name, joint->name);
        return;
    }
    child->above = joint;
    if (parent->last_child)
        parent->last_child->sibling = joint;
    else
        parent->children = joint;
    parent->last_child = joint;
}

static void mark_reached(TnUrdf *u, TnUrdfLink *link, int depth)
{
    const TnUrdfJoint *above = link->above;
    link->reached = true;
    link->moves = above ? above->parent->moves || above->type != TN_URDF_FIXED : u->load->free_base;
    if (depth > TN_XML_DEPTH_LIMIT) {
        tn_mjcf_error(u->m, link->element, "links are chained more than %d deep",
                      TN_XML_DEPTH_LIMIT);
        return;
    }
    for (TnUrdfJoint *j = link->children; j; j = j->sibling) mark_reached(u, j->child, depth + 1);
}

void tn_urdf_connect(TnUrdf *u)
{
    for (TnUrdfJoint *j = u->joints; j; j = j->next) connect(u, j);
    if (u->m->err.count) return;
    TnUrdfLink *root = NULL;
    for (TnUrdfLink *link = u->links; link; link = link->next) {
        if (link->above) continue;
        if (root)
            tn_mjcf_error(u->m, link->element,
                          "links '%.60s' and '%.60s' both have no parent; a URDF has one root, so "
                          "add a joint between them",
                          root->name, link->name);
        else
            root = link;
    }
    if (!u->links) {
        tn_mjcf_error(u->m, u->m->root, "the robot has no link");
        return;
    }
    if (root) mark_reached(u, root, 0);
    for (TnUrdfLink *link = u->links; link && u->m->err.count == 0; link = link->next)
        if (!link->reached)
            tn_mjcf_error(u->m, link->element, "the joints above link '%.60s' form a circle",
                          link->name);
}

/* ---- bodies ---- */

static bool is_world(const TnUrdfLink *link)
{
    return !link->above && strcmp(link->name, "world") == 0;
}

/* Where its body hangs: a free joint needs the world above it. */
static bool floats_in_world(const TnUrdfLink *link)
{
    return link->above && link->above->type == TN_URDF_FLOATING && !link->above->parent->moves;
}

/* Nothing but a joint that moves the next link. */
static bool is_only_a_joint(TnUrdf *u, const TnUrdfLink *link)
{
    const TnUrdfJoint *above = link->above, *below = link->children;
    if (!above || !below || below->sibling || u->bound_mass > 0) return false;
    if (above->type == TN_URDF_FIXED || above->type == TN_URDF_FLOATING) return false;
    if (below->type == TN_URDF_FIXED || below->type == TN_URDF_FLOATING) return false;
    const TnXmlElement *inertial = tn_urdf_child(link->element, "inertial");
    const TnXmlElement *mass = inertial ? tn_urdf_child(inertial, "mass") : NULL;
    double value = 0;
    bool good = !inertial || (mass && tn_urdf_number(u, mass, "value", &value));
    return good && value == 0 && !tn_urdf_child(link->element, "collision");
}

/* Its frame is kept in the axes of the body that the next link hangs on. */
static void pass_over(TnUrdf *u, TnUrdfLink *link)
{
    const TnUrdfLink *parent = link->above->parent;
    link->only_joint = true;
    link->body = parent->body;
    link->offset = tn_mjcf_compose(&parent->offset, &link->above->origin);
    link->world = tn_mjcf_compose(&parent->world, &link->above->origin);
    tn_mjcf_remark(u->m, TN_REMARK_URDF_MASSLESS, tn_xml_place(link->element), "link");
}

/* The joints of links without mass above it first, from the top. */
static void add_joints(TnUrdf *u, const TnUrdfLink *link, TnUrdfJoint *joint,
                       const TnMjcfPose *frame)
{
    const TnUrdfLink *parent = joint->parent;
    if (parent->only_joint) {
        TnMjcfPose back = tn_mjcf_inverse(&joint->origin);
        TnMjcfPose above = tn_mjcf_compose(frame, &back);
        add_joints(u, link, parent->above, &above);
    }
    tn_urdf_add_joint(u, joint, link->body, frame);
}

static __attribute__((noinline)) void add_body(TnUrdf *u, TnUrdfLink *link)
{
    TnBodyDef body = tn_body_def();
    const TnXmlElement *inertial = tn_urdf_child(link->element, "inertial");
    const TnUrdfLink *parent = link->above ? link->above->parent : NULL;
    TnMjcfPose pose = tn_mjcf_identity();
    if (parent) {
        pose = tn_mjcf_compose(&parent->offset, &link->above->origin);
        link->world = tn_mjcf_compose(&parent->world, &link->above->origin);
    }
    body.parent = parent ? parent->body : TN_BODY_WORLD;
    if (floats_in_world(link)) {
        pose = link->world;
        body.parent = TN_BODY_WORLD;
    }
    memcpy(body.pos, pose.pos, sizeof body.pos);
    memcpy(body.quat, pose.quat, sizeof body.quat);
    body.name = link->name;
    body.source = tn_xml_place(link->element);
    body.min_mass = u->bound_mass;
    body.min_inertia = u->bound_inertia;
    body.balance_inertia = u->balance_inertia;
    if (inertial) {
        tn_urdf_read_inertial(u, inertial, link->moves, &body);
        body.source = tn_xml_place(inertial); /* most often what a message is about */
    } else if (link->moves && tn_urdf_child(link->element, "collision")) {
        tn_mjcf_remark(u->m, TN_REMARK_URDF_MASS, tn_xml_place(link->element), "link");
    }
    link->body = tn_builder_add_body(u->m->builder, &body);
}

static void add_free_base(TnUrdf *u, TnUrdfLink *root)
{
    if (!u->load->free_base) return;
    if (is_world(root)) {
        tn_mjcf_error(u->m, root->element,
                      "a free base was asked for, but the root link is 'world', which is fixed");
        return;
    }
    TnJointDef joint = tn_joint_def();
    joint.type = TN_JOINT_FREE;
    joint.body = root->body;
    joint.name = tn_mjcf_name_find(u->m, TN_NAMED_JOINT, "root") ? NULL : "root";
    joint.source = tn_xml_place(root->element);
    tn_builder_add_joint(u->m->builder, &joint);
}

/* Neighbours in a moving tree never touch. Shapes of a fixed base overlap the next link just as
 * often, but what is fixed to the world has no neighbours: they are excluded by name. */
static void part_from_base(TnUrdf *u, const TnUrdfLink *link)
{
    const TnUrdfLink *parent = link->above->parent;
    while (parent->only_joint) parent = parent->above->parent;
    if (!parent->moves && link->moves && parent->body != TN_BODY_WORLD)
        tn_builder_add_exclude(u->m->builder, parent->body, link->body,
                               tn_xml_place(link->above->element));
}

static void add_link(TnUrdf *u, TnUrdfLink *link)
{
    const TnMjcfPose own = tn_mjcf_identity();
    TnUrdfJoint *above = link->above;
    link->world = link->offset = own;
    if (is_only_a_joint(u, link)) {
        pass_over(u, link);
        add_link(u, link->children->child);
        return;
    }
    if (is_world(link))
        link->body = TN_BODY_WORLD;
    else
        add_body(u, link);
    if (above)
        add_joints(u, link, above, &own);
    else
        add_free_base(u, link);
    tn_urdf_add_geoms(u, link);
    if (above) part_from_base(u, link);
    for (TnUrdfJoint *j = link->children; j; j = j->sibling)
        if (!floats_in_world(j->child)) add_link(u, j->child);
}

/* Links that float in the world come after the tree of the root, so that bodies are depth first. */
void tn_urdf_add_links(TnUrdf *u)
{
    for (TnUrdfLink *link = u->links; link; link = link->next)
        if (!link->above) add_link(u, link);
    for (TnUrdfJoint *j = u->joints; j; j = j->next)
        if (j->child && floats_in_world(j->child)) add_link(u, j->child);
}
