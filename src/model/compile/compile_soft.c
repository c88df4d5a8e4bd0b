/* compile_soft.c: soft bodies: their nodes in the world, masses, surfaces and holders.
 *
 * A node's mass is a quarter of that of each element around it (of a sheet's triangles a third). A
 * node that a body holds keeps its place in the axes of that body's link; where the body is fixed
 * to the world it is pinned. */
#include "../builder.h"

#include "../../math/vec3.h"

#include <string.h>

/* Subsystem and places in qpos and qvel, behind what is there so far. */
static void place(TnCompile *c, int index, int *qpos, int *dof)
{
    TnModel *m = c->model;
    TnSoft *soft = &m->softs[index];
    int count = 3 * soft->node_count;
    soft->subsystem = m->subsystem_count++;
    soft->qpos_start = *qpos;
    soft->dof_start = *dof;
    m->subsystems[soft->subsystem] = (TnSubsystem){.kind = TN_SUBSYSTEM_SOFT,
                                                   .link_start = m->link_count,
                                                   .dof_start = *dof,
                                                   .dof_count = count,
                                                   .qpos_start = *qpos,
                                                   .qpos_count = count,
                                                   .kind_index = index};
    for (int i = *dof; i < *dof + count; i++) m->dof_joint[i] = m->dof_parent[i] = -1;
    *qpos += count;
    *dof += count;
}

static void compile_nodes(const TnSoftDef *def, TnSoft *soft)
{
    double quat[4];
    quat_copy(quat, def->quat);
    quat_normalize(quat);
    for (size_t i = 0; i < (size_t)soft->node_count; i++) {
        quat_rotate(soft->rest + 3 * i, quat, def->mesh.nodes + 3 * i);
        v3_add(soft->rest + 3 * i, soft->rest + 3 * i, def->pos);
    }
    memcpy(soft->tets, def->mesh.tets, 4 * (size_t)soft->tet_count * sizeof *soft->tets);
}

double tn_soft_element_size(const TnSoft *soft)
{
    double volume = soft->mass / soft->density / soft->tet_count;
    return soft->thickness > 0.0 ? sqrt(volume / soft->thickness) : cbrt(volume);
}

static double volume_of(const TnSoftDef *def, const TnTetMesh *mesh)
{
    return def->thickness > 0.0 ? def->thickness * tn_sheet_mesh_area(mesh)
                                : tn_tet_mesh_volume(mesh);
}

/* Each element as its corners have it in the definition: turning the body changes no mass. */
static void compile_masses(TnCompile *c, int index)
{
    const TnSoftDef *def = &c->builder->softs[index].def;
    TnSoft *soft = &c->model->softs[index];
    double volume = volume_of(def, &def->mesh);
    int corners = def->thickness > 0.0 ? 3 : 4;
    soft->density = def->mass < 0.0 ? def->density : def->mass / volume;
    for (int e = 0; e < soft->tet_count; e++) {
        int32_t *tet = soft->tets + 4 * (size_t)e;
        TnTetMesh one = {4, 1, def->mesh.nodes, tet};
        double share = soft->density * volume_of(def, &one) / corners;
        for (int k = 0; k < corners; k++) soft->masses[tet[k]] += share;
    }
    double least = INFINITY;
    for (int i = 0; i < soft->node_count; i++) {
        soft->mass += soft->masses[i];
        least = fmin(least, soft->masses[i]);
    }
    /* Written so that a NaN is found here. */
    if (!(least > 0.0 && soft->mass < INFINITY))
        tn_problem(c, TN_ELEMENT("soft body", def, index),
                   "its mass is out of range (%g kg, one node %g kg): check its density and the "
                   "size of the mesh, which is in metres",
                   soft->mass, least);
    c->model->total_mass += soft->mass;
}

static void compile_surface(const TnSoftScratch *scratch, TnSoft *soft)
{
    size_t count = (size_t)soft->triangle_count;
    memcpy(soft->triangles, scratch->surface.triangles, 3 * count * sizeof *soft->triangles);
    memcpy(soft->triangle_tets, scratch->surface.tets, count * sizeof *soft->triangle_tets);
    /* `pinned` serves as a mark until the holds are read */
    for (size_t i = 0; i < 3 * count; i++) soft->pinned[soft->triangles[i]] = true;
    int32_t next = 0;
    for (int i = 0; i < soft->node_count; i++) {
        if (soft->pinned[i]) soft->surface_nodes[next++] = i;
        soft->pinned[i] = false;
    }
}

static void compile_holds(TnCompile *c, int index)
{
    TnModel *m = c->model;
    TnSoft *soft = &m->softs[index];
    soft->hold_start = m->hold_count;
    for (int i = 0; i < soft->node_count; i++) {
        TnBodyId body = c->softs[index].holder[i];
        if (!body) continue;
        int link = m->bodies[body - 1].link;
        soft->pinned[i] = link == 0;
        if (link == 0) continue;
        TnSoftHold *hold = &soft->holds[soft->hold_count++];
        const TnBodyScratch *carrier = &c->bodies[m->links[link].body];
        double from[3], back[4];
        hold->node = i;
        hold->link = link;
        v3_sub(from, soft->rest + 3 * (size_t)i, carrier->pos);
        quat_conjugate(back, carrier->quat);
        quat_rotate(hold->pos, back, from);
    }
    m->hold_count += soft->hold_count;
}

static void compile_soft(TnCompile *c, int index)
{
    const TnSoftEntry *entry = &c->builder->softs[index];
    const TnSoftDef *def = &entry->def;
    const TnSoftScratch *scratch = &c->softs[index];
    TnModel *m = c->model;
    TnSoft *soft = &m->softs[index];
    soft->geom = entry->geom - 1;
    soft->thickness = def->thickness;
    soft->stretch_modulus = def->stretch_modulus > 0.0 ? def->stretch_modulus : def->youngs_modulus;
    soft->stretches = def->thickness > 0.0 && !def->no_stretch_force;
    soft->bends = def->thickness > 0.0 && !def->no_bend_force;
    soft->law = def->law;
    soft->youngs_modulus = def->youngs_modulus;
    soft->poisson_ratio = def->poisson_ratio;
    soft->damping_mass = def->damping_mass;
    soft->damping_stiffness = def->damping_stiffness;
    soft->consistent_mass = def->consistent_mass;
    soft->pieces = def->pieces;
    soft->self_contact = def->self_contact;
    soft->radius = def->radius;
    soft->group = def->group;
    memcpy(soft->rgba, def->rgba, sizeof soft->rgba);
    if (soft->patches)
        memcpy(soft->patches, scratch->patches, (size_t)soft->tet_count * sizeof *soft->patches);
    if (soft->across)
        memcpy(soft->across, scratch->across, 3 * (size_t)soft->tet_count * sizeof *soft->across);
    compile_nodes(def, soft);
    compile_masses(c, index);
    compile_surface(scratch, soft);
    compile_holds(c, index);
    memcpy(m->qpos0 + soft->qpos_start, soft->rest, 3 * (size_t)soft->node_count * sizeof(double));
}

void tn_compile_softs(TnCompile *c)
{
    const TnModel *m = c->model;
    int qpos = m->qpos_count, dof = m->dof_count;
    for (int i = 0; i < m->soft_count; i++) {
        qpos -= 3 * m->softs[i].node_count;
        dof -= 3 * m->softs[i].node_count;
    }
    for (int i = 0; i < m->soft_count; i++) {
        place(c, i, &qpos, &dof);
        compile_soft(c, i);
    }
    tn_compile_ties(c);
}
