/* device_robots.c: see device_robots.h. */
#include "device_robots.h"

#include <string.h>

#include "../base/base.h"
#include "../math/disjoint_sets.h"
#include "../model/part/movers.h"

/* Unknowns that are one full matrix on the device. */
#define MOST_UNKNOWNS 1200

/* ---- which there are ---- */

static bool has_some(const TnModel *m)
{
    bool some = m->mocap_count > 0;
    for (int s = 0; s < m->subsystem_count; s++)
        some |= m->subsystems[s].kind != TN_SUBSYSTEM_RIGID;
    return some;
}

static int block_of_link(const TnDivision *d, const TnModel *m, int link)
{
    return m->links[link].subsystem < 0 ? -1 : d->link_block[link];
}

/* Blocks of both sides; -1: none. */
static void sides_of(const TnModel *m, const TnDivision *d, const TnEquality *e, int blocks[2])
{
    for (int side = 0; side < 2; side++) {
        int joint = side ? e->joint2 : e->joint1, tendon = side ? e->tendon2 : e->tendon1,
            body = side ? e->body2 : e->body1, link = 0;
        if (e->type == TN_EQUALITY_JOINT)
            link = joint < 0 ? 0 : m->joints[joint].link;
        else if (e->type == TN_EQUALITY_TENDON)
            link = tendon < 0 ? 0 : m->subsystems[m->tendons[tendon].subsystem].link_start;
        else
            link = m->bodies[body].link;
        blocks[side] = block_of_link(d, m, link);
    }
}

/* Blocks that rows may join are one group. */
static void join_blocks(const TnModel *m, const TnDivision *d, int *parent)
{
    for (int i = 0; i < m->equality_count; i++) {
        int blocks[2];
        sides_of(m, d, &m->equalities[i], blocks);
        if (blocks[0] >= 0 && blocks[1] >= 0) tn_set_join(parent, blocks[0], blocks[1]);
    }
}

static int dim_of_block(const TnModel *m, const TnDivision *d, int block)
{
    int mesh = block - d->dense_count - d->chain_count;
    if (mesh >= 0) /* at most, of what is in contact */
        return 3 * m->softs[d->pieces[d->meshes[mesh].piece_start].soft].surface_node_count;
    if (block >= d->dense_count) return d->chains[block - d->dense_count].dim;
    for (int s = 0; s < m->subsystem_count; s++)
        if (m->subsystems[s].kind == TN_SUBSYSTEM_TREE &&
            d->tree_block[m->subsystems[s].kind_index] == block)
            return m->subsystems[s].dof_count;
    return 0;
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
    r->next = tn_calloc(blocks, sizeof(int));
    r->out.groups = tn_calloc(blocks, sizeof *r->out.groups);
    r->out.links = tn_calloc(links, sizeof *r->out.links);
    return r->block_group && r->block_start && r->carried && r->wanted && r->last && r->next &&
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
    }
}

/* Rows that there may be. */
static void count_rows(TnDeviceRobots *r)
{
    const TnModel *m = r->model;
    const TnDivision *d = r->world->division;
    for (int j = 0; j < m->joint_count; j++) {
        const TnJoint *joint = &m->joints[j];
        int rows = (joint->limited ? 2 : 0) + (joint->friction_loss > 0.0);
        if (rows) r->out.groups[r->block_group[d->link_block[joint->link]]].row_room += rows;
    }
    for (int i = 0; i < m->tendon_count; i++) {
        int link = m->subsystems[m->tendons[i].subsystem].link_start;
        r->out.groups[r->block_group[d->link_block[link]]].row_room += 3;
    }
    for (int i = 0; i < m->equality_count; i++) {
        int blocks[2];
        sides_of(m, d, &m->equalities[i], blocks);
        int block = blocks[0] >= 0 ? blocks[0] : blocks[1];
        if (block >= 0) r->out.groups[r->block_group[block]].row_room += 6;
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

/* ---- there and back ---- */

static bool refuse_large(const TnDeviceRobots *r, TnError *err)
{
    const TnDivision *d = r->world->division;
    for (int g = 0; g < r->out.group_count; g++)
        if (r->out.groups[g].dim > MOST_UNKNOWNS && !r->out.groups[g].soft) {
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
    def.thread_count = whole->def.thread_count;
    def.passes = 1;
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
    count_rows(r);
    number_links(r);
    tn_device_robots_call(r);
    return tn_device_softs_create(r, world, err) && refuse_large(r, err);
}

void tn_device_robots_destroy(TnDeviceRobots *r)
{
    if (!r) return;
    tn_device_softs_destroy(r);
    tn_world_destroy(r->world);
    tn_model_destroy(r->model);
    tn_free(r->link);
    tn_free(r->subsystem);
    tn_free(r->block_group);
    tn_free(r->block_start);
    tn_free(r->carried);
    tn_free(r->wanted);
    tn_free(r->last);
    tn_free(r->next);
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
    tn_device_softs_forget(r);
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
    own->parts_left = own->substeps - substep;
    own->begun = substep > 0;
    if (substep) return;
    own->state.time = world->state.time;
    own->state.ctrl_by_user = world->state.ctrl_by_user;
    copy_numbers(own->state.ctrl, world->state.ctrl, m->actuator_count);
    copy_numbers(own->state.mocap_target, world->state.mocap_target, 7 * m->mocap_count);
    own->node_force_set = world->node_force_set;
    for (int i = 0; own->node_force_set && i < m->soft_count; i++)
        copy_numbers(own->node_force + m->softs[i].dof_start,
                     world->node_force + world->model->softs[i].dof_start,
                     3 * m->softs[i].node_count);
    own->wrench_set = world->wrench_set;
    for (int l = 1; world->wrench_set && l < m->link_count; l++)
        memcpy(own->wrench[l], world->wrench[r->link[l]], sizeof(double[6]));
}

int tn_device_robots_rows(const TnDeviceRobots *r)
{
    return r ? r->world->set.problem.row_count : 0;
}
