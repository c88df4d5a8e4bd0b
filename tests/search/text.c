/* text.c: a model as MJCF. Velocities need the place of each joint in qvel, so the text is loaded
 * once without them and then again with the keyframe that holds them. */
#include "model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Text {
    char *bytes;
    size_t length, room;
} Text;

__attribute__((format(printf, 2, 3))) static void put(Text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char piece[2048];
    size_t size = (size_t)vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    if (t->length + size + 1 > t->room) {
        t->room = 2 * (t->length + size + 1);
        t->bytes = realloc(t->bytes, t->room);
        if (!t->bytes) abort();
    }
    memcpy(t->bytes + t->length, piece, size + 1);
    t->length += size;
}

/* ---- geoms ---- */

static void put_size(Text *t, const Part *p)
{
    static const char *const types[] = {"sphere",    "capsule", "box",  "cylinder",
                                        "ellipsoid", "mesh",    "plane"};
    static const int counts[] = {1, 2, 3, 2, 3, 0, 3};
    put(t, " type=\"%s\"", types[p->form]);
    if (p->form == FORM_PLANE) {
        put(t, " size=\"0 0 1\"");
        return;
    }
    for (int k = 0; k < counts[p->form]; k++)
        put(t, "%s%.9g", k ? " " : " size=\"", p->n[N_SIZE_X + k]);
    if (counts[p->form]) put(t, "\"");
}

static void put_pose(Text *t, const Part *p)
{
    put(t, " pos=\"%.9g %.9g %.9g\"", p->n[N_X], p->n[N_Y], p->n[N_Z]);
    if (p->n[N_TURN_X] != 0.0 || p->n[N_TURN_Y] != 0.0 || p->n[N_TURN_Z] != 0.0)
        put(t, " euler=\"%.9g %.9g %.9g\"", p->n[N_TURN_X], p->n[N_TURN_Y], p->n[N_TURN_Z]);
}

/* Of a lossless model: what rests touches what is fixed, and nothing else. */
static void put_partners(Text *t, const Sketch *s, const Part *p)
{
    if (!s->lossless) return;
    put(t, " contype=\"%d\" conaffinity=\"%d\"", p->rests, p->kind == PART_STATIC);
}

static void put_contact(Text *t, const Sketch *s, const Part *p)
{
    put_partners(t, s, p);
    put(t, " friction=\"%.9g\"", p->n[N_FRICTION]);
    if (p->condim != 3) put(t, " condim=\"%d\"", p->condim);
}

static void put_body_geom(Text *t, const Sketch *s, const Part *p, int i)
{
    put(t, "<geom name=\"g%d\"", i);
    put_size(t, p);
    if (p->form == FORM_MESH) put(t, " mesh=\"m%d\"", i);
    if (p->n[N_AHEAD] != 0.0) put(t, " pos=\"%.9g 0 0\" euler=\"0 90 0\"", p->n[N_AHEAD]);
    put(t, " density=\"%.9g\"", p->n[N_DENSITY]);
    put_contact(t, s, p);
    put(t, "/>\n");
}

/* A body without symmetry: a corner cut off a box, and a ridge. */
static void put_mesh(Text *t, const Part *p, int i)
{
    static const double corners[][3] = {{-1, -1, -1}, {1, -1, -1},  {1, 1, -1},    {-1, 1, -1},
                                        {-1, -1, 1},  {0.2, -1, 1}, {-0.5, 1, 0.6}};
    put(t, "    <mesh name=\"m%d\" inertia=\"convex\" vertex=\"", i);
    for (int k = 0; k < 7; k++)
        put(t, "%s%.9g %.9g %.9g", k ? "  " : "", corners[k][0] * p->n[N_SIZE_X],
            corners[k][1] * p->n[N_SIZE_Y], corners[k][2] * p->n[N_SIZE_Z]);
    put(t, "\"/>\n");
}

/* ---- bodies ---- */

static void put_nonzero(Text *t, const char *name, double value)
{
    if (value != 0.0) put(t, " %s=\"%.9g\"", name, value);
}

static void put_joint(Text *t, const Part *p, int i)
{
    static const char *const types[] = {"free", "hinge", "slide", "ball"};
    if (p->joint == JOINT_FREE) {
        put(t, "<freejoint name=\"j%d\"/>\n", i);
        return;
    }
    put(t, "<joint name=\"j%d\" type=\"%s\"", i, types[p->joint]);
    if (p->joint != JOINT_BALL)
        put(t, " axis=\"%.9g %.9g %.9g\"", p->n[N_AXIS_X], p->n[N_AXIS_Y], p->n[N_AXIS_Z]);
    put_nonzero(t, "stiffness", p->n[N_STIFFNESS]);
    if (p->joint != JOINT_BALL) put_nonzero(t, "springref", p->n[N_SPRING_REF]);
    put_nonzero(t, "damping", p->n[N_DAMPING]);
    put_nonzero(t, "frictionloss", p->n[N_DRY]);
    put_nonzero(t, "armature", p->n[N_ARMATURE]);
    double limit = p->n[N_LIMIT];
    if (limit > 0.0) put(t, " range=\"%.9g %.9g\"", p->joint == JOINT_BALL ? 0.0 : -limit, limit);
    put(t, "/>\n");
}

