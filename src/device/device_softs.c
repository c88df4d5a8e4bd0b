/* device_softs.c: soft bodies of a world whose free bodies are on a device.
 *
 * Their elements are assembled here, and their contacts are found here, by the whole world's
 * collider: the device sends the places of free bodies that may touch them. The solver's mesh block
 * eliminates the nodes without contacts (solver/block/mesh.c); the device gets the full matrix of
 * the others, and each point of a contact as a port: a sum over up to three nodes. */
#include "device_robots.h"

#include <math.h>
#include <string.h>

#include "../base/base.h"
#include "../collision/collider.h"
#include "../collision/soft/soft_surface.h"
#include "../math/vec3.h"
#include "../solver/block/block.h"

/* Unknowns that are one full matrix on the device, three per node of a surface. */
#define MOST_UNKNOWNS 3000
/* Contacts that there is room for, per node of a surface, and beyond. */
#define CONTACTS_PER_NODE 8
#define MORE_CONTACTS 1024

typedef struct TnDeviceSofts {
    TnCollider *collider; /* the whole world's */
    const TnModel *whole;
    TnLinkFrame *frames; /* per link of the whole: of what is near */
    double (*twists)[6];
    uint8_t *near;
    double *qpos, *qvel; /* of the whole; nodes only */
    double margin;       /* m: of anything that they may touch */
    TnContactList list;  /* of the step */
    bool *closing,
        *last; /* per soft body: contacts that the motion closes; the last step's pushed */
    int *seen; /* per carried link: as TnGpuCarried.seen, of these contacts */
} TnDeviceSofts;

/* ---- what there is ---- */

static bool reserve(TnDeviceSofts *s, const TnDeviceRobots *r, const TnModel *whole)
{
    size_t links = (size_t)whole->link_count, softs = (size_t)whole->soft_count;
    s->frames = tn_calloc(links, sizeof *s->frames);
    s->twists = tn_calloc(links, sizeof *s->twists);
    s->near = tn_calloc(links, sizeof *s->near);
    s->qpos = tn_calloc((size_t)whole->qpos_count, sizeof *s->qpos);
    s->qvel = tn_calloc((size_t)whole->dof_count, sizeof *s->qvel);
    s->closing = tn_calloc(2 * softs, sizeof *s->closing);
    s->seen = tn_calloc((size_t)r->out.link_count + 1, sizeof *s->seen);
    s->last = s->closing + softs;
    return s->frames && s->twists && s->near && s->qpos && s->qvel && s->closing && s->seen;
}

/* Mesh blocks come last, and are groups of their own. */
static int first_mesh(const TnDeviceRobots *r)
{
    return r->block_count - r->world->division->mesh_count;
}

static const TnSoft *soft_of_block(const TnDeviceRobots *r, int block)
{
    const TnDivision *d = r->world->division;
    return &r->model->softs[d->pieces[d->meshes[block - first_mesh(r)].piece_start].soft];
}

bool tn_device_softs_create(TnDeviceRobots *r, const TnWorld *world, TnError *err)
{
    const TnModel *m = r->model;
    if (!m->soft_count) return true;
    TnDeviceSofts *s = r->softs = tn_calloc(1, sizeof *s);
    if (!s || !reserve(s, r, world->model)) return false;
    s->collider = world->collider;
    s->whole = world->model;
    for (int i = 0; i < s->collider->count; i++)
        s->margin = fmax(s->margin, s->collider->locals[i].bound_margin);
    r->out.soft_count = m->soft_count;
    for (int b = first_mesh(r); b < r->block_count; b++) {
        const TnSoft *soft = soft_of_block(r, b);
        TnGpuGroup *group = &r->out.groups[r->block_group[b]];
        group->soft = true;
        r->out.given_room += CONTACTS_PER_NODE * soft->surface_node_count + MORE_CONTACTS;
        if (group->dim <= MOST_UNKNOWNS) continue;
        tn_error_add(err, TN_ERROR_USAGE,
                     "device: a soft body with %d nodes on its surface (soft body '%s') cannot run "
                     "on a device yet; at most %d",
                     soft->surface_node_count, m->soft_names[soft - m->softs], MOST_UNKNOWNS / 3);
        return false;
    }
    r->out.port_room = 2 * r->out.given_room;
    return true;
}

void tn_device_softs_destroy(TnDeviceRobots *r)
{
    TnDeviceSofts *s = r->softs;
    if (!s) return;
    tn_free(s->frames);
    tn_free(s->twists);
    tn_free(s->near);
    tn_free(s->qpos);
    tn_free(s->qvel);
    tn_free(s->closing);
    tn_free(s->seen);
    tn_free(s);
}

/* ---- contacts ---- */

