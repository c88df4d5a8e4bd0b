/* trouble.c: what is wrong with a step: where, by name, and what usually helps.
 *
 * A step that was taken has a worst constraint (islands_info.c). Of a rejected one there is no
 * solution; then the first number of the new state that makes no sense tells where it began, or the
 * subsystem whose matrix was of no use. Nothing is computed unless a step is rejected, and words
 * are found on request. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../math/vec3.h"
#include "../model/names.h"
#include "../model/thresholds.h"
#include "../step/step.h"

/* ---- what is noted ---- */

bool tn_step_blame(TnStep *step, int subsystem)
{
    int none = -1;
    atomic_compare_exchange_strong(&step->fault.blamed, &none, subsystem);
    return false;
}

/* Of a block of the solver. */
static int subsystem_of_block(const TnWorld *world, int block)
{
    const TnModel *model = world->model;
    const TnDivision *d = world->division;
    int large = block - world->set.problem.twist_count;
    if (large < 0 || large >= d->dense_count + d->chain_count + d->mesh_count) return -1;
    if (large >= d->dense_count + d->chain_count) {
        const TnMeshBlock *mesh = &d->meshes[large - d->dense_count - d->chain_count];
        return model->softs[d->pieces[mesh->piece_start].soft].subsystem;
    }
    if (large >= d->dense_count)
        return model->rods[d->runs[d->run_start[large - d->dense_count]].rod].subsystem;
    for (int s = 0; s < model->subsystem_count; s++)
        if (model->subsystems[s].kind == TN_SUBSYSTEM_TREE &&
            d->tree_block[model->subsystems[s].kind_index] == large)
            return s;
    return -1;
}

static int first_without_sense(const double *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i]) <= TN_BEYOND_SENSE)) return i;
    return -1;
}

/* Where the new state makes no sense; true: somewhere. */
static bool find_nonsense(const TnStep *step, TnTroubleNote *note)
{
    const TnWorld *world = step->world;
    for (int i = 0; step->awake && i < step->awake_count; i++) {
        const TnSubsystem *sub = &step->model->subsystems[step->awake[i]];
        int dof = first_without_sense(world->next_qvel + sub->dof_start, sub->dof_count);
        int q = first_without_sense(world->next_qpos + sub->qpos_start, sub->qpos_count);
        if (dof < 0 && q < 0) continue;
        note->subsystem = step->awake[i];
        note->dof = dof >= 0 ? dof : sub->kind == TN_SUBSYSTEM_SOFT ? q : 0;
        return true;
    }
    return false;
}

/* A force that users set and that is beyond all sense, by its link's subsystem. */
static int wildly_pushed(const TnWorld *world)
{
    for (int l = 1; world->wrench_set && l < world->model->link_count; l++)
        if (first_without_sense(world->wrench[l], 6) >= 0) return world->model->link_subsystem[l];
    return -1;
}

static bool has_lacked(const TnStep *step)
{
    const TnWorld *world = step->world;
    bool lacked = world->arena.lacked || tn_solver_memory_lacked(world->solver_memory);
    for (int i = 0; world->mesh_memory && i < world->division->mesh_count; i++)
        lacked = lacked || tn_mesh_memory_lacked(world->mesh_memory[i]);
    return lacked || !step->model; /* not even prepared */
}

void tn_trouble_note_rejected(TnStep *step)
{
    TnWorld *world = step->world;
    TnTroubleNote note = {.island = -1, .subsystem = -1, .dof = -1};
    if (has_lacked(step)) {
        note.kind = TN_TROUBLE_MEMORY;
    } else if ((note.subsystem = wildly_pushed(world)) >= 0 || find_nonsense(step, &note)) {
        note.kind = TN_TROUBLE_NOT_FINITE;
    } else {
        note.kind = TN_TROUBLE_INDEFINITE;
        note.subsystem = step->fault.blamed >= 0
                             ? step->fault.blamed
                             : subsystem_of_block(world, world->solution.refused);
    }
    world->trouble = note;
}

/* More than linearizing leaves. */
static bool contradicts(const TnWorld *world, const TnStepReport *report)
{
    return report->contradiction > TN_OFF * tn_world_velocity_scale(world);
}

