/* The account of energy of a run; see run_energy.h. */
#include "run_energy.h"

#include "../common/app.h"
#include "../common/table.h"

#include <inttypes.h>
#include <math.h>

void run_energy_start(RunEnergy *energy, const TnWorld *world, bool in_parts)
{
    *energy = (RunEnergy){.start = tn_world_energy(world), .in_parts = in_parts};
}

void run_energy_add(RunEnergy *energy, const TnWorld *world, const TnStepReport *report)
{
    const double *p = report->corrected_momentum;
    energy->steps++;
    energy->corrected += report->corrected_energy;
    energy->corrected_momentum += sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    if (report->created_share > WRONG_SHARE) energy->wrong++;
    if (report->created_share <= energy->share) return;
    energy->share = report->created_share;
    energy->worst_step = energy->steps;
    energy->worst_time = tn_world_time(world);
    energy->worst_body = report->created_body;
    energy->worst_soft = report->created_soft;
}

void run_energy_end(RunEnergy *energy, const TnWorld *world)
{
    energy->end = tn_world_energy(world);
    energy->sums = tn_world_energy_account(world);
    energy->most = tn_world_largest_loss(world);
    if (energy->in_parts)
        energy->sums = (TnEnergyAccount){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

/* Less than this share of what was turned over is not worth a line. */
#define LITTLE 1e-6

static double turned_over(const TnEnergyAccount *a)
{
    return fabs(a->actuators) + fabs(a->applied) + fabs(a->push_out) + a->friction + a->damping +
           a->impacts;
}

/* The joint that moves a body of a tree; 0: none, or it is free. */
static TnJointId joint_of(const TnModel *model, TnBodyId body)
{
    int count = tn_model_info(model).joint_count;
    for (TnJointId id = 1; id <= count; id++) {
        TnJointInfo joint = tn_model_joint_info(model, id);
        if (joint.body == body && joint.type != TN_JOINT_FREE) return id;
    }
    return 0;
}

enum { WHERE_SIZE = 2 * NAME_SIZE + 32 };

/* "body 'arm' (joint 'elbow')", "soft body 'cube'" */
static const char *where(const TnModel *model, TnBodyId at, TnSoftId soft, char text[WHERE_SIZE])
{
    char body[NAME_SIZE], joint[NAME_SIZE];
    if (soft) {
        const char *name = tn_model_soft_info(model, soft).name;
        if (name[0])
            snprintf(text, WHERE_SIZE, "soft body '%s'", shown(name, body));
        else
            snprintf(text, WHERE_SIZE, "soft body %d", (int)soft);
        return text;
    }
    TnJointId id = joint_of(model, at);
    int used = snprintf(text, WHERE_SIZE, "body '%s'", body_label(model, at, body));
    if (id)
        snprintf(text + used, WHERE_SIZE - (size_t)used, " (joint '%s')",
                 joint_label(model, id, joint));
    return text;
}

void run_energy_print(FILE *out, const RunEnergy *energy, const TnModel *model)
{
    const TnEnergyAccount *a = &energy->sums;
    char text[WHERE_SIZE];
    table_line(out, "energy", "%.4g J kinetic, %.4g J potential", energy->end.kinetic,
               energy->end.potential);
    if (energy->in_parts) {
        table_line(out, "  work, losses", "not known of a world in parts");
        return;
    }
    table_line(out, "  work", "%.4g J actuators, %.4g J applied forces, %.4g J push-out",
               a->actuators, a->applied, a->push_out);
    table_line(out, "  losses", "%.4g J friction, %.4g J damping, %.4g J impacts, %.4g J step",
               a->friction, a->damping, a->impacts, a->step);
    if (a->unsolved > LITTLE * turned_over(a))
        table_line(out, "  unsolved", "%.4g J more of friction and damping", a->unsolved);
    if (energy->most.loss > LITTLE * turned_over(a))
        table_line(out, "  step", "most, %.4g J, at %s", energy->most.loss,
                   where(model, energy->most.body, energy->most.soft, text));
    if (energy->worst_step)
        table_line(out, "  created", "%.2g J, in one step %.2g %% of what is around %s", a->created,
                   100 * energy->share, where(model, energy->worst_body, energy->worst_soft, text));
    else
        table_line(out, "  created", "%.2g J", a->created);
    if (energy->corrected != 0.0 || energy->corrected_momentum != 0.0)
        table_line(out, "  corrected", "%.2g J, %.2g N s that contact forces do not show",
                   energy->corrected, energy->corrected_momentum);
}

void run_energy_json(Json *json, const RunEnergy *energy, const TnModel *model)
{
    const TnEnergyAccount *a = &energy->sums;
    char text[WHERE_SIZE];
    bool made = energy->worst_step > 0;
    json_number(json, "energy_kinetic_J", energy->end.kinetic);
    json_number(json, "energy_potential_J", energy->end.potential);
    json_number(json, "energy_elastic_J", energy->end.elastic);
    json_number(json, "energy_change_J",
                energy->end.kinetic - energy->start.kinetic +
                    (energy->end.potential - energy->start.potential));
    json_number(json, "energy_actuators_J", a->actuators);
    json_number(json, "energy_applied_J", a->applied);
    json_number(json, "energy_friction_J", a->friction);
    json_number(json, "energy_damping_J", a->damping);
    json_number(json, "energy_impacts_J", a->impacts);
    json_number(json, "energy_step_J", a->step);
    json_number(json, "energy_created_J", a->created);
    json_number(json, "energy_push_out_J", a->push_out);
    json_number(json, "energy_unsolved_J", a->unsolved);
    json_integer(json, "energy_wrong_steps", energy->wrong);
    json_number(json, "energy_created_share_max", energy->share);
    json_number(json, "energy_created_step", made ? (double)energy->worst_step : NAN);
    if (made)
        json_string(json, "energy_created_at",
                    where(model, energy->worst_body, energy->worst_soft, text));
    else
        json_number(json, "energy_created_at", NAN); /* null */
    json_number(json, "energy_step_most_J", energy->most.loss);
    if (energy->most.loss > LITTLE * turned_over(a))
        json_string(json, "energy_step_most_at",
                    where(model, energy->most.body, energy->most.soft, text));
    else
        json_number(json, "energy_step_most_at", NAN);
    json_number(json, "energy_corrected_J", energy->corrected);
    json_number(json, "energy_corrected_momentum", energy->corrected_momentum);
}

void run_energy_warn(const RunEnergy *energy, const TnModel *model)
{
    char text[WHERE_SIZE];
    if (!energy->wrong) return;
    say("run",
        "energy was created: %" PRId64 " of %" PRId64
        " steps created more than %g %% of the energy involved, most at step %" PRId64
        " (%g s): %.3g %% at %s",
        energy->wrong, energy->steps, 100 * WRONG_SHARE, energy->worst_step, energy->worst_time,
        100 * energy->share, where(model, energy->worst_body, energy->worst_soft, text));
}
