/* module.cpp: the module tenon._core. What it offers is thin; names and documentation are in the
 * Python files of the package. */
#include "common.h"

#ifndef _WIN32
#include <pthread.h>
#endif

#include <algorithm>

static std::atomic<unsigned> forks{0};
#ifndef _WIN32
static void count_fork() { forks++; }
#endif
unsigned fork_count() { return forks; }

void raise(TnStatus code, const std::string &message)
{
    static const char *const names[] = {"Error",     "UsageError",  "ModelError",
                                        "FileError", "OutOfMemory", "DeviceError"};
    int which = code >= TN_OK && code <= TN_ERROR_DEVICE ? (int)code : 0;
    nb::object kind = nb::module_::import_("tenon._errors").attr(names[which]);
    PyErr_SetString(kind.ptr(), message.c_str());
    throw nb::python_error();
}

/* A line without its place, numbers and what is quoted: lines of one kind have the same. */
static std::string kind_of(const std::string &line)
{
    std::string kind;
    bool quoted = false;
    for (char c : line) {
        if (c == '\'') quoted = !quoted;
        if (!quoted && (c < '0' || c > '9')) kind += c;
    }
    return kind;
}

/* The first things in quotes of two lines differ; "" if there is none. */
static std::string quoted_in(const std::string &line)
{
    size_t from = line.find('\''),
           to = from == std::string::npos ? from : line.find('\'', from + 1);
    return to == std::string::npos ? "" : line.substr(from, to + 1 - from);
}

/* More than three lines of one kind, such as of meshes that are all missing, become their first
 * one, which counts the others and names some. */
static std::string gathered(const std::string &message)
{
    std::vector<std::pair<std::string, std::vector<std::string>>> kinds;
    for (size_t from = 0; from < message.size();) {
        size_t to = std::min(message.find('\n', from), message.size());
        std::string line = message.substr(from, to - from), kind = kind_of(line);
        from = to + 1;
        auto same =
            std::find_if(kinds.begin(), kinds.end(), [&](auto &k) { return k.first == kind; });
        if (same == kinds.end()) same = kinds.insert(same, {kind, {}});
        same->second.push_back(line);
    }
    std::string text;
    for (auto &[kind, lines] : kinds) {
        size_t shown = lines.size() > 3 ? 1 : lines.size();
        for (size_t i = 0; i < shown; i++) text += (text.empty() ? "" : "\n") + lines[i];
        if (shown == lines.size()) continue;
        text += "; and " + std::to_string(lines.size() - 1) + " more like it";
        for (size_t i = 1; i < 4 && !quoted_in(lines[i]).empty(); i++)
            text += (i == 1 ? ": " : ", ") + quoted_in(lines[i]);
        if (lines.size() > 4) text += ", …";
    }
    return text;
}

void raise(const TnError &err) { raise(err.code, gathered(err.message)); }

static std::string shape_text(const std::vector<long> &shape)
{
    std::string text = "(";
    for (size_t i = 0; i < shape.size(); i++)
        text += (i ? ", " : "") + (shape[i] < 0 ? std::string("n") : std::to_string(shape[i]));
    return text + (shape.size() == 1 ? ",)" : ")");
}

Doubles doubles(nb::handle from, const std::vector<long> &shape, const char *what)
{
    nb::module_ numpy = nb::module_::import_("numpy");
    std::string expected =
        std::string(what) + ": expected numbers (float64) of shape " + shape_text(shape);
    nb::object array;
    try {
        array = numpy.attr("asarray")(from);
    } catch (nb::python_error &) {
        raise(TN_ERROR_USAGE, expected + ", got " + nb::cast<std::string>(nb::repr(from.type())));
    }
    std::string kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
    bool empty = nb::cast<size_t>(array.attr("size")) == 0; /* of any kind: [] is float64 */
    nb::object dtype = array.attr("dtype");
    if (!empty && kind != "f" && kind != "i" && kind != "u" && kind != "b")
        raise(TN_ERROR_USAGE, expected + ", got dtype " + nb::cast<std::string>(nb::str(dtype)));
    array = numpy.attr("ascontiguousarray")(array, numpy.attr("float64"));
    nb::tuple has = nb::cast<nb::tuple>(numpy.attr("shape")(from));
    bool fits = has.size() == shape.size();
    for (size_t i = 0; fits && i < shape.size(); i++)
        fits = shape[i] < 0 || nb::cast<long>(has[i]) == shape[i];
    if (!fits)
        raise(TN_ERROR_USAGE, expected + ", got shape " + nb::cast<std::string>(nb::str(has)));
    return nb::cast<Doubles>(array);
}

const double *optional_doubles(nb::handle from, const std::vector<long> &shape, const char *what,
                               Doubles &keep)
{
    if (from.is_none()) return nullptr;
    keep = doubles(from, shape, what);
    return keep.data();
}

Array new_array(const std::vector<size_t> &shape, double **numbers)
{
    size_t count = 1;
    for (size_t n : shape) count *= n;
    *numbers = new double[count ? count : 1]();
    nb::capsule owner(*numbers, [](void *p) noexcept { delete[] static_cast<double *>(p); });
    return Array(*numbers, shape.size(), shape.data(), owner);
}

nb::object copied(const double *from, const std::vector<size_t> &shape)
{
    double *to;
    Array out = new_array(shape, &to);
    std::copy(from, from + out.size(), to);
    return nb::cast(out);
}

nb::object new_bytes(size_t count, size_t size, void **bytes)
{
    auto *memory = new uint8_t[count * size + 1]();
    *bytes = memory;
    nb::capsule owner(memory, [](void *p) noexcept { delete[] static_cast<uint8_t *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, uint8_t>(memory, {count * size}, owner));
}

NB_MODULE(_core, m)
{
#ifndef _WIN32 /* which has no forks */
    pthread_atfork(nullptr, nullptr, count_fork);
#endif
    nb::set_leak_warnings(false); /* worlds in globals live until the interpreter has gone */
    m.def("_warn_of_leaks", [] { nb::set_leak_warnings(true); }); /* for tests */
    m.def(
        "version", [] { return tn_version(); }, "The version of the library.");
    m.def(
        "instruction_set", [] { return tn_instruction_set_name(tn_instruction_set()); },
        "The instruction set in use: portable, avx2 or avx512.");
    m.def(
        "use_instruction_set",
        [](const std::string &name) {
            for (int set = 0; set < TN_SET_COUNT; set++) {
                auto choice = static_cast<TnInstructionSet>(set);
                if (name != tn_instruction_set_name(choice)) continue;
                if (tn_use_instruction_set(choice)) return;
                raise(TN_ERROR_USAGE, "this processor does not have " + name);
            }
            raise(TN_ERROR_USAGE,
                  "no instruction set '" + name + "'; expected best, portable, avx2 or avx512");
        },
        nb::arg("name"),
        "Chooses the inner loops for the whole process, before any model is loaded: best (the "
        "widest that\nthe processor has), avx512, avx2, or portable: slower, with the same "
        "result on every "
        "processor.");
    bind_builder(m);
    bind_model(m);
    bind_solver(m);
    bind_reports(m);
    bind_world(m);
    bind_batch(m);
    bind_derivatives(m);
    bind_fit(m);
    bind_plan(m);
    bind_recorder(m);
    bind_recording(m);
    bind_renderer(m);
    bind_program(m);
}
