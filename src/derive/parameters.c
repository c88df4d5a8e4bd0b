/* parameters.c: numbers of the model that derivatives can be taken by. */
#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../math/vec3.h"
#include "../model/names.h"
#include "derive.h"

typedef struct Kind {
    const char *name;
    int numbers; /* indices run below this */
    enum { OF_WORLD, OF_BODY, OF_GEOM, OF_JOINT, OF_ACTUATOR } of;
    bool one_sided, positive, shapes;
} Kind;

static const Kind kinds[TN_PARAMETER_KIND_COUNT] = {
    [TN_PARAMETER_GRAVITY] = {"gravity", 3, OF_WORLD, false, false, false},
    [TN_PARAMETER_TIMESTEP] = {"timestep", 1, OF_WORLD, false, true, false},
    [TN_PARAMETER_MASS] = {"mass", 1, OF_BODY, false, true, false},
    [TN_PARAMETER_COM] = {"com", 3, OF_BODY, false, false, false},
    [TN_PARAMETER_INERTIA] = {"inertia", 6, OF_BODY, false, false, false},
    [TN_PARAMETER_FRICTION] = {"friction", 3, OF_GEOM, true, false, false},
    [TN_PARAMETER_SIZE] = {"size", 3, OF_GEOM, false, true, true},
    [TN_PARAMETER_STIFFNESS] = {"stiffness", 1, OF_JOINT, true, false, false},
    [TN_PARAMETER_SPRING_REF] = {"spring_ref", 1, OF_JOINT, false, false, false},
    [TN_PARAMETER_DAMPING] = {"damping", 1, OF_JOINT, true, false, false},
    [TN_PARAMETER_ARMATURE] = {"armature", 1, OF_JOINT, true, false, false},
    [TN_PARAMETER_FRICTION_LOSS] = {"friction_loss", 1, OF_JOINT, true, false, false},
    [TN_PARAMETER_GAIN] = {"gain", 1, OF_ACTUATOR, false, false, false},
    [TN_PARAMETER_BIAS] = {"bias", 3, OF_ACTUATOR, false, false, false},
};

const char *tn_parameter_kind_name(TnParameterKind kind)
{
    return kind >= 0 && kind < TN_PARAMETER_KIND_COUNT ? kinds[kind].name : "";
}

bool tn_parameter_is_one_sided(TnParameterKind kind) { return kinds[kind].one_sided; }

static int count_of(const TnModel *model, const Kind *kind)
{
    switch (kind->of) {
    case OF_BODY:
        return model->body_count;
    case OF_GEOM:
        return model->geom_count;
    case OF_JOINT:
        return model->joint_count;
    case OF_ACTUATOR:
        return model->actuator_count;
    default:
        return 0;
    }
}

TnStatus tn_parameter_check(const TnModel *model, const TnParameter *p, int index, TnError *err)
{
    if (p->kind < 0 || p->kind >= TN_PARAMETER_KIND_COUNT) {
        tn_error_add(err, TN_ERROR_USAGE, "derivatives: parameter %d: there is no such kind",
                     index);
        return TN_ERROR_USAGE;
    }
    const Kind *kind = &kinds[p->kind];
    if (p->index < 0 || p->index >= kind->numbers) {
        tn_error_add(err, TN_ERROR_USAGE,
                     "derivatives: parameter %d: index of %s is %d, must be "
                     "below %d",
                     index, kind->name, p->index, kind->numbers);
        return TN_ERROR_USAGE;
    }
    if (kind->of == OF_WORLD ? p->id != 0 : p->id < 1 || p->id > count_of(model, kind)) {
        tn_error_add(err, TN_ERROR_USAGE, "derivatives: parameter %d: the model has no %s of %d",
                     index, kind->name, p->id);
        return TN_ERROR_USAGE;
    }
    if (p->kind == TN_PARAMETER_SIZE &&
        p->index >= tn_geom_size_count(model->geoms[p->id - 1].type)) {
        tn_error_add(err, TN_ERROR_USAGE, "derivatives: parameter %d: the geom has no size %d",
                     index, p->index);
        return TN_ERROR_USAGE;
    }
    return TN_OK;
}

