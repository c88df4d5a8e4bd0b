/* blocks.c: the problem's blocks from the systems of the dynamics, their ports, and the rows of the
 * twist table that contacts and bonds speak of. */
#include "rows.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>

#include "../math/vec3.h"

/* Contacts of a cable move each other far along it and want larger weights than those of single
 * bodies: digits of v of bench cable at 30/60 iterations 7.3/8.2 at 1, 7.4/8.7 at 1.6, 7.2/9.0 at
 * 2; of the knot 4.4/5.0 at 1, 4.3/5.1 at 1.4, 4.2/4.8 at 2. */
#define ROD_SCALE 1.6

/* A link of a tree or rod that gets a port; free bodies get their row. */
static void want_row(const TnConstraintInput *in, int link, int *link_row, int *next)
{
    const TnModel *model = in->model;
    link = in->division->carrier[link];
    if (link_row[link] >= 0) return;
    bool rigid = model->subsystems[model->link_subsystem[link]].kind == TN_SUBSYSTEM_RIGID;
    if (!rigid && model->links[link].held) return;
    link_row[link] = rigid ? (*next)++ : 0; /* 0: needs a port */
}

/* ---- rows of free bodies in contacts, on several threads ---- */

#define WORTH_SHARING 4096 /* contacts */
#define STRETCH 512        /* contacts that one thread numbers at a time */

typedef struct Numbering {
    const TnConstraintInput *in;
    int *link_row;
    int32_t *ends;      /* per side of a contact, 2 · contact + side: its link, where it is that
                           of a free body, -1 - link where it needs a port; 0: neither */
    atomic_uint *first; /* per link: the first side that it is */
    int *count;         /* per stretch: rows that begin there; then where they do */
} Numbering;

static void forget_links(void *context, int begin, int end)
{
    const Numbering *n = context;
    for (int i = begin; i < end; i++) {
        n->link_row[i] = i <= n->in->model->mocap_count ? 0 : -1;
        atomic_init(&n->first[i], UINT_MAX);
    }
}

static int32_t find_end(const TnConstraintInput *in, int geom)
{
    const TnModel *model = in->model;
    int link = in->division->carrier[model->geom_link[geom]], s = model->link_subsystem[link];
    if (s < 0) return 0;
    if (model->subsystems[s].kind == TN_SUBSYSTEM_RIGID) return link;
    return model->links[link].held ? 0 : -1 - link;
}

static int link_of(int32_t end) { return end < 0 ? -1 - end : end; }

static void note_first(void *context, int begin, int end)
{
    const Numbering *n = context;
    for (int c = begin; c < end; c++)
        for (int side = 0; side < 2; side++) {
            const TnContactPoint *point = &n->in->contacts->points[c];
            unsigned place = 2 * (unsigned)c + (unsigned)side;
            n->ends[place] = find_end(n->in, side ? point->geom2 : point->geom1);
            int link = link_of(n->ends[place]);
            if (!link) continue;
            unsigned first = atomic_load_explicit(&n->first[link], memory_order_relaxed);
            while (place < first && !atomic_compare_exchange_weak_explicit(
                                        &n->first[link], &first, place, memory_order_relaxed,
                                        memory_order_relaxed)) {}
        }
}

static void count_first(void *context, int begin, int end)
{
    const Numbering *n = context;
    for (int i = begin; i < end; i++) {
        int last =
            (i + 1) * STRETCH < n->in->contacts->count ? (i + 1) * STRETCH : n->in->contacts->count;
        n->count[i] = 0;
        for (int k = 2 * i * STRETCH; k < 2 * last; k++)
            n->count[i] += n->ends[k] > 0 && n->first[n->ends[k]] == (unsigned)k;
    }
}

static void number_first(void *context, int begin, int end)
{
    const Numbering *n = context;
    for (int i = begin; i < end; i++) {
        int last =
            (i + 1) * STRETCH < n->in->contacts->count ? (i + 1) * STRETCH : n->in->contacts->count;
        int next = n->count[i];
        for (int k = 2 * i * STRETCH; k < 2 * last; k++) {
            int link = link_of(n->ends[k]);
            if (link && n->first[link] == (unsigned)k)
                n->link_row[link] = n->ends[k] > 0 ? next++ : 0;
        }
    }
}

