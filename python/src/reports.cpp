/* reports.cpp: what a step says of itself, as objects with read-only fields: those of the headers,
 * with their comments. */
#include "fields.h"

static nb::dict by_method(const TnStepReport &r)
{
    nb::dict d;
    for (int i = 0; i < TN_METHOD_COUNT; i++)
        if (r.islands_by_method[i]) d[tn_method_name((TnMethod)i)] = r.islands_by_method[i];
    return d;
}

static nb::dict by_check(const TnStepReport &r)
{
    nb::dict d;
    for (int i = 0; i < TN_PASS_COUNT; i++)
        if (r.passes[i].asked)
            d[tn_pass_name((TnPass)i)] = get_fields(fields_of<TnPassReport>(), &r.passes[i]);
    return d;
}

/* A property for each field but those that the class has already. */
template <typename T> static void add_fields(nb::class_<T> &to)
{
    for (const Field &f : fields_of<T>()) {
        if (nb::hasattr(to, f.name)) continue;
        bool nested = f.type.find("Mapping") != std::string::npos;
        std::string type = nested ? "dict[str, float]" : f.of[0] ? "int | None" : f.type;
        std::string signature = std::string("def ") + f.name + "(self) -> " + type;
        to.def_prop_ro(
            f.name,
            [&f](const T &from) {
                return f.get(reinterpret_cast<const char *>(&from) + f.offset, f.of);
            },
            nb::sig(signature.c_str()), f.doc);
    }
}

/* "Name(field=…, …)" */
template <typename T>
static std::string text_of(const char *name, const T &from, const std::vector<const char *> &which)
{
    std::string text;
    for (const Field &f : fields_of<T>())
        for (const char *wanted : which)
            if (std::string(wanted) == f.name) {
                nb::object value = f.get(reinterpret_cast<const char *>(&from) + f.offset, f.of);
                if (nb::isinstance<nb::float_>(value))
                    value = nb::str("{:g}").attr("format")(value);
                text += (text.empty() ? "" : ", ") + std::string(f.name) + "=" +
                        nb::cast<std::string>(nb::str(value));
            }
    return std::string(name) + "(" + text + ")";
}

void bind_reports(nb::module_ &m)
{
    nb::class_<TnEnergy> energy(m, "Energy", "J, of a state.");
    energy
        .def_prop_ro(
            "total", [](const TnEnergy &e) { return e.kinetic + e.potential; },
            "kinetic plus potential")
        .def("__repr__", [](const TnEnergy &e) {
            return text_of("Energy", e, {"kinetic", "potential", "elastic"});
        });
    add_fields(energy);
    nb::class_<TnEnergyAccount> account(m, "EnergyAccount", about<TnEnergyAccount>());
    account.def("__repr__", [](const TnEnergyAccount &a) {
        return text_of("EnergyAccount", a,
                       {"actuators", "applied", "friction", "damping", "impacts", "step", "created",
                        "push_out", "unsolved"});
    });
    add_fields(account);
    nb::class_<TnStepReport> report(m, "Report", "What a step says of itself.");
    report
        .def_prop_ro("islands_by_method", by_method,
                     nb::sig("def islands_by_method(self) -> dict[str, int]"),
                     "number of islands by the method that found their solution")
        .def_prop_ro("passes", by_check, nb::sig("def passes(self) -> dict[str, dict[str, float]]"),
                     "checks that failed, by their names: times asked and repeated, and by how "
                     "much at worst")
        .def_prop_ro(
            "energy", [](const TnStepReport &r) { return r.energy; }, "of this step: the balance")
        .def("__repr__", [](const TnStepReport &r) {
            return text_of("Report", r,
                           {"converged", "diverged", "error", "iterations", "contact_count",
                            "max_penetration"});
        });
    add_fields(report);
}
