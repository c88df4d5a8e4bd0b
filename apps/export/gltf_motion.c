/* gltf_motion.c: how a recording moves, as channels of a glTF animation.
 *
 * Bodies: translation and rotation, where they change. Quaternions keep the sign of the one before,
 * so that what is between two frames takes the short way.
 *
 * Cables and tendons: a straight piece per pair of points, which lies between them: its middle, the
 * rotation that takes z to its direction (from frame to frame by the shortest turn, as a piece has
 * no turn about its axis), and its length as scale along z. Pieces of cables are capsules, so that
 * bends are closed.
 *
 * Soft bodies: a mesh with the first frame's places, and for every other frame a morph target with
 * the differences. The weight of frame k is 1 at its time and 0 at all others; so places between
 * frames are interpolated linearly. Weights are a square table: beyond TARGETS frames, only so many
 * are taken, evenly. */
#include "../render/soft.h"
#include "../render/vec.h"
#include "gltf_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TARGETS = 240 };

static void *room_for(GltfScene *g, size_t count, size_t size)
{
    void *room = g->gltf.failed ? NULL : malloc((count + 1) * size);
    if (!room) g->gltf.failed = true;
    return room;
}

static bool varies(const float *values, int count, int width)
{
    for (int i = 1; i < count; i++)
        if (memcmp(values, values + (size_t)width * (size_t)i, (size_t)width * sizeof *values) != 0)
            return true;
    return false;
}

/* All times from the first one on, once something moves. */
static int times_of(GltfScene *g)
{
    size_t count = (size_t)g->frames->count;
    if (g->times >= 0) return g->times;
    float *times = room_for(g, count, sizeof *times);
    for (size_t k = 0; times && k < count; k++)
        times[k] = (float)(g->frames->times[k] - g->frames->times[0]);
    if (times) g->times = gltf_floats(&g->gltf, times, (int)count, 1, GLTF_NUMBERS, true);
    free(times);
    return g->times;
}

/* A channel where there is something to see. */
static void add_channel(GltfScene *g, int node, GltfPath path, const float *values, int width)
{
    int count = g->frames->count;
    if (!varies(values, count, width)) return;
    int accessor = gltf_floats(&g->gltf, values, count, width, GLTF_NUMBERS, false);
    gltf_channel(&g->gltf, node, path, times_of(g), accessor);
}

/* x y z w of length 1, of the sign that is near the one before (NULL: any). */
static void put_quat(float out[4], const double quat[4], const float *before)
{
    double length = sqrt(quat[0] * quat[0] + dot3(quat + 1, quat + 1)), sign = 1, dot = 0;
    for (int k = 0; k < 4 && before; k++) dot += quat[(k + 1) % 4] * (double)before[k];
    if (dot < 0) sign = -1;
    for (int k = 0; k < 4; k++) out[k] = (float)(sign * quat[(k + 1) % 4] / length);
}

void gltf_add_motion(GltfScene *g)
{
    size_t count = (size_t)g->frames->count, bodies = (size_t)g->scene->body_count;
    float *places = room_for(g, 3 * count, sizeof *places);
    float *turns = room_for(g, 4 * count, sizeof *turns);
    for (size_t body = 0; !g->gltf.failed && body < bodies; body++) {
        for (size_t k = 0; k < count; k++) {
            const double *pose = g->frames->poses + 7 * (k * bodies + body);
            for (size_t c = 0; c < 3; c++) places[3 * k + c] = (float)pose[c];
            put_quat(turns + 4 * k, pose + 3, k ? turns + 4 * (k - 1) : NULL);
        }
        add_channel(g, 1 + (int)body, GLTF_TRANSLATION, places, 3); /* node 0 is the root */
        add_channel(g, 1 + (int)body, GLTF_ROTATION, turns, 4);
    }
    free(places);
    free(turns);
}

/* ---- tubes ---- */

typedef struct Piece {
    float *places, *turns, *scales; /* of each frame */
    double axis[3], quat[4];        /* of the frame before */
} Piece;

static const float *point_at(const GltfScene *g, int frame, int point)
{
    return g->frames->points + 3 * ((size_t)frame * (size_t)g->scene->point_count + (size_t)point);
}

static double piece_length(const GltfScene *g, int frame, int point, double axis[3])
{
    const float *a = point_at(g, frame, point);
    for (int k = 0; k < 3; k++) axis[k] = (double)a[3 + k] - (double)a[k];
    return normalize3(axis);
}

static double mean_length(const GltfScene *g, const TnSceneTube *tube)
{
    double sum = 0, axis[3];
    for (int i = 0; i + 1 < tube->point_count; i++)
        sum += piece_length(g, 0, tube->point_start + i, axis);
    return sum / (tube->point_count - 1);
}

