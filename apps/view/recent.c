/* recent.c: files that were shown, one path a line, in the folder for such things of the user. */
#include "../render/system.h"
#include "platform/files.h"
#include "window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* False where the system names no folder; then there is no list. */
static bool list_path(char out[TN_PATH])
{
    static const struct {
        const char *variable, *below;
    } places[] = {{"XDG_STATE_HOME", ""}, {"LOCALAPPDATA", ""}, {"HOME", "/.local/state"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *folder = getenv(places[i].variable);
        if (!folder || !folder[0]) continue;
        int length = snprintf(out, TN_PATH, "%s%s/tenon/recent", folder, places[i].below);
        return length > 0 && length < TN_PATH;
    }
    return false;
}

void recent_load(Recent *recent)
{
    char path[TN_PATH];
    recent->count = 0;
    FILE *in = list_path(path) ? tn_stream_open(path, "r") : NULL;
    if (!in) return;
    while (recent->count < RECENT_COUNT && fgets(recent->paths[recent->count], TN_PATH, in)) {
        char *line = recent->paths[recent->count];
        line[strcspn(line, "\r\n")] = '\0';
        if (line[0]) recent->count++;
    }
    fclose(in);
}

void recent_add(Recent *recent, const char *path)
{
    char whole[TN_PATH], list[TN_PATH];
    if (tn_file_real_path(path, whole) != 0 || strchr(whole, '\n')) return;
    int at = 0;
    while (at < recent->count && strcmp(recent->paths[at], whole) != 0) at++;
    if (at == recent->count && recent->count < RECENT_COUNT) recent->count++;
    if (at == RECENT_COUNT) at--;
    memmove(recent->paths[1], recent->paths[0], (size_t)at * TN_PATH);
    memcpy(recent->paths[0], whole, TN_PATH);
    /* a list that cannot be written is no reason to stop: the next start has a shorter one */
    FILE *out = list_path(list) && system_make_parents(list) ? tn_stream_open(list, "w") : NULL;
    for (int i = 0; out && i < recent->count; i++) fprintf(out, "%s\n", recent->paths[i]);
    if (out) fclose(out);
}

void recent_menu(Viewer *viewer)
{
    enum { ROOM = 38 };
    if (!viewer->def.reload || viewer->recent.count == 0) return;
    ui_text(&viewer->ui, ui_amber, "Recent files, or drop one here");
    for (int i = 0; i < viewer->recent.count; i++) {
        const char *path = viewer->recent.paths[i], *end = path;
        char label[64];
        if (strlen(path) > ROOM) /* the end of a path tells more than its start */
            for (end += strlen(path) - ROOM + 2; (*end & 0xc0) == 0x80;) end++;
        snprintf(label, sizeof label, "%s%s", end > path ? ".." : "", end);
        if (ui_item(&viewer->ui, label, "")) viewer_open(viewer, path);
    }
}
