/* CSV recording; see csv.h. */
#include "csv.h"

#include "../common/app.h"
#include "forces.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static bool cannot_write(const Csv *csv)
{
    say("run", "%s: cannot be written: %s", csv->path, strerror(errno ? errno : EIO));
    return false;
}

void csv_column(FILE *out, const char *name, const char *suffix, int index)
{
    bool quote = name[strcspn(name, ",\"\r\n")] != '\0';
    fputs(quote ? ",\"" : ",", out);
    for (const char *s = name; *s; s++) {
        if (*s == '"') fputc('"', out);
        fputc(*s, out);
    }
    fprintf(out, ".%s", suffix);
    if (index >= 0) fprintf(out, "%d", index);
    if (quote) fputc('"', out);
}

static void write_header(FILE *out, const TnModel *model, bool solver)
{
    static const char *const pose[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    char buffer[NAME_SIZE];
    int joint_count = tn_model_info(model).joint_count;
    fputs("time", out);
    for (TnJointId id = 1; id <= joint_count; id++) {
        TnJointInfo joint = tn_model_joint_info(model, id);
        if (joint.type == TN_JOINT_FREE) continue;
        const char *name = joint_label(model, id, buffer);
        for (int i = 0; i < joint.qpos_count; i++) csv_column(out, name, "q", i);
        for (int i = 0; i < joint.dof_count; i++) csv_column(out, name, "v", i);
    }
    for (TnJointId id = 1; id <= joint_count; id++) {
        TnJointInfo joint = tn_model_joint_info(model, id);
        if (joint.type != TN_JOINT_FREE) continue;
        const char *name = body_label(model, joint.body, buffer);
        for (int i = 0; i < 7; i++) csv_column(out, name, pose[i], -1);
    }
    fputs(",kinetic,potential,elastic,total,actuators,applied,friction,damping,impacts,step_loss,"
          "created,created_sum,created_share",
          out);
    if (!solver) return;
    fputs(",error,islands,started", out);
    for (int i = 1; i < TN_METHOD_OWN; i++) fprintf(out, ",%s", tn_method_name((TnMethod)i));
    fputs(",asleep", out);
}

bool csv_open(Csv *csv, const char *path, const TnModel *model, bool solver)
{
    csv->path = path;
    csv->solver = solver;
    errno = 0;
    if (!make_parent_folders(path) || !(csv->out = fopen(path, "w"))) return cannot_write(csv);
    write_header(csv->out, model, solver);
    if (csv->forces) forces_header(csv->out, model);
    if (csv->sensors) sensors_header(csv->out, model);
    fputc('\n', csv->out);
    return !ferror(csv->out) || cannot_write(csv);
}

/* A step without constraints has no error. */
static void write_solver(FILE *out, const TnStepReport *report)
{
    fprintf(out, ",%.17g,%d", isfinite(report->error) ? report->error : 0.0, report->island_count);
    for (int i = 0; i < TN_METHOD_OWN; i++) fprintf(out, ",%d", report->islands_by_method[i]);
    fprintf(out, ",%d", report->asleep_count);
}

/* Energies after the step, and the step's account. */
static void write_energy(FILE *out, const TnWorld *world, const TnStepReport *report)
{
    const TnEnergyAccount *a = &report->energy;
    TnEnergy e = tn_world_energy(world);
    const double numbers[] = {e.kinetic,
                              e.potential,
                              e.elastic,
                              e.kinetic + e.potential,
                              a->actuators,
                              a->applied,
                              a->friction,
                              a->damping,
                              a->impacts,
                              a->step,
                              a->created,
                              tn_world_energy_account(world).created,
                              report->created_share};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        fprintf(out, ",%.17g", numbers[k]);
}

bool csv_write(Csv *csv, TnWorld *world, const TnStepReport *report)
{
    const TnModel *model = tn_world_model(world);
    TnStateView state = tn_world_state(world);
    int joint_count = tn_model_info(model).joint_count;
    errno = 0;
    fprintf(csv->out, "%.17g", state.time);
    for (TnJointId id = 1; id <= joint_count; id++) {
        TnJointInfo joint = tn_model_joint_info(model, id);
        if (joint.type == TN_JOINT_FREE) continue;
        for (int i = 0; i < joint.qpos_count; i++)
            fprintf(csv->out, ",%.17g", state.qpos[joint.qpos_start + i]);
        for (int i = 0; i < joint.dof_count; i++)
            fprintf(csv->out, ",%.17g", state.qvel[joint.dof_start + i]);
    }
    for (TnJointId id = 1; id <= joint_count; id++) {
        TnJointInfo joint = tn_model_joint_info(model, id);
        if (joint.type != TN_JOINT_FREE) continue;
        for (int i = 0; i < 7; i++) fprintf(csv->out, ",%.17g", state.qpos[joint.qpos_start + i]);
    }
    write_energy(csv->out, world, report);
    if (csv->solver) write_solver(csv->out, report);
    if (csv->forces) forces_write(csv->out, world);
    if (csv->sensors && !sensors_write(csv->out, world)) {
        say("run", "no memory for the sensors");
        return false;
    }
    fputc('\n', csv->out);
    return !ferror(csv->out) || cannot_write(csv);
}

bool csv_close(Csv *csv)
{
    if (!csv->out) return true;
    errno = 0;
    bool fine = fclose(csv->out) == 0;
    csv->out = NULL;
    return fine || cannot_write(csv);
}
