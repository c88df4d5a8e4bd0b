/* models.c: the targets that end in a model: MJCF, URDF, and the files that models name.
 *
 * A model that loads is written and loaded again, and the small ones take two steps. */
#include "fuzz.h"
#include "io/mesh/tet_file.h"

#include <string.h>
#include <tenon/definitions.h>
#include <tenon/tenon.h>

/* Beside the model: whatever it names in these words is there. */
static const char cube_obj[] =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
static const char track_csv[] = "time,m\n0,0\n1,1\n";
static const char part_xml[] =
    "<mujoco><worldbody><body name='part'><geom size='.1'/></body></worldbody></mujoco>";
static const TnMemoryFile beside[] = {{"c.obj", cube_obj, sizeof cube_obj - 1},
                                      {"t.csv", track_csv, sizeof track_csv - 1},
                                      {"p.xml", part_xml, sizeof part_xml - 1}};

static char *as_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_CHECK(text);
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

static bool is_small(const TnModel *model)
{
    TnModelInfo info = tn_model_info(model);
    return info.dof_count <= 80 && info.geom_count <= 60 && info.option.substeps <= 4;
}

static void take_steps(const TnModel *model)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.solver.iterations = 20;
    TnWorld *world = tn_world_create(&def, model, &err);
    FUZZ_CHECK(world || err.count > 0);
    if (!world) return;
    for (int k = 0; k < 2; k++) tn_world_step(world);
    TnStateView state = tn_world_state(world);
    for (int i = 0; i < state.qpos_count; i++) FUZZ_CHECK(state.qpos[i] - state.qpos[i] == 0.0);
    for (int i = 0; i < state.dof_count; i++) FUZZ_CHECK(state.qvel[i] - state.qvel[i] == 0.0);
    tn_world_destroy(world);
}

static bool take_nothing(void *user, const TnMemoryFile *file)
{
    *(size_t *)user += file->size;
    return true;
}

/* What cannot be made into a model says why. */
static void load(const char *path, const TnLoadDef *def)
{
    TnError err = {0};
    TnRemarks remarks;
    TnModelBuilder *builder = tn_builder_load(path, def, &remarks, &err);
    FUZZ_CHECK(builder || (err.count > 0 && err.message[0]));
    if (!builder) return;
    TnModel *model = tn_builder_compile(builder, &err);
    FUZZ_CHECK(model || (err.count > 0 && err.message[0]));
    if (model) {
        size_t written = 0;
        TnError why = {0};
        tn_builder_write_to(builder, "out.xml", take_nothing, &written, &why);
        if (is_small(model)) take_steps(model);
        tn_scene_destroy(tn_scene_create(model, &why)); /* unpacks textures */
    }
    tn_model_destroy(model);
    tn_builder_destroy(builder);
}

static void load_text(const char *path, const uint8_t *data, size_t size)
{
    char *text = as_text(data, size);
    TnLoadDef def = tn_load_def();
    def.text = text;
    def.files = beside;
    def.file_count = sizeof beside / sizeof beside[0];
    load(path, &def);
    free(text);
}

void fuzz_mjcf(const uint8_t *data, size_t size) { load_text("m.xml", data, size); }
void fuzz_sdf(const uint8_t *data, size_t size) { load_text("m.sdf", data, size); }
void fuzz_urdf(const uint8_t *data, size_t size) { load_text("m.urdf", data, size); }

/* ---- files that a model names; the first byte tells the format ---- */

void fuzz_mesh(const uint8_t *data, size_t size)
{
    static const struct {
        const char *path, *text;
    } formats[] = {
        {"f.obj", "<mujoco><asset><mesh name='m' file='f.obj'/></asset><worldbody>"
                  "<geom type='mesh' mesh='m'/></worldbody></mujoco>"},
        {"f.stl", "<mujoco><asset><mesh name='m' file='f.stl' inertia='exact'/></asset><worldbody>"
                  "<body><freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"},
        {"f.msh", "<mujoco><asset><mesh name='m' file='f.msh'/></asset><worldbody>"
                  "<body><freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>"},
        {"f.dae", "<robot name='r'><link name='a'><collision><geometry><mesh filename='f.dae'/>"
                  "</geometry></collision></link></robot>"},
        {"f.png", "<mujoco><asset><hfield name='h' file='f.png' size='1 1 1 1'/></asset>"
                  "<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>"},
        {"f.bin", "<mujoco><asset><hfield name='h' file='f.bin' size='1 1 1 1'/></asset>"
                  "<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>"},
        {"f.jpg",
         "<mujoco><asset><texture name='t' file='f.jpg' gridsize='2 3' gridlayout='RLUDFB'/>"
         "<material name='m' texture='t'/></asset>"
         "<worldbody><geom size='1' material='m'/></worldbody></mujoco>"},
    };
    if (size < 1) return;
    size_t format = data[0] % (sizeof formats / sizeof formats[0]);
    TnMemoryFile file = {formats[format].path, data + 1, size - 1};
    TnLoadDef def = tn_load_def();
    def.text = formats[format].text;
    def.files = &file;
    def.file_count = 1;
    load("m.xml", &def);
}

/* TetGen has two files; a zero byte is between them. */
void fuzz_tets(const uint8_t *data, size_t size)
{
    static const char *const paths[] = {"f.msh", "f.vtk", "f.node"};
    if (size < 1) return;
    int format = data[0] % 3;
    int dim = format == 0 && data[0] >= 128 ? 2 : 3; /* triangles, of gmsh alone */
    const uint8_t *second = format == 2 ? memchr(data + 1, 0, size - 1) : NULL;
    size_t first = second ? (size_t)(second - data) - 1 : size - 1;
    TnMemoryFile files[] = {{paths[format], data + 1, first},
                            {"f.ele", second ? second + 1 : data, second ? size - first - 2 : 0}};
    TnLoadDef def = tn_load_def();
    def.files = files;
    def.file_count = 2;
    TnError err = {0};
    TnTetMesh mesh = {0};
    int nodes;
    bool fine = tn_tet_load(&def, paths[format], dim, &mesh, &nodes, &err);
    FUZZ_CHECK(fine || (err.count > 0 && mesh.nodes == NULL));
    if (fine && dim == 3) {
        TnTetSurface surface;
        if (tn_tet_mesh_surface(&mesh, &surface, &err)) tn_tet_surface_free(&surface);
        FUZZ_CHECK(tn_tet_mesh_volume(&mesh) >= 0.0);
    }
    tn_tet_mesh_free(&mesh);
}

void fuzz_track(const uint8_t *data, size_t size)
{
    TnMemoryFile file = {"t.csv", data, size};
    TnLoadDef def = tn_load_def();
    def.text = "<mujoco><worldbody><body><joint name='a'/><joint name='b' axis='1 0 0'/>"
               "<geom size='.1'/></body></worldbody><actuator><motor name='a' joint='a'/>"
               "<motor name='b' joint='b'/></actuator><tenon><track file='t.csv'/></tenon>"
               "</mujoco>";
    def.files = &file;
    def.file_count = 1;
    load("m.xml", &def);
}
