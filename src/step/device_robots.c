/* device_robots.c: see device_robots.h. */
#include "device_robots.h"

#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../math/disjoint_sets.h"
#include "../math/vec3.h"
#include "../model/movers.h"
#include "kind.h"
#include "mocap.h"

/* Unknowns that are one full matrix on the device. */
#define MOST_UNKNOWNS 1200

struct TnDeviceRobots {
    TnModel *model;
    TnWorld *world;
    TnStep step;
    TnStepReport report;
    int *link, *subsystem; /* of the part: index in the whole */
    int block_count;       /* of the division */
    int *block_group;      /* per block: its group, */
    int *block_start;      /* and where its unknowns begin there */
    int *carried;          /* per link of the part: its place among the carried, -1: none */
    double *wanted;        /* per subsystem: shares of v⁺ that contacts ask for */
    int *last;  /* per carried link: the last step's contacts pushed it, or it had some */
    bool minds; /* somebody's equations depend on contacts */
    TnGpuCarried out;
};

/* ---- which there are ---- */

static bool has_some(const TnModel *m)
{
    bool some = m->mocap_count > 0;
    for (int s = 0; s < m->subsystem_count; s++)
        some |=
            m->subsystems[s].kind == TN_SUBSYSTEM_TREE || m->subsystems[s].kind == TN_SUBSYSTEM_ROD;
    return some;
}

static void join(int *parent, int a, int b)
{
    if (a >= 0 && b >= 0) tn_set_join(parent, a, b);
}

static int block_of_link(const TnDivision *d, const TnModel *m, int link)
{
    return m->links[link].subsystem < 0 ? -1 : d->link_block[link];
}

/* Blocks that rows may join are one group. */
static void join_blocks(const TnModel *m, const TnDivision *d, int *parent)
{
    for (int i = 0; i < m->equality_count; i++) {
        const TnEquality *e = &m->equalities[i];
        if (e->type == TN_EQUALITY_JOINT) {
            if (e->joint2 >= 0)
                join(parent, block_of_link(d, m, m->joints[e->joint1].link),
                     block_of_link(d, m, m->joints[e->joint2].link));
        } else if (e->type != TN_EQUALITY_TENDON) {
            join(parent, block_of_link(d, m, m->bodies[e->body1].link),
                 block_of_link(d, m, m->bodies[e->body2].link));
        } else if (e->tendon2 >= 0) {
            join(parent,
                 block_of_link(d, m, m->subsystems[m->tendons[e->tendon1].subsystem].link_start),
                 block_of_link(d, m, m->subsystems[m->tendons[e->tendon2].subsystem].link_start));
        }
    }
}

static int dim_of_block(const TnModel *m, const TnDivision *d, int block)
{
    if (block >= d->dense_count) return d->chains[block - d->dense_count].dim;
    for (int s = 0; s < m->subsystem_count; s++)
        if (m->subsystems[s].kind == TN_SUBSYSTEM_TREE &&
            d->tree_block[m->subsystems[s].kind_index] == block)
            return m->subsystems[s].dof_count;
    return 0;
}

/* How many rows there may be, of all groups together. */
static int most_rows(const TnModel *m)
{
    int rows = 3 * m->tendon_count + 6 * m->equality_count;
    for (int j = 0; j < m->joint_count; j++)
        rows += (m->joints[j].limited ? 2 : 0) + (m->joints[j].friction_loss > 0.0);
    return rows;
}

static bool reserve(TnDeviceRobots *r)
{
    const TnModel *m = r->model;
    size_t links = (size_t)m->link_count, blocks = (size_t)r->block_count + 1;
    r->block_group = tn_calloc(blocks, sizeof(int));
    r->block_start = tn_calloc(blocks, sizeof(int));
    r->carried = tn_calloc(links, sizeof(int));
    r->wanted = tn_calloc((size_t)m->subsystem_count + 1, sizeof(double));
    r->last = tn_calloc(links, sizeof(int));
    r->out.groups = tn_calloc(blocks, sizeof *r->out.groups);
    r->out.links = tn_calloc(links, sizeof *r->out.links);
    return r->block_group && r->block_start && r->carried && r->wanted && r->last &&
           r->out.groups && r->out.links;
}

static void number_groups(TnDeviceRobots *r, int *parent)
{
    const TnDivision *d = r->world->division;
    TnGpuCarried *out = &r->out;
    for (int b = 0; b < r->block_count; b++) parent[b] = b;
    join_blocks(r->model, d, parent);
    for (int b = 0; b < r->block_count; b++) {
        if (tn_set_root(parent, b) == b) r->block_group[b] = out->group_count++;
    }
    for (int b = 0; b < r->block_count; b++) {
        TnGpuGroup *group =
            &out->groups[r->block_group[b] = r->block_group[tn_set_root(parent, b)]];
        r->block_start[b] = group->dim;
        group->dim += dim_of_block(r->model, d, b);
        group->row_room = most_rows(r->model);
    }
}

