/* builder.cpp: definitions by keywords. Methods, keywords, defaults and documentation come from the
 * tables of fields.h, and what is more than a field from keywords.h.
 *
 * An index of Python is an id of C less one. */
#include "builder.h"
#include "keywords.h"

#include <tenon/definitions.h>

#include <algorithm>
#include <cstring>

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

template <typename Def> static std::vector<std::string> keyword_names()
{
    std::vector<std::string> there;
    for (const Field &f : fields_of<Def>())
        if (is_keyword(f)) there.emplace_back(f.name);
    for (const Special<Def> &s : specials<Def>()) there.emplace_back(s.name);
    return there;
}

/* With our names for those of MJCF. */
template <typename Def> static nb::dict in_our_words(const nb::dict &given, const std::string &what)
{
    nb::dict keywords;
    std::vector<std::string> there = keyword_names<Def>();
    for (auto [key, value] : given) {
        std::string name = text_of(key, what), ours = our_keyword(name, there);
        if (keywords.contains(ours.c_str()))
            raise(TN_ERROR_USAGE, what + ": " + ours + " is given twice, also as " + name);
        keywords[ours.c_str()] = value;
    }
    return keywords;
}

template <typename Def>
static void take(Maker &maker, Def &def, const nb::dict &given, const std::string &what)
{
    const nb::dict keywords = in_our_words<Def>(given, what);
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
        if (const char *why = why_no_keyword(name)) {
            PyErr_SetString(PyExc_TypeError,
                            (what + ": there is no '" + name + "': " + why).c_str());
            throw nb::python_error();
        }
        no_such(PyExc_TypeError, what + ": there is no", name, keyword_names<Def>());
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
    LOOKUP(body, bodies, ),         LOOKUP(joint, joints, ),       LOOKUP(geom, geoms, ),
    LOOKUP(site, sites, ),          LOOKUP(tendon, tendons, ),     LOOKUP(actuator, actuators, ),
    LOOKUP(equality, equalities, ), LOOKUP(sensor, sensors, ),     LOOKUP(key, keys, ),
    LOOKUP(mesh, meshes, ),         LOOKUP(camera, cameras, ),     LOOKUP(rod, rods, .def),
    LOOKUP(wheel, wheels, ),        LOOKUP(soft, softs, .def),     LOOKUP(tie, ties, ),
    LOOKUP(texture, textures, ),    LOOKUP(material, materials, ), LOOKUP(light, lights, ),
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
             std::string("Adds a") + (strchr("aeiou", name[0]) ? "n " : " ") + name + (counted ? " and returns its index." : "."),
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
        adds("texture", tn_texture_def, tn_builder_add_texture),
        adds("material", tn_material_def, tn_builder_add_material),
        adds("light", tn_light_def, tn_builder_add_light),
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
    nb::object own = frame.attr("f_globals"), package = nb::str("tenon._builder");
    if (own.attr("get")("__name__").equal(package)) frame = frame.attr("f_back"); /* its caller */
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
    nb::list names; /* those with the keywords of a definition */
    for (const Method &method : methods()) names.append(method.name);
    m.attr("builder_methods") = nb::tuple(names);
    bind_shapes(m);
}
