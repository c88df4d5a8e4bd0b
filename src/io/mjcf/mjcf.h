/* mjcf.h: what the parts of the MJCF reader share.
 *
 *   file ──► tree ──► includes spliced in ──► sections, in a fixed order ──► builder ──► model
 *          xml_dom     mjcf_include           mjcf_settings … mjcf_tenon
 *
 * Sections are read in the order settings, defaults, assets, bodies, then everything that refers to
 * bodies, so that a file may hold them in any order. Each element is checked once against its rule
 * (mjcf_schema): unknown names, bad numbers and unsupported features are reported there. Readers
 * then fetch values through a view, which looks at the element and its default classes, and need
 * not look at syntax again. Reading goes on after an error, so that all are found. */
#ifndef TN_IO_MJCF_H
#define TN_IO_MJCF_H

#include "../io_pool.h"
#include "../xml_dom.h"

#include <tenon/model.h>

/* ---- schema ---- */

typedef enum TnMjcfKind {
    TN_KIND_TEXT,
    TN_KIND_REAL,
    TN_KIND_INT,
    TN_KIND_WORD /* one of `words` */
} TnMjcfKind;

typedef enum TnMjcfUse {
    TN_USE_READ,
    TN_USE_NOTHING, /* harmless here: drawing, optimization hints */
    TN_USE_SOFT,    /* softness of MuJoCo's constraints: remark */
    TN_USE_SOLVER,  /* numerics of MuJoCo: remark */
    TN_USE_USER,    /* user data: remark */
    TN_USE_HULL,    /* how MuJoCo thins out hulls: remark */
    TN_USE_LENS,    /* of cameras, beyond the field of view: remark */
    TN_USE_GAP,     /* distances at which soft constraints start: remark unless zero */
    TN_USE_DELAY,   /* of sensors: remark unless zero */
    TN_USE_CABLE,   /* of a cable's joints, approximated: remark */
    TN_USE_FLEX,    /* of soft bodies, MuJoCo's algorithms and surfaces alone: remark */
    TN_USE_NEUTRAL, /* must equal `words` (a word, or one number for all): anything else is not
                       supported */
    TN_USE_NEVER    /* not supported */
} TnMjcfUse;

typedef enum TnMjcfBound { TN_BOUND_NONE, TN_BOUND_NOT_NEGATIVE, TN_BOUND_POSITIVE } TnMjcfBound;
typedef enum TnMjcfWhere {
    TN_WHERE_BOTH,
    TN_WHERE_OWN,     /* not in default classes */
    TN_WHERE_REQUIRED /* not in default classes, and must be there */
} TnMjcfWhere;

typedef struct TnMjcfAttrRule {
    const char *name;
    TnMjcfKind kind;
    int min_count, max_count; /* of numbers; max 0: any */
    const char *words;        /* separated by spaces */
    TnMjcfUse use;
    TnMjcfBound bound;
    TnMjcfWhere where;
} TnMjcfAttrRule;

typedef struct TnMjcfRule {
    const char *name;
    const TnMjcfAttrRule *attrs; /* ends with a NULL name; may be NULL */
    const char *plain; /* further attributes that are accepted and not looked at; may be NULL */
} TnMjcfRule;

/* NULL: no such element. Groups keep apart elements of the same name, as geom in a body and in a
 * default class. */
typedef enum TnMjcfGroup {
    TN_GROUP_ROOT,
    TN_GROUP_TOP,
    TN_GROUP_BODY,
    TN_GROUP_DEFAULT, /* those of TN_GROUP_BODY and TN_GROUP_ACTUATOR, and what only classes have */
    TN_GROUP_ASSET,
    TN_GROUP_MATERIAL, /* layers */
    TN_GROUP_CONTACT,
    TN_GROUP_EQUALITY,
    TN_GROUP_TENDON,
    TN_GROUP_FIXED,   /* in a fixed tendon */
    TN_GROUP_SPATIAL, /* in a spatial one */
    TN_GROUP_ACTUATOR,
    TN_GROUP_SENSOR,
    TN_GROUP_VISUAL,
    TN_GROUP_CUSTOM,
    TN_GROUP_KEYFRAME,
    TN_GROUP_OPTION,
    TN_GROUP_COMPILER,
    TN_GROUP_TENON,
    TN_GROUP_EXTENSION,
    TN_GROUP_COMPOSITE,
    TN_GROUP_PLUGIN, /* in a cable's plugin */
    TN_GROUP_DEFORMABLE,
    TN_GROUP_FLEX,
    TN_GROUP_FLEXCOMP, /* those of TN_GROUP_FLEX, and pins */
    TN_GROUP_SOFT,     /* in a <soft> of <tenon> */
    TN_GROUP_ROD       /* in a <rod> of <tenon> */
} TnMjcfGroup;
const TnMjcfRule *tn_mjcf_rule(TnMjcfGroup group, const char *name);
const char *tn_mjcf_unsupported(
    TnMjcfGroup group); /* MuJoCo's elements that tenon refuses, separated by spaces */
