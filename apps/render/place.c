/* place.c: where everything is in a frame, seen from the eye: shapes as instances, tubes and
 * surfaces as triangles. Also finds the bounds of it all and what is nearest. */
#include "internal.h"
#include "vec.h"

#include <float.h>
#include <string.h>

static double linear_of(double srgb)
{
    srgb = srgb < 0 ? 0 : srgb > 1 ? 1 : srgb;
    return srgb <= 0.04045 ? srgb / 12.92 : pow((srgb + 0.055) / 1.055, 2.4);
}

void color_linear(const float srgb[3], float alpha, uint16_t out[4])
{
    for (int k = 0; k < 3; k++) out[k] = (uint16_t)(65535 * linear_of((double)srgb[k]) + 0.5);
    alpha = alpha < 0 ? 0 : alpha > 1 ? 1 : alpha;
    out[3] = (uint16_t)(65535 * alpha + 0.5f);
}

static void include(Bounds *bounds, const double center[3], const double half[3])
{
    for (int k = 0; k < 3; k++) {
        bounds->low[k] = fmin(bounds->low[k], center[k] - half[k]);
        bounds->high[k] = fmax(bounds->high[k], center[k] + half[k]);
    }
}

/* Half the lengths of the upright box around a turned box. */
static void turned_half(const double quat[4], const double half[3], double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (int axis = 0; axis < 3; axis++) {
        double unit[3] = {axis == 0, axis == 1, axis == 2}, turned[3];
        quat_rotate(turned, quat, unit);
        for (int k = 0; k < 3; k++) out[k] += fabs(turned[k]) * half[axis];
    }
}

/* What the type says: family, scale, lift, radius around the origin, and half of the upright box.
 */
static bool measure(const Renderer *r, const TnSceneShape *shape, const double quat[4],
                    const DrawOptions *options, Instance *instance, int *family, double *radius,
                    double center[3], double half[3])
{
    const double *size = shape->size;
    double scale[3] = {size[0], size[0], size[0]}, lift = 0;
    double z[3], up[3] = {0, 0, 1};
    center[0] = center[1] = center[2] = 0;
    switch (shape->type) {
    case TN_GEOM_SPHERE:
        /* a dome turns to the viewer, a texture must not */
        *family = options->wireframe || r->looks[instance->look].mode != TEX_NONE ? FAMILY_SPHERE
                                                                                  : FAMILY_DOME;
        *radius = size[0];
        half[0] = half[1] = half[2] = size[0];
        break;
    case TN_GEOM_CAPSULE:
        *family = FAMILY_CAPSULE;
        *radius = size[0] + size[1];
        lift = size[1];
        quat_rotate(z, quat, up);
        for (int k = 0; k < 3; k++) half[k] = fabs(z[k]) * size[1] + size[0];
        break;
    case TN_GEOM_CYLINDER:
        *family = FAMILY_CYLINDER;
        *radius = hypot(size[0], size[1]);
        scale[2] = size[1];
        quat_rotate(z, quat, up);
        for (int k = 0; k < 3; k++)
            half[k] = fabs(z[k]) * size[1] + size[0] * sqrt(fmax(0, 1 - z[k] * z[k]));
        break;
    case TN_GEOM_ELLIPSOID:
    case TN_GEOM_BOX:
        *family = shape->type == TN_GEOM_BOX ? FAMILY_BOX : FAMILY_SPHERE;
        *radius =
            shape->type == TN_GEOM_BOX ? length3(size) : fmax(size[0], fmax(size[1], size[2]));
        memcpy(scale, size, sizeof scale);
        turned_half(quat, size, half);
        break;
    case TN_GEOM_MESH: {
        if (shape->mesh < 0 || shape->mesh >= r->scene->mesh_count) return false;
        const struct MeshBox *box = &r->mesh_boxes[shape->mesh];
        *family = FAMILY_COUNT + 2 * shape->mesh + (options->hulls ? 1 : 0);
        *radius = box->radius;
        scale[0] = scale[1] = scale[2] = 1;
        quat_rotate(center, quat, box->center);
        turned_half(quat, box->half, half);
        break;
    }
    default:
        return false;
    }
    for (int k = 0; k < 3; k++) instance->scale[k] = (float)fmax(scale[k], 1e-9);
    instance->lift = (float)lift;
    return true;
}

