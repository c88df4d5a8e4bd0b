/* mjcf_tenon.c: the element <tenon>, for what MJCF has no spelling for (docs/mjcf.md).
 *
 *   <tenon theta="0.5" tree_passes="3" contact_stiffness="1e4" substeps="4" stabilization="0.2"
 *          division="auto">
 *     <geom name="ball" restitution="0.8"/>
 *     <mesh name="cup" collision="decompose"/>
 *     <rod name="hose" young="5e7" poisson="0.45" density="900" radius="0.01" damping="0.02"
 *     group="4"/> <wheel name="left" body="left_wheel" axle="0 1 0" radius="0.1" roll="rolling"/>
 *     <track file="stir.csv" loop_from="0"/>
 *     <soft name="beam" file="beam.msh" young="1e7"><hold body="hand" nodes="0 1"/></soft>
 *     <tie soft1="beam" soft2="block" box="0 0 1  0.1 0.1 0.1"/>
 *   </tenon>
 *
 * Soft bodies and ties are read in mjcf_soft.c, cables in mjcf_composite.c. */
#include "mjcf.h"

#include <math.h>
#include <string.h>

/* auto, whole, paper, or digits: segments in each group. */
static void read_division(TnMjcf *m, const TnXmlElement *e)
{
    const TnXmlAttr *attr = tn_xml_attr(e, "division");
    if (!attr) return;
    int kind = tn_mjcf_word_index("auto whole paper", attr->value); /* order of TnDivisionKind */
    if (kind >= 0) {
        m->option.division = (TnDivisionDef){.kind = (TnDivisionKind)kind};
        return;
    }
    const char *text = attr->value;
    double size = 0;
    bool digits = *text && !text[strspn(text, "0123456789")];
    if (!digits || tn_mjcf_number(&text, ' ', &size) != TN_NUMBER_GOOD || size < 1 || size > 1e6)
        tn_mjcf_error_attr(m, e, "division",
                           "division must be auto, whole, paper, or a number of segments from 1 to "
                           "1000000; it is '%.60s'",
                           attr->value);
    else
        m->option.division = (TnDivisionDef){TN_DIVISION_GROUPS, (int)size, 0};
}

static void read_settings(TnMjcf *m, const TnXmlElement *e)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    double theta = tn_mjcf_real(m, &view, "theta", m->option.theta);
    bool old = !tn_xml_attr(e, "tree_passes") && tn_xml_attr(e, "relinearize");
    const char *passes_name = old ? "relinearize" : "tree_passes";
    int passes = tn_mjcf_int(m, &view, passes_name, m->option.tree_passes);
    int substeps = tn_mjcf_int(m, &view, "substeps", m->option.substeps);
    double accuracy = tn_mjcf_real(m, &view, "accuracy", m->option.accuracy);
    double stabilization = tn_mjcf_real(m, &view, "stabilization", m->option.stabilization);
    double stiffness = tn_mjcf_real(m, &view, "contact_stiffness", m->option.contact_stiffness);
    if (theta < 0.5 || theta > 1)
        tn_mjcf_error_attr(m, e, "theta",
                           "theta must be between 0.5 (midpoint) and 1 (implicit Euler)");
    if (tn_xml_attr(e, "relinearize"))
        tn_mjcf_remark(m, TN_REMARK_OLD_NAME, tn_xml_place(e), "tenon");
    if (passes < 1) tn_mjcf_error_attr(m, e, passes_name, "tree_passes must be at least 1");
    if (substeps < 0 || substeps > 100)
        tn_mjcf_error_attr(m, e, "substeps", "substeps must be from 0 to 100");
    if (!(accuracy >= 0)) tn_mjcf_error_attr(m, e, "accuracy", "accuracy must be 0 or more");
    if (stabilization < 0 || stabilization > 1)
        tn_mjcf_error_attr(m, e, "stabilization", "stabilization must be between 0 and 1");
    if (!(stiffness >= 0) || isinf(stiffness))
        tn_mjcf_error_attr(m, e, "contact_stiffness", "contact_stiffness must be 0 or more");
    m->option.contact_stiffness = stiffness;
    m->option.theta = theta;
    m->option.tree_passes = passes;
    m->option.substeps = substeps;
    m->option.accuracy = accuracy;
    m->option.stabilization = stabilization;
    read_division(m, e);
    const TnXmlAttr *pieces = tn_xml_attr(e, "pieces");
    if (pieces) m->option.division.pieces = tn_mjcf_int(m, &view, "pieces", 0);
    if (pieces && (m->option.division.pieces < 1 || m->option.division.pieces > 1000000))
        tn_mjcf_error_attr(m, e, "pieces",
                           "pieces must be from 1 to 1000000: subsystems of each soft body");
    m->option_place = tn_xml_place(e);
}

static void read_geom(TnMjcf *m, const TnXmlElement *e)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    double *restitution = TN_IO_NEW(&m->pool, double);
    if (!restitution) return;
    *restitution = tn_mjcf_real(m, &view, "restitution", 0);
    if (*restitution < 0 || *restitution > 1)
        tn_mjcf_error_attr(m, e, "restitution", "restitution must be between 0 and 1");
    tn_mjcf_name_add(m, TN_NAMED_RESTITUTION, e, tn_mjcf_text(&view, "name"), 0, restitution);
}

