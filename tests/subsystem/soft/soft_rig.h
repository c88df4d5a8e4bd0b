/* soft_rig.h: soft bodies for tests: a box from the builder, perhaps pinned or held by an arm, a
 * division made by hand, and a stepper without contacts that solves by tn_sparse. */
#ifndef TN_TESTS_SOFT_RIG_H
#define TN_TESTS_SOFT_RIG_H

#include "../motion.h"

#include "math/sparse/sparse_cholesky.h"
#include "subsystem/systems.h"

typedef struct SoftSpec {
    double half[3];
    int cells[3];
    double E, nu, density, alpha, tau;
    TnSoftLaw law;
    bool mean_dilatation, consistent_mass;
    double gravity[3];
    bool pin;        /* nodes at the smallest x */
    bool arm;        /* two hinges and a link that holds the nodes at the largest x */
    int piece_count; /* slabs along x; 0: one */
} SoftSpec;

static inline SoftSpec soft_spec(void)
{
    return (SoftSpec){
        .half = {0.2, 0.05, 0.04}, .cells = {5, 2, 2}, .E = 1e5, .nu = 0.3, .density = 1000.0};
}

typedef struct SoftRig {
    SoftSpec spec;
    TnModel *model;
    const TnSoft *soft;
    Motion m;
    TnDivision division;
    TnSoftElements *elements;
    TnSparse **plans; /* per mesh block */
    double *last, *forces;
    /* of the step in hand */
    TnSoftSystem system;
    TnSystems systems;
    TnMeshSystem *meshes;
    double **block_v;
    TnTreeSystem *trees;
    double w;
    bool alone;
    TnPool *pool;
} SoftRig;

/* ---- model ---- */

static inline TnModel *soft_model(const SoftSpec *spec)
{
    TnModelBuilder *b = start(spec->gravity[0], spec->gravity[1], spec->gravity[2]);
    TnError err = {0};
    TnSoftDef def = tn_soft_def();
    TnSoftHoldDef holds[1024];
    TnBodyId hand = 0;
    if (!tn_tet_mesh_box(spec->half, spec->cells, 6, &def.mesh, &err))
        test_fail(__FILE__, __LINE__, "mesh: %s", err.message);
    if (spec->arm) {
        double x = spec->half[0];
        TnBodyId upper =
            add_body(b, TN_BODY_WORLD, x + 0.5, 0.1, 0.3, 2.0, 0.0, 0.0, -0.1, 0.02, 0.03, 0.01);
        TnJointDef first = joint_on(upper, TN_JOINT_HINGE, 0.0, 1.0, 0.2);
        tn_builder_add_joint(b, &first);
        hand = add_body(b, upper, 0.0, 0.0, -0.3, 1.0, -0.1, 0.0, 0.0, 0.01, 0.02, 0.02);
        TnJointDef second = joint_on(hand, TN_JOINT_HINGE, 0.1, 0.3, 1.0);
        second.pos[2] = 0.05;
        tn_builder_add_joint(b, &second);
    }
    def.youngs_modulus = spec->E;
    def.poisson_ratio = spec->nu;
    def.density = spec->density;
    def.damping_mass = spec->alpha;
    def.damping_stiffness = spec->tau;
    def.law = spec->law;
    def.mean_dilatation = spec->mean_dilatation;
    def.consistent_mass = spec->consistent_mass;
    def.holds = holds;
    for (int n = 0; n < def.mesh.node_count && def.hold_count < 1024; n++) {
        double x = def.mesh.nodes[3 * n], end = spec->half[0] - 1e-9;
        if (spec->pin && x < -end) holds[def.hold_count++] = (TnSoftHoldDef){n, TN_BODY_WORLD};
        if (spec->arm && x > end) holds[def.hold_count++] = (TnSoftHoldDef){n, hand};
    }
    tn_builder_add_soft(b, &def);
    tn_tet_mesh_free(&def.mesh);
    return finish(b);
}

/* ---- division ---- */

