/* mesh_dae.c: COLLADA files.
 *
 *   <asset> <unit meter="0.01"/> <up_axis>Y_UP</up_axis>
 *   <library_geometries> <geometry id> <mesh>
 *     <source id> <float_array/> <accessor source count stride offset/>
 *     <vertices id> <input semantic="POSITION" source="#source"/>
 *     <triangles|polylist|polygons|trifans|tristrips material> <input semantic="VERTEX"
 *       source="#vertices" offset/> <vcount/> <p/>
 *   <library_visual_scenes> <visual_scene id> <node> <matrix|translate|rotate|scale/>
 *     <instance_geometry url="#geometry"/> <instance_node url/> <node/>…
 *   <scene> <instance_visual_scene url/>
 *
 * Nodes multiply their transforms. The result is in metres with z up, from the file's unit and
 * axis. Polygons are cut into triangles from their first corner. */
#include "mesh_dae.h"
#include "../xml_dom.h"

#include "../../base/base.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Nodes may instance each other, in a circle or many times over. */
enum { DEPTH_LIMIT = 200, NODE_LIMIT = 100000, NUMBER_LIMIT = 300000000 };

typedef struct Matrix {
    double a[12]; /* three rows: rotation and scale, then the shift */
} Matrix;

typedef struct Reader {
    TnMeshFile *out;
    const TnXmlElement *root;
    TnMeshList vertices, corners; /* double, int32_t */
    double *rgba;
    bool *has_color;
    int node_count;
} Reader;

static const Matrix identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};

static Matrix multiply(const Matrix *m, const Matrix *n)
{
    Matrix out;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++) {
            double sum = c == 3 ? m->a[4 * r + 3] : 0;
            for (int k = 0; k < 3; k++) sum += m->a[4 * r + k] * n->a[4 * k + c];
            out.a[4 * r + c] = sum;
        }
    return out;
}

static bool mirrors(const Matrix *m)
{
    const double *a = m->a;
    return a[0] * (a[5] * a[10] - a[6] * a[9]) - a[1] * (a[4] * a[10] - a[6] * a[8]) +
               a[2] * (a[4] * a[9] - a[5] * a[8]) <
           0;
}

/* ---- the tree ---- */

static bool is(const TnXmlElement *e, const char *name) { return strcmp(e->name, name) == 0; }

static const TnXmlElement *child(const TnXmlElement *e, const char *name)
{
    for (const TnXmlElement *c = e ? e->first : NULL; c; c = c->next)
        if (is(c, name)) return c;
    return NULL;
}

static const char *attr(const TnXmlElement *e, const char *name)
{
    const TnXmlAttr *found = tn_xml_attr(e, name);
    return found ? found->value : "";
}

static const TnXmlElement *find_id(const TnXmlElement *e, const char *id)
{
    if (strcmp(attr(e, "id"), id) == 0) return e;
    for (const TnXmlElement *c = e->first; c; c = c->next) {
        const TnXmlElement *found = find_id(c, id);
        if (found) return found;
    }
    return NULL;
}

/* What "#id" names; NULL: nothing. */
static const TnXmlElement *refer(const Reader *r, const TnXmlElement *e, const char *name)
{
    const char *url = attr(e, name);
    return url[0] == '#' && url[1] ? find_id(r->root, url + 1) : NULL;
}

/* Reads numbers of an element's text, at most `most`; how many it found, or -1 at other words. */
static long read_numbers(const TnXmlElement *e, double *out, long most)
{
    const char *at = e && e->text ? e->text : "";
    long count = 0;
    for (;;) {
        at += strspn(at, " \t\r\n");
        size_t length = strcspn(at, " \t\r\n");
        if (length == 0) return count;
        double value;
        if (!tn_mesh_number(at, length, &value)) return -1;
        if (count < most) out[count] = value;
        count++;
        at += length;
    }
}

/* All numbers of a text, heap; NULL after a fault. */
static double *number_list(Reader *r, const TnXmlElement *e, long *count)
{
    size_t room = e && e->text ? strlen(e->text) / 2 + 2 : 1;
    double *list = tn_malloc(room * sizeof *list);
    *count = 0;
    if (!list) return NULL;
    *count = read_numbers(e, list, (long)room);
    if (*count >= 0) return list;
    tn_free(list);
    tn_mesh_fault(r->out, "line %d: <%.40s> has something that is no number", e->line, e->name);
    return NULL;
}

/* ---- one mesh ---- */

typedef struct Positions {
    double *numbers;
    long count, stride, offset; /* vertices; numbers from one to the next, before the first */
} Positions;

