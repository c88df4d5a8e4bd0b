/* mjcf_soft.h: what the readers of soft bodies share: MuJoCo's <flexcomp> (mjcf_flexcomp) and
 * <flex> (mjcf_flex), and <soft> of the <tenon> element (mjcf_soft).
 *
 * Each reader makes a mesh and a TnSoftDef, then
 *
 *   tn_mjcf_soft_begin     places of the nodes in the world; not held yet
 *   tn_mjcf_soft_hold      once for each node that a body holds
 *   tn_mjcf_soft_finish    what <tenon> says of it; into the builder; the mesh is freed
 *
 * Soft bodies are read once all bodies are known, and come last in qpos in any case. */
#ifndef TN_IO_MJCF_SOFT_H
#define TN_IO_MJCF_SOFT_H

#include "../../io_reach.h"
#include "../../mesh/tet_file.h"
#include "../mjcf.h"

/* Of MuJoCo's flexes: strain at which they keep their size under their weight, and the gravity of
 * that: m/s², whatever the model's, for a sheet must not change with it. */
#define TN_KEPT_STRAIN 1e-3
#define TN_EARTH 9.81

/* A soft body by name, for elements that refer to it. */
typedef struct TnMjcfNodes {
    int count;
    double *places; /* 3 each, in the world */
} TnMjcfNodes;

typedef struct TnMjcfSoft {
    const TnXmlElement *element;
    TnSoftDef def;
    int dim;             /* 3, or 2: a sheet */
    bool edges_kept;     /* its edges keep their lengths */
    int cage_order;      /* of an interpolated flexcomp: 1 or 2; else 0 */
    double edge_damping; /* N s/m, of each edge */
    bool from_mujoco;    /* a <flexcomp> or <flex>: <tenon><soft> of its name speaks for it, too */
    TnMjcfNodes *nodes;
    TnBodyId *holders;            /* by node; 0: none */
    const TnXmlElement **held_at; /* by node */
} TnMjcfSoft;

TnMjcfSoft tn_mjcf_soft_new(const TnXmlElement *element);
bool tn_mjcf_soft_begin(TnMjcf *m, TnMjcfSoft *soft, const TnMjcfPose *world);
void tn_mjcf_soft_hold(TnMjcf *m, TnMjcfSoft *soft, const TnXmlElement *e, int node, TnBodyId body);
void tn_mjcf_soft_finish(TnMjcf *m, TnMjcfSoft *soft, int errors_before);
/* Contact parameters, where the element has them; colour and group likewise. */
void tn_mjcf_soft_contact(TnMjcf *m, const TnXmlElement *e, TnSoftDef *def);
void tn_mjcf_soft_look(TnMjcf *m, const TnXmlElement *e, TnSoftDef *def);
/* Meshes (mjcf_tets.c). By the shape that a <soft> has. */
bool tn_mjcf_make_tets(TnMjcf *m, const TnXmlElement *e, TnTetMesh *out);
/* The same of a sheet (mjcf_sheet.c). */
bool tn_mjcf_make_sheet(TnMjcf *m, const TnXmlElement *e, TnTetMesh *out);
/* Problems of a mesh, each at the place of the attribute (or of the element). */
void tn_mjcf_mesh_errors(TnMjcf *m, const TnXmlElement *e, const char *attr, const TnError *found);
/* tn_tet_mesh_check, and the sign of each element put right first. */
bool tn_mjcf_check_tets(TnMjcf *m, const TnXmlElement *e, const char *name, TnTetMesh *mesh);
/* From a file, with `scale`; a path as for meshes. dim 2: triangles, as a b c c.
 * file_nodes: before those without elements were left out. */
bool tn_mjcf_load_tets(TnMjcf *m, const TnXmlElement *e, int dim, TnTetMesh *out, int *file_nodes);
bool tn_mjcf_scale_tets(TnMjcf *m, const TnXmlElement *e, TnTetMesh *mesh);
/* Leaves out nodes without elements, and their entries in `kept` (NULL is fine). */
bool tn_mjcf_drop_unused(TnMjcf *m, TnTetMesh *mesh, unsigned char *kept);

