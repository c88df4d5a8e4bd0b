/* groups.c: which groups of shapes are shown by default. */
#include "renderer.h"

#include <stdlib.h>

bool shape_in_groups(const TnSceneShape *shape, unsigned group_mask)
{
    return shape->group >= 0 && shape->group < 32 && (group_mask >> shape->group & 1);
}

unsigned default_groups(const TnScene *scene)
{
    const unsigned usual = 7; /* 0 to 2, as in MuJoCo; 3 to 5 are for collision and the like */
    enum { MOVES = 1, SEEN = 2 };
    unsigned char *bodies = calloc((size_t)scene->body_count + 1, 1);
    if (!bodies) return usual;
    for (int i = 0; i < scene->shape_count; i++) {
        const TnSceneShape *shape = &scene->shapes[i];
        if (!scene->bodies[shape->body - 1].subsystem) continue;
        bodies[shape->body] |= MOVES | (shape_in_groups(shape, usual) ? SEEN : 0);
    }
    int moving = 0, seen = 0;
    for (int i = 0; i <= scene->body_count; i++) {
        moving += (bodies[i] & MOVES) != 0;
        seen += (bodies[i] & SEEN) != 0;
    }
    free(bodies);
    return 2 * seen < moving ? ~0u : usual;
}