void tn_mjcf_offer_rules(TnMjcfGroup group, void *suggestion);

/* ---- names ---- */

typedef enum TnMjcfNameKind {
    TN_NAMED_BODY,
    TN_NAMED_LINK, /* of URDF and SDF; data: TnUrdfLink, TnSdfFrame */
    TN_NAMED_FRAME,
    TN_NAMED_JOINT,
    TN_NAMED_GEOM,
    TN_NAMED_SITE,
    TN_NAMED_CAMERA,
    TN_NAMED_LIGHT,
    TN_NAMED_TENDON,
    TN_NAMED_ACTUATOR,
    TN_NAMED_EQUALITY,
    TN_NAMED_PAIR,
    TN_NAMED_EXCLUDE,
    TN_NAMED_SENSOR,
    TN_NAMED_KEY,
    TN_NAMED_CUSTOM,
    TN_NAMED_TEXTURE,
    TN_NAMED_MATERIAL,
    TN_NAMED_MESH,
    TN_NAMED_HFIELD,
    TN_NAMED_CLASS,
    TN_NAMED_RESTITUTION, /* geoms of the <tenon> element */
    TN_NAMED_CABLE,       /* by prefix */
    TN_NAMED_SEGMENT,     /* a cable's body; data: TnMjcfPose of MuJoCo's frame in tenon's */
    TN_NAMED_COLLISION,   /* meshes of the <tenon> element */
    TN_NAMED_SDF,         /* meshes of geoms of type sdf */
    TN_NAMED_ROD,         /* cables of the <tenon> element */
    TN_NAMED_WHEEL,
    TN_NAMED_SOFT,      /* data: TnMjcfNodes, NULL after an error */
    TN_NAMED_SOFT_MORE, /* <soft> of the <tenon> element for a flexcomp or flex */
    TN_NAMED_CARRIER    /* bodies that flexes name */
} TnMjcfNameKind;

typedef struct TnMjcfName {
    const char *name;
    TnMjcfNameKind kind;
    int32_t id;
    const void *data; /* by kind: joints TnJointDef, tendons TnTendonDef, bodies TnBodyDef, classes
                         TnMjcfClass, geoms TnMjcfGeomPlace or NULL, sites the TnBodyId, … */
    const TnXmlElement *element; /* where it was defined */
    struct TnMjcfName *next;     /* in its bucket */
    struct TnMjcfName *later;    /* in order of definition */
} TnMjcfName;

typedef struct TnMjcfNames {
    TnMjcfName **buckets;
    size_t bucket_count, count;
    TnMjcfName *first, *last;
} TnMjcfNames;

/* ---- the reader ---- */

typedef struct TnMjcfClass {
    const char *name;
    struct TnMjcfClass *parent;
    struct TnMjcfSection *sections,
        *last_section; /* <default> elements that speak for this class */
} TnMjcfClass;

typedef struct TnMjcfSection {
    const TnXmlElement *element;
    struct TnMjcfSection *next;
} TnMjcfSection;

/* An element together with the class that fills in what it leaves open. */
typedef struct TnMjcfView {
    const TnXmlElement *element;
    const TnMjcfClass *class_; /* NULL: this kind of element has no defaults */
    const char *tags;          /* names under which the class speaks for it, separated by spaces */
} TnMjcfView;

