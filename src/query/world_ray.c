/* world_ray.c: rays through a world, distances between geoms, and what a shape overlaps. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../collision/narrow/narrow.h"
#include "../collision/ray.h"
#include "../device/device.h"
#include "../math/vec3.h"
#include "queries.h"

/* ---- where geoms are ---- */

void tn_geom_place(const TnPlaces *at, const TnGeom *geom, TnTransform *out)
{
    const TnLinkFrame *frame = &at->frames[geom->link];
    m3_mul_v(out->pos, frame->rot, geom->link_pos);
    v3_add(out->pos, out->pos, frame->pos);
    m3_mul(out->rot, frame->rot, geom->link_rot);
}

static TnPlaces places_of(const TnWorld *world)
{
    tn_world_fetch(world);
    return (TnPlaces){world->model, world->frames, world->state.qpos};
}

/* The shape that collides, and its frame. */
static void place_shape(const TnPlaces *places, const TnGeom *geom, TnShape *shape, TnTransform *at)
{
    tn_geom_place(places, geom, at);
    *shape = (TnShape){.type = geom->type, .size = {geom->size[0], geom->size[1], geom->size[2]}};
    if (geom->mesh < 0) return;
    const TnHull *hull = &places->model->meshes[geom->mesh].hull;
    if (hull->vertex_count == 0) { /* triangles alone: no convex shape */
        shape->type = TN_GEOM_HEIGHT_FIELD;
        return;
    }
    double center[3];
    shape->mesh_vertices = hull->vertices;
    shape->mesh_vertex_count = hull->vertex_count;
    shape->hull = hull;
    m3_mul_v(center, at->rot, hull->center);
    v3_add(at->pos, at->pos, center);
}

/* ---- rays ---- */

static bool counts(const TnRayFilter *filter, const TnGeom *geom)
{
    if (geom->rgba[3] == 0.0) return false;
    if (filter->groups &&
        !(geom->group >= 0 && geom->group < 32 && (filter->groups >> geom->group & 1u)))
        return false;
    if (filter->skip_fixed && geom->link == 0 && geom->type != TN_GEOM_SOFT) return false;
    return !filter->exclude || geom->body != filter->exclude - 1;
}

static double ray_soft(const TnPlaces *at, int geom, const TnRay *ray, double most, double n[3])
{
    const TnModel *model = at->model;
    for (int i = 0; i < model->soft_count; i++) {
        const TnSoft *soft = &model->softs[i];
        if (soft->geom == geom)
            return tn_ray_triangles(at->qpos + soft->qpos_start, soft->triangles,
                                    soft->triangle_count, ray->origin, ray->direction, most, n);
    }
    return -1.0;
}

/* The ball about it. */
static bool comes_near(const TnPlaces *at, const TnGeom *geom, const TnRay *ray, double most)
{
    const TnLinkFrame *frame = &at->frames[geom->link];
    double center[3], own[3];
    if (!(geom->bounding_radius < INFINITY)) return true;
    v3_copy(own, geom->link_pos);
    if (geom->mesh >= 0) {
        m3_mul_v(center, geom->link_rot, at->model->meshes[geom->mesh].hull.center);
        v3_add(own, own, center);
    }
    m3_mul_v(center, frame->rot, own);
    v3_add(center, center, frame->pos);
    return tn_ray_meets_ball(center, geom->bounding_radius, ray->origin, ray->direction, most);
}

static double ray_geom(const TnPlaces *at, int g, const TnRay *ray, double most, double n[3])
{
    const TnModel *model = at->model;
    const TnGeom *geom = &model->geoms[g];
    TnTransform place;
    double p[3], d[3], from[3], normal[3], s;
    if (geom->type == TN_GEOM_SOFT) return ray_soft(at, g, ray, most, n);
    if (!comes_near(at, geom, ray, most)) return -1.0;
    tn_geom_place(at, geom, &place);
    v3_sub(from, ray->origin, place.pos);
    m3_tmul_v(p, place.rot, from);
    m3_tmul_v(d, place.rot, ray->direction);
    if (geom->type == TN_GEOM_MESH) {
        const TnMesh *mesh = &model->meshes[geom->mesh];
        s = tn_ray_triangles(mesh->vertices, mesh->triangles, mesh->triangle_count, p, d, most,
                             normal);
    } else {
        s = tn_ray_shape(geom->type, geom->size, p, d, normal);
    }
    if (s < 0.0 || s >= most) return -1.0;
    m3_mul_v(n, place.rot, normal);
    return s;
}

TnRayHit tn_ray_cast(const TnPlaces *at, const TnRay *ray, const TnRayFilter *filter)
{
    TnRayHit hit = {.distance = -1.0};
    double most = filter->max_distance > 0.0 ? filter->max_distance : INFINITY;
    for (int g = 0; g < at->model->geom_count; g++) {
        double n[3];
        if (!counts(filter, &at->model->geoms[g])) continue;
        double s = ray_geom(at, g, ray, most, n);
        if (s < 0.0) continue;
        most = hit.distance = s;
        hit.geom = g + 1;
        v3_copy(hit.normal, n);
    }
    return hit;
}