void tn_trouble_note_report(TnWorld *world, const TnStepReport *report)
{
    TnTroubleNote *note = &world->trouble;
    if (report->diverged && !world->device) return; /* noted already */
    *note = (TnTroubleNote){
        .island = report->worst_island, .subsystem = -1, .dof = -1, .error = report->error};
    if (contradicts(world, report)) note->error = INFINITY;
    note->kind = report->diverged             ? TN_TROUBLE_NOT_FINITE
                 : report->rough              ? TN_TROUBLE_ROUGH
                 : !report->converged         ? TN_TROUBLE_TOLERANCE
                 : contradicts(world, report) ? TN_TROUBLE_CONTRADICTION
                                              : TN_TROUBLE_NONE;
}

/* ---- what is told ---- */

static const char *quoted(const char *name, int number, char text[160])
{
    if (name[0])
        snprintf(text, 160, "'%.150s'", name);
    else
        snprintf(text, 160, "%d", number);
    return text;
}

static double volume(const double *x, const int32_t *corner, bool flat)
{
    double a[3], b[3], c[3], n[3];
    v3_sub(a, x + 3L * corner[1], x + 3L * corner[0]);
    v3_sub(b, x + 3L * corner[2], x + 3L * corner[0]);
    v3_cross(n, a, b);
    if (flat) return v3_norm(n);
    v3_sub(c, x + 3L * corner[3], x + 3L * corner[0]);
    return v3_dot(n, c);
}

/* Of the soft body's elements (those at the node, if one is given) the one that kept the smallest
 * share of its volume; -1: none of them is in trouble. */
static int most_squeezed(const TnWorld *world, const TnSoft *soft, int node)
{
    int found = -1;
    double least = INFINITY;
    for (int e = 0; e < soft->tet_count; e++) {
        const int32_t *corner = soft->tets + 4L * e;
        bool flat = soft->thickness > 0.0, has = node < 0;
        for (int k = 0; k < 4; k++) has = has || corner[k] == node;
        double share = volume(world->state.qpos + soft->qpos_start, corner, flat) /
                       volume(soft->rest, corner, flat);
        if (!has || !(share < least)) continue;
        least = share;
        found = e;
    }
    return node < 0 && least > TN_SQUEEZED ? -1 : found;
}

static void tell_soft(const TnWorld *world, const TnTroubleNote *note, TnTrouble *out)
{
    const TnModel *model = world->model;
    char name[160];
    int s = model->subsystems[note->subsystem].kind_index;
    out->soft = s + 1;
    out->element = most_squeezed(world, &model->softs[s], note->dof < 0 ? -1 : note->dof / 3);
    quoted(model->soft_names[s], s + 1, name);
    if (out->element < 0)
        snprintf(out->where, sizeof out->where, "soft body %s", name);
    else
        snprintf(out->where, sizeof out->where, "element %d of soft body %s", out->element, name);
}

static void tell_rod(const TnModel *model, const TnTroubleNote *note, TnTrouble *out)
{
    char name[160];
    int r = model->subsystems[note->subsystem].kind_index;
    int segment = note->dof < 0 ? 0 : note->dof / 6;
    out->body = model->links[model->rods[r].link_start + segment].body + 1;
    if (note->dof < 0)
        snprintf(out->where, sizeof out->where, "cable %s",
                 quoted(model->rod_names[r], r + 1, name));
    else
        snprintf(out->where, sizeof out->where, "segment %d of cable %s", segment + 1,
                 quoted(model->rod_names[r], r + 1, name));
}

static void tell_tree(const TnModel *model, const TnTroubleNote *note, TnTrouble *out)
{
    const TnSubsystem *sub = &model->subsystems[note->subsystem];
    char body[160], joint[160];
    int link = sub->link_start;
    if (note->dof >= 0) {
        int index = model->dof_joint[sub->dof_start + note->dof];
        link = model->joints[index].link;
        out->joint = model->lookup->joint_id[index];
    }
    out->body = model->links[link].body + 1;
    quoted(model->body_names[out->body - 1], out->body, body);
    if (out->joint)
        snprintf(out->where, sizeof out->where, "joint %.100s of body %.100s",
                 quoted(tn_model_joint_name(model, out->joint), out->joint, joint), body);
    else
        snprintf(out->where, sizeof out->where, "the robot of body %.150s", body);
}

static void tell_rigid(const TnModel *model, const TnTroubleNote *note, TnTrouble *out)
{
    char name[160];
    out->body = model->links[model->subsystems[note->subsystem].link_start].body + 1;
    snprintf(out->where, sizeof out->where, "body %s",
             quoted(model->body_names[out->body - 1], out->body, name));
}

