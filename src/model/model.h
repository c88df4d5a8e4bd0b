/* model.h (internal): the compiled, immutable model as flat arrays. Written by compile.c, read by
 * everyone.
 *
 * Bodies are sorted so that a parent comes before its children; body 0 is the world. Indices here
 * count from 0; public ids are index + 1. A body without joints is fixed to its parent: it keeps
 * its own pose, but its mass is merged into its link (the nearest ancestor-or-self with joints, or
 * the world).
 *
 * Order of links, joints, qpos and qvel: subsystem by subsystem (in the order in which their root
 * bodies were added), within a subsystem the bodies in the order in which they were added, within a
 * body its joints likewise. For a model that was added depth first (every file) this is MuJoCo's
 * order. Where the calls interleave two trees, each tree's entries still lie together; then a
 * joint's index differs from its id - 1 (model.c translates), which holds for joints only.
 *
 * Subsystems: each moving base (a child of the world through joints) roots one. A lone body with
 * nothing but a free joint is a rigid subsystem; the segments of a rod, each a free body, are one
 * subsystem together; everything else is an articulated tree. Mocap bodies are links 1 …
 * mocap_count: like the world they belong to no subsystem (-1), but have a pose of their own. Soft
 * bodies are subsystems without links, behind all others; their link_start is link_count. */
#ifndef TN_MODEL_MODEL_H
#define TN_MODEL_MODEL_H

#include "mesh/hull.h"

#include <tenon/collide.h>
#include <tenon/model_info.h>

/* Links: bodies that move on their own (have joints). Link 0 is the world. */
typedef struct TnLink {
    int body;   /* its body */
    int parent; /* parent link; 0: the world */
    int joint_start, joint_count;
    int dof_start, dof_count; /* place in qvel; the link's own joints only */
    int subsystem;            /* -1 for link 0 */
    bool held;  /* a segment of a rod that is welded to the world; hold_pos has where it stays */
    bool holds; /* is a link that holds such a segment, see holder */
    /* m: what turns its angular velocity into a speed: the radius of gyration, a mean over all
     * axes, of what moves with it in the reference pose about its joint, or of a free body about
     * its com */
    double lever;
    double ref_pos[3], ref_quat[4], ref_rot[9]; /* reference pose in the parent link's axes */
    /* mass properties of the body and everything fixed to it, in the body's axes */
    double mass;
    double com[3];
    double inertia[9];           /* about com, body axes, row-major */
    double inertia_principal[3]; /* the same, in its principal axes */
    double inertia_axes[4];      /* quaternion of the principal axes in body axes */
    /* kg and kg·m, body axes: of what gravity compensation carries of it and what is fixed to it */
    double lift, lift_moment[3];
    int drag_start, drag_count;       /* of TnModel.drags */
    double hold_pos[3], hold_quat[4]; /* of a segment that is held */
    int holder; /* of a segment that a link holds, and of those near it: they never touch that link;
                   0: none */
} TnLink;

typedef struct TnBody {
    int parent;             /* parent body; -1 for the world */
    int link;               /* link that carries it */
    double pos[3], quat[4]; /* in the parent's axes, reference pose */
    double link_pos[3],
        link_quat[4]; /* in its link's body axes (constant; identity for the link's own body) */
} TnBody;

/* What a medium acts on (medium.c): the box that has a body's moments of inertia, or a geom's
 * ellipsoid. */
typedef struct TnDrag {
    bool is_ellipsoid;
    double pos[3], axes[9]; /* of its centre, in its link's body axes; columns are its own axes */
    double size[3];         /* m, sides of the box, half axes of the ellipsoid */
    double coef[5], added_mass[3], added_inertia[3]; /* of an ellipsoid; kg and kg·m² per kg/m³ */
    double
        compliance[2]; /* 1/kg, 1/(kg·m²): a force or torque on it moves its link no more easily */
} TnDrag;

/* Of one body alone, in its link's body axes (link 0: in the world). Forces between bodies that are
 * fixed to each other need it. */
typedef struct TnBodyMass {
    double mass; /* NaN: not known, of a mesh that is fixed to the world */
    double com[3];
    double inertia[9]; /* about com, row-major */
} TnBodyMass;

typedef struct TnJoint {
    TnJointType type;
    int body, link;
    int qpos_start, dof_start;
    double pos[3], axis[3]; /* body axes */
    double ref;
    bool limited;
    double range[2];
    double stiffness, spring_ref, damping, armature, friction_loss;
    double stiffness_poly[2], damping_poly[2]; /* coefficients of the next two powers */
    bool actuator_limited, actuator_gravity;   /* a hinge or slide alone */
    double actuator_range[2];
} TnJoint;

