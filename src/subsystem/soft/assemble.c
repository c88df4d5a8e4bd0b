/* assemble.c: one step of soft bodies as a linear system in v̂ = (1-θ) v + θ v⁺ of their nodes. With
 * x⁺ = x + p v̂ - r v, elements at the place x_e where the step is expected to end, f and K there:
 *     M (v̂ - start)/(θt) = (1-β) f(x) + β (f - K (x_e(v̂) - x_e)) - (τK + αM) v_d + m g + forces
 * (weights.c says what β and the others are). The law's own rotation is that of the end, so a body
 * that spins does not feel its rotation as strain: f of a turned body is zero, and x⁺ = x + t v̂ is
 * turned where v̂ is the mean of the turning velocities. Velocities of the start, where they meet K,
 * are turned along with the body, Q v.
 *
 * Levers. Forces of elements balance about x_e, but the body gets its impulses at x + c t v̂,
 * c = (1-θ)(1-w). On one that turns by ωt they leave a torque of ωt times its stress, which drives
 * whatever rolls or rocks under its weight. In free flight it is given back afterwards (advance.c);
 * where contacts push, what is expected of it is taken off b as a turning force -m α × r.
 *
 * Each piece gathers its numbers into a vector of its own and writes to its own nodes and edges of
 * the block; carried nodes come afterwards. */
#include "elements.h"

#include <math.h>
#include <string.h>

#include "../../base/rounding.h"
#include "../../math/vec3.h"

/* Of the spin, in a step: more than this is no slow rolling, and the stress will not stay as it is.
 */
#define MOST_BALANCE 0.1

typedef struct Assembly {
    const TnSoftInput *input;
    const TnSoftSystem *softs;
    const TnSoftStep *steps;
    TnMeshSystem *meshes;
    bool at_start; /* the forces at the start of the step; else those at its end, and K */
    bool alone;    /* neither: forces at the start and nothing else, of bodies that roll */
    const TnSoftChunk *chunks; /* what threads share */
} Assembly;

void tn_piece_add_mass(const TnPieceElements *p, bool consistent, double scale,
                       const double (*v)[4], double (*out)[4])
{
    for (int a = 0; a < p->piece->node_count && !consistent; a++)
        v3_add_scaled(out[a], v[a], scale * p->mass[a]);
    for (int k = 0; k < p->mesh->batch_count && consistent; k++) {
        const TnFemBatch *batch = &p->mesh->batches[k];
        for (int l = 0; l < batch->count; l++) {
            double m = scale * p->mesh->material.density * batch->volume[l] / 20.0, sum[3] = {0.0};
            for (int a = 0; a < 4; a++) v3_add(sum, sum, v[batch->node[a][l]]);
            for (int a = 0; a < 4; a++) {
                double own[3];
                v3_add(own, sum, v[batch->node[a][l]]);
                v3_add_scaled(out[batch->node[a][l]], own, m);
            }
        }
    }
}

static TnMeshSystem *system_of(const Assembly *as, const TnSoftPiece *piece)
{
    const TnDivision *d = as->input->systems->division;
    return &as->meshes[piece->block - d->dense_count - d->chain_count];
}

/* Of a node of a body that rolls, from its centre at the start. */
static void arm_of(const Assembly *as, int soft, int node, double arm[3])
{
    const TnSoftStep *step = &as->steps[soft];
    const double *x = as->input->in->qpos + as->input->in->model->softs[soft].qpos_start;
    v3_sub(arm, x + 3 * node, step->centre);
    v3_add_scaled(arm, step->mean, 0.5 * as->input->in->t); /* where the centre was */
}

static void add_balance(const Assembly *as, TnPieceElements *p, int a)
{
    const TnSoftStep *step = &as->steps[p->piece->soft];
    const double *end = as->softs[p->piece->soft].end + 3 * p->piece->nodes[a];
    double arm[3], turn[3];
    if (step->flies)
        v3_sub(arm, end, step->end_centre);
    else
        arm_of(as, p->piece->soft, p->piece->nodes[a], arm);
    v3_cross(turn, step->balance, arm);
    v3_add_scaled(p->f[a], turn, -p->mass[a]);
}

