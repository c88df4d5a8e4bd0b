/* mjcf_check.c: an element against its rule: unknown names, wrong numbers, unsupported values.
 *
 * Everything wrong with one attribute by itself is said here, at the attribute's place, so that
 * readers may assume clean syntax. What is accepted without effect leaves one remark per kind and
 * load. */
#include "../../base/base.h"
#include "../suggest.h"
#include "mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void tn_mjcf_error(TnMjcf *m, const TnXmlElement *element, const char *format, ...)
{
    if (m->quiet) return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    tn_error_at(&m->err, TN_ERROR_MODEL, tn_xml_place(element), element->name, "%s", text);
}

void tn_mjcf_error_attr(TnMjcf *m, const TnXmlElement *element, const char *name,
                        const char *format, ...)
{
    if (m->quiet) return;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const TnXmlAttr *attr = tn_xml_attr(element, name);
    TnSource place = attr ? tn_xml_attr_place(element, attr) : tn_xml_place(element);
    tn_error_at(&m->err, TN_ERROR_MODEL, place, element->name, "%s", text);
}

static const char *remark_text(TnMjcfRemark which)
{
    static const char *const texts[TN_REMARK_COUNT] = {
        [TN_REMARK_SOFT] = "tenon's contacts and constraints are rigid; solref, solimp and their "
                           "like are read but not used",
        [TN_REMARK_SOLVER] = "tenon uses its own solver, time stepping and collision detection; "
                             "MuJoCo's settings for them are read but not used",
        [TN_REMARK_USER] = "user and custom data are read but not kept",
        [TN_REMARK_GAP] = "tenon's limits act at zero distance; the margin of joint limits is read "
                          "but not used",
        [TN_REMARK_DRAWING] = "this kind of visual setting is read but not kept; drawings use "
                              "cameras, the starting view, materials, textures and lights",
        [TN_REMARK_LAYER] = "of a material's layers only the colour (role rgb or rgba) is drawn",
        [TN_REMARK_IMAGE_LIGHT] = "lights of type image are not drawn",
        [TN_REMARK_PICTURE] = "this library was built without stb_image (libstb-dev): JPEG files, "
                              "and PNG files with palettes, few bits or interlacing, are not drawn",
        [TN_REMARK_CAMERA_COM] = "tenon's cameras follow the origin of a body, not a centre of "
                                 "mass: trackcom is taken as track, targetbodycom as targetbody",
        [TN_REMARK_CAMERA_LENS] = "tenon's cameras have a field of view (fovy) and nothing else: "
                                  "stereo, resolution, focal lengths, sensor sizes and "
                                  "orthographic projection are read but not used",
        [TN_REMARK_HULL] = "a mesh collides as its whole convex hull; maxhullvert is read but not "
                           "used",
        [TN_REMARK_OBJ] = "of an OBJ file with several groups only the first is taken, as in "
                          "MuJoCo",
        [TN_REMARK_CABLE] =
            "a cable's joints are springs in all six directions; of their damping comes one time "
            "for all of them (damping by bending stiffness), armature is read but not used",
        [TN_REMARK_CABLE_SHAPE] = "segments of a cable collide as capsules, not as cylinders",
        [TN_REMARK_FLEX] = "of soft bodies, what only concerns MuJoCo's way to find contacts "
                           "(internal, vertcollide, passive, activelayers) or surfaces "
                           "(thickness) is read but not used",
        [TN_REMARK_FLEX_QPOS] = "qpos and qvel have places and velocities of soft bodies' nodes in "
                                "the world, behind all joints; MuJoCo has displacements, in the "
                                "order of bodies",
        [TN_REMARK_FLEX_CAGE] = "all nodes of a soft body move by themselves; MuJoCo interpolates "
                                "them between those of a cage, which is stiffer in bending",
        [TN_REMARK_SOFT_DIM] = "points of a soft body have sliding friction only; condim 4 and 6 "
                               "are taken as 3",
        [TN_REMARK_SIZE] = "sizes are found from the model; <size> is read but not used",
        [TN_REMARK_FUSE] =
            "fusestatic has no effect: bodies without joints move with their parents "
            "in any case, and keep their names",
        [TN_REMARK_SKIN] = "skins are not drawn",
        [TN_REMARK_STRAY] = "this element is outside of <worldbody> and passed over, as in MuJoCo",
        [TN_REMARK_DROPPED] =
            "an equality between what is replicated or attached and what is not is "
            "left out, as in MuJoCo",
        [TN_REMARK_ATTACHED_OPTION] = "an attached model brings no settings (option, visual, "
                                      "statistic, tenon); those of the main file count",
        [TN_REMARK_ATTACHED_KEY] =
            "keyframes of attached models are left out in a model with cables "
            "or soft bodies",
        [TN_REMARK_ATTACHED_ACT] =
            "of keyframes of attached models, act, mpos and mquat are read but not used",
        [TN_REMARK_DELAY] =
            "sensors read the present state; delay, interval and nsample are read but "
            "not used",
        [TN_REMARK_FIXED] =
            "what acts between parts that are fixed to each other has no effect and is left out",
        [TN_REMARK_ROUND] =
            "friction has a number for each of two directions; where only the first is "
            "given it counts for both, while MuJoCo keeps the default of the other",
        [TN_REMARK_MEDIUM] = "the medium does not act on cables and soft bodies",
        [TN_REMARK_TEXT] = "text between elements has no meaning and is passed over",
        [TN_REMARK_OLD_NAME] = "relinearize is now tree_passes; the old name goes with the next "
                               "version",
        [TN_REMARK_SENSOR] = "this sensor is not supported yet: its numbers are zeros, or are "
                             "left out where their count is not known",
        [TN_REMARK_URDF_ATTR] = "this attribute is not known and passed over",
        [TN_REMARK_URDF_ELEMENT] = "this element is not known and passed over",
        [TN_REMARK_URDF_OTHER] = "this is for other programs and passed over; actuators and "
                                 "sensors can be added in MJCF: tenon convert",
        [TN_REMARK_URDF_FUSE] = "links that are fixed to others stay bodies of their own, with "
                                "their names; their masses are merged all the same",
        [TN_REMARK_URDF_LIMIT] = "lower is not below upper, so the joint has no limits, as in "
                                 "MuJoCo",
        [TN_REMARK_URDF_VELOCITY] = "effort bounds the sum of actuators' forces; limits of "
                                    "velocity are read but not used",
        [TN_REMARK_URDF_MASS] = "a moving link without <inertial> gets the mass of its collisions "
                                "with 1000 kg/m³, as in MuJoCo",
        [TN_REMARK_URDF_VISUAL] = "the mesh of a visual is not found or cannot be read; it is not "
                                  "drawn",
        [TN_REMARK_URDF_INERTIA] = "no body can have these moments: one is larger than the sum of "
                                   "the others, or negative; all three become their mean, as "
                                   "with MuJoCo's balanceinertia",
        [TN_REMARK_URDF_MASSLESS] = "a link without mass between two joints is no body; both "
                                    "joints move the next link",
        [TN_REMARK_SDF_MASS] = "a moving link without <inertial> has 1 kg and 1 kg·m², as SDF says",
        [TN_REMARK_SDF_LOCKED] = "lower and upper are both 0: the joint is read as fixed"};
    return texts[which];
}

