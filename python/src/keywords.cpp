/* keywords.cpp: keyframes, tracks, cables, tendons and sensors: what pointers and choices in their
 * definitions are in Python. */
#include "keywords.h"

#include <climits>
#include <cstring>

const double *keep_doubles(Maker &maker, nb::handle value, const std::vector<long> &shape,
                           const std::string &what, std::vector<int> *has)
{
    Doubles &array = maker.arrays.emplace_back(doubles(value, shape, what.c_str()));
    for (size_t i = 0; i < array.ndim(); i++) {
        if (array.shape(i) > INT_MAX / 8) raise(TN_ERROR_USAGE, what + ": too many numbers");
        if (has) has->push_back((int)array.shape(i));
    }
    return array.data();
}

int32_t *keep_integers(Maker &maker, nb::handle value, const std::vector<long> &shape,
                       const std::string &what, int *count)
{
    std::vector<int> has;
    const double *numbers = keep_doubles(maker, value, shape, what, &has);
    size_t all = 1;
    for (int n : has) all *= (size_t)n;
    int32_t *whole = maker.room<int32_t>(all);
    for (size_t i = 0; i < all; i++) {
        if (!(numbers[i] >= INT_MIN && numbers[i] <= INT_MAX) ||
            numbers[i] != (double)(int32_t)numbers[i])
            raise(TN_ERROR_USAGE, what + ": expected whole numbers");
        whole[i] = (int32_t)numbers[i];
    }
    *count = has[0];
    return whole;
}

std::vector<nb::object> items(nb::handle value, const char *expects, const std::string &what)
{
    std::vector<nb::object> list;
    if (nb::isinstance<nb::str>(value)) expected(what, expects, value);
    nb::object iterator = nb::steal(PyObject_GetIter(value.ptr()));
    if (!iterator.is_valid()) {
        PyErr_Clear();
        expected(what, expects, value);
    }
    for (nb::handle item : nb::borrow<nb::object>(iterator)) list.push_back(nb::borrow(item));
    return list;
}

std::vector<std::pair<nb::object, nb::object>> pairs(nb::handle value, const char *expects,
                                                     const std::string &what)
{
    std::vector<std::pair<nb::object, nb::object>> list;
    if (nb::isinstance<nb::dict>(value)) {
        for (auto [key, item] : nb::borrow<nb::dict>(value))
            list.emplace_back(nb::borrow(key), nb::borrow(item));
        return list;
    }
    for (const nb::object &item : items(value, expects, what)) {
        std::vector<nb::object> two = items(item, expects, what);
        if (two.size() != 2) expected(what, expects, value);
        list.emplace_back(two[0], two[1]);
    }
    return list;
}

/* ---- keyframes and tracks ---- */

#define KEY_ARRAY(NAME, DOC)                                                                       \
    {                                                                                              \
#NAME, "numpy.typing.ArrayLike | None", DOC,                                               \
            [](Maker &m, TnKeyDef &d, nb::handle v, const std::string &what) {                     \
                if (v.is_none()) return;                                                           \
                std::vector<int> has;                                                              \
                d.NAME = keep_doubles(m, v, {-1}, what, &has);                                     \
                d.NAME##_count = has[0];                                                           \
            }       \
    }
template <> const std::vector<Special<TnKeyDef>> &specials()
{
    static const std::vector<Special<TnKeyDef>> list = {
        KEY_ARRAY(qpos, "all numbers of qpos, or those of joints alone; None: the reference pose"),
        KEY_ARRAY(qvel, "None: at rest"),
        KEY_ARRAY(ctrl, "None: zeros"),
        KEY_ARRAY(act, "None: zeros"),
        KEY_ARRAY(mocap_pos, "3 numbers for each mocap body"),
        KEY_ARRAY(mocap_quat, "4 numbers for each mocap body"),
    };
    return list;
}

template <> const std::vector<Special<TnTrackDef>> &specials()
{
    static const std::vector<Special<TnTrackDef>> list = {
        {"times", "numpy.typing.ArrayLike", "s, ascending",
         [](Maker &m, TnTrackDef &d, nb::handle v, const std::string &what) {
             std::vector<int> has;
             d.times = keep_doubles(m, v, {-1}, what, &has);
             if (d.row_count && d.row_count != has[0])
                 raise(TN_ERROR_USAGE, what + ": times and ctrl have different lengths");
             d.row_count = has[0];
         }},
        {"ctrl", "numpy.typing.ArrayLike", "(times, actuators)",
         [](Maker &m, TnTrackDef &d, nb::handle v, const std::string &what) {
             std::vector<int> has;
             d.ctrl = keep_doubles(m, v, {-1, -1}, what, &has);
             if (d.row_count && d.row_count != has[0])
                 raise(TN_ERROR_USAGE, what + ": times and ctrl have different lengths");
             if (m.find && has[1] != m.find("actuator_count", nb::none(), what))
                 raise(TN_ERROR_USAGE,
                       what + ": expected a column for each actuator, " +
                           std::to_string(m.find("actuator_count", nb::none(), what)) +
                           " so far, got " + std::to_string(has[1]));
             d.row_count = has[0];
         }},
    };
    return list;
}