static void put_bodies(Text *t, const Sketch *s, int parent, int depth)
{
    for (int i = 0; i < s->part_count; i++) {
        const Part *p = &s->parts[i];
        if (p->kind != PART_BODY || p->a != parent) continue;
        put(t, "%*s<body name=\"b%d\"", 2 * depth, "", i);
        put_pose(t, p);
        put(t, ">\n%*s", 2 * depth + 2, "");
        put_joint(t, p, i);
        put(t, "%*s", 2 * depth + 2, "");
        put_body_geom(t, s, p, i);
        put_bodies(t, s, i, depth + 1);
        put(t, "%*s</body>\n", 2 * depth, "");
    }
}

/* ---- fixed geoms ---- */

static void put_walls(Text *t, const Sketch *s, const Part *p, int i)
{
    const double thick = 0.1, *half = p->n + N_SIZE_X;
    for (int k = 0; k < 6; k++) {
        double pos[3] = {p->n[N_X], p->n[N_Y], p->n[N_Z]}, size[3];
        for (int d = 0; d < 3; d++) size[d] = half[d] + 2.0 * thick;
        size[k / 2] = thick;
        pos[k / 2] += (k % 2 ? 1.0 : -1.0) * (half[k / 2] + thick);
        put(t, "    <geom name=\"g%d_%d\" type=\"box\" size=\"%.9g %.9g %.9g\"", i, k, size[0],
            size[1], size[2]);
        put(t, " pos=\"%.9g %.9g %.9g\"", pos[0], pos[1], pos[2]);
        put_contact(t, s, p);
        put(t, "/>\n");
    }
}

static void put_static(Text *t, const Sketch *s, const Part *p, int i)
{
    if (p->form == FORM_WALLS) {
        put_walls(t, s, p, i);
        return;
    }
    put(t, "    <geom name=\"g%d\"", i);
    put_size(t, p);
    put_pose(t, p);
    put_contact(t, s, p);
    put(t, "/>\n");
}

/* ---- cables and soft bodies ---- */

/* The centre line: from the part's place along its x axis turned about z, bent in one plane. */
static void put_cable(Text *t, const Sketch *s, const Part *p, int i)
{
    double x[3] = {p->n[N_X], p->n[N_Y], p->n[N_Z]}, step = p->n[N_AHEAD] / p->count;
    double angle = p->n[N_TURN_Z] * 0.017453292519943295;
    put(t, "    <composite type=\"cable\" prefix=\"c%d\" initial=\"free\" vertex=\"", i);
    for (int k = 0; k <= p->count; k++) {
        put(t, "%s%.9g %.9g %.9g", k ? "  " : "", x[0], x[1], x[2]);
        double up = p->n[N_BEND] * (k + 0.5) / p->count;
        x[0] += step * cos(up) * cos(angle);
        x[1] += step * cos(up) * sin(angle);
        x[2] += step * sin(up);
    }
    put(t,
        "\">\n      <plugin plugin=\"mujoco.elasticity.cable\"><config key=\"bend\" "
        "value=\"%.9g\"/><config key=\"twist\" value=\"%.9g\"/></plugin>\n",
        p->n[N_YOUNG], p->n[N_YOUNG] / 2.6);
    put(t, "      <geom type=\"capsule\" size=\"%.9g\" density=\"%.9g\"", p->n[N_SIZE_X],
        p->n[N_DENSITY]);
    put_contact(t, s, p);
    put(t, "/>\n    </composite>\n");
}