typedef enum TnMjcfRemark {
    TN_REMARK_SOFT,
    TN_REMARK_SOLVER,
    TN_REMARK_USER,
    TN_REMARK_GAP,
    TN_REMARK_DRAWING,
    TN_REMARK_LAYER,
    TN_REMARK_IMAGE_LIGHT,
    TN_REMARK_PICTURE,
    TN_REMARK_CAMERA_COM,
    TN_REMARK_CAMERA_LENS,
    TN_REMARK_HULL,
    TN_REMARK_OBJ,
    TN_REMARK_CABLE,
    TN_REMARK_CABLE_SHAPE,
    TN_REMARK_FLEX,
    TN_REMARK_FLEX_QPOS,
    TN_REMARK_FLEX_CAGE,
    TN_REMARK_SOFT_DIM,
    TN_REMARK_SIZE,
    TN_REMARK_FUSE,
    TN_REMARK_SKIN,
    TN_REMARK_STRAY,
    TN_REMARK_DROPPED,
    TN_REMARK_DELAY,
    TN_REMARK_FIXED,
    TN_REMARK_ROUND,
    TN_REMARK_ATTACHED_OPTION,
    TN_REMARK_ATTACHED_KEY,
    TN_REMARK_ATTACHED_ACT,
    TN_REMARK_MEDIUM,
    TN_REMARK_TEXT,
    TN_REMARK_OLD_NAME,
    TN_REMARK_SENSOR, /* one for each kind of them: tn_mjcf_remark_named */
    TN_REMARK_URDF_ATTR,
    TN_REMARK_URDF_ELEMENT,
    TN_REMARK_URDF_OTHER,
    TN_REMARK_URDF_FUSE,
    TN_REMARK_URDF_LIMIT,
    TN_REMARK_URDF_VELOCITY,
    TN_REMARK_URDF_MASS,
    TN_REMARK_URDF_VISUAL,
    TN_REMARK_URDF_INERTIA,
    TN_REMARK_URDF_MASSLESS,
    TN_REMARK_SDF_MASS,
    TN_REMARK_SDF_LOCKED,
    TN_REMARK_COUNT
} TnMjcfRemark;

/* A remark at its first place, and how often there was cause for it. */
typedef struct TnMjcfSaid {
    TnMjcfRemark which;
    TnSource place;
    const char *element;
    int count;
    struct TnMjcfSaid *next;
} TnMjcfSaid;

typedef enum TnMjcfTri { TN_TRI_FALSE, TN_TRI_TRUE, TN_TRI_AUTO } TnMjcfTri;

typedef struct TnMjcfSettings {
    double angle;     /* rad per unit of angle in the file */
    char eulerseq[4]; /* lower case: axes turn along; upper case: axes stay */
    bool autolimits;
    TnMjcfTri inertia_from_geom;
    int inertia_group[2];
    double bound_mass, bound_inertia;
    bool balance_inertia;
    const char *mesh_folder; /* NULL: beside the model */
    const char *texture_folder;
    bool lengths_by_limits; /* of muscles, as limits of joints and tendons are given */
    bool strip_path, exact_mesh_inertia, fit_extent;
    /* <flag>: false where disabled */
    bool contact, limit, equality, friction_loss, spring, damper, clamp_ctrl, gravity, actuation;
    bool constraint, passive; /* false: all of those that belong to it are disabled */
    bool align_free;
    unsigned disabled_groups; /* of actuators: one bit each */
    bool override;            /* what follows stands for the values of all contacts */
    double override_margin, override_friction[5];
} TnMjcfSettings;

/* Geoms of a body, collected before the body is added: its mass may depend on them. */
typedef struct TnMjcfGeoms {
    TnGeomDef *defs;
    const TnXmlElement **elements;
    int count, capacity;
} TnMjcfGeoms;

