/* frame.c: where everything of a scene is at one time: read from a world, copied, blended. */
#include "../base/base.h"
#include <tenon/scene.h>

#include <math.h>
#include <string.h>

static TnStatus refuse(TnError *err, const char *why)
{
    tn_error_add(err, TN_ERROR_USAGE, "frame: %s", why);
    return TN_ERROR_USAGE;
}

static const char no_frame[] = "it must be given, and counts of 0 or more";

TnFrame *tn_frame_create(const TnScene *scene, TnError *err)
{
    if (!scene) {
        tn_error_add(err, TN_ERROR_USAGE, "no scene was given");
        return NULL;
    }
    TnFrame *frame = tn_calloc(1, sizeof *frame);
    if (frame) {
        frame->body_count = scene->body_count;
        frame->point_count = scene->point_count;
        frame->poses = tn_calloc((size_t)scene->body_count * 7 + 1, sizeof *frame->poses);
        frame->points = tn_calloc((size_t)scene->point_count * 3 + 1, sizeof *frame->points);
    }
    if (!frame || !frame->poses || !frame->points) {
        tn_frame_destroy(frame);
        tn_error_add(err, TN_ERROR_MEMORY, "no memory for a frame");
        return NULL;
    }
    for (int i = 0; i < frame->body_count; i++) frame->poses[7 * i + 3] = 1;
    return frame;
}

void tn_frame_destroy(TnFrame *frame)
{
    if (!frame) return;
    tn_free(frame->poses);
    tn_free(frame->points);
    tn_free(frame->contacts);
    tn_free(frame->qpos);
    tn_free(frame->stress);
    tn_free(frame->signals);
    tn_free(frame);
}

TnStatus tn_frame_reserve_contacts(TnFrame *frame, int count, TnError *err)
{
    if (!frame || count < 0) return refuse(err, no_frame);
    frame->contact_count = 0;
    if (count <= frame->contact_room) return TN_OK;
    int room =
        count < INT32_MAX / 2 ? count + count / 2 : count; /* contacts come and go: grow seldom */
    TnContact *contacts = tn_malloc((size_t)room * sizeof *contacts);
    if (!contacts) {
        tn_error_add(err, TN_ERROR_MEMORY, "no memory for %d contacts of a frame", count);
        return TN_ERROR_MEMORY;
    }
    tn_free(frame->contacts);
    frame->contacts = contacts;
    frame->contact_room = room;
    return TN_OK;
}

TnStatus tn_frame_reserve_state(TnFrame *frame, int qpos_count, int dof_count, int ctrl_count,
                                TnError *err)
{
    if (!frame || qpos_count < 0 || dof_count < 0 || ctrl_count < 0) return refuse(err, no_frame);
    size_t total = (size_t)qpos_count + (size_t)dof_count + (size_t)ctrl_count;
    bool same = frame->qpos && frame->qpos_count == qpos_count && frame->dof_count == dof_count &&
                frame->ctrl_count == ctrl_count;
    if (same) return TN_OK;
    tn_free(frame->qpos);
    frame->qpos = frame->qvel = frame->ctrl = NULL;
    frame->qpos_count = frame->dof_count = frame->ctrl_count = 0;
    if (total == 0) return TN_OK;
    frame->qpos = tn_malloc(total * sizeof *frame->qpos);
    if (!frame->qpos) {
        tn_error_add(err, TN_ERROR_MEMORY, "no memory for the state of a frame");
        return TN_ERROR_MEMORY;
    }
    frame->qvel = frame->qpos + qpos_count;
    frame->ctrl = frame->qvel + dof_count;
    frame->qpos_count = qpos_count;
    frame->dof_count = dof_count;
    frame->ctrl_count = ctrl_count;
    return TN_OK;
}

/* One block for both: the points' numbers, then the tetrahedra's. */
TnStatus tn_frame_reserve_stress(TnFrame *frame, int cell_count, TnError *err)
{
    if (!frame) return refuse(err, no_frame);
    if (cell_count < 0 ? !frame->stress : frame->stress && frame->cell_count == cell_count)
        return TN_OK;
    tn_free(frame->stress);
    frame->stress = frame->cell_stress = NULL;
    frame->cell_count = 0;
    if (cell_count < 0) return TN_OK;
    size_t points = (size_t)frame->point_count;
    frame->stress = tn_calloc(points + 6 * (size_t)cell_count + 1, sizeof *frame->stress);
    if (!frame->stress) {
        tn_error_add(err, TN_ERROR_MEMORY, "no memory for the stress of a frame");
        return TN_ERROR_MEMORY;
    }
    frame->cell_stress = cell_count ? frame->stress + points : NULL;
    frame->cell_count = cell_count;
    return TN_OK;
}

