/* energy.c: E = Σ ½ m|v|² + ½ ω·Iω + ½ armature·q̇² - m g·c + elastic energy;  P = Σ m v;  L = Σ c × m v + Iω.
 *
 * Twists are summed up about the world's origin, where those of parent and child simply add: a link
 * next to its parent in the list takes the parent's, any other walks to the root. */
#include "energy.h"

#include "../dynamics/dynamics.h"

#include "../dynamics/joint_motion.h"

static const double world_origin[3] = {0.0, 0.0, 0.0};

/* Adds the motion that the link's own joints give it, seen at the world's origin. */
static void add_own_motion(const TnModel *model, const TnLink *link, const double *qpos,
                           const double *qvel, const TnLinkFrame *frames, double twist[6])
{
    TnJointPlace place;
    const TnLinkFrame *frame = &frames[link - model->links];
    TnLinkWalk walk = tn_link_walk_start(model, link, &frames[link->parent]);
    const TnJoint *joint = &model->joints[link->joint_start];
    for (int k = 0; k < link->joint_count; k++, joint++) {
        double S[6][6];
        if (link->joint_count == 1) {
            tn_joint_place(&place, joint, frame->pos, frame->rot);
        } else {
            tn_link_walk_joint(&walk, joint, qpos + joint->qpos_start);
            tn_joint_place_from_walk(&place, joint, &walk);
        }
        tn_joint_axes(joint, &place, world_origin, S);
        for (int d = 0; d < tn_joint_dofs(joint->type); d++)
            for (int r = 0; r < 6; r++) twist[r] += S[d][r] * qvel[joint->dof_start + d];
    }
}

/* Twist of `link` at the world's origin; on entry that of link - 1, on return that of link. */
static void next_twist(const TnModel *model, int link, const double *qpos, const double *qvel,
                       const TnLinkFrame *frames, double twist[6])
{
    const TnLink *l = &model->links[link];
    if (l->parent != link - 1 || l->parent == 0) {
        memset(twist, 0, 6 * sizeof(double));
        for (int p = l->parent; p > 0; p = model->links[p].parent)
            add_own_motion(model, &model->links[p], qpos, qvel, frames, twist);
    }
    add_own_motion(model, l, qpos, qvel, frames, twist);
}

/* v at the com, and spin = I ω, in world axes; from the twist at the com where there is one, else from that at the
 * world's origin. */
static void link_momentum(const TnLink *link, const TnLinkFrame *frame, const double at_origin[6],
                          const double *at_com, double v[3], double spin[3])
{
    double w[3];
    if (at_com) {
        v3_copy(v, at_com);
    } else {
        v3_cross(v, at_origin + 3, frame->com);
        v3_add(v, v, at_origin);
    }
    m3_tmul_v(w, frame->rot, at_com ? at_com + 3 : at_origin + 3);
    m3_mul_v(w, link->inertia, w);
    m3_mul_v(spin, frame->rot, w);
}

static double rotation_squared(const double reference[4], const double quat[4])
{
    double back[4], turn[4], r[3];
    tn_unit_quat(back, reference);
    quat_conjugate(back, back);
    tn_unit_quat(turn, quat);
    quat_mul(turn, back, turn);
    quat_to_rotvec(r, turn);
    return v3_dot(r, r);
}

static double stretch_squared(const TnModel *model, const TnJoint *joint, const double *qpos)
{
    const double *q = qpos + joint->qpos_start, *reference = model->qpos0 + joint->qpos_start;
    double d[3];
    switch (joint->type) {
    case TN_JOINT_BALL:
        return rotation_squared(reference, q);
    case TN_JOINT_FREE:
        v3_sub(d, q, reference);
        return v3_dot(d, d) + rotation_squared(reference + 3, q + 3);
    case TN_JOINT_HINGE:
    case TN_JOINT_SLIDE:
        break;
    }
    return (q[0] - joint->spring_ref) * (q[0] - joint->spring_ref);
}

