/* guess.c: the forces that a step with a tolerance hands to the next one as a starting guess: what
 * it started from itself, and a share of what it changed in them (solver/method/steady.h says why
 * and which). */
#include <string.h>

#include "../subsystem/kind.h"

static void start_range(void *context, int begin, int end)
{
    const TnStep *step = context;
    TnWorld *world = step->world;
    for (int i = begin; i < end; i++) {
        const TnKind *kind = tn_kind_of(step->model, step->awake[i]);
        if (kind->start) kind->start(world, step->awake[i], &world->set.problem);
    }
}

bool tn_step_note_guess(TnStep *step)
{
    tn_pool_run(step->world->team, step->awake_count, TN_SUBSYSTEM_GRAIN, start_range, step);
    const TnProblem *p = &step->world->set.problem;
    TnArena *arena = &step->world->arena;
    step->start.contacts = tn_arena_alloc(arena, sizeof(double[3]) * (size_t)p->contact_count);
    step->start.rows = TN_ARENA_NEW(arena, double, p->row_count);
    if (!step->start.contacts || !step->start.rows) return false;
    if (p->contact_count)
        memcpy(step->start.contacts, p->lambda, sizeof(double[3]) * (size_t)p->contact_count);
    for (int r = 0; r < p->row_count; r++) step->start.rows[r] = p->rows[r].lambda;
    return true;
}

static void keep(double share, double guess, double *lambda)
{
    *lambda = guess + share * (*lambda - guess);
}

static void keep_islands(void *context, int begin, int end)
{
    const TnStep *step = context;
    const TnWorld *world = step->world;
    const TnIslands *islands = &world->solution.islands;
    for (int i = begin; i < end; i++) {
        double share = world->solution.results[i].keep;
        if (share == 1.0) continue;
        for (int k = islands->contact_start[i]; k < islands->contact_start[i + 1]; k++)
            for (int n = 0; n < 3; n++)
                keep(share, step->start.contacts[islands->contacts[k]][n],
                     &world->state.contacts[islands->contacts[k]].lambda[n]);
        for (int k = islands->row_start[i]; k < islands->row_start[i + 1]; k++) {
            int slot = world->set.row_slot[islands->rows[k]];
            if (slot >= 0)
                keep(share, step->start.rows[islands->rows[k]], tn_row_lambda(&world->state, slot));
        }
    }
}

void tn_step_keep_guess(TnStep *step)
{
    TnWorld *world = step->world;
    tn_pool_run(world->team, world->solution.islands.count, 32, keep_islands, step);
}

/* Forces of contacts, from where they stood in the list of the pass before. */
static void start_contacts(TnProblem *p, const TnProblem *last, const int *from)
{
    for (int i = 0; i < p->contact_count; i++) {
        int k = from ? from[i] : i;
        if (k >= 0 && k < last->contact_count)
            memcpy(p->lambda[i], last->lambda[k], sizeof p->lambda[i]);
    }
}

void tn_step_start_from(TnStep *step, const TnProblem *last)
{
    TnProblem *p = &step->world->set.problem;
    start_contacts(p, last, step->start.contact_from);
    /* other ranks' rows may be more than before, and one rank would know */
    if (p->row_count == last->row_count && !step->world->near)
        for (int r = 0; r < p->row_count; r++) p->rows[r].lambda = last->rows[r].lambda;
    tn_problem_start_at_lambda(p);
    if (p->bond_count == last->bond_count)
        for (int i = 0; i < p->bond_count; i++)
            memcpy(p->bonds[i].lambda, last->bonds[i].lambda, sizeof last->bonds[i].lambda);
    if (p->table_rows == last->table_rows && !step->start.contact_from)
        memcpy(p->twist, last->twist, sizeof(double[8]) * (size_t)p->table_rows);
    for (int i = 0; i < p->large_count && p->large_count == last->large_count; i++)
        if (p->large[i].dim == last->large[i].dim)
            memcpy(p->large[i].v, last->large[i].v, sizeof(double) * (size_t)p->large[i].dim);
    step->start.contact_from = NULL;
}
