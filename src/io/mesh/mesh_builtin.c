/* mesh_builtin.c: meshes that MJCF names instead of drawing them: <mesh builtin="…" params="…">.
 *
 * Vertices, triangles and their order are MuJoCo's. A wedge and a cone have vertices alone: they
 * are their hulls.
 *
 *   sphere       subdivision: an icosahedron whose triangles are cut in four so many times
 *   hemisphere   resolution N - 1: points with |x| + |y| + z = N on whole numbers, with a cap
 *   cone         sides, radius of the top: rings of radius 1 and of this at z = ∓1
 *   supersphere  resolution, e, n: rings of x = c(φ, n) c(θ, e), y = c(φ, n) s(θ, e), z = s(φ, n)
 *   supertorus   resolution, r, s, t: x, y = (1 + r c(φ, s)) (c, s)(θ, t), z = r s(φ, s)
 *   wedge        resolutions, fields of view (degrees), γ: directions of a grid of pixels; γ draws
 *                them to the middle
 *   plate        resolutions: centres of pixels of the square at z = -1
 *
 * with c(α, k) and s(α, k) the cosine and sine to the power k, sign kept. */
#include "mesh_file.h"

#include "../../base/base.h"

#include <math.h>
#include <string.h>

typedef struct Maker {
    TnMeshFile *out;
    TnMeshList vertices, corners; /* double, int32_t */
    bool failed;                  /* no memory */
} Maker;

static int32_t add_vertex(Maker *m, double x, double y, double z)
{
    const double p[3] = {x, y, z};
    for (int k = 0; k < 3; k++) m->failed |= !tn_mesh_list_add(&m->vertices, sizeof p[k], &p[k]);
    return (int32_t)(m->vertices.count / 3) - 1;
}

static void add_triangle(Maker *m, int32_t a, int32_t b, int32_t c)
{
    const int32_t corners[3] = {a, b, c};
    for (int k = 0; k < 3; k++)
        m->failed |= !tn_mesh_list_add(&m->corners, sizeof corners[k], &corners[k]);
}

static int32_t add_unit(Maker *m, double x, double y, double z)
{
    double length = sqrt(x * x + y * y + z * z);
    return add_vertex(m, x / length, y / length, z / length);
}

/* ---- sphere ---- */

/* The vertex between two, which the triangle on the other side may have made. */
static int32_t middle_of(Maker *m, int32_t (*known)[3], size_t *known_count, int32_t a, int32_t b)
{
    int32_t low = a < b ? a : b, high = a < b ? b : a;
    for (size_t i = *known_count; i-- > 0;)
        if (known[i][0] == low && known[i][1] == high) return known[i][2];
    if (m->failed) return 0;
    const double *v = m->vertices.data, *p = v + 3 * (size_t)a, *q = v + 3 * (size_t)b;
    int32_t *entry = known[(*known_count)++];
    entry[0] = low, entry[1] = high;
    return entry[2] = add_unit(m, p[0] + q[0], p[1] + q[1], p[2] + q[2]);
}

static void subdivide(Maker *m)
{
    TnMeshList old = m->corners;
    size_t known_count = 0;
    int32_t(*known)[3] = tn_malloc(sizeof *known * (old.count + 1));
    m->corners = (TnMeshList){0};
    m->failed |= !known;
    for (size_t i = 0; i + 2 < old.count && !m->failed; i += 3) {
        const int32_t *t = (const int32_t *)old.data + i;
        int32_t mid[3];
        for (int k = 0; k < 3; k++)
            mid[k] = middle_of(m, known, &known_count, t[k], t[(k + 1) % 3]);
        for (int k = 0; k < 3; k++) add_triangle(m, t[k], mid[k], mid[(k + 2) % 3]);
        add_triangle(m, mid[0], mid[1], mid[2]);
    }
    tn_free(known);
    tn_free(old.data);
}

