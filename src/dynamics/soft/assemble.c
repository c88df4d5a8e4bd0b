/* assemble.c: one step of soft bodies as a linear system in v̂ = (1-θ) v + θ v⁺ of their nodes. With
 * x⁺ = x + p v̂ - r v, elements at the place x_e where the step is expected to end, f and K there:
 *     M (v̂ - start)/(θt) = (1-β) f(x) + β (f - K (x_e(v̂) - x_e)) - (τK + αM) v_d + m g + forces
 * (weights.c says what β and the others are). The law's own rotation is that of the end, so a body that spins does
 * not feel its rotation as strain: f of a turned body is zero, and x⁺ = x + t v̂ is turned where v̂ is the mean of
 * the turning velocities. Velocities of the start, where they meet K, are turned along with the body, Q v.
 *
 * Each piece gathers its numbers into a vector of its own and writes to its own nodes and edges of the block;
 * carried nodes come afterwards. */
#include "elements.h"

#include <math.h>
#include <string.h>

#include "../../math/vec3.h"

/* ---- what is expected ---- */

static bool take_memory(const TnSoft *soft, TnArena *arena, TnSoftSystem *s)
{
    size_t n = 3 * (size_t)soft->node_count;
    s->expected = TN_ARENA_NEW(arena, double, n);
    s->end = TN_ARENA_NEW(arena, double, n);
    s->holds = tn_arena_calloc(arena, sizeof *s->holds * ((size_t)soft->hold_count + 1));
    return s->expected && s->end && s->holds;
}

bool tn_soft_predict(const TnSoftInput *input, TnSoftSystem *softs, double *end_qvel)
{
    const TnModel *model = input->in->model;
    for (int s = 0; s < model->soft_count; s++) {
        const TnSoft *soft = &model->softs[s];
        int n = 3 * soft->node_count;
        if (!take_memory(soft, input->arena, &softs[s])) return false;
        tn_predict_velocity(n, input->in->qvel + soft->dof_start, input->last + soft->dof_start,
                            softs[s].expected);
        for (int k = 0; k < n; k++)
            if (soft->pinned[k / 3]) softs[s].expected[k] = 0.0;
    }
    if (!tn_soft_hold_motion(input, softs)) return false;
    for (int s = 0; s < model->soft_count; s++) {
        const TnSoft *soft = &model->softs[s];
        const double *v = input->in->qvel + soft->dof_start;
        for (int k = 0; k < 3 * soft->node_count; k++)
            end_qvel[soft->dof_start + k] =
                soft->pinned[k / 3] ? 0.0 : v[k] + (softs[s].expected[k] - v[k]) / input->in->theta;
    }
    return true;
}

/* ---- one body ---- */

typedef struct BodyStep {
    TnSoftWeights weights;
    double turn[9]; /* Q */
} BodyStep;

/* The turn of the body as a whole over the expected step: Cayley's of the ω with the same angular momentum, half
 * way. */
static void body_turn(const TnSoft *soft, const double *x, const double *v, double t, double Q[9])
{
    double centre[3] = {0.0}, mean[3] = {0.0}, L[3] = {0.0}, I[9] = {0.0}, omega[3];
    for (int n = 0; n < soft->node_count; n++) {
        v3_add_scaled(centre, x + 3 * n, soft->masses[n]);
        v3_add_scaled(mean, v + 3 * n, soft->masses[n]);
    }
    v3_scale(centre, centre, 1.0 / soft->mass);
    v3_scale(mean, mean, 1.0 / soft->mass);
    for (int n = 0; n < soft->node_count; n++) {
        double r[3], u[3], l[3], m = soft->masses[n];
        for (int k = 0; k < 3; k++) {
            u[k] = v[3 * n + k] - mean[k];
            r[k] = x[3 * n + k] - centre[k] + 0.5 * t * u[k];
        }
        double r2 = v3_dot(r, r);
        v3_cross(l, r, u);
        v3_add_scaled(L, l, m);
        for (int k = 0; k < 9; k++) I[k] += m * ((k % 4 ? 0.0 : r2) - r[k / 3] * r[k % 3]);
    }
    double quat[4] = {1.0, 0.0, 0.0, 0.0};
    if (tn_soft_solve3(I, L, omega)) {
        for (int k = 0; k < 3; k++) quat[1 + k] = 0.5 * t * omega[k];
        quat_normalize(quat);
    }
    quat_to_m3(Q, quat);
}

