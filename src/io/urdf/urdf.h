/* urdf.h: what the parts of the URDF reader share.
 *
 *   tree ──► links and joints by name ──► the tree of links ──► builder
 *   xml_dom   urdf.c                       urdf_tree.c           urdf_joint.c, urdf_geom.c
 *
 * The reader borrows the context of the MJCF reader: memory, errors, remarks, names, numbers. A
 * link becomes a body of its name in the frame of its joint. Parsers of URDF pass over unknown
 * elements, and files count on it: unknown elements and attributes are remarks here, not errors.
 */
#ifndef TN_IO_URDF_H
#define TN_IO_URDF_H

#include "../mjcf/mjcf.h"

typedef enum TnUrdfJointType {
    TN_URDF_FIXED,
    TN_URDF_REVOLUTE,
    TN_URDF_CONTINUOUS,
    TN_URDF_PRISMATIC,
    TN_URDF_PLANAR,
    TN_URDF_FLOATING,
    TN_URDF_SPHERICAL /* not in ROS; other simulators have it */
} TnUrdfJointType;

typedef struct TnUrdfJoint {
    const TnXmlElement *element;
    const char *name;
    TnUrdfJointType type;
    TnMjcfPose origin; /* of the child in the parent's axes */
    struct TnUrdfLink *parent, *child;
    struct TnUrdfJoint *next; /* in the order of the file */
    struct TnUrdfJoint *sibling;
    TnJointId id; /* of the one that limits, mimics and names mean; 0: none */
} TnUrdfJoint;

typedef struct TnUrdfLink {
    const TnXmlElement *element;
    const char *name;
    TnUrdfJoint *above;                 /* NULL: the root */
    TnUrdfJoint *children, *last_child; /* in the order of the file */
    struct TnUrdfLink *next;
    TnBodyId body;
    TnMjcfPose world;  /* reference pose */
    TnMjcfPose offset; /* in the axes of `body`: not the identity if it is only a joint */
    bool moves, reached;
    bool only_joint; /* has no body: `body` is the one that the next link hangs on */
} TnUrdfLink;

/* A mesh that was read, for all geoms of that file and scale. */
typedef struct TnUrdfMesh {
    const char *path;
    double scale[3];
    TnMeshId id;
    bool has_color;
    double rgba[4];
    struct TnUrdfMesh *next;
} TnUrdfMesh;

typedef struct TnUrdf {
    TnMjcf *m;
    const TnLoadDef *load;
    TnUrdfLink *links, *last_link;
    TnUrdfJoint *joints, *last_joint;
    TnUrdfMesh *meshes;
    /* <mujoco><compiler> */
    const char *mesh_folder; /* NULL: none */
    bool strip_path, discard_visual;
    double bound_mass, bound_inertia;
    bool balance_inertia;
    const char *folder; /* of the file that names others; NULL: that of the model */
    bool leads_out;     /* of the file that is looked for: it is there, by a link out of reach */
} TnUrdf;

/* All of the file into the builder; errors go to the context (urdf.c). */
void tn_urdf_interpret(TnMjcf *m, const TnLoadDef *load);

/* Values (urdf_read.c). */
/* Exactly `count` numbers of an attribute; false where it is not there, or wrong, which is told. */
bool tn_urdf_numbers(TnUrdf *u, const TnXmlElement *e, const char *name, double *out, int count);
bool tn_urdf_number(TnUrdf *u, const TnXmlElement *e, const char *name, double *out);
/* The same; it is an error where it is not there. */
bool tn_urdf_need(TnUrdf *u, const TnXmlElement *e, const char *name, double *out, int count);
const TnXmlElement *tn_urdf_child(const TnXmlElement *e, const char *name); /* the first; NULL */
const char *tn_urdf_text(const TnXmlElement *e, const char *name);          /* NULL: none, empty */
void tn_urdf_quat_from_rpy(const double rpy[3], double quat[4]);
TnMjcfPose tn_urdf_origin(TnUrdf *u, const TnXmlElement *e); /* of its <origin> */
/* Remarks on children and attributes that are not among these words. */
void tn_urdf_expect(TnUrdf *u, const TnXmlElement *e, const char *attrs, const char *children);

/* Links as a tree, and into the builder (urdf_tree.c). */
void tn_urdf_connect(TnUrdf *u);
void tn_urdf_add_links(TnUrdf *u);
/* Of an <inertial> (urdf_inertia.c). */
void tn_urdf_read_inertial(TnUrdf *u, const TnXmlElement *e, bool moves, TnBodyDef *body);
/* A tensor xx yy zz xy xz yz in the axes of `pose`, for a body that has its mass already. */
void tn_urdf_set_inertia(TnUrdf *u, const TnXmlElement *place, const TnMjcfPose *pose,
                         double full[6], bool moves, TnBodyDef *body);
/* A joint as those of the model (urdf_joint.c), with limits, dynamics and effort; `frame`: its axes
 * in those of the body that it moves. */
void tn_urdf_add_joint(TnUrdf *u, TnUrdfJoint *joint, TnBodyId body, const TnMjcfPose *frame);
void tn_urdf_add_mimics(TnUrdf *u);
/* Collisions and visuals (urdf_geom.c). */
void tn_urdf_read_materials(TnUrdf *u);
void tn_urdf_add_geoms(TnUrdf *u, const TnUrdfLink *link);
/* A <mesh> (urdf_mesh.c); NULL after an error, or a remark where it is a visual's. */
const TnUrdfMesh *tn_urdf_mesh(TnUrdf *u, const TnXmlElement *e, bool visual);
/* The same of a file that element `e` names. */
const TnUrdfMesh *tn_urdf_mesh_file(TnUrdf *u, const TnXmlElement *e, const char *filename,
                                    const double scale[3], bool visual);
/* The file that a `filename` means (urdf_path.c); NULL: there is none, or it is outside of what may
 * be read. */
const char *tn_urdf_resolve(TnUrdf *u, const char *filename, bool *outside);

#endif
