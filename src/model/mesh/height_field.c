/* height_field.c: a height field as a mesh that collides as its triangles.
 *
 * Column c and row r stand at x = (2 c / (columns - 1) - 1) half_x and y likewise. A cell is cut
 * from (r, c) to (r + 1, c + 1), as in MuJoCo. Sides and a bottom close it. */
#include "../builder.h"

typedef struct Field {
    const TnHeightFieldDef *def;
    double *vertices;
    int32_t *triangles;
    size_t vertex_count, triangle_count;
} Field;

static int32_t add_vertex(Field *f, int row, int column, double z)
{
    const TnHeightFieldDef *d = f->def;
    double *v = f->vertices + 3 * f->vertex_count;
    v[0] = (2.0 * column / (d->columns - 1) - 1.0) * d->half[0];
    v[1] = (2.0 * row / (d->rows - 1) - 1.0) * d->half[1];
    v[2] = z;
    return (int32_t)f->vertex_count++;
}

static void add_triangle(Field *f, int32_t a, int32_t b, int32_t c)
{
    int32_t *t = f->triangles + 3 * f->triangle_count++;
    t[0] = a, t[1] = b, t[2] = c;
}

static void add_top(Field *f)
{
    const TnHeightFieldDef *d = f->def;
    for (int r = 0; r < d->rows; r++)
        for (int c = 0; c < d->columns; c++)
            add_vertex(f, r, c, d->heights[(size_t)r * (size_t)d->columns + (size_t)c]);
    for (int32_t r = 0; r + 1 < d->rows; r++)
        for (int32_t c = 0; c + 1 < d->columns; c++) {
            int32_t a = r * d->columns + c, b = a + d->columns;
            add_triangle(f, a, a + 1, b + 1);
            add_triangle(f, a, b + 1, b);
        }
}

/* The rim's vertices in order, counter-clockwise from above. */
static void add_sides(Field *f)
{
    const TnHeightFieldDef *d = f->def;
    int last_row = d->rows - 1, last_column = d->columns - 1, rim = 2 * (last_row + last_column);
    int32_t first = 0, before = 0, top_before = 0, centre = 0;
    for (int k = 0; k <= rim; k++) {
        int i = k % rim, row, column;
        if (i < last_column)
            row = 0, column = i;
        else if (i < last_column + last_row)
            row = i - last_column, column = last_column;
        else if (i < 2 * last_column + last_row)
            row = last_row, column = 2 * last_column + last_row - i;
        else
            row = rim - i, column = 0;
        int32_t top = row * d->columns + column, low = first;
        if (k < rim) low = add_vertex(f, row, column, -d->base);
        if (k == 0) {
            first = low;
            centre = add_vertex(f, 0, 0, -d->base);
            f->vertices[3 * centre] = f->vertices[3 * centre + 1] = 0.0;
        } else {
            add_triangle(f, top_before, before, low);
            add_triangle(f, top_before, low, top);
            add_triangle(f, low, before, centre);
        }
        before = low;
        top_before = top;
    }
}

static bool is_good(const TnHeightFieldDef *d)
{
    size_t most = (size_t)1 << 27; /* of vertices */
    return d->rows >= 2 && d->columns >= 2 && d->heights && (size_t)d->rows < most &&
           (size_t)d->columns < most / (size_t)d->rows && d->half[0] > 0.0 && d->half[1] > 0.0 &&
           d->base >= 0.0;
}

TnMeshId tn_builder_add_height_field(TnModelBuilder *builder, const TnHeightFieldDef *def)
{
    if (!builder || !def) return 0;
    if (!is_good(def)) return 0;
    size_t rows = (size_t)def->rows, columns = (size_t)def->columns, rim = 2 * (rows + columns - 2);
    Field f = {.def = def};
    f.vertices = tn_malloc(3 * (rows * columns + rim + 1) * sizeof *f.vertices);
    f.triangles = tn_malloc(3 * (2 * (rows - 1) * (columns - 1) + 3 * rim) * sizeof *f.triangles);
    TnMeshId id = 0;
    if (f.vertices && f.triangles) {
        add_top(&f);
        add_sides(&f);
        TnMeshDef mesh = tn_mesh_def();
        mesh.name = def->name;
        mesh.vertices = f.vertices;
        mesh.vertex_count = (int)f.vertex_count;
        mesh.triangles = f.triangles;
        mesh.triangle_count = (int)f.triangle_count;
        mesh.inertia = TN_MESH_LEGACY;
        mesh.collision = TN_MESH_COLLIDE_TRIANGLES;
        mesh.file = def->file;
        mesh.source = def->source;
        id = tn_builder_add_mesh(builder, &mesh);
    }
    tn_free(f.vertices);
    tn_free(f.triangles);
    return id;
}
