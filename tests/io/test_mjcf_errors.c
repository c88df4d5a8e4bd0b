/* What is wrong with a file is said at its place, all of it at once, and nothing is silently passed
 * over. */
#include "mjcf_text.h"
#include <tenon/model_info.h>

static TnError err;

typedef struct Case {
    const char *text;
    const char *place; /* line:column */
    const char *part;  /* of the message after the place */
} Case;

/* Each case has exactly one mistake, and one error for it. */
static void check_cases(const Case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        TnModel *m = load_text(cases[i].text, &err);
        if (m)
            test_fail(__FILE__, __LINE__, "case %zu loads: %s", i, cases[i].text);
        else if (err.count != 1 || err.code != TN_ERROR_MODEL ||
                 !has_line(err.message, cases[i].place, cases[i].part))
            test_fail(__FILE__, __LINE__, "case %zu, %s\n      expected %s: …%s…\n      got %d: %s",
                      i, cases[i].text, cases[i].place, cases[i].part, err.count, err.message);
        tn_model_destroy(m);
    }
}
#define CHECK_CASES(CASES) check_cases(CASES, sizeof CASES / sizeof CASES[0])

/* One geom, body, … in its surroundings; columns count from the line's start, which is the
 * element's '<'. */
#define WORLD(TEXT) "<mujoco><worldbody>\n" TEXT "\n</worldbody></mujoco>"
#define BODY(TEXT) WORLD("<body><geom size='1'/>\n" TEXT "\n</body>")
#define ARM(SECTIONS)                                                                              \
    "<mujoco><worldbody><body name='link'><joint name='hinge'/><geom name='bulk' size='1'/><site " \
    "name='tip'/></body>"                                                                          \
    "<body name='ball'><freejoint name='loose'/><geom name='round' "                               \
    "size='1'/></body></worldbody>\n" SECTIONS "\n</mujoco>"

TEST(bad_numbers_are_told_at_the_attribute)
{
    static const Case cases[] = {
        {WORLD("<geom size='0.1 x'/>"), "2:7", "size: 'x' is no number"},
        {WORLD("<geom size='1.0.0'/>"), "2:7", "'1.0.0' is no number"},
        {WORLD("<geom size='1,2'/>"), "2:7", "'1,2' is no number"},
        {WORLD("<geom size='0x1p3'/>"), "2:7", "is no number"},
        {WORLD("<geom size='NaN'/>"), "2:7", "'NaN' is not a finite number"},
        {WORLD("<geom size='1'\n  pos='0 -inf 0'/>"), "3:3", "'-inf' is not a finite number"},
        {WORLD("<geom size='1e999'/>"), "2:7", "'1e999' is not a finite number"},
        {WORLD("<geom size='1' pos='1 2'/>"), "2:16", "pos needs 3 numbers, not 2"},
        {WORLD("<geom size='1' pos=''/>"), "2:16", "pos needs 3 numbers, not 0"},
        {WORLD("<geom size='1 2 3 4'/>"), "2:7", "size needs 1 to 3 numbers, not 4"},
        {WORLD("<geom size='-1'/>"), "2:7", "'-1' must not be negative"},
        {WORLD("<geom size='1' mass='-1'/>"), "2:16", "mass: '-1' must not be negative"},
        {WORLD("<geom size='1' contype='1.5'/>"), "2:16", "'1.5' is no whole number"},
        {WORLD("<geom size='1' contype='1e12'/>"), "2:16", "is no whole number"},
        {"<mujoco>\n<option timestep='0'/></mujoco>", "2:9", "timestep: '0' must be positive"},
        {"<mujoco>\n<option timestep='-1'/></mujoco>", "2:9", "must be positive"},
    };
    CHECK_CASES(cases);
}

