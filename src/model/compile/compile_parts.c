/* compile_parts.c: equalities, pairs, excludes, sensors, keys, cameras and the control track.
 *
 * Equality anchors follow MuJoCo: the anchor of a connect lies on body1, that of a weld on body2;
 * the other body's copy of the point is the one that coincides with it in the reference pose. A
 * weld with a given relpose takes relpos itself as the point on body1. */
#include "../builder.h"

#include "../../math/vec3.h"

#include <stdlib.h>
#include <string.h>

/* ---- equalities ---- */

/* A point given in one body's axes, in the other's, both in the reference pose. */
static void point_in_other(double out[3], const TnBodyScratch *other, const TnBodyScratch *own,
                           const double point[3])
{
    double world[3], inverse[4];
    quat_rotate(world, own->quat, point);
    v3_add(world, world, own->pos);
    v3_sub(world, world, other->pos);
    quat_conjugate(inverse, other->quat);
    quat_rotate(out, inverse, world);
}

static void compile_weld(TnEquality *equality, const TnEqualityDef *def, const TnBodyScratch *body1,
                         const TnBodyScratch *body2)
{
    v3_copy(equality->anchor2, def->anchor);
    if (def->has_relpose) {
        v3_copy(equality->anchor1, def->relpos);
        quat_copy(equality->relquat, def->relquat);
    } else {
        double inverse[4];
        point_in_other(equality->anchor1, body1, body2, def->anchor);
        quat_conjugate(inverse, body1->quat);
        quat_mul(equality->relquat, inverse, body2->quat);
    }
    quat_normalize(equality->relquat);
}

/* Origins of sites, and for welds their axes: R1 S1 = R2 S2. */
static void compile_sites_of(const TnModel *m, TnEquality *equality, const TnEqualityDef *def)
{
    const TnSite *site1 = &m->sites[def->site1 - 1], *site2 = &m->sites[def->site2 - 1];
    double back[4];
    v3_copy(equality->anchor1, site1->pos);
    v3_copy(equality->anchor2, site2->pos);
    quat_conjugate(back, site2->quat);
    quat_mul(equality->relquat, site1->quat, back);
    quat_normalize(equality->relquat);
}

static bool in_rod(const TnModel *m, int body)
{
    int s = tn_part_of_body(m, body);
    return s >= 0 && m->subsystems[s].kind == TN_SUBSYSTEM_ROD;
}

/* Pose of a segment that a weld keeps against another body: in that body's axes. */
static void held_pose(const TnEquality *weld, bool first, double pos[3], double quat[4])
{
    double at_own[3];
    quat_copy(quat, weld->relquat);
    if (first) quat_conjugate(quat, quat);
    quat_normalize(quat);
    quat_rotate(at_own, quat, first ? weld->anchor1 : weld->anchor2);
    v3_sub(pos, first ? weld->anchor2 : weld->anchor1, at_own);
}

/* The same from the axes of a body to those that carry it. */
static void carry_pose(const double body_pos[3], const double body_quat[4], double pos[3],
                       double quat[4])
{
    double turned[3], product[4];
    quat_rotate(turned, body_quat, pos);
    v3_add(pos, body_pos, turned);
    quat_mul(product, body_quat, quat);
    quat_copy(quat, product);
    quat_normalize(quat);
}

/* What comes out of a gripper lies within its fingers: no contact between the two. (What comes out
 * of a fixed geom: collision/clamps.c.) */
static void keep_apart(const TnModel *m, int segment, int holder)
{
    const TnRod *rod = &m->rods[m->subsystems[m->links[segment].subsystem].kind_index];
    int first = segment - rod->near + 1, last = segment + rod->near - 1,
        end = rod->link_start + rod->segment_count - 1;
    if (first < rod->link_start) first = rod->link_start;
    if (last > end) last = end;
    for (int i = first; i <= last; i++)
        if (!m->links[i].holder) m->links[i].holder = holder;
    m->links[holder].holds = true;
}

/* A segment of a rod that is welded to the world is held there by the rod's own equations, exactly
 * and without iterating; the weld itself is then no constraint any more. One that is welded to what
 * moves is noted: the division says what becomes of it. */
static void hold_segment(const TnCompile *c, TnEquality *weld, int body, int other)
{
    const TnModel *m = c->model;
    TnLink *link = &m->links[m->bodies[body].link];
    const TnBody *holder = &m->bodies[other];
    if (!in_rod(m, body) || !weld->active || weld->segment) return;
    if (tn_link_is_mocap(m, holder->link)) { /* an equality like others */
        keep_apart(m, m->bodies[body].link, holder->link);
        return;
    }
    double pos[3], quat[4];
    held_pose(weld, body == weld->body1, pos, quat);
    if (holder->link) {
        carry_pose(holder->link_pos, holder->link_quat, pos, quat);
        weld->segment = m->bodies[body].link;
        weld->holder = holder->link;
        v3_copy(weld->hold_pos, pos);
        quat_copy(weld->hold_quat, quat);
        keep_apart(m, weld->segment, weld->holder);
        return;
    }
    const TnBodyScratch *fixed = &c->bodies[other];
    carry_pose(fixed->pos, fixed->quat, pos, quat);
    v3_copy(link->hold_pos, pos);
    quat_copy(link->hold_quat, quat);
    link->held = true;
    weld->fixed_segment = m->bodies[body].link;
    weld->active = false;
}

