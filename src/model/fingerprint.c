/* fingerprint.c: a number that two models share if they move alike.
 *
 * Names, colours, cameras and sensors do not count: a model in which they change may go on from an
 * old state. Fields are taken one by one, since structs have padding and pointers. */
#include "model.h"

#include <string.h>

static void mix(uint64_t *h, uint64_t word)
{
    *h = (*h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    *h ^= *h >> 29;
}

static void integer(uint64_t *h, int64_t value) { mix(h, (uint64_t)value); }

static void numbers(uint64_t *h, const double *x, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        mix(h, bits);
    }
}

static void integers(uint64_t *h, const int32_t *x, size_t count)
{
    for (size_t i = 0; i < count; i++) integer(h, x[i]);
}

/* A double, or an array of them. */
#define NUMBERS(x) numbers(h, (const double *)&(x), sizeof(x) / sizeof(double))

static void add_option(uint64_t *h, const TnOption *o)
{
    NUMBERS(o->timestep);
    NUMBERS(o->gravity);
    NUMBERS(o->density);
    NUMBERS(o->viscosity);
    NUMBERS(o->wind);
    NUMBERS(o->theta);
    NUMBERS(o->contact_stiffness);
    NUMBERS(o->stabilization);
    integer(h, o->tree_passes);
    integer(h, o->substeps);
    if (o->accuracy > 0.0) NUMBERS(o->accuracy); /* older files had none */
    integer(h, o->parents_collide);
}

static void add_link(uint64_t *h, const TnLink *l)
{
    integer(h, l->parent);
    integer(h, l->joint_count);
    NUMBERS(l->ref_pos);
    NUMBERS(l->ref_quat);
    NUMBERS(l->mass);
    NUMBERS(l->com);
    NUMBERS(l->inertia);
    NUMBERS(l->lift);
    NUMBERS(l->hold_pos);
    integer(h, l->held);
    integer(h, l->holder);
}

static void add_drag(uint64_t *h, const TnDrag *d)
{
    integer(h, d->is_ellipsoid);
    NUMBERS(d->pos);
    NUMBERS(d->axes);
    NUMBERS(d->size);
    NUMBERS(d->coef);
}

static void add_joint(uint64_t *h, const TnJoint *j)
{
    integer(h, j->type);
    integer(h, j->limited);
    integer(h, j->actuator_limited);
    integer(h, j->actuator_gravity);
    NUMBERS(j->pos);
    NUMBERS(j->axis);
    NUMBERS(j->ref);
    NUMBERS(j->range);
    NUMBERS(j->stiffness);
    NUMBERS(j->spring_ref);
    NUMBERS(j->damping);
    NUMBERS(j->armature);
    NUMBERS(j->friction_loss);
    NUMBERS(j->stiffness_poly);
    NUMBERS(j->damping_poly);
    NUMBERS(j->actuator_range);
}

static void add_geom(uint64_t *h, const TnGeom *g)
{
    integer(h, g->type);
    integer(h, g->link);
    integer(h, g->contact_type);
    integer(h, g->contact_affinity);
    integer(h, g->contact_dim);
    integer(h, g->priority);
    integer(h, g->mesh);
    NUMBERS(g->link_pos);
    NUMBERS(g->link_quat);
    NUMBERS(g->size);
    NUMBERS(g->friction);
    NUMBERS(g->restitution);
    NUMBERS(g->margin);
}

static void add_moments(uint64_t *h, const TnMoment *moments, int count)
{
    for (int i = 0; i < count; i++) {
        integer(h, moments[i].dof);
        NUMBERS(moments[i].coef);
    }
}

static void add_tendon(uint64_t *h, const TnTendon *t)
{
    add_moments(h, t->moments, t->moment_count);
    integer(h, t->limited);
    NUMBERS(t->range);
    NUMBERS(t->stiffness);
    NUMBERS(t->spring_length);
    NUMBERS(t->dead_band);
    NUMBERS(t->damping);
    NUMBERS(t->friction_loss);
    NUMBERS((double){t->armature + t->inertia}); /* one of them is 0 */
    NUMBERS(t->reference_length);
}

static void add_path(uint64_t *h, const TnPath *p)
{
    integer(h, p->kind);
    integer(h, p->site);
    integer(h, p->ref);
    integer(h, p->joint);
    add_moments(h, p->moments, p->moment_count);
    for (int i = 0; i < p->point_count; i++) {
        integer(h, p->points[i].type);
        integer(h, p->points[i].object);
        integer(h, p->points[i].side);
        NUMBERS(p->points[i].divisor);
    }
    NUMBERS(p->wrench);
    NUMBERS(p->crank_length);
}

static void add_actuator(uint64_t *h, const TnActuator *a)
{
    add_moments(h, a->moments, a->moment_count);
    integer(h, a->body);
    integer(h, a->tendon);
    integer(h, a->activation);
    integer(h, a->ctrl_limited);
    integer(h, a->force_limited);
    integer(h, a->act_limited);
    integer(h, a->act_early);
    NUMBERS(a->gear);
    NUMBERS(a->gain);
    NUMBERS(a->bias);
    NUMBERS(a->gain_rate);
    NUMBERS(a->act_range);
    NUMBERS(a->time_constants);
    NUMBERS(a->pid); /* nothing but doubles, as is a muscle */
    NUMBERS(a->ctrl_range);
    NUMBERS(a->force_range);
    if (!a->muscles) return;
    integer(h, a->muscles->has_gain);
    integer(h, a->muscles->has_bias);
    NUMBERS(a->muscles->gain);
    NUMBERS(a->muscles->bias);
    NUMBERS(a->muscles->length_range);
}