TEST(impossible_shapes_and_frames_are_told)
{
    static const Case cases[] = {
        {WORLD("<geom/>"), "2:1", "needs 1 positive number"},
        {WORLD("<geom size='0'/>"), "2:7", "needs 1 positive number"},
        {WORLD("<geom type='box' size='1 2'/>"), "2:18", "needs 3 positive numbers"},
        {WORLD("<geom type='capsule' size='1' fromto='1 2 3 1 2 3'/>"), "2:31",
         "the two points are the same"},
        {WORLD("<geom type='sphere' size='1' fromto='1 2 3 1 2 4'/>"), "2:30",
         "fromto is for capsules"},
        {WORLD("<geom type='capsule' size='1' pos='1 0 0' fromto='1 2 3 1 2 4'/>"), "2:31",
         "pos and fromto"},
        {WORLD("<geom size='1' quat='0 0 0 0'/>"), "2:16", "quaternion of length zero"},
        {WORLD("<geom size='1' zaxis='0 0 0'/>"), "2:16", "length zero"},
        {WORLD("<geom size='1' axisangle='0 0 0 30'/>"), "2:16", "length zero"},
        {WORLD("<geom size='1' xyaxes='1 0 0 2 0 0'/>"), "2:16", "parallel"},
        {WORLD("<geom size='1' euler='0 0 0' quat='1 0 0 0'/>"), "2:16", "only one may"},
        {WORLD("<frame quat='0 0 0 0'><geom size='1'/></frame>"), "2:8",
         "quaternion of length zero"},
        {BODY("<joint axis='0 0 0'/>"), "3:8", "axis has length zero"},
        {BODY("<joint limited='true' range='2 1'/>"), "3:23", "must be smaller"},
        {BODY("<joint type='ball' range='1 2'/>"), "3:20",
         "ball joint must be 0 and the largest angle"},
        {BODY("<inertial mass='1' diaginertia='1 1 1'/>"), "3:1", "'pos' is missing"},
        {BODY("<inertial pos='0 0 0' diaginertia='1 1 1'/>"), "3:1", "'mass' is missing"},
        {BODY("<inertial mass='1' pos='0 0 0'/>"), "3:1",
         "'diaginertia' or 'fullinertia' is missing"},
        {BODY("<inertial mass='1' pos='0 0 0' fullinertia='1 1 1 0 0 0' euler='1 2 3'/>"), "3:58",
         "cannot both be given"},
        {BODY("<inertial mass='-1' pos='0 0 0' diaginertia='1 1 1'/>"), "3:11",
         "mass: '-1' must not be negative"},
        {WORLD("<joint/>"), "2:1", "the world has no joints"},
        {WORLD("<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>"), "2:1",
         "the world has no inertia"},
        {"<mujoco>\n<compiler eulerseq='xyw'/></mujoco>", "2:11", "eulerseq is three letters"},
        {"<mujoco><compiler autolimits='false'/><worldbody><body>\n<joint range='0 1'/><geom "
         "size='1'/></body></worldbody></mujoco>",
         "2:8", "autolimits is off"},
    };
    CHECK_CASES(cases);
}

