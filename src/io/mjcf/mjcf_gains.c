/* mjcf_gains.c: how an actuator's force follows from its control.
 *
 * As in MuJoCo, all kinds of actuators share one record in each default class: types and numbers of
 * activation, gain and bias. `general` writes into it as it stands, each short form its own types
 * and what it says of the numbers:
 *
 *   motor        gain 1, nothing else
 *   position     gain kp, bias (0, -kp, -kv), an exact filter where timeconst > 0. A damping ratio
 *                stands in the place of -kv, and its sign tells it
 *   velocity     gain kv, bias (0, 0, -kv)
 *   intvelocity  position, driven by the integral of the control
 *   damper       gain (0, 0, -kv): damping in proportion to the control
 *   cylinder     gain area, any affine bias, a filter
 *   muscle       all three types are muscle, gain and bias have the same numbers
 *   adhesion     gain, nothing else
 *
 * What an element leaves open comes from the nearest class whose record was last written by the
 * same kind, or by `general` with the gain type of this kind; other short forms' numbers mean
 * something else. `general` takes any. */
#include "mjcf.h"

#include <math.h>
#include <string.h>

typedef enum Kind {
    KIND_GENERAL,
    KIND_MOTOR,
    KIND_POSITION,
    KIND_VELOCITY,
    KIND_INTVELOCITY,
    KIND_DAMPER,
    KIND_CYLINDER,
    KIND_MUSCLE,
    KIND_ADHESION,
    KIND_OTHER
} Kind;
#define KINDS "general motor position velocity intvelocity damper cylinder muscle adhesion"

enum { DYN_NONE, DYN_INTEGRATOR, DYN_FILTER, DYN_EXACT, DYN_MUSCLE };
enum { GAIN_FIXED, GAIN_AFFINE, GAIN_MUSCLE };
enum { BIAS_NONE, BIAS_AFFINE, BIAS_MUSCLE };
#define DYN_TYPES "none integrator filter filterexact muscle dcmotor pid user"
#define GAIN_TYPES "fixed affine muscle dcmotor so3 pid user"
#define BIAS_TYPES "none affine muscle dcmotor so3 user"
#define NUMBERS 10

typedef struct Gains {
    Kind kind;           /* of the element that wrote last */
    int dyn, gain, bias; /* types */
    double dynprm[NUMBERS], gainprm[NUMBERS], biasprm[NUMBERS];
    double inherit; /* inheritrange */
} Gains;

static const Gains start = {.dynprm = {1}, .gainprm = {1}};

static Kind kind_of(const TnXmlElement *e)
{
    int index = tn_mjcf_word_index(KINDS, e->name);
    return index >= 0 ? (Kind)index : KIND_OTHER;
}

static int gain_type_of(Kind kind)
{
    return kind == KIND_MUSCLE ? GAIN_MUSCLE : kind == KIND_DAMPER ? GAIN_AFFINE : GAIN_FIXED;
}

static bool fits(const Gains *written, Kind reader)
{
    if (reader == KIND_GENERAL || written->kind == reader) return true;
    return written->kind == KIND_GENERAL && written->gain == gain_type_of(reader);
}

static void set_numbers(double *prm, double first)
{
    memset(prm, 0, NUMBERS * sizeof *prm);
    prm[0] = first;
}

static void set_types(Gains *g, int dyn, int gain, int bias)
{
    g->dyn = dyn;
    g->gain = gain;
    g->bias = bias;
}

/* ---- what one element writes onto a record ---- */

static void apply_general(TnMjcf *m, const TnMjcfView *own, Gains *g)
{
    g->dyn = tn_mjcf_word(own, "dyntype", DYN_TYPES, g->dyn);
    g->gain = tn_mjcf_word(own, "gaintype", GAIN_TYPES, g->gain);
    g->bias = tn_mjcf_word(own, "biastype", BIAS_TYPES, g->bias);
    tn_mjcf_reals(m, own, "dynprm", g->dynprm, NUMBERS);
    tn_mjcf_reals(m, own, "gainprm", g->gainprm, NUMBERS);
    tn_mjcf_reals(m, own, "biasprm", g->biasprm, NUMBERS);
}

