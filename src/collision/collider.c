/* collider.c: makes a collider: gives slots to the geoms that can collide, sorts them, and
 * allocates all that a step needs. */
#include "collider.h"
#include "../base/base.h"
#include "../base/carve.h"
#include "../math/vec3.h"
#include "narrow/tri_mesh.h"
#include "soft/soft_surface.h"

#include <stdlib.h>

static int piece_count(const TnModel *m, const TnGeom *g)
{
    return g->mesh >= 0 && m->meshes[g->mesh].piece_count ? m->meshes[g->mesh].piece_count : 1;
}

/* At most. */
static int slot_count(const TnModel *m)
{
    int count = 0;
    for (int g = 0; g < m->geom_count; g++) count += piece_count(m, &m->geoms[g]);
    return count;
}

static void lay_out(TnCollider *c, TnCarver *k, const TnModel *model)
{
    int n = slot_count(model);
    c->slots = TN_CARVE(k, TnSlot, n);
    c->locals = TN_CARVE(k, TnSlotLocal, n);
    c->shape = TN_CARVE(k, TnShape, n);
    c->thinness = TN_CARVE(k, double, n);
    c->tri_meshes = TN_CARVE(k, struct TnTriMesh *, n);
    c->surfaces = TN_CARVE(k, TnSurface, n);
    c->pairs = TN_CARVE(k, TnPairEntry, model->pair_count);
    c->slot_of = TN_CARVE(k, int32_t, model->geom_count);
    c->clamps = TN_CARVE(k, TnClamp, model->rod_count ? model->link_count : 0);
    c->excluded = TN_CARVE(k, uint8_t, model->body_count);
    c->place = TN_CARVE(k, TnTransform, n);
    c->bounds = TN_CARVE(k, TnBounds, n);
    c->level = TN_CARVE(k, int8_t, n);
    c->subsystems = TN_CARVE(k, int32_t, n);
    c->sleeping = TN_CARVE(k, uint8_t, n);
    c->placed = TN_CARVE(k, uint8_t, n);
    c->members = TN_CARVE(k, TnBounds, n);
    c->cell_of = TN_CARVE(k, int32_t, n);
    c->slot_order = TN_CARVE(k, int32_t, n);
    c->cells = TN_CARVE(k, int32_t, TN_GRID_CELLS(n));
    c->runs = TN_CARVE(k, TnRodRun, model->rod_count);
    c->order = TN_CARVE(k, int32_t, tn_rods_room(model));
    c->along = TN_CARVE(k, TnBounds, tn_rods_room(model));
    c->groups = TN_CARVE(k, TnBounds, tn_rods_room(model));
    c->blocks = TN_CARVE(k, TnBounds, tn_rods_room(model));
    c->items = TN_CARVE(k, const TnBounds *, n);
    c->chunk_count = n / TN_CHUNK + 2 * TN_LEAST_CHUNKS; /* no more */
    c->chunk_capacity = TN_CARVE(k, int, c->chunk_count);
    c->chunk_used = TN_CARVE(k, int, c->chunk_count);
    c->chunk_start = TN_CARVE(k, size_t, c->chunk_count);
}

/* Slot order: moving first, small first, planes (infinite, fixed) last, then as given. */
typedef struct SortKey {
    int fixed;
    double radius;
    int geom, piece;
} SortKey;

static int compare_keys(const void *x, const void *y)
{
    const SortKey *a = x, *b = y;
    if (a->fixed != b->fixed) return a->fixed - b->fixed;
    if (a->radius != b->radius) return a->radius < b->radius ? -1 : 1;
    return a->geom != b->geom ? a->geom - b->geom : a->piece - b->piece;
}

static int collect(const TnModel *m, const uint8_t *paired, SortKey *keys)
{
    int count = 0;
    for (int g = 0; g < m->geom_count; g++) {
        const TnGeom *geom = &m->geoms[g];
        if (geom->contact_type == 0 && geom->contact_affinity == 0 && !paired[g]) continue;
        if (geom->type == TN_GEOM_SOFT) continue; /* has a tree of its own */
        SortKey key = {.fixed = geom->link == 0 ? 2 : tn_link_is_mocap(m, geom->link),
                       .radius = geom->type == TN_GEOM_PLANE ? INFINITY : geom->bounding_radius,
                       .geom = g};
        bool parts = geom->mesh >= 0 && m->meshes[geom->mesh].piece_count;
        for (key.piece = 0; key.piece < piece_count(m, geom); key.piece++) {
            if (parts) key.radius = m->meshes[geom->mesh].pieces[key.piece].radius;
            keys[count++] = key;
        }
    }
    if (count > 1) qsort(keys, (size_t)count, sizeof keys[0], compare_keys);
    return count;
}

static bool is_identity(const double rot[9])
{
    for (int k = 0; k < 9; k++)
        if (rot[k] != (k % 4 == 0)) return false;
    return true;
}