/* ---- cables ---- */

static const char *const *keep_names(Maker &m, nb::handle v, const TnRodDef &d,
                                     const std::string &what)
{
    std::vector<nb::object> given = items(v, "a list of names", what);
    if ((int)given.size() != d.segment_count)
        raise(TN_ERROR_USAGE, what + ": expected " + std::to_string(d.segment_count) +
                                  " names, one for each segment, got " +
                                  std::to_string(given.size()));
    const char **names = m.room<const char *>(given.size());
    for (size_t i = 0; i < given.size(); i++) names[i] = m.keep(text_of(given[i], what));
    return names;
}

template <> const std::vector<Special<TnRodDef>> &specials()
{
    static const std::vector<Special<TnRodDef>> list = {
        {"points", "numpy.typing.ArrayLike | None",
         "m, (segments + 1, 3): the centre line as built; None: straight from start to end, in "
         "segment_count segments",
         [](Maker &m, TnRodDef &d, nb::handle v, const std::string &what) {
             if (v.is_none()) return;
             std::vector<int> has;
             d.points = keep_doubles(m, v, {-1, 3}, what, &has);
             if (d.segment_count && d.segment_count != has[0] - 1)
                 raise(TN_ERROR_USAGE, what + ": expected one point more than segment_count");
             d.segment_count = has[0] - 1;
         }},
        {"body_names", "collections.abc.Sequence[str] | None", "instead of name_0, name_1, …",
         [](Maker &m, TnRodDef &d, nb::handle v, const std::string &what) {
             if (!v.is_none()) d.body_names = keep_names(m, v, d, what);
         }},
        {"geom_names", "collections.abc.Sequence[str] | None", "instead of name_0, name_1, …",
         [](Maker &m, TnRodDef &d, nb::handle v, const std::string &what) {
             if (!v.is_none()) d.geom_names = keep_names(m, v, d, what);
         }},
    };
    return list;
}

/* ---- tendons ---- */

template <> const std::vector<Special<TnTendonDef>> &specials()
{
    static const std::vector<Special<TnTendonDef>> list = {
        {"joints",
         "collections.abc.Mapping[str, float] | collections.abc.Mapping[int, float] | None",
         "a dict {joint: length per rad or m} of a fixed tendon",
         [](Maker &m, TnTendonDef &d, nb::handle v, const std::string &what) {
             if (v.is_none()) return;
             auto given = pairs(v, "a dict {joint: coefficient}", what);
             auto *joints = m.room<TnTendonJoint>(given.size());
             for (size_t i = 0; i < given.size(); i++)
                 joints[i] = {m.find("joint", given[i].first, what),
                              number_of(given[i].second, what)};
             d.joints = joints;
             d.joint_count = (int)given.size();
         }},
        {"points",
         "collections.abc.Sequence[str | int | collections.abc.Mapping[str, object]] | None",
         "of a spatial tendon, in order: a site, {'geom': …, 'side': site} to wrap around, "
         "{'divisor': …} for a pulley",
         [](Maker &m, TnTendonDef &d, nb::handle v, const std::string &what) {
             if (v.is_none()) return;
             std::vector<nb::object> given = items(v, "a list of points", what);
             auto *points = m.room<TnTendonPoint>(given.size());
             for (size_t i = 0; i < given.size(); i++) {
                 points[i] = TnTendonPoint{};
                 if (!nb::isinstance<nb::dict>(given[i])) {
                     points[i].site = m.find("site", given[i], what);
                     continue;
                 }
                 set_fields(m, fields_of<TnTendonPoint>(), &points[i],
                            nb::borrow<nb::dict>(given[i]), what);
                 if (points[i].geom) points[i].type = TN_TENDON_GEOM;
                 if (points[i].divisor != 0) points[i].type = TN_TENDON_PULLEY;
             }
             d.points = points;
             d.point_count = (int)given.size();
         }},
    };
    return list;
}

