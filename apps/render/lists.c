/* lists.c: from things in their places to instanced draws.
 *
 * For each list, every item in sight chooses its mesh by its size on the screen; the instances are
 * then copied into a streamed buffer sorted by mesh and material, one draw for each. What is not
 * opaque is sorted from back to front instead, and neighbours of one mesh share a draw. Nothing is
 * allocated once the arrays have seen their largest frame. */
#include "internal.h"
#include "vec.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool grow(void *block, size_t count, size_t size)
{
    void *old;
    memcpy(&old, block, sizeof old);
    void *more = realloc(old, count * size);
    if (more) memcpy(block, &more, sizeof more);
    return more != NULL;
}

bool items_reserve(Items *items, int count)
{
    if (count <= items->room) return true;
    size_t room = (size_t)count + (size_t)count / 2 + 16;
    if (!grow(&items->instances, room, sizeof *items->instances) ||
        !grow(&items->radius, room, sizeof *items->radius) ||
        !grow(&items->family, room, sizeof *items->family) ||
        !grow(&items->mesh, room, sizeof *items->mesh) ||
        !grow(&items->order, room, sizeof *items->order) ||
        !grow(&items->order_other, room, sizeof *items->order_other) ||
        !grow(&items->key, room, sizeof *items->key) ||
        !grow(&items->key_other, room, sizeof *items->key_other))
        return false;
    items->room = (int)room;
    return true;
}

void items_free(Items *items)
{
    free(items->instances);
    free(items->radius);
    free(items->family);
    free(items->mesh);
    free(items->order);
    free(items->order_other);
    free(items->key);
    free(items->key_other);
    *items = (Items){0};
}

Instance *items_add(Items *items, int family, double radius)
{
    if (!items_reserve(items, items->count + 1)) return NULL;
    int i = items->count++;
    items->family[i] = family;
    items->radius[i] = (float)radius;
    items->instances[i].look = 0;
    return &items->instances[i];
}

