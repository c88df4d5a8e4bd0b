/* build.c: from the stages before to the solver's problem: blocks, ports, contacts, starting guess.
 */
#include "rows.h"

#include <math.h>
#include <string.h>

#include "../math/vec3.h"

/* ---- blocks and ports ---- */

/* A link of a tree or rod that gets a port; free bodies get their row. */
static void want_row(const TnConstraintInput *in, int link, int *link_row, int *next)
{
    const TnModel *model = in->model;
    link = in->division->carrier[link];
    if (link_row[link] >= 0 || model->links[link].held) return;
    bool rigid = model->subsystems[model->links[link].subsystem].kind == TN_SUBSYSTEM_RIGID;
    link_row[link] = rigid ? (*next)++ : 0; /* 0: wants a port */
}

/* Links at either end of a bond. */
static void want_bonds(const TnConstraintInput *in, int *link_row, int *next)
{
    const TnModel *model = in->model;
    for (int r = 0; r < model->rod_count; r++)
        for (int i = 0; i < in->rods[r].cut_count; i++)
            for (int side = 0; side < 2; side++)
                want_row(in, model->rods[r].link_start + in->rods[r].cuts[i] + side, link_row,
                         next);
    for (int i = 0; i < model->equality_count; i++)
        if (in->division->iterated[i]) {
            want_row(in, model->equalities[i].segment, link_row, next);
            want_row(in, model->equalities[i].holder, link_row, next);
        }
}

/* Rows in the twist table. Free bodies are numbered as the contacts, which come in spatial order,
 * first name them, so that neighbours in space are neighbours in memory; the others follow. A
 * link of a tree or rod gets a port where a contact or a bond touches it; the ports of a block lie
 * together, first_port says where (one more than there are blocks). False: no memory. */
static bool assign_rows(const TnConstraintInput *in, int *link_row, int port_row, int *first_port)
{
    const TnModel *model = in->model;
    const TnDivision *d = in->division;
    int next = 1, blocks = d->dense_count + d->chain_count;
    for (int i = 0; i < model->link_count; i++) link_row[i] = -1;
    link_row[0] = 0;
    for (int c = 0; c < in->contacts->count; c++) {
        const TnContactPoint *point = &in->contacts->points[c];
        want_row(in, model->geoms[point->geom1].link, link_row, &next);
        want_row(in, model->geoms[point->geom2].link, link_row, &next);
    }
    want_bonds(in, link_row, &next);
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind == TN_SUBSYSTEM_RIGID && link_row[sub->link_start] < 0)
            link_row[sub->link_start] = next++;
    }
    int *cursor = TN_ARENA_ZERO(in->arena, int, blocks + 1);
    if (!cursor) return false;
    for (int i = 1; i < model->link_count; i++)
        if (link_row[i] == 0) cursor[d->link_block[i]]++;
    for (int b = 0, total = 0; b <= blocks; b++) {
        int count = cursor[b];
        first_port[b] = cursor[b] = total;
        total += count;
    }
    for (int i = 1; i < model->link_count; i++)
        if (link_row[i] == 0) link_row[i] = port_row + cursor[d->link_block[i]]++;
    for (int i = 1; i < model->link_count; i++) {
        if (model->links[i].held) link_row[i] = 0; /* the world, to contacts */
        if (d->carrier[i] != i) link_row[i] = link_row[d->carrier[i]];
    }
    return true;
}

/* The tree's axes, and T of its ports. */
static bool fill_tree_ports(const TnConstraintInput *in, const TnSubsystem *sub,
                            TnConstraintSet *set, TnTreeAxes *axes)
{
    TnProblem *p = &set->problem;
    const TnDivision *d = in->division;
    int n = sub->dof_count, block = d->tree_block[sub->kind_index];
    v3_copy(axes->origin, in->frames[sub->link_start].com);
    axes->S = tn_arena_alloc(in->arena, sizeof(double[6]) * (size_t)n);
    if (!axes->S) return false;
    tn_tree_axes(in->model, sub, in->state->qpos, in->frames, axes->origin, axes->S);
    for (int i = sub->link_start; i < sub->link_start + sub->link_count; i++) {
        int port = set->link_row[i] - p->port_row;
        if (port < 0) continue;
        double *T;
        if (block < d->dense_count) {
            if (!tn_problem_set_port(p, port, block)) return false;
            T = p->ports[port].T;
        } else {
            T = TN_ARENA_ZERO(in->arena, double, 6 * n);
            if (!T) return false;
            tn_problem_set_node_port(p, port, block, d->tree_node[sub->kind_index], T);
        }
        tn_tree_jacobian(in->model, sub, axes->origin, (const double(*)[6])axes->S, i,
                         in->frames[i].com, T);
    }
    return true;
}

