/* capsule_cylinder.c: a capsule with a cylinder's side, in closed form; a rope around a post has
 * hundreds of these.
 *
 * In the cylinder's axes the core c + s u, |s| <= h, comes nearest to the axis where its distance ρ
 * to it is least, which is one division. While all of the core is between the planes of the caps,
 * the gap is ρ - R - r. Everything else (caps, rims, a core deep inside) is left to GJK. A capsule
 * along the cylinder touches at both ends, as two capsules side by side do. */
#include "../../math/vec3.h"
#include "narrow.h"

/* The core in the cylinder's axes, and its point nearest to the axis. */
typedef struct Core {
    double c[3], u[3], half, radius;
    double s, rho, out[2]; /* parameter, distance, unit direction away from the axis */
} Core;

static Core place_core(const TnPlaced *a, const TnPlaced *b)
{
    Core core = {.half = a->shape->size[1], .radius = a->shape->size[0]};
    double d[3], axis[3];
    v3_sub(d, a->at->pos, b->at->pos);
    m3_tmul_v(core.c, b->at->rot, d);
    m3_column(axis, a->at->rot, 2);
    m3_tmul_v(core.u, b->at->rot, axis);
    const double *c = core.c, *u = core.u;
    double across = u[0] * u[0] + u[1] * u[1];
    core.s = across > 1e-12 ? -(c[0] * u[0] + c[1] * u[1]) / across : 0.0;
    core.s = fmin(core.half, fmax(-core.half, core.s));
    core.out[0] = c[0] + core.s * u[0];
    core.out[1] = c[1] + core.s * u[1];
    core.rho = sqrt(core.out[0] * core.out[0] + core.out[1] * core.out[1]);
    return core;
}

/* Adds the core's point at s against the side, along the shared normal. */
static void add_point(const Core *core, const TnPlaced *b, const double n[3], double s,
                      double margin, uint32_t feature, TnManifold *out)
{
    double p[3], pos[3];
    for (int k = 0; k < 3; k++) p[k] = core->c[k] + s * core->u[k];
    double along = p[0] * core->out[0] + p[1] * core->out[1],
           across = p[0] * core->out[1] - p[1] * core->out[0];
    double radii = core->radius + b->shape->size[0], gap = along - radii;
    if (fabs(across) > TN_TIGHT * radii) return;
    m3_mul_v(pos, b->at->rot, p);
    v3_add(pos, pos, b->at->pos);
    v3_add_scaled(pos, n, core->radius + 0.5 * gap);
    tn_manifold_add(out, margin, pos, gap, feature);
}

/* Nearest to the cylinder's side; then core->out becomes a unit vector, and n is the normal there.
 */
static bool is_beside(Core *core, const TnPlaced *b, double n[3])
{
    double R = b->shape->size[0],
           to_cap = b->shape->size[1] - fabs(core->c[2]) - core->half * fabs(core->u[2]);
    if (to_cap < 0.0 || core->rho < 1e-6 * R || R - core->rho > to_cap) return false;
    core->out[0] /= core->rho;
    core->out[1] /= core->rho;
    const double local[3] = {-core->out[0], -core->out[1], 0.0};
    m3_mul_v(n, b->at->rot, local);
    return true;
}

bool tn_gap_capsule_cylinder(const TnPlaced *a, const TnPlaced *b, double *gap, double n[3])
{
    Core core = place_core(a, b);
    *gap = core.rho - b->shape->size[0] - core.radius;
    return is_beside(&core, b, n);
}

bool tn_collide_capsule_cylinder(const TnPlaced *a, const TnPlaced *b, double margin,
                                 TnManifold *out)
{
    Core core = place_core(a, b);
    double gap = core.rho - b->shape->size[0] - core.radius;
    if (gap > margin) return true; /* the infinite cylinder is out of reach already */
    if (!is_beside(&core, b, out->normal)) return tn_collide_convex(a, b, margin, out);
    if (fabs(core.u[2]) > 0.9) {
        add_point(&core, b, out->normal, -core.half, margin, tn_feature(1u, 0u), out);
        add_point(&core, b, out->normal, core.half, margin, tn_feature(2u, 0u), out);
    }
    if (out->count == 0) add_point(&core, b, out->normal, core.s, margin, 0, out);
    return true;
}
