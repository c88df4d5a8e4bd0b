/* reports.cpp: what a step says of itself, as objects with read-only fields. */
#include "common.h"

static nb::dict by_method(const TnStepReport &r)
{
    nb::dict d;
    for (int i = 0; i < TN_METHOD_COUNT; i++)
        if (r.islands_by_method[i]) d[tn_method_name((TnMethod)i)] = r.islands_by_method[i];
    return d;
}

static nb::dict times(const TnStepReport &r)
{
    nb::dict d;
    d["dynamics"] = r.times.dynamics;
    d["collision"] = r.times.collision;
    d["constraint"] = r.times.constraint;
    d["factor"] = r.times.factor;
    d["iterate"] = r.times.iterate;
    d["integrate"] = r.times.integrate;
    d["total"] = r.times.total;
    return d;
}

void bind_reports(nb::module_ &m)
{
    nb::class_<TnEnergy>(m, "Energy")
        .def_ro("kinetic", &TnEnergy::kinetic)
        .def_ro("potential", &TnEnergy::potential)
        .def_ro("elastic", &TnEnergy::elastic)
        .def_prop_ro("total", [](const TnEnergy &e) { return e.kinetic + e.potential; })
        .def("__repr__", [](const TnEnergy &e) {
            return nb::str("Energy(kinetic={:g}, potential={:g}, elastic={:g})")
                .attr("format")(e.kinetic, e.potential, e.elastic);
        });
    nb::class_<TnEnergyAccount>(m, "EnergyAccount")
        .def_ro("actuators", &TnEnergyAccount::actuators)
        .def_ro("applied", &TnEnergyAccount::applied)
        .def_ro("friction", &TnEnergyAccount::friction)
        .def_ro("damping", &TnEnergyAccount::damping)
        .def_ro("impacts", &TnEnergyAccount::impacts)
        .def_ro("step", &TnEnergyAccount::step)
        .def_ro("created", &TnEnergyAccount::created);
    nb::class_<TnStepReport>(m, "Report")
        .def_ro("converged", &TnStepReport::converged)
        .def_ro("diverged", &TnStepReport::diverged)
        .def_ro("iterations", &TnStepReport::iterations)
        .def_ro("residual", &TnStepReport::residual)
        .def_ro("error", &TnStepReport::error)
        .def_ro("rigid_error", &TnStepReport::rigid_error)
        .def_ro("rough", &TnStepReport::rough)
        .def_ro("aac", &TnStepReport::aac)
        .def_ro("aal", &TnStepReport::aal)
        .def_ro("mean_penetration", &TnStepReport::mean_penetration)
        .def_ro("max_penetration", &TnStepReport::max_penetration)
        .def_ro("island_count", &TnStepReport::island_count)
        .def_ro("asleep_count", &TnStepReport::asleep_count)
        .def_ro("contact_count", &TnStepReport::contact_count)
        .def_ro("row_count", &TnStepReport::row_count)
        .def_ro("created_share", &TnStepReport::created_share)
        .def_prop_ro("energy", [](const TnStepReport &r) { return r.energy; })
        .def_prop_ro("islands_by_method", by_method)
        .def_prop_ro("times", times)
        .def("__repr__", [](const TnStepReport &r) {
            return nb::str("Report(converged={}, diverged={}, error={:g}, iterations={}, "
                           "contact_count={}, max_penetration={:g})")
                .attr("format")(r.converged, r.diverged, r.error, r.iterations, r.contact_count,
                                r.max_penetration);
        });
}
