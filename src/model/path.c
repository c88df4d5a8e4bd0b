/* path.c: see path.h. A straight piece between two links' points has the unit vector along it as
 * gradient at its ends; an arc on a geom has none, for it is the shortest way. */
#include "path.h"

#include "../math/vec3.h"

#define ARC_PIECES 8 /* that an arc is drawn in */

static const double zero3[3] = {0, 0, 0};

/* ---- places ---- */

typedef struct Place {
    int link;
    double point[3];
} Place;

static Place place_on(const TnModel *model, const TnLinkFrame *frames, int body,
                      const double local[3])
{
    const TnBody *b = &model->bodies[body];
    Place place = {.link = b->link};
    double on_link[3];
    quat_rotate(on_link, b->link_quat, local);
    v3_add(on_link, on_link, b->link_pos);
    m3_mul_v(place.point, frames[b->link].rot, on_link);
    v3_add(place.point, place.point, frames[b->link].pos);
    return place;
}

static Place place_site(const TnModel *model, const TnLinkFrame *frames, int site)
{
    return place_on(model, frames, model->sites[site].body, model->sites[site].pos);
}

static void site_axes(const TnModel *model, const TnLinkFrame *frames, int site, double quat[4])
{
    const TnBody *b = &model->bodies[model->sites[site].body];
    quat_mul(quat, frames[b->link].quat, b->link_quat);
    quat_mul(quat, quat, model->sites[site].quat);
}

/* ---- the gradient ---- */

static void pull(const TnPathVisitor *visitor, const Place *at, const double linear[3],
                 const double angular[3])
{
    if (visitor && at->link) visitor->pull(visitor->context, at->link, at->point, linear, angular);
}

static void moment(const TnPathVisitor *visitor, int dof, double coef)
{
    if (visitor) visitor->moment(visitor->context, dof, coef);
}

/* ---- spatial tendons ---- */

/* Its length; the gradient is `share` of that of the length. */
static double straight(const Place *a, const Place *b, double share, const TnPathVisitor *visitor)
{
    double along[3], back[3];
    v3_sub(along, b->point, a->point);
    double length = v3_norm(along);
    if (!visitor || a->link == b->link || !(length > 0.0)) return length;
    v3_scale(along, along, share / length);
    v3_scale(back, along, -1.0);
    pull(visitor, a, back, zero3);
    pull(visitor, b, along, zero3);
    return length;
}

static void into_geom(const TnLinkFrame *frame, const TnGeom *geom, const double point[3],
                      double out[3])
{
    double x[3];
    v3_sub(x, point, frame->pos);
    m3_tmul_v(x, frame->rot, x);
    v3_sub(x, x, geom->link_pos);
    m3_tmul_v(out, geom->link_rot, x);
}

static void out_of_geom(const TnLinkFrame *frame, const TnGeom *geom, const double point[3],
                        double out[3])
{
    double x[3];
    m3_mul_v(x, geom->link_rot, point);
    v3_add(x, x, geom->link_pos);
    m3_mul_v(x, frame->rot, x);
    v3_add(out, x, frame->pos);
}

/* Around the geom of the point; false: it is not in the way. */
static bool wrap_at(const TnModel *model, const TnLinkFrame *frames, const TnPathPoint *point,
                    const Place *a, const Place *b, Place on[2], TnWrap *wrap)
{
    const TnGeom *geom = &model->geoms[point->object];
    const TnLinkFrame *frame = &frames[geom->link];
    double from[3], to[3], side[3];
    into_geom(frame, geom, a->point, from);
    into_geom(frame, geom, b->point, to);
    if (point->side >= 0) {
        Place at = place_site(model, frames, point->side);
        into_geom(frame, geom, at.point, side);
    }
    if (!tn_wrap(geom->type == TN_GEOM_CYLINDER, geom->size[0], from, to,
                 point->side >= 0 ? side : NULL, wrap))
        return false;
    for (int i = 0; i < 2; i++) {
        on[i].link = geom->link;
        out_of_geom(frame, geom, wrap->on[i], on[i].point);
    }
    return true;
}