static TnJoint *joint_of(const TnModel *model, int id)
{
    return &model->joints[model->lookup->joint_index[id - 1]];
}

/* Where xx yy zz xy xz yz stand in a matrix. */
static const int places[6] = {0, 4, 8, 1, 2, 5};

/* In body axes: the centre of mass, and the inertia about it. */
static void body_mass(const TnModel *model, int id, double com[3], double inertia[6])
{
    const TnBody *body = &model->bodies[id - 1];
    const TnBodyMass *mass = &model->body_masses[id - 1];
    double back[4], R[9], T[9], I[9];
    quat_conjugate(back, body->link_quat);
    v3_sub(com, mass->com, body->link_pos);
    quat_rotate(com, back, com);
    quat_to_m3(R, back);
    m3_transpose(T, R);
    m3_mul(I, R, mass->inertia);
    m3_mul(I, I, T);
    for (int k = 0; k < 6; k++) inertia[k] = I[places[k]];
}

double tn_parameter_get(const TnModel *model, const TnParameter *p)
{
    double com[3], inertia[6];
    switch (p->kind) {
    case TN_PARAMETER_GRAVITY:
        return model->option.gravity[p->index];
    case TN_PARAMETER_TIMESTEP:
        return model->option.timestep;
    case TN_PARAMETER_MASS:
        return model->body_masses[p->id - 1].mass;
    case TN_PARAMETER_COM:
        body_mass(model, p->id, com, inertia);
        return com[p->index];
    case TN_PARAMETER_INERTIA:
        body_mass(model, p->id, com, inertia);
        return inertia[p->index];
    case TN_PARAMETER_FRICTION:
        return model->geoms[p->id - 1].friction[p->index];
    case TN_PARAMETER_SIZE:
        return model->geoms[p->id - 1].size[p->index];
    case TN_PARAMETER_STIFFNESS:
        return joint_of(model, p->id)->stiffness;
    case TN_PARAMETER_SPRING_REF:
        return joint_of(model, p->id)->spring_ref;
    case TN_PARAMETER_DAMPING:
        return joint_of(model, p->id)->damping;
    case TN_PARAMETER_ARMATURE:
        return joint_of(model, p->id)->armature;
    case TN_PARAMETER_FRICTION_LOSS:
        return joint_of(model, p->id)->friction_loss;
    case TN_PARAMETER_GAIN:
        return model->actuators[p->id - 1].gain;
    case TN_PARAMETER_BIAS:
        return model->actuators[p->id - 1].bias[p->index];
    default:
        return 0.0;
    }
}

double tn_parameter_scale(const TnModel *model, const TnParameter *p)
{
    double com[3], inertia[6], x = fabs(tn_parameter_get(model, p));
    if (p->kind == TN_PARAMETER_COM || p->kind == TN_PARAMETER_INERTIA) {
        /* of the body: its largest moment, and the size that has it */
        body_mass(model, p->id, com, inertia);
        double most = fmax(inertia[0], fmax(inertia[1], inertia[2]));
        return p->kind == TN_PARAMETER_INERTIA ? most
                                               : sqrt(most / model->body_masses[p->id - 1].mass);
    }
    return kinds[p->kind].positive ? x : fmax(1.0, x);
}

static TnStatus set_joint(TnWorld *world, const TnParameter *p, double value, TnError *err)
{
    TnJointForces forces = tn_world_joint_forces(world, p->id);
    if (p->kind == TN_PARAMETER_STIFFNESS) forces.stiffness = value;
    if (p->kind == TN_PARAMETER_SPRING_REF) forces.spring_ref = value;
    if (p->kind == TN_PARAMETER_DAMPING) forces.damping = value;
    if (p->kind == TN_PARAMETER_ARMATURE) forces.armature = value;
    if (p->kind == TN_PARAMETER_FRICTION_LOSS) forces.friction_loss = value;
    return tn_world_set_joint_forces(world, p->id, &forces, err);
}

