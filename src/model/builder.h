/* builder.h: the definitions as they were added, and the passes that compile them.
 *
 * A builder owns copies of everything it was given: definitions in growing arrays, and strings,
 * meshes, keys and the track in a chain of blocks that is freed as a whole. Index i of an
 * array is the public id i + 1; body 0 is the world.
 *
 * Compile is a chain of passes, each of which adds to one list of problems:
 *   mesh.c           convex hulls of the meshes
 *   prepare_soft.c   meshes of soft bodies: checked, their surfaces and patches
 *   layout.c         the one block of memory, names
 *   check_tree.c     bodies, joints, geoms: every definition on its own
 *   check_drive.c    tendons, actuators
 *   check_parts.c    the other definitions
 *   align.c          free bodies that shall have the frame of their inertia
 *   compile.c        order of links and joints, subsystems, kinematic data
 *   link_mass.c      mass properties of the links
 *   compile_spring.c springs of joints that are given by their time constant
 *   compile_drive.c  tendons and actuators; their paths: compile_path.c
 *   compile_rod.c    rods: their checks, and the springs between segments
 *   compile_wheel.c  wheels, and their checks
 *   check_soft.c     soft bodies and ties
 *   compile_soft.c   soft bodies: nodes, masses, surfaces, holds
 *   compile_tie.c    ties between soft bodies
 *   compile_looks.c  textures, materials, lights, and their checks
 *   compile_parts.c  equalities, sensors, keys, track and the rest */
#ifndef TN_MODEL_BUILDER_H
#define TN_MODEL_BUILDER_H

#include "../base/base.h"
#include "mesh/inertia.h"
#include "mesh/mesh.h"
#include "model.h"
#include "names.h"

#include <tenon/definitions.h>

typedef struct TnStoreBlock TnStoreBlock;

struct TnModelBuilder {
    const char *name; /* "" for none */
    TnOption option;
    TnSource option_source;
    TnBodyDef *bodies;
    TnJointDef *joints;
    TnGeomDef *geoms;
    TnSiteDef *sites;
    TnTendonDef *tendons;
    TnActuatorDef *actuators;
    TnEqualityDef *equalities;
    TnPairDef *pairs;
    TnExcludeDef *excludes;
    TnSensorDef *sensors;
    TnKeyDef *keys;
    TnMeshDef *meshes;
    TnCameraDef *cameras;
    TnTextureDef *textures;
    TnMaterialDef *materials;
    TnLightDef *lights;
    TnRodEntry *rods;
    TnWheelDef *wheels;
    TnSoftEntry *softs;
    TnTieDef *ties;
    int body_count, joint_count, geom_count, site_count, tendon_count, actuator_count;
    int equality_count, pair_count, exclude_count, sensor_count, key_count, mesh_count;
    int camera_count, rod_count, wheel_count, soft_count, tie_count;
    int texture_count, material_count, light_count, texture_room, material_room, light_room;
    int body_room, joint_room, geom_room, site_room, tendon_room, actuator_room, equality_room;
    int pair_room, exclude_room, sensor_room, key_room, mesh_room, camera_room, rod_room,
        wheel_room, soft_room, tie_room;
    TnView view;
    bool has_track;
    TnTrackDef track;
    int track_actuator_count; /* actuators known when the track was set */
    TnStoreBlock *store;
    const char *last_file; /* most definitions come from the same file: one copy serves them */
    bool out_of_memory;
};

/* Of a link and all that hangs on it, in the reference pose; moment: ½ tr of the inertia about com.
 */
typedef struct TnMassBelow {
    double mass, com[3], moment;
} TnMassBelow;