/* Selected shapes lean to orange; the shader adds a rim. */
static void highlight(Instance *instance)
{
    static const double tint[3] = {1.0, 0.5, 0.05};
    for (int k = 0; k < 3; k++)
        instance->color[k] = (uint16_t)(0.65 * instance->color[k] + 0.35 * 65535 * tint[k]);
    instance->id |= ID_SELECTED;
}

/* Materials count in the model's own colours; hulls have no places in a texture. */
static uint32_t look_of(const Renderer *r, const TnSceneShape *shape, const DrawOptions *options)
{
    bool known = shape->material >= 1 && shape->material <= r->scene->material_count;
    bool hull = options->hulls && shape->type == TN_GEOM_MESH;
    return known && !hull && options->color == COLOR_MODEL ? (uint32_t)shape->material : 0;
}

void place_shapes(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                  const Lens *sides)
{
    const TnScene *scene = r->scene;
    Items *items = &r->shapes;
    items->count = scene->shape_count;
    r->bounds = (Bounds){{DBL_MAX, DBL_MAX, DBL_MAX}, {-DBL_MAX, -DBL_MAX, -DBL_MAX}};
    r->nearest = DBL_MAX;
    for (int i = 0; i < scene->shape_count; i++) {
        const TnSceneShape *shape = &scene->shapes[i];
        Instance *instance = &items->instances[i];
        items->radius[i] = -1;
        if (!shape_in_groups(shape, options->group_mask) || shape->body < 1 ||
            shape->body > frame->body_count)
            continue;
        const double *pose = frame->poses + 7 * (shape->body - 1);
        double pos[3], quat[4], center[3], half[3], radius;
        quat_rotate(pos, pose + 3, shape->pos);
        quat_mul(quat, pose + 3, shape->quat);
        for (int k = 0; k < 3; k++) pos[k] += pose[k] - scope->eye[k];
        if (!(fabs(pos[0]) + fabs(pos[1]) + fabs(pos[2]) < 1e15)) continue; /* NaN, too */
        int family;
        instance->look = look_of(r, shape, options);
        if (!measure(r, shape, quat, options, instance, &family, &radius, center, half)) continue;
        for (int k = 0; k < 3; k++) {
            instance->pos[k] = (float)pos[k];
            center[k] += pos[k];
        }
        for (int k = 0; k < 4; k++) instance->quat[k] = (float)quat[k];
        instance->id = (uint32_t)i + 1;
        memcpy(instance->color, r->shape_colors[i][options->color], sizeof instance->color);
        if (options->transparent) instance->color[3] = (uint16_t)(instance->color[3] * 0.35);
        if (options->selected && shape->body == options->selected) highlight(instance);
        items->radius[i] = (float)radius;
        items->family[i] = family;
        include(&r->bounds, center, half);
        double depth = dot3(scope->forward, pos) - radius;
        if (depth < r->nearest && lens_sees(sides, instance->pos, (float)radius) &&
            depth + 2 * radius > 0)
            r->nearest = depth;
    }
}

/* A straight piece of a tendon is a capsule. */
static void add_capsule(Renderer *r, const float a[3], const float b[3], double radius,
                        const uint16_t color[4], uint32_t id)
{
    double axis[3], quat[4];
    for (int k = 0; k < 3; k++) axis[k] = (double)b[k] - a[k];
    double length = normalize3(axis);
    if (length <= 0) axis[2] = 1;
    Instance *instance = items_add(&r->shapes, FAMILY_CAPSULE, length / 2 + radius);
    if (!instance) return;
    quat_from_z(quat, axis);
    for (int k = 0; k < 3; k++) {
        instance->pos[k] = (a[k] + b[k]) / 2;
        instance->scale[k] = (float)radius;
    }
    for (int k = 0; k < 4; k++) instance->quat[k] = (float)quat[k];
    instance->lift = (float)(length / 2);
    instance->id = id;
    memcpy(instance->color, color, sizeof instance->color);
}