void tn_device_softs_place(TnDeviceRobots *r)
{
    TnDeviceSofts *s = r->softs;
    const TnState *state = &r->world->state;
    for (int i = 0; s && i < r->model->soft_count; i++) {
        const TnSoft *soft = &r->model->softs[i];
        const double *x = state->qpos + soft->qpos_start, *v = r->step.free.qvel + soft->dof_start;
        double *box = r->out.boxes[i], grow = soft->radius + s->collider->softs[i].margin +
                                              s->margin + tn_step_slack(&r->step);
        for (int k = 0; k < 3; k++) box[k] = INFINITY, box[k + 3] = -INFINITY;
        for (int n = 0; n < 3 * soft->node_count; n++) {
            double low = fmin(x[n], x[n] + r->step.t * v[n]) - grow,
                   high = fmax(x[n], x[n] + r->step.t * v[n]) + grow;
            box[n % 3] = fmin(box[n % 3], low);
            box[n % 3 + 3] = fmax(box[n % 3 + 3], high);
        }
        size_t bytes = sizeof(double) * 3 * (size_t)soft->node_count;
        memcpy(s->qpos + s->whole->softs[i].qpos_start, x, bytes);
        memcpy(s->qvel + s->whole->softs[i].dof_start, v, bytes);
    }
}

static void place_near(TnDeviceRobots *r)
{
    TnDeviceSofts *s = r->softs;
    memset(s->near, 0, (size_t)s->whole->link_count);
    for (int l = 1; l < r->model->link_count; l++) {
        int link = r->link[l];
        s->frames[link] = r->world->frames[l];
        memcpy(s->twists[link], r->step.free.twists[l], sizeof(double[6]));
        s->near[link] = 1;
    }
    for (int i = 0; i < r->out.near_count; i++) {
        const TnGpuNear *from = &r->out.near[i];
        TnLinkFrame *to = &s->frames[from->link];
        memcpy(to->pos, from->frame, sizeof to->pos);
        memcpy(to->quat, from->frame + 3, sizeof to->quat);
        memcpy(to->rot, from->frame + 7, sizeof to->rot);
        memcpy(to->com, from->frame + 16, sizeof to->com);
        memcpy(s->twists[from->link], from->twist, sizeof from->twist);
        s->near[from->link] = 1;
    }
}

/* Velocity of a side at the end of its predicted motion. */
static void end_velocity(const TnDeviceRobots *r, const TnContactPoint *c, int second, double v[3])
{
    const TnDeviceSofts *s = r->softs;
    int soft = second ? c->soft2 : c->soft1;
    if (soft >= 0) {
        tn_soft_point_velocity(s->whole, &s->list.soft_points[soft], s->qvel, v);
        return;
    }
    const double *twist = s->twists[s->whole->geom_link[second ? c->geom2 : c->geom1]];
    v3_cross(v, twist + 3, second ? c->arm2 : c->arm1);
    v3_add(v, v, twist);
}

/* What a contact says of its two sides. */
static void note_contact(TnDeviceRobots *r, const TnContactPoint *c)
{
    TnDeviceSofts *s = r->softs;
    double v1[3], v2[3];
    end_velocity(r, c, 0, v1);
    end_velocity(r, c, 1, v2);
    v3_sub(v2, v2, v1);
    bool closes = c->gap + r->step.t * v3_dot(c->normal, v2) < 0.0;
    for (int side = 0; side < 2; side++) {
        int soft = side ? c->soft2 : c->soft1,
            link = s->whole->geom_link[side ? c->geom2 : c->geom1];
        if (soft >= 0) {
            s->closing[s->list.soft_points[soft].soft] |= closes;
            continue;
        }
        for (int l = 1 + r->model->mocap_count; l < r->model->link_count; l++)
            if (r->link[l] == link && r->carried[l] >= 0)
                s->seen[r->carried[l]] |= TN_GPU_LISTED | (closes ? TN_GPU_CLOSES : 0);
    }
}

/* The movers' problem has the points as ports, and no contacts. */
bool tn_device_softs_touch(TnDeviceRobots *r)
{
    TnDeviceSofts *s = r->softs;
    TnWorld *own = r->world;
    TnMotionInput motion = {.frames = s->frames,
                            .twists = (const double(*)[6])s->twists,
                            .qpos = s->qpos,
                            .qvel = s->qvel,
                            .t = r->step.t,
                            .slack = tn_step_slack(&r->step)};
    place_near(r);
    if (!tn_collision_detect_softs(s->collider, &motion, s->near, &own->arena, own->team, &s->list))
        return false;
    if (s->list.count > r->out.given_room) return false;
    memset(s->closing, 0, sizeof(bool) * (size_t)r->model->soft_count);
    memset(s->seen, 0, sizeof(int) * (size_t)r->out.link_count);
    for (int i = 0; i < s->list.count; i++) note_contact(r, &s->list.points[i]);
    own->contacts = (TnContactList){.soft_points = s->list.soft_points,
                                    .soft_point_count = s->list.soft_point_count};
    r->out.given_count = s->list.count;
    r->out.port_count = s->list.soft_point_count;
    memcpy(r->out.given, s->list.points, sizeof *s->list.points * (size_t)s->list.count);
    return true;
}