typedef struct TnMjcf {
    TnIoPool pool;
    TnError err;
    bool quiet; /* an element is looked at again: its errors are known */
    TnRemarks *remarks;
    struct TnMjcfSaid *said, *last_said; /* remarks so far, told at the end */
    const TnLoadDef *load;
    const char *main_directory;  /* with its '/', or ""; of an attached model its own */
    bool too_many;               /* copies were refused */
    const char *first_directory; /* that of the file that was asked for */
    struct TnMjcfOpened *opened; /* files read so far */
    TnModelBuilder *builder;
    TnXmlElement *root;
    TnMjcfSettings settings;    /* of the present scope */
    struct TnMjcfScope *scopes; /* 0: the main file; then attached models */
    int scope, scope_count, scope_room;
    struct TnMjcfSub *subs; /* models that may be attached */
    int instance_count, attach_depth;
    struct TnMjcfAttachedKey *attached_keys, *last_attached_key;
    TnOption option;
    TnSource option_place;
    TnView view;
    struct TnMjcfCamera *cameras, *last_camera; /* in the order of the file */
    struct TnMjcfLight *lights, *last_light;
    TnMjcfNames names;
    TnMjcfClass *main_class;
    const TnXmlElement *track; /* the one <track> */
    TnBodyId *carriers; /* by body: the body that moves it, or the world; see tn_mjcf_carrier */
    int carrier_count, carrier_room;
    int qpos_count, dof_count, actuator_count, act_count, mocap_count;
    int body_elements;                                /* read so far */
    TnMjcfGeoms geoms;                                /* of the body that is being read */
    struct TnMjcfOwnRod *own_rods;                    /* of <tenon>, with shapes of their own */
    int soft_numbers;                                 /* of them, those of soft bodies' nodes */
    bool has_flex;                                    /* a soft body that is MuJoCo's */
    struct TnMjcfFlexcomp *flexcomps, *last_flexcomp; /* in the order of the file */
    struct TnMjcfNodeHold *node_holds;                /* equalities that hold their nodes */
} TnMjcf;

/* After errors: adds what the compiler finds in the rest (mjcf_rest.c). */
void tn_mjcf_check_rest(TnMjcf *m);

/* Errors and remarks with their place (mjcf_check.c). */
void tn_mjcf_error(TnMjcf *m, const TnXmlElement *element, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same at an attribute; `name` may be absent or come from elsewhere, then the element's place
 * is taken. */
void tn_mjcf_error_attr(TnMjcf *m, const TnXmlElement *element, const char *name,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));
/* An error where a cable is asked for with more segments than a file may ask for. */
bool tn_mjcf_too_many_segments(TnMjcf *m, const TnXmlElement *element, const char *name,
                               double count);
void tn_mjcf_remark(TnMjcf *m, TnMjcfRemark which, TnSource place, const char *element);
void tn_mjcf_tell_remarks(TnMjcf *m); /* writes them all into m->remarks */
/* Once for each name of an element. */
void tn_mjcf_remark_named(TnMjcf *m, TnMjcfRemark which, TnSource place, const char *element);

/* Checks attributes against the rule of the element's name in this group; reports unknown elements
 * and returns NULL for them. tn_mjcf_check_leaf refuses children as well. */
const TnMjcfRule *tn_mjcf_check(TnMjcf *m, TnMjcfGroup group, const TnXmlElement *element);
const TnMjcfRule *tn_mjcf_check_leaf(TnMjcf *m, TnMjcfGroup group, const TnXmlElement *element);
/* Applies to each child element of all sections of one name under the root. */
typedef void (*TnMjcfChildFn)(TnMjcf *m, const TnXmlElement *child);
void tn_mjcf_each_child(TnMjcf *m, const char *section, TnMjcfChildFn fn);

/* Values through a view (mjcf_read.c). Syntax is already checked; a bad value reads as if it were
 * not there. */
TnMjcfView tn_mjcf_view(TnMjcf *m, const TnXmlElement *element, const TnMjcfClass *inherited,
                        const char *tags);
TnMjcfView tn_mjcf_plain_view(const TnXmlElement *element);
/* Most specific attribute of this name and the element that holds it (holder may be NULL). */
const TnXmlAttr *tn_mjcf_find(const TnMjcfView *view, const char *name,
                              const TnXmlElement **holder);
bool tn_mjcf_has(const TnMjcfView *view, const char *name);
/* Overlays from the outermost class to the element: a short list replaces only its leading numbers.
 * Returns how many numbers the most specific one has, 0 where there is none (then `out` is
 * untouched). */
int tn_mjcf_reals(TnMjcf *m, const TnMjcfView *view, const char *name, double *out, int max);
double tn_mjcf_real(TnMjcf *m, const TnMjcfView *view, const char *name, double otherwise);
int tn_mjcf_int(TnMjcf *m, const TnMjcfView *view, const char *name, int otherwise);
int tn_mjcf_word_index(const char *words,
                       const char *word); /* words separated by spaces; -1: not one of them */
