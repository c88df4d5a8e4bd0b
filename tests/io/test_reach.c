/* Which files a model may name, and how much a file may ask for: more is an error before anything
 * is read or taken. */
#include "../check.h"
#include "io/io_reach.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

/* outside.xml, .secret.xml, and near/part.xml with near/.secret.xml and near/own/. */
static char root[PATH_MAX];

static void put(const char *name, const char *text)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        test_fail(__FILE__, __LINE__, "cannot write %s", path);
}

static void make_folder(const char *name)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", root, name);
    if (mkdir(path, 0700) != 0) test_fail(__FILE__, __LINE__, "cannot make %s", path);
}

static void make_link(const char *name, const char *to)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", root, name);
    if (symlink(to, path) != 0) test_fail(__FILE__, __LINE__, "cannot link %s", path);
}

static void make_link_in_own(const char *name, const char *to)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "near/own/%s", name);
    make_link(path, to);
}

static void make_root(void)
{
    static const char part[] =
        "<mujoco><worldbody><body name='part'><geom size='.1'/></body></worldbody></mujoco>";
    const char *folder = getenv("TMPDIR");
    snprintf(root, sizeof root, "%s/tenon_reach_XXXXXX", folder && folder[0] ? folder : "/tmp");
    if (!mkdtemp(root)) test_fail(__FILE__, __LINE__, "cannot make %s", root);
    make_folder("near");
    make_folder("near/own");
    put("outside.xml", part);
    put("near/part.xml", part);
    put("near/.secret.xml", part);
    put("near/own/part.xml", part);
}

/* Links in near/own/, and by what reach what they lead to may be read: ANY is not below FOLDER. */
static const struct {
    const char *name, *to, *file;
    bool near, folder;
} links[] = {{"in.xml", "part.xml", "in.xml", true, true},
             {"up.xml", "../part.xml", "up.xml", true, false},
             {"again.xml", "../own/in.xml", "again.xml", true, true},
             {"out.xml", "../../outside.xml", "out.xml", false, false},
             {"twice.xml", "out.xml", "twice.xml", false, false},
             {"hidden.xml", "../.secret.xml", "hidden.xml", false, false},
             {"door", "../..", "door/outside.xml", false, false},
             {"back", "../../near/own", "back/../part.xml", true, false}};

static void remove_root(void)
{
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        char path[PATH_MAX + 64];
        snprintf(path, sizeof path, "%s/near/own/%s", root, links[i].name);
        remove(path);
    }
    static const char *const names[] = {"near/own/m.xml",
                                        "near/own/pipe",
                                        "near/own/part.xml",
                                        "near/own",
                                        "near/part.xml",
                                        "near/.secret.xml",
                                        "near/hop.xml",
                                        "near/package.xml",
                                        "near",
                                        "way",
                                        "outside.xml",
                                        ""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[PATH_MAX + 64];
        snprintf(path, sizeof path, "%s/%s", root, names[i]);
        remove(path);
    }
}

/* The text as near/own/m.xml or m.urdf. */
static bool loads(const char *text, const TnLoadDef *how, TnError *err)
{
    TnLoadDef def = how ? *how : tn_load_def();
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/near/own/m.xml", root);
    def.text = text;
    *err = (TnError){0};
    TnModelBuilder *builder = tn_builder_load(path, &def, NULL, err);
    tn_builder_destroy(builder);
    return builder != NULL;
}

static bool includes(const char *file, TnFileReach reach, TnError *err)
{
    char text[PATH_MAX + 128];
    TnLoadDef def = tn_load_def();
    def.reach = reach;
    snprintf(text, sizeof text, "<mujoco><include file='%s'/></mujoco>", file);
    return loads(text, &def, err);
}

