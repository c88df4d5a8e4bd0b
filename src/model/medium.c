/* medium.c: what a medium (TnOption.density, viscosity) finds of each body: MuJoCo's inertia box,
 * or the ellipsoids of geoms that ask for them.
 *
 * The box has the body's mass and moments of inertia. An ellipsoid with half axes a drags along an
 * added mass, from the integrals κ_x = ∫ a_x a_y a_z / √((a_x²+λ)³ (a_y²+λ) (a_z²+λ)) dλ over λ > 0
 * (Lamb): V κ_x / (2 - κ_x) along x, and for turning about x
 * V/5 (a_y² - a_z²)² (κ_z - κ_y) / (2 (a_y² - a_z²) + (a_y² + a_z²) (κ_y - κ_z)). */
#include "builder.h"

#include "../base/base.h"
#include "../math/vec3.h"
#include "thresholds.h"

#include <math.h>

/* ---- added mass ---- */

/* Gauss and Kronrod's rule with 15 points for 0 < x < 1, nodes and weights with the 8 decimals that
 * MuJoCo has them with; λ = scale · x³ / (1-x)². Symmetric about the last one. */
static double kappa(double ax, double ay, double az)
{
    static const double nodes[8] = {0.00427231, 0.02544604, 0.06756779, 0.12923441,
                                    0.20695638, 0.29707742, 0.39610752, 0.5},
                        weights[8] = {0.01146766, 0.03154605, 0.05239501, 0.07032663,
                                      0.08450236, 0.09517529, 0.10221647, 0.10474107};
    double scale = pow(ax * ax * ax * ay * az, 0.4), sum = 0.0;
    for (int i = 0; i < 15; i++) {
        int k = i < 8 ? i : 14 - i;
        double x = i < 8 ? nodes[k] : 1.0 - nodes[k], y = 1.0 - x;
        double lambda = scale * x * x * x / (y * y), rate = x * x * (3.0 - x) / (y * y * y);
        double px = 1.0 + lambda / (ax * ax);
        double q = px * sqrt(px * (1.0 + lambda / (ay * ay)) * (1.0 + lambda / (az * az)));
        sum += weights[k] * rate / q;
    }
    return scale * sum / (ax * ax);
}

static double turned_mass(double a, double b, double ka, double kb)
{
    double difference = a * a - b * b, sum = a * a + b * b;
    return difference * difference * fabs(kb - ka) /
           fmax(TN_TINY, fabs(2.0 * difference + sum * (ka - kb)));
}

static void set_added_mass(TnDrag *drag)
{
    const double *a = drag->size;
    double volume = 4.0 / 3.0 * TN_PI * a[0] * a[1] * a[2], k[3];
    for (int i = 0; i < 3; i++) k[i] = kappa(a[i], a[(i + 1) % 3], a[(i + 2) % 3]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        drag->added_mass[i] = volume * k[i] / fmax(TN_TINY, 2.0 - k[i]);
        drag->added_inertia[i] = volume / 5.0 * turned_mass(a[j], a[l], k[j], k[l]);
    }
}

/* ---- shapes ---- */

static void half_axes(const TnGeomDef *def, double out[3])
{
    v3_copy(out, def->size);
    if (def->type == TN_GEOM_SPHERE) out[1] = out[2] = def->size[0];
    if (def->type != TN_GEOM_CAPSULE && def->type != TN_GEOM_CYLINDER) return;
    out[1] = def->size[0];
    out[2] = def->size[1] + (def->type == TN_GEOM_CAPSULE ? def->size[0] : 0.0);
}

static void add_ellipsoid(TnCompile *c, int index, TnDrag *drag)
{
    const TnGeomDef *def = &c->builder->geoms[index];
    const TnGeom *geom = &c->model->geoms[index];
    drag->is_ellipsoid = true;
    half_axes(def, drag->size);
    v3_copy(drag->pos, geom->link_pos);
    memcpy(drag->axes, geom->link_rot, sizeof drag->axes);
    memcpy(drag->coef, def->fluid_coef, sizeof drag->coef);
    set_added_mass(drag);
}

/* Axes of the moments of inertia in body axes. Where two are equal, drag still depends on them, and
 * they are those of the inertial or of the only geom, as in MuJoCo. */