/* Links by group, then mocap bodies. */
static void number_links(TnDeviceRobots *r)
{
    const TnModel *m = r->model;
    const TnDivision *d = r->world->division;
    TnGpuCarried *out = &r->out;
    for (int l = 0; l < m->link_count; l++) r->carried[l] = -1;
    for (int g = 0; g < out->group_count; g++) {
        TnGpuGroup *group = &out->groups[g];
        group->first_link = out->link_count;
        for (int l = 1 + m->mocap_count; l < m->link_count; l++) {
            int block = d->link_block[l];
            if (r->block_group[block] != g) continue;
            TnGpuLink *link = &out->links[out->link_count];
            const TnSubsystem *holder = tn_part_of_link(m, d->carrier[l]);
            link->link = r->link[l];
            link->start = r->block_start[block] + tn_division_start(d, block, d->link_node[l]);
            link->count = m->links[d->carrier[l]].held        ? 0
                          : holder->kind == TN_SUBSYSTEM_TREE ? holder->dof_count
                                                              : 6;
            r->carried[l] = out->link_count++;
        }
        group->link_count = out->link_count - group->first_link;
    }
    for (int l = 1; l <= m->mocap_count; l++)
        out->links[out->link_count + out->mocap_count++].link = r->link[l];
}

/* ---- a step, in the order of TnGpuCarried ---- */

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
            r->step.blend[m->links[world->division->carrier[l]].subsystem] = 1.0;
    tn_constraint_share_blend(m, r->step.blend);
    if (!tn_step_assemble(&r->step)) return false;
    for (int l = 1; l < m->link_count; l++) {
        int k = r->carried[l] >= 0 ? r->carried[l] : r->out.link_count + l - 1;
        const TnLinkFrame *frame = &world->frames[l];
        double *to = r->out.frames[k];
        memcpy(to, frame->pos, sizeof frame->pos);
        memcpy(to + 3, frame->quat, sizeof frame->quat);
        memcpy(to + 7, frame->rot, sizeof frame->rot);
        memcpy(to + 16, frame->com, sizeof frame->com);
        memcpy(r->out.twists[k], world->twists[l], sizeof(double[6]));
        memcpy(r->out.end_twists[k], r->step.end_twists[l], sizeof(double[6]));
    }
    return true;
}

static bool minds(void *user) { return ((TnDeviceRobots *)user)->minds; }

/* Shares of v⁺ that contacts ask for, per subsystem. */
static void want(TnDeviceRobots *r, const int *flags, int tree, int rod)
{
    const TnModel *m = r->model;
    memset(r->wanted, 0, sizeof(double) * (size_t)m->subsystem_count);
    for (int l = 1; l < m->link_count; l++) {
        if (r->carried[l] < 0) continue;
        int s = m->links[r->world->division->carrier[l]].subsystem;
        bool is_rod = m->subsystems[s].kind == TN_SUBSYSTEM_ROD;
        if (flags[r->carried[l]] & (is_rod ? rod : tree)) r->wanted[s] = 1.0;
    }
    r->step.outside = r->wanted;
}

