/* load.c: a model file, by content: the root element tells the format. */
#include "../base/base.h"
#include "../base/platform/text.h"
#include "io_reach.h"
#include "mjcf/mjcf_copy.h"
#include "sdf/sdf.h"
#include "urdf/urdf.h"

#include <string.h>

static void finish_medium(TnMjcf *m)
{
    /* MuJoCo skips all passive forces then */
    if (!m->settings.spring && !m->settings.damper) m->option.density = m->option.viscosity = 0.0;
    if (m->option.density == 0.0 && m->option.viscosity == 0.0) return;
    for (const TnMjcfName *name = m->names.first; name; name = name->later)
        if (name->kind == TN_NAMED_CABLE || name->kind == TN_NAMED_SOFT)
            tn_mjcf_remark(m, TN_REMARK_MEDIUM, tn_xml_place(name->element), name->element->name);
}

/* All sections, those first that others refer to. */
void tn_mjcf_interpret(TnMjcf *m)
{
    const TnXmlAttr *name = tn_xml_attr(m->root, "model");
    if (name) tn_builder_set_name(m->builder, name->value);
    tn_mjcf_read_settings(m);
    tn_mjcf_expand(m, m->root);
    tn_mjcf_read_tenon(m);
    tn_mjcf_read_defaults(m);
    tn_mjcf_read_assets(m);
    tn_mjcf_read_extensions(m);
    tn_mjcf_find_carriers(m);
    tn_mjcf_read_bodies(m);
    tn_mjcf_read_softs(m);
    tn_mjcf_read_contacts(m);
    tn_mjcf_read_tendons(m);
    tn_mjcf_read_equalities(m);
    tn_mjcf_read_actuators(m);
    tn_mjcf_read_sensors(m);
    tn_mjcf_read_keys(m);
    tn_mjcf_read_attached_keys(m);
    tn_mjcf_finish_tenon(m);
    finish_medium(m);
    tn_builder_set_option(m->builder, &m->option, m->option_place);
    tn_builder_set_view(m->builder, &m->view);
}

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    return length > size && tn_text_same(path + length - size, ending);
}

/* What has no root element, or need not be looked at to be known. False after an error. */
static bool is_xml_model(TnMjcf *m, const char *path)
{
    static const char *const usd[] = {".usd", ".usda", ".usdc", ".usdz"};
    const char *text = NULL;
    for (int i = 0; i < 4; i++)
        if (ends_with(path, usd[i]))
            text = "USD is read by the Python package (tenon.usd.load); or export the model as "
                   "URDF, SDF or MJCF";
    if (ends_with(path, ".xacro"))
        text = "this is a xacro file; run xacro first: xacro robot.urdf.xacro > robot.urdf";
    if (text) tn_error_at(&m->err, TN_ERROR_MODEL, (TnSource){path, 1, 1}, "model", "%s", text);
    return !text;
}

typedef enum Format { FORMAT_MJCF, FORMAT_URDF, FORMAT_SDF, FORMAT_OTHER } Format;

static Format format_of(TnMjcf *m)
{
    const char *name = m->root->name;
    if (strcmp(name, "mujoco") == 0) return FORMAT_MJCF;
    if (strcmp(name, "robot") == 0) return FORMAT_URDF;
    if (strcmp(name, "sdf") == 0) return FORMAT_SDF;
    tn_mjcf_error(m, m->root,
                  "the root of a model file is <mujoco> (MJCF), <robot> (URDF) or <sdf> (SDF), not "
                  "<%.60s>",
                  name);
    return FORMAT_OTHER;
}

static void read_definitions(TnMjcf *m, const char *path, const TnLoadDef *load)
{
    if (load->text || is_xml_model(m, path)) m->root = tn_mjcf_read_tree(m, path, load->text);
    Format format = m->root ? format_of(m) : FORMAT_OTHER;
    if (format != FORMAT_OTHER) {
        m->builder = tn_builder_create();
        if (!m->builder)
            m->pool.failed = true;
        else if (format == FORMAT_MJCF)
            tn_mjcf_interpret(m);
        else if (format == FORMAT_URDF)
            tn_urdf_interpret(m, load);
        else
            tn_sdf_interpret(m, load);
    }
    if (m->pool.failed) { /* other complaints may only be echoes of what could not be kept */
        m->err = (TnError){0};
        tn_error_add(&m->err, TN_ERROR_MEMORY, "no memory to read '%.400s'", path);
    }
    if (m->err.count == 0) return;
    if (m->builder && format == FORMAT_MJCF && !m->pool.failed) tn_mjcf_check_rest(m);
    tn_builder_destroy(m->builder);
    m->builder = NULL;
}

TnLoadDef tn_load_def(void) { return (TnLoadDef){.limit_factor = 1.0}; }

TnModelBuilder *tn_builder_load(const char *path, const TnLoadDef *def, TnRemarks *remarks,
                                TnError *err)
{
    const TnLoadDef usual = tn_load_def();
    if (remarks) *remarks = (TnRemarks){0};
    if (err) *err = (TnError){0};
    if (!path || !path[0]) {
        tn_error_add(err, TN_ERROR_USAGE, "no path of a model file was given");
        return NULL;
    }
    TnMjcf *m = tn_calloc(1, sizeof *m); /* holds a TnError: too big for small stacks */
    if (!m) {
        tn_error_add(err, TN_ERROR_MEMORY, "no memory to read '%.400s'", path);
        return NULL;
    }
    m->remarks = remarks;
    m->load = def ? def : &usual;
    m->pool.most_elements = tn_load_limit(m->load, TN_LIMIT_ELEMENTS, TN_MOST_ELEMENTS);
    read_definitions(m, path, m->load);
    tn_mjcf_tell_remarks(m);
    if (err) *err = m->err;
    TnModelBuilder *builder = m->builder;
    tn_io_pool_free(&m->pool);
    tn_free(m);
    return builder;
}

static TnModel *load_model(const char *path, const TnLoadDef *def, TnRemarks *remarks, TnError *err)
{
    TnModelBuilder *builder = tn_builder_load(path, def, remarks, err);
    TnModel *model = builder ? tn_builder_compile(builder, err) : NULL;
    tn_builder_destroy(builder);
    return model;
}

TnModel *tn_model_load_with_remarks(const char *path, TnRemarks *remarks, TnError *err)
{
    return load_model(path, NULL, remarks, err);
}

TnModel *tn_model_load_string(const char *text, const char *path, TnRemarks *remarks, TnError *err)
{
    TnLoadDef def = tn_load_def();
    if (remarks) *remarks = (TnRemarks){0};
    if (err) *err = (TnError){0};
    if (!text) {
        tn_error_add(err, TN_ERROR_USAGE, "no text of a model was given");
        return NULL;
    }
    def.text = text;
    return load_model(path && path[0] ? path : "model", &def, remarks, err);
}

TnModel *tn_model_load(const char *path, TnError *err)
{
    return tn_model_load_with_remarks(path, NULL, err);
}
