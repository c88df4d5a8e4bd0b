/* Contacts that ride from the first sub-step of a step to its last (ride.c) against those that
 * collision finds there. */
#include "scene.h"
#include "text_scene.h"

#include "step/world.h"

enum { SUBSTEPS = 4 };

/* Two worlds of one model, one of which collides anew in every sub-step. */
typedef struct Twins {
    const TnModel *model;
    TnWorld *ride, *anew;
    int rode;        /* solved steps in which contacts rode to the end */
    int compared;    /* contacts of these steps, */
    double worst[2]; /* m: and how far the gaps of spheres and of other shapes were off */
    double lever;    /* m: likewise the places of contacts */
    int missing;     /* contacts nearer than half of what must be listed that were not */
} Twins;

static bool twins_open(Twins *t, const TnModel *model, TnKeyId key)
{
    TnError err = {0};
    TnWorldDef def = tn_world_def();
    def.substeps = SUBSTEPS;
    def.key = key;
    *t = (Twins){.model = model,
                 .ride = tn_world_create(&def, model, &err),
                 .anew = tn_world_create(&def, model, &err)};
    if (t->anew) t->anew->anew = true;
    return t->ride && t->anew;
}

static void twins_close(Twins *t)
{
    tn_world_destroy(t->ride);
    tn_world_destroy(t->anew);
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

/* By its place: where edges lie on each other, rounding says which of two features meet. */
static const TnContactPoint *find(const TnContactList *list, const TnContactPoint *c)
{
    const TnContactPoint *nearest = NULL;
    for (int i = 0; i < list->count; i++) {
        const TnContactPoint *p = &list->points[i];
        if (p->geom1 != c->geom1 || p->geom2 != c->geom2) continue;
        if (!nearest || distance(p->arm1, c->arm1) < distance(nearest->arm1, c->arm1)) nearest = p;
    }
    return nearest;
}

static bool is_sphere(const TnModel *model, int geom)
{
    return model->geoms[geom].type == TN_GEOM_SPHERE;
}

static void compare(Twins *t)
{
    double slack = 9.81 * t->ride->t * t->ride->t;
    for (int i = 0; i < t->anew->contacts.count; i++) {
        const TnContactPoint *c = &t->anew->contacts.points[i], *p = find(&t->ride->contacts, c);
        if (!p) {
            t->missing += c->gap < 0.5 * slack;
            continue;
        }
        bool spheres = is_sphere(t->model, c->geom1) && is_sphere(t->model, c->geom2);
        double *worst = &t->worst[!spheres];
        *worst = fmax(*worst, fabs(p->gap - c->gap));
        t->lever = fmax(t->lever, distance(p->arm1, c->arm1));
        t->compared++;
    }
}

/* Both from one state, which is that of the first; so they are apart by one step at most. */
static void twins_step(Twins *t)
{
    TnError err = {0};
    size_t size = tn_world_save_size(t->ride);
    void *bytes = malloc(size);
    CHECK(tn_world_save(t->ride, bytes, size, &err) == TN_OK);
    CHECK(tn_world_restore(t->anew, bytes, size, &err) == TN_OK);
    free(bytes);
    TnStepReport a = tn_world_step(t->ride), b = tn_world_step(t->anew);
    CHECK(!a.diverged && !b.diverged && !t->anew->listed.known);
    /* what was not solved makes much of a rounding */
    if (!t->ride->listed.known || !a.converged || !b.converged) return;
    t->rode++;
    compare(t);
}

/* What rides is 1e-4 of its thinner half off at most (AT_REST), and so are contacts of it: 0.01 mm
 * of boxes of 0.1 m. They stand, so it is what a solver leaves. */
TEST(contacts_of_a_wall_are_where_collision_finds_them)
{
    Scene scene = scene_begin();
    const double half[3] = {0.1, 0.05, 0.05};
    Twins t;
    scene_plane(&scene, 0.6);
    for (int row = 0; row < 5; row++)
        for (int i = 0; i < 4; i++)
            scene_free(&scene, TN_GEOM_BOX, half, 1.0,
                       (double[3]){0.201 * i + 0.1 * (row % 2), 0.0, 0.05 + 0.1001 * row}, 0.6, 0);
    TnModel *model = scene_compile(&scene);
    REQUIRE(model && twins_open(&t, model, 0));
    for (int k = 0; k < UNLESS_SANITIZED(150, 40); k++) twins_step(&t);
    CHECK(t.rode > UNLESS_SANITIZED(100, 20) && t.compared > 50 * t.rode && t.missing == 0);
    CHECK(t.worst[1] < 1e-5 && t.lever < 1e-5);
    twins_close(&t);
    tn_model_destroy(model);
}

/* Spheres ride exactly, however they roll: only rounding, and what a step that was not solved makes
 * of it, 1e-6 of a radius. Against the box that they lie in they ride at rest only. */
TEST(contacts_of_a_pile_are_where_collision_finds_them)
{
    Scene scene = scene_begin();
    Twins t;
    scene_plane(&scene, 0.5);
    for (int i = 0; i < 4; i++) {
        TnGeomDef wall = tn_geom_def();
        wall.type = TN_GEOM_BOX;
        for (int k = 0; k < 2; k++) {
            wall.pos[k] = i / 2 == k ? (i % 2 ? 0.063 : -0.063) : 0.0;
            wall.size[k] = i / 2 == k ? 0.01 : 0.08;
        }
        wall.size[2] = 0.3;
        tn_builder_add_geom(scene.builder, &wall);
    }
    for (int i = 0; i < 125; i++) {
        double pos[3] = {0.0201 * (i % 5 - 2) + 0.001 * (i % 7) / 7.0, 0.0201 * (i / 5 % 5 - 2),
                         0.011 + 0.0201 * (i / 25) + 0.0002 * (i % 5)};
        scene_free(&scene, TN_GEOM_SPHERE, (double[3]){0.01, 0, 0}, 0.004, pos, 0.5, 0.0);
    }
    TnModel *model = scene_compile(&scene);
    REQUIRE(model && twins_open(&t, model, 0));
    for (int k = 0; k < UNLESS_SANITIZED(120, 40); k++) twins_step(&t);
    CHECK(t.rode > UNLESS_SANITIZED(60, 10) && t.compared > 100 * t.rode && t.missing == 0);
    /* by a rounding a contact lasts or strikes that closes by 0.1 g t, which is half of that way */
    CHECK(t.worst[0] < 0.05 * 9.81 * t.ride->t * t.ride->t && t.worst[1] < 2e-6);
    twins_close(&t);
    tn_model_destroy(model);
}

/* Boxes stand, and one body goes through them: its contacts are looked for in every sub-step, those
 * of the others ride. */
TEST(who_moves_among_those_who_stand_is_looked_at_anew)
{
    Scene scene = scene_begin();
    const double half[3] = {0.05, 0.05, 0.05};
    Twins t;
    scene_plane(&scene, 0.6);
    for (int i = 0; i < 30; i++)
        scene_free(&scene, TN_GEOM_BOX, half, 1.0,
                   (double[3]){0.3 * (i / 2 % 5), 0.3 * (i / 10), 0.05 + 0.1 * (i % 2)}, 0.6, 0);
    TnBodyId ball = scene_free(&scene, TN_GEOM_SPHERE, (double[3]){0.04, 0, 0}, 0.1,
                               (double[3]){-0.3, 0.01, 0.04}, 0.6, 0);
    TnModel *model = scene_compile(&scene);
    REQUIRE(model && twins_open(&t, model, 0));
    TnStateView state = tn_world_state(t.ride);
    double *v = calloc((size_t)state.dof_count, sizeof *v), linear[3], angular[3];
    TnError err = {0};
    v[state.dof_count - 6] = 1.5; /* meets the first boxes after 0.14 s */
    REQUIRE(tn_world_set_state(t.ride, NULL, v, &err) == TN_OK);
    free(v);
    int flew = 0, hit = 0;
    for (int k = 0; k < 40; k++) {
        twins_step(&t);
        tn_world_body_velocity(t.ride, ball, linear, angular);
        flew += linear[0] > 1.0 && t.ride->listed.known;
        hit += linear[0] < 0.5;
    }
    CHECK(flew > 5 && hit > 5 && t.missing == 0 && t.compared > 100 * t.rode);
    CHECK(t.worst[1] < 1e-5 && t.lever < 1e-5);
    twins_close(&t);
    tn_model_destroy(model);
}
