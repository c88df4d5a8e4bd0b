/* device_robots_step.c: the host's part of a step of a scene with robots and cables, in the order
 * of TnGpuCarried: their dynamics, their equations for the device, what its solution says, and the
 * new state. */
#include "device_robots.h"

#include <math.h>
#include <string.h>

#include "../math/vec3.h"
#include "../step/again.h"

static bool begin(void *user)
{
    TnDeviceRobots *r = user;
    TnWorld *world = r->world;
    const TnModel *m = r->model;
    r->report = (TnStepReport){0};
    r->step = (TnStep){.world = world, .report = &r->report};
    if (!tn_step_prepare(&r->step)) return false;
    for (int l = 0; l < m->link_count; l++)
        if (r->carried[l] >= 0 && r->last[r->carried[l]])
            r->step.plan.blend[m->links[world->division->carrier[l]].subsystem] = 1.0;
    tn_constraint_share_blend(m, r->step.plan.blend);
    if (!tn_step_go(&r->step, TN_PHASE(TN_PHASE_ASSEMBLE)) ||
        !tn_soft_predict(&r->step.soft_input, r->step.free.qvel))
        return false;
    for (int l = 1; l < m->link_count; l++) {
        int k = r->carried[l] >= 0 ? r->carried[l] : r->out.link_count + l - 1;
        const TnLinkFrame *frame = &world->frames[l];
        double *to = r->out.frames[k];
        memcpy(to, frame->pos, sizeof frame->pos);
        memcpy(to + 3, frame->quat, sizeof frame->quat);
        memcpy(to + 7, frame->rot, sizeof frame->rot);
        memcpy(to + 16, frame->com, sizeof frame->com);
        memcpy(r->out.twists[k], world->twists[l], sizeof(double[6]));
        memcpy(r->out.end_twists[k], r->step.free.twists[l], sizeof(double[6]));
    }
    tn_device_softs_place(r);
    return true;
}

static bool touch(void *user) { return tn_device_softs_touch(user); }

static bool minds(void *user) { return ((TnDeviceRobots *)user)->minds; }

/* Of a carried link, by contacts that the device found or the host. */
static int seen_of(const TnDeviceRobots *r, int carried)
{
    return r->out.seen[carried] | tn_device_softs_seen(r, carried);
}

/* Shares of v⁺ that contacts ask for, per subsystem. */
static void want(TnDeviceRobots *r, bool pushed, int tree, int rod)
{
    const TnModel *m = r->model;
    memset(r->wanted, 0, sizeof(double) * (size_t)m->subsystem_count);
    for (int l = 1; l < m->link_count; l++) {
        if (r->carried[l] < 0) continue;
        int s = m->links[r->world->division->carrier[l]].subsystem;
        bool is_rod = m->subsystems[s].kind == TN_SUBSYSTEM_ROD;
        int flags = pushed ? r->out.pushed[r->carried[l]] : seen_of(r, r->carried[l]);
        if (flags & (is_rod ? rod : tree)) r->wanted[s] = 1.0;
    }
    tn_device_softs_want(r);
    r->step.plan.outside = r->wanted;
}

static bool replan(void *user, bool *changed)
{
    TnDeviceRobots *r = user;
    want(r, false, TN_GPU_CLOSES, TN_GPU_LISTED);
    return tn_plan_contacts(&r->step, changed) && tn_step_reassemble_planned(&r->step);
}

/* A part of a symmetric matrix with rows of n, on both sides of the diagonal. */
static void write_part(double *A, int n, int row, int column, int rows, int columns,
                       const double *from)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            A[(row + i) * (long)n + column + j] = A[(column + j) * (long)n + row + i] =
                from[i * columns + j];
}

