/* assembled.c: rods and the trees that hold them as one system; see assembled.h. */
#include "systems.h"

#include <string.h>

#include "../math/vec3.h"
#include "tour.h"

/* ---- followers ---- */

void tn_held_frame(const TnEquality *weld, const TnLinkFrame *holder, double pos[3], double quat[4])
{
    m3_mul_v(pos, holder->rot, weld->hold_pos);
    v3_add(pos, pos, holder->pos);
    quat_mul(quat, holder->quat, weld->hold_quat);
    quat_normalize(quat);
}

/* Goes to q ⊕ h u and tells the held segment's place and velocity there. */
static void go_to(TnTour *tour, double h, const TnEquality *weld, double pos[3], double velocity[6])
{
    double quat[4];
    tn_tour_go(tour, h);
    const TnLinkFrame *holder = &tour->frames[weld->holder];
    const double *twist = tour->twists[weld->holder];
    tn_held_frame(weld, holder, pos, quat);
    tn_velocity_at(holder, twist, pos, velocity);
    v3_copy(velocity + 3, twist + 3);
}

bool tn_follower_motion(const TnDynamicsInput *in, const TnSystems *systems, const double *last,
                        TnArena *arena)
{
    const TnDivision *division = systems->division;
    TnFollowerMotion *out = systems->followers;
    const TnModel *model = in->model;
    TnTour tour;
    if (!division->follower_count) return true;
    if (!tn_tour_begin(in, arena, &tour)) return false;
    for (int i = 0; i < division->follower_count; i++) {
        const TnEquality *weld = &model->equalities[division->followers[i].equality];
        const TnSubsystem *sub = tn_part_of_link(model, weld->holder);
        if (tn_left_out(in, model->links[weld->holder].subsystem)) continue;
        int n = sub->dof_count, first = sub->dof_start;
        double pos[3], before[6], after[6], middle[6], *v = out[i].start;
        double(*S)[6] = tn_arena_alloc(arena, sizeof(double[6]) * (size_t)n);
        double *T = out[i].T = TN_ARENA_NEW(arena, double, 6 * n);
        if (!S || !T) return false;
        tn_tour_choose(&tour, sub, last);
        go_to(&tour, 0.0, weld, pos, before);
        go_to(&tour, in->t, weld, pos, after);
        go_to(&tour, 0.5 * in->t, weld, pos, middle);
        const double *origin = tour.frames[sub->link_start].com;
        tn_tree_axes(model, sub, tour.qpos, tour.frames, origin, S);
        tn_tree_jacobian(model, sub, origin, (const double(*)[6])S, weld->holder, pos, T);
        for (int k = 0; k < 6; k++) {
            v[k] = -in->theta * (after[k] - before[k]);
            for (int d = 0; d < n; d++) v[k] += T[k * n + d] * in->qvel[first + d];
        }
    }
    return true;
}

void tn_followers_start(const TnSystems *systems, const TnModel *model, TnRodSystem *rods, int rod)
{
    const TnDivision *division = systems->division;
    const TnFollowerMotion *motion = systems->followers;
    const TnRod *r = &model->rods[rod];
    for (int f = 0; f < division->follower_count; f++) {
        int i = division->followers[f].segment - r->link_start;
        if (i < 0 || i >= r->segment_count) continue;
        const TnRigidSystem *rigid = &rods[rod].segments[i];
        double change[6], turn[3], *b = rods[rod].b + 6L * i;
        for (int k = 0; k < 6; k++) change[k] = motion[f].start[k] - rigid->v[k];
        m3_mul_v(turn, rigid->inertia_rate, change + 3);
        v3_add_scaled(b, change, rigid->mass_rate);
        v3_add(b + 3, b + 3, turn);
        rods[rod].alone = false;
    }
}

void tn_followers_place(const TnModel *model, const TnDivision *division, double *qpos,
                        double *qvel, TnLinkFrame *frames, double (*twists)[6])
{
    for (int i = 0; i < division->follower_count; i++) {
        const TnFollower *follower = &division->followers[i];
        const TnJoint *joint = &model->joints[model->links[follower->segment].joint_start];
        const TnLinkFrame *holder = &frames[follower->holder];
        const double *twist = twists[follower->holder];
        double *q = qpos + joint->qpos_start, *v = qvel + joint->dof_start, back[4];
        tn_held_frame(&model->equalities[follower->equality], holder, q, q + 3);
        tn_velocity_at(holder, twist, q, v);
        quat_conjugate(back, q + 3);
        quat_rotate(v + 3, back, twist + 3); /* a free joint's turning is in its own axes */
        tn_kinematics(model, qpos, follower->segment, 1, frames);
        tn_kinematics_twists(model, qpos, qvel, frames, follower->segment, 1, twists);
    }
}