/* ---- sensors ---- */

/* What the object of a sensor is; "": it has none. */
static const char *object_kind(TnSensorType type)
{
    static const char *const begin[][2] = {
        {"joint_", "joint"},      {"ball_", "joint"},     {"body_", "body"},
        {"subtree_", "body"},     {"tendon_", "tendon"},  {"actuator_", "actuator"},
        {"site_", "site"},        {"gyro", "site"},       {"velocimeter", "site"},
        {"force", "site"},        {"torque", "site"},     {"accelerometer", "site"},
        {"magnetometer", "site"}, {"touch", "site"},      {"rangefinder", "site"},
        {"projection", "site"},   {"inside_site", "site"}};
    const char *word = words_of<TnSensorType>()[(size_t)type];
    for (auto &b : begin)
        if (strncmp(word, b[0], strlen(b[0])) == 0) return b[1];
    return "";
}

static void take_pick(Maker &m, TnPick &pick, nb::handle v, const std::string &what)
{
    if (v.is_none()) return;
    std::vector<nb::object> two = items(v, "(kind, name)", what);
    if (two.size() != 2) expected(what, "(kind, name)", v);
    pick.kind = (TnPickKind)word_of(two[0], words_of<TnPickKind>(), what);
    if (pick.kind != TN_PICK_ANY)
        pick.id = m.find(pick.kind == TN_PICK_GEOM ? "geom" : "body", two[1], what);
}

template <> const std::vector<Special<TnSensorDef>> &specials()
{
    static const char *const pick = "tuple[typing.Literal['geom', 'body', 'subtree'], str | int] | "
                                    "None";
    static const std::vector<Special<TnSensorDef>> list = {
        {"object", "str | int | None", "what it senses: of the kind that its type begins with",
         [](Maker &m, TnSensorDef &d, nb::handle v, const std::string &what) {
             if (v.is_none()) return;
             const char *kind = object_kind(d.type);
             if (!kind[0])
                 raise(TN_ERROR_USAGE, what + ": a sensor of type '" +
                                           words_of<TnSensorType>()[(size_t)d.type] +
                                           "' has no object");
             d.object = m.find(kind, v, what);
         }},
        {"pick1", pick, "(kind, name), of distances and contacts",
         [](Maker &m, TnSensorDef &d, nb::handle v, const std::string &what) {
             take_pick(m, d.pick1, v, what);
         }},
        {"pick2", pick, "the same",
         [](Maker &m, TnSensorDef &d, nb::handle v, const std::string &what) {
             take_pick(m, d.pick2, v, what);
         }},
        {"fields", "collections.abc.Sequence[str] | None",
         "of contacts: found, force, torque, dist, pos, normal, tangent, linvel, angvel; of "
         "rangefinders: dist, dir, origin, point, normal, depth. None: the first one",
         [](Maker &, TnSensorDef &d, nb::handle v, const std::string &what) {
             static const std::vector<const char *> contact = {"found",   "force",  "torque",
                                                               "dist",    "pos",    "normal",
                                                               "tangent", "linvel", "angvel"},
                                                    range = {"dist",  "dir",    "origin",
                                                             "point", "normal", "depth"};
             if (v.is_none()) return;
             d.fields = 0;
             for (const nb::object &word : items(v, "a list of words", what))
                 d.fields |=
                     1u << word_of(word, d.type == TN_SENSOR_CONTACT ? contact : range, what);
         }},
    };
    return list;
}

/* ---- actuators: MJCF's shortcuts ---- */

static double positive(nb::handle v, const std::string &what)
{
    double number = number_of(v, what);
    if (!(number > 0.0)) raise(TN_ERROR_USAGE, what + ": must be positive");
    return number;
}

