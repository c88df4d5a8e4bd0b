/* part_bodies.c: free bodies as bytes, and as a list for a part; see part.h. */
#include <stdlib.h>
#include <string.h>

#include "../../base/base.h"
#include "part_bodies.h"

/* What a body is in bytes: this, its bodies and its geoms. Numbers are those of the whole. */
typedef struct Packed {
    int32_t number, body_count, geom_count, root;
    double qpos0[7];
    TnLink link;
    TnJoint joint;
} Packed;

typedef struct PackedBody {
    int32_t number, parent;
    TnBody body;
    TnBodyMass mass;
} PackedBody;

typedef struct PackedGeom {
    int32_t number, body;
    TnGeom geom;
} PackedGeom;

_Static_assert(sizeof(Packed) % 8 == 0 && sizeof(PackedBody) % 8 == 0 &&
                   sizeof(PackedGeom) % 8 == 0,
               "what follows is aligned");

static int link_of(const TnPart *part, int s) { return part->model->subsystems[s].link_start; }

static int body_count(const TnPart *part, int s)
{
    int l = link_of(part, s);
    return part->body_start[l + 1] - part->body_start[l];
}

static int geom_count(const TnPart *part, int s)
{
    int l = link_of(part, s);
    return part->geom_start[l + 1] - part->geom_start[l];
}

static size_t bytes_of(int bodies, int geoms)
{
    return sizeof(Packed) + sizeof(PackedBody) * (size_t)bodies +
           sizeof(PackedGeom) * (size_t)geoms;
}

size_t tn_body_bytes(const TnPart *part, int s)
{
    return bytes_of(body_count(part, s), geom_count(part, s));
}

int tn_body_number(const void *bytes, size_t *size)
{
    const Packed *p = bytes;
    *size = bytes_of(p->body_count, p->geom_count);
    return p->number;
}

/* One of a model's own, as an item. */
static TnFreeItem body_item(const TnPart *part, int b)
{
    const TnModel *m = part->model;
    return (TnFreeItem){.number = tn_part_number(part->body, b),
                        .parent = tn_part_number(part->body, m->bodies[b].parent),
                        .body = &m->bodies[b],
                        .mass = &m->body_masses[b]};
}

static TnFreeItem geom_item(const TnPart *part, int g)
{
    const TnModel *m = part->model;
    return (TnFreeItem){.number = tn_part_number(part->geom, g),
                        .parent = tn_part_number(part->body, m->geoms[g].body),
                        .geom = &m->geoms[g]};
}

static int root_of(const TnPart *part, int s)
{
    return tn_part_number(part->body, part->model->links[link_of(part, s)].body);
}

void tn_body_pack(const TnPart *part, int s, void *to)
{
    const TnModel *m = part->model;
    const TnSubsystem *sub = &m->subsystems[s];
    int l = sub->link_start;
    Packed *p = to;
    memset(p, 0, sizeof *p);
    p->number = tn_part_number(part->subsystem, s);
    p->body_count = body_count(part, s);
    p->geom_count = geom_count(part, s);
    p->root = root_of(part, s);
    memcpy(p->qpos0, m->qpos0 + sub->qpos_start, sizeof p->qpos0);
    p->link = m->links[l];
    p->joint = m->joints[m->links[l].joint_start];
    PackedBody *body = (PackedBody *)(p + 1);
    for (int k = part->body_start[l]; k < part->body_start[l + 1]; k++) {
        TnFreeItem item = body_item(part, part->bodies[k]);
        *body++ = (PackedBody){item.number, item.parent, *item.body, *item.mass};
    }
    PackedGeom *geom = (PackedGeom *)body;
    for (int k = part->geom_start[l]; k < part->geom_start[l + 1]; k++) {
        TnFreeItem item = geom_item(part, part->geoms[k]);
        *geom++ = (PackedGeom){item.number, item.parent, *item.geom};
    }
}

/* ---- lists ---- */

static void add_body(TnFreeList *list, TnFreeItem item)
{
    item.free = list->count;
    list->bodies[list->body_count++] = item;
}

static void add_geom(TnFreeList *list, TnFreeItem item)
{
    item.free = list->count;
    list->geoms[list->geom_count++] = item;
}

static void add_from_part(TnFreeList *list, const TnPart *part, int s)
{
    const TnModel *m = part->model;
    const TnSubsystem *sub = &m->subsystems[s];
    int l = sub->link_start;
    for (int k = part->body_start[l]; k < part->body_start[l + 1]; k++)
        add_body(list, body_item(part, part->bodies[k]));
    for (int k = part->geom_start[l]; k < part->geom_start[l + 1]; k++)
        add_geom(list, geom_item(part, part->geoms[k]));
    list->free[list->count++] = (TnFreeBody){.number = tn_part_number(part->subsystem, s),
                                             .link = &m->links[l],
                                             .root = root_of(part, s),
                                             .joint = &m->joints[m->links[l].joint_start],
                                             .qpos0 = m->qpos0 + sub->qpos_start};
}

static void add_from_bytes(TnFreeList *list, const void *bytes)
{
    const Packed *p = bytes;
    const PackedBody *body = (const PackedBody *)(p + 1);
    const PackedGeom *geom = (const PackedGeom *)(body + p->body_count);
    for (int k = 0; k < p->body_count; k++)
        add_body(list, (TnFreeItem){.number = body[k].number,
                                    .parent = body[k].parent,
                                    .body = &body[k].body,
                                    .mass = &body[k].mass});
    for (int k = 0; k < p->geom_count; k++)
        add_geom(
            list,
            (TnFreeItem){.number = geom[k].number, .parent = geom[k].body, .geom = &geom[k].geom});
    list->free[list->count++] = (TnFreeBody){.number = p->number,
                                             .link = &p->link,
                                             .root = p->root,
                                             .joint = &p->joint,
                                             .qpos0 = p->qpos0};
}

static int by_number(const void *x, const void *y)
{
    const TnFreeItem *a = x, *b = y;
    return (a->number > b->number) - (a->number < b->number);
}

/* Bodies that were added one after the other are in order already. */
static void sort(TnFreeItem *items, int count)
{
    for (int i = 1; i < count; i++)
        if (items[i].number < items[i - 1].number) {
            qsort(items, (size_t)count, sizeof *items, by_number);
            return;
        }
}

bool tn_free_list(const TnPart *from, const TnBodySource *sources, int count, TnFreeList *out)
{
    size_t bodies = 1, geoms = 1;
    for (int i = 0; i < count; i++) {
        const Packed *p = sources[i].bytes;
        bodies += (size_t)(p ? p->body_count : body_count(from, sources[i].subsystem));
        geoms += (size_t)(p ? p->geom_count : geom_count(from, sources[i].subsystem));
    }
    *out = (TnFreeList){.free = tn_malloc(sizeof *out->free * (size_t)(count + 1)),
                        .bodies = tn_malloc(sizeof *out->bodies * bodies),
                        .geoms = tn_malloc(sizeof *out->geoms * geoms)};
    if (!out->free || !out->bodies || !out->geoms) {
        tn_free_list_free(out);
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (sources[i].bytes)
            add_from_bytes(out, sources[i].bytes);
        else
            add_from_part(out, from, sources[i].subsystem);
    }
    sort(out->bodies, out->body_count);
    sort(out->geoms, out->geom_count);
    return true;
}

void tn_free_list_free(TnFreeList *list)
{
    tn_free(list->free);
    tn_free(list->bodies);
    tn_free(list->geoms);
    *list = (TnFreeList){0};
}