/* ---- putting together ---- */

/* Nothing but segments of one rod: the chain's matrix is a piece of the rod's. */
static bool is_piece(const TnDivision *d, int chain)
{
    return d->tree_start[chain + 1] == d->tree_start[chain] &&
           d->run_start[chain + 1] == d->run_start[chain] + 1;
}

bool tn_chains_reserve(const TnDivision *division, TnArena *arena, TnChainSystem *chains)
{
    for (int c = 0; c < division->chain_count; c++) {
        const TnChain *chain = &division->chains[c];
        TnChainSystem *s = &chains[c];
        s->factor_D = TN_ARENA_NEW(arena, double, chain->D_size);
        s->factor_E = TN_ARENA_NEW(arena, double, chain->E_size);
        s->v_free = TN_ARENA_NEW(arena, double, chain->dim);
        if (!s->factor_D || !s->factor_E || !s->v_free) return false;
        if (is_piece(division, c)) continue;
        s->D = TN_ARENA_NEW(arena, double, chain->D_size);
        s->E = TN_ARENA_NEW(arena, double, chain->E_size);
        s->b = TN_ARENA_NEW(arena, double, chain->dim);
        if (!s->D || !s->E || !s->b) return false;
    }
    return true;
}

/* A segment's place in its chain: its own node, or its tree's through T. */
typedef struct Place {
    int node, dim;
    const double *T; /* NULL: its own */
} Place;

static Place place_of(const TnSystems *systems, int link)
{
    const TnDivision *d = systems->division;
    const TnChain *chain = &d->chains[d->link_block[link] - d->dense_count];
    int node = d->link_node[link];
    Place place = {node, chain->nodes[node].dim, NULL};
    for (int i = 0; d->carrier[link] != link && i < d->follower_count; i++)
        if (d->followers[i].segment == link) place.T = systems->followers[i].T;
    return place;
}

/* out (rows × place.dim) = M T, or M for a segment of its own; M rows × 6. */
static void times_T(const Place *place, const double *M, int rows, double *out)
{
    int n = place->dim;
    if (!place->T) {
        memcpy(out, M, sizeof(double) * 6 * (size_t)rows);
        return;
    }
    memset(out, 0, sizeof(double) * (size_t)rows * (size_t)n);
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < n; j++) out[r * n + j] += M[6 * r + k] * place->T[k * n + j];
}

/* out[row i, column j] += (Tᵀ M)_ij, M 6 × columns; strides let it be written transposed. */
static void add_T_times(const Place *place, const double *M, int columns, double *out, int row,
                        int column)
{
    for (int i = 0; i < place->dim; i++)
        for (int j = 0; j < columns; j++) {
            double sum = 0.0;
            if (!place->T)
                sum = M[i * columns + j];
            else
                for (int k = 0; k < 6; k++)
                    sum += place->T[k * place->dim + i] * M[k * columns + j];
            out[i * row + j * column] += sum;
        }
}

/* The block of the spring between a and b = a + 1, E = A_ba: Sᵀ into the edge of their nodes. */
static void add_coupling(const TnChain *chain, TnChainSystem *s, const Place *a, const Place *b,
                         const double E[36], int *edge)
{
    double M[6 * TN_MAX_CARRIER];
    times_T(a, E, 6, M);      /* 6 × a.dim */
    if (a->node == b->node) { /* both carried by one tree: E and its transpose */
        double *D = s->D + chain->nodes[a->node].D;
        add_T_times(b, M, a->dim, D, a->dim, 1);
        add_T_times(b, M, a->dim, D, 1, a->dim);
        return;
    }
    double *out = s->E + chain->edges[*edge].E;
    memset(out, 0, sizeof(double) * (size_t)a->dim * (size_t)b->dim);
    if (a->node < b->node)
        add_T_times(b, M, a->dim, out, a->dim, 1);
    else
        add_T_times(b, M, a->dim, out, 1, b->dim);
    ++*edge;
}

static void add_carried(const TnChain *chain, TnChainSystem *s, const Place *place,
                        const double D[36], const double b[6])
{
    double *to_D = s->D + chain->nodes[place->node].D,
           *to_b = s->b + chain->nodes[place->node].start;
    double M[6 * TN_MAX_CARRIER];
    times_T(place, D, 6, M);
    add_T_times(place, M, place->dim, to_D, place->dim, 1);
    add_T_times(place, b, 1, to_b, 1, 1);
}

/* How many links from this one on have nodes of their own in one chain: their nodes follow each
 * other, too. At least one, which may be carried. */