typedef struct TnGeom {
    TnGeomType type;
    int body, link;
    double pos[3], quat[4]; /* in its body's axes */
    double link_pos[3], link_quat[4],
        link_rot[9]; /* in its link's body axes (link 0: in the world) */
    double size[3];
    /* about the geom's centre (of a mesh: its hull's), in its own axes; INFINITY for a plane */
    double bounding_radius;
    double half_extent[3];
    int contact_type, contact_affinity, contact_dim, priority;
    double friction[3];
    double restitution, margin;
    int group;
    double rgba[4];
    TnMaterialId material;
    int mesh; /* -1: none */
} TnGeom;

typedef struct TnSite {
    int body;
    double pos[3], quat[4];
    TnGeomType type; /* its volume */
    double size[3];
} TnSite;

/* One dof's share in a length: length = Σ coef · qpos[qpos], rate = Σ coef · qvel[dof], and a force
 * along it acts as coef · force on the dof. */
typedef struct TnMoment {
    int qpos, dof;
    double coef;
} TnMoment;

/* A point of a spatial tendon. */
typedef struct TnPathPoint {
    TnTendonPointType type;
    int object; /* site or geom */
    int side;   /* site; -1: none */
    double divisor;
} TnPathPoint;

typedef enum TnPathKind {
    TN_PATH_JOINTS,  /* Σ coef · q over moments */
    TN_PATH_POINTS,  /* through points */
    TN_PATH_SITE,    /* a wrench at a site, against another one or the world */
    TN_PATH_CRANK,   /* a slider-crank */
    TN_PATH_ROTATION /* of a ball or free joint */
} TnPathKind;

/* A length that depends on the configuration, and the forces on links that are its gradient
 * (path.h). */
typedef struct TnPath {
    TnPathKind kind;
    int link_count;
    const int *links; /* that move it, none twice; the world is not among them */
    bool fixed_end;   /* it ends at, or is bent by, what is fixed to the world */
    bool acts;        /* rows of it may have a force */
    int moment_count;
    const TnMoment *moments;
    int point_count;
    const TnPathPoint *points;
    int site, ref; /* sites, -1: none; of a slider-crank its crank and slider */
    int joint;     /* -1: none */
    int shared;    /* link that carries both sites, the last such; 0: none */
    bool in_parent;
    double wrench[6], crank_length;
} TnPath;

/* A direct one is a sum over joints of one tree, and the tree's own equations have its forces; of
 * others they are rows. */
typedef struct TnTendon {
    bool direct;
    int path;
    int subsystem; /* the first that it moves; -1: none */
    int force;     /* place of its spring and damper among rows of force; -1: none */
    int moment_count;
    const TnMoment *moments; /* by ascending dof */
    bool limited;
    double range[2];
    double stiffness, spring_length, dead_band, damping, friction_loss;
    double armature; /* 0 unless it is a sum over joints of one tree */
    double inertia;  /* the armature of others, whose rows of force have it */
    double reference_length;
    bool actuator_limited;
    double actuator_range[2];
    double width, rgba[4]; /* for drawing only */
} TnTendon;

/* What an actuator has of a muscle; forces are found (>= 0). */
typedef struct TnMuscles {
    bool has_gain, has_bias;
    TnMuscle gain, bias;
    double length_range[2];
} TnMuscles;

typedef struct TnActuator {
    int subsystem; /* the first that it moves; -1: none */
    int body;      /* that it presses to what that touches; -1: none */
    int tendon;    /* -1: on something else */
    int path;      /* -1: it is direct, in the equations of its tree */
    int force;     /* place among rows of force; -1: it is direct */
    int moment_count;
    const TnMoment *moments; /* of a direct one, gear not included; one for a joint */
    double gear, gain, bias[3];
    double gain_rate[2];      /* of the gain, with length and velocity */
    const TnMuscles *muscles; /* NULL: it is none */
    TnActivation activation;
    int act; /* its first activation in TnState.act; -1: none */
    bool act_limited, act_early;
    double act_range[2], time_constants[3];
    TnPid pid;
    bool ctrl_limited, force_limited;
    double ctrl_range[2], force_range[2];
} TnActuator;