static double walk_points(const TnModel *model, const TnPath *path, const TnLinkFrame *frames,
                          const TnPathVisitor *visitor)
{
    const TnPathPoint *p = path->points, *end = p + path->point_count;
    double length = 0.0, divisor = 1.0;
    const TnPathPoint *last = NULL; /* where b is: the next piece begins there */
    Place a, b, on[2];
    for (; p < end; p++) {
        if (p->type == TN_TENDON_PULLEY) divisor = p->divisor;
        if (p->type != TN_TENDON_SITE || p + 1 >= end || p[1].type == TN_TENDON_PULLEY) continue;
        bool geom = p[1].type == TN_TENDON_GEOM;
        a = p == last ? b : place_site(model, frames, p->object);
        last = p + (geom ? 2 : 1);
        b = place_site(model, frames, last->object);
        TnWrap wrap;
        double share = 1.0 / divisor;
        if (geom && wrap_at(model, frames, p + 1, &a, &b, on, &wrap))
            length += share * (straight(&a, &on[0], share, visitor) + wrap.length +
                               straight(&on[1], &b, share, visitor));
        else
            length += share * straight(&a, &b, share, visitor);
    }
    return length;
}

/* ---- sites ---- */

/* The turn from b to a as a rotation vector in b's axes. */
static void turn_from(const double a[4], const double b[4], double out[3])
{
    double back[4], difference[4];
    quat_conjugate(back, b);
    quat_mul(difference, back, a);
    quat_to_rotvec(out, difference);
}

static double walk_site(const TnModel *model, const TnPath *path, const TnLinkFrame *frames,
                        const TnPathVisitor *visitor)
{
    Place at = place_site(model, frames, path->site);
    double axes[4], force[3], torque[3], length = 0.0;
    site_axes(model, frames, path->ref >= 0 ? path->ref : path->site, axes);
    quat_rotate(force, axes, path->wrench);
    quat_rotate(torque, axes, path->wrench + 3);
    pull(visitor, &at, force, torque);
    if (path->ref < 0) return length;
    Place ref = place_site(model, frames, path->ref);
    double way[3], own[4], turned[3], back[3], against[3];
    v3_sub(way, at.point, ref.point);
    site_axes(model, frames, path->site, own);
    turn_from(own, axes, turned);
    length = v3_dot(way, force) + v3_dot(turned, path->wrench + 3);
    v3_scale(back, force, -1.0);
    v3_scale(against, torque, -1.0);
    pull(visitor, &ref, back, against);
    if (!path->shared) return length;
    /* what moves both changes nothing */
    Place carrier = {.link = path->shared};
    v3_copy(carrier.point, ref.point);
    v3_cross(against, force, way);
    pull(visitor, &carrier, zero3, against);
    return length;
}

static double walk_crank(const TnModel *model, const TnPath *path, const TnLinkFrame *frames,
                         const TnPathVisitor *visitor)
{
    static const double z[3] = {0, 0, 1};
    Place crank = place_site(model, frames, path->site),
          slider = place_site(model, frames, path->ref);
    double axes[4], axis[3], d[3], to_crank[3], turn[3];
    site_axes(model, frames, path->ref, axes);
    quat_rotate(axis, axes, z);
    v3_sub(d, crank.point, slider.point);
    double along = v3_dot(d, axis),
           square = along * along + path->crank_length * path->crank_length - v3_dot(d, d);
    double root = square > 0.0 ? sqrt(square) : 0.0;
    /* l = a - √(a² + c² - d²), or a where the crank does not reach */
    double by_along = root > 0.0 ? 1.0 - along / root : 1.0;
    v3_scale(to_crank, axis, by_along);
    if (root > 0.0) v3_add_scaled(to_crank, d, 1.0 / root);
    pull(visitor, &crank, to_crank, zero3);
    v3_scale(to_crank, to_crank, -1.0);
    v3_cross(turn, axis, d);
    v3_scale(turn, turn, by_along);
    pull(visitor, &slider, to_crank, turn);
    return along - root;
}

/* ---- ball and free joints ---- */

