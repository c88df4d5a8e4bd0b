/* energy.c: E = Σ ½ m|v|² + ½ ω·Iω + ½ armature·q̇² - m g·c + elastic energy;  P = Σ m v;  L = Σ c ×
 * m v + Iω.
 *
 * Twists are summed up about the world's origin, where those of parent and child simply add: a link
 * next to its parent in the list takes the parent's, any other walks to the root. */
#include "energy.h"

#include <math.h>

#include "../model/joint_motion.h"
#include "../model/path.h"
#include "../subsystem/kind.h"

static const double world_origin[3] = {0.0, 0.0, 0.0};

/* Adds the motion that the link's own joints give it, seen at the world's origin. */
static void add_own_motion(const TnModel *model, const TnLink *link, const double *qpos,
                           const double *qvel, const TnLinkFrame *frames, double twist[6])
{
    TnJointPlace place;
    const TnLinkFrame *frame = &frames[link - model->links];
    TnLinkWalk walk = tn_link_walk_start(link, &frames[link->parent]);
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

/* v at the com, and spin = I ω, in world axes; from the twist at the com where there is one, else
 * from that at the world's origin. */
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

double tn_energy_of_height(const TnModel *model, double mass, const double place[3])
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

static double tendon_energy(const TnModel *model, const TnSubsystem *sub, const double *qvel)
{
    double sum = 0.0;
    for (int k = 0; k < model->tendon_count; k++) {
        const TnTendon *tendon = &model->tendons[k];
        if (!(tendon->armature > 0.0) || &model->subsystems[tendon->subsystem] != sub) continue;
        double rate = tn_moment_rate(tendon->moments, tendon->moment_count, qvel);
        sum += 0.5 * tendon->armature * rate * rate;
    }
    return sum;
}

double tn_link_kinetic(const TnLink *link, const TnLinkFrame *frame, const double twist[6])
{
    double v[3], spin[3];
    link_momentum(link, frame, NULL, twist, v, spin);
    return 0.5 * (link->mass * v3_dot(v, v) + v3_dot(spin, twist + 3));
}

double tn_energy_of_links(const TnModel *model, const TnSubsystem *sub, const TnInstant *now,
                          bool rotors)
{
    double kinetic = 0.0, at_origin[6] = {0.0};
    for (int i = sub->link_start; i < sub->link_start + sub->link_count; i++) {
        const TnLink *link = &model->links[i];
        const double *at_com = now->twists ? now->twists[i] : NULL;
        double v[3], spin[3];
        if (!at_com) next_twist(model, i, now->qpos, now->qvel, now->frames, at_origin);
        link_momentum(link, &now->frames[i], at_origin, at_com, v, spin);
        kinetic +=
            0.5 * (link->mass * v3_dot(v, v) + v3_dot(spin, at_com ? at_com + 3 : at_origin + 3));
        for (int k = 0; k < link->joint_count && rotors; k++)
            kinetic += rotor_energy(&model->joints[link->joint_start + k], now->qvel);
    }
    return rotors ? kinetic + tendon_energy(model, sub, now->qvel) : kinetic;
}

/* ---- tendons that are rows ---- */

typedef struct Pulling {
    const TnModel *model;
    const TnInstant *now;
    double rate;
} Pulling;

static void add_pull(void *context, int link, const double point[3], const double linear[3],
                     const double angular[3])
{
    Pulling *p = context;
    double twist[6] = {0.0}, from[3] = {0.0}, v[3];
    if (p->now->twists) {
        memcpy(twist, p->now->twists[link], sizeof twist);
        v3_copy(from, p->now->frames[link].com);
    } else {
        for (int l = link; l > 0; l = p->model->links[l].parent)
            add_own_motion(p->model, &p->model->links[l], p->now->qpos, p->now->qvel,
                           p->now->frames, twist);
    }
    v3_sub(from, point, from);
    v3_cross(v, twist + 3, from);
    v3_add(v, v, twist);
    p->rate += v3_dot(linear, v) + v3_dot(angular, twist + 3);
}

static void add_moment(void *context, int dof, double coef)
{
    Pulling *p = context;
    p->rate += coef * p->now->qvel[dof];
}

static bool counts_with(const TnTendon *tendon, int s)
{
    return !tendon->direct && tendon->subsystem == s;
}

double tn_path_kinetic(const TnModel *model, int s, const TnInstant *now)
{
    double sum = 0.0;
    for (int k = 0; k < model->tendon_count; k++) {
        const TnTendon *tendon = &model->tendons[k];
        if (!counts_with(tendon, s) || !(tendon->inertia > 0.0)) continue;
        Pulling pulling = {model, now, 0.0};
        tn_path_walk(model, &model->paths[tendon->path], now->qpos, now->frames,
                     &(TnPathVisitor){add_pull, add_moment, &pulling});
        sum += 0.5 * tendon->inertia * pulling.rate * pulling.rate;
    }
    return sum;
}

/* Springs of tendons that are rows; each counts with the first subsystem that it moves. */
static double path_springs(const TnModel *model, int s, const TnInstant *now)
{
    double sum = 0.0;
    for (int k = 0; k < model->tendon_count; k++) {
        const TnTendon *tendon = &model->tendons[k];
        if (!counts_with(tendon, s) || tendon->stiffness == 0.0) continue;
        double over =
            tn_path_walk(model, &model->paths[tendon->path], now->qpos, now->frames, NULL) -
            tendon->spring_length;
        double stretch = over > tendon->dead_band ? over - tendon->dead_band : fmin(over, 0.0);
        sum += 0.5 * tendon->stiffness * stretch * stretch;
    }
    return sum;
}

bool tn_has_path_energy(const TnModel *model, int s)
{
    for (int k = 0; k < model->tendon_count; k++) {
        const TnTendon *tendon = &model->tendons[k];
        if (counts_with(tendon, s) && (tendon->stiffness > 0.0 || tendon->inertia > 0.0))
            return true;
    }
    return false;
}

TnEnergy tn_subsystem_energy(const TnModel *model, int s, const TnSoftElements *elements,
                             const TnInstant *now)
{
    const TnKind *kind = tn_kind_of(model, s);
    TnEnergy energy = {.kinetic = kind->kinetic(model, s, now),
                       .potential = kind->gravity(model, s, now)};
    if (kind->elastic) energy.elastic = kind->elastic(model, s, elements, now);
    energy.kinetic += tn_path_kinetic(model, s, now);
    energy.elastic += path_springs(model, s, now);
    energy.potential += energy.elastic;
    return energy;
}

TnEnergy tn_model_energy(const TnModel *model, const double *qpos, const double *qvel,
                         const TnLinkFrame *frames)
{
    const TnInstant now = {.qpos = qpos, .qvel = qvel, .frames = frames};
    TnEnergy sum = {0.0, 0.0, 0.0};
    for (int s = 0; s < model->subsystem_count; s++) {
        TnEnergy e = tn_subsystem_energy(model, s, NULL, &now);
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
        tn_soft_motion(&model->softs[s], qpos, qvel, linear, angular);
}
