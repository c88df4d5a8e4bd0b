/* save.c: a state as bytes, so that a restored world continues bit for bit.
 *
 *     header   magic, version, sizes of the model, counts of contacts and ties, flags, time,
 *              checksum
 *     numbers  qpos, qvel, vhat, ctrl, act, row_lambda, owed, losses, account, mocap, mocap_target,
 * mocap_twist, equalities, tie_lambda (doubles) contacts TnWarmContact × contact_count, those of
 * sleepers behind them sleep    TnRest, then the island that it sleeps in, per subsystem
 *
 * in the byte order of the machine (another order shows as a wrong magic). restore looks at
 * everything before it touches the state. */
#include "state.h"

#include "../base/base.h"
#include "hash.h"

#include <math.h>
#include <string.h>

#define SAVE_MAGIC UINT32_C(0x534e4554) /* "TENS" on a little-endian machine */
#define SAVE_VERSION UINT32_C(7)

typedef struct SaveHeader {
    uint32_t magic, version;
    int32_t body_count, joint_count, geom_count, actuator_count, equality_count, qpos_count,
        dof_count;
    int32_t contact_count;
    uint32_t ctrl_by_user;
    int32_t tendon_count, soft_count;
    int32_t tie_count; /* of the state: between pieces of soft bodies */
    int32_t subsystem_count, sleeping_count;
    int32_t act_count, mocap_count;
    double time;
    uint64_t checksum;
} SaveHeader;

_Static_assert(sizeof(SaveHeader) == 88, "the header has no padding");
_Static_assert(sizeof(TnWarmContact) == 64, "contacts have no padding");
_Static_assert(sizeof(TnRest) == 24, "rests have no padding");

/* Over the header without the checksum itself, and all that follows. Catches damage; no guard
 * against forgery. */
static uint64_t checksum(SaveHeader header, const void *rest, size_t bytes)
{
    header.checksum = 0;
    return tn_hash_bytes(tn_hash_bytes(TN_HASH_START, &header, sizeof header), rest, bytes);
}

static size_t number_count(const TnModel *model, int tie_count)
{
    return (size_t)model->qpos_count + 2 * (size_t)model->dof_count +
           (size_t)model->actuator_count + (size_t)model->act_count +
           (size_t)tn_row_slot_count(model) + 2 * (size_t)model->subsystem_count +
           TN_ACCOUNT_NUMBERS + 20 * (size_t)model->mocap_count +
           TN_EQUALITY_NUMBERS * (size_t)model->equality_count + 3 * (size_t)tie_count;
}

static size_t bytes_for(const TnModel *model, int tie_count, int contact_count, int sleeping_count)
{
    return sizeof(SaveHeader) + number_count(model, tie_count) * sizeof(double) +
           ((size_t)contact_count + (size_t)sleeping_count) * sizeof(TnWarmContact) +
           (size_t)model->subsystem_count * (sizeof(TnRest) + sizeof(int32_t));
}

/* The arrays of a state in the order of the layout. */
typedef struct Part {
    double *data;
    size_t count;
} Part;

#define PART_COUNT 14
static void list_parts(const TnState *state, const TnModel *model, Part parts[PART_COUNT])
{
    parts[0] = (Part){state->qpos, (size_t)model->qpos_count};
    parts[1] = (Part){state->qvel, (size_t)model->dof_count};
    parts[2] = (Part){state->vhat, (size_t)model->dof_count};
    parts[3] = (Part){state->ctrl, (size_t)model->actuator_count};
    parts[4] = (Part){state->act, (size_t)model->act_count};
    parts[5] = (Part){state->row_lambda, (size_t)state->row_lambda_count};
    parts[6] = (Part){state->owed, (size_t)model->subsystem_count};
    parts[7] = (Part){state->losses, (size_t)model->subsystem_count};
    parts[8] = (Part){state->account, TN_ACCOUNT_NUMBERS};
    parts[9] = (Part){state->mocap, 7 * (size_t)model->mocap_count};
    parts[10] = (Part){state->mocap_target, 7 * (size_t)model->mocap_count};
    parts[11] = (Part){state->mocap_twist, 6 * (size_t)model->mocap_count};
    parts[12] = (Part){state->equalities, TN_EQUALITY_NUMBERS * (size_t)model->equality_count};
    parts[13] = (Part){state->tie_lambda, 3 * (size_t)state->tie_count};
}

size_t tn_state_save_size(const TnState *state, const TnModel *model)
{
    return bytes_for(model, state->tie_count, state->contact_count, state->sleeping_count);
}

