/* planes.c: the ground and other planes. An endless one is drawn as a fan from the point under the
 * eye to four directions at infinity (w = 0), so that it really reaches the horizon. */
#include "internal.h"
#include "vec.h"

#include <float.h>
#include <string.h>

typedef struct PlanePlace {
    double origin[3]; /* seen from the eye */
    double axes[3][3];
    double offset; /* dot(normal, origin): minus the eye's height above the plane */
} PlanePlace;

static PlanePlace place_plane(const TnSceneShape *shape, const TnFrame *frame, const Scope *scope)
{
    PlanePlace place;
    const double *pose = frame->poses + 7 * (shape->body - 1);
    double quat[4];
    quat_mul(quat, pose + 3, shape->quat);
    quat_rotate(place.origin, pose + 3, shape->pos);
    for (int k = 0; k < 3; k++) {
        double unit[3] = {k == 0, k == 1, k == 2};
        quat_rotate(place.axes[k], quat, unit);
        place.origin[k] += pose[k] - scope->eye[k];
    }
    place.offset = dot3(place.axes[2], place.origin);
    return place;
}

static bool endless(const TnSceneShape *shape)
{
    return shape->size[0] <= 0 || shape->size[1] <= 0;
}

/* Seen from behind, a plane is not drawn: it would hide all there is to see. */
static bool in_sight(const TnSceneShape *shape, const PlanePlace *place, const DrawOptions *options)
{
    return shape_in_groups(shape, options->group_mask) && place->offset < 0 &&
           isfinite(place->offset);
}

static int fill_corners(const TnSceneShape *shape, const PlanePlace *place, float corners[6][4])
{
    if (!endless(shape)) {
        for (int i = 0; i < 4; i++) {
            double u = (i == 1 || i == 2 ? 1 : -1) * shape->size[0];
            double v = (i >= 2 ? 1 : -1) * shape->size[1];
            for (int k = 0; k < 3; k++)
                corners[i][k] =
                    (float)(place->origin[k] + u * place->axes[0][k] + v * place->axes[1][k]);
            corners[i][3] = 1;
        }
        return 4;
    }
    for (int k = 0; k < 3; k++) corners[0][k] = (float)(place->offset * place->axes[2][k]);
    corners[0][3] = 1;
    for (int i = 0; i < 5; i++) {
        const double *axis = place->axes[i & 1];
        double side = i & 2 ? -1 : 1;
        for (int k = 0; k < 3; k++) corners[1 + i][k] = (float)(side * axis[k]);
        corners[1 + i][3] = 0;
    }
    return 6;
}

static int send_plane(Renderer *r, const Program *program, const TnSceneShape *shape,
                      const PlanePlace *place, const float clip[16])
{
    const Gl *gl = &r->gl;
    float corners[6][4], normal[3];
    int count = fill_corners(shape, place, corners);
    for (int k = 0; k < 3; k++) normal[k] = (float)place->axes[2][k];
    gl->UniformMatrix4fv(program->clip, 1, GL_FALSE, clip);
    gl->Uniform4fv(program->corners, count, corners[0]);
    gl->Uniform3fv(program->plane_normal, 1, normal);
    gl->Uniform1f(program->plane_offset, (float)place->offset);
    return count;
}

static void draw_fan(Renderer *r, int count)
{
    r->gl.DrawArrays(GL_TRIANGLE_FAN, 0, count);
    r->stats.draw_calls++;
    r->stats.triangles += count - 2;
}

static const Look *look_of(const Renderer *r, const TnSceneShape *shape, const DrawOptions *options)
{
    bool known = shape->material >= 1 && shape->material <= r->scene->material_count;
    return &r->looks[known && options->color == COLOR_MODEL ? shape->material : 0];
}

/* Places in a texture: u and v per m along the plane, and those at the eye, less whole numbers. As
 * in MuJoCo, a picture with repeat 1 covers the plane, or 2 m of it where it is uniform or endless;
 * it begins at the upper left corner, or on an endless plane beside the origin. */
static void send_texture(Renderer *r, const Program *program, const TnSceneShape *shape,
                         const PlanePlace *place, const Look *look)
{
    const Gl *gl = &r->gl;
    float axes[2][3], start[2];
    bool over = look->mode == TEX_SHAPE && !endless(shape);
    for (int axis = 0; axis < 2; axis++) {
        double rate = (axis ? -0.5 : 0.5) * (double)look->repeat[axis];
        if (over) rate /= shape->size[axis];
        double begin = endless(shape) ? 0.5 : -fabs(rate) * shape->size[axis];
        double at = -dot3(place->axes[axis], place->origin) * rate - begin;
        start[axis] = (float)(at - floor(at));
        for (int k = 0; k < 3; k++) axes[axis][k] = (float)(rate * place->axes[axis][k]);
    }
    gl->Uniform3fv(program->tex_u, 1, axes[0]);
    gl->Uniform3fv(program->tex_v, 1, axes[1]);
    gl->Uniform2f(program->tex_start, start[0], start[1]);
}