/* One compile, by body: what the passes hand on to each other. */
typedef struct TnBodyScratch {
    int joint_count, dof_count;
    int root;       /* body of the first link of its subsystem; 0: carried by the world */
    int link_total; /* of a root: links of its subsystem */
    int subsystem;  /* of a root */
    int rod;        /* index + 1 of the rod whose segment it is; 0: none */
    bool has_free;
    bool bad_mass;          /* a definition that gives its mass was refused */
    double pos[3], quat[4]; /* world, reference pose */
    TnMassProperties mass;  /* its own, in its axes */
    TnMassBelow below;      /* of a link's own body */
} TnBodyScratch;

/* A soft body while it is compiled. */
typedef struct TnSoftScratch {
    bool good; /* nothing is wrong with its mesh; the rest is there only then */
    TnTetSurface surface;
    int32_t *across; /* as TnSoft has it */
    int surface_node_count, patch_count;
    int32_t *patches; /* per tet; NULL without mean dilatation */
    TnBodyId *holder; /* per node: the body that holds it, 0: none */
} TnSoftScratch;

typedef struct TnCompile {
    const TnModelBuilder *builder;
    TnModel *model;
    TnModelLookup *lookup; /* the model's, while it is written */
    TnBodyScratch *bodies;
    TnMeshScratch *meshes;
    TnSoftScratch *softs;
    TnMoment *moments; /* the next free one of the model's, and of what follows */
    TnPathPoint *path_points;
    int *path_links;
    TnMuscles *muscles;
    int act_count;       /* activations so far */
    double *key_numbers; /* room for these in the model's block */
    char *text;
    size_t text_bytes;
    void *(*place)(void *context, size_t bytes); /* memory of the model; NULL: from the heap */
    void *place_context;
    TnError *err; /* may be NULL */
    int problem_count;
} TnCompile;

/* Names the definition at fault, as `joint 'elbow'` or `joint 7`. */
typedef struct TnElement {
    const char *kind;
    const char *name; /* NULL or "" where it has none: the id tells it */
    int id;
    TnSource source;
} TnElement;
#define TN_ELEMENT(KIND, DEF, INDEX)                                                               \
    &(TnElement) { .kind = (KIND), .name = (DEF)->name, .id = (INDEX) + 1, .source = (DEF)->source }

void tn_problem(TnCompile *c, const TnElement *element, const char *format, ...) TN_PRINTF(3, 4);

/* Checks that several passes share; each says what is wrong and returns false. */
bool tn_check_numbers(TnCompile *c, const TnElement *element, const char *what,
                      const double *values, int count);
bool tn_check_quat(TnCompile *c, const TnElement *element, const char *what, const double quat[4]);
/* Not negative, and possible for a real body. */
bool tn_check_moments(TnCompile *c, const TnElement *element, const double moments[3]);
bool tn_check_positive(TnCompile *c, const TnElement *element, const char *what,
                       double value); /* >= 0 */
bool tn_check_range(TnCompile *c, const TnElement *element, const char *what,
                    const double range[2]);
/* An existing hinge or slide. False only where the id dangles. */
bool tn_check_scalar_joint(TnCompile *c, const TnElement *element, const char *what, TnJointId id);
bool tn_check_id(TnCompile *c, const TnElement *element, const char *what, int id, int count);
bool tn_check_contact(TnCompile *c, const TnElement *element, int dim, const double friction[3],
                      double restitution, double margin);

/* Meshes: false where there is no memory. Release whatever came of it. */
bool tn_prepare_meshes(TnCompile *c);
void tn_release_meshes(TnCompile *c);
void tn_compile_meshes(TnCompile *c);
/* Mass properties of density 1; false where it has none, which is told. */
bool tn_mesh_unit_mass(TnCompile *c, int mesh, TnMassProperties *out);
bool tn_layout(TnCompile *c); /* model and scratch; false: no memory, nothing is left */
void tn_compile_names(TnCompile *c);
/* False where ids dangle, so that later passes could not walk the tree. */
bool tn_check_tree(TnCompile *c);
bool tn_check_drive(TnCompile *c);
bool tn_check_parts(TnCompile *c);
/* Of a geom, in its body's axes; without mass where it has none. False: bad_mass, which is told. */
bool tn_geom_mass(TnCompile *c, const TnGeomDef *def, TnMassProperties *part);
/* Changes the definitions of free bodies that ask for it. False: no memory. */
bool tn_align_free_bodies(TnCompile *c, TnModelBuilder *builder);
void tn_compile_masses(TnCompile *c);
void tn_compile_levers(TnCompile *compile); /* after masses and rods */
/* Damping and armature of actuators (rotor.c): added to the joints, and those of a joint or tendon.
 */