static uint32_t tube_id(const Renderer *r, const TnSceneTube *tube)
{
    return ID_TUBE + (uint32_t)(tube - r->scene->tubes);
}

static void add_tendon(Renderer *r, const TnSceneTube *tube, const float *points,
                       const uint16_t (*colors)[4])
{
    for (int i = 0; i + 1 < tube->point_count; i++) {
        const float *a = points + 3 * i;
        add_capsule(r, a, a + 3, tube->radius, colors[i], tube_id(r, tube));
    }
}

/* As many sides and steps as can be seen. */
static void add_cable(Renderer *r, const TnSceneTube *tube, const float *points,
                      const uint16_t (*colors)[4], const Lens *sides)
{
    float thick = 0, longest = 0;
    for (int i = 0; i < tube->point_count; i++) {
        const float *p = points + 3 * i;
        float pixels = lens_pixels(sides, p, (float)tube->radius);
        if (pixels > thick) thick = pixels;
        if (i == 0) continue;
        float piece = sqrtf((p[0] - p[-3]) * (p[0] - p[-3]) + (p[1] - p[-2]) * (p[1] - p[-2]) +
                            (p[2] - p[-1]) * (p[2] - p[-1]));
        pixels = piece * pixels / (float)tube->radius;
        if (pixels > longest) longest = pixels;
    }
    int around = (int)ceilf(sqrtf(20 * thick)), steps = 2 * (int)ceilf(sqrtf(longest) / 3);
    TubeLook look = {.radius = tube->radius,
                     .sides = around < 5    ? 5
                              : around > 32 ? 32
                                            : around,
                     .steps = steps < 2    ? 2
                              : steps > 12 ? 12
                                           : steps,
                     .colors = colors,
                     .id = tube_id(r, tube)};
    tube_add(&r->soft, points, tube->point_count, &look);
}

/* Of tubes. */
static void color_points(Renderer *r, const DrawOptions *options, int start, int count,
                         const float rgba[4])
{
    uint16_t color[4];
    float alpha = options->transparent ? 0.35f * rgba[3] : rgba[3], rgb[3];
    memcpy(rgb, rgba, sizeof rgb);
    if (options->color == COLOR_STRESS) part_color(0, rgba, rgb);
    color_linear(rgb, alpha, color);
    for (int i = start; i < start + count; i++) {
        if (options->color == COLOR_SUBSYSTEM &&
            (i == start || r->scene->point_subsystems[i] != r->scene->point_subsystems[i - 1])) {
            subsystem_color(r->scene->point_subsystems[i], rgb);
            color_linear(rgb, alpha, color);
        }
        memcpy(r->point_colors[i], color, sizeof color);
    }
}

/* The range of the colours of stress: grows with what is seen, so that it does not flicker. */
static void find_stress_scale(Renderer *r, const TnFrame *frame, const DrawOptions *options)
{
    const TnScene *scene = r->scene;
    bool shown = options->color == COLOR_STRESS && scene->surface_count > 0;
    if (!shown) r->stress_seen = 0;
    r->stress = (StressScale){.shown = shown, .known = frame->stress != NULL};
    if (!shown || !frame->stress) return;
    for (int i = 0; i < frame->point_count && i < scene->point_count; i++)
        if ((double)frame->stress[i] > r->stress_seen) r->stress_seen = (double)frame->stress[i];
    r->stress.top = options->stress_max > 0 ? options->stress_max : stress_top(r->stress_seen);
    for (int i = 0; i < frame->point_count && i < scene->point_count; i++) {
        double share = (double)frame->stress[i] / r->stress.top;
        r->stress_levels[i] = share > 0 ? (float)fmin(share, 1) : 0; /* not a number: 0 */
    }
}