/* A of a block, into its place in the group's. */
static void write_matrix(const TnDeviceRobots *r, int block, TnGpuGroup *group)
{
    const TnDivision *d = r->world->division;
    const TnSystems *systems = &r->world->systems;
    int start = r->block_start[block], n = group->dim;
    double *A = group->A + (size_t)start * (size_t)n + start;
    if (block < d->dense_count) {
        int tree = 0;
        while (d->tree_block[tree] != block) tree++;
        const TnTreeSystem *system = &systems->trees[tree];
        int m = r->world->set.problem.large[block].dim;
        for (int i = 0; i < m; i++)
            memcpy(A + (size_t)i * (size_t)n, system->A + (size_t)i * (size_t)m,
                   sizeof(double) * (size_t)m);
        memcpy(group->v_free + start, system->v_free, sizeof(double) * (size_t)m);
        return;
    }
    const TnChain *chain = &d->chains[block - d->dense_count];
    const TnChainSystem *system = &systems->chains[block - d->dense_count];
    for (int i = 0; i < chain->node_count; i++) {
        const TnChainNode *node = &chain->nodes[i];
        write_part(A, n, node->start, node->start, node->dim, node->dim, system->D + node->D);
    }
    for (int i = 0; i < chain->edge_count; i++) {
        const TnChainEdge *edge = &chain->edges[i];
        const TnChainNode *a = &chain->nodes[edge->a], *b = &chain->nodes[edge->b];
        write_part(A, n, b->start, a->start, b->dim, a->dim, system->E + edge->E);
    }
    memcpy(group->v_free + start, system->v_free, sizeof(double) * (size_t)chain->dim);
}

/* T of a link at its centre of mass. */
static void write_port(const TnDeviceRobots *r, int l, const TnTreeAxes *axes, TnGpuLink *link)
{
    const TnModel *m = r->model;
    int holder = r->world->division->carrier[l];
    const TnSubsystem *sub = tn_part_of_link(m, holder);
    if (!link->count) return;
    if (sub->kind == TN_SUBSYSTEM_TREE) {
        tn_tree_jacobian(m, sub, axes->origin, (const double(*)[6])axes->S, holder,
                         r->world->frames[l].com, link->T);
        return;
    }
    memset(link->T, 0, sizeof(double[36]));
    for (int k = 0; k < 6; k++) link->T[7 * k] = 1.0;
}

static bool write_ports(TnDeviceRobots *r)
{
    const TnModel *m = r->model;
    TnWorld *world = r->world;
    TnTreeAxes *axes = TN_ARENA_ZERO(&world->arena, TnTreeAxes, m->subsystem_count);
    if (!axes) return false;
    for (int s = 0; s < m->subsystem_count; s++) {
        const TnSubsystem *sub = &m->subsystems[s];
        if (sub->kind != TN_SUBSYSTEM_TREE) continue;
        axes[s].S = tn_arena_alloc(&world->arena, sizeof(double[6]) * (size_t)sub->dof_count);
        if (!axes[s].S) return false;
        v3_copy(axes[s].origin, world->frames[sub->link_start].com);
        tn_tree_axes(m, sub, world->state.qpos, world->frames, axes[s].origin, axes[s].S);
    }
    for (int l = 1 + m->mocap_count; l < m->link_count; l++)
        write_port(r, l, &axes[m->links[world->division->carrier[l]].subsystem],
                   &r->out.links[r->carried[l]]);
    return true;
}

static void write_row(const TnDeviceRobots *r, const TnProblem *p, const TnRow *row)
{
    const TnRowSide *side = &p->sides[row->side_start];
    TnGpuGroup *group = &r->out.groups[r->block_group[side->block]];
    TnGpuRow *to = &group->rows[group->row_count];
    double *J = group->J + (size_t)group->row_count++ * (size_t)group->dim;
    *to = (TnGpuRow){.e = row->e,
                     .lower = row->set == TN_ROW_INEQUALITY ? 0.0
                              : row->set == TN_ROW_BOX      ? row->lower
                                                            : -INFINITY,
                     .upper = row->set == TN_ROW_BOX ? row->upper : INFINITY,
                     .k = row->k,
                     .alpha = row->alpha,
                     .scale = row->scale > 0.0 ? row->scale : 1.0,
                     .lever = tn_row_lever(row),
                     .lambda = row->lambda,
                     .soft = row->set == TN_ROW_SOFT};
    memset(J, 0, sizeof(double) * (size_t)group->dim);
    for (int i = 0; i < row->side_count; i++, side++)
        for (int e = side->start; e < side->start + side->count; e++)
            J[r->block_start[side->block] + p->index[e]] += p->coefficient[e];
}