int tn_mjcf_word(const TnMjcfView *view, const char *name, const char *words, int otherwise);
bool tn_mjcf_bool(const TnMjcfView *view, const char *name, bool otherwise);
const char *tn_mjcf_text(const TnMjcfView *view, const char *name); /* NULL: none or empty */
/* All numbers of an attribute, in the pool; NULL and 0 where there are none. */
const double *tn_mjcf_real_list(TnMjcf *m, const TnXmlElement *element, const char *name,
                                int *count);
/* MuJoCo's rule for limited="auto" with a range. False and an error where the range makes no sense.
 */
bool tn_mjcf_limited(TnMjcf *m, const TnMjcfView *view, const char *limited_name,
                     const char *range_name, double range[2]);

typedef enum TnNumberFault { TN_NUMBER_GOOD, TN_NUMBER_NONE, TN_NUMBER_NOT_FINITE } TnNumberFault;
/* Reads the number at *text (leading blanks skipped) up to a blank, the end or `stop`, and moves
 * on; NONE at no number. */
TnNumberFault tn_mjcf_number(const char **text, char stop, double *out);

/* Default classes (mjcf_defaults.c). */
void tn_mjcf_read_defaults(TnMjcf *m);
const TnMjcfClass *tn_mjcf_class(TnMjcf *m, const TnXmlElement *element, const char *attr_name,
                                 const TnMjcfClass *otherwise);

/* Names (mjcf_names.c). Adding reports a duplicate. Finding by attribute reports an unknown name
 * and gives NULL; it is silent where the attribute is missing. */
bool tn_mjcf_name_add(TnMjcf *m, TnMjcfNameKind kind, const TnXmlElement *element, const char *name,
                      int32_t id, const void *data);
const TnMjcfName *tn_mjcf_name_find(const TnMjcf *m, TnMjcfNameKind kind, const char *name);
const TnMjcfName *tn_mjcf_refer(TnMjcf *m, TnMjcfNameKind kind, const TnXmlElement *element,
                                const char *attr_name);
const char *tn_mjcf_kind_name(TnMjcfNameKind kind);

/* How an actuator's force follows from its control, and ranges of control and activation
 * (mjcf_gains.c); range: of the joint or tendon that it acts on, NULL: none. */
#define TN_MJCF_ACTUATORS                                                                          \
    "general motor position velocity intvelocity damper cylinder muscle adhesion dcmotor pid "     \
    "orientation"
void tn_mjcf_read_gains(TnMjcf *m, const TnMjcfView *view, const double *range,
                        TnActuatorDef *actuator);
/* The plugin mujoco.pid (mjcf_pid.c). */
/* The instance of this name, of any plugin of <extension>; *plugin is what it is of. NULL: none. */
const TnXmlElement *tn_mjcf_plugin_instance(const TnMjcf *m, const char *name, const char **plugin);
void tn_mjcf_read_pid(TnMjcf *m, const TnMjcfView *view, TnActuatorDef *actuator);

/* Frames (mjcf_frame.c). */
typedef struct TnMjcfPose {
    double pos[3], quat[4];
} TnMjcfPose;
TnMjcfPose tn_mjcf_identity(void);
TnMjcfPose tn_mjcf_compose(const TnMjcfPose *outer, const TnMjcfPose *inner);
void tn_mjcf_rotate(const double quat[4], const double v[3], double out[3]);
/* quat from quat, axisangle, euler, xyaxes or zaxis, whichever the most specific holder has. */
void tn_mjcf_orientation(TnMjcf *m, const TnMjcfView *view, double quat[4]);
TnMjcfPose tn_mjcf_pose(TnMjcf *m, const TnMjcfView *view); /* pos and orientation */
bool tn_mjcf_normalize_quat(double quat[4]);                /* false: zero length */
void tn_mjcf_quat_from_z(
    const double z[3], double quat[4]); /* the shortest turn from the z axis; z is a unit vector */

/* angles in the compiler's unit and order. */
void tn_mjcf_quat_from_euler(const TnMjcfSettings *settings, const double angles[3],
                             double quat[4]);
TnMjcfPose tn_mjcf_inverse(const TnMjcfPose *pose);

/* A geom with its pose in the world, reference pose. */
typedef struct TnMjcfGeomPlace {
    TnGeomDef def;
    TnMjcfPose world;
} TnMjcfGeomPlace;

/* Geoms and sites (mjcf_geom.c); bodies and joints (mjcf_body.c). */
bool tn_mjcf_geom(TnMjcf *m, const TnXmlElement *element, const TnMjcfClass *class_,
                  const TnMjcfPose *frame, TnGeomDef *out);