static void read_child(TnMjcf *m, const TnXmlElement *e)
{
    bool soft = strcmp(e->name, "soft") == 0, rod = strcmp(e->name, "rod") == 0;
    bool parent = soft || rod; /* has children, read with it */
    if (!(parent ? tn_mjcf_check : tn_mjcf_check_leaf)(m, TN_GROUP_TENON, e)) return;
    if (strcmp(e->name, "geom") == 0) read_geom(m, e);
    const TnXmlAttr *name = tn_xml_attr(e, "name");
    if (strcmp(e->name, "mesh") == 0 && name) /* read with the asset */
        tn_mjcf_name_add(m, TN_NAMED_COLLISION, e, name->value, 0, e);
    if (rod && name) /* read with its cable, or among the bodies */
        tn_mjcf_name_add(m, TN_NAMED_ROD, e, name->value, 0, e);
    if (rod) tn_mjcf_note_rod(m, e);
    if (soft && name && !tn_mjcf_soft_has_shape(e)) /* read with its flexcomp */
        tn_mjcf_name_add(m, TN_NAMED_SOFT_MORE, e, name->value, 0, e);
}

void tn_mjcf_read_tenon(TnMjcf *m)
{
    for (const TnXmlElement *e = m->root->first; e; e = e->next)
        if (strcmp(e->name, "tenon") == 0) read_settings(m, e);
    tn_mjcf_each_child(m, "tenon", read_child);
}

/* Numbers that cannot be are left to the compiler, which names this place; what the file alone can
 * tell is said here, at the attribute. */
static void read_wheel(TnMjcf *m, const TnXmlElement *e)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    TnWheelDef wheel = tn_wheel_def();
    const TnMjcfName *body = tn_mjcf_refer(m, TN_NAMED_BODY, e, "body");
    wheel.name = tn_mjcf_text(&view, "name");
    wheel.source = tn_xml_place(e);
    wheel.kind = (TnWheelKind)tn_mjcf_word(&view, "roll", "rolling skate", TN_WHEEL_ROLLING);
    wheel.radius = tn_mjcf_real(m, &view, "radius", 0);
    wheel.keep_height = tn_mjcf_bool(&view, "keep", false);
    tn_mjcf_reals(m, &view, "pos", wheel.pos, 3);
    tn_mjcf_reals(m, &view, "axle", wheel.axle, 3);
    tn_mjcf_reals(m, &view, "normal", wheel.normal, 3);
    static const double zero[3] = {0, 0, 0};
    if (memcmp(wheel.axle, zero, sizeof zero) == 0)
        tn_mjcf_error_attr(m, e, "axle", "axle must not be zero");
    if (memcmp(wheel.normal, zero, sizeof zero) == 0)
        tn_mjcf_error_attr(m, e, "normal", "normal must not be zero");
    if (wheel.kind == TN_WHEEL_ROLLING && wheel.radius == 0)
        tn_mjcf_error_attr(m, e, "radius", "a rolling wheel has a radius above 0");
    if (!body) return;
    wheel.body = body->id;
    TnWheelId id = tn_builder_add_wheel(m->builder, &wheel);
    tn_mjcf_name_add(m, TN_NAMED_WHEEL, e, wheel.name, id, NULL);
}

static void finish_child(TnMjcf *m, const TnXmlElement *e)
{
    if (strcmp(e->name, "geom") == 0) tn_mjcf_refer(m, TN_NAMED_GEOM, e, "name");
    if (strcmp(e->name, "mesh") == 0) tn_mjcf_refer(m, TN_NAMED_MESH, e, "name");
    if (strcmp(e->name, "rod") == 0 && !tn_mjcf_rod_has_shape(e)) {
        tn_mjcf_refer(m, TN_NAMED_CABLE, e, "name");
        if (!tn_xml_attr(e, "name")) tn_mjcf_error(m, e, "attribute 'name' is missing");
    }
    if (strcmp(e->name, "wheel") == 0) read_wheel(m, e);
    const TnXmlAttr *file = tn_xml_attr(e, "file");
    if (strcmp(e->name, "track") != 0 || !file) return;
    if (m->track) {
        tn_mjcf_error(m, e, "a model has at most one track; the first is at line %d",
                      m->track->line);
        return;
    }
    m->track = e;
    const char *path = tn_mjcf_resolve(m, e, file->value);
    TnTrackDef track = tn_track_def();
    if (!path || !tn_mjcf_read_track(m, e, path, &track)) return;
    TnMjcfView view = tn_mjcf_plain_view(e);
    track.source = tn_xml_place(e);
    track.loop_from = tn_mjcf_int(m, &view, "loop_from", -1);
    if (track.loop_from < -1 || track.loop_from >= track.row_count)
        tn_mjcf_error_attr(m, e, "loop_from",
                           "loop_from must be a row of the track, 0 to %d, or -1 for none",
                           track.row_count - 1);
    else
        tn_builder_set_track(m->builder, &track);
}

void tn_mjcf_finish_tenon(TnMjcf *m) { tn_mjcf_each_child(m, "tenon", finish_child); }
