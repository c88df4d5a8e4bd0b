/* Builtin meshes, and shapes that are fitted to meshes, against numbers that MuJoCo 4.0.0 gives. */
#include "mjcf_text.h"
#include <tenon/model_info.h>

static TnError err;

/* MuJoCo keeps vertices in single precision. */
#define SINGLE 3e-6

static TnModel *load_mesh(const char *mesh, const char *geom)
{
    char text[1024];
    snprintf(text, sizeof text,
             "<mujoco>%s<worldbody><body><freejoint/><geom contype='0' conaffinity='0' mesh='m' "
             "%s/></body></worldbody></mujoco>",
             mesh, geom);
    err = (TnError){0};
    return load_text(text, &err);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_mass(const TnModel *model, double mass, const double inertia[3])
{
    TnBodyInfo body = tn_model_body_info(model, 2);
    double own[3] = {inertia[0], inertia[1], inertia[2]};
    qsort(own, 3, sizeof *own, by_size);
    qsort(body.inertia, 3, sizeof *own, by_size);
    CHECK_NEAR(body.mass, mass, SINGLE * mass);
    for (int k = 0; k < 3; k++) CHECK_NEAR(body.inertia[k], own[k], SINGLE * own[2]);
}

TEST(builtin_meshes_are_those_of_mujoco)
{
    static const struct {
        const char *kind, *params;
        int vertices;
        double mass, inertia[3];
    } cases[] = {{"sphere", "2", 162, 4047.04466, {988.855911, 3362.11011, 3955.42366}},
                 {"hemisphere", "3", 42, 1909.74369, {386.454274, 1464.60404, 1796.91629}},
                 {"cone", "7 .3", 14, 2535.74011, {499.30739, 1522.37874, 1705.1189}},
                 {"supersphere", "7 .5 2", 44, 2205.99466, {405.751255, 1463.58237, 1758.24696}},
                 {"supertorus", "9 .3 .5 .7", 81, 3177.63447, {1332.6635, 5291.23021, 6589.67032}},
                 {"wedge", "3 4 60 30 .5", 12, 83.4197996, {5.37117471, 10.2743106, 15.5463456}},
                 {"plate", "3 4", 12, 4000.00012, {592.592646, 3000.00009, 3592.59273}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char mesh[256];
        snprintf(mesh, sizeof mesh,
                 "<asset><mesh name='m' builtin='%s' params='%s' scale='1 2 .5'/></asset>",
                 cases[i].kind, cases[i].params);
        TnModel *model = load_mesh(mesh, "type='mesh'");
        if (!model) test_fail(__FILE__, __LINE__, "%s: %s", cases[i].kind, err.message);
        if (!model) continue;
        CHECK(tn_model_mesh_info(model, 1).vertex_count == cases[i].vertices);
        check_mass(model, cases[i].mass, cases[i].inertia);
        tn_model_destroy(model);
    }
}

TEST(wrong_builtin_meshes_are_told)
{
    static const struct {
        const char *mesh, *part;
    } cases[] = {
        {"<mesh name='m' builtin='sphere' params='5'/>", "params of a sphere are a subdivision"},
        {"<mesh name='m' builtin='cone' params='4'/>", "params of a cone are the number of sides"},
        {"<mesh name='m' builtin='plate' params='2.5 2'/>", "two resolutions"},
        {"<mesh name='m' builtin='sphere'/>", "params of a sphere"},
        {"<mesh name='m' builtin='prism' params='3'/>", "builtin"},
        {"<mesh name='m' builtin='sphere' params='1' file='a.obj'/>", "only one of file"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char mesh[256];
        snprintf(mesh, sizeof mesh, "<asset>%s</asset>", cases[i].mesh);
        CHECK(!load_mesh(mesh, "type='mesh'"));
        CHECK_STR(err.message, cases[i].part);
    }
}

TEST(shapes_are_fitted_to_meshes_as_in_mujoco)
{
    static const struct {
        const char *type, *extent;
        double size[3], pos[3], mass;
    } cases[] = {
        {"sphere", "false", {.232494247}, {1.12432433, 1.82060811, 3.10219595}, 52.6411348},
        {"capsule",
         "false",
         {.206050422, .182356686},
         {1.12432433, 1.82060811, 3.10219595},
         85.2906897},
        {"cylinder",
         "false",
         {.206050422, .285381897},
         {1.12432433, 1.82060811, 3.10219595},
         76.1295576},
        {"ellipsoid",
         "false",
         {.16016062, .251940224, .285381897},
         {1.12432433, 1.82060811, 3.10219595},
         48.2356664},
        {"box",
         "false",
         {.16016062, .251940224, .285381897},
         {1.12432433, 1.82060811, 3.10219595},
         92.123337},
        {"sphere", "true", {.3922855}, {1.14642358, 1.74387998, 3.11620891}, 252.868875},
        {"capsule",
         "true",
         {.370620357, .0216651433},
         {1.14642358, 1.74387998, 3.11620891},
         231.94201},
        {"cylinder",
         "true",
         {.370620357, .3922855},
         {1.14642358, 1.74387998, 3.11620891},
         338.563912},
        {"box",
         "true",
         {.223475433, .370620357, .3922855},
         {1.14642358, 1.74387998, 3.11620891},
         259.926943}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char mesh[512], geom[128];
        snprintf(mesh, sizeof mesh,
                 "<compiler fitaabb='%s'/><asset><mesh name='m' vertex='0 0 0 .4 0 0 0 .3 0 0 0 .5 "
                 ".3 .2 .4 -.1 .1 .2'/></asset>",
                 cases[i].extent);
        snprintf(geom, sizeof geom, "type='%s' fitscale='1.5' pos='1 2 3' quat='1 1 0 0'",
                 cases[i].type);
        TnModel *model = load_mesh(mesh, geom);
        REQUIRE(model);
        TnGeomInfo info = tn_model_geom_info(model, 1);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(info.size[k], cases[i].size[k], SINGLE);
            CHECK_NEAR(info.pos[k], cases[i].pos[k], SINGLE);
        }
        CHECK_NEAR(tn_model_body_info(model, 2).mass, cases[i].mass, SINGLE * cases[i].mass);
        tn_model_destroy(model);
    }
}

TEST(nothing_fits_a_mesh_without_volume)
{
    CHECK(!load_mesh("<asset><mesh name='m' builtin='plate' params='2 2' scale='1 0 1'/></asset>",
                     "type='sphere'"));
    CHECK_STR(err.message, "encloses no volume");
    CHECK(!load_mesh("<asset><mesh name='m' builtin='sphere' params='1'/></asset>",
                     "type='plane' size='1 1 1'"));
    CHECK_STR(err.message, "a plane cannot be fitted");
}

/* An ellipsoid's area and moments are MuJoCo's approximations. */
TEST(shellinertia_of_an_ellipsoid_is_that_of_mujoco)
{
    TnModel *model = load_text("<mujoco><worldbody><body><freejoint/><geom type='ellipsoid' "
                               "size='.1 .2 .4' shellinertia='true' density='3'/></body>"
                               "</worldbody></mujoco>",
                               &err);
    REQUIRE(model);
    TnBodyInfo body = tn_model_body_info(model, 2);
    const double inertia[3] = {0.102432995369, 0.0866321636427, 0.0321466159132};
    CHECK_NEAR(body.mass, 1.90699035658, 1e-10); /* digits */
    check_mass(model, body.mass, inertia);
    tn_model_destroy(model);
}