/* The values of all contacts, where the file overrides them. */
void tn_mjcf_override(TnMjcf *m, const TnXmlElement *element, double friction[3], double *margin);
/* Colour, group and contact parameters alone. */
void tn_mjcf_surface(TnMjcf *m, const TnMjcfView *view, TnGeomDef *geom);
void tn_mjcf_site(TnMjcf *m, const TnXmlElement *element, const TnMjcfClass *class_,
                  const TnMjcfPose *frame, TnBodyId body);
void tn_mjcf_read_bodies(TnMjcf *m);
/* The body whose joints move this one: bodies with the same carrier are fixed to each other. A new
 * body is carried by its parent's carrier until it has a joint. */
TnBodyId tn_mjcf_carrier(const TnMjcf *m, TnBodyId body);
void tn_mjcf_set_carrier(TnMjcf *m, TnBodyId body, TnBodyId carrier);
/* Cables (mjcf_composite.c). `frame` is the element's pose in its body's axes, `world` in the
 * world's. */
void tn_mjcf_composite(TnMjcf *m, const TnXmlElement *element, const TnMjcfClass *class_,
                       const TnMjcfPose *frame, const TnMjcfPose *world, TnBodyId body);
void tn_mjcf_read_extensions(TnMjcf *m);
/* Rods with shapes of their own (mjcf_rod.c): noted before bodies, added between and after them. */
bool tn_mjcf_rod_has_shape(const TnXmlElement *element);
void tn_mjcf_note_rod(TnMjcf *m, const TnXmlElement *element);
void tn_mjcf_add_rods(TnMjcf *m, bool all);
/* Geoms, sites and cameras inside a <segment> (mjcf_body.c). */
void tn_mjcf_segment_parts(TnMjcf *m, const TnXmlElement *element, TnBodyId body);
/* Soft bodies (mjcf_soft.c and others, see mjcf_soft.h): after bodies. */
void tn_mjcf_read_softs(TnMjcf *m);
bool tn_mjcf_soft_has_shape(const TnXmlElement *element); /* of <soft> in <tenon> */
/* Vertices of flexes (mjcf_flex.c). Bodies that are named by flexes are found first; while bodies
 * are read, those that are nothing but a free vertex are kept apart, and the poses of the others
 * noted. */
void tn_mjcf_find_carriers(TnMjcf *m);
bool tn_mjcf_is_node(TnMjcf *m, const TnXmlElement *element, const TnMjcfClass *class_,
                     const TnMjcfPose *world);
void tn_mjcf_note_carrier(TnMjcf *m, const char *name, const TnMjcfPose *world, TnBodyId body);
void tn_mjcf_read_flexes(TnMjcf *m);
/* MuJoCo's frame in that of the body where this is a cable's segment, whose frames differ; else
 * NULL. */
const TnMjcfPose *tn_mjcf_segment_frame(const TnMjcf *m, const TnMjcfName *body);
/* Cameras (mjcf_camera.c): collected with their bodies, added once all bodies are known. */
void tn_mjcf_camera(TnMjcf *m, const TnXmlElement *element, const TnMjcfClass *class_,
                    const TnMjcfPose *frame, TnBodyId body);
/* Textures, materials, lights (mjcf_looks.c). */
TnTextureId tn_mjcf_texture(TnMjcf *m, const TnXmlElement *e, const char *name);
void tn_mjcf_material(TnMjcf *m, const TnXmlElement *e);
void tn_mjcf_light(TnMjcf *m, const TnXmlElement *e, const TnMjcfClass *class_,
                   const TnMjcfPose *frame, TnBodyId body);
void tn_mjcf_finish_lights(TnMjcf *m); /* after bodies */
void tn_mjcf_headlight(TnMjcf *m, const TnXmlElement *e);
void tn_mjcf_finish_cameras(TnMjcf *m);
void tn_mjcf_joint(TnMjcf *m, const TnXmlElement *element, const TnMjcfClass *class_,
                   const TnMjcfPose *frame, TnBodyId body);

