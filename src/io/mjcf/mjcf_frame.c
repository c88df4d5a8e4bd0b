/* mjcf_frame.c: positions and the five spellings of an orientation, as unit quaternions (w, x, y,
 * z).
 *
 * euler:  product of turns about the axes that eulerseq names; lower case letters turn about the
 * axes carried along (q = q1 q2 q3), upper case about the parent's axes (q = q3 q2 q1). xyaxes: x
 * is taken as given, y is made orthogonal to it, z = x × y. zaxis:  the shortest turn that carries
 * (0, 0, 1) onto the vector. */
#include "mjcf.h"

#include "../../base/rounding.h"

#include <math.h>
#include <string.h>

static double norm3(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static bool normalize3(double v[3])
{
    double n = norm3(v);
    if (!(n > 1e-14)) return false;
    for (int i = 0; i < 3; i++) v[i] /= n;
    return true;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void multiply(const double a[4], const double b[4], double out[4])
{
    double q[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                   a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                   a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                   a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, q, sizeof q);
}

static void turn(const double axis[3], double angle, double quat[4])
{
    quat[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++) quat[i + 1] = sin(angle / 2) * axis[i];
}

bool tn_mjcf_normalize_quat(double quat[4])
{
    double n = sqrt(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3]);
    if (!(n > 1e-14)) return false;
    if (fabs(n - 1) < TN_ROUND_OFF) return true;
    for (int i = 0; i < 4; i++) quat[i] /= n;
    return true;
}

void tn_mjcf_rotate(const double quat[4], const double v[3], double out[3])
{
    /* v + 2 w (u × v) + 2 u × (u × v), u the vector part */
    double t[3], s[3];
    cross(quat + 1, v, t);
    cross(quat + 1, t, s);
    for (int i = 0; i < 3; i++) out[i] = v[i] + 2 * (quat[0] * t[i] + s[i]);
}

void tn_mjcf_quat_from_z(const double z[3], double quat[4])
{
    double axis[3] = {-z[1], z[0], 0}; /* (0, 0, 1) × z */
    double s = norm3(axis);
    double angle = atan2(s, z[2]);
    if (s < 1e-10) { /* along z either way: any axis across it will do */
        axis[0] = 1;
        axis[1] = 0;
    } else {
        axis[0] /= s;
        axis[1] /= s;
    }
    turn(axis, angle, quat);
}

/* Columns x, y, z are an orthonormal right-handed frame. The largest component is taken first, to
 * divide safely. */
static void quat_from_axes(const double x[3], const double y[3], const double z[3], double quat[4])
{
    double trace = x[0] + y[1] + z[2];
    if (trace > 0) {
        double w = 0.5 * sqrt(1 + trace), k = 0.25 / w;
        quat[0] = w;
        quat[1] = k * (y[2] - z[1]);
        quat[2] = k * (z[0] - x[2]);
        quat[3] = k * (x[1] - y[0]);
    } else if (x[0] >= y[1] && x[0] >= z[2]) {
        double v = 0.5 * sqrt(fmax(0, 1 + x[0] - y[1] - z[2])), k = 0.25 / v;
        quat[0] = k * (y[2] - z[1]);
        quat[1] = v;
        quat[2] = k * (y[0] + x[1]);
        quat[3] = k * (z[0] + x[2]);
    } else if (y[1] >= z[2]) {
        double v = 0.5 * sqrt(fmax(0, 1 - x[0] + y[1] - z[2])), k = 0.25 / v;
        quat[0] = k * (z[0] - x[2]);
        quat[1] = k * (y[0] + x[1]);
        quat[2] = v;
        quat[3] = k * (z[1] + y[2]);
    } else {
        double v = 0.5 * sqrt(fmax(0, 1 - x[0] - y[1] + z[2])), k = 0.25 / v;
        quat[0] = k * (x[1] - y[0]);
        quat[1] = k * (z[0] + x[2]);
        quat[2] = k * (z[1] + y[2]);
        quat[3] = v;
    }
    tn_mjcf_normalize_quat(quat);
}

void tn_mjcf_quat_from_euler(const TnMjcfSettings *settings, const double angles[3], double quat[4])
{
    const double start[4] = {1, 0, 0, 0};
    memcpy(quat, start, sizeof start);
    for (int i = 0; i < 3; i++) {
        char letter = settings->eulerseq[i];
        bool carried = letter >= 'x' && letter <= 'z';
        double axis[3] = {0, 0, 0}, q[4];
        axis[carried ? letter - 'x' : letter - 'X'] = 1;
        turn(axis, angles[i] * settings->angle, q);
        if (carried)
            multiply(quat, q, quat);
        else
            multiply(q, quat, quat);
    }
}

static bool quat_from_xyaxes(const double xy[6], double quat[4])
{
    double x[3] = {xy[0], xy[1], xy[2]}, y[3] = {xy[3], xy[4], xy[5]}, z[3];
    if (!normalize3(x)) return false;
    double along = x[0] * y[0] + x[1] * y[1] + x[2] * y[2], length = norm3(y);
    for (int i = 0; i < 3; i++) y[i] -= along * x[i];
    if (norm3(y) < 1e-9 * length || !normalize3(y)) return false;
    cross(x, y, z);
    quat_from_axes(x, y, z, quat);
    return true;
}

/* The holder is the most specific element that spells an orientation at all. */
static const char *find_orientation(TnMjcf *m, const TnMjcfView *view, const TnXmlElement **holder)
{
    static const char *const spellings[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
    const char *found = NULL;
    const TnXmlElement *element = view->element;
    for (int i = 0; i < 5; i++) {
        if (!tn_xml_attr(element, spellings[i])) continue;
        if (found)
            tn_mjcf_error_attr(m, element, spellings[i],
                               "%s and %s both give the orientation; only one may", found,
                               spellings[i]);
        found = spellings[i];
        *holder = element;
    }
    /* A class: whichever is nearest; within one class the order of the list decides. */
    for (const TnMjcfClass *c = view->class_; c && !found; c = c->parent) {
        const TnMjcfClass alone = {.name = c->name, .sections = c->sections};
        const TnXmlElement none = {.name = element->name};
        TnMjcfView one = {.element = &none, .class_ = &alone, .tags = view->tags};
        for (int i = 0; i < 5 && !found; i++)
            if (tn_mjcf_find(&one, spellings[i], holder)) found = spellings[i];
    }
    return found;
}

void tn_mjcf_orientation(TnMjcf *m, const TnMjcfView *view, double quat[4])
{
    const double identity[4] = {1, 0, 0, 0};
    memcpy(quat, identity, sizeof identity);
    const TnXmlElement *holder = NULL;
    const char *spelling = find_orientation(m, view, &holder);
    if (!spelling) return;
    TnMjcfView own = tn_mjcf_plain_view(holder);
    double v[6] = {0};
    int wanted = strcmp(spelling, "xyaxes") == 0                                       ? 6
                 : strcmp(spelling, "quat") == 0 || strcmp(spelling, "axisangle") == 0 ? 4
                                                                                       : 3;
    if (tn_mjcf_reals(m, &own, spelling, v, 6) != wanted) return; /* reported as bad numbers */
    const char *wrong = NULL;
    if (spelling[0] == 'q') {
        if (!tn_mjcf_normalize_quat(v))
            wrong = "a quaternion of length zero gives no orientation";
        else
            memcpy(quat, v, 4 * sizeof *v);
    } else if (spelling[0] == 'a') {
        if (!normalize3(v))
            wrong = "the axis has length zero";
        else
            turn(v, v[3] * m->settings.angle, quat);
    } else if (spelling[0] == 'e') {
        tn_mjcf_quat_from_euler(&m->settings, v, quat);
    } else if (spelling[0] == 'x') {
        if (!quat_from_xyaxes(v, quat)) wrong = "the axes are parallel or have length zero";
    } else {
        if (!normalize3(v))
            wrong = "the axis has length zero";
        else
            tn_mjcf_quat_from_z(v, quat);
    }
    if (wrong) tn_mjcf_error_attr(m, holder, spelling, "%s: %s", spelling, wrong);
}

TnMjcfPose tn_mjcf_identity(void) { return (TnMjcfPose){.quat = {1, 0, 0, 0}}; }

TnMjcfPose tn_mjcf_pose(TnMjcf *m, const TnMjcfView *view)
{
    TnMjcfPose pose = tn_mjcf_identity();
    tn_mjcf_reals(m, view, "pos", pose.pos, 3);
    tn_mjcf_orientation(m, view, pose.quat);
    return pose;
}

TnMjcfPose tn_mjcf_inverse(const TnMjcfPose *pose)
{
    TnMjcfPose out = {.quat = {pose->quat[0], -pose->quat[1], -pose->quat[2], -pose->quat[3]}};
    tn_mjcf_rotate(out.quat, pose->pos, out.pos);
    for (int i = 0; i < 3; i++) out.pos[i] = -out.pos[i];
    return out;
}

TnMjcfPose tn_mjcf_compose(const TnMjcfPose *outer, const TnMjcfPose *inner)
{
    TnMjcfPose out;
    tn_mjcf_rotate(outer->quat, inner->pos, out.pos);
    for (int i = 0; i < 3; i++) out.pos[i] += outer->pos[i];
    multiply(outer->quat, inner->quat, out.quat);
    return out;
}
