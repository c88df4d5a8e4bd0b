/* Forces of joints and equalities, and sensors; see forces.h. */
#include "forces.h"

#include "../common/app.h"
#include "csv.h"

#include <stdlib.h>

static bool is_free(const TnModel *model, TnJointId id)
{
    return tn_model_joint_info(model, id).type == TN_JOINT_FREE;
}

/* Bodies that something holds: neither the world nor free. */
static bool is_held(const TnModel *model, TnBodyId id)
{
    int joint_count = tn_model_info(model).joint_count;
    if (id == TN_BODY_WORLD) return false;
    for (TnJointId joint = 1; joint <= joint_count; joint++)
        if (tn_model_joint_info(model, joint).body == id && is_free(model, joint)) return false;
    return true;
}

static bool is_of_joints(const TnModel *model, TnEqualityId id)
{
    TnEqualityType type = tn_model_equality_info(model, id).type;
    return type == TN_EQUALITY_JOINT || type == TN_EQUALITY_TENDON;
}

/* ---- CSV ---- */

static void wrench_columns(FILE *out, const char *name)
{
    static const char *const parts[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    for (int i = 0; i < 6; i++) csv_column(out, name, parts[i], -1);
}

void forces_header(FILE *out, const TnModel *model)
{
    char buffer[NAME_SIZE];
    TnModelInfo info = tn_model_info(model);
    for (TnJointId id = 1; id <= info.joint_count; id++)
        if (!is_free(model, id)) wrench_columns(out, joint_label(model, id, buffer));
    for (TnEqualityId id = 1; id <= info.equality_count; id++) {
        const char *name = equality_label(model, id, buffer);
        if (is_of_joints(model, id))
            csv_column(out, name, "f", -1);
        else
            wrench_columns(out, name);
    }
}

static void write_wrench(FILE *out, const TnReaction *r)
{
    for (int i = 0; i < 3; i++) fprintf(out, ",%.17g", r->force[i]);
    for (int i = 0; i < 3; i++) fprintf(out, ",%.17g", r->torque[i]);
}

void forces_write(FILE *out, TnWorld *world)
{
    const TnModel *model = tn_world_model(world);
    TnModelInfo info = tn_model_info(model);
    for (TnJointId id = 1; id <= info.joint_count; id++) {
        if (is_free(model, id)) continue;
        TnReaction r = tn_world_joint_reaction(world, id);
        write_wrench(out, &r);
    }
    for (TnEqualityId id = 1; id <= info.equality_count; id++) {
        TnReaction r = tn_world_equality_reaction(world, id);
        if (is_of_joints(model, id))
            fprintf(out, ",%.17g", r.generalized);
        else
            write_wrench(out, &r);
    }
}

void sensors_header(FILE *out, const TnModel *model)
{
    char buffer[NAME_SIZE];
    int count = tn_model_info(model).sensor_count;
    for (TnSensorId id = 1; id <= count; id++)
        for (int i = 0; i < tn_model_sensor_info(model, id).data_count; i++)
            csv_column(out, sensor_label(model, id, buffer), "s", i);
}

bool sensors_write(FILE *out, TnWorld *world)
{
    int count = tn_model_info(tn_world_model(world)).sensor_data_count;
    double *data = calloc((size_t)count + 1, sizeof *data);
    bool ok = data && tn_world_sensors(world, data, NULL) == TN_OK;
    for (int i = 0; ok && i < count; i++) fprintf(out, ",%.17g", data[i]);
    free(data);
    return ok;
}

/* ---- eval ---- */

static void json_reaction(Json *json, const char *name, const TnReaction *r)
{
    json_begin_object(json, NULL);
    json_string(json, "name", name);
    json_numbers(json, "pos", r->pos, 3);
    json_numbers(json, "quat", r->quat, 4);
    json_numbers(json, "force", r->force, 3);
    json_numbers(json, "torque", r->torque, 3);
    json_end(json);
}

static void json_equality(Json *json, TnWorld *world, TnEqualityId id)
{
    char name[NAME_SIZE];
    const TnModel *model = tn_world_model(world);
    TnReaction r = tn_world_equality_reaction(world, id);
    if (!is_of_joints(model, id)) {
        json_reaction(json, equality_label(model, id, name), &r);
        return;
    }
    json_begin_object(json, NULL);
    json_string(json, "name", equality_label(model, id, name));
    json_number(json, "force", r.generalized);
    json_end(json);
}

void forces_json(Json *json, TnWorld *world)
{
    char name[NAME_SIZE];
    const TnModel *model = tn_world_model(world);
    TnModelInfo info = tn_model_info(model);
    json_begin_array(json, "joints");
    for (TnJointId id = 1; id <= info.joint_count; id++) {
        if (is_free(model, id)) continue;
        TnReaction r = tn_world_joint_reaction(world, id);
        json_reaction(json, joint_label(model, id, name), &r);
    }
    json_end(json);
    json_begin_array(json, "bodies");
    for (TnBodyId id = 1; id <= info.body_count; id++) {
        if (!is_held(model, id)) continue;
        TnReaction r = tn_world_body_reaction(world, id);
        json_reaction(json, body_label(model, id, name), &r);
    }
    json_end(json);
    json_begin_array(json, "equalities");
    for (TnEqualityId id = 1; id <= info.equality_count; id++) json_equality(json, world, id);
    json_end(json);
}

static void print_reaction(const char *name, const TnReaction *r)
{
    printf("  %-20s", name);
    for (int i = 0; i < 3; i++) printf(" %12.6g", r->force[i]);
    for (int i = 0; i < 3; i++) printf(" %12.6g", r->torque[i]);
    putchar('\n');
}

void forces_text(TnWorld *world)
{
    char name[NAME_SIZE];
    const TnModel *model = tn_world_model(world);
    TnModelInfo info = tn_model_info(model);
    printf("forces of joints (force, torque)\n");
    for (TnJointId id = 1; id <= info.joint_count; id++) {
        if (is_free(model, id)) continue;
        TnReaction r = tn_world_joint_reaction(world, id);
        print_reaction(joint_label(model, id, name), &r);
    }
    printf("forces on bodies by their parents\n");
    for (TnBodyId id = 1; id <= info.body_count; id++) {
        if (!is_held(model, id)) continue;
        TnReaction r = tn_world_body_reaction(world, id);
        print_reaction(body_label(model, id, name), &r);
    }
    if (info.equality_count) printf("forces of equalities\n");
    for (TnEqualityId id = 1; id <= info.equality_count; id++) {
        TnReaction r = tn_world_equality_reaction(world, id);
        if (is_of_joints(model, id))
            printf("  %-20s %12.6g\n", equality_label(model, id, name), r.generalized);
        else
            print_reaction(equality_label(model, id, name), &r);
    }
}
