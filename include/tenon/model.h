/* tenon/model.h: definitions and the model builder. A builder collects definitions (from C calls or
 * a file) and compiles them into an immutable TnModel, which many worlds and threads may share.
 *
 * Units are SI: m, kg, s, rad, N, N·m. Quaternions are (w, x, y, z). A frame (pos, quat) is
 * relative to the parent body unless stated otherwise. Coordinates follow MuJoCo: the entries of
 * joints in qpos and qvel have the order in which bodies and joints were added (depth first from a
 * file). If calls interleave several moving trees, the entries of each tree are contiguous.
 *
 *   free          qpos x y z qw qx qy qz
 *                 qvel linear (world axes, of the body's origin), angular (body axes)
 *   ball          qpos qw qx qy qz, qvel angular (body axes)
 *   slide, hinge  one number each
 *
 * Soft bodies come last, in the order in which they were added. Each node has three numbers: its
 * position in qpos and its velocity in qvel, both in world axes. */
#ifndef TENON_MODEL_H
#define TENON_MODEL_H

#include <tenon/base.h>
#include <tenon/tet_mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TnModel TnModel;
typedef struct TnModelBuilder TnModelBuilder;

/* Ids count from 1; 0 is null. */
typedef int32_t TnBodyId;
typedef int32_t TnJointId;
typedef int32_t TnGeomId;
typedef int32_t TnSiteId;
typedef int32_t TnTendonId;
typedef int32_t TnActuatorId;
typedef int32_t TnEqualityId;
typedef int32_t TnSensorId;
typedef int32_t TnKeyId;
typedef int32_t TnMeshId;
typedef int32_t TnCameraId;
typedef int32_t TnRodId;
typedef int32_t TnWheelId;
typedef int32_t TnSoftId;
typedef int32_t TnTieId;
typedef int32_t TnTextureId;
typedef int32_t TnMaterialId;
typedef int32_t TnLightId;

#define TN_BODY_WORLD ((TnBodyId)1) /* the fixed world, present in every builder */

typedef enum TnJointType {
    TN_JOINT_FREE,
    TN_JOINT_BALL,
    TN_JOINT_SLIDE,
    TN_JOINT_HINGE
} TnJointType;

typedef enum TnGeomType {
    TN_GEOM_PLANE,        /* infinite for collision, normal = local z; size: half lengths for
                             drawing, 0: infinite */
    TN_GEOM_HEIGHT_FIELD, /* reserved: height fields are meshes, see TnHeightFieldDef */
    TN_GEOM_SPHERE,       /* size[0] radius */
    TN_GEOM_CAPSULE,      /* size[0] radius, size[1] half length of the cylinder along local z */
    TN_GEOM_ELLIPSOID,    /* size: three radii */
    TN_GEOM_CYLINDER,     /* size[0] radius, size[1] half length along local z */
    TN_GEOM_BOX,          /* size: three half lengths */
    TN_GEOM_MESH,         /* collides as its `mesh` says, by default as the convex hull */
    TN_GEOM_SOFT          /* surface of a soft body; only tn_builder_add_soft creates it */
} TnGeomType;

/* Division of cables and soft bodies, and of the robots that hold them, into subsystems. Converged
 * results do not depend on it. */
typedef enum TnDivisionKind {
    TN_DIVISION_AUTO,  /* as rods and soft bodies define; by default undivided */
    TN_DIVISION_WHOLE, /* a cable or soft body with all robots that hold it is one subsystem */
    TN_DIVISION_PAPER, /* cables: groups of 4 segments; soft bodies: 20 pieces; separate robots */
    TN_DIVISION_GROUPS /* cables: groups of group_size segments; separate robots */
} TnDivisionKind;

typedef struct TnDivisionDef {
    TnDivisionKind kind;
    int group_size; /* >= 1, for TN_DIVISION_GROUPS */
    int pieces;     /* >= 1: pieces per soft body, with separate robots if > 1; 0 (default):
                       as the kind says */
} TnDivisionDef;

typedef struct TnOption {
    double timestep;   /* s, > 0; default 0.01 */
    double gravity[3]; /* m/s², default (0, 0, -9.81) */
    /* A medium that slows bodies down, but not cables and soft bodies; default none */
    double density;     /* kg/m³, >= 0 */
    double viscosity;   /* Pa·s, >= 0 */
    double wind[3];     /* m/s: its velocity */
    double magnetic[3]; /* the field that magnetometers sense; default (0, -0.5, 0) */
    double theta;       /* time stepping, in [0.5, 1]: 0.5 midpoint (default), 1 implicit Euler */
    /* Of articulated trees, whose forces and inertia are evaluated at the midpoint: so many passes
     * at most, >= 1; they stop on convergence; default 20 */
    union {
        int tree_passes;
        int relinearize TN_DEPRECATED("now tree_passes"); /* goes with the next version */
    };
    int substeps;    /* a step is taken in so many parts, 0 … 100; 0 and 1 (default): in one.
                        See docs/time-stepping.md */
    double accuracy; /* m/s, >= 0: error of steps in time, per time, that is asked for. 0 (default)
                        or infinite: none. See docs/time-stepping.md */
    /* N/m, >= 0: of contacts in islands too large for Newton's method (docs/solver.md). 0
     * (default): as TnSolverDef.contact_ratio says */
    double contact_stiffness;
    double stabilization;   /* fraction of a constraint's position error removed per step, [0, 1];
                             default 0.2 */
    TnDivisionDef division; /* default TN_DIVISION_AUTO */
    bool parents_collide;   /* a body may touch the one that its joints move it against */
    double total_mass; /* kg, >= 0: of all bodies together; masses and inertias are scaled to it. 0
                          (default): as they are. Cables and soft bodies stay as they are */
} TnOption;

typedef struct TnBodyDef {
    const char *name; /* may be NULL */
    TnBodyId parent;  /* default the world */
    double pos[3], quat[4];
    bool has_inertia;       /* false: mass and inertia come from the geoms */
    double mass;            /* kg */
    double inertia_pos[3];  /* centre of mass in body axes */
    double inertia_quat[4]; /* principal axes in body axes; computed if inertia_full is used */
    double inertia[3];      /* principal moments, kg·m² */
    bool use_inertia_full;  /* use inertia_full instead of inertia and inertia_quat */
    double inertia_full[6]; /* xx yy zz xy xz yz about the centre of mass, body axes */
    /* Corrections, for masses given or computed; default none. */
    double min_mass;             /* kg: lower bound of the mass */
    double min_inertia;          /* kg·m²: lower bound of the principal moments */
    bool balance_inertia;        /* physically impossible moments are replaced by their mean */
    double gravity_compensation; /* share of its weight, at its centre of mass, that a force
                                    against gravity carries; default 0 */
    /* Its pose is set between steps (tn_world_set_mocap); nothing pushes it. A child of the world
     * without joints; bodies without joints may hang on it. */
    bool mocap;
    TnSource source;
} TnBodyDef;