/* Which of its block's nodes each pair couples, as a square of flags; then as edges. */
static inline void rig_couple(const TnSoft *soft, const TnSoftPiece *piece, const TnModel *model,
                              int tree_nodes, int n, char *flags)
{
    int groups = soft->patch_count ? soft->patch_count : soft->tet_count;
    int *unknowns = malloc(sizeof(int) * (size_t)n),
        *own = malloc(sizeof(int) * (size_t)soft->node_count);
    for (int i = 0; i < piece->node_count; i++) own[piece->nodes[i]] = i;
    (void)model;
    for (int g = 0; g < groups; g++) {
        int count = 0;
        for (int e = 0; e < piece->tet_count; e++) {
            int tet = piece->tets[e];
            if ((soft->patch_count ? soft->patches[tet] : tet) != g) continue;
            for (int a = 0; a < 4; a++) {
                int i = own[soft->tets[4 * tet + a]];
                if (piece->block_node[i] >= 0 && count < n)
                    unknowns[count++] = piece->block_node[i];
                if (piece->hold[i] >= 0)
                    for (int k = 0; k < tree_nodes && count < n; k++) unknowns[count++] = k;
            }
        }
        for (int i = 0; i < count; i++)
            for (int j = 0; j < count; j++)
                if (unknowns[i] > unknowns[j])
                    flags[(size_t)unknowns[i] * (size_t)n + (size_t)unknowns[j]] = 1;
    }
    free(unknowns);
    free(own);
}

static inline void rig_edges(TnMeshBlock *block, const char *flags)
{
    int n = block->node_count;
    for (int i = 0; i < n * n; i++) block->edge_count += flags[i];
    block->edges = malloc(sizeof *block->edges * (size_t)(block->edge_count + 1));
    block->edge_count = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (flags[i * n + j]) {
                block->edges[block->edge_count][0] = i;
                block->edges[block->edge_count++][1] = j;
            }
}

static inline int rig_piece_of(const SoftRig *rig, int tet)
{
    const TnSoft *soft = rig->soft;
    int pieces = rig->spec.piece_count > 1 ? rig->spec.piece_count : 1;
    double x = 0.0;
    for (int a = 0; a < 4; a++) x += 0.25 * soft->rest[3 * soft->tets[4 * tet + a]];
    int p = (int)((x / rig->spec.half[0] + 1.0) * 0.5 * pieces);
    return p < 0 ? 0 : p >= pieces ? pieces - 1 : p;
}

static inline void rig_piece(SoftRig *rig, int p, int tree_nodes)
{
    TnDivision *d = &rig->division;
    const TnSoft *soft = rig->soft;
    TnSoftPiece *piece = &d->pieces[p];
    TnMeshBlock *block = &d->meshes[p];
    size_t nodes = (size_t)soft->node_count;
    *piece = (TnSoftPiece){.block = p,
                           .tets = malloc(sizeof(int) * (size_t)soft->tet_count),
                           .nodes = malloc(sizeof(int) * nodes),
                           .block_node = malloc(sizeof(int) * nodes),
                           .hold = malloc(sizeof(int) * nodes)};
    piece->follow = piece->hold;
    char *used = calloc(nodes, 1);
    for (int e = 0; e < soft->tet_count; e++) {
        if (rig_piece_of(rig, e) != p) continue;
        piece->tets[piece->tet_count++] = e;
        for (int a = 0; a < 4; a++) used[soft->tets[4 * e + a]] = 1;
    }
    *block = (TnMeshBlock){.node_count = tree_nodes, .piece_start = p, .piece_count = 1};
    block->tree_count = tree_nodes ? 1 : 0;
    for (int n = 0; n < soft->node_count; n++) {
        if (!used[n]) continue;
        int i = piece->node_count++, hold = -1;
        for (int h = 0; h < soft->hold_count && tree_nodes; h++)
            if (soft->holds[h].node == n) hold = h;
        piece->nodes[i] = n;
        piece->hold[i] = hold;
        piece->block_node[i] = soft->pinned[n] || hold >= 0 ? -1 : block->node_count++;
        if (d->node_piece[0][n] < 0) {
            d->node_piece[0][n] = p;
            d->node_place[0][n] = i;
        }
    }
    size_t square = (size_t)block->node_count * (size_t)block->node_count;
    char *flags = calloc(square, 1);
    for (int i = 0; i < tree_nodes; i++)
        for (int j = 0; j < i; j++) flags[i * block->node_count + j] = 1;
    rig_couple(soft, piece, rig->model, tree_nodes, block->node_count, flags);
    rig_edges(block, flags);
    free(flags);
    free(used);
}

