/* mjcf_geom.c: geoms and sites. */
#include "mjcf.h"

#include <math.h>
#include <string.h>

static const char *const type_names = "plane hfield sphere capsule ellipsoid cylinder box mesh sdf";

static bool has_length(TnGeomType type)
{
    return type == TN_GEOM_CAPSULE || type == TN_GEOM_CYLINDER || type == TN_GEOM_ELLIPSOID ||
           type == TN_GEOM_BOX;
}

/* fromto gives position, orientation and length: the middle, z from the second point to the first,
 * half their distance. */
static bool apply_fromto(TnMjcf *m, const TnMjcfView *view, const double ends[6], TnMjcfPose *pose,
                         double *half_length)
{
    const TnXmlElement *holder = view->element;
    tn_mjcf_find(view, "fromto", &holder);
    double z[3], length = 0;
    for (int i = 0; i < 3; i++) {
        z[i] = ends[i] - ends[i + 3];
        length += z[i] * z[i];
    }
    length = sqrt(length);
    if (!(length > 1e-14)) {
        tn_mjcf_error_attr(m, holder, "fromto", "fromto: the two points are the same");
        return false;
    }
    if (pose->pos[0] != 0 || pose->pos[1] != 0 || pose->pos[2] != 0) {
        tn_mjcf_error_attr(m, view->element, "pos",
                           "pos and fromto both give the position; only one may");
        return false;
    }
    for (int i = 0; i < 3; i++) {
        z[i] /= length;
        pose->pos[i] = 0.5 * (ends[i] + ends[i + 3]);
    }
    tn_mjcf_quat_from_z(z, pose->quat);
    *half_length = 0.5 * length;
    return true;
}

/* A simple shape in the place of a mesh. */
static bool fit(TnMjcf *m, const TnMjcfView *view, TnMjcfPose *pose, TnGeomDef *geom)
{
    const TnXmlElement *holder = NULL;
    tn_mjcf_find(view, "mesh", &holder);
    const TnMjcfName *mesh = tn_mjcf_refer(m, TN_NAMED_MESH, holder, "mesh");
    if (!mesh || !mesh->id) return false;
    memcpy(geom->pos, pose->pos, sizeof geom->pos);
    memcpy(geom->quat, pose->quat, sizeof geom->quat);
    if (!tn_builder_fit_geom(m->builder, geom, mesh->id,
                             m->settings.fit_extent ? TN_FIT_EXTENT : TN_FIT_INERTIA,
                             tn_mjcf_real(m, view, "fitscale", 1))) {
        tn_mjcf_error_attr(m, view->element, "mesh",
                           "no shape can be fitted to mesh '%.100s': it encloses no volume",
                           mesh->name);
        return false;
    }
    memcpy(pose->pos, geom->pos, sizeof pose->pos);
    memcpy(pose->quat, geom->quat, sizeof pose->quat);
    return true;
}

/* `clean`: nothing was wrong with the attributes by themselves; else a missing size is no news. */
static bool read_shape(TnMjcf *m, const TnMjcfView *view, bool clean, TnMjcfPose *pose,
                       TnGeomDef *geom)
{
    double ends[6], half_length;
    memset(geom->size, 0, sizeof geom->size);
    if (tn_mjcf_text(view, "mesh")) return geom->type == TN_GEOM_MESH || fit(m, view, pose, geom);
    if (geom->type != TN_GEOM_MESH) tn_mjcf_reals(m, view, "size", geom->size, 3);
    if (tn_mjcf_reals(m, view, "fromto", ends, 6) == 6) {
        if (!has_length(geom->type)) {
            tn_mjcf_error_attr(m, view->element, "fromto",
                               "fromto is for capsules, cylinders, ellipsoids and boxes only");
            return false;
        }
        if (!apply_fromto(m, view, ends, pose, &half_length)) return false;
        if (tn_geom_size_count(geom->type) == 3) {
            geom->size[1] = geom->size[0];
            geom->size[2] = half_length;
        } else {
            geom->size[1] = half_length;
        }
    }
    for (int i = 0; i < tn_geom_size_count(geom->type); i++) {
        if (geom->size[i] > 0) continue;
        if (clean)
            tn_mjcf_error_attr(
                m, view->element, "size", "size: a geom of this type needs %d positive number%s",
                tn_geom_size_count(geom->type), tn_geom_size_count(geom->type) == 1 ? "" : "s");
        return false;
    }
    return true;
}