/* The other sections. */
void tn_mjcf_read_settings(TnMjcf *m);
void tn_mjcf_start_view(TnMjcf *m); /* mjcf_camera.c */
void tn_mjcf_read_visual(TnMjcf *m, const TnXmlElement *element);
void tn_mjcf_read_statistic(TnMjcf *m, const TnXmlElement *element);
void tn_mjcf_read_assets(TnMjcf *m);
/* A mesh (mjcf_mesh.c); 0 after an error. */
/* A <connect> that was read with the soft body whose node it holds (mjcf_flex_pins.c). */
bool tn_mjcf_holds_node(const TnMjcf *m, const TnXmlElement *e);
/* Notes which meshes geoms of type sdf have; before meshes are read. */
void tn_mjcf_find_sdfs(TnMjcf *m);
TnMeshId tn_mjcf_mesh(TnMjcf *m, const TnXmlElement *element, const char *name);
/* The mesh of a height field (mjcf_hfield.c); 0 after an error. */
TnMeshId tn_mjcf_hfield(TnMjcf *m, const TnXmlElement *element, const char *name);
/* The triangles of its `file`; the path is kept for messages. */
struct TnMeshFile;
bool tn_mjcf_read_mesh_file(TnMjcf *m, const TnXmlElement *element, const TnMjcfView *view,
                            struct TnMeshFile *out, const char **path);
/* The compiler's folder for meshes before the name of a file; NULL: no memory. */
const char *tn_mjcf_asset_path(TnMjcf *m, const char *file);
const char *tn_mjcf_texture_path(TnMjcf *m, const char *file); /* in texturedir */
void tn_mjcf_read_tendons(TnMjcf *m);
void tn_mjcf_read_actuators(TnMjcf *m);
void tn_mjcf_read_contacts(TnMjcf *m);
void tn_mjcf_read_equalities(TnMjcf *m);
void tn_mjcf_read_sensors(TnMjcf *m);
/* A sensor that is not supported keeps its room in the data; a remark says so. True. */
bool tn_mjcf_keep_room(TnMjcf *m, const TnXmlElement *e, int numbers, TnSensorDef *sensor);
/* A site at the frame that objtype and objname name; `axes`: its orientation counts. False: an
 * error was told, or it is not known (*out is 0). */
bool tn_mjcf_sensor_frame(TnMjcf *m, const TnXmlElement *e, bool axes, TnSiteId *out);
/* Sensors of no single part: mjcf_sensor_world.c. False: an error was told. */
bool tn_mjcf_sensor_of_world(TnMjcf *m, const TnXmlElement *e, TnSensorDef *sensor);
void tn_mjcf_read_keys(TnMjcf *m);
void tn_mjcf_read_tenon(TnMjcf *m);   /* its settings and restitutions: before bodies */
void tn_mjcf_finish_tenon(TnMjcf *m); /* its track, and whether its geoms exist: after actuators */
bool tn_mjcf_read_track(TnMjcf *m, const TnXmlElement *element, const char *path, TnTrackDef *out);

/* Scopes (mjcf_settings.c): the <compiler> of the main file or of an attached model, and its
 * folder. Readers enter the scope of an element before they read it. */
typedef struct TnMjcfScope {
    TnMjcfSettings settings;
    const char *directory;
} TnMjcfScope;
bool tn_mjcf_add_scope(TnMjcf *m, TnXmlElement *root, const char *directory, int *scope);
void tn_mjcf_enter(TnMjcf *m, const TnXmlElement *element);
/* Keyframes of attached models (mjcf_attach_key.c): noted; read behind the others. */
void tn_mjcf_attached_keys(TnMjcf *m, const TnXmlElement *root, const TnXmlElement *section,
                           const char *prefix, int instance);
void tn_mjcf_read_attached_keys(TnMjcf *m);

/* Files (mjcf_include.c): the tree of the main file with includes in place, NULL after an error;
 * `text` is read instead of the file unless it is NULL. */
TnXmlElement *tn_mjcf_read_tree(TnMjcf *m, const char *path, const char *text);
/* Another model that `element` names; its elements are in a scope of their own. */
TnXmlElement *tn_mjcf_read_other(TnMjcf *m, const TnXmlElement *element, const char *path,
                                 int *scope);
/* A path as written in an element: as it stands, beside the main file, beside the element's file.
 */
const char *tn_mjcf_resolve(TnMjcf *m, const TnXmlElement *element, const char *path);
/* All sections into the builder. */
void tn_mjcf_interpret(TnMjcf *m);

#endif