typedef struct TnJointDef {
    const char *name;
    TnBodyId body;
    TnJointType type; /* default hinge */
    double pos[3];    /* anchor in body axes */
    double axis[3];   /* in body axes, normalized by compile; default z */
    double ref;       /* joint coordinate in the reference pose (hinge, slide) */
    bool limited;
    double range[2];      /* rad or m; ball: (0, largest angle) */
    double stiffness;     /* N·m/rad or N/m */
    double spring_ref;    /* joint coordinate at which the spring force is zero */
    double damping;       /* N·m·s/rad or N·s/m */
    double armature;      /* kg·m² or kg, added to the diagonal of the mass matrix */
    double friction_loss; /* N·m or N, dry friction */
    bool actuator_limited;
    double actuator_range[2]; /* N·m or N: bounds of the sum of all actuators' forces on it */
    bool actuator_gravity;    /* that sum contains the gravity compensation of bodies */
    /* s and 1, both > 0: stiffness and damping are those of an oscillator with this time constant
     * and damping ratio, and with the inertia that the joint moves in the reference pose, all other
     * joints free. 0 (default): stiffness and damping are as given above */
    double spring_time, spring_ratio;
    /* of hinges and slides: the spring's force at a stretch x is -x (stiffness + a x + b x²). Its
     * energy has to be convex: a² <= 3 · stiffness · b */
    double stiffness_poly[2];
    /* >= 0: the damper's force at a velocity v is -v (damping + a |v| + b v²) */
    double damping_poly[2];
    bool align; /* free joints of bodies without children: the body's frame becomes that of its
                   inertia; what is fixed to the body stays where it is */
    TnSource source;
} TnJointDef;

/* Coefficients of a geom in a medium, as in MuJoCo: drag of its blunt and of its slender sides and
 * of turning, lift by Kutta and by Magnus. */
typedef enum TnFluidCoef {
    TN_FLUID_BLUNT,
    TN_FLUID_SLENDER,
    TN_FLUID_ANGULAR,
    TN_FLUID_KUTTA,
    TN_FLUID_MAGNUS
} TnFluidCoef;

typedef struct TnGeomDef {
    const char *name;
    TnBodyId body;
    TnGeomType type; /* default sphere */
    double pos[3], quat[4];
    double size[3];
    double density;   /* kg/m³, default 1000; used if mass < 0 */
    bool shell;       /* mass on the surface alone, density in kg/m²; not for meshes, which have
                         TN_MESH_SHELL */
    double mass;      /* kg, < 0: from density */
    int contact_type; /* bit mask, default 1 (MuJoCo's contype) */
    int contact_affinity; /* bit mask, default 1; a pair collides if type & affinity is nonzero in
                             either order */
    int contact_dim; /* 1 frictionless, 3 sliding (default), 4 + torsional, 6 + rolling friction */
    int priority;    /* the geom with the higher one sets contact_dim and friction; if equal, the
                        larger values count */
    double friction[3]; /* sliding (1), torsional (m), rolling (m); default 1, 0.005, 0.0001 */
    double restitution; /* [0, 1], default 0; a pair uses the larger */
    double margin;      /* m: distance at which contacts act, as if the surface lay so far out;
                           those of two geoms add up */
    int group;          /* for drawing only */
    double rgba[4];     /* for drawing only */
    TnMaterialId
        material;  /* for drawing only; 0 (default): none. Its colour is not used: rgba is */
    TnMeshId mesh; /* TN_GEOM_MESH only; many geoms may share it */
    /* In a medium the geom acts as the ellipsoid with its half lengths (not meshes and planes). A
     * body without such geoms acts as the box that has its moments of inertia. */
    bool fluid_ellipsoid;
    double fluid_coef[5]; /* in the order of TnFluidCoef; default 0.5, 0.25, 1.5, 1, 1 */
    TnSource source;
} TnGeomDef;

typedef struct TnSiteDef {
    const char *name;
    TnBodyId body;
    double pos[3], quat[4];
    bool at_center_of_mass; /* of its body alone, instead of pos */
    bool principal_axes; /* of its body alone, instead of quat: as MuJoCo chooses and orders them */
    TnGeomId at_geom;    /* instead of pos and quat: a geom's frame; of a mesh its centre of mass
                            and principal axes, as in MuJoCo. 0 (default): none */
    TnGeomType type;     /* its volume, for sensors: sphere (default), capsule, ellipsoid, */
    double size[3];      /* cylinder or box, sized as geoms; default 0.005 */
    TnSource source;
} TnSiteDef;

/* A joint of a fixed tendon. */
typedef struct TnTendonJoint {
    TnJointId joint; /* hinge or slide */
    double coef;     /* length per rad or per m */
} TnTendonJoint;

typedef enum TnTendonPointType {
    TN_TENDON_SITE,  /* it passes through */
    TN_TENDON_GEOM,  /* it wraps around a sphere or a cylinder if that is in its way */
    TN_TENDON_PULLEY /* a new branch starts behind it */
} TnTendonPointType;

/* A point of a spatial tendon. */
typedef struct TnTendonPoint {
    TnTendonPointType type;
    TnSiteId site;
    TnGeomId geom;
    TnSiteId side;  /* geom: the side on which the tendon passes; within the geom it passes through
                       its inside; 0: the shorter way */
    double divisor; /* pulley, > 0: of the lengths behind it, and of the force there */
} TnTendonPoint;

/* A fixed tendon (MuJoCo's <fixed>) has joints: length = Σ coef · q. A force F along it acts as
 * coef · F on each joint. A spatial one has points: its length is that of the shortest way through
 * them. */
typedef struct TnTendonDef {
    const char *name;
    const TnTendonJoint *joints; /* copied */
    int joint_count;
    const TnTendonPoint *points; /* copied; none in a fixed tendon. A geom is between two sites */
    int point_count;
    bool limited;
    double range[2];        /* of the length */
    double stiffness;       /* force per length */
    bool has_spring_length; /* false: the length at the spring_ref of all joints */
    double spring_length;
    double dead_band;     /* >= 0: lengths from spring_length up to so much more have no force */
    double damping;       /* force per rate of the length */
    double friction_loss; /* dry friction along the tendon */
    double armature;      /* mass that moves with the length */
    bool actuator_limited;
    double actuator_range[2]; /* bounds of the sum of all actuators' forces on it, before gear */
    double width;             /* m, radius of a spatial one; for drawing only */
    double rgba[4];           /* for drawing only */
    TnSource source;
} TnTendonDef;

