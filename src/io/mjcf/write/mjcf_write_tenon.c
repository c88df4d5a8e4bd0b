/* mjcf_write_tenon.c: the element <tenon>: what MJCF has no spelling for. A model that needs none
 * of it has no such element, so that other programs read it, too. */
#include "mjcf_write.h"

#include <stdio.h>
#include <string.h>

/* ---- settings ---- */

static void write_settings(TnWriter *w)
{
    static const TnField fields[] = {
        TN_REAL(TnOption, "theta", theta),
        TN_INT(TnOption, "tree_passes", tree_passes),
        TN_INT(TnOption, "substeps", substeps),
        TN_REAL(TnOption, "accuracy", accuracy),
        TN_REAL(TnOption, "stabilization", stabilization),
        TN_REAL(TnOption, "contact_stiffness", contact_stiffness),
    };
    const TnOption *option = &w->d.option, usual = tn_option();
    const TnDivisionDef *division = &option->division;
    TN_WRITE_FIELDS(w, fields, option, &usual);
    if (division->kind == TN_DIVISION_GROUPS)
        tn_write_int(w, "division", division->group_size);
    else if (division->kind != TN_DIVISION_AUTO)
        tn_write_text(w, "division", division->kind == TN_DIVISION_WHOLE ? "whole" : "paper");
    if (division->pieces) tn_write_int(w, "pieces", division->pieces);
}

static void write_geoms(TnWriter *w)
{
    for (int i = 0; i < w->d.geom_count; i++) {
        const TnGeomDef *geom = &w->d.geoms[i];
        if (geom->restitution == 0 || geom->type == TN_GEOM_SOFT || w->rod_of_geom[i] >= 0)
            continue;
        tn_write_open(w, "geom");
        tn_write_text(w, "name", tn_write_name(w, TN_WRITTEN_GEOM, i + 1));
        tn_write_real(w, "restitution", geom->restitution);
        tn_write_close(w);
    }
}

static void write_meshes(TnWriter *w)
{
    static const TnField fields[] = {
        TN_WORDS(TnMeshDef, "collision", collision, "hull triangles decompose"),
    };
    const TnMeshDef usual = tn_mesh_def();
    for (int i = 0; i < w->d.mesh_count; i++) {
        if (w->d.meshes[i].collision == usual.collision) continue;
        tn_write_open(w, "mesh");
        tn_write_text(w, "name", tn_write_name(w, TN_WRITTEN_MESH, i + 1));
        TN_WRITE_FIELDS(w, fields, &w->d.meshes[i], &usual);
        tn_write_close(w);
    }
}

/* ---- rods ---- */

/* What a segment has beside its own geom, and its names where the rod's do not give them. */
static void write_segment(TnWriter *w, const TnRodEntry *rod, int i)
{
    int body = rod->parts.body - 1 + i, geom = rod->parts.geom - 1 + i;
    char usual[256] = "";
    if (rod->def.name[0]) snprintf(usual, sizeof usual, "%s_%d", rod->def.name, i);
    const char *body_name = tn_write_own_name(w, TN_WRITTEN_BODY, body + 1);
    const char *geom_name = tn_write_own_name(w, TN_WRITTEN_GEOM, geom + 1);
    bool named = strcmp(body_name, usual) != 0 || strcmp(geom_name, usual) != 0;
    bool more = w->next_geom[geom] >= 0 || w->body_geom[body] != geom || w->body_site[body] >= 0 ||
                w->body_camera[body] >= 0;
    for (int k = 0; k < w->d.light_count; k++)
        if (w->d.lights[k].body == body + 1)
            tn_write_error(w, "light", w->d.lights[k].name, k + 1, w->d.lights[k].source,
                           "a segment of a rod has no lights in MJCF");
    if (w->next_joint[w->body_joint[body]] >= 0)
        tn_write_error(w, "body", body_name, body + 1, rod->def.source,
                       "a segment of a rod has no joints of its own");
    if (!named && !more) return;
    tn_write_open(w, "segment");
    tn_write_int(w, "index", i);
    if (named) tn_write_text(w, "body", body_name);
    if (named) tn_write_text(w, "geom", geom_name);
    if (!more) {
        tn_write_close(w);
        return;
    }
    tn_write_inner(w);
    tn_write_parts(w, body);
    tn_write_end(w, "segment");
}

