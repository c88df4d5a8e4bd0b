/* text_scene.h: small scenes as MJCF text, each at the same steps and with the world's own
 * settings; and what a scene has as a whole: mass, momentum, energy. */
#ifndef TN_TESTS_STEP_TEXT_SCENE_H
#define TN_TESTS_STEP_TEXT_SCENE_H

#include <stdarg.h>
#include <tenon/tenon.h>

#include "../io/mjcf_text.h"

/* s: the steps that promises are tested at */
static const double text_steps[] = {0.001, 0.002, 0.005, 0.01, 0.02};
enum { TEXT_STEPS = sizeof text_steps / sizeof *text_steps };

/* Text that grows. */
typedef struct Text {
    char text[16384];
    size_t length;
} Text;

static inline void text_add(Text *x, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void text_add(Text *x, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t left = sizeof x->text - x->length,
           more = (size_t)vsnprintf(x->text + x->length, left, format, args);
    va_end(args);
    if (more >= left) test_fail(__FILE__, __LINE__, "more text than %zu bytes", sizeof x->text);
    x->length += more < left ? more : left - 1;
}

typedef struct TextScene {
    TnModel *model;
    TnWorld *world;
    double t;
} TextScene;

/* `parts` is what follows the options in the file. Starts from the keyframe "start" where there is
 * one. */
static inline bool text_open_of(TextScene *s, double t, const char *gravity, const char *parts,
                                TnWorldDef def)
{
    TnError err = {0};
    size_t size = strlen(parts) + 256;
    char *text = malloc(size);
    snprintf(text, size,
             "<mujoco><compiler angle='radian'/><option timestep='%.17g' gravity='%s'/>%s</mujoco>",
             t, gravity, parts);
    *s = (TextScene){.model = load_text(text, &err), .t = t};
    free(text);
    if (s->model) def.key = tn_model_find_key(s->model, "start");
    s->world = tn_world_create(&def, s->model, &err);
    if (!s->world) test_fail(__FILE__, __LINE__, "%s", err.message);
    return s->world != NULL;
}

static inline bool text_open(TextScene *s, double t, const char *gravity, const char *parts)
{
    return text_open_of(s, t, gravity, parts, tn_world_def());
}

static inline void text_close(TextScene *s)
{
    tn_world_destroy(s->world);
    tn_model_destroy(s->model);
}

static inline double text_energy(const TextScene *s)
{
    TnEnergy e = tn_world_energy(s->world);
    return e.kinetic + e.potential;
}

/* Something touches something, with force. */
static inline bool text_touches(const TextScene *s)
{
    for (int i = 0; i < tn_world_contact_count(s->world); i++) {
        TnContact c = tn_world_contact(s->world, i);
        if (c.force[0] != 0.0 || c.force[1] != 0.0 || c.force[2] != 0.0) return true;
    }
    return false;
}

/* All that moves. */
typedef struct TextWhole {
    double mass, centre[3];
    double P[3], L[3]; /* L about the centre of mass */
    double spread;     /* kg m²: Σ m r² about it */
} TextWhole;

static inline void text_add_mass(TextWhole *w, double mass, const double x[3])
{
    w->mass += mass;
    for (int k = 0; k < 3; k++) w->centre[k] += mass * x[k];
    for (int k = 0; k < 3; k++) w->spread += mass * x[k] * x[k];
}

static inline void text_body_com(const TextScene *s, TnBodyId id, double out[3])
{
    TnBodyInfo info = tn_model_body_info(s->model, id);
    double pos[3], q[4], c[3];
    tn_world_body_pose(s->world, id, pos, q);
    for (int k = 0; k < 3; k++) { /* (q0² - |q|²) c + 2 (q·c) q + 2 q0 q × c */
        int a = (k + 1) % 3, b = (k + 2) % 3;
        double dot = q[1] * info.com[0] + q[2] * info.com[1] + q[3] * info.com[2];
        double norm = q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        c[k] = (q[0] * q[0] - norm) * info.com[k] + 2.0 * dot * q[k + 1] +
               2.0 * q[0] * (q[a + 1] * info.com[b] - q[b + 1] * info.com[a]);
        out[k] = pos[k] + c[k];
    }
}

static inline TextWhole text_whole(const TextScene *s)
{
    TextWhole w = {0};
    double x[3];
    for (TnBodyId id = 2; id <= tn_model_info(s->model).body_count; id++) {
        TnBodyInfo info = tn_model_body_info(s->model, id);
        if (info.carrier != id) continue;
        text_body_com(s, id, x);
        text_add_mass(&w, info.mass, x);
        for (int k = 0; k < 3; k++) w.spread += 0.5 * info.inertia[k];
    }
    for (TnSoftId id = 1; id <= tn_model_info(s->model).soft_count; id++) {
        TnSoftInfo info = tn_model_soft_info(s->model, id);
        const double *q = tn_world_state(s->world).qpos + info.qpos_start;
        for (int i = 0; i < info.node_count; i++)
            text_add_mass(&w, info.node_masses[i], q + 3L * i);
    }
    tn_world_momentum(s->world, w.P, w.L);
    for (int k = 0; k < 3; k++) {
        w.centre[k] /= w.mass;
        w.spread -= w.mass * w.centre[k] * w.centre[k];
    }
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        w.L[k] -= w.centre[a] * w.P[b] - w.centre[b] * w.P[a];
    }
    return w;
}

#endif
