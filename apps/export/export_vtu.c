/* What deforms in a recording as VTU files, one per frame, and a PVD file that lists them with
 * their times, for ParaView.
 *
 * NAME.pvd has its frames in the folder NAME beside it. A frame is one unstructured grid: all
 * points of the scene; tetrahedra where a surface has them, else its triangles; tubes as polylines.
 * Points have subsystem, displacement from the shape free of stress, velocity where the state is
 * recorded, and von Mises' stress; tetrahedra have their stress where it is recorded. What is not
 * known of a point or cell is 0. Numbers are base64 with their length in front. The frames are
 * written into a folder of their own, which takes its name only when all are whole. */
#include "../common/app.h"
#include "base64.h"
#include "export.h"
#include "platform/files.h"
#include "platform/process.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers as base64 ---- */

/* Little-endian on any machine. */
static void base64_integer(Base64 *b, uint64_t value, int bytes)
{
    for (int k = 0; k < bytes; k++) base64_byte(b, (unsigned char)(value >> (8 * k)));
}

static void base64_float(Base64 *b, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    base64_integer(b, bits, 4);
}

static Base64 begin_array(FILE *out, const char *type, const char *name, int components,
                          uint64_t bytes)
{
    fprintf(out, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">",
            type, name, components);
    Base64 b = {.out = out};
    base64_integer(&b, bytes, 8);
    return b;
}

static void end_array(Base64 *b)
{
    base64_flush(b);
    fputs("</DataArray>\n", b->out);
}

/* ---- cells ---- */

enum { VTK_POLY_LINE = 4, VTK_TRIANGLE = 5, VTK_TETRA = 10 };

typedef struct Cell {
    int type, corner_count;
    const int32_t *corners; /* NULL: one after the other */
    int point_start;
    float radius;  /* m, of tubes */
    int subsystem; /* < 0: its first point's */
    int tet;       /* number of all tetrahedra, or -1 */
} Cell;

static int surface_cells(const TnSceneSurface *surface)
{
    return surface->tetrahedron_count ? surface->tetrahedron_count : surface->triangle_count;
}

static int64_t count_cells(const TnScene *scene)
{
    int64_t count = 0;
    for (int i = 0; i < scene->surface_count; i++) count += surface_cells(&scene->surfaces[i]);
    for (int i = 0; i < scene->tube_count; i++) count += scene->tubes[i].point_count > 0;
    return count;
}

/* Goes through all cells in a fixed order. */
typedef struct CellWalk {
    const TnScene *scene;
    int part, index; /* surface or, behind those, tube; cell of a surface */
    int tets;        /* so far */
} CellWalk;

static bool next_cell(CellWalk *walk, Cell *cell)
{
    const TnScene *scene = walk->scene;
    while (walk->part < scene->surface_count) {
        const TnSceneSurface *surface = &scene->surfaces[walk->part];
        if (walk->index == surface_cells(surface)) {
            walk->part++;
            walk->index = 0;
            continue;
        }
        bool solid = surface->tetrahedron_count > 0;
        int corners = solid ? 4 : 3;
        const int32_t *list = solid ? surface->tetrahedra : surface->triangles;
        const int32_t *subsystems =
            solid ? surface->tetrahedron_subsystems : surface->triangle_subsystems;
        *cell = (Cell){.type = solid ? VTK_TETRA : VTK_TRIANGLE,
                       .corner_count = corners,
                       .corners = list + (size_t)corners * (size_t)walk->index,
                       .point_start = surface->point_start,
                       .subsystem = subsystems ? subsystems[walk->index] : -1,
                       .tet = solid ? walk->tets++ : -1};
        walk->index++;
        return true;
    }
    while (walk->part - scene->surface_count < scene->tube_count) {
        const TnSceneTube *tube = &scene->tubes[walk->part++ - scene->surface_count];
        if (tube->point_count == 0) continue;
        *cell = (Cell){.type = VTK_POLY_LINE,
                       .corner_count = tube->point_count,
                       .point_start = tube->point_start,
                       .radius = (float)tube->radius,
                       .subsystem = -1,
                       .tet = -1};
        return true;
    }
    return false;
}

static int corner_of(const Cell *cell, int k)
{
    return cell->point_start + (cell->corners ? cell->corners[k] : k);
}

