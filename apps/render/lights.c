/* lights.c: what a picture is lit by: the model's lights and its headlight, or, where the model has
 * no light that shines, tenon's own sun and sky (light.glsl).
 *
 * The headlight shines along the view, as in MuJoCo. One light throws shadows: the brightest one
 * that may, a sun before lamps, which reach less. */
#include "internal.h"
#include "vec.h"

#include <string.h>

/* Length 1. */
static const double sun_direction[3] = {-0.37139068, -0.55708601, 0.74278135};

static void copy3(float out[4], const float from[3], double last)
{
    memcpy(out, from, 3 * sizeof *out);
    out[3] = (float)last;
}

/* Where it is, seen from the eye, and the direction it shines in. */
static void place_light(const TnSceneLight *light, const TnFrame *frame, const Scope *scope,
                        double pos[3], double dir[3])
{
    const double *pose = frame->poses + 7 * (light->body - 1);
    double own_pos[3], own_dir[3];
    for (int k = 0; k < 3; k++) {
        own_pos[k] = (double)light->pos[k];
        own_dir[k] = (double)light->dir[k];
    }
    if (light->mode == TN_CAMERA_TRACK) {
        memcpy(pos, own_pos, sizeof own_pos);
        memcpy(dir, own_dir, sizeof own_dir);
    } else {
        quat_rotate(pos, pose + 3, own_pos);
        quat_rotate(dir, pose + 3, own_dir);
    }
    for (int k = 0; k < 3; k++) pos[k] += pose[k] - scope->eye[k];
    if (light->mode == TN_CAMERA_TARGET && light->target > 0 &&
        light->target <= frame->body_count) {
        const double *target = frame->poses + 7 * (light->target - 1);
        for (int k = 0; k < 3; k++) dir[k] = target[k] - scope->eye[k] - pos[k];
    }
    if (normalize3(dir) <= 0) dir[2] = -1;
}

static void add_light(Renderer *r, const TnSceneLight *light, const double pos[3],
                      const double dir[3], int *count)
{
    SceneBlock *block = &r->block;
    bool parallel = light->type == TN_LIGHT_DIRECTIONAL;
    bool cone = light->type == TN_LIGHT_SPOT && light->cutoff < 1.5707963f;
    for (int k = 0; k < 3; k++) {
        block->light_from[*count][k] = (float)(parallel ? -dir[k] : pos[k]);
        block->light_axis[*count][k] = (float)dir[k];
        block->ambient[k] += light->ambient[k];
    }
    block->light_from[*count][3] = parallel ? 0 : 1;
    block->light_axis[*count][3] = cone ? cosf(light->cutoff) : -1;
    copy3(block->light_diffuse[*count], light->diffuse, cone ? (double)light->exponent : 0);
    copy3(block->light_specular[*count], light->specular, light->cast_shadow);
    copy3(block->light_fade[*count], light->attenuation, 0);
    (*count)++;
}

static void add_headlight(Renderer *r, const Scope *scope, int *count)
{
    const TnView *view = &r->scene->view;
    if (view->no_headlight) return;
    TnSceneLight light = {.type = TN_LIGHT_DIRECTIONAL, .attenuation = {1, 0, 0}};
    for (int k = 0; k < 3; k++) {
        light.ambient[k] = (float)view->headlight_ambient[k];
        light.diffuse[k] = (float)view->headlight_diffuse[k];
        light.specular[k] = (float)view->headlight_specular[k];
    }
    add_light(r, &light, scope->eye, scope->forward, count);
}

/* Which of two lights throws the shadows: the one with more. */
static float rank(const TnSceneLight *light)
{
    float most = 0;
    for (int k = 0; k < 3; k++) most = fmaxf(most, fminf(light->diffuse[k], 1));
    return most + (light->type == TN_LIGHT_DIRECTIONAL ? 1 : 0);
}

static void cast(Renderer *r, const TnSceneLight *light, const double pos[3], const double dir[3])
{
    Caster *caster = &r->caster;
    caster->there = true;
    caster->parallel = light->type == TN_LIGHT_DIRECTIONAL;
    caster->cutoff = light->type == TN_LIGHT_SPOT ? (double)light->cutoff : 3.2; /* all around */
    for (int k = 0; k < 3; k++) {
        caster->to[k] = -dir[k];
        caster->axis[k] = dir[k];
        caster->from[k] = pos[k];
    }
}

void lights_place(Renderer *r, const TnFrame *frame, const Scope *scope)
{
    const TnScene *scene = r->scene;
    SceneBlock *block = &r->block;
    int count = 0, casting = -1;
    float first = 0;
    memset(block->ambient, 0, sizeof block->ambient);
    r->caster = (Caster){0};
    if (scene->light_count > 0) add_headlight(r, scope, &count);
    for (int i = 0; i < scene->light_count && count < LIGHT_ROOM; i++) {
        const TnSceneLight *light = &scene->lights[i];
        double pos[3], dir[3];
        if (light->body < 1 || light->body > frame->body_count) continue;
        place_light(light, frame, scope, pos, dir);
        if (light->cast_shadow && rank(light) > first) {
            first = rank(light);
            casting = count;
            cast(r, light, pos, dir);
        }
        add_light(r, light, pos, dir, &count);
    }
    if (casting >= 0) block->light_specular[casting][3] = 2;
    block->ambient[3] = (float)count;
    if (count == 0) { /* tenon's own */
        r->caster.there = r->caster.parallel = true;
        memcpy(r->caster.to, sun_direction, sizeof sun_direction);
    }
    for (int k = 0; k < 3; k++) block->sun[k] = (float)sun_direction[k];
}