static void write_rod(TnWriter *w, int r)
{
    static const TnField fields[] = {
        TN_REALS(TnRodDef, "normal", normal, 3),
        TN_REAL(TnRodDef, "radius", radius),
        TN_REAL(TnRodDef, "density", density),
        TN_REAL(TnRodDef, "young", youngs_modulus),
        TN_REAL(TnRodDef, "poisson", poisson_ratio),
        TN_REAL(TnRodDef, "bend", bend_modulus),
        TN_REAL(TnRodDef, "twist", twist_modulus),
        TN_REAL(TnRodDef, "damping", damping_time),
        TN_BOOL(TnRodDef, "straight", straight_rest),
        TN_INT(TnRodDef, "group", group_size),
        TN_BOOL(TnRodDef, "self_contact", self_contact),
        TN_INT(TnRodDef, "contype", contact_type),
        TN_INT(TnRodDef, "conaffinity", contact_affinity),
        TN_INT(TnRodDef, "condim", contact_dim),
        TN_INT(TnRodDef, "priority", priority),
        TN_REALS(TnRodDef, "friction", friction, 3),
        TN_REAL(TnRodDef, "restitution", restitution),
        TN_REAL(TnRodDef, "margin", margin),
        TN_INT(TnRodDef, "drawing_group", group),
        TN_REALS(TnRodDef, "rgba", rgba, 4),
    };
    const TnRodEntry *rod = &w->d.rods[r];
    const TnRodDef *def = &rod->def, usual = tn_rod_def();
    tn_write_open(w, "rod");
    tn_write_text(w, "name", def->name);
    tn_write_int(w, "after", w->rod_place[r]);
    if (def->points) {
        tn_write_reals(w, "points", def->points, 3 * (def->segment_count + 1));
    } else {
        tn_write_reals(w, "start", def->start, 3);
        tn_write_reals(w, "end", def->end, 3);
        tn_write_int(w, "segments", def->segment_count);
    }
    TN_WRITE_FIELDS(w, fields, def, &usual);
    tn_write_inner(w);
    for (int i = 0; i < def->segment_count && rod->parts.body; i++) write_segment(w, rod, i);
    tn_write_end(w, "rod");
}

/* ---- wheels ---- */

static void write_wheel(TnWriter *w, int i)
{
    static const TnField fields[] = {
        TN_REALS(TnWheelDef, "pos", pos, 3),
        TN_REALS(TnWheelDef, "axle", axle, 3),
        TN_REAL(TnWheelDef, "radius", radius),
        TN_WORDS(TnWheelDef, "roll", kind, "rolling skate"),
        TN_REALS(TnWheelDef, "normal", normal, 3),
        TN_BOOL(TnWheelDef, "keep", keep_height),
    };
    const TnWheelDef *wheel = &w->d.wheels[i], usual = tn_wheel_def();
    tn_write_open(w, "wheel");
    tn_write_text(w, "name", wheel->name);
    tn_write_text(w, "body", tn_write_name(w, TN_WRITTEN_BODY, wheel->body));
    TN_WRITE_FIELDS(w, fields, wheel, &usual);
    tn_write_close(w);
}

/* ---- soft bodies ---- */

static void write_vtk(TnWriter *w, const TnTetMesh *mesh, TnText *text)
{
    TnText *main_text = w->out;
    char digits[3][TN_NUMBER_TEXT];
    w->out = text;
    tn_write_format(w,
                    "# vtk DataFile Version 3.0\ntetrahedra\nASCII\nDATASET UNSTRUCTURED_GRID\n");
    tn_write_format(w, "POINTS %d double\n", mesh->node_count);
    for (int i = 0; i < mesh->node_count; i++) {
        for (int k = 0; k < 3; k++) tn_write_digits(mesh->nodes[3 * i + k], digits[k]);
        tn_write_format(w, "%s %s %s\n", digits[0], digits[1], digits[2]);
    }
    tn_write_format(w, "CELLS %d %d\n", mesh->tet_count, 5 * mesh->tet_count);
    for (int i = 0; i < mesh->tet_count; i++) {
        const int32_t *t = mesh->tets + 4 * i;
        tn_write_format(w, "4 %d %d %d %d\n", t[0], t[1], t[2], t[3]);
    }
    tn_write_format(w, "CELL_TYPES %d\n", mesh->tet_count);
    for (int i = 0; i < mesh->tet_count; i++) tn_write_raw(w, "10\n", 3);
    w->out = main_text;
}