/* Masses to A; b of masses and forces that are given to p->f. Of nodes first..last - 1. */
static void add_inertia(const Assembly *as, const TnSoftChunk *chunk)
{
    const TnSoftInput *input = as->input;
    TnPieceElements *p = &input->elements->pieces[chunk->piece];
    const TnSoftPiece *piece = p->piece;
    const TnSoft *soft = &input->in->model->softs[piece->soft];
    const TnSoftSystem *s = &as->softs[piece->soft];
    const TnSoftWeights *w = &as->steps[piece->soft].weights;
    const double *v = input->in->qvel + soft->dof_start, *g = input->in->model->option.gravity;
    TnMeshSystem *system = system_of(as, piece);
    double scale = w->inertia + w->drag;
    for (int a = chunk->first; a < chunk->last; a++) {
        int n = piece->nodes[a], hold = piece->follow[a];
        const double *start = hold >= 0 ? s->holds[hold].start : v + 3 * n;
        bool first = input->systems->division->node_piece[piece->soft][n] == chunk->piece;
        for (int k = 0; k < 3; k++) {
            p->y[a][k] = w->inertia * start[k] - w->drag_start * v[3 * n + k];
            if (soft->pinned[n]) p->y[a][k] = 0.0;
            p->f[a][k] = p->mass[a] * g[k];
        }
        if (as->steps[piece->soft].rolls || as->steps[piece->soft].flies) add_balance(as, p, a);
        for (int k = 0; k < 3; k++) {
            if (input->forces && first) p->f[a][k] += input->forces[soft->dof_start + 3 * n + k];
        }
        if (soft->consistent_mass) continue;
        v3_add_scaled(p->f[a], p->y[a], p->mass[a]);
        for (int c = 0; c < 9 && piece->block_node[a] >= 0; c += 4)
            system->blocks[piece->block_node[a]][c] += scale * p->mass[a];
    }
}

/* What is no matter of single nodes. */
static void add_coupled_inertia(const Assembly *as, int index)
{
    TnPieceElements *p = &as->input->elements->pieces[index];
    const TnSoft *soft = &as->input->in->model->softs[p->piece->soft];
    const TnSoftWeights *w = &as->steps[p->piece->soft].weights;
    TnMeshSystem *system = system_of(as, p->piece);
    double scale = w->inertia + w->drag;
    for (int k = 0; k < p->pair_count && !soft->consistent_mass; k++)
        if (p->pairs[k][0] == p->pairs[k][1])
            for (int c = 0; c < 9; c += 4)
                system->blocks[p->pair_start + k][c] += scale * p->mass[p->pairs[k][0]];
    if (!soft->consistent_mass) return;
    tn_piece_add_mass(p, true, 1.0, (const double(*)[4])p->y, p->f);
    for (int k = 0; k < p->mesh->batch_count; k++)
        for (int i = 0; i < TN_FEM_PAIRS * TN_FEM_LANES; i++) {
            static const bool same[TN_FEM_PAIRS] = {1, 0, 1, 0, 0, 1, 0, 0, 0, 1};
            int pair = i / TN_FEM_LANES, l = i % TN_FEM_LANES;
            double m = scale * p->mesh->material.density * p->mesh->batches[k].volume[l] / 20.0;
            for (int c = 0; c < 9; c += 4)
                system->blocks[p->targets[k][pair][l]][c] += same[pair] ? 2.0 * m : m;
        }
}

static TnFemStep step_of(const Assembly *as, int index)
{
    TnPieceElements *p = &as->input->elements->pieces[index];
    const TnSoftWeights *w = &as->steps[p->piece->soft].weights;
    return (TnFemStep){
        .mesh = p->mesh,
        .x = (const double(*)[4])p->x,
        .y = (const double(*)[4])p->y,
        .share = as->at_start ? 1.0 - w->share : w->share,
        .stiffness = w->stiffness,
        .lead = as->at_start || as->alone ? NULL : (const double(*)[4])p->lead,
        .lead_scale = w->share * w->lead,
        .targets = (const int(*)[TN_FEM_PAIRS][TN_FEM_LANES])p->targets,
        .f = p->f,
        .blocks = as->at_start || as->alone ? NULL : (double *)system_of(as, p->piece)->blocks,
        .turns = p->turns,
        .patch_dilatation = p->patch_dilatation,
        .patch_rate = p->patch_rate,
        .patch_growth = p->growth,
        .patch_targets = p->patch_targets};
}

