/* warm.c: the starting guess of forces from those that the state has of the last step. */
#include "../base/runs.h"
#include "rows.h"

#include "../math/vec3.h"

#define LARGE_GROUP 32

static uint32_t hash_contact(int geom1, int geom2, uint32_t feature)
{
    uint32_t h =
        feature * 0x9e3779b1u ^ (uint32_t)geom1 * 0x85ebca6bu ^ (uint32_t)geom2 * 0xc2b2ae35u;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    return h ^ h >> 13;
}

static bool hash_large(const TnConstraintInput *in, TnWarmGroups *groups)
{
    uint32_t members = 0, size = 1;
    for (int i = 0; i < in->model->geom_count; i++)
        if (groups->count[i] > LARGE_GROUP) members += (uint32_t)groups->count[i];
    groups->table = NULL;
    if (members == 0) return true;
    while (size < 2 * members) size *= 2;
    groups->mask = size - 1;
    groups->table = TN_ARENA_ZERO(in->arena, int, size);
    if (!groups->table) return false;
    for (int i = 0; i < in->state->contact_count; i++) {
        const TnWarmContact *c = &in->state->contacts[i];
        if (groups->count[c->geom1] <= LARGE_GROUP) continue;
        uint32_t k = hash_contact(c->geom1, c->geom2, c->feature) & groups->mask;
        while (groups->table[k]) k = (k + 1) & groups->mask;
        groups->table[k] = i + 1;
    }
    return true;
}

bool tn_warm_find(const TnConstraintInput *in, TnWarmGroups *groups)
{
    groups->first = TN_ARENA_NEW(in->arena, int, in->model->geom_count);
    groups->count = TN_ARENA_NEW(in->arena, int, in->model->geom_count);
    if (!groups->first || !groups->count) return false;
    tn_runs_find(in->pool, in->state->contacts, sizeof in->state->contacts[0],
                 in->state->contact_count, in->model->geom_count, groups->first, groups->count);
    return hash_large(in, groups);
}

static const TnWarmContact *find_in_group(const TnConstraintInput *in, const TnWarmGroups *groups,
                                          int geom1, int geom2, uint32_t feature)
{
    const TnWarmContact *kept = in->state->contacts;
    if (groups->count[geom1] > LARGE_GROUP) {
        uint32_t k = hash_contact(geom1, geom2, feature) & groups->mask;
        for (; groups->table[k]; k = (k + 1) & groups->mask) {
            const TnWarmContact *c = &kept[groups->table[k] - 1];
            if (c->geom1 == geom1 && c->geom2 == geom2 && c->feature == feature) return c;
        }
        return NULL;
    }
    kept += groups->first[geom1];
    for (int i = 0; i < groups->count[geom1]; i++)
        if (kept[i].geom2 == geom2 && kept[i].feature == feature) return &kept[i];
    return NULL;
}

/* A pair may have changed its order; sign says so. */
static const TnWarmContact *find_kept(const TnConstraintInput *in, const TnWarmGroups *groups,
                                      const TnContactPoint *c, double *sign)
{
    *sign = 1.0;
    const TnWarmContact *kept =
        groups->count[c->geom1] ? find_in_group(in, groups, c->geom1, c->geom2, c->feature) : NULL;
    if (kept || !groups->count[c->geom2]) return kept;
    *sign = -1.0;
    return find_in_group(in, groups, c->geom2, c->geom1, c->feature);
}

void tn_warm_contact(const TnConstraintInput *in, const TnWarmGroups *groups,
                     const TnContactPoint *c, double lambda[3], double spin[3], double memory[3])
{
    double sign;
    v3_zero(lambda);
    v3_zero(spin);
    v3_zero(memory);
    const TnWarmContact *kept = find_kept(in, groups, c, &sign);
    if (!kept) return;
    v3_scale(memory, kept->lambda, sign);
    v3_scale(lambda, kept->lambda, sign * in->warm_start);
    v3_scale(spin, kept->spin, sign * in->warm_start);
}

void tn_warm_rows(const TnConstraintInput *in, const TnWarmGroups *groups, TnConstraintSet *set)
{
    /* Holds and ties of soft bodies start from all of their force: they last, and bear what hangs
     * on them. */
    const int first_soft_row = tn_row_slot_wheel(in->model, in->model->wheel_count, 0);
    for (int i = 0; i < set->problem.row_count; i++) {
        TnRow *row = &set->problem.rows[i];
        if (set->row_slot[i] >= 0) {
            double share = in->warm_start;
            if (share > 0.0 && set->row_slot[i] >= first_soft_row) share = 1.0;
            row->lambda = share * *tn_row_lambda(in->state, set->row_slot[i]);
        } else { /* rows of contacts start from their contact */
            const TnContactPoint *c = &in->contacts->points[row->contact];
            double lambda[3], spin[3], memory[3], linear[3], angular[3];
            tn_warm_contact(in, groups, c, lambda, spin, memory);
            tn_contact_row(in->model, c, row->set, set->row_slot[i], linear, angular);
            row->lambda = v3_dot(linear, lambda) + v3_dot(angular, spin);
            if (in->model->has_oval_pairs) /* else both are unit vectors */
                row->lambda /= v3_dot(linear, linear) + v3_dot(angular, angular);
        }
        row->t = row->lambda;
    }
}
