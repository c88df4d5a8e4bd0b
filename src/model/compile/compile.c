/* compile.c: from definitions to the immutable model: the chain of passes, and the kinematic tree.
 *
 * Links are sorted by subsystem with one counting sort over the bodies, joints by link with
 * another, so that compiling is linear in the number of definitions. */
#include "../builder.h"
#include "../joint_law.h"

#include "../../math/vec3.h"

#include <stdio.h>
#include <string.h>

int tn_joint_qpos_count(TnJointType type)
{
    return type == TN_JOINT_FREE ? 7 : type == TN_JOINT_BALL ? 4 : 1;
}

int tn_joint_dof_count(TnJointType type)
{
    return type == TN_JOINT_FREE ? 6 : type == TN_JOINT_BALL ? 3 : 1;
}

void tn_problem(TnCompile *c, const TnElement *element, const char *format, ...)
{
    char place[160], text[512];
    if (element->name && element->name[0])
        snprintf(place, sizeof place, "%s '%.100s'", element->kind, element->name);
    else if (element->id > 0)
        snprintf(place, sizeof place, "%s %d", element->kind, element->id);
    else
        snprintf(place, sizeof place, "%s", element->kind);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tn_error_at(c->err, TN_ERROR_MODEL, element->source, place, "%s", text);
    c->problem_count++;
}

/* (pos, quat) of a child frame given in its parent's, seen from where the parent is. */
static void compose(double pos[3], double quat[4], const double parent_pos[3],
                    const double parent_quat[4], const double child_pos[3],
                    const double child_quat[4])
{
    double moved[3];
    quat_rotate(moved, parent_quat, child_pos);
    v3_add(pos, parent_pos, moved);
    quat_mul(quat, parent_quat, child_quat);
    quat_normalize(quat);
}

/* ---- order ---- */

/* Roots, then each body's link: subsystems follow each other, bodies keep their order within one.
 * The first segment of a rod is the root of all its segments. */
static void order_links(TnCompile *c)
{
    TnModel *m = c->model;
    TnBodyScratch *s = c->bodies;
    for (int i = 1; i < m->body_count; i++) {
        int parent = c->builder->bodies[i].parent - 1;
        bool moves = s[i].joint_count > 0;
        s[i].root = s[parent].root ? s[parent].root : moves ? i : 0;
        if (s[i].rod) s[i].root = c->builder->rods[s[i].rod - 1].parts.body - 1;
        if (moves) s[s[i].root].link_total++;
    }
    int link = 1 + m->mocap_count, subsystem = 0, mocap = 0;
    for (int i = 1; i < m->body_count; i++)
        if (s[i].root == i) {
            s[i].subsystem = subsystem;
            m->subsystems[subsystem++] =
                (TnSubsystem){.link_start = link}; /* link_count counts up below */
            link += s[i].link_total;
        }
    m->link_count = link;
    m->subsystem_count = subsystem;

    m->links[0] = (TnLink){.subsystem = -1, .inertia_axes = {1.0}};
    m->bodies[0] = (TnBody){.parent = -1, .quat = {1.0}, .link_quat = {1.0}};
    for (int i = 1; i < m->body_count; i++) {
        TnBody *body = &m->bodies[i];
        body->parent = c->builder->bodies[i].parent - 1;
        body->link = m->bodies[body->parent].link;
        if (c->builder->bodies[i].mocap) {
            body->link = ++mocap;
            m->links[mocap] = (TnLink){.body = i, .subsystem = -1, .inertia_axes = {1.0}};
        }
        if (s[i].joint_count == 0) continue;
        TnSubsystem *sub = &m->subsystems[s[s[i].root].subsystem];
        int l = sub->link_start + sub->link_count++;
        m->links[l] =
            (TnLink){.body = i, .parent = body->link, .subsystem = s[s[i].root].subsystem};
        body->link = l;
    }
    for (int l = 0; l < m->link_count; l++) m->link_subsystem[l] = m->links[l].subsystem;
}