static int equality_body(const TnCompile *c, TnBodyId body, TnSiteId site)
{
    return site ? c->model->sites[site - 1].body : body ? body - 1 : 0;
}

static bool is_curved(const double c[5]) { return c[2] != 0.0 || c[3] != 0.0 || c[4] != 0.0; }

/* Its length is not linear in q, and it is on no cable. */
static bool bends(const TnModel *m, const TnPath *path, bool *on_rod)
{
    for (int i = 0; i < path->link_count; i++)
        *on_rod |= tn_part_of_link(m, path->links[i])->kind == TN_SUBSYSTEM_ROD;
    return path->kind != TN_PATH_JOINTS;
}

/* Tendons that nothing moves cannot be held. */
static void compile_tendons_of(TnCompile *c, TnEquality *equality, const TnEqualityDef *def,
                               int index)
{
    const TnModel *m = c->model;
    const int tendons[2] = {equality->tendon1 = def->tendon1 - 1,
                            equality->tendon2 = def->tendon2 - 1};
    int links = 0;
    bool curved = def->tendon2 && is_curved(def->polycoef), on_rod = false;
    for (int k = 0; k < 2; k++) {
        if (tendons[k] < 0) continue;
        TnPath *path = &m->paths[m->tendons[tendons[k]].path];
        links += path->link_count;
        path->acts |= path->link_count > 0; /* it may be switched on */
        curved |= bends(m, path, &on_rod);
    }
    equality->curved = curved && !on_rod;
    if (links == 0) tn_problem(c, TN_ELEMENT("equality", def, index), "nothing moves its tendons");
}

static void compile_equalities(TnCompile *c)
{
    const TnModel *m = c->model;
    for (int i = 0; i < m->equality_count; i++) {
        const TnEqualityDef *def = &c->builder->equalities[i];
        TnEquality *equality = &m->equalities[i];
        *equality = (TnEquality){.type = def->type,
                                 .active = def->active,
                                 .joint1 = -1,
                                 .joint2 = -1,
                                 .tendon1 = -1,
                                 .tendon2 = -1,
                                 .relquat = {1.0}};
        memcpy(equality->polycoef, def->polycoef, sizeof equality->polycoef);
        if (def->type == TN_EQUALITY_JOINT) {
            equality->joint1 = c->lookup->joint_index[def->joint1 - 1];
            if (def->joint2) equality->joint2 = c->lookup->joint_index[def->joint2 - 1];
            equality->curved = def->joint2 && is_curved(def->polycoef);
            continue;
        }
        if (def->type == TN_EQUALITY_TENDON) {
            compile_tendons_of(c, equality, def, i);
            continue;
        }
        int body1 = equality->body1 = equality_body(c, def->body1, def->site1);
        int body2 = equality->body2 = equality_body(c, def->body2, def->site2);
        if (m->bodies[body1].link == m->bodies[body2].link)
            tn_problem(c, TN_ELEMENT("equality", def, i),
                       "its bodies are fixed to each other already");
        if (def->site1) compile_sites_of(m, equality, def);
        if (def->type == TN_EQUALITY_WELD) {
            if (!def->site1) compile_weld(equality, def, &c->bodies[body1], &c->bodies[body2]);
            hold_segment(c, equality, body1, body2);
            hold_segment(c, equality, body2, body1);
        } else if (!def->site1) {
            v3_copy(equality->anchor1, def->anchor);
            point_in_other(equality->anchor2, &c->bodies[body2], &c->bodies[body1], def->anchor);
        }
    }
}

/* ---- pairs and excludes ---- */

static void compile_pairs(TnCompile *c)
{
    const TnModel *m = c->model;
    for (int i = 0; i < m->pair_count; i++) {
        const TnPairDef *def = &c->builder->pairs[i];
        TnPair *pair = &m->pairs[i];
        *pair = (TnPair){.geom1 = def->geom1 - 1,
                         .geom2 = def->geom2 - 1,
                         .contact_dim = def->contact_dim,
                         .restitution = def->restitution,
                         .margin = def->margin};
        c->model->has_spin |= def->contact_dim > 3;
        v3_copy(pair->friction, def->friction);
        for (int k = 0; k < 2; k++) {
            double first = def->friction[k ? 2 : 0], second = def->friction_across[k];
            pair->across[k] = second < 0.0 ? first : second;
            if (pair->across[k] != first) c->model->has_oval_pairs = true;
        }
        const TnElement element = {.kind = "pair", .id = i + 1, .source = def->source};
        if (m->geoms[pair->geom1].link == m->geoms[pair->geom2].link)
            tn_problem(c, &element, "its geoms are fixed to each other");
    }
}