/* Pieces of a mesh are as thin as the thinnest. */
static void thin_pieces(TnCollider *c)
{
    for (int pass = 0; pass < 2; pass++)
        for (int slot = 0; slot < c->count; slot++) {
            double *all = &c->thinness[c->slot_of[c->slots[slot].geom]];
            if (pass)
                c->thinness[slot] = *all;
            else if (c->thinness[slot] < *all)
                *all = c->thinness[slot];
        }
}

static void fill_slots(TnCollider *c, const SortKey *keys)
{
    const TnModel *m = c->model;
    for (int g = 0; g < m->geom_count; g++) c->slot_of[g] = -1;
    for (int slot = 0; slot < c->count; slot++) {
        const TnGeom *g = &m->geoms[keys[slot].geom];
        TnSlotLocal *local = &c->locals[slot];
        c->slots[slot] = (TnSlot){.geom = keys[slot].geom,
                                  .link = g->link,
                                  .radius = g->size[0],
                                  .shape_type = g->type,
                                  .aligned = g->type != TN_GEOM_SPHERE && is_identity(g->link_rot)};
        c->slots[slot].piece = keys[slot].piece;
        if (keys[slot].piece == 0) c->slot_of[keys[slot].geom] = slot;
        c->bounds[slot].slot = slot;
        c->subsystems[slot] = m->links[g->link].subsystem;
        v3_copy(local->pos, g->link_pos);
        v3_copy(local->half_extent, g->half_extent);
        local->bounding_radius = g->bounding_radius;
        c->shape[slot] = (TnShape){.type = g->type, .size = {g->size[0], g->size[1], g->size[2]}};
        if (g->mesh >= 0) {
            const TnMesh *mesh = &m->meshes[g->mesh];
            const TnHull *hull = &mesh->hull;
            if (mesh->piece_count) {
                hull = &mesh->pieces[keys[slot].piece];
                v3_copy(local->half_extent, hull->half_extent);
                local->bounding_radius = hull->radius;
            }
            c->shape[slot].mesh_vertices = hull->vertices;
            c->shape[slot].mesh_vertex_count = hull->vertex_count;
            c->shape[slot].hull = hull;
            /* the hull's vertices are about its centre */
            double center[3];
            m3_mul_v(center, g->link_rot, hull->center);
            v3_add(local->pos, local->pos, center);
        }
        if (g->mesh >= 0 && m->meshes[g->mesh].collision == TN_MESH_COLLIDE_TRIANGLES)
            c->shape[slot] = (TnShape){.type = TN_GEOM_HEIGHT_FIELD};
        c->thinness[slot] = tn_shape_thinness(&c->shape[slot], local->half_extent);
        /* the place of a fixed geom; a moving sphere keeps these axes, as it needs none */
        v3_copy(c->place[slot].pos, local->pos);
        v3_copy(c->slots[slot].pos, local->pos);
        memcpy(c->place[slot].rot, g->link_rot, sizeof g->link_rot);
        if (m->links[g->link].subsystem >= 0) c->moving_count++;
        if (g->link != 0) c->fixed_start++;
        if (g->type != TN_GEOM_PLANE) c->finite_count++;
        TN_ASSERT(g->link == 0 || g->type != TN_GEOM_PLANE); /* compile refuses it */
    }
    thin_pieces(c);
    /* the cell of level 0: a quarter above the usual box, so that most of what moves stays in one
     * level */
    int middle = c->moving_count / 2;
    const double *h = c->moving_count > 0 ? c->locals[middle].half_extent : NULL;
    c->cell = h ? 2.5 * fmax(h[0], fmax(h[1], h[2])) : 1.0;
    if (!(c->cell > 0.0 && c->cell < INFINITY)) c->cell = 1.0;
}

/* The triangles of a mesh that a collider has; NULL: it has none. */
static struct TnTriMesh *tri_mesh_of(const TnCollider *c, int mesh)
{
    for (int slot = c ? c->moving_count : 0; c && slot < c->count; slot++)
        if (c->tri_meshes[slot] && c->model->geoms[c->slots[slot].geom].mesh == mesh)
            return c->tri_meshes[slot];
    return NULL;
}

/* Geoms of one mesh share its triangles. */
static bool create_tri_meshes(TnCollider *c, const TnCollider *before)
{
    const TnModel *m = c->model;
    for (int slot = c->moving_count; slot < c->count; slot++) {
        if (c->shape[slot].type != TN_GEOM_HEIGHT_FIELD) continue;
        int mesh = m->geoms[c->slots[slot].geom].mesh;
        for (int other = c->moving_count; other < slot && !c->tri_meshes[slot]; other++)
            if (m->geoms[c->slots[other].geom].mesh == mesh)
                c->tri_meshes[slot] = c->tri_meshes[other];
        struct TnTriMesh *old = tri_mesh_of(before, mesh);
        if (!c->tri_meshes[slot])
            c->tri_meshes[slot] =
                old ? tn_tri_mesh_share(old) : tn_tri_mesh_create(&m->meshes[mesh]);
        if (!c->tri_meshes[slot]) return false;
    }
    return true;
}

