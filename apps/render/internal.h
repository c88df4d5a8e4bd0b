/* internal.h: what the files of the renderer share. Not for others.
 *
 * Everything is drawn in metres and in the world's axes, but seen from the eye: places are doubles
 * minus the eye's, rounded to floats last. */
#ifndef TENON_RENDER_INTERNAL_H
#define TENON_RENDER_INTERNAL_H

#include "gl.h"
#include "shapes.h"
#include "soft.h"

enum { LIGHT_ROOM = 8 /* as in common.glsl; of the model, the camera's counted */ };
enum { LEVEL_ROOM = 8, SHADOW_TEXELS = 2048, STRESS_STOPS = 17 /* as in lit_fragment.glsl */ };

/* One thing in its place, as the shader reads it (shape_vertex.glsl). */
typedef struct Instance {
    float pos[3], lift;
    float quat[4];
    float scale[3];
    uint32_t id;       /* shape index + 1; 0: nothing to pick */
    uint16_t color[4]; /* linear, alpha */
    uint32_t look;     /* index in r->looks; not for the shader */
} Instance;

#define ID_SELECTED 0x80000000u
#define ID_SURFACE 0x40000000u /* + index of a surface */
#define ID_TUBE 0x20000000u    /* + index of a tube: there, but nothing to select */

typedef struct GpuMesh {
    GLuint array, vertices, indices;
    int index_count;
} GpuMesh;

/* Unit meshes in several levels of detail; numbers from FAMILY_COUNT on mean meshes of the scene,
 * two for each: the triangles and the hull. */
typedef enum Family {
    FAMILY_SPHERE,
    FAMILY_DOME, /* a sphere of which only the half towards the viewer is drawn */
    FAMILY_CAPSULE,
    FAMILY_CYLINDER,
    FAMILY_CONE,
    FAMILY_BOX,
    FAMILY_COUNT
} Family;

typedef struct Level {
    int mesh;
    float pixels; /* good up to this radius on the screen */
} Level;

/* Things that could be drawn. */
typedef struct Items {
    Instance *instances;
    float *radius; /* m, around pos; < 0: hidden */
    int32_t *family;
    int32_t *mesh; /* chosen for the list that is being made: look × mesh_count + mesh */
    uint32_t *order, *order_other, *key, *key_other; /* scratch of the sort */
    int count, room;
} Items;

typedef struct Run {
    int mesh, look, first, count;
} Run;

/* Instances in a buffer, in runs of the same mesh and look. */
typedef struct DrawList {
    GLuint buffer;
    size_t buffer_room;
    Run *runs;
    int run_count, run_room;
    int count;
} DrawList;

/* What a list is made for: culling and level of detail. */
typedef struct Lens {
    float planes[6][4]; /* inside where dot(normal, p) + offset >= 0 */
    int plane_count;
    float forward[3];
    float pixels; /* on the screen per m at distance 1 m, or per m where it is parallel */
    bool parallel;
    bool shadow;               /* seen by a light */
    float eye[3];              /* not the camera's: a light's or a mirror's */
    const struct Lens *detail; /* whose pixels choose the meshes; NULL: its own */
} Lens;

typedef struct Bounds {
    double low[3], high[3]; /* m, seen from the eye; low > high: nothing */
} Bounds;

typedef struct Program {
    GLuint id;
    GLint surface, tex_mode, tex_repeat, tex_unit, cut, tex_u, tex_v, tex_start, mirrored,
        has_mirror;
    GLint clip, plain, veil, least_alpha, forward, corners, plane_normal, plane_offset, plane_color,
        plane_id, grid_u, grid_v, grid_start;
} Program;

/* The uniform block of common.glsl. */
typedef struct SceneBlock {
    float light_rows[4][4];
    float sun[4], fill[4], fog[4], zenith[4], below[4], ground[4], sizes[4];
    float ray_base[4], ray_x[4], ray_y[4];
    float ambient[4]; /* of the model's lights; their number, 0: tenon's own */
    float light_from[LIGHT_ROOM][4], light_axis[LIGHT_ROOM][4], light_diffuse[LIGHT_ROOM][4],
        light_specular[LIGHT_ROOM][4], light_fade[LIGHT_ROOM][4];
} SceneBlock;