/* The turn of a ball or free joint. Frames tell it unless the link has other joints, too. */
static void joint_turn(const TnModel *model, const TnJoint *joint, const double *qpos,
                       const TnLinkFrame *frames, double quat[4])
{
    const TnLink *link = &model->links[joint->link];
    quat_copy(quat, frames[joint->link].quat);
    if (joint->type == TN_JOINT_FREE) return;
    if (link->joint_count == 1) {
        double back[4];
        quat_mul(back, frames[link->parent].quat, link->ref_quat);
        quat_conjugate(back, back);
        quat_mul(quat, back, quat);
    } else {
        quat_copy(quat, qpos + joint->qpos_start);
    }
    quat_normalize(quat);
}

static double walk_rotation(const TnModel *model, const TnPath *path, const double *qpos,
                            const TnLinkFrame *frames, const TnPathVisitor *visitor)
{
    const TnJoint *joint = &model->joints[path->joint];
    bool is_free = joint->type == TN_JOINT_FREE;
    double quat[4], back[4], torque[3], turned[3];
    joint_turn(model, joint, qpos, frames, quat);
    v3_copy(torque, path->wrench + (is_free ? 3 : 0));
    quat_conjugate(back, quat);
    if (path->in_parent) quat_rotate(torque, back, torque);
    const TnSubsystem *sub = tn_part_of_link(model, joint->link);
    if (sub->kind == TN_SUBSYSTEM_TREE) {
        for (int k = 0; k < 3 && is_free; k++)
            moment(visitor, joint->dof_start + k, path->wrench[k]);
        for (int k = 0; k < 3; k++)
            moment(visitor, joint->dof_start + (is_free ? 3 : 0) + k, torque[k]);
    } else {
        Place at = {.link = joint->link};
        v3_copy(at.point, frames[joint->link].pos);
        m3_mul_v(turned, frames[joint->link].rot, torque);
        pull(visitor, &at, path->wrench, turned);
    }
    if (is_free) return 0.0;
    quat_to_rotvec(turned, quat);
    return v3_dot(turned, torque);
}

/* ---- all ---- */

double tn_path_walk(const TnModel *model, const TnPath *path, const double *qpos,
                    const TnLinkFrame *frames, const TnPathVisitor *visitor)
{
    switch (path->kind) {
    case TN_PATH_POINTS:
        return walk_points(model, path, frames, visitor);
    case TN_PATH_SITE:
        return walk_site(model, path, frames, visitor);
    case TN_PATH_CRANK:
        return walk_crank(model, path, frames, visitor);
    case TN_PATH_ROTATION:
        return walk_rotation(model, path, qpos, frames, visitor);
    case TN_PATH_JOINTS:
        break;
    }
    for (int i = 0; i < path->moment_count; i++)
        moment(visitor, path->moments[i].dof, path->moments[i].coef);
    return tn_moment_length(path->moments, path->moment_count, qpos);
}

typedef struct Rate {
    const TnLinkFrame *frames;
    const double (*twists)[6];
    const double *qvel;
    double sum;
} Rate;

static void add_pull(void *context, int link, const double point[3], const double linear[3],
                     const double angular[3])
{
    Rate *rate = context;
    const double *twist = rate->twists[link];
    double arm[3], v[3];
    v3_sub(arm, point, rate->frames[link].com);
    v3_cross(v, twist + 3, arm);
    v3_add(v, v, twist);
    rate->sum += v3_dot(linear, v) + v3_dot(angular, twist + 3);
}

static void add_moment(void *context, int dof, double coef)
{
    Rate *rate = context;
    rate->sum += coef * rate->qvel[dof];
}

double tn_path_rate(const TnModel *model, const TnPath *path, const double *qpos,
                    const double *qvel, const TnLinkFrame *frames, const double (*twists)[6],
                    double *rate)
{
    Rate sum = {frames, twists, qvel, 0.0};
    double length =
        tn_path_walk(model, path, qpos, frames, &(TnPathVisitor){add_pull, add_moment, &sum});
    *rate = sum.sum;
    return length;
}

/* ---- a gradient that is kept ---- */

