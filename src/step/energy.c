/* energy.c: E = Σ ½ m|v|² + ½ ω·Iω + ½ armature·q̇² - m g·c + springs of joints and tendons;  P = Σ m v;  L = Σ c × m v +
 * Iω.
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

/* p = m v at the com, and spin = I ω, in world axes. */
static void link_momentum(const TnLink *link, const TnLinkFrame *frame, const double twist[6],
                          double v[3], double spin[3])
{
    double w[3];
    v3_cross(v, twist + 3, frame->com);
    v3_add(v, v, twist);
    m3_tmul_v(w, frame->rot, twist + 3);
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

/* ρ V / 20: M of an element is that times 1 + δ_ab between its corners a and b. */
static double consistent_share(const TnSoft *soft, const int32_t tet[4])
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
        double m = consistent_share(soft, tet);
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                add_mass(a == b ? 2.0 * m : m, x + 3L * tet[a], v + 3L * tet[b], v + 3L * tet[a],
                         &twice, linear, angular);
    }
    return 0.5 * twice;
}

static void add_softs(const TnModel *model, const double *qpos, const double *qvel,
                      TnEnergy *energy)
{
    double linear[3] = {0.0}, angular[3] = {0.0};
    for (int s = 0; s < model->soft_count; s++) {
        const TnSoft *soft = &model->softs[s];
        energy->kinetic += soft_motion(soft, qpos, qvel, linear, angular);
        for (int i = 0; i < soft->node_count; i++) {
            const double *x = qpos + soft->qpos_start + 3L * i;
            energy->potential -= soft->masses[i] * v3_dot(model->option.gravity, x);
        }
    }
}

TnEnergy tn_model_energy(const TnModel *model, const double *qpos, const double *qvel,
                         const TnLinkFrame *frames)
{
    TnEnergy energy = {0.0, 0.0};
    double twist[6] = {0.0}, v[3], spin[3];
    for (int i = 1; i < model->link_count; i++) {
        const TnLink *link = &model->links[i];
        next_twist(model, i, qpos, qvel, frames, twist);
        link_momentum(link, &frames[i], twist, v, spin);
        energy.kinetic += 0.5 * (link->mass * v3_dot(v, v) + v3_dot(spin, twist + 3));
        energy.potential -= link->mass * v3_dot(model->option.gravity, frames[i].com);
    }
    for (int j = 0; j < model->joint_count; j++) {
        const TnJoint *joint = &model->joints[j];
        for (int d = 0; d < tn_joint_dofs(joint->type); d++)
            energy.kinetic +=
                0.5 * joint->armature * qvel[joint->dof_start + d] * qvel[joint->dof_start + d];
        if (joint->stiffness != 0.0)
            energy.potential += 0.5 * joint->stiffness * stretch_squared(model, joint, qpos);
    }
    add_softs(model, qpos, qvel, &energy);
    for (int r = 0; r < model->rod_count; r++)
        energy.potential +=
            tn_rod_energy(model, &model->subsystems[model->rods[r].subsystem], frames);
    for (int k = 0; k < model->tendon_count; k++) {
        const TnTendon *tendon = &model->tendons[k];
        double stretch =
            tn_moment_length(tendon->moments, tendon->moment_count, qpos) - tendon->spring_length;
        energy.potential += 0.5 * tendon->stiffness * stretch * stretch;
    }
    return energy;
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
        link_momentum(link, &frames[i], twist, v, spin);
        v3_add_scaled(linear, v, link->mass);
        v3_cross(orbit, frames[i].com, v);
        v3_add_scaled(angular, orbit, link->mass);
        v3_add(angular, angular, spin);
    }
    for (int s = 0; s < model->soft_count; s++)
        soft_motion(&model->softs[s], qpos, qvel, linear, angular);
}