/* Joints by link, then their places in qpos and qvel. */
static void order_joints(TnCompile *c)
{
    TnModel *m = c->model;
    int start = 0;
    for (int l = 1; l < m->link_count; l++) {
        m->links[l].joint_start = start;
        start += c->bodies[m->links[l].body].joint_count;
    }
    for (int i = 0; i < m->joint_count; i++) {
        TnLink *link = &m->links[m->bodies[c->builder->joints[i].body - 1].link];
        int j = link->joint_start + link->joint_count++;
        c->lookup->joint_index[i] = j;
        c->lookup->joint_id[j] = i + 1;
        m->joint_names[j] = c->lookup->names[TN_NAME_JOINT].names[i];
    }
    int qpos = 0, dof = 0;
    for (int l = 1; l < m->link_count; l++) {
        TnLink *link = &m->links[l];
        int above = -1; /* the dof that moves this one's carrier */
        if (link->parent)
            above = m->links[link->parent].dof_start + m->links[link->parent].dof_count - 1;
        link->dof_start = dof;
        for (int j = link->joint_start; j < link->joint_start + link->joint_count; j++) {
            TnJointType type = c->builder->joints[c->lookup->joint_id[j] - 1].type;
            m->joints[j] = (TnJoint){
                .type = type, .body = link->body, .link = l, .qpos_start = qpos, .dof_start = dof};
            qpos += tn_joint_qpos_count(type);
            for (int k = 0; k < tn_joint_dof_count(type); k++) {
                m->dof_joint[dof] = j;
                m->dof_parent[dof] = above;
                above = dof++;
            }
        }
        link->dof_count = dof - link->dof_start;
    }
}

/* One free body on its own, with nothing on its joint that would make the mass matrix more than a
 * rigid body's. */
static bool is_rigid(const TnModel *m, const TnSubsystem *sub)
{
    const TnJoint *joint = &m->joints[m->links[sub->link_start].joint_start];
    return sub->link_count == 1 && m->links[sub->link_start].joint_count == 1 &&
           joint->type == TN_JOINT_FREE && joint->damping == 0.0 && joint->armature == 0.0 &&
           joint->friction_loss == 0.0 && joint->stiffness == 0.0 && !tn_joint_drags(joint) &&
           m->links[sub->link_start].lift == 0.0 && !m->drags;
}

/* Marks the links that gravity compensation carries; how much comes with the masses. */
static void find_lifted(TnCompile *c)
{
    TnModel *m = c->model;
    for (int i = 1; i < m->body_count; i++)
        if (tn_part_of_body(m, i) >= 0 && c->builder->bodies[i].gravity_compensation != 0.0)
            m->links[m->bodies[i].link].lift = 1.0;
}

static void divide_into_subsystems(TnCompile *c)
{
    TnModel *m = c->model;
    find_lifted(c);
    int rod_count = 0; /* subsystems come in the order of the rods */
    for (int s = 0; s < m->subsystem_count; s++) {
        TnSubsystem *sub = &m->subsystems[s];
        const TnLink *first = &m->links[sub->link_start], *last = first + sub->link_count - 1;
        const TnJoint *last_joint = &m->joints[last->joint_start + last->joint_count - 1];
        sub->dof_start = first->dof_start;
        sub->dof_count = last->dof_start + last->dof_count - first->dof_start;
        sub->qpos_start = m->joints[first->joint_start].qpos_start;
        sub->qpos_count =
            last_joint->qpos_start + tn_joint_qpos_count(last_joint->type) - sub->qpos_start;
        sub->kind = c->bodies[first->body].rod ? TN_SUBSYSTEM_ROD
                    : is_rigid(m, sub)         ? TN_SUBSYSTEM_RIGID
                                               : TN_SUBSYSTEM_TREE;
        int *counts[] = {[TN_SUBSYSTEM_RIGID] = &m->rigid_count,
                         [TN_SUBSYSTEM_TREE] = &m->tree_count,
                         [TN_SUBSYSTEM_ROD] = &rod_count};
        sub->kind_index = (*counts[sub->kind])++;
    }
}

/* ---- bodies, joints, geoms, sites ---- */

static void compile_bodies(TnCompile *c)
{
    TnModel *m = c->model;
    quat_identity(c->bodies[0].quat);
    for (int i = 1; i < m->body_count; i++) {
        const TnBodyDef *def = &c->builder->bodies[i];
        TnBody *body = &m->bodies[i];
        const TnBody *parent = &m->bodies[body->parent];
        const TnBodyScratch *above = &c->bodies[body->parent];
        v3_copy(body->pos, def->pos);
        quat_copy(body->quat, def->quat);
        quat_normalize(body->quat);
        if (c->bodies[i].joint_count > 0 || def->mocap) {
            TnLink *link = &m->links[body->link];
            quat_identity(body->link_quat);
            compose(link->ref_pos, link->ref_quat, parent->link_pos, parent->link_quat, body->pos,
                    body->quat);
            quat_to_m3(link->ref_rot, link->ref_quat);
        } else {
            compose(body->link_pos, body->link_quat, parent->link_pos, parent->link_quat, body->pos,
                    body->quat);
        }
        compose(c->bodies[i].pos, c->bodies[i].quat, above->pos, above->quat, body->pos,
                body->quat);
        if (def->mocap) {
            double *pose = m->mocap0 + 7 * (body->link - 1);
            v3_copy(pose, body->pos);
            quat_copy(pose + 3, body->quat);
        }
    }
}