/* As want_row for each contact, one after the other. False: no memory. */
static bool number_contacts(const TnConstraintInput *in, int *link_row, int *next)
{
    int links = in->model->link_count, stretches = (in->contacts->count + STRETCH - 1) / STRETCH;
    Numbering n = {in, link_row, TN_ARENA_NEW(in->arena, int32_t, 2 * in->contacts->count),
                   TN_ARENA_NEW(in->arena, atomic_uint, links),
                   TN_ARENA_NEW(in->arena, int, stretches)};
    if (!n.ends || !n.first || !n.count) return false;
    tn_pool_run(in->pool, links, 1024, forget_links, &n);
    tn_pool_run(in->pool, in->contacts->count, STRETCH, note_first, &n);
    tn_pool_run(in->pool, stretches, 1, count_first, &n);
    for (int i = 0; i < stretches; i++) {
        int count = n.count[i];
        n.count[i] = *next;
        *next += count;
    }
    tn_pool_run(in->pool, stretches, 1, number_first, &n);
    return true;
}

/* ---- all rows ---- */

/* A follower that a bond keeps where it belongs. */
static bool is_iterated(const TnConstraintInput *in, int follower)
{
    const TnFollower *f = &in->division->followers[follower];
    return !f->carried && !tn_link_asleep(in->state, in->model, f->holder);
}

/* Links at either end of a bond. */
static void want_bonds(const TnConstraintInput *in, int *link_row, int *next)
{
    const TnModel *model = in->model;
    for (int r = 0; r < model->rod_count; r++) {
        const TnRodSystem *rod = &in->systems->rods[r];
        for (int i = 0; i < rod->cut_count && !tn_rod_asleep(in, r); i++)
            for (int side = 0; side < 2; side++)
                want_row(in, model->rods[r].link_start + rod->cuts[i] + side, link_row, next);
    }
    for (int i = 0; i < in->division->follower_count; i++)
        if (is_iterated(in, i)) want_row(in, in->division->followers[i].segment, link_row, next);
    for (int i = 0; i < model->equality_count; i++)
        if (in->division->iterated[i] && !tn_equality_asleep(in->state, model, i)) {
            want_row(in, model->equalities[i].segment, link_row, next);
            want_row(in, model->equalities[i].holder, link_row, next);
        }
}

/* Counts the followers' ports in (row NULL) or numbers them on from the cursors. */
static void add_follower_ports(const TnConstraintInput *in, int port_row, int *cursor, int *row)
{
    const TnDivision *d = in->division;
    for (int i = 0; i < d->follower_count; i++) {
        int *next = &cursor[d->link_block[d->followers[i].holder]];
        if (!is_iterated(in, i)) continue;
        if (row) row[i] = port_row + *next;
        ++*next;
    }
}

typedef struct Closing {
    const TnConstraintInput *in;
    int *link_row;
} Closing;

/* To contacts, what is held or asleep is the world. */
static void close_rows(void *context, int begin, int end)
{
    const Closing *closing = context;
    const TnConstraintInput *in = closing->in;
    for (int i = begin > 1 ? begin : 1; i < end; i++)
        if (in->model->links[i].held || tn_link_asleep(in->state, in->model, i))
            closing->link_row[i] = 0;
}

