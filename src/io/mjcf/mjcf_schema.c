/* mjcf_schema.c: which elements and attributes MJCF has, and what tenon does with each.
 *
 * One table per element. `plain` lists attributes that only matter for drawing or for how MuJoCo
 * stores things. What is in no table is unknown; elements that MuJoCo has and tenon does not are
 * listed by group, so that the message can say so. */
#include "../suggest.h"
#include "mjcf.h"

#include <string.h>

/* Tables read best with their own line breaks. */
/* clang-format off */
#define TEXT(NAME) {.name = NAME}
#define OWN(NAME) {.name = NAME, .where = TN_WHERE_OWN}
#define REQUIRED(NAME) {.name = NAME, .where = TN_WHERE_REQUIRED}
#define NUMBERS(MIN, MAX) .kind = TN_KIND_REAL, .min_count = MIN, .max_count = MAX
#define REAL(NAME, MIN, MAX) {.name = NAME, NUMBERS(MIN, MAX)}
#define BOUNDED(NAME, MIN, MAX, BOUND) {.name = NAME, NUMBERS(MIN, MAX), .bound = BOUND}
#define SIZE(NAME, MIN, MAX) BOUNDED(NAME, MIN, MAX, TN_BOUND_NOT_NEGATIVE)
#define INT(NAME) {.name = NAME, .kind = TN_KIND_INT, .min_count = 1, .max_count = 1}
#define WORD(NAME, WORDS) {.name = NAME, .kind = TN_KIND_WORD, .words = WORDS}
#define CHOICE(NAME, WORDS, USE) {.name = NAME, .kind = TN_KIND_WORD, .words = WORDS, .use = USE}
#define BOOL(NAME) WORD(NAME, "false true")
#define TRI(NAME) WORD(NAME, "false true auto")
#define NOTHING(NAME) {.name = NAME, .use = TN_USE_NOTHING}
#define SOFT(NAME, MIN, MAX) {.name = NAME, NUMBERS(MIN, MAX), .use = TN_USE_SOFT}
#define SOLVER(NAME) {.name = NAME, .use = TN_USE_SOLVER}
#define LENS(NAME, MIN, MAX) {.name = NAME, NUMBERS(MIN, MAX), .use = TN_USE_LENS}
#define GAP(NAME) {.name = NAME, NUMBERS(1, 1), .use = TN_USE_GAP}
#define DELAY(NAME, MAX) {.name = NAME, NUMBERS(1, MAX), .use = TN_USE_DELAY}
#define USER {.name = "user", .kind = TN_KIND_REAL, .use = TN_USE_USER}
#define ONLY(NAME, VALUE) {.name = NAME, .use = TN_USE_NEUTRAL, .words = VALUE}
#define NEVER(NAME) {.name = NAME, .use = TN_USE_NEVER}
#define ORIENTATION                                                                                \
    REAL("quat", 4, 4), REAL("axisangle", 4, 4), REAL("euler", 3, 3), REAL("xyaxes", 6, 6),        \
        REAL("zaxis", 3, 3)
#define POSE REAL("pos", 3, 3), ORIENTATION
#define SOLREF SOFT("solref", 1, 2), SOFT("solimp", 1, 5)
#define END {.name = NULL}
#define TABLE static const TnMjcfAttrRule

TABLE mujoco[] = {TEXT("model"), END};
TABLE compiler[] = {
    WORD("angle", "degree radian"), TEXT("eulerseq"), ONLY("coordinate", "local"),
    BOOL("autolimits"), TRI("inertiafromgeom"),
    {.name = "inertiagrouprange", .kind = TN_KIND_INT, .min_count = 2, .max_count = 2},
    SIZE("boundmass", 1, 1), SIZE("boundinertia", 1, 1), BOOL("balanceinertia"),
    REAL("settotalmass", 1, 1), BOOL("alignfree"), BOOL("fusestatic"), TEXT("assetdir"), TEXT("meshdir"),
    BOOL("strippath"), BOOL("exactmeshinertia"), BOOL("fitaabb"), END};
TABLE lengthrange[] = {BOOL("uselimit"), END};
TABLE option[] = {
    BOUNDED("timestep", 1, 1, TN_BOUND_POSITIVE), REAL("gravity", 3, 3), REAL("wind", 3, 3),
    SIZE("density", 1, 1), SIZE("viscosity", 1, 1), ONLY("collision", "all"),
    {.name = "actuatorgroupdisable", .kind = TN_KIND_INT},
    REAL("magnetic", 3, 3),
    CHOICE("integrator", "Euler RK4 implicit implicitfast discrete", TN_USE_SOLVER),
    CHOICE("cone", "pyramidal elliptic", TN_USE_SOLVER),
    CHOICE("jacobian", "dense sparse auto", TN_USE_SOLVER),
    CHOICE("solver", "PGS CG Newton", TN_USE_SOLVER),
    SOLVER("iterations"), SOLVER("tolerance"), SOLVER("ls_iterations"), SOLVER("ls_tolerance"),
    SOLVER("noslip_iterations"), SOLVER("noslip_tolerance"), SOLVER("ccd_iterations"),
    SOLVER("ccd_tolerance"), SOLVER("mpr_iterations"), SOLVER("mpr_tolerance"),
    SOLVER("sdf_iterations"), SOLVER("sdf_initpoints"), SOLVER("impratio"), SOLVER("apirate"),
    SOLVER("sleep_tolerance"), SOFT("o_solref", 1, 2), SOFT("o_solimp", 1, 5),
    SIZE("o_friction", 1, 5), SIZE("o_margin", 1, 1), END};
#define SWITCH(NAME) WORD(NAME, "disable enable")
#define SWITCH_SOLVER(NAME) CHOICE(NAME, "disable enable", TN_USE_SOLVER)
TABLE flag[] = {
    SWITCH("contact"), SWITCH("limit"), SWITCH("equality"), SWITCH("frictionloss"),
    SWITCH("spring"), SWITCH("damper"), SWITCH("clampctrl"), SWITCH("gravity"),
    SWITCH("constraint"), SWITCH("passive"), SWITCH("actuation"), SWITCH("filterparent"),
    SWITCH("override"), SWITCH_SOLVER("sensornoise"),
    SWITCH_SOLVER("warmstart"), SWITCH_SOLVER("refsafe"), SWITCH_SOLVER("sensor"),
    SWITCH_SOLVER("midphase"), SWITCH_SOLVER("nativeccd"), SWITCH_SOLVER("eulerdamp"),
    SWITCH_SOLVER("autoreset"), SWITCH_SOLVER("island"), SWITCH_SOLVER("energy"),
    SWITCH_SOLVER("fwdinv"), SWITCH_SOLVER("invdiscrete"), SWITCH_SOLVER("multiccd"),
    SWITCH_SOLVER("sleep"), SWITCH_SOLVER("diagexact"), SWITCH_SOLVER("ipc"),
    SWITCH_SOLVER("speculative"), END};
