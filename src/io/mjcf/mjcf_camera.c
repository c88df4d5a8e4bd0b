/* mjcf_camera.c: cameras, and where a free camera starts (<visual><global> and <statistic>).
 *
 * A camera may look at a body that comes later in the file, so cameras are collected while bodies
 * are read and added to the builder afterwards, in the same order. Angles of view are in degrees
 * whatever the compiler's angle says, as in MuJoCo. */
#include "mjcf.h"

#include <string.h>

#define DEGREE (M_PI / 180)

typedef struct TnMjcfCamera {
    TnCameraDef def;
    const TnXmlElement *element;
    bool needs_target;
    struct TnMjcfCamera *next;
} Camera;

static bool read_fovy(TnMjcf *m, const TnXmlElement *element, const TnMjcfView *view, double *fovy)
{
    double degrees = *fovy / DEGREE;
    if (!tn_mjcf_reals(m, view, "fovy", &degrees, 1)) return false;
    const TnXmlElement *holder = element;
    tn_mjcf_find(view, "fovy", &holder);
    if (!(degrees > 0 && degrees < 180)) {
        tn_mjcf_error_attr(m, holder, "fovy", "fovy must lie between 0 and 180 degrees (%g)",
                           degrees);
        return false;
    }
    *fovy = degrees * DEGREE;
    return true;
}

/* MuJoCo reads fovy as a length there; tenon shows such a camera in perspective. */
static bool is_orthographic(const TnMjcfView *view)
{
    return tn_mjcf_word(view, "projection", "perspective orthographic", 0) == 1 ||
           tn_mjcf_bool(view, "orthographic", false);
}

static TnCameraMode read_mode(TnMjcf *m, const TnMjcfView *view)
{
    static const char *const words = "fixed track trackcom targetbody targetbodycom";
    static const TnCameraMode modes[] = {TN_CAMERA_FIXED, TN_CAMERA_TRACK, TN_CAMERA_TRACK,
                                         TN_CAMERA_TARGET, TN_CAMERA_TARGET};
    int mode = tn_mjcf_word(view, "mode", words, 0);
    if (mode == 2 || mode == 4) {
        const TnXmlElement *holder = view->element;
        const TnXmlAttr *attr = tn_mjcf_find(view, "mode", &holder);
        tn_mjcf_remark(m, TN_REMARK_CAMERA_COM, tn_xml_attr_place(holder, attr), holder->name);
    }
    return modes[mode];
}

void tn_mjcf_camera(TnMjcf *m, const TnXmlElement *element, const TnMjcfClass *class_,
                    const TnMjcfPose *frame, TnBodyId body)
{
    if (!tn_mjcf_check_leaf(m, TN_GROUP_BODY, element)) return;
    TnMjcfView view = tn_mjcf_view(m, element, class_, "camera");
    TnMjcfPose pose = tn_mjcf_pose(m, &view);
    pose = tn_mjcf_compose(frame, &pose);
    Camera *camera = TN_IO_NEW(&m->pool, Camera);
    if (!camera) return;
    camera->element = element;
    TnCameraDef *def = &camera->def;
    *def = tn_camera_def();
    def->name = tn_mjcf_text(&view, "name");
    def->body = body;
    def->source = tn_xml_place(element);
    memcpy(def->pos, pose.pos, sizeof def->pos);
    memcpy(def->quat, pose.quat, sizeof def->quat);
    if (!is_orthographic(&view)) read_fovy(m, element, &view, &def->fovy);
    def->mode = read_mode(m, &view);
    double pixels[2];
    for (int k = 0, n = tn_mjcf_reals(m, &view, "resolution", pixels, 2); n == 2 && k < 2; k++)
        if (pixels[k] >= 1.0 && pixels[k] <= 1e6) def->resolution[k] = (int)pixels[k];
    if (m->last_camera)
        m->last_camera->next = camera;
    else
        m->cameras = camera;
    m->last_camera = camera;
}

void tn_mjcf_finish_cameras(TnMjcf *m)
{
    for (Camera *camera = m->cameras; camera; camera = camera->next) {
        const TnXmlElement *e = camera->element;
        const TnMjcfName *target = tn_mjcf_refer(m, TN_NAMED_BODY, e, "target");
        TnCameraDef *def = &camera->def;
        def->target = target ? target->id : 0;
        /* nothing to look at: it keeps its direction, as in MuJoCo */
        if (def->mode == TN_CAMERA_TARGET && !tn_xml_attr(e, "target")) def->mode = TN_CAMERA_FIXED;
        TnCameraId id = tn_builder_add_camera(m->builder, def);
        tn_mjcf_name_add(m, TN_NAMED_CAMERA, e, def->name, id, def);
    }
}

/* ---- the free camera ---- */

static void remark_rest(TnMjcf *m, const TnXmlElement *e, const char *read)
{
    for (int i = 0; i < e->attr_count; i++)
        if (tn_mjcf_word_index(read, e->attrs[i].name) < 0) {
            tn_mjcf_remark(m, TN_REMARK_DRAWING, tn_xml_attr_place(e, &e->attrs[i]), e->name);
            return;
        }
}

static void read_global(TnMjcf *m, const TnXmlElement *e)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    const struct {
        const char *name;
        double *angle;
    } angles[2] = {{"azimuth", &m->view.azimuth}, {"elevation", &m->view.elevation}};
    for (int i = 0; i < 2; i++) {
        double degrees;
        if (!tn_mjcf_reals(m, &view, angles[i].name, &degrees, 1)) continue;
        *angles[i].angle = degrees * DEGREE;
        m->view.has_angles = true;
    }
    /* an orthographic fovy is a length, and such a view is not drawn */
    if (!tn_mjcf_bool(&view, "orthographic", false)) read_fovy(m, e, &view, &m->view.fovy);
    remark_rest(m, e, "azimuth elevation fovy");
}

static void read_haze(TnMjcf *m, const TnXmlElement *e)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    double rgba[4];
    if (tn_mjcf_reals(m, &view, "haze", rgba, 4)) {
        memcpy(m->view.haze, rgba, sizeof m->view.haze);
        m->view.has_haze = true;
    }
    remark_rest(m, e, "haze");
}

void tn_mjcf_read_visual(TnMjcf *m, const TnXmlElement *e)
{
    for (const TnXmlElement *child = e->first; child; child = child->next) {
        if (!tn_mjcf_check_leaf(m, TN_GROUP_VISUAL, child)) continue;
        if (strcmp(child->name, "global") == 0)
            read_global(m, child);
        else if (strcmp(child->name, "headlight") == 0)
            tn_mjcf_headlight(m, child);
        else if (strcmp(child->name, "rgba") == 0)
            read_haze(m, child);
        else
            remark_rest(m, child, "");
    }
}

void tn_mjcf_read_statistic(TnMjcf *m, const TnXmlElement *e)
{
    TnMjcfView view = tn_mjcf_plain_view(e);
    if (tn_mjcf_reals(m, &view, "center", m->view.center, 3) == 3) m->view.has_center = true;
    if (tn_mjcf_reals(m, &view, "extent", &m->view.extent, 1) == 1) m->view.has_extent = true;
    remark_rest(m, e, "center extent");
}

/* What MuJoCo takes where only one of the two angles is written. */
void tn_mjcf_start_view(TnMjcf *m)
{
    m->view = (TnView){.azimuth = 90 * DEGREE,
                       .elevation = -45 * DEGREE,
                       .headlight_ambient = {0.1, 0.1, 0.1},
                       .headlight_diffuse = {0.4, 0.4, 0.4},
                       .headlight_specular = {0.5, 0.5, 0.5}};
}