static bool fill_dense(const TnConstraintInput *in, const TnSubsystem *sub, TnConstraintSet *set,
                       const int *first_port)
{
    TnProblem *p = &set->problem;
    int index = sub->kind_index, block = in->division->tree_block[index], n = sub->dof_count;
    if (!tn_problem_set_dense(p, block, n, first_port[block],
                              first_port[block + 1] - first_port[block]))
        return false;
    memcpy(p->large[block].A, in->tree_A[index], sizeof(double) * (size_t)n * (size_t)n);
    memcpy(p->large[block].b, in->tree_b[index], sizeof(double) * (size_t)n);
    return true;
}

static bool fill_chain(const TnConstraintInput *in, int index, TnConstraintSet *set,
                       const int *first_port)
{
    TnProblem *p = &set->problem;
    const TnDivision *d = in->division;
    const TnChainSystem *s = &in->chains[index];
    int block = d->dense_count + index;
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
            if (set->link_row[link] > 0)
                tn_problem_set_node_port(p, set->link_row[link] - p->port_row, block, node, NULL);
        }
    }
    return true;
}

/* All large blocks in their order. */
static bool fill_large(const TnConstraintInput *in, TnConstraintSet *set, TnTreeAxes *axes,
                       const int *first_port)
{
    const TnModel *model = in->model;
    const TnDivision *d = in->division;
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind == TN_SUBSYSTEM_TREE && d->tree_block[sub->kind_index] < d->dense_count &&
            !fill_dense(in, sub, set, first_port))
            return false;
    }
    for (int c = 0; c < d->chain_count; c++)
        if (!fill_chain(in, c, set, first_port)) return false;
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind != TN_SUBSYSTEM_TREE) continue;
        int block = d->tree_block[sub->kind_index];
        memcpy(set->problem.large[block].v +
                   tn_division_start(d, block, d->tree_node[sub->kind_index]),
               in->state->vhat + sub->dof_start, sizeof(double) * (size_t)sub->dof_count);
        if (!fill_tree_ports(in, sub, set, &axes[sub->kind_index])) return false;
    }
    return true;
}

static void fill_twist(const TnConstraintInput *in, const TnSubsystem *sub, TnConstraintSet *set)
{
    const TnRigidSystem *r = &in->rigid[sub->kind_index];
    double b[6];
    v3_scale(b, r->v_free, r->mass_rate);
    m3_mul_v(b + 3, r->inertia_rate, r->v_free + 3);
    tn_problem_set_twist(&set->problem, set->link_row[sub->link_start] - 1, r->mass_rate,
                         r->inertia_rate, b, in->state->vhat + sub->dof_start);
}

/* ---- contacts ---- */

/* Where last step's contacts of a geom stand in the kept list. */
typedef struct Groups {
    int *first, *count; /* per geom */
} Groups;

static bool group_kept(const TnConstraintInput *in, Groups *groups)
{
    groups->first = TN_ARENA_NEW(in->arena, int, in->model->geom_count);
    groups->count = TN_ARENA_ZERO(in->arena, int, in->model->geom_count);
    if (!groups->first || !groups->count) return false;
    for (int i = 0; i < in->state->contact_count; i++) {
        int geom = in->state->contacts[i].geom1;
        if (groups->count[geom]++ == 0) groups->first[geom] = i;
    }
    return true;
}

static const TnWarmContact *find_in_group(const TnConstraintInput *in, const Groups *groups,
                                          int geom1, int geom2, uint32_t feature)
{
    const TnWarmContact *kept = in->state->contacts + groups->first[geom1];
    for (int i = 0; i < groups->count[geom1]; i++)
        if (kept[i].geom2 == geom2 && kept[i].feature == feature) return &kept[i];
    return NULL;
}

/* λ and spin of the same contact in the last step, scaled; zero for a new one. A pair may have
 * changed its order. */
static void warm_contact(const TnConstraintInput *in, const Groups *groups, const TnContactPoint *c,
                         double lambda[3], double spin[3])
{
    v3_zero(lambda);
    v3_zero(spin);
    if (in->warm_start == 0.0) return;
    double sign = in->warm_start;
    const TnWarmContact *kept =
        groups->count[c->geom1] ? find_in_group(in, groups, c->geom1, c->geom2, c->feature) : NULL;
    if (!kept && groups->count[c->geom2]) {
        kept = find_in_group(in, groups, c->geom2, c->geom1, c->feature);
        sign = -sign;
    }
    if (!kept) return;
    v3_scale(lambda, kept->lambda, sign);
    v3_scale(spin, kept->spin, sign);
}

static void spin_axis(const TnContactPoint *c, TnRowSet set, double axis[3])
{
    double t1[3], t2[3];
    v3_tangents(c->normal, t1, t2);
    v3_copy(axis, set == TN_ROW_SPIN ? c->normal : set == TN_ROW_ROLL ? t1 : t2);
}