TEST(misspelt_names_get_a_suggestion)
{
    static const Case cases[] = {
        {WORLD("<goem size='1'/>"), "2:1",
         "unknown element <goem> in <worldbody>; did you mean 'geom'?"},
        {WORLD("<geom size='1' frction='1'/>"), "2:16",
         "unknown attribute 'frction'; did you mean 'friction'?"},
        {WORLD("<geom size='1' type='spere'/>"), "2:16", "did you mean 'sphere'?"},
        {"<mujoco>\n<worldbdy/></mujoco>", "2:1", "did you mean 'worldbody'?"},
        {"<mujoco>\n<option gravty='0 0 0'/></mujoco>", "2:9", "did you mean 'gravity'?"},
        {"<mujoco>\n<visual><globl/></visual></mujoco>", "2:9", "did you mean 'global'?"},
        {"<mujoco><default><default class='wheel'/></default><worldbody>\n<geom size='1' "
         "class='wheeel'/></worldbody></mujoco>",
         "2:16", "there is no default class named 'wheeel'; did you mean 'wheel'?"},
        {"<mujoco><default><default class='wheel'/></default><worldbody>\n<body "
         "childclass='whel'/></worldbody></mujoco>",
         "2:7", "did you mean 'wheel'?"},
        {"<mujoco><asset><material name='steel'/></asset><worldbody>\n<geom size='1' "
         "material='stel'/></worldbody></mujoco>",
         "2:16", "there is no material named 'stel'; did you mean 'steel'?"},
        {ARM("<actuator><motor joint='hing'/></actuator>"), "2:18",
         "there is no joint named 'hing'; did you mean 'hinge'?"},
        {ARM("<contact><pair geom1='bulk' geom2='rund'/></contact>"), "2:29",
         "did you mean 'round'?"},
        {ARM("<contact><exclude body1='link' body2='bal'/></contact>"), "2:32",
         "did you mean 'ball'?"},
        {ARM("<equality><weld body1='lnik'/></equality>"), "2:17",
         "there is no body named 'lnik'; did you mean 'link'?"},
        {ARM("<sensor><framepos objtype='site' objname='tipp'/></sensor>"), "2:34",
         "did you mean 'tip'?"},
        {ARM("<actuator><motor tendon='t'/></actuator>"), "2:18", "there is no tendon named 't'"},
        {ARM("<tenon><geom name='rond' restitution='1'/></tenon>"), "2:14",
         "did you mean 'round'?"},
        {WORLD("<light target='bll'/><body name='ball'/>"), "2:8", "did you mean 'ball'?"},
    };
    CHECK_CASES(cases);
}

TEST(unsupported_features_are_errors)
{
    static const Case cases[] = {
        {ARM("<tendon><spatial name='t'><site site='tip'/></spatial></tendon>"
             "<actuator><motor tendon='t'/></actuator>"),
         "2:9", "every branch needs two sites"},
        {ARM("<tendon><spatial><site site='tip'/><geom geom='bulk'/></spatial></tendon>"), "2:9",
         "a geom must be between two sites"},
        {ARM("<tendon><spatial><site site='tip'/><site site='tipp'/></spatial></tendon>"), "2:42",
         "there is no site named 'tipp'; did you mean 'tip'?"},
        {ARM("<tendon><fixed><joint joint='loose' coef='1'/></fixed></tendon>"), "2:23",
         "only hinge and slide joints"},
        {"<mujoco>\n<compiler coordinate='global'/></mujoco>", "2:11", "only \"local\""},
        {WORLD("<replicate count='-2'/>"), "2:12", "must not be negative"},
        {WORLD("<attach model='m' prefix='p'/>"), "2:9", "there is no model named 'm'"},
        {WORLD("<flexcomp name='f' rigid='true'/>"), "2:20", "is not supported"},
        {ARM("<actuator><motor site='tip' refsite='tipp'/></actuator>"), "2:29",
         "did you mean 'tip'?"},
        {ARM("<actuator><motor cranksite='tip'/></actuator>"), "2:11", "'slidersite' is missing"},
        {ARM("<actuator><dcmotor joint='hinge'/></actuator>"), "2:11",
         "<dcmotor> in <actuator> is not supported yet"},
        {ARM("<actuator><general joint='hinge' dyntype='user'/></actuator>"), "2:34",
         "only dyntype none"},
        {ARM("<equality><connect site1='tip' site2='tip' body1='link'/></equality>"), "2:44",
         "body1 is for bodies"},
        {ARM("<equality><weld site1='tip'/></equality>"), "2:11", "'site2' is missing"},
    };
    CHECK_CASES(cases);
}