/* To the problem from what the device found, and back. */
static void copy_unknowns(const TnDeviceRobots *r, bool to_problem)
{
    const TnProblem *p = &r->world->set.problem;
    int dense_and_chains = r->block_count - r->world->division->mesh_count;
    for (int b = 0; b < dense_and_chains; b++) {
        double *there = r->out.groups[r->block_group[b]].v + r->block_start[b];
        size_t bytes = sizeof(double) * (size_t)p->large[b].dim;
        if (to_problem)
            memcpy(p->large[b].v, there, bytes);
        else
            memcpy(there, p->large[b].v, bytes);
    }
}

static bool write(void *user, bool again)
{
    TnDeviceRobots *r = user;
    if (!tn_step_go(&r->step, TN_PHASE(TN_PHASE_PLAN) | TN_PHASE(TN_PHASE_SOFTS)) ||
        !tn_step_build(&r->step, again) || !write_ports(r))
        return false;
    const TnProblem *p = &r->world->set.problem;
    for (int g = 0; g < r->out.group_count; g++) {
        TnGpuGroup *group = &r->out.groups[g];
        group->row_count = 0;
        if (!group->soft)
            memset(group->A, 0, sizeof(double) * (size_t)group->dim * (size_t)group->dim);
    }
    for (int b = 0; b < r->block_count; b++) {
        TnGpuGroup *group = &r->out.groups[r->block_group[b]];
        if (!group->soft) write_matrix(r, b, group);
    }
    copy_unknowns(r, false);
    for (int i = 0; i < p->row_count; i++) write_row(r, p, &p->rows[i]);
    return tn_device_softs_write(r);
}

/* In the order in which they were written. */
static void take_rows(const TnDeviceRobots *r)
{
    const TnProblem *p = &r->world->set.problem;
    memset(r->next, 0, sizeof(int) * (size_t)r->out.group_count);
    for (int i = 0; i < p->row_count; i++) {
        int g = r->block_group[p->sides[p->rows[i].side_start].block];
        p->rows[i].lambda = r->out.groups[g].rows[r->next[g]++].lambda;
    }
}

static bool check(void *user, bool *changed)
{
    TnDeviceRobots *r = user;
    const TnModel *m = r->model;
    copy_unknowns(r, true);
    take_rows(r);
    want(r, true, 1, 1);
    tn_device_softs_take(r);
    /* a cable has its share as soon as it is touched */
    for (int l = 1; l < m->link_count; l++)
        if (r->carried[l] >= 0 && (seen_of(r, r->carried[l]) & TN_GPU_LISTED)) {
            int s = m->links[r->world->division->carrier[l]].subsystem;
            if (m->subsystems[s].kind == TN_SUBSYSTEM_ROD) r->wanted[s] = 1.0;
        }
    if (!tn_plan_check(&r->step, changed) || !tn_step_find(&r->step)) return false;
    for (int l = 1; l < m->link_count; l++)
        if (r->carried[l] >= 0)
            memcpy(r->out.moved[r->carried[l]], r->step.found.moved[l], sizeof(double[6]));
    return !*changed || tn_step_reassemble_planned(&r->step);
}

static bool end(void *user)
{
    TnDeviceRobots *r = user;
    const TnModel *m = r->model;
    bool free = !r->softs;
    for (int k = 0; k < r->out.link_count; k++) free &= !r->out.pushed[k];
    tn_step_note_error(&r->step);
    bool ok = free ? tn_step_go(&r->step, TN_LAST_PHASES) : tn_step_integrate_outside(&r->step);
    if (!ok) return false;
    for (int l = 1; l < m->link_count; l++) {
        int k = r->carried[l];
        if (k < 0) continue;
        int s = m->links[r->world->division->carrier[l]].subsystem;
        bool is_rod = m->subsystems[s].kind == TN_SUBSYSTEM_ROD;
        r->last[k] = is_rod ? seen_of(r, k) & TN_GPU_LISTED : r->out.pushed[k];
    }
    tn_device_softs_end(r);
    return true;
}

void tn_device_robots_call(TnDeviceRobots *r)
{
    r->out.user = r;
    r->out.begin = begin;
    r->out.touch = touch;
    r->out.write = write;
    r->out.minds = minds;
    r->out.replan = replan;
    r->out.check = check;
    r->out.end = end;
}