static TnStatus capture_state(TnFrame *frame, const TnWorld *world, TnError *err)
{
    TnStateView s = tn_world_state(world);
    TnStatus status = tn_frame_reserve_state(frame, s.qpos_count, s.dof_count, s.ctrl_count, err);
    if (status != TN_OK) return status;
    if (s.qpos_count) memcpy(frame->qpos, s.qpos, (size_t)s.qpos_count * sizeof *s.qpos);
    if (s.dof_count) memcpy(frame->qvel, s.qvel, (size_t)s.dof_count * sizeof *s.qvel);
    if (s.ctrl_count) memcpy(frame->ctrl, s.ctrl, (size_t)s.ctrl_count * sizeof *s.ctrl);
    return TN_OK;
}

/* Where a segment ends, half its length along its z axis from its centre. */
static void segment_end(const double pose[7], double half_length, double out[3])
{
    double w = pose[3], x = pose[4], y = pose[5], z = pose[6];
    const double axis[3] = {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
    for (int k = 0; k < 3; k++) out[k] = pose[k] + half_length * axis[k];
}

/* Rod by rod, as in the scene: between two segments the mean of both their ends, which lie apart
 * by what the rod is stretched and sheared. Returns where the points of soft bodies begin. */
static float *capture_rods(TnFrame *frame, const TnModel *model, int rod_count)
{
    float *to = frame->points;
    for (TnRodId id = 1; id <= rod_count; id++) {
        TnRodInfo rod = tn_model_rod_info(model, id);
        const double *poses = frame->poses + 7 * (rod.body - 1);
        int n = rod.segment_count;
        for (int i = 0; i <= n; i++, to += 3) {
            double a[3], b[3];
            if (i > 0) segment_end(poses + 7 * (i - 1), 0.5 * rod.lengths[i - 1], a);
            if (i < n) segment_end(poses + 7 * i, -0.5 * rod.lengths[i], b);
            const double *first = i > 0 ? a : b, *second = i < n ? b : a;
            for (int k = 0; k < 3; k++) to[k] = (float)(0.5 * (first[k] + second[k]));
        }
    }
    return to;
}

/* Longer ways need memory. */
enum { TENDON_POINTS = 256 };

/* Tendon by tendon. Returns where the points of soft bodies begin. */
static float *capture_tendons(const TnWorld *world, int tendon_count, float *to)
{
    const TnModel *model = tn_world_model(world);
    for (TnTendonId id = 1; id <= tendon_count; id++) {
        TnTendonInfo info = tn_model_tendon_info(model, id);
        double few[3 * TENDON_POINTS], *way = few;
        int count = 0;
        for (int branch = 0; branch < info.branch_count; branch++)
            count += tn_model_tendon_points(model, id, branch);
        if (count > TENDON_POINTS) way = tn_malloc(3 * (size_t)count * sizeof *way);
        if (way) tn_world_tendon_way(world, id, way);
        for (int k = 0; k < 3 * count; k++) *to++ = way ? (float)way[k] : 0.0f;
        if (way != few) tn_free(way);
    }
    return to;
}

static void capture_points(TnFrame *frame, const TnWorld *world, const TnModelInfo *info)
{
    const TnModel *model = tn_world_model(world);
    const double *qpos = tn_world_state(world).qpos;
    float *to = capture_rods(frame, model, info->rod_count);
    to = capture_tendons(world, info->tendon_count, to);
    for (TnSoftId id = 1; id <= info->soft_count; id++) {
        TnSoftInfo soft = tn_model_soft_info(model, id);
        for (int k = 0; k < 3 * soft.node_count; k++) *to++ = (float)qpos[soft.qpos_start + k];
    }
}

/* ---- stress ---- */

/* Elements: tetrahedra, or triangles of a sheet, which are those of its surface. */
static int element_count(const TnSoftInfo *soft)
{
    return soft->thickness > 0 ? soft->triangle_count : soft->tet_count;
}

static double rest_area(const TnSoftInfo *soft, int triangle)
{
    const int32_t *t = soft->triangles + 3 * triangle;
    double e[2][3], n[3];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            e[i][k] = soft->rest[3 * t[i + 1] + k] - soft->rest[3 * t[0] + k];
    for (int k = 0; k < 3; k++)
        n[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
    return sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

/* Six times the volume of a tetrahedron free of stress; of a triangle twice its area. */
static double rest_volume(const TnSoftInfo *soft, int tet)
{
    if (soft->thickness > 0) return rest_area(soft, tet);
    const double *x[4];
    double e[3][3];
    for (int k = 0; k < 4; k++) x[k] = soft->rest + 3 * soft->tets[4 * tet + k];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) e[i][k] = x[i + 1][k] - x[0][k];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
           e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/* `work`: a number per element, two per node, then 6 per element where cells are wanted; these are
 * those of tetrahedra. */
static TnStatus stress_of_soft(const TnWorld *world, TnSoftId id, const TnSoftInfo *soft,
                               double *work, float *of_points, float *of_cells, TnError *err)
{
    int elements = element_count(soft), corners = soft->thickness > 0 ? 3 : 4;
    const int32_t *nodes = soft->thickness > 0 ? soft->triangles : soft->tets;
    double *von_mises = work, *sum = von_mises + elements, *weight = sum + soft->node_count,
           *cells = weight + soft->node_count;
    TnStatus status = tn_world_soft_stress(world, id, of_cells ? cells : NULL, von_mises, err);
    if (status != TN_OK) return status;
    memset(sum, 0, 2 * (size_t)soft->node_count * sizeof *sum);
    for (int t = 0; t < elements; t++) {
        double volume = rest_volume(soft, t);
        for (int k = 0; k < corners; k++) {
            sum[nodes[corners * t + k]] += volume * von_mises[t];
            weight[nodes[corners * t + k]] += volume;
        }
    }
    for (int i = 0; i < soft->node_count; i++)
        of_points[i] = weight[i] > 0 ? (float)(sum[i] / weight[i]) : 0;
    for (int k = 0; of_cells && k < 6 * soft->tet_count; k++) of_cells[k] = (float)cells[k];
    return TN_OK;
}

/* Points of soft bodies are the last ones. */
static TnStatus capture_stress(TnFrame *frame, const TnWorld *world, int soft_count,
                               bool with_cells, TnError *err)
{
    const TnModel *model = tn_world_model(world);
    size_t room = 0;
    int points = 0, tets = 0;
    for (TnSoftId id = 1; id <= soft_count; id++) {
        TnSoftInfo soft = tn_model_soft_info(model, id);
        size_t need = 7 * (size_t)element_count(&soft) + 2 * (size_t)soft.node_count;
        room = need > room ? need : room;
        points += soft.node_count;
        tets += soft.tet_count;
    }
    TnStatus status = tn_frame_reserve_stress(frame, with_cells ? tets : 0, err);
    if (status != TN_OK || soft_count == 0) return status;
    double *work = tn_malloc(room * sizeof *work);
    if (!work) {
        tn_error_add(err, TN_ERROR_MEMORY, "no memory for the stress of a frame");
        return TN_ERROR_MEMORY;
    }
    float *of_points = frame->stress + frame->point_count - points, *of_cells = frame->cell_stress;
    for (TnSoftId id = 1; id <= soft_count && status == TN_OK; id++) {
        TnSoftInfo soft = tn_model_soft_info(model, id);
        status = stress_of_soft(world, id, &soft, work, of_points, of_cells, err);
        of_points += soft.node_count;
        if (of_cells) of_cells += 6 * soft.tet_count;
    }
    tn_free(work);
    return status;
}

TnStatus tn_frame_capture(TnFrame *frame, const TnWorld *world, const TnStepReport *report,
                          bool state, TnError *err)
{
    TnModelInfo info = tn_model_info(tn_world_model(world));
    if (!frame || !world || info.body_count != frame->body_count)
        return refuse(err, "frame and world must be of one model");
    frame->time = tn_world_state(world).time;
    frame->step = (int64_t)llround(frame->time / info.option.timestep);
    for (TnBodyId id = 1; id <= info.body_count; id++) {
        double *pose = frame->poses + 7 * (id - 1);
        tn_world_body_pose(world, id, pose, pose + 3);
    }
    capture_points(frame, world, &info);
    int contact_count = tn_world_contact_count(world);
    TnStatus status = tn_frame_reserve_contacts(frame, contact_count, err);
    if (status == TN_OK && frame->stress)
        status = capture_stress(frame, world, info.soft_count, state, err);
    if (status != TN_OK) return status;
    for (int k = 0; k < contact_count; k++) frame->contacts[k] = tn_world_contact(world, k);
    frame->contact_count = contact_count;
    TnEnergy energy = tn_world_energy(world);
    frame->kinetic = energy.kinetic;
    frame->potential = energy.potential;
    frame->elastic = energy.elastic;
    frame->account = tn_world_energy_account(world);
    TnStepReport none = {0};
    if (!report) report = &none;
    frame->iterations = report->iterations;
    frame->residual = report->residual;
    frame->mean_penetration = report->mean_penetration;
    frame->max_penetration = report->max_penetration;
    frame->times = report->times;
    frame->signal_count = 0;
    return state ? capture_state(frame, world, err) : tn_frame_reserve_state(frame, 0, 0, 0, err);
}

/* Everything that is no array. */
static void copy_scalars(TnFrame *to, const TnFrame *from)
{
    to->time = from->time;
    to->step = from->step;
    to->iterations = from->iterations;
    to->residual = from->residual;
    to->kinetic = from->kinetic;
    to->potential = from->potential;
    to->elastic = from->elastic;
    to->account = from->account;
    to->mean_penetration = from->mean_penetration;
    to->max_penetration = from->max_penetration;
    to->times = from->times;
}

TnStatus tn_frame_copy(TnFrame *to, const TnFrame *from, TnError *err)
{
    if (!to || !from || to->body_count != from->body_count || to->point_count != from->point_count)
        return refuse(err, "both must be of one scene");
    TnStatus status = tn_frame_reserve_contacts(to, from->contact_count, err);
    if (status == TN_OK)
        status =
            tn_frame_reserve_state(to, from->qpos_count, from->dof_count, from->ctrl_count, err);
    if (status == TN_OK)
        status = tn_frame_reserve_stress(to, from->stress ? from->cell_count : -1, err);
    if (status == TN_OK) status = tn_frame_reserve_signals(to, from->signal_count, err);
    if (status != TN_OK) return status;
    copy_scalars(to, from);
    memcpy(to->poses, from->poses, (size_t)to->body_count * 7 * sizeof *to->poses);
    memcpy(to->points, from->points, (size_t)to->point_count * 3 * sizeof *to->points);
    if (from->contact_count)
        memcpy(to->contacts, from->contacts, (size_t)from->contact_count * sizeof *to->contacts);
    to->contact_count = from->contact_count;
    size_t numbers = (size_t)from->qpos_count + (size_t)from->dof_count + (size_t)from->ctrl_count;
    if (numbers) memcpy(to->qpos, from->qpos, numbers * sizeof *to->qpos);
    size_t stresses = (size_t)from->point_count + 6 * (size_t)from->cell_count;
    if (from->stress) memcpy(to->stress, from->stress, stresses * sizeof *to->stress);
    if (from->signal_count)
        memcpy(to->signals, from->signals, (size_t)from->signal_count * sizeof *to->signals);
    return TN_OK;
}

/* Along the shorter of the two ways round, normalized. */
static void blend_quat(double out[4], const double a[4], const double b[4], double share)
{
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    double weight = dot < 0 ? -share : share, square = 0;
    for (int k = 0; k < 4; k++) {
        out[k] = (1 - share) * a[k] + weight * b[k];
        square += out[k] * out[k];
    }
    double scale = square > 0 ? 1 / sqrt(square) : 0;
    for (int k = 0; k < 4; k++) out[k] *= scale;
}

TnStatus tn_frame_blend(TnFrame *out, const TnFrame *a, const TnFrame *b, double share,
                        TnError *err)
{
    if (!out || !a || !b || out == a || out == b || a->body_count != b->body_count)
        return refuse(err, "two frames of one scene must be given, and a third one");
    TnStatus status = tn_frame_copy(out, share < 0.5 ? a : b, err);
    if (status != TN_OK) return status;
    out->time = (1 - share) * a->time + share * b->time;
    for (int i = 0; i < out->body_count; i++) {
        const double *pa = a->poses + 7 * i, *pb = b->poses + 7 * i;
        double *p = out->poses + 7 * i;
        for (int k = 0; k < 3; k++) p[k] = (1 - share) * pa[k] + share * pb[k];
        blend_quat(p + 3, pa + 3, pb + 3, share);
    }
    float late = (float)share, early = 1 - late;
    for (int k = 0; k < 3 * out->point_count; k++)
        out->points[k] = early * a->points[k] + late * b->points[k];
    for (int i = 0; a->stress && b->stress && i < out->point_count; i++)
        out->stress[i] = early * a->stress[i] + late * b->stress[i];
    return TN_OK;
}