static long whole(const TnXmlElement *e, const char *name, long otherwise)
{
    const char *text = attr(e, name);
    long value = 0;
    if (!text[0]) return otherwise;
    for (; *text >= '0' && *text <= '9' && value < INT_MAX / 10; text++)
        value = 10 * value + (*text - '0');
    return value;
}

static bool read_positions(Reader *r, const TnXmlElement *source, Positions *out)
{
    const TnXmlElement *accessor = child(child(source, "technique_common"), "accessor");
    const TnXmlElement *array = accessor ? refer(r, accessor, "source") : NULL;
    if (!array) array = child(source, "float_array");
    if (!array) return tn_mesh_fault(r->out, "line %d: positions without numbers", source->line);
    long count;
    out->numbers = number_list(r, array, &count);
    if (!out->numbers) return false;
    out->stride = accessor ? whole(accessor, "stride", 1) : 3;
    out->offset = accessor ? whole(accessor, "offset", 0) : 0;
    if (out->stride < 3 || out->offset > count)
        return tn_mesh_fault(r->out, "line %d: positions need three numbers each", source->line);
    long room = (count - out->offset + out->stride - 3) / out->stride;
    out->count = accessor ? whole(accessor, "count", room) : room;
    if (out->count > room)
        return tn_mesh_fault(r->out, "line %d: %ld positions are announced, %ld are there",
                             source->line, out->count, room);
    return true;
}

static const TnXmlElement *input_of(const TnXmlElement *e, const char *semantic)
{
    for (const TnXmlElement *c = e->first; c; c = c->next)
        if (is(c, "input") && strcmp(attr(c, "semantic"), semantic) == 0) return c;
    return NULL;
}

static bool add_vertices(Reader *r, const Positions *p, const Matrix *m)
{
    if (r->vertices.count > NUMBER_LIMIT) return tn_mesh_fault(r->out, "it is too large");
    for (long i = 0; i < p->count; i++) {
        const double *v = p->numbers + p->offset + i * p->stride;
        for (int k = 0; k < 3; k++) {
            const double *row = m->a + 4 * k;
            double moved = row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3];
            if (!tn_mesh_list_add(&r->vertices, sizeof moved, &moved)) return false;
        }
    }
    return true;
}

typedef struct Corners {
    long first;     /* of the mesh's vertices among all */
    long count;     /* of the mesh's vertices */
    long width, at; /* numbers per corner, and which of them is the vertex */
    bool mirrored;
    const TnXmlElement *element;
} Corners;

static bool add_triangle(Reader *r, const Corners *c, const double *a, const double *b,
                         const double *d)
{
    const double *corners[3] = {a, c->mirrored ? d : b, c->mirrored ? b : d};
    for (int i = 0; i < 3; i++) {
        double index = corners[i][c->at];
        if (!(index >= 0 && index < (double)c->count && index == floor(index)))
            return tn_mesh_fault(r->out, "line %d: a corner is vertex %g; there are %ld",
                                 c->element->line, index, c->count);
        int32_t corner = (int32_t)(c->first + (long)index);
        if (!tn_mesh_list_add(&r->corners, sizeof corner, &corner)) return false;
    }
    return true;
}

/* A polygon, or a fan, of n corners; a strip turns every other triangle. */
static bool add_polygon(Reader *r, const Corners *c, const double *p, long n, bool strip)
{
    long w = c->width;
    for (long k = 1; k + 1 < n; k++) {
        bool odd = strip && k % 2 == 0;
        const double *a = strip ? p + (k - 1) * w : p, *b = p + k * w, *d = p + (k + 1) * w;
        if (!add_triangle(r, c, a, odd ? d : b, odd ? b : d)) return false;
    }
    return true;
}

static bool add_list(Reader *r, const Corners *c, const TnXmlElement *e, const double *p,
                     long corners)
{
    if (is(e, "triangles")) {
        if (corners % 3 != 0)
            return tn_mesh_fault(r->out, "line %d: triangles need three corners each", e->line);
        for (long k = 0; k + 2 < corners; k += 3)
            if (!add_polygon(r, c, p + k * c->width, 3, false)) return false;
        return true;
    }
    if (!is(e, "polylist")) return add_polygon(r, c, p, corners, is(e, "tristrips"));
    long count, used = 0;
    double *sizes = number_list(r, child(e, "vcount"), &count);
    bool good = sizes != NULL;
    for (long k = 0; k < count && good; k++) {
        long n = sizes[k] >= 0 && sizes[k] <= (double)(corners - used) ? (long)sizes[k] : -1;
        good = n >= 0 ? add_polygon(r, c, p + used * c->width, n, false)
                      : tn_mesh_fault(r->out, "line %d: vcount speaks of more corners than p has",
                                      e->line);
        used += n;
    }
    tn_free(sizes);
    return good;
}