typedef struct TnEquality {
    TnEqualityType type;
    bool active;
    int body1, body2;              /* connect, weld: body2 may be the world (0) */
    double anchor1[3], anchor2[3]; /* the same point in both bodies' axes, reference pose */
    double relquat[4];             /* weld: orientation of body2 in body1's axes to keep */
    /* A weld of a rod's segment to something that moves: both links, and the segment's frame in its
     * holder's axes. 0: no such weld. */
    int segment, holder;
    double hold_pos[3], hold_quat[4];
    int fixed_segment; /* link of the segment that the world holds by this weld (TnLink.held); it is
                          not active then. 0: no such weld */
    int joint1, joint2;   /* joint: joint2 may be -1 */
    int tendon1, tendon2; /* tendon: tendon2 may be -1 */
    double polycoef[5];
    bool curved; /* joint, tendon: C is not linear in q */
} TnEquality;

typedef struct TnPair {
    int geom1, geom2, contact_dim;
    double friction[3], restitution, margin;
    double across[2]; /* sliding and rolling in the second direction */
} TnPair;
typedef struct TnExclude {
    int body1, body2;
} TnExclude; /* sorted, body1 <= body2 */
typedef struct TnSensor {
    TnSensorType type;
    int object, data_start, data_count;
    int ref; /* site; -1: none */
    double cutoff;
    TnPick pick1, pick2; /* indices */
    int zone, camera;    /* -1: none */
    int slots;
    uint32_t fields;
    TnContactReduce reduce;
} TnSensor;
typedef struct TnKey {
    double time;
    const double *qpos, *qvel, *ctrl, *act;
    const double *mocap; /* 7 each: pos, quat */
} TnKey;                 /* always full length */

/* Stored once, however many geoms show it. */
typedef struct TnMesh {
    int vertex_count, triangle_count, hull_triangle_count;
    double *vertices;
    int32_t *triangles, *hull_triangles; /* the same array where none were given */
    float *texcoords;                    /* NULL: none */
    TnHull hull; /* only its bounds where it collides as triangles, or is flat */
    TnMeshCollision collision;
    int piece_count; /* where it collides in pieces */
    TnHull *pieces;
} TnMesh;

/* Poses are in the body's axes; the target is an index, -1 for none. */
typedef struct TnCamera {
    int body, target;
    double pos[3], quat[4];
    double fovy; /* rad */
    TnCameraMode mode;
    int resolution[2];
} TnCamera;

/* No slip on a plane ground; directions are unit vectors. */
typedef struct TnWheel {
    TnWheelKind kind;
    int body;
    double pos[3], axle[3]; /* body axes */
    double radius;
    double normal[3]; /* world axes */
    bool keep_height;
    double height; /* of the lowest point along the normal, reference pose */
} TnWheel;

typedef enum TnSubsystemKind {
    TN_SUBSYSTEM_RIGID,
    TN_SUBSYSTEM_TREE,
    TN_SUBSYSTEM_ROD,
    TN_SUBSYSTEM_SOFT /* no links */
} TnSubsystemKind;
typedef struct TnSubsystem {
    TnSubsystemKind kind;
    int link_start, link_count; /* contiguous */
    int dof_start, dof_count;   /* contiguous in qvel */
    int qpos_start, qpos_count;
    int kind_index; /* position among the subsystems of its kind */
} TnSubsystem;

/* Its parts are strained by how they move against each other: cables and soft bodies. */
static inline bool tn_is_elastic(const TnSubsystem *sub)
{
    return sub->kind == TN_SUBSYSTEM_ROD || sub->kind == TN_SUBSYSTEM_SOFT;
}

/* The spring between segments i and i + 1 of a rod (compile_rod.c). With d from centre to centre,
 * θ the rotation vector of R_iᵀ R_{i+1} and the mid frame R_m = R_i exp(θ/2):
 * g = (R_mᵀ d, θ) - rest. */
typedef struct TnRodJoint {
    double k[6];    /* N/m: shear x, shear y, stretch z; N·m/rad: bend x, bend y, twist z */
    double rest[6]; /* m, rad */
    double kink;    /* >= 1: how many times as stiff it is against a kink than against bending
                       (rod/strain.c) */
    /* m, along the segments' z: from the centre of i and of i + 1 to where the spring ends. Zero
     * but in clamped ends of the rod (compile_rod.c); x in d is such an end. */
    double from, to;
} TnRodJoint;

/* Its segments are consecutive links, bodies and geoms, each with its frame at its centre and z
 * along the rod. */
