/* names.c: parameters and directions in words. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

typedef struct Owner {
    const char *(*name)(const TnModel *model, int32_t id);
    int32_t (*find)(const TnModel *model, const char *name);
    const char *what;
} Owner;

static Owner owner_of(TnParameterKind kind)
{
    switch (kind) {
    case TN_PARAMETER_MASS:
    case TN_PARAMETER_COM:
    case TN_PARAMETER_INERTIA:
        return (Owner){tn_model_body_name, tn_model_find_body, "body"};
    case TN_PARAMETER_FRICTION:
    case TN_PARAMETER_SIZE:
        return (Owner){tn_model_geom_name, tn_model_find_geom, "geom"};
    case TN_PARAMETER_GAIN:
    case TN_PARAMETER_BIAS:
        return (Owner){tn_model_actuator_name, tn_model_find_actuator, "actuator"};
    case TN_PARAMETER_GRAVITY:
    case TN_PARAMETER_TIMESTEP:
        return (Owner){NULL, NULL, "world"};
    default:
        return (Owner){tn_model_joint_name, tn_model_find_joint, "joint"};
    }
}

void tn_parameter_text(const TnModel *model, const TnParameter *p, char *text, size_t size)
{
    if (!text || !size) return;
    text[0] = 0;
    if (!model || !p || !tn_parameter_kind_name(p->kind)[0]) return;
    Owner owner = owner_of(p->kind);
    const char *kind = tn_parameter_kind_name(p->kind), *name = "";
    char number[24] = "", index[24] = "";
    if (owner.name) name = owner.name(model, p->id);
    if (owner.name && !name[0]) snprintf(number, sizeof number, "#%d", p->id);
    bool several = p->kind == TN_PARAMETER_GRAVITY || p->kind == TN_PARAMETER_COM ||
                   p->kind == TN_PARAMETER_INERTIA || p->kind == TN_PARAMETER_BIAS;
    if (p->index || several) snprintf(index, sizeof index, ":%d", p->index);
    snprintf(text, size, "%s%s%s%s%s", kind, owner.name ? ":" : "", name, number, index);
}

/* The kind before the first colon. False and an error: there is none. */
static bool kind_from_text(const char *text, size_t length, TnParameterKind *kind, TnError *err)
{
    char all[512] = "";
    for (int k = 0; k < TN_PARAMETER_KIND_COUNT; k++) {
        const char *name = tn_parameter_kind_name((TnParameterKind)k);
        if (strlen(name) == length && !memcmp(name, text, length)) {
            *kind = (TnParameterKind)k;
            return true;
        }
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", name);
    }
    tn_fit_refuse(err, "parameter '%s': the part before the colon must be one of %s", text, all);
    return false;
}

/* A number at the end, after a colon; -1: there is none. */
static int index_at_end(const char *text, const char *colon)
{
    char *end;
    if (!colon || !colon[1]) return -1;
    long index = strtol(colon + 1, &end, 10);
    return *end || colon == text || index < 0 || index > 5 ? -1 : (int)index;
}

bool tn_parameter_from_text(const TnModel *model, const char *text, TnParameter *parameter,
                            TnError *err)
{
    if (!model || !text || !parameter) {
        tn_fit_refuse(err, "model, text and parameter must be given");
        return false;
    }
    TnParameter p = {0};
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (!kind_from_text(text, length, &p.kind, err)) return false;
    Owner owner = owner_of(p.kind);
    if (!owner.find) {
        int index = index_at_end(text, colon);
        if (colon && index < 0) {
            tn_fit_refuse(err, "parameter '%s': what follows the colon is no index", text);
            return false;
        }
        p.index = index < 0 ? 0 : index;
    } else if (!colon || !colon[1]) {
        tn_fit_refuse(err, "parameter '%s': name the %s, as in %.*s:NAME", text, owner.what,
                      (int)length, text);
        return false;
    } else {
        /* a name may have colons: all of it is tried first */
        char name[256];
        snprintf(name, sizeof name, "%s", colon + 1);
        p.id = name[0] == '#' ? atoi(name + 1) : owner.find(model, name);
        char *last = strrchr(name, ':');
        int index = index_at_end(name, last);
        if (last && index >= 0 && (!p.id || name[0] == '#')) {
            *last = 0;
            p.index = index;
            p.id = name[0] == '#' ? atoi(name + 1) : owner.find(model, name);
        }
        if (!p.id) {
            tn_fit_refuse(err, "parameter '%s': the model has no %s '%s'", text, owner.what, name);
            return false;
        }
    }
    if (tn_parameter_check(model, &p, 0, err) != TN_OK) return false;
    *parameter = p;
    return true;
}

double tn_model_parameter(const TnModel *model, const TnParameter *p)
{
    return model && p && tn_parameter_check(model, p, 0, NULL) == TN_OK ? tn_parameter_get(model, p)
                                                                        : 0.0;
}

/* Parts of a unit vector that are worth a word. */
#define SMALL 0.05

void tn_fit_direction_text(const TnFit *fit, int k, char *text, size_t size)
{
    if (!text || !size) return;
    text[0] = 0;
    if (!fit || k < 0 || k >= fit->np) return;
    const double *direction = fit->directions + (size_t)k * (size_t)fit->np;
    double sign = 0.0;
    for (int i = 0; i < fit->np; i++) {
        double x = direction[i];
        if (fabs(x) < SMALL) continue;
        char name[256];
        bool first = !text[0];
        if (first) sign = x < 0.0 ? -1.0 : 1.0;
        tn_parameter_text(fit->model, &fit->list[i], name, sizeof name);
        size_t at = strlen(text);
        if (at + 1 >= size) return;
        if (fabs(x) > 0.9995)
            snprintf(text + at, size - at, "%s", name);
        else
            snprintf(text + at, size - at, "%s%.2f %s",
                     first            ? ""
                     : x * sign < 0.0 ? " - "
                                      : " + ",
                     fabs(x), name);
    }
}

const char *tn_fit_end_name(TnFitEnd end)
{
    static const char *const names[TN_FIT_END_COUNT] = {"not solved", "converged", "no progress",
                                                        "iterations used up", "nothing shown"};
    return end >= 0 && end < TN_FIT_END_COUNT ? names[end] : "";
}
