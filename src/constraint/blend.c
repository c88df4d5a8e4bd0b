/* blend.c: the share w of v⁺ with which each subsystem moves, t((1-w) v̂ + w v⁺).
 *
 * w is 0, the θ rule, where nothing pushes; 1 where a contact pushes or a joint limit is hit; 1 - ε
 * where a contact with restitution is hit. Subsystems that an equality, a path, a hold or a tie
 * joins share the largest w. */
#include "../base/shared.h"
#include "rows.h"

#include <math.h>

static void raise_blend(const TnModel *model, int link, double share, double *blend)
{
    int s = model->link_subsystem[link];
    if (s >= 0) tn_shared_raise(&blend[s], share);
}

static void raise_soft(const TnConstraintInput *in, int soft, double share, double *blend)
{
    if (soft < 0 || in->slow < 0.0) return;
    int body = in->contacts->soft_points[soft].soft;
    tn_shared_raise(&blend[in->model->softs[body].subsystem], share);
}

static int subsystem_of_joint(const TnModel *model, int joint)
{
    return joint < 0 ? -1 : model->links[model->joints[joint].link].subsystem;
}

/* Of an equality's sides. */
static int side_of(const TnModel *model, const TnEquality *e, int side)
{
    int tendon = side ? e->tendon2 : e->tendon1, joint = side ? e->joint2 : e->joint1;
    if (e->type == TN_EQUALITY_TENDON) return tendon < 0 ? -1 : model->tendons[tendon].subsystem;
    if (e->type == TN_EQUALITY_JOINT) return subsystem_of_joint(model, joint);
    return model->links[model->bodies[side ? e->body2 : e->body1].link].subsystem;
}

/* One round over paths; true where something changed. */
static bool share_paths(const TnModel *model, double *blend)
{
    bool changed = false;
    for (int i = 0; i < model->path_count; i++) {
        const TnPath *path = &model->paths[i];
        double most = 0.0;
        if (!path->acts) continue;
        for (int k = 0; k < path->link_count; k++)
            most = fmax(most, blend[model->links[path->links[k]].subsystem]);
        for (int k = 0; k < path->link_count; k++) {
            double *own = &blend[model->links[path->links[k]].subsystem];
            changed |= *own != most;
            *own = most;
        }
    }
    return changed;
}

/* True: one of its sides changed. */
static bool share_equality(const TnModel *model, const TnEquality *e, double *blend)
{
    if (!e->active) return false;
    int a = side_of(model, e, 0), b = side_of(model, e, 1);
    if (a < 0 || b < 0 || blend[a] == blend[b]) return false;
    blend[a] = blend[b] = fmax(blend[a], blend[b]);
    return true;
}

void tn_constraint_share_blend(const TnModel *model, double *blend)
{
    bool changed = true;
    /* up and down: a chain whose equalities follow each other takes one round, of any length */
    while (changed) {
        changed = false;
        for (int i = 0; i < model->equality_count; i++)
            changed |= share_equality(model, &model->equalities[i], blend);
        for (int i = model->equality_count - 1; i >= 0 && changed; i--)
            share_equality(model, &model->equalities[i], blend);
        changed |= tn_constraint_share_softs(model, blend);
        changed |= share_paths(model, blend);
    }
}

typedef struct Blending {
    const TnConstraintInput *in;
    const TnConstraintSet *set;
    double *blend;
} Blending;

static void raise_after(void *context, int begin, int end)
{
    const Blending *b = context;
    const TnConstraintInput *in = b->in;
    const TnModel *model = in->model;
    const int *carrier = in->division->carrier;
    for (int i = begin; i < end; i++) {
        if (!(tn_contact_normal_force(&b->set->problem, i) > 0.0)) continue;
        const TnContactPoint *c = &in->contacts->points[i];
        double share = b->set->laws[i].blend;
        raise_blend(model, carrier[model->geom_link[c->geom1]], share, b->blend);
        raise_blend(model, carrier[model->geom_link[c->geom2]], share, b->blend);
        raise_soft(in, c->soft1, share, b->blend);
        raise_soft(in, c->soft2, share, b->blend);
    }
}

void tn_constraint_blend_after(const TnConstraintInput *in, const TnConstraintSet *set,
                               double *blend)
{
    const TnModel *model = in->model;
    tn_pool_run(in->pool, in->contacts->count, 128, raise_after,
                &(Blending){.in = in, .set = set, .blend = blend});
    for (int i = 0; i < set->limit_count; i++) {
        const TnLimit *limit = &set->limits[i];
        if (limit->law.resting || !(set->problem.rows[limit->row].lambda > 0.0)) continue;
        if (limit->law.blend > blend[limit->subsystem]) blend[limit->subsystem] = limit->law.blend;
    }
    tn_constraint_share_blend(model, blend);
}
