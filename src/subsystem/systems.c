/* systems.c: memory for the equations of a step, see systems.h. */
#include "systems.h"

bool tn_systems_reserve(const TnModel *model, const TnDivision *d, TnArena *arena, TnSystems *out)
{
    *out =
        (TnSystems){.division = d,
                    .rigid = TN_ARENA_NEW(arena, TnRigidSystem, model->rigid_count),
                    .trees = TN_ARENA_ZERO(arena, TnTreeSystem, model->tree_count),
                    .rods = TN_ARENA_ZERO(arena, TnRodSystem, model->rod_count),
                    .chains = TN_ARENA_ZERO(arena, TnChainSystem, d->chain_count),
                    .chain_free = TN_ARENA_ZERO(arena, double *, d->dense_count + d->chain_count),
                    .followers = TN_ARENA_NEW(arena, TnFollowerMotion, d->follower_count),
                    .softs = TN_ARENA_ZERO(arena, TnSoftSystem, model->soft_count),
                    .meshes = TN_ARENA_ZERO(arena, TnMeshSystem, d->mesh_count)};
    if (!out->rigid || !out->trees || !out->rods || !out->chains || !out->chain_free ||
        !out->followers || !out->softs || !out->meshes)
        return false;
    for (int r = 0; r < model->rod_count; r++) {
        out->rods[r].cuts = d->cuts[r].joints;
        out->rods[r].cut_count = d->cuts[r].count;
        out->rods[r].whole = &d->cuts[r].whole;
    }
    if (!tn_chains_reserve(d, arena, out->chains)) return false;
    for (int c = 0; c < d->chain_count; c++)
        out->chain_free[d->dense_count + c] = out->chains[c].v_free;
    return true;
}
