/* sdf.h: what the parts of the SDF reader share.
 *
 *   tree ──► scopes, links, joints, frames by name ──► poses in the world ──► trees ──► builder
 *   xml_dom  sdf.c, sdf_include.c                       sdf_frame.c            sdf_tree.c,
 * sdf_joint.c, sdf_geom.c
 *
 * A scope is a model, or the world, in which names are looked up. Names of nested models stand in
 * front of those of their parts: arm::hand::finger. Meshes, files and moments of inertia are read
 * by the URDF reader. Like there, unknown elements are remarks. */
#ifndef TN_IO_SDF_H
#define TN_IO_SDF_H

#include "../io_file.h"
#include "../urdf/urdf.h"

typedef enum TnSdfKind { TN_SDF_SCOPE, TN_SDF_LINK, TN_SDF_JOINT, TN_SDF_FRAME } TnSdfKind;

struct TnSdfScope;

/* Whatever has a name and a pose. */
typedef struct TnSdfFrame {
    TnSdfKind kind;
    const TnXmlElement *element;
    const char *name;              /* full */
    struct TnSdfScope *scope;      /* where its names are looked up; NULL: the outermost */
    const TnXmlElement *pose;      /* its <pose>, of an <include> perhaps; NULL: none */
    struct TnSdfScope *pose_scope; /* where that one's names are looked up */
    enum { TN_SDF_NEW, TN_SDF_BUSY, TN_SDF_KNOWN } state;
    TnMjcfPose world; /* once known */
} TnSdfFrame;

typedef struct TnSdfScope {
    TnSdfFrame frame;
    struct TnSdfScope *outer;          /* NULL: the outermost */
    struct TnSdfScope *top;            /* the model just below the world; NULL: this is the world */
    const char *prefix;                /* of the names in it: "" or "arm::hand::" */
    const char *placement, *canonical; /* names in it; NULL: none */
    double version;                    /* of its file */
    bool is_static, self_collide;
    struct TnSdfLink *first_link; /* its first one */
    int collidable;               /* of a top model: links that collide */
} TnSdfScope;

typedef struct TnSdfLink {
    TnSdfFrame frame;
    struct TnSdfLink *next; /* in the order of the file */
    struct TnSdfJoint *above, *children, *last_child;
    TnBodyId body;
    bool moves, reached, self_collide, collides;
} TnSdfLink;

typedef enum TnSdfJointType {
    TN_SDF_FIXED,
    TN_SDF_REVOLUTE,
    TN_SDF_CONTINUOUS,
    TN_SDF_PRISMATIC,
    TN_SDF_BALL,
    TN_SDF_UNIVERSAL,
    TN_SDF_REVOLUTE2
} TnSdfJointType;

typedef struct TnSdfJoint {
    TnSdfFrame frame;
    TnSdfJointType type;
    TnSdfLink *parent, *child; /* parent NULL: the world */
    struct TnSdfJoint *next, *sibling;
    TnJointId ids[2]; /* of its axes; 0: none */
} TnSdfJoint;

typedef struct TnSdfFile {
    TnFileId id;
    struct TnSdfFile *outer;
} TnSdfFile;

typedef struct TnSdf {
    TnMjcf *m;
    TnUrdf urdf; /* what the URDF reader needs */
    TnSdfScope *world;
    TnSdfLink *links, *last_link;
    TnSdfJoint *joints, *last_joint;
    TnSdfFile *open;  /* files that are being read */
    int depth, chain; /* of scopes; of poses that are being looked for */
} TnSdf;

/* All of the file into the builder; errors go to the context (sdf.c). */
void tn_sdf_interpret(TnMjcf *m, const TnLoadDef *load);
/* A <model>, or an <include> of one: `include` NULL, or the element that names it. `prefix` false:
 * its parts have no prefix. */
void tn_sdf_read_model(TnSdf *s, TnSdfScope *outer, const TnXmlElement *model,
                       const TnXmlElement *include, double version, bool prefix);

/* The model of the file that an <include> names, and the version of that file; NULL after an error
 * (sdf_include.c). tn_sdf_leave ends what tn_sdf_enter began. */
const TnXmlElement *tn_sdf_enter(TnSdf *s, const TnXmlElement *include, double *version);
void tn_sdf_leave(TnSdf *s);
/* From now on, paths are beside the file of this element. */
void tn_sdf_stand_in(TnSdf *s, const TnXmlElement *e);

/* Values, which are texts of elements (sdf_read.c). */
const char *tn_sdf_text(TnSdf *s, const TnXmlElement *e,
                        const char *name); /* of a child; NULL: none */
/* Exactly `count` numbers of a child; false where it is not there, or wrong, which is told. */
bool tn_sdf_numbers(TnSdf *s, const TnXmlElement *e, const char *name, double *out, int count);
bool tn_sdf_own_numbers(TnSdf *s, const TnXmlElement *e, double *out, int count); /* its own text */
bool tn_sdf_need(TnSdf *s, const TnXmlElement *e, const char *name, double *out, int count);
bool tn_sdf_flag(TnSdf *s, const TnXmlElement *e, const char *name, bool otherwise);
TnMjcfPose tn_sdf_pose(TnSdf *s, const TnXmlElement *pose); /* of a <pose>, or NULL */
/* Remarks on children that are not among these words. */
void tn_sdf_expect(TnSdf *s, const TnXmlElement *e, const char *children);

/* Frames (sdf_frame.c). */
/* By its name in a scope: a TnSdfFrame of any kind; NULL: there is none. */
TnSdfFrame *tn_sdf_find(TnSdf *s, TnSdfScope *scope, const char *name);
/* The same of the text of an element or attribute; NULL after an error. */
TnSdfFrame *tn_sdf_refer(TnSdf *s, TnSdfScope *scope, const TnXmlElement *e, const char *name);
TnMjcfPose tn_sdf_world(TnSdf *s, TnSdfFrame *frame);
/* Of a <pose> in something that stands in `otherwise` unless it says relative_to. */
TnMjcfPose tn_sdf_pose_in_world(TnSdf *s, TnSdfScope *scope, const TnXmlElement *pose,
                                TnSdfFrame *otherwise);
/* The link that a frame moves with; NULL: the world, or an error, which is told. */
TnSdfLink *tn_sdf_link_of(TnSdf *s, TnSdfFrame *frame, const TnXmlElement *from);

/* Links as trees, and into the builder (sdf_tree.c). */
void tn_sdf_connect(TnSdf *s);
void tn_sdf_add_links(TnSdf *s);
/* Joints (sdf_joint.c). */
void tn_sdf_read_joint(TnSdf *s, TnSdfScope *scope, const TnXmlElement *e);
bool tn_sdf_is_fixed(TnSdf *s, const TnSdfJoint *joint); /* of that type, or locked */
void tn_sdf_add_joint(TnSdf *s, TnSdfJoint *joint);
void tn_sdf_add_mimics(TnSdf *s);
/* Collisions and visuals (sdf_geom.c). */
void tn_sdf_add_geoms(TnSdf *s, TnSdfLink *link);

#endif