/* Dynamics of an actuator's activation a, driven by its control u (within ctrl_range). An actuator
 * without any acts by its control itself. */
typedef enum TnActivation {
    TN_ACTIVATION_NONE,
    TN_ACTIVATION_INTEGRATOR,   /* da/dt = u */
    TN_ACTIVATION_FILTER,       /* da/dt = (u - a) / time_constants[0], explicit steps */
    TN_ACTIVATION_FILTER_EXACT, /* the same, exact for a control that holds during a step */
    TN_ACTIVATION_MUSCLE,       /* da/dt = (u - a) / τ, u and a within [0, 1]; τ follows from
                                   time_constants (activation, deactivation, width of the transition
                                   between them) and a */
    TN_ACTIVATION_PID           /* MuJoCo's plugin: TnPid below */
} TnActivation;

/* A controller that moves the actuator's length to the control: force = kp e + ki ∫ e dt - kd ·
 * velocity, e = control - length. It uses neither gain nor bias. It has an activation for the
 * integral if ki > 0, and one for the control that it follows if slew_max > 0. */
typedef struct TnPid {
    double kp, ki, kd;
    double integral_max; /* N or N·m: bound of ki ∫ e dt; 0: none */
    double slew_max;     /* largest rate of the control that it follows; 0: none */
} TnPid;

/* A muscle's force by length and velocity, as in MuJoCo. Lengths are those of the actuator, scaled
 * so that its length_range becomes `range`; 1 is the length of the largest force. */
typedef struct TnMuscle {
    double range[2];
    double force; /* N, largest active force at rest; < 0: scale / acceleration by a unit
                     force in the reference pose */
    double scale;
    double lmin, lmax; /* lengths between which it is active; lmin < 1 < lmax */
    double vmax;       /* lengths per s: shortening at which the force is zero */
    double fpmax;      /* passive force at lmax, times `force` */
    double fvmax;      /* active force at fast lengthening, times `force` */
} TnMuscle;

/* Generalized force on a joint or along a tendon: gear · clamp(gain · input + bias), where
 *   input = the control, or the activation if there is one,
 *   gain  = gain + gain_length · length + gain_velocity · velocity, or that of a muscle,
 *   bias  = bias[0] + bias[1] · length + bias[2] · velocity, and that of a muscle's passive force.
 * length = gear · q, or gear · the tendon's length. A motor has gain 1; a position servo gain kp,
 * bias (0, -kp, -kv); a velocity servo gain kv, bias (0, 0, -kv). What brakes and pulls back is
 * implicit, so high gains are stable.
 *
 * It acts on one of these:
 *   joint       a hinge or slide; on a ball or free joint with the force and torque of `wrench`
 *   tendon
 *   site        with `wrench` in its axes and no length; with ref_site in that one's axes and
 *               against its body, and the length is the site's pose there times `wrench`
 *   crank_site  a slider-crank: length a - √(a² + crank_length² - |d|²), d from slider_site to
 *               crank_site, a its part along z of slider_site */
typedef struct TnActuatorDef {
    const char *name;
    TnJointId joint;
    TnTendonId tendon;
    TnSiteId site, ref_site;
    /* adhesion: a force that presses the body to all that it touches, shared by the contacts;
     * without length */
    TnBodyId body;
    TnSiteId crank_site, slider_site;
    double crank_length; /* m, > 0 */
    bool in_parent;      /* the torque on a ball or free joint is in the parent's axes */
    double wrench[6];    /* force (gear of MuJoCo), torque */
    double gear;         /* default 1; not where `wrench` is used */
    double gain;         /* default 1 */
    double gain_length, gain_velocity;
    double bias[3];
    /* > 0, for a position servo without kv: kv = 2 · ratio · √(kp · m) replaces bias[2], where
     * m = 1 / (J M⁻¹ Jᵀ) is the mass it moves in the reference pose with all joints free */
    double damping_ratio;
    bool muscle_gain; /* `muscle` replaces the gain, */
    bool muscle_bias; /* `passive` the bias */
    TnMuscle muscle, passive;
    double length_range[2]; /* of a muscle: ascending. Both 0: found from the limits of its joints,
                               as MuJoCo's compiler finds it */
    TnActivation activation;
    double time_constants[3]; /* s; default 1, 0, 0 */
    TnPid pid;
    bool activation_limited;
    double activation_range[2];
    bool activation_early; /* acts by the activation at the end of the step */
    bool ctrl_limited;
    double ctrl_range[2];
    bool force_limited;
    double force_range[2];
    /* its rotor's inertia and damping, on a joint or tendon: gear² times as much counts as that
     * one's own. No part of the actuator's force */
    double armature, damping;
    double damping_poly[2]; /* as of a joint; on joints only */
    TnSource source;
} TnActuatorDef;

typedef enum TnEqualityType {
    TN_EQUALITY_CONNECT,
    TN_EQUALITY_WELD,
    TN_EQUALITY_JOINT,
    TN_EQUALITY_TENDON
} TnEqualityType;

typedef struct TnEqualityDef {
    const char *name;
    TnEqualityType type;
    bool active;           /* default true */
    TnBodyId body1, body2; /* connect, weld; body2 0 means the world */
    TnSiteId site1, site2; /* connect, weld: instead of bodies, both: their origins, and of a weld
                              their axes, coincide */
    double anchor[3];      /* connect: point in body1's axes; weld: point in body2's axes */
    bool has_relpose; /* weld: relpos, relquat are the pose of body2 in body1's axes; false: that of
                         the reference pose */
    double relpos[3], relquat[4];
    TnJointId joint1,
        joint2; /* joint: q1 - ref1 = poly(q2 - ref2); joint2 0: q1 - ref1 = poly[0] */
    TnTendonId tendon1, tendon2; /* tendon: the same of lengths less those in the reference pose */
    double polycoef[5];          /* default 0 1 0 0 0 */
    TnSource source;
} TnEqualityDef;

/* An explicit geom pair: collides regardless of the masks, with these parameters. Rigid geoms only;
 * surfaces of soft bodies follow their masks. */
typedef struct TnPairDef {
    TnGeomId geom1, geom2;
    int contact_dim;
    double friction[3];
    /* sliding and rolling friction in a second direction, < 0 (default): as in the first. The first
     * one is the world's y axis in the contact plane, or its z axis if the normal is within 60
     * degrees of y */
    double friction_across[2];
    double restitution, margin; /* margin: of the pair, not of each */
    TnSource source;
} TnPairDef;