void tn_compile_rotors(TnCompile *c);
double tn_rotor_damping(const TnCompile *c, TnJointId joint, TnTendonId tendon);
double tn_rotor_armature(const TnCompile *c, TnTendonId tendon);
void tn_compile_springs(TnCompile *c); /* after the masses */
void tn_compile_drive(TnCompile *c);   /* after the masses */
void tn_compile_parts(TnCompile *c);

/* Paths (compile_path.c): each returns the path's index. */
int tn_compile_tendon_path(TnCompile *c, int tendon);
int tn_compile_actuator_path(TnCompile *c, int actuator);
void tn_compile_lengths(TnCompile *c); /* of tendons; after all paths */
/* The first that it moves; -1: none. */
int tn_path_subsystem(const TnModel *model, const TnPath *path);

/* Rods (rod_shape.c, compile_rod.c). */
/* Segment i as built: centre, frame (z along it, x carried along without twist from the segment
 * before, whose frame is `before`; NULL for the first) and length. */
double tn_rod_segment(const TnRodDef *def, int i, const double before[4], double pos[3],
                      double quat[4]);
void tn_rod_add_segments(TnModelBuilder *builder, const TnRodDef *def, TnRodParts *parts);
bool tn_rod_sound(const TnRodDef *def); /* nothing for check to complain of */
bool tn_check_rods(TnCompile *c);       /* marks their bodies, too */
void tn_compile_rods(TnCompile *c);     /* after bodies are placed */
void tn_compile_clamps(TnCompile *c);   /* after equalities */

/* Wheels (compile_wheel.c). */
bool tn_check_wheels(TnCompile *c);
void tn_compile_wheels(TnCompile *c); /* after bodies are placed */
/* Textures, materials, lights (compile_looks.c). False: an id that does not exist. */
bool tn_check_looks(TnCompile *c);
void tn_compile_looks(TnCompile *c);

/* Soft bodies. */
bool tn_prepare_softs(TnCompile *c); /* false: no memory. Release whatever came of it. */
void tn_release_softs(TnCompile *c);
bool tn_check_softs(TnCompile *c);   /* and ties */
void tn_compile_softs(TnCompile *c); /* after bodies are placed; behind all joints. Then ties */
void tn_compile_ties(TnCompile *c);
/* After masses and subsystems (medium.c); and the most shapes that a medium may act on. */
void tn_compile_medium(TnCompile *c);
int tn_drag_room(const TnModelBuilder *builder);

int tn_joint_qpos_count(TnJointType type);
int tn_joint_dof_count(TnJointType type);

/* ---- sensor_kinds.c ---- */
typedef enum TnSensorObject {
    TN_OF_UNKNOWN, /* there is no such kind */
    TN_OF_WORLD,
    TN_OF_SCALAR_JOINT,
    TN_OF_BALL,
    TN_OF_JOINT,
    TN_OF_BODY,
    TN_OF_SITE,
    TN_OF_TENDON,
    TN_OF_ACTUATOR,
    TN_OF_PICKS /* two of them, or contacts */
} TnSensorObject;
typedef struct TnSensorKind {
    TnSensorObject object;
    int data_count;
} TnSensorKind;
TnSensorKind tn_sensor_kind(TnSensorType type);
int tn_sensor_size(const TnSensorDef *def); /* numbers that it gives */

#endif
