/* make_beam.c: writes a recording of a soft beam made by hand: it bends about its middle to and
 * fro, its stress grows with the distance from the neutral layer, and it is divided into five
 * pieces. All of it is a formula, so that a test knows every number.
 *
 *   make_beam OUT.tnr [exact]     exact: with the state and the stress of each element */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tenon/record.h>

enum { FRAMES = 31, PIECES = 5, CELLS_X = 20, CELLS = 3 };
static const double half_length = 0.25, half_side = 0.025, modulus = 1e7;

/* The beam's axis is part of a circle: x runs along it, z across. */
static double curvature_at(int frame) { return 4 * frame / (FRAMES - 1.0); }

static void bend(const double rest[3], double curvature, float out[3])
{
    double x = rest[0], z = rest[2];
    if (curvature > 0) {
        double radius = 1 / curvature - z, angle = x * curvature;
        x = radius * sin(angle);
        z = 1 / curvature - radius * cos(angle);
    }
    out[0] = (float)x;
    out[1] = (float)rest[1];
    out[2] = (float)(z + 0.1);
}

static int piece_at(double x)
{
    int piece = (int)((x + half_length) / (2 * half_length) * PIECES);
    return piece < PIECES ? piece : PIECES - 1;
}

static double center(const TnTetMesh *mesh, int tet, int k)
{
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += mesh->nodes[3 * mesh->tets[4 * tet + i] + k];
    return sum / 4;
}

static void fill_frame(TnFrame *frame, const TnTetMesh *mesh, int k)
{
    double curvature = curvature_at(k);
    frame->time = k / 30.0;
    frame->step = k;
    for (int i = 0; i < mesh->node_count; i++) {
        const double *rest = mesh->nodes + 3 * i;
        bend(rest, curvature, frame->points + 3 * i);
        frame->stress[i] = (float)(modulus * curvature * fabs(rest[2]));
        for (int c = 0; c < 3 && frame->qpos; c++) {
            frame->qpos[3 * i + c] = (double)frame->points[3 * i + c];
            frame->qvel[3 * i + c] = i + 0.25 * c;
        }
    }
    for (int t = 0; t < frame->cell_count; t++) {
        /* tension on one side, pressure on the other; a little shear tells the order of components
         */
        const double stress[6] = {-modulus * curvature * center(mesh, t, 2), 0, 0, 10, 20, 30};
        for (int c = 0; c < 6; c++) frame->cell_stress[6 * t + c] = (float)stress[c];
    }
}

static bool write_frames(const char *path, const TnScene *scene, const TnTetMesh *mesh, bool exact,
                         TnError *err)
{
    TnRecorderDef def = tn_recorder_def();
    int numbers = 3 * mesh->node_count;
    TnFrame *frame = tn_frame_create(scene, err);
    bool fine = frame && tn_frame_reserve_stress(frame, exact ? mesh->tet_count : 0, err) == TN_OK;
    if (fine && exact) fine = tn_frame_reserve_state(frame, numbers, numbers, 0, err) == TN_OK;
    TnRecorder *recorder = fine ? tn_recorder_create(&def, path, scene, err) : NULL;
    fine = recorder != NULL;
    for (int k = 0; fine && k < FRAMES; k++) {
        fill_frame(frame, mesh, k);
        fine = tn_recorder_write(recorder, frame, err) == TN_OK;
    }
    fine = recorder && tn_recorder_close(recorder, err) == TN_OK && fine;
    tn_frame_destroy(frame);
    return fine;
}

int main(int argc, char **argv)
{
    const double half[3] = {half_length, half_side, half_side};
    const int cells[3] = {CELLS_X, CELLS, CELLS};
    TnError err = {0};
    TnTetMesh mesh;
    TnTetSurface faces;
    if (argc < 2 || !tn_tet_mesh_box(half, cells, 6, &mesh, &err) ||
        !tn_tet_mesh_surface(&mesh, &faces, &err))
        return 2;
    int32_t *of_tets = malloc((size_t)mesh.tet_count * sizeof *of_tets),
            *of_faces = malloc((size_t)faces.triangle_count * sizeof *of_faces),
            *of_points = malloc((size_t)mesh.node_count * sizeof *of_points);
    float *rest = malloc(3 * (size_t)mesh.node_count * sizeof *rest);
    if (!of_tets || !of_faces || !of_points || !rest) return 1;
    for (int t = 0; t < mesh.tet_count; t++) of_tets[t] = 1 + piece_at(center(&mesh, t, 0));
    for (int t = 0; t < faces.triangle_count; t++) of_faces[t] = of_tets[faces.tets[t]];
    for (int i = 0; i < mesh.node_count; i++) {
        of_points[i] = 1 + piece_at(mesh.nodes[3 * i]);
        bend(mesh.nodes + 3 * i, 0, rest + 3 * i);
    }
    const TnSceneBody world = {"world", 0};
    TnSceneShape shapes[2] = {
        {.type = TN_GEOM_PLANE, .body = 1, .mesh = -1, .quat = {1}, .rgba = {0.7f, 0.7f, 0.7f, 1}},
        {.type = TN_GEOM_SOFT, .body = 1, .mesh = -1, .quat = {1}}};
    const TnSceneSurface beam = {.point_count = mesh.node_count,
                                 .triangles = faces.triangles,
                                 .triangle_count = faces.triangle_count,
                                 .tetrahedra = mesh.tets,
                                 .tetrahedron_count = mesh.tet_count,
                                 .rgba = {0.85f, 0.45f, 0.3f, 1},
                                 .name = "beam",
                                 .triangle_subsystems = of_faces,
                                 .tetrahedron_subsystems = of_tets,
                                 .rest = rest};
    const TnScene scene = {.name = "beam by hand",
                           .timestep = 1 / 30.0,
                           .bodies = &world,
                           .body_count = 1,
                           .shapes = shapes,
                           .shape_count = 2,
                           .surfaces = &beam,
                           .surface_count = 1,
                           .point_subsystems = of_points,
                           .point_count = mesh.node_count};
    bool fine = write_frames(argv[1], &scene, &mesh, argc > 2, &err);
    if (!fine) fprintf(stderr, "%s\n", err.message);
    free(of_tets);
    free(of_faces);
    free(of_points);
    free(rest);
    tn_tet_surface_free(&faces);
    tn_tet_mesh_free(&mesh);
    return fine ? 0 : 1;
}
