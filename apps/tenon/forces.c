/* Forces of joints and equalities; see forces.h. */
#include "forces.h"

#include "../common/app.h"

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

/* ---- columns ---- */

static void name_wrench(const char *name, TakeName take, void *context)
{
    static const char *const parts[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    char text[2 * NAME_SIZE];
    for (int i = 0; i < 6; i++) {
        snprintf(text, sizeof text, "%s.%s", name, parts[i]);
        take(context, text);
    }
}

void forces_names(const TnModel *model, TakeName take, void *context)
{
    char buffer[NAME_SIZE], text[2 * NAME_SIZE];
    TnModelInfo info = tn_model_info(model);
    for (TnJointId id = 1; id <= info.joint_count; id++)
        if (!is_free(model, id)) name_wrench(joint_label(model, id, buffer), take, context);
    for (TnEqualityId id = 1; id <= info.equality_count; id++) {
        const char *name = equality_label(model, id, buffer);
        snprintf(text, sizeof text, "%s.f", name);
        if (is_of_joints(model, id))
            take(context, text);
        else
            name_wrench(name, take, context);
    }
}

static double *fill_wrench(double *to, const TnReaction *r)
{
    for (int i = 0; i < 3; i++) *to++ = r->force[i];
    for (int i = 0; i < 3; i++) *to++ = r->torque[i];
    return to;
}

void forces_fill(TnWorld *world, double *to)
{
    const TnModel *model = tn_world_model(world);
    TnModelInfo info = tn_model_info(model);
    for (TnJointId id = 1; id <= info.joint_count; id++) {
        if (is_free(model, id)) continue;
        TnReaction r = tn_world_joint_reaction(world, id);
        to = fill_wrench(to, &r);
    }
    for (TnEqualityId id = 1; id <= info.equality_count; id++) {
        TnReaction r = tn_world_equality_reaction(world, id);
        if (is_of_joints(model, id))
            *to++ = r.generalized;
        else
            to = fill_wrench(to, &r);
    }
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
