/* mjcf_settings.c: compiler, option, size, statistic, visual, custom: settings of the whole model;
 * and assets.
 *
 * Sections of the same name may come several times (through includes); later attributes win, as in
 * MuJoCo. */
#include "../../base/base.h"
#include "mjcf.h"

#include <string.h>

static void read_eulerseq(TnMjcf *m, const TnXmlElement *e)
{
    const TnXmlAttr *attr = tn_xml_attr(e, "eulerseq");
    if (!attr) return;
    if (strlen(attr->value) != 3 || strspn(attr->value, "xyzXYZ") != 3) {
        tn_mjcf_error_attr(m, e, "eulerseq",
                           "eulerseq is three letters of x, y, z, X, Y, Z; it is '%.20s'",
                           attr->value);
        return;
    }
    memcpy(m->settings.eulerseq, attr->value, 4);
}

static void read_compiler(TnMjcf *m, const TnXmlElement *e)
{
    TnMjcfSettings *s = &m->settings;
    TnMjcfView view = tn_mjcf_plain_view(e);
    if (tn_xml_attr(e, "angle"))
        s->angle = tn_mjcf_word(&view, "angle", "degree radian", 0) == 1 ? 1 : TN_PI / 180;
    read_eulerseq(m, e);
    s->autolimits = tn_mjcf_bool(&view, "autolimits", s->autolimits);
    s->inertia_from_geom = (TnMjcfTri)tn_mjcf_word(&view, "inertiafromgeom", "false true auto",
                                                   (int)s->inertia_from_geom);
    double group[2] = {s->inertia_group[0], s->inertia_group[1]};
    tn_mjcf_reals(m, &view, "inertiagrouprange", group, 2);
    for (int i = 0; i < 2; i++) s->inertia_group[i] = (int)group[i];
    s->bound_mass = tn_mjcf_real(m, &view, "boundmass", s->bound_mass);
    s->bound_inertia = tn_mjcf_real(m, &view, "boundinertia", s->bound_inertia);
    s->balance_inertia = tn_mjcf_bool(&view, "balanceinertia", s->balance_inertia);
    s->align_free = tn_mjcf_bool(&view, "alignfree", s->align_free);
    double total = tn_mjcf_real(m, &view, "settotalmass", -1);
    if (tn_xml_attr(e, "settotalmass") && e->scope == 0)
        m->option.total_mass = total > 0 ? total : 0;
    if (tn_mjcf_bool(&view, "fusestatic", false))
        tn_mjcf_remark(m, TN_REMARK_FUSE, tn_xml_place(e), e->name);
    s->strip_path = tn_mjcf_bool(&view, "strippath", s->strip_path);
    s->exact_mesh_inertia = tn_mjcf_bool(&view, "exactmeshinertia", s->exact_mesh_inertia);
    s->fit_extent = tn_mjcf_bool(&view, "fitaabb", s->fit_extent);
    /* assetdir stands for meshdir and texturedir */
    const TnXmlAttr *folder = tn_xml_attr(e, "meshdir");
    if (!folder) folder = tn_xml_attr(e, "assetdir");
    if (folder) s->mesh_folder = folder->value;
    folder = tn_xml_attr(e, "texturedir");
    if (!folder) folder = tn_xml_attr(e, "assetdir");
    if (folder) s->texture_folder = folder->value;
    for (const TnXmlElement *child = e->first; child; child = child->next) {
        if (!tn_mjcf_check_leaf(m, TN_GROUP_COMPILER, child)) continue;
        TnMjcfView lengths = tn_mjcf_plain_view(child);
        s->lengths_by_limits = tn_mjcf_bool(&lengths, "uselimit", s->lengths_by_limits);
    }
}

static void read_flag(TnMjcf *m, const TnXmlElement *e)
{
    if (!tn_mjcf_check_leaf(m, TN_GROUP_OPTION, e)) return;
    TnMjcfSettings *s = &m->settings;
    const struct {
        const char *name;
        bool *on;
    } switches[] = {{"contact", &s->contact},       {"limit", &s->limit},
                    {"equality", &s->equality},     {"frictionloss", &s->friction_loss},
                    {"spring", &s->spring},         {"damper", &s->damper},
                    {"clampctrl", &s->clamp_ctrl},  {"gravity", &s->gravity},
                    {"actuation", &s->actuation},   {"override", &s->override},
                    {"constraint", &s->constraint}, {"passive", &s->passive}};
    TnMjcfView view = tn_mjcf_plain_view(e);
    for (size_t i = 0; i < sizeof switches / sizeof switches[0]; i++)
        *switches[i].on =
            tn_mjcf_word(&view, switches[i].name, "disable enable", *switches[i].on) != 0;
    if (tn_xml_attr(e, "filterparent"))
        m->option.parents_collide = tn_mjcf_word(&view, "filterparent", "disable enable", 1) == 0;
}