/* One colour per vertex, into r->vertex_colors. */
static void color_surface(Renderer *r, const DrawOptions *options, int index)
{
    const TnSceneSurface *surface = &r->scene->surfaces[index];
    const SurfacePlan *plan = &r->plans[index];
    float alpha = options->transparent ? 0.35f * surface->rgba[3] : surface->rgba[3], rgb[3];
    uint16_t color[4];
    memcpy(rgb, surface->rgba, sizeof rgb);
    if (options->color == COLOR_STRESS) part_color(0, surface->rgba, rgb);
    color_linear(rgb, alpha, color);
    for (int i = 0; i < plan->vertex_count; i++) {
        if (options->color == COLOR_SUBSYSTEM && (i == 0 || plan->parts[i] != plan->parts[i - 1])) {
            subsystem_color(plan->parts[i], rgb);
            color_linear(rgb, alpha, color);
        }
        memcpy(r->vertex_colors[i], color, sizeof color);
    }
}

static void include_points(Renderer *r, const Scope *scope, const float *points, int count,
                           double radius)
{
    double half[3] = {radius, radius, radius};
    for (int i = 0; i < count; i++) {
        double p[3] = {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
        double depth = dot3(p, scope->forward) - radius;
        include(&r->bounds, p, half);
        if (depth + 2 * radius > 0 && depth < r->nearest) r->nearest = depth;
    }
}

static bool points_fit(const Renderer *r, int start, int count)
{
    return start >= 0 && count >= 0 && start <= r->scene->point_count - count;
}

/* First what is opaque, then the rest. */
static void place_pass(Renderer *r, const DrawOptions *options, const Lens *sides, bool clear)
{
    const TnScene *scene = r->scene;
    for (int i = 0; i < scene->surface_count; i++) {
        const TnSceneSurface *surface = &scene->surfaces[i];
        int start = surface->point_start;
        bool is_clear = options->transparent || surface->rgba[3] < 1;
        if (!points_fit(r, start, surface->point_count) || is_clear != clear) continue;
        color_surface(r, options, i);
        surface_add(&r->soft, &r->plans[i], r->points + 3 * start,
                    r->stress.shown && r->stress.known ? r->stress_levels + start : NULL,
                    (const uint16_t(*)[4])r->vertex_colors, ID_SURFACE + (uint32_t)i);
    }
    for (int i = 0; i < scene->tube_count; i++) {
        const TnSceneTube *tube = &scene->tubes[i];
        int start = tube->point_start;
        if (tube->kind != TN_TUBE_CABLE || !points_fit(r, start, tube->point_count) ||
            tube->point_count < 2 || (r->point_colors[start][3] < 65535) != clear)
            continue;
        add_cable(r, tube, r->points + 3 * start, (const uint16_t(*)[4])r->point_colors + start,
                  sides);
    }
}

void place_soft(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                const Lens *sides)
{
    const TnScene *scene = r->scene;
    int point_count =
        frame->point_count < scene->point_count ? frame->point_count : scene->point_count;
    soft_clear(&r->soft);
    for (int i = 0; i < 3 * point_count; i++)
        r->points[i] = (float)((double)frame->points[i] - scope->eye[i % 3]);
    for (int i = 0; i < scene->surface_count; i++) {
        const TnSceneSurface *surface = &scene->surfaces[i];
        if (!points_fit(r, surface->point_start, surface->point_count)) continue;
        include_points(r, scope, r->points + 3 * surface->point_start, surface->point_count, 0);
    }
    for (int i = 0; i < scene->tube_count; i++) {
        const TnSceneTube *tube = &scene->tubes[i];
        if (!points_fit(r, tube->point_start, tube->point_count)) continue;
        if (tube->kind == TN_TUBE_TENDON && !options->tendons) continue;
        const float *points = r->points + 3 * tube->point_start;
        color_points(r, options, tube->point_start, tube->point_count, tube->rgba);
        include_points(r, scope, points, tube->point_count, tube->radius);
        if (tube->kind == TN_TUBE_TENDON)
            add_tendon(r, tube, points, (const uint16_t(*)[4])r->point_colors + tube->point_start);
    }
    find_stress_scale(r, frame, options);
    place_pass(r, options, sides, false);
    r->soft_clear_start = r->soft.index_count;
    place_pass(r, options, sides, true);
}