static unsigned char *put(unsigned char *to, const void *from, size_t bytes)
{
    if (bytes) memcpy(to, from, bytes);
    return to + bytes;
}

static const unsigned char *take(const unsigned char *from, void *to, size_t bytes)
{
    if (bytes) memcpy(to, from, bytes);
    return from + bytes;
}

void tn_state_copy_out(const TnState *state, const TnModel *model, void *buffer)
{
    unsigned char *p = (unsigned char *)buffer + sizeof(SaveHeader);
    Part parts[PART_COUNT];
    list_parts(state, model, parts);
    for (int i = 0; i < PART_COUNT; i++) p = put(p, parts[i].data, parts[i].count * sizeof(double));
    p = put(p, state->contacts, (size_t)state->contact_count * sizeof(TnWarmContact));
    p = put(p, state->sleeping_contacts, (size_t)state->sleeping_count * sizeof(TnWarmContact));
    p = put(p, state->rest, (size_t)model->subsystem_count * sizeof(TnRest));
    p = put(p, state->asleep, (size_t)model->subsystem_count * sizeof(int32_t));

    SaveHeader header = {.magic = SAVE_MAGIC,
                         .version = SAVE_VERSION,
                         .body_count = model->body_count,
                         .joint_count = model->joint_count,
                         .geom_count = model->geom_count,
                         .actuator_count = model->actuator_count,
                         .equality_count = model->equality_count,
                         .qpos_count = model->qpos_count,
                         .dof_count = model->dof_count,
                         .contact_count = state->contact_count,
                         .ctrl_by_user = state->ctrl_by_user,
                         .tendon_count = model->tendon_count,
                         .soft_count = model->soft_count,
                         .tie_count = state->tie_count,
                         .subsystem_count = model->subsystem_count,
                         .mocap_count = model->mocap_count,
                         .sleeping_count = state->sleeping_count,
                         .act_count = model->act_count,
                         .time = state->time};
    memcpy(buffer, &header, sizeof header);
}

void tn_state_save(const TnState *state, const TnModel *model, void *buffer)
{
    SaveHeader header;
    tn_state_copy_out(state, model, buffer);
    memcpy(&header, buffer, sizeof header);
    header.checksum = checksum(header, (unsigned char *)buffer + sizeof header,
                               tn_state_save_size(state, model) - sizeof header);
    memcpy(buffer, &header, sizeof header);
}

static bool refuse(TnError *err, const char *why)
{
    tn_error_add(err, TN_ERROR_USAGE, "saved state: %s", why);
    return false;
}

static bool is_of_model(const SaveHeader *h, const TnModel *m)
{
    return h->body_count == m->body_count && h->joint_count == m->joint_count &&
           h->geom_count == m->geom_count && h->actuator_count == m->actuator_count &&
           h->equality_count == m->equality_count && h->qpos_count == m->qpos_count &&
           h->dof_count == m->dof_count && h->tendon_count == m->tendon_count &&
           h->soft_count == m->soft_count && h->act_count == m->act_count &&
           h->subsystem_count == m->subsystem_count && h->mocap_count == m->mocap_count;
}

/* Every number of the layout, of contacts and of sleep is one; quaternions are not zero. */
static bool is_finite(const TnModel *model, const SaveHeader *h, const unsigned char *start)
{
    size_t numbers = number_count(model, h->tie_count);
    double x;
    bool ok = isfinite(h->time);
    for (size_t i = 0; ok && i < numbers; i++) {
        memcpy(&x, start + i * sizeof x, sizeof x);
        ok = isfinite(x);
    }
    for (int j = 0; ok && j < model->joint_count; j++) {
        const TnJoint *joint = &model->joints[j];
        double q[4];
        if (joint->type != TN_JOINT_FREE && joint->type != TN_JOINT_BALL) continue;
        size_t at = (size_t)joint->qpos_start + (joint->type == TN_JOINT_FREE ? 3 : 0);
        memcpy(q, start + at * sizeof x, sizeof q);
        ok = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] > 0.0;
    }
    const unsigned char *p = start + numbers * sizeof x;
    for (int i = 0; ok && i < h->contact_count + h->sleeping_count; i++) {
        TnWarmContact c;
        memcpy(&c, p, sizeof c);
        p += sizeof c;
        for (int k = 0; k < 3; k++) ok = ok && isfinite(c.lambda[k]) && isfinite(c.spin[k]);
    }
    for (int s = 0; ok && s < model->subsystem_count; s++) {
        TnRest rest;
        memcpy(&rest, p, sizeof rest);
        p += sizeof rest;
        ok = isfinite(rest.early) && isfinite(rest.late) && rest.steps >= 0;
    }
    return ok;
}

