/* load.c: a model file, by content: the root element tells the format. */
#include "../base/base.h"
#include "mjcf_copy.h"

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
    tn_mjcf_read_equalities(m);
    tn_mjcf_read_tendons(m);
    tn_mjcf_read_actuators(m);
    tn_mjcf_read_sensors(m);
    tn_mjcf_read_keys(m);
    tn_mjcf_read_attached_keys(m);
    tn_mjcf_finish_tenon(m);
    finish_medium(m);
    tn_builder_set_option(m->builder, &m->option, m->option_place);
    tn_builder_set_view(m->builder, &m->view);
}

static bool is_mjcf(TnMjcf *m)
{
    const char *name = m->root->name;
    if (strcmp(name, "mujoco") == 0) return true;
    if (strcmp(name, "robot") == 0)
        tn_mjcf_error(m, m->root, "URDF is not supported yet");
    else
        tn_mjcf_error(m, m->root, "the root of a model file is <mujoco>, not <%.60s>", name);
    return false;
}

static TnModel *load(TnMjcf *m, const char *path)
{
    TnModel *model = NULL;
    m->root = tn_mjcf_read_tree(m, path);
    if (m->root && is_mjcf(m)) {
        m->builder = tn_builder_create();
        if (m->builder)
            tn_mjcf_interpret(m);
        else
            m->pool.failed = true;
    }
    if (m->pool.failed) { /* other complaints may only be echoes of what could not be kept */
        m->err = (TnError){0};
        tn_error_add(&m->err, TN_ERROR_MEMORY, "no memory to read '%.400s'", path);
    }
    /* Errors of the file first: compiling what is left of it would only repeat them in other words.
     */
    if (m->builder && m->err.count == 0) model = tn_builder_compile(m->builder, &m->err);
    tn_builder_destroy(m->builder);
    return model;
}

TnModel *tn_model_load_with_remarks(const char *path, TnRemarks *remarks, TnError *err)
{
    if (remarks) *remarks = (TnRemarks){0};
    if (err) *err = (TnError){0};
    if (!path || !path[0]) {
        tn_error_add(err, TN_ERROR_USAGE, "tn_model_load: no path was given");
        return NULL;
    }
    TnMjcf *m = tn_calloc(1, sizeof *m); /* holds a TnError: too big for small stacks */
    if (!m) {
        tn_error_add(err, TN_ERROR_MEMORY, "no memory to read '%.400s'", path);
        return NULL;
    }
    m->remarks = remarks;
    TnModel *model = NULL;
    m->number_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!m->number_locale) {
        tn_error_add(&m->err, TN_ERROR_MEMORY, "no memory to read '%.400s'", path);
    } else {
        model = load(m, path);
        tn_mjcf_tell_remarks(m);
        freelocale(m->number_locale);
    }
    if (err) *err = m->err;
    tn_io_pool_free(&m->pool);
    tn_free(m);
    return model;
}

TnModel *tn_model_load(const char *path, TnError *err)
{
    return tn_model_load_with_remarks(path, NULL, err);
}