int planes_mirror(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                  double normal[3], double *offset)
{
    for (int i = 0; i < r->plane_count; i++) {
        const TnSceneShape *shape = &r->scene->shapes[r->planes[i]];
        PlanePlace place = place_plane(shape, frame, scope);
        if (!in_sight(shape, &place, options) || !(look_of(r, shape, options)->reflectance > 0))
            continue;
        memcpy(normal, place.axes[2], sizeof place.axes[2]);
        *offset = place.offset;
        return r->planes[i];
    }
    return -1;
}

void planes_draw(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                 const float clip[16], bool clear)
{
    const Gl *gl = &r->gl;
    const Program *program = &r->plane;
    gl->BindVertexArray(r->empty_array);
    gl->UseProgram(program->id);
    for (int i = 0; i < r->plane_count; i++) {
        const TnSceneShape *shape = &r->scene->shapes[r->planes[i]];
        const uint16_t *color = r->shape_colors[r->planes[i]][options->color];
        if ((color[3] < 65535 || options->transparent) != clear) continue;
        PlanePlace place = place_plane(shape, frame, scope);
        if (!in_sight(shape, &place, options)) continue;
        int count = send_plane(r, program, shape, &place, clip);
        const Look *look = look_of(r, shape, options);
        bool flat = look->mode == TEX_SHAPE || look->mode == TEX_METRE;
        look_send(r, program, (uint32_t)(look - r->looks), -1);
        gl->Uniform1i(program->tex_mode, flat ? TEX_METRE : TEX_NONE);
        gl->Uniform1f(program->mirrored, look->reflectance);
        gl->Uniform1f(program->has_mirror, r->mirrors ? 1 : 0);
        if (flat) send_texture(r, program, shape, &place, look);
        float grid[2][3], start[2];
        for (int axis = 0; axis < 2; axis++) {
            double at = -dot3(place.axes[axis], place.origin) / r->cell;
            start[axis] = (float)(at - 10 * floor(at / 10));
            for (int k = 0; k < 3; k++)
                grid[axis][k] =
                    options->ground_grid && !flat ? (float)(place.axes[axis][k] / r->cell) : 0.0f;
        }
        gl->Uniform3fv(program->grid_u, 1, grid[0]);
        gl->Uniform3fv(program->grid_v, 1, grid[1]);
        gl->Uniform2f(program->grid_start, start[0], start[1]);
        gl->Uniform4f(program->plane_color, (float)color[0] / 65535, (float)color[1] / 65535,
                      (float)color[2] / 65535,
                      (float)color[3] / 65535 * (options->transparent ? 0.6f : 1.0f));
        draw_fan(r, count);
        r->stats.instances++;
    }
}

void planes_pick(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                 const float clip[16], bool seen_only)
{
    const Gl *gl = &r->gl;
    const Program *program = &r->plane_picked;
    gl->BindVertexArray(r->empty_array);
    gl->UseProgram(program->id);
    gl->Uniform3f(program->forward, (float)scope->forward[0], (float)scope->forward[1],
                  (float)scope->forward[2]);
    for (int i = 0; i < r->plane_count; i++) {
        const TnSceneShape *shape = &r->scene->shapes[r->planes[i]];
        if (seen_only && !r->shape_colors[r->planes[i]][options->color][3]) continue;
        PlanePlace place = place_plane(shape, frame, scope);
        if (!in_sight(shape, &place, options)) continue;
        int count = send_plane(r, program, shape, &place, clip);
        gl->Uniform1ui(program->plane_id, (GLuint)r->planes[i] + 1);
        draw_fan(r, count);
    }
}

/* The nearest depth at which a plane comes into the picture: at one of its corners. */
static double nearest_of(const Scope *scope, const double normal[3], double height)
{
    double nearest = DBL_MAX;
    for (int corner = 0; corner < 4; corner++) {
        double ray[3], x = corner & 1 ? 1 : -1, y = corner & 2 ? 1 : -1;
        for (int k = 0; k < 3; k++)
            ray[k] = scope->forward[k] + x * scope->tan_x * scope->right[k] +
                     y * scope->tan_y * scope->up[k];
        double fall = -dot3(normal, ray);
        if (fall > 0) nearest = fmin(nearest, height / fall);
    }
    return nearest;
}

double planes_nearest(Renderer *r, const TnFrame *frame, const DrawOptions *options,
                      const Scope *scope)
{
    double nearest = DBL_MAX;
    for (int i = 0; i < r->plane_count; i++) {
        const TnSceneShape *shape = &r->scene->shapes[r->planes[i]];
        PlanePlace place = place_plane(shape, frame, scope);
        if (in_sight(shape, &place, options))
            nearest = fmin(nearest, nearest_of(scope, place.axes[2], -place.offset));
    }
    return nearest;
}

bool planes_ground(Renderer *r, const TnFrame *frame, const DrawOptions *options,
                   const Scope *scope, double normal[3], double *height)
{
    for (int i = 0; i < r->plane_count; i++) {
        const TnSceneShape *shape = &r->scene->shapes[r->planes[i]];
        PlanePlace place = place_plane(shape, frame, scope);
        if (!in_sight(shape, &place, options) || place.axes[2][2] < 0.7) continue;
        memcpy(normal, place.axes[2], sizeof place.axes[2]);
        *height = -place.offset;
        return true;
    }
    return false;
}
