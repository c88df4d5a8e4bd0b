/* tenon/scene.h: what there is to see. A TnScene says which shapes, tubes and surfaces exist; a
 * TnFrame says where they are at one time. Window, pictures, recordings and replays all draw from
 * these two, so that whatever can be watched can also be recorded, and the other way round.
 *
 * Both are plain structs: tn_scene_create and tn_frame_capture fill them from a model and a world,
 * a recording fills them from its file, and a program may fill them by hand. Nothing here ever
 * changes a world. */
#ifndef TENON_SCENE_H
#define TENON_SCENE_H

#include <tenon/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Triangles in their own axes, shared by the shapes that show them. */
typedef struct TnSceneMesh {
    const float *vertices; /* m, 3 × vertex_count */
    int vertex_count;
    const int32_t *triangles; /* 3 × triangle_count, counter-clockwise from outside */
    int triangle_count;
    const int32_t *hull_triangles; /* of the same vertices; what the shape collides as */
    int hull_triangle_count;
} TnSceneMesh;

/* A rigid shape: moves with a body. */
typedef struct TnSceneShape {
    TnGeomType type;
    TnBodyId body;
    int mesh;               /* index in meshes; -1: none */
    int group;              /* 0 … 5, MuJoCo's groups */
    double pos[3], quat[4]; /* in the body's axes */
    double size[3];         /* as in TnGeomDef; a plane: half lengths in x and y, 0: endless */
    float rgba[4];
} TnSceneShape;

typedef enum TnTubeKind {
    TN_TUBE_CABLE, /* drawn smoothly through its points */
    TN_TUBE_TENDON /* straight between its points */
} TnTubeKind;

/* A line of points with a thickness. The piece between two points belongs to the first one's
 * subsystem. */
typedef struct TnSceneTube {
    TnTubeKind kind;
    int point_start, point_count; /* range of the frame's points */
    double radius;                /* m */
    float rgba[4];
} TnSceneTube;

/* A deforming surface; with tetrahedra, the boundary of a soft body. */
typedef struct TnSceneSurface {
    int point_start, point_count; /* range of the frame's points */
    const int32_t *triangles;     /* 3 × triangle_count, from 0 within the range */
    int triangle_count;
    const int32_t *tetrahedra; /* 4 × tetrahedron_count, likewise; may be none */
    int tetrahedron_count;
    float rgba[4];
    const char *name; /* "" or NULL for none */
    /* Each may be NULL: then a part belongs to the subsystem of its first point, and the shape free
     * of stress is not known. */
    const int32_t *triangle_subsystems, *tetrahedron_subsystems; /* from 1 */
    const float *rest;                                           /* m, 3 × point_count */
} TnSceneSurface;

typedef struct TnSceneBody {
    const char *name; /* "" for none */
    int subsystem;    /* from 1; 0: fixed to the world */
} TnSceneBody;

typedef struct TnSceneJoint {
    const char *name;
    TnJointType type;
    TnBodyId body;
    double pos[3], axis[3]; /* in the body's axes */
} TnSceneJoint;

typedef struct TnScene {
    const char *name;
    double timestep; /* s, of the simulation */
    const TnSceneBody *bodies;
    int body_count; /* the world included: bodies[0] */
    const TnSceneShape *shapes;
    int shape_count; /* shape i is geom i + 1 of the model */
    const TnSceneMesh *meshes;
    int mesh_count;
    const TnSceneJoint *joints;
    int joint_count;
    const TnSceneTube *tubes;
    int tube_count;
    const TnSceneSurface *surfaces;
    int surface_count; /* of a model: surface i is soft body i + 1, its points all nodes */
    const int32_t *point_subsystems; /* point_count, from 1 */
    int point_count;
    const TnCameraInfo *cameras; /* names point into the scene */
    int camera_count;
    TnView view;  /* where a free camera starts */
    void *memory; /* owned by whoever made the scene */
} TnScene;

/* NULL and an error where there is no memory. The model or world may be destroyed afterwards. Of a
 * model: every free body, robot, cable and soft body is a subsystem. Of a world: subsystems are those that it
 * is divided into, with its numbers and one more. */
TN_API TnScene *tn_scene_create(const TnModel *model, TnError *err);
TN_API TnScene *tn_scene_create_of(const TnWorld *world, TnError *err);
TN_API void tn_scene_destroy(TnScene *scene); /* only of the two above; NULL is fine */

typedef struct TnFrame {
    double time;    /* s */
    int64_t step;   /* of the simulation, from 0 at the start */
    double *poses;  /* body_count × 7: pos, quat (w x y z), world axes */
    int body_count; /* as in the scene */
    float *points;  /* m, 3 × point_count, world axes */
    int point_count;
    TnContact *contacts;
    int contact_count, contact_room;
    /* How the last step went; all zero before the first. */
    int iterations;
    double residual;                          /* m/s */
    double kinetic, potential;                /* J */
    double mean_penetration, max_penetration; /* m */
    TnStepTimes times;                        /* s */
    /* NaN where a recording of an earlier version does not have them. */
    double elastic;          /* J, of the potential energy */
    TnEnergyAccount account; /* sums up to this time, as tn_world_energy_account gives them */
    /* The exact state where it is kept, NULL and 0 else. */
    double *qpos, *qvel, *ctrl;
    int qpos_count, dof_count, ctrl_count;
    /* Stress of soft bodies where it is kept, NULL and 0 else. */
    float *stress;      /* Pa, point_count: von Mises' stress, the mean of the tetrahedra around,
                           weighted by volume; 0 at points of anything else */
    float *cell_stress; /* Pa, 6 × cell_count: Cauchy stress xx yy zz xy xz yz of each tetrahedron,
                           surface by surface */
    int cell_count;
} TnFrame;

/* Room for a frame of the scene, all bodies at the origin; NULL and an error where there is no
 * memory. */
TN_API TnFrame *tn_frame_create(const TnScene *scene, TnError *err);
TN_API void tn_frame_destroy(TnFrame *frame); /* NULL is fine */
/* Makes room for as many contacts, keeping none; or for the exact state. */
TN_API TnStatus tn_frame_reserve_contacts(TnFrame *frame, int count, TnError *err);
TN_API TnStatus tn_frame_reserve_state(TnFrame *frame, int qpos_count, int dof_count,
                                       int ctrl_count, TnError *err);
/* Makes room for the stress of points and of that many tetrahedra, all 0; with -1 none is kept. */
TN_API TnStatus tn_frame_reserve_stress(TnFrame *frame, int cell_count, TnError *err);
/* Reads the world into the frame. `report` of the last step may be NULL. With `state` the exact
 * state is kept, too. Stress costs time and is computed only for a frame that has room for it; with
 * `state` that of the tetrahedra is kept, too. The world is not changed. */
TN_API TnStatus tn_frame_capture(TnFrame *frame, const TnWorld *world, const TnStepReport *report,
                                 bool state, TnError *err);
TN_API TnStatus tn_frame_copy(TnFrame *to, const TnFrame *from, TnError *err);
/* Between two frames of one scene: poses, points and their stress in between, everything else from
 * the nearer. */
TN_API TnStatus tn_frame_blend(TnFrame *out, const TnFrame *a, const TnFrame *b, double share,
                               TnError *err);

#ifdef __cplusplus
}
#endif
#endif
