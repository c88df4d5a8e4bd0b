/* Newton's cradle: five balls on hinges, restitution 1, no friction, `number` m of air between
 * them. The first is raised. In steps of 1 ms.
 *
 * Restitution at each contact does not say what balls that touch hand on within an impact: 3/5 of
 * the speed back and 2/5 for each of the others would obey it as well. Real balls hand it on one by
 * one, and one leaves. */
#include "hard.h"

#include <math.h>

static const double radius = 0.02, length = 0.3; /* m */
static const double mass = 0.25;                 /* kg */
static const double raised = -0.6;               /* rad */
static const double top = 0.4;                   /* m: height of the hinges */

static void add_ball(HardModel *m, double x, double angle, int level)
{
    TnBodyDef body = tn_body_def();
    /* turned about -y, so that positive angles swing towards x */
    body.pos[0] = x + length * sin(angle), body.pos[2] = top - length * cos(angle);
    body.quat[0] = cos(angle / 2), body.quat[2] = -sin(angle / 2);
    TnJointDef hinge = tn_joint_def();
    hinge.body = tn_builder_add_body(m->builder, &body);
    hinge.pos[2] = length;
    hinge.axis[1] = -1, hinge.axis[2] = 0;
    tn_builder_add_joint(m->builder, &hinge);
    TnGeomDef ball = tn_geom_def();
    ball.body = hinge.body;
    ball.size[0] = radius;
    ball.mass = mass;
    ball.contact_dim = 1;
    ball.restitution = 1;
    tn_builder_add_geom(m->builder, &ball);
    hard_watch(m, hinge.body, 0, level);
}

void hard_build_cradle(HardModel *m, const HardScene *scene, uint64_t seed)
{
    TnOption option = tn_option();
    (void)seed;
    option.timestep = 0.001;
    tn_builder_set_option(m->builder, &option, (TnSource){0});
    for (int i = 0; i < scene->count; i++)
        add_ball(m, (2 * radius + scene->number) * (i - 0.5 * (scene->count - 1)),
                 i == 0 ? raised : 0, i);
    m->fall = INFINITY;
    m->moves = true;
    m->is_cradle = true;
}