/* Finds the asset; a refused one has said what is wrong. */
static bool mesh_geom(TnMjcf *m, const TnMjcfView *view, TnGeomDef *geom)
{
    const TnXmlElement *holder = NULL;
    if (!tn_mjcf_find(view, "mesh", &holder)) {
        tn_mjcf_error(m, view->element, "attribute 'mesh' is missing");
        return false;
    }
    const TnMjcfName *mesh = tn_mjcf_refer(m, TN_NAMED_MESH, holder, "mesh");
    geom->type = TN_GEOM_MESH;
    geom->mesh = mesh ? mesh->id : 0;
    return geom->mesh != 0;
}

/* A height field is a mesh without mass. */
static bool hfield_geom(TnMjcf *m, const TnMjcfView *view, TnGeomDef *geom)
{
    const TnXmlElement *holder = NULL;
    if (!tn_mjcf_find(view, "hfield", &holder)) {
        tn_mjcf_error(m, view->element, "attribute 'hfield' is missing");
        return false;
    }
    const TnMjcfName *field = tn_mjcf_refer(m, TN_NAMED_HFIELD, holder, "hfield");
    geom->type = TN_GEOM_MESH;
    geom->mesh = field ? field->id : 0;
    geom->mass = geom->density = 0;
    return geom->mesh != 0;
}

static bool read_type(TnMjcf *m, const TnMjcfView *view, TnGeomDef *geom)
{
    int type = tn_mjcf_word(view, "type", type_names, TN_GEOM_SPHERE);
    if (type == TN_GEOM_MESH) return mesh_geom(m, view, geom);
    if (type == TN_GEOM_HEIGHT_FIELD) return hfield_geom(m, view, geom);
    if (type > TN_GEOM_MESH) return mesh_geom(m, view, geom); /* an sdf: its mesh is decomposed */
    if (type == TN_GEOM_PLANE && tn_mjcf_text(view, "mesh")) {
        tn_mjcf_error_attr(m, view->element, "mesh", "a plane cannot be fitted to a mesh");
        return false;
    }
    geom->type = (TnGeomType)type;
    return true;
}

/* A material colours a geom that has no colour of its own, which is to say MuJoCo's default grey.
 */
static void read_colour(TnMjcf *m, const TnMjcfView *view, TnGeomDef *geom)
{
    const double grey[4] = {0.5, 0.5, 0.5, 1};
    memcpy(geom->rgba, grey, sizeof grey);
    tn_mjcf_reals(m, view, "rgba", geom->rgba, 4);
    const TnXmlElement *holder = NULL;
    if (!tn_mjcf_find(view, "material", &holder)) { /* a mesh may bring one */
        const TnXmlAttr *attr = tn_mjcf_find(view, "mesh", NULL);
        const TnMjcfName *mesh = attr ? tn_mjcf_name_find(m, TN_NAMED_MESH, attr->value) : NULL;
        holder = mesh ? mesh->data : NULL;
        if (!holder) return;
    }
    const TnMjcfName *material = tn_mjcf_refer(m, TN_NAMED_MATERIAL, holder, "material");
    if (!material) return;
    geom->material = material->id;
    if (memcmp(geom->rgba, grey, sizeof grey) == 0) memcpy(geom->rgba, material->data, sizeof grey);
}

static void read_mass(TnMjcf *m, const TnMjcfView *view, TnGeomDef *geom)
{
    const TnMjcfSettings *s = &m->settings;
    geom->density = tn_mjcf_real(m, view, "density", 1000);
    geom->mass = tn_mjcf_real(m, view, "mass", -1);
    geom->shell = tn_mjcf_bool(view, "shellinertia", false);
    bool counts = s->inertia_from_geom != TN_TRI_FALSE && geom->group >= s->inertia_group[0] &&
                  geom->group <= s->inertia_group[1];
    if (!counts) geom->mass = 0;
}

void tn_mjcf_override(TnMjcf *m, const TnXmlElement *element, double friction[3], double *margin)
{
    const double *f = m->settings.override_friction;
    if (!m->settings.override) return;
    if (f[0] != f[1] || f[3] != f[4])
        tn_mjcf_error(
            m, element,
            "o_friction of <option> depends on the direction, which is not supported yet");
    friction[0] = f[0];
    friction[1] = f[2];
    friction[2] = f[3];
    *margin = m->settings.override_margin;
}