/* How a texture is laid on a shape; as in shape_vertex.glsl. */
typedef enum TexMode {
    TEX_NONE,
    TEX_UV,    /* by the mesh's own coordinates */
    TEX_SHAPE, /* flat, once over the shape */
    TEX_METRE, /* flat, once per 2 m, as in MuJoCo */
    TEX_CUBE_SHAPE,
    TEX_CUBE_METRE
} TexMode;

/* A material as the shaders take it. Number 0 stands for none. */
typedef struct Look {
    float surface[4]; /* gloss, exponent, emission, metallic */
    float repeat[2];
    float reflectance;
    TexMode mode;
    GLuint texture;
} Look;

/* Where the light that casts shadows is, seen from the eye. */
typedef struct Caster {
    bool there, parallel;
    double to[3];   /* parallel: direction towards it */
    double from[3]; /* else its place, */
    double axis[3]; /* the direction it shines in, */
    double cutoff;  /* and rad, half the angle of its cone */
} Caster;

typedef struct Target {
    GLuint draw, draw_color, draw_depth; /* many samples; or one: then draw_color is not used */
    GLuint resolve, picture;             /* one sample, linear */
    int width, height, samples;
} Target;

/* Where numbers are drawn in place of colours: pairs of id and depth. */
typedef struct NumbersTarget {
    GLuint frame, color, depth;
} NumbersTarget;

/* The camera's numbers for one picture. */
typedef struct Scope {
    double eye[3], forward[3], right[3], up[3];
    double tan_x, tan_y; /* of half the angles */
    double near;         /* m */
    int width, height;
} Scope;

struct Renderer {
    Gl gl;
    const TnScene *scene;
    char driver[256];
    int max_samples;
    bool software; /* the processor draws */

    GpuMesh *meshes;
    int mesh_count;
    Level levels[FAMILY_COUNT][LEVEL_ROOM];
    int level_count[FAMILY_COUNT];
    struct MeshBox {
        double center[3], half[3], radius;
    } * mesh_boxes; /* one per mesh of the scene */

    Items shapes, signs;
    DrawList opaque, clear, casters, marks, mirrored;
    uint16_t (*shape_colors)[COLOR_MODES][4];
    uint16_t (*point_colors)[4];
    SurfacePlan *plans;           /* one per surface */
    uint16_t (*vertex_colors)[4]; /* of one surface: scratch */
    float *stress_levels;         /* of the points: shares of the range of stress */
    StressScale stress;
    double stress_seen; /* Pa, the largest since stress is shown */
    float *points;      /* of the frame, seen from the eye */
    int *planes;        /* shapes that are planes */
    int plane_count;

    SoftMesh soft;
    int soft_clear_start; /* first index of what is not opaque */
    GLuint soft_array, soft_vertices, soft_indices;
    size_t soft_vertex_room, soft_index_room;

    Program shape, soft_lit, shape_depth, soft_depth, shape_pick, soft_pick, plane, plane_picked,
        sky, final;
    GLuint empty_array, scene_block;
    GLuint shadow_frame, shadow_map;
    Caster caster;
    Look *looks;      /* 1 + material_count */
    GLuint *textures; /* of the scene's */
    GLuint sky_box;   /* 0: none */
    float sky_horizon[3];
    Target mirror; /* the reflection in a plane; one sample */
    bool mirrors;  /* it is in this picture */
    Target target;
    NumbersTarget pick;

    double typical;      /* m, half the size of a usual shape */
    double *body_sizes;  /* m, half the size of each body's largest shape */
    double cell;         /* m, of the ground's grid; 0: not chosen yet */
    double force_length; /* m per N, kept from frame to frame; 0: not chosen yet */
    Bounds bounds;       /* of all that is finite in this frame */
    double nearest;      /* m, depth of the nearest thing in sight; < 0: inside of something */
    SceneBlock block;
    DrawStats stats;
    float *forces; /* scratch for the median */
    int force_room;
};

/* A place in a buffer, in the form that OpenGL takes. */
static inline const void *buffer_place(size_t bytes) { return (const void *)(uintptr_t)bytes; }

/* meshes.c */
bool meshes_create(Renderer *r, char *error, size_t error_size);
void meshes_destroy(Renderer *r);

