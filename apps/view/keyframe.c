/* keyframe.c: see keyframe.h. */
#include "keyframe.h"
#include "platform/files.h"

#include <stdio.h>
#include <stdlib.h>

static void write_list(FILE *out, const char *name, const double *values, int count)
{
    if (count == 0) return;
    fprintf(out, " %s=\"", name);
    for (int i = 0; i < count; i++) fprintf(out, "%s%.17g", i ? " " : "", values[i]);
    fputc('"', out);
}

/* Where mocap bodies were put, in the order of the bodies. */
static void write_mocap(FILE *out, const TnWorld *world)
{
    static const char *const names[] = {"mpos", "mquat"};
    int body_count = tn_model_info(tn_world_model(world)).body_count;
    for (int part = 0; part < 2; part++) {
        bool any = false;
        for (TnBodyId id = 1; id <= body_count; id++) {
            double pose[7];
            if (!tn_world_mocap(world, id, pose, pose + 3)) continue;
            if (!any) fprintf(out, " %s=\"", names[part]);
            for (int k = 0; k < (part ? 4 : 3); k++)
                fprintf(out, "%s%.17g", any || k ? " " : "", pose[3 * part + k]);
            any = true;
        }
        if (any) fputc('"', out);
    }
}

char *keyframe_text(const TnWorld *world)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = tn_stream_open_memory(&text, &size);
    if (!out) return NULL;
    TnStateView now = tn_world_state(world);
    fprintf(out, "<key name=\"at_%g_s\" time=\"%.17g\"", now.time, now.time);
    write_list(out, "qpos", now.qpos, now.qpos_count);
    write_list(out, "qvel", now.qvel, now.dof_count);
    write_list(out, "act", now.act, now.act_count);
    write_list(out, "ctrl", now.ctrl, now.ctrl_count);
    write_mocap(out, world);
    fputs("/>", out);
    return tn_stream_close_memory(out, &text, &size) == 0 ? text : NULL;
}