static void apply_position(TnMjcf *m, const TnMjcfView *own, Gains *g, bool integrates)
{
    if (tn_xml_attr(own->element, "kv") && tn_xml_attr(own->element, "dampratio"))
        tn_mjcf_error_attr(m, own->element, "dampratio", "kv and dampratio cannot both be given");
    double kv = tn_mjcf_real(m, own, "kv", -g->biasprm[2]),
           kp = tn_mjcf_real(m, own, "kp", g->gainprm[0]);
    if (tn_xml_attr(own->element, "dampratio")) kv = -tn_mjcf_real(m, own, "dampratio", 0);
    set_numbers(g->gainprm, kp);
    set_numbers(g->biasprm, 0);
    g->biasprm[1] = -kp;
    g->biasprm[2] = -kv;
    int dyn = integrates ? DYN_INTEGRATOR : g->dyn == DYN_EXACT ? DYN_EXACT : DYN_NONE;
    if (dyn != DYN_EXACT) set_numbers(g->dynprm, 1);
    if (!integrates && tn_xml_attr(own->element, "timeconst")) {
        set_numbers(g->dynprm, tn_mjcf_real(m, own, "timeconst", 0));
        dyn = g->dynprm[0] > 0 ? DYN_EXACT : DYN_NONE;
    }
    set_types(g, dyn, GAIN_FIXED, BIAS_AFFINE);
}

static void apply_velocity(TnMjcf *m, const TnMjcfView *own, Gains *g)
{
    double kv = tn_mjcf_real(m, own, "kv", g->gainprm[0]);
    set_numbers(g->dynprm, 1);
    set_numbers(g->gainprm, kv);
    set_numbers(g->biasprm, 0);
    g->biasprm[2] = -kv;
    set_types(g, DYN_NONE, GAIN_FIXED, BIAS_AFFINE);
}

static void apply_damper(TnMjcf *m, const TnMjcfView *own, Gains *g)
{
    double kv = tn_mjcf_real(m, own, "kv", g->gain == GAIN_AFFINE ? -g->gainprm[2] : 0);
    if (kv < 0) tn_mjcf_error(m, own->element, "kv must not be negative");
    set_numbers(g->dynprm, 1);
    set_numbers(g->gainprm, 0);
    g->gainprm[2] = -kv;
    set_numbers(g->biasprm, 0);
    set_types(g, DYN_NONE, GAIN_AFFINE, BIAS_NONE);
}

static void apply_cylinder(TnMjcf *m, const TnMjcfView *own, Gains *g)
{
    g->dynprm[0] = tn_mjcf_real(m, own, "timeconst", g->dynprm[0]);
    g->gainprm[0] = tn_mjcf_real(m, own, "area", g->gainprm[0]);
    if (tn_xml_attr(own->element, "diameter")) {
        double d = tn_mjcf_real(m, own, "diameter", 0);
        g->gainprm[0] = 3.14159265358979323846 / 4 * d * d;
    }
    tn_mjcf_reals(m, own, "bias", g->biasprm, 3);
    set_types(g, DYN_FILTER, GAIN_FIXED, BIAS_AFFINE);
}

static void apply_muscle(TnMjcf *m, const TnMjcfView *own, Gains *g)
{
    static const double dynprm[NUMBERS] = {0.01, 0.04},
                        gainprm[NUMBERS] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
    static const char *const names[] = {"force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"};
    if (g->gain != GAIN_MUSCLE) {
        memcpy(g->dynprm, dynprm, sizeof dynprm);
        memcpy(g->gainprm, gainprm, sizeof gainprm);
    }
    tn_mjcf_reals(m, own, "timeconst", g->dynprm, 2);
    g->dynprm[2] = tn_mjcf_real(m, own, "tausmooth", g->dynprm[2]);
    tn_mjcf_reals(m, own, "range", g->gainprm, 2);
    for (int i = 0; i < 7; i++)
        g->gainprm[2 + i] = tn_mjcf_real(m, own, names[i], g->gainprm[2 + i]);
    memcpy(g->biasprm, g->gainprm, sizeof g->biasprm);
    set_types(g, DYN_MUSCLE, GAIN_MUSCLE, BIAS_MUSCLE);
}

static void apply_adhesion(TnMjcf *m, const TnMjcfView *own, Gains *g)
{
    double gain = tn_mjcf_real(m, own, "gain", g->gainprm[0]);
    *g = start;
    g->gainprm[0] = gain;
}