/* Groups whose actuators are off. */
static void read_disabled_groups(TnMjcf *m, const TnXmlElement *e)
{
    int count;
    const double *groups = tn_mjcf_real_list(m, e, "actuatorgroupdisable", &count);
    if (tn_xml_attr(e, "actuatorgroupdisable")) m->settings.disabled_groups = 0;
    for (int i = 0; i < count; i++) {
        if (groups[i] >= 0 && groups[i] <= 30)
            m->settings.disabled_groups |= 1u << (unsigned)groups[i];
        else
            tn_mjcf_error_attr(m, e, "actuatorgroupdisable", "groups to disable are 0 to 30");
    }
}

static void read_option(TnMjcf *m, const TnXmlElement *e)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    m->option.timestep = tn_mjcf_real(m, &view, "timestep", m->option.timestep);
    tn_mjcf_reals(m, &view, "gravity", m->option.gravity, 3);
    tn_mjcf_reals(m, &view, "magnetic", m->option.magnetic, 3);
    m->settings.override_margin = tn_mjcf_real(m, &view, "o_margin", m->settings.override_margin);
    int count = tn_mjcf_reals(m, &view, "o_friction", m->settings.override_friction, 5);
    if (count == 1) tn_mjcf_remark(m, TN_REMARK_ROUND, tn_xml_place(e), e->name);
    if (count == 1) m->settings.override_friction[1] = m->settings.override_friction[0];
    read_disabled_groups(m, e);
    tn_mjcf_reals(m, &view, "wind", m->option.wind, 3);
    m->option.density = tn_mjcf_real(m, &view, "density", m->option.density);
    m->option.viscosity = tn_mjcf_real(m, &view, "viscosity", m->option.viscosity);
    m->option_place = tn_xml_place(e);
    for (const TnXmlElement *child = e->first; child; child = child->next) read_flag(m, child);
}

static void read_custom(TnMjcf *m, const TnXmlElement *e)
{
    tn_mjcf_remark(m, TN_REMARK_USER, tn_xml_place(e), e->name);
    for (const TnXmlElement *child = e->first; child; child = child->next)
        tn_mjcf_check(m, TN_GROUP_CUSTOM,
                      child); /* a tuple has elements, which mean nothing here either */
}

static void read_top(TnMjcf *m, const TnXmlElement *e)
{
    if (strcmp(e->name, "body") == 0 || strcmp(e->name, "frame") == 0) {
        tn_mjcf_remark(m, TN_REMARK_STRAY, tn_xml_place(e), e->name);
        return;
    }
    if (!tn_mjcf_check(m, TN_GROUP_TOP, e)) return;
    if (strcmp(e->name, "compiler") == 0)
        read_compiler(m, e);
    else if (strcmp(e->name, "option") == 0)
        read_option(m, e);
    else if (strcmp(e->name, "custom") == 0)
        read_custom(m, e);
    else if (strcmp(e->name, "visual") == 0)
        tn_mjcf_read_visual(m, e);
    else if (strcmp(e->name, "statistic") == 0)
        tn_mjcf_read_statistic(m, e);
    else if (strcmp(e->name, "size") == 0)
        tn_mjcf_remark(m, TN_REMARK_SIZE, tn_xml_place(e), e->name);
}

/* MuJoCo's defaults of <compiler>. */
static void start_compiler(TnMjcfSettings *s)
{
    s->angle = TN_PI / 180;
    memcpy(s->eulerseq, "xyz", 4);
    s->autolimits = true;
    s->inertia_from_geom = TN_TRI_AUTO;
    s->inertia_group[0] = 0;
    s->inertia_group[1] = 5;
    s->bound_mass = s->bound_inertia = 0;
    s->balance_inertia = s->strip_path = s->exact_mesh_inertia = s->align_free = false;
    s->mesh_folder = NULL;
}

static void finish_flags(TnMjcf *m)
{
    TnMjcfSettings *s = &m->settings;
    if (!s->gravity) memset(m->option.gravity, 0, sizeof m->option.gravity);
    if (!s->constraint) s->contact = s->limit = s->equality = s->friction_loss = false;
    if (!s->passive) s->spring = s->damper = false; /* a flag of older versions of MuJoCo */
}

void tn_mjcf_read_settings(TnMjcf *m)
{
    m->settings = (TnMjcfSettings){.contact = true,
                                   .limit = true,
                                   .equality = true,
                                   .friction_loss = true,
                                   .spring = true,
                                   .damper = true,
                                   .clamp_ctrl = true,
                                   .gravity = true,
                                   .actuation = true,
                                   .constraint = true,
                                   .passive = true,
                                   .override_friction = {1, 1, 0.005, 0.0001, 0.0001}};
    start_compiler(&m->settings);
    m->option = tn_option();
    m->option.timestep = 0.002; /* MuJoCo's default, which files count on */
    m->option_place = tn_xml_place(m->root);
    tn_mjcf_start_view(m);
    tn_mjcf_check(m, TN_GROUP_ROOT, m->root);
    for (const TnXmlElement *e = m->root->first; e; e = e->next) read_top(m, e);
    finish_flags(m);
}