/* lists.c */
typedef enum ListKind { LIST_ALL, LIST_OPAQUE, LIST_CLEAR } ListKind;
bool items_reserve(Items *items, int count);
void items_free(Items *items);
/* A new item, hidden until its radius is set; NULL where there is no memory. */
Instance *items_add(Items *items, int family, double radius);
void list_build(Renderer *r, DrawList *list, Items *items, const Lens *lens, ListKind kind);
/* With the looks of its instances in the uniforms of `lit`; NULL: without. */
void list_draw(Renderer *r, const DrawList *list, const Program *lit);
void list_free(Renderer *r, DrawList *list);
/* Room in a buffer that is filled anew in each frame; NULL where the driver has none. */
void *stream_begin(Renderer *r, GLenum kind, GLuint buffer, size_t *room, size_t bytes);

/* place.c */
void place_shapes(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                  const Lens *sides);
void color_linear(const float srgb[3], float alpha, uint16_t out[4]);
/* Tubes and surfaces, into r->soft and r->shapes (straight tendons are capsules). */
void place_soft(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                const Lens *sides);

/* scope.c */
Scope scope_of(const View *view, int width, int height);
Lens scope_sides(const Scope *scope); /* without the near plane */
void scope_clip_matrix(const Scope *scope, float out[16]);
bool lens_sees(const Lens *lens, const float pos[3], float radius);
/* Pixels of a radius at a place. */
float lens_pixels(const Lens *lens, const float pos[3], float radius);

/* looks.c: textures and materials */
bool looks_create(Renderer *r, char *error, size_t error_size);
void looks_destroy(Renderer *r);
void mirror_destroy(Renderer *r);
void looks_bind(Renderer *r); /* the sky and an empty picture to the samplers that all have */
void look_send(Renderer *r, const Program *program, uint32_t look, int scene_mesh);

/* lights.c: the model's lights, or tenon's own, into the block and r->caster */
void lights_place(Renderer *r, const TnFrame *frame, const Scope *scope);

/* mirror.c: what the first plane that reflects shows; false: none does */
bool mirror_draw(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                 const Lens *sides, const float clip[16]);

/* shadow.c */
bool shadow_create(Renderer *r, char *error, size_t error_size);
/* Draws the shadow map; fills the block's rows. False where nothing in sight is in the sun's way.
 */
bool shadow_draw(Renderer *r, const Scope *scope);

/* planes.c */
/* The first plane in sight that reflects: its normal and offset (dot(normal, any of its points));
 * -1: none. */
int planes_mirror(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                  double normal[3], double *offset);
void planes_draw(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                 const float clip[16], bool clear);
void planes_pick(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                 const float clip[16], bool seen_only);
/* The least depth at which a plane comes into the picture, m; DBL_MAX: none does. */
double planes_nearest(Renderer *r, const TnFrame *frame, const DrawOptions *options,
                      const Scope *scope);
/* The plane that counts as the ground: normal and height of the eye above it. */
bool planes_ground(Renderer *r, const TnFrame *frame, const DrawOptions *options,
                   const Scope *scope, double normal[3], double *height);

/* setup.c */
double shape_size(const Renderer *r, const TnSceneShape *shape); /* m, half, about; 0: endless */

/* signs.c */
void place_signs(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                 const Lens *sides);

/* numbers.c */
bool numbers_target(Renderer *r, NumbersTarget *target, int width, int height);
void numbers_target_free(Renderer *r, NumbersTarget *target);
/* Draws r->opaque, r->soft and planes; `seen_only`: without what is wholly clear. */
void numbers_draw(Renderer *r, const TnFrame *frame, const DrawOptions *options, const Scope *scope,
                  const float clip[16], const NumbersTarget *target, int width, int height,
                  bool seen_only);

/* target.c */
bool target_prepare(Renderer *r, int width, int height, int samples);
void target_resolve(Renderer *r);
void target_destroy(Renderer *r);

/* renderer.c */
void soft_upload(Renderer *r);
void soft_draw(Renderer *r, int first, int count);
void use_lit(Renderer *r, const Program *program, const float clip[16], float plain, float veil);
/* Places everything, finds near end and grid. */
void renderer_prepare(Renderer *r, const TnFrame *frame, const DrawOptions *options, Scope *scope,
                      Lens *sides);
/* The block's directions through pixels. */
void renderer_fill_rays(Renderer *r, const Scope *scope);
void renderer_send_block(Renderer *r);

#endif