TABLE statistic[] = {
    REAL("center", 3, 3), BOUNDED("extent", 1, 1, TN_BOUND_POSITIVE), END};
TABLE visual_global[] = {
    REAL("azimuth", 1, 1), REAL("elevation", 1, 1), REAL("fovy", 1, 1), BOOL("orthographic"), END};
TABLE default_class[] = {TEXT("class"), END};

TABLE body[] = {
    TEXT("name"), TEXT("childclass"), POSE, BOOL("mocap"), REAL("gravcomp", 1, 1), USER,
    END};
TABLE frame[] = {TEXT("name"), TEXT("childclass"), POSE, END};
TABLE replicate[] = {
    {.name = "count", .kind = TN_KIND_INT, .min_count = 1, .max_count = 1,
     .where = TN_WHERE_REQUIRED},
    TEXT("sep"), REAL("offset", 3, 3), REAL("euler", 3, 3), END};
TABLE attach[] = {REQUIRED("model"), TEXT("body"), TEXT("frame"), REQUIRED("prefix"), END};
TABLE model[] = {TEXT("name"), REQUIRED("file"), NOTHING("content_type"), END};
TABLE inertial[] = {
    {.name = "mass", NUMBERS(1, 1), .bound = TN_BOUND_NOT_NEGATIVE, .where = TN_WHERE_REQUIRED},
    {.name = "pos", NUMBERS(3, 3), .where = TN_WHERE_REQUIRED},
    ORIENTATION, SIZE("diaginertia", 3, 3), REAL("fullinertia", 6, 6), END};
TABLE joint[] = {
    OWN("name"), OWN("class"), WORD("type", "free ball slide hinge"), REAL("pos", 3, 3),
    REAL("axis", 3, 3), REAL("ref", 1, 1), TRI("limited"), REAL("range", 2, 2),
    REAL("stiffness", 1, 3), REAL("springref", 1, 1), REAL("damping", 1, 3), SIZE("armature", 1, 1),
    SIZE("frictionloss", 1, 1), SIZE("springdamper", 2, 2), ONLY("springyield", "0"),
    TRI("actuatorfrclimited"), REAL("actuatorfrcrange", 2, 2),
    BOOL("actuatorgravcomp"), GAP("margin"), SOFT("solreflimit", 1, 2),
    SOFT("solimplimit", 1, 5), SOFT("solreffriction", 1, 2), SOFT("solimpfriction", 1, 5),
    NOTHING("group"), USER, END};
TABLE freejoint[] = {OWN("name"), NOTHING("group"), WORD("align", "false true auto"), END};
TABLE geom[] = {
    OWN("name"), OWN("class"),
    WORD("type", "plane hfield sphere capsule ellipsoid cylinder box mesh sdf"), POSE,
    SIZE("size", 1, 3), REAL("fromto", 6, 6), SIZE("density", 1, 1), SIZE("mass", 1, 1),
    BOOL("shellinertia"), INT("contype"), INT("conaffinity"), WORD("condim", "1 3 4 6"),
    INT("priority"), SIZE("friction", 1, 3), SIZE("margin", 1, 1), NOTHING("gap"), SOLREF,
    SOFT("solmix", 1, 1), INT("group"), SIZE("rgba", 3, 4), TEXT("material"), TEXT("mesh"),
    TEXT("hfield"), WORD("fluidshape", "none ellipsoid"), REAL("fluidcoef", 1, 5), ONLY("adhesion", "0"),
    ONLY("surfacevel", "0"), BOUNDED("fitscale", 1, 1, TN_BOUND_POSITIVE), NOTHING("castshadow"), USER, END};
TABLE site[] = {
    OWN("name"), OWN("class"),
    CHOICE("type", "sphere capsule ellipsoid cylinder box", TN_USE_NOTHING),
    POSE, SIZE("size", 1, 3), REAL("fromto", 6, 6), NOTHING("group"),
    {.name = "rgba", NUMBERS(3, 4), .use = TN_USE_NOTHING},
    TEXT("material"), NOTHING("mesh"), USER, END};
TABLE camera[] = {
    OWN("name"), OWN("class"), POSE, WORD("mode", "fixed track trackcom targetbody targetbodycom"),
    OWN("target"), REAL("fovy", 1, 1), LENS("ipd", 1, 1), LENS("resolution", 2, 2),
    LENS("focal", 2, 2), LENS("focalpixel", 2, 2), LENS("principal", 2, 2),
    LENS("principalpixel", 2, 2), LENS("sensorsize", 2, 2),
    CHOICE("orthographic", "false true", TN_USE_LENS),
    CHOICE("projection", "perspective orthographic", TN_USE_LENS),
    {.name = "output", .use = TN_USE_LENS}, USER, END};
TABLE light[] = {
    OWN("name"), OWN("class"), REAL("pos", 3, 3), REAL("dir", 3, 3),
    WORD("mode", "fixed track trackcom targetbody targetbodycom"), OWN("target"),
    WORD("type", "spot directional point image"), BOOL("directional"), BOOL("active"),
    BOOL("castshadow"), SIZE("ambient", 3, 3), SIZE("diffuse", 3, 3), SIZE("specular", 3, 3),
    SIZE("attenuation", 3, 3), SIZE("cutoff", 1, 1), SIZE("exponent", 1, 1), END};
TABLE headlight[] = {
    SIZE("ambient", 3, 3), SIZE("diffuse", 3, 3), SIZE("specular", 3, 3), INT("active"), END};
TABLE visual_rgba[] = {SIZE("haze", 3, 4), END};
TABLE pair[] = {
    OWN("name"), OWN("class"), REQUIRED("geom1"), REQUIRED("geom2"), WORD("condim", "1 3 4 6"),
    SIZE("friction", 1, 5), SIZE("margin", 1, 1), NOTHING("gap"), SOLREF, SOFT("solreffriction", 1, 2),
    ONLY("adhesion", "0"), END};