double tn_soft_mass_share(const TnSoft *soft, const int32_t tet[4])
{
    double e[3][3], c[3];
    for (int a = 0; a < 3; a++)
        v3_sub(e[a], soft->rest + 3L * tet[a + 1], soft->rest + 3L * tet[0]);
    v3_cross(c, e[0], e[1]);
    return soft->density * v3_dot(c, e[2]) / 120.0;
}

/* Twice the kinetic energy and the momenta of mass m that moves with v at x; v_other belongs to the same mass. */
static void add_mass(double m, const double x[3], const double v[3], const double v_other[3],
                     double *twice, double linear[3], double angular[3])
{
    double orbit[3];
    v3_cross(orbit, x, v);
    *twice += m * v3_dot(v, v_other);
    v3_add_scaled(linear, v, m);
    v3_add_scaled(angular, orbit, m);
}

/* Of a soft body, with the masses that it moves with; its elastic energy is the world's to add. */
static double soft_motion(const TnSoft *soft, const double *qpos, const double *qvel,
                          double linear[3], double angular[3])
{
    const double *x = qpos + soft->qpos_start, *v = qvel + soft->dof_start;
    double twice = 0.0;
    for (int i = 0; i < soft->node_count && !soft->consistent_mass; i++)
        add_mass(soft->masses[i], x + 3L * i, v + 3L * i, v + 3L * i, &twice, linear, angular);
    for (int t = 0; t < soft->tet_count && soft->consistent_mass; t++) {
        const int32_t *tet = soft->tets + 4L * t;
        double m = tn_soft_mass_share(soft, tet);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                add_mass(a == b ? 2.0 * m : m, x + 3L * tet[a], v + 3L * tet[b], v + 3L * tet[a],
                         &twice, linear, angular);
    }
    return 0.5 * twice;
}

static double gravity_of(const TnModel *model, double mass, const double place[3])
{
    return -mass * v3_dot(model->option.gravity, place);
}

static double rotor_energy(const TnJoint *joint, const double *qvel)
{
    const double *v = qvel + joint->dof_start;
    double sum = 0.0;
    for (int d = 0; joint->armature != 0.0 && d < tn_joint_dofs(joint->type); d++)
        sum += 0.5 * joint->armature * v[d] * v[d];
    return sum;
}

static void add_tendons(const TnModel *model, int subsystem, const double *qpos, TnEnergy *energy)
{
    for (int k = 0; k < model->tendon_count; k++) {
        const TnTendon *tendon = &model->tendons[k];
        if (tendon->subsystem != subsystem || tendon->stiffness == 0.0) continue;
        double stretch =
            tn_moment_length(tendon->moments, tendon->moment_count, qpos) - tendon->spring_length;
        energy->elastic += 0.5 * tendon->stiffness * stretch * stretch;
    }
}

double tn_subsystem_mass(const TnModel *model, int subsystem)
{
    const TnSubsystem *sub = &model->subsystems[subsystem];
    double mass = sub->kind == TN_SUBSYSTEM_SOFT ? model->softs[sub->kind_index].mass : 0.0;
    for (int l = sub->link_start; l < sub->link_start + sub->link_count; l++)
        mass += model->links[l].mass;
    return mass;
}

double tn_link_kinetic(const TnLink *link, const TnLinkFrame *frame, const double twist[6])
{
    double v[3], spin[3];
    link_momentum(link, frame, NULL, twist, v, spin);
    return 0.5 * (link->mass * v3_dot(v, v) + v3_dot(spin, twist + 3));
}

