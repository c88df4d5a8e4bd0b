/* link_mass.c: mass properties of the links: of each body from its inertial or its geoms, then
 * merged into the link that carries it. Bodies carried by the world need no mass to move; what they
 * weigh is kept for the forces that hold them. */
#include "../../base/rounding.h"
#include "../builder.h"

#include "../../math/vec3.h"

static void add_inertial(TnBodyScratch *body, const TnBodyDef *def)
{
    body->mass.mass = def->mass;
    v3_copy(body->mass.com, def->inertia_pos);
    double *inertia = body->mass.inertia;
    if (def->use_inertia_full) {
        const double *f = def->inertia_full;
        double full[9] = {f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2]};
        memcpy(inertia, full, sizeof full);
    } else {
        double quat[4], R[9];
        quat_copy(quat, def->inertia_quat);
        quat_normalize(quat);
        quat_to_m3(R, quat);
        m3_rotate_diag(inertia, R, def->inertia);
    }
}

bool tn_geom_mass(TnCompile *c, const TnGeomDef *def, TnMassProperties *part)
{
    double volume, moments[3], quat[4];
    *part = (TnMassProperties){.mass = 0.0};
    if (def->mass == 0.0 || (def->mass < 0.0 && def->density == 0.0)) return true;
    if (def->type == TN_GEOM_MESH) {
        if (!tn_mesh_unit_mass(c, def->mesh - 1, part)) return false;
        double scale = def->mass < 0.0 ? def->density : def->mass / part->mass;
        part->mass = def->mass < 0.0 ? def->density * part->mass : def->mass;
        for (int k = 0; k < 9; k++) part->inertia[k] *= scale;
    } else if ((def->shell ? tn_shell_moments : tn_shape_moments)(def->type, def->size, &volume,
                                                                  moments)) {
        part->mass = def->mass < 0.0 ? def->density * volume : def->mass;
        for (int k = 0; k < 3; k++) part->inertia[4 * k] = part->mass * moments[k];
    } else {
        return true;
    }
    quat_copy(quat, def->quat);
    quat_normalize(quat);
    tn_mass_transform(part, def->pos, quat);
    return true;
}

static void add_geom(TnCompile *c, int index)
{
    const TnGeomDef *def = &c->builder->geoms[index];
    TnBodyScratch *body = &c->bodies[def->body - 1];
    TnMassProperties part;
    if (!tn_geom_mass(c, def, &part))
        body->bad_mass = true;
    else if (part.mass != 0.0)
        tn_mass_add(&body->mass, &part);
}

static bool corrected(const TnBodyDef *def)
{
    return def->min_mass > 0.0 || def->min_inertia > 0.0 || def->balance_inertia;
}

/* The corrections that the definition asks for. What they make is checked here, not before. */
static void correct(TnCompile *c, int index)
{
    const TnBodyDef *def = &c->builder->bodies[index];
    TnMassProperties *mass = &c->bodies[index].mass;
    double I[3], quat[4], R[9];
    mass->mass = fmax(mass->mass, def->min_mass);
    tn_principal_axes(mass->inertia, I, quat);
    for (int k = 0; k < 3; k++) I[k] = fmax(I[k], def->min_inertia);
    if (def->balance_inertia && !tn_moments_possible(I))
        I[0] = I[1] = I[2] = (I[0] + I[1] + I[2]) / 3.0;
    if (!tn_check_moments(c, TN_ELEMENT("body", def, index), I)) c->bodies[index].bad_mass = true;
    quat_to_m3(R, quat);
    m3_rotate_diag(mass->inertia, R, I);
}

static void finish_link(TnCompile *c, TnLink *link, const TnMassProperties *mass)
{
    const TnBodyDef *def = &c->builder->bodies[link->body];
    const TnElement *element = TN_ELEMENT("body", def, link->body);
    if (!(mass->mass > 0.0)) {
        tn_problem(c, element, "has joints but no mass: give it an inertial or a geom with mass");
        return;
    }
    link->mass = mass->mass;
    v3_copy(link->com, mass->com);
    memcpy(link->inertia, mass->inertia, sizeof link->inertia);
    tn_principal_axes(link->inertia, link->inertia_principal, link->inertia_axes);
    const double *p = link->inertia_principal;
    double least = fmin(p[0], fmin(p[1], p[2])), most = fmax(p[0], fmax(p[1], p[2]));
    /* Written so that a NaN, which comes from numbers that overflow when squared, is found here. */
    if (!(p[0] + p[1] + p[2] < INFINITY && link->mass < INFINITY))
        tn_problem(c, element, "its mass or inertia is beyond the range of numbers");
    else if (!(least > TN_ROUND_OFF * most))
        tn_problem(c, element,
                   "its inertia is not positive definite (principal moments %g %g %g kg m^2)", p[0],
                   p[1], p[2]);
    c->model->total_mass += link->mass;
}

/* total += part; moments are ½ tr of the inertia about the own com, which needs no axes. */
static void add_mass(TnMassBelow *total, const TnMassBelow *part)
{
    double mass = total->mass + part->mass, share = part->mass / mass, apart[3];
    v3_sub(apart, part->com, total->com);
    total->moment += part->moment + total->mass * share * v3_dot(apart, apart);
    v3_add_scaled(total->com, apart, share);
    total->mass = mass;
}

