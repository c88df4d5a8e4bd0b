/* pull_soft.c: spring and damper between the mouse and a soft body.
 *
 * A single node weighs next to nothing, and a spring that it can stand would not lift the body. So
 * the force is spread over all nodes within 0.75 of the body's size (the edge of a cube of its
 * volume) from the point that is held, with shares s that fall to zero at the rim. The spring is
 * fixed at their mean Σ s x, and so sees the mass
 *
 *   p = 1 / Σ (s² / m)
 *
 * at least: what holds the nodes together only adds to it. Spring and damper are limited by p as
 * those of rigid bodies are (pull.c). Spin about the held point, which the spring does not feel, is
 * damped by forces on the nodes against their motion relative to the patch's own; their sum is
 * zero. */
#include "pull_soft.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool soft_grip_fits(const SoftGrip *grip, const Pull *pull)
{
    return grip->soft == pull->soft && memcmp(grip->nodes, pull->nodes, sizeof grip->nodes) == 0;
}

void soft_grip_free(SoftGrip *grip)
{
    free(grip->patch);
    free(grip->shares);
    *grip = (SoftGrip){0};
}

/* Edge of a cube of the same volume; of a sheet, of a square of the same area. */
static double size_of(const TnSoftInfo *soft)
{
    double area = 0;
    for (int i = 0; soft->thickness > 0 && i < soft->triangle_count; i++) {
        const int32_t *t = soft->triangles + 3 * i;
        double e[2][3], n[3];
        for (int k = 0; k < 6; k++)
            e[k / 3][k % 3] = soft->rest[3 * t[1 + k / 3] + k % 3] - soft->rest[3 * t[0] + k % 3];
        for (int k = 0; k < 3; k++)
            n[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
        area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    if (area > 0) return sqrt(area);
    /* the volume changes nothing in the mesh, which is the model's */
    TnTetMesh mesh = {soft->node_count, soft->tet_count, (double *)(uintptr_t)soft->rest,
                      (int32_t *)(uintptr_t)soft->tets};
    return cbrt(tn_tet_mesh_volume(&mesh));
}

static void held_point(const Pull *pull, const double *nodes, double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        for (int c = 0; c < 3; c++) out[k] += pull->weights[c] * nodes[3 * pull->nodes[c] + k];
    }
}

static void mean(const SoftGrip *grip, const double *nodes, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < grip->count; i++)
        for (int k = 0; k < 3; k++) out[k] += grip->shares[i] * nodes[3 * grip->patch[i] + k];
}

static void mass_mean(const SoftGrip *grip, const double *masses, const double *nodes,
                      double out[3])
{
    double sum = 0;
    out[0] = out[1] = out[2] = 0;
    for (int i = 0; i < grip->count; i++) {
        double mass = masses[grip->patch[i]];
        for (int k = 0; k < 3; k++) out[k] += mass * nodes[3 * grip->patch[i] + k];
        sum += mass;
    }
    for (int k = 0; k < 3; k++) out[k] /= sum;
}

bool soft_grip_take(SoftGrip *grip, const Pull *pull, const TnWorld *world)
{
    const TnModel *model = tn_world_model(world);
    TnSoftInfo soft = tn_model_soft_info(model, pull->soft);
    const double *now = tn_world_state(world).qpos + soft.qpos_start;
    soft_grip_free(grip);
    grip->patch = malloc((size_t)soft.node_count * sizeof *grip->patch);
    grip->shares = malloc((size_t)soft.node_count * sizeof *grip->shares);
    if (!grip->patch || !grip->shares) {
        soft_grip_free(grip);
        return false;
    }
    double center[3], sum = 0, softness = 0, radius = 0.75 * size_of(&soft), held[3], middle[3];
    held_point(pull, soft.rest, center);
    for (int i = 0; i < soft.node_count; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++) {
            double away = soft.rest[3 * i + k] - center[k];
            square += away * away;
        }
        double share = 1 - square / (radius * radius);
        for (int c = 0; c < 3; c++) /* never empty, however coarse the mesh */
            if (pull->nodes[c] == i) share = fmax(share, pull->weights[c]);
        if (!(share > 0)) continue;
        grip->patch[grip->count] = i;
        grip->shares[grip->count++] = share;
        sum += share;
    }
    for (int i = 0; i < grip->count; i++) {
        grip->shares[i] /= sum;
        softness += grip->shares[i] * grip->shares[i] / soft.node_masses[grip->patch[i]];
    }
    grip->soft = pull->soft;
    memcpy(grip->nodes, pull->nodes, sizeof grip->nodes);
    grip->mass = soft.mass;
    grip->shown = softness > 0 ? 1 / softness : 0;
    grip->timestep = tn_model_info(model).option.timestep;
    held_point(pull, now, held);
    mean(grip, now, middle);
    for (int k = 0; k < 3; k++) grip->offset[k] = held[k] - middle[k];
    return true;
}

void soft_grip_pull(const SoftGrip *grip, const Pull *pull, TnWorld *world, double force[3],
                    double at[3])
{
    TnSoftInfo soft = tn_model_soft_info(tn_world_model(world), grip->soft);
    TnStateView state = tn_world_state(world);
    double velocity[3], spring, damper;
    mean(grip, state.qpos + soft.qpos_start, at);
    mean(grip, state.qvel + soft.dof_start, velocity);
    pull_limits(grip->mass, pull->stiffness, grip->shown, grip->timestep, &spring, &damper);
    for (int k = 0; k < 3; k++) {
        at[k] += grip->offset[k];
        force[k] = spring * (pull->target[k] - at[k]) - damper * velocity[k];
    }
    double own[3], rate = fmin(sqrt(pull->stiffness), 0.25 / grip->timestep); /* 1/s */
    mass_mean(grip, soft.node_masses, state.qvel + soft.dof_start, own);
    for (int i = 0; i < grip->count; i++) {
        double part[3], mass = soft.node_masses[grip->patch[i]];
        const double *v = state.qvel + soft.dof_start + 3 * grip->patch[i];
        for (int k = 0; k < 3; k++)
            part[k] = grip->shares[i] * force[k] - rate * mass * (v[k] - own[k]);
        tn_world_apply_node_force(world, grip->soft, grip->patch[i], part);
    }
}