static void put_soft(Text *t, const Sketch *s, const Part *p, int i)
{
    const double *size = p->n + N_SIZE_X;
    const int layers = p->rests ? 1 : p->count; /* half its weight keeps down what touches */
    put(t, "    <soft name=\"s%d\"", i);
    put_pose(t, p);
    if (p->form == 0)
        put(t, " box=\"%.9g %.9g %.9g\" cells=\"%d %d %d\"", size[0], size[1], size[2], p->count,
            p->count, layers);
    if (p->form == 1) put(t, " ball=\"%.9g\" cells=\"%d\"", size[0], p->count);
    if (p->form == 2)
        put(t, " cylinder=\"%.9g %.9g\" cells=\"%d %d\"", size[0], size[1], p->count, layers);
    put(t, " young=\"%.9g\" poisson=\"%.9g\" density=\"%.9g\" damping=\"%.9g\"", p->n[N_YOUNG],
        p->n[N_POISSON], p->n[N_DENSITY], p->n[N_DAMPING]);
    put_partners(t, s, p);
    put(t, " friction=\"%.9g\"", p->n[N_FRICTION]);
    put_nonzero(t, "restitution", p->n[N_RESTITUTION]);
    if (p->joint) put(t, " law=\"neohookean\"");
    if (p->a == NOBODY)
        put(t, "/>\n");
    else if (p->a == WORLD)
        put(t, "><pin nodes=\"0 1 2\"/></soft>\n");
    else
        put(t, "><hold body=\"b%d\" nodes=\"0 1 2\"/></soft>\n", p->a);
}

/* ---- what joins ---- */

static void put_hold(Text *t, const Part *p, int i, int body, bool last)
{
    if (body == NOBODY) return;
    const char *end = last ? "last" : "first";
    if (p->joint)
        put(t, "    <weld body1=\"c%dB_%s\"", i, end);
    else
        put(t, "    <connect anchor=\"0 0 0\" body1=\"c%dB_%s\"", i, end);
    if (body != WORLD) put(t, " body2=\"b%d\"", body);
    put(t, "/>\n");
}

static void put_equality(Text *t, const Part *p)
{
    if (p->form == BOND_COUPLING) {
        put(t, "    <joint joint1=\"j%d\" joint2=\"j%d\" polycoef=\"0 %.9g 0 0 0\"/>\n", p->a, p->b,
            p->n[N_COEF]);
        return;
    }
    put(t, "    <%s body1=\"b%d\"", p->form == BOND_WELD ? "weld" : "connect", p->a);
    if (p->b != WORLD) put(t, " body2=\"b%d\"", p->b);
    if (p->form == BOND_CONNECT)
        put(t, " anchor=\"%.9g %.9g %.9g\"", p->n[N_X], p->n[N_Y], p->n[N_Z]);
    put(t, "/>\n");
}

static void put_tendon(Text *t, const Part *p, int i)
{
    put(t, "    <fixed name=\"t%d\"", i);
    put_nonzero(t, "stiffness", p->n[N_STIFFNESS]);
    put_nonzero(t, "damping", p->n[N_DAMPING]);
    put_nonzero(t, "frictionloss", p->n[N_DRY]);
    if (p->n[N_LIMIT] > 0.0) put(t, " range=\"%.9g %.9g\"", -p->n[N_LIMIT], p->n[N_LIMIT]);
    put(t, "><joint joint=\"j%d\" coef=\"1\"/>", p->a);
    put(t, "<joint joint=\"j%d\" coef=\"%.9g\"/></fixed>\n", p->b, p->n[N_COEF]);
}

static void put_servo(Text *t, const Part *p, int i)
{
    const char *on = p->kind == PART_TENDON ? "tendon=\"t" : "joint=\"j";
    switch ((ServoKind)p->servo) {
    case SERVO_NONE:
        break;
    case SERVO_POSITION:
        put(t, "    <position %s%d\" kp=\"%.9g\" kv=\"%.9g\"/>\n", on, i, p->n[N_GAIN],
            p->n[N_GAIN_VEL]);
        break;
    case SERVO_VELOCITY:
        put(t, "    <velocity %s%d\" kv=\"%.9g\"/>\n", on, i, p->n[N_GAIN]);
        break;
    case SERVO_MOTOR:
        put(t, "    <motor %s%d\"/>\n", on, i);
        break;
    }
}

/* ---- sections ---- */

static bool has_kind(const Sketch *s, PartKind kind)
{
    for (int i = 0; i < s->part_count; i++)
        if (s->parts[i].kind == kind) return true;
    return false;
}

static void put_world(Text *t, const Sketch *s)
{
    put(t, "  <worldbody>\n");
    for (int i = 0; i < s->part_count; i++)
        if (s->parts[i].kind == PART_STATIC) put_static(t, s, &s->parts[i], i);
    put_bodies(t, s, WORLD, 2);
    for (int i = 0; i < s->part_count; i++)
        if (s->parts[i].kind == PART_CABLE) put_cable(t, s, &s->parts[i], i);
    put(t, "  </worldbody>\n");
}