void *stream_begin(Renderer *r, GLenum kind, GLuint buffer, size_t *room, size_t bytes)
{
    const Gl *gl = &r->gl;
    gl->BindBuffer(kind, buffer);
    if (bytes > *room) *room = bytes + bytes / 2;
    gl->BufferData(kind, (GLsizeiptr)*room, NULL,
                   GL_STREAM_DRAW); /* the last frame keeps its own */
    return gl->MapBufferRange(kind, 0, (GLsizeiptr)bytes,
                              GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
}

static int choose_mesh(const Renderer *r, int family, float pixels)
{
    if (family >= FAMILY_COUNT) return r->levels[FAMILY_BOX][0].mesh + 1 + family - FAMILY_COUNT;
    const Level *levels = r->levels[family];
    int level = 0;
    while (level + 1 < r->level_count[family] && pixels > levels[level].pixels) level++;
    return levels[level].mesh;
}

/* What is wholly clear can be pointed at (LIST_ALL), but is not drawn. */
static bool wanted(const Instance *instance, ListKind kind)
{
    uint16_t alpha = instance->color[3];
    if (kind == LIST_ALL) return true;
    return kind == LIST_OPAQUE ? alpha == 65535 : alpha > 0 && alpha < 65535;
}

static bool add_run(DrawList *list, int mesh, int look, int first, int count)
{
    if (list->run_count == list->run_room) {
        int room = 2 * list->run_room + 64;
        Run *runs = realloc(list->runs, (size_t)room * sizeof *runs);
        if (!runs) return false;
        list->runs = runs;
        list->run_room = room;
    }
    list->runs[list->run_count++] = (Run){mesh, look, first, count};
    return true;
}

/* Sorts items->order by the lowest bytes of items->key, least first: a pass per byte that keeps
 * ties. */
static void sort_by_key(Items *items, int count, int bytes)
{
    for (int shift = 0; shift < 8 * bytes; shift += 8) {
        int starts[257] = {0};
        for (int i = 0; i < count; i++) starts[1 + ((items->key[i] >> shift) & 255)]++;
        for (int i = 0; i < 256; i++) starts[i + 1] += starts[i];
        for (int i = 0; i < count; i++) {
            int to = starts[(items->key[i] >> shift) & 255]++;
            items->key_other[to] = items->key[i];
            items->order_other[to] = items->order[i];
        }
        uint32_t *key = items->key, *order = items->order;
        items->key = items->key_other;
        items->order = items->order_other;
        items->key_other = key;
        items->order_other = order;
    }
}

static float depth_of(const Lens *lens, const float pos[3])
{
    return lens->forward[0] * pos[0] + lens->forward[1] * pos[1] + lens->forward[2] * pos[2];
}

/* Clear things: from back to front. */
static void order_by_depth(Items *items, const Lens *lens, int count)
{
    for (int i = 0; i < count; i++) {
        float depth = depth_of(lens, items->instances[items->order[i]].pos);
        uint32_t bits;
        memcpy(&bits, &depth, sizeof bits);
        items->key[i] = bits & 0x80000000u ? bits : ~(bits | 0x80000000u); /* falls with depth */
    }
    sort_by_key(items, count, 4);
}

/* Opaque things: by mesh, and for each mesh roughly from front to back, so that what is hidden is
 * seldom shaded. */
static void order_by_mesh(Items *items, const Lens *lens, int count)
{
    float low = 0, high = 0;
    for (int i = 0; i < count; i++) {
        float depth = depth_of(lens, items->instances[items->order[i]].pos);
        if (i == 0 || depth < low) low = depth;
        if (i == 0 || depth > high) high = depth;
    }
    float scale = high > low ? 255 / (high - low) : 0;
    for (int i = 0; i < count; i++) {
        uint32_t item = items->order[i];
        float depth = depth_of(lens, items->instances[item].pos);
        items->key[i] = (uint32_t)items->mesh[item] << 8 | (uint32_t)((depth - low) * scale);
    }
    sort_by_key(items, count, 4);
}

static bool find_runs(const Renderer *r, DrawList *list, const Items *items)
{
    for (int i = 0; i < list->count; i++) {
        int both = items->mesh[items->order[i]], mesh = both % r->mesh_count,
            look = both / r->mesh_count;
        Run *last = list->run_count ? &list->runs[list->run_count - 1] : NULL;
        if (last && last->mesh == mesh && last->look == look)
            last->count++;
        else if (!add_run(list, mesh, look, i, 1))
            return false;
    }
    return true;
}

/* Turns the half sphere to the viewer; a sphere may be turned as one likes. */
static void face_viewer(Instance *instance, const Lens *lens)
{
    double z[3], quat[4];
    for (int k = 0; k < 3; k++)
        z[k] = lens->parallel ? -lens->forward[k] : lens->eye[k] - instance->pos[k];
    if (normalize3(z) <= 0) z[2] = 1;
    quat_from_z(quat, z);
    for (int k = 0; k < 4; k++) instance->quat[k] = (float)quat[k];
    /* A light sees other corners than the camera: keep them below the surface, or they would throw
     * spots of shadow on it. */
    if (lens->shadow)
        for (int k = 0; k < 3; k++) instance->scale[k] *= 0.94f;
}

/* Which items, and with which mesh. */
static void choose(Renderer *r, DrawList *list, Items *items, const Lens *lens, ListKind kind)
{
    list->run_count = list->count = 0;
    for (int i = 0; i < items->count; i++) {
        const Instance *instance = &items->instances[i];
        float radius = items->radius[i];
        if (radius < 0 || !wanted(instance, kind) || !lens_sees(lens, instance->pos, radius))
            continue;
        int family = items->family[i];
        bool slim = family == FAMILY_CAPSULE || family == FAMILY_CYLINDER;
        float size = slim ? instance->scale[0] : radius;
        const Lens *detail = lens->detail ? lens->detail : lens;
        items->mesh[i] = (int)instance->look * r->mesh_count +
                         choose_mesh(r, family, lens_pixels(detail, instance->pos, size));
        items->order[list->count++] = (uint32_t)i;
    }
}

void list_build(Renderer *r, DrawList *list, Items *items, const Lens *lens, ListKind kind)
{
    choose(r, list, items, lens, kind);
    if (!list->count) return;
    if (kind == LIST_CLEAR)
        order_by_depth(items, lens, list->count);
    else
        order_by_mesh(items, lens, list->count);
    if (!list->buffer) r->gl.GenBuffers(1, &list->buffer);
    Instance *to = NULL;
    if (find_runs(r, list, items))
        to = stream_begin(r, GL_ARRAY_BUFFER, list->buffer, &list->buffer_room,
                          (size_t)list->count * sizeof *to);
    if (!to) {
        list->run_count = list->count = 0;
        return;
    }
    for (int i = 0; i < list->count; i++) {
        uint32_t item = items->order[i];
        Instance instance = items->instances[item];
        if (items->family[item] == FAMILY_DOME) face_viewer(&instance, lens);
        to[i] = instance;
    }
    r->gl.UnmapBuffer(GL_ARRAY_BUFFER);
}

void list_draw(Renderer *r, const DrawList *list, const Program *lit)
{
    const Gl *gl = &r->gl;
    const GLsizei stride = (GLsizei)sizeof(Instance);
    for (int i = 0; i < list->run_count; i++) {
        const Run *run = &list->runs[i];
        const GpuMesh *mesh = &r->meshes[run->mesh];
        if (!mesh->index_count) continue;
        if (lit)
            look_send(r, lit, (uint32_t)run->look, run->mesh - r->levels[FAMILY_BOX][0].mesh - 1);
        size_t base = (size_t)run->first * sizeof(Instance);
        gl->BindVertexArray(mesh->array);
        gl->BindBuffer(GL_ARRAY_BUFFER, list->buffer);
        gl->VertexAttribPointer(3, 4, GL_FLOAT, GL_FALSE, stride,
                                buffer_place(base + offsetof(Instance, pos)));
        gl->VertexAttribPointer(4, 4, GL_FLOAT, GL_FALSE, stride,
                                buffer_place(base + offsetof(Instance, quat)));
        gl->VertexAttribPointer(5, 3, GL_FLOAT, GL_FALSE, stride,
                                buffer_place(base + offsetof(Instance, scale)));
        gl->VertexAttribPointer(6, 4, GL_UNSIGNED_SHORT, GL_TRUE, stride,
                                buffer_place(base + offsetof(Instance, color)));
        gl->VertexAttribIPointer(7, 1, GL_UNSIGNED_INT, stride,
                                 buffer_place(base + offsetof(Instance, id)));
        gl->DrawElementsInstanced(GL_TRIANGLES, mesh->index_count, GL_UNSIGNED_INT, NULL,
                                  run->count);
        r->stats.draw_calls++;
        r->stats.triangles += (int64_t)(mesh->index_count / 3) * run->count;
    }
}

void list_free(Renderer *r, DrawList *list)
{
    if (list->buffer) r->gl.DeleteBuffers(1, &list->buffer);
    free(list->runs);
    *list = (DrawList){0};
}