static void compile_joints(TnCompile *c)
{
    TnModel *m = c->model;
    for (int j = 0; j < m->joint_count; j++) {
        const TnJointDef *def = &c->builder->joints[c->lookup->joint_id[j] - 1];
        TnJoint *joint = &m->joints[j];
        double *q0 = m->qpos0 + joint->qpos_start;
        const TnBody *body = &m->bodies[joint->body];
        v3_copy(joint->pos, def->pos);
        v3_copy(joint->axis, def->axis);
        v3_normalize(joint->axis);
        joint->ref = def->ref;
        joint->limited = def->limited;
        memcpy(joint->range, def->range, sizeof joint->range);
        joint->stiffness = def->stiffness;
        joint->spring_ref = def->spring_ref;
        joint->damping = def->damping;
        if (def->spring_time > 0.0)
            joint->stiffness = joint->damping = 1.0; /* until compile_spring.c */
        memcpy(joint->stiffness_poly, def->stiffness_poly, sizeof joint->stiffness_poly);
        memcpy(joint->damping_poly, def->damping_poly, sizeof joint->damping_poly);
        joint->armature = def->armature;
        joint->friction_loss = def->friction_loss;
        joint->actuator_limited = def->actuator_limited &&
                                  (joint->type == TN_JOINT_HINGE || joint->type == TN_JOINT_SLIDE);
        joint->actuator_gravity = def->actuator_gravity;
        memcpy(joint->actuator_range, def->actuator_range, sizeof joint->actuator_range);
        switch (joint->type) {
        case TN_JOINT_FREE: /* acts at the body's origin, whatever anchor was given */
            v3_zero(joint->pos);
            v3_copy(q0, body->pos);
            quat_copy(q0 + 3, body->quat);
            break;
        case TN_JOINT_BALL:
            quat_identity(q0);
            break;
        case TN_JOINT_SLIDE:
        case TN_JOINT_HINGE:
            q0[0] = joint->ref;
            break;
        }
    }
}

void tn_geom_bound(const TnModel *m, TnGeom *geom)
{
    const double *s = geom->size;
    switch (geom->type) {
    case TN_GEOM_PLANE:
    case TN_GEOM_SOFT:
    case TN_GEOM_HEIGHT_FIELD:
        geom->bounding_radius = INFINITY;
        v3_set(geom->half_extent, INFINITY, INFINITY, INFINITY);
        return;
    case TN_GEOM_SPHERE:
        geom->bounding_radius = s[0];
        v3_set(geom->half_extent, s[0], s[0], s[0]);
        return;
    case TN_GEOM_CAPSULE:
        geom->bounding_radius = s[0] + s[1];
        v3_set(geom->half_extent, s[0], s[0], s[0] + s[1]);
        return;
    case TN_GEOM_ELLIPSOID:
        geom->bounding_radius = fmax(s[0], fmax(s[1], s[2]));
        v3_copy(geom->half_extent, s);
        return;
    case TN_GEOM_CYLINDER:
        geom->bounding_radius = sqrt(s[0] * s[0] + s[1] * s[1]);
        v3_set(geom->half_extent, s[0], s[0], s[1]);
        return;
    case TN_GEOM_BOX:
        geom->bounding_radius = v3_norm(s);
        v3_copy(geom->half_extent, s);
        return;
    case TN_GEOM_MESH:
        geom->bounding_radius = m->meshes[geom->mesh].hull.radius;
        v3_copy(geom->half_extent, m->meshes[geom->mesh].hull.half_extent);
        return;
    }
}

/* Masks or an explicit pair. */
static bool may_collide(const TnCompile *c, int index)
{
    const TnModelBuilder *b = c->builder;
    if (b->geoms[index].contact_type || b->geoms[index].contact_affinity) return true;
    for (int i = 0; i < b->pair_count; i++)
        if (b->pairs[i].geom1 == index + 1 || b->pairs[i].geom2 == index + 1) return true;
    return false;
}