TABLE exclude[] = {TEXT("name"), REQUIRED("body1"), REQUIRED("body2"), END};
TABLE equality_default[] = {BOOL("active"), SOLREF, END};
TABLE connect[] = {
    OWN("name"), OWN("class"), OWN("body1"), OWN("body2"), REAL("anchor", 3, 3), BOOL("active"),
    OWN("site1"), OWN("site2"), SOLREF, END};
TABLE weld[] = {
    OWN("name"), OWN("class"), OWN("body1"), OWN("body2"), REAL("anchor", 3, 3),
    REAL("relpose", 7, 7), BOOL("active"), SOFT("torquescale", 1, 1), OWN("site1"),
    OWN("site2"), SOLREF, END};
TABLE joint_equality[] = {
    OWN("name"), OWN("class"), REQUIRED("joint1"), OWN("joint2"), REAL("polycoef", 1, 5),
    BOOL("active"), SOLREF, END};
TABLE tendon_equality[] = {
    OWN("name"), OWN("class"), REQUIRED("tendon1"), OWN("tendon2"), REAL("polycoef", 1, 5),
    BOOL("active"), SOLREF, END};

TABLE tendon[] = {
    OWN("name"), OWN("class"), TRI("limited"), REAL("range", 2, 2), SIZE("stiffness", 1, 1),
    REAL("springlength", 1, 2), SIZE("damping", 1, 1), SIZE("frictionloss", 1, 1),
    SIZE("armature", 1, 1), ONLY("springyield", "0"), TRI("actuatorfrclimited"),
    REAL("actuatorfrcrange", 2, 2), GAP("margin"), SOFT("solreflimit", 1, 2), SOFT("solimplimit", 1, 5),
    SOFT("solreffriction", 1, 2), SOFT("solimpfriction", 1, 5), NOTHING("group"),
    BOUNDED("width", 1, 1, TN_BOUND_POSITIVE), SIZE("rgba", 3, 4), USER, END};
TABLE tendon_site[] = {REQUIRED("site"), END};
TABLE tendon_geom[] = {REQUIRED("geom"), OWN("sidesite"), END};
TABLE tendon_pulley[] = {
    {.name = "divisor", NUMBERS(1, 1), .where = TN_WHERE_REQUIRED, .bound = TN_BOUND_POSITIVE},
    END};
TABLE tendon_joint[] = {
    REQUIRED("joint"), {.name = "coef", NUMBERS(1, 1), .where = TN_WHERE_REQUIRED}, END};

#define TRANSMISSION                                                                               \
    OWN("name"), OWN("class"), OWN("joint"), OWN("jointinparent"), OWN("tendon"), OWN("site"),     \
        OWN("refsite"), OWN("body"), OWN("cranksite"), OWN("slidersite"),                        \
        REAL("cranklength", 1, 1), REAL("lengthrange", 2, 2), REAL("gear", 1, 6), TRI("ctrllimited"), \
        REAL("ctrlrange", 2, 2), TRI("forcelimited"), REAL("forcerange", 2, 2), NOTHING("group"),  \
        ONLY("delay", "0"), ONLY("nsample", "0"), NOTHING("interp"), REAL("damping", 1, 3),         \
        SIZE("armature", 1, 1), USER
#define ACTIVATION TRI("actlimited"), REAL("actrange", 2, 2)
TABLE general[] = {
    TRANSMISSION, ACTIVATION, WORD("dyntype", "none integrator filter filterexact muscle dcmotor pid user"),
    WORD("gaintype", "fixed affine muscle dcmotor so3 pid user"),
    WORD("biastype", "none affine muscle dcmotor so3 user"), REAL("gainprm", 1, 10),
    REAL("biasprm", 1, 10), REAL("dynprm", 1, 10), INT("actdim"), BOOL("actearly"),
    SIZE("inheritrange", 1, 1), NEVER("input"), NEVER("velrange"), NEVER("ffrange"), END};
TABLE motor[] = {TRANSMISSION, END};
TABLE position[] = {
    TRANSMISSION, SIZE("kp", 1, 1), SIZE("kv", 1, 1), SIZE("dampratio", 1, 1),
    SIZE("timeconst", 1, 1), SIZE("inheritrange", 1, 1), END};
TABLE velocity[] = {TRANSMISSION, SIZE("kv", 1, 1), END};
TABLE intvelocity[] = {
    TRANSMISSION, ACTIVATION, SIZE("kp", 1, 1), SIZE("kv", 1, 1), SIZE("dampratio", 1, 1),
    SIZE("inheritrange", 1, 1), END};
TABLE damper[] = {TRANSMISSION, SIZE("kv", 1, 1), END};
TABLE cylinder[] = {
    TRANSMISSION, SIZE("timeconst", 1, 1), REAL("area", 1, 1), REAL("diameter", 1, 1),
    REAL("bias", 3, 3), END};
TABLE adhesion[] = {
    OWN("name"), OWN("class"), OWN("body"), REAL("ctrlrange", 2, 2), REAL("gain", 1, 1),
    TRI("forcelimited"), REAL("forcerange", 2, 2), NOTHING("group"), ONLY("delay", "0"),
    ONLY("nsample", "0"), NOTHING("interp"), USER, END};
TABLE actuator_plugin[] = {
    TRANSMISSION, OWN("plugin"), OWN("instance"), INT("actdim"), ONLY("dyntype", "none"),
    NOTHING("dynprm"), BOOL("actearly"), END};
TABLE muscle[] = {
    TRANSMISSION, SIZE("timeconst", 2, 2), SIZE("tausmooth", 1, 1), REAL("range", 2, 2),
    REAL("force", 1, 1), REAL("scale", 1, 1), REAL("lmin", 1, 1), REAL("lmax", 1, 1),
    REAL("vmax", 1, 1), REAL("fpmax", 1, 1), REAL("fvmax", 1, 1), END};

#define SENSOR_COMMON                                                                              \
    TEXT("name"), SIZE("cutoff", 1, 1), NOTHING("noise"), DELAY("delay", 1), NOTHING("interp"),     \
        DELAY("interval", 2), DELAY("nsample", 1), USER