typedef struct TnRod {
    int subsystem, link_start, segment_count;
    int body_start, geom_start;
    int group_size;      /* 0: as the division says */
    double damping_time; /* s: force = -k (g + damping_time · ġ) */
    TnRodJoint *joints;  /* segment_count - 1 */
    double *lengths;     /* m, segment_count */
    bool self_contact;
    int near; /* segments fewer than so many apart never touch */
    double radius;
    int group; /* for drawing only */
    double rgba[4];
} TnRod;

/* A node that moves with a link. */
typedef struct TnSoftHold {
    int node, link; /* link > 0 */
    double pos[3];  /* in the link's body axes */
} TnSoftHold;

/* Its nodes are points of their own, no links: 3 numbers each in qpos and qvel. Its last subsystems
 * are the soft bodies, in their order. */
typedef struct TnSoft {
    int subsystem, geom;
    int qpos_start, dof_start;
    int node_count, tet_count;
    double thickness;       /* m; > 0: a sheet, whose elements are triangles a b c c */
    double stretch_modulus; /* Pa; a sheet */
    bool stretches, bends;  /* a sheet: it resists that */
    int32_t *across;        /* a sheet: per element 3 nodes, behind the edge from corner k to
                               k + 1, -1: none; NULL: a solid */
    double *rest;           /* 3 · node_count, world */
    int32_t *tets;          /* 4 each */
    double *masses;         /* kg per node, lumped */
    double mass;
    TnSoftLaw law;
    double youngs_modulus, poisson_ratio, density;
    double damping_mass, damping_stiffness;
    bool consistent_mass;
    int patch_count;  /* of mean dilatation; 0 without */
    int32_t *patches; /* per tet, NULL without */
    /* surface */
    int triangle_count;
    int32_t *triangles;     /* 3 nodes each */
    int32_t *triangle_tets; /* the element behind each */
    int surface_node_count;
    int32_t *surface_nodes; /* ascending */
    /* held nodes */
    bool *pinned;      /* per node: fixed to the world */
    int hold_count;    /* by moving links */
    int hold_start;    /* of the holds of all soft bodies; see state/state.h */
    TnSoftHold *holds; /* by ascending node; a node has one at most */
    int pieces;        /* 0: as the division says */
    bool self_contact;
    double radius;
    int group;
    double rgba[4];
} TnSoft;

/* m: edge of a cube with the volume of a mean element, or of a square with the area of a triangle.
 */
double tn_soft_element_size(const TnSoft *soft);

/* node1 of soft1 stays at Σ weight · node2 of soft2. */
typedef struct TnTie {
    int soft1, node1, soft2;
    int node2[4]; /* corners of one tetrahedron */
    double weight[4];
} TnTie;

struct TnModel {
    TnOption option;
    uint32_t alive; /* TN_ALIVE */
    TnView view;
    const char *name;
    int body_count, link_count, joint_count, geom_count, site_count, tendon_count, actuator_count,
        equality_count;
    int texture_count, material_count, light_count;
    int pair_count, exclude_count, sensor_count, key_count, mesh_count, camera_count, wheel_count,
        subsystem_count;
    int rigid_count, tree_count, rod_count, soft_count; /* subsystems by kind */
    int tie_count;
    int hold_count;  /* of all soft bodies, by moving links */
    int mocap_count; /* links 1 … mocap_count */
    int qpos_count, dof_count, sensor_data_count;
    int adhesion_count;  /* of actuators on bodies */
    int act_count;       /* of actuators with activation, in their order */
    bool has_lift;       /* some link is carried by gravity compensation */
    bool has_oval_pairs; /* some pair has friction that differs in two directions */
    bool has_spin;       /* some geom or pair has torsional friction */
    int path_count;      /* of tendons, then of actuators */
    int force_count;     /* springs and dampers of tendons, and actuators, that are rows */
    TnBody *bodies;
    TnBodyMass *body_masses;
    TnDrag *drags; /* by link; NULL without a medium */
    TnLink *links;
    TnJoint *joints;
    TnGeom *geoms;
    int *geom_link;      /* geoms[i].link again, close together for loops over many, */
    int *link_subsystem; /* and links[i].subsystem */
    TnSite *sites;
    TnTendon *tendons;
    TnActuator *actuators;
    /* per subsystem the first of its direct actuators and tendons, and behind each of them the
     * next, ascending; -1: none */
    int *actuator_first, *actuator_next, *tendon_first, *tendon_next;
    TnMuscles *muscles;
    TnMoment *moments; /* of tendons, then of actuators on joints */
    TnPath *paths;
    TnPathPoint *path_points;
    int *path_links;
    TnEquality *equalities;
    TnPair *pairs;
    TnExclude *excludes;
    TnSensor *sensors;
    TnKey *keys;
    TnMesh *meshes;
    TnCamera *cameras;
    TnTextureDef *textures; /* as defined, less names and sources */
    TnMaterialDef *materials;
    TnLightDef *lights;
    TnWheel *wheels;
    TnSubsystem *subsystems;
    TnRod *rods;
    TnSoft *softs;
    TnTie *ties;
    double *qpos0;   /* reference pose, qpos_count */
    double *mocap0;  /* the same of mocap bodies, 7 each */
    int *dof_joint;  /* dof -> joint; -1 for nodes of soft bodies */
    int *dof_parent; /* dof -> previous dof of the same chain towards the root, -1 at a root */
    int *dof_couple; /* the same with tendons as links too: all dofs that a tendon joins lie on one
                        way to the root. Equal to dof_parent where there are none. */
    int track_count, track_loop_from;
    double *track_times, *track_ctrl;
    const char **body_names, **joint_names, **geom_names, **site_names, **tendon_names,
        **actuator_names, **sensor_names, **key_names, **equality_names, **mesh_names,
        **camera_names, **rod_names, **soft_names; /* never NULL entries; "" for none */
    double total_mass;
    const struct TnModelLookup *lookup; /* names.h: by name, and joint ids */
    void *memory;                       /* the one block that holds all of the above */
};