/* Turns `quat` by the shortest rotation that takes `from` to `to`. */
static void turn_on(double quat[4], const double from[3], const double to[3])
{
    double turn[4], out[4], cosine = dot3(from, to);
    if (cosine > -0.999999) {
        cross3(turn + 1, from, to);
        turn[0] = 1 + cosine;
    } else { /* half a turn about any axis across */
        perpendicular3(turn + 1, from);
        turn[0] = 0;
    }
    double length = sqrt(turn[0] * turn[0] + dot3(turn + 1, turn + 1));
    for (int k = 0; k < 4; k++) turn[k] /= length;
    quat_mul(out, turn, quat);
    memcpy(quat, out, sizeof out);
}

/* All frames of the piece that begins at a point; `unit` is the length of its mesh. */
static void follow_piece(const GltfScene *g, Piece *piece, int point, double unit)
{
    memcpy(piece->axis, (double[3]){0, 0, 1}, sizeof piece->axis);
    memcpy(piece->quat, (double[4]){1, 0, 0, 0}, sizeof piece->quat);
    double shown = -1; /* the length that is kept while changes are only rounding */
    for (int k = 0; k < g->frames->count; k++) {
        double axis[3], length = piece_length(g, k, point, axis);
        const float *a = point_at(g, k, point);
        if (length > 0) {
            turn_on(piece->quat, piece->axis, axis);
            memcpy(piece->axis, axis, sizeof axis);
        }
        if (fabs(length - shown) > 4 * g->frames->tolerance) shown = length;
        for (int c = 0; c < 3; c++)
            piece->places[3 * k + c] = (float)(0.5 * ((double)a[c] + (double)a[3 + c]));
        put_quat(piece->turns + 4 * k, piece->quat, k ? piece->turns + 4 * (k - 1) : NULL);
        piece->scales[3 * k] = piece->scales[3 * k + 1] = 1;
        piece->scales[3 * k + 2] = (float)(shown / unit);
    }
}

static void add_tube(GltfScene *g, const TnSceneTube *tube, const char *name, Piece *piece)
{
    bool cable = tube->kind == TN_TUBE_CABLE;
    double mean = mean_length(g, tube), unit = mean > 0 ? mean : 1;
    TnSceneShape shape = {.type = cable ? TN_GEOM_CAPSULE : TN_GEOM_CYLINDER,
                          .mesh = -1,
                          .size = {tube->radius, unit / 2}};
    memcpy(shape.rgba, tube->rgba, sizeof shape.rgba);
    int group = gltf_node(&g->gltf, name, 0), mesh = gltf_add_shape(g, &shape);
    for (int i = 0; i + 1 < tube->point_count && !g->gltf.failed; i++) {
        char label[64];
        snprintf(label, sizeof label, "%s.%d", name, i);
        int node = gltf_node(&g->gltf, label, group);
        if (node < 0) return;
        follow_piece(g, piece, tube->point_start + i, unit);
        g->gltf.nodes[node].mesh = mesh;
        memcpy(g->gltf.nodes[node].translation, piece->places, 3 * sizeof(float));
        memcpy(g->gltf.nodes[node].rotation, piece->turns, 4 * sizeof(float));
        memcpy(g->gltf.nodes[node].scale, piece->scales, 3 * sizeof(float));
        add_channel(g, node, GLTF_TRANSLATION, piece->places, 3);
        add_channel(g, node, GLTF_ROTATION, piece->turns, 4);
        add_channel(g, node, GLTF_SCALE, piece->scales, 3);
    }
}

void gltf_add_tubes(GltfScene *g)
{
    size_t count = (size_t)g->frames->count;
    Piece piece = {.places = room_for(g, 3 * count, sizeof(float)),
                   .turns = room_for(g, 4 * count, sizeof(float)),
                   .scales = room_for(g, 3 * count, sizeof(float))};
    for (int i = 0, numbers[2] = {0, 0}; i < g->scene->tube_count && !g->gltf.failed; i++) {
        const TnSceneTube *tube = &g->scene->tubes[i];
        bool cable = tube->kind == TN_TUBE_CABLE;
        char name[32];
        snprintf(name, sizeof name, "%s%d", cable ? "cable" : "tendon", ++numbers[cable]);
        if (tube->point_count >= 2 && tube->radius > 0 && tube->rgba[3] > 0)
            add_tube(g, tube, name, &piece);
    }
    free(piece.places);
    free(piece.turns);
    free(piece.scales);
}

/* ---- surfaces ---- */

/* Which frames become targets: all, or TARGETS of them, the first and the last among them. */
static int target_frame(int frames, int targets, int index)
{
    return targets == frames
               ? index
               : (int)((int64_t)index * (frames - 1) / (targets > 1 ? targets - 1 : 1));
}