static bool check_saved(SaveHeader *h, const TnModel *model, const void *buffer, size_t size,
                        TnError *err)
{
    if (!buffer || size < sizeof *h) return refuse(err, "the buffer is too short to be one");
    memcpy(h, buffer, sizeof *h);
    if (h->magic != SAVE_MAGIC) return refuse(err, "the buffer does not hold a saved state");
    if (h->version != SAVE_VERSION) return refuse(err, "it was written by another version");
    if (!is_of_model(h, model)) return refuse(err, "it belongs to another model");
    if (h->contact_count < 0 || h->tie_count < 0 || h->sleeping_count < 0 || h->ctrl_by_user > 1)
        return refuse(err, "it is damaged");
    size_t expected = bytes_for(model, h->tie_count, h->contact_count, h->sleeping_count);
    if (size < expected) return refuse(err, "the buffer is cut short");
    if (size > expected) return refuse(err, "the buffer is longer than the state in it");
    const unsigned char *start = (const unsigned char *)buffer + sizeof *h;
    if (checksum(*h, start, size - sizeof *h) != h->checksum) return refuse(err, "it is damaged");

    if (!is_finite(model, h, start)) return refuse(err, "it has numbers that are not finite");

    const unsigned char *contacts = start + number_count(model, h->tie_count) * sizeof(double);
    for (int i = 0; i < h->contact_count + h->sleeping_count; i++) {
        TnWarmContact contact;
        memcpy(&contact, contacts + (size_t)i * sizeof contact, sizeof contact);
        bool known = contact.geom1 >= 0 && contact.geom1 < model->geom_count &&
                     contact.geom2 >= 0 && contact.geom2 < model->geom_count;
        if (!known) return refuse(err, "it names geoms that do not exist");
    }
    const unsigned char *asleep =
        (const unsigned char *)buffer + size - (size_t)model->subsystem_count * sizeof(int32_t);
    for (int s = 0; s < model->subsystem_count; s++) {
        int32_t island;
        memcpy(&island, asleep + (size_t)s * sizeof island, sizeof island);
        if (island < 0 || island > model->subsystem_count)
            return refuse(err, "it names subsystems that do not exist");
    }
    return true;
}

void tn_state_copy_in(TnState *state, const TnModel *model, const void *buffer)
{
    SaveHeader header;
    memcpy(&header, buffer, sizeof header);
    const unsigned char *p = (const unsigned char *)buffer + sizeof header;
    Part parts[PART_COUNT];
    list_parts(state, model, parts);
    for (int i = 0; i < PART_COUNT; i++) {
        size_t bytes = parts[i].count * sizeof(double);
        bool fits = i != PART_COUNT - 1 || state->tie_count == header.tie_count;
        if (!fits) { /* another division: a cold start of its ties */
            if (bytes) memset(parts[i].data, 0, bytes);
            bytes = 3 * (size_t)header.tie_count * sizeof(double);
        } else if (bytes) {
            memcpy(parts[i].data, p, bytes);
        }
        p += bytes;
    }
    p = take(p, state->contacts, (size_t)header.contact_count * sizeof(TnWarmContact));
    p = take(p, state->sleeping_contacts, (size_t)header.sleeping_count * sizeof(TnWarmContact));
    p = take(p, state->rest, (size_t)model->subsystem_count * sizeof(TnRest));
    take(p, state->asleep, (size_t)model->subsystem_count * sizeof(int32_t));
    state->contact_count = header.contact_count;
    state->sleeping_count = header.sleeping_count;
    state->asleep_count = 0;
    for (int s = 0; s < model->subsystem_count; s++) state->asleep_count += state->asleep[s] != 0;
    state->ctrl_by_user = header.ctrl_by_user != 0;
    state->time = header.time;
}

TnStatus tn_state_restore(TnState *state, const TnModel *model, const void *buffer, size_t size,
                          TnError *err)
{
    SaveHeader header;
    if (!check_saved(&header, model, buffer, size, err)) return TN_ERROR_USAGE;
    /* those of sleepers come back when they wake */
    if (!tn_state_reserve_contacts(state, header.contact_count + header.sleeping_count) ||
        !tn_state_reserve_sleeping(state, header.sleeping_count)) {
        tn_error_add(err, TN_ERROR_MEMORY, "no memory for the saved contacts");
        return TN_ERROR_MEMORY;
    }
    tn_state_copy_in(state, model, buffer);
    return TN_OK;
}