static int compare_excludes(const void *a, const void *b)
{
    const TnExclude *x = a, *y = b;
    if (x->body1 != y->body1) return x->body1 < y->body1 ? -1 : 1;
    return (x->body2 > y->body2) - (x->body2 < y->body2);
}

static void compile_excludes(TnCompile *c)
{
    for (int i = 0; i < c->model->exclude_count; i++) {
        int a = c->builder->excludes[i].body1 - 1, b = c->builder->excludes[i].body2 - 1;
        c->model->excludes[i] = a < b ? (TnExclude){a, b} : (TnExclude){b, a};
    }
    qsort(c->model->excludes, (size_t)c->model->exclude_count, sizeof(TnExclude), compare_excludes);
}

/* ---- sensors, keys, track ---- */

static bool is_of_joint(TnSensorType type)
{
    TnSensorObject object = tn_sensor_kind(type).object;
    return object == TN_OF_SCALAR_JOINT || object == TN_OF_BALL || object == TN_OF_JOINT;
}

/* A geom's frame; a mesh has it at its centre of mass, along its principal axes. */
static void geom_frame(TnCompile *c, int index, double pos[3], double quat[4])
{
    const TnGeom *geom = &c->model->geoms[index];
    TnMassProperties mass;
    double com[3], axes[4], moments[3];
    v3_copy(pos, geom->pos);
    quat_copy(quat, geom->quat);
    if (geom->type != TN_GEOM_MESH || !tn_mesh_unit_mass(c, geom->mesh, &mass)) return;
    quat_rotate(com, geom->quat, mass.com);
    v3_add(pos, pos, com);
    tn_sorted_axes(mass.inertia, moments, axes);
    quat_mul(quat, quat, axes);
}

/* The only geom that gives the body mass; -1: there are none, or several. */
static int lone_geom(const TnCompile *c, int body)
{
    int found = -1;
    for (int g = 0; g < c->model->geom_count; g++) {
        const TnGeomDef *def = &c->builder->geoms[g];
        if (def->body - 1 != body || def->mass == 0.0 || (def->mass < 0.0 && def->density == 0.0))
            continue;
        if (found >= 0) return -1;
        found = g;
    }
    return found;
}

/* Principal axes of a body alone, in its axes. */
static void body_axes(TnCompile *c, int body, double quat[4])
{
    const TnBodyDef *def = &c->builder->bodies[body];
    const TnBodyMass *mass = &c->model->body_masses[body];
    int lone = def->has_inertia ? -1 : lone_geom(c, body);
    double pos[3], back[4], R[9], turned[9], own[9], moments[3];
    if (lone >= 0) {
        geom_frame(c, lone, pos, quat);
        return;
    }
    quat_conjugate(back, c->model->bodies[body].link_quat); /* masses are in the link's axes */
    quat_to_m3(R, back);
    m3_mul(turned, R, mass->inertia);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) own[3 * i + k] = v3_dot(turned + 3 * i, R + 3 * k);
    tn_sorted_axes(own, moments, quat);
}

/* Masses are in the axes of the body's link. */
static void place_sites(TnCompile *c)
{
    for (int i = 0; i < c->model->site_count; i++) {
        TnSite *site = &c->model->sites[i];
        const TnSiteDef *def = &c->builder->sites[i];
        const TnBody *body = &c->model->bodies[site->body];
        double offset[3], to_body[4];
        if (def->at_geom) geom_frame(c, def->at_geom - 1, site->pos, site->quat);
        if (def->principal_axes && site->body) body_axes(c, site->body, site->quat);
        if (!def->at_center_of_mass) continue;
        v3_zero(site->pos);
        if (!site->body) continue;
        v3_sub(offset, c->model->body_masses[site->body].com, body->link_pos);
        quat_conjugate(to_body, body->link_quat);
        quat_rotate(site->pos, to_body, offset);
    }
}

