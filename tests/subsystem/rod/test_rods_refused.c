/* Rods that cannot be: what is wrong is said together with where it stands, a name for the
 * builder's rods and a line of the file for the others. tests/model/test_rod.c has the rest of the
 * builder's checks, tests/io/test_mjcf_composite.c that of the file's. */
#include "../../io/mjcf_text.h"

static TnError err;

static TnRodDef sound_rod(const char *name)
{
    TnRodDef rod = tn_rod_def();
    rod.name = name;
    rod.segment_count = 6;
    rod.end[0] = 1;
    return rod;
}

/* Two rods, the second one bad: just that is said, and of that one. */
static void check_refused(const TnRodDef *bad, const char *message)
{
    err = (TnError){0};
    TnModelBuilder *builder = tn_builder_create();
    TnRodDef good = sound_rod("good");
    tn_builder_add_rod(builder, &good);
    tn_builder_add_rod(builder, bad);
    TnModel *model = tn_builder_compile(builder, &err);
    if (model || strcmp(err.message, message) != 0)
        test_fail(__FILE__, __LINE__, "expected \"%s\", got \"%s\"", message,
                  model ? "a model" : err.message);
    tn_model_destroy(model);
    tn_builder_destroy(builder);
}

#define REFUSED(CHANGE, MESSAGE)                                                                   \
    do {                                                                                           \
        TnRodDef rod = sound_rod("rope");                                                          \
        CHANGE;                                                                                    \
        check_refused(&rod, MESSAGE);                                                              \
    } while (0)

TEST(builder_names_the_rod_and_what_is_wrong_with_it)
{
    REFUSED(rod.poisson_ratio = 0.5, "rod 'rope': poisson_ratio must lie in (-1, 0.5) (0.5)");
    REFUSED(rod.poisson_ratio = 0.7, "rod 'rope': poisson_ratio must lie in (-1, 0.5) (0.7)");
    REFUSED(rod.poisson_ratio = -1, "rod 'rope': poisson_ratio must lie in (-1, 0.5) (-1)");
    REFUSED(rod.poisson_ratio = -3, "rod 'rope': poisson_ratio must lie in (-1, 0.5) (-3)");
    REFUSED(rod.youngs_modulus = 0, "rod 'rope': youngs_modulus must be positive (0)");
    REFUSED(rod.youngs_modulus = -1e6, "rod 'rope': youngs_modulus must be positive (-1e+06)");
    REFUSED(rod.youngs_modulus = NAN, "rod 'rope': youngs_modulus is not finite (nan)");
    REFUSED(rod.twist_modulus = NAN, "rod 'rope': twist_modulus is not finite (nan)");
    REFUSED(rod.bend_modulus = INFINITY, "rod 'rope': bend_modulus is not finite (inf)");
    REFUSED(rod.density = NAN, "rod 'rope': density is not finite (nan)");
    REFUSED(rod.radius = -0.01, "rod 'rope': radius must be positive (-0.01)");
    REFUSED(rod.damping_time = NAN, "rod 'rope': damping_time is not finite (nan)");
    REFUSED(rod.end[0] = 0, "rod 'rope': segment 0 has length 0");
    REFUSED(rod.start[2] = NAN, "rod 'rope': start is not finite (nan)");
    REFUSED(rod.end[1] = INFINITY, "rod 'rope': end is not finite (inf)");
    REFUSED(rod.normal[0] = NAN, "rod 'rope': normal is not finite (nan)");
    REFUSED(rod.segment_count = 1, "rod 'rope': a rod needs at least two segments, not 1");
    REFUSED(rod.segment_count = 0, "rod 'rope': a rod needs at least two segments, not 0");
    REFUSED(rod.segment_count = -4, "rod 'rope': a rod needs at least two segments, not -4");
    const double broken[9] = {0, 0, 0, 0.5, NAN, 0, 1, 0, 0};
    REFUSED((rod.points = broken, rod.segment_count = 2),
            "rod 'rope': a coordinate of its points is not finite (nan)");
}

TEST(nameless_rods_are_counted_and_sources_named)
{
    REFUSED((rod.name = NULL, rod.youngs_modulus = 0),
            "rod 2: youngs_modulus must be positive (0)");
    REFUSED((rod.source = (TnSource){"ropes.txt", 7, 3}, rod.youngs_modulus = 0),
            "ropes.txt:7:3: rod 'rope': youngs_modulus must be positive (0)");
}

TEST(all_that_is_wrong_is_said_at_once)
{
    REFUSED((rod.youngs_modulus = 0, rod.poisson_ratio = 1, rod.end[0] = 0),
            "rod 'rope': youngs_modulus must be positive (0)\n"
            "rod 'rope': poisson_ratio must lie in (-1, 0.5) (1)\n"
            "rod 'rope': segment 0 has length 0");
    CHECK(err.count == 3);
}

#define CURVE "curve='s' count='5' size='1'"
#define YOUNG "young='1e6'"

TEST(file_names_the_line_of_what_is_wrong_with_a_rod)
{
    static const struct {
        const char *line, *material, *place, *part;
    } cases[] = {
        {CURVE, "young='0'", "4:15", "young: '0' must be positive"},
        {CURVE, "young='-1e6'", "4:15", "young: '-1e6' must be positive"},
        {CURVE, "young='nan'", "4:15", "young: 'nan' is not a finite number"},
        {CURVE, "poisson='-1'", "4:15", "poisson must lie between -1 and 0.5"},
        {CURVE, "poisson='.7'", "4:15", "poisson must lie between -1 and 0.5"},
        {CURVE, "poisson='nan'", "4:15", "poisson: 'nan' is not a finite number"},
        {CURVE, "density='0'", "4:15", "density: '0' must be positive"},
        {CURVE, "radius='0'", "4:15", "radius: '0' must be positive"},
        {CURVE, "damping='-1'", "4:15", "damping: '-1' must not be negative"},
        {CURVE, "restitution='2'", "4:15", "restitution must be between 0 and 1"},
        {CURVE, "stretch='1'", "4:15", "unknown attribute 'stretch'"},
        {"curve='s' count='5' size='0'", YOUNG, "2:1", "rod 'a': segment 0 has length 0"},
        {"vertex='0 0 0 0 0 0 0 0 0'", YOUNG, "2:1", "rod 'a': segment 0 has length 0"},
        {"curve='s' count='1' size='1'", YOUNG, "2:46", "must be N 1 1 with 3 <= N"},
        {"curve='s' count='-3' size='1'", YOUNG, "2:46", "must be N 1 1 with 3 <= N"},
        {"vertex='0 0 0 1 0 0'", YOUNG, "2:36", "three points or more"},
        {"curve='s' count='5' size='nan'", YOUNG, "2:56", "size: 'nan' is not a finite number"},
        {"vertex='0 0 0 nan 0 0 1 0 0'", YOUNG, "2:36", "vertex: 'nan' is not a finite number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<mujoco><worldbody>\n"
                 "<composite type='cable' prefix='a' %s><geom type='capsule' size='.01'/>"
                 "</composite></worldbody>\n"
                 "<tenon>\n"
                 "<rod name='a' %s/></tenon></mujoco>",
                 cases[i].line, cases[i].material);
        TnModel *model = load_text(text, &err);
        if (model || err.count != 1 || !has_line(err.message, cases[i].place, cases[i].part))
            test_fail(__FILE__, __LINE__, "%s, %s: %s", cases[i].line, cases[i].material,
                      model ? "a model" : err.message);
        tn_model_destroy(model);
    }
}