static inline void rig_division(SoftRig *rig)
{
    TnDivision *d = &rig->division;
    const TnModel *model = rig->model;
    int pieces = rig->spec.piece_count > 1 ? rig->spec.piece_count : 1, tree_nodes = 0;
    size_t nodes = (size_t)rig->soft->node_count;
    for (int s = 0; s < model->subsystem_count && pieces == 1; s++)
        if (model->subsystems[s].kind == TN_SUBSYSTEM_TREE)
            tree_nodes += (model->subsystems[s].dof_count + 2) / 3;
    *d = (TnDivision){.mesh_count = pieces, .piece_count = pieces};
    d->meshes = calloc((size_t)pieces, sizeof *d->meshes);
    d->pieces = calloc((size_t)pieces, sizeof *d->pieces);
    d->mesh_trees = calloc(1, sizeof(int));
    d->tree_node = calloc(1, sizeof(int));
    d->tree_block = calloc(1, sizeof(int));
    d->soft_piece = calloc(2, sizeof(int));
    d->soft_piece_count = calloc(1, sizeof(int));
    d->soft_piece_count[0] = pieces;
    d->node_piece = malloc(sizeof *d->node_piece);
    d->node_place = malloc(sizeof *d->node_place);
    d->node_piece[0] = malloc(sizeof(int) * nodes);
    d->node_place[0] = malloc(sizeof(int) * nodes);
    for (size_t n = 0; n < nodes; n++) d->node_piece[0][n] = -1;
    for (int p = 0; p < pieces; p++) rig_piece(rig, p, tree_nodes);
}

/* ---- steps ---- */

static inline bool soft_rig_start(SoftRig *rig, SoftSpec spec, double t)
{
    TnError err = {0};
    *rig = (SoftRig){.spec = spec, .model = soft_model(&spec), .alone = !spec.pin && !spec.arm};
    if (!rig->model) return false;
    rig->soft = &rig->model->softs[0];
    rig->m = motion_start(rig->model, t);
    rig_division(rig);
    TnDivision *d = &rig->division;
    rig->elements = tn_soft_elements_create(rig->model, d, &err);
    if (!rig->elements) test_fail(__FILE__, __LINE__, "elements: %s", err.message);
    rig->plans = calloc((size_t)d->mesh_count, sizeof *rig->plans);
    for (int i = 0; i < d->mesh_count; i++) {
        TnSparseDef def = {.node_count = d->meshes[i].node_count,
                           .edge_count = d->meshes[i].edge_count,
                           .edges = (const int(*)[2])d->meshes[i].edges};
        rig->plans[i] = tn_sparse_plan(&def, &err);
        if (!rig->plans[i]) test_fail(__FILE__, __LINE__, "plan: %s", err.message);
    }
    rig->last = calloc((size_t)rig->model->dof_count + 1, sizeof(double));
    rig->forces = calloc((size_t)rig->model->dof_count + 1, sizeof(double));
    return rig->elements != NULL && !rig->m.failed;
}

static inline void soft_rig_end(SoftRig *rig)
{
    TnDivision *d = &rig->division;
    for (int i = 0; i < d->mesh_count; i++) {
        free(d->meshes[i].edges);
        free(d->pieces[i].tets);
        free(d->pieces[i].nodes);
        free(d->pieces[i].block_node);
        free(d->pieces[i].hold);
        tn_sparse_free(rig->plans[i]);
    }
    free(d->meshes);
    free(d->pieces);
    free(d->mesh_trees);
    free(d->tree_node);
    free(d->tree_block);
    free(d->soft_piece);
    free(d->soft_piece_count);
    free(d->node_piece[0]);
    free(d->node_place[0]);
    free(d->node_piece);
    free(d->node_place);
    free(rig->plans);
    free(rig->last);
    free(rig->forces);
    tn_soft_elements_destroy(rig->elements);
    motion_end(&rig->m);
    tn_model_destroy(rig->model);
}

static inline double *soft_x(SoftRig *rig) { return rig->m.qpos + rig->soft->qpos_start; }
static inline double *soft_v(SoftRig *rig) { return rig->m.qvel + rig->soft->dof_start; }

