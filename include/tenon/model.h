/* tenon/model.h: what there is. A builder collects definitions (from C calls or a file) and
 * compiles them into an immutable TnModel, which many worlds and threads may share.
 *
 * Units are SI throughout: m, kg, s, rad, N, N·m. Quaternions are (w, x, y, z). A frame (pos, quat)
 * is given relative to the parent body unless said otherwise. Coordinates follow MuJoCo: a joint's
 * entries in qpos and qvel stand in the order in which bodies and joints were added (depth first
 * from a file); where calls interleave several moving trees, each tree's entries lie together.
 *
 *   free          qpos x y z qw qx qy qz
 *                 qvel linear (world axes, of the body's origin), angular (body axes)
 *   ball          qpos qw qx qy qz, qvel angular (body axes)
 *   slide, hinge  one number each
 *
 * Soft bodies come last, in the order in which they were added: three numbers per node, in qpos its
 * position and in qvel its velocity, both in the world. */
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

#define TN_BODY_WORLD ((TnBodyId)1) /* the fixed world, present in every builder */

typedef enum TnJointType {
    TN_JOINT_FREE,
    TN_JOINT_BALL,
    TN_JOINT_SLIDE,
    TN_JOINT_HINGE
} TnJointType;

typedef enum TnGeomType {
    TN_GEOM_PLANE,        /* collides endless, normal = local z; size: half lengths drawn, 0
                             endless */
    TN_GEOM_HEIGHT_FIELD, /* reserved: compile refuses it for now */
    TN_GEOM_SPHERE,       /* size[0] radius */
    TN_GEOM_CAPSULE,      /* size[0] radius, size[1] half length of the cylinder along local z */
    TN_GEOM_ELLIPSOID,    /* size: three radii */
    TN_GEOM_CYLINDER,     /* size[0] radius, size[1] half length along local z */
    TN_GEOM_BOX,          /* size: three half lengths */
    TN_GEOM_MESH,         /* convex hull of `mesh` */
    TN_GEOM_SOFT /* surface of a soft body; tn_builder_add_soft makes it, and nobody else */
} TnGeomType;

/* How cables and soft bodies, and the robots that hold them, are divided into subsystems. Converged
 * results do not depend on it. */
typedef enum TnDivisionKind {
    TN_DIVISION_AUTO,  /* as is usually best: whole */
    TN_DIVISION_WHOLE, /* a cable or soft body with all robots that hold it is one subsystem */
    TN_DIVISION_PAPER, /* cables: four segments each; soft bodies: 20 pieces; robots apart */
    TN_DIVISION_GROUPS /* cables: group_size segments each; robots apart */
} TnDivisionKind;

typedef struct TnDivisionDef {
    TnDivisionKind kind;
    int group_size; /* >= 1, for TN_DIVISION_GROUPS */
    int pieces;     /* >= 1: of each soft body, robots apart where there is more than one; 0
                       (default): as the kind says */
} TnDivisionDef;

typedef struct TnOption {
    double timestep;   /* s, > 0; default 0.01 */
    double gravity[3]; /* m/s², default (0, 0, -9.81) */
    double theta;      /* time stepping, in [0.5, 1]: 0.5 midpoint (default), 1 implicit Euler */
    int relinearize; /* most passes that put forces and inertia of articulated trees at the midpoint,
                        >= 1; they end when they have converged; default 20 */
    double stabilization;   /* share of a constraint's position error removed per step, [0, 1];
                             default 0.2 */
    TnDivisionDef division; /* default TN_DIVISION_AUTO */
} TnOption;

typedef struct TnBodyDef {
    const char *name; /* may be NULL */
    TnBodyId parent;  /* default the world */
    double pos[3], quat[4];
    bool has_inertia;       /* false: mass and inertia come from the geoms */
    double mass;            /* kg */
    double inertia_pos[3];  /* centre of mass in body axes */
    double inertia_quat[4]; /* principal axes in body axes; with inertia_full they are computed */
    double inertia[3];      /* principal moments, kg·m² */
    bool use_inertia_full;  /* read inertia_full instead of inertia and inertia_quat */
    double inertia_full[6]; /* xx yy zz xy xz yz about the centre of mass, body axes */
    /* Corrections, wherever the mass comes from; default none. */
    double min_mass;      /* kg: a smaller mass is raised to this */
    double min_inertia;   /* kg·m²: smaller principal moments are raised to this */
    bool balance_inertia; /* moments that belong to no real body are replaced by their mean */
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
    double spring_ref;    /* joint coordinate at which the spring is at rest */
    double damping;       /* N·m·s/rad or N·s/m */
    double armature;      /* kg·m² or kg, added to the diagonal of the mass matrix */
    double friction_loss; /* N·m or N, dry friction */
    TnSource source;
} TnJointDef;