/* One line for each cause, with its first place and a count where there is more than one. */
void tn_mjcf_tell_remarks(TnMjcf *m)
{
    for (const TnMjcfSaid *said = m->remarks ? m->said : NULL; said; said = said->next) {
        char line[1024], times[24] = "";
        if (said->count > 1) snprintf(times, sizeof times, "%d × ", said->count);
        snprintf(line, sizeof line, "%.500s:%d:%d: %.60s: %s%s", said->place.file, said->place.line,
                 said->place.column, said->element, times, remark_text(said->which));
        m->remarks->count++;
        size_t used = strlen(m->remarks->message);
        if (used + strlen(line) + 2 > sizeof m->remarks->message) continue;
        if (used) m->remarks->message[used++] = '\n';
        memcpy(m->remarks->message + used, line, strlen(line) + 1);
    }
}

static void remark(TnMjcf *m, TnMjcfRemark which, TnSource place, const char *element, bool named)
{
    for (TnMjcfSaid *said = m->said; said; said = said->next)
        if (said->which == which && (!named || strcmp(said->element, element) == 0)) {
            said->count++;
            return;
        }
    TnMjcfSaid *said = TN_IO_NEW(&m->pool, TnMjcfSaid);
    if (!said) return;
    *said = (TnMjcfSaid){which, place, element, 1, NULL};
    if (m->last_said)
        m->last_said->next = said;
    else
        m->said = said;
    m->last_said = said;
}