static inline TnSoftInput soft_rig_input(SoftRig *rig, const TnDynamicsInput *in)
{
    rig->systems = (TnSystems){.division = &rig->division,
                               .trees = rig->trees,
                               .softs = &rig->system,
                               .meshes = rig->meshes};
    return (TnSoftInput){.in = in,
                         .systems = &rig->systems,
                         .elements = rig->elements,
                         .last = rig->last,
                         .forces = rig->forces,
                         .arena = &rig->m.arena,
                         .pool = rig->pool};
}

/* A and b of this step, from an arena that is emptied first. */
static inline void soft_rig_assemble(SoftRig *rig, const TnDynamicsInput *in)
{
    const TnModel *model = rig->model;
    TnArena *arena = &rig->m.arena;
    tn_arena_reset(arena);
    tn_kinematics(model, rig->m.qpos, 0, model->link_count, rig->m.frames);
    rig->meshes = TN_ARENA_ZERO(arena, TnMeshSystem, rig->division.mesh_count);
    rig->trees = TN_ARENA_ZERO(arena, TnTreeSystem, 1);
    for (int s = 0; s < model->subsystem_count; s++) {
        const TnSubsystem *sub = &model->subsystems[s];
        if (sub->kind == TN_SUBSYSTEM_TREE &&
            !(tn_tree_reserve(model, sub, arena, rig->trees) &&
              tn_tree_assemble(in, sub, rig->m.frames, arena, rig->trees)))
            rig->m.failed = true;
    }
    TnSoftInput input = soft_rig_input(rig, in);
    double *end_qvel = TN_ARENA_NEW(arena, double, model->dof_count);
    rig->system = (TnSoftSystem){0};
    if (!tn_soft_predict(&input, end_qvel)) rig->m.failed = true;
    rig->system.w = rig->w;
    rig->system.alone = rig->alone;
    tn_soft_decide(&input, 0);
    if (!tn_soft_assemble(&input)) rig->m.failed = true;
}

static inline void soft_rig_solve(SoftRig *rig)
{
    TnArena *arena = &rig->m.arena;
    rig->block_v = TN_ARENA_NEW(arena, double *, rig->division.mesh_count);
    for (int i = 0; i < rig->division.mesh_count; i++) {
        TnSparseSizes sizes = tn_sparse_sizes(rig->plans[i]);
        size_t n = 3 * (size_t)rig->division.meshes[i].node_count;
        double *factor = TN_ARENA_NEW(arena, double, sizes.factor);
        double *work = TN_ARENA_NEW(arena, double, sizes.factor_work + sizes.solve_work);
        double *x = rig->block_v[i] = TN_ARENA_NEW(arena, double, n);
        memcpy(x, rig->meshes[i].b, sizeof(double) * n);
        if (!tn_sparse_factor(rig->plans[i], (const double(*)[9])rig->meshes[i].blocks, factor,
                              work))
            rig->m.failed = true;
        tn_sparse_solve(rig->plans[i], factor, 1, x, work);
    }
}

static inline void soft_rig_step(SoftRig *rig)
{
    const TnModel *model = rig->model;
    TnDynamicsInput in = motion_input(&rig->m);
    soft_rig_assemble(rig, &in);
    if (rig->m.failed) return;
    soft_rig_solve(rig);
    TnArena *arena = &rig->m.arena;
    TnSoftInput input = soft_rig_input(rig, &in);
    double *vhat = TN_ARENA_ZERO(arena, double, model->dof_count);
    double *qpos = TN_ARENA_NEW(arena, double, model->qpos_count);
    double *qvel = TN_ARENA_NEW(arena, double, model->dof_count);
    double(*twists)[6] = tn_arena_alloc(arena, sizeof(double[6]) * (size_t)model->link_count);
    double *nodes = vhat + rig->soft->dof_start;
    tn_soft_velocity(&input, 0, rig->block_v, nodes);
    /* about where it ended, as the step does (step/refine.c) */
    for (int pass = 1; pass < 12 && tn_soft_expect(&input, 0, nodes); pass++) {
        tn_soft_decide(&input, 0);
        if (!tn_soft_assemble(&input)) rig->m.failed = true;
        soft_rig_solve(rig);
        tn_soft_velocity(&input, 0, rig->block_v, nodes);
    }
    tn_soft_advance(&input, 0, nodes, 1.0, 1.0, qpos, qvel);
    for (int s = 0; s < model->subsystem_count; s++)
        if (model->subsystems[s].kind == TN_SUBSYSTEM_TREE) {
            const TnSubsystem *sub = &model->subsystems[s];
            memcpy(vhat + sub->dof_start, rig->block_v[0], sizeof(double) * (size_t)sub->dof_count);
            tn_tree_advance(&in, sub, rig->trees, vhat + sub->dof_start, rig->w, 1.0, qpos, qvel);
        }
    memcpy(rig->m.qpos, qpos, sizeof(double) * (size_t)model->qpos_count);
    memcpy(rig->m.qvel, qvel, sizeof(double) * (size_t)model->dof_count);
    memcpy(rig->last, vhat, sizeof(double) * (size_t)model->dof_count);
    tn_kinematics(model, rig->m.qpos, 0, model->link_count, rig->m.frames);
    tn_kinematics_twists(model, rig->m.qpos, rig->m.qvel, rig->m.frames, 0, model->link_count,
                         twists);
    tn_soft_place_held(model, &rig->division, rig->m.frames, (const double(*)[6])twists,
                       rig->m.qpos, rig->m.qvel);
}