/* force = gain · ctrl + bias · (1, length, velocity), as MJCF defines its elements. */
template <> const std::vector<Special<TnActuatorDef>> &specials()
{
    static const std::vector<const char *> types = {"general",  "motor",       "position",
                                                    "velocity", "intvelocity", "damper"};
    static const std::vector<Special<TnActuatorDef>> list = {
        {"type",
         "typing.Literal['general', 'motor', 'position', 'velocity', 'intvelocity', 'damper'] | "
         "None",
         "a shortcut of MJCF: it sets gain, bias and activation; None: as these say",
         [](Maker &m, TnActuatorDef &d, nb::handle v, const std::string &what) {
             if (v.is_none()) return;
             m.servo = types[(size_t)word_of(v, types, what)];
             if (m.servo == "general" || m.servo == "motor") return;
             bool position = m.servo == "position" || m.servo == "intvelocity";
             d.gain = m.servo == "damper" ? 0.0 : 1.0;
             d.gain_velocity = m.servo == "damper" ? -1.0 : 0.0;
             d.bias[0] = 0.0;
             d.bias[1] = position ? -1.0 : 0.0;
             d.bias[2] = m.servo == "velocity" ? -1.0 : 0.0;
             if (m.servo == "intvelocity") d.activation = TN_ACTIVATION_INTEGRATOR;
         }},
        {"kp", "float | None", "of a position servo, N/m or N·m/rad: gain kp, bias (0, -kp, -kv)",
         [](Maker &m, TnActuatorDef &d, nb::handle v, const std::string &what) {
             if (v.is_none()) return;
             if (m.servo.empty()) m.servo = "position";
             if (m.servo != "position" && m.servo != "intvelocity")
                 raise(TN_ERROR_USAGE, what + ": only position servos have it");
             d.gain = positive(v, what);
             d.bias[1] = -d.gain;
         }},
        {"kv", "float | None",
         "of a servo or damper, N·s/m or N·m·s/rad: of a velocity servo gain kv, bias (0, 0, -kv)",
         [](Maker &m, TnActuatorDef &d, nb::handle v, const std::string &what) {
             if (v.is_none()) return;
             double kv = number_of(v, what);
             if (!(kv >= 0.0)) raise(TN_ERROR_USAGE, what + ": must be 0 or more");
             if (m.servo == "damper") {
                 d.gain_velocity = -kv;
                 return;
             }
             if (m.servo.empty() || m.servo == "general" || m.servo == "motor")
                 raise(TN_ERROR_USAGE, what + ": say type='position' (with kp) or type='velocity'");
             if (m.servo == "velocity") d.gain = kv;
             d.bias[2] = -kv;
         }},
    };
    return list;
}

/* ---- MJCF's spellings ---- */

std::string our_keyword(const std::string &given, const std::vector<std::string> &there)
{
    static const char *const other[][2] = {{"contype", "contact_type"},
                                           {"conaffinity", "contact_affinity"},
                                           {"condim", "contact_dim"},
                                           {"gravcomp", "gravity_compensation"},
                                           {"diaginertia", "inertia"},
                                           {"fullinertia", "inertia_full"},
                                           {"ipos", "inertia_pos"},
                                           {"iquat", "inertia_quat"},
                                           {"actuatorfrcrange", "actuator_range"},
                                           {"actuatorgravcomp", "actuator_gravity"},
                                           {"dampratio", "damping_ratio"},
                                           {"actlimited", "activation_limited"},
                                           {"actrange", "activation_range"},
                                           {"actearly", "activation_early"},
                                           {"biasprm", "bias"},
                                           {"dyntype", "activation"},
                                           {"fromto", "between"}};
    for (const std::string &name : there)
        if (name == given) return given;
    std::string wanted = given;
    for (auto &o : other)
        if (given == o[0]) wanted = o[1];
    for (const std::string &name : there)
        if (plain(name) == plain(wanted)) return name;
    return given;
}

const char *why_no_keyword(const std::string &given)
{
    static const char *const none[][2] = {
        {"solref", "contacts, limits and equalities are rigid in tenon: leave it out"},
        {"solimp", "contacts, limits and equalities are rigid in tenon: leave it out"},
        {"solreflimit", "limits are rigid in tenon: leave it out"},
        {"solimplimit", "limits are rigid in tenon: leave it out"},
        {"solmix", "contacts are rigid in tenon: leave it out"},
        {"gap", "contacts act at the distance `margin`"},
        {"euler", "orientations are quaternions here: quat=(w, x, y, z)"},
        {"axisangle", "orientations are quaternions here: quat=(w, x, y, z)"},
        {"xyaxes", "orientations are quaternions here: quat=(w, x, y, z)"},
        {"zaxis", "orientations are quaternions here: quat=(w, x, y, z)"},
        {"gainprm", "write gain=…, gain_length=…, gain_velocity=…"},
        {"dynprm", "write time_constants=(…, …, …)"},
        {"integrator", "there is one scheme, of second order: theta=1 makes it implicit Euler"},
        {"cone", "friction cones are exact: there is nothing to choose"},
        {"solver", "it is an option of the world: World(model, solver=…)"},
        {"iterations", "it is an option of the world: World(model, iterations=…)"},
        {"tolerance", "it is an option of the world: World(model, tolerance=…)"}};
    for (auto &n : none)
        if (given == n[0]) return n[1];
    return nullptr;
}