typedef struct Cast {
    TnPlaces at;
    const TnRayFilter *filter;
    const TnRay *rays;
    TnRayHit *hits;
} Cast;

static void cast_range(void *context, int begin, int end)
{
    const Cast *c = context;
    for (int i = begin; i < end; i++) c->hits[i] = tn_ray_cast(&c->at, &c->rays[i], c->filter);
}

static bool are_rays(const TnRay *rays, int count)
{
    for (int i = 0; i < count; i++) {
        double length = v3_norm(rays[i].direction);
        if (!(length > 0.0 && isfinite(length) && isfinite(v3_norm(rays[i].origin)))) return false;
    }
    return true;
}

TnStatus tn_world_cast_rays(const TnWorld *world, const TnRay *rays, int count,
                            const TnRayFilter *filter, TnRayHit *hits, TnError *err)
{
    static const TnRayFilter all = {0};
    if (!world || count < 0 || (count > 0 && (!rays || !hits)) || !are_rays(rays, count))
        return tn_world_refuse(err, "rays need a finite origin, a direction and room for hits");
    Cast c = {places_of(world), filter ? filter : &all, rays, hits};
    tn_pool_run(world->pool, count, 64, cast_range, &c);
    return TN_OK;
}

/* ---- distances ---- */

static bool is_rigid_geom(const TnWorld *world, TnGeomId id)
{
    return world && id >= 1 && id <= world->model->geom_count &&
           world->model->geoms[id - 1].type != TN_GEOM_SOFT;
}

/* The nearest point of a manifold. */
static const TnManifoldPoint *nearest(const TnManifold *m)
{
    const TnManifoldPoint *best = NULL;
    for (int k = 0; k < m->count; k++)
        if (!best || m->points[k].gap < best->gap) best = &m->points[k];
    return best;
}

TnDistance tn_geoms_distance(const TnPlaces *at, int geom1, int geom2, double most)
{
    TnDistance out = {.distance = most};
    TnShape a, b;
    TnTransform at_a, at_b;
    TnManifold m = {.count = 0};
    place_shape(at, &at->model->geoms[geom1], &a, &at_a);
    place_shape(at, &at->model->geoms[geom2], &b, &at_b);
    if (!tn_collide(&a, &at_a, &b, &at_b, most, &m)) return out;
    const TnManifoldPoint *p = nearest(&m);
    if (!p || !(p->gap < most)) return out;
    out.known = true;
    out.distance = p->gap;
    v3_copy(out.normal, m.normal);
    for (int k = 0; k < 3; k++) {
        out.point1[k] = p->pos[k] - 0.5 * p->gap * m.normal[k];
        out.point2[k] = p->pos[k] + 0.5 * p->gap * m.normal[k];
    }
    return out;
}

TnDistance tn_world_geom_distance(const TnWorld *world, TnGeomId geom1, TnGeomId geom2, double most)
{
    if (!is_rigid_geom(world, geom1) || !is_rigid_geom(world, geom2) || geom1 == geom2 ||
        !(most >= 0.0))
        return (TnDistance){.distance = most};
    const TnPlaces at = places_of(world);
    return tn_geoms_distance(&at, geom1 - 1, geom2 - 1, most);
}

/* ---- overlaps ---- */

static double shape_radius(const TnShape *shape)
{
    const double *s = shape->size;
    double most = 0.0;
    switch (shape->type) {
    case TN_GEOM_SPHERE:
        return s[0];
    case TN_GEOM_CAPSULE:
        return s[0] + s[1];
    case TN_GEOM_CYLINDER:
        return hypot(s[0], s[1]);
    case TN_GEOM_ELLIPSOID:
    case TN_GEOM_BOX:
        return v3_norm(s);
    case TN_GEOM_MESH:
        for (int i = 0; i < shape->mesh_vertex_count; i++)
            most = fmax(most, v3_norm(shape->mesh_vertices + 3L * i));
        return most;
    default:
        return INFINITY;
    }
}

int tn_world_overlaps(const TnWorld *world, const TnShape *shape, const TnTransform *at,
                      double margin, TnGeomId *geoms, int room)
{
    int count = 0;
    if (!world || !shape || !at || !(margin >= 0.0)) return 0;
    const TnPlaces places = places_of(world);
    double radius = shape_radius(shape);
    for (int g = 0; g < world->model->geom_count; g++) {
        const TnGeom *geom = &world->model->geoms[g];
        TnShape other;
        TnTransform place;
        TnManifold m = {.count = 0};
        if (geom->type == TN_GEOM_SOFT) continue;
        place_shape(&places, geom, &other, &place);
        if (v3_distance(place.pos, at->pos) > radius + geom->bounding_radius + margin) continue;
        if (!tn_collide(shape, at, &other, &place, margin, &m) || m.count == 0) continue;
        if (geoms && count < room) geoms[count] = g + 1;
        count++;
    }
    return count;
}