/* ---- the elements, phase by phase: threads take pieces, or chunks of them ---- */

/* The elements of a piece count in this phase. */
static bool left_out(const Assembly *as, const TnPieceElements *p)
{
    return tn_left_out(as->input->in, as->input->in->model->softs[p->piece->soft].subsystem);
}

static bool counts(const Assembly *as, const TnPieceElements *p)
{
    if (left_out(as, p)) return false;
    if (as->alone) return as->steps[p->piece->soft].rolls;
    return !as->at_start || as->steps[p->piece->soft].weights.share < 1.0;
}

static void inertia_nodes(void *context, int begin, int end)
{
    const Assembly *as = context;
    for (int i = begin; i < end; i++)
        if (!left_out(as, &as->input->elements->pieces[as->chunks[i].piece]))
            add_inertia(as, &as->chunks[i]);
}

static void inertia_pieces(void *context, int begin, int end)
{
    const Assembly *as = context;
    for (int i = begin; i < end; i++)
        if (!left_out(as, &as->input->elements->pieces[i])) add_coupled_inertia(as, i);
}

/* Where the nodes are, and y: K y is what the linear law has at v̂ = 0, and damping of the start's
 * velocity. */
static void load_nodes(void *context, int begin, int end)
{
    const Assembly *as = context;
    const TnDynamicsInput *in = as->input->in;
    for (int i = begin; i < end; i++) {
        const TnSoftChunk *chunk = &as->chunks[i];
        TnPieceElements *p = &as->input->elements->pieces[chunk->piece];
        const TnSoftPiece *piece = p->piece;
        const TnSoft *soft = &in->model->softs[piece->soft];
        const TnSoftSystem *s = &as->softs[piece->soft];
        const TnSoftStep *step = &as->steps[piece->soft];
        const TnSoftWeights *w = &step->weights;
        const double *v = in->qvel + soft->dof_start;
        const double *x = as->at_start || as->alone ? in->qpos + soft->qpos_start : s->end;
        if (!counts(as, p)) continue;
        for (int a = chunk->first; a < chunk->last; a++) {
            int n = piece->nodes[a];
            double turned[3], whole[3], way[3];
            if (as->alone) v3_zero(p->f[a]);
            m3_mul_v(turned, step->turn, v + 3 * n);
            tn_soft_whole_velocity(step, in->qpos + soft->qpos_start + 3 * n, s->way + 3 * n, in->t,
                                   whole, way);
            for (int k = 0; k < 3; k++) {
                p->x[a][k] = x[3 * n + k];
                p->lead[a][k] = w->share * w->lead * s->expected[3 * n + k];
                p->y[a][k] =
                    as->at_start || as->alone
                        ? 0.0
                        : w->share * w->lead * s->expected[3 * n + k] -
                              w->damping_turned * turned[k] - w->damping_start * v[3 * n + k] +
                              w->damping_whole * (whole[k] + way[k]) + w->damping_way * way[k];
            }
        }
    }
}

static void turn_batches(void *context, int begin, int end)
{
    const Assembly *as = context;
    const TnSoftElements *all = as->input->elements;
    for (int i = begin; i < end; i++) {
        const TnSoftChunk *chunk = &as->chunks[i];
        const TnPieceElements *p = &all->pieces[chunk->piece];
        TnFemStep step = step_of(as, chunk->piece);
        if (counts(as, p) && p->mesh->material.law == TN_FEM_COROTATIONAL)
            all->kernels->turn(&step, chunk->first, chunk->last);
    }
}