/* How mass and inertia of a mesh geom are computed. */
typedef enum TnMeshInertia {
    TN_MESH_CONVEX, /* its convex hull, solid (default) */
    TN_MESH_EXACT,  /* the volume enclosed by its triangles, which must be closed */
    TN_MESH_LEGACY, /* as exact, but each triangle contributes positively: MuJoCo's default,
                       too heavy for a mesh with hollows */
    TN_MESH_SHELL   /* its triangles as a thin sheet; the geom's density is in kg/m² */
} TnMeshInertia;

/* What a mesh is for its contacts. */
typedef enum TnMeshCollision {
    TN_MESH_COLLIDE_HULL,      /* its convex hull (default) */
    TN_MESH_COLLIDE_TRIANGLES, /* its triangles, from outside, on bodies that never move */
    TN_MESH_COLLIDE_PIECES     /* convex pieces, found when the model is compiled */
} TnMeshCollision;

/* Triangles of geoms of type TN_GEOM_MESH. They are drawn as triangles. */
typedef struct TnMeshDef {
    const char *name;
    const double *vertices; /* m, 3 × vertex_count, copied */
    int vertex_count;       /* >= 4; not all in one plane if a geom of it collides */
    const int32_t
        *triangles;     /* 3 × triangle_count, from 0, counter-clockwise from outside; copied */
    int triangle_count; /* 0: the mesh is its convex hull */
    /* For drawing only: 2 × 3 × triangle_count, u and v of each corner of each triangle; (0, 0) is
     * the upper left corner of the picture. Copied; NULL (default): none */
    const float *texcoords;
    TnMeshInertia inertia;
    TnMeshCollision collision;
    const char *file; /* for error messages; may be NULL */
    TnSource source;
} TnMeshDef;

/* Heights over a grid, made into a mesh that collides as its triangles, with sides and a bottom.
 * Geoms of it are of type TN_GEOM_MESH and fixed to the world. */
typedef struct TnHeightFieldDef {
    const char *name;
    int rows, columns;     /* along y and x, at least 2 */
    const double *heights; /* m, rows × columns, row by row from -y, each from -x */
    double half[2];        /* m, half lengths along x and y, above 0 */
    double base;           /* m: the bottom is so far below height 0 */
    const char *file;      /* for error messages; may be NULL */
    TnSource source;
} TnHeightFieldDef;

typedef enum TnCameraMode {
    TN_CAMERA_FIXED, /* moves and rotates with its body (default) */
    TN_CAMERA_TRACK, /* moves with its body, keeps its direction of the reference pose */
    TN_CAMERA_TARGET /* moves with its body, looks at the target's origin */
} TnCameraMode;

/* Looks along its -z with y up, as in MuJoCo. */
typedef struct TnCameraDef {
    const char *name;
    TnBodyId body;
    double pos[3], quat[4];
    double fovy; /* rad, vertical field of view; default 45 degrees */
    TnCameraMode mode;
    TnBodyId target;   /* TN_CAMERA_TARGET */
    int resolution[2]; /* pixels, width and height, for sensors; default 1, 1 */
    TnSource source;
} TnCameraDef;

/* Pictures on materials and in the sky. What is built in is made, and files are unpacked, only when
 * a scene is made of the model (tenon/scene.h): a simulation does not pay for them. */
typedef enum TnTextureType {
    TN_TEXTURE_2D,    /* default */
    TN_TEXTURE_CUBE,  /* six faces around a geom */
    TN_TEXTURE_SKYBOX /* six faces around the world; the first one of a model is drawn */
} TnTextureType;

typedef enum TnTextureBuiltin {
    TN_BUILTIN_NONE, /* from files */
    TN_BUILTIN_GRADIENT,
    TN_BUILTIN_CHECKER,
    TN_BUILTIN_FLAT
} TnTextureBuiltin;

typedef enum TnTextureMark {
    TN_MARK_NONE,
    TN_MARK_EDGE,  /* a line around it */
    TN_MARK_CROSS, /* two lines through its middle */
    TN_MARK_RANDOM /* dots at a share `random` of the pixels */
} TnTextureMark;

/* Bytes of a PNG or JPEG file. */
typedef struct TnPicture {
    const void *data;
    size_t size;
    const char *file; /* its name, for messages; may be NULL */
} TnPicture;

/* Faces: right (+x), left, up (+y), down, front (+z), back of a geom. The sky is turned such that
 * up is the world's z axis. */
enum { TN_TEXTURE_FACES = 6 };

typedef struct TnTextureDef {
    const char *name;
    TnTextureType type;
    TnTextureBuiltin builtin;
    TnTextureMark mark;
    double rgb1[3], rgb2[3]; /* default 0.8 and 0.5, as in MuJoCo */
    double mark_rgb[3];      /* default 0 */
    double random;           /* default 0.01 */
    int width, height;       /* pixels of what is built in; cubes: of a face, width counts */
    /* copied. One file in pictures[0], or for cubes one for each face (a missing one has rgb1) */
    TnPicture pictures[TN_TEXTURE_FACES];
    int grid[2];     /* rows and columns in the one file of a cube; default 1, 1: for all faces */
    char layout[16]; /* which face each cell is, row by row: R L U D F B, or . for none */
    bool flip_x, flip_y;
    TnSource source;
} TnTextureDef;

/* How surfaces look. The defaults are MuJoCo's. */
typedef struct TnMaterialDef {
    const char *name;
    double rgba[4];           /* of geoms that name the material in MJCF; default white */
    TnTextureId texture;      /* 0 (default): none */
    double texture_repeat[2]; /* how often a 2D texture is repeated over the geom; default 1, 1 */
    bool texture_uniform;     /* … over 1 m; cubes: over the geom as if it were of size 1 */
    double emission;          /* share of its colour that shines by itself; default 0 */
    double specular;          /* [0, 1], default 0.5: strength of highlights */
    double shininess;         /* [0, 1], default 0.5: how small they are */
    double reflectance;       /* [0, 1], default 0: share of a mirror, for planes */
    double metallic;          /* [0, 1]; < 0 (default): not given, 0 */
    double roughness;         /* [0, 1], in place of shininess; < 0 (default): not given */
    TnSource source;
} TnMaterialDef;

typedef enum TnLightType {
    TN_LIGHT_SPOT,        /* default; at pos */
    TN_LIGHT_DIRECTIONAL, /* the sun: dir alone counts */
    TN_LIGHT_POINT        /* at pos, to all sides */
} TnLightType;