void tn_mjcf_remark(TnMjcf *m, TnMjcfRemark which, TnSource place, const char *element)
{
    remark(m, which, place, element, false);
}

void tn_mjcf_remark_named(TnMjcf *m, TnMjcfRemark which, TnSource place, const char *element)
{
    remark(m, which, place, element, true);
}

static void unknown_attribute(TnMjcf *m, const TnXmlElement *element, const TnXmlAttr *attr,
                              const TnMjcfRule *rule)
{
    char text[TN_SUGGEST_TEXT];
    TnSuggestion near = tn_suggest_begin(attr->name);
    for (const TnMjcfAttrRule *r = rule->attrs; r && r->name; r++)
        tn_suggest_offer(&near, r->name, strlen(r->name));
    if (rule->plain) tn_suggest_list(&near, rule->plain);
    tn_error_at(&m->err, TN_ERROR_MODEL, tn_xml_attr_place(element, attr), element->name,
                "unknown attribute '%.60s'%s", attr->name, tn_suggest_text(&near, text));
}

static void check_word(TnMjcf *m, const TnXmlElement *element, const TnXmlAttr *attr,
                       const char *words)
{
    if (tn_mjcf_word_index(words, attr->value) >= 0) return;
    char text[TN_SUGGEST_TEXT];
    TnSuggestion near = tn_suggest_begin(attr->value);
    tn_suggest_list(&near, words);
    tn_error_at(&m->err, TN_ERROR_MODEL, tn_xml_attr_place(element, attr), element->name,
                "%s must be one of: %s; it is '%.60s'%s", attr->name, words, attr->value,
                tn_suggest_text(&near, text));
}

/* True when all is well; count and sum tell about the numbers. */
static bool check_numbers(TnMjcf *m, const TnXmlElement *element, const TnXmlAttr *attr,
                          const TnMjcfAttrRule *r, double *largest)
{
    TnSource place = tn_xml_attr_place(element, attr);
    const char *at = attr->value;
    int count = 0;
    *largest = 0;
    for (;;) {
        at += strspn(at, " ");
        if (!*at) break;
        const char *token = at;
        int length = (int)strcspn(token, " ");
        if (length > 40) length = 40;
        double value = 0;
        TnNumberFault fault = tn_mjcf_number(&at, ' ', &value);
        const char *wrong = NULL;
        if (fault == TN_NUMBER_NONE)
            wrong = "is no number";
        else if (fault == TN_NUMBER_NOT_FINITE)
            wrong = "is not a finite number";
        else if (r->kind == TN_KIND_INT && (value != rint(value) || fabs(value) > 2147483647.0))
            wrong = "is no whole number";
        else if (r->bound == TN_BOUND_NOT_NEGATIVE && value < 0)
            wrong = "must not be negative";
        else if (r->bound == TN_BOUND_POSITIVE && !(value > 0))
            wrong = "must be positive";
        if (wrong) {
            tn_error_at(&m->err, TN_ERROR_MODEL, place, element->name, "%s: '%.*s' %s", attr->name,
                        length, token, wrong);
            return false;
        }
        *largest = fmax(*largest, fabs(value));
        count++;
    }
    if (count == 0 && strcmp(r->name, "rgba") == 0) return true; /* as if it were not there */
    if (count >= r->min_count && (r->max_count == 0 || count <= r->max_count)) return true;
    if (r->min_count == r->max_count)
        tn_error_at(&m->err, TN_ERROR_MODEL, place, element->name, "%s needs %d number%s, not %d",
                    attr->name, r->min_count, r->min_count == 1 ? "" : "s", count);
    else
        tn_error_at(&m->err, TN_ERROR_MODEL, place, element->name,
                    "%s needs %d to %d numbers, not %d", attr->name, r->min_count, r->max_count,
                    count);
    return false;
}