TEST(a_model_reads_its_folder_and_the_one_above_but_no_farther)
{
    TnError err;
    make_root();
    CHECK(includes("part.xml", TN_FILES_NEAR, &err));
    CHECK(includes("../part.xml", TN_FILES_NEAR, &err));
    CHECK(includes("../own/./part.xml", TN_FILES_NEAR, &err));
    static const char *const far[] = {"../../outside.xml", "../.secret.xml",
                                      "../../near/../outside.xml", "/etc/passwd"};
    for (int i = 0; i < 4; i++) {
        CHECK(!includes(far[i], TN_FILES_NEAR, &err));
        CHECK(err.code == TN_ERROR_MODEL && err.count == 1);
        CHECK_STR(err.message, "not in the model's folder");
        CHECK_STR(err.message, "--files any");
        CHECK(!includes(far[i], TN_FILES_FOLDER, &err));
    }
    CHECK(!includes("../part.xml", TN_FILES_FOLDER, &err));
    CHECK(includes("part.xml", TN_FILES_FOLDER, &err));
    for (int i = 0; i < 3; i++) CHECK(includes(far[i], TN_FILES_ANY, &err));
    remove_root();
}

TEST(symbolic_links_count_as_what_they_lead_to)
{
    TnError err;
    make_root();
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        make_link_in_own(links[i].name, links[i].to);
        CHECK(includes(links[i].file, TN_FILES_NEAR, &err) == links[i].near);
        if (!links[i].near) {
            CHECK(err.code == TN_ERROR_MODEL && err.count == 1);
            CHECK_STR(err.message, "not in the model's folder");
            CHECK_STR(err.message, "--files any");
        }
        CHECK(includes(links[i].file, TN_FILES_FOLDER, &err) == links[i].folder);
        CHECK(includes(links[i].file, TN_FILES_ANY, &err));
    }
    remove_root();
}

TEST(a_link_that_leads_nowhere_is_no_file)
{
    TnError err;
    make_root();
    make_link_in_own("in.xml", "nowhere.xml");
    make_link_in_own("up.xml", "up.xml");
    CHECK(!includes("in.xml", TN_FILES_NEAR, &err));
    CHECK_STR(err.message, "no such file");
    CHECK(!includes("up.xml", TN_FILES_NEAR, &err));
    CHECK_STR(err.message, "too many symbolic links");
    CHECK(!includes("gone.xml", TN_FILES_NEAR, &err));
    CHECK_STR(err.message, "no such file");
    remove_root();
}

/* The folder itself may be reached by a link: what is beside the model is beside it. */
TEST(a_model_whose_folder_is_a_link_reads_what_is_beside_it)
{
    TnError err = {0};
    char path[PATH_MAX + 64];
    make_root();
    make_link("way", "near/own");
    snprintf(path, sizeof path, "%s/way/m.xml", root);
    for (int i = 0; i < 3; i++) {
        static const char *const files[] = {"part.xml", "../part.xml", "../../outside.xml"};
        char text[128];
        TnLoadDef def = tn_load_def();
        snprintf(text, sizeof text, "<mujoco><include file='%s'/></mujoco>", files[i]);
        def.text = text;
        TnModelBuilder *builder = tn_builder_load(path, &def, NULL, &err);
        CHECK((builder != NULL) == (i < 2));
        tn_builder_destroy(builder);
    }
    CHECK_STR(err.message, "not in the model's folder");
    remove_root();
}