/* Start of a free camera. Missing values are fitted to the scene. */
typedef struct TnView {
    bool has_center, has_extent, has_angles;
    double center[3];          /* m, point it looks at */
    double extent;             /* m, radius of the visible region */
    double azimuth, elevation; /* rad; MuJoCo's: looking along (cos a cos e, sin a cos e, sin e) */
    double fovy;               /* rad, vertical field of view; 0: not given */
    /* The light at the camera, used with the lights of the model; default MuJoCo's 0.1, 0.4, 0.5 */
    bool has_headlight, no_headlight; /* given; switched off */
    double headlight_ambient[3], headlight_diffuse[3], headlight_specular[3];
    bool has_haze;
    double haze[3]; /* colour of the horizon */
} TnView;

/* A light of the model. The defaults are MuJoCo's. If no light of a model is active, scenes are
 * drawn with tenon's own sun and sky. */
typedef struct TnLightDef {
    const char *name;
    TnBodyId body; /* default the world */
    TnLightType type;
    TnCameraMode mode;     /* how pos and dir follow the body; target: as of cameras */
    TnBodyId target;       /* TN_CAMERA_TARGET */
    bool active;           /* default true */
    bool cast_shadow;      /* default true; drawn for one light */
    double pos[3], dir[3]; /* in the body's axes; default (0, 0, -1) for dir */
    double ambient[3], diffuse[3], specular[3]; /* default 0, 0.7, 0.3 */
    double attenuation[3]; /* of distance d in m: 1 / (a + b d + c d²); default 1, 0, 0 */
    double cutoff;         /* rad, half angle of the cone of a spot; default 45 degrees */
    double exponent;       /* of the cosine of the angle to dir; default 10 */
    TnSource source;
} TnLightDef;

/* A cable (discrete Cosserat rod): `segment_count` rigid segments, each a body with a free joint
 * and a capsule, joined by springs against stretch, shear, bending and twist. The frame of a
 * segment is at its centre with z along the rod; x is transported along the rod without twist.
 * Bodies, joints and geoms of the segments have consecutive ids and are named after the rod:
 * name_0, name_1, … Segments are used like other bodies, but cannot have child bodies; use
 * equalities instead. */
typedef struct TnRodDef {
    const char *name;
    int segment_count;       /* >= 2 */
    const double *points;    /* m, 3 × (segment_count + 1): the centre line as built, in world
                                   axes; copied. NULL: straight from start to end */
    double start[3], end[3]; /* m */
    double normal[3];        /* direction of x of the first segment, projected across the rod;
                                zero (default) or along the rod: any */
    double radius;           /* m; default 0.01 */
    double density;          /* kg/m³; default 1000 */
    double youngs_modulus;   /* Pa, > 0: stretch, shear, bending; default 1e7 */
    double poisson_ratio;    /* in (-1, 0.5); default 0.3; twist: G = E / (2 (1 + ν)) */
    double bend_modulus;     /* Pa, replaces E for bending; < 0 (default): not given */
    double twist_modulus;    /* Pa, replaces G for twist; < 0 (default): not given */
    double damping_time;     /* s: each spring's damping per stiffness; default 0.01 */
    bool straight_rest;      /* stress-free when straight; default: as built */
    int group_size;          /* segments per subsystem if the division is TN_DIVISION_AUTO; 0
                                (default): as the model's */
    bool self_contact;       /* its segments collide with each other, except those close along
                                   the rod; default false */
    int contact_type, contact_affinity, contact_dim, priority; /* as in TnGeomDef */
    double friction[3];
    double restitution, margin;
    int group;                                         /* for drawing only */
    double rgba[4];                                    /* for drawing only */
    const char *const *body_names, *const *geom_names; /* segment_count each, replace name_0 …;
                                                          NULL: not given */
    TnSource source;
} TnRodDef;

typedef enum TnSoftLaw {
    TN_SOFT_COROTATIONAL, /* linear in the strain, any rotation (default) */
    TN_SOFT_NEO_HOOKEAN   /* stable neo-Hookean, for large strain */
} TnSoftLaw;

/* A node that moves with a body: it keeps its position in body axes of the reference pose. If the
 * body is fixed to the world, the node is pinned. */
typedef struct TnSoftHoldDef {
    int node; /* of the mesh, from 0 */
    TnBodyId body;
} TnSoftHoldDef;

/* A soft body: linear tetrahedra with three unknowns per node, or a sheet (cloth, plate): triangles
 * with a thickness, which stretch and bend. Its surface is one geom of type TN_GEOM_SOFT with the
 * name of the soft body. Surface nodes and triangles collide with other geoms, with sliding
 * friction (no torsional or rolling friction); a sheet does so on both sides. */
typedef struct TnSoftDef {
    const char *name;
    TnTetMesh mesh;   /* the stress-free shape; copied. tn_tet_mesh_check must have passed */
    double thickness; /* m; > 0: a sheet. Each element of the mesh then is a triangle, whose fourth
                         node repeats the third; tn_sheet_mesh_check must have passed. Default 0 */
    bool no_stretch_force, no_bend_force; /* of a sheet; default false */
    double stretch_modulus; /* Pa, of a sheet's stretch if not youngs_modulus; default 0: it is */
    double pos[3], quat[4]; /* of the mesh in the world */
    double youngs_modulus;  /* Pa, > 0; default 1e6 */
    double poisson_ratio;   /* [0, 0.5); default 0.3 */
    double density;         /* kg/m³; default 1000 */
    double mass;            /* kg, total mass, replaces the density; < 0 (default): not given */
    TnSoftLaw law;
    double damping_mass;      /* 1/s, >= 0: α of Rayleigh damping α M + β K; default 0 */
    double damping_stiffness; /* s, >= 0: its β; default 0.001 */
    bool consistent_mass;     /* default false: lumped, a quarter of each element at each corner */
    bool mean_dilatation; /* volume changes averaged over patches of elements, against locking near
                                 ν = 0.5; default true; corotational law only */
    const TnSoftHoldDef *holds; /* copied */
    int hold_count;
    int pieces;        /* number of subsystems, unless the division overrides it; 0 (default):
                          as the model's */
    bool self_contact; /* its surface collides with itself; default false */
    double radius;     /* m: thickness of the contact surface outside the mesh; default 0 */
    int contact_type, contact_affinity, contact_dim, priority; /* as in TnGeomDef; dim 1 or 3 */
    double friction[3];
    double restitution, margin;
    int group;      /* for drawing only */
    double rgba[4]; /* for drawing only */
    TnSource source;
} TnSoftDef;

/* A tie of a node of one soft body to a point of another: the point at (or nearest to) the node in
 * the reference pose. A distance above 0.05 of the diagonal of soft2 is an error. To tie nodes to
 * bodies or segments of rods, use holds. */
