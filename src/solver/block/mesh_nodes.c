/* mesh_nodes.c: which nodes of a mesh the iterations solve for, the plan that eliminates all
 * others, and memory for both.
 *
 * A plan is a function of the graph and the kept nodes alone, and contacts often stay where they
 * are: each mesh remembers its last plan and the nodes it was made for, and the plan without kept
 * nodes from which it was made. Whether these are remembered or made again makes no difference to
 * any result. */
#include <string.h>

#include "../../base/base.h"
#include "../../math/sparse/sparse_pattern.h"
#include "mesh.h"
#include "sparse_rows.h"

struct TnMeshMemory {
    TnArena arena, base_arena; /* the plan and `kept`; the base */
    const TnSparsePattern *pattern;
    int kept_count, *kept;
    TnSparse *plan; /* NULL: none */
    int root;
    TnSparse *base; /* NULL: none */
};

TnMeshMemory *tn_mesh_memory_create(void)
{
    TnMeshMemory *memory = tn_malloc(sizeof *memory);
    if (!memory) return NULL;
    *memory = (TnMeshMemory){0};
    if (tn_arena_init(&memory->arena, "mesh plan", 0)) {
        if (tn_arena_init(&memory->base_arena, "mesh base plan", 0)) return memory;
        tn_arena_free(&memory->arena);
    }
    tn_free(memory);
    return NULL;
}

void tn_mesh_memory_destroy(TnMeshMemory *memory)
{
    if (memory) {
        tn_arena_free(&memory->arena);
        tn_arena_free(&memory->base_arena);
    }
    tn_free(memory);
}

bool tn_mesh_memory_lacked(const TnMeshMemory *memory)
{
    return memory->arena.lacked || memory->base_arena.lacked;
}

enum { PLANS = 3 };

/* Empties the arena. Where there is no memory, its first use reports it. */
static void make_room(TnArena *arena, size_t bytes)
{
    if (arena->capacity < bytes) tn_arena_alloc(arena, bytes);
    tn_arena_reset(arena);
}

/* The plan without kept nodes that has its root near these. */
static bool remember_base(TnMeshMemory *m, const TnMeshBlock *mesh)
{
    int root = tn_sparse_root(mesh->pattern, mesh->kept_count, mesh->kept, &m->arena);
    if (m->base && m->pattern == mesh->pattern && m->root == root) return true;
    tn_arena_reset(&m->base_arena);
    m->root = root;
    m->base = tn_sparse_base(mesh->pattern, root, &m->base_arena);
    if (m->base && m->base_arena.overflow) { /* the next one, some time later, shall have room */
        tn_arena_reset(&m->base_arena);
        m->base = tn_sparse_base(mesh->pattern, root, &m->base_arena);
    }
    /* at worst, plans are made from two more orders, too */
    if (m->base) make_room(&m->arena, PLANS * m->base_arena.high_water);
    return m->base;
}

/* The plan for the mesh's kept nodes. False: no memory, and nothing is remembered. */
static bool remember(TnMeshMemory *m, const TnMeshBlock *mesh)
{
    size_t bytes = sizeof(int) * (size_t)mesh->kept_count;
    if (m->plan && m->pattern == mesh->pattern && m->kept_count == mesh->kept_count &&
        memcmp(m->kept, mesh->kept, bytes) == 0)
        return true;
    tn_arena_reset(&m->arena);
    m->plan = NULL;
    if (!remember_base(m, mesh)) return false;
    m->pattern = mesh->pattern;
    m->kept_count = mesh->kept_count;
    m->kept = tn_arena_alloc(&m->arena, bytes);
    if (!m->kept) return false;
    memcpy(m->kept, mesh->kept, bytes);
    m->plan = tn_sparse_plan_last(m->pattern, m->base, m->kept_count, m->kept, &m->arena);
    return m->plan;
}

enum { UNTOUCHED = -1 };

static void touch(int *place, int first, int count)
{
    for (int node = first / 3; node <= (first + count - 1) / 3; node++) place[3 * node] = 0;
}

static void mark_touched(const TnProblem *p, int index, int *place)
{
    const TnLargeBlock *d = &p->large[index];
    int block = p->twist_count + index;
    for (int k = d->port_start; k < d->port_start + d->port_count; k++) {
        const TnPort *port = &p->ports[k];
        for (int i = 0; i < port->node_count; i++) touch(place, 3 * port->nodes[i], 3);
        if (port->T && port->count) touch(place, port->start, port->count);
    }
    for (int i = p->block_side_start[block]; i < p->block_side_start[block + 1]; i++) {
        const TnRowSide *side = &p->sides[p->block_sides[i]];
        for (int e = side->start; e < side->start + side->count; e++) touch(place, p->index[e], 1);
    }
}