static bool replan(void *user, bool *changed)
{
    TnDeviceRobots *r = user;
    want(r, r->out.seen, TN_GPU_CLOSES, TN_GPU_LISTED);
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
    memcpy(group->v_free + start, system->v_free,
           sizeof(double) * (size_t)dim_of_block(r->model, d, block));
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
    for (int s = 0; s < m->subsystem_count; s++) {
        const TnSubsystem *sub = &m->subsystems[s];
        TnTreeAxes axes = {
            .S = tn_arena_alloc(&world->arena, sizeof(double[6]) * (size_t)sub->dof_count)};
        if (!axes.S) return false;
        if (sub->kind == TN_SUBSYSTEM_TREE) {
            v3_copy(axes.origin, world->frames[sub->link_start].com);
            tn_tree_axes(m, sub, world->state.qpos, world->frames, axes.origin, axes.S);
        }
        for (int l = 1 + m->mocap_count; l < m->link_count; l++)
            if (tn_part_of_link(m, world->division->carrier[l]) == sub)
                write_port(r, l, &axes, &r->out.links[r->carried[l]]);
    }
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
    for (int b = 0; b < r->block_count; b++) {
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
    if (!tn_step_build(&r->step, again) || !write_ports(r)) return false;
    const TnProblem *p = &r->world->set.problem;
    for (int g = 0; g < r->out.group_count; g++) {
        TnGpuGroup *group = &r->out.groups[g];
        memset(group->A, 0, sizeof(double) * (size_t)group->dim * (size_t)group->dim);
        group->row_count = 0;
    }
    for (int b = 0; b < r->block_count; b++) write_matrix(r, b, &r->out.groups[r->block_group[b]]);
    copy_unknowns(r, false);
    for (int i = 0; i < p->row_count; i++) write_row(r, p, &p->rows[i]);
    return true;
}

static void take_rows(const TnDeviceRobots *r)
{
    const TnProblem *p = &r->world->set.problem;
    for (int g = 0; g < r->out.group_count; g++) { /* in the order in which they were written */
        const TnGpuGroup *group = &r->out.groups[g];
        int next = 0;
        for (int i = 0; i < p->row_count; i++)
            if (r->block_group[p->sides[p->rows[i].side_start].block] == g)
                p->rows[i].lambda = group->rows[next++].lambda;
    }
}

static bool check(void *user, bool *changed)
{
    TnDeviceRobots *r = user;
    const TnModel *m = r->model;
    copy_unknowns(r, true);
    take_rows(r);
    want(r, r->out.pushed, 1, 1);
    /* a cable has its share as soon as it is touched */
    for (int l = 1; l < m->link_count; l++)
        if (r->carried[l] >= 0 && (r->out.seen[r->carried[l]] & TN_GPU_LISTED)) {
            int s = m->links[r->world->division->carrier[l]].subsystem;
            if (m->subsystems[s].kind == TN_SUBSYSTEM_ROD) r->wanted[s] = 1.0;
        }
    if (!tn_plan_check(&r->step, changed) || !tn_step_find(&r->step)) return false;
    for (int l = 1; l < m->link_count; l++)
        if (r->carried[l] >= 0)
            memcpy(r->out.moved[r->carried[l]], r->step.moved[l], sizeof(double[6]));
    return !*changed || tn_step_reassemble_planned(&r->step);
}

static bool end(void *user)
{
    TnDeviceRobots *r = user;
    const TnModel *m = r->model;
    bool free = true;
    for (int k = 0; k < r->out.link_count; k++) free &= !r->out.pushed[k];
    tn_step_note_error(&r->step);
    bool ok = free ? tn_step_integrate(&r->step) : tn_step_integrate_outside(&r->step);
    if (!ok) return false;
    for (int l = 1; l < m->link_count; l++) {
        int k = r->carried[l];
        if (k < 0) continue;
        int s = m->links[r->world->division->carrier[l]].subsystem;
        bool is_rod = m->subsystems[s].kind == TN_SUBSYSTEM_ROD;
        r->last[k] = is_rod ? r->out.seen[k] & TN_GPU_LISTED : r->out.pushed[k];
    }
    return true;
}

/* ---- there and back ---- */

static bool refuse_large(const TnDeviceRobots *r, TnError *err)
{
    const TnDivision *d = r->world->division;
    for (int g = 0; g < r->out.group_count; g++)
        if (r->out.groups[g].dim > MOST_UNKNOWNS) {
            tn_error_add(err, TN_ERROR_USAGE,
                         "device: robots and cables that are joined have %d degrees of freedom, at "
                         "most %d can run on a device",
                         r->out.groups[g].dim, MOST_UNKNOWNS);
            return false;
        }
    if (!d->bond_count) return true;
    tn_error_add(err, TN_ERROR_USAGE,
                 "device: a weld of a cable to a free body, to another cable, or one that closes a "
                 "loop cannot run on a device yet");
    return false;
}

static bool create_world(TnDeviceRobots *r, const TnWorld *whole, TnError *err)
{
    TnWorldDef def = tn_world_def();
    def.solver = whole->def.solver;
    def.substeps = whole->def.substeps;
    def.relinearize = 1;
    def.division = (TnDivisionDef){.kind = TN_DIVISION_WHOLE};
    r->world = tn_world_create(&def, r->model, err);
    if (!r->world) return false;
    r->world->t = whole->t;
    r->world->untimed = true;
    r->block_count = tn_division_blocks(r->world->division);
    for (int s = 0; s < r->model->subsystem_count; s++) r->minds |= r->world->minds[s];
    return true;
}

bool tn_device_robots_create(const TnWorld *world, TnDeviceRobots **out, TnError *err)
{
    const TnModel *whole = world->model;
    *out = NULL;
    if (!has_some(whole)) return true;
    TnDeviceRobots *r = tn_calloc(1, sizeof *r);
    if (!r) {
        tn_error_add(err, TN_ERROR_MEMORY, "device: no memory");
        return false;
    }
    *out = r;
    r->link = tn_calloc((size_t)whole->link_count, sizeof(int));
    r->subsystem = tn_calloc((size_t)whole->subsystem_count + 1, sizeof(int));
    if (r->link && r->subsystem) r->model = tn_model_movers(whole, r->link, r->subsystem);
    bool made = r->model && create_world(r, world, err) && reserve(r);
    int *parent = made ? tn_calloc((size_t)r->block_count + 1, sizeof(int)) : NULL;
    if (!parent) {
        tn_error_add(err, TN_ERROR_MEMORY, "device: no memory");
        return false;
    }
    number_groups(r, parent);
    tn_free(parent);
    number_links(r);
    r->out.user = r;
    r->out.begin = begin;
    r->out.write = write;
    r->out.minds = minds;
    r->out.replan = replan;
    r->out.check = check;
    r->out.end = end;
    return refuse_large(r, err);
}

void tn_device_robots_destroy(TnDeviceRobots *r)
{
    if (!r) return;
    tn_world_destroy(r->world);
    tn_model_destroy(r->model);
    tn_free(r->link);
    tn_free(r->subsystem);
    tn_free(r->block_group);
    tn_free(r->block_start);
    tn_free(r->carried);
    tn_free(r->wanted);
    tn_free(r->last);
    tn_free(r->out.groups);
    tn_free(r->out.links);
    tn_free(r);
}

TnGpuCarried *tn_device_robots_carried(TnDeviceRobots *r) { return r ? &r->out : NULL; }

static void copy_numbers(double *to, const double *from, int count)
{
    if (count) memcpy(to, from, sizeof(double) * (size_t)count);
}

void tn_device_robots_put(TnDeviceRobots *r, const TnWorld *world)
{
    TnState *own = &r->world->state;
    const TnState *state = &world->state;
    const TnModel *m = r->model;
    for (int s = 0; s < m->subsystem_count; s++) {
        const TnSubsystem *to = &m->subsystems[s],
                          *from = &world->model->subsystems[r->subsystem[s]];
        copy_numbers(own->qpos + to->qpos_start, state->qpos + from->qpos_start, to->qpos_count);
        copy_numbers(own->qvel + to->dof_start, state->qvel + from->dof_start, to->dof_count);
    }
    copy_numbers(own->act, state->act, m->act_count);
    copy_numbers(own->mocap, state->mocap, 7 * m->mocap_count);
    copy_numbers(own->mocap_twist, state->mocap_twist, 6 * m->mocap_count);
    memset(r->last, 0, sizeof(int) * (size_t)r->out.link_count);
    (void)tn_world_set_state(r->world, own->qpos, own->qvel, NULL);
}

void tn_device_robots_get(const TnDeviceRobots *r, TnWorld *world)
{
    const TnState *own = &r->world->state;
    TnState *state = &world->state;
    const TnModel *m = r->model;
    for (int s = 0; s < m->subsystem_count; s++) {
        const TnSubsystem *from = &m->subsystems[s],
                          *to = &world->model->subsystems[r->subsystem[s]];
        copy_numbers(state->qpos + to->qpos_start, own->qpos + from->qpos_start, to->qpos_count);
        copy_numbers(state->qvel + to->dof_start, own->qvel + from->dof_start, to->dof_count);
        copy_numbers(state->vhat + to->dof_start, own->vhat + from->dof_start, to->dof_count);
    }
    copy_numbers(state->act, own->act, m->act_count);
    copy_numbers(state->ctrl, own->ctrl, m->actuator_count);
    copy_numbers(state->mocap, own->mocap, 7 * m->mocap_count);
    copy_numbers(state->mocap_twist, own->mocap_twist, 6 * m->mocap_count);
}

void tn_device_robots_drive(TnDeviceRobots *r, const TnWorld *world, int substep)
{
    TnWorld *own = r->world;
    const TnModel *m = r->model;
    own->substep = substep;
    if (substep) return;
    own->state.time = world->state.time;
    own->state.ctrl_by_user = world->state.ctrl_by_user;
    copy_numbers(own->state.ctrl, world->state.ctrl, m->actuator_count);
    copy_numbers(own->state.mocap_target, world->state.mocap_target, 7 * m->mocap_count);
    own->wrench_set = world->wrench_set;
    for (int l = 1; world->wrench_set && l < m->link_count; l++)
        memcpy(own->wrench[l], world->wrench[r->link[l]], sizeof(double[6]));
}

int tn_device_robots_rows(const TnDeviceRobots *r)
{
    return r ? r->world->set.problem.row_count : 0;
}