typedef struct TnGeomDef {
    const char *name;
    TnBodyId body;
    TnGeomType type; /* default sphere */
    double pos[3], quat[4];
    double size[3];
    double density;       /* kg/m³, default 1000; used when mass < 0 */
    double mass;          /* kg, < 0: from density */
    int contact_type;     /* bit mask, default 1 (MuJoCo's contype) */
    int contact_affinity; /* bit mask, default 1; a pair collides when type & affinity meets in
                             either order */
    int contact_dim; /* 1 frictionless, 3 sliding (default), 4 + torsional, 6 + rolling friction */
    int priority; /* the geom with the higher one gives contact_dim and friction; equal: the larger
                   */
    double friction[3]; /* sliding (1), torsional (m), rolling (m); default 1, 0.005, 0.0001 */
    double restitution; /* [0, 1], default 0; a pair takes the larger */
    double margin;      /* m: distance below which contacts are listed even when not approaching */
    int group;          /* for drawing only */
    double rgba[4];     /* for drawing only */
    TnMeshId mesh;      /* TN_GEOM_MESH only; may serve many geoms */
    TnSource source;
} TnGeomDef;

typedef struct TnSiteDef {
    const char *name;
    TnBodyId body;
    double pos[3], quat[4];
    TnSource source;
} TnSiteDef;

/* A joint's share in a tendon. */
typedef struct TnTendonJoint {
    TnJointId joint; /* hinge or slide */
    double coef;     /* length per rad or per m */
} TnTendonJoint;

/* A fixed tendon (MuJoCo's <fixed>): length = Σ coef · q over joints of one moving tree. A force F
 * along it acts on each of them as coef · F. */
typedef struct TnTendonDef {
    const char *name;
    const TnTendonJoint *joints; /* copied */
    int joint_count;
    bool limited;
    double range[2];        /* of the length */
    double stiffness;       /* force per length */
    bool has_spring_length; /* false: at rest where its joints are at their spring_ref */
    double spring_length;
    double damping;       /* force per rate of the length */
    double friction_loss; /* dry friction along the tendon */
    TnSource source;
} TnTendonDef;

/* Generalized force on a joint or along a tendon: gear · clamp(gain · ctrl + bias[0] + bias[1] ·
 * length + bias[2] · velocity), length = gear · q, or gear · the tendon's length. A motor has gain
 * 1; a position servo gain kp, bias (0, -kp, -kv); a velocity servo gain kv, bias (0, 0, -kv). The
 * gains are treated implicitly, so that high ones are stable. */
typedef struct TnActuatorDef {
    const char *name;
    TnJointId joint;   /* hinge or slide */
    TnTendonId tendon; /* instead of a joint */
    double gear;       /* default 1 */
    double gain;       /* default 1 */
    double bias[3];
    /* > 0, for a position servo without kv: kv = 2 · ratio · √(kp · m) takes the place of bias[2],
     * with m = 1 / (J M⁻¹ Jᵀ) the mass it moves in the reference pose, all joints free */
    double damping_ratio;
    bool ctrl_limited;
    double ctrl_range[2];
    bool force_limited;
    double force_range[2];
    TnSource source;
} TnActuatorDef;

typedef enum TnEqualityType {
    TN_EQUALITY_CONNECT,
    TN_EQUALITY_WELD,
    TN_EQUALITY_JOINT
} TnEqualityType;

typedef struct TnEqualityDef {
    const char *name;
    TnEqualityType type;
    bool active;           /* default true */
    TnBodyId body1, body2; /* connect, weld; body2 0 means the world */
    double anchor[3];      /* connect: point in body1's axes; weld: point in body2's axes */
    bool has_relpose; /* weld: relpos, relquat give body2 in body1's axes; else the reference pose
                         does */
    double relpos[3], relquat[4];
    TnJointId joint1,
        joint2;         /* joint: q1 - ref1 = poly(q2 - ref2); joint2 0: q1 - ref1 = poly[0] */
    double polycoef[5]; /* default 0 1 0 0 0 */
    TnSource source;
} TnEqualityDef;

/* An explicit geom pair: collides whatever the masks say, with these parameters. Rigid geoms only: surfaces of
 * soft bodies go by their masks. */
