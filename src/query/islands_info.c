/* islands_info.c: what the islands of the last step were, and which constraint has the largest
 * error, in words. */
#include <stdio.h>

#include "../base/base.h"
#include "../model/names.h"
#include "../world/world.h"

TnIslandReport tn_world_island(const TnWorld *world, int index)
{
    if (!world || index < 0 || index >= world->solution.islands.count) return (TnIslandReport){0};
    return world->solution.results[index].report;
}

/* A name, or a number counted from 1. */
typedef struct Label {
    char text[128];
} Label;

static Label label(const char *name, int index)
{
    Label l;
    if (name[0])
        snprintf(l.text, sizeof l.text, "'%s'", name);
    else
        snprintf(l.text, sizeof l.text, "%d", index + 1);
    return l;
}

/* "geom 'foot'", or "geom 12 of body 'leg'" */
static Label geom_label(const TnModel *model, int geom)
{
    Label l;
    int body = model->geoms[geom].body;
    if (model->geom_names[geom][0])
        snprintf(l.text, sizeof l.text, "geom '%s'", model->geom_names[geom]);
    else if (model->body_names[body][0])
        snprintf(l.text, sizeof l.text, "geom %d of body '%s'", geom + 1, model->body_names[body]);
    else
        snprintf(l.text, sizeof l.text, "geom %d", geom + 1);
    return l;
}

static Label soft_label(const TnModel *model, int soft)
{
    return label(model->soft_names[soft], soft);
}

static void tell_contact(const TnWorld *world, int contact, const char *what, char *text,
                         size_t size)
{
    const TnModel *model = world->model;
    const TnContactPoint *c = &world->contacts.points[contact];
    snprintf(text, size, "%scontact of %s with %s", what, geom_label(model, c->geom1).text,
             geom_label(model, c->geom2).text);
}

static void tell_equality(const TnModel *model, int index, char *text, size_t size)
{
    static const char *const types[] = {[TN_EQUALITY_CONNECT] = "connect",
                                        [TN_EQUALITY_WELD] = "weld",
                                        [TN_EQUALITY_JOINT] = "joint",
                                        [TN_EQUALITY_TENDON] = "tendon"};
    snprintf(text, size, "equality %s (%s)", label(model->equality_names[index], index).text,
             types[model->equalities[index].type]);
}

static void tell_hold(const TnModel *model, int index, char *text, size_t size)
{
    int s = model->soft_count - 1;
    while (model->softs[s].hold_start > index) s--;
    const TnSoftHold *hold = &model->softs[s].holds[index - model->softs[s].hold_start];
    int body = model->links[hold->link].body;
    snprintf(text, size, "hold of node %d of soft body %s by body %s", hold->node,
             soft_label(model, s).text, label(model->body_names[body], body).text);
}

static void tell_tie(const TnModel *model, int index, char *text, size_t size)
{
    const TnTie *tie = &model->ties[index];
    snprintf(text, size, "tie of soft body %s, node %d, to soft body %s",
             soft_label(model, tie->soft1).text, tie->node1, soft_label(model, tie->soft2).text);
}

static void tell_piece_tie(const TnWorld *world, int index, char *text, size_t size)
{
    const TnPieceTie *tie = &world->division->piece_ties[index];
    const TnSoftPiece *piece = &world->division->pieces[tie->piece_a];
    snprintf(text, size, "tie of soft body %s, node %d, between two of its pieces",
             soft_label(world->model, piece->soft).text, piece->nodes[tie->node_a]);
}

static void tell_force(const TnModel *model, int force, char *text, size_t size)
{
    for (int i = 0; i < model->tendon_count; i++)
        if (model->tendons[i].force == force)
            snprintf(text, size, "spring or damper of tendon %s",
                     label(model->tendon_names[i], i).text);
    for (int i = 0; i < model->actuator_count; i++)
        if (model->actuators[i].force == force)
            snprintf(text, size, "actuator %s", label(model->actuator_names[i], i).text);
}

/* By the places of state.h. */
static void tell_slot(const TnWorld *world, int slot, char *text, size_t size)
{
    static const char *const limits[3] = {"lower limit", "upper limit", "dry friction"};
    static const char *const rolling[3] = {"sideways slip", "forward slip", "height"};
    const TnModel *model = world->model;
    if (slot < tn_row_slot_joint(model, 0, 0)) {
        tell_equality(model, slot / 6, text, size);
        return;
    }
    if (slot >= world->state.row_lambda_count) {
        tell_piece_tie(world, (slot - world->state.row_lambda_count) / 3, text, size);
        return;
    }
    if (slot >= tn_row_slot_force(model, 0)) {
        tell_force(model, slot - tn_row_slot_force(model, 0), text, size);
        return;
    }
    int part = (slot - tn_row_slot_joint(model, 0, 0)) % 3;
    int index = (slot - tn_row_slot_joint(model, 0, 0)) / 3;
    if (index < model->joint_count) {
        int id = model->lookup->joint_id[index];
        snprintf(text, size, "%s of joint %s", limits[part],
                 label(tn_model_joint_name(model, id), id - 1).text);
        return;
    }
    index -= model->joint_count;
    if (index < model->tendon_count) {
        snprintf(text, size, "%s of tendon %s", limits[part],
                 label(model->tendon_names[index], index).text);
        return;
    }
    index -= model->tendon_count;
    if (index < model->wheel_count)
        snprintf(text, size, "%s of wheel %s", rolling[part],
                 label(tn_model_wheel_name(model, index + 1), index).text);
    else if (index - model->wheel_count < model->hold_count)
        tell_hold(model, index - model->wheel_count, text, size);
    else
        tell_tie(model, index - model->wheel_count - model->hold_count, text, size);
}

static void tell_bond(const TnWorld *world, int bond, char *text, size_t size)
{
    const TnModel *model = world->model;
    int source = world->set.bond_source[bond];
    if (source < 0) {
        tell_equality(model, ~source, text, size);
        return;
    }
    int r = tn_part_of_link(model, source)->kind_index;
    int segment = source - model->rods[r].link_start + 1;
    snprintf(text, size, "spring of cable %s between segments %d and %d",
             label(model->rod_names[r], r).text, segment, segment + 1);
}

void tn_world_worst_constraint(const TnWorld *world, int island, char *text, size_t size)
{
    if (!text) return;
    if (size) text[0] = '\0';
    if (!world || !size) return;
    if (island == TN_WORST_EARLIER) snprintf(text, size, "%s", world->worst);
    if (island < 0 || island >= world->solution.islands.count) return;
    const TnIslandResult *result = &world->solution.results[island];
    int index = result->worst_index;
    if (result->worst == TN_A_CONTACT) tell_contact(world, index, "", text, size);
    if (result->worst == TN_A_BOND) tell_bond(world, index, text, size);
    if (result->worst != TN_A_ROW) return;
    const TnRow *row = &world->set.problem.rows[index];
    if (row->set >= TN_ROW_SPIN)
        tell_contact(world, row->contact,
                     world->set.row_slot[index] == TN_SLOT_SLIDE ? "friction of the "
                     : row->set == TN_ROW_SPIN                   ? "spin friction of the "
                                                                 : "rolling friction of the ",
                     text, size);
    else
        tell_slot(world, world->set.row_slot[index], text, size);
}