/* ---- scopes ---- */

static void mark_scope(TnXmlElement *e, int scope)
{
    e->scope = scope;
    for (TnXmlElement *child = e->first; child; child = child->next) mark_scope(child, scope);
}

static bool append_scope(TnMjcf *m, const TnMjcfScope *scope)
{
    if (m->scope_count == m->scope_room) {
        int room = m->scope_room ? 2 * m->scope_room : 4;
        TnMjcfScope *scopes = tn_io_alloc(&m->pool, (size_t)room * sizeof *scopes);
        if (!scopes) return false;
        if (m->scope_count) memcpy(scopes, m->scopes, (size_t)m->scope_count * sizeof *scopes);
        m->scopes = scopes;
        m->scope_room = room;
    }
    m->scopes[m->scope_count++] = *scope;
    return true;
}

bool tn_mjcf_add_scope(TnMjcf *m, TnXmlElement *root, const char *directory, int *scope)
{
    if (!m->scope_count && !append_scope(m, &(TnMjcfScope){m->settings, m->main_directory}))
        return false;
    TnMjcfSettings before = m->settings;
    *scope = m->scope_count;
    m->settings = m->scopes[0].settings; /* flags are those of the main file */
    start_compiler(&m->settings);
    mark_scope(root, *scope);
    for (const TnXmlElement *e = root->first; e; e = e->next) {
        int present = m->scope;
        m->scope = *scope; /* so that reading does not leave it */
        if (strcmp(e->name, "compiler") == 0 && tn_mjcf_check(m, TN_GROUP_TOP, e))
            read_compiler(m, e);
        m->scope = present;
    }
    bool good = append_scope(m, &(TnMjcfScope){m->settings, directory});
    m->settings = before;
    return good;
}

void tn_mjcf_enter(TnMjcf *m, const TnXmlElement *element)
{
    if (element->scope == m->scope || element->scope >= m->scope_count) return;
    m->scope = element->scope;
    m->settings = m->scopes[m->scope].settings;
    m->main_directory = m->scopes[m->scope].directory;
}

/* ---- assets ---- */

/* The name of an asset is that of its file, less folder and extension, where none is given. */
static const char *asset_name(TnMjcf *m, const TnXmlElement *e)
{
    const TnXmlAttr *name = tn_xml_attr(e, "name"), *file = tn_xml_attr(e, "file");
    if (name && name->value[0]) return name->value;
    if (!file) return NULL;
    const char *slash = strrchr(file->value, '/');
    const char *start = slash ? slash + 1 : file->value;
    const char *dot = strrchr(start, '.');
    return tn_io_copy(&m->pool, start, dot ? (size_t)(dot - start) : strlen(start));
}

static void read_texture_or_mesh(TnMjcf *m, const TnXmlElement *e)
{
    int before = m->err.count;
    bool texture = strcmp(e->name, "texture") == 0, mesh = strcmp(e->name, "mesh") == 0;
    if (strcmp(e->name, "skin") == 0) {
        tn_mjcf_check(m, TN_GROUP_ASSET, e); /* its bones mean nothing here either */
        tn_mjcf_remark(m, TN_REMARK_SKIN, tn_xml_place(e), e->name);
        return;
    }
    bool hfield = strcmp(e->name, "hfield") == 0;
    if (strcmp(e->name, "material") == 0 || !tn_mjcf_check_leaf(m, TN_GROUP_ASSET, e)) return;
    const char *name = texture || mesh || hfield ? asset_name(m, e) : NULL;
    if (texture) {
        TnTextureId id = m->err.count == before ? tn_mjcf_texture(m, e, name) : 0;
        tn_mjcf_name_add(m, TN_NAMED_TEXTURE, e, name, id, NULL);
    }
    if (hfield) {
        TnMeshId id = m->err.count == before ? tn_mjcf_hfield(m, e, name) : 0;
        tn_mjcf_name_add(m, TN_NAMED_HFIELD, e, name, id, e);
    }
    if (mesh) {
        /* one that is refused keeps its name, so that its geoms raise no second error */
        TnMeshId id = m->err.count == before ? tn_mjcf_mesh(m, e, name) : 0;
        tn_mjcf_name_add(m, TN_NAMED_MESH, e, name, id, e);
    }
}

void tn_mjcf_read_assets(TnMjcf *m)
{
    tn_mjcf_find_sdfs(m);
    tn_mjcf_each_child(m, "asset", read_texture_or_mesh);
    tn_mjcf_each_child(m, "asset", tn_mjcf_material);
}