TEST(structure_is_checked)
{
    static const Case cases[] = {
        {WORLD("<geom name='a' size='1'/><geom name='a' size='1'/>"), "2:32",
         "there is already a geom named 'a'"},
        {WORLD("<body name='world'/>"), "2:7", "name of the world body"},
        {WORLD("<geom size='1'><site/></geom>"), "2:16", "unknown element <site> in <geom>"},
        {"<mujoco>\n<default class='x'/></mujoco>", "2:10", "the class at the top level is 'main'"},
        {"<mujoco><default>\n<default/></default></mujoco>", "2:1", "needs a class"},
        {"<mujoco><default><default class='a'/>\n<default class='a'/></default></mujoco>", "2:10",
         "already"},
        {"<mujoco><default>\n<joint name='a'/></default></mujoco>", "2:8",
         "no meaning in a default class"},
        {ARM("<actuator><motor/></actuator>"), "2:11",
         "'joint', 'tendon', 'site' or 'cranksite' is missing"},
        {ARM("<equality><connect body1='link'/></equality>"), "2:11", "'anchor' is missing"},
        {ARM("<equality><weld/></equality>"), "2:11", "'body1' is missing"},
        {ARM("<keyframe><key qpos='1 2 3'/></keyframe>"), "2:16",
         "qpos has 3 numbers; the model needs 8"},
        {ARM("<keyframe><key ctrl='1'/></keyframe>"), "2:16",
         "ctrl has 1 numbers; the model needs 0"},
        {ARM("<actuator><position joint='hinge' inheritrange='1'/></actuator>"), "2:35",
         "joint or tendon with a range"},
        {ARM("<tenon theta='0.4'/>"), "2:8", "theta must be between"},
        {ARM("<tenon relinearize='0'/>"), "2:8", "at least 1"},
        {ARM("<tenon tree_passes='0'/>"), "2:8", "at least 1"},
        {ARM("<tenon substeps='-1'/>"), "2:8", "from 0 to 100"},
        {ARM("<tenon substeps='101'/>"), "2:8", "from 0 to 100"},
        {ARM("<tenon accuracy='-1e-3'/>"), "2:8", "0 or more"},
        {ARM("<tenon accuracy='nan'/>"), "2:8", "accuracy"},
        {ARM("<tenon division='half'/>"), "2:8", "auto, whole, paper, or a number of segments"},
        {ARM("<tenon division='0'/>"), "2:8", "it is '0'"},
        {ARM("<tenon division='-4'/>"), "2:8", "it is '-4'"},
        {ARM("<tenon division='4.5'/>"), "2:8", "it is '4.5'"},
        {ARM("<tenon division='1000001'/>"), "2:8", "from 1 to 1000000"},
        {ARM("<tenon division=''/>"), "2:8", "it is ''"},
        {ARM("<tenon><geom name='round' restitution='1.5'/></tenon>"), "2:27", "between 0 and 1"},
        {"<robot name='r'/>", "1:1", "the robot has no link"},
        {"<mujoco>\n<mujoco/></mujoco>", "2:1", "unknown element <mujoco>"},
        {"<sdf/>", "1:1", "the file has neither a <world> nor a <model>"},
        {"<model/>", "1:1",
         "the root of a model file is <mujoco> (MJCF), <robot> (URDF) or <sdf> (SDF), not <model>"},
        {ARM("<tendon><fixed/></tendon>"), "2:9", "at least one <joint>"},
        {ARM("<tendon><fixed><joint joint='hinge'/></fixed></tendon>"), "2:16",
         "'coef' is missing"},
        {ARM("<tendon><fixed><site site='tip'/></fixed></tendon>"), "2:16",
         "unknown element <site> in <fixed>"},
        {ARM("<tendon><fixed springlength='2 1'><joint joint='hinge' coef='1'/></fixed></tendon>"),
         "2:16", "must not exceed the second"},
        {ARM("<tendon><fixed><joint joint='hinge' coef='1'/><joint joint='hinge' coef='2'/>"
             "</fixed></tendon>"),
         "2:9", "comes twice"},
        {ARM("<tendon><fixed name='t'><joint joint='hinge' coef='1'/></fixed></tendon>"
             "<actuator><motor joint='hinge' tendon='t'/></actuator>"),
         "2:104", "joint and tendon cannot both be given"},
        {ARM("<actuator><position joint='hinge' kv='1' dampratio='1'/></actuator>"), "2:42",
         "kv and dampratio cannot both be given"},
    };
    CHECK_CASES(cases);
}