void tn_mjcf_surface(TnMjcf *m, const TnMjcfView *view, TnGeomDef *geom)
{
    geom->group = tn_mjcf_int(m, view, "group", 0);
    read_colour(m, view, geom);
    geom->contact_type = tn_mjcf_int(m, view, "contype", 1);
    geom->contact_affinity = tn_mjcf_int(m, view, "conaffinity", 1);
    if (!m->settings.contact) geom->contact_type = geom->contact_affinity = 0;
    geom->contact_dim = tn_mjcf_int(m, view, "condim", 3);
    geom->priority = tn_mjcf_int(m, view, "priority", 0);
    geom->friction[0] = 1;
    geom->friction[1] = 0.005;
    geom->friction[2] = 0.0001;
    tn_mjcf_reals(m, view, "friction", geom->friction, 3);
    geom->margin = tn_mjcf_real(m, view, "margin", 0);
    tn_mjcf_override(m, view->element, geom->friction, &geom->margin);
    if (m->settings.override) geom->margin *= 0.5; /* the other geom of a contact adds its half */
    geom->fluid_ellipsoid = tn_mjcf_word(view, "fluidshape", "none ellipsoid", 0) == 1;
    tn_mjcf_reals(m, view, "fluidcoef", geom->fluid_coef, 5);
}

bool tn_mjcf_geom(TnMjcf *m, const TnXmlElement *element, const TnMjcfClass *class_,
                  const TnMjcfPose *frame, TnGeomDef *out)
{
    int before = m->err.count;
    if (!tn_mjcf_check_leaf(m, TN_GROUP_BODY, element)) return false;
    TnMjcfView view = tn_mjcf_view(m, element, class_, "geom");
    bool clean = m->err.count == before;
    TnGeomDef geom = tn_geom_def();
    geom.source = tn_xml_place(element);
    geom.name = tn_mjcf_text(&view, "name");
    TnMjcfPose pose = tn_mjcf_pose(m, &view);
    tn_mjcf_surface(m, &view, &geom);
    read_mass(m, &view, &geom);
    bool good = read_type(m, &view, &geom) && read_shape(m, &view, clean, &pose, &geom);
    const TnMjcfName *restitution =
        geom.name ? tn_mjcf_name_find(m, TN_NAMED_RESTITUTION, geom.name) : NULL;
    if (restitution) geom.restitution = *(const double *)restitution->data;
    pose = tn_mjcf_compose(frame, &pose);
    memcpy(geom.pos, pose.pos, sizeof geom.pos);
    memcpy(geom.quat, pose.quat, sizeof geom.quat);
    *out = geom;
    /* A refused geom is still known by name, so that what refers to it raises no second error. */
    if (!good) tn_mjcf_name_add(m, TN_NAMED_GEOM, element, geom.name, 0, NULL);
    return good;
}

void tn_mjcf_site(TnMjcf *m, const TnXmlElement *element, const TnMjcfClass *class_,
                  const TnMjcfPose *frame, TnBodyId body)
{
    if (!tn_mjcf_check_leaf(m, TN_GROUP_BODY, element)) return;
    TnMjcfView view = tn_mjcf_view(m, element, class_, "site");
    TnMjcfPose pose = tn_mjcf_pose(m, &view);
    double ends[6], half_length = 0.0;
    bool has_ends = tn_mjcf_reals(m, &view, "fromto", ends, 6) == 6 &&
                    apply_fromto(m, &view, ends, &pose, &half_length);
    const TnXmlElement *holder = NULL;
    if (tn_mjcf_find(&view, "material", &holder))
        tn_mjcf_refer(m, TN_NAMED_MATERIAL, holder, "material");
    pose = tn_mjcf_compose(frame, &pose);
    TnSiteDef site = tn_site_def();
    site.name = tn_mjcf_text(&view, "name");
    site.body = body;
    memcpy(site.pos, pose.pos, sizeof site.pos);
    memcpy(site.quat, pose.quat, sizeof site.quat);
    static const TnGeomType types[] = {TN_GEOM_SPHERE, TN_GEOM_CAPSULE, TN_GEOM_ELLIPSOID,
                                       TN_GEOM_CYLINDER, TN_GEOM_BOX};
    int type = tn_mjcf_word(&view, "type", "sphere capsule ellipsoid cylinder box", 0);
    site.type = types[type < 0 ? 0 : type];
    tn_mjcf_reals(m, &view, "size", site.size, 3);
    if (has_ends && (site.type == TN_GEOM_CAPSULE || site.type == TN_GEOM_CYLINDER)) {
        site.size[1] = half_length;
    } else if (has_ends) {
        site.size[1] = site.size[0];
        site.size[2] = half_length;
    }
    site.source = tn_xml_place(element);
    TnSiteId id = tn_builder_add_site(m->builder, &site);
    TnBodyId *of = TN_IO_NEW(&m->pool, TnBodyId);
    if (!of) return;
    *of = body;
    tn_mjcf_name_add(m, TN_NAMED_SITE, element, site.name, id, of);
}