static void set_lever(const TnCompile *c, TnLink *link)
{
    const TnBodyScratch *body = &c->bodies[link->body];
    const TnJoint *joint = &c->model->joints[link->joint_start];
    double arm[3] = {0.0, 0.0, 0.0};
    if (joint->type != TN_JOINT_FREE) {
        quat_rotate(arm, body->quat, joint->pos);
        v3_add(arm, arm, body->pos);
        v3_sub(arm, arm, body->below.com);
    }
    link->lever = sqrt((body->below.moment / body->below.mass + v3_dot(arm, arm)) * (2.0 / 3.0));
}

/* Children come later than their parents. */
void tn_compile_levers(TnCompile *c)
{
    TnModel *m = c->model;
    for (int l = 1 + m->mocap_count; l < m->link_count; l++) {
        const TnLink *link = &m->links[l];
        TnBodyScratch *body = &c->bodies[link->body];
        const double *I = link->inertia_principal;
        body->below = (TnMassBelow){.mass = link->mass, .moment = 0.5 * (I[0] + I[1] + I[2])};
        quat_rotate(body->below.com, body->quat, link->com);
        v3_add(body->below.com, body->below.com, body->pos);
    }
    for (int l = m->link_count - 1; l > m->mocap_count; l--) {
        TnLink *link = &m->links[l];
        set_lever(c, link);
        if (m->links[link->parent].subsystem >= 0)
            add_mass(&c->bodies[m->links[link->parent].body].below, &c->bodies[link->body].below);
    }
}

/* What a body that is fixed to the world weighs. A mesh is not asked: it may enclose nothing, which
 * is no mistake there. */
static void add_fixed(TnCompile *c, int index)
{
    const TnGeomDef *def = &c->builder->geoms[index];
    bool weightless = def->mass == 0.0 || (def->mass < 0.0 && def->density == 0.0);
    if (def->type != TN_GEOM_MESH || c->builder->option.total_mass > 0.0)
        add_geom(c, index);
    else if (!weightless)
        c->bodies[c->model->geoms[index].body].mass.mass = NAN;
}

/* All masses and inertias times one factor, so that the masses make the wanted sum. */
static void scale_to_total(TnCompile *c)
{
    double sum = 0.0, wanted = c->builder->option.total_mass;
    for (int i = 1; i < c->model->body_count; i++)
        if (!c->bodies[i].rod) sum += c->bodies[i].mass.mass;
    if (!(wanted > 0.0) || !(sum > 0.0)) return;
    for (int i = 1; i < c->model->body_count; i++) {
        TnMassProperties *mass = &c->bodies[i].mass;
        if (c->bodies[i].rod) continue;
        mass->mass *= wanted / sum;
        for (int k = 0; k < 9; k++) mass->inertia[k] *= wanted / sum;
    }
}

/* Before bodies are merged into their links. */
static void keep_mass(TnCompile *c, int index)
{
    const TnBody *body = &c->model->bodies[index];
    TnBodyMass *out = &c->model->body_masses[index];
    TnMassProperties mass = c->bodies[index].mass;
    tn_mass_transform(&mass, body->link_pos, body->link_quat);
    out->mass = mass.mass;
    v3_copy(out->com, mass.com);
    memcpy(out->inertia, mass.inertia, sizeof out->inertia);
}

static void add_lift(TnCompile *c, int index)
{
    TnModel *m = c->model;
    const TnBodyMass *mass = &m->body_masses[index];
    double lift = c->builder->bodies[index].gravity_compensation * mass->mass;
    int l = m->bodies[index].link;
    if (m->links[l].subsystem < 0 || lift == 0.0) return;
    m->links[l].lift += lift;
    v3_add_scaled(m->links[l].lift_moment, mass->com, lift);
    m->has_lift = true;
}

void tn_compile_masses(TnCompile *c)
{
    TnModel *m = c->model;
    for (int i = 1; i < m->body_count; i++)
        if (c->builder->bodies[i].has_inertia) add_inertial(&c->bodies[i], &c->builder->bodies[i]);
    for (int i = 0; i < m->geom_count; i++) {
        if (c->builder->bodies[m->geoms[i].body].has_inertia) continue;
        if (m->links[m->geoms[i].link].subsystem >= 0)
            add_geom(c, i);
        else if (m->geoms[i].body)
            add_fixed(c, i);
    }

    for (int i = 1; i < m->body_count; i++)
        if ((tn_part_of_body(m, i) >= 0 || c->builder->option.total_mass > 0.0) &&
            corrected(&c->builder->bodies[i]) && !c->bodies[i].bad_mass)
            correct(c, i);

    scale_to_total(c);
    for (int i = 1; i < m->body_count; i++) keep_mass(c, i);
    for (int l = 1; l < m->link_count; l++) m->links[l].lift = 0.0;
    for (int i = 1; i < m->body_count; i++) add_lift(c, i);
    /* The scratch of a link's own body collects all that is fixed to it; children come later than
     * their carrier. */
    for (int i = 1; i < m->body_count; i++) {
        const TnBody *body = &m->bodies[i];
        int carrier = m->links[body->link].body;
        if (m->links[body->link].subsystem < 0 || carrier == i) continue;
        tn_mass_transform(&c->bodies[i].mass, body->link_pos, body->link_quat);
        tn_mass_add(&c->bodies[carrier].mass, &c->bodies[i].mass);
        if (c->bodies[i].bad_mass) c->bodies[carrier].bad_mass = true;
    }
    for (int l = 1 + m->mocap_count; l < m->link_count; l++) {
        const TnBodyScratch *body = &c->bodies[m->links[l].body];
        if (!body->bad_mass) finish_link(c, &m->links[l], &body->mass);
    }
}