/* The word itself, or a list of numbers that all equal it. */
static bool is_neutral(const char *value, const char *neutral)
{
    if (strcmp(value, neutral) == 0) return true;
    const char *wanted_text = neutral;
    double wanted, found;
    if (tn_mjcf_number(&wanted_text, ' ', &wanted) != TN_NUMBER_GOOD) return false;
    for (;;) {
        value += strspn(value, " ");
        if (!*value) return true;
        if (tn_mjcf_number(&value, ' ', &found) != TN_NUMBER_GOOD || found != wanted) return false;
    }
}

static void check_use(TnMjcf *m, const TnXmlElement *element, const TnXmlAttr *attr,
                      const TnMjcfAttrRule *r, double largest)
{
    TnSource place = tn_xml_attr_place(element, attr);
    switch (r->use) {
    case TN_USE_READ:
    case TN_USE_NOTHING:
        break;
    case TN_USE_SOFT:
        tn_mjcf_remark(m, TN_REMARK_SOFT, place, element->name);
        break;
    case TN_USE_SOLVER:
        tn_mjcf_remark(m, TN_REMARK_SOLVER, place, element->name);
        break;
    case TN_USE_USER:
        tn_mjcf_remark(m, TN_REMARK_USER, place, element->name);
        break;
    case TN_USE_HULL:
        tn_mjcf_remark(m, TN_REMARK_HULL, place, element->name);
        break;
    case TN_USE_LENS:
        tn_mjcf_remark(m, TN_REMARK_CAMERA_LENS, place, element->name);
        break;
    case TN_USE_GAP:
        if (largest != 0) tn_mjcf_remark(m, TN_REMARK_GAP, place, element->name);
        break;
    case TN_USE_DELAY:
        if (largest != 0) tn_mjcf_remark(m, TN_REMARK_DELAY, place, element->name);
        break;
    case TN_USE_CABLE:
        if (largest != 0) tn_mjcf_remark(m, TN_REMARK_CABLE, place, element->name);
        break;
    case TN_USE_FLEX:
        tn_mjcf_remark(m, TN_REMARK_FLEX, place, element->name);
        break;
    case TN_USE_NEUTRAL:
        if (!is_neutral(attr->value, r->words))
            tn_error_at(&m->err, TN_ERROR_MODEL, place, element->name,
                        "%s=\"%.60s\" is not supported yet (only \"%s\" is)", attr->name,
                        attr->value, r->words);
        break;
    case TN_USE_NEVER:
        tn_error_at(&m->err, TN_ERROR_MODEL, place, element->name, "%s is not supported yet",
                    attr->name);
        break;
    }
}

static void check_attribute(TnMjcf *m, const TnXmlElement *element, const TnXmlAttr *attr,
                            const TnMjcfRule *rule, bool in_class)
{
    const TnMjcfAttrRule *r = rule->attrs;
    while (r && r->name && strcmp(r->name, attr->name) != 0) r++;
    if (!r || !r->name) {
        if (!rule->plain || tn_mjcf_word_index(rule->plain, attr->name) < 0)
            unknown_attribute(m, element, attr, rule);
        return;
    }
    if (in_class && r->where != TN_WHERE_BOTH) {
        tn_error_at(&m->err, TN_ERROR_MODEL, tn_xml_attr_place(element, attr), element->name,
                    "%s has no meaning in a default class", attr->name);
        return;
    }
    double largest = 0;
    if (r->use != TN_USE_NEUTRAL && r->kind == TN_KIND_WORD) check_word(m, element, attr, r->words);
    if (r->kind == TN_KIND_REAL || r->kind == TN_KIND_INT)
        if (!check_numbers(m, element, attr, r, &largest)) return;
    check_use(m, element, attr, r, largest);
}