typedef struct ContactTask {
    const TnConstraintInput *in;
    TnConstraintSet *set;
    const Groups *groups;
    double gravity;
} ContactTask;

static void point_velocity(double out[3], const double twist[6], const double arm[3])
{
    v3_cross(out, twist + 3, arm);
    v3_add(out, out, twist);
}

static void contact_range(void *context, int begin, int end)
{
    const ContactTask *task = context;
    const TnConstraintInput *in = task->in;
    const TnModel *model = in->model;
    for (int i = begin; i < end; i++) {
        const TnContactPoint *c = &in->contacts->points[i];
        int a = in->division->carrier[model->geoms[c->geom1].link],
            b = in->division->carrier[model->geoms[c->geom2].link];
        double arm_a[3], arm_b[3], va[3], vb[3], v[3], v_end[3], e[3], lambda[3], spin[3];
        v3_sub(arm_a, c->pos, in->frames[a].com);
        v3_sub(arm_b, c->pos, in->frames[b].com);
        point_velocity(va, in->twists[a], arm_a);
        point_velocity(vb, in->twists[b], arm_b);
        v3_sub(v, vb, va);
        point_velocity(va, in->end_twists[a], arm_a);
        point_velocity(vb, in->end_twists[b], arm_b);
        v3_sub(v_end, vb, va);
        double vn = v3_dot(c->normal, v);
        TnLaw law = tn_unilateral_law(c->gap, vn, v3_dot(c->normal, v_end), c->restitution, in->t,
                                      in->theta, model->option.stabilization, task->gravity);
        double shift = -(1.0 - in->theta);
        for (int k = 0; k < 3; k++)
            e[k] = shift * (v[k] - vn * c->normal[k]) + law.e_normal * c->normal[k];
        warm_contact(in, task->groups, c, lambda, spin);
        tn_problem_set_contact(&task->set->problem, i, task->set->link_row[a],
                               task->set->link_row[b], arm_a, arm_b, c->normal, e,
                               c->dim == 1 ? 0.0 : c->friction[0], lambda);
        task->set->laws[i] = law;
    }
}

bool tn_constraint_build(const TnConstraintInput *in, TnConstraintSet *set)
{
    const TnModel *model = in->model;
    int contacts = in->contacts->count;
    *set = (TnConstraintSet){0};
    set->link_row = TN_ARENA_NEW(in->arena, int, model->link_count);
    set->laws = TN_ARENA_NEW(in->arena, TnLaw, contacts);
    TnTreeAxes *axes = TN_ARENA_ZERO(in->arena, TnTreeAxes, model->tree_count);
    int larges = in->division->dense_count + in->division->chain_count;
    int *first_port = TN_ARENA_NEW(in->arena, int, larges + 1);
    Groups groups;
    if (!set->link_row || !set->laws || !axes || !first_port || !group_kept(in, &groups))
        return false;

    int port_row = 1 + (model->rigid_count + TN_LANES - 1) / TN_LANES * TN_LANES;
    if (!assign_rows(in, set->link_row, port_row, first_port)) return false;
    TnRowCounts counts = tn_constraint_count_rows(in);
    set->row_slot = TN_ARENA_NEW(in->arena, int, counts.rows);
    set->limits = TN_ARENA_NEW(in->arena, TnLimit, counts.limits);
    TnProblemSize size = {.twists = model->rigid_count,
                          .larges = larges,
                          .ports = first_port[larges],
                          .bonds = in->division->bond_count,
                          .contacts = contacts,
                          .rows = counts.rows,
                          .sides = counts.sides,
                          .entries = counts.entries};
    if (!set->row_slot || !set->limits || !tn_problem_init(&set->problem, in->arena, size))
        return false;

    for (int i = 0; i < model->subsystem_count; i++)
        if (model->subsystems[i].kind == TN_SUBSYSTEM_RIGID)
            fill_twist(in, &model->subsystems[i], set);
    if (!fill_large(in, set, axes, first_port)) return false;
    ContactTask task = {in, set, &groups, v3_norm(model->option.gravity)};
    tn_pool_run(in->pool, contacts, 512, contact_range, &task);
    if (!tn_constraint_add_springs(in, set) || !tn_constraint_fill_rows(in, axes, set))
        return false;
    for (int i = 0; i < set->problem.row_count; i++) {
        TnRow *row = &set->problem.rows[i];
        if (set->row_slot[i] >= 0) {
            row->lambda = in->warm_start * in->state->row_lambda[set->row_slot[i]];
        } else { /* spin rows start from their contact */
            const TnContactPoint *c = &in->contacts->points[row->contact];
            double lambda[3], spin[3], axis[3];
            warm_contact(in, &groups, c, lambda, spin);
            spin_axis(c, row->set, axis);
            row->lambda = v3_dot(axis, spin);
        }
        row->t = row->lambda;
    }
    return true;
}

