/* align.c: free bodies whose frame shall be that of their inertia.
 *
 * With T the pose of the inertial frame in the body's, the body moves to B T and its geoms, sites,
 * cameras and lights to T^-1 G: nothing moves in the world. Bodies with children stay as they are,
 * as in MuJoCo. The inertial frame is that of MuJoCo, too: the given one; that of the only geom
 * with mass; otherwise principal axes by descending moments. */
#include "../builder.h"

#include "../../math/vec3.h"

typedef struct Aligned {
    bool wanted, bad;
    int geom_count; /* with mass */
    TnMassProperties mass;
    double geom_quat[4]; /* of the first of them */
    double pos[3], quat[4];
} Aligned;

static void find_wanted(const TnModelBuilder *b, Aligned *all)
{
    for (int i = 0; i < b->joint_count; i++)
        if (b->joints[i].align && b->joints[i].type == TN_JOINT_FREE)
            all[b->joints[i].body - 1].wanted = true;
    for (int i = 1; i < b->body_count; i++) all[b->bodies[i].parent - 1].wanted = false;
}

static void add_geoms(TnCompile *c, Aligned *all)
{
    const TnModelBuilder *b = c->builder;
    for (int i = 0; i < b->geom_count; i++) {
        const TnGeomDef *def = &b->geoms[i];
        Aligned *a = &all[def->body - 1];
        TnMassProperties part;
        if (!a->wanted || b->bodies[def->body - 1].has_inertia) continue;
        if (!tn_geom_mass(c, def, &part)) a->bad = true;
        if (!(part.mass > 0.0)) continue;
        tn_mass_add(&a->mass, &part);
        if (a->geom_count++ == 0) quat_copy(a->geom_quat, def->quat);
    }
}

/* The pose of the inertial frame in the body's. */
static void find_pose(const TnBodyDef *body, bool one_shape, Aligned *a)
{
    double moments[3];
    if (body->has_inertia) {
        v3_copy(a->pos, body->inertia_pos);
        const double *f = body->inertia_full;
        double full[9] = {f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2]};
        if (body->use_inertia_full)
            tn_sorted_axes(full, moments, a->quat);
        else
            quat_copy(a->quat, body->inertia_quat);
    } else {
        v3_copy(a->pos, a->mass.com);
        if (one_shape)
            quat_copy(a->quat, a->geom_quat);
        else
            tn_sorted_axes(a->mass.inertia, moments, a->quat);
    }
    quat_normalize(a->quat);
}

static void move_body(TnBodyDef *body, const Aligned *a)
{
    double moved[3];
    quat_normalize(body->quat);
    quat_rotate(moved, body->quat, a->pos);
    v3_add(body->pos, body->pos, moved);
    quat_mul(body->quat, body->quat, a->quat);
    if (!body->has_inertia) return;
    if (body->use_inertia_full) {
        const double *f = body->inertia_full;
        double full[9] = {f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2]}, axes[4];
        tn_sorted_axes(full, body->inertia, axes);
        body->use_inertia_full = false;
    }
    v3_zero(body->inertia_pos);
    quat_identity(body->inertia_quat);
}

static void move_part(double pos[3], double quat[4], const Aligned *a)
{
    double back[4], apart[3];
    quat_conjugate(back, a->quat);
    v3_sub(apart, pos, a->pos);
    quat_rotate(pos, back, apart);
    quat_normalize(quat);
    quat_mul(quat, back, quat);
}

static void move_light(TnLightDef *light, const Aligned *a)
{
    double quat[4] = {1.0, 0.0, 0.0, 0.0}, turned[3];
    move_part(light->pos, quat, a);
    quat_rotate(turned, quat, light->dir);
    v3_copy(light->dir, turned);
}

static bool is_moved(const Aligned *all, TnBodyId body) { return all[body - 1].wanted; }

bool tn_align_free_bodies(TnCompile *c, TnModelBuilder *b)
{
    bool any = false;
    for (int i = 0; i < b->joint_count && !any; i++) any = b->joints[i].align;
    if (!any) return true;
    Aligned *all = tn_calloc((size_t)b->body_count, sizeof *all);
    if (!all) return false;
    find_wanted(b, all);
    add_geoms(c, all);
    for (int i = 1; i < b->body_count; i++) {
        Aligned *a = &all[i];
        if (!b->bodies[i].has_inertia && (a->bad || a->geom_count == 0)) a->wanted = false;
        if (!a->wanted) continue;
        find_pose(&b->bodies[i], a->geom_count == 1, a);
        move_body(&b->bodies[i], a);
    }
    for (int i = 0; i < b->geom_count; i++)
        if (is_moved(all, b->geoms[i].body))
            move_part(b->geoms[i].pos, b->geoms[i].quat, &all[b->geoms[i].body - 1]);
    for (int i = 0; i < b->site_count; i++)
        if (is_moved(all, b->sites[i].body))
            move_part(b->sites[i].pos, b->sites[i].quat, &all[b->sites[i].body - 1]);
    for (int i = 0; i < b->camera_count; i++)
        if (is_moved(all, b->cameras[i].body) && b->cameras[i].mode == TN_CAMERA_FIXED)
            move_part(b->cameras[i].pos, b->cameras[i].quat, &all[b->cameras[i].body - 1]);
    for (int i = 0; i < b->light_count; i++)
        if (is_moved(all, b->lights[i].body) && b->lights[i].mode == TN_CAMERA_FIXED)
            move_light(&b->lights[i], &all[b->lights[i].body - 1]);
    for (int i = 0; i < b->joint_count; i++) b->joints[i].align = false; /* done */
    tn_free(all);
    return true;
}