static Gains apply(TnMjcf *m, const TnXmlElement *e, Gains g)
{
    TnMjcfView own = tn_mjcf_plain_view(e);
    Kind kind = kind_of(e);
    bool inherits = kind == KIND_GENERAL || kind == KIND_POSITION || kind == KIND_INTVELOCITY;
    const char *range = kind == KIND_INTVELOCITY ? "actrange" : "ctrlrange";
    /* a range of its own replaces what a class would take from the joint */
    if (!inherits || tn_xml_attr(e, range)) g.inherit = 0;
    if (inherits) g.inherit = tn_mjcf_real(m, &own, "inheritrange", g.inherit);
    switch (kind) {
    case KIND_GENERAL:
        apply_general(m, &own, &g);
        break;
    case KIND_MOTOR:
        g = start;
        break;
    case KIND_POSITION:
    case KIND_INTVELOCITY:
        apply_position(m, &own, &g, kind == KIND_INTVELOCITY);
        break;
    case KIND_VELOCITY:
        apply_velocity(m, &own, &g);
        break;
    case KIND_DAMPER:
        apply_damper(m, &own, &g);
        break;
    case KIND_CYLINDER:
        apply_cylinder(m, &own, &g);
        break;
    case KIND_MUSCLE:
        apply_muscle(m, &own, &g);
        break;
    case KIND_ADHESION:
        apply_adhesion(m, &own, &g);
        break;
    case KIND_OTHER:
        break;
    }
    g.kind = kind;
    return g;
}

/* ---- classes ---- */

static Gains base_for(TnMjcf *m, Kind kind, const TnMjcfClass *c);

static Gains class_gains(TnMjcf *m, const TnMjcfClass *c)
{
    Gains g = c->parent ? class_gains(m, c->parent) : start;
    for (const TnMjcfSection *s = c->sections; s; s = s->next)
        for (const TnXmlElement *e = s->element->first; e; e = e->next) {
            if (tn_mjcf_word_index(TN_MJCF_ACTUATORS, e->name) < 0) continue;
            Kind kind = kind_of(e);
            g = apply(m, e, fits(&g, kind) ? g : base_for(m, kind, c->parent));
        }
    return g;
}

static Gains base_for(TnMjcf *m, Kind kind, const TnMjcfClass *c)
{
    for (; c; c = c->parent) {
        Gains g = class_gains(m, c);
        if (fits(&g, kind)) return g;
    }
    return start;
}

/* ---- the actuator ---- */

static TnMuscle muscle_from(const double prm[NUMBERS])
{
    return (TnMuscle){.range = {prm[0], prm[1]},
                      .force = prm[2],
                      .scale = prm[3],
                      .lmin = prm[4],
                      .lmax = prm[5],
                      .vmax = prm[6],
                      .fpmax = prm[7],
                      .fvmax = prm[8]};
}

static void set_gain(const Gains *g, TnActuatorDef *actuator)
{
    actuator->gain = g->gainprm[0];
    if (g->gain == GAIN_AFFINE) {
        actuator->gain_length = g->gainprm[1];
        actuator->gain_velocity = g->gainprm[2];
    }
    actuator->muscle_gain = g->gain == GAIN_MUSCLE;
    if (actuator->muscle_gain) actuator->muscle = muscle_from(g->gainprm);
    actuator->muscle_bias = g->bias == BIAS_MUSCLE;
    if (actuator->muscle_bias) actuator->passive = muscle_from(g->biasprm);
    if (g->bias != BIAS_AFFINE) return;
    memcpy(actuator->bias, g->biasprm, sizeof actuator->bias);
    /* As in MuJoCo, a positive velocity bias of whatever looks like a position servo is a damping
     * ratio. */
    if (g->gain == GAIN_FIXED && actuator->bias[1] == -actuator->gain && actuator->bias[2] > 0) {
        actuator->damping_ratio = actuator->bias[2];
        actuator->bias[2] = 0;
    }
}