typedef struct TnTieDef {
    const char *name;
    TnSoftId soft1;
    int node; /* of soft1, from 0 */
    TnSoftId soft2;
    TnSource source;
} TnTieDef;

/* First body, joint and geom of a rod. Add i for those of segment i. */
typedef struct TnRodParts {
    TnBodyId body;
    TnJointId joint;
    TnGeomId geom;
} TnRodParts;

typedef enum TnWheelKind {
    TN_WHEEL_ROLLING, /* the body is the wheel and spins, on a hinge or as a free disc (default) */
    TN_WHEEL_SKATE /* a knife edge, or a wheel whose spin is not modelled: moves freely forwards */
} TnWheelKind;

/* A wheel that does not slip on a plane ground: a constraint on velocities, not a contact. With the
 * axle a and the ground normal n, the wheel touches the ground at the lowest point of its rim,
 * c - R n_w, where n_w is the unit vector of n - (n·a) a. The body's velocity there is zero along
 * the projection of the axle on the ground. For a rolling wheel it is also zero across it.
 * keep_height also fixes the height. A wheel needs no geom, and its forces are not limited. While
 * the axle is parallel to n, the wheel constrains nothing. See docs/wheels.md. */
typedef struct TnWheelDef {
    const char *name;
    TnBodyId body; /* not fixed to the world, not a segment of a rod */
    double pos[3]; /* m, its centre c, body axes */
    double
        axle[3];   /* direction, body axes; default y. Not along the normal in the reference pose */
    double radius; /* m; > 0 for a rolling wheel, 0 (default) possible for a skate */
    TnWheelKind kind;
    double normal[3]; /* of the ground, world axes; default z */
    bool keep_height; /* the lowest point keeps its height of the reference pose; default
                         false */
    TnSource source;
} TnWheelDef;

typedef enum TnSensorType {
    TN_SENSOR_JOINT_POS,
    TN_SENSOR_JOINT_VEL, /* of a hinge or slide */
    TN_SENSOR_BODY_POS,
    TN_SENSOR_BODY_QUAT, /* of the body's frame, world axes */
    TN_SENSOR_SITE_POS,
    TN_SENSOR_SITE_QUAT,
    TN_SENSOR_TENDON_POS, /* length and its rate */
    TN_SENSOR_TENDON_VEL,
    TN_SENSOR_ACTUATOR_POS, /* length (gear included) and its rate */
    TN_SENSOR_ACTUATOR_VEL,
    TN_SENSOR_GYRO,        /* angular velocity of a site, in its own axes */
    TN_SENSOR_VELOCIMETER, /* velocity of a site's origin, in its own axes */
    TN_SENSOR_FORCE,  /* of the parent on the site's body, in the site's axes, mean over the last
                         step */
    TN_SENSOR_TORQUE, /* torque of the same about the site */
    TN_SENSOR_ACTUATOR_FORCE,        /* before gear, at the state */
    TN_SENSOR_JOINT_ACTUATOR_FORCE,  /* of all actuators on a hinge or slide, gear and tendons
                                        included */
    TN_SENSOR_TENDON_ACTUATOR_FORCE, /* of all actuators on a tendon, before gear */
    TN_SENSOR_BALL_QUAT,             /* of a ball joint */
    TN_SENSOR_BALL_ANGULAR_VEL,      /* in the body's axes */
    TN_SENSOR_SITE_X_AXIS,           /* its unit vectors, world axes */
    TN_SENSOR_SITE_Y_AXIS,
    TN_SENSOR_SITE_Z_AXIS,
    TN_SENSOR_SITE_VEL, /* velocity of its origin and angular velocity, world axes */
    TN_SENSOR_SITE_ANGULAR_VEL,
    /* Accelerations are means over the last step. The linear ones have gravity taken off: g
     * upwards at rest. */
    TN_SENSOR_SITE_ACC, /* world axes */
    TN_SENSOR_SITE_ANGULAR_ACC,
    TN_SENSOR_ACCELEROMETER, /* TN_SENSOR_SITE_ACC in the site's own axes */
    TN_SENSOR_MAGNETOMETER,  /* TnOption.magnetic in the site's axes */
    TN_SENSOR_SUBTREE_POS,   /* centre of mass of a body and all below it */
    TN_SENSOR_SUBTREE_VEL,
    TN_SENSOR_SUBTREE_ANGULAR_MOMENTUM, /* about that centre of mass */
    TN_SENSOR_CLOCK,                    /* the time; it has no object */
    TN_SENSOR_POTENTIAL_ENERGY,         /* of the model; no object */
    TN_SENSOR_KINETIC_ENERGY,
    TN_SENSOR_JOINT_LIMIT_POS, /* of a joint beyond a limit: how far, below zero; its velocity
                                  outwards, below zero; else 0 */
    TN_SENSOR_JOINT_LIMIT_VEL,
    TN_SENSOR_JOINT_LIMIT_FORCE, /* of its limits, mean over the last step */
    TN_SENSOR_TENDON_LIMIT_POS,  /* the same of a tendon */
    TN_SENSOR_TENDON_LIMIT_VEL,
    TN_SENSOR_TENDON_LIMIT_FORCE,
    TN_SENSOR_TOUCH, /* N: normal forces of contacts of the site's body whose normal, outwards from
                        the point, meets the site's volume; mean over the last step */
    TN_SENSOR_RANGEFINDER, /* ray from a site along its z, not counting its body: `fields` */
    TN_SENSOR_PROJECTION,  /* pixels: a site in the image of `camera`, from its upper left corner */
    TN_SENSOR_INSIDE_SITE, /* 1: the origin of the site is within the volume of `zone`; else 0 */
    /* Between pick1 and pick2, geoms or bodies, not farther apart than `cutoff`. */
    TN_SENSOR_DISTANCE,        /* m, below zero: depth; `cutoff` if they are farther apart */
    TN_SENSOR_DISTANCE_NORMAL, /* unit vector from the surface of the first to the second; else 0 */
    TN_SENSOR_DISTANCE_POINTS, /* the nearest points of both; else 0 */
    TN_SENSOR_CONTACT,         /* contacts of the last step: pick1, pick2, zone, `slots`, `fields`,
                                  `reduce` */
    TN_SENSOR_USER             /* room for `slots` numbers of the user's own; zeros */
} TnSensorType;

/* What a sensor of distances or contacts looks at. */
typedef enum TnPickKind {
    TN_PICK_ANY, /* anything; contacts only */
    TN_PICK_GEOM,
    TN_PICK_BODY,   /* its own geoms */
    TN_PICK_SUBTREE /* those of the body and of all below it; contacts only */
} TnPickKind;
typedef struct TnPick {
    TnPickKind kind;
    int32_t id;
} TnPick;