static void make_sphere(Maker *m, const double *params)
{
    static const int32_t faces[20][3] = {
        {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
        {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
        {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};
    double g = 0.5 * (1.0 + sqrt(5.0)); /* golden ratio */
    for (int plane = 0; plane < 3; plane++)
        for (int k = 0; k < 4; k++) {
            double p[3] = {0.0, 0.0, 0.0}, one = k % 2 ? 1.0 : -1.0, far = k / 2 ? -g : g;
            p[plane] = one;
            p[(plane + 1) % 3] = far;
            add_unit(m, p[0], p[1], p[2]);
        }
    for (int i = 0; i < 20; i++) add_triangle(m, faces[i][0], faces[i][1], faces[i][2]);
    for (int k = 0; k < (int)params[0] && !m->failed; k++) subdivide(m);
}

/* ---- hemisphere ---- */

/* Number of one of a ring's 4 · ring vertices. */
static int32_t ring_vertex(int ring, int quadrant, int k)
{
    if (ring == 0) return 0;
    return (int32_t)(1 + 2 * ring * (ring - 1) + (quadrant * ring + k) % (4 * ring));
}

static void make_hemisphere(Maker *m, const double *params)
{
    int count = (int)params[0] + 1;
    add_vertex(m, 0.0, 0.0, 1.0);
    for (int ring = 1; ring <= count; ring++)
        for (int i = 0; i < 4 * ring; i++) {
            int quadrant = i / ring, k = i % ring, x = ring - k, y = k;
            const int turned[4][2] = {{x, y}, {-y, x}, {-x, -y}, {y, -x}};
            add_unit(m, turned[quadrant][0], turned[quadrant][1], count - ring);
        }
    int32_t centre = add_vertex(m, 0.0, 0.0, 0.0);
    for (int ring = 0; ring < count; ring++)
        for (int quadrant = 0; quadrant < 4; quadrant++)
            for (int k = 0; k <= ring; k++) {
                int32_t inner = ring_vertex(ring, quadrant, k);
                int32_t next = ring_vertex(ring + 1, quadrant, k + 1);
                add_triangle(m, inner, ring_vertex(ring + 1, quadrant, k), next);
                if (k < ring) add_triangle(m, inner, next, ring_vertex(ring, quadrant, k + 1));
            }
    for (int k = 0; k < 4 * count; k++)
        add_triangle(m, ring_vertex(count, 0, k), centre, ring_vertex(count, 0, k + 1));
}

/* ---- others ---- */

static void make_cone(Maker *m, const double *params)
{
    int sides = (int)params[0];
    for (int k = 0; k < sides; k++)
        add_vertex(m, cos(2.0 * TN_PI * k / sides), sin(2.0 * TN_PI * k / sides), -1.0);
    if (params[1] == 0.0) {
        add_vertex(m, 0.0, 0.0, 1.0);
        return;
    }
    for (int k = 0; k < sides; k++)
        add_vertex(m, params[1] * cos(2.0 * TN_PI * k / sides),
                   params[1] * sin(2.0 * TN_PI * k / sides), 1.0);
}

static double power(double x, double exponent) { return copysign(pow(fabs(x), exponent), x); }

/* Two triangles between the vertices j and j + 1 of two rings of `count` that start at a and b. */
static void add_band(Maker *m, int32_t a, int32_t b, int count)
{
    for (int32_t j = 0; j < count; j++) {
        int32_t next = (j + 1) % count;
        add_triangle(m, a + j, a + next, b + j);
        add_triangle(m, a + next, b + next, b + j);
    }
}

static void make_supersphere(Maker *m, const double *params)
{
    int count = (int)params[0];
    double e = params[1], n = params[2];
    add_vertex(m, 0.0, 0.0, -1.0);
    for (int i = 1; i < count; i++)
        for (int j = 0; j < count; j++) {
            double phi = TN_PI * (i - 0.5 * count) / count,
                   theta = TN_PI * (2.0 * j - count) / count;
            double ring = power(cos(phi), n);
            add_vertex(m, ring * power(cos(theta), e), ring * power(sin(theta), e),
                       power(sin(phi), n));
        }
    int32_t top = add_vertex(m, 0.0, 0.0, 1.0), last = top - count;
    for (int32_t j = 0; j < count; j++) add_triangle(m, 0, 1 + (j + 1) % count, 1 + j);
    for (int i = 1; i + 1 < count; i++) add_band(m, 1 + (i - 1) * count, 1 + i * count, count);
    for (int32_t j = 0; j < count; j++) add_triangle(m, last + j, last + (j + 1) % count, top);
}

static void make_supertorus(Maker *m, const double *params)
{
    int count = (int)params[0];
    double radius = params[1], s = params[2], t = params[3];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            double theta = 2.0 * TN_PI * i / count, phi = 2.0 * TN_PI * j / count;
            double ring = 1.0 + radius * power(cos(phi), s);
            add_vertex(m, ring * power(cos(theta), t), ring * power(sin(theta), t),
                       radius * power(sin(phi), s));
        }
    for (int i = 0; i < count; i++)
        for (int32_t j = 0; j < count; j++) {
            int32_t a = i * count, b = (i + 1) % count * count, next = (j + 1) % count;
            add_triangle(m, a + j, b + j, a + next);
            add_triangle(m, b + j, b + next, a + next);
        }
}

/* Centre of a pixel, -1 … 1, between edges that γ draws to the middle. */
static double pixel(int i, int count, double gamma)
{
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        double edge = 2.0 * (i + k) / count - 1.0;
        sum += (1.0 - gamma) * edge + gamma * pow(edge, 5);
    }
    return 0.5 * sum;
}

static void make_wedge(Maker *m, const double *params)
{
    int across = (int)params[0], up = (int)params[1];
    for (int i = 0; i < across; i++)
        for (int j = 0; j < up; j++) {
            double azimuth = TN_PI / 180.0 * params[2] * pixel(i, across, params[4]);
            double elevation = TN_PI / 180.0 * params[3] * pixel(j, up, params[4]);
            add_vertex(m, sin(azimuth) * cos(elevation), sin(elevation),
                       -cos(azimuth) * cos(elevation));
        }
}

static void make_plate(Maker *m, const double *params)
{
    int across = (int)params[0], up = (int)params[1];
    for (int i = 0; i < across; i++)
        for (int j = 0; j < up; j++) add_vertex(m, pixel(i, across, 0.0), pixel(j, up, 0.0), -1.0);
    for (int32_t i = 0; i + 1 < across; i++)
        for (int32_t j = 0; j + 1 < up; j++) {
            int32_t a = i * up + j, b = a + up;
            add_triangle(m, a, b, a + 1);
            add_triangle(m, b + 1, a + 1, b);
        }
}

/* ---- which ---- */

typedef struct Bound {
    double low, high;
    bool whole;
} Bound;

static const struct {
    const char *name, *params;
    int count;
    Bound bounds[5];
    void (*make)(Maker *m, const double *params);
} kinds[] = {
    {"sphere", "a subdivision, 0 to 4", 1, {{0, 4, true}}, make_sphere},
    {"hemisphere", "a resolution, 1 to 10", 1, {{1, 10, true}}, make_hemisphere},
    {"cone",
     "the number of sides, at least 3, and the radius of the top, 0 to 1",
     2,
     {{3, 10000, true}, {0, 1, false}},
     make_cone},
    {"supersphere",
     "a resolution, at least 3, and two exponents of 0 or more",
     3,
     {{3, 1000, true}, {0, 1e3, false}, {0, 1e3, false}},
     make_supersphere},
    {"supertorus",
     "a resolution, at least 3, the minor radius, above 0 up to 1, and two exponents above 0",
     4,
     {{3, 1000, true}, {1e-12, 1, false}, {1e-12, 1e3, false}, {1e-12, 1e3, false}},
     make_supertorus},
    {"wedge",
     "two resolutions, fields of view of up to 180 and 90 degrees, and gamma, 0 to 1",
     5,
     {{0, 1000, true}, {0, 1000, true}, {1e-12, 180, false}, {1e-12, 90, false}, {0, 1, false}},
     make_wedge},
    {"plate", "two resolutions", 2, {{0, 1000, true}, {0, 1000, true}}, make_plate},
};

static bool is_within(const Bound *b, double x)
{
    return x >= b->low && x <= b->high && (!b->whole || x == floor(x));
}

bool tn_mesh_builtin(const char *name, const double *params, int count, TnMeshFile *out)
{
    *out = (TnMeshFile){0};
    size_t kind = 0, kind_count = sizeof kinds / sizeof kinds[0];
    while (kind < kind_count && strcmp(kinds[kind].name, name) != 0) kind++;
    if (kind == kind_count)
        return tn_mesh_fault(out, "builtin meshes of this kind are not supported");
    bool good = count == kinds[kind].count;
    for (int k = 0; good && k < count; k++) good = is_within(&kinds[kind].bounds[k], params[k]);
    if (!good) return tn_mesh_fault(out, "params of a %s are %s", name, kinds[kind].params);
    Maker m = {.out = out};
    kinds[kind].make(&m, params);
    out->vertices = m.vertices.data;
    out->triangles = m.corners.data;
    out->vertex_count = (int)(m.vertices.count / 3);
    out->triangle_count = (int)(m.corners.count / 3);
    return !m.failed;
}