static void put_bonds(Text *t, const Sketch *s)
{
    put(t, "  <equality>\n");
    for (int i = 0; i < s->part_count; i++) {
        const Part *p = &s->parts[i];
        if (p->kind == PART_EQUALITY) put_equality(t, p);
        if (p->kind != PART_CABLE) continue;
        put_hold(t, p, i, p->a, false);
        put_hold(t, p, i, p->b, true);
    }
    put(t, "  </equality>\n  <tendon>\n");
    for (int i = 0; i < s->part_count; i++)
        if (s->parts[i].kind == PART_TENDON) put_tendon(t, &s->parts[i], i);
    put(t, "  </tendon>\n  <actuator>\n");
    for (int i = 0; i < s->part_count; i++) put_servo(t, &s->parts[i], i);
    put(t, "  </actuator>\n");
}

static void put_own(Text *t, const Sketch *s)
{
    put(t, "  <tenon");
    put_nonzero(t, "theta", s->theta);
    put(t, ">\n");
    for (int i = 0; i < s->part_count; i++) {
        const Part *p = &s->parts[i];
        double e = p->n[N_RESTITUTION];
        if ((p->kind == PART_BODY || p->kind == PART_STATIC) && p->form != FORM_WALLS && e > 0.0)
            put(t, "    <geom name=\"g%d\" restitution=\"%.9g\"/>\n", i, e);
        for (int k = 0; k < 6 && p->kind == PART_STATIC && p->form == FORM_WALLS && e > 0.0; k++)
            put(t, "    <geom name=\"g%d_%d\" restitution=\"%.9g\"/>\n", i, k, e);
        if (p->kind == PART_CABLE)
            put(t, "    <rod name=\"c%d\" restitution=\"%.9g\" damping=\"%.9g\"/>\n", i, e,
                p->n[N_DAMPING]);
        if (p->kind == PART_SOFT) put_soft(t, s, p, i);
    }
    put(t, "  </tenon>\n");
}

static void put_model(Text *t, const Sketch *s)
{
    put(t, "<mujoco model=\"search %llu\">\n", (unsigned long long)s->seed);
    put(t, "  <option timestep=\"%.9g\" gravity=\"0 0 %.9g\"/>\n", s->timestep, -s->gravity);
    put(t, "  <extension><plugin plugin=\"mujoco.elasticity.cable\"/></extension>\n  <asset>\n");
    for (int i = 0; i < s->part_count; i++)
        if (s->parts[i].kind == PART_BODY && s->parts[i].form == FORM_MESH)
            put_mesh(t, &s->parts[i], i);
    put(t, "  </asset>\n");
    put_world(t, s);
    put_bonds(t, s);
    if (has_kind(s, PART_BODY) || has_kind(s, PART_CABLE) || has_kind(s, PART_SOFT)) put_own(t, s);
}

/* ---- the keyframe ---- */

static void put_numbers(Text *t, const char *name, const double *x, int count)
{
    if (!count) return;
    put(t, " %s=\"", name);
    for (int k = 0; k < count; k++) put(t, "%s%.9g", k ? " " : "", x[k]);
    put(t, "\"");
}

static void put_key(Text *t, const Sketch *s, const TnModel *model)
{
    TnModelInfo info = tn_model_info(model);
    double *qvel = calloc((size_t)info.dof_count + 1, sizeof *qvel), ctrl[MAX_PARTS];
    int ctrl_count = 0;
    sketch_start(s, model, qvel);
    for (int i = 0; i < s->part_count; i++)
        if (s->parts[i].servo != SERVO_NONE) ctrl[ctrl_count++] = s->parts[i].n[N_TARGET];
    put(t, "  <keyframe>\n    <key name=\"start\"");
    put_numbers(t, "qvel", qvel, info.dof_count);
    put_numbers(t, "ctrl", ctrl, ctrl_count);
    put(t, "/>\n  </keyframe>\n");
    free(qvel);
}

/* ---- loading ---- */

static TnModel *load(const Text *t, TnError *err)
{
    const char *folder = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof path, "%s/tenon_search_XXXXXX", folder && folder[0] ? folder : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, t->bytes, t->length) != (ssize_t)t->length) {
        snprintf(err->message, sizeof err->message, "cannot write %s", path);
        if (fd >= 0) close(fd);
        return NULL;
    }
    close(fd);
    TnModel *model = tn_model_load(path, err);
    unlink(path);
    return model;
}

char *sketch_text(const Sketch *sketch, TnModel **model, TnError *err)
{
    Text t = {0};
    put_model(&t, sketch);
    size_t without = t.length;
    put(&t, "</mujoco>\n");
    TnModel *first = load(&t, err);
    if (model) *model = NULL;
    if (!first) return t.bytes;
    t.length = without;
    put_key(&t, sketch, first);
    put(&t, "</mujoco>\n");
    tn_model_destroy(first);
    if (model) *model = load(&t, err);
    return t.bytes;
}