/* Fields of a contact sensor, in this order; a sum of bits. */
enum {
    TN_CONTACT_FOUND = 1 << 0,   /* 1: how many contacts there are in all */
    TN_CONTACT_FORCE = 1 << 1,   /* 3: on the second, in the contact's axes */
    TN_CONTACT_TORQUE = 1 << 2,  /* 3 */
    TN_CONTACT_DIST = 1 << 3,    /* 1: gap, below zero: depth */
    TN_CONTACT_POS = 1 << 4,     /* 3: world axes */
    TN_CONTACT_NORMAL = 1 << 5,  /* 3: from the first to the second */
    TN_CONTACT_TANGENT = 1 << 6, /* 3: the second of the contact's axes */
    TN_CONTACT_LINVEL = 1 << 7,  /* 3: of the second against the first, in the contact's axes */
    TN_CONTACT_ANGVEL = 1 << 8   /* 3 */
};
typedef enum TnContactReduce {
    TN_REDUCE_NONE, /* the first ones */
    TN_REDUCE_MIN_DIST,
    TN_REDUCE_MAX_FORCE,
    TN_REDUCE_NET_FORCE /* one, which does what all do together; its axes are the world's */
} TnContactReduce;

/* Fields of a rangefinder, in this order. */
enum {
    TN_RANGE_DIST = 1 << 0,   /* 1: m, -1: nothing; default */
    TN_RANGE_DIR = 1 << 1,    /* 3: the unit vector; zeros if nothing is hit */
    TN_RANGE_ORIGIN = 1 << 2, /* 3 */
    TN_RANGE_POINT = 1 << 3,  /* 3: zeros if nothing is hit */
    TN_RANGE_NORMAL = 1 << 4, /* 3: the same */
    TN_RANGE_DEPTH = 1 << 5   /* 1: as DIST */
};

typedef struct TnSensorDef {
    const char *name;
    TnSensorType type;
    int32_t object; /* joint, body, site, tendon or actuator id */
    TnSiteId ref;   /* SITE_POS … SITE_ANGULAR_VEL but not the accelerations: as seen from this
                       site, which may move; 0 (default): from the world */
    double cutoff;  /* > 0: numbers are clamped to ± this; not for quaternions and unit vectors.
                       Distances: see there; contacts: ignored */
    TnPick pick1, pick2;
    TnSiteId zone; /* 0: none */
    TnCameraId camera;
    int slots;       /* contacts; default 1 */
    uint32_t fields; /* default 1: the first one */
    TnContactReduce reduce;
    TnSource source;
} TnSensorDef;

typedef struct TnKeyDef {
    const char *name;
    double time;
    const double *qpos;
    int qpos_count; /* 0: the reference pose; if only joints are given, soft bodies are as built. A
                       quaternion of zeros is no turn */
    const double *qvel;
    int qvel_count; /* 0: at rest; if only joints are given, soft bodies are at rest */
    const double *ctrl;
    int ctrl_count; /* 0: all zero */
    const double *act;
    int act_count; /* 0: all zero */
    /* 3 and 4 numbers for each mocap body, in the order of their ids; 0: as in the model */
    const double *mocap_pos, *mocap_quat;
    int mocap_pos_count, mocap_quat_count;
    TnSource source;
} TnKeyDef;

/* A control track of the model: row k has all controls at times[k], with linear interpolation.
 * After the last row the track continues at row `loop_from` if that is >= 0 (its controls must
 * equal those of the last row); otherwise the last row holds. */
typedef struct TnTrackDef {
    int row_count;
    const double *times; /* ascending, s */
    const double *ctrl;  /* row_count × actuator count */
    int loop_from;       /* default -1 */
    TnSource source;
} TnTrackDef;

TN_API TnOption tn_option(void);
TN_API TnBodyDef tn_body_def(void);
TN_API TnJointDef tn_joint_def(void);
/* How many numbers of TnGeomDef.size the shape has. */
TN_API int tn_geom_size_count(TnGeomType type);
TN_API TnGeomDef tn_geom_def(void);
TN_API TnSiteDef tn_site_def(void);
TN_API TnTendonDef tn_tendon_def(void);
TN_API TnActuatorDef tn_actuator_def(void);
TN_API TnMuscle tn_muscle(void); /* MuJoCo's defaults */
TN_API TnEqualityDef tn_equality_def(void);
TN_API TnPairDef tn_pair_def(void);
TN_API TnSensorDef tn_sensor_def(void);
TN_API TnKeyDef tn_key_def(void);
TN_API TnTrackDef tn_track_def(void);
TN_API TnMeshDef tn_mesh_def(void);
TN_API TnCameraDef tn_camera_def(void);
TN_API TnTextureDef tn_texture_def(void);
TN_API TnMaterialDef tn_material_def(void);
TN_API TnLightDef tn_light_def(void);
TN_API TnRodDef tn_rod_def(void);
TN_API TnWheelDef tn_wheel_def(void);
TN_API TnSoftDef tn_soft_def(void);
TN_API TnTieDef tn_tie_def(void);

/* Builder. Adding does not return errors: compile reports all bad definitions, and a lack of
 * memory, at once. Names are copied. A builder can be compiled more than once. */
TN_API TnModelBuilder *tn_builder_create(void);
TN_API void tn_builder_destroy(TnModelBuilder *builder);
TN_API void tn_builder_set_name(TnModelBuilder *builder, const char *name);
TN_API void tn_builder_set_option(TnModelBuilder *builder, const TnOption *option, TnSource source);
TN_API TnBodyId tn_builder_add_body(TnModelBuilder *builder, const TnBodyDef *def);
TN_API TnJointId tn_builder_add_joint(TnModelBuilder *builder, const TnJointDef *def);
TN_API TnGeomId tn_builder_add_geom(TnModelBuilder *builder, const TnGeomDef *def);
TN_API TnSiteId tn_builder_add_site(TnModelBuilder *builder, const TnSiteDef *def);
TN_API TnTendonId tn_builder_add_tendon(TnModelBuilder *builder, const TnTendonDef *def);
TN_API TnActuatorId tn_builder_add_actuator(TnModelBuilder *builder, const TnActuatorDef *def);
TN_API TnEqualityId tn_builder_add_equality(TnModelBuilder *builder, const TnEqualityDef *def);
TN_API void tn_builder_add_pair(TnModelBuilder *builder, const TnPairDef *def);
TN_API void tn_builder_add_exclude(TnModelBuilder *builder, TnBodyId body1, TnBodyId body2,
                                   TnSource source);