static void unknown_element(TnMjcf *m, TnMjcfGroup group, const TnXmlElement *element)
{
    const char *inside = element->parent ? element->parent->name : "the file";
    if (tn_mjcf_word_index(tn_mjcf_unsupported(group), element->name) >= 0) {
        tn_mjcf_error(m, element, "<%.60s> in <%.60s> is not supported yet", element->name, inside);
        return;
    }
    char text[TN_SUGGEST_TEXT];
    TnSuggestion near = tn_suggest_begin(element->name);
    tn_mjcf_offer_rules(group, &near);
    tn_suggest_list(&near, tn_mjcf_unsupported(group));
    tn_mjcf_error(m, element, "unknown element <%.60s> in <%.60s>%s", element->name, inside,
                  tn_suggest_text(&near, text));
}

const TnMjcfRule *tn_mjcf_check(TnMjcf *m, TnMjcfGroup group, const TnXmlElement *element)
{
    tn_mjcf_enter(m, element);
    const TnMjcfRule *rule = tn_mjcf_rule(group, element->name);
    if (!rule) {
        unknown_element(m, group, element);
        return NULL;
    }
    bool in_class = group == TN_GROUP_DEFAULT && strcmp(element->name, "default") != 0;
    for (int i = 0; i < element->attr_count; i++)
        check_attribute(m, element, &element->attrs[i], rule, in_class);
    for (const TnMjcfAttrRule *r = rule->attrs; !in_class && r && r->name; r++)
        if (r->where == TN_WHERE_REQUIRED && !tn_xml_attr(element, r->name))
            tn_mjcf_error(m, element, "attribute '%s' is missing", r->name);
    if (element->text_line)
        tn_mjcf_remark(m, TN_REMARK_TEXT,
                       (TnSource){element->file, element->text_line, element->text_column},
                       element->name);
    return rule;
}

/* A child of an element that has no others. */
static void check_plugin(TnMjcf *m, const TnXmlElement *e)
{
    const TnXmlAttr *name = tn_xml_attr(e, "plugin"), *instance = tn_xml_attr(e, "instance");
    const char *text = name ? name->value : instance ? instance->value : "";
    if (instance) tn_mjcf_plugin_instance(m, instance->value, &text);
    if (strcmp(text, "mujoco.sdf.sdflib") == 0) return; /* distances to the mesh */
    if (strncmp(text, "mujoco.sdf.", 11) == 0)
        tn_mjcf_error(m, e,
                      "plugin '%.60s' is not supported: a signed distance shape needs a mesh with "
                      "a file, vertices or builtin",
                      text);
    else
        tn_mjcf_error(m, e, "plugin '%.60s' is not supported", text);
}

const TnMjcfRule *tn_mjcf_check_leaf(TnMjcf *m, TnMjcfGroup group, const TnXmlElement *element)
{
    const TnMjcfRule *rule = tn_mjcf_check(m, group, element);
    for (const TnXmlElement *child = element->first; rule && child; child = child->next) {
        if (strcmp(child->name, "plugin") == 0)
            check_plugin(m, child);
        else
            tn_mjcf_error(m, child, "unknown element <%.60s> in <%.60s>, which has no children",
                          child->name, element->name);
    }
    return rule;
}

void tn_mjcf_each_child(TnMjcf *m, const char *section, TnMjcfChildFn fn)
{
    for (const TnXmlElement *s = m->root->first; s; s = s->next)
        if (strcmp(s->name, section) == 0)
            for (const TnXmlElement *child = s->first; child; child = child->next) fn(m, child);
}