static void compile_geoms(TnCompile *c)
{
    TnModel *m = c->model;
    for (int i = 0; i < m->geom_count; i++) {
        const TnGeomDef *def = &c->builder->geoms[i];
        TnGeom *geom = &m->geoms[i];
        const TnBody *body = &m->bodies[def->body - 1];
        geom->type = def->type;
        geom->body = def->body - 1;
        geom->link = m->geom_link[i] = body->link;
        v3_copy(geom->pos, def->pos);
        quat_copy(geom->quat, def->quat);
        quat_normalize(geom->quat);
        compose(geom->link_pos, geom->link_quat, body->link_pos, body->link_quat, geom->pos,
                geom->quat);
        quat_to_m3(geom->link_rot, geom->link_quat);
        v3_copy(geom->size, def->size);
        geom->contact_type = def->contact_type;
        geom->contact_affinity = def->contact_affinity;
        geom->contact_dim = def->contact_dim;
        m->has_spin |= def->contact_dim > 3;
        geom->priority = def->priority;
        v3_copy(geom->friction, def->friction);
        geom->restitution = def->restitution;
        geom->margin = def->margin;
        geom->group = def->group;
        memcpy(geom->rgba, def->rgba, sizeof geom->rgba);
        geom->material = def->material;
        geom->mesh = def->type == TN_GEOM_MESH ? def->mesh - 1 : -1;
        tn_geom_bound(m, geom);
        if (geom->type == TN_GEOM_PLANE && geom->link != 0)
            tn_problem(c, TN_ELEMENT("geom", def, i), "a plane must be fixed to the world");
        if (geom->mesh >= 0 && geom->link != 0 &&
            m->meshes[geom->mesh].collision == TN_MESH_COLLIDE_TRIANGLES && may_collide(c, i))
            tn_problem(c, TN_ELEMENT("geom", def, i),
                       "a mesh that collides as its triangles must be fixed to the world; one that "
                       "moves collides as its hull or in pieces");
    }
}

static void compile_sites(TnCompile *c)
{
    for (int i = 0; i < c->model->site_count; i++) {
        const TnSiteDef *def = &c->builder->sites[i];
        TnSite *site = &c->model->sites[i];
        site->body = def->body - 1;
        site->type = def->type;
        v3_copy(site->size, def->size);
        v3_copy(site->pos, def->pos);
        quat_copy(site->quat, def->quat);
        quat_normalize(site->quat);
    }
}

/* ---- public ---- */

TnModel *tn_builder_compile(TnModelBuilder *builder, TnError *err)
{
    return tn_builder_compile_in(builder, NULL, NULL, err);
}

TnModel *tn_builder_compile_in(TnModelBuilder *builder, void *(*place)(void *context, size_t bytes),
                               void *context, TnError *err)
{
    TnCompile c = {.builder = builder, .err = err, .place = place, .place_context = context};
    if (!builder || builder->out_of_memory || !tn_prepare_meshes(&c) || !tn_prepare_softs(&c) ||
        !tn_layout(&c)) {
        if (builder) tn_release_meshes(&c);
        if (builder) tn_release_softs(&c);
        tn_error_add(err, TN_ERROR_MEMORY, "no memory for the model");
        return NULL;
    }
    tn_compile_names(&c);
    tn_compile_meshes(&c);
    bool tree_stands = tn_check_tree(&c), drive_stands = tn_check_drive(&c),
         parts_stand = tn_check_parts(&c), softs_stand = tn_check_softs(&c);
    if (!tn_check_rods(&c)) tree_stands = false;
    if (tree_stands && !tn_align_free_bodies(&c, builder)) {
        tn_error_add(err, TN_ERROR_MEMORY, "no memory for the model");
        c.problem_count++;
        tree_stands = false;
    }
    if (tree_stands) {
        order_links(&c);
        order_joints(&c);
        compile_bodies(&c);
        compile_joints(&c);
        if (drive_stands) tn_compile_rotors(&c);
        divide_into_subsystems(&c);
        compile_geoms(&c);
        compile_sites(&c);
        tn_compile_masses(&c);
        tn_compile_rods(&c);
        tn_compile_levers(&c);
        tn_compile_springs(&c);
        tn_compile_medium(&c);
        if (softs_stand) tn_compile_softs(&c);
        if (drive_stands) tn_compile_drive(&c);
        if (parts_stand) {
            tn_compile_parts(&c);
            tn_compile_clamps(&c);
        }
    }
    tn_free(c.bodies);
    tn_release_meshes(&c);
    tn_release_softs(&c);
    if (c.problem_count == 0) return c.model;
    tn_model_destroy(c.model);
    return NULL;
}