static void tell_subsystem(const TnWorld *world, TnTrouble *out)
{
    const TnTroubleNote *note = &world->trouble;
    if (note->subsystem < 0) return;
    switch (world->model->subsystems[note->subsystem].kind) {
    case TN_SUBSYSTEM_SOFT:
        tell_soft(world, note, out);
        break;
    case TN_SUBSYSTEM_ROD:
        tell_rod(world->model, note, out);
        break;
    case TN_SUBSYSTEM_TREE:
        tell_tree(world->model, note, out);
        break;
    case TN_SUBSYSTEM_RIGID:
        tell_rigid(world->model, note, out);
        break;
    }
}

static const char *const what[] = {
    [TN_TROUBLE_NONE] = "",
    [TN_TROUBLE_TOLERANCE] = "the step missed the tolerance",
    [TN_TROUBLE_CONTRADICTION] =
        "constraints contradict each other: they hold as nearly as they can",
    [TN_TROUBLE_ROUGH] = "the step has an error, or a contradiction between constraints, above "
                         "gravity x timestep",
    [TN_TROUBLE_NOT_FINITE] = "the new state would not be finite, or beyond 1e10",
    [TN_TROUBLE_INDEFINITE] = "the equations of motion cannot be solved: a matrix is not positive "
                              "definite, or a force not finite",
    [TN_TROUBLE_MEMORY] = "there was no memory for the step",
};

/* By how the worst constraint is called (islands_info.c). */
static const char *help_with_constraint(const char *where, bool contradicts)
{
    static const struct {
        const char *begins, *contradicts, *slow;
    } rules[] = {
        {"contact",
         "move bodies apart that overlap at the start; check that nothing is squeezed between "
         "things that cannot give way",
         "a smaller timestep or more iterations; piles of very different masses converge slowly"},
        {"equality",
         "check for equalities, limits and contacts that contradict each other; switch one off, or "
         "start from a pose that satisfies them",
         "start from a pose that satisfies the equality; a smaller timestep"},
        {"lower limit", "start within the joint's range; check for limits that contradict others",
         "a smaller timestep; start within the range"},
        {"upper limit", "start within the joint's range; check for limits that contradict others",
         "a smaller timestep; start within the range"},
        {"spring of cable", "a smaller timestep, or a softer or more damped cable",
         "more iterations, or the cable in one piece (division whole)"},
        {"tie", "check that the tied nodes start at the same place",
         "more iterations, or fewer pieces"},
        {"hold", "check that nothing else holds the same node", "more iterations"},
        {"actuator", "smaller gains, or a smaller timestep", "smaller gains; more iterations"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strncmp(where, rules[i].begins, strlen(rules[i].begins)) == 0)
            return contradicts ? rules[i].contradicts : rules[i].slow;
    return contradicts ? "check for constraints that contradict each other"
                       : "a smaller timestep, more iterations or a larger tolerance";
}

static const char *help_with_rejected(const TnTrouble *t)
{
    if (t->kind == TN_TROUBLE_MEMORY) return "free memory, or simulate less at a time";
    if (t->kind == TN_TROUBLE_INDEFINITE)
        return t->soft ? "a smaller timestep; check the material and elements that are turned "
                         "inside out"
                       : "check for masses and inertias near zero, and for stiffness, damping or "
                         "gains that are huge or negative; give joints armature";
    if (t->soft) return "a smaller timestep, a softer or more damped material";
    return "a smaller timestep; check forces, controls and gains, and bodies that are very light "
           "for their springs";
}

TnTrouble tn_world_trouble(const TnWorld *world)
{
    TnTrouble out = {.what = "", .help = "", .element = -1};
    if (!world) return out;
    out.kind = world->trouble.kind;
    out.what = what[out.kind];
    switch (out.kind) {
    case TN_TROUBLE_NONE:
        break;
    case TN_TROUBLE_TOLERANCE:
    case TN_TROUBLE_ROUGH:
    case TN_TROUBLE_CONTRADICTION:
        tn_world_worst_constraint(world, world->trouble.island, out.where, sizeof out.where);
        out.help = world->device && tn_world_solver(world).tolerance == 0.0
                       ? "a tolerance, with which contacts yield, or more iterations"
                       : help_with_constraint(out.where, world->trouble.error > TN_ROUGH);
        break;
    case TN_TROUBLE_NOT_FINITE:
    case TN_TROUBLE_INDEFINITE:
    case TN_TROUBLE_MEMORY:
        tell_subsystem(world, &out);
        out.help = help_with_rejected(&out);
        break;
    }
    return out;
}
