/* groups.c: which groups of shapes are shown where nobody chose. */
#include "renderer.h"

unsigned default_groups(const TnScene *scene)
{
    const unsigned usual = 7; /* 0 to 2, as in MuJoCo; 3 to 5 are for collision and the like */
    bool moves = false;
    for (int i = 0; i < scene->shape_count; i++) {
        const TnSceneShape *shape = &scene->shapes[i];
        if (!scene->bodies[shape->body - 1].subsystem) continue;
        if (usual >> shape->group & 1) return usual;
        moves = true;
    }
    return moves ? ~0u : usual;
}
