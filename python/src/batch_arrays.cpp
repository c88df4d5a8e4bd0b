/* batch_arrays.cpp: questions to all worlds of a batch. The arrays are made in Python
 * (_arrays.py), which knows their shapes. */
#include "batch.h"

using Out = nb::ndarray<double, nb::c_contig, nb::device::cpu>;
using OutBytes = nb::ndarray<uint8_t, nb::c_contig, nb::device::cpu>;
using OutInts = nb::ndarray<int32_t, nb::c_contig, nb::device::cpu>;

static double *numbers_of(nb::handle array) { return nb::cast<Out>(array).data(); }

/* Python counts from 0; -1: none. */
static void count_from_zero(TnBatchContact *contacts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        contacts[i].contact.geom1--;
        contacts[i].contact.geom2--;
        contacts[i].body1--;
        contacts[i].body2--;
    }
}

/* `into`: arrays by the names of TnBatchArrays, contacts as bytes. Their rows are written. */
static void arrays(const Batch &b, const nb::dict &into, int room, nb::object mask)
{
    BatchData &data = open(b);
    Bytes keep;
    TnBatchArrays out{};
    out.mask = mask_of(data, mask, keep);
    out.contact_room = room;
    for (auto [key, array] : into) {
        std::string name = nb::cast<std::string>(key);
        if (name == "body_poses")
            out.body_poses = numbers_of(array);
        else if (name == "body_velocities")
            out.body_velocities = numbers_of(array);
        else if (name == "body_reactions")
            out.body_reactions = numbers_of(array);
        else if (name == "contact_wrenches")
            out.contact_wrenches = numbers_of(array);
        else if (name == "site_poses")
            out.site_poses = numbers_of(array);
        else if (name == "site_velocities")
            out.site_velocities = numbers_of(array);
        else if (name == "geom_poses")
            out.geom_poses = numbers_of(array);
        else if (name == "geom_velocities")
            out.geom_velocities = numbers_of(array);
        else if (name == "actuator_force")
            out.actuator_forces = numbers_of(array);
        else if (name == "sensors")
            out.sensors = numbers_of(array);
        else if (name == "contacts")
            out.contacts = reinterpret_cast<TnBatchContact *>(nb::cast<OutBytes>(array).data());
        else if (name == "contact_counts")
            out.contact_counts = nb::cast<OutInts>(array).data();
        else
            raise(TN_ERROR_USAGE, "there is no array '" + name + "'");
    }
    call_batch(data, [&](TnBatch *batch, TnError *err) {
        TnStatus status = tn_batch_arrays(batch, &out, err);
        for (int i = 0; status == TN_OK && out.contacts && i < data.view.count; i++)
            if (!out.mask || out.mask[i])
                count_from_zero(out.contacts + (size_t)i * (size_t)room, (size_t)room);
        return status;
    });
}

static Array jacobian(const Batch &b, int body, nb::object points)
{
    BatchData &data = open(b);
    Doubles keep;
    const double *at = optional_doubles(points, {data.view.count, 3}, "point", keep);
    double *numbers;
    Array result = new_array({(size_t)data.view.count, 6, (size_t)data.view.dof_count}, &numbers);
    call_batch(data, [&](TnBatch *batch, TnError *err) {
        return tn_batch_jacobian(batch, body + 1, at, numbers, err);
    });
    return result;
}

static Array site_jacobian(const Batch &b, int site)
{
    BatchData &data = open(b);
    double *numbers;
    Array result = new_array({(size_t)data.view.count, 6, (size_t)data.view.dof_count}, &numbers);
    call_batch(data, [&](TnBatch *batch, TnError *err) {
        return tn_batch_site_jacobian(batch, site + 1, numbers, err);
    });
    return result;
}

static nb::object cast_rays(const Batch &b, nb::object origins, nb::object directions,
                            uint32_t groups, bool skip_fixed, int exclude, double max_distance)
{
    BatchData &data = open(b);
    Doubles from = doubles(origins, {data.view.count, -1, 3}, "origins");
    size_t each = from.shape(1);
    Doubles along = doubles(directions, {data.view.count, (long)each, 3}, "directions");
    std::vector<TnRay> rays((size_t)data.view.count * each);
    for (size_t i = 0; i < rays.size(); i++)
        for (size_t k = 0; k < 3; k++) {
            rays[i].origin[k] = from.data()[3 * i + k];
            rays[i].direction[k] = along.data()[3 * i + k];
        }
    TnRayFilter filter{groups, skip_fixed, exclude + 1, max_distance};
    void *bytes;
    nb::object result = new_bytes(rays.size(), sizeof(TnRayHit), &bytes);
    auto *hits = static_cast<TnRayHit *>(bytes);
    call_batch(data, [&](TnBatch *batch, TnError *err) {
        return tn_batch_cast_rays(batch, rays.data(), (int)each, &filter, hits, err);
    });
    for (size_t i = 0; i < rays.size(); i++) hits[i].geom--;
    return result;
}

void bind_batch_arrays(nb::class_<Batch> &batch)
{
    batch.def("_arrays", arrays, nb::arg(), nb::arg(), nb::arg().none())
        .def("_jacobian", jacobian, nb::arg(), nb::arg().none())
        .def("_site_jacobian", site_jacobian)
        .def("_cast_rays", cast_rays,
             nb::sig("def _cast_rays(self, origins: object, directions: object, groups: int, "
                     "skip_fixed: bool, exclude: int, most: float, /) -> "
                     "numpy.typing.NDArray[numpy.uint8]"));
}