/* The part of the model that a link belongs to; not for the world. */
static inline const TnSubsystem *tn_part_of_link(const TnModel *model, int link)
{
    return &model->subsystems[model->links[link].subsystem];
}

/* How many activations it has. */
static inline int tn_activation_count(TnActivation activation, const TnPid *pid)
{
    if (activation == TN_ACTIVATION_PID) return (pid->ki > 0.0) + (pid->slew_max > 0.0);
    return activation != TN_ACTIVATION_NONE;
}

/* What its control moves; -1: nothing. */
static inline int tn_actuator_subsystem(const TnModel *model, int actuator)
{
    const TnActuator *a = &model->actuators[actuator];
    return a->body < 0 ? a->subsystem : model->links[model->bodies[a->body].link].subsystem;
}

/* Its force depends on where the joints are. */
static inline bool tn_actuator_is_elastic(const TnActuator *a)
{
    return a->bias[1] != 0.0 || a->gain_rate[0] != 0.0 || a->muscles;
}

/* Index of a body's subsystem; -1: fixed to the world or to a mocap body. */
static inline int tn_part_of_body(const TnModel *model, int body)
{
    return model->links[model->bodies[body].link].subsystem;
}

/* It has no subsystem, but a pose that users set. */
static inline bool tn_link_is_mocap(const TnModel *model, int link)
{
    return link > 0 && link <= model->mocap_count;
}

/* An angle, not a length. */
static inline bool tn_dof_turns(const TnModel *model, int dof)
{
    const TnJoint *joint = &model->joints[model->dof_joint[dof]];
    return joint->type != TN_JOINT_SLIDE &&
           (joint->type != TN_JOINT_FREE || dof - joint->dof_start >= 3);
}

static inline double tn_moment_length(const TnMoment *moments, int count, const double *qpos)
{
    double length = 0.0;
    for (int i = 0; i < count; i++) length += moments[i].coef * qpos[moments[i].qpos];
    return length;
}

static inline double tn_moment_rate(const TnMoment *moments, int count, const double *qvel)
{
    double rate = 0.0;
    for (int i = 0; i < count; i++) rate += moments[i].coef * qvel[moments[i].dof];
    return rate;
}

/* Of joint and tendon equalities. */
static inline double tn_polynomial(const double c[5], double x)
{
    return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
}
static inline double tn_polynomial_slope(const double c[5], double x)
{
    return c[1] + x * (2.0 * c[2] + x * (3.0 * c[3] + x * 4.0 * c[4]));
}

/* Finds bounding_radius and half_extent from type and size: about the geom's own origin; of a mesh,
 * about its hull's centre. */
void tn_geom_bound(const TnModel *model, TnGeom *geom);

/* The two bodies (indices) may collide: not the same link, not link and parent link (except the
 * world's), not excluded; two segments of one rod only where it has self-contact and they are far
 * enough apart along it. */
bool tn_model_bodies_collide(const TnModel *model, int body1, int body2);

#endif