void tn_device_softs_want(TnDeviceRobots *r)
{
    const TnDeviceSofts *s = r->softs;
    for (int i = 0; s && i < r->model->soft_count; i++)
        if (s->closing[i] || s->last[i]) r->wanted[r->model->softs[i].subsystem] = 1.0;
}

int tn_device_softs_seen(const TnDeviceRobots *r, int carried)
{
    return r->softs ? r->softs->seen[carried] : 0;
}

/* ---- equations ---- */

static void write_port(const TnDeviceRobots *r, int index)
{
    const TnProblem *p = &r->world->set.problem;
    const TnSoftPoint *point = &r->softs->list.soft_points[index];
    const TnSoft *soft = &r->model->softs[point->soft];
    int row = r->world->set.soft_row[index];
    TnGpuPort *to = &r->out.ports[index];
    const TnDivision *d = r->world->division;
    int block = d->pieces[d->soft_piece[point->soft]].block;
    to->group = r->block_group[block];
    to->count = 0;
    to->size = 0.5 * cbrt(soft->mass / soft->density);
    tn_soft_point_velocity(r->model, point, r->world->state.qvel, to->start);
    tn_soft_point_velocity(r->model, point, r->step.free.qvel, to->end);
    if (!row) return; /* all of its nodes are pinned */
    const TnPort *port = &p->ports[row - p->port_row];
    for (int k = 0; k < port->node_count; k++) {
        to->node[to->count] = tn_block_locate(&p->large[block], 3 * port->nodes[k]).solved / 3;
        to->weight[to->count++] = port->M[k][0];
    }
}

static void reduce_range(void *context, int begin, int end)
{
    TnDeviceRobots *r = context;
    TnProblem *p = &r->world->set.problem;
    for (int b = first_mesh(r) + begin; b < first_mesh(r) + end; b++) {
        TnGpuGroup *group = &r->out.groups[r->block_group[b]];
        group->used = p->large[b].solved;
        if (group->used > group->dim || !p->large[b].kind->reduce(p, b, group->A, group->v_free))
            atomic_store_explicit(&r->step.fault.failed, true, memory_order_relaxed);
    }
}

bool tn_device_softs_write(TnDeviceRobots *r)
{
    TnProblem *p = &r->world->set.problem;
    TnDeviceSofts *s = r->softs;
    if (!s) return true;
    if (!tn_problem_build_sides(p, r->world->team) || !tn_blocks_choose(p, r->world->team))
        return false;
    tn_pool_run(r->world->pool, r->world->division->mesh_count, 1, reduce_range, r);
    if (atomic_load_explicit(&r->step.fault.failed, memory_order_relaxed)) return false;
    for (int i = 0; i < s->list.soft_point_count; i++) {
        write_port(r, i);
        const TnGpuPort *port = &r->out.ports[i];
        TnGpuGroup *group = &r->out.groups[port->group];
        if (!port->count) continue;
        const TnPort *own = &p->ports[r->world->set.soft_row[i] - p->port_row];
        const double *v = p->large[own->block].v;
        for (int k = 0; k < port->count; k++)
            memcpy(group->v + 3 * port->node[k], v + 3L * own->nodes[k], sizeof(double[3]));
    }
    for (int i = 0; i < s->list.count; i++)
        for (int side = 0; side < 2; side++) {
            int port = side ? s->list.points[i].soft2 : s->list.points[i].soft1;
            if (port < 0) continue;
            r->out.ports[port].contact = i;
            r->out.ports[port].second = side;
        }
    return true;
}

void tn_device_softs_take(TnDeviceRobots *r)
{
    TnProblem *p = &r->world->set.problem;
    TnDeviceSofts *s = r->softs;
    if (!s) return;
    for (int i = 0; i < s->list.soft_point_count; i++) {
        const TnGpuPort *port = &r->out.ports[i];
        const double *found = r->out.groups[port->group].v;
        if (!port->count) continue;
        const TnPort *own = &p->ports[r->world->set.soft_row[i] - p->port_row];
        double *v = p->large[own->block].v;
        for (int k = 0; k < port->count; k++)
            memcpy(v + 3L * own->nodes[k], found + 3 * port->node[k], sizeof(double[3]));
    }
    for (int b = first_mesh(r); b < r->block_count; b++) {
        TnLargeBlock *block = &p->large[b];
        block->kind->complete(p, b, block->v);
    }
}

void tn_device_softs_forget(TnDeviceRobots *r)
{
    if (r->softs) memset(r->softs->last, 0, sizeof(bool) * (size_t)r->model->soft_count);
}

void tn_device_softs_end(TnDeviceRobots *r)
{
    TnDeviceSofts *s = r->softs;
    for (int b = first_mesh(r); s && b < r->block_count; b++)
        s->last[soft_of_block(r, b) - r->model->softs] = r->out.soft_pushed[r->block_group[b]] != 0;
}

const TnContactList *tn_device_softs_contacts(const TnDeviceRobots *r)
{
    return r && r->softs ? &r->softs->list : NULL;
}
