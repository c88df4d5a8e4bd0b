/* reaction_soft.c: what soft bodies do to the holders of their nodes, in the last step. A hold that
 * is iterated has its force in its rows. A carried node has no unknowns of its own; its hold's
 * force is what its equation lacks,
 *
 *     (A v̂ - b)_node - contacts and ties of the node. */
#include "../math/vec3.h"
#include "reaction.h"

/* Of one soft body. */
typedef struct Nodes {
    const TnWorld *world;
    int soft;
    double *outside; /* 3 per node: contacts and ties */
    double *force;   /* 3 per hold: on the node */
} Nodes;

static void add_point(const Nodes *n, const TnSoftPoint *point, const double force[3], double sign)
{
    for (int k = 0; k < point->count && point->soft == n->soft; k++)
        v3_add_scaled(n->outside + 3L * point->node[k], force, sign * point->weight[k]);
}

static void add_contacts(const Nodes *n)
{
    const TnContactList *list = &n->world->contacts;
    for (int i = 0; i < list->count; i++) {
        const TnContactPoint *c = &list->points[i];
        double force[3];
        if (c->soft1 < 0 && c->soft2 < 0) continue;
        tn_problem_contact_lambda(&n->world->set.problem, i, force);
        if (c->soft1 >= 0) add_point(n, &list->soft_points[c->soft1], force, -1.0);
        if (c->soft2 >= 0) add_point(n, &list->soft_points[c->soft2], force, 1.0);
    }
}

static void add_tie(const Nodes *n, const TnTie *tie, int axis, double lambda)
{
    if (tie->soft1 == n->soft) n->outside[3L * tie->node1 + axis] += lambda;
    for (int k = 0; k < 4 && tie->soft2 == n->soft; k++)
        n->outside[3L * tie->node2[k] + axis] -= tie->weight[k] * lambda;
}

static void add_rows(const Nodes *n)
{
    const TnModel *model = n->world->model;
    const TnConstraintSet *set = &n->world->set;
    int holds = tn_row_slot_hold(model, n->soft, 0, 0),
        end = tn_row_slot_hold(model, n->soft, model->softs[n->soft].hold_count, 0),
        ties = tn_row_slot_tie(model, 0, 0), ties_end = tn_row_slot_count(model);
    for (int i = 0; i < set->problem.row_count; i++) {
        int slot = set->row_slot[i];
        double lambda = set->problem.rows[i].lambda;
        if (slot >= holds && slot < end)
            n->force[slot - holds] = lambda;
        else if (slot >= ties && slot < ties_end)
            add_tie(n, &model->ties[(slot - ties) / 3], (slot - ties) % 3, lambda);
    }
}

static void add_soft(const Nodes *n, TnReactions *r)
{
    const TnWorld *world = n->world;
    const TnModel *model = world->model;
    const TnSoft *soft = &model->softs[n->soft];
    add_contacts(n);
    add_rows(n);
    tn_soft_hold_forces(world->elements, &world->systems, n->soft,
                        world->state.vhat + soft->dof_start, n->outside, n->force);
    for (int h = 0; h < soft->hold_count; h++) {
        const TnSoftHold *hold = &soft->holds[h];
        const TnLinkFrame *frame = &r->middle[hold->link];
        double arm[3];
        m3_mul_v(arm, frame->rot, hold->pos);
        v3_add(arm, arm, frame->pos);
        v3_sub(arm, arm, frame->com);
        tn_reaction_take_off(r, model->links[hold->link].body, n->force + 3L * h, arm, NULL, -1.0);
    }
}

bool tn_reactions_add_softs(const TnWorld *world, TnReactions *r)
{
    for (int s = 0; s < world->model->soft_count; s++) {
        const TnSoft *soft = &world->model->softs[s];
        if (!soft->hold_count || world->state.asleep[soft->subsystem]) continue;
        size_t mark = tn_arena_mark(&r->arena);
        Nodes nodes = {.world = world,
                       .soft = s,
                       .outside = TN_ARENA_ZERO(&r->arena, double, 3 * soft->node_count),
                       .force = TN_ARENA_ZERO(&r->arena, double, 3 * soft->hold_count)};
        if (!nodes.outside || !nodes.force) return false;
        add_soft(&nodes, r);
        tn_arena_release(&r->arena, mark);
    }
    return true;
}
