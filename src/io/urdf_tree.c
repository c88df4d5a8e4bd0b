/* urdf_tree.c: links as a tree, and their bodies.
 *
 * A body has the frame of the joint above it. Bodies are added depth first, children in the order
 * of their joints in the file. A full inertia in the inertial's axes becomes one in the body's:
 * I = R I' Rᵀ. */
#include "urdf.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define SLACK 5e-7 /* half of what the compiler allows */

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
    link->reached = true;
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

/* ---- inertia ---- */

static void turn_inertia(const double quat[4], const double full[6], double out[6])
{
    const double local[3][3] = {
        {full[0], full[3], full[4]}, {full[3], full[1], full[5]}, {full[4], full[5], full[2]}};
    double axes[3][3], turned[3][3] = {{0}}; /* axes[i]: where the local axis i points */
    for (int i = 0; i < 3; i++) {
        double unit[3] = {0, 0, 0};
        unit[i] = 1;
        tn_mjcf_rotate(quat, unit, axes[i]);
    }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) turned[r][c] += axes[i][r] * local[i][j] * axes[j][c];
    const double values[6] = {turned[0][0], turned[1][1], turned[2][2],
                              turned[0][1], turned[0][2], turned[1][2]};
    memcpy(out, values, sizeof values);
}

/* Eigenvalues of a symmetric matrix (xx yy zz xy xz yz), largest first, from the cubic equation. */
static void principal_moments(const double full[6], double out[3])
{
    double mean = (full[0] + full[1] + full[2]) / 3;
    double a = full[0] - mean, b = full[1] - mean, c = full[2] - mean;
    double d = full[3], e = full[4], f = full[5];
    double p = sqrt((a * a + b * b + c * c + 2 * (d * d + e * e + f * f)) / 6);
    for (int i = 0; i < 3; i++) out[i] = mean;
    if (!(p > 0)) return;
    double det = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
    double half = fmax(-1, fmin(1, det / (2 * p * p * p))), angle = acos(half) / 3;
    out[0] += 2 * p * cos(angle);
    out[2] += 2 * p * cos(angle + 2 * PI / 3);
    out[1] = 3 * mean - out[0] - out[2];
}

/* Many files have moments that no body can have: one larger than the sum of the others, or
 * negative. They are replaced by their mean, as MuJoCo's balanceinertia does. */
static bool balance(double full[6])
{
    double moments[3];
    principal_moments(full, moments);
    double sum = moments[0] + moments[1] + moments[2], mean = sum / 3;
    bool possible = moments[0] <= moments[1] + moments[2] + SLACK * sum;
    if (possible && moments[2] >= -1e-12 * moments[0]) return false;
    for (int i = 0; i < 6; i++) full[i] = i < 3 ? mean : 0;
    return true;
}

static void read_inertial(TnUrdf *u, const TnXmlElement *e, bool moves, TnBodyDef *body)
{
    tn_urdf_expect(u, e, "name", "origin mass inertia");
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    TnMjcfPose pose = tn_urdf_origin(u, e);
    const TnXmlElement *mass = tn_urdf_child(e, "mass"), *inertia = tn_urdf_child(e, "inertia");
    double full[6] = {0};
    if (!mass)
        tn_mjcf_error(u->m, e, "an <inertial> needs <mass value=\"…\"/>");
    else
        tn_urdf_need(u, mass, "value", &body->mass, 1);
    if (!inertia) {
        tn_mjcf_error(u->m, e, "an <inertial> needs <inertia ixx=\"…\" …/>");
    } else {
        for (int i = 0; i < 3; i++) tn_urdf_need(u, inertia, names[i], &full[i], 1);
        for (int i = 3; i < 6; i++) tn_urdf_number(u, inertia, names[i], &full[i]);
    }
    body->has_inertia = true;
    if (body->mass == 0) memset(full, 0, sizeof full); /* nothing that could turn, as in MuJoCo */
    memcpy(body->inertia_pos, pose.pos, sizeof body->inertia_pos);
    turn_inertia(pose.quat, full, body->inertia_full);
    if (full[0] + full[1] + full[2] >= 0 && balance(body->inertia_full) && moves &&
        !u->balance_inertia)
        tn_mjcf_remark(u->m, TN_REMARK_URDF_INERTIA, tn_xml_place(inertia ? inertia : e),
                       "inertia");
    body->use_inertia_full =
        body->inertia_full[3] != 0 || body->inertia_full[4] != 0 || body->inertia_full[5] != 0;
    memcpy(body->inertia, body->inertia_full, sizeof body->inertia); /* else these are principal */
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

static __attribute__((noinline)) void add_body(TnUrdf *u, TnUrdfLink *link)
{
    TnBodyDef body = tn_body_def();
    const TnXmlElement *inertial = tn_urdf_child(link->element, "inertial");
    TnMjcfPose pose = link->above ? link->above->origin : tn_mjcf_identity();
    if (link->above) link->world = tn_mjcf_compose(&link->above->parent->world, &pose);
    body.parent = link->above ? link->above->parent->body : TN_BODY_WORLD;
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
        read_inertial(u, inertial, link->moves, &body);
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
    if (!parent->moves && link->moves && parent->body != TN_BODY_WORLD)
        tn_builder_add_exclude(u->m->builder, parent->body, link->body,
                               tn_xml_place(link->above->element));
}

static void add_link(TnUrdf *u, TnUrdfLink *link)
{
    TnUrdfJoint *above = link->above;
    link->world = tn_mjcf_identity();
    link->moves = above ? above->parent->moves || above->type != TN_URDF_FIXED : u->load->free_base;
    if (is_world(link))
        link->body = TN_BODY_WORLD;
    else
        add_body(u, link);
    if (above)
        tn_urdf_add_joint(u, above, link->body);
    else
        add_free_base(u, link);
    tn_urdf_add_geoms(u, link);
    if (above) part_from_base(u, link);
    for (TnUrdfJoint *j = link->children; j; j = j->sibling) add_link(u, j->child);
}

void tn_urdf_add_links(TnUrdf *u)
{
    for (TnUrdfLink *link = u->links; link; link = link->next)
        if (!link->above) add_link(u, link);
}