static void destroy_tri_meshes(TnCollider *c)
{
    for (int slot = 0; slot < c->count; slot++) {
        struct TnTriMesh *mesh = c->tri_meshes[slot];
        for (int other = slot; mesh && other < c->count; other++)
            if (c->tri_meshes[other] == mesh) c->tri_meshes[other] = NULL;
        tn_tri_mesh_destroy(mesh);
    }
}

/* A list of pairs is one chunk. The order of contacts is the same whatever the size of chunks. */
static void cut_into_chunks(TnCollider *c)
{
    int whole = c->moving_count > 0 ? c->moving_count : 1, part = whole / TN_LEAST_CHUNKS;
    if (part > TN_CHUNK) part = TN_CHUNK;
    if (part < TN_LEAST_CHUNK) part = TN_LEAST_CHUNK;
    c->chunk = c->list ? whole : c->model->rod_count ? TN_ROD_CHUNK : part;
    c->chunk_count = (c->moving_count + c->chunk - 1) / c->chunk;
    for (int k = 0; k < c->chunk_count; k++) { /* four points per geom to start with */
        int slots = c->moving_count - k * c->chunk;
        c->chunk_capacity[k] = 4 * (slots < c->chunk ? slots : c->chunk) + 16;
    }
}

TnCollider *tn_collider_create(const TnModel *model)
{
    return tn_collider_create_again(model, NULL);
}

TnCollider *tn_collider_create_again(const TnModel *model, const TnCollider *before)
{
    int n = slot_count(model);
    TnCarver measure = {NULL, 0};
    TnCollider probe;
    lay_out(&probe, &measure, model);
    TnCollider *c = tn_calloc(1, sizeof *c);
    void *memory = tn_aligned_alloc(measure.used + 64);
    SortKey *keys = tn_malloc(sizeof *keys * (size_t)(n + 1));
    uint8_t *paired = tn_calloc((size_t)model->geom_count + 1, 1);
    if (!c || !memory || !keys || !paired) {
        tn_free(c);
        tn_free(memory);
        tn_free(keys);
        tn_free(paired);
        return NULL;
    }
    TnCarver carver = {memory, 0};
    memset(memory, 0, measure.used);
    lay_out(c, &carver, model);
    c->memory = memory;
    c->model = model;
    for (int i = 0; i < model->pair_count; i++)
        paired[model->pairs[i].geom1] = paired[model->pairs[i].geom2] = 1;
    c->count = collect(model, paired, keys);
    fill_slots(c, keys);
    tn_filter_init(c);
    tn_rods_init(c);
    tn_free(keys);
    tn_free(paired);
    if (!create_tri_meshes(c, before) || !tn_overlaps_init(c) || !tn_pairs_create(c)) {
        tn_collider_destroy(c);
        return NULL;
    }
    cut_into_chunks(c);
    if (model->soft_count == 0) return c;
    c->softs = tn_calloc((size_t)model->soft_count, sizeof c->softs[0]);
    bool good = c->softs != NULL;
    for (int i = 0; good && i < model->soft_count; i++)
        good = tn_soft_surface_init(&c->softs[i], model, i);
    if (good) return c;
    tn_collider_destroy(c);
    return NULL;
}

void tn_collider_sleep(TnCollider *c, const int32_t *asleep, atomic_uchar *touched)
{
    c->asleep = asleep;
    c->touched = touched;
}

void tn_collider_forget(TnCollider *c)
{
    if (c->count) memset(c->placed, 0, (size_t)c->count);
    for (int i = 0; c->softs && i < c->model->soft_count; i++) c->softs[i].placed = false;
}

void tn_collider_set_part(TnCollider *c, const TnPartOfScene *part)
{
    /* a list of pairs has another order than grids */
    tn_pairs_destroy(c->list);
    c->list = NULL;
    c->in_parts = true;
    c->one_rod = false; /* others may have free bodies */
    c->part = *part;
    c->cell = part->cell;
    tn_collider_forget(c);
}

double tn_collider_cell(const TnCollider *c) { return c->cell; }

double tn_collider_thinness(const TnCollider *c, int geom1, int geom2)
{
    return fmin(c->thinness[c->slot_of[geom1]], c->thinness[c->slot_of[geom2]]);
}

bool tn_collider_flies(const TnCollider *c, int geom1, int geom2, double gap, double way)
{
    double thin = tn_collider_thinness(c, geom1, geom2);
    return gap > TN_TOUCHING * thin && way > TN_FAR * thin;
}

void tn_collider_trim(TnCollider *c)
{
    if (c->overlap_count || c->softs) return; /* these may be asked for */
    tn_pairs_destroy(c->list);
    destroy_tri_meshes(c);
    tn_free(c->memory);
    c->list = NULL;
    c->memory = NULL;
    c->count = c->moving_count = c->chunk_count = 0;
}

void tn_collider_destroy(TnCollider *collider)
{
    if (!collider) return;
    for (int i = 0; collider->softs && i < collider->model->soft_count; i++)
        tn_soft_surface_free(&collider->softs[i]);
    tn_free(collider->softs);
    tn_pairs_destroy(collider->list);
    tn_free(collider->overlaps);
    destroy_tri_meshes(collider);
    tn_free(collider->memory);
    tn_free(collider);
}