TABLE joint_sensor[] = {SENSOR_COMMON, REQUIRED("joint"), END};
TABLE tendon_sensor[] = {SENSOR_COMMON, REQUIRED("tendon"), END};
TABLE actuator_sensor[] = {SENSOR_COMMON, REQUIRED("actuator"), END};
TABLE site_sensor[] = {SENSOR_COMMON, REQUIRED("site"), END};
TABLE frame_sensor[] = {
    SENSOR_COMMON,
    {.name = "objtype", .kind = TN_KIND_WORD, .words = "body xbody site geom camera",
     .where = TN_WHERE_REQUIRED},
    REQUIRED("objname"), WORD("reftype", "body xbody site geom camera"), TEXT("refname"), END};
TABLE acceleration_sensor[] = {
    SENSOR_COMMON,
    {.name = "objtype", .kind = TN_KIND_WORD, .words = "body xbody site geom camera",
     .where = TN_WHERE_REQUIRED},
    REQUIRED("objname"), END};
TABLE body_sensor[] = {SENSOR_COMMON, REQUIRED("body"), END};
TABLE clock_sensor[] = {SENSOR_COMMON, END};
#define PICKS TEXT("geom1"), TEXT("geom2"), TEXT("body1"), TEXT("body2")
TABLE range_sensor[] = {SENSOR_COMMON, TEXT("site"), TEXT("camera"), TEXT("data"), END};
TABLE projection_sensor[] = {SENSOR_COMMON, REQUIRED("site"), REQUIRED("camera"), END};
TABLE inside_sensor[] = {
    SENSOR_COMMON,
    {.name = "objtype", .kind = TN_KIND_WORD, .words = "body xbody site geom camera",
     .where = TN_WHERE_REQUIRED},
    REQUIRED("objname"), REQUIRED("site"), BOOL("enclosed"), END};
TABLE distance_sensor[] = {SENSOR_COMMON, PICKS, END};
TABLE contact_sensor[] = {
    SENSOR_COMMON, PICKS, TEXT("subtree1"), TEXT("subtree2"), TEXT("site"), INT("num"),
    TEXT("data"), WORD("reduce", "none mindist maxforce netforce"), END};
TABLE user_sensor[] = {
    TEXT("name"), SIZE("cutoff", 1, 1), NOTHING("noise"), NOTHING("objtype"), NOTHING("objname"),
    NOTHING("datatype"), NOTHING("needstage"), INT("dim"), USER, END};

TABLE key[] = {
    TEXT("name"), REAL("time", 1, 1), REAL("qpos", 0, 0), REAL("qvel", 0, 0), REAL("ctrl", 0, 0),
    REAL("act", 0, 0), REAL("mpos", 0, 0), REAL("mquat", 0, 0), NEVER("plastic"), END};
#define SHARE(NAME) REAL(NAME, 1, 1)
TABLE material[] = {
    OWN("name"), OWN("class"), SIZE("rgba", 3, 4), TEXT("texture"), REAL("texrepeat", 1, 2),
    BOOL("texuniform"), SIZE("emission", 1, 1), SHARE("specular"), SHARE("shininess"),
    SHARE("reflectance"), SHARE("metallic"), SHARE("roughness"), END};
TABLE material_layer[] = {REQUIRED("texture"), REQUIRED("role"), END};
TABLE texture[] = {
    OWN("name"), OWN("class"), OWN("file"), OWN("fileright"), OWN("fileleft"), OWN("fileup"),
    OWN("filedown"), OWN("filefront"), OWN("fileback"), WORD("type", "2d cube skybox"),
    WORD("builtin", "none gradient checker flat"), WORD("mark", "none edge cross random"),
    SIZE("rgb1", 3, 3), SIZE("rgb2", 3, 3), SIZE("markrgb", 3, 3), SIZE("random", 1, 1),
    INT("width"), INT("height"), {.name = "gridsize", .kind = TN_KIND_INT, .min_count = 2, .max_count = 2},
    TEXT("gridlayout"), BOOL("hflip"), BOOL("vflip"), END};
#define TEXTURE_PLAIN "colorspace content_type embed nchannel"
TABLE mesh[] = {
    OWN("name"), OWN("class"), OWN("file"), REAL("scale", 3, 3),
    {.name = "refpos", NUMBERS(3, 3), .where = TN_WHERE_OWN},
    {.name = "refquat", NUMBERS(4, 4), .where = TN_WHERE_OWN},
    WORD("inertia", "convex exact legacy shell"),
    {.name = "maxhullvert", .kind = TN_KIND_INT, .min_count = 1, .max_count = 1,
     .use = TN_USE_HULL},
    {.name = "vertex", .kind = TN_KIND_REAL, .where = TN_WHERE_OWN},
    {.name = "face", .kind = TN_KIND_INT, .where = TN_WHERE_OWN}, OWN("content_type"),
    {.name = "texcoord", .kind = TN_KIND_REAL, .where = TN_WHERE_OWN}, OWN("material"), {.name = "params", .kind = TN_KIND_REAL, .where = TN_WHERE_OWN},
    {.name = "builtin", .kind = TN_KIND_WORD, .where = TN_WHERE_OWN,
     .words = "none sphere hemisphere cone supersphere supertorus wedge plate"}, END};
TABLE skin[] = {TEXT("name"), TEXT("file"), END};
#define SKIN_PLAIN "face group inflate material rgba texcoord vertex"
TABLE custom[] = {REQUIRED("name"), END};
TABLE tenon[] = {REAL("theta", 1, 1), INT("tree_passes"), INT("relinearize"), INT("substeps"), REAL("accuracy", 1, 1), REAL("stabilization", 1, 1),
    REAL("contact_stiffness", 1, 1), TEXT("division"), INT("pieces"), END};
TABLE hfield[] = {
    OWN("name"), OWN("content_type"), OWN("file"), INT("nrow"), INT("ncol"),
    {.name = "elevation", .kind = TN_KIND_REAL, .where = TN_WHERE_OWN}, SIZE("size", 4, 4), END};
TABLE tenon_mesh[] = {
    REQUIRED("name"), WORD("collision", "hull triangles decompose"), END};
