/* body_info.c: mass and centre of mass of a body, and of the rigid part that it belongs to. */
#include <string.h>

#include "../base/base.h"
#include "../math/vec3.h"
#include "mesh/inertia.h"
#include "model.h"

/* From the axes of the link into those of the body. */
static void tell_own(TnBodyInfo *info, const TnBody *body, const TnBodyMass *own)
{
    double to_body[4], back[3];
    TnMassProperties mass = {.mass = own->mass};
    v3_copy(mass.com, own->com);
    memcpy(mass.inertia, own->inertia, sizeof mass.inertia);
    quat_conjugate(to_body, body->link_quat);
    quat_rotate(back, to_body, body->link_pos);
    v3_scale(back, back, -1.0);
    tn_mass_transform(&mass, back, to_body);
    const double *I = mass.inertia;
    const double inertia[6] = {I[0], I[4], I[8], I[1], I[2], I[5]};
    info->own_mass = mass.mass;
    v3_copy(info->own_com, mass.com);
    memcpy(info->own_inertia, inertia, sizeof inertia);
}

TnBodyInfo tn_model_body_info(const TnModel *model, TnBodyId id)
{
    TnBodyInfo info = {.carrier = TN_BODY_WORLD};
    if (!model || id < 1 || id > model->body_count) return (TnBodyInfo){0};
    const TnBody *body = &model->bodies[id - 1];
    const TnLink *link = &model->links[body->link];
    if (tn_link_is_mocap(model, body->link)) info.mocap = body->link;
    tell_own(&info, body, &model->body_masses[id - 1]);
    if (link->subsystem < 0) return info;
    double offset[3], to_body[4];
    v3_sub(offset, link->com, body->link_pos);
    quat_conjugate(to_body, body->link_quat);
    quat_rotate(info.com, to_body, offset);
    v3_copy(info.inertia, link->inertia_principal);
    info.carrier = link->body + 1;
    info.mass = link->mass;
    return info;
}