bool tn_soft_solve3(const double I[9], const double y[3], double x[3])
{
    double c0[3], c1[3], c2[3];
    v3_cross(c0, I + 3, I + 6);
    v3_cross(c1, I + 6, I);
    v3_cross(c2, I, I + 3);
    double det = v3_dot(I, c0), size = I[0] + I[4] + I[8];
    if (!(det > 1e-12 * size * size * size)) return false; /* nodes in a line */
    for (int i = 0; i < 3; i++) x[i] = (c0[i] * y[0] + c1[i] * y[1] + c2[i] * y[2]) / det;
    return true;
}

/* Where the elements are taken, and the weights. */
static void prepare_body(const TnSoftInput *input, int index, TnSoftSystem *s, BodyStep *step)
{
    const TnSoft *soft = &input->in->model->softs[index];
    const double *x = input->in->qpos + soft->qpos_start, *v = input->in->qvel + soft->dof_start;
    TnSoftWeights *w = &step->weights;
    *w = tn_soft_weights(input->in, soft, input->elements->rates[index], s->w);
    body_turn(soft, x, s->expected, input->in->t, step->turn);
    for (int n = 0; n < soft->node_count; n++) {
        double turned[3];
        m3_mul_v(turned, step->turn, v + 3 * n);
        for (int k = 0; k < 3; k++) {
            double u = v[3 * n + k], expected = s->expected[3 * n + k];
            double after = u + (expected - u) / input->in->theta;
            s->end[3 * n + k] = soft->pinned[n] ? x[3 * n + k]
                                                : x[3 * n + k] + w->p * expected - w->r * u +
                                                      w->late * (after - turned[k]);
        }
    }
}

/* ---- one piece ---- */

typedef struct Assembly {
    const TnSoftInput *input;
    const TnSoftSystem *softs;
    const BodyStep *steps;
    TnMeshSystem *meshes;
} Assembly;

void tn_piece_add_mass(const TnPieceElements *p, bool consistent, double scale, const double *v,
                       double *out)
{
    if (!consistent) {
        for (int n = 0; n < 3 * p->piece->node_count; n++) out[n] += scale * p->mass[n / 3] * v[n];
        return;
    }
    for (int k = 0; k < p->mesh->batch_count; k++) {
        const TnFemBatch *batch = &p->mesh->batches[k];
        for (int l = 0; l < batch->count; l++) {
            double m = scale * p->mesh->material.density * batch->volume[l] / 20.0, sum[3] = {0.0};
            for (int a = 0; a < 4; a++) v3_add(sum, sum, v + 3 * (size_t)batch->node[a][l]);
            for (int a = 0; a < 4; a++)
                for (int i = 0; i < 3; i++) {
                    size_t n = 3 * (size_t)batch->node[a][l] + (size_t)i;
                    out[n] += m * (sum[i] + v[n]);
                }
        }
    }
}

/* Σ of the forces at the start and at the end, and K y of the end, to p->f; K to the block. */
static void add_elements(const Assembly *as, TnPieceElements *p, TnMeshSystem *system)
{
    const TnDynamicsInput *in = as->input->in;
    const TnSoftPiece *piece = p->piece;
    const TnSoft *soft = &in->model->softs[piece->soft];
    const TnSoftSystem *s = &as->softs[piece->soft];
    const BodyStep *step = &as->steps[piece->soft];
    const TnSoftWeights *w = &step->weights;
    const double *x = in->qpos + soft->qpos_start, *v = in->qvel + soft->dof_start;
    size_t numbers = 3 * (size_t)piece->node_count;
    if (w->share < 1.0) {
        for (int a = 0; a < piece->node_count; a++) v3_copy(p->x + 3 * a, x + 3 * piece->nodes[a]);
        memset(p->y, 0, sizeof(double) * numbers);
        tn_fem_place(p->mesh, p->x, p->places, p->patches);
        tn_fem_add_forces(p->mesh, p->places, p->y);
        for (size_t k = 0; k < numbers; k++) p->f[k] += (1.0 - w->share) * p->y[k];
    }
    for (int a = 0; a < piece->node_count; a++) v3_copy(p->x + 3 * a, s->end + 3 * piece->nodes[a]);
    memset(p->y, 0, sizeof(double) * numbers);
    tn_fem_place(p->mesh, p->x, p->places, p->patches);
    tn_fem_add_forces(p->mesh, p->places, p->y);
    for (size_t k = 0; k < numbers; k++) p->f[k] += w->share * p->y[k];
    for (int a = 0; a < piece->node_count; a++) {
        int n = piece->nodes[a];
        double turned[3];
        m3_mul_v(turned, step->turn, v + 3 * n);
        for (int k = 0; k < 3; k++)
            p->y[3 * a + k] = w->share * w->lead * s->expected[3 * n + k] -
                              w->damping_turned * turned[k] - w->damping_start * v[3 * n + k];
    }
    tn_fem_add_stiffness_product(p->mesh, p->places, 1.0, p->y, p->patches, p->f);
    tn_fem_add_stiffness(p->mesh, p->places, &p->map, w->stiffness, p->patches,
                         (double *)system->blocks);
}