typedef struct TnPairDef {
    TnGeomId geom1, geom2;
    int contact_dim;
    double friction[3];
    double restitution, margin;
    TnSource source;
} TnPairDef;

/* What a mesh's mass properties are computed from, where a geom's mass counts. */
typedef enum TnMeshInertia {
    TN_MESH_CONVEX, /* its convex hull, solid (default) */
    TN_MESH_EXACT,  /* what its triangles enclose; they must be closed */
    TN_MESH_LEGACY, /* as exact, but with each triangle's part positive: MuJoCo's default, counts
                       too much of a mesh with hollows */
    TN_MESH_SHELL   /* its triangles as a thin sheet; the geom's density is in kg/m² */
} TnMeshInertia;

/* Triangles that geoms of type TN_GEOM_MESH show; they collide as their convex hull. */
typedef struct TnMeshDef {
    const char *name;
    const double *vertices; /* m, 3 × vertex_count, copied */
    int vertex_count;       /* >= 4, not all in one plane */
    const int32_t
        *triangles;     /* 3 × triangle_count, from 0, counter-clockwise from outside; copied */
    int triangle_count; /* 0: the mesh is its convex hull */
    TnMeshInertia inertia;
    const char *file; /* named in messages; may be NULL */
    TnSource source;
} TnMeshDef;

typedef enum TnCameraMode {
    TN_CAMERA_FIXED, /* moves and turns with its body (default) */
    TN_CAMERA_TRACK, /* moves with its body, keeps the direction that it has in the reference pose */
    TN_CAMERA_TARGET /* moves with its body, looks at the target's origin */
} TnCameraMode;

/* Looks along its -z with y up, as in MuJoCo. */
typedef struct TnCameraDef {
    const char *name;
    TnBodyId body;
    double pos[3], quat[4];
    double fovy; /* rad, of the picture's height; default 45 degrees */
    TnCameraMode mode;
    TnBodyId target; /* TN_CAMERA_TARGET */
    TnSource source;
} TnCameraDef;

/* Where a free camera starts. What is not given is fitted to the scene. */
typedef struct TnView {
    bool has_center, has_extent, has_angles;
    double center[3];          /* m, what it looks at */
    double extent;             /* m, radius of what should be seen */
    double azimuth, elevation; /* rad; MuJoCo's: looking along (cos a cos e, sin a cos e, sin e) */
    double fovy;               /* rad, of the picture's height; 0: not given */
} TnView;

/* A cable: `segment_count` rigid segments in a row, each a body of its own with a free joint and a
 * capsule, held together by elastic springs against stretch, shear, bending and twist (a Cosserat
 * rod). A segment's frame lies at its centre with z along the rod; x is carried along without
 * twist. Bodies, joints and geoms of the segments have consecutive ids and are named after the rod:
 * name_0, name_1, … Everything that works on bodies works on them, but nothing may be attached to
 * one as its child body; equalities do that. */
typedef struct TnRodDef {
    const char *name;
    int segment_count;       /* >= 2 */
    const double *points;    /* m, 3 × (segment_count + 1): the centre line as built, in the
                                   world; copied. NULL: straight from start to end */
    double start[3], end[3]; /* m */
    double normal[3];        /* where x of the first segment points, as far as it is across; zero
                                (default) or along it: anywhere */
    double radius;           /* m; default 0.01 */
    double density;          /* kg/m³; default 1000 */
    double youngs_modulus;   /* Pa, > 0: stretch, shear, bending; default 1e7 */
    double poisson_ratio;    /* in (-1, 0.5); default 0.3; twist: G = E / (2 (1 + ν)) */
    double bend_modulus;     /* Pa, in place of E for bending; < 0 (default): none given */
    double twist_modulus;    /* Pa, in place of G for twist; likewise */
    double damping_time;     /* s: each spring's damping per stiffness; default 0.01 */
    bool straight_rest;      /* free of stress when straight; default: as built */
    int group_size;          /* segments per subsystem, where the division is not said to be
                                another; 0 (default): as the model's */
    bool self_contact;       /* its segments collide with each other, those close along the rod
                                   excepted; default false */
    int contact_type, contact_affinity, contact_dim, priority; /* as in TnGeomDef */
    double friction[3];
    double restitution, margin;
    int group;                                         /* for drawing only */
    double rgba[4];                                    /* for drawing only */
    const char *const *body_names, *const *geom_names; /* segment_count each, in place of name_0 …;
                                                          NULL: none given */
    TnSource source;
} TnRodDef;