TEST(no_kind_of_file_is_read_through_a_link_that_leads_out)
{
    static const char *const texts[] = {
        "<mujoco><asset><mesh name='m' file='out.xml' content_type='model/obj'/></asset></mujoco>",
        "<mujoco><asset><hfield name='h' file='out.xml' size='1 1 1 1'/></asset></mujoco>",
        "<mujoco><asset><model name='m' file='out.xml'/></asset><worldbody>"
        "<attach model='m' prefix='p'/></worldbody></mujoco>",
        "<mujoco><tenon><soft name='s' file='out.xml'/></tenon></mujoco>",
        "<mujoco><tenon><track file='out.xml'/></tenon></mujoco>",
        "<robot name='r'><link name='a'><collision><geometry><mesh filename='out.xml'/></geometry>"
        "</collision></link></robot>",
        "<robot name='r'><link name='a'><collision><geometry><mesh "
        "filename='package://own/out.xml'/></geometry></collision></link></robot>",
        "<robot name='r'><link name='a'><collision><geometry><mesh "
        "filename='package://here/own/out.xml'/></geometry></collision></link></robot>"};
    TnError err;
    make_root();
    put("near/package.xml", "<package><name>here</name></package>");
    make_link_in_own("out.xml", "../../outside.xml");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CHECK(!loads(texts[i], NULL, &err));
        CHECK_STR(err.message, "not in the model's folder");
        CHECK_STR(err.message, "--files any");
    }
    TnLoadDef def = tn_load_def();
    def.package_path = root; /* the user trusts what is in it: there is the file, no mesh */
    CHECK(!loads("<robot name='r'><link name='a'><collision><geometry><mesh "
                 "filename='package://near/own/out.xml'/></geometry></collision></link></robot>",
                 &def, &err));
    CHECK_STR(err.message, "meshes are read from");
    remove_root();
}

TEST(an_attached_model_reaches_no_farther_than_the_first)
{
    TnError err;
    make_root();
    put("near/hop.xml", "<mujoco><include file='../outside.xml'/></mujoco>");
    CHECK(!loads("<mujoco><asset><model name='h' file='../hop.xml'/></asset><worldbody>"
                 "<attach model='h' prefix='p'/></worldbody></mujoco>",
                 NULL, &err));
    CHECK_STR(err.message, "not in the model's folder");
    remove_root();
}

TEST(meshes_of_a_urdf_are_in_reach_or_in_a_package)
{
    static const char form[] = "<robot name='r'><link name='a'><collision><geometry>"
                               "<mesh filename='%s'/></geometry></collision></link></robot>";
    static const char *const far[] = {"file:///etc/passwd",   "/etc/passwd",
                                      "../../outside.xml",    "package:///etc/passwd",
                                      "package://etc/passwd", "package://near/../outside.xml"};
    TnError err;
    char text[512];
    make_root();
    for (int i = 0; i < 6; i++) {
        snprintf(text, sizeof text, form, far[i]);
        CHECK(!loads(text, NULL, &err));
        CHECK_STR(err.message, i < 4 ? "--files any" : "is not found");
    }
    TnLoadDef def = tn_load_def();
    def.package_path = root; /* the user says so, but only of what is in it */
    snprintf(text, sizeof text, form, "package://near/part.xml");
    CHECK(!loads(text, &def, &err));
    CHECK_STR(err.message, "meshes are read from");
    snprintf(text, sizeof text, form, "package://near/../../../etc/passwd");
    CHECK(!loads(text, &def, &err));
    CHECK_STR(err.message, "is not found");
    remove_root();
}

TEST(a_pipe_that_a_model_names_is_refused_and_not_waited_for)
{
    TnError err;
    char path[PATH_MAX + 64];
    make_root();
    snprintf(path, sizeof path, "%s/near/own/pipe", root);
    REQUIRE(mkfifo(path, 0600) == 0);
    CHECK(!includes("pipe", TN_FILES_NEAR, &err));
    CHECK_STR(err.message, "is not a regular file");
    remove_root();
}

#define WORLD(BODY) "<mujoco><worldbody>" BODY "</worldbody></mujoco>"

