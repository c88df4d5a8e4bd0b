/* body_info.c: mass and centre of mass of the rigid part that a body belongs to. */
#include "../base/base.h"
#include "../math/vec3.h"
#include "model.h"

TnBodyInfo tn_model_body_info(const TnModel *model, TnBodyId id)
{
    TnBodyInfo info = {.carrier = TN_BODY_WORLD};
    if (!model || id < 1 || id > model->body_count) return (TnBodyInfo){0};
    const TnBody *body = &model->bodies[id - 1];
    const TnLink *link = &model->links[body->link];
    if (tn_link_is_mocap(model, body->link)) info.mocap = body->link;
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