bool tn_constraint_assign_rows(const TnConstraintInput *in, TnConstraintSet *set, int port_row,
                               int *first_port)
{
    const TnModel *model = in->model;
    const TnDivision *d = in->division;
    int next = 1, blocks = tn_division_blocks(d), *link_row = set->link_row;
    bool share = tn_pool_threads(in->pool) > 1 && in->contacts->count >= WORTH_SHARING;
    if (share && !number_contacts(in, link_row, &next)) return false;
    for (int i = 0; !share && i < model->link_count; i++)
        link_row[i] = i <= model->mocap_count ? 0 : -1;
    for (int c = 0; !share && c < in->contacts->count; c++) {
        const TnContactPoint *point = &in->contacts->points[c];
        want_row(in, model->geom_link[point->geom1], link_row, &next);
        want_row(in, model->geom_link[point->geom2], link_row, &next);
    }
    want_bonds(in, link_row, &next);
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind == TN_SUBSYSTEM_RIGID && link_row[sub->link_start] < 0 &&
            !in->state->asleep[s])
            link_row[sub->link_start] = next++;
    }
    int *cursor = TN_ARENA_ZERO(in->arena, int, blocks + 1);
    if (!cursor) return false;
    /* free bodies alone have no ports and carry nothing */
    int links = blocks ? model->link_count : 0;
    for (int i = 1 + model->mocap_count; i < links; i++)
        if (link_row[i] == 0) cursor[d->link_block[i]]++;
    add_follower_ports(in, port_row, cursor, NULL);
    tn_constraint_soft_rows(in, port_row, cursor, NULL);
    for (int b = 0, total = 0; b <= blocks; b++) {
        int count = cursor[b];
        first_port[b] = cursor[b] = total;
        total += count;
    }
    for (int i = 1 + model->mocap_count; i < links; i++)
        if (link_row[i] == 0) link_row[i] = port_row + cursor[d->link_block[i]]++;
    add_follower_ports(in, port_row, cursor, set->follower_row);
    tn_constraint_soft_rows(in, port_row, cursor, set->soft_row);
    tn_pool_run(in->pool, model->link_count, 1024, close_rows, &(Closing){in, link_row});
    for (int i = 1; i < links; i++)
        if (d->carrier[i] != i) link_row[i] = link_row[d->carrier[i]];
    return true;
}

/* Rows of spin and rolling friction are written with axes of the step's start; so are the ports of
 * a tree that is to move by v⁺. */
static bool needs_start(const TnConstraintInput *in, const TnSubsystem *sub)
{
    if (in->blend[sub - in->model->subsystems] > 0.0 || in->slow < 0.0) return true;
    for (int i = 0; i < in->contacts->count; i++) {
        const TnContactPoint *c = &in->contacts->points[i];
        if (c->dim > 3 || (in->model->has_oval_pairs && tn_is_oval(in->model, c))) return true;
    }
    return in->model->wheel_count > 0;
}

void tn_port_twist(const TnPortMiddle *port, const double *qvel, double twist[6])
{
    const double *T = port->T, *v = qvel + port->dof_start;
    for (int r = 0; r < 6; r++, T += port->dof_count) {
        twist[r] = 0.0;
        for (int d = 0; d < port->dof_count; d++) twist[r] += T[d] * v[d];
    }
}

/* T of a port, with axes of the middle of the step; of a tree that is to move by v⁺, with those of
 * the start. */
static void fill_tree_port(const TnConstraintInput *in, const TnSubsystem *sub, int link,
                           const TnTreeAxes *start, double *T, TnPortMiddle *middle)
{
    const TnTreeSystem *tree = &in->systems->trees[sub->kind_index];
    int i = link - sub->link_start;
    bool stays = in->slow < 0.0 || in->blend[sub - in->model->subsystems] > 0.0;
    v3_copy(middle->com, stays ? in->frames[link].com : tree->com[i]);
    tn_tree_jacobian(in->model, sub, stays ? start->origin : tree->origin,
                     (const double(*)[6])(stays ? start->S : tree->S), link, middle->com, T);
    middle->dof_start = sub->dof_start;
    middle->dof_count = sub->dof_count;
    middle->T = T;
    tn_port_twist(middle, in->state->qvel, middle->twist);
    memcpy(middle->expected, middle->twist, sizeof middle->expected);
    memcpy(middle->late, middle->twist, sizeof middle->late);
    memset(middle->bias, 0, sizeof middle->bias);
    if (stays) return;
    double last[6];
    tn_port_twist(middle, in->state->vhat, last);
    tn_twist_expected(middle->twist, last, middle->late);
    if (in->found) {
        tn_port_twist(middle, in->found, middle->expected);
        for (int k = 0; k < 6; k++)
            middle->late[k] =
                middle->twist[k] + (middle->expected[k] - middle->twist[k]) / in->theta;
    }
    double arm[3], turn[3];
    v3_sub(arm, middle->com, tree->origin);
    memcpy(middle->bias, tree->bias[i], sizeof middle->bias);
    v3_cross(turn, middle->bias + 3, arm);
    v3_add(middle->bias, middle->bias, turn);
    v3_cross(turn, middle->twist + 3, middle->twist);
    v3_add(middle->bias, middle->bias, turn);
}