typedef enum TnSoftLaw {
    TN_SOFT_COROTATIONAL, /* linear in the strain, any rotation (default) */
    TN_SOFT_NEO_HOOKEAN   /* stable neo-Hookean, for large strain */
} TnSoftLaw;

/* A node that moves with a body: it keeps the place that it has in the body's axes in the reference
 * pose. On a body that is fixed to the world the node is pinned. */
typedef struct TnSoftHoldDef {
    int node; /* of the mesh, from 0 */
    TnBodyId body;
} TnSoftHoldDef;

/* A soft body: linear tetrahedra with three unknowns per node. It has one geom, its surface, of type
 * TN_GEOM_SOFT, named as the soft body; contacts are between surface nodes and triangles and other
 * geoms, with sliding friction (no torsional and rolling friction). */
typedef struct TnSoftDef {
    const char *name;
    TnTetMesh mesh; /* free of stress as it is; copied. tn_tet_mesh_check must have passed */
    double pos[3], quat[4]; /* of the mesh in the world */
    double youngs_modulus;  /* Pa, > 0; default 1e6 */
    double poisson_ratio;   /* [0, 0.5); default 0.3 */
    double density;         /* kg/m³; default 1000 */
    double mass; /* kg of the whole, in place of the density; < 0 (default): none given */
    TnSoftLaw law;
    double damping_mass;      /* 1/s, >= 0: Rayleigh damping α M + β K; α, default 0 */
    double damping_stiffness; /* s, >= 0: β, default 0.001 */
    bool consistent_mass;     /* default: lumped, a quarter of each element at its corners */
    bool mean_dilatation; /* volume changes by patches of elements, against locking near ν = 0.5;
                                 default true; the corotational law only */
    const TnSoftHoldDef *holds; /* copied */
    int hold_count;
    int pieces;        /* subsystems that it is divided into where the division does not say
                          otherwise; 0 (default): as the model's */
    bool self_contact; /* its surface collides with itself; default false */
    double radius; /* m: the surface that touches lies this far outside of the mesh; default 0 */
    int contact_type, contact_affinity, contact_dim, priority; /* as in TnGeomDef; dim 1 or 3 */
    double friction[3];
    double restitution, margin;
    int group;      /* for drawing only */
    double rgba[4]; /* for drawing only */
    TnSource source;
} TnSoftDef;

/* A node of a soft body tied to another one: to the point of it that it lies in (or nearest to) in the
 * reference pose. One that lies outside by more than 0.05 of the diagonal of soft2 is an error. Nodes that are tied to
 * bodies and to segments of rods are holds. */
typedef struct TnTieDef {
    const char *name;
    TnSoftId soft1;
    int node; /* of soft1, from 0 */
    TnSoftId soft2;
    TnSource source;
} TnTieDef;

/* First body, joint and geom of a rod; those of segment i have ids higher by i. */
typedef struct TnRodParts {
    TnBodyId body;
    TnJointId joint;
    TnGeomId geom;
} TnRodParts;

typedef enum TnWheelKind {
    TN_WHEEL_ROLLING, /* the body is the wheel and spins, on a hinge or as a free disc (default) */
    TN_WHEEL_SKATE /* a knife edge, or a wheel whose spin is not modelled: free along its blade */
} TnWheelKind;

/* A wheel that does not slip on a plane ground: a constraint on velocities, no contact. With the
 * axle a and the ground's normal n, the wheel stands on the point lowest on its rim, c - R n_w, n_w
 * the unit vector of n - (n·a) a. There the body's velocity along the axle's projection on the
 * ground is zero; for a rolling wheel so is that across it, and with keep_height the height. It
 * needs no geom; forces are not limited. While the axle is upright the wheel holds nothing. */
typedef struct TnWheelDef {
    const char *name;
    TnBodyId body; /* not fixed to the world, no segment of a rod */
    double pos[3]; /* m, its centre c, body axes */
    double
        axle[3];   /* direction, body axes; default y. Not along the normal in the reference pose */
    double radius; /* m; > 0 for a rolling wheel, 0 (default) possible for a skate */
    TnWheelKind kind;
    double normal[3]; /* of the ground, world axes; default z */
    bool keep_height; /* the lowest point stays in the ground plane in which the reference pose has
                         it; default false */
    TnSource source;
} TnWheelDef;