TABLE tenon_geom[] = {REQUIRED("name"), REAL("restitution", 1, 1), END};
TABLE tenon_rod[] = {
    OWN("name"), BOUNDED("young", 1, 1, TN_BOUND_POSITIVE), REAL("poisson", 1, 1),
    BOUNDED("density", 1, 1, TN_BOUND_POSITIVE), BOUNDED("radius", 1, 1, TN_BOUND_POSITIVE),
    SIZE("damping", 1, 1), BOOL("straight"), BOOL("self_contact"),
    REAL("restitution", 1, 1), INT("group"), REAL("points", 0, 0), REAL("start", 3, 3),
    REAL("end", 3, 3), INT("segments"), REAL("normal", 3, 3), SIZE("bend", 1, 1),
    SIZE("twist", 1, 1), INT("after"), INT("contype"), INT("conaffinity"), INT("condim"),
    INT("priority"), SIZE("friction", 1, 3), REAL("margin", 1, 1), INT("drawing_group"),
    SIZE("rgba", 4, 4), END};
TABLE rod_segment[] = {
    {.name = "index", .kind = TN_KIND_INT, .min_count = 1, .max_count = 1,
     .where = TN_WHERE_REQUIRED}, OWN("body"), OWN("geom"), END};
TABLE tenon_wheel[] = {
    OWN("name"), REQUIRED("body"), REAL("pos", 3, 3), REAL("axle", 3, 3), SIZE("radius", 1, 1),
    WORD("roll", "rolling skate"), REAL("normal", 3, 3), BOOL("keep"), END};
TABLE extension_plugin[] = {REQUIRED("plugin"), END};
TABLE composite[] = {
    {.name = "type", .use = TN_USE_NEUTRAL, .words = "cable", .where = TN_WHERE_REQUIRED},
    TEXT("prefix"), {.name = "count", .kind = TN_KIND_INT, .min_count = 1, .max_count = 3},
    REAL("offset", 3, 3), REAL("vertex", 0, 0), WORD("initial", "free ball none"), TEXT("curve"),
    REAL("size", 1, 3), ONLY("quat", "1 0 0 0"), ONLY("flatinertia", "0"),
    SOFT("solrefsmooth", 1, 2), SOFT("solimpsmooth", 1, 5), END};
TABLE composite_geom[] = {
    WORD("type", "plane hfield sphere capsule ellipsoid cylinder box mesh sdf"),
    SIZE("size", 1, 3), SIZE("density", 1, 1), SIZE("mass", 1, 1), INT("contype"),
    INT("conaffinity"), WORD("condim", "1 3 4 6"), INT("priority"), SIZE("friction", 1, 3),
    SIZE("margin", 1, 1), NOTHING("gap"), SOLREF, SOFT("solmix", 1, 1), INT("group"),
    SIZE("rgba", 3, 4), TEXT("material"), END};
TABLE composite_joint[] = {
    {.name = "kind", .use = TN_USE_NEUTRAL, .words = "main", .where = TN_WHERE_REQUIRED},
    NOTHING("type"), NOTHING("axis"), NOTHING("group"),
    {.name = "damping", NUMBERS(1, 1), .use = TN_USE_CABLE, .bound = TN_BOUND_NOT_NEGATIVE},
    {.name = "armature", NUMBERS(1, 1), .use = TN_USE_CABLE, .bound = TN_BOUND_NOT_NEGATIVE},
    ONLY("stiffness", "0"), ONLY("frictionloss", "0"), ONLY("limited", "false"), NEVER("range"),
    GAP("margin"), SOFT("solreflimit", 1, 2), SOFT("solimplimit", 1, 5),
    SOFT("solreffriction", 1, 2), SOFT("solimpfriction", 1, 5), SOFT("solreffix", 1, 2),
    SOFT("solimpfix", 1, 5), END};
TABLE composite_plugin[] = {REQUIRED("plugin"), NEVER("instance"), END};
TABLE plugin_config[] = {REQUIRED("key"), REQUIRED("value"), END};
/* Texture coordinates and shading only colour; inertiabox turns points that never turn. */
#define FLEX(NAME) CHOICE(NAME, "false true", TN_USE_FLEX)
#define FLEX_COMMON                                                                                \
    REQUIRED("name"), INT("dim"), SIZE("radius", 1, 1), SIZE("rgba", 3, 4), TEXT("material"),      \
        INT("group"), NOTHING("flatskin"), NOTHING("texcoord")
TABLE flexcomp[] = {
    FLEX_COMMON, WORD("type", "grid box cylinder ellipsoid square disc circle mesh gmsh direct"),
    WORD("dof", "full trilinear quadratic"),
    {.name = "cellcount", .kind = TN_KIND_INT, .min_count = 3, .max_count = 3},
    {.name = "count", .kind = TN_KIND_INT, .min_count = 3, .max_count = 3},
    REAL("spacing", 3, 3), BOOL("rigid"), BOUNDED("mass", 1, 1, TN_BOUND_POSITIVE),
    NOTHING("inertiabox"), REAL("scale", 3, 3), TEXT("file"), NEVER("mesh"), POSE,
    REAL("origin", 3, 3), REAL("point", 0, 0), {.name = "element", .kind = TN_KIND_INT}, END};
TABLE flex[] = {
    FLEX_COMMON, REQUIRED("body"), REAL("vertex", 0, 0),
    {.name = "element", .kind = TN_KIND_INT, .where = TN_WHERE_REQUIRED},
    ONLY("dof", "full"), NEVER("cellcount"), NOTHING("elemtexcoord"), NEVER("node"), NEVER("nodecoord"), END};
TABLE flex_equality[] = {
    OWN("name"), OWN("class"), REQUIRED("flex"), BOOL("active"), SOLREF, END};
TABLE flex_edge[] = {
    WORD("equality", "false true strain"), REAL("stiffness", 1, 1), SIZE("damping", 1, 1), SOLREF,
    END};
TABLE flex_elasticity[] = {
    SIZE("young", 1, 1), REAL("poisson", 1, 1), SIZE("damping", 1, 1),
    SIZE("thickness", 1, 1), WORD("elastic2d", "none bend stretch both"), NEVER("yield"), NEVER("section"), NEVER("sectionsize"),
    NEVER("shear"), END};
#define SOFT_CONTACT                                                                               \
    INT("contype"), INT("conaffinity"), INT("priority"), SIZE("friction", 1, 3),                   \
        SIZE("margin", 1, 1)
