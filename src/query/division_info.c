/* division_info.c: telling how a world is divided into subsystems: free bodies first, then robots
 * alone, then cables with the robots that hold them, then soft bodies, likewise. */
#include "../world/world.h"

#include "../base/base.h"

int tn_world_subsystem_count(const TnWorld *world)
{
    if (!world) return 0;
    return world->model->rigid_count + tn_division_blocks(world->division);
}

int tn_world_bond_count(const TnWorld *world) { return world ? world->division->bond_count : 0; }

const char *tn_world_division_reason(const TnWorld *world)
{
    return world ? world->division->reason : "";
}

int tn_world_body_subsystem(const TnWorld *world, TnBodyId body)
{
    if (!tn_world_has_body(world, body)) return -1;
    const TnModel *model = world->model;
    int link = world->division->carrier[model->bodies[body - 1].link];
    if (model->links[link].subsystem < 0) return -1;
    const TnSubsystem *sub = &model->subsystems[model->links[link].subsystem];
    if (sub->kind == TN_SUBSYSTEM_RIGID) return sub->kind_index;
    return model->rigid_count + world->division->link_block[link];
}

static void add_part(const TnModel *model, const TnSubsystem *sub, int block_dim,
                     TnSubsystemInfo *info)
{
    info->unknowns = block_dim;
    if (!info->body) info->body = model->links[sub->link_start].body + 1;
}

/* The free body or the tree that is this subsystem on its own. Where these follow each other as the
 * subsystems do, it is the first one looked at. */
static void add_only_part(const TnWorld *world, int index, TnSubsystemInfo *info)
{
    const TnModel *model = world->model;
    const int *tree_block = world->division->tree_block;
    for (int k = 0; k < model->subsystem_count; k++) {
        const TnSubsystem *sub = &model->subsystems[(index + k) % model->subsystem_count];
        bool rigid = sub->kind == TN_SUBSYSTEM_RIGID && sub->kind_index == index;
        bool tree = sub->kind == TN_SUBSYSTEM_TREE &&
                    tree_block[sub->kind_index] == index - model->rigid_count;
        if (!rigid && !tree) continue;
        info->free_bodies += rigid;
        info->trees += tree;
        add_part(model, sub, rigid ? 6 : sub->dof_count, info);
        return;
    }
}

TnSubsystemInfo tn_world_subsystem_info(const TnWorld *world, int index)
{
    TnSubsystemInfo info = {0};
    if (index < 0 || index >= tn_world_subsystem_count(world)) return info;
    const TnModel *model = world->model;
    const TnDivision *d = world->division;
    int block = index - model->rigid_count, chain = block - d->dense_count,
        mesh = chain - d->chain_count;
    if (chain < 0) {
        add_only_part(world, index, &info);
        return info;
    }
    if (mesh >= 0) chain = -1;
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind != TN_SUBSYSTEM_TREE || d->tree_block[sub->kind_index] != block) continue;
        info.trees++;
        add_part(model, sub, mesh >= 0 ? 3 * d->meshes[mesh].node_count : d->chains[chain].dim,
                 &info);
    }
    for (int r = chain < 0 ? 0 : d->run_start[chain]; chain >= 0 && r < d->run_start[chain + 1];
         r++) {
        const TnRod *rod = &model->rods[d->runs[r].rod];
        info.segments += d->runs[r].count;
        info.unknowns = d->chains[chain].dim;
        if (!info.body) info.body = rod->body_start + d->runs[r].first + 1;
    }
    for (int k = 0; mesh >= 0 && k < d->meshes[mesh].piece_count; k++) {
        const TnSoftPiece *piece = &d->pieces[d->meshes[mesh].piece_start + k];
        for (int i = 0; i < piece->node_count; i++) info.soft_nodes += piece->block_node[i] >= 0;
        info.unknowns = 3 * d->meshes[mesh].node_count;
        if (!info.soft) info.soft = piece->soft + 1;
    }
    return info;
}