typedef struct Skin {
    SurfacePlan plan;
    SoftMesh mesh;
    uint16_t (*colors)[4];
    float *first, *now; /* places, then normals: 6 × vertices */
} Skin;

/* Places and normals at a frame into `out`. */
static bool draw_skin(Skin *skin, const GltfScene *g, const TnSceneSurface *surface, int frame,
                      float *out)
{
    int count = skin->plan.vertex_count;
    soft_clear(&skin->mesh);
    if (!surface_add(&skin->mesh, &skin->plan, point_at(g, frame, surface->point_start), NULL,
                     (const uint16_t(*)[4])skin->colors, 0))
        return false;
    for (int i = 0; i < count; i++) {
        memcpy(out + 3 * i, skin->mesh.vertices[i].pos, 3 * sizeof(float));
        memcpy(out + 3 * (count + i), skin->mesh.vertices[i].normal, 3 * sizeof(float));
    }
    return true;
}

static void add_weights(GltfScene *g, int node, int targets)
{
    size_t frames = (size_t)targets, numbers = frames * (frames - 1);
    float *times = room_for(g, frames, sizeof *times);
    float *weights = room_for(g, numbers, sizeof *weights);
    if (times && weights) {
        memset(weights, 0, numbers * sizeof *weights);
        for (size_t k = 0; k < frames; k++) {
            int frame = target_frame(g->frames->count, targets, (int)k);
            times[k] = (float)(g->frames->times[frame] - g->frames->times[0]);
            if (k > 0) weights[k * (frames - 1) + k - 1] = 1;
        }
        int input = gltf_floats(&g->gltf, times, targets, 1, GLTF_NUMBERS, true);
        int output = gltf_floats(&g->gltf, weights, (int)numbers, 1, GLTF_NUMBERS, false);
        gltf_channel(&g->gltf, node, GLTF_WEIGHTS, input, output);
    }
    free(times);
    free(weights);
}

static void add_surface(GltfScene *g, const TnSceneSurface *surface, int node, Skin *skin)
{
    int vertices = skin->plan.vertex_count, numbers = 6 * vertices;
    bool sheet = surface->tetrahedron_count == 0;
    bool fine = draw_skin(skin, g, surface, 0, skin->first);
    Gltf *gltf = &g->gltf;
    GltfGeometry geometry = {
        .positions = gltf_floats(gltf, skin->first, vertices, 3, GLTF_VERTICES, true),
        .normals = gltf_floats(gltf, skin->first + 3 * vertices, vertices, 3, GLTF_VERTICES, false),
        .places = -1,
        .indices = gltf_indices(gltf, skin->plan.indices, skin->plan.index_count)};
    int mesh = gltf_mesh(gltf, &geometry, gltf_add_material(g, surface->rgba, 0, sheet));
    if (gltf->failed) return;
    gltf->nodes[node].mesh = mesh;
    int frames = g->frames->count, targets = frames < TARGETS + 1 ? frames : TARGETS + 1;
    for (int k = 1; k < targets && fine && !gltf->failed; k++) {
        fine = draw_skin(skin, g, surface, target_frame(frames, targets, k), skin->now);
        for (int i = 0; i < numbers; i++) skin->now[i] -= skin->first[i];
        int places = gltf_floats(gltf, skin->now, vertices, 3, GLTF_VERTICES, true);
        int normals =
            gltf_floats(gltf, skin->now + 3 * vertices, vertices, 3, GLTF_VERTICES, false);
        gltf_target(gltf, places, normals);
    }
    if (targets > 1) add_weights(g, node, targets);
    if (targets < frames) g->target_frames = targets;
    gltf->failed |= !fine;
}

void gltf_add_surfaces(GltfScene *g)
{
    for (int i = 0; i < g->scene->surface_count && !g->gltf.failed; i++) {
        const TnSceneSurface *surface = &g->scene->surfaces[i];
        char buffer[64];
        Skin skin = {0};
        if (!(surface->rgba[3] > 0) || !surface->triangle_count) continue;
        int node = gltf_node(&g->gltf, export_surface_name(g->scene, i, buffer, sizeof buffer), 0);
        bool fine =
            surface_plan(&skin.plan, surface, g->scene->point_subsystems + surface->point_start);
        size_t count = fine ? (size_t)skin.plan.vertex_count : 0;
        skin.colors = calloc(count + 1, sizeof *skin.colors);
        skin.first = room_for(g, 6 * count, sizeof *skin.first);
        skin.now = room_for(g, 6 * count, sizeof *skin.now);
        if (!fine || !skin.colors) g->gltf.failed = true;
        if (count && !g->gltf.failed) add_surface(g, surface, node, &skin);
        if (fine) surface_plan_free(&skin.plan);
        soft_free(&skin.mesh);
        free(skin.colors);
        free(skin.first);
        free(skin.now);
    }
}