static void compile_sensors(TnCompile *c)
{
    int start = 0;
    for (int i = 0; i < c->model->sensor_count; i++) {
        const TnSensorDef *def = &c->builder->sensors[i];
        TnSensor *sensor = &c->model->sensors[i];
        sensor->type = def->type;
        sensor->object =
            is_of_joint(def->type) ? c->lookup->joint_index[def->object - 1] : def->object - 1;
        sensor->ref = def->ref - 1;
        sensor->cutoff = def->cutoff;
        sensor->data_start = start;
        sensor->data_count = tn_sensor_size(def);
        sensor->pick1 = (TnPick){def->pick1.kind, def->pick1.id - 1};
        sensor->pick2 = (TnPick){def->pick2.kind, def->pick2.id - 1};
        sensor->zone = def->zone - 1;
        sensor->camera = def->camera - 1;
        sensor->slots = def->reduce == TN_REDUCE_NET_FORCE ? 1 : def->slots;
        sensor->fields = def->fields;
        sensor->reduce = def->reduce;
        start += sensor->data_count;
    }
}

/* `given` numbers of `count`; the rest is as it is in `other` (NULL: zero, as the block is). */
static double *keep_numbers(TnCompile *c, const double *values, int given, const double *other,
                            int count)
{
    double *copy = c->key_numbers;
    if (other && count) memcpy(copy, other, (size_t)count * sizeof(double));
    if (values) memcpy(copy, values, (size_t)given * sizeof(double));
    c->key_numbers += count;
    return copy;
}

static double *keep_mocap(TnCompile *c, const TnKeyDef *def, int index)
{
    int count = c->model->mocap_count;
    double *poses = keep_numbers(c, NULL, 0, c->model->mocap0, 7 * count);
    for (int k = 0; k < count; k++) {
        double *quat = poses + 7 * k + 3;
        if (def->mocap_pos_count) v3_copy(poses + 7 * k, def->mocap_pos + 3 * k);
        if (!def->mocap_quat_count) continue;
        quat_copy(quat, def->mocap_quat + 4 * k);
        if (tn_check_quat(c, TN_ELEMENT("key", def, index), "a quaternion of a mocap body", quat))
            quat_normalize(quat);
    }
    return poses;
}

static void compile_keys(TnCompile *c)
{
    const TnModel *m = c->model;
    for (int i = 0; i < m->key_count; i++) {
        const TnKeyDef *def = &c->builder->keys[i];
        double *qpos = keep_numbers(c, def->qpos, def->qpos_count, m->qpos0, m->qpos_count);
        for (int j = 0; j < m->joint_count; j++) {
            const TnJoint *joint = &m->joints[j];
            if (joint->type != TN_JOINT_FREE && joint->type != TN_JOINT_BALL) continue;
            double *quat = qpos + joint->qpos_start + (joint->type == TN_JOINT_FREE ? 3 : 0);
            static const double none[4] = {0.0}; /* stands for no turn, as in MuJoCo */
            if (memcmp(quat, none, sizeof none) == 0) quat[0] = 1.0;
            if (tn_check_quat(c, TN_ELEMENT("key", def, i), "a quaternion in qpos", quat))
                quat_normalize(quat);
        }
        m->keys[i] = (TnKey){.time = def->time, .qpos = qpos};
        m->keys[i].qvel = keep_numbers(c, def->qvel, def->qvel_count, NULL, m->dof_count);
        m->keys[i].ctrl = keep_numbers(c, def->ctrl, def->ctrl_count, NULL, m->actuator_count);
        m->keys[i].act = keep_numbers(c, def->act, def->act_count, NULL, m->act_count);
        m->keys[i].mocap = keep_mocap(c, def, i);
    }
}

static void compile_cameras(TnCompile *c)
{
    for (int i = 0; i < c->model->camera_count; i++) {
        const TnCameraDef *def = &c->builder->cameras[i];
        TnCamera *camera = &c->model->cameras[i];
        *camera = (TnCamera){
            .body = def->body - 1, .target = def->target - 1, .fovy = def->fovy, .mode = def->mode};
        memcpy(camera->resolution, def->resolution, sizeof camera->resolution);
        v3_copy(camera->pos, def->pos);
        quat_copy(camera->quat, def->quat);
        quat_normalize(camera->quat);
        if (def->mode != TN_CAMERA_TRACK) continue;
        /* keeps the place and direction that it has in the reference pose, whatever its body does
         */
        const double *turn = c->bodies[camera->body].quat;
        quat_rotate(camera->pos, turn, def->pos);
        quat_mul(camera->quat, turn, camera->quat);
    }
}

static void compile_track(TnCompile *c)
{
    const TnTrackDef *def = &c->builder->track;
    size_t rows = (size_t)c->model->track_count, numbers = rows * (size_t)c->model->actuator_count;
    if (rows) memcpy(c->model->track_times, def->times, rows * sizeof(double));
    if (numbers) memcpy(c->model->track_ctrl, def->ctrl, numbers * sizeof(double));
}

void tn_compile_parts(TnCompile *c)
{
    place_sites(c);
    compile_equalities(c);
    compile_pairs(c);
    compile_excludes(c);
    compile_sensors(c);
    compile_keys(c);
    compile_cameras(c);
    tn_compile_looks(c);
    compile_track(c);
    tn_compile_wheels(c);
}