static double von_mises(const float *s)
{
    double a = (double)s[0] - (double)s[1], b = (double)s[1] - (double)s[2],
           c = (double)s[2] - (double)s[0];
    double shear =
        (double)s[3] * (double)s[3] + (double)s[4] * (double)s[4] + (double)s[5] * (double)s[5];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3 * shear);
}

/* VTK's order of a symmetric tensor: xx yy zz xy yz xz. */
static void write_cell_stress(FILE *out, const TnScene *scene, const TnFrame *frame, uint64_t count)
{
    static const int order[6] = {0, 1, 2, 3, 5, 4};
    static const float none[6] = {0};
    Cell cell;
    Base64 b = begin_array(out, "Float32", "stress", 6, 24 * count);
    for (CellWalk walk = {.scene = scene}; next_cell(&walk, &cell);) {
        bool known = cell.tet >= 0 && cell.tet < frame->cell_count;
        const float *s = known ? frame->cell_stress + 6 * cell.tet : none;
        for (int k = 0; k < 6; k++) base64_float(&b, s[order[k]]);
    }
    end_array(&b);
    b = begin_array(out, "Float32", "von_mises", 1, 4 * count);
    for (CellWalk walk = {.scene = scene}; next_cell(&walk, &cell);) {
        bool known = cell.tet >= 0 && cell.tet < frame->cell_count;
        base64_float(&b, known ? (float)von_mises(frame->cell_stress + 6 * cell.tet) : 0);
    }
    end_array(&b);
}

static void write_cells(FILE *out, const TnScene *scene, const TnFrame *frame)
{
    uint64_t count = (uint64_t)count_cells(scene), corners = 0, offset = 0;
    Cell cell;
    for (CellWalk walk = {.scene = scene}; next_cell(&walk, &cell);)
        corners += (uint64_t)cell.corner_count;
    fputs("<Cells>\n", out);
    Base64 b = begin_array(out, "Int32", "connectivity", 1, 4 * corners);
    for (CellWalk walk = {.scene = scene}; next_cell(&walk, &cell);)
        for (int k = 0; k < cell.corner_count; k++)
            base64_integer(&b, (uint64_t)corner_of(&cell, k), 4);
    end_array(&b);
    b = begin_array(out, "Int64", "offsets", 1, 8 * count);
    for (CellWalk walk = {.scene = scene}; next_cell(&walk, &cell);)
        base64_integer(&b, offset += (uint64_t)cell.corner_count, 8);
    end_array(&b);
    b = begin_array(out, "UInt8", "types", 1, count);
    for (CellWalk walk = {.scene = scene}; next_cell(&walk, &cell);)
        base64_integer(&b, (uint64_t)cell.type, 1);
    end_array(&b);
    fputs("</Cells>\n<CellData Scalars=\"subsystem\">\n", out);
    b = begin_array(out, "Int32", "subsystem", 1, 4 * count);
    for (CellWalk walk = {.scene = scene}; next_cell(&walk, &cell);)
        base64_integer(&b,
                       (uint64_t)(cell.subsystem >= 0
                                      ? cell.subsystem
                                      : scene->point_subsystems[corner_of(&cell, 0)]),
                       4);
    end_array(&b);
    b = begin_array(out, "Float32", "radius", 1, 4 * count);
    for (CellWalk walk = {.scene = scene}; next_cell(&walk, &cell);) base64_float(&b, cell.radius);
    end_array(&b);
    if (frame->cell_count) write_cell_stress(out, scene, frame, count);
    fputs("</CellData>\n", out);
}

/* Three numbers per point of a surface, 0 for all others. `from` NULL: displacement, else the
 * numbers of the soft bodies' nodes one after the other. */
static void write_vectors(FILE *out, const TnScene *scene, const TnFrame *frame, const char *name,
                          const double *from)
{
    Base64 b = begin_array(out, "Float32", name, 3, 12 * (uint64_t)scene->point_count);
    for (int p = 0; p < scene->point_count; p++) {
        const double *node = from;
        float value[3] = {0, 0, 0};
        for (int i = 0; i < scene->surface_count; i++) {
            const TnSceneSurface *surface = &scene->surfaces[i];
            int own = p - surface->point_start;
            bool inside = own >= 0 && own < surface->point_count;
            for (int k = 0; k < 3 && inside; k++) {
                if (from)
                    value[k] = (float)node[3 * own + k];
                else if (surface->rest)
                    value[k] = frame->points[3 * p + k] - surface->rest[3 * own + k];
            }
            if (from) node += 3 * (size_t)surface->point_count;
        }
        for (int k = 0; k < 3; k++) base64_float(&b, value[k]);
    }
    end_array(&b);
}