static bool add_primitive(Reader *r, const TnXmlElement *e, Corners c)
{
    const TnXmlElement *vertex = input_of(e, "VERTEX");
    if (!vertex) return tn_mesh_fault(r->out, "line %d: no input is a VERTEX", e->line);
    c.element = e;
    c.at = whole(vertex, "offset", 0);
    for (const TnXmlElement *i = e->first; i; i = i->next)
        if (is(i, "input") && whole(i, "offset", 0) >= c.width) c.width = whole(i, "offset", 0) + 1;
    bool good = true;
    for (const TnXmlElement *list = e->first; list && good; list = list->next) {
        const TnXmlElement *p = is(list, "ph") ? child(list, "p") : list; /* holes are closed */
        if (!p || !is(p, "p")) continue;
        long count;
        double *numbers = number_list(r, p, &count);
        good = numbers && add_list(r, &c, e, numbers, count / c.width);
        tn_free(numbers);
    }
    return good;
}

static bool is_primitive(const TnXmlElement *e)
{
    return is(e, "triangles") || is(e, "polylist") || is(e, "polygons") || is(e, "trifans") ||
           is(e, "tristrips");
}

/* The diffuse colour behind a symbol: instance_material, material, effect. */
static void read_color(Reader *r, const TnXmlElement *instance, const char *symbol)
{
    if (*r->has_color || !symbol[0]) return;
    const TnXmlElement *bind = child(child(instance, "bind_material"), "technique_common");
    const TnXmlElement *material = NULL;
    for (const TnXmlElement *e = bind ? bind->first : NULL; e && !material; e = e->next)
        if (is(e, "instance_material") && strcmp(attr(e, "symbol"), symbol) == 0)
            material = refer(r, e, "target");
    if (!material) material = find_id(r->root, symbol);
    const TnXmlElement *effect = child(material, "instance_effect");
    effect = effect ? refer(r, effect, "url") : NULL;
    const TnXmlElement *technique = child(child(effect, "profile_COMMON"), "technique");
    for (const TnXmlElement *e = technique ? technique->first : NULL; e; e = e->next) {
        const TnXmlElement *color = child(child(e, "diffuse"), "color");
        if (!color || read_numbers(color, r->rgba, 4) != 4) continue;
        *r->has_color = true;
        return;
    }
}

static bool add_mesh(Reader *r, const TnXmlElement *instance, const TnXmlElement *mesh,
                     const Matrix *m)
{
    const TnXmlElement *vertices = child(mesh, "vertices");
    const TnXmlElement *input = vertices ? input_of(vertices, "POSITION") : NULL;
    const TnXmlElement *source = input ? refer(r, input, "source") : NULL;
    if (!source) return tn_mesh_fault(r->out, "line %d: a mesh without positions", mesh->line);
    Positions p = {0};
    Corners c = {.first = (long)(r->vertices.count / 3), .width = 1, .mirrored = mirrors(m)};
    bool good = read_positions(r, source, &p) && add_vertices(r, &p, m);
    c.count = p.count;
    for (const TnXmlElement *e = mesh->first; e && good; e = e->next) {
        if (!is_primitive(e)) continue;
        read_color(r, instance, attr(e, "material"));
        good = add_primitive(r, e, c);
    }
    tn_free(p.numbers);
    return good;
}

/* ---- the scene ---- */

static bool transform_of(Reader *r, const TnXmlElement *e, Matrix *out)
{
    double n[16];
    *out = identity;
    if (is(e, "matrix")) {
        if (read_numbers(e, n, 16) != 16)
            return tn_mesh_fault(r->out, "line %d: a matrix has 16 numbers", e->line);
        memcpy(out->a, n, sizeof out->a);
    } else if (is(e, "translate") || is(e, "scale")) {
        if (read_numbers(e, n, 3) != 3)
            return tn_mesh_fault(r->out, "line %d: three numbers are needed", e->line);
        for (int k = 0; k < 3; k++) out->a[is(e, "scale") ? 5 * k : 4 * k + 3] = n[k];
    } else if (is(e, "rotate")) {
        if (read_numbers(e, n, 4) != 4)
            return tn_mesh_fault(r->out, "line %d: an axis and an angle are needed", e->line);
        double angle = n[3] * 3.14159265358979323846 / 180, c = cos(angle), s = sin(angle);
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3 && length > 0; k++) n[k] /= length;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                int k = 3 - i - j;
                double cross = i == j ? c : ((j - i + 3) % 3 == 1 ? -s : s) * n[k];
                out->a[4 * i + j] = n[i] * n[j] * (1 - c) + cross;
            }
    }
    return true;
}