TEST(broken_xml_is_told_with_its_place)
{
    static const Case cases[] = {
        {"", "1:1", "the file is empty"},
        {"   \n", "2:1", "no element"},
        {"hello", "1:1", "syntax error"},
        {"<mujoco>\n<worldbody>\n</mujoco>", "3:3", "<worldbody> of line 2 is still open"},
        {"<mujoco>\n<worldbody>\n", "3:1", "the file ends before <worldbody> of line 2 is closed"},
        {"<mujoco>\n<geom size='1' size='2'/></mujoco>", "2:16", "duplicate attribute"},
        {"<mujoco>\n<geom size=1/></mujoco>", "2:12", "not well-formed"},
        {"<mujoco model='&nosuch;'/>", "1:1", "undefined entity"},
        {"<mujoco/>\n<mujoco/>", "2:1", "junk after document element"},
        {"<!DOCTYPE mujoco>\n<mujoco/>", "1:1", "DOCTYPE"},
        {"<mujoco>\n<option\n\xff/></mujoco>", "3:1", "not UTF-8 (byte 0xFF)"},
        {"<mujoco model='\xc0\xaf'/>", "1:16", "not UTF-8"},
    };
    CHECK_CASES(cases);
    TnModel *m = load_bytes("<mujoco>\0</mujoco>", 18, NULL, &err);
    CHECK(!m && err.count == 1 && has_line(err.message, "1:9", "not well-formed"));
    m = load_bytes("\xff\xfe<\0m\0", 6, NULL, &err); /* UTF-16 */
    CHECK(!m && err.count == 1 && has_line(err.message, "1:1", "not UTF-8"));
}

TEST(columns_count_characters)
{
    TnModel *m = load_text(WORLD("<geom name='\xc3\xa4\xe2\x82\xac' sise='1'/>"), &err);
    CHECK(!m && has_line(err.message, "2:17", "sise"));
}

TEST(entity_bombs_are_refused)
{
    TnModel *m = tn_model_load(DATA("bad_bomb.xml"), &err);
    CHECK(!m && err.count == 1 && err.code == TN_ERROR_MODEL);
    CHECK(has_line(err.message, "2:1", "DOCTYPE and entity declarations are not accepted"));
}

TEST(files_that_cannot_be_read_are_input_errors)
{
    CHECK(!tn_model_load(DATA("no_such_file.xml"), &err));
    CHECK(err.code == TN_ERROR_IO && err.count == 1);
    CHECK_STR(err.message, "no_such_file.xml: no such file");
    CHECK(!tn_model_load(DATA(""), &err));
    CHECK(err.code == TN_ERROR_IO);
    CHECK_STR(err.message, "is a directory");
    CHECK(!tn_model_load(NULL, &err));
    CHECK(err.code == TN_ERROR_USAGE);
    CHECK(!tn_model_load(DATA("no_such_file.xml"), NULL)); /* nobody listens: still no crash */
}