static void add_equality(uint64_t *h, const TnEquality *e)
{
    integer(h, e->type);
    integer(h, e->body1);
    integer(h, e->body2);
    integer(h, e->joint1);
    integer(h, e->joint2);
    integer(h, e->tendon1);
    integer(h, e->tendon2);
    NUMBERS(e->polycoef);
}

static void add_pair(uint64_t *h, const TnPair *p)
{
    integer(h, p->geom1);
    integer(h, p->geom2);
    integer(h, p->contact_dim);
    NUMBERS(p->friction);
    NUMBERS(p->restitution);
    NUMBERS(p->margin);
    NUMBERS(p->across);
}

static void add_mesh(uint64_t *h, const TnMesh *m)
{
    integer(h, m->collision);
    numbers(h, m->vertices, 3 * (size_t)m->vertex_count);
    integers(h, m->triangles, 3 * (size_t)m->triangle_count);
}

static void add_wheel(uint64_t *h, const TnWheel *w)
{
    integer(h, w->kind);
    integer(h, w->body);
    integer(h, w->keep_height);
    NUMBERS(w->pos);
    NUMBERS(w->axle);
    NUMBERS(w->radius);
    NUMBERS(w->normal);
    NUMBERS(w->height);
}

static void add_rod(uint64_t *h, const TnRod *r)
{
    integer(h, r->segment_count);
    integer(h, r->self_contact);
    NUMBERS(r->damping_time);
    NUMBERS(r->radius);
    numbers(h, r->lengths, (size_t)r->segment_count);
    for (int i = 0; i + 1 < r->segment_count; i++) {
        NUMBERS(r->joints[i].k);
        NUMBERS(r->joints[i].rest);
        NUMBERS(r->joints[i].kink);
    }
}

static void add_soft(uint64_t *h, const TnSoft *s)
{
    integer(h, s->law);
    integer(h, s->consistent_mass);
    integer(h, s->patch_count);
    integer(h, s->self_contact);
    NUMBERS(s->thickness);
    NUMBERS(s->stretch_modulus);
    NUMBERS(s->youngs_modulus);
    NUMBERS(s->poisson_ratio);
    NUMBERS(s->damping_mass);
    NUMBERS(s->damping_stiffness);
    NUMBERS(s->radius);
    numbers(h, s->rest, 3 * (size_t)s->node_count);
    numbers(h, s->masses, (size_t)s->node_count);
    integers(h, s->tets, 4 * (size_t)s->tet_count);
    for (int i = 0; i < s->node_count; i++) integer(h, s->pinned[i]);
    for (int i = 0; i < s->hold_count; i++) {
        integer(h, s->holds[i].node);
        integer(h, s->holds[i].link);
        NUMBERS(s->holds[i].pos);
    }
}

static void add_tie(uint64_t *h, const TnTie *t)
{
    integer(h, t->soft1);
    integer(h, t->node1);
    integer(h, t->soft2);
    integers(h, t->node2, 4);
    NUMBERS(t->weight);
}

/* Each of them, with their number in front. */
#define ALL(what, list, count)                                                                     \
    do {                                                                                           \
        integer(h, count);                                                                         \
        for (int i_ = 0; i_ < (count); i_++) add_##what(h, &(list)[i_]);                           \
    } while (0)

uint64_t tn_model_fingerprint(const TnModel *m)
{
    uint64_t start = UINT64_C(0x74656e6f6e21), *h = &start;
    if (!m) return 0;
    add_option(h, &m->option);
    ALL(link, m->links, m->link_count);
    for (int l = 0; m->drags && l < m->link_count; l++)
        ALL(drag, m->drags + m->links[l].drag_start, m->links[l].drag_count);
    ALL(joint, m->joints, m->joint_count);
    ALL(geom, m->geoms, m->geom_count);
    ALL(tendon, m->tendons, m->tendon_count);
    ALL(path, m->paths, m->path_count);
    ALL(actuator, m->actuators, m->actuator_count);
    ALL(equality, m->equalities, m->equality_count);
    ALL(pair, m->pairs, m->pair_count);
    ALL(mesh, m->meshes, m->mesh_count);
    ALL(wheel, m->wheels, m->wheel_count);
    ALL(rod, m->rods, m->rod_count);
    ALL(soft, m->softs, m->soft_count);
    ALL(tie, m->ties, m->tie_count);
    for (int i = 0; i < m->exclude_count; i++) {
        integer(h, m->excludes[i].body1);
        integer(h, m->excludes[i].body2);
    }
    for (int i = 0; i < m->site_count; i++) {
        integer(h, m->sites[i].body);
        NUMBERS(m->sites[i].pos);
        NUMBERS(m->sites[i].quat);
    }
    numbers(h, m->qpos0, (size_t)m->qpos_count);
    integer(h, m->track_loop_from);
    numbers(h, m->track_times, (size_t)m->track_count);
    numbers(h, m->track_ctrl, (size_t)m->track_count * (size_t)m->actuator_count);
    return start;
}