TABLE flex_contact[] = {
    SOFT_CONTACT, WORD("condim", "1 3 4 6"), NOTHING("gap"), SOLREF, SOFT("solmix", 1, 1),
    WORD("selfcollide", "none narrow bvh sap auto"), FLEX("internal"), FLEX("vertcollide"),
    FLEX("passive"),
    {.name = "activelayers", .kind = TN_KIND_INT, .min_count = 1, .max_count = 1,
     .use = TN_USE_FLEX}, END};
#define INTS(NAME) {.name = NAME, .kind = TN_KIND_INT}
TABLE flex_pin[] = {INTS("id"), INTS("range"), INTS("grid"), INTS("gridrange"), END};
TABLE tenon_soft[] = {
    REQUIRED("name"), TEXT("file"), BOUNDED("thickness", 1, 1, TN_BOUND_POSITIVE),
    SIZE("stretch_modulus", 1, 1), BOOL("stretch"), BOOL("bend"), BOUNDED("box", 3, 3, TN_BOUND_POSITIVE),
    BOUNDED("cylinder", 2, 2, TN_BOUND_POSITIVE), BOUNDED("ball", 1, 1, TN_BOUND_POSITIVE),
    {.name = "cells", .kind = TN_KIND_INT, .min_count = 1, .max_count = 3},
    WORD("tets_per_cell", "5 6"), REAL("scale", 3, 3), POSE,
    BOUNDED("young", 1, 1, TN_BOUND_POSITIVE), REAL("poisson", 1, 1),
    BOUNDED("density", 1, 1, TN_BOUND_POSITIVE), BOUNDED("mass", 1, 1, TN_BOUND_POSITIVE),
    WORD("law", "corotational neohookean"), SIZE("damping", 1, 1), SIZE("mass_damping", 1, 1),
    WORD("mass_matrix", "lumped consistent"), BOOL("mean_dilatation"), INT("pieces"),
    BOOL("self_contact"), SIZE("radius", 1, 1), SOFT_CONTACT, WORD("condim", "1 3"),
    REAL("restitution", 1, 1), SIZE("rgba", 3, 4), TEXT("material"), INT("group"), END};
#define REGION                                                                                     \
    INTS("nodes"), INTS("range"), REAL("box", 6, 6), REAL("ball", 4, 4), TEXT("within")
TABLE soft_hold[] = {TEXT("body"), TEXT("site"), REGION, END};
TABLE soft_pin[] = {REGION, END};
TABLE tenon_tie[] = {REQUIRED("soft1"), REQUIRED("soft2"), REGION, END};
TABLE track[] = {REQUIRED("file"), INT("loop_from"), END};

#define TENDON_PLAIN "material"
/* Union over MuJoCo's actuators: classes may speak for kinds that are refused only when used. */
#define ACTUATOR_PLAIN                                                                             \
    "actdim actearly actlimited actrange area armature bias biasprm biastype cogging controller "  \
    "cranklength ctrllimited ctrlrange damping dampratio delay diameter dynprm dyntype ffrange "   \
    "force forcelimited forcerange fpmax fvmax gain gainprm gaintype gear group imax inductance "  \
    "inheritrange input interp ki kp kv lmax lmin lugre motorconst nominal nsample posrange "      \
    "range resistance saturation scale slewmax tausmooth thermal timeconst user velrange vmax"

typedef struct GroupedRule {
    TnMjcfGroup group;
    TnMjcfRule rule;
} GroupedRule;