/* The velocities of soft bodies are the last ones of qvel; NULL where the state is not recorded. */
static const double *node_velocities(const TnScene *scene, const TnFrame *frame)
{
    int numbers = 0;
    for (int i = 0; i < scene->surface_count; i++) {
        if (!scene->surfaces[i].rest) return NULL; /* not of a model */
        numbers += 3 * scene->surfaces[i].point_count;
    }
    return numbers && frame->qvel && frame->dof_count >= numbers
               ? frame->qvel + frame->dof_count - numbers
               : NULL;
}

static bool has_rest(const TnScene *scene)
{
    for (int i = 0; i < scene->surface_count; i++)
        if (scene->surfaces[i].rest) return true;
    return false;
}

static void write_points(FILE *out, const TnScene *scene, const TnFrame *frame)
{
    uint64_t count = (uint64_t)scene->point_count;
    fputs("<PointData Scalars=\"subsystem\">\n", out);
    Base64 b = begin_array(out, "Int32", "subsystem", 1, 4 * count);
    for (int i = 0; i < scene->point_count; i++)
        base64_integer(&b, (uint64_t)scene->point_subsystems[i], 4);
    end_array(&b);
    if (has_rest(scene)) write_vectors(out, scene, frame, "displacement", NULL);
    const double *velocities = node_velocities(scene, frame);
    if (velocities) write_vectors(out, scene, frame, "velocity", velocities);
    if (frame->stress) {
        b = begin_array(out, "Float32", "von_mises", 1, 4 * count);
        for (uint64_t i = 0; i < count; i++) base64_float(&b, frame->stress[i]);
        end_array(&b);
    }
    fputs("</PointData>\n<Points>\n", out);
    b = begin_array(out, "Float32", "Points", 3, 12 * count);
    for (uint64_t k = 0; k < 3 * count; k++) base64_float(&b, frame->points[k]);
    end_array(&b);
    fputs("</Points>\n", out);
}

static void write_grid(FILE *out, const TnScene *scene, const TnFrame *frame)
{
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
          "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n",
          out);
    fprintf(out, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%lld\">\n", scene->point_count,
            (long long)count_cells(scene));
    write_points(out, scene, frame);
    write_cells(out, scene, frame);
    fputs("</Piece>\n</UnstructuredGrid>\n</VTKFile>\n", out);
}

/* ---- files and folders ---- */

typedef struct Series {
    char *folder;         /* final: the path without .pvd */
    char *beside, *aside; /* the new frames until all are whole; the old ones until they go */
    const char *base;     /* the folder's name alone */
} Series;

static bool cannot_write(const char *path)
{
    say("export", "%s: cannot be written: %s", path, strerror(errno ? errno : EIO));
    return false;
}

static char *join(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    char *text = malloc(size);
    if (text) snprintf(text, size, "%s%s", a, b);
    return text;
}

static bool is_frame_file(const char *name)
{
    size_t digits = strspn(name, "0123456789");
    return digits > 0 && !strcmp(name + digits, ".vtu");
}

typedef struct Clearing {
    const char *folder;
    bool only_look, fine;
} Clearing;

static bool clear_file(void *context, const char *name)
{
    Clearing *c = context;
    c->fine = is_frame_file(name);
    char *path = c->fine && !c->only_look ? malloc(strlen(c->folder) + strlen(name) + 2) : NULL;
    if (path) sprintf(path, "%s/%s", c->folder, name);
    if (!c->only_look) c->fine = path && tn_file_remove(path) == 0;
    free(path);
    return c->fine;
}

/* Removes a folder of frames; stops at anything else. With `only_look` nothing is removed: true
 * where the folder holds frames only. */
static bool clear_folder(const char *folder, bool only_look)
{
    Clearing clearing = {folder, only_look, true};
    if (tn_folder_list(folder, clear_file, &clearing) != 0 || !clearing.fine) return false;
    return only_look || tn_folder_remove(folder) == 0;
}

static void series_free(Series *series)
{
    free(series->folder);
    free(series->beside);
    free(series->aside);
}

