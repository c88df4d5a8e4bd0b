/* ride_move.c: how a contact that was listed rides with its links.
 *
 * Two spheres, and corners and round ends on a plane, are where their centres are: that is all that
 * collision does, and the same up to rounding. What other contacts do to first order depends on
 * shapes: those of a rolling cylinder go with its axis, those of a box with its corners. So these
 * ride only where hardly anything moves (ride.c), points with their bodies and gaps linearly. */
#include "../math/vec3.h"
#include "step.h"

typedef enum Kind { SPHERES, ON_PLANE, OTHER } Kind;

static Kind kind_of(const TnModel *model, const TnContactPoint *c)
{
    TnGeomType a = model->geoms[c->geom1].type, b = model->geoms[c->geom2].type;
    if (a == TN_GEOM_SPHERE && b == TN_GEOM_SPHERE) return SPHERES;
    if (b == TN_GEOM_PLANE && (a == TN_GEOM_SPHERE || a == TN_GEOM_CAPSULE || a == TN_GEOM_BOX))
        return ON_PLANE;
    return OTHER;
}

bool tn_contact_rides_far(const TnModel *model, const TnContactPoint *c)
{
    return kind_of(model, c) != OTHER;
}

/* Where the point of a link is that was at `arm` from its centre of mass; of the world, `arm`. */
static void point_now(const TnStep *step, int link, const double arm[3], double out[3])
{
    const TnLinkFrame *now = &step->world->frames[link];
    double local[3];
    v3_copy(out, arm);
    if (link == 0) return;
    if (!step->world->listed.round[link]) { /* a sphere's surface stays where it is when it turns */
        m3_tmul_v(local, step->world->listed.frames[link].rot, arm);
        m3_mul_v(out, now->rot, local);
    }
    v3_add(out, out, now->com);
}

/* The point in the middle of what is round about a contact, on one side. */
static void core_now(const TnStep *step, const TnContactPoint *c, int side, double radius,
                     double out[3])
{
    double arm[3];
    v3_copy(arm, side ? c->arm2 : c->arm1);
    v3_add_scaled(arm, c->normal, (side ? 1.0 : -1.0) * (radius + 0.5 * c->gap));
    point_now(step, step->model->geom_link[side ? c->geom2 : c->geom1], arm, out);
}

static void move_spheres(const TnStep *step, const TnContactPoint *c, TnContactPoint *out)
{
    const TnGeom *geoms = step->model->geoms;
    double radius1 = geoms[c->geom1].size[0], radius2 = geoms[c->geom2].size[0], a[3], b[3];
    core_now(step, c, 0, radius1, a);
    core_now(step, c, 1, radius2, b);
    v3_sub(out->normal, b, a);
    double distance = v3_norm(out->normal);
    if (distance > 0.0)
        v3_scale(out->normal, out->normal, 1.0 / distance);
    else
        v3_set(out->normal, 0.0, 0.0, 1.0);
    out->gap = distance - radius1 - radius2;
    v3_copy(out->pos, a);
    v3_add_scaled(out->pos, out->normal, radius1 + 0.5 * out->gap);
}

static void move_on_plane(const TnStep *step, const TnContactPoint *c, TnContactPoint *out)
{
    const TnGeom *geom = &step->model->geoms[c->geom1];
    double radius = geom->type == TN_GEOM_BOX ? 0.0 : geom->size[0], core[3], down[3];
    core_now(step, c, 0, radius, core);
    /* a point of the plane is half a gap on */
    v3_copy(down, c->pos);
    v3_add_scaled(down, c->normal, 0.5 * c->gap);
    v3_sub(down, down, core);
    out->gap = v3_dot(c->normal, down) - radius;
    v3_copy(out->pos, core);
    v3_add_scaled(out->pos, c->normal, radius + 0.5 * out->gap);
}

static void move_linearly(const TnStep *step, const TnContactPoint *c, TnContactPoint *out)
{
    const int *link = step->model->geom_link;
    double a[3], b[3];
    point_now(step, link[c->geom1], c->arm1, a);
    point_now(step, link[c->geom2], c->arm2, b);
    for (int k = 0; k < 3; k++) {
        out->gap += c->normal[k] * (b[k] - a[k]);
        out->pos[k] = 0.5 * (a[k] + b[k]);
    }
}

static void set_arm(const TnStep *step, int geom, const double pos[3], double arm[3])
{
    int link = step->model->geom_link[geom];
    v3_copy(arm, pos);
    if (link > 0) v3_sub(arm, arm, step->world->frames[link].com);
}

void tn_contact_ride(const TnStep *step, const TnContactPoint *c, TnContactPoint *out)
{
    *out = *c;
    switch (kind_of(step->model, c)) {
    case SPHERES:
        move_spheres(step, c, out);
        break;
    case ON_PLANE:
        move_on_plane(step, c, out);
        break;
    case OTHER:
        move_linearly(step, c, out);
        break;
    }
    out->clearance = out->gap;
    set_arm(step, c->geom1, out->pos, out->arm1);
    set_arm(step, c->geom2, out->pos, out->arm2);
}
