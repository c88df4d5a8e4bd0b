/* shapes.cpp: meshes, height fields, soft bodies and geoms from arrays, and generators of meshes.
 */
#include "keywords.h"

#include <algorithm>
#include <cmath>

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
        {"texcoords", "numpy.typing.ArrayLike | None",
         "(m, 3, 2): place of each corner of each triangle in a texture, from its upper left "
         "corner",
         [](Maker &m, TnMeshDef &d, nb::handle v, const std::string &what) {
             if (v.is_none()) return;
             const double *from = keep_doubles(m, v, {d.triangle_count, 3, 2}, what);
             float *to = m.room<float>(6 * (size_t)d.triangle_count);
             for (size_t i = 0; i < 6 * (size_t)d.triangle_count; i++) to[i] = (float)from[i];
             d.texcoords = to;
         }},
    };
    return list;
}

/* The builder copies the bytes while they are still the caller's. */
template <> const std::vector<Special<TnTextureDef>> &specials()
{
    static const std::vector<Special<TnTextureDef>> list = {
        {"pictures", "Sequence[bytes] | None",
         "PNG or JPEG files, in place of what is built in: one, or right, left, up, down, front, "
         "back",
         [](Maker &, TnTextureDef &d, nb::handle v, const std::string &what) {
             if (v.is_none()) return;
             std::vector<nb::object> all = items(v, "a list of bytes", what);
             if (all.size() != 1 && all.size() != TN_TEXTURE_FACES)
                 expected(what, "one or six pictures", v);
             for (size_t i = 0; i < all.size(); i++) {
                 if (!nb::isinstance<nb::bytes>(all[i])) expected(what, "bytes", all[i]);
                 nb::bytes file = nb::borrow<nb::bytes>(all[i]);
                 d.pictures[i].data = file.c_str();
                 d.pictures[i].size = file.size();
             }
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
             if (v.is_none()) return;
             nb::object shape = nb::module_::import_("numpy").attr("shape")(v);
             bool flat = nb::len(shape) == 1; /* six numbers, as MJCF's fromto */
             lay_between(
                 d, keep_doubles(m, v, flat ? std::vector<long>{6} : std::vector<long>{2, 3}, what),
                 what);
         }},
    };
    return list;
}

/* ---- generators ---- */

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

void bind_shapes(nb::module_ &m)
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