static const GroupedRule rules[] = {
    {TN_GROUP_ROOT, {"mujoco", mujoco, NULL}},
    {TN_GROUP_TOP, {"compiler", compiler,
     "texturedir discardvisual usethread convexhull conflict passthrough savecanonical savecompiled saveinertial"}},
    {TN_GROUP_TOP, {"option", option, NULL}},
    {TN_GROUP_TOP, {"size", NULL,
     "memory nconmax njmax nkey nstack nuserdata nuser_actuator nuser_body nuser_cam nuser_geom "
     "nuser_jnt nuser_sensor nuser_site nuser_tendon"}},
    {TN_GROUP_TOP, {"statistic", statistic, "meaninertia meanmass meansize"}},
    {TN_GROUP_TOP, {"visual", NULL, NULL}},
    {TN_GROUP_TOP, {"default", default_class, NULL}},
    {TN_GROUP_TOP, {"asset", NULL, NULL}},
    {TN_GROUP_TOP, {"worldbody", NULL, NULL}},
    {TN_GROUP_TOP, {"contact", NULL, NULL}},
    {TN_GROUP_TOP, {"equality", NULL, NULL}},
    {TN_GROUP_TOP, {"tendon", NULL, NULL}},
    {TN_GROUP_TOP, {"actuator", NULL, NULL}},
    {TN_GROUP_TOP, {"sensor", NULL, NULL}},
    {TN_GROUP_TOP, {"keyframe", NULL, NULL}},
    {TN_GROUP_TOP, {"custom", NULL, NULL}},
    {TN_GROUP_TOP, {"tenon", tenon, NULL}},
    {TN_GROUP_COMPILER, {"lengthrange", lengthrange,
     "accel interval inttotal maxforce mode timeconst timestep tolrange useexisting"}},
    {TN_GROUP_OPTION, {"flag", flag, NULL}},
    {TN_GROUP_BODY, {"body", body, "simple sleep fuse"}},
    {TN_GROUP_BODY, {"frame", frame, NULL}},
    {TN_GROUP_BODY, {"replicate", replicate, NULL}},
    {TN_GROUP_BODY, {"attach", attach, NULL}},
    {TN_GROUP_BODY, {"inertial", inertial, NULL}},
    {TN_GROUP_BODY, {"joint", joint, NULL}},
    {TN_GROUP_BODY, {"freejoint", freejoint, NULL}},
    {TN_GROUP_BODY, {"geom", geom, NULL}},
    {TN_GROUP_BODY, {"site", site, NULL}},
    {TN_GROUP_BODY, {"camera", camera, NULL}},
    {TN_GROUP_BODY, {"light", light, "bulbradius intensity range softness texture"}},
    {TN_GROUP_DEFAULT, {"default", default_class, NULL}},
    {TN_GROUP_DEFAULT, {"mesh", mesh, NULL}},
    {TN_GROUP_DEFAULT, {"texture", texture, TEXTURE_PLAIN}},
    {TN_GROUP_DEFAULT, {"material", material, NULL}},
    {TN_GROUP_DEFAULT, {"pair", pair, NULL}},
    {TN_GROUP_DEFAULT, {"equality", equality_default, NULL}},
    {TN_GROUP_DEFAULT, {"tendon", tendon, TENDON_PLAIN}},
    {TN_GROUP_DEFAULT, {"dcmotor", NULL, ACTUATOR_PLAIN}},
    {TN_GROUP_DEFAULT, {"pid", NULL, ACTUATOR_PLAIN}},
    {TN_GROUP_DEFAULT, {"orientation", NULL, ACTUATOR_PLAIN}},
    {TN_GROUP_ASSET, {"mesh", mesh, "normal smoothnormal"}},
    {TN_GROUP_ASSET, {"texture", texture, TEXTURE_PLAIN}},
    {TN_GROUP_ASSET, {"material", material, NULL}},
    {TN_GROUP_MATERIAL, {"layer", material_layer, NULL}},
    {TN_GROUP_ASSET, {"model", model, NULL}},
    {TN_GROUP_ASSET, {"skin", skin, SKIN_PLAIN}},
    {TN_GROUP_DEFORMABLE, {"skin", skin, SKIN_PLAIN}},
    {TN_GROUP_CONTACT, {"pair", pair, NULL}},
    {TN_GROUP_CONTACT, {"exclude", exclude, NULL}},
    {TN_GROUP_EQUALITY, {"connect", connect, NULL}},
    {TN_GROUP_EQUALITY, {"weld", weld, NULL}},
    {TN_GROUP_EQUALITY, {"joint", joint_equality, NULL}},
    {TN_GROUP_EQUALITY, {"tendon", tendon_equality, NULL}},
    {TN_GROUP_EQUALITY, {"flex", flex_equality, NULL}},
    {TN_GROUP_TENDON, {"fixed", tendon, TENDON_PLAIN}},
    {TN_GROUP_TENDON, {"spatial", tendon, TENDON_PLAIN}},
    {TN_GROUP_SPATIAL, {"site", tendon_site, NULL}},
    {TN_GROUP_SPATIAL, {"geom", tendon_geom, NULL}},
    {TN_GROUP_SPATIAL, {"pulley", tendon_pulley, NULL}},
    {TN_GROUP_FIXED, {"joint", tendon_joint, NULL}},
    {TN_GROUP_ACTUATOR, {"general", general, NULL}},
    {TN_GROUP_ACTUATOR, {"motor", motor, NULL}},
    {TN_GROUP_ACTUATOR, {"position", position, NULL}},
    {TN_GROUP_ACTUATOR, {"velocity", velocity, NULL}},
    {TN_GROUP_ACTUATOR, {"intvelocity", intvelocity, NULL}},
    {TN_GROUP_ACTUATOR, {"damper", damper, NULL}},
    {TN_GROUP_ACTUATOR, {"cylinder", cylinder, NULL}},
    {TN_GROUP_ACTUATOR, {"muscle", muscle, NULL}},
    {TN_GROUP_ACTUATOR, {"adhesion", adhesion, NULL}},
    {TN_GROUP_ACTUATOR, {"plugin", actuator_plugin, NULL}},
    {TN_GROUP_SENSOR, {"jointpos", joint_sensor, NULL}},
    {TN_GROUP_SENSOR, {"jointvel", joint_sensor, NULL}},
    {TN_GROUP_SENSOR, {"tendonpos", tendon_sensor, NULL}},
    {TN_GROUP_SENSOR, {"tendonvel", tendon_sensor, NULL}},
    {TN_GROUP_SENSOR, {"actuatorpos", actuator_sensor, NULL}},
    {TN_GROUP_SENSOR, {"actuatorvel", actuator_sensor, NULL}},
    {TN_GROUP_SENSOR, {"jointactuatorfrc", joint_sensor, NULL}},
    {TN_GROUP_SENSOR, {"actuatorfrc", actuator_sensor, NULL}},
    {TN_GROUP_SENSOR, {"force", site_sensor, NULL}},
    {TN_GROUP_SENSOR, {"torque", site_sensor, NULL}},
    {TN_GROUP_SENSOR, {"gyro", site_sensor, NULL}},
    {TN_GROUP_SENSOR, {"velocimeter", site_sensor, NULL}},
    {TN_GROUP_SENSOR, {"framepos", frame_sensor, NULL}},
    {TN_GROUP_SENSOR, {"framequat", frame_sensor, NULL}},
    {TN_GROUP_SENSOR, {"framexaxis", frame_sensor, NULL}},
    {TN_GROUP_SENSOR, {"frameyaxis", frame_sensor, NULL}},
    {TN_GROUP_SENSOR, {"framezaxis", frame_sensor, NULL}},
    {TN_GROUP_SENSOR, {"framelinvel", frame_sensor, NULL}},
    {TN_GROUP_SENSOR, {"frameangvel", frame_sensor, NULL}},
    {TN_GROUP_SENSOR, {"framelinacc", acceleration_sensor, NULL}},
    {TN_GROUP_SENSOR, {"frameangacc", acceleration_sensor, NULL}},
    {TN_GROUP_SENSOR, {"accelerometer", site_sensor, NULL}},
    {TN_GROUP_SENSOR, {"magnetometer", site_sensor, NULL}},
    {TN_GROUP_SENSOR, {"ballquat", joint_sensor, NULL}},
    {TN_GROUP_SENSOR, {"ballangvel", joint_sensor, NULL}},
    {TN_GROUP_SENSOR, {"tendonactuatorfrc", tendon_sensor, NULL}},
    {TN_GROUP_SENSOR, {"subtreecom", body_sensor, NULL}},
    {TN_GROUP_SENSOR, {"subtreelinvel", body_sensor, NULL}},
    {TN_GROUP_SENSOR, {"subtreeangmom", body_sensor, NULL}},
    {TN_GROUP_SENSOR, {"clock", clock_sensor, NULL}},
    {TN_GROUP_SENSOR, {"e_potential", clock_sensor, NULL}},
    {TN_GROUP_SENSOR, {"e_kinetic", clock_sensor, NULL}},
    {TN_GROUP_SENSOR, {"touch", site_sensor, NULL}},
    {TN_GROUP_SENSOR, {"jointlimitpos", joint_sensor, NULL}},
    {TN_GROUP_SENSOR, {"jointlimitvel", joint_sensor, NULL}},
    {TN_GROUP_SENSOR, {"jointlimitfrc", joint_sensor, NULL}},
    {TN_GROUP_SENSOR, {"tendonlimitpos", tendon_sensor, NULL}},
    {TN_GROUP_SENSOR, {"tendonlimitvel", tendon_sensor, NULL}},
    {TN_GROUP_SENSOR, {"tendonlimitfrc", tendon_sensor, NULL}},
    {TN_GROUP_SENSOR, {"rangefinder", range_sensor, NULL}},
    {TN_GROUP_SENSOR, {"camprojection", projection_sensor, NULL}},
    {TN_GROUP_SENSOR, {"insidesite", inside_sensor, NULL}},
    {TN_GROUP_SENSOR, {"distance", distance_sensor, NULL}},
    {TN_GROUP_SENSOR, {"normal", distance_sensor, NULL}},
    {TN_GROUP_SENSOR, {"fromto", distance_sensor, NULL}},
    {TN_GROUP_SENSOR, {"contact", contact_sensor, NULL}},
    {TN_GROUP_SENSOR, {"user", user_sensor, NULL}},
    {TN_GROUP_VISUAL, {"global", visual_global,
     "bvactive cameraid ellipsoidinertia glow ipd linewidth offheight offwidth realtime"}},
    {TN_GROUP_VISUAL, {"quality", NULL, "numquads numslices numstacks offsamples shadowsize"}},
    {TN_GROUP_VISUAL, {"headlight", headlight, NULL}},
    {TN_GROUP_VISUAL, {"map", NULL,
     "actuatortendon alpha fogend fogstart force haze shadowclip shadowscale stiffness "
     "stiffnessrot torque zfar znear"}},
    {TN_GROUP_VISUAL, {"scale", NULL,
     "actuatorlength actuatorwidth camera com connect constraint contactheight contactwidth "
     "forcewidth framelength framewidth frustum jointlength jointwidth light selectpoint "
     "slidercrank"}},
    {TN_GROUP_VISUAL, {"rgba", visual_rgba,
     "actuator actuatornegative actuatorpositive bv bvactive camera com connect constraint "
     "contactforce contactfriction contactgap contactpoint contacttorque crankbroken fog force "
     "frustum inertia joint light rangefinder selectpoint slidercrank"}},
    {TN_GROUP_CUSTOM, {"numeric", custom, "data size"}},
    {TN_GROUP_CUSTOM, {"text", custom, "data"}},
    {TN_GROUP_CUSTOM, {"tuple", custom, NULL}},
    {TN_GROUP_KEYFRAME, {"key", key, NULL}},
    {TN_GROUP_ASSET, {"hfield", hfield, NULL}},
    {TN_GROUP_TENON, {"geom", tenon_geom, NULL}},
    {TN_GROUP_TENON, {"mesh", tenon_mesh, NULL}},
    {TN_GROUP_TENON, {"track", track, NULL}},
    {TN_GROUP_TENON, {"rod", tenon_rod, NULL}},
    {TN_GROUP_ROD, {"segment", rod_segment, NULL}},
    {TN_GROUP_TENON, {"wheel", tenon_wheel, NULL}},
    {TN_GROUP_TOP, {"extension", NULL, NULL}},
    {TN_GROUP_EXTENSION, {"plugin", extension_plugin, NULL}},
    {TN_GROUP_BODY, {"composite", composite, NULL}},
    {TN_GROUP_COMPOSITE, {"geom", composite_geom, NULL}},
    {TN_GROUP_COMPOSITE, {"joint", composite_joint, NULL}},
    {TN_GROUP_COMPOSITE, {"plugin", composite_plugin, NULL}},
    {TN_GROUP_PLUGIN, {"config", plugin_config, NULL}},
    {TN_GROUP_TOP, {"deformable", NULL, NULL}},
    {TN_GROUP_BODY, {"flexcomp", flexcomp, NULL}},
    {TN_GROUP_DEFORMABLE, {"flex", flex, NULL}},
    {TN_GROUP_FLEX, {"edge", flex_edge, NULL}},
    {TN_GROUP_FLEX, {"elasticity", flex_elasticity, NULL}},
    {TN_GROUP_FLEX, {"contact", flex_contact, NULL}},
    {TN_GROUP_FLEXCOMP, {"pin", flex_pin, NULL}},
    {TN_GROUP_TENON, {"soft", tenon_soft, NULL}},
    {TN_GROUP_TENON, {"tie", tenon_tie, NULL}},
    {TN_GROUP_SOFT, {"hold", soft_hold, NULL}},
    {TN_GROUP_SOFT, {"pin", soft_pin, NULL}},
};
/* clang-format on */
#define RULE_COUNT (sizeof rules / sizeof rules[0])