TEST(includes_are_checked)
{
    CHECK(!tn_model_load(DATA("bad_include.xml"), &err));
    CHECK(err.count == 5);
    CHECK(has_line(err.message, "2:12", "no such file"));
    CHECK(has_line(err.message, "3:12", "is a directory"));
    CHECK(has_line(err.message, "4:3", "'file' is missing"));
    CHECK(has_line(err.message, "5:41", "unknown attribute 'prefix'"));
    CHECK(has_line(err.message, "3:11", "'one' is no number"));
    CHECK_STR(err.message, "data/parts/bad_in_part.xml:3:11: geom: size");
    CHECK(!tn_model_load(DATA("bad_cycle.xml"), &err));
    CHECK(err.count == 1 && has_line(err.message, "2:12", "includes itself"));
    CHECK_STR(err.message, "parts/bad_cycle_back.xml:2:12: include");
    CHECK(!tn_model_load(DATA("bad_twice.xml"), &err));
    CHECK(err.count == 1 && has_line(err.message, "3:12", "already included"));
    CHECK(!tn_model_load(DATA("bad_latin1.xml"), &err));
    CHECK(err.count == 1 && has_line(err.message, "2:11", "not UTF-8 (byte 0xE9)"));
}

TEST(tracks_are_checked)
{
    CHECK(!tn_model_load(DATA("bad_track.xml"), &err));
    CHECK(err.count == 5);
    CHECK(has_line(err.message, "3:3", "'x' is not a number"));
    CHECK(has_line(err.message, "4:4", "the row must have 3 numbers"));
    CHECK(has_line(err.message, "5:6", "the row must have 3 numbers"));
    CHECK(has_line(err.message, "6:1", "times must increase"));
    CHECK(has_line(err.message, "7:3", "'nan' is not a finite number"));
    CHECK_STR(err.message, "data/bad_track.csv:3:3: track: ");
    CHECK(!tn_model_load(DATA("bad_track_header.xml"), &err));
    CHECK(err.count == 2);
    CHECK(has_line(err.message, "1:1", "the first column must be 'time', not 't'"));
    CHECK(has_line(err.message, "1:9",
                   "there is no actuator named 'alonq y'; did you mean 'along y'?"));
}