/* Kept nodes and places; where the ports' nodes are among them. */
bool tn_mesh_choose(TnProblem *p, int index)
{
    TnLargeBlock *d = &p->large[index];
    TnMeshBlock *m = tn_mesh_block(d);
    int ports = 0;
    for (int k = d->port_start; k < d->port_start + d->port_count; k++)
        ports += p->ports[k].T ? 1 : p->ports[k].node_count;
    m->kept = TN_ARENA_NEW(p->arena, int, m->node_count);
    m->place = TN_ARENA_NEW(p->arena, int, d->dim);
    m->port_start = TN_ARENA_NEW(p->arena, int, d->port_count + 1);
    m->port_place = TN_ARENA_NEW(p->arena, int, ports);
    if (!m->kept || !m->place || !m->port_start || !m->port_place) return false;
    for (int k = 0; k < m->node_count; k++) m->place[3 * k] = UNTOUCHED;
    mark_touched(p, index, m->place);
    m->kept_count = 0;
    for (int k = 0; k < m->node_count; k++) {
        if (m->place[3 * k] == UNTOUCHED) continue;
        for (int i = 0; i < 3; i++) m->place[3 * k + i] = 3 * m->kept_count + i;
        m->kept[m->kept_count++] = k;
    }
    d->solved = d->joined = m->size = 3 * m->kept_count;
    m->stride = ((size_t)m->size + 7) & ~(size_t)7;
    int at = 0;
    for (int k = 0; k < d->port_count; k++) {
        const TnPort *port = &p->ports[d->port_start + k];
        m->port_start[k] = at;
        if (port->T) m->port_place[at++] = port->count ? m->place[port->start] : 0;
        for (int i = 0; i < port->node_count; i++)
            m->port_place[at++] = m->place[3 * port->nodes[i]];
    }
    m->port_start[d->port_count] = at;
    return true;
}

bool tn_mesh_plan(TnProblem *p, int index)
{
    const TnMeshBlock *m = tn_mesh_block(&p->large[index]);
    return remember(m->memory, m);
}

/* A vector on K, zero up to its end. */
static double *vector(TnArena *arena, const TnMeshBlock *m)
{
    return TN_ARENA_ZERO(arena, double, m->stride);
}

bool tn_mesh_reserve(TnProblem *p, int index)
{
    TnLargeBlock *d = &p->large[index];
    TnMeshBlock *m = tn_mesh_block(d);
    TnArena *arena = p->arena;
    size_t square = (size_t)m->size * m->stride;
    m->plan = m->memory->plan;
    TnSparseSizes sizes = tn_sparse_sizes(m->plan);
    d->flops = sizes.flops;
    m->factor = TN_ARENA_NEW(arena, double, sizes.factor);
    m->work = TN_ARENA_NEW(
        arena, double, sizes.factor_work > sizes.solve_work ? sizes.factor_work : sizes.solve_work);
    m->y = TN_ARENA_NEW(arena, double, sizes.solve_work);
    m->S = m->H = TN_ARENA_NEW(arena, double, square);
    m->S_inverse = TN_ARENA_NEW(arena, double, square);
    m->H_inverse = TN_ARENA_NEW(arena, double, square);
    m->x = vector(arena, m);
    m->swap = vector(arena, m);
    m->v = vector(arena, m);
    m->free = vector(arena, m);
    m->pull = vector(arena, m);
    m->column = TN_ARENA_NEW(arena, double, 6 * m->stride);
    return m->factor && m->work && m->y && m->S && m->S_inverse && m->H_inverse && m->x &&
           m->swap && m->v && m->free && m->pull && m->column;
}

static TnSpan unknowns(int node) { return (TnSpan){.start = 3 * node, .count = 3}; }

bool tn_mesh_matrix(const TnLargeBlock *d, TnArena *arena, TnBlockMatrix *out)
{
    const TnMeshBlock *m = tn_mesh_block(d);
    const TnGraph *graph = &m->pattern->graph;
    size_t count = 0, most = (size_t)m->node_count + 2 * (size_t)m->pattern->edge_count;
    TnMatrixBlock *blocks = TN_ARENA_NEW(arena, TnMatrixBlock, most);
    if (!blocks) return false;
    for (int i = 0; i < m->node_count; i++) {
        blocks[count++] = (TnMatrixBlock){unknowns(i), unknowns(i), m->blocks[i], false};
        for (int k = graph->first[i]; k < graph->first[i + 1]; k++) {
            int link = m->pattern->link[k];
            blocks[count++] = (TnMatrixBlock){unknowns(i), unknowns(graph->neighbour[k]),
                                              m->blocks[m->node_count + (link >> 1)], link & 1};
        }
    }
    return tn_sparse_rows(blocks, count, d->dim, arena, out);
}