typedef enum TnSensorType {
    TN_SENSOR_JOINT_POS,
    TN_SENSOR_JOINT_VEL, /* of a hinge or slide */
    TN_SENSOR_BODY_POS,
    TN_SENSOR_BODY_QUAT, /* of the body's frame, in the world */
    TN_SENSOR_SITE_POS,
    TN_SENSOR_SITE_QUAT,
    TN_SENSOR_TENDON_POS, /* length and its rate */
    TN_SENSOR_TENDON_VEL,
    TN_SENSOR_ACTUATOR_POS, /* length (gear included) and its rate */
    TN_SENSOR_ACTUATOR_VEL,
    TN_SENSOR_GYRO,        /* angular velocity of a site, in its own axes */
    TN_SENSOR_VELOCIMETER, /* velocity of a site's origin, in its own axes */
    TN_SENSOR_FORCE,  /* with which the parent holds the site's body, in the site's axes, mean over the last step; */
    TN_SENSOR_TORQUE, /* torque of the same about the site */
    TN_SENSOR_ACTUATOR_FORCE,      /* before gear, at the state */
    TN_SENSOR_JOINT_ACTUATOR_FORCE /* of all actuators on a hinge or slide, gear and tendons included */
} TnSensorType;

typedef struct TnSensorDef {
    const char *name;
    TnSensorType type;
    int32_t object; /* joint, body, site, tendon or actuator id */
    TnSource source;
} TnSensorDef;

typedef struct TnKeyDef {
    const char *name;
    double time;
    const double *qpos;
    int qpos_count; /* 0: the reference pose; the joints' numbers alone: soft bodies as built */
    const double *qvel;
    int qvel_count; /* 0: at rest; the joints' numbers alone: soft bodies at rest */
    const double *ctrl;
    int ctrl_count; /* 0: all zero */
    TnSource source;
} TnKeyDef;

/* A control track that comes with the model: row k holds all controls at times[k]; linear in
 * between, the last row holds afterwards, or the track repeats where `loop_from` >= 0 names the row
 * to go back to (its controls must equal the last row's). */
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
TN_API TnGeomDef tn_geom_def(void);
TN_API TnSiteDef tn_site_def(void);
TN_API TnTendonDef tn_tendon_def(void);
TN_API TnActuatorDef tn_actuator_def(void);
TN_API TnEqualityDef tn_equality_def(void);
TN_API TnPairDef tn_pair_def(void);
TN_API TnSensorDef tn_sensor_def(void);
TN_API TnKeyDef tn_key_def(void);
TN_API TnTrackDef tn_track_def(void);
TN_API TnMeshDef tn_mesh_def(void);
TN_API TnCameraDef tn_camera_def(void);
TN_API TnRodDef tn_rod_def(void);
TN_API TnWheelDef tn_wheel_def(void);
TN_API TnSoftDef tn_soft_def(void);
TN_API TnTieDef tn_tie_def(void);

/* Builder. Adding never fails visibly: an out-of-memory or a bad definition is remembered and
 * reported by compile, which lists all problems at once. Names are copied. A builder can be
 * compiled more than once. */
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
TN_API TnCameraId tn_builder_add_camera(TnModelBuilder *builder, const TnCameraDef *def);
TN_API TnRodId tn_builder_add_rod(TnModelBuilder *builder, const TnRodDef *def);
TN_API TnWheelId tn_builder_add_wheel(TnModelBuilder *builder, const TnWheelDef *def);
TN_API TnSoftId tn_builder_add_soft(TnModelBuilder *builder, const TnSoftDef *def);
TN_API TnTieId tn_builder_add_tie(TnModelBuilder *builder, const TnTieDef *def);
/* All 0 where there is no such rod, or its segment_count makes no sense. */
TN_API TnRodParts tn_builder_rod_parts(const TnModelBuilder *builder, TnRodId id);
TN_API void tn_builder_set_view(TnModelBuilder *builder, const TnView *view);
TN_API void tn_builder_set_track(TnModelBuilder *builder, const TnTrackDef *def);
/* NULL and an error when anything is wrong. */
TN_API TnModel *tn_builder_compile(TnModelBuilder *builder, TnError *err);

/* Remarks of a loader on things it approximates, one per line of `message` as in TnError. */
typedef struct TnRemarks {
    int count;
    char message[16384];
} TnRemarks;

/* Reads a model file (MJCF; URDF comes later). Unknown or unsupported elements are errors.
 * `remarks` may be NULL. */
TN_API TnModel *tn_model_load(const char *path, TnError *err);
TN_API TnModel *tn_model_load_with_remarks(const char *path, TnRemarks *remarks, TnError *err);
TN_API void tn_model_destroy(TnModel *model); /* NULL is fine; not while a world uses it */

#ifdef __cplusplus
}
#endif
#endif