/* Means over the patches, in the order of their elements. */
static void mean_patches(void *context, int begin, int end)
{
    const Assembly *as = context;
    for (int i = begin; i < end; i++) {
        const TnSoftChunk *chunk = &as->chunks[i];
        const TnPieceElements *p = &as->input->elements->pieces[chunk->piece];
        const TnFemMesh *mesh = p->mesh;
        if (!counts(as, p)) continue;
        int first = mesh->patch_start[chunk->first], last = mesh->patch_start[chunk->last];
        memset(p->growth + first, 0, sizeof *p->growth * (size_t)(last - first));
        for (int k = chunk->first; k < chunk->last; k++) {
            double dilatation = 0.0, rate = 0.0;
            for (int t = p->patch_first[k]; t < p->patch_first[k + 1]; t++) {
                int b = p->patch_tets[t] / TN_FEM_LANES, l = p->patch_tets[t] % TN_FEM_LANES;
                dilatation += mesh->batches[b].volume[l] * p->turns[b].dilatation[l];
                rate += mesh->batches[b].volume[l] * p->turns[b].rate[l];
            }
            p->patch_dilatation[k] = dilatation / mesh->patch_volume[k];
            p->patch_rate[k] = rate * mesh->material.lambda / mesh->patch_volume[k];
        }
    }
}

static void add_batches(void *context, int begin, int end)
{
    const Assembly *as = context;
    const TnSoftElements *all = as->input->elements;
    for (int i = begin; i < end; i++) {
        const TnSoftChunk *chunk = &as->chunks[i];
        const TnPieceElements *p = &all->pieces[chunk->piece];
        TnFemStep step = step_of(as, chunk->piece);
        if (!counts(as, p)) continue;
        if (p->mesh->material.law == TN_FEM_COROTATIONAL)
            all->kernels->add(&step, chunk->first, chunk->last);
        else if (p->mesh->material.law == TN_FEM_MEMBRANE)
            all->kernels->add_membrane(&step, chunk->first, chunk->last);
        else
            all->kernels->add_neo_hookean(&step, chunk->first, chunk->last);
    }
}

/* Of sheets: its matrix is constant. */
static void bend_pieces(void *context, int begin, int end)
{
    const Assembly *as = context;
    for (int i = begin; i < end; i++) {
        const TnPieceElements *p = &as->input->elements->pieces[i];
        if (!p->bending || !counts(as, p)) continue;
        TnFemStep step = step_of(as, i);
        tn_bending_add(p->bending, step.x, step.y, step.share, step.f);
        for (int k = 0; step.blocks && k < p->bending->row_start[p->bending->node_count]; k++) {
            double *block = step.blocks + 9 * (size_t)p->bend_targets[k];
            double c = step.stiffness * p->bending->value[k];
            for (int d = 0; d < 9; d += 4) block[d] += c;
        }
    }
}

static void add_patches(void *context, int begin, int end)
{
    const Assembly *as = context;
    for (int i = begin; i < end; i++) {
        const TnSoftChunk *chunk = &as->chunks[i];
        const TnPieceElements *p = &as->input->elements->pieces[chunk->piece];
        if (left_out(as, p)) continue;
        TnFemStep step = step_of(as, chunk->piece);
        step.patch_targets += p->patch_pair[chunk->first];
        as->input->elements->kernels->add_patches(&step, chunk->first, chunk->last);
    }
}

/* p->f to b. */
static void finish_nodes(void *context, int begin, int end)
{
    const Assembly *as = context;
    for (int i = begin; i < end; i++) {
        const TnSoftChunk *chunk = &as->chunks[i];
        const TnPieceElements *p = &as->input->elements->pieces[chunk->piece];
        if (left_out(as, p)) continue;
        double *b = system_of(as, p->piece)->b;
        for (int a = chunk->first; a < chunk->last; a++) {
            double *to = b + 3 * p->piece->block_node[a];
            if (p->piece->block_node[a] >= 0) v3_add(to, to, p->f[a]);
        }
    }
}

