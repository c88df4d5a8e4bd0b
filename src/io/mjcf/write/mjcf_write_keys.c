/* mjcf_write_keys.c: keyframes.
 *
 * Coordinates are in the order of subsystems, and within one in that of bodies. C calls may add
 * bodies in another order than depth first, which is the order of a file: then the numbers of each
 * joint move to where the file has it. */
#include "mjcf_write.h"

#include <string.h>

typedef struct Order {
    int *joints; /* as they come in qpos */
    int count;
} Order;

static const int qpos_size[] = {
    [TN_JOINT_FREE] = 7, [TN_JOINT_BALL] = 4, [TN_JOINT_SLIDE] = 1, [TN_JOINT_HINGE] = 1};
static const int dof_size[] = {
    [TN_JOINT_FREE] = 6, [TN_JOINT_BALL] = 3, [TN_JOINT_SLIDE] = 1, [TN_JOINT_HINGE] = 1};

/* The body whose subsystem it is in; -1: it does not move. */
static int root_of(const TnWriter *w, int body)
{
    int root = -1;
    if (w->rod_of_body[body] >= 0) return w->d.rods[w->rod_of_body[body]].parts.body - 1;
    for (int b = body; b > 0; b = w->d.bodies[b].parent - 1)
        if (w->body_joint[b] >= 0) root = b;
    return root;
}

/* Joints subsystem by subsystem, where bodies come in this sequence. */
static bool order_joints(TnWriter *w, const int *sequence, int count, Order *out)
{
    size_t room = (size_t)w->d.body_count + 1;
    int *rank = tn_io_alloc(&w->pool, room * sizeof *rank);   /* of a root, from 1 */
    int *first = tn_io_alloc(&w->pool, room * sizeof *first); /* of a rank */
    int *bodies = tn_io_alloc(&w->pool, room * sizeof *bodies);
    out->joints = tn_io_alloc(&w->pool, ((size_t)w->d.joint_count + 1) * sizeof *out->joints);
    if (!rank || !first || !bodies || !out->joints) return false;
    int ranks = 0, start = 0;
    for (int i = 0; i < count; i++) {
        int root = root_of(w, sequence[i]);
        if (root < 0) continue;
        if (!rank[root]) rank[root] = ++ranks;
        first[rank[root]]++;
    }
    for (int r = 1; r <= ranks; r++) {
        int size = first[r];
        first[r] = start;
        start += size;
    }
    for (int i = 0; i < count; i++) {
        int root = root_of(w, sequence[i]);
        if (root >= 0) bodies[first[rank[root]]++] = sequence[i];
    }
    out->count = 0;
    for (int i = 0; i < start; i++)
        for (int j = w->body_joint[bodies[i]]; j >= 0; j = w->next_joint[j])
            out->joints[out->count++] = j;
    return true;
}

/* Bodies as the reader will add them. */
static int file_sequence(const TnWriter *w, int *out)
{
    int count = 0, rod = 0;
    for (int k = 1; k <= w->d.body_count; k++) {
        bool end = k == w->d.body_count || w->body_order[k] < 0;
        for (; rod < w->d.rod_count && (end || w->rod_place[rod] < k); rod++)
            for (int i = 0; i < w->d.rods[rod].def.segment_count; i++)
                out[count++] = w->d.rods[rod].parts.body - 1 + i;
        if (end) break;
        out[count++] = w->body_order[k];
    }
    return count;
}

static const double *reorder(TnWriter *w, const double *numbers, int count, const Order *from,
                             const Order *to, const int *sizes)
{
    double *out = tn_io_alloc(&w->pool, ((size_t)count + 1) * sizeof *out);
    int *place = tn_io_alloc(&w->pool, ((size_t)w->d.joint_count + 1) * sizeof *place);
    int at = 0, total = 0;
    if (!out || !place) return numbers;
    for (int i = 0; i < from->count; i++) {
        place[from->joints[i]] = total;
        total += sizes[w->d.joints[from->joints[i]].type];
    }
    memcpy(out, numbers, (size_t)count * sizeof *out); /* soft bodies come last in both */
    if (total > count) return out;                     /* compile would refuse it */
    for (int i = 0; i < to->count; i++) {
        int joint = to->joints[i], size = sizes[w->d.joints[joint].type];
        memcpy(out + at, numbers + place[joint], (size_t)size * sizeof *out);
        at += size;
    }
    return out;
}

void tn_write_keys(TnWriter *w)
{
    size_t room = (size_t)w->d.body_count + 1;
    int *sequence = tn_io_alloc(&w->pool, room * sizeof *sequence);
    Order old = {0}, new = {0};
    if (w->d.key_count == 0 || !sequence) return;
    for (int i = 1; i < w->d.body_count; i++) sequence[i - 1] = i;
    if (!order_joints(w, sequence, w->d.body_count - 1, &old) ||
        !order_joints(w, sequence, file_sequence(w, sequence), &new))
        return;
    tn_write_open(w, "keyframe");
    tn_write_inner(w);
    for (int i = 0; i < w->d.key_count; i++) {
        const TnKeyDef *key = &w->d.keys[i];
        tn_write_open(w, "key");
        tn_write_text(w, "name", key->name);
        if (key->time != 0) tn_write_real(w, "time", key->time);
        if (key->qpos_count)
            tn_write_reals(w, "qpos", reorder(w, key->qpos, key->qpos_count, &old, &new, qpos_size),
                           key->qpos_count);
        if (key->qvel_count)
            tn_write_reals(w, "qvel", reorder(w, key->qvel, key->qvel_count, &old, &new, dof_size),
                           key->qvel_count);
        if (key->ctrl_count) tn_write_reals(w, "ctrl", key->ctrl, key->ctrl_count);
        if (key->act_count) tn_write_reals(w, "act", key->act, key->act_count);
        if (key->mocap_pos_count) tn_write_reals(w, "mpos", key->mocap_pos, key->mocap_pos_count);
        if (key->mocap_quat_count)
            tn_write_reals(w, "mquat", key->mocap_quat, key->mocap_quat_count);
        tn_write_close(w);
    }
    tn_write_end(w, "keyframe");
}