static void inertia_axes(const TnCompile *c, int body, double quat[4])
{
    const TnBodyDef *def = &c->builder->bodies[body];
    const TnBodyMass *mass = &c->model->body_masses[body];
    double inverse[4], moments[3];
    int count = 0, only = 0;
    for (int i = 0; i < c->model->geom_count && !def->has_inertia; i++) {
        const TnGeomDef *geom = &c->builder->geoms[i];
        if (c->model->geoms[i].body != body) continue;
        if (geom->mass == 0.0 || (geom->mass < 0.0 && geom->density == 0.0)) continue;
        count++;
        only = i;
    }
    if (def->has_inertia && !def->use_inertia_full) {
        quat_copy(quat, def->inertia_quat);
        quat_normalize(quat);
    } else if (count == 1 && c->model->geoms[only].type != TN_GEOM_MESH) {
        quat_copy(quat, c->model->geoms[only].quat);
    } else {
        tn_principal_axes(mass->inertia, moments, quat);
        quat_conjugate(inverse, c->model->bodies[body].link_quat);
        quat_mul(quat, inverse, quat);
    }
}

static void add_box(const TnCompile *c, int index, TnDrag *drag)
{
    const TnBodyMass *mass = &c->model->body_masses[index];
    double quat[4], moments[3], spin[3], axis[3];
    inertia_axes(c, index, quat);
    quat_mul(quat, c->model->bodies[index].link_quat, quat);
    quat_to_m3(drag->axes, quat);
    for (int k = 0; k < 3; k++) {
        for (int r = 0; r < 3; r++) axis[r] = drag->axes[3 * r + k];
        m3_mul_v(spin, mass->inertia, axis);
        moments[k] = v3_dot(axis, spin);
    }
    v3_copy(drag->pos, mass->com);
    for (int k = 0; k < 3; k++) {
        double twice = moments[(k + 1) % 3] + moments[(k + 2) % 3] - moments[k];
        drag->size[k] = sqrt(6.0 * fmax(twice, TN_TINY) / mass->mass);
    }
}

/* ---- lists ---- */

/* The tree's matrix is no less than the link's own inertia, so a force at the drag's centre cannot
 * move it more easily than the link alone. */
static void set_compliance(const TnLink *link, TnDrag *drag)
{
    double least = fmin(link->inertia_principal[0],
                        fmin(link->inertia_principal[1], link->inertia_principal[2]));
    double arm[3];
    v3_sub(arm, drag->pos, link->com);
    drag->compliance[1] = 1.0 / least;
    drag->compliance[0] = 1.0 / link->mass + v3_dot(arm, arm) / least;
}

static bool is_ellipsoid(const TnCompile *c, int geom)
{
    return c->builder->geoms[geom].fluid_ellipsoid;
}

static int ellipsoids_of(const TnCompile *c, int body)
{
    int count = 0;
    for (int i = 0; i < c->model->geom_count; i++)
        count += c->model->geoms[i].body == body && is_ellipsoid(c, i);
    return count;
}

/* A segment of a rod is none of them. */
static bool takes_part(const TnModel *m, int body)
{
    int link = m->bodies[body].link;
    return m->links[link].subsystem >= 0 && tn_part_of_link(m, link)->kind == TN_SUBSYSTEM_TREE &&
           m->body_masses[body].mass >= TN_TINY;
}

static void add_body(TnCompile *c, int body)
{
    TnModel *m = c->model;
    TnLink *link = &m->links[m->bodies[body].link];
    TnDrag *drag = &m->drags[link->drag_start + link->drag_count];
    if (ellipsoids_of(c, body) == 0) {
        add_box(c, body, drag);
        set_compliance(link, drag);
        link->drag_count++;
        return;
    }
    for (int i = 0; i < m->geom_count; i++) {
        if (m->geoms[i].body != body || !is_ellipsoid(c, i)) continue;
        add_ellipsoid(c, i, drag);
        set_compliance(link, drag++);
        link->drag_count++;
    }
}

int tn_drag_room(const TnModelBuilder *builder)
{
    int count = builder->body_count;
    if (builder->option.density == 0.0 && builder->option.viscosity == 0.0) return 0;
    for (int i = 0; i < builder->geom_count; i++) count += builder->geoms[i].fluid_ellipsoid;
    return count;
}

/* By link: those of a link lie together, its bodies need not. */
void tn_compile_medium(TnCompile *c)
{
    TnModel *m = c->model;
    if (!m->drags || c->problem_count) return;
    for (int l = 0; l < m->link_count; l++) m->links[l].drag_count = 0;
    for (int i = 1; i < m->body_count; i++) {
        int ellipsoids = ellipsoids_of(c, i);
        m->links[m->bodies[i].link].drag_count += ellipsoids ? ellipsoids : 1;
    }
    for (int l = 1; l < m->link_count; l++)
        m->links[l].drag_start = m->links[l - 1].drag_start + m->links[l - 1].drag_count;
    for (int l = 0; l < m->link_count; l++) m->links[l].drag_count = 0;
    for (int i = 1; i < m->body_count; i++)
        if (takes_part(m, i)) add_body(c, i);
}