/* All chunks at once, or colour by colour. */
static void run(Assembly *as, const TnSoftChunks *chunks, bool by_colour, TnRangeFn fn)
{
    for (int first = 0, last; first < chunks->count; first = last) {
        for (last = by_colour ? first : chunks->count; last < chunks->count; last++)
            if (chunks->list[last].colour != chunks->list[first].colour) break;
        as->chunks = chunks->list + first;
        tn_pool_run(as->input->pool, last - first, 1, fn, as);
    }
}

static void add_elements(Assembly *as)
{
    const TnSoftElements *all = as->input->elements;
    run(as, &all->nodes, false, load_nodes);
    run(as, &all->batches, false, turn_batches);
    run(as, &all->patches, false, mean_patches);
    run(as, &all->batches, true, add_batches);
    if (all->has_bending) tn_pool_run(as->input->pool, all->piece_count, 1, bend_pieces, as);
}

/* A push of which nothing was known, or anything that holds it, tells more of the torque than the
 * elements do. */
static bool rolls(const TnSoftInput *input, int index, const TnSoftSystem *s,
                  const TnSoftStep *step)
{
    const TnSoft *soft = &input->in->model->softs[index];
    if (s->alone || !s->smooth || soft->hold_count) return false;
    for (int n = 0; n < soft->node_count; n++)
        if (soft->pinned[n]) return false;
    return v3_dot(step->omega, step->omega) * input->in->t * input->in->t > TN_SAME * TN_SAME;
}

/* Forces of elements balance about the place where they are taken, so Σ m x⁺ × (v⁺ - v) is zero
 * where they are all taken at the end, while x⁺ × v⁺ = x × v is wanted: a torque of -Σ m u × v is
 * missing, u = (x⁺ - x)/t. Without it a body that turns far in a step would slow down within it,
 * and what is stiff about it would take its velocity at the end for a strain. What is taken at the
 * start acts on x⁺ - x, which leaves -Σ m u × (β v + (1-β) v⁺). */
static void balance_flight(const Assembly *as, int soft, TnSoftStep *step)
{
    const TnSoftInput *input = as->input;
    const TnSoft *body = &input->in->model->softs[soft];
    const TnSoftSystem *s = &as->softs[soft];
    const double *v = input->in->qvel + body->dof_start;
    double late = (1.0 - step->weights.share) / input->in->theta;
    double torque[3] = {0.0}, I[9] = {0.0}, mean[3] = {0.0}, *centre = step->end_centre;
    v3_zero(centre);
    for (int n = 0; n < body->node_count; n++) {
        double m = body->masses[n] / body->mass;
        v3_add_scaled(centre, s->end + 3 * n, m);
        v3_add_scaled(mean, v + 3 * n, m * (1.0 - late));
        v3_add_scaled(mean, s->expected + 3 * n, m * late);
    }
    for (int n = 0; n < body->node_count; n++) {
        double r[3], u[3], own[3], part[3], m = body->masses[n];
        v3_sub(r, s->end + 3 * n, centre);
        v3_sub(u, s->way + 3 * n, step->mean);
        for (int k = 0; k < 3; k++)
            own[k] = v[3 * n + k] + late * (s->expected[3 * n + k] - v[3 * n + k]) - mean[k];
        v3_cross(part, u, own);
        v3_add_scaled(torque, part, m);
        double r2 = v3_dot(r, r);
        for (int k = 0; k < 9; k++) I[k] += m * ((k % 4 ? 0.0 : r2) - r[k / 3] * r[k % 3]);
    }
    if (!tn_soft_solve3(I, torque, step->balance)) v3_zero(step->balance);
}

/* What the stress will do about the levers of the step as it turns along, as an angular
 * acceleration: as it is at the start, since that of the end is known too badly where elements are
 * stiff. */
