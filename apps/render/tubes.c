/* tubes.c: a smooth tube through the points of a cable.
 *
 * The middle line is a Catmull-Rom curve. Rings stand at right angles to it; their frames are
 * carried on by double reflection, which turns them as little as possible, so that the tube never
 * looks wrung. Both ends are half spheres. The piece from a point to the next has the colour of the
 * first; where two pieces differ, their ring is made twice, once in each colour. */
#include "soft.h"
#include "vec.h"

#include <string.h>

#define PI 3.14159265358979323846

enum { MAX_SIDES = 64 };

void tube_frame_advance(TubeFrame *frame, const double pos[3], const double tangent[3])
{
    /* Reflect in the plane half way between the two places, then in the one that takes the
     * reflected tangent to the new one. */
    double between[3], normal[3], reflected[3], correction[3];
    for (int k = 0; k < 3; k++) between[k] = pos[k] - frame->pos[k];
    double length2 = dot3(between, between);
    double share_normal = length2 > 0 ? 2 * dot3(between, frame->normal) / length2 : 0;
    double share_tangent = length2 > 0 ? 2 * dot3(between, frame->tangent) / length2 : 0;
    for (int k = 0; k < 3; k++) {
        normal[k] = frame->normal[k] - share_normal * between[k];
        reflected[k] = frame->tangent[k] - share_tangent * between[k];
        correction[k] = tangent[k] - reflected[k];
    }
    length2 = dot3(correction, correction);
    double share = length2 > 1e-24 ? 2 * dot3(correction, normal) / length2 : 0;
    for (int k = 0; k < 3; k++) normal[k] -= share * correction[k];
    /* Rounding, and places that coincide, must not let the frame lean. */
    double lean = dot3(normal, tangent);
    for (int k = 0; k < 3; k++) normal[k] -= lean * tangent[k];
    if (normalize3(normal) < 1e-9) perpendicular3(normal, tangent);
    memcpy(frame->pos, pos, 3 * sizeof *pos);
    memcpy(frame->tangent, tangent, 3 * sizeof *tangent);
    memcpy(frame->normal, normal, sizeof normal);
}

/* Place and direction of travel on the piece from point i to i + 1. */
static void curve_at(const float *points, int count, int i, double t, double pos[3],
                     double tangent[3])
{
    for (int k = 0; k < 3; k++) {
        double b = points[3 * i + k], c = points[3 * i + 3 + k];
        /* beyond the ends the line is mirrored */
        double a = i > 0 ? points[3 * i - 3 + k] : 2 * b - c;
        double d = i + 2 < count ? points[3 * i + 6 + k] : 2 * c - b;
        double m0 = (c - a) / 2, m1 = (d - b) / 2;
        double p2 = 3 * (c - b) - 2 * m0 - m1, p3 = 2 * (b - c) + m0 + m1;
        pos[k] = b + t * (m0 + t * (p2 + t * p3));
        tangent[k] = m0 + t * (2 * p2 + t * 3 * p3);
    }
}

typedef struct Circle {
    double cosine[MAX_SIDES + 1], sine[MAX_SIDES + 1];
    int sides;
} Circle;

static void add_ring(SoftMesh *mesh, const TubeFrame *frame, const Circle *circle,
                     const TubeLook *look, const uint16_t color[4], double polar, bool first)
{
    double binormal[3];
    cross3(binormal, frame->tangent, frame->normal);
    double out = cos(polar), along = sin(polar); /* of the normal; 0: the tube itself */
    uint32_t start = (uint32_t)mesh->vertex_count, turn = (uint32_t)circle->sides + 1;
    for (int i = 0; i <= circle->sides; i++) {
        SoftVertex *vertex = &mesh->vertices[mesh->vertex_count++];
        for (int k = 0; k < 3; k++) {
            double normal =
                out * (circle->cosine[i] * frame->normal[k] + circle->sine[i] * binormal[k]) +
                along * frame->tangent[k];
            vertex->normal[k] = (float)normal;
            vertex->pos[k] = (float)(frame->pos[k] + look->radius * normal);
        }
        memcpy(vertex->color, color, sizeof vertex->color);
        vertex->level = -1;
        vertex->id = look->id;
    }
    for (uint32_t i = 0; !first && i + 1 < turn; i++) {
        uint32_t a = start - turn + i, b = start + i;
        uint32_t corners[6] = {a, a + 1, b + 1, a, b + 1, b};
        memcpy(mesh->indices + mesh->index_count, corners, sizeof corners);
        mesh->index_count += 6;
    }
}

static bool same_color(const uint16_t a[4], const uint16_t b[4])
{
    return memcmp(a, b, 4 * sizeof *a) == 0;
}

bool tube_add(SoftMesh *mesh, const float *points, int count, const TubeLook *look)
{
    if (count < 2) return true;
    Circle circle = {.sides = look->sides > MAX_SIDES ? MAX_SIDES : look->sides};
    for (int i = 0; i <= circle.sides; i++) {
        circle.cosine[i] = cos(2 * PI * (i % circle.sides) / circle.sides);
        circle.sine[i] = sin(2 * PI * (i % circle.sides) / circle.sides);
    }
    int cap = circle.sides / 4 < 2 ? 2 : circle.sides / 4;
    int64_t rings = (int64_t)(count - 1) * (look->steps + 1) + 1 + 2 * cap;
    int64_t need = rings * (circle.sides + 1) * 6;
    if (need > INT32_MAX || !soft_reserve(mesh, (int)(need / 6), (int)need)) return false;

    TubeFrame frame;
    double pos[3], tangent[3];
    curve_at(points, count, 0, 0, frame.pos, frame.tangent);
    if (normalize3(frame.tangent) <= 0) frame.tangent[2] = 1;
    perpendicular3(frame.normal, frame.tangent);
    for (int i = 0; i < cap; i++)
        add_ring(mesh, &frame, &circle, look, look->colors[0], -PI / 2 * (cap - i) / cap, i == 0);
    add_ring(mesh, &frame, &circle, look, look->colors[0], 0, false);
    for (int i = 0; i + 1 < count; i++) {
        for (int step = 1; step <= look->steps; step++) {
            curve_at(points, count, i, (double)step / look->steps, pos, tangent);
            if (normalize3(tangent) <= 0) memcpy(tangent, frame.tangent, sizeof tangent);
            tube_frame_advance(&frame, pos, tangent);
            add_ring(mesh, &frame, &circle, look, look->colors[i], 0, false);
        }
        if (i + 2 < count && !same_color(look->colors[i], look->colors[i + 1]))
            add_ring(mesh, &frame, &circle, look, look->colors[i + 1], 0, true);
    }
    for (int i = 1; i <= cap; i++)
        add_ring(mesh, &frame, &circle, look, look->colors[count - 2], PI / 2 * i / cap, false);
    return true;
}