double tn_subsystem_kinetic(const TnModel *model, int subsystem, const double *qpos,
                            const double *qvel, const TnLinkFrame *frames,
                            const double (*twists)[6])
{
    const TnSubsystem *sub = &model->subsystems[subsystem];
    if (sub->kind == TN_SUBSYSTEM_SOFT) {
        double linear[3] = {0.0}, angular[3] = {0.0};
        return soft_motion(&model->softs[sub->kind_index], qpos, qvel, linear, angular);
    }
    double kinetic = 0.0, at_origin[6] = {0.0};
    for (int i = sub->link_start; i < sub->link_start + sub->link_count; i++) {
        const TnLink *link = &model->links[i];
        double v[3], spin[3];
        if (!twists) next_twist(model, i, qpos, qvel, frames, at_origin);
        link_momentum(link, &frames[i], at_origin, twists ? twists[i] : NULL, v, spin);
        kinetic += 0.5 * (link->mass * v3_dot(v, v) +
                          v3_dot(spin, twists ? twists[i] + 3 : at_origin + 3));
        for (int k = 0; k < link->joint_count && sub->kind == TN_SUBSYSTEM_TREE; k++)
            kinetic += rotor_energy(&model->joints[link->joint_start + k], qvel);
    }
    return kinetic;
}

TnEnergy tn_subsystem_energy(const TnModel *model, int subsystem, const double *qpos,
                             const double *qvel, const TnLinkFrame *frames,
                             const double (*twists)[6])
{
    const TnSubsystem *sub = &model->subsystems[subsystem];
    TnEnergy energy = {
        .kinetic = tn_subsystem_kinetic(model, subsystem, qpos, qvel, frames, twists)};
    if (sub->kind == TN_SUBSYSTEM_SOFT) {
        const TnSoft *soft = &model->softs[sub->kind_index];
        for (int i = 0; i < soft->node_count; i++)
            energy.potential +=
                gravity_of(model, soft->masses[i], qpos + soft->qpos_start + 3L * i);
        return energy;
    }
    for (int i = sub->link_start; i < sub->link_start + sub->link_count; i++) {
        const TnLink *link = &model->links[i];
        energy.potential += gravity_of(model, link->mass, frames[i].com);
        for (int k = 0; k < link->joint_count && sub->kind == TN_SUBSYSTEM_TREE; k++) {
            const TnJoint *joint = &model->joints[link->joint_start + k];
            if (joint->stiffness != 0.0)
                energy.elastic += 0.5 * joint->stiffness * stretch_squared(model, joint, qpos);
        }
    }
    if (sub->kind == TN_SUBSYSTEM_TREE) add_tendons(model, subsystem, qpos, &energy);
    if (sub->kind == TN_SUBSYSTEM_ROD) energy.elastic += tn_rod_energy(model, sub, frames);
    energy.potential += energy.elastic;
    return energy;
}

TnEnergy tn_model_energy(const TnModel *model, const double *qpos, const double *qvel,
                         const TnLinkFrame *frames)
{
    TnEnergy sum = {0.0, 0.0, 0.0};
    for (int s = 0; s < model->subsystem_count; s++) {
        TnEnergy e = tn_subsystem_energy(model, s, qpos, qvel, frames, NULL);
        sum.kinetic += e.kinetic;
        sum.potential += e.potential;
        sum.elastic += e.elastic;
    }
    return sum;
}

void tn_model_momentum(const TnModel *model, const double *qpos, const double *qvel,
                       const TnLinkFrame *frames, double linear[3], double angular[3])
{
    double twist[6] = {0.0}, v[3], spin[3], orbit[3];
    v3_zero(linear);
    v3_zero(angular);
    for (int i = 1; i < model->link_count; i++) {
        const TnLink *link = &model->links[i];
        next_twist(model, i, qpos, qvel, frames, twist);
        link_momentum(link, &frames[i], twist, NULL, v, spin);
        v3_add_scaled(linear, v, link->mass);
        v3_cross(orbit, frames[i].com, v);
        v3_add_scaled(angular, orbit, link->mass);
        v3_add(angular, angular, spin);
    }
    for (int s = 0; s < model->soft_count; s++)
        soft_motion(&model->softs[s], qpos, qvel, linear, angular);
}