/* A straight piece has two pulls, beside an arc there are two pieces; a ball joint has moments. */
bool tn_path_gradient_reserve(const TnPath *path, TnArena *arena, TnPathGradient *out)
{
    *out = (TnPathGradient){.pulls = TN_ARENA_NEW(arena, TnPathPull, 4 + 2 * path->point_count),
                            .moments = TN_ARENA_NEW(arena, TnMoment, path->moment_count + 6)};
    return out->pulls && out->moments;
}

static void keep_pull(void *context, int link, const double point[3], const double linear[3],
                      const double angular[3])
{
    TnPathGradient *g = context;
    TnPathPull *p = &g->pulls[g->pull_count++];
    p->link = link;
    v3_copy(p->point, point);
    v3_copy(p->linear, linear);
    v3_copy(p->angular, angular);
}

static void keep_moment(void *context, int dof, double coef)
{
    TnPathGradient *g = context;
    g->moments[g->moment_count++] = (TnMoment){.dof = dof, .coef = coef};
}

double tn_path_record(const TnModel *model, const TnPath *path, const double *qpos,
                      const TnLinkFrame *frames, TnPathGradient *out)
{
    out->pull_count = out->moment_count = 0;
    return tn_path_walk(model, path, qpos, frames, &(TnPathVisitor){keep_pull, keep_moment, out});
}

void tn_path_replay(const TnPathGradient *g, const TnPathVisitor *visitor)
{
    for (int i = 0; i < g->pull_count; i++)
        visitor->pull(visitor->context, g->pulls[i].link, g->pulls[i].point, g->pulls[i].linear,
                      g->pulls[i].angular);
    for (int i = 0; i < g->moment_count; i++)
        visitor->moment(visitor->context, g->moments[i].dof, g->moments[i].coef);
}

double tn_path_rate_of(const TnPathGradient *gradient, const double *qvel,
                       const TnLinkFrame *frames, const double (*twists)[6])
{
    Rate sum = {frames, twists, qvel, 0.0};
    tn_path_replay(gradient, &(TnPathVisitor){add_pull, add_moment, &sum});
    return sum.sum;
}

/* ---- drawing ---- */

int tn_path_branch(const TnPath *path, int branch)
{
    int count = 0, at = 0;
    for (int i = 0; i < path->point_count; i++) {
        if (path->points[i].type == TN_TENDON_PULLEY)
            at++;
        else if (at == branch)
            count += path->points[i].type == TN_TENDON_GEOM ? ARC_PIECES + 1 : 1;
    }
    return count;
}

/* Always as many points, so that frames of a film fit each other: without a wrap all of an arc's
 * are on the straight way, at its start. */
static int trace_arc(const TnModel *model, const TnLinkFrame *frames, const TnPathPoint *point,
                     const Place *a, const Place *b, double (*out)[3])
{
    const TnGeom *geom = &model->geoms[point->object];
    Place on[2];
    TnWrap wrap;
    bool wraps = wrap_at(model, frames, point, a, b, on, &wrap);
    for (int i = 0; i <= ARC_PIECES; i++) {
        double share = (double)i / ARC_PIECES, turn[4], x[3];
        if (!wraps) {
            v3_copy(out[i], a->point);
            continue;
        }
        quat_from_axis_angle(turn, wrap.axis, share * wrap.angle);
        quat_rotate(x, turn, wrap.on[0]);
        if (geom->type == TN_GEOM_CYLINDER) x[2] += share * (wrap.on[1][2] - wrap.on[0][2]);
        out_of_geom(&frames[geom->link], geom, x, out[i]);
    }
    return ARC_PIECES + 1;
}

int tn_path_trace(const TnModel *model, const TnPath *path, const TnLinkFrame *frames,
                  double (*points)[3])
{
    int count = 0;
    for (int i = 0; i < path->point_count; i++) {
        const TnPathPoint *p = &path->points[i];
        if (p->type == TN_TENDON_SITE) {
            Place at = place_site(model, frames, p->object);
            v3_copy(points[count++], at.point);
        } else if (p->type == TN_TENDON_GEOM) {
            Place a = place_site(model, frames, p[-1].object),
                  b = place_site(model, frames, p[1].object);
            count += trace_arc(model, frames, p, &a, &b, points + count);
        }
    }
    return count;
}