static inline void soft_rig_run(SoftRig *rig, int steps)
{
    for (int k = 0; k < steps && !rig->m.failed; k++) soft_rig_step(rig);
}

/* ---- sums ---- */

/* M v of the lumped or the consistent mass. */
static inline void soft_momentum(const SoftRig *rig, const double *v, double *out)
{
    const TnSoft *soft = rig->soft;
    memset(out, 0, sizeof(double[3]) * (size_t)soft->node_count);
    if (!soft->consistent_mass) {
        for (int k = 0; k < 3 * soft->node_count; k++) out[k] = soft->masses[k / 3] * v[k];
        return;
    }
    for (int e = 0; e < soft->tet_count; e++) {
        int32_t *tet = soft->tets + 4 * e;
        double nodes[12];
        for (int k = 0; k < 12; k++) nodes[k] = soft->rest[3 * tet[k / 3] + k % 3];
        int32_t order[4] = {0, 1, 2, 3};
        TnTetMesh one = {4, 1, nodes, order};
        double m = soft->density * tn_tet_mesh_volume(&one) / 20.0;
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                v3_add_scaled(out + 3 * tet[a], v + 3 * tet[b], a == b ? 2.0 * m : m);
    }
}

/* Linear and angular momentum, and the kinetic energy. */
static inline double soft_sums(SoftRig *rig, double linear[3], double angular[3])
{
    int n = rig->soft->node_count;
    double *p = malloc(sizeof(double[3]) * (size_t)n), kinetic = 0.0;
    soft_momentum(rig, soft_v(rig), p);
    v3_set(linear, 0.0, 0.0, 0.0);
    v3_set(angular, 0.0, 0.0, 0.0);
    for (int i = 0; i < n; i++) {
        double l[3];
        v3_cross(l, soft_x(rig) + 3 * i, p + 3 * i);
        v3_add(angular, angular, l);
        v3_add(linear, linear, p + 3 * i);
        kinetic += 0.5 * v3_dot(soft_v(rig) + 3 * i, p + 3 * i);
    }
    free(p);
    return kinetic;
}

static inline double soft_energy(SoftRig *rig)
{
    double linear[3], angular[3], kinetic = soft_sums(rig, linear, angular);
    return kinetic + tn_soft_energy(rig->elements, rig->model, 0, rig->m.qpos);
}

/* v += ω × (x - c) */
static inline void soft_spin(SoftRig *rig, double wx, double wy, double wz)
{
    double omega[3] = {wx, wy, wz}, centre[3] = {0.0};
    const TnSoft *soft = rig->soft;
    for (int i = 0; i < soft->node_count; i++)
        v3_add_scaled(centre, soft_x(rig) + 3 * i, soft->masses[i] / soft->mass);
    for (int i = 0; i < soft->node_count; i++) {
        double r[3], v[3];
        v3_sub(r, soft_x(rig) + 3 * i, centre);
        v3_cross(v, omega, r);
        v3_add(soft_v(rig) + 3 * i, soft_v(rig) + 3 * i, v);
    }
}

/* The last v̂ as smooth motion would have it: without it the first step is predicted less well. */
static inline void soft_forget(SoftRig *rig)
{
    memcpy(rig->last, rig->m.qvel, sizeof(double) * (size_t)rig->model->dof_count);
}

#endif
