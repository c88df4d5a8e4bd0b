/* check_soft.c: are the definitions of soft bodies and ties sensible? Their meshes are checked
 * before (prepare_soft.c). Notes the holder of each node, too. */
#include "../builder.h"

#include <stdio.h>

static void check_above_zero(TnCompile *c, const TnElement *element, const char *what, double value)
{
    if (tn_check_numbers(c, element, what, &value, 1) && !(value > 0.0))
        tn_problem(c, element, "%s must be positive (%g)", what, value);
}

static void check_material(TnCompile *c, const TnElement *element, const TnSoftDef *def)
{
    check_above_zero(c, element, "youngs_modulus", def->youngs_modulus);
    if (!(def->poisson_ratio >= 0.0 && def->poisson_ratio < 0.5))
        tn_problem(c, element,
                   "poisson_ratio must lie in [0, 0.5) (%g); rubber, which hardly changes its "
                   "volume, has 0.45 to 0.499",
                   def->poisson_ratio);
    if (tn_check_numbers(c, element, "mass", &def->mass, 1)) {
        if (def->mass == 0.0)
            tn_problem(c, element, "mass must be positive; a negative mass selects the density");
        else if (def->mass < 0.0)
            check_above_zero(c, element, "density", def->density);
    }
    tn_check_positive(c, element, "damping_mass", def->damping_mass);
    tn_check_positive(c, element, "damping_stiffness", def->damping_stiffness);
    if ((unsigned)def->law > TN_SOFT_NEO_HOOKEAN)
        tn_problem(c, element, "law %d does not exist", (int)def->law);
}

static void check_sheet(TnCompile *c, const TnElement *element, const TnSoftDef *def)
{
    if (!tn_check_positive(c, element, "thickness", def->thickness) || def->thickness == 0.0)
        return;
    tn_check_positive(c, element, "stretch_modulus", def->stretch_modulus);
    if (def->law != TN_SOFT_COROTATIONAL)
        tn_problem(c, element, "a sheet (thickness %g) has the corotational law only",
                   def->thickness);
    if (def->consistent_mass)
        tn_problem(c, element, "a sheet (thickness %g) has lumped masses only", def->thickness);
}

static void check_surface(TnCompile *c, const TnElement *element, const TnSoftDef *def)
{
    tn_check_positive(c, element, "radius", def->radius);
    bool known = def->contact_dim == 1 || def->contact_dim == 3;
    if (!known)
        tn_problem(
            c, element,
            "contact dimension must be 1 (frictionless) or 3 (sliding friction) (%d): points "
            "of a soft body have no torsional and rolling friction",
            def->contact_dim);
    tn_check_contact(c, element, known ? def->contact_dim : 3, def->friction, def->restitution,
                     def->margin);
    tn_check_numbers(c, element, "rgba", def->rgba, 4);
}

static bool hangs_on_mocap(const TnCompile *c, int body)
{
    const TnBodyDef *bodies = c->builder->bodies;
    while (body > 0 && !bodies[body].mocap && c->bodies[body].joint_count == 0)
        body = bodies[body].parent - 1;
    return body > 0 && bodies[body].mocap;
}

static void check_holds(TnCompile *c, const TnElement *element, int index)
{
    const TnSoftDef *def = &c->builder->softs[index].def;
    TnBodyId *holder =
        c->softs[index].holder; /* NULL: the mesh is bad, and nothing is known of nodes */
    for (int i = 0; i < def->hold_count; i++) {
        const TnSoftHoldDef *hold = &def->holds[i];
        char what[64];
        snprintf(what, sizeof what, "hold %d: body", i + 1);
        bool known = tn_check_id(c, element, what, hold->body, c->builder->body_count);
        if (!holder) continue;
        if (hold->node < 0 || hold->node >= def->mesh.node_count) {
            tn_problem(c, element, "hold %d: node %d does not exist; its %d nodes count from 0",
                       i + 1, hold->node, def->mesh.node_count);
        } else if (holder[hold->node]) {
            tn_problem(c, element,
                       "hold %d: node %d is already held by body %d; a node can be held by one "
                       "body only",
                       i + 1, hold->node, (int)holder[hold->node]);
        } else if (known && hangs_on_mocap(c, hold->body - 1)) {
            tn_problem(c, element, "hold %d: a mocap body cannot hold nodes; weld a body to it",
                       i + 1);
        } else if (known) {
            holder[hold->node] = hold->body;
        }
    }
}

static void check_soft(TnCompile *c, int index)
{
    const TnSoftDef *def = &c->builder->softs[index].def;
    const TnElement *element = TN_ELEMENT("soft body", def, index);
    tn_check_numbers(c, element, "pos", def->pos, 3);
    tn_check_quat(c, element, "quat", def->quat);
    check_material(c, element, def);
    check_sheet(c, element, def);
    check_surface(c, element, def);
    if (def->pieces < 0)
        tn_problem(c, element, "pieces must not be negative (%d); 0: as the division says",
                   def->pieces);
    check_holds(c, element, index);
}

static void check_tie(TnCompile *c, int index)
{
    const TnTieDef *def = &c->builder->ties[index];
    const TnElement *element = TN_ELEMENT("tie", def, index);
    int count = c->builder->soft_count;
    bool first = tn_check_id(c, element, "soft1", def->soft1, count),
         second = tn_check_id(c, element, "soft2", def->soft2, count);
    if (first && second && def->soft1 == def->soft2)
        tn_problem(c, element, "soft1 and soft2 are the same: a tie joins two soft bodies");
    if (!first || !c->softs[def->soft1 - 1].good) return;
    const TnBodyId *holder = c->softs[def->soft1 - 1].holder;
    int nodes = c->builder->softs[def->soft1 - 1].def.mesh.node_count;
    if (def->node < 0 || def->node >= nodes)
        tn_problem(c, element, "node %d does not exist; the %d nodes of soft1 count from 0",
                   def->node, nodes);
    else if (holder[def->node])
        tn_problem(c, element,
                   "node %d is held by body %d and cannot be tied; remove the hold or the tie",
                   def->node, (int)holder[def->node]);
}

bool tn_check_softs(TnCompile *c)
{
    int before = c->problem_count;
    bool good = true;
    for (int i = 0; i < c->builder->soft_count; i++) {
        check_soft(c, i);
        good = good && c->softs[i].good;
    }
    for (int i = 0; i < c->builder->tie_count; i++) check_tie(c, i);
    return good && c->problem_count == before;
}