/* A default class may hold what bodies and actuators hold, less what has no class. */
static bool group_has(TnMjcfGroup group, const GroupedRule *r)
{
    if (r->group == group) return true;
    if (group == TN_GROUP_FLEXCOMP) return r->group == TN_GROUP_FLEX;
    if (group != TN_GROUP_DEFAULT) return false;
    if (r->group == TN_GROUP_ACTUATOR) return true;
    return r->group == TN_GROUP_BODY &&
           tn_mjcf_word_index("joint geom site camera light", r->rule.name) >= 0;
}

const TnMjcfRule *tn_mjcf_rule(TnMjcfGroup group, const char *name)
{
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (group_has(group, &rules[i]) && strcmp(rules[i].rule.name, name) == 0)
            return &rules[i].rule;
    return NULL;
}

void tn_mjcf_offer_rules(TnMjcfGroup group, void *suggestion)
{
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (group_has(group, &rules[i]))
            tn_suggest_offer(suggestion, rules[i].rule.name, strlen(rules[i].rule.name));
}

const char *tn_mjcf_unsupported(TnMjcfGroup group)
{
    switch (group) {
    case TN_GROUP_TOP:
        return "skin";
    case TN_GROUP_BODY:
        return "plugin";
    case TN_GROUP_COMPOSITE:
        return "site skin pin";
    case TN_GROUP_EQUALITY:
        return "flexvert flexstrain distance";
    case TN_GROUP_ACTUATOR:
        return "dcmotor pid orientation";
    case TN_GROUP_SENSOR:
        return "tactile plugin";
    default:
        return "";
    }
}