TEST(all_mistakes_of_a_file_are_told_at_once)
{
    CHECK(!tn_model_load(DATA("bad_many.xml"), &err));
    CHECK(err.code == TN_ERROR_MODEL);
    static const char *const places[] = {
        "2:13",  "2:29",  "2:44",  "3:11",  "3:24",  "3:37",  "3:53",  "6:24",  "7:14",
        "11:20", "11:33", "12:23", "12:36", "13:22", "14:13", "14:33", "15:39", "16:24",
        "17:13", "18:24", "19:24", "20:13", "21:13", "22:38", "23:25", "24:7",  "25:7",
        "26:7",  "27:22", "30:15", "31:3",  "33:21", "34:24", "37:12", "39:5",  "40:25",
        "43:20", "44:30", "49:10", "49:20", "50:11", "50:21"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (!has_line(err.message, places[i], ""))
            test_fail(__FILE__, __LINE__, "no error at %s", places[i]);
}

/* A body that moves without mass is found by the compiler, errors of the file by the reader. */
#define MASSLESS "<body name='light'><joint/></body>"
#define NO_MASS "has joints but no mass"

TEST(errors_of_the_file_and_of_the_model_come_in_one_run)
{
    static const char *const files[] = {
        WORLD(MASSLESS), /* alone: one error */
        "<mujoco><worldbody>\n" MASSLESS "\n<geom size='x'/></worldbody></mujoco>",
        "<mujoco><worldbody>\n" MASSLESS "\n<body><geom size='x'/></body></worldbody></mujoco>",
        "<mujoco><worldbody>\n" MASSLESS "</worldbody>\n<actuator><motor ctrlrange='1 x' "
        "joint='j'/></actuator></mujoco>",
        "<mujoco><option>\n\n<flag gravty='enable'/></option><worldbody>\n" MASSLESS
        "</worldbody></mujoco>",
        "<mujoco><worldbody>\n" MASSLESS "</worldbody><keyframe>\n<key tme='1'/></keyframe>"
        "</mujoco>",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        CHECK(!load_text(files[i], &err));
        bool both = err.count == (i == 0 ? 1 : i == 3 ? 3 : 2); /* 3: no joint 'j', too */
        if (!both || !has_line(err.message, i == 4 ? "4:1" : "2:1", NO_MASS))
            test_fail(__FILE__, __LINE__, "case %zu: %d: %s", i, err.count, err.message);
        if (i && strstr(err.message, NO_MASS) < strchr(err.message, '\n'))
            test_fail(__FILE__, __LINE__, "case %zu: the file's errors come first", i);
    }
}

TEST(what_follows_from_an_error_is_not_told)
{
    static const Case cases[] = {
        /* the mass is missing where the geom, inertial, class, mesh or setting has the error */
        {WORLD("<body><joint/><geom size='x'/></body>"), "2:21", "is no number"},
        {WORLD("<body><joint/><inertial mass='1' pos='0 0' diaginertia='1 1 1'/></body>"), "2:34",
         "pos needs 3 numbers"},
        {WORLD("<body><joint/><body><geom size='x'/></body></body>"), "2:27", "is no number"},
        {"<mujoco><default><geom/>\n<gem/></default><worldbody>" MASSLESS "</worldbody></mujoco>",
         "2:1", "gem"},
        {"<mujoco><asset>\n<mesh name='m' vertex='0 0 x'/></asset><worldbody>"
         "<body><joint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
         "2:16", "is no number"},
        {"<mujoco>\n<compiler inertiafromgeom='yes'/><worldbody>" MASSLESS "</worldbody></mujoco>",
         "2:11", "inertiafromgeom"},
        {WORLD("<frame childclass='c'><body><joint/></body></frame>"), "2:8", "no default class"},
        /* the actuator has nothing to move, because of the body */
        {"<mujoco><worldbody><body><joint name='j'/>\n<geom size='x'/></body></worldbody>"
         "<actuator><position joint='j' kp='1' dampratio='1'/></actuator></mujoco>",
         "2:7", "is no number"},
    };
    CHECK_CASES(cases);
}

TEST(deep_nesting_is_refused_and_a_long_chain_is_not)
{
    enum { CHAIN = 900, TOO_DEEP = 3000 };
    static char text[TOO_DEEP * 80];
    for (int kind = 0; kind < 2; kind++) {
        int depth = kind == 0 ? CHAIN : TOO_DEEP;
        size_t at = (size_t)sprintf(text, "<mujoco><worldbody>");
        for (int i = 0; i < depth; i++)
            at += (size_t)sprintf(text + at, "<body pos='0 0 1'><joint/><geom size='0.1'/>");
        for (int i = 0; i < depth; i++) at += (size_t)sprintf(text + at, "</body>");
        sprintf(text + at, "</worldbody></mujoco>");
        TnModel *m = load_text(text, &err);
        if (kind == 0)
            CHECK(m && tn_model_info(m).dof_count == CHAIN);
        else
            CHECK(!m && err.count == 1 && strstr(err.message, "nested more than 2000 deep"));
        tn_model_destroy(m);
    }
}

TEST(more_errors_than_fit_are_counted)
{
    enum { COUNT = 1000 };
    static char text[COUNT * 40 + 100];
    size_t at = (size_t)sprintf(text, "<mujoco><worldbody>");
    for (int i = 0; i < COUNT; i++) at += (size_t)sprintf(text + at, "\n<geom size='x'/>");
    sprintf(text + at, "</worldbody></mujoco>");
    CHECK(!load_text(text, &err));
    CHECK(err.count == COUNT);
    CHECK(strlen(err.message) < sizeof err.message);
}

TEST(long_names_do_not_break_messages)
{
    enum { LONG = 100000 };
    static char text[LONG + 200];
    size_t at = (size_t)sprintf(text, "<mujoco><worldbody>\n<geom ");
    memset(text + at, 'a', LONG);
    sprintf(text + at + LONG, "='1' size='1'/></worldbody></mujoco>");
    CHECK(!load_text(text, &err));
    CHECK(err.count == 1 && has_line(err.message, "2:7", "unknown attribute 'aaaa"));
}