/* The tree's axes, and T of its ports. */
static bool fill_tree_ports(const TnConstraintInput *in, const TnSubsystem *sub,
                            TnConstraintSet *set, TnTreeAxes *axes)
{
    TnProblem *p = &set->problem;
    const TnDivision *d = in->division;
    int n = sub->dof_count, block = d->tree_block[sub->kind_index];
    if (needs_start(in, sub)) {
        v3_copy(axes->origin, in->frames[sub->link_start].com);
        axes->S = tn_arena_alloc(in->arena, sizeof(double[6]) * (size_t)n);
        if (!axes->S) return false;
        tn_tree_axes(in->model, sub, in->state->qpos, in->frames, axes->origin, axes->S);
    }
    for (int i = sub->link_start; i < sub->link_start + sub->link_count; i++) {
        int port = set->link_row[i] - p->port_row;
        if (port < 0) continue;
        double *T;
        if (block < d->dense_count) {
            if (!tn_problem_set_port(p, port, block)) return false;
            T = p->ports[port].T;
        } else {
            int node = d->tree_node[sub->kind_index];
            T = TN_ARENA_ZERO(in->arena, double, 6 * n);
            if (!T) return false;
            if (block < d->dense_count + d->chain_count)
                tn_problem_set_node_port(p, port, block, node, T);
            else
                tn_problem_set_span_port(p, port, block, 3 * node, n, T);
        }
        set->port_middle[port] = TN_ARENA_NEW(in->arena, TnPortMiddle, 1);
        if (!set->port_middle[port]) return false;
        fill_tree_port(in, sub, i, axes, T, set->port_middle[port]);
    }
    return true;
}

/* Where the holders want their followers: T of the middle of the step. */
static bool fill_follower_ports(const TnConstraintInput *in, TnConstraintSet *set)
{
    TnProblem *p = &set->problem;
    const TnDivision *d = in->division;
    for (int i = 0; i < d->follower_count; i++) {
        const TnFollower *f = &d->followers[i];
        int port = set->follower_row[i] - p->port_row, block = d->link_block[f->holder];
        if (!is_iterated(in, i)) continue;
        if (block >= d->dense_count + d->chain_count) {
            tn_problem_set_span_port(p, port, block, 3 * d->link_node[f->holder],
                                     tn_part_of_link(in->model, f->holder)->dof_count,
                                     in->systems->followers[i].T);
            continue;
        }
        if (block >= d->dense_count) {
            tn_problem_set_node_port(p, port, block, d->link_node[f->holder],
                                     in->systems->followers[i].T);
            continue;
        }
        if (!tn_problem_set_port(p, port, block)) return false;
        memcpy(p->ports[port].T, in->systems->followers[i].T,
               sizeof(double) * 6 * (size_t)p->large[block].dim);
    }
    return true;
}

bool tn_constraint_fill_sleeper(TnConstraintSet *set, int block, const int *first_port)
{
    if (!tn_problem_set_dense(&set->problem, block, 1, first_port[block], 0)) return false;
    tn_problem_dense_A(&set->problem, block)[0] = 1.0;
    return true;
}

static bool fill_dense(const TnConstraintInput *in, const TnSubsystem *sub, TnConstraintSet *set,
                       const int *first_port)
{
    TnProblem *p = &set->problem;
    int index = sub->kind_index, block = in->division->tree_block[index], n = sub->dof_count;
    if (in->state->asleep[sub - in->model->subsystems])
        return tn_constraint_fill_sleeper(set, block, first_port);
    if (!tn_problem_set_dense_A(p, block, n, in->systems->trees[index].A, first_port[block],
                                first_port[block + 1] - first_port[block]))
        return false;
    memcpy(p->large[block].b, in->systems->trees[index].b, sizeof(double) * (size_t)n);
    return true;
}