static int stretch(const TnDivision *d, int link, int end)
{
    int count = 1;
    if (d->carrier[link] != link) return count;
    while (link + count < end && d->carrier[link + count] == link + count &&
           d->link_block[link + count] == d->link_block[link])
        count++;
    return count;
}

static void add_run(const TnModel *model, const TnSystems *systems, const TnChain *chain,
                    const TnRun *run, TnChainSystem *s, int *edge)
{
    const TnRodSystem *rod = &systems->rods[run->rod];
    int start = model->rods[run->rod].link_start, end = run->first + run->count;
    Place last = {0};
    for (int i = run->first, count; i < end; i += count) {
        const double *D = rod->D + 36L * i, *E = rod->E + 36L * i, *b = rod->b + 6L * i;
        Place place = place_of(systems, start + i);
        count = stretch(systems->division, start + i, start + end);
        if (i > run->first) add_coupling(chain, s, &last, &place, E - 36, edge);
        if (place.T) {
            add_carried(chain, s, &place, D, b);
        } else {
            const TnChainNode *node = &chain->nodes[place.node];
            memcpy(s->D + node->D, D, sizeof(double[36]) * (size_t)count);
            memcpy(s->b + node->start, b, sizeof(double[6]) * (size_t)count);
            if (count > 1)
                memcpy(s->E + chain->edges[*edge].E, E, sizeof(double[36]) * (size_t)(count - 1));
            *edge += count - 1;
            place.node += count - 1;
        }
        last = place;
    }
}

static void add_trees(const TnSystems *systems, int index, TnChainSystem *s)
{
    const TnDivision *d = systems->division;
    const TnChain *chain = &d->chains[index];
    for (int i = d->tree_start[index]; i < d->tree_start[index + 1]; i++) {
        int t = d->trees[i];
        const TnChainNode *node = &chain->nodes[d->tree_node[t]];
        size_t n = (size_t)node->dim;
        memcpy(s->D + node->D, systems->trees[t].A, sizeof(double) * n * n);
        memcpy(s->b + node->start, systems->trees[t].b, sizeof(double) * n);
    }
}

static void assemble(const TnModel *model, const TnSystems *systems, int index, TnChainSystem *s)
{
    const TnDivision *d = systems->division;
    const TnRun *run = &d->runs[d->run_start[index]];
    const TnRodSystem *rod = &systems->rods[run->rod];
    if (is_piece(d, index)) {
        s->D = rod->D + 36L * run->first;
        s->E = rod->E + 36L * run->first;
        s->b = rod->b + 6L * run->first;
        return;
    }
    int edge = 0; /* edges are in the order in which the runs come to them */
    add_trees(systems, index, s);
    for (; run < &d->runs[d->run_start[index + 1]]; run++)
        add_run(model, systems, &d->chains[index], run, s, &edge);
}

bool tn_chains_assemble(const TnDynamicsInput *in, const TnSystems *systems, int begin, int end)
{
    for (int c = begin; c < end; c++) {
        const TnChain *chain = &systems->division->chains[c];
        TnChainSystem *s = &systems->chains[c];
        const TnRun *run = &systems->division->runs[systems->division->run_start[c]];
        if (tn_left_out(in, in->model->rods[run->rod].subsystem)) continue;
        assemble(in->model, systems, c, s);
        memcpy(s->factor_D, s->D, sizeof(double) * chain->D_size);
        memcpy(s->factor_E, s->E, sizeof(double) * chain->E_size);
        memcpy(s->v_free, s->b, sizeof(double) * (size_t)chain->dim);
        if (!tn_chain_factor(chain, s->factor_D, s->factor_E)) return false;
        tn_chain_solve(chain, s->factor_D, s->factor_E, s->v_free);
    }
    return true;
}

void tn_chains_rod_velocity(const TnModel *model, const TnSystems *systems, int rod,
                            double *const *block_v, double *v)
{
    const TnDivision *d = systems->division;
    const TnRod *r = &model->rods[rod];
    for (int i = 0, count; i < r->segment_count; i += count) {
        int link = r->link_start + i;
        Place place = place_of(systems, link);
        count = stretch(d, link, r->link_start + r->segment_count);
        const double *x =
            block_v[d->link_block[link]] + tn_division_start(d, d->link_block[link], place.node);
        if (!place.T) {
            memcpy(v + 6L * i, x, sizeof(double[6]) * (size_t)count);
            continue;
        }
        for (int k = 0; k < 6; k++) {
            double sum = 0.0;
            for (int j = 0; j < place.dim; j++) sum += place.T[k * place.dim + j] * x[j];
            v[6L * i + k] = sum;
        }
    }
}