static void balance(const Assembly *as, int soft, TnSoftStep *step)
{
    const TnSoftInput *input = as->input;
    const TnDivision *d = input->systems->division;
    const TnSoftSystem *s = &as->softs[soft];
    double torque[3] = {0.0}, I[9] = {0.0};
    double t = input->in->t, ahead = t * (1.0 - (1.0 - input->in->theta) * (1.0 - s->w));
    for (int i = d->soft_piece[soft]; i < d->soft_piece[soft] + d->soft_piece_count[soft]; i++) {
        const TnPieceElements *p = &input->elements->pieces[i];
        for (int a = 0; a < p->piece->node_count; a++) {
            double r[3], way[3], part[3];
            int n = p->piece->nodes[a];
            arm_of(as, soft, n, r);
            double r2 = v3_dot(r, r);
            for (int k = 0; k < 9; k++)
                I[k] += p->mass[a] * ((k % 4 ? 0.0 : r2) - r[k / 3] * r[k % 3]);
            v3_cross(way, step->omega, r);
            v3_cross(part, way, p->f[a]);
            v3_add_scaled(torque, part, -ahead);
        }
    }
    double most = MOST_BALANCE * sqrt(v3_dot(step->omega, step->omega));
    if (!tn_soft_solve3(I, torque, step->balance) ||
        t * sqrt(v3_dot(step->balance, step->balance)) > most)
        v3_set(step->balance, 0.0, 0.0, 0.0);
}

/* What is in one block sleeps together. */
static bool mesh_left_out(const TnSoftInput *input, int mesh)
{
    const TnDivision *d = input->systems->division;
    int soft = d->pieces[d->meshes[mesh].piece_start].soft;
    return tn_left_out(input->in, input->in->model->softs[soft].subsystem);
}

bool tn_soft_assemble(const TnSoftInput *input)
{
    TnSoftSystem *softs = input->systems->softs;
    TnMeshSystem *meshes = input->systems->meshes;
    const TnModel *model = input->in->model;
    const TnDivision *d = input->systems->division;
    TnSoftStep *steps = TN_ARENA_NEW(input->arena, TnSoftStep, model->soft_count);
    bool at_start = false, any_rolls = false;
    if (!steps) return false;
    for (int s = 0; s < model->soft_count; s++) {
        steps[s].rolls = steps[s].flies = false;
        if (tn_left_out(input->in, model->softs[s].subsystem)) continue;
        softs[s].step = &steps[s];
        tn_soft_prepare(input, s, &softs[s], &steps[s]);
        at_start = at_start || steps[s].weights.share < 1.0;
        steps[s].rolls = rolls(input, s, &softs[s], &steps[s]);
        steps[s].flies = softs[s].alone;
        any_rolls = any_rolls || steps[s].rolls;
    }
    for (int m = 0; m < d->mesh_count; m++) {
        size_t blocks = (size_t)input->elements->edges[m].array_count,
               nodes = (size_t)d->meshes[m].node_count;
        if (mesh_left_out(input, m)) continue;
        meshes[m].blocks = tn_arena_alloc(input->arena, sizeof(double[9]) * blocks);
        meshes[m].b = TN_ARENA_ZERO(input->arena, double, 3 * nodes);
        if (!meshes[m].blocks || !meshes[m].b) return false;
        tn_pool_clear(input->pool, meshes[m].blocks, sizeof(double[9]) * blocks);
        tn_mesh_add_trees(input, m, &meshes[m]);
    }
    Assembly as = {.input = input, .softs = softs, .steps = steps, .meshes = meshes, .alone = true};
    if (any_rolls) add_elements(&as);
    for (int s = 0; s < model->soft_count && any_rolls; s++)
        if (steps[s].rolls) balance(&as, s, &steps[s]);
    for (int s = 0; s < model->soft_count; s++)
        if (steps[s].flies) balance_flight(&as, s, &steps[s]);
    as.alone = false;
    run(&as, &input->elements->nodes, false, inertia_nodes);
    tn_pool_run(input->pool, d->piece_count, 1, inertia_pieces, &as);
    as.at_start = at_start;
    if (at_start) {
        add_elements(&as);
        as.at_start = false;
    }
    add_elements(&as);
    run(&as, &input->elements->patches, true, add_patches);
    run(&as, &input->elements->nodes, false, finish_nodes);
    for (int m = 0; m < d->mesh_count; m++)
        if (!mesh_left_out(input, m)) tn_mesh_add_carried(input, m, &meshes[m]);
    return true;
}