static TnStatus set_mass(TnWorld *world, const TnParameter *p, double value, TnError *err)
{
    double mass = world->model->body_masses[p->id - 1].mass, com[3], inertia[6];
    if (p->kind == TN_PARAMETER_MASS)
        return tn_world_set_body_mass(world, p->id, value, NULL, NULL, err);
    body_mass(world->model, p->id, com, inertia);
    if (p->kind == TN_PARAMETER_COM) {
        com[p->index] = value;
        return tn_world_set_body_mass(world, p->id, mass, com, NULL, err);
    }
    inertia[p->index] = value;
    return tn_world_set_body_mass(world, p->id, mass, NULL, inertia, err);
}

TnStatus tn_parameter_set(TnWorld *world, const TnParameter *p, double value, TnError *err)
{
    const TnModel *model = world->model;
    double numbers[3];
    switch (p->kind) {
    case TN_PARAMETER_GRAVITY:
        v3_copy(numbers, model->option.gravity);
        numbers[p->index] = value;
        return tn_world_set_gravity(world, numbers, err);
    case TN_PARAMETER_TIMESTEP:
        return tn_world_set_timestep(world, value, err);
    case TN_PARAMETER_MASS:
    case TN_PARAMETER_COM:
    case TN_PARAMETER_INERTIA:
        return set_mass(world, p, value, err);
    case TN_PARAMETER_FRICTION:
        v3_copy(numbers, model->geoms[p->id - 1].friction);
        numbers[p->index] = value;
        return tn_world_set_geom_friction(world, p->id, numbers, err);
    case TN_PARAMETER_SIZE:
        v3_copy(numbers, model->geoms[p->id - 1].size);
        numbers[p->index] = value;
        return tn_world_set_geom_size(world, p->id, numbers, err);
    case TN_PARAMETER_GAIN:
        return tn_world_set_actuator(world, p->id, value, NULL, err);
    case TN_PARAMETER_BIAS:
        v3_copy(numbers, model->actuators[p->id - 1].bias);
        numbers[p->index] = value;
        return tn_world_set_actuator(world, p->id, model->actuators[p->id - 1].gain, numbers, err);
    default:
        return set_joint(world, p, value, err);
    }
}

/* ---- as they were ---- */

static size_t part_bytes(const TnModel *m, TnOwnPart part)
{
    const size_t bytes[TN_OWN_COUNT] = {
        [TN_OWN_LINKS] = (size_t)m->link_count * sizeof *m->links,
        [TN_OWN_BODY_MASSES] = (size_t)m->body_count * sizeof *m->body_masses,
        [TN_OWN_JOINTS] = (size_t)m->joint_count * sizeof *m->joints,
        [TN_OWN_GEOMS] = (size_t)m->geom_count * sizeof *m->geoms,
        [TN_OWN_SITES] = (size_t)m->site_count * sizeof *m->sites,
        [TN_OWN_ACTUATORS] = (size_t)m->actuator_count * sizeof *m->actuators,
        [TN_OWN_EQUALITIES] = (size_t)m->equality_count * sizeof *m->equalities};
    return bytes[part];
}

static bool is_set(TnOwnPart part) { return part != TN_OWN_EQUALITIES; }

bool tn_copy_note_parameters(TnCopy *copy)
{
    for (int k = 0; k < TN_OWN_COUNT; k++) {
        if (!is_set((TnOwnPart)k)) continue;
        size_t bytes = part_bytes(copy->world->model, (TnOwnPart)k);
        copy->parts[k] = tn_malloc(bytes + 1);
        if (!copy->parts[k] || !tn_world_own(copy->world, (TnOwnPart)k)) return false;
        memcpy(copy->parts[k], copy->world->parts[k], bytes);
    }
    copy->total_mass = copy->world->own.total_mass;
    copy->option = copy->world->own.option;
    return true;
}

bool tn_copy_reset_parameters(TnCopy *copy, const TnParameter *p)
{
    TnWorld *world = copy->world;
    for (int k = 0; k < TN_OWN_COUNT; k++)
        if (is_set((TnOwnPart)k))
            memcpy(world->parts[k], copy->parts[k], part_bytes(world->model, (TnOwnPart)k));
    world->own.total_mass = copy->total_mass;
    world->own.option = copy->option;
    world->t = copy->option.timestep / world->substeps;
    return tn_world_renew(world, kinds[p->kind].shapes || p->kind == TN_PARAMETER_FRICTION);
}