/* Flexcomps (mjcf_flexcomp.c). */
void tn_mjcf_flexcomp(TnMjcf *m, const TnXmlElement *e, const TnMjcfPose *world, TnBodyId body);
void tn_mjcf_read_flexcomps(TnMjcf *m);
/* Parts of a <flexcomp> or <flex> (mjcf_flex_parts.c): <elasticity>, <contact>, <edge>; others are
 * left alone. */
bool tn_mjcf_flex_part(TnMjcf *m, TnMjcfGroup group, const TnXmlElement *e, TnMjcfSoft *soft);
bool tn_mjcf_flex_dim(TnMjcf *m, const TnXmlElement *e, TnMjcfSoft *soft);
/* Pins of a flexcomp, and the cage of nodes of an interpolated one (mjcf_flex_pins.c). */
typedef struct TnMjcfPins {
    unsigned char *pinned; /* by node: by which of the bodies, from 1; 0: none */
    TnBodyId bodies[UINT8_MAX + 1];
    int body_count;
    int node_count, file_nodes;
    const int *count; /* of a grid; NULL: it is none */
    int dim;
} TnMjcfPins;
typedef struct TnMjcfCage {
    int order; /* 1 trilinear, 2 quadratic; 0: none */
    int cells[3], nodes[3];
} TnMjcfCage;
void tn_mjcf_read_pin(TnMjcf *m, const TnXmlElement *e, const TnMjcfPins *p);
/* <connect> between a node and a body. */
void tn_mjcf_connect_nodes(TnMjcf *m, const TnMjcfSoft *soft, TnMjcfPins *pins);
TnMjcfCage tn_mjcf_cage(TnMjcf *m, const TnXmlElement *e, TnMjcfSoft *soft);
/* Pins number the nodes of the cage. */
void tn_mjcf_cage_pins(const TnMjcfCage *cage, TnMjcfPins *pins);
/* By vertex: held if all the cage's nodes that it follows are, by one body. NULL: no memory. */
unsigned char *tn_mjcf_cage_held(TnMjcf *m, const TnMjcfCage *cage, const TnTetMesh *mesh,
                                 const unsigned char *pinned);
/* Once all parts are read: the mesh, and what it resists. */
bool tn_mjcf_flex_check(TnMjcf *m, TnMjcfSoft *soft);
/* <equality><flex flex="name">, which MuJoCo also makes of <edge equality="true">; NULL: none. */
const TnXmlElement *tn_mjcf_flex_equality(const TnMjcf *m, const char *name);
/* A flexcomp of dimension 1 (mjcf_flex_rod.c). */
void tn_mjcf_flex_rod(TnMjcf *m, const TnXmlElement *e, const TnMjcfPose *world, TnBodyId body);
/* Elements of `each` corners from a list, triangles as a b c c. */
void tn_mjcf_fill_elements(const double *corners, int each, TnTetMesh *out);
/* Their shapes (mjcf_flex_mesh.c): grid, box, cylinder, ellipsoid; of sheets also square, disc. */
typedef enum TnFlexShape {
    TN_FLEX_GRID,
    TN_FLEX_BOX,
    TN_FLEX_CYLINDER,
    TN_FLEX_ELLIPSOID,
    TN_FLEX_SQUARE,
    TN_FLEX_DISC
} TnFlexShape;
bool tn_flex_mesh(TnFlexShape shape, const int count[3], const double spacing[3], TnTetMesh *out);
bool tn_flex_sheet(TnFlexShape shape, const int count[3], const double spacing[3], TnTetMesh *out);

/* Nodes by number or place (mjcf_region.c): sets chosen[i] for those that the element's attributes
 * nodes, range, box, ball and within speak of. False after an error. `body`: of the geom that
 * `within` names, else 0; NULL is fine. */
bool tn_mjcf_choose_nodes(TnMjcf *m, const TnXmlElement *e, const TnMjcfNodes *nodes,
                          unsigned char *chosen, TnBodyId *body);

#endif