bool tn_constraint_keep(const TnConstraintInput *in, const TnConstraintSet *set, TnState *state)
{
    const TnModel *model = in->model;
    const TnProblem *p = &set->problem;
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        double *vhat = state->vhat + sub->dof_start;
        if (sub->kind == TN_SUBSYSTEM_RIGID) {
            tn_problem_twist(p, set->link_row[sub->link_start] - 1, vhat);
        } else if (sub->kind == TN_SUBSYSTEM_ROD) {
            memcpy(vhat, set->rod_vhat[sub->kind_index], sizeof(double) * (size_t)sub->dof_count);
        } else {
            const TnDivision *d = in->division;
            int block = d->tree_block[sub->kind_index];
            memcpy(vhat,
                   p->large[block].v + tn_division_start(d, block, d->tree_node[sub->kind_index]),
                   sizeof(double) * (size_t)sub->dof_count);
        }
    }
    memset(state->row_lambda, 0, sizeof(double) * (size_t)state->row_lambda_count);
    tn_constraint_keep_welds(in, set, state->row_lambda);
    int count = in->contacts->count;
    state->contact_count = 0;
    if (!tn_state_reserve_contacts(state, count)) return false;
    state->contact_count = count;
    for (int i = 0; i < count; i++) {
        const TnContactPoint *c = &in->contacts->points[i];
        state->contacts[i] =
            (TnWarmContact){.geom1 = c->geom1, .geom2 = c->geom2, .feature = c->feature};
        tn_problem_contact_lambda(p, i, state->contacts[i].lambda);
    }
    for (int r = 0; r < p->row_count; r++) {
        if (set->row_slot[r] >= 0) {
            state->row_lambda[set->row_slot[r]] = p->rows[r].lambda;
            continue;
        }
        /* spin and roll rows: their axes in the world times λ */
        const TnContactPoint *c = &in->contacts->points[p->rows[r].contact];
        double axis[3];
        spin_axis(c, p->rows[r].set, axis);
        v3_add_scaled(state->contacts[p->rows[r].contact].spin, axis, p->rows[r].lambda);
    }
    return true;
}

static void raise_blend(const TnModel *model, int link, double share, double *blend)
{
    int s = model->links[link].subsystem;
    if (s >= 0 && share > blend[s]) blend[s] = share;
}

static int subsystem_of_joint(const TnModel *model, int joint)
{
    return joint < 0 ? -1 : model->links[model->joints[joint].link].subsystem;
}

void tn_constraint_share_blend(const TnModel *model, double *blend)
{
    bool changed = true;
    while (changed) { /* a chain takes as many rounds as it is long, at most */
        changed = false;
        for (int i = 0; i < model->equality_count; i++) {
            const TnEquality *e = &model->equalities[i];
            if (!e->active) continue;
            bool joints = e->type == TN_EQUALITY_JOINT;
            int a = joints ? subsystem_of_joint(model, e->joint1)
                           : model->links[model->bodies[e->body1].link].subsystem;
            int b = joints ? subsystem_of_joint(model, e->joint2)
                           : model->links[model->bodies[e->body2].link].subsystem;
            if (a < 0 || b < 0 || blend[a] == blend[b]) continue;
            blend[a] = blend[b] = fmax(blend[a], blend[b]);
            changed = true;
        }
    }
}

void tn_constraint_blend(const TnConstraintInput *in, const TnConstraintSet *set, double *blend)
{
    const TnModel *model = in->model;
    for (int s = 0; s < model->subsystem_count; s++) blend[s] = 0.0;
    for (int i = 0; i < in->contacts->count; i++) {
        /* A lasting contact counts too: its point wanders as the body rolls, and with the force at
         * the step's start only the end velocity gives a rule that does not gain energy. A limit
         * stays where it is on its joint. */
        if (!(tn_contact_normal_force(&set->problem, i) > 0.0)) continue;
        const TnContactPoint *c = &in->contacts->points[i];
        const int *carrier = in->division->carrier;
        raise_blend(model, carrier[model->geoms[c->geom1].link], set->laws[i].blend, blend);
        raise_blend(model, carrier[model->geoms[c->geom2].link], set->laws[i].blend, blend);
    }
    for (int i = 0; i < set->limit_count; i++) {
        const TnLimit *limit = &set->limits[i];
        if (limit->law.resting || !(set->problem.rows[limit->row].lambda > 0.0)) continue;
        if (limit->law.blend > blend[limit->subsystem]) blend[limit->subsystem] = limit->law.blend;
    }
    /* rods know beforehand how they move, as their springs depend on it */
    for (int r = 0; r < model->rod_count; r++) blend[model->rods[r].subsystem] = in->rods[r].w;
    tn_constraint_share_blend(model, blend);
}