TN_API TnSensorId tn_builder_add_sensor(TnModelBuilder *builder, const TnSensorDef *def);
TN_API TnKeyId tn_builder_add_key(TnModelBuilder *builder, const TnKeyDef *def);
TN_API TnMeshId tn_builder_add_mesh(TnModelBuilder *builder, const TnMeshDef *def);
/* 0: a number of the definition is impossible, or no memory. */
TN_API TnMeshId tn_builder_add_height_field(TnModelBuilder *builder, const TnHeightFieldDef *def);
/* How a simple shape takes the place of a mesh. Its axes are the mesh's principal axes. */
typedef enum TnMeshFit {
    TN_FIT_INERTIA, /* sizes from the box with the mesh's mass and inertia (MuJoCo's default) */
    TN_FIT_EXTENT   /* from the box around its vertices (MuJoCo's fitaabb) */
} TnMeshFit;
/* Sets the size of a sphere, capsule, ellipsoid, cylinder or box, times `scale`, and moves its
 * pose, which was that of the mesh. False: no such mesh, it has no volume, or another type of geom.
 */
TN_API bool tn_builder_fit_geom(const TnModelBuilder *builder, TnGeomDef *geom, TnMeshId mesh,
                                TnMeshFit fit, double scale);
TN_API TnCameraId tn_builder_add_camera(TnModelBuilder *builder, const TnCameraDef *def);
TN_API TnTextureId tn_builder_add_texture(TnModelBuilder *builder, const TnTextureDef *def);
TN_API TnMaterialId tn_builder_add_material(TnModelBuilder *builder, const TnMaterialDef *def);
TN_API TnLightId tn_builder_add_light(TnModelBuilder *builder, const TnLightDef *def);
TN_API TnRodId tn_builder_add_rod(TnModelBuilder *builder, const TnRodDef *def);
TN_API TnWheelId tn_builder_add_wheel(TnModelBuilder *builder, const TnWheelDef *def);
TN_API TnSoftId tn_builder_add_soft(TnModelBuilder *builder, const TnSoftDef *def);
TN_API TnTieId tn_builder_add_tie(TnModelBuilder *builder, const TnTieDef *def);
/* All 0 if there is no such rod or its segment_count is invalid. */
TN_API TnRodParts tn_builder_rod_parts(const TnModelBuilder *builder, TnRodId id);
TN_API void tn_builder_set_view(TnModelBuilder *builder, const TnView *view);
TN_API void tn_builder_set_track(TnModelBuilder *builder, const TnTrackDef *def);
/* Returns NULL and an error if anything is wrong. */
TN_API TnModel *tn_builder_compile(TnModelBuilder *builder, TnError *err);
/* The same in memory of the caller's, which may be shared between processes: a model is one block
 * and points nowhere else. `place` gets its size in bytes and returns memory of that size that
 * starts on a multiple of 64, or NULL. tn_model_destroy does not free it. */
TN_API TnModel *tn_builder_compile_in(TnModelBuilder *builder,
                                      void *(*place)(void *context, size_t bytes), void *context,
                                      TnError *err);

/* Remarks of the loader on approximations, one per line of `message` as in TnError. */
typedef struct TnRemarks {
    int count;
    char message[16384];
} TnRemarks;

/* Reads a model file: MJCF, URDF or SDF, as its root element says. Unknown or unsupported elements
 * of MJCF are errors, unknown ones of URDF and SDF are remarks. `remarks` may be NULL. */
TN_API TnModel *tn_model_load(const char *path, TnError *err);
TN_API TnModel *tn_model_load_with_remarks(const char *path, TnRemarks *remarks, TnError *err);
/* The same of a text, MJCF, URDF or SDF. `path` stands for it in messages, and the files that it
 * names are looked for beside it; NULL: "model", in the present folder. */
TN_API TnModel *tn_model_load_string(const char *text, const char *path, TnRemarks *remarks,
                                     TnError *err);

/* A file in memory. */
typedef struct TnMemoryFile {
    const char *path;
    const void *data;
    size_t size; /* bytes */
} TnMemoryFile;

/* Which files a model may name: meshes, included models, control tracks. Others are errors.
 * A symbolic link counts as what it leads to. Files in memory, and packages of URDF, are always
 * read. */
typedef enum TnFileReach {
    TN_FILES_NEAR,   /* in the model's folder and below (default); in the folder above it and below,
                        but there no hidden ones */
    TN_FILES_FOLDER, /* in the model's folder and below */
    TN_FILES_ANY     /* anywhere */
} TnFileReach;

/* How a file is read. */
typedef struct TnLoadDef {
    const char *text; /* read instead of the file, which need not exist; NULL (default): the file */
    /* Looked at before those on disk: meshes, included files. Their paths begin where that of the
     * model begins, as "robot/arm.stl" for a model "robot/arm.xml" that names "arm.stl". */
    const TnMemoryFile *files;
    int file_count;
    TnFileReach reach;
    /* A file may ask for so much: 256 MB for each file, 5e6 elements of XML with all copies, 2e6
     * nodes of a soft body that is made from a count, 1e6 segments of a cable. More is an error
     * before memory is taken. This raises all of them, up to 2 GB, 1e9 elements, 2e7 nodes, 1e7
     * segments; default 1 */
    double limit_factor;
    const char
        *package_path; /* of URDF and SDF: folders for package://, separated by ':', tried before
                          those of the environment variable ROS_PACKAGE_PATH; may be NULL */
    bool free_base;    /* of URDF: the root link has a free joint; default false: it is fixed */
} TnLoadDef;
TN_API TnLoadDef tn_load_def(void);

/* Reads a model file into a builder, to which more can be added. `def` may be NULL. Destroy it
 * after compiling. NULL and an error if the file has errors. */
TN_API TnModelBuilder *tn_builder_load(const char *path, const TnLoadDef *def, TnRemarks *remarks,
                                       TnError *err);
/* Writes the definitions of a builder as an MJCF file that loads to the same model: numbers keep
 * all their digits. Large meshes, tetrahedra and the control track go into files beside it, named
 * after it. False and an error if a file cannot be written, or if MJCF (with the element <tenon>)
 * cannot express something. */
TN_API bool tn_builder_write(const TnModelBuilder *builder, const char *path, TnError *err);
/* The same, each file given to `take`, the model last; false from it: it could not be kept. NULL:
 * written on disk. */
typedef bool (*TnTakeFile)(void *user, const TnMemoryFile *file);
TN_API bool tn_builder_write_to(const TnModelBuilder *builder, const char *path, TnTakeFile take,
                                void *user, TnError *err);

TN_API void tn_model_destroy(TnModel *model); /* NULL is allowed; not while a world uses it */

#ifdef __cplusplus
}
#endif
#endif
