/* builder.cpp: definitions by keywords. Methods, keywords, defaults and documentation come from the
 * tables of fields.h; here is only what pointers and choices in the structs mean.
 *
 * An index of Python is an id of C less one. */
#include "builder.h"
#include "fields.h"

#include <tenon/definitions.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>
#include <map>

/* ---- a keyword that is more than a field ---- */

template <typename Def> struct Special {
    const char *name, *type, *doc;
    void (*set)(Maker &maker, Def &def, nb::handle value, const std::string &what);
};
template <typename Def> const std::vector<Special<Def>> &specials()
{
    static const std::vector<Special<Def>> none;
    return none;
}

static const double *keep_doubles(Maker &maker, nb::handle value, const std::vector<long> &shape,
                                  const std::string &what, std::vector<int> *has = nullptr)
{
    Doubles &array = maker.arrays.emplace_back(doubles(value, shape, what.c_str()));
    for (size_t i = 0; i < array.ndim(); i++) {
        if (array.shape(i) > INT_MAX / 8) raise(TN_ERROR_USAGE, what + ": too many numbers");
        if (has) has->push_back((int)array.shape(i));
    }
    return array.data();
}

/* Whole numbers, with the shape of `shape`; their count along the first axis in *count. */
static int32_t *keep_integers(Maker &maker, nb::handle value, const std::vector<long> &shape,
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

static std::vector<nb::object> items(nb::handle value, const char *expects, const std::string &what)
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

/* Pairs of a dict, or of a list of pairs. */
static std::vector<std::pair<nb::object, nb::object>> pairs(nb::handle value, const char *expects,
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

/* ---- meshes ---- */

template <> const std::vector<Special<TnMeshDef>> &specials()
{
    static const std::vector<Special<TnMeshDef>> list = {
        {"vertices", "numpy.typing.ArrayLike", "m, (n, 3)",
         [](Maker &m, TnMeshDef &d, nb::handle v, const std::string &what) {
             std::vector<int> has;
             d.vertices = keep_doubles(m, v, {-1, 3}, what, &has);
             d.vertex_count = has[0];
         }},
        {"triangles", "numpy.typing.ArrayLike | None",
         "(m, 3), from 0, counter-clockwise from outside; None: the convex hull",
         [](Maker &m, TnMeshDef &d, nb::handle v, const std::string &what) {
             if (!v.is_none()) d.triangles = keep_integers(m, v, {-1, 3}, what, &d.triangle_count);
         }},
    };
    return list;
}

template <> const std::vector<Special<TnHeightFieldDef>> &specials()
{
    static const std::vector<Special<TnHeightFieldDef>> list = {
        {"heights", "numpy.typing.ArrayLike", "m, (rows along y, columns along x)",
         [](Maker &m, TnHeightFieldDef &d, nb::handle v, const std::string &what) {
             std::vector<int> has;
             d.heights = keep_doubles(m, v, {-1, -1}, what, &has);
             d.rows = has[0];
             d.columns = has[1];
         }},
    };
    return list;
}

/* (nodes, elements): tetrahedra, or triangles, which C has with their last node twice. */
static void take_mesh(Maker &m, TnTetMesh &mesh, nb::handle value, const std::string &what)
{
    std::vector<nb::object> two = items(value, "(nodes, elements)", what);
    if (two.size() != 2) expected(what, "(nodes, elements)", value);
    int nodes, elements;
    std::vector<int> has;
    const double *from = keep_doubles(m, two[0], {-1, 3}, what + ": nodes", &has);
    nodes = has[0];
    nb::object shape = nb::module_::import_("numpy").attr("shape")(two[1]);
    bool sheet = nb::len(shape) == 2 && nb::cast<long>(shape[1]) == 3;
    int32_t *given = keep_integers(m, two[1], {-1, sheet ? 3 : 4}, what + ": elements", &elements);
    double *copy = m.room<double>(3 * (size_t)nodes);
    std::copy(from, from + 3 * (size_t)nodes, copy);
    int32_t *tets = m.room<int32_t>(4 * (size_t)elements);
    for (size_t i = 0; i < (size_t)elements; i++)
        for (size_t k = 0; k < 4; k++)
            tets[4 * i + k] = sheet ? given[3 * i + (k < 3 ? k : 2)] : given[4 * i + k];
    mesh = {nodes, elements, copy, tets};
    Error err;
    bool good =
        sheet ? tn_sheet_mesh_check(&mesh, "mesh", &err) : tn_tet_mesh_check(&mesh, "mesh", &err);
    if (!good) raise(err);
}

template <> const std::vector<Special<TnSoftDef>> &specials()
{
    static const std::vector<Special<TnSoftDef>> list = {
        {"mesh", "tuple[numpy.typing.ArrayLike, numpy.typing.ArrayLike]",
         "nodes (n, 3), and tetrahedra (m, 4) or triangles of a sheet (m, 3), from 0: the "
         "stress-free shape",
         [](Maker &m, TnSoftDef &d, nb::handle v, const std::string &what) {
             take_mesh(m, d.mesh, v, what);
         }},
        {"holds",
         "collections.abc.Mapping[str, numpy.typing.ArrayLike] | collections.abc.Mapping[int, "
         "numpy.typing.ArrayLike]",
         "a dict {body: nodes} of nodes that move with bodies; pinned, if the body is fixed",
         [](Maker &m, TnSoftDef &d, nb::handle v, const std::string &what) {
             std::vector<TnSoftHoldDef> holds;
             for (auto &[body, nodes] : pairs(v, "a dict {body: nodes}", what)) {
                 TnBodyId id = m.find("body", body, what);
                 int count;
                 int32_t *list = keep_integers(m, nodes, {-1}, what, &count);
                 for (int i = 0; i < count; i++) {
                     TnSoftHoldDef hold{};
                     hold.node = list[i];
                     hold.body = id;
                     holds.push_back(hold);
                 }
             }
             auto *copy = m.room<TnSoftHoldDef>(holds.size());
             std::copy(holds.begin(), holds.end(), copy);
             d.holds = copy;
             d.hold_count = (int)holds.size();
         }},
    };
    return list;
}

/* ---- geoms ---- */

/* A capsule or cylinder from one point to another: z turns there the shortest way. */
static void lay_between(TnGeomDef &d, const double *ends, const std::string &what)
{
    double along[3], length = 0;
    for (int k = 0; k < 3; k++) {
        d.pos[k] = 0.5 * (ends[k] + ends[3 + k]);
        along[k] = ends[3 + k] - ends[k];
        length += along[k] * along[k];
    }
    length = std::sqrt(length);
    if (!(length > 0) || !std::isfinite(length))
        raise(TN_ERROR_USAGE, what + ": the two points must be finite and apart");
    if (d.type != TN_GEOM_CAPSULE && d.type != TN_GEOM_CYLINDER)
        raise(TN_ERROR_USAGE, what + ": only capsules and cylinders lie between two points");
    d.size[1] = 0.5 * length;
    double w = 1 + along[2] / length, x = -along[1] / length, y = along[0] / length;
    if (w < 1e-12) { /* half a turn: about any axis across */
        w = y = 0;
        x = 1;
    }
    double norm = std::sqrt(w * w + x * x + y * y);
    d.quat[0] = w / norm;
    d.quat[1] = x / norm;
    d.quat[2] = y / norm;
    d.quat[3] = 0;
}

template <> const std::vector<Special<TnGeomDef>> &specials()
{
    static const std::vector<Special<TnGeomDef>> list = {
        {"between", "numpy.typing.ArrayLike | None",
         "(2, 3): the ends of the axis of a capsule or cylinder, instead of pos, quat and half "
         "length",
         [](Maker &m, TnGeomDef &d, nb::handle v, const std::string &what) {
             if (!v.is_none()) lay_between(d, keep_doubles(m, v, {2, 3}, what), what);
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

/* ---- fields that are set when another one is given ---- */

static const struct {
    const char *given, *flag;
} implied[] = {{"range", "limited"},
               {"actuator_range", "actuator_limited"},
               {"ctrl_range", "ctrl_limited"},
               {"force_range", "force_limited"},
               {"activation_range", "activation_limited"},
               {"mass", "has_inertia"},
               {"inertia", "has_inertia"},
               {"inertia_full", "has_inertia"},
               {"inertia_full", "use_inertia_full"},
               {"relpos", "has_relpose"},
               {"relquat", "has_relpose"},
               {"spring_length", "has_spring_length"},
               {"center", "has_center"},
               {"extent", "has_extent"},
               {"azimuth", "has_angles"},
               {"elevation", "has_angles"},
               {"muscle", "muscle_gain"},
               {"passive", "muscle_bias"}};

/* Counts belong to arrays, `file` to messages. */
static bool is_keyword(const Field &f)
{
    std::string name = f.name;
    bool count = name.size() > 6 && name.compare(name.size() - 6, 6, "_count") == 0;
    return (!count || name == "segment_count") && name != "rows" && name != "columns" &&
           name != "file";
}

/* Sizes of geoms may leave out the numbers that their shape has not. */
static nb::object padded(const char *key, nb::handle value)
{
    if (strcmp(key, "size") != 0) return nb::borrow(value);
    nb::object numpy = nb::module_::import_("numpy"), size;
    try {
        size = numpy.attr("atleast_1d")(value);
        if (nb::cast<int>(size.attr("ndim")) != 1 || nb::len(size) >= 3) return nb::borrow(value);
        return numpy.attr("append")(size, numpy.attr("zeros")(3 - nb::len(size)));
    } catch (nb::python_error &) {
        return nb::borrow(value); /* the message is another's */
    }
}

template <typename Def>
static void take(Maker &maker, Def &def, const nb::dict &keywords, const std::string &what)
{
    std::vector<const Special<Def> *> later;
    for (auto [key, value] : keywords) {
        std::string name = text_of(key, what);
        bool special = false, known = false;
        for (const Special<Def> &s : specials<Def>())
            if (name == s.name) special = true;
        if (special) continue;
        for (const Field &f : fields_of<Def>()) {
            if (name != f.name || !is_keyword(f)) continue;
            f.set(maker, (char *)&def + f.offset, padded(f.name, value), what + ": " + name, f.of);
            known = true;
        }
        if (known) continue;
        std::vector<std::string> there;
        for (const Field &f : fields_of<Def>())
            if (is_keyword(f)) there.emplace_back(f.name);
        for (const Special<Def> &s : specials<Def>()) there.emplace_back(s.name);
        no_such(PyExc_TypeError, what + ": there is no", name, there);
    }
    for (const Special<Def> &s : specials<Def>()) /* in their order, after plain fields */
        if (keywords.contains(s.name)) s.set(maker, def, keywords[s.name], what + ": " + s.name);
    for (auto &i : implied) {
        if (!keywords.contains(i.given) || keywords.contains(i.flag)) continue;
        for (const Field &f : fields_of<Def>())
            if (strcmp(f.name, i.flag) == 0 && f.type == "bool") *((bool *)&def + f.offset) = true;
    }
}

/* ---- names ---- */

struct Lookup {
    const char *kind;
    int (*count)(const TnDefinitions &d);
    const char *(*name)(const TnDefinitions &d, int index);
};
#define LOOKUP(KIND, LIST, DEF)                                                                    \
    {                                                                                              \
#KIND, [](const TnDefinitions                                                              \
                      &d) { return d.KIND##_count; }, [](const TnDefinitions &d,                   \
                                                         int i) { return d.LIST[i] DEF.name; }     \
    }
static const Lookup lookups[] = {
    LOOKUP(body, bodies, ),         LOOKUP(joint, joints, ),   LOOKUP(geom, geoms, ),
    LOOKUP(site, sites, ),          LOOKUP(tendon, tendons, ), LOOKUP(actuator, actuators, ),
    LOOKUP(equality, equalities, ), LOOKUP(sensor, sensors, ), LOOKUP(key, keys, ),
    LOOKUP(mesh, meshes, ),         LOOKUP(camera, cameras, ), LOOKUP(rod, rods, .def),
    LOOKUP(wheel, wheels, ),        LOOKUP(soft, softs, .def), LOOKUP(tie, ties, ),
};

static const Lookup &lookup_of(const std::string &kind)
{
    std::vector<std::string> all;
    for (const Lookup &l : lookups) {
        if (kind == l.kind) return l;
        all.emplace_back(l.kind);
    }
    no_such(PyExc_KeyError, "there is no kind", kind, all);
}

static int32_t find(Builder &b, const std::string &kind, nb::handle which, const std::string &what)
{
    TnDefinitions d = tn_builder_definitions(b.made.get());
    if (kind == "actuator_count") return d.actuator_count;
    const Lookup &l = lookup_of(kind);
    int count = l.count(d);
    if (!nb::isinstance<nb::str>(which)) {
        nb::object number = nb::steal(PyNumber_Index(which.ptr()));
        if (!number.is_valid() || nb::isinstance<nb::bool_>(which)) {
            PyErr_Clear();
            expected(what, "a name or an index of a " + kind, which);
        }
        int index = integer_of(which, what);
        if (index >= 0 && index < count) return index + 1;
        std::string text = what + ": there is no " + kind + " " + std::to_string(index) +
                           "; there are " + std::to_string(count) + " so far";
        PyErr_SetString(PyExc_IndexError, text.c_str());
        throw nb::python_error();
    }
    Builder::Names &names = b.names[kind];
    for (; names.seen < count; names.seen++) {
        const char *name = l.name(d, names.seen);
        if (name && name[0]) names.ids.emplace(name, names.seen + 1);
    }
    auto found = names.ids.find(nb::cast<std::string>(which));
    if (found != names.ids.end()) return found->second;
    std::vector<std::string> there;
    for (auto &[name, id] : names.ids) there.push_back(name);
    std::sort(there.begin(), there.end());
    no_such(PyExc_KeyError, what + ": there is no " + kind, nb::cast<std::string>(which), there);
}

/* ---- adding ---- */

using Act = std::function<nb::object(Builder &b, Maker &maker, const nb::dict &keywords,
                                     const std::string &what, TnSource source)>;
struct Method {
    std::string name, signature, doc;
    Act act;
};

/* "timestep: float = 0.01, …" and a line of documentation for each. */
template <typename Def>
static void describe(Method &m, const Def &usual, const std::string &summary, const char *result)
{
    std::string arguments, lines;
    auto add = [&](const std::string &name, const std::string &type, const std::string &value,
                   const std::string &doc) {
        arguments += ", " + name + ": " + type + " = " + value;
        if (!doc.empty()) lines += "\n    " + name + ": " + doc;
    };
    for (const Special<Def> &s : specials<Def>())
        add(s.name, s.type, strstr(s.type, "None") ? "None" : "...", s.doc);
    for (const Field &f : fields_of<Def>()) {
        bool special = false;
        for (const Special<Def> &s : specials<Def>()) special |= strcmp(s.name, f.name) == 0;
        if (special || !is_keyword(f)) continue;
        nb::object value = f.get((const char *)&usual + f.offset, f.of);
        bool plain = f.type.find("Mapping") == std::string::npos;
        add(f.name, f.type, plain ? nb::cast<std::string>(nb::repr(value)) : "...", f.doc);
    }
    m.signature = "def " + m.name + "(self, *" + arguments + ") -> " + result;
    std::string text = about<Def>();
    m.doc = summary + (text.empty() ? "" : "\n\n" + text) + "\n" + lines;
}

template <typename Def, typename Id>
static Method adds(const char *name, Def (*usual)(), Id (*add)(TnModelBuilder *, const Def *))
{
    Method m{name, "", "", nullptr};
    constexpr bool counted = !std::is_void_v<Id>;
    describe(m, usual(),
             std::string("Adds a ") + name + (counted ? " and returns its index." : "."),
             counted ? "int" : "None");
    m.act = [=](Builder &b, Maker &maker, const nb::dict &keywords, const std::string &what,
                TnSource source) -> nb::object {
        Def def = usual();
        take(maker, def, keywords, what);
        def.source = source;
        if constexpr (counted) {
            Id id = add(b.made.get(), &def);
            if (id > 0) return nb::int_((int)id - 1);
            raise(TN_ERROR_USAGE, what + ": a number of the definition is impossible");
        } else {
            add(b.made.get(), &def);
            return nb::none();
        }
    };
    return m;
}

/* A setting of the whole model; what is not given stays. */
template <typename Def>
static Method sets(const char *name, const Def &usual, const char *summary,
                   Def (*now)(const TnDefinitions &),
                   void (*set)(TnModelBuilder *, const Def *, TnSource))
{
    Method m{name, "", "", nullptr};
    describe(m, usual, std::string(summary) + " What is not given stays as it is.", "None");
    m.act = [=](Builder &b, Maker &maker, const nb::dict &keywords, const std::string &what,
                TnSource source) -> nb::object {
        Def def = now(tn_builder_definitions(b.made.get()));
        take(maker, def, keywords, what);
        set(b.made.get(), &def, source);
        return nb::none();
    };
    return m;
}

static TnHeightFieldDef height_field_def()
{
    TnHeightFieldDef def{};
    def.half[0] = def.half[1] = def.base = 1.0;
    return def;
}

struct Exclude { /* as a definition, for its keywords */
    TnBodyId body1, body2;
    TnSource source;
};
template <> const char *about<Exclude>() { return "Two bodies that do not collide."; }
template <> const std::vector<Field> &fields_of<Exclude>()
{
    static const std::vector<Field> fields = {
        make_field<TnBodyId>("body1", offsetof(Exclude, body1), "body", ""),
        make_field<TnBodyId>("body2", offsetof(Exclude, body2), "body", "")};
    return fields;
}

static std::vector<Method> make_methods()
{
    return {
        sets<TnOption>(
            "option", tn_option(), "Settings of the model.",
            [](const TnDefinitions &d) { return d.option; }, tn_builder_set_option),
        adds("body", tn_body_def, tn_builder_add_body),
        adds("joint", tn_joint_def, tn_builder_add_joint),
        adds("geom", tn_geom_def, tn_builder_add_geom),
        adds("site", tn_site_def, tn_builder_add_site),
        adds("camera", tn_camera_def, tn_builder_add_camera),
        adds("mesh", tn_mesh_def, tn_builder_add_mesh),
        adds("height_field", height_field_def, tn_builder_add_height_field),
        adds("rod", tn_rod_def, tn_builder_add_rod),
        adds("soft", tn_soft_def, tn_builder_add_soft),
        adds("tie", tn_tie_def, tn_builder_add_tie),
        adds("wheel", tn_wheel_def, tn_builder_add_wheel),
        adds("tendon", tn_tendon_def, tn_builder_add_tendon),
        adds("actuator", tn_actuator_def, tn_builder_add_actuator),
        adds("equality", tn_equality_def, tn_builder_add_equality),
        adds("sensor", tn_sensor_def, tn_builder_add_sensor),
        adds("key", tn_key_def, tn_builder_add_key),
        adds("pair", tn_pair_def, tn_builder_add_pair),
        adds<Exclude, void>(
            "exclude", [] { return Exclude{}; },
            [](TnModelBuilder *b, const Exclude *e) {
                tn_builder_add_exclude(b, e->body1, e->body2, e->source);
            }),
        sets<TnTrackDef>(
            "track", tn_track_def(), "Sets the control track.",
            [](const TnDefinitions &) { return tn_track_def(); },
            [](TnModelBuilder *b, const TnTrackDef *def, TnSource) {
                tn_builder_set_track(b, def);
            }),
        sets<TnView>(
            "view", TnView{}, "Sets where a free camera starts.",
            [](const TnDefinitions &d) { return d.view; },
            [](TnModelBuilder *b, const TnView *view, TnSource) { tn_builder_set_view(b, view); }),
    };
}

static const std::vector<Method> &methods()
{
    static const std::vector<Method> *list = new std::vector<Method>(make_methods());
    return *list;
}

/* ---- the builder ---- */

static std::shared_ptr<TnModelBuilder> owned(TnModelBuilder *made)
{
    if (!made) raise(TN_ERROR_MEMORY, "no memory for a builder");
    return {made, tn_builder_destroy};
}

static nb::object act(Builder &b, const Method &m, const nb::dict &keywords, TnSource source)
{
    Maker maker;
    maker.find = [&](const char *kind, nb::handle which, const std::string &what) {
        return find(b, kind, which, what);
    };
    return m.act(b, maker, keywords, m.name, source);
}

/* Makes calls again that were kept. */
static void replay(Builder &b, const nb::list &calls)
{
    for (nb::handle call : calls) {
        std::string name = nb::cast<std::string>(call[0]), file = nb::cast<std::string>(call[2]);
        TnSource source{file.c_str(), nb::cast<int>(call[3]), 1};
        if (name == "name")
            tn_builder_set_name(b.made.get(), nb::cast<std::string>(call[1]).c_str());
        for (const Method &m : methods())
            if (name == m.name) act(b, m, nb::cast<nb::dict>(call[1]), source);
        b.calls.append(call);
    }
}

/* Definitions of its own again, after a model took them along. */
static void unshare(Builder &b)
{
    if (!b.shared) return;
    Builder fresh;
    fresh.made = b.base.is_none() ? owned(tn_builder_create()) : load_builder(b.base);
    replay(fresh, b.calls);
    b.made = fresh.made;
    b.names.clear();
    b.shared = false;
}

static nb::object add(Builder &b, const Method &m, const nb::dict &keywords)
{
    unshare(b);
    nb::object frame = nb::module_::import_("sys").attr("_getframe")();
    std::string file = nb::cast<std::string>(frame.attr("f_code").attr("co_filename"));
    int line = nb::cast<int>(frame.attr("f_lineno"));
    nb::object copy = nb::module_::import_("copy").attr("deepcopy")(keywords);
    nb::object result = act(b, m, nb::cast<nb::dict>(copy), TnSource{file.c_str(), line, 1});
    b.calls.append(nb::make_tuple(m.name, copy, file, line));
    return result;
}

static void set_name(Builder &b, const std::string &name)
{
    unshare(b);
    tn_builder_set_name(b.made.get(), name.c_str());
    b.calls.append(nb::make_tuple("name", name, "", 0));
}

static nb::object copy_of(const nb::list &list)
{
    return nb::steal(PyList_GetSlice(list.ptr(), 0, PY_SSIZE_T_MAX));
}

static nb::tuple mesh_arrays(TnTetMesh mesh, bool sheet, bool good, const TnError &err)
{
    if (!good) raise(err);
    double *nodes;
    Array all = new_array({(size_t)mesh.node_count, 3}, &nodes);
    std::copy(mesh.nodes, mesh.nodes + 3 * (size_t)mesh.node_count, nodes);
    size_t width = sheet ? 3 : 4, count = (size_t)mesh.tet_count;
    auto *elements = new int32_t[width * count + 1];
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < width; k++) elements[width * i + k] = mesh.tets[4 * i + k];
    nb::capsule owner(elements, [](void *p) noexcept { delete[] static_cast<int32_t *>(p); });
    tn_tet_mesh_free(&mesh);
    return nb::make_tuple(all, nb::ndarray<nb::numpy, int32_t>(elements, {count, width}, owner));
}

static void bind_meshes(nb::module_ &m)
{
    m.def("_box_mesh", [](nb::object half, nb::object cells, int per_cell) {
        Maker maker;
        Error err;
        TnTetMesh mesh{};
        int three;
        const double *h = keep_doubles(maker, half, {3}, "half");
        const int32_t *c = keep_integers(maker, cells, {3}, "cells", &three);
        bool good = tn_tet_mesh_box(h, c, per_cell, &mesh, &err);
        return mesh_arrays(mesh, false, good, err);
    });
    m.def("_cylinder_mesh", [](double radius, double half_length, int rings, int layers) {
        Error err;
        TnTetMesh mesh{};
        bool good = tn_tet_mesh_cylinder(radius, half_length, rings, layers, &mesh, &err);
        return mesh_arrays(mesh, false, good, err);
    });
    m.def("_ball_mesh", [](double radius, int shells) {
        Error err;
        TnTetMesh mesh{};
        bool good = tn_tet_mesh_ball(radius, shells, &mesh, &err);
        return mesh_arrays(mesh, false, good, err);
    });
    m.def("_sheet_mesh", [](nb::object half, nb::object cells) {
        Maker maker;
        Error err;
        TnTetMesh mesh{};
        int two;
        const double *h = keep_doubles(maker, half, {2}, "half");
        const int32_t *c = keep_integers(maker, cells, {2}, "cells", &two);
        bool good = tn_sheet_mesh_rectangle(h, c, &mesh, &err);
        return mesh_arrays(mesh, true, good, err);
    });
    m.def("_load_mesh", [](const std::string &path) {
        Error err;
        TnTetMesh mesh{};
        bool good = tn_tet_mesh_load(path.c_str(), &mesh, &err);
        return mesh_arrays(mesh, false, good, err);
    });
}

void bind_builder(nb::module_ &m)
{
    nb::class_<Builder> builder(m, "Builder");
    builder
        .def("__init__",
             [](Builder *self) {
                 new (self) Builder;
                 self->made = owned(tn_builder_create());
                 self->base = nb::none();
             })
        .def("__init__",
             [](Builder *self, nb::dict base) {
                 new (self) Builder;
                 self->base = base;
                 self->made = load_builder(base);
             })
        .def_prop_rw(
            "name", [](const Builder &b) { return tn_builder_definitions(b.made.get()).name; },
            set_name, "The name of the model.")
        .def("_recipe", [](const Builder &b) { return nb::make_tuple(b.base, copy_of(b.calls)); })
        .def("_replay", replay)
        .def("_count",
             [](const Builder &b, const std::string &kind) {
                 return lookup_of(kind).count(tn_builder_definitions(b.made.get()));
             })
        .def(
            "_find",
            [](Builder &b, const std::string &kind, nb::object which) {
                return find(b, kind, which, kind) - 1;
            },
            nb::lock_self())
        .def("_rod_parts", [](const Builder &b, int rod) {
            TnRodParts parts = tn_builder_rod_parts(b.made.get(), rod + 1);
            TnDefinitions d = tn_builder_definitions(b.made.get());
            bool there = rod >= 0 && rod < d.rod_count;
            return nb::make_tuple(parts.body - 1, parts.joint - 1, parts.geom - 1,
                                  there ? d.rods[rod].def.segment_count : 0);
        });
    for (const Method &method : methods())
        builder.def(
            method.name.c_str(),
            [&method](Builder &b, nb::kwargs keywords) { return add(b, method, keywords); },
            nb::sig(method.signature.c_str()), method.doc.c_str(), nb::lock_self());
    bind_meshes(m);
}