/* Names and the folder for the new frames; false and a message. */
static bool series_open(Series *series, const char *path)
{
    char ending[48], old_ending[48];
    TnFileInfo about;
    snprintf(ending, sizeof ending, ".%ld.part", tn_process_number());
    snprintf(old_ending, sizeof old_ending, ".%ld.old", tn_process_number());
    series->folder = strdup(path);
    if (series->folder) series->folder[strlen(path) - 4] = '\0';
    series->beside = series->folder ? join(series->folder, ending) : NULL;
    series->aside = series->folder ? join(series->folder, old_ending) : NULL;
    if (!series->beside || !series->aside) {
        say("export", "no memory");
        return false;
    }
    series->base = tn_path_name(series->folder);
    errno = 0;
    if (tn_file_info_link(series->folder, &about) == 0 &&
        (about.kind != TN_FILE_FOLDER || !clear_folder(series->folder, true))) {
        say("export", "%s: exists and contains other files; choose another name", series->folder);
        return false;
    }
    if (!make_parent_folders(path) || (errno = tn_folder_make(series->beside)) != 0)
        return cannot_write(series->folder);
    return true;
}

/* The new folder takes the place of the old one. */
static bool series_place(Series *series)
{
    bool had_old = tn_folder_rename(series->folder, series->aside) == 0;
    errno = tn_folder_rename(series->beside, series->folder);
    if (errno != 0) {
        cannot_write(series->folder);
        if (had_old && (errno = tn_folder_rename(series->aside, series->folder)) != 0)
            cannot_write(series->folder);
        return false;
    }
    if (had_old) clear_folder(series->aside, false);
    return true;
}

static bool write_frame_file(const Series *series, int index, const TnScene *scene,
                             const TnFrame *frame)
{
    char name[32];
    ExportFile file = {0};
    snprintf(name, sizeof name, "/%06d.vtu", index);
    char *path = join(series->beside, name);
    bool fine = path && export_file_open(&file, path);
    if (fine) {
        write_grid(file.out, scene, frame);
        fine = export_file_close(&file);
    }
    free(path);
    return fine;
}

static void write_escaped(FILE *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '&'   ? "&amp;"
                             : *text == '<' ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        if (entity)
            fputs(entity, out);
        else
            fputc(*text, out);
    }
}

static void write_collection(FILE *out, const Series *series, const TnRecording *recording,
                             const ExportOptions *options)
{
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
          "byte_order=\"LittleEndian\">\n<Collection>\n",
          out);
    for (int i = 0; i < options->frame_count; i++) {
        fprintf(out, "<DataSet timestep=\"%.17g\" group=\"\" part=\"0\" file=\"",
                tn_recording_time(recording, options->frames[i]));
        write_escaped(out, series->base);
        fprintf(out, "/%06d.vtu\"/>\n", i);
    }
    fputs("</Collection>\n</VTKFile>\n", out);
}

static bool write_series(const char *path, TnRecording *recording, const ExportOptions *options,
                         TnFrame *frame)
{
    const TnScene *scene = tn_recording_scene(recording);
    Series series = {0};
    ExportFile file = {0};
    bool fine = series_open(&series, path);
    for (int i = 0; i < options->frame_count && fine; i++)
        fine = export_read_frame(recording, options->frames[i], frame) &&
               write_frame_file(&series, i, scene, frame);
    /* the list is written before the folder moves: after that only two renames can fail */
    fine = fine && export_file_open(&file, path);
    if (fine) {
        write_collection(file.out, &series, recording, options);
        fflush(file.out);
        errno = 0;
        fine = ferror(file.out) ? cannot_write(path) : series_place(&series);
    }
    if (fine)
        fine = export_file_close(&file);
    else
        export_file_drop(&file);
    if (!fine && series.beside) clear_folder(series.beside, false);
    series_free(&series);
    return fine;
}

int export_vtu(const char *path, TnRecording *recording, const ExportOptions *options)
{
    TnError err = {0};
    const TnScene *scene = tn_recording_scene(recording);
    if (count_cells(scene) == 0) {
        say("export", "VTU needs surfaces or tubes, and the recording has none; export rigid "
                      "bodies as .npz, .csv or .html");
        return EXIT_USAGE;
    }
    TnFrame *frame = tn_frame_create(scene, &err);
    if (!frame) say("export", "%s", err.message);
    bool fine = frame && write_series(path, recording, options, frame);
    tn_frame_destroy(frame);
    return fine ? EXIT_FINE : EXIT_IO;
}