/* Types that have no meaning here. */
static void check_types(TnMjcf *m, const TnXmlElement *e, const Gains *g)
{
    if (g->dyn > DYN_MUSCLE)
        tn_mjcf_error_attr(m, e, "dyntype",
                           "only dyntype none, integrator, filter, filterexact and muscle are "
                           "supported");
    if (g->gain > GAIN_MUSCLE)
        tn_mjcf_error_attr(m, e, "gaintype",
                           "only gaintype fixed, affine and muscle are supported");
    if (g->bias > BIAS_MUSCLE)
        tn_mjcf_error_attr(m, e, "biastype", "only biastype none, affine and muscle are supported");
}

/* A joint's or tendon's range, scaled about its middle. */
static void inherit_range(TnMjcf *m, const TnXmlElement *e, double scale, const double *range,
                          double out[2])
{
    out[0] = out[1] = 0;
    if (!range) return; /* there is another error */
    if (!(range[0] < range[1])) {
        tn_mjcf_error_attr(m, e, "inheritrange",
                           "inheritrange needs a joint or tendon with a range");
        return;
    }
    double middle = 0.5 * (range[0] + range[1]), half = 0.5 * (range[1] - range[0]) * scale;
    out[0] = middle - half;
    out[1] = middle + half;
}

static void read_ranges(TnMjcf *m, const TnMjcfView *view, const Gains *g, const double *range,
                        TnActuatorDef *actuator)
{
    const TnXmlElement *e = view->element;
    bool steers = g->dyn == DYN_INTEGRATOR,
         servo = g->gain == GAIN_FIXED && g->bias == BIAS_AFFINE && g->dyn != DYN_FILTER &&
                 g->biasprm[1] == -g->gainprm[0];
    const char *name = steers ? "actrange" : "ctrlrange";
    actuator->ctrl_limited =
        tn_mjcf_limited(m, view, "ctrllimited", "ctrlrange", actuator->ctrl_range);
    actuator->activation_limited =
        tn_mjcf_limited(m, view, "actlimited", "actrange", actuator->activation_range);
    if ((g->kind == KIND_DAMPER || g->kind == KIND_ADHESION) &&
        !(actuator->ctrl_range[0] >= 0 && actuator->ctrl_range[0] < actuator->ctrl_range[1]))
        tn_mjcf_error_attr(m, e, "ctrlrange", "it needs a ctrlrange that ascends from 0 or more");
    if (g->inherit != 0) {
        if (!servo) {
            tn_mjcf_error_attr(m, e, "inheritrange",
                               "inheritrange is for position and intvelocity actuators");
        } else if (tn_mjcf_has(view, name)) {
            tn_mjcf_error_attr(m, e, "inheritrange", "%s and inheritrange cannot both be given",
                               name);
        } else {
            inherit_range(m, e, g->inherit, range,
                          steers ? actuator->activation_range : actuator->ctrl_range);
            if (steers)
                actuator->activation_limited = true;
            else
                actuator->ctrl_limited = tn_mjcf_word(view, "ctrllimited", "false true auto",
                                                      TN_TRI_AUTO) != TN_TRI_FALSE;
        }
    }
    if (g->dyn == DYN_NONE && actuator->activation_limited) {
        tn_mjcf_error_attr(m, e, "actrange", "actrange is for actuators with activation");
        actuator->activation_limited = false;
    }
    if (!m->settings.clamp_ctrl) actuator->ctrl_limited = false;
}

void tn_mjcf_read_gains(TnMjcf *m, const TnMjcfView *view, const double *range,
                        TnActuatorDef *actuator)
{
    const TnXmlElement *e = view->element;
    Gains g = apply(m, e, base_for(m, kind_of(e), view->class_));
    check_types(m, e, &g);
    set_gain(&g, actuator);
    actuator->activation = g.dyn <= DYN_MUSCLE ? (TnActivation)g.dyn : TN_ACTIVATION_NONE;
    memcpy(actuator->time_constants, g.dynprm, sizeof actuator->time_constants);
    actuator->activation_early = tn_mjcf_bool(view, "actearly", false);
    if (tn_mjcf_int(m, view, "actdim", -1) > (g.dyn != DYN_NONE))
        tn_mjcf_error_attr(m, e, "actdim",
                           "an actuator has one activation, or none without "
                           "dyntype");
    read_ranges(m, view, &g, range, actuator);
    if (m->settings.lengths_by_limits && range && range[0] < range[1])
        memcpy(actuator->length_range, range, sizeof actuator->length_range);
    tn_mjcf_reals(m, view, "lengthrange", actuator->length_range, 2);
}