/* Of a sheet, whose elements are a b c c. */
static void write_triangles(TnWriter *w, const TnTetMesh *mesh, TnText *text)
{
    TnText *main_text = w->out;
    char digits[3][TN_NUMBER_TEXT];
    w->out = text;
    for (int i = 0; i < mesh->node_count; i++) {
        for (int k = 0; k < 3; k++) tn_write_digits(mesh->nodes[3 * i + k], digits[k]);
        tn_write_format(w, "v %s %s %s\n", digits[0], digits[1], digits[2]);
    }
    for (int i = 0; i < mesh->tet_count; i++) {
        const int32_t *t = mesh->tets + 4 * i;
        tn_write_format(w, "f %d %d %d\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
    w->out = main_text;
}

/* Nodes of one body in a row share an element. */
static void write_holds(TnWriter *w, const TnSoftDef *def)
{
    for (int i = 0, end; i < def->hold_count; i = end) {
        TnBodyId body = def->holds[i].body;
        bool pinned = body == TN_BODY_WORLD;
        tn_write_open(w, pinned ? "pin" : "hold");
        if (!pinned) tn_write_text(w, "body", tn_write_name(w, TN_WRITTEN_BODY, body));
        tn_write_format(w, " nodes=\"");
        for (end = i; end < def->hold_count && def->holds[end].body == body; end++)
            tn_write_format(w, "%s%d", end > i ? " " : "", def->holds[end].node);
        tn_write_raw(w, "\"", 1);
        tn_write_close(w);
    }
}

static void write_soft(TnWriter *w, int i)
{
    static const TnField fields[] = {
        TN_REAL(TnSoftDef, "thickness", thickness),
        TN_REAL(TnSoftDef, "stretch_modulus", stretch_modulus),
        TN_REALS(TnSoftDef, "pos", pos, 3),
        TN_REALS(TnSoftDef, "quat", quat, 4),
        TN_REAL(TnSoftDef, "young", youngs_modulus),
        TN_REAL(TnSoftDef, "poisson", poisson_ratio),
        TN_WORDS(TnSoftDef, "law", law, "corotational neohookean"),
        TN_REAL(TnSoftDef, "damping", damping_stiffness),
        TN_REAL(TnSoftDef, "mass_damping", damping_mass),
        TN_INT(TnSoftDef, "pieces", pieces),
        TN_BOOL(TnSoftDef, "self_contact", self_contact),
        TN_REAL(TnSoftDef, "radius", radius),
        TN_INT(TnSoftDef, "contype", contact_type),
        TN_INT(TnSoftDef, "conaffinity", contact_affinity),
        TN_INT(TnSoftDef, "condim", contact_dim),
        TN_INT(TnSoftDef, "priority", priority),
        TN_REALS(TnSoftDef, "friction", friction, 3),
        TN_REAL(TnSoftDef, "restitution", restitution),
        TN_REAL(TnSoftDef, "margin", margin),
        TN_INT(TnSoftDef, "group", group),
        TN_REALS(TnSoftDef, "rgba", rgba, 4),
    };
    const TnSoftDef *def = &w->d.softs[i].def, usual = tn_soft_def();
    const char *name = tn_write_name(w, TN_WRITTEN_SOFT, i + 1);
    TnText *text;
    bool sheet = def->thickness > 0;
    const char *file = tn_write_beside(w, name, sheet ? ".obj" : ".vtk", &text);
    if (!file) return;
    (sheet ? write_triangles : write_vtk)(w, &def->mesh, text);
    tn_write_open(w, "soft");
    tn_write_text(w, "name", name);
    tn_write_text(w, "file", file);
    TN_WRITE_FIELDS(w, fields, def, &usual);
    if (def->mass >= 0)
        tn_write_real(w, "mass", def->mass);
    else
        tn_write_real(w, "density", def->density);
    if (def->no_stretch_force) tn_write_text(w, "stretch", "false");
    if (def->no_bend_force) tn_write_text(w, "bend", "false");
    if (def->consistent_mass) tn_write_text(w, "mass_matrix", "consistent");
    if (!def->mean_dilatation) tn_write_text(w, "mean_dilatation", "false");
    tn_write_inner(w);
    write_holds(w, def);
    tn_write_end(w, "soft");
}

/* Ties of the same two bodies in a row share an element, where their nodes ascend as the reader
 * will add them. */
static void write_ties(TnWriter *w)
{
    for (int i = 0, end; i < w->d.tie_count; i = end) {
        const TnTieDef *first = &w->d.ties[i];
        if (first->name && first->name[0])
            tn_write_error(w, "tie", first->name, i + 1, first->source,
                           "ties have no names in a file");
        tn_write_open(w, "tie");
        tn_write_text(w, "soft1", tn_write_name(w, TN_WRITTEN_SOFT, first->soft1));
        tn_write_text(w, "soft2", tn_write_name(w, TN_WRITTEN_SOFT, first->soft2));
        tn_write_format(w, " nodes=\"%d", first->node);
        for (end = i + 1; end < w->d.tie_count; end++) {
            const TnTieDef *tie = &w->d.ties[end];
            if (tie->soft1 != first->soft1 || tie->soft2 != first->soft2 ||
                tie->node <= w->d.ties[end - 1].node)
                break;
            tn_write_format(w, " %d", tie->node);
        }
        tn_write_raw(w, "\"", 1);
        tn_write_close(w);
    }
}

/* ---- the control track ---- */

static void write_track(TnWriter *w)
{
    const TnTrackDef *track = w->d.track;
    if (!track) return;
    TnText *text, *main_text = w->out;
    char digits[TN_NUMBER_TEXT];
    const char *file = tn_write_beside(w, "track", ".csv", &text);
    if (!file) return;
    w->out = text;
    tn_write_format(w, "time");
    for (int i = 0; i < w->d.actuator_count; i++) {
        const char *name = tn_write_name(w, TN_WRITTEN_ACTUATOR, i + 1);
        if (strpbrk(name, ",\n"))
            tn_write_error(w, "actuator", name, i + 1, w->d.actuators[i].source,
                           "a name with a comma has no place in the control track");
        tn_write_format(w, ",%s", name);
    }
    for (int k = 0; k < track->row_count; k++) {
        tn_write_format(w, "\n%s", tn_write_digits(track->times[k], digits));
        for (int i = 0; i < w->d.actuator_count; i++)
            tn_write_format(w, ",%s",
                            tn_write_digits(track->ctrl[k * w->d.actuator_count + i], digits));
    }
    tn_write_raw(w, "\n", 1);
    w->out = main_text;
    tn_write_open(w, "track");
    tn_write_text(w, "file", file);
    if (track->loop_from >= 0) tn_write_int(w, "loop_from", track->loop_from);
    tn_write_close(w);
}

void tn_write_tenon(TnWriter *w)
{
    TnText *text = w->out;
    size_t start = text->size;
    tn_write_open(w, "tenon");
    size_t opened = text->size;
    write_settings(w);
    bool settings = text->size > opened;
    tn_write_inner(w);
    size_t inside = text->size;
    write_geoms(w);
    write_meshes(w);
    for (int i = 0; i < w->d.wheel_count; i++) write_wheel(w, i);
    for (int i = 0; i < w->d.soft_count; i++) write_soft(w, i);
    write_ties(w);
    write_track(w);
    for (int i = 0; i < w->d.rod_count; i++) write_rod(w, i);
    bool empty = !settings && text->size == inside;
    tn_write_end(w, "tenon");
    if (empty) text->size = start;
}
