/* One rod in a world; see rod_sim.h. */
#include "rod_sim.h"

#include <math.h>
#include <string.h>

double rod_area(const TnRodDef *rod) { return VERIFY_PI * rod->radius * rod->radius; }

double rod_bend(const TnRodDef *rod)
{
    double E = rod->bend_modulus < 0 ? rod->youngs_modulus : rod->bend_modulus;
    return E * VERIFY_PI * pow(rod->radius, 4) / 4;
}

double rod_twist(const TnRodDef *rod)
{
    double G = rod->twist_modulus < 0 ? rod->youngs_modulus / (2 * (1 + rod->poisson_ratio))
                                      : rod->twist_modulus;
    return G * VERIFY_PI * pow(rod->radius, 4) / 2;
}

double rod_shear(const TnRodDef *rod)
{
    return 3 * rod->youngs_modulus / (7 + 6 * rod->poisson_ratio) * rod_area(rod);
}

RodSim rod_sim_begin(Finding *finding, double timestep, double theta, double gravity)
{
    RodSim r = {.sim = {.finding = finding}, .builder = tn_builder_create(), .rod = tn_rod_def()};
    TnOption option = tn_option();
    option.timestep = timestep;
    option.theta = theta;
    option.gravity[2] = -gravity;
    tn_builder_set_option(r.builder, &option, (TnSource){0});
    return r;
}

void rod_sim_add(RodSim *r)
{
    TnRodId id = tn_builder_add_rod(r->builder, &r->rod);
    r->first = tn_builder_rod_parts(r->builder, id).body;
}

void rod_sim_hold(RodSim *r, int segment)
{
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = r->first + segment;
    tn_builder_add_equality(r->builder, &weld);
}

void rod_sim_hold_at(RodSim *r, int segment, const double pos[3], const double quat[4])
{
    TnEqualityDef weld = tn_equality_def();
    weld.type = TN_EQUALITY_WELD;
    weld.body1 = TN_BODY_WORLD;
    weld.body2 = r->first + segment;
    weld.has_relpose = true;
    memcpy(weld.relpos, pos, sizeof weld.relpos);
    memcpy(weld.relquat, quat, sizeof weld.relquat);
    tn_builder_add_equality(r->builder, &weld);
}

void rod_sim_finish(RodSim *r)
{
    r->sim = sim_build(r->sim.finding, r->builder, NULL);
    r->builder = NULL;
}

void rod_sim_end(RodSim *r) { sim_close(&r->sim); }

void rod_sim_pos(const RodSim *r, int segment, double pos[3])
{
    double quat[4];
    memset(pos, 0, 3 * sizeof *pos);
    if (r->sim.world) tn_world_body_pose(r->sim.world, r->first + segment, pos, quat);
}

void rod_sim_direction(const RodSim *r, int segment, double along[3])
{
    double pos[3], q[4] = {1, 0, 0, 0};
    if (r->sim.world) tn_world_body_pose(r->sim.world, r->first + segment, pos, q);
    along[0] = 2 * (q[1] * q[3] + q[0] * q[2]);
    along[1] = 2 * (q[2] * q[3] - q[0] * q[1]);
    along[2] = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
}

void rod_sim_march(RodSim *r, int steps, int segment, const double force[3], const double torque[3])
{
    static const double none[3];
    for (int k = 0; k < steps && r->sim.world; k++) {
        if (force || torque)
            tn_world_apply_wrench(r->sim.world, r->first + segment, force ? force : none,
                                  torque ? torque : none);
        if (!sim_step(&r->sim)) return;
    }
}