static bool fill_chain(const TnConstraintInput *in, int index, TnConstraintSet *set,
                       const int *first_port)
{
    TnProblem *p = &set->problem;
    const TnDivision *d = in->division;
    const TnChainSystem *s = &in->systems->chains[index];
    int block = d->dense_count + index;
    if (tn_rod_asleep(in, d->runs[d->run_start[index]].rod))
        return tn_constraint_fill_sleeper(set, block, first_port);
    const TnChainMatrix matrix = {s->D, s->E, s->b, s->factor_D, s->factor_E, s->v_free};
    if (!tn_problem_set_chain(p, block, &d->chains[index], matrix, first_port[block],
                              first_port[block + 1] - first_port[block]))
        return false;
    for (int r = d->run_start[index]; r < d->run_start[index + 1]; r++) {
        const TnRun *run = &d->runs[r];
        int link = in->model->rods[run->rod].link_start + run->first;
        for (int end = link + run->count; link < end; link++) {
            if (d->carrier[link] != link) continue;
            int node = d->link_node[link];
            memcpy(p->large[block].v + d->chains[index].nodes[node].start,
                   in->state->vhat + in->model->links[link].dof_start, sizeof(double[6]));
            int port = set->link_row[link] - p->port_row;
            if (port < 0) continue;
            tn_problem_set_node_port(p, port, block, node, NULL);
            p->ports[port].scale = ROD_SCALE;
        }
    }
    return true;
}

static void fill_twist(const TnConstraintInput *in, const TnSubsystem *sub, TnConstraintSet *set)
{
    const TnRigidSystem *r = &in->systems->rigid[sub->kind_index];
    double b[6];
    v3_scale(b, r->v_free, r->mass_rate);
    m3_mul_v(b + 3, r->inertia_rate, r->v_free + 3);
    tn_problem_set_twist(&set->problem, set->link_row[sub->link_start] - 1, r->mass_rate,
                         r->inertia_rate, b, in->state->vhat + sub->dof_start);
}

typedef struct Filling {
    const TnConstraintInput *in;
    TnConstraintSet *set;
} Filling;

static void fill_twists(void *context, int begin, int end)
{
    const Filling *f = context;
    for (int s = begin; s < end; s++) {
        const TnSubsystem *sub = &f->in->model->subsystems[s];
        if (sub->kind == TN_SUBSYSTEM_RIGID && !f->in->state->asleep[s])
            fill_twist(f->in, sub, f->set);
    }
}

/* Large blocks in their order. */
bool tn_constraint_fill_blocks(const TnConstraintInput *in, TnConstraintSet *set, TnTreeAxes *axes,
                               const int *first_port)
{
    const TnModel *model = in->model;
    const TnDivision *d = in->division;
    tn_pool_run(in->pool, model->subsystem_count, 256, fill_twists, &(Filling){in, set});
    for (int s = 0; model->tree_count && s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind == TN_SUBSYSTEM_TREE && d->tree_block[sub->kind_index] < d->dense_count &&
            !fill_dense(in, sub, set, first_port))
            return false;
    }
    for (int c = 0; c < d->chain_count; c++)
        if (!fill_chain(in, c, set, first_port)) return false;
    if (!tn_constraint_fill_meshes(in, set, first_port)) return false;
    for (int s = 0; model->tree_count && s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind != TN_SUBSYSTEM_TREE || in->state->asleep[s]) continue;
        int block = d->tree_block[sub->kind_index];
        memcpy(set->problem.large[block].v +
                   tn_division_start(d, block, d->tree_node[sub->kind_index]),
               in->state->vhat + sub->dof_start, sizeof(double) * (size_t)sub->dof_count);
        if (!fill_tree_ports(in, sub, set, &axes[sub->kind_index])) return false;
    }
    return fill_follower_ports(in, set);
}