/* Masses, weights and forces that are given. */
static void add_inertia(const Assembly *as, int index, TnPieceElements *p, TnMeshSystem *system)
{
    const TnSoftInput *input = as->input;
    const TnDynamicsInput *in = input->in;
    const TnSoftPiece *piece = p->piece;
    const TnSoft *soft = &in->model->softs[piece->soft];
    const TnSoftSystem *s = &as->softs[piece->soft];
    const TnSoftWeights *w = &as->steps[piece->soft].weights;
    const double *v = in->qvel + soft->dof_start, *g = in->model->option.gravity;
    for (int a = 0; a < piece->node_count; a++) {
        int n = piece->nodes[a], hold = piece->hold[a];
        const double *start = hold >= 0 ? s->holds[hold].start : v + 3 * n;
        bool first = input->division->node_piece[piece->soft][n] == index;
        for (int k = 0; k < 3; k++) {
            p->y[3 * a + k] = w->inertia * start[k] - w->drag_start * v[3 * n + k];
            if (soft->pinned[n]) p->y[3 * a + k] = 0.0;
            p->f[3 * a + k] = p->mass[a] * g[k];
            if (input->forces && first)
                p->f[3 * a + k] += input->forces[soft->dof_start + 3 * n + k];
        }
    }
    tn_piece_add_mass(p, soft->consistent_mass, 1.0, p->y, p->f);
    double scale = w->inertia + w->drag;
    if (soft->consistent_mass) {
        tn_fem_add_mass(p->mesh, &p->map, scale, (double *)system->blocks);
        return;
    }
    for (int k = 0; k < p->pair_count; k++)
        if (p->pairs[k][0] == p->pairs[k][1])
            for (int i = 0; i < 9; i += 4)
                system->blocks[p->pair_start + k][i] += scale * p->mass[p->pairs[k][0]];
    for (int a = 0; a < piece->node_count; a++)
        for (int i = 0; i < 9 && piece->block_node[a] >= 0; i += 4)
            system->blocks[piece->block_node[a]][i] += scale * p->mass[a];
}

static void assemble_pieces(void *context, int begin, int end)
{
    const Assembly *as = context;
    const TnDivision *d = as->input->division;
    for (int i = begin; i < end; i++) {
        TnPieceElements *p = &as->input->elements->pieces[i];
        TnMeshSystem *system = &as->meshes[p->piece->block - d->dense_count - d->chain_count];
        add_inertia(as, i, p, system);
        add_elements(as, p, system);
        for (int a = 0; a < p->piece->node_count; a++)
            if (p->piece->block_node[a] >= 0)
                v3_add(system->b + 3 * p->piece->block_node[a],
                       system->b + 3 * p->piece->block_node[a], p->f + 3 * a);
    }
}

bool tn_soft_assemble(const TnSoftInput *input, TnSoftSystem *softs, TnMeshSystem *meshes)
{
    const TnModel *model = input->in->model;
    const TnDivision *d = input->division;
    BodyStep *steps = TN_ARENA_NEW(input->arena, BodyStep, model->soft_count);
    if (!steps) return false;
    for (int s = 0; s < model->soft_count; s++) prepare_body(input, s, &softs[s], &steps[s]);
    for (int m = 0; m < d->mesh_count; m++) {
        size_t blocks = (size_t)input->elements->edges[m].array_count,
               nodes = (size_t)d->meshes[m].node_count;
        meshes[m].blocks = tn_arena_calloc(input->arena, sizeof(double[9]) * blocks);
        meshes[m].b = TN_ARENA_ZERO(input->arena, double, 3 * nodes);
        if (!meshes[m].blocks || !meshes[m].b) return false;
        tn_mesh_add_trees(input, m, &meshes[m]);
    }
    Assembly as = {input, softs, steps, meshes};
    tn_pool_run(input->pool, d->piece_count, 1, assemble_pieces, &as);
    for (int m = 0; m < d->mesh_count; m++) tn_mesh_add_carried(input, softs, m, &meshes[m]);
    return true;
}