static bool add_node(Reader *r, const TnXmlElement *node, const Matrix *outer, int depth)
{
    if (depth > DEPTH_LIMIT || ++r->node_count > NODE_LIMIT)
        return tn_mesh_fault(r->out, "it has more than %d nodes, or %d within each other",
                             NODE_LIMIT, DEPTH_LIMIT);
    Matrix m = *outer, own;
    for (const TnXmlElement *e = node->first; e; e = e->next) {
        if (!transform_of(r, e, &own)) return false;
        m = multiply(&m, &own);
    }
    bool good = true;
    for (const TnXmlElement *e = node->first; e && good; e = e->next) {
        const TnXmlElement *target = NULL;
        if (is(e, "node")) good = add_node(r, e, &m, depth + 1);
        if (is(e, "instance_node") || is(e, "instance_geometry")) target = refer(r, e, "url");
        if (target && is(e, "instance_node")) good = add_node(r, target, &m, depth + 1);
        const TnXmlElement *mesh = target && is(target, "geometry") ? child(target, "mesh") : NULL;
        if (mesh) good = add_mesh(r, e, mesh, &m);
    }
    return good;
}

/* From the file's axes and unit to z up and metres. */
static Matrix start_of(const Reader *r)
{
    const TnXmlElement *asset = child(r->root, "asset"), *up = child(asset, "up_axis");
    const TnXmlElement *unit = child(asset, "unit");
    static const Matrix from_y = {{1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0}};
    static const Matrix from_x = {{0, -1, 0, 0, 0, 0, -1, 0, 1, 0, 0, 0}};
    Matrix m = from_y; /* COLLADA's default */
    if (up && up->text && strstr(up->text, "Z_UP")) m = identity;
    if (up && up->text && strstr(up->text, "X_UP")) m = from_x;
    const char *text = unit ? attr(unit, "meter") : "";
    double meter = 1;
    if (text[0] && tn_mesh_number(text, strlen(text), &meter) && meter > 0)
        for (int i = 0; i < 12; i++) m.a[i] *= meter;
    return m;
}

static bool read_scene(Reader *r)
{
    const TnXmlElement *wanted = child(child(r->root, "scene"), "instance_visual_scene");
    const TnXmlElement *scene = wanted ? refer(r, wanted, "url") : NULL;
    if (!scene) scene = child(child(r->root, "library_visual_scenes"), "visual_scene");
    if (!scene) return tn_mesh_fault(r->out, "it has no visual scene");
    Matrix start = start_of(r);
    bool good = true;
    for (const TnXmlElement *e = scene->first; e && good; e = e->next)
        if (is(e, "node")) good = add_node(r, e, &start, 0);
    if (good && r->corners.count == 0) return tn_mesh_fault(r->out, "it has no triangles");
    if (good && (r->vertices.count > INT_MAX || r->corners.count > INT_MAX))
        return tn_mesh_fault(r->out, "it is too large");
    return good;
}

bool tn_mesh_read_dae(const char *text, size_t size, TnMeshFile *out, double rgba[4],
                      bool *has_color)
{
    *out = (TnMeshFile){0};
    *has_color = false;
    Reader r = {.out = out, .rgba = rgba, .has_color = has_color};
    TnIoPool pool = {0};
    TnError *err = tn_calloc(1, sizeof *err);
    r.root = err ? tn_xml_parse_with_text(&pool, "COLLADA", text, size, err) : NULL;
    bool good = false;
    if (r.root && !is(r.root, "COLLADA"))
        tn_mesh_fault(out, "its root is <%.40s>, so it is no COLLADA file", r.root->name);
    else if (r.root)
        good = read_scene(&r) && !pool.failed;
    else if (err && err->count && !pool.failed)
        tn_mesh_fault(out, "%.150s", err->message);
    if (good) {
        out->vertices = r.vertices.data;
        out->vertex_count = (int)(r.vertices.count / 3);
        out->triangles = r.corners.data;
        out->triangle_count = (int)(r.corners.count / 3);
    } else {
        tn_free(r.vertices.data);
        tn_free(r.corners.data);
    }
    tn_free(err);
    tn_io_pool_free(&pool);
    return good;
}
