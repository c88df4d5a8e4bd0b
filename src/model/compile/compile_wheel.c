/* compile_wheel.c: wheels (TnWheelDef): their checks, unit directions, and the height of the ground
 * under them in the reference pose. */
#include "../../base/rounding.h"
#include "../builder.h"

#include "../../math/vec3.h"

static void check_direction(TnCompile *c, const TnElement *element, const char *what,
                            const double direction[3])
{
    if (!tn_check_numbers(c, element, what, direction, 3)) return;
    double length = v3_norm(direction);
    if (!(length > 0.0 && isfinite(length)))
        tn_problem(c, element, "%s has length %g", what, length);
}

bool tn_check_wheels(TnCompile *c)
{
    bool stands = true;
    for (int i = 0; i < c->builder->wheel_count; i++) {
        const TnWheelDef *def = &c->builder->wheels[i];
        const TnElement *element = TN_ELEMENT("wheel", def, i);
        if (!tn_check_id(c, element, "body", def->body, c->builder->body_count)) stands = false;
        tn_check_numbers(c, element, "pos", def->pos, 3);
        check_direction(c, element, "axle", def->axle);
        check_direction(c, element, "normal", def->normal);
        bool sized = tn_check_positive(c, element, "radius", def->radius);
        if ((unsigned)def->kind > TN_WHEEL_SKATE)
            tn_problem(c, element, "kind %d does not exist", (int)def->kind);
        else if (sized && def->kind == TN_WHEEL_ROLLING && def->radius == 0.0)
            tn_problem(c, element, "a rolling wheel has a radius above 0");
    }
    return stands;
}

static void compile_wheel(TnCompile *c, const TnWheelDef *def, const TnElement *element,
                          TnWheel *wheel)
{
    const TnModel *m = c->model;
    const TnBodyScratch *body = &c->bodies[def->body - 1];
    *wheel = (TnWheel){.kind = def->kind,
                       .body = def->body - 1,
                       .radius = def->radius,
                       .keep_height = def->keep_height};
    v3_copy(wheel->pos, def->pos);
    v3_copy(wheel->axle, def->axle);
    double axle_length = v3_normalize(wheel->axle);
    v3_copy(wheel->normal, def->normal);
    double normal_length = v3_normalize(wheel->normal);
    int link = m->bodies[wheel->body].link;
    if (m->links[link].subsystem < 0) {
        tn_problem(c, element, "its body is fixed to the world and cannot roll");
        return;
    }
    if (body->rod) tn_problem(c, element, "its body is a segment of a rod, which has no wheels");
    bool known = axle_length * normal_length > 0.0 && isfinite(axle_length * normal_length);
    double axle[3], centre[3], across[3];
    quat_rotate(axle, body->quat, wheel->axle);
    quat_rotate(centre, body->quat, wheel->pos);
    v3_add(centre, centre, body->pos);
    v3_cross(across, axle, wheel->normal);
    double upright = v3_norm(across);
    /* which way it faces is rounding */
    if (known && !(upright > TN_SAME))
        tn_problem(c, element, "its axle is parallel to the ground's normal in the reference pose");
    wheel->height = v3_dot(wheel->normal, centre) - wheel->radius * upright;
}

void tn_compile_wheels(TnCompile *c)
{
    for (int i = 0; i < c->model->wheel_count; i++) {
        const TnWheelDef *def = &c->builder->wheels[i];
        compile_wheel(c, def, TN_ELEMENT("wheel", def, i), &c->model->wheels[i]);
    }
}