TEST(counts_beyond_the_limits_are_errors_that_name_the_option)
{
    static const struct {
        const char *text, *limit;
    } asks[] = {
        {WORLD("<replicate count='2000000000' offset='1 0 0'><geom size='.1'/></replicate>"),
         "(5000000)"},
        {WORLD("<replicate count='60000' offset='1 0 0'><replicate count='60000' offset='0 1 0'>"
               "<geom size='.1'/></replicate></replicate>"),
         "(5000000)"},
        {WORLD("<composite type='cable' curve='s' count='1000000000 1 1' size='1' initial='free'>"
               "<geom type='capsule' size='.01'/></composite>"),
         "1000000 segments"},
        {WORLD("<flexcomp name='f' type='grid' count='1000 1000 1000' spacing='.1 .1 .1' dim='3' "
               "mass='1'/>"),
         "2000000 nodes"},
        {WORLD("<flexcomp name='f' type='grid' count='1e9 1 1' spacing='.1 .1 .1' dim='1' "
               "mass='1'/>"),
         "1000000 segments"},
        {"<mujoco><tenon><soft name='s' box='1 1 1' cells='2e9 2e9 2e9'/></tenon></mujoco>",
         "2000000 nodes"},
        {"<mujoco><tenon><rod name='r' start='0 0 0' end='1 0 0' segments='1000000000'/></tenon>"
         "</mujoco>",
         "1000000 segments"}};
    TnError err;
    for (size_t i = 0; i < sizeof asks / sizeof asks[0]; i++) {
        CHECK(!loads(asks[i].text, NULL, &err));
        CHECK_STR(err.message, "--limit-factor");
        CHECK_STR(err.message, asks[i].limit);
    }
    TnLoadDef def = tn_load_def();
    def.limit_factor = 3.0;
    CHECK(!loads(asks[2].text, &def, &err));
    CHECK_STR(err.message, "3000000 segments");
    def.limit_factor = 1e300; /* to what indices have room for */
    CHECK(!loads(asks[3].text, &def, &err));
    CHECK_STR(err.message, "20000000 nodes");
    CHECK(tn_load_limit(&def, TN_LIMIT_FILE, TN_MOST_FILE) == INT32_MAX);
    def.limit_factor = 0.0; /* of a struct of zeros */
    CHECK(tn_load_limit(&def, TN_LIMIT_ELEMENTS, TN_MOST_ELEMENTS) == TN_LIMIT_ELEMENTS);
}

static char *nested(const char *open, const char *close, int depth)
{
    size_t length = strlen(open) + strlen(close);
    char *text = malloc(64 + length * (size_t)depth), *at = text;
    if (!text) exit(1);
    at += sprintf(at, "<mujoco><worldbody>");
    for (int i = 0; i < depth; i++) at += sprintf(at, "%s", open);
    for (int i = 0; i < depth; i++) at += sprintf(at, "%s", close);
    sprintf(at, "</worldbody></mujoco>");
    return text;
}

TEST(nesting_of_a_hundred_thousand_is_an_error)
{
    TnError err;
    char *text = nested("<body>", "</body>", 100000);
    CHECK(!loads(text, NULL, &err));
    CHECK_STR(err.message, "nested more than 2000 deep");
    free(text);
    text = nested("<frame>", "</frame>", 1900);
    CHECK(loads(text, NULL, &err));
    free(text);
}

/* Each of 20 models has one within it, at the end of 150 frames. */
TEST(nesting_by_attached_models_is_one_too)
{
    enum { COUNT = 19 };
    TnMemoryFile files[COUNT];
    char names[COUNT][16], *texts[COUNT];
    for (int i = 0; i < COUNT; i++) {
        char *frames = nested("<frame>", "</frame>", 150), *inner = strstr(frames, "</frame>");
        texts[i] = malloc(strlen(frames) + 256);
        if (!texts[i]) exit(1);
        snprintf(names[i], sizeof names[i], "m%d.xml", i);
        sprintf(texts[i], "<mujoco><asset><model name='n' file='m%d.xml'/></asset>%.*s%s%s", i + 1,
                (int)(inner - frames) - 8, frames + 8,
                i + 1 < COUNT ? "<attach model='n' prefix='p'/>" : "", inner);
        files[i] = (TnMemoryFile){names[i], texts[i], strlen(texts[i])};
        free(frames);
    }
    TnError err = {0};
    TnLoadDef def = tn_load_def();
    def.files = files;
    def.file_count = COUNT;
    TnModelBuilder *builder = tn_builder_load("m0.xml", &def, NULL, &err);
    CHECK(!builder);
    CHECK_STR(err.message, "nested more than 2000 deep");
    tn_builder_destroy(builder);
    for (int i = 0; i < COUNT; i++) free(texts[i]);
}
